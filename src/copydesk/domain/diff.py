"""What changed between two Markdown texts: blocks first, then rows, and the words inside a row.

Blocks are matched as `copydesk.domain.block_matches` says. Inside an edited block rows are
matched: the lines of code, the rows of a table. Words are compared only inside a pair of rows, and
only when a person looks at it: rows are made on demand, so that a diff costs what the screen shows.

A row is what is read as one line, however it is wrapped in the source, so that prose that was only
wrapped anew shows no change. Neither do blanks that Markdown does not see and escapes that it does
not need.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, overload

from copydesk.domain.block_matches import Move
from copydesk.domain.blocks import CELLS, BlockKind, BlockText
from copydesk.domain.changed_words import CJK, MARKS, Span, SpanKind, Spans, compare_words
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.row_matches import NOWHERE, QUICK, Group, RowLayout, Segment, marks_of
from copydesk.domain.text import plural

__all__ = ["Hunk", "Line", "Move", "Segment", "Span", "TextDiff", "compare"]

Kind: TypeAlias = Literal["same", "added", "removed", "moved", "from", "to"]
"""``moved`` is a row that stands elsewhere now; ``from`` says above it where it was, ``to`` in its
old place where it went.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a diff.

    The numbers count lines from 1 in the text before and after, those of blocks blocks; None where
    the row is not in that text. ``paired`` says that a removed row and the added one below it are
    one row edited; their spans then mark the words, unless they are not ``compared`` yet. The
    spans joined are the row. ``marks`` are the spans to be drawn of a row whose words are compared,
    grown to whole words (`copydesk.domain.diff`); of all other rows there are none.
    ``table`` says that it is a row of a table, ``within`` what block it is in.
    """

    kind: Kind
    before_number: int | None
    after_number: int | None
    spans: Spans
    paired: bool = False
    compared: bool = True
    move: Move | None = None
    table: bool = False
    within: BlockKind | None = None
    before_block: int | None = None
    after_block: int | None = None
    marks: Spans = ()

    @property
    def text(self) -> str:
        """The whole row."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Rows ``start`` up to ``stop`` of a diff: shown or, when ``folded``, behind one sentence."""

    start: int
    stop: int
    folded: bool


