"""What can be done about a cluster: exporting all, going to its requests, beginning one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from copydesk.domain.inverses import request_begun
from copydesk.domain.text import clean, plural
from copydesk.present.cluster_tables import clusters_table
from copydesk.present.space_options import space_options
from copydesk.present.spreadsheet import for_spreadsheets
from copydesk.session.cluster_rows import WEEKS
from copydesk.session.reads import clusters as reading
from copydesk.session.reads.cluster_report import MERGED_PAGES, read_report
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.session.writes.requests import subject_made
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.dialogs.to_file import table_named, write_asked
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.widgets.list import no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.conversations.clusters import ClustersPlace


def no_cluster(here: ClustersPlace) -> str | None:
    """Say so when the cursor is on no cluster."""
    return no_row(here.clusters, "There is no cluster here.")


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
            return for_spreadsheets(text), plural(len(rows), "cluster")

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
        html, organization = rest.lower().endswith((".html", ".htm")), self._organization
        if organization is None:
            return

        async def read() -> tuple[bytes, str]:
            from copydesk.present.cluster_report_html import report_file

            session = self.place.session
            title = session.title_of(organization)
            found = await read_report(await session.ready(), organization, title, 1, session.now)
            return report_file(found, html=html, masked=masked), "the report"

        masked = self.place.reader.masked
        await write_asked(self.place, rest, "clusters-{}.md", read, masked=masked)

    @property
    def _organization(self) -> str | None:
        """The organization whose clusters these are; that there is none is said."""
        found = self.place.reader.organization
        if found is None:
            self.place.say("There is no organization here.", "warn")
        return found

    @action(
        "g c",
        "its requests",
        unless=no_cluster,
        uses="list_organization_change_requests",
        show=20,
        group="Go",
    )
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

    @action(
        "ctrl+n",
        "new request",
        unless=no_cluster,
        danger=1,
        show=19,
        group="Write",
        uses=(
            "create_change_request",
            "list_issues_clusters",
            "list_conversation_issues",
        ),
        types=True,
    )
    async def begin(self) -> None:
        """Begin a change request about this cluster, in a space that you choose."""
        row, organization = self.place.clusters.selected, self.place.reader.organization
        if row is None or organization is None:
            return
        self.place.say("Reading spaces…")
        desk = await read_desk(await self.place.session.ready(), organization)
        self.place.clear_message()
        requests = self.place.requests.of(row)
        spaces = space_options(desk.nodes, requests[0].space if requests else None)
        if not spaces:
            self.place.tell("There is no space here that you may edit.", "warn")
            return
        space = await self.app.push_screen_wait(Choice("In which space?", spaces, before_text=True))
        if not space:
            return
        title = next(option.title for option in spaces if option.id == space)
        subject = subject_made(self.place.reader.shown(row.label))
        made: list[ChangeRequest] = []
        key = f"request of cluster {row.id}"

        async def send(values: Mapping[str, str]) -> None:
            async def begin(api: Api) -> ChangeRequest:
                made[:] = [
                    await reading.begin_request(
                        api, space, row.id, values["subject"], values["description"]
                    )
                ]
                return made[0]

            await self.place.writer.perform(
                "Begin",
                values["subject"],
                begin,
                reversal=lambda request: request_begun(space, request.id),
                draft=key,
            )

        form = Form(
            f"New change request in {title}",
            [
                Field("subject", "Subject", subject, _subject_wrong),
                Field("description", "Description", self.place.reader.shown(row.summary), lines=8),
            ],
            draft_key=key,
            facts=[f"It will be listed with the cluster “{self.place.reader.shown(row.label)}”."],
            verb="begin",
            new=True,
            send=send,
        )
        if not await self.app.push_screen_wait(form):
            return
        [request] = made
        self.begun[row.id] = str(request.status)
        self.place.tell(
            f"Begun #{request.number} in {title}, {clean(str(request.status))}. gc goes to it, "
            "u archives it.", "good",
        )  # fmt: skip
        self.place.read_again()


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
