"""The embedded desk as somebody's own: what opens after an import, and the sample taken out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.cli.connection import Service, session_for
from copydesk.cli.doctor_checks import desk
from copydesk.cli.embedded import desk_key, open_next, open_store
from copydesk.local.journal import Journal
from copydesk.local.paths import find_paths
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.server.desk_file import log_of
from copydesk.server.integrity import examine
from copydesk.session.target import LEFT
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.rings import using
from tests.tui import conftest as of_screens

# Screens are drawn here as in their own tests.
styles_parsed_once = of_screens.styles_parsed_once
drawn_when_asked = of_screens.drawn_when_asked


@pytest.fixture(autouse=True)
def no_keyring() -> Iterator[None]:
    """No keyring: that of this machine is not asked, and may not answer."""
    with using():
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with nothing in it, and two folders of documentation beside it."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    for name in ("harbour", "lighthouse"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "SUMMARY.md").write_text("# Summary\n\n* [Home](README.md)\n", encoding="utf-8")
        (folder / "README.md").write_text(f"# All about the {name}\n", encoding="utf-8")
    return tmp_path


async def start(*keys: str) -> str:
    """Return the first screen of a start, once it has been read, and leave."""
    connection = Service().connection()
    connection.make()
    paths = find_paths().make()
    journal = Journal(State(paths.store), connection.key)
    app = CopydeskApp(session_for(connection, paths, journal), "spaces")
    async with drive(app, *keys) as driver:
        shown = driver.screen
    connection.close()
    return shown


async def test_what_was_imported_last_opens_once(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "own desk  Quayside" in await start()
    for name in ("lighthouse", "harbour", "lighthouse"):
        assert main(["desk", "import", str(home / name)]) == 0
        header, *rest = (await start()).splitlines()
        assert f"own desk  {name}" in header
        assert "Quayside" not in "\n".join(rest)
    # Another one that is chosen then stays.
    rows = open_store(None)
    organization = rows.read(lambda tx: tx.value("SELECT id FROM organization WHERE title = ?",
                                                 "harbour"))  # fmt: skip
    rows.close()
    left = Snapshots(find_paths().snapshots, desk_key(None))
    left.write(LEFT, [{"name": "changes", "organization": "another"}])
    open_next(None, organization)
    assert not left.read(LEFT)
    for _ in range(2):
        assert "own desk  harbour" in await start()


async def test_the_sample_is_removed_and_does_not_come_back(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remove = ["desk", "sample", "--remove"]
    assert main(remove) == 2
    assert "is not a desk: there is nothing" in capsys.readouterr().err
    await start()
    assert main(["desk", "import", str(home / "harbour")]) == 0
    capsys.readouterr()
    assert main(remove) == 0
    desk = find_paths().desk
    assert capsys.readouterr().out == (
        f"Removed from {desk}: Lantern Works, Quayside and Pebblebox. Left: harbour.\n"
    )
    assert not examine(desk).all
    for _ in range(2):
        shown = await start()
        assert "own desk  harbour" in shown
        assert "Ada" in shown
        assert "Mara" not in shown
    assert "Quayside" not in await start("g", "o")
    store = open_store(None)
    try:
        assert store.read(lambda tx: tx.value("SELECT count(*) FROM user")) == 1
        assert store.read(lambda tx: tx.value("SELECT count(*) FROM space")) == 1
    finally:
        store.close()
    assert main(remove) == 2
    assert "The sample is not on this desk." in capsys.readouterr().err


async def test_nothing_of_ones_own_goes_with_the_sample_unasked(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await start()
    assert main(["desk", "import", str(home / "harbour"), "--organization", "Quayside"]) == 0
    capsys.readouterr()
    assert main(["desk", "sample", "--remove"]) == 2
    assert "Not all of that is the sample: All about the harbour (Quayside). " in (
        capsys.readouterr().err
    )
    assert "Quayside" in await start()
    assert main(["desk", "sample", "--force"]) == 2
    assert "--force goes with --remove" in capsys.readouterr().err
    assert main(["desk", "sample", "--remove", "--force"]) == 0
    assert "Nothing is left; copydesk desk import brings files in." in capsys.readouterr().out
    shown = await start()
    assert "no organization" in shown
    assert "This desk is empty. To begin" in shown
    assert "Quayside" not in shown
    assert not examine(find_paths().desk).all
    # What the screen says to do works, as often as one likes.
    assert main(["desk", "sample"]) == 0
    assert "Quayside" in await start()
    assert main(["desk", "sample", "--remove"]) == 0
    assert main(["desk", "sample"]) == 0
    assert not examine(find_paths().desk).all
    assert main(["desk", "sample"]) == 2


def test_doctor_counts_what_an_open_desk_has_not_put_into_its_file_yet(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    store = open_store(path)
    try:
        assert path.stat().st_size < 1_000_000 < log_of(path).stat().st_size
        assert desk(path).said.endswith(" MB")
    finally:
        store.close()


def test_doctor_tells_of_variables_that_have_no_effect(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value, said in (
        ("COPYDESK_PROFIL", "work", "Did you mean COPYDESK_PROFILE?"),
        ("COPYDESK_ALLOW_HTTP", "yes", "Set it to 1, or unset it."),
        ("COPYDESK_PROFILE", "nobody", "COPYDESK_PROFILE holds"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert main(["doctor"]) == 1
            assert said in capsys.readouterr().out
    main(["doctor"])
    assert "COPYDESK_ALLOW_HTTP" not in capsys.readouterr().out


def test_doctor_tells_of_settings_that_name_what_there_is_not(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = find_paths().make().settings
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('theme = "mauve\\u202e"\n', encoding="utf-8")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "! line 1: theme is 'mauve': there is no such theme. Use " in said
    assert "colour-blind" in said
    settings.write_text(
        'theme = "mauve"\nrecall_seconds = 99\n[profiles.work]\n'
        f'base_url = "https://127.0.0.1:9"\nca_file = "{home}/none.pem"\n',
        encoding="utf-8",
    )
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "! line 1: theme is 'mauve': there is no such theme" in said
    assert "! line 2: recall_seconds is 99" in said
    assert f"! line 5: ca_file of work: {home}/none.pem: there is no such file" in said
    settings.write_text(
        'theme = "nord"\n[profiles.work]\nbase_url = "https://127.0.0.1:9"\nca_file = "a.pem"\n',
        encoding="utf-8",
    )
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "there is no such theme" not in said
    assert "! line 4: ca_file of work: a.pem is another file in another folder: write its" in said


def test_doctor_tells_that_a_relative_home_is_another_one_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for relative in ("here", "../here", "."):
        monkeypatch.setenv("COPYDESK_HOME", relative)
        assert main(["doctor"]) == 1
        whole = tmp_path / relative
        said = f"! COPYDESK_HOME: is not a full path: it is {whole} in this folder only."
        assert f"{said} Set it to {whole}." in capsys.readouterr().out
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    main(["doctor"])
    assert "no whole path" not in capsys.readouterr().out
