"""Markdown as blocks and rows, with the exact lines of each: what a comparison of prose works on,
and what a page is drawn from.

A block is a heading, a paragraph, a list item, a table… A row is what a person reads as one line:
a paragraph however it is wrapped, a row of a table, a line of code, a run of blank lines. Rows
follow each other without a gap, so that joined they are the text.

The scanner behind it is our own, and not a parser of CommonMark, for two reasons. It looks at each
line a bounded number of times, so that a page of a megabyte takes a moment whatever is in it (a
tenth of what markdown-it-py needs for its blocks alone). And where a block ends is decided close to
it: an edit in one paragraph never makes another block of the next page down, which is what a
comparison lives on. It knows what stands in documentation and not in CommonMark: front matter, tags
(``{% hint %}``), components of MDX, notes and definitions of MkDocs. Any text is taken.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import blake2s
from typing import Literal, NamedTuple, TypeAlias

from copydesk.domain.block_tags import is_tag
from copydesk.domain.html_table import CUT, ROW, link_text, row_text
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import ordinal

LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
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
        self._lines_of = scanner.lines_of
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
                inside.update(range(*scanner.lines_of(block.first, block.stop)))
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
        return Row(self._kinds[at], *self._lines_of(at, at + 1))

    def line_of(self, line: int) -> int:
        """Return the line of the text (from 0) that one of ``lines`` is of."""
        return line if self._numbers is None else self._numbers[line]

    def heading(self, block: Block) -> str:
        """Return what a heading says, without its signs."""
        return heading_of(self.lines[slice(*self._lines_of(block.first, block.stop))])

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
        kind, start, stop = self.row(row)
        if kind == "blank":
            return ""
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
        quoted = _QUOTE.match(first) is not None
        rest = self.lines[start + 1 : stop]
        if quoted:
            rest = [QUOTING.sub("", line, count=1) for line in rest]
        return " ".join([first.rstrip(" \t"), *(line.strip(" \t") for line in rest)])

    def key(self, row: int) -> str:
        """Return what a row says, for finding it again: blanks evened out, escapes taken off.

        Two rows with one key read the same, but for escapes that may matter.
        """
        kind = self._kinds[row]
        if kind == "html":
            return " ".join(self.source(row).split())
        said = self.said(row)
        if kind == "line":
            return said
        if kind == "cells":
            if is_rule(said):
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
        found += LINES.findall(text, at, stop)
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
    return _ESCAPE.sub(r"\1", said)


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


BlockKind: TypeAlias = Literal[
    "front", "heading", "paragraph", "item", "quote", "table", "code", "math", "html", "tag",
    "rule",
]  # fmt: skip

RowKind: TypeAlias = Literal["blank", "prose", "line", "cells", "html"]
"""``prose`` may be wrapped over several lines, ``cells`` is a row of a table, ``html`` a row of one
that is written in HTML.
"""

CELLS = frozenset({"cells", "html"})
"""The rows that are made of cells."""

_FRONT = re.compile(r"---[ \t]*$")
FIELD = re.compile(r"(\w[\w .-]*):(?=\s|$)[ \t]*(.*)")
"""A setting of front matter: its name and its value."""
_FENCE = re.compile(r"(`{3,}+(?=[^`]*$)|~{3,}+)[ \t]*+(.*)")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r"[ \t]*(?:(=)=*|-+)[ \t]*$")
_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_ITEM = re.compile(r"[ \t]*([-*+]|\d{1,9}[.)])([ \t]+|$)")
_QUOTE = re.compile(r"[ \t]*>")
_REFERENCE = re.compile(r"\[(\^?)[^\]]+\]:[ \t]*\S")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_HTML = re.compile(
    r"<(?:!--|[?!]|/?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|"
    r"details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|"
    r"head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|param|pre|"
    r"script|search|section|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|"
    r"ul)(?:[\s/>]|$))",
    re.IGNORECASE,
)
_LONE_HTML = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>[ \t]*$")
KEPT = re.compile(r"<(!--|(?:pre|script|style|textarea)(?=[\s>]|$))|\{/\*", re.IGNORECASE)
"""HTML, or a comment of MDX, that goes on up to its end, whatever stands in it."""
_HTML_TABLE = re.compile(r"<table(?=[\s>]|$)", re.IGNORECASE)
_DETAILS = re.compile(
    r"(?:<details(?:\s[^<>]*)?>[ \t]*+(?:<summary>.*</summary>)?|<summary>.*</summary>|</details>)"
    r"[ \t]*+$",
    re.IGNORECASE,
)
"""A line of HTML behind which Markdown goes on."""
_NAMED = r"[A-Z](?=[\w.]*[a-z])[\w.]*(?:\s[^<>]*)?"
"""The name of a component of MDX, and its attributes."""
_COMPONENT = re.compile(rf"<(?:/?{_NAMED}>[ \t]*|{_NAMED})$")
"""A line that is only the opening or the closing tag of a component, or the first line of one."""
_BREAK = re.compile(r"(?:  |\\|<br */?>)$")
_SIGN = re.compile(
    r"!!!|\?\?\?|:::|///(?!/)|\{\{[<%]|===[ \t]+\"|:[ \t]|\*\[[^\]]+\]:"
    r"|(?:im|ex)port\b[^\"']*[\"'][^\"']*[\"'];?[ \t]*$"
)
"""A line that means something by itself where it is not CommonMark: a sign of MkDocs, Docusaurus or
Hugo, a definition, an import of MDX."""
_SAYS = (": ", ":\t", "*[")
"""How definitions begin, which are text."""
_HOLDS = re.compile(
    rf"[ \t]*(?:!!!|\?\?\?|===[ \t]+\"|:[ \t]|\[\^[^\]]+\]:|<{_NAMED}(?:>(?=[ \t]*$)|$))"
)
"""A note, a tab or a definition of MkDocs, a footnote, or a component: what it holds is indented
below it."""
QUOTING = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_STARTS = frozenset("#`~>-*+_=<|{[$!?:/ie0123456789")
"""The beginning of a line, after its indentation, that may be no paragraph."""

FORMULA = "$$"
"""What a formula of its own stands between."""

_ONE_FORMULA = re.compile(r"[ \t]*\$\$.+\$\$[ \t]*$")
"""A line that is all of one."""

_MARKED = 300
"""Characters of a line in which the sign of a block is looked for."""


class Row(NamedTuple):
    """Lines ``start`` up to ``stop`` (from 0), read as one."""

    kind: RowKind
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Block:
    """Rows ``first`` up to ``stop`` of a text.

    ``level`` is a heading's; of code it is the column that its lines are moved in to; of an item it
    is 1 where a numbered list goes on.
    """

    kind: BlockKind
    first: int
    stop: int
    level: int = 0


class Scanner:
    """Cuts lines into rows and blocks; ``plain`` looks for nothing but blank lines."""

    def __init__(self, lines: Sequence[str], *, plain: bool = False) -> None:
        self._lines = lines
        self._plain = plain
        self.starts = array("Q")
        """The first line of each row."""
        self.kinds: list[RowKind] = []
        """What each row is."""
        self.blocks: list[Block] = []
        """The blocks, in order."""
        self.unclosed: int | None = None
        """The line of a code fence that nothing closes: all that follows is code."""
        self._columns = [0]
        """Where the texts begin of what holds the line at hand: of items, notes and tabs."""
        self._lists: dict[int, bool] = {}
        """Columns at which a list goes on, and whether it is numbered."""
        self._never: set[str] = set()
        """Ends of HTML that no line from here on has: looked for once."""

    def scan(self) -> None:
        """Cut all lines."""
        at, total = 0, len(self._lines)
        while at < total:
            if _is_blank(self._lines[at]):
                start = at
                while at < total and _is_blank(self._lines[at]):
                    at += 1
                self._row("blank", start)
            else:
                at = self._block(at)

    def lines_of(self, first: int, stop: int) -> tuple[int, int]:
        """Return the first line of rows ``first`` up to ``stop``, and the line after their last."""
        ends = stop == len(self.starts)
        return self.starts[first], len(self._lines) if ends else self.starts[stop]

    def _row(self, kind: RowKind, start: int) -> None:
        self.starts.append(start)
        self.kinds.append(kind)

    def _block(self, at: int) -> int:
        """Cut the block that begins at a line, and return the line after it."""
        line = self._lines[at]
        if self._plain:
            return self._by_line("paragraph", at, self._end(at, lambda line: False))
        if at == 0 and (stop := self._front()):
            return self._by_line("front", at, stop)
        indent = indent_of(line)
        head = line.lstrip(" \t")
        while indent < self._columns[-1]:
            self._columns.pop()
        far = indent >= self._columns[-1] + 4
        item = _ITEM.match(line[:_MARKED])
        if item is not None and not _RULE.match(head[:_MARKED]):
            return self._item(at, item, indent)
        self._leave_lists(indent)
        if fence := _FENCE.match(head):
            return self._fenced(at, fence[1], indent)
        sign = head[0] in _STARTS and (_SIGN.match(head) or _COMPONENT.match(head))
        if far and self._after_gap and not (sign or is_tag(line)):
            column = self._columns[-1] + 4
            return self._by_line("code", at, self._indented(at, column), level=column)
        if head[0] in _STARTS or "|" in line:
            stop = self._sign(at, head) if sign else self._other(at, "" if far else head[:_MARKED])
            if stop:
                return stop
        return self._paragraph(at)

    @property
    def _after_gap(self) -> bool:
        """Whether no text is above, which an indented line would go on with."""
        return not self.kinds or self.kinds[-1] == "blank" or self.blocks[-1].kind == "heading"

    def _front(self) -> int:
        """Return the line after front matter; 0 for a text without."""
        if not _FRONT.match(self._lines[0]):
            return 0
        closing = (n for n in range(1, len(self._lines)) if _FRONT.match(self._lines[n]))
        stop = next(closing, 0)
        said = (line for line in self._lines[1:stop] if not _is_blank(line) and line[0] != "#")
        return stop + 1 if FIELD.match(next(said, "")) else 0

    def _sign(self, at: int, head: str) -> int:
        """Cut a line that means something by itself; return 0 for a definition, which is text."""
        if head.startswith(_SAYS):
            return 0
        stop = at + 1
        if head[0] == "<" and ">" not in head:
            stop = self._end(stop, lambda line: line.rstrip(" \t").endswith(">"))
            stop += stop < len(self._lines) and not _is_blank(self._lines[stop])
        if not self._lines[stop - 1].rstrip(" \t").endswith("/>"):
            self._hold(at, at)
        return self._by_line("tag", at, stop)

    def _other(self, at: int, head: str) -> int:
        """Cut a block that its first line tells; 0 when it is a paragraph."""
        line = self._lines[at]
        if is_tag(line):
            return self._by_line("tag", at, at + 1)
        if stop := self._formula(at):
            return stop
        heading = _HEADING.match(head)
        if heading is not None:
            return self._prose("heading", at, at + 1, len(heading[1]))
        if _RULE.match(head):
            return self._by_line("rule", at, at + 1)
        reference = _REFERENCE.match(head)
        if reference is not None and not reference[1]:
            return self._prose("paragraph", at, at + 1)
        if _QUOTE.match(head):
            return self._quote(at)
        if any(found.match(head) for found in (_HTML, _LONE_HTML, KEPT)):
            return self._html(at, head)
        if self._begins_table(at):
            return self._by_line("table", at, self._end(at + 2, self._interrupts), "cells")
        return 0

    def _cut(
        self, kind: BlockKind, rows: Iterable[int], stop: int, row: RowKind = "line", level: int = 0
    ) -> int:
        """Cut a block up to a line, with a row from each of some lines on."""
        first = len(self.starts)
        for line in rows:
            self._row(row, line)
        self.blocks.append(Block(kind, first, len(self.starts), level))
        return stop

    def _by_line(
        self, kind: BlockKind, at: int, stop: int, row: RowKind = "line", level: int = 0
    ) -> int:
        return self._cut(kind, range(at, stop), stop, row, level)

    def _prose(self, kind: BlockKind, at: int, stop: int, level: int = 0) -> int:
        """Cut prose: one row, or one up to each forced line break."""
        last = stop - 1 if kind == "heading" else 0  # which may underline it
        more = (n for n in range(at + 1, stop) if n == last or _breaks(self._lines[n - 1]))
        return self._cut(kind, (at, *more), stop, "prose", level)

    def _paragraph(self, at: int) -> int:
        """Cut a paragraph, or the heading that it is with a line below it."""
        stop = self._text_end(at + 1)
        rule = None if stop == len(self._lines) else _UNDERLINE.match(self._lines[stop][:_MARKED])
        if rule is not None:
            return self._prose("heading", at, stop + 1, 1 if rule[1] else 2)
        self._hold(at, stop - 1)
        return self._prose("paragraph", at, stop)

    def _hold(self, first: int, last: int) -> None:
        """Take note of where the text goes on that belongs to these lines."""
        column, least = indent_of(self._lines[last]), self._columns[-1] + 4
        if sign := _HOLDS.match(self._lines[first]):
            signs = 2 if _HOLDS.match(self._lines[first], sign.end()) else 1
            column, least = (indent_of(self._lines[first]) // 4 + signs) * 4, self._columns[-1] + 1
        if column >= least:
            self._columns.append(column)

    def _item(self, at: int, item: re.Match[str], indent: int) -> int:
        self._columns.append(indent + len(item[1]) + min(max(1, len(item[2])), 4))
        number = item[1][0].isdigit()
        again = number and self._lists.get(indent, False)
        self._leave_lists(indent)
        self._lists[indent] = number
        if fence := _FENCE.match(self._lines[at], item.end()):
            return self._fenced(at, fence[1], item.end())
        return self._prose("item", at, self._text_end(at + 1, underlines=False), int(again))

    def _leave_lists(self, indent: int) -> None:
        """Forget the lists that a line ends which is indented so far."""
        self._lists = {at: number for at, number in self._lists.items() if at < indent}

    def _fenced(self, at: int, mark: str, column: int) -> int:
        """Cut code in a fence, up to its closing or the end of the text."""
        closing = re.compile(rf"[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
        for line in range(at + 1, len(self._lines)):
            if closing.match(self._lines[line]):
                return self._by_line("code", at, line + 1, level=column)
        self.unclosed = at
        return self._by_line("code", at, len(self._lines), level=column)

    def _formula(self, at: int) -> int:
        """Cut a block formula with its ``$$`` lines; return 0 where none begins here."""
        if _ONE_FORMULA.match(self._lines[at]):
            return self._by_line("math", at, at + 1)
        if not _is_formula(self._lines[at]):
            return 0
        last = self._end(at + 1, _is_formula)
        if last == len(self._lines) or not _is_formula(self._lines[last]):
            return 0
        return self._cut("math", (at, *range(at + 2, last)), last + 1)

    def _indented(self, at: int, column: int) -> int:
        """Return where indented code ends: blank lines belong to it between code."""
        stop = at + 1
        for line in range(at + 1, len(self._lines)):
            if _is_blank(self._lines[line]):
                continue
            if indent_of(self._lines[line]) < column:
                break
            stop = line + 1
        return stop

    def _quote(self, at: int) -> int:
        """Cut a quote: what it holds begins a row where it would begin a block."""
        stop = self._end(at + 1, lambda line: not _QUOTE.match(line) and self._interrupts(line))
        rows: list[int] = []
        outside, self._lists = self._lists, {}
        fresh, coded = True, False
        depth = 0
        for line in range(at, stop):
            quoting = QUOTING.match(self._lines[line])
            inner = self._lines[line][quoting.end() if quoting else 0 :]
            fence = _FENCE.match(inner.lstrip(" \t"))
            begins = not inner or coded or inner[0] == "|" or self._interrupts(inner)
            if quoting is not None and (deep := quoting[0].count(">")) != depth:
                # A quote in a quote: joined, its sign would be lost.
                depth, begins = deep, True
            if fresh or begins or _breaks(self._lines[line - 1]):
                rows.append(line)
            if begins and _ITEM.match(inner[:_MARKED]):
                self._lists[0] = True
            fresh = not inner or fence is not None
            coded ^= fence is not None
        self._lists = outside
        return self._cut("quote", rows, stop, "prose")

    def _html(self, at: int, head: str) -> int:
        if _DETAILS.match(head):
            return self._by_line("html", at, at + 1)
        if _HTML_TABLE.match(head) and (stop := self._table_end(at)):
            return self._html_rows(at, stop)
        kept = KEPT.match(head)
        if kept is None:
            stop = self._html_rows(at, self._end(at + 1, self._ends_html))
            self._hold(at, stop - 1)
            return stop
        name = (kept[1] or "").lower()
        closing = {"!--": "-->", "": "*/}"}.get(name, f"</{name}")
        if closing not in self._never:
            for line in range(at, len(self._lines)):
                if closing in self._lines[line].lower():
                    return self._by_line("html", at, line + 1)
            self._never.add(closing)
        return self._by_line("html", at, self._end(at + 1, lambda line: False))

    def _table_end(self, at: int) -> int:
        """Return where a table in HTML ends that begins at a line; 0 where nothing closes it.

        There may be blank lines in it, but no Markdown behind one, and no tag.
        """
        blank = False
        for line in range(at, len(self._lines)):
            said = self._lines[line].strip(" \t")
            another = line > at and (_HTML_TABLE.match(said) or is_tag(said))
            if another or (blank and said and said[0] != "<"):
                return 0
            if "</table" in said.lower():
                return line + 1
            blank = not said
        return 0

    def _html_rows(self, at: int, stop: int) -> int:
        """Cut HTML line by line, but the rows of tables from where they begin to where they end."""
        first = len(self.starts)
        line = at
        while line < stop:
            end, kind = self._row_of_table(line, stop)
            self._row(kind, line)
            line = end
        self.blocks.append(Block("html", first, len(self.starts)))
        return stop

    def _row_of_table(self, at: int, stop: int) -> tuple[int, RowKind]:
        """Return where the row of a table ends that begins at a line, else the next line."""
        if ROW.match(self._lines[at]):
            for line in range(at, stop):
                if line > at and ROW.match(self._lines[line]):
                    break  # nothing closes the first
                if "</tr" in self._lines[line].lower():
                    return line + 1, "html"
        return at + 1, "line"

    def _end(self, at: int, ends: Callable[[str], bool]) -> int:
        """Return the first line from ``at`` on that is blank or ends the block."""
        while at < len(self._lines) and not _is_blank(line := self._lines[at]) and not ends(line):
            at += 1
        return at

    def _text_end(self, at: int, *, underlines: bool = True) -> int:
        """Return the first line from ``at`` on that text above it does not go on in."""
        while at < len(self._lines) and not _is_blank(line := self._lines[at]):
            if underlines and _UNDERLINE.match(line[:_MARKED]):
                break
            if self._interrupts(line) or self._begins_table(at):
                break
            at += 1
        return at

    def _interrupts(self, line: str) -> bool:
        """Whether a line begins a block, so that the block above it ends."""
        head = line.lstrip(" \t")
        return head[:1] in _STARTS and (
            self._ends_html(line) or _HTML.match(head[:_MARKED]) is not None
        )

    def _ends_html(self, line: str) -> bool:
        """The same for HTML, which goes on in more of it, also where some of that is a comment."""
        head = line.lstrip(" \t")
        if head[:1] not in _STARTS or head.startswith("<!--"):
            return False
        item = _ITEM.match(head[:_MARKED])
        if item is not None and not _RULE.match(head[:_MARKED]):
            # Outside of lists a number that is not 1 is the start of a sentence's line.
            begins = item[2] and (not item[1][0].isdigit() or item[1][:-1] == "1")
            return bool(self._lists or begins)
        return is_tag(line) or any(found.match(head) for found in _BEGINNINGS)

    def _begins_table(self, at: int) -> bool:
        """Whether a line is the head of a table: a line of dashes stands below it."""
        if "|" not in self._lines[at] or at + 1 >= len(self._lines):
            return False
        below = self._lines[at + 1]
        return "|" in below and is_rule(below)


_BEGINNINGS = (
    _FENCE, _HEADING, _RULE, _QUOTE, _REFERENCE, _SIGN, _COMPONENT, _DETAILS, _HTML_TABLE, KEPT,
)  # fmt: skip
"""What begins a block also where it stands below text or HTML."""


def read_fence(line: str) -> tuple[str, str] | None:
    """Return the sign of the item that code begins in ("" for none), and its language.

    None for a line that begins none, as the first one of code that is indented.
    """
    item, said = item_of(line)
    fence = _FENCE.match(said.lstrip(" \t"))
    return None if fence is None else (item, fence[2].strip())


def heading_of(lines: Sequence[str]) -> str:
    """Return what a heading says, without its signs."""
    if len(lines) > 1:
        return " ".join(line.strip() for line in lines[:-1])
    said = lines[0].strip().lstrip("#").strip()
    bare = said.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else said


def item_of(line: str) -> tuple[str, str]:
    """Return the sign of an item, and its text on the same line; "" and the line for others."""
    item = _ITEM.match(line)
    return ("", line) if item is None else (item[1], line[item.end() :])


def is_rule(line: str) -> bool:
    """Whether a row of a table is the line of dashes below its head."""
    return _DELIMITER.match(line.strip(" \t")) is not None


def _is_blank(line: str) -> bool:
    return not line.strip(" \t")


def _is_formula(line: str) -> bool:
    """Whether a line is one of the two that a formula stands between."""
    return line.strip(" \t") == FORMULA


def _breaks(line: str) -> bool:
    """Whether the next line begins a new one where it is shown, too."""
    return _BREAK.search(line[-8:]) is not None


def indent_of(line: str) -> int:
    """Return how far a line is indented; a tab goes to the next fourth column."""
    column = 0
    for sign in line:
        if sign == " ":
            column += 1
        elif sign == "\t":
            column += 4 - column % 4
        else:
            break
    return column


QUOTED = 80
"""Characters of the line that are kept in its anchor."""

_PREFIX = "line:"


def anchor(lines: Sequence[str], at: int) -> str | None:
    """Return the anchor of a line; None for a blank one, for many are alike."""
    said = _even(lines[at])
    if not said:
        return None
    nth = sum(1 for line in lines[:at] if _even(line) == said)
    return f"{_PREFIX}{_digest(said)}:{nth}:{said[:QUOTED]}"


def anchor_of_quote(text: str, quote: str) -> str:
    """Return the anchor of the first line of a text that holds ``quote``.

    Raises ``ValueError`` when no line does.
    """
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if quote in line and (found := anchor(lines, at)) is not None:
            return found
    raise ValueError(f"no line says {quote!r}")


def is_anchor(node: str) -> bool:
    """Whether a node id is an anchor of a line; others belong to the service."""
    return node.startswith(_PREFIX) and node.count(":") >= 3


def quoted(node: str) -> str:
    """Return the start of the line that an anchor is about; empty for other node ids."""
    return node.split(":", 3)[3] if is_anchor(node) else ""


class AnchoredLines:
    """The lines of a text, found by their anchors. Made once per text, in time linear to it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            if said := _even(line):
                self._places.setdefault(_digest(said), []).append(at)

    def find(self, node: str, *, exact: bool = False) -> int | None:
        """Return the place of the line of an anchor, counted from 0, or None when it is gone.

        Where fewer equal lines are left than there were, it is the last of them, or, if it is to be
        ``exact``, none.
        """
        if not is_anchor(node):
            return None
        _, digest, nth, _ = node.split(":", 3)
        places = self._places.get(digest)
        if not places:
            return None
        wanted = ordinal(nth)
        if exact and wanted >= len(places):
            return None
        return places[min(wanted, len(places) - 1)]


def _even(line: str) -> str:
    return " ".join(line.split())


def _digest(said: str) -> str:
    return blake2s(said.encode(errors="surrogatepass"), digest_size=6).hexdigest()
