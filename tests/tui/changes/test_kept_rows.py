"""The rows of the last run stay until those of the service are there, and are judged."""

from __future__ import annotations

import asyncio
import re

from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.server import threads
from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from copydesk.tui.changes.triage import ChangesList
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World

SIZE = (110, 30)


def five_requests(world: World) -> None:
    """Make five requests by another; the view "Needs me" has two of them."""
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"a": "# A"})

    def edit(editor: Editor) -> None:
        editor.write(editor.find("a"), "# A\n\nTwo.\n")

    for number in range(1, 6):
        request = world.change_request(space, edit=edit, subject=f"Request {number}", by=lee)
        if number in (2, 4):
            ask_ana(world, request, by=lee)


def ask_ana(world: World, request: str, by: str) -> None:
    world.write(lambda tx: threads.request_review(tx, request, world.ana, by))


def shown(driver: Driver) -> list[str]:
    """Return what the screen shows but for the header, the details and the footer."""
    lines = driver.screen.splitlines()
    ends = next(at for at, line in enumerate(lines) if line.startswith(("┗", "└", "╰")))
    return lines[1:ends]


async def test_a_view_opens_with_its_rows_and_numbers_and_keeps_them_until_all_is_read(
    world: World,
) -> None:
    five_requests(world)
    disk, target = Snapshots(), Target(organization=world.home, view="needs-me")
    async with drive(open_world(world, "changes", target, snapshot=disk), size=SIZE) as driver:
        before = shown(driver)
        assert "Request 2" in driver.screen
        assert "Request 3" not in driver.screen
        assert "2 of 5" in driver.screen
        driver.app.exit()

    way = Faults(world)
    way.slow = "GET"
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    again = open_world(world, "changes", target, snapshot=disk, api=client)
    async with again.run_test(size=SIZE) as pilot:
        driver = Driver(again, pilot)
        await driver.turn()
        rows = [re.sub("│.*", "", line) for line in shown(driver)]
        assert rows == [re.sub("│.*", "", line) for line in before], "all but the details"
        frames: list[list[str]] = []

        async def look() -> None:
            await asyncio.sleep(0)
            rows = driver.place.query_one(ChangesList)
            frames.append([row.subject for row in rows.source.shown()])

        way.let.set()
        await eventually(lambda: driver.place.reads.read_at is not None, look)
        assert frames
        assert all(each == ["Request 4", "Request 2"] for each in frames), frames
        await driver.idle()
        assert shown(driver) == before
