"""Writing: every write is logged and journalled, can be recalled, tried again and taken back.

`Writing` is the part of the session that does so, apart from it for length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.local.journal import Entry, Notes, State, WriteJournal
from copydesk.tui.errors import (
    NotDoneError,
    failure_types,
    is_unknown,
    sentence,
    write_sentence,
)
from copydesk.tui.undoing import History, LocalStep, Way
from copydesk.tui.written import (
    HAD_ARRIVED,
    NOT_SENT,
    STOPPED,
    RecalledError,
    RecallError,
    UnansweredError,
    Wait,
    WriteError,
    Written,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Reversal, Trace
    from copydesk.tui.contact import Contact
    from copydesk.tui.drafts import DraftStore

T = TypeVar("T")


class Writing:
    """Sends writes for the whole run. What it needs of the session is declared here."""

    drafts: DraftStore
    report: Callable[[str, str], None]
    journal: WriteJournal
    history: History
    local_steps: dict[str, LocalStep]
    recall_seconds: float
    waits: list[Wait]
    clock: Callable[[], datetime]
    contact: Contact
    log: list[Written]
    unsent: dict[str, str]
    _writes: set[asyncio.Task[Any]]
    _noted: dict[str, Written]
    """The lines of the log by their entries in the journal."""

    async def ready(self) -> Api:
        """Return the client, connecting at the first call."""
        raise NotImplementedError

    def touched(self) -> None:
        """Tell the watchers that something changed."""
        raise NotImplementedError

    def note(self, said: str) -> None:
        """Keep a message that has no room on screen."""
        raise NotImplementedError

    def unreachable(self, why: str) -> None:
        """Note that the service was not reached; ``why`` is a sentence."""
        raise NotImplementedError

    @property
    def way(self) -> Way:
        """What takes the steps of reversals."""
        return Way(self.local_steps)

    @property
    def writing(self) -> frozenset[asyncio.Task[Any]]:
        """The writes under way."""
        return frozenset(self._writes)

    @property
    def writes_pending(self) -> int:
        """How many writes have not ended: waiting to be sent, or sent and not answered."""
        return len(self._writes)

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
        """
        line = Written(
            len(self.log) + 1, self.clock(), what, target, send=send, group=group,
            reversal=reversal, trace=trace, look=look, then=then, draft=draft,
            text=self.drafts.load(draft) if draft else None,
        )  # fmt: skip
        if trace is not None and look is None and line.text is not None:
            line.look = lambda: self._find(trace, line)
        if reversal is not None and not callable(reversal) and not self.way.usable(reversal):
            line.reversal = None
        self._apart(line)
        for waiting in self.waits:
            # Who typed on and sends another text from there wants the first one sent.
            if draft and waiting.line.draft == draft:
                waiting.over.set()
        self.log.append(line)
        wait = None
        if recall and self.recall_seconds > 0:
            until = asyncio.get_running_loop().time() + self.recall_seconds
            wait = Wait(line, until, owner)
        result: T = await self._send(line, send, wait)
        return result

    def _apart(self, line: Written) -> None:
        """Keep a text from being sent twice from one draft, while its first sending has not ended.

        Raises `WriteError` then.
        """
        if not line.draft:
            return
        for other in self.log:
            if other is line or other.draft != line.draft or other.text != line.text:
                continue
            if other.state == "waiting":
                raise WriteError("That is about to be sent already: u recalls it.")
            if other.state == "sending":
                raise WriteError("That is being sent already: @ shows what comes of it.")

    async def retry(self, line: Written) -> None:
        """Send a line again that failed, or of which the reader says so knowing that it may have
        arrived. Raises `WriteError` when it fails again, or its text is under way already.
        """
        if line.send is not None and line.state in ("failed", "unknown"):
            self._apart(line)
            await self._send(line, line.send)

    async def find_out(self, line: Written) -> None:
        """Read what became of a line that is unknown: it is done or failed then.

        Raises `WriteError` when that cannot be read either. A line that has no ``look`` stays.
        """
        if line.look is not None and line.state == "unknown":
            unknown = line.said

            async def only_look() -> Any:
                raise UnansweredError(unknown)

            await self._send(line, only_look)

    def unknown_of(self, draft: str) -> Written | None:
        """Return the newest write from a draft that may have arrived, or None."""
        lines = reversed(self.log)
        return next((n for n in lines if draft and n.draft == draft and n.state == "unknown"), None)

    async def _send(
        self, line: Written, send: Callable[[], Awaitable[Any]], wait: Wait | None = None
    ) -> Any:
        line.state = "sending" if wait is None else "waiting"
        if wait is not None:
            self.waits.append(wait)
        self.touched()
        found = False

        async def write() -> Any:
            nonlocal found
            if wait is not None:
                try:
                    await wait.out()
                finally:
                    self.waits.remove(wait)
                line.state = "sending"
                self.touched()
            await asyncio.to_thread(self._begin, line)
            try:
                return await send()
            except failure_types() as error:
                if line.look is None or not is_unknown(error):
                    raise
                result = await self._look(line.look, error)
                found = True
                return result

        task = asyncio.create_task(write())
        self._writes.add(task)
        task.add_done_callback(lambda done: self._settle(line, done, found=found))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            line.left = True
            raise
        except RecallError as error:
            raise RecalledError(line.said) from error
        except failure_types() as error:
            raise WriteError(line.said, unknown=line.state == "unknown") from error

    def _begin(self, line: Written) -> None:
        """Note that a line is about to be sent; it is on the disk when this returns."""
        if line.entry is not None:
            line.entry = self.journal.settle(line.entry, "sending")
            return
        reversal = line.reversal
        line.entry = self.journal.begin(
            line.what,
            line.target,
            Notes(
                None if reversal is None or callable(reversal) else reversal.to_dict(),
                None if line.trace is None else line.trace.to_dict(),
                line.draft,
                line.group,
                line.kind,
                line.of,
            ),
        )
        self._noted[line.entry.id] = line

    async def _look(self, look: Callable[[], Awaitable[Any]], lost: Exception) -> Any:
        """Return the result of a write whose answer was lost, as reading shows it.

        Raises `NotDoneError` when it did not happen, and ``lost`` when that cannot be read.
        """
        try:
            result = await look()
        except failure_types():
            raise lost from None
        if result is None:
            from copydesk.client.errors import ServerFault

            said = "No answer came, and it"
            if isinstance(lost, ServerFault):
                said = f"{sentence(lost).removesuffix(' R tries again.')} It"
            raise NotDoneError(
                f"{said} had not happened when it was read again. @, then r sends it again."
            ) from lost
        return result

    async def _find(self, trace: Trace, line: Written) -> Any:
        """Return what a line made, as a list of such things has it; None if it is not there."""
        from copydesk.tui.recovery import find_trace

        return await find_trace(
            await self.ready(),
            trace,
            line.text or "",
            line.at.timestamp(),
            known=self.history.made,
        )

    def _settle(self, line: Written, task: asyncio.Task[Any], *, found: bool) -> None:
        self._writes.discard(task)
        changes: dict[str, Any] = {}
        if task.cancelled():
            sent = line.entry is not None
            line.state, line.said = ("unknown", STOPPED) if sent else ("recalled", NOT_SENT)
        elif (error := task.exception()) is not None:
            self._failed(line, error)
        else:
            line.state, line.said = "done", HAD_ARRIVED if found else ""
            changes = self._bind(line, task.result())
            self._arrived(line, task.result())
        if line.draft and line.state in ("failed", "unknown"):
            self.unsent[line.draft] = line.said
        elif line.draft:
            self.unsent.pop(line.draft, None)
        if line.entry is not None:
            changes.update(request_id=line.request_id, sentence=line.said)
            line.entry = self._end(line, line.entry, changes)
            self.history.take(line.entry)
        self.touched()
        if line.left:
            # Who asked for it has left its place: whoever is there now is told.
            done = line.state == "done"
            said = f"Done: {line.what.lower()} {line.target}" if done else line.said
            self.report(said, "good" if done else "bad")

    def _end(self, line: Written, entry: Entry, changes: dict[str, Any]) -> Entry:
        """Note how a write ended; what the disk refuses to keep is known for this run at least."""
        state: State = "done" if line.state == "done" else "failed"
        if line.state == "unknown":
            state = "unknown"
        try:
            return self.journal.settle(entry, state, **changes)
        except OSError as error:
            said = error.strerror or str(error)
            self.note(f"{line.what} {line.target}: its end could not be put on disk: {said}.")
            return replace(entry, state=state, **changes)

    def _failed(self, line: Written, error: BaseException) -> None:
        line.request_id = str(getattr(error, "request_id", "") or "")
        if isinstance(error, RecallError):
            line.state, line.said = "recalled", str(error)
            return
        line.state = "unknown" if is_unknown(error) else "failed"
        line.said = (
            str(error)
            if isinstance(error, UnansweredError)
            else write_sentence(
                error, what=f"{line.what}, {line.target}", kept=line.text is not None
            )
        )
        self._reached(error)

    def _bind(self, line: Written, result: Any) -> dict[str, Any]:
        """Return what the journal learns of a write by its result: how it is taken back."""
        if line.reversal is None or not callable(line.reversal):
            return {}
        reversal = line.reversal(result)
        if reversal is None or not self.way.usable(reversal):
            return {}
        return {"reversal": reversal.to_dict()}

    def _arrived(self, line: Written, result: Any) -> None:
        """Do what follows a write that has arrived."""
        if line.draft:
            # Text that was typed since is another text: it stays.
            if line.text is not None and self.drafts.load(line.draft) == line.text:
                self.drafts.drop(line.draft)
            for other in self.log:
                if other.draft == line.draft and other.state in ("failed", "unknown"):
                    other.state, other.said = "replaced", "Its text was sent later, and arrived."
        if line.then is not None:
            line.then(result)

    def _reached(self, error: BaseException) -> None:
        """Learn from a failed write whether the service is there, as reads do."""
        from copydesk.client.errors import Unauthorized, Unreachable

        if isinstance(error, Unreachable):
            self.unreachable(sentence(error))
        elif isinstance(error, Unauthorized):
            self.contact.refused = True

    # Recall

    def recall(self) -> Written | None:
        """Stop the newest write that is not sent yet, and return its line."""
        wait = next((each for each in reversed(self.waits) if not each.over.is_set()), None)
        if wait is None:
            return None
        wait.recalled = True
        wait.over.set()
        return wait.line

    def send_now(self) -> None:
        """Send at once what waits."""
        for wait in self.waits:
            wait.over.set()

    def waits_for(self, owner: object) -> bool:
        """Whether ``owner`` only waits for a write that can still be recalled."""
        return any(wait.owner is owner for wait in self.waits)
