"""A program on a pseudo-terminal, as a person at the keyboard has it, measured from outside.

What the program writes is kept with the moment at which it came, and drawn by an emulator only
afterwards: while a key is timed nothing here does work but reading.
"""

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from rich.cells import cell_len

COLUMNS, ROWS = 120, 40
PATIENCE = 120.0
"""Seconds after which what is waited for counts as never coming."""

_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;?<=>$]*[@-~]|[P_\]][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78])"
)
_PIECE = re.compile(
    r"\x1b\[(?P<numbers>[0-9;?<>=$]*)(?P<letter>[@-~])|\x1b[P_\]][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[()][A-Z0-9]|\x1b.|(?P<control>[\x00-\x1f])|(?P<text>[^\x00-\x1f\x1b]+)",
    re.DOTALL,
)
_BLANK = (" ", "")

_ANSWERS = {
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",  # frames are drawn at once, as by any new terminal
}
_FRAME = re.compile(rb".+?(?:\x1b\[\?2026l|\Z)", re.DOTALL)
"""A frame that is drawn at once, or what there is of it."""

_CURSOR = re.compile(r"^.?>")
"""How the line under the cursor begins, with or without a frame around the list."""


@dataclass(frozen=True, slots=True)
class Written:
    """What came at once, and when."""

    at: float
    data: bytes


class Program:
    """A running program. Use it with ``with``; it is killed at the end.

    ``row`` finds in a line of a list what tells that row from all others, by its groups if there
    are some: columns may become wider while more is read. Where it is empty, each
    change between two columns, those of ``pane``, is taken for a step.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        row: str = r"\S.*\S",
        pane: tuple[int, int] = (0, COLUMNS),
    ) -> None:
        self.started = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            given = {
                name: value
                for name, value in os.environ.items()
                if name not in ("NO_COLOR", "COLUMNS", "LINES") and "COPYDESK" not in name
            }
            given |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
            os.execvpe(command[0], list(command), given | dict(environment or {}))
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)
        self.written: list[Written] = []
        self.screen = Screen(row, pane)
        self._drawn = 0
        self._checked = 0

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    # The keyboard

    def press(self, key: str) -> float:
        """Press a key; return when."""
        pressed = time.perf_counter()
        os.write(self.terminal, key.encode())
        return pressed

    def read(self, seconds: float) -> None:
        """Take in what is written for so long."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._take(left)

    def settle(self, quiet: float = 0.5, most: float = 20.0) -> None:
        """Take in what is written until nothing came for ``quiet`` seconds."""
        end = time.perf_counter() + most
        while time.perf_counter() < end and self._take(quiet):
            pass

    def quit(self) -> None:
        """Leave the program as a person does, and wait until it has ended."""
        self.press("\x11")
        while True:
            try:
                self._take(PATIENCE)
            except RuntimeError:
                return

    def _take(self, seconds: float) -> bool:
        if not select.select([self.terminal], [], [], max(seconds, 0.0))[0]:
            return False
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError as error:
            raise RuntimeError(f"the program ended:\n{self.draw()}") from error
        self.written.append(Written(time.perf_counter(), data))
        for asked, answer in _ANSWERS.items():
            if asked in data:
                os.write(self.terminal, answer)
        return True

    # The screen

    def draw(self) -> str:
        """Draw what has come, and return the text of the screen."""
        for _ in self.replay():
            pass
        return self.screen.text

    def replay(self) -> Iterator[Written]:
        """Draw what came since it was drawn last; yield what makes a change visible, after it."""
        while self._drawn < len(self.written):
            piece = self.written[self._drawn]
            self._drawn += 1
            for frame in _FRAME.findall(piece.data):
                self.screen.feed(frame)
                if self.screen.changed:
                    yield piece

    def until(self, there: str | Callable[[str], object], patience: float = PATIENCE) -> float:
        """Wait until the screen shows a text, or is as asked; return when it first did."""
        shows = there if callable(there) else (lambda text: there in text)
        end = time.perf_counter() + patience
        while True:
            for piece in self.replay():
                if shows(self.screen.text):
                    return piece.at
            if time.perf_counter() > end:
                raise TimeoutError(f"not shown: {there}\n{self.screen.text}")
            self._take(0.5)

    def sight(self, text: str, patience: float = PATIENCE) -> float:
        """Return the seconds from the start until ``text`` is shown. Nothing is drawn meanwhile."""
        wanted, seen = text.encode(), b""
        end = time.perf_counter() + patience
        while wanted not in _ESCAPES.sub(b"", seen):
            if time.perf_counter() > end:
                raise TimeoutError(f"{text!r} was not shown within {patience} s\n{self.draw()}")
            if self._take(0.5):
                seen = seen[-8192:] + self.written[-1].data
        return self.written[-1].at - self.started

    # The process

    @property
    def cpu(self) -> float:
        """The seconds of processor time taken so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> float:
        """What it takes of the memory, its share of what is shared included (PSS), in MiB."""
        rollup = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        return int(rollup.split("Pss:", 1)[1].split()[0]) / 1024

    @property
    def files(self) -> int:
        """How many file descriptors are open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    @property
    def output(self) -> int:
        """How many bytes it has written to the terminal."""
        return sum(len(piece.data) for piece in self.written)


