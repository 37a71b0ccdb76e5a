"""Commands of checks, and what lies around them: no stranger configures what they do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from copydesk.domain.checks import Check
from copydesk.domain.page_tree import PageNode
from copydesk.domain.request_folder import file_names
from copydesk.local.checks import LEFT_SECONDS
from copydesk.local.paths import HOME_VARIABLE, find_paths
from copydesk.session.checks import CheckedPage, run_command

STRANGE = (
    ".vale.ini", ".markdownlint.json", ".markdownlint-cli2.cjs", ".remarkrc.js", "package.json",
    "pyproject.toml", "setup.cfg", ".git/config", "node_modules/rule/index.js", "styles/.vale.ini",
)  # fmt: skip
"""The paths that a stranger gives to pages of a request."""

LOOKS = """
import os, sys
from pathlib import Path
here = Path.cwd()
names = {".vale.ini", ".markdownlint.json", ".markdownlint-cli2.cjs", ".remarkrc.js",
         "package.json", "pyproject.toml", "setup.cfg", ".git"}
for file in sorted(here.rglob("*")):
    if file.is_file():
        print(f"{file.relative_to(here)}:1: {file.name}")
for folder in (here, *here.parents):
    print("config", *(folder / name for name in sorted(names) if (folder / name).exists()))
    if folder == Path(os.environ["HOME"]):
        break
else:
    print("config outside of what is mine")
"""
"""A linter that looks for its configuration as they do: in its folder, and in those above."""


async def test_no_configuration_of_a_stranger_is_written_or_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, home = tmp_path / "tmp", tmp_path / "me"
    shared.mkdir()
    home.mkdir()
    for name in (".vale.ini", ".remarkrc.js", "package.json"):
        (shared / name).write_text("theirs")
    monkeypatch.setenv("TMPDIR", str(shared))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv(HOME_VARIABLE, str(home / "copydesk"))
    nodes = [PageNode(f"id {path}", path, path=path) for path in STRANGE]
    pages = [
        CheckedPage(page, "Page", name, "[rules]\n", "", frozenset({1}))
        for page, name in file_names(nodes).items()
    ]
    outcome = await run_command(Check("looks", (sys.executable, "-c", LOOKS)), pages)
    assert not outcome.trouble
    written = {each.text for each in outcome.findings}
    assert len(written) == len(STRANGE)
    assert not any(name.startswith(".") or not name.endswith(".md") for name in written)
    assert set(outcome.unread) == {"config"}


async def test_what_a_killed_process_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    folder = find_paths().checks
    for name in ("run-old", "run-new"):
        (folder / name).mkdir(parents=True)
        (folder / name / "page.md").write_text("Text.\n")
    os.utime(folder / "run-old", (0, 0))
    assert LEFT_SECONDS > 600, "longer than a check may run"
    page = CheckedPage("a", "A", "a.md", "Text.\n", "", frozenset({1}))
    outcome = await run_command(Check("none", (sys.executable, "-c", "")), [page])
    assert not outcome.trouble
    assert [each.name for each in folder.iterdir()] == ["run-new"]
