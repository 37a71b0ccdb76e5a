"""What changed between two texts: lines, and the words inside an edited line.

Lines are matched by patience diff, which keeps headings and paragraphs together. Where it finds no
unique line to hold on to, lines are paired by how many words they share, so that an edited
paragraph stands beside what it was. Words are matched only inside such a pair, and only when a
person looks at it: rows are made on demand, so that a diff costs what the screen shows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, overload

from patiencediff import PatienceSequenceMatcher
from rapidfuzz.distance import Indel

from copydesk.domain.line_matching import Segment, match_lines, tokens
from copydesk.domain.text import plural

Kind: TypeAlias = Literal["same", "added", "removed"]

WORD_CELLS = 4_000_000
"""Word pairs up to which an edited line is matched exactly; a longer line is matched like lines."""


class Span(NamedTuple):
    """A part of a line, and whether it is in both texts or in one of them."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a diff.

    The numbers count from 1 in the text before and after; None where the line is not in that text.
    ``paired`` says that a removed line and the added one below it are one line edited; their spans
    then mark the words. The spans joined are the line, without its line end.
    """

    kind: Kind
    before_number: int | None
    after_number: int | None
    spans: tuple[Span, ...]
    paired: bool = False

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Rows ``start`` up to ``stop`` of a diff: shown or, when ``folded``, behind one sentence."""

    start: int
    stop: int
    folded: bool

    @property
    def sentence(self) -> str:
        """What stands in the place of folded rows."""
        return plural(self.stop - self.start, "unchanged line")


