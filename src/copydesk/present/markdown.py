"""The drawn lines of a block of Markdown, for one width.

Where blocks begin and end is read in `copydesk.domain.blocks`, for comparisons as for pages.
Inline markup is read with one expression rather than a parser: pages of a megabyte are measured
while keys are pressed, so a line must cost microseconds. Links show their target. Nothing is
fetched, and nothing is a live link.

Tables in HTML are drawn as tables (`copydesk.present.tables`); other raw HTML is not interpreted.
On a page, tags that only hold or style text are hidden; every other tag is shown as written, so
that no word is lost with it. In messages all tags are shown, because people write about them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len, chop_cells, get_character_cell_size
from rich.text import Text

from copydesk.domain.block_tags import KINDS, is_tag, read_tag, said_of
from copydesk.domain.block_tags import Kind as TagKind
from copydesk.domain.blocks import (
    FIELD,
    FORMULA,
    KEPT,
    QUOTING,
    Block,
    Scanner,
    heading_of,
    indent_of,
    item_of,
    read_fence,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sure import sure
from copydesk.domain.text import plural
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.present.tables import Table, TableColumns

Span = tuple[str, str]
"""Text and the tone it has (see `copydesk.tui.framework.theme.tones`)."""

Line = list[Span]

_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?:(?<!`)|(?<=\\`))(?P<ticks>`++)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|!\[(?P<alt>[^\]]*+)\]\((?P<image><[^>]*+>|[^\s)]*+)[^)]*+\)"
    r"|\[(?P<label>(?:[^\[\]]|\[[^\]]*+\])*)\]\((?P<url><[^>]*+>|[^\s)]*+)[^)]*+\)"
    r"|(?P<bold>\*\*|__)(?=\S)(?P<strong>.+?)(?<=\S)(?P=bold)"
    r"|~~(?P<gone>.+?)~~"
    r"|\$\$(?P<math>[^$\n]+)\$\$"
    r"|(?P<star>\*)(?=\S)(?P<emphasis>[^*]+?)(?<=\S)\*"
    r"|(?<!\w)_(?=\S)(?P<under>[^_]+?)(?<=\S)_(?!\w)"
    r"|<(?P<auto>https?://[^>\s]+)>"
    r"|<img\b(?P<img>[^>]*)>"
    r"|<a\b[^>]*?href=\"(?P<href>[^\"]*)\"[^>]*>(?P<anchor>.*?)</a>"
    r"|(?P<html></?(?P<name>[a-zA-Z][\w:-]*)[^>]*>)",
    re.DOTALL,
)
_GIVES_WAY = re.compile(
    r"a|abbr|address|article|aside|b|big|blockquote|br|caption|center|cite|code|col|colgroup|dd|del"
    r"|details|dfn|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|header|hr|i|ins|kbd|li|main"
    r"|mark|nav|ol|p|picture|pre|q|s|samp|section|small|source|span|strike|strong|sub|summary|sup"
    r"|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|wbr",
    re.IGNORECASE,
)
"""The HTML tags that a page hides: they hold or style text."""

_BUTTON = re.compile(r"<a\b[^>]*\sclass=\"button\b")
_ATTRIBUTE = re.compile(r"(\w+)=\"([^\"]*)\"")
_TASK = re.compile(r"^\[([ xX])\]\s+")
_ENTITIES = {"&nbsp;": " ", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x20;": " ",
             "&#x3C;": "<"}  # fmt: skip
_ENTITY = re.compile("|".join(map(re.escape, _ENTITIES)))

APART = 4
"""Cells between two facts of front matter."""

AT_ONCE = 2_000
"""Characters in which inline markup is read at once. In any text some sign may be looked for up to
the end, again and again: a hostile paragraph of a megabyte must not take hours."""

DEPTH = 4
"""The nesting of inline markup beyond which it is plain text."""


class Look(NamedTuple):
    """How a reader wants a page: from which ``column`` on tables go on after their first one, None
    where nobody can move them; whether tables and front matter are ``turned`` to their other form.
    """

    column: int | None = None
    turned: bool = False


PLAIN = Look()


def spans(text: str, tone: str = "", depth: int = 0, *, literal: bool = False) -> Iterator[Span]:
    """Yield the spans of inline Markdown; ``literal`` shows all HTML as it was written."""
    for piece in _read_at_once(text):
        yield from _spans(piece, tone, depth, literal)


def _read_at_once(text: str) -> Iterator[str]:
    """Cut a text into pieces of at most `AT_ONCE` characters, behind sentences where there are."""
    begin = 0
    while len(text) - begin > AT_ONCE:
        stop = max(text.rfind(sign, begin, begin + AT_ONCE) for sign in (". ", "\n")) + 1
        stop = stop or begin + AT_ONCE
        yield text[begin:stop]
        begin = stop
    yield text[begin:]


def _spans(text: str, tone: str, depth: int, literal: bool) -> Iterator[Span]:
    at = 0
    for match in _INLINE.finditer(text):
        if match.start() > at:
            yield _plain(text[at : match.start()]), tone
        at = match.end()
        found = match.groupdict()
        if found["escape"]:
            yield found["escape"][1:], tone
        elif found["code"] is not None:
            yield found["code"], "code"
        elif found["image"] is not None:
            yield f"[image: {found['alt'] or 'no text'}] ({_target(found['image'])})", "muted"
        elif found["url"] is not None:
            target = _target(found["url"])
            yield from _nested(found["label"], "link", depth, literal)
            if target and target != found["label"]:
                yield f" ({target})", "muted"
        elif found["strong"] is not None:
            yield from _nested(found["strong"], "strong", depth, literal)
        elif found["gone"] is not None:
            yield from _nested(found["gone"], "removed", depth, literal)
        elif found["emphasis"] is not None or found["under"] is not None:
            yield from _nested(
                found["emphasis"] or found["under"] or "", "emphasis", depth, literal
            )
        elif found["math"] is not None:
            yield found["math"], "code"
        elif found["auto"]:
            yield found["auto"], "link"
        elif literal:
            yield match.group(), tone
        elif found["img"] is not None:
            given = dict(_ATTRIBUTE.findall(found["img"]))
            yield f"[image: {given.get('alt') or 'no text'}] ({given.get('src', '')})", "muted"
        elif found["href"] is not None:
            button = _BUTTON.search(match.group()) is not None
            yield from [("[ ", "muted")] if button else []
            yield from _nested(found["anchor"] or "", "link", depth, literal)
            yield f"{' ]' if button else ''} ({found['href']})", "muted"
        elif found["name"].lower() in ("br", "figcaption") and match.group()[1] != "/":
            yield "\n", tone
        elif not _GIVES_WAY.fullmatch(found["name"]):
            yield match.group(), tone
        elif href := dict(_ATTRIBUTE.findall(match.group())).get("href"):
            yield f"({href})", "muted"  # of a link that begins here and ends elsewhere
    if at < len(text):
        yield _plain(text[at:]), tone


def inline(text: str) -> Text:
    """Return a message or its beginning with inline Markdown as styles; HTML as it was written."""
    return Text.assemble(*spans(text, literal=True))


def _nested(text: str, tone: str, depth: int, literal: bool) -> Iterator[Span]:
    if depth >= DEPTH:
        yield text, tone
    else:
        yield from spans(text, tone, depth + 1, literal=literal)


def _plain(text: str) -> str:
    return _ENTITY.sub(lambda m: _ENTITIES[m.group()], text) if "&" in text else text


def _target(url: str) -> str:
    return url[1:-1] if url.startswith("<") else url


def wrap(
    parts: Sequence[Span], width: int, *, first: Line, rest: Line, least: int = 8
) -> list[Line]:
    """Fill lines of ``width`` cells with words; ``first`` and ``rest`` lead the lines."""
    room = max(least, width - sum(cell_len(text) for text, _ in first))
    lines: list[Line] = [list(first)]
    word: Line = []
    """Spans without a blank between, such as a link and the full stop after it."""
    cells = used = 0
    blank: str | None = None
    """The tone of the blank before the word; None for no blank."""

    def place_word() -> None:
        nonlocal used, cells, blank
        if not word:
            return
        if used and used + (blank is not None) + cells > room:
            lines.append(list(rest))
            used = 0
        line = lines[-1]
        if used and blank is not None:
            if blank == word[0][1]:
                word[0] = (" " + word[0][0], blank)
            else:
                line.append((" ", blank))
            used += 1
        elif used and line[-1][1] == word[0][1]:
            word[0] = (line.pop()[0] + word[0][0], word[0][1])
        if cells <= room:
            line.extend(word)
            used += cells
        else:
            first, *more = wrap_exact(word, room)
            line.extend(first)
            lines.extend([*rest, *each] for each in more)
            used = sum(cell_len(text) for text, _ in (more or [first])[-1])
        word.clear()
        cells, blank = 0, None

    for text, tone in parts:
        for piece in _WORD.findall(text):
            if piece == "\n":
                place_word()
                lines.append(list(rest))
                used, blank = 0, None
            elif piece.isspace():
                place_word()
                blank = tone
            else:
                if word and _TURN.fullmatch(word[-1][0][-1] + piece[0]):
                    place_word()
                word.append((piece, tone))
                cells += len(piece) if piece.isascii() else cell_len(piece)
    place_word()
    return lines


_WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OPENS = "（「『【《〈〔“‘"
_ENDS = "、。，．：；！？）」』】》〉〕”’…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々〻゛゜"
"""What ends no line, and what begins none, where a script has no blanks between words."""

_TURN = re.compile(rf"(?:[{_WIDE}{_ENDS}].|[^{_OPENS}(\[][{_WIDE}{_OPENS}])(?<![{_ENDS},.;:!?)\]])")
"""The two signs between which a line may end without a blank."""

_WORD = re.compile(
    rf"\n|[^\S\n]+|[{_OPENS}]*+[{_WIDE}][{_ENDS},.;:!?)\]]*|[{_OPENS}]++|[^\s{_OPENS}{_WIDE}]+"
)


def draw(
    block: MarkdownBlock,
    width: int,
    *,
    literal: bool = False,
    look: Look = PLAIN,
    coloured: Sequence[Line] | None = None,
) -> list[Line]:
    """Return the lines of a block; never wider than ``width`` (8 at least).

    ``literal`` shows all HTML as it was written. ``coloured`` are the lines of its code with their
    tones, where somebody found them.
    """
    bar: Line = [(glyphs().quote + " ", "accent")] * block.bars
    inner = _inner(block, width)
    if block.kind == "code":
        lines = _code(block, inner, coloured)
    else:
        lines = _draw(block, inner, literal, look)
    return [[*bar, *line] for line in lines] if block.bars else lines


def _inner(block: MarkdownBlock, width: int) -> int:
    """Return how many cells a block has behind its bars."""
    return max(8, width - 2 * block.bars)


def _draw(block: MarkdownBlock, width: int, literal: bool, look: Look) -> list[Line]:
    match block.kind:
        case "blank":
            return [[]]
        case "rule":
            return [[(glyphs().rule * width, "muted")]]
        case "front":
            return _front(block, width, turned=look.turned)
        case "heading":
            tone = "title" if block.level <= 2 else "strong"
            lead: Line = [("#" * block.level + " ", "muted")]
            return wrap(
                list(spans(block.text, tone, literal=literal)),
                width,
                first=lead,
                rest=[(" " * (block.level + 1), "")],
            )
        case "paragraph":
            return wrap(list(spans(block.text, literal=literal)), width, first=[], rest=[])
        case "quote":
            side: Line = [(glyphs().quote + " ", "muted")]
            inline = list(spans(block.text, literal=literal))
            return wrap(inline, width, first=side, rest=side)
        case "item":
            return _item(block, width, literal)
        case "code" | "math":
            return _code(block, width)
        case "table":
            return _table(block, width, literal, look)
        case "card":
            return _card(block, width, literal)
        case "tag":
            return _tag(block, width)


def _front(block: MarkdownBlock, width: int, *, turned: bool) -> list[Line]:
    """Draw front matter: its facts beside each other, or ``turned`` as it was written."""
    if turned:
        rule: Line = [("---", "muted")]
        return [rule, *_code(block, width), rule, []]
    facts: list[list[str]] = []
    for line in block.lines:
        if found := FIELD.match(line):
            facts.append([found[1].rstrip(), found[2].strip()])
        elif line.startswith("#"):
            facts.append(["#", line[1:].strip()])
        elif facts and (said := line.strip()):
            apart = " "
            if said.startswith("- "):  # one of a list
                said, apart = _bare(said[2:].strip()), ", "
            facts[-1][1] = apart.join(filter(None, (facts[-1][1], said)))
    lines: list[Line] = []
    used = width
    for name, value in facts:
        drawn = wrap(
            [(name, "muted"), (" ", ""), (_bare(value), "")], width, first=[], rest=[("  ", "")]
        )
        cells = sum(cell_len(text) for text, _ in drawn[0])
        if len(drawn) == 1 and lines and used + APART + cells <= width:
            lines[-1] += [(" " * APART, ""), *drawn[0]]
            used += APART + cells
        else:
            lines += drawn
            used = cells if len(drawn) == 1 else width
    return [*lines, []]


def _bare(value: str) -> str:
    """Return a value of YAML without its quotes."""
    quote = value[:1]
    if len(value) < 2 or quote not in ("'", '"') or not value.endswith(quote):
        return value
    return value[1:-1].replace("''" if quote == "'" else '\\"', quote)


def _item(block: MarkdownBlock, width: int, literal: bool) -> list[Line]:
    text = block.text
    mark = glyphs().bullet if block.mark in "-*+" else block.mark
    if task := _TASK.match(text):
        done = task.group(1) != " "
        mark, text = f"[{'x' if done else ' '}]", text[task.end() :]
    indent = "  " * min(block.level, max(0, width // 2 - 8))
    lead = f"{indent}{mark} "
    rest = " " * cell_len(lead)
    inline = list(spans(text, literal=literal))
    return wrap(inline, width, first=[(lead, "accent")], rest=[(rest, "")])


def _code(block: MarkdownBlock, width: int, coloured: Sequence[Line] | None = None) -> list[Line]:
    side = glyphs().bar + " "
    lines: list[Line] = []
    if said := "math" if block.kind == "math" else block.mark if not block.level else "":
        lines.append([(side + said, "muted")])
    for at, source in enumerate(block.lines or ("",)):
        text = source.expandtabs(4)
        own = coloured is not None and text == source
        parts: Sequence[Span] = coloured[at] if coloured and own else [(text, "")]
        for piece in chop_cells(text, max(4, width - 2)) or [""]:
            found, parts = _split(parts, len(piece))
            lines.append([(side, "muted"), *found])
    return lines


def _split(parts: Sequence[Span], length: int) -> tuple[Line, Sequence[Span]]:
    """Return the first so many characters of spans, and the rest."""
    found: Line = []
    for at, (text, tone) in enumerate(parts):
        if len(text) >= length:
            found.append((text[:length], tone))
            return found, [(text[length:], tone), *parts[at + 1 :]]
        found.append((text, tone))
        length -= len(text)
    return found, ()


# Tables

Cell = Sequence[Span]


def _cells(texts: Sequence[str], tone: str, literal: bool) -> list[Cell]:
    return [
        [(part.replace("\n", " "), own or tone) for part, own in spans(text, literal=literal)]
        for text in texts
    ]


def columns_of(block: MarkdownBlock, width: int, look: Look) -> TableColumns:
    """Return which columns are shown of the table that a block is a piece of."""
    assert block.table is not None
    return _columns(block.table, _inner(block, width), False, look)


def _columns(table: Table, width: int, literal: bool, look: Look) -> TableColumns:
    from copydesk.present.tables import columns

    if not table.natural:
        rows = [table.cells(row) for row in table.sample]
        told = [_cells(each, "", literal) for each in (table.head, *rows)]
        table.natural = natural_widths(told, table.count)
    return columns(table.natural, width, at=look.column, turned=look.turned)


def _table(block: MarkdownBlock, width: int, literal: bool, look: Look) -> list[Line]:
    table = sure(block.table)
    head = _cells(table.head, "strong", literal)
    shown = _columns(table, width, literal, look)
    lines: list[Line] = []
    if head and not block.level and not shown.as_fields:
        lines = [*row_lines(head, shown, table.right), rule_line(shown)]
    if not block.level and (shown.before or shown.after):
        lines.insert(0, [(left_out(shown), "muted")])
    for row in block.lines:
        cells = _cells(table.cells(row), "", literal)
        if shown.as_fields:
            lines += [[]] if lines or block.level else []
            lines += field_lines(head, cells, width)
        else:
            lines += row_lines(cells, shown, table.right)
    return lines or [[]]


def natural_widths(rows: Sequence[Sequence[Cell]], count: int) -> list[int]:
    """Return how wide each of ``count`` columns would be."""
    widths = [1] * count
    for row in rows:
        for at, cell in enumerate(row[:count]):
            widths[at] = max(widths[at], sum(cell_len(text) for text, _ in cell))
    return widths


def left_out(shown: TableColumns) -> str:
    """Return the line above a table: how many columns are not shown, and the keys to them."""
    signs, said = glyphs(), []
    if shown.before:
        said.append(f"{signs.left} {plural(shown.before, 'column')} before: zh")
    if shown.after:
        said.append(f"{signs.right} {plural(shown.after, 'more column')}: zl")
    return "   ".join(said)


def rule_line(shown: TableColumns) -> Line:
    """Return the line below the head of a table."""
    sign = glyphs().rule
    return [((sign * 3).join(sign * width for width in shown.widths), "muted")]


def row_lines(
    cells: Sequence[Cell], shown: TableColumns, right: Sequence[bool] = (), *, exact: bool = False
) -> list[Line]:
    """Return a row of a table, each cell wrapped in its column; ``exact`` keeps every blank."""
    drawn: list[tuple[int, int, list[Line]]] = []
    for at, width in zip(shown.shown, shown.widths, strict=True):
        cell = cells[at] if at < len(cells) else ()
        if sum(cell_len(text) for text, _ in cell) <= width:
            lines: list[Line] = [list(cell)]
        elif exact:
            lines = [_ending_within(line, width) for line in wrap_exact(cell, width)]
        else:
            lines = wrap(cell, width, first=[], rest=[], least=1)
        drawn.append((at, width, lines))
    found: list[Line] = []
    for depth in range(max(len(lines) for _, _, lines in drawn)):
        line: Line = []
        for at, width, lines in drawn:
            part = lines[depth] if depth < len(lines) else []
            space = " " * max(0, width - sum(cell_len(text) for text, _ in part))
            if at:
                line.append((f" {glyphs().bar} ", "muted"))
            to_right = at < len(right) and right[at]
            line.extend([(space, ""), *part] if to_right else [*part, (space, "")])
        found.append(line)
    return found


def _ending_within(line: Line, width: int) -> Line:
    """Return a line without the blank behind its last word, if there is no cell for it."""
    if sum(cell_len(text) for text, _ in line) <= width:
        return line
    *before, (text, tone) = [span for span in line if span[0]]
    return [*before, (text.removesuffix(" "), tone)]


def field_lines(names: Sequence[Cell], cells: Sequence[Cell], width: int) -> list[Line]:
    """Return a row of a table as a line for each of its values."""
    lines: list[Line] = []
    for at, cell in enumerate(cells):
        name = "".join(text for text, _ in names[at]) if at < len(names) else ""
        if not cell and at:
            continue
        lead: Line = [(f"{name}: ", "muted")] if name else []
        indent = "  " if at else ""
        lines += wrap(
            [*lead, *cell], width, first=[(indent, "")], rest=[(indent + "  ", "")], least=4
        )
    return lines


def _card(block: MarkdownBlock, width: int, literal: bool) -> list[Line]:
    """Draw a card: its first words beside its sign, the others below a bar."""
    table = sure(block.table)
    cells = [cell for cell in _cells(table.cells(block.text), "", literal) if cell]
    sign = f"{glyphs().card} "
    title: Line = [(f"card {block.note}", "muted")]
    if cells:
        title += [(": ", "muted"), *((text, tone or "strong") for text, tone in cells[0])]
    lines = wrap(title, width, first=[(sign, "accent")], rest=[("  ", "")])
    side: Line = [(glyphs().quote + " ", "accent")]
    for cell in cells[1:]:
        lines += wrap(cell, width, first=side, rest=side)
    return lines


def _tag(block: MarkdownBlock, width: int) -> list[Line]:
    if not block.mark:  # a tag that is not known, as it was written
        return wrap([(block.text, "muted")], width, first=[], rest=[])
    sign = getattr(glyphs(), block.sign)
    tone = _HINTS.get(block.text.partition(",")[0], "title") if block.mark == "hint" else "strong"
    said: Line = [(f"{block.mark} {block.note}".strip(), tone)]
    if block.text:
        about = list(spans(block.text)) if block.sign == "folded" else [(block.text, "")]
        said += [(": ", tone), *about]
    return wrap(said, width, first=[(f"{sign} ", "accent")], rest=[("  ", "")])


_HINTS = {"danger": "bad", "warning": "warn", "success": "good"}


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

_DETAILS = re.compile(r"<details(?:\s[^>]*)?>\s*+(?:<summary>(.*)</summary>)?\s*+$", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary>(.*)</summary>$", re.IGNORECASE)
_HTML_TABLE = re.compile(r"<table(?=[\s>])", re.IGNORECASE)
_PRE = re.compile(r"<pre\b.*</pre>$", re.IGNORECASE)
_STYLES = re.compile(rf"</?(?:{_GIVES_WAY.pattern})(?=[\s/>])[^<>]*>", re.IGNORECASE)
_LANGUAGE = re.compile(r"\bclass=\"lang(?:uage)?-([\w+#-]+)")
_ENDS_ROW = re.compile(r"(?:\\|<br */?>)$")
_QUOTE = re.compile(r"^[ \t]*>[ \t]?")
_TARGET = re.compile(r"[ \t]*\[(?!\^)([^\[\]]+)\]:[ \t]*(?:<([^<>]*)>|([^\s<>]+))")
"""A line that says where links of a name lead."""
_NAMED_LINK = re.compile(
    r"(?<!`)(`++)(?!`).+?(?<!`)\1(?!`)"
    r"|(?<!\\)\[(?P<label>(?:[^\[\]`]|`[^`]*+`)+)\](?:\[(?P<name>[^\[\]]*+)\])?(?![(:\[])",
    re.DOTALL,
)
"""Code, where nothing is a link, or a link that leads where another line of the page says."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A piece of a page. ``line`` is the first source line, ``lines`` are what it says: of prose
    those that readers see, however it is wrapped.

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
        """What it says."""
        return "\n".join(self.lines)


