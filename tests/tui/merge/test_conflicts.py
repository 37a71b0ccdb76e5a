"""The way out of a conflict that ``cr merge`` names, walked as it says it, with git."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.server.repository_import import import_source
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

GIT = shutil.which("git")
PAGE = "# Rope\n\n" + "".join(f"Line {number} of the page.\n\n" for number in range(12))


def git(folder: Path, *arguments: str) -> str:
    assert GIT is not None
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.editor=true"]
    done = subprocess.run(
        [GIT, *identity, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout


def commit(folder: Path, line: str) -> None:
    page = folder / "rope.md"
    page.write_text(page.read_text().replace("Line 5 of the page.", line))
    git(folder, "commit", "-q", "-a", "-m", line)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "rope.md").write_text(PAGE)
    (folder / "SUMMARY.md").write_text("* [Rope](rope.md)\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    for branch, line in (("1-one", "One five."), ("2-two", "Two five.")):
        git(folder, "checkout", "-q", "-b", branch, "main")
        commit(folder, line)
    git(folder, "checkout", "-q", "main")
    return folder


@pytest.mark.parametrize("way", ["merge", "rebase"] if GIT else [])
async def test_the_steps_that_are_named_end_in_a_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: Path, way: str
) -> None:
    file = tmp_path / "desk.db"
    world = World(file)
    owner = world.ana
    space = import_source(world.store, checkout, owner=lambda _: owner).spaces[0].space_id
    two = Target(space=space, change_request="2")
    async with drive(open_world(world, "review", Target(space=space, change_request="1"))) as one:
        await one.press("m", "y")
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    assert main(["desk", "export", space, str(checkout), "--desk", str(file)]) == 0
    git(checkout, "commit", "-q", "-a", "-m", "What the desk merged")
    git(checkout, "checkout", "-q", "2-two")
    git(checkout, way, "main")
    page = checkout / "rope.md"
    page.write_text(
        re.sub("<<<<.*>>>> [^\n]*\n", "One and two.\n", page.read_text(), flags=re.DOTALL)
    )
    git(checkout, "add", "rope.md")
    git(checkout, *(("rebase", "--continue") if way == "rebase" else ("commit", "-q", "-m", "Two")))
    # Whoever resolved it stands on the branch, which is not the documentation for that.
    assert git(checkout, "branch", "--show-current") == "2-two\n"
    assert main(["desk", "import", str(checkout), "--desk", str(file)]) == 0

    async with drive(open_world(world, "review", two), size=(80, 24)) as driver:
        assert "One {+and two+}." in driver.screen
        await driver.press("m", "y")
    git(checkout, "checkout", "-q", "main")
    assert main(["desk", "export", space, str(checkout), "--desk", str(file)]) == 0
    assert git(checkout, "diff", "2-two") == ""
    assert "One and two." in page.read_text()
    world.close()
