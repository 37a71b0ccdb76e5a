"""Which version of a text brought each of its blocks: blame, by what blocks say."""

from __future__ import annotations

from typing import Generic, TypeVar

from copydesk.domain.blocks import BlockText
from copydesk.domain.line_matches import equal_runs

T = TypeVar("T")


class Blame(Generic[T]):
    """The blocks of a text, held against older versions of it one after the other.

    A block is of the version that wrote it as it is now: one that was changed counts as new.
    ``brought`` has for each block what `before` was told of that version; None of one that has been
    there in all versions so far.
    """

    def __init__(self, text: str) -> None:
        self.text = BlockText(text)
        self.brought: list[T | None] = [None] * len(self.text.blocks)
        self._keys = _keys(self.text)
        self._places = {at: at for at in range(len(self._keys))}
        """Where each block that is not known yet is in the oldest version so far."""

    def is_open(self) -> bool:
        """Whether it is not known of every block yet."""
        return bool(self._places)

    def before(self, text: str, by: T) -> None:
        """Take the text that the version ``by`` was made from: what is not in it, that brought."""
        keys = _keys(BlockText(text))
        older = {
            run.after + step: run.before + step
            for run in equal_runs(keys, self._keys)
            for step in range(run.size)
        }
        for block, at in self._places.items():
            if at not in older:
                self.brought[block] = by
        self._places = {block: older[at] for block, at in self._places.items() if at in older}
        self._keys = keys

    def line(self, block: int) -> str:
        """Return the first row of a block as one line."""
        return self.text.said(self.text.blocks[block].first).strip()

    def source(self, block: int) -> str:
        """Return a block as it was written."""
        found = self.text.blocks[block]
        return "".join(map(self.text.source, range(found.first, found.stop)))


def _keys(text: BlockText) -> list[str]:
    return [text.block_key(at) for at in range(len(text.blocks))]
