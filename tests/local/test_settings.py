import contextlib
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.checks import Check
from copydesk.domain.clustering import Clustering
from copydesk.domain.owners import Owned
from copydesk.domain.saved_view import SavedView
from copydesk.domain.snooze import Snooze, next_snooze
from copydesk.local.marks import DeskSnoozes
from copydesk.local.saved_views import SavedViews
from copydesk.local.settings import Settings, SettingsError, load_settings
from copydesk.local.state import State


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
        ("recall_seconds = 90", 1, "recall_seconds is 90: it goes from 0 to 60"),
        ("recall_seconds = true", 1, "recall_seconds must be a whole number"),
        ("\n\ntheme = 5", 3, "theme must be text in quotes"),
        ('\n"theme" = ["a"]', 2, "theme must be text in quotes"),
        ('glyph = "ascii"', 1, "glyph is not a setting: did you mean glyphs?"),
        ("# c\n\n[zzz]\na = 1", 3, "zzz is not a setting: the keys are theme, glyphs"),
        ("theme.name = 'a'", 1, "theme must be text"),
        ('\ntheme = "a', 2, "this is not TOML at the end"),
        ("a = 1\na = 2", 2, "this is not TOML"),
        ("\nkeys = 5", 2, "keys is a table"),
        ("[keys]\npreset = 'vi'", 2, "preset is vim, emacs, arrows"),
        ('[keys]\nhelp = "f1"\n"review.merge" = 5', 3, "review.merge is a key, or a list"),
        ("[keys]\nreview.merge = [5]", 2, "review.merge is a key, or a list"),
        ("[keys . review]\n'merge' = 5", 2, "review.merge is a key, or a list"),
        ("news = 'bell'\nkeys.review.merge = 5", 2, "review.merge is a key, or a list"),
        ("keys.review = {merge = 5}", 1, "review.merge is a key, or a list"),
        ("[[views]]\nname = 'a'\n[keys]\nname = 5", 4, "name is a key, or a list"),
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


@pytest.mark.parametrize(
    "content",
    ['[keys]\n"review.merge" = "M"', "[keys]\nreview.merge = ['M']", "keys.review.merge = 'M'"],
)
def test_an_action_is_named_with_quotes_and_without(tmp_path: Path, content: str) -> None:
    assert load(tmp_path, content).keys.keys == {"review.merge": ("M",)}


def test_all_mistakes_are_told_in_order(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "glyphs = 1\nx = 2\ntheme = 3")
    assert [problem.key for problem in caught.value.problems] == ["glyphs", "x", "theme"]


