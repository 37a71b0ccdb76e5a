"""The version: that of the tag, of the commits since, of the sdist, or the one of no git at all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from copydesk import __version__

ROOT = Path(__file__).parent.parent

NEEDED = ("pyproject.toml", "README.md", "LICENSE", "src/copydesk/__init__.py")


def version(folder: Path) -> str:
    """Return the version that the build backend finds in a folder."""
    return str(ProjectMetadata(str(folder), PluginManager()).version)


def git(folder: Path, *words: str) -> None:
    """Run git in a folder, with no settings of this machine."""
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    names = {f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER")
             for what in ("NAME", "EMAIL")}  # fmt: skip
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *words], cwd=folder, env={**os.environ, **names, **nothing}, check=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that say how copydesk is built, without a repository."""
    for name in os.environ:
        if name.startswith(("SETUPTOOLS_SCM_", "VCS_VERSIONING_")):
            monkeypatch.delenv(name)
    for name in NEEDED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_tag_is_the_version_and_what_follows_it_is_of_development(folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin")
    assert re.fullmatch(r"0\.1\.dev1\+g[0-9a-f]+", version(folder)), "a clone without tags"
    git(folder, "tag", "v0.2.0")
    assert version(folder) == "0.2.0"
    git(folder, "commit", "-qm", "Go on", "--allow-empty")
    assert re.fullmatch(r"0\.2\.1\.dev1\+g[0-9a-f]+", version(folder))


def test_a_sdist_has_its_version_and_files_without_git_have_one_too(folder: Path) -> None:
    assert version(folder) == "0.1.dev0"
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: copydesk\nVersion: 0.2.0\n")
    assert version(folder) == "0.2.0"


def test_the_program_says_the_version_that_was_built() -> None:
    assert re.match(r"\d+\.\d+", __version__)
    assert __version__ != "0+unknown"
