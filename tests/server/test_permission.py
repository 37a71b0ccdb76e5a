"""Who may do what in spaces, collections and sites: listed, decided and changed over HTTP."""

from __future__ import annotations

import random
from typing import Any

import httpx
import pytest

from copydesk.domain.access import LEVELS, Holder, Kind, level_from, rank, sources
from copydesk.server import desk_writes, site_writes
from copydesk.server.access import (
    COLLECTION_PERMISSIONS,
    SPACE_PERMISSIONS,
    permissions,
)
from copydesk.server.store import Tx
from copydesk.session.reads.access import read_chain, read_person
from tests.world import World

Json = dict[str, Any]


async def items(client: httpx.AsyncClient, path: str, **query: str) -> list[Json]:
    """Return everything that a list has, read in pages of three."""
    found: list[Json] = []
    asked = {"limit": "3", **query}
    while True:
        answer = await client.get(path, params=asked)
        assert answer.status_code == 200, answer.text
        found += answer.json()["items"]
        if "next" not in answer.json():
            assert answer.json()["count"] == len(found)
            return found
        asked["page"] = answer.json()["next"]["page"]


async def levels(client: httpx.AsyncClient, path: str, **query: str) -> dict[str, str | None]:
    """Return the listed levels by the ids of people or teams."""
    return {
        each["user" if "user" in each else "team"]["id"]: each["permission"]
        for each in await items(client, path, **query)
    }


def a_site(world: World) -> str:
    home = world.home
    return world.write(lambda tx: site_writes.add_site(tx, home, "Docs"))


class Office:
    """An organization at random: people of every role, teams, collections in each other, grants."""

    def __init__(self, world: World, seed: int) -> None:
        chance = random.Random(seed)
        roles = [*LEVELS, None, None]
        assert world.ana
        self.people = [world.user(f"p{n}", chance.choice(roles)) for n in range(7)]
        world.write(
            lambda tx: tx.run("UPDATE member SET disabled = 1 WHERE user_id = ?", self.people[0])
        )
        teams = [world.team(f"Team {n}", *chance.sample(self.people, 3)) for n in range(3)]
        defaults = [*LEVELS, None, *["inherit"] * 5]
        self.collections: list[str] = []
        self.spaces: list[str] = []
        for number in range(5):
            parent = chance.choice([None, *self.collections])
            level = chance.choice(defaults)
            self.collections.append(
                world.collection(f"C{number}", parent=parent, default_level=level)
            )
        for number in range(5):
            parent = chance.choice([None, *self.collections])
            level = chance.choice(defaults)
            self.spaces.append(world.space(f"S{number}", parent=parent, default_level=level))
        self.sites = [a_site(world) for _ in range(2)]
        places = [*self.collections, *self.spaces, *self.sites]
        for _ in range(14):
            world.grant(
                chance.choice(places),
                chance.choice([*self.people, *teams]),
                chance.choice(LEVELS),
            )


async def explained(world: World, place: Holder, person: str) -> str | None:
    """Return the level that a client makes of all that gives somebody one."""
    api = world.api()
    async with api:
        chain = await read_chain(api, place, world.ana, True)
        found = await read_person(api, world.home, person)
    return level_from(sources(chain, "Acme", found))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