class TextDiff(Sequence[Line]):
    """The rows of a comparison, made when asked for.

    ``added`` and ``removed`` count lines, an edited line as one of each. ``line_ends_changed`` is
    true when the texts differ in ``\\r\\n`` against ``\\n``, which the rows do not show.
    """

    def __init__(
        self,
        before: Sequence[str],
        after: Sequence[str],
        segments: Sequence[Segment],
        *,
        line_ends_changed: bool = False,
    ) -> None:
        self._before = before
        self._after = after
        self.segments = tuple(segments)
        self.line_ends_changed = line_ends_changed
        self._starts: list[int] = []
        self._marks: dict[tuple[int, int], tuple[tuple[Span, ...], tuple[Span, ...]]] = {}
        self.added = 0
        self.removed = 0
        rows = 0
        for kind, _, _, count in self.segments:
            self._starts.append(rows)
            rows += count
            if kind == "edited":
                rows += count
            if kind in {"added", "edited"}:
                self.added += count
            if kind in {"removed", "edited"}:
                self.removed += count
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

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
        """Whether any line differs."""
        return bool(self.added or self.removed)

    @cached_property
    def changes(self) -> tuple[int, ...]:
        """The first row of each stretch of changed lines, in order: where J and K stop."""
        found: list[int] = []
        inside = False
        for start, segment in zip(self._starts, self.segments, strict=True):
            if segment.kind == "same":
                inside = False
            elif not inside:
                found.append(start)
                inside = True
        return tuple(found)

    def hunks(self, context: int = 3) -> tuple[Hunk, ...]:
        """Return the diff cut into shown and folded stretches, covering every row once.

        ``context`` unchanged lines stay shown on each side of a change. A single line is never
        folded: its fold would take the same room.
        """
        cut: list[Hunk] = []
        shown = 0
        last = len(self.segments) - 1
        for place, (start, segment) in enumerate(zip(self._starts, self.segments, strict=True)):
            if segment.kind != "same":
                continue
            begin = start if place == 0 else start + context
            end = start + segment.size - (0 if place == last else context)
            if end - begin < 2:
                continue
            if begin > shown:
                cut.append(Hunk(shown, begin, folded=False))
            cut.append(Hunk(begin, end, folded=True))
            shown = end
        if shown < self._rows:
            cut.append(Hunk(shown, self._rows, folded=False))
        return tuple(cut)

    def _line(self, row: int) -> Line:
        place = bisect_right(self._starts, row) - 1
        kind, before, after, _ = self.segments[place]
        step = row - self._starts[place]
        if kind == "same":
            text = self._after[after + step]
            return Line("same", before + step + 1, after + step + 1, _whole(text, "same"))
        if kind == "removed":
            text = self._before[before + step]
            return Line("removed", before + step + 1, None, _whole(text, "removed"))
        if kind == "added":
            text = self._after[after + step]
            return Line("added", None, after + step + 1, _whole(text, "added"))
        nth, second = divmod(step, 2)
        old, new = self._words(before + nth, after + nth)
        if second:
            return Line("added", None, after + nth + 1, new, paired=True)
        return Line("removed", before + nth + 1, None, old, paired=True)

    def _words(self, before: int, after: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        key = (before, after)
        if key not in self._marks:
            self._marks[key] = compare_words(self._before[before], self._after[after])
        return self._marks[key]


def compare(before: str, after: str) -> TextDiff:
    """Compare two texts by line.

    Line ends of all systems are the same line end. A last line end is no line of its own, unless
    only one of the two texts has it. The time is near to linear in the size of the texts, whatever
    is in them.
    """
    old_ends, new_ends = "\r\n" in before, "\r\n" in after
    before = before.replace("\r\n", "\n").replace("\r", "\n")
    after = after.replace("\r\n", "\n").replace("\r", "\n")
    old, new = before.split("\n"), after.split("\n")
    # An empty text has no last line that could lack its end.
    if (not before or not old[-1]) and (not after or not new[-1]):
        old.pop()
        new.pop()
    elif not before:
        old.pop()
    elif not after:
        new.pop()
    return TextDiff(
        old,
        new,
        match_lines(old, new),
        line_ends_changed=bool(old and new) and old_ends != new_ends,
    )


def compare_words(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Mark the words that differ between two versions of a line: its spans before and after."""
    old, new = tokens(before), tokens(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(inner_old) * len(inner_new) <= WORD_CELLS:
        matches = [
            (block.a, block.b, block.size)
            for block in Indel.opcodes(inner_old, inner_new).as_matching_blocks()
        ]
    else:
        matches = [
            (a, b, size)
            for a, b, size in PatienceSequenceMatcher(
                None, inner_old, inner_new
            ).get_matching_blocks()
        ]
    was, now = _Spans("removed"), _Spans("added")
    was.same(old[:start])
    now.same(new[:start])
    at_old = at_new = 0
    for a, b, size in matches:
        was.differ(inner_old[at_old:a])
        now.differ(inner_new[at_new:b])
        common = inner_old[a : a + size]
        lonely = (at_old, at_new) != (a, b) and a + size < len(inner_old) and size == 1
        # A space between two changed words belongs to the change: "[-one hour-]{+24 hours+}".
        if lonely and b + size < len(inner_new) and common[0].isspace():
            was.differ(common)
            now.differ(common)
        else:
            was.same(common)
            now.same(common)
        at_old, at_new = a + size, b + size
    was.differ(inner_old[at_old:])
    now.differ(inner_new[at_new:])
    was.same(old[len(old) - end :])
    now.same(new[len(new) - end :])
    return was.done(), now.done()


class _Spans:
    """Collects tokens into the fewest spans."""

    def __init__(self, difference: Kind) -> None:
        self._difference = difference
        self._runs: list[tuple[Kind, list[str]]] = []

    def same(self, tokens: list[str]) -> None:
        self._put(tokens, "same")

    def differ(self, tokens: list[str]) -> None:
        self._put(tokens, self._difference)

    def _put(self, tokens: list[str], kind: Kind) -> None:
        if not tokens:
            return
        if self._runs and self._runs[-1][0] == kind:
            self._runs[-1][1].extend(tokens)
        else:
            self._runs.append((kind, list(tokens)))

    def done(self) -> tuple[Span, ...]:
        return tuple(Span("".join(tokens), kind) for kind, tokens in self._runs)


def _whole(text: str, kind: Kind) -> tuple[Span, ...]:
    return (Span(text, kind),) if text else ()


def _common(old: list[str], new: list[str]) -> int:
    """Return how many items two lists share at their start."""
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return place
    return min(len(old), len(new))
