"""The recipes of CONTRIBUTING.md, followed to the letter on a copy of the source."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from copydesk.tui.review.screen import ReviewPlace

ROOT = Path(__file__).resolve().parent.parent

GENERATES = "from copydesk.tui.system.reference import write_tables; write_tables()"
"""What ``make generate`` does for a place."""

ACTS = """
import asyncio
import sys

import copydesk
from copydesk.contract import operations as ops
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

assert copydesk.__file__.startswith(sys.argv[1]), "the copy is what runs"


async def main() -> None:
    world = World()
    bo = world.user("bo", display_name="Bo Ek")
    world.user("idle")
    space = world.space("Manual", {"start": "# Start"})
    world.change_request(space, {"start": "# Begin"}, by=bo)

    async with world.api() as api:
        found = await api.page(ops.list_space_contributors, space)
        assert [each.user.display_name for each in found.items] == ["Bo Ek"], found

    target = Target(world.home, space)
    async with drive(open_world(world, "contributors", target)) as driver:
        assert "Bo Ek" in driver.screen and "bo@example.org" in driver.screen, driver.screen
        await driver.press("m", "y")
        async with world.api() as api:
            (thread,) = (await api.page(ops.list_space_comments, space, format="markdown")).items
            assert "@Bo Ek" in thread.body.markdown, thread
        await driver.press("u")
        async with world.api() as api:
            assert not (await api.page(ops.list_space_comments, space)).items, "u undoes it"

    async with drive(open_world(world, "contributions", target)) as driver:
        assert "Bo Ek: 1 open change request" in driver.screen, driver.screen


asyncio.run(main())
"""


def follow(root: Path) -> None:
    """Make and change the files that the recipes name, in a copy of the source."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for block in re.findall(r"^ *```python\n(.*?)^ *```$", page, re.DOTALL | re.MULTILINE):
        head, text = dedent(block).split("\n", 1)
        path = root / head.removeprefix("# ")
        if not path.exists():
            path.write_text(text)
            continue
        before = path.read_text()
        imports = "".join(f"{line}\n" for line in text.split("\n") if line.startswith("from "))
        start = before.index("from __future__ import annotations\n")
        start += len("from __future__ import annotations\n")
        rest = text.removeprefix(imports)
        path.write_text(before[:start] + imports + before[start:] + rest)


def test_the_keys_of_a_review_are_found_by_their_files() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^  \| `(\S+)\.py` \| (.*) \|$", page, re.MULTILINE)
    named = {(file, name) for file, keys in rows for name in re.findall(r"`([A-Z]\w+)`", keys)}
    assert named == {
        (kind.__module__.removeprefix("copydesk.").replace(".", "/"), kind.__name__)
        for kind in ReviewPlace.COMMAND_CLASSES
    }


@pytest.mark.long
def test_who_follows_the_recipes_has_an_operation_an_action_and_two_places(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src/copydesk", tmp_path / "src/copydesk")
    shutil.copytree(ROOT / "styles", tmp_path / "styles")
    follow(tmp_path)
    for steps in (GENERATES, ACTS):
        run = subprocess.run(
            [sys.executable, "-c", steps, str(tmp_path)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{tmp_path / 'src'}:{ROOT}"},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr[-3000:]
