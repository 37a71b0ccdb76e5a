"""Reading a document from an address that somebody else wrote down.

Whoever may add a specification chooses where the desk connects to, so the desk connects to public
addresses only: a name is looked up once, every address that it has must be public, and the
connection goes to one of those and nowhere else. A redirect is followed by the same rules. Proxies
of the environment are not used, for a proxy would look the name up again.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv6Address

import httpx

from copydesk.server.openapi_jobs import SECONDS, FetchError

SIZE_LIMIT = 10 * 1024 * 1024
"""The longest document in bytes: what a request body may hold."""

REDIRECTS = 5
"""How often a server may send the desk on."""

_LOOKUPS = ThreadPoolExecutor(4, thread_name_prefix="desk-lookup")
"""Names are looked up on threads that no loop waits for at its end: a lookup cannot be stopped."""

Address = IPv4Address | IPv6Address

_REDIRECTING = (301, 302, 303, 307, 308)
_CARRIERS = tuple(
    ipaddress.IPv6Network(network)
    # Addresses that stand for an IPv4 address, which may be a private one: NAT64, 6to4, Teredo,
    # and the forms of old.
    for network in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")
)


def is_public(address: Address) -> bool:
    """Say whether an address is one that anybody on the internet could connect to."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address.is_site_local or any(address in network for network in _CARRIERS):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


class Fetcher:
    """Reads documents over HTTP, bounded in time and in size.

    ``allowed`` decides which addresses it may connect to, ``seconds`` and ``size_limit`` bound one
    document.
    """

    def __init__(
        self,
        *,
        allowed: Callable[[Address], bool] = is_public,
        seconds: float = SECONDS,
        size_limit: int = SIZE_LIMIT,
    ) -> None:
        self._allowed = allowed
        self._seconds = seconds
        self._size_limit = size_limit

    def __call__(self, url: str) -> bytes:
        """Return the document at a URL. Blocks; raises ``FetchError``."""
        return asyncio.run(self._within_time(url))

    async def _within_time(self, url: str) -> bytes:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._fetch(url)
        except TimeoutError:
            raise FetchError(
                f"The document did not arrive within {self._seconds:g} seconds.", "FETCH_TIMEOUT"
            ) from None

    async def _fetch(self, url: str) -> bytes:
        async with httpx.AsyncClient(trust_env=False, timeout=None) as client:  # noqa: S113 - above
            target = _parse(url)
            for _ in range(REDIRECTS + 1):
                found = await self._ask(client, target)
                if isinstance(found, bytes):
                    return found
                target = found
        raise FetchError(f"The server redirects more than {REDIRECTS} times.")

    async def _ask(self, client: httpx.AsyncClient, url: httpx.URL) -> bytes | httpx.URL:
        """Return the document, or where the server says that it is."""
        host = url.raw_host.decode("ascii")
        problem: httpx.HTTPError | None = None
        port = url.port or (443 if url.scheme == "https" else 80)
        for address in await self._resolve(host, port):
            request = client.build_request(
                "GET",
                # The address, so that nothing looks the name up a second time.
                url.copy_with(host=str(address)),
                headers={
                    "host": url.netloc.decode("ascii"),
                    "accept": "application/json, application/yaml, text/yaml, */*;q=0.5",
                    # Compressed data says nothing about the size that it unpacks to.
                    "accept-encoding": "identity",
                    "user-agent": "copydesk",
                },
                extensions={"sni_hostname": host},
            )
            try:
                response = await client.send(request, stream=True)
                try:
                    return await self._read(response, url)
                finally:
                    await response.aclose()
            except httpx.ConnectError as error:
                problem = error
            except httpx.HTTPError as error:
                raise FetchError(f"Reading from {host} failed: {_reason(error)}.") from error
        raise FetchError(f"{host} cannot be reached: {_reason(problem)}.") from problem

    async def _resolve(self, host: str, port: int) -> list[Address]:
        try:
            answers = await asyncio.get_running_loop().run_in_executor(
                _LOOKUPS, partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
            )
        except (OSError, UnicodeError) as error:
            raise FetchError(f"There is no address for {host!r}.") from error
        addresses = [
            ipaddress.ip_address(str(answer[4][0]).partition("%")[0]) for answer in answers
        ]
        for address in addresses:
            if not self._allowed(address):
                raise FetchError(
                    f"{host} is at {address}, which is not a public address; "
                    "the desk only fetches from public ones."
                )
        return list(dict.fromkeys(addresses))

    async def _read(self, response: httpx.Response, url: httpx.URL) -> bytes | httpx.URL:
        if response.status_code in _REDIRECTING and "location" in response.headers:
            return _parse(response.headers["location"], url)
        if response.status_code != 200:
            raise FetchError(f"The server answered with the status {response.status_code}.")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise FetchError("The server compresses the document although it was asked not to.")
        data = bytearray()
        async for chunk in response.aiter_raw():
            data += chunk
            if len(data) > self._size_limit:
                raise FetchError(f"The document is longer than {self._size_limit} bytes.")
        return bytes(data)


def _parse(url: str, base: httpx.URL | None = None) -> httpx.URL:
    try:
        parsed = httpx.URL(url) if base is None else base.join(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"This is not a URL that can be fetched: {error}.") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise FetchError("Only http and https URLs with a host name can be fetched.")
    if parsed.port is not None and not 0 < parsed.port < 2**16:
        raise FetchError(f"This is not a URL that can be fetched: there is no port {parsed.port}.")
    if parsed.userinfo:
        raise FetchError("The URL holds a user name or password, and those are never sent.")
    return parsed


def _reason(error: Exception | None) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__
