"""Texts that wait to be sent: listed, gone back to, discarded and brought back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.session.draft_keys import (
    NEW_REQUEST,
    about_key,
    form_key,
    form_text,
    review_key,
    row_key,
    source_key,
)
from copydesk.session.glyphs import glyphs
from copydesk.session.target import Target
from copydesk.tui.widgets.list import VirtualList
from tests.drive import drive, eventually
from tests.tui.opening import typed
from tests.tui.review_world import Faults, ReviewWorld, furnish
from tests.world import World


async def test_a_draft_is_gone_back_to_and_its_field_opens(review: ReviewWorld) -> None:
    app = review.app()
    async with drive(app, "]", "c", size=(140, 40)) as driver:
        await driver.type("Why not ten?")
        await driver.press("escape")
        assert "drafts 1" in driver.screen.splitlines()[0]
        await driver.press("g d")
        assert "Why not ten?" in driver.line("comment on a line: Retries, #1")
        await driver.press("enter")
        assert app.screen is not driver.place, "the field is open"
        assert "Comment on a line of" in driver.screen
        assert "We retry eight times" in driver.line(f" {glyphs().quote} ")
        await driver.press("ctrl+s")
        assert review.open_threads() == 1
        assert "drafts" not in driver.screen.splitlines()[0]
        await driver.press("g d")
        assert "No drafts. What you type" in driver.screen


async def test_a_draft_on_a_page_has_the_name_of_the_page(review: ReviewWorld) -> None:
    app = review.app()
    ids, page = (review.space, review.request), review.page("webhooks/retries")
    async with drive(app, size=(140, 24)) as driver:
        drafts = app.session.drafts
        drafts.save(source_key(review.space, NEW_REQUEST, page), "All of it")
        drafts.save(row_key(*ids, page), "{}")
        drafts.save(source_key(*ids, "gone"), "Of what is deleted")
        await driver.press("g d")
        assert "All of it" in driver.line("edit of a page: Retries in API reference")
        assert "settings of a page: Retries, #1 Webhook retries" in driver.screen
        assert "Of what is deleted" in driver.line("edit of a page: #1 Webhook retries")


async def test_drafts_are_named_by_few_reads(world: World) -> None:
    review = ReviewWorld(world)
    ids, page = (review.space, review.request), review.page("webhooks/retries")
    way = Unwilling(world)
    app = review.app(faults=way)
    async with drive(app, size=(140, 60)) as driver:
        drafts = app.session.drafts
        for name in (page, *map(str, range(MANY))):
            drafts.save(source_key(*ids, name), f"Of {name}")
        way.asked.clear()
        await driver.press("g d", "G")
        assert f"Of {page}" in driver.line("edit of a page: Retries, #1 Webhook retries")
        read = [path for path in way.asked if "/change-requests/" in path]
        assert len(read) == len(set(read)) == 2


async def test_what_is_refused_of_pages_leaves_their_drafts_the_name_of_the_request(
    world: World,
) -> None:
    review = ReviewWorld(world)
    ids, page = (review.space, review.request), review.page("webhooks/retries")
    way = Unwilling(world)
    app = review.app(faults=way)
    for status in (400, 403):
        way.refused = status
        async with drive(app, size=(140, 24)) as driver:
            app.session.drafts.save(source_key(*ids, page), "All of it")
            app.session.drafts.save(source_key(review.space, NEW_REQUEST, page), "Some of it")
            await driver.press("g d")
            assert "All of it" in driver.line("edit of a page: #1 Webhook retries")
            assert "Some of it" in driver.line("edit of a page: in API reference")
        app = review.app(faults=way)


MANY = 40
"""More drafts than are named at once."""


class Unwilling(Faults):
    """A desk that notes what is read, and refuses what tells of pages while ``refused`` is set."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.refused = 0
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked.append(path)
        if self.refused and ("/page" in path or path.endswith("/content")):
            body = {"error": {"code": self.refused, "message": "Not for you."}}
            return httpx.Response(self.refused, json=body)
        return await super().handle_async_request(request)


async def test_a_new_request_goes_on_with_its_subject(review: ReviewWorld) -> None:
    app = review.app()
    aim = Target(space=review.space)
    async with drive(app, size=(140, 24)) as driver:
        await app.go("changes", aim)
        await driver.idle()
        await driver.press("ctrl+n")
        await driver.type("Say which")
        await driver.press("escape", "g d")
        assert "Say which" in driver.line("new change request")
        await driver.press("enter")
        assert app.screen is not driver.place, "the field is open"
        assert "New change request in API reference" in driver.screen
        assert "Say which" in driver.screen
        await driver.press("enter")
        assert "Started #2 in “API reference” as a draft." in driver.screen
        assert app.session.drafts.texts() == {}


