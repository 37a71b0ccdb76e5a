"""The drawing of a row of a change: its numbers, its sign, its changed words."""

from __future__ import annotations

from itertools import zip_longest

from rich.cells import cell_len

from copydesk.domain.diff import Line, Move, TextDiff
from copydesk.domain.text import clean, plural
from copydesk.present.diff import DEFAULT_GUTTER, Gutter, wrap_exact
from copydesk.present.markdown import Line as Drawn
from copydesk.present.markdown import Span as Drawing
from copydesk.session.glyphs import glyphs

SIDES = 100
"""The width from which two texts are readable side by side."""

LINE_LIMIT = 20_000
"""The number of characters drawn of one row; the rest is counted."""

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
) -> list[Drawn]:
    """Return the lines of one row of a diff: numbers, sign, text with its changed words.

    A long row wraps and keeps its sign. ``mark`` names its threads, at the right end. A row that is
    ``mine`` is staged here, and not sent.
    """
    if line.move is not None and line.kind in ("from", "to"):
        return _draw_move(line, width, gutter)
    sign, tone = _sign(line)
    room = max(8, width - gutter.cells - (cell_len(mark) + 1 if mark else 0) - 1)
    shown: list[Drawn] = []
    lead = gutter.lead(line)
    for nth, part in enumerate(wrap_exact(_marked(line, tone), room)):
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
) -> list[Drawn]:
    """Return a row in its old and its new form, side by side; None where a text lacks it."""
    half = (width - 3) // 2
    room = half - (cell_len(mark) + 1 if mark else 0)
    columns = [_column(before, half, gutter, 0), _column(after, room, gutter, 1)]
    shown: list[Drawn] = []
    for left, right in zip_longest(*columns):
        drawn: Drawn = _filled(left, half)
        drawn.append((f"{glyphs().bar} ", "muted"))
        drawn += _filled(right, room)
        if mark and not shown:
            drawn.append((f" {mark}", mark_tone))
        shown.append(drawn)
    return shown


def _column(line: Line | None, width: int, gutter: Gutter, side: int) -> list[Drawn]:
    if line is None:
        return []
    sign, tone = _sign(line)
    lead = f" {gutter.numbers(line)[side]}"
    shown: list[Drawn] = []
    for part in wrap_exact(_marked(line, tone), max(8, width - len(lead) - 4)):
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


def _marked(line: Line, tone: str) -> list[Drawing]:
    """Return a row's text with `[-…-]` and `{+…+}` around the changed words of an edited one."""
    left = LINE_LIMIT
    parts: list[Drawing] = []
    marks = bool(line.marks)
    for text, kind in line.marks or line.spans:
        if left <= 0:
            break
        said = text[:left]
        left -= len(said)
        if not marks:
            parts.append((said, tone if line.kind in ("added", "removed") else ""))
        elif kind == "same":
            parts.append((said, ""))
        elif kind == "removed":
            parts.append((f"[-{said}-]", "removed"))
        else:
            parts.append((f"{{+{said}+}}", "added"))
    if left <= 0:
        more = sum(len(text) for text, _ in line.spans) - LINE_LIMIT
        if more > 0:
            parts.append((f" {glyphs().more} {plural(more, 'character')} more", "muted"))
    if line.paired and not line.compared:
        parts.append((f" {glyphs().more} comparing words", "muted"))
    return parts


def draw_fold(diff: TextDiff, start: int, stop: int, gutter: Gutter) -> list[Drawn]:
    """Return the line for folded rows."""
    return [
        [
            (" " * (gutter.cells - 2), ""),
            (f"{glyphs().gap} ", "muted"),
            (f"{diff.sentence(start, stop)} (z unfolds)", "muted"),
        ]
    ]


def draw_note(note: str, width: int) -> list[Drawn]:
    """Return the lines of a note above the text."""
    lines = wrap_exact([(note, "moved")], max(8, width - 5))
    return [[(" -- " if not nth else "    ", "moved"), *line] for nth, line in enumerate(lines)]
