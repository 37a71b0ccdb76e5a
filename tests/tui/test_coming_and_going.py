"""Places and sheets that are left at any moment: nothing ends with them but themselves."""

from __future__ import annotations

from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice, Choices
from copydesk.tui.framework.frame import Status
from copydesk.tui.framework.keyboard import Meaning
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.world import World


def choice() -> Choice:
    return Choice("Which", [Option("one", "One")])


async def test_what_is_left_at_any_moment_ends_nothing_else(world: World) -> None:
    world.space("Handbook")
    app = open_world(world, "spaces")
    async with drive(app, "g c") as driver:
        assert driver.place.PLACE == "changes"
        # Answered twice, as by two quick keys, a sheet is gone, and the place below stays.
        said: list[str | None] = []
        await app.push_screen(choice(), said.append)
        sheet = app.screen
        for _ in range(2):
            sheet.dismiss("one")
        await driver.idle()
        assert app.screen is driver.place
        assert (driver.place.PLACE, said) == ("changes", ["one"])

        # A sheet that ends below another goes when that one does.
        under = choice()
        await app.push_screen(under, said.append)
        await app.push_screen(choice())
        under.dismiss("two")
        await driver.idle()
        assert (under in app.screen_stack, said) == (True, ["one"])
        await driver.press("escape")
        assert app.screen is driver.place
        assert said == ["one", "two"]

        # A worker of a place that is being taken away asks for a sheet: it is stopped with its
        # place, and nothing else is.
        async def leave_and_ask() -> None:
            app.pop_screen()
            await app.push_screen_wait(choice())

        status = driver.place.query_one(Status)
        driver.place.run_worker(leave_and_ask())
        await driver.idle()
        await driver.press("escape")
        assert driver.place.PLACE == "spaces"
        status.update()  # asked for after the last drawing of its place

        # So is a click on the footer of what had the focus until now.
        await app.keyboard.do(Meaning(0, Choices.ACTIONS["send"]), app.keyboard.chain(driver.place))

        # A place that is left before it was drawn begins nothing.
        await driver.burst("g", "c", "escape", "g", "i", "escape", "g", "p", "q")
        await eventually(lambda: app.screen is driver.place, driver.turn)
        await driver.idle()

        # What has no number to go by says so.
        await app.go("changes", Target(organization=world.home))
        await driver.idle()
        await driver.press("ctrl+p")
        await driver.type("view by number")
        await driver.press("enter")
        assert "Press the number of a view" in driver.screen
