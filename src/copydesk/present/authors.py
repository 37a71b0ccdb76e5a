"""Who wrote a block, in the few cells beside it."""

from __future__ import annotations

from datetime import datetime

from rich.cells import cell_len, set_cell_size

from copydesk.domain.age import age
from copydesk.session.reads.history import MINE, BlameRow

WIDE = 100
"""The cells of a screen from which on names are written out, with the age."""

SHORT, LONG = 9, 24
"""Cells for initials and a number; for a name, a number and an age."""

ONLY = "Only this request wrote it."
"""Said of a page that is in no revision yet."""


def author_cells(screen: int) -> int:
    """Return how many cells are for who wrote a block, on a screen of this width."""
    return LONG if screen >= WIDE else SHORT


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
