"""What is written to the terminal: only what differs, which makes the screen what it should be."""

from __future__ import annotations

import re
from datetime import timedelta
from random import Random
from typing import Literal, cast

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import CompositorUpdate
from textual.drivers.headless_driver import HeadlessDriver
from textual.strip import Strip
from textual.theme import Theme

from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.drawn import (
    Drawn,
    FrameDifference,
    in_its_colours,
    near_style,
    only_text,
)
from copydesk.tui.framework.theme import THEMES
from tests.drive import Driver, drive
from tests.tui.desk_place import NOON, DeskApp, Request
from tests.tui.review_world import ReviewWorld, furnish
from tests.world import World

CODES = re.compile(
    r"\x1b\[(\d+);(\d+)H|\x1b\[([\d;]*)m|\x1b\[[?>=\d;]*[a-zA-Z]|\r?\n|([^\x00-\x1f])"
)


class Terminal:
    """The cells of a terminal: what each shows, and in which look."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, str]] = {}
        self.bytes = 0

    def take(self, data: str) -> None:
        self.bytes += len(data.encode())
        x = y = 0
        look = ""
        for row, column, codes, sign in (found.groups() for found in CODES.finditer(data)):
            if row is not None:
                x, y = int(column) - 1, int(row) - 1
            elif codes is not None:
                look = "" if codes in ("", "0") else codes
            elif sign is not None:
                self.cells[x, y] = sign, look
                for more in range(1, cell_len(sign)):
                    self.cells[x + more, y] = "", look
                x += cell_len(sign)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """What is written by a program that takes its terminal for a real one."""
    found = Terminal()
    monkeypatch.setattr(HeadlessDriver, "is_headless", False)
    monkeypatch.setattr(HeadlessDriver, "write", lambda driver, data: found.take(data))
    monkeypatch.setattr("copydesk.tui.app._native_copy", lambda text: None)
    return found


def whole(app: CopydeskApp) -> Terminal:
    """Return the terminal as it is when all is drawn anew."""
    under = app._background_screens
    drawn = app.screen._compositor.render_update(full=True, screen_stack=under)
    update = cast("CompositorUpdate", drawn)
    only_text(update)
    anew = Terminal()
    anew.take(Drawn().difference(app.screen, update).render_segments(app.console))
    return anew


async def compare(driver: Driver, terminal: Terminal) -> None:
    await driver.idle()
    assert driver.screen
    wanted = whole(driver.app).cells
    shown = {at: cell for at, cell in terminal.cells.items() if at in wanted}
    assert shown == wanted


@pytest.mark.long
@pytest.mark.parametrize("what", ["list", "review"])
async def test_the_terminal_shows_what_was_drawn(
    what: str, world: World, terminal: Terminal
) -> None:
    chance = Random(what)
    review = ReviewWorld(world)
    furnish(review)
    rows = [Request(str(n), f"Sübject 漢字 🧭 {n % 7}", "ana") for n in range(300)]
    app = DeskApp(rows) if what == "list" else review.app()
    async with drive(app, size=(90, 26), draws=True) as driver:
        for _ in range(30):
            match chance.randrange(9):
                case 0:
                    await driver.resize(chance.randint(40, 150), chance.randint(10, 45))
                case 1:
                    driver.app.theme = chance.choice(THEMES).name
                case 2:
                    driver.app.redraw()
                case 3:
                    driver.place.read_again(by_hand=False)
                case _:
                    keys = ["j", "j", "k", "ctrl+d", "G", "tab", "?", "escape", "/", "x", "@"]
                    await driver.press(chance.choice(keys))
            await compare(driver, terminal)


async def test_what_was_read_again_and_is_the_same_is_not_written(terminal: Terminal) -> None:
    app = DeskApp([Request(str(n), f"Subject {n}", "ana") for n in range(300)])
    now = [NOON]
    app.session.clock = lambda: now[0]
    async with drive(app, size=(120, 40), draws=True) as driver:
        await driver.press("j")
        await compare(driver, terminal)
        for _ in range(2):  # of a line that was written in part it is not known at first
            terminal.bytes = 0
            for pane in driver.place.query("Pane"):
                pane.refresh()
            await driver.idle()
            assert driver.screen
        assert terminal.bytes < 100, "no more than where the cursor stands"
        # An age is written without the line that it ends.
        terminal.bytes = 0
        now[0] += timedelta(seconds=10)
        app.tick()
        await driver.idle()
        assert "live 10s" in driver.screen
        assert 0 < terminal.bytes < 250
        await compare(driver, terminal)


async def test_what_something_else_wrote_upon_is_written_anew(terminal: Terminal) -> None:
    async with drive(DeskApp(), size=(80, 24), draws=True) as driver:
        await driver.press("j")
        terminal.cells.clear()
        driver.app.redraw()
        await compare(driver, terminal)


def test_what_follows_letters_with_marks_is_where_it_is_taken_to_be() -> None:
    update = FrameDifference([(0, 0, Strip([Segment("a दुनिया│漢")]))])
    only_text(update)
    assert update.parts[0][2].text == "a \x1b7     \x1b8\x1b7दुनिया\x1b8\x1b[5C│漢"


@pytest.mark.parametrize(
    ("system", "codes"),
    [
        ("256", "1;38;5;235;48;5;255"),  # and not navy on yellow
        ("truecolor", "1;38;2;35;41;50;48;2;240;238;230"),
        ("standard", ""),
    ],
)
def test_a_terminal_of_256_colours_has_the_nearest(
    system: Literal["256", "truecolor", "standard"], codes: str
) -> None:
    console = Console(color_system=system, force_terminal=True)
    style = Style(color="#232932", bgcolor="#f0eee6", bold=True)
    update = FrameDifference([(0, 0, Strip([Segment("é", style), Segment("b")], 2))])
    in_its_colours(update, console)
    written = update.render_segments(console)
    assert written.startswith("\x1b[1;1H\x1b[1;")
    assert f"\x1b[{codes}" in written
    assert update.parts[0][2].cell_length == 2


@pytest.mark.parametrize(
    "theme", [each for each in THEMES if not each.ansi and each.name != "mono"]
)
def test_each_colour_of_a_theme_stays_another_one_of_256(theme: Theme) -> None:
    meanings = theme.primary, theme.secondary, theme.success, theme.warning, theme.error
    near = [near_style(Style(color=each)).color for each in meanings]
    assert len(set(near)) == len(meanings)
    red = near[-1]
    assert red is not None
    # #d75f5f or #af0000; oranges for who sees no red.
    assert red.number in ((166, 130) if "blind" in theme.name else (167, 124))