class TextDiff(Sequence[Line]):
    """The rows of a comparison, made when asked for.

    ``added`` and ``removed`` count rows, an edited one as one of each, a moved one as none.
    ``unclosed`` is the line (from 1) of a code fence that only one of the texts
    closes: then the texts were compared line by line.
    """

    def __init__(self, before: BlockText, after: BlockText, *, unclosed: int | None = None) -> None:
        self.before = before
        self.after = after
        self.unclosed = unclosed
        self._hunks: dict[int, tuple[Hunk, ...]] = {}
        plan = RowLayout(before, after)
        self.segments = tuple(plan.segments)
        self.moves = tuple(plan.moves)
        self._marks = RowMarks(before, after, plan.groups)
        self._pieces = plan.starts
        self.added = self.removed = rows = 0
        self._starts: list[int] = []
        for kind, old, new, size, _ in self.segments:
            self._starts.append(rows)
            rows += size * (2 if kind == "edited" else 1)
            if kind in ("added", "edited"):
                self.added += sum(after.row(at).kind != "blank" for at in range(new, new + size))
            if kind in ("removed", "edited"):
                self.removed += sum(before.row(at).kind != "blank" for at in range(old, old + size))
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    @property
    def new_rows(self) -> frozenset[int]:
        """The rows of the text after that are not in the text before as they are."""
        return frozenset(
            row
            for kind, _, new, size, _ in self.segments
            if kind in ("added", "edited")
            for row in range(new, new + size)
        )

    @overload
    def __getitem__(self, index: int) -> Line: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Line, ...]: ...

    def __getitem__(self, index: int | slice) -> Line | tuple[Line, ...]:
        if isinstance(index, slice):
            return tuple(self._line(row) for row in range(*index.indices(self._rows)))
        row = index + self._rows if index < 0 else index
        if not 0 <= row < self._rows:
            raise IndexError(f"row {index} of a diff of {self._rows} rows")
        return self._line(row)

    @property
    def changed(self) -> bool:
        """Whether any row differs or stands elsewhere."""
        return any(segment.kind != "same" for segment in self.segments)

    @property
    def quiet(self) -> bool:
        """Whether the texts differ in nothing that a reader sees."""
        return not self.changed and self.before.text != self.after.text

    @cached_property
    def changes(self) -> tuple[int, ...]:
        """The first row of each change, in order: where J and K stop.

        A change is an edited block, a stretch of edited rows in a long one, or neighbours that
        are all new, all gone or moved together.
        """
        found: list[int] = []
        last: tuple[str, int] | None = None
        fresh = True
        for at, (start, segment) in enumerate(self._placed()):
            fresh = fresh or at in self._pieces
            if segment.kind == "same":
                if segment.after < 0 or not self._blank(segment):
                    last = None
                continue
            about = _ABOUT[segment.kind], segment.run
            if segment.kind in ("added", "removed") and self._marks.grouped(*segment[1:3]):
                about = "edited", segment.run
            if last is None or about != last or (fresh and segment.kind == "edited"):
                # The blank line above a block belongs to it and says nothing.
                found.append(start + (segment.size > 1 and self.is_blank(start)))
            last, fresh = about, False
        return tuple(found)

    def _placed(self) -> Iterable[tuple[int, Segment]]:
        """Return the segments, each with its first row."""
        return zip(self._starts, self.segments, strict=True)

    def _blank(self, segment: Segment) -> bool:
        return segment.size == 1 and self.after.row(segment.after).kind == "blank"

    def hunks(self, context: int = 2) -> tuple[Hunk, ...]:
        """Return the diff cut into shown and folded stretches, covering every row once.

        ``context`` unchanged rows with text stay shown on each side of a change. What holds less
        than two such rows is never folded: its fold would take the same room. Rows that moved
        together are folded as well, but for the first and the last ones.
        """
        if (known := self._hunks.get(context)) is not None:
            return known
        cut: list[Hunk] = []
        shown = 0
        for start, stop in self._foldable():
            begin = start if start == 0 else self._past(start, context, 1)
            end = stop if stop == self._rows else self._past(stop, context, -1)
            if end - begin < 2 or self._past(begin, 2, 1) > end:
                continue
            if begin > shown:
                cut.append(Hunk(shown, begin, folded=False))
            cut.append(Hunk(begin, end, folded=True))
            shown = end
        if shown < self._rows:
            cut.append(Hunk(shown, self._rows, folded=False))
        found = self._hunks[context] = tuple(cut)
        return found

    def _foldable(self) -> list[tuple[int, int]]:
        """Return the stretches of unchanged rows, and those of rows that moved together."""
        found: list[tuple[int, int]] = []
        last: tuple[str, int] | None = None
        for at, (start, segment) in enumerate(self._placed()):
            about: tuple[str, int] = segment.kind, segment.run
            below = self.segments[at + 1].run if at + 1 < len(self.segments) else NOWHERE
            if about[0] == "same" and segment.before < 0 and last == ("moved", below):
                # The blank lines between blocks that moved together.
                about = last
            if segment.kind not in ("same", "moved"):
                last = None
                continue
            if last == about:
                found[-1] = found[-1][0], start + segment.size
            else:
                found.append((start, start + segment.size))
            last = about
        return found

    def _past(self, row: int, count: int, step: int) -> int:
        """Return the row past so many rows with text, down (1) or up (-1) from an edge."""
        at = row
        while count > 0 and 0 <= (look := at if step > 0 else at - 1) < self._rows:
            if not self.is_blank(look):
                count -= 1
            at += step
        return at

    def sentence(self, start: int, stop: int) -> str:
        """Return the line that is shown in the place of folded rows."""
        rows = range(start, stop)
        first, last = (
            next(unit for row in way if (unit := self._unit(row)) is not None)
            for way in (rows, reversed(rows))
        )
        blocks = bisect_right(self._firsts, last) - bisect_right(self._stops, first)
        moved = any(
            self.place(row)[0].kind == "moved" for row in range(start, min(start + 2, stop))
        )
        kind = "moved" if moved else "unchanged"
        if blocks == 1:
            return plural(stop - start, f"{kind} line")
        return plural(blocks, f"{kind} block")

    @cached_property
    def _firsts(self) -> list[int]:
        return [block.first for block in self.after.blocks]

    @cached_property
    def _stops(self) -> list[int]:
        return [block.stop for block in self.after.blocks]

    def _unit(self, row: int) -> int | None:
        """Return the row of the text after that a row of the diff shows; None without one."""
        segment, step = self.place(row)
        return None if segment.after < 0 else segment.after + step

    def place(self, row: int) -> tuple[Segment, int]:
        """Return the segment that a row is in, and its place there; edited rows count twice."""
        at = bisect_right(self._starts, row) - 1
        return self.segments[at], row - self._starts[at]

    def prepare(self) -> None:
        """Index rows and changes now, so that a key press only looks them up."""
        self.row_of(0, after=True)
        self.hunks()
        len(self.changes)

    def is_blank(self, row: int) -> bool:
        """Whether a row has no text of its own."""
        segment, step = self.place(row)
        if segment.kind in ("from", "to", "edited"):
            return False
        if segment.after >= 0:
            return self.after.row(segment.after + step).kind == "blank"
        return self.before.row(segment.before + step).kind == "blank"

    def row_of(self, unit: int, *, after: bool) -> int | None:
        """Return the row of the diff that shows a row of one of the texts; None when none does."""
        return self._shown[1 if after else 0].get(unit)

    @cached_property
    def _shown(self) -> tuple[dict[int, int], dict[int, int]]:
        old: dict[int, int] = {}
        new: dict[int, int] = {}
        for start, (kind, before, after, size, _) in self._placed():
            twice = 2 if kind == "edited" else 1
            for step in range(size):
                if before >= 0 and kind != "added":
                    old[before + step] = start + step * twice
                if after >= 0 and kind != "removed":
                    new[after + step] = start + step * twice + twice - 1
        return old, new

    def text_of(self, row: int) -> str:
        """Return a row's text, without looking for changed words; empty for what only says."""
        segment, step = self.place(row)
        if segment.kind in ("from", "to"):
            return ""
        if segment.kind == "edited":
            nth, second = divmod(step, 2)
            if not second:
                return self.before.said(segment.before + nth)
            return self.after.said(segment.after + nth)
        if segment.after < 0 or segment.kind == "removed":
            return self.before.said(segment.before + step)
        return self.after.said(segment.after + step)

    def _line(self, row: int) -> Line:
        segment, step = self.place(row)
        kind, before, after, _, run = segment
        if kind == "from" or kind == "to":
            return Line(kind, None, None, (), move=self.moves[run])
        second = 0
        if kind == "edited":
            step, second = divmod(step, 2)
        old = before + step if before >= 0 and kind != "added" and not second else None
        new = after + step if after >= 0 and kind != "removed" else None
        if kind == "edited" and not second:
            new = None
        spans: Spans
        drawn: Spans = ()
        shown: Kind
        compared = True
        if kind == "edited":
            shown = "added" if second else "removed"
            marks = self._marks.of_pair(before + step, after + step)
            compared = marks is not None
            if marks is None:
                spans = _whole(self.text_of(row), shown)
            else:
                spans, drawn = marks[second], marks[2 + second]
        else:
            shown = kind
            text = self.text_of(row)
            spans = _whole(text, "added" if kind == "added" else
                           "removed" if kind == "removed" else "same")  # fmt: skip
            if kind in ("added", "removed") and (one := self._marks.of_one(old, new)) is not None:
                spans, drawn = one
        return Line(
            shown,
            None if old is None else self.before.line_of(self.before.row(old).start) + 1,
            None if new is None else self.after.line_of(self.after.row(new).start) + 1,
            spans,
            kind == "edited",
            compared,
            self.moves[run] if kind == "moved" else None,
            (self.before.row(old or 0) if new is None else self.after.row(new)).kind in CELLS,
            _within(self.before, old or 0) if new is None else _within(self.after, new),
            _number(self.before, old),
            _number(self.after, new),
            drawn,
        )

    def words_wait(self, row: int) -> bool:
        """Whether a row's words are compared only by `find_words`: they are too many."""
        segment, step = self.place(row)
        if segment.kind != "edited":
            return False
        return self._marks.of_pair(segment.before + step // 2, segment.after + step // 2) is None

    def find_words(self, row: int) -> None:
        """Compare the words of a row, however many. Takes time: not between two keys."""
        segment, step = self.place(row)
        if segment.kind == "edited":
            nth = step // 2
            self._marks.of_pair(segment.before + nth, segment.after + nth, wait=True)


def compare(before: str, after: str) -> TextDiff:
    """Compare two Markdown texts. The time is near to linear in their size, whatever is in them.

    A code fence that nothing closes makes code of all that follows. Where only one of the texts
    has such, they are compared as plain lines.
    """
    old, new = BlockText(before), BlockText(after)
    unclosed: int | None = None
    if (old.unclosed is None) != (new.unclosed is None) and before and after:
        unclosed = (new.unclosed if old.unclosed is None else old.unclosed or 0) or 0
        old, new = BlockText(before, plain=True), BlockText(after, plain=True)
        unclosed += 1
    return TextDiff(old, new, unclosed=unclosed)


_ABOUT = {
    "added": "replaced",
    "removed": "replaced",
    "edited": "edited",
    "moved": "moved",
    "from": "moved",
    "to": "away",
}
"""Which kinds of segments are one change when they are neighbours."""


def _number(text: BlockText, row: int | None) -> int | None:
    """Return the number of the block (from 1) that begins with a row; None inside of one."""
    block = None if row is None else text.block_of(row)
    return None if block is None or text.blocks[block].first != row else block + 1


def _within(text: BlockText, row: int) -> BlockKind | None:
    """Return the kind of the block that a row is in; None for a blank one between blocks."""
    block = text.block_of(row)
    return None if block is None else text.blocks[block].kind


def _whole(text: str, kind: Literal["same", "added", "removed"]) -> Spans:
    return (Span(text, kind),) if text else ()


NEAR = 3
"""Fewer unchanged characters than this between two marks are marked with them."""

JOINS = 8
"""How many passes join marks: joining over one gap can make the next one small."""

GROWN = 2 * QUICK
"""Characters of a pair of rows up to which marks grow to whole words."""

BREAK = "\u23ce"
"""Stands for a forced line break that is made by blanks, which nobody sees."""

_LETTERS = rf"(?:(?![{CJK}])[\w@%+~-])+"
_WORD = re.compile(rf"{_LETTERS}(?:[.'’]{_LETTERS})*|[{CJK}][{MARKS}]+")
"""A word, or a part of an address between its slashes."""

_GAP = re.compile(b"\x00+")
_RUNS = re.compile(b"\x00+|\x01+")


class Marked(NamedTuple):
    """A row before and after: what exactly differs, and the same grown to whole words."""

    before: Spans
    after: Spans
    before_grown: Spans
    after_grown: Spans


class RowMarks:
    """The marks of two texts' changed rows, made when they are asked for."""

    def __init__(self, before: BlockText, after: BlockText, groups: Sequence[Group]) -> None:
        self._before, self._after = before, after
        self._groups = groups
        self._old = {row: nth for nth, g in enumerate(groups) for row in range(g.a1, g.a2)}
        self._new = {row: nth for nth, g in enumerate(groups) for row in range(g.b1, g.b2)}
        self._pairs: dict[tuple[int, int], Marked] = {}
        self._rows: dict[int, tuple[dict[int, Spans], ...]] = {}

    def grouped(self, old: int, new: int) -> bool:
        """Whether a row is compared with several at once: it may be `NOWHERE` in one text."""
        return old in self._old or new in self._new

    def of_pair(self, old: int, new: int, *, wait: bool = False) -> Marked | None:
        """Return the marks of two rows that are one row edited; None when that takes long."""
        if (nth := self._old.get(old)) is not None:
            was, now, was_grown, now_grown = self._group(nth)
            return Marked(was[old], now[new], was_grown[old], now_grown[new])
        found = self._pairs.get((old, new))
        if found is None:
            before, after = self._before.said(old), self._after.said(new)
            if not wait and len(before) + len(after) > QUICK:
                return None
            kind = self._before.row(old).kind
            marks = marks_of(kind, before, after)
            found = Marked(*marks, *whole_words(*marks, table=kind in CELLS))
            self._pairs[old, new] = found
        return found

    def of_one(self, old: int | None, new: int | None) -> tuple[Spans, Spans] | None:
        """Return the marks of a row that is in one text only, exact and grown; None if it has
        nothing to be compared with.
        """
        if new is None and old is not None and (nth := self._old.get(old)) is not None:
            was, _, grown, _ = self._group(nth)
            return was[old], grown[old]
        if old is None and new is not None and (nth := self._new.get(new)) is not None:
            _, now, _, grown = self._group(nth)
            return now[new], grown[new]
        return None

    def _group(self, nth: int) -> tuple[dict[int, Spans], ...]:
        """Compare rows that are broken in other places as one."""
        found = self._rows.get(nth)
        if found is None:
            a1, a2, b1, b2 = self._groups[nth]
            marks = compare_words(
                _broken(self._before, a1, a2), _broken(self._after, b1, b2), exact=False
            )
            grown = whole_words(*marks)
            found = self._rows[nth] = (
                dict(enumerate(map(_unbroken, _cut(marks[0])), a1)),
                dict(enumerate(map(_unbroken, _cut(marks[1])), b1)),
                dict(enumerate(_cut(grown[0]), a1)),
                dict(enumerate(_cut(grown[1]), b1)),
            )
        return found


def _broken(text: BlockText, first: int, stop: int) -> str:
    """Return rows as one text, with a sign for the breaks that nobody would see."""
    said: list[str] = []
    for row in range(first, stop):
        last = text.lines[text.row(row).stop - 1]
        goes_on = text.block_of(row) == text.block_of(row + 1)
        said.append(text.said(row) + (f" {BREAK}" if goes_on and last.endswith("  ") else ""))
    return "\n".join(said)


def _cut(spans: Spans) -> list[Spans]:
    """Return the spans of each line of a text."""
    lines: list[list[Span]] = [[]]
    for text, kind in spans:
        for nth, part in enumerate(text.split("\n")):
            if nth:
                lines.append([])
            if part:
                lines[-1].append(Span(part, kind))
    return [tuple(line) for line in lines]


def _unbroken(spans: Spans) -> Spans:
    """Return the spans of a row without the sign for its break."""
    over = 2 if "".join(span.text for span in spans).endswith(f" {BREAK}") else 0
    found = list(spans)
    while over and found:
        text, kind = found.pop()
        if len(text) > over:
            found.append(Span(text[:-over], kind))
        over -= min(over, len(text))
    return tuple(found)


def whole_words(before: Spans, after: Spans, *, table: bool = False) -> tuple[Spans, Spans]:
    """Let the marks of both sides grow to whole words, for words in shreds read badly.

    Marks close to each other become one. Where more than half is marked on both sides, all is one
    mark, but for a row of a table. What one side marks the other one marks as well.
    """
    sides = before, after
    texts = ["".join(span.text for span in spans) for spans in sides]
    if len(texts[0]) + len(texts[1]) > GROWN or not all(texts):
        return before, after
    marked = [
        bytearray(b"".join((b"\x00" if kind == "same" else b"\x01") * len(t) for t, kind in spans))
        for spans in sides
    ]
    if not table and all(sum(marks) * 2 > len(marks) for marks in marked):
        return (Span(texts[0], "removed"),), (Span(texts[1], "added"),)
    kept = list(map(_unmarked, texts, marked))
    if len(kept[0]) == len(kept[1]):
        _Growth(texts, marked, kept).grow()
    return _spans(texts[0], marked[0], "removed"), _spans(texts[1], marked[1], "added")


def _unmarked(text: str, marks: bytearray) -> list[int]:
    return [at for at, sign in enumerate(text) if not marks[at] and not sign.isspace()]


class _Growth:
    """Grows marks. ``kept`` are the places of the unmarked characters of both texts, in order."""

    def __init__(self, texts: list[str], marked: list[bytearray], kept: list[list[int]]) -> None:
        self._texts, self._marked = texts, marked
        self._partner = [array("q", [NOWHERE]) * len(text) for text in texts]
        for old, new in zip(*kept, strict=True):
            self._partner[0][old], self._partner[1][new] = new, old
        self._words = [[match.span() for match in _WORD.finditer(text)] for text in texts]
        self._word = [array("q", [NOWHERE]) * len(text) for text in texts]
        for side in (0, 1):
            for nth, (first, last) in enumerate(self._words[side]):
                self._word[side][first:last] = array("q", [nth]) * (last - first)

    def grow(self) -> None:
        """Grow until nothing more is to be marked, or it has been tried often enough."""
        for side in (0, 1):
            for first, last in self._words[side]:
                if b"\x01" in self._marked[side][first:last]:
                    self._mark(side, first, last)
        for _ in range(JOINS):
            if not any([self._join(0), self._join(1)]):
                break

    def _mark(self, side: int, first: int, last: int) -> None:
        """Mark a stretch, its equal on the other side, and the whole words around both."""
        waiting = [(side, first, last)]
        while waiting:
            side, first, last = waiting.pop()
            marks, partner, other = self._marked[side], self._partner[side], 1 - side
            for at in range(first, last):
                if marks[at]:
                    continue
                marks[at] = 1
                to = partner[at]
                if to >= 0 and not self._marked[other][to]:
                    word = self._word[other][to]
                    stretch = (to, to + 1) if word < 0 else self._words[other][word]
                    waiting.append((other, *stretch))

    def _join(self, side: int) -> bool:
        """Mark gaps that are too short to stay unmarked; True when there were any."""
        text, marks = self._texts[side], self._marked[side]
        found = [match.span() for match in _GAP.finditer(marks)]
        joined = False
        for first, last in found:
            if not (first > 0 and last < len(text)) or last - first >= NEAR or marks[first]:
                continue
            signs = [at for at in range(first, last) if not text[at].isspace()]
            places = [self._partner[side][at] for at in signs]
            if not places or self._between(1 - side, places[0], places[-1]):
                self._mark(side, first, last)
                joined = True
        return joined

    def _between(self, side: int, first: int, last: int) -> bool:
        """Whether a stretch stands between two marks, but for blanks."""
        text, marks = self._texts[side], self._marked[side]
        while first > 0 and text[first - 1].isspace() and not marks[first - 1]:
            first -= 1
        last += 1
        while last < len(text) and text[last].isspace() and not marks[last]:
            last += 1
        return first > 0 and last < len(text) and bool(marks[first - 1] and marks[last])


def _spans(text: str, marked: bytearray, kind: SpanKind) -> Spans:
    return tuple(
        Span(text[match.start() : match.end()], kind if match[0][0] else "same")
        for match in _RUNS.finditer(marked)
    )
