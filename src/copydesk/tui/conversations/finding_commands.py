"""What is done about findings: their status, a change request, a table; topics and records."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from copydesk.domain.finding_inverses import finding_turned, requests_begun, topic_used
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten
from copydesk.present.cluster_tables import week_starts
from copydesk.present.facts import hint
from copydesk.present.finding_tables import FindingEntry, findings_table, weeks_cells
from copydesk.present.spreadsheet import Cell, day, for_spreadsheets, table
from copydesk.session.operations import ops
from copydesk.session.reads import findings as reading
from copydesk.session.target import Target
from copydesk.tui.conversations.cluster_commands import write_report
from copydesk.tui.conversations.finding_resources import ids_of
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.to_file import table_named, write_asked
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.resource.place import NAME_CELLS, SORTED_AT_MOST, WHOLE, nothing_selected

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.context_record import ContextRecordInput
    from copydesk.contract.models.finding import SiteFinding
    from copydesk.domain.reversal import Reversal
    from copydesk.tui.conversations.findings import FindingsPlace
    from copydesk.tui.framework.place import Place


TOLD = 8
"""Findings that a dialog names."""

DRAWN = ("weeks", "trend", "views", "age")
"""Columns that a table has in numbers and dates."""

PULSES: Mapping[str, Callable[[FindingsPlace, Any], Sequence[float]]] = {
    "topics": lambda place, row: row.questions.weekly_pulse,
    "questions": lambda place, row: row.stats.weekly_pulse,
}
"""What a table has the weeks of."""

MORE: Mapping[str, Mapping[str, Callable[[FindingsPlace, Any], str | int | None]]] = {
    "topics": {
        "first": lambda place, row: day(row.created_at),
        "last changed": lambda place, row: day(row.updated_at),
    },
    "questions": {
        "first": lambda place, row: day(row.created_at),
        "last": lambda place, row: day(row.asked_at),
    },
    "records": {"from": lambda place, row: day(row.created_at)},
}
"""What a table has besides the columns of the list, by the names of its own."""


def no_finding(here: FindingsPlace) -> str | None:
    """Say so when no finding is under the cursor."""
    if here.listed != "findings":
        return "Only in Findings. Press 1."
    return nothing_selected(here)


def not_mine(here: FindingsPlace) -> str | None:
    """Say why the reader may change nothing here."""
    return here.rights.lacks("create_content")


def no_candidate(here: FindingsPlace) -> str | None:
    """Say so when the finding is no candidate any more."""
    item = here.item
    if here.listed == "findings" and item is not None and item.status != "candidate":
        return f"The finding is {clean(item.status)}, not a candidate."
    return None


def no_topic(here: FindingsPlace) -> str | None:
    """Say so when no topic is under the cursor."""
    return nothing_selected(here) if here.listed == "topics" else "Only in Topics."


def nothing_new(here: FindingsPlace) -> str | None:
    """Say why nothing can be begun or handed in here."""
    if here.listed == "records":
        return here.missing() or here.rights.lacks("ingest_conversations")
    if here.listed in ("findings", "questions"):
        return here.begins_nothing() or nothing_selected(here)
    return "In Findings it begins a change request, in Records it sends one."


def new_label(here: FindingsPlace) -> str:
    """Return the label of ctrl+n by what it does now; "" for those who may not."""
    if here.listed in ("findings", "questions"):
        return "" if here.begins_nothing() else "new change"
    may = here.listed == "records" and not here.rights.lacks("ingest_conversations")
    return "send" if may else ""


def nothing_to_open(here: FindingsPlace) -> str | None:
    """Say so when no finding is under the cursor whose change requests there would be."""
    return nothing_selected(here) if here.listed == "findings" else None


def requests_label(here: FindingsPlace) -> str:
    """Return the label of g c by what it does now, where the finding has change requests."""
    item = here.item
    if item is None or here.listed != "findings":
        return ""
    begun = item.change_requests or item.id in here.commands_of(FindingCommands).begun
    return "its changes" if begun else ""


def turn_label(here: FindingsPlace) -> str:
    """Return the label of x by what it does now."""
    item = here.item
    if item is None or no_finding(here):
        return ""
    return "open again" if _is_over(item) else "done"


class FindingCommands(Commands, scope="findings"):
    """What is done about a finding, a topic, and records."""

    place: FindingsPlace

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.begun: dict[str, ChangeRequest] = {}
        """The change request that was begun here last, by the id of its finding."""

    # How far a finding is

    @action(
        "a", "take up", unless=(no_finding, no_candidate, not_mine), show=26, group="Change",
        uses="update_site_finding",
        now=lambda here: "" if no_finding(here) or no_candidate(here) else "take up",
    )  # fmt: skip
    async def take_up(self) -> None:
        """Open a candidate: it is something to work on. u undoes it."""
        await self._turn("open", "Take up finding")

    @action(
        "x", "done/back", word="done", unless=(no_finding, not_mine), show=25, group="Change",
        uses="update_site_finding",
        now=turn_label,
    )  # fmt: skip
    async def turn(self) -> None:
        """Say that a finding is done with, or open one again that was. u undoes it."""
        item = self.place.item
        if item is not None and _is_over(item):
            await self._turn("open", "Open finding again")
        else:
            await self._turn("done", "Finding done")

    async def _turn(self, status: str, what: str) -> None:
        from copydesk.contract.models.finding import SiteFindingUpdate

        item, ids = sure(self.place.item), ids_of(self.place.target)
        body = SiteFindingUpdate.model_validate({"status": status})
        await self.place.writer.perform(
            what,
            self.place.named(item),
            lambda api: api(ops.update_site_finding, *ids, item.id, body),
            reversal=finding_turned(ids, item.id, str(item.status), status),
        )
        self.place.read_written(item.id)

    # Something new

    @action(
        "ctrl+n", "new", unless=nothing_new, danger=2, show=24, group="Write", now=new_label,
        word="new", uses=(
            "begin_site_finding_change_requests",
            "list_site_findings",
            "list_site_finding_change_requests",
            "list_site_spaces",
            "upsert_site_context_records",
        ),
        types=True, takes="marked",
    )  # fmt: skip
    async def begin(self) -> None:
        """Have the service begin change requests: for the findings that are marked, or this one.

        In Questions for the findings that tell of them; in Records it sends one.
        """
        if self.place.listed == "records":
            await self._hand_in()
        elif findings := await self._meant():
            await self._begin_requests(findings)

    async def _meant(self) -> Sequence[SiteFinding]:
        """Return the findings that are meant: of questions those that tell of them."""
        place, chosen = self.place, self.place.rows.chosen()
        if place.listed == "findings":
            return chosen
        questions = [each.id for each in chosen]
        ids = ids_of(place.target)

        async def read() -> Sequence[SiteFinding]:
            return await reading.read_asked_by(await place.session.ready(), ids, questions)

        found = await place.reads.now("findings", read, "Reading what they tell of")
        if found is not None and not found:
            place.say("No finding tells of that: the service begins change requests for findings.")
        return found or ()

    async def _begin_requests(self, findings: Sequence[SiteFinding]) -> None:
        ids, place = ids_of(self.place.target), self.place
        names = [shorten(place.mask.shown(clean(each.title)), NAME_CELLS) for each in findings]
        name = names[0] if len(names) == 1 else plural(len(names), "finding")
        api = await place.session.ready()
        found = await place.reads.now(
            "plan",
            lambda: asyncio.gather(
                reading.read_site_spaces(api, ids), reading.read_requests(api, ids, findings)
            ),
            "Reading spaces",
        )
        if found is None:
            return
        spaces, known = found
        if not spaces.may_begin:
            site = shorten(place.title or "the site", 40)
            place.say(f"That takes the role edit in a space of {site}.", "warn")
            return
        facts: list[Fact] = []
        for title, each in list(zip(names, findings, strict=True))[:TOLD]:
            former = spaces.named(one.space for one in known[each.id] if one.status != "archived")
            it = "It" if len(findings) == 1 else f"{title}:"
            facts.append(
                f"{it} is {clean(str(each.status))}, and has "
                f"{plural(each.change_requests, 'change request')}"
                f"{f' in {former}' if former else ''}."
            )
        if len(findings) > TOLD:
            facts.append(f"And {len(findings) - TOLD} more.")
        facts.append(
            hint("The service chooses the space and begins a draft there. u archives it.", "")
        )
        sheet = Confirm(f"New change request for {name}", facts, verb="begin")
        if not await place.desk.push_screen_wait(sheet):
            return

        def back(made: Sequence[ChangeRequest]) -> Reversal | None:
            return requests_begun([(each.space, each.id) for each in made])

        group = secrets.token_hex(8) if len(findings) > 1 else ""
        begun_now: list[ChangeRequest] = []
        for title, each in zip(names, findings, strict=True):
            made = await place.writer.perform(
                "Begin change request",
                title,
                partial(reading.begin_requests, ids=ids, finding=each.id),
                reversal=back,
                several=True,
                group=group,
            )
            if made:
                self.begun[each.id] = made[-1]
                for one in made:  # one for a broken link does not name it
                    place.session.left["begun for", one.id] = (ids[1], each.id)
            begun_now += made
        begun = ", ".join(f"#{each.number} in {spaces.named([each.space])}" for each in begun_now)
        said = f"Begun {begun}. gc goes to it, u archives it." if begun else (
            "The service begins it. R shows it once it is there."
        )  # fmt: skip
        place.tell(said, "good")
        place.rows.set_marks(())
        item = place.item
        place.read_written("" if item is None else item.id)

    @action("L", "link change", show=False, group="Write", takes="none")
    def link(self) -> None:
        """Say why no change request is linked: the service begins those of findings itself."""
        if self.place.listed == "records":
            self.place.say(
                "The service does not tell which findings a record is part of: Findings do."
            )
        else:
            self.place.say("The service links none to a finding: it begins them. ctrl+n does that.")

    @action(
        "g c", "its changes", word="changes", unless=nothing_to_open, show=19, group="Go",
        now=requests_label,
    )  # fmt: skip
    def open_requests(self) -> None:
        """Go to the change request that was just begun for a finding; else to all of its own."""
        place, item = self.place, self.place.item
        if place.listed != "findings" or item is None:
            place.desk.go_soon("changes", Target(organization=place.organization))
        elif (made := self.begun.pop(item.id, None)) is not None:
            target = Target(place.organization, space=made.space, change_request=made.id)
            place.desk.go_soon("review", target)
        else:
            place.desk.go_soon("finding", place.target.but(view="requests", item=item.id))

    async def _hand_in(self) -> None:
        from copydesk.contract.models.context_record import ContextRecordBatch, ContextRecordInput

        ids, key = ids_of(self.place.target), self.place.draft_key("begin")

        async def send(body: ContextRecordInput) -> None:
            await self.place.writer.perform(
                "Send record",
                shorten(clean(body.title), 40),
                lambda api: api(ops.upsert_site_context_records, *ids, ContextRecordBatch([body])),
                draft=key,
            )

        form = body_form(
            ContextRecordInput,
            title="Send a record",
            draft_key=key,
            send=send,
            only=("id", "type", "title", "description", "body", "url"),
            labels={"id": "Your id", "body": "Text", "url": "Address"},
            lines={"body": 6},
            facts=["One with this id is replaced. The service has no call that removes a record."],
            verb="send it",
        )
        if await self.place.desk.push_screen_wait(form):
            self.place.read_written()

    # Topics

    @action(
        "e", "auto requests", unless=(no_topic, not_mine), show=20, group="Change",
        uses="update_site_topic", now=lambda here: "" if no_topic(here) else "auto requests",
    )  # fmt: skip
    async def use(self) -> None:
        """Have the service begin change requests for the findings of a topic, or no longer."""
        from copydesk.contract.models.topic import SiteTopicUpdate

        item, ids = sure(self.place.item), ids_of(self.place.target)
        before = bool(item.usage_settings.change_requests)
        body = SiteTopicUpdate.model_validate({"usageSettings": {"changeRequests": not before}})
        await self.place.writer.perform(
            "Begin none by itself for" if before else "Begin change requests for",
            self.place.named(item),
            lambda api: api(ops.update_site_topic, *ids, item.id, body),
            reversal=topic_used(ids, item.id, before),
        )
        self.place.read_written(item.id)

    # A table

    @command(
        "export", "csv [FILE]", complete=lambda here: ("csv",),
        uses=(
            "list_site_findings",
            "list_site_topics",
            "list_site_questions",
            "list_site_context_records",
        ),
    )  # fmt: skip
    async def export(self, rest: str) -> None:
        """Write all that the tab lists to a file, for a spreadsheet: with weeks, trend and dates.

        Without a name it is findings-DATE.csv, by the tab, in the folder that copydesk was started
        in. What is masked on screen is masked in the file.
        """
        name, place, kind = table_named(self.place, rest), self.place, self.place.resource
        if name is None:
            return
        if place.target.site is None:
            place.say(place.missing() or "No site is chosen.", "warn")
            return

        async def read() -> tuple[bytes, str]:
            rows: list[Any] = []
            token: str | None = None
            while len(rows) < SORTED_AT_MOST:
                found, token, _ = await place.row_reader.page(
                    token, WHOLE, kind, place.orders.query
                )
                rows.extend(found)
                if token is None:
                    break
            if place.listed == "findings":
                await place.traffic.read_all(await place.session.ready(), rows)
            return for_spreadsheets(self._table(rows)), plural(len(rows), kind.noun)

        usual = f"{kind.title.lower()}-{{}}.csv"
        await write_asked(place, name, usual, read, masked=not place.shows_secret)

    @command("report", "[FILE]", uses=("list_site_findings", "list_site_finding_records"))
    async def report(self, rest: str) -> None:
        """Write a report on this week, as on the screen of clusters: of findings where the service
        has no clusters.
        """
        place = self.place
        if (organization := place.organization) is None:
            place.say("No organization selected.", "warn")
            return
        masked = not place.shows_secret
        await write_report(place, organization, rest, masked=masked)

    def _table(self, rows: Sequence[Any]) -> str:
        place, kind = self.place, self.place.resource
        if place.listed == "findings":
            told = [
                FindingEntry(
                    row, place.title or "", place.traffic.of(row), place.traffic.pulse(row)
                )
                for row in rows
            ]
            return findings_table(told, place.session.now, place.mask.shown)
        shown = [each for each in kind.shown if each.column and each.name not in DRAWN]
        pulse, more = PULSES.get(place.listed), MORE[place.listed]
        starts = week_starts(place.session.now) if pulse is not None else []
        headings = [
            *(each.name for each in shown),
            *(["trend in percent", *starts] if pulse is not None else []),
            *more,
            "id",
        ]

        def cells(row: Any) -> Sequence[Cell]:
            found: list[Cell] = [
                _cell(_without_dash(each.name, str(place.text_of(each, row) or "")))
                for each in shown
            ]
            if pulse is not None:
                found += weeks_cells(pulse(place, row))
            for of in more.values():
                value = of(place, row)
                found.append(
                    _cell(value) if isinstance(value, str) else "" if value is None else value
                )
            key = clean(kind.key(row))
            # That of a record is its sender's own, and may be an address.
            found.append(_cell(place.mask.shown(key) if place.listed == "records" else key))
            return found

        return table(headings, map(cells, rows))


def _without_dash(name: str, text: str) -> str:
    """Return 0 for the dash of a column of counts: in a table it can be summed."""
    return "0" if name == "topics" and text == "-" else text


def _cell(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else text


def _is_over(finding: SiteFinding) -> bool:
    return finding.status in ("done", "canceled")
