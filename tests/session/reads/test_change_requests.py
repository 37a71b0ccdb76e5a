"""Lists of change requests: of an organization, of a space, of a cluster."""

from __future__ import annotations

from copydesk.session.reads.change_requests import Scope, read_count
from copydesk.session.settings import LISTINGS
from tests.world import World


async def test_a_cluster_is_asked_for_where_its_requests_are_listed(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, {"a": "# B\n"})
    everything = LISTINGS[0]
    async with world.api() as api:
        for of in (None, space):
            assert await read_count(api, Scope(world.home, of), everything, world.ana) == 1
            assert not await read_count(api, Scope(world.home, of, "none"), everything, world.ana)
