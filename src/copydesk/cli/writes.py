"""Writing from a command: by the session, as the screens write.

So every write is in the journal of this machine before it is sent and when it has ended:
``copydesk log`` has it, the screens can take it back, and nothing is sent a second time because an
answer was lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from copydesk.cli.connection import Connection, session_for
from copydesk.cli.errors import (
    FAILED,
    UsageError,
    complain,
    kept_state,
    said_of,
    say,
    status_for,
)
from copydesk.client.errors import ApiError
from copydesk.local.journal import Journal
from copydesk.local.paths import find_paths
from copydesk.local.settings_in_use import settings_in_use
from copydesk.session.errors import silence_types
from copydesk.session.writes.log import WriteError

if TYPE_CHECKING:
    from types import TracebackType

    from copydesk.client.api import Api
    from copydesk.domain.reversal import Reversal, Trace
    from copydesk.session.session import Session
    from copydesk.session.writes.sender import Write

T = TypeVar("T")

NAMED = 3
"""How many of the writes that were done before a command failed are named."""


def take_hooks(session: Session) -> None:
    """Have the hooks of the settings run for what a command does, as for what the screens do."""
    session.hooks = settings_in_use(find_paths().settings, session.profile).settings.hooks
    session.report = lambda said, tone: say(f"copydesk: {said}")


def leaving(session: Session) -> None:
    """Complain, as the last word of the run, of what becomes of writes that ctrl+c cut off."""
    session.report = lambda said, tone: complain(said)


async def hooks_ended(session: Session, *, wait: bool = True) -> None:
    """Wait for the hooks that are running: a command ends after them. Else they are ended."""
    running = list(session.hooked)
    for task in () if wait else running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


class CommandWrites:
    """The writes of one run of a command, for as long as its ``with`` block takes."""

    def __init__(self, connection: Connection, api: Api) -> None:
        async def connected() -> Api:
            return api

        self._api = api
        self.journal = Journal(kept_state(), connection.key)
        self.session = session_for(connection, find_paths(), self.journal, connect=connected)

    async def __aenter__(self) -> CommandWrites:
        # From here on a write under way is known as one of this run, and of no other program.
        try:
            self.journal.opened()
        except OSError as error:
            raise UsageError(
                f"nothing was sent: it cannot be noted on disk first ({error.strerror or error}). "
                f"Make room on the disk of {self.journal.store.path}, or make it writable for you.",
                FAILED,
            ) from error
        take_hooks(self.session)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, asyncio.CancelledError):
            leaving(self.session)
        writing = self.session.writes.writing
        for task in writing:
            task.cancel()
        try:
            await asyncio.gather(*writing, return_exceptions=True)
            await hooks_ended(self.session, wait=error is None)
        finally:
            # Also where ctrl+c ends the waiting: else the next start takes this run for a crash.
            self.journal.closed()
            self.journal.store.close()
        done = [line.named for line in self.session.log if line.state == "done"]
        if error is not None and done:
            more = f"; and {len(done) - NAMED} more" if len(done) > NAMED else ""
            say(f"Done before it stopped: {'; '.join(done[:NAMED])}{more}.")

    async def perform(
        self,
        what: str,
        target: str,
        send: Callable[[], Awaitable[T]],
        *,
        look: Callable[[], Awaitable[T | None]] | None = None,
        reversal: Reversal | Callable[[T], Reversal | None] | None = None,
        trace: Trace | None = None,
        group: str = "",
    ) -> T:
        """Send a write at once and return its result; the arguments are as of a session's writes.

        Raises ``ApiError``, ``OSError`` or `NotDoneError` when it was refused, and ``UsageError``
        where no answer came: that says whether it is known not to have happened.
        """
        return await self.told(
            self.session.writes.perform(
                what,
                target,
                send,
                look=look,
                reversal=reversal,
                trace=trace,
                group=group,
                now=True,
            )
        )

    async def told(self, writing: Awaitable[T]) -> T:
        """Return what a write of the session comes to; raises what `perform` does."""
        try:
            return await writing
        except WriteError as error:
            failure = _failure(error)
            if error.unknown:  # no status that has a script send it again
                said = "it is not known whether this arrived: look before sending it again."
                raise UsageError(f"{said} {said_of(failure)}", FAILED) from error
            if isinstance(failure, silence_types()):
                said = f"this was not done: {said_of(failure)}"
                raise UsageError(said, status_for(failure)) from error
            raise failure from None

    async def send(self, write: Write[T], *, group: str = "") -> T:
        """Perform a write that the screens send too; raises what `perform` does."""
        look = write.look
        return await self.perform(
            write.what,
            write.target,
            lambda: write.send(self._api),
            look=None if look is None else (lambda: look(self._api)),
            reversal=write.reversal,
            trace=write.trace,
            group=group,
        )


def _failure(error: Exception) -> BaseException:
    """Return the failure of the request itself; what the session adds to it names keys."""
    cause: BaseException = error.__cause__ or error
    return cause.__cause__ if isinstance(cause.__cause__, ApiError) else cause
