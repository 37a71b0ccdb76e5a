"""Who wrote a block, in the few cells beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache

from rich.cells import cell_len, set_cell_size

from copydesk.domain.moments import age
from copydesk.session.reads.history import MINE, BlameRow

WIDE = 90
"""The cells of a pane from which on names are written out, with the age: the text needs its own."""

SHORT, LONG = 9, 24
"""Cells for initials and a number; for a name, a number and an age."""

ONLY = "Only this change request wrote it."
"""Said of a page that is in no revision yet."""


def author_cells(pane: int) -> int:
    """Return how many cells are for who wrote a block, in a pane of so many."""
    return LONG if pane >= WIDE else SHORT


Authors = Callable[[int], Sequence[str]]
"""Returns who wrote each block, all equally wide, beside a text in a pane of so many cells."""


def authors(rows: Sequence[BlameRow], now: datetime) -> Authors:
    """Return what is said beside the text of who brought these blocks."""

    @cache
    def labels(cells: int) -> Sequence[str]:
        return [author_label(row, now, cells) for row in rows]

    return lambda pane: labels(author_cells(pane))


def author_label(row: BlameRow, now: datetime, cells: int) -> str:
    """Return who brought a block, with which change request and when, in so many cells."""
    brought = row.revision
    if brought is None:
        return set_cell_size("older", cells)
    if brought is MINE:
        return set_cell_size(MINE.who if cells >= LONG else "mine", cells)
    number = "" if brought.number is None else f"#{brought.number}"
    if cells < LONG:
        return set_cell_size(f"{initials(brought.who)} {number}", cells)
    return set_cell_size(
        f"{set_cell_size(brought.who, 10)} {number:<6}{age(brought.at, now)}", cells
    )


def initials(name: str) -> str:
    """Return two letters for a name: of its first and its last word, or of its one word."""
    words = [word for word in name.split() if word[0].isalnum()]
    if len(words) < 2:
        return (words[0] if words else "?")[:2]
    found = words[0][0] + words[-1][0]
    return found if cell_len(found) <= 4 else found[0]
