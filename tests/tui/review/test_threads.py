"""Threads of a review: read as far as they are seen, resolved in place, kept when deleted."""

from __future__ import annotations

import httpx

from copydesk.client.api import Api
from copydesk.domain.keymap import OwnKeys
from copydesk.local.journal import Journal
from copydesk.local.state import State
from copydesk.session.declarations import keymap
from copydesk.session.draft_keys import outbox_key, review_key
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.ask import AskInput
from copydesk.tui.dialogs.composer import Composer
from tests.drive import drive
from tests.tui.opening import open_world, typed
from tests.tui.review_world import RETRIES, Faults, ReviewWorld, furnish
from tests.world import BASE_URL, World


class Replies(httpx.AsyncBaseTransport):
    """Notes whose replies are asked for."""

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        parts = request.url.path.split("/")
        if parts[-1] == "replies" and request.method == "GET":
            self.asked.append(parts[-2])
        return await self._desk.handle_async_request(request)


async def test_replies_are_read_for_the_threads_on_screen_only(world: World) -> None:
    space = world.space("Guides", {"page": "# Page\n\nText.\n"})
    request = world.change_request(space, {"page": "# Page\n\nOther text.\n"})
    made = []
    for number in range(24):
        made.append(world.comment(space, f"Question {number}", change_request=request))
        if number % 4:
            world.reply(made[-1], f"Answer {number}")
    replies = Replies(world)
    api = Api(BASE_URL, world.token(world.ana), transport=replies)
    target = Target(space=space, change_request=request, view="threads")
    async with drive(open_world(world, "review", target, api=api), size=(80, 24)) as driver:
        lines = [line.strip("┃ >▁▂▃▄▅▆▇█") for line in driver.screen.splitlines()]
        seen = [number for number in range(24) if f"Question {number}" in lines]
        assert seen[:3] == [0, 1, 2]
        assert "Answer 1" in driver.screen
        assert set(replies.asked) <= {made[n] for n in range(seen[-1] + 2) if n % 4}
        assert len(replies.asked) == len(set(replies.asked)) <= len(seen)
        before = len(replies.asked)
        await driver.press("G")
        assert "Answer 23" in driver.screen
        assert made[12] not in replies.asked, "what was passed over was not read"
        assert before < len(replies.asked) == len(set(replies.asked)) < 14
        await driver.press("g g")
        assert "Answer 1" in driver.screen


async def test_what_is_deleted_is_a_draft_and_what_is_resolved_stays(world: World) -> None:
    review = ReviewWorld(world)
    found = furnish(review)
    app = review.app()
    async with drive(app, "]", "3", "g g", size=(100, 30)) as driver:
        assert "On text that is gone" in driver.screen
        assert "A line that was there once." in driver.screen
        assert "👍 1 Lee Park" in driver.screen
        await driver.press("+")
        await driver.press("x")
        assert "resolved by Ana Silva" in driver.line("[1]")
        await driver.press("1", "3")
        assert "Resolved" in driver.screen
        await driver.press("u")
        assert review.open_threads() == 4
        await driver.press("C")
        await driver.type("Begun")
        await driver.press("escape", "g g", "D")
        assert "text is kept as a draft." in driver.screen
        await driver.press("y")
        assert sorted(app.session.drafts.texts().values()) == ["Begun", "Good work!"]
        assert review.open_threads() == 3
        await driver.press("C", "ctrl+a", "ctrl+k", "escape")
        await driver.press("C")
        assert "Good work!" in driver.screen
        await driver.press("ctrl+s")
        assert review.open_threads() == 4
    assert world.row("comment", found["hours"])["status"] == "open"


async def test_a_comment_can_be_recalled_for_a_while(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "]", "c", size=(100, 24)) as driver:
        app.session.recall_seconds = 60
        await driver.type("Ah.")
        await driver.send("ctrl+s")
        await driver.settle()
        assert "u recalls it" in driver.screen
        assert review.open_threads() == 0
        await driver.press("u")
        assert "Recalled: comment was not sent." in driver.screen
        assert list(app.session.drafts.texts().values()) == ["Ah."]
        assert "[draft]" in driver.screen
        await driver.press("c")
        await driver.send("ctrl+s")
        await driver.settle()
        app.session.writes.send_now()
        await driver.idle()
        assert review.open_threads() == 1
        assert app.session.drafts.texts() == {}


async def test_what_waited_under_a_thread_is_gone_with_it_also_where_another_place_took_it_out(
    world: World,
) -> None:
    review = ReviewWorld(world)
    review.thread("We retry eight times over 24 hours.", "Why?")
    way = Faults(world)
    app = review.app(faults=way)
    async with drive(app, "3", size=(120, 30)) as driver:
        app.session.recall_seconds = 0
        way.gone = True
        await driver.press("r", *typed("Because."), "ctrl+s")
        assert "waits in the outbox: reply" in driver.screen
        await driver.press("g x", "D", "escape")
        assert driver.place.PLACE == "review"
        assert "waits in the outbox" not in driver.screen
        assert "your draft: Because. (r goes on)" in driver.screen
        await driver.press("u")
        assert "waits in the outbox: reply" in driver.screen
        assert "your draft" not in driver.screen


