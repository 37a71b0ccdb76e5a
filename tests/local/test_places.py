"""Where the files are, who may read them, what the log holds, and what loads with them."""

import json
import logging
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.local.log import close_log, explain_crash, open_log, write_crash
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
    for path in (paths.desk, paths.store, paths.log, paths.snapshots):
        assert path.is_relative_to(tmp_path / "home")


def test_without_it_they_are_where_the_platform_keeps_them() -> None:
    paths = find_paths({})
    assert "copydesk" in str(paths.config)
    assert paths.config.is_absolute()


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "home" / "config").mkdir(parents=True, mode=0o755)
    find_paths({"COPYDESK_HOME": str(tmp_path / "home")}).make()
    assert stat.S_IMODE((tmp_path / "home" / "config").stat().st_mode) == 0o755


def test_the_log_is_private_and_holds_no_token_and_nothing_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_TOKEN", "cd_of_the_environment")
    path = tmp_path / "state" / "copydesk.log"
    open_log(path, secrets=[TOKEN])
    log = open_log(path, secrets=[TOKEN])
    log.warning("sent %s", TOKEN, extra={"headers": {"x": f"a {TOKEN}", "n": 3}})
    log.warning("header Authorization: Bearer abcdefghij.klm and {'token': 'qrstuvwxyz12'}")
    log.warning("%s, \nsecond line \x1b[2J", "cd_of_the_environment")
    typed = "what no one shall read"
    try:
        try:
            int(typed)
        except ValueError:
            dict.fromkeys("", 0)[typed]
    except KeyError:
        logging.getLogger("copydesk.client").exception("failed")
    log.debug("only asked for")
    written = path.read_text()
    lines = [json.loads(line) for line in written.splitlines()]
    assert [line["said"].split()[0] for line in lines] == ["sent", "header", "…,", "failed"]
    assert lines[0]["headers"] == {"x": "a …", "n": 3}
    assert [error["type"] for error in lines[3]["errors"]] == ["KeyError", "ValueError"]
    assert "test_places.py" in lines[3]["errors"][0]["frames"][0]
    for secret in (TOKEN, "abcdefghij", "qrstuvwxyz", "environment", typed, "\x1b"):
        assert secret not in written
    assert modes(tmp_path / "state") == {0o600}
    open_log(path, debug=True)
    log.debug("asked for")
    assert "asked for" in path.read_text()
    assert capsys.readouterr() == ("", "")


def test_a_log_that_cannot_grow_stops_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    open_log(Path("/dev/full"))  # the system's own full disk
    for _ in range(3):
        logging.getLogger("copydesk").warning("lost")
    close_log()
    assert capsys.readouterr() == ("", "")


def test_a_crash_is_written_with_its_traceback_and_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    monkeypatch.setenv("COPYDESK_TOKEN", TOKEN)
    try:
        raise RuntimeError(f"no {TOKEN} in 'some quoted text'")
    except RuntimeError as error:
        said = explain_crash(error, kept="What you typed is kept.")
    path = tmp_path / "state" / "copydesk.log"
    assert said.endswith(f"(RuntimeError). What you typed is kept. Details: {path}")
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["level"] == "critical"
    assert json.loads(line)["errors"][0]["said"] == "no … in '…'"
    assert modes(tmp_path / "state") == {0o600}


def test_a_crash_is_told_even_where_the_log_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    wanted = tmp_path / "state" / "copydesk.log"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = write_crash(ImportError("lost?"), wanted)
    assert path.parent == tmp_path
    assert "lost?" in path.read_text()
    monkeypatch.setattr("tempfile.tempdir", str(wanted))
    assert "No log could be written" in explain_crash(ImportError("lost?"), wanted)


def test_nothing_heavy_loads_with_local_state() -> None:
    names = "paths settings drafts marks snapshot journal log"
    code = (
        f"import sys; [__import__('copydesk.local.' + name) for name in {names.split()}];"
        "print({'httpx', 'pydantic', 'textual', 'rich', 'asyncio'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
