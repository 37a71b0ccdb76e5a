"""Who may do what in a place, as it is read: where it comes from, and what may not be seen."""

from __future__ import annotations

import pytest

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.permission import PermissionInvite
from copydesk.domain.access import Container, Given, Holder, Person
from copydesk.server import site_writes
from copydesk.session.reads import access
from copydesk.session.reads.access import (
    read_chain,
    read_person,
    read_sources,
    read_sources_if_there,
    read_team_members,
)
from tests.session.reads import told
from tests.world import World


async def test_a_space_has_its_roles_and_those_of_what_it_lies_in(world: World) -> None:
    lee, mia = world.user("lee", display_name="Lee\x07 Park"), world.user("mia")
    team = world.team("Docs\x07", lee)
    top = world.collection("All\x07")
    box = world.collection("Guides", parent=top, default_level="comment")
    space = world.space(" ", parent=box, default_level=None)
    world.grant(space, lee, "review")
    world.grant(space, mia, "read")
    world.grant(box, team, "edit")
    service = told.Desk(world)
    async with service.api() as api:
        assert await read_chain(api, Holder("space", space), world.ana, administers=True) == (
            Container(
                "space", space, "Untitled", None,
                (Given("user", lee, "Lee Park", "review"), Given("user", mia, "Mia", "read")),
                admin=True,
            ),
            Container(
                "collection", box, "Guides", "comment",
                (Given("team", team, "Docs", "edit"),), admin=True,
            ),
            Container("collection", top, "All", "inherit", (), admin=True),
        )  # fmt: skip
        places = (f"spaces/{space}", f"collections/{box}", f"collections/{top}")
        assert service.asked() == sorted(
            f"GET /{place}{rest}"
            for place in places
            for rest in ("", "/permissions/users limit=1000", "/permissions/teams limit=1000")
        )
        [only] = await read_chain(api, Holder("collection", top), None, administers=None)
        assert (only.kind, only.id) == ("collection", top)
    async with world.api(lee) as api:
        chain = await read_chain(api, Holder("space", space), lee, administers=False)
    assert [each.admin for each in chain] == [False] * 3
    stranger = world.user("zoe", None)
    async with world.api(stranger) as api:
        with pytest.raises((Forbidden, NotFound)):
            await read_chain(api, Holder("space", space), stranger, administers=False)


async def test_a_collection_that_may_not_be_seen_ends_the_chain(world: World) -> None:
    guest = world.user("gus", None)
    box = world.collection("Guides", default_level=None)
    space = world.space("API", parent=box)
    world.grant(space, guest, "edit")
    async with world.api(guest) as api:
        chain = await read_chain(api, Holder("space", space), guest, administers=False)
    assert [each.title for each in chain] == ["API", "a collection that you may not see"]
    assert chain[1] == Container("collection", box, "a collection that you may not see", given=None)


async def test_so_many_collections_are_followed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = world.collection("Top")
    box = world.collection("Box", parent=above)
    space = world.space("API", parent=box)
    for nested, count in ((3, 3), (2, 2)):
        monkeypatch.setattr(access, "NESTED", nested)
        async with world.api() as api:
            chain = await read_chain(api, Holder("space", space), world.ana, administers=True)
        assert len(chain) == count


async def test_who_administers_a_site_is_known_by_its_roles(world: World) -> None:
    lee, mia = world.user("lee"), world.user("mia")
    team = world.team("Docs", mia)
    site = world.write(lambda tx: site_writes.add_site(tx, world.home, "Docs\x07"))
    place = Holder("site", site, world.home)
    service = told.Desk(world)

    async def admin(me: str, administers: bool | None) -> bool | None:
        [found] = await read_chain(api, place, me, administers)
        assert (found.kind, found.id, found.title) == ("site", site, "Docs")
        return found.admin

    async with service.api() as api:
        body = PermissionInvite.model_validate({"role": "edit", "users": [lee]})
        await api(ops.invite_to_site, world.home, site, body)
        service.asked()
        assert [await admin(lee, each) for each in (True, False, None)] == [True, False, None]
        base = f"GET /orgs/{world.home}/sites/{site}"
        assert service.asked() == [
            base, f"{base}/permissions/teams limit=1000", f"{base}/permissions/users limit=1000",
        ]  # fmt: skip
        body = PermissionInvite.model_validate({"role": "admin", "users": [lee]})
        await api(ops.invite_to_site, world.home, site, body)
        assert [await admin(lee, each) for each in (False, None)] == [True, True]
        assert [await admin(mia, each) for each in (False, None)] == [False, None]
        body = PermissionInvite.model_validate({"role": "admin", "teams": [team]})
        await api(ops.invite_to_site, world.home, site, body)
        # She may be in the team that administers it.
        assert await admin(mia, administers=False) is None
        with pytest.raises(NotFound):
            await read_chain(api, Holder("site", "gone", world.home), mia, administers=False)
    guest = world.user("gus", None)
    world.grant(site, guest, "read")
    async with world.api(guest) as api:
        [found] = await read_chain(api, place, guest, administers=False)
        assert (found.given, found.admin) == (None, None)


