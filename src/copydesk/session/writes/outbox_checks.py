"""Finding out, before what waits is sent, whether it is there already and is still wanted.

`Checking` is what `copydesk.session.writes.delivery` does first, apart from it for length.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from copydesk.session.errors import NotDoneError, failure_types, sentence
from copydesk.session.writes.log import HAD_ARRIVED
from copydesk.session.writes.outbox_rules import NOT_ARRIVED, THERE_ALREADY, UNKNOWN, UNTOLD

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Expectation
    from copydesk.local.journal import Entry
    from copydesk.session.writes.outbox_entries import Waiting


@dataclass
class Tally:
    """What one going through the outbox came to."""

    sent: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    said: str = ""
    """Why it ended before its end; empty when it did not."""

    def sentence(self) -> str:
        """Return what a person reads of it; empty when nothing has changed."""
        said = []
        for words, names in (
            ("Sent from the outbox", self.sent),
            ("No answer had come, but it had arrived", self.found),
            ("There already, so that nothing was sent", self.there),
            ("Held in the outbox (g x)", self.held),
        ):
            if names:
                said.append(f"{words}: {names[0] if len(names) == 1 else len(names)}.")
        return " ".join(said)


class AwayError(Exception):
    """The service is away, so the rest goes on waiting. ``error`` is what the client raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, slots=True)
class Verdict:
    """What reading said about a write that is to go: it is there, it goes, or why it is held."""

    arrived: bool = False
    result: Any = None
    held: str = ""
    why: str = ""


GO = Verdict()


