"""Which rows of two texts belong together, laid out in the order in which they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from copydesk.domain.block_matches import (
    PAIRED_FROM,
    Matched,
    Move,
    Piece,
    heading_text,
    match_blocks,
    under,
)
from copydesk.domain.blocks import CELLS, BlockText
from copydesk.domain.changed_words import Spans, compare_cells, compare_words, count_words, words
from copydesk.domain.sequence_matches import equal_runs, gaps, likeness, partners, window_for

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

SegmentKind: TypeAlias = Literal["same", "added", "removed", "edited", "moved", "from", "to"]
"""``from`` and ``to`` are rows that only say where moved blocks were, and where they went."""

QUICK = 20_000
"""Characters of a pair of rows up to which its words are compared between two keys."""

BROKEN_FROM = 0.5
"""Share of common words from which rows are others that were broken in other places."""


NOWHERE = -1
"""The row on a side, or the move, that something has no part in."""


class Segment(NamedTuple):
    """A run of equal treatment: ``size`` rows from ``before`` and ``after`` (both count from 0).

    ``edited`` is one row before and one after, shown as two. A side without a part is `NOWHERE`.
    """

    kind: SegmentKind
    before: int
    after: int
    size: int
    run: int = NOWHERE


class Group(NamedTuple):
    """Rows ``a1`` up to ``a2`` that became rows ``b1`` up to ``b2``: prose that is broken in other
    places, so that its words are compared over all of them.
    """

    a1: int
    a2: int
    b1: int
    b2: int


def marks_of(kind: str, before: str, after: str) -> tuple[Spans, Spans]:
    """Mark what differs between two rows of a kind."""
    if kind in CELLS:
        return compare_cells(before, after)
    return compare_words(before, after, exact=kind == "line")


class RowLayout:
    """Lays the pieces of two texts out as segments of rows."""

    def __init__(self, old: BlockText, new: BlockText) -> None:
        self._old, self._new = old, new
        self._rendering = Rendering()
        self.segments: list[Segment] = []
        self.starts: set[int] = set()
        """The segments with which a block begins that is not as it was."""
        self.moves: list[Move] = []
        self.groups: list[Group] = []
        """Rows that are compared together."""
        self._matched: Matched = match_blocks(old, new)
        self._changed_words = [0] * len(self._matched.runs)
        self._fresh = False
        for piece in self._matched.pieces:
            self._piece(piece)
        self.moves = [self._move(nth) for nth in range(len(self._matched.runs))]

    def _piece(self, piece: Piece) -> None:
        kind, before, after, run = piece
        self._gap(piece)
        self._fresh = kind != "same"
        old = None if before is None else self._old.blocks[before]
        new = None if after is None else self._new.blocks[after]
        if kind == "moved" and (before, after) == self._matched.runs[run][0]:
            self._add("from", NOWHERE, NOWHERE, 1, run)
        if before is not None and after is not None and old is not None and new is not None:
            rows = (old.first, old.stop, new.first, new.stop)
            equal = kind == "same" or (
                kind == "moved" and self._old.block_key(before) == self._new.block_key(after)
            )
            self._rows(rows, "moved" if kind == "moved" else "same", run, equal=equal)
        elif kind == "away":
            assert before is not None
            if before == self._matched.runs[run][0][0]:
                self._add("to", NOWHERE, NOWHERE, 1, run)
        elif old is not None:
            self._add("removed", old.first, NOWHERE, old.stop - old.first)
        elif new is not None:
            self._add("added", NOWHERE, new.first, new.stop - new.first)

    def _gap(self, piece: Piece) -> None:
        """Show the blank lines above a block, which belong to it."""
        old = self._blank(self._old, piece.before)
        new = self._blank(self._new, piece.after)
        if piece.kind == "removed":
            if old >= 0:
                self._add("removed", old, NOWHERE, 1)
        elif piece.kind == "added":
            if new >= 0:
                self._add("added", NOWHERE, new, 1)
        elif piece.kind == "away":
            if old >= 0 and piece.before == self._matched.runs[piece.run][0][0]:
                self._add("same", old, NOWHERE, 1)
        elif new >= 0:
            self._add("same", NOWHERE if piece.kind == "moved" else old, new, 1)

    @staticmethod
    def _blank(text: BlockText, block: int | None) -> int:
        above = NOWHERE if block is None else text.blocks[block].first - 1
        return above if above >= 0 and text.row(above).kind == "blank" else NOWHERE

    def _rows(
        self,
        rows: tuple[int, int, int, int],
        kind: Literal["same", "moved"],
        run: int,
        *,
        equal: bool,
    ) -> None:
        """Lay out the rows of a block that is in both texts."""
        a1, a2, b1, b2 = rows
        if equal and a2 - a1 == b2 - b1:
            for step in range(a2 - a1):
                self._pair(a1 + step, b1 + step, kind, run)
            return
        old_keys = [self._old.key(at) for at in range(a1, a2)]
        new_keys = [self._new.key(at) for at in range(b1, b2)]
        if a2 - a1 == b2 - b1 == 1:
            self._pair(a1, b1, kind, run, same=False)
            return
        runs = equal_runs(old_keys, new_keys)
        holes = gaps(runs, len(old_keys), len(new_keys))
        window = window_for(sum(max(hole.a2 - hole.a1, hole.b2 - hole.b1) for hole in holes))
        samples: dict[str, list[str]] = {}

        def share(one: int, other: int) -> float:
            was, now = old_keys[one], new_keys[other]
            for said in (was, now):
                if said not in samples:
                    samples[said] = words(said)
            if not samples[was]:
                return 0.0
            found = likeness(samples[was], samples[now])
            return found if found >= PAIRED_FROM else 0.0

        pairs = {run.before + n: (run.after + n, True) for run in runs for n in range(run.size)}
        for hole in holes:
            group = Group(a1 + hole.a1, a1 + hole.a2, b1 + hole.b1, b1 + hole.b2)
            if self._broken_anew(group):
                self.groups.append(group)
                steps = range(min(hole.a2 - hole.a1, hole.b2 - hole.b1))
                pairs.update({hole.a1 + n: (hole.b1 + n, False) for n in steps})
                continue
            for one, other in partners(
                range(hole.a1, hole.a2), range(hole.b1, hole.b2), share, window
            ):
                pairs[one] = (other, False)
        a = b = 0
        for one, (other, same) in [*sorted(pairs.items()), (a2 - a1, (b2 - b1, True))]:
            self._add("removed", a1 + a, NOWHERE, one - a)
            self._add("added", NOWHERE, b1 + b, other - b)
            if one < a2 - a1:
                self._pair(a1 + one, b1 + other, kind, run, same=same)
            a, b = one + 1, other + 1

    def _broken_anew(self, group: Group) -> bool:
        """Whether a paragraph was only broken into lines anew: nearly its words on other rows."""
        old, new = range(group.a1, group.a2), range(group.b1, group.b2)
        if not old or not new or len(old) == len(new):
            return False
        if any(text.row(at).kind != "prose" for text, rows in ((self._old, old), (self._new, new))
               for at in (rows[0], rows[-1])):  # fmt: skip
            return False
        was = "\n".join(map(self._old.said, old))
        now = "\n".join(map(self._new.said, new))
        if len(was) + len(now) > QUICK:
            return False
        return likeness(words(was), words(now)) >= BROKEN_FROM

    def _pair(
        self, old: int, new: int, kind: Literal["same", "moved"], run: int, *, same: bool = True
    ) -> None:
        """Add a row that is in both texts: as it was where it reads the same."""
        if same and self._reads_same(old, new):
            self._add(kind, old, new, 1, run if kind == "moved" else NOWHERE)
            return
        if self._old.said(old) == self._new.said(new):
            # Only hidden parts of the HTML differ: then all of it is shown.
            self._old.show_source(old)
            self._new.show_source(new)
        if run >= 0:
            self._changed_words[run] += self._count(old, new)
        self._add("edited", old, new, 1, run)

    def _reads_same(self, old: int, new: int) -> bool:
        was, now = self._old.said(old), self._new.said(new)
        if was == now or self._old.row(old).kind in ("line", "blank") or "\\" not in was + now:
            return True
        return self._rendering.same(was, now)

    def _count(self, old: int, new: int) -> int:
        was, now = self._old.said(old), self._new.said(new)
        if len(was) + len(now) > QUICK:
            return max(len(was.split()), len(now.split()))
        marks = marks_of(self._old.row(old).kind, was, now)
        return max(count_words(marks[0]), count_words(marks[1]))

    def _add(
        self, kind: SegmentKind, before: int, after: int, size: int, run: int = NOWHERE
    ) -> None:
        if not size:
            return
        last = self.segments[-1] if self.segments else None
        if (
            last is not None
            and not (self._fresh and kind == "edited")
            and (last.kind, last.run) == (kind, run)
            and _follows(last.before, before, last.size)
            and _follows(last.after, after, last.size)
        ):
            self.segments[-1] = last._replace(size=last.size + size)
            return
        if self._fresh:
            self.starts.add(len(self.segments))
            self._fresh = False
        self.segments.append(Segment(kind, before, after, size, run))

    def _move(self, nth: int) -> Move:
        run = self._matched.runs[nth]
        before, after = run[0]
        return Move(
            under(self._old, before),
            under(self._new, after),
            heading_text(self._new, after),
            len(run),
            self._changed_words[nth],
            up=self._new.row(self._new.blocks[after].first).start
            < self._old.row(self._old.blocks[before].first).start,
        )


def _follows(last: int, now: int, size: int) -> bool:
    return (last < 0 and now < 0) or (last >= 0 and now == last + size)


RENDERED = 10_000
"""Characters of one piece that are rendered; longer pieces count as different."""

RENDERED_AT_MOST = 120_000
"""Characters that are rendered in one comparison: about 0.2 s of work."""


class Rendering:
    r"""Compares pieces as CommonMark shows them: ``get\_user`` is ``get_user``.

    To take the escapes off is not enough: ``\*all\*`` shows its stars, and ``*all*`` does not.
    """

    def __init__(self) -> None:
        self._left = RENDERED_AT_MOST
        self._parser: MarkdownIt | None = None

    def same(self, one: str, other: str) -> bool:
        """Whether two pieces read the same; False where it would take too long to know."""
        if max(len(one), len(other)) > RENDERED or len(one) + len(other) > self._left:
            return False
        self._left -= len(one) + len(other)
        if self._parser is None:
            from markdown_it import MarkdownIt  # only few comparisons come here

            self._parser = MarkdownIt("commonmark")
        was, now = (self._parser.renderInline(each) for each in (one, other))
        return bool(was.split() == now.split())
