"""The log of requests (``--debug``), one line for each.

Neither paths nor queries nor bodies: they hold typed text. Only headers known to be harmless are
written with their values; of the others only the names.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from copydesk.client.request import Outgoing
from copydesk.domain.cause import CAUSE
from copydesk.domain.text import clean, shorten

LOG = logging.getLogger("copydesk.requests")

SHOWN = frozenset(
    {
        "accept",
        "accept-encoding",
        "age",
        "cache-control",
        "cf-ray",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "host",
        "retry-after",
        "server",
        "transfer-encoding",
        "user-agent",
        "via",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "x-request-id",
    }
)
"""Headers whose values are written."""

HIDDEN = "…"

VALUE_LIMIT = 200
"""The longest logged value of a header, in characters."""

HEADER_LIMIT = 60
"""The number of logged headers of a message."""


def logs() -> bool:
    """Whether requests are logged."""
    return LOG.isEnabledFor(logging.DEBUG)


def log_request(
    request: Outgoing,
    *,
    status: int | None,
    seconds: float,
    attempt: int,
    request_id: str,
    sent: Iterable[tuple[str, str]],
    received: Mapping[str, str],
) -> None:
    """Log a finished request: ``status`` None without an answer.

    The name, the status, the seconds and the user's actions that caused it are the arguments of the
    line, in this order; everything else is in fields of the record.
    """
    # The name of a request that no operation declares is its path.
    declared = " " not in request.name
    causes = " ".join(CAUSE.get())
    LOG.debug(
        "%s %s %.3fs for %s" if causes else "%s %s %.3fs%s",
        request.name if declared else f"{request.method} (raw)",
        status,
        seconds,
        causes,
        extra={
            "method": request.method,
            "operation": request.name if declared else None,
            "status": status,
            "seconds": round(seconds, 4),
            "attempt": attempt,
            "request_id": request_id,
            "sent_headers": _shown(sent),
            "received_headers": _shown(received.items()),
        },
    )


def _shown(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    shown: dict[str, str] = {}
    for name, value in headers:
        if len(shown) >= HEADER_LIMIT:
            break
        known = name.lower() in SHOWN
        shown[shorten(clean(name.lower()), VALUE_LIMIT)] = (
            shorten(clean(value), VALUE_LIMIT) if known else HIDDEN
        )
    return shown
