"""A write in the log: its line, its recall time, its failure."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.domain.reversal import Expectation, Reversal, Trace
    from copydesk.local.journal import Entry, Kind
    from copydesk.session.writes.undo import Obstacle

HAD_ARRIVED = "No answer came, but it had arrived: that was found by reading again."

STOPPED = "Stopped before the answer came: it may have arrived."

NOT_SENT = "Stopped before it was sent."


class WriteError(Exception):
    """A write that is not known to have happened; the message is for the reader.

    ``unknown`` says that it may have happened: it is not sent again unasked.
    """

    def __init__(self, said: str, *, unknown: bool = False) -> None:
        super().__init__(said)
        self.unknown = unknown


class QueuedError(WriteError):
    """A write that waits in the outbox, because it certainly did not arrive.

    The caller is done, as when it had arrived: its text is saved there.
    """


class RecalledError(WriteError):
    """A write that its author stopped before it was sent."""


class ChangedSinceError(WriteError):
    """Writes were not undone (or redone), because their objects changed since."""

    def __init__(self, obstacles: Sequence[Obstacle], *, again: bool) -> None:
        super().__init__(" ".join(dict.fromkeys(obstacle.why for obstacle in obstacles)))
        self.obstacles = tuple(obstacles)
        self.again = again


class RecallError(NotDoneError):
    """The end of a recalled write."""


class NotThereError(NotDoneError):
    """The end of a write without an answer that was not found, and may wait."""


class HeldBackError(NotDoneError):
    """The end of a write that the outbox checks before it is sent."""


class UnansweredError(NotDoneError):
    """The end of a try without an answer, or of a read that does not tell whether it arrived."""

    sent = True


@dataclass
class LogEntry:
    """One line of the activity log: a write and its outcome.

    ``state`` is "waiting" (it can be recalled), "sending", "done", "failed" (it did not happen),
    "unknown" (it may have happened: no answer came), "queued" (it waits in the outbox), "dropped"
    (it was removed from there), "recalled", "undone", "replaced" (its text arrived by a later
    write), or "said" for a message; that of a program is "running", "done" or "not done".
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
    """The reversal; a callable is given the result."""
    trace: Trace | None = None
    """The trace that finds it at the next start if this run ends before the answer."""
    entry: Entry | None = None
    """Its journal entry."""
    kind: Kind = ""
    """Whether it undoes another write ("undo") or redoes it ("redo")."""
    of: str = ""
    """The journal entry of that write."""
    group: str = ""
    """The name that the writes of one action share: they are undone together."""
    look: Callable[[], Awaitable[Any]] | None = None
    """Reads whether it happened: returns its result, or None."""
    then: Callable[[Any], None] | None = None
    """Takes the result of the successful try."""
    draft: str = ""
    """The key of the draft that holds its text until it has arrived."""
    text: str | None = None
    """The text of the draft, as it was sent."""
    now: bool = False
    """Whether it makes sense only now: it does not wait in the outbox."""
    aged: bool = False
    """Whether it is based on cached data, so that these are read again before it is sent."""
    several: bool = False
    """Whether it takes several requests, so that it cannot wait in the outbox."""
    expects: Expectation | None = None
    """What must still hold when it is sent from the outbox."""
    requests: int = 0
    """The number of its writing requests in this try."""
    operation: str = ""
    """The name of the first one."""
    request: dict[str, Any] | None = None
    """The first one, where it may be sent later unchanged."""
    may_come: bool = False
    """Whether that request may still arrive late although it waits in the outbox."""
    never: bool = False
    """Whether its last try certainly does not arrive."""
    stop: Callable[[], object] | None = None
    """Ends the program that it is of, while that runs."""
    left: bool = False
    """Whether its screen was left, so that nobody waits for it."""

    @property
    def id(self) -> str:
        """The identity of the line in a list."""
        return str(self.number)

    @property
    def named(self) -> str:
        """What was written, and of what."""
        return f"{self.what}, {self.target}"


@dataclass(eq=False)
class RecallableWrite:
    """A write that can still be recalled, ``until`` a time by the loop's clock."""

    line: LogEntry
    until: float
    owner: object = None
    """The worker that waits for it, which does not block another write of its kind."""
    recalled: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def doing(self) -> str:
        """What it does, within a sentence; with its target where "of", "for" or "in" ends it."""
        what, target = self.line.what.lower(), clean(self.line.target)
        return f"{what} {target}" if what.endswith((" of", " for", " in")) else what

    @property
    def seconds(self) -> int:
        """Whole seconds that are left, at least one."""
        return max(1, round(self.until - asyncio.get_running_loop().time()))

    async def out(self) -> None:
        """Wait until it is due, or sent at once. Raises `RecallError` when it was recalled."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self.until):
                await self.over.wait()
        if self.recalled:
            written = self.line.draft and self.line.text
            kept = " What you wrote is kept (:drafts)." if written else ""
            raise RecallError(f"Recalled: {self.doing} was not sent.{kept}")
