"""What of a screen is kept for the next start, and what never is."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

from copydesk.local.preface import ENDING
from copydesk.local.snapshot import Snapshots
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.content.pages import PagesPlace
from copydesk.tui.framework.place import Place
from copydesk.tui.kept_screen import lines_of
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.world import World

HOSTILE = "Bank\x1b[2J\x1b]0;title\x07\u202e [bold]film"


def words(lines: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*[mH]", "", lines)


def screens(folder: Path) -> dict[str, str]:
    """Return what is kept, by size. The program keeps it by itself as well, once keys pause."""
    kept: dict[str, str] = {}
    for path in folder.glob(f"*{ENDING}"):
        with suppress(FileNotFoundError):  # a thread deletes what is of another screen
            kept[path.stem.partition("-")[2]] = words(path.read_text("utf-8"))
    return kept


def links(world: World) -> tuple[Target, str]:
    space = world.space("Fees", {"index": "Fees."})

    def write(tx: Tx) -> tuple[str, str]:
        site = seed.add_site(
            tx, world.home, "Portal", hostname="portal.acme.test", published=True,
            visibility="share-link",
        )  # fmt: skip
        seed.add_site_space(tx, site, space)
        return site, seed.add_share_link(tx, site, HOSTILE, active=True)

    site, link = world.write(write)
    return Target(organization=world.home, site=site), link


async def test_it_is_what_is_drawn_without_what_is_said_of_the_moment(world: World) -> None:
    target, _ = links(world)
    app = open_world(world, "share-links", target)
    async with drive(app, size=(100, 30)) as driver:
        place = driver.app.here
        assert isinstance(place, Place)
        place.say("Copied something.")
        await driver.settle()
        kept = words(lines_of(place))
        assert "Bank [bold]film" in kept
        assert "\x1b" not in kept
        assert "connecting" in kept
        assert "live" not in kept
        assert "Copied something." in driver.screen
        assert "Copied something." not in kept


async def test_no_secret_and_nothing_that_is_typed_is_kept(world: World) -> None:
    target, link = links(world)
    app = open_world(world, "share-links", target)
    async with drive(app, size=(140, 40)) as driver:
        place = driver.app.here
        assert isinstance(place, Place)
        assert lines_of(place)
        await driver.press("enter")
        assert str(world.row("share_link", link)["key"]) in driver.screen.replace("\n", "")
        assert lines_of(place) == ""
        await driver.press("enter")
        assert lines_of(place)
        await driver.press("/", "n", "o")
        assert lines_of(place) == ""


async def test_a_dialog_is_not_kept_nor_another_screen_than_the_start_opens(
    world: World, tmp_path: Path
) -> None:
    target, _ = links(world)
    app = open_world(world, "share-links", target)
    app.session.snapshot = Snapshots(tmp_path, "desk:test")
    app.kept_for = "as now"
    async with drive(app, size=(100, 30)) as driver:
        app.goes_on = False
        await driver.press("?")
        app.keep_screen(ends=True)
        assert "Keys here" in driver.screen
        assert not any("Keys here" in kept for kept in screens(tmp_path).values())
        await driver.press("escape")
        app.keep_screen(ends=True)
        kept = screens(tmp_path)
        assert list(kept) == ["100x30"]
        assert "Bank [bold]film" in kept["100x30"]
        await driver.press("g", "s")
        app.keep_visit()
        await eventually(lambda: "Bank" not in "".join(screens(tmp_path).values()), driver.turn)


async def test_a_screen_that_is_about_to_open_is_not_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with drive(open_world(world)) as driver:
        opening = PagesPlace(Target(space="s"))
        monkeypatch.setattr(CopydeskApp, "here", opening)
        driver.app.keep_visit()  # a timer does, at any time
        assert not opening.is_mounted
