"""The screen of clusters: what people struggle with, with its issues and conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult

from copydesk.domain.own_command import Thing
from copydesk.domain.text import plural
from copydesk.present import cluster as present
from copydesk.present.conversation import since
from copydesk.present.raw_json import Raw, cluster_raw, conversation_raw, issue_raw
from copydesk.session.cluster_rows import IssueRow
from copydesk.session.errors import failure_types
from copydesk.session.glyphs import glyphs
from copydesk.session.reads import clusters as reading
from copydesk.session.target import Target
from copydesk.tui.conversations.cluster_commands import (
    AnsweredCluster,
    ClusterCommands,
    ClusterRequestCommands,
    described,
)
from copydesk.tui.conversations.cluster_edits import IssueKeys
from copydesk.tui.conversations.cluster_list import SEARCH, VIEWS, ClusterList, ClusterRequests
from copydesk.tui.conversations.reader import REST_SECONDS, ConversationReader, draw_again
from copydesk.tui.conversations.rows import (
    OF_CONVERSATION,
    asked_of_search,
    filtering,
    issue_fields,
    of_source,
    said_conditions,
)
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.pane import Pane, offered
from copydesk.tui.framework.place import VAST, Part, Place, style_path
from copydesk.tui.framework.source import ListSource, Source
from copydesk.tui.resource.limits import LimitCommands, Limits
from copydesk.tui.resource.resource import Condition
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, Marking, VirtualList, no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest


ISSUES_AT_ONCE = 50
"""Issues of a cluster that are read at once."""

SLOW_SECONDS = 0.1
"""How long the issues of the cluster before are shown while those of another are read."""

IssuePage = tuple[Sequence[IssueRow], str | None, int | None]
"""Issues, the token of the page after them, and how many there are in all."""

SOUGHT = 1_000
"""Issues of a cluster among which the one that is meant is looked for."""


NOT_SEARCHED = (
    "The service does not find clusters by words said, language or attributes: "
    "/ filters them here by source, age and what was read."
)
"""Says what is not there on services other than the desk's own."""

NONE_OPEN = "No cluster is open: Enter opens one."
"""Stands where the issues of a cluster would."""


