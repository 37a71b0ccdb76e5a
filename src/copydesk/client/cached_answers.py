"""Answers kept on this machine: what was read last is there again at once, and without a network.

An ``Api`` that was given a store keeps every answer to a read in it, unless its operation is
declared to carry secrets. Nobody gets a kept answer unasked:

    with cached_reading() as found:
        page = await api(ops.get_space_page, space, page)   # from the store, or NotCached
    show(page, read_at=found.oldest)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from copydesk.domain.cached_answers import Held, Kept

BATCH_SECONDS = 0.5
"""So long answers are gathered before they are written, in one go."""

WAITING_BYTES = 16 * 1024 * 1024
"""So much waits to be written at most, where a disk is slow. What is more is not kept."""


class AnswerStore(Protocol):
    """Where answers are kept, by what was asked for: ``target`` is the quoted path and query.

    Called in threads, several at once. Keeping is a courtesy: no method raises because of a disk.
    """

    def read(self, target: str) -> Kept | None:
        """Return what is kept of this target, None where nothing is."""

    def keep(self, answers: Mapping[str, Kept]) -> None:
        """Keep these answers, by target, in place of older ones."""

    def forget(self) -> None:
        """Drop all that is kept."""

    def held(self) -> Held:
        """Return how much is kept."""

    def close(self) -> None:
        """Let go of what it is kept in. It can be used again."""


@dataclass(slots=True)
class CachedReading:
    """What was read inside of ``cached_reading``.

    ``oldest`` is when the oldest answer came that was used, in seconds since the epoch; None while
    none was. ``lacked``: something was asked for that is not kept. ``over``: left; what still runs
    that was begun in it reads from the service again.
    """

    oldest: float | None = None
    lacked: bool = False
    over: bool = field(default=False, repr=False)

    def used(self, kept: Kept) -> None:
        """Note that an answer was used."""
        self.oldest = kept.at if self.oldest is None else min(self.oldest, kept.at)


CACHED_ONLY: ContextVar[CachedReading | None] = ContextVar("kept reading", default=None)
"""Set inside of ``cached_reading``."""


@contextmanager
def cached_reading() -> Iterator[CachedReading]:
    """Answer every read in this block, and in tasks begun in it, from the cache.

    A read without a cached answer raises ``NotCached``; no request is sent. A write in the block
    is a mistake of the program: ``RuntimeError``.
    """
    found = CachedReading()
    token = CACHED_ONLY.set(found)
    try:
        yield found
    finally:
        found.over = True
        CACHED_ONLY.reset(token)


def current_reading() -> CachedReading | None:
    """Return the kept reading that goes on here, None where reads go to the service."""
    found = CACHED_ONLY.get()
    return None if found is None or found.over else found


class Keeping:
    """A store as one client uses it: answers are gathered, and written by a thread.

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
        """Return what is kept of a target, also where it is not written yet."""
        kept = (
            self._waiting.get(target)
            or self._written.get(target)
            or await asyncio.to_thread(self._store.read, target)
        )
        return kept if kept is not None and kept.content else None

    def drop(self, target: str) -> None:
        """Keep nothing of a target any more."""
        self.keep(target, b"")

    def keep(self, target: str, content: bytes, asked: float | None = None) -> None:
        """Keep an answer; it is written a moment later.

        ``asked``: when it was asked for (now). A slow answer does not take the place of one that
        was asked for later, which may know of a write that it does not.
        """
        now = self._clock()
        at = now if asked is None else min(asked, now)
        other = self._waiting.get(target) or self._written.get(target)
        # One that is of the future is of a clock that was set back.
        if other is not None and at < other.at <= now:
            return
        older = self._waiting.pop(target, None)
        self._size -= 0 if older is None else len(older.content)
        if self._size + len(content) > WAITING_BYTES:
            return
        self._waiting[target] = Kept(content, at)
        self._size += len(content)
        if self._task is None:
            # In a context of its own: whoever was answered first is none of its business.
            self._task = asyncio.create_task(self._write_later(), context=Context())

    async def held(self) -> Held:
        """Return how much is kept, once what waits is written."""
        if batch := self._take():
            await asyncio.to_thread(self._store.keep, batch)
        return await asyncio.to_thread(self._store.held)

    async def forget(self) -> None:
        """Drop all that is kept, also what waits to be written."""
        await self._stop()
        self._take()
        await asyncio.to_thread(self._store.forget)

    async def aclose(self) -> None:
        """Write what waits, and let go of the store."""
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
