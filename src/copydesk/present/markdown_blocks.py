"""Blocks of Markdown, found with one cheap scan, so that only visible ones are parsed closely.

A block is a heading, a paragraph, a list item, a quote, a table, a fenced code block, a rule, or a
line such as ``{% hint style="info" %}``. Blocks inside a hint carry a bar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from copydesk.domain.late_dataclass import dataclass

if TYPE_CHECKING:
    from copydesk.domain.html_table import HtmlTable

Kind = Literal["heading", "paragraph", "item", "quote", "table", "code", "rule", "tag", "blank"]

CODE_LINES = 200
"""Lines of code or table in one block: longer ones are cut, so that no block is slow to draw."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$")
_QUOTE = re.compile(r"^ {0,3}>\s?(.*)$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_HTML_TABLE = re.compile(r"^ {0,3}<table(?=[\s>])", re.IGNORECASE)
_TAG = re.compile(r"^\s*\{%\s*(\w+)(.*?)%\}\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page. ``line`` is the first source line, ``level`` a heading's or a nesting."""

    kind: Kind
    line: int
    lines: tuple[str, ...]
    level: int = 0
    mark: str = ""
    bars: int = 0

    @property
    def text(self) -> str:
        """Its source without markers, joined."""
        return "\n".join(self.lines)


def blocks(source: str) -> Iterator[Block]:
    """Yield the blocks of a page in order."""
    lines = source.split("\n")
    at, bars, total = 0, 0, len(lines)
    tables = 0  # Where the search for tables in HTML goes on, so that nothing is searched twice.
    while at < total:
        line = lines[at]
        stripped = line.strip()
        start = at
        if not stripped:
            while at < total and not lines[at].strip():
                at += 1
            yield Block("blank", start, (), bars=bars)
            continue
        if match := _FENCE.match(line):
            fence, language = match.group(1), match.group(2).strip()
            at += 1
            body: list[str] = []
            while at < total and not _closes(lines[at], fence):
                body.append(lines[at])
                at += 1
            at += 1
            for cut in range(0, max(len(body), 1), CODE_LINES):
                part = tuple(body[cut : cut + CODE_LINES])
                yield Block("code", start + 1 + cut, part, 0, "" if cut else language, bars)
            continue
        if match := _TAG.match(line):
            name = match.group(1)
            at += 1
            if name == "endhint":
                bars = max(0, bars - 1)
                continue
            if name == "hint":
                bars += 1
            if not name.startswith("end"):
                yield Block("tag", start, (match.group(2).strip(),), 0, name, bars)
            continue
        if at >= tables and _HTML_TABLE.match(line):
            tables, table = _html_table(lines, at)
            if table is not None:
                at = tables
                yield from _table_blocks(table, start, bars)
                continue
        if match := _HEADING.match(line):
            at += 1
            yield Block("heading", start, (match.group(2) or "",), len(match.group(1)), "", bars)
            continue
        if _RULE.match(line):
            at += 1
            yield Block("rule", start, (), bars=bars)
            continue
        if match := _QUOTE.match(line):
            quoted = []
            while at < total and (match := _QUOTE.match(lines[at])):
                quoted.append(match.group(1))
                at += 1
            yield Block("quote", start, tuple(quoted), bars=bars)
            continue
        if match := _ITEM.match(line):
            item = [match.group(3) or ""]
            indent = len(match.group(1).expandtabs(4))
            at += 1
            while at < total and _continues(lines[at]):
                item.append(lines[at].strip())
                at += 1
            yield Block("item", start, tuple(item), indent // 2, match.group(2), bars)
            continue
        if "|" in line and at + 1 < total and _TABLE_RULE.match(lines[at + 1]):
            head, rule = line, lines[at + 1]
            at += 2
            rows: list[str] = []
            while at < total and "|" in lines[at]:
                rows.append(lines[at])
                at += 1
            for cut in range(0, max(len(rows), 1), CODE_LINES):
                part = (head, rule, *rows[cut : cut + CODE_LINES])
                yield Block("table", start, part, 1 if cut else 0, "", bars)
            continue
        paragraph = [stripped]
        at += 1
        while at < total and _continues(lines[at]):
            if set(lines[at].strip()) in ({"="}, {"-"}):
                break
            paragraph.append(lines[at].strip())
            at += 1
        if at < total and (underline := lines[at].strip()) and set(underline) in ({"="}, {"-"}):
            at += 1
            level = 1 if underline[0] == "=" else 2
            yield Block("heading", start, (" ".join(paragraph),), level, "", bars)
        else:
            yield Block("paragraph", start, tuple(paragraph), bars=bars)


def _html_table(lines: Sequence[str], at: int) -> tuple[int, HtmlTable | None]:
    """Return the end of a table in HTML that begins at a line, and the table, if it is one."""
    from copydesk.domain.html_table import read_table  # few pages need a reader of HTML

    stop = at
    while stop < len(lines) and "</table" not in lines[stop].lower():
        stop += 1
    return stop + 1, read_table("\n".join(lines[at : stop + 1]))


def _table_blocks(table: HtmlTable, start: int, bars: int) -> Iterator[Block]:
    """Yield a table in HTML as a Markdown table; without a head its head is left out."""
    count = len(table.head or (table.rows[0] if table.rows else ("",)))
    lines = (table.head or [""] * count, *table.rows)
    head, *rows = (f"| {' | '.join(cells)} |" for cells in lines)
    rule = "|---" * count + "|"
    for cut in range(0, max(len(rows), 1), CODE_LINES):
        part = (head, rule, *rows[cut : cut + CODE_LINES])
        yield Block("table", start, part, 1 if cut or not table.head else 0, "", bars)


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _continues(line: str) -> bool:
    """Whether a line continues the paragraph or item before it."""
    return bool(line.strip()) and not (
        _FENCE.match(line)
        or _HEADING.match(line)
        or _QUOTE.match(line)
        or _ITEM.match(line)
        or _TAG.match(line)
        or _RULE.match(line)
    )
