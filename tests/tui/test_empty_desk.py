"""A desk with nothing on it: every screen says so, and how to begin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.cli.connection import chosen
from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.system.reference import load_everything
from tests.drive import drive
from tests.tui.named_keys import refused_wrong
from tests.tui.steps import words
from tests.world import World

OWN = ("drafts", "outbox", "settings", "undo")
"""The screens of what this machine keeps: they have as much to show as ever."""


@pytest.fixture
def world() -> Iterator[World]:
    """A desk with one person and nothing else."""
    made = World()
    made.user("solo", member=False)
    yield made
    made.close()


def shown(world: World) -> CopydeskApp:
    """Return the program as the one person sees it."""

    async def connected() -> Api:
        return world.api(world.user("solo", member=False))

    session = Session(connected, snapshot=Snapshots(), host="own desk")
    return CopydeskApp(session, "spaces")


@pytest.mark.long
@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=str)
async def test_every_screen_says_that_the_desk_is_empty(
    world: World, size: tuple[int, int]
) -> None:
    load_everything()
    app = shown(world)
    # How to begin, on a service and on an embedded desk: of the two only this differs.
    begins = {
        app.session.nowhere: "You are in no organization yet. Ask",
        chosen(None, None, "desk").nowhere: "This desk is empty. To begin,",
    }
    assert len(begins) == 2
    async with drive(app, size=size) as driver:

        async def say(nowhere: str) -> None:
            app.session.nowhere = nowhere
            app.redraw()
            await driver.idle()

        for name, entry in sorted(navigation.ENTRIES.items()):
            if not entry.place.__module__.startswith("copydesk."):
                continue  # made by other tests
            await app.go(name, Target(view=entry.view))
            await driver.idle()
            for nowhere, begin in begins.items():
                await say(nowhere)
                found = words(driver)
                assert (begin in found) == (entry.place.PLACE not in OWN), (name, driver.screen)
                for wrong in ("Not found", "_id", "''", "went wrong", "Traceback"):
                    assert wrong not in found, (name, driver.screen)
                assert "Reading" not in found, (name, driver.screen)
                assert not [*refused_wrong(app, off=False)], name
            await driver.press("R")
            for nowhere in begins:
                await say(nowhere)
                assert "Not found" not in driver.screen, (name, driver.screen)
            assert not app._exit, name
            while len(app.screen_stack) > 2:
                app.pop_screen()
            await driver.idle()


async def test_what_was_brought_in_meanwhile_is_there_with_the_next_look(world: World) -> None:
    solo = world.user("solo", member=False)
    app = shown(world)
    async with drive(app, ":", *"members", "enter") as driver:
        assert "You are in no organization yet" in driver.screen
        home = world.organization("Harbour", solo)
        await driver.press("R")
        await driver.idle()
        assert app.session.organization == home
        assert "Harbour" in driver.screen
        assert "solo@example.org" in driver.screen


def test_the_commands_that_begin_name_a_desk_of_ones_own(tmp_path: Path) -> None:
    at = tmp_path / "my desk.db"
    assert f"copydesk desk sample --desk '{at}'" in chosen(at, None, None).nowhere
    assert "--desk" not in chosen(None, None, "desk").nowhere
