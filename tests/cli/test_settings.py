"""The settings from the command line: found, changed and checked without ending the program."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from copydesk.cli import main
from copydesk.cli.open import _held_against_screens
from copydesk.cli.settings import EXAMPLES, own_keymap, settings_file
from copydesk.local.paths import find_paths
from copydesk.local.settings import SettingsError, load_settings, usable_settings
from copydesk.local.settings_file import template
from copydesk.local.settings_in_use import settings_in_use
from copydesk.local.settings_schema import schema

OF_PROFILE = """linear = false
theme = "dark"
glyphs = "ascii"

[profiles.work]
base_url = "https://docs.example.com"
pictures = "blocks"
theme = "light"
glyphs = "asci"
[profiles.work.owners]
"**" = "ana@example.com"
"""

WRONG = 'recal_seconds = 9\nglyphs = "x"\nnews = "bell"\n'


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    return tmp_path / "config" / "config.toml"


def test_they_are_listed_with_defaults_and_where_each_is_from(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["settings"]) == 0
    assert "config.toml is not there yet" in capsys.readouterr().out
    path.parent.mkdir(parents=True)
    path.write_text(WRONG)
    assert main(["settings"]) == 0
    said = capsys.readouterr()
    rows = {line.split()[0]: line.split(maxsplit=3)[1:] for line in said.out.splitlines()}
    assert rows["news"] == ['"bell"', '"notice"', "line 3"]
    assert rows["glyphs"] == ['"auto"', '"auto"', "line 2: not used"]
    assert rows["theme"] == ['"auto"', '"auto"', "default"]
    assert "line 1: recal_seconds is not a setting: did you mean recall_seconds?" in said.err
    assert main(["settings", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["line"] for each in found["mistakes"]] == [1, 2]
    assert main(["settings", "check"]) == 1
    path.write_text(OF_PROFILE)
    for variable, value in (
        ("THEME", "mono"), ("LINEAR", "1"), ("PROFILE", "work"), ("RECALL_SECONDS", "90"),
        ("NEWZ", "bell"), ("KEYS", "emacs"), ("TITLE", "a field of a command"),
    ):  # fmt: skip
        monkeypatch.setenv(f"COPYDESK_{variable}", value)
    capsys.readouterr()
    assert main(["settings"]) == 0
    listed = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line.split(maxsplit=3)[1:] for line in listed}
    shadowed = '(profile work, line 8 says "light", line 2 says "dark")'
    assert rows["theme"] == ['"mono"', '"auto"', f"COPYDESK_THEME {shadowed}"]
    assert rows["linear"] == ["true", "false", "COPYDESK_LINEAR (line 1 says false)"]
    assert rows["profile"] == ['"work"', '""', "COPYDESK_PROFILE"]
    assert "profile work, line 10" in rows["owners"][-1]
    assert rows["recall_seconds"] == ["5", "5", "COPYDESK_RECALL_SECONDS: not used"]
    assert rows["glyphs"] == ['"ascii"', '"auto"', "line 3"]
    for words, told in (
        (["get", "linear"], "true"),
        (["get", "theme"], "mono"),
        (["set", "theme", "nord"], 'in the file now. COPYDESK_THEME says "mono", and is used'),
        (["set", "pictures", "off"], 'in the file now. profile work says "blocks", and is used'),
        (["unset", "theme"], "theme is no longer in the file. COPYDESK_THEME says"),
    ):
        assert main(["settings", *words]) == 0
        assert told in capsys.readouterr().out
    assert main(["settings", "check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "COPYDESK_RECALL_SECONDS: recall_seconds is 90: it goes from 0 to 60",
        "COPYDESK_KEYS: keys is a table: write it in the file",
        "COPYDESK_NEWZ: there is no such setting: did you mean COPYDESK_NEWS?",
        "line 9: profile work: glyphs is 'asci': did you mean ascii?",
    ]
    monkeypatch.setenv("COPYDESK_THEME", "drak")
    found = settings_file(find_paths()).in_use()
    assert (found.settings.theme, found.settings.pictures) == ("light", "blocks")
    assert "COPYDESK_THEME: theme is 'drak': did you mean dark?" in [
        each.said for each in found.problems
    ]


def test_one_is_changed_and_all_else_stays(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(f"# mine\n{WRONG}")
    assert main(["settings", "set", "recall_seconds", "0"]) == 0
    assert main(["settings", "get", "recall_seconds"]) == 0
    assert capsys.readouterr().out == "recall_seconds is 0 now.\n0\n"
    assert path.read_text() == f"# mine\n{WRONG}recall_seconds = 0\n"
    assert main(["settings", "unset", "recall_seconds"]) == 0
    assert path.read_text() == f"# mine\n{WRONG}"
    assert main(["settings", "set", "linear", "true"]) == 0
    assert path.read_text() == f"# mine\n{WRONG}linear = true\n"


def test_a_profile_has_its_own_in_its_table(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.parent.mkdir(parents=True)
    work = '[profiles.work]\nbase_url = "https://a.example.com" # where\n'
    path.write_text(text := f'theme = "dark"\n\n{work}\n[profiles.work.keys]\npreset = "vim"\n')
    for words, status, told in (
        ("set theme light --profile work", 0, 'theme is "light" in profile work now.'),
        ("get theme --profile work", 0, "light"),
        ("get theme", 0, "dark"),
        ("--profile work", 0, 'profile work, line 5 (line 1 says "dark")'),
        ("set theme nix --profile work", 2, "there is no such theme"),
        ("set profile work --profile work", 2, "is not a setting of a profile"),
        ("set theme mono --profile desk", 2, "leave out --profile"),
        ("check --profile wrk", 2, "there is no profile wrk: did you mean work?"),
        ("check --profile work", 0, "no mistakes"),
        ("unset theme --profile work", 0, 'no longer in profile work: it is "dark".'),
    ):
        assert main(["settings", *words.split()]) == status
        said = capsys.readouterr()
        assert told in said.out + said.err
    assert path.read_text() == text
    # What is wrong elsewhere in the file is no mistake of this value.
    path.write_text(f'glyphs = "x"\n{work}')
    assert main(["settings", "set", "glyphs", "ascii", "--profile", "work"]) == 0
    assert path.read_text() == f'glyphs = "x"\n{work}glyphs = "ascii"\n'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["set", "recall_seconds", "90"], "it goes from 0 to 60"),
        (["set", "recall_seconds", "soon"], "must be a whole number"),
        (["set", "linear", "yes"], "linear must be true or false"),
        (["set", "theme", "none such"], "there is no such theme"),
        (["set", "theme", ""], "theme is '': there is no such theme"),
        (["set", "news", ""], "news is '': use notice, bell or quiet"),
        (["set", "glyph", "ascii"], "did you mean glyphs?"),
        (["set", "glyphs", "asci"], "did you mean ascii? Nothing was changed.\n"),
        (["set", "views", "x"], "is a table"),
        (["get", "\x1b[2J"], "is not a setting"),
        (["unset", "thme"], "thme is not a setting: did you mean theme?"),
    ],
)
def test_a_value_that_cannot_be_is_refused(
    path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settings", *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "\x1b" not in told
    assert not path.exists()


def test_a_new_file_has_every_setting_as_a_comment(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i.before "s/^# glyphs/glyphs/" "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    assert main(["settings", "edit"]) == 0
    assert ": no mistakes." in capsys.readouterr().out
    assert path.read_text() == template().replace("# glyphs", "glyphs")
    directive, where = path.read_text().splitlines()[0].split()
    assert directive == "#:schema"
    assert json.loads((path.parent / where).read_text()) == schema()
    assert path.stat().st_mode & 0o077 == 0
    assert load_settings(path).glyphs == "auto"
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert main(["settings", "edit"]) == 2
    said = "no-such-editor cannot be started: No such file or directory"
    assert said in capsys.readouterr().err.splitlines()[0]


def test_a_mistake_leaves_the_others_unless_it_decides_which_service_is_meant(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(WRONG)
    settings, problems = usable_settings(path)
    assert settings.news == "bell"
    assert [each.line for each in problems] == [1, 2]
    for deciding in ('profile = "gone"', "[profiles.work]\nbase = 1", "= nothing"):
        path.write_text(f"{deciding}\n")
        with pytest.raises(SettingsError):
            usable_settings(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('profil = "work"', "profil is not a setting: did you mean profile?"),
        ('Profile = "work"', "Profile is not a setting: did you mean profile?"),
        ('profile = "work"\nread_only = true', "read_only belongs below [profiles.NAME]"),
        ('base_url = "https://a.example.com"', "base_url belongs below [profiles.NAME]"),
        ('[profils.a]\nbase_url = "https://a.example.com"', "did you mean profiles?"),
        ('[[views]]\nname = "a"\nprofile = "work"', "table views: put it above the first table"),
        ("[clusters]\nread_only = true", "table clusters: put it below [profiles.NAME]"),
        ('[checks]\nprofile = "work"', "table checks: put it above the first table"),
        ('[profiles.b]\nbase_url = "https://b.example.com"\nreadonly = true', "mean read_only?"),
        (
            '[profiles.b]\nbase_url = "https://b.example.com"\n[profiles.b.lists.changes]\n'
            'columns = ["age"]\nread_only = true',
            "read_only is in the table lists",
        ),
        ("[profiles.b.owners]\nread_only = true", "read_only is in the table owners"),
    ],
)
def test_a_misspelt_or_misplaced_key_of_a_profile_opens_no_other_service(
    path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path.parent.mkdir(parents=True)
    work = '[profiles.work]\nbase_url = "https://docs.example.com"\n'
    path.write_text(f"{text}\n{work}[commands]\na = 1\n")
    with pytest.raises(SettingsError, match=re.escape(said)):
        usable_settings(path)
    assert main(["profiles"]) != 0  # so does every command that opens a service
    told = capsys.readouterr().err
    assert said in told
    assert "command a" not in told  # which stops nothing


def test_nothing_is_set_that_would_open_nothing_and_no_text_is_spoilt(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settings", "set", "profile", "gone"]) == 2
    assert "there is no [profiles.gone]. Nothing was changed." in capsys.readouterr().err
    assert not path.exists()
    path.parent.mkdir(parents=True)
    for text in (b"# caf\xe9\r\n", b"news = \n"):
        path.write_bytes(text)
        assert main(["settings", "check"]) == 1
        wrong = capsys.readouterr().out.strip()
        assert main(["settings", "set", "news", "bell"]) == 2
        assert f"config.toml, {wrong}. Nothing was changed." in capsys.readouterr().err
        assert path.read_bytes() == text
        assert main(["settings", "get", "news"]) == main(["settings"]) == 0
        assert "line 1" not in capsys.readouterr().out
    path.write_bytes(b'# mine\r\nnewz = "bell"\r\n')
    assert main(["settings", "unset", "newz"]) == 0
    assert path.read_bytes() == b"# mine\r\n"


def test_the_schema_takes_the_examples_and_nothing_unknown() -> None:
    found = Draft202012Validator(schema())
    Draft202012Validator.check_schema(schema())
    dotted = ('[keys]\nreview.merge = ["M"]', '[keys.review]\nmerge = "M"')
    for text in (*EXAMPLES.values(), template(), *dotted, OF_PROFILE.replace('asci"', 'ascii"')):
        assert found.is_valid(tomllib.loads(text)), text
    assert not found.is_valid(tomllib.loads(WRONG))


@given(st.binary(max_size=60))
def test_no_file_ends_the_program_with_a_traceback(content: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            patch.setenv("COPYDESK_HOME", folder)
            path = Path(folder, "config", "config.toml")
            path.parent.mkdir()
            path.write_bytes(content)
            assert main(["settings", "check"]) in {0, 1}


def test_what_fits_no_screen_is_said_with_its_line_as_the_screens_open(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(
        '[keys]\n"no.such" = "f9"\n[commands.changes]\nrun = ["x"]\n'
        '[lists.nosuch]\ncolumns = ["a"]\n[lists.changes]\ncolumns = ["number", "nonsense"]\n'
    )
    _, commands, problems = _held_against_screens(settings_in_use(path, lenient=True), path)
    assert not commands
    assert [each.line for each in problems] == [2, 3, 5, 7]
    assert main(["settings", "check"]) == 1
    said = capsys.readouterr()
    assert (said.out.splitlines(), said.err) == ([each.said for each in problems], "")
    values = {row.name: row.value for row in settings_file(find_paths()).rows()}
    assert (values["keys"], values["commands"], values["lists"]) == ('"vim"', "none", "none")
    path.write_text('theme = "none such"\n[keys]\npreset = "vi"\nmerg = "m"\n')
    assert main(["settings", "check"]) == 1
    assert [line[:7] for line in capsys.readouterr().out.splitlines()] == [
        "line 1:",
        "line 3:",
        "line 4:",
    ]
    assert own_keymap() == {}
    path.write_text('[keys]\npreset = "emacs"\nreview.approve = "f4"\nno.such = "f5"\n')
    found = own_keymap()
    assert (found["place.palette"], found["review.approve"]) == (("alt+x",), ("f4",))


def test_keys_are_pressed_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "--press"]) == 2
    assert "on a terminal, and this is none" in capsys.readouterr().err
