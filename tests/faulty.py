"""A service that fails on purpose: a real TCP server on this machine in front of a desk.

    async with serving(world.app) as server:
        api = Api(server.url, world.token(world.ana), timeouts=Timeouts(connect=1, read=0.5))
        server.plan = script(faults.RESET_MID_BODY, None, faults.SERVER_ERROR)  # one per request
        server.plan = writes_only(always(faults.RESET_UNANSWERED))              # the answer is lost
        server.plan = by_chance(seed=7, share=0.3, among=faults.ALL)
        await server.down()                     # refused connections, until `await server.up()`
        server.asked                            # every request: method, target, fault, status

A plan is asked once for each request and returns its `Fault`, or None for a good answer. What a
fault does is in `tests.faults`; ``Fault.arrives`` says whether the desk gets the request. The
server writes HTTP/1.1 by hand, so that it can write what is no HTTP; it runs in the loop of the
test. Its ``Date`` is this machine's unless ``clock`` says so: a world's times stand in 2026.
``python -m tests.serve_faulty`` serves the sample so, to be looked at with the real program.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import socket
import struct
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.types import ASGIApp

if TYPE_CHECKING:
    from tests.world import World

AGAIN = "again-"
"""Page tokens that begin so are the server's own: the desk is asked for its first page."""

_PAGE = re.compile(rf"page={AGAIN}[^&]*&?")
_LINGER = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class Asked:
    """A request as it came, and what became of it. ``status`` None: the desk never got it."""

    number: int
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    fault: Fault | None = None
    status: int | None = None

    @property
    def writes(self) -> bool:
        """Whether it asks for something to be done."""
        return self.method != "GET"


