"""The command ``:cache``: the size of the cached answers, and dropping them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from copydesk.domain.age import age
from copydesk.domain.cached_answers import Held, mebibytes
from copydesk.domain.text import plural
from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.session.session import Session

NOTHING = "Nothing is kept of what was read."
OWN_DESK = "Nothing is kept besides the desk itself: it is on this machine."


async def about_cache(session: Session) -> str:
    """Return how much is kept for this session, and how old it is. Raises what `ready` raises."""
    held = await (await session.ready()).held()
    if held is None or held.oldest is None:
        return OWN_DESK if held is None else NOTHING
    oldest = age(datetime.fromtimestamp(held.oldest, UTC), session.clock())
    since = "just now" if oldest == "now" else f"{oldest} ago"
    return f"Kept: {_much(held)}, the oldest read {since}. “:cache clear” drops all of it."


async def clear_cache(session: Session) -> str:
    """Drop the cached answers and the last screens. Raises `NotDoneError` where the disk refuses.

    Drafts, the journal and what waits to be sent are no part of it.
    """
    api = await session.ready()
    held = await api.held()
    if held is None:
        return OWN_DESK
    try:
        await api.forget_kept()
        await asyncio.to_thread(session.snapshot.forget)
    except OSError as error:
        raise NotDoneError(f"Not dropped: {error}.") from error
    if not held.count:
        return NOTHING
    return f"Dropped {_much(held)}. What is read from now on is kept again."


def _much(held: Held) -> str:
    return f"{plural(held.count, 'answer')} ({mebibytes(held.size)})"
