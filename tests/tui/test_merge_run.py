"""The merge run, driven as a person would: planned, started, stopped, gone on with, reported."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.local.runs import Runs
from copydesk.tui.app import CopydeskApp
from copydesk.tui.merge_running import MergeRunner
from copydesk.tui.present.change_request import row_of
from copydesk.tui.session import Session
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
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


def words(driver: Driver) -> str:
    """Return the screen without its frame and folds."""
    return " ".join("".join(" " if sign in "│┃" else sign for sign in driver.screen).split())


async def test_planned_from_marks_then_stopped_at_the_third_and_gone_on_with(
    six: Six, update_golden: bool
) -> None:
    app = open_world(six.world, "changes")
    async with drive(app, "s", size=(140, 40)) as driver:
        await driver.type("number")
        await driver.press("enter", "S", "*")
        assert "merge 6" in driver.screen
        await driver.press("m")
        driver.golden("merge_run.planned", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("merge_run.planned", update=update_golden)
        # The order is the reader's: what is taken out comes back at the end.
        await driver.press("J", "k", "x")
        assert states(driver).count("removed") == 1
        await driver.press("x", "G", "K", "K")
        assert names(driver) == ["#1 F", "#2 R", "#2 A", "#1 B", "#3 W", "#4 R"]
        six.world.comment(six.legal, "Hold on.", change_request=six.ids[5], by=six.lee)
        before = six.untouched(2, 3, 4, 5)

        await driver.press("ctrl+s")
        assert "Each goes live at once and cannot be undone here." in driver.screen
        await driver.type("5")
        await driver.press("ctrl+s")
        assert six.statuses() == ["open"] * 6
        await driver.press("backspace", "6", "ctrl+s")
        assert states(driver) == ["done", "done", "stopped", "waiting", "waiting", "waiting"]
        assert six.statuses() == ["merged", "merged", "open", "open", "open", "open"]
        assert six.untouched(2, 3, 4, 5) == before
        assert "run 3/6 stopped" in driver.line("copydesk")
        assert "a new comment since it was queued, last by Lee Park" in words(driver)
        await driver.press("g g", "j", "j")
        driver.golden("merge_run.stopped", update=update_golden)

        # Skipped and gone on with; the two that touch one page clash, and that is told in full.
        await driver.press("ctrl+s", "enter")
        assert states(driver) == ["done", "done", "skipped", "done", "done", "stopped"]
        assert six.statuses() == ["merged", "merged", "merged", "open", "merged", "open"]
        await driver.press("G")
        await driver.resize(140, 40)
        driver.golden("merge_run.conflict", update=update_golden)
        await driver.press("r")
        assert states(driver)[-1] == "stopped"
        await driver.press("X", "y")
        assert "Merge run ended: 4 merged, 1 skipped, 1 stopped." in driver.screen
        assert "6/6" not in driver.screen

        await driver.press("2")
        driver.golden("merge_run.former", update=update_golden)
        await driver.press("Y")
        await driver.press("enter")
        report = driver.app.clipboard
        assert "# Merge run of 2026-03-02" in report
        assert "1. **Merged**: #1 Fix auth code samples in Platform guide. Revision id" in report
        assert "3. **Skipped**: #2 Add privacy in Legal. It has a new comment since" in report
        # What is merged is live, in the order of the run, and main has each text.
        await driver.press("g c")
        assert "Rename" in driver.screen


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


async def test_quit_in_the_middle_gone_on_with_at_the_next_start_and_paused(
    six: Six, tmp_path: Path, update_golden: bool
) -> None:
    runs = Runs(tmp_path / "runs", "desk")
    app, _ = opened(six, runs, 2)
    async with drive(app) as driver:
        await plan(driver, six, 0, 4, 1)
        await driver.press("ctrl+s")
        await driver.type("3")
        await driver.send("ctrl+s")
        await eventually(lambda: "run 2/3" in driver.screen, driver.settle)
        await eventually(lambda: "2 of 3: #1 merging" in driver.screen, driver.settle)
        assert six.statuses()[0] == "merged"
        # Another copydesk sees that somebody is at it, and leaves it alone.
        other = Session(app.session.ready, runs=Runs(tmp_path / "runs", "desk"))
        beside = MergeRunner(other, lambda said, tone: None)
        assert await beside.take_stock() == ""
        assert beside.elsewhere
        # Esc leaves it running; quitting asks.
        await driver.send("Q")
        assert "It is at 2 of 3: 1 merged, 1 wait." in words(driver)
        await driver.send("y")
        for task in [*app.merging.busy, *app.session.writing]:  # as the end of a program does
            task.cancel()

    app, gate = opened(six, runs, 2, "spaces")
    async with drive(app) as driver:
        assert "A merge run stopped at 2 of 3: M goes on." in words(driver)
        assert "run 2/3 paused" in driver.line("copydesk")
        await driver.press("M")
        driver.golden("merge_run.cut_off", update=update_golden)
        await driver.press("ctrl+s")
        assert "#1 Be kinder is read first: what was sent may have arrived." in words(driver)
        await driver.send("y")
        await eventually(lambda: "3 of 3: #2 updating" in driver.screen, driver.settle)
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
        await eventually(lambda: "2 of 3: #4 updating" in driver.screen, driver.settle)
        await driver.send("p")
        gate.open.set()
        await driver.idle()
        assert states(driver) == ["done", "skipped", "waiting"]
        assert "Merge run paused at 2 of 3." in driver.screen
        await driver.press("ctrl+s")
        assert states(driver) == ["done", "skipped", "done"]


def test_a_process_that_is_killed_merges_each_once(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.tui.killing_runs", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("each once") == 6
