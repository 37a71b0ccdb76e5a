"""The git repository of a space: its state, an export and an import, and what stops them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dulwich.refs import Ref

from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.server.sources.making import Making
from tests.tui.opening import open_world, typed
from tests.tui.steps import words
from tests.world import World

HOSTILE = "docs\x1b[2J\u202e [bold]film"


@pytest.fixture
def told(tmp_path: Path) -> Iterator[World]:
    """A desk that was told of a folder with one repository."""
    (tmp_path / "r").mkdir()
    made = World(repositories=tmp_path / "r")
    yield made
    made.close()


async def line(driver: Driver, text: str) -> None:
    await driver.press(":")
    await driver.burst(*typed(text))
    await driver.press("enter")


async def confirm(driver: Driver, world: World, name: str) -> str:
    """Go on from the form, type the name, and look again once the desk is done.

    Return both screens: the desk may be done before it is looked at again.
    """
    await driver.press("ctrl+s")
    await driver.burst(*typed(name))
    await driver.press("ctrl+s")
    world.settle()
    first = driver.screen
    await driver.press("R")
    return first + driver.screen


async def test_a_space_is_exported_and_imported_after_its_name_is_typed(
    told: World, tmp_path: Path, update_golden: bool
) -> None:
    world, making = told, Making(tmp_path / "r" / "docs.git")
    space = world.space("Guide", {"intro": "# Intro\n\nOne.\n"})
    app = open_world(world, "git-sync", Target(organization=world.home, space=space))
    # The path is that of this run: it is left out of the golden screens.
    async with drive(app, size=(80, 24)) as driver:
        driver.golden("git-none", update=update_golden)
        await line(driver, "git push")
        assert ":git import takes a branch in" in driver.screen
        await line(driver, "git export")
        await driver.burst(*typed(str(making.path)))
        await driver.press("ctrl+s")
        assert "“Guide” is committed to main" in driver.screen
        assert "the commit stays in the repository" in driver.screen
        assert "history of the space" not in driver.screen
        await driver.press("escape")
        assert "not synchronized" in driver.screen
        await line(driver, "git export")
        assert "The export is done." in await confirm(driver, world, "Guide")
        assert "export: success" in driver.screen
        assert Ref(b"refs/heads/main") in making.repo.refs

        made = making.commit({"README.md": b"# Home\n"}, branch="next")
        assert made
        await line(driver, "git import")
        await driver.press("tab", *["backspace"] * 4)
        await driver.burst(*typed("next"))
        await confirm(driver, world, "Guide")
        assert "import: success" in driver.screen
        assert world.page_id(space, "readme")

        # The audit names the repository and the branch, and what came of it.
        await driver.press("g E")
        await driver.resize(140, 40)
        assert "git import done" in driver.screen
        assert "repository docs" in words(driver)
        assert "branch next" in words(driver)
        await driver.resize(80, 24)
        await driver.press("q")

        # One try that fails leaves the repository that the space has.
        await line(driver, "git export")
        await driver.burst(*typed("gone"))
        assert "The export failed." in await confirm(driver, world, "Guide")
        assert "export: failure" in driver.screen
        await line(driver, "git import")
        assert "docs.gitgone" not in driver.screen
        await driver.press("escape")

        # A token in an address is on screen only: it is neither kept nor told.
        await line(driver, "git import")
        await driver.press(*["backspace"] * 200)
        await driver.burst(*typed("https://bo:s3cret@git.example.org/docs"))
        assert "its password or token is not saved on disk" in driver.line("Repository")
        await driver.press("escape")
        kept = "".join(driver.app.session.drafts.texts().values())
        assert "https://***@git.example.org/docs" in kept
        assert "s3cret" not in kept
        await line(driver, "git import")
        assert "type the password in place of ***: it was not kept" in words(driver)
        await driver.press("ctrl+s")
        assert "Mend “Repository” first." in driver.screen
        await driver.press(*["backspace"] * 200)
        await driver.burst(*typed("https://git.example.org/docs"))
        await driver.press("ctrl+s")
        await driver.burst(*typed("Guide"))
        await driver.press("ctrl+s")
        assert "opens no connection" in driver.screen


async def test_the_state_is_shown_as_the_service_tells_it(
    world: World, update_golden: bool
) -> None:
    space = world.space(
        "Guide",
        git_sync={
            "repoName": HOSTILE,
            "url": "https://git.example.org/acme/docs",
            "installationProvider": "gitlab",
            "operation": {
                "state": "failure",
                "direction": "import",
                "startedAt": "2026-03-01T08:00:00Z",
                "endedAt": "2026-03-01T08:01:00Z",
                "error": "The branch main is gone.\x1b[2J",
                "errorAction": {"label": "Choose another", "url": "https://git.example.org/set"},
            },
        },
    )
    target = Target(organization=world.home, space=space)
    async with drive(open_world(world, "pages", target), "g G", size=(140, 40)) as driver:
        driver.golden("git", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("git", update=update_golden)
        await driver.press("g j")
        assert '"installationProvider": "gitlab"' in driver.screen
    reader = world.user("rea", "read")
    async with drive(open_world(world, "git-sync", target, user=reader)) as driver:
        assert ":git export commits" not in driver.screen
        await line(driver, "git export")
        assert "takes the permission triggerGitSync" in driver.screen
    async with drive(open_world(world, "git-sync", Target(organization=world.home))) as driver:
        assert "No space is chosen" in driver.screen


async def test_a_space_is_read_again_while_something_is_under_way(world: World) -> None:
    space = world.space("Guide")
    target = Target(organization=world.home, space=space)
    async with drive(open_world(world, "git-sync", target), size=(80, 24)) as driver:
        world.write(
            lambda tx: tx.run(
                "UPDATE space SET git_sync = ? WHERE id = ?",
                '{"operation": {"state": "running", "direction": "import", '
                '"startedAt": "2026-03-02T09:00:00Z"}}',
                space,
            )
        )
        await driver.press("R")
        assert "import: running" in driver.screen
        await line(driver, "git import")
        assert "An import is under way" in driver.screen
