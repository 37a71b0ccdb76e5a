"""A merge run whose process ends before or after any of its writes, and what the next one does.

``python -m tests.tui.killing_runs FOLDER``: for each write of a run of two requests (merge, update,
merge) a process is ended just before it is sent, and another just after it
was answered. The next process finds the run on the disk and goes on. Each request must be merged
once, with its own text. Prints a line for each, and exits with 1 when one went wrong.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from functools import partial
from pathlib import Path

import httpx

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.merge_run import MergeRun
from copydesk.local.runs import Runs
from copydesk.local.state import State
from copydesk.server import content
from copydesk.server.app import create_app
from copydesk.server.store import Store, Tx
from copydesk.session.change_rows import row_of
from copydesk.session.runs.merge import MergeRunner
from copydesk.session.session import Session
from tests.tui.own_process import in_own_process, load_operations
from tests.world import World

WRITES = ("merge_change_request", "pull_change_request_updates", "merge_change_request")
"""What a run of two requests of one space writes."""

PAGES = {name: f"# {name}\n\nOld.\n" for name in ("one", "two")}


class Ending(httpx.AsyncBaseTransport):
    """A way to the desk that ends the process at its ``at``-th write, before or after it."""

    def __init__(self, store: Store, ana: str, at: int, *, before: bool) -> None:
        self._desk = httpx.ASGITransport(create_app(store, sessions={"token": ana}))
        self._left, self._before = at, before

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._left -= request.method != "GET"
        if request.method != "GET" and self._left == 0 and self._before:
            os._exit(0)
        answer = await self._desk.handle_async_request(request)
        if request.method != "GET" and self._left == 0:
            os._exit(0)
        return answer


async def begin(folder: Path, names: dict[str, str], at: int, *, before: bool) -> str:
    """Plan a run and go through it until the process ends."""
    runner, api = await _runner(folder, names, at, before=before)
    assert await runner.find_interrupted() == ""
    found = [await api(ops.get_change_request, names["space"], names[page]) for page in PAGES]
    await runner.plan([row_of(request) for request in found])
    await asyncio.gather(*runner.busy)
    assert runner.why_not_ready() is None, runner.why_not_ready()
    await runner.start()
    await asyncio.gather(*runner.busy)
    return f"the process was to end at write {at}: {runner.run}"


async def resume(folder: Path, names: dict[str, str]) -> str:
    """Go on as the next process does; return what is wrong then."""
    runner, _ = await _runner(folder, names, 0, before=True)
    said = await runner.find_interrupted()
    await runner.go_on()
    await asyncio.gather(*runner.busy)
    run = runner.run
    if run is None or run.state != "finished" or run.count("done") != len(PAGES):
        return f"the run is {run}"
    if "A merge run stopped at" not in said:
        return f"it said {said!r}"
    return ""


async def _runner(
    folder: Path, names: dict[str, str], at: int, *, before: bool
) -> tuple[MergeRunner, Api]:
    store = Store(folder / "desk.db", durable=False)
    api = Api("http://desk", "token", transport=Ending(store, names["ana"], at, before=before))

    async def connect() -> Api:
        return api

    session = Session(connect, runs=Runs(State(folder / "state.db"), "desk"))
    return MergeRunner(session, lambda said, tone: None), api


def build(folder: Path) -> dict[str, str]:
    """Make the desk, with one request for each page."""
    world = World(folder / "desk.db")
    space = world.space("Handbook", PAGES)
    names = {"space": space, "ana": world.ana}
    for page in PAGES:
        names[page] = world.change_request(space, {page: f"# {page}\n\nNew.\n"}, subject=page)
    world.close()
    return names


def wrong(folder: Path, names: dict[str, str]) -> str:
    """Return what is wrong with the desk."""

    def look(tx: Tx) -> str:
        merges = tx.value("SELECT count(*) FROM revision WHERE type = 'merge'")
        open_ = tx.value("SELECT count(*) FROM change_request WHERE status != 'merged'")
        main = tx.value("SELECT revision_id FROM space WHERE id = ?", names["space"])
        draft = content.open_draft(tx, content.load(tx, main))
        texts = [content.text(tx, page.text) for page in draft.pages.values() if page.text]
        new = sum(text.endswith("New.\n") for text in texts)
        if (merges, open_, new) != (len(PAGES), 0, len(PAGES)):
            return f"{merges} merges, {open_} not merged, {new} texts"
        return ""

    store = Store(folder / "desk.db")
    try:
        return store.read(look)
    finally:
        store.close()


def main(root: Path) -> int:
    """Go through all of it."""
    (root / "desk").mkdir()
    names = build(root / "desk")
    load_operations()
    Runs(State(root / "state.db"), "desk").save(MergeRun("first"))
    failed = 0
    for at in range(1, len(WRITES) + 1):
        for before in (True, False):
            folder = root / f"{at}{'before' if before else 'after'}"
            shutil.copytree(root / "desk", folder)
            went = in_own_process(partial(begin, folder, names, at, before=before))
            went |= in_own_process(partial(resume, folder, names))
            said = wrong(folder, names)
            failed |= went or bool(said)
            sys.stdout.write(f"{folder.name}: {went} {said or 'each once'}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
