"""All conversations of an organization, or those from one source, and all issues found in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual import events
from textual.app import ComposeResult

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.filter import fold
from copydesk.domain.ingest_frames import Complaint
from copydesk.domain.own_command import Thing
from copydesk.domain.source_name import is_source_id, source_id
from copydesk.domain.text import clean, few, plural, shorten
from copydesk.local.paths import expanded
from copydesk.present.cluster import cluster_facts
from copydesk.present.cluster_tables import (
    clusters_of,
    conversation_entry,
    conversations_table,
    issues_table,
)
from copydesk.present.conversation import NAME_LIMIT
from copydesk.present.conversation import since as issue_age
from copydesk.present.facts import Fact, hint
from copydesk.present.raw_json import Raw
from copydesk.session.cluster_rows import ClusterRow, IssueRow
from copydesk.session.operations import ops
from copydesk.session.reads import clusters as reading
from copydesk.session.target import Target
from copydesk.tui.conversations.cluster_commands import (
    AnsweredCluster,
    ClusterRequestCommands,
    described,
)
from copydesk.tui.conversations.cluster_edits import IssueKeys
from copydesk.tui.conversations.reader import (
    ALL,
    NO_ORGANIZATION,
    ONE,
    ConversationList,
    ConversationReader,
)
from copydesk.tui.conversations.rows import (
    OF_CLUSTER,
    OF_CONVERSATION,
    WORDS,
    WORDS_KEY,
    ConversationRow,
    Sources,
    asked_of_search,
    cluster_cell,
    conversation_fields,
    conversation_row,
    filtering,
    found_row,
    go_to_cluster,
    hit_column,
    issue_fields,
    named,
    of_source,
    said_conditions,
    since,
    state,
    subject,
    with_words,
)
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.keyboard import run_command
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import VAST, Part, Place, View, style_path
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.resource.resource import Condition
from copydesk.tui.widgets.facts import WideFacts
from copydesk.tui.widgets.list import Column, VirtualList, no_row
from copydesk.tui.widgets.scanned_list import ScannedList, ScannedPages, SiftedPages

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.domain.ingest_file import Item


MOST = 500
"""Conversations that are sent from here; more are for the command line, which sends batches."""

SAID = 12
"""Complaints about a file that are shown."""


class IngestCommands(Commands, scope="conversations"):
    """Sends conversations that support exported."""

    place: ConversationsPlace

    @command("ingest", "FILE", uses="ingest_conversation")
    async def ingest(self, rest: str) -> None:
        """Send the conversations of a file, after showing them; one sent before is replaced."""
        organization = self.place.organization
        if organization is None:
            self.place.say("No organization is chosen: g o lists yours.", "warn")
            return
        if not rest:
            self.place.say("Say which file: :ingest FILE, as in :ingest export.json.", "warn")
            return
        try:
            items, complaints = await asyncio.to_thread(_read, rest)
        except OSError as error:
            self.place.say(
                f"Not read: {clean(error.strerror or str(error))}: {clean(rest)}", "warn"
            )
            return
        if not items:
            why = f": {complaints[0]}" if complaints else "."
            self.place.say(f"There is no conversation to send in {clean(rest)}{why}", "warn")
        elif len(items) > MOST:
            self.place.say(
                f"{len(items)} conversations; from here {MOST} at most are sent. “copydesk "
                "conversations send” takes any number.",
                "warn",
            )
        elif not complaints or await self._without(complaints, items):
            await self._hand_in(organization, items)

    async def _without(self, complaints: list[Complaint], items: list[Item]) -> bool:
        """Ask whether to leave out what cannot be sent."""
        said = [str(each) for each in complaints[:SAID]]
        if len(complaints) > SAID:
            said.append(f"and {len(complaints) - SAID} more")
        sheet = Confirm(
            f"{plural(len(complaints), 'complaint')} about the file",
            said,
            verb=f"go on with the other {len(items)}",
        )
        answer: bool | None = await self.app.push_screen_wait(sheet)
        return answer is True

    async def _hand_in(self, organization: str, items: list[Item]) -> None:
        async def send(number: int) -> None:
            await self._send(organization, items[number])

        sheet = RunSheet(
            f"Send {plural(len(items), 'conversation')}",
            [_line(item) for item in items],
            send,
            verb="send",
            facts=(
                "This cannot be undone: the service deletes no conversation.",
                "What is there under the same ids is replaced. Nothing is masked: “copydesk "
                "conversations send --mask FILE” masks.",
            ),
            left="send no more",
        )
        sent = cast("int | None", await self.app.push_screen_wait(sheet))
        if sent:
            # Rows that come do not move those that are there.
            new = " (press . to show them)" if self.place.rows.source.length else ""
            self.place.tell(f"Sent {plural(sent, 'conversation')}{new}.", "good")
            self.place.read_again()

    async def _send(self, organization: str, item: Item) -> None:
        """Send one, and look whether it is there where no answer came. Raises `WriteError`."""

        async def look(api: Api) -> bool | None:
            from copydesk.domain.ingest_file import is_there

            try:
                found = await api(ops.get_conversation, organization, item.id)
            except NotFound:
                return None
            return True if is_there(item.conversation, found) else None

        await self.place.writer.perform(
            "Send",
            _line(item),
            lambda api: api.done(ops.ingest_conversation, organization, item.conversation),
            look=look,
        )


def _read(name: str) -> tuple[list[Item], list[Complaint]]:
    """Return the conversations of a file, and the complaints about others. Raises ``OSError``."""
    from copydesk.domain.ingest_formats import read_any

    items: list[Item] = []
    complaints: list[Complaint] = []
    with expanded(name).open("rb") as file:
        for found in read_any(file):
            if isinstance(found, Complaint):
                complaints.append(found)
            else:
                items.append(found)
    return items, complaints


def _line(item: Item) -> str:
    """Return what a conversation is called: its id, which is the sender's own; no word of it."""
    return f"conversation {shorten(clean(item.id), 40)}"