class IssueList(Marking, VirtualList[IssueRow]):
    """The issues of one cluster, the newest first."""

    def __init__(
        self,
        place: Place,
        clusters: ClusterList,
        written: Callable[[str], None],
    ) -> None:
        """Make the list of a place; ``clusters`` has the cluster whose issues show.

        ``written`` shows the clusters after a write to issues.
        """
        reader = place.commands_of(ConversationReader)
        self.suggested = False
        """Whether the issues are not those of the cluster, but look like them."""
        super().__init__(
            ListSource(key=lambda row: row.id),
            [
                Column("title", "ISSUE", lambda row: reader.shown(row.title), flex=1, minimum=18),
                Column("source", "FROM", lambda row: reader.shown(row.source), 9, drop=1),
                Column(
                    "likeness", "", lambda row: f"{row.likeness:.0%}" if row.likeness else "", 4,
                    align="right", drop=2,
                ),
                Column(
                    "age", "AGE", lambda row: since(row, reader.now), 6, align="right",
                ),
            ],
            title="Issues",
            empty=NONE_OPEN,
            reading="Reading issues…",
            header=False,
            id="issues",
        )  # fmt: skip
        self.fields = issue_fields(reader, lambda: self.source.base.shown())
        self.filter_of = filtering(self.fields)
        self.cluster: str | None = None
        """The cluster whose issues are shown."""
        self._place = place
        self._reader = reader
        self.limits = Limits()
        self.hits: dict[str, str] = {}
        """The words that were found in the conversations of the issues, by conversation."""
        self._clusters = clusters
        self._limited: dict[str, str] = {}
        """What the clusters were limited by when this one was opened."""
        self._sought = place.target.item
        """The issue to go to once it has been read."""
        self._sought_in = place.target.cluster
        self.keys = IssueKeys(
            self, place, reader, written, lambda: self.cluster or "" if self.suggested else ""
        )
        self.first = (self.keys,)

    def conversations_of(self, cluster: str) -> Iterable[str]:
        """Return the conversations of the cluster that is shown, by the issues that were read."""
        if cluster != self.cluster:
            return ()
        return (row.conversation for row in islice(self.source.base.shown(), SOUGHT))

    def show_of(self, cluster: str, first: IssuePage | None = None) -> None:
        """Show the issues of the cluster under the cursor; pages are read as they are needed.

        ``first`` is the first page where that was read already.
        """
        row = self._clusters.selected
        if self.is_of(cluster) or row is None or row.id != cluster:
            return
        self.cluster, self.suggested = cluster, False
        self.set_marks(())
        self.limits, self._limited = self._first_limits(), dict(self._clusters.limits.chosen)
        self.read_anew(first)

    def is_of(self, cluster: str) -> bool:
        """Whether the issues are those of a cluster, opened under the conditions of now."""
        return cluster == self.cluster and self._limited == self._clusters.limits.chosen

    def _first_limits(self) -> Limits:
        """Return what the issues of a cluster that is opened are limited by: as the clusters."""
        limits, outer = Limits(), self._clusters.limits
        limits.conditions, limits.chosen = dict(outer.conditions), dict(outer.chosen)
        return limits

    def show_suggested(self, *, on: bool) -> None:
        """Show the issues that look like those of the cluster, or its own again."""
        row = self._clusters.selected
        if row is not None:
            self.cluster, self.suggested = row.id, on
            self.set_marks(())
            self.limits.forget()
            self.read_anew()

    def read_anew(self, first: IssuePage | None = None) -> None:
        """Read the issues of the cluster that is open from their beginning."""
        cluster, limits = self.cluster, self.limits
        if cluster is None:
            return
        suggested, conditions = self.suggested, dict(limits.conditions)

        async def page(token: str | None, limit: int) -> IssuePage:
            api = await self._place.session.ready()
            if suggested:
                return await reading.read_suggestions(
                    api, self._reader.organization or "", cluster, token, limit
                )
            found = await self._page(api, cluster, conditions, token, limit)
            self._place.session.fresh()
            return found

        caches = self._place.session.caches
        source = PagedSource(page, key=lambda each: each.id, limit=ISSUES_AT_ONCE, caches=caches)
        if first is not None:
            source.begin_with(first)
        self.empty = limits.none_so() if limits.chosen else "No issue is left in this cluster."
        if suggested:
            self.empty = "None is left that looks like those of the cluster. h goes back."
        self._replace(source)
        self.say_how_many()
        self.move_first()

    async def _page(
        self, api: Api, cluster: str, conditions: dict[str, Any], token: str | None, limit: int
    ) -> IssuePage:
        """Return a page of the issues of a cluster whose conversations meet conditions.

        A search finds conversations only: these are read with the first page. Raises ``ApiError``.
        """
        organization, sought = self._reader.organization or "", dict(conditions)
        conversation = sought.pop(OF_CONVERSATION.name, None)
        limits = {"cluster": cluster, "conversation": conversation}
        if not sought:
            return await reading.read_issues(api, organization, token, limit, **limits)
        if token is None:
            asked = asked_of_search(sought, self._clusters.sources)
            self.hits = await reading.find_said(api, organization, cluster, asked)
        found = self.hits
        while True:
            rows, token, _ = await reading.read_issues(api, organization, token, limit, **limits)
            kept = [row for row in rows if row.conversation in found]
            if kept or token is None:
                return kept, token, None

    async def read_first(self, api: Api, cluster: str) -> IssuePage | None:
        """Return the first page of a cluster's issues; None where reading it fails.

        What is shown goes away only if that takes a while: it is drawn, and laid out, once.
        """
        slow = asyncio.get_running_loop().call_later(SLOW_SECONDS, self.show_none)
        try:
            conditions = dict(self._clusters.limits.conditions)
            return await self._page(api, cluster, conditions, None, ISSUES_AT_ONCE)
        except failure_types():
            return None  # the list reads it again, and says why it cannot
        finally:
            slow.cancel()

    def show_none(self, said: str = "") -> None:
        """Show no issues: those of another cluster are not those of this one."""
        self.cluster, self.title, self.empty = None, "Issues", said or self.reading
        self._replace(ListSource(key=lambda row: row.id))

    def _replace(self, source: Source[IssueRow]) -> None:
        old = self.source.base
        if isinstance(old, PagedSource):
            old.close()
        self.source = source

    def seek(self, wanted: str | None = None, cluster: str | None = None) -> None:
        """Go to the issue that is meant as soon as it is read, unless the reader went elsewhere.

        It is one of ``cluster``, or of that with which the place was gone to.
        """
        if wanted:
            self._sought, self._sought_in = wanted, cluster or self._place.target.cluster
        base, sought = self.source.base, self._sought
        if sought is None or self.cluster != self._sought_in:
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
        row = self._clusters.selected
        if row is not None and row.id == self.cluster:
            # How many are found is not known before all of them are read.
            of = "of " if self.limits.chosen else ""
            self.title = f"Issues {of}{row.issues}   {self.limits.line() or 'newest first'}"
            if self.suggested:
                self.title = offered(self, "Not in it, but alike   a takes one, x refuses it")
            self.retitle()


