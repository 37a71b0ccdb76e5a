"""The embedded desk: in process against plain SQLite, and served, by what one core gives.

In process a read through the client is held against plain SQLite that reads the same rows and
writes them as JSON: asked again, and asked anew after somebody wrote, when SQLite itself has to
read its pages anew, too. A page of a list of 45,000
must cost what it costs in a short one. Eight clients ask a served desk at once; requests a second
are given for one core of the server, by its CPU time, whatever else the machine does meanwhile.
A figure is the median of the quietest turn.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.homes import SCALE, home, served
from benchmarks.targets import Figure
from benchmarks.terminal import middle, table
from copydesk.cli.embedded import connect_in_process
from copydesk.contract import operations as ops
from copydesk.contract.models.base import Next, Page
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.server.app import mint_token
from copydesk.server.arguments import read_arguments
from copydesk.server.pagination import mark_place
from copydesk.server.store import Store, Tx

TURNS, CALLS = 9, 20
PAGE = 50
CLIENTS = 8
SECONDS = 4.0
"""How long the clients ask for each kind of answer."""

COMMENT = b'{"body":{"markdown":"A comment of some length."}}'

Work = Callable[[], Awaitable[object]]


def run() -> dict[str, Figure]:
    """Measure, print the figures, and return those with a target."""
    with home(1000) as small, home(SCALE) as large:
        found = asyncio.run(_in_process(small.desk, large.desk))
        with served(small) as service:
            found |= asyncio.run(_served(Desk(small.desk), service))
    return {name: Figure(value) for name, value in found.items()}


class Desk:
    """A desk with a client in process, and what plain SQLite does for the same answers."""

    def __init__(self, path: Path) -> None:
        self.store = Store(path)
        self.plain = sqlite3.connect(path, isolation_level=None)
        self.plain.row_factory = sqlite3.Row
        self.other = sqlite3.connect(path, isolation_level=None)
        self.other.execute("PRAGMA synchronous = OFF")
        owner = self.store.read(lambda tx: tx.value("SELECT value FROM meta WHERE key = 'owner'"))
        self.token = self.store.write(lambda tx: mint_token(tx, owner, "benchmark"))
        self.api = connect_in_process(self.store)
        self.space, self.organization = self.store.read(_largest)
        self.request, self.middle = self.store.read(self._middle)
        self.shown: str = self.store.read(
            lambda tx: tx.value(
                "SELECT id FROM change_request WHERE organization_id = ? AND status = 'open' "
                "AND id <> ? ORDER BY updated_at DESC LIMIT 1",
                self.organization,
                self.request,
            )
        )

    def _middle(self, tx: Tx) -> tuple[str, str]:
        """Return a change request, and the token of the page that begins in the list's middle."""
        row = tx.one(
            "SELECT id, updated_at FROM change_request WHERE organization_id = ? "
            "AND status = 'open' ORDER BY updated_at DESC, id DESC LIMIT 1 OFFSET "
            "(SELECT count(*) / 2 FROM change_request WHERE organization_id = ?1 "
            "AND status = 'open')",
            self.organization,
        )
        assert row is not None
        request: str = tx.value(
            "SELECT id FROM change_request WHERE space_id = ? AND status = 'open' LIMIT 1",
            self.space,
        )
        return request, self._token(row["updated_at"], row["id"])

    def _token(self, *place: str) -> str:
        """Return the token of a place in the list, as the desk would give it out."""
        op = ops.list_organization_change_requests
        asked = read_arguments(op, {"organization_id": self.organization}, "", b"")
        at = base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")
        page = Page[ChangeRequest](items=[], next=Next(page=at))
        mark_place(op, asked, page)
        assert page.next is not None
        return page.next.page

    def close(self) -> None:
        self.other.close()
        self.plain.close()
        self.store.close()

    async def plain_list(self) -> bytes:
        """Read the rows of a page, with their authors, and write them as JSON."""
        rows = self.plain.execute(
            "SELECT c.*, u.display_name, u.email, u.photo_url FROM change_request AS c "
            "JOIN user AS u ON u.id = c.created_by "
            "WHERE c.organization_id = ? AND c.status = 'open' "
            "ORDER BY c.updated_at DESC, c.id DESC LIMIT ?",
            (self.organization, PAGE),
        ).fetchall()
        return json.dumps([dict(row) for row in rows]).encode()

    async def plain_one(self) -> bytes:
        """Read one row and write it as JSON."""
        row = self.plain.execute(
            "SELECT c.*, u.display_name, u.email, u.photo_url FROM change_request AS c "
            "JOIN user AS u ON u.id = c.created_by WHERE c.id = ?",
            (self.request,),
        ).fetchone()
        return json.dumps(dict(row)).encode()

    def list(self, page: str | None = None) -> Work:
        return lambda: self.api(
            ops.list_organization_change_requests, self.organization, page=page, limit=PAGE
        )

    async def one(self) -> ChangeRequest:
        return await self.api(ops.get_change_request, self.space, self.request)

    def write(self) -> None:
        """Change a change request on the list's first page, as another program does."""
        self.other.execute(
            "UPDATE change_request SET comments = (comments + 1) % 1000 WHERE id = ?",
            (self.shown,),
        )


