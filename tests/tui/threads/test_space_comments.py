"""Threads on a space: read, begun, answered, changed, resolved and taken back on a real desk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World

HOSTILE = "\x1b[2J\u202e [bold]Where?[/bold] <b>here</b>\u200b"


def furnish(world: World) -> tuple[str, dict[str, str]]:
    """Make a space with pages and threads on it."""
    space = world.space("Handbook", {"start": "# Start\n\nHello.", "fees": "# Fees\n\nTen."})
    world.clock.now = world.clock.now.replace(hour=10)
    lee, page = world.user("lee", display_name="Lee Park"), world.page_id(space, "fees")
    made = {
        "old": world.comment(space, "Is this still so?", by=lee),
        "hostile": world.comment(space, HOSTILE, by=lee, page=page),
        "fees": world.comment(space, "Ten of **what**?", by=lee, page=page),
    }
    made["answer"] = world.reply(made["fees"], "Euros, I think.", by=lee)
    return space, made


@dataclass
class Desk:
    """The desk, and the program on one of its spaces."""

    world: World
    space: str

    @asynccontextmanager
    async def opened(self, size: tuple[int, int]) -> AsyncIterator[Driver]:
        """Open the threads on the space; what is sent cannot be recalled."""
        app = open_world(self.world)
        app.session.recall_seconds = 0
        async with drive(app, size=size) as driver:
            assert driver.place.rows.select(self.space)  # type: ignore[attr-defined]
            await driver.press("g C")
            yield driver

    async def read(self, comment: str) -> Comment:
        """Return a comment as the service has it."""
        async with self.world.api() as api:
            return await api(ops.get_space_comment, self.space, comment, format="markdown")

    async def replies(self, comment: str) -> list[CommentReply]:
        """Return the replies to a comment."""
        name = ops.list_space_comment_replies
        async with self.world.api() as api:
            found = api.pages(name, self.space, comment, format="markdown")
            return [reply async for reply in found]


async def test_a_thread_on_a_space_is_reacted_to_answered_and_resolved(
    world: World, update_golden: bool
) -> None:
    space, made = furnish(world)
    desk = Desk(world, space)
    read, replies = desk.read, desk.replies
    async with desk.opened((140, 40)) as driver:
        assert driver.selected == made["fees"]
        assert "Euros, I think." in driver.screen
        assert "Fees" in driver.line("Ten of")
        assert "the space" in driver.line("Is this still so?")
        driver.golden("space-comments", update=update_golden)
        await driver.resize(80, 24)
        # Reactions, of the comment and of a reply; they are taken back.
        await driver.press("+")
        assert "👍 1 you" in driver.screen
        await driver.press("u", "E", "enter", "enter", "j", "+", "E")
        await driver.burst(*"rocket")
        await driver.press("enter")
        reactions = (await replies(made["fees"]))[0].reactions
        assert {each.emoji for each in reactions} == {"👍", "🚀"}
        await driver.press("u", "u")
        assert (await replies(made["fees"]))[0].reactions == []
        # What others wrote is theirs to edit.
        await driver.press("e")
        assert "Only Lee Park may edit this." in driver.screen
        # A reply is written, kept, gone on with, sent, edited, taken back twice.
        await driver.press("r")
        driver.golden("space-comments-reply", update=update_golden)
        await driver.type("Dollars")
        await driver.press("escape")
        assert "your draft: Dollars" in driver.screen
        await driver.press("r", "ctrl+s")
        assert [each.body.markdown for each in await replies(made["fees"])][1:] == ["Dollars"]
        assert "2" in driver.line("Ten of what?").split()
        await driver.press("e")
        await driver.type(", no")
        await driver.press("ctrl+s")
        assert (await replies(made["fees"]))[1].body.markdown == "Dollars, no"
        await driver.press("g j")
        assert driver.place.status_left() == "get_space_comment_reply"
        await driver.press("q", "u")
        assert (await replies(made["fees"]))[1].body.markdown == "Dollars"
        await driver.press("u")
        assert len(await replies(made["fees"])) == 1
        assert "Dollars" in driver.app.session.drafts.texts().values().__repr__()
        # Resolved and opened again.
        await driver.press("escape", "x")
        assert (await read(made["fees"])).status == "resolved"
        await driver.press("u")
        assert (await read(made["fees"])).status == "open"
        await driver.press("g j")
        assert driver.place.status_left() == "get_space_comment"
        await driver.press("q")


async def test_threads_are_begun_on_a_page_or_the_whole_and_taken_back(world: World) -> None:
    space, _ = furnish(world)
    desk = Desk(world, space)
    read = desk.read
    async with desk.opened((80, 24)) as driver:
        await driver.press("c")
        await driver.type("Hello")
        await driver.press("ctrl+r")
        await driver.burst(*"Start")
        await driver.press("enter")
        assert "Comment on the page Start" in driver.screen
        await driver.type(" whom?")
        await driver.press("ctrl+s")
        begun = driver.selected or ""
        assert "Start" in driver.line("Hello whom?")
        assert (await read(begun)).target.page is not None
        await driver.press("e")
        await driver.type(" And why?")
        await driver.press("ctrl+s")
        assert (await read(begun)).body.markdown == "Hello whom? And why?"
        await driver.press("u", "u")
        assert "Hello whom?" not in driver.line("Handbook")
        assert begun not in (await ids(world, space))
        await driver.press("ctrl+n")
        await driver.type("All is well")
        await driver.press("escape", "g d")
        assert driver.place.rows.select(f"{space}//space")  # type: ignore[attr-defined]
        await driver.press("enter")
        assert "Comment on Handbook" in driver.screen
        await driver.press("ctrl+s")
        whole = driver.selected or ""
        assert (await read(whole)).target.page is None
        await driver.press("D")
        assert "This cannot be undone." in driver.screen
        await driver.press("y")
        assert whole not in (await ids(world, space))
        assert "All is well" in repr(driver.app.session.drafts.texts())


async def test_a_sent_text_that_is_taken_back_is_beside_what_was_typed_since(world: World) -> None:
    space, _ = furnish(world)
    async with Desk(world, space).opened((80, 24)) as driver:
        await driver.press("c")
        await driver.type("The first")
        await driver.press("ctrl+s", "c")
        await driver.type("The second")
        await driver.press("escape", "u")
        assert "People were notified when it was sent; its text is a draft again." in " ".join(
            driver.screen.split()
        )
        assert sorted(driver.app.session.drafts.texts().values()) == ["The first", "The second"]
        await driver.press("c")
        assert "The second" in driver.screen
        await driver.press("escape", "g d", "/")
        await driver.type("first")
        await driver.press("enter", "enter")
        assert "The first" in driver.line("The first")
        assert "Comment on Handbook" in driver.screen


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_comment_on_a_space_that_waits_is_told_where_there_is_no_thread_yet(
    world: World, size: tuple[int, int]
) -> None:
    way = Faults(world)

    async def connect() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=way)

    space = world.space("Handbook", {"overview": "# Overview\n"})
    session = Session(connect, clock=lambda: world.clock.now)
    session.recall_seconds = 0
    app = CopydeskApp(session, "space-comments", Target(space=space))
    async with drive(app, size=size) as driver:
        assert "No one has commented" in driver.screen
        way.gone = True
        await driver.press("c")
        await driver.type("Anyone?")
        await driver.press("ctrl+s")
        assert "1 comment waits to be sent: g x shows it." in " ".join(driver.screen.split())
        await driver.press("g x", "D", "escape")
        assert "to be sent" not in driver.screen


async def test_threads_are_limited_and_lead_to_their_page(world: World) -> None:
    space, made = furnish(world)
    desk = Desk(world, space)
    async with desk.opened((80, 24)) as driver:
        await driver.press("2")
        assert "There is nothing in “Resolved”." in driver.screen
        await driver.press("3", "f")
        await driver.burst(*"Fees")
        await driver.press("enter")
        assert "target_page=Fees" in driver.screen
        assert "Is this still so?" not in driver.screen
        await driver.press("f")
        await driver.burst(*"all")
        await driver.press("enter", "S")
        assert driver.place.rows.source.base.row(0).id == made["old"]  # type: ignore[attr-defined]
        assert driver.place.rows.select(made["fees"])  # type: ignore[attr-defined]
        await driver.press("enter", "j", "D", "y")
        assert await desk.replies(made["fees"]) == []
        await driver.press("escape")
        # The page that a thread is about.
        assert driver.place.rows.select(made["fees"])  # type: ignore[attr-defined]
        await driver.press("enter", "enter")
        assert driver.place.PLACE == "pages"
        assert driver.screen.index("Ten of") < driver.screen.index("Ten.")


async def ids(world: World, space: str) -> set[str]:
    async with world.api() as api:
        return {each.id async for each in api.pages(ops.list_space_comments, space)}


class Bare(Faults):
    """A service without the listing of replies."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/replies"):
            return httpx.Response(404, json={"error": {"code": 404, "message": "No such route."}})
        return await super().handle_async_request(request)


