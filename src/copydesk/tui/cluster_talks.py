"""The issues of a cluster and their conversations.

A mixin of the place, apart from it for length.
"""

from __future__ import annotations

from copydesk.tui import cluster_reading as reading
from copydesk.tui.cluster_actions import ClusterActions
from copydesk.tui.places import Target
from copydesk.tui.present import conversation as talks
from copydesk.tui.present.conversation import IssueRow, Talk
from copydesk.tui.sources import PagedSource
from copydesk.tui.widgets.facts import Fact, Facts
from copydesk.tui.widgets.virtual_list import VirtualList

REST_SECONDS = 0.15
"""How long the cursor rests on a row before what is below it is read."""

KEPT_TALKS = 40
"""Conversations kept in memory, so that going back to one is instant."""


class ClusterTalks(ClusterActions):
    """The place of the clusters, as far as its issues and conversations go."""

    issues: VirtualList[IssueRow]
    talk: Facts

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.issues_of: str | None = None
        """The cluster whose issues are shown."""
        self._talks: dict[str, Talk] = {}
        self._shown_issue: IssueRow | None = None

    def show_issues(self, cluster: str) -> None:
        """Show the issues of the cluster under the cursor; pages are read as they are needed."""
        if cluster == self.issues_of or self.clusters.selected_id != cluster:
            return
        self.issues_of = cluster
        organization = self.organization or ""

        async def page(
            token: str | None, limit: int
        ) -> tuple[list[IssueRow], str | None, int | None]:
            api = await self.session.ready()
            found = await reading.read_issues(api, organization, cluster, token, limit)
            self.session.fresh()
            return found

        old = self.issues.source.base
        if isinstance(old, PagedSource):
            old.close()
        row = self.clusters.selected
        self.issues.empty = "No issue is left in this cluster."
        self.issues.source = PagedSource(page, key=lambda each: each.id, limit=50)
        self.issues.title = f"Issues {row.issues}   newest first" if row else "Issues"
        self.issues.move_first()

    def look_at_issue(self) -> None:
        """Follow the cursor in the issues, where there is room for the conversation."""
        row = self.issues.selected
        if row is None:
            self._shown_issue = None
            self.talk.show([], title="Conversation")
        elif not self.has_class("-narrow") or self.pane is self.talk:
            self.read_talk(row, after=REST_SECONDS)

    def read_talk(self, row: IssueRow, *, after: float = 0.0) -> None:
        """Show the conversation of an issue, reading it if need be."""
        self._shown_issue = row
        known = self._talks.get(row.conversation)
        if known is not None:
            self.cancel_load("talk")
            self.show_talk()
            return
        if not row.conversation:
            self.talk.show(self._without("No conversation is known for it."), title="Conversation")
            return
        organization = self.organization or ""

        def arrived(talk: Talk | None) -> None:
            if talk is None:
                said = "The conversation is gone at its source. What the issue says is kept above."
                self.talk.show(self._without(said), title="Conversation")
                return
            while len(self._talks) >= KEPT_TALKS:
                del self._talks[next(iter(self._talks))]
            self._talks[row.conversation] = talk
            self.show_talk()

        self.load(
            "talk", lambda api: reading.read_talk(api, organization, row.conversation), arrived,
            what="Reading the conversation", after=after,
            failed=lambda said: self.talk.show(self._without(said), title="Conversation"),
        )  # fmt: skip

    def _without(self, said: str) -> list[Fact]:
        issue = self._shown_issue
        assert issue is not None
        return talks.issue_facts(issue, said, masked=self.masked)

    def show_talk(self) -> None:
        """Show the conversation that has been read."""
        issue = self._shown_issue
        talk = self._talks.get(issue.conversation) if issue is not None else None
        if talk is not None:
            now = self.session.clock()
            facts = talks.talk_facts(talk, now, masked=self.masked, issue=issue)
            title = talks.talk_title(talk, now)
            self.talk.show(facts, title=title if self.masked else f"In clear   {title}")
