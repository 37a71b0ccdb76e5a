"""How much is behind each tab of the list of spaces.

A mixin of the list of spaces, apart from it for length.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from copydesk.session.target import Target
from copydesk.session.views import COUNT_SECONDS
from copydesk.tui.framework.place import Place, View
from copydesk.tui.spaces.list_widget import SpaceTree

if TYPE_CHECKING:
    from copydesk.client.api import Api

TABS = (
    View("spaces", "Spaces"),
    View("needs-me", "Needs me"),
    View("changes", "Changes"),
    View("sites", "Sites"),
    View("clusters", "Clusters"),
)
"""The places of an organization, as tabs of this one; their ids are the words after ``:``."""


class SpacesCounting(Place):
    """The list of spaces, as far as it counts what is behind its tabs."""

    rows: SpaceTree

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.counts: dict[str, int] = {}
        """How much is behind each tab, as far as it is known."""
        self._needing_at: datetime | None = None
        """When it was counted last what needs the reader."""

    def count_anew(self) -> None:
        """Count what needs the reader with the next reading, however short ago that was."""
        self._needing_at = None

    def count(self) -> None:
        """Count what the rows tell, and show all that is known."""
        rows = self.rows
        if rows.nodes and not rows.partial:
            self.counts["spaces"] = rows.count("space")
            self.counts["changes"] = sum(node.open for node in rows.nodes)
        self.set_views(self.tabs(), "spaces")

    def tabs(self) -> list[View]:
        """Return the tabs with how much is behind them."""
        return [replace(tab, count=self.counts.get(tab.id)) for tab in TABS]

    def read_counts(self) -> None:
        """Read how much is behind the other tabs; what needs the reader not each time."""
        from copydesk.session.reads.spaces import read_counts

        organization = self.target.organization or ""

        def arrived(counts: dict[str, int]) -> None:
            self.counts.update(counts)
            self.count()

        self.load("counts", lambda api: read_counts(api, organization), arrived, what="Counting")
        now, at = self.session.clock(), self._needing_at
        if at is None or now - at >= timedelta(seconds=COUNT_SECONDS):
            self._needing_at = now
            self._read_needing(organization)

    def _read_needing(self, organization: str) -> None:
        """Count what needs the reader as the view of that name does, if there is no hurry."""
        left, limit = self.session.budget or (1, 1)
        if self.session.me is None or left * 2 <= limit:
            return
        me, sleepers, now = self.session.me.id, self.session.sleepers, self.session.clock()

        async def read(api: Api) -> int | None:
            from copydesk.client.errors import ApiError
            from copydesk.session.reads.needs import count_needing

            with suppress(OSError):
                await sleepers.read()
            with suppress(ApiError):  # a tab without a number is not worth a word
                return await count_needing(
                    api, organization, me, lambda row: sleepers.asleep(row.id, row.updated, now)
                )
            return None

        def arrived(count: int | None) -> None:
            self.counts.pop("needs-me", None)
            if count is not None:
                self.counts["needs-me"] = count
            self.count()

        self.load("needing", read, arrived, what="Counting what needs you")
