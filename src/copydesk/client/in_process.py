"""Requests to a desk in this process: as ASGI, without an HTTP client and without a network.

There are no redirects, cookies, encodings or broken connections here, whose handling in an HTTP
client costs several times the answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import httpx

from copydesk.client.request import Outgoing

Message = MutableMapping[str, Any]

TURN_SECONDS = 0.004
"""After so long others have their turn: many answers in a row may come without any wait."""


App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]
"""An app as ASGI calls it."""


def transport_to(app: App) -> httpx.ASGITransport:
    """Return the transport to an app; what it fails on is a 500."""
    return httpx.ASGITransport(app=app, raise_app_exceptions=False)


class InProcess:
    """The app behind an ``httpx.ASGITransport``, called as that one does.

    ``base_url`` is the service, ``headers`` are sent with every request.
    """

    def __init__(
        self, transport: httpx.ASGITransport, base_url: str, headers: Mapping[str, str]
    ) -> None:
        url = httpx.URL(base_url)
        self._transport = transport
        self._prefix = url.raw_path.decode("ascii").rstrip("/")
        self._host = url.netloc.decode("ascii")
        self._turn_ends = 0.0
        self.use_headers(headers)
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": url.scheme,
            "server": (url.host, url.port),
            "client": transport.client,
            "root_path": transport.root_path,
        }

    def use_headers(self, headers: Mapping[str, str]) -> None:
        """Send these headers with every request from now on."""
        sent = {"Host": self._host, **headers}
        self._headers = [
            (name.lower().encode("ascii"), value.encode("ascii")) for name, value in sent.items()
        ]

    async def ask(self, request: Outgoing) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers by their names in small letters, and the body.

        Raises what the app raises, unless the transport says that this is a 500.
        """
        if time.monotonic() > self._turn_ends:
            await asyncio.sleep(0)
            self._turn_ends = time.monotonic() + TURN_SECONDS
        path, _, query = request.target.partition("?")
        path = self._prefix + path
        headers = self._headers
        if request.body is not None:
            headers = [
                *headers,
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(request.body)),
            ]
        scope = {
            **self._scope,
            "method": request.method,
            "path": unquote(path),
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": list(headers),
        }
        exchange = _Exchange(request.body or b"")
        try:
            await self._transport.app(scope, exchange.receive, exchange.send)
        except Exception:
            if self._transport.raise_app_exceptions:
                raise
            exchange.broke()
        return exchange.status, exchange.headers, b"".join(exchange.parts)


@lru_cache(maxsize=256)  # most answers have the same ones
def _header(name: bytes, value: bytes) -> tuple[str, str]:
    return name.decode("latin-1").lower(), value.decode("latin-1")


class _Exchange:
    """One request and its answer."""

    __slots__ = ("_ended", "_unread", "headers", "parts", "status")

    def __init__(self, body: bytes) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.parts: list[bytes] = []
        self._unread: bytes | None = body
        self._ended: asyncio.Event | None = None

    async def receive(self) -> Message:
        """Return the body, and a disconnect after the answer."""
        if self._unread is not None:
            body, self._unread = self._unread, None
            return {"type": "http.request", "body": body, "more_body": False}
        if self._ended is None:
            self._ended = asyncio.Event()
        await self._ended.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for pair in message.get("headers", ()):
                key, text = _header(*pair)
                self.headers[key] = f"{self.headers[key]}, {text}" if key in self.headers else text
        elif message["type"] == "http.response.body":
            self.parts.append(message.get("body", b""))
            if not message.get("more_body", False) and self._ended is not None:
                self._ended.set()

    def broke(self) -> None:
        """End the answer of a failed app."""
        self.status = self.status or 500
