"""A page's change as rows to draw: which of them are shown, and where threads are found on it.

Pure functions; how a row looks is said by `copydesk.tui.present.diff_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from rich.cells import get_character_cell_size

from copydesk.domain.anchor import AnchoredLines, anchor
from copydesk.domain.blocks import BlockText
from copydesk.domain.diff import Line, TextDiff, compare
from copydesk.domain.text import exposed, listed, without_numbers
from copydesk.domain.unseen_changes import unseen_changes
from copydesk.tui.markdown_lines import Line as Drawn
from copydesk.tui.markdown_lines import Span as Drawing

BOTH = 48
"""From how many cells on a row has its number in the old text and in the new one."""

TOLD = 6
"""Lines that are told by their numbers."""

CONTEXT = 2
"""Unchanged rows shown around a change."""


_OPENING, _CLOSING = ("[-", "{+"), ("-]", "+}")
"""The signs around words that changed."""


class Gutter(NamedTuple):
    """What stands before the text of a row: the cursor, its numbers, its sign.

    ``digits`` are the cells of a number. ``both`` gives its number in the old text and in the new
    one; else there is one, and the sign tells of which text: ``-`` of the old, otherwise the new.
    ``blocks`` numbers blocks, not lines.
    """

    digits: int = 3
    both: bool = True
    blocks: bool = False

    @property
    def cells(self) -> int:
        """The cells before the text."""
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
        before, after = self.numbers(line)
        if self.both:
            return f" {before} {after}"
        return f" {before if line.kind == 'removed' else after}"


DEFAULT_GUTTER = Gutter()


class Row(NamedTuple):
    """What is drawn at once: a row of the diff, the two of an edited one side by side, a fold over
    unchanged ones, or a note above the text.

    ``at`` is the row of the diff, the first folded one for folds, the note's place for notes.
    """

    kind: Literal["line", "pair", "fold", "note"]
    at: int
    stop: int = 0


class _Anchors:
    """Where the anchors of threads are found in a text: its rows, and the lines they are of."""

    def __init__(self, text: BlockText) -> None:
        self._text = text
        # A line is known by what is read in it, with or without what is not drawn.
        self.said = [without_numbers(text.said(row)) for row in range(len(text))]
        self._rows = AnchoredLines(self.said)
        wrapped = len(text) != len(text.lines)
        # What was anchored on one line of a wrapped paragraph is on that paragraph.
        self._lines = AnchoredLines(list(map(without_numbers, text.lines))) if wrapped else None

    def find(self, node: str) -> int | None:
        """Return the row that an anchor is about."""
        row = self._rows.find(node)
        if row is None and self._lines is not None:
            line = self._lines.find(node)
            row = None if line is None else self._text.row_of_line(line)
        return row


@dataclass(slots=True)
class PageText:
    """The two texts of a page compared, and where on it anchors are found.

    ``alike``: the text is the same on both sides, and what changed is told in the notes.
    """

    before: str
    after: str
    diff: TextDiff
    notes: tuple[str, ...] = ()
    alike: bool = False
    _old: _Anchors = field(init=False)
    _new: _Anchors = field(init=False)
    _found: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._old, self._new = _Anchors(self.diff.before), _Anchors(self.diff.after)
        self.diff.prepare()

    def gutter(self, width: int, *, blocks: bool = False) -> Gutter:
        """Return what stands before the rows of this page where so many cells are."""
        most = max(len(self.diff.before.lines), len(self.diff.after.lines))
        both = bool(width >= BOTH and self.diff.changed and self.before and self.after)
        return Gutter(max(3, len(str(most))), both, blocks)

    @property
    def folds(self) -> bool:
        """Whether rows that did not change are folded."""
        return self.diff.changed or self.alike

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
        place = self._new.find(node)
        if place is not None:
            return self.diff.row_of(place, after=True)
        place = self._old.find(node)
        return None if place is None else self.diff.row_of(place, after=False)

    def pair(self, at: int) -> tuple[int, ...]:
        """Return the rows of one row: two where it was edited, as it was and as it is now."""
        line = self.diff[at]
        if not line.paired:
            return (at,)
        return (at, at + 1) if line.kind == "removed" else (at - 1, at)

    def anchor(self, at: int) -> str | None:
        """Return the anchor of a row of the diff; None where it has no text of its own.

        An edited row is anchored as it is now: the text before will be gone once it is merged.
        """
        segment, step = self.diff.place(self.pair(at)[-1])
        if segment.kind in ("from", "to"):
            return None
        if segment.kind == "edited":
            step //= 2
        if segment.after >= 0:
            return anchor(self._new.said, segment.after + step)
        return anchor(self._old.said, segment.before + step)

    def line_text(self, at: int) -> str:
        """Return a row's text, without looking for changed words."""
        return self.diff.text_of(at)


