"""News: a line in the header, a notice of the terminal, and the list of what came."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.domain.own_command import Hook
from copydesk.session.glyphs import glyphs
from copydesk.session.reachability import POLL_SECONDS
from copydesk.tui.system.background import AWAY_SECONDS, NOBODY_SECONDS, Newsreader
from tests.drive import Driver, drive, eventually
from tests.hostile import FORBIDDEN
from tests.tui.opening import open_world
from tests.world import World

SIZES = [(80, 24), (140, 40)]


class Desk:
    """The program over a world with a request of Ana's and one of Lee's."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lee = world.user("lee", display_name="Lee Park")
        self.space = world.space("Guide", {"a": "One.\n"})
        self.mine = world.change_request(self.space, {"a": "Two.\n"}, subject="More retries")
        self.other = world.change_request(
            self.space, {"a": "Three.\n"}, subject="Rate \x1b[31mlimits\u202e", by=self.lee
        )
        self.app = open_world(world)
        self.rung = 0
        self.written: list[str] = []

    def ring(self) -> None:
        self.rung += 1

    def tell(self, notices: str) -> None:
        """Have news told beside the screen, to this."""
        session, read_at = self.app.session, self.app.newsreader._read_at
        self.app.newsreader = Newsreader(session, notices, self.ring, self.written.append)
        self.app.newsreader._read_at = read_at

    async def later(
        self, driver: Driver, seconds: float = POLL_SECONDS, *, since_key: float = 0
    ) -> str:
        """Let time pass, tick, and return the header."""
        self.world.clock.now += timedelta(seconds=seconds)
        pressed_at = self.world.clock.now - timedelta(seconds=since_key)
        self.app.session.contact.pressed_at = pressed_at
        self.app.tick()
        if (task := self.app.newsreader.reading) is not None:
            await task
        await driver.idle()
        return driver.screen.splitlines()[0]

    async def approve(self) -> None:
        async with self.world.api(self.lee) as api:
            body = ReviewCreate(status="approved")
            await api(ops.create_change_request_review, self.space, self.mine, body)

    async def ask(self) -> None:
        async with self.world.api(self.lee) as api:
            body = ReviewersRequest(users=[self.world.ana])
            await api(ops.request_reviewers, self.space, self.other, body)


