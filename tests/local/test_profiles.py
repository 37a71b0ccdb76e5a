"""Profiles in the settings: written beside what a person wrote, and every mistake with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.domain.profile import DEFAULT, Profile
from copydesk.domain.saved_view import SavedView
from copydesk.local.profiles import Profiles, command_of
from copydesk.local.saved_views import SavedViews
from copydesk.local.settings import SettingsError

MINE = '# mine\ntheme = "nord"  # dark\n\n[[views]]\nname = "a"\n'
WORK = Profile("work", "https://docs.example", storage="keyring")
BOT = Profile(
    "bot", "http://127.0.0.1:8484", ("pass", "show", "a b"), "command", Path("/etc/ca.pem"), True
)


def test_profiles_are_written_beside_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MINE)
    profiles = Profiles(path)
    profiles.save(WORK)
    profiles.save(BOT)
    profiles.use("work")
    assert (list(profiles.read()), profiles.default) == ([WORK, BOT], "work")
    SavedViews(path).save(SavedView("b"))
    profiles.save(Profile("work", "https://docs.example", storage="file"))
    assert profiles.get("work") == Profile("work", "https://docs.example", storage="file")
    with pytest.raises(KeyError):
        profiles.use("none")
    both = Profile("work", "https://docs.example", ("pass", "x"), "keyring")
    profiles.save(both)
    assert profiles.get("work") == both
    profiles.use("desk")
    assert profiles.default == "desk"
    profiles.use("bot")
    profiles.remove("bot")
    profiles.remove("work")
    profiles.remove("work")
    text = path.read_text()
    assert text.startswith(MINE)
    assert "profile" not in text
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text('profiles = {work = {base_url = "https://docs.example"}}\n')
    profiles.save(BOT)
    profiles.save(WORK)
    assert list(profiles.read()) == [WORK, BOT]
    with pytest.raises(ValueError, match="own desk"):
        profiles.save(Profile("desk", "https://docs.example"))


def test_keys_tell_profiles_apart_and_go_on_from_what_there_was() -> None:
    assert Profile(DEFAULT, "https://docs.example").key == "service:https://docs.example"
    keys = {Profile(name, WORK.base_url).key for name in ("work", "bot", DEFAULT)}
    assert len(keys) == 3


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ('[profiles.work]\nbase_url = "x"', 2, "'x' is not a base URL"),
        ("# c\n[profiles.work]", 2, 'needs an address: base_url = "https://…"'),
        ('[profiles.work]\nbase_url="http://a"\ntoken = "tok-12345"', 3, "run copydesk login"),
        ('[profiles.work]\nbase_url="http://a"\nread_onyl = true', 3, "did you mean read_only?"),
        ('[profiles.work]\nbase_url="http://a"\nread_only = 1', 3, "must be true or false"),
        ('[profiles.work]\nbase_url="http://a"\ntoken_command = "a"', 3, "must be a list"),
        ('[profiles.work]\nbase_url="http://a"\ntoken_command = []', 3, "is empty"),
        (
            '[profiles.work]\nbase_url="http://a"\nstorage = "tok-12345"',
            3,
            "none of these: keyring",
        ),
        ('[profiles.work]\nbase_url="http://a"\nstorage = "command"', 3, "no token_command"),
        ('theme = ""\n[profiles."../up"]\nbase_url = "http://a"', 2, "up to 40 small letters"),
        ('[profiles.""]\nbase_url = "http://a"', 1, "profile '': a profile's name has"),
        ('[profiles.work]\nbase_url="http://a"\nca_file = ""', 3, "ca_file is empty: name"),
        ('[profiles.desk]\nbase_url = "http://a"', 1, "desk is your own desk"),
        ("\nprofiles = 3", 2, "begins with [profiles.NAME]"),
        ("profiles.work = 3", 1, "begins with [profiles.NAME]"),
        ('theme = ""\nprofile = "work"', 2, "there is no [profiles.work]"),
    ],
)
def test_a_mistake_names_its_line_and_no_token(
    tmp_path: Path, content: str, line: int, words: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(content)
    with pytest.raises(SettingsError) as caught:
        Profiles(path).save(WORK)
    assert words in str(caught.value)
    assert f"config.toml, line {line}: " in str(caught.value)
    assert "tok-12345" not in str(caught.value)
    assert path.read_text() == content


def test_a_command_is_split_as_a_shell_would_and_run_by_none() -> None:
    assert command_of("pass show 'a b'") == ("pass", "show", "a b")
    for wrong in ("", "  ", "pass 'x", "''"):
        with pytest.raises(ValueError, match="token command"):
            command_of(wrong)
