"""Rows for lists: what a list asks of them, and rows that are all in memory.

A list widget asks only for the rows it draws. Sources tell it what changed; they never know of
widgets. Rows are identified by id, so that a refresh moves nothing under the cursor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

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

    def remove(self, row_id: str) -> None:
        """Take one row out."""
        at = self.index_of(row_id)
        if at is not None:
            self._adopt([*self._rows[:at], *self._rows[at + 1 :]])
            self.notify("reset")
