"""All issues of an organization, or those that are in no cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult

from copydesk.client.errors import Forbidden, NotFound
from copydesk.present.cluster_tables import issues_table
from copydesk.present.conversation import since
from copydesk.present.json_views import Raw
from copydesk.session.cluster_rows import IssueRow
from copydesk.session.reads import clusters as reading
from copydesk.session.target import Target
from copydesk.tui.conversations.reader import (
    ALL,
    NO_ORGANIZATION,
    ConversationList,
    ConversationReader,
)
from copydesk.tui.conversations.rows import (
    OF_CLUSTER,
    OF_CONVERSATION,
    cluster_cell,
    filtering,
    go_to_cluster,
    issue_fields,
)
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place, View, style_path
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.resource.resource import Condition
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.scanned_list import ScannedList, ScannedPages, SiftedPages

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
class IssuesPlace(Place, scope="issues"):
    """What was found in conversations, the latest first, beside the conversation it came up in."""

    CONDITIONS = (OF_CLUSTER, OF_CONVERSATION)
    RAW = ("get_conversation_issue", "get_conversation")
    COMMAND_CLASSES = (LimitCommands, ConversationReader, ConversationList)
    CSS_PATH = style_path("conversations")
    noun = "issue"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.view = target.view or ALL
        self.limits = self.commands_of(LimitCommands)
        self.reader = self.commands_of(ConversationReader)
        self.listing = self.commands_of(ConversationList)
        self.labels: dict[str, str] = {}
        """The names of clusters by id, from one request."""

    @property
    def shows_secret(self) -> bool:
        return not self.reader.masked

    def panes(self) -> ComposeResult:
        reader = self.reader
        self.rows: ScannedList[IssueRow] = ScannedList(
            self.pages(),
            [
                Column("title", "ISSUE", lambda row: reader.shown(row.title), flex=3, minimum=20),
                Column(
                    "cluster", "CLUSTER",
                    lambda row: cluster_cell(row, self.labels, masked=reader.masked),
                    flex=2, minimum=16, drop=1,
                ),
                Column("source", "FROM", lambda row: reader.shown(row.source), 9, drop=2),
                Column(
                    "age", "AGE", lambda row: since(row, self.session.now), 6, align="right"
                ),
            ],
            title="Issues",
            empty=self.empty(),
            reading="Reading issues…",
            id="issues",
        )  # fmt: skip
        self.views = self.listing.first_views()
        self._note_order()
        self.rows.sifted = UNCLUSTERED
        self.rows.fields = issue_fields(
            self.reader, lambda: self.rows.source.base.shown(), lambda: self.labels
        )
        self.rows.filter_with(filtering(self.rows.fields))
        yield Part("main", self.rows)
        yield Part("side", self.reader.take(self.rows))

    # What is listed

    async def _page(
        self, token: str | None, limit: int, conditions: Mapping[str, str]
    ) -> tuple[list[IssueRow], str | None, int | None]:
        api = await self.session.ready()
        organization = self.reader.organization
        if organization is None:
            self.rows.empty = NO_ORGANIZATION
            return [], None, 0
        found = await reading.read_issues(api, organization, token, limit, **conditions)
        self.session.fresh()
        return found

    def pages(self) -> ScannedPages[IssueRow]:
        page = partial(self._page, conditions=dict(self.limits.conditions))
        cached = self.listing.cached()
        if self.view == UNCLUSTERED:
            return SiftedPages(
                page, lambda row: not row.cluster, key=lambda row: row.id, cached=cached
            )
        return ScannedPages(page, key=lambda row: row.id, cached=cached)

    async def table(self, api: Api, organization: str) -> tuple[str, int]:
        labels = await reading.read_names(api, organization)
        rows = await reading.read_every_issue(api, organization, **self.limits.conditions)
        if self.view == UNCLUSTERED:
            rows = [row for row in rows if not row.cluster]
        return issues_table(rows, labels, masked=self.reader.masked), len(rows)

    def empty(self) -> str:
        """Return where issues come from, or that all are in clusters."""
        return EMPTY if self.view == ALL else "Every issue is in a cluster, or there is none yet."

    def view_changed(self) -> None:
        self._note_order()
        self.listing.read_anew()

    def ask_anew(self) -> None:
        """Read the issues that the service limits the view to."""
        self._note_order()
        self.listing.read_anew(counts=False)

    def conditions_known(self) -> Sequence[Condition]:
        return self.CONDITIONS

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
        self.listing.read()

    def poll(self) -> None:
        """Read the list again quietly."""
        self.listing.read()

    async def _read_labels(self, api: Api) -> dict[str, str]:
        if self.reader.organization is None:
            return {}
        try:
            rows, _, _ = await reading.read_page(
                api, self.reader.organization, "issues", None, reading.PAGE
            )
        except (Forbidden, NotFound):
            return {}  # the list of issues says so
        return {row.id: row.label for row in rows}

    def _know(self, labels: dict[str, str]) -> None:
        if labels != self.labels:
            self.labels = labels
            self.rows.refresh_rows()

    # What a place says of itself

    def conversation_of(self, row: IssueRow) -> tuple[str, IssueRow | None]:
        return row.conversation, row

    def raw(self) -> Raw | None:
        return self.listing.raw()

    def url(self) -> str | None:
        return self.listing.url()

    def withheld(self) -> str | None:
        return self.reader.withheld(self.url())

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        return self.listing.copies(
            ("title", self.reader.shown(row.title)),
            ("id", row.id),
            ("conversation id", row.conversation),
        )

    def status_left(self) -> str:
        return self.listing.status(super().status_left())

    def views_note(self) -> str:
        return self.reader.in_clear

    def show_again(self) -> None:
        self.listing.show_views()

    def opened(self) -> None:
        self.listing.show_views()

    def on_unmount(self) -> None:
        self.listing.cache()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.reader.follow_if_unread)

    def follow_cursor(self, rows: Pane) -> None:
        self.listing.moved()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.listing.open()

    @action(
        "g k", "its cluster", show=20, group="Go",
        now=lambda here: "its cluster" if here.rows.selected and here.rows.selected.cluster else "",
    )  # fmt: skip
    async def open_cluster(self) -> None:
        """Go to the cluster of the issue, with its other issues, or to all clusters."""
        row = self.rows.selected
        found = row.cluster if row is not None else ""
        target = Target(organization=self.reader.organization, cluster=found or None)
        if found and row is not None:
            target = target.but(item=row.id)
        await go_to_cluster(self.desk, target, "" if row is None else NO_CLUSTER)
