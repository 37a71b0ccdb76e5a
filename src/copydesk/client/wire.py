"""The connection to one service: sends a request and reads its answer, or raises.

All knowledge of HTTP is here. ``calls`` makes the requests and interprets the answers.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from copydesk import __version__
from copydesk.client.calls import (
    Answer,
    Budget,
    Outgoing,
    Recorder,
    RequestTally,
    Secret,
    SentRequest,
    dated,
    refusal,
    request_id,
)
from copydesk.client.carrier import Carrier, Reply, Timeouts
from copydesk.client.errors import (
    ApiError,
    Intercepted,
    RateLimited,
    ServerFault,
    Unreachable,
    Untrusted,
    error_class,
)
from copydesk.client.in_process import AppTransport, InProcess
from copydesk.domain.address import service_url
from copydesk.domain.request_context import ASKER, CAUSE, Asker, Why
from copydesk.domain.text import clean, shorten

if TYPE_CHECKING:
    import httpx

CONCURRENCY = 8
"""Requests in parallel: more than a person needs, less than a service minds."""

RESERVED = 2
"""Connections reserved for reads that a person waits for or looks at."""

ATTEMPTS = 4
"""The number of tries of an idempotent request, the first one included."""

RETRY_SECONDS = 45.0
"""The time after which no further try begins."""

PATIENCE = 20.0
"""The longest silent wait for a rate limit, in seconds; a longer one is reported at once."""


class Wire:
    """Sends requests to one service with one token.

    ``base_url`` is the service without ``/v1``. ``transport`` carries the requests (None: the
    network). ``clock`` gives seconds since the epoch. Construction loads certificates, also those
    of ``ca_file``, which takes about 100 ms without ``transport``: do it in a thread where keys are
    read. Raises ``ValueError`` for an unusable base URL, certificate or proxy.
    """

    def __init__(
        self,
        base_url: str,
        token: Secret | None,
        transport: AppTransport | httpx.AsyncBaseTransport | None,
        clock: Callable[[], float],
        ca_file: Path | None = None,
    ) -> None:
        self.base_url = service_url(base_url)
        self.budget = Budget()
        self.answers = 0
        """The number of answers, with refusals, without failures."""
        self.begun = self.ended = 0
        """How many calls were begun, and how many of them are over, whatever they came to."""
        self._refusals = 0
        """How many answers said that there were too many requests."""
        self.recorder: Recorder | None = None
        self.tally = RequestTally()
        """What was sent in the last minutes, counted."""
        self._secrets = [] if token is None else [token]
        self._clocks = Clocks()
        self._clock = clock
        self._queue = Queue(CONCURRENCY)
        self._closed = False
        self._carrier: Carrier
        if isinstance(transport, AppTransport):
            self._carrier = InProcess(transport, self.base_url, _headers(token))
        else:
            from copydesk.client.over_http import carrier_over

            self._carrier = carrier_over(
                transport, self.base_url, _headers(token), ca_file, self._hide, clock
            )
        self._ca_file = ca_file

    async def aclose(self) -> None:
        """Close the connections, after the requests under way."""
        self._closed = True
        await self._carrier.aclose()

    def use_token(self, token: Secret) -> None:
        """Send another token with every request from now on."""
        # The old token stays hidden: a request under way may still be refused with it.
        self._secrets.append(token)
        self._carrier.use_headers(_headers(token))

    @property
    def skew(self) -> timedelta:
        """How far the service's clock is ahead of this one."""
        return self._clocks.skew

    @property
    def in_process(self) -> bool:
        """Whether the service is in this process and may answer at once."""
        return isinstance(self._carrier, InProcess)

    def stranger(self, url: str, seconds: float) -> httpx.AsyncClient:
        """Return an HTTP client for an address elsewhere: see ``Api.stranger``."""
        from copydesk.client.over_http import stranger

        service = "" if self.in_process else urlsplit(self.base_url).hostname or ""
        return stranger(url, seconds, self._ca_file, service=service)

    async def send(self, request: Outgoing, timeouts: Timeouts) -> Answer:
        """Send a request and return its successful answer.

        An idempotent request is sent again, with growing and random pauses, when the connection
        broke, when a gateway failed (502, 503, 504), and when a rate limit ends within
        ``PATIENCE``. POST, PATCH and a PUT that creates are sent once. Raises ``ApiError`` as
        ``errors`` describes.
        """
        self.begun += 1
        try:
            return await self._sent(request, timeouts)
        finally:
            self.ended += 1

    async def _sent(self, request: Outgoing, timeouts: Timeouts) -> Answer:
        failed: list[ApiError] = []
        try:
            return await self._attempt(request, timeouts, 1)
        except ApiError as error:
            if not request.idempotent or self._again(error) is False:
                raise
            failed.append(error)
            reached = error.sent
        # Retries are set up only now: most requests are answered at once.
        await asyncio.to_thread(_load_retries)
        from stamina import retry_context

        async for attempt in retry_context(
            on=self._again,
            attempts=ATTEMPTS,
            timeout=RETRY_SECONDS,
            wait_initial=0.25,
            wait_jitter=0.5,
            wait_max=5.0,
        ):
            with attempt:
                if failed:
                    raise failed.pop()
                try:
                    return await self._attempt(request, timeouts, attempt.num)
                except ApiError as error:
                    # An earlier try may have arrived even if the last one did not.
                    error.sent = reached = reached or error.sent
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _again(self, error: Exception) -> bool | float:
        if self._closed:
            return False
        match error:
            case RateLimited() | ServerFault(status=502 | 503 | 504):
                if error.retry_at is None:
                    return isinstance(error, ServerFault)
                wait = max(0.0, error.retry_at.timestamp() - self._clock())
                # A moment later than told, by a part that differs, so that waiters do not return as
                # one.
                return wait + 0.05 + secrets.randbelow(500) / 1000 if wait <= PATIENCE else False
            case Untrusted() | Intercepted():
                return False
            case Unreachable():
                # A timed-out read has cost half a minute: a retry is the person's choice.
                return not self._carrier.was_slow(error.__cause__)
        return False

    async def _attempt(self, request: Outgoing, timeouts: Timeouts, number: int) -> Answer:
        asker, refusals = ASKER.get(), self._refusals
        await self._queue.enter(asker.why)
        try:
            self._spare(request, asker.why, refusals)
            started, asked = time.monotonic(), self._clock()
            reply: Reply | None = None
            try:
                reply = await self._carrier.ask(request, timeouts)
            finally:
                seconds = time.monotonic() - started
                status = None if reply is None else reply.status
                named = "" if reply is None else request_id(reply.headers, self._hide)
                if logs():
                    log_request(
                        request,
                        asker,
                        status=status,
                        seconds=seconds,
                        attempt=number,
                        request_id=named,
                        sent=self._carrier.headers.items(),
                        received={} if reply is None else reply.headers,
                    )
                sent = SentRequest(
                    request.name, request.method, request.target, status, named, seconds,
                    self._clock(), asker,
                )  # fmt: skip
                self.tally.add(sent)
                if self.recorder is not None:
                    self.recorder(sent)
        finally:
            self._queue.leave()
        self._told(reply)
        self._clocks.told(reply.headers, asked, self._clock())
        if 200 <= reply.status < 300:
            return Answer(reply.status, reply.content, named, reply.headers.get("location", ""))
        raise refusal(
            request, reply.status, reply.headers, reply.content, self._clock(), self._hide
        )

    def _spare(self, request: Outgoing, why: Why, refusals: int) -> None:
        """Raise ``RateLimited`` instead of sending a read that is sure to be refused.

        That is any read where another request was refused while it waited in the queue; and one
        that nobody asked for by a key while nothing is left of the budget. ``refusals`` is the
        number of refusals when it began to wait.
        """
        if self.budget.remaining and self._refusals == refusals:
            return
        left = self.budget.by(datetime.fromtimestamp(self._clock(), UTC))
        waits = left.told and not left.remaining and left.reset is not None and why >= Why.VISIBLE
        if request.reads and (waits or self._refusals > refusals):
            raise RateLimited(
                "The service takes no more calls now.", operation=request.name, retry_at=left.reset
            )

    def _told(self, reply: Reply) -> None:
        # A failure says nothing about the object, nor does what is no answer of the service.
        failed = reply.status >= 300 and issubclass(
            error_class(reply.status), ServerFault | Unreachable
        )
        self.answers += not failed
        self._refusals += reply.status == 429
        self.budget = self.budget.after(reply.status, reply.headers, self._clock())

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = secret.hide(text)
        for given in self._carrier.secrets:
            text = text.replace(given, "…")
        return text


