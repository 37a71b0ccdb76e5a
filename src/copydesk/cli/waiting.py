"""Tells on a terminal what a command waits for, once nothing was printed for a while.

`Connection.connect` starts this for each service that is read over a network: no command has to.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from copydesk.cli.output import last_line
from copydesk.cli.terminal import is_linear, is_terminal
from copydesk.domain.text import plural

if TYPE_CHECKING:
    from copydesk.client.api import Api

EVERY = 0.2
"""Seconds between two looks at the calls."""

_telling: set[asyncio.Task[None]] = set()


def tell_waiting(api: Api, host: str) -> None:
    """Say how many calls to a service are answered, for as long as this event loop runs.

    Says nothing where standard error is no terminal, nor in linear mode, which redraws no line.
    """
    if is_terminal(sys.stderr) and not is_linear():
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
            own = last_line.say_waiting(said if over < begun else "", own)
    finally:
        last_line.say_waiting("", own)
