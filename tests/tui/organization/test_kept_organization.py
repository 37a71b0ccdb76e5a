"""The organization that was left is the one of the next start, from its first frame on."""

from __future__ import annotations

import asyncio

import httpx

from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.server import site_writes
from copydesk.session.identity import REMEMBERED, remembered
from copydesk.session.space_snapshot import read_last_run
from copydesk.session.target import LEFT, Target
from copydesk.tui.spaces.list import SpacesPlace
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World


def two_organizations(world: World) -> str:
    """Make a second organization beside Acme, each with a request; return its id."""
    world.change_request(world.space("Guide", {"a": "# A"}), subject="Of Acme")
    other = world.organization("Zephyr", admin=world.ana)
    space = world.space("Manual", {"a": "# A"}, organization=other)
    world.space("Notes", {"a": "# A"}, organization=other)
    world.change_request(space, subject="Of Zephyr")
    return other


async def leave_in_zephyr(world: World, disk: Snapshots) -> None:
    async with drive(open_world(world, "spaces", snapshot=disk), size=(100, 30)) as driver:
        await driver.press("g o", "/")
        await driver.type("Zephyr")
        await driver.press("enter")
        assert "Manual" in driver.screen
        await driver.press("g c")
        assert "Of Zephyr" in driver.screen
        driver.app.exit()


async def test_the_organization_that_was_left_is_that_of_the_next_start_in_every_frame(
    world: World,
) -> None:
    other = two_organizations(world)
    disk = Snapshots()
    await leave_in_zephyr(world, disk)
    assert remembered(disk) == (other, "Zephyr")

    again = open_world(world, "spaces", snapshot=disk)
    again.goes_on = True
    seen: set[str] = set()
    again.session.watch(lambda: seen.add(again.session.organization_title))
    async with drive(again, size=(100, 30)) as driver:
        await eventually(lambda: not driver.app.goes_on, driver.turn)
        await driver.idle()
        assert "Zephyr > Change requests" in driver.screen
        assert "Of Zephyr" in driver.screen
    assert seen == {"Zephyr"}


async def test_a_start_that_is_cut_short_changes_nothing_of_that(world: World) -> None:
    other = two_organizations(world)
    disk = Snapshots()
    await leave_in_zephyr(world, disk)
    left = disk.read(LEFT)
    way = Faults(world)
    way.slow = "GET"
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    cut = open_world(world, "spaces", snapshot=disk, api=client)
    cut.goes_on = True
    async with cut.run_test(size=(100, 30)):
        way.let.set()
        await cut.session.ready()
        cut.goes_on = cut.keyboard.pressed = True  # it ends by a key
        cut.keep_visit(cursor=True)
    assert remembered(disk) == (other, "Zephyr")
    assert disk.read(LEFT) == left


async def test_what_was_left_is_not_looked_for_on_the_screen_once_the_program_has_ended(
    world: World,
) -> None:
    two_organizations(world)
    disk = Snapshots()
    await leave_in_zephyr(world, disk)
    way = Faults(world)
    way.slow = "GET"
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    ended = open_world(world, "spaces", snapshot=disk, api=client)
    async with ended.run_test(size=(100, 30)) as pilot:
        driver = Driver(ended, pilot)
        going = asyncio.create_task(ended.go_on())
        await eventually(lambda: driver.place.PLACE == "changes", driver.turn)
        assert driver.place.reads.unread_yet
    await going


async def test_a_key_typed_before_the_service_has_answered_goes_to_the_one_that_was_left(
    world: World,
) -> None:
    two_organizations(world)
    disk = Snapshots()
    await leave_in_zephyr(world, disk)
    way = Faults(world)
    way.slow = "GET"
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    early = open_world(world, "spaces", snapshot=disk, api=client)
    async with early.run_test(size=(100, 30)) as pilot:
        driver = Driver(early, pilot)
        assert "Zephyr" in driver.screen
        await pilot.press("g", "c")
        way.let.set()
        await driver.idle()
        assert "Zephyr > Change requests" in driver.screen
        assert "Of Zephyr" in driver.screen


async def test_one_that_is_gone_by_then_gives_way_to_another(world: World) -> None:
    two_organizations(world)
    disk = Snapshots()
    disk.write(REMEMBERED, [{"organization": "gone", "title": "Gone"}])
    async with drive(open_world(world, "spaces", snapshot=disk), size=(100, 30)) as driver:
        assert "Acme" in driver.screen
        assert "Guide" in driver.screen
    assert remembered(disk) == (world.home, "Acme")


async def test_the_header_names_the_organization_that_a_screen_is_about(world: World) -> None:
    other = two_organizations(world)
    about = Target(organization=other)
    async with drive(open_world(world, "changes", about), size=(100, 30)) as driver:
        assert driver.app.session.organization == world.home
        assert "Zephyr > Change requests" in driver.screen
        assert "Of Zephyr" in driver.screen


class CountsLate(Faults):
    """A desk whose numbers of sites are answered only once ``counted`` is set."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.counted = asyncio.Event()
        self.waits = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/sites") and not self.counted.is_set():
            self.waits += 1
            await self.counted.wait()
            return await self._desk.handle_async_request(request)
        return await super().handle_async_request(request)


async def test_numbers_that_come_late_are_not_those_of_another_organization(world: World) -> None:
    other = two_organizations(world)
    world.write(lambda tx: site_writes.add_site(tx, world.home, "Portal"))
    disk = Snapshots()
    way = CountsLate(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "spaces", snapshot=disk, api=client)
    async with app.run_test(size=(100, 30)) as pilot:
        driver = Driver(app, pilot)
        await eventually(lambda: way.waits > 0, driver.turn)
        place = driver.place
        assert isinstance(place, SpacesPlace)
        way.slow = "GET"
        place.show_organization(other)
        way.counted.set()
        for _ in range(20):  # an answer takes some turns
            await driver.turn()
        assert "sites" not in place.counts.known
        way.let.set()
        await driver.idle()
        assert "[Spaces 2]" in driver.screen
        assert "Sites 0" in driver.screen
    kept = read_last_run(disk, other)
    assert (kept.title, kept.counts["sites"]) == ("Zephyr", 0)


async def test_the_tabs_count_the_organization_that_is_shown(world: World) -> None:
    other = two_organizations(world)
    disk = Snapshots()
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "spaces", snapshot=disk, api=client)
    async with drive(app, size=(100, 30)) as driver:
        await driver.press("g o", "/")
        await driver.type("Zephyr")
        await driver.press("enter")
        assert "[Spaces 2]" in driver.screen
        assert "Changes 1" in driver.screen
    again = open_world(world, "spaces", snapshot=disk)
    async with again.run_test(size=(100, 30)) as pilot:
        driver = Driver(again, pilot)
        assert again.session.organization == other
        assert "[Spaces 2]" in driver.screen
        assert "Zephyr" in driver.screen
