"""The real program on a real terminal: a pseudo-terminal whose other end is held by the test.

    with Program(home, "--debug") as program:
        program.until("live")
        program.press("j", "enter")
        assert "Pages" in program.screen
        program.send(signal.SIGTERM)
        assert program.ended() == 128 + signal.SIGTERM
        program.assert_restored()

What it wrote is kept (``written``), drawn by an emulator (``screen``), and its modes are followed,
so that a test sees how a terminal would be left.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte

PATIENCE = 60.0
"""Seconds after which what is waited for counts as never coming; nothing depends on less."""

LARGEST = 200
"""The largest size that the emulator draws."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "ctrl+s": "\x13",
    "ctrl+g": "\x07",
    "ctrl+q": "\x11",
    "ctrl+z": "\x1a",
}

_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])|\x1b\[([<>])[0-9]*u")
_NOT_DRAWN = re.compile(
    rb"\x1b\[[<>=?][0-9;]*[a-ln-zA-Z$]|\x1b\[[0-9;?]*\$p|\x1b[P_\]][^\x07\x1b]*(?:\x07|\x1b\\)"
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<>=$]*[@-~]|[^\[])")
ORDINARY = {7: True, 25: True}
"""The modes that a terminal has from the start: lines wrap, the cursor is shown."""


class Display:
    """What was written to a terminal, drawn, and the modes that it was left in."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.written = b""
        self.modes: dict[int, bool] = dict(ORDINARY)
        self.keyboards = 0
        self._emulator = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._emulator)
        self._drawn = 0
        self._drawing = True

    def show(self, data: bytes) -> None:
        """Take in what is written to it."""
        self.written += data
        # A sequence may be cut in two: the rest of it comes with what follows.
        whole = self.written
        end = whole.rfind(b"\x1b")
        long = len(whole) - end > 40 and whole[end + 1 : end + 2] not in (b"_", b"P")
        end = len(whole) if end < 0 or long or _ended(whole[end:]) else end
        piece, self._drawn = whole[self._drawn : end], max(end, self._drawn)
        for found in _MODE.finditer(piece):
            if found[3]:
                self.keyboards += 1 if found[3] == b">" else -1
            else:
                for mode in found[1].split(b";"):
                    self.modes[int(mode)] = found[2] == b"h"
        if self._drawing:
            self._stream.feed(_NOT_DRAWN.sub(_kept, piece))

    @property
    def shown(self) -> str:
        """What is on it now."""
        return "\n".join(line.rstrip() for line in self._emulator.display)


class Program(Display):
    """A running program. Use it with ``with``: it is killed at the end, if it still runs.

    ``arguments`` are those of copydesk; ``code`` is run instead of it, as ``python -c`` does.
    ``limits`` is called in the new process before the program. ``errors`` takes its standard
    error, which is the terminal otherwise. ``answers`` is what the terminal answers to each
    question that the program writes.
    """

    def __init__(
        self,
        home: Path,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        without: Sequence[str] = (),
        size: tuple[int, int] = (80, 24),
        code: str = "",
        limits: Callable[[], None] = lambda: None,
        errors: int | None = None,
        answers: Mapping[bytes, bytes] | None = None,
    ) -> None:
        super().__init__(size)
        self._answers = dict(answers or {})
        self._questions = re.compile(b"|".join(map(re.escape, self._answers)) or rb"(?!)")
        self._looked_through = 0
        self._terminal, self._program_side = os.openpty()
        self.resize(*size)
        self.attributes = termios.tcgetattr(self._program_side)
        given = {
            **{name: value for name, value in os.environ.items() if name != "NO_COLOR"},
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "LC_ALL": "",
            "COPYDESK_HOME": str(home),
            **(environment or {}),
        }
        for name in ("COLUMNS", "LINES", *without):
            given.pop(name, None)
        side = self._program_side

        def own_terminal() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the tests may run where it is ignored
            fcntl.ioctl(side, termios.TIOCSCTTY, 0)
            limits()

        command = ["-c", code] if code else ["-m", "copydesk"]
        self.process = subprocess.Popen(
            [sys.executable, *command, *arguments],
            stdin=side,
            stdout=side,
            stderr=side if errors is None else errors,
            env=given,
            start_new_session=True,
            preexec_fn=own_terminal,
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for end in (self._terminal, self._program_side):
            if end >= 0:
                os.close(end)
        self._terminal = self._program_side = -1

    # What a person does

    def press(self, *keys: str) -> None:
        """Press keys, by their names, or type text."""
        for key in keys:
            self.type(KEYS.get(key, key).encode())

    def type(self, data: bytes) -> None:
        """Send bytes as a keyboard does."""
        os.write(self._terminal, data)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._drawing = 0 < columns <= LARGEST and 0 < rows <= LARGEST
        if self._drawing:
            self._emulator.resize(rows, columns)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.process.send_signal(number)

    def close_window(self) -> None:
        """Close the terminal, as a window that is closed does."""
        os.close(self._terminal)
        self._terminal = -1

    # What a person sees

    def read(self, seconds: float = 0.05) -> bool:
        """Take in what was written, waiting so long for it; False when nothing came."""
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        self.show(os.read(self._terminal, 1 << 16))
        for asked in self._questions.finditer(self.written, self._looked_through):
            self._looked_through = asked.end()
            self.type(self._answers[asked[0]])
        return True

    @property
    def screen(self) -> str:
        """What is on the screen now, once nothing more comes for a moment."""
        while self.read():
            pass
        return self.shown

    def clear(self) -> None:
        """Forget what is on the screen: what is there afterwards was drawn again."""
        while self.read():
            pass
        self._emulator.reset()

    @property
    def said(self) -> str:
        """What was written after the screens, or without them, as one line of words."""
        while self.read():
            pass
        last = self.written.rpartition(b"\x1b[?1049l")[2].decode(errors="replace")
        return " ".join(_ESCAPES.sub("", last).split())

    @property
    def cells(self) -> Any:
        """The cells of the screen, by row and column, with their styles."""
        return self._emulator.buffer

    def until(self, text: str, *, gone: bool = False) -> str:
        """Wait until the screen shows ``text`` (or no more), and return the screen."""
        return self.wait(lambda: (text in self.screen) != gone, f"{text!r} on the screen")

    def wait(self, there: Callable[[], bool], what: str) -> str:
        """Wait until something is so, and return the screen."""
        end = time.monotonic() + PATIENCE
        while not there():
            if time.monotonic() > end:
                raise AssertionError(f"no {what}; the screen is\n{self.screen}")
            if not self.read(0.2) and self.process.poll() is not None and not there():
                raise AssertionError(f"it ended without {what}:\n{self.screen}")
        return self.screen

    # How it ends

    def stopped(self) -> None:
        """Wait until the process is stopped."""
        self.wait(lambda: self._state() == "T", "stopped process")

    def _state(self) -> str:
        text = Path(f"/proc/{self.process.pid}/stat").read_text()
        return text.rpartition(")")[2].split()[0]

    def ended(self) -> int:
        """Wait for the end and return the exit status."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if self._terminal >= 0:
                self.read()
            else:
                time.sleep(0.01)
            if time.monotonic() > end:
                raise AssertionError("it does not end")
        if self._terminal >= 0:
            while self.read():
                pass
        return self.process.returncode

    @property
    def unread(self) -> int:
        """How many bytes were typed that nobody has read, and the shell would."""
        termios.tcsetattr(self._program_side, termios.TCSANOW, _by_key(self.attributes))
        return int.from_bytes(
            fcntl.ioctl(self._program_side, termios.FIONREAD, b"\0" * 4), "little"
        )

    def assert_restored(self) -> None:
        """Assert that the terminal is as it was before the program."""
        while self.read():
            pass
        left = {mode: on for mode, on in self.modes.items() if on != ORDINARY.get(mode, False)}
        assert not left, f"modes that stay: {left}"
        assert self.keyboards <= 0, "the keyboard protocol stays"
        assert termios.tcgetattr(self._program_side) == self.attributes


def _by_key(attributes: list[Any]) -> list[Any]:
    """Return the settings of a terminal that gives each key at once, and not whole lines."""
    return [*attributes[:3], attributes[3] & ~termios.ICANON, *attributes[4:]]


def _ended(sequence: bytes) -> bool:
    return (
        re.match(rb"\x1b(?:\[[0-9;?<>=$]*[@-~]|[^\[P_\]]|[P_\]].*(?:\x07|\x1b\\))", sequence)
        is not None
    )


def _kept(found: re.Match[bytes]) -> bytes:
    return found[0] if found[0][-1:] in b"hl" else b""
