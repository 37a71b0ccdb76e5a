"""A change request as a patch: put on what it began with, it gives what its branch has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from copydesk.server.export_patch import changed_files
from copydesk.server.space_export import export_space
from tests.server.imported import read, tip
from tests.server.sources.making import Making, applied, taken
from tests.world import World

LONG = b"".join(b"Line %d of the page.\n\n" % number for number in range(20))
FRONT = b"---\ndescription: >-\n  Folded\n  text\nicon: bolt\n---\n\n"
PICTURE = b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(256)) * 3
SUMMARY = (
    b"# Table of contents\n\n* [Home](README.md)\n* [A](a.md)\n  * [Below](a/below.md)\n"
    b"* [B](b.md)\n\n## More\n\n* [Old](more/old.md)\n* [Site](https://example.org/a_b)\n"
)
FILES = {
    "SUMMARY.md": SUMMARY,
    "README.md": b"# Home\n",
    "a.md": FRONT + b"# A\n\n" + LONG,
    "a/below.md": b"# Below\r\n\r\nSee [B](../b.md).\r\n",
    "b.md": b"# B\n\nNo line end",
    "more/old.md": FRONT + b"# Old\n\n" + LONG,
    "images/one.png": PICTURE,
}

BRANCHES: Mapping[str, Mapping[str, bytes | None]] = {
    "1-edited": {"a.md": FRONT + b"# A\n\n" + LONG.replace(b"Line 9 ", b"Row 9 ")},
    "2-first-line": {"a.md": FRONT + b"# The A\n\n" + LONG},
    "3-front-matter": {"a.md": FRONT.replace(b"bolt", b"bell") + b"# A\n\n" + LONG},
    "4-front-matter-gone": {"a.md": b"# A\n\n" + LONG},
    "5-moved": {
        "SUMMARY.md": SUMMARY.replace(b"b.md", b"more/b.md").replace(b"more/old", b"old"),
        "b.md": None,
        "more/b.md": b"# B\n\nNo line end",
        "more/old.md": None,
        "old.md": FRONT + b"# Old\n\n" + LONG.replace(b"Line 3 ", b"Row 3 "),
    },
    "6-deleted": {
        "SUMMARY.md": SUMMARY.replace(b"* [Old](more/old.md)\n", b""),
        "more/old.md": None,
    },
    "7-links": {
        "SUMMARY.md": SUMMARY.replace(b"a_b", b"c_d"),
        "a/below.md": b"# Below\r\n\r\nSee [Home](<../README.md> \"x\").\r\n",
    },
    "8-line-end": {"b.md": b"# B\n\nNo line end\n"},
    "9-new": {
        "SUMMARY.md": SUMMARY + b"* [Caf\xc3\xa9](more/caf\xc3\xa9.md)\n",
        "more/café.md": FRONT + "# Café\n".encode(),
    },
    "10-pictures": {"images/one.png": PICTURE[::-1], "images/two.png": PICTURE * 9},
    "11-picture-gone": {"images/one.png": None},
    "12-emptied": {"b.md": b""},
    "13-reordered": {
        "SUMMARY.md": SUMMARY.replace(b"* [B](b.md)\n", b"").replace(
            b"* [A]", b"* [B](b.md)\n* [A]"
        )
    },
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("branch", BRANCHES)
async def test_a_patch_on_what_a_branch_began_with_gives_the_branch(
    world: World, tmp_path: Path, branch: str
) -> None:
    repository = Making(tmp_path / "manual.git")
    repository.commit(FILES, "Begin")
    head = repository.commit(BRANCHES[branch], "Change", branch=branch, parents=[tip(repository)])
    space = read(world, repository.path).spaces[0].space_id
    request = world.store.read(
        lambda tx: tx.value("SELECT id FROM change_request WHERE space_id = ?", space)
    )
    export_space(world.store, space, tmp_path / "export")
    exported = taken(tmp_path / "export")
    patch = b"".join(each.patch for each in changed_files(world.store, request))
    wanted = {path: data for path, (_, data) in repository.trees[head].items()}
    assert applied(tmp_path / "there", exported, patch) == wanted
    # What main writes since elsewhere is neither in the patch nor in its way.
    later = {"README.md": b"# Home\n\nNew.\n"}
    repository.commit(later, "Main goes on")
    assert read(world, repository.path).spaces[0].space_id == space
    assert b"".join(each.patch for each in changed_files(world.store, request)) == patch
    export_space(world.store, space, tmp_path / "export")
    exported = taken(tmp_path / "export")
    assert applied(tmp_path / "later", exported, patch) == wanted | later
    repository.close()