async def test_threads_on_a_bare_service_read_only_and_with_lost_answers(
    world: World, update_golden: bool
) -> None:
    space, made = furnish(world)
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "space-comments", Target(world.home, space), api=api)
    async with drive(app, size=(80, 24)) as driver:
        driver.golden("space-comments", update=update_golden)
        way.losing = True
        await driver.press("x")
        way.losing = False
        assert "Resolved" in driver.screen
        await driver.press("2")
        assert driver.selected == made["fees"]
        assert world.row("comment", made["fees"])["status"] == "resolved"
        await driver.press("c")
        driver.golden("space-comments-new", update=update_golden)
        await driver.press("escape", "escape")
    reader = world.user("rui", "read")
    api = Api(BASE_URL, world.token(reader), transport=Bare(world))
    app = open_world(world, "space-comments", Target(world.home, space), api=api)
    async with drive(app, "3", size=(140, 24)) as driver:
        assert "1 reply, which this service does not list" in driver.screen
        await driver.press("c")
        assert "You may not comment in Handbook." in driver.screen
        await driver.press("j", "D")
        assert "Only Lee Park or an administrator may delete this." in driver.screen
        assert "\x1b" not in driver.screen
        assert "[bold]Where?[/bold]" in driver.screen
    empty = world.space("Empty", {"start": "Hello."})
    app = open_world(world, "spaces")
    async with drive(app, size=(80, 24)) as driver:
        assert driver.place.rows.select(empty)  # type: ignore[attr-defined]
        await driver.press("g C")
        assert (
            "There is nothing in “Open”." in driver.screen
            or "No one has commented" in driver.screen
        )
        await driver.press("r")
        assert "No thread selected. c starts one." in driver.screen
