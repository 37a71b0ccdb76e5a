"""Sharing of identical reads in flight: later callers get the answer of the first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False, slots=True)
class _Flight:
    task: asyncio.Task[Any]
    waiting: int = 0


class SharedReads:
    """The reads in flight, by key.

    Cancelling one waiter leaves the read to the others; cancelling the last one cancels the read.
    """

    def __init__(self) -> None:
        self._shared: dict[Hashable, _Flight] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        """The number of reads in flight."""
        return len(self._tasks)

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the answer of the read ``key``; ``start`` begins it if none is in flight.

        Raises what the read raises, in every waiter.
        """
        flight = self._shared.get(key)
        if flight is None:
            flight = self._shared[key] = _Flight(asyncio.create_task(start()))
            self._tasks.add(flight.task)
            flight.task.add_done_callback(lambda _: self._landed(key, flight))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._unshare(key, flight)
                flight.task.cancel()

    def part(self) -> None:
        """Share none of the reads in flight from now on: called around writes.

        A read that began before a write may answer with the old state, and a caller after the write
        wants the new one.
        """
        self._shared.clear()

    async def ground(self) -> None:
        """Cancel all reads and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _landed(self, key: Hashable, flight: _Flight) -> None:
        self._tasks.discard(flight.task)
        self._unshare(key, flight)
        if not flight.task.cancelled():
            # Retrieved, so that a failure without a waiter is not reported as lost.
            flight.task.exception()

    def _unshare(self, key: Hashable, flight: _Flight) -> None:
        if self._shared.get(key) is flight:
            del self._shared[key]