@pytest.mark.parametrize("size", SIZES)
async def test_news_is_in_the_header_until_it_is_looked_at(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    desk = Desk(world)
    async with drive(desk.app, size=size) as driver:
        desk.tell("notice")
        sign = glyphs().news
        await desk.later(driver)
        assert sign not in await desk.later(driver)
        await desk.approve()
        head = await desk.later(driver)
        assert (f"{sign} Lee Park approved #1 (g N)" if size[0] > 100 else f"{sign} 1") in head
        await driver.press("?")
        await desk.ask()
        assert f"{sign} 2" in await desk.later(driver) or size[0] > 100, "under a sheet too"
        await driver.press("escape")
        thread = world.comment(
            desk.space, "@Ana Silva, look", by=desk.lee, change_request=desk.other
        )
        assert f"{sign} 3" in await desk.later(driver) or size[0] > 100
        await driver.press(":")
        await driver.type("news")
        await driver.press("enter")
        assert "3 new entries" in driver.screen
        assert sign not in driver.screen.splitlines()[0]
        assert not FORBIDDEN.search(driver.screen.replace("\n", ""))
        driver.golden("news", update=update_golden)
        # What comes now is shown, and what was read before is dimmer at the next look.
        await desk.approve()
        await desk.later(driver)
        assert driver.screen.count("approved") == 2
        await driver.press("q", "g N")
        assert "nothing new since 09:0" in driver.screen.splitlines()[1]
        await driver.press("j", "enter")
        assert driver.place.PLACE == "review"
        assert driver.place.target.change_request == desk.other
        assert driver.place.target.thread in (thread, None)


async def test_a_notice_is_given_as_the_settings_say(world: World) -> None:
    desk = Desk(world)
    async with drive(desk.app) as driver:
        await desk.later(driver)
        await desk.later(driver)

        async def told(notices: str, since_key: float) -> tuple[int, int]:
            before = desk.rung, len(desk.written)
            desk.tell(notices)
            await desk.approve()
            await desk.later(driver, since_key=since_key)
            return desk.rung - before[0], len(desk.written) - before[1]

        assert await told("notice", NOBODY_SECONDS - 1) == (0, 0), "the header is looked at"
        assert await told("quiet", NOBODY_SECONDS) == (0, 0)
        assert await told("bell", NOBODY_SECONDS) == (1, 0)
        assert await told("notice", NOBODY_SECONDS) == (1, 1)
        await desk.approve()
        await desk.later(driver, since_key=NOBODY_SECONDS)
        assert len(desk.written) == 1, "not twice within half a minute"
        await desk.approve()
        desk.app.session.contact.focused(world.clock.now, focus=False)
        await desk.later(driver, AWAY_SECONDS)
        assert desk.written[-1].startswith("\x1b]9;Lee Park approved #1 More retries, and 5 more")


@pytest.mark.parametrize(("hooks", "read"), [((), 0), ((Hook("on_news", ("true",)),), 1)])
async def test_quiet_news_are_not_read_without_the_focus_but_for_hooks(
    world: World, hooks: tuple[Hook, ...], read: int
) -> None:
    desk = Desk(world)
    desk.app.session.hooks = hooks
    async with drive(desk.app) as driver:
        desk.tell("quiet")
        await desk.later(driver)
        await desk.later(driver)
        await desk.approve()
        contact = desk.app.session.contact
        contact.focused(world.clock.now, focus=False)
        await desk.later(driver, AWAY_SECONDS)
        assert desk.app.session.news.unseen == read
        contact.focused(world.clock.now, focus=True)
        await desk.later(driver, AWAY_SECONDS)
        assert desk.app.session.news.unseen == 1


async def test_each_entry_of_the_news_runs_the_hooks_of_news(world: World, tmp_path: Path) -> None:
    desk = Desk(world)
    script = "import sys, json; told = json.load(sys.stdin); end = told['number']; " + (
        "open(sys.argv[1] + end, 'w').write(told['event'] + ' ' + told['author'])"
    )
    run = (sys.executable, "-c", script, str(tmp_path / "got"))
    desk.app.session.hooks = (Hook("on_news", run), Hook("after_merge", ("no-such-program",)))
    async with drive(desk.app) as driver:
        desk.tell("notice")
        await desk.later(driver)
        await desk.later(driver)
        await desk.approve()
        await desk.ask()
        await desk.later(driver)
        await eventually(lambda: not desk.app.session.hooked, driver.idle)
    files = [tmp_path / f"got{number}" for number in (1, 2)]
    assert [file.read_text() for file in files] == ["on_news Lee Park"] * 2


async def test_it_is_read_as_often_as_there_is_somebody_to_tell(world: World) -> None:
    desk, clock = Desk(world), world.clock
    session = desk.app.session
    desk.tell("bell")
    await session.ready()

    async def read_after(seconds: float) -> bool:
        clock.now += timedelta(seconds=seconds)
        before, reader = desk.app.newsreader.reading, desk.app.newsreader
        reader.tick()
        if reader.reading is not None:
            await reader.reading
        return reader.reading is not before

    session.contact.focused(clock.now, focus=True)
    assert not await read_after(AWAY_SECONDS), "the first time comes one interval after the start"
    assert [await read_after(POLL_SECONDS - 1), await read_after(1)] == [False, True]
    session.contact.focused(clock.now, focus=False)
    assert [await read_after(AWAY_SECONDS - 1), await read_after(1)] == [False, True]
    session.contact.lost(clock.now, "gone")
    assert not await read_after(AWAY_SECONDS)
    session.contact.answered()
    session.contact.refused = True
    assert not await read_after(AWAY_SECONDS)
