"""The rows of another source that match a filter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.source import Change, Source

T = TypeVar("T")

SLICE_SECONDS = 0.004
"""How long a filter may hold a key press before it lets others run."""


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
        if isinstance(self.base, PagedSource) and self._held != (match is not None):
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
        if self._scan(SLICE_SECONDS):
            self._task = asyncio.ensure_future(self._scan_on())
        if isinstance(self.base, PagedSource) and not self.base.complete:
            self.base.want_all()
        self.notify("reset")

    def _scan(self, seconds: float) -> bool:
        """Look at rows for that long; return whether some are left."""
        match, until = self._match, perf_counter() + seconds
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
        while self._scan(SLICE_SECONDS):
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
            if self.running is None and self._scan(SLICE_SECONDS):
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
        if self._held and isinstance(self.base, PagedSource):
            self.base.hold(False)
