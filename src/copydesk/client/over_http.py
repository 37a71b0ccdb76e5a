"""Requests over a network, or through any other transport of the HTTP client.

Loaded only where a service is somewhere else: the HTTP client is a tenth of the memory of a start.
"""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import httpx

from copydesk.client.calls import PROXY_LOGIN, Hide, Outgoing, request_id
from copydesk.client.carrier import Carrier, Reply, Timeouts
from copydesk.client.errors import ApiError, Garbled, Intercepted, Invalid, Unreachable, Untrusted
from copydesk.client.in_process import AppTransport, InProcess
from copydesk.client.network import (
    Proxy,
    is_this_machine,
    proxy_for,
    reason,
    trust,
    untrusted,
)

PACKED = {"Accept-Encoding": "gzip"}
"""How answers may be packed, whatever else is installed."""

UNPACKED_BY_CLIENT = frozenset({"gzip", "deflate", "br", "zstd"})
"""The packings that the HTTP client unpacks by itself; content in any other stays as it is."""

IDLE_SECONDS = 30.0
"""A connection that carried nothing for so long is closed."""

MOST_CANCELLED = 64
"""After so many requests that were cancelled new connections are used."""

ANSWER_LIMIT = 64 * 1024 * 1024
"""The largest answer, in bytes; nothing in the API comes near it."""


MOST_PARTS = 1_000_000
"""The most parts of an answer: each may take a kilobyte where it is read, or is told not to fit."""

FEW_PARTS, PART_BYTES = 50_000, 8
"""Of more parts than that each has so many bytes, on average, with its name and its value."""

SEARCHED_BYTES = 4 * 1024 * 1024
"""Up to so large an answer texts are told from the rest, which holds a key for a second at most."""

_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
"""The texts of JSON, of whose commas none is between two parts."""


def carrier_over(
    transport: httpx.AsyncBaseTransport | None,
    base_url: str,
    headers: Mapping[str, str],
    ca_file: Path | None,
    hide: Hide,
    clock: Callable[[], float],
) -> Carrier:
    """Return what carries requests through a transport of the HTTP client; None is the network.

    Raises ``ValueError`` for an unusable certificate or proxy.
    """
    # A subclass may fail like a network, which only the HTTP client handles.
    if isinstance(transport, httpx.ASGITransport) and type(transport) is httpx.ASGITransport:
        way = AppTransport(transport.app, transport.raise_app_exceptions)
        return InProcess(way, base_url, headers)
    return OverHttp(transport, base_url, headers, ca_file, hide, clock)


