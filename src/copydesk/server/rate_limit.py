"""The request limit of each token: every answer tells it, and requests beyond it are refused."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copydesk.server.answer import Headers, refused
from copydesk.server.errors import Refusal

PERIOD_SECONDS = 3600
"""The period that a limit is for; all begin on the hour."""

NO_LIMIT = 1_000_000
"""The limit and the rest in an answer where no limit is set."""

MOST_TOKENS = 10_000
"""Tokens that are counted at the same time, so that invented ones do not fill the memory."""


class RateLimit:
    """The requests that each token may send in ``period`` seconds; None: any number.

    Who sends no token is counted by the address. ``clock`` gives seconds since the epoch.
    """

    def __init__(
        self,
        limit: int | None = None,
        period: int = PERIOD_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.limit = limit
        self._period = period
        self._clock = clock
        self._reset = 0
        """The end of the period that is counted, in seconds since the epoch."""
        self._sent: dict[int, int] = {}
        self._same: Headers = []
        """The headers where there is no limit, made once a period."""

    def take(self, caller: int) -> tuple[Headers, int]:
        """Count a request; return the headers of its answer and, if it is refused, for how long.

        That is in whole seconds, 0 for a request that is answered.
        """
        now = self._clock()
        if now >= self._reset:
            self._reset = int(now // self._period + 1) * self._period
            self._sent.clear()
            self._same = self._headers(NO_LIMIT, NO_LIMIT)
        if self.limit is None:
            return self._same, 0
        sent = self._sent.get(caller, 0) + 1
        if sent > self.limit:
            return self._headers(self.limit, 0), max(1, -int(-(self._reset - now) // 1))
        if caller not in self._sent and len(self._sent) >= MOST_TOKENS:
            del self._sent[next(iter(self._sent))]
        self._sent[caller] = sent
        return self._headers(self.limit, self.limit - sent), 0

    def refusal(self, seconds: int) -> Refusal:
        """Return the 429 for a caller who has to wait so many seconds."""
        return Refusal(
            429, f"The limit of {self.limit:,} calls is reached. Try again in {seconds} s."
        )

    def _headers(self, limit: int, left: int) -> Headers:
        return [
            (b"x-ratelimit-limit", b"%d" % limit),
            (b"x-ratelimit-remaining", b"%d" % left),
            (b"x-ratelimit-reset", b"%d" % self._reset),
        ]


def limited(app: ASGIApp, limit: RateLimit) -> ASGIApp:
    """Return an app that answers within the limit, and tells the rest in its headers."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers, seconds = limit.take(_caller(scope) if limit.limit is not None else 0)
        if seconds:
            later = (b"retry-after", b"%d" % seconds)
            answered = refused(limit.refusal(seconds), [later, *headers])
            await answered(scope, receive, send)
            return

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        await app(scope, receive, tell)

    return answer


def _caller(scope: Scope) -> int:
    """Return a number for who sends a request: the token itself is not kept.

    The word before a token counts for nothing: it may be written in small and capital letters.
    """
    for name, value in scope["headers"]:
        if name == b"authorization":
            return hash(value.partition(b" ")[2])
    client = scope.get("client")
    return hash(client[0]) if client else 0
