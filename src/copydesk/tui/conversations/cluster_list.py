"""The list of clusters, with the keys that concern it alone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, cast

from rich.text import Text

from copydesk.present import cluster as present
from copydesk.session.cluster_rows import WEEKS, ClusterRow
from copydesk.tui.framework.actions import action
from copydesk.tui.widgets.list import Column, VirtualList

NUMBERS = 39
"""Cells that the weeks take as numbers at most: of longer ones the latest show."""


class Ordering(Protocol):
    """What the list needs of its place."""

    async def choose_sort(self) -> None:
        """Let the reader choose the order."""

    def reverse_sort(self) -> None:
        """Turn the order round."""

    def show_numbers(self) -> None:
        """Show the weeks as numbers, or as a chart."""


class Knowing(Protocol):
    """What the columns need to know of clusters."""

    requests_width: int

    def requests_cell(self, cluster: str) -> Text:
        """Return how many change requests a cluster has."""

    def shown(self, text: str) -> str:
        """Return text as it may be seen now."""

    def merged_in(self, row: ClusterRow) -> Collection[int]:
        """Return the weeks in which something was merged for a cluster."""


def columns(of: Knowing, digits: int | None, top: float | None) -> list[Column[ClusterRow]]:
    """Return the columns of the list.

    The weeks are numbers of so many ``digits``, or a chart where that is None, each row on its own
    scale or all on that of ``top``.
    """
    if digits is not None:
        last = min(WEEKS, NUMBERS // (digits + 1))
        weeks = Column[ClusterRow](
            "weeks", f"{'' if last == WEEKS else 'LAST '}{last} WEEKS",
            lambda row: present.weeks(row, digits, of.merged_in(row), last), last * (digits + 1),
        )  # fmt: skip
    else:
        weeks = Column(
            "weeks", "13 WEEKS", lambda row: present.chart(row, top, of.merged_in(row)),
            WEEKS,
        )  # fmt: skip
    return [
        Column("name", "CLUSTER", lambda row: of.shown(row.label), flex=1, minimum=14),
        weeks,
        Column("issues", "ISS", lambda row: str(row.issues), 4, align="right"),
        Column(
            "conversations", "CONV", lambda row: str(row.conversations), 4, align="right", drop=3
        ),
        Column("trend", "TREND", present.trend_cell, 6, align="right", drop=1),
        Column(
            "requests", "CRS",
            lambda row: of.requests_cell(row.id),
            of.requests_width, align="right", drop=2,
        ),
    ]  # fmt: skip


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