class OverHttp:
    """An HTTP client with the connections to one service.

    There are as many as there are requests at a time, which is bounded by who asks (``Wire``): a
    bound of the HTTP client counts those that it lost, too. ``hide`` removes credentials from a
    text, ``clock`` gives seconds since the epoch.
    """

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport | None,
        base_url: str,
        headers: Mapping[str, str],
        ca_file: Path | None,
        hide: Hide,
        clock: Callable[[], float],
    ) -> None:
        self._base_url = base_url
        self._host = httpx.URL(base_url).netloc.decode("ascii")
        self._hide = hide
        self._clock = clock
        self._ahead = clock() - time.monotonic()
        self._closed = False
        self._under_way = 0
        self._cancelled = 0
        self._stale: list[httpx.AsyncClient] = []
        self._proxy = None if transport is not None else proxy_for(base_url)
        trusted = None if transport is not None else trust(ca_file)

        def client(headers: Mapping[str, str]) -> httpx.AsyncClient:
            # Redirects are not followed: the token would go where nobody sent it.
            return httpx.AsyncClient(
                transport=transport,
                headers=headers,
                follow_redirects=False,
                limits=httpx.Limits(keepalive_expiry=IDLE_SECONDS),
                verify=True if trusted is None else trusted,
                proxy=None if self._proxy is None else self._proxy.over(trusted),
                trust_env=False,
            )

        self._client = client
        self._http = client({**headers, **PACKED})

    @property
    def headers(self) -> Mapping[str, str]:
        """What is sent with every request."""
        return self._http.headers

    @property
    def secrets(self) -> Sequence[str]:
        """The credentials of the proxy."""
        return self._proxy.secrets if self._proxy else ()

    def use_headers(self, headers: Mapping[str, str]) -> None:
        """Send these headers with every request from now on, as somebody else."""
        # Cookies of the other person are not sent along.
        self._http.cookies.clear()
        self._http.headers.update(headers)

    async def aclose(self) -> None:
        """Close the connections, after the requests under way.

        Otherwise the pool would forget a connection that is being opened, and nobody would close
        it.
        """
        self._closed = True
        await self._close_unused()

    async def _close_unused(self) -> None:
        if self._under_way:
            return
        while self._stale:
            await self._stale.pop().aclose()
        if self._closed:
            await self._http.aclose()

    def _leave_stale(self) -> None:
        """Use none of the connections that may be of no use.

        Those that were open before this machine slept may be gone, and then what is sent on them
        gets no answer, not even a refusal: the clock that the HTTP client counts idle seconds with
        stood still. And of some requests that are cancelled it keeps the connection for good, and
        never uses it again.
        """
        ahead = self._clock() - time.monotonic()
        slept, self._ahead = ahead - self._ahead > IDLE_SECONDS, ahead
        if slept or self._cancelled >= MOST_CANCELLED:
            self._cancelled = 0
            self._stale.append(self._http)
            self._http = self._client(self._http.headers)

    def was_slow(self, error: BaseException | None) -> bool:
        """Whether a request failed with this error because its answer took too long."""
        return isinstance(error, httpx.ReadTimeout | TimeoutError)

    async def ask(self, request: Outgoing, timeouts: Timeouts) -> Reply:
        """Send a request once. Raises ``ApiError`` where no answer comes."""
        self._refuse_if_closed(request)
        self._leave_stale()
        self._under_way += 1
        http = self._http
        try:
            built = http.build_request(
                request.method,
                self._base_url + request.target,
                content=request.body,
                headers=None if request.body is None else {"Content-Type": "application/json"},
                timeout=httpx.Timeout(timeouts.read, connect=timeouts.connect),
            )
            # Bytes that come one by one, for ever, are always in time.
            async with asyncio.timeout(timeouts.whole):
                response = await http.send(built, stream=True)
                try:
                    content = await self._read(request, response)
                    return Reply(response.status_code, response.headers, content)
                finally:
                    await response.aclose()
        except asyncio.CancelledError:
            self._cancelled += 1
            raise
        except httpx.InvalidURL as error:
            # An id or page token of the service may be longer than an address may be.
            raise Invalid(
                "The address of this call is missing or too long.", operation=request.name
            ) from error
        except (httpx.RequestError, TimeoutError) as error:
            raise no_answer(
                error, request, self._host, self._proxy, timeouts, self._hide
            ) from error
        finally:
            self._under_way -= 1
            await self._close_unused()

    def _refuse_if_closed(self, request: Outgoing) -> None:
        # Between two attempts, as the program ends or goes on with another profile.
        if self._closed:
            raise Unreachable(f"The connection to {self._host} was closed.", operation=request.name)

    async def _read(self, request: Outgoing, response: httpx.Response) -> bytes:
        content = await unpacked(response, ANSWER_LIMIT)
        why = "" if content is None else _too_many_parts(request, content)
        if content is None or why:
            raise Garbled(
                why or f"the answer is larger than {ANSWER_LIMIT // 2**20} MiB",
                status=response.status_code,
                operation=request.name,
                request_id=request_id(response.headers, self._hide),
            )
        return content