async def test_only_so_many_roles_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    space = world.space("API")
    for name in ("lee", "mia", "zoe"):
        world.grant(space, world.user(name), "edit")
    for most, count in ((3, 3), (2, 2)):
        monkeypatch.setattr(access, "MOST", most)
        async with world.api() as api:
            chain = await read_chain(api, Holder("space", space), world.ana, administers=True)
        assert len(chain[0].given or ()) == count


async def test_a_member_has_a_role_and_teams(world: World) -> None:
    lee, gus = world.user("lee", "review"), world.user("gus", None)
    teams = {world.team("Docs", lee), world.team("API", lee)}
    service = told.Desk(world)
    async with service.api() as api:
        assert await read_person(api, world.home, lee) == Person(lee, "review", frozenset(teams))
        base = f"GET /orgs/{world.home}/members/{lee}"
        assert service.asked() == [base, f"{base}/teams limit=1000"]
        assert await read_person(api, world.home, gus) == Person(gus, None)
        world.write(lambda tx: tx.run("UPDATE member SET disabled = 1 WHERE user_id = ?", lee))
        assert (await read_person(api, world.home, lee)).disabled


async def test_what_gives_a_role_is_read_of_who_is_there(world: World) -> None:
    lee = world.user("lee", "review")
    space = world.space("Guides", default_level="inherit")
    world.grant(space, lee, "edit")
    async with world.api() as api:
        chain = await read_chain(api, Holder("space", space), world.ana, administers=True)
        found = await read_sources(api, world.home, "", chain, lee)
        assert [each.level for each in found if each.decides] == ["edit"]
        assert "the organization" in {each.where for each in found}
        assert await read_sources_if_there(api, world.home, "", chain, lee) == found
        assert await read_sources_if_there(api, world.home, "", chain, "nobody") == []
        with pytest.raises(NotFound):
            await read_sources(api, world.home, "", chain, "nobody")


async def test_the_people_of_the_first_teams_that_may_be_read_are_known(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lee, mia = world.user("lee"), world.user("mia")
    one, two, three = (world.team(title, lee, mia) for title in ("One", "Two", "Three"))
    small = world.team("Small", lee)

    def given(*teams: str) -> Container:
        roles = (Given("user", lee, "Lee", "edit"),)
        return Container(
            "space", "s", "S", given=roles + tuple(Given("team", t, t, "read") for t in teams)
        )

    chain = [given(one, "gone"), Container("collection", "c", "C", given=None), given(one, small)]
    service = told.Desk(world)
    async with service.api() as api:
        both = frozenset({lee, mia})
        found = await read_team_members(api, world.home, chain)
        assert found == {one: both, small: frozenset({lee})}
        base = f"GET /orgs/{world.home}/teams"
        assert service.asked() == sorted(
            f"{base}/{each}/members limit=1000" for each in (one, "gone", small)
        )
        monkeypatch.setattr(access, "TEAMS", 2)
        assert await read_team_members(api, world.home, [given(one, two, three)]) == {
            one: both, two: both,
        }  # fmt: skip
        # Of a team with more people than are read nothing is known.
        monkeypatch.setattr(access, "TEAMS", 3)
        monkeypatch.setattr(access, "MOST", 2)
        assert await read_team_members(api, world.home, chain) == {small: frozenset({lee})}
