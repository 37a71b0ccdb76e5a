"""What others do while somebody reviews, and how the threads are numbered and walked."""

from __future__ import annotations

import re

from copydesk.server import threads
from copydesk.tui.review.screen import ReviewPlace
from tests.drive import Driver, drive
from tests.tui.review_world import RETRIES_NOW, Faults, ReviewWorld, furnish


async def poll(driver: Driver) -> None:
    """Let the place read again by itself."""
    driver.place.read_again(by_hand=False)
    await driver.idle()


def place(driver: Driver) -> ReviewPlace:
    here = driver.place
    assert isinstance(here, ReviewPlace)
    return here


async def test_what_others_write_waits_for_a_dot_and_nothing_moves(review: ReviewWorld) -> None:
    found = furnish(review)
    async with drive(review.app(), "]", "tab", "j", size=(140, 40)) as driver:
        await poll(driver)
        before = driver.screen
        assert "press ." not in before
        review.world.reply(found["hours"], "And from which attempt?", by=review.lee)
        review.thread("Deliveries are retried", "Always?", by=review.lee)
        await poll(driver)
        assert "2 new messages (press . to show them)" in driver.screen
        assert "● Threads 4" in driver.screen
        cursor = place(driver).discussion.beside.selected_id
        assert driver.screen.splitlines()[2:-2] == before.splitlines()[2:-2], "nothing moved"
        await poll(driver)
        assert "2 new messages" in driver.screen
        await driver.press(".")
        assert "Always?" in driver.screen
        assert "And from which attempt?" in driver.screen
        assert driver.screen.count("● new") == 3, "two messages and what the sign means"
        assert place(driver).discussion.beside.selected_id == cursor
        assert "press ." not in driver.screen
        assert " Threads 5" in driver.screen
        assert "● Threads" not in driver.screen
        await driver.press(".")
        assert "Nothing new waits." in driver.screen


async def test_resolving_and_deleting_by_others_is_told(review: ReviewWorld) -> None:
    found = furnish(review)
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        world = review.world
        world.write(lambda tx: threads.resolve(tx, found["guide"], review.lee))
        world.write(lambda tx: threads.delete_comment(tx, found["gone"]))
        await poll(driver)
        assert "1 thread changed, 1 thread gone (press . to show them)" in driver.screen
        await driver.press(".")
        assert "A line that was there once." not in driver.screen
        assert "resolved by Lee Park" in driver.screen, driver.screen


async def test_what_i_write_before_the_dot_stays(review: ReviewWorld) -> None:
    found = furnish(review)
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        review.world.reply(found["guide"], "Here it is.", by=review.lee)
        await poll(driver)
        assert "1 new message (press . to show them)" in driver.screen
        await driver.press("c")
        await driver.type("My own word")
        await driver.press("ctrl+s", ".")
        assert "My own word" in driver.screen
        assert "Here it is." in driver.screen
        assert "● new" in driver.screen


async def test_my_own_writes_are_no_news(review: ReviewWorld) -> None:
    furnish(review)
    async with drive(review.app(), "]", "r", size=(140, 40)) as driver:
        await driver.type("Mine")
        await driver.press("ctrl+s", "x")
        await poll(driver)
        assert "press ." not in driver.screen


async def test_a_seen_mark_follows_what_others_edit(review: ReviewWorld) -> None:
    app = review.app()
    async with drive(app, "]", "space", size=(140, 40)) as driver:
        assert "✓" in driver.line("~ Retries ")
        review.world.edit_change_request(
            review.request, {"webhooks/retries": RETRIES_NOW.replace("eight", "nine")}
        )
        await poll(driver)
        assert "●" in driver.line("~ Retries ")
        await driver.press("[")
        assert "#1 changed (press . to show them)" in driver.screen
        assert "eight" in driver.screen, "what is read is what was read"
        await driver.press("space")
        assert "●" in driver.line("~ Retries "), "another text than this was marked"
        await driver.press(".", "[")
        assert "{+nine+}" in driver.screen
        assert "●" in driver.line("~ Retries ")
        await driver.press("space")
        assert "✓" in driver.line("~ Retries ")


