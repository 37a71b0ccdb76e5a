"""Rough handling: the mouse, small and changing terminals, ASCII, errors nobody expected."""

from __future__ import annotations

import random
from typing import Any

import pytest

from copydesk.client.errors import ServerFault
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Place
from tests.drive import Driver, drive
from tests.tui.desk_place import NOON, DeskApp, Request


async def test_a_click_selects_a_double_click_opens_and_the_footer_acts() -> None:
    async with drive(DeskApp()) as driver:
        await driver.pilot.click("#rows", offset=(10, 4))
        await driver.idle()
        assert driver.selected == "114"
        await driver.pilot.click("#rows", offset=(10, 3), times=2)
        await driver.idle()
        assert driver.selected == "118"
        assert "opened 118" in driver.screen
        at = driver.line("m merge").index("m merge")
        await driver.pilot.click("#foot", offset=(at + 1, 0))
        await driver.idle()
        assert "Merge #118" in driver.screen


async def test_a_click_on_a_view_and_the_wheel() -> None:
    rows = [Request(str(i), f"Change {i}", "lee") for i in range(200)]
    async with drive(DeskApp(rows)) as driver:
        at = driver.line("Mine").index("Mine")
        await driver.pilot.click("#views", offset=(at, 0))
        await driver.idle()
        assert driver.place.view == "mine"
        driver.place.pane.scroll_to(y=120, animate=False)  # type: ignore[union-attr]
        await driver.idle()
        assert "Change 120" in driver.screen


async def test_the_terminal_cursor_is_on_the_selected_row() -> None:
    async with drive(DeskApp(), "j", "j") as driver:
        row = driver.app.cursor_position.y
        assert "Webhook retries" in driver.screen.splitlines()[row]


async def test_ascii_draws_only_ascii(update_golden: bool) -> None:
    async with drive(DeskApp(glyphs="ascii"), "j") as driver:
        assert driver.screen.isascii(), driver.screen
        driver.golden("framework-ascii", update=update_golden)
        await driver.resize(80, 9)
        for row in ("j", "k", "j"):
            await driver.press(row)
            assert driver.screen.isascii(), "the thumb of a scroll bar ends where a cell does"
        await driver.press("m")
        assert driver.screen.isascii(), driver.screen


@pytest.mark.parametrize("size", [(80, 24), (99, 24), (100, 24), (132, 24), (80, 19), (60, 11)])
async def test_every_pane_can_be_reached_at_every_size(size: tuple[int, int]) -> None:
    async with drive(DeskApp(), size=size) as driver:
        assert "Rate limit page rewrite" in driver.screen
        await driver.press("tab")
        assert driver.place.pane is not None
        assert driver.place.pane.id == "detail"
        assert "Detail" in driver.screen
        await driver.press("tab")
        assert driver.place.pane.id == "rows"
        assert "Requests" in driver.screen


KEYS = [
    *"jkGnNRpPzv.-?:/@123[]mDayYux", "g g", "g 2", "ctrl+d", "ctrl+u", "tab", "escape", "escape",
    "enter", "space", "backspace", "ctrl+p", "ctrl+l", "down", "up", "pagedown", "ctrl+s",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(2, 4))
async def test_any_keys_in_any_terminal(seed: int) -> None:
    chance = random.Random(seed)
    rows = [Request(str(i), f"Change {i}", "lee") for i in range(300)]
    async with drive(DeskApp(rows), draws=True) as driver:
        for _ in range(40):
            if chance.random() < 0.1:
                await driver.pilot.resize_terminal(chance.randint(1, 160), chance.randint(1, 50))
            await driver.press(chance.choice(KEYS))
        await driver.resize(80, 24)
        for _ in range(4):
            await driver.press("escape")
        assert "help" in driver.screen


class BangError(Exception):
    """Nobody expects it."""


@place("desk-bang", title="Bang")
class BangPlace(Place, scope="bang"):
    """Fails on a key."""

    def panes(self) -> Any:
        yield from ()

    @action("b", "bang")
    def bang(self) -> None:
        """Fail."""
        raise BangError


async def test_a_long_error_of_a_list_is_read_in_full() -> None:
    app = DeskApp()
    words = " ".join(f"word{number}" for number in range(25))
    app.service.failure = ServerFault(words, status=500)
    async with drive(app, size=(80, 24)) as driver:
        driver.place.query_one("#status").remove()
        await driver.idle()
        said = " ".join(driver.screen.replace("┃", " ").split())
        assert "word24. R or Enter tries again." in said


@pytest.mark.parametrize("size", [(40, 12), (30, 8), (20, 5), (20, 3)])
async def test_the_selected_row_and_the_keys_of_a_sheet_are_always_there(
    size: tuple[int, int],
) -> None:
    async with drive(DeskApp(), "j", size=size) as driver:
        assert driver.line(">   118")
        facts = [f"fact {number}" for number in range(30)]
        driver.app.push_screen(Confirm("Archive", facts, verb="archive"))
        await driver.idle()
        assert "y archive" in driver.screen
        if size[1] < 5:
            return
        assert "fact 0" in driver.screen
        assert "↓" in driver.screen
        await driver.press(*["j"] * 30)
        assert "fact 29" in driver.screen
        assert "y archive" in driver.screen


async def test_a_terminal_that_is_too_small_says_so() -> None:
    async with drive(DeskApp(), size=(19, 3)) as driver:
        assert "Too small: 20x3" in driver.screen
        await driver.resize(80, 24)
        assert "Too small" not in driver.screen
        await driver.press("j")
        assert driver.selected == "118"


async def press_once(app: CopydeskApp, key: str) -> None:
    async with app.run_test() as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        await driver.send(key)


async def test_an_unexpected_error_ends_the_app_and_names_the_log() -> None:
    told: list[BaseException] = []

    def crash(error: BaseException, kept: str) -> str:
        assert kept == ""  # nothing was typed
        told.append(error)
        return "Details: copydesk.log"

    async def connect() -> Any:
        return None

    async def nobody(session: Session, api: Any) -> None:
        pass

    session = Session(connect, identify=nobody, clock=lambda: NOON)
    app = CopydeskApp(session, "desk-bang", crash=crash)
    with pytest.raises(BangError):
        await press_once(app, "b")
    assert [type(error) for error in told] == [BangError]
    assert app.return_code == 1


async def test_leaving_while_a_write_is_under_way_asks_once() -> None:
    import asyncio

    app = DeskApp()
    gate = asyncio.Event()
    merge = app.service.merge

    async def slow(number: str) -> str:
        await gate.wait()
        return await merge(number)

    app.service.merge = slow  # type: ignore[method-assign]
    async with app.run_test() as pilot:
        driver = Driver(app, pilot)
        await driver.idle()
        await driver.send("m")
        await driver.send("y")
        await driver.send("q")
        assert app.is_running
        gate.set()
        while app.session.writes.writing:
            await asyncio.wait(app.session.writes.writing)
        await driver.send("q")
    assert app.service.merged == ["121"]
