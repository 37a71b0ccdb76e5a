"""Quotation marks of a table that have no end, or one that lies in another row.

Both are CSV that can be read, and what is read is wrong: the rows that follow become words of one
cell. So a cell of several lines is held against the table: where one of its lines is a row of it,
and what stands before that line the rest of the row above, the quotation is a mistake. A table that
somebody quotes in a text has words before it, and is none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.written_moment import read_moment

BROKEN = "a line ends in the middle of a field: put the field in quotation marks"
NO_END = "the file ends inside the quotation that begins here: a part of it is missing"
NOT_DOUBLED = (
    "after the quotation that begins here there is neither a delimiter nor the end of a "
    "line: its own end is missing, or a quotation mark in it is not written twice"
)
TOO_FAR = (
    "the quotation that begins here goes on into other rows: its end is missing, or the quotation "
    "mark is one too many"
)

_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*"(?!")')
_WORDS = re.compile(r"[^\W_]+")


def quote_line(text: str, delimiter: str) -> int:
    """Return how many lines below the first of a broken row the quotation begins that breaks it."""
    at = 0
    plain = re.compile(rf"[^{re.escape(delimiter)}\r\n]*+")
    begin = 0
    while at < len(text):
        if text[at] == '"':
            begin = at
            whole = _QUOTED.match(text, at)
            if whole is None or text[whole.end() : whole.end() + 1] not in (
                "", delimiter, "\r", "\n",
            ):  # fmt: skip
                break
            at = whole.end() + 1
        elif (found := plain.match(text, at)) is not None:
            at = found.end() + 1
    return text.count("\n", 0, begin)


@dataclass(frozen=True)
class RowCheck:
    """What rows of a table have to look like: so many cells, and where id and date stand."""

    delimiter: str
    width: int
    id_at: int | None = None
    created_at: int | None = None

    def swallows(self, cells: Sequence[str], *, ragged: bool) -> int | None:
        """Return the number of the cell that has other rows of the table in it; None for none.

        ``ragged``: other rows have not as many cells as the first either.
        """
        for at, cell in enumerate(cells):
            if "\n" in cell and self._holds_row(cells, at):
                return at
        if ragged or len(cells) == self.width:
            return None
        if len(cells) > self.width and not any(cells[self.width :]):
            return None
        # Too few or too many cells, and one has in it what stands between cells and rows.
        return next((at for at, cell in enumerate(cells) if self._may_be_rows(cells, cell)), None)

    def _may_be_rows(self, cells: Sequence[str], cell: str) -> bool:
        if "\n" in cell:
            return self.delimiter in cell
        return len(cells) + cell.count(self.delimiter) == self.width

    def _holds_row(self, cells: Sequence[str], at: int) -> bool:
        """Whether the first line of a cell that reads as a row ends the row that was begun."""
        lines = cells[at].replace("\r\n", "\n").split("\n")
        known = self.id_at if self.id_at is not None and self.id_at < at else None
        wanted = _form(cells[known]) if known is not None else ""
        for number, line in enumerate(lines[1:], 1):
            if line.count(self.delimiter) < min(1, at):
                continue
            pieces = _cells(line, self.delimiter)
            if number == len(lines) - 1:
                pieces = [*pieces, *cells[at + 1 :]]
            if self._is_row(pieces, wanted):
                return self._ends_row("\n".join(lines[:number]), at)
        return False

    def _is_row(self, pieces: Sequence[str], wanted: str) -> bool:
        if len(pieces) != self.width:
            return False
        if self.id_at is not None and (_form(pieces[self.id_at]) != wanted or not wanted):
            return False
        if self.created_at is not None:
            return read_moment(pieces[self.created_at]) is not None
        # Words have a blank behind a comma; cells have none.
        return self.id_at is not None or not any(each[:1].isspace() for each in pieces)

    def _ends_row(self, text: str, at: int) -> bool:
        """Whether a text is the words of a cell and the cells that follow it in a row."""
        missing = self.width - 1 - at
        if missing <= 0:
            return True
        pieces = text.split(self.delimiter)
        if self.created_at is not None and self.created_at > at:
            back = self.width - self.created_at
            return len(pieces) > missing and read_moment(pieces[-back].strip('"')) is not None
        return len(pieces) == missing + 1


def _cells(line: str, delimiter: str) -> list[str]:
    """Return what a line reads as by itself, where that is possible."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _form(key: str) -> str:
    """Return what ids of one make have in common: words are "a", and those with digits "0"."""
    return _WORDS.sub(lambda word: "0" if re.search(r"\d", word[0]) else "a", key.strip())
