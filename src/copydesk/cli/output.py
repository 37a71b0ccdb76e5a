"""What a command prints for people and for scripts: lines, facts, tables and JSON.

On a terminal a table is cut to its width; in a pipe or a file everything is whole. What strangers
wrote is made safe in both.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.cells import cell_len

from copydesk.domain.json_shown import DELETE
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


def put(text: str, tone: str = "") -> None:
    """Print a text, made safe; what the encoding of the output lacks becomes a question mark.

    ``tone`` is one of `TONES`, shown on a terminal that has colours.
    """
    encoding = sys.stdout.encoding or "utf-8"
    safe = clean(text, lines=True).encode(encoding, "replace").decode(encoding)
    print(f"{TONES[tone]}{safe}\x1b[0m" if tone and coloured() else safe)


def coloured() -> bool:
    """Whether colours are shown: on a terminal that knows them, unless NO_COLOR is set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "", "dumb")
    return sys.stdout.isatty() and not plain


def put_json(value: Any) -> None:
    """Print a value as JSON, in any encoding."""
    print(plain_json(value, indent=2))


def plain_json(value: Any, *, indent: int | None = None) -> str:
    """Return JSON in letters that every encoding has and every terminal shows."""
    return json.dumps(value, indent=indent).replace("\x7f", DELETE)


def put_bytes(content: bytes) -> None:
    """Print bytes as they are, with a line end after them."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content if content.endswith(b"\n") else content + b"\n")
    sys.stdout.buffer.flush()


def put_facts(facts: Iterable[tuple[str, Text | str]]) -> None:
    """Print facts with their labels in a column; what has no label is a paragraph of its own."""
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
