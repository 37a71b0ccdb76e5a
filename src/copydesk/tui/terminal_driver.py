"""The way to the terminal, made to bear what happens to terminals (docs/terminal.md).

Textual's driver does the talking; this one adds what it leaves open: a terminal that goes away
while it is written to or read from, stopping and going on at any moment, sizes that no screen has,
bytes that are no text, and terminals that show nothing but ASCII. POSIX only.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import selectors
import signal
import struct
import sys
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO, cast

from rich.cells import cell_len
from textual import events
from textual.constants import ESCAPE_DELAY
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

from copydesk.local import browser, preface
from copydesk.local.child_processes import run
from copydesk.tui.framework.inside_textual import (
    limit_size,
    may_restart,
    terminal_parser,
    write_through,
    writer_of,
)

if TYPE_CHECKING:
    from textual.app import App
    from textual.message import Message

    from copydesk.present.background import Background
    from copydesk.present.graphics import Graphics
    from copydesk.tui.app import CopydeskApp

FRAME_BEGINS, FRAME_ENDS = "\x1b[?2026h", "\x1b[?2026l"
"""What Textual writes before and after the parts of a frame, for the terminal to show it whole."""

RESTORE = (
    f"{FRAME_ENDS}"  # of a frame that was not ended
    "\x1b[?2004l\x1b[?7h"  # bracketed paste, line wrap
    "\x1b[?2048l\x1b[?2031l"  # reports of the size, of the colours
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # the mouse
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"  # keyboard, screen, cursor, focus
    "\x1b[0m"
)
"""What puts back everything that is ever switched on."""

EMPTY = f"{FRAME_ENDS}\x1b[0m\x1b[H\x1b[2J"
"""What leaves nothing of the screens on a terminal without a second screen.

Such are the Linux console and, unless told otherwise, GNU screen. What is said afterwards would be
between the lines of the last frame there.
"""

CLEARING = "\x1b[?1049h"
"""What takes the second screen, and clears it, also where it is taken already."""

KEYBOARD = "\x1b[>1u"
"""Has terminals with Kitty's keyboard protocol tell keys apart that are the same otherwise.

