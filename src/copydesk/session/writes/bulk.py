"""Doing the same to many things: one by one, each with its result, and the failed ones again.

A run belongs to the program and not to the sheet that shows it: whoever leaves the sheet leaves it
running, and finds every write under ``@``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from copydesk.session.errors import failure_types, write_sentence

State = Literal["waiting", "sending", "done", "queued", "failed", "skipped"]


WORDS = {"queued": "in the outbox"}
"""What states are called where that is not their name."""

REVERSIBLE = "u takes all of it back."
"""What a sheet says of a bulk action that one undo takes back."""


@dataclass
class BulkItem:
    """One of the things. ``why`` says why it is not allowed there; then it is skipped.

    ``hidden`` is true when the list does not show it. ``said`` is what went wrong; ``where`` tells
    things apart whose labels are the same.
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
    """Whether it may have arrived all the same: then it is not sent again from here."""


class NothingToDoError(Exception):
    """A thing turned out to be as it should be already, or not to allow it: it is skipped."""


@dataclass(frozen=True)
class Bulk:
    """A bulk action: its name, the reason to skip an item, and the request for one.

    ``send`` takes the thing and the name of the group that its write belongs to; it raises
    `NothingToDoError` with why it is skipped after all. ``ended`` is told once all have a result
    whether one failed.
    """

    verb: str
    unless: Sequence[Callable[[Any, Any], str | None]]
    send: Callable[[Any, str], Awaitable[object]]
    warning: str = ""
    ended: Callable[[bool], None] = lambda failed: None


class BulkRun:
    """One bulk action, from the question to the last result.

    ``verb`` names it ("Archive"); ``send`` does it to one thing and raises `WriteError`,
    `NothingToDoError` or what the client raises. ``ended`` is called when the last has its result.
    """

    def __init__(
        self,
        verb: str,
        items: Sequence[BulkItem],
        send: Callable[[BulkItem], Awaitable[object]],
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self.verb = verb
        # What nobody sees in the list comes first: it is what is marked by mistake.
        self.items = sorted(items, key=lambda item: not item.hidden)
        for item in self.items:
            if item.why:
                item.state = "skipped"
        self._send = send
        self._ended = ended
        self._watchers: list[Callable[[], None]] = []
        self.task: asyncio.Task[None] | None = None

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` whenever an item has another state; returns what stops that."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    @property
    def running(self) -> bool:
        """Whether it goes on."""
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
        """Whether something failed that surely did not arrive."""
        return any(item.state == "failed" and not item.unknown for item in self.items)

    @property
    def plan(self) -> str:
        """What will be done: ``Archive 5 of 7. 2 skipped.``"""
        skipped = self.count("skipped")
        more = f" {skipped} skipped." if skipped else ""
        return f"{self.verb} {len(self.items) - skipped} of {len(self.items)}.{more}"

    @property
    def result(self) -> str:
        """What has been done: ``Archive: 5 done, 1 failed, 2 skipped.``"""
        states: Sequence[State] = ("done", "queued", "failed", "skipped")
        found = [
            f"{count} {WORDS.get(state, state)}" for state in states if (count := self.count(state))
        ]
        return f"{self.verb}: {', '.join(found) or 'nothing done'}."

    def start(self) -> None:
        """Send to all that wait."""
        if not self.running:
            self.task = asyncio.create_task(self._go(), name=f"bulk {self.verb}")

    def retry(self) -> None:
        """Send again to those that failed, and to no other: not where it may have arrived."""
        for item in self.items:
            if item.state == "failed" and not item.unknown:
                item.state, item.message = "waiting", ""
        self.start()

    async def _go(self) -> None:
        from copydesk.session.writes.log import QueuedError, WriteError

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
        # The task ends after this line: whoever asks then finds it done.
        asyncio.get_running_loop().call_soon(self._changed)

    def _changed(self) -> None:
        for watcher in list(self._watchers):
            watcher()
