"""A page that a branch moved out of its space, as its review and the sheet of its merge show it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from copydesk.session import page_changes
from copydesk.session.reachability import POLL_SECONDS
from copydesk.session.target import Target
from copydesk.tui.review.screen import ReviewPlace
from tests.drive import drive
from tests.server.imported import read
from tests.server.sources.making import Making
from tests.tui.opening import open_world
from tests.world import World

PAGE = b"# Rope\n\n" + b"".join(b"Line %d of the page.\n\n" % number for number in range(20))


def read_branch(world: World, folder: Path) -> str:
    """Import a branch that takes a page out of its space; return the space."""
    repository = Making(folder / "docs.git")
    base = repository.commit(
        {
            "manual/SUMMARY.md": b"* [Manual](README.md)\n* [Rope](rope.md)\n",
            "manual/README.md": b"# Manual\n",
            "manual/rope.md": PAGE,
        }
    )
    repository.commit(
        {
            "manual/rope.md": None,
            "folder/\x1b]52;c;rope.md": PAGE.replace(b"Line 2 ", b"Row 2 "),
            "manual/SUMMARY.md": b"* [Manual](README.md)\n",
        },
        "Take it out",
        branch="7-out",
        parents=[base],
    )
    repository.close()
    return read(world, repository.path).spaces[0].space_id


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_review_and_the_merge_say_where_it_went(
    world: World, tmp_path: Path, size: tuple[int, int]
) -> None:
    space = read_branch(world, tmp_path)
    target = Target(space=space, change_request="7", view="overview")
    async with drive(open_world(world, "review", target), size=size) as driver:
        assert "1 page: 1 moved out (" in " ".join(driver.screen.split())
    target = Target(space=space, change_request="7", view="changes")
    async with drive(open_world(world, "review", target), size=size) as driver:
        words = " ".join(driver.screen.split())
        assert "→ Rope" in words
        assert "LOSES PAGES" in words
        assert "READY" not in words
        assert "{+Row+} 2 of the page." in words
        assert "This page is moved to" in words
        assert isinstance(driver.place, ReviewPlace)
        driver.place.diff.mark({})
        await driver.idle()
        assert "This page is moved to" in driver.screen, "nothing scrolls as marks change"
        await driver.press("m")
        words = " ".join(driver.screen.split())
        assert "! readers lose a page: Rope is moved to folder/" in words
        assert "\x1b" not in driver.screen


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_list_and_the_review_say_so_after_a_poll_too(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    space = read_branch(world, tmp_path)
    async with drive(open_world(world, "changes", Target(space=space)), size=size) as driver:
        for _ in range(2):
            assert "LOSES PAGES   Rope is moved" in driver.screen
            world.clock.now += timedelta(seconds=POLL_SECONDS)
            driver.app.tick()
            await driver.idle()
        monkeypatch.setattr(page_changes, "MOST_CHANGES", 0)
        await driver.press("R")
        words = " ".join(driver.screen.split())
        assert "READY? only the first 0 of 1" in words
        assert "READY TO MERGE" not in words
        await driver.press("enter")
        words = " ".join(driver.screen.split())
        assert "READY? only the first 0 of 1 changes" in words