class Checking:
    """Checks waiting writes and notes the findings; ``tally`` counts them."""

    def __init__(self, box: Waiting, api: Api, tally: Tally) -> None:
        self._box = box
        self._session = box.session
        self._api = api
        self.tally = tally

    def _is_typed_again(self, entry: Entry) -> bool:
        """Whether the same text is being sent from its draft now: it is not sent twice."""
        return bool(entry.draft) and any(
            line.draft == entry.draft and line.text == entry.text
            and line.state in ("sending", "waiting")
            for line in self._session.log
        )  # fmt: skip

    def _waits_for_others(self, entry: Entry) -> bool:
        """Whether a verdict waits for the comments that were to go with it, and comes after them.

        It cannot be taken back; what is found by its state and not by its words is such a one.
        """
        if not entry.group or entry.trace is None or "says" not in entry.trace:
            return False
        before = takewhile(lambda each: each.id != entry.id, self._box.items.values())
        return any(each.group == entry.group for each in before)

    async def _find_out(self, entry: Entry, name: str, *, hand: bool, sure: bool) -> Entry | None:
        """Find out whether a write arrived whose answer is lost; return it when it is to be sent.

        Raises `AwayError`.
        """
        if entry.id in self._box.untold and not hand:
            return None
        try:
            happened, result = await self._happened(entry)
        except failure_types() as error:
            raise_away(error)
            if passes(error) and not hand:
                self.tally.said = sentence(error, "s")
                return None
            happened, result = None, None
        if happened:
            await self._arrive(entry, result, name)
            return None
        if happened is None and not sure:
            self._box.untold.add(entry.id)
            if entry.sentence != UNKNOWN:
                settled = await asyncio.to_thread(
                    self._session.journal.settle, entry, "unknown", sentence=UNKNOWN
                )
                self._box.take(settled)
                self._box.show(settled, "unknown", UNKNOWN)
            return None
        if happened is False and not sure and self._box.may_come(entry):
            self.tally.said = "No answer came. It is not there yet, and may still arrive."
            return None
        if entry.held and not hand:
            return await self._box.queue(entry, entry.sentence, entry.held)
        return await self._box.queue(entry, NOT_ARRIVED)

    async def _happened(self, entry: Entry) -> tuple[bool | None, Any]:
        """Return whether a read shows that a write happened, and what it made.

        Raises what the client raises.
        """
        from copydesk.session.writes.recovery import happened

        found = await happened(self._session, self._api, entry)
        line = self._session.line_of(entry.id)
        if found[0] is None and line is not None and line.look is not None:
            try:
                result = await line.look()
            except NotDoneError:
                return None, None
            return result is not None, result
        return found

    async def _recheck(self, entry: Entry, *, anyway: bool) -> Verdict:
        """Read whether a write is there already, and whether it still should be sent.

        Raises what the client raises, and ``ValueError`` or ``TypeError`` for what is damaged.
        """
        from copydesk.client.request import outgoing_of
        from copydesk.domain.preconditions import goes_by_words
        from copydesk.domain.reversal import expectation_of, reversal_of

        way = self._session.way
        told = entry.trace is not None
        why = ""
        outgoing_of(entry.request or {})
        arrived, result = await self._happened(entry)
        if arrived:
            return Verdict(True, result)
        if entry.reversal is not None:
            before = reversal_of(entry.reversal).before
            told = told or before is not None
            # That it is not there does not say that nobody else changed it.
            if before is not None:
                why = self._changed(entry, before, await way.answer(self._api, before.read))
        expected = expectation_of(entry.expects)
        if expected is not None:
            told = True
            for each in expected.all:
                answer = None if why else await way.answer(self._api, each.read)
                why = why or self._changed(entry, each, answer)
        elif goes_by_words(entry.request or {}):
            told = False  # by what it was judged is not known: nobody else may decide
        if why and not anyway:
            return Verdict(held="changed", why=f"Held: changed since. {why} s sends it anyway.")
        if not told and not anyway:
            return Verdict(held="untold", why=UNTOLD)
        return GO

    def _changed(self, entry: Entry, expected: Expectation, answer: Any) -> str:
        """Return why a write is not wanted as things are; empty if it is.

        What its writer had written before, and what arrived only since, is no reason.
        """
        from copydesk.domain.preconditions import alike, answers

        own: set[str] = set()
        answered = 0
        for past in self._session.history.known.values():
            before, still = past.entry, past.reversal.still
            if (
                before.state != "done"
                or before.by != entry.by
                or before.id == entry.id
                or not before.at <= entry.at <= (before.ended or 0.0)
            ):
                continue
            answered += answers(past.reversal, expected.read)
            if still is not None and alike(still, expected) and not still.differences(answer):
                own |= {path.partition("~")[0] for path in still.fields}
        if answered and "replies" in expected.fields:
            replies = expected.fields["replies"] + answered
            expected = replace(expected, fields={**expected.fields, "replies": replies})
        differs = {each.path.partition("~")[0] for each in expected.differences(answer)}
        return "" if differs <= own else expected.explain(answer)

    async def _arrive(
        self, entry: Entry, result: Any, name: str, *, said: str = HAD_ARRIVED
    ) -> None:
        """Note that a write is there, and do what follows it."""
        session = self._session
        line = session.line_for(entry)
        typed = result is not None and line.send is not None and line.request == entry.request
        changes = session.bound(line, entry, result, typed=typed)
        self._box.arrived.add(entry.id)
        done = await asyncio.to_thread(
            self._box.settle, entry, "done", sentence=said, held="", **changes
        )
        self._box.show(done, "done", said)
        session.history.take(done)
        session.arrived(line, entry, result if typed else None)
        came = {"": self.tally.sent, THERE_ALREADY: self.tally.there}
        came.get(said, self.tally.found).append(name)
        if not said:
            self._box.not_before = None
            session.contact.answered()


def raise_away(error: Exception) -> None:
    """Raise `AwayError` for what says that nobody is there, or ``error`` if the disk refused."""
    from copydesk.client.errors import RateLimited, Unauthorized, Unreachable

    if isinstance(error, OSError):
        raise error
    if isinstance(error, RateLimited | Unauthorized | Unreachable):
        raise AwayError(error) from error


def passes(error: Exception) -> bool:
    """Whether a read failed because the service did, which says nothing of the object."""
    from copydesk.client.errors import Garbled, ServerFault

    return isinstance(error, ServerFault | Garbled)
