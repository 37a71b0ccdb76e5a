"""The threads of a whole organization that wait on the reader."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewersRequest
from copydesk.domain.inbox import Word, why_waits
from copydesk.domain.mention import Named, names
from copydesk.local.saved_replies import SavedReplies
from copydesk.local.snapshot import Snapshots
from copydesk.session.inbox_rows import recall
from copydesk.session.target import Target
from copydesk.tui.threads.inbox import InboxPlace
from copydesk.tui.widgets.text_field import TextField
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.world import BASE_URL, World

ANA = Named("a", "Ana Silva", "asilva@example.org")
COSTA = Named("c", "Ana Costa")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@Ana, is it so?", True),
        ("Ask @ANA  silva.", True),
        ("(@asilva)", True),
        ("@Ana Costa knows", False),
        ("@Anabel", False),
        ("mail ana@ana.org", False),
        ("`@Ana` is code", False),
        ("```\n@Ana\n```", False),
        ("@ana_", False),
    ],
)
def test_who_is_named(text: str, named: bool) -> None:
    assert names(text, ANA, [COSTA, ANA]) is named


def test_why_a_thread_waits() -> None:
    def why(last: str, **more: Any) -> str | None:
        return why_waits("me", starter="lee", author="lee", last=Word(last), **more)

    assert why("lee") is None
    assert why("lee", asked=True) == "asked"
    assert why("lee", asked=True, named=True) == "named"
    assert why("me", asked=True, named=True) is None, "who spoke last waits for others"
    assert why_waits("me", starter="me", author="me", last=Word("lee")) == "answered"
    assert why_waits("me", starter="lee", author="me", last=Word("lee")) == "yours"
    assert why_waits("", starter="", author="", last=Word("lee")) is None


class Counting(httpx.AsyncBaseTransport):
    """Counts requests and how many are under way at once; may lack extensions."""

    def __init__(self, world: World, lacking: tuple[str, ...] = ()) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self._lacking = lacking
        self.now = self.most = 0
        self.paths: list[str] = []
        self.gate, self.told = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.told.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.paths.append(path)
        if path.endswith(self._lacking or ("?",)):
            return httpx.Response(404, text="Not found")
        comments = path.endswith(("/comments", "/replies"))
        self.now += comments
        self.most = max(self.most, self.now)
        try:
            if comments:
                await self.gate.wait()
            answer = await self._desk.handle_async_request(request)
            if request.method == "POST":
                await self.told.wait()
            return answer
        finally:
            self.now -= comments


def line(driver: Driver, text: str) -> str:
    """Return the line of the list that has a text, without what is beside the list."""
    lines = [line.partition("┃│")[0] for line in driver.screen.splitlines()]
    return next(line for line in lines if text in line)


async def furnish(world: World) -> dict[str, str]:
    lee = world.user("lee", display_name="Lee Park")
    guides = world.space("Guides", {"start": "# Start\n\nHello.\n"})
    api = world.space("API", {"start": "# Start\n\nHello.\n"})
    for number in range(2):
        world.space(f"Quiet {number}")
    mine = world.change_request(guides, {"start": "# Start\n\nHi.\n"}, subject="My words")
    theirs = world.change_request(
        api, {"start": "# Start\n\nHey.\n"}, subject="Their words", by=lee
    )
    other = world.change_request(api, {"start": "# Start\n\nYo.\n"}, subject="Other words", by=lee)
    await world.api(lee)(ops.request_reviewers, api, other, ReviewersRequest(users=[world.ana]))
    found = {
        "yours": world.comment(guides, "Is **this** right?", by=lee, change_request=mine),
        "answered": world.comment(api, "Why so short?", change_request=theirs),
        "named": world.comment(api, "Look, all.", by=lee, change_request=theirs),
        "space": world.comment(guides, "@Ana Silva see \x1b[31mthis", by=lee),
        "asked": world.comment(api, "Note for reviewers", by=lee, change_request=other),
        "not": world.comment(api, "Between us.", by=lee, change_request=theirs),
        "mine": world.comment(api, "My own, unanswered.", change_request=theirs),
    }
    world.reply(found["answered"], "Because.", by=lee)
    world.reply(found["named"], "@ana, you know it.", by=lee)
    return found


async def test_a_saved_reply_knows_the_row_that_it_answers(world: World, tmp_path: Path) -> None:
    made = await furnish(world)
    app = open_world(world, snapshot=Snapshots())
    app.session.replies = SavedReplies(tmp_path)
    (tmp_path / "thanks.md").write_text(
        "For {number}, {subject} in {space}: {page}, {author}, {me}."
    )
    (tmp_path / "empty.md").write_text("")
    page = world.page_id(str(world.row("comment", made["asked"])["space_id"]), "start")
    other = str(world.row("comment", made["asked"])["change_request_id"])
    lee = world.user("lee")
    space = str(world.row("comment", made["asked"])["space_id"])
    world.comment(space, "On a page: @ana", by=lee, change_request=other, page=page)
    async with drive(app, "g i", size=(140, 40)) as driver:
        await driver.press("/")
        await driver.burst(*"page", "enter")
        inbox = driver.place
        assert isinstance(inbox, InboxPlace)
        row = inbox.row
        assert row is not None
        await driver.press("r")
        await driver.type("/")
        assert "[thanks]  empty" in driver.screen
        await driver.type("th")
        await driver.press("tab")
        said = driver.app.screen.query_one(TextField).text
        assert said == "For #2, Other words in API: Start, Lee Park, Ana Silva."


async def test_everything_that_waits_with_the_reason_and_none_twice(
    world: World, update_golden: bool
) -> None:
    await furnish(world)
    counting = Counting(world)
    snapshot = Snapshots()
    api = Api(BASE_URL, world.token(world.ana), transport=counting)
    app = open_world(world, snapshot=snapshot, api=api)
    async with drive(app, size=(140, 40)) as driver:
        counting.paths.clear()
        await driver.press("g i")
        assert "All 5" in driver.screen
        assert "your #1      Lee Park" in line(driver, "Is this right?")
        assert "answered you Lee Park" in line(driver, "Why so short?")
        assert "@ names you  Lee Park" in line(driver, "Look, all.")
        assert "@ names you  Lee Park" in line(driver, "@Ana Silva see this")
        assert "to review    Lee Park" in line(driver, "Note for reviewers")
        for absent in ("Between us.", "My own, unanswered.", "\x1b"):
            assert absent not in driver.screen
        driver.golden("inbox", update=update_golden)
        assert 1 < counting.most <= 4
        asked = [path for path in counting.paths if path.endswith("/comments")]
        assert len(asked) == len(set(asked)) == 4, "only where threads are open"
        # A very wide screen shows the change request that a thread is on.
        before = set(counting.paths)
        await driver.resize(200, 60)
        assert not before & {path for path in counting.paths if path.endswith("/changes")}
        await eventually(lambda: "1 edited" in driver.screen, driver.idle)
        place = driver.place
        assert isinstance(place, InboxPlace)
        assert place.about.plain.startswith("Lee Park, opened just now, in API")
        read = len(counting.paths)
        await driver.press("j", "k")
        assert "1 edited" in driver.screen
        while place.row is not None and place.row.request:
            await driver.press("j")
        assert "The thread is on the space itself." in driver.screen
        assert len(counting.paths) - read <= 16, "once for each of three"
        await driver.resize(140, 40)
        assert "1 edited" not in driver.screen
        await driver.press("g g")
        # By reason, in another order, filtered.
        await driver.press("[", "]", "]")
        assert "[Mentions 2]" in driver.screen
        assert "Why so short?" not in driver.screen
        await driver.press("1", "s", "down", "enter")
        assert "Sorted by waiting longest." in driver.screen
        await driver.press("/")
        await driver.burst(*"answ", "enter")
        assert "Why so short?" in driver.screen
        assert "Look, all." not in driver.screen
        # Answered from here, taken back, resolved: it stays where it is.
        await driver.press("r")
        assert "Reply to Lee Park in the thread on #1" in driver.screen
        await driver.burst(*"Ok")
        await driver.press("ctrl+s", "escape")
        assert "✓ answered" in line(driver, "Why so short?")
        assert "All 4" in driver.screen
        await driver.press("u", "x")
        assert "✓ resolved" in line(driver, "Why so short?")
        await driver.press("x")
        assert "✓" not in line(driver, "Why so short?")
        # To the thread in its review, and back.
        await driver.press("enter")
        assert driver.place.PLACE == "review"
        assert "Why so short?" in driver.screen
        await driver.press("x", "q")
        assert driver.place.PLACE == "inbox"
        assert "✓ resolved" in line(driver, "Why so short?")
        await driver.press("R", ".")
        assert "✓" not in driver.screen
        assert "All 4" in driver.screen
    kept = recall(snapshot, world.home)
    assert len(kept) == 4
    assert recall(Snapshots(), world.home) == []


async def test_a_bare_service_and_a_thread_on_a_space(world: World, update_golden: bool) -> None:
    found = await furnish(world)
    lacking = (f"/orgs/{world.home}/spaces", "/requested-reviewers", "/reviews")
    counting = Counting(world, lacking)
    api = Api(BASE_URL, world.token(world.ana), transport=counting)
    async with drive(open_world(world, api=api), "g i", size=(80, 24)) as driver:
        assert "@Ana Silva see" in driver.screen
        assert "All 5" in driver.screen
        app = driver.app
        driver.golden("inbox", update=update_golden)
        assert driver.place.rows.select(found["space"])  # type: ignore[attr-defined]
        await driver.press("r")
        await driver.type("Ok")
        await driver.press("escape", "r")
        assert "Reply to Lee Park in the thread on space" in driver.screen
        assert "Ok" in driver.screen
        await driver.press("ctrl+s")
        assert "✓ answered" in line(driver, "@Ana Silva see")
        assert app.session.drafts.texts() == {}
        await driver.press("x", "u")
        assert world.row("comment", found["space"])["status"] == "open"
        # What was read before the answer to a reply came counts that, and knows who spoke since.
        here = driver.place
        assert isinstance(here, InboxPlace)
        counting.told.clear()
        assert here.rows.select(found["space"])
        await driver.press("r")
        await driver.type("Not ok")
        await driver.send("ctrl+s")
        await eventually(lambda: world.row("comment", found["space"])["replies"] == 2, driver.turn)
        world.reply(found["space"], "@Ana Silva, so?", by=world.user("lee"))
        await driver.send("R")
        await eventually(lambda: not here.reads.loads, driver.turn)
        counting.told.set()
        await driver.press(".")
        thread = here.threads.get(found["space"])
        assert thread is not None
        assert thread.comment.replies == 3
        assert "✓" not in line(driver, "@Ana Silva see")
        await driver.press("enter")
        assert "bout the space as a whole" in driver.screen
        assert driver.place.pane.id == "thread"  # type: ignore[union-attr]
        # About a page: that is shown, and the thread above it.
        guides = world.row("comment", found["space"])["space_id"]
        page = world.page_id(guides, "start")
        about = world.comment(guides, "@Ana Silva is <b> ok?", by=world.ana, page=page)
        world.reply(about, "@Ana Silva, is it?", by=world.user("kofi"))
        await driver.press("escape", "R", ".")
        assert driver.place.rows.select(about)  # type: ignore[attr-defined]
        await driver.press("enter")
        assert driver.place.PLACE == "pages"
        assert driver.place.pane.id == "page-text"  # type: ignore[union-attr]
        screen = driver.screen
        assert screen.index("is <b> ok?") < screen.index("is it?") < screen.index("Hello.")
        await driver.press("q")
        assert driver.place.PLACE == "inbox"


async def test_reading_stops_when_the_inbox_is_left_and_goes_on_there(world: World) -> None:
    await furnish(world)
    counting = Counting(world)
    api = Api(BASE_URL, world.token(world.ana), transport=counting)
    async with drive(open_world(world, api=api)) as driver:
        counting.gate.clear()
        counting.paths.clear()
        await driver.send("g")
        await driver.send("i")
        here = driver.place
        await eventually(lambda: "read 2 of 4 spaces" in driver.screen, driver.settle)
        assert counting.now
        assert here.PLACE == "inbox"
        assert here.reads.loads
        await driver.send("g")
        await driver.send("s")
        await eventually(lambda: not here.reads.loads, driver.settle)
        counting.gate.set()
        await driver.press("g i")
        assert "All 5" in driver.screen


async def test_nobody_waits_for_somebody_unknown(world: World) -> None:
    world.space("Guides")
    api = Api(BASE_URL, world.token(world.ana), transport=Counting(world, ("/user",)))
    async with drive(open_world(world, api=api), "g i") as driver:
        assert "The service does not say who you are" in driver.screen


def listed(driver: Driver, text: str) -> bool:
    """Whether a thread is in the list; its words are also in what is said of the newest write."""
    return any(text in each for each in driver.screen.splitlines() if each.startswith("┃"))


async def test_put_away_until_somebody_writes_muted_and_followed(
    world: World, update_golden: bool
) -> None:
    """On this machine only: done, muted, back; a thread of others that is followed."""
    made = await furnish(world)
    lee = world.user("lee")
    async with drive(open_world(world), size=(80, 24)) as driver:
        await driver.press("g i")
        await driver.press("B")
        assert "No thread is put away" in driver.screen
        await driver.press("/")
        await driver.burst(*"right", "enter")
        await driver.press("b")
        assert "✓ done" in line(driver, "Is this"), "it stays where it is until R"
        await driver.press("b")
        assert "✓ muted" in line(driver, "Is this")
        await driver.press("b", "u", "u")
        assert "✓ done" in line(driver, "Is this")
        await driver.press("escape", "R", ".")
        assert not listed(driver, "Is this")
        assert isinstance(driver.place, InboxPlace)
        below = driver.place.row
        await driver.press("u")
        assert listed(driver, "Is this")
        assert driver.place.row == below, "the cursor stays on its thread"
        await driver.press("ctrl+r", "R", ".")
        assert "All 4" in driver.screen
        await driver.press("B")
        assert "✓ done" in line(driver, "Is this")
        await driver.press("g g")
        driver.golden("inbox.put_away", update=update_golden)
        await driver.resize(140, 40)
        driver.golden("inbox.put_away", update=update_golden)
        await driver.press("B")
        world.reply(made["yours"], "And this?", by=lee)
        await driver.press("R", ".")
        assert "your #1" in line(driver, "Is this")
        await driver.press("/")
        await driver.burst(*"right", "enter")
        await driver.press("b", "b", "escape", "R", ".")
        world.reply(made["yours"], "And that?", by=lee)
        await driver.press("R", ".")
        assert not listed(driver, "Is this"), "it is muted"

        # Among others, and not about me: it waits because I follow it.
        assert "Between us." not in driver.screen
    there = world.row("comment", made["not"])
    target = Target(
        space=str(there["space_id"]),
        change_request=str(there["change_request_id"]),
        thread=made["not"],
    )
    async with drive(open_world(world, "review", target), size=(140, 40)) as driver:
        await driver.press("L")
        assert "You follow it" in driver.screen
        await driver.press("g i")
        assert "you follow" in line(driver, "Between us.")
        assert "Followed 1" in driver.screen
        driver.golden("inbox.followed", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("inbox.followed", update=update_golden)
        await driver.press("/")
        await driver.burst(*"between", "enter")
        await driver.press("L")
        assert "You follow it no more." in driver.screen
        await driver.press("u")
        await driver.press("R")
        assert "you follow" in line(driver, "Between us.")