FROM = "from "
"""Begins the id of the view of one source."""

MOST_VIEWS = 20
"""Sources that have a view; ``:source`` goes to any."""

MOST_NAMED = 8
"""Sources that are named in a sentence."""

EMPTY = (
    "No conversations yet. They come in by an integration, or with :ingest FILE, which takes what "
    "support exported, as does “copydesk conversations send FILE”."
)
"""Stands where conversations would."""


MOST_MEANT = 50
"""Marked conversations whose issues are read to begin a change request for them."""


def after_page(page: Page[Any]) -> tuple[str | None, int | None]:
    """Return the token of the next page, and how many there are in all."""
    return page.next.page if page.next is not None else None, page.count


def no_conversation(here: ConversationsPlace) -> str | None:
    """Say why there is no conversation whose cluster could be gone to."""
    if here.rows.selected is not None:
        return None
    return "No conversation selected. :clusters lists the clusters."


class ReaderPlace(Place):
    """A list of what was said to support, beside the conversation that is read."""

    CSS_PATH = style_path("conversations")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.limits = self.commands_of(LimitCommands)
        self.reader = self.commands_of(ConversationReader)
        self.listing = self.commands_of(ConversationList)

    def raw(self) -> Raw | None:
        return self.listing.raw()

    def url(self) -> str | None:
        return self.listing.url()

    def withheld(self) -> str | None:
        return self.reader.withheld(self.url())

    def status_left(self) -> str:
        return self.listing.status(super().status_left())

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


