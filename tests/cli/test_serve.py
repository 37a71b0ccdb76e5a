"""``copydesk serve`` and those who send it half a request, or too much of one."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from copydesk.cli import serve_protocol
from copydesk.server.app import create_app, mint_token
from copydesk.server.arguments import BODY_LIMIT
from tests.world import World

PATIENCE = 30.0


class Served:
    """A desk that is served, and how to speak to it byte by byte."""

    def __init__(self, world: World, address: tuple[str, int]) -> None:
        self.world, self.address = world, address
        self.token = world.token(world.ana)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, PATIENCE)

    def head(self, token: str, length: int) -> bytes:
        return (
            f"POST /v1/orgs/{self.world.home}/spaces HTTP/1.1\r\nhost: desk\r\n"
            f"authorization: Bearer {token}\r\ncontent-type: application/json\r\n"
            f"content-length: {length}\r\n\r\n"
        ).encode()


Serve = Callable[[], Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve a desk with the limits that stand in the module now."""
    ends: list[Callable[[], None]] = []

    def begin() -> Served:
        world = World(tmp_path / "desk.db")
        assert world.home
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            create_app(world.store), http=serve_protocol.BoundedProtocol, lifespan="off",
            log_level="critical", timeout_graceful_shutdown=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()

        def end() -> None:
            server.should_exit = True
            thread.join(PATIENCE)
            listener.close()
            world.close()

        ends.append(end)
        return Served(world, listener.getsockname())

    yield begin
    for end in ends:
        end()


def answer(there: socket.socket) -> bytes:
    """Read until it ends; a connection that is cut off has ended as well."""
    found = b""
    with suppress(ConnectionError):
        while piece := there.recv(4096):
            found += piece
    return found


def refusal(got: bytes) -> dict[str, Any]:
    """Return what the error body of an answer says, which has to be like its status."""
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower().split(b"\r\n")
    said: dict[str, Any] = json.loads(body)["error"]
    assert head.startswith(b"HTTP/1.1 %d " % said["code"])
    assert said["message"]
    return said


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
        b"BREW /v1/user HTTP/1.1\r\nhost: desk\r\n\r\n",
        b"GET /v1/a page HTTP/1.1\r\nhost: desk\r\n\r\n",
        b"POST /v1/user HTTP/1.1\r\nhost: desk\r\ncontent-length: -1\r\n\r\n",
    ],
    ids=["tls", "method", "path", "length"],
)
def test_what_is_not_http_has_the_error_body_too(serve: Serve, sent: bytes) -> None:
    served = serve()
    with closing(served.connect()) as there:
        there.sendall(sent)
        assert refusal(answer(there))["code"] == 400


def test_a_stranger_is_refused_before_the_body_is_there(serve: Serve) -> None:
    served = serve()
    with closing(served.connect()) as there:
        there.sendall(served.head("desk_forged", BODY_LIMIT))
        assert there.recv(4096).startswith(b"HTTP/1.1 401 ")
    with closing(served.connect()) as there:
        there.sendall(served.head(served.token, len(b'{"title": "New"}')))
        there.sendall(b'{"title": "New"}')
        assert there.recv(4096).startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("part", ["nothing", "half a head", "half a body", "no more than a 401"])
