"""Pages of a space: found by their paths, and the trail of links that were followed."""

from __future__ import annotations

from copydesk.session.reads.pages import PageTrail, Version, find_path, read_page, read_revision
from tests.session.reads import told
from tests.tui.strange import strange
from tests.world import World


def test_a_trail_is_gone_back_and_begun_anew() -> None:
    trail = PageTrail()
    trail.follow("a", "b", further=False)
    assert (trail.pages, trail.at, trail.before) == (["a", "b"], 1, "a")
    trail.follow("b", "c", further=True)
    assert (trail.pages, trail.at, trail.before) == (["a", "b", "c"], 2, "b")
    trail.step_back()
    trail.step_back()
    assert (trail.at, trail.before) == (0, "c"), "before the first comes the last again"
    trail.step_back()
    assert trail.at == 2
    trail.step_back()
    trail.follow("b", "d", further=True)
    assert (trail.pages, trail.at) == (["a", "b", "d"], 2)
    trail.follow("x", "y", further=False)
    assert (trail.pages, trail.at) == (["x", "y"], 1)


async def test_a_page_is_found_by_its_path_on_main_and_in_a_request(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n", "a/b": "# B\n"})
    request = world.change_request(space, {"c": "# C\n"})
    main, mine = Version(space, None), Version(space, request)
    service = told.Desk(world)
    async with service.api() as api:
        below = world.page_id(space, "a/b")
        for version in (main, mine):
            assert await find_path(api, version, "/a/b/") == below
            assert await find_path(api, version, "a/none") is None
        assert all(each.endswith(" metadata=false") for each in service.asked())
        assert await find_path(api, main, "c") is None
        assert await find_path(api, mine, "c") == world.page_id(space, "c", change_request=request)
        assert await read_revision(api, main) == world.row("space", space)["revision_id"]
        assert await read_revision(api, mine) != await read_revision(api, main)


async def test_the_text_of_a_page_is_shown_without_its_links_where_these_cannot_be_read(
    world: World,
) -> None:
    space = world.space("Guide", {"a": "# A\n\n[b](b.md)\n", "b": "# B\n"})
    request = world.change_request(space, {"a": "# A\n\n[b](b.md) [c](c.md)\n"})
    page = world.page_id(space, "a")
    for version, count in ((Version(space, None), 1), (Version(space, request), 2)):
        async with world.api() as api:
            found = await read_page(api, version, page, {page: "A"})
        assert found.links is not None
        assert len(found.links) == count
        async with strange(world, "?", lambda value: value, lacks="/links") as api:
            bare = await read_page(api, version, page, {})
        assert (bare.markdown, bare.links) == (found.markdown, None)
        assert found.markdown.startswith("# A\n")


def test_the_trail_of_followed_links_is_gone_back_on() -> None:
    trail = PageTrail()
    assert trail.here is None
    trail = PageTrail(["a", "b"], 1)
    assert (trail.here, PageTrail(["a", "b"]).here) == ("b", "a")
