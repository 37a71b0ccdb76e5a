"""The drawn lines of a block of Markdown, for one width.

Inline markup is read with one expression rather than a parser: pages of a megabyte are measured
while keys are pressed, so a line must cost microseconds. Links show their target. Nothing is
fetched, and nothing is a live link.

Tables in HTML are drawn as tables (`copydesk.present.tables`); other raw HTML is not interpreted.
On a page, tags that only hold or style text are hidden; every other tag is shown as written, so
that no word is lost with it. In messages all tags are shown, because people write about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, chop_cells

from copydesk.domain.text import plural
from copydesk.present.diff import wrap_exact
from copydesk.present.markdown_blocks import Block
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:  # few pages have tables
    from copydesk.present.tables import Columns, Table

Span = tuple[str, str]
"""Text and the tone it has (see `copydesk.tui.theme.tones`)."""

Line = list[Span]

_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)(?P<code>.+?)(?P=ticks)"
    r"|!\[(?P<alt>[^\]]*)\]\((?P<image><[^>]*>|[^\s)]*)[^)]*\)"
    r"|\[(?P<label>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<url><[^>]*>|[^\s)]*)[^)]*\)"
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
_ENTITIES = {"&nbsp;": " ", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x20;": " "}
_LINE_END = re.compile(r"(?: {2,}|\\)?\n")
_ENTITY = re.compile("|".join(map(re.escape, _ENTITIES)))

_FIELD = re.compile(r"([\w-]+)[ \t]*:(?:[ \t]+(.*))?$")

APART = 4
"""Cells between two facts of front matter."""

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
    if at < len(text):
        yield _plain(text[at:]), tone


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
        if cells <= room:
            line.extend(word)
            used += cells
        else:
            for text, tone in word:
                for piece in chop_cells(text, room):
                    length = cell_len(piece)
                    if used and used + length > room:
                        lines.append(list(rest))
                        used = 0
                    lines[-1].append((piece, tone))
                    used += length
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
                word.append((piece, tone))
                cells += len(piece) if piece.isascii() else cell_len(piece)
    place_word()
    return lines


_WORD = re.compile(r"\n|[^\S\n]+|\S+")


def draw(
    block: Block,
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


def _inner(block: Block, width: int) -> int:
    """Return how many cells a block has behind its bars."""
    return max(8, width - 2 * block.bars)


def _draw(block: Block, width: int, literal: bool, look: Look) -> list[Line]:
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
            inline = list(spans(_joined(block.lines), literal=literal))
            return wrap(inline, width, first=[], rest=[])
        case "quote":
            side: Line = [(glyphs().quote + " ", "muted")]
            inline = list(spans(_joined(block.lines), literal=literal))
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


def _front(block: Block, width: int, *, turned: bool) -> list[Line]:
    """Draw front matter: its facts beside each other, or ``turned`` as it was written."""
    if turned:
        rule: Line = [("---", "muted")]
        return [rule, *_code(block, width), rule, []]
    facts: list[list[str]] = []
    for line in block.lines:
        if found := _FIELD.match(line):
            facts.append([found[1], (found[2] or "").strip()])
        elif facts and (said := line.strip()):
            apart = " "
            if said.startswith("- "):  # one of a list
                said, apart = said[2:].strip(), ", "
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


def _joined(lines: Sequence[str]) -> str:
    """Join source lines; two blanks or a backslash at the end break the line."""
    return _LINE_END.sub(lambda m: "\n" if len(m.group()) > 1 else " ", "\n".join(lines))


def _item(block: Block, width: int, literal: bool) -> list[Line]:
    text = _joined(block.lines)
    mark = glyphs().bullet if block.mark in "-*+" else block.mark
    if task := _TASK.match(text):
        done = task.group(1) != " "
        mark, text = f"[{'x' if done else ' '}]", text[task.end() :]
    indent = "  " * min(block.level, max(0, width // 2 - 8))
    lead = f"{indent}{mark} "
    rest = " " * cell_len(lead)
    inline = list(spans(text, literal=literal))
    return wrap(inline, width, first=[(lead, "accent")], rest=[(rest, "")])


def _code(block: Block, width: int, coloured: Sequence[Line] | None = None) -> list[Line]:
    side = glyphs().bar + " "
    lines: list[Line] = []
    if said := "math" if block.kind == "math" else block.mark if not block.level else "":
        lines.append([(side + said, "muted")])
    for at, source in enumerate(block.lines or ("",)):
        text = source.expandtabs(4)
        own = coloured is not None and text == source
        parts: Sequence[Span] = coloured[at] if coloured and own else [(text, "code")]
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


def columns_of(block: Block, width: int, look: Look) -> Columns:
    """Return which columns are shown of the table that a block is a piece of."""
    assert block.table is not None
    return _columns(block.table, _inner(block, width), False, look)


def _columns(table: Table, width: int, literal: bool, look: Look) -> Columns:
    from copydesk.present.tables import columns

    if not table.natural:
        rows = [table.cells(row) for row in table.sample]
        told = [_cells(each, "", literal) for each in (table.head, *rows)]
        table.natural = natural_widths(told, table.count)
    return columns(table.natural, width, at=look.column, turned=look.turned)


def _table(block: Block, width: int, literal: bool, look: Look) -> list[Line]:
    table = block.table
    assert table is not None
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


def left_out(shown: Columns) -> str:
    """Return the line above a table: how many columns are not shown, and the keys to them."""
    signs, said = glyphs(), []
    if shown.before:
        said.append(f"{signs.left} {plural(shown.before, 'column')} before: zh")
    if shown.after:
        said.append(f"{signs.right} {plural(shown.after, 'more column')}: zl")
    return "   ".join(said)


def rule_line(shown: Columns) -> Line:
    """Return the line below the head of a table."""
    sign = glyphs().rule
    return [((sign * 3).join(sign * width for width in shown.widths), "muted")]


def row_lines(
    cells: Sequence[Cell], shown: Columns, right: Sequence[bool] = (), *, exact: bool = False
) -> list[Line]:
    """Return a row of a table, each cell wrapped in its column; ``exact`` keeps every blank."""
    drawn: list[tuple[int, int, list[Line]]] = []
    for at, width in zip(shown.shown, shown.widths, strict=True):
        cell = cells[at] if at < len(cells) else ()
        if sum(cell_len(text) for text, _ in cell) <= width:
            lines: list[Line] = [list(cell)]
        elif exact:
            lines = wrap_exact(cell, width)
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


def _card(block: Block, width: int, literal: bool) -> list[Line]:
    """Draw a card: its first words beside its sign, the others below a bar."""
    table = block.table
    assert table is not None
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


def _tag(block: Block, width: int) -> list[Line]:
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
