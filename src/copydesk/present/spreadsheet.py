"""Tables for spreadsheets: CSV in which nothing that a stranger wrote is run as a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import datetime
from io import StringIO

Cell = str | int | float

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula, some in their wide form too."""


def defused(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: an apostrophe goes before such a start.

    Blanks before it do not help, spreadsheets skip them.
    """
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def table(headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows under their headings as CSV; texts are defused.

    They are quoted as well: where cells are separated by ";", one in a name begins no other cell.
    """
    out = StringIO()
    lines = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    lines.writerow(headings)
    for row in rows:
        lines.writerow([defused(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def day(moment: datetime | None) -> str:
    """Return a date for a table; empty where there is none."""
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def for_spreadsheets(text: str) -> bytes:
    """Return a table for a file: UTF-8 with a mark by which spreadsheets know it."""
    return text.encode("utf-8-sig")
