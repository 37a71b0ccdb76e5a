"""Reading conversations: fluid and harmless however long and hostile, masked until shown."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.present.conversation import LabelledText, words_of
from copydesk.server import conversation_writes
from copydesk.server.store import Tx
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.conversations.pane import ConversationView
from tests.drive import Driver, drive, eventually
from tests.world import START, World

MEGABYTE = 1_000_000

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07[bold]markup[/bold] \u202eback\u200bwards <b onclick=x()>b</b>"
    "<script>steal()</script> e" + "\u0301" * 500 + " <img src=https://track.test/p.gif alt=p>"
)

LINE = "Line of a letter to kim@example.org about it\n"

LONG = LINE * (MEGABYTE // len(LINE)) + "the needle"

ROWS = "\n".join(f"row {number}" for number in range(30))

Talks = list[list[tuple[Any, str]]]


def fill(world: World, talks: Talks) -> None:
    """Fill a desk with a cluster of these conversations."""
    world.clock.now = START
    assert world.home

    def write(tx: Tx) -> None:
        cluster = conversation_writes.add_cluster(tx, world.home, "Trouble")
        for nth, parts in enumerate(talks):
            talk = conversation_writes.add_conversation(
                tx, world.home, parts, source="[b]slack kim@example.org", subject=f"Talk {nth}",
                attributes={"[k] kim@example.org": "[v]\x1b[1m\u202e"},
                source_url=f"https://slack.test/{nth}?to=kim@example.org",
            )  # fmt: skip
            conversation_writes.add_issue(
                tx, world.home, talk, f"Issue {nth} kim@example.org",
                summary="Call +49 30 1234567.", cluster_id=cluster,
                created_at=START - timedelta(hours=nth),
            )  # fmt: skip

    world.write(write)


def open_app(world: World) -> CopydeskApp:
    """Return the program, opened on the clusters."""

    async def connect() -> Api:
        return world.api()

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    return CopydeskApp(session, "clusters", Target(organization=world.home, cluster=None))


def view_of(driver: Driver) -> ConversationView:
    """Return the pane with the conversation."""
    return driver.place.query_one(ConversationView)


async def go_to(driver: Driver, nth: int) -> None:
    """Step through the conversations to one of them."""
    for key in ("K", "K", "K", "J", "J", "J"):
        if f"Issue {nth} " in driver.screen:
            break
        await driver.press(key)
    assert f"Issue {nth} " in driver.screen


async def search(driver: Driver, text: str) -> None:
    """Search, and wait until all of the conversation has been looked through."""
    await driver.press("/")
    await driver.type(text)
    await driver.press("enter")
    await eventually(lambda: " match" in driver.screen, driver.turn)


@pytest.mark.long
async def test_hostile_and_long_conversations_are_read_one_after_the_other(world: World) -> None:
    many: list[tuple[Any, str]] = [("user", f"part {number}") for number in range(9_999)]
    talks: Talks = [
        [("user", HOSTILE), ("[red]rogue\x1b[31m", ""), ("team-member", "I am kim@example.org")],
        [("user", LONG), ("assistant", "short")],
        [*many, ("user", "the end, kim@example.org")],
    ]
    fill(world, talks)
    async with drive(open_app(world), "enter", "enter", size=(80, 24)) as driver:
        view = view_of(driver)
        # While one is read the next one is read ahead, and no other.
        assert len(driver.place.reader._cached) == 2  # type: ignore[attr-defined]  # the clusters
        await go_to(driver, 0)
        screen = driver.screen
        assert "[bold]markup[/bold] backwards b" in screen
        assert "<script>steal()</script>" in screen
        assert "[red]rogue" in screen
        assert "(no words)" in screen
        assert "[v]" in screen
        assert not any(sign in screen for sign in ("\x1b", "\u202e", "\u200b", "onclick", "kim@"))
        await driver.press("V")
        assert driver.screen.count("kim@example.org") > 3
        await driver.press("V")

        # A megabyte is folded, and nothing of it is lost: unfolded it is all there.
        await go_to(driver, 1)
        await eventually(lambda: "z expands" in driver.screen, driver.turn)
        assert "assistant  short" in driver.screen
        assert view.rows < 20
        await driver.press("g g", "j", "j", "j", "z")
        assert view.message is not None
        assert view.message.count("to [e-mail] about") == MEGABYTE // len(LINE)
        assert view.rows > 500
        await driver.press("G", "k", "k", "k", "k")
        assert "the needle" in driver.screen
        await driver.press("z")
        assert view.rows < 20
        await search(driver, "needle")
        assert "the needle" in driver.screen
        assert " 1 match " in driver.screen
        await search(driver, "letter to")
        assert " 22,222 matches in 1 message " in driver.screen
        await driver.press("escape")

        # Ten thousand messages: only those in view are made readable, until a search needs all.
        await go_to(driver, 2)
        assert "10,000 messages" in driver.screen
        assert len(view._words) < 100
        await driver.press("G")
        assert "the end, [e-mail]" in driver.screen
        await search(driver, "PART 77")
        assert " 111 matches " in driver.screen
        await driver.press("g g", "n", "n")
        assert "part 770" in driver.screen
        await driver.press("N", "N")
        assert "part 77" in driver.screen
        await search(driver, "kim@")
        assert " 0 matches " in driver.screen
        await driver.press("escape", "V")
        await search(driver, "the end, kim@")
        assert " 1 match " in driver.screen


async def test_what_is_masked_is_masked_in_copies_and_filters(world: World) -> None:
    fill(world, [[("user", "a")], [("user", "b")], [("user", "c")], [("user", ROWS)]])
    async with drive(open_app(world), "enter", size=(140, 40)) as driver:
        await search(driver, "kim@example")
        assert "0 of 4 match" in driver.screen
        await driver.press("V")
        assert "4 of 4 match" in driver.screen
        await driver.press("V", "escape")
        # What is masked is kept out of the clipboard too, also where it is part of an address.
        assert "kim@" not in driver.screen
        await driver.press("y")
        assert "Its address holds an e-mail address" in driver.screen
        assert "source" not in dict(driver.place.copies())
        await driver.press("/")
        await driver.type("call issue 3")
        await driver.press("enter")
        assert "1 of 4 match" in driver.screen
        await driver.press("escape", "J", "J", "J", "J")
        assert "This is the last one." in driver.screen
        await driver.press("K", "K", "K", "K")
        assert "This is the first one." in driver.screen
        await driver.press("J", "J", "J", "enter", "G", "k", "k", "k")
        copies = dict(driver.place.copies())
        assert copies["title"] == "Issue 3 [e-mail]"
        assert copies["message"].endswith("row 29")
        # A message of middling length is shown whole, and can be folded.
        assert "z expands" not in driver.screen
        await driver.press("z")
        assert "more characters: z expands" in driver.screen
        await driver.press("z M")
        assert "more characters: z expands" in driver.screen
        assert "row 10" not in driver.screen
        await driver.press("z R")
        assert "row 10" in driver.screen
        # By hand what is open is read again too.
        world.write(lambda tx: tx.run("UPDATE conversation SET parts = replace(parts, '29', 'z')"))
        await driver.press("R", "G", "k", "k", "k")
        assert dict(driver.place.copies())["message"].endswith("row z")
        await driver.press("V")
        assert dict(driver.place.copies())["title"] == "Issue 3 kim@example.org"
        for size in ((30, 10), (20, 5), (200, 50)):
            await driver.resize(*size)
            await driver.press("z", "K", "G")


async def test_the_event_loop_goes_on_while_a_megabyte_is_made_readable() -> None:
    turns = 0
    for body in ("Hello kim@example.org, \u00e9 words. " * 9_000, "<p>a <b>b</b></p>" * 10_000):
        task = asyncio.create_task(asyncio.to_thread(words_of, LabelledText("part", "user", body)))
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        assert "kim@" not in task.result().masked
    assert turns > 20
