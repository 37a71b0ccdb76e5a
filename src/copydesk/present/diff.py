"""The change of a page as rows to draw: visible rows, folds, and rows of threads.

Pure functions. Rows of tables are compared by cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len

from copydesk.domain.block_tags import Piece, Tag, read_tag
from copydesk.domain.blocks import CELLS, FIELD, FORMULA, cells, is_rule
from copydesk.domain.changed_words import SpanKind
from copydesk.domain.diff import Line, Move, TextDiff
from copydesk.domain.html_line import read_html
from copydesk.domain.html_table import MOST_COLUMNS, plain_cells
from copydesk.domain.text import clean, plural, shorten
from copydesk.present.markdown import Line as Drawn
from copydesk.present.markdown import Look, field_lines, left_out, row_lines, rule_line, wrap_exact
from copydesk.present.markdown import Span as Drawing
from copydesk.present.tables import SAMPLE, TableColumns, columns
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.domain.page_text import PageText

BOTH = 48
"""The width from which a row has its numbers in both texts."""


CONTEXT = 2
"""Unchanged rows shown around a change."""


class Gutter(NamedTuple):
    """The columns before the text of a row: the cursor, its numbers, its sign.

    ``digits`` is the width of a number. ``both`` gives the numbers in the old and the new text;
    else there is one, of the old text for the sign ``-`` and otherwise of the new. ``blocks``
    numbers blocks, not lines.
    """

    digits: int = 3
    both: bool = True
    blocks: bool = False
    authors: Mapping[int, str] | None = None
    """Who wrote each block of the new text, by its number, in place of all numbers."""
    author_cells: int = 0

    @property
    def cells(self) -> int:
        """The cells before the text."""
        if self.authors is not None:
            return self.author_cells + 4
        return 1 + self.digits * (2 if self.both else 1) + (1 if self.both else 0) + 3

    def numbers(self, line: Line) -> tuple[str, str]:
        """Return a row's number in the old text and in the new one, as wide as all are."""
        found = (
            (line.before_block, line.after_block)
            if self.blocks
            else (line.before_number, line.after_number)
        )
        before, after = (f"{'' if n is None else n:>{self.digits}}" for n in found)
        return before, after

    def lead(self, line: Line) -> str:
        """Return the numbers of a row, behind a blank for the cursor."""
        if self.authors is not None:
            return " " + self.authors.get(line.after_block or 0, " " * self.author_cells)
        before, after = self.numbers(line)
        if self.both:
            return f" {before} {after}"
        return f" {before if line.kind == 'removed' else after}"


DEFAULT_GUTTER = Gutter()


class DiffLine(NamedTuple):
    """A drawn row: a row of the diff, the two of an edited one side by side, a fold over unchanged
    ones, or a note above the text.

    ``at`` is the row of the diff, the first folded one for folds, the index for notes.
    """

    kind: Literal["line", "pair", "fold", "note"]
    at: int
    stop: int = 0


def gutter_of(page: PageText, width: int, *, blocks: bool = False) -> Gutter:
    """Return the columns before the rows of a page of this width."""
    most = max(len(page.diff.before.lines), len(page.diff.after.lines))
    both = bool(width >= BOTH and page.diff.changed and page.before and page.after)
    return Gutter(max(3, len(str(most))), both, blocks)


def rows(
    page: PageText,
    *,
    keep: Iterable[int] = (),
    unfolded: Iterable[int] = (),
    all_lines: bool,
    pairs: bool = False,
) -> list[DiffLine]:
    """Return the rows to draw: notes, changed rows with context, folds over the rest.

    ``keep`` are rows that stay visible (they carry threads); ``unfolded`` the first rows of opened
    folds; ``all_lines`` opens all. ``pairs`` puts the two of an edited row side by side. An
    unchanged page is shown whole.
    """
    found = [DiffLine("note", at) for at in range(len(page.notes))]
    whole = all_lines or not page.folds
    kept = sorted(set(keep))
    opened = set(unfolded)
    for hunk in page.diff.hunks(CONTEXT):
        if not hunk.folded or whole or hunk.start in opened:
            found.extend(_lines(page, hunk.start, hunk.stop, pairs and not hunk.folded))
            continue
        at = hunk.start
        for line in [k for k in kept if hunk.start <= k < hunk.stop]:
            first, last = max(at, line - 1), min(hunk.stop, line + 2)
            _fold(found, at, first, opened)
            found.extend(DiffLine("line", each) for each in range(first, last))
            at = max(at, last)
        _fold(found, at, hunk.stop, opened)
    return found


