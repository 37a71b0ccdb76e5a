"""Going through the requests of a plan: sent, stopped, gone on with, rolled back, found again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from copydesk.client.api import Api
from copydesk.domain.arrange_run import Outcome, lasting_fact
from copydesk.tui.arrange.dialogs import ArrangeSheet
from tests.drive import drive, eventually
from tests.tui.arranging_world import BEFORE, PLACE, Desk
from tests.tui.opening import open_world
from tests.world import BASE_URL, World


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


async def test_the_sheet_sends_stops_asks_and_finds_the_question_again(desk: Desk) -> None:
    world, plan, way = desk.world, desk.plan, desk.way
    run, came = plan.run(removing=True), list[Outcome | None]()
    facts = ["Readers see it at once.", lasting_fact(each.call for each in run.calls)]
    app = open_world(world, "sites", api=Api(BASE_URL, world.token(world.ana), transport=way))
    async with drive(app) as driver:
        app.push_screen(ArrangeSheet(run, facts), came.append)
        await driver.idle()
        await driver.press("enter")
        assert "Enter confirms nothing." in driver.screen
        assert "1 of these is final; u undoes the rest." in driver.screen
        assert "6  French in API goes  cannot be undone" in driver.screen
        # What is removed for good is counted by hand first.
        await driver.press("y", "escape")
        assert way.writes == []
        await driver.press("y")
        way.trouble = {3: 403}
        await driver.burst("1", "ctrl+s")
        assert "✓ 2  French: hidden" in driver.screen
        assert "✗ 3  Status: State" in driver.screen
        assert "Not allowed: The door is shut" in driver.screen
        assert "r try again   b undo 2 sent   p pause, the rest stays staged" in driver.screen
        # Esc while it sends stops it after the one under way; quitting asks.
        way.hold = asyncio.Event()
        await driver.send("r")
        await eventually(lambda: len(way.writes) == 4, driver.turn)
        await driver.send("escape")
        assert "Stopping." in driver.screen
        await driver.send("ctrl+q")
        assert "Something is being rearranged" in driver.screen
        await driver.send("escape")
        way.hold.set()
        await driver.idle()
        assert "r go on   b undo 3 sent   p pause, the rest stays staged" in driver.screen
        way.hold = asyncio.Event()
        await driver.send("r")
        await eventually(lambda: len(way.writes) == 5, driver.turn)
        for task in [*app.session.arranging.busy, *app.session.writes.writing]:
            task.cancel()  # as the end of a program does
    way.hold = None
    again = open_world(world, "sites", api=Api(BASE_URL, world.token(world.ana), transport=way))
    again.session.arrangements, again.session.journal = (
        app.session.arrangements,
        app.session.journal,
    )
    async with drive(again) as driver:
        assert "Rearranging Acme docs stopped at 3 of 6: gt, then enter" in driver.screen
        found = await again.session.arranging.find(PLACE, plan.site)
        assert found is not None
        again.push_screen(ArrangeSheet(found), came.append)
        await driver.idle()
        assert "Cut off: rearranging Acme docs" in driver.screen
        assert "✓ 3  Status: State" in driver.screen
        assert "copydesk ended in the middle of this." in driver.screen
        assert "p pause, the rest stays staged   esc later" in driver.screen
        await driver.press("escape")
        assert came == [None]
        again.push_screen(ArrangeSheet(found), came.append)
        await driver.idle()
        await driver.press("b")
        assert came[-1] is not None
        assert came[-1].sentence == "3 calls undone; it all stays staged."
        assert desk.shown == BEFORE
