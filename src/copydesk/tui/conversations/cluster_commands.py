"""What can be done about a cluster: exporting all, going to its requests, beginning one."""

from __future__ import annotations

import asyncio
import csv
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.domain.inverses import request_begun
from copydesk.domain.text import clean, plural
from copydesk.local.durable import PRIVATE, write_file
from copydesk.present.cluster import number
from copydesk.present.space_options import space_options
from copydesk.session.cluster_rows import WEEKS, ClusterRow, Merge
from copydesk.session.errors import failure_types, sentence
from copydesk.session.reads import clusters as reading
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.session.writes.requests import subject_made
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.widgets.list import no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.session.cluster_rows import Merge
    from copydesk.tui.conversations.clusters import ClustersPlace
    from copydesk.tui.framework.place import Place


FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula, some in their wide form too."""


def defused(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: an apostrophe goes before such a start.

    Blanks before it do not help, spreadsheets skip them.
    """
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def table(
    rows: Sequence[ClusterRow],
    now: datetime,
    merges: Mapping[str, Collection[Merge]],
    shown: Callable[[str], str],
) -> str:
    """Return clusters as CSV: one line each, under the first days of their 13 weeks.

    A week begins seven days after the one before, the latest seven days before ``now``. The trend
    is in percent, or "new"; it is empty where there are too few issues to tell. ``shown`` masks
    what is masked on screen.
    """
    out = StringIO()
    # Quoted: where cells are separated by ";", one in a name begins no other cell.
    lines = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    lines.writerow(
        [
            *("label", "issues", "conversations", "trend in percent", "sources"),
            *week_starts(now),
            *("merged", "first", "last updated", "id"),
        ]
    )
    for row in rows:
        sources = "; ".join(f"{shown(name)} {number(count)}" for name, count in row.sources)
        merged = (f"{each.label} {each.at:%Y-%m-%d}" for each in merges.get(row.id, ()))
        lines.writerow(
            [
                defused(shown(row.label)), row.issues, row.conversations, _percent(row),
                defused(sources), *map(number, row.pulse),
                "; ".join(merged), day(row.created), day(row.updated), defused(row.id),
            ]
        )  # fmt: skip
    return out.getvalue()


def week_starts(now: datetime) -> list[str]:
    """Return the headings of 13 weeks, the latest of which began seven days ago."""
    starts = (now - timedelta(weeks=WEEKS - week) for week in range(WEEKS))
    return [f"week from {start:%Y-%m-%d}" for start in starts]


def _percent(row: ClusterRow) -> str | int:
    found = row.trend
    return found.text if found.percent is None else found.percent


def day(moment: datetime | None) -> str:
    """Return a date for a table; empty where there is none."""
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def path_of(name: str, now: datetime, what: str = "clusters") -> Path:
    """Return where a table goes: the file named, else ``clusters-DATE.csv`` in this folder.

    A link is followed: what it leads to is written, and the link stays. Raises ``RuntimeError``
    where ``~`` stands for nobody's home folder.
    """
    path = Path(name or f"{what}-{now:%Y-%m-%d}.csv").expanduser()
    return Path(os.path.realpath(path))


def put(path: Path, text: str, *, replacing: bool = False) -> None:
    """Write a table to a file, as UTF-8 with a mark by which spreadsheets know it.

    Raises ``FileExistsError`` where there is one and it is not ``replacing``, and ``OSError`` where
    it cannot be written; nothing is left behind then.
    """
    if not replacing:
        path.touch(PRIVATE, exist_ok=False)  # the name is ours from here on
    try:
        write_file(path, text.encode("utf-8-sig"))
    except BaseException:
        if not replacing:
            path.unlink(missing_ok=True)
        raise


def _other_than_a_file(path: Path) -> str:
    """Return what stands at a path where that is no file."""
    return "" if path.is_file() else "a folder" if path.is_dir() else "no plain file"


async def put_asking(place: Place, path: Path, text: str) -> bool:
    """Write a table to a file, asking before one is replaced; say why where it is not written."""
    where = clean(str(path))
    try:
        try:
            await asyncio.to_thread(put, path, text)
        except FileExistsError:
            if what := await asyncio.to_thread(_other_than_a_file, path):
                place.tell(f"Not written to {where}: it is {what}.", "bad")
                return False
            sheet = Confirm(
                "Replace the file?", [where, "There is a file of that name."], verb="replace"
            )
            if not await place.desk.push_screen_wait(sheet):
                return False
            await asyncio.to_thread(put, path, text, replacing=True)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        place.tell(f"Not written to {where}: {clean(why)}.", "bad")
        return False
    return True


MERGED_PAGES = 100
"""Pages of merged change requests that are looked through for an export."""


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
        form, _, name = rest.partition(" ")
        organization, now = self.place.reader.organization, self.place.session.now
        if form != "csv":
            self.place.say("Say :export csv, or :export csv FILE.", "warn")
            return
        if organization is None:
            self.place.say("There is no organization here.", "warn")
            return
        try:
            path = path_of(name.strip(), self.place.session.clock())
        except RuntimeError:
            self.place.say(f"{name.strip()}: there is no such home folder.", "warn")
            return
        where = clean(str(path))

        async def read() -> tuple[list[ClusterRow], Mapping[str, Sequence[Merge]]]:
            api = await self.place.session.ready()
            rows = await reading.read_all(api, organization, "issues")
            since = now - timedelta(weeks=WEEKS)
            return rows, await reading.read_merges(api, organization, since, pages=MERGED_PAGES)

        try:
            found = await self.place.reads.now("export", read, "Reading all clusters")
        except failure_types() as error:
            self.place.tell(f"Not written to {where}. {sentence(error)}", "bad")
            return
        if found is None:
            self.place.say("Stopped. Nothing was written.")
            return
        rows, merges = found
        text = table(rows, now, merges, self.place.reader.shown)
        if not await put_asking(self.place, path, text):
            return
        masked = "" if self.place.reader.masked else ", e-mails and phone numbers in clear"
        self.place.tell(f"Wrote {plural(len(rows), 'cluster')} to {where}{masked}.", "good")

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
