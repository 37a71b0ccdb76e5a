"""What main has changed of a change request's pages, read of a service that tells only some."""

from __future__ import annotations

from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World


async def test_an_outdated_request_is_compared_with_what_it_began_with(world: World) -> None:
    text = "\n".join(f"Line {number}.\n" for number in range(9))
    pages = dict.fromkeys("abcd", text)
    space = world.space("Guide", pages)
    theirs = text.replace("Line 0.", "Line 0, as proposed.")
    world.change_request(space, dict.fromkeys(pages, theirs))

    world.commit(space, dict.fromkeys(pages, text.replace("Line 8.", "Line 8, as on main.")))
    at = Target(world.home, space=space)
    async with drive(open_world(world, "pages", at), size=(140, 40)) as driver:
        await driver.press(":")
        await driver.burst("#", "1", "enter")
        assert driver.place.PLACE == "review"
        await driver.press("2")
        for number in (1, 2, 3):
            assert f"{number}/4" in driver.screen
            assert "as proposed" in driver.screen
            assert "as on main" not in driver.screen, "which is none of its changes"
            await driver.press("space")
        await driver.press("m")
        assert "4 pages changed on both sides" in driver.screen
