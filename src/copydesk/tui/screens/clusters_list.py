"""The list of clusters, with the keys that concern it alone."""

from __future__ import annotations

from typing import Protocol, cast

from copydesk.tui.actions import action
from copydesk.tui.present.cluster import ClusterRow
from copydesk.tui.widgets.virtual_list import VirtualList


class Ordering(Protocol):
    """What the list needs of its place."""

    async def choose_sort(self) -> None:
        """Let the reader choose the order."""

    def reverse_sort(self) -> None:
        """Turn the order round."""

    def show_numbers(self) -> None:
        """Show the weeks as numbers, or as a chart."""


def no_row(rows: ClusterList) -> str | None:
    """Say so when the cursor is on no cluster."""
    return None if rows.selected is not None else "There is no cluster here."


class ClusterList(VirtualList[ClusterRow], scope="cluster_list"):
    """Clusters. Its keys are offered while it has the focus: elsewhere it may be out of sight."""

    @property
    def _place(self) -> Ordering:
        return cast("Ordering", self.screen)

    @action("s", "sort", unless=no_row, show=12, group="Look")
    async def sort_clusters(self) -> None:
        """Sort by trend, by newest or by name: for that all clusters are read."""
        await self._place.choose_sort()

    @action("S", "reverse sort", unless=no_row, show=False, group="Look")
    def reverse_clusters(self) -> None:
        """Turn the order round."""
        self._place.reverse_sort()

    @action("#", "numbers", unless=no_row, show=11, group="Look")
    def numbers(self) -> None:
        """Show the weeks as numbers, and as a chart again."""
        self._place.show_numbers()
