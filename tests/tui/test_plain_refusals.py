"""What is refused is told in words that help, and what is on this machine needs no service."""

from __future__ import annotations

import asyncio

from copydesk.client.api import Api
from copydesk.domain.documents import markdown_to_document
from copydesk.server.desk_writes import put_agent_instructions
from copydesk.session.draft_keys import review_key
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world, typed
from tests.tui.review_world import Faults, ReviewWorld
from tests.world import BASE_URL, World


async def test_drafts_open_before_the_service_has_answered_or_when_it_is_away(
    world: World,
) -> None:
    review = ReviewWorld(world)
    key = review_key(review.space, review.request, "verdict approved")
    way = Faults(world)
    way.slow, way.let = "GET", asyncio.Event()
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, api=api)
    app.session.drafts.save(key, "Fine, all of it")
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await eventually(lambda: not app.waking, driver.turn)
        await driver.send("g", "d")
        await eventually(lambda: "Fine, all of it" in driver.screen, driver.turn)
        assert driver.place.PLACE == "drafts"
        # Nothing is kept of what it is about: its text stays in front.
        way.gone = True
        way.let.set()
        await driver.idle()
        await driver.press("enter")
        assert driver.place.PLACE == "drafts"
        assert "The draft stays here" in " ".join(driver.screen.split())
        assert "Fine, all of it" in driver.screen
        assert app.session.drafts.texts() == {key: "Fine, all of it"}


async def test_the_json_of_what_waits_is_shown_without_the_service(world: World) -> None:
    review = ReviewWorld(world)
    way = Faults(world)
    app = review.app(faults=way)
    async with drive(app, "]", size=(80, 24)) as driver:
        way.gone = True
        await driver.press("c", *typed("Why?"), "ctrl+s", "g x", "g j")
        assert '"markdown": "Why?"' in driver.screen
        assert "as it waits here" in driver.screen


async def test_marked_requests_of_several_spaces_are_named_with_their_space(world: World) -> None:
    for title in ("Guide", "Handbook"):
        space = world.space(title, {"a": "# A\n"})
        world.change_request(space, {"a": "# A\n\nMore.\n"}, subject=f"More {title}")
    async with drive(open_world(world, "changes"), size=(140, 40)) as driver:
        await driver.press("space", "space", "a")
        said = " ".join(driver.screen.split())
        assert "#1 in Guide" in said
        assert "#1 in Handbook" in said


async def test_a_move_without_a_position_says_what_it_does(world: World) -> None:
    world.collection("Manuals")
    world.space("Guide", {"a": "# A\n"})
    async with drive(open_world(world, "organization-structure"), size=(80, 24)) as driver:
        for word, said in (
            ("move", ":move N makes the row"),
            ("move nope", "“nope” is not a position"),
        ):
            await driver.press(":")
            await driver.burst(*typed(word), "enter")
            assert said in " ".join(driver.screen.split())
            assert "as in :move 3" in " ".join(driver.screen.split())
        # What is typed after a key for text that is refused here runs as no key.
        await driver.press("g g")
        await driver.burst("E", *typed("happy D W"))
        assert "were not run" in " ".join(driver.screen.split())
        assert "Delete" not in driver.screen


async def test_a_merge_that_would_change_nothing_says_so(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, {}, subject="Nothing at all")
    async with drive(open_world(world, "changes"), size=(80, 24)) as driver:
        await driver.press("m", "y")
        assert "Nothing was changed. There is nothing to merge" in driver.screen
        assert "Someone changed it first" not in driver.screen


async def test_copied_instructions_say_what_was_left_out(world: World) -> None:
    document = markdown_to_document("Say \x1b[31myou\u202e.\n")
    home, ana = world.home, world.ana
    world.write(lambda tx: put_agent_instructions(tx, home, document, ana))
    async with drive(open_world(world), "g B", "Y", size=(80, 24)) as driver:
        await driver.press("enter")
        assert "left out" in " ".join(driver.screen.split())
        assert "\x1b" not in driver.app.clipboard