def test_half_a_request_is_let_go(serve: Serve, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    # What comes whole has its time: on a busy machine it takes a while.
    late = {"half a body": "BODY_SECONDS", "no more than a 401": "REST_SECONDS"}
    monkeypatch.setattr(serve_protocol, late.get(part, "HEAD_SECONDS"), 0.2)
    served = serve()
    with closing(served.connect()) as there:
        if part == "half a head":
            there.sendall(b"GET /v1/user HTTP/1.1\r\nhost: ")
        elif part == "half a body":
            there.sendall(served.head(served.token, 400) + b'{"title": ')
        elif part == "no more than a 401":
            there.sendall(served.head("desk_forged", 400) + b'{"title": ')
        got = answer(there)  # it ends
        assert got.startswith(b"HTTP/1.1 401 ") if "401" in part else got == b""
    with closing(served.connect()) as there:  # and the next one has its turn
        there.sendall(served.head("desk_forged", 0))
        assert there.recv(4096).startswith(b"HTTP/1.1 401 ")


def test_the_head_of_a_request_has_an_end(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_protocol, "HEAD_SECONDS", 3600.0)
    served = serve()
    head = served.head("desk_forged", 0)
    with closing(served.connect()) as there:
        there.sendall(head.replace(b"host:", b"x-long: " + b"x" * 20_000 + b"\r\nhost:"))
        assert there.recv(4096).startswith(b"HTTP/1.1 401 ")
    for endless in (b"x" * 10_000, b"x: y\r\n" * 2000):
        with closing(served.connect()) as there:
            there.sendall(head[:-2])
            with suppress(ConnectionError):
                for _ in range(1000):
                    there.sendall(endless)
            answer(there)  # it ends


def test_requests_sent_at_once_are_answered_in_their_order(serve: Serve) -> None:
    served = serve()
    body = b'{"title": "New"}'
    both = served.head(served.token, len(body)) + body
    both += b"GET /v1/none HTTP/1.1\r\nhost: desk\r\nconnection: close\r\n\r\n"
    with closing(served.connect()) as there:
        there.sendall(both)
        got = answer(there)
    assert 0 <= got.find(b"HTTP/1.1 201 ") < got.find(b"HTTP/1.1 404 ")


def test_half_of_a_second_request_is_let_go_too(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve_protocol, "HEAD_SECONDS", 0.2)
    served = serve()
    with closing(served.connect()) as there:
        there.sendall(served.head("desk_forged", 0))
        refused = b""
        while b"}}" not in refused:  # its body may come by itself
            more = there.recv(4096)
            assert more
            refused += more
        assert refused.startswith(b"HTTP/1.1 401 ")
        there.sendall(b"GET /v1/user HT")
        assert answer(there) == b""


def test_who_does_not_read_the_answers_is_let_go(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve_protocol, "UNREAD_SECONDS", 0.2)
    monkeypatch.setattr(serve_protocol, "MOST_ANSWERED", 2)
    served = serve()
    with closing(socket.socket()) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.connect(served.address)
        slow.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nhost: desk\r\n\r\n" * 100)
        deadline = time.monotonic() + PATIENCE
        got = b""
        while not got.startswith(b"HTTP/1.1 401 "):
            assert time.monotonic() < deadline  # it keeps the only place there is
            with closing(served.connect()) as there:
                head = served.head("desk_forged", 0)
                there.sendall(head.replace(b"host:", b"connection: close\r\nhost:"))
                got = answer(there)


def test_there_is_a_most_of_connections(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_protocol, "HEAD_SECONDS", 3600.0)
    monkeypatch.setattr(serve_protocol, "MOST_ANSWERED", 3)
    monkeypatch.setattr(serve_protocol, "MOST_OPEN", 4)
    served = serve()
    with ExitStack() as held:
        for _ in range(2):
            there = held.enter_context(closing(served.connect()))
            there.sendall(served.head("desk_forged", 0)[:40])
        with closing(served.connect()) as third:
            third.sendall(served.head("desk_forged", 0))
            assert refusal(answer(third))["code"] == 503
        for _ in range(2):
            held.enter_context(closing(served.connect()))
        with closing(served.connect()) as one_too_many:
            assert answer(one_too_many) == b""


def test_a_token_that_is_revoked_meanwhile_writes_nothing(serve: Serve) -> None:
    served = serve()
    token = served.world.write(lambda tx: mint_token(tx, served.world.ana, "for now"))
    body = b'{"title": "Late"}'
    with closing(served.connect()) as there:
        there.sendall(served.head(token, len(body)) + body[:4])
        served.world.write(lambda tx: tx.run("DELETE FROM token WHERE label = 'for now'"))
        there.sendall(body[4:])
        assert there.recv(4096).startswith(b"HTTP/1.1 401 ")


def test_what_is_no_http_behind_an_answer_is_no_failure_of_ours(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve()
    with closing(served.connect()) as there:
        chunked = b"transfer-encoding: chunked"
        head = served.head("desk_forged", 1).replace(b"content-length: 1", chunked)
        there.sendall(head)
        assert there.recv(4096).startswith(b"HTTP/1.1 401 ")
        there.sendall(b"zz\r\nno chunk\r\n")
        assert b"HTTP/1.1" not in answer(there)
    assert not [each for each in caplog.records if each.name == "asyncio"]
