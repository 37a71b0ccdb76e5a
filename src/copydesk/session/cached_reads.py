"""Cached reads of a service: there at once, and also without a network.

Cached rows are shown with their age and read again in the background. An action uses cached data
only where the service cannot be reached, and a write based on them is checked again before it is
sent (`live_or_cached`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from copydesk.domain.cached_answers import NOTHING, Held, mebibytes
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import time_or_date, told_ago
from copydesk.domain.request_context import cached_reading
from copydesk.domain.text import plural
from copydesk.session.errors import NotDoneError, failure_types, silence_types
from copydesk.session.reachability import BUSY, LIMIT

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.session import Session


T = TypeVar("T")

WHY = {"": "Offline", LIMIT: "API limit reached", BUSY: "The service is busy"}
"""Why the service is not asked, by the reason in `Contact.limited`."""


@dataclass(frozen=True, slots=True)
class CachedRead(Generic[T]):
    """The result of a cached read.

    ``at`` is when the oldest answer in it came from the service; None where no answer was needed,
    so that it is as good as a live one. ``why`` the service was not asked, for a sentence.
    """

    result: T
    at: datetime | None
    why: str = "Offline"

    def note(self, now: datetime) -> str:
        """Return the sentence on its age for a dialog that opens on it; "" if it was just read."""
        if self.at is None:
            return ""
        since = f"{self.why}: this is what the service said {time_or_date(self.at, now)}."
        return f"{since} What you send waits, and asks you if that was changed meanwhile."


async def read_cached(read: Callable[[], Awaitable[T]]) -> CachedRead[T] | None:
    """Return what ``read`` gives from cached answers alone; None where one of them is missing."""
    with cached_reading() as found:
        try:
            result = await read()
        except failure_types():
            return None
    if found.oldest is not None:
        return CachedRead(result, datetime.fromtimestamp(found.oldest, UTC))
    return None if found.lacked else CachedRead(result, None)


async def live_or_cached(session: Session, read: Callable[[Api], Awaitable[T]]) -> CachedRead[T]:
    """Return the service's answer, or the cached one where the service cannot be reached.

    A write based on cached data is ``aged`` (`WriteSender.perform`). Raises ``ApiError`` where no
    answer is cached either.
    """
    api, contact = await session.ready(), session.contact

    async def kept() -> CachedRead[T] | None:
        if contact.refused or not api.caches:
            return None
        found = await read_cached(lambda: read(api))
        return found and replace(found, why=WHY[contact.limited])

    # A service that is known not to answer is not waited for again.
    if session.held and (found := await kept()) is not None:
        return found
    try:
        return CachedRead(await read(api), None)
    except silence_types() as error:
        session.learn(error)
        if not session.held or (found := await kept()) is None:
            raise
        return found


OWN_DESK = "No answers are saved: the desk itself is on this machine."


async def about_cache(session: Session) -> str:
    """Return the size and age of this session's cache. Raises what `ready` raises."""
    held = await (await session.ready()).held()
    if held is None or held.oldest is None:
        return OWN_DESK if held is None else NOTHING
    since = told_ago(datetime.fromtimestamp(held.oldest, UTC), session.clock())
    return f"Saved: {_much(held)}, the oldest read {since}. “:cache clear” clears all of it."


async def forget_copies(session: Session, api: Api) -> None:
    """Drop the cached answers and the last screens, from the disk as well. Raises ``OSError``."""
    await api.forget_cached()
    await asyncio.to_thread(session.snapshot.forget)


async def clear_cache(session: Session) -> str:
    """Drop the cached answers and the last screens. Raises `NotDoneError` where the disk refuses.

    Drafts, the journal and the outbox stay.
    """
    api = await session.ready()
    held = await api.held()
    if held is None:
        return OWN_DESK
    try:
        await forget_copies(session, api)
    except OSError as error:
        raise NotDoneError(f"Not cleared: {error}.") from error
    if not held.count:
        return NOTHING
    return f"Cleared {_much(held)}. What is read from now on is saved again."


def _much(held: Held) -> str:
    return f"{plural(held.count, 'answer')} ({mebibytes(held.size)})"
