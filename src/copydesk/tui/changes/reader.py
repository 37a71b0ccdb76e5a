"""Reading the rows of the list of change requests, and the details beside them.

Of the row under the cursor its text, rules and pages are read when the cursor rests. Once it stays,
its threads and what main changed too follow, and of the rows on screen the parts that their cells
show, four at a time, while no key comes. What was read is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from copydesk.client.errors import Forbidden, NotFound
from copydesk.present import change_request as present
from copydesk.present.change_request import facts
from copydesk.present.impact import impact_line
from copydesk.session.change_rows import (
    ALL_PARTS,
    AT_ONCE,
    KEPT,
    PAGES,
    RULES,
    SIDES,
    THREADS,
    ChangeRow,
    KeptView,
    RequestDetails,
    keep,
    recall,
    snapshot_name,
)
from copydesk.session.errors import failure_types
from copydesk.session.listings import COUNT_SECONDS, MOST_THREADS, SERVED, Listing
from copydesk.session.marks import STARRED
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.paged_source import Fetch, PagedSource
from copydesk.tui.framework.source import Change, ListSource, Source
from copydesk.tui.widgets.facts import Facts, WideFacts
from copydesk.tui.widgets.list import Column, rows_around

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.present.facts import Fact
    from copydesk.session.reads.change_requests import Answer
    from copydesk.tui.changes.screen import ChangesPlace


REST_SECONDS = 0.2
"""How long the cursor rests on a row, after the frame follows it, before its details are read."""

STAY_SECONDS = 0.4
"""How long it stays before the rows around it are read too."""


class DetailColumn(NamedTuple):
    """A column of the list that needs details: the part of them, and its cell from the part."""

    part: str
    cell: Callable[[ChangeRow, RequestDetails | None], str | Text]


DETAIL_COLUMNS: Mapping[str, DetailColumn] = {
    "pages": DetailColumn(PAGES, lambda _, known: present.pages(known)),
    "rules": DetailColumn(RULES, lambda _, known: present.rules(known)),
    "threads": DetailColumn(THREADS, present.threads),
}
"""The columns that need details of their rows, by their ids."""


def change_columns(place: ChangesPlace) -> list[Column[ChangeRow]]:
    """Return every column of the list of change requests; `ChangesPlace.COLUMNS` names them."""
    return [
        Column("number", "#", lambda row: str(row.number), 4),
        Column(
            "subject", "SUBJECT",
            lambda row: present.subject(
                row,
                place.listing,
                asleep=place.known.snoozed(row),
                starred=STARRED in place.known.marks(row),
                waits=place.session.merges_when_ready.get((row.space, row.id)),
            ),
            flex=1, minimum=24, spoken=present.subject_told,
        ),
        Column(
            "space", "SPACE",
            lambda row: place.known.space_title(row.space) or present.UNREAD,
            9, drop=5, most=14,
        ),
        Column(
            "by", "BY", lambda row: Text(row.author, "who"), present.NAME_CELLS, drop=4,
            fitted=lambda row, cells: Text(
                present.short_name(row.author, cells, place.people), "who"
            ),
        ),
        Column(
            "pages", "PG", lambda row: place.row_reader.cell(row, "pages"), 3,
            align="right", drop=3,
        ),
        Column(
            "threads", "THR", lambda row: place.row_reader.cell(row, "threads"), 3,
            align="right", drop=1, spoken=present.threads_told,
        ),
        Column(
            "rules", "RULES", lambda row: place.row_reader.cell(row, "rules"), 5,
            align="right", drop=2, spoken=present.rules_told,
        ),
        Column(
            "age", "UPDATED",
            lambda row: present.since(
                row, place.session.now, place.sort, place.known.last_details(row)
            ),
            7, align="right",
        ),
    ]  # fmt: skip


KEPT_IMPACTS = 100
"""How many requests have their effect on links kept."""

FRESH_SECONDS = 60
"""How old the parts of a row may get before they are read again."""


DETAILS, OPEN_THREADS = "Details", "Open threads"
"""The titles of the panes beside the list."""


def detail_panes(details: DetailsReader) -> tuple[Facts, WideFacts]:
    """Return the pane of details, and that of open threads for a very wide screen."""
    threads = WideFacts(details.open_threads, id="change-threads")
    return Facts(title=DETAILS, id="change-details"), threads


class DetailsReader:
    """Reads about the row under the cursor and those on screen, and fills the pane."""

    def __init__(self, place: ChangesPlace) -> None:
        self.place = place
        self.known = place.known
        self._impacts: dict[str, tuple[datetime, str]] = {}

    def stuck(self, row: ChangeRow) -> bool:
        """Whether an update of it conflicted, and neither side has moved since."""
        known = self.known.details(row)
        return known is not None and known.moment in self.place.session.stuck

    # The pane

    def look(self) -> None:
        """Have the row under the cursor shown, and its missing parts read, once keys pause.

        Until then nothing is sent, and what was asked about the row before is not waited for.
        """
        for group in ("details", "around"):
            self.place.reads.cancel(group)
        self.place.reads.moved(self.place.rows)

    def _wanted(self, row: ChangeRow) -> frozenset[str]:
        """Return the missing parts of a row that are read as soon as the cursor rests.

        Its threads, and what main changed too, come with the rows around it, if the cursor stays.
        """
        known = self.known.details(row)
        if known is None or known.missing or self.place.reads.left_behind("details", row.id):
            wanted = ALL_PARTS
        else:
            wanted = self.known.due(row, ALL_PARTS)
        later = ({THREADS} if row.threads else set()) | ({SIDES} if row.outdated else set())
        return wanted - later

    @staticmethod
    def _unasked(row: ChangeRow, parts: Collection[str]) -> frozenset[str]:
        """Return the parts of a row that are read before somebody asks for them."""
        return frozenset(parts) - ({THREADS} if row.threads > MOST_THREADS else set())

    def read_missing(self) -> None:
        """Read the missing parts of the row under the cursor, and of those around it."""
        row = self.place.rows.selected
        if row is not None and (wanted := self._wanted(row)):
            self.read(row, wanted)
        self._read_around()

    def show_facts(self) -> None:
        """Show the facts of the row under the cursor in the details."""
        self.place.threads.show_again()
        row = self.place.rows.selected
        if row is None:
            self.place.facts.show([], title=DETAILS)
            return
        known = self.shown(row)
        looked = self.place.session.snoozed.looks.get(row.id)
        now, asked = self.place.session.now, self.known.asked_me(row)
        found = facts(
            row,
            self.place.known.space_title(row.space),
            now,
            known,
            looked,
            asked=asked,
            keys=not self.place.session.read_only,
            marks=self.known.marks(row),
        )
        self.place.facts.show(found, title=f"{row.label} {row.subject}", about=row.id)

    def open_threads(self) -> tuple[list[Fact], str, str]:
        """Return the open threads of the row under the cursor, their title, and the row's id."""
        row = self.place.rows.selected
        if row is None:
            return [], OPEN_THREADS, ""
        known = self.known.details(row)
        count = present.open_threads(row, known)
        title = f"{OPEN_THREADS} {count}" if count else OPEN_THREADS
        return present.thread_facts(row, known, self.place.session.now), title, row.id

    def shown(self, row: ChangeRow) -> RequestDetails | None:
        """Return what the pane shows of a row."""
        known = self.known.details(row)
        if known is not None and known.stuck != self.stuck(row):
            known = replace(known, stuck=self.stuck(row))
        return None if known is None else replace(known, impact=self.impact_of(row))

    def impact_of(self, row: ChangeRow) -> str:
        """Return what it does to links in words, "" while that is not read."""
        at, said = self._impacts.get(row.id, (None, ""))
        return said if at == row.updated else ""

    def look_at_links(self) -> None:
        """Read what the row under the cursor does to links: a request for each changed page."""
        row = self.place.rows.selected
        if row is not None and row.status != "merged" and not self.impact_of(row):
            self._read_impact(row)

    def _read_impact(self, row: ChangeRow) -> None:
        async def read(api: Api) -> str:
            from copydesk.session.reads.impact import read_impact
            from copydesk.session.reads.review import read_request

            opened = await read_request(api, row.space, row.id)
            return impact_line(await read_impact(api, row.space, row.id, opened.changes))

        def arrived(said: str) -> None:
            if len(self._impacts) >= KEPT_IMPACTS:
                self._impacts.clear()
            self._impacts[row.id] = row.updated, said

        self.place.reads.load("impact", read, arrived, what="Reading who links to it")

    def read(self, row: ChangeRow, parts: Collection[str] = ALL_PARTS) -> None:
        """Read the details of a row; the old ones stay until the answer comes."""

        async def read(api: Api) -> RequestDetails:
            return await self.known.read(api, self.place.scope, row, parts)

        def arrived(details: RequestDetails) -> None:
            before = self.known.details(row)
            self.known.keep(row, details)
            # Judging a row anew reads it again: without news that would never end.
            if not _tell_the_same(before, self.known.details(row)):
                self.place.triage.learned([row])

        def failed(text: str) -> None:
            if self.known.details(row) is None:
                self.known.keep(row, RequestDetails(missing=text))
                self.show_facts()

        self.place.reads.load(
            "details", read, arrived, what=f"Reading {row.label}", of=row.id, failed=failed,
            after=REST_SECONDS,
        )  # fmt: skip

    # Reading parts of many

    def _read_around(self) -> None:
        """Read the rest about the row, and fill the cells on screen, once the cursor stays."""
        self.place.reads.load(
            "around", self._read_visible, self._read_them, what="Reading the rules",
            after=STAY_SECONDS, kept="away",
        )  # fmt: skip

    @property
    def _parts_shown(self) -> frozenset[str]:
        shown = self.place.rows.columns_shown
        return frozenset(each.part for column, each in DETAIL_COLUMNS.items() if column in shown)

    def _read_them(self, some: bool) -> None:
        if some:
            self.place.triage.count_views()

    async def _read_visible(self, api: Api) -> bool:
        """Read the missing parts of the row under the cursor, then of the visible ones.

        Of the others only what their columns show, while the service has requests to spare.
        """
        row = self.place.rows.selected
        some = row is not None and await self._read_rows(api, [row], self._unasked(row, ALL_PARTS))
        parts = self._parts_shown
        if not (parts and self.place.session.may_spend):
            return some
        wanted = [row for row in rows_around(self.place.rows) if
                  row.threads <= MOST_THREADS and
                  self.known.due(row, parts if row.threads else parts - {THREADS})]  # fmt: skip
        for at in range(0, len(wanted), AT_ONCE):
            await self.place.reads.rested()
            await self._read_rows(api, wanted[at : at + AT_ONCE], parts)
        return some or bool(wanted)

    async def _read_rows(self, api: Api, rows: Sequence[ChangeRow], parts: Collection[str]) -> bool:
        due = [row for row in rows if self.known.due(row, parts)]
        before = {row.id: self.known.details(row) for row in due}
        await self.known.read_rows(api, self.place.scope, due, parts)
        # Judging rows anew leads here again: without news that would never end.
        if news := [r for r in due if not _tell_the_same(before[r.id], self.known.details(r))]:
            self.place.triage.learned(news)
        return bool(due)

    def poll(self) -> None:
        """Read again what a poll is for: what others say of the row under the cursor, each time.

        Of the other rows on screen a few are read again whose turn it is. One that the list tells
        is another now (a verdict and a request for one change it) is read at once, wherever it is.
        """
        limit = self.place.session.clock() - timedelta(seconds=FRESH_SECONDS)
        old = [
            (found.read_at, row)
            for row in rows_around(self.place.rows)
            if (found := self.known.details(row)) is not None
            and found.read_at is not None
            and found.read_at < limit
        ]
        for _, oldest in sorted(old, key=lambda each: each[0])[:AT_ONCE]:
            self.known.forget(oldest)
        row = self.place.rows.selected
        if row is not None:
            told = {RULES, THREADS} if row.threads else {RULES}
            due = self.known.due(row, self._unasked(row, ALL_PARTS))
            self.read(row, due or self._unasked(row, told))
        self._read_around()


