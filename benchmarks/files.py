"""Through how many of our files three tasks lead: what who follows one has to read.

A file counts where one of its functions is called while the task is done, in any thread; importing
does not, since every task is done once before. What the desk calls to answer is counted apart: it
is the other side of the wire. What the tests' driver asks to know whether to wait is not counted.
The clock stands: whether it ticks within a task is chance.
Target: 70 files for each task, and fewer is better.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any

import tests
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import ReviewWorld
from tests.tui.site_world import publish
from tests.world import World

import copydesk
from benchmarks.terminal import table
from copydesk.session.target import Target
from copydesk.tui import app

GOAL = 70
SOURCE = f"{Path(copydesk.__file__).parent}/"
DESK = f"{SOURCE}server/"
TESTS = f"{Path(tests.__file__).parent}/"
SIZE = (140, 40)
LAYERS = ("tui", "present", "session", "local", "client", "domain", "contract")


class Entered:
    """The files entered while it counts, with how many calls went into each."""

    def __init__(self) -> None:
        self._counts = False
        self.calls: Counter[str] = Counter()
        self.desk: Counter[str] = Counter()

    def install(self) -> None:
        """See every call, also those of threads that begin from now on."""
        threading.setprofile(self._called)
        sys.setprofile(self._called)

    def remove(self) -> None:
        """See no call any more."""
        sys.setprofile(None)
        threading.setprofile(None)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is called within."""
        self._counts = True
        try:
            yield
        finally:
            self._counts = False

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._counts and event == "call":
            name = frame.f_code.co_filename
            if name.startswith(SOURCE) and (side := _side_of(frame.f_back)):
                calls = self.desk if side == "desk" else self.calls
                calls[name.removeprefix(SOURCE)] += 1

    def files(self, layer: str) -> list[str]:
        """Return the files of a layer that were entered."""
        return sorted(name for name in self.calls if name.split("/")[0] == layer)


def _side_of(frame: FrameType | None) -> str:
    """Return for whom a frame calls: "desk", "task", or "" for the tests' driver."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(DESK):
            return "desk"
        if name.startswith(TESTS):
            return ""
        if not name.startswith(SOURCE):
            return "task"
        frame = frame.f_back
    return "task"


async def comment(world: World, entered: Entered) -> None:
    """Type a comment in a review and send it."""
    review = ReviewWorld(world)
    async with drive(review.app(), "]", size=SIZE, draws=True) as driver:
        with entered.counting():
            await driver.press("c")
            await driver.type("Why not ten?")
            await driver.press("ctrl+s")
        assert review.open_threads() == 1, driver.screen


async def requests(world: World, entered: Entered) -> None:
    """Start the program at the list of change requests."""
    review = ReviewWorld(world)
    with entered.counting():
        target = Target(world.home, space=review.space)
        async with drive(open_world(world, "changes", target), size=SIZE, draws=True) as driver:
            assert "Webhook retries" in driver.screen


async def move(world: World, entered: Entered) -> None:
    """Move a section of a site, and send that."""
    published = publish(world)
    target = Target(world.home, site=published.site)
    async with drive(open_world(world, "site-structure", target), size=SIZE, draws=True) as driver:
        with entered.counting():
            await driver.press("J", "ctrl+s")
            await eventually(lambda: "send 1 call" in driver.screen, driver.idle)
            await driver.press("y")
            await eventually(lambda: "1 call sent" in driver.screen, driver.idle)
        assert (await published.order())[:2] == ["API reference", "Guides"]


TASKS: dict[str, Callable[[World, Entered], Coroutine[Any, Any, None]]] = {
    "comment typed and sent in a review": comment,
    "list of change requests opened": requests,
    "section moved and applied": move,
}


def run(names: Sequence[str] = ()) -> None:
    """Do every task twice, and print what the second time led through; ``--files`` lists them."""
    app.TICK_SECONDS = 3600.0
    rows, lists = [], []
    for name, task in TASKS.items():
        for _ in range(2):
            entered, world = Entered(), World()
            entered.install()
            try:
                asyncio.run(task(world, entered))
            finally:
                entered.remove()
                world.close()
        files = {layer: entered.files(layer) for layer in LAYERS}
        lists += [name, *(f"  {entered.calls[each]:>6,} {each}" for each in chain(*files.values()))]
        rows.append(
            (
                name,
                *(str(len(each)) for each in files.values()),
                str(sum(map(len, files.values()))),
                str(len(entered.desk)),
                f"{entered.calls.total() + entered.desk.total():,}",
            )
        )
    table(
        f"Files that a task leads through (goal: {GOAL} without the desk)",
        ("task", *LAYERS, "together", "desk", "calls"),
        rows,
    )
    if "--files" in names:
        print("", *lists, sep="\n")


if __name__ == "__main__":
    run(sys.argv[1:])
