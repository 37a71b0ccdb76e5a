"""Back and forward through the screens, and going on where the last run was left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.server.desk_writes import Editor
from copydesk.session.session import Session
from copydesk.session.target import LEFT, Target, Visit
from copydesk.tui.app import CopydeskApp
from copydesk.tui.content.pages import PagesPlace
from copydesk.tui.review.screen import ReviewPlace
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.tui.sample_desk import Sample
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
    disk = Snapshots()
    async with drive(open_world(world, "spaces", snapshot=disk), size=(100, 30)) as driver:
        await driver.press("g c", "j", "enter", "2", "]")
        driver.app.exit()
    left = disk.read(LEFT)
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

    disk.write(LEFT, left)  # each second another one is kept by those who look for longer
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
        disk.write(LEFT, left)
        assert soon.last_visit is not None
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


async def test_a_screen_that_asks_which_space_or_site_is_none_to_start_with(
    sample: Sample,
) -> None:
    async def connect() -> Api:
        return sample.api()

    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, size=(100, 30)) as driver:
        for name in ("files", "redirects", "findings"):
            await app.go(name, Target(app.session.organization))
            await driver.idle()
            assert "Of which" in driver.screen, driver.screen
            assert driver.place.visit() is None, name
            await driver.press("enter")
            assert driver.place.visit() is not None, name


async def test_a_screen_that_shows_nothing_yet_is_not_kept(world: World) -> None:
    guide = world.space("Guide", {"a": "# A\n"})
    async with drive(open_world(world, "spaces"), size=(100, 30)) as driver:
        for kind in (PagesPlace, ReviewPlace):
            place = kind(Target(world.home, guide))
            shown = driver.app.push_screen(place)
            assert place.visit() is None  # the program may end now
            await shown
            await driver.idle()
            driver.app.pop_screen()
            await driver.idle()


async def test_once_nothing_is_being_read_it_is_known_what_could_not_be(world: World) -> None:
    two_requests(world)
    async with drive(open_world(world, "spaces"), size=(100, 30)) as driver:
        await driver.app.go("review", Target(world.home, "gone", change_request="gone"))
        reads = driver.place.reads
        assert reads.unread_yet
        await eventually(lambda: not reads.unread_yet, lambda: asyncio.sleep(0))
        assert reads.unread


async def test_a_start_goes_on_before_the_service_has_answered(world: World) -> None:
    older, _ = two_requests(world)
    disk = Snapshots()
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
    disk.write(LEFT, left)
    ended = open_world(world, "spaces", snapshot=disk)
    ended.goes_on = True
    async with ended.run_test(size=(100, 30)):
        ended.keep_visit()
        assert disk.read(LEFT) == left


class _Watched(Snapshots):
    """A snapshot that notes which threads have written the screen in front, and which it was."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[tuple[bool, str]] = []

    def write(self, key: str, rows: Sequence[Mapping[str, Any]]) -> None:
        super().write(key, rows)
        if key == LEFT:
            self.writes.append(
                (threading.current_thread() is threading.main_thread(), rows[0]["name"])
            )


async def test_the_screen_in_front_is_kept_in_a_thread_and_the_end_has_the_last_word(
    world: World,
) -> None:
    two_requests(world)
    disk = _Watched()
    async with drive(open_world(world, "spaces", snapshot=disk)) as driver:
        await driver.press("g c")
        driver.app.tick()
        await driver.idle()
        assert disk.writes[-1] == (False, "changes")
        # A thread that is late, as on a slow disk, writes nothing older over what the end kept.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        slow = threading.Event()
        held = asyncio.create_task(asyncio.to_thread(slow.wait))
        await asyncio.sleep(0)
        await driver.app.go("drafts")
        driver.app.keep_visit()
        await driver.app.go("spaces", back=True)
        driver.app.keep_visit(cursor=True)
        assert disk.writes[-1] == (True, "spaces")
        written = len(disk.writes)
        slow.set()
        await held
        await driver.idle()
        assert len(disk.writes) > written
        assert {name for _, name in disk.writes[written:]} == {"spaces"}
