"""A program on a pseudo-terminal, timed from outside: what a person at the keyboard would see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from statistics import median, quantiles

COLUMNS, ROWS = 120, 40
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;?<=>$]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_][^\x1b]*\x1b\\|[()][A-Z0-9]|[=>78])"
)


class Program:
    """A running program. Use it with ``with``; it is killed at the end."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self.started = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", **(environment or {}))
            os.environ.update(COLUMNS=str(COLUMNS), LINES=str(ROWS))
            os.execvp(command[0], command)
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)
        self.seen = b""

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def until(self, text: str, patience: float = 60.0) -> float:
        """Wait until the program has written ``text``; return the seconds since it was started."""
        wanted = text.encode()
        end = time.perf_counter() + patience
        while time.perf_counter() < end:
            if not select.select([self.terminal], [], [], 0.5)[0]:
                continue
            self.seen += os.read(self.terminal, 1 << 16)
            if wanted in _ESCAPES.sub(b"", self.seen):
                return time.perf_counter() - self.started
        raise TimeoutError(f"{text!r} was not shown within {patience} s")

    def settle(self, quiet: float = 0.3) -> None:
        """Read until nothing has come for ``quiet`` seconds."""
        while select.select([self.terminal], [], [], quiet)[0]:
            os.read(self.terminal, 1 << 16)

    def press(self, key: str, quiet: float = 0.004) -> float:
        """Press a key; return the seconds until the last byte of what it changed had come."""
        pressed = time.perf_counter()
        os.write(self.terminal, key.encode())
        if not select.select([self.terminal], [], [], 5.0)[0]:
            raise TimeoutError(f"nothing changed within 5 s of {key!r}")
        last = pressed
        while select.select([self.terminal], [], [], quiet)[0]:
            os.read(self.terminal, 1 << 16)
            last = time.perf_counter()
        return last - pressed


def first_sight(
    command: Sequence[str], text: str, environment: dict[str, str] | None = None
) -> float:
    """Return the seconds from process start until ``text`` is on the screen."""
    with Program(command, environment) as program:
        return program.until(text)


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table under a title."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    print(f"\n{title}")
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  " + "  ".join(cells))


def middle(values: Sequence[float]) -> float:
    """Return the median."""
    return median(values)


def tail(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20)[-1]