async def test_what_is_listed_is_what_decides_and_is_explained(world: World, seed: int) -> None:
    office = Office(world, seed)
    containers: list[tuple[Kind, str]] = [
        *(("space", key) for key in office.spaces),
        *(("collection", key) for key in office.collections),
    ]
    for kind, key in containers:
        table = SPACE_PERMISSIONS if kind == "space" else COLLECTION_PERMISSIONS
        path = f"/{kind}s/{key}"
        async with world.client() as ana:
            listed = await levels(ana, f"{path}/permissions/aggregate")
            for level in LEVELS:
                asked = await levels(ana, f"{path}/permissions/aggregate", role=level)
                assert asked == {who: has for who, has in listed.items() if has == level}
        assert None not in listed.values()
        for person in office.people:
            assert await explained(world, Holder(kind, key), person) == listed.get(person)
            async with world.client(person) as client:
                seen = await client.get(path)
                renamed = await client.patch(path, json={"title": "X"})
            assert (seen.status_code == 200) == (person in listed), (key, person)
            if person in listed:
                may = permissions(table, listed[person])
                assert seen.json()["permissions"] == may
                assert (renamed.status_code == 200) == may["admin"]
    for site in office.sites:
        path = f"/orgs/{world.home}/sites/{site}"
        async with world.client() as ana:
            listed = await levels(ana, f"{path}/permissions/aggregate", sort="name", order="asc")
        assert set(listed) == {world.ana, *office.people}
        for person in office.people:
            place = Holder("site", site, world.home)
            assert await explained(world, place, person) == listed[person]
            async with world.client(person) as client:
                changed = await client.patch(path, json={"title": "Docs"})
                down = await client.post(f"{path}/unpublish")
            has = rank(listed[person])
            # A disabled member is not in the organization.
            refused = 404 if person == office.people[0] else 403
            assert changed.status_code == (200 if has >= rank("create") else refused)
            assert down.status_code == (200 if has >= rank("admin") else refused)


async def test_levels_are_given_changed_and_taken_away(world: World) -> None:
    bo, cy = world.user("bo", "read"), world.user("cy", None)
    team = world.team("Writers", cy)
    space = world.space("Handbook", default_level=None)
    collection, site = world.collection("Shelf", default_level=None), a_site(world)
    for path in (
        f"/spaces/{space}",
        f"/collections/{collection}",
        f"/orgs/{world.home}/sites/{site}",
    ):
        at = f"{path}/permissions"
        base: dict[str, str | None] = {world.ana: "admin"}
        if "/sites/" in path:
            base |= {bo: "read", cy: None}
        async with world.client() as ana:
            assert await levels(ana, f"{at}/aggregate") == base
            body: Json = {"users": ["bo@example.org"], "teams": [team], "role": "edit"}
            assert (await ana.post(at, json=body)).status_code == 204
            assert await levels(ana, f"{at}/users") == {bo: "edit"}
            assert await levels(ana, f"{at}/teams") == {team: "edit"}
            assert await levels(ana, f"{at}/aggregate") == base | {bo: "edit", cy: "edit"}
            given = await ana.patch(f"{at}/users/{cy}", json={"role": "review"})
            kept = await ana.patch(f"{at}/users/{cy}", json={})
            assert (given.status_code, kept.status_code) == (204, 204)
            assert await levels(ana, f"{at}/users") == {bo: "edit", cy: "review"}
            more = await ana.patch(f"{at}/teams/{team}", json={"role": "create"})
            assert more.status_code == 204
            assert await levels(ana, f"{at}/aggregate") == base | {bo: "edit", cy: "create"}
            for rest, codes in ((f"users/{cy}", [205, 204]), (f"teams/{team}", [205, 204])):
                answers = [(await ana.delete(f"{at}/{rest}")).status_code for _ in codes]
                assert answers == codes
            # Without a role it is read; null takes it away where that may be sent.
            assert (await ana.post(at, json={"users": [cy]})).status_code == 204
            assert (await levels(ana, f"{at}/users"))[cy] == "read"
            nothing = await ana.patch(f"{at}/users/{cy}", json={"role": None})
            assert nothing.status_code == (400 if "/sites/" in path else 204)
            assert (cy in await levels(ana, f"{at}/users")) == ("/sites/" in path)
            wrong: list[tuple[Json, int]] = [
                ({}, 400),
                ({"users": []}, 400),
                ({"users": ["nobody"]}, 404),
                ({"teams": ["none"]}, 404),
                ({"users": [bo], "role": "owner"}, 400),
            ]
            for sent, code in wrong:
                assert (await ana.post(at, json=sent)).status_code == code, sent
            assert (await ana.patch(f"{at}/users/none", json={"role": "read"})).status_code == 404
            assert (await ana.patch(f"{at}/teams/none", json={"role": "read"})).status_code == 404


