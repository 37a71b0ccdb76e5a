"""The screen of the settings: looked at, changed, taken back, and edited as a file."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from copydesk.local.settings_file import SettingsFile
from copydesk.tui.app import CopydeskApp
from copydesk.tui.widgets.facts import Facts
from tests.drive import drive
from tests.tui.opening import open_world, typed
from tests.world import World

SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)])
WRONG = 'recal_seconds = 9\nglyphs = "x"\n\n[owners]\n"**" = "ana@example.com"\n'


def opened(world: World, path: Path) -> CopydeskApp:
    """Return a program with a settings file; what holds later says so."""
    app = open_world(world, "settings")
    app.session.settings_file = lambda: SettingsFile(path)
    app.session.use_setting = lambda name: "" if name == "news" else "Later."
    return app


def text(path: Path) -> str:
    """Return what is in a file."""
    return path.read_text()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A settings file with two mistakes and a table."""
    found = tmp_path / "config.toml"
    found.write_text(WRONG)
    return found


@SIZES
async def test_settings_are_found_changed_and_taken_back(
    world: World, path: Path, size: tuple[int, int], update_golden: bool
) -> None:
    async with drive(opened(world, path), size=size) as driver:
        driver.app.session.settings_file = lambda: SettingsFile(Path("config.toml"))
        assert driver.place.pane is not None
        driver.place.follow_cursor(driver.place.pane)
        driver.golden("settings", update=update_golden)
        driver.app.session.settings_file = lambda: SettingsFile(path)
        await driver.press("x")
        assert "This is not a single value. e edits the file." in driver.screen
        await driver.press("j", "j", "j")
        assert "recall_seconds" in driver.line(">")
        await driver.press("enter", "backspace")
        await driver.type("99")
        await driver.press("enter")
        assert " recall_seconds is 99: it goes from 0 to 60." in driver.screen
        assert "Error" not in driver.screen
        assert "recall" not in text(path)
        await driver.press("backspace", "backspace")
        await driver.type("0")
        await driver.press("enter")
        assert "recall_seconds = 0" in text(path).split("[owners]")[0]
        assert "recall_seconds: Later." in driver.screen
        assert "line" in driver.line(">")
        await driver.press("j", "enter")
        await driver.type("bell")
        await driver.press("enter")
        assert 'news = "bell"' in text(path)
        assert "Later" not in driver.screen
        await driver.press("u")
        assert "news" not in text(path)
        assert "default" in driver.line(">")
        await driver.press("x")
        assert "The setting has its default." in driver.screen


