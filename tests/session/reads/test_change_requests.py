"""Lists of change requests: of an organization, of a space, of a cluster."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.session.change_rows import ALL_PARTS, row_of
from copydesk.session.reads.change_requests import Scope, read_count, read_parts
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


async def test_who_was_asked_and_has_not_answered_is_told_since_when(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    request = world.change_request(space, {"a": "# B\n"})
    lee, mia = (world.user(name, display_name=name.title()) for name in ("lee", "mia"))
    at = []
    async with world.api() as api, world.api(mia) as theirs:
        for user in (mia, lee):
            world.clock.now += timedelta(hours=1)
            await api(ops.request_reviewers, space, request, ReviewersRequest(users=[user]))
            at.append(world.clock.now)

        async def judge(by: Api, status: Literal["approved", "changes-requested"]) -> None:
            world.clock.now += timedelta(hours=1)
            await by(ops.create_change_request_review, space, request, ReviewCreate(status=status))

        async def details() -> tuple[object, ...]:
            row = row_of(await api(ops.get_change_request, space, request))
            found = await read_parts(api, Scope(world.home), row, ALL_PARTS, me=mia)
            verdicts = [(each.name, each.approved, each.mine) for each in found.verdicts or ()]
            return found.asked, found.asked_since, verdicts

        assert await details() == (["Mia", "Lee"], at[0], [])
        await judge(theirs, "changes-requested")
        await judge(theirs, "approved")
        asked, since, verdicts = await details()
        assert asked == ["Lee"]
        assert since == at[1]
        assert verdicts == [("Mia", True, True)]
