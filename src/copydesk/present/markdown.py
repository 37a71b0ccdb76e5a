"""The drawn lines of a block of Markdown, for one width.

Inline markup is read with one expression rather than a parser: pages of a megabyte are measured
while keys are pressed, so a line must cost microseconds. Links show their target. Nothing is
fetched, and nothing is a live link.

Tables in HTML are drawn as tables (`copydesk.domain.html_table`); other raw HTML is not
interpreted. On a page, tags that only hold or style text are hidden; every other tag is shown as
written, so that no word is lost with it. In messages all tags are shown, because people write about
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells

from copydesk.present.markdown_blocks import Block
from copydesk.session.glyphs import glyphs

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

DEPTH = 4
"""The nesting of inline markup beyond which it is plain text."""


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
        elif found["name"].lower() == "br":
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


def wrap(parts: Sequence[Span], width: int, *, first: Line, rest: Line) -> list[Line]:
    """Fill lines of ``width`` cells with words; ``first`` and ``rest`` lead the lines."""
    room = max(8, width - sum(cell_len(text) for text, _ in first))
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


def draw(block: Block, width: int, *, literal: bool = False) -> list[Line]:
    """Return the lines of a block; never wider than ``width`` (8 at least).

    ``literal`` shows all HTML as it was written.
    """
    bar: Line = [(glyphs().quote + " ", "accent")] * block.bars
    inner = max(8, width - 2 * block.bars)
    lines = _draw(block, inner, literal)
    return [[*bar, *line] for line in lines] if block.bars else lines


def _draw(block: Block, width: int, literal: bool) -> list[Line]:
    match block.kind:
        case "blank":
            return [[]]
        case "rule":
            return [[(glyphs().rule * width, "muted")]]
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
        case "code":
            return _code(block, width)
        case "table":
            return _table(block, width, literal)
        case "tag":
            return _tag(block, width)


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


def _code(block: Block, width: int) -> list[Line]:
    side = glyphs().bar + " "
    lines: list[Line] = []
    if block.mark:
        lines.append([(side + block.mark, "muted")])
    for source in block.lines or ("",):
        text = source.expandtabs(4)
        pieces = chop_cells(text, max(4, width - 2)) or [""]
        lines.extend([(side, "muted"), (piece, "code")] for piece in pieces)
    return lines


def _cells(row: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", row.strip())
    if parts and not parts[0].strip():
        parts = parts[1:]
    if parts and not parts[-1].strip():
        parts = parts[:-1]
    return [part.strip().replace("\\|", "|") for part in parts]


def _table(block: Block, width: int, literal: bool) -> list[Line]:
    head, rows = _cells(block.lines[0]), [_cells(row) for row in block.lines[2:]]
    count = max(1, len(head))
    right = [cell.endswith(":") and not cell.startswith(":") for cell in _cells(block.lines[1])]
    drawn = [
        [list(spans(cell, literal=literal)) for cell in [*row, *[""] * count][:count]]
        for row in [head, *rows]
    ]
    natural = [
        max(sum(cell_len(text) for text, _ in row[column]) for row in drawn)
        for column in range(count)
    ]
    widths = _share(natural, max(count, width - 3 * (count - 1)))
    lines: list[Line] = []
    for at, row in enumerate(drawn):
        if at == 0 and block.level:
            continue
        cells = [
            wrap(
                [(text, tone or ("strong" if at == 0 else "")) for text, tone in cell],
                max(8, widths[column]),
                first=[],
                rest=[],
            )
            if sum(cell_len(text) for text, _ in cell) > widths[column]
            else [[(text, tone or ("strong" if at == 0 else "")) for text, tone in cell]]
            for column, cell in enumerate(row)
        ]
        for depth in range(max(len(cell) for cell in cells)):
            line: Line = []
            for column, cell in enumerate(cells):
                part = cell[depth] if depth < len(cell) else []
                space = " " * max(0, widths[column] - sum(cell_len(text) for text, _ in part))
                if column:
                    line.append((f" {glyphs().bar} ", "muted"))
                to_right = column < len(right) and right[column]
                line.extend([(space, ""), *part] if to_right else [*part, (space, "")])
            lines.append(line)
        if at == 0:
            rule = f"{glyphs().rule}{glyphs().rule}{glyphs().rule}".join(
                glyphs().rule * cells for cells in widths
            )
            lines.append([(rule, "muted")])
    return lines


def _share(natural: Sequence[int], room: int) -> list[int]:
    """Give narrow columns their natural width and share the rest among the wide ones."""
    widths = list(natural)
    while sum(widths) > room and max(widths) > 8:
        widest = max(range(len(widths)), key=widths.__getitem__)
        others = max((w for i, w in enumerate(widths) if i != widest), default=0)
        excess = sum(widths) - room
        widths[widest] = max(8, widths[widest] - max(1, min(excess, widths[widest] - others)))
    return [max(1, w) for w in widths]


def _tag(block: Block, width: int) -> list[Line]:
    given = dict(_ATTRIBUTE.findall(block.text))
    if block.mark == "hint":
        style = given.get("style", "info")
        tone = {"danger": "bad", "warning": "warn", "success": "good"}.get(style, "title")
        return [[(style.upper(), tone)]]
    about = given.get("title") or given.get("url") or given.get("src") or block.text
    return wrap(
        [(f"{block.mark}: {about}" if about else block.mark, "muted")], width, first=[], rest=[]
    )
