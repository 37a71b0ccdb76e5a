"""Which version of a text brought each of its blocks: blame, by what blocks say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from copydesk.domain.blocks import BlockText
from copydesk.domain.sequence_matches import equal_runs

T = TypeVar("T")


class Blame(Generic[T]):
    """The blocks of a text, held against older versions of it one after the other.

    A block is of the version that wrote it as it is now: one that was changed counts as new.
    ``brought`` has for each block what `before` was told of that version; None of one that has been
    there in all versions so far. ``former`` has for each block that is known where what it took
    the place of stood in the version before it; None where that had no text.
    """

    def __init__(self, text: str) -> None:
        self.text = BlockText(text)
        self.brought: list[T | None] = [None] * len(self.text.blocks)
        self.former: list[int | None] = [None] * len(self.text.blocks)
        self._keys = _keys(self.text)
        self._places = {at: at for at in range(len(self._keys))}
        """Where each block that is not known yet is in the oldest version so far."""

    def is_open(self) -> bool:
        """Whether it is not known of every block yet."""
        return bool(self._places)

    def before(self, text: str, by: T) -> None:
        """Attribute to the version ``by`` all lines that ``text``, the version before it, lacks."""
        keys = _keys(BlockText(text))
        older = {
            run.after + step: run.before + step
            for run in equal_runs(keys, self._keys)
            for step in range(run.size)
        }
        former = _former(len(self._keys), older, len(keys))
        for block, at in self._places.items():
            if at not in older:
                self.brought[block] = by
                self.former[block] = former[at] if keys else None
        self._places = {block: older[at] for block, at in self._places.items() if at in older}
        self._keys = keys

    def line(self, block: int) -> str:
        """Return the first row of a block as one line."""
        return self.text.said(self.text.blocks[block].first).strip()

    def first_line(self, block: int) -> int:
        """Return the line (from 0) that a block begins with."""
        return self.text.line_of(self.text.row(self.text.blocks[block].first).start)

    def source(self, block: int) -> str:
        """Return a block as it was written."""
        found = self.text.blocks[block]
        return "".join(map(self.text.source, range(found.first, found.stop)))


def _keys(text: BlockText) -> list[str]:
    return [text.block_key(at) for at in range(len(text.blocks))]


def _former(count: int, older: Mapping[int, int], before: int) -> list[int]:
    """Return for each of ``count`` blocks where it stood among the ``before`` blocks of older text.

    ``older`` has those that are in both. What is new between two of them stands where as many
    blocks below the first one stood, but still above the second.
    """
    below = [before] * (count + 1)
    for at in reversed(range(count)):
        below[at] = older.get(at, below[at + 1])
    found: list[int] = []
    following = 0
    for at in range(count):
        found.append(older.get(at, max(0, min(following, below[at] - 1))))
        following = older[at] + 1 if at in older else following + 1
    return found
