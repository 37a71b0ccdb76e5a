"""The driver of linear mode: it draws nothing, reads lines, and hands them to a loop.

No escape code is written and no mode of the terminal is changed: lines are only added. A line is
read when the one before is answered, so that an editor may have the terminal in between.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual.driver import Driver
from textual.geometry import Size

from copydesk.domain.text import clean
from copydesk.tui.linear.idle import coming, settled
from copydesk.tui.linear.line_loop import LineLoop
from copydesk.tui.terminal_driver import Outlet, browse

if TYPE_CHECKING:
    from textual.app import App

    from copydesk.tui.app import CopydeskApp

SIZE = Size(140, 40)
"""What the screens are laid out for: every part of them is there, whatever is not seen."""

PROMPT = "> "

READ_BYTES = 65_536


class LinearDriver(Driver):
    """Tells a program in words, and reads what to do line by line."""

    def __init__(self, app: App[Any], *, size: tuple[int, int] | None = None, **asked: Any) -> None:
        super().__init__(app, size=size or SIZE, **asked)
        self._desk = cast("CopydeskApp", app)
        assert sys.__stdout__ is not None
        self._outlet = Outlet(sys.__stdout__, self._lost, ascii_only=not self._desk.utf8)
        self._home = asyncio.get_running_loop()
        self._talk: asyncio.Task[None] | None = None
        self._asking = False
        """Whether the prompt is the last line, and no line was typed behind it."""
        self._lines = Lines(0, "utf-8" if self._desk.utf8 else "latin-1")

    @property
    def can_suspend(self) -> bool:
        """Whether an editor may have the terminal: nothing is read meanwhile."""
        return True

    def write(self, data: str) -> None:
        """Draw nothing."""

    def say(self, text: str) -> None:
        """Add a line for who listens, with nothing in it that a terminal might act on."""
        self._outlet.write(f"{clean(text, lines=True)}\n")
        self._outlet.flush()

    def start_application_mode(self) -> None:
        """Lay out the screens, and begin to talk; after an editor it goes on."""
        self._desk.post_message(events.Resize(SIZE, SIZE))
        if self._talk is None:
            self._talk = asyncio.create_task(self._converse(), name="linear mode")

    def stop_application_mode(self) -> None:
        """Change nothing: the terminal is as it was."""

    def disable_input(self) -> None:
        """Ask for no further line."""
        if self._talk is not None:
            self._talk.cancel()

    def close(self) -> None:
        """Write what waits, and end the line of a prompt that nobody answered."""
        if self._asking:
            self._asking = False
            self.say("")
        self._outlet.flush()

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Open an address in a browser, in a process that knows nothing of a token."""
        browse(url, new_tab=new_tab)

    def _lost(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._home.call_soon_threadsafe(self._desk.sudden_end.hung_up)

    async def _converse(self) -> None:
        try:
            await self._talk_on()
        except Exception as error:  # noqa: BLE001 - the edge of a task: as from a key
            self._desk.failed(error)

    async def _talk_on(self) -> None:
        desk = self._desk

        def starts() -> bool:
            return desk.waking or desk.goes_on

        loop = LineLoop(desk, self.say, lambda: settled(desk, self.say, starts, loop.tell_steps))
        await loop.begin()
        typed = os.isatty(0)
        while desk.is_running:
            hides = loop.hides
            if typed:
                self._outlet.write(PROMPT)
                self._outlet.flush()
            with unseen(0) if typed and hides else nullcontext():
                self._asking = typed
                line = await coming(desk, self._lines.next(), self.say)
            if line is None:
                await self._end()
                return
            self._asking = False
            if not typed or hides:
                self.say("" if typed else f"{PROMPT}{'' if hides else line}")
            await loop.take(line)

    async def _end(self) -> None:
        """Quit, since nobody types any more: what waits to be sent is sent first."""
        writes = self._desk.session.writes
        while writing := writes.writing:
            writes.send_now()
            done, _ = await asyncio.wait(writing)
            if any(each.cancelled() or each.exception() for each in done):
                break
        self._desk.exit()


@contextmanager
def unseen(terminal: int) -> Iterator[None]:
    """Have a terminal not show what is typed."""
    import termios

    attributes = termios.tcgetattr(terminal)
    hidden = [*attributes]
    hidden[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, hidden)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)


class Lines:
    """The lines of a file, read by a thread that ends with the program, whatever it waits for."""

    def __init__(self, file: int, encoding: str) -> None:
        self._file, self._encoding = file, encoding
        self._read = b""
        self._over = False

    async def next(self) -> str | None:
        """Return the next line without its end; None after the last."""
        loop = asyncio.get_running_loop()
        while b"\n" not in self._read and not self._over:
            came: asyncio.Future[bytes] = loop.create_future()
            threading.Thread(
                target=self._wait, args=(loop, came), name="lines", daemon=True
            ).start()
            data = await came
            self._over = not data
            self._read += data
        if not self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        return line.removesuffix(b"\r").decode(self._encoding, "replace")

    def _wait(self, loop: asyncio.AbstractEventLoop, came: asyncio.Future[bytes]) -> None:
        try:
            data = os.read(self._file, READ_BYTES)
        except OSError:
            data = b""

        def give() -> None:
            if not came.done():
                came.set_result(data)

        with suppress(RuntimeError):  # the program has ended
            loop.call_soon_threadsafe(give)