async def test_a_table_and_an_unknown_key_are_edited_in_the_file(
    world: World, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, lines = tmp_path / "vi", tmp_path / "lines"
    editor.write_text(f'#!/bin/sh\necho "$1" >> {lines}\nsed -i.b s/recal_/recall_/ "$2"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(CopydeskApp, "suspend", lambda app: nullcontext())
    used = list[str]()

    def use(name: str) -> str:
        used.append(name)
        return ""

    async with drive(opened(world, path)) as driver:
        driver.app.session.use_setting = use
        await driver.press("enter")
        assert text(lines) == "+1\n"
        assert "recal_seconds" not in driver.screen
        assert "recall_seconds" in used
        await driver.press("G", "k", "k", "k", "k", "k", "enter")
        assert "owners" in driver.line(">")
        assert text(lines) == "+1\n+4\n"
        await driver.press("c")
        assert "This is not a single value. e edits the file." in driver.screen


async def test_without_a_file_it_says_so(world: World) -> None:
    async with drive(open_world(world, "settings")) as driver:
        assert "No settings file belongs to this run." in driver.screen
        await driver.press("e")
        assert "This run has no settings file." in driver.screen


async def test_a_theme_is_drawn_while_the_cursor_is_on_it(world: World, path: Path) -> None:
    async with drive(opened(world, path)) as driver:
        before = driver.app.theme
        await driver.press(":")
        await driver.burst(*typed("theme"), "enter")
        assert "type to narrow" in driver.screen
        assert driver.app.theme == before
        await driver.press("down", "down")
        assert driver.app.theme == "light"
        await driver.press("escape")
        assert driver.app.theme == before
        assert "theme" not in text(path)
        await driver.press("enter")
        await driver.type("nord")
        assert driver.app.theme == "nord"
        await driver.press("enter")
        assert 'theme = "nord"' in text(path)


@SIZES
async def test_tabs_show_a_group_with_what_is_in_its_tables(
    world: World, tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        'theme = "sea"\n[keys]\npreset = "emacs"\nmerge = ["f5", "m"]\n\n'
        '[commands.ticket]\nkey = "! t"\nrun = ["gh", "\\u001b[31m{title}"]\n\n'
        '[themes.sea]\nbase = "dark"\nhere = "#66ccdd"\n\n'
        '[profiles.work]\nbase_url = "https://x.example"\n\n'
        '[[views]]\nname = "mine"\nstatus = ["open"]\n\n[[views]]\nname = "old"\nsort = "age"\n'
    )
    async with drive(opened(world, path), size=size) as driver:
        driver.app.session.settings_file = lambda: SettingsFile(path)
        assert "[All]" in driver.screen
        assert "keys.merge" not in driver.screen
        await driver.press("]")
        assert 'base = "dark"' in driver.line("themes.sea")
        assert "recall_seconds" not in driver.screen
        await driver.press("]")
        assert '["f5", "m"]' in driver.line("keys.merge")
        assert "line 4" in driver.line("keys.merge")
        await driver.press("7")
        assert "! t" in driver.line("commands.ticket")
        await driver.press("j", "c")
        assert "This is not a single value. e edits the file." in driver.screen
        await driver.press("6")
        assert "profiles.work" in driver.screen
        await driver.press("5")
        assert "recall_seconds" in driver.screen
        await driver.press("4")
        assert "line 17" in driver.line("views.mine")
        assert "line 21" in driver.line("views.old")
        await driver.press("G")
        said = " ".join(driver.place.query_one(Facts).plain.split())
        assert "Views of the list of change requests; F there saves one." in said
        assert 'now sort = "age" from line 21' in said
        await driver.press("1", "g g", "x")
        assert "theme" not in path.read_text().split("[")[0]


async def test_what_is_used_in_place_of_the_file_is_named(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        'glyphs = "ascii"\n[profiles.work]\nbase_url = "https://x.example"\nglyphs = "unicode"\n'
        'pictures = "off"\n'
    )
    monkeypatch.setenv("COPYDESK_GLYPHS", "auto")
    monkeypatch.setenv("COPYDESK_NEWS", "bel")
    async with drive(opened(world, path)) as driver:
        driver.app.session.settings_file = lambda: SettingsFile(
            path, profile="work", options={"theme": "mono"}
        )
        await driver.press("R")
        assert '"mono" --theme' in " ".join(driver.line("theme").split())
        assert "COPYDESK_NEWS: not used" in driver.line(">")
        assert "COPYDESK_NEWS: news is 'bel': did you mean bell?" in driver.screen
        await driver.press("k", "k")
        assert "COPYDESK_GLYPHS" in driver.line(">")
        said = " ".join(driver.place.query_one(Facts).plain.split())
        assert 'not used profile work, line 4: "unicode" not used line 1: "ascii"' in said
        await driver.press("j", "j", "j", "x")
        assert "profile work, line 5: e edits that." in driver.screen


async def test_the_first_mistake_has_the_cursor_and_each_entry_its_mark(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    fine = "".join(f'[commands.c{at}]\nrun = ["x"]\n' for at in range(5))
    path.write_text(f'{fine}[commands.bad]\nrun = "x"\n[commands.last]\nrun = ["x"]\n')
    async with drive(opened(world, path), size=(80, 24)) as driver:
        assert "commands" in driver.line(">")
        assert "line 11: 1 wrong" in driver.line(">")
        assert "1 mistake" in driver.screen
        await driver.press("7")
        assert "line 11: wrong" in driver.line("commands.bad")
        assert "wrong" not in driver.line("commands.c4") + driver.line("commands.last")


def test_of_entries_on_one_line_the_one_that_is_named_has_the_mark(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('commands = {good = {run = ["x"]}, bad = {run = "x"}}\n')
    assert [bool(row.wrong) for row in SettingsFile(path).entries()] == [False, True]


async def test_esc_hides_what_is_said_of_the_file_where_one_does_not_look_at_it(
    world: World, path: Path
) -> None:
    app = open_world(world)
    app.session.settings_file = lambda: SettingsFile(path)
    app.account.lasting = ("2 mistakes. g , shows them, esc hides this.",)
    async with drive(app, "g", ",") as driver:
        assert "esc hides this" not in driver.screen  # one looks at them there
        driver.place.say(f"{'Wrong. ' * 11}g , shows the settings.")
        await driver.settle()
        assert " g , shows the settings." in driver.screen
        await driver.press("escape")
        assert driver.place.PLACE == "spaces"
        assert "g , shows them, esc hides this" in driver.screen
        await driver.press("escape")
        assert driver.place.PLACE == "spaces"
        assert "esc hides this" not in driver.screen
