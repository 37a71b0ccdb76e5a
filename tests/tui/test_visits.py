"""Back and forward through the screens, and going on where the last run was left."""

from __future__ import annotations

import asyncio

from copydesk.client.api import Api
from copydesk.server.seeding import Editor
from copydesk.tui.places import Target
from copydesk.tui.session import MemorySnapshot
from copydesk.tui.visits import LEFT, Visit
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World


async def gone_on(driver: Driver) -> None:
    """Wait until a start has gone on where the last run was left, or has said why not."""
    await eventually(lambda: not driver.app.goes_on, driver.turn)
    await driver.idle()


def two_requests(world: World) -> list[str]:
    space = world.space("Guide", {"a": "# A\n\nOne.\n", "b": "# B\n\nOne.\n"})

    def edit(editor: Editor) -> None:
        for page in ("a", "b"):
            editor.write(editor.find(page), f"# {page}\n\nTwo.\n")

    return [world.change_request(space, edit=edit, subject=each) for each in ("Older", "Newer")]


async def test_back_and_forward_go_through_all_screens_with_their_cursor(world: World) -> None:
    older, _ = two_requests(world)
    app = open_world(world, "spaces")
    async with drive(app, size=(100, 30)) as driver:
        await driver.press("_")
        assert "There is no later screen" in driver.screen
        await driver.press("g c", "j", "enter", "2", "]", "g t", "g d")
        visited = [driver.place.PLACE]
        for _ in range(4):
            await driver.press("-")
            visited.append(driver.place.PLACE)
        assert visited == ["drafts", "sites", "review", "changes", "spaces"]
        await driver.press("-")
        assert "This is the first screen you opened." in driver.screen
        await driver.press("_")
        assert driver.selected == older, "with its cursor"
        await driver.press("_")
        assert (driver.place.PLACE, driver.place.view) == ("review", "changes")
        assert "2/2" in driver.screen, driver.screen
        await driver.press("_", "_")
        assert driver.place.PLACE == "drafts"
        # Who goes elsewhere has nothing ahead any more.
        await driver.press("-", "-", "g n", "_")
        assert "There is no later screen" in driver.screen


async def test_a_start_goes_on_where_the_last_run_was_left(world: World) -> None:
    older, _ = two_requests(world)
    disk = MemorySnapshot()
    async with drive(open_world(world, "spaces", snapshot=disk), size=(100, 30)) as driver:
        await driver.press("g c", "j", "enter", "2", "]")
        driver.app.exit()
    again = open_world(world, "spaces", snapshot=disk)
    again.goes_on = True
    async with drive(again, size=(100, 30)) as driver:
        await gone_on(driver)
        assert driver.place.PLACE == "review"
        assert driver.place.target.change_request == older
        assert driver.place.view == "changes"
        assert "2/2" in driver.screen
        await driver.press("q")
        assert driver.place.PLACE == "spaces"

    # An address wins; so does who is quicker, and another organization that was chosen since.
    async with drive(open_world(world, "sites", snapshot=disk)) as driver:
        assert driver.place.PLACE == "sites"

    quick = open_world(world, "spaces", snapshot=disk)
    quick.goes_on = True
    async with quick.run_test(size=(100, 30)) as pilot:
        driver = Driver(quick, pilot)
        await driver.burst("j")
        await gone_on(driver)
        assert driver.place.PLACE == "spaces"

    # A key that comes before the screen of the last run was drawn is for what is there instead.
    soon = open_world(world, "spaces", snapshot=disk)
    async with drive(soon, size=(100, 30)) as driver:
        going = asyncio.create_task(soon.go_on())
        await eventually(lambda: driver.place.PLACE == "review", lambda: asyncio.sleep(0))
        await driver.burst("p")
        assert driver.place.PLACE == "spaces"
        await going
        soon.goes_on, soon.keyboard.pressed = True, False  # it keeps no other screen

    Visit("review", Target(world.home, "gone", change_request="gone")).keep(disk)
    gone = open_world(world, "spaces", snapshot=disk)
    gone.goes_on = True
    async with drive(gone, size=(100, 30)) as driver:
        await gone_on(driver)
        assert driver.place.PLACE == "spaces"
        assert "where you were last, could not be opened again" in driver.screen

    for broken in ({"name": 3}, {}, {"name": "nowhere"}, {"name": "review", "view": ["x"]}):
        disk.write(LEFT, [broken])
        odd = open_world(world, "spaces", snapshot=disk)
        odd.goes_on = True
        async with drive(odd, size=(100, 30)) as driver:
            await gone_on(driver)
            assert driver.place.PLACE == "spaces"


async def test_a_start_goes_on_before_the_service_has_answered(world: World) -> None:
    older, _ = two_requests(world)
    disk = MemorySnapshot()
    async with drive(open_world(world, "spaces", snapshot=disk), size=(100, 30)) as driver:
        await driver.press("g c", "j", "enter")
        driver.app.exit()
    left = disk.read(LEFT)
    way = Faults(world)
    way.slow = "GET"
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    again = open_world(world, "spaces", snapshot=disk, api=client)
    again.goes_on = True
    async with again.run_test(size=(100, 30)) as pilot:
        driver = Driver(again, pilot)
        await eventually(lambda: driver.place.PLACE == "review", driver.turn)
        way.let.set()
        await gone_on(driver)
        assert driver.place.target.change_request == older
        assert "Older" in driver.screen

    # One that ends before that goes on there at the next start.
    ended = open_world(world, "spaces", snapshot=disk)
    ended.goes_on = True
    async with ended.run_test(size=(100, 30)):
        ended.keep_visit()
        assert disk.read(LEFT) == left
