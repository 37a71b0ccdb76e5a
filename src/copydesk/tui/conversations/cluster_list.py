"""The list of the clusters: its orders, how its weeks are drawn, the cluster that is meant, and the
change requests that answer them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.text import Text

from copydesk.domain.filter import UNKNOWN, Number
from copydesk.present import cluster as present
from copydesk.present.cluster import SORTS, merge_weeks
from copydesk.session.change_rows import readiness
from copydesk.session.cluster_rows import (
    WEEKS,
    ClusterMerge,
    ClusterRow,
    RequestRow,
    merge_of,
    request_row,
)
from copydesk.session.reads import clusters as reading
from copydesk.tui.conversations.cluster_edits import ClusterKeys
from copydesk.tui.conversations.reader import REST_SECONDS, ConversationReader
from copydesk.tui.conversations.rows import (
    WORDS,
    Sources,
    asked_of_search,
    cluster_fields,
    filtering,
    hit_column,
)
from copydesk.tui.framework.paged_source import Fetch, PagedSource
from copydesk.tui.framework.place import View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.resource.limits import Limits
from copydesk.tui.widgets.list import Column, VirtualList, unspoken

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ClusterOrder
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.present.facts import Fact
    from copydesk.tui.framework.place import Place
    from copydesk.tui.widgets.list import VirtualList


STAY_SECONDS = 0.4
"""How long the cursor stays on a cluster before the rules of its open requests are read."""


class ClusterRequests:
    """What is known of the change requests of the clusters of a place, read as it is needed."""

    rows: VirtualList[ClusterRow]
    """The list of the clusters, which shows the counts."""

    def __init__(
        self, place: Place, reader: ConversationReader, changed: Callable[[], None]
    ) -> None:
        self._place = place
        self._reader = reader
        self._changed = changed
        """Shows the facts of the cluster under the cursor."""
        self.counts: dict[str, str] = {}
        """Open change requests by cluster, as they are shown."""
        self.drafts: Mapping[str, int] = {}
        """How many drafts there are, by cluster."""
        self._opened: Collection[str] | None = None
        """The clusters with an open change request, where all of those were read."""
        self.width = 3
        """Cells that the counts take."""
        self._found: dict[str, Sequence[RequestRow]] = {}
        """The change requests of the clusters that were looked at."""
        self.merges: dict[str, dict[str, ClusterMerge]] = {}
        """What was merged for clusters, by the id of the request."""
        self.analysed = (0, 0)
        """How many of the latest conversations are being analysed, and of how many."""
        self.analysis: reading.Analysis | None = None
        """How far the search for clusters is, where the service tells that."""
        self._refused: dict[str, str] = {}
        """Why the change requests of a cluster could not be read."""
        self._unread: dict[str, Sequence[ChangeRequest]] = {}
        """Change requests of clusters whose rules are still to be read."""
        self._more: dict[str, str] = {}
        """How many of a cluster's change requests are not listed."""
        self._old: set[str] = set()
        """Clusters whose change requests may have changed since they were read."""
        self.sift: Callable[[], None] = lambda: None
        """Looks again which clusters are in the view."""
        self._left = False
        self._counting: set[str] = set()
        self._stale: set[str] = set()

    def facts_of(self, row: ClusterRow) -> list[Fact]:
        """Return the facts of a cluster, with its change requests."""
        reader = self._reader
        return present.cluster_facts(
            row,
            reader.now,
            self._found.get(row.id, self._refused.get(row.id)),
            self.merges.get(row.id, {}).values(),
            self._more.get(row.id, ""),
            masked=reader.masked,
        )

    def of(self, row: ClusterRow) -> Sequence[RequestRow]:
        """Return the change requests that are known to answer a cluster."""
        return self._found.get(row.id, ())

    def cell(self, cluster: str) -> Text:
        """Return the counts of a cluster's change requests: open, draft, merged."""
        drafts, merged = self.drafts.get(cluster, 0), len(self.merges.get(cluster, ()))
        return present.requests_cell(self.counts.get(cluster), drafts, merged)

    def _show_counts(self, *told: ClusterRow) -> None:
        """Draw the counts, as wide as they are by now: those of clusters, or all."""
        shown = [each.id for each in told] or self.counts
        width = max((self.cell(each).cell_len for each in shown), default=0)
        if width > self.width:
            self.width = width
            self.rows.columns = tuple(
                replace(each, width=width) if each.key == "requests" else each
                for each in self.rows.columns
            )
            self.rows.refresh_rows()
        elif told:
            self.rows.redraw(told)
        else:
            self.rows.refresh_rows()

    def count_open(self, cluster: str) -> Number:
        """Return the number of a cluster's open change requests, unknown until they are counted."""
        count = self.counts.get(cluster)
        if count is None:
            return UNKNOWN
        return int(count.rstrip("+")) if count[:1].isdigit() else None

    def merged_in(self, row: ClusterRow) -> Collection[int]:
        """Return the weeks of a pulse in which something was merged for its cluster."""
        merges = self.merges.get(row.id)
        if not merges:
            return ()
        return merge_weeks(merges.values(), self._reader.now, len(row.pulse))

    def taken(self, cluster: str) -> bool | None:
        """Whether a cluster has an open change request or a draft; None where that is not known."""
        if self.drafts.get(cluster):
            return True
        count = self.counts.get(cluster)
        if count is None or (cluster in self._stale and self._opened is not None):
            return None if self._opened is None else cluster in self._opened
        return None if count == "-" else count != "0"

    async def count_all(self, api: Api, clusters: Sequence[str]) -> None:
        """Count the open change requests of clusters that were not counted. Raises ``ApiError``."""
        organization = self._reader.organization
        missing = [each for each in clusters if each not in self.counts or each in self._stale]
        if organization and missing:
            await reading.count_requests(api, organization, missing, self._count)

    def _count(self, cluster: str, count: str) -> None:
        self.counts[cluster] = count
        self._stale.discard(cluster)

    def read_of(self, row: ClusterRow) -> None:
        """Read the change requests of a cluster once the cursor rests on it, if nobody has.

        They show as soon as they are there; the rules of open ones are read once it stays.
        """
        organization = self._reader.organization
        known = row.id in self._found and row.id not in self._old
        known = known and not self._place.reads.left_behind("requests", row.id)
        if known or not organization or self._place.session.api is None:
            if row.id in self._unread:
                self._read_readiness(row)
            return

        def arrived(found: reading.LatestRequests) -> None:
            self._old.discard(row.id)
            self._refused.pop(row.id, None)
            self._unread.pop(row.id, None)
            self._more[row.id] = found.more
            self.counts[row.id] = found.opened
            self._stale.discard(row.id)
            # How ready it was shows until that is known anew.
            ready = {old.id: old.ready for old in self.of(row) if old.status == "open"}
            self._found[row.id] = [
                request_row(request, ready.get(request.id)) for request in found.requests
            ]
            self._take_merges(row.id, found.requests)
            self._show_counts(row)
            if any(request.status == "open" for request in found.requests):
                self._unread[row.id] = found.requests
                self._read_readiness(row)
            self._changed()

        def failed(said: str) -> None:
            self._refused[row.id] = said
            self._changed()

        self._place.reads.load(
            "requests", lambda api: reading.find_requests(api, organization, row.id), arrived,
            what="Reading change requests", of=row.id, failed=failed, after=REST_SECONDS,
        )  # fmt: skip

    def _take_merges(self, cluster: str, requests: Sequence[ChangeRequest]) -> None:
        found = [merge for request in requests if (merge := merge_of(request)) is not None]
        if found:
            known = self.merges.setdefault(cluster, {})
            known.update((merge.id, merge) for merge in found)

    def _read_readiness(self, row: ClusterRow) -> None:
        requests = self._unread[row.id]

        def arrived(found: Sequence[RequestRow]) -> None:
            self._unread.pop(row.id, None)
            self._found[row.id] = found
            self._changed()

        def failed(_: str) -> None:
            unknown = readiness("open", None, outdated=False)
            arrived([request_row(each, unknown) for each in requests])

        self._place.reads.load(
            "readiness",
            lambda api: reading.read_readiness(api, requests, self._place.session.stuck), arrived,
            what="Reading merge rules", of=row.id, failed=failed, after=STAY_SECONDS,
        )  # fmt: skip

    def read_besides(self) -> None:
        """Read the latest merges and drafts of all clusters, and the progress of the analysis."""
        since = self._reader.now - timedelta(weeks=WEEKS)

        def here() -> str:
            # Asked by what reads: nobody knows it before the service has answered once.
            return self._reader.organization or ""

        def merged(found: dict[str, list[ClusterMerge]]) -> None:
            for cluster, merges in found.items():
                self.merges.setdefault(cluster, {}).update((each.id, each) for each in merges)
            self._show_counts()
            self._changed()
            self.sift()

        def analysed(found: tuple[int, int]) -> None:
            self.analysed = found
            self._place.refresh_frame()

        async def merges(api: Api) -> dict[str, list[ClusterMerge]]:
            return await reading.read_merges(api, here(), since)

        def drafted(found: Mapping[str, int]) -> None:
            self.drafts = found
            self._show_counts()
            self.sift()

        def opened(found: Collection[str] | None) -> None:
            self._opened = found
            self.sift()

        async def open_now(api: Api) -> Collection[str] | None:
            return await reading.find_taken(api, here())

        async def drafts(api: Api) -> Mapping[str, int]:
            return await reading.count_drafts(api, here())

        async def waiting(api: Api) -> tuple[int, int]:
            return await reading.count_analysed(api, here())

        self._place.reads.load("merges", merges, merged, what="Reading what was merged")
        self._place.reads.load("drafts", drafts, drafted, what="Counting drafts")
        self._place.reads.load("taken", open_now, opened, what="Reading what is open")

        def told(found: reading.Analysis) -> None:
            self.analysis = found
            self._place.refresh_frame()
            self.sift()

        async def analysis(api: Api) -> reading.Analysis:
            return await reading.read_analysis(api, here())

        self._place.reads.load("analysed", waiting, analysed, what="Counting conversations")
        if self._place.session.without(["get_conversations_analysis"]) is None:
            self._place.reads.load("analysis", analysis, told, what="Reading how far it is")

    def analysing_said(self) -> str:
        """Say how many conversations are being analysed; a service that tells of none says none.

        Where there is no cluster yet, none may have been processed at all.
        """
        if self.analysis is not None and self.analysis.said:
            return self.analysis.said
        waiting, looked = self.analysed
        if not waiting or (waiting == looked and self.rows.source.count):
            return ""
        more = "+" if waiting >= reading.LOOKED_AT else ""
        return f"{waiting}{more} being analysed: numbers may rise"

    def of_view(self, rows: Iterable[ClusterRow], view: str) -> list[ClusterRow]:
        """Return those of a view, as far as it is known what is in it."""
        now = self._reader.now
        return [
            row
            for row in rows
            if present.in_view(
                row, view, self.merges.get(row.id, {}).values(), now, taken=self.taken(row.id)
            )
        ]

    def none_there(self, found: Sequence[ClusterRow], view: str) -> str:
        """Return what to say where a view has no cluster, ``found`` being all that there are."""
        if found and view not in present.VIEWS_MEAN:
            return present.ALL_CLOSED
        if not found:
            told = self.analysis
            return present.none_yet(*() if told is None else (told.said, told.message))
        return present.none_in(present.VIEWS_MEAN[view])

    def doubt(self) -> None:
        """Read the change requests of clusters anew where the cursor is; the old ones show."""
        self._old = set(self._found)
        row = self.rows.selected
        if row is not None:
            self.read_of(row)

    def leave(self) -> None:
        """Take note of whether another place is gone to, where requests may be changed."""
        self._left = self._place.desk.here is not self._place

    def come_back(self) -> None:
        """Follow what became of the change requests meanwhile."""
        if self._left:
            self._left = False
            self.count_again()
            self.count_on_screen()
            self.doubt()

    def count_again(self) -> None:
        """Count anew what comes on screen; until then the old counts show."""
        self._stale = set(self.counts)

    def count_on_screen(self) -> None:
        """Count the change requests of the clusters on screen that are not counted yet.

        Those of the one under the cursor come with its change requests.
        """
        rows = self.rows
        top = rows.scroll_offset.y
        seen = [rows.source.row(at) for at in range(top, top + max(1, rows.page_lines))]
        missing = {
            row.id: row
            for row in seen
            if row is not None and (row.id not in self.counts or row.id in self._stale)
        }
        if self._place.reads.under_way("requests") and rows.selected_id is not None:
            missing.pop(rows.selected_id, None)
        organization = self._reader.organization
        if organization is None or self._place.session.api is None:
            return
        if missing.keys() <= self._counting:
            return
        self._counting = set(missing)

        def counted(cluster: str, count: str) -> None:
            self._count(cluster, count)
            if self._place.is_attached:
                self._show_counts(missing[cluster])

        self._place.reads.load(
            "counts",
            lambda api: reading.count_requests(api, organization, sorted(missing), counted),
            lambda _: self._counting.clear(),
            what="Counting change requests",
            of=" ".join(sorted(missing)),
            failed=lambda _: self._counting.clear(),
            after=REST_SECONDS,
        )


