"""One action on many objects: one by one, each with its result, and the failed ones again.

A run belongs to the program and not to its dialog: it goes on when the dialog is left, and every
write is in the log (``@``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural
from copydesk.session.errors import failure_types, write_sentence
from copydesk.session.writes.log import QueuedError, WriteError

State = Literal["waiting", "sending", "done", "queued", "failed", "skipped"]


WORDS = {"queued": "in the outbox"}
"""The words for states whose name is not the word."""

REVERSIBLE = "u undoes all of it."
"""The sentence in the dialog of an action that one undo undoes."""


@dataclass
class BulkItem:
    """One object. ``why`` is the reason to skip it.

    ``hidden`` is true when the list does not show it. ``message`` is the failure; ``where`` tells
    objects with the same label apart.
    """

    id: str
    label: str
    subject: str
    hidden: bool = False
    why: str = ""
    state: State = "waiting"
    message: str = ""
    where: str = ""
    unknown: bool = False
    """Whether it may have arrived: then it is not sent again from here."""


class NothingToDoError(Exception):
    """An object needs no change, or does not allow it: it is skipped."""


@dataclass(frozen=True)
class Bulk:
    """A bulk action: its name, the reasons to skip an item, and the request for one.

    ``send`` takes an object and the name of the group of its write; it raises `NothingToDoError` to
    skip the object. ``ended`` is told, after the last result, whether one failed.
    """

    verb: str
    unless: Sequence[Callable[[Any, Any], str | None]]
    send: Callable[[Any, str], Awaitable[object]]
    warning: str = ""
    ended: Callable[[bool], None] = lambda failed: None


class BulkRun:
    """One bulk action, from the question to the last result.

    ``verb`` names it ("Archive"), ``noun`` what it is done to; ``send`` handles one object and
    raises `WriteError`, `NothingToDoError` or what the client raises. ``ended`` is called after the
    last result.
    """

    def __init__(
        self,
        verb: str,
        items: Sequence[BulkItem],
        send: Callable[[BulkItem], Awaitable[object]],
        ended: Callable[[], None] = lambda: None,
        *,
        noun: str = "",
    ) -> None:
        self.verb = verb
        self._noun = noun
        # Hidden objects come first: they are marked by mistake.
        self.items = sorted(items, key=lambda item: not item.hidden)
        for item in self.items:
            if item.why:
                item.state = "skipped"
        self._send = send
        self._ended = ended
        self._watchers: list[Callable[[], None]] = []
        self.task: asyncio.Task[None] | None = None

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` after each change of an item; return what ends that."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    @property
    def running(self) -> bool:
        """Whether it is running."""
        return self.task is not None and not self.task.done()

    @property
    def begun(self) -> bool:
        """Whether it was started."""
        return self.task is not None

    def count(self, state: State) -> int:
        """Return how many items are in a state."""
        return sum(item.state == state for item in self.items)

    @property
    def retryable(self) -> bool:
        """Whether a failed item certainly did not arrive."""
        return any(item.state == "failed" and not item.unknown for item in self.items)

    @property
    def plan(self) -> str:
        """The plan: ``Archive 5 of 7. 2 skipped.``, or ``Archive: 7 change requests``."""
        skipped = self.count("skipped")
        if self._noun and not skipped:
            return f"{self.verb}: {plural(len(self.items), self._noun)}"
        more = f" {skipped} skipped." if skipped else ""
        return f"{self.verb} {len(self.items) - skipped} of {len(self.items)}.{more}"

    @property
    def result(self) -> str:
        """The result: ``Archive: 5 done, 1 failed, 2 skipped.``"""
        states: Sequence[State] = ("done", "queued", "failed", "skipped")
        found = [
            f"{count} {WORDS.get(state, state)}" for state in states if (count := self.count(state))
        ]
        return f"{self.verb}: {', '.join(found) or 'nothing done'}."

    def start(self) -> None:
        """Send the waiting items."""
        if not self.running:
            self.task = asyncio.create_task(self._go())

    def retry(self) -> None:
        """Send the failed items again, except those that may have arrived."""
        for item in self.items:
            if item.state == "failed" and not item.unknown:
                item.state, item.message = "waiting", ""
        self.start()

    async def _go(self) -> None:
        for item in self.items:
            if item.state != "waiting":
                continue
            item.state = "sending"
            self._changed()
            try:
                await self._send(item)
            except NothingToDoError as error:
                item.state, item.why = "skipped", str(error)
            except QueuedError as error:
                item.state, item.message = "queued", str(error)
            except WriteError as error:
                item.state, item.message, item.unknown = "failed", str(error), error.unknown
                if isinstance(error.__cause__, failure_types()):
                    item.message = write_sentence(error.__cause__, again="r")
            except failure_types() as error:
                item.state = "failed"
                item.message = write_sentence(error, again="r")
            else:
                item.state = "done"
            self._changed()
        self._ended()
        # The task ends after this line: the watchers find it done.
        asyncio.get_running_loop().call_soon(self._changed)

    def _changed(self) -> None:
        for watcher in list(self._watchers):
            watcher()
