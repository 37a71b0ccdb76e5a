"""Driving the terminal in tests: press keys, wait until nothing is under way, read the screen.

No sleeps: `idle` waits for the workers, reads, writes, threads and list loads themselves, and for
an event loop that has nothing left to run. (Textual's own pilot sleeps a fixed time, several times
for each key, and looks at the processor's load instead.)
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any
from unicodedata import lookup

from textual import events
from textual._context import visible_screen_stack
from textual.keys import _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from copydesk.domain.text import clean
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.frame import Part, Parts
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Place
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.text import TextView

GOLDEN = Path(__file__).parent / "golden"

ROUNDS = 400
"""After how many rounds of waiting something is taken to hang."""

PATIENCE = 30.0
"""Seconds after which what was waited for is taken to never come; a busy machine is slow."""

SOON = 0.01
"""Seconds within which a timer is waited for."""

READS = 5.0
"""Seconds for which somebody looks at the screen before the next key, on the clock of the keys."""

FRAMES = 10
"""How many timers in a row are waited for: one that starts itself anew rings for ever."""


UNSEEN: set[object] = set()
"""Applications at whose screen nobody looks now: what is dirty waits to be drawn."""


class Driver:
    """An app that runs without a terminal.

    Its screen is drawn when a test looks at it, or else, where it ``draws``, once after each key.
    """

    def __init__(
        self,
        app: CopydeskApp,
        pilot: Pilot[None],
        threads: set[asyncio.Future[Any]] | None = None,
        *,
        draws: bool = False,
    ) -> None:
        self.app = app
        self.pilot = pilot
        self._draws = draws
        self._later = 0.0
        """How much later than this machine's clock keys come."""
        self.walk: Walk | None = None
        """Who hears what each key does, in linear mode."""
        self.keep_time()
        self._threads = count_threads() if threads is None else threads
        self._loop: Any = asyncio.get_running_loop()
        self._seen: tuple[object, str] | None = None
        """The screen as it was drawn last, and what the event loop runs before it can change."""

    def keep_time(self) -> None:
        """Have the keyboard go by the clock of the keys."""
        self.app.keyboard.clock = lambda: monotonic() + self._later

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
        from copydesk.tui.framework.actions import chord

        for key in keys:
            self._later += READS  # they look at what the key before did
            *begun, last = chord(key)
            for name in begun:
                await self.send(name)
            self._key(last)
            await self.idle()
            self._told(key)

    def _told(self, typed: str) -> None:
        if self.walk is not None:
            self.walk.hear(typed)

    async def type(self, text: str) -> None:
        """Type text letter by letter, each acted on before the next."""
        self._read()
        for letter in text:
            self._key("space" if letter == " " else letter)
            await self._run()
        await self.idle()
        self._told(text)

    async def paste(self, text: str) -> None:
        """Paste a text as a terminal says it, into what has the focus."""
        event = events.Paste(text)
        event.set_sender(self.app)  # as the driver's own; it goes down from the app, and not up
        self.app.post_message(event)
        await self.idle()
        self._told(text)

    async def burst(self, *keys: str) -> None:
        """Press keys faster than anything is drawn, as a paste or a slow line brings them."""
        self._read()
        for key in keys:
            self._key(key)
        await self.idle()
        self._told(" ".join(keys))

    async def send(self, *keys: str) -> None:
        """Give the app keys and let it act on them, without waiting for what that starts."""
        self._read()
        for key in keys:
            self._key(key)
        await self.settle()

    def _read(self) -> None:
        """Look at the question in front for so long that it can have been read."""
        if isinstance(self.app.screen, Sheet):
            self._later += READS

    def press_at(self, time: float, key: str) -> None:
        """Press a key at a time on the clock of the keys."""
        self._key(key, time)

    def _key(self, key: str, time: float | None = None) -> None:
        name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
        try:
            letter: str | None = lookup(_get_unicode_name_from_key(name))
        except KeyError:
            letter = key if len(key) == 1 else None
        event = events.Key(name, letter)
        event.time = event.time + self._later if time is None else time
        event.set_sender(self.app)
        assert self.app._driver is not None
        self.app._driver.send_message(event)

    async def idle(self) -> None:
        """Wait until no read, write, load or worker is under way."""
        quiet = 0
        for _ in range(ROUNDS):
            tasks = await self.settle(final=True)
            # A message may be on its way to the place that will read: quiet once is not enough.
            quiet = 0 if tasks else quiet + 1
            if quiet == 2:
                return
            if tasks:
                await asyncio.wait(tasks, timeout=0.25)
        raise AssertionError(f"still under way: {tasks}")

    async def settle(self, *, final: bool = False) -> list[asyncio.Future[Any]]:
        """Let the event loop run until it has nothing ready.

        A timer that is about to ring is waited for; one that rings later is not. With ``final``
        the screen of one that ``draws`` is drawn then, once, unless something is still under way:
        that is returned.
        """
        UNSEEN.add(self.app)
        try:
            return await self._settle(final=final)
        finally:
            if self._draws:
                UNSEEN.discard(self.app)

    async def _settle(self, *, final: bool) -> list[asyncio.Future[Any]]:
        loop: Any = asyncio.get_running_loop()
        animator = self.app.animator
        for _ in range(FRAMES):
            await self._run()
            if final:
                tasks = self._pending()
                if tasks and not self.app.screen._callbacks:
                    return tasks
                here = self.app.here
                if here is not None and here.reads.pause.asked:
                    here.reads.pause.stop()
                    here.refresh_frame()
            for under in self.app._background_screens:
                # Its clock is asked: what was drawn there once says that it is to be drawn again.
                clock: Any = under._update_timer
                if clock._active.is_set():
                    under._on_timer_update()
            self.app.screen._on_timer_update()
            if animator._animations:
                await animator.wait_until_complete()
            screen = self.app.screen
            undrawn = screen._callbacks or screen._dirty_widgets or screen._layout_required
            due = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
            soon = min(due, default=inf) - loop.time()
            if not (loop._ready or undrawn) and soon > SOON:
                if not (final and self._draws and screen._compositor._dirty_regions):
                    break
                # What is drawn may find out more, as how high a text is.
                UNSEEN.discard(self.app)
                screen._compositor_refresh()
                UNSEEN.add(self.app)
                continue
            await asyncio.sleep(max(0.0, min(soon, SOON)) if not loop._ready else 0)
        return self._pending() if final else []

    async def _run(self) -> None:
        """Let the event loop run until it has nothing ready."""
        loop: Any = asyncio.get_running_loop()
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
            if not loop._ready:
                break

    async def turn(self) -> None:
        """Wait a moment for what threads do, and let the event loop run."""
        threads = [thread for thread in self._threads if not thread.done()]
        if threads:
            await asyncio.wait(threads, timeout=0.25)
        await self.settle()

    def _pending(self) -> list[asyncio.Future[Any]]:
        return [task for task in (*self._under_way(), *self._threads) if not task.done()]

    def _under_way(self) -> list[asyncio.Future[Any]]:
        app = self.app
        tasks: list[asyncio.Future[Any]] = list(app.session.writes.writing)
        if app.awake is not None:
            tasks.append(app.awake)
        if app.runs._runner is not None:
            tasks.extend(app.runs._runner.busy)
        if app.runs.looking is not None:
            tasks.append(app.runs.looking)
        if app.keyboard.early.task is not None:
            tasks.append(app.keyboard.early.task)
        if app.session._arranger is not None:
            tasks.extend(app.session._arranger.busy)
        leading = app.keyboard.early._leading  # an action reads what it goes on with
        if leading is not None and app.keyboard.early._leads and leading.worker._task is not None:
            tasks.append(leading.worker._task)
        for screen in app.screen_stack:
            if isinstance(screen, Place):
                tasks.extend(screen.reads.loads)
            for pane in screen.walk_children(Pane):
                if isinstance(pane, TextView):
                    may_run: tuple[object, ...] = (pane,)
                elif isinstance(pane, VirtualList):
                    may_run = (pane.source, pane.source.base)
                else:
                    continue
                running = (getattr(each, "running", None) for each in may_run)
                tasks.extend(task for task in running if task is not None)
        return tasks

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        # It waits until each part has heard of it: one that shows only then begins to read.
        await self.pilot.resize_terminal(width, height)
        await self.idle()

    @property
    def screen(self) -> str:
        """What a person sees, as text; drawn once for all that is asked before anything runs."""
        ready = self._loop._ready
        if self._seen is None or list(ready) != [self._seen[0]]:
            text = screen_text(self.app)
            self._seen = self._loop.call_soon(lambda: None), text
        return self._seen[1]

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


