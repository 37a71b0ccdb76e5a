"""Whether all conversations are analysed, and waiting until they are."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from copydesk.cli.errors import say
from copydesk.cli.output import redraw
from copydesk.cli.terminal import is_terminal
from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.text import clean, plural
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.conversation import ConversationsAnalysis
    from copydesk.contract.models.organization import Organization

SECONDS = 0.5
"""How often it is looked whether all is analysed."""


async def await_analysis(api: Api, places: Iterable[Organization], *, wait: bool) -> None:
    """Say which issues of organizations are looked through yet, or ``wait`` until none is.

    Where that cannot be done, that is said; where a service does not tell, nothing is.
    Raises ``ApiError``.
    """
    for place in places:
        found = await _read(api, place, hurry=wait)
        shown = wait and is_terminal(sys.stderr)
        try:
            while wait and found is not None and found.state in {"waiting", "running"}:
                placed = found.clustered + found.unclustered
                if shown:
                    done, everything = placed + found.looked, placed + found.waiting
                    redraw(f"Analysing: {done:,} of {everything:,} issues")
                await asyncio.sleep(SECONDS)
                found = await _read(api, place, hurry=wait)
        finally:
            if shown:
                redraw()
        if found is not None and found.waiting:
            _tell(found)


async def _read(api: Api, place: Organization, *, hurry: bool) -> ConversationsAnalysis | None:
    try:
        return await api(ops.get_conversations_analysis, place.id, hurry=hurry or None)
    except (Forbidden, NotFound, OperationMissing):
        return None


def _tell(found: ConversationsAnalysis) -> None:
    are = "is" if found.waiting == 1 else "are"
    said = f"{plural(found.waiting, 'issue')} {are} in no cluster yet"
    if found.state == "unavailable":
        say(f"{said}. {clean(found.message or '')}".strip())
    else:
        say(f"{said}, being analysed: --wait waits for that.")
