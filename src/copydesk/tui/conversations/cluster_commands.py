"""What can be done about a cluster: exporting all, going to its requests, beginning one."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol, cast

from copydesk.domain.cluster_inverses import request_linked
from copydesk.domain.inverses import request_begun
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural, shorten, shown_subject
from copydesk.present.cluster_tables import clusters_table
from copydesk.present.space_options import space_options
from copydesk.present.spreadsheet import for_spreadsheets
from copydesk.session.cluster_rows import WEEKS, IssueRow
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads import clusters as reading
from copydesk.session.reads.cluster_report import MERGED_PAGES, read_report
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.session.writes.requests import subject_made
from copydesk.tui.conversations.cluster_edits import make_cluster
from copydesk.tui.conversations.rows import WORDS_KEY, with_words
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.dialogs.to_file import table_named, write_asked
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.widgets.list import no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.conversations.clusters import ClustersPlace
    from copydesk.tui.conversations.conversations import ConversationsPlace
    from copydesk.tui.conversations.reader import ConversationReader
    from copydesk.tui.framework.place import Place


def no_cluster(here: ClustersPlace) -> str | None:
    """Say so when the cursor is on no cluster."""
    return no_row(here.clusters, "No cluster selected.")


async def write_report(
    place: Place, organization: str, rest: str, *, masked: bool, what: str = "the report"
) -> None:
    """Write the report on this week of an organization to a file, called as was typed."""
    html = rest.lower().endswith((".html", ".htm"))

    async def read() -> tuple[bytes, str]:
        from copydesk.present.cluster_report_file import report_file

        title, session = place.session.title_of(organization), place.session
        found = await read_report(await session.ready(), organization, title, 1, session.now)
        return report_file(found, html=html, masked=masked), what

    await write_asked(place, rest, "clusters-{}.md", read, masked=masked)


class ClusterCommands(Commands, scope="clusters"):
    """What can be done about a cluster."""

    place: ClustersPlace

    def __init__(self, place: ClustersPlace) -> None:
        super().__init__(place)
        self.begun: dict[str, str] = {}
        """The status of requests begun here, by cluster, until somebody goes to one."""

    @command(
        "export", "csv [FILE]", complete=lambda here: ("csv",),
        uses=("list_issues_clusters", "list_organization_change_requests"),
    )  # fmt: skip
    async def export(self, rest: str) -> None:
        """Write all clusters to a file, for a spreadsheet: weeks, sources, counts, trend.

        Without a name it is clusters-DATE.csv in the folder that copydesk was started in. What is
        masked on screen is masked in the file.
        """
        name, organization = table_named(self.place, rest), self._organization
        if name is None or organization is None:
            return

        async def read() -> tuple[bytes, str]:
            api, now = await self.place.session.ready(), self.place.session.now
            rows = await reading.read_all(api, organization, "issues")
            since = now - timedelta(weeks=WEEKS)
            merges = await reading.read_merges(api, organization, since, pages=MERGED_PAGES)
            text = clusters_table(rows, now, merges, self.place.reader.shown)
            limited = self.place.clusters.limits.chosen or self.place.clusters.found
            many = plural(len(rows), "cluster")
            return for_spreadsheets(text), f"all {many}" if limited else many

        masked = self.place.reader.masked
        await write_asked(self.place, name, "clusters-{}.csv", read, masked=masked)

    @command(
        "report", "[FILE]",
        uses=(
            "list_issues_clusters",
            "list_organization_change_requests",
            "list_conversation_issues",
            "get_conversation",
        ),
    )  # fmt: skip
    async def report(self, rest: str) -> None:
        """Write a report on this week: what came up most, what was done, and whether it helped.

        It is HTML in a file called so (report.html), else Markdown; without a name it is Markdown
        in the folder that copydesk was started in, with the date in its name. What is masked on
        screen is masked in it. “copydesk clusters report” has more weeks.
        """
        if (organization := self._organization) is not None:
            masked = self.place.reader.masked
            limited = self.place.clusters.limits.chosen or self.place.clusters.found
            what = "the report on all clusters" if limited else "the report"
            await write_report(self.place, organization, rest, masked=masked, what=what)

    @property
    def _organization(self) -> str | None:
        """The organization whose clusters these are; that there is none is said."""
        found = self.place.reader.organization
        if found is None:
            self.place.say("No organization selected.", "warn")
        return found

    @action("f", "find text", word="find_text",
            show=4, group="Find", uses="search_conversations", types=True)  # fmt: skip
    async def find_said(self) -> None:
        """Find conversations by words that were said in them, on the screen of conversations."""
        words = await self.app.push_screen_wait(
            Ask("Find conversations", "Words that were said", draft_key=WORDS_KEY)
        )
        if not words:
            return
        self.place.session.drafts.drop(WORDS_KEY)
        await self.app.go("conversations", Target(organization=self._organization))
        here = self.place.desk.here
        if here is not None and here.PLACE == "conversations":
            cast("ConversationsPlace", here).say_words(words)

    @command("said", "WORDS", uses="search_issues_clusters")
    async def find_words(self, rest: str) -> None:
        """Show the clusters in whose conversations words were said; alone, all of them again."""
        self.place.enter(self.place.clusters)
        with_words(self.place.limits, rest)

    @action("g c", "its changes", unless=no_cluster, uses="list_organization_change_requests",
            word="changes", show=20, group="Go")  # fmt: skip
    async def open_requests(self) -> None:
        """Go to the change requests that answer this cluster: the open ones, if there are any."""
        row = self.place.clusters.selected
        if row is None:
            return
        known = [request.status for request in self.place.requests.of(row)]
        # What was begun here is looked for first, then the open ones.
        first = self.begun.pop(row.id, None) or (known[0] if known else "")
        view = first if first in ("draft", "merged") else None
        target = Target(organization=self.place.reader.organization, cluster=row.id, view=view)
        await self.app.go("changes", target)


# Change requests for what people struggle with


@dataclass(frozen=True)
class AnsweredCluster:
    """What a change request is to answer: a cluster, and which of its issues are meant.

    ``cluster`` is its id; "" where the issues are in none yet, and where there are no issues. Texts
    are as they may be seen now.
    """

    cluster: str
    name: str
    text: str
    issues: Sequence[IssueRow] = ()
    space: str | None = None
    """The space that is offered first."""


class HasAbout(Protocol):
    """What a place says of the row that a change request is begun for."""

    reader: ConversationReader

    def nothing_meant(self) -> str | None:
        """Return why there is nothing to begin a change request for; None where there is."""

    async def meant(self) -> AnsweredCluster | None:
        """Return what is meant, reading it if need be; None where that was stopped."""

    def begun(self, cluster: str, request: ChangeRequest) -> None:
        """Show what became of it: a change request was begun or linked."""


def nothing_meant(here: HasAbout) -> str | None:
    """Say why there is nothing to begin a change request for."""
    return here.nothing_meant()


def described(issues: Sequence[IssueRow], shown: Callable[[str], str]) -> str:
    """Return issues as a list for a description, each with where it was told if that may show."""
    lines: list[str] = []
    for row in issues[:DESCRIBED]:
        address = row.address if shown(row.address) == row.address else ""
        lines.append(f"- {shown(row.title)}" + (f" ({address})" if address else ""))
    if len(issues) > DESCRIBED:
        lines.append(f"- and {len(issues) - DESCRIBED} more")
    return "\n".join(lines)


class ClusterRequestCommands(Commands, scope="conversation_list"):
    """Beginning a change request for a cluster, an issue or a conversation, and linking one."""

    place: Place

    @property
    def _here(self) -> HasAbout:
        return cast("HasAbout", self.place)

    @action(
        "ctrl+n", "new change", word="new", unless=nothing_meant, danger=1, show=19, group="Write",
        uses=("create_change_request", "create_issues_cluster"), types=True, takes="marked",
    )  # fmt: skip
    async def begin(self) -> None:
        """Begin a change request about this cluster, or the marked issues, in a space you choose.

        Issues that are in no cluster become one, where the service has clusters by hand.
        """
        reader, organization = self._here.reader, self._here.reader.organization
        about = await self._here.meant()
        if about is None or organization is None:
            return
        api = await self.place.session.ready()
        desk = await self.place.reads.now(
            "plan", lambda: read_desk(api, organization), "Reading spaces"
        )
        if desk is None:
            return
        spaces = space_options(desk.nodes, about.space)
        if not spaces:
            self.place.tell("There is no space here that you may edit.", "warn")
            return
        space = await self.app.push_screen_wait(Choice("In which space?", spaces, before_text=True))
        if not space:
            return
        title = next(option.title for option in spaces if option.id == space)
        made: list[ChangeRequest] = []
        key = (
            "change request of cluster "
            f"{about.cluster or about.issues[0].id if about.issues else '-'}"
        )
        cluster = about.cluster
        makes = not cluster and bool(about.issues) and self._makes_clusters

        async def send(values: Mapping[str, str]) -> None:
            nonlocal cluster
            group = secrets.token_hex(8) if makes else ""
            if makes and not cluster:
                cluster = await self._cluster_of(organization, about, group)

            async def begin(api: Api) -> ChangeRequest:
                made[:] = [
                    await reading.begin_request(
                        api, space, cluster, values["subject"], values["description"]
                    )
                ]
                return made[0]

            await self.place.writer.perform(
                "Begin",
                values["subject"],
                begin,
                reversal=lambda request: request_begun(space, request.id),
                draft=key,
                group=group,
            )

        facts = {
            "": "Listed with no cluster.",
            "new": "The issue becomes a cluster, which lists it."
            if len(about.issues) == 1
            else f"The {len(about.issues)} issues become a cluster, which lists it.",
        }
        said = f"Listed with the cluster “{about.name}”."
        form = Form(
            f"New change request in {title}",
            [
                Field("subject", "Subject", subject_made(about.name), _subject_wrong),
                Field("description", "Description", about.text, lines=8),
            ],
            draft_key=key,
            facts=[said if cluster else facts["new" if makes else ""]],
            verb="begin",
            new=True,
            send=send,
        )
        if not await self.app.push_screen_wait(form):
            return
        [request] = made
        if reader.is_attached:
            self._here.begun(cluster, request)
        self.place.tell(
            f"Begun #{request.number} in “{title}”, {clean(str(request.status))}. u archives it.",
            "good",
        )
        self.place.read_again()

    @property
    def _makes_clusters(self) -> bool:
        return self.place.session.without(["create_issues_cluster"]) is None

    async def _cluster_of(self, organization: str, about: AnsweredCluster, group: str = "") -> str:
        """Make a cluster of the issues that are meant; return its id."""
        from copydesk.contract.models.cluster import IssuesClusterCreate

        body = IssuesClusterCreate(
            label=shorten(about.name, 120), issues=[row.id for row in about.issues]
        )
        before = {row.id: row.cluster for row in about.issues}
        made = await make_cluster(self.place, organization, body, before, group=group)
        return made.id

    @action(
        "L", "link change", unless=nothing_meant, danger=1, show=5, group="Write",
        uses=(
            "link_cluster_change_request",
            "unlink_cluster_change_request",
            "create_issues_cluster",
            "list_organization_change_requests",
        ),
        types=True, takes="marked",
    )  # fmt: skip
    async def link(self) -> None:
        """Say which change request answers this cluster, or the cluster of the marked issues.

        One that is linked already is listed as such: chosen again it is taken off. One that answers
        another cluster is listed with that, and moved once that is confirmed.
        """
        reader, organization = self._here.reader, self._here.reader.organization
        about = await self._here.meant()
        if about is None or organization is None:
            return
        if not about.cluster and not about.issues:
            self.place.say("No issue was found in it: ctrl+n begins a change request.", "warn")
            return

        async def read() -> tuple[list[ChangeRequest], Mapping[str, str], Mapping[str, str]]:
            api = await self.place.session.ready()
            requests, desk, labels = await asyncio.gather(
                reading.read_linkable(api, organization),
                read_desk(api, organization),
                reading.read_names(api, organization),
            )
            return requests, {each.id: each.title for each in space_options(desk.nodes)}, labels

        read_all = await self.place.reads.now("linkable", read, "Reading change requests")
        if read_all is None:
            return
        found, titles, labels = read_all

        def other(request: ChangeRequest) -> str:
            """Return what the other cluster is called that a change request answers."""
            return shorten(reader.shown(labels.get(_answers(request), "")) or "another cluster", 40)

        # Those that answer it first, then those that answer nothing yet.
        found.sort(key=lambda each: (_answers(each) != about.cluster, bool(_answers(each))))
        options = [
            Option(
                each.id,
                f"{titles.get(each.space, '')} #{each.number} "
                + reader.shown(shown_subject(each.subject)),
                "linked" if about.cluster and _answers(each) == about.cluster
                else f"answers {other(each)}" if _answers(each) else clean(str(each.status)),
            )
            for each in found
        ]  # fmt: skip
        if not options:
            self.place.say("There is no open change request and no draft: ctrl+n begins one.")
            return
        chosen = await self.app.push_screen_wait(
            Choice(f"Which answers “{shorten(about.name, 40)}”?", options)
        )
        if not chosen:
            return
        request = next(each for each in found if each.id == chosen)
        before, group = _answers(request), ""
        cluster = about.cluster
        moves = bool(before) and before != cluster
        if moves and not await self._moves_from(request, other(request), about.name):
            return
        if not cluster:
            group = secrets.token_hex(8)
            cluster = await self._cluster_of(organization, about, group)
        takes_off = before == cluster
        send = ops.unlink_cluster_change_request if takes_off else ops.link_cluster_change_request
        await self.place.writer.perform(
            "Unlink" if takes_off else "Link",
            f"#{request.number}",
            lambda api: api(send, organization, cluster, request.id),
            reversal=request_linked(
                organization, request.space, request.id, before, "" if takes_off else cluster
            ),
            group=group,
        )
        said = f"Linked #{request.number}. u takes it off."
        if takes_off:
            said = f"Took #{request.number} off. u links it again."
        elif moves:
            said = f"Linked #{request.number}, no longer to “{other(request)}”. u puts it back."
        self.place.tell(said, "good")
        self._here.begun("" if takes_off else cluster, request)
        self.place.read_again()

    async def _moves_from(self, request: ChangeRequest, other: str, name: str) -> bool:
        """Ask whether a change request is to answer another cluster than it does."""
        sheet = Confirm(
            f"Link #{request.number} with another cluster",
            [
                f"#{request.number} answers “{other}” now.",
                f"It will answer “{shorten(name, 40)}”: a change request answers one cluster.",
            ],
            verb="move it",
            leaves="leave it there",
        )
        answer: bool | None = await self.app.push_screen_wait(sheet)
        return answer is True


def _answers(request: ChangeRequest) -> str:
    return request.conversations_issues_cluster or ""


DESCRIBED = 20
"""Issues that are named in the description of a change request."""


def _subject_wrong(text: str) -> str | None:
    """Return what is wrong with a subject, by the limits that the contract declares."""
    from pydantic import ValidationError

    from copydesk.contract.models.change_request import ChangeRequestCreate

    if not text:
        return "say what it is about"
    try:
        ChangeRequestCreate(subject=text)
    except ValidationError as error:
        return str(error.errors()[0]["msg"]).replace("String should have", "has to have")
    return None
