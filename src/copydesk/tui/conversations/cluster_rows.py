"""The list of the clusters: its orders, how its weeks are drawn, and the cluster that is meant.

A mixin of the place, apart from it for length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

from copydesk.present import cluster as present
from copydesk.present.cluster import SORTS
from copydesk.session.cluster_rows import (
    ClusterRow,
)
from copydesk.session.options import Option
from copydesk.session.reads import clusters as reading
from copydesk.session.target import Target
from copydesk.tui.conversations.cluster_list import ClusterList, columns
from copydesk.tui.conversations.cluster_requests import ClusterRequests
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import View
from copydesk.tui.framework.sources import Fetch, ListSource, PagedSource
from copydesk.tui.widgets.list import Column

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ClusterOrder


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


class ClusterListing(ClusterRequests):
    """The place of the clusters, as far as its list goes."""

    clusters: ClusterList

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.views = VIEWS
        self.view = self.view or VIEWS[0].id
        self.sort = "server"
        self.backwards = False
        self.numbers = False
        self.same_scale = True
        self._highest = 0.0
        """Issues in the fullest week of the clusters that were read."""
        self._wanted = target.cluster

    def _look(self) -> None:
        """Show what is known of the cluster under the cursor, and read the rest."""
        raise NotImplementedError

    def _enter(self, pane: Pane) -> None:
        """Go to a column, with what it shows."""
        raise NotImplementedError

    # The columns

    def _columns(self) -> list[Column[ClusterRow]]:
        digits = present.digits_of(self._highest) if self.numbers else None
        return columns(self, digits, self._highest if self.same_scale else None)

    def _fit_columns(self) -> None:
        self.clusters.columns = tuple(self._columns())
        self.clusters.refresh_rows()

    def _measure(self, rows: Iterable[ClusterRow]) -> None:
        """Keep the columns wide enough, and one scale for all, also for rows that come later."""
        highest = max((week for row in rows for week in row.pulse), default=0.0)
        if highest > self._highest:
            self._highest = highest
            if self.numbers or self.same_scale:
                self._fit_columns()

    # Which there are, in which order

    @property
    def _order(self) -> ClusterOrder:
        return ORDERS.get(self.view, "issues")

    async def _page(
        self, token: str | None, limit: int
    ) -> tuple[list[ClusterRow], str | None, int | None]:
        api = await self.session.ready()
        organization = self.organization
        if organization is None:
            return [], None, 0
        page = await reading.read_page(api, organization, self._order, token, limit)
        self.session.fresh()
        self._measure(page[0])
        return page

    def view_changed(self) -> None:
        """Ask for the order of the view."""
        self.sort, self.backwards = "server", False
        self._show_server_order()

    def _show_server_order(self) -> None:
        self.clusters.source = WatchedPages(
            self._page, self.count_on_screen, key=lambda row: row.id
        )
        self._say_order()
        self.clusters.move_first()

    def _say_order(self) -> None:
        words = "" if self.sort == "server" else f"sort: {SORTS[self.sort]}"
        if words and self.backwards:
            words += ", reversed"
        self.clusters.note = "   ".join(
            part for part in (words, "" if self.same_scale else "each on its own scale") if part
        )
        self.clusters.retitle()

    def _again(self) -> None:
        self.title_issues()
        self.count_again()
        self._look()

    async def _all(self, api: Api) -> list[ClusterRow]:
        organization = self.organization
        rows = await reading.read_all(api, organization, self._order) if organization else []
        self._measure(rows)
        return rows

    def _read_all(self) -> None:
        self.load("clusters", self._all, self._sorted, what="Reading all clusters")

    def _in_order(self, rows: list[ClusterRow]) -> list[ClusterRow]:
        return present.in_order(rows, self.sort, backwards=self.backwards)

    def _sorted(self, found: list[ClusterRow]) -> None:
        rows = self._in_order(found)
        here = self._wanted or self.clusters.selected_id
        self.clusters.source = WatchedRows(rows, self.count_on_screen, key=lambda row: row.id)
        self._say_order()
        self._again()
        wanted, self._wanted = self._wanted, None
        if here is not None and not self.clusters.select(here) and wanted is not None:
            self.say("Gone. That cluster is no longer there.", "warn")
        elif wanted is not None:
            self._enter(self.issues)

    # How it looks

    async def choose_sort(self) -> None:
        """Sort by trend, by newest or by name: for that all clusters are read."""
        options = [Option(name, title) for name, title in SORTS.items()]
        chosen = await self.desk.push_screen_wait(
            Choice("Sort clusters by", options, current=self.sort)
        )
        if chosen is not None:
            self.sort, self.backwards = chosen, False
            self._sort_again()

    def reverse_sort(self) -> None:
        """Turn the order round."""
        self.backwards = not self.backwards
        self._sort_again()

    def _sort_again(self) -> None:
        if self.sort == "server" and not self.backwards:
            self._show_server_order()
        else:
            self._read_all()

    def show_numbers(self) -> None:
        """Show the weeks as numbers, and as a chart again."""
        self.numbers = not self.numbers
        self._fit_columns()


T = TypeVar("T")

Window = Callable[[int, int], None]
"""Told which rows are on screen."""


class WatchedPages(PagedSource[T], Generic[T]):
    """Pages that also tell which of their rows are on screen."""

    def __init__(self, fetch: Fetch[T], watch: Window, *, key: Callable[[T], str]) -> None:
        super().__init__(fetch, key=key)
        self._watch = watch

    def want(self, first: int, last: int) -> None:
        """Load them, and pass it on."""
        super().want(first, last)
        self._watch(first, last)


class WatchedRows(ListSource[T], Generic[T]):
    """Rows in memory that tell which of them are on screen."""

    def __init__(self, rows: Iterable[T], watch: Window, *, key: Callable[[T], str]) -> None:
        super().__init__(rows, key=key)
        self._watch = watch

    def want(self, first: int, last: int) -> None:
        """Pass it on."""
        self._watch(first, last)
