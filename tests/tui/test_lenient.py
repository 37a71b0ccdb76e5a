"""A service whose answers are not quite as the document has them: lists stay and say so."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world
from tests.tui.review_world import ReviewWorld
from tests.tui.site_world import publish
from tests.tui.strange import strange
from tests.world import World


async def test_a_site_with_an_unknown_icon_is_listed(world: World) -> None:
    publish(world)

    def change(value: Any) -> None:
        for site in value["items"]:
            site["icon"] = {"emoji": "1f600"}

    api = strange(world, "/sites", change)
    async with drive(open_world(world, "sites", Target(world.home), api=api)) as driver:
        assert "Acme docs" in driver.screen
        assert "could not be read" not in driver.screen


async def test_items_that_cannot_be_read_are_counted_and_shown_as_they_came(world: World) -> None:
    review = ReviewWorld(world)

    healed: list[bool] = []

    def change(value: Any) -> None:
        if healed:
            return
        value["items"] += [{"object": "change-request", "subject": "Hidden \x1b[31m in here"}, 7]

    api = strange(world, "/change-requests", change)
    target = Target(world.home, space=review.space)
    async with drive(open_world(world, "changes", target, api=api)) as driver:
        assert "Webhook retries" in driver.screen
        assert "2 items could not be read. g j shows which." in driver.screen
        await driver.press("g j")
        assert "2 items not understood" in driver.screen
        await driver.press("enter")
        assert "Hidden" in driver.screen
        assert "\x1b" not in driver.screen
        healed.append(True)
        await driver.press("q", "R")
        assert "Webhook retries" in driver.screen
        assert "could not be read" not in driver.screen


async def test_a_list_of_which_nothing_can_be_read_does_not_say_that_it_is_empty(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    publish(world)

    def change(value: Any) -> None:
        value["items"] = [{"name": "a secret word"}]

    api = strange(world, "/sites", change)
    async with drive(open_world(world, "sites", Target(world.home), api=api)) as driver:
        assert driver.screen.count("1 item could not be read. g j shows which.") == 2, driver.screen
        await driver.press("g j")
        assert "a secret word" in driver.screen, driver.screen
    assert "list_sites: left out items.*: Field required" in caplog.text
    assert "a secret word" not in caplog.text


async def test_items_that_cannot_be_read_show_no_secret_and_nobody(world: World) -> None:
    site = publish(world).site

    def change(value: Any) -> None:
        value["items"] = [
            {"urls": {"published": f"https://a.test/{key}"}} for key in ("k-one", "k-two")
        ]

    api = strange(world, "/share-links", change)
    at = Target(world.home, site=site)
    async with drive(open_world(world, "share-links", at, api=api)) as driver:
        assert "2 items could not be read" in driver.screen
        await driver.press("g j")
        assert "it may hold a secret" in driver.screen
        assert "k-one" not in driver.screen

    def mail(value: Any) -> None:
        value["items"] = [{"subject": "From kim@acme.test"}]

    api = strange(world, "/conversations-issues", mail)
    async with drive(open_world(world, "issues", Target(world.home), api=api)) as driver:
        assert "1 item could not be read" in driver.screen
        await driver.press("g j")
        assert "From" in driver.screen
        assert "kim@acme.test" not in driver.screen
