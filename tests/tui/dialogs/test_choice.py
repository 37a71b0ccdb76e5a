"""Dialogs in which one of several things is chosen."""

from __future__ import annotations

from copydesk.session.options import Option
from copydesk.tui.dialogs.choice import Choices
from tests.drive import drive
from tests.tui.desk_place import DeskApp


async def test_what_is_told_before_one_chooses_is_told_whole() -> None:
    names = [f"Someone Longname {nth}" for nth in range(9)]
    app = DeskApp()
    async with drive(app, size=(80, 24)) as driver:
        sheet = Choices(
            "Ask to review #3", [Option("a", "Ana")], about=f"Asked: {', '.join(names)}."
        )
        app.push_screen(sheet)
        await driver.idle()
        shown = " ".join(" ".join(line.strip(" ┃│") for line in driver.screen.splitlines()).split())
        assert all(name in shown for name in names)


async def test_what_is_told_stays_above_more_options_than_there_is_room_for() -> None:
    app = DeskApp()
    people = [Option(str(nth), f"Person {nth}", f"{nth}@example.org") for nth in range(40)]
    async with drive(app, size=(80, 24)) as driver:
        app.push_screen(Choices("Ask to review #3", people, about="As asked 12 May."))
        await driver.idle()
        for _ in range(39):
            await driver.press("down")
        assert "As asked 12 May." in driver.screen
        assert "Person 39" in driver.screen
        await driver.resize(80, 16)
        assert "As asked 12 May." in driver.screen


async def test_it_is_as_wide_as_its_options() -> None:
    app = DeskApp()
    address = f"https://example.org/{'x' * 90}"
    async with drive(app, size=(140, 40)) as driver:
        app.push_screen(Choices("Copy", [Option("a", "address", address)]))
        await driver.idle()
        assert address in driver.screen
