"""From a change request of a repository to what git has: edited, suggested, settled, taken back.

After each step the files of the desk, as an export writes them, are held against those that git
would have.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.contract import operations as ops
from copydesk.server.export_patch import changed_files
from copydesk.server.space_export import export_space
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.server.imported import read, tip
from tests.server.sources.making import Making, applied, taken
from tests.tui.opening import open_world
from tests.world import World

Files = dict[str, bytes]

SUMMARY = (
    b"# Table of contents\n\n* [Home](README.md)\n* [Install](install.md)\n"
    b"  * [Debian](install/deb.md)\n  * [macOS](install/dmg.md)\n\n## Metrics\n\n"
    b"* [Metrics](metrics/README.md)\n* [Life of an event](metrics/life.md)\n"
)
PAGES = {
    "SUMMARY.md": SUMMARY,
    "README.md": b"# Home\n\nAsk the company for support.\n",
    "install.md": b"# Install\n\nThe package is maintained by the company.\n\nChoose a system.\n",
    "install/deb.md": b"# Debian\n\nStep one.\n\nStep two, by the company.\n\nStep three.\n",
    "install/dmg.md": b"---\ndescription: For laptops\n---\n\n# macOS\r\n\r\nDouble-click.\r\n",
    "metrics/README.md": b"# Metrics\n\nSee the company's blog.\n\nMeasure twice.\n",
    "metrics/life.md": b"# Life of an event\n\nIt begins.\n\nIt ends",
}
REMOVAL = {
    "install/deb.md": PAGES["install/deb.md"].replace(b", by the company", b", by the project"),
    "metrics/README.md": PAGES["metrics/README.md"].replace(b"company's", b"project's"),
    "metrics/life.md": PAGES["metrics/life.md"].replace(b"begins.", b"begins here."),
}
"""What change request #520 did in the repository: references to a company are removed."""

OTHER = {"install/deb.md": PAGES["install/deb.md"].replace(b"two, by", b"two and a half, by")}
"""What another branch changed of the same line."""


NEW = b"# Docker\n\nPull it.\n"
EDITED = {
    "SUMMARY.md": SUMMARY.replace(
        b"  * [macOS](install/dmg.md)\n",
        b"  * [macOS](install/dmg.md)\n  * [Docker](install/docker.md)\n",
    ),
    "install/dmg.md": PAGES["install/dmg.md"].replace(b"Double-click", b"Click twice"),
    "install/docker.md": NEW,
    "metrics/README.md": REMOVAL["metrics/README.md"].replace(b"twice", b"three times"),
}
SUGGESTED = {"metrics/life.md": REMOVAL["metrics/life.md"].replace(b"here.", b"here. Today.")}
SETTLED = {
    "install/deb.md": PAGES["install/deb.md"].replace(
        b"Step two, by the company.",
        b"Step two and a half, by the company.\n\nStep two, by the project.",
    )
}


class Walk:
    """The desk that a repository was imported into, and the review of its change request."""

    def __init__(
        self, world: World, space: str, driver: Driver, folder: Path, patch: pytest.MonkeyPatch
    ) -> None:
        self.world, self.space, self.driver, self.folder = world, space, driver, folder
        self._patch, self._count = patch, 0

    async def word(self, typed: str) -> None:
        """Type a word of the command line."""
        await self.driver.press(":")
        await self.driver.type(typed)
        await self.driver.press("enter")

    def next_edit(self, script: str) -> None:
        """Let the editor do what a script of sed says."""
        self._patch.setenv("VISUAL", f"sed -i '{script}'")

    def main(self) -> Files:
        """Return the files that an export writes."""
        self._count += 1
        folder = self.folder / f"main{self._count}"
        export_space(self.world.store, self.space, folder)
        return taken(folder)

    def branch(self, number: int) -> Files:
        """Return the files of a change request: what git makes of main's with its patch."""
        numbered = "SELECT id FROM change_request WHERE space_id = ? AND number = ?"
        request = self.world.store.read(lambda tx: tx.value(numbered, self.space, number))
        patch = b"".join(each.patch for each in changed_files(self.world.store, request))
        files = self.main()
        return applied(self.folder / f"branch{self._count}", files, patch)


def imported(world: World, folder: Path) -> str:
    """Import the repository with both branches; return its space."""
    repository = Making(folder / "manual.git")
    repository.commit(PAGES, "Begin")
    base = tip(repository)
    repository.commit(REMOVAL, "Remove", branch="520-removal", parents=[base])
    repository.commit(OTHER, "Half", branch="521-half", parents=[base])
    repository.close()
    return read(world, repository.path).spaces[0].space_id


async def edit_and_insert(walk: Walk) -> Files:
    """Edit a page that the request changes, and one that it does not; write a new one after it."""
    driver, was = walk.driver, walk.branch(520)
    assert was == PAGES | REMOVAL
    walk.next_edit("s/twice/three times/")
    await walk.word("page Metrics")
    await driver.press("e", "t", "h", "g g")
    walk.next_edit("s/Double-click/Click twice/")
    await driver.press("j", "j", "j", "e")
    walk.next_edit("$a Pull it.")
    await driver.press("ctrl+n")
    await driver.type("Docker")
    await driver.press("enter")
    assert "STAGED 3" in driver.screen
    assert walk.branch(520) == was
    await driver.press("ctrl+s", "y")
    assert "Sent: 3 pages of #520. u undoes it." in driver.screen
    return was | EDITED


async def suggest_and_apply(walk: Walk) -> Files:
    """Suggest other words for a line of another page, and apply that."""
    driver, was = walk.driver, walk.branch(520)
    await walk.word("page Life of an event")
    await driver.press("s")
    await driver.type(" Today.")
    await driver.press("ctrl+r")
    assert walk.branch(520) == was
    await driver.press("S")
    assert "1 suggestion applied. u undoes it." in driver.screen
    return was | SUGGESTED


async def settle_and_merge(walk: Walk) -> Files:
    """Merge after another branch was merged, which changed a line too: both stay."""
    driver, was = walk.driver, walk.branch(520)
    async with walk.world.api() as api:
        await api(ops.merge_change_request, walk.space, "521")
    assert walk.main() == PAGES | OTHER
    await driver.press("R", "m", "y")
    assert driver.place.PLACE == "settle"
    await driver.press("3", "3", "ctrl+s", "y")
    assert walk.branch(520) == was | SETTLED
    assert walk.main() == PAGES | OTHER
    await driver.press("y")
    assert "Merged. It is live now." in driver.screen
    await driver.press("escape")
    return was | SETTLED


async def take_back(walk: Walk) -> Files:
    """Take the merge back: main is as the other branch left it."""
    driver, was = walk.driver, walk.main()
    await walk.word("revert They were right.")
    await driver.press("ctrl+s")
    assert walk.branch(522) == PAGES | OTHER
    assert walk.main() == was
    await driver.press("W", "m", "y")
    assert "Merged. It is live now." in driver.screen
    return PAGES | OTHER


@pytest.mark.long
async def test_git_has_what_was_done_step_by_step(
    world: World, editor: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = imported(world, tmp_path)
    app = open_world(world, "review", Target(space=space, change_request="520"))
    async with drive(app, size=(140, 40)) as driver:
        walk = Walk(world, space, driver, tmp_path, monkeypatch)
        assert walk.main() == PAGES
        for step in (edit_and_insert, suggest_and_apply):
            assert await step(walk) == walk.branch(520)
            assert walk.main() == PAGES
        for step in (settle_and_merge, take_back):
            assert await step(walk) == walk.main()
