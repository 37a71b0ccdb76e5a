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
from copydesk.tui.errors import failure_types, sentence
from copydesk.tui.identity import identify
from copydesk.tui.seen import MemorySeen, SeenMarks

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.user import User

T = TypeVar("T")

Rows = Sequence[Mapping[str, Any]]

KEPT_MESSAGES = 100
"""How many messages that had no room are kept."""


class WriteError(Exception):
    """A write that did not happen; the reader has been told already, so nobody else needs to."""


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
    """One line of the activity log: a write, and what became of it."""

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

    @property
    def id(self) -> str:
        """The identity of the line in a list."""
        return str(self.number)


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
    ) -> T:
        """Send one write: logged, never cancelled by leaving the screen.

        ``send`` is called to make the request (again on a retry), ``undo`` to take it back. Raises
        `WriteError` with the sentence to show when the service refused or could not be reached.
        """
        line = Written(len(self.log) + 1, self.clock(), what, target, send=send, undoing=undoing)
        self.log.append(line)
        return await self._send(line, send, undo)

    async def retry(self, line: Written) -> None:
        """Send a failed line again. Raises `WriteError` when it fails again."""
        if line.send is not None and line.state == "failed":
            await self._send(line, line.send, line.undo)

    async def _send(
        self,
        line: Written,
        send: Callable[[], Awaitable[T]],
        undo: Callable[[], Awaitable[Any]] | None,
    ) -> T:
        line.state = "sending"
        self.touched()

        async def write() -> T:
            await asyncio.to_thread(self.record, line)
            return await send()

        task = asyncio.create_task(write())
        self._writes.add(task)
        task.add_done_callback(lambda done: self._settle(line, done, undo))
        try:
            return await asyncio.shield(task)
        except failure_types() as error:
            raise WriteError(sentence(error)) from error

    def _settle(
        self,
        line: Written,
        task: asyncio.Task[Any],
        undo: Callable[[], Awaitable[Any]] | None,
    ) -> None:
        self._writes.discard(task)
        if task.cancelled():
            line.state, line.said = "failed", "Stopped before the answer came."
        elif (error := task.exception()) is not None:
            line.state, line.said = "failed", sentence(error)
            line.request_id = str(getattr(error, "request_id", "") or "")
            self._reached(error)
        else:
            line.state, line.said, line.undo = "done", "", undo
        self.record(line)
        self.touched()

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
