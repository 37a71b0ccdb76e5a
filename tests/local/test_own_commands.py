"""Own commands, hooks, columns and themes in the settings: a mistake drops its entry alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.cli.settings import more_mistakes, settings_file
from copydesk.cli.terminal import why_no_theme
from copydesk.domain.keymap import OwnKeys, keymap_of
from copydesk.domain.list_columns import ListColumns
from copydesk.domain.own_command import KINDS, Hook, OwnCommand
from copydesk.local.paths import HOME_VARIABLE, find_paths
from copydesk.local.settings import Problem, SettingsError, parse_settings
from copydesk.tui.framework.theme import LIGHT, all_themes

GOOD = '[commands.good]\nkey = "! g"\nrun = ["true", "{title}"]\n'


def read(text: str) -> tuple[tuple[OwnCommand, ...], list[tuple[int, str]]]:
    """Return the commands of a text, and its mistakes."""
    try:
        return parse_settings(Path("config.toml"), text).commands, []
    except SettingsError as error:
        said = [(each.line, each.sentence) for each in error.problems]
        return error.usable.commands, said


def test_a_command_is_read_with_its_defaults() -> None:
    (command,), wrong = read(GOOD)
    assert not wrong
    assert command == OwnCommand("good", ("true", "{title}"), key="! g")
    assert command.writes
    assert command.on == ("any",)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("run = 5", "command bad: run must be a list such as"),
        ('key = "! t"', "command bad needs run: a list such as"),
        ("run = []", "command bad: run must be a list such as"),
        ('run = ["gh", "{tilte}"]', "command bad: {tilte} is not a field: did you mean {title}?"),
        ('run = "gh issue"', "command bad: run must be one text where shell = true, and a list"),
        ('run = ["gh"]\nshell = true', "command bad: run must be one text where shell = true"),
        ('run = "x {title}"\nshell = true', "a shell gets {title} as $COPYDESK_TITLE only"),
        ('run = ["gh"]\nkye = "! t"', "kye is not a key of a command: did you mean key?"),
        ('run = ["gh"]\nkey = "a"', "key is 'a': write ! and one letter"),
        ('run = ["gh"]\nkey = "!t"', "key is '!t': write ! and one letter"),
        ('run = ["gh"]\nkey = "! g"', "command bad: ! g is the key of good already"),
        ('run = ["gh"]\nreplaces = "archive"', "replaces needs the key that it takes"),
        ('run = ["gh"]\non = "chance request"', "did you mean change request?"),
        ('run = ["gh"]\nshow = "page"', "show is 'page': use one of status, pager, terminal"),
        ('run = ["gh"]\nthen = "reload"', "then is 'reload': use one of refresh"),
        ('run = ["gh"]\nwrites = "no"', "writes must be true or false"),
    ],
)
def test_a_mistake_drops_its_command_alone_and_names_its_line(bad: str, said: str) -> None:
    commands, wrong = read(f'{GOOD}\n[commands.bad]\n{bad}\n\n[commands.last]\nrun = ["x"]\n')
    assert [each.name for each in commands] == ["good", "last"]
    ((line, sentence),) = wrong
    assert line == 5
    assert said in sentence


@pytest.mark.parametrize("name", ["two words", "5", "a\\u001b[31mb"])
def test_a_name_is_one_word_that_can_follow_a_colon(name: str) -> None:
    commands, wrong = read(f'[commands."{name}"]\nrun = ["x"]\n')
    assert not commands
    assert "a name begins with a letter" in wrong[0][1]
    assert "\x1b" not in wrong[0][1]


def test_hooks_are_read_and_a_wrong_one_is_dropped() -> None:
    text = (
        'hooks.after_merge = [["notify-send", "{title}"], ["x", "{tilte}"]]\n'
        'hooks.after_merg = [["x"]]\nhooks.on_news = "bell"\n'
    )
    with pytest.raises(SettingsError) as caught:
        parse_settings(Path("config.toml"), text)
    assert caught.value.usable.hooks == (Hook("after_merge", ("notify-send", "{title}")),)
    said = [(each.line, each.sentence) for each in caught.value.problems]
    assert said == [
        (1, "hook after_merge: {tilte} is not a field: did you mean {title}?"),
        (2, "after_merg is not a hook: did you mean after_merge?"),
        (3, 'hook on_news must be a list of lists such as [["notify-send", "Merged", "{title}"]]'),
    ]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ('key = "z"\nreplaces = "archive"', "archive has not the key z, but x"),
        ('key = "x"\nreplaces = "archiv"', "'archiv', which is not an action of a screen: did you"),
        ('key = "x"\nreplaces = "archive"', ""),
        ('key = "z"\nreplaces = "toggle"', "toggle is not one of these: it is of a list, a dialog"),
    ],
)
def test_the_key_of_a_command_is_that_of_the_action_that_it_replaces(
    own: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    paths = find_paths()
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f'theme = "dark"\n[commands.own]\nrun = ["x"]\n{own}\n')
    problems = settings_file(paths).in_use().problems
    assert [(each.line, each.key) for each in problems] == ([(2, "commands")] if said else [])
    assert all(said in each.sentence for each in problems)


def test_a_screen_keeps_its_word() -> None:
    (own,), _ = read('[commands.changes]\nrun = ["x"]\n')
    settings = parse_settings(Path("config.toml"), '[commands.changes]\nrun = ["x"]\n')
    assert more_mistakes(settings) == {
        f"commands.{own.name}": "command changes: :changes is a screen: choose another name"
    }


def test_no_action_can_be_given_the_key_of_own_commands() -> None:
    keys = OwnKeys(keys={"merge": ("! m",)})
    _, mistakes = keymap_of({"changes.merge": ("m",)}, {}, keys)
    assert mistakes == {"merge": "! m: ! is for your own commands alone"}


def test_every_kind_of_a_list_can_be_named() -> None:
    from copydesk.tui.framework import navigation
    from copydesk.tui.resource.place import ResourcePlace

    navigation.load_all()
    kinds = {
        place.RESOURCE.noun
        for place in navigation.PLACES.values()
        if issubclass(place, ResourcePlace) and hasattr(place, "RESOURCE")
    }
    assert kinds <= set(KINDS)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[lists.changes]\ncolumns = ["number"]\n', 0, ""),
        ('lists.changes.columns = ["number"]\n', 0, ""),
        ("[lists.changes]\ncolumns = 5\n", 1, "list changes: columns must be a list such as"),
        ("\n[lists.changes]\ncolumns = []\n", 2, "list changes: columns must be a list such as"),
        ('[lists.changes]\ncolumn = ["number"]\n', 1, "list changes has columns, and no column"),
        ("lists = 5\n", 1, "lists are tables"),
        ('\n[lists.chages]\ncolumns = ["x"]\n', 2, "no such screen: did you mean changes?"),
    ],
)
def test_the_columns_of_a_list_are_read_and_a_mistake_names_its_line(
    text: str, line: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    paths = find_paths()
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(text)
    found = settings_file(paths).in_use()
    settings, problems = found.settings, found.problems
    if not said:
        assert not problems
        assert settings.lists == (ListColumns("changes", ("number",)),)
    assert [each.line for each in problems[:1]] == ([line] if said else [])
    assert all(said in each.sentence for each in problems[:1])


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[themes.sea]\nhere = "#66ccdd"\n', 0, ""),
        ('[themes.sea]\nhere = "blue"\n', 1, "theme sea: here must be a colour such as"),
        ('\n[themes.sea]\nher = "#66ccdd"\n', 2, "her is not a key of a theme: did you mean here?"),
        ('[themes.sea]\nbase = "mono"\n', 1, "theme sea: base must be one of dark, light"),
        ("[themes.dark]\n", 1, "theme dark: a name has letters, digits, _ and -, and is not auto"),
        ("themes = 5\n", 1, "themes are tables"),
    ],
)
def test_themes_are_read_and_a_mistake_names_its_line(text: str, line: int, said: str) -> None:
    problems: tuple[Problem, ...] = ()
    try:
        themes = parse_settings(Path("config.toml"), text).themes
    except SettingsError as error:
        themes, problems = error.usable.themes, error.problems
    assert [(each.name, each.base) for each in themes] == ([] if said else [("sea", "dark")])
    assert [each.line for each in problems] == ([line] if said else [])
    assert all(said in each.sentence for each in problems)


def test_a_theme_of_ones_own_can_be_named_and_has_its_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    paths = find_paths()
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    own = '[themes.sea]\nbase = "light"\nact = "#112233"\ndim = "#445566"\n'
    paths.settings.write_text(f'theme = "sea"\n{own}')
    found = settings_file(paths).in_use()
    settings, problems = found.settings, found.problems
    assert not problems
    assert why_no_theme(settings.theme) == ""
    sea = next(each for each in all_themes() if each.name == "sea")
    assert (sea.warning, sea.variables["muted"], sea.dark) == ("#112233", "#445566", False)
    assert sea.background == LIGHT.background
