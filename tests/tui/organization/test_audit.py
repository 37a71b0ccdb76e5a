"""The audit of an organization: listed, asked for by kind, person and time, and followed."""

from __future__ import annotations

from datetime import timedelta

from copydesk.session.target import Target
from copydesk.tui.review.screen import ReviewPlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.tui.steps import words
from tests.world import World

HOSTILE = "Shelf\x1b[2J\u202e [bold]film\n🦊"


async def line(driver: Driver, text: str) -> None:
    await driver.press(":")
    await driver.burst(*typed(text))
    await driver.press("enter")


async def test_events_are_listed_asked_for_and_followed(world: World, update_golden: bool) -> None:
    lee = world.user("lee", "create")
    space = world.space("Guide", {"intro": "One.\n"})
    number = world.change_request(space, {"intro": "Two.\n"}, subject="Say more")
    async with world.client() as client, world.client(lee) as other:
        await other.post(f"/orgs/{world.home}/collections", json={"title": HOSTILE})
        world.clock.now += timedelta(days=20)
        await client.post(f"/spaces/{space}/change-requests/{number}/merge")
        await client.patch(f"/orgs/{world.home}", json={"title": "Acme Docs"})
        await other.post(f"/orgs/{world.home}/sites", json={"title": "Docs", "spaces": [space]})
    app = open_world(world, "spaces", Target(organization=world.home))
    async with drive(app, "g E", size=(140, 40)) as driver:
        driver.golden("audit", update=update_golden)
        assert "Guide" in driver.line("merge change request")
        await driver.press("j")
        assert "fields title" in words(driver)
        await driver.press("k")
        await driver.resize(80, 24)
        driver.golden("audit", update=update_golden)
        assert "4 events" in driver.screen
        assert "Lee" in driver.line("create site")

        await driver.press("&", "enter", *typed("merge ch"), "enter")
        assert "action=Merge change request" in driver.screen
        assert "Say more" in driver.screen
        assert "create site" not in driver.screen
        # Conditions add to each other, and say how each is taken away. People have names.
        await line(driver, "where actor=l")
        assert "actor: which one, Ana Silva or Lee? Type more of the name." in words(driver)
        await line(driver, "where actor=LEE")
        assert "None with action=Merge change request actor=Lee." in words(driver)
        assert ":where actor= takes actor away, :where alone all." in driver.screen
        await line(driver, "where action=")
        assert "Say more" not in driver.screen
        assert "create collection" in driver.screen
        await line(driver, "range 1w")
        assert "Shelf" not in driver.screen
        assert "create site" in driver.screen
        assert ":range alone takes that away" in driver.screen
        await line(driver, "range soon")
        assert "write a number and h, d, w, m or y, such as 4w" in driver.screen
        await line(driver, "where to=yesterday")
        assert "write a date, such as 2026-03-01" in driver.screen
        await driver.press("&", *typed("to"), "enter")
        await driver.burst(*typed("2026-03-10"))
        await driver.press("enter")
        assert "to=2026-03-10" in driver.screen
        await line(driver, "where target=none")
        assert "to=2026-03-10 target=none" in words(driver)

        await line(driver, "where")
        assert "4 events" in driver.screen
        await line(driver, "where")
        await driver.press("enter", *typed("update organ"), "enter")
        assert "update organization" in driver.screen
        assert "create site" not in driver.screen
        await line(driver, "where")
        await driver.press("j", "j", "g j", "G")
        assert '"changeRequestId"' in driver.screen
        await driver.press("escape", "enter")
        assert isinstance(driver.app.screen, ReviewPlace)


async def test_who_does_not_administer_it_reads_no_audit(world: World) -> None:
    lee = world.user("lee", "create")
    async with drive(
        open_world(world, "audit", Target(organization=world.home), user=lee), size=(80, 24)
    ) as driver:
        assert "admin" in driver.screen