def page_text(
    before: str, after: str, notes: Sequence[str] = (), *, alike: bool = False
) -> PageText:
    """Compare two texts of a page. Takes time linear to them: not between two keys.

    ``alike`` as in `PageText`: a page that is only shown, without a change, is none.
    """
    raw = before, after
    before, after = exposed(before), exposed(after)
    diff = compare(before, after)
    said = [*notes, *_unseen_notes(diff, *raw)]
    if diff.unclosed is not None:
        said.append(
            f"Not read as Markdown: the code that begins in line {diff.unclosed} never ends. "
            "Lines and their words are compared."
        )
    if diff.quiet or (not diff.changed and raw[0] != raw[1] and len(said) == len(notes)):
        said.append(
            "The words are the same. What differs are line breaks, blanks or escapes, which "
            "readers do not see."
        )
    return PageText(before, after, diff, tuple(said), alike)


def _unseen_notes(diff: TextDiff, before: str, after: str) -> list[str]:
    """Return what differs in characters that are not drawn."""
    said: list[str] = []
    windows = ["\r\n" in text for text in (before, after)]
    if before and after and windows[0] != windows[1]:
        said.append(
            "All line ends changed: they were those of Windows (CRLF), now they are those of Unix."
            if windows[0]
            else "All line ends changed: they were those of Unix, now they are those of Windows "
            "(CRLF)."
        )
    lines = unseen_changes(diff, before, after)
    if lines:
        more = [] if len(lines) <= TOLD else [f"{len(lines) - TOLD:,} more"]
        at = listed([*(f"{line:,}" for line in lines[:TOLD]), *more])
        said.append(
            f"Invisible characters changed on {'line' if len(lines) == 1 else 'lines'} {at}."
        )
    return said


def rows(
    page: PageText,
    *,
    keep: Iterable[int] = (),
    unfolded: Iterable[int] = (),
    all_lines: bool,
    pairs: bool = False,
) -> list[Row]:
    """Return what to show: notes, changed rows with their surroundings, folds over the rest.

    ``keep`` are rows that stay in view (they carry threads); ``unfolded`` the first rows of folds
    that were opened; ``all_lines`` opens all. ``pairs`` puts the two of an edited row side by
    side. A page that is only shown, without any change, is shown whole.
    """
    found = [Row("note", at) for at in range(len(page.notes))]
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
            found.extend(Row("line", each) for each in range(first, last))
            at = max(at, last)
        _fold(found, at, hunk.stop, opened)
    return found


def _lines(page: PageText, start: int, stop: int, pairs: bool) -> Iterable[Row]:
    at = start
    while at < stop:
        if pairs and page.diff.place(at)[0].kind == "edited":
            yield Row("pair", at, at + 2)
            at += 2
        else:
            yield Row("line", at)
            at += 1


def _fold(found: list[Row], start: int, stop: int, opened: set[int]) -> None:
    if stop - start < 2 or start in opened:
        found.extend(Row("line", at) for at in range(start, stop))
    else:
        found.append(Row("fold", start, stop))


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
        begin, at = at, blank + 1 if blank + 1 > at + width // 2 else max(stop, at + 1)
        at = _with_marks(plain, begin, at)
        if at >= len(plain):
            return found
        found.append(at)


def _with_marks(plain: str, begin: int, at: int) -> int:
    """Return where to break so that the signs of a mark stay beside what they mark."""
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
