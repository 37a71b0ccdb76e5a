"""Settling, taking back, merging what waits and pushing files, ended at any moment.

``python -m tests.tui.killing_settling``: moments as in `tests.tui.killing_edits`, also around each
time that what is settled is put on the disk. The next process goes on as a person would: it
settles what was cut off, takes back a merge with the request that was begun for it, pushes the
folder again, lets a request wait again of which it is not known whether its merge was sent. With
``--few`` only some moments.
"""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from copydesk.cli.connection import Connection, Service
from copydesk.cli.cr_files import checkout, push
from copydesk.cli.lookup import Wanted
from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewCreate
from copydesk.contract.models.user import User
from copydesk.domain.hunks import Choice
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_run import MergeRun
from copydesk.domain.page_tree import flatten
from copydesk.domain.settlement import Settling
from copydesk.local.paths import HOME_VARIABLE
from copydesk.local.runs import Settlings, WaitingRuns
from copydesk.local.state import State
from copydesk.server.desk_writes import Editor
from copydesk.server.store import Store
from copydesk.session.merge_revert import begin_merge_revert, read_merge_revert
from copydesk.session.session import Session
from copydesk.session.settlement import Settlement, find_cut_off, is_cut_off
from copydesk.session.writes.recovery import recover
from copydesk.session.writes.requests import beginning
from tests.tui import killing_edits
from tests.tui.killing_arrangements import THROUGH, EndingJournal, EndingWay, Moments
from tests.world import World, texts

LIST = "- red apples\n- green pears\n"
PAGES = {
    "retries": f"# Retries\n\nThree days.\n\n{LIST}",
    "limits": "# Limits\n\nNone.\n",
    "webhooks": "# Webhooks\n\nHooks.\n",
}
MINE = {
    "retries": PAGES["retries"].replace("Three", "Five").replace("red", "ripe red"),
    "limits": "# Limits\n\nA lot.\n",
    "letters": "# Letters\n\nDead ones.\n",
}
THEIRS = {"retries": PAGES["retries"].replace("Three", "Nine"), "limits": None}
SINCE = MINE["retries"].replace("Five", "Six")

RULES = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}

WANTED: Mapping[str, Mapping[str, str]] = {
    "settle": {**PAGES, **MINE},
    "revert": PAGES,
    "wait": {**PAGES, **MINE},
    "push": {**PAGES, **MINE, "retries": MINE["retries"].replace("Five", "Ten"), "age": "Old.\n"},
}
"""The pages of the change request in the end, by the way they come about."""

FEW = {("settle", 9), ("settle", 18), ("revert", 6), ("wait", 7), ("push", 2)}
"""What is tried where there is little time: among these, what has arrived and is not noted."""


class EndingSettlings(Settlings):
    """What is settled, with a moment before and after each time that it is put on the disk."""

    def __init__(self, store: State, moments: Moments) -> None:
        super().__init__(store, "desk")
        self._moments = moments

    def save(self, run: Settling) -> None:
        self._moments.come()
        super().save(run)
        self._moments.come()


class EndingWaiting(WaitingRuns):
    """What waits to be merged, with a moment before and after each time it is put on the disk."""

    def __init__(self, store: State, moments: Moments) -> None:
        super().__init__(store, "desk")
        self._moments = moments

    def save(self, run: MergeRun) -> None:
        self._moments.come()
        super().save(run)
        self._moments.come()


@dataclass(frozen=True)
class OneDesk(Service):
    """A desk that is reached in some way."""

    api: Api | None = None

    def connection(self, *, writes: bool = False) -> Connection:
        api = self.api
        assert api is not None
        return Connection("desk", "desk", lambda: api)


