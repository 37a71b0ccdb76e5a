"""Steps of several tests: to a row, through forms, and the words of a screen."""

from __future__ import annotations

from typing import Any

from tests.drive import Driver


async def on(driver: Driver, row: str) -> None:
    """Go to a row."""
    await driver.press("g g")
    while driver.selected != row:
        before = driver.selected
        await driver.press("j")
        assert driver.selected != before, f"no {row}"


async def at_size(driver: Driver, forms: dict[str, str], *, update: bool) -> None:
    """Compare forms, by the keys that open them; the place is laid out before each."""
    for key, name in forms.items():
        await driver.press(key)
        driver.golden(name, update=update)
        await driver.press("escape")


async def fill(driver: Driver, text: str) -> None:
    """Put a text into the field in focus: quicker than typing it."""
    field: Any = driver.app.screen.focused
    field.put(text)
    await driver.idle()


def words(driver: Driver) -> str:
    """Return the screen without its frame and folds."""
    return " ".join("".join(" " if sign in "│┃" else sign for sign in driver.screen).split())
