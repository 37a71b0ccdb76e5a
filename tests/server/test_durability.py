"""What was acknowledged survives a kill at any moment. ``make durability`` runs 200 rounds."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from copydesk.server import threads
from copydesk.server.app import create_app
from copydesk.server.desk_writes import Editor
from copydesk.server.integrity import examine
from copydesk.server.store import Store, Tx
from tests.world import World

ROUNDS = int(os.environ.get("DURABILITY_ROUNDS", "3"))


@pytest.mark.long
@pytest.mark.timeout(120 + 4 * ROUNDS)
def test_a_killed_desk_has_lost_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.server.killing", str(tmp_path / "desk.db"), str(ROUNDS)],
        capture_output=True,
        text=True,
        timeout=100 + 3 * ROUNDS,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{ROUNDS} rounds" in ended.stdout
    assert ended.stderr == ""
    sys.stdout.write(ended.stdout)


async def test_a_disk_that_is_full_is_told_and_room_is_used_again(tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    space = world.space("Handbook", {"intro": "One.\n"})
    async with world.client() as client:
        pages = world.store.read(lambda tx: tx.value("PRAGMA page_count"))
        world.write(lambda tx: tx.one(f"PRAGMA max_page_count = {pages + 2}"))
        body = {"body": {"markdown": "A long thought. " * 500}}
        full = [await client.post(f"/spaces/{space}/comments", json=body) for _ in range(9)][-1]
        assert full.status_code == 507
        assert "full" in full.json()["error"]["message"]
        kept = (await client.get(f"/spaces/{space}/comments")).json()
        world.write(lambda tx: tx.one("PRAGMA max_page_count = 1000000"))
        assert (await client.post(f"/spaces/{space}/comments", json=body)).is_success
    assert kept["count"] == len(kept["items"]) < 9
    world.close()
    assert examine(tmp_path / "desk.db").all == []


async def test_damage_under_an_open_desk_is_told(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    World(path).close()
    world = World(path)
    space = world.space("Handbook", {"intro": "One.\n"})
    for number in range(300):
        world.comment(space, f"Thought {number} " * 100)
    world.close()
    size = path.stat().st_size
    store = Store(path)  # a few pages are read now, the others not yet
    with path.open("r+b") as file:
        for page in range(4096 * 90, size - 4096, 4096):
            file.seek(page)
            file.write(b"\xff" * 200)
    token = "t"
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(create_app(store, sessions={token: world.ana})),
        base_url="http://desk/v1",
        headers={"authorization": f"Bearer {token}"},
    ) as client:
        answer = await client.get(f"/spaces/{space}/comments", params={"limit": "1000"})
    store.close()
    assert answer.status_code == 500
    assert "damaged" in answer.json()["error"]["message"]


async def test_a_space_out_of_the_trash_leaves_nothing_behind(world: World) -> None:
    """Restored within seven days it is whole; after them every row of it is gone."""
    kept = world.space("Kept", {"intro": "Shared.\n"})
    before = rows(world)
    space = world.space("Old", {"intro": "Shared.\n", "intro/more": "Its own.\n"})
    world.commit(space, edit=put_map)
    request = world.change_request(space, {"intro": "Changed.\n"})
    world.change_request(space, {"other": "New.\n"}, by=world.user("bo"))
    thread = world.comment(space, change_request=request)
    reply = world.reply(thread)
    world.write(lambda tx: threads.react(tx, reply, world.ana, "1f44d"))
    world.grant(space, world.ana, "edit")
    world.token(world.ana)
    whole = rows(world)
    async with world.client() as client:
        await client.delete(f"/spaces/{space}")
        world.clock.now += timedelta(days=6, hours=23)
        assert (await client.post(f"/spaces/{space}/restore")).status_code == 200
        assert rows(world) == whole
        assert (await client.get(f"/spaces/{space}/content")).status_code == 200
        await client.delete(f"/spaces/{space}")
        world.clock.now += timedelta(days=7, seconds=1)
        assert (await client.post(f"/spaces/{space}/restore")).status_code == 404
        assert (await client.delete("/spaces/none")).status_code == 204  # any write cleans up
        assert (await client.get(f"/spaces/{kept}/content")).status_code == 200
    people = {"user", "member", "token"}
    assert {k: v for k, v in rows(world).items() if k not in people} == {
        k: v for k, v in before.items() if k not in people
    }


def put_map(editor: Editor) -> None:
    editor.file("map.png", b"png")


def rows(world: World) -> dict[str, int]:
    """Return how many rows each table has; tables without any, and what was done, are left out."""

    def count(tx: Tx) -> dict[str, int]:
        tables = tx.all("SELECT name FROM sqlite_schema WHERE type = 'table'")
        found = {
            row["name"]: tx.value(f'SELECT count(*) FROM "{row["name"]}"')
            for row in tables
            # The index's own, and the list of what was done, which stays.
            if not row["name"].startswith(("search_", "audit_"))
        }
        return {table: number for table, number in found.items() if number}

    return world.store.read(count)
