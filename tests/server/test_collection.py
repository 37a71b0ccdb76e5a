"""Collections and the order that they share with spaces, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copydesk.server import desk_writes
from copydesk.server.store import Tx
from tests.world import World


async def listed(world: World, user: str | None = None, **query: str) -> list[str]:
    async with world.client(user) as client:
        found = await client.get(f"/orgs/{world.home}/collections", params=query)
    return [item["id"] for item in found.json()["items"]]


def beside(side: str, space: str) -> dict[str, Any]:
    return {side: {"type": "space", "space": space}}


async def test_a_collection_shows_every_field(world: World) -> None:
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer, description="What is inside")
    async with world.client() as client:
        found = (await client.get(f"/collections/{inner}")).json()
    assert found == {
        "object": "collection",
        "id": inner,
        "title": "Inner",
        "description": "What is inside",
        "organization": world.home,
        "parent": outer,
        "defaultLevel": "inherit",
        "urls": {
            "location": f"http://desk/v1/collections/{inner}",
            "app": f"http://desk/app/o/{world.home}/c/{inner}",
        },
        "permissions": {"view": True, "admin": True, "viewInviteLinks": True, "create": True},
    }


async def test_lists_nest_unless_told_not_to_and_hide_what_is_hidden(world: World) -> None:
    reader = world.user("rosa", "read")
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer)
    secret = world.collection("Secret", default_level=None)
    assert sorted(await listed(world)) == sorted([outer, inner, secret])
    assert await listed(world, nested="false") == [outer, secret]
    assert sorted(await listed(world, reader)) == sorted([outer, inner])


async def test_collections_may_be_nested_very_deep(world: World) -> None:
    reader = world.user("rosa", "read")

    def nest(tx: Tx) -> str:
        parent = None
        for _ in range(1200):
            parent = desk_writes.add_collection(tx, world.home, "In", parent=parent)
        assert parent is not None
        return parent

    deepest = world.write(nest)
    async with world.client(reader) as client:
        found = await client.get(f"/collections/{deepest}")
    assert found.status_code == 200
    assert found.json()["permissions"]["view"] is True


async def test_creating_takes_the_right_to(world: World) -> None:
    creator, editor = world.user("cy", "create"), world.user("ed", "edit")
    outer = world.collection("Outer")
    other = world.collection("Other", organization=world.organization("Other", world.ana))
    path = f"/orgs/{world.home}/collections"
    async with world.client(creator) as client:
        made = await client.post(path, json={"title": "New", "parent": outer})
        wrong = await client.post(path, json={"title": "New", "parent": other})
        unknown = await client.post(path, json={"title": "New", "parent": "none"})
        long = await client.post(path, json={"title": "x" * 51})
        located = await client.get(made.headers["location"])
    async with world.client(editor) as client:
        refused = await client.post(path, json={"title": "New"})
        inside = await client.post(path, json={"title": "New", "parent": outer})
    assert made.status_code == 201
    assert made.json()["parent"] == outer
    assert made.json()["permissions"]["admin"]
    assert located.json() == made.json()
    codes = [a.status_code for a in (wrong, unknown, long, refused, inside)]
    assert codes == [404, 404, 400, 403, 403]


async def test_changing_is_for_administrators_of_it(world: World) -> None:
    bo = world.user("bo")
    collection = world.collection("Before")
    async with world.client(bo) as client:
        path = f"/collections/{collection}"
        refused = await client.patch(path, json={"title": "After"})
        world.grant(collection, bo, "admin")
        changes = {"title": "After", "description": "Now", "defaultLevel": None}
        changed = await client.patch(path, json=changes)
        too_long = await client.patch(path, json={"description": "x" * 101})
    assert refused.status_code == 403
    assert {name: changed.json()[name] for name in changes} == changes
    assert too_long.status_code == 400


async def test_taking_ones_own_rights_away_is_answered(world: World) -> None:
    collection = world.collection("Open", default_level="admin")
    bo = world.user("bo")
    async with world.client(bo) as client:
        path = f"/collections/{collection}"
        answer = await client.patch(path, json={"defaultLevel": None})
        gone = await client.get(path)
    assert answer.status_code == 200
    assert not any(answer.json()["permissions"].values())
    assert gone.status_code == 404


async def test_only_an_empty_collection_is_deleted(world: World) -> None:
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer)
    space = world.space("Inside", parent=inner)
    async with world.client() as client:
        full = await client.delete(f"/collections/{outer}")
        also_full = await client.delete(f"/collections/{inner}")
        await client.delete(f"/spaces/{space}")
        deleted = await client.delete(f"/collections/{inner}")
        again = await client.delete(f"/collections/{inner}")
        restored = (await client.post(f"/spaces/{space}/restore")).json()
    assert full.status_code == also_full.status_code == 412
    assert "1 collection." in full.json()["error"]["message"]
    assert "1 space." in also_full.json()["error"]["message"]
    assert (deleted.status_code, again.status_code) == (205, 204)
    assert restored["parent"] == outer


async def test_deleting_is_for_administrators_of_it(world: World) -> None:
    bo = world.user("bo")
    collection = world.collection("Kept")
    secret = world.collection("Secret", default_level=None)
    async with world.client(bo) as client:
        assert (await client.delete(f"/collections/{collection}")).status_code == 403
        assert (await client.delete(f"/collections/{secret}")).status_code == 204
    assert await listed(world) == [collection, secret]


async def test_spaces_of_a_collection_are_in_order_and_page(world: World) -> None:
    collection = world.collection("Shelf")
    spaces = [world.space(f"Space {number}", parent=collection) for number in range(5)]
    world.space("Elsewhere")
    async with world.client() as client:
        path = f"/collections/{collection}/spaces"
        first = (await client.get(path, params={"limit": 3})).json()
        rest = (await client.get(path, params={"page": first["next"]["page"]})).json()
        bad = await client.get(path, params={"page": "nonsense"})
        over = await client.get(path, params={"limit": 1001})
    assert [item["id"] for item in first["items"] + rest["items"]] == spaces
    assert first["count"] == 5
    assert bad.status_code == over.status_code == 400


async def test_a_collection_moves_among_spaces_and_into_others(world: World) -> None:
    one = world.space("One")
    shelf = world.collection("Shelf")
    two = world.space("Two")
    target = world.collection("Target")
    async with world.client() as client:
        path = f"/collections/{shelf}/move"
        first = await client.post(path, json={"position": beside("before", one)})
        assert await listed(world) == [shelf, target]
        same = await client.post(path, json={"position": beside("before", one)})
        inside = await client.post(path, json={"parent": target})
        again = await client.post(path, json={"parent": target})
        back = await client.post(path, json={"parent": None, "position": beside("after", two)})
        box = {"position": {"after": {"type": "collection", "collection": target}}}
        last = await client.post(f"/spaces/{one}/move", json=box)
        wrong = await client.post(f"/spaces/{one}/move", json={"position": beside("after", target)})
        spaces = (await client.get(f"/orgs/{world.home}/spaces")).json()["items"]
    codes = [a.status_code for a in (first, same, inside, again, back, last, wrong)]
    assert codes == [200, 409, 200, 409, 200, 200, 400]
    assert [space["id"] for space in spaces] == [two, one]
    assert inside.json()["parent"] == target
    assert "parent" not in back.json()
    assert await listed(world) == [shelf, target]


async def test_wrong_places_are_refused(world: World) -> None:
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer)
    inside = world.space("Inside", parent=inner)
    async with world.client() as client:
        path = f"/collections/{outer}/move"
        itself = await client.post(path, json={"parent": outer})
        below = await client.post(path, json={"parent": inner})
        elsewhere = await client.post(path, json={"position": beside("after", inside)})
        unknown = await client.post(path, json={"parent": "none"})
        nothing = await client.post(path, json={})
        both = await client.post(
            path, json={"position": beside("after", inside) | beside("before", inside)}
        )
        missing = await client.post("/collections/none/move", json={})
    codes = [a.status_code for a in (itself, below, elsewhere, unknown, nothing, both, missing)]
    assert codes == [400, 400, 400, 404, 409, 400, 404]


async def test_moving_takes_both_rights(world: World) -> None:
    bo = world.user("bo")
    shelf, target = world.collection("Shelf"), world.collection("Target")
    async with world.client(bo) as client:
        body = {"parent": target}
        assert (await client.post(f"/collections/{shelf}/move", json=body)).status_code == 403
        world.grant(shelf, bo, "admin")
        assert (await client.post(f"/collections/{shelf}/move", json=body)).status_code == 403
        world.grant(target, bo, "create")
        assert (await client.post(f"/collections/{shelf}/move", json=body)).status_code == 200


async def test_a_transfer_takes_everything_along(world: World) -> None:
    bo = world.user("bo")
    other = world.organization("Other", world.ana)
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer)
    space = world.space("Deep", {"intro": "Hello.\n"}, parent=inner)
    request = world.change_request(space, {"intro": "Changed.\n"})
    world.grant(space, bo, "admin")
    async with world.client() as client:
        path = f"/collections/{outer}/transfer"
        moved = await client.post(path, json={"organization": other})
        again = await client.post(path, json={"organization": other})
        below = (await client.get(f"/collections/{inner}")).json()
        deep = (await client.get(f"/spaces/{space}")).json()
    async with world.client(bo) as client:
        assert (await client.get(f"/spaces/{space}")).status_code == 404
    assert (moved.status_code, again.status_code) == (200, 409)
    assert (moved.json()["organization"], below["organization"]) == (other, other)
    assert (deep["organization"], deep["parent"]) == (other, inner)
    assert world.row("change_request", request)["organization_id"] == other
    assert await listed(world) == []


async def test_a_transfer_is_refused_whole(world: World) -> None:
    other = world.organization("Other", world.ana)
    strange = world.organization("Strange")
    outer = world.collection("Outer")
    free = world.space("Free", parent=outer)
    bo = world.user("bo")
    rule = {"rule": "require_specific_reviewers", "users": [bo]}
    world.space("Bound", parent=outer, merge_rules={"type": "rules", "rules": [rule]})
    async with world.client() as client:
        path = f"/collections/{outer}/transfer"
        bound = await client.post(path, json={"organization": other})
        unseen = await client.post(path, json={"organization": strange})
    assert bound.status_code == 412
    assert "'Bound'" in bound.json()["error"]["message"]
    assert unseen.status_code == 404
    assert world.row("space", free)["organization_id"] == world.home


@pytest.mark.parametrize("side", ["before", "after"])
async def test_many_moves_into_one_gap_keep_the_order(world: World, side: str) -> None:
    """More moves than a double has halves between two numbers."""
    anchor = world.space("Anchor")
    spaces = [world.space(f"Space {number}") for number in range(2)]
    async with world.client() as client:
        for turn in range(120):
            body = {"position": beside(side, anchor)}
            moved = spaces[turn % 2]
            answer = await client.post(f"/spaces/{moved}/move", json=body)
            assert answer.status_code in (200, 409)
            found = (await client.get(f"/orgs/{world.home}/spaces")).json()["items"]
            order = [item["id"] for item in found]
            near = order.index(anchor) + (-1 if side == "before" else 1)
            assert order[near] == moved
    assert await listed(world) == []


async def test_positions_are_numbered_anew_when_none_is_left(world: World) -> None:
    home = world.home
    first, second, third = (world.space(title) for title in ("One", "Two", "Three"))
    world.write(lambda tx: tx.update("space", second, position=1.0))
    world.write(lambda tx: tx.update("space", first, position=1.0))
    assert world.store.read(lambda tx: desk_writes.last_position(tx, home, None)) == 4.0
    async with world.client() as client:
        body = {"position": beside("after", first)}
        assert (await client.post(f"/spaces/{third}/move", json=body)).status_code == 200
        found = (await client.get(f"/orgs/{home}/spaces")).json()["items"]
    assert [item["id"] for item in found] == [first, third, second]


async def test_an_id_is_not_taken_for_what_the_desk_keeps_of_collections(tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    collection = world.collection("Guides")
    async with world.client() as client:
        known = await client.get(f"/collections/{collection}")
        unknown = await client.get("/collections/collections")
    assert (known.status_code, unknown.status_code) == (200, 404)
    world.close()