def at_clusters(here: ClustersPlace) -> str | None:
    """Say so when there is nothing further to the left."""
    return "This is the first column." if here.pane in (here.clusters, here.about) else None


def at_conversation(here: ClustersPlace) -> str | None:
    """Say so when there is nothing further to the right."""
    if here.pane is here.reader.view:
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
        "get_conversations_analysis",
    ),
)
class ClustersPlace(Place, scope="clusters"):
    """Clusters at the left, the issues of one in the middle, a conversation at the right."""

    COLUMNS = ("title", "source", "likeness", "age")
    RAW = ("get_issues_cluster", "get_conversation_issue", "get_conversation")
    COMMAND_CLASSES = (ClusterCommands, ClusterRequestCommands, LimitCommands, ConversationReader)
    CONDITIONS = (OF_CONVERSATION,)

    CSS_PATH = style_path("clusters")
    AUTO_FOCUS = "#clusters"
    HORIZONTAL_BREAKPOINTS = VAST

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.reader = self.commands_of(ConversationReader)
        self.limits = self.commands_of(LimitCommands)
        self.limits.unlimited = NOT_SEARCHED
        self.limits.of_front = lambda: self.list_in_front.limits
        self.add_class("-in-left")
        self.views = VIEWS
        self.view = self.view if self.view in {each.id for each in VIEWS} else VIEWS[0].id
        self.requests = ClusterRequests(self, self.reader, self.show_about)

    # What a place says of itself

    def panes(self) -> ComposeResult:
        self.clusters = ClusterList(
            self,
            self.requests,
            conversations=lambda cluster: self.issues.conversations_of(cluster),
            listed=self.listed,
            open_issues=lambda: self.enter(self.issues),
            suggested=self._show_suggested,
            written=self._cluster_written,
        )
        self.about = Facts(title="Cluster", empty="No cluster is selected.", id="about")
        self.issues = IssueList(self, self.clusters, self._issues_written)
        yield Part("left", self.clusters, self.about)
        yield Part("main", self.issues)
        view = self.reader.take(self.issues, "No issue is open: Enter opens one.")
        view.first = (self.issues.keys,)
        yield Part("side", view)

    def trail(self) -> Iterable[str]:
        yield "Clusters"
        row = self.clusters.selected
        if row is not None and self.pane in (self.issues, self.reader.view):
            yield self.reader.shown(row.label)

    def raw(self) -> Raw | None:
        """Return where the JSON of the cluster, the issue or the conversation comes from."""
        organization, masked = self.reader.organization, self.reader.masked
        if organization is None:
            return None
        if self.pane in (self.issues, self.reader.view):
            row = self.issues.selected
            if row is None:
                return None
            if self.pane is self.reader.view:
                return conversation_raw(organization, row.conversation, masked=masked)
            return issue_raw(organization, row.id, masked=masked)
        cluster = self.clusters.selected
        return None if cluster is None else cluster_raw(organization, cluster.id, masked=masked)

    def url(self) -> str | None:
        if self.pane in (self.issues, self.reader.view):
            row = self.issues.selected
            return (row.address or None) if row is not None else None
        cluster = self.clusters.selected
        return (cluster.address or None) if cluster is not None else None

    def things(self) -> Sequence[Thing]:
        if self.pane in (self.issues, self.reader.view):
            return [self.reader.issue_thing(row) for row in self.issues.chosen()]
        cluster = self.clusters.selected
        if cluster is None:
            return []
        return [
            self.reader.thing(
                "cluster", cluster.id, cluster.label, cluster.address,
                status="closed" if cluster.closed else "open",
            )
        ]  # fmt: skip

    def copies(self) -> Sequence[tuple[str, str]]:
        if self.pane in (self.issues, self.reader.view):
            row = self.issues.selected
            if row is None:
                return []
            found = [
                *self.reader.copies(),
                ("source", "" if self.withheld() else row.address),
                ("title", self.reader.shown(row.title)),
                ("id", row.id),
                ("conversation id", row.conversation),
            ]
        else:
            cluster = self.clusters.selected
            if cluster is None:
                return []
            found = [
                ("address", "" if self.withheld() else cluster.address),
                ("name", self.reader.shown(cluster.label)),
                ("summary", self.reader.shown(cluster.summary)),
                ("id", cluster.id),
            ]
        return [(name, text) for name, text in found if text]

    def status_left(self) -> str:
        if self.pane in (self.issues, self.reader.view):
            if said := super().status_left():
                return said
            return self.reader.masking
        count = self.clusters.source.count
        return super().status_left() or ("" if count is None else plural(count, "cluster"))

    def views_note(self) -> str:
        """Say for as long as it is so that personal data can be read, or numbers may rise."""
        return super().views_note() or self.requests.analysing_said()

    def signs(self) -> Sequence[tuple[str, str]]:
        bars = glyphs().spark
        return [
            *super().signs(),
            (f"{bars[0]}{bars[-1]}", "a week without an issue, and the one with the most"),
            (glyphs().merged, "a change request for it was merged in that week"),
            ("ISS CONV", "issues it holds, and conversations they are from"),
            ("WEEK", "x2.8: this week against the usual, where that is beyond chance"),
            ("CRS", "change requests for it: 2o open, 1d drafts, 3m merged in these weeks"),
            *((present.VIEWS[name], meant) for name, meant in present.VIEWS_MEAN.items()),
        ]

    def gone_to(self) -> None:
        """Go to the cluster that is meant, wherever the cursor has been since."""
        wanted = self.target.cluster
        if wanted is None:
            return
        if wanted == self.clusters.selected_id:
            self.issues.seek(self.target.item)
        elif self.clusters.select(wanted):
            self.enter(self.issues)
        else:
            self.clusters.wanted = wanted
            if self.clusters.limits.chosen:  # they may leave it out
                self.clusters.limits.forget()
                self.clusters.forget_known()
            self.clusters.read_all()

    # The conversations

    def withheld(self) -> str | None:
        return self.reader.withheld(self.url())

    def conversation_of(self, row: IssueRow) -> tuple[str, IssueRow | None]:
        return row.conversation, row

    def show_again(self) -> None:
        """Draw everything again: masking was switched."""
        draw_again(self.clusters)
        self.show_about()

    def conditions_known(self) -> Sequence[Condition]:
        """Return what the service limits the issues of a cluster by, or the clusters."""
        of_issues = self.CONDITIONS if self.list_in_front is self.issues else ()
        if self.session.without([SEARCH]) is not None:
            return of_issues
        said = said_conditions(self.session, SEARCH, self.reader.attributes)
        return (*of_issues, of_source(self.clusters.sources), *said)

    @property
    def list_in_front(self) -> ClusterList | IssueList:
        """The list that conditions, filters and orders are for."""
        among = self.pane in (self.issues, self.reader.view)
        return self.issues if among else self.clusters

    def ask_anew(self) -> None:
        """Read the list in front from its beginning."""
        if self.list_in_front is self.issues:
            self.issues.read_anew()
        else:
            self.clusters.forget_known()
            self.clusters.show_view()
            if self.clusters.paged:
                self._read_pages()

    # Clusters

    def view_changed(self) -> None:
        self.clusters.show_view()

    def listed(self) -> None:
        """Show what belongs to clusters that were read."""
        self.issues.say_how_many()
        self.requests.count_again()
        self.clusters.tally()
        self._look()

    def show_about(self) -> None:
        """Show the facts of the cluster under the cursor."""
        row = self.clusters.selected
        if row is None:
            self.about.show([], title="Cluster")
        else:
            self.about.show(self.requests.facts_of(row), title=self.reader.shown(row.label))

    def on_screen_suspend(self) -> None:
        """Take note of whether another place is gone to, where requests may be changed."""
        self.requests.leave()

    def on_screen_resume(self) -> None:
        """Follow what became of the change requests meanwhile."""
        self.requests.come_back()

    def reload(self) -> None:
        self.requests.doubt()
        self.requests.read_besides()
        clusters, issues = self.clusters.source.base, self.issues.source.base
        whole = not isinstance(clusters, PagedSource) or not self.clusters.paged
        if self.clusters.wanted is not None or whole:
            self.clusters.read_all()
        else:
            self._read_pages()
        if isinstance(issues, PagedSource):
            self.reads.load(
                "issues again", lambda _: issues.refresh(), lambda _: None, what="Reading issues"
            )
        self.reader.read_again()

    def _read_pages(self) -> None:
        """Read the list of the service again, as far as it was read, and what belongs to it."""
        if isinstance(pages := self.clusters.source.base, PagedSource):
            self.reads.load(
                "clusters", lambda _: pages.refresh(), lambda _: self.listed(),
                what="Reading clusters",
            )  # fmt: skip

    def poll(self) -> None:
        """Read the clusters again quietly, also those that are sorted here."""
        if self.requests.analysing_said():
            self.requests.read_besides()
        self.requests.doubt()
        base = self.clusters.source.base
        if isinstance(base, ListSource) and self.clusters.wanted is None:
            self.reads.load(
                "clusters",
                self.clusters.all_of,
                self.clusters.merge_known,
                what="Reading again",
            )
        else:
            self.clusters.tally()
            super().poll()

    # By hand

    def _show_suggested(self) -> None:
        self.issues.show_suggested(on=True)
        self.show_pane(self.issues)

    def _cluster_written(self, cluster: str) -> None:
        """Read again what a write to a cluster changed, its issues too, and go to it."""
        self.issues.cluster = None
        self.clusters.show_written(cluster)

    def _issues_written(self, cluster: str) -> None:
        """Read again what a write to issues changed; who sorts issues goes on where they are."""
        self.issues.read_anew()
        self.clusters.show_written()

    def turned(self, results: Sequence[Any]) -> None:
        """Read the issues anew: those that were put back are there at once."""
        self.issues.read_anew()
        super().turned(results)

    def nothing_meant(self) -> str | None:
        """Return why there is nothing to begin a change request for."""
        return no_row(self.clusters, "No cluster selected.")

    async def meant(self) -> AnsweredCluster | None:
        """Return the cluster, with the issues that are marked, or that is read."""
        row, shown = self.clusters.selected, self.reader.shown
        if row is None:
            return None
        among = self.pane in (self.issues, self.reader.view) or bool(self.issues.marks)
        issues = self.issues.chosen() if among else []
        told = "\n\n".join(filter(None, (shown(row.summary), described(issues, shown))))
        requests = self.requests.of(row)
        space = requests[0].space if requests else None
        return AnsweredCluster(row.id, shown(row.label), told, issues, space)

    def begun(self, cluster: str, request: ChangeRequest) -> None:
        """Have gc go to a change request that was begun or linked."""
        self.commands_of(ClusterCommands).begun[cluster] = str(request.status)

    # Details

    def follow_cursor(self, rows: Pane) -> None:
        if rows is self.clusters:
            self._look()
        else:
            self.issues.seek()
            self.reader.follow()

    def _look(self) -> None:
        row = self.clusters.selected
        self.show_about()
        if row is not None:
            self.requests.read_of(row)
        self.requests.count_on_screen()
        if row is None:
            self.issues.show_none(NONE_OPEN)
            return
        # The issues of another cluster that are still being read would take away those of this one.
        self.reads.cancel("issues")
        if not self.has_class("-narrow") and not self.issues.is_of(row.id):
            self.reads.load(
                "issues",
                lambda api: self.issues.read_first(api, row.id),
                lambda first: self.issues.show_of(row.id, first),
                what="Reading issues",
                after=REST_SECONDS,
                kept="never",  # the list shows what is cached where this fails
            )

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._follow_if_unread)

    def _follow_if_unread(self) -> None:
        """Read the issues too where there is room for them by now."""
        if self.framed and self.issues.cluster is None:
            self._look()
        self.reader.follow_if_unread()

    # From column to column

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.enter(self.issues if event.list is self.clusters else self.reader.view)
        cluster = self.clusters.selected
        if event.list is self.clusters and cluster is not None and cluster.found_issue:
            self.issues.seek(cluster.found_issue, cluster.id)
            if self.issues.limits.chosen:
                self.say("Only what was found in it: :where alone shows all of its issues.")

    def enter(self, pane: Pane) -> None:
        """Go to a column, with what it shows."""
        if pane is self.issues and self.clusters.selected_id is not None:
            self.reads.cancel("issues")
            self.issues.show_of(self.clusters.selected_id)
        elif pane is self.reader.view and self.issues.selected is not None:
            self.reader.read(self.issues.selected)
        self.show_pane(pane)
        issue = self.issues.selected
        if pane is self.reader.view and issue is not None and self.issues.limits.chosen:
            words = self.issues.hits.get(issue.conversation)
            if words:
                self.reader.view.find(words)  # n goes to the next of these words

    @action("l", "open", word="right",
            unless=at_conversation, show=False, group="Move", also=("right",))  # fmt: skip
    def go_right(self) -> None:
        """Go on to the right: the issues of the cluster, then the conversation."""
        self.enter(self.reader.view if self.pane is self.issues else self.issues)

    @action("h", "back", word="left", unless=at_clusters, show=False, group="Move", also=("left",))
    def go_left(self) -> None:
        """Go back to the left: the issues, then the clusters. Their cursors stay."""
        self._enter_left()

    def _enter_left(self) -> bool:
        if self.pane not in (self.issues, self.reader.view):
            return False
        if self.pane is self.issues and self.issues.suggested:
            self.issues.show_suggested(on=False)
            return True
        self.enter(self.issues if self.pane is self.reader.view else self.clusters)
        return True

    def step_within(self, *, closes: bool) -> bool:
        """Step back a column to the left."""
        return self.pane is not None and not self.pane.found and self._enter_left()

    # How it looks

    @command("scale", "SAME | OWN", complete=lambda here: ("same", "own"))
    def choose_scale(self, rest: str) -> None:
        """Draw all charts on one scale (``:scale same``), or each on its own (``:scale own``)."""
        if rest not in ("same", "own"):
            self.say("Say :scale same or :scale own.", "warn")
            return
        self.clusters.scale(same=rest == "same")
