"""The pages of a change request as one scroll: over their ends and back."""

from __future__ import annotations

from copydesk.session.names import first_words
from copydesk.tui.review.screen import ReviewPlace
from tests.drive import Driver, drive
from tests.tui.review_world import ReviewWorld, furnish
from tests.world import World

PAGES = 7

BAR = " ▁▂▃▄▅▆▇█"


def scroll(world: World, lines: int) -> ReviewWorld:
    """Return a review of pages of so many lines, of which the second and the last change."""
    names = [f"page{number}" for number in range(1, PAGES + 1)]
    texts = {name: [f"{name} line {at}." for at in range(1, lines + 1)] for name in names}
    was = {name: "\n\n".join(said) for name, said in texts.items()}
    for said in texts.values():
        said[1] += " More."
        said[-1] += " Done."
    review = ReviewWorld.__new__(ReviewWorld)
    review.world, review.lee = world, world.ana
    review.space = world.space("Manual", was)
    now = {name: "\n\n".join(said) for name, said in texts.items()}
    review.request = world.change_request(review.space, now)
    return review


def place(driver: Driver) -> ReviewPlace:
    here = driver.place
    assert isinstance(here, ReviewPlace)
    return here


def cursor(driver: Driver) -> str:
    """Return the line of the screen with the cursor of the diff."""
    line = next(line for line in driver.screen.splitlines() if "┃>" in line)
    return line.split("┃>")[1].split("┃")[0].rstrip(BAR)


def shown(driver: Driver) -> list[str]:
    """Return what the diff shows, without its frame, its cursor and its scroll bar."""
    lines = [line for line in driver.screen.splitlines() if line.count("┃") >= 2]
    # The line above a page is one cell shorter from the moment that there is a scroll bar.
    return [line.split("┃")[1].replace(">", " ", 1).rstrip(f"{BAR}─") for line in lines]