@place("conversations", key="v", title="Conversations", uses="list_conversations")
class ConversationsPlace(ReaderPlace, scope="conversations"):
    """What people wrote to support, the latest first, beside the conversation that is read."""

    COLUMNS = ("subject", "said", "source", "state", "age")
    RAW = ("get_conversation_issue", "get_conversation")
    COMMAND_CLASSES = (
        IngestCommands,
        ClusterRequestCommands,
        LimitCommands,
        ConversationReader,
        ConversationList,
    )
    noun = "conversation"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.view = target.view or (ONE if target.item else ALL)
        self.sources = Sources()
        self._analysing = False
        """Whether one of the read conversations is being analysed."""
        self._was_searching = False
        """Whether the list had what a search found before its conditions changed."""
        if self.view.startswith(FROM):
            self.sources.learn([self.view.removeprefix(FROM)])
            self.view = FROM + self.sources.names[0]

    def panes(self) -> ComposeResult:
        self.rows: ScannedList[ConversationRow] = ScannedList(
            self.pages(),
            self._columns(),
            title="Conversations",
            empty=self.empty(),
            reading="Reading conversations…",
            id="conversations",
        )
        self.views = self.listing.first_views()
        self.rows.note = "newest first"
        self.rows.fields = conversation_fields(self.reader, lambda: self.sources.names)
        self.rows.filter_of = filtering(self.rows.fields)
        yield Part("main", self.rows)
        yield Part("side", self.reader.take(self.rows))

    def _columns(self) -> Sequence[Column[ConversationRow]]:
        found = [
            Column[ConversationRow](
                "subject", "SUBJECT",
                lambda row: subject(row, masked=self.reader.masked), flex=1, minimum=20,
            ),
            hit_column(self.reader.shown),
            Column("source", "FROM", lambda row: self.reader.shown(row.source), 9, drop=1, most=14),
            Column("state", "STATE", state, 9, drop=2),
            Column(
                "age", "AGE", lambda row: since(row, self.session.now), 6, align="right"
            ),
        ]  # fmt: skip
        there = {"state": self._analysing, "said": bool(self.limits.chosen.get(WORDS))}
        return [each for each in found if there.get(each.key, True)]

    # What is listed

    @property
    def source_asked(self) -> str | None:
        """What the service calls the source of the view; None for all."""
        if not self.view.startswith(FROM):
            return None
        return self.sources.called(self.view.removeprefix(FROM))

    def pages(self) -> ScannedPages[ConversationRow]:
        source = self.source_asked
        only = self.target.item if self.view == ONE else None
        sought = dict(self.limits.conditions) if self.searching else {}

        async def page(
            token: str | None, limit: int
        ) -> tuple[list[ConversationRow], str | None, int | None]:
            api = await self.session.ready()
            organization = self.reader.organization
            if organization is None:
                self.rows.empty = NO_ORGANIZATION
                return [], None, 0
            if only is not None:
                rows = await self._one(api, organization, only)
                return rows, None, len(rows)
            if sought:
                return await self._sought(api, organization, token, limit, sought)
            found = await api.page(
                ops.list_conversations, organization, page=token, limit=limit, source=source
            )
            self.session.fresh()
            self.sources.learn(each.source for each in found.items)
            rows = [conversation_row(each) for each in found.items]
            self._tell_states(rows)
            return rows, found.next.page if found.next is not None else None, found.count

        return ScannedPages(page, key=lambda row: row.id, cached=self.listing.cached())

    async def table(self, api: Api, organization: str) -> tuple[str, int]:
        labels = await reading.read_names(api, organization)
        found = clusters_of(await reading.read_every_issue(api, organization))
        only = self.target.item if self.view == ONE else None
        if self.searching:
            sought = asked_of_search(self.limits.conditions, self.sources)
            listed = [
                hit.conversation
                async for hit in api.pages(
                    ops.search_conversations, organization, limit=reading.PAGE, **sought
                )
            ]
        else:
            listed = await reading.read_every_conversation(
                api, organization, source=self.source_asked
            )
        rows = [conversation_entry(each, found) for each in listed if only in (None, each.id)]
        return conversations_table(rows, labels, masked=self.reader.masked), len(rows)

    async def _sought(
        self, api: Api, organization: str, token: str | None, limit: int, sought: Mapping[str, Any]
    ) -> tuple[list[ConversationRow], str | None, int | None]:
        """Return a page of the conversations in which words were said, or that are so."""
        page = await api.page(
            ops.search_conversations,
            organization,
            page=token,
            limit=limit,
            **asked_of_search(sought, self.sources),
        )
        self.session.fresh()
        return [found_row(each) for each in page.items], *after_page(page)

    async def _one(self, api: Api, organization: str, conversation: str) -> list[ConversationRow]:
        """Return the one conversation of the view; nothing where it is gone."""
        try:
            found = await api(ops.get_conversation, organization, conversation)
        except NotFound:
            return []
        self.session.fresh()
        rows = [conversation_row(found.conversation)]
        self._tell_states(rows)
        return rows

    def _tell_states(self, rows: Sequence[ConversationRow]) -> None:
        if not self._analysing and not all(row.analysed for row in rows):
            self._analysing = True
            self.rows.columns = tuple(self._columns())
            self.rows.refresh_rows()

    def empty(self) -> str:
        """Return how conversations come in, or that this source has none."""
        if self.searching:
            return self.limits.none_so()
        if self.view == ONE:
            return "The conversation is gone at its source. 1 shows all of them."
        if self.source_asked is None:
            return EMPTY
        return f"No conversation came from {self.source_name}. 1 shows all of them."

    @property
    def source_name(self) -> str:
        return self.view.removeprefix(FROM)

    def names_of_views(self) -> Sequence[View]:
        """Return All, and the sources that are known."""
        names = [*self.sources.names[:MOST_VIEWS]]
        if self.source_asked is not None and self.source_name not in names:
            names.append(self.source_name)
        found = [View(ALL, "All")]
        if self.target.item is not None:
            found.append(View(ONE, "This one"))
        for name in names:
            source = self.sources.called(name) or ""
            title = name if self.reader.masked else named(source, masked=False)
            found.append(View(FROM + name, title or name))
        return found

    def trail(self) -> Iterable[str]:
        yield from super().trail()
        if self.source_asked is not None:
            yield self.source_name

    def reload(self) -> None:
        show = self.listing.show_views
        self.reads.load("sources", self._read_sources, lambda _: show(), what="Reading sources")
        self.listing.read()

    def poll(self) -> None:
        """Read the list again quietly."""
        self.listing.read()

    async def _read_sources(self, api: Api) -> None:
        """Learn the sources that clusters name: the API lists none, and rows may be far down."""
        organization = self.reader.organization
        if organization is None:
            return
        try:
            page = await api.page(ops.list_issues_clusters, organization, order_by="issues")
        except (Forbidden, NotFound):
            return  # the list of conversations says so
        self.sources.learn(source for cluster in page.items for source in cluster.sources)

    def conditions_known(self) -> Sequence[Condition]:
        """Return that the service limits them by source, with the sources that are known."""
        source = of_source(self.sources)
        if self.session.without(["search_conversations"]) is not None:
            return (source,)
        said = said_conditions(self.session, "search_conversations", self.reader.attributes)
        return (source, *said, OF_CLUSTER)

    @property
    def searching(self) -> bool:
        """Whether the list has what a search finds, and not what the service lists."""
        return any(name != "source" for name in self.limits.conditions)

    @action(
        "f", "find text", show=21, group="Find", uses="search_conversations", types=True,
    word="find_text", )  # fmt: skip
    async def find_said(self) -> None:
        """Find the conversations in which words were said; & limits them by more."""
        before = self.limits.chosen.get(WORDS, "")
        words = await self.desk.push_screen_wait(
            Ask("Find conversations", "Words that were said", draft_key=WORDS_KEY, value=before)
        )
        if words is not None:
            self.session.drafts.drop(WORDS_KEY)
            self.say_words(words)

    @command("said", "WORDS", uses="search_conversations")
    async def find_words(self, rest: str) -> None:
        """Show the conversations in which words were said; alone, all of them again."""
        self.say_words(rest)

    def say_words(self, words: str) -> None:
        """Have the service find conversations by words, besides the other conditions."""
        with_words(self.limits, words)

    def view_changed(self) -> None:
        """Read the conversations of the view; what else they are limited by stays."""
        self._limit_to_view()
        same = self.searching == self._was_searching
        self._was_searching = self.searching
        self._show_search()
        self.listing.read_anew(counts=same)

    def _limit_to_view(self) -> None:
        limits = self.limits.of_front()
        if self.view == ONE:
            limits.forget()
        for each in (limits.conditions, limits.chosen):
            each.pop("source", None)
        if self.source_asked is not None:
            limits.chosen["source"] = self.source_name
            if self.searching:
                limits.conditions["source"] = self.source_name

    def _show_search(self) -> None:
        """Show what was found, and say by what, or that the newest come first."""
        self.rows.columns = tuple(self._columns())
        self.rows.note = self.limits.line() if self.searching else "newest first"

    def ask_anew(self) -> None:
        """Show what a search finds in the view of its source, or all of that or of any source."""
        source = self.limits.conditions.get("source", "")
        self._show_search()
        if self.searching or self._was_searching:
            self._was_searching = self.searching
            known = self.sources.called(source)
            self.view = ALL if known is None else FROM + self.sources.name_of_source(known)
            if not self.searching:
                self._limit_to_view()
            self.listing.read_anew(counts=False)
            if self.searching or known is not None or not source:
                return
        self._limit_to_view()
        self.call_later(run_command, self, self.LINE_COMMANDS["source"], source)

    def _choices(self) -> Sequence[str]:
        return [*self.sources.names, ALL]

    @command(
        "source", "NAME | all", complete=lambda here: here._choices(), uses="list_conversations"
    )
    async def choose_source(self, rest: str) -> None:
        """Show only the conversations from one source (``:source intercom``), or all of them."""
        source = self.sources.called(rest)
        if source is None and fold(rest) in ("", ALL):
            self.choose_view(ALL)
            return
        if source is None and self.reader.organization is not None:
            # The API lists no sources: one that is in no row read so far may still be there.
            api = await self.session.ready()
            for asked in dict.fromkeys((rest, source_id(rest) or rest)):
                page = await api.page(
                    ops.list_conversations, self.reader.organization, limit=1, source=asked
                )
                if page.items:
                    self.sources.learn([asked])
                    source = asked
                    break
        said = clean(rest, limit=NAME_LIMIT)
        if source is None:
            other = "" if is_source_id(rest) else " A source is an identifier, in no other form."
            self.tell(f"No conversation came from “{said}”.{other} {self._known()}", "warn")
            return
        name = self.sources.name_of_source(source)
        self.choose_view(FROM + name)
        if fold(name) != fold(rest):
            self.tell(f"“{said}” is filed under {name}.")

    @action(
        "g k", "its cluster", word="cluster", unless=no_conversation, show=6, group="Go",
        uses="list_conversation_issues",
    )  # fmt: skip
    async def open_cluster(self) -> None:
        """Go to the cluster of the latest issue found in the conversation, or to all clusters."""
        row, organization = self.rows.selected, self.reader.organization
        if row is None or organization is None:
            return
        found = await self.reads.now(
            "issue", lambda: self._issues_of(organization, row.id), "Looking for its issue"
        )
        if found is None:
            self.say("Stopped looking for its issue.")
            return
        target = Target(organization=organization)
        clustered = next((issue for issue in found if issue.cluster), None)
        if clustered is not None:
            target = target.but(cluster=clustered.cluster, item=clustered.id)
        what = "No issue was found in that conversation."
        if found:
            what = "The issue found in that conversation is in no cluster."
        elif not row.analysed:
            what = "That conversation is still being analysed."
        await go_to_cluster(self.desk, target, f"{what} - goes back.")

    async def _issues_of(self, organization: str, conversation: str) -> list[IssueRow]:
        """Return the latest issues that were found in a conversation."""
        api = await self.session.ready()
        rows, _, _ = await reading.read_issues(
            api, organization, None, reading.PAGE, conversation=conversation
        )
        return [row for row in rows if row.conversation == conversation]

    def nothing_meant(self) -> str | None:
        """Return why there is nothing to begin a change request for."""
        return no_conversation(self)

    async def meant(self) -> AnsweredCluster | None:
        """Return the issues of the conversations; where they have none, the first of these."""
        rows, organization, shown = self.rows.chosen(), self.reader.organization, self.reader.shown
        if not rows or organization is None:
            return None
        if len(rows) > MOST_MEANT:
            self.say(f"{len(rows)} are marked; {MOST_MEANT} at most are read at once.", "warn")
            return None

        async def read() -> tuple[list[IssueRow], dict[str, str]]:
            each = [await self._issues_of(organization, row.id) for row in rows]
            issues = [issue for found in each for issue in found]
            clusters = {issue.cluster for issue in issues}
            if len(clusters) != 1 or "" in clusters:
                return issues, {}
            [cluster] = clusters
            api = await self.session.ready()
            return issues, {cluster: await reading.read_label(api, organization, cluster)}

        found = await self.reads.now("issue", read, "Looking for what was found in it")
        if found is None:
            return None
        about = about_issues(*found, shown)
        address = rows[0].address if shown(rows[0].address) == rows[0].address else ""
        name = shown(rows[0].subject) or "What a conversation tells"
        return about or AnsweredCluster("", name, f"From a conversation {address}".strip())

    def begun(self, cluster: str, request: ChangeRequest) -> None:
        """Nothing shows it here."""

    def _known(self) -> str:
        names = self.sources.names
        if not names:
            return "No source is known yet."
        return f"Known: {few(names, MOST_NAMED)}."

    # What a place says of itself

    def conversation_of(self, row: ConversationRow) -> tuple[str, IssueRow | None]:
        return row.id, None

    def things(self) -> Sequence[Thing]:
        return [
            self.reader.thing("conversation", row.id, row.subject, row.address)
            for row in self.rows.chosen()
        ]

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        return self.listing.copies(("subject", self.reader.shown(row.subject)), ("id", row.id))

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.listing.open()
        row = self.rows.selected
        if row is not None and row.hit is not None and row.hit[1]:
            self.reader.view.find(row.hit[1])  # n goes to the next of these words


