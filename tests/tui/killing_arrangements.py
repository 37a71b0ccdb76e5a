"""A plan whose process ends at any moment, forth and back, and what the next process does.

``python -m tests.tui.killing_arrangements``: applying a plan, and rolling it back, goes by
moments: just before and just after each request that writes, each time the run is put on the disk,
and each note in the journal. A process is ended at each of them. The next one finds the run on the
disk, settles by reading what was under way, and goes on (or rolls back): each change must be there
exactly once, or none of them. The same with a plan that makes a group with sections and a link in
it, where the service moves all entries alike, and with one that removes groups, which come back
under other ids, also by ``u``. With ``--few`` only some moments. Prints a line for each, and exits
with 1 when one went wrong.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.reversal import Call
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.local.journal import NO_NOTES, Entry, Journal, Notes, State
from copydesk.local.runs import Arrangements
from copydesk.local.state import State as Kept
from copydesk.server.app import create_app
from copydesk.server.store import Store, Tx
from copydesk.session.session import Session
from copydesk.session.writes.recovery import recover
from tests.tui.arranging_world import PLACE, Rearranged, spaces
from tests.tui.own_process import in_own_process, load_operations
from tests.world import World

WANTED = {
    "forth groups": "API:api[English French] Guides*:guides[English] "
    "More( Legal:legal[English] Status:status[English] Out )",
    "back groups": "Guides*:guides[English] API:api[English French] Legal:legal[English] "
    "Status:status[English]",
    "forth": "Guides:guides[English] Billing:billing[French] API*:api[English] "
    "State:legal[English] Legal:status[English]",
    "back removal": "Guides*:guides[English] API:api[English French] "
    "More( Legal:legal[English] Inner/Innen( Status:status[English] ) )",
    "back": "Guides*:guides[English] API:api[English] Legal:legal[English] Status:status[English]",
}
"""What the site shows in the end: its sections with their paths, the default one with a star. What
was removed is gone for good."""

FEW = {
    *(("forth", 6), ("forth", 31), ("back", 6), ("forth groups", 6), ("back groups", 22)),
    *(("back removal", 8), ("undo removal", 6), ("undo removal", 18)),
}
"""What is tried where there is little time: among these, the request that makes something."""

WANTED["undo removal"] = WANTED["back removal"]

WAYS, MOST = (*WANTED,), 1000
"""All directions of all plans, and more moments than there are in any."""

Begun = tuple[Rearranged, list[list[Call]]]

THROUGH = 3
"""The status of a process that came to the end."""


class Moments:
    """Counts the moments at which a process may end, and ends it at one of them."""

    def __init__(self, at: int) -> None:
        self.left = at

    def come(self) -> None:
        """Note that one has come."""
        self.left -= 1
        if self.left == 0:
            os._exit(0)


class EndingWay(httpx.AsyncBaseTransport):
    """A way to the desk with a moment before and after each write."""

    def __init__(self, store: Store, ana: str, moments: Moments) -> None:
        self._desk = httpx.ASGITransport(create_app(store, sessions={"token": ana}))
        self._moments = moments

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            self._moments.come()
        answer = await self._desk.handle_async_request(request)
        if request.method != "GET":
            self._moments.come()
        return answer


class EndingRuns(Arrangements):
    """Runs on disk with a moment before and after each is put there."""

    def __init__(self, store: Kept, moments: Moments) -> None:
        super().__init__(store, "desk")
        self._moments = moments

    def save(self, run: ArrangeRun) -> None:
        self._moments.come()
        super().save(run)
        self._moments.come()


class EndingJournal(Journal):
    """A journal with a moment before and after each note."""

    def __init__(self, store: Kept, moments: Moments) -> None:
        super().__init__(store, "desk")
        self._moments = moments

    def begin(self, what: str, target: str, notes: Notes = NO_NOTES) -> Entry:
        self._moments.come()
        entry = super().begin(what, target, notes)
        self._moments.come()
        return entry

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        self._moments.come()
        entry = super().settle(entry, state, **changes)
        self._moments.come()
        return entry


class Trial:
    """A desk in a folder of its own, and the moment at which a process on it ends."""

    def __init__(
        self, folder: Path, plan: Rearranged, calls: Sequence[Call], way: str, at: int
    ) -> None:
        self.folder, self.plan, self.calls, self.at = folder, plan, calls, at
        self.wanted, self.way = WANTED[way], way.partition(" ")[0]

    def session(self, moments: Moments) -> Session:
        """Return what a process has."""
        store = Store(self.folder / "desk.db", durable=False)
        api = Api("http://desk", "token", transport=EndingWay(store, self.plan.world.ana, moments))

        async def connect() -> Api:
            return api

        kept = Kept(self.folder / "state.db")
        return Session(
            connect,
            arrangements=EndingRuns(kept, moments),
            journal=EndingJournal(kept, moments),
        )

    async def begin(self) -> str:
        """Apply the plan, and roll it back where that is asked for, until the process ends."""
        moments = Moments(self.at if self.way == "forth" else 0)
        session = self.session(moments)
        arranger = session.arranging
        run = await arranger.go(self.run())
        if self.way == "back":
            moments.left = self.at
            run = await arranger.roll_back(run)
        elif self.way == "undo":
            await arranger.forget_ended(run)
            moments.left = self.at
            await session.reversals.undo()
        os._exit(THROUGH if run.state == "finished" else 1)

    async def resume(self) -> str:
        """Go on in that direction as the next process does; return what is wrong then."""
        session = self.session(Moments(0))
        arranger = session.arranging
        said = await recover(session, await arranger.groups())
        if self.way == "undo":
            return await self.undo(session)
        left, more = await arranger.find_interrupted()
        found = await arranger.find(PLACE, self.plan.site)
        begun = [found.id] if found is not None and found.begun else []
        if said or more or [run.id for run in left] != begun:
            return f"it said {said!r} {more!r} of {left}"
        run = found or self.run()
        unknown = [each.call.key for each in run.calls if each.state == "unknown"]
        if unknown:
            return f"reading did not tell of {unknown}"
        if self.way == "back" or run.state != "finished":
            run = await (arranger.roll_back if self.way == "back" else arranger.go)(run)
        await arranger.forget_ended(run)
        if run.state != "finished" or await arranger.find(PLACE, self.plan.site) is not None:
            return f"the run is {run}"
        return await self.noted(session, run.group)

    async def undo(self, session: Session) -> str:
        """Take back what is left of all as ``u`` does; return what is wrong then."""
        reversals = session.reversals
        rest = reversals.left_over()
        if not rest:
            done = [past for past in session.history.known.values() if past.standing == "done"]
            rest = session.history.with_group(done[-1]) if done else []
        await reversals.take_back(rest)
        return await self.noted(session, next(iter(session.history.known.values())).entry.group)

    def run(self) -> ArrangeRun:
        """Return the run of the plan."""
        return ArrangeRun.of(PLACE, self.plan.site, "Acme docs", self.calls)

    async def noted(self, session: Session, group: str) -> str:
        """Return what is wrong with the journal: it must know each write, in whichever process."""
        entries = session.journal.entries()
        session.history.learn(entries)
        open_still = [entry.what for entry in entries if entry.state not in ("done", "failed")]
        ways = [past for past in session.history.known.values() if past.entry.group == group]
        stand = [past.standing for past in ways]
        ours = [call for call in self.calls if call.reversal is not None]
        wanted = ["done" if self.way == "forth" else "undone"] * len(ours)
        if open_still or stand != wanted:
            return f"open: {open_still}, ways back: {stand}"
        return ""

    def shown(self, tx: Tx) -> str:
        """Return what the site shows."""
        site = tx.one("SELECT * FROM site WHERE id = ?", self.plan.site)
        assert site is not None
        entries = tx.all(
            "SELECT * FROM site_entry WHERE site_id = ? ORDER BY position", self.plan.site
        )

        def told(level: str | None) -> Iterator[str]:
            for entry in entries:
                if entry["parent_id"] != level:
                    continue
                if entry["kind"] == "site-section-group":
                    group = tx.row("section_group", entry["id"])
                    other = json.loads(group["localized_title"] or "{}").get("de")
                    yield f"{group['title']}{f'/{other}' if other else ''}("
                    yield from told(entry["id"])
                    yield ")"
                elif entry["kind"] == "site-external-link":
                    yield tx.row("site_link", entry["id"])["title"]
                else:
                    row = tx.row("site_section", entry["id"])
                    star = "*" if row["id"] == site["default_section_id"] else ""
                    yield f"{row['title']}{star}:{row['path']}[{spaces(tx, row['id'])}]"

        return " ".join(told(None))

    def wrong(self) -> str:
        """Return what is wrong with the desk."""
        store = Store(self.folder / "desk.db")
        try:
            now = store.read(self.shown)
        finally:
            store.close()
        return "" if now == self.wanted else now


async def staged(plan: Rearranged) -> list[Call]:
    """Return the requests of what is staged: something of every kind, and two paths swapped."""
    from copydesk.session.reads.sites import read_structure

    world, ids = plan.world, plan.ids
    async with world.api() as api:
        structure = await read_structure(api, world.home, plan.site)
    it = SiteArrangement.on(layout_of(structure), world.home, plan.site)
    values = {"title": "Billing", "space": plan.french, "spaceTitle": "French"}
    it, _ = it.add("", "section", values, after=ids["Guides"])
    it = it.change_all({ids["Legal"]: {"path": "status"}, ids["Status"]: {"path": "legal"}})
    it = it.change(ids["Status"], {"title": "State"}).move([ids["Status"]], -1)
    return it.make_default(ids["API"]).remove([ids["API/fr"]]).calls()


async def grouped(plan: Rearranged) -> list[Call]:
    """Return the requests of a group with two sections and a link, and of a move."""
    from copydesk.session.reads.sites import read_arranged

    world, ids = plan.world, plan.ids
    async with world.api() as api:
        structure = await read_arranged(api, world.home, plan.site)
    start = SiteArrangement.on(layout_of(structure), world.home, plan.site)
    it, group = replace(start, sorts=True).add("", "group", {"title": "More"})
    it = it.shift([ids["Legal"], ids["Status"]], group).move([ids["API"]], -1)
    return it.add(group, "link", {"title": "Out", "url": "https://out.test"})[0].calls()


async def group(plan: Rearranged) -> list[str]:
    """Make two groups, one in the other, and return their ids."""
    from copydesk.contract.models.site_structure import SectionGroupCreate, SectionGroupUpdate

    where, made = (plan.world.home, plan.site), []
    async with plan.world.api() as api:
        for title, section in (("More", "Legal"), ("Inner", "Status")):
            body = SectionGroupCreate(title=title, icon="box", sections=[plan.ids[section]])
            made.append((await api(ops.add_site_section_group, *where, body)).id)
        more, inner = made
        change = SectionGroupUpdate(localized_title={"de": "Innen"}, parent_section_group_id=more)
        await api(ops.update_site_section_group, *where, inner, change)
    return made


async def ungrouped(plan: Rearranged, groups: Collection[str]) -> list[Call]:
    """Return the requests that remove groups."""
    from copydesk.session.reads.sites import read_arranged

    where = (plan.world.home, plan.site)
    async with plan.world.api() as api:
        structure = await read_arranged(api, *where)
    start = SiteArrangement.on(layout_of(structure), *where)
    return replace(start, sorts=True).remove(groups).calls()


async def group_and_ungroup(plan: Rearranged) -> list[Call]:
    """Make groups, and return the requests that remove them."""
    return await ungrouped(plan, await group(plan))


def begun(root: Path, *plans: Callable[[Rearranged], Coroutine[Any, Any, list[Call]]]) -> Begun:
    """Make a desk, and return its site with the requests of some plans."""
    root.mkdir()
    world = World(root / "desk.db")
    plan = Rearranged(world)
    calls = [asyncio.run(each(plan)) for each in plans]
    world.close()
    return plan, calls


def main(root: Path, *, few: bool) -> int:
    """Go through all of it."""
    assert "textual" not in sys.modules  # commands go through runs as well
    plan, (some, groups) = begun(root / "desk", staged, grouped)
    other, (removal,) = begun(root / "grouped", group_and_ungroup)
    plans = {"": (plan, some), "groups": (plan, groups), "removal": (other, removal)}
    calls = [*some, *groups, *removal]
    load_operations()
    Arrangements(Kept(root / "state.db"), "desk").save(ArrangeRun.of(PLACE, plan.site, "", calls))
    failed, ended = 0, set[str]()
    for way, at in sorted(FEW) if few else ((way, at) for way in WAYS for at in range(1, MOST)):
        if way in ended:
            continue
        folder = root / f"{way.replace(' ', '-')}{at}"
        name = way.partition(" ")[2]
        shutil.copytree(root / ("grouped" if name == "removal" else "desk"), folder)
        trial = Trial(folder, *plans[name], way, at)
        began = in_own_process(trial.begin)
        if began == THROUGH:
            ended.add(way)
            continue
        went = began | in_own_process(trial.resume)
        said = trial.wrong()
        failed |= went or bool(said)
        wanted = "each once" if trial.way == "forth" else "all taken back"
        sys.stdout.write(f"{folder.name}: {went} {said or wanted}\n")
        shutil.rmtree(folder)
    return int(failed)


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        sys.exit(main(Path(scratch), few="--few" in sys.argv))
