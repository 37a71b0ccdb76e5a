"""The list of the issues of a cluster, which are read as they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from copydesk.present import conversation as talks
from copydesk.session.cluster_rows import IssueRow
from copydesk.session.reads import clusters as reading
from copydesk.tui.conversations.filter import filtering, issue_fields
from copydesk.tui.framework.sources import ListSource, PagedSource
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.tui.conversations.clusters import ClustersPlace

SOUGHT = 1_000
"""Issues of a cluster among which the one that is meant is looked for."""


class IssueList(VirtualList[IssueRow]):
    """The issues of one cluster, the newest first."""

    def __init__(self, here: ClustersPlace) -> None:
        super().__init__(
            ListSource(key=lambda row: row.id),
            [
                Column("title", "ISSUE", lambda row: here.shown(row.title), flex=1, minimum=18),
                Column("source", "FROM", lambda row: here.shown(row.source), 9, drop=1),
                Column(
                    "age", "AGE", lambda row: talks.since(row, here.now), 6, align="right",
                ),
            ],
            title="Issues",
            empty="No cluster is open: Enter opens one.",
            reading="Reading issues…",
            header=False,
            id="issues",
        )  # fmt: skip
        self.fields = issue_fields(here, lambda: self.source.base.shown())
        self.filter_with(filtering(self.fields))
        self.cluster: str | None = None
        """The cluster whose issues are shown."""
        self._here = here
        self._sought = here.target.item
        """The issue to go to once it has been read."""

    def talks_of(self, cluster: str) -> Iterable[str]:
        """Return the conversations of a cluster, as far as its issues were read of late."""
        if cluster != self.cluster:
            return ()
        return (row.conversation for row in islice(self.source.base.shown(), SOUGHT))

    def show_of(self, cluster: str) -> None:
        """Show the issues of the cluster under the cursor; pages are read as they are needed."""
        if cluster == self.cluster or self._here.clusters.selected_id != cluster:
            return
        self.cluster = cluster
        self._here.limits.forget()
        self.read_anew()

    def read_anew(self) -> None:
        """Read the issues of the cluster that is open from their beginning."""
        here, cluster = self._here, self.cluster
        if cluster is None:
            return
        organization, conditions = here.organization or "", dict(here.limits.conditions)

        async def page(
            token: str | None, limit: int
        ) -> tuple[list[IssueRow], str | None, int | None]:
            api = await here.session.ready()
            found = await reading.read_issues(
                api, organization, token, limit, cluster=cluster, **conditions
            )
            here.session.fresh()
            return found

        old = self.source.base
        if isinstance(old, PagedSource):
            old.close()
        limits = here.limits
        self.empty = limits.none_so() if limits.chosen else "No issue is left in this cluster."
        self.source = PagedSource(page, key=lambda each: each.id, limit=50)
        self.say_how_many()
        self.move_first()

    def seek(self, wanted: str | None = None) -> None:
        """Go to the issue that is meant as soon as it is read, unless the reader went elsewhere."""
        self._sought = wanted or self._sought
        base, sought = self.source.base, self._sought
        if sought is None or self.cluster != self._here.target.cluster:
            return
        if not isinstance(base, PagedSource) or not base.loaded:
            return
        found = base.index_of(sought) is not None
        if found or self.cursor or base.complete or base.loaded >= SOUGHT:
            self._sought = None
            base.cancel()
            if found and not self.cursor:
                self.select(sought)
        else:
            base.want_all()

    def say_how_many(self) -> None:
        """Say how many issues the cluster has by now."""
        row = self._here.clusters.selected
        if row is not None and row.id == self.cluster:
            self.title = f"Issues {row.issues}   {self._here.limits.line() or 'newest first'}"
            self.retitle()
