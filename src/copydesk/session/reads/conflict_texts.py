"""Reading what both sides say on a page that conflicts, where the service does not tell the lines.

The text that both began with cannot be read: what is shown is where the two differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ConflictLines
from copydesk.domain.diff import compare

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage
    from copydesk.domain.blocks import BlockText

USES = ("get_space_page", "get_change_request_page")
"""The operations that `read_both` uses."""


async def read_both(api: Api, space: str, request: str, page: str) -> list[ConflictLines]:
    """Read where a page of primary content and of a request differ. Raises ``ApiError``."""
    main, mine = await asyncio.gather(
        _there(api(ops.get_space_page, space, page, format="markdown")),
        _there(api(ops.get_change_request_page, space, request, page, format="markdown")),
    )
    return await asyncio.to_thread(differences, _text_of(main), _text_of(mine))


async def _there(reading: Awaitable[ContentPage]) -> ContentPage | None:
    try:
        return await reading
    except NotFound:  # that side removed it
        return None


def _text_of(page: ContentPage | None) -> str:
    return "" if page is None else page.markdown or ""


def differences(main: str, mine: str) -> list[ConflictLines]:
    """Return where two texts differ, as the lines of each side; ``base`` is not known."""
    diff = compare(main, mine)
    found: list[ConflictLines] = []
    open_now: ConflictLines | None = None
    for kind, old, new, size, _ in diff.segments:
        if kind not in ("edited", "added", "removed"):
            open_now = None
            continue
        theirs = [] if kind == "added" else _rows(diff.before, old, size)
        ours = [] if kind == "removed" else _rows(diff.after, new, size)
        if not (theirs or ours):
            continue
        if open_now is None:
            row = diff.row_of(new, after=True) if ours else None
            start = diff[row].after_number if row is not None else None
            open_now = ConflictLines(start=start or 1)
            found.append(open_now)
        open_now.primary.extend(theirs)
        open_now.change.extend(ours)
    return found


def _rows(text: BlockText, start: int, size: int) -> list[str]:
    """Return some rows of a text, but for the blank ones."""
    return [text.said(at) for at in range(start, start + size) if text.row(at).kind != "blank"]