async def test_marks_of_last_time_are_compared_when_it_opens(review: ReviewWorld) -> None:
    before = review.app()
    async with drive(before, "space", "space", "space", size=(140, 40)) as driver:
        assert "Dead letters" in driver.line("┏━")
    review.world.edit_change_request(
        review.request, {"webhooks/retries": RETRIES_NOW.replace("eight", "nine")}
    )
    app = review.app(view="overview")
    app.session.seen = before.session.seen
    async with drive(app, size=(140, 40)) as driver:
        assert "●" in driver.line("~ Retries ")
        assert "✓" in driver.line("~ Signatures")
        assert "“Retries” changed since you read it. = shows what is new." in driver.screen
        await driver.press("2")
        assert "Webhooks / Retries" in driver.line("┏━"), "it comes before those never seen"


async def test_numbers_rise_on_the_way_through_the_threads(review: ReviewWorld) -> None:
    world = review.world
    space, request = review.space, review.request
    page = review.page("webhooks/signatures")
    world.comment(space, "On the page", page=page, change_request=request)
    review.thread("Event delivery", "The last line.")
    review.thread("24 hours", "An early line.", by=review.lee)
    world.comment(space, "On all of it", change_request=request)
    async with drive(review.app(), "}", size=(140, 40)) as driver:
        visited = []
        for _ in range(5):
            thread = place(driver).current_thread()
            assert thread is not None
            visited.append(thread.label)
            await driver.press("}")
        assert visited == ["[2]", "[3]", "[4]", "[1]", "[2]"]
        await driver.press("3")
        shown = [f"[{n}]" for n in range(1, 5)]
        at = [driver.screen.index(label) for label in shown]
        assert at == sorted(at)


async def test_the_footer_of_threads_leads_with_their_keys(review: ReviewWorld) -> None:
    furnish(review)
    async with drive(review.app(), "3", size=(80, 24)) as driver:
        foot = driver.screen.splitlines()[-1]
        for keys in ("r reply", "x resolve", "c comment", "} next open thread", "? help"):
            assert keys in foot, foot
        assert "J next" not in foot
        await driver.press("1")
        foot = driver.screen.splitlines()[-1]
        assert foot.startswith(" a approve  m merge"), foot
    async with drive(review.app(), "]", "tab", size=(80, 24)) as driver:
        foot = driver.screen.splitlines()[-1]
        assert "r reply" in foot
        assert "J next" not in foot


async def test_a_narrow_terminal_names_the_tab_before_the_state(review: ReviewWorld) -> None:
    async with drive(review.app(), size=(52, 20)) as driver:
        tabs = driver.screen.splitlines()[1]
        assert "[Changes 6]" in tabs
        assert tabs.endswith("read 0/6")
        assert "READY" not in tabs


async def test_signs_are_told_beside_the_tree_and_in_the_help(review: ReviewWorld) -> None:
    async with drive(review.app(), "tab", "tab", size=(140, 40)) as driver:
        if driver.place.pane is not place(driver).page_tree:
            place(driver).page_tree.focus()
            await driver.idle()
        assert "✓ read   ● changed since you read it   ~ edited" in driver.screen
        await driver.press("?")
        await driver.type("sign changed since")
        assert re.search("● +sign +changed since you read it", driver.screen)


async def test_a_write_out_of_reach_says_offline(review: ReviewWorld) -> None:
    faults = Faults(review.world)
    async with drive(review.app(faults=faults), "C", size=(100, 24)) as driver:
        await driver.type("In short")
        faults.gone = True
        await driver.press("ctrl+s")
        assert "offline" in driver.screen.splitlines()[0]
        assert "outbox 1" in driver.screen.splitlines()[0]
        assert "Waits in the outbox (g x)" in driver.screen
        assert [entry.text for entry in driver.app.session.outbox.items.values()] == ["In short"]
        assert not driver.app.session.drafts.texts(), "what waits is not a draft beside it"
