"""The outbox: what waits goes exactly once, is shown, edited, dropped, and asked about.

The way to the desk is cut in `tests.tui.cutting`: here are some of its lives of each kind of write,
`make cutting` lives all of them.
"""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.local.journal import Journal
from copydesk.local.state import State
from tests.drive import Driver, drive
from tests.tui.review_world import Faults, ReviewWorld
from tests.tui.steps import words


async def comment(driver: Driver, text: str) -> None:
    """Comment on the request in front."""
    await driver.press("c")
    await driver.type(text)
    await driver.press("ctrl+s")


async def test_what_waits_is_listed_edited_dropped_brought_back_and_sent(
    review: ReviewWorld, *, update_golden: bool
) -> None:
    way = Faults(review.world)
    app = review.app(faults=way)
    session = app.session
    session.journal = Journal(State(clock=lambda: review.world.clock.now.timestamp()), "")
    async with drive(app, "]", size=(140, 40)) as driver:
        way.gone = True
        await comment(driver, "Why not ten?")
        await comment(driver, "And twelve?")
        await driver.press("a", "ctrl+s")
        assert "outbox 3" in driver.screen
        await driver.press("g x")
        assert [entry.what for entry in session.outbox.items.values()] == [
            "Comment", "Comment", "Approve",
        ]  # fmt: skip
        assert "The service cannot be reached. Nothing was sent." in words(driver)
        driver.golden("outbox", update=update_golden)
        await driver.press("e")
        await driver.press("ctrl+a", "backspace")
        await driver.type("Ten it is.")
        await driver.press("ctrl+s")
        assert "Kept: it waits with what you wrote." in words(driver)
        assert not session.drafts.texts()
        await driver.press("j", "D")
        assert "Discarded. u puts it back." in words(driver)
        assert list(session.drafts.texts().values()) == ["And twelve?"]
        await driver.press("u")
        assert "outbox 3" in driver.screen
        assert not session.drafts.texts()
        await driver.press("k", "D", "s")
        assert "outbox 2" in driver.screen
        # Somebody edits the request meanwhile: the verdict was about another revision.
        review.world.edit_change_request(review.request, {"overview": "Other words."})
        way.gone = False
        await driver.press("R")
        assert review.open_threads() == 1
        [left] = session.outbox.items.values()
        assert (left.what, left.held) == ("Approve", "changed")
        said = "It was edited, renamed, closed or made a draft since you judged it."
        assert said in words(driver)
        assert "Waits in the outbox (g x): Approve #1" in words(driver)
        await driver.press("ctrl+s")
        assert "Nothing was sent: 1 write waiting." in words(driver)
        await driver.press("s")
        assert "Sent from the outbox: Approve" in words(driver)
        assert not session.outbox.count
        assert "Nothing waits to be sent." in driver.screen
        await driver.press("escape")
        assert "Ten it is." in driver.screen
        await driver.press("u")  # the newest was to drop the other one: it goes after all
        assert review.open_threads() == 2
        assert not session.drafts.texts()
        assert not session.outbox.count


async def test_a_discarded_text_is_a_draft_beside_what_was_typed_in_its_place_since(
    review: ReviewWorld,
) -> None:
    way = Faults(review.world)
    app = review.app(faults=way)
    drafts, outbox = app.session.drafts, app.session.outbox
    async with drive(app, "]", size=(100, 24)) as driver:
        app.session.recall_seconds = 0
        way.gone = True
        await comment(driver, "The first")
        await driver.press("c")
        await driver.type("The second")
        await driver.press("escape", "g x", "D")
        assert "Discarded. u puts it back." in words(driver)
        assert sorted(drafts.texts().values()) == ["The first", "The second"]
        for _ in range(2):  # as often as one likes, and never twice
            await driver.press("u")
            assert [entry.text for entry in outbox.items.values()] == ["The first"]
            assert list(drafts.texts().values()) == ["The second"]
            await driver.press("D")
            assert sorted(drafts.texts().values()) == ["The first", "The second"]
        await driver.press("g d", "/")
        await driver.type("first")
        await driver.press("enter", "enter")
        assert "The first" in driver.screen


async def test_what_is_being_edited_is_not_sent_as_it_was(review: ReviewWorld) -> None:
    way = Faults(review.world)
    app = review.app(faults=way)
    async with drive(app, "]", size=(100, 24)) as driver:
        way.gone = True
        await comment(driver, "Ten?")
        before = review.open_threads()
        await driver.press("g x", "e")
        await driver.type(" Or twelve?")
        await driver.press("escape")
        assert "Waiting: an edit of it is a draft. e goes on with that" in words(driver)
        way.gone = False
        await driver.press("R", "ctrl+s")
        assert "an edit of it is a draft" in driver.line("e goes on")
        assert review.open_threads() == before
        await driver.press("e")
        assert "Or twelve?" in driver.screen
        await driver.press("ctrl+s", "ctrl+s")
        assert not app.session.outbox.count
        assert review.open_threads() == before + 1
    api, ids = review.world.api(), (review.space, review.request)
    said = [each.body.markdown async for each in api.pages(ops.list_change_request_comments, *ids)]
    assert "Ten? Or twelve?" in said


async def test_u_drops_what_waits_before_it_takes_back_what_was_sent_earlier(
    review: ReviewWorld,
) -> None:
    way = Faults(review.world)
    app = review.app(faults=way)
    session = app.session
    async with drive(app, "]", size=(100, 24)) as driver:
        before = review.open_threads()
        await comment(driver, "A")
        way.gone = True
        await comment(driver, "B")
        [queued] = session.outbox.items
        last = "last: comment #1 “B” (waits)   u discards it"
        assert app.here is not None
        assert app.here.status_right() == last
        await driver.press("u")
        assert "Undone: Comment #1 “B”. Not sent; its text" in words(driver)
        assert [line.state for line in session.log] == ["done", "dropped", "done"]
        assert not session.outbox.count
        assert list(session.drafts.texts().values()) == ["B"]
        assert app.here.status_right() == "last: comment #1 “A”   u undo"
        # It waits again, and is dropped again: both as often as one likes.
        await driver.press("ctrl+r")
        assert list(session.outbox.items) == [queued]
        assert not session.drafts.texts()
        assert app.here.status_right() == last
        await driver.press("u")
        assert not session.outbox.count
        assert review.open_threads() == before + 1

        # What is said in a thread is for a request that is not done with, as well as the thread.
        await driver.press("r")
        await driver.type("Eleven.")
        await driver.press("ctrl+s", "x")
        names = [(each.what, each.target) for each in session.outbox.items.values()]
        assert names == [("Reply", "#1 “Eleven.” in “A”"), ("Resolve", "#1 “A”")]
        asked = review.request
        review.world.write(lambda tx: tx.update("change_request", asked, status="archived"))
        way.gone = False
        await driver.press("R")
        assert review.open_threads() == before + 1
        held = [each.sentence for each in session.outbox.items.values()]
        assert len(held) == 2
        assert all("Its change request was merged or archived since." in why for why in held)
        review.world.write(lambda tx: tx.update("change_request", asked, status="open"))
        for each in list(session.outbox.items):
            await session.outbox.send(each)
        assert (review.open_threads(), session.outbox.count) == (before, 0)
