"""Addresses that are typed behind ``:`` or pasted open what they lead to."""

from __future__ import annotations

from copydesk.client.api import Api
from copydesk.server.site_writes import add_site, add_site_space
from copydesk.server.store import Tx
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.tui.review_world import Faults, ReviewWorld
from tests.world import BASE_URL, World

APP = "https://app.example.com"


async def enter(driver: Driver, address: str) -> None:
    """Type an address behind ``:`` and enter it."""
    await driver.press(":")
    await driver.burst(*typed(address), "enter")


async def test_an_address_behind_the_colon_opens_what_it_leads_to(world: World) -> None:
    review = ReviewWorld(world)

    def build(tx: Tx) -> str:
        site = add_site(tx, world.home, "Docs", hostname="docs.acme.example", published=True)
        add_site_space(tx, site, review.space, path="api")
        return site

    site = world.write(build)
    other = world.organization("Globex", world.ana)
    far = world.space("Far guide", {"start": "# Start\n"}, organization=other)
    way = Faults(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, api=api), size=(80, 24)) as driver:
        session = driver.app.session
        await enter(driver, f"{APP}/o/{world.home}/s/{review.space}/~/changes/1")
        assert driver.place.PLACE == "review"
        assert "Webhook retries" in driver.screen
        await enter(driver, f"{APP}/o/{world.home}/s/{review.space}/events/catalogue")
        assert driver.place.PLACE == "pages"
        assert "Every event." in driver.screen
        # One without an organization is asked of the service, which names that.
        await enter(driver, f"{BASE_URL}/app/s/{review.space}/events/catalogue")
        assert driver.place.PLACE == "pages"
        await enter(driver, f"app.example.com/o/{world.home}/sites/{site}")
        assert (driver.place.PLACE, driver.place.target.site) == ("site-structure", site)
        await enter(driver, "https://docs.acme.example/events/catalogue?q=1#top")
        assert driver.place.PLACE == "pages"
        assert driver.place.target.space == review.space
        # Where nothing is; and in another organization, in which one is then.
        await enter(driver, "https://elsewhere.example/hello")
        assert "names no organization (/o/…)" in " ".join(driver.screen.split())
        assert "There is no :https" not in driver.screen
        await enter(driver, f"{APP}/s/{far}")
        assert (driver.place.PLACE, driver.place.target.space) == ("pages", far)
        assert session.organization == other
        await enter(driver, f"{APP}/o/{world.home}")
        assert (driver.place.PLACE, session.organization) == ("spaces", world.home)
        assert "API reference" in driver.screen
        # One of the application needs nobody's answer.
        way.gone = True
        await enter(driver, f"{APP}/o/{world.home}/s/{review.space}/~/changes/1")
        assert driver.place.PLACE == "review"


async def test_a_pasted_address_is_offered_and_asked_for_only_by_enter(world: World) -> None:
    review = ReviewWorld(world)
    address = f"{APP}/o/{world.home}/s/{review.space}/~/changes/1"
    async with drive(open_world(world), size=(140, 40)) as driver:
        await driver.paste(f"{address}\n")
        assert driver.place.PLACE == "spaces"
        assert address in driver.screen
        await driver.press("enter")
        assert driver.place.PLACE == "review"
        await driver.paste("D W m\x1b[31m")
        assert "Nothing here takes a pasted text." in driver.screen
        assert driver.place.PLACE == "review"


async def test_the_address_of_a_page_shows_the_page_in_a_small_terminal(world: World) -> None:
    review = ReviewWorld(world)
    target = Target(world.home, review.space, page="webhooks/retries")
    async with drive(open_world(world, "pages", target), size=(80, 24)) as driver:
        assert "Deliveries are retried" in driver.screen
        await driver.press("escape")
        assert driver.place.PLACE == "pages"
        assert "Retries" in driver.screen
        assert "Deliveries are retried" not in driver.screen


async def test_keys_wait_while_an_address_is_looked_for(world: World) -> None:
    far = world.space("Far guide", {"start": "# Start\n"})
    way = Faults(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, api=api), "g c", size=(80, 24)) as driver:
        before = driver.place
        way.slow = "GET"
        await driver.press(":")
        await driver.send(*typed(f"app.example.com/s/{far}"), "enter", "g", "d")
        assert driver.place is before, "and keys go nowhere else meanwhile"
        way.let.set()
        await driver.idle()
        assert driver.place.PLACE == "drafts"
        await driver.press("-")
        assert (driver.place.PLACE, driver.place.target.space) == ("pages", far)
        # Esc stops it, and nothing comes in front later.
        await driver.press("-")
        way.let.clear()
        await driver.press(":")
        await driver.send(*typed(f"app.example.com/s/{far}"), "enter")
        await driver.send("escape")
        way.let.set()
        await driver.idle()
        assert driver.place.PLACE == "changes"
