"""The drawing of a row of a change: its numbers, its sign, its changed words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len

from copydesk.domain.block_scanner import FORMULA, is_rule
from copydesk.domain.block_tags import Piece, Tag, read_tag
from copydesk.domain.diff import Line, Move, TextDiff
from copydesk.domain.html_line import read_html
from copydesk.domain.html_table import MOST_COLUMNS
from copydesk.domain.text import clean, plural, shorten
from copydesk.domain.words import SpanKind
from copydesk.present.diff import DEFAULT_GUTTER, Gutter, wrap_exact
from copydesk.present.markdown import Line as Drawn
from copydesk.present.markdown import Span as Drawing
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.present.diff_tables import DiffTable

SIDES = 100
"""The width from which two texts are readable side by side."""

LINE_LIMIT = 20_000
"""The number of characters drawn of one row; the rest is counted."""

_MARK = 5
"""Cells that a row of a table leaves to the mark of its threads, whether or not it has some."""

_SAID = 60
"""The number of characters of a moved block in its old place."""


def draw_line(
    line: Line,
    width: int,
    *,
    gutter: Gutter = DEFAULT_GUTTER,
    mark: str = "",
    mark_tone: str = "accent",
    mine: bool = False,
    table: DiffTable | None = None,
    code: Drawn | None = None,
) -> list[Drawn]:
    """Return the lines of one row of a diff: numbers, sign, text with its changed words.

    A long row wraps and keeps its sign. ``mark`` names its threads, at the right end. A row that is
    ``mine`` is staged here, and not sent. ``table`` is the one that the row is of,
    ``code`` the row with its colours.
    """
    if line.move is not None and line.kind in ("from", "to"):
        return _draw_move(line, width, gutter)
    sign, tone = _sign(line)
    room = max(8, width - gutter.cells - (cell_len(mark) + 1 if mark else 0) - 1)
    shown: list[Drawn] = []
    lead = gutter.lead(line)
    if table is not None:
        cells = table_room(width, gutter)
        parts = _row(line, tone, cells, table)
    else:
        parts = _body(line, tone, room) if code is None else wrap_exact(code, room)
    for nth, part in enumerate(parts):
        own = ("m", "accent") if mine else (" ", "")
        drawn: Drawn = [(lead, "muted"), own, (f"{sign} ", tone), *part]
        lead = " " * len(lead)
        if mark and nth == 0:
            used = sum(cell_len(text) for text, _ in part)
            drawn += [(" " * (room - used + 1), ""), (mark, mark_tone)]
        shown.append(drawn)
    return shown


def draw_beside(
    before: Line | None,
    after: Line | None,
    width: int,
    *,
    gutter: Gutter = DEFAULT_GUTTER,
    mark: str = "",
    mark_tone: str = "accent",
    table: DiffTable | None = None,
) -> list[Drawn]:
    """Return a row in its old and its new form, side by side; None where a text lacks it."""
    half = (width - 3) // 2
    room = half - (cell_len(mark) + 1 if mark else 0)
    cells = table_room(width, gutter, beside=True)
    columns = [
        _column(before, half, gutter, 0, table, cells),
        _column(after, room, gutter, 1, table, cells),
    ]
    shown: list[Drawn] = []
    for left, right in zip_longest(*columns):
        drawn: Drawn = _filled(left, half)
        drawn.append((f"{glyphs().bar} ", "muted"))
        drawn += _filled(right, room)
        if mark and not shown:
            drawn.append((f" {mark}", mark_tone))
        shown.append(drawn)
    return shown


def table_room(width: int, gutter: Gutter, *, beside: bool = False) -> int:
    """Return how many cells a row of a table has, the same for all rows of it."""
    if beside:
        return max(8, (width - 3) // 2 - gutter.digits - 5 - _MARK)
    return max(8, width - gutter.cells - 1 - _MARK)


def _column(
    line: Line | None,
    width: int,
    gutter: Gutter,
    side: int,
    table: DiffTable | None,
    cells: int,
) -> list[Drawn]:
    if line is None:
        return []
    sign, tone = _sign(line)
    lead = f" {gutter.numbers(line)[side]}"
    shown: list[Drawn] = []
    room = max(8, width - len(lead) - 4)
    parts = _body(line, tone, room) if table is None else _row(line, tone, cells, table)
    for part in parts:
        shown.append([(lead, "muted"), (f" {sign} ", tone), *part])
        lead = " " * len(lead)
    return shown


def _filled(drawn: Drawn | None, width: int) -> Drawn:
    used = sum(cell_len(text) for text, _ in drawn or ())
    return [*(drawn or ()), (" " * max(0, width - used), "")]


def _sign(line: Line) -> tuple[str, str]:
    return {
        "added": ("+", "good"),
        "removed": ("-", "bad"),
        "moved": (glyphs().right, "moved"),
    }.get(line.kind, (" ", ""))


def _draw_move(line: Line, width: int, gutter: Gutter) -> list[Drawn]:
    """Return the origin or the destination of moved blocks."""
    assert line.move is not None
    said = moved_from(line.move) if line.kind == "from" else moved_to(line.move)
    lead = " " * (gutter.cells - 3)
    lines = wrap_exact([(said, "moved")], max(8, width - gutter.cells - 1))
    return [
        [(lead, ""), ("-- " if not nth else "   ", "moved"), *part]
        for nth, part in enumerate(lines)
    ]


def moved_from(move: Move) -> str:
    """Return the origin of blocks: "moved from “Events” (0 words changed)"."""
    if move.was_under == move.now_under:
        where = "moved from below" if move.up else "moved from above"
    else:
        where = f"moved from {_place(move.was_under)}"
    many = f"{plural(move.blocks, 'block')}, " if move.blocks > 1 else ""
    return f"{where} ({many}{plural(move.words, 'word')} changed)"


def moved_to(move: Move) -> str:
    """Return the destination of blocks: "moved to “Order”: After the last attempt…"."""
    if move.was_under == move.now_under:
        where = "moved up" if move.up else "moved down"
    else:
        where = f"moved to {_place(move.now_under)}"
    said = clean(move.said).strip()
    if len(said) > _SAID:
        said = said[:_SAID].rstrip() + glyphs().more
    more = f" and {plural(move.blocks - 1, 'block')} more" if move.blocks > 1 else ""
    return f"{where}: {said}{more}"


def _place(heading: str) -> str:
    return f"“{clean(heading)}”" if heading else "the top of the page"


def _row(line: Line, tone: str, room: int, table: DiffTable) -> list[Drawn]:
    """Return a row of a table, cell by cell."""
    crowded = len(line.text) > LINE_LIMIT or line.text.count("|") > MOST_COLUMNS
    if crowded or (line.marks and is_rule(line.text)):
        return wrap_exact(marked(line, tone), room)
    from copydesk.present.diff_tables import draw_cells  # few pages have tables

    return draw_cells(line.text, partial(part_of, line, tone), room, table)


def _body(line: Line, tone: str, room: int) -> list[Drawn]:
    """Return what a row says, as the block that it is in reads."""
    tag = _tag_of(line)
    if tag is not None:
        sign = getattr(glyphs(), tag.kind.sign)
        if tag.ends:
            return [[(f"{sign} end of {tag.kind.word}", tone or "muted")]]
        word: Drawn = [(f"{sign} {tag.kind.word}", tone or "strong")]
        said = _pieces(line, tone, tag.about)
        return wrap_exact([*word, (": ", tone), *said] if said else word, room)
    if line.within == "math":
        return _formula(line, tone, room)
    if line.within == "front" and (name := _SETTING.match(line.text)) is not None:
        said = [(name[1], tone or "muted"), *part_of(line, tone, name.end(1), len(line.text))]
        return wrap_exact(said, room)
    return wrap_exact(marked(line, tone), room)


_SETTING = re.compile(r"([\w-]+)(?=[ \t]*:(?:\s|$))")


def _tag_of(line: Line) -> Tag | None:
    """Return the tag that a row is; None for text, and where a change in it would not be seen."""
    if line.within == "tag":
        return read_tag(line.text)
    if line.within != "html" or line.table or (tag := read_html(line.text)) is None:
        return None
    told = [piece for piece in tag.about if not isinstance(piece, str)]
    at = 0
    for text, kind in line.marks or line.spans if line.paired else ():
        begin, at = at + len(text) - len(text.lstrip()), at + len(text)
        if kind != "same" and not any(start <= begin and at <= stop for start, stop in told):
            return None
    return tag


def _formula(line: Line, tone: str, room: int) -> list[Drawn]:
    """Return a row of a formula of its own, without the signs around it."""
    text = line.text
    start = text.index(FORMULA) + len(FORMULA) if text.lstrip().startswith(FORMULA) else 0
    ends = text.rstrip().endswith(FORMULA) and text.rindex(FORMULA) >= start
    stop = text.rindex(FORMULA) if ends else len(text)
    start += len(text[start:stop]) - len(text[start:stop].lstrip())
    lead = f"{glyphs().bar} {'math: ' if start else ''}"
    return wrap_exact([(lead, tone or "muted"), *part_of(line, tone, start, stop)], room)


def _pieces(line: Line, tone: str, pieces: Sequence[Piece]) -> list[Drawing]:
    """Return the pieces of a row as drawings: our own words plain, its text with marks."""
    said: list[Drawing] = []
    for piece in pieces:
        said += [(piece, tone)] if isinstance(piece, str) else part_of(line, tone, *piece)
    return said


def part_of(line: Line, tone: str, start: int, stop: int) -> list[Drawing]:
    """Return characters ``start`` up to ``stop`` of a row with their marks."""
    marks = bool(line.marks)
    parts: list[Drawing] = []
    at = 0
    # Where all of a tag is marked, what exactly differs says more.
    spans = line.spans if marks and line.within == "tag" else line.marks or line.spans
    for text, kind in spans:
        begin, end = max(start - at, 0), min(stop - at, len(text))
        at += len(text)
        if begin < end:
            parts.append(_drawing(line, tone, text[begin:end], kind, marks=marks))
    return parts


def marked(line: Line, tone: str) -> list[Drawing]:
    """Return a row's text with `[-…-]` and `{+…+}` around the changed words of an edited one."""
    left = LINE_LIMIT
    parts: list[Drawing] = []
    marks = bool(line.marks)
    for text, kind in line.marks or line.spans:
        if left <= 0:
            break
        said = text[:left]
        left -= len(said)
        parts.append(_drawing(line, tone, said, kind, marks=marks))
    if left <= 0:
        more = sum(len(text) for text, _ in line.spans) - LINE_LIMIT
        if more > 0:
            parts.append((f" {glyphs().more} {plural(more, 'character')} more", "muted"))
    if line.paired and not line.compared:
        parts.append((f" {glyphs().more} comparing words", "muted"))
    return parts


