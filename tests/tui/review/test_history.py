"""The history of a space and of a page, and two revisions compared, by keyboard on a real desk."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import httpx
import pytest

from copydesk.client import api as client_api
from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.present.blame import ONLY, author_label, initials
from copydesk.server.desk_writes import Editor
from copydesk.session.reads.history import MINE, read_blame, read_revisions
from copydesk.session.target import Target
from copydesk.tui.review.comparison import ComparisonPlace
from copydesk.tui.review.history import BlamePlace, HistoryPlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World

HOSTILE = "Bank\x1b[2J‮ [bold]film 🦊"


class Past:
    """A space with a past: an edit, a merged change request with hostile names, and another."""

    def __init__(self, world: World) -> None:
        self.world = world
        pages = {"start": "# Start\n\nOne.\n\nTwo.\n", "guide": "# Guide\n\nFirst steps.\n"}
        self.space = world.space("Manual", pages, author=world.ana)
        lee = world.user("lee", display_name=f"Lee {HOSTILE}")
        self.request = world.change_request(
            self.space, {"start": "# Start\n\nOne!\n\nTwo.\n"}, subject=HOSTILE, by=lee
        )

        def include(editor: Editor) -> None:
            editor.file(".gitbook/includes/note.md", b"---\ntitle: Note\n---\nN.\n", kind="source")
            editor.page(HOSTILE, f"# It\n\n{HOSTILE}\n")

        world.commit(self.space, edit=include, by=lee)
        self.target = Target(world.home, self.space)

    async def merge(self) -> None:
        async with self.world.client() as client:
            at = f"/spaces/{self.space}/change-requests/1"
            assert (await client.post(f"{at}/merge")).json()["result"] == "merge"
        self.world.commit(self.space, {"guide": "# Guide\n\nFirst and last steps.\n"})


@pytest.fixture
async def past(world: World) -> Past:
    made = Past(world)
    await made.merge()
    return made


async def test_the_history_of_a_space_says_who_when_and_what(
    past: Past, update_golden: bool
) -> None:
    async with drive(open_world(past.world, "spaces"), "G", "g h", size=(140, 40)) as driver:
        assert driver.place.PLACE == "history"
        driver.golden("history", update=update_golden)
        await driver.resize(80, 24)
        await driver.press("j")
        driver.golden("history", update=update_golden)
        await driver.press("g j")
        assert "get_revision" in driver.screen
        await driver.press("escape", "enter")
        assert driver.place.PLACE == "comparison"
        driver.golden("comparison", update=update_golden)
        await driver.press("enter")
        assert "- One" in driver.screen
        assert "+ One" in driver.screen
        await driver.press("g j")
        assert "get_revision_page" in driver.screen
        await driver.press("escape", "q", "G", "enter")
        assert "2 added" in driver.screen, "the first revision made everything"


async def test_a_page_that_changed_long_ago_is_looked_for_on_request(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_api, "EMPTY_PAGES", 2)
    past = Past(world)
    for number in range(35):
        world.commit(past.space, {"start": f"# Start\n\nEdit {number}.\n"})
    async with past.world.api() as api:
        page = next(
            each.id for each in (await api(ops.list_space_pages, past.space)).pages
            if each.title == "Guide"
        )  # fmt: skip
    app = open_world(past.world, "history", replace(past.target, page=page))
    async with drive(app, size=(140, 40)) as driver:
        for _ in range(2):
            assert "Enter looks further." in driver.screen
            await driver.press("G", "enter")
        assert "looks further" not in driver.screen
        assert "Start and 1 more" in driver.line("┃>")


async def test_how_many_pages_changed_is_told_where_the_title_has_no_room(world: World) -> None:
    past = Past(world)
    titles = [f"a-page-with-a-title-that-is-far-too-long-{each}" for each in "abc"]
    world.commit(past.space, dict.fromkeys(titles, "# A\n"))
    async with drive(open_world(past.world, "history", past.target), size=(120, 24)) as driver:
        assert re.search("A page wi.*….*2 more", driver.line("┃>")), driver.screen


async def test_two_revisions_are_chosen_and_compared(past: Past, update_golden: bool) -> None:
    app = open_world(past.world, "history", past.target)
    async with drive(app, "space", size=(140, 40)) as driver:
        assert "1 revision chosen: space chooses another, = compares them" in driver.screen
        await driver.press("G", "space", "k", "space")
        assert "Two revisions are chosen already." in driver.screen
        await driver.press("=")
        assert driver.place.PLACE == "comparison"
        driver.golden("comparison", update=update_golden)
        await driver.press("j", "j")
        assert "New page." in driver.screen
        await driver.press("G")
        assert "+ N." in driver.screen, "a reusable content has its text"
        await driver.press("q")
        assert "2 revisions chosen: = compares them" in driver.screen
        # Without a choice: what the space has now.
        await driver.press("g", "g", "space", "G", "space", "j", "=")
        assert "Start" in driver.screen


async def test_a_chosen_revision_is_compared_that_the_list_holds_no_more(past: Past) -> None:
    async with drive(open_world(past.world, "history", past.target), size=(100, 24)) as driver:
        place = driver.place
        assert isinstance(place, HistoryPlace)
        assert place.item is not None
        older = replace(place.item, id="older", at=None)
        place.rows.set_marks({"older", place.item.id}, {"older": older})
        newest = place.item.id
        await driver.press("=")
        assert driver.place.PLACE == "comparison"
        assert (driver.place.target.item, driver.place.target.revision) == ("older", newest)


async def test_the_next_change_brings_the_lines_into_sight(past: Past) -> None:
    async with drive(open_world(past.world, "history", past.target)) as driver:
        await driver.press("space", "j", "space", "=")
        place = driver.place
        assert isinstance(place, ComparisonPlace)
        focused = [driver.app.focused]
        await driver.press("J")
        focused.append(driver.app.focused)
        assert focused == [place.rows, place.diff]
        assert "No later change" not in driver.screen, "it was out of sight"
        await driver.press(*"JJJJ")
        assert "No later change on this page." in driver.screen


async def test_a_page_has_a_history_of_its_own(past: Past) -> None:
    guide = past.world.page_id(past.space, "guide")
    app = open_world(past.world, "pages", past.target.but(page=guide))
    async with drive(app, "g h", size=(140, 40)) as driver:
        assert driver.place.PLACE == "history"
        assert "This page" in driver.screen
        assert "#1" not in driver.screen, "it did not change the guide"
        await driver.press("enter")
        assert "and last" in driver.screen, driver.screen
        await driver.press("q", "]")
        assert "#1" in driver.screen


async def test_of_two_chosen_revisions_of_a_page_it_says_where_that_is_the_same(
    past: Past,
) -> None:
    guide, start = (past.world.page_id(past.space, each) for each in ("guide", "start"))
    past.world.commit(past.space, {"start": "# Start\n\nFour.\n"})
    past.world.commit(past.space, {"guide": "# Guide\n\nFirst steps.\n"})
    target = past.target.but(page=guide)
    async with drive(open_world(past.world, "history", target), size=(140, 40)) as driver:
        place = driver.place
        assert isinstance(place, HistoryPlace)
        await driver.press("space", "G", "space", "=")
        assert "Guide is the same in both." in driver.screen
        assert isinstance(driver.place, ComparisonPlace)
        assert driver.place.rows.selected_id == start
        # The first revision differs on it from the one before the last.
        await driver.press("q", "g g", "space", "j", "space", "=")
        assert driver.place.rows.selected_id == guide
        assert "the same in both" not in driver.screen
        # Of the whole space no page is asked for.
        await driver.press("q", "]", "g g", "j", "space", "j", "space", "=")
        assert driver.place.PLACE == "comparison"
        assert "the same in both" not in driver.screen


async def test_without_revisions_or_a_space_it_says_so(past: Past, world: World) -> None:
    transport = Faults(world, bare=True)
    api = Api(BASE_URL, world.token(world.ana), transport=transport)
    async with drive(open_world(world, "history", past.target, api=api)) as driver:
        assert "This service has no older versions." in driver.screen
        assert "tries again" not in driver.screen
    target = past.target.but(item="none", revision="none")
    async with drive(open_world(world, "comparison", target)) as driver:
        assert "This service has no older versions." in driver.screen
    async with drive(open_world(world, "comparison", past.target)) as driver:
        assert "No revisions are chosen." in driver.screen
    same = world.row("space", past.space)["revision_id"]
    target = past.target.but(item=same, revision=same)
    async with drive(open_world(world, "comparison", target)) as driver:
        assert "Nothing differs" in driver.screen


async def test_blame_says_of_nobody_what_is_older_than_the_service_keeps(
    past: Past, world: World
) -> None:
    page = past.world.page_id(past.space, "start")
    gone: list[str] = []

    class Forgetting(Faults):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if any(f"/revisions/{key}" in request.url.path for key in gone):
                return httpx.Response(404, json={"error": {"code": 404, "message": "Not found"}})
            return await super().handle_async_request(request)

    async with Api(BASE_URL, world.token(world.ana), transport=Forgetting(world)) as api:
        _, merge, *older = (await read_revisions(api, past.space, None, 10)).items
        assert merge.number == 1
        told = [row.revision is None for row in await read_blame(api, past.space, page)]
        gone += [row.id for row in older]
        rows = await read_blame(api, past.space, page)
    assert not any(told)
    assert [row.revision for row in rows] == [None] * len(told)


async def test_blame_says_which_request_brought_each_block(past: Past, update_golden: bool) -> None:
    page = past.world.page_id(past.space, "start")
    target = replace(past.target, page=page)
    app = open_world(past.world, "history", target)
    async with drive(app, "b", size=(140, 40)) as driver:
        assert driver.place.PLACE == "blame"
        assert "\x1b" not in driver.screen
        assert "#1" in driver.line("One!")
        assert "#1" not in driver.line("Two.")
        driver.golden("blame", update=update_golden)
        await driver.press("j")
        await driver.resize(80, 24)
        driver.golden("blame", update=update_golden)
        await driver.press("enter")
        assert driver.place.PLACE == "review"
        assert driver.place.target.change_request == past.request
        await driver.press("q", "j", "enter")
        assert driver.place.PLACE == "comparison"
        await driver.press("q", "q", "]", "b")
        assert driver.place.PLACE == "blame"
    async with drive(open_world(past.world, "history", past.target)) as driver:
        await driver.press("b")
        assert driver.place.PLACE == "history"
        assert "Blocks are those of a page" in driver.screen


def block(driver: Driver) -> str:
    """Return the block under the cursor."""
    assert isinstance(driver.place, BlamePlace)
    assert driver.place.item is not None
    return driver.place.item.text


async def test_blame_goes_back_to_who_wrote_it_before_that(past: Past, update_golden: bool) -> None:
    past.world.commit(past.space, {"start": "# Start\n\nNew.\n\nOne?\n\nTwo.\n"})
    page = past.world.page_id(past.space, "start")
    app = open_world(past.world, "blame", replace(past.target, page=page))
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("j", "j", "g", "r")
        assert driver.place.PLACE == "blame"
        assert "No change request brought it" in driver.screen
        await driver.press("comma")
        assert block(driver) == "One!"
        assert "as it was before; - goes back" in driver.screen
        driver.golden("blame-before", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("blame-before", update=update_golden)
        await driver.press("comma")
        assert block(driver) == "One."
        await driver.press("comma")
        assert block(driver) == "One."
        assert "No one wrote it before" in driver.screen
        await driver.press("-")
        assert block(driver) == "One!"
        await driver.press("g", "r")
        assert driver.place.target.change_request == past.request
        await driver.press("q", "q")
        assert block(driver) == "One?"


async def test_the_first_revision_of_an_import_brought_nothing(
    world: World, update_golden: bool
) -> None:
    """It stands for all before it: its author wrote another page, and only that is known."""
    texts = {"start": "# Start\n\nOne.\n\nTwo.\n", "guide": "# Guide\n\nFirst steps.\n"}
    commit = {"oid": "a1", "message": "Mend a link of the guide"}
    space = world.space("Manual", texts, author=world.ana, git=commit)
    lee = world.user("lee", display_name="Lee")
    world.commit(space, {"start": "# Start\n\nOne!\n\nTwo.\n"}, by=lee)
    start, guide = (world.page_id(space, each) for each in texts)
    target = Target(world.home, space, page=start)
    async with drive(open_world(world, "history", target), size=(140, 40)) as driver:
        assert "Lee" in driver.screen
        assert "Ana" not in driver.screen
        assert "1 revision" in driver.screen
        await driver.press("b", "G")
        assert "Lee" in driver.line("One!")
        assert "older than what" in driver.line("# Start")
        driver.golden("blame-imported", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("blame-imported", update=update_golden)
        await driver.press("enter")
        assert driver.place.PLACE == "blame"
        assert "This block is older than what was imported (before 09:00)." in driver.screen
    async with drive(open_world(world, "history", target.but(page=guide))) as driver:
        assert "No revision that is kept changed this page." in driver.screen
        await driver.press("]")
        assert "Mend a link of the guide" in driver.screen, "in the space it is listed"
    async with drive(open_world(world, "pages", target.but(page=guide))) as driver:
        await driver.press("enter", "#")
        assert "Every block is older than what was read: :blame says from when." in driver.screen


async def test_beside_the_text_of_a_page_it_says_who_wrote_it(
    past: Past, update_golden: bool
) -> None:
    past.world.commit(
        past.space, {"start": "# Start\n\nOne!\n\nTwo.\n\nThree.\n"}, by=past.world.ana
    )
    for size in ((80, 24), (140, 40)):
        app = open_world(past.world, "pages", past.target)
        async with drive(app, "enter", "#", size=size) as driver:
            assert "#1" in driver.line("One!")
            assert "#1" not in driver.line("Two.")
            driver.golden("pages-authors", update=update_golden)
            await driver.press("#")
            assert "#1" not in driver.line("One!")
            await driver.press("#", "]")
            assert "older" not in driver.line("First and last")
            assert "#1" not in driver.line("First and last")


async def test_beside_a_change_it_says_who_wrote_what_stays_and_what_is_new(
    past: Past, update_golden: bool
) -> None:
    def edit(editor: Editor) -> None:
        editor.write(editor.find("start"), "# Start\n\nOne!\n\nTwo and a half.\n\nThree.\n")
        editor.page("Alone", "# Alone\n\nNew.\n", slug="alone")

    request = past.world.change_request(past.space, edit=edit, by=past.world.ana)
    page = past.world.page_id(past.space, "start")
    target = replace(past.target, change_request=request, page=page)
    for size in ((80, 24), (140, 40)):
        async with drive(open_world(past.world, "review", target), size=size) as driver:
            await driver.press("#", "z R")
            assert "#1" in driver.line("One!")
            assert "#2" in driver.line("{+")
            assert "#2" in driver.line("Three.")
            driver.golden("review-authors", update=update_golden)
            await driver.press("#")
            assert "#2" not in driver.line("Three.")
            await driver.press("#", "#")
            await driver.press("]")
            assert "#2" in driver.line("New.")
            assert ONLY in driver.screen
            assert "AS #2 " in driver.line("New.")
            await driver.resize(240, 40)
            assert "Ana Silva  #2 " in driver.line("New."), "there is room for both"


async def test_what_is_staged_is_mine_in_who_wrote_it(past: Past) -> None:
    page = past.world.page_id(past.space, "start")
    async with past.world.api() as api:
        shown = "# Start\n\nMine.\n\nOne!\n"
        rows = await read_blame(api, past.space, page, None, [(shown, MINE)])
    now = datetime(2026, 3, 2, tzinfo=UTC)
    told = {row.text: (row.line, author_label(row, now, 24)) for row in rows}
    assert told["Mine."] == (2, "mine, not sent          ")
    assert told["One!"][0] == 4
    assert "#1" in told["One!"][1]
    assert {len(label) for _, label in told.values()} == {24}
    assert author_label(replace(rows[0], revision=None), now, 9) == "older    "


def test_a_name_has_two_letters() -> None:
    assert list(map(initials, ("Ana Lima", "lee", "", "Ana (QA) Lima", "東京 太郎", "x"))) == [
        "AL", "le", "?", "AL", "東太", "x",
    ]  # fmt: skip


async def test_blame_reads_fifty_revisions_and_more_when_asked(world: World) -> None:
    past = Past(world)
    for number in range(55):
        world.commit(past.space, {"guide": f"# Guide\n\nEdit {number}.\n"})
    world.commit(past.space, {"start": "# Start\n\nOne.\n\nNew.\n"})
    target = replace(past.target, page=world.page_id(past.space, "start"))
    async with drive(open_world(world, "blame", target), size=(140, 40)) as driver:
        assert "older than" in driver.line("One.")
        assert "older" not in driver.line("New.")
        assert "from 50 revisions: + reads 50 more (100 calls of your " in driver.screen
        await driver.resize(80, 24)
        assert "+ reads 50 more (100 calls of your " in driver.screen
        assert "+ read 50 more" in driver.screen, "in the footer as well"
        await driver.press("+")
        assert "older" not in driver.line("One.")
        assert "+ reads" not in driver.screen
        await driver.press("+")
        assert "Every revision that tells of these blocks was read." in driver.screen
        await driver.press("R")
        assert "+ reads 50 more" in driver.screen, "it begins anew"
        await driver.press("g h")
        assert "revisions: at the end 10 more are read (20 calls of your " in driver.screen