def _largest(tx: Tx) -> tuple[str, str]:
    row = tx.one(
        "SELECT id, organization_id FROM space ORDER BY change_requests_open DESC, id LIMIT 1"
    )
    assert row is not None
    return row["id"], row["organization_id"]


async def _in_process(small: Path, large: Path) -> dict[str, float]:
    desk, long = Desk(small), Desk(large)
    try:
        again = await _turns(
            {
                "plain SQLite, a list of 50": (desk.plain_list, None),
                "the desk": (desk.list(), None),
                "plain SQLite, one object": (desk.plain_one, None),
                "the desk, one object": (desk.one, None),
            }
        )
        anew = await _turns(
            {
                "plain SQLite, a list of 50": (desk.plain_list, desk.write),
                "the desk": (desk.list(), desk.write),
                "its middle page": (desk.list(desk.middle), desk.write),
                "of 100,000": (long.list(), long.write),
                "its middle page of 100,000": (long.list(long.middle), long.write),
                "plain SQLite, one object": (desk.plain_one, desk.write),
                "the desk, one object": (desk.one, desk.write),
            }
        )
    finally:
        desk.close()
        long.close()
    found: dict[str, float] = {}
    for title, took, suffix in (("asked again", again, ""), ("after a write", anew, ".anew")):
        ratios: dict[str, float] = {}
        base = 0.0
        for name, seconds in took.items():
            if name.startswith("plain"):
                base = seconds
            ratios[name] = seconds / base
        table(
            f"In process, {title}: CPU (the quietest of {TURNS} turns of {CALLS})",
            ("what", "ratio", "µs"),
            [(name, f"{ratios[name]:.2f}", f"{took[name] * 1e6:.0f}") for name in took],
        )
        found[f"desk.list{suffix}"] = ratios["the desk"]
        found[f"desk.one{suffix}"] = ratios["the desk, one object"]
    return found


async def _turns(works: dict[str, tuple[Work, Callable[[], None] | None]]) -> dict[str, float]:
    """Return the median CPU seconds of each kind of work in its quietest turn.

    What stands beside a work is done before it each time, and not counted.
    """
    quietest = dict.fromkeys(works, float("inf"))
    for work, _ in works.values():
        for _ in range(CALLS):
            await work()
    gc.collect()
    gc.freeze()
    for _ in range(TURNS):
        for name, (work, before) in works.items():
            taken: list[float] = []
            for _ in range(CALLS):
                if before is not None:
                    before()
                started = time.process_time()
                await work()
                taken.append(time.process_time() - started)
            quietest[name] = min(quietest[name], middle(taken))
    return quietest


async def _served(desk: Desk, service: dict[str, str]) -> dict[str, float]:
    """Ask a served desk, eight at once, for each kind of answer in turns."""
    desk.close()
    address, server = service["COPYDESK_BASE_URL"], int(service["SERVER"])
    place = f"/v1/spaces/{desk.space}"
    asked = {
        "serve.list": ("GET", f"/v1/orgs/{desk.organization}/change-requests?limit={PAGE}", b""),
        "serve.one": ("GET", f"{place}/change-requests/{desk.request}", b""),
        "serve.comments": ("POST", f"{place}/comments", COMMENT),
    }
    rows, found = [], {}
    for name, (method, path, body) in asked.items():
        request = (
            f"{method} {path} HTTP/1.1\r\nHost: desk\r\nAuthorization: Bearer {desk.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body
        await _ask(address, request, SECONDS / 8)
        cpu, started = _cpu(server), time.monotonic()
        answers = await _ask(address, request, SECONDS)
        each = (_cpu(server) - cpu) / answers
        found[name] = 1 / each
        second = answers / (time.monotonic() - started)
        rows.append((name, f"{each * 1e6:.0f}", f"{1 / each:,.0f}", f"{second:,.0f}"))
    table(
        f"Served, {CLIENTS} clients at once",
        ("what", "CPU µs", "a second of one core", "a second here"),
        rows,
    )
    return found


async def _ask(address: str, request: bytes, seconds: float) -> int:
    """Ask the same again and again for so long; return how many answers there were."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    loop = asyncio.get_running_loop()
    end = time.monotonic() + seconds
    clients = [
        (await loop.create_connection(lambda: _Client(request, end), host, int(port)))[1]
        for _ in range(CLIENTS)
    ]
    return sum(await asyncio.gather(*(each.done for each in clients)))


class _Client(asyncio.Protocol):
    """Asks again as soon as an answer is there, with as little work as can be."""

    def __init__(self, request: bytes, end: float) -> None:
        self._request, self._end = request, end
        self._answers = self._missing = 0
        self._head = b""
        self.done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if not self._missing:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 201 ")), head
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            self._missing, self._head = int(length) - len(body), b""
        else:
            self._missing -= len(data)
        if self._missing:
            return
        self._answers += 1
        if time.monotonic() < self._end:
            self._transport.write(self._request)
        else:
            self.done.set_result(self._answers)
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or ConnectionError("the desk closed the connection"))


def _cpu(process: int) -> float:
    """Return the CPU seconds of a process so far, all its threads together."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    run()
