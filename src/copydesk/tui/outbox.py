"""The outbox: writes that surely did not arrive, or of which that is not known, and their way out.

They are entries of the journal, each with the one request that it takes, so that they outlive the
run. Before one goes it is looked whether it has arrived already, and whether the thing is still as
it was when it was written; what does not go by itself is *held* until a person decides. One process
at a time sends, and it reads the journal anew before it does: so each arrives once, or is asked
about.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from time import monotonic
from typing import TYPE_CHECKING, Any

from copydesk.domain.cause import CAUSE
from copydesk.domain.text import clean
from copydesk.tui.errors import WAITS, NotDoneError, failure_types, is_unknown, sentence
from copydesk.tui.identity import confirm
from copydesk.tui.kept import leave_kept
from copydesk.tui.written import HAD_ARRIVED, Written

if TYPE_CHECKING:
    from datetime import datetime

    from copydesk.client.api import Api
    from copydesk.client.request import Outgoing
    from copydesk.domain.reversal import Expectation
    from copydesk.local.journal import Entry, State
    from copydesk.tui.session import Session

MOMENTARY = frozenset(
    {"merge", "pull", "publish", "unpublish", "delete", "remove", "ping", "run", "join", "transfer",
     "install", "apply", "ingest", "duplicate", "set"}
)  # fmt: skip
"""What the name of an operation begins with that is about the moment at which it is asked for."""

QUIET_SECONDS = 60.0
"""How long a request that makes something may still be under way after its answer was lost: so long
nothing that was not found is taken for not made."""

NOT_ARRIVED = f"{WAITS}: no answer had come, and it had not arrived."
GONE = "It waits no more: it was sent, or dropped, meanwhile."
OTHERS = "Another copydesk is sending what waits at the moment."
UNCONFIRMED = "Nothing is sent: the service has not said yet who you are."
READ_ONLY = "Read-only: nothing is sent."
OTHERS_WRITE = "Held: it was written by somebody else, with another token. It goes with theirs."
OTHER_TEXT = (
    "Held: no answer came, and another text was sent from there since. s asks, and sends it."
)
UNREADABLE = "Held: what was noted of it cannot be read. D takes it out."
THERE_ALREADY = "It was so already when it was to be sent: nothing was sent."
NOT_YET = (
    f"{WAITS}: no answer came. It is not there yet; it is looked for again before it is sent again."
)
NOT_THERE = f"{WAITS}: no answer came, and it was not there when it was read again."
UNTOLD = "Held: nothing can be read that tells whether it is still wanted. s sends it."
UNKNOWN = (
    "No answer came, and reading does not tell whether it arrived. s asks, and sends it again."
)


def may_wait(line: Written, outgoing: Outgoing) -> bool:
    """Whether a write may go later just as it is: not what depends on the moment, nor a secret."""
    momentary = outgoing.name.partition("_")[0] in MOMENTARY
    return not (line.now or line.several or line.kind or momentary or outgoing.secret)


def creates(request: Mapping[str, Any] | None) -> bool:
    """Whether a request makes something each time that it arrives, be it late."""
    return request is not None and bool(request.get("creates") or request.get("method") == "POST")


def danger() -> int:
    """Return how dangerous what is being done is, by the actions that led to it (0 to 3)."""
    causes = CAUSE.get()
    if not causes:
        return 0
    # Commands write too, and load no screens.
    from copydesk.tui.actions import SCOPES

    found = 0
    for name in causes:
        scope, _, method = name.rpartition(".")
        owner = SCOPES.get(scope)
        action = None if owner is None else owner.ACTIONS.get(method)
        found = max(found, 0 if action is None else action.danger)
    return found


@dataclass
class _Tally:
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


class _AwayError(Exception):
    """Nobody is there: what is left waits on. ``error`` is what the client raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What reading said about a write that is to go: it is there, it goes, or why it is held."""

    arrived: bool = False
    result: Any = None
    held: str = ""
    why: str = ""


GO = _Verdict()


class Outbox:
    """What waits to be sent for one session. Nothing here runs before somebody asks or `wake`s."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.items: dict[str, Entry] = {}
        """What waits, oldest first, by its id."""
        self._untold: set[str] = set()
        self._others: set[str] = set()
        """What was told to be of somebody else."""
        self._editing: set[str] = set()
        self._not_before: datetime | None = None
        """When the service wants the next one, as it said itself."""
        self._met: dict[str, float] = {}
        """When was first seen what is of a later time than it is."""
        self._done: set[str] = set()
        """What arrived although the disk did not take that in: never to be sent again."""
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[str] | None = None

    @property
    def count(self) -> int:
        """How many writes wait, or are not known to have arrived."""
        return len(self.items)

    @property
    def asks(self) -> int:
        """How many of them wait for a person to decide."""
        return sum(bool(each.held) or each.id in self._untold for each in self.items.values())

    @property
    def busy(self) -> bool:
        """Whether it is being gone through now."""
        return self._lock.locked()

    # What is in it

    def take(self, entry: Entry) -> None:
        """Take in how a write stands now."""
        if entry.waits and entry.id not in self._done:
            new = entry.id not in self.items
            self.items[entry.id] = self._seen(entry)
            if new:  # what is put back goes where it was
                self.items = dict(sorted(self.items.items(), key=lambda each: each[1].at))
        else:
            self.items.pop(entry.id, None)

    async def look(self) -> list[Entry]:
        """Read what waits, also what other runs left there. Raises ``OSError``."""
        found = await asyncio.to_thread(self._session.journal.waiting)
        self.items = {each.id: self._seen(each) for each in found if each.id not in self._done}
        self._session.touched()
        return list(self.items.values())

    def _seen(self, entry: Entry) -> Entry:
        """Return a write as it is for who is here: what somebody else wrote is held from them.

        That is never noted: it goes as soon as its writer is back.
        """
        if self._is_others(entry):
            return replace(entry, held="other", sentence=OTHERS_WRITE)
        if entry.held == "other":
            return replace(entry, held="", sentence=f"{WAITS}.")
        return entry

    def _is_others(self, entry: Entry) -> bool:
        me = self._session.me
        return bool(entry.by) and me is not None and me.id != entry.by

    async def tidy(self) -> None:
        """Read what waits, and put those drafts aside that are in it: a run may have ended between.

        Raises ``OSError``.
        """
        for entry in await self.look():
            if entry.state == "queued":
                await asyncio.to_thread(self.move_draft, entry.draft, entry.text)

    def move_draft(self, draft: str, text: str | None) -> None:
        """Put a draft aside whose text is in the outbox now; what was typed since stays."""
        session = self._session
        if draft and text and session.drafts.load(draft) == text:
            session.drafts.drop(draft)
        session.unsent.pop(draft, None)

    def keeps(self, line: Written) -> bool:
        """Whether a line is sent from here alone: it waits, or another copydesk may be at it."""
        entry = line.entry
        if entry is None or entry.request is None:
            return False
        return entry.id in self.items or line.state in ("queued", "unknown")

    def ask_about(self, line: Written) -> None:
        """Let a person decide on a write without an answer: another text was sent from there."""
        if line.entry is not None and line.entry.id in self.items:
            line.said = OTHER_TEXT
            line.entry = self._settle(line.entry, "unknown", sentence=OTHER_TEXT, held="changed")

    def replaced(self, line: Written) -> None:
        """Take a write out whose text has arrived by another."""
        if line.entry is not None and line.entry.id in self.items:
            line.entry = self._settle(line.entry, "dropped", sentence=line.said)

    # By hand

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Have the outbox to oneself, as it is on the disk now.

        Raises `NotDoneError` while another copydesk is sending, and ``OSError``.
        """
        async with self._lock:
            journal = self._session.journal
            if not await self._claim():
                raise NotDoneError(OTHERS)
            try:
                await self.look()
                yield
            finally:
                journal.release()

    async def _claim(self) -> bool:
        """Claim the outbox; whoever is stopped meanwhile does not keep it."""
        journal = self._session.journal
        claiming = asyncio.ensure_future(asyncio.to_thread(journal.claim))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            claiming.add_done_callback(lambda _: journal.release())
            raise

    @contextmanager
    def editing(self, id: str) -> Iterator[None]:
        """Keep a write from going while other words are put into it."""
        self._editing.add(id)
        try:
            yield
        finally:
            self._editing.discard(id)

    async def drop(self, id: str) -> None:
        """Take a write out; what was typed for it is a draft again.

        Raises `NotDoneError` when it waits no more, and ``OSError``.
        """
        async with self._alone():
            entry = self.items.get(id)
            if entry is None:
                raise NotDoneError(GONE)
            if entry.draft and entry.text:
                await asyncio.to_thread(self._give_back, entry)
            dropped = await asyncio.to_thread(
                self._session.journal.settle,
                entry,
                "dropped",
                sentence="Dropped: it was not sent.",
                held="lost"
                if entry.state == "unknown"
                else ""
                if entry.held == "other"
                else entry.held,
            )
            self.take(dropped)
        self._show(dropped, "dropped", dropped.sentence)

    def _give_back(self, entry: Entry) -> None:
        """Let a text be a draft again, unless something else is typed there."""
        drafts = self._session.drafts
        if drafts.load(entry.draft) is None:
            drafts.save(entry.draft, entry.text)

    async def queue_again(self, id: str) -> None:
        """Put a write back that was taken out. Raises `NotDoneError`, and ``OSError``."""
        async with self._alone():
            entries = await asyncio.to_thread(self._session.journal.entries)
            entry = next((each for each in entries if each.id == id), None)
            if entry is None or entry.state != "dropped" or entry.request is None:
                raise NotDoneError("It is not among what was dropped any more.")
            if entry.held == "lost":  # it may have arrived: that is to be found out still
                await asyncio.to_thread(self.move_draft, entry.draft, entry.text)
                back = self._settle(entry, "unknown", sentence="", held="")
                self._show(back, "unknown", "")
            else:
                await self._queue(entry, f"{WAITS}.", entry.held)
        if not self._session.offline:
            self.wake()

    async def change(self, was: Entry, **changes: Any) -> None:
        """Put other words into a write that waits, and is as it ``was``.

        Raises `NotDoneError`, and ``OSError``.
        """
        async with self._alone():
            entry = self.items.get(was.id)
            if entry is None or entry.state != "queued":
                raise NotDoneError(GONE)
            if entry.request != was.request:
                raise NotDoneError("It was edited elsewhere meanwhile. What you wrote is a draft.")
            said = f"{WAITS}: it was edited."
            changed = await asyncio.to_thread(
                self._session.journal.settle,
                entry,
                "queued",
                **{"held": "", "sentence": said, **changes},
            )
            self.take(changed)
        self._show(changed, "queued", said)

    # Sending

    def wake(self) -> None:
        """Send what goes by itself, now that somebody answers; quick when there is nothing."""
        session = self._session
        if not self.items or self.busy or session.read_only or not session.confirmed:
            return
        if self._not_before is not None and session.clock() < self._not_before:
            return
        if not any(map(self._goes, self.items.values())):
            return
        if self._task is None or self._task.done():
            self._task = self._start("", anyway=False, sure=False, tell=True)

    def _goes(self, entry: Entry) -> bool:
        """Whether there is something to try without being asked."""
        if self._is_others(entry) or entry.id in self._editing:
            return False
        if entry.state == "queued":
            return entry.held in ("", "other")
        return entry.id not in self._untold and not self._may_come(entry)

    def _may_come(self, entry: Entry) -> bool:
        """Whether something that is not there might still be made by a request under way."""
        since = next(each for each in (entry.ended, entry.tried, entry.at) if each is not None)
        gone_by = self._session.journal.now() - since
        if gone_by < 0:  # the clock was set back
            here = self._met.setdefault(entry.id, monotonic())
            gone_by = monotonic() - here
        return creates(entry.request) and gone_by < QUIET_SECONDS

    async def send(
        self, only: str = "", *, anyway: bool = False, sure: bool = False, tell: bool = True
    ) -> str:
        """Send what waits, in order; return what came of it, as a sentence.

        ``only`` names one; ``anyway`` sends it also where the thing was changed since; ``sure``
        where it may have arrived and reading does not tell. Leaving the place that asked for it
        stops nothing. Without ``tell`` nothing is reported besides.
        """
        return await asyncio.shield(self._start(only, anyway=anyway, sure=sure, tell=tell))

    def _start(self, only: str, *, anyway: bool, sure: bool, tell: bool) -> asyncio.Task[str]:
        going = self._go(only, anyway=anyway, sure=sure, tell=tell)
        task = asyncio.create_task(going, name="outbox")
        # Who quits waits for it, as for other writes.
        self._session.hold_open(task)
        return task

    async def _go(self, only: str, *, anyway: bool, sure: bool, tell: bool) -> str:
        session = self._session
        if session.read_only:
            return READ_ONLY
        leave_kept()
        # Whatever woke it: what goes was asked for by the action that wrote it, long ago.
        CAUSE.set(())
        tally = _Tally()
        async with self._lock:
            session.touched()
            try:
                api = await session.ready()
                if not session.confirmed:
                    # What waits is somebody's: whose token this is must be known by now.
                    await confirm(session, api)
                if not session.confirmed:
                    return UNCONFIRMED
                if not await self._claim():
                    return OTHERS
                try:
                    waiting = await self.look()
                    if only and only not in self.items:
                        tally.said = GONE
                        await self._learn(only)
                    for entry in waiting:
                        if not only or entry.id == only:
                            hand = bool(only)
                            await self._one(api, entry, tally, hand, anyway=anyway, sure=sure)
                finally:
                    session.journal.release()
            except _AwayError as error:
                self._not_before = getattr(error.error, "retry_at", None)
                session.learn(error.error, quiet=False)
                tally.said = sentence(error.error, "s")
            except failure_types() as error:
                session.learn(error, quiet=False)
                tally.said = _unkept(error) if isinstance(error, OSError) else sentence(error, "s")
        session.touched()
        said = tally.sentence()
        if said and tell:
            session.report(said, "warn" if tally.held else "good")
        return said or tally.said

    async def _learn(self, id: str) -> None:
        """Show how a write stands that waits no more, as another copydesk noted it."""
        entries = await asyncio.to_thread(self._session.journal.entries)
        entry = next((each for each in entries if each.id == id), None)
        if entry is not None:
            self._show(entry, entry.state, entry.sentence)

    async def _one(
        self, api: Api, entry: Entry, tally: _Tally, hand: bool, *, anyway: bool, sure: bool
    ) -> None:
        """Find out about one write, and send it if it should go.

        Raises `_AwayError` when nobody is there.
        """
        name = clean(f"{entry.what} {entry.target}", limit=60)
        if self._is_typed_again(entry) or (entry.id in self._editing and not hand):
            return
        if self._waits_for_others(entry):
            tally.said = "It waits for a comment that it goes with: that one first."
            return
        if self._is_others(entry):
            tally.said = OTHERS_WRITE
            if entry.id not in self._others:
                self._others.add(entry.id)
                tally.held.append(name)
            return
        if entry.state == "unknown":
            found = await self._find_out(api, entry, tally, name, hand=hand, sure=sure)
            if found is None:
                return
            entry = found
        if entry.held and not hand:
            return
        try:
            verdict = await self._recheck(api, entry, anyway=anyway)
        except failure_types() as error:
            _raise_away(error)
            if _passes(error):
                tally.said = sentence(error, "s")
                return
            verdict = _Verdict(held="changed", why=f"Held: {sentence(error, 's')}")
        except (ValueError, TypeError):
            verdict = _Verdict(held="changed", why=UNREADABLE)
        if verdict.arrived:
            await self._arrive(entry, verdict.result, tally, name, said=THERE_ALREADY)
        elif verdict.held:
            await self._hold(entry, verdict.held, verdict.why, tally, name)
        else:
            await self._send(api, entry, tally, name)

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
        before = takewhile(lambda each: each.id != entry.id, self.items.values())
        return any(each.group == entry.group for each in before)

    async def _find_out(
        self, api: Api, entry: Entry, tally: _Tally, name: str, *, hand: bool, sure: bool
    ) -> Entry | None:
        """Find out whether a write arrived whose answer is lost; return it when it is to be sent.

        Raises `_AwayError`.
        """
        if entry.id in self._untold and not hand:
            return None
        try:
            happened, result = await self._happened(api, entry)
        except failure_types() as error:
            _raise_away(error)
            if _passes(error) and not hand:
                tally.said = sentence(error, "s")
                return None
            happened, result = None, None
        if happened:
            await self._arrive(entry, result, tally, name)
            return None
        if happened is None and not sure:
            self._untold.add(entry.id)
            if entry.sentence != UNKNOWN:
                settled = await asyncio.to_thread(
                    self._session.journal.settle, entry, "unknown", sentence=UNKNOWN
                )
                self.take(settled)
                self._show(settled, "unknown", UNKNOWN)
            return None
        if happened is False and not sure and self._may_come(entry):
            tally.said = "No answer came. It is not there yet, and may still arrive."
            return None
        if entry.held and not hand:
            return await self._queue(entry, entry.sentence, entry.held)
        return await self._queue(entry, NOT_ARRIVED)

    async def _happened(self, api: Api, entry: Entry) -> tuple[bool | None, Any]:
        """Whether a write happened, and what it made, as far as reading tells.

        Raises what the client raises.
        """
        from copydesk.tui.recovery import happened

        found = await happened(self._session, api, entry)
        line = self._session.line_of(entry.id)
        if found[0] is None and line is not None and line.look is not None:
            try:
                result = await line.look()
            except NotDoneError:
                return None, None
            return result is not None, result
        return found

    async def _recheck(self, api: Api, entry: Entry, *, anyway: bool) -> _Verdict:
        """Read whether a write is there already, and whether it still should be sent.

        Raises what the client raises, and ``ValueError`` or ``TypeError`` for what is damaged.
        """
        from copydesk.client.request import outgoing_of
        from copydesk.domain.reversal import expectation_of, reversal_of

        way = self._session.way
        told = entry.trace is not None
        why = ""
        outgoing_of(entry.request or {})
        arrived, result = await self._happened(api, entry)
        if arrived:
            return _Verdict(True, result)
        if entry.reversal is not None:
            before = reversal_of(entry.reversal).before
            told = told or before is not None
            if before is not None and arrived is None:
                why = self._changed(entry, before, await way.answer(api, before.read))
        expected = expectation_of(entry.expects)
        if expected is not None:
            told = True
            why = why or self._changed(entry, expected, await way.answer(api, expected.read))
        if why and not anyway:
            return _Verdict(held="changed", why=f"Held: changed since. {why} s sends it anyway.")
        if not told and not anyway:
            return _Verdict(held="untold", why=UNTOLD)
        return GO

    def _changed(self, entry: Entry, expected: Expectation, answer: Any) -> str:
        """Return why a write is not wanted as things are; empty if it is.

        What its writer had written before, and what arrived only since, is no reason.
        """
        own: set[str] = set()
        for past in self._session.history.known.values():
            before, still = past.entry, past.reversal.still
            if (
                still is not None
                and before.state == "done"
                and before.by == entry.by
                and before.id != entry.id
                and before.at <= entry.at <= (before.ended or 0.0)
                and still.read == expected.read
                and not still.differences(answer)
            ):
                own |= {path.partition("~")[0] for path in still.fields}
        differs = {each.path.partition("~")[0] for each in expected.differences(answer)}
        return "" if differs <= own else expected.explain(answer)

    async def _send(self, api: Api, entry: Entry, tally: _Tally, name: str) -> None:
        """Send one request, noted before and after. Raises `_AwayError`, and ``OSError``."""
        session = self._session
        before = entry.since
        entry = await asyncio.to_thread(
            session.journal.settle,
            entry,
            "sending",
            run=session.journal.run,
            held="",
            sentence="",
            since=session.service_time() if before is None else before,
        )
        line = session.line_for(entry)
        self._show(entry, "sending", "")
        try:
            result = await self._resend(api, entry, line)
        except failure_types() as error:
            await self._failed(api, entry, error, tally, name, before)
        except asyncio.CancelledError:
            # The program ends, or nearly: whether it arrived is to be found out.
            self.take(self._settle(entry, "unknown", sentence="It was stopped: it may be there."))
            raise
        else:
            await self._arrive(entry, result, tally, name, said="")

    async def _resend(self, api: Api, entry: Entry, line: Written) -> Any:
        """Send the request that was noted, and return its result.

        What was not edited, and was written in this run, is sent by what sent it first: who waits
        for its result knows that alone. It must come to the same request.
        """
        assert entry.request is not None
        if line.send is None or line.request != entry.request:
            return await api.again(entry.request)
        from copydesk.client.noting import noting

        async def same(outgoing: Outgoing) -> None:
            if outgoing.to_dict() != entry.request:
                raise NotDoneError("It would send something else by now. Drop it and do it anew.")

        with noting(same):
            return await line.send()

    async def _failed(
        self,
        api: Api,
        entry: Entry,
        error: Exception,
        tally: _Tally,
        name: str,
        before: float | None,
    ) -> None:
        """Note how sending failed; ``before`` is since when it may have been there even so.

        Raises `_AwayError` when there is nobody to go on with."""
        from copydesk.client.errors import (
            Conflict,
            RateLimited,
            ServerFault,
            Unauthorized,
            Unreachable,
        )

        operation = getattr(error, "operation", "")
        asked = (entry.request or {}).get("name")
        unknown = is_unknown(error) or (bool(operation) and operation != asked)
        request_id = str(getattr(error, "request_id", "") or "")
        away = isinstance(error, RateLimited | Unauthorized | Unreachable)
        if not unknown and away:
            entry = replace(entry, since=before)
            await self._queue(entry, f"{WAITS}: {sentence(error, 's')}")
            raise _AwayError(error)
        happened: bool | None = None
        result: Any = None
        if unknown or isinstance(error, Conflict):
            if unknown:
                entry = await asyncio.to_thread(
                    self._settle, entry, "unknown", sentence=UNKNOWN, request_id=request_id
                )
                self._show(entry, "unknown", sentence(error, "s"))
            try:
                happened, result = await self._happened(api, entry)
            except failure_types() as other:
                _raise_away(other)
        if happened:
            await self._arrive(entry, result, tally, name)
            return
        if not unknown or (happened is False and isinstance(error, ServerFault)):
            said = f"Not sent: {sentence(error, 's')}"
            entry = entry if unknown else replace(entry, since=before)
            await self._hold(entry, "refused", said, tally, name)
        elif happened is False and not self._may_come(entry):
            await self._queue(entry, NOT_ARRIVED)
        elif happened is False:
            entry = await asyncio.to_thread(self._settle, entry, "unknown", sentence=NOT_YET)
            self._show(entry, "unknown", NOT_YET)
        elif happened is None:
            self._untold.add(entry.id)
            tally.held.append(name)
        if away:
            raise _AwayError(error)

    # How it ended

    async def _queue(self, entry: Entry, said: str, held: str = "") -> Entry:
        """Note that a write waits: it is known not to have arrived."""
        queued = await asyncio.to_thread(self._settle, entry, "queued", sentence=said, held=held)
        self._untold.discard(entry.id)
        self._show(queued, "queued", said)
        await asyncio.to_thread(self.move_draft, entry.draft, entry.text)
        return queued

    async def _hold(self, entry: Entry, held: str, why: str, tally: _Tally, name: str) -> None:
        """Note that a write does not go by itself, and why."""
        await self._queue(entry, why, held)
        tally.held.append(name)

    async def _arrive(
        self, entry: Entry, result: Any, tally: _Tally, name: str, *, said: str = HAD_ARRIVED
    ) -> None:
        """Note that a write is there, and do what follows it."""
        session = self._session
        line = session.line_for(entry)
        typed = result is not None and line.send is not None and line.request == entry.request
        changes = session.bound(line, entry, result, typed=typed)
        self._done.add(entry.id)
        done = await asyncio.to_thread(
            self._settle, entry, "done", sentence=said, held="", **changes
        )
        self._show(done, "done", said)
        session.history.take(done)
        session.arrived(line, entry, result if typed else None)
        came = {"": tally.sent, THERE_ALREADY: tally.there}
        came.get(said, tally.found).append(name)
        if not said:
            self._not_before = None
            session.contact.answered()

    def _settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write ended; what the disk refuses to keep is known for this run at least."""
        try:
            settled = self._session.journal.settle(entry, state, **changes)
        except OSError as error:
            said = error.strerror or str(error)
            self._session.note(f"{entry.what} {entry.target}: its end is not on disk: {said}.")
            settled = replace(entry, state=state, ended=self._session.journal.now(), **changes)
            self._session.journal.owe(settled)
        self.take(settled)
        return settled

    def _show(self, entry: Entry, state: str, said: str) -> None:
        """Show in the log how a write stands, if it has a line there."""
        line = self._session.line_of(entry.id)
        if line is not None:
            line.entry, line.state, line.said, line.what = entry, state, said, entry.what
            line.request_id = entry.request_id
        self._session.touched()


def _raise_away(error: Exception) -> None:
    """Raise `_AwayError` for what says that nobody is there, or ``error`` if the disk refused."""
    from copydesk.client.errors import RateLimited, Unauthorized, Unreachable

    if isinstance(error, OSError):
        raise error
    if isinstance(error, RateLimited | Unauthorized | Unreachable):
        raise _AwayError(error) from error


def _passes(error: Exception) -> bool:
    """Whether a read failed because the service did: that says nothing of what was to be read."""
    from copydesk.client.errors import Garbled, ServerFault

    return isinstance(error, ServerFault | Garbled)


def _unkept(error: OSError) -> str:
    return f"Nothing is sent that cannot be noted on disk first: {error.strerror or error}."
