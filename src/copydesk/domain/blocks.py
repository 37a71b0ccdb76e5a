"""Markdown as blocks and rows, with the exact lines of each: what a comparison of prose works on.

A block is a heading, a paragraph, a list item, a table… A row is what a person reads as one line:
a paragraph however it is wrapped, a row of a table, a line of code, a run of blank lines. Rows
follow each other without a gap, so that joined they are the text.

The scanner behind it is our own, and not a parser of CommonMark, for two reasons. It looks at each
line a bounded number of times, so that a page of a megabyte takes a moment whatever is in it (a
tenth of what markdown-it-py needs for its blocks alone). And where a block ends is decided close to
it: an edit in one paragraph never makes another block of the next page down, which is what a
comparison lives on. It knows tags (``{% hint %}``) and front matter, which stand in documentation
and not in CommonMark. Any text is taken.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property

from copydesk.domain.block_scanner import (
    DELIMITER,
    QUOTE,
    QUOTING,
    Row,
    RowKind,
    Scanner,
)
from copydesk.domain.html_table import CUT, link_text, row_text

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BLANKS = re.compile(r"[ \t]+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_PIECE = 65_536
"""Characters cut into lines at once."""

_MANY = 100
"""Lines from which on a wrapped row is joined only once."""

_CELL_PARTS = re.compile(r"(\\.|\|)", re.DOTALL)


class BlockText:
    """A text cut into lines, rows and blocks.

    ``lines`` have no line ends, ``source`` has everything. A line that holds several rows of a
    table in HTML is several ``lines``; `line_of` has its number. ``unclosed`` is the line (from 0)
    of a code fence that nothing closes, so that all that follows is code; None where there is none.
    """

    def __init__(self, text: str, *, plain: bool = False) -> None:
        self.text = text
        self._raw = _lines(text)
        self.lines = [line.rstrip("\r\n") for line in self._raw]
        scanner = Scanner(self.lines, plain=plain)
        scanner.scan()
        self._numbers: array[int] | None = None
        """The line that each of ``lines`` is of; None where each is one."""
        if "<tr" in text or "<TR" in text:
            scanner = self._cut_tables(scanner)
        self._starts = scanner.starts
        self._kinds = scanner.kinds
        self.blocks = scanner.blocks
        self.unclosed = scanner.unclosed
        self._joined: dict[int, str] = {}

    def _cut_tables(self, scanner: Scanner) -> Scanner:
        """Let each row of a table in HTML begin a line of its own."""
        cut: list[str] = []
        numbers = array("Q")
        inside: set[int] = set()
        for block in scanner.blocks:
            if block.kind == "html":
                ends = block.stop == len(scanner.starts)
                stop = len(self.lines) if ends else scanner.starts[block.stop]
                inside.update(range(scanner.starts[block.first], stop))
        for at, line in enumerate(self._raw):
            pieces = _pieces(line) if at in inside else [line]
            cut += pieces
            numbers.extend([at] * len(pieces))
        if len(cut) == len(self._raw):
            return scanner
        self._raw, self._numbers = cut, numbers
        self.lines = [line.rstrip("\r\n") for line in cut]
        scanner = Scanner(self.lines)
        scanner.scan()
        return scanner

    def __len__(self) -> int:
        return len(self._starts)

    def row(self, at: int) -> Row:
        """Return a row."""
        stop = self._starts[at + 1] if at + 1 < len(self._starts) else len(self.lines)
        return Row(self._kinds[at], self._starts[at], stop)

    def line_of(self, line: int) -> int:
        """Return the line of the text (from 0) that one of ``lines`` is of."""
        return line if self._numbers is None else self._numbers[line]

    def row_of_line(self, line: int) -> int:
        """Return the row that a line (from 0) is in."""
        return bisect_right(self._starts, line) - 1

    def block_of(self, row: int) -> int | None:
        """Return the place of the block that a row is in; None for blank lines between blocks."""
        at = bisect_right(self._firsts, row) - 1
        return at if at >= 0 and row < self.blocks[at].stop else None

    @cached_property
    def _firsts(self) -> list[int]:
        return [block.first for block in self.blocks]

    @cached_property
    def offsets(self) -> array[int]:
        """Where each line begins in the text, in characters; at the end the length of the text."""
        found = array("Q", [0])
        at = 0
        for line in self._raw:
            at += len(line)
            found.append(at)
        return found

    def span(self, row: int) -> tuple[int, int]:
        """Return where a row begins and ends in the text, in characters."""
        _, start, stop = self.row(row)
        return self.offsets[start], self.offsets[stop]

    def source(self, row: int) -> str:
        """Return the exact text of a row, with its line ends."""
        _, start, stop = self.row(row)
        return "".join(self._raw[start:stop])

    def said(self, row: int) -> str:
        """Return a row as one line: wrapped prose joined, its first indentation kept.

        Links and rows of tables in HTML read as those of Markdown do.
        """
        kind, start = self._kinds[row], self._starts[row]
        if kind == "blank":
            return ""
        stop = self._starts[row + 1] if row + 1 < len(self._starts) else len(self.lines)
        if (known := self._joined.get(row)) is not None:
            return known
        if kind == "html":
            source = self.source(row)
            said = self._joined[row] = row_text(source) or " ".join(source.split())
            return said
        said = self._said(kind, start, stop)
        if kind == "prose" and "</a" in said and "`" not in said:
            said = self._joined[row] = link_text(said)
        elif stop - start > _MANY:
            self._joined[row] = said
        return said

    def show_source(self, row: int) -> None:
        """Let a row be said as it was written: what differs in it is not seen otherwise."""
        self._joined[row] = " ".join(self.source(row).split())

    def _said(self, kind: RowKind, start: int, stop: int) -> str:
        first = self.lines[start]
        if stop - start == 1:
            return first if kind == "line" else first.rstrip(" \t")
        quoted = QUOTE.match(first) is not None
        rest = self.lines[start + 1 : stop]
        if quoted:
            rest = [QUOTING.sub("", line, count=1) for line in rest]
        return " ".join([first.rstrip(" \t"), *(line.strip(" \t") for line in rest)])

    def key(self, row: int) -> str:
        """Return what a row says, for finding it again: blanks evened out, escapes taken off.

        Two rows with one key read the same, but for escapes that may matter (`reads_same`).
        """
        kind = self._kinds[row]
        if kind == "html":
            return " ".join(self.source(row).split())
        said = self.said(row)
        if kind == "line":
            return said
        if kind == "cells":
            if DELIMITER.match(said.strip(" \t")):
                said = re.sub("-+", "-", said)
            return "|".join(even(cell).strip() for cell in cells(said.strip(" \t")))
        return even(said)

    def block_key(self, at: int) -> str:
        """Return what a block says, for finding it again."""
        block = self.blocks[at]
        keys = [self.key(row) for row in range(block.first, block.stop)]
        # Nobody sees the number of an item that is not the first: Markdown counts itself.
        if block.kind == "item" and block.level:
            keys[0] = re.sub(r"^\d+", "1", keys[0].lstrip())
        return f"{block.kind}\n" + "\n".join(keys)


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends, cut piece by piece: other threads wait for one
    call at a time.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        stop = text.find("\n", at + _PIECE) + 1 or len(text)
        found += _LINES.findall(text, at, stop)
        at = stop
    return found


def _pieces(line: str) -> list[str]:
    """Return a line cut where rows of a table begin and end; no piece is blank."""
    pieces: list[str] = []
    blank = ""
    for piece in CUT.split(line):
        if not piece.strip():
            if pieces:
                pieces[-1] += piece
            else:
                blank += piece
        else:
            pieces.append(blank + piece)
            blank = ""
    return pieces or [line]


def even(said: str) -> str:
    """Return text with its blanks evened out and Markdown's escapes taken off."""
    said = _BLANKS.sub(" ", said).rstrip(" ")
    return _ESCAPE.sub(r"\1", said) if "\\" in said else said


def cells(row: str) -> list[str]:
    """Return the cells of a table's row with the blanks around them; joined by "|" they are it."""
    if "\\" not in row:
        return row.split("|")
    found: list[list[str]] = [[]]
    for part in _CELL_PARTS.split(row):
        if part == "|":
            found.append([])
        else:
            found[-1].append(part)
    return ["".join(parts) for parts in found]
