"""The download of a file from an address of the service, such as that of a PDF."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import httpx

from copydesk.client.api import Api
from copydesk.client.errors import ApiError, Garbled, NotFound, Untrusted
from copydesk.client.network import reason, untrusted
from copydesk.client.over_http import unpacked
from copydesk.domain.address import web_address

LARGEST = 256 * 1024 * 1024
"""The largest file, in bytes."""

SECONDS = 60.0
"""The time-out for the next bytes: the file may be created on demand."""

WHOLE_SECONDS = 600.0
"""The time-out for the whole file."""


async def fetch(api: Api, url: str, *, largest: int = LARGEST) -> bytes:
    """Return the content of ``url``; the token is sent only to the service itself.

    Of another host no more than ``largest`` bytes are read, and where that does not answer the
    service is not away. Raises ``ApiError``.
    """
    address = web_address(url)
    if not address:
        raise Garbled("the address is not a web address")
    own, there = urlsplit(api.base_url), urlsplit(address)
    if (there.scheme, there.netloc) == (own.scheme, own.netloc):
        path = there._replace(scheme="", netloc="", fragment="").geturl()
        try:
            return (await api.raw("GET", path)).content
        except ValueError as error:  # it has no path, or steps upwards
            raise Garbled("the address is not one of a file") from error
    try:
        async with (
            asyncio.timeout(WHOLE_SECONDS),
            api.stranger(address, SECONDS) as client,
            client.stream("GET", address) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise NotFound(
                    f"{there.hostname} answered with {response.status_code}: the address may "
                    "have expired",
                    status=response.status_code,
                )
            if (content := await unpacked(response, largest)) is None:
                raise Garbled(f"the file is larger than {largest // 2**20} MiB")
            return content
    except ValueError as error:
        raise ApiError(f"{there.hostname} cannot be read: {error}.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        host = there.hostname or "the service"
        if refused := untrusted(error, host):
            raise Untrusted(refused) from error
        why = reason(error) or "no connection"
        raise ApiError(f"{there.hostname} cannot be read: {why}.") from error
    except TimeoutError as error:
        took = f"did not finish within {WHOLE_SECONDS / 60:.0f} minutes"
        raise ApiError(f"{there.hostname} {took}.") from error
