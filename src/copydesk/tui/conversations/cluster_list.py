"""The list of the clusters: its orders, how its weeks are drawn, and the cluster that is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from copydesk.present import cluster as present
from copydesk.present.cluster import SORTS
from copydesk.session.cluster_rows import WEEKS, ClusterRow
from copydesk.session.options import Option
from copydesk.session.reads import clusters as reading
from copydesk.tui.conversations.cluster_requests import ClusterRequests
from copydesk.tui.conversations.reader import ConversationReader
from copydesk.tui.conversations.rows import cluster_fields, filtering
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.paged_source import Fetch, PagedSource
from copydesk.tui.framework.place import View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ClusterOrder
    from copydesk.tui.framework.place import Place

EMPTY = (
    "No clusters yet. They appear after conversations are sent in (by an integration, or with "
    "“copydesk conversations send file.json”)."
)
"""Stands where clusters would."""

NUMBERS = 39
"""Cells that the weeks take as numbers at most: of longer ones the latest show."""

VIEWS = (
    View("issues", "By issues"),
    View("conversations", "By conversations"),
    View("updated", "Recently updated"),
)
"""Each is an order of the service."""

ORDERS: dict[str, ClusterOrder] = {
    "issues": "issues",
    "conversations": "conversations",
    "updated": "updatedAt",
}
"""What the service calls the orders of the views."""


def columns(
    reader: ConversationReader, requests: ClusterRequests, digits: int | None, top: float | None
) -> list[Column[ClusterRow]]:
    """Return the columns of the list.

    The weeks are numbers of so many ``digits``, or a chart where that is None, each row on its own
    scale or all on that of ``top``.
    """
    if digits is not None:
        last = min(WEEKS, NUMBERS // (digits + 1))
        weeks = Column[ClusterRow](
            "weeks", f"{'' if last == WEEKS else 'LAST '}{last} WEEKS",
            lambda row: present.weeks(row, digits, requests.merged_in(row), last),
            last * (digits + 1),
        )  # fmt: skip
    else:
        weeks = Column(
            "weeks", "13 WEEKS", lambda row: present.chart(row, top, requests.merged_in(row)),
            WEEKS,
        )  # fmt: skip
    return [
        Column("name", "CLUSTER", lambda row: reader.shown(row.label), flex=1, minimum=14),
        weeks,
        Column("issues", "ISS", lambda row: str(row.issues), 4, align="right"),
        Column(
            "conversations", "CONV", lambda row: str(row.conversations), 4, align="right", drop=3
        ),
        Column("trend", "TREND", present.trend_cell, 6, align="right", drop=1),
        Column(
            "requests", "CRS",
            lambda row: requests.cell(row.id),
            requests.width, align="right", drop=2,
        ),
    ]  # fmt: skip


def no_row(rows: ClusterList) -> str | None:
    """Say so when the cursor is on no cluster."""
    return None if rows.selected is not None else "There is no cluster here."


class ClusterList(VirtualList[ClusterRow], scope="cluster_list"):
    """Clusters. Its keys are offered while it has the focus: elsewhere it may be out of sight."""

    def __init__(
        self,
        place: Place,
        requests: ClusterRequests,
        *,
        conversations: Callable[[str], Iterable[str]],
        listed: Callable[[], None],
        open_issues: Callable[[], None],
    ) -> None:
        """Make the list of a place. ``conversations`` gives those of a cluster that are known.

        ``listed`` is called when clusters were read, ``open_issues`` when one that was asked for is
        under the cursor.
        """
        self._here = place
        self._reader = place.commands_of(ConversationReader)
        self._requests = requests
        self._listed = listed
        self._open_issues = open_issues
        requests.rows = self
        self.order = "server"
        """How they are sorted: by the service, as the view says, or one of `SORTS`."""
        self.backwards = False
        self.same_scale = True
        self.wanted = place.target.cluster
        """The cluster to go to once it has been read."""
        self._numbers = False
        self._highest = 0.0
        """Issues in the fullest week of the clusters that were read."""
        super().__init__(
            self._pages(),
            self._columns(),
            title="Clusters",
            empty=EMPTY,
            reading="Reading clusters…",
            id="clusters",
        )
        self.fields = cluster_fields(
            self._reader,
            lambda: self.source.base.shown(),
            conversations,
            requests.count_open,
        )
        self.filter_with(filtering(self.fields))

    # The columns

    def _columns(self) -> list[Column[ClusterRow]]:
        digits = present.digits_of(self._highest) if self._numbers else None
        top = self._highest if self.same_scale else None
        return columns(self._reader, self._requests, digits, top)

    def _fit_columns(self) -> None:
        self.columns = tuple(self._columns())
        self.refresh_rows()

    def _measure(self, rows: Iterable[ClusterRow]) -> None:
        """Keep the columns wide enough, and one scale for all, also for rows that come later."""
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
        return ORDERS.get(self._here.view, "issues")

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
        """Show the clusters in the order that the service has for the view."""
        self.order, self.backwards = "server", False
        self.source = self._pages()
        self._say_order()
        self.move_first()

    def _say_order(self) -> None:
        words = "" if self.order == "server" else f"sort: {SORTS[self.order]}"
        if words and self.backwards:
            words += ", reversed"
        self.note = "   ".join(
            part for part in (words, "" if self.same_scale else "each on its own scale") if part
        )
        self.retitle()

    async def all_of(self, api: Api) -> list[ClusterRow]:
        """Read all clusters."""
        organization = self._reader.organization
        rows = (
            await reading.read_all(api, organization, self._service_order) if organization else []
        )
        self._measure(rows)
        return rows

    def read_all(self) -> None:
        """Read all clusters, and show them in an order of our own."""
        self._here.reads.load("clusters", self.all_of, self._sorted, what="Reading all clusters")

    def in_order(self, rows: list[ClusterRow]) -> list[ClusterRow]:
        """Return them in the order that is chosen."""
        return present.in_order(rows, self.order, backwards=self.backwards)

    def _sorted(self, found: list[ClusterRow]) -> None:
        rows = self.in_order(found)
        here = self.wanted or self.selected_id
        self.source = WatchedRows(rows, self._scrolled, key=lambda row: row.id)
        self._say_order()
        self._listed()
        wanted, self.wanted = self.wanted, None
        if here is not None and not self.select(here) and wanted is not None:
            self._here.say("Gone. That cluster is no longer there.", "warn")
        elif wanted is not None:
            self._open_issues()

    # How it looks

    def scale(self, *, same: bool) -> None:
        """Draw all charts on one scale, or each on its own."""
        self.same_scale = same
        self._say_order()
        self._fit_columns()

    @action("s", "sort", unless=no_row, show=12, group="Look")
    async def sort_clusters(self) -> None:
        """Sort by trend, by newest or by name: for that all clusters are read."""
        options = [Option(name, title) for name, title in SORTS.items()]
        chosen = await self._here.desk.push_screen_wait(
            Choice("Sort clusters by", options, current=self.order)
        )
        if chosen is not None:
            self.order, self.backwards = chosen, False
            self._sort_again()

    @action("S", "reverse sort", unless=no_row, show=False, group="Look")
    def reverse_clusters(self) -> None:
        """Turn the order round."""
        self.backwards = not self.backwards
        self._sort_again()

    def _sort_again(self) -> None:
        if self.order == "server" and not self.backwards:
            self.show_view()
        else:
            self.read_all()

    @action("#", "numbers", unless=no_row, show=11, group="Look")
    def numbers(self) -> None:
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
