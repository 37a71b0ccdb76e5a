"""Reading how many change requests need the reader, as the view of that name has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from copydesk.session.reads.change_requests import Scope, read_asked, read_page, read_talk
from copydesk.session.views import COUNTED_ROWS, FIRST, LISTINGS, TALKS_READ

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.change_rows import ChangeRow

AT_ONCE = 4
"""How many are read at the same time."""


async def count_needing(
    api: Api, organization: str, me: str, asleep: Callable[[ChangeRow], bool]
) -> int | None:
    """Return how many open change requests wait on a person and do not sleep.

    None where there are too many to find out by the way. Raises ``ApiError``.
    """
    scope = Scope(organization)
    listing = next(each for each in LISTINGS if each.id == FIRST)
    rows, token, total = await read_page(api, scope, listing, me, token=None, limit=COUNTED_ROWS)
    if token is not None or (total is not None and total > COUNTED_ROWS):
        return None
    asked = await read_asked(api, scope, me)
    awake = [row for row in rows if not asleep(row)]
    others = [row for row in awake if row.id not in asked and row.threads]
    if len(others) > TALKS_READ:
        return None
    gate = asyncio.Semaphore(AT_ONCE)

    async def waits(row: ChangeRow) -> bool:
        async with gate:
            return (await read_talk(api, row, me)).mine is not None

    return sum(row.id in asked for row in awake) + sum(await asyncio.gather(*map(waits, others)))
