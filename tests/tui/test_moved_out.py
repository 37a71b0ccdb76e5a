"""A page that a branch moved out of its space, as its review and the sheet of its merge show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.tui.places import Target
from tests.drive import drive
from tests.server.sources.making import Making
from tests.server.test_importing import read
from tests.tui.opening import open_world
from tests.world import World

PAGE = b"# Rope\n\n" + b"".join(b"Line %d of the page.\n\n" % number for number in range(20))


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_review_and_the_merge_say_where_it_went(
    world: World, tmp_path: Path, size: tuple[int, int]
) -> None:
    repository = Making(tmp_path / "docs.git")
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
    space = read(world, repository.path).spaces[0].space_id
    target = Target(space=space, change_request="7", view="changes")
    async with drive(open_world(world, "review", target), size=size) as driver:
        words = " ".join(driver.screen.split())
        assert "→ Rope" in words
        assert "LOSES PAGES" in words
        assert "READY" not in words
        assert "{+Row+} 2 of the page." in words
        assert "This page is moved to" in words
        await driver.press("m")
        words = " ".join(driver.screen.split())
        assert "! readers lose a page: Rope is moved to folder/" in words
        assert "\x1b" not in driver.screen
