"""Finding out whether a write happened: by lists that may hold what is not understood."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.client.errors import Garbled
from copydesk.domain.inverses import message_trace
from copydesk.session.errors import NotDoneError
from copydesk.session.reads.sites import read_structure
from copydesk.session.reads.tree import read_tree
from copydesk.session.writes import recovery
from copydesk.session.writes.recovery import find_trace
from tests.tui.review_world import ReviewWorld
from tests.tui.site_world import publish
from tests.tui.strange import strange
from tests.world import START, World


async def test_a_comment_that_is_not_understood_is_not_taken_for_missing(world: World) -> None:
    # Else it would be sent again.
    review = ReviewWorld(world)
    world.comment(review.space, "Which version?", change_request=review.request)

    def change(value: Any) -> None:
        for item in value["items"]:
            del item["id"]

    trace = message_trace(review.space, review.request, me=world.ana)
    async with strange(world, "/comments", change) as api:
        with pytest.raises(Garbled):
            await find_trace(api, trace, "Which version?", START.timestamp())


async def test_a_comment_is_looked_for_among_so_many(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = ReviewWorld(world)
    for said in ("Which version?", "Another."):
        world.comment(review.space, said, change_request=review.request)
    trace = message_trace(review.space, review.request, me=world.ana)
    async with world.api() as api:
        now = world.clock.now.timestamp()
        assert await find_trace(api, trace, "Which version?", now) is not None
        monkeypatch.setattr(recovery, "LONGEST_LIST", 2)
        with pytest.raises(NotDoneError, match=r"^There are too many to find it among them\.$"):
            await find_trace(api, trace, "Never sent.", now)


async def test_a_structure_with_a_part_that_is_not_understood_is_not_arranged(
    world: World,
) -> None:
    site = publish(world).site

    def change(value: Any) -> None:
        value["items"].append({"object": "site-section"})

    async with strange(world, "/sections", change) as api:
        with pytest.raises(Garbled):
            await read_structure(api, world.home, site)


@pytest.mark.parametrize("path", ["/spaces", "/collections"])
async def test_a_tree_with_a_part_that_is_not_understood_is_not_arranged(
    world: World, path: str
) -> None:
    world.space("Guide")

    def change(value: Any) -> None:
        value["items"].append({"object": "space"})

    async with strange(world, path, change) as api:
        with pytest.raises(Garbled):
            await read_tree(api, world.home)


async def test_a_tree_without_one_of_the_rules_is_not_arranged(world: World) -> None:
    def change(value: Any) -> None:
        value["mergeRules"] = {"type": "rules", "rules": [{"rule": {"odd": True}}]}

    async with strange(world, f"/orgs/{world.home}", change) as api:
        with pytest.raises(Garbled):
            await read_tree(api, world.home)
