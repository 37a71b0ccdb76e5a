"""What an earlier run left unsettled: found out by reading, never sent again unasked."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.reversal import Trace, value_at
from copydesk.tui.undoing import LONGEST_LIST, operation_of

if TYPE_CHECKING:
    from copydesk.client.api import Api

SKEW_SECONDS = 300.0
"""By how much the clock of a service may differ from this machine's."""


async def find_trace(api: Api, trace: Trace, text: str, began: float) -> Any:
    """Return the thing that a write made, or None when it is not there. Raises ``ApiError``.

    ``text`` is what was sent, ``began`` when, in epoch seconds.
    """
    count = 0
    async for item in api.pages(operation_of(trace.read), **trace.read.arguments):
        found = item.to_dict()
        if trace.is_ours(found, text) and _moment(value_at(found, trace.since)) > (
            began - SKEW_SECONDS
        ):
            return item
        count += 1
        if count == LONGEST_LIST:
            break
    return None


def _moment(value: Any) -> float:
    """Return a time of the service in epoch seconds; 0 for none."""
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError):
        return 0.0
