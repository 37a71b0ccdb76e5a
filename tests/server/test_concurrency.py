"""Two processes, eight clients, one desk file: nothing is lost, nobody finds it locked."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Conflict
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestCreate, ChangeRequestUpdate
from copydesk.contract.models.comment import CommentCreate, ReplyCreate
from copydesk.contract.models.space import SpaceMove
from copydesk.server.app import create_app
from copydesk.server.integrity import examine
from copydesk.server.store import Store
from tests.world import World

CLIENTS, ROUNDS = 4, 3
"""So many clients of each of the two processes, each doing everything so often."""


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Serve a desk in a process of its own; yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "copydesk", "serve", "--port", "0", "--desk", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"COPYDESK_HOME": str(path.parent / "home")},
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().removeprefix("Listening on ").strip()
    finally:
        process.terminate()
        _, said = process.communicate(timeout=30)
    assert said == ""


@pytest.mark.long
async def test_two_processes_and_eight_clients_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    world = World(path)
    space = world.space("Handbook", {"intro": "One.\n"})
    siblings = [world.space(f"Space {n}") for n in range(3)]
    thread = world.comment(space, "The thread")
    requests = [world.change_request(space, {"intro": f"{n}\n"}) for n in range(2 * CLIENTS)]
    token = world.token(world.ana)
    world.close()
    numbers: list[int] = []
    done = asyncio.Event()

    async def write(api: Api, mine: str) -> None:
        body = CommentCreate.model_validate({"body": {"markdown": "A thought"}})
        reply = ReplyCreate.model_validate({"body": {"markdown": "An answer"}})
        for number in range(ROUNDS):
            await api(ops.create_space_comment, space, body)
            await api(ops.create_space_comment_reply, space, thread, reply)
            made = await api(ops.create_change_request, space, ChangeRequestCreate(subject="New"))
            numbers.append(made.number)
            update = ChangeRequestUpdate(status="archived" if number % 2 else "draft")
            await api(ops.update_change_request, space, mine, update)
            one, other = siblings[number % 3], siblings[(number + 1) % 3]
            move = SpaceMove.model_validate(
                {"position": {"after": {"type": "space", "space": other}}}
            )
            with suppress(Conflict):  # another client moved it there
                await api(ops.move_space, one, move)

    async def read(api: Api) -> int:
        """Look again and again: each answer is of one moment."""
        looks = 0
        while not done.is_set():
            comments = await api(ops.list_space_comments, space, limit=1000)
            assert comments.count == len(comments.items)
            (found,) = [item for item in comments.items if item.id == thread]
            assert found.replies == sum(who.count for who in found.repliers)
            drafts = await api(ops.list_space_change_requests, space, status="draft", limit=1000)
            assert drafts.count == len(drafts.items)
            looks += 1
        return looks

    here = Store(path)
    with served(path) as address, closing(here):
        app = create_app(here)
        apis = [Api(address, token) for _ in range(CLIENTS)]
        apis += [Api("http://desk", token, transport=httpx.ASGITransport(app)) for _ in apis]
        readers = [asyncio.create_task(read(apis[n])) for n in (0, CLIENTS)]
        await asyncio.gather(*(write(*pair) for pair in zip(apis, requests, strict=True)))
        done.set()
        looks = await asyncio.gather(*readers)
        for api in apis:
            await api.aclose()
    assert min(looks) > 0
    assert examine(path).all == []
    assert sorted(numbers) == list(range(len(requests) + 1, len(requests) + len(numbers) + 1))
    after = Store(path)
    row = after.read(lambda tx: tx.get("space", id=space))
    replies = after.read(lambda tx: tx.value("SELECT replies FROM comment WHERE id = ?", thread))
    after.close()
    assert row is not None
    assert row["comments"] == 2 * CLIENTS * ROUNDS + 1
    assert row["change_requests"] == 2 * CLIENTS * (ROUNDS + 1)
    assert replies == 2 * CLIENTS * ROUNDS
