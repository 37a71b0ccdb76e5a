"""The connection to a service: trusted authorities, proxies, and reasons of failures.

Trusted are the authorities of Mozilla's list, or those that ``SSL_CERT_FILE`` or ``SSL_CERT_DIR``
name in their place; and those of a file that a profile names. Certificates are always checked.
Proxies are those of the environment (``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY``, except for
``NO_PROXY``) or of the system.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import certifi
import httpx

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean

SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})
"""The schemes of proxies."""

TRUST_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")

# The codes of OpenSSL's verification (x509_vfy.h).
_NOT_YET, _EXPIRED, _REVOKED = 9, 10, 23
_UNKNOWN_ISSUERS = frozenset({2, 18, 19, 20, 21})
_OTHER_NAMES = frozenset({62, 64})

SHORTEST_NAME = 4
"""The shortest user name of a proxy that is hidden."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy: ``url`` with its credentials, ``shown`` without, ``secrets`` the credentials."""

    url: str
    shown: str
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Proxy({self.shown})"

    def over(self, trusted: ssl.SSLContext | None) -> httpx.Proxy:
        """Return it for the HTTP client; a TLS proxy is trusted as services are."""
        return httpx.Proxy(self.url, ssl_context=trusted if self.url.startswith("https:") else None)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def is_this_machine(host: str, *, looked_up: bool) -> bool:
    """Whether a host leads to this machine, by its name or, ``looked_up``, its addresses."""
    if is_loopback(host):
        return True
    if not looked_up:
        return False
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False  # who connects says so
    addresses = (ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found)
    plain = (getattr(each, "ipv4_mapped", None) or each for each in addresses)
    return any(each.is_loopback or each.is_unspecified for each in plain)


def proxy_for(url: str) -> Proxy | None:
    """Return the proxy for a URL, None for none.

    This machine is never reached through one: a token for it is nobody else's business. Raises
    ``ValueError``, with a sentence without credentials, for an unusable one.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    known = getproxies()
    found = known.get(parts.scheme) or known.get("all")
    if not found or is_loopback(host) or proxy_bypass(parts.netloc) or _excepted(host, known):
        return None
    address = found if "://" in found else f"http://{found}"
    try:
        there = urlsplit(address)
        port = f":{there.port}" if there.port else ""
        name = there.hostname or ""
        httpx.URL(address)
    except (ValueError, httpx.InvalidURL):
        there, port, name = urlsplit(""), "", ""
    if there.scheme not in SCHEMES or not name:
        raise ValueError(
            f"the proxy for {parts.scheme} (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is not an "
            "address: write it as http://host:port or socks5://host:port"
        )
    place = f"[{name}]" if ":" in name else name
    given = (there.username, there.password)
    # A short name is no secret, and would be removed from words.
    told = (given[0] if len(given[0] or "") >= SHORTEST_NAME else None, given[1])
    secrets = {text for each in told if each for text in (each, unquote(each))}
    return Proxy(address, clean(f"{there.scheme}://{place}{port}"), tuple(sorted(secrets)))


def _excepted(host: str, known: dict[str, str]) -> bool:
    """Whether NO_PROXY names the network of an address; Python knows names only."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    for entry in known.get("no", "").split(","):
        try:
            if address in ipaddress.ip_network(entry.strip(), strict=False):
                return True
        except ValueError:
            continue
    return False


def trust(ca_file: Path | None = None) -> ssl.SSLContext:
    """Return the context that checks certificates.

    Raises ``ValueError``, with a sentence, for unreadable certificates.
    """
    named = next((name for name in TRUST_VARIABLES if os.environ.get(name)), None)
    where = certifi.where() if named is None else os.environ[named]
    try:
        if named == "SSL_CERT_DIR":
            if not Path(where).is_dir():
                raise ValueError(f"SSL_CERT_DIR is {clean(where)}, which is not a folder")
            context = ssl.create_default_context(capath=where)
        else:
            context = ssl.create_default_context(cafile=where)
    except OSError as error:  # also ssl.SSLError
        raise ValueError(
            f"{named or 'the list of authorities'} is {clean(where)}: {_unreadable(error)}"
        ) from error
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except OSError as error:
            raise ValueError(
                f"the certificates in {clean(str(ca_file))} cannot be used: {_unreadable(error)}"
            ) from error
    return context


def _unreadable(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return "there is no certificate in it (PEM: it begins with -----BEGIN CERTIFICATE-----)"
    return (error.strerror or "it cannot be read").lower()


def untrusted(error: BaseException, host: str) -> str:
    """Return why a certificate was refused, as a sentence; "" for another error."""
    for each in _chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return _refused(each, host)
    return ""


def _refused(error: ssl.SSLCertVerificationError, host: str) -> str:
    code = getattr(error, "verify_code", 0)
    whose = f"The certificate of {host}"
    if code in _OTHER_NAMES:
        return f"{whose} is for another name: it may be another server. Nothing was sent."
    if code == _EXPIRED:
        return f"{whose} has expired, or this machine's clock is wrong. Nothing was sent."
    if code == _NOT_YET:
        return f"{whose} is not valid yet, or this machine's clock is wrong. Nothing was sent."
    if code == _REVOKED:
        return f"{whose} was revoked. Nothing was sent."
    if code in _UNKNOWN_ISSUERS:
        return (
            f"{whose} comes from an authority that is not trusted here. Nothing was sent. If it is "
            "yours, name its certificate: ca_file of the profile, or SSL_CERT_FILE."
        )
    why = clean(str(getattr(error, "verify_message", ""))) or "it is not valid"
    return f"{whose} is refused: {why}. Nothing was sent."


_WHY: dict[int, str] = {
    errno.ECONNREFUSED: "nothing answers there (connection refused)",
    errno.ENETUNREACH: "there is no network",
    errno.ENETDOWN: "there is no network",
    errno.EHOSTUNREACH: "there is no route to it",
    errno.ECONNRESET: "the connection was cut off",
    errno.EPIPE: "the connection was cut off",
    errno.ETIMEDOUT: "it does not answer",
}


def reason(error: BaseException) -> str:
    """Return why a connection failed or broke, without a full stop."""
    for each in _chain(error):
        if isinstance(each, socket.gaierror):
            return "its name is not known, or there is no network"
        if isinstance(each, ssl.SSLError):
            if each.reason in {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"}:
                return (
                    "it does not speak TLS: check whether its address has http:// or another port"
                )
            return f"TLS failed ({clean(each.reason or 'no reason given')})"
        if isinstance(each, OSError) and each.errno in _WHY:
            return _WHY[each.errno]
    # Bytes that are no HTTP are quoted there, and may be private.
    return clean(str(error).partition(": bytearray(")[0]).strip().rstrip(".")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
        waiting += (each.__cause__, each.__context__)
