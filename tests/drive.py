"""Driving the terminal in tests: press keys, wait until nothing is under way, read the screen.

No sleeps: `idle` waits for the workers, reads, writes and list loads themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from copydesk.tui.app import CopydeskApp
from copydesk.tui.place import Place
from copydesk.tui.widgets.virtual_list import VirtualList

GOLDEN = Path(__file__).parent / "golden"

ROUNDS = 400
"""After how many rounds of waiting something is taken to hang."""


class Driver:
    """An app that runs without a terminal."""

    def __init__(self, app: CopydeskApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def place(self) -> Place:
        """The place in front."""
        place = self.app.here
        assert place is not None
        return place

    @property
    def selected(self) -> str | None:
        """The id under the cursor of the pane in focus."""
        selected: str | None = getattr(self.place.pane, "selected_id", None)
        return selected

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, as people type them (``"g s"`` is two)."""
        from copydesk.tui.keys import chord

        for key in keys:
            for name in chord(key):
                await self.pilot.press(name)
        await self.idle()

    async def type(self, text: str) -> None:
        """Type text letter by letter."""
        await self.pilot.press(*("space" if letter == " " else letter for letter in text))
        await self.idle()

    async def idle(self) -> None:
        """Wait until no read, write, load or worker is under way and the screen is drawn."""
        quiet = 0
        for _ in range(ROUNDS):
            await self.pilot.pause()
            if self.app.here is not None and self.app.here.frame_due:
                self.app.here.refresh_frame()
            tasks = [task for task in self._under_way() if not task.done()]
            # A message may be on its way to the place that will read: quiet once is not enough.
            quiet = 0 if tasks else quiet + 1
            if quiet == 2:
                return
            if tasks:
                await asyncio.wait(tasks, timeout=0.25)
        raise AssertionError(f"still under way: {tasks}")

    def _under_way(self) -> list[asyncio.Task[Any]]:
        app = self.app
        tasks: list[asyncio.Task[Any]] = list(app.session.writing)
        if app.awake is not None:
            tasks.append(app.awake)
        for screen in app.screen_stack:
            if isinstance(screen, Place):
                tasks.extend(screen.loads)
            for rows in screen.query(VirtualList):
                for source in (rows.source, rows.source.base):
                    running = getattr(source, "running", None)
                    if running is not None:
                        tasks.append(running)
        return tasks

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        await self.pilot.resize_terminal(width, height)
        await self.idle()

    @property
    def screen(self) -> str:
        """What a person sees, as text."""
        return screen_text(self.app)

    def line(self, containing: str) -> str:
        """Return the first line of the screen that contains the text; fails when none does."""
        for line in self.screen.splitlines():
            if containing in line:
                return line
        raise AssertionError(f"{containing!r} is not on the screen:\n{self.screen}")

    def golden(self, name: str, *, update: bool = False) -> None:
        """Compare the screen with ``tests/golden/<name>.<width>x<height>.txt``."""
        size = self.app.size
        compare_golden(f"{name}.{size.width}x{size.height}", self.screen, update=update)


@asynccontextmanager
async def drive(
    app: CopydeskApp, *keys: str, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Driver]:
    """Run an app without a terminal, press keys, and hand over a `Driver`."""
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.idle()
        if keys:
            await driver.press(*keys)
        yield driver


def screen_text(app: CopydeskApp) -> str:
    """Return the screen in front as lines of text without trailing blanks."""
    lines = app.screen._compositor.render_strips(app.size)
    return "\n".join(line.text.rstrip() for line in lines)


def compare_golden(name: str, text: str, *, update: bool) -> None:
    """Compare text with a golden file, or write it when ``update`` is asked for."""
    path = GOLDEN / f"{name}.txt"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        return
    assert path.is_file(), f"{path.name} is missing: run with --update-golden and look at it"
    expected = path.read_text(encoding="utf-8")
    assert text + "\n" == expected, f"the screen is not {path.name} (--update-golden?):\n{text}"


async def eventually(true: Callable[[], bool], turn: Callable[[], Awaitable[None]]) -> None:
    """Take turns until something is true, for what no task stands for."""
    for _ in range(ROUNDS):
        if true():
            return
        await turn()
    raise AssertionError("it never came true")
