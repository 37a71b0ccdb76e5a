"""``copydesk conversations send``: support conversations from files, handed in once each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.conversations_batches import BOUNDS, BREATH, Bounds, Halted, Report, Row, Sending
from copydesk.cli.conversations_inputs import Choices, Input, can_ask, find_inputs, show
from copydesk.cli.errors import CONFLICT, DONE, FAILED, UsageError, ask_first, kept_state
from copydesk.cli.lookup import find_organization
from copydesk.contract import operations as ops
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import Complaint
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural
from copydesk.domain.written_moment import Order
from copydesk.local.journal import Entry, Journal, State
from copydesk.local.paths import find_paths
from copydesk.local.sent_conversations import Ingested, InUse

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization

CALLED = "conversation"

SAME_TIME = 26 * 60 * 60
"""Beginnings that are fewer seconds apart count as one: exports differ in their time zones."""


def send_conversations(
    *,
    files: Sequence[str],
    organization: str | None = None,
    skip_bad: bool = False,
    again: bool = False,
    columns: str | None = None,
    source: str | None = None,
    team: Sequence[str] | None = None,
    dates: Order | None = None,
    encoding: str | None = None,
    mask: bool = False,
    yes: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Check all conversations of some files, then hand in those that were not handed in before.

    What they are is recognised by what stands in them; `Choices` says what the options mean.
    Nothing is sent before somebody at a terminal has agreed, nor while there is something to
    complain about, unless ``skip_bad`` leaves that out.
    Raises ``UsageError`` for what a person can mend; nothing was sent then.
    """
    report = Report(as_json=as_json)
    connection = service.connection(writes=True)
    if (desk := service.desk) is not None:
        from copydesk.cli.embedded import desk_file

        if not desk_file(desk).exists():
            raise UsageError(
                f"there is no desk {desk}: look at what --desk says. Nothing was sent."
            )
    choices = Choices(
        columns or "", source or "", tuple(team or ()), dates, mask, yes, encoding or ""
    )
    with ExitStack() as stack:
        inputs = find_inputs(files, stack, choices)
        asks = can_ask(inputs, choices)
        for given in inputs:
            if asks or given.format.kind != "json":
                show(given)
        handing = Handing(connection, inputs, report, skip_bad=skip_bad, again=again, asks=asks)
        stack.callback(report.end)
        return asyncio.run(handing.run(organization))


@dataclass(slots=True)
class Seen:
    """The content that was first given for an id, and where: which file, which one in it."""

    digest: bytes
    file: int
    line: int
    number: int
    updated: datetime | None = None
    began: int | None = None
    words: bytes = b""
    times: int = 0


@dataclass
class Checked:
    """What is in the files: each id with the content first given for it."""

    seen: dict[str, Seen] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)
    """Ids that are given with several contents: nobody can tell which is meant."""
    strangers: set[str] = field(default_factory=set)
    """Ids that were sent before for a conversation that began otherwise."""
    further: dict[tuple[int, int], bytes] = field(default_factory=dict)
    """The contents of parts of a conversation that begins in another file, by file and number."""
    outdated: set[bytes] = field(default_factory=set)
    """The contents of which a newer one is given for the same id."""
    complaints: int = 0
    items: int = 0
    to_come: int = 0
    """How many are dated after today: a wrong clock, or day and month mixed up."""
    latest: datetime | None = None