def _too_many_parts(request: Outgoing, content: bytes) -> str:
    """Say why JSON takes very much memory where it is read; "" where it does not.

    A file, which no operation answers with, may hold anything.
    """
    size, parts = len(content), content.count(b",")
    if " " in request.name or _fits(parts, size):
        return ""
    if size <= SEARCHED_BYTES:
        parts = _TEXTS.sub(b"", content).count(b",")
    return "" if _fits(parts, size) else f"the answer has {parts:,} parts"


def _fits(parts: int, size: int) -> bool:
    return parts <= FEW_PARTS or (parts <= MOST_PARTS and parts * PART_BYTES <= size)


async def unpacked(response: httpx.Response, most: int) -> bytes | None:
    """Return the content of an answer; None where it is larger than ``most`` bytes.

    No more than that is ever unpacked: the HTTP client would make gigabytes of the first kilobyte
    of an answer that was packed twice. Raises ``httpx.DecodingError`` for one that is damaged, or
    packed otherwise than was asked for.
    """
    packings = [
        each.strip().lower() for each in response.headers.get_list("content-encoding", True)
    ]
    if packings != ["gzip"] and not UNPACKED_BY_CLIENT.isdisjoint(packings):
        raise httpx.DecodingError("packed in a way that was not asked for")
    unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16) if packings == ["gzip"] else None
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_raw() if unpack else response.aiter_bytes():
        if unpack is not None:
            try:
                part = unpack.decompress(part, most - size + 1)
            except zlib.error as error:
                raise httpx.DecodingError(str(error)) from error
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def stranger(url: str, seconds: float, ca_file: Path | None, *, service: str) -> httpx.AsyncClient:
    """Return an HTTP client for an address elsewhere: see ``Api.stranger``.

    ``service`` is the host of the service, "" for one in this process. Only for a service of this
    machine it goes to this machine by loopback: what another one names must not act on the programs
    that listen here, which take whoever reaches them for their own user.
    """
    proxy = proxy_for(url)
    trusted = trust(ca_file)

    async def check(request: httpx.Request) -> None:
        # Also of a redirect, and where the name alone does not say it.
        looked_up = proxy is None
        if await is_this_machine(request.url.host, looked_up=looked_up) and not (
            await is_this_machine(service, looked_up=looked_up)
        ):
            raise httpx.ConnectError("it is on this machine, where the service is not")

    return httpx.AsyncClient(
        headers=PACKED,
        follow_redirects=True,
        timeout=seconds,
        verify=trusted,
        proxy=None if proxy is None else proxy.over(trusted),
        trust_env=False,
        event_hooks={"request": [check]} if service else {},
    )


def no_answer(
    error: httpx.RequestError | TimeoutError,
    request: Outgoing,
    host: str,
    proxy: Proxy | None,
    timeouts: Timeouts,
    hide: Hide,
) -> ApiError:
    """Return the error for a broken request."""
    connect, read, whole = timeouts.connect, timeouts.read, timeouts.whole

    name = request.name
    match error:
        case httpx.DecodingError():
            return Garbled("the compression of the answer is damaged", operation=name)
        case httpx.ConnectTimeout():
            return Unreachable(f"{host} did not answer within {connect:g} s.", operation=name)
        case httpx.TimeoutException():
            return Unreachable(
                f"{host} did not answer within {read:g} s.", operation=name, sent=True
            )
        case TimeoutError():
            return Unreachable(
                f"{host} did not finish its answer within {whole:g} s.", operation=name, sent=True
            )
        case httpx.ProxyError() if str(error).startswith("407"):
            return Intercepted(PROXY_LOGIN, status=407, operation=name)
        case httpx.ConnectError() | httpx.ProxyError() | httpx.UnsupportedProtocol():
            through = f" through the proxy {proxy.shown}" if proxy else ""
            if refused := untrusted(error, host):
                return Untrusted(refused, operation=name)
            why = hide(reason(error)) or "no connection"
            return Unreachable(f"{host} cannot be reached{through}: {why}.", operation=name)
    why = hide(reason(error)) or "no reason given"
    return Unreachable(f"The connection to {host} broke: {why}.", operation=name, sent=True)