class Screen:
    """What a terminal would show, of what Textual writes: text, styles, and where they go.

    A general emulator takes ten times as long.
    """

    def __init__(self, row: str, pane: tuple[int, int] = (0, COLUMNS)) -> None:
        self._row = re.compile(row)
        self._pane = slice(*pane)
        self._cells = [[_BLANK] * COLUMNS for _ in range(ROWS)]
        self._shown: list[list[tuple[str, str]]] = [[] for _ in range(ROWS)]
        self._lines = [""] * ROWS
        self._dirty: set[int] = set()
        self._rest = b""
        self._held = False
        self._at = (0, 0)
        self._style = ""
        self.changed = False
        """Whether the last piece changed a cell that a person sees by now."""
        self._places: dict[str, int] = {}
        self._body = ""
        self._steps = 0

    def feed(self, data: bytes) -> None:
        """Draw what was written. What is cut in two waits for its rest."""
        data = self._rest + data
        end = len(data)
        while end and end > len(data) - 4 and data[end - 1] & 0xC0 == 0x80:
            end -= 1  # perhaps the middle of a character
        if end and data[end - 1] >= 0xC0:
            end -= 1
        if end < len(data) and _whole(data[end:]):
            end = len(data)
        escape = data.rfind(b"\x1b", 0, end)
        if escape >= 0 and end - escape < 64 and not _ESCAPES.match(data, escape):
            end = escape
        self._rest = data[end:]
        for found in _PIECE.finditer(data[:end].decode(errors="replace")):
            if text := found["text"]:
                self._put(text)
            elif control := found["control"]:
                self._control(control)
            elif letter := found["letter"]:
                self._sequence(found["numbers"], letter)
        self.changed = False
        if self._held:
            return
        for number in self._dirty:
            if self._cells[number] != self._shown[number]:
                self.changed = True
                self._shown[number] = self._cells[number].copy()
                self._lines[number] = "".join(cell[0] for cell in self._cells[number]).rstrip()
        self._dirty.clear()

    def _put(self, text: str) -> None:
        row, column = self._at
        line, style = self._cells[row], self._style
        self._dirty.add(row)
        cells = (
            [(character, style) for character in text]
            if text.isascii()
            else [
                cell
                for character in text
                for cell in [(character, style), ("", style)][: cell_len(character)]
            ]
        )
        line[column : column + len(cells)] = cells
        del line[COLUMNS:]
        self._at = row, min(column + len(cells), COLUMNS - 1)

    def _control(self, control: str) -> None:
        row, column = self._at
        if control == "\n":
            self._at = min(row + 1, ROWS - 1), column
        elif control == "\r":
            self._at = row, 0

    def _sequence(self, numbers: str, letter: str) -> None:
        if letter == "m":
            self._style = "" if numbers in ("", "0") else f"{self._style};{numbers}"[-80:]
        elif letter == "H":
            given = [int(number or 1) - 1 for number in numbers.split(";")] + [0, 0]
            self._at = min(given[0], ROWS - 1), min(given[1], COLUMNS - 1)
        elif numbers == "?2026":
            self._held = letter == "h"
        elif letter == "J" or (numbers, letter) == ("?1049", "h"):
            self._cells = [[_BLANK] * COLUMNS for _ in range(ROWS)]
            self._dirty.update(range(ROWS))
        elif letter == "K":
            row, column = self._at
            self._cells[row][column:] = [_BLANK] * (COLUMNS - column)
            self._dirty.add(row)

    @property
    def text(self) -> str:
        """The lines of the screen."""
        return "\n".join(self._lines)

    @property
    def cursor(self) -> int | None:
        """The number of the line under the cursor, if there is one."""
        return next((n for n, line in enumerate(self._lines) if _CURSOR.match(line)), None)

    @property
    def steps(self) -> bool:
        """Whether it counts changes, for there are no rows to tell apart."""
        return not self._row.pattern

    def place(self) -> int | None:
        """Return where in its list the row under the cursor is, or None without one.

        Counted from the first row that was ever asked for: a row that was seen below another is
        the one after it. A row's place is known from the rows above it.
        """
        if self.steps:
            body = "\n".join(line[self._pane] for line in self._lines[2:-2])
            self._steps += body != self._body
            self._body = body
            return self._steps
        cursor = self.cursor
        if cursor is None:
            return None
        above: list[str] = []
        start = None
        for number in range(cursor, -1, -1):
            found = self._row.search(self._lines[number], 2)
            name = " ".join(found.groups()) or found[0] if found else ""
            if not name or name in self._places:
                start = self._places.get(name)
                break
            above.append(name)
        if start is None:
            if self._places:
                return None
            start = -1
        for name in reversed(above):
            start += 1
            self._places[name] = start
        return start


def _whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table under a title."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    print(f"\n{title}")
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  " + "  ".join(cells).rstrip(), flush=True)


def middle(values: Sequence[float]) -> float:
    """Return the median."""
    return median(values)


def tail(values: Sequence[float], percent: int = 95) -> float:
    """Return a percentile."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]
