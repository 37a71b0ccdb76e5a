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
