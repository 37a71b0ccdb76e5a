"""The embedded desk, against plain SQLite reading the same rows and writing them as JSON.

Targets: through the client and in process a list of 50 change requests is answered
within 3 times, one object within 5 times, of that. A page of a list costs on a desk of 100,000
change requests what it costs on a small one. The works are taken in turns; a figure is the median
of a work's quietest turn, for plain SQLite waits for no thread and does not suffer from what else
the machine does.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from benchmarks.terminal import middle, table
from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.base import Next, Page
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.comment import CommentCreate
from copydesk.server.app import create_app, mint_token
from copydesk.server.arguments import read_arguments
from copydesk.server.pagination import mark_place
from copydesk.server.sample import build_sample, grow
from copydesk.server.store import Store, Tx

TURNS, CALLS = 9, 20
SCALE = 100_000
PAGE = 50

Work = Callable[[], Awaitable[object]]


def run() -> None:
    """Measure and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        small, big = Path(folder) / "small.db", Path(folder) / "big.db"
        for path, scale in ((small, 1000), (big, SCALE)):
            store = Store(path, durable=False)
            build_sample(store)
            grow(store, scale)
            store.close()
        served = subprocess.Popen(
            [sys.executable, "-m", "copydesk", "serve", "--port", "0", "--desk", str(small)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"COPYDESK_HOME": folder},
        )
        try:
            assert served.stdout is not None
            address = served.stdout.readline().removeprefix("Listening on ").strip()
            asyncio.run(_measure(small, big, address))
        finally:
            served.terminate()
            served.wait(30)


class Desk:
    """A desk with a client in process, and what plain SQLite does for the same answers."""

    def __init__(self, path: Path) -> None:
        self.store = Store(path)
        self.plain = sqlite3.connect(path, isolation_level=None)
        self.plain.row_factory = sqlite3.Row
        owner = self.store.read(lambda tx: tx.value("SELECT value FROM meta WHERE key = 'owner'"))
        self.token = self.store.write(lambda tx: mint_token(tx, owner, "benchmark"))
        # As the program signs in where it holds the desk itself.
        app = create_app(self.store, sessions={self.token: owner})
        self.api = Api("http://desk.invalid", self.token, transport=httpx.ASGITransport(app))
        self.space, self.organization = self.store.read(_largest)
        self.request, self.middle = self.store.read(self._middle)

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

    async def plain_write(self) -> None:
        """Insert one row and commit it to disk."""
        self.plain.execute(
            "INSERT INTO meta VALUES (hex(randomblob(10)), 'a comment as long as the other one')"
        )

    def list_of(self, api: Api, page: str | None = None) -> Work:
        return lambda: api(
            ops.list_organization_change_requests, self.organization, page=page, limit=PAGE
        )

    def one_of(self, api: Api) -> Work:
        return lambda: api(ops.get_change_request, self.space, self.request)

    def write_of(self, api: Api) -> Work:
        body = CommentCreate.model_validate({"body": {"markdown": "A comment of some length."}})
        return lambda: api(ops.create_space_comment, self.space, body)


def _largest(tx: Tx) -> tuple[str, str]:
    row = tx.one(
        "SELECT id, organization_id FROM space ORDER BY change_requests_open DESC, id LIMIT 1"
    )
    assert row is not None
    return row["id"], row["organization_id"]


async def _measure(small: Path, big: Path, address: str) -> None:
    desk, large = Desk(small), Desk(big)
    try:
        over = Api(address, desk.token)
        reads = await _turns(
            {
                "plain SQLite, 50": desk.plain_list,
                "in process, 50": desk.list_of(desk.api),
                "over loopback, 50": desk.list_of(over),
                "plain SQLite, one": desk.plain_one,
                "in process, one": desk.one_of(desk.api),
                "over loopback, one": desk.one_of(over),
                "small desk, first page": desk.list_of(desk.api),
                "small desk, middle page": desk.list_of(desk.api, desk.middle),
                "100,000, first page": large.list_of(large.api),
                "100,000, middle page": large.list_of(large.api, large.middle),
            }
        )
        writes = await _turns(
            {
                "plain SQLite, insert": desk.plain_write,
                "in process, comment": desk.write_of(desk.api),
                "over loopback, comment": desk.write_of(over),
            }
        )
        await over.aclose()
    finally:
        desk.close()
        large.close()
    _print("A page of 50 change requests", reads, list(reads)[:3])
    _print("One change request", reads, list(reads)[3:6])
    _print("A list of the organization, by how long it is", reads, list(reads)[6:])
    _print("A comment, on disk when it is acknowledged", writes, list(writes))


async def _turns(works: dict[str, Work]) -> dict[str, float]:
    """Return the median seconds of each kind of work in its quietest turn."""
    quietest = dict.fromkeys(works, float("inf"))
    for work in works.values():
        for _ in range(CALLS):
            await work()
    gc.collect()
    gc.freeze()
    for _ in range(TURNS):
        for name, work in works.items():
            taken: list[float] = []
            for _ in range(CALLS):
                started = time.perf_counter()
                await work()
                taken.append(time.perf_counter() - started)
            quietest[name] = min(quietest[name], middle(taken))
    return quietest


def _print(title: str, figures: dict[str, float], names: list[str]) -> None:
    base = figures[names[0]]
    table(
        f"{title} (the quietest of {TURNS} turns of {CALLS})",
        ("what", "ratio", "µs", "a second"),
        [
            (
                name,
                f"{figures[name] / base:.2f}",
                f"{figures[name] * 1e6:.0f}",
                f"{1 / figures[name]:.0f}",
            )
            for name in names
        ],
    )


if __name__ == "__main__":
    run()
