"""``:requests``: what was sent in the last minutes, for which screen and why, and what is left."""

from __future__ import annotations

import re
from datetime import timedelta

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.server.rate_limit import RateLimit, limited
from copydesk.tui.app import CopydeskApp
from tests.drive import Driver, drive
from tests.hostile import FORBIDDEN, POISON, HostileTransport
from tests.tui.opening import open_world
from tests.tui.review_world import Faults, ReviewWorld
from tests.world import BASE_URL, World

SIZES = [(80, 24), (140, 40)]


def api_of(world: World, transport: httpx.AsyncBaseTransport | None = None) -> Api:
    """Return a client by the world's clock, of a service with a limit of 3,600 an hour."""
    limit = RateLimit(3600, clock=lambda: world.clock.now.timestamp())
    through = transport or httpx.ASGITransport(limited(world.app, limit))
    return Api(
        BASE_URL, world.token(world.ana), transport=through,
        clock=lambda: world.clock.now.timestamp(),
    )  # fmt: skip


def opened(world: World, transport: httpx.AsyncBaseTransport | None = None) -> CopydeskApp:
    space = world.space("Guide", {"a": "one"})
    for n in range(3):
        world.change_request(space, {"a": f"two {n}"})
    return open_world(world, api=api_of(world, transport))


async def look(driver: Driver) -> str:
    await driver.press(":")
    await driver.type("requests")
    await driver.press("enter")
    return driver.screen


@pytest.mark.parametrize("size", SIZES)
async def test_it_says_for_which_screen_and_why(
    world: World, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copydesk.tui.app.TICK_SECONDS", 3600.0)  # it polls when the test says so
    async with drive(opened(world), "g c", size=size) as driver:
        driver.app.session.contact.pressed_at = world.clock.now
        world.clock.now += timedelta(seconds=15)
        driver.app.tick()
        await driver.idle()
        screen = await look(driver)
        before = ""
        while driver.screen != before:  # to the end: calls of one moment come in any order
            before = driver.screen
            await driver.press("ctrl+d")
            screen += driver.screen
        assert re.search(r"spaces +asked +list ", screen), screen
        assert re.search(r"changes +asked +(list|get) ", screen), screen
        assert re.search(r"changes +poll +list ", screen), screen
        assert " 200 " in screen
        assert "asked: by a key" in screen
        api = await driver.app.session.ready()
        count = sum(each.statuses.total() for each in api.tally.since(0))
        # Reads that are given up as a screen is left may have no answer, or never arrive.
        sent = rf"{count} calls sent(?:, (\d) without success)?\. ([\d,]+) of 3,600 calls left"
        told = re.search(sent, screen)
        assert told is not None, screen
        arrived = 3600 - int(told[2].replace(",", ""))
        assert count - int(told[1] or 0) <= arrived <= count
        assert ("TOOK" in screen) == (size[0] == 140)
        # It sends nothing, follows what is sent, and forgets what is ten minutes old.
        world.clock.now += timedelta(minutes=11)
        driver.app.session.touched()
        await driver.idle()
        assert "0 calls sent." in driver.screen
        assert "Nothing was sent." in driver.screen
        assert sum(each.statuses.total() for each in api.tally.since(0)) == count
        await driver.press("q")
        assert "Calls of the last" not in driver.screen


async def test_no_path_no_token_and_no_typed_text_is_shown(world: World) -> None:
    async with drive(opened(world)) as driver:
        api = await driver.app.session.ready()
        with pytest.raises(Exception, match="no such path"):
            await api.raw("GET", "/v1/nowhere", [("q", f"secret {POISON}")])
        screen = await look(driver)
        assert re.search(r"copydesk +asked +GET \(raw\) +1 +1 404", screen), screen
        assert "secret" not in screen
        assert world.token(world.ana) not in screen


@pytest.mark.parametrize("size", SIZES)
async def test_a_hostile_service_reaches_nothing(world: World, size: tuple[int, int]) -> None:
    async with drive(opened(world, HostileTransport(world.app)), "g c", size=size) as driver:
        screen = await look(driver)
        assert re.search(r"changes +\w+ +list ", screen)
        assert not FORBIDDEN.search(screen.replace("\n", ""))
        assert "3,600 calls left" in screen or "counted here" in screen


async def test_the_outbox_and_what_had_no_answer_are_told(review: ReviewWorld) -> None:
    way = Faults(review.world)
    app = review.app(faults=way)
    async with drive(app, "]", size=(140, 40)) as driver:
        way.gone = True
        await driver.press("c")
        await driver.type("Why not ten?")
        await driver.press("ctrl+s")
        screen = await look(driver)
        assert re.search(r"review +asked +create change request comment +1 .* 1 none", screen), (
            screen
        )
        await driver.press("q")
        way.gone = False
        await driver.press("R")
        screen = await look(driver)
        assert re.search(r"outbox +outbox +create change request comment +1 .* 200", screen), screen
        assert "counted here: the service does not say" in screen
