"""What nobody asked for is told too: news of the header, and the steps of long work."""

from __future__ import annotations

import asyncio
from functools import partial

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.tui.linear import idle, line_loop
from copydesk.tui.linear.idle import STILL, settled, under_way
from tests.drive import eventually, listen
from tests.tui.opening import open_world
from tests.tui.system.test_news import Desk
from tests.world import BASE_URL, World


async def test_news_of_the_header_is_told_once_before_the_next_prompt(world: World) -> None:
    desk = Desk(world)
    async with listen(desk.app, "g c") as linear:
        desk.tell("quiet")
        await desk.later(linear.driver)
        await desk.later(linear.driver)
        await desk.approve()
        await desk.later(linear.driver)
        told = await linear.take("where")
        assert "1 new: Lee Park approved #1. g N shows the news." in told
        assert "Lee Park approved" not in await linear.take("where")
        await linear.take("g N")
        assert "approved" in await linear.take("list")


class Held(httpx.AsyncBaseTransport):
    """A desk that answers a write once that is ``let`` through."""

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app)
        self.let = asyncio.Semaphore(0)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            await self.let.acquire()
        return await self._desk.handle_async_request(request)


async def test_the_steps_of_long_work_are_told_as_they_come(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_loop, "STEP_SECONDS", 0.0)
    space = world.space("Guide", {"a": "One.\n"})
    for subject in ("First", "Second"):
        world.change_request(space, {"a": f"{subject}.\n"}, subject=subject)
    way = Held(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with listen(open_world(world, "changes", api=api), "*", "x") as linear:
        assert "archive" in "\n".join(linear.said).lower()
        linear.said.clear()
        app, talk = linear.driver.app, linear.loop
        talk._settled = lambda: settled(app, linear._say, lambda: False, talk.tell_steps)
        working = asyncio.create_task(talk.take("yes"))
        await eventually(lambda: under_way(app), linear.driver.turn)
        with monkeypatch.context() as quick:
            quick.setattr(idle, "PATIENCE_SECONDS", 0.01)
            line = asyncio.get_running_loop().create_future()
            typing = asyncio.create_task(idle.coming(app, line, linear._say))
            await eventually(lambda: linear.said.count(STILL) > 1, linear.driver.turn)
            line.set_result("where")
            assert await typing == "where"
        for subject in ("#2 Second", "#1 First"):
            assert f"{subject}, ✓ done" not in linear.said
            way.let.release()
            told = partial(linear.said.__contains__, f"{subject}, ✓ done")
            await eventually(told, linear.driver.turn)
        await working