Textual has them tell of each key by a number, letters too: whoever is left with that, as the
program is killed, cannot even type ``reset``.
"""

MOST = Size(600, 200)
"""The largest size drawn; a larger terminal is filled in part, for a frame would take seconds."""

TICK_SECONDS = 0.1
"""How often is looked whether a lone Escape is one, for a while after something was read."""

UNSETTLED_SECONDS = 2 * (ESCAPE_DELAY + TICK_SECONDS)
"""For how long after something was read it may be the beginning of something longer."""

_OTHER = re.compile(r"[^\x00-\x7f]+")
_ALIKE = str.maketrans("…·→←—–“”‘’×•│─┌┐└┘├┤┬┴┼", "~.><--\"\"''x*|-+++++++++")


def as_ascii(text: str) -> str:
    """Return text with something of the same width for each sign that is not ASCII."""
    if text.isascii():
        return text
    return _OTHER.sub(_stand_in, text)


def _stand_in(found: re.Match[str]) -> str:
    alike = found[0].translate(_ALIKE)
    if alike.isascii() and cell_len(found[0]) == len(alike):
        return alike
    said = "".join(each if each.isascii() else "?" * cell_len(each) for each in alike)
    width = cell_len(found[0])
    return said[:width].ljust(width, "?")


def _drawn(columns: int, rows: int) -> Size:
    return Size(min(columns or 80, MOST.width), min(rows or 24, MOST.height))


def browse(url: str, *, new_tab: bool = True) -> None:
    """Open an address in a browser, in a process that knows nothing of a token.

    Python's own way to a browser hands on all of this process's environment.
    """
    command = [sys.executable, "-I", "-m", "webbrowser", "-t" if new_tab else "-n", url]
    begin = partial(run, command, quiet=True)
    threading.Thread(target=begin, name="browser", daemon=True).start()


class Outlet:
    """What is written to the terminal. Once it is gone nothing is, and ``lost`` is called once."""

    def __init__(self, file: TextIO, lost: Callable[[], None], *, ascii_only: bool) -> None:
        # Beside the file, for it may know another encoding than the terminal does.
        self._file = os.fdopen(
            os.dup(file.fileno()), "w", encoding="utf-8", errors="replace", newline=""
        )
        self._lost = lost
        self._ascii = ascii_only
        self.gone = False

    def write(self, text: str) -> None:
        """Write text; it may wait for `flush`."""
        if not self.gone:
            self._tried(lambda: self._file.write(as_ascii(text) if self._ascii else text))

    def flush(self) -> None:
        """Write what waits."""
        if not self.gone:
            self._tried(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return True

    def restore(self, first: str = "") -> None:
        """Put the terminal back at once, whatever waits; nothing is written after that."""
        self.gone = True
        with suppress(OSError):
            number = self._file.fileno()
            waits = os.get_blocking(number)
            os.set_blocking(number, False)
            try:
                os.write(number, (first + RESTORE).encode())
            finally:
                os.set_blocking(number, waits)  # the shell shares it

    def close(self) -> None:
        """Close it; what waits is written, if it can be."""
        with suppress(OSError):
            self._file.close()

    def _tried(self, step: Callable[[], object]) -> None:
        try:
            step()
        except BlockingIOError:
            # Somebody who shares the terminal switched waiting off.
            with suppress(OSError):
                os.set_blocking(self._file.fileno(), True)
        except (OSError, ValueError):
            self.gone = True
            self._lost()


class TerminalDriver(LinuxDriver):
    """Textual's driver, for every terminal and everything that becomes of it."""

    def __init__(self, app: App[Any], **asked: Any) -> None:
        super().__init__(app, **asked)
        self._desk = cast("CopydeskApp", app)
        assert sys.__stdout__ is not None
        # The errors of the shell may go to a file, and what is typed comes from the terminal that
        # is written to.
        self.outlet = Outlet(sys.__stdout__, self._lost, ascii_only=not self._desk.utf8)
        write_through(self, self.outlet)
        limit_size(self, MOST)
        self._home = asyncio.get_running_loop()
        # Later, between two steps of the program: in the middle of one its locks may be held.
        signal.signal(signal.SIGTSTP, lambda *_: self._in_loop(self._stop))
        signal.signal(signal.SIGCONT, lambda *_: self._in_loop(self._go_on))
        self._attributes: list[Any] | None = None
        """How the terminal was before anything was done to it."""
        self._stopped = self._taken = False
        self._frame = ""
        """What there is of a frame: the thread that writes is woken once for it, not for parts."""
        self.graphics: Graphics | None = None
        """What takes the answers to a question out of what is read, once it was asked."""
        self._desk.drawn.ask_background = self._ask_for_background
        self.background: Background | None = None
        """What takes the answer on the colour of the terminal out of what is read."""
        self._ends = self._end = -1
        """A pipe that wakes the thread that reads when it is to end; -1 while there is none."""
        with suppress(termios.error):
            self._attributes = termios.tcgetattr(self.fileno)

    # Going away

    def _lost(self) -> None:
        """Take note, in any thread, that there is no terminal any more."""
        self._in_loop(self._desk.sudden_end.hung_up)

    def _in_loop(self, step: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has ended: so has everything else
            self._home.call_soon_threadsafe(step)

    def write(self, data: str) -> None:
        """Write to the terminal, unless it is given back: a frame all at once."""
        if self._frame or data == FRAME_BEGINS:
            self._frame += data
            if data != FRAME_ENDS:
                return
            data, self._frame = self._frame, ""
        elif re.fullmatch(r"\x1b\[>\d+u", data):
            data = KEYBOARD
        writer = writer_of(self)
        if writer is not None and not (self._taken and data == CLEARING):
            writer.write(data)

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Open an address in a browser, in a process that knows nothing of a token."""
        if (window := browser.window) is not None:
            window.open_url(url, new_tab=new_tab)
            return
        browse(url, new_tab=new_tab)

    def start_application_mode(self) -> None:
        """Take the terminal; from the preface, if that is on it, without a blank moment between."""
        self._desk.drawn.forget()  # something else may have written on it
        self._ends, self._end = os.pipe()
        drawn, before = preface.drawn, preface.hand_over()
        self._taken = drawn
        start: Callable[[], None] = super().start_application_mode
        start()
        if before is not None:
            self.attrs_before = self._attributes = before
        self._taken = False
        if self.graphics is not None:
            self.graphics.open = True
        self._ask_for_background(again=True)
        self._desk.hold_frames(_drawn(*get_terminal_size()), over_preface=drawn)

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was, with no picture on it."""
        self.write(self._no_pictures() + EMPTY)
        super().stop_application_mode()
        self.write(RESTORE)

    def give_back(self) -> None:
        """Give the terminal back at once, from any thread, when nothing else can be relied on."""
        shown = may_restart(self) and not self._stopped  # else others have written on it
        self.outlet.restore(self._no_pictures() + (EMPTY if shown else ""))
        if self._attributes is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self._attributes)

    def _ask_for_background(self, *, again: bool = False) -> None:
        """Ask the terminal whether it is light, and when it changes: if the theme follows.

        ``again`` says that the theme followed it before, if it does: the first is asked once.
        """
        if self._desk.drawn.on_background is None:
            return
        from copydesk.present.background import FOLLOWS, QUESTION, Background

        if self.background is None or not again:
            self.background = Background(lambda *light: self._in_loop(partial(self._told, *light)))
            self.write(QUESTION)
        self.write(FOLLOWS)

    def _told(self, light: bool, in_time: bool) -> None:
        told = self._desk.drawn.on_background  # another theme may be chosen by now
        if told is not None:
            told(light, in_time)

    # Pictures

    def ask_for_graphics(self, wanted: str) -> None:
        """Ask the terminal, once, what it shows beside text."""
        if self.graphics is not None:
            return
        from copydesk.present.graphics import QUESTION, Graphics

        cell = None
        with suppress(OSError):
            size = fcntl.ioctl(self.outlet.fileno(), termios.TIOCGWINSZ, bytes(8))
            rows, columns, width, height = struct.unpack("HHHH", size)
            if rows and columns and width >= columns and height >= rows:
                cell = width // columns, height // rows
        # Warp says that it shows Kitty graphics, and does not.
        warp = wanted == "auto" and os.environ.get("TERM_PROGRAM") == "WarpTerminal"
        self.graphics = Graphics("blocks" if warp else wanted, cell)
        self.write(QUESTION)

    def _no_pictures(self) -> str:
        return "" if self.graphics is None else self.graphics.closing()

    # Stopping and going on

    def _stop(self) -> None:
        if may_restart(self) and not self._stopped:
            self.suspend_application_mode()
            self._stopped = True
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        if not may_restart(self) or not self._desk.screen_stack:
            return  # an editor has the terminal, or it is given back for good
        if not self._stopped:
            # It was stopped without a word, and the shell has used the terminal since.
            self.suspend_application_mode()
        self.resume_application_mode()
        self._stopped = writer_of(self) is None
        if not self._stopped:
            self._desk.redraw()

    # Sizes

    def process_message(self, message: Message) -> None:
        """Handle an event of the terminal; an absurd size is limited."""
        if isinstance(message, events.Resize):
            size = _drawn(*message.size)
            if size != message.size:
                message = events.Resize(size, size)
        super().process_message(message)

    # Reading

    def run_input_thread(self) -> None:
        """Read the terminal's input until it is stopped, or the terminal is gone."""
        try:
            self._read()
        except OSError:
            self._lost()
        except Exception as error:  # noqa: BLE001 - the edge of a thread
            failed = error
            self._in_loop(lambda: self._desk.failed(failed))

    def disable_input(self) -> None:
        """Read nothing more; the thread that waits for input is woken to end."""
        with suppress(OSError):  # there is none
            os.write(self._end, b"x")
        disable: Callable[[], None] = super().disable_input
        disable()

    def close(self) -> None:
        """Clean up, until it starts again or for good."""
        close: Callable[[], None] = super().close
        close()
        for end in (self._ends, self._end):
            with suppress(OSError):
                os.close(end)
        self._ends = self._end = -1

    def _without_answers(self, text: str) -> str:
        """Return what was read without what the terminal answered; a picture may change by it."""
        if self.background is not None:
            text = self.background.take(text)
        graphics = self.graphics
        if graphics is None:
            return text
        known = graphics.answers
        text = graphics.take(text)
        if graphics.answers != known:
            self._in_loop(lambda: graphics.changed())
        return text

    def _read(self) -> None:
        parser = terminal_parser()
        decoder = getincrementaldecoder("utf-8" if self._desk.utf8 else "latin-1")("replace")
        settled_at = 0.0
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self._ends, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                # Nobody types for most of the time: it sleeps then.
                found = selector.select(TICK_SECONDS if monotonic() < settled_at else None)
                if any(key.fd == self.fileno for key, _ in found):
                    settled_at = monotonic() + UNSETTLED_SECONDS
                    try:
                        data = os.read(self.fileno, 4096)
                    except BlockingIOError:
                        continue
                    if not data:
                        self._lost()
                        return
                    text = self._without_answers(decoder.decode(data))
                    for event in parser.feed(text) if text else ():
                        self.process_message(event)
                elif self.background is not None and (escape := self.background.release()):
                    settled_at = monotonic() + UNSETTLED_SECONDS
                    for event in parser.feed(escape):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