class Handing:
    """One call of ``copydesk conversations send``."""

    def __init__(
        self,
        connection: Connection,
        inputs: Sequence[Input],
        report: Report,
        *,
        skip_bad: bool = False,
        again: bool = False,
        asks: bool = False,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._connection = connection
        self._inputs = inputs
        self._report = report
        self._skip_bad = skip_bad
        self._again = again
        self._asks = asks
        self._bounds = bounds

    async def run(self, organization: str | None) -> int:
        """Do it and return the exit status."""
        paths = find_paths().make()
        async with await self._connection.connect() as api:
            try:
                place = await find_organization(api, organization)
            except UsageError:
                await self._check()  # what is wrong in the files is said at once
                self._report.bundled()
                raise
            checked = await self._check()
            self._stop_if_bad(checked)
            try:
                book = Ingested(paths.ingested, self._connection.key, place.id)
            except InUse as error:
                raise UsageError(
                    "another copydesk is sending conversations to "
                    f"{clean(place.title)} now: let it end first",
                    CONFLICT,
                ) from error
            with book:
                if book.broken:
                    self._report.note(
                        "The record of what was sent before was damaged and is set aside: what "
                        "was sent before is sent again, which replaces it."
                    )
                if not self._again:
                    self._compare(checked, book)
                    self._stop_if_bad(checked)
                if to_come := self._to_come(checked):
                    self._report.note(to_come)
                many = plural(self._report.total, CALLED)
                ask_first(f"Send {many} to {clean(place.title)}?", said=not self._asks)
                return await self._send(api, place, book, checked)

    # Checking

    async def _check(self) -> Checked:
        """Read everything once and complain about what cannot be sent."""
        checked = Checked()
        for file, given in enumerate(self._inputs):
            with given.opened() as opened:
                for found in given.items(opened):
                    wrong = self._first(checked, file, found) if isinstance(found, Item) else found
                    if wrong is not None:
                        checked.complaints += 1
                        self._report.complaint(given.name, wrong)
                    if not (checked.items + checked.complaints) % BREATH:
                        self._report.checked(checked.items)
                        await asyncio.sleep(0)
        self._count(checked)
        return checked

    def _count(self, checked: Checked) -> None:
        left_out = checked.unclear | checked.strangers
        self._report.total = checked.items - sum(checked.seen[key].times for key in left_out)

    def _stop_if_bad(self, checked: Checked) -> None:
        """Raise ``UsageError`` where nothing can be sent, or not all and that is not wanted."""
        self._report.bundled()
        if checked.complaints and not self._skip_bad:
            raise UsageError(
                f"{plural(checked.complaints, 'complaint')} about what is in the files. "
                "Nothing was sent; --skip-bad leaves out what cannot be sent."
            )
        if not checked.seen.keys() - checked.unclear - checked.strangers:
            raise UsageError("there is no conversation to send in these files. Nothing was sent.")

    def _compare(self, checked: Checked, book: Ingested) -> None:
        """Complain about ids that were sent before for conversations that began otherwise.

        Two tables may number their rows alike, and what is sent for an id replaces what is there.
        """
        for key, seen in checked.seen.items():
            given, known = self._inputs[seen.file], book.find(key)
            if known.began is None or known.arrived in (None, seen.digest) or given.holds_parts:
                continue
            if not _is_other(seen, known.began, known.words):
                continue
            began = datetime.fromtimestamp(known.began, UTC)
            can_name = given.format.kind != "json"
            named = "--source NAME names where these are from, " if can_name else ""
            said = (
                f"its id was sent before for another conversation, of {began:%Y-%m-%d}: {named}"
                "--again replaces that one"
            )
            checked.strangers.add(key)
            checked.complaints += 1
            self._report.complaint(given.name, Complaint(seen.line, said, seen.number, key))
        self._count(checked)

    def _first(self, checked: Checked, file: int, item: Item) -> Complaint | None:
        """Take a conversation in; complain where its id has another content already."""
        checked.items += 1
        given = Seen(
            item.digest, file, item.line, item.number, item.updated, item.began, item.first_words
        )
        seen = checked.seen.setdefault(item.id, given)
        seen.times += 1
        if seen is given:
            _look_at_date(checked, item)
        if seen.digest == item.digest:
            return None
        if file != seen.file and all(self._inputs[each].holds_parts for each in (file, seen.file)):
            checked.further[file, item.number] = item.digest
            return None
        is_other = file != seen.file and _is_other(given, seen.began, seen.words)
        if seen.updated is not None and item.updated is not None and not is_other:
            older = item if item.updated < seen.updated else seen
            checked.outdated.add(older.digest)
            if older is seen:
                given.times = seen.times
                checked.seen[item.id] = given
                checked.outdated.discard(item.digest)
            return None
        checked.unclear.add(item.id)
        said = (
            f"id: {self._inputs[seen.file].name}, line {seen.line} has the same id with other "
            "content; neither is sent"
        )
        if is_other and self._inputs[file].format.kind != "json":
            said += ": send each file with a --source of its own"
        return Complaint(item.line, said, item.number, item.id)

    def _to_come(self, checked: Checked) -> str:
        """Say how many are dated after today; empty where none is."""
        if checked.latest is None:
            return ""
        tables = [given.table for given in self._inputs if given.table is not None]
        either = any(table.dates_both_ways for table in tables)
        are = "is" if checked.to_come == 1 else "are"
        latest = f"{checked.latest.day} {checked.latest:%b %Y}"
        end = ": --dates dmy or mdy?" if either else "."
        return f"{checked.to_come:,} {are} dated after today, the latest {latest}{end}"

    # Sending

    def _rows(self, checked: Checked, *, told: bool) -> Iterator[Row]:
        """Yield the conversations to send. Raises `Halted` where a file is no more what was
        checked.

        ``told``: of the others it was told already.
        """
        count = 0
        for file, given in enumerate(self._inputs):
            changed = Halted(f"{given.name} was changed while it was read.")
            with given.opened() as opened:
                for item in given.items(opened):
                    if isinstance(item, Complaint):
                        continue
                    count += 1
                    seen = checked.seen.get(item.id)
                    if item.id in checked.strangers:
                        continue
                    if (file, item.number) in checked.further:
                        if checked.further[file, item.number] != item.digest:
                            raise changed
                        yield Row(given.name, item, partial=True, hide=given.hide)
                        continue
                    if item.id in checked.unclear:
                        if seen is not None and seen.digest == item.digest and not told:
                            said = "another conversation has the same id and other content"
                            self._report.item(given.name, item, "bad", said)
                        continue
                    if seen is not None and item.digest in checked.outdated:
                        if not told:
                            where = f"{self._inputs[seen.file].name}, line {seen.line}"
                            self._report.item(given.name, item, "same", f"newer in {where}")
                        continue
                    if seen is None or seen.digest != item.digest:
                        raise changed
                    if (seen.file, seen.number) == (file, item.number):
                        yield Row(given.name, item, partial=given.holds_parts, hide=given.hide)
                    elif not told:
                        where = f"{self._inputs[seen.file].name}, line {seen.line}"
                        self._report.item(given.name, item, "same", f"as in {where}")
        if count != checked.items:
            raise Halted("the files were changed while they were read.")

    async def _send(self, api: Api, place: Organization, book: Ingested, checked: Checked) -> int:
        report = self._report
        title = clean(place.title)
        log = SendingLog(self._connection.key, place.id, f"{title}: {plural(report.total, CALLED)}")
        log.settle_earlier()
        sending = Sending(
            api, place.id, book, report, again=self._again, bounds=self._bounds, begins=log.begin
        )
        halted: Halted | None = None
        try:
            await sending.run(lambda told: self._rows(checked, told=told))
        except Halted as why:
            halted = why
        report.end()
        if halted is not None:
            report.note(f"Stopped: {halted} The same command again goes on with what was not sent.")
        else:
            for given in self._inputs:
                given.remember()
            await sending.tell_sources()
        summary = f"{title}: {report.summary()}."
        report.note(f"{summary} {self._to_come(checked)}".rstrip())
        counts = report.counts
        unknown, failed = counts["unknown"], halted is not None
        log.end("unknown" if unknown else "failed" if failed else "done", summary)
        if halted is not None:
            return halted.status
        return FAILED if counts["refused"] or counts["failed"] or counts["bad"] else DONE


def _is_other(given: Seen, began: int | None, words: bytes | None) -> bool:
    """Whether a conversation is not the one with the same id that began then, with these words.

    Where the words are the same, only the date was read in another way.
    """
    if began is None or given.words == words:
        return False
    return given.began is None or abs(given.began - began) >= SAME_TIME


def _look_at_date(checked: Checked, item: Item) -> None:
    metadata = item.conversation.metadata
    created = metadata.created_at if metadata is not None else None
    if created is None or created.astimezone(UTC).date() <= datetime.now(UTC).date():
        return
    checked.to_come += 1
    checked.latest = created if checked.latest is None else max(created, checked.latest)


CUT_OFF = "cut off; a later run has read what had arrived"


_OPERATION = ops.ingest_conversation.name


class SendingLog:
    """One entry: noted before the first request, so that a run that is killed is there as well.

    ``what`` says what is to be handed in, for people; ``target`` is the organization.
    """

    def __init__(self, desk: str, target: str, what: str) -> None:
        self._target = target
        self._what = what
        self._journal = Journal(kept_state(), desk)
        self._entry: Entry | None = None

    def settle_earlier(self) -> None:
        """End the entries of runs that were cut off; nobody else may be sending there now."""
        for each in self._journal.entries():
            cut_off = each.state == "unknown" and each.ended is None
            if cut_off and (each.what, each.target) == (_OPERATION, self._target):
                self._journal.settle(each, "unknown", sentence=f"{each.sentence}: {CUT_OFF}")

    def begin(self) -> None:
        """Note that conversations are about to be sent. Raises ``OSError``; once is enough."""
        if self._entry is None:
            self._journal.opened()
            begun = self._journal.begin(_OPERATION, self._target)
            self._entry = self._journal.settle(begun, "sending", sentence=f"{self._what} to send")

    def end(self, state: State, sentence: str) -> None:
        """Note what it came to, if anything was sent. Raises ``OSError``."""
        if self._entry is not None:
            self._journal.settle(self._entry, state, sentence=sentence)
            self._journal.closed()