def follows(before: list[str], after: list[str], *, down: bool) -> bool:
    """Whether a view was moved as a whole: what is in both stands in the same order, unbroken."""
    first, then = (before, after) if down else (after, before)
    first, then = ("\n".join(each).rstrip().split("\n") for each in (first, then))
    return any(
        first[step:] == then[: len(first) - step] for step in range(len(first) - len(first) // 3)
    )


async def test_the_cursor_goes_over_the_ends_of_pages_and_nothing_jumps(
    world: World, update_golden: bool
) -> None:
    review = scroll(world, 3)
    for size in ((80, 24), (140, 40)):
        async with drive(review.app(), "2", size=size) as driver:
            seen = [cursor(driver)]
            for _ in range(60):
                before = shown(driver)
                await driver.press("j")
                assert follows(before, shown(driver), down=True)
                seen.append(cursor(driver))
                if "page4 line 1." in seen[-1]:
                    break
            driver.golden("review-scroll", update=update_golden)
            assert "── 4/7 ~ Page4 ──" in driver.screen
            assert "┏━ 4/7 ~ Page4" in driver.screen
            assert place(driver).model.page_id == review.page("page4")
            there = list(seen)
            while "page1 line 2." not in cursor(driver):
                before = shown(driver)
                await driver.press("k")
                assert follows(before, shown(driver), down=False)
                assert cursor(driver) in there, "every line that was passed comes again"
            assert "1/7 ~ Page1" in driver.screen


async def test_whole_screens_and_changes_go_over_the_ends_too(world: World) -> None:
    review = scroll(world, 3)
    async with drive(review.app(), "2", size=(80, 24)) as driver:
        for number in range(1, PAGES + 1):
            assert f"page{number} line 2." in cursor(driver)
            await driver.press("J")
            assert f"page{number} line 3." in cursor(driver)
            await driver.press("J")
        assert "No further change on this page. space marks it read." in driver.screen
        for number in range(PAGES, 0, -1):
            assert f"page{number} line 3." in cursor(driver)
            await driver.press("K")
            assert f"page{number} line 2." in cursor(driver)
            await driver.press("K")
        assert "No earlier change on this page." in driver.screen
        for _ in range(40):
            await driver.press("ctrl+d")
        assert "page7 line 3." in cursor(driver)
        held = place(driver).diff
        assert held.rows < 60, "what is far from the cursor is not held"
        for _ in range(40):
            await driver.press("ctrl+u")
        assert "page1 line 1." in cursor(driver)
        assert place(driver).model.page_id == review.page("page1")


async def test_what_is_done_after_an_end_is_about_the_page_of_the_cursor(world: World) -> None:
    review = ReviewWorld(world)
    furnish(review)
    async with drive(review.app(), "2", size=(140, 40)) as driver:
        here = place(driver)
        order = [change.id for change in here.model.shown]
        visited = [here.model.page_id]
        for _ in range(200):
            await driver.press("j")
            if here.model.page_id != visited[-1]:
                visited.append(here.model.page_id)
                title = f"{len(visited)}/6 "
                assert f"┏━ {title}" in driver.screen
                assert here.diff.page is here.model.text
            if len(visited) == len(order):
                break
        assert visited == order, "also pages of which only the title or the place changed"
        await driver.press("k", "k")
        before = here.model.page_id, cursor(driver)
        await driver.press("R")
        assert (here.model.page_id, cursor(driver)) == before
        while here.model.page_id != review.page("webhooks/signatures"):
            await driver.press("k")
        await driver.press("c")
        await driver.type("Which one?")
        await driver.press("ctrl+s")
        said = {first_words(thread.comment, 40): thread.page for thread in here.model.threads}
        assert said["Which one?"] == review.page("webhooks/signatures")
        assert "Which one?" in driver.screen
        while here.model.page_id != review.page("webhooks/retries"):
            await driver.press("k")
        assert "Link it, please." in driver.screen, "its threads stand beside it"
        await driver.press("g g", "z R", "|", "j", "k", "|", "#", "J", "v", "j", "escape", "space")
        assert here.model.seen_state(review.page("webhooks/retries")) == "seen"


async def test_a_click_and_a_search_go_to_pages_that_are_held(world: World) -> None:
    review = scroll(world, 3)
    async with drive(review.app(), "2", size=(140, 40)) as driver:
        here = place(driver)
        while here.model.page_id != review.page("page3"):
            await driver.press("j")
        lines = driver.screen.splitlines()
        y = next(at for at, line in enumerate(lines) if "page1 line 3.{+" in line)
        await driver.pilot.click(offset=(60, y))
        await driver.idle()
        assert here.model.page_id == review.page("page1")
        assert "page1 line 3." in cursor(driver)
        await driver.press("/")
        await driver.type("page3 line 3")
        await driver.press("enter")
        assert "page3 line 3." in cursor(driver)
        assert here.model.page_id == review.page("page3")
        await driver.press("escape", "g g")
        assert "page3 line 1." in cursor(driver)
        await driver.press("G")
        assert "page3 line 3." in cursor(driver)


async def test_a_page_that_is_not_read_is_read_when_its_beginning_is_passed(world: World) -> None:
    review = scroll(world, 3)
    async with drive(review.app(), "2", "G", size=(80, 24)) as driver:
        here = place(driver)
        here.model.texts.clear()  # as where a page is long, or many were read since
        await driver.press("j", "G")
        assert "page2 line 3." in cursor(driver)
        here.model.texts.clear()
        await driver.press("J")
        assert "page3 line 2." in cursor(driver)
        here.model.texts.clear()
        await driver.press("k", "k", "k")
        assert "page2 line 3." in cursor(driver), "it stays where it came to"
        assert here.model.text is not None
        assert "┏━ 2/7 ~ Page2" in driver.screen


async def test_a_search_goes_on_in_pages_that_are_not_read_yet(world: World) -> None:
    review = scroll(world, 3)
    async with drive(review.app(), "2", size=(140, 40)) as driver:
        here = place(driver)
        await driver.press("/")
        await driver.type("line 3")
        await driver.press("enter")
        fronts = []
        for _ in range(2 * PAGES):  # as it was and as it is
            assert "line 3." in cursor(driver)
            fronts.append(here.model.page_at)
            await driver.press("n")
        assert fronts == [at for at in range(PAGES) for _ in range(2)], "each page, in order"
        assert here.model.page_at == 0
        assert "The search went on from the top." in driver.screen
        await driver.press("N")
        assert here.model.page_at == PAGES - 1
        assert "The search went on from the end." in driver.screen


async def test_what_is_on_no_page_is_said_to_be_on_none(world: World) -> None:
    review = scroll(world, 3)
    async with drive(review.app(), "2", size=(80, 24)) as driver:
        here = place(driver)
        await driver.press("/")
        await driver.type("page6 line 2")
        assert "No match." in driver.screen, "on the page in front"
        await driver.press("enter")
        assert here.model.page_id == review.page("page6"), "Enter looks at the others"
        assert "page6 line 2." in cursor(driver)
        assert "No match" not in driver.screen
        await driver.press("escape", "/")
        await driver.type("nowhere at all")
        await driver.press("enter")
        assert f"No match in {PAGES} changed pages." in driver.screen
        assert here.model.page_id == review.page("page6")


async def test_without_threads_a_small_screen_is_for_the_text(world: World) -> None:
    review = scroll(world, 3)
    app = review.app()
    async with drive(app, "2", size=(80, 24)) as driver:
        app.session.recall_seconds = 0
        room = len(shown(driver))
        assert room >= 14
        await driver.press("c")
        await driver.type("Why?")
        await driver.press("ctrl+s")
        assert "Threads 1" in driver.screen
        assert len(shown(driver)) < room, "there is one to read beside it"
