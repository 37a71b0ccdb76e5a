"""What the whole run shares: the connection, who I am, where I am, and what was written.

Nothing here imports the client or the contract when the module loads: before the first paint only
Textual and the standard library may (speed.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from copydesk.tui.contact import LOW_SHARE, Contact
from copydesk.tui.drafts import CountedDrafts, DraftStore, MemoryDrafts
from copydesk.tui.errors import (
    NotDoneError,
    failure_types,
    is_unknown,
    sentence,
    write_sentence,
)
from copydesk.tui.identity import identify
from copydesk.tui.seen import MemorySeen, SeenMarks

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.user import User

T = TypeVar("T")

Rows = Sequence[Mapping[str, Any]]

KEPT_MESSAGES = 100
"""How many messages that had no room are kept."""


HAD_ARRIVED = "No answer came, but it had arrived: that was found by reading again."

STOPPED = "It was stopped before the answer came: it may have arrived."


class WriteError(Exception):
    """A write that is not known to have happened; the message is what the reader is told.

    ``unknown`` says that it may have happened all the same: it is not to be sent again unasked.
    """

    def __init__(self, said: str, *, unknown: bool = False) -> None:
        super().__init__(said)
        self.unknown = unknown


class Snapshot(Protocol):
    """The rows of the last screen, for the first frame of the next start."""

    def read(self, key: str) -> Rows:
        """Return the rows kept under ``key``; empty when there are none or they are unreadable."""

    def write(self, key: str, rows: Rows) -> None:
        """Keep ``rows`` under ``key``."""


class MemorySnapshot:
    """A snapshot of a run that keeps nothing on disk."""

    def __init__(self) -> None:
        self.rows: dict[str, Rows] = {}

    def read(self, key: str) -> Rows:
        """Return the rows kept under ``key`` in this run."""
        return self.rows.get(key, ())

    def write(self, key: str, rows: Rows) -> None:
        """Keep ``rows`` for this run."""
        self.rows[key] = rows


@dataclass
class Written:
    """One line of the activity log: a write, and what became of it.

    ``state`` is "sending", "done", "failed" (it did not happen), "unknown" (it may have happened:
    no answer came), "undone", "replaced" (its text arrived by a later write), or "said" for what is
    no write.
    """

    number: int
    at: datetime
    what: str
    target: str
    state: str = "sending"
    said: str = ""
    request_id: str = ""
    send: Callable[[], Awaitable[Any]] | None = None
    undo: Callable[[], Awaitable[Any]] | None = None
    undoing: bool = False
    """Whether this write took back another."""
    back: Callable[[], Awaitable[Any]] | None = None
    """What becomes ``undo`` once it is done."""
    look: Callable[[], Awaitable[Any]] | None = None
    """Reads whether it happened: its result if it did, None if not."""
    then: Callable[[Any], None] | None = None
    """Takes the result, at whichever try it comes."""
    draft: str = ""
    """The key of the draft that its text is kept under until it has arrived."""
    text: str | None = None
    """That text, as it was sent."""

    @property
    def id(self) -> str:
        """The identity of the line in a list."""
        return str(self.number)


class _UnansweredError(NotDoneError):
    """What an earlier try ended with: no answer."""

    sent = True


@dataclass
class Session:
    """The state that all places share.

    ``connect`` returns the client (it is called after the first paint); ``identify`` then fills
    in ``me`` and ``organization``, so that both are known once `ready` returns; ``clock`` is the
    time of day, so that tests can freeze it; ``record`` receives every
    write twice: before it is sent (state "sending") and when it has ended.
    """

    connect: Callable[[], Awaitable[Api]]
    drafts: DraftStore = field(default_factory=MemoryDrafts)
    snapshot: Snapshot = field(default_factory=MemorySnapshot)
    seen: SeenMarks = field(default_factory=MemorySeen)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    identify: Callable[[Session, Api], Awaitable[None]] = identify
    record: Callable[[Written], None] = lambda line: None
    profile: str = ""
    host: str = ""
    me: User | None = None
    organization: str | None = None
    organization_title: str = ""
    read_at: datetime | None = None
    """When the newest data on screen was read; None until the first answer."""
    contact: Contact = field(default_factory=Contact)
    """Whether the service answers, and when to ask it again by itself."""
    log: list[Written] = field(default_factory=list)
    messages: list[Written] = field(default_factory=list)
    """What was said that had no room on screen, for the log; the newest `KEPT_MESSAGES`."""
    stuck: set[tuple[str, str, str]] = field(default_factory=set)
    """Updates that conflicted, as (change request, its revision, that of its space): sent again
    they would come to the same."""
    _api: Api | None = None
    _connecting: asyncio.Task[Api] | None = None
    _writes: set[asyncio.Task[Any]] = field(default_factory=set)
    _watchers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Count the drafts that come and go, for the header."""
        self.counted = CountedDrafts(self.drafts, self.touched)
        self.drafts = self.counted

    @property
    def api(self) -> Api | None:
        """The client, once connected."""
        return self._api

    async def ready(self) -> Api:
        """Return the client, connecting at the first call. Raises what ``connect`` raises."""
        if self._api is None:
            if self._connecting is None or (
                self._connecting.done() and self._connecting.exception() is not None
            ):
                self._connecting = asyncio.ensure_future(self._connect())
            return await asyncio.shield(self._connecting)
        return self._api

    async def _connect(self) -> Api:
        api = await self.connect()
        await self.identify(self, api)
        self._api = api
        return api

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` whenever the log, the age or the budget change; returns an undo."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    def touched(self) -> None:
        """Tell the watchers that something changed."""
        for changed in list(self._watchers):
            changed()

    def fresh(self) -> None:
        """Note that an answer has just arrived."""
        self.read_at = self.clock()
        self.contact.answered()
        self.touched()

    def unreachable(self, why: str) -> None:
        """Note that the service was not reached; ``why`` is a sentence."""
        self.contact.lost(self.clock(), why)
        self.touched()

    @property
    def offline(self) -> str:
        """Why the service cannot be reached; empty when it can."""
        return self.contact.offline

    @property
    def slow(self) -> bool:
        """Whether so little of the budget is left that everything is read less often."""
        budget = self.budget
        return budget is not None and budget[0] < budget[1] * LOW_SHARE

    @property
    def budget(self) -> tuple[int, int] | None:
        """Requests left and the limit, when the service says so."""
        budget = getattr(self._api, "budget", None)
        left, limit = getattr(budget, "remaining", None), getattr(budget, "limit", None)
        return (left, limit) if isinstance(left, int) and isinstance(limit, int) else None

    def hold_stuck(self, moment: tuple[str, str, str] | None) -> None:
        """Remember at what an update conflicted, so that it is not tried again in vain."""
        if moment is not None:
            self.stuck.add(moment)

    def note(self, said: str) -> None:
        """Keep a message that has no room on screen, unless the log has it already."""
        if any(line.said == said for line in (*self.messages, *self.log)):
            return
        # Numbered below all writes, so that no two lines of the log are taken for one.
        number = self.messages[-1].number - 1 if self.messages else 0
        self.messages.append(Written(number, self.clock(), "Message", "", "said", said))
        del self.messages[:-KEPT_MESSAGES]

    @property
    def writing(self) -> frozenset[asyncio.Task[Any]]:
        """The writes under way."""
        return frozenset(self._writes)

    @property
    def writes_pending(self) -> int:
        """How many writes have been sent and not answered."""
        return len(self._writes)

    async def perform(
        self,
        what: str,
        target: str,
        send: Callable[[], Awaitable[T]],
        *,
        undo: Callable[[], Awaitable[Any]] | None = None,
        undoing: bool = False,
        look: Callable[[], Awaitable[T | None]] | None = None,
        then: Callable[[T], None] | None = None,
        draft: str = "",
    ) -> T:
        """Send one write: logged, never cancelled by leaving the screen.

        ``send`` is called to make the request (again on a retry), ``undo`` to take it back. When no
        answer comes, ``look`` reads whether it happened: it gives the result, or None if it did
        not. ``then`` takes the result once it has arrived, now or by a retry; it must not mind that
        its screen is gone. The draft under ``draft`` is dropped by then, if it is as it was sent.
        Raises `WriteError` with the sentence to show when it is not known to have happened.
        """
        line = Written(
            len(self.log) + 1, self.clock(), what, target, send=send, undoing=undoing,
            back=undo, look=look, then=then, draft=draft,
            text=self.drafts.load(draft) if draft else None,
        )  # fmt: skip
        self.log.append(line)
        result: T = await self._send(line, send)
        return result

    async def retry(self, line: Written) -> None:
        """Send a line again that failed, or of which the reader says so knowing that it may have
        arrived. Raises `WriteError` when it fails again.
        """
        if line.send is not None and line.state in ("failed", "unknown"):
            await self._send(line, line.send)

    async def find_out(self, line: Written) -> None:
        """Read what became of a line that is unknown: it is done or failed then.

        Raises `WriteError` when that cannot be read either. A line that has no ``look`` stays.
        """
        if line.look is not None and line.state == "unknown":
            unknown = line.said

            async def only_look() -> Any:
                raise _UnansweredError(unknown)

            await self._send(line, only_look)

    def unknown_of(self, draft: str) -> Written | None:
        """Return the newest write from a draft that may have arrived, or None."""
        lines = reversed(self.log)
        return next((n for n in lines if draft and n.draft == draft and n.state == "unknown"), None)

    async def _send(self, line: Written, send: Callable[[], Awaitable[Any]]) -> Any:
        line.state = "sending"
        self.touched()
        found = False

        async def write() -> Any:
            nonlocal found
            await asyncio.to_thread(self.record, line)
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
        except failure_types() as error:
            raise WriteError(line.said, unknown=line.state == "unknown") from error

    async def _look(self, look: Callable[[], Awaitable[Any]], lost: Exception) -> Any:
        """Return the result of a write whose answer was lost, as reading shows it.

        Raises `NotDoneError` when it did not happen, and ``lost`` when that cannot be read.
        """
        try:
            result = await look()
        except failure_types():
            raise lost from None
        if result is None:
            raise NotDoneError(
                "No answer came, and it had not happened when it was read again. @, then r sends "
                "it again."
            ) from lost
        return result

    def _settle(self, line: Written, task: asyncio.Task[Any], *, found: bool) -> None:
        self._writes.discard(task)
        if task.cancelled():
            line.state, line.said = "unknown", STOPPED
        elif (error := task.exception()) is not None:
            line.state = "unknown" if is_unknown(error) else "failed"
            line.said = (
                str(error)
                if isinstance(error, _UnansweredError)
                else write_sentence(
                    error, what=f"{line.what}, {line.target}", kept=line.text is not None
                )
            )
            line.request_id = str(getattr(error, "request_id", "") or "")
            self._reached(error)
        else:
            line.state, line.said, line.undo = "done", HAD_ARRIVED if found else "", line.back
            self._arrived(line, task.result())
        self.record(line)
        self.touched()

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

    def undoable(self) -> Written | None:
        """Return the newest write that can be taken back, or None."""
        return next((line for line in reversed(self.log) if line.undo is not None), None)

    def final(self) -> Written | None:
        """Return the newest write when it cannot be taken back, so that ``u`` means an older."""
        last = next((n for n in reversed(self.log) if n.state == "done" and not n.undoing), None)
        return last if last is not None and last.undo is None else None

    async def undo(self) -> Written | None:
        """Take back the newest write that can be. Raises `WriteError` when the service refuses.

        What is gone can never be taken back: then the next call reaches the write before.
        """
        from copydesk.client.errors import NotFound

        line = self.undoable()
        if line is None or (take_back := line.undo) is None:
            return None
        line.undo = None
        try:
            await self.perform(f"Undo: {line.what}", line.target, take_back, undoing=True)
        except WriteError as error:
            if isinstance(error.__cause__, NotFound):
                line.state = "undone"
                self.touched()
                said = f"{line.what} {line.target} cannot be undone: it is gone."
                raise WriteError(said) from error
            line.undo = take_back
            raise
        line.state = "undone"
        return line