def _drawing(line: Line, tone: str, said: str, kind: SpanKind, *, marks: bool) -> Drawing:
    """Return a part of a row with the signs and the tone that say what became of it."""
    if not marks:
        return said, tone if line.kind in ("added", "removed") else ""
    if kind == "same":
        return said, ""
    return (f"[-{said}-]", "removed") if kind == "removed" else (f"{{+{said}+}}", "added")


def draw_fold(diff: TextDiff, start: int, stop: int, gutter: Gutter) -> list[Drawn]:
    """Return the line for folded rows."""
    return [
        [
            (" " * (gutter.cells - 2), ""),
            (f"{glyphs().gap} ", "muted"),
            (f"{diff.sentence(start, stop)} (z unfolds)", "muted"),
        ]
    ]


def draw_head(head: str, width: int) -> Drawn:
    """Return the line above a page that follows another."""
    rule = glyphs().rule
    said = shorten(head, max(8, width - 8), glyphs().more)
    lead = f" {rule * 2} {said} "
    return [(lead, "strong"), (rule * max(0, width - cell_len(lead) - 1), "muted")]


def draw_finding(said: str, width: int) -> list[Drawn]:
    """Return the lines of what a check says of the row above."""
    lines = wrap_exact([(said, "warn")], max(8, width - 7))
    return [[("    ! " if not nth else "      ", "warn"), *line] for nth, line in enumerate(lines)]


def draw_note(note: str, width: int) -> list[Drawn]:
    """Return the lines of a note above the text."""
    lines = wrap_exact([(note, "moved")], max(8, width - 5))
    return [[(" -- " if not nth else "    ", "moved"), *line] for nth, line in enumerate(lines)]
