"""A list that looks through pages as the reader goes on, and says how far it has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural
from copydesk.session.errors import silence_types
from copydesk.tui.framework.paged_source import Fetch, PagedSource
from copydesk.tui.framework.pane import offered
from copydesk.tui.framework.source import Change
from copydesk.tui.widgets.list import Marking, VirtualList

T = TypeVar("T")

AT_A_TIME = 4
"""Pages that are looked through before the reader goes on."""

SIFTED_PAGE = 50
"""Rows asked for at once where only some of them are shown."""

CACHED_ROWS = 200
"""About how many rows are cached of a list that is left."""


@dataclass(frozen=True, slots=True)
class CachedRows(Generic[T]):
    """The first rows of a list that was left, and how it goes on."""

    rows: Sequence[T]
    following: str | None
    total: int | None
    looked: int


class ScannedPages(PagedSource[T]):
    """Pages read as the reader goes on: a filter sees those read, `go_on` and the end read more.

    Where nothing can be read because the service does not answer, what was ``cached`` shows.
    """

    def __init__(
        self,
        fetch: Fetch[T],
        *,
        key: Callable[[T], str],
        limit: int = 100,
        cached: CachedRows[T] | None = None,
    ) -> None:
        super().__init__(fetch, key=key, limit=limit)
        self.to_end = False
        """Whether the reader asked for all of it."""
        self._cached = cached

    def to_cache(self) -> CachedRows[T] | None:
        """Return what to show of this list where it cannot be read next time."""
        rows, pages = self._pages.beginning(CACHED_ROWS)
        following = self._next if pages == len(self._pages) else self._pages.token(pages)
        return CachedRows(rows, following, self._total, self.looked) if rows else None

    async def _load(self, at: int) -> None:
        await super()._load(at)
        silent = isinstance(self.failure, silence_types())
        if silent and not self._begun and self._cached is not None:
            self._resume(self._cached)
            self.notify("reset")

    def _resume(self, cached: CachedRows[T]) -> None:
        self._begun, self._total = True, cached.total
        self._append(list(cached.rows), None, cached.following)

    @property
    def looked(self) -> int:
        """How many rows have been looked at."""
        return self.loaded

    @property
    def more(self) -> bool:
        """Whether there is more to look at than was, and nothing does so now."""
        return not (self._ended or self.busy or self.error)

    def want_all(self) -> None:
        """Load to the end if the reader asked for that: a filter alone does not."""
        if self.to_end:
            super().want_all()

    def go_on(self) -> None:
        """Look through some pages more."""
        if self.more:
            self._goal = self.loaded + AT_A_TIME * self.limit - 1
            self._pump()

    def cancel(self) -> None:
        self.to_end = False
        super().cancel()


class SiftedPages(ScannedPages[T]):
    """The rows for which ``keep`` is true, of pages that hold others too.

    They may be few: for one screen `AT_A_TIME` pages are looked through at most.
    """

    def __init__(
        self,
        fetch: Fetch[T],
        keep: Callable[[T], bool],
        *,
        key: Callable[[T], str],
        cached: CachedRows[T] | None = None,
    ) -> None:
        super().__init__(self._sift, key=key, limit=SIFTED_PAGE, cached=cached)
        self._all = fetch
        self._keeps = keep
        self._came: Sequence[T] = ()
        """What the last page held, shown or not."""
        self._sizes: dict[str | None, int] = {}
        """How many rows the page of a token held."""
        self._taken: list[str | None] = []
        """The tokens of the pages that are shown, or have nothing to show."""
        self._spent = 0
        self._farthest = 0

    async def _sift(
        self, token: str | None, limit: int
    ) -> tuple[Sequence[T], str | None, int | None]:
        rows, following, _ = await self._all(token, limit)
        self._sizes[token] = len(rows)
        self._came = rows
        return [row for row in rows if self._keeps(row)], following, None

    @property
    def looked(self) -> int:
        """How many rows have been scanned, shown or not."""
        return sum(self._sizes[token] for token in self._taken)

    @property
    def length(self) -> int:
        """Loaded rows, and one line more while more is being looked for."""
        return self.loaded + (1 if self.busy and not self._ended else 0)

    def want(self, first: int, last: int) -> None:
        """Load the window, with a new bound for one that is farther on than before."""
        if last > self._farthest:
            self._farthest, self._spent = last, 0
        super().want(first, last)

    def go_on(self) -> None:
        if self.more:
            self._spent = 0
        super().go_on()

    def retry(self) -> None:
        self._spent = 0
        super().retry()

    def _wanted(self) -> int | None:
        wanted = super()._wanted()
        bound = wanted == len(self._pages) and self._spent >= AT_A_TIME and not self.to_end
        return None if bound else wanted

    async def _load(self, at: int) -> None:
        self._spent += at == len(self._pages)
        await super()._load(at)

    def _resume(self, cached: CachedRows[T]) -> None:
        self._sizes[None] = cached.looked
        super()._resume(cached)

    def _turned(self, rows: Sequence[T], following: str | None) -> None:
        # Page after page may have nothing to show; what they hold must go on all the same.
        super()._turned(self._came, following)

    def _append(
        self, rows: list[T], token: str | None, following: str | None, limit: int | None = None
    ) -> None:
        super()._append(rows, token, following, limit)
        self._taken.append(token)

    def _restart_from(self, at: int, rows: list[T], following: str | None) -> None:
        del self._taken[self._taken.index(self._pages.token(at)) :]
        super()._restart_from(at, rows, following)

    def fold(self) -> None:
        if self._fresh_pages is not None:
            self._taken.clear()
        super().fold()


class ScannedList(Marking, VirtualList[T]):
    """Rows of `ScannedPages`; going down at the end looks through more of them."""

    sifted = ""
    """What the rows of `SiftedPages` are: ``unclustered``."""

    @property
    def _pages(self) -> ScannedPages[T] | None:
        base = self.source.base
        return base if isinstance(base, ScannedPages) else None

    @property
    def _partial(self) -> bool:
        """Whether rows may be missing because they were not scanned yet."""
        return self.source.filtering or isinstance(self._pages, SiftedPages)

    @property
    def goes_on(self) -> bool:
        """Whether there are rows left to scan."""
        pages = self._pages
        return pages is not None and self._partial and not pages.complete

    # Reading on

    def _source_changed(self, change: Change) -> None:
        super()._source_changed(change)
        if change == "state" and self.source.error and self.selected is None and self.is_attached:
            self._tell(None)  # that nothing could be read concerns what shows its rows, too

    def move(self, lines: int) -> bool:
        """Move the cursor; at the end look through more."""
        if lines > 0 and self.cursor + lines >= self.source.length and self.goes_on:
            pages = self._pages
            if pages is not None:
                pages.go_on()
        return super().move(lines)

    def move_last(self) -> bool:
        pages = self._pages
        if pages is not None:
            pages.to_end = True
        return super().move_last()

    # What it says

    def title_line(self) -> str:
        said, pages = super().title_line(), self._pages
        if isinstance(pages, SiftedPages) and pages.looked:
            found = "" if self.source.filtering else f"{pages.loaded:,} {self.sifted} of "
            said += f"   {found}{pages.looked:,} looked at"
        return said

    def _nothing_line(self, width: int) -> list[str]:
        pages = self._pages
        if isinstance(pages, SiftedPages) and not self.source.filtering and pages.more:
            return [f"None {self.sifted} among {plural(pages.looked, 'row')} looked at."]
        return super()._nothing_line(width)

    @property
    def tail(self) -> Sequence[str]:
        pages = self._pages
        if pages is None or not pages.more or not self._partial:
            return ()
        return (offered(self, "More is read as you go down (j); G reads all of it."),)
