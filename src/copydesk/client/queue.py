"""The requests that wait for one of the connections: the most urgent goes first."""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush
from itertools import count

from copydesk.domain.cause import Why

RESERVED = 2
"""Connections reserved for reads that a person waits for or looks at."""


class Queue:
    """Lets ``places`` requests go at a time.

    Among those that wait the most urgent goes first, and of equals the one that came first.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[Why, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def enter(self, why: Why) -> None:
        """Wait for a place, which `leave` gives back. Cancelled, it has none."""
        if not self._waiting and self._may(why):
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (why, next(self._numbers), turn))
        self._admit()
        if turn.done():
            return
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # its turn had come in the same moment
            raise

    def leave(self) -> None:
        """Give a place back."""
        self._free += 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting:
            why, _, turn = self._waiting[0]
            if turn.done():  # cancelled
                heappop(self._waiting)
            elif self._may(why):
                heappop(self._waiting)
                self._free -= 1
                turn.set_result(None)
            else:
                return

    def _may(self, why: Why) -> bool:
        return self._free > (RESERVED if why >= Why.AHEAD else 0)
