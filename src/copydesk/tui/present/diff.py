"""A page's change as rows to draw: which lines are shown, and how one of them looks.

Pure functions: what is drawn is decided here, line by line, when a line comes into view.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple

from rich.cells import cell_len, get_character_cell_size

from copydesk.domain.anchor import AnchoredLines, anchor
from copydesk.domain.diff import Line, TextDiff, compare
from copydesk.domain.text import clean, plural
from copydesk.tui.glyphs import glyphs
from copydesk.tui.markdown_lines import Line as Drawn
from copydesk.tui.markdown_lines import Span as Drawing

BOTH = 48
"""From how many cells on a line has its number in the old text and in the new one."""

_WORD = re.compile(r"[\w@%+~-]+(?:[.'’][\w@%+~-]+)*")
"""A word, or what stands between the slashes of an address."""

LINE_LIMIT = 20_000
"""Characters of one line that are drawn; the rest is counted."""

CONTEXT = 3
"""Unchanged lines shown around a change."""


class Gutter(NamedTuple):
    """What stands before the text of a line: the cursor, its numbers, its sign.

    ``digits`` are the cells of a number. ``both`` gives its number in the old text and in the new
    one; else there is one, and the sign tells of which text: ``-`` of the old, otherwise the new.
    """

    digits: int = 3
    both: bool = True

    @property
    def cells(self) -> int:
        """The cells before the text."""
        return 1 + self.digits * (2 if self.both else 1) + (1 if self.both else 0) + 3

    def lead(self, line: Line) -> str:
        """Return the numbers of a line, behind a blank for the cursor."""
        before, after = (
            "" if number is None else str(number)
            for number in (line.before_number, line.after_number)
        )
        if self.both:
            return f" {before:>{self.digits}} {after:>{self.digits}}"
        return f" {before if line.kind == 'removed' else after:>{self.digits}}"


DEFAULT_GUTTER = Gutter()


class Row(NamedTuple):
    """One row: a line of the diff, a fold over unchanged lines, or a note above the text.

    ``at`` is the line for lines, the first folded line for folds, the note's place for notes.
    """

    kind: Literal["line", "fold", "note"]
    at: int
    stop: int = 0


@dataclass(slots=True)
class PageText:
    """The two texts of a page compared, and where on it anchors are found."""

    before: str
    after: str
    diff: TextDiff
    before_lines: Sequence[str]
    after_lines: Sequence[str]
    notes: tuple[str, ...] = ()
    _before_anchors: AnchoredLines = field(init=False)
    _after_anchors: AnchoredLines = field(init=False)
    _starts: list[int] = field(init=False)
    _found: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._before_anchors = AnchoredLines(self.before_lines)
        self._after_anchors = AnchoredLines(self.after_lines)
        self._starts = []
        at = 0
        for segment in self.diff.segments:
            self._starts.append(at)
            at += segment.size * (2 if segment.kind == "edited" else 1)

    def gutter(self, width: int) -> Gutter:
        """Return what stands before the lines of this page where so many cells are."""
        most = max(len(self.before_lines), len(self.after_lines))
        both = bool(width >= BOTH and self.diff.changed and self.before and self.after)
        return Gutter(max(3, len(str(most))), both)

    @property
    def now(self) -> str:
        """The text that a reader has seen after reading this: a removed page's is the old one."""
        return self.after or self.before

    def find(self, node: str) -> int | None:
        """Return the row of the diff that an anchor is about: as it is now, else as it was."""
        if node not in self._found:
            self._found[node] = self._find(node)
        return self._found[node]

    def _find(self, node: str) -> int | None:
        place = self._after_anchors.find(node)
        if place is not None:
            return self._row(place, after=True)
        place = self._before_anchors.find(node)
        return None if place is None else self._row(place, after=False)

    def pair(self, at: int) -> tuple[int, ...]:
        """Return the rows of one line: two where it was edited, as it was and as it is now."""
        line = self.diff[at]
        if not line.paired:
            return (at,)
        return (at, at + 1) if line.kind == "removed" else (at - 1, at)

    def anchor(self, at: int) -> str | None:
        """Return the anchor of a row of the diff; None on a blank line.

        An edited line is anchored as it is now: the text before will be gone once it is merged.
        """
        line = self.diff[self.pair(at)[-1]]
        if line.after_number is not None:
            return anchor(self.after_lines, line.after_number - 1)
        assert line.before_number is not None
        return anchor(self.before_lines, line.before_number - 1)

    def line_text(self, at: int) -> str:
        """Return a row's text, without looking for changed words."""
        place = bisect_right(self._starts, at) - 1
        kind, before, after, _ = self.diff.segments[place]
        step = at - self._starts[place]
        if kind == "edited":
            nth, second = divmod(step, 2)
            return self.after_lines[after + nth] if second else self.before_lines[before + nth]
        return (
            self.before_lines[before + step]
            if kind == "removed"
            else (self.after_lines[after + step])
        )

    def _row(self, place: int, *, after: bool) -> int | None:
        for start, (kind, old, new, size) in zip(self._starts, self.diff.segments, strict=True):
            first = new if after else old
            if kind == ("removed" if after else "added") or not first <= place < first + size:
                continue
            step = place - first
            return start + (step * 2 + (1 if after else 0) if kind == "edited" else step)
        return None


def page_text(before: str, after: str, notes: Sequence[str] = ()) -> PageText:
    """Compare two texts of a page. Takes time linear to them: not between two keys."""
    before, after = clean(before, lines=True), clean(after, lines=True)
    diff = compare(before, after)
    said = list(notes)
    if diff.line_ends_changed:
        said.append("Line ends changed; the lines themselves are compared below.")
    return PageText(before, after, diff, before.split("\n"), after.split("\n"), tuple(said))


