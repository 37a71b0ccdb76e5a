"""People of an organization, over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest

from copydesk.server import desk_writes
from copydesk.server.store import Tx
from tests.world import START, World


def path(world: World, *more: str) -> str:
    return "/".join((f"/orgs/{world.home}/members", *more))


async def test_a_member_shows_every_field(world: World) -> None:
    bo = world.user("bo", "review")
    world.team("Writers", bo)
    world.space("One")
    hidden = world.space("Two", default_level=None)
    world.space("Three", default_level=None)
    world.grant(hidden, bo, "read")
    async with world.client() as client:
        await client.post(f"/orgs/{world.home}/sites", json={})
        found = (await client.get(path(world, bo))).json()
    assert found.pop("joinedAt")
    assert found == {
        "object": "member",
        "id": bo,
        "role": "review",
        "user": {
            "object": "user",
            "id": bo,
            "displayName": "Bo",
            "email": "bo@example.org",
            "urls": {"location": f"http://desk/v1/orgs/{world.home}/members/{bo}"},
        },
        "disabled": False,
        "sso": False,
        "spaces": 2,
        "teams": 1,
        "sites": 1,
    }


async def test_a_guests_role_is_null(world: World) -> None:
    gil = world.user("gil", None)
    world.space("One")
    async with world.client() as client:
        found = (await client.get(path(world, gil))).json()
    assert found["role"] is None
    assert found["spaces"] == 0


async def test_spaces_are_counted_through_collections_and_teams(world: World) -> None:
    gil = world.user("gil", None)
    team = world.team("Readers", gil)
    outer = world.collection("Outer")
    inner = world.collection("Inner", parent=outer)
    for parent in (outer, inner, inner, None):
        world.space("A space", parent=parent)
    world.grant(inner, team, "read")
    async with world.client() as client:
        assert (await client.get(path(world, gil))).json()["spaces"] == 2
        listed = (await client.get(path(world, gil, "spaces"))).json()
    assert listed["count"] == 2
    assert {item["permission"] for item in listed["items"]} == {"read"}


async def test_lists_page_both_ways_and_filter(world: World) -> None:
    people = [world.ana, *(world.user(name) for name in ("bo", "cy", "dee", "Éva"))]
    gil = world.user("gil", None)
    async with world.client() as client:
        collected: list[str] = []
        query: dict[str, str] = {"limit": "2", "order": "asc"}
        while True:
            found = (await client.get(path(world), params=query)).json()
            collected += [item["id"] for item in found["items"]]
            assert found["count"] == 6
            if "next" not in found:
                break
            query["page"] = found["next"]["page"]
        newest = (await client.get(path(world), params={"limit": 1})).json()
        guests = (await client.get(path(world), params={"role": "guest"})).json()
        editors = (await client.get(path(world), params={"role": "edit"})).json()
        named = (await client.get(path(world), params={"search": "éVA"})).json()
        mailed = (await client.get(path(world), params={"search": "BO@"})).json()
    assert collected == [*people, gil]
    assert [item["id"] for item in newest["items"]] == [gil]
    assert [item["id"] for item in guests["items"]] == [gil]
    assert {item["id"] for item in editors["items"]} == set(people[1:])
    assert [item["id"] for item in named["items"]] == [people[4]]
    assert [item["id"] for item in mailed["items"]] == [people[1]]


async def test_by_last_seen_only_active_members_are_listed(world: World) -> None:
    home = world.home
    people = {"bo": (False, 1), "cy": (True, 2), "dee": (False, None)}
    ids = {name: world.user(name, member=False) for name in people}

    def add(tx: Tx) -> None:
        for name, (disabled, days) in people.items():
            seen = None if days is None else START - timedelta(days=days)
            desk_writes.add_member(tx, home, ids[name], disabled=disabled, last_seen=seen)

    world.write(add)
    async with world.client() as client:
        await client.post(f"/orgs/{home}/ping")
        found = (await client.get(path(world), params={"sort": "lastSeenAt"})).json()
    assert [item["id"] for item in found["items"]] == [world.ana, ids["bo"]]


async def test_listing_takes_a_role_but_everyone_sees_themselves(world: World) -> None:
    gil = world.user("gil", None)
    async with world.client(gil) as client:
        refused = await client.get(path(world))
        other = await client.get(path(world, world.ana))
        own = await client.get(path(world, gil))
    assert refused.status_code == other.status_code == 403
    assert "'listMembers'" in refused.json()["error"]["message"]
    assert own.status_code == 200


async def test_a_role_changes_and_null_makes_a_guest(world: World) -> None:
    bo = world.user("bo")
    async with world.client() as client:
        raised = await client.patch(path(world, bo), json={"role": "create"})
        guest = await client.patch(path(world, bo), json={"role": None})
        same = await client.patch(path(world, bo), json={})
        wrong = await client.patch(path(world, bo), json={"role": "king"})
        unknown = await client.patch(path(world, "nobody"), json={"role": "read"})
    assert raised.json()["role"] == "create"
    assert guest.json()["role"] is None
    assert same.json()["role"] is None
    assert wrong.status_code == 400
    assert unknown.status_code == 404


async def test_the_last_administrator_stays(world: World) -> None:
    bo = world.user("bo")
    async with world.client() as client:
        demoted = await client.patch(path(world, world.ana), json={"role": "read"})
        removed = await client.delete(path(world, world.ana))
        await client.patch(path(world, bo), json={"role": "admin"})
        now = await client.patch(path(world, world.ana), json={"role": "read"})
    assert demoted.status_code == removed.status_code == 412
    assert "only administrator" in demoted.json()["error"]["message"]
    assert now.status_code == 200


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_people_are_managed_by_administrators(world: World, method: str) -> None:
    bo, cy = world.user("bo", "create"), world.user("cy")
    async with world.client(bo) as client:
        answer = await client.request(
            method, path(world, cy), json={"role": "read"} if method == "PATCH" else None
        )
    assert answer.status_code == 403


async def test_removing_takes_everything_of_theirs_along(world: World) -> None:
    bo = world.user("bo")
    team = world.team("Writers", bo)
    space = world.space("One", default_level=None)
    world.grant(space, bo, "admin")
    async with world.client() as client:
        first = await client.delete(path(world, bo))
        second = await client.delete(path(world, bo))
        gone = await client.get(path(world, bo))
        assert (await client.get(f"/orgs/{world.home}/teams/{team}")).json()["members"] == 0
    assert (first.status_code, first.content) == (205, b"")
    assert second.status_code == 204
    assert gone.status_code == 404
    grants = world.store.read(
        lambda tx: tx.value("SELECT count(*) FROM access_grant WHERE subject_id = ?", bo)
    )
    assert grants == 0


async def test_anyone_may_leave(world: World) -> None:
    bo = world.user("bo", "read")
    async with world.client(bo) as client:
        assert (await client.delete(path(world, bo))).status_code == 205
        assert (await client.get(f"/orgs/{world.home}")).status_code == 404


async def test_single_sign_on_members(world: World) -> None:
    bo, cy = world.user("bo"), world.user("cy", member=False)
    async with world.client() as client:
        known = await client.post(path(world, bo, "sso"))
        elsewhere = await client.post(path(world, cy, "sso"))
        body = {"emailDomains": ["example.org"]}
        assert (await client.patch(f"/orgs/{world.home}", json=body)).status_code == 200
        new = await client.post(path(world, cy, "sso"))
        nobody = await client.post(path(world, "nobody", "sso"))
    assert known.json()["sso"]
    assert known.json()["role"] == "edit"
    assert new.json()["sso"]
    assert new.json()["role"] is None
    assert (elsewhere.status_code, nobody.status_code) == (404, 404)
    assert elsewhere.text.replace(cy, "") == nobody.text.replace("nobody", "")


async def test_pinging_notes_the_time(world: World) -> None:
    async with world.client() as client:
        answer = await client.post(f"/orgs/{world.home}/ping")
        member = (await client.get(path(world, world.ana))).json()
    assert (answer.status_code, answer.json()) == (200, {})
    assert member["lastSeenAt"] > member["joinedAt"]


async def test_spaces_of_a_member_are_those_that_the_caller_sees_too(world: World) -> None:
    bo, cy = world.user("bo", "create"), world.user("cy", "read")
    shared = world.space("Shared")
    hidden = world.space("Hidden", default_level=None)
    world.grant(hidden, cy, "comment")
    deleted = world.space("Deleted")
    async with world.client() as client:
        await client.delete(f"/spaces/{deleted}")
        for_ana = (await client.get(path(world, cy, "spaces"))).json()["items"]
        oldest = (await client.get(path(world, cy, "spaces"), params={"order": "asc"})).json()
    async with world.client(bo) as client:
        for_bo = (await client.get(path(world, cy, "spaces"))).json()["items"]
    assert [(i["permission"], i["space"]["id"]) for i in for_ana] == [
        ("comment", hidden),
        ("read", shared),
    ]
    assert [item["space"]["id"] for item in oldest["items"]] == [shared, hidden]
    assert [item["space"]["id"] for item in for_bo] == [shared]


async def test_teams_of_a_member_by_part_of_the_name(world: World) -> None:
    bo = world.user("bo")
    writers = world.team("Writers", bo)
    editors = world.team("Editors", bo)
    world.team("Others")
    async with world.client() as client:
        every = (await client.get(path(world, bo, "teams"))).json()
        some = (await client.get(path(world, bo, "teams"), params={"title": "WRIT"})).json()
    assert [item["team"]["id"] for item in every["items"]] == [editors, writers]
    assert [(i["team"]["id"], i["member"]["role"]) for i in some["items"]] == [(writers, "member")]
