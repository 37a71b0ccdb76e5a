"""The way to a service: trust, redirects, proxies, and what the log says of requests.

Real servers on this machine; certificates are made for each test by an authority of its own.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gc
import logging
import random
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import stamina
import trustme

from copydesk.client import download, over_http
from copydesk.client.api import Api
from copydesk.client.carrier import Timeouts
from copydesk.client.download import fetch
from copydesk.client.errors import ApiError, Garbled, Intercepted, Unreachable, Untrusted
from copydesk.client.network import is_loopback, proxy_for, reason
from copydesk.domain.request_context import ASKER, Asker, Why

TOKEN = "tok-4f9a8b7c6d5e"
PATIENT = Timeouts(connect=10, read=10)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with stamina.set_testing(True, attempts=3):
        yield


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> Path:
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


class Place:
    """A server of a few lines: it keeps the heads that it reads, and answers all in one way."""

    def __init__(self, answer: bytes = OK) -> None:
        self.answer = answer
        self.heads: list[bytes] = []
        self.connections = 0
        self.open = 0
        self.port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            while True:
                self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(self.answer)
                await writer.drain()
        finally:
            self.open -= 1


@contextlib.asynccontextmanager
async def listening(place: Any, certificate: trustme.LeafCert | None = None) -> AsyncIterator[Any]:
    """Serve a place until the block ends, with a certificate if one is given."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
    talks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.create_task(_until_closed(place, reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    place.port = server.sockets[0].getsockname()[1]
    # A handshake that the client breaks off is no news here.
    asyncio.get_running_loop().set_exception_handler(lambda loop, told: None)
    try:
        yield place
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


async def _until_closed(
    place: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await place.talk(reader, writer)
    finally:
        writer.transport.abort()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()


class Plain:
    """A server that knows no TLS, and says so."""

    port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(b"HTTP/1.1 400 Bad request\r\n\r\n")
        await writer.drain()
        await reader.read()


class Tunnel:
    """A proxy that leads every host to one port: over CONNECT, or SOCKS5 with a password."""

    def __init__(self, leads_to: int, *, socks: bool = False, refuses: bool = False) -> None:
        self.heads: list[bytes] = []
        self.port = 0
        self._leads_to = leads_to
        self._socks = socks
        self._refuses = refuses

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._socks:
            await self._greet(reader, writer)
        else:
            self.heads.append(await reader.readuntil(b"\r\n\r\n"))
            if self._refuses:
                writer.write(b"HTTP/1.1 407 Who are you, s3cret:\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                return
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        there, back = await asyncio.open_connection("127.0.0.1", self._leads_to)
        try:
            await asyncio.gather(_pour(reader, back), _pour(there, writer))
        finally:
            back.transport.abort()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        count = (await reader.readexactly(2))[1]
        await reader.readexactly(count)
        writer.write(b"\x05\x02")
        await reader.readexactly(1)
        name = await reader.readexactly((await reader.readexactly(1))[0])
        word = await reader.readexactly((await reader.readexactly(1))[0])
        self.heads.append(name + b":" + word)
        writer.write(b"\x01\x00")
        kind = (await reader.readexactly(4))[3]
        assert kind == 3, "the proxy looks names up, not this machine"
        self.heads.append(await reader.readexactly((await reader.readexactly(1))[0]))
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")


async def _pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()


async def ask(url: str, **settings: Any) -> bytes:
    async with Api(url, TOKEN, timeouts=PATIENT, **settings) as api:
        return (await api.raw("GET", "/v1/user")).content


async def test_only_a_good_certificate_is_believed(
    authority: trustme.CA, ca_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = authority.issue_cert("localhost", "127.0.0.1")
    async with listening(Place(), good) as place:
        url = f"https://localhost:{place.port}"
        with pytest.raises(Untrusted, match="authority that is not trusted here") as refused:
            await ask(url)
        # Nothing was sent, and it was not tried again.
        assert (place.heads, place.connections, refused.value.sent) == ([], 0, False)
        assert await ask(url, ca_file=ca_file) == b"{}"
        assert await ask(f"https://127.0.0.1:{place.port}", ca_file=ca_file) == b"{}"
        monkeypatch.setenv("SSL_CERT_FILE", str(ca_file))
        assert await ask(url) == b"{}"
        monkeypatch.delenv("SSL_CERT_FILE")
        other = trustme.CA()
        other.cert_pem.write_to_path(str(ca_file.with_name("other.pem")))
        with pytest.raises(Untrusted, match="not trusted"):
            await ask(url, ca_file=ca_file.with_name("other.pem"))

    now = datetime.now(UTC)
    day = timedelta(days=1)
    old = authority.issue_cert("localhost", not_before=now - 9 * day, not_after=now - day)
    early = authority.issue_cert("localhost", not_before=now + day, not_after=now + 9 * day)
    for certificate, words in (
        (old, "has expired, or this machine's clock is wrong"),
        (early, "is not valid yet"),
        (authority.issue_cert("docs.example.org"), "is for another name"),
    ):
        async with listening(Place(), certificate) as place:
            with pytest.raises(Untrusted, match=words) as refused:
                await ask(f"https://localhost:{place.port}", ca_file=ca_file)
            assert "localhost" in str(refused.value)
            assert place.heads == []
    async with listening(Plain()) as place:
        with pytest.raises(Unreachable, match="does not speak TLS"):
            await ask(f"https://localhost:{place.port}")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("ca_file", None, "gone.pem cannot be used: no such file"),
        ("ca_file", "words", "there is no certificate in it"),
        ("SSL_CERT_FILE", None, "SSL_CERT_FILE is .*no such file"),
        ("SSL_CERT_FILE", "words", "there is no certificate in it"),
        ("SSL_CERT_DIR", None, "which is not a folder"),
        ("HTTPS_PROXY", "ftp://proxy:8080", "is not an address: write it as http://host:port"),
        ("HTTPS_PROXY", "http://me:s3cret@proxy:port", "is not an address"),
        ("ALL_PROXY", "http://", "is not an address"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_asked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: str | None,
    words: str,
) -> None:
    path = tmp_path / "gone.pem"
    if content is not None and name in {"ca_file", "SSL_CERT_FILE"}:
        path.write_text(content)
    if name != "ca_file":
        monkeypatch.setenv(name, content if name.endswith("PROXY") and content else str(path))
    with pytest.raises(ValueError, match=words) as refused:
        Api("https://api.example.com", TOKEN, ca_file=path if name == "ca_file" else None)
    assert "s3cret" not in str(refused.value)


async def test_no_connection_from_before_this_machine_slept_is_used() -> None:
    slept = [0.0]
    async with listening(Place()) as place:
        url = f"http://127.0.0.1:{place.port}"
        async with Api(url, TOKEN, clock=lambda: time.time() + slept[0]) as api:
            for hours, connections in ((0, 1), (0, 1), (8, 2), (8, 2)):
                slept[0] = hours * 3600.0
                await api.raw("GET", "/v1/user")
                assert place.connections == connections
            assert all(TOKEN.encode() in head for head in place.heads)


async def _cancel_often() -> None:
    chance = random.Random(1)
    async with listening(Place()) as place:
        url = f"http://127.0.0.1:{place.port}"
        async with Api(url, TOKEN, timeouts=Timeouts(connect=5, read=5)) as api:
            for _ in range(400):
                asked = [
                    asyncio.create_task(api.raw("GET", f"/v1/spaces/{number}"))
                    for number in range(chance.randrange(1, 12))
                ]
                for _ in range(chance.randrange(60)):
                    await asyncio.sleep(0)
                for each in asked:
                    each.cancel()
                await asyncio.gather(*asked, return_exceptions=True)
            assert (await api.raw("GET", "/v1/user")).content == b"{}"
            assert place.open < 30


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_requests_that_are_cancelled_take_no_connection_for_good() -> None:
    asyncio.run(_cancel_often())
    gc.collect()  # what is connected in the moment of its end is not closed by the HTTP client


async def test_a_redirect_is_told_and_the_token_goes_nowhere() -> None:
    async with listening(Place()) as elsewhere:
        for status in (301, 302, 303, 307, 308):
            there = f"http://127.0.0.1:{elsewhere.port}/v1/user"
            head = f"HTTP/1.1 {status} Moved\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n"
            moved = Place(head.encode())
            async with listening(moved) as place:
                with pytest.raises(Intercepted, match=str(elsewhere.port)):
                    await ask(f"http://127.0.0.1:{place.port}")
            assert TOKEN.encode() in place.heads[0]
        assert elsewhere.connections == 0


async def test_a_file_elsewhere_is_fetched_without_the_token(
    authority: trustme.CA, ca_file: Path
) -> None:
    certificate = authority.issue_cert("localhost")
    async with listening(Place(), certificate) as elsewhere, listening(Place()) as place:
        url = f"http://127.0.0.1:{place.port}"
        there = f"https://localhost:{elsewhere.port}/file?key=1"
        async with Api(url, TOKEN, ca_file=ca_file) as api:
            assert await fetch(api, there) == b"{}"
            assert await fetch(api, f"{url}/own") == b"{}"
        async with Api(url, TOKEN) as api:
            with pytest.raises(Untrusted, match="localhost comes from an authority"):
                await fetch(api, there)
            with pytest.raises(ApiError, match=r"nowhere\.invalid cannot be read") as failed:
                await fetch(api, "https://nowhere.invalid/file")
            assert not isinstance(failed.value, Unreachable)  # the service itself is there
    [head] = elsewhere.heads
    assert TOKEN.encode() not in head
    assert [TOKEN.encode() in head for head in place.heads] == [True]


async def test_a_service_elsewhere_leads_to_nothing_that_listens_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with listening(Place()) as here, Api("https://192.0.2.1", TOKEN) as api:
        for host in ("localhost", "127.0.0.1", "127.1", "2130706433", "0.0.0.0", "[::1]"):
            with pytest.raises(ApiError, match="is on this machine, where the service is not"):
                await fetch(api, f"http://{host}:{here.port}/stop")

        async def is_this_machine(host: str, *, looked_up: bool) -> bool:
            return looked_up and host == "localhost"

        monkeypatch.setattr(over_http, "is_this_machine", is_this_machine)
        there = f"http://localhost:{here.port}/stop".encode()
        head = b"HTTP/1.1 302 Found\r\nLocation: " + there + b"\r\nContent-Length: 0\r\n\r\n"
        async with listening(Place(head)) as moved:
            with pytest.raises(ApiError, match="is on this machine"):
                await fetch(api, f"http://127.0.0.1:{moved.port}/a.png")
        assert here.connections == 0


async def test_a_service_of_this_machine_by_another_name_may_have_its_files_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def is_this_machine(host: str, *, looked_up: bool) -> bool:
        return looked_up and host in ("docs.test", "127.0.0.1")

    monkeypatch.setattr(over_http, "is_this_machine", is_this_machine)
    async with listening(Place()) as here, Api("https://docs.test", TOKEN) as api:
        assert await fetch(api, f"http://127.0.0.1:{here.port}/a.png") == b"{}"


@pytest.mark.parametrize("path", ["", "/a/../b", "/."])
async def test_an_address_of_the_service_that_is_none_is_an_error_of_its_kind(path: str) -> None:
    async with Api("http://127.0.0.1:9", TOKEN) as api:
        with pytest.raises(Garbled, match="not one of a file"):
            await fetch(api, f"http://127.0.0.1:9{path}")


async def test_a_file_that_comes_for_ever_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "WHOLE_SECONDS", 0.2)

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b".")
                await writer.drain()
                await asyncio.sleep(0.02)

    drips = SimpleNamespace(talk=drip)
    async with listening(drips), Api("http://127.0.0.1:9", TOKEN) as api:
        with pytest.raises(ApiError, match="did not finish"):
            await fetch(api, f"http://127.0.0.1:{drips.port}/a.png")


async def test_a_proxy_leads_on_and_learns_nothing(
    authority: trustme.CA, ca_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = authority.issue_cert("docs.example.org")
    url = "https://docs.example.org"
    async with listening(Place(), service) as place:
        async with listening(Tunnel(place.port)) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", f"http://me:s3cret%21@127.0.0.1:{proxy.port}")
            assert await ask(url, ca_file=ca_file) == b"{}"
            [head] = proxy.heads
            assert head.startswith(b"CONNECT docs.example.org:443 ")
            assert base64.b64encode(b"me:s3cret!") in head
            assert TOKEN.encode() not in head
            assert TOKEN.encode() in place.heads[0]
            assert b"s3cret" not in place.heads[0]
            # This machine itself is never reached through it.
            async with listening(Place()) as own:
                monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
                assert await ask(f"http://127.0.0.1:{own.port}") == b"{}"
            assert len(proxy.heads) == 1
        with pytest.raises(Unreachable, match=r"through the proxy http://127\.0\.0\.1") as refused:
            await ask(url, ca_file=ca_file)
        assert "nothing answers there" in str(refused.value)
        async with listening(Tunnel(place.port, refuses=True)) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", f"http://me:s3cret@127.0.0.1:{proxy.port}")
            with pytest.raises(Intercepted, match=r"wants a name .* in HTTPS_PROXY") as refused:
                await ask(url, ca_file=ca_file)
            assert "s3cret" not in repr(refused.value)
            assert not refused.value.sent
            assert len(proxy.heads) == 1  # it is not asked again
        monkeypatch.delenv("HTTPS_PROXY")
        async with listening(Tunnel(place.port, socks=True)) as proxy:
            monkeypatch.setenv("ALL_PROXY", f"socks5://me:s3cret@127.0.0.1:{proxy.port}")
            assert await ask(url, ca_file=ca_file) == b"{}"
            assert proxy.heads == [b"me:s3cret", b"docs.example.org"]


@pytest.mark.parametrize(
    ("environment", "url", "shown"),
    [
        ({}, "https://a.example", None),
        ({"HTTPS_PROXY": "proxy:8080"}, "https://a.example", "http://proxy:8080"),
        ({"HTTPS_PROXY": "http://u:p@proxy"}, "https://a.example", "http://proxy"),
        ({"HTTPS_PROXY": "http://proxy"}, "http://a.example", None),
        ({"ALL_PROXY": "socks5h://[::1]:1080"}, "http://a.example", "socks5h://[::1]:1080"),
        ({"ALL_PROXY": "http://p", "NO_PROXY": ".example"}, "http://a.example", None),
        ({"ALL_PROXY": "http://p", "NO_PROXY": "example"}, "http://a.sample", "http://p"),
        ({"ALL_PROXY": "http://p", "NO_PROXY": "*"}, "http://a.example", None),
        ({"ALL_PROXY": "http://p", "NO_PROXY": "x, 10.0.0.0/8"}, "http://10.1.2.3:8080", None),
        ({"ALL_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8"}, "http://11.1.2.3", "http://p"),
        ({"ALL_PROXY": "http://p"}, "http://localhost:8484", None),
        ({"ALL_PROXY": "http://p"}, "http://[::1]:8484", None),
    ],
)
def test_the_proxy_of_an_address(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], url: str, shown: str | None
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = proxy_for(url)
    assert (None if found is None else found.shown) == shown
    assert "u:p" not in repr(found)
    assert is_loopback("127.8.0.1")


async def test_why_there_is_no_way_is_said_in_words() -> None:
    async with listening(Place()) as place:
        pass
    said = rf"127\.0\.0\.1:{place.port} cannot be reached: nothing answers there"
    with pytest.raises(Unreachable, match=said):
        await ask(f"http://127.0.0.1:{place.port}")
    unknown = OSError("All connection attempts failed")
    unknown.__cause__ = ExceptionGroup("two", [OSError(1, "x"), socket.gaierror(-2, "y")])
    assert reason(unknown) == "its name is not known, or there is no network"
    assert reason(OSError("odd\x1b[2J.")) == "odd"


async def test_the_log_tells_of_requests_and_not_what_was_typed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = (
        b"HTTP/1.1 404 Not found\r\nContent-Length: 0\r\nX-Request-Id: r-1\r\n"
        b"Set-Cookie: session=s3cret\r\nX-Typed: words\x1b[2J\r\nDate: x\x1b[2J\r\n\r\n"
    )
    caplog.set_level(logging.DEBUG, "copydesk.requests")
    lines: list[logging.LogRecord] = []
    ASKER.set(Asker("inbox", Why.POLLING))
    log = logging.getLogger("copydesk.requests")
    watching = _Watching(lines)
    log.filters.insert(0, watching)  # before the one that lets nothing through
    try:
        async with listening(Place(answer)) as place:
            with pytest.raises(Exception, match="404"):
                async with Api(f"http://127.0.0.1:{place.port}", TOKEN) as api:
                    await api.raw("GET", "/v1/typed", [("query", "typed words")])
        unavailable = b"HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n"
        async with listening(Place(unavailable)) as place:
            with pytest.raises(Exception, match="503"):
                await ask(f"http://127.0.0.1:{place.port}")
    finally:
        log.removeFilter(watching)
    first, *again = [vars(line) for line in lines]
    assert [each["attempt"] for each in again] == [1, 2, 3]
    assert (first["method"], first["operation"], first["status"]) == ("GET", None, 404)
    assert (first["request_id"], first["attempt"]) == ("r-1", 1)
    assert (first["screen"], first["why"]) == ("inbox", "polling")
    assert first["args"][:2] == ("GET (raw)", 404)
    assert first["received_headers"]["set-cookie"] == "…"
    assert first["received_headers"]["date"] == "x"
    assert first["sent_headers"]["authorization"] == "…"
    whole = repr([*map(dict.items, (first, *again))])
    assert not any(word in whole for word in (TOKEN, "typed words", "/v1/typed", "s3cret", "\\x1b"))


class _Watching(logging.Filter):
    """Takes each line; nobody else need read it."""

    def __init__(self, lines: list[logging.LogRecord]) -> None:
        super().__init__()
        self._lines = lines

    def filter(self, record: logging.LogRecord) -> bool:
        self._lines.append(record)
        return True
