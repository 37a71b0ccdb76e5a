"""Who and what an organization has, to choose from."""

from __future__ import annotations

import pytest

from copydesk.session.reads import organization
from copydesk.session.reads.organization import people_offered, read_home, teams_offered
from tests.session.test_session import session
from tests.world import World


async def test_who_reads_is_known_with_their_rights(world: World) -> None:
    ours = session()
    async with world.api() as api:
        found = await read_home(api, ours, world.home)
        me = ours.me
        assert me is not None
        assert (found.id, found.title, me.id) == (world.home, "Acme", world.ana)
        ours.me = me.model_copy(update={"id": "other"})
        await read_home(api, ours, world.home)
        assert ours.me.id == "other", "who it is was known"


async def test_people_and_teams_are_offered_by_name_and_not_without_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lee = world.user("lee", display_name="Zoe\x07 Park")
    mia = world.user("mia", display_name="ábel")
    world.user("none", display_name="none@example.org")
    world.team("Writers", lee, mia)
    world.team("authors", lee)
    async with world.api() as api:
        people = await people_offered(api, world.home, {world.ana})
        assert [(each.title, each.note) for each in people] == [
            ("ábel", "mia@example.org"),
            ("none@example.org", ""),
            ("Zoe Park", "lee@example.org"),
        ]
        assert {each.id for each in people} >= {lee, mia}
        teams = await teams_offered(api, world.home)
        assert [(each.title, each.note) for each in teams] == [
            ("authors", "1 member"), ("Writers", "2 members"),
        ]  # fmt: skip
        monkeypatch.setattr(organization, "OFFERED", 1)
        assert len(await people_offered(api, world.home)) == 1
        assert len(await teams_offered(api, world.home)) == 1