def rows(
    page: PageText, *, keep: Iterable[int] = (), unfolded: Iterable[int] = (), all_lines: bool
) -> list[Row]:
    """Return what to show: notes, changed lines with their surroundings, folds over the rest.

    ``keep`` are lines that stay in view (they carry threads); ``unfolded`` the first lines of folds
    that were opened; ``all_lines`` opens all. A page without any change is shown whole.
    """
    found = [Row("note", at) for at in range(len(page.notes))]
    whole = all_lines or not page.diff.changed
    kept = sorted(set(keep))
    opened = set(unfolded)
    for hunk in page.diff.hunks(CONTEXT):
        if not hunk.folded or whole or hunk.start in opened:
            found.extend(Row("line", at) for at in range(hunk.start, hunk.stop))
            continue
        at = hunk.start
        for line in [k for k in kept if hunk.start <= k < hunk.stop]:
            first, last = max(at, line - 1), min(hunk.stop, line + 2)
            _fold(found, at, first, opened)
            found.extend(Row("line", each) for each in range(first, last))
            at = max(at, last)
        _fold(found, at, hunk.stop, opened)
    return found


def _fold(found: list[Row], start: int, stop: int, opened: set[int]) -> None:
    if stop - start < 2 or start in opened:
        found.extend(Row("line", at) for at in range(start, stop))
    else:
        found.append(Row("fold", start, stop))


def draw_line(
    line: Line,
    width: int,
    *,
    gutter: Gutter = DEFAULT_GUTTER,
    mark: str = "",
    mark_tone: str = "accent",
) -> list[Drawn]:
    """Return the drawn lines of one line of a diff: numbers, sign, text with its changed words.

    A long line wraps and keeps its sign. ``mark`` names the threads on it, at the right end.
    """
    sign, tone = {"same": (" ", ""), "added": ("+", "good"), "removed": ("-", "bad")}[line.kind]
    room = max(8, width - gutter.cells - (cell_len(mark) + 1 if mark else 0) - 1)
    parts = _marked(line, tone)
    shown: list[Drawn] = []
    lead = gutter.lead(line)
    for nth, part in enumerate(wrap_exact(parts, room)):
        drawn: Drawn = [(lead, "muted"), (f" {sign} ", tone), *part]
        lead = " " * len(lead)
        if mark and nth == 0:
            used = sum(cell_len(text) for text, _ in part)
            drawn += [(" " * (room - used + 1), ""), (mark, mark_tone)]
        shown.append(drawn)
    return shown


NEAR = 3
"""Fewer unchanged characters than this between two marks are marked with them."""


def _joined(line: Line) -> list[tuple[str, str]]:
    """Return an edited line's spans with marks on whole words, for words in shreds read badly.

    A mark grows to the blanks around it; marks close to each other become one; where more than
    half of the line changed, all of it is one mark.
    """
    change = line.kind
    text = "".join(said for said, _ in line.spans)
    changed = [False] * len(text)
    at = 0
    for said, kind in line.spans:
        if kind != "same":
            changed[at : at + len(said)] = [True] * len(said)
        at += len(said)
    if sum(changed) * 2 > len(text):
        return [(text, change)]
    for word in _WORD.finditer(text):
        first, last = word.span()
        if any(changed[first:last]):
            changed[first:last] = [True] * (last - first)
    runs = [(kind, len(list(each))) for kind, each in groupby(changed)]
    found: list[tuple[str, str]] = []
    at = 0
    for nth, (marked, size) in enumerate(runs):
        said = text[at : at + size]
        at += size
        inside = 0 < nth < len(runs) - 1
        kind = change if marked or (inside and size < NEAR) else "same"
        if found and found[-1][1] == kind:
            found[-1] = (found[-1][0] + said, kind)
        else:
            found.append((said, kind))
    return found


def _marked(line: Line, tone: str) -> list[Drawing]:
    """Return a line's text with `[-…-]` and `{+…+}` around words that changed in an edited line."""
    left = LINE_LIMIT
    parts: list[Drawing] = []
    for text, kind in _joined(line) if line.paired else line.spans:
        if left <= 0:
            break
        said = text[:left]
        left -= len(said)
        if not line.paired:
            parts.append((said, tone))
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
    return parts


def draw_fold(count: int, gutter: Gutter = DEFAULT_GUTTER) -> list[Drawn]:
    """Return the line that stands for unchanged lines."""
    return [
        [
            (" " * (gutter.cells - 2), ""),
            (f"{glyphs().gap} ", "muted"),
            (f"{plural(count, 'unchanged line')} (z unfolds)", "muted"),
        ]
    ]


def draw_note(note: str, width: int) -> list[Drawn]:
    """Return the lines of a note above the text."""
    lines = wrap_exact([(note, "moved")], max(8, width - 5))
    return [[(" -- " if not nth else "    ", "moved"), *line] for nth, line in enumerate(lines)]


def wrap_exact(parts: Sequence[Drawing], width: int) -> list[Drawn]:
    """Wrap spans to ``width`` cells at blanks where there are any, keeping every character."""
    plain = "".join(text for text, _ in parts)
    breaks = _breaks(plain, width)
    if not breaks:
        return [list(parts)]
    lines: list[Drawn] = []
    line: Drawn = []
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
    """Return where lines after the first begin."""
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
        # A word longer than half a line is cut: better than half an empty line.
        at = blank + 1 if blank + 1 > at + width // 2 else max(stop, at + 1)
        if at >= len(plain):
            return found
        found.append(at)


def _reach(plain: str, at: int, width: int) -> int:
    used = 0
    while at < len(plain):
        used += get_character_cell_size(plain[at])
        if used > width:
            break
        at += 1
    return at