async def test_a_description_goes_on_where_its_request_is_not_shown(review: ReviewWorld) -> None:
    app = review.app()
    async with drive(app, size=(140, 24)) as driver:
        app.session.drafts.save(about_key(review.space, review.request), "Retries\n\nIn short.")
        await driver.press("g d")
        assert "#1 Webhook re" in driver.line("description: ")
        await driver.press("enter")
        assert "Edit #1" in driver.screen
        assert "In short." in driver.screen
        await driver.press("ctrl+s")
        row = review.world.row("change_request", review.request)
        assert row["subject"] == "Retries"
        assert app.session.drafts.texts() == {}


async def test_a_reply_goes_on_in_its_thread(review: ReviewWorld) -> None:
    furnish(review)
    async with drive(review.app(), "]", "r", size=(140, 40)) as driver:
        await driver.type("Good point")
        await driver.press("escape", "g d")
        assert "Good point" in driver.line("reply: #1")
        await driver.press("enter")
        assert "Reply to" in driver.screen
        assert "Good point" in driver.screen


async def test_staged_moves_and_forms_are_told_in_words(review: ReviewWorld) -> None:
    app = review.app()
    async with drive(app, size=(140, 40)) as driver:
        drafts = app.session.drafts
        drafts.save("structure site1", '- Status before Legal\n\n{"base": {}, "now": {}}')
        drafts.save("site row site1 row1", '{"path": "guides"}')
        await driver.press("g d")
        assert "path: guides" in driver.line("row of a site's structure")
        kept = {"role": "U", "extra": '{\n  "a": 1\n}'}
        text = form_text(kept, {"role": "Role", "extra": "More"}, {"U": "Editor"})
        drafts.save(form_key("members", Target(), "change_role", "M"), text)
        await driver.press("R")
        driver.place.rows.select("form members - - - change_role M")  # type: ignore[attr-defined]
        await driver.idle()
        assert "Role: Editor" in driver.line("Members: role")
        assert '"a": 1' in driver.line('"a": 1')
        drafts.drop("form members - - - change_role M")
        await driver.press("R", "g", "g")
        assert "1 change staged" in driver.line("staged for a site")
        await driver.press("j")
        assert "Status before Legal" in driver.screen
        assert "{" not in driver.screen


async def test_a_draft_is_discarded_and_brought_back(review: ReviewWorld) -> None:
    app = review.app()
    async with drive(app, "C", size=(100, 24)) as driver:
        await driver.type("In short")
        await driver.press("escape", "g d", "D")
        assert "No drafts. What you type" in driver.screen
        assert app.session.drafts.texts() == {}
        await driver.press("u")
        assert "In short" in driver.screen
        assert list(app.session.drafts.texts().values()) == ["In short"]


async def test_a_text_that_belongs_nowhere_can_be_copied(review: ReviewWorld) -> None:
    app = review.app()
    app.session.drafts.save("from an older desk", "Keep me")
    async with drive(app, "g d", "enter", size=(100, 24)) as driver:
        assert "Where this text belongs is not known. Y copies it." in driver.screen
        await driver.press("Y", "enter")
        assert app.clipboard == "Keep me"


async def test_what_is_typed_for_a_draft_that_is_opened_again_is_for_it(world: World) -> None:
    review = ReviewWorld(world)
    way = Faults(world)
    app = review.app(faults=way)
    async with drive(app, "g c", size=(100, 30)) as driver:

        async def open_again(place: str, *keys: str) -> None:
            """Open the draft under the cursor, and type before its place has been read."""
            way.slow, way.let = "GET", asyncio.Event()
            await driver.send("enter")
            await eventually(lambda: place == driver.place.PLACE, driver.turn)
            for key in keys:
                await driver.send(key)
            way.let.set()
            await eventually(lambda: app.screen is not driver.place, driver.turn)
            await driver.idle()

        await driver.press("e", *typed("Axm "), "escape", "g d")
        await open_again("changes", *typed("Wx "))
        assert "Wx Axm Webhook retries and dead letters" in driver.screen
        assert not app.session.log
        # So it is of a comment, whose request is read first.
        way.slow = ""
        await driver.press("escape", "enter", "1", "C", *typed("? x"), "escape", "g d", "k")
        await open_again("review", *typed("3?W"))
        assert "? x3?W" in driver.screen
        assert not app.session.log


async def test_an_edit_goes_on_from_the_one_that_is_still_on_its_way(world: World) -> None:
    review = ReviewWorld(world)
    way = Faults(world)
    app = review.app(faults=way)
    async with drive(app, "g c", size=(100, 30)) as driver:
        app.session.recall_seconds, way.slow = 600, "PATCH"
        # The last takes back those before it: that is a change as long as they are on their way.
        for keys in (typed("One "), typed("Two "), ["delete"] * len("Two One ")):
            for key in ("e", *keys):
                await driver.send(key)
            await eventually(lambda: app.screen is not driver.place, driver.turn)
            await driver.send("ctrl+s")
            await eventually(lambda: app.screen is driver.place, driver.turn)
        app.session.writes.send_now()
        way.let.set()
        await driver.idle()
        assert [line.state for line in app.session.log] == ["done"] * 3
        was = "Webhook retries and dead letters"
        assert [line.text for line in app.session.log] == [f"One {was}", f"Two One {was}", was]
        assert not app.session.drafts.texts()


