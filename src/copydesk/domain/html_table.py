"""HTML tables as rows and cells: the usual form of tables and cards in GitBook's Markdown.

What is read is read with every character in its place, by the positions that the parser tells; a
piece in which something does not come out so, because it is broken or holds what no cell shows,
is left as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from typing import NamedTuple, TypeAlias

Attributes: TypeAlias = Sequence[tuple[str, str | None]]

ROW = re.compile(r"[ \t]*<tr(?=[\s/>])", re.IGNORECASE)
"""How a row begins."""

CUT = re.compile(r"(?=<tr[\s/>])|(?<=</tr>)", re.IGNORECASE)
"""Where a line is cut, so that each row begins one."""

MOST = 20_000
"""Characters of a row that are read; a longer one is left as it was written."""

MOST_OF_TABLE = 100_000
"""Characters of a table that are read: about 0.2 s of work."""

MOST_COLUMNS = 100
"""Columns of a table that is shown as one."""

_CARDS = re.compile(r"\s*<table\b[^<>]*\sdata-view=[\"']?cards\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"(?:\s|</?(?:table|thead|tbody|tfoot|colgroup|col)(?=[\s/>])[^<>]*>)*", re.IGNORECASE
)

_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`", "del": "~~", "s": "~~"}
_BREAKS = frozenset({"p", "div", "ul", "ol", "br"})
_AROUND = frozenset({"table", "thead", "tbody", "tfoot", "colgroup", "col"})
_EMPTY = frozenset({"br", "img", "col", "input", "hr", "wbr"})
_SPECIAL = re.compile(r"([\\`*_\[\]~])")
_BLANKS = re.compile(r"[ \t\r\n\f]+")


class _Token(NamedTuple):
    """A tag or a text: ``kind`` is start, end or text; ``raw`` is it as it was written."""

    kind: str
    name: str
    attributes: Attributes
    raw: str


class _Parser(HTMLParser):
    """Notes where each tag and text begins. It is given one line, so that columns are offsets."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[tuple[int, str, str, Attributes]] = []
        self.others = False
        """Whether something else is in it."""

    def _note(self, kind: str, name: str, attributes: Attributes = ()) -> None:
        self.found.append((self.getpos()[1], kind, name, attributes))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that begins something; one that has nothing in it likewise."""
        self._note("start", tag, attrs)

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        """Note a tag that ends something."""
        self._note("end", tag)

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self._note("text", data)

    def handle_entityref(self, name: str) -> None:
        """Note a letter that is written as a name."""
        self._note("text", f"&{name}")

    def handle_charref(self, name: str) -> None:
        """Note a letter that is written as a number."""
        self._note("text", f"&#{name}")

    def handle_comment(self, data: str) -> None:
        """Note a comment, an instruction or what is no HTML, which stays as it was written."""
        self.others = True

    handle_pi = unknown_decl = handle_comment

    def handle_decl(self, decl: str) -> None:
        """Note a declaration likewise."""
        self.others = True


def row_text(source: str) -> str | None:
    """Return a row of a table as Markdown has rows: ``| One | **Two** |``.

    Attributes that no Markdown has stand in braces before their cell or behind their link. None for
    an incomplete row.
    """
    row = _one_row(source, told=True)
    return None if row is None else f"{row.about}| {' | '.join(row.cells)} |"


def plain_cells(source: str) -> Sequence[str] | None:
    """Return the cells of a row as `row_text` has them, without what stands in braces there."""
    row = _one_row(source, told=False)
    return None if row is None else row.cells


def _one_row(source: str, *, told: bool) -> _Row | None:
    tokens = _tokens(source)
    rows = None if tokens is None else _rows(tokens, told=told, escape=False)
    return None if rows is None or len(rows) != 1 or not rows[0].cells else rows[0]


def link_text(source: str) -> str:
    """Return prose with HTML's links and buttons as Markdown has links."""
    tokens = _tokens(source)
    if tokens is None:
        return source
    said: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = at
        if token.kind == "start" and token.name == "a":
            end = next(
                (n for n in range(at + 1, len(tokens)) if tokens[n].name == "a"
                 and tokens[n].kind != "text"), at,
            )  # fmt: skip
        cell = _cell(tokens[at : end + 1], told=True, escape=False) if end > at else None
        if cell is None:
            said.append(token.raw)
            at += 1
        else:
            said.append(cell)
            at = end + 1
    return "".join(said)


