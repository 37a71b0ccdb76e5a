"""Rows that are read page by page from the API."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from copydesk.client.errors import Forbidden, NotFound, RateLimited, Unreachable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import reads_cached
from copydesk.session.cached_reads import CachedRead, read_cached
from copydesk.session.errors import SELDOM, NotDoneError, failure_types, sentence, silence_types
from copydesk.tui.framework.source import Source

if TYPE_CHECKING:
    from copydesk.client.api import PageGuard

T = TypeVar("T")

_Page = tuple[Sequence[T], str | None, int | None]

Fetch = Callable[[str | None, int], Awaitable[_Page[T]]]
"""Takes (page token, limit) and returns (rows, next token or None, total or None)."""


BACKWARDS = -1
"""The number of a page from the end, among the numbers of pages."""

TO_THE_END = 1 << 62
"""How many rows are to be read where all of them are."""

LARGER = 5
"""On the way to the end of a list a page is so many times larger, to spend fewer requests on it.

Not more: a key waits until the rows of a page were made.
"""

PAGES_AGAIN = 8
"""Pages that a refresh reads at most, where a page has few rows to show or none."""


class PagedSource(Source[T]):
    """Rows read page by page as the cursor nears them.

    One load is in flight at a time; a load nobody waits for any more is cancelled. Pages far from
    the screen are dropped and read again by their token, so memory depends on the window and not
    on the length. What is kept on this machine of the first page shows until the service has
    answered, and the pages after it too where that cannot be reached. ``reverse`` reads the same
    list in the opposite order, where the service has that: what is nearer to the end is read from
    there then, once the total is known. ``caches`` tells whether answers are kept on this machine
    at all, and raises what the fetch raises. Create it inside a running event loop.
    """

    def __init__(
        self,
        fetch: Fetch[T],
        *,
        key: Callable[[T], str],
        limit: int = 100,
        keep: int = 40,
        reverse: Fetch[T] | None = None,
        caches: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        super().__init__(key)
        self._caches = caches
        self._fetch = fetch
        self._reverse = reverse
        self._tail = Tail(key)
        self.limit = limit
        """How many rows are asked for at once."""
        self._keep = keep
        self._pages: HeldPages[T] = HeldPages(key)
        self._next: str | None = None
        self._begun = False
        self._ended = False
        self._total: int | None = None
        self._window = (0, 0)
        self._goal = 0
        self._task: asyncio.Task[None] | None = None
        self._loading: int | None = None
        self._refreshes = 0
        self._fresh_pages: list[tuple[list[T], str | None, str | None]] | None = None
        self._new = 0
        self._held = 0
        self._guard: PageGuard | None = None
        self.failure: Exception | None = None
        """What the last load failed with, until someone took note; ``error`` is its sentence."""
        self.kept_at: datetime | None = None
        """When the cached rows came from the service; None for rows just read."""
        self._confirming = False
        self._silent = False

    def begin_with(self, page: _Page[T]) -> None:
        """Take a first page that was read already, before anybody looks."""
        rows, following, self._total = page
        self._append(list(rows), None, following)
        self._begun = True

    @property
    def silent(self) -> bool:
        """Whether the service did not answer the last load, or not so that it can be used."""
        return self._silent and bool(self.error)

    @property
    def count(self) -> int | None:
        """The total, from the service or because the end was reached."""
        return self.loaded if self._ended else self._total

    @property
    def loaded(self) -> int:
        """How many rows have been read from the start without a gap (kept or dropped since)."""
        return self._pages.loaded

    @property
    def length(self) -> int:
        """Loaded rows and the ones that follow; one more line while the total is unknown."""
        if self._ended:
            return self.loaded
        if self._total is not None:
            return max(self._total, self.loaded)
        return self.loaded + 1

    @property
    def ends_at_once(self) -> bool:
        """Whether the last rows can be read without those before them."""
        unsure = self._total is None or self._confirming or self.kept_at is not None
        return self._reverse is not None and not (self._held or unsure)

    @property
    def busy(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def complete(self) -> bool:
        """Whether the last page has been read."""
        return self._ended

    @property
    def waiting(self) -> int:
        """How many rows of the last refresh are new."""
        return self._new

    @property
    def running(self) -> asyncio.Task[None] | None:
        """The load under way, for those who must wait for it."""
        return self._task if self.busy else None

    def row(self, index: int) -> T | None:
        """Return a row, or None when it is not loaded or was dropped."""
        return self._pages.row(index) if index < self.loaded else self._tail.row(index, self.length)

    def shown(self) -> Iterator[T]:
        """Yield the loaded rows, without the dropped ones."""
        return self._pages.kept

    def index_of(self, row_id: str) -> int | None:
        """Return the position of a row that is in memory, or None."""
        found = self._pages.index_of(row_id)
        return self._tail.index_of(row_id, self.length) if found is None else found

    def update(self, row: T) -> None:
        """Replace the row with the same id, in place; one that is not in memory is read later."""
        if self._pages.put(row) or self._tail.put(row):
            self.notify("rows")

    def hold(self, on: bool) -> None:
        self._held += 1 if on else -1

    def want(self, first: int, last: int) -> None:
        """Load the window and one more of its size on both sides."""
        self._window = (first, last)
        self._pump()

    def want_all(self) -> None:
        self._goal = TO_THE_END
        self._pump()

    def cancel(self) -> None:
        self._goal = 0
        if self.busy and self._wanted() is None:
            self._stop_load()
        self.notify("state")

    def close(self) -> None:
        """Stop for good."""
        self._goal = 0
        self._watchers.clear()
        self._stop_load()

    def _stop_load(self) -> None:
        """Stop the load under way; the next one need not wait until it has ended."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def retry(self) -> None:
        """Try the failed page again."""
        self.error = ""
        self._pump()
        self.notify("state")

    def _wanted(self) -> int | None:
        """Return which page to read next: its number, that after the last one, or None."""
        first, last = self._window
        margin = max(last - first, 20)
        low, high = max(0, first - margin), last + margin
        for edge in (first, last, low, min(high, self.loaded - 1)):
            at = self._pages.page_of(edge)
            if at is not None and self._pages.is_dropped(at):
                return at
        if self._held and (at := self._pages.first_dropped) is not None:
            return at
        if self._ended or (self._begun and self.loaded > max(high, self._goal)):
            return None
        if self._begun and not self._goal and self.ends_at_once:
            below = self.length - len(self._tail.rows)
            if low >= below or self.loaded >= below:
                return None
            nearer = below - max(low, self.loaded) < min(high, below) - self.loaded
            if nearer and not self._tail.whole:
                return BACKWARDS
        return len(self._pages)

    def _pump(self) -> None:
        if self.error:
            return
        wanted = self._wanted()
        if self.busy:
            stale = (
                self._loading is not None
                and wanted is not None
                and self._loading != wanted
                and self._loading < len(self._pages)
            )
            if not stale:
                return
            self._stop_load()
        if wanted is None:
            return
        self._loading = wanted
        self._task = asyncio.ensure_future(self._load(wanted))
        self.notify("state")

    async def _load_backwards(self, fetch: Fetch[T]) -> None:
        """Read a page from the end. Where a service takes no notice of the order, from the top."""
        try:
            rows, following, total = await fetch(self._tail.next, self.limit)
        except failure_types() as error:
            if isinstance(error, silence_types()):
                self._fail(error)
                return
            rows, following, total = (), None, None  # it does not know the order: read from the top
        self._task = None
        self._total = self._total if total is None else total
        # Only a page that reaches to the top has the first row, and in the right order as its last.
        whole = len(self._tail.rows) + len(rows) >= self.length
        ahead = rows[:-1] if whole else rows
        if not rows or any(self._pages.index_of(self.key(each)) == 0 for each in ahead):
            self._reverse = None
        else:
            self._tail.add(rows, following)
        self._loaded()

    async def _load(self, at: int) -> None:
        if at == BACKWARDS and self._reverse is not None:
            await self._load_backwards(self._reverse)
            return
        again = at < len(self._pages)
        token = self._pages.token(at) if again else self._next
        limit = self._pages.limit(at) if again else self._next_limit
        failures = failure_types()
        try:
            found = None if again else await self._recall(token)
            if found is not None and found.at is not None:
                self._show_kept(found.result, found.at, token)
                if token is not None:
                    self._task = None
                    self._loaded()
                    return
                found = None
            if found is None:
                rows, following, total = await self._fetch(token, limit)
            else:
                rows, following, total = found.result
            if not again:
                self._turned(rows, following)
        except failures as error:
            self._fail(error)
            return
        finally:
            self._confirming = False
        self._task = None
        if again:
            if not self._pages.fill(at, list(rows)):
                self._restart_from(at, list(rows), following)
        elif self._begun and token is None:
            self._total = total
            self._replace([(list(rows), token, following)])
            return
        else:
            self._append(list(rows), token, following, limit)
        if total is not None:
            self._total = total
        self._loaded()

    def _loaded(self) -> None:
        self._begun = True
        self._evict()
        self.notify("grown")
        self._pump()

    async def _recall(self, token: str | None) -> CachedRead[_Page[T]] | None:
        """Return the cached rows of a page that was not read yet, if there are any.

        That of the first page is shown until the service has answered. The others are looked up
        only where it could not be asked: they go on where the first one ends.
        """
        if self._begun if token is None else self.kept_at is None:
            return None
        if self._caches is not None and not await self._caches():
            return None
        return await read_cached(lambda: self._fetch(token, self.limit))

    def _show_kept(self, page: _Page[T], at: datetime, token: str | None) -> None:
        rows, following, total = page
        self.kept_at = at if self.kept_at is None else min(self.kept_at, at)
        self._append(list(rows), token, following)
        self._total = self._total if total is None else total
        if token is None:
            # What is wanted next waits for the answer: it begins what is shown anew.
            self._begun, self._loading, self._confirming = True, None, True
            self.notify("grown")

    def _fail(self, error: Exception) -> None:
        """Say why a page could not be read; cached rows of the list stay where allowed."""
        self.failure = error
        self._goal = 0
        self._task = None
        if self._confirming and isinstance(error, (Unreachable, RateLimited)):
            self.notify("state")
            self._pump()
            return
        self.error, self._silent = sentence(error), isinstance(error, silence_types())
        if self.kept_at is not None and isinstance(error, (Forbidden, NotFound)):
            self._empty()
            self.notify("reset")
        self.notify("state")

    def _replace(self, pages: list[tuple[list[T], str | None, str | None]]) -> None:
        """Show the rows that were read instead of the cached ones; the cursor stays on its row."""
        self.kept_at = None
        self._fresh_pages = pages
        self.fold()

    def _turned(self, rows: Sequence[T], following: str | None) -> None:
        """Look whether the list has an end. Raises ``Garbled`` for one that has none.

        What is found seldom is looked for on request: ``NotDoneError`` says so.
        """
        from copydesk.client.api import MOST_PAGES, EmptyPagesError, PageGuard

        if self._guard is None:
            self._guard = PageGuard(most=MOST_PAGES)
        try:
            self._guard.check(rows, following)
        except EmptyPagesError as error:
            raise NotDoneError(SELDOM) from error

    @property
    def _next_limit(self) -> int:
        """How many rows the next page has. What is cached was read in pages of the usual size."""
        far = self._begun and self.kept_at is None and self._goal == TO_THE_END
        return self.limit * LARGER if far else self.limit

    def _append(
        self, rows: list[T], token: str | None, following: str | None, limit: int | None = None
    ) -> None:
        self._pages.add(rows, token, limit or self.limit)
        self._next = following
        self._ended = following is None or following == token
        if self._ended:
            self._tail.clear()

    def _restart_from(self, at: int, rows: list[T], following: str | None) -> None:
        token, limit = self._pages.token(at), self._pages.limit(at)
        self._pages.cut(at)
        self._ended, self._guard = False, None
        self._append(rows, token, following, limit)

    def _evict(self) -> None:
        if not self._held:
            self._pages.drop_far(sum(self._window) // 2, self._keep * self.limit)

    async def refresh(self) -> None:
        """Read again what has been read, up to the pages in view, and merge by id.

        Rows that read differently change in place; new ones wait for `fold`. Raises what the fetch
        raises.
        """
        if reads_cached():
            from copydesk.client.errors import NotCached

            raise NotCached("A list looks up by itself what is kept of it.")
        if not self._begun or self._confirming:
            self.error = ""
            self.failure = None
            self._pump()
            await self._first()
            return
        pages: list[tuple[list[T], str | None, str | None]] = []
        token: str | None = None
        reach = min(self.loaded, max(self._window[1] + 1, self.limit), 4 * self.limit)
        seen = 0
        while True:
            rows, following, total = await self._fetch(token, self.limit)
            pages.append((list(rows), token, following))
            seen += len(rows)
            if following is None or seen >= reach or len(pages) == PAGES_AGAIN:
                break
            token = following
        if self._reverse is not None and self._tail.rows:
            last, before, total = await self._reverse(None, self.limit)
            self._tail.renew(last, before)
        self.error = ""
        if total is not None:
            self._total = total
        self._merge(pages, ended=following is None)

    async def _first(self) -> None:
        """Wait for the first page, which is being read. Raises what the fetch raises."""
        task = self._task
        if task is None:
            return
        self._refreshes += 1
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            if self._task is task and self._refreshes == 1:
                self._stop_load()  # nobody else waits for it
            raise
        finally:
            self._refreshes -= 1
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def _merge(self, pages: list[tuple[list[T], str | None, str | None]], *, ended: bool) -> None:
        changed, arrived = False, 0
        order: list[str] = []
        for rows, _, _ in pages:
            for row in rows:
                row_id = self.key(row)
                order.append(row_id)
                at = self._pages.index_of(row_id)
                if at is None:
                    arrived += 1
                    continue
                if self._pages.row(at) != row:
                    self._pages.put(row)
                    self.fresh.add(row_id)
                    changed = True
        head = self._pages.head(len(order) if not ended else self.loaded)
        current = [self.key(row) for row in head]
        # What came from below or anew pushed as many rows out of what was read: they are not gone.
        pushed = 0 if ended else len(set(order) - set(current))
        self.missing = frozenset(current[: len(current) - pushed]) - set(order)
        if self.kept_at is not None:
            self._replace(pages)
            return
        if order == current:
            self._fresh_pages, self._new = None, 0
        else:
            self._fresh_pages = pages
            self._new = max(arrived + len(self.missing), 1)
            if not self.loaded:
                self.fold()
                return
        self.notify("rows" if changed else "state")

    def fold(self) -> None:
        """Show the order of the last refresh; pages behind it are read again when needed."""
        if self._fresh_pages is None:
            return
        pages, self._fresh_pages, self._new = self._fresh_pages, None, 0
        self.missing = frozenset()
        before = set(self._pages.ids)
        self._pages.cut(0)
        self._ended, self._guard = False, None
        for rows, token, following in pages:
            self._append(rows, token, following)
        if before:
            self.fresh.update(row_id for row_id in self._pages.ids if row_id not in before)
        self.notify("reset")
        self._pump()

    def reset(self) -> None:
        """Forget everything and start again."""
        self._stop_load()
        self._empty()
        self.error = ""
        self.notify("reset")
        self._pump()

    def _empty(self) -> None:
        self._pages.cut(0)
        self._tail.clear()
        self._next, self._total = None, None
        self._begun = self._ended = self._confirming = False
        self._guard = None
        self._fresh_pages, self._new, self._goal = None, 0, 0
        self.kept_at = None
        self.missing = frozenset()
        self.fresh.clear()


class Tail(Generic[T]):
    """The last rows of a list, read from its end: the last one first."""

    def __init__(self, key: Callable[[T], str]) -> None:
        self._key = key
        self.rows: list[T] = []
        self.next: str | None = None
        """What the page before them is read with."""
        self._ids: dict[str, int] = {}

    @property
    def whole(self) -> bool:
        """Whether there are none before them."""
        return bool(self.rows) and self.next is None

    def clear(self) -> None:
        """Forget them."""
        self.rows, self.next, self._ids = [], None, {}

    def add(self, rows: Sequence[T], following: str | None) -> None:
        """Add those before them, without what shifted meanwhile."""
        for row in rows:
            if self._ids.setdefault(self._key(row), len(self.rows)) == len(self.rows):
                self.rows.append(row)
        self.next = following

    def renew(self, rows: Sequence[T], following: str | None) -> None:
        """Take the last ones as they are now; the others stay where these follow them still."""
        ids = [self._key(row) for row in rows]
        if ids == [self._key(row) for row in self.rows[: len(ids)]]:
            self.rows[: len(ids)] = rows
        else:
            self.clear()
            self.add(rows, following)

    def row(self, index: int, length: int) -> T | None:
        """Return a row of a list that is so long, or None where it was not read."""
        back = length - 1 - index
        return self.rows[back] if 0 <= back < len(self.rows) else None

    def index_of(self, row_id: str, length: int) -> int | None:
        """Return the position of a row in a list that is so long, or None."""
        back = self._ids.get(row_id)
        return None if back is None else length - 1 - back

    def put(self, row: T) -> bool:
        """Put a row in the place of the one with its id; False when it is none of them."""
        back = self._ids.get(self._key(row))
        if back is not None:
            self.rows[back] = row
        return back is not None


@dataclass(slots=True)
class _Held(Generic[T]):
    """One page: where it starts, how to read it again, and its rows while they are kept."""

    start: int
    size: int
    token: str | None
    limit: int
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

    @property
    def kept(self) -> Iterator[T]:
        """The rows in memory, in their order."""
        return (row for page in self._held for row in page.rows or ())

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

    def limit(self, at: int) -> int:
        """Return how many rows a page is read with."""
        return self._held[at].limit

    def is_dropped(self, at: int) -> bool:
        """Whether the rows of a page are to be read again."""
        return self._held[at].rows is None

    @property
    def first_dropped(self) -> int | None:
        """The first page whose rows were dropped, if there is one."""
        return next((at for at, page in enumerate(self._held) if page.rows is None), None)

    def add(self, rows: list[T], token: str | None, limit: int) -> None:
        """Add a page at the end, without what the one before it has as well.

        Something inserted while reading shifts pages that are told by an offset.
        """
        seen = self._held[-1].ids if self._held else {}
        rows = [row for row in rows if self._key(row) not in seen]
        if rows:
            start = self.loaded
            self._held.append(_Held(start, len(rows), token, limit, rows, self._ids_of(rows)))
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
        """Drop the rows of the pages that are far from a row, but about ``keep`` rows."""
        if self.loaded <= keep:
            return
        held = [page for page in self._held if page.rows is not None]
        for page in sorted(held, key=lambda page: abs(page.start - centre)):
            if keep <= 0:
                page.rows, page.ids = None, {}
            keep -= page.size

    def _ids_of(self, rows: list[T]) -> dict[str, int]:
        return {self._key(row): at for at, row in enumerate(rows)}
