"""What became of each block of a text: the same, edited, moved, new or gone.

Equal blocks are matched first, in order, held by those that each text has once (headings,
paragraphs). A block that left one place and stands word for word in another was moved. What is
left between equal blocks is paired by how many words it shares, so that an edited paragraph stands
beside what it was; a block that is nearly the same far away was moved and edited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from copydesk.domain.blocks import BlockText
from copydesk.domain.changed_words import words
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sequence_matches import equal_runs, gaps, likeness, partners, window_for

PAIRED_FROM = 0.34
"""Share of common words (0 to 1) from which two blocks are one block edited.

Below it nearly every word would be marked, which reads worse than two whole blocks.
"""

MOVED_FROM = 0.75
"""Share of common words from which a block elsewhere is the same block, moved and edited."""

MOVED_WORDS = 5
"""Words that a block has at least to be known again elsewhere; shorter ones go with neighbours."""

EDITED_WORDS = 7
"""Words that a block has at least to be known again elsewhere although it was edited."""

MOVES_WEIGHED = 8_000
"""Pairs of blocks that are weighed in the search for moved and edited ones."""

PieceKind = Literal["same", "edited", "added", "removed", "moved", "away"]


@dataclass(frozen=True, slots=True)
class Move:
    """Blocks that stand elsewhere now. The places are headings, empty at the top of a page.

    ``said`` is how the first of them begins, ``words`` how many words were changed in them.
    """

    was_under: str
    now_under: str
    said: str
    blocks: int
    words: int = 0
    up: bool = False


class Piece(NamedTuple):
    """A block in the order of reading. A moved one is there twice: ``moved`` where it is now, with
    both its places, and ``away`` where it was.

    ``run`` numbers moves: blocks that went together have one.
    """

    kind: PieceKind
    before: int | None
    after: int | None
    run: int = -1


class Matched(NamedTuple):
    """The pieces of two texts, and of each run of moved blocks its blocks before and after."""

    pieces: list[Piece]
    runs: list[list[tuple[int, int]]]


_GROUPS = {"front": "f", "table": "t", "code": "c", "html": "h", "tag": "h"}
"""Kinds of blocks that may become each other; prose may become other prose."""


def match_blocks(old: BlockText, new: BlockText) -> Matched:
    """Return what became of each block, every block of both texts covered."""
    return _Matching(old, new).done()


class _Matching:
    def __init__(self, old: BlockText, new: BlockText) -> None:
        self._old, self._new = old, new
        self._old_keys = [old.block_key(at) for at in range(len(old.blocks))]
        self._new_keys = [new.block_key(at) for at in range(len(new.blocks))]
        self._samples: tuple[dict[int, list[str]], dict[int, list[str]]] = ({}, {})
        self._to: dict[int, int] = {}
        """Where moved blocks went, by their place before."""

    def done(self) -> Matched:
        same = equal_runs(self._old_keys, self._new_keys)
        holes = gaps(same, len(self._old_keys), len(self._new_keys))
        left_old = [at for hole in holes for at in range(hole.a1, hole.a2)]
        left_new = [at for hole in holes for at in range(hole.b1, hole.b2)]
        self._find_moved(left_old, left_new)
        contested = sum(max(hole.a2 - hole.a1, hole.b2 - hole.b1) for hole in holes)
        window = window_for(contested)
        taken = set(self._to.values())
        paired: dict[int, int] = {}
        for hole in holes:
            olds = [at for at in range(hole.a1, hole.a2) if at not in self._to]
            news = [at for at in range(hole.b1, hole.b2) if at not in taken]
            paired.update(partners(olds, news, self._share, window))
        taken.update(paired.values())
        self._find_moved_and_edited(
            [at for at in left_old if at not in self._to and at not in paired],
            [at for at in left_new if at not in taken],
        )
        runs = self._runs()
        run_of = {pair: nth for nth, run in enumerate(runs) for pair in run}
        pieces: list[Piece] = []
        a = b = 0
        pairs = [(run.before + step, run.after + step) for run in same for step in range(run.size)]
        equal = set(pairs)
        back = {after: before for before, after in self._to.items()}
        ends = (len(self._old_keys), len(self._new_keys))
        for before, after in [*sorted([*pairs, *paired.items()]), ends]:
            for at in range(a, before):
                if at in self._to:
                    pieces.append(Piece("away", at, None, run_of[at, self._to[at]]))
                else:
                    pieces.append(Piece("removed", at, None))
            for at in range(b, after):
                if at in back:
                    pieces.append(Piece("moved", back[at], at, run_of[back[at], at]))
                else:
                    pieces.append(Piece("added", None, at))
            if (before, after) != ends:
                kind: PieceKind = "same" if (before, after) in equal else "edited"
                pieces.append(Piece(kind, before, after))
            a, b = before + 1, after + 1
        return Matched(pieces, runs)

    def _find_moved(self, olds: Sequence[int], news: Sequence[int]) -> None:
        """Find blocks that stand word for word elsewhere, with their equal neighbours."""
        old_counts = Counter(self._old_keys[at] for at in olds)
        new_counts = Counter(self._new_keys[at] for at in news)
        places = {self._new_keys[at]: at for at in news}
        free_old, free_new = set(olds), set(news)
        for at in olds:
            key = self._old_keys[at]
            if at not in free_old or old_counts[key] != 1 or new_counts[key] != 1:
                continue
            to = places[key]
            if to not in free_new or self._words(0, at) < MOVED_WORDS:
                continue
            self._moved(at, to, free_old, free_new)

    def _moved(self, at: int, to: int, free_old: set[int], free_new: set[int]) -> None:
        """Take note of a moved block, and of the equal ones around it that went with it."""
        self._take(at, to, free_old, free_new)
        for step in (-1, 1):
            a, b = at + step, to + step
            while a in free_old and b in free_new and self._old_keys[a] == self._new_keys[b]:
                self._take(a, b, free_old, free_new)
                a, b = a + step, b + step

    def _take(self, at: int, to: int, free_old: set[int], free_new: set[int]) -> None:
        self._to[at] = to
        free_old.discard(at)
        free_new.discard(to)

    def _find_moved_and_edited(self, olds: Sequence[int], news: Sequence[int]) -> None:
        if not olds or len(olds) * len(news) > MOVES_WEIGHED:
            return
        free_old, free_new = set(olds), set(news)
        long = [at for at in news if self._words(1, at) >= EDITED_WORDS]
        for at in olds:
            if at not in free_old or self._words(0, at) < EDITED_WORDS:
                continue
            left = [(self._share(at, to), to) for to in long if to in free_new]
            share, to = max(left, default=(0.0, -1))
            if share >= MOVED_FROM:
                self._moved(at, to, free_old, free_new)

    def _runs(self) -> list[list[tuple[int, int]]]:
        found: list[list[tuple[int, int]]] = []
        for before, after in sorted(self._to.items()):
            if found and found[-1][-1] == (before - 1, after - 1):
                found[-1].append((before, after))
            else:
                found.append([(before, after)])
        return found

    def _share(self, before: int, after: int) -> float:
        kinds = self._old.blocks[before].kind, self._new.blocks[after].kind
        if _GROUPS.get(kinds[0]) != _GROUPS.get(kinds[1]):
            return 0.0
        if self._old_keys[before] == self._new_keys[after]:
            return 1.0
        share = likeness(self._sample(0, before), self._sample(1, after)) * 0.99
        if kinds[0] != kinds[1]:
            # A paragraph that became a heading says nearly the same; else they are two.
            share *= 0.7
        return share if share >= PAIRED_FROM else 0.0

    def _words(self, side: Literal[0, 1], at: int) -> int:
        return sum(word[0].isalnum() for word in self._sample(side, at))

    def _sample(self, side: Literal[0, 1], at: int) -> list[str]:
        found = self._samples[side].get(at)
        if found is None:
            keys = self._new_keys if side else self._old_keys
            found = self._samples[side][at] = words(keys[at].partition("\n")[2])
        return found


def under(text: BlockText, block: int) -> str:
    """Return the heading that a block stands under; a heading, the one above its level."""
    blocks = text.blocks
    level = blocks[block].level if blocks[block].kind == "heading" else 7
    for at in range(block - 1, -1, -1):
        if blocks[at].kind == "heading" and blocks[at].level < level:
            return heading_text(text, at)
    return ""


def heading_text(text: BlockText, block: int) -> str:
    """Return how a block begins, without the signs of a heading, an item or a quote."""
    first, stop = text.blocks[block].first, text.blocks[block].stop
    # What a fence says of its language says nothing of the code.
    fenced = text.blocks[block].kind == "code" and stop - first > 1
    return text.key(first + 1 if fenced else first).strip(" #>*+-|")
