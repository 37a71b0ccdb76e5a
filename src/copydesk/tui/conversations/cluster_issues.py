"""The issues of a cluster and their conversations.

A mixin of the place, apart from it for length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from copydesk.session.cluster_rows import IssueRow
from copydesk.session.reads import clusters as reading
from copydesk.session.target import Target
from copydesk.tui.conversations.cluster_commands import ClusterActions
from copydesk.tui.conversations.cluster_links import OF_CONVERSATION
from copydesk.tui.framework.sources import PagedSource
from copydesk.tui.resource.resource import Condition
from copydesk.tui.widgets.list import VirtualList

SOUGHT = 1_000
"""Issues of a cluster among which the one that is meant is looked for."""


class ClusterTalks(ClusterActions):
    """The place of the clusters, as far as its issues and conversations go."""

    CONDITIONS = (OF_CONVERSATION,)

    issues: VirtualList[IssueRow]

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.issues_of: str | None = None
        """The cluster whose issues are shown."""
        self._sought = target.item
        """The issue to go to once it has been read."""

    @property
    def talk_list(self) -> VirtualList[IssueRow]:
        """The issues of the cluster that is open."""
        return self.issues

    def talk_asked(self, row: IssueRow) -> tuple[str, IssueRow | None]:
        """Return the conversation of an issue, and the issue."""
        return row.conversation, row

    def show_again(self) -> None:
        """Draw everything again: what is masked has changed."""
        self.draw_rows_again(self.clusters)
        self.show_about()
        super().show_again()

    def talks_of(self, cluster: str) -> Iterable[str]:
        """Return the conversations of a cluster, as far as its issues were read of late."""
        if cluster != self.issues_of:
            return ()
        return (row.conversation for row in islice(self.issues.source.base.shown(), SOUGHT))

    def show_issues(self, cluster: str) -> None:
        """Show the issues of the cluster under the cursor; pages are read as they are needed."""
        if cluster == self.issues_of or self.clusters.selected_id != cluster:
            return
        self.issues_of = cluster
        self.forget_limits()
        self._list_issues(cluster)

    def conditions_known(self) -> Sequence[Condition]:
        """Return what the service limits the issues of a cluster by; clusters by nothing."""
        return self.CONDITIONS if self.pane in (self.issues, self.talk) else ()

    def unlimited(self) -> str:
        """Say that the service lists all clusters."""
        return "The service has no conditions for clusters: / filters them here."

    def ask_anew(self) -> None:
        """Read the issues of the cluster that is open from their beginning."""
        if self.issues_of is not None:
            self._list_issues(self.issues_of)

    def _list_issues(self, cluster: str) -> None:
        organization, conditions = self.organization or "", dict(self.conditions)

        async def page(
            token: str | None, limit: int
        ) -> tuple[list[IssueRow], str | None, int | None]:
            api = await self.session.ready()
            found = await reading.read_issues(
                api, organization, token, limit, cluster=cluster, **conditions
            )
            self.session.fresh()
            return found

        old = self.issues.source.base
        if isinstance(old, PagedSource):
            old.close()
        self.issues.empty = self.none_so() if self.limits else "No issue is left in this cluster."
        self.issues.source = PagedSource(page, key=lambda each: each.id, limit=50)
        self.title_issues()
        self.issues.move_first()

    def seek_issue(self, wanted: str | None = None) -> None:
        """Go to the issue that is meant as soon as it is read, unless the reader went elsewhere."""
        self._sought = wanted or self._sought
        rows, base = self.issues, self.issues.source.base
        sought = self._sought
        if sought is None or self.issues_of != self.target.cluster:
            return
        if not isinstance(base, PagedSource) or not base.loaded:
            return
        found = base.index_of(sought) is not None
        if found or rows.cursor or base.complete or base.loaded >= SOUGHT:
            self._sought = None
            base.cancel()
            if found and not rows.cursor:
                rows.select(sought)
        else:
            base.want_all()

    def title_issues(self) -> None:
        """Say how many issues the cluster has by now."""
        row = self.clusters.selected
        if row is not None and row.id == self.issues_of:
            self.issues.title = f"Issues {row.issues}   {self.limits_line() or 'newest first'}"
            self.issues.retitle()
