"""Who may come in: whoever has a link that works once, and then the cookie that it was given for.

Both live as long as the server. Only their digests are kept.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias

from starlette.datastructures import Headers

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

SECRET_BYTES = 32
"""Bytes of a link and of a cookie: 256 bits, which nobody guesses."""

LINK_SECONDS = 600.0
"""How long a link works."""

MOST_COOKIES = 32
"""So many browsers are known at once; the oldest is forgotten for another one."""


class Gate:
    """The links and the cookies of a server at ``host``, which is its name with its port."""

    def __init__(self, host: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.host = host
        self.address = f"http://{host}"
        self.cookie = f"copydesk_{host.rpartition(':')[2]}"
        """Its name: a browser does not tell ports apart."""
        self._clock = clock
        self._link = b""
        self._until = 0.0
        self._known: list[bytes] = []

    def link(self) -> str:
        """Return a new link; the one before it works no more."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        self._link, self._until = _digest(secret), self._clock() + LINK_SECONDS
        return f"{self.address}/enter/{secret}"

    def enter(self, secret: str) -> str | None:
        """Return a cookie for the secret of a link, which is used up by it; None for any other."""
        given = secrets.compare_digest(_digest(secret), self._link)
        if not given or self._clock() > self._until:
            return None
        self._link = b""
        cookie = secrets.token_urlsafe(SECRET_BYTES)
        self._known = [*self._known, _digest(cookie)][-MOST_COOKIES:]
        return cookie

    def knows(self, headers: Headers) -> bool:
        """Whether a request has a cookie that was given out."""
        given = SimpleCookie()
        try:
            given.load(headers.get("cookie", ""))
        except CookieError:
            return False
        if self.cookie not in given:
            return False
        digest = _digest(given[self.cookie].value)
        return any(secrets.compare_digest(digest, known) for known in self._known)

    def why_strange(self, scope: Scope) -> str:
        """Say why a call is not from a page of this server; "" where it may be.

        Its host is exactly the one that was printed: another name may be anybody's that leads to
        this machine. Where it has an origin, that is this server; a socket always has one.
        """
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self.host]:
            return f"This server is {self.address}, and answers by no other name."
        origins = headers.getlist("origin")
        if origins != [self.address] and (origins or scope["type"] == "websocket"):
            return "A page of another server sent this call: it is refused."
        return ""


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()
