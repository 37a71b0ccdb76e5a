"""Place 5: what people struggle with: clusters, their issues, the conversations (3.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.text import plural
from copydesk.present import conversation as talks
from copydesk.present.json_views import Raw, cluster_raw, conversation_raw, issue_raw
from copydesk.session.cluster_rows import IssueRow
from copydesk.session.glyphs import glyphs
from copydesk.session.target import Target
from copydesk.tui.conversations.cluster_list import ClusterList
from copydesk.tui.conversations.cluster_rows import ClusterListing, WatchedPages
from copydesk.tui.conversations.filter import cluster_fields, filtering, issue_fields
from copydesk.tui.conversations.pane import TalkView
from copydesk.tui.conversations.reader import REST_SECONDS
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part
from copydesk.tui.framework.sources import ListSource, PagedSource
from copydesk.tui.framework.styles import style_path
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api

EMPTY = (
    "No clusters yet. They appear after conversations are sent in (by an integration, or with "
    "“copydesk conversations send file.json”)."
)
"""Stands where clusters would."""


def at_clusters(here: ClustersPlace) -> str | None:
    """Say so when there is nothing further to the left."""
    return "This is the first column." if here.pane in (here.clusters, here.about) else None


def at_talk(here: ClustersPlace) -> str | None:
    """Say so when there is nothing further to the right."""
    if here.pane is here.talk:
        return "This is the last column. o opens the source."
    row = here.issues.selected if here.pane is here.issues else here.clusters.selected
    return None if row is not None else "There is nothing here to open."


@place(
    "clusters",
    key="k",
    title="Clusters",
    uses=(
        "list_issues_clusters",
        "list_conversation_issues",
        "get_conversation",
        "list_conversations",
        "list_organization_change_requests",
    ),
)
class ClustersPlace(ClusterListing, scope="clusters"):
    """Clusters at the left, the issues of one in the middle, a conversation at the right."""

    RAW = ("get_issues_cluster", "get_conversation_issue", "get_conversation")

    CSS_PATH = style_path("clusters")
    AUTO_FOCUS = "#clusters"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (132, "-wide"), (176, "-vast")]

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.add_class("-in-left")

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The three columns."""
        self.clusters = ClusterList(
            WatchedPages(self._page, self.count_on_screen, key=lambda row: row.id),
            self._columns(),
            title="Clusters",
            empty=EMPTY,
            reading="Reading clusters…",
            id="clusters",
        )
        self.clusters.fields = cluster_fields(
            self, lambda: self.clusters.source.base.shown(), self.talks_of, self.requests_open
        )
        self.clusters.filter_with(filtering(self.clusters.fields))
        self.about = Facts(title="Cluster", empty="No cluster is selected.", id="about")
        self.issues: VirtualList[IssueRow] = VirtualList(
            ListSource(key=lambda row: row.id),
            [
                Column("title", "ISSUE", lambda row: self.shown(row.title), flex=1, minimum=18),
                Column("source", "FROM", lambda row: self.shown(row.source), 9, drop=1),
                Column(
                    "age", "AGE", lambda row: talks.since(row, self.session.now), 6,
                    align="right",
                ),
            ],
            title="Issues",
            empty="No cluster is open: Enter opens one.",
            reading="Reading issues…",
            header=False,
            id="issues",
        )  # fmt: skip
        self.issues.fields = issue_fields(self, lambda: self.issues.source.base.shown())
        self.issues.filter_with(filtering(self.issues.fields))
        self.talk = TalkView(
            title="Conversation", empty="No issue is open: Enter opens one.", id="talk"
        )
        yield Part("left", self.clusters, self.about)
        yield Part("main", self.issues)
        yield Part("side", self.talk)

    def trail(self) -> Iterable[str]:
        """The organization, the clusters, and the one that is open."""
        yield self.session.organization_title or "no organization"
        yield "Clusters"
        row = self.clusters.selected
        if row is not None and self.pane in (self.issues, self.talk):
            yield self.shown(row.label)

    def raw(self) -> Raw | None:
        """Return where the JSON of the cluster, the issue or the conversation comes from."""
        organization, masked = self.organization, self.masked
        if organization is None:
            return None
        if self.pane in (self.issues, self.talk):
            row = self.issues.selected
            if row is None:
                return None
            if self.pane is self.talk:
                return conversation_raw(organization, row.conversation, masked=masked)
            return issue_raw(organization, row.id, masked=masked)
        cluster = self.clusters.selected
        return None if cluster is None else cluster_raw(organization, cluster.id, masked=masked)

    def url(self) -> str | None:
        """Return the source of a conversation, or the page of a cluster."""
        if self.pane in (self.issues, self.talk):
            row = self.issues.selected
            return (row.address or None) if row is not None else None
        cluster = self.clusters.selected
        return (cluster.address or None) if cluster is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        if self.pane in (self.issues, self.talk):
            row = self.issues.selected
            if row is None:
                return []
            found = [
                *self.talk_copies(),
                ("source", "" if self.withheld() else row.address),
                ("title", self.shown(row.title)),
                ("id", row.id),
                ("conversation id", row.conversation),
            ]
        else:
            cluster = self.clusters.selected
            if cluster is None:
                return []
            found = [
                ("address", "" if self.withheld() else cluster.address),
                ("name", self.shown(cluster.label)),
                ("summary", self.shown(cluster.summary)),
                ("id", cluster.id),
            ]
        return [(name, text) for name, text in found if text]

    def status_left(self) -> str:
        """How many there are, and that something is masked."""
        if self.pane in (self.issues, self.talk):
            if said := super().status_left():
                return said
            if self.masked:
                return "e-mails and phone numbers are masked: V shows them"
            return "e-mails and phone numbers are in clear: V masks them"
        count = self.clusters.source.count
        return super().status_left() or ("" if count is None else plural(count, "cluster"))

    def views_note(self) -> str:
        """Say for as long as it is so that personal data can be read, or numbers may rise."""
        return "IN CLEAR: V masks" if not self.masked else self.analysing_said()

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return what is drawn in the weeks, and what it means."""
        bars = glyphs().spark
        return [
            *super().signs(),
            (f"{bars[0]}{bars[-1]}", "a week without an issue, and the one with the most"),
            (glyphs().merged, "a change request for it was merged in that week"),
            ("ISS CONV", "issues it holds, and conversations they are from"),
            ("TREND", "the last 4 weeks against the 4 before, from 5 issues on"),
            ("CRS", "open change requests for it; d drafts, m merged in these weeks"),
        ]

    def gone_to(self) -> None:
        """Go to the cluster that is meant, wherever the cursor has been since."""
        wanted = self.target.cluster
        if wanted is None:
            return
        if wanted == self.clusters.selected_id:
            self.seek_issue(self.target.item)
        elif self.clusters.select(wanted):
            self._enter(self.issues)
        else:
            self._wanted = wanted
            self._read_all()

    # Clusters

    def reload(self) -> None:
        """Read the clusters again, and what is open."""
        self.doubt_requests()
        self.read_besides()
        clusters, issues = self.clusters.source.base, self.issues.source.base
        if self._wanted is not None or self.sort != "server":
            self._read_all()
        elif isinstance(clusters, PagedSource):
            self.load(
                "clusters", lambda _: clusters.refresh(), lambda _: self._again(),
                what="Reading clusters",
            )  # fmt: skip
        if isinstance(issues, PagedSource):
            self.load(
                "issues again", lambda _: issues.refresh(), lambda _: None, what="Reading issues"
            )
        self.read_talk_again()

    def poll(self) -> None:
        """Read the clusters again quietly, also those that are sorted here."""
        if self.analysing_said():
            self.read_besides()
        self.doubt_requests()
        base = self.clusters.source.base
        if isinstance(base, ListSource) and self._wanted is None:
            self.load(
                "clusters",
                self._all,
                lambda rows: base.merge(self._in_order(rows)),
                what="Reading again",
            )
        else:
            super().poll()

    # Details

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known at once, and read the rest when the cursor rests."""
        if event.list is self.clusters:
            self._look()
        else:
            self.seek_issue()
            self.look_at_talk()

    def _look(self) -> None:
        row = self.clusters.selected
        self.show_about()
        self.count_on_screen()
        if row is None:
            return
        self.read_requests_of(row)
        if not self.has_class("-narrow") and row.id != self.issues_of:

            async def rest(api: Api) -> str:
                return row.id

            self.load("issues", rest, self.show_issues, what="Reading issues", after=REST_SECONDS)

    def look_again(self) -> None:
        """Read the issues too where there is room for them by now."""
        if self.framed and self.issues_of is None:
            self._look()
        super().look_again()

    # From column to column

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the next column."""
        self._enter(self.issues if event.list is self.clusters else self.talk)

    def _enter(self, pane: Pane) -> None:
        if pane is self.issues and self.clusters.selected_id is not None:
            self.cancel_load("issues")
            self.show_issues(self.clusters.selected_id)
        elif pane is self.talk and self.issues.selected is not None:
            self.read_talk(self.issues.selected)
        self.show_pane(pane)

    @action("l", "open", unless=at_talk, show=False, group="Move", also=("right",))
    def go_right(self) -> None:
        """Go on to the right: the issues of the cluster, then the conversation."""
        self._enter(self.talk if self.pane is self.issues else self.issues)

    @action("h", "back", unless=at_clusters, show=False, group="Move", also=("left",))
    def go_left(self) -> None:
        """Go back to the left: the issues, then the clusters. Their cursors stay."""
        self._enter_left()

    def _enter_left(self) -> bool:
        if self.pane not in (self.issues, self.talk):
            return False
        self._enter(self.issues if self.pane is self.talk else self.clusters)
        return True

    async def step_back(self) -> None:
        """Step back: end the search, then go a column to the left, then leave the place."""
        if not (self.pane is not None and not self.pane.found and self._enter_left()):
            await super().step_back()

    async def close_place(self) -> None:
        """Step back as Esc does; from the first column leave the place."""
        if not (self.pane is not None and not self.pane.found and self._enter_left()):
            await super().close_place()

    # How it looks

    @command("scale", "SAME | OWN", complete=lambda here: ("same", "own"))
    def choose_scale(self, rest: str) -> None:
        """Draw all charts on one scale (``:scale same``), or each on its own (``:scale own``)."""
        if rest not in ("same", "own"):
            self.say("Say :scale same or :scale own.", "warn")
            return
        self.same_scale = rest == "same"
        self._say_order()
        self._fit_columns()
