"""What a request is sent for, where its answer may come from, and what of that was not understood.

It follows tasks as context variables do, so that whoever sends needs not be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from enum import IntEnum
from typing import Any, NamedTuple

from copydesk.domain.cached_answers import Kept
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural

CAUSE: ContextVar[tuple[str, ...]] = ContextVar("cause", default=())
"""The ids of the actions that led to the work under way, the first one first."""


class Why(IntEnum):
    """Why a request is sent. Where some have to wait, those of the smaller number go first."""

    KEY = 0
    """Somebody asked for it, by a key or a command."""
    OUTBOX = 1
    """It waited in the outbox: somebody wrote it earlier."""
    VISIBLE = 2
    """It fills a list or a text on screen."""
    AHEAD = 3
    """It may be wanted next."""
    POLLING = 4
    """It looks whether something has changed."""


class Asker(NamedTuple):
    """For which screen a request is sent ("" for none), and why."""

    screen: str = ""
    why: Why = Why.KEY


NOBODY = Asker()

ASKER: ContextVar[Asker] = ContextVar("asker", default=NOBODY)
"""Who asked for the work under way."""


@dataclass(slots=True)
class CachedReading:
    """The answers used inside of ``cached_reading``.

    ``oldest`` is the time of the oldest one, in seconds since the epoch; None without any.
    ``lacked``: an answer was missing. ``over``: the block has ended, and tasks begun in it read
    from the service again.
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

    A read without a cached answer raises ``NotCached``; no request is sent. A write in the block is
    a mistake of the program: ``RuntimeError``.

        with cached_reading() as found:
            page = await api(ops.get_space_page, space, page)   # from the store, or NotCached
        show(page, read_at=found.oldest)
    """
    found = CachedReading()
    token = CACHED_ONLY.set(found)
    try:
        yield found
    finally:
        found.over = True
        CACHED_ONLY.reset(token)


def current_reading() -> CachedReading | None:
    """Return the current cached reading, None where reads go to the service."""
    found = CACHED_ONLY.get()
    return None if found is None or found.over else found


def reads_cached() -> bool:
    """Whether this runs inside of ``cached_reading``, so that no answer comes from the service."""
    return current_reading() is not None


def leave_cache() -> None:
    """Read from the service from now on in this task, even if a cached read began it."""
    CACHED_ONLY.set(None)


MOST_ANSWERS = 50
"""Items are kept of so many answers, the last ones."""

NOT_SHOWN = "not shown, for it may hold a secret"
"""Says instead of an item what it was, where the answer may hold a credential."""


class Misread:
    """What a screen asked for and could not be understood, by the request that it came from."""

    def __init__(self) -> None:
        self._items: dict[str, Sequence[Any]] = {}
        self._distinct: Sequence[Any] | None = ()

    def note(self, request: str, items: Sequence[Any]) -> None:
        """Take the items, as they came, that the last answer to a request was read without."""
        if self._items.pop(request, None) or items:
            self._distinct = None
        if items:
            self._items[request] = items
            while len(self._items) > MOST_ANSWERS:
                del self._items[next(iter(self._items))]

    def forget(self) -> None:
        """Begin anew: all is asked for again."""
        self._items.clear()
        self._distinct = ()

    @property
    def items(self) -> Sequence[Any]:
        """All of them, as JSON has them; what several requests answered with is there once."""
        if self._distinct is None:  # worked out once: every frame asks
            import json

            found = {json.dumps(item): item for items in self._items.values() for item in items}
            self._distinct = list(found.values())
        return self._distinct

    @property
    def said(self) -> str:
        """How many there are, in a sentence; "" without any."""
        count = len(self.items)
        return f"{plural(count, 'item')} could not be read." if count else ""


ELSEWHERE = Misread()
"""What no screen has asked for: what a command of the command line reads."""

MISREAD: ContextVar[Misread] = ContextVar("misread", default=ELSEWHERE)
"""Where the client puts them; it follows tasks, as `ASKER` does."""

WHOLE: ContextVar[bool] = ContextVar("whole", default=False)
"""Whether an answer that is not understood in all its parts is refused."""


@contextmanager
def whole_answers() -> Iterator[None]:
    """Have the client raise ``Garbled`` for an answer that it cannot read completely.

    For reads that decide what is written next: an object that could not be read is not one that is
    missing.
    """
    before = WHOLE.set(True)
    try:
        yield
    finally:
        WHOLE.reset(before)
