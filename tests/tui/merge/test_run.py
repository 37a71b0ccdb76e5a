"""The merge run, driven as a person would: planned, started, stopped, gone on with, reported."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.merge_run import MergeRun
from copydesk.domain.settlement import Settling
from copydesk.local.runs import Runs
from copydesk.local.state import State
from copydesk.session.change_rows import row_of
from copydesk.session.runs.merge import MergeRunner
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.widgets.facts import Facts
from tests.drive import PATIENCE, Driver, drive, eventually
from tests.tui.opening import open_world
from tests.tui.steps import words
from tests.world import BASE_URL, World

PAGES = {name: f"# {name.capitalize()}\n\nOld.\n\nEnd.\n" for name in ("auth", "limits", "retries")}


class Six:
    """A desk with six open change requests: four of one space, two of another."""

    def __init__(self, world: World) -> None:
        self.world = world
        lee = world.user("lee", display_name="Lee Park")
        rules = {"type": "rules", "rules": [{"rule": "require_up_to_date_change_request"}]}
        self.guide = world.space("Platform guide", PAGES, merge_rules=rules)
        self.legal = world.space("Legal", {"terms": "# Terms\n\nBe kind.\n"})
        self.ids = [
            self._request(self.guide, "auth", "New", "Fix auth code samples"),
            self._request(self.guide, "limits", "New", "Rate limit page rewrite"),
            self._request(self.guide, "retries", "New", "Webhook retries"),
            self._request(self.guide, "auth", "Newer", "Rename “team” to “group”"),
            self._request(self.legal, "terms", "Be", "Be kinder"),
            self._request(self.legal, "privacy", "It is", "Add privacy"),
        ]
        self.lee = lee

    def _request(self, space: str, page: str, word: str, subject: str) -> str:
        text = f"# {page.capitalize()}\n\n{word}.\n\nEnd.\n"
        return self.world.change_request(
            space, {page: text}, subject=subject, by=self.world.user("lee")
        )

    def statuses(self) -> list[str]:
        """Return what became of each on the desk."""
        rows = [self.world.row("change_request", each) for each in self.ids]
        return [str(row["status"]) for row in rows]

    def untouched(self, *numbers: int) -> list[tuple[object, ...]]:
        """Return all that the desk keeps of some, to compare it later."""
        return [tuple(self.world.row("change_request", self.ids[n])) for n in numbers]


@pytest.fixture
def six(world: World) -> Six:
    return Six(world)


def states(driver: Driver) -> list[str]:
    run = driver.app.merging.run
    assert run is not None
    return [item.state for item in run.items]


def names(driver: Driver) -> list[str]:
    run = driver.app.merging.run
    assert run is not None
    return [item.name[:4] for item in run.items]


async def test_planned_from_marks_then_stopped_at_the_third_and_gone_on_with(
    six: Six, update_golden: bool
) -> None:
    app = open_world(six.world, "changes")
    async with drive(app, size=(80, 24)) as driver:
        await driver.press("s")
        await driver.burst(*"number", "enter")
        await driver.burst("S")
        await driver.burst("*", "/", *"auth", "enter")
        assert "merge 6" in driver.screen
        await driver.press("m")
        assert "6 change requests queued, 5 of them hidden by the filter." in driver.screen
        await driver.resize(140, 40)
        driver.golden("merge_run.planned", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("merge_run.planned", update=update_golden)
        # The order is the reader's: what is taken out comes back at the end.
        await driver.burst("J", "k")
        await driver.press("x")
        assert states(driver).count("removed") == 1
        await driver.press("x")
        await driver.burst("G")
        await driver.press("K", "K")
        assert names(driver) == ["#1 F", "#2 R", "#2 A", "#1 B", "#3 W", "#4 R"]
        hold = six.world.comment(six.legal, "Hold on.", change_request=six.ids[5], by=six.lee)
        before = six.untouched(2, 3, 4, 5)

        await driver.press("ctrl+s")
        assert "Each goes live at once; :revert reverts one." in driver.screen
        await driver.burst("5", "ctrl+s")
        assert six.statuses() == ["open"] * 6
        await driver.press("backspace", "6", "ctrl+s")
        assert states(driver) == ["done", "done", "stopped", "waiting", "waiting", "waiting"]
        assert six.statuses() == ["merged", "merged", "open", "open", "open", "open"]
        assert six.untouched(2, 3, 4, 5) == before
        assert "run 3/6 stopped" in driver.line("copydesk")
        assert "a new comment since it was queued, last by Lee Park" in words(driver)
        # The cursor is on what it stopped at.
        driver.golden("merge_run.stopped", update=update_golden)

        # Skipped and gone on with; the two that touch one page clash, and that is told in full.
        await driver.press("ctrl+s")
        await driver.burst("enter")
        assert "last by Lee Park: “Hold on”" in words(driver)
        assert "Enter confirms nothing." in words(driver)
        assert "r merge it all the same" in words(driver)
        # That is for what was shown: what is said since then stops it once more.
        six.world.reply(hold, "Really.", by=six.lee)
        await driver.press("r")
        assert "a new reply since it was queued, last by Lee Park: “Really”" in words(driver)
        await driver.press("ctrl+s")
        await driver.press("x")
        assert states(driver) == ["done", "done", "skipped", "done", "done", "stopped"]
        assert six.statuses() == ["merged", "merged", "merged", "open", "merged", "open"]
        await driver.resize(140, 40)
        driver.golden("merge_run.conflict", update=update_golden)
        await driver.press("r", "r")
        assert states(driver)[-1] == "stopped"
        await driver.burst("X", "y")
        assert "End the merge run" in driver.screen, "y came before the question"
        await driver.press("y")
        assert "Merge run ended: 4 merged, 1 skipped, 1 stopped." in driver.screen
        assert "6/6" not in driver.screen

        await driver.press("2")
        driver.golden("merge_run.former", update=update_golden)
        await driver.press("Y", "enter")
        report = driver.app.clipboard
        assert "# Merge run of 2026-03-02" in report
        linked = re.sub(r"\]\(http://desk/app/o/\w+/s/\w+/~/changes/\d\)", "]", report)
        assert "1. **Merged**: [#1 Fix auth code samples] in Platform guide. Revision id" in linked
        assert "3. **Skipped**: [#2 Add privacy] in Legal. It has a new reply since" in linked
        # What is merged is live, in the order of the run, and main has each text.
        await driver.press("g c")
        assert "Rename" in driver.screen


async def test_a_conflict_is_settled_from_the_run_which_then_goes_on(six: Six) -> None:
    text = "# Auth\n\nNewest.\n\nEnd.\n"
    six.world.commit(six.guide, {"auth": text})
    async with drive(open_world(six.world, "changes"), size=(120, 40)) as driver:
        await driver.press("s")
        await driver.burst(*"number", "enter")
        await driver.burst("g", "g", "/", *"Fix auth", "enter")
        await driver.press("space", "M")
        await driver.press("ctrl+s", "1", "ctrl+s")
        assert states(driver) == ["stopped"]
        assert "both sides changed Auth. enter settles it." in words(driver)
        assert "enter settle" in driver.screen.splitlines()[-1]
        await driver.press("ctrl+s")
        assert "esc, then enter settles it." in words(driver)
        await driver.press("escape", "enter")
        assert "settle with main" in driver.screen, "there was a question between"
        await driver.press("1", "ctrl+s", "y")
        assert "is settled: it has all of main" in words(driver)
        await driver.press("-")
        assert "Merge run" in driver.line("copydesk")
        assert "#1 is settled. ctrl+s goes on." in words(driver)
        assert "✓ settled the run can go on" in " ".join(driver.screen.split())
        assert "Not updated" not in driver.screen
        assert "ctrl+s go on" in driver.screen.splitlines()[-1]
        assert six.statuses()[0] == "open"
        await driver.press("ctrl+s")
        assert six.statuses()[0] == "merged"


async def test_an_edit_beside_what_was_settled_stops_the_run_yet(six: Six) -> None:
    six.world.commit(six.guide, {"auth": "# Auth\n\nNewest.\n\nEnd.\n"})
    api, request = six.world.api(), six.ids[0]

    async def connect() -> Api:
        return api

    session = Session(connect, clock=lambda: six.world.clock.now)
    runner = MergeRunner(session, lambda said, tone: None)
    assert await runner.plan([row_of(await api(ops.get_change_request, six.guide, request))]) == ""
    await asyncio.gather(*runner.busy)
    await runner.start()
    await asyncio.gather(*runner.busy)
    await runner.look_whether_settled()
    assert runner.run is not None
    assert runner.run.items[0].to_settle
    head = runner.run.items[0].revision
    kept = Settling(f"{six.guide} {request}", 0, six.guide, request, "", "", head, known="another")
    session.settlings.save(replace(kept, state="sent", head="earlier"))
    await runner.look_whether_settled()
    assert runner.run.items[0].to_settle, "that was settled before the run"
    session.settlings.save(replace(kept, state="sent"))
    await runner.look_whether_settled()
    assert runner.run.items[0].settled
    await runner.again()
    await asyncio.gather(*runner.busy)
    assert runner.run.items[0].reason == "edit"


class SlowRuns(Runs):
    """A slow disk: what has ended is on it only once it was looked for there."""

    def __init__(self) -> None:
        super().__init__(State())
        self.looked = threading.Event()

    def all(self) -> list[MergeRun]:
        found = super().all()
        self.looked.set()
        return found

    def save(self, run: MergeRun) -> None:
        if run.state == "finished":
            self.looked.wait(PATIENCE)
        super().save(run)


async def test_a_run_that_was_ended_by_hand_is_among_the_former_ones_at_once(six: Six) -> None:
    api, runs = six.world.api(), SlowRuns()

    async def connect() -> Api:
        return api

    session = Session(connect, runs=runs, clock=lambda: six.world.clock.now)
    async with drive(CopydeskApp(session, "changes"), size=(100, 30)) as driver:
        await driver.press("*", "m")
        six.world.comment(six.legal, "Hold on.", change_request=six.ids[5], by=six.lee)
        await driver.press("ctrl+s")
        await driver.press("6", "ctrl+s")
        assert "stopped" in states(driver)
        runs.looked.clear()
        await driver.press("X", "y")
        assert "Merge run ended" in driver.screen
        assert "Former runs 1" in driver.screen
        await driver.press("2")
        assert "1 stopped" in driver.screen


class Gate(httpx.AsyncBaseTransport):
    """A way to the desk that holds back its ``at``-th write until it is opened."""

    def __init__(self, world: World, at: int) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.left = at
        self.open = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.left -= request.method != "GET"
        if request.method != "GET" and self.left == 0:
            await self.open.wait()
        return await self._desk.handle_async_request(request)


def opened(six: Six, runs: Runs, at: int, first: str = "merge-run") -> tuple[CopydeskApp, Gate]:
    """Return the app over six requests, with merge runs on disk, and the gate of a write."""
    world, gate = six.world, Gate(six.world, at)
    app = open_world(world, first, api=Api(BASE_URL, world.token(world.ana), transport=gate))
    app.session.runs = runs
    return app, gate


async def plan(driver: Driver, six: Six, *numbers: int) -> None:
    """Plan a run of some of the six."""
    api = await driver.app.session.ready()
    rows = []
    for number in numbers:
        space = six.legal if number > 3 else six.guide
        rows.append(row_of(await api(ops.get_change_request, space, six.ids[number])))
    titles = {six.guide: "Platform guide", six.legal: "Legal"}
    assert await driver.app.merging.plan(rows, lambda space: titles[space]) == ""
    await driver.idle()


async def until(driver: Driver, text: str) -> None:
    """Let the run go on until the screen shows something, and the disk has written what it did.

    What a key does ends with the disk: the same key again is refused until then.
    """

    async def turn() -> None:
        writing = [thread for thread in driver._threads if not thread.done()]
        if writing:
            await asyncio.wait(writing, timeout=0.25)
        await driver.settle()

    await turn()
    await eventually(lambda: text in driver.screen and not driver._threads, turn)


async def test_quit_in_the_middle_gone_on_with_at_the_next_start_and_paused(
    six: Six, tmp_path: Path, update_golden: bool
) -> None:
    runs = Runs(State(tmp_path / "state.db"), "desk")
    app, _ = opened(six, runs, 2)
    async with drive(app) as driver:
        await plan(driver, six, 0, 4, 1)
        await driver.press("ctrl+s")
        await driver.type("3")
        await driver.send("ctrl+s")
        await until(driver, "run 2/3")
        await until(driver, "2 of 3: #1 merging")
        assert six.statuses()[0] == "merged"
        # Another copydesk sees that somebody is at it, and leaves it alone.
        other = Session(app.session.ready, runs=Runs(State(tmp_path / "state.db"), "desk"))
        told: list[str] = []
        beside = MergeRunner(other, lambda said, tone: told.append(said))
        assert await beside.find_interrupted() == ""
        assert beside.elsewhere
        await beside.go_on()
        assert told == ["Another copydesk is going through this run."]
        # Esc leaves it running; quitting asks.
        await driver.send("Q")
        assert "At 2 of 3: 1 merged, 1 wait." in words(driver)
        await driver.send("y")
        for task in [
            *app.merging.busy,
            *app.session.writes.writing,
        ]:  # as the end of a program does
            task.cancel()

    app, gate = opened(six, runs, 2, "merge-run")
    async with drive(app) as driver:
        assert "A merge run stopped at 2 of 3: ctrl+s goes on." in words(driver), "M does nothing"
        assert app.merging.standings, "what is in the way is read where the run is found late"

    app, gate = opened(six, runs, 2, "spaces")
    async with drive(app) as driver:
        assert "A merge run stopped at 2 of 3: M goes on." in words(driver)
        assert "run 2/3 paused" in driver.line("copydesk")
        await driver.press("M")
        driver.golden("merge_run.cut_off", update=update_golden)
        # What is ahead was read anew.
        await driver.press("j")
        assert "touches Limits" in driver.place.query_one(Facts).plain
        await driver.press("ctrl+s")
        assert "#1 Be kinder is read first: what was sent may have arrived." in words(driver)
        await driver.send("y")
        await until(driver, "3 of 3: #2 updating")
        await driver.send("escape")
        assert "run 3/3" in driver.line("copydesk")
        gate.open.set()
        await driver.idle()
        assert "Merge run ended: 3 merged." in driver.screen
        assert six.statuses() == ["merged", "merged", "open", "open", "merged", "open"]
        # A second run, told to pass over what it would stop at, and paused by hand.
        await plan(driver, six, 5, 3, 2)
        gate.left = 3
        gate.open.clear()
        await driver.press("M", ",", "tab", "ctrl+s", "ctrl+s")
        await driver.type("3")
        await driver.send("ctrl+s")
        await until(driver, "2 of 3: #4 updating")
        for pauses in ("Pauses after it", "p pauses after it", "Pauses after it"):
            await driver.send("p")
            await until(driver, pauses)
        gate.open.set()
        await driver.idle()
        assert states(driver) == ["done", "skipped", "waiting"]
        assert "Merge run paused at 2 of 3." in driver.screen
        await driver.press("ctrl+s")
        assert states(driver) == ["done", "skipped", "done"]
    # The one beside knows an old state of a run that is over: it looks, and merges nothing.
    await beside.go_on()
    assert told[1:] == ["Another copydesk went on with this run: see how it is now."]
    assert beside.run is not None
    assert beside.run.state == "finished"
    assert not beside.busy


class Odd(httpx.AsyncBaseTransport):
    """A service without extensions that treats each request in a way of its own."""

    def __init__(self, six: Six) -> None:
        self._desk = httpx.ASGITransport(six.world.app, raise_app_exceptions=False)
        self._six = six
        self.mended = False
        self.writes: list[int | None] = []
        self.lost = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith(("/user", "/changes", "/reviews", "/requested-reviewers")):
            return httpx.Response(404, text="Not found")
        number = next((n for n, each in enumerate(self._six.ids) if each in path), None)
        if request.method != "GET":
            self.writes.append(number)
        if self.mended or number is None:
            return await self._desk.handle_async_request(request)
        if request.method == "GET":
            if self.lost and number == 0:
                return self._error(500, "Broken.")
            return await self._desk.handle_async_request(request)
        match number:
            case 0:  # it is done, but neither the answer nor what came of it can be read
                await self._desk.handle_async_request(request)
                self.lost = True
                raise httpx.ReadError("Cut off.", request=request)
            case 1 if path.endswith("/merge"):  # it is done all the same, as a hosted service may
                await self._desk.handle_async_request(request)
                return httpx.Response(200, json={"result": "conflicts"})
            case 2 if path.endswith("/merge"):
                return self._error(412, "A rule of the house.")
            case 4:
                return self._error(503, "Down for a moment.")
        return await self._desk.handle_async_request(request)

    def _error(self, status: int, said: str) -> httpx.Response:
        return httpx.Response(status, json={"error": {"code": status, "message": said}})


class Full(Runs):
    """Runs on a disk that is full while ``full``."""

    full = False

    def save(self, run: MergeRun) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        super().save(run)


class Halting(Runs):
    """Runs whose save of what was read begins, and ends when the test lets it."""

    def __init__(self) -> None:
        super().__init__(State())
        self.saves = 0
        self.begun, self.let, self.ended = (threading.Event() for _ in range(3))

    def save(self, run: MergeRun) -> None:
        self.saves += 1
        if self.saves != 2:  # the first was of the plan, before anything was read
            super().save(run)
            return
        self.begun.set()
        assert self.let.wait(PATIENCE)
        super().save(run)
        self.ended.set()


async def test_a_run_is_its_own_though_a_read_was_begun_anew_while_it_was_saved(six: Six) -> None:
    api, runs, told = six.world.api(), Halting(), []

    async def connect() -> Api:
        return api

    runner = MergeRunner(
        Session(connect, runs=runs, clock=lambda: six.world.clock.now),
        lambda said, tone: told.append(said),
    )
    row = row_of(await api(ops.get_change_request, six.legal, six.ids[5]))
    assert await runner.plan([row]) == ""
    assert await asyncio.to_thread(runs.begun.wait, PATIENCE)
    runner.read()
    runs.let.set()
    assert await asyncio.to_thread(runs.ended.wait, PATIENCE)
    await runner.start()
    await asyncio.gather(*runner.busy)
    assert six.statuses()[5] == "merged"
    assert "Another copydesk" not in " ".join(told)


async def test_a_run_stops_at_one_whose_settling_was_cut_off(six: Six) -> None:
    api, request = six.world.api(), six.ids[5]

    async def connect() -> Api:
        return api

    session = Session(connect, clock=lambda: six.world.clock.now)
    runner = MergeRunner(session, lambda said, tone: None)
    row = row_of(await api(ops.get_change_request, six.legal, request))
    kept = Settling(f"{six.legal} {request}", 0, six.legal, request, "", "", "", state="sending")
    session.settlings.save(kept)
    assert await runner.plan([row]) == ""
    await asyncio.gather(*runner.busy)
    await runner.start()
    await asyncio.gather(*runner.busy)
    assert runner.run is not None
    assert runner.run.items[0].said == "settling it was cut off: U in its review goes on"
    assert six.statuses()[5] == "open"


async def test_odd_services_lost_answers_edits_and_a_full_disk(six: Six) -> None:
    world, way, told = six.world, Odd(six), []
    api = Api(BASE_URL, world.token(world.ana), transport=way)

    async def connect() -> Api:
        return api

    runs = Full(State())
    runner = MergeRunner(
        Session(connect, runs=runs, clock=lambda: world.clock.now),
        lambda said, tone: told.append(said),
    )

    async def idle() -> MergeRun:
        await asyncio.gather(*runner.busy)
        assert runner.run is not None
        return runner.run

    rows = [
        row_of(await api(ops.get_change_request, space, each))
        for each, space in zip(six.ids, [six.guide] * 4 + [six.legal] * 2, strict=True)
    ]
    # What was edited between the list and the plan is stopped at: nobody has seen it.
    world.edit_change_request(six.ids[3], {"auth": "# Auth\n\nNewest.\n"})
    assert await runner.plan(rows) == ""
    run = await idle()
    assert all(each.about for each in runner.standings.values())
    assert [other.label for other, _ in runner.forecast()[run.items[0].key].same] == ["#4"]
    assert runner.why_not_ready() is None
    await asyncio.gather(runner.start(), runner.start())  # however often it is asked for
    run = await idle()
    assert (run.far, run.stopped and run.stopped.reason) == ("1 of 6", "unknown")
    assert "it is not known whether it was merged" in told[-1]
    assert "A merge run is at 1 of 6" in await runner.plan(rows)
    way.lost = False
    await runner.again()
    # It had arrived: found by reading, not sent again. The next was merged whatever was answered.
    run = await idle()
    assert [each.state for each in run.items[:3]] == ["done", "done", "waiting"]
    assert run.items[0].said == "It had arrived: that was found by reading again."
    assert run.items[1].said.startswith("Merged all the same, and it is live")
    assert run.state == "stopped"
    await runner.skip()
    run = await idle()
    assert run.stopped is not None
    assert (run.stopped.label, run.stopped.reason) == ("#3", "rule")
    assert "A rule of the house." in run.stopped.said
    await runner.skip()
    run = await idle()
    assert run.stopped is not None
    assert run.stopped.said == "Edited since you read it."
    # A disk that keeps nothing: nothing is sent either, and it goes on once there is room.
    runs.full = True
    before = six.untouched(4, 5)
    await runner.skip()
    await idle()
    assert "The run cannot be saved" in runner.trouble
    assert six.untouched(4, 5) == before
    runs.full = False
    await runner.skip()
    run = await idle()
    assert run.stopped is not None
    assert (run.stopped.label, run.stopped.reason) == ("#1", "failed")
    way.mended = True
    await runner.again()
    run = await idle()
    assert (run.state, run.count("done"), run.count("skipped")) == ("finished", 4, 2)
    assert six.statuses() == ["merged", "merged", "open", "open", "merged", "merged"]
    assert told[-1] == "Merge run ended: 4 merged, 2 skipped."
    # One merge of the first, an update and a merge of those behind it; what failed was sent twice.
    assert way.writes == [0, 1, 1, 2, 2, 4, 4, 5, 5]


@pytest.mark.long
def test_a_process_that_is_killed_merges_each_once(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.tui.killing_runs", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("each once") == 6
