"""A plan whose process ends at any moment, forth and back, and what the next process does.

``python -m tests.tui.killing_arrangements``: applying a plan, and rolling it back, goes by
moments: just before and just after each request that writes, each time the run is put on the disk,
and each note in the journal. A process is ended at each of them. The next one finds the run on the
disk, settles by reading what was under way, and goes on (or rolls back): each change must be there
exactly once, or none of them. The same with a plan that makes a group with sections and a link in
it, where the service moves all entries alike. With ``--few`` only some moments. Prints a line for
each, and exits with 1 when one went wrong.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.call import Call
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.local.journal import NO_NOTES, Entry, Journal, Notes, State
from copydesk.local.runs import Arrangements
from copydesk.local.state import State as Kept
from copydesk.server.app import create_app
from copydesk.server.store import Store, Tx
from copydesk.session.session import Session
from copydesk.session.writes.recovery import recover
from tests.tui.arranging_world import PLACE, Rearranged, spaces
from tests.tui.own_process import in_own_process
from tests.world import World

WANTED = {
    "forth groups": "API:api[English French] Guides*:guides[English] "
    "More( Legal:legal[English] Status:status[English] Out )",
    "back groups": "Guides*:guides[English] API:api[English French] Legal:legal[English] "
    "Status:status[English]",
    "forth": "Guides:guides[English] Billing:billing[French] API*:api[English] "
    "State:legal[English] Legal:status[English]",
    "back": "Guides*:guides[English] API:api[English] Legal:legal[English] Status:status[English]",
}
"""What the site shows in the end: its sections with their paths, the default one with a star. What
was removed is gone for good."""

FEW = {("forth", 6), ("forth", 31), ("back", 6), ("forth groups", 6), ("back groups", 22)}
"""What is tried where there is little time: among these, the request that makes something."""

WAYS, MOST = ("forth", "back", "forth groups", "back groups"), 1000
"""Both directions of both plans, and more moments than there are in either."""

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
        arranger = self.session(moments).arranging
        run = await arranger.go(self.run())
        if self.way == "back":
            moments.left = self.at
            run = await arranger.roll_back(run)
        os._exit(THROUGH if run.state == "finished" else 1)

    async def resume(self) -> str:
        """Go on in that direction as the next process does; return what is wrong then."""
        session = self.session(Moments(0))
        arranger = session.arranging
        said = await recover(session, await arranger.groups())
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
        return await self.noted(session, run)

    def run(self) -> ArrangeRun:
        """Return the run of the plan."""
        return ArrangeRun.of(PLACE, self.plan.site, "Acme docs", self.calls)

    async def noted(self, session: Session, run: ArrangeRun) -> str:
        """Return what is wrong with the journal: it must know each write, in whichever process."""
        entries = session.journal.entries()
        session.history.learn(entries)
        open_still = [entry.what for entry in entries if entry.state not in ("done", "failed")]
        ways = [past for past in session.history.known.values() if past.entry.group == run.group]
        stand = [past.standing for past in ways]
        ours = [call for call in self.calls if call.reversal is not None]
        wanted = ["undone" if self.way == "back" else "done"] * len(ours)
        if open_still or stand != wanted:
            return f"open: {open_still}, ways back: {stand}"
        return ""

    def shown(self, tx: Tx) -> str:
        """Return what the site shows."""
        site = tx.one("SELECT * FROM site WHERE id = ?", self.plan.site)
        assert site is not None
        told = []
        within = None
        for entry in tx.all(
            "SELECT * FROM site_entry WHERE site_id = ? ORDER BY position", self.plan.site
        ):
            if within is not None and entry["parent_id"] != within:
                told.append(")")
                within = None
            if entry["kind"] == "site-section-group":
                within = entry["id"]
                told.append(f"{tx.row('section_group', within)['title']}(")
            elif entry["kind"] == "site-external-link":
                told.append(tx.row("site_link", entry["id"])["title"])
            else:
                row = tx.row("site_section", entry["id"])
                star = "*" if row["id"] == site["default_section_id"] else ""
                told.append(f"{row['title']}{star}:{row['path']}[{spaces(tx, row['id'])}]")
        return " ".join([*told, *([] if within is None else [")"])])

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


def main(root: Path, *, few: bool) -> int:
    """Go through all of it."""
    assert "textual" not in sys.modules  # commands go through runs as well
    (root / "desk").mkdir()
    world = World(root / "desk" / "desk.db")
    plan = Rearranged(world)
    plans = {"": asyncio.run(staged(plan)), "groups": asyncio.run(grouped(plan))}
    calls = [*plans[""], *plans["groups"]]
    world.close()
    for call in calls:  # so that not every process works that out again
        operation = CATALOGUE[call.step.operation]
        operation.result_adapter  # noqa: B018 - it is kept
        operation.signature  # noqa: B018
    ops.list_site_sections.result_adapter  # noqa: B018
    Arrangements(Kept(root / "state.db"), "desk").save(ArrangeRun.of(PLACE, plan.site, "", calls))
    failed, ended = 0, set[str]()
    for way, at in sorted(FEW) if few else ((way, at) for way in WAYS for at in range(1, MOST)):
        if way in ended:
            continue
        folder = root / f"{way.replace(' ', '-')}{at}"
        shutil.copytree(root / "desk", folder)
        trial = Trial(folder, plan, plans[way.partition(" ")[2]], way, at)
        began = in_own_process(trial.begin)
        if began == THROUGH:
            ended.add(way)
            continue
        went = began | in_own_process(trial.resume)
        said = trial.wrong()
        failed |= went or bool(said)
        wanted = "all taken back" if trial.way == "back" else "each once"
        sys.stdout.write(f"{folder.name}: {went} {said or wanted}\n")
        shutil.rmtree(folder)
    return int(failed)


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        sys.exit(main(Path(scratch), few="--few" in sys.argv))
