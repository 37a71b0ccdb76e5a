"""Going through the requests of a plan: sent, stopped, gone on with, rolled back, found again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.site_section import SiteSectionUpdate
from copydesk.domain.arrange_run import ArrangeRun, Outcome, lasting_fact
from copydesk.local.journal import Journal
from copydesk.local.runs import Arrangements
from copydesk.local.state import State
from copydesk.session.runs.arrange import Arranger
from copydesk.session.session import Session
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.recovery import recover
from copydesk.tui.arrange.dialogs import ArrangeSheet
from tests.drive import drive, eventually
from tests.tui.arranging_world import BEFORE, PLACE, REMOVED, Rearranged, shown
from tests.tui.opening import open_world
from tests.world import BASE_URL, World

Trouble = Callable[[httpx.Request], httpx.Response | None]


class Way(httpx.AsyncBaseTransport):
    """A way to the desk on which a write, by its number from 1, or every read meets trouble.

    "lost" loses the answer, "down" the request; a number is the status of a refusal.
    """

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.writes: list[str] = []
        self.trouble: dict[int, str | int] = {}
        self.reads: str = ""
        self.hold: asyncio.Event | None = None
        """Until when writes are kept waiting."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            if self.reads:
                raise httpx.ConnectError("No route.", request=request)
            return await self._desk.handle_async_request(request)
        self.writes.append(request.method)
        if self.hold is not None:
            await self.hold.wait()
        match self.trouble.get(len(self.writes)):
            case "down":
                raise httpx.ConnectError("No route.", request=request)
            case "lost":
                await self._desk.handle_async_request(request)
                raise httpx.ReadError("Cut off.", request=request)
            case "blind":
                await self._desk.handle_async_request(request)
                self.reads = "down"
                raise httpx.ReadError("Cut off.", request=request)
            case int(status):
                error = {"code": status, "message": "The door is shut"}
                return httpx.Response(status, json={"error": error})
        return await self._desk.handle_async_request(request)


