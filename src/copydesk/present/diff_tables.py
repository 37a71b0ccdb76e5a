"""The tables of a change: which rows are of one, how wide its columns are, its rows as cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from copydesk.domain.block_scanner import CELLS, is_rule
from copydesk.domain.blocks import cells
from copydesk.domain.diff import TextDiff
from copydesk.domain.html_table import MOST_COLUMNS, plain_cells
from copydesk.domain.text import plural
from copydesk.present.markdown import Line as Drawn
from copydesk.present.markdown import Look, field_lines, left_out, row_lines, rule_line
from copydesk.present.markdown import Span as Drawing
from copydesk.present.tables import SAMPLE, Columns, columns
from copydesk.session.glyphs import glyphs

MARKS = 4
"""Cells that the signs of a mark take."""

NEAR = 20
"""How many rows on each side are searched for the table that a row stands in."""


class DiffTable(NamedTuple):
    """A table of a change: how wide its columns would be, their names, and what of it is shown.

    ``plain`` are the cells of one row of it in HTML without their attributes: what is shown of
    those that did not change.
    """

    natural: Sequence[int]
    names: Sequence[str]
    look: Look
    plain: Sequence[str] | None = None


class DiffTables:
    """The tables of one comparison, each measured when a row of it is drawn."""

    def __init__(self, diff: TextDiff) -> None:
        self._diff = diff
        self._known: dict[tuple[bool, int], tuple[list[int], list[str]]] = {}

    def of(self, row: int, look: Look) -> DiffTable | None:
        """Return the table that a row of the diff is of."""
        key = self._table_of(row)
        if key is None:
            return None
        if key not in self._known:
            self._known[key] = self._measured(*key)
        natural, names = self._known[key]
        return DiffTable(natural, names, look, self._plain(row))

    def _plain(self, row: int) -> Sequence[str] | None:
        """Return the cells of a row in HTML without attributes; None where they are told."""
        (kind, old, new, _, _), step = self._diff.place(row)
        if kind == "edited":
            step, second = divmod(step, 2)
            text, at = (self._diff.after, new) if second else (self._diff.before, old)
        elif kind in ("same", "moved") and new >= 0:
            text, at = self._diff.after, new
        else:
            return None
        if text.row(at + step).kind != "html":
            return None
        found = plain_cells(text.source(at + step))
        return found if found and len(found) == len(cells_of(text.said(at + step))) else None

    def _table_of(self, row: int) -> tuple[bool, int] | None:
        """Return the block of the text after (or, False, before) that a row is in."""
        segment, step = self._diff.place(row)
        step = step // 2 if segment.kind == "edited" else step
        if segment.after >= 0:
            block = self._diff.after.block_of(segment.after + step)
            return None if block is None else (True, block)
        if segment.before < 0:
            return None
        at = segment.before + step
        old = self._diff.before
        block = old.block_of(at)
        if block is None:
            return None
        first, stop = old.blocks[block].first, old.blocks[block].stop
        for other in range(max(first, at - NEAR), min(stop, at + NEAR)):
            shown = self._diff.row_of(other, after=False)
            there = None if shown is None else self._diff.place(shown)[0]
            if shown is not None and there is not None and there.after >= 0:
                return self._table_of(shown)
        return False, block

    def _is_row(self, row: int) -> bool:
        """Whether a row of the diff is one of a table, told without comparing its words."""
        (kind, old, new, _, _), step = self._diff.place(row)
        step = step // 2 if kind == "edited" else step
        text, at = (self._diff.after, new) if new >= 0 else (self._diff.before, old)
        return at >= 0 and text.row(at + step).kind in CELLS

    def _measured(self, after: bool, block: int) -> tuple[list[int], list[str]]:
        """Return how wide the columns of a table are by its first rows, and their names."""
        text = self._diff.after if after else self._diff.before
        first, stop = text.blocks[block].first, text.blocks[block].stop
        start = self._diff.row_of(first, after=after) or 0
        natural: list[int] = []
        changed: set[int] = set()
        names: list[str] = []
        last: list[str] = []
        for row in range(start, min(start + min(stop - first, SAMPLE) + NEAR, len(self._diff))):
            if not self._is_row(row) or self._table_of(row) != (after, block):
                continue
            line = self._diff.text_of(row)
            found = cells_of(line) if line.count("|") <= MOST_COLUMNS else []
            if not found or is_rule(line):
                continue
            said = [line[slice(*cell)] for cell in found]
            segment, step = self._diff.place(row)
            plain = self._plain(row) or said
            names = names or list(plain)
            natural += [1] * (len(said) - len(natural))
            for at, cell in enumerate(plain if segment.kind != "edited" else said):
                natural[at] = max(natural[at], cell_len(cell))
            if segment.kind == "edited" and step % 2:
                changed |= {at for at, (one, other) in enumerate(zip(said, last, strict=False))
                            if one != other}  # fmt: skip
            last = said
        return [w + MARKS * (at in changed) for at, w in enumerate(natural)] or [1], names


def columns_of(table: DiffTable, room: int) -> Columns:
    """Return which columns of a table are shown in so many cells."""
    look = table.look
    return columns(table.natural, room, at=look.column, turned=look.turned, hides=False)


def cells_of(line: str) -> list[tuple[int, int]]:
    """Return where the cells of a row begin and end, without the blanks around them."""
    found: list[tuple[int, int]] = []
    at = 0
    parts = cells(line)
    for nth, part in enumerate(parts):
        start, stop = at, at + len(part)
        at = stop + 1
        if not part.strip():
            if nth in (0, len(parts) - 1):
                continue  # before the first bar, or behind the last one
            found.append((start, start))
            continue
        found.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
    return found


def draw_cells(
    line: str, part: Callable[[int, int], list[Drawing]], room: int, table: DiffTable
) -> list[Drawn]:
    """Return the lines of a row of a table. ``part`` returns a part of the row as it is drawn."""
    shown = columns_of(table, room)
    found = cells_of(line)
    if is_rule(line):
        return [[("-" * 3, "muted")]] if shown.as_fields else [rule_line(shown)]
    drawn = [part(*cell) for cell in found]
    said = [line[slice(*cell)] for cell in found]
    if table.plain is not None:
        said = [*table.plain]
        drawn = [
            cell if _is_marked(cell) else [(plain, cell[0][1] if cell else "")]
            for cell, plain in zip(drawn, table.plain, strict=True)
        ]
    is_head = said == [*table.names]
    if shown.as_fields:
        named = line.strip() != "" and not is_head
        names = [[(name, "")] for name in table.names] if named else []
        return _values(names, drawn, room)
    count = len(table.natural)
    if len(drawn) > count:
        drawn[count - 1 :] = [[each for cell in drawn[count - 1 :] for each in [*cell, (" ", "")]]]
    lines = row_lines(drawn, shown, exact=True)
    if not line.strip() or not (shown.before or shown.after):
        return lines
    if is_head:
        return [[(left_out(shown), "muted")], *lines]
    if any(_is_marked(cell) for at, cell in enumerate(drawn) if at not in shown.shown):
        lines.append([(f"{glyphs().more} it differs in a column that is left out", "changed")])
    return lines


def _values(names: Sequence[Drawn], drawn: Sequence[Drawn], room: int) -> list[Drawn]:
    """Return a row as values; an edited one as the first, the changed, and a count of others."""
    marked = [_is_marked(cell) for cell in drawn]
    told = [cell if at == 0 or marked[at] else [] for at, cell in enumerate(drawn)]
    same = sum(bool(cell) for cell in drawn) - sum(bool(cell) for cell in told)
    if not any(marked) or same == 0:
        return field_lines(names, drawn, room) or [[]]
    said = f"  {glyphs().more} {plural(same, 'value')} as before"
    return [*field_lines(names, told, room), [(said, "muted")]]


def _is_marked(cell: Drawn) -> bool:
    return any(tone in ("added", "removed") for _, tone in cell)
