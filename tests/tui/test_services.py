"""The program on the desks of other services: what they lack is said, and not called removed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from copydesk.client.errors import OperationMissing
from copydesk.contract import operations as ops
from copydesk.server import site_writes
from copydesk.session import errors
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.tui.review.test_suggestions import suggests
from tests.tui.review_world import ReviewWorld
from tests.world import World

SIZES = [(80, 24), (140, 40)]


@pytest.fixture
def today() -> Iterator[World]:
    world = World(edition="today")
    yield world
    world.close()


@pytest.fixture
def document() -> Iterator[World]:
    world = World(edition="document")
    yield world
    world.close()


async def expect(driver: Driver, *keys: str, said: str) -> None:
    """Press keys, which say what the service lacks, and nothing that is untrue."""
    await driver.press(*keys)
    assert said in driver.screen, driver.screen
    for untrue in ("Removed by someone", "tries again", "reads it again"):
        assert untrue not in driver.screen, driver.screen


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_today_s_service_has_no_clusters_and_no_conversations(
    today: World, size: tuple[int, int]
) -> None:
    today.space("Guide", {"intro": "One."})
    api = today.api(elsewhere=True)
    async with drive(open_world(today, "spaces", api=api), size=size) as driver:
        await expect(driver, "g k", said="This service has no clusters.")
        before = driver.place.PLACE
        # Known now: the key says so and stays where it is.
        await driver.press("g s")
        await expect(driver, "g k", said="This service has no clusters.")
        assert (before, driver.place.PLACE) != ("spaces", "clusters")
        assert driver.place.PLACE == "spaces"
        await expect(driver, "g v", said="This service has no conversations. g q: findings.")
        await driver.press("g s")
        await expect(driver, "g u", said="This service has no issues of conversations.")


async def test_findings_and_clusters_name_each_other(today: World) -> None:
    earlier = World(edition="earlier")
    for world, keys, other in ((earlier, "g q", "g k: clusters"), (today, "g k", "g q: findings")):
        world.space("Guide", {"intro": "One."})
        world.write(partial(site_writes.add_site, organization_id=world.home, title="Docs"))
        api = world.api(elsewhere=True)
        async with drive(open_world(world, "spaces", api=api)) as driver:
            await expect(driver, keys, said=other)
            # The first time it goes back, and the next it does not even go there.
            assert driver.place.PLACE == "spaces"
    earlier.close()


async def test_a_change_request_leads_to_no_clusters_that_the_service_lacks(today: World) -> None:
    ReviewWorld(today)
    api = today.api(elsewhere=True)
    async with drive(open_world(today, "changes", api=api)) as driver:
        for _ in range(2):  # the first time it goes there and back
            await expect(driver, "g k", said="This service has no clusters.")
            assert driver.place.PLACE == "changes"
            await driver.press("j")


async def test_today_s_service_has_no_links(today: World) -> None:
    review = ReviewWorld(today)
    today.write(lambda tx: tx.update("change_request", review.request, cluster_id="c1"))
    target = Target(today.home, space=review.space, change_request=review.request)
    api = today.api(elsewhere=True)
    async with drive(open_world(today, "review", target, api=api), size=(140, 40)) as driver:
        await expect(driver, "1", said="cluster  This service has no clusters.")
        assert "gk opens it" not in driver.screen
        await expect(driver, "g k", said="This service has no clusters.")
        assert driver.place.PLACE == "review"
        assert "breaks no link" not in driver.screen
        assert "i shows them" not in driver.screen
        await expect(driver, "i", said="This service has no links.")
        assert driver.place.PLACE == "review"
        await expect(driver, "g l", said="This service has no links.")
        await expect(driver, "b", said="This service has no links.")


async def test_a_space_of_today_s_service_is_not_prepared_for_a_transfer(today: World) -> None:
    space = today.space("Handbook")
    today.organization("Elsewhere", admin=today.ana)
    api = today.api(elsewhere=True)
    app = open_world(today, "organization-structure", api=api)
    async with drive(app, size=(140, 40)) as driver:
        await driver.press(":")
        await driver.type("transfer")
        await expect(driver, "enter", said="This service has no transfer of a space.")
        assert "Hand Handbook over to" not in driver.screen
    assert today.row("space", space)["organization_id"] == today.home


NO_CONTENT = "This service cannot write content"


async def test_an_earlier_service_takes_no_content_and_says_so_before_anything_is_typed() -> None:
    world = World(edition="earlier")
    review = ReviewWorld(world)
    suggests(review, "We retry", "We try.")
    merged = world.change_request(review.space, {"new": "# New\n"}, status="open")
    async with world.api() as desk:
        await desk(ops.merge_change_request, review.space, merged)
    target = Target(world.home, space=review.space, change_request=review.request)
    api = world.api(elsewhere=True)
    async with drive(open_world(world, "review", target, api=api), "]") as driver:
        for keys in (("e",), ("D",), ("I",), ("ctrl+n",), ("g p",), ("3", "S")):
            for _ in range(2):  # asked for, then known
                await expect(driver, *keys, said=NO_CONTENT)
                assert driver.place.PLACE == "review"
                assert driver.app.screen is driver.place.screen
                await driver.press("2")
                assert NO_CONTENT not in driver.screen
        await driver.app.go("review", target.but(change_request=merged))
        await driver.idle()
        await expect(driver, ":", *typed("revert No."), "enter", said=NO_CONTENT)
        await driver.app.go("pages", target.but(change_request=None))
        await driver.idle()
        await expect(driver, "e", said=NO_CONTENT)
        assert driver.app.screen is driver.place.screen
    world.close()


async def test_a_service_of_the_document_only_has_no_reviews(document: World) -> None:
    review = ReviewWorld(document)
    target = Target(document.home, space=review.space, change_request=review.request)
    api = document.api(elsewhere=True)
    async with drive(open_world(document, "review", target, api=api), size=(140, 40)) as driver:
        await expect(driver, "a", said="This service has no reviews.")
        await expect(driver, "w", said="This service does not ask people for reviews.")
        await driver.press("i")
        assert "This service has no" not in driver.screen, "it has links"


def test_what_has_taken_the_place_is_named_with_its_key() -> None:
    missing = OperationMissing(
        "This service has no clusters, but sites.",
        lacking="clusters",
        successor=ops.list_sites.route,
    )
    assert errors.sentence(missing) == "This service has no clusters. g t: sites."
    missing.successor = "GET /v1/nowhere"
    assert errors.sentence(missing) == "This service has no clusters, but sites."
