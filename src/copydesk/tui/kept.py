"""Reading what is kept of a service on this machine: there at once, and also without a network.

What is shown of it is marked with its age and read anew behind it. What an action goes on with is
never read so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FromKept(Generic[T]):
    """What was read of what is kept.

    ``at`` is when the oldest of it came from the service; None where nothing had to be asked, so
    that it is as good as if it came from there.
    """

    result: T
    at: datetime | None


async def from_kept(read: Callable[[], Awaitable[T]]) -> FromKept[T] | None:
    """Return what ``read`` gives without asking the service; None where not all of it is kept."""
    from copydesk.client.answers import kept_reading
    from copydesk.tui.errors import failure_types

    with kept_reading() as found:
        try:
            result = await read()
        except failure_types():
            return None
    if found.oldest is not None:
        return FromKept(result, datetime.fromtimestamp(found.oldest, UTC))
    return None if found.lacked else FromKept(result, None)


def reads_kept() -> bool:
    """Whether this is done inside of `from_kept`, so that no answer is one of the service."""
    import sys

    # Where nothing has loaded the client, nothing is read.
    answers = sys.modules.get("copydesk.client.answers")
    return answers is not None and answers.current_reading() is not None


def leave_kept() -> None:
    """Read from the service from here on in this task, whatever began it."""
    from copydesk.client.answers import KEPT

    KEPT.set(None)