def _lines(page: PageText, start: int, stop: int, pairs: bool) -> Iterable[DiffLine]:
    at = start
    while at < stop:
        if pairs and page.diff.place(at)[0].kind == "edited":
            yield DiffLine("pair", at, at + 2)
            at += 2
        else:
            yield DiffLine("line", at)
            at += 1


def _fold(found: list[DiffLine], start: int, stop: int, opened: set[int]) -> None:
    if stop - start < 2 or start in opened:
        found.extend(DiffLine("line", at) for at in range(start, stop))
    else:
        found.append(DiffLine("fold", start, stop))


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
    if line.within == "front" and (name := FIELD.match(line.text)) is not None:
        said = [(name[1], tone or "muted"), *part_of(line, tone, name.end(1), len(line.text))]
        return wrap_exact(said, room)
    return wrap_exact(marked(line, tone), room)


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


def draw_fold(said: str, key: str, gutter: Gutter) -> list[Drawn]:
    """Return the line for folded rows: what they are, and the ``key`` that expands them."""
    return [
        [
            (" " * (gutter.cells - 2), ""),
            (f"{glyphs().gap} ", "muted"),
            (f"{said} {key}", "muted"),
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


MARKS = 4
"""Cells that the signs of a mark take."""

NEAR = 20
"""How many rows on each side are searched for the table that a row stands in."""


class DiffTable(NamedTuple):
    """A table of a change: how wide its columns would be, their names, and what of it is shown.

    ``plain`` are the cells of one row of it in HTML without their attributes: what is shown of
    those that did not change.
    """

    natural: Sequence[int]
    names: Sequence[str]
    look: Look
    plain: Sequence[str] | None = None


class DiffTables:
    """The tables of one comparison, each measured when a row of it is drawn."""

    def __init__(self, diff: TextDiff) -> None:
        self._diff = diff
        self._known: dict[tuple[bool, int], tuple[list[int], list[str]]] = {}

    def of(self, row: int, look: Look) -> DiffTable | None:
        """Return the table that a row of the diff is of."""
        key = self._table_of(row)
        if key is None:
            return None
        if key not in self._known:
            self._known[key] = self._measured(*key)
        natural, names = self._known[key]
        return DiffTable(natural, names, look, self._plain(row))

    def _plain(self, row: int) -> Sequence[str] | None:
        """Return the cells of a row in HTML without attributes; None where they are told."""
        (kind, old, new, _, _), step = self._diff.place(row)
        if kind == "edited":
            step, second = divmod(step, 2)
            text, at = (self._diff.after, new) if second else (self._diff.before, old)
        elif kind in ("same", "moved") and new >= 0:
            text, at = self._diff.after, new
        else:
            return None
        if text.row(at + step).kind != "html":
            return None
        found = plain_cells(text.source(at + step))
        return found if found and len(found) == len(cells_of(text.said(at + step))) else None

    def _table_of(self, row: int) -> tuple[bool, int] | None:
        """Return the block of the text after (or, False, before) that a row is in."""
        segment, step = self._diff.place(row)
        step = step // 2 if segment.kind == "edited" else step
        if segment.after >= 0:
            block = self._diff.after.block_of(segment.after + step)
            return None if block is None else (True, block)
        if segment.before < 0:
            return None
        at = segment.before + step
        old = self._diff.before
        block = old.block_of(at)
        if block is None:
            return None
        first, stop = old.blocks[block].first, old.blocks[block].stop
        for other in range(max(first, at - NEAR), min(stop, at + NEAR)):
            shown = self._diff.row_of(other, after=False)
            there = None if shown is None else self._diff.place(shown)[0]
            if shown is not None and there is not None and there.after >= 0:
                return self._table_of(shown)
        return False, block

    def _is_row(self, row: int) -> bool:
        """Whether a row of the diff is one of a table, told without comparing its words."""
        (kind, old, new, _, _), step = self._diff.place(row)
        step = step // 2 if kind == "edited" else step
        text, at = (self._diff.after, new) if new >= 0 else (self._diff.before, old)
        return at >= 0 and text.row(at + step).kind in CELLS

    def _measured(self, after: bool, block: int) -> tuple[list[int], list[str]]:
        """Return how wide the columns of a table are by its first rows, and their names."""
        text = self._diff.after if after else self._diff.before
        first, stop = text.blocks[block].first, text.blocks[block].stop
        start = self._diff.row_of(first, after=after) or 0
        natural: list[int] = []
        changed: set[int] = set()
        names: list[str] = []
        last: list[str] = []
        for row in range(start, min(start + min(stop - first, SAMPLE) + NEAR, len(self._diff))):
            if not self._is_row(row) or self._table_of(row) != (after, block):
                continue
            line = self._diff.text_of(row)
            found = cells_of(line) if line.count("|") <= MOST_COLUMNS else []
            if not found or is_rule(line):
                continue
            said = [line[slice(*cell)] for cell in found]
            segment, step = self._diff.place(row)
            plain = self._plain(row) or said
            names = names or list(plain)
            natural += [1] * (len(said) - len(natural))
            for at, cell in enumerate(plain if segment.kind != "edited" else said):
                natural[at] = max(natural[at], cell_len(cell))
            if segment.kind == "edited" and step % 2:
                changed |= {at for at, (one, other) in enumerate(zip(said, last, strict=False))
                            if one != other}  # fmt: skip
            last = said
        return [w + MARKS * (at in changed) for at, w in enumerate(natural)] or [1], names


def columns_of(table: DiffTable, room: int) -> TableColumns:
    """Return which columns of a table are shown in so many cells."""
    look = table.look
    return columns(table.natural, room, at=look.column, turned=look.turned, hides=False)


def cells_of(line: str) -> list[tuple[int, int]]:
    """Return where the cells of a row begin and end, without the blanks around them."""
    found: list[tuple[int, int]] = []
    at = 0
    parts = cells(line)
    for nth, part in enumerate(parts):
        start, stop = at, at + len(part)
        at = stop + 1
        if not part.strip():
            if nth in (0, len(parts) - 1):
                continue  # before the first bar, or behind the last one
            found.append((start, start))
            continue
        found.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
    return found


def draw_cells(
    line: str, part: Callable[[int, int], list[Drawing]], room: int, table: DiffTable
) -> list[Drawn]:
    """Return the lines of a row of a table. ``part`` returns a part of the row as it is drawn."""
    shown = columns_of(table, room)
    found = cells_of(line)
    if is_rule(line):
        return [[("-" * 3, "muted")]] if shown.as_fields else [rule_line(shown)]
    drawn = [part(*cell) for cell in found]
    said = [line[slice(*cell)] for cell in found]
    if table.plain is not None:
        said = [*table.plain]
        drawn = [
            cell if _is_marked(cell) else [(plain, cell[0][1] if cell else "")]
            for cell, plain in zip(drawn, table.plain, strict=True)
        ]
    is_head = said == [*table.names]
    if shown.as_fields:
        named = line.strip() != "" and not is_head
        names = [[(name, "")] for name in table.names] if named else []
        return _values(names, drawn, room)
    count = len(table.natural)
    if len(drawn) > count:
        drawn[count - 1 :] = [[each for cell in drawn[count - 1 :] for each in [*cell, (" ", "")]]]
    lines = row_lines(drawn, shown, exact=True)
    if not line.strip() or not (shown.before or shown.after):
        return lines
    if is_head:
        return [[(left_out(shown), "muted")], *lines]
    if any(_is_marked(cell) for at, cell in enumerate(drawn) if at not in shown.shown):
        lines.append([(f"{glyphs().more} it differs in a column that is left out", "changed")])
    return lines


def _values(names: Sequence[Drawn], drawn: Sequence[Drawn], room: int) -> list[Drawn]:
    """Return a row as values; an edited one as the first, the changed, and a count of others."""
    marked = [_is_marked(cell) for cell in drawn]
    told = [cell if at == 0 or marked[at] else [] for at, cell in enumerate(drawn)]
    same = sum(bool(cell) for cell in drawn) - sum(bool(cell) for cell in told)
    if not any(marked) or same == 0:
        return field_lines(names, drawn, room) or [[]]
    said = f"  {glyphs().more} {plural(same, 'value')} as before"
    return [*field_lines(names, told, room), [(said, "muted")]]


def _is_marked(cell: Drawn) -> bool:
    return any(tone in ("added", "removed") for _, tone in cell)