async def test_a_comment_is_changed_back_though_its_edit_is_still_on_its_way(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "]", "C", "ctrl+r", size=(100, 30)) as driver:
        await driver.press(*typed("Ah"), "ctrl+s")
        await driver.press("3", "G")
        app.session.recall_seconds = 600
        for key in ("x", "backspace"):
            await driver.send("e")
            await eventually(lambda: app.screen is not driver.place, driver.turn)
            await driver.send(key)
            await driver.send("ctrl+s")
            await eventually(lambda: app.screen is driver.place, driver.turn)
        await eventually(lambda: len(app.session.log) == 3, driver.turn)
        app.session.writes.send_now()
        await driver.idle()
        assert [line.text for line in app.session.log] == ["Ah", "Ahx", "Ah"]
        assert [line.state for line in app.session.log] == ["done"] * 3


async def test_two_windows_keep_and_show_what_each_typed(
    review: ReviewWorld, tmp_path: Path
) -> None:
    key = review_key(review.space, review.request, "request")
    other = DeskDrafts(State(tmp_path / "state.db"), "desk")
    app = review.app(drafts=DeskDrafts(State(tmp_path / "state.db"), "desk"))
    async with drive(app, "C", "ctrl+r", size=(140, 30)) as driver:
        await driver.type("Mine")
        other.save(key, "Yours")  # which was opened there before anything was typed here
        app.sudden_end.keep_typed()
        await driver.type(", all of it")
        await driver.press("escape")
        assert sorted(other.texts().values()) == ["Mine, all of it", "Yours"]
        await driver.press("C", "ctrl+r")
        assert "Another text was typed here too: both are kept (g d)." in driver.screen
        assert "Mine, all of it" in driver.screen
        await driver.press("escape", "g d")
        assert "Mine, all of it" in driver.line("comment on the change request (second text)")
        assert "Yours" in driver.line("comment on the change request: #1")
        app.tick()
        await eventually(lambda: "drafts 2" in driver.screen.splitlines()[0], driver.turn)

        # What the other window types and sends from now on is shown within seconds.
        other.save("structure X", "- Move “A”")
        app.tick()
        await eventually(lambda: "drafts 3" in driver.screen.splitlines()[0], driver.turn)
        await eventually(lambda: "staged for a site" in driver.screen, driver.turn)
        other.drop("structure X")
        app.tick()
        await eventually(lambda: "drafts 2" in driver.screen.splitlines()[0], driver.turn)
        await eventually(lambda: "staged for a site" not in driver.screen, driver.turn)

        # Either is gone on with, and sent; the other stays.
        driver.place.query_one("#drafts", VirtualList).select(key)
        await driver.press("enter")
        assert "Yours" in driver.screen
        await driver.press("ctrl+s")
        assert app.session.log[-1].text == "Yours"
        assert list(other.texts().values()) == ["Mine, all of it"]
        await driver.press("g d", "enter")
        assert "Mine, all of it" in driver.screen
        await driver.press("ctrl+s")
        assert app.session.log[-1].text == "Mine, all of it"
        assert other.texts() == {}


async def test_what_another_window_changed_is_not_sent_as_mine(
    review: ReviewWorld, tmp_path: Path
) -> None:
    key = review_key(review.space, review.request, "request")
    other = DeskDrafts(State(tmp_path / "state.db"), "desk")
    app = review.app(drafts=DeskDrafts(State(tmp_path / "state.db"), "desk"))
    async with drive(app, "C", "ctrl+r", size=(140, 30)) as driver:
        await driver.type("Mine")
        app.sudden_end.keep_typed()
        assert other.load(key) == "Mine"
        other.save(key, "Mine, and yours")
        await driver.press("ctrl+s")
        assert "Another text was typed here too: both are kept (g d)." in driver.screen
        assert app.session.log == []
        await driver.press("ctrl+s")
        assert app.session.log[-1].text == "Mine"
        assert other.texts() == {key: "Mine, and yours"}


async def test_a_damaged_file_is_told_and_what_is_on_screen_is_kept(
    review: ReviewWorld, tmp_path: Path
) -> None:
    (tmp_path / "state.db").write_bytes(b"no database at all " * 1000)
    app = review.app(drafts=DeskDrafts(State(tmp_path / "state.db"), "desk"))
    async with drive(app, "C", "ctrl+r", size=(140, 30)) as driver:
        await driver.type("A thought, and more")
        await driver.press("escape")
        app.tick()
        said = "state.db was damaged: it is kept as"
        await eventually(
            lambda: any(said in each.message for each in app.session.messages), driver.turn
        )
    kept = DeskDrafts(State(tmp_path / "state.db"), "desk").texts()
    assert list(kept.values()) == ["A thought, and more"]