NUMBERS = 39
"""Cells that the weeks take as numbers at most: of longer ones the latest show."""

VIEWS = tuple(View(name, title) for name, title in present.VIEWS.items())
"""All clusters, and those that a support lead looks at on Monday."""

ORDERS: dict[str, tuple[ClusterOrder, str]] = {
    "issues": ("issues", "issues"),
    "conversations": ("conversations", "conversations"),
    "updated": ("updatedAt", "last changed"),
}
"""The orders of the service: what it calls them, and what a person does."""

TITLES: Mapping[str, str] = {name: title for name, (_, title) in ORDERS.items()} | dict(SORTS)
"""The orders of all clusters."""

FOUND = {"found": "most found"}
"""The order of clusters that were looked for by their conversations, besides the others."""


def titles_of(limits: Limits) -> Mapping[str, str]:
    """Return the orders that clusters have under conditions."""
    return {**TITLES, **FOUND} if limits.chosen else TITLES


def order_of(chosen: str | None, limits: Limits) -> str:
    """Return the order that was chosen, or the usual one where there is no such order now."""
    if chosen is not None and chosen in titles_of(limits):
        return chosen
    return "found" if WORDS in limits.chosen else "issues"


def order_said(order: str, limits: Limits, *, backwards: bool) -> str:
    """Return what the title says of an order; nothing of the usual one of all clusters."""
    if order == "issues" and not backwards:
        return ""
    return f"sort: {titles_of(limits)[order]}{', reversed' if backwards else ''}"


