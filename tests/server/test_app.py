"""The desk as an ASGI app: credentials, Location, one transaction per request, failures inside."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path

import httpx
import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import CommentCreate, CommentUpdate, MarkdownBody
from copydesk.server import desk_writes
from copydesk.server.app import create_app, mint_token
from copydesk.server.store import Store
from tests.world import World


async def test_a_session_token_works_and_is_on_no_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.db")
    user = store.write(lambda tx: desk_writes.add_user(tx, "Ana", "ana@example.org"))
    minted = store.write(lambda tx: mint_token(tx, user, "laptop"))
    app = create_app(store, sessions={"in-memory": user})
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://desk/v1") as client:
        for scheme, token, status in (
            ("Bearer", "in-memory", 200),
            ("bearer", minted, 200),
            ("Bearer", minted[:-1], 401),
            ("Basic", minted, 401),
            ("Bearer", "", 401),
        ):
            answer = await client.get("/user", headers={"authorization": f"{scheme} {token}"})
            assert answer.status_code == status
            if status == 200:
                assert answer.json()["id"] == user
    store.close()
    kept = bytes_below(tmp_path)
    assert minted.encode() not in kept
    assert b"in-memory" not in kept


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_the_address_of_the_request_is_in_the_answer(world: World) -> None:
    space = world.space()
    transport = httpx.ASGITransport(world.app)
    headers = {"authorization": f"Bearer {world.token(world.ana)}"}
    async with httpx.AsyncClient(
        transport=transport, base_url="https://docs.example:8443", headers=headers
    ) as client:
        answer = await client.post(f"/v1/spaces/{space}/change-requests", json={})
    assert answer.headers["location"].startswith(f"https://docs.example:8443/v1/spaces/{space}/")


async def test_a_failure_inside_is_a_500_that_undoes_everything(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space()
    comment = world.comment(space)
    # A command that ran before in this process may have given the log a file of its own.
    monkeypatch.setattr(logging.getLogger("copydesk"), "propagate", True)
    monkeypatch.setattr(logging.getLogger("copydesk"), "handlers", [])

    world.write(
        lambda tx: tx.run(
            "CREATE TRIGGER broken BEFORE UPDATE OF resolved_at ON comment "
            "BEGIN SELECT RAISE(ABORT, 'secret detail'); END"
        )
    )
    body = {"addedReactions": ["👍"], "resolved": True}
    async with world.client() as client:
        answer = await client.put(f"/spaces/{space}/comments/{comment}", json=body)
        assert answer.status_code == 500
        assert answer.json()["error"]["code"] == 500
        assert answer.headers["connection"] == "close"
        assert "secret" not in answer.text
        assert "secret detail" in caplog.text
        shown = (await client.get(f"/spaces/{space}/comments/{comment}")).json()
    assert shown["reactions"] == []


async def test_a_desk_that_another_program_writes_to_is_busy_not_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copydesk.server.store.BUSY_SECONDS", 0)
    monkeypatch.setattr("copydesk.server.desk_file.BUSY_SECONDS", 0)
    world = World(tmp_path / "desk.db")
    space = world.space()
    token = world.token(world.ana)
    other = sqlite3.connect(tmp_path / "desk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with world.client(token=token) as client:
        answer = await client.post(f"/spaces/{space}/change-requests", json={})
        assert answer.status_code == 503
        assert "try again" in answer.json()["error"]["message"]
        other.execute("ROLLBACK")
        assert (await client.post(f"/spaces/{space}/change-requests", json={})).is_success
    other.close()
    world.close()


async def test_a_405_names_every_method_of_the_path(world: World) -> None:
    async with world.client() as client:
        answer = await client.put(f"/orgs/{world.home}")
        assert answer.status_code == 405
        assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "PATCH"}
        head = await client.head(f"/orgs/{world.home}")
        assert (head.status_code, head.headers["content-type"]) == (200, "application/json")


async def test_a_slash_too_many_is_no_redirect(world: World) -> None:
    async with world.client() as client:
        answer = await client.get("/user/", headers={"host": "elsewhere.example"})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == 404


async def test_a_refusal_late_in_a_request_undoes_what_came_before(world: World) -> None:
    space = world.space()
    comment = world.comment(space)
    async with world.client() as client:
        body = {"addedReactions": ["👍", " "]}
        answer = await client.put(f"/spaces/{space}/comments/{comment}", json=body)
        assert answer.status_code == 400
        shown = (await client.get(f"/spaces/{space}/comments/{comment}")).json()
    assert shown["reactions"] == []


async def test_many_requests_at_once_each_happen_once(tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    space = world.space("Handbook", {"intro": "x"})
    async with world.client() as client:
        made = await asyncio.gather(
            *(client.post(f"/spaces/{space}/change-requests", json={}) for _ in range(20)),
            *(client.get(f"/spaces/{space}") for _ in range(20)),
        )
        assert {answer.status_code for answer in made} == {200, 201}
        numbers = sorted(answer.json()["number"] for answer in made[:20])
        assert numbers == list(range(1, 21))
        assert (await client.get(f"/spaces/{space}")).json()["changeRequestsDraft"] == 20
    world.close()


async def test_the_typed_client_and_the_desk_agree(world: World) -> None:
    space = world.space("Handbook", {"intro": "one\n"})
    key = world.change_request(space, {"intro": "two\n"}, subject="Two")
    async with world.api() as api:
        found = await api(ops.get_change_request, space, "1")
        assert (found.id, found.subject, found.status) == (key, "Two", "open")
        body = CommentCreate(body=MarkdownBody(markdown="Why two?"))
        comment = await api(ops.create_change_request_comment, space, key, body)
        done = await api(
            ops.update_change_request_comment,
            space,
            key,
            comment.id,
            CommentUpdate(resolved=True),
        )
        assert done.status == "resolved"
        changes = await api(ops.get_change_request_changes, space, key)
        assert [change.type for change in changes.changes] == ["page_edited"]
        assert (await api(ops.merge_change_request, space, key)).result == "merge"
        await api(ops.delete_change_request_comment, space, key, comment.id)
        await api(ops.delete_change_request_comment, space, key, comment.id)
