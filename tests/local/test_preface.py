"""What is kept of a screen for the next start, and what of it is believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from copydesk.local import preface
from copydesk.local.paths import find_paths
from copydesk.local.snapshot import Snapshots

LINE = "\x1b[1;1H\x1b[38;2;1;2;3mSpaces ▾\x1b[0m"
SIZE = os.terminal_size((80, 24))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    Snapshots(find_paths().snapshots, "desk:1").keep_screen(80, 24, preface.conditions(), LINE)
    (path,) = find_paths().snapshots.iterdir()
    return path


@pytest.mark.parametrize("home", ["", "~/desk", "/some/where"])
@pytest.mark.parametrize("base", ["", "/some/cache"])
def test_it_looks_where_the_paths_are(
    home: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", home)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, base)
    paths = find_paths()
    assert Path(preface.folder()) == paths.snapshots
    assert Path(preface._folder("config", "config.toml")) == paths.settings
    assert Path(preface._folder("data", "desk.db")) == paths.desk


def test_a_screen_is_private_and_drawn_only_where_nothing_changed(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> bytes | None:
        return preface._kept(SIZE, preface.conditions())

    assert kept.stat().st_mode & 0o777 == 0o600
    assert found() == LINE.encode()
    assert preface._kept(os.terminal_size((80, 25)), preface.conditions()) is None
    with monkeypatch.context() as changed:
        changed.setenv("NO_COLOR", "1")
        assert found() is None
    paths = find_paths().make()
    paths.settings.write_text('profile = "other"\n')
    assert found() is None
    paths.settings.unlink()
    assert found() is not None
    paths.desk.touch()  # a desk that was made since
    assert found() is None


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b]0;title\x07",
        "\x1b[2J",
        "\x1b[?1000h",
        "\x1bPq\x1b\\",
        "\x1b[6n",
        "\x9b6n",
        "a\rb",
        "\u202ehidden",
        "\x1b[1;1",
    ],
)
def test_nothing_is_drawn_that_is_no_drawing(kept: Path, hostile: str) -> None:
    whole = kept.read_text()
    kept.write_text(whole + hostile)
    assert preface._kept(SIZE, preface.conditions()) is None
    kept.write_text(whole)
    kept.chmod(0o644)  # others might have written it
    assert preface._kept(SIZE, preface.conditions()) is None


def test_a_token_of_the_environment_has_no_preface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPYDESK_TOKEN", "secret-of-someone")
    assert preface.conditions() == ""


def test_a_folder_that_is_gone_has_no_preface(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    monkeypatch.setenv("COPYDESK_HOME", "relative")
    (tmp_path / "gone").rmdir()
    assert preface.conditions() == ""


def test_what_is_kept_of_a_service_goes_with_its_rows(kept: Path) -> None:
    Snapshots(kept.parent, "desk:2").forget()
    assert kept.exists()
    Snapshots(kept.parent, "desk:1").forget()
    assert not kept.exists()
