"""The places walked in linear mode: what is typed and told, as transcripts, and what it does."""

from __future__ import annotations

from tests.drive import listen
from tests.tui.conversations.test_clusters import ask
from tests.tui.conversations.test_clusters import open_app as open_clusters
from tests.tui.opening import open_world
from tests.tui.organization.test_teams import at
from tests.tui.review_world import ReviewWorld, furnish
from tests.tui.site_world import publish
from tests.tui.sites.test_structure import open_app as open_structure
from tests.tui.test_today import monday
from tests.world import World


async def test_a_change_request_is_read_commented_and_merged(
    world: World, update_golden: bool
) -> None:
    review = ReviewWorld(world)
    furnish(review)
    app = open_world(world, "changes")
    async with listen(app, "list", "open", "", "2", "next", "", "", "what comment") as linear:
        assert "On here:" in linear.said
        await linear.take("c", "Is this so?", "~~ about", ".", "read", "yes")
        await linear.take("tab", "next", "r", "It is.", ".", "yes", "where", "back")
        told = await linear.take("do merge", "no")
        assert "Not agreed." in told
        told = await linear.take("m", "yes", "back")
        linear.golden("review", update=update_golden)
    assert world.row("change_request", review.request)["status"] == "merged"


async def test_a_site_is_rearranged_and_the_plan_agreed_to(
    world: World, update_golden: bool
) -> None:
    published = publish(world, grouped=True)
    app = open_structure(world, published.site)
    async with listen(app, "list", "G", "K", "what remove", "ctrl+s") as linear:
        await linear.take("nothing", "ctrl+s", "yes", "back", "u")
        linear.golden("site", update=update_golden)


async def test_an_organization_and_its_content(world: World, update_golden: bool) -> None:
    world.team("Documentation", world.user("lee"), world.user("sam", display_name="Sam Ortiz"))
    space = world.space("Guide", {"start": "# Start\n\nRead this first.\n\n* one\n* two\n"})
    async with listen(open_world(world, "teams", at(world)), "ctrl+n", "Web") as linear:
        told = await linear.take("Nobody", ".", "yes")
        assert "Nobody" in told, told
        await linear.take("~clear", "Lee", ".", "yes", "where", "read", "open", "list", "back")
        await linear.take(":pages", "where", "back", "g s", "list", "open", "where")
        assert space
        linear.golden("organization", update=update_golden)


async def test_clusters_and_their_conversations(world: World, update_golden: bool) -> None:
    ask(world)
    async with listen(open_clusters(world), "list", "open", "", "open", "read", "V") as linear:
        await linear.take("back", "back", "/invoice", "where", "back", "what merge")
        linear.golden("clusters", update=update_golden)


async def test_findings_of_a_site(update_golden: bool) -> None:
    world, target = await monday()
    async with listen(open_world(world, "findings", target), "list", "]", "]", "where") as linear:
        await linear.take("read", "x", "u")
        linear.golden("findings", update=update_golden)
    world.close()
