"""The lists of the API while others write: what is there all along comes exactly once.

An item that is changed so that it moves in its list (a change request by time of change, a space
that is moved) may come twice or not at all; every other one comes once, in order.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copydesk.server import change_requests, conversation_writes, site_writes, threads
from copydesk.server.queries.space import remove_space
from copydesk.server.store import Tx
from tests.world import World


@dataclass(frozen=True)
class Listed:
    """A list: its path and query, and what adds to it, takes from it, and changes an item of it.

    ``moves`` says that a change moves the item in the list.
    """

    path: str
    add: Callable[[World], str]
    remove: Callable[[World, str], object]
    change: Callable[[World, str], object]
    query: Mapping[str, str] | None = None
    moves: bool = False


def handbook(world: World) -> str:
    """Return the one space that things are in, made on first use."""

    def find(tx: Tx) -> str | None:
        found: str | None = tx.value("SELECT id FROM space WHERE title = 'Handbook'")
        return found

    return world.store.read(find) or world.space("Handbook", {"intro": "One.\n"})


def thread(world: World) -> str:
    """Return the one comment that replies are to."""
    space = handbook(world)
    found = world.store.read(
        lambda tx: tx.value("SELECT id FROM comment WHERE body = 'The thread'")
    )
    return str(found or world.comment(space, "The thread"))


def run(sql: str) -> Callable[[World, str], object]:
    return lambda world, key: world.write(lambda tx: tx.run(sql, key))


def new_member(world: World) -> str:
    made = world.user(f"p{world.write(lambda tx: tx.new_id())}")
    seen = "UPDATE member SET last_seen_at = ? WHERE user_id = ?"
    world.write(lambda tx: tx.run(seen, tx.now, made))
    return made


def new_conversation(world: World) -> str:
    return world.write(
        lambda tx: conversation_writes.add_conversation(
            tx, world.home, [("user", "Hm?")], source="api"
        )
    )


CHANGE_REQUESTS = Listed(
    "/spaces/{space}/change-requests",
    lambda world: world.change_request(handbook(world)),
    lambda world, key: world.write(lambda tx: change_requests.set_status(tx, key, "archived")),
    lambda world, key: world.edit_change_request(key, {"intro": f"{world.clock.now}\n"}),
    moves=True,
)
COMMENTS = Listed(
    "/spaces/{space}/comments",
    lambda world: world.comment(handbook(world)),
    lambda world, key: world.write(lambda tx: threads.delete_comment(tx, key)),
    lambda world, key: world.write(lambda tx: threads.edit_comment(tx, key, "Changed")),
)
MEMBERS = Listed(
    "/orgs/{home}/members",
    new_member,
    run("DELETE FROM member WHERE user_id = ?"),
    run("UPDATE member SET role = 'read' WHERE user_id = ?"),
)
LISTS = {
    "change requests of a space": CHANGE_REQUESTS,
    "change requests": Listed(
        "/orgs/{home}/change-requests",
        CHANGE_REQUESTS.add,
        CHANGE_REQUESTS.remove,
        CHANGE_REQUESTS.change,
        moves=True,
    ),
    "comments": COMMENTS,
    "comments, first ones first": Listed(
        COMMENTS.path, COMMENTS.add, COMMENTS.remove, COMMENTS.change, {"order": "asc"}
    ),
    "replies": Listed(
        "/spaces/{space}/comments/{thread}/replies",
        lambda world: world.reply(thread(world)),
        lambda world, key: world.write(lambda tx: threads.delete_reply(tx, key)),
        lambda world, key: world.write(lambda tx: threads.edit_reply(tx, key, "Changed")),
    ),
    "members": MEMBERS,
    "members by when they were seen": Listed(
        MEMBERS.path, MEMBERS.add, MEMBERS.remove, MEMBERS.change, {"sort": "lastSeenAt"}
    ),
    "teams": Listed(
        "/orgs/{home}/teams",
        lambda world: world.team("Team"),
        run("DELETE FROM team WHERE id = ?"),
        run("UPDATE team SET title = 'Renamed' WHERE id = ?"),
    ),
    "spaces": Listed(
        "/orgs/{home}/spaces",
        lambda world: world.space("Space"),
        lambda world, key: world.write(lambda tx: remove_space(tx, key)),
        run("UPDATE space SET position = (SELECT max(position) + 1 FROM space) WHERE id = ?"),
        moves=True,
    ),
    "sites": Listed(
        "/orgs/{home}/sites",
        lambda world: world.write(lambda tx: site_writes.add_site(tx, world.home, "Site")),
        run("DELETE FROM site WHERE id = ?"),
        run("UPDATE site SET title = 'Renamed' WHERE id = ?"),
    ),
    "conversations": Listed(
        "/orgs/{home}/conversations",
        new_conversation,
        run("DELETE FROM conversation WHERE id = ?"),
        run("UPDATE conversation SET subject = 'Changed' WHERE id = ?"),
    ),
    "clusters": Listed(
        "/orgs/{home}/conversations-clusters",
        lambda world: world.write(
            lambda tx: conversation_writes.add_cluster(tx, world.home, "Cluster")
        ),
        run("DELETE FROM cluster WHERE id = ?"),
        lambda world, key: world.write(
            lambda tx: tx.update("cluster", key, updated_at=tx.now, issues=tx.moment.second)
        ),
        moves=True,
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
@settings(
    max_examples=max(10, settings().max_examples // 3),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    size=st.integers(0, 9),
    limit=st.integers(1, 4),
    same_time=st.booleans(),
    writes=st.lists(st.lists(st.sampled_from("arc"), max_size=3), max_size=8),
    chance=st.randoms(use_true_random=False),
)
def test_every_item_comes_once_while_others_write(
    world: World,
    name: str,
    size: int,
    limit: int,
    same_time: bool,
    writes: list[list[str]],
    chance: random.Random,
) -> None:
    asyncio.run(walk(world, LISTS[name], size, limit, same_time, writes, chance))


async def walk(
    world: World,
    listed: Listed,
    size: int,
    limit: int,
    same_time: bool,
    writes: list[list[str]],
    chance: random.Random,
) -> None:
    names = {"home": world.home, "space": handbook(world), "thread": ""}
    if "{thread}" in listed.path:
        names["thread"] = thread(world)
    path = listed.path.format(**names)
    everything = {**(listed.query or {}), "limit": "1000"}
    async with world.client() as client:
        # The world is that of the example before: making one takes longer than emptying a list.
        for item in (await client.get(path, params=everything)).json()["items"]:
            if key_of(item) not in (world.ana, names["space"]):
                listed.remove(world, key_of(item))
        made = []
        for _ in range(size):
            if same_time:  # ties are broken by the id
                world.clock.now -= timedelta(seconds=1)
            made.append(listed.add(world))
        order = [
            key_of(item) for item in (await client.get(path, params=everything)).json()["items"]
        ]
        assert set(made) <= set(order)
        others: set[str] = set()
        seen: list[str] = []
        query = everything | {"limit": str(limit)}
        steps = iter(writes)
        while True:
            answer = await client.get(path, params=query)
            assert answer.status_code == 200
            page = answer.json()
            assert len(page["items"]) <= limit
            seen += [key_of(item) for item in page["items"]]
            assert len(seen) <= len(order) + sum(map(len, writes)), "the list has no end"
            for kind in next(steps, []):
                key = chance.choice(made) if made else None
                if kind == "a":
                    others.add(listed.add(world))
                elif kind == "r" and key is not None:
                    made.remove(key)
                    others.add(key)
                    listed.remove(world, key)
                elif key is not None:
                    listed.change(world, key)
                    if listed.moves:
                        others.add(key)
            if "next" not in page:
                break
            query["page"] = page["next"]["page"]
    assert [key for key in seen if key not in others] == [key for key in order if key not in others]


def key_of(item: dict[str, object]) -> str:
    return str(item["id"])


async def test_a_token_holds_for_the_list_that_gave_it(world: World) -> None:
    space, other = handbook(world), world.space("Other")
    for place in (space, other):
        for _ in range(3):
            world.comment(place)
    async with world.client() as client:
        path, query = f"/spaces/{space}/comments", {"authors": [world.ana, "x"], "status": "open"}
        first = (await client.get(path, params=query | {"limit": "1"})).json()
        token = {"page": first["next"]["page"]}
        for wrong, asked in (
            (f"/spaces/{other}/comments", query),
            (path, {"authors": [world.ana, "x"]}),
            (path, query | {"order": "asc"}),
            (path, {"status": "open"}),
            (f"/orgs/{world.home}/spaces", {}),
        ):
            answer = await client.get(wrong, params=asked | token)
            assert answer.status_code == 400, (wrong, asked)
            assert "query parameter page" in answer.text
        # A default that is said is no other list, nor is the same filter in another order.
        again = {"authors": ["x", world.ana], "status": "open", "order": "desc", "limit": "2"}
        rest = await client.get(path, params=again | token)
        assert len(rest.json()["items"]) == 2
        assert first["items"][0] not in rest.json()["items"]