# Issues

UNCLUSTERED = "unclustered"
"""The view of the issues in no cluster, which the API does not know."""

VIEWS = (View(ALL, "All"), View(UNCLUSTERED, "Unclustered"))

NO_ISSUES = (
    "No issues yet. They are found in conversations (:conversations lists these), which come in by "
    "an integration, or with “copydesk conversations send FILE”."
)
"""Stands where issues would."""

NO_CLUSTER = "That issue is in no cluster. These are all clusters, - goes back."
"""Says why all clusters show."""


def about_issues(
    issues: Sequence[IssueRow], labels: Mapping[str, str], shown: Callable[[str], str]
) -> AnsweredCluster | None:
    """Return issues as what a change request is to answer: their cluster, if they have one."""
    if not issues:
        return None
    clusters = {row.cluster for row in issues}
    cluster = clusters.pop() if len(clusters) == 1 else ""
    name = shown(labels.get(cluster, "")) or shown(issues[0].title)
    told = [shown(row.summary) for row in issues[:1] if row.summary]
    return AnsweredCluster(cluster, name, "\n\n".join([*told, described(issues, shown)]), issues)


CLUSTER = "Cluster"
"""The title of the pane with the facts of the cluster that an issue is in."""

NO_ISSUE = "No issue is selected."

