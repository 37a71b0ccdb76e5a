"""Reading again by itself: the clock is frozen, and ticks come by hand."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from textual import events

from copydesk.client.calls import Budget
from copydesk.client.errors import (
    ApiError,
    Forbidden,
    Garbled,
    NotFound,
    RateLimited,
    ServerFault,
    Unauthorized,
    Unreachable,
)
from copydesk.session.errors import sentence
from copydesk.session.reachability import RESTING_SECONDS, RESTS_AFTER, Contact
from tests.drive import Driver, drive
from tests.tui.desk_place import NOON, REQUESTS, DeskApp, Request
from tests.tui.opening import open_world
from tests.world import World


class Desk:
    """The app on the test place with a clock that the test turns."""

    def __init__(self, driver: Driver, app: DeskApp) -> None:
        self.driver = driver
        self.app = app
        self.service = app.service
        self.now = NOON
        app.session.clock = lambda: self.now
        app.session.contact = Contact(jitter=lambda: 0.0)

    async def after(self, seconds: float) -> None:
        """Let time pass, and tick once."""
        self.now += timedelta(seconds=seconds)
        self.app.tick()
        await self.driver.idle()

    def asked(self) -> int:
        """How many pages were read since the last time this was asked."""
        count = len(self.service.asked)
        self.service.asked.clear()
        return count

    @property
    def head(self) -> str:
        return self.driver.screen.splitlines()[0]


@asynccontextmanager
async def desk(
    rows: list[Request] | None = None, size: tuple[int, int] = (100, 24)
) -> AsyncIterator[Desk]:
    app = DeskApp(list(REQUESTS) if rows is None else rows)
    async with drive(app, size=size) as driver:
        opened = Desk(driver, app)
        opened.asked()
        yield opened


async def test_the_place_in_front_is_read_again_and_nothing_moves() -> None:
    async with desk() as opened:
        await opened.driver.press("j", "j")
        before = opened.driver.selected
        opened.service.rows.insert(0, Request("130", "New one", "kim"))
        opened.service.rows[2] = Request("118", "Fix auth samples again", "jonas")
        await opened.after(14)
        assert opened.asked() == 0
        await opened.after(1)
        assert opened.asked() == 1
        assert opened.driver.selected == before
        assert "Fix auth samples again" in opened.driver.screen
        assert "New one" not in opened.driver.screen
        assert "1 new (press . to show them)" in opened.driver.screen
        await opened.after(1)
        assert opened.asked() == 0
        await opened.driver.press(".")
        assert "New one" in opened.driver.screen
        assert opened.driver.selected == before


async def test_what_waits_and_what_the_sign_means_is_said() -> None:
    async with desk() as opened:
        del opened.service.rows[3]
        opened.service.rows[1] = Request("118", "Fix auth samples again", "jonas")
        await opened.after(15)
        assert "1 gone (press . to show them)" in opened.driver.screen
        opened.service.rows.insert(0, Request("130", "New one", "kim"))
        await opened.after(15)
        assert "1 new, 1 gone (press . to show them)" in opened.driver.screen
        await opened.driver.press(".")
        assert "new or changed since you looked" in opened.driver.screen


async def test_a_filter_and_its_cursor_survive_a_poll() -> None:
    rows = [Request(str(i), f"Change {i}", "lee") for i in range(40)]
    async with desk(rows) as opened:
        await opened.driver.press("/")
        await opened.driver.type("change 3")
        await opened.after(20)
        assert opened.asked() == 0, "not while someone types"
        await opened.driver.press("enter", "j", "j")
        before = opened.driver.selected
        rows[3] = Request("3", "Change 3 again", "lee")
        await opened.after(20)
        assert opened.asked() > 0
        assert opened.driver.selected == before
        assert "Change 3 again" in opened.driver.screen


async def test_ages_count_up_and_nothing_old_looks_fresh() -> None:
    async with desk() as opened:
        assert "live now" in opened.head
        await opened.after(10)
        assert "live 10s" in opened.head
        await opened.driver.press("m")
        opened.now += timedelta(seconds=50)
        opened.app.tick()
        assert opened.asked() == 0, "not under a sheet"
        await opened.driver.press("escape")
        await opened.after(0)
        assert opened.asked() == 1
        assert "live now" in opened.head


async def test_an_old_place_says_how_old_it_is() -> None:
    async with desk() as opened:
        opened.app.session.contact.hold(NOON + timedelta(hours=1))
        await opened.after(21)
        assert "read 20s ago" in opened.head
        await opened.driver.press("R")
        assert opened.asked() == 1
        assert "live now" in opened.head


async def test_nobody_is_asked_while_the_reader_is_away() -> None:
    async with desk() as opened:
        opened.app.post_message(events.AppBlur())
        await opened.driver.idle()
        await opened.after(600)
        assert opened.asked() == 0
        opened.app.post_message(events.AppFocus())
        await opened.driver.idle()
        assert opened.asked() == 1


async def test_who_presses_a_key_is_there_whatever_the_terminal_tells() -> None:
    async with desk() as opened:
        was = opened.driver.selected
        opened.app.post_message(events.AppBlur())
        await opened.driver.press("j")
        assert opened.driver.selected != was
        await opened.after(20)
        assert opened.asked() == 1
        # So is who types into a field: none of it is a key of the list.
        await opened.driver.press("/")
        opened.app.post_message(events.AppBlur())
        await opened.driver.press("x", "y")
        assert getattr(opened.app.screen.focused, "value", "") == "xy"


async def test_a_service_out_of_reach_is_asked_ever_less_often() -> None:
    async with desk() as opened:
        opened.service.failure = Unreachable("No answer.")
        await opened.after(15)
        assert opened.asked() == 1
        for wait in (1, 2, 4, 8, 16, 32, 60, 60):
            said = f"offline, data from {NOON.astimezone():%H:%M}, retry in {wait} s (R now)"
            assert said in opened.head
            await opened.after(wait - 0.5)
            assert opened.asked() == 0
            await opened.after(0.5)
            assert opened.asked() == 1
        assert "Rate limit page rewrite" in opened.driver.screen
        await opened.driver.press("R")
        assert opened.asked() == 1, "a refresh by hand always goes through"
        opened.service.failure = None
        await opened.driver.press("R")
        assert "live now" in opened.head


async def test_a_list_that_was_never_read_comes_back_by_itself() -> None:
    app = DeskApp()
    app.service.failure = Unreachable("No answer.")
    async with drive(app, size=(100, 24)) as driver:
        opened = Desk(driver, app)
        await driver.press("R")
        assert "retry in 1 s" in opened.head
        await opened.after(1)
        assert "retry in 2 s" in opened.head
        app.service.failure = None
        await opened.after(2)
        assert "live now" in opened.head
        assert "Rate limit page rewrite" in driver.screen


async def test_what_was_said_of_the_way_to_the_service_goes_with_the_first_answer() -> None:
    async with desk() as opened:
        for failure, said in (
            (Unreachable("No answer."), "Offline: No answer."),
            (Unauthorized("No.", status=401), "Token refused. ctrl+g to fix it. No."),
        ):
            opened.service.failure = failure
            await opened.driver.press("R")
            assert said in opened.driver.screen
            opened.service.failure = None
            opened.driver.place.read_again(by_hand=False)
            await opened.driver.idle()
            assert "live now" in opened.head
            assert said not in opened.driver.screen


async def test_the_head_says_that_nothing_was_read() -> None:
    for failure, said in (
        (Unauthorized("No.", status=401), "token refused"),
        (Forbidden("Not yours.", status=403), "not read"),
    ):
        app = DeskApp()
        app.service.failure = failure
        async with drive(app, size=(100, 24)) as driver:
            head = driver.screen.splitlines()[0]
            assert said in head
            assert "connecting" not in head


async def test_a_poll_that_fails_does_not_interrupt() -> None:
    async with desk() as opened:
        opened.service.failure = NotFound("Gone.", status=404)
        await opened.after(15)
        assert opened.asked() == 1
        assert "Gone" not in opened.driver.screen
        # What is of no use is asked for ever less often, until it is of use again.
        await opened.after(15)
        opened.service.failure = Garbled("No JSON.")
        opened.asked()
        for wait in (15, 15, 30, 60, 120, 240, 240):
            await opened.after(wait - 1)
            assert opened.asked() == 0
            await opened.after(1)
            assert opened.asked() == 1
        assert "No JSON" not in opened.driver.screen
        assert "not all since" in opened.head
        opened.service.failure = None
        await opened.after(240)
        await opened.after(15)
        assert opened.asked() == 2
        opened.service.failure = ServerFault("Broken.", status=500)
        await opened.after(15)
        assert "offline" in opened.head
        assert "Broken" not in opened.driver.screen


async def test_a_refused_token_ends_it_and_says_so_once() -> None:
    async with desk() as opened:
        opened.service.failure = Unauthorized("No.", status=401)
        await opened.after(15)
        assert "Token refused" in opened.driver.screen
        opened.asked()
        await opened.after(600)
        assert opened.asked() == 0
        opened.service.failure = None
        await opened.driver.press("R")
        opened.asked()
        await opened.after(15)
        assert opened.asked() == 1


async def test_a_used_up_budget_is_waited_for() -> None:
    for wait, said in ((39.5, "Back in 40 s."), (1800, r"Back at \d\d:\d\d:\d\d\."),
                       (7200, r"Back at \d\d:\d\d\."), (2e5, r"Back on 20\d\d-")):  # fmt: skip
        at = datetime.now(UTC) + timedelta(seconds=wait)
        assert re.search(said, sentence(RateLimited("Enough.", status=429, retry_at=at)))
    async with desk() as opened:
        back: datetime = NOON + timedelta(seconds=100)
        opened.service.failure = RateLimited("Enough.", status=429, retry_at=back)
        await opened.after(15)
        since = f"limit, data from {NOON.astimezone():%H:%M}, again in"
        assert f"{since} 85 s (R now)" in opened.head
        assert opened.asked() == 1
        # By hand it is tried all the same. Where the service does not say when, ever less often.
        opened.service.failure = RateLimited("Enough.", status=429)
        await opened.driver.press("R")
        assert "API limit reached. Nothing was lost. R tries again." in opened.driver.screen
        assert f"{since} 85 s" in opened.head
        for wait, following in ((85, 15), (15, 30), (30, 60), (60, 60)):
            opened.asked()
            await opened.after(wait - 1)
            assert opened.asked() == 0
            await opened.after(1)
            assert opened.asked() == 1
            assert f"{since} {following} s" in opened.head
        opened.service.failure = None
        await opened.after(60)
        assert opened.asked() == 1
        assert "live now" in opened.head
        assert "API limit" not in opened.driver.screen
        # Any refusal may say when to ask again, whether a poll met it or somebody at the keys.
        failing: list[tuple[type[ApiError], int]] = [(ServerFault, 503), (Forbidden, 403)]
        for kind, status in failing:
            await opened.driver.press("j")
            since = f"busy, data from {opened.now.astimezone():%H:%M}, again in"
            at = opened.now + timedelta(seconds=115)
            opened.service.failure = kind("Later.", status=status, retry_at=at)
            await opened.after(15)
            assert f"{since} 100 s (R now)" in opened.head
            await opened.driver.press("R")
            assert f"{since} 100 s" in opened.head
            opened.asked()
            await opened.after(99)
            assert opened.asked() == 0
            opened.service.failure = None
            await opened.after(1)
            assert "live now" in opened.head


async def test_little_budget_stretches_the_interval_and_says_slow() -> None:
    async with desk(size=(140, 24)) as opened:
        assert "api" not in opened.head
        opened.service.budget = Budget(limit=1000, remaining=249)
        await opened.after(15)
        assert opened.asked() == 0
        assert "api 249/1,000 slow" in opened.head
        await opened.after(45)
        assert opened.asked() == 1


async def test_the_tree_of_spaces_follows_quietly(world: World) -> None:
    for title in ("Alpha", "Beta", "Gamma"):
        world.space(title, {})
    async with drive(open_world(world), "G") as driver:
        before, lines = driver.selected, driver.screen.splitlines()
        world.space("Aardvark", {})
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert driver.selected == before
        after = driver.screen.splitlines()
        assert [line for line in after if ">" in line] == [line for line in lines if ">" in line]


async def test_organizations_follow_quietly(world: World) -> None:
    world.organization("Beta", admin=world.ana)
    async with drive(open_world(world, "organizations"), "escape", "j") as driver:
        before = driver.selected
        world.organization("Aardvark", admin=world.ana)
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert driver.selected == before
        assert "Aardvark" not in driver.screen
        assert "1 new (press . to show them)" in driver.screen
        await driver.press(".")
        assert "Aardvark" in driver.screen


async def test_a_wide_head_says_the_budget_and_a_narrow_one_that_it_is_slow() -> None:
    for width, said in ((140, "api 12/1,000 slow"), (59, "slow")):
        async with desk(size=(width, 24)) as opened:
            await opened.after(1)
            assert "slow" not in opened.head
            opened.service.budget = Budget(limit=1000, remaining=12)
            await opened.after(1)
            assert said in opened.head
            assert ("api" in opened.head) is ("api" in said)
            # A refresh by hand always goes through.
            await opened.driver.press("R")
            assert opened.asked() == 1


async def test_the_less_budget_is_left_the_longer_is_the_interval() -> None:
    async with desk() as opened:
        for left, wait in ((501, 15), (500, 30), (250, 30), (249, 60), (125, 240), (50, 1500)):
            opened.service.budget = Budget(limit=1000, remaining=left)
            await opened.driver.press("R")
            opened.asked()
            await opened.after(wait - 1)
            assert opened.asked() == 0, left
            await opened.after(RESTING_SECONDS)
            assert opened.asked() == 1, left


async def test_who_leaves_the_keys_is_read_for_ever_less_often_and_at_once_when_back() -> None:
    async with desk() as opened:
        await opened.driver.press("j")
        reads = []
        for second in range(1, 3600):
            await opened.after(1)
            if opened.asked():
                reads.append(second)
        apart = [later - sooner for sooner, later in pairwise(reads)]
        assert reads[0] == 15
        assert apart == sorted(apart)
        assert apart[-1] == 300
        assert len(reads) < 20
        # A key that is pressed then has it read within a second, as is a click.
        await opened.driver.press("j")
        await opened.after(1)
        assert opened.asked() == 1
        await opened.after(14)
        assert opened.asked() == 0
        await opened.after(RESTING_SECONDS)
        assert opened.asked() == 1


async def test_a_program_that_rests_hardly_wakes_up_until_a_key_comes() -> None:
    async with desk() as opened:
        ticks = opened.app.ticks
        told = []
        await opened.driver.press("j")
        for seconds in (RESTS_AFTER, 1):
            await opened.after(seconds)
            told.append(ticks.rests)
        await opened.driver.press("j")
        told.append(ticks.rests)
        await opened.after(1)
        assert [*told, ticks.rests] == [False, True, False, False]


async def test_what_has_just_changed_is_looked_at_often() -> None:
    async with desk() as opened:
        await opened.driver.press("j")
        await opened.after(15)
        opened.service.rows[2] = Request("118", "Fix auth samples again", "jonas")
        await opened.after(15)
        opened.asked()
        for _ in range(5):
            await opened.after(5)
            assert opened.asked() == 1
        await opened.after(5)
        await opened.after(9)
        opened.asked()
        await opened.after(1)
        assert opened.asked() == 0
        # A write of one's own is a change, unless there are no requests to spare.
        opened.app.session.contact.changed_at = opened.now
        await opened.after(5)
        assert opened.asked() == 1
        opened.service.budget = Budget(limit=1000, remaining=500)
        await opened.after(5)
        assert opened.asked() == 0


async def test_who_comes_back_to_the_window_is_at_the_keys_again() -> None:
    async with desk() as opened:
        await opened.driver.press("j")
        opened.app.post_message(events.AppBlur())
        await opened.driver.idle()
        await opened.after(3600)
        assert opened.asked() == 0
        opened.app.post_message(events.AppFocus())
        await opened.driver.idle()
        assert opened.asked() == 1
        assert "live now" in opened.head
        await opened.after(15)
        assert opened.asked() == 1
