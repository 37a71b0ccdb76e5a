"""Teams, over HTTP."""

from __future__ import annotations

from copydesk.server import desk_writes
from tests.world import World


def path(world: World, *more: str) -> str:
    return "/".join((f"/orgs/{world.home}/teams", *more))


async def members(world: World, team: str) -> dict[str, str]:
    async with world.client() as client:
        found = (await client.get(path(world, team, "members"))).json()
    return {item["organization"]["id"]: item["team"]["role"] for item in found["items"]}


async def test_a_team_shows_every_field(world: World) -> None:
    bo = world.user("bo")
    team = world.team("Writers", bo)
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer)
    world.space("In", parent=inner)
    world.grant(outer, team, "edit")
    world.grant(world.space("Direct"), team, "read")
    world.space("Neither")
    async with world.client() as client:
        found = (await client.get(path(world, team))).json()
    assert found.pop("createdAt")
    assert found == {
        "object": "team",
        "id": team,
        "title": "Writers",
        "members": 1,
        "spaces": 2,
        "permissions": {"admin": True, "view": True},
    }


async def test_creating_needs_ownership_and_known_members(world: World) -> None:
    bo = world.user("bo")
    async with world.client() as client:
        made = await client.put(path(world), json={"title": "Writers", "members": [bo]})
        unknown = await client.put(path(world), json={"title": "X", "members": ["nobody"]})
        untitled = await client.put(path(world), json={"title": ""})
        long = await client.put(path(world), json={"title": "x" * 65})
        location = await client.get(made.headers["location"])
    async with world.client(bo) as client:
        refused = await client.put(path(world), json={"title": "Mine"})
    assert made.status_code == 201
    assert location.json() == made.json()
    assert await members(world, made.json()["id"]) == {bo: "member"}
    assert [a.status_code for a in (unknown, untitled, long, refused)] == [400, 400, 400, 403]
    assert "'nobody'" in unknown.json()["error"]["message"]


async def test_lists_filter_by_owner_and_name(world: World) -> None:
    bo = world.user("bo")
    home = world.home
    owned = world.write(lambda tx: desk_writes.add_team(tx, home, "Owned", owners=[bo]))
    other = world.team("Other", bo)
    async with world.client(bo) as client:
        every = (await client.get(path(world))).json()
        mine = (await client.get(path(world), params={"owner": bo})).json()
        anas = (await client.get(path(world), params={"owner": world.ana})).json()
        named = (await client.get(path(world), params={"title": "OTH"})).json()
    assert [item["id"] for item in every["items"]] == [other, owned]
    assert [item["id"] for item in mine["items"]] == [owned]
    assert anas["count"] == 2
    assert [item["id"] for item in named["items"]] == [other]


async def test_owners_manage_their_team_only(world: World) -> None:
    bo = world.user("bo")
    home = world.home
    owned = world.write(lambda tx: desk_writes.add_team(tx, home, "Owned", owners=[bo]))
    other = world.team("Other", bo)
    async with world.client(bo) as client:
        added = await client.put(path(world, owned, "members", world.ana), json={})
        removed = await client.put(path(world, owned, "members"), json={"remove": [world.ana]})
        # The team itself is the organization's.
        refused = [
            await client.put(path(world, other, "members", world.ana), json={}),
            await client.patch(path(world, owned), json={"title": "Renamed"}),
            await client.delete(path(world, owned)),
        ]
        found = (await client.get(path(world, owned))).json()
    assert (added.status_code, removed.status_code) == (204, 204)
    assert [answer.status_code for answer in refused] == [403] * 3
    assert found["permissions"] == {"admin": False, "view": True}


async def test_guests_see_the_teams_that_they_are_in(world: World) -> None:
    gil = world.user("gil", None)
    own, other = world.team("Own", gil), world.team("Other")
    async with world.client(gil) as client:
        answers = [
            await client.get(path(world, own)),
            await client.get(path(world, other)),
            await client.get(path(world)),
        ]
    assert [answer.status_code for answer in answers] == [200, 403, 403]
    assert answers[0].json()["permissions"] == {"admin": False, "view": True}


async def test_deleting_withdraws_grants(world: World) -> None:
    gil = world.user("gil", None)
    team = world.team("Readers", gil)
    space = world.space("Secret", default_level=None)
    world.grant(space, team, "read")
    async with world.client(gil) as client:
        assert (await client.get(f"/spaces/{space}")).status_code == 200
    async with world.client() as client:
        assert (await client.delete(path(world, team))).status_code == 205
        assert (await client.delete(path(world, team))).status_code == 204
        assert (await client.get(path(world, team))).status_code == 404
    async with world.client(gil) as client:
        assert (await client.get(f"/spaces/{space}")).status_code == 404


async def test_members_are_added_removed_and_promoted_at_once(world: World) -> None:
    bo, cy, dee = (world.user(name) for name in ("bo", "cy", "dee"))
    team = world.team("Writers", bo)
    body = {
        "add": ["CY@example.org", dee],
        "remove": [bo, dee, "stranger@example.org"],
        "memberships": {cy: {"role": "owner"}, world.ana: {}},
    }
    async with world.client() as client:
        answer = await client.put(path(world, team, "members"), json=body)
        unknown = await client.put(path(world, team, "members"), json={"add": ["nobody"]})
    assert (answer.status_code, answer.content) == (204, b"")
    assert await members(world, team) == {cy: "owner", world.ana: "member"}
    assert unknown.status_code == 400
    assert "body.add" in unknown.text


async def test_a_refused_update_changes_nobody(world: World) -> None:
    bo = world.user("bo")
    team = world.team("Writers")
    async with world.client() as client:
        answer = await client.put(path(world, team, "members"), json={"add": [bo, "nobody"]})
    assert answer.status_code == 400
    assert await members(world, team) == {}


async def test_one_member_is_added_promoted_and_removed(world: World) -> None:
    bo = world.user("bo")
    team = world.team("Writers")
    async with world.client() as client:
        there = path(world, team, "members", bo)
        added = await client.put(there, json={})
        assert await members(world, team) == {bo: "member"}
        promoted = await client.put(there, json={"role": "owner"})
        kept = await client.put(there, json={})
        assert await members(world, team) == {bo: "owner"}
        wrong = await client.put(there, json={"role": "king"})
        nobody = await client.put(path(world, team, "members", "nobody"), json={})
        removed = await client.delete(there)
        again = await client.delete(there)
    codes = [a.status_code for a in (added, promoted, kept, wrong, nobody, removed, again)]
    assert codes == [204, 204, 204, 400, 404, 205, 204]


async def test_members_manage_nothing_but_may_leave(world: World) -> None:
    bo, cy = world.user("bo"), world.user("cy")
    team = world.team("Writers", bo, cy)
    async with world.client(bo) as client:
        refused = await client.delete(path(world, team, "members", cy))
        left = await client.delete(path(world, team, "members", bo))
    assert (refused.status_code, left.status_code) == (403, 205)


async def test_members_of_a_team_page(world: World) -> None:
    people = [world.user(name) for name in ("bo", "cy", "dee")]
    team = world.team("Writers", *people)
    async with world.client() as client:
        there = path(world, team, "members")
        first = (await client.get(there, params={"limit": 2})).json()
        rest = (await client.get(there, params={"page": first["next"]["page"]})).json()
    found = [item["organization"]["id"] for item in first["items"] + rest["items"]]
    assert found == people[::-1]
    assert first["count"] == 3
    assert first["items"][0]["permissions"] == {"view": True}
    assert "next" not in rest