NOT_CLUSTERED = "The issue is in no cluster. m moves it into one, c makes one of it."
"""Said beside an issue that is in none."""

FAR_CLUSTER = "g k shows the cluster."
"""Said beside an issue whose cluster is not among those that were read."""


@place("issues", key="u", title="Issues", uses="list_conversation_issues")
class IssuesPlace(ReaderPlace, scope="issues"):
    """What was found in conversations, the latest first, beside the conversation it came up in."""

    COLUMNS = ("title", "cluster", "source", "age")
    CONDITIONS = (OF_CLUSTER, OF_CONVERSATION)
    RAW = ("get_conversation_issue", "get_conversation")
    COMMAND_CLASSES = (ClusterRequestCommands, LimitCommands, ConversationReader, ConversationList)
    HORIZONTAL_BREAKPOINTS = VAST
    noun = "issue"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.view = target.view or ALL
        self.clusters: Mapping[str, ClusterRow] = {}
        """The clusters by id, from one request."""
        self.labels: dict[str, str] = {}
        """Their names."""

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
                    "age", "AGE", lambda row: issue_age(row, self.session.now), 6, align="right"
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
        self.rows.filter_of = filtering(self.rows.fields)
        keys = IssueKeys(self.rows, self, reader, self._written)
        self.rows.first = (keys,)
        yield Part("main", self.rows)
        view = self.reader.take(self.rows)
        view.first = (keys,)
        self.about = WideFacts(self.facts_of_cluster, empty=NO_ISSUE, id="issue-cluster")
        yield Part("side", view, self.about)

    def _written(self, cluster: str) -> None:
        """Read the list again after a write to issues: those that it no longer lists go away."""
        self.listing.written = True
        self.read_again()

    def nothing_meant(self) -> str | None:
        """Return why there is nothing to begin a change request for."""
        return no_row(self.rows, "No issue selected.")

    async def meant(self) -> AnsweredCluster | None:
        """Return the issues that are marked, or this one, with the cluster that they are in."""
        return about_issues(self.rows.chosen(), self.labels, self.reader.shown)

    def begun(self, cluster: str, request: ChangeRequest) -> None:
        """Take away what is in a cluster now, where only other issues are listed."""
        self.listing.written = True

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
        return (
            NO_ISSUES if self.view == ALL else "Every issue is in a cluster, or there is none yet."
        )

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
        self.reads.load("labels", self._read_clusters, self._know, what="Reading clusters")
        self.listing.read()

    def poll(self) -> None:
        """Read the list again quietly."""
        self.listing.read()

    async def _read_clusters(self, api: Api) -> Mapping[str, ClusterRow]:
        if self.reader.organization is None:
            return {}
        try:
            rows, _, _ = await reading.read_page(
                api, self.reader.organization, "issues", None, reading.PAGE
            )
        except (Forbidden, NotFound):
            return {}  # the list of issues says so
        return {row.id: row for row in rows}

    def _know(self, clusters: Mapping[str, ClusterRow]) -> None:
        if clusters != self.clusters:
            self.clusters = clusters
            self.labels = {each: row.label for each, row in clusters.items()}
            self.rows.refresh_rows()
            self.about.show_again()

    def update_frame(self) -> None:
        """Show the facts of the cluster with each frame that is brought up to date."""
        super().update_frame()
        self.about.show_again()

    def facts_of_cluster(self) -> tuple[list[Fact], str, str]:
        """Return the facts of the cluster of the issue under the cursor, its title and its id."""
        row = self.rows.selected
        if row is None:
            return [], CLUSTER, ""
        found = self.clusters.get(row.cluster or "")
        if found is None:
            said = FAR_CLUSTER if row.cluster else NOT_CLUSTERED
            return [Fact("", hint(said))], CLUSTER, row.cluster or ""
        masked = self.reader.masked
        facts = cluster_facts(found, self.session.now, masked=masked, lists_requests=False)
        return facts, f"{CLUSTER}   {self.reader.shown(found.label)}", found.id

    # What a place says of itself

    def conversation_of(self, row: IssueRow) -> tuple[str, IssueRow | None]:
        return row.conversation, row

    def things(self) -> Sequence[Thing]:
        return [self.reader.issue_thing(row) for row in self.rows.chosen()]

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        return self.listing.copies(
            ("title", self.reader.shown(row.title)),
            ("id", row.id),
            ("conversation id", row.conversation),
        )

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.listing.open()

    @action(
        "g k", "its cluster", word="cluster", show=20, group="Go",
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
