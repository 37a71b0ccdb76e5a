"""All issues of an organization, or those that are in no cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.present import conversation as talks
from copydesk.session.cluster_rows import IssueRow
from copydesk.session.reads import clusters as reading
from copydesk.session.target import Target
from copydesk.tui.conversations import conversation_cells as present
from copydesk.tui.conversations.cluster_links import OF_CLUSTER, OF_CONVERSATION, go_to_cluster
from copydesk.tui.conversations.filter import filtering, issue_fields
from copydesk.tui.conversations.list import ALL, NO_ORGANIZATION, TalkListing
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, View
from copydesk.tui.widgets.list import Column
from copydesk.tui.widgets.scanned_list import LookedList, LookedPages, SiftedPages

if TYPE_CHECKING:
    from copydesk.client.api import Api

UNCLUSTERED = "unclustered"
"""The view of the issues in no cluster, which the API does not know."""

VIEWS = (View(ALL, "All"), View(UNCLUSTERED, "Unclustered"))

EMPTY = (
    "No issues yet. They are found in conversations (:conversations lists these), which come in by "
    "an integration, or with “copydesk conversations send FILE”."
)
"""Stands where issues would."""

NO_CLUSTER = "That issue is in no cluster. These are all clusters, - goes back."
"""Says why all clusters show."""


@place("issues", key="u", title="Issues", uses="list_conversation_issues")
class IssuesPlace(TalkListing, scope="issues"):
    """What was found in conversations, the latest first, beside the conversation it came up in."""

    CONDITIONS = (OF_CLUSTER, OF_CONVERSATION)
    noun = "issue"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.labels: dict[str, str] = {}
        """What clusters are called, as far as one request told."""

    def panes(self) -> ComposeResult:
        self.rows: LookedList[IssueRow] = LookedList(
            self.pages(),
            [
                Column("title", "ISSUE", lambda row: self.shown(row.title), flex=3, minimum=20),
                Column(
                    "cluster", "CLUSTER",
                    lambda row: present.cluster_cell(row, self.labels, masked=self.masked),
                    flex=2, minimum=16, drop=1,
                ),
                Column("source", "FROM", lambda row: self.shown(row.source), 9, drop=2),
                Column(
                    "age", "AGE", lambda row: talks.since(row, self.session.now), 6, align="right"
                ),
            ],
            title="Issues",
            empty=self.empty(),
            reading="Reading issues…",
            id="issues",
        )  # fmt: skip
        self._note_order()
        self.rows.sifted = UNCLUSTERED
        self.rows.fields = issue_fields(
            self, lambda: self.rows.source.base.shown(), lambda: self.labels
        )
        self.rows.filter_with(filtering(self.rows.fields))
        self.talk = self.talk_pane()
        yield Part("main", self.rows)
        yield Part("side", self.talk)

    # What is listed

    async def _page(
        self, token: str | None, limit: int, conditions: Mapping[str, str]
    ) -> tuple[list[IssueRow], str | None, int | None]:
        api = await self.session.ready()
        organization = self.organization
        if organization is None:
            self.rows.empty = NO_ORGANIZATION
            return [], None, 0
        found = await reading.read_issues(api, organization, token, limit, **conditions)
        self.session.fresh()
        return found

    def pages(self) -> LookedPages[IssueRow]:
        page = partial(self._page, conditions=dict(self.limits.conditions))
        if self.view == UNCLUSTERED:
            return SiftedPages(
                page, lambda row: not row.cluster, key=lambda row: row.id, kept=self.kept()
            )
        return LookedPages(page, key=lambda row: row.id, kept=self.kept())

    def empty(self) -> str:
        """Return where issues come from, or that all are in clusters."""
        return EMPTY if self.view == ALL else "Every issue is in a cluster, or there is none yet."

    def view_changed(self) -> None:
        self._note_order()
        super().view_changed()

    def ask_anew(self) -> None:
        """Read the issues that the service limits the view to."""
        self._note_order()
        super().ask_anew()

    def _note_order(self) -> None:
        # How many were looked at matters more, where there is room for one of the two.
        order = "newest first" if self.view == ALL else ""
        self.rows.note = self.limits.line() or order
        self.rows.retitle()

    def names_of_views(self) -> Sequence[View]:
        return VIEWS

    def reload(self) -> None:
        """Read the list again, and what clusters are called."""
        self.reads.load("labels", self._read_labels, self._know, what="Reading clusters")
        super().reload()

    async def _read_labels(self, api: Api) -> dict[str, str]:
        from copydesk.client.errors import Forbidden, NotFound

        if self.organization is None:
            return {}
        try:
            rows, _, _ = await reading.read_page(
                api, self.organization, "issues", None, reading.PAGE
            )
        except (Forbidden, NotFound):
            return {}  # the list of issues says so
        return {row.id: row.label for row in rows}

    def _know(self, labels: dict[str, str]) -> None:
        if labels != self.labels:
            self.labels = labels
            self.rows.refresh_rows()

    # Of a row

    def talk_asked(self, row: IssueRow) -> tuple[str, IssueRow | None]:
        return row.conversation, row

    def copies_of(self, row: IssueRow) -> Sequence[tuple[str, str]]:
        return [
            ("title", self.shown(row.title)),
            ("id", row.id),
            ("conversation id", row.conversation),
        ]

    @action(
        "g k", "its cluster", show=20, group="Go",
        now=lambda here: "its cluster" if here.rows.selected and here.rows.selected.cluster else "",
    )  # fmt: skip
    async def open_cluster(self) -> None:
        """Go to the cluster of the issue, with its other issues, or to all clusters."""
        row = self.rows.selected
        found = row.cluster if row is not None else ""
        target = Target(organization=self.organization, cluster=found or None)
        if found and row is not None:
            target = target.but(item=row.id)
        await go_to_cluster(self.desk, target, "" if row is None else NO_CLUSTER)
