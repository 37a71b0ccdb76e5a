"""The rows of the list of change requests: where they come from, in what order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from copydesk.domain.filter import Query
from copydesk.domain.saved_view import SavedView
from copydesk.present import change_request as present
from copydesk.present.change_request import SORT_NEEDS
from copydesk.session import change_request_snapshot as remembered
from copydesk.session.change_rows import ChangeRow
from copydesk.session.errors import failure_types
from copydesk.session.target import Target
from copydesk.session.views import (
    COUNT_SECONDS,
    FIRST,
    LISTINGS,
    OWN,
    SERVED,
    STATUSES,
    Listing,
    listing_of,
)
from copydesk.tui.changes.details import AT_ONCE
from copydesk.tui.changes.triage import ChangesChecking
from copydesk.tui.framework.place import View
from copydesk.tui.framework.sources import Change, Fetch, ListSource, PagedSource, Source
from copydesk.tui.framework.workers import begin
from copydesk.tui.widgets.columns import Column

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.reads.change_requests import Answer, Scope, SpaceInfo, Spaces

PAGE = 200
"""Rows read at once."""

PULSE = ("open", "draft")
"""The views whose counts are read with each poll: nothing comes or goes but through them."""


class ChangesRows(ChangesChecking):
    """A view of change requests, paged as the service lists it or sorted here."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.own: list[SavedView] = []
        """The reader's own views."""
        if not self.view:
            self.view = FIRST
        self._spaces: Spaces | None = None
        self._written = 0
        self._counted: datetime | None = None
        self._remembered: dict[str, str] = {}
        self._order = SERVED, False
        """The order that the rows on screen are in; another may be on its way."""
        self._sorting: object | None = None

    # Views

    def view_listings(self) -> Sequence[Listing]:
        """Return the views that there are for this reader."""
        known = self.session.me is not None or self.session.api is None
        given = [each for each in LISTINGS if known or not each.personal]
        return [*given, *(listing_of(view) for view in self.own)]

    @property
    def listing(self) -> Listing:
        """The view that is shown."""
        listings = {each.id: each for each in (*LISTINGS, *map(listing_of, self.own))}
        return listings.get(self.view, listings[FIRST])

    @property
    def first_view(self) -> str:
        """The view that the place opens with."""
        return FIRST

    def show_views(self) -> None:
        """Name the views, with how many rows each holds as far as that is known."""
        self.set_views(
            [
                View(each.id, each.title, self.counts.get(each.id), each.short)
                for each in self.view_listings()
            ]
        )

    def read_views(self) -> None:
        """Read the person's own views, and say what is wrong with one."""

        async def read(api: Api) -> tuple[list[SavedView], str]:
            try:
                return list(await asyncio.to_thread(self.session.views.read)), ""
            except (OSError, ValueError) as error:
                return [], str(error)

        def arrived(found: tuple[list[SavedView], str]) -> None:
            own, wrong = found
            others = own != self.own
            if others:
                self.own_are(own)
            asked = self.target.view
            said = [wrong, *(why for view in self.own if (why := self.view_wrong(view)))]
            for sentence in filter(None, said if others or wrong else ()):
                self.say(sentence, "warn")
            self.show_views()
            if asked is not None and asked != self.view and asked.startswith(OWN):
                self.choose_view(asked)

        self.load("views", read, arrived, what="Reading your views", local=True)

    def view_wrong(self, view: SavedView) -> str:
        """Return what is wrong with a person's own view as a sentence; "" when nothing is."""
        where = f"line {view.line} of the settings" if view.line else "your views"
        lead = f"View “{view.name}” ({where}): "
        query = Query.parse(view.filter, self.fields)
        if query.problems:
            return lead + query.problems[0].sentence
        if view.sort and view.sort not in present.SORTS:
            return f"{lead}there is no order {view.sort!r}; known are {', '.join(present.SORTS)}."
        unknown = [each for each in view.statuses if each not in STATUSES]
        if unknown or not view.statuses:
            return f"{lead}status is one of {', '.join(STATUSES)}."
        columns = [column.key for column in self.all_columns]
        strange = [each for each in view.columns if each not in columns]
        if strange:
            return f"{lead}there is no column {strange[0]!r}; known are {', '.join(columns)}."
        return ""

    def own_are(self, own: list[SavedView]) -> None:
        """Show other views of one's own; where the one that is shown went, the first."""
        self.own = own
        if self.view.startswith(OWN) and self.view not in [OWN + view.name for view in own]:
            self.choose_view(FIRST)
        self.show_views()

    def view_changed(self) -> None:
        """Show another view, from its top, with the filter that is on."""
        self.rows.empty = self.listing.empty
        self.show_columns()
        if self.listing.own:
            self.sort, self.backwards = self.listing.sort, self.listing.backwards
        if self.sort not in present.SORTS:
            self.sort, self.backwards = SERVED, False
        self.cancel_load("check")
        self._order = SERVED, False
        self._swap(self.paged(), keep_cursor=False)
        self.show_order()
        self.rows.move_first()
        self.check()
        self.look()

    @property
    def all_columns(self) -> Sequence[Column[ChangeRow]]:
        """Every column that the list can show."""
        raise NotImplementedError

    def show_columns(self) -> None:
        """Show the columns of the view."""
        raise NotImplementedError

    def on_screen_resume(self) -> None:
        """Read again what was written elsewhere."""
        super().on_screen_resume()
        if len(self.session.log) != self._written:
            self.reload()

    # What is known

    def name_order(self) -> None:
        """Say above the list which view and which order it shows."""
        self.rows.sort = (self.sort, (self.sort in present.DESCENDING) != self.backwards)
        self.rows.note = f"sort: {present.SORTS[self.sort]}" + (
            ", reversed" if self.backwards else ""
        )
        self.rows.title = self.listing.title
        self.show_columns()

    async def scope(self, api: Api) -> Scope:
        """Return whose change requests these are, once it is known where the reader is."""
        from copydesk.session.reads.change_requests import Scope

        organization = self.target.organization or self.session.organization or ""
        return Scope(organization, self.target.space, self.target.cluster)

    @property
    def spaces(self) -> Spaces:
        """What is known of the spaces that rows are in."""
        if self._spaces is None:
            from copydesk.session.reads.change_requests import Spaces

            self._spaces = Spaces()
        return self._spaces

    def space_of(self, row: ChangeRow) -> SpaceInfo | None:
        """Return what is known of the space of a row."""
        return self.spaces.known.get(row.space)

    def space_title(self, space_id: str) -> str:
        """Return what a space is called, "" while that is not known."""
        known = "" if self._spaces is None else self._spaces.title(space_id)
        return known or self._remembered.get(space_id, "")

    def _snapshot(self, listing: Listing) -> str:
        organization = self.target.organization or self.session.organization or ""
        return remembered.name_of(self.target, organization, listing.id)

    def last_run(self) -> ListSource[ChangeRow] | None:
        """Return the rows of the last time, shown until the service answers."""
        rows, self._remembered = remembered.recall(
            self.session.snapshot, self._snapshot(self.listing)
        )
        self.cached = bool(rows)
        return ListSource(rows, key=lambda row: row.id) if rows else None

    @property
    def _from_last_run(self) -> bool:
        return self._order == (SERVED, False) and isinstance(self.rows.source.base, ListSource)

    def _keep_rows(self, listing: Listing, rows: Sequence[ChangeRow]) -> None:
        def write() -> None:
            # A snapshot is a convenience: a full disk is no reason to bother anybody.
            with suppress(OSError):
                remembered.keep(
                    self.session.snapshot, self._snapshot(listing), rows, self.space_title
                )

        begin(self, asyncio.to_thread, write, group="snapshot", exit_on_error=False)

    def _read_first(self) -> None:
        """Read the first page behind the rows of the last run, and put it in their place."""
        fetch = self._fetch(self.listing)

        def arrived(answer: Answer) -> None:
            first = [answer]

            async def begun(token: str | None, limit: int) -> Answer:
                return first.pop() if first and token is None else await fetch(token, limit)

            self.cached = False
            self._swap(PagedSource(begun, key=lambda row: row.id, limit=PAGE))

        self.load("rows", lambda api: fetch(None, PAGE), arrived, what="Reading change requests")

    def paged(self) -> PagedSource[ChangeRow]:
        """Return the rows of the view as the service lists them."""
        return PagedSource(self._fetch(self.listing), key=lambda row: row.id, limit=PAGE)

    def _fetch(self, listing: Listing) -> Fetch[ChangeRow]:
        async def fetch(token: str | None, limit: int) -> Answer:
            from copydesk.session.reads import change_requests as reading

            api = await self.session.ready()
            me = self._me(listing)
            if me is None or self.nowhere:
                return [], None, 0
            answer = await reading.read_page(
                api, await self.scope(api), listing, me, token=token, limit=limit
            )
            self.session.fresh()
            self._name_spaces(answer[0])
            if token is None:
                self._keep_rows(listing, answer[0])
            return answer

        return fetch

    def _name_spaces(self, rows: Iterable[ChangeRow]) -> None:
        """Read what the spaces of rows are called; the rows need not wait for it."""
        ids = {row.space for row in rows} | {self.target.space or ""}
        if ids <= self.spaces.known.keys() | {""}:
            return

        async def read(api: Api) -> None:
            await self.spaces.learn(api, (await self.scope(api)).organization, ids)

        self.load(
            "spaces", read, lambda _: self._learned(), what="Reading the names of spaces",
            kept="away",
        )  # fmt: skip

    def _learned(self) -> None:
        base = self.rows.source.base
        base.notify("rows")
        if isinstance(base, PagedSource):
            self._keep_rows(self.listing, list(islice(base.shown(), remembered.KEPT)))

    def _me(self, listing: Listing) -> str | None:
        """Return the id of the reader, "" where a view does not need it, None if not known."""
        if not listing.who and not listing.personal:
            return ""
        if self.session.me is None:
            self.show_views()
            self.say("This service does not say who you are: there is no view of your own.", "warn")
            return None
        return self.session.me.id

    def show_order(self) -> None:
        """Show the view in its order: as the service lists it, or all of it sorted here."""
        self.name_order()
        self.cancel_load("rows")
        self.cached = False
        if self.sort == SERVED and not self.backwards:
            self._sorting, self._order = None, (SERVED, False)
            self.cancel_load("sort")
            self._swap(self.paged())
            self.check()
            return
        self._read_sorted(self._sorted)

    def _sorted(self, rows: list[ChangeRow]) -> None:
        self._swap(ListSource(rows, key=lambda row: row.id))
        self.check()

    def _swap(self, source: Source[ChangeRow], *, keep_cursor: bool = True) -> None:
        """Show other rows; the filter stays, and the cursor where its row is read at once."""
        text, old = self.rows.found, self.rows.source.base
        selected = self.rows.selected_id if keep_cursor else None
        self.rows.source = source
        if isinstance(old, PagedSource):
            old.close()
        self.rows.find(text)
        if selected is not None and not self.rows.select(selected):
            self._select_later(source, selected)
        self.rows.retitle()

    def _select_later(self, source: Source[ChangeRow], row_id: str) -> None:
        """Put the cursor back on a row if the first rows that arrive have it."""

        def changed(change: Change) -> None:
            if source.loaded:
                stop()
                self.call_later(self.rows.select, row_id)

        stop = source.subscribe(changed)

    def _read_sorted(self, then: Callable[[list[ChangeRow]], object]) -> None:
        """Read all of a view and sort it; until then the rows stay as they are."""
        listing, sort, backwards = self.listing, self.sort, self.backwards
        run = self._sorting = object()

        async def read(api: Api) -> list[ChangeRow]:
            from copydesk.session.reads import change_requests as reading

            stopped: tuple[type[BaseException], ...] = (asyncio.CancelledError, *failure_types())
            me = self._me(listing)
            if me is None:
                return []
            try:
                scope = await self.scope(api)
                rows = await reading.read_all(api, scope, listing, me, progress)
                await self.spaces.learn(api, scope.organization, {row.space for row in rows})
                await self._read_for_order(api, rows, sort)
            except stopped:
                if self._sorting is run:
                    # Stopped, or failed: the rows are in the order that they were in before.
                    self.sort, self.backwards = self._order
                    self.name_order()
                raise
            return present.sorted_rows(
                rows, sort, self.spaces.title, backwards=backwards, known=self.last_known
            )

        def progress(count: int) -> None:
            self.rows.note = f"sorting by {present.SORTS[sort]}, {count:,} read"
            self.rows.retitle()

        def arrived(rows: list[ChangeRow]) -> None:
            self._order = sort, backwards
            self.name_order()
            then(rows)

        self.load("sort", read, arrived, what="Reading all to sort them", kept="never")

    async def _read_for_order(self, api: Api, rows: Sequence[ChangeRow], sort: str) -> None:
        """Read what an order compares of rows, a few at a time, and say how far that is."""
        parts = SORT_NEEDS.get(sort, frozenset())
        due = [row for row in rows if parts and self.due(row, parts)]
        for at in range(0, len(due), AT_ONCE):
            self.rows.note = (
                f"sorting by {present.SORTS[sort]}, checked {len(rows) - len(due) + at} of "
                f"{len(rows)}"
            )
            self.rows.retitle()
            await self.read_rows(api, due[at : at + AT_ONCE], parts)

    # Refreshing

    def reload(self) -> None:
        """Read the rows, the counts and the details again. Nothing moves under the cursor."""
        self._written = len(self.session.log)
        self.forget_details()
        self.spaces.models.clear()
        base = self.rows.source.base
        if self.rows.source.filtering:
            base.notify("rows")
        self.check()
        if self._from_last_run:
            self._read_first()
        elif isinstance(base, PagedSource):
            self.load("rows", lambda api: self._refresh(api, base), self._refreshed,
                      what="Reading change requests")  # fmt: skip
        elif isinstance(base, ListSource):
            self._read_sorted(lambda rows: self._merge(base, rows))
        self._count()
        self.look()

    def poll(self) -> None:
        """Read quietly what others did: a page of rows, who is asked, the counts that tell most.

        Then, of rows, what is due (`poll_details`). All counts are read when some are others, and
        once a minute; a long sorted list is not read.
        """
        base = self.rows.source.base
        if self._from_last_run:
            self._read_first()
        elif isinstance(base, PagedSource):
            self.load("rows", lambda api: self._poll_pages(api, base), self._polled,
                      what="Reading again")  # fmt: skip
        elif isinstance(base, ListSource) and base.loaded <= PAGE:
            self._read_sorted(lambda rows: self._polled(self._merge(base, rows)))
        else:
            self.poll_details()
        self.load("pulse", self._feel, self._felt, what="Reading what else is new")

    async def _feel(self, api: Api) -> bool:
        """Read the counts of who is asked, open ones and drafts; return whether one has changed.

        A request comes to the other statuses from those only, so that their counts are read again
        only when these have changed.
        """
        from copydesk.session.reads import change_requests as reading

        before, scope, me = dict(self.counts), await self.scope(api), self.session.me
        if me is not None:
            asked = await reading.read_asked(api, scope, me.id)
            if asked != self._asked:
                self._asked = asked
                self.rows.triage.again()
        for listing in self.view_listings():
            if listing.id in PULSE and listing.id != self.view:
                self.counts[listing.id] = await reading.read_count(api, scope, listing, "")
        return any(self.counts[each] != before.get(each) for each in PULSE if each in self.counts)

    def _felt(self, others: bool) -> None:
        now = self.session.clock()
        self.count_views()
        old = self._counted is None or now - self._counted >= timedelta(seconds=COUNT_SECONDS)
        if others or old:
            self._count()

    async def _refresh(self, api: Api, base: PagedSource[ChangeRow]) -> None:
        await base.refresh()
        await self._ask_where(api, base, base.missing | self.left)

    async def _poll_pages(self, api: Api, base: PagedSource[ChangeRow]) -> bool:
        """Refresh the pages; return whether rows came or went since the time before."""
        before = base.waiting, base.missing
        await base.refresh()
        # What is known to have left is asked about by hand only: it costs a request each.
        await self._ask_where(api, base, base.missing - self.left)
        return before != (base.waiting, base.missing)

    def _polled(self, others: bool) -> None:
        if not self.listing.filter and (count := self.rows.source.base.count) is not None:
            self.counts[self.view] = count
        self.poll_details()
        self.check()
        self.count_views()
        if others:
            self._count()

    def _merge(self, base: ListSource[ChangeRow], rows: list[ChangeRow]) -> bool:
        """Take in what was read again; return whether rows left."""
        base.merge(rows)
        gone = base.missing - self.left
        if gone:
            self._count()
            self.load("gone", lambda api: self._ask_where(api, base, gone), self._refreshed,
                      what="Reading what left the view", kept="never")  # fmt: skip
        return bool(gone)

    async def _ask_where(self, api: Api, base: Source[ChangeRow], ids: Iterable[str]) -> None:
        """Read rows that a refresh did not bring, so that each says what became of it."""
        from copydesk.client.errors import Forbidden, NotFound

        for row_id in list(ids):
            at = base.index_of(row_id)
            row = None if at is None else base.row(at)
            if row is None:
                self.left.discard(row_id)
                continue
            try:
                fresh = await self.reread(api, row)
            except (Forbidden, NotFound):
                fresh = replace(row, status="gone")
                self.put(fresh)
            if fresh != row:
                base.fresh.add(row_id)

    def _refreshed(self, nothing: None) -> None:
        self.check()
        self.count_views()

    def put(self, row: ChangeRow) -> None:
        """Show a row as it is now, where it is; one that left the view stays until it is folded.

        A marked one that is gone is unmarked, and that is said.
        """
        base = self.rows.source.base
        if isinstance(base, PagedSource | ListSource):
            base.update(row)
        if row.status in self.listing.statuses:
            self.left.discard(row.id)
        else:
            self.left.add(row.id)
        self.look()
        if row.id not in self.rows.marks:
            return
        if row.status == "gone":
            self.rows.set_marks(self.rows.marks - {row.id})
            self.say(f"{row.label} was marked and is gone: it is not marked any more.", "warn")
        else:
            self.rows.set_marks(self.rows.marks, {row.id: row})

    def take_in(self) -> None:
        """Read the rows again and bring in at once what was made here; the cursor keeps its row."""
        base = self.rows.source.base
        if self._from_last_run:
            self._read_first()
        elif isinstance(base, PagedSource):
            self.load("rows", lambda api: base.refresh(), lambda _: base.fold(),
                      what="Reading change requests")  # fmt: skip
        elif isinstance(base, ListSource):

            def put(rows: list[ChangeRow]) -> None:
                base.merge(rows)
                base.fold()

            self._read_sorted(put)

    def after_write(self) -> None:
        """Bring the counts up to date after something was written here."""
        self._written = len(self.session.log)
        self._count()

    def _count(self) -> None:
        async def read(api: Api) -> None:
            from copydesk.session.reads import change_requests as reading

            scope = await self.scope(api)
            me = self.session.me
            for listing in self.view_listings():
                if listing.filter or (listing.personal and me is None):
                    continue
                count = await reading.read_count(api, scope, listing, me.id if me else "")
                self.counts[listing.id] = count
                if count is None:
                    break
            await self.read_for_counts(api)

        self._counted = self.session.clock()
        self.load("counts", read, lambda _: self.count_views(), what="Counting", kept="away")
