"""Commands of one's own on the screens: keys, words, asking first, what they say, and hooks."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.domain.own_command import Hook, OwnCommand
from copydesk.domain.text import shorten
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp, use_own_commands
from copydesk.tui.framework.actions import declared
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import ReviewWorld
from tests.tui.sample_desk import Sample

SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)])

WRITE = "import json, os, sys; json.dump([sys.argv[2:], dict(os.environ)], open(sys.argv[1], 'w'))"
"""Writes what a program gets into the file that it is given first."""

HOOK = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"


def command(name: str, script: str, *words: str, **settings: Any) -> OwnCommand:
    """Return a command that runs a script of Python."""
    return OwnCommand(name, (sys.executable, "-c", script, *words), **settings)


def having(app: CopydeskApp, *commands: OwnCommand) -> CopydeskApp:
    """Give a program own commands, as its settings would."""
    use_own_commands(app, commands)
    return app


def got(path: Path) -> tuple[list[str], dict[str, str]]:
    """Return the words and the variables that a program got."""
    words, variables = json.loads(path.read_text())
    return words, variables


def names_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_no_action_has_the_key_of_own_commands() -> None:
    from copydesk.session.declarations import actions

    keys = [key for each in declared(ours=True) for key in each.keys]
    keys += [key for each in actions().all.values() for key in each.keys]
    assert not [key for key in keys if key.startswith("!")]


@SIZES
async def test_a_command_is_shown_whole_and_asked_about_and_runs_for_the_row(
    review: ReviewWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int], update_golden: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("COPYDESK_TOKEN", "secret")
    file = tmp_path / "got"
    app = having(
        open_world(review.world, "changes"),
        command("ticket", WRITE, str(file), "--title={title}", "{number}", key="! t",
                on=("change request",)),
    )  # fmt: skip
    async with drive(app, size=size) as driver:
        await driver.press("!")
        assert "!t ticket" in driver.screen
        await driver.press("t")
        assert "Run ticket" in driver.screen
        assert "'--title=Webhook retries and dead letters' 1" in " ".join(driver.screen.split())
        await driver.press("enter")
        assert not file.exists()
        await driver.press("y")
        await eventually(lambda: "ticket: Done." in driver.screen, driver.idle)
        words, variables = got(file)
        assert words == ["--title=Webhook retries and dead letters", "1"]
        assert "COPYDESK_TOKEN" not in variables
        await driver.press("@")
        assert "ticket Webhook retries" in driver.line("Command")
        assert "done" in driver.line("Command")


async def test_it_is_in_help_and_palette_and_after_a_colon(
    review: ReviewWorld, tmp_path: Path
) -> None:
    file = tmp_path / "got"
    own = command("ticket", WRITE, str(file), "{title}", key="! t", writes=False)
    async with drive(having(open_world(review.world, "changes"), own), size=(140, 40)) as driver:
        await driver.press("?")
        await driver.type("ticket")
        assert driver.line("!t")
        assert "Yours" in driver.screen
        await driver.press("escape", "ctrl+p")
        await driver.type("ticket")
        assert "Ticket: Your own:" in driver.screen
        await driver.press("enter")
        await eventually(file.exists, driver.idle)
        file.unlink()
        await driver.press(":")
        await driver.type("ticket")
        await driver.press("enter")
        await eventually(file.exists, driver.idle)


async def test_a_read_only_session_has_no_command_that_writes(
    review: ReviewWorld, tmp_path: Path
) -> None:
    file = tmp_path / "got"
    app = having(
        open_world(review.world, "changes"),
        command("ticket", WRITE, str(file), key="! t"),
        command("look", "print('seen')", key="! l", writes=False),
    )
    app.session.read_only = True
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("!")
        assert "!l look" in driver.screen
        assert "ticket" not in driver.screen
        await driver.press("t")
        assert "Read-only: ticket is off" in driver.screen
        await driver.press("! l")
        await eventually(lambda: "look: seen" in driver.screen, driver.idle)


async def test_one_that_runs_has_its_line_from_the_start_and_is_stopped_there(
    review: ReviewWorld, tmp_path: Path
) -> None:
    file = tmp_path / "began"
    script = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(60)"
    own = command("long", script, str(file), key="! t", writes=False)
    async with drive(having(open_world(review.world, "changes"), own), size=(140, 40)) as driver:
        await driver.press("! t")
        await eventually(file.exists, driver.idle)
        await driver.press("@")
        assert "running" in driver.line("Command")
        await driver.press("X")
        await eventually(lambda: "not done" in driver.line("Command"), driver.idle)
        assert "Stopped." in driver.screen


async def test_each_runs_once_for_every_marked_row(review: ReviewWorld, tmp_path: Path) -> None:
    review.world.change_request(review.space, subject="Another one")
    script = "import sys, pathlib; pathlib.Path(sys.argv[1], sys.argv[2]).touch()"
    app = having(
        open_world(review.world, "changes"),
        command("each", script, str(tmp_path), "{number}", key="! e", each=True),
        command("one", script, str(tmp_path), "{title}", key="! o"),
    )
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("*", "! o")
        assert "“one” does one at a time" in driver.screen
        await driver.press("! e")
        assert "Run each for 2" in driver.screen
        await driver.press("y")
        await eventually(lambda: "each: 2 runs done." in driver.screen, driver.idle)
    assert names_in(tmp_path) == ["1", "2"]


async def test_it_says_where_it_is_for_nothing_that_is_here(review: ReviewWorld) -> None:
    own = command("lint", "", key="! l", on=("page",), writes=False)
    unknown = command("switch", "", "{branch}", key="! b", writes=False)
    app = having(open_world(review.world, "changes"), own, unknown)
    async with drive(app) as driver:
        await driver.press("! l")
        assert "lint is for: page. None is selected here." in driver.screen
        await driver.press("! b")
        assert "switch: {branch} is not known here." in driver.screen


async def test_it_takes_the_key_of_the_action_that_it_replaces_and_no_other(
    review: ReviewWorld,
) -> None:
    own = command("mine", "print('mine')", key="x", replaces="archive", writes=False)
    app = having(open_world(review.world, "changes"), own)
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("?")
        await driver.type("archive")
        assert driver.line("mine")
        assert "Yours" in driver.screen
        await driver.press("escape")
        await driver.press("x")
        await eventually(lambda: "mine: mine" in driver.screen, driver.idle)


HOSTILE = "print('\\x1b[31mred\\x1b[0m\\x07 \\u202etxt')"


@pytest.mark.parametrize("show", ["status", "pager", "none"])
async def test_what_it_writes_is_shown_without_control_codes(
    review: ReviewWorld, show: Any
) -> None:
    own = command("look", HOSTILE, key="! l", writes=False, show=show)
    app = having(open_world(review.world, "changes"), own)
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("! l")
        messages = app.session.messages
        await eventually(lambda: bool(messages) and messages[-1].state == "done", driver.idle)
        await driver.idle()
        assert "\x1b" not in driver.screen
        assert "\u202e" not in driver.screen
        assert ("red txt" in driver.screen) == (show != "none")
        assert ("Output" in driver.screen) == (show == "pager")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import sys; print('no such repo', file=sys.stderr); sys.exit(4)",
         " ended with status 4: no such repo"),
        ("print('x' * 2_000_000)", " was stopped: it wrote more than 1 MiB."),
        ("import time; time.sleep(60)", " was stopped after 0.2 s."),
    ],
)  # fmt: skip
async def test_one_that_fails_floods_or_hangs_is_ended_and_said(
    review: ReviewWorld, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    if "sleep" in script:
        monkeypatch.setattr("copydesk.session.own_commands.SECONDS", 0.2)
    own = command("bad", script, key="! b", writes=False)
    program = shorten(sys.executable, 60)
    app = having(open_world(review.world, "changes"), own)
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("! b")
        await eventually(lambda: f"bad: {program}{said}" in driver.screen, driver.idle)
        await driver.press("@")
        assert "not done" in driver.line("Command")


async def test_a_program_that_is_not_there_is_named(review: ReviewWorld) -> None:
    own = OwnCommand("gone", ("no-such-program",), key="! g", writes=False)
    app = having(open_world(review.world, "changes"), own)
    async with drive(app) as driver:
        await driver.press("! g")
        await eventually(
            lambda: "gone: no-such-program was not found." in driver.screen, driver.idle
        )


async def test_a_shell_gets_the_fields_as_variables(review: ReviewWorld, tmp_path: Path) -> None:
    file = tmp_path / "got"
    run = (f'printf %s "$COPYDESK_TITLE" > {file}',)
    app = having(
        open_world(review.world, "changes"), OwnCommand("note", run, key="! n", shell=True)
    )
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("! n")
        assert "COPYDESK_TITLE = Webhook retries" in driver.screen
        await driver.press("y")
        await eventually(lambda: file.exists() and bool(file.read_text()), driver.idle)
        assert file.read_text() == "Webhook retries and dead letters"


async def test_a_merge_runs_its_hooks_with_what_is_known_as_json(
    review: ReviewWorld, tmp_path: Path
) -> None:
    file = tmp_path / "got"
    app = review.app()
    app.session.hooks = (
        Hook("after_merge", (sys.executable, "-c", HOOK, str(file))),
        Hook("after_merge", ("no-such-program", "{title}")),
    )
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("m", "y")
        await eventually(lambda: not app.session.hooked and file.exists(), driver.idle)
        told = json.loads(file.read_text())
        assert told["event"] == "after_merge"
        assert told["title"] == "Webhook retries and dead letters"
        assert told["status"] == "merged"
        hooks = [line for line in app.session.messages if line.what == "Hook"]
        assert [line.state for line in hooks] == ["done", "not done"]


@pytest.mark.long
async def test_a_row_of_clusters_conversations_inbox_and_structure_is_handed_over(
    sample: Sample, tmp_path: Path
) -> None:
    async def connect() -> Api:
        return sample.api()

    file = tmp_path / "got"
    session = Session(connect, snapshot=Snapshots(), host="desk.test")
    own = command("tell", WRITE, str(file), "{id}", "{title}", key="! t", writes=False)
    app = having(CopydeskApp(session, "clusters"), own)
    async with drive(app, size=(140, 40)) as driver:
        for keys, kind in (
            ("", "cluster"), ("l", "issue"), ("g v", "conversation"), ("g i", "thread"),
            ("g a j", "collection"),
        ):  # fmt: skip
            await driver.press(*keys.split(" ") if keys else ())
            (thing,) = driver.place.things()
            assert thing.kind == kind
            await driver.press("! t")
            await eventually(file.exists, driver.idle)
            await eventually(lambda: "tell: Done." in driver.screen, driver.idle)
            words, _ = got(file)
            assert words == [thing.fields["id"], thing.fields["title"]]
            assert all(words)
            file.unlink()