def blocks(source: str, *, literal: bool = False) -> list[MarkdownBlock]:
    """Return the blocks of a page in order; ``literal`` takes no HTML for a block."""
    lines = [line.rstrip("\r") for line in source.split("\n")]
    return _Page(lines, literal=literal).blocks()


class _Open:
    """A block of the platform that has begun: its place among those found, and its parts'."""

    def __init__(self, name: str, at: int, bars: int) -> None:
        self.name, self.at, self.bars = name, at, bars
        self.parts: list[int] = []


def _name(label: str) -> str:
    """Return the name of a link's target: its letters' case and its blanks tell nothing apart."""
    return " ".join(label.split()).casefold()


class _Page:
    """The blocks of a page, with what drawing needs: where they begin and end, a scanner says."""

    def __init__(self, lines: Sequence[str], *, literal: bool) -> None:
        self._lines = lines
        self._literal = literal
        self._scanner = Scanner(lines)
        self._found: list[MarkdownBlock] = []
        self._open: list[_Open] = []
        """What has begun and not ended, the innermost last."""
        self._targets: dict[str, str] = {}
        """Where links lead that only name it, by their names."""
        self._named: dict[str, list[_Open]] = {}
        """The same by name."""

    @property
    def _bars(self) -> int:
        return self._open[-1].bars if self._open else 0

    def blocks(self) -> list[MarkdownBlock]:
        """Return all blocks."""
        self._scanner.scan()
        self._read_targets()
        at = 0
        for block in self._scanner.blocks:
            start, stop = self._scanner.lines_of(block.first, block.stop)
            self._blank(at, start)
            self._add(block, start, stop)
            at = stop
        self._blank(at, len(self._lines))
        while self._open:
            self._close()
        return self._found

    def _read_targets(self) -> None:
        for block in self._scanner.blocks:
            line = self._lines[self._scanner.starts[block.first]]
            if block.kind == "paragraph" and (found := _TARGET.match(line)):
                self._targets.setdefault(_name(found[1]), found[2] or found[3])

    def _led(self, said: str) -> str:
        """Return prose with the targets of the links that only name them."""
        if not self._targets:
            return said

        def led(link: re.Match[str]) -> str:
            name = link["name"] or link["label"]
            target = None if name is None else self._targets.get(_name(name))
            return link[0] if target is None else f"[{link['label']}](<{target}>)"

        return "".join(_NAMED_LINK.sub(led, piece) for piece in _read_at_once(said))

    def _put(
        self, kind: Kind, line: int, lines: tuple[str, ...], level: int = 0, mark: str = "",
        *, table: Table | None = None,
    ) -> None:  # fmt: skip
        self._found.append(MarkdownBlock(kind, line, lines, level, mark, self._bars, table=table))

    def _blank(self, start: int, stop: int) -> None:
        """Add blank lines, but not below a blank, below front matter, or above a title."""
        above = self._found[-1] if self._found else None
        if start < stop and (above is None or not (
            above.kind == "front" or _is_untitled(above)
            or (above.kind == "blank" and above.bars == self._bars)
        )):  # fmt: skip
            self._put("blank", start, ())

    def _add(self, block: Block, start: int, stop: int) -> None:
        lines = self._lines[start:stop]
        match block.kind:
            case "front" if not self._literal:
                self._put("front", start, tuple(lines[1:-1]))
            case "front":
                self._code(start, lines, "")
            case "rule":
                self._put("rule", start, ())
            case "heading":
                self._put("heading", start, (self._led(heading_of(lines)),), block.level)
            case "paragraph" | "quote":
                self._put(block.kind, start, self._rows(block))
            case "item":
                mark, _ = item_of(lines[0])
                self._put("item", start, self._rows(block), indent_of(lines[0]) // 2, mark)
            case "code":
                self._fenced(start, lines, block.level)
            case "math":
                said = "\n".join(lines).strip().removeprefix(FORMULA).removesuffix(FORMULA)
                self._put("math", start, tuple(said.strip("\n").split("\n")))
            case "table":
                self._markdown_table(start, stop)
            case "tag" if is_tag(lines[0]):
                self._tag(start, lines[0])
            case "html" if not self._literal:
                self._html(start, lines)
            case "tag" if not self._literal:
                self._put("tag", start, tuple(line.strip() for line in lines))
            case "html" | "tag":
                self._text(start, lines)

    def _rows(self, block: Block) -> tuple[str, ...]:
        """Return what each row of prose says, without the sign of an item or of a quote."""
        found: list[str] = []
        for row in range(block.first, block.stop):
            start, stop = self._scanner.lines_of(row, row + 1)
            first, *more = self._lines[start:stop]
            if block.kind == "quote":
                first, more = _QUOTE.sub("", first, 1), [QUOTING.sub("", each, 1) for each in more]
            elif block.kind == "item" and not found:
                first = item_of(first)[1]
            said = " ".join(each.strip() for each in (first, *more))
            if row + 1 < block.stop:
                said = said.removesuffix("\\") if self._literal else _ENDS_ROW.sub("", said)
            found.append(self._led(said))
        return tuple(found)

    def _fenced(self, start: int, lines: Sequence[str], column: int) -> None:
        """Add code, which may be in a fence, and that in an item."""
        fence = read_fence(lines[0])
        if fence is not None:
            if fence[0]:
                self._put("item", start, (), indent_of(lines[0]) // 2, fence[0])
            stop = len(lines) if self._scanner.unclosed == start else -1
            start, lines = start + 1, lines[1:stop]
        self._code(start, [_moved_out(each, column) for each in lines],
                   "" if fence is None else fence[1])  # fmt: skip

    def _code(self, start: int, body: Sequence[str], language: str) -> None:
        for cut in range(0, max(len(body), 1), CODE_LINES):
            self._put("code", start + cut, tuple(body[cut : cut + CODE_LINES]), cut, language)

    # What the platform has

    def _html(self, start: int, lines: Sequence[str]) -> None:
        """Add HTML: details, tables and code as what they are, else what it says."""
        said = " ".join(line.strip() for line in lines)
        if said.lower() == "</details>" and self._end("details"):
            return
        if begun := _DETAILS.match(said):
            self._begin("details", start, begun[1] or "", EXPANDABLE)
        elif (summary := _SUMMARY.match(said)) and self._found and _is_untitled(self._found[-1]):
            self._found[-1] = replace(self._found[-1], lines=(summary[1],))
        elif _HTML_TABLE.match(said) and self._html_table(start, lines):
            pass
        elif _PRE.match(said):
            code = _plain(_STYLES.sub("", "\n".join(lines))).strip("\n").split("\n")
            language = _LANGUAGE.search(said)
            self._code(start, code, language[1] if language else "")
        else:
            self._text(start, lines)

    def _text(self, start: int, lines: Sequence[str]) -> None:
        """Add what lines of HTML say, which may have blank ones between them; some are kept."""
        if len(lines) > 1 and KEPT.match(lines[0].strip()):
            self._code(start, lines, "")
            return
        at = start
        for said, group in groupby(lines, key=lambda line: line.strip() != ""):
            part = [line.strip() for line in group]
            text = " ".join(part)
            if not said:
                self._blank(at, at + len(part))
            elif self._literal or any(part.strip() for part, _ in spans(text)):
                self._put("paragraph", at, (text,))
            at += len(part)

    def _tag(self, at: int, line: str) -> None:
        """Add a line that is a tag; one that is not known stays as it was written."""
        tag = read_tag(line)
        if tag is not None and not tag.ends:
            self._begin(tag.name, at, said_of(tag, line), tag.kind)
        elif tag is None or (_is_whole(tag.name, tag.kind) and not self._end(tag.name)):
            self._put("tag", at, (line.strip(),))

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
        self._found.append(MarkdownBlock("tag", at, (about,), 0, kind.word, outer, sign=kind.sign))

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

        head, rule, *rows = self._lines[at:stop]
        rows = [self._led(row) for row in rows]
        self._pieces(markdown_table(self._led(head), rule, rows), at + 2, rows)

    def _html_table(self, at: int, lines: Sequence[str]) -> bool:
        """Add a table in HTML; False where it cannot be shown as one."""
        from copydesk.present.tables import html_table  # as above

        found = html_table("\n".join(lines))
        if found is not None:
            self._pieces(found[0], at, found[1], one_line=True)
        return found is not None

    def _pieces(
        self, table: Table, line: int, rows: Sequence[str], *, one_line: bool = False
    ) -> None:
        if table.cards:
            for nth, row in enumerate(rows, 1):
                self._found.append(
                    MarkdownBlock("card", line, (row,), 0, "card", self._bars, f"{nth}/{len(rows)}",
                          table=table)
                )  # fmt: skip
            return
        for cut in range(0, max(len(rows), 1), TABLE_ROWS):
            part = tuple(rows[cut : cut + TABLE_ROWS])
            self._put("table", line + (0 if one_line else cut), part, cut, table=table)


def _moved_out(line: str, column: int) -> str:
    """Return a line of code without so much of its indentation."""
    text = line.expandtabs(4) if "\t" in line[:column] else line
    return text[min(column, len(text) - len(text.lstrip(" "))) :]


def _is_untitled(block: MarkdownBlock) -> bool:
    """Whether details begin whose title is still to come."""
    return block.mark == EXPANDABLE.word and not block.text


def _is_whole(name: str, kind: TagKind) -> bool:
    """Whether other blocks stand in a block of the platform, so that its end matters."""
    return kind.holds or name in _WHOLES


_WHOLES = frozenset(kind.inside for kind in KINDS.values())


_OPENING, _CLOSING = ("[-", "{+"), ("-]", "+}")
"""The signs around words that changed."""


def wrap_exact(parts: Sequence[Span], width: int) -> list[Line]:
    """Wrap spans to ``width`` cells at blanks where there are any, keeping every character."""
    plain = "".join(text for text, _ in parts)
    breaks = _breaks(plain, width)
    if not breaks:
        return [list(parts)]
    lines: list[Line] = []
    line: Line = []
    at, following = 0, iter([*breaks, len(plain) + 1])
    stop = next(following)
    for text, tone in parts:
        while at + len(text) > stop:
            line.append((text[: stop - at], tone))
            text, at = text[stop - at :], stop
            lines.append(line)
            line, stop = [], next(following)
        if text:
            line.append((text, tone))
            at += len(text)
    lines.append(line)
    return lines


def _breaks(plain: str, width: int) -> list[int]:
    """Return the positions of line breaks."""
    found: list[int] = []
    at = 0
    simple = plain.isascii()
    if simple and len(plain) <= width:
        return found
    while True:
        stop = at + width if simple else _reach(plain, at, width)
        if stop >= len(plain):
            return found
        blank = plain.rfind(" ", at + 1, stop + 1)
        # A word longer than half a line is cut, which beats half an empty line.
        begin, at = at, blank + 1 if blank + 1 > at + width // 2 else max(stop, at + 1)
        if not simple and plain[at - 1 : at] != " ":
            at = _turn(plain, begin + 1, at, width // 4)
        at = _with_marks(plain, begin, at)
        if at >= len(plain):
            return found
        found.append(at)


def _turn(plain: str, least: int, at: int, back: int) -> int:
    """Return where a stretch without blanks is best broken, from ``least`` to ``at``."""
    near = range(at, max(least, at - back) - 1, -1)
    at = next((each for each in near if _TURN.fullmatch(plain[each - 1 : each + 1])), at)
    # A vowel of Thai before its letter ends no line, and one behind it begins none.
    while least < at < len(plain) and (
        unicodedata.category(plain[at])[0] == "M"
        or plain[at] in "ะาำๅๆฯ"
        or plain[at - 1] in "เแโใไ"
    ):
        at -= 1
    return at


def _with_marks(plain: str, begin: int, at: int) -> int:
    """Return a position to break at that keeps the signs of a mark beside its text."""
    found = at
    if plain[found : found + 2] in _CLOSING or plain[found - 1 : found + 1] in _CLOSING:
        found -= 1 if plain[found : found + 2] in _CLOSING else 2
    if plain[found - 1 : found + 1] in _OPENING:
        found -= 1
    said = plain[begin:found].rstrip(" ")
    if said.endswith(_OPENING):
        found = begin + len(said) - 2
    return found if found > begin else at


def _reach(plain: str, at: int, width: int) -> int:
    used = 0
    while at < len(plain):
        used += get_character_cell_size(plain[at])
        if used > width:
            break
        at += 1
    return at
