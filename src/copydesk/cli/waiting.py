"""What a command waits for, said on a terminal once nothing was printed for a while.

Where a service is read over a network `Connection.connect` begins it, so that no command has to.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from copydesk.cli.output import put_waiting
from copydesk.cli.terminal import is_linear
from copydesk.domain.text import plural

if TYPE_CHECKING:
    from copydesk.client.api import Api

EVERY = 0.2
"""Seconds after which it is looked again."""

_telling: set[asyncio.Task[None]] = set()


def tell_waiting(api: Api, host: str) -> None:
    """Say from now on, for as long as this loop runs, how many calls to a service are waited for.

    Nothing is said where nobody looks at a terminal, or at none whose last line is drawn again.
    """
    if sys.stderr is not None and sys.stderr.isatty() and not is_linear():
        task = asyncio.create_task(_tell(api, host))
        _telling.add(task)
        task.add_done_callback(_telling.discard)


async def _tell(api: Api, host: str) -> None:
    own = ""
    try:
        while True:
            await asyncio.sleep(EVERY)
            over, begun = api.calls
            said = f"Waiting for {host}: {over} of {plural(begun, 'call')} answered"
            own = put_waiting(said if over < begun else "", own)
    finally:
        put_waiting("", own)
