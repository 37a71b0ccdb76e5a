"""What a command prints for people and for scripts: lines, facts, tables and JSON.

Nothing else of the command line prints (ruff sees to it), so that whatever strangers wrote is made
safe here. On a terminal a table is cut to its width; in a pipe or a file everything is whole.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Generic, TextIO, TypeVar

from rich.cells import cell_len

from copydesk.cli.terminal import is_linear, is_terminal
from copydesk.domain.json_display import DELETE
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten

if TYPE_CHECKING:
    from rich.text import Text

Row = TypeVar("Row")

GAP = 2
"""Cells between the columns of a table, and between a label and what it says."""

NARROWEST = 12
"""Cells to which a column that gives way is cut, before the line itself is."""

TONES: Mapping[str, str] = {"bad": "\x1b[31m", "good": "\x1b[32m", "strong": "\x1b[1m"}
"""How a line stands out on a terminal."""


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: its heading, and the text of its cells.

    ``gives`` says that it is cut where a terminal is too narrow, those at the right first.
    """

    heading: str
    cell: Callable[[Row], Text | str]
    right: bool = False
    gives: bool = False


def room() -> int | None:
    """Return how many cells a line may have; None where nobody looks at a terminal."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


ERASE = "\r\x1b[K"
"""Clears the line of the cursor."""

SILENCE = 1.0
"""After so many seconds without output a command says what it waits for."""


class LastLine:
    """The last line of the terminal: while it is free it says what the command waits for."""

    def __init__(self) -> None:
        self.waiting = ""
        """What it says of that now; "" for nothing."""
        self.kept = False
        """Whether something else stays on it: a question, or how far the work is."""
        self.passed_on = False
        """Whether the output goes to another program, which may have the terminal by now."""
        self.since = time.monotonic()
        """When something was last printed."""

    def say_waiting(self, text: str, own: str) -> str:
        """Say what the caller waits for; return its text that is shown then, "" for none.

        The text is shown once nothing was printed for `SILENCE`. An empty one takes it away, and so
        does whatever is printed next. ``own`` is what the caller got from this before: the text of
        another caller stays.
        """
        if self.waiting not in ("", own):
            return ""
        is_quiet = time.monotonic() - self.since >= SILENCE
        self._draw(text if is_quiet and not (self.kept or self.passed_on) else "")
        return self.waiting

    def clear(self, *, kept: bool = False, passed_on: bool = False) -> None:
        """Clear it for output that comes, which stays on it if ``kept``.

        ``passed_on``: that goes to another program, or into a file.
        """
        self._draw("")
        self.since, self.kept = time.monotonic(), kept
        self.passed_on |= passed_on

    def _draw(self, text: str) -> None:
        if text != self.waiting:
            self.waiting = text
            _draw_line(sys.stderr, text)


last_line = LastLine()


def _draw_line(stream: TextIO, text: str) -> None:
    """Put a text over the last line of a terminal, cut to its width, unless that is gone."""
    with suppress(OSError, ValueError):
        try:
            width = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            width = 0
        line = shorten(clean(text), (width or shutil.get_terminal_size().columns) - 1)
        print(ERASE + line, end="", file=stream, flush=True)


def put(
    text: str, tone: str = "", *, end: str = "\n", now: bool = False, unread: bool = False
) -> None:
    """Print a text on standard output, made safe; "?" stands for what its encoding lacks.

    ``tone`` is one of `TONES`, shown on a terminal that has colours. With ``now`` it is not kept
    until more is there. Where the output was closed before the start the command goes on, and says
    so at its end; where nobody reads on, ``BrokenPipeError`` ends it, unless it goes on ``unread``.
    """
    if _is_closed():
        return
    last_line.clear(kept=not end, passed_on=not is_terminal(sys.stdout))
    encoding = sys.stdout.encoding or "utf-8"
    safe = clean(text, lines=True).encode(encoding, "replace").decode(encoding)
    with _going_on() if unread else nullcontext():
        print(f"{TONES[tone]}{safe}\x1b[0m" if tone and coloured() else safe, end=end, flush=now)


def _is_closed() -> bool:
    """Whether standard output was closed before the start, which the end of the command tells."""
    if sys.stdout is None:
        from copydesk.cli.errors import not_printed

        not_printed()
    return sys.stdout is None


def flush() -> None:
    """Write out what was printed so far; the command goes on where nobody reads it any more."""
    if sys.stdout is not None:
        with _going_on():
            sys.stdout.flush()


@contextmanager
def _going_on() -> Iterator[None]:
    """Throw standard output away from now on, where nobody reads it any more."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def put_paged(text: str) -> None:
    """Print a text as `put` does; by the pager where it is longer than the terminal."""
    from shlex import split

    from copydesk.local.child_processes import beside_another, run

    lines = shutil.get_terminal_size().lines
    if is_terminal(sys.stdout) and not is_linear() and text.count("\n") >= lines:
        last_line.clear()
        with suppress(OSError, IndexError, ValueError):  # there is no such pager
            with beside_another("SIGINT"):  # ctrl+c stops a search in it, and not copydesk with it
                run(split(os.environ.get("PAGER", "less -R")), given=clean(text, lines=True))
            return
    put(text)


