"""HTTP as ``copydesk serve`` speaks it: who takes for ever over a request keeps no place for it.

uvicorn itself waits without end for the head of a request, for its body, and for somebody who does
not read the answer. It only closes an answered connection from which nothing comes.
"""

from __future__ import annotations

import asyncio
from typing import Literal, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""How long the head of a request may take, from its first byte; the first one from the start."""

BODY_SECONDS = 300.0
"""How long a body may take: the longest that a desk reads, over a slow line."""

REST_SECONDS = 5.0
"""How long the rest of a body may take that nobody waits for: its request is answered."""

UNREAD_SECONDS = 60.0
"""How long somebody may read nothing of an answer that waits for them."""

GRACE_SECONDS = 10
"""How long what is under way may take when it is told to end."""

MOST_ANSWERED = 256
"""So many connections are answered at once; of those beyond requests get a 503."""

MOST_OPEN = 512
"""So many connections are open at once; further ones are closed."""

_Part = Literal["head", "body", "rest", "reading"]


class BoundedProtocol(H11Protocol):
    """uvicorn's own protocol, with time limits for what the client has still to send or to read."""

    _part: _Part | None = None
    _limit: asyncio.TimerHandle | None = None

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
        super().data_received(data)
        self._expect(self._awaited())

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; where the answer was given already, only close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.abort()

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
        if self.conn.their_state is h11.SEND_BODY:
            return "rest" if self.cycle.response_complete else "body"
        if self.conn.their_state is h11.IDLE and (self.cycle is None or self.conn.trailing_data[0]):
            return "head"
        return None

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