@dataclass(slots=True)
class Said:
    """An answer: what the desk says, or what a fault puts in its place."""

    status: int
    headers: dict[str, str]
    body: bytes

    def head(self) -> bytes:
        """Return the status line and the headers, as they are written."""
        try:
            phrase = HTTPStatus(self.status).phrase
        except ValueError:
            phrase = "Strange"
        lines = [f"HTTP/1.1 {self.status} {phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Line:
    """The connection that a request came on, as a fault uses it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.ended = False

    async def say(self, data: bytes) -> None:
        """Write bytes, whatever they are."""
        self._writer.write(data)
        await self._writer.drain()

    async def answer(self, said: Said) -> None:
        """Write a whole answer."""
        await self.say(said.head() + said.body)

    def reset(self) -> None:
        """Break the connection: what was written and not read yet may be lost."""
        self.ended = True
        sock: socket.socket | None = self._writer.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        self._writer.transport.abort()

    def end(self) -> None:
        """Close the connection in good order: what was written arrives."""
        self.ended = True
        self._writer.close()

    async def wait(self) -> None:
        """Say nothing until the other side has had enough."""
        await self._reader.read()
        self.end()


Give = Callable[[Line, Said, Asked], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to fail. ``arrives``: the desk is asked before; ``give`` writes what comes back."""

    name: str
    give: Give = field(repr=False)
    arrives: bool = True


Plan = Callable[[Asked], Fault | None]


def healthy(asked: Asked) -> Fault | None:
    """Answer as the desk does."""
    return None


def always(fault: Fault) -> Plan:
    """Fail so every time."""
    return lambda asked: fault


def script(*faults: Fault | None) -> Plan:
    """Fail so, in turn, and then no more."""
    left = list(faults)
    return lambda asked: left.pop(0) if left else None


def by_chance(seed: int, share: float, among: Sequence[Fault]) -> Plan:
    """Fail in a share of all requests, each time in another way; the same for the same seed."""
    chance = random.Random(seed)
    return lambda asked: chance.choice(among) if chance.random() < share else None


def only(when: Callable[[Asked], bool], plan: Plan) -> Plan:
    """Follow a plan for some requests; the others, which it is not asked about, are answered."""
    return lambda asked: plan(asked) if when(asked) else None


def writes_only(plan: Plan) -> Plan:
    """Follow a plan for writes."""
    return only(lambda asked: asked.writes, plan)


def reads_only(plan: Plan) -> Plan:
    """Follow a plan for reads."""
    return only(lambda asked: not asked.writes, plan)


class FaultyServer:
    """The server; `serving` makes one. ``clock`` tells its ``Date`` header."""

    def __init__(self, app: ASGIApp, clock: Callable[[], datetime], port: int = 0) -> None:
        self.plan: Plan = healthy
        self.asked: list[Asked] = []
        self.port = port
        self._app = app
        self._clock = clock
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()
        self._lines: set[Line] = set()

    @property
    def url(self) -> str:
        """Where it is, for a client."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def arrived(self) -> list[Asked]:
        """The writes that the desk got."""
        return [each for each in self.asked if each.writes and each.status is not None]

    async def left(self, seconds: float) -> bool:
        """Wait so long at most until all connections are closed by whoever opened them."""
        if not self._talks:
            return True
        _, talking = await asyncio.wait(self._talks, timeout=seconds)
        return not talking

    async def up(self) -> None:
        """Listen, at the same address each time."""
        if self._server is not None:
            return
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", self.port, limit=1 << 20
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def down(self) -> None:
        """Refuse connections and break those that are there. What the desk is doing, it ends."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for line in tuple(self._lines):
            line.reset()
        await asyncio.sleep(0)

    async def close(self) -> None:
        """Go down for good, with everything that is under way."""
        await self.down()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        self._lines.add(line)
        try:
            while not line.ended and (asked := await self._read(reader)) is not None:
                await self._serve(line, asked)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has had enough
        finally:
            self._lines.discard(line)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _read(self, reader: asyncio.StreamReader) -> Asked | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ")
        pairs = (each.split(":", 1) for each in rest)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        asked = Asked(len(self.asked), method, target, headers, body)
        self.asked.append(asked)
        return asked

    async def _serve(self, line: Line, asked: Asked) -> None:
        fault = asked.fault = self.plan(asked)
        said = Said(0, {}, b"")
        if fault is None or fault.arrives:
            said = await self._ask(asked)
            asked.status = said.status
        said.headers["Date"] = format_datetime(self._clock().astimezone(UTC), usegmt=True)
        if fault is None:
            await line.answer(said)
        else:
            await fault.give(line, said, asked)

    async def _ask(self, asked: Asked) -> Said:
        path, _, query = _PAGE.sub("", asked.target).rstrip("?&").partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", self.port),
            "client": ("127.0.0.1", 1),
            "root_path": "",
            "method": asked.method,
            "path": unquote(path),
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": [
                (n.encode("latin-1"), v.encode("latin-1")) for n, v in asked.headers.items()
            ],
        }
        said = Said(500, {}, b"")
        unread = [asked.body]

        async def receive() -> MutableMapping[str, Any]:
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            await asyncio.Event().wait()  # what is being streamed is not cut off
            raise AssertionError("no one sets that event")

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                said.status = message["status"]
                for name, value in message.get("headers", ()):
                    said.headers[name.decode("latin-1").title()] = value.decode("latin-1")
            else:
                said.body += message.get("body", b"")

        # What the desk has begun it ends, also when the client is gone.
        await asyncio.shield(asyncio.ensure_future(self._app(scope, receive, send)))
        said.headers["Content-Length"] = str(len(said.body))
        if said.status == 204:
            del said.headers["Content-Length"]
        return said


@contextlib.asynccontextmanager
async def serving(
    app: ASGIApp,
    plan: Plan = healthy,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    port: int = 0,
) -> AsyncIterator[FaultyServer]:
    """Serve a desk at a port of this machine (0: a free one) until the block ends."""
    server = FaultyServer(app, clock, port)
    server.plan = plan
    await server.up()
    try:
        yield server
    finally:
        await server.close()


@contextmanager
def served(
    world: World,
    *,
    ahead: timedelta = timedelta(),
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[FaultyServer]:
    """Serve a desk from a thread of its own: commands have loops of their own."""
    server = FaultyServer(world.app, lambda: clock() + ahead)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.up(), loop).result(10)
        yield server
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
