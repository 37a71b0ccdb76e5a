"""Requests to a desk in this process: as ASGI, without an HTTP client and without a network.

There are no redirects, cookies, encodings or broken connections here, whose handling in an HTTP
client costs several times the answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from copydesk.client.calls import Outgoing
from copydesk.client.carrier import Reply, Timeouts

Message = MutableMapping[str, Any]

TURN_SECONDS = 0.004
"""After so long others have their turn: many answers in a row may come without any wait."""

App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]
"""An app as ASGI calls it."""


class AppTransport(NamedTuple):
    """The way to an app in this process; what the app fails on is a 500, or raised.

    ``close`` closes what the app stands on, once no request is sent any more. It may block.
    """

    app: App
    raise_app_exceptions: bool = False
    close: Callable[[], None] | None = None


class InProcess:
    """An app in this process, called as ``httpx.ASGITransport`` calls it.

    ``base_url`` is the service, ``headers`` are sent with every request.
    """

    def __init__(self, transport: AppTransport, base_url: str, headers: Mapping[str, str]) -> None:
        url = urlsplit(base_url)
        self._transport = transport
        self._prefix = url.path.rstrip("/")
        self._host = url.netloc
        self._turn_ends = 0.0
        self.use_headers(headers)
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": url.scheme,
            "server": (url.hostname, url.port),
            "client": ("127.0.0.1", 123),
            "root_path": "",
        }

    def use_headers(self, headers: Mapping[str, str]) -> None:
        """Send these headers with every request from now on."""
        self.headers = headers
        sent = {"Host": self._host, **headers}
        self._headers = [
            (name.lower().encode("ascii"), value.encode("ascii")) for name, value in sent.items()
        ]

    @property
    def secrets(self) -> tuple[str, ...]:
        """Nothing: there is no proxy."""
        return ()

    def was_slow(self, error: BaseException | None) -> bool:
        """Whether a request failed because its answer took too long: an app has all the time."""
        return False

    async def aclose(self) -> None:
        """Close what the app stands on; there are no connections."""
        if self._transport.close is not None:
            await asyncio.to_thread(self._transport.close)

    async def ask(self, request: Outgoing, timeouts: Timeouts) -> Reply:
        """Return the app's answer.

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
        return Reply(exchange.status, exchange.headers, b"".join(exchange.parts))


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
