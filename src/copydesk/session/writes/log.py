"""A write in the log: its line, its recall time, its failure."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.domain.reversal import Expectation, Reversal, Trace
    from copydesk.local.journal import Entry, Kind
    from copydesk.session.writes.undo import Obstacle

HAD_ARRIVED = "No answer came, but it had arrived: that was found by reading again."

STOPPED = "It was stopped before the answer came: it may have arrived."

NOT_SENT = "It was stopped before it was sent."


class WriteError(Exception):
    """A write that is not known to have happened; the message is what the reader is told.

    ``unknown`` says that it may have happened all the same: it is not to be sent again unasked.
    """

    def __init__(self, said: str, *, unknown: bool = False) -> None:
        super().__init__(said)
        self.unknown = unknown


class QueuedError(WriteError):
    """A write that waits in the outbox, because it is sure that it did not arrive.

    Whoever asked for it is done, as when it had arrived: its text is kept there.
    """


class RecalledError(WriteError):
    """A write that its writer stopped before it was sent."""


class ChangedSinceError(WriteError):
    """Writes were not taken back (or not done again), because what they are about changed since."""

    def __init__(self, obstacles: Sequence[Obstacle], *, again: bool) -> None:
        super().__init__(" ".join(dict.fromkeys(obstacle.why for obstacle in obstacles)))
        self.obstacles = tuple(obstacles)
        self.again = again


class RecallError(NotDoneError):
    """What a recalled write ended with."""


class NotThereError(NotDoneError):
    """What a write ended with whose answer was lost, that was not there, and that may wait."""


class HeldBackError(NotDoneError):
    """What a write ended with that is rechecked before it goes: by the outbox."""


class UnansweredError(NotDoneError):
    """What an earlier try ended with: no answer."""

    sent = True


@dataclass
class Written:
    """One line of the activity log: a write, and what became of it.

    ``state`` is "waiting" (it can be recalled), "sending", "done", "failed" (it did not happen),
    "unknown" (it may have happened: no answer came), "queued" (it waits in the outbox), "dropped"
    (it was taken out of there), "recalled", "undone", "replaced" (its text arrived by a later
    write), or "said" for what is no write.
    """

    number: int
    at: datetime
    what: str
    target: str
    state: str = "sending"
    message: str = ""
    request_id: str = ""
    send: Callable[[], Awaitable[Any]] | None = None
    reversal: Reversal | Callable[[Any], Reversal | None] | None = None
    """How it is taken back; a callable is given the result."""
    trace: Trace | None = None
    """How it is found at the next start, should this one end before the answer comes."""
    entry: Entry | None = None
    """What the journal says of it."""
    kind: Kind = ""
    """Whether it takes back another ("undo") or does it again ("redo")."""
    of: str = ""
    """Which entry of the journal that is."""
    group: str = ""
    """What ties it to the other writes of one action: they are taken back together."""
    look: Callable[[], Awaitable[Any]] | None = None
    """Reads whether it happened: its result if it did, None if not."""
    then: Callable[[Any], None] | None = None
    """Takes the result, at whichever try it comes."""
    draft: str = ""
    """The key of the draft that its text is kept under until it has arrived."""
    text: str | None = None
    """That text, as it was sent."""
    now: bool = False
    """Whether it is about this moment: it does not wait in the outbox."""
    aged: bool = False
    """Whether it was written on what is kept, so that it goes only once that was read again."""
    several: bool = False
    """Whether it takes several requests, so that it is not one thing that could wait."""
    expects: Expectation | None = None
    """What must hold before it goes, if it has to wait."""
    requests: int = 0
    """How many requests it has sent in this try that write."""
    operation: str = ""
    """The name of the first of these."""
    request: dict[str, Any] | None = None
    """That request, where it may be sent later just as it is."""
    may_come: bool = False
    """Whether that request may still arrive, late, though it waits in the outbox."""
    never: bool = False
    """Whether its last try surely did not arrive, now or later."""
    left: bool = False
    """Whether nobody waits for it any more: its place was left."""

    @property
    def id(self) -> str:
        """The identity of the line in a list."""
        return str(self.number)


@dataclass(eq=False)
class Wait:
    """A write that is not sent yet: it can be recalled ``until`` then, by the loop's clock."""

    line: Written
    until: float
    owner: object = None
    """Who waits for it (a worker), and is not in the way of another write of its kind."""
    recalled: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> int:
        """Whole seconds that are left, at least one."""
        return max(1, round(self.until - asyncio.get_running_loop().time()))

    async def out(self) -> None:
        """Wait until it is time to send, or told to. Raises `RecallError` when it was recalled."""
        left = self.until - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(max(0.0, left)):
                await self.over.wait()
        except TimeoutError:
            pass
        if self.recalled:
            kept = " What you wrote is kept (:drafts)." if self.line.draft else ""
            raise RecallError(f"Recalled: {self.line.what.lower()} was not sent.{kept}")
