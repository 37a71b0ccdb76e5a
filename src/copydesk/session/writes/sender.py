"""Sending writes: each is logged and journalled, can be recalled, retried and undone."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from copydesk.client.errors import RateLimited, Unauthorized, Unreachable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import whole_answers
from copydesk.local.journal import Entry, Notes, State
from copydesk.session.errors import (
    IN_THE_LOG,
    WAITS,
    NotDoneError,
    failure_types,
    is_unknown,
    request_id_of,
    sentence,
    waits_sentence,
    write_sentence,
)
from copydesk.session.writes.log import (
    HAD_ARRIVED,
    NOT_SENT,
    STOPPED,
    HeldBackError,
    LogEntry,
    NotThereError,
    QueuedError,
    RecallableWrite,
    RecalledError,
    RecallError,
    UnansweredError,
    WriteError,
)
from copydesk.session.writes.outbox import NOT_THERE, NOT_YET, creates, danger, may_wait

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.client.calls import Outgoing
    from copydesk.domain.reversal import Expectation, Reversal, Trace
    from copydesk.session.session import Session


T = TypeVar("T")


@dataclass(frozen=True)
class Write(Generic[T]):
    """A write that is ready to be sent; the fields are those of `WriteSender.perform`.

    ``done`` is the sentence for a reader once it has arrived.
    """

    what: str
    target: str
    send: Callable[[Api], Awaitable[T]]
    done: str = ""
    reversal: Reversal | Callable[[T], Reversal | None] | None = None
    expects: Expectation | None = None
    trace: Trace | None = None
    look: Callable[[Api], Awaitable[T | None]] | None = None


_log = logging.getLogger("copydesk.writes")

ASKED = 2
"""From this danger on a person confirms the write on screen: it is never done later."""

UNREAD = "Sent, and what was read afterwards did not come"
"""The beginning of the sentence for a write after which a read failed."""


def made_by(makes: bool, result: Any) -> dict[str, Any]:
    """Return the created object as the journal stores it."""
    if not makes:
        return {}
    try:
        made = json.loads(result.content)["id"] if hasattr(result, "content") else result.id
    except (AttributeError, ValueError, LookupError, TypeError):
        return {}
    return {"made": made} if isinstance(made, str) else {}


def _is_away(error: BaseException) -> bool:
    """Whether a write failed because the service is away, so that it may wait."""
    return isinstance(error, RateLimited | Unauthorized | Unreachable)


class WriteSender:
    """Sends the writes of a session, and keeps the unfinished ones."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.waits: list[RecallableWrite] = []
        """The writes that can still be recalled, oldest first."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._held: set[asyncio.Task[Any]] = set()
        """What else is waited for before all ends: it writes, or what was written goes on."""
        self._lines: dict[str, LogEntry] = {}
        """The lines of the log by their entries in the journal."""

    def recall(self) -> LogEntry | None:
        """Stop the newest unsent write, and return its line."""
        wait = next((each for each in reversed(self.waits) if not each.over.is_set()), None)
        if wait is None:
            return None
        wait.recalled = True
        wait.over.set()
        return wait.line

    def send_now(self) -> None:
        """Send the recallable writes at once."""
        for wait in self.waits:
            wait.over.set()

    def is_on_its_way(self, draft: str, text: str) -> bool:
        """Whether a text from a draft is being sent, so that the field begins empty."""
        return text in self._under_way(draft)

    def unsent_text(self, draft: str) -> str:
        """Return the newest text from a draft that is sent, or is about to be; "" for none."""
        return next(self._under_way(draft), None) or ""

    def _under_way(self, draft: str) -> Iterator[str | None]:
        """Yield the texts from a draft that are sent, or are about to be, the newest first."""
        for line in reversed(self._session.log):
            if line.draft == draft and line.state in ("waiting", "sending"):
                yield line.text

    def make_room(self, draft: str) -> int:
        """Send recallable writes from a draft at once, as another text is begun there; return how
        many.

        They are noted on the disk, so that the draft is free for the other text.
        """
        found = [wait for wait in self.waits if draft and wait.line.draft == draft]
        for wait in found:
            wait.over.set()
        return len(found)

    def waits_for(self, owner: object) -> bool:
        """Whether ``owner`` only waits for a write that can still be recalled."""
        return any(wait.owner is owner for wait in self.waits)

    def _apart(self, line: LogEntry) -> None:
        """Raise `WriteError` while the same text from the same draft is being sent."""
        if not line.draft:
            return
        for other in self._session.log:
            if other is line or other.draft != line.draft or other.text != line.text:
                continue
            if other.state == "waiting":
                raise WriteError("This waits to be sent already: u recalls it.")
            if other.state == "sending":
                raise WriteError("This is being sent already: @ shows what comes of it.")
        for entry in self._session.outbox.items.values():
            alike = entry.draft == line.draft and entry.text == line.text
            if alike and entry.state == "unknown" and self.line_of(entry.id) is None:
                raise WriteError("An earlier try may have arrived: g x, then s finds out.")

    @property
    def writing(self) -> frozenset[asyncio.Task[Any]]:
        """The writes under way, and what else is waited for before all ends."""
        return frozenset(self._tasks | self._held)

    @property
    def writes_pending(self) -> int:
        """The number of writes without an end: recallable or unanswered."""
        return len(self._tasks)

    async def perform(
        self,
        what: str,
        target: str,
        send: Callable[[], Awaitable[T]],
        *,
        reversal: Reversal | Callable[[T], Reversal | None] | None = None,
        recall: bool = False,
        group: str = "",
        trace: Trace | None = None,
        look: Callable[[], Awaitable[T | None]] | None = None,
        then: Callable[[T], None] | None = None,
        draft: str = "",
        owner: object = None,
        expects: Expectation | None = None,
        now: bool = False,
        several: bool = False,
        aged: bool = False,
    ) -> T:
        """Send one write: logged, journalled, never cancelled by leaving the screen.

        ``send`` is called to make the request (again on a retry). ``reversal`` is how it is taken
        back; a callable is given the result, and may return None when nothing is to be taken back.
        The writes of one ``group`` are taken back together. With ``recall`` it waits first, and can
        be recalled while it does (`RecalledError`).

        When no answer comes, ``look`` reads whether it happened: it gives the result, or None if it
        did not. ``trace`` does so at the next start, for what was sent from ``draft``, and here if
        there is no ``look``. ``then`` takes the result once it has arrived, now or by a retry; it
        must not mind that its screen is gone. The draft under ``draft`` is dropped by then, if it
        is as it was sent. Raises `WriteError` with the sentence to show when it is not known to
        have happened.

        What surely did not arrive, because nobody was there, waits in the outbox (`QueuedError`),
        if it takes one request (not ``several``) and is not about this moment (``now``). It goes
        from there if ``expects`` and what ``reversal`` or ``trace`` read say that it still should.
        An ``aged`` write was made on cached answers of the service, and always goes that way.
        """
        line = self.new_line(
            what, target, send=send, group=group,
            reversal=reversal, trace=trace, look=look, then=then, draft=draft,
            text=self._session.drafts.own_text(draft) if draft else None,
            expects=expects, now=now or danger() >= ASKED, several=several, aged=aged,
        )  # fmt: skip
        if trace is not None and look is None and (trace.says or line.text is not None):
            line.look = lambda: self._find(trace, line)
        if (
            reversal is not None
            and not callable(reversal)
            and not self._session.way.usable(reversal)
        ):
            line.reversal = None
        self._apart(line)
        self.make_room(draft)
        self._session.log.append(line)
        wait = None
        if recall and self._session.recall_seconds > 0:
            until = asyncio.get_running_loop().time() + self._session.recall_seconds
            wait = RecallableWrite(line, until, owner)
        result: T = await self.send(line, send, wait)
        return result

    async def retry(self, line: LogEntry) -> None:
        """Send a failed line again, or one that may have arrived where the reader knows that.

        Raises `WriteError` when it fails again, or its text is being sent already.
        """
        if line.entry is not None and self._session.outbox.keeps(line):
            told = line.state != "unknown"  # a change since is told before it is sent all the same
            said = await self._session.outbox.send(line.entry.id, anyway=told, sure=True)
            if line.state != "done":
                raise WriteError(said or line.message, unknown=line.state == "unknown")
        elif line.send is not None and line.state in ("failed", "unknown"):
            self._apart(line)
            await self.send(line, line.send)

    async def find_out(self, line: LogEntry) -> None:
        """Read the outcome of an unknown line: it is done or failed then.

        Raises `WriteError` when it cannot be read either. A line without ``look`` stays unknown,
        and so does one in the outbox.
        """
        if (
            line.look is not None
            and line.state == "unknown"
            and not self._session.outbox.keeps(line)
        ):
            unknown = line.message

            async def only_look() -> Any:
                raise UnansweredError(unknown)

            await self.send(line, only_look)

    def unknown_of(self, draft: str) -> LogEntry | None:
        """Return the newest write from a draft that may have arrived, or None."""
        if not draft:
            return None
        for line in reversed(self._session.log):
            if line.draft == draft and line.state == "unknown":
                return line
        for entry in self._session.outbox.items.values():
            if entry.draft == draft and entry.state == "unknown":
                # An earlier run wrote it.
                line = self.line_for(entry)
                line.state, line.message = "unknown", entry.sentence
                return line
        return None

    def new_line(self, what: str, target: str, **fields: Any) -> LogEntry:
        """Return the next line of the log, which is not in it yet."""
        return LogEntry(len(self._session.log) + 1, self._session.clock(), what, target, **fields)

    async def send(
        self,
        line: LogEntry,
        send: Callable[[], Awaitable[Any]],
        wait: RecallableWrite | None = None,
    ) -> Any:
        """Send a line, after its ``wait``, and return the result.

        Raises `QueuedError`, `RecalledError` or `WriteError`. Cancelling the caller stops nothing.
        """
        self._session.sends()
        line.state = "sending" if wait is None else "waiting"
        if wait is not None:
            self.waits.append(wait)
        self._session.touched()
        found = False

        async def write() -> Any:
            nonlocal found
            if wait is not None:
                try:
                    await wait.out()
                finally:
                    self.waits.remove(wait)
                line.state = "sending"
                self._session.touched()
            try:
                return await self._request(line, send)
            except failure_types() as error:
                if line.look is None or not is_unknown(error):
                    raise
                result = await self._look(line, line.look, error)
                found = True
                return result

        task = asyncio.create_task(write())
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._settle(line, done, found=found))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            line.left = True
            raise
        except RecallError as error:
            raise RecalledError(line.message) from error
        except failure_types() as error:
            if line.state == "queued":
                raise QueuedError(line.message) from error
            raise WriteError(line.message, unknown=line.state == "unknown") from error

    async def _request(self, line: LogEntry, send: Callable[[], Awaitable[Any]]) -> Any:
        """Send a line. It is noted, with its request, before the request is sent.

        A line without a request, or one that the outbox may not send, is noted before ``send``
        runs.
        """
        line.requests, line.operation, line.request = 0, "", None
        line.may_come = line.never = False
        if line.now or line.kind or self._is_local(line):
            await asyncio.to_thread(self._keep, line)
            return await send()
        from copydesk.client.api import noting

        try:
            with noting(lambda outgoing: self._heard(line, outgoing)):
                result = await send()
        except failure_types() as error:
            if line.entry is None:
                with suppress(NotDoneError):  # it failed before anything was sent of it
                    await asyncio.to_thread(self._keep, line)
            if (what := self._only_read_after(line, error)) is not None:
                raise what from error
            raise
        if line.entry is None:
            await asyncio.to_thread(self._keep, line)
        return result

    def _is_local(self, line: LogEntry) -> bool:
        """Whether a line changes only this machine, so that no request is expected."""
        reversal = line.reversal
        return (
            reversal is not None
            and not callable(reversal)
            and all(step.local for step in reversal.back)
        )

    async def _heard(self, line: LogEntry, outgoing: Outgoing) -> None:
        """Note a line before its request goes. Raises `NotDoneError` when that cannot be."""
        line.requests += 1
        if line.requests == 1:
            line.operation = outgoing.name
            if may_wait(line, outgoing):
                line.request = outgoing.to_dict()
            elif line.aged:
                raise NotDoneError("Not sent: what it depends on has to be read again first (R).")
            await asyncio.to_thread(self._keep, line)
            if line.aged and line.request is not None:
                raise HeldBackError(f"{WAITS}: what it is about is read again first.")
            return
        line.request = None
        if line.entry is not None and line.entry.request is not None:
            await asyncio.to_thread(self._keep, line)
        if not line.several and line.requests == 2:
            _log.error("%s sends more than one call, and does not say so", line.what)

    def _only_read_after(self, line: LogEntry, error: Exception) -> UnansweredError | None:
        """Return the error for a failure after the answer to the request itself."""
        if line.requests != 1 or line.several or is_unknown(error) or not _is_away(error):
            return None
        operation = getattr(error, "operation", "")
        if not operation or operation == line.operation:
            return None
        return UnansweredError(f"{UNREAD}: {sentence(error)}")

    def _keep(self, line: LogEntry) -> None:
        """Note a line as `_begin` does. Raises `NotDoneError` with the sentence for the reader.

        Its text is written to the disk first: the reader of the note looks there for it.
        """
        self._session.drafts.flush()
        try:
            self._begin(line)
        except OSError as error:
            why = f"{error.strerror or error}"
            raise NotDoneError(
                f"Not sent: it could not be noted on disk ({why}). {line.what} again once that is "
                "mended."
            ) from error

    def _begin(self, line: LogEntry) -> None:
        """Note that a line is about to be sent; it is on the disk when this returns."""
        if line.entry is not None:
            line.entry = self._session.journal.settle(
                line.entry,
                "sending",
                request=line.request,
                held="",
                text=_noted_text(line),
                since=line.entry.since or self._session.service_time(),
            )
            return
        reversal = line.reversal
        line.entry = self._session.journal.begin(
            line.what,
            line.target,
            Notes(
                reversal=None if reversal is None or callable(reversal) else reversal.to_dict(),
                trace=None if line.trace is None else line.trace.to_dict(),
                draft=line.draft,
                group=line.group,
                kind=line.kind,
                of=line.of,
                request=line.request,
                text=_noted_text(line),
                by=self._session.me.id if self._session.me is not None else "",
                expects=None if line.expects is None else line.expects.to_dict(),
                since=self._session.service_time(),
            ),
        )
        self._lines[line.entry.id] = line

    async def _look(
        self, line: LogEntry, look: Callable[[], Awaitable[Any]], lost: Exception
    ) -> Any:
        """Return the result of a write without an answer, as a read shows it.

        Raises `NotDoneError` when it did not happen, `NotThereError` when it may wait then, and
        ``lost`` when it cannot be read.
        """
        try:
            with whole_answers():
                result = await look()
        except failure_types():
            raise lost from None
        if result is None:
            from copydesk.client.errors import ServerFault, Unreachable

            said = "No answer came, and it"
            if line.request is not None and isinstance(lost, Unreachable):
                raise NotThereError(NOT_YET if creates(line.request) else NOT_THERE) from lost
            if isinstance(lost, ServerFault):
                said = f"{sentence(lost).removesuffix(' R tries again.')} It"
            raise NotDoneError(
                f"{said} had not happened when it was read again. {IN_THE_LOG}"
            ) from lost
        return result

    async def _find(self, trace: Trace, line: LogEntry) -> Any:
        """Return the object that a line created, found in a list; None if it is not there."""
        from copydesk.session.writes.recovery import find_trace

        return await find_trace(
            await self._session.ready(),
            trace,
            trace.says or line.text or "",
            (line.entry and line.entry.since) or self._session.service_time(),
            known=self._session.history.made,
        )

    def _settle(self, line: LogEntry, task: asyncio.Task[Any], *, found: bool) -> None:
        self._tasks.discard(task)
        changes: dict[str, Any] = {}
        if task.cancelled():
            sent = line.entry is not None
            line.state, line.message = ("unknown", STOPPED) if sent else ("recalled", NOT_SENT)
        elif (error := task.exception()) is not None:
            self._failed(line, error)
        else:
            line.state, line.message = "done", HAD_ARRIVED if found else ""
            self._session.contact.changed_at = self._session.clock()
            changes = self._bind(line, task.result())
            self._arrived(line, task.result())
        if line.entry is not None:
            changes.update(request_id=line.request_id, sentence=line.message)
            if line.never:
                changes["since"] = None
            line.entry = self._end(line, line.entry, changes)
            self._session.history.take(line.entry)
            self._session.outbox.take(line.entry)
        if line.state == "queued":
            self._session.outbox.move_draft(line.draft, line.text)
            self._replace(line, "A later write waits in its place.")
            if line.aged and not self._session.contact.held(self._session.clock()):
                self._session.outbox.wake()
        elif line.draft and line.state in ("failed", "unknown"):
            self._session.unsent[line.draft] = line.message
        elif line.draft:
            self._session.unsent.pop(line.draft, None)
        self._session.touched()
        if line.left:
            # Its screen was left: the reader of the next one is told.
            done = line.state == "done"
            said = f"Done: {line.what.lower()} {line.target}" if done else line.message
            if line.state == "failed":  # that alone does not say what failed
                said = f"{line.what} {line.target}: {said}"
            waits = line.state == "queued"
            self._session.report(said, "good" if done else "warn" if waits else "bad")

    def _end(self, line: LogEntry, entry: Entry, changes: dict[str, Any]) -> Entry:
        """Note how a write ended; where the disk refuses, this run knows it at least."""
        state: State = "done" if line.state == "done" else "failed"
        if line.state == "unknown":
            state = "unknown"
        elif line.state == "queued":
            # A request that may still arrive is looked for again before it is sent again.
            state = "unknown" if line.may_come else "queued"
        try:
            return self._session.journal.settle(entry, state, **changes)
        except OSError as error:
            said = f"{error.strerror or error}"
            if state == "queued":
                # What is not on the disk cannot wait: its draft stays, and it counts as failed.
                state = line.state = "failed"
                line.message = f"Not sent, and it cannot wait in the outbox: {said}."
                changes["sentence"] = line.message
                failed = replace(entry, state=state, ended=self._session.journal.now(), **changes)
                self._session.journal.owe(failed)  # or the next start would send it
                return failed
            self._session.note(
                f"{line.what} {line.target}: its outcome could not be saved: {said}."
            )
            ended = replace(entry, state=state, ended=self._session.journal.now(), **changes)
            self._session.journal.owe(ended)
            return ended

    def _failed(self, line: LogEntry, error: BaseException) -> None:
        line.request_id = request_id_of(error)
        if isinstance(error, RecallError):
            line.state, line.message = "recalled", str(error)
            return
        if isinstance(error, HeldBackError):
            line.state, line.message, line.never = "queued", str(error), True
            return
        if isinstance(error, NotThereError):
            line.state, line.message, line.may_come = "queued", str(error), creates(line.request)
            return
        line.state = "unknown" if is_unknown(error) else "failed"
        if line.state == "failed" and line.request is not None and _is_away(error):
            line.never = True
            line.state, line.message = "queued", waits_sentence(error)
            self._session.learn(error)
            return
        if line.draft and line.text and self._session.drafts.own_text(line.draft) is None:
            # Another text was begun there and dropped: this one is restored.
            self._session.drafts.save(line.draft, line.text)
        unkept = bool(self._session.drafts.refused(line.draft))
        other = bool(line.text) and self._session.drafts.own_text(line.draft) not in (
            None,
            line.text,
        )
        line.message = (
            str(error)
            if isinstance(error, UnansweredError)
            else write_sentence(
                error,
                what=line.named,
                kept=bool(line.text) and not (unkept or other),
            )
        )
        if other:
            line.message += f" Something else is typed there since. {IN_THE_LOG}"
        if unkept:
            line.message += " What you wrote is not on disk yet (:drafts)."
        self._session.learn(error)

    def _bind(self, line: LogEntry, result: Any) -> dict[str, Any]:
        """Return the changes of the journal entry by the result of a write: its reversal."""
        changes = made_by(line.trace is not None, result)
        if line.reversal is None or not callable(line.reversal):
            return changes
        reversal = line.reversal(result)
        if reversal is None or not self._session.way.usable(reversal):
            return changes
        return {**changes, "reversal": reversal.to_dict()}

    def _arrived(self, line: LogEntry, result: Any) -> None:
        """Finish a write that has arrived."""
        if line.draft:
            # Text typed since stays.
            if line.text is not None and self._session.drafts.own_text(line.draft) == line.text:
                self._session.drafts.drop(line.draft)
            self._replace(line, "Its text was sent later, and arrived.")
            for other in self._session.log:
                if other.draft == line.draft and other.state == "failed":
                    other.state, other.message = "replaced", "Another text was sent from there."
                elif other.draft == line.draft and other.state == "unknown":
                    self._session.outbox.ask_about(other)
        if line.then is not None:
            line.then(result)

    def _replace(self, line: LogEntry, said: str) -> None:
        """Mark writes of the same text from the same draft without an answer as replaced."""
        for other in self._session.log:
            alike = other.draft == line.draft and other.text == line.text
            if line.draft and alike and other.state in ("failed", "unknown"):
                other.state, other.message = "replaced", said
                self._session.outbox.replaced(other)

    # The outbox

    def hold_open(self, task: asyncio.Task[Any]) -> None:
        """Make quitting wait for a task, as for the writes under way."""
        self._held.add(task)
        task.add_done_callback(self._held.discard)

    async def whole(self, work: Coroutine[Any, Any, T]) -> T:
        """Do several writes to the end, also where their screen is left. Raises as ``work`` does.

        Where it was left, what ``work`` raises is reported.
        """
        task = asyncio.create_task(work)
        self.hold_open(task)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(self._report_left)
            raise

    def _report_left(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            tone = "warn" if isinstance(error, QueuedError) else "bad"
            self._session.report(sentence(error), tone)

    def line_of(self, id: str) -> LogEntry | None:
        """Return the log line of a journal entry, if it has one."""
        return self._lines.get(id)

    def line_for(self, entry: Entry) -> LogEntry:
        """Return the log line of a journal entry; an entry of an earlier run gets one now."""
        line = self._lines.get(entry.id)
        if line is None:
            line = self.new_line(
                entry.what, entry.target, group=entry.group,
                draft=entry.draft, text=entry.text or None, entry=entry,
            )  # fmt: skip
            self._lines[entry.id] = line
            self._session.log.append(line)
        return line

    def bound(self, line: LogEntry, entry: Entry, result: Any, *, typed: bool) -> dict[str, Any]:
        """Return the changes of the journal entry of a write that arrived later: its reversal."""
        if typed:
            return self._bind(line, result)
        changes = made_by(entry.trace is not None, result)
        if entry.reversal is not None or not entry.draft:
            return changes
        from copydesk.session.writes.comments import way_back_later

        reversal = way_back_later(entry.draft, entry.text, result)
        if reversal is None or not self._session.way.usable(reversal):
            return changes
        return {**changes, "reversal": reversal.to_dict()}

    def arrived(self, line: LogEntry, result: Any) -> None:
        """Finish a write that arrived from the outbox, or was found there."""
        then, line.then = line.then, line.then if result is not None else None
        self._arrived(line, result)
        line.then = then


def _noted_text(line: LogEntry) -> str:
    """Return the text that is noted with a write: where it is sent from there, or looked for.

    That of other writes, such as the settings of an integration, may be secret: it stays a draft.
    """
    return line.text or "" if line.request is not None or line.trace is not None else ""
