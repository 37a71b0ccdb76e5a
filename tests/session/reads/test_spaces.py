"""The spaces of an organization, also where the service does not list them, and what one has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewersRequest
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.reads import spaces
from copydesk.session.reads.spaces import read_counts, read_desk, read_details, read_first_desk
from tests.session.reads.told import Lacking
from tests.tui.strange import strange
from tests.world import World


async def test_spaces_that_no_list_has_are_found_where_they_are_mentioned(world: World) -> None:
    shelf = world.collection("Shelf")
    world.space("On it", parent=shelf)
    shown, asked, gone = (world.space(title, {"a": "A."}) for title in ("Shown", "Asked", "Gone"))
    world.space("Nowhere")

    def write(tx: Tx) -> None:
        site = seed.add_site(tx, world.home, "Docs", hostname="docs.test", published=True)
        seed.add_site_space(tx, site, shown)

    for space in (shown, asked, gone):
        world.change_request(space, {"a": "B."})
    world.write(write)
    world.write(lambda tx: tx.update("space", gone, deleted_at=tx.now))
    steps: list[int] = []
    lacks = f"/orgs/{world.home}/spaces"
    async with strange(world, "none", lambda answer: None, lacks=lacks) as api:
        found = await read_desk(api, world.home, progress=steps.append)
    assert not found.complete
    assert {node.title for node in found.nodes} == {"Shelf", "On it", "Shown", "Asked"}
    assert sorted(steps)[-1] == 3


async def test_who_names_no_organization_or_one_that_is_gone_gets_the_first(world: World) -> None:
    world.organization("Other", world.ana)

    async def first(api: Api, named: str | None, *, insist: bool = False) -> tuple[str, int]:
        found, count = await read_first_desk(api, named, insist=insist, progress=lambda read: None)
        return found.organization.id if found is not None else "", count

    async with world.api() as api:
        assert await first(api, world.home) == (world.home, 0)
        for named in (None, "gone"):
            assert await first(api, named) == (world.home, 2)
        with pytest.raises(NotFound):
            await first(api, "gone", insist=True)
    async with world.api(world.user("nobody", member=False)) as api:
        assert await first(api, None) == ("", 0)


async def test_what_a_space_has_is_told_as_far_as_it_may_be_read(world: World) -> None:
    space = world.space("Guide", {"a": "A."})
    request = world.change_request(space, {"a": "B."}, subject="Fix", by=world.user("lee"))

    def write(tx: Tx) -> None:
        for title, published in (("Docs", True), (" \x07", False)):
            site = seed.add_site(
                tx, world.home, title, hostname=title.lower() + ".test", published=published
            )
            seed.add_site_space(tx, site, space)

    world.write(write)
    async with world.api() as api:
        [node] = (await read_desk(api, world.home)).nodes
        people = [world.ana, "gone"]
        asked = ReviewersRequest(users=[world.ana])
        await api(ops.request_reviewers, space, request, asked)
        found = await read_details(api, node, world.home, world.ana, people, listed=True)
        assert found.sites == [("Untitled", ""), ("Docs", "docs.test")]
        assert found.names == {world.ana: "Ana Silva", "gone": "gone"}
        assert [each.named for each in found.requests or ()] == ["#1 Fix"]
        assert (found.needs_me, found.listed) == (1, True)
        closed = replace(node, open=0)
        found = await read_details(api, closed, world.home, world.ana, [], listed=True)
        assert (found.needs_me, found.requests) == (None, [])
        assert (await read_counts(api, world.home)) == {"sites": 2, "clusters": 0}
    async with world.api(world.user("guest", None)) as guest:
        found = await read_details(guest, node, world.home, None, [], listed=True)
        assert (found.requests, found.needs_me) == (None, None)


async def test_what_may_not_be_read_of_a_space_is_not_known(world: World) -> None:
    lee = world.user("lee", display_name="\x07")
    space = world.space("Guide", {"a": "A."})
    request = world.change_request(space, {"a": "B."}, by=lee)
    left = world.user("left", display_name="Left")
    async with world.api() as api:
        [node] = (await read_desk(api, world.home)).nodes
        asked = ReviewersRequest(users=[world.ana])
        await api(ops.request_reviewers, space, request, asked)
        people = [lee, left]
        gone = Lacking(api, ops.get_member).api
        found = await read_details(gone, node, world.home, None, people)
        assert found.names == {lee: "lee@example.org", left: "Left"}
        assert (found.requests, found.listed) == (None, False)
        listing = ops.list_space_change_requests
        bare = Lacking(api, ops.list_sites, ops.get_member, ops.get_user, error=Forbidden).api
        found = await read_details(bare, node, world.home, None, people, listed=True)
        assert (found.sites, found.names) == ([], {lee: lee, left: left})
        assert [each.named for each in found.requests or ()] == ["#1 A change"]
        bare = Lacking(api, listing, error=Forbidden).api
        found = await read_details(bare, node, world.home, None, [], listed=True)
        assert (found.requests, found.listed) == (None, True)
        bare = Lacking(api, ops.list_issues_clusters, error=Forbidden).api
        assert await read_counts(bare, world.home) == {"sites": 0}

    def uncounted(answer: Any) -> None:
        answer.pop("count", None)

    async with strange(world, "/change-requests", uncounted) as api:
        found = await read_details(api, node, world.home, world.ana, [])
        assert found.needs_me == 1


async def test_many_spaces_are_told_page_by_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for nth in range(5):
        world.space(f"Space {nth}")
    monkeypatch.setattr(spaces, "PAGE", 2)
    read: list[int] = []
    async with world.api() as api:
        found = await read_desk(api, world.home, progress=read.append)
    assert (len(found.nodes), found.complete, read) == (5, True, [2, 4])
