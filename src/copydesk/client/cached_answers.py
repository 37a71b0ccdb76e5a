"""Cached answers on this machine: there at once, and without a network.

An ``Api`` with a store caches every answer to a read, unless its operation may carry secrets.
Cached answers are used only on demand (``cached_reading`` in `domain.request_context`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import Protocol

from copydesk.domain.cached_answers import Held, Kept

BATCH_SECONDS = 0.5
"""How long answers are gathered before they are written together."""

WAITING_BYTES = 16 * 1024 * 1024
"""The largest amount of unwritten answers, where a disk is slow. Further ones are not cached."""


class AnswerStore(Protocol):
    """A store of answers by ``target``, the quoted path and query.

    Called in threads, several at once. Caching is optional: no method raises because of a disk.
    """

    def read(self, target: str) -> Kept | None:
        """Return the cached answer of this target, or None."""

    def keep(self, answers: Mapping[str, Kept]) -> None:
        """Keep these answers, by target, in place of older ones."""

    def forget(self) -> None:
        """Drop all that is kept."""

    def held(self) -> Held:
        """Return how much is kept."""

    def close(self) -> None:
        """Close it. The next use opens it again."""


class Keeping:
    """A store for one client: answers are gathered, and written by a thread.

    ``clock`` gives seconds since the epoch.
    """

    def __init__(self, store: AnswerStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[str, Kept] = {}
        self._size = 0
        self._written: dict[str, Kept] = {}
        self._task: asyncio.Task[None] | None = None

    async def read(self, target: str) -> Kept | None:
        """Return the cached answer of a target, also an unwritten one."""
        kept = (
            self._waiting.get(target)
            or self._written.get(target)
            or await asyncio.to_thread(self._store.read, target)
        )
        return kept if kept is not None and kept.content else None

    def drop(self, target: str) -> None:
        """Delete the cached answer of a target."""
        self.keep(target, b"")

    def keep(self, target: str, content: bytes, asked: float | None = None) -> None:
        """Keep an answer; it is written a moment later.

        ``asked``: when it was asked for (now). A slow answer does not take the place of one that
        was asked for later, which may know of a write that it does not.
        """
        now = self._clock()
        at = now if asked is None else min(asked, now)
        other = self._waiting.get(target) or self._written.get(target)
        # A time in the future comes from a clock that was set back.
        if other is not None and at < other.at <= now:
            return
        older = self._waiting.pop(target, None)
        self._size -= 0 if older is None else len(older.content)
        if self._size + len(content) > WAITING_BYTES:
            return
        self._waiting[target] = Kept(content, at)
        self._size += len(content)
        if self._task is None:
            # In a context of its own, independent of the first caller.
            self._task = asyncio.create_task(self._write_later(), context=Context())

    async def held(self) -> Held:
        """Return the size and age of the cache, after writing the waiting answers."""
        if batch := self._take():
            await asyncio.to_thread(self._store.keep, batch)
        return await asyncio.to_thread(self._store.held)

    async def forget(self) -> None:
        """Empty the cache, with the waiting answers."""
        await self._stop()
        self._take()
        await asyncio.to_thread(self._store.forget)

    async def aclose(self) -> None:
        """Write the waiting answers, and close the store."""
        await self._stop()
        await asyncio.to_thread(self._end, self._take())

    async def _write_later(self) -> None:
        while self._waiting:
            await asyncio.sleep(BATCH_SECONDS)
            self._written = self._take()
            try:
                await asyncio.to_thread(self._store.keep, self._written)
            finally:
                self._written = {}
        self._task = None

    def _end(self, batch: Mapping[str, Kept]) -> None:
        if batch:
            self._store.keep(batch)
        self._store.close()

    def _take(self) -> dict[str, Kept]:
        batch, self._waiting, self._size = self._waiting, {}, 0
        return batch

    async def _stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
