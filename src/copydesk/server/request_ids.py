"""Every answer of a served desk names its request, and what the desk logs of it has the same name.

So a line in the log of who asked is found in the log of who answered.
"""

from __future__ import annotations

import logging
import secrets
import time
from contextvars import ContextVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = b"x-request-id"

OPERATION = "copydesk.operation"
"""Where the scope of a request has the name of its operation, once that is known."""

_LOG = logging.getLogger(__name__)
_NAME: ContextVar[str] = ContextVar("request_name", default="")


def said_with() -> dict[str, str]:
    """Return what a line of the log says besides, of the request that is being answered."""
    name = _NAME.get()
    return {"request_id": name} if name else {}


def named(app: ASGIApp) -> ASGIApp:
    """Return an app that names each request, and logs it where requests are asked for.

    As the client's log does, it tells neither path nor query nor body.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        # Its own, whatever the request says: a name tells one request from all others.
        name = secrets.token_hex(8)
        status: int | None = None

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (HEADER, name.encode())]}
            await send(message)

        started = time.monotonic()
        before = _NAME.set(name)
        try:
            await app(scope, receive, tell)
        finally:
            _NAME.reset(before)
            seconds = time.monotonic() - started
            operation = scope.get(OPERATION)
            if _LOG.isEnabledFor(logging.DEBUG):
                _LOG.debug(
                    "%s %s %.3fs",
                    operation or scope["method"],
                    status,
                    seconds,
                    extra={
                        "operation": operation,
                        "status": status,
                        "seconds": round(seconds, 4),
                        "request_id": name,
                    },
                )

    return answer