class Trial(killing_edits.Trial):
    """A desk in a folder of its own, and the moment at which a process on it ends."""

    def __init__(self, folder: Path, ids: Mapping[str, str], way: str, at: int) -> None:
        own = {"space": ids[f"space {way}"], "request": ids[f"request {way}"]}
        super().__init__(folder, {**ids, **own}, way, at)

    def api(self, moments: Moments) -> Api:
        """Return what a process reaches the desk with."""
        store = Store(self.folder / "desk.db", durable=False)
        return Api("http://desk", "token", transport=EndingWay(store, self.ids["ana"], moments))

    def session(self, moments: Moments) -> Session:
        api = self.api(moments)

        async def connect() -> Api:
            return api

        kept = State(self.folder / "state.db")
        return Session(
            connect,
            settlings=EndingSettlings(kept, moments),
            waiting_runs=EndingWaiting(kept, moments),
            journal=EndingJournal(kept, moments),
            me=User(id=self.ids["ana"], display_name="Ana"),
        )

    async def stage(self) -> str:
        """Choose what is sent, or change the files, before anything can end."""
        if self.way == "push":
            await self.checked_out()
        if self.way == "settle":
            await self.choose(await self.begun(self.session(Moments(0)), self.request))
        if self.way == "wait":
            session = self.session(Moments(0))
            api, merges = await session.ready(), session.waiting_merges
            seen = await api(ops.get_change_request, self.space, self.request)
            run = await merges.plan(seen, "wait")
            await merges.put(run.id, merges.as_json(run))
            approved = ReviewCreate(status="approved")
            await api(ops.create_change_request_review, self.space, self.request, approved)
        return ""

    async def begun(self, session: Session, request: str) -> Settlement:
        """Return what is settled of a request."""
        work = Settlement(session, self.space, request)
        await work.read()
        return work

    async def choose(self, work: Settlement) -> None:
        """Take what the request says, wherever both sides differ, but one file of main."""
        await work.choose(
            {
                hunk.key: Choice("main" if part.title == "b.png" else "request")
                for part, hunk in work.open
            }
        )

    async def begin(self) -> str:
        moments = Moments(self.at)
        if self.way == "push":
            await self.push(moments)
        else:
            await self.go_on(self.session(moments))
        os._exit(THROUGH)

    async def resume(self) -> str:
        session = self.session(Moments(0))
        if self.way == "push":
            await self.push(Moments(0))
        else:
            await recover(session)
            await self.go_on(session)
        return await self.wrong(session)

    async def go_on(self, session: Session) -> None:
        if self.way == "revert":
            await self.take_back(session)
            return
        if self.way == "wait":
            await self.merge(session)
            return
        api = await session.ready()
        now = await api(ops.get_change_request, self.space, self.request)
        if now.outdated or await is_cut_off(session, self.space, self.request):
            await (await self.begun(session, self.request)).send()

    async def merge(self, session: Session) -> None:
        """Look at what waits; let it wait again where nobody knows whether it was sent."""
        merges = session.waiting_merges
        await merges.look()
        for run in merges.runs:
            if run.stopped is not None and run.stopped.reason == "unknown":
                await merges.again(run.id)
                await merges.look()

    async def take_back(self, session: Session) -> None:
        """Take the merge back, with the request that was begun for it if there is one."""
        api = await session.ready()
        found = await read_merge_revert(session, self.space, self.request, session.me)
        if found.other is not None:
            if await is_cut_off(session, self.space, found.other.id):
                await (await self.begun(session, found.other.id)).send()
            return
        made = found.begun
        if made is None:
            write = beginning(self.space, found.body("Wrong.", session.now), session.me)
            made = await session.writes.perform(
                write.what, write.target, lambda: write.send(api), reversal=write.reversal
            )
        work = await begin_merge_revert(session, found, made)
        await self.choose(work)
        await work.send()

    async def checked_out(self) -> None:
        """Check the request out, and change its files."""
        await self.command(checkout, Moments(0), wanted=Wanted("1", space=self.space))
        file = self.folder / "files" / "retries.md"
        file.write_text(file.read_text(encoding="utf-8").replace("Five", "Ten"), encoding="utf-8")
        (self.folder / "files" / "age.md").write_text("---\ntitle: Age\n---\nOld.\n")

    async def push(self, moments: Moments) -> None:
        """Push the folder; a new page that arrived already is taken for the one of its file."""
        await self.command(push, moments, yes=True)

    async def command(self, run: Callable[..., int], moments: Moments, **options: Any) -> None:
        """Run a command on the folder of files, as one that has this machine for itself."""
        os.environ[HOME_VARIABLE] = str(self.folder)
        service = OneDesk(api=self.api(moments))
        quiet = io.TextIOWrapper(io.BytesIO())
        with redirect_stdout(quiet), redirect_stderr(quiet):
            status = await asyncio.to_thread(
                run, folder=self.folder / "files", service=service, **options
            )
        if status:
            quiet.seek(0)
            raise AssertionError(quiet.read())

    async def wrong(self, session: Session) -> str:
        api = await session.ready()
        request = self.request
        drafts = await api(ops.list_space_change_requests, self.space, status="draft", limit=100)
        if self.way == "revert":
            if len(drafts.items) != 1:
                return f"{len(drafts.items)} requests take it back"
            request = drafts.items[0].id
        if (said := await find_cut_off(session)) or session.journal.interrupted():
            return f"still kept: {said} {session.journal.interrupted()}"
        now = await api(ops.get_change_request, self.space, request)
        if now.outdated and self.way == "settle":
            return "it is not up to date"
        if self.way == "wait":
            merges = await session.waiting_merges.former()
            if now.status != "merged" or session.waiting_merges.runs or len(merges) != 1:
                return f"it is {now.status}: {session.waiting_merges.runs} {merges}"
        if self.way == "settle":
            files = api.pages(ops.list_change_request_files, self.space, request)
            found = {file.name: file.size async for file in files}
            if found != {"a.png": 1, "b.png": 2}:
                return f"the files are {found}"
        tree = await api(ops.list_change_request_pages, self.space, request)
        texts: dict[str, str] = {}
        for node in flatten(tree.pages):
            read = await api(
                ops.get_change_request_page, self.space, request, node.id, format="markdown"
            )
            texts[node.path] = read.markdown or ""
        return "" if texts == WANTED[self.way] else f"the pages are {texts}"


def with_files(pages: Mapping[str, str | None], size: int) -> Callable[[Editor], None]:
    """Return an edit of pages and of two files, which get so many bytes."""

    def edit(editor: Editor) -> None:
        texts(pages)(editor)
        for name in ("a.png", "b.png"):
            editor.file(name, b"x" * size)

    return edit


def build(folder: Path) -> dict[str, str]:
    """Make the desk: for each way a space with its request."""
    world = World(folder / "desk.db")
    ids = {"ana": world.ana}
    lee = world.user("lee")
    for way in WANTED:
        rules = RULES if way == "wait" else {"type": "none"}
        ids[f"space {way}"] = space = world.space(way, PAGES, merge_rules=rules)
        if way == "settle":
            world.commit(space, edit=with_files({}, 3))
            mine = with_files(MINE, 1)
            ids[f"request {way}"] = world.change_request(space, edit=mine, status="open")
            continue
        by = lee if way == "wait" else world.ana
        ids[f"request {way}"] = world.change_request(space, MINE, status="open", by=by)
    world.commit(ids["space settle"], edit=with_files(THEIRS, 2))

    async def merge() -> None:
        async with world.api() as api:
            await api(ops.merge_change_request, ids["space revert"], ids["request revert"])

    asyncio.run(merge())
    world.commit(ids["space revert"], {"retries": SINCE})
    world.close()
    return ids


if __name__ == "__main__":
    sys.exit(killing_edits.main(build, Trial, WANTED, FEW))
