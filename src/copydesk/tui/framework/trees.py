"""Trees as lists: the branches that are unfolded, one row each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.session.errors import failure_types, sentence
from copydesk.tui.framework.source import ListSource

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Twig(Generic[T]):
    """A visible node: the item, how deep it is, and whether it can be or is unfolded."""

    id: str
    item: T
    depth: int
    foldable: bool
    unfolded: bool
    busy: bool = False


class TreeSource(ListSource[Twig[T]]):
    """Rows of a tree.

    ``children`` returns the items below one (empty for a leaf). With ``read`` they may come later:
    ``children`` returns None until the result of ``read`` is there, and
    ``foldable`` says which items have any. ``values`` says that an item is a value: another child
    makes another item. Then the rows of a refresh are those of before, but for what is different.
    """

    def __init__(
        self,
        roots: Iterable[T] = (),
        *,
        key: Callable[[T], str],
        children: Callable[[T], Sequence[T] | None],
        foldable: Callable[[T], bool] | None = None,
        read: Callable[[T], Awaitable[Sequence[T]]] | None = None,
        unfolded: Iterable[str] = (),
        values: bool = False,
    ) -> None:
        self._twigs: dict[str, Twig[T]] | None = {} if values and read is None else None
        self._item_key = key
        self._children = children
        self._foldable = foldable
        self._read = read
        self._read_children: dict[str, Sequence[T]] = {}
        self._reads: dict[str, asyncio.Task[None]] = {}
        self.unfolded = set(unfolded)
        """Ids of the items that are unfolded; kept over refreshes."""
        self.parents: dict[str, str] = {}
        """Id of the item above, for every item seen so far."""
        self._roots: Sequence[T] = list(roots)
        self._waiting_roots: Sequence[T] | None = None
        self._match: Callable[[T], bool] | None = None
        self.text = ""
        self.matches = 0
        self.first: str | None = None
        """The first item that matches the filter."""
        super().__init__(self._flat(self._roots), key=lambda twig: twig.id)

    # Reading the tree

    def below(self, item: T) -> Sequence[T] | None:
        """Return the items below one; None while they have not been read."""
        read = self._read_children.get(self._item_key(item))
        return read if read is not None else self._children(item)

    def _has_children(self, item: T) -> bool:
        if self._foldable is not None:
            return self._foldable(item)
        return bool(self.below(item))

    def _flat(self, items: Sequence[T], depth: int = 0) -> Iterator[Twig[T]]:
        # A stack, not recursion: a page tree may be deeper than Python's.
        stack = [(depth, iter(items))]
        while stack:
            depth, siblings = stack[-1]
            item = next(siblings, None)
            if item is None:
                stack.pop()
                continue
            twig = self._twig(item, depth)
            row_id = twig.id
            yield twig
            below = self.below(item) if twig.unfolded else None
            if below:
                for child in below:
                    self.parents[self._item_key(child)] = row_id
                stack.append((depth + 1, iter(below)))

    def _twig(self, item: T, depth: int) -> Twig[T]:
        row_id = self._item_key(item)
        wanted = row_id in self.unfolded or self._match is not None
        old = self._twigs.get(row_id) if self._twigs is not None else None
        if (
            old is not None
            and old.item is item
            and old.depth == depth
            and old.unfolded == (wanted and old.foldable)
        ):
            return old
        foldable = self._has_children(item)
        twig = Twig(row_id, item, depth, foldable, foldable and wanted, row_id in self._reads)
        if self._twigs is not None:
            self._twigs[row_id] = twig
        return twig

    def walk(self) -> Iterator[T]:
        """Yield every item that has been read, folded or not."""
        stack = [iter(self._roots)]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
                continue
            yield item
            below = self.below(item)
            if below:
                for child in below:
                    self.parents[self._item_key(child)] = self._item_key(item)
                stack.append(iter(below))

    @property
    def busy(self) -> bool:
        """Whether children are being read."""
        return bool(self._reads)

    @property
    def running(self) -> asyncio.Task[None] | None:
        """A read under way, for those who must wait for it."""
        return next(iter(self._reads.values()), None)

    # Changing it

    @property
    def roots(self) -> Sequence[T]:
        """What the tree begins with."""
        return self._roots

    def set_roots(self, roots: Iterable[T]) -> None:
        """Show another tree; unfolded rows stay unfolded by id."""
        self._roots = list(roots)
        self._waiting_roots = None
        self._read_children.clear()
        self._show()

    def merge_roots(self, roots: Iterable[T]) -> None:
        """Take in a refresh: same places update, another shape waits for `fold`."""
        if not self._roots:
            self.set_roots(roots)
            return
        self._waiting_roots = list(roots)
        wanted = list(self._flat(self._waiting_roots))
        if [twig.id for twig in wanted] == [twig.id for twig in self.shown()]:
            self._roots, self._waiting_roots = self._waiting_roots, None
        self.merge(wanted)

    def fold(self) -> None:
        """Show the last refresh as it came."""
        if self._waiting_roots is not None:
            self._roots, self._waiting_roots = self._waiting_roots, None
            self._read_children.clear()
        super().fold()

    def _show(self) -> None:
        if self._match is not None:
            self._show_matching(self._match)
        else:
            self._adopt(list(self._flat(self._roots)))
            self.notify("reset")

    def unfold(self, row_id: str) -> None:
        """Show the children of an item, reading them first if needed."""
        at = self.index_of(row_id)
        twig = self.row(at) if at is not None else None
        if at is None or twig is None or not twig.foldable or twig.unfolded:
            return
        self.unfolded.add(row_id)
        if self.below(twig.item) is None and self._read is not None:
            if row_id not in self._reads:
                self._reads[row_id] = asyncio.create_task(self._fetch(twig.item, row_id))
            self._show()
            return
        rows = list(self.shown())
        rows[at : at + 1] = list(self._flat([twig.item], twig.depth))
        self._adopt(rows)
        self.notify("reset")

    def collapse(self, row_id: str) -> None:
        """Hide the children of an item."""
        at = self.index_of(row_id)
        twig = self.row(at) if at is not None else None
        if at is None or twig is None or not twig.unfolded:
            return
        self.unfolded.discard(row_id)
        end = at + 1
        rows = list(self.shown())
        while end < len(rows) and rows[end].depth > twig.depth:
            end += 1
        rows[at:end] = list(self._flat([twig.item], twig.depth))
        self._adopt(rows)
        self.notify("reset")

    def unfold_all(self, *, unfolded: bool = True) -> None:
        """Unfold (or fold) everything that has been read."""
        if unfolded:
            self.unfolded.update(
                self._item_key(item) for item in self.walk() if self._has_children(item)
            )
        else:
            self.unfolded.clear()
        self._show()

    def reveal(self, row_id: str) -> bool:
        """Unfold whatever hides an item; False when it has not been read."""
        if row_id not in self.parents and not any(
            self._item_key(item) == row_id for item in self.walk()
        ):
            return False
        above = self.parents.get(row_id)
        while above is not None:
            self.unfolded.add(above)
            above = self.parents.get(above)
        self._show()
        return True

    async def _fetch(self, item: T, row_id: str) -> None:
        read = self._read
        assert read is not None
        try:
            self._read_children[row_id] = await read(item)
            self.error = ""
        except failure_types() as error:
            self.error = sentence(error)
            self.unfolded.discard(row_id)
        self._reads.pop(row_id, None)
        self._show()

    # Filter: an item stays when it matches, or something below it does.

    def where(self, match: Callable[[T], bool] | None, text: str = "") -> None:
        """Show only matching items and what leads to them; None shows the tree again."""
        self._match, self.text = match, text
        self._show()

    @property
    def filtering(self) -> bool:
        return self._match is not None

    def _show_matching(self, match: Callable[[T], bool]) -> None:
        kept: set[str] = set()
        self.matches, self.first = 0, None
        for item in self.walk():
            if match(item):
                self.matches += 1
                self.first = self.first or self._item_key(item)
                row_id: str | None = self._item_key(item)
                while row_id is not None and row_id not in kept:
                    kept.add(row_id)
                    row_id = self.parents.get(row_id)
        self._adopt([twig for twig in self._flat(self._roots) if twig.id in kept])
        self.notify("reset")