class Desk:
    """A site to rearrange, the way to it, and the session of a program that keeps all on disk."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.plan = Rearranged(world)
        self.way = Way(world)
        self.begin()

    def begin(self) -> None:
        """Start the program, again."""
        api = Api(BASE_URL, self.world.token(self.world.ana), transport=self.way)

        async def connect() -> Api:
            return api

        store = State(self.folder / "state.db")
        self.session = Session(
            connect,
            arrangements=Arrangements(store, "desk"),
            journal=Journal(store, "desk"),
        )
        self.arranger: Arranger = self.session.arranging

    @property
    def shown(self) -> str:
        """What the site shows."""
        return shown(self.world.store, self.plan.site)

    async def find(self) -> ArrangeRun:
        """Return the run that is on the disk."""
        run = await self.arranger.find(PLACE, self.plan.site)
        assert run is not None
        return run


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


def states(run: ArrangeRun) -> str:
    return " ".join(each.state for each in run.calls)


async def test_sent_taken_back_as_one_and_kept_until_it_is_taken_in(desk: Desk) -> None:
    assert desk.shown == BEFORE
    steps: list[str] = []
    desk.way.trouble = {4: 403}
    await desk.arranger.go(desk.plan.run(removing=True))
    # The second half is sent by another process.
    desk.begin()
    assert await recover(desk.session, await desk.arranger.groups()) == ""
    run = await desk.arranger.go(await desk.find(), lambda run: steps.append(run.far))
    assert desk.shown == REMOVED
    assert (run.state, run.outcome.sent, run.outcome.left) == ("finished", 6, 0)
    assert steps == [f"{at} of 6" for at in (3, 4, 5, 6)]
    assert run.outcome.sentence == "6 requests sent. u takes back all but 1."
    # What was made is told until what is staged goes on from it: also to the next process.
    made = run.made["new:1"]
    last = desk.session
    desk.begin()
    assert (await desk.find()).made == {"new:1": made}
    await desk.arranger.taken_in(run)
    assert await desk.arranger.find(PLACE, desk.plan.site) is None
    # One undo takes back all of it but what was removed for good.
    await last.reversals.undo()
    assert desk.shown == BEFORE.replace("API[English French]", "API[English]")
    assert last.reversals.undoable() is None


async def test_refusals_stop_it_and_it_goes_on_goes_back_or_is_kept(desk: Desk) -> None:
    plan, way = desk.plan, desk.way
    # Somebody removes what the first move is to stand behind: the service says so.
    way.trouble = {2: 403}
    run = await desk.arranger.go(plan.run())
    assert (run.state, states(run)) == ("stopped", "done failed waiting waiting waiting")
    assert run.why == "Not allowed: The door is shut"
    assert (run.outcome.sentence, run.standing()) == (
        "1 of 5 sent, 4 kept staged.", "Rearranging Acme docs stopped at 1 of 5",
    )  # fmt: skip
    # Nothing else begins meanwhile; what is offered reads the same in another process.
    with pytest.raises(WriteError, match="stopped at 1 of 5: that is settled first"):
        await desk.arranger.go(plan.run())
    way.trouble = {3: "down", 4: 401}
    run = await desk.arranger.go(run)
    assert run.why.startswith("Offline: not sent.")
    assert "r sends it." in run.why
    run = await desk.arranger.go(run)
    assert run.why.startswith("Token refused.")
    async with desk.world.api() as api:
        await api(ops.delete_site_section, desk.world.home, plan.site, plan.ids["Guides"])
    run = await desk.arranger.go(run)
    assert run.failure is not None
    assert run.why.startswith(("Gone.", "The service did not accept it"))
    run = await desk.arranger.keep(run)
    assert run.state == "finished"
    await desk.arranger.taken_in(run)
    assert await desk.arranger.find(PLACE, plan.site) is None


async def test_lost_answers_are_read_and_nothing_is_made_twice(desk: Desk) -> None:
    way = desk.way
    # The answer to what makes something is lost: it is found among the others.
    way.trouble = {1: "lost", 3: "blind"}
    run = await desk.arranger.go(desk.plan.run(removing=True))
    assert states(run) == "done done unknown waiting waiting waiting"
    assert "it had arrived" in run.calls[0].said
    assert "It is not known whether this arrived" in run.why
    # It is read before it is sent again; as long as that fails, nothing is.
    again = await desk.arranger.go(run)
    assert again.why.startswith("Offline:")
    assert len(way.writes) == 3
    kept = await desk.arranger.keep(again)
    assert kept.state == "stopped"
    assert kept.outcome.sentence.startswith("It is not known whether “Status: State” arrived: look")
    way.reads = ""
    way.trouble = {6: "lost"}
    run = await desk.arranger.go(kept)
    assert run.state == "finished"
    # The client itself sends a removal again, which does no harm.
    assert way.writes == ["POST", "PATCH", "PATCH", "POST", "POST", "DELETE", "DELETE"]
    assert desk.shown == REMOVED


async def test_rolled_back_past_failures_and_what_others_changed(desk: Desk) -> None:
    plan, way = desk.plan, desk.way
    way.trouble = {5: 403, 7: "down"}
    run = await desk.arranger.go(plan.run())
    assert [each.call.key for each in run.returning()] == [
        "move:s",
        "change:s",
        "change:new:1",
        "add:new:1",
    ]
    run = await desk.arranger.roll_back(run)
    assert (run.state, run.back, run.far) == ("stopped", True, "1 of 4")
    assert "“Status: State”: Offline: not sent." in run.why
    assert run.standing() == "Taking back the rearranging of Acme docs stopped at 1 of 4"
    # The next process finds it there. Meanwhile somebody took one back and changed another.
    desk.begin()
    async with desk.world.api() as api:
        body = SiteSectionUpdate(title="Stately")
        await api(ops.update_site_section, desk.world.home, plan.site, plan.ids["Status"], body)
    run = await desk.arranger.roll_back(await desk.find())
    assert states(run) == "taken-back taken-back done taken-back waiting"
    assert run.state == "stopped"
    assert run.why == "Not taken back: “Status: State”: Its title changed since."
    run = await desk.arranger.keep(run)
    assert run.outcome.sentence == (
        "3 requests taken back; that stays staged. Still sent: Status: State."
    )
    assert run.made == {}
    assert desk.shown == BEFORE.replace("Status", "Stately")


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
        assert "1 of these cannot be taken back; u takes back the rest." in driver.screen
        assert "6  French in API goes  cannot be taken back" in driver.screen
        # What is removed for good is counted by hand first.
        await driver.press("y", "escape")
        assert way.writes == []
        await driver.press("y")
        way.trouble = {3: 403}
        await driver.burst("1", "ctrl+s")
        assert "✓ 2  French: hidden" in driver.screen
        assert "✗ 3  Status: State" in driver.screen
        assert "Not allowed: The door is shut" in driver.screen
        assert "r try again   b roll back 2   k keep the rest staged" in driver.screen
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
        assert "r go on   b roll back 3   k keep the rest staged" in driver.screen
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
        assert "k keep the rest staged   esc later" in driver.screen
        await driver.press("escape")
        assert came == [None]
        again.push_screen(ArrangeSheet(found), came.append)
        await driver.idle()
        await driver.press("b")
        assert came[-1] is not None
        assert came[-1].sentence == "3 requests taken back; it all stays staged."
        assert desk.shown == BEFORE


async def test_two_programs_a_full_disk_and_a_site_that_is_gone(desk: Desk) -> None:
    plan = desk.plan
    desk.way.trouble = {3: 403}
    first = desk.arranger
    run = await first.go(plan.run())
    # Another program is at it; then it has gone on, and what is known here is old.
    desk.begin()
    assert desk.session.arrangements.claim(run.id)
    assert await first.find(PLACE, plan.site) is None
    with pytest.raises(WriteError, match="Another copydesk is rearranging Acme docs"):
        await first.go(run)
    desk.session.arrangements.release(run.id)
    desk.way.trouble = {4: 403}
    assert (await desk.arranger.go(await desk.find())).state == "stopped"
    with pytest.raises(WriteError, match="Another copydesk went on with it since"):
        await first.go(run)
    # A disk that is full: nothing is sent that could not be found again.
    full = Full(State())
    other = Session(desk.session.ready, arrangements=full).arranging
    refused = await other.go(plan.run())
    assert "No space left on device" in refused.why
    assert (refused.sent, len(desk.way.writes)) == (0, 4)
    full.left, desk.way.trouble = 1, {5: 403}
    refused = await other.go(refused)
    assert "No space left on device" in refused.why
    assert (refused.sent, len(desk.way.writes)) == (0, 5)
    # At the next start it is said where it stopped, and not twice.
    desk.begin()
    groups = await desk.arranger.groups()
    assert await recover(desk.session, groups) == ""
    left, said = await desk.arranger.take_stock()
    assert ([run.far for run in left], said) == (["2 of 5"], "")
    async with desk.world.api() as api:
        await api(ops.delete_site, desk.world.home, plan.site)
    left, said = await desk.arranger.take_stock()
    assert left == []
    assert said == "Acme docs is gone: what was left of it (3 requests) is dropped."
    assert await desk.arranger.take_stock() == ([], "")


class Full(Arrangements):
    """A disk that has room for so many runs that are ``left`` to be kept."""

    left = 0

    def save(self, run: ArrangeRun) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(28, "No space left on device")
        super().save(run)


def test_a_process_that_is_killed_leaves_each_change_once_or_none() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.tui.killing_arrangements", "--few"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = [line.partition(": ")[2] for line in ended.stdout.splitlines()]
    assert told == ["0 all taken back", "0 each once", "0 each once"]
