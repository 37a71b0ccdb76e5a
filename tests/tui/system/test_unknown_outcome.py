"""Writes whose answer is lost, and trying again: nothing is there twice unless it was asked for."""

from __future__ import annotations

import pytest

from tests.drive import drive
from tests.tui.lossy import Lossy
from tests.tui.review_world import ReviewWorld, furnish
from tests.tui.steps import words


@pytest.fixture
def way(review: ReviewWorld) -> Lossy:
    return Lossy(review.world)


async def test_a_comment_written_offline_waits_and_goes_with_the_next_answer(
    review: ReviewWorld, way: Lossy
) -> None:
    async with drive(review.app(faults=way), "]", "c", size=(140, 40)) as driver:
        session = driver.app.session
        await driver.type("Why not ten?")
        way.gone = True
        await driver.press("ctrl+s")
        assert "Waits in the outbox (g x): the service cannot be reached." in words(driver)
        assert not session.drafts.texts()
        await driver.press("c")
        await driver.type("Typed since.")
        await driver.press("escape")
        way.gone = False
        await driver.press("R")
        assert "Sent from the outbox: Comment #1" in words(driver)
        assert review.open_threads() == 1
        assert list(session.drafts.texts().values()) == ["Typed since."]
        assert "Why not ten?" in driver.screen
        await driver.press("@")
        assert "done" in driver.screen
        await driver.press("escape", "u")
        assert review.open_threads() == 0


async def test_a_comment_that_may_have_arrived_is_only_sent_again_when_asked(
    review: ReviewWorld, way: Lossy
) -> None:
    async with drive(review.app(faults=way), "]", "c", size=(140, 40)) as driver:
        await driver.type("Why not ten?")
        way.losing = way.broken = True
        await driver.press("ctrl+s")
        assert "No answer: it may have been sent (Comment, #1" in words(driver)
        assert "look before sending it again" in words(driver)
        way.losing = False
        await driver.press("@")
        assert "unknown" in driver.screen
        await driver.press("r")
        assert "unknown" in driver.screen
        assert review.open_threads() == 1
        way.broken = False
        await driver.press("escape", "c", "ctrl+s")
        assert "it may then be there twice" in driver.screen
        await driver.press("escape")
        assert "Not sent: what you wrote is kept" in driver.screen
        assert review.open_threads() == 1
        await driver.press("c", "ctrl+s", "y")
        assert review.open_threads() == 2
        assert not driver.app.session.drafts.texts()
        await driver.press("@", "j")
        assert "replaced" in driver.screen
        await driver.press("r")
        assert review.open_threads() == 2


async def test_the_same_words_sent_before_are_not_taken_for_those_that_were_lost(
    review: ReviewWorld, way: Lossy
) -> None:
    async with drive(review.app(faults=way), "]", "c") as driver:
        await driver.type("Thanks!")
        await driver.press("ctrl+s")
        assert review.open_threads() == 1, driver.screen
        await driver.press("c")
        await driver.type("Thanks!")
        way.losing = way.swallowing = True
        await driver.press("ctrl+s")
        # It waits, and not to be sent at once: that request may be under way still.
        assert "It is not there yet" in words(driver)
        assert driver.app.session.log[-1].state == "queued"
        assert [each.state for each in driver.app.session.outbox.items.values()] == ["unknown"]
        assert not driver.app.session.drafts.texts()
        way.losing = way.swallowing = False
        await driver.press("escape", "R")
        assert review.open_threads() == 1
        await driver.press("@", "r")
        assert "may then be there twice" in words(driver)
        await driver.press("y")
        assert review.open_threads() == 2


@pytest.mark.parametrize(
    ("arrives", "said"),
    [(True, "No answer came, but it had arrived"), (False, "it had not happened when it was read")],
)
async def test_what_became_of_a_merge_is_found_out_by_reading(
    review: ReviewWorld, way: Lossy, *, arrives: bool, said: str
) -> None:
    async with drive(review.app(faults=way), "m") as driver:
        way.losing, way.swallowing = True, not arrives
        await driver.press("y")
        assert said in words(driver)
        assert ("It is live now." in driver.screen) == arrives
        way.losing = way.swallowing = False
        await driver.press("escape", "@")
        assert ("done" if arrives else "failed") in driver.screen


async def test_a_merge_that_nobody_knows_of_is_not_offered_again(
    review: ReviewWorld, way: Lossy
) -> None:
    async with drive(review.app(faults=way), "m") as driver:
        way.losing = way.broken = True
        await driver.press("y")
        assert "No answer: it may have been sent (Merge" in words(driver)
        assert "y merge" not in driver.screen
        assert "R look whether it is merged" in driver.screen
        way.losing = way.broken = False
        await driver.press("R")
        assert "The change request is merged already." in driver.screen
        await driver.press("escape", "@")
        assert "unknown" in driver.screen
        await driver.press("r")
        assert "done" in driver.screen
        assert "it had arrived" in words(driver)


async def test_a_merge_that_did_not_arrive_is_judged_by_what_main_is_by_then(
    review: ReviewWorld, way: Lossy
) -> None:
    def move_main(name: str) -> None:
        review.world.commit(review.space, {name: f"# {name}\n"})

    move_main("first")
    async with drive(review.app(faults=way), "m") as driver:
        assert "main has moved on since" in words(driver)
        move_main("second")
        way.losing = way.swallowing = True
        await driver.press("y")
        assert "it had not happened when it was read" in words(driver)
        await driver.press("escape", "m")
        way.broken = True
        await driver.press("y")
        assert "R look whether it is merged" in driver.screen
        way.losing = way.broken = way.swallowing = False
        move_main("third")
        await driver.press("R")
        assert "main has moved on since" in words(driver)
        assert "y merge" in driver.screen


async def test_what_became_of_a_thread_and_of_a_status_is_found_out(
    review: ReviewWorld, way: Lossy
) -> None:
    thread = furnish(review)["hours"]
    async with drive(review.app(faults=way, thread=thread), size=(140, 40)) as driver:
        way.losing = True
        await driver.press("x")
        assert "Resolved" in driver.screen
        await driver.press("W")
        assert review.world.row("change_request", review.request)["status"] == "draft"
        assert "is draft now." in driver.screen
        assert [line.state for line in driver.app.session.log] == ["done", "done"]
        way.broken = True
        await driver.press("W")
        assert [line.state for line in driver.app.session.log][-1] == "unknown"
        await driver.press("@", "r")
        assert [line.state for line in driver.app.session.log][-1] == "unknown"
        way.losing = way.broken = False
        await driver.press("r")
        assert [line.state for line in driver.app.session.log][-1] == "done"
        assert review.world.row("change_request", review.request)["status"] == "open"
        # An undo without an answer is read first, before u goes on to anything older.
        await driver.press("escape")
        way.losing = way.breaking = True
        await driver.press("u")
        assert driver.app.session.log[-1].state == "unknown"
        way.losing = way.broken = False
        await driver.press("u")
        assert "Undo: Open #1" in words(driver)
        assert "No answer had come. It had arrived" in words(driver)
        assert review.world.row("change_request", review.request)["status"] == "draft"
        assert [line.state for line in driver.app.session.log][-2:] == ["undone", "done"]
