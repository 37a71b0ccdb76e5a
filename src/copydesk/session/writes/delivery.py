"""Delivery of the outbox: one request after the other, checked first, noted before and after."""

from __future__ import annotations

import asyncio
from dataclasses import field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import (
    Conflict,
    Garbled,
    RateLimited,
    ServerFault,
    Unauthorized,
    Unreachable,
)
from copydesk.domain.inverses import alike, answers, goes_by_words
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import expectation_of, reversal_of
from copydesk.domain.text import clean
from copydesk.session.errors import (
    WAITS,
    NotDoneError,
    failure_types,
    is_unknown,
    request_id_of,
    sentence,
)
from copydesk.session.writes.log import HAD_ARRIVED
from copydesk.session.writes.outbox import (
    BEGUN,
    NOT_ARRIVED,
    NOT_YET,
    OTHERS_WRITE,
    THERE_ALREADY,
    UNKNOWN,
    UNREADABLE,
    UNTOLD,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.client.calls import Outgoing
    from copydesk.domain.reversal import Expectation
    from copydesk.local.journal import Entry
    from copydesk.session.writes.log import LogEntry
    from copydesk.session.writes.outbox import Outbox


@dataclass
class DeliveryTally:
    """The result of one delivery of the outbox."""

    sent: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    stopped: str = ""
    """Why it stopped early; empty when it did not."""

    def sentence(self) -> str:
        """Return the sentence for it; "" when nothing has changed."""
        said = []
        for words, names in (
            ("Sent from the outbox", self.sent),
            ("No answer had come, but it had arrived", self.found),
            ("Was there already: nothing was sent", self.there),
            ("Waits in the outbox (g x)", self.held),
        ):
            if names:
                said.append(f"{words}: {names[0] if len(names) == 1 else len(names)}.")
        return " ".join(said)


class AwayError(Exception):
    """The service is away, so the rest waits. ``error`` is what the client raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, slots=True)
class DeliveryDecision:
    """The result of the check of a write: it is there already, it is sent, or it is held."""

    arrived: bool = False
    result: Any = None
    held: str = ""
    why: str = ""


GO = DeliveryDecision()


class OutboxDelivery:
    """Delivers the waiting writes, one after the other; ``tally`` counts the results."""

    def __init__(self, box: Outbox, api: Api, tally: DeliveryTally) -> None:
        self._box = box
        self._session = box.session
        self._api = api
        self.tally = tally

    def _waits_for_others(self, entry: Entry) -> bool:
        """Whether a verdict waits for the comments of its group, which come before it.

        Verdicts are the writes that are found by their state and not by their text.
        """
        if not entry.group or entry.trace is None or "says" not in entry.trace:
            return False
        before = takewhile(lambda each: each.id != entry.id, self._box.items.values())
        return any(each.group == entry.group for each in before)

    async def _find_out(self, entry: Entry, name: str, *, hand: bool, sure: bool) -> Entry | None:
        """Find out whether a write without an answer arrived; return it when it is to be sent.

        Raises `AwayError`.
        """
        if entry.id in self._box.undecided and not hand:
            return None
        try:
            happened, result = await self._happened(entry)
        except failure_types() as error:
            raise_away(error)
            if passes(error) and not hand:
                self.tally.stopped = sentence(error, "s")
                return None
            happened, result = None, None
        if happened:
            await self._arrive(entry, result, name)
            return None
        if happened is None and not sure:
            self._box.undecided.add(entry.id)
            if entry.sentence != UNKNOWN:
                settled = await asyncio.to_thread(
                    self._session.journal.settle, entry, "unknown", sentence=UNKNOWN
                )
                self._box.take(settled)
                self._box.show(settled, "unknown", UNKNOWN)
            return None
        if happened is False and not sure and self._box.may_come(entry):
            self.tally.stopped = "No answer came. It is not there yet, and may still arrive."
            return None
        if entry.held and not hand:
            return await self._box.queue(entry, entry.sentence, entry.held)
        return await self._box.queue(entry, NOT_ARRIVED)

    async def _happened(self, entry: Entry) -> tuple[bool | None, Any]:
        """Return whether a write happened, as a read shows, and its result.

        Raises what the client raises.
        """
        from copydesk.session.writes.recovery import happened

        found = await happened(self._session, self._api, entry)
        line = self._session.writes.line_of(entry.id)
        if found[0] is None and line is not None and line.look is not None:
            try:
                result = await line.look()
            except NotDoneError:
                return None, None
            return result is not None, result
        return found

    async def _recheck(self, entry: Entry, *, anyway: bool, sure: bool) -> DeliveryDecision:
        """Check whether a write is there already, and whether it should still be sent.

        A person who is ``sure`` decides where nothing is read that tells; ``anyway`` also where its
        object changed.
        Raises what the client raises, and ``ValueError`` or ``TypeError`` for damaged notes.
        """
        from copydesk.client.calls import outgoing_of

        way = self._session.way
        told = entry.trace is not None
        why = ""
        outgoing_of(entry.request or {})
        arrived, result = await self._happened(entry)
        if arrived:
            return DeliveryDecision(True, result)
        if entry.reversal is not None:
            before = reversal_of(entry.reversal).before
            told = told or before is not None
            # Somebody else may have changed it although it is not there.
            if before is not None:
                why = self._changed(entry, before, await way.answer(self._api, before.read))
        expected = expectation_of(entry.expects)
        if expected is not None:
            told = True
            for each in expected.all:
                answer = None if why else await way.answer(self._api, each.read)
                why = why or self._changed(entry, each, answer)
        elif goes_by_words(entry.request or {}):
            told = False  # the basis of the decision is unknown: nobody else may decide
        if why and not anyway:
            return DeliveryDecision(
                held="changed", why=f"Waiting: changed since. {why} s sends it anyway."
            )
        if not (told or anyway or sure):
            return DeliveryDecision(held="untold", why=UNTOLD)
        return GO

    def _changed(self, entry: Entry, expected: Expectation, answer: Any) -> str:
        """Return why a write is obsolete; "" if it is not.

        Earlier writes of the same author that have arrived since are no reason.
        """
        pasts = self._session.history.known.values()
        since = [past.reversal for past in pasts if _is_since(past.entry, entry)]
        answered = sum(answers(reversal, expected.read) for reversal in since)
        own: set[str] = set()
        for still in filter(None, (reversal.still for reversal in since)):
            if alike(still, expected) and not still.differences(answer):
                own |= {path.partition("~")[0] for path in still.fields}
        if answered and "replies" in expected.fields:
            replies = expected.fields["replies"] + answered
            expected = replace(expected, fields={**expected.fields, "replies": replies})
        differs = {each.path.partition("~")[0] for each in expected.differences(answer)}
        return "" if differs <= own else expected.explain(answer)

    async def _arrive(
        self, entry: Entry, result: Any, name: str, *, said: str = HAD_ARRIVED
    ) -> None:
        """Note that a write has arrived, and finish it."""
        session = self._session
        line = session.writes.line_for(entry)
        typed = result is not None and line.send is not None and line.request == entry.request
        changes = session.writes.bound(line, entry, result, typed=typed)
        self._box.arrived.add(entry.id)
        done = await asyncio.to_thread(
            self._box.settle, entry, "done", sentence=said, held="", **changes
        )
        self._box.show(done, "done", said)
        session.history.take(done)
        if line.then is None:  # an earlier run wrote it
            from copydesk.session.page_edits import drop_arrived

            await drop_arrived(session, entry)
        session.writes.arrived(line, result if typed else None)
        came = {"": self.tally.sent, THERE_ALREADY: self.tally.there}
        came.get(said, self.tally.found).append(name)
        if not said:
            await session.snoozed.made(expectation_of(entry.expects), [result])
            self._box.not_before = None
            session.contact.answered()

    def _waits_for_edit(self, entry: Entry, hand: bool) -> bool:
        """Whether it is not sent as it is, because a person edits it."""
        if hand or not self._box.is_edited(entry):
            return False
        if entry.id not in self._box.edited:
            self.tally.stopped = BEGUN
        return True

    async def one(self, entry: Entry, hand: bool, *, anyway: bool, sure: bool) -> None:
        """Check one write, and send it if it should still be sent.

        Raises `AwayError` when the service is away.
        """
        name = clean(f"{entry.what} {entry.target}", limit=60)
        if self._session.writes.is_on_its_way(entry.draft, entry.text):
            return  # the same text is being sent from its draft: it is not sent twice
        if self._waits_for_edit(entry, hand):
            return
        if self._waits_for_others(entry):
            self.tally.stopped = "A comment that it goes with waits: that one first."
            return
        if self._box.is_others(entry):
            self.tally.stopped = OTHERS_WRITE
            if entry.id not in self._box.told_of_others:
                self._box.told_of_others.add(entry.id)
                self.tally.held.append(name)
            return
        if entry.state == "unknown":
            found = await self._find_out(entry, name, hand=hand, sure=sure)
            if found is None:
                return
            entry = found
            if self._waits_for_edit(entry, hand):
                return
        if entry.held and not hand:
            return
        try:
            verdict = await self._recheck(entry, anyway=anyway, sure=sure)
        except failure_types() as error:
            raise_away(error)
            if passes(error):
                self.tally.stopped = sentence(error, "s")
                return
            verdict = DeliveryDecision(held="changed", why=f"Waiting: {sentence(error, 's')}")
        except (ValueError, TypeError):
            verdict = DeliveryDecision(held="changed", why=UNREADABLE)
        if verdict.arrived:
            await self._arrive(entry, verdict.result, name, said=THERE_ALREADY)
        elif verdict.held:
            await self._hold(entry, verdict.held, verdict.why, name)
        else:
            await self._send(entry, name)

    async def _send(self, entry: Entry, name: str) -> None:
        """Send one request, noted before and after. Raises `AwayError`, and ``OSError``."""
        session = self._session
        before = entry.since
        entry = await asyncio.to_thread(
            session.journal.settle,
            entry,
            "sending",
            run=session.journal.run,
            held="",
            sentence="",
            since=before or session.service_time(),
        )
        line = session.writes.line_for(entry)
        self._box.show(entry, "sending", "")
        try:
            result = await self._resend(entry, line)
        except failure_types() as error:
            await self._failed(entry, error, name, before)
        except asyncio.CancelledError:
            # The program is ending: the outcome is found out later.
            self._box.take(self._box.settle(entry, "unknown", sentence="Stopped: it may be there."))
            raise
        else:
            await self._arrive(entry, result, name, said="")

    async def _resend(self, entry: Entry, line: LogEntry) -> Any:
        """Send the noted request, and return its result.

        A write of this run that was not edited is sent by its own ``send``, which alone knows who
        waits for the result. It must make the same request.
        """
        assert entry.request is not None
        if line.send is None or line.request != entry.request:
            return await self._api.again(entry.request)
        from copydesk.client.api import noting

        async def same(outgoing: Outgoing) -> None:
            if outgoing.to_dict() != entry.request:
                raise NotDoneError("The thing has changed: discard this write, and do it again.")

        with noting(same):
            return await line.send()

    async def _failed(
        self,
        entry: Entry,
        error: Exception,
        name: str,
        before: float | None,
    ) -> None:
        """Note a failed request; ``before`` is the start of the oldest try that may have arrived.

        Raises `AwayError` when the service is away.
        """
        operation = getattr(error, "operation", "")
        asked = (entry.request or {}).get("name")
        unknown = is_unknown(error) or (bool(operation) and operation != asked)
        request_id = request_id_of(error)
        away = isinstance(error, RateLimited | Unauthorized | Unreachable)
        if not unknown and away:
            entry = replace(entry, since=before)
            await self._box.queue(entry, f"{WAITS}: {sentence(error, 's')}")
            raise AwayError(error)
        happened: bool | None = None
        result: Any = None
        if unknown or isinstance(error, Conflict):
            if unknown:
                entry = await asyncio.to_thread(
                    self._box.settle, entry, "unknown", sentence=UNKNOWN, request_id=request_id
                )
                self._box.show(entry, "unknown", sentence(error, "s"))
            try:
                happened, result = await self._happened(entry)
            except failure_types() as other:
                raise_away(other)
        if happened:
            await self._arrive(entry, result, name)
            return
        if not unknown or (happened is False and isinstance(error, ServerFault)):
            said = f"Not sent: {sentence(error, 's')}"
            entry = entry if unknown else replace(entry, since=before)
            await self._hold(entry, "refused", said, name)
        elif happened is False and not self._box.may_come(entry):
            await self._box.queue(entry, NOT_ARRIVED)
        elif happened is False:
            entry = await asyncio.to_thread(self._box.settle, entry, "unknown", sentence=NOT_YET)
            self._box.show(entry, "unknown", NOT_YET)
        elif happened is None:
            self._box.undecided.add(entry.id)
            self.tally.held.append(name)
        if away:
            raise AwayError(error)

    async def _hold(self, entry: Entry, held: str, why: str, name: str) -> None:
        """Note that a write is held, and why."""
        await self._box.queue(entry, why, held)
        self.tally.held.append(name)


def _is_since(past: Entry, entry: Entry) -> bool:
    """Whether a write of the same author has arrived since another one was made."""
    return (
        past.state == "done"
        and past.by == entry.by
        and past.id != entry.id
        and past.at <= entry.at <= (past.ended or 0.0)
    )


def raise_away(error: Exception) -> None:
    """Raise `AwayError` where the service is away, or ``error`` if the disk refused."""
    if isinstance(error, OSError):
        raise error
    if isinstance(error, RateLimited | Unauthorized | Unreachable):
        raise AwayError(error) from error


def passes(error: Exception) -> bool:
    """Whether a read failed because of the service, which says nothing about the object."""
    return isinstance(error, ServerFault | Garbled)