WALKS: list[Path] = []
"""The file of the transcripts of the test that runs, where the suite is walked in linear mode."""


@asynccontextmanager
async def drive(
    app: CopydeskApp,
    *keys: str,
    size: tuple[int, int] = (80, 24),
    draws: bool = False,
    linear: bool = False,
) -> AsyncIterator[Driver]:
    """Run an app without a terminal, press keys, and hand over a `Driver`.

    In ``linear`` mode, or where all are walked in it (``make linear``), what each key does is also
    told: what harms a terminal in it, a key without an answer, and one that says a thing twice
    fail. The transcript is that of ``driver.walk``.
    """
    threads = count_threads()
    if not draws:
        UNSEEN.add(app)
    try:
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot, threads, draws=draws)
            await driver.idle()
            if linear or WALKS:
                driver.walk = Walk(driver)
            if keys:
                await driver.press(*keys)
            yield driver
            if WALKS and driver.walk is not None:
                driver.walk.write(WALKS[-1])
    finally:
        UNSEEN.discard(app)
    app.session.drafts.flush()  # as `run_to_the_end` does


class Listener:
    """Drives an app in linear mode: lines go in, and what it tells is kept as a transcript."""

    def __init__(self, driver: Driver) -> None:
        from copydesk.tui.linear.line_loop import LineLoop  # other tests draw

        self.driver = driver
        self.transcript: list[str] = []
        self.said: list[str] = []
        """What was told since the last line."""
        self.loop = LineLoop(driver.app, self._say, driver.idle)

    def _say(self, text: str) -> None:
        assert clean(text, lines=True) == text, f"a code is told: {text!r}"
        self.said.append(text)
        self.transcript.append(text)

    async def take(self, *lines: str) -> str:
        """Type lines, each once what the one before it did is told; return what the last told."""
        for line in lines:
            self.said.clear()
            self.transcript.append(f"> {line}")
            await self.loop.take(line)
            await self.driver.idle()
        return "\n".join(self.said)

    def golden(self, name: str, *, update: bool) -> None:
        """Compare all that was typed and told with ``tests/golden/linear-<name>.txt``."""
        compare_golden(f"linear-{name}", "\n".join(self.transcript), update=update)


