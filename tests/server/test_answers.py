"""Answers to reads that are given again: to whom, for how long, and which are not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from copydesk.contract import operations as ops
from copydesk.server.app import create_app
from copydesk.server.store import Store
from copydesk.server.transaction import Answers
from tests.world import World


class Desk:
    """A desk's file behind an app that counts its transactions: each asks once for the time."""

    def __init__(self, path: Path) -> None:
        self.transactions = 0
        self.store = Store(path, clock=self._clock, durable=False)
        self.app = create_app(self.store)

    def _clock(self) -> datetime:
        self.transactions += 1
        return datetime(2026, 3, 3, 9, 0, tzinfo=UTC)


@pytest.fixture
def filed(tmp_path: Path) -> World:
    """A world in a file."""
    return World(tmp_path / "desk.db")


@asynccontextmanager
async def reading(filed: World) -> AsyncIterator[tuple[Desk, httpx.AsyncClient]]:
    """A second desk on the file of a world, as another process has one, and a client of it."""
    assert filed.store.path is not None
    desk = Desk(filed.store.path)
    transport = httpx.ASGITransport(desk.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://desk/v1") as client:
        yield desk, client
    desk.store.close()
    filed.close()


def signed(world: World, user: str) -> dict[str, str]:
    return {"authorization": f"Bearer {world.token(user)}"}


async def test_a_read_is_answered_again_until_anyone_writes(filed: World) -> None:
    space = filed.space()
    number = filed.change_request(space)
    ana = signed(filed, filed.ana)
    listed, one = f"/spaces/{space}/change-requests", f"/spaces/{space}/change-requests/{number}"
    async with reading(filed) as (desk, client):
        for path in (listed, one):
            first = await client.get(path, headers=ana)
            before = desk.transactions
            again = await client.get(path, headers=ana)
            assert desk.transactions == before
            assert (again.status_code, again.content) == (200, first.content)
            assert again.headers == first.headers
        # Another query, another host, and HEAD are other reads.
        for headers, query in ((ana, {"status": "draft"}), (ana | {"host": "other"}, None)):
            answer = await client.get(listed, headers=headers, params=query)
            assert answer.content != (await client.get(listed, headers=ana)).content
        assert (await client.head(one, headers=ana)).status_code == 200
        # A write elsewhere, and one through this very desk.
        other = filed.change_request(space, subject="By someone else")
        shown = [each["id"] for each in (await client.get(listed, headers=ana)).json()["items"]]
        assert shown == [other, number]
        await client.patch(one, headers=ana, json={"subject": "Renamed"})
        assert (await client.get(one, headers=ana)).json()["subject"] == "Renamed"
        assert (await client.get(listed, headers=ana)).json()["items"][0]["subject"] == "Renamed"


async def test_an_answer_is_for_whom_it_was_given(filed: World) -> None:
    space = filed.space(default_level=None)
    lee = filed.user("lee")
    ana, stranger = signed(filed, filed.ana), {"authorization": "Bearer unknown"}
    path = f"/spaces/{space}"
    async with reading(filed) as (_, client):

        async def seen() -> list[int]:
            every: list[dict[str, str]] = [ana, signed(filed, lee), stranger, {}]
            return [(await client.get(path, headers=each)).status_code for each in every]

        assert await seen() == await seen() == [200, 404, 401, 401]
        filed.grant(space, lee, "read")
        assert await seen() == await seen() == [200, 200, 401, 401]
        # Who loses the place, or the token, has lost it with the next request.
        filed.write(lambda tx: tx.run("DELETE FROM access_grant"))
        assert await seen() == [200, 404, 401, 401]
        filed.write(lambda tx: tx.run("DELETE FROM token WHERE user_id = ?", filed.ana))
        assert await seen() == [401, 404, 401, 401]


async def test_what_depends_on_the_time_is_read_each_time(filed: World) -> None:
    site = (await filed.client().post(f"/orgs/{filed.home}/sites", json={"title": "Docs"})).json()[
        "id"
    ]
    ana = signed(filed, filed.ana)
    async with reading(filed) as (desk, client):
        await client.get("/user", headers=ana)
        for _ in range(2):
            before = desk.transactions
            await client.get(f"/orgs/{filed.home}/sites/{site}", headers=ana)
            assert desk.transactions == before + 1


async def test_a_write_while_a_read_is_under_way_is_seen_by_the_next(filed: World) -> None:
    space = filed.space()
    ana = signed(filed, filed.ana)
    path = f"/spaces/{space}/change-requests"
    async with reading(filed) as (_, client):
        for count in range(1, 20):
            reads = [asyncio.create_task(client.get(path, headers=ana)) for _ in range(3)]
            await asyncio.sleep(0)
            filed.change_request(space)
            await asyncio.gather(*reads)
            assert (await client.get(path, headers=ana)).json()["count"] == count


def test_answers_take_no_more_room_than_there_is() -> None:
    answers = Answers()
    answers.keep("long", "x", 2**20)
    assert answers.get("long") is None
    for number in range(5000):
        answers.keep(number, number, 100_000)
        assert answers.get(number) == number
    kept = [number for number in range(5000) if answers.get(number) is not None]
    assert 1 <= len(kept) <= 21
    for number in range(5000):
        answers.keep(number, number, 1)
    assert sum(answers.get(number) is not None for number in range(5000)) <= 1000


async def test_many_answers_in_a_row_leave_others_their_turn(filed: World) -> None:
    api = filed.api()
    await api(ops.get_current_user)
    await api(ops.get_current_user)
    other = asyncio.create_task(asyncio.sleep(0))
    for _ in range(20_000):
        await api(ops.get_current_user)
        if other.done():
            break
    assert other.done()
    await api.aclose()
    filed.close()