SEARCH = "search_issues_clusters"
"""The operation that finds clusters by conversations."""

TALLIED = 1_000
"""Clusters up to which all are read to say how many a view has."""

COUNTED = 200
"""Clusters whose change requests are counted to find those that nobody took."""


def columns(
    reader: ConversationReader,
    requests: ClusterRequests,
    digits: int | None,
    top: float | None,
    asked: Container[str] = (),
) -> list[Column[ClusterRow]]:
    """Return the columns of the list.

    The weeks are numbers of so many ``digits``, or a chart where that is None, each row on its own
    scale or all on that of ``top``. What was ``asked`` of conversations shows with how many were
    found, and words with the first of these.
    """
    found = [
        *([hit_column(reader.shown)] if WORDS in asked else ()),
        *([Column[ClusterRow]("found", "FOUND", found_cell, 5, align="right")] if asked else ()),
    ]
    if digits is not None:
        last = min(WEEKS, NUMBERS // (digits + 1))
        weeks = Column[ClusterRow](
            "weeks", f"{'' if last == WEEKS else 'LAST '}{last} WEEKS",
            lambda row: present.weeks(row, digits, requests.merged_in(row), last),
            last * (digits + 1),
        )  # fmt: skip
    else:
        weeks = Column(
            "weeks", present.week_heading(reader.now),
            lambda row: present.chart(row, top, requests.merged_in(row)), WEEKS,
            spoken=unspoken,
        )  # fmt: skip
    return [
        Column("name", "CLUSTER", lambda row: reader.shown(row.label), flex=1, minimum=26),
        *found,
        replace(weeks, drop=4) if WORDS in asked else weeks,
        Column("issues", "ISS", lambda row: str(row.issues), 4, align="right"),
        Column(
            "conversations", "CONV", lambda row: str(row.conversations), 4, align="right", drop=3
        ),
        Column("trend", "WEEK", present.trend_cell, 6, align="right", drop=1,
               spoken=present.rate_told),
        Column(
            "requests", "CRS",
            lambda row: requests.cell(row.id),
            requests.width, align="right", drop=2, spoken=present.requests_told,
        ),
    ]  # fmt: skip


def found_cell(row: ClusterRow) -> str:
    """Return in how many conversations of a cluster it is so that was asked for."""
    return "" if row.found is None else str(row.found)


class ClusterList(VirtualList[ClusterRow]):
    """Clusters. Its keys are offered while it has the focus: elsewhere it may be out of sight."""

    def __init__(
        self,
        place: Place,
        requests: ClusterRequests,
        *,
        conversations: Callable[[str], Iterable[str]],
        listed: Callable[[], None],
        open_issues: Callable[[], None],
        suggested: Callable[[], None],
        written: Callable[[str], None],
    ) -> None:
        """Make the list of a place. ``conversations`` gives those of a cluster that are known.

        ``listed`` is called when clusters were read, ``open_issues`` when one that was asked for is
        under the cursor, ``suggested`` shows the issues that look like its own, and
        ``written`` what became of a cluster.
        """
        self._here = place
        self._reader = place.commands_of(ConversationReader)
        self._requests = requests
        self._listed = listed
        self._open_issues = open_issues
        requests.rows, requests.sift = self, self.sift_again
        self.limits = Limits()
        """The conditions that a conversation of each cluster meets."""
        self.sources = Sources()
        """The sources that the clusters name."""
        self._chosen_order: str | None = None
        self._known: list[ClusterRow] = []
        """All clusters in the chosen order, where all were read."""
        self._tallied: int | None = None
        """So many clusters there were when those of each view were counted."""
        self.backwards = False
        self.same_scale = True
        self.wanted = place.target.cluster
        """The cluster to go to once it has been read."""
        self._written = ""
        """The cluster to go to once a write to it is read."""
        self._numbers = False
        self._highest = 0.0
        """Issues in the fullest week of the clusters that were read."""
        super().__init__(
            self._pages() if self.paged else ListSource(key=lambda row: row.id),
            self._columns(),
            title="Clusters",
            empty=present.none_yet() if self.paged else "Reading clusters…",
            reading="Reading clusters…",
            id="clusters",
        )
        self.fields = cluster_fields(
            self._reader,
            lambda: self.source.base.shown(),
            conversations,
            requests.count_open,
        )
        self.filter_of = filtering(self.fields)
        orders = partial(titles_of, self.limits)
        self.first = (ClusterKeys(self, self, place, self._reader, orders, suggested, written),)

    @property
    def order(self) -> str:
        """How they are sorted: by the service, one of `SORTS`, or by how many were found."""
        return order_of(self._chosen_order, self.limits)

    # The columns

    def _columns(self) -> list[Column[ClusterRow]]:
        digits = present.digits_of(self._highest) if self._numbers else None
        top = self._highest if self.same_scale else None
        return columns(self._reader, self._requests, digits, top, self.limits.chosen)

    def _fit_columns(self) -> None:
        self.columns = tuple(self._columns())
        self.refresh_rows()

    def _measure(self, rows: Sequence[ClusterRow]) -> None:
        """Keep the columns wide enough, and one scale for all, also for rows that come later."""
        self.sources.learn(name for row in rows for name in row.called)
        highest = max((week for row in rows for week in row.pulse), default=0.0)
        if highest > self._highest:
            self._highest = highest
            if self._numbers or self.same_scale:
                self._fit_columns()

    # Which there are, in which order

    def _pages(self) -> WatchedPages[ClusterRow]:
        return WatchedPages(
            self._page, self._scrolled, key=lambda row: row.id,
            reverse=partial(self._page, backwards=True),
        )  # fmt: skip

    def _scrolled(self) -> None:
        self._here.reads.moved(self)  # what is counted of the rows on screen follows, as details do

    @property
    def _service_order(self) -> ClusterOrder:
        return ORDERS[self.order][0] if self.order in ORDERS else "issues"

    @property
    def paged(self) -> bool:
        """Whether they are shown as the service lists them, page by page."""
        whole = self._here.view == "all" and not self.limits.chosen
        return whole and self.order in ORDERS and not self.backwards

    async def _page(
        self, token: str | None, limit: int, *, backwards: bool = False
    ) -> tuple[list[ClusterRow], str | None, int | None]:
        api = await self._here.session.ready()
        organization = self._reader.organization
        if organization is None:
            return [], None, 0
        page = await reading.read_page(
            api, organization, self._service_order, token, limit, backwards=backwards
        )
        self._here.session.fresh()
        self._measure(page[0])
        return page

    def show_view(self) -> None:
        """Show the clusters of the view. For any but all of them every cluster is read."""
        self._tallied = None
        self._fit_columns()
        if self.paged:
            self.source = self._pages()
            self.empty = self._requests.none_there((), "all")
            self._say_order()
            self.move_first()
        else:
            self.read_all()

    def forget_known(self) -> None:
        """Forget the clusters that were read for other limits, and how many each view had."""
        self._known = []
        self._here.set_views(VIEWS, self._here.view)
        self._fit_columns()

    def _say_order(self) -> None:
        words = order_said(self.order, self.limits, backwards=self.backwards)
        scale = "" if self.same_scale else "each on its own scale"
        self.note = "   ".join(filter(None, (self.limits.line(), words, scale)))
        self.retitle()

    async def all_of(self, api: Api) -> list[ClusterRow]:
        """Read all clusters, and what the view goes by, in the chosen order."""
        organization = self._reader.organization
        if not organization:
            return []
        asked = asked_of_search(self.limits.conditions, self.sources)
        rows = await reading.read_all(api, organization, self._service_order, asked)
        # Working out many intervals takes a moment: not on the way of a key.
        rows = await asyncio.to_thread(present.in_order, rows, self.order, backwards=self.backwards)
        if self._here.view == "untaken":
            await self._requests.count_all(api, [row.id for row in rows[:COUNTED]])
        self._measure(rows)
        return rows

    def read_all(self) -> None:
        """Read all clusters, and show those of the view in the chosen order."""
        self._here.reads.load("clusters", self.all_of, self._sorted, what="Reading all clusters")

    def _sorted(self, found: list[ClusterRow]) -> None:
        self._known = found
        here, self._written = self.wanted or self._written or self.selected_id, ""
        rows = self._requests.of_view(found, self._here.view)
        if self.wanted is not None and all(row.id != self.wanted for row in rows):
            self._here.set_views(self._here.views, "all")  # where it is, whatever it is like
            rows = self._requests.of_view(found, self._here.view)
        self.source = WatchedRows(rows, self._scrolled, key=lambda row: row.id)
        self.empty = self._none_there()
        self._say_order()
        self._listed()
        wanted, self.wanted = self.wanted, None
        if here is not None and not self.select(here) and wanted is not None:
            self._here.say("Not found: the cluster was deleted or joined.", "warn")
        elif wanted is not None:
            self._open_issues()
        self._tally()

    def _none_there(self) -> str:
        if self.limits.chosen and not self._known:
            return self.limits.none_so()
        return self._requests.none_there(self._known, self._here.view)

    def show_written(self, cluster: str = "") -> None:
        """Read the clusters again after a write, and go to one."""
        self._written = cluster
        self.read_all()

    def merge_known(self, found: list[ClusterRow]) -> None:
        """Take in all clusters as they are by now; nothing moves."""
        self._known = found
        if isinstance(base := self.source.base, ListSource):
            base.merge(self._requests.of_view(found, self._here.view))
        self._tally()

    def sift_again(self) -> None:
        """Look again which of the clusters are in the view: more is known of them."""
        if self._known:
            self.merge_known(self._known)
        empty = self._none_there()
        if empty != self.empty:
            self.empty = empty
            self.refresh_rows()

    def tally(self) -> None:
        """Read all clusters, where they are few, to say how many a view has."""
        count = self.source.base.count
        if count in (None, self._tallied) or count > TALLIED or not self.paged:
            return

        def known(rows: list[ClusterRow]) -> None:
            self._known, self._tallied = rows, count
            self._tally()

        self._here.reads.load(
            "tally", self.all_of, known, what="Counting clusters", quiet=True, kept="never"
        )

    def _tally(self) -> None:
        """Say how many clusters each view has, as far as that is known."""
        counts = {
            each.id: len(self._requests.of_view(self._known, each.id))
            for each in VIEWS
            if each.id != "untaken" or self._here.view == each.id or self._counted()
        }
        views = [View(each.id, each.title, counts.get(each.id)) for each in VIEWS]
        if list(self._here.views) != views:
            self._here.set_views(views, self._here.view)

    def _counted(self) -> bool:
        """Whether it is known of every cluster whether somebody took it."""
        return all(self._requests.taken(row.id) is not None for row in self._known)

    # How it looks

    def scale(self, *, same: bool) -> None:
        """Draw all charts on one scale, or each on its own."""
        self.same_scale = same
        self._say_order()
        self._fit_columns()

    def sort_by(self, order: str) -> None:
        """Show the clusters in one of their orders."""
        self._chosen_order, self.backwards = order, False
        self.show_view()

    def reverse(self) -> None:
        """Turn the order round."""
        self.backwards = not self.backwards
        self.show_view()

    def turn_numbers(self) -> None:
        """Show the weeks as numbers, and as a chart again."""
        self._numbers = not self._numbers
        self._fit_columns()


T = TypeVar("T")


class WatchedPages(PagedSource[T], Generic[T]):
    """Pages that also tell when other rows of theirs are on screen."""

    def __init__(
        self,
        fetch: Fetch[T],
        watch: Callable[[], None],
        *,
        key: Callable[[T], str],
        reverse: Fetch[T] | None = None,
    ) -> None:
        super().__init__(fetch, key=key, reverse=reverse)
        self._watch = watch

    def want(self, first: int, last: int) -> None:
        super().want(first, last)
        self._watch()


class WatchedRows(ListSource[T], Generic[T]):
    """Rows in memory that tell when others of them are on screen."""

    def __init__(
        self, rows: Iterable[T], watch: Callable[[], None], *, key: Callable[[T], str]
    ) -> None:
        super().__init__(rows, key=key)
        self._watch = watch

    def want(self, first: int, last: int) -> None:
        self._watch()
