"""Merge when ready, driven as a person would: it waits in the run, is stopped, and is merged."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewCreate
from copydesk.session.glyphs import glyphs
from copydesk.session.reachability import WAITING_SECONDS
from copydesk.tui.framework.desk_app import DeskApp
from copydesk.tui.system.background import OngoingRuns
from tests.drive import Driver, drive
from tests.session.runs.test_waiting import Waits, Watched
from tests.tui.opening import open_world
from tests.world import BASE_URL, World

RULES = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}


async def look(driver: Driver, world: World) -> None:
    """Let a minute pass, after which what waits is looked at."""
    world.clock.now += timedelta(seconds=WAITING_SECONDS)
    driver.app.tick()
    if (task := driver.app.newsreader.reading) is not None:
        await task
    await driver.idle()


@pytest.mark.long
async def test_it_waits_in_the_run_until_its_rules_hold_and_is_merged_as_it_was_seen(
    world: World, update_golden: bool
) -> None:
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"auth": "# Auth\n"}, merge_rules=RULES)
    second, first = (
        world.change_request(space, {page: f"# {page}\n"}, subject=f"Write {page}", by=lee)
        for page in ("retries", "limits")
    )
    async with drive(open_world(world, "changes"), size=(80, 24)) as driver:
        await look(driver, world)  # the news begin
        await look(driver, world)
        await driver.press("m")
        assert "an edit, comment, other review or conflict stops it" in driver.screen
        await driver.resize(140, 40)
        driver.golden("merge_sheet.when_ready", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("merge_sheet.when_ready", update=update_golden)
        # What changed since the sheet was read was not seen.
        world.edit_change_request(first, {"limits": "# Unseen\n"}, by=lee)
        await driver.press("M")
        assert "Changed since you looked" in driver.screen
        await driver.press("M")
        assert "#2 merges when its rule holds" in driver.screen
        assert "M Write limits" in driver.line("2 ")
        await driver.press("?")
        await driver.type("waits for its rules")
        assert "M shows it" in driver.screen
        await driver.press("escape")
        await driver.press("u")
        assert driver.app.session.waiting_merges.runs == ()
        assert "M Write limits" not in driver.screen
        await driver.press("ctrl+r")
        await driver.press("M")
        await look(driver, world)
        await driver.resize(140, 40)
        driver.golden("merge_run.waits", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("merge_run.waits", update=update_golden)
        # A comment stops it; r takes that as read.
        world.comment(space, "Wait for the release.", by=lee, change_request=first)
        await look(driver, world)
        assert "stopped" in driver.line("Write limits")
        await driver.resize(140, 40)
        await look(driver, world)
        assert f"{glyphs().news} copydesk did not merge #2" in driver.screen.splitlines()[0]
        driver.golden("merge_run.waits_no_more", update=update_golden)
        await driver.resize(80, 24)
        await driver.press("r")
        assert "waiting" in driver.line("Write limits")
        await driver.press("x")
        assert driver.app.session.waiting_merges.runs == ()
        await driver.press("u")
        assert "waiting" in driver.line("Write limits")
        async with world.api() as api:
            body = ReviewCreate(status="approved")
            await api(ops.create_change_request_review, space, first, body)
        await look(driver, world)
        assert "#2 Write limits is merged. Its rules hold." in driver.screen
        await driver.press("2")
        assert "finished: 1 merged" in driver.screen
        await look(driver, world)
        assert f"{glyphs().news} 2" in driver.screen.splitlines()[0], "it stopped, and was merged"
        await driver.press("g N")
        assert "copydesk" in driver.line("did not merge")
        assert "copydesk" in driver.line(" merged ")
    assert world.row("change_request", first)["status"] == "merged"
    assert world.row("change_request", second)["status"] == "open"


async def test_what_is_ready_does_not_wait(world: World) -> None:
    space = world.space("Guide", {"auth": "# Auth\n"})
    world.change_request(space, {"auth": "# Sign in\n"}, subject="Write auth")
    async with drive(open_world(world, "changes"), "m") as driver:
        await driver.press("M")
        assert "No rule is in its way: y merges it." in driver.screen
        await driver.press("escape")
        await driver.press("W", "enter", "m")
        assert "The change request is a draft: close this, W opens it for review." in driver.screen
        assert "y merge " not in driver.screen
        await driver.press("y")
        assert "y merges nothing yet.  esc cancel" in driver.screen
        await driver.press("escape", "W", "m")
        assert "It is a draft" not in driver.screen


async def test_what_was_merged_unread_is_in_the_news(world: World) -> None:
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"auth": "# Auth\n"}, merge_rules=RULES)
    request = world.change_request(space, {"limits": "# L\n"}, subject="Write limits", by=lee)
    way = Watched(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "changes", api=api)
    async with drive(app, size=(140, 40)) as driver:
        await look(driver, world)  # the news begin
        await look(driver, world)
        await driver.press("m", "M", "escape")
        async with world.api() as other:
            body = ReviewCreate(status="approved")
            await other(ops.create_change_request_review, space, request, body)

        def edit() -> None:
            way.first = lambda: None
            world.edit_change_request(request, {"limits": "# Unseen\n"}, by=lee)

        way.first = edit
        await look(driver, world)
        assert "more was merged than was read" in driver.screen
        await look(driver, world)
        await driver.press("g N")
        assert "merged unread edits" in driver.screen


async def test_it_is_looked_at_by_itself_from_time_to_time_where_it_may_be(
    world: World, tmp_path: Path
) -> None:
    waits, clock = Waits(world, tmp_path), world.clock
    session = waits.session
    desk = cast("DeskApp", SimpleNamespace(session=session))
    runs = OngoingRuns(desk)

    def looks(seconds: float = WAITING_SECONDS) -> bool:
        clock.now += timedelta(seconds=seconds)
        before = runs.looking
        runs.tick()
        return runs.looking is not before

    async def looked() -> None:
        assert runs.looking is not None
        await runs.looking

    await session.ready()
    assert not looks(), "none waits at first"
    await waits.wait(waits.request("one"))
    assert looks()
    assert not looks(WAITING_SECONDS), "it is under way"
    await looked()
    assert looks(1)
    await looked()
    assert not looks(WAITING_SECONDS - 1)
    assert looks(1)
    await looked()
    session.read_only = True
    assert not looks()
    session.read_only, session.contact.refused = False, True
    assert not looks()
    session.contact.answered()
    session.unreachable("Offline: gone.")
    assert not looks()
    session.contact.answered()
    assert looks(0)
    await looked()
    waits.begin()  # another program
    session = waits.session
    await session.ready()
    desk.session, runs = session, OngoingRuns(desk)
    assert not looks(0)
    assert await runs.find_waiting() == "1 merges when ready: M shows it."
    assert looks(0), "what an earlier run left is looked at once it starts"
    await looked()
