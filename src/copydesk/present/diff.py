"""The change of a page as rows to draw: visible rows, folds, and rows of threads.

Pure functions; `copydesk.present.diff_rows` draws a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import get_character_cell_size

if TYPE_CHECKING:
    # Every text that is wrapped comes through here: comparing is loaded with what compares.
    from copydesk.domain.diff import Line
    from copydesk.domain.page_text import PageText
    from copydesk.present.markdown import Line as Drawn
    from copydesk.present.markdown import Span as Drawing

BOTH = 48
"""The width from which a row has its numbers in both texts."""


CONTEXT = 2
"""Unchanged rows shown around a change."""


_OPENING, _CLOSING = ("[-", "{+"), ("-]", "+}")
"""The signs around words that changed."""


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


class Row(NamedTuple):
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
) -> list[Row]:
    """Return the rows to draw: notes, changed rows with context, folds over the rest.

    ``keep`` are rows that stay visible (they carry threads); ``unfolded`` the first rows of opened
    folds; ``all_lines`` opens all. ``pairs`` puts the two of an edited row side by side. An
    unchanged page is shown whole.
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
        at = _with_marks(plain, begin, at)
        if at >= len(plain):
            return found
        found.append(at)


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
