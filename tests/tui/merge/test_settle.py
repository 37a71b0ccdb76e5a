"""Settling conflicts of a change request with main, as a person does, at both sizes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.local.runs import Settlings
from copydesk.local.state import State
from copydesk.present.pictures import HALF
from copydesk.server.desk_writes import Editor
from copydesk.session.settlement import find_cut_off
from copydesk.session.target import Target
from tests.drive import Driver, drive, eventually
from tests.tui.arranging_world import Way
from tests.tui.opening import open_world, typed
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World

Write = Callable[[str], None]

RETRIES = "# Retries\n\nWe try again for three days.\n\n- red apples\n- green pears\n"
PAGES = {
    "retries": RETRIES,
    "limits": "# Limits\n\nNone.\n",
    "webhooks": "# Webhooks\n\nHooks.\n",
}


def picture(width: int, colour: str) -> bytes:
    """Return a picture, 12 pixels high."""
    data = BytesIO()
    Image.new("RGB", (width, 12), colour).save(data, "PNG")
    return data.getvalue()


@pytest.fixture
def two(world: World) -> str:
    """Make a request that conflicts with main in three pages, and return its space."""
    space = world.space("Handbook", PAGES)
    mine = RETRIES.replace("three", "five").replace("red", "ripe red")
    theirs = RETRIES.replace("three days", "three working days").replace("green", "ripe green")
    limits, hooks = "# Limits\n\nA lot.\n", "# Webhooks\n\nMany hooks.\n"
    world.change_request(
        space, {"retries": mine, "limits": limits, "webhooks": hooks}, subject="Retries"
    )
    world.commit(space, {"retries": theirs, "limits": None, "webhooks": hooks})
    return space


def at(space: str, view: str | None = None) -> Target:
    return Target(space=space, change_request="1", view=view)


def left_at(folder: Path) -> str:
    """Return what is in the file that the editor had; "" where that is gone."""
    file = Path((folder / "opened.name").read_text().strip())
    return file.read_text(encoding="utf-8") if file.exists() else ""


def left_by_a_kill(folder: Path, text: str) -> None:
    """Leave a text in the file that the editor had, which nobody else may read."""
    file = Path((folder / "opened.name").read_text().strip())
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text(text, encoding="utf-8")


async def text_of(world: World, space: str, path: str) -> str:
    page = world.page_id(space, path)
    async with world.client() as client:
        url = f"/spaces/{space}/content/page/{page}"
        found = await client.get(url, params={"format": "markdown"})
    return str(found.json()["markdown"])


async def test_conflicts_are_settled_and_the_merge_goes_on(
    world: World, two: str, update_golden: bool
) -> None:
    app = open_world(world, "review", at(two))
    async with drive(app, size=(140, 40), linear=True) as driver:
        await driver.press("m", "y")
        assert driver.place.PLACE == "settle"
        assert "2 open" in driver.screen
        assert "1 of 2" not in driver.screen
        driver.golden("settle-open", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("settle-open", update=update_golden)
        await driver.press("tab")
        assert "2  Main" in driver.screen
        await driver.press("ctrl+s")
        assert "2 hunks are open: J goes there." in driver.screen
        await driver.press("3")
        assert "Result: 3 both, this change request first" in driver.screen
        await driver.press("3")
        assert "Result: 3 both, main first" in driver.screen
        await driver.press("u")
        assert "this change request first" in driver.screen
        await driver.press("1", "J")
        assert "is it kept" in driver.screen
        await driver.press("e")
        assert "Not text: press 1, 2 or 0." in driver.screen
        await driver.press("3")
        assert "It has one value: 1, 2 or 0." in driver.screen
        driver.golden("settle-structure", update=update_golden)
        await driver.resize(140, 40)
        driver.golden("settle-structure", update=update_golden)
        await driver.press("1")
        assert "All is settled: ctrl+s sends it." in driver.screen
        await driver.press("K", "u")
        assert "2/2 Limits   1/1 is it kept   1 open" in driver.screen, "it goes where it took back"
        await driver.press("1", "K", "z R", "J", "J")
        assert "merged by itself" in driver.screen
        await driver.press("ctrl+s", "y")
        assert "Merge" in driver.screen
        await driver.press("y")
        assert "It is live now" in driver.screen
        await driver.press("escape")
        assert driver.place.PLACE == "review"
        assert driver.walk is not None
        assert "Result: 3 both, main first: We try again for three" in driver.walk.text
    assert await text_of(world, two, "retries") == (
        "# Retries\n\nWe try again for five days.\n\n- ripe red apples\n- ripe green pears\n"
    )
    assert await text_of(world, two, "limits") == "# Limits\n\nA lot.\n"


async def test_a_hunk_is_written_and_markers_are_not_left_in(
    world: World, two: str, editor: Write, tmp_path: Path
) -> None:
    app = open_world(world, "settle", at(two))
    store, staged = Settlings(State(), "d"), app.session.staged
    app.session.settlings = store
    async with drive(app, size=(80, 24)) as driver:
        editor("We try.\n<<<<<<< request\n")
        await driver.press("e")
        opened = (tmp_path / "opened").read_text()
        assert "<<<<<<< request\nWe try again for five days.\n|||||||" in opened
        assert "A marker is still in line 2: e edits it again." in driver.screen
        assert "2 open" in driver.screen
    left_by_a_kill(tmp_path, "We try")
    app = open_world(world, "settle", at(two))
    app.session.settlings, app.session.staged = store, staged
    async with drive(app, size=(80, 24)) as driver:
        editor("We try.\n")
        await driver.press("e")
        assert (tmp_path / "opened").read_text() == "We try"
        assert "Result: written here" in driver.screen
        assert left_at(tmp_path) == ""
        await driver.press("]", "2", ":")
        await driver.type("all 1")
        await driver.press("enter")
        assert "Result: 1 this change request" in driver.screen
        await driver.press("u")
        assert "Result: 2 main" in driver.screen
    app = open_world(world, "settle", at(two))
    app.session.settlings = store
    async with drive(app, size=(80, 24)) as driver:
        assert "0 open" in driver.screen
        await driver.press("ctrl+s", "y")
        assert "is settled: it has all of main. u restores its text." in driver.screen
        await driver.press("u")
        assert "Its text is as it was; the update stays." in driver.screen


async def test_what_stopped_goes_on_or_is_put_back(world: World, two: str) -> None:
    way = Way(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "settle", at(two), api=api)
    async with drive(app, "1", "J", "1", size=(80, 24)) as driver:
        await driver.press("r")
        assert "Nothing was sent that stopped on its way." in driver.screen
        way.trouble = {2: 500}
        await driver.press("ctrl+s", "y")
        said = " ".join(driver.screen.split())
        assert "when it was read again. r goes on, b puts the change request's pages back" in said
        await driver.press("b")
        assert "The pages of #1 are as they were; the choices stay." in driver.screen
        way.trouble = {5: 500}
        await driver.press("ctrl+s", "y")
        assert "0 open   stopped" in driver.screen
    store, again = app.session.settlings, open_world(world, "review", at(two), api=api)
    again.session.settlings = store
    async with drive(again, size=(80, 24)) as driver:
        said = "Settling #1 Retries stopped on its way: U in its review goes on."
        assert said in " ".join(driver.screen.split())
        for key in ("U", "m"):  # its pages are those of main now: it is not to be merged so
            await driver.press(key)
            assert driver.place.PLACE == "settle"
            assert "Stopped on its way: r goes on" in driver.screen
            await driver.press("escape")
        await driver.press("U", "r")
        assert "is settled" in driver.screen
        assert await find_cut_off(again.session) == ""


async def test_what_somebody_edits_meanwhile_is_left_and_read_again(world: World, two: str) -> None:
    way = Way(world)
    found = await world.api()(ops.get_change_request, two, "1")
    page = world.page_id(two, "retries", change_request=found.id)

    def lee(said: str) -> None:
        world.edit_change_request(found.id, edit=lambda editor: editor.write(page, said))

    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "settle", at(two), api=api)
    async with drive(app, "1", "J", "1", size=(80, 24)) as driver:
        lee("Lee's.\n")
        await driver.press("ctrl+s", "y")
        said = " ".join(driver.screen.split())
        assert "Stopped: Retries was edited meanwhile: R reads it; your choices stay." in said
        await driver.press("R")
        assert "Read again: your choices stay, 1 hunk open." in driver.screen
        await driver.press("K", "1")
        way.trouble = {2: 500}
        await driver.press("ctrl+s", "y")
        lee("Lee's second.\n")
        await driver.press("r")
        assert "Retries was edited meanwhile. b puts the others back." in driver.screen
        await driver.press("b")
        said = " ".join(driver.screen.split())
        assert "as they were, but for Retries, edited meanwhile: your choices stay" in said


async def test_no_line_ends_below_the_scroll_bar(world: World) -> None:
    last = "b" * 38
    lines = [f"{at:02} {'a' * 34} {last}" for at in range(30)]  # they end where the bar is
    space = world.space("Handbook", {"long": "One.\n"})
    world.change_request(space, {"long": "Two.\n"})
    world.commit(space, {"long": "\n".join(lines)})
    async with drive(open_world(world, "settle", at(space)), size=(80, 24)) as driver:
        assert last not in driver.screen
        await driver.press("2")
        assert "Result: 2 main" in driver.screen
        assert driver.screen.count(last) > 5, driver.screen


def titled(title: str, size: str) -> Callable[[Editor], None]:
    """Return an edit of two settings of a page: one with a text of its own, and a layout."""

    def edit(editor: Editor) -> None:
        editor.draft.edit(editor.find("limits"), title=title, layout={"coverSize": size})

    return edit


async def test_settings_that_both_changed_are_asked_one_by_one(
    world: World, update_golden: bool
) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, edit=titled("Limits of a key", "hero"), subject="Limits")
    world.commit(space, edit=titled("Rate limits", "background"))
    async with drive(open_world(world, "settle", at(space)), size=(140, 40)) as driver:
        assert "2 open" in driver.screen
        for name in ("settle-title", "settle-layout"):
            driver.golden(name, update=update_golden)
            await driver.resize(80, 24)
            driver.golden(name, update=update_golden)
            await driver.resize(140, 40)
            await driver.press("1", "J")
        await driver.press("ctrl+s", "y")
        assert "#1 is settled" in driver.screen


async def test_what_is_sent_can_be_recalled_at_first(world: World, two: str) -> None:
    app = open_world(world, "settle", at(two))
    async with drive(app, "1", "J", "1", "ctrl+s", size=(140, 40)) as driver:
        app.session.recall_seconds = 600
        await driver.send("y")
        await eventually(lambda: bool(app.session.writes.waits), driver.turn)
        await driver.settle()
        assert "settle conflicts of #1 Retries: sent in" in driver.screen
        for key in ("r", "2", "ctrl+s"):
            await driver.send(key)
            assert "It is being sent." in driver.screen
        await driver.send("u")
        await driver.idle()
        assert "Recalled: nothing was sent, the choices stay." in driver.screen
        assert "0 open   nothing sent" in driver.screen
        assert await find_cut_off(app.session) == ""
        app.session.recall_seconds = 0
        await driver.press("ctrl+s", "y")
        assert "#1 is settled" in driver.screen


async def test_what_is_sent_goes_on_where_the_screen_is_left(world: World, two: str) -> None:
    app = open_world(world, "review", at(two))
    async with drive(app, "U", "y", "1", "J", "1", "ctrl+s", size=(140, 40)) as driver:
        app.session.recall_seconds = 600
        await driver.send("y")
        await eventually(lambda: bool(app.session.writes.waits), driver.turn)
        assert "sending 1" in driver.screen
        await driver.send("q")
        await eventually(lambda: driver.place.PLACE == "review", driver.turn)
        await driver.send("U")
        await eventually(lambda: driver.place.PLACE == "settle", driver.turn)
        assert "r goes on" not in driver.screen, "it goes on by itself"
        app.session.recall_seconds = 0
        app.session.writes.waits[-1].over.set()
        await driver.idle()
        assert "#1 is settled: it has all of main." in driver.screen
    assert await find_cut_off(app.session) == ""


async def test_what_is_put_back_is_so_to_the_end_where_the_screen_is_left(
    world: World, two: str
) -> None:
    way = Way(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "review", at(two), api=api)
    async with drive(app, "U", "y", "1", "J", "1", size=(140, 40)) as driver:
        way.trouble = {len(way.writes) + 2: 500}
        await driver.press("ctrl+s", "y")
        assert "b puts the change request's pages back" in " ".join(driver.screen.split())
        way.hold, before = asyncio.Event(), len(way.writes)
        await driver.send("b")
        await eventually(lambda: len(way.writes) > before, driver.turn)
        await driver.send("q")
        await eventually(lambda: driver.place.PLACE == "review", driver.turn)
        way.hold.set()
        await driver.idle()
        assert "The pages of #1 are as they were; the choices stay." in driver.screen
    assert await find_cut_off(app.session) == ""


async def test_who_quits_stays_where_not_all_was_sent(world: World, two: str) -> None:
    way = Way(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "settle", at(two), api=api)
    async with drive(app, "1", "J", "1", "ctrl+s", size=(140, 40)) as driver:
        app.session.recall_seconds, way.trouble = 600, {2: 500}
        await driver.send("y")
        await eventually(lambda: bool(app.session.writes.waits), driver.turn)
        await driver.send("ctrl+q")
        await driver.idle()
        assert app.is_running
        assert "Stopped: " in driver.screen


async def test_who_may_not_edit_is_told(world: World, two: str) -> None:
    reader = world.user("rea", role="comment")
    async with drive(open_world(world, "settle", at(two), user=reader), "1") as driver:
        assert "You may review here, not edit: its author can settle it." in driver.screen


async def test_a_merge_is_taken_back_by_u_and_merged_again(
    world: World, update_golden: bool
) -> None:
    space = world.space("Handbook", PAGES)
    edits = {"retries": RETRIES.replace("three", "five"), "limits": None, "new": "# New\n\nIt.\n"}
    world.change_request(space, edits, subject="Retries")
    async with drive(open_world(world, "review", at(space)), size=(140, 40)) as driver:
        await driver.press("m", "y", "escape", "1")
        assert ":revert reverts the merge." in driver.screen
        await driver.press("u")
        driver.golden("revert-ask", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("revert-ask", update=update_golden)
        await driver.type("The numbers were wrong.")
        await driver.press("ctrl+s")
        assert "#2 Revert #1 Retries" in driver.screen
        await driver.resize(140, 40)
        await driver.press("1")
        assert "Reverts #1" in driver.screen
        told = world.write(
            lambda tx: tx.value("SELECT description FROM change_request WHERE number = 2")
        )
        assert "Why: The numbers were wrong." in told
        await driver.press("W", "m", "y", "escape")
        assert await text_of(world, space, "retries") == RETRIES
        assert await text_of(world, space, "limits") == PAGES["limits"]
        await driver.press(":")
        await driver.type("revert They were right.")
        await driver.press("enter")
        assert "Revert #2 Revert #1 Retries: why?" in driver.screen
        await driver.press("ctrl+s")
        assert "#3 Revert #2 Revert #1 Retries" in driver.screen


async def test_a_merge_is_reverted_also_after_something_else_was_sent(world: World) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, {"limits": "# Limits\n\nA lot.\n"}, subject="Limits")
    app = open_world(world, "review", at(space))
    app.session.recall_seconds = 0
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("m", "y", "escape")
        assert "u revert" in driver.screen.splitlines()[-1]
        assert ":revert" not in driver.screen
        await driver.press("c")
        await driver.type("It is live.")
        await driver.press("ctrl+s")
        assert "u revert" not in driver.screen
        assert ":revert reverts the merge." in driver.screen.splitlines()[1]
        await driver.press("m")
        assert "#1 is merged: :revert reverts the merge." in driver.screen
        await driver.press(":")
        await driver.type("revert It was wrong.")
        await driver.press("enter", "ctrl+s")
        assert "#2 Revert #1 Limits" in driver.screen
        assert ":revert" not in driver.screen


async def test_what_was_edited_since_a_merge_is_settled(world: World) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, {"limits": "# Limits\n\nA lot.\n"}, subject="Limits")
    async with drive(open_world(world, "review", at(space)), size=(80, 24)) as driver:
        await driver.press("m", "y", "escape")
        world.commit(space, {"limits": "# Limits\n\nA lot more.\n"})
        await driver.press(":")
        await driver.type("revert It was wrong.")
        await driver.press("enter")
        assert "Limits was edited since: you settle it next." in driver.screen
        await driver.press("ctrl+s")
        assert driver.place.PLACE == "settle"
        store = driver.app.session.settlings
    again = open_world(world, "review", Target(space=space, change_request="2"))
    again.session.settlings = store
    async with drive(again, size=(140, 40)) as driver:
        for key in ("m", "U"):
            assert "U settles what was" in driver.screen
            await driver.press(key)
            assert driver.place.PLACE == "settle"
            if key == "m":
                await driver.press("escape")
        await driver.press("1", "ctrl+s", "y")
        assert "#2 is settled" in driver.screen
        await driver.press("escape")
        assert "A lot more" in driver.screen
        await driver.press("W", "m", "y")
    assert await text_of(world, space, "limits") == PAGES["limits"]


async def test_words_typed_while_the_review_is_read_end_nothing(world: World) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, {"limits": "# Limits\n\nA lot.\n"}, subject="Limits")
    async with drive(open_world(world, "review", at(space)), size=(80, 24)) as driver:
        await driver.press("m", "y", "escape")
    way = Faults(world)
    way.slow = "GET"
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    again = open_world(world, "review", at(space), api=api)
    async with again.run_test(size=(80, 24)) as pilot:
        driver = Driver(again, pilot)
        await driver.turn()
        for word in ("archive", "commenters", "draft", "insert x", "page x", "send drafts"):
            await driver.send(":", *typed(word), "enter")
            assert "The change request is not read yet." in driver.screen, word
        await driver.send(":", *typed("revert No."), "enter")
        way.let.set()
        await eventually(lambda: "Revert #1 Limits: why?" in driver.screen, driver.turn)
        await driver.press("ctrl+s")
        assert "#2 Revert #1 Limits" in driver.screen


async def test_a_review_is_read_again_once_it_is_settled(world: World) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, {"retries": RETRIES.replace("three", "five")}, subject="Retries")
    world.commit(space, {"retries": RETRIES.replace("three", "seven")})
    async with drive(open_world(world, "review", at(space)), size=(140, 40)) as driver:
        assert "main has changed this page since" in driver.screen
        await driver.press("U")
        assert "Where both sides changed the same lines, you settle that next." in driver.screen
        await driver.press("y", "1", "ctrl+s", "y")
        assert "#1 is settled: it has all of main." in driver.screen
        assert "u restores" not in driver.screen, "its text is as it was"
        await driver.press("escape")
        assert "[-seven-]" in driver.screen
        assert "by others" not in driver.screen
        assert "main has changed this page since" not in driver.screen


async def test_undo_takes_back_a_merge_of_another_day(world: World) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, {"limits": "# Limits\n\nA lot.\n"}, subject="Limits")
    async with drive(open_world(world, "review", at(space)), size=(80, 24)) as driver:
        await driver.press("m", "y")
    async with drive(open_world(world, "review", at(space)), "u", size=(80, 24)) as driver:
        assert "Revert #1 Limits: why?" in driver.screen


def two_pictures(world: World) -> tuple[str, str]:
    """Make a request that changed the same picture as main; return its space and its id."""

    def put(width: int, colour: str) -> Callable[[Editor], None]:
        def edit(editor: Editor) -> None:
            editor.file("images/diagram.png", picture(width, colour))

        return edit

    space = world.space("Handbook", PAGES)
    world.commit(space, edit=put(30, "red"))
    request = world.change_request(space, edit=put(36, "blue"), subject="Diagram")
    world.commit(space, edit=put(24, "green"))
    return space, request


async def test_a_file_whose_sending_stopped_goes_on(world: World) -> None:
    space, _ = two_pictures(world)
    way = Way(world)
    way.trouble = {1: 500}
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "settle", at(space), api=api), size=(80, 24)) as driver:
        await driver.press("1", "ctrl+s", "y")
        assert "0 open   stopped" in driver.screen
        await driver.press("r")
        assert "#1 is settled" in " ".join(driver.screen.split())


async def test_a_picture_that_both_changed_is_taken_from_one_side(
    world: World, update_golden: bool
) -> None:
    space, request = two_pictures(world)
    app = open_world(world, "settle", at(space, "merge"))
    async with drive(app, size=(140, 40), draws=True) as driver:
        assert "36 x 12" in driver.screen
        assert HALF * 24 in driver.screen
        driver.golden("settle-file", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("settle-file", update=update_golden)
        for key in ("0", "3", "e"):
            await driver.press(key)
            assert "A file is that of one side: 1 or 2." in driver.screen
        await driver.press(":")
        await driver.type("all 0")
        await driver.press("enter")
        assert "A file is that of one side: 1 or 2." in driver.screen
        await driver.press("ctrl+s")
        assert "1 hunk is open: J goes there." in driver.screen
        await driver.press("enter")
        assert "this change request" in driver.screen
        await driver.press("escape", "1")
        assert "Result: 1 this change request" in driver.screen
        await driver.press("u")
        assert "1 open" in driver.screen
        await driver.press("2", "ctrl+s")
        assert "1 file as chosen here" in driver.screen
        assert "u does not bring back the other file" in driver.screen
        await driver.press("y")
    async with world.client() as client:
        url = f"/spaces/{space}/change-requests/{request}/content/files"
        [file] = (await client.get(url)).json()["items"]
    assert file["dimensions"]["width"] == 24


async def test_without_the_operation_a_picture_is_settled_in_the_app() -> None:
    world = World(edition="today")

    def put(size: int) -> Callable[[Editor], None]:
        def edit(editor: Editor) -> None:
            editor.file("diagram.png", b"x" * size)

        return edit

    space = world.space("Handbook", PAGES)
    world.commit(space, edit=put(5))
    world.change_request(space, edit=put(6), subject="Diagram")
    world.commit(space, edit=put(7))
    api = Api(BASE_URL, world.token(world.ana), transport=Way(world))
    app = open_world(world, "settle", at(space), api=api)
    async with drive(app, size=(80, 24)) as driver:
        assert "Both changed diagram.png. Settle it in the app (o)" in driver.screen
        await driver.press("ctrl+s")
        assert "Settle it in the app (o)" in driver.screen
