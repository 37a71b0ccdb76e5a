"""The pages of a list that were read in order; far ones may be dropped from memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Held(Generic[T]):
    """One page: where it starts, how to read it again, and its rows while they are kept."""

    start: int
    size: int
    token: str | None
    rows: list[T] | None
    ids: dict[str, int]


class HeldPages(Generic[T]):
    """Pages from the start of a list without a gap; ``len`` is how many. ``key`` tells rows apart.

    A page whose rows were dropped keeps its place and its size, so that nothing below it moves.
    """

    def __init__(self, key: Callable[[T], str]) -> None:
        self._key = key
        self._held: list[_Held[T]] = []
        self._starts: list[int] = []

    def __len__(self) -> int:
        return len(self._held)

    @property
    def loaded(self) -> int:
        """How many rows they have, kept or dropped since."""
        return self._held[-1].start + self._held[-1].size if self._held else 0

    @property
    def ids(self) -> Iterator[str]:
        """The ids of the rows in memory, in their order."""
        return (row_id for page in self._held for row_id in page.ids)

    def page_of(self, index: int) -> int | None:
        """Return which page a row is on, None where nothing was read."""
        at = bisect_right(self._starts, index) - 1
        if at < 0 or index < 0 or index >= self._held[at].start + self._held[at].size:
            return None
        return at

    def row(self, index: int) -> T | None:
        """Return a row, or None when it was not read or was dropped."""
        at = self.page_of(index)
        if at is None:
            return None
        page = self._held[at]
        return None if page.rows is None else page.rows[index - page.start]

    def index_of(self, row_id: str) -> int | None:
        """Return the position of a row that is in memory, or None."""
        for page in self._held:
            offset = page.ids.get(row_id)
            if offset is not None:
                return page.start + offset
        return None

    def head(self, rows: int) -> Iterator[T]:
        """Yield those of the first rows that are in memory."""
        for index in range(min(rows, self.loaded)):
            if (row := self.row(index)) is not None:
                yield row

    def beginning(self, rows: int) -> tuple[list[T], int]:
        """Return the rows of the first pages, until they are ``rows`` or more, and how many pages.

        It ends before a page whose rows were dropped.
        """
        found: list[T] = []
        for at, page in enumerate(self._held):
            if page.rows is None or len(found) >= rows:
                return found, at
            found += page.rows
        return found, len(self._held)

    def put(self, row: T) -> bool:
        """Put a row in the place of the one with its id; False when none is in memory."""
        row_id = self._key(row)
        for page in self._held:
            if page.rows is not None and row_id in page.ids:
                page.rows[page.ids[row_id]] = row
                return True
        return False

    def token(self, at: int) -> str | None:
        """Return what a page is read with."""
        return self._held[at].token

    def is_dropped(self, at: int) -> bool:
        """Whether the rows of a page are to be read again."""
        return self._held[at].rows is None

    @property
    def first_dropped(self) -> int | None:
        """The first page whose rows were dropped, if there is one."""
        return next((at for at, page in enumerate(self._held) if page.rows is None), None)

    def add(self, rows: list[T], token: str | None) -> None:
        """Add a page at the end, without what the one before it has as well.

        Something inserted while reading shifts pages that are told by an offset.
        """
        seen = self._held[-1].ids if self._held else {}
        rows = [row for row in rows if self._key(row) not in seen]
        if rows:
            start = self.loaded
            self._held.append(_Held(start, len(rows), token, rows, self._ids_of(rows)))
            self._starts.append(start)

    def fill(self, at: int, rows: list[T]) -> bool:
        """Put the rows of a dropped page back; False, and nothing, when it has fewer by now."""
        page = self._held[at]
        if len(rows) < page.size:
            return False
        page.rows = rows[: page.size]
        page.ids = self._ids_of(page.rows)
        return True

    def cut(self, at: int) -> None:
        """Forget a page and all after it."""
        del self._held[at:], self._starts[at:]

    def drop_far(self, centre: int, keep: int) -> None:
        """Drop the rows of all pages but the ``keep`` nearest to a row."""
        if len(self._held) <= keep:
            return
        kept = [page for page in self._held if page.rows is not None]
        for page in sorted(kept, key=lambda page: -abs(page.start - centre))[:-keep]:
            page.rows, page.ids = None, {}

    def _ids_of(self, rows: list[T]) -> dict[str, int]:
        return {self._key(row): at for at, row in enumerate(rows)}
