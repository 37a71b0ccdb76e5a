"""HTTP as ``copydesk serve`` speaks it: who takes for ever over a request keeps no place for it.

uvicorn itself waits without end for the head of a request, for its body, and for somebody who does
not read the answer. It only closes an answered connection from which nothing comes. What it refuses
by itself it refuses in plain text; here that has the error body, too.
"""

from __future__ import annotations

import asyncio
from typing import Any, Literal, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from copydesk.server.answer import JSON, refused
from copydesk.server.errors import Refusal, invalid

HEAD_BYTES = 65_536
"""How long the head of a request may be; nothing that a client of this API sends comes near it."""

HEAD_SECONDS = 10.0
"""How long the head of a request may take, from its first byte; the first one from the start."""

BODY_SECONDS = 300.0
"""How long a body may take: the longest that a desk reads, over a slow line."""

REST_SECONDS = 5.0
"""How long the rest of a body may take that nobody waits for: its request is answered."""

UNREAD_SECONDS = 60.0
"""How long somebody may read nothing of an answer that waits for them."""

GRACE_SECONDS = 10
"""Seconds that requests under way may take once the server is told to end."""

MOST_ANSWERED = 256
"""So many connections are answered at once; of those beyond requests get a 503."""

MOST_OPEN = 512
"""So many connections are open at once; further ones are closed."""

_FULL = refused(
    Refusal(503, "Too many are connected to this desk now; try again in a minute."),
    [(b"connection", b"close")],
)

_Part = Literal["head", "body", "rest", "reading"]


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's own protocol, with limits for what the client has still to send or to read."""

    _part: _Part | None = None
    _limit: asyncio.TimerHandle | None = None
    _arriving: Literal["head", "body"] | None = "head"
    """The part of a request that is not all there; None between two requests."""
    _head_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection, unless too many are open."""
        super().connection_made(cast("asyncio.Transport", transport))
        if len(self.connections) > MOST_OPEN:
            self.transport.abort()
        else:
            self._expect("head")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limit with the connection."""
        self._expect(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take the bytes that arrived, and set the limit for the part that is awaited now."""
        self._head_bytes += len(data)
        super().data_received(data)
        too_long = self._arriving == "head" and self._head_bytes > HEAD_BYTES
        if too_long and not self.transport.is_closing():
            self.send_400_response("The head of this call is too long.")
        self._expect(self._awaited())

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; only close where an answer has begun or another is due."""
        ended = self.cycle is None or (self.cycle.response_complete and self._arriving != "body")
        if not self.pipeline and (ended or not self.cycle.response_started):
            body = invalid(msg).body()
            lines = b"".join(b"%s: %s\r\n" % each for each in self.server_state.default_headers)
            lines += b"content-type: %s\r\ncontent-length: %d\r\n" % (JSON, len(body))
            self.transport.write(STATUS_LINE[400] + lines + b"connection: close\r\n\r\n" + body)
            self.transport.close()
        else:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        super().on_message_begin()
        self._arriving, self._head_bytes = "head", 0

    def on_headers_complete(self) -> None:
        """Let the request be answered, unless too many are; its body may still come."""
        full = max(len(self.connections), len(self.tasks)) >= MOST_ANSWERED
        self.app = _FULL if full else self.config.loaded_app
        super().on_headers_complete()
        self._arriving = "body"

    def on_message_complete(self) -> None:
        """Note that the request is there."""
        super().on_message_complete()
        self._arriving = None

    def on_response_complete(self) -> None:
        """End an answer; the rest of its request has little time left."""
        super().on_response_complete()
        self._expect(self._awaited())

    def pause_writing(self) -> None:
        """Stop writing until the client has read the answer so far, which has a limit too."""
        super().pause_writing()
        self._expect(self._awaited())

    def resume_writing(self) -> None:
        """Go on writing; the next part has its own time."""
        super().resume_writing()
        self._expect(self._awaited())

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection from which nothing comes, also one that does not read its answer."""
        super().timeout_keep_alive_handler()
        self._expect(self._awaited())

    def _awaited(self) -> _Part | None:
        """Return what the client is awaited for: a part of its request, or to read the answer."""
        if self not in self.connections:
            return None
        if self.flow.write_paused or self.transport.is_closing():
            return "reading"
        if self.pipeline:
            return None  # nothing more is read before these are answered
        if self._arriving == "body":
            return "rest" if self.cycle.response_complete else "body"
        return self._arriving

    def _expect(self, part: _Part | None) -> None:
        if part == self._part:
            return
        if self._limit is not None:
            self._limit.cancel()
        self._part, self._limit = part, None
        if part is not None:
            seconds = {
                "head": HEAD_SECONDS,
                "body": BODY_SECONDS,
                "rest": REST_SECONDS,
                "reading": UNREAD_SECONDS,
            }[part]
            self._limit = self.loop.call_later(seconds, self.transport.abort)


def bounded_server(app: Any, **more: Any) -> uvicorn.Server:
    """Return a server of an ASGI app that is bounded as said above; ``more`` are uvicorn's."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=BoundedProtocol,
            timeout_graceful_shutdown=GRACE_SECONDS,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            **more,
        )
    )