def _load_retries() -> None:
    """Load what tries again, which most programs never need, and have it say nothing.

    Retrying is told to people by the screens; the library's own log lines would land on the
    terminal.
    """
    from stamina.instrumentation import set_on_retry_hooks

    set_on_retry_hooks([])


def _headers(token: Secret | None) -> dict[str, str]:
    headers = {"Accept": "application/json", "User-Agent": f"copydesk/{__version__}"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token.reveal()}"
    return headers


ANSWERS = 9
"""The number of last answers compared, so that a slow one among them does not count."""


class Clocks:
    """The difference of the clocks, by the ``Date`` of answers."""

    def __init__(self) -> None:
        self._ahead: deque[float] = deque(maxlen=ANSWERS)
        self._skew = timedelta()  # read for every age on screen, so not computed there

    @property
    def skew(self) -> timedelta:
        """How far the service is ahead; negative where it is behind, zero while nothing is known.

        ``Date`` counts whole seconds: half a second more or less.
        """
        return self._skew

    def told(self, headers: Mapping[str, str], asked: float, answered: float) -> None:
        """Note an answer; ``asked`` and ``answered`` are this clock's seconds since the epoch.

        An answer of a cache on the way is too old, and is passed over.
        """
        date = headers.get("date")
        if not date or "age" in headers:
            return
        try:
            moment = dated(date)
        except (ValueError, OverflowError):
            return
        from statistics import median

        self._ahead.append(moment.timestamp() + 0.5 - (asked + answered) / 2)
        self._skew = timedelta(seconds=median(self._ahead))


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
    asker: Asker,
    *,
    status: int | None,
    seconds: float,
    attempt: int,
    request_id: str,
    sent: Iterable[tuple[str, str]],
    received: Mapping[str, str],
) -> None:
    """Log a finished request (``--debug``): ``status`` None without an answer.

    Neither paths nor queries nor bodies are logged: they hold typed text. Only headers known to be
    harmless have their values; of the others only the names.

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
            "screen": asker.screen,
            "why": asker.why.name.lower(),
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


class Queue:
    """Lets ``places`` requests go at a time.

    Among those that wait the most urgent goes first, and of equals the one that came first.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[Why, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def enter(self, why: Why) -> None:
        """Wait for a place, which `leave` gives back. Cancelled, it has none."""
        if not self._waiting and self._may(why):
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (why, next(self._numbers), turn))
        self._admit()
        if turn.done():
            return
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # its turn had come in the same moment
            raise

    def leave(self) -> None:
        """Give a place back."""
        self._free += 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting:
            why, _, turn = self._waiting[0]
            if turn.done():  # cancelled
                heappop(self._waiting)
            elif self._may(why):
                heappop(self._waiting)
                self._free -= 1
                turn.set_result(None)
            else:
                return

    def _may(self, why: Why) -> bool:
        return self._free > (RESERVED if why >= Why.AHEAD else 0)