async def test_a_comment_that_waits_is_marked_where_its_thread_will_be_also_after_a_restart(
    world: World,
) -> None:
    review, way = ReviewWorld(world), Faults(world)
    store = State(clock=lambda: world.clock.now.timestamp())

    def app() -> CopydeskApp:
        made = review.app(faults=way)
        made.session.journal = Journal(store, "")
        made.session.recall_seconds = 0
        return made

    async with drive(app(), "]", size=(120, 30)) as driver:
        assert "No threads on this page." in driver.screen
        way.gone = True
        await driver.press("c", *typed("Why?"), "ctrl+s")
        assert "1 comment waits to be sent: g x shows it." in driver.screen
        assert "[waits]" in driver.screen
        assert "No threads on this page." not in driver.screen
        await driver.press("C", *typed("And this?"), "ctrl+s", "1")
        assert "to be sent" not in driver.screen
        await driver.press("3")
        assert "2 comments wait to be sent: g x shows them." in driver.screen
    way.gone = False
    later = app()
    drafts = later.session.drafts
    edits = [outbox_key(entry.id) for entry in Journal(store, "").entries()]
    for key in edits:  # what is being edited is not sent
        drafts.save(key, "Edited")
    async with drive(later, "]", size=(120, 30)) as driver:
        assert "2 comments wait to be sent: g x shows them." in driver.screen
        assert "[waits]" in driver.screen
        for key in edits:
            drafts.drop(key)
        await later.session.outbox.send()
        await driver.idle()
        assert "to be sent" not in driver.screen
        assert "[waits]" not in driver.screen
        assert "And this?" in driver.screen


async def test_words_typed_after_the_key_of_a_comment_on_the_whole_are_the_comment(
    world: World,
) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "]", size=(80, 24)) as driver:
        # Faster than anything is drawn, on a page that is changed.
        await driver.burst("C", *typed("Is this page needed? a W"))
        assert "Comment on the page" in driver.screen
        assert app.screen.query_one(Composer).text == "Is this page needed? a W"
        page = app.screen.query_one(Composer).draft_key
        await driver.press("escape")
        assert app.session.drafts.texts() == {page: "Is this page needed? a W"}
        # ctrl+r takes the words along, there and back.
        await driver.press("C", "ctrl+r")
        assert "Comment on #1" in driver.screen
        assert list(app.session.drafts.texts()) == [
            review_key(review.space, review.request, "request")
        ]
        await driver.press("ctrl+r")
        assert list(app.session.drafts.texts()) == [page]
        await driver.burst("ctrl+r", *typed("!"), "ctrl+s")
        assert app.session.log[-1].text == "Is this page needed? a W!"
        assert app.session.drafts.texts() == {}
        # Where both have a text, each keeps its own.
        await driver.press("C", "ctrl+r", *typed("Two"), "escape", "C", *typed("One"), "ctrl+r")
        assert app.screen.query_one(Composer).text == "Two"
        await driver.press(*typed("!"), "escape")
        assert sorted(app.session.drafts.texts().values()) == ["One", "Two!"]


async def test_words_typed_before_the_space_of_a_new_request_is_chosen_are_its_subject(
    world: World,
) -> None:
    for title in ("Guide", "Handbook"):
        world.space(title, {"a": "# A\n"})
    app = open_world(world, "changes")
    async with drive(app, size=(80, 24)) as driver:
        await driver.press("ctrl+n", *typed("Say what a is"))
        assert "it is kept for what you write next" in " ".join(driver.screen.split())
        assert "Handbook" in driver.screen
        app.sudden_end.keep_typed()  # as when it is told to end
        assert list(app.session.drafts.texts().values()) == ["Say what a is"]
        await driver.press("down", "enter")
        assert "New change request in Handbook" in driver.screen
        assert app.screen.query_one(AskInput).value == "Say what a is"
        await driver.press("escape", "ctrl+n", *typed("Another thing"), "escape")
        assert sorted(app.session.drafts.texts().values()) == ["Another thing", "Say what a is"]
        assert "kept as a draft (g d)" in " ".join(driver.screen.split())


async def test_a_quoted_line_keeps_its_words_whatever_the_keys(review: ReviewWorld) -> None:
    request = review.world.change_request(
        review.space,
        edit=lambda editor: editor.write(
            editor.find("webhooks/retries"), f"Press ctrl+s to save.\n\n{RETRIES}"
        ),
    )
    target = Target(review.world.home, space=review.space, change_request=request)
    app = open_world(review.world, "review", target)
    app.use_keys(keymap(OwnKeys("vim", {"composer.send": ("f6",), "write_sheet.send": ("f6",)}))[0])
    async with drive(app, "]", "c") as driver:
        assert "▎ Press ctrl+s to save." in driver.screen
        assert "f6 send" in driver.screen