@given(st.binary(max_size=80))
def test_nothing_else_is_raised(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(SettingsError):
        load(Path(folder), content)


def test_views_are_read_and_written_among_what_else_is_there(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    store = SavedViews(path)
    assert store.read() == ()
    lee = SavedView("Lee's", filter='author:lee "a b"', sort="waiting", reverse=True)
    store.save(lee)
    text = path.read_text()
    path.write_text(f'# mine\ntheme = "nord" # dark\n\n{text}')
    both = SavedView("Two", ("open", "draft"), "is:outdated", columns=("subject", "by"))
    store.save(both)
    assert '\n\n[[views]]\nname = "Two"' in path.read_text()
    store.save(replace(lee, reverse=False))
    assert [replace(view, line=0) for view in store.read()] == [replace(lee, reverse=False), both]
    assert [view.line for view in store.read()] == [4, 9]
    assert load_settings(path).theme == "nord"
    assert path.read_text().startswith('# mine\ntheme = "nord" # dark\n')
    store.remove("Lee's")
    store.remove("Two")
    assert store.read() == ()
    for content, line, words in (
        ('theme = ""\n[[views]]\nfilter = "x"', 2, 'a view needs a name: name = "…"'),
        ('[[views]]\nname = "A"\nfilter = 3', 1, "view “A”: filter must be text in quotes"),
        ('[[views]]\nname = "A"\n[[views]]\nname = "A"', 3, "view “A” is there twice"),
        (
            '[[views]]\nname = "A"\nfiltr = ""',
            1,
            "filtr is not a key of a view: did you mean filter?",
        ),
        ('[[views]]\nname = "A"\nstatus = [1]', 1, "view “A”: status must be a list"),
        ("views = 3", 1, "views are tables"),
    ):
        with pytest.raises(SettingsError, match=f"line {line}: ") as caught:
            load(tmp_path, content)
        assert words in str(caught.value)
        broken = SavedViews(tmp_path / "config.toml")
        with pytest.raises(SettingsError):
            broken.save(both)
        assert (tmp_path / "config.toml").read_text() == content


def test_what_sleeps_is_kept_for_each_desk(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = State(path)
    at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    here, there = DeskSnoozes(store, "here"), DeskSnoozes(store, "there")
    assert here.read() == {}
    here.put("a", Snooze(at, at + timedelta(days=1), 1))
    here.put("b", Snooze(at))
    here.put("b", None)
    assert DeskSnoozes(State(path), "here").read() == {"a": Snooze(at, at + timedelta(days=1), 1)}
    assert there.read() == {}
    here.look("a", at)
    assert (here.looks(), there.looks()) == ({"a": at}, {})
    assert path.stat().st_mode & 0o077 == 0
    # Longer each time, then awake; what changed since sleeps no more.
    slept: Snooze | None = None
    lengths = []
    for _ in range(5):
        slept = next_snooze(slept, at, at)
        lengths.append(None if slept is None else slept.until and (slept.until - at).days)
    assert lengths == [None, 1, 3, 7, None]
    assert slept is None
    assert Snooze(at).asleep(at, at)
    assert not Snooze(at).asleep(at + timedelta(seconds=1), at)
    assert not Snooze(at, at).asleep(at, at)


def test_owners_are_kept_in_their_order(tmp_path: Path) -> None:
    content = """
[owners]
"**" = "ana@acme.test"
guides = ["Kim Li", " bo@acme.test "]
"""
    assert load(tmp_path, content).owners == (
        Owned("**", ("ana@acme.test",)),
        Owned("guides", ("Kim Li", "bo@acme.test")),
    )


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("owners = 5", 1, "owners are a table: it begins with [owners]"),
        ('[owners]\na = "b"\n"x/*" = 5', 3, "owners of x/*: an address or a name in quotes"),
        ("[owners]\nx = []", 2, "owners of x: an address"),
        ('[owners]\nx = ["a", 5]', 2, "owners of x: an address"),
        ('[owners]\nx = " "', 2, "owners of x: an address"),
        ('[owners]\n"" = "a"', 1, "owners of '': an address"),
        ('[owners]\n"/" = "a"', 2, "owners of /: an address"),
    ],
)
def test_owners_that_are_none_are_told_with_their_line(
    tmp_path: Path, content: str, line: int, said: str
) -> None:
    with pytest.raises(SettingsError) as error:
        load(tmp_path, content)
    (problem,) = error.value.problems
    assert problem.line == line
    assert problem.sentence.startswith(said)


def test_checks_are_commands_with_their_formats(tmp_path: Path) -> None:
    content = """
[checks]
prose = {command = ["vale", "--output=JSON", "{files}"], reads = "vale", when = "open", seconds = 5}
[checks.links]
command = ["lychee"]
"""
    assert load(tmp_path, content).checks == (
        Check("prose", ("vale", "--output=JSON", "{files}"), "vale", "open", 5),
        Check("links", ("lychee",)),
    )


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("checks = 5", 1, "checks are tables: each begins with [checks.NAME]"),
        ('[checks]\n"" = {command = ["x"]}', 1, "a table of checks has no name: it begins with"),
        ("[checks]\n\nprose = 5", 3, "check prose is not a table"),
        ("[checks]\nprose = {}", 2, 'check prose needs a command: a list such as ["vale"'),
        ('[checks]\nprose = {command = "vale x"}', 2, "command must be a list such as"),
        ("[checks]\nprose = {command = []}", 2, "check prose: command is empty"),
        ("[checks.prose]\ncommand = [5]", 1, "command must be a list such as"),
        ('[checks]\na = {command = ["x"]}\nb = {command = ["x"], read = "vale"}', 3,
         "check b: read is not a key of a check: did you mean reads?"),
        ('[checks]\na = {command = ["x"], reads = "json"}', 2,
         "reads is 'json': use lines, rdjson, rdjsonl or vale"),
        ('[checks]\na = {command = ["x"], when = "always"}', 2,
         "when is 'always': use asked or open"),
        ('[checks]\na = {command = ["x"], seconds = 0}', 2, "seconds is 0: it goes from 1 to 600"),
        ('[checks]\ncopydesk = {command = ["x"]}', 2, "and is not copydesk"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_check_names_its_line(
    tmp_path: Path, content: str, line: int, words: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, content)
    assert words in str(caught.value)
    assert f"config.toml, line {line}: " in str(caught.value)
    assert caught.value.usable.theme == "auto"


def test_clusters_are_found_as_the_table_says(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[clusters]\nembed = ["vectors", "--lines"]\noff = true\n')
    assert load_settings(path).clusters == Clustering(embed=("vectors", "--lines"), off=True)
    path.write_text('[clusters]\nmodel = "/models/small"\n')
    assert load_settings(path).clusters == Clustering(model="/models/small")
    path.write_text('theme = ""\n')
    assert load_settings(path).clusters is None


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("clusters = 5\n", 1, "clusters are a table: it begins with [clusters]"),
        ("[clusters]\noff = 1\n", 2, "off of clusters must be true or false"),
        ("[clusters]\nmodel = 3\n", 2, "model of clusters must be a folder in quotes"),
        (
            '[clusters]\noff = false\nembed = "x"\n',
            3,
            'embed of clusters must be a list of texts, such as ["my-vectors", "--lines"]',
        ),
        (
            '[clusters]\nmodel = "/m"\nembed = ["x"]\n',
            3,
            "clusters take vectors from a model or from embed, not from both",
        ),
        ("[clusters]\nspeed = 9\n", 2, "clusters have no speed: the keys are model, embed, off"),
    ],
)
def test_a_mistake_in_the_clusters_names_its_line(
    text: str, line: int, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    (problem,) = caught.value.problems
    assert (problem.line, problem.sentence) == (line, sentence)
    assert caught.value.usable.clusters is not None
