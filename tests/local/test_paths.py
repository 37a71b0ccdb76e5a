"""Where the files are, and paths that begin with a home folder."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from copydesk.cli import main
from copydesk.local.clusters import clustering_of
from copydesk.local.paths import NoHomeError, expanded, find_paths
from copydesk.local.profiles import profiles_of

NOBODY = "~nobody-has-this-name"


def test_a_tilde_stands_for_a_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expanded("~/a") == tmp_path / "a"
    assert expanded(Path("b/~")) == Path("b/~")
    assert find_paths({"COPYDESK_HOME": "~/c"}).settings == tmp_path / "c/config/config.toml"


def test_nobody_s_home_folder_is_named() -> None:
    for path in (expanded, lambda path: find_paths({"COPYDESK_HOME": path})):
        with pytest.raises(NoHomeError, match="no home folder is known for the ~") as caught:
            path(f"{NOBODY}/a")
        assert caught.value.filename == f"{NOBODY}/a"
    given = {"base_url": "https://docs.example.com", "ca_file": f"{NOBODY}/ca.pem"}
    (mistake,) = profiles_of({"work": given}, "")[1]
    assert f"profile work: ca_file {NOBODY}/ca.pem: no home folder is known" in mistake[1]
    settings, (wrong,) = clustering_of({"model": f"{NOBODY}/model"}, "")
    assert settings.model == ""
    assert f"the model {NOBODY}/model: no home folder is known" in wrong[1]


@pytest.mark.parametrize(
    "command",
    [
        f"desk import {NOBODY}/a",
        f"desk export handbook {NOBODY}/a",
        f"desk backup {NOBODY}/a",
        f"--desk {NOBODY}/a cr list",
        f"cr checkout 4 {NOBODY}/a",
        f"clusters report --output {NOBODY}/a",
        f"api POST /orgs --input {NOBODY}/a",
        f"conversations send {NOBODY}/a --organization Acme",
    ],
)
def test_a_command_says_so(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status: object = main(command.split())
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert "no home folder is known for the ~ in it" in capsys.readouterr().err


def test_who_has_no_home_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Nowhere(platformdirs.PlatformDirs):
        @property
        def user_config_path(self) -> Path:
            raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "PlatformDirs", Nowhere)
    monkeypatch.delenv("COPYDESK_HOME", raising=False)
    for words in (["cr", "list"], ["doctor"], ["settings"], ["serve"]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert said.startswith("copydesk: no home folder is known: set HOME, or COPYDESK_HOME to")
        assert said.count("\n") == 1
