"""Snoozed change requests of a session, and the undo of a snooze."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.age import instant
from copydesk.domain.snooze import LENGTHS, Snooze
from copydesk.local.snooze import DeskSnoozes

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal
    from copydesk.session.writes.undo import LocalStep


class Snoozes:
    """Snoozed and viewed requests, in memory; the disk is only touched in a thread.

    The methods that await raise ``OSError`` when the disk refuses.
    """

    def __init__(self, store: DeskSnoozes) -> None:
        self._store = store
        self.held: dict[str, Snooze] = {}
        self.looks: dict[str, datetime] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    async def read(self) -> None:
        """Read the snoozed requests and the times of the last views."""
        self.held = dict(await asyncio.to_thread(self._store.read))
        self.looks = {**await asyncio.to_thread(self._store.looks), **self.looks}

    def look(self, thing: str, at: datetime) -> None:
        """Note that a request was viewed, and save that in the background."""
        self.looks[thing] = at
        task = asyncio.create_task(self._keep_look(thing, at), name="look")
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _keep_look(self, thing: str, at: datetime) -> None:
        # A mark that cannot be saved is no reason to bother anybody.
        with suppress(OSError):
            await asyncio.to_thread(self._store.look, thing, at)

    def asleep(self, thing: str, updated: datetime, now: datetime) -> bool:
        """Return whether a request last changed at ``updated`` is snoozed."""
        found = self.held.get(thing)
        return found is not None and found.asleep(updated, now)

    async def put(self, thing: str, snooze: Snooze | None) -> None:
        """Snooze a request, or wake it (None)."""
        await asyncio.to_thread(self._store.put, thing, snooze)
        if snooze is None:
            self.held.pop(thing, None)
        else:
            self.held[thing] = snooze

    # The way back

    @property
    def steps(self) -> Mapping[str, LocalStep]:
        """The local steps of reversals, by name."""
        return {"snooze": self._take, "snoozed": self._tell}

    async def _take(self, thing: str, snooze: dict[str, Any] | None) -> None:
        await self.put(thing, None if snooze is None else _read(snooze))

    async def _tell(self, thing: str) -> dict[str, Any]:
        await self.read()
        return {"snooze": _write(self.held.get(thing))}


def reversal_of(thing: str, before: Snooze | None, after: Snooze | None) -> Reversal:
    """Return the reversal of snoozing or waking a request."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    def step(snooze: Snooze | None) -> Step:
        return Step("local.snooze", {"thing": thing, "snooze": _write(snooze)})

    def expect(snooze: Snooze | None) -> Expectation:
        told = Step("local.snoozed", {"thing": thing})
        return Expectation(told, {"snooze": _write(snooze)}, said="it was snoozed anew or woken")

    holds = "It is awake." if before is None else f"It sleeps {LENGTHS[before.step][0]}."
    return Reversal((step(before),), (step(after),), expect(after), expect(before), note=holds)


def _write(snooze: Snooze | None) -> dict[str, Any] | None:
    if snooze is None:
        return None
    return {
        "updated": snooze.updated.isoformat(),
        "until": None if snooze.until is None else snooze.until.isoformat(),
        "step": snooze.step,
    }


def _read(value: dict[str, Any]) -> Snooze | None:
    at = instant(str(value.get("updated", "")))
    until = value.get("until")
    if at is None:
        return None
    return Snooze(at, instant(until) if isinstance(until, str) else None, int(value.get("step", 0)))