def put_stderr(text: str, *, end: str = "\n") -> None:
    """Print a text on standard error, made safe: beside the output that a script reads."""
    if sys.stderr is not None:
        last_line.clear(kept=not end)
        with suppress(OSError, ValueError):  # whoever could read it is gone
            print(clean(text, lines=True), end=end, file=sys.stderr, flush=True)


def redraw(text: str = "", *, beside: bool = True) -> None:
    """Put a line over the one that was put there so; an empty one takes it away.

    It goes to standard error, ``beside`` the output that a script reads, or into that. Where lines
    are only added each has one of its own.
    """
    stream = sys.stderr if beside else sys.stdout
    if stream is None or not (text or last_line.kept):
        return
    if not is_linear():
        last_line.clear(kept=bool(text))
        _draw_line(stream, text)
        return
    last_line.clear()
    with suppress(OSError, ValueError):
        print(clean(text), file=stream, flush=True)


def coloured() -> bool:
    """Whether colours are shown: on a terminal that knows them, unless NO_COLOR is set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "", "dumb")
    return is_terminal(sys.stdout) and not plain


def put_json(value: Any) -> None:
    """Print a value on standard output as JSON, in any encoding."""
    put(plain_json(value, indent=2))


def plain_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON in letters that every encoding has and every terminal shows."""
    return json.dumps(value, indent=indent).replace("\x7f", DELETE)


def put_bytes(content: bytes) -> None:
    """Print bytes as they are, with a line end after them; on a terminal as a text, made safe."""
    if _is_closed():
        return
    if is_terminal(sys.stdout):
        put(content.decode(errors="replace").removesuffix("\n"))
        return
    last_line.clear(passed_on=True)
    sys.stdout.flush()
    sys.stdout.buffer.write(content if content.endswith(b"\n") else content + b"\n")
    sys.stdout.buffer.flush()


def put_facts(facts: Iterable[tuple[str, Text | str]]) -> None:
    """Print facts with their labels in a column; a row without a label is a paragraph."""
    found = [(label, str(said)) for label, said in facts]
    lead = max((cell_len(label) for label, _ in found if label), default=0) + GAP
    for label, said in found:
        first, *more = said.split("\n")
        put(f"{label}{' ' * (lead - cell_len(label))}{first}" if label else first)
        for line in more:
            put(f"{' ' * lead}{line}" if label else line)


def put_table(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> None:
    """Print rows under their headings."""
    cells = [[clean(str(column.cell(row))).strip() for column in columns] for row in rows]
    lines = [[column.heading for column in columns], *cells]
    widths = [max(map(cell_len, each)) for each in zip(*lines, strict=True)]
    most = room()
    if most is not None:
        over = sum(widths) + GAP * (len(widths) - 1) - most
        gives = [at for at, column in enumerate(columns) if column.gives]
        for at in reversed(gives):
            cut = max(0, min(over, widths[at] - NARROWEST))
            widths[at], over = widths[at] - cut, over - cut
    for line in lines:
        parts = []
        for said, width, column in zip(line, widths, columns, strict=True):
            text = shorten(said, width)
            blank = " " * (width - cell_len(text))
            parts.append(blank + text if column.right else text + blank)
        whole = (" " * GAP).join(parts).rstrip()
        put(whole if most is None else shorten(whole, most))
