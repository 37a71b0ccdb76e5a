"""How a changed page reads: blocks, side by side, settings, what was seen, and very long pages."""

from __future__ import annotations

import asyncio

from copydesk.domain.page_text import PageText, page_text
from copydesk.present import diff
from copydesk.server.desk_writes import Editor
from copydesk.tui.review.diff import DiffView
from tests.drive import drive
from tests.tui.review_world import ReviewWorld
from tests.world import World

BEFORE = """# Webhooks

## Events

Each event has an id and a time. After the last attempt
the event goes to the dead letter queue.

A delivery that never succeeds is dropped. Nothing tells you that it was.

| Field | Type | Meaning |
|---|---|---|
| attempt | int | 1 to 5 |
| next_at | date | time of the next attempt |

## Order

Events of one object may arrive out of order.

Compare their times, and not the order in which they came to you.

```bash
curl -s https://api.example.com/v1/deliveries
curl -s https://api.example.com/v1/events
```

## Signing

Use the SHA-1 header.
"""

AFTER = """# Webhooks

## Events

Each event has an id and a time. After the
first attempt the event goes to the dead letter queue.

| Field | Type | Meaning |
|---|---|---|
| attempt | int | 1 to 8 |
| next_at | date | time of the next attempt |

## Order

Events of one object may arrive out of order.

Compare their times, and not the order
in which they came to you.

```bash
curl -s https://api.example.com/v2/deliveries
curl -s https://api.example.com/v1/events
```

## Signing

Use the SHA-256 header.

A delivery that never succeeds is dropped. Nothing tells you that it was.
"""


def changed(world: World, before: str, after: str) -> ReviewWorld:
    """Return a review of one page that said one thing and says another."""
    review = ReviewWorld.__new__(ReviewWorld)
    review.world, review.lee = world, world.ana
    review.space = world.space("Manual", {"webhooks": before})
    review.request = world.change_request(review.space, {"webhooks": after})
    return review


async def test_blocks_are_read_one_above_the_other_and_side_by_side(
    world: World, update_golden: bool
) -> None:
    review = changed(world, BEFORE, AFTER)
    async with drive(review.app(), size=(140, 40)) as driver:
        driver.golden("review-blocks", update=update_golden)
        for number in (2, 3, 4, 5, 6):
            await driver.press("J")
            assert f"change {number} of 6" in driver.screen
        assert "-- moved from “Events” (0 words changed)" in driver.screen
        await driver.press("J")
        assert "No further change on this page." in driver.screen
        await driver.press("|")
        driver.golden("review-sides", update=update_golden)
        assert "side by side   change 6 of 6" in driver.screen
        await driver.resize(80, 24)
        assert "side by side takes" in driver.screen
        await driver.resize(140, 40)
        assert "side by side   change 6 of 6" in driver.screen
        await driver.press("#")
        assert driver.line("## Signing")[1:].startswith("  10   ## Signing")
        await driver.press("K", "K", "K", "c")
        assert "| attempt | int | 1 to 8 |" in driver.screen
        await driver.type("Why eight?")
        await driver.press("ctrl+s")
        assert driver.line("{+8+}").rstrip("┃ ").endswith("[1]")
        await driver.press("|", "#")
        assert "~ Webhooks " in driver.line("+4 -4")
        assert driver.line("{+8+}").rstrip("┃╰╯│ ─").rstrip().count("[1]") == 1
    async with drive(review.app(), "|") as driver:
        assert "Side by side takes 104 cells, and here are 80" in driver.screen
        assert "change 1 of 6" in driver.screen


async def test_settings_of_a_page_are_compared_and_an_edit_after_seeing_it_is_said(
    world: World,
) -> None:
    review = changed(world, "# Setup\n\nOne two three.\n", "# Setup\n\nOne two\nthree.\n")

    def settings(editor: Editor) -> None:
        page = editor.find("webhooks")
        editor.draft.edit(page, icon="book", hidden=True, description="How to begin\x1b[2J.")
        editor.rename(page, "Hooks", "hooks")

    world.edit_change_request(review.request, edit=settings)
    async with drive(review.app(), "space", size=(140, 40)) as driver:
        assert "-- renamed: was “Webhooks”, now “Hooks”" in driver.screen
        assert "-- hidden: readers do not find it in the table of" in driver.screen
        assert "-- description: now “How to begin.”" in driver.screen
        assert "-- icon: now “book”" in driver.screen
        assert "-- The words are the same." in driver.screen
        assert "Edited after" not in driver.screen
        world.edit_change_request(review.request, {"hooks": "# Setup\n\nOne two four.\n"})
        await driver.press("R")
        assert "-- Edited after you marked it as read: = shows what" in driver.screen
        assert "●" in driver.line("~ Hooks      ")
        assert "One two [-three-]." in driver.screen
        await driver.press("=", "=", "space")
        assert "“Hooks” is read. a approves, m merges." in driver.screen
        assert "Edited after" not in driver.screen


async def test_a_very_long_paragraph_is_compared_later_and_what_is_folded_is_found(
    world: World,
) -> None:
    said = " ".join(f"word{n % 700}" for n in range(4_000)) + "\n\nBelow.\n" * 9 + "\nHidden one.\n"
    review = changed(world, said, said.replace("word7 ", "term7 ", 1))
    async with drive(review.app(), size=(140, 40)) as driver:
        assert "Hidden one." not in driver.screen
        assert "[-word7-]" in driver.screen
        assert "comparing words" not in driver.screen
        await driver.press("/")
        await driver.type("hidden o")
        await driver.press("enter")
        assert "┃>" in driver.line("Hidden one.")


async def test_a_page_of_a_megabyte_keeps_no_key_waiting() -> None:
    before = "\n\n".join(f"Part {n} says that **{n * 7}** deliveries fail." for n in range(9_000))
    after = before.replace("7** deliv", "7** of the deliv")
    turns = 0

    async def compare() -> PageText:
        return await asyncio.to_thread(page_text, before, after)

    task = asyncio.create_task(compare())
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    page = await task
    assert page.diff.added == page.diff.removed > 300
    assert turns > 3, "keys have their turn while it is compared"
    view = DiffView()
    view.show(page, {})
    for _ in range(20):
        view.step_change(1)
    drawn = [diff.draw_line(page.diff[at], 80) for at in page.diff.changes[:40]]
    assert len(drawn) == 40
