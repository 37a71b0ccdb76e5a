"""Blocks of Markdown, found with one cheap scan, so that only visible ones are parsed closely.

A block is a heading, a paragraph, a list item, a quote, a table, code, a formula, a rule, front
matter, or what begins a block of the platform, such as ``{% hint style="info" %}`` or
``<details>``. What stands in such a block carries a bar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from copydesk.domain.block_tags import KINDS, is_tag, read_tag, said_of
from copydesk.domain.block_tags import Kind as TagKind
from copydesk.domain.late_dataclass import dataclass

if TYPE_CHECKING:
    from copydesk.present.tables import Table

Kind = Literal[
    "front", "heading", "paragraph", "item", "quote", "table", "card", "code", "math", "rule",
    "tag", "blank",
]  # fmt: skip

CODE_LINES = 200
"""Lines of code in one block: longer ones are cut, so that no block is slow to draw."""

TABLE_ROWS = 10
"""The same for rows of a table."""

MOST_BARS = 6
"""What is nested deeper carries no further bar: a page of openings stays readable."""

MOST_NAMES = 12
"""Tabs that are named above them; each has its name over it as well."""

EXPANDABLE = TagKind("expandable", "folded", holds=True)
"""``<details>``, which is no tag."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$")
_QUOTE = re.compile(r"^ {0,3}>\s?(.*)$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_HTML_TABLE = re.compile(r"^ {0,3}<table(?=[\s>])", re.IGNORECASE)
_DETAILS = re.compile(
    r"^\s*<details(?:\s[^>]*)?>\s*(?:<summary>(.*)</summary>)?\s*$", re.IGNORECASE
)
_SUMMARY = re.compile(r"^\s*<summary>(.*)</summary>\s*$", re.IGNORECASE)
_END_DETAILS = re.compile(r"^\s*</details>\s*$", re.IGNORECASE)
_FRONT = re.compile(r"^---[ \t]*$")
_FIELD = re.compile(r"^[\w-]+[ \t]*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page. ``line`` is the first source line.

    ``level`` is a heading's or a nesting; of a block that was cut it is the number of the first
    line or row in this piece. ``mark`` is the sign of an item, the language of code, the word of a
    tag. ``note`` is what a tag is told with beside what it says: the number of a step.
    """

    kind: Kind
    line: int
    lines: tuple[str, ...]
    level: int = 0
    mark: str = ""
    bars: int = 0
    note: str = ""
    sign: str = ""
    table: Table | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """Its source without markers, joined."""
        return "\n".join(self.lines)


def blocks(source: str, *, literal: bool = False) -> list[Block]:
    """Return the blocks of a page in order; ``literal`` takes no HTML for a block."""
    return _Cutter(source.split("\n"), literal=literal).cut()


class _Open:
    """A block of the platform that has begun: its place among those found, and its parts'."""

    def __init__(self, name: str, at: int, bars: int) -> None:
        self.name, self.at, self.bars = name, at, bars
        self.parts: list[int] = []


class _Cutter:
    """Cuts the lines of a page into blocks."""

    def __init__(self, lines: Sequence[str], *, literal: bool) -> None:
        self._lines = lines
        self._literal = literal
        self._found: list[Block] = []
        self._open: list[_Open] = []
        """What has begun and not ended, the innermost last."""
        self._named: dict[str, list[_Open]] = {}
        """The same by name."""
        self._tables = 0
        """Where the search for tables in HTML goes on, so that nothing is searched twice."""

    @property
    def _bars(self) -> int:
        return self._open[-1].bars if self._open else 0

    def cut(self) -> list[Block]:
        """Return all blocks."""
        at, total = self._front(), len(self._lines)
        while at < total:
            at = self._block(at)
        while self._open:
            self._close()
        return self._found

    def _put(
        self, kind: Kind, line: int, lines: tuple[str, ...], level: int = 0, mark: str = "",
        *, table: Table | None = None,
    ) -> None:  # fmt: skip
        self._found.append(Block(kind, line, lines, level, mark, self._bars, table=table))

    def _front(self) -> int:
        """Cut front matter, and return the line after it."""
        if self._literal or not self._lines or not _FRONT.match(self._lines[0]):
            return 0
        stop = next((n for n in range(1, len(self._lines)) if _FRONT.match(self._lines[n])), 0)
        if stop < 2 or not _FIELD.match(self._lines[1]):
            return 0
        self._put("front", 0, tuple(self._lines[1:stop]))
        return self._past(stop + 1, str.strip)

    def _block(self, at: int) -> int:
        """Cut the block that begins at a line, and return the line after it."""
        line, start = self._lines[at], at
        total = len(self._lines)
        stripped = line.strip()
        if not stripped:
            while at < total and not self._lines[at].strip():
                at += 1
            self._put("blank", start, ())
            return at
        if match := _FENCE.match(line):
            fence, language = match.group(1), match.group(2).strip()
            stop = self._past(at + 1, lambda each: _closes(each, fence))
            self._code(start + 1, self._lines[at + 1 : stop], language)
            return stop + 1
        if stripped[0] in "{<$" and (stop := self._platform(at, line, stripped)):
            return stop
        if match := _HEADING.match(line):
            self._put("heading", start, (match.group(2) or "",), len(match.group(1)))
            return at + 1
        if _RULE.match(line):
            self._put("rule", start, ())
            return at + 1
        if match := _QUOTE.match(line):
            quoted = []
            while at < total and (match := _QUOTE.match(self._lines[at])):
                quoted.append(match.group(1))
                at += 1
            self._put("quote", start, tuple(quoted))
            return at
        if match := _ITEM.match(line):
            at = self._past(at + 1, lambda each: not _continues(each))
            rest = [each.strip() for each in self._lines[start + 1 : at]]
            item = (match.group(3) or "", *rest)
            indent = len(match.group(1).expandtabs(4))
            self._put("item", start, item, indent // 2, match.group(2))
            return at
        if "|" in line and at + 1 < total and _TABLE_RULE.match(self._lines[at + 1]):
            stop = self._past(at + 2, lambda each: "|" not in each)
            self._markdown_table(at, stop)
            return stop
        return self._paragraph(at)

    def _past(self, at: int, ends: Callable[[str], object]) -> int:
        """Return the first line from ``at`` on that ends a block; the number of lines for none."""
        while at < len(self._lines) and not ends(self._lines[at]):
            at += 1
        return at

    def _paragraph(self, at: int) -> int:
        start = at
        paragraph = [self._lines[at].strip()]
        at += 1
        while at < len(self._lines) and _continues(self._lines[at]):
            if set(self._lines[at].strip()) in ({"="}, {"-"}):
                break
            paragraph.append(self._lines[at].strip())
            at += 1
        underline = self._lines[at].strip() if at < len(self._lines) else ""
        if underline and set(underline) in ({"="}, {"-"}):
            level = 1 if underline[0] == "=" else 2
            self._put("heading", start, (" ".join(paragraph),), level)
            return at + 1
        self._put("paragraph", start, tuple(paragraph))
        return at

    def _code(self, start: int, body: Sequence[str], language: str) -> None:
        for cut in range(0, max(len(body), 1), CODE_LINES):
            self._put("code", start + cut, tuple(body[cut : cut + CODE_LINES]), cut, language)

    # What the platform has

    def _platform(self, at: int, line: str, stripped: str) -> int:
        """Cut a tag, HTML or a formula off; return the line after it, 0 where none begins here."""
        if stripped[0] == "{":
            return self._tag(at, line)
        if stripped[0] == "$":
            return self._math(at, stripped)
        if self._literal:
            return 0
        if _END_DETAILS.match(line):
            return at + 1 if self._end("details") else 0
        if match := _DETAILS.match(line):
            title, stop = match.group(1), at + 1
            if title is None:
                below = self._past(stop, str.strip)
                summary = _SUMMARY.match(self._lines[below]) if below < len(self._lines) else None
                if summary is None:
                    return 0
                title, stop = summary.group(1), below + 1
            self._begin("details", at, title, EXPANDABLE)
            return stop
        if at >= self._tables and _HTML_TABLE.match(line):
            return self._html_table(at)
        return 0

    def _math(self, at: int, stripped: str) -> int:
        """Cut a formula of its own: between lines that begin and end with ``$$``."""
        if not stripped.startswith("$$"):
            return 0
        if len(stripped) > 4 and stripped.endswith("$$"):
            self._put("math", at, (stripped[2:-2],))
            return at + 1
        if stripped != "$$":
            return 0
        stop = self._past(at + 1, lambda each: each.strip() in ("$$", ""))
        if stop == len(self._lines) or not self._lines[stop].strip():
            return 0
        self._put("math", at + 1, tuple(self._lines[at + 1 : stop]))
        return stop + 1

    def _tag(self, at: int, line: str) -> int:
        """Cut a line that is a tag; one that is not known stays as it was written."""
        tag = read_tag(line)
        if tag is not None and not tag.ends:
            self._begin(tag.name, at, said_of(tag, line), tag.kind)
        elif tag is None or (_is_whole(tag.name, tag.kind) and not self._end(tag.name)):
            if not is_tag(line):
                return 0
            self._put("tag", at, (line.strip(),))
        return at + 1

    def _begin(self, name: str, at: int, about: str, kind: TagKind) -> None:
        """Cut what begins a block of the platform."""
        outer = self._bars
        if kind.inside == "if" and self._open:
            # The next case is no part of the one before.
            if self._open[-1].name in ("elif", "else"):
                self._close()
            outer = max(0, self._bars - 1)
        if whole := self._named.get(kind.inside):
            whole[-1].parts.append(len(self._found))
        if _is_whole(name, kind):
            begun = _Open(name, len(self._found), min(outer + kind.holds, MOST_BARS))
            self._open.append(begun)
            self._named.setdefault(name, []).append(begun)
        self._found.append(Block("tag", at, (about,), 0, kind.word, outer, sign=kind.sign))

    def _end(self, name: str) -> bool:
        """End the innermost block of that name, and what began in it; False where none is open."""
        if not self._named.get(name):
            return False
        while self._close() != name:
            pass
        return True

    def _close(self) -> str:
        """End the innermost block, and return its name.

        Its parts learn which they are, and it what they are called.
        """
        ended = self._open.pop()
        self._named[ended.name].pop()
        if ended.name == "tabs":
            names = [self._found[at].text for at in ended.parts[:MOST_NAMES]]
            self._found[ended.at] = replace(self._found[ended.at], lines=(" | ".join(names),))
        elif ended.name in ("stepper", "columns"):
            for nth, at in enumerate(ended.parts, 1):
                self._found[at] = replace(self._found[at], note=f"{nth}/{len(ended.parts)}")
        return ended.name

    # Tables

    def _markdown_table(self, at: int, stop: int) -> None:
        from copydesk.present.tables import markdown_table  # few pages have tables

        table = markdown_table(self._lines[at], self._lines[at + 1], self._lines[at + 2 : stop])
        self._rows(table, at + 2, self._lines[at + 2 : stop])

    def _html_table(self, at: int) -> int:
        """Cut a table in HTML that begins at a line; 0 where it cannot be shown as one."""
        from copydesk.present.tables import html_table  # as above

        stop = self._past(at, lambda each: "</table" in each.lower())
        self._tables = stop + 1
        found = html_table("\n".join(self._lines[at : stop + 1]))
        if found is None:
            return 0
        table, rows = found
        self._rows(table, at, rows, one_line=True)
        return stop + 1

    def _rows(
        self, table: Table, line: int, rows: Sequence[str], *, one_line: bool = False
    ) -> None:
        if table.cards:
            for nth, row in enumerate(rows, 1):
                self._found.append(
                    Block("card", line, (row,), 0, "card", self._bars, f"{nth}/{len(rows)}",
                          table=table)
                )  # fmt: skip
            return
        for cut in range(0, max(len(rows), 1), TABLE_ROWS):
            part = tuple(rows[cut : cut + TABLE_ROWS])
            self._put("table", line + (0 if one_line else cut), part, cut, table=table)


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _is_whole(name: str, kind: TagKind) -> bool:
    """Whether other blocks stand in a block of the platform, so that its end matters."""
    return kind.holds or name in _WHOLES


_WHOLES = frozenset(kind.inside for kind in KINDS.values())


def _continues(line: str) -> bool:
    """Whether a line continues the paragraph or item before it."""
    return bool(line.strip()) and not (
        _FENCE.match(line)
        or _HEADING.match(line)
        or _QUOTE.match(line)
        or _ITEM.match(line)
        or is_tag(line)
        or _END_DETAILS.match(line)
        or _RULE.match(line)
    )
