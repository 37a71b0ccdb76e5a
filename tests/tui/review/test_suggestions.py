"""Suggestions in a review: written for lines, sent with the verdict or alone, and applied."""

from __future__ import annotations

import pytest

from copydesk.domain.suggestion import suggest
from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from tests.drive import drive
from tests.tui.review_world import RETRIES_NOW, Faults, ReviewWorld

BETTER = "We retry nine times over 48 hours."


def line_of(quote: str) -> int:
    """Return the line of the page Retries that has some words, from 0."""
    return next(at for at, line in enumerate(RETRIES_NOW.splitlines()) if quote in line)


def suggests(review: ReviewWorld, quote: str, *new: str, more: int = 0) -> str:
    """Let Lee suggest other lines for one of the page Retries, and some after it."""
    at = line_of(quote)
    made = suggest(RETRIES_NOW, at, at + more, new)
    assert made is not None
    node, said = made
    return review.world.comment(
        review.space, said, by=review.lee, change_request=review.request,
        page=review.page("webhooks/retries"), node=node,
    )  # fmt: skip


async def comments_of(review: ReviewWorld) -> list[str]:
    async with review.world.client() as client:
        at = f"/spaces/{review.space}/change-requests/{review.request}/comments"
        found = await client.get(at, params={"format": "markdown", "status": "all"})
        return [each["body"]["markdown"] for each in found.json()["items"]]


@pytest.mark.long
async def test_a_line_is_suggested_sent_and_applied(
    review: ReviewWorld, update_golden: bool
) -> None:
    better = RETRIES_NOW.replace("over 24 hours.", "over 24 hours. Or more.")
    for size in ((140, 40), (80, 24)):
        async with drive(review.app(), "]", size=size) as driver:
            await driver.press("s")
            await driver.type(" Or more.")
            await driver.press("tab")
            await driver.type("Why not?")
            driver.golden("review-suggest", update=update_golden)
            await driver.press("ctrl+s")
            assert "Kept with your drafts: it goes with your review" in driver.screen
            assert "[draft]" in driver.screen
            await driver.press("s")
            assert "Why not?" in driver.screen
            assert "Or more." in driver.screen
            await driver.press("ctrl+r")
            said = "Why not?\n\n```suggestion\nWe retry eight times over 24 hours. Or more.\n```"
            assert said in await comments_of(review)
            driver.golden("review-suggested", update=update_golden)
            await driver.press("S")
            assert "1 suggestion applied. u undoes it." in driver.screen
            assert await review.text_of("webhooks/retries") == better
            assert review.open_threads() == 0
            await driver.press("u")
            assert await review.text_of("webhooks/retries") == RETRIES_NOW
            assert review.open_threads() == 1
            await driver.press("u")  # the comment; its words are a draft again
            assert review.open_threads() == 0
            await driver.press("s", *["backspace"] * 9, "ctrl+s")
            assert "Changes nothing." in driver.screen


async def test_marked_ones_are_applied_together_and_the_others_say_why(
    review: ReviewWorld, update_golden: bool
) -> None:
    fits = suggests(review, "We retry", BETTER)
    suggests(review, "Each attempt", "Each waits longer.")
    suggests(review, "## Order", "Any order.", more=2)
    suggests(review, "See Event", more=0)
    edited = RETRIES_NOW.replace("Events of one object", "Some events")
    review.world.edit_change_request(review.request, {"webhooks/retries": edited}, by=review.lee)
    for size in ((140, 40), (80, 24)):
        async with drive(review.app(), "]", "3", size=size) as driver:
            await driver.press("*")
            assert "3 marked of 4 suggestions; 3 fit. S applies." in driver.screen
            driver.golden("review-marked", update=update_golden)
            await driver.press("g g", "space")
            assert "2 marked of 4 suggestions" in driver.screen
            await driver.press("S")
            assert "2 suggestions applied." in driver.screen
            now = await review.text_of("webhooks/retries")
            assert "Each waits longer.\n" in now
            assert "See Event" not in now
            assert BETTER not in now
            await driver.press("u")
            assert await review.text_of("webhooks/retries") == edited
    async with drive(review.app(thread=fits), size=(140, 40)) as driver:
        await driver.press("S")
        assert "1 suggestion applied." in driver.screen
        assert BETTER in await review.text_of("webhooks/retries")


async def test_what_somebody_edits_while_it_is_looked_at_is_not_applied(
    review: ReviewWorld,
) -> None:
    suggests(review, "We retry", BETTER)
    async with drive(review.app(), "]", "3", size=(140, 40)) as driver:
        await driver.press("*")
        assert "1 marked of 1 suggestion; 1 fits. S applies." in driver.screen
        edited = RETRIES_NOW.replace("We retry eight", "We retry ten")
        review.world.edit_change_request(review.request, {"webhooks/retries": edited})
        await driver.press("S")
        said = "The lines were edited since (last by Ana Silva"
        assert f"0 applied, 1 not: {said}" in driver.screen
        assert f"does not fit: {said}" in driver.screen
        assert "[ ] Lee Park" in driver.screen
        assert await review.text_of("webhooks/retries") == edited


async def test_a_range_is_suggested_and_goes_with_the_verdict(review: ReviewWorld) -> None:
    async with drive(review.app(), "]", "z R", "/", size=(140, 40)) as driver:
        await driver.type("Order")
        await driver.press("enter", "v", "j", "s")
        assert "Suggest lines 17-19 of Retries" in driver.screen
        await driver.press("f7", "delete")
        await driver.press("ctrl+s", "a")
        assert "suggests: to delete it" in driver.screen
        await driver.press("ctrl+s")
        await driver.idle()
        await driver.press("@")
        assert "“suggests: to delete it”" in driver.line("Comment")
    assert "```suggestion:-0+2\n```" in await comments_of(review)


async def test_what_is_typed_is_there_after_a_start_and_opens_again(review: ReviewWorld) -> None:
    drafts = DeskDrafts(State())
    async with drive(review.app(drafts=drafts), "]", "s", size=(140, 40)) as driver:
        await driver.type(" Half a thought")
        await driver.press("escape")
        assert "Kept as a draft. On the same lines, s opens it again." in driver.screen
    async with drive(review.app(drafts=drafts), size=(140, 40)) as driver:
        await driver.press("g d", "enter")
        assert "Half a thought" in driver.screen
        assert "Suggest line" in driver.screen


async def test_who_may_not_edit_suggests_and_does_not_apply(review: ReviewWorld) -> None:
    suggests(review, "We retry", BETTER)
    reader = review.world.user("rea", role="comment")
    async with drive(review.app(reader), "]", size=(140, 40)) as driver:
        await driver.press("S")
        assert "You may not edit here; its author can." in driver.screen
        await driver.press("e")
        assert "You may review here, not edit. s suggests the change." in driver.screen
        await driver.press("s")
        await driver.type(" And so on.")
        await driver.press("ctrl+r")
    assert any("And so on." in said for said in await comments_of(review))


async def test_offline_it_waits_and_then_the_thread_is_resolved(review: ReviewWorld) -> None:
    suggests(review, "We retry", BETTER)
    faults = Faults(review.world)
    async with drive(review.app(faults=faults), "]", "3", size=(140, 40)) as driver:
        faults.gone = True
        await driver.press("R")
        await driver.press("S")
        assert "Waits in the outbox" in driver.screen
        faults.gone = False
        await driver.press("R")
        await driver.idle()
        assert BETTER in await review.text_of("webhooks/retries")
        assert review.open_threads() == 0