class Walk(Listener):
    """Hears in linear mode what the keys of a scenario do, which presses them as on the screens."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        driver.keep_time()
        self.loop._announce()

    def hear(self, typed: str) -> None:
        """Have told what a key did, or several."""
        self.transcript.append(f"> {typed}")
        self.said.clear()
        self.loop._answered = False
        self.loop._announce()
        typing = isinstance(self.driver.app.screen.focused, Input | TextArea)
        assert self.said or typing or not self.driver.app.is_running, (
            f"{typed} was not answered:\n{self.text[-1000:]}"
        )
        twice = [each for each, times in Counter(self.said).items() if times > 1]
        assert not twice, f"{typed} said twice {twice}"

    @property
    def text(self) -> str:
        """All that was typed and told."""
        return "\n".join(self.transcript)

    def write(self, path: Path) -> None:
        """Add the transcript to a file."""
        with path.open("a", encoding="utf-8") as opened:
            opened.write(f"{self.text}\n\n")


@asynccontextmanager
async def listen(app: CopydeskApp, *lines: str) -> AsyncIterator[Listener]:
    """Run an app in linear mode without a terminal, type lines, and hand over a `Listener`."""
    from copydesk.tui.linear_driver import SIZE

    async with drive(app, size=SIZE) as driver:
        listener = Listener(driver)
        await listener.loop.begin()
        await listener.take(*lines)
        yield listener


def count_threads() -> set[asyncio.Future[Any]]:
    """Return a set that holds the work given to threads, from now on, until it is done."""
    loop = asyncio.get_running_loop()
    give = loop.run_in_executor
    threads: set[asyncio.Future[Any]] = set()

    def counted(executor: Any, work: Any, *args: Any) -> asyncio.Future[Any]:
        given = give(executor, work, *args)
        threads.add(given)
        given.add_done_callback(threads.discard)
        return given

    loop.run_in_executor = counted  # type: ignore[assignment,method-assign]
    return threads


def screen_text(app: CopydeskApp) -> str:
    """Return the screen in front as lines of text without trailing blanks."""
    visible_screen_stack.set(app._background_screens)  # what is seen around a sheet
    lines = app.screen._compositor.render_strips(app.size)
    place = app.here
    parts = [] if place is None else [*place.query(Part)]
    # Rows that are drawn cut ask for room: as a person sees them is how they are drawn then.
    while place is not None and any(part._layout_required for part in parts):
        for part in parts:
            part._layout_required = False
        place.query_one(Parts)._clear_arrangement_cache()
        place._refresh_layout()
        lines = app.screen._compositor.render_strips(app.size)
    return "\n".join(line.text.rstrip() for line in lines)


def compare_golden(name: str, text: str, *, update: bool, ending: str = "txt") -> None:
    """Compare text with a golden file, or write it when ``update`` is asked for."""
    path = GOLDEN / f"{name}.{ending}"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        return
    assert path.is_file(), f"{path.name} is missing: run with --update-golden and look at it"
    expected = path.read_text(encoding="utf-8")
    assert text + "\n" == expected, f"the screen is not {path.name} (--update-golden?):\n{text}"


async def eventually(true: Callable[[], bool], turn: Callable[[], Awaitable[object]]) -> None:
    """Take turns until something is true, for what no task stands for."""
    end = monotonic() + PATIENCE
    while not true():
        assert monotonic() < end, "it never came true"
        await turn()
