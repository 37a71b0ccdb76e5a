"""The log under ``@``: writes, and messages that had no room on screen."""

from __future__ import annotations

import pytest

from copydesk.client.errors import ServerFault, Unreachable
from tests.drive import drive
from tests.tui.desk_place import DeskApp

LONG = " ".join(f"word{number}" for number in range(65))


@pytest.mark.parametrize(("size", "lines"), [((80, 24), 3), ((60, 11), 1)])
async def test_a_message_without_room_is_read_whole_in_the_log(
    size: tuple[int, int], lines: int
) -> None:
    app = DeskApp()
    async with drive(app, size=size) as driver:
        driver.place.say(LONG, "bad")
        await driver.idle()
        assert "… @ shows all" in driver.screen
        assert "word64" not in driver.screen
        assert driver.place.query_one("#status").size.height == lines
        driver.place.say(LONG, "bad")
        await driver.press("@")
        assert driver.screen.count("Message") == 1
        assert "word0 word1" in driver.screen
        assert ("word64" in driver.screen) == (lines > 1)
        await driver.press("tab", *["j"] * (0 if lines > 1 else 20))
        assert "word64" in driver.screen, driver.screen
        await driver.press("escape")
        driver.place.say("Short.")
        await driver.idle()
        assert "@ shows all" not in driver.screen


async def test_the_whole_reason_of_a_failed_write_is_in_the_log_once() -> None:
    app = DeskApp()
    async with drive(app, size=(80, 24)) as driver:
        app.service.failure = ServerFault(LONG, status=500)
        await driver.press("m", "y")
        assert "@ shows all" in driver.screen
        assert "offline" not in driver.screen.splitlines()[0]
        await driver.press("@")
        assert "Message" not in driver.screen
        assert "unknown" in driver.screen
        assert "No answer: it may have been sent" in driver.screen
        app.service.failure = None
        await driver.press("r", "y")
        assert "done" in driver.screen
        assert "word1" not in driver.screen


async def test_a_write_that_does_not_reach_the_service_says_offline_above() -> None:
    app = DeskApp()
    async with drive(app, size=(80, 24)) as driver:
        app.service.failure = Unreachable("No answer.")
        await driver.press("m", "y")
        assert "offline, data from" in driver.screen.splitlines()[0]
        app.service.failure = None
        await driver.press("R")
        assert "● live" in driver.screen.splitlines()[0]
