"""Copying what is under the cursor: a thread with its replies, a hunk, a table."""

from __future__ import annotations

from tests.drive import drive
from tests.tui.opening import open_world
from tests.tui.review.test_diff import AFTER, BEFORE, changed
from tests.tui.review_world import ReviewWorld, furnish
from tests.world import World


async def test_a_thread_is_copied_with_replies_that_were_not_read(
    world: World, update_golden: bool
) -> None:
    review = ReviewWorld(world)
    furnish(review)
    world.comment(
        review.space, "Why \x1b]0;owned\x07\u202enot ten?", change_request=review.request,
        page=review.page("webhooks/signatures"), by=review.lee,
    )  # fmt: skip
    for size in ((80, 24), (140, 40)):
        async with drive(review.app(), "]", "g g", "}", "Y", size=size) as driver:
            driver.golden("review-copy", update=update_golden)
            await driver.type("thread")
            await driver.press("enter")
            assert "Copied thread, " in driver.screen
            said = driver.app.clipboard
            assert said.startswith(
                "On Webhooks / Retries:\n\n> We retry eight times over 24 hours."
            )
            assert "Is it 24 hours from the **first** attempt?\n\n**Lee Park**, " in said
            assert said.index("From the first. I will say so.") < said.index("Thanks.")
    async with drive(review.app(), "]", "]", "tab", "Y", "enter") as driver:
        assert "\x1b" not in driver.app.clipboard
        assert "\u202e" not in driver.app.clipboard
        assert "not ten?" in driver.app.clipboard
    async with drive(
        open_world(world, "inbox", user=review.lee), "Y", "enter", size=(140, 40)
    ) as driver:
        assert driver.app.clipboard.startswith("On ")
        assert "**Ana Silva**, 2026-03-02 09:00 UTC:" in driver.app.clipboard


async def test_a_hunk_is_copied_as_a_diff_and_a_table_as_markdown(world: World) -> None:
    review = changed(world, BEFORE, AFTER)
    async with drive(review.app(), "/", size=(140, 40)) as driver:
        await driver.type("1 to")
        await driver.press("enter", "Y")
        await driver.type("hunk")
        await driver.press("enter")
        assert driver.app.clipboard.startswith("--- a/webhooks.md\n+++ b/webhooks.md\n@@ ")
        assert "-| attempt | int | 1 to 5 |\n+| attempt | int | 1 to 8 |\n" in driver.app.clipboard
        await driver.press("Y")
        await driver.type("table")
        await driver.press("enter")
        assert driver.app.clipboard == (
            "| Field | Type | Meaning |\n| --- | --- | --- |\n| attempt | int | 1 to 8 |\n"
            "| next_at | date | time of the next attempt |\n"
        )
        await driver.press("G", "Y")
        assert "hunk" in driver.screen
        assert "as Markdown" not in driver.screen
