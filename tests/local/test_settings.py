import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local.settings import Settings, SettingsError, load_settings


def load(tmp_path: Path, content: str | bytes) -> Settings:
    path = tmp_path / "config.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_settings(path)


def test_no_file_is_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == Settings()
    assert load(tmp_path, "") == Settings()


def test_what_is_set_is_taken(tmp_path: Path) -> None:
    content = '\ufeff# mine\ntheme = "nord"\r\nglyphs = "ascii"\n'
    assert load(tmp_path, content) == Settings(theme="nord", glyphs="ascii")


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ('theme = "a"\nglyphs = "fancy"\n', 2, "glyphs is 'fancy': use auto, unicode or ascii"),
        ("\n\ntheme = 5", 3, "theme must be text in quotes"),
        ('\n"theme" = ["a"]', 2, "theme must be text in quotes"),
        ('glyph = "ascii"', 1, "glyph is no setting: did you mean glyphs?"),
        ("# c\n\n[zzz]\na = 1", 3, "zzz is no setting: the keys are theme, glyphs"),
        ("theme.name = 'a'", 1, "theme must be text"),
        ('\ntheme = "a', 2, "this is not TOML at the end"),
        ("a = 1\na = 2", 2, "this is not TOML"),
        (b"# fine\n# \xff", 2, "not UTF-8"),
    ],
)
def test_a_mistake_names_line_and_key(
    tmp_path: Path, content: str | bytes, line: int, words: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, content)
    assert words in str(caught.value)
    assert f"config.toml, line {line}: " in str(caught.value)


def test_all_mistakes_are_told_in_order(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "glyphs = 1\nx = 2\ntheme = 3")
    assert [problem.key for problem in caught.value.problems] == ["glyphs", "x", "theme"]


@given(st.binary(max_size=80))
def test_nothing_else_is_raised(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(SettingsError):
        load(Path(folder), content)
