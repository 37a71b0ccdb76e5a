"""Rows for lists: what a list asks of them, rows that are all in memory, and those of a filter.

A list widget asks only for the rows it draws. Sources tell it what changed; they never know of
widgets. Rows are identified by id, so that a refresh moves nothing under the cursor.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Generic, Literal, TypeVar

from copydesk.domain.late_dataclass import dataclass

T = TypeVar("T")

SLICE_SECONDS = 0.004
"""How long a filter may hold a key press before it lets others run."""

Change = Literal["reset", "grown", "rows", "state"]
"""``reset``: anything may be different; ``grown``: more rows at the end or in a gap; ``rows``: some
rows read differently; ``state``: only busy, error or waiting."""


class Source(ABC, Generic[T]):
    """Rows by position, with an id each."""

    def __init__(self, key: Callable[[T], str]) -> None:
        self.key = key
        self.error = ""
        """Why the last load failed; empty when it did not."""
        self.fresh: set[str] = set()
        """Ids that are new or changed since they were first shown."""
        self.missing: frozenset[str] = frozenset()
        """Ids that are still shown, but that the last refresh did not bring."""
        self._watchers: list[Callable[[Change], None]] = []

    def subscribe(self, changed: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``changed`` on every change; returns a callable that stops it."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    def notify(self, change: Change) -> None:
        """Tell the watchers."""
        for watcher in list(self._watchers):
            watcher(change)

    @property
    @abstractmethod
    def count(self) -> int | None:
        """How many rows there are in all; None while unknown."""

    @property
    @abstractmethod
    def loaded(self) -> int:
        """How many rows have been read so far."""

    @abstractmethod
    def row(self, index: int) -> T | None:
        """Return a row, or None when it is not loaded."""

    @abstractmethod
    def index_of(self, row_id: str) -> int | None:
        """Return the position of a loaded row, or None."""

    @property
    def length(self) -> int:
        """How many lines a list shows: loaded rows, and the ones known to follow."""
        return self.loaded if self.count is None else self.count

    @property
    def waiting(self) -> int:
        """How many new or moved rows wait to be folded in."""
        return 0

    @property
    def busy(self) -> bool:
        """Whether a load is under way."""
        return False

    @property
    def complete(self) -> bool:
        """Whether every row has been read."""
        return self.count is not None and self.loaded >= self.count

    def want(self, first: int, last: int) -> None:
        """Hear which rows are, or soon will be, on screen."""

    def want_all(self) -> None:
        """Read every row; `cancel` stops it."""

    def hold(self, on: bool) -> None:
        """Keep every row in memory while something, such as a filter, needs all of them."""

    def cancel(self) -> None:
        """Stop loading rows that are not on screen."""

    def retry(self) -> None:
        """Try again after an error."""

    def fold(self) -> None:
        """Bring waiting rows in."""

    def shown(self) -> Iterator[T]:
        """Yield the rows that are loaded."""
        for index in range(self.loaded):
            if (row := self.row(index)) is not None:
                yield row


class ListSource(Source[T]):
    """Rows that are all in memory."""

    def __init__(self, rows: Iterable[T] = (), *, key: Callable[[T], str]) -> None:
        super().__init__(key)
        self._rows: Sequence[T] = []
        self._index: dict[str, int] | None = None
        self._waiting: list[T] | None = None
        self._new = 0
        self._adopt(list(rows))

    def _adopt(self, rows: Sequence[T]) -> None:
        self._rows, self._index = rows, None
        self._waiting, self._new = None, 0
        self.missing = frozenset()

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def loaded(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> T | None:
        """Return a row, or None outside the list."""
        return self._rows[index] if 0 <= index < len(self._rows) else None

    def index_of(self, row_id: str) -> int | None:
        """Return the position of a row; the index over all ids is built at the first question."""
        if self._index is None:
            self._index = {self.key(row): at for at, row in enumerate(self._rows)}
        return self._index.get(row_id)

    @property
    def waiting(self) -> int:
        """How many rows of the last merge are new or gone."""
        return self._new

    def set(self, rows: Iterable[T]) -> None:
        """Replace everything at once: another view, another order that the user asked for."""
        self._adopt(list(rows))
        self.fresh.clear()
        self.notify("reset")

    def merge(self, rows: Iterable[T]) -> None:
        """Take in a refresh without moving anything: same ids update in place, the rest waits."""
        wanted = list(rows)
        by_id = {self.key(row): row for row in wanted}
        before = {self.key(row) for row in self._rows}
        changed = False
        current = list(self._rows)
        for at, row in enumerate(current):
            new = by_id.get(self.key(row))
            if new is not None and new != row:
                current[at] = new
                self.fresh.add(self.key(row))
                changed = True
        self._rows = current
        arrived, gone = by_id.keys() - before, before - by_id.keys()
        same_order = [self.key(row) for row in wanted] == [self.key(row) for row in current]
        self._new = len(arrived) + len(gone)
        self.missing = frozenset(gone)
        self._waiting = None if same_order else wanted
        if not before:
            self.fold()
        elif changed:
            self.notify("rows")
        else:
            self.notify("state")

    def fold(self) -> None:
        """Show the last merge as it came."""
        if self._waiting is not None:
            before = {self.key(row) for row in self._rows}
            wanted = self._waiting
            self._adopt(wanted)
            if before:
                self.fresh.update(self.key(row) for row in wanted if self.key(row) not in before)
            self.notify("reset")

    def update(self, row: T) -> None:
        """Replace the row with the same id, in place."""
        at = self.index_of(self.key(row))
        if at is not None:
            rows = list(self._rows) if not isinstance(self._rows, list) else self._rows
            rows[at] = row
            self._rows = rows
            self.notify("rows")


class FilteredSource(Source[T]):
    """The rows of another source that match; the whole of it is read while a filter is on."""

    def __init__(self, base: Source[T]) -> None:
        super().__init__(base.key)
        self.base = base
        self.fresh = base.fresh
        self.text = ""
        self._match: Callable[[T], bool] | None = None
        self._rows: list[T] = []
        self._index: dict[str, int] = {}
        self._scanned = 0
        self._task: asyncio.Task[None] | None = None
        self._held = False
        self._stop = base.subscribe(self._base_changed)

    @property
    def listed(self) -> ListSource[T]:
        """The rows that it filters, where a place has all of them and puts them in by itself."""
        assert isinstance(self.base, ListSource)
        return self.base

    @property
    def filtering(self) -> bool:
        return self._match is not None

    @property
    def count(self) -> int | None:
        """Matches once everything was looked at; the base's count without a filter."""
        if self._match is None:
            return self.base.count
        return len(self._rows) if self._done else None

    @property
    def loaded(self) -> int:
        """Matches so far, or the base's loaded rows."""
        return self.base.loaded if self._match is None else len(self._rows)

    @property
    def length(self) -> int:
        return self.base.length if self._match is None else len(self._rows)

    @property
    def _done(self) -> bool:
        return self.base.complete and self._scanned >= self.base.loaded

    @property
    def waiting(self) -> int:
        return self.base.waiting

    @property
    def busy(self) -> bool:
        """Whether rows are being read or looked at."""
        return self.base.busy or (self._task is not None and not self._task.done())

    @property
    def running(self) -> asyncio.Task[None] | None:
        """The scan under way, for those who must wait for it."""
        return self._task if self._task is not None and not self._task.done() else None

    @property
    def says(self) -> str:
        """What the title says of the filter: ``7 of 31 match``."""
        if self._match is None:
            return ""
        of = self.base.count if self.base.complete else f"{self.base.loaded} read"
        return f"{len(self._rows)} of {of} match"

    def row(self, index: int) -> T | None:
        if self._match is None:
            return self.base.row(index)
        return self._rows[index] if 0 <= index < len(self._rows) else None

    def index_of(self, row_id: str) -> int | None:
        """Return the position among the matches, or None."""
        return self.base.index_of(row_id) if self._match is None else self._index.get(row_id)

    def where(self, match: Callable[[T], bool] | None, text: str = "") -> None:
        """Show only rows for which ``match`` is true; None shows all again."""
        self._match, self.text = match, text
        if self._held != (match is not None):
            self._held = match is not None
            self.base.hold(self._held)
            if not self._held:
                self.base.cancel()
        self._again()

    def _again(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._rows, self._index, self._scanned = [], {}, 0
        if self._match is None:
            self.error = self.base.error
            self.notify("reset")
            return
        if self._scan():
            self._task = asyncio.ensure_future(self._scan_on())
        if not self.base.complete:
            self.base.want_all()
        self.notify("reset")

    def _scan(self) -> bool:
        """Look at rows for a moment; return whether some are left."""
        match, until = self._match, perf_counter() + SLICE_SECONDS
        if match is None:
            return False
        while self._scanned < self.base.loaded:
            for _ in range(50):
                row = self.base.row(self._scanned)
                if row is None:  # a dropped page: its load tells us to go on
                    return False
                self._scanned += 1
                if match(row):
                    self._index[self.key(row)] = len(self._rows)
                    self._rows.append(row)
                if self._scanned >= self.base.loaded:
                    return False
            if perf_counter() > until:
                return True
        return False

    async def _scan_on(self) -> None:
        while self._scan():
            self.notify("grown")
            await asyncio.sleep(0)
        self._task = None
        self.notify("grown")

    def _base_changed(self, change: Change) -> None:
        self.error = self.base.error
        if self._match is None:
            self.notify(change)
        elif change in ("reset", "rows"):
            self._again()
        elif change == "grown":
            if self.running is None and self._scan():
                self._task = asyncio.ensure_future(self._scan_on())
            self.notify("grown")
        else:
            self.notify(change)

    def want(self, first: int, last: int) -> None:
        """Pass on without a filter; a filter reads everything anyway."""
        if self._match is None:
            self.base.want(first, last)

    def cancel(self) -> None:
        self.base.cancel()

    def retry(self) -> None:
        self.base.retry()

    def fold(self) -> None:
        self.base.fold()

    def close(self) -> None:
        """Stop watching the base."""
        self._stop()
        if self._task is not None:
            self._task.cancel()
        if self._held:
            self.base.hold(False)


@dataclass(frozen=True, slots=True)
class Twig(Generic[T]):
    """A visible node: the item, how deep it is, and whether it can be or is unfolded."""

    id: str
    item: T
    depth: int
    foldable: bool
    unfolded: bool


class TreeSource(ListSource[Twig[T]]):
    """Rows of a tree, empty at first.

    ``children`` returns the items below one (empty for a leaf). ``values`` says that an item is a
    value: another child makes another item. Then the rows of a refresh are those of before, but for
    what is different.
    """

    def __init__(
        self,
        *,
        key: Callable[[T], str],
        children: Callable[[T], Sequence[T]],
        values: bool = False,
    ) -> None:
        self._twigs: dict[str, Twig[T]] | None = {} if values else None
        self._item_key = key
        self.below = children
        self.unfolded: set[str] = set()
        """Ids of the items that are unfolded; kept over refreshes."""
        self.parents: dict[str, str] = {}
        """Id of the item above, for every item seen so far."""
        self._roots: Sequence[T] = []
        self._waiting_roots: Sequence[T] | None = None
        self._match: Callable[[T], bool] | None = None
        self.text = ""
        self.matches = 0
        self.first: str | None = None
        """The first item that matches the filter."""
        super().__init__(key=lambda twig: twig.id)

    # Reading the tree

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
        foldable = bool(self.below(item))
        twig = Twig(row_id, item, depth, foldable, foldable and wanted)
        if self._twigs is not None:
            self._twigs[row_id] = twig
        return twig

    def walk(self) -> Iterator[T]:
        """Yield every item, folded or not."""
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

    def place(self, row_id: str) -> tuple[int, int] | None:
        """Return the place of an item among its siblings, from 1, and how many these are."""
        above = self.parents.get(row_id)
        if above is None:
            siblings = self._roots
        else:
            at = self.index_of(above)
            row = None if at is None else self.row(at)
            siblings = () if row is None else self.below(row.item)
        ids = [self._item_key(each) for each in siblings]
        return (ids.index(row_id) + 1, len(ids)) if row_id in ids else None

    # Changing it

    @property
    def roots(self) -> Sequence[T]:
        """What the tree begins with."""
        return self._roots

    def set_roots(self, roots: Iterable[T]) -> None:
        """Show another tree; unfolded rows stay unfolded by id."""
        self._roots = list(roots)
        self._waiting_roots = None
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
        super().fold()

    def _show(self) -> None:
        if self._match is not None:
            self._show_matching(self._match)
        else:
            self._adopt(list(self._flat(self._roots)))
            self.notify("reset")

    def unfold(self, row_id: str) -> None:
        """Show the children of an item."""
        at = self.index_of(row_id)
        twig = self.row(at) if at is not None else None
        if at is None or twig is None or not twig.foldable or twig.unfolded:
            return
        self.unfolded.add(row_id)
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

    def expand_all(self, *, unfolded: bool = True) -> None:
        """Unfold (or fold) everything."""
        if unfolded:
            self.unfolded.update(self._item_key(item) for item in self.walk() if self.below(item))
        else:
            self.unfolded.clear()
        self._show()

    def reveal(self, row_id: str) -> bool:
        """Unfold whatever hides an item; False when it is not there."""
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
