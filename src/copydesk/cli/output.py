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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.cells import cell_len

from copydesk.cli.terminal import is_linear
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
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


ERASE = "\r\x1b[K"
"""What takes away the line that `redraw` or `put_waiting` put there."""

SILENCE = 1.0
"""Seconds in which nothing was printed before it is said what is waited for."""


class LastLine:
    """The last line of the terminal, as it is now."""

    waiting = ""
    """What it says of what is waited for; "" where that is not there."""
    kept = False
    """Whether something else is on it that stays: a question, or how far a work is."""
    passed_on = False
    """Whether the output goes to another program, which may have the terminal by now."""
    since = time.monotonic()
    """When something was last printed."""


def put_waiting(text: str, before: str) -> str:
    """Say what is waited for on the last line of a terminal; return what is there of it then.

    It is said once nothing was printed for `SILENCE`, and taken away by an empty text and by
    whatever is printed next. ``before`` is what this returned: what others wait for stays.
    """
    if LastLine.waiting in ("", before):
        quiet = time.monotonic() - LastLine.since >= SILENCE and not (
            LastLine.kept or LastLine.passed_on
        )
        _draw_waiting(text if quiet else "")
    return LastLine.waiting


def _draw_waiting(text: str) -> None:
    if text != LastLine.waiting:
        LastLine.waiting = text
        with suppress(OSError, ValueError):
            line = shorten(clean(text), shutil.get_terminal_size().columns - 1)
            print(ERASE + line, end="", file=sys.stderr, flush=True)


def make_way(*, kept: bool = False, passed_on: bool = False) -> None:
    """Take away what is said to be waited for: something is printed, which stays there if ``kept``.

    ``passed_on``: it goes to another program, or into a file.
    """
    _draw_waiting("")
    LastLine.since, LastLine.kept = time.monotonic(), kept
    LastLine.passed_on |= passed_on


def put(text: str, tone: str = "", *, end: str = "\n", now: bool = False) -> None:
    """Print a text, made safe; what the encoding of the output lacks becomes a question mark.

    ``tone`` is one of `TONES`, shown on a terminal that has colours. With ``now`` it is not kept
    until more is there. Where the output is closed nobody misses it.
    """
    if sys.stdout is None:
        return
    make_way(kept=not end, passed_on=not sys.stdout.isatty())
    encoding = sys.stdout.encoding or "utf-8"
    safe = clean(text, lines=True).encode(encoding, "replace").decode(encoding)
    print(f"{TONES[tone]}{safe}\x1b[0m" if tone and coloured() else safe, end=end, flush=now)


def put_paged(text: str) -> None:
    """Print a text, made safe; by the pager where it is longer than the terminal."""
    from shlex import split

    from copydesk.local.child_processes import run

    make_way()
    size = shutil.get_terminal_size()
    pager = split(os.environ.get("PAGER", "less -R"))
    if sys.stdout and sys.stdout.isatty() and not is_linear() and text.count("\n") >= size.lines:
        with suppress(OSError, IndexError):
            run(pager, given=clean(text, lines=True))
            return
    put(text)


def put_on(text: str, *, now: bool = False) -> None:
    """Print a text as `put` does; where nobody reads on, that is no reason to stop."""
    if sys.stdout is not None:  # it was closed by who started the program
        try:
            put(text, now=now)
        except BrokenPipeError:
            _nobody_reads()


def let_go() -> None:
    """Write the output that still waits; where nobody reads on, that is no reason to stop."""
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _nobody_reads()


def _nobody_reads() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(text: str, *, end: str = "\n") -> None:
    """Print a text, made safe, beside the output that a script reads."""
    if sys.stderr is not None:
        make_way(kept=not end)
        with suppress(OSError, ValueError):  # whoever could read it is gone
            print(clean(text, lines=True), end=end, file=sys.stderr, flush=True)


def redraw(text: str = "", *, beside: bool = True) -> None:
    """Put a line over the one that was put there so; an empty one takes it away.

    It goes ``beside`` the output that a script reads, or into it. Where lines are only added each
    has one of its own.
    """
    stream = sys.stderr if beside else sys.stdout
    if stream is not None:
        make_way(kept=bool(text))
        over, end = ("", "\n") if is_linear() else (ERASE, "")
        with suppress(OSError, ValueError):
            print(over + clean(text), end=end, file=stream, flush=True)


def coloured() -> bool:
    """Whether colours are shown: on a terminal that knows them, unless NO_COLOR is set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "", "dumb")
    return sys.stdout.isatty() and not plain


def put_json(value: Any) -> None:
    """Print a value as JSON, in any encoding."""
    make_way(passed_on=not sys.stdout.isatty())
    print(plain_json(value, indent=2))


def plain_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON in letters that every encoding has and every terminal shows."""
    return json.dumps(value, indent=indent).replace("\x7f", DELETE)


def put_bytes(content: bytes) -> None:
    """Print bytes as they are, with a line end after them; on a terminal as a text, made safe."""
    if sys.stdout is None:
        return
    if sys.stdout.isatty():
        put(content.decode(errors="replace").removesuffix("\n"))
        return
    make_way(passed_on=True)
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
