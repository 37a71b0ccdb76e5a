"""Where the files are, who may read them, what the log holds, and what loads with them."""

import logging
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.local.log import close_log, open_log, write_crash
from copydesk.local.paths import find_paths

TOKEN = "cd_secret_0123456789"


@pytest.fixture(autouse=True)
def _closed_log() -> Iterator[None]:
    yield
    close_log()


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def test_one_variable_moves_all_folders(tmp_path: Path) -> None:
    paths = find_paths({"COPYDESK_HOME": str(tmp_path / "home")}).make()
    assert paths.settings == tmp_path / "home" / "config" / "config.toml"
    assert modes(tmp_path / "home") == {0o700}
    for path in (paths.desk, paths.drafts, paths.journal, paths.seen, paths.log, paths.snapshots):
        assert path.is_relative_to(tmp_path / "home")


def test_without_it_they_are_where_the_platform_keeps_them() -> None:
    paths = find_paths({})
    assert "copydesk" in str(paths.config)
    assert paths.config.is_absolute()


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "home" / "config").mkdir(parents=True, mode=0o755)
    find_paths({"COPYDESK_HOME": str(tmp_path / "home")}).make()
    assert stat.S_IMODE((tmp_path / "home" / "config").stat().st_mode) == 0o755


def test_the_log_is_private_and_holds_no_token(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "state" / "copydesk.log"
    open_log(path, secrets=[TOKEN])
    log = open_log(path, secrets=[TOKEN])
    log.warning("sent %s", TOKEN)
    log.warning("header Authorization: Bearer abcdefghij.klm and {'token': 'qrstuvwxyz12'}")
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError:
        logging.getLogger("copydesk.client").exception("failed")
    written = path.read_text()
    assert written.count("sent …") == 1
    assert "ValueError: bad …" in written
    for secret in (TOKEN, "abcdefghij", "qrstuvwxyz"):
        assert secret not in written
    assert modes(tmp_path / "state") == {0o600}
    assert capsys.readouterr() == ("", "")


def test_a_crash_is_written_with_its_traceback_and_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    monkeypatch.setenv("COPYDESK_TOKEN", TOKEN)
    try:
        raise KeyError(TOKEN)
    except KeyError as error:
        path = write_crash(error)
    assert path == tmp_path / "state" / "copydesk.log"
    assert "Traceback" in path.read_text()
    assert TOKEN not in path.read_text()
    assert modes(tmp_path / "state") == {0o600}


def test_a_crash_is_told_even_where_the_log_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    path = write_crash(ValueError("lost?"), tmp_path / "state" / "copydesk.log")
    try:
        assert "lost?" in path.read_text()
    finally:
        path.unlink()


def test_nothing_heavy_loads_with_local_state() -> None:
    names = "paths settings drafts seen snapshot journal log"
    code = (
        f"import sys; [__import__('copydesk.local.' + name) for name in {names.split()}];"
        "print({'httpx', 'pydantic', 'textual', 'rich', 'asyncio'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
