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
    assert expanded("b/~") == Path("b/~")
    assert find_paths({"COPYDESK_HOME": "~/c"}).settings == tmp_path / "c/config/config.toml"


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody without a home folder, as in a container."""

    def expanduser(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", expanduser)


@pytest.mark.usefixtures("homeless")
def test_a_home_folder_that_is_not_known_is_named() -> None:
    for path in (expanded, lambda path: find_paths({"COPYDESK_HOME": path})):
        with pytest.raises(NoHomeError, match="no home folder is known for the ~") as caught:
            path("~/a")
        assert caught.value.filename == "~/a"
    given = {"base_url": "https://docs.example.com", "ca_file": "~/ca.pem"}
    (mistake,) = profiles_of({"work": given}, "")[1]
    assert "profile work: ca_file ~/ca.pem: no home folder is known" in mistake[1]
    settings, (wrong,) = clustering_of({"model": "~/model"}, "")
    assert settings.model == ""
    assert "the model ~/model: no home folder is known" in wrong[1]


@pytest.mark.parametrize("name", ["~$report.csv", f"{NOBODY}/a", "./~", "./~/a", "~~"])
def test_a_name_that_is_nobody_s_home_stays_a_name(name: str) -> None:
    assert expanded(name) == Path(name)


@pytest.mark.parametrize(
    "command",
    [
        "desk import ~/a",
        "desk export handbook ~/a",
        "desk backup ~/a",
        "--desk ~/a cr list",
        "cr checkout 4 ~/a",
        "clusters report --output ~/a",
        "api POST /orgs --input ~/a",
        "conversations send ~/a --organization Acme",
    ],
)
@pytest.mark.usefixtures("homeless")
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
