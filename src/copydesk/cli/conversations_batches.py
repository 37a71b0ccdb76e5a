"""Handing in conversations batch by batch, so that each arrives once whatever happens in between.

Each batch is noted on the disk before it is sent, and its result after. Where no answer came, it is
read which conversations are there; only the others are sent again. A batch that is refused is
parted until the conversations stand alone that it was refused for.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from copydesk.cli.errors import FAILED, INTERRUPTED, say, status_for
from copydesk.cli.interrupts import stopping
from copydesk.cli.output import flush, plain_json, put, redraw
from copydesk.cli.terminal import is_terminal
from copydesk.client.api import Api
from copydesk.client.errors import ApiError, NotFound, RateLimited
from copydesk.contract import operations as ops
from copydesk.contract.models.conversation import (
    ConversationBatch,
    ConversationDetail,
    ConversationIngest,
)
from copydesk.domain.ingest_conversation import with_earlier
from copydesk.domain.ingest_file import Item, is_there
from copydesk.domain.ingest_frames import LARGEST, Complaint
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask
from copydesk.domain.source_name import is_source_id
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.local.sent_conversations import Ingested, Known

REFUSED = frozenset({400, 413, 422})
"""Statuses of a batch that is wrong or too large: the service took nothing of it."""

PATIENCE = 300.0
"""Longest pause, in seconds, that a rate limit is waited for."""

MOST_PAUSES = 8
"""So many pauses in a row are made without anything arriving in between."""

MOST_FAULTS = 12
"""So many requests in a row may fail at the service; one for which a batch is parted takes 8."""

MOST_REFUSED = 100
"""So many conversations in a row may be refused before the rest is left alone."""

BREATH = 200
"""After so many conversations that nothing is sent for, ctrl+c is listened to."""

MOST_HELD = 100
"""So many lines of the report may wait for a batch to be sent that is not full."""

MOST_SOURCES = 8
"""How many names of sources are looked up where a service takes ids only."""

_TOO_LARGE = (
    f"with what was sent of it before it is larger than {LARGEST // 2**20} MiB; --again replaces it"
)

_NAME = 60

_ECHO = 12
"""From so many characters on, what a conversation says is known again in what a service says."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much one request holds at most: ``items`` conversations and ``size`` bytes."""

    items: int = 100
    size: int = 1024 * 1024


BOUNDS = Bounds()


class Halted(Exception):  # noqa: N818 - says what happened
    """No more is sent; the message says why, ``status`` is the exit status for it."""

    def __init__(self, why: str, status: int = FAILED) -> None:
        super().__init__(why if why.endswith((".", "…", "!", "?")) else f"{why}.")
        self.status = status


@dataclass(slots=True)
class Row:
    """A conversation to be sent. ``again``: it was sent before. ``tried``: alone, in vain.

    ``partial``: an earlier file may hold more of it; that is kept, masked where ``hide`` says so.
    ``whole`` is what is sent then.
    """

    file: str
    item: Item
    again: bool = False
    tried: bool = False
    partial: bool = False
    hide: bool = False
    whole: ConversationIngest | None = None

    @property
    def sent(self) -> ConversationIngest:
        """What is sent of it."""
        return self.whole or self.item.conversation

    @property
    def size(self) -> int:
        """How many bytes a request needs for it."""
        return len(self.whole.to_json()) if self.whole else self.item.size


