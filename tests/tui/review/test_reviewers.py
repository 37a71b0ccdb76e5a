"""Who is suggested for a review, and in which order."""

from __future__ import annotations

from copydesk.domain.owners import Owned
from copydesk.session.target import Target
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import Faults, ReviewWorld
from tests.world import World


async def test_owners_come_first_then_who_wrote_there_and_nobody_is_ticked(
    world: World, update_golden: bool
) -> None:
    world.user("priya", display_name="Priya Rao")
    kim = world.user("kim", display_name="Kim Li")
    jo = world.user("jo", display_name="Jo \x1b[31mAnand\u202e")
    review = ReviewWorld(world)
    review.world.commit(review.space, {"webhooks/retries": "# Retries\n\nKim.\n"}, by=kim)
    review.world.commit(
        review.space,
        {"webhooks/retries": "# Retries\n\nJo.\n", "webhooks/signatures": "# S\n\nJo.\n"},
        by=jo,
    )
    owners = (
        Owned("**", (f"{kim}@nowhere.test",)),
        Owned("webhooks", ("priya rao",)),
        Owned("old-guide", ("Someone Else",)),
    )
    for size in ((80, 24), (140, 40)):
        app = review.app()
        app.session.owners = owners
        async with drive(app, "w", size=size) as driver:
            driver.golden("reviewers", update=update_golden)
            told = ("owns", "of these")
            lines = [line for line in driver.screen.splitlines() if any(w in line for w in told)]
            assert "Priya Rao" in lines[0]
            assert "owns webhooks (4 pages)" in lines[0]
            assert "Jo Anand" in lines[1]
            assert "wrote in 2 of these pages" in lines[1]
            assert "Kim Li" in lines[2]
            assert "Owner, but not a member: " in driver.screen
            assert "Lee Park" not in driver.screen, "its author is not asked"
            assert "[x]" not in driver.screen
            await driver.press("escape")
            assert not world.store.read(lambda tx: tx.one("SELECT * FROM requested_reviewer"))
    way = Faults(world)
    async with drive(review.app(faults=way), size=(80, 24)) as driver:
        way.slow = "GET"
        await driver.send("w")
        await eventually(lambda: "Reading who may be asked…" in driver.screen, driver.turn)
        way.let.set()
        await driver.idle()
        await driver.press("space", "ctrl+s")
        assert "Asked: Jo Anand." in driver.screen
        await driver.press("w", "space", "ctrl+s")
        assert "Asked no longer: Jo Anand." in driver.screen


async def test_all_are_asked_where_the_screen_is_left(world: World) -> None:
    review = ReviewWorld(world)
    world.user("jo", display_name="Jo Anand")
    world.user("kim", display_name="Kim Li")
    app = open_world(world, "changes", Target(world.home, space=review.space))

    def asked() -> set[str]:
        rows = world.store.read(lambda tx: tx.all("SELECT * FROM requested_reviewer"))
        return {str(row["user_id"]) for row in rows}

    async with drive(app, "enter", "w", size=(140, 40)) as driver:
        await driver.press("space", "ctrl+s")
        before = asked()
        assert len(before) == 1
        app.session.recall_seconds = 600
        await driver.press("w", "space", "down", "space")
        await driver.send("ctrl+s")
        await eventually(lambda: bool(app.session.writes.waits), driver.turn)
        await driver.send("q")
        await eventually(lambda: driver.place.PLACE == "changes", driver.turn)
        app.session.writes.send_now()
        await driver.idle()
        assert "Asked: " in driver.screen
        assert "Asked no longer: " in driver.screen
    assert len(asked()) == 1
    assert not asked() & before
