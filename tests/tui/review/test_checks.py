"""Checks in a review: run, walked through, hidden, and made comments and suggestions."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from copydesk.domain.checks import Check
from copydesk.local.paths import HOME_VARIABLE
from copydesk.server.desk_writes import Editor
from copydesk.tui.app import CopydeskApp
from tests.drive import drive, eventually
from tests.tui.review_world import RETRIES_NOW, ReviewWorld
from tests.world import World

MORE = (
    "\n![](https://example.com/queue.png)\n\nSee [the old guide](../old-guide.md), [the"
    " catalogue](../events/catalogue.md) and [more](../nowhere.md).\n\n#### Deep\n"
)

ALERTS = """
import json, sys
found = {}
for path in sys.argv[1:]:
    for at, line in enumerate(open(path).read().split("\\n"), 1):
        for word in ("dead letter queue", "Deliveries"):
            if word in line:
                start = line.index(word)
                found.setdefault(path, []).append({
                    "Action": {"Name": "replace", "Params": ["dead-letter queue"]},
                    "Span": [start + 1, start + len(word)], "Line": at, "Match": word,
                    "Check": "Vale.Terms", "Message": "Use 'dead-letter queue'.",
                    "Severity": "error"})
print(json.dumps(found))
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the folders of commands below one of the test."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))


@pytest.fixture
def review(world: World) -> ReviewWorld:
    found = ReviewWorld(world)

    def edit(editor: Editor) -> None:
        editor.write(editor.find("webhooks/retries"), RETRIES_NOW + MORE)
        editor.write(editor.find("events"), "# Events\n\nWhat can happen: [all](#everything).\n")

    world.edit_change_request(found.request, edit=edit, by=found.lee)
    return found


def checked(review: ReviewWorld, *checks: Check) -> CopydeskApp:
    """Return the app with checks in its settings."""
    app = review.app()
    app.session.checks = checks
    return app


def python(script: str, name: str = "prose", **settings: Any) -> Check:
    return Check(name, (sys.executable, "-c", script), **settings)


@pytest.mark.long
async def test_findings_are_walked_hidden_and_made_messages(
    review: ReviewWorld, update_golden: bool
) -> None:
    vale = Check("prose", (sys.executable, "-c", ALERTS, "{files}"), "vale")
    for size in ((140, 40), (80, 24)):
        async with drive(checked(review, vale), size=size) as driver:
            await driver.press(")")
            assert "Nothing is checked yet: % checks it." in driver.screen
            await driver.press("%")
            assert "5 lines with findings: ) goes to the next." in driver.screen
            assert "1 in older text: zR shows" in driver.screen
            await driver.press("]", ")")
            assert "prose Vale.Terms: Use 'dead-letter queue'." in driver.screen
            driver.golden("review-checks", update=update_golden)
            await driver.press("s")
            assert "goes to the dead-letter queue." in driver.screen
            await driver.press("escape", "c")
            assert "Use 'dead-letter queue'." in driver.screen
            assert "After the last attempt the event goes to" in driver.screen
            await driver.press("escape", ")", ")")
            driver.golden("review-checks-links", update=update_golden)
            for said in (
                "../old-guide.md leads to Old guide, which this change request deletes.",
                "leads to where Catalogue was: it moved to /webhooks/catalogue.",
                "../nowhere.md leads to no page and no file.",
            ):
                assert said in " ".join(driver.screen.replace("┃", " ").split())
            await driver.press(")", ")")
            assert "There is no “everything” on this page." in driver.screen
            await driver.press(")")
            assert "From the start again." in driver.screen
            await driver.press("(")
            assert "From the end again." in driver.screen
            await driver.press("x")
            assert "Hidden while the line is so." in driver.screen
            assert "There is no “everything”" not in driver.screen
            await driver.press("u")
            assert "There is no “everything” on this" in driver.screen
            await driver.press("ctrl+r")
            assert "There is no “everything”" not in driver.screen
            await driver.press(":")
            await driver.type("checks")
            await driver.press("enter")
            assert "copydesk: 6 findings." in driver.screen
            assert "1 finding hidden: :checks all shows them again." in driver.screen
            assert "prose: 1 finding, 1 in older text" in driver.screen
            await driver.press("escape", ":")
            await driver.type("checks all")
            await driver.press("enter")
            assert "There is no “everything” on this" in driver.screen
            await driver.press("(", "(", "z", "R", "g", "g")
            assert "Vale.Terms" in driver.screen.partition("We retry")[0]
    async with drive(checked(review), size=(140, 40)) as driver:
        await driver.press("%")
        assert "4 lines with findings" in driver.screen
        await driver.press("]", "|", ")")
        assert driver.screen.count("has no alternative text") == 2  # beside the line, and said


async def test_what_changed_since_is_checked_again(review: ReviewWorld) -> None:
    async with drive(checked(review), size=(140, 40)) as driver:
        await driver.press("%", "]", ")")
        assert "has no alternative text" in driver.screen
        text = RETRIES_NOW + MORE.replace("![]", "![A queue]")
        review.world.edit_change_request(review.request, {"webhooks/retries": text})
        await driver.press("R")
        assert "has no alternative text" not in driver.screen
        await driver.press("%")
        assert "3 lines with findings" in driver.screen


async def test_checks_that_are_due_run_when_a_review_opens(review: ReviewWorld) -> None:
    says = python("print('webhooks/retries.md:5: Why eight?')", "why", when="open")
    never = python("print('webhooks/retries.md:5: Never')", "never")
    async with drive(checked(review, says, never), "]", size=(140, 40)) as driver:
        assert "why: Why eight?" in driver.screen
        assert "Never" not in driver.screen
    fine = python("", "fine", when="open")
    async with drive(checked(review, fine), size=(140, 40)) as driver:
        assert "lines with findings" in driver.screen
    broken = Check("broken", ("no-such-command",), when="open")
    async with drive(checked(review, broken), size=(140, 40)) as driver:
        assert "broken: no-such-command is not there." in driver.screen


def hanging(folder: Path) -> tuple[Check, Path]:
    """Return a check that never ends, and the pipe in which it says its number."""
    told = folder / "pid"
    os.mkfifo(told)
    script = f"import os, time; open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    return python(script, "slow", seconds=600), told


async def has_ended(pid: int) -> None:
    """Wait until a process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(process, ended.set)
    async with asyncio.timeout(60):  # it comes at once, or never
        await ended.wait()
    asyncio.get_running_loop().remove_reader(process)
    os.close(process)


@pytest.mark.parametrize("way", ["%", "escape", "quit"])
async def test_a_check_that_hangs_is_ended(review: ReviewWorld, tmp_path: Path, way: str) -> None:
    slow, told = hanging(tmp_path)
    async with drive(checked(review, slow), size=(140, 40)) as driver:
        reading = asyncio.create_task(asyncio.to_thread(told.read_text))
        await driver.send("%")
        await eventually(reading.done, driver.turn)
        if way != "quit":
            await driver.press(way)
        if way == "%":
            assert "The checks are stopped." in driver.screen
        if way != "quit":
            await has_ended(int(reading.result()))
    await has_ended(int(reading.result()))


async def test_hidden_findings_stay_hidden_and_drafts_are_not_overwritten(
    review: ReviewWorld,
) -> None:
    app = checked(review)
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("%", ")", "c")
        await driver.type("Mine: ")
        await driver.press("escape", "c")
        assert "Mine: " in driver.screen
        await driver.press("escape", "x")
    again = checked(review)
    again.session.hidden = app.session.hidden
    async with drive(again, size=(140, 40)) as driver:
        await driver.press("%")
        assert "3 lines with findings" in driver.screen
