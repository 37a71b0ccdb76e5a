"""Answers of the desk, as ASGI sends them.

A ``Response`` of Starlette's takes twice as long to make, and brings all of Starlette with it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from starlette.types import Receive, Scope, Send

from copydesk.server.errors import Refusal
from copydesk.server.request_ids import said_with

JSON = b"application/json"
"""The type of what operations answer."""

FAILED = (
    "The desk failed on this call; its log says why, and `copydesk desk check` whether its "
    "file is damaged."
)

_LOG = logging.getLogger(__name__)

Headers = list[tuple[bytes, bytes]]


class Answer:
    """An answer that is complete; it may be sent again."""

    __slots__ = ("_headers", "_status", "body")

    def __init__(self, status: int, headers: Headers, body: bytes = b"") -> None:
        self._status = status
        self._headers = headers
        self.body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        start: dict[str, Any] = {"status": self._status, "headers": list(self._headers)}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": self.body})


def refused(refusal: Refusal, headers: Headers | None = None) -> Answer:
    """Return a refusal as an answer, with further headers."""
    body = refusal.body()
    sent = [(b"content-length", b"%d" % len(body)), (b"content-type", JSON), *(headers or ())]
    if refusal.status == 401:
        sent.append((b"www-authenticate", b"Bearer"))
    return Answer(refusal.status, sent, body)


def no_method(method: str, allowed: Iterable[str]) -> Answer:
    """Return the answer to a method that a path lacks; it names the methods it has."""
    allow = (b"allow", ", ".join(allowed).encode())
    return refused(Refusal(405, f"This path does not take {method}."), [allow])


def failed(what: str, error: Exception) -> Answer:
    """Log a failure, and return the answer to a request that failed."""
    _LOG.error("%s failed", what, exc_info=error, extra=said_with())
    return refused(Refusal(500, FAILED), [(b"connection", b"close")])
