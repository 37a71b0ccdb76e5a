"""Edits of pages whose process ends at any moment while they are sent, and what the next one does.

``python -m tests.tui.killing_edits``: sending goes by moments: just before and just after each
request that writes, each time something staged is put on the disk, or suggestions that are being
applied are, and each note in the journal. A process is ended at each of them. The next one goes on
as a person would: it sends what is still staged, applies what is still open, and takes the change
request that was made already. The bytes must be the same in the end, whenever it was. With
``--few`` only some moments. Prints a line for each, and exits with 1 when one went wrong.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestCreate
from copydesk.contract.models.user import User
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_tree import flatten
from copydesk.domain.plain_documents import document_text
from copydesk.domain.suggestion import ApplyRun, suggest
from copydesk.local.page_edits import DeskEdits
from copydesk.local.runs import Applications
from copydesk.local.state import State
from copydesk.server.store import Store
from copydesk.session.draft_keys import NEW_REQUEST
from copydesk.session.page_edits import (
    StagedPages,
    check_edits,
    empty_requests,
    read_main_source,
    read_source,
    requests_for,
    send_edits,
)
from copydesk.session.page_files import keep, pick, send_files
from copydesk.session.reads.review import read_threads
from copydesk.session.session import Session
from copydesk.session.suggestions import (
    apply_plan,
    finish_applying,
    plan_applying,
    read_texts,
    suggested_in,
)
from copydesk.session.writes.recovery import recover
from copydesk.session.writes.requests import beginning
from tests.tui.killing_arrangements import THROUGH, EndingJournal, EndingWay, Moments
from tests.tui.own_process import in_own_process, load_operations
from tests.world import World

TEXT = "# Retries\r\n\r\nAfter five failures it is dropped.\r\n\r\nAsk us.\r\n\r\nThe end."
FILE = re.compile(r"\.gitbook/assets/\w+\.png")
PAGES = {"retries": TEXT, "limits": "# Limits\n\nNone.\n", "webhooks": "# Webhooks\n\nHooks.\n"}
EDITED = TEXT.replace("five", "eight").replace("Ask us.", "![One](FILE) Ask us.")
LETTERS = "# Letters\r\n\r\nDead ones."
APPLIED = TEXT.replace("five", "eight").replace("Ask us.", "Write to us.")

WANTED: Mapping[str, Mapping[str, str]] = {
    "edits": {"retries": EDITED, "letters": LETTERS, "webhooks": PAGES["webhooks"]},
    "new": {**PAGES, "retries": TEXT.replace("five", "eight")},
    "apply": {**PAGES, "retries": APPLIED},
}
"""The pages of the change request in the end, by the way they come about."""

FEW = {("edits", 14), ("apply", 6), ("apply", 12), ("new", 4), ("new", 6)}
"""What is tried where there is little time: among these, what has arrived and is not noted."""

MOST = 1000
"""More moments than there are in any way."""


class EndingEdits(DeskEdits):
    """Staged edits with a moment before and after each time that they are put on the disk."""

    def __init__(self, store: State, moments: Moments) -> None:
        super().__init__(store, "desk")
        self._moments = moments

    def stage(
        self, space: str, request: str, changes: Mapping[str, tuple[str | None, str | None]]
    ) -> None:
        self._moments.come()
        super().stage(space, request, changes)
        self._moments.come()

    def move(self, space: str, request: str, other: str, edits: Mapping[str, str]) -> None:
        self._moments.come()
        super().move(space, request, other, edits)
        self._moments.come()

    def sent(
        self,
        space: str,
        request: str,
        edits: Mapping[str, str],
        batch: str,
        others: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self._moments.come()
        super().sent(space, request, edits, batch, others)
        self._moments.come()


class EndingApplications(Applications):
    """What is being applied, with a moment before and after it is kept and forgotten."""

    def __init__(self, store: State, moments: Moments) -> None:
        super().__init__(store, "desk")
        self._moments = moments

    def save(self, run: ApplyRun) -> None:
        self._moments.come()
        super().save(run)
        self._moments.come()

    def drop(self, run_id: str) -> bool:
        self._moments.come()
        dropped = super().drop(run_id)
        self._moments.come()
        return dropped


class Trial:
    """A desk in a folder of its own, and the moment at which a process on it ends."""

    def __init__(self, folder: Path, ids: Mapping[str, str], way: str, at: int) -> None:
        self.folder, self.ids, self.way, self.at = folder, ids, way, at
        self.space, self.request = ids["space"], ids["request"]

    def session(self, moments: Moments) -> Session:
        """Return what a process has."""
        store = Store(self.folder / "desk.db", durable=False)
        api = Api("http://desk", "token", transport=EndingWay(store, self.ids["ana"], moments))

        async def connect() -> Api:
            return api

        kept = State(self.folder / "state.db")
        return Session(
            connect,
            staged=EndingEdits(kept, moments),
            applications=EndingApplications(kept, moments),
            journal=EndingJournal(kept, moments),
            me=User(id=self.ids["ana"], display_name="Ana"),
        )

    async def stage(self) -> str:
        """Stage what is sent, before anything can end."""
        session = self.session(Moments(0))
        api = await session.ready()
        retries = self.ids["retries"]
        if self.way == "new":
            base, source = await read_main_source(api, self.space, retries)
            edit = PageEdit("update", base, source, source.replace("five", "eight"))
            await StagedPages(session, self.space, NEW_REQUEST).stage({retries: edit})
        elif self.way == "edits":
            staged = StagedPages(session, self.space, self.request)
            keep(staged.files(), pick(str(self.folder / "one.png")))
            base, source = await read_source(api, self.space, self.request, retries)
            text = source.replace("five", "eight").replace(
                "Ask us.", "![One](staged:one.png) Ask us."
            )
            gone = await read_source(api, self.space, self.request, self.ids["limits"])
            await staged.stage(
                {
                    retries: PageEdit("update", base, source, text),
                    staged.new_page(): PageEdit(
                        "insert", base, text=f"---\ntitle: Letters\n---\n{LETTERS}", at=0
                    ),
                    self.ids["limits"]: PageEdit("delete", *gone),
                }
            )
        return ""

    async def begin(self) -> str:
        """Send all of it, until the process ends."""
        moments = Moments(self.at)
        await self.go_on(self.session(moments))
        os._exit(THROUGH)

    async def resume(self) -> str:
        """Go on as the next process does; return what is wrong then."""
        session = self.session(Moments(0))
        await recover(session)
        for entry in list(session.outbox.items):
            await session.outbox.drop(entry)  # what may have arrived: a person looks at the pages
        await self.go_on(session)
        return await self.wrong(session)

    async def go_on(self, session: Session) -> None:
        """Do what a person does until nothing is left."""
        if self.way == "apply":
            await self.apply(session)
        else:
            await self.send(session)

    async def send(self, session: Session) -> None:
        """Send what is staged, for a new change request where it was staged for one."""
        api = await session.ready()
        new = StagedPages(session, self.space, NEW_REQUEST)
        await new.read()
        request = self.request
        if self.way == "new":
            empty = await empty_requests(api, self.space, session.me)
            begun = [each.id for each in empty if each.id != self.request]
            if new.edits:
                if not begun:
                    write = beginning(self.space, ChangeRequestCreate(subject="Later"), session.me)
                    begun = [
                        (
                            await session.writes.perform(
                                write.what, write.target, lambda: write.send(api),
                                reversal=write.reversal,
                            )
                        ).id
                    ]  # fmt: skip
                await new.move_to(begun[0])
            moved = [each for _, each in session.staged.counts()]
            if not moved:
                return  # it has arrived
            request = moved[0]
        staged = StagedPages.of(session, self.space, request)
        await staged.read()
        await send_files(staged, target="#1")
        check = await check_edits(api, self.space, request, staged.edits)
        if check.open:
            raise AssertionError(check.open)
        await staged.stage(check.rebased)
        if requests_for(check):
            await send_edits(staged, check, target="#1")

    async def apply(self, session: Session) -> None:
        """Finish what was being applied, and apply what is open."""
        api, ids = await session.ready(), (self.space, self.request)
        await finish_applying(session, *ids)
        staged = StagedPages.of(session, *ids)
        await staged.read()
        threads = await read_threads(api, *ids)
        found = [each for each in map(suggested_in, threads) if each is not None]
        if found:
            texts = await read_texts(api, *ids, found)
            plan = plan_applying(ids, "#1", found, texts, staged.edits, session.now)
            await apply_plan(staged, plan)

    async def wrong(self, session: Session) -> str:
        """Return what is not as it is to be: pages, threads, requests, and what is kept here."""
        api = await session.ready()
        listed = await api(ops.list_space_change_requests, self.space, status="draft", limit=100)
        others = [each.id for each in listed.items if each.id != self.request]
        if len(others) != (self.way == "new"):
            return f"{len(others)} other requests"
        request = others[0] if others else self.request
        kept = session.staged.counts()
        if kept or session.applications.all() or session.journal.interrupted():
            return f"still kept: {kept} {session.journal.interrupted()}"
        tree = await api(ops.list_change_request_pages, self.space, request)
        files = {
            file.id async for file in api.pages(ops.list_change_request_files, self.space, request)
        }
        texts: dict[str, str] = {}
        for node in flatten(tree.pages):
            read = await api(
                ops.get_change_request_page, self.space, request, node.id, format="markdown"
            )
            texts[node.path] = read.markdown or ""
        texts = {path: FILE.sub("FILE", text) for path, text in texts.items()}
        if texts != WANTED[self.way] or len(files) != (self.way == "edits"):
            return f"the pages are {texts}, {files}"
        if self.way == "apply":
            threads = await read_threads(api, self.space, request)
            said = document_text(
                (await api(ops.get_change_request, self.space, request)).description
            )
            if (
                any(each.status != "resolved" for each in threads)
                or said.count("Suggested by") != 2
            ):
                return f"threads {[each.status for each in threads]}, {said!r}"
        return ""


def build(folder: Path) -> dict[str, str]:
    """Make the desk: a change request with two suggestions, and a picture to insert."""
    world = World(folder / "desk.db")
    space = world.space("Handbook", PAGES)
    request = world.change_request(space, {})
    ids = {"space": space, "request": request, "ana": world.ana}
    for path in PAGES:
        ids[path] = world.page_id(space, path, change_request=request)
    for name, line, new in (
        ("Mara", 3, "After eight failures it is dropped."),
        ("Kofi", 5, "Write to us."),
    ):
        by = world.user(name.lower(), display_name=name)
        made = suggest(TEXT, line - 1, line - 1, [new])
        assert made is not None
        node, said = made
        world.comment(space, said, by=by, change_request=request, page=ids["retries"], node=node)
    world.close()
    (folder / "one.png").write_bytes(b"\x89PNG\r\n\x1a\n one")
    return ids


def go_through(
    root: Path,
    build: Callable[[Path], dict[str, str]],
    trial_of: Callable[[Path, Mapping[str, str], str, int], Trial],
    moments: Iterable[tuple[str, int]],
) -> int:
    """End a process at each of the moments, by way; return 1 when one went wrong."""
    assert "textual" not in sys.modules
    (root / "desk").mkdir()
    ids = build(root / "desk")
    load_operations()
    failed, ended = 0, set[str]()
    for way, at in moments:
        if way in ended:
            continue
        folder = root / f"{way}{at}"
        shutil.copytree(root / "desk", folder)
        trial = trial_of(folder, ids, way, at)
        went = in_own_process(trial.stage)
        began = in_own_process(trial.begin)
        if began == THROUGH:
            ended.add(way)
            began = 0
        went |= began | in_own_process(trial.resume)
        failed |= went
        sys.stdout.write(f"{folder.name}: {went} {'' if went else 'the same'}\n")
        shutil.rmtree(folder)
    return int(bool(failed))


def main(
    build: Callable[[Path], dict[str, str]],
    trial_of: Callable[[Path, Mapping[str, str], str, int], Trial],
    ways: Iterable[str],
    few: Iterable[tuple[str, int]],
) -> int:
    """Go through all moments of some ways, or with ``--few`` through those few."""
    moments = ((way, at) for way in ways for at in range(1, MOST))
    with TemporaryDirectory() as scratch:
        chosen = sorted(few) if "--few" in sys.argv else moments
        return go_through(Path(scratch), build, trial_of, chosen)


if __name__ == "__main__":
    sys.exit(main(build, Trial, WANTED, FEW))
