"""Writing from a command: every write is in the journal of this machine, as those of the screens.

It is noted before it is sent and when it has ended, so that ``copydesk log`` has it, the screens
can take it back, and nothing is sent a second time because an answer was lost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.cli.connection import Connection
from copydesk.cli.errors import UsageError, kept_state, status_for
from copydesk.local.journal import Entry, Journal, Notes

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal, Trace

T = TypeVar("T")


class Noted:
    """The writes of one run of a command."""

    def __init__(self, connection: Connection) -> None:
        self._desk = connection.key
        self._journal: Journal | None = None

    @property
    def journal(self) -> Journal:
        """The journal, which knows of this run from here on."""
        if self._journal is None:
            self._journal = Journal(kept_state(), self._desk)
            # What is under way is ours to settle, and no other program's.
            self._journal.opened()
        return self._journal

    def close(self) -> None:
        """Note that the command ends as it should."""
        if self._journal is not None:
            self._journal.closed()
            self._journal.store.close()

    def entries(self) -> list[Entry]:
        """Return the writes of this machine to the same service, oldest first."""
        return self.journal.entries()

    async def write(
        self,
        what: str,
        target: str,
        send: Callable[[], Awaitable[T]],
        *,
        look: Callable[[], Awaitable[T | None]] | None = None,
        reversal: Callable[[T], Reversal] | None = None,
        trace: Trace | None = None,
        body: str = "",
    ) -> T:
        """Send one write and return its result.

        When no answer comes, ``look`` reads whether it happened: it gives the result, or None if it
        did not. ``reversal`` is given the result and says how it is taken back. ``trace`` and
        ``body`` tell another run how to find what was sent. Raises ``ApiError`` or `NotDoneError`
        when it is known not to have happened, and ``UsageError`` when that is not known.
        """
        from copydesk.client.errors import ApiError
        from copydesk.session.errors import NotDoneError

        notes = Notes(trace=None if trace is None else trace.to_dict())
        entry = self.journal.begin(what, target, notes, body=body)
        try:
            result = await send()
        except NotDoneError as error:
            self.journal.settle(entry, "failed", sentence=str(error))
            raise
        except ApiError as error:
            noted = {"sentence": str(error), "request_id": error.request_id}
            found: T | None = None
            if error.sent:
                try:
                    found = await look() if look is not None else None
                    known = look is not None
                except ApiError:
                    known = False
                if not known:
                    self.journal.settle(entry, "unknown", **noted)
                    raise UsageError(
                        "it is not known whether this arrived: look before sending it again. "
                        f"{error}",
                        status_for(error),
                    ) from error
            if found is None:
                self.journal.settle(entry, "failed", **noted)
                raise
            result = found
        self.settle(entry, result, reversal)
        return result

    def settle(
        self, entry: Entry, result: T, reversal: Callable[[T], Reversal] | None = None
    ) -> None:
        """Note that a write has arrived."""
        changes: dict[str, Any] = {}
        if reversal is not None:
            changes["reversal"] = reversal(result).to_dict()
        self.journal.settle(entry, "done", **changes)

    def missed(self, entry: Entry) -> None:
        """Note that a write of which nobody had heard has not arrived."""
        self.journal.settle(entry, "failed", sentence="It had not arrived.")