async def test_a_level_on_a_site_says_where_it_comes_from(world: World) -> None:
    bo, cy, dee = world.user("bo", "read"), world.user("cy", None), world.user("dee", "create")
    eve = world.user("eve", "edit")
    world.write(lambda tx: tx.run("UPDATE member SET disabled = 1 WHERE user_id = ?", eve))
    team, other = world.team("Writers", cy, dee), world.team("Readers", cy)
    site = a_site(world)
    world.grant(site, bo, "admin")
    world.grant(site, team, "create")
    world.grant(site, other, "read")
    path = f"/orgs/{world.home}/sites/{site}"
    async with world.client() as ana, world.client(bo) as client:
        found = await items(ana, f"{path}/permissions/aggregate", sort="name", order="asc")
        members = [each["user"]["displayName"] for each in found]
        assert members == ["Ana Silva", "Bo", "Cy", "Dee", "Eve"]
        home = {"type": "organization", "organization": world.home}
        through = {"type": "site", "site": site, "reason": "team", "team": team}
        assert [each["origin"] for each in found] == [
            home, {"type": "site", "site": site, "reason": "member"}, through, home, home,
        ]  # fmt: skip
        assert [each["permission"] for each in found] == [
            "admin",
            "admin",
            "create",
            "create",
            None,
        ]
        assert [each["disabled"] for each in found] == [False] * 4 + [True]
        asked = {"sort": "name", "order": "asc"}
        for more, ids in (
            ({"search": "BO@"}, [bo]),
            ({"team": team}, [cy, dee]),
            ({"role": "guest"}, [eve]),
            ({"role": "create"}, [cy, dee]),
            ({"sort": "lastSeenAt"}, []),
        ):
            few = await items(ana, f"{path}/permissions/aggregate", **asked | more)
            assert [each["user"]["id"] for each in few] == ids, more
        missing = await ana.get(f"{path}/permissions/aggregate", params={"team": "none"})
        assert missing.status_code == 404
        # Who administers the site may do so without a role in the organization that says it.
        assert (await client.patch(path, json={"title": "Manual"})).status_code == 200
        assert (await client.delete(f"{path}/permissions/users/{bo}")).status_code == 205
        assert (await client.patch(path, json={"title": "Docs"})).status_code == 403
        # With the site goes what was given on it, and with a member what they were given.
        world.grant(site, bo, "admin")
        assert (await ana.delete(f"/orgs/{world.home}/members/{bo}")).status_code == 205
        assert await levels(ana, f"{path}/permissions/users") == {}
        assert (await ana.delete(path)).status_code == 204
    left = world.store.read(lambda tx: tx.value("SELECT count(*) FROM access_grant"))
    assert left == 0


async def test_what_each_of_very_many_was_given_is_read(world: World) -> None:
    space, home = world.space("Handbook"), world.home

    def build(tx: Tx) -> None:
        for number in range(2_100):
            user = desk_writes.add_user(tx, f"P{number}", f"p{number}@example.org")
            desk_writes.add_member(tx, home, user, "read")
            desk_writes.grant(tx, space, user, "comment")

    world.write(build)
    async with world.api() as api:
        (here,) = await read_chain(api, Holder("space", space), world.ana, True)
    assert here.given is not None
    assert len(here.given) == 2_100


async def test_guests_list_nobody_unless_they_administer_it(world: World) -> None:
    guest, boss = world.user("gus", None), world.user("bea", None)
    space = world.space("Handbook")
    world.grant(space, guest, "edit")
    world.grant(space, boss, "admin")
    for person, code in ((guest, 403), (boss, 200)):
        async with world.client(person) as client:
            for rest in ("aggregate", "users", "teams"):
                answer = await client.get(f"/spaces/{space}/permissions/{rest}")
                assert answer.status_code == code


async def test_a_person_is_shown_to_those_who_share_an_organization(world: World) -> None:
    bo, guest = world.user("bo", "read"), world.user("gus", None)
    stranger = world.user("zoe", member=False)
    for caller, codes in ((bo, [200, 200, 404, 404]), (guest, [404, 200, 404, 404])):
        async with world.client(caller) as client:
            answers = [
                await client.get(f"/users/{key}") for key in (world.ana, caller, stranger, "none")
            ]
            assert [answer.status_code for answer in answers] == codes
    async with world.client(bo) as client:
        shown = (await client.get(f"/users/{world.ana}")).json()
    assert (shown["id"], shown["email"]) == (world.ana, "ana@example.org")
