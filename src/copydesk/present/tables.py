"""Tables as a page shows them: the rows are read when they are drawn, the columns fit the room.

How wide columns are follows from the first rows of a table. So a table of a megabyte costs what the
screen shows of it, and its columns stand where they did wherever one reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from copydesk.domain.html_table import MOST_COLUMNS, cut_rows, is_cards, read_row, read_table

SAMPLE = 60
"""The rows of a table that say how wide its columns are."""

AT_ONCE = 10_000
"""Characters of a table in HTML that are read at once; of a longer one each row by itself."""

NARROWEST = 12
"""Cells to which a column is narrowed before columns are left out."""

FEW = 4
"""Columns that are shown beside each other where there is little room."""

SMALL = 80
"""Cells below which a table of more columns shows a line for each of its values."""

GAP = 3
"""Cells between two columns."""

_BAR = re.compile(r"(?<!\\)\|")


class TableColumns(NamedTuple):
    """The columns that are ``shown`` of a table, by number, and how wide they are.

    ``before`` and ``after`` are how many are left out at the left and at the right; ``as_fields``
    has a line for each value instead.
    """

    shown: Sequence[int]
    widths: Sequence[int]
    before: int = 0
    after: int = 0
    as_fields: bool = False


class Table:
    """What the pieces of one table have in common. Cells are Markdown.

    ``head`` names the columns; it is empty where nothing does. ``sample`` are its first rows, as
    they were written: in HTML where ``html`` says so.
    """

    def __init__(
        self, head: Sequence[str], sample: Sequence[str], *, right: Sequence[bool] = (),
        html: bool = False, cards: bool = False,
    ) -> None:  # fmt: skip
        self.head, self.sample, self.right = tuple(head), tuple(sample), tuple(right)
        self.html, self.cards = html, cards
        self.natural: list[int] = []
        """How wide each column would be; empty until somebody measures it."""
        self.count = len(self.head)
        if html or not head:  # in Markdown the head says how many columns there are
            self.count = max([self.count, 1, *(len(self.read(row)) for row in self.sample)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._told)

    @property
    def _told(self) -> tuple[object, ...]:
        return self.head, self.sample, self.right, self.html, self.cards

    def read(self, row: str) -> Sequence[str]:
        """Return the cells of a row, however many; one that is broken is a cell as it is."""
        if not self.html:
            return markdown_cells(row)
        cells = read_row(row)
        return [" ".join(row.split())] if cells is None else cells

    def cells(self, row: str) -> Sequence[str]:
        """Return the cells of a row, one for each column; surplus ones stand in the last."""
        found = _at_most(self.count, self.read(row))
        return [*found, *[""] * (self.count - len(found))]


def _at_most(count: int, cells: Sequence[str]) -> list[str]:
    """Return ``count`` cells at most; the last one holds the rest."""
    found = [*cells]
    if len(found) > count:
        found[count - 1 :] = [" ".join(found[count - 1 :])]
    return found


def markdown_cells(row: str) -> list[str]:
    """Return the cells of a row in Markdown."""
    parts = _BAR.split(row.strip())
    if parts and not parts[0].strip():
        parts = parts[1:]
    if parts and not parts[-1].strip():
        parts = parts[:-1]
    return [part.strip().replace("\\|", "|") for part in parts]


def markdown_table(head: str, rule: str, rows: Sequence[str]) -> Table:
    """Return a table in Markdown, of its head, the line of dashes, and its rows."""
    right = [cell.endswith(":") and not cell.startswith(":") for cell in markdown_cells(rule)]
    names = _at_most(MOST_COLUMNS, markdown_cells(head))
    return Table(names, rows[:SAMPLE], right=right)


def html_table(source: str) -> tuple[Table, Sequence[str]] | None:
    """Return a table in HTML and its rows; None for what cannot be shown as a table."""
    cards = is_cards(source)
    rows = cut_rows(source) if len(source) > AT_ONCE else None
    if rows:
        first = read_row(rows[0], head=True)
        rest = rows if first is None else rows[1:]
        head = first if first is not None and any(first) else []
        return Table(head, rest[:SAMPLE], html=True, cards=cards), rest
    found = read_table(source)
    if found is None:
        return None
    rows = [f"| {' | '.join(cells)} |" for cells in found.rows]
    return Table(found.head, rows[:SAMPLE], cards=cards), rows


def columns(
    natural: Sequence[int],
    room: int,
    *,
    at: int | None = None,
    turned: bool = False,
    hides: bool = True,
) -> TableColumns:
    """Return which columns are shown in so many cells, and how wide.

    All have their natural width if that fits, else the widest give way; where that is not enough
    the first stays and the others go on from column ``at``, which None says nobody can move.
    ``turned`` shows the lines of values instead, or the columns instead of them. Unless it
    ``hides`` columns, values have their lines also where not all columns have room.
    """
    count = len(natural)
    everything = range(count)
    between = GAP * (count - 1)
    fits = sum(natural) + between <= room
    least = [min(width, NARROWEST) for width in natural]
    narrow = not fits and sum(least) + between > room
    few = count > FEW and room < SMALL and not fits
    if count > 1 and (few or (narrow and (at is None or not hides))) != turned:
        return TableColumns(everything, natural, as_fields=True)
    if not narrow:
        return TableColumns(everything, _shared(natural, room - between))
    last = count - 1
    while last > 1 and least[0] + sum(least[last - 1 :]) + GAP * (count - last + 1) <= room:
        last -= 1
    start = min(1 + (at or 0), last)
    stop = start + 1
    while (
        stop < count and least[0] + sum(least[start : stop + 1]) + GAP * (stop - start + 1) <= room
    ):
        stop += 1
    shown = [0, *range(start, min(stop, count))] if count > 1 else [0]
    widths = _shared([natural[each] for each in shown], room - GAP * (len(shown) - 1))
    return TableColumns(shown, widths, start - 1, count - min(stop, count))


def _shared(natural: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns within ``room`` cells; the widest are reduced first."""
    low, high = 1, max([*natural, 1])
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(width, middle) for width in natural) <= room:
            low = middle
        else:
            high = middle - 1
    widths = [max(1, min(width, low)) for width in natural]
    for at, width in enumerate(natural):  # what the level leaves over
        if widths[at] < width and sum(widths) < room:
            widths[at] += 1
    return widths