class HtmlTable(NamedTuple):
    """A table: the cells of its head (none where it has no head, or an empty one), of its rows."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def read_table(source: str) -> HtmlTable | None:
    """Return a table with its cells as Markdown; None for markup that cannot be shown as one."""
    tokens = _tokens(source, MOST_OF_TABLE)
    rows = None if tokens is None else _rows(tokens)
    if not rows:
        return None
    lines = _spread(rows)
    if lines is None:
        return None
    width = max(len(line) for line in lines)
    head = lines.pop(0) if rows[0].head else []
    return HtmlTable(
        [*head, *[""] * (width - len(head))] if any(head) else [],
        [[*line, *[""] * (width - len(line))] for line in lines],
    )


def is_cards(source: str) -> bool:
    """Whether readers see the rows of a table as cards."""
    return _CARDS.match(source) is not None


def cut_rows(source: str) -> list[str] | None:
    """Return the rows of a table as they were written, so that each can be read by itself.

    None where something else stands between them, or a cell reaches into the next row.
    """
    lowered = source.lower()
    if lowered.count("<table") != 1 or "rowspan" in lowered:
        return None
    rows: list[str] = []
    for piece in CUT.split(source):
        if ROW.match(piece):
            rows.append(piece)
        elif not _BETWEEN.fullmatch(piece):
            return None
    return rows


def read_row(source: str, *, head: bool = False) -> list[str] | None:
    """Return the cells of one row as Markdown; None for markup that cannot be shown so.

    With ``head`` only a row that is a head is read.
    """
    tokens = _tokens(source)
    rows = None if tokens is None else _rows(tokens)
    if rows is None or len(rows) != 1 or (head and not rows[0].head):
        return None
    lines = _spread(rows)
    return None if lines is None else lines[0]


def _spread(rows: Sequence[_Row]) -> list[list[str]] | None:
    """Return the cells of rows in their columns: one that spans others leaves these empty.

    None where there are more columns than are shown: a few tags can ask for millions.
    """
    lines: list[list[str]] = []
    taken: dict[int, int] = {}  # rows that a cell above still reaches into, by column
    for row in rows:
        line: list[str] = []
        below = {column: left - 1 for column, left in taken.items() if left > 1}
        for cell, (columns, deep) in zip(row.cells, row.spans, strict=True):
            while len(line) in taken:
                line.append("")
            reach = min(columns, MOST_COLUMNS + 1)
            if deep > 1:
                below.update({len(line) + at: deep - 1 for at in range(reach)})
            line += [cell, *[""] * (reach - 1)]
            if len(line) > MOST_COLUMNS:
                return None
        while len(line) in taken:
            line.append("")
        lines.append(line)
        taken = below
    return lines


class _Row(NamedTuple):
    cells: list[str]
    head: bool
    about: str
    spans: list[tuple[int, int]]
    """How many columns and rows each cell takes."""


def _tokens(source: str, most: int = MOST) -> list[_Token] | None:
    """Return the tags and texts of a piece; None where one is not understood."""
    if len(source) > 2 * most:
        return None
    line = _BLANKS.sub(" ", source).strip(" ")
    if len(line) > most or "<![" in line:  # which the parser of older Pythons fails at
        return None
    parser = _Parser()
    parser.feed(line)
    parser.close()
    found: list[_Token] = []
    if parser.others or (parser.found and parser.found[0][0] != 0):
        return None
    for at, (start, kind, name, attributes) in enumerate(parser.found):
        stop = parser.found[at + 1][0] if at + 1 < len(parser.found) else len(line)
        raw = line[start:stop]
        if not _is_whole(kind, name, raw):
            return None
        found.append(_Token(kind, name, attributes, raw))
    return found


def _is_whole(kind: str, name: str, raw: str) -> bool:
    """Whether a piece is what the parser took it for, and no more: else something would be lost."""
    if kind == "text":
        return raw == name or raw == f"{name};"
    if kind == "end":
        return re.fullmatch(rf"</{re.escape(name)} ?>", raw, re.IGNORECASE) is not None
    quoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", raw)
    return raw[:1] == "<" and raw[-1:] == ">" and quoted.count("<") == quoted.count(">") == 1


def _rows(
    tokens: Sequence[_Token], *, told: bool = False, escape: bool = True
) -> list[_Row] | None:
    """Return the rows of a table, or of a piece of it; None where something else stands in it.

    Attributes are ``told`` in braces, and ``escape`` keeps text from being read as Markdown.
    """
    rows: list[_Row] = []
    cell: list[_Token] | None = None
    about, inside = "", False
    heads: list[bool]
    for token in tokens:
        edge = token.kind != "text" and token.name in ("td", "th", "tr")
        if cell is not None and (edge or (token.kind == "end" and token.name in _AROUND)):
            said = _cell(cell, told=told, escape=escape)
            if said is None:
                return None
            rows[-1].cells.append(" ".join(filter(None, (about, said))))
            cell, about = None, ""
        if edge and token.kind == "start":
            if token.name == "tr":
                rows.append(_Row([], False, _braces(token.attributes, told), []))
                inside = True
                heads = []
                continue
            if not inside:
                return None
            heads.append(token.name == "th")
            rows[-1] = rows[-1]._replace(head=all(heads))
            rows[-1].spans.append((_span(token, "colspan"), _span(token, "rowspan")))
            cell, about = [], _braces(token.attributes, told)
        elif edge:
            inside = inside and token.name != "tr"
        elif cell is not None:
            if token.name in _AROUND and token.kind != "text":
                return None  # a table in a cell
            cell.append(token)
        elif token.kind == "text":
            if token.raw.strip():
                return None
        elif token.name not in _AROUND:
            return None
    return None if cell is not None else rows


def _span(token: _Token, name: str) -> int:
    """Return how far a cell reaches; 1 where that is not said in a number."""
    said = next((value for key, value in token.attributes if key == name), None) or ""
    return int(said) if re.fullmatch(r"[1-9][0-9]{0,4}", said) else 1


def _cell(tokens: Iterable[_Token], *, told: bool, escape: bool) -> str | None:
    """Return the content of a cell as Markdown; None where its tags do not belong together."""
    said: list[str] = []
    opened: list[tuple[str, str]] = []
    for kind, name, attributes, raw in tokens:
        if kind == "text":
            escaped = escape and ("code", _MARKS["code"]) not in opened
            text = _SPECIAL.sub(r"\\\1", raw) if escaped else raw
            said.append(text.replace("|", r"\|"))
        elif kind == "end":
            if not opened or opened[-1][0] != name:
                return None
            said.append(opened.pop()[1])
        else:
            begin, end = _tag(name, attributes, raw, told)
            said.append(begin)
            if name not in _EMPTY:
                opened.append((name, end))
    if opened:
        return None
    return _BLANKS.sub(" ", "".join(said)).strip(" ")


def _tag(name: str, attributes: Attributes, raw: str, told: bool) -> tuple[str, str]:
    """Return the Markdown for a tag, at its beginning and at its end."""
    given = dict(attributes)
    if name == "a" and given.get("href") is not None:
        about = _braces([each for each in attributes if each[0] != "href"], told)
        return "[", f"]({_address(given['href'])}){about}"
    if name == "img" and given.get("src") is not None:
        rest = [each for each in attributes if each[0] not in ("src", "alt")]
        alt = (given.get("alt") or "").replace("]", r"\]").replace("|", r"\|")
        return f"![{alt}]({_address(given['src'])}){_braces(rest, told)}", ""
    about = _braces(attributes, told)
    if name in _MARKS:
        return f"{_MARKS[name]}{about}", _MARKS[name]
    if name in _BREAKS:
        return f" {about} ", " "
    if name == "li":
        return f" - {about}", " "
    if name == "span":
        return about, ""
    return raw.replace("|", r"\|"), f"</{name}>"


def _address(url: str | None) -> str:
    said = (url or "").replace("|", r"\|")
    return f"<{said}>" if set(said) & set(" ()") else said


def _braces(attributes: Attributes, told: bool) -> str:
    """Return attributes that nothing else shows, where they are ``told``."""
    if not told or not attributes:
        return ""
    said = (name if value is None else f"{name}={value}" for name, value in attributes)
    return f"{{{' '.join(said)}}}".replace("|", r"\|")