class Sending:
    """One run. What was handed in is kept in ``book``, what became of each told in ``report``.

    ``again`` sends also the conversations that were sent before. ``begins`` is called before
    anything is sent.
    """

    def __init__(
        self,
        api: Api,
        organization: str,
        book: Ingested,
        report: Report,
        *,
        again: bool = False,
        bounds: Bounds = BOUNDS,
        begins: Callable[[], None],
    ) -> None:
        self._api = api
        self._begins = begins
        self._organization = organization
        self._book = book
        self._report = report
        self._again = again
        self._bounds = bounds
        self._asked_to_stop = asyncio.Event()
        self._open: dict[str, Row] = {}
        self._put_off: set[str] = set()
        self._last = False
        self._faults = self._refused = self._pauses = 0
        self._named: dict[str, str] = {}
        """A conversation that arrived for each name of a source that is no identifier."""

    async def run(self, rows: Callable[[bool], Iterator[Row]]) -> None:
        """Send the conversations that were not sent before, and report the result of each.

        ``rows`` gives the conversations, for a second time where it is called with True. Raises
        `Halted` where not all could be sent.
        """
        given = self._in_order(rows)
        try:
            await self._doubt()
            await self._send_all(given)
        except Halted as why:
            await self._leave(given, str(why))
            raise
        except OSError as error:  # what is sent, or was, cannot be noted, or a file not be read
            name = f"{error.filename}: " if error.filename else ""
            halted = Halted(f"{name}{error.strerror or error}")
            await self._leave(given, str(halted))
            raise halted from error

    def _in_order(self, rows: Callable[[bool], Iterator[Row]]) -> Iterator[Row]:
        """Yield the rows, those refused in an earlier run last: they must not hold up the rest."""
        yield from rows(False)
        if self._put_off:
            self._last, self._refused = True, 0
            yield from (row for row in rows(True) if row.item.id in self._put_off)

    async def _doubt(self) -> None:
        """Look whether what arrived last is there; it is not on a desk that was put back."""
        latest = self._book.latest()
        if latest is None or self._again:
            return
        try:
            await self._api(ops.get_conversation, self._organization, latest)
        except NotFound:
            self._book.doubt()
            self._report.note(
                "What was sent last is there no more: has an older copy been put back? "
                "Each conversation is looked up now, and sent where it is not there."
            )
        except ApiError as error:
            raise Halted(f"what arrived cannot be read: {error}", status_for(error)) from error

    async def _send_all(self, rows: Iterator[Row]) -> None:
        batch: list[Row] = []
        size = 0
        with stopping(self._stop):
            for number, row in enumerate(rows):
                if not number % BREATH:
                    await asyncio.sleep(0)
                if row.item.id in self._open:  # a further part of a conversation in the batch
                    await self._send(batch)
                    batch, size = [], 0
                self._open[row.item.id] = row
                self._report.expect(row.item)
                self._stop_if_asked()
                wanted = await self._is_wanted(row)
                needed = row.size + 1 if wanted else 0
                if batch and (
                    len(batch) + wanted > self._bounds.items
                    or size + needed > self._bounds.size
                    or self._report.held > MOST_HELD
                ):
                    await self._send(batch)
                    batch, size = [], 0
                if wanted:
                    batch.append(row)
                    size += needed
            if batch:
                await self._send(batch)

    async def _leave(self, rest: Iterator[Row], why: str) -> None:
        """Tell of all that nothing was told of yet that it was not sent."""
        for row in list(self._open.values()):
            self._tell(row, "left", why)
        try:
            for number, row in enumerate(rest):
                if not number % BREATH:
                    await asyncio.sleep(0)
                known = self._book.find(row.item.id)
                if self._is_known(known, row.item):
                    self._tell(row, "known")
                elif not self._waits(known, row.item):
                    self._tell(row, "left", why)
        except (Halted, OSError):
            self._report.count_rest()
        self._report.count_rest()

    def _tell(self, row: Row, state: State, said: str = "") -> None:
        self._open.pop(row.item.id, None)
        self._report.item(row.file, row.item, state, said)

    def _stop(self) -> None:
        self._report.clear()
        self._asked_to_stop.set()

    def _stop_if_asked(self) -> None:
        if self._asked_to_stop.is_set():
            raise Halted("as you asked.", INTERRUPTED)

    async def _is_wanted(self, row: Row) -> bool:
        """Whether a conversation has to be sent; tells of it where it has not."""
        item = row.item
        known = self._book.find(item.id)
        row.again = known.arrived is not None or known.pending not in (None, item.digest)
        if self._waits(known, item):
            self._open.pop(item.id)
            self._report.put_off(item)
            return False
        if self._again:
            return True
        if self._is_known(known, item):
            self._tell(row, "known")
            return False
        if known.pending == item.digest or (row.partial and row.again):
            try:
                found = await self._found(row)
            except ApiError as error:
                raise Halted(f"what arrived cannot be read: {error}", status_for(error)) from error
            if found is not None and row.partial:
                row.whole = with_earlier(item.conversation, found, hide=row.hide)
            if known.pending == item.digest and found and is_there(row.sent, found):
                # It was under way when an earlier run ended.
                self._book.arrived([item.id])
                self._tell(row, "known", "it had arrived")
                return False
            if row.whole and found and is_there(row.whole, found):
                self._tell(row, "known")  # another file has more of it
                return False
            if row.size > LARGEST:
                self._tell(row, "failed", _TOO_LARGE)
                return False
        return True

    def _is_known(self, known: Known, item: Item) -> bool:
        return not self._again and known.pending is None and known.arrived == item.digest

    def _waits(self, known: Known, item: Item) -> bool:
        """Whether a conversation waits for all others: it was refused as it is."""
        if self._last or known.pending is not None or item.digest == known.arrived:
            return False
        if item.digest != known.refused:
            return False
        self._put_off.add(item.id)
        return True

    async def _send(self, batch: list[Row]) -> None:
        """Send a batch, in parts where it cannot be as a whole."""
        waiting = [batch]
        while waiting:
            self._stop_if_asked()
            part = waiting.pop()
            ids = [row.item.id for row in part]
            self._begins()
            self._book.sending(
                (row.item.id, row.item.digest, row.item.began, row.item.first_words) for row in part
            )
            try:
                await self._request(part)
            except RateLimited as error:
                self._book.refused(ids)
                await self._pause(error)
                waiting.append(part)
            except ApiError as error:
                if error.status in REFUSED:
                    self._book.refused(ids)
                    waiting.extend(reversed(self._parted(part, error)))
                elif error.sent:
                    waiting.extend(reversed(await self._settled(part, error)))
                else:
                    self._book.refused(ids)
                    raise Halted(_said(error, part), status_for(error)) from error
            else:
                self._arrived(part)
            self._report.progress()

    async def _request(self, part: Sequence[Row]) -> None:
        conversations = [row.sent for row in part]
        body = conversations[0] if len(part) == 1 else ConversationBatch(conversations)
        await self._api(ops.ingest_conversation, self._organization, body)

    def _arrived(self, rows: Sequence[Row]) -> None:
        self._faults = self._refused = self._pauses = 0
        try:
            self._book.arrived(row.item.id for row in rows)
        finally:  # it is there, also where that cannot be noted
            for row in rows:
                self._tell(row, "replaced" if row.again else "sent")
                self._note_source(row.item)

    # What a service calls where conversations are from

    def _note_source(self, item: Item) -> None:
        metadata = item.conversation.metadata
        named = ((metadata.attributes if metadata else None) or {}).get("source", "")
        if named and not is_source_id(named) and len(self._named) < MOST_SOURCES:
            self._named.setdefault(named, item.id)

    async def tell_sources(self) -> None:
        """Say under which sources a service files what was sent under names of its own."""
        for named, conversation in self._named.items():
            try:
                detail = await self._api(ops.get_conversation, self._organization, conversation)
            except ApiError:
                return  # what was sent has arrived all the same
            filed = detail.conversation.source
            if filed and filed != named:
                said = shorten(mask(clean(named)), _NAME)
                self._report.note(
                    f"What comes from “{said}” is filed under the source {clean(filed)}: a source "
                    "is an identifier. The attribute stays as it is."
                )

    # A batch that was refused

    def _parted(self, part: list[Row], error: ApiError) -> list[list[Row]]:
        """Return the parts that are sent instead; tells of one that was refused alone."""
        if len(part) > 1:
            return _around(part, error.message)
        self._tell(part[0], "refused", _said(error, part))
        self._book.declined(part[0].item.id, part[0].item.digest)
        self._refused += 1
        if self._refused >= MOST_REFUSED:
            raise Halted(
                f"{MOST_REFUSED} conversations in a row were refused; next time they come last."
            )
        return []

    # A batch of which it is not known whether it arrived

    async def _settled(self, part: list[Row], error: ApiError) -> list[list[Row]]:
        """Find out by reading what arrived; return the parts of the rest that are sent again."""
        try:
            there = await self._which_are_there(part)
        except ApiError as reading:
            for row in part:
                self._tell(row, "unknown")
            raise Halted(
                f"{_said(error, part)} And what arrived cannot be read: {_said(reading, part)}",
                status_for(error),
            ) from error
        rest = [row for row in part if row.item.id not in there]
        self._faults += 1
        faults = self._faults
        if there:
            self._arrived([row for row in part if row.item.id in there])
        self._book.refused(row.item.id for row in rest)
        alone = rest[0] if len(part) == 1 and rest else None
        if alone is not None and alone.tried:
            self._tell(alone, "failed", _said(error, part))
            rest = []
        if not there and faults >= MOST_FAULTS:
            raise Halted(_said(error, part), status_for(error)) from error
        if alone is not None:
            alone.tried = True
        return _halves(rest)

    async def _which_are_there(self, part: Sequence[Row]) -> set[str]:
        """Return the ids of conversations that arrived as they were sent. Raises ``ApiError``."""
        found = await asyncio.gather(*(self._is_there(row) for row in part), return_exceptions=True)
        there: set[str] = set()
        for row, answer in zip(part, found, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            if answer:
                there.add(row.item.id)
        return there

    async def _is_there(self, row: Row) -> bool:
        found = await self._found(row)
        return found is not None and is_there(row.sent, found)

    async def _found(self, row: Row) -> ConversationDetail | None:
        return await self._api.find(ops.get_conversation, self._organization, row.item.id)

    # A pause that the service asks for

    async def _pause(self, error: RateLimited) -> None:
        """Wait until the service wants to be asked again. Raises `Halted` if that is too long."""
        self._pauses += 1
        seconds = 2.0**self._pauses
        if error.retry_at is not None:
            seconds = max(0.0, (error.retry_at - datetime.now(UTC)).total_seconds())
        if seconds > PATIENCE or self._pauses > MOST_PAUSES:
            when = f" until {error.retry_at:%H:%M} UTC" if error.retry_at else ""
            raise Halted(f"the service takes no more calls{when}: {error}")
        if seconds >= 1:
            self._report.note(f"The service asks for a pause of {seconds:.0f} s.")
        try:
            await asyncio.wait_for(self._asked_to_stop.wait(), seconds)
        except TimeoutError:
            return


def _halves(rows: list[Row]) -> list[list[Row]]:
    middle = (len(rows) + 1) // 2
    return [half for half in (rows[:middle], rows[middle:]) if half]


def _around(rows: list[Row], message: str) -> list[list[Row]]:
    """Return the parts of a refused batch: the one that the message names alone, or halves."""
    at = None
    if found := re.search(r"\bbody[.\[](\d{1,9})\b", message):
        at = int(found[1])
    else:
        named = [n for n, row in enumerate(rows) if repr(clean(row.item.id)) in message]
        at = named[0] if named else None
    if at is None or at >= len(rows):
        return _halves(rows)
    return [part for part in (rows[:at], rows[at : at + 1], rows[at + 1 :]) if part]


def _said(error: ApiError, part: Sequence[Row]) -> str:
    """Return what a service says, up to where it repeats what a conversation says."""
    message = str(error)
    for row in part:
        for text in _texts(row.sent):
            start = clean(text).strip()[:_ECHO]
            if len(start) == _ECHO and (at := message.find(start)) >= 0:
                message = f"{message[:at]}…"
    return f"{message.rstrip('.')}." if message.endswith("..") else message


def _texts(conversation: ConversationIngest) -> Iterable[str]:
    metadata = conversation.metadata
    yield conversation.subject or ""
    if metadata is not None:
        yield metadata.url or ""
        yield from (metadata.attributes or {}).values()
    for part in conversation.parts:
        yield part.body[: 2**16]


State: TypeAlias = Literal[
    "sent", "replaced", "known", "same", "bad", "refused", "failed", "unknown", "left"
]
"""What became of a conversation, as the JSON calls it."""

WORDS: dict[State, str] = {
    "sent": "sent",
    "replaced": "sent again",
    "known": "sent before",
    "same": "given twice",
    "bad": "cannot be sent",
    "refused": "refused",
    "failed": "failed",
    "unknown": "not known",
    "left": "not sent",
}
"""What people call the states."""

_NAMED = 8
"""Lines that are named of those with the same mistake."""

_NUMBERS = re.compile(r"\d+")


class Report:
    """The report of one run, on the standard output; how far it is goes beside it.

    A line for each conversation, or a JSON object on a line. Where somebody looks on, a line that
    is written over says how far it is of ``total``.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self.total = 0
        self.counts: Counter[State] = Counter()
        self._json = as_json
        self._live = is_terminal(sys.stderr)
        self._kinds: dict[tuple[str, str], list[int]] = {}
        """The lines of the complaints of each kind in each file."""
        self._rows: OrderedDict[int, tuple[Item | Complaint, str | None]] = OrderedDict()
        """The line of each conversation, by ``id()``, in the order of the files.

        A line is None until its outcome is known; the lines below it wait. The conversation is
        kept beside its line, so that no other object gets the same ``id()``.
        """

    def expect(self, item: Item) -> None:
        """Keep the place of a conversation whose line comes later."""
        self._rows[id(item)] = (item, None)

    @property
    def held(self) -> int:
        """How many lines wait for one before them."""
        return len(self._rows)

    def put_off(self, item: Item) -> None:
        """Give the place of a conversation up: it comes after all others."""
        self._rows.pop(id(item), None)
        self._print()

    def item(self, file: str, item: Item, state: State, said: str = "") -> None:
        """Tell what became of a conversation."""
        self.counts[state] += 1
        self._row(file, item, state, said)

    def complaint(self, file: str, complaint: Complaint) -> None:
        """Tell what cannot be sent, once for each kind: `bundled` counts the others.

        In JSON, where that goes, each stands for itself.
        """
        lines = self._kinds.setdefault((file, _NUMBERS.sub("#", complaint.sentence)), [])
        if not lines:
            self.note(f"{file}, {complaint}")
        lines.append(complaint.line)
        self.counts["bad"] += complaint.loses
        if self._json:
            self._row(file, complaint, "bad", complaint.sentence)

    def bundled(self) -> None:
        """Tell how many more of each kind there were, and where the first of them are."""
        for (file, _), (first, *more) in self._kinds.items():
            if more:
                lines = sorted({*more} - {first})
                told = ", ".join(map(str, lines[:_NAMED])) + (", …" if len(lines) > _NAMED else "")
                where = f": {told}" if lines else ", on it"
                self.note(f"{file}: {len(more):,} more like line {first}{where}")
        self._kinds.clear()

    def _row(self, file: str, found: Item | Complaint, state: State, said: str) -> None:
        if self._json:
            where = {"file": file, "line": found.line, "number": found.number}
            value = {"id": found.id, **where, "state": state}
            text = plain_json(value | ({"said": said} if said else {}))
        else:
            why = f": {said}" if said else ""
            named = shorten(clean(found.id))
            text = clean(f"{WORDS[state]:<11}  {named}  ({file}, line {found.line}){why}")
        self._rows[id(found)] = (found, text)
        self._print()

    def _print(self, *, all_of_it: bool = False) -> None:
        """Print up to the first line that is not known yet, or all that are."""
        while self._rows:
            key, (_, text) = next(iter(self._rows.items()))
            if text is None and not all_of_it:
                return
            del self._rows[key]
            if text is not None:
                self.clear()
                put(text, unread=True)

    def progress(self) -> None:
        """Print the progress on a terminal, and forget the lines printed before it."""
        flush()
        if self._live:
            count = sum(self.counts.values())
            of = f" of {self.total:,}" if self.total else ""
            redraw(f"{count:,}{of} sent")

    def checked(self, count: int) -> None:
        """Say how many were checked so far, where somebody looks on."""
        if self._live:
            redraw(f"{count:,} checked")

    def note(self, sentence: str) -> None:
        """Say something to people."""
        self.clear()
        say(sentence)

    def summary(self) -> str:
        """Return what it came to, in one sentence."""
        counts = self.counts
        said = [plural(counts["sent"], "conversation") + " sent"]
        said += [
            f"{counts[state]:,} {words}"
            for state, words in WORDS.items()
            if state != "sent" and counts[state]
        ]
        return listed(said)

    def count_rest(self) -> None:
        """Count as not sent what nothing was told of: its file can no more be read."""
        told = sum(count for state, count in self.counts.items() if state != "bad")
        self.counts["left"] += max(0, self.total - told)

    def end(self) -> None:
        """Print what still waits for others, and let go of all that was printed."""
        self._print(all_of_it=True)
        flush()
        self.clear()

    def clear(self) -> None:
        """Take away the line that says how far it is."""
        redraw()