def _tell_the_same(one: RequestDetails | None, other: RequestDetails | None) -> bool:
    """Whether two readings of a row say the same, whenever they were made."""
    if one is None or other is None or (one.read_at is None) != (other.read_at is None):
        return one is other
    return replace(one, read_at=other.read_at) == other


PAGE = 200
"""Rows read at once."""


PULSE = ("open", "draft")
"""The views whose counts are read with each poll: nothing comes or goes but through them."""


class RowReader:
    """Reads the rows of a view, paged as the service lists it or sorted here, and the counts."""

    def __init__(self, place: ChangesPlace) -> None:
        self.place = place
        self._counted: datetime | None = None
        self._order = SERVED, False
        """The order that the rows on screen are in; another may be on its way."""
        self._sorting: object | None = None
        self.kept = KeptView()
        """The view as the last run has left it."""
        self._kept_at: dict[str, datetime] = {}

    def _snapshot(self, listing: Listing) -> str:
        organization = self.place.organization or ""
        return snapshot_name(self.place.target, organization, listing.id)

    def last_run(self) -> ListSource[ChangeRow] | None:
        """Return the rows of the last time, shown until the service answers."""
        self.kept = recall(self.place.session.snapshot, self._snapshot(self.place.listing))
        self.place.known.titles = dict(self.kept.titles)
        self._kept_at = {row.id: row.updated for row in self.kept.rows}
        self.place.cached = bool(self.kept.rows)
        return ListSource(self.kept.rows, key=lambda row: row.id) if self.kept.rows else None

    def cell(self, row: ChangeRow, column: str) -> str | Text:
        """Return a cell that takes reading; until then what it was in the last run."""
        cell = DETAIL_COLUMNS[column].cell(row, self.place.known.details(row))
        if str(cell) != present.UNREAD or self._kept_at.get(row.id) != row.updated:
            return cell
        kept = self.kept.cells[row.id].get(column)
        return cell if kept is None else Text(*kept)

    def cells(self, row: ChangeRow) -> Mapping[str, tuple[str, str]]:
        """Return the text and the style of the cells that took reading."""
        cells = {column: self.cell(row, column) for column in DETAIL_COLUMNS}
        return {
            column: (cell, "") if isinstance(cell, str) else (cell.plain, str(cell.style))
            for column, cell in cells.items()
            if str(cell) != present.UNREAD
        }

    @property
    def _from_last_run(self) -> bool:
        return self._order == (SERVED, False) and isinstance(
            self.place.rows.source.base, ListSource
        )

    def keep_shown(self, *, ends: bool = False) -> None:
        """Keep the rows that are shown, and what stands around them, for the next start.

        Not those of the last run, nor what is only part of the view. In a thread until it ends.
        """
        place = self.place
        rows = list(islice(place.rows.source.shown(), KEPT))
        partial = place.rows.found or self._order != (SERVED, False)
        if ends and place.target.organization is None:
            return  # the reader may be in another one by now
        if place.cached or partial or not (rows or place.rows.source.base.complete):
            return
        view = KeptView(
            rows,
            {row.space: place.known.space_title(row.space) for row in rows},
            place.triage.total,
            {name: count for name, count in place.counts.items() if count is not None},
            place.triage.last_lines() if place.rows.source.base.complete else (),
            {row.id: self.cells(row) for row in rows},
        )
        name = self._snapshot(place.listing)

        if ends:
            keep(place.session.snapshot, name, view)
        else:
            begin(
                place, asyncio.to_thread, keep, place.session.snapshot, name, view,
                group="snapshot", exit_on_error=False,
            )  # fmt: skip

    def _read_first(self) -> None:
        """Read the first page behind the rows of the last run, and put it in their place."""
        fetch = self._fetch(self.place.listing)

        def arrived(answer: Answer) -> None:
            source = self.paged()
            source.begin_with(answer)
            self.place.cached = False
            self._swap(source)
            self.place.triage.check()

        self.place.reads.load(
            "rows", lambda api: fetch(None, PAGE), arrived, what="Reading change requests"
        )

    def paged(self) -> PagedSource[ChangeRow]:
        """Return the rows of the view as the service lists them."""
        fetch, caches = self._fetch(self.place.listing), self.place.session.caches
        return PagedSource(fetch, key=lambda row: row.id, limit=PAGE, caches=caches)

    def _fetch(self, listing: Listing) -> Fetch[ChangeRow]:
        async def fetch(token: str | None, limit: int) -> Answer:
            from copydesk.session.reads import change_requests as reading

            api = await self.place.session.ready()
            me = self._me(listing)
            if me is None or self.place.nowhere:
                return [], None, 0
            answer = await reading.read_page(
                api, self.place.scope, listing, me, token=token, limit=limit
            )
            self.place.session.fresh()
            self._name_spaces(answer[0])
            return answer

        return fetch

    def _name_spaces(self, rows: Iterable[ChangeRow]) -> None:
        """Read what the spaces of rows are called; the rows need not wait for it."""
        ids = {row.space for row in rows} | {self.place.target.space or ""}
        if ids <= self.place.known.spaces.known.keys() | {""}:
            return

        async def read(api: Api) -> None:
            await self.place.known.spaces.learn(api, self.place.scope.organization, ids)

        self.place.reads.load(
            "spaces", read, lambda _: self._learned(), what="Reading the names of spaces",
            kept="away",
        )  # fmt: skip

    def _learned(self) -> None:
        self.place.rows.source.base.notify("rows")
        self.keep_shown()

    def _me(self, listing: Listing) -> str | None:
        """Return the id of the reader, "" where a view does not need it, None if not known."""
        if not listing.who and not listing.personal:
            return ""
        if self.place.session.me is None:
            self.place.show_views()
            self.place.say(
                "This service does not say who you are: Needs me is off; f shows other views.",
                "warn",
            )
            return None
        return self.place.session.me.id

    def restart(self) -> None:
        """Show another view from its top, in its order."""
        self._order = SERVED, False
        self._swap(self.paged(), keep_cursor=False)
        self.show_order()

    def show_order(self) -> None:
        """Show the view in its order: as the service lists it, or all of it sorted here."""
        self.place.name_order()
        self.place.reads.cancel("rows")
        self.place.cached = False
        if self.place.sort == SERVED and not self.place.backwards:
            self._sorting, self._order = None, (SERVED, False)
            self.place.reads.cancel("sort")
            self._swap(self.paged())
            self.place.triage.check()
            return
        self._read_sorted(self._sorted)

    def _sorted(self, rows: list[ChangeRow]) -> None:
        self._swap(ListSource(rows, key=lambda row: row.id))
        self.place.triage.check()

    def _swap(self, source: Source[ChangeRow], *, keep_cursor: bool = True) -> None:
        """Show other rows; the filter stays, and the cursor where its row is read at once."""
        text, old = self.place.rows.found, self.place.rows.source.base
        selected = self.place.rows.selected_id if keep_cursor else None
        shown = [row.id for row in self.place.rows.source.shown()] if keep_cursor else ()
        self.place.rows.source = source
        self.place.rows.triage.presumed = frozenset(shown)
        if isinstance(old, PagedSource):
            old.close()
        self.place.rows.find(text)
        if selected is not None and not self.place.rows.select(selected):
            self._select_later(source, selected)
        self.place.rows.retitle()

    def _select_later(self, source: Source[ChangeRow], row_id: str) -> None:
        """Put the cursor back on a row if the first rows that arrive have it."""

        def changed(change: Change) -> None:
            if source.loaded:
                stop()
                self.place.call_later(self.place.rows.select, row_id)

        stop = source.subscribe(changed)

    def _read_sorted(self, then: Callable[[list[ChangeRow]], object]) -> None:
        """Read all of a view and sort it; until then the rows stay as they are."""
        listing, sort, backwards = self.place.listing, self.place.sort, self.place.backwards
        run = self._sorting = object()

        async def read(api: Api) -> list[ChangeRow]:
            from copydesk.session.reads import change_requests as reading

            stopped: tuple[type[BaseException], ...] = (asyncio.CancelledError, *failure_types())
            me = self._me(listing)
            if me is None:
                return []
            try:
                scope = self.place.scope
                rows = await reading.read_all(api, scope, listing, me, progress)
                await self.place.known.spaces.learn(
                    api, scope.organization, {row.space for row in rows}
                )
                await self._read_for_order(api, rows, sort)
            except stopped:
                if self._sorting is run:
                    # Stopped, or failed: the rows are in the order that they were in before.
                    self.place.sort, self.place.backwards = self._order
                    self.place.name_order()
                raise
            return present.sorted_rows(
                rows,
                sort,
                self.place.known.spaces.title,
                backwards=backwards,
                known=self.place.known.last_details,
            )

        def progress(count: int) -> None:
            self.place.rows.note = f"sorting by {present.ORDERS[sort].title}, {count:,} read"
            self.place.rows.retitle()

        def arrived(rows: list[ChangeRow]) -> None:
            self._order = sort, backwards
            self.place.name_order()
            then(rows)

        self.place.reads.load("sort", read, arrived, what="Reading all to sort them", kept="never")

    async def _read_for_order(self, api: Api, rows: Sequence[ChangeRow], sort: str) -> None:
        """Read what an order compares of rows, a few at a time, and say how far that is."""
        parts = present.ORDERS[sort].needs
        due = [row for row in rows if parts and self.place.known.due(row, parts)]
        for at in range(0, len(due), AT_ONCE):
            self.place.rows.note = (
                f"sorting by {present.ORDERS[sort].title}, checked {len(rows) - len(due) + at} of "
                f"{len(rows)}"
            )
            self.place.rows.retitle()
            await self.place.known.read_rows(api, self.place.scope, due[at : at + AT_ONCE], parts)

    # Refreshing

    def reload(self) -> None:
        """Read the rows, the counts and the details again. Nothing moves under the cursor."""
        self.place.known.forget()
        self.place.known.spaces.forget()
        base = self.place.rows.source.base
        if self.place.rows.source.filtering:
            base.notify("rows")
        self.place.triage.check()
        if self._from_last_run:
            self._read_first()
        elif isinstance(base, PagedSource):
            self.place.reads.load("rows", lambda api: self._refresh(api, base), self._refreshed,
                      what="Reading change requests")  # fmt: skip
        elif isinstance(base, ListSource):
            self._read_sorted(lambda rows: self._merge(base, rows))
        self.count()
        self.place.look()

    def poll(self) -> None:
        """Read quietly what others did: a page of rows, who is asked, the counts that tell most.

        Then the details of rows that are due (`DetailsReader.poll`). All counts are read when some
        are others, and once a minute; a long sorted list is not read.
        """
        base = self.place.rows.source.base
        if self._from_last_run:
            self._read_first()
        elif isinstance(base, PagedSource):
            self.place.reads.load("rows", lambda api: self._poll_pages(api, base), self._polled,
                      what="Reading again")  # fmt: skip
        elif isinstance(base, ListSource) and base.loaded <= PAGE:
            self._read_sorted(lambda rows: self._polled(self._merge(base, rows)))
        else:
            self.place.details.poll()
        self.place.reads.load("pulse", self._feel, self._felt, what="Reading what else is new")

    async def _feel(self, api: Api) -> bool:
        """Read the counts of who is asked, open ones and drafts; return whether one has changed.

        A request comes to the other statuses from those only, so that their counts are read again
        only when these have changed.
        """
        from copydesk.session.reads import change_requests as reading

        before, scope = dict(self.place.counts), self.place.scope
        if await self.place.known.ask_again(api, scope):
            self.place.rows.triage.again()
        for listing in self.place.view_listings():
            if listing.id in PULSE and listing.id != self.place.view:
                self.place.counts[listing.id] = await reading.read_count(api, scope, listing, "")
        return any(
            self.place.counts[each] != before.get(each)
            for each in PULSE
            if each in self.place.counts
        )

    def _felt(self, others: bool) -> None:
        now = self.place.session.clock()
        self.place.triage.count_views()
        old = self._counted is None or now - self._counted >= timedelta(seconds=COUNT_SECONDS)
        if old:
            self.place.known.spaces.forget()
        if others or old:
            self.count()

    async def _refresh(self, api: Api, base: PagedSource[ChangeRow]) -> None:
        await base.refresh()
        await self._ask_where(api, base, base.missing | self.place.left)

    async def _poll_pages(self, api: Api, base: PagedSource[ChangeRow]) -> bool:
        """Refresh the pages; return whether rows came or went since the time before."""
        before = base.waiting, base.missing
        await base.refresh()
        # What is known to have left is asked about by hand only: it costs a request each.
        await self._ask_where(api, base, base.missing - self.place.left)
        return before != (base.waiting, base.missing)

    def _polled(self, others: bool) -> None:
        base = self.place.rows.source.base
        # Rows that came or left are shown later: the service has counted them already.
        known = not self.place.listing.filter and not base.waiting and not base.missing
        if known and (count := base.count) is not None:
            self.place.counts[self.place.view] = count
        self.place.details.poll()
        self.place.triage.check()
        self.place.triage.count_views()
        if others:
            self.count()

    def _merge(self, base: ListSource[ChangeRow], rows: list[ChangeRow]) -> bool:
        """Take rows that were read again; return whether rows left."""
        base.merge(rows)
        gone = base.missing - self.place.left
        if gone:
            self.count()
            self.place.reads.load(
                "gone", lambda api: self._ask_where(api, base, gone), self._refreshed,
                what="Reading what left the view", kept="never",
            )  # fmt: skip
        return bool(gone)

    async def _ask_where(self, api: Api, base: Source[ChangeRow], ids: Iterable[str]) -> None:
        """Read rows that a refresh did not bring, so that each says what became of it."""
        for row_id in list(ids):
            at = base.index_of(row_id)
            row = None if at is None else base.row(at)
            if row is None:
                self.place.left.discard(row_id)
                continue
            try:
                fresh = await self.place.reread(api, row)
            except (Forbidden, NotFound):
                fresh = replace(row, status="gone")
                self.place.put(fresh)
            if fresh != row:
                base.fresh.add(row_id)

    def _refreshed(self, nothing: None) -> None:
        self.place.triage.check()
        self.place.triage.count_views()

    def take_in(self) -> None:
        """Read the rows again and show new ones made here at once; the cursor keeps its row."""
        base = self.place.rows.source.base
        if self._from_last_run:
            self._read_first()
        elif isinstance(base, PagedSource):
            self.place.reads.load("rows", lambda api: base.refresh(), lambda _: base.fold(),
                      what="Reading change requests")  # fmt: skip
        elif isinstance(base, ListSource):

            def put(rows: list[ChangeRow]) -> None:
                base.merge(rows)
                base.fold()

            self._read_sorted(put)

    def count(self) -> None:
        """Count the views."""

        async def read(api: Api) -> None:
            from copydesk.session.reads import change_requests as reading

            scope = self.place.scope
            me = self.place.session.me
            for listing in self.place.view_listings():
                if listing.filter or (listing.personal and me is None):
                    continue
                count = await reading.read_count(api, scope, listing, me.id if me else "")
                self.place.counts[listing.id] = count
                if count is None:
                    break
            await self.place.triage.read_for_counts(api)

        def counted(nothing: None) -> None:
            self.place.triage.count_views()
            self.keep_shown()

        self._counted = self.place.session.clock()
        self.place.reads.load("counts", read, counted, what="Counting", kept="away")
