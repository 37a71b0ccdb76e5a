"""Taking back and doing again on a real desk: what was is there again, and nobody is overruled."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from random import Random
from time import time
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.comment import (
    CommentCreate,
    CommentUpdate,
    MarkdownBody,
    ReplyCreate,
    ReplyUpdate,
)
from copydesk.contract.models.review import ReviewersRequest
from copydesk.domain import inverses, site_inverses
from copydesk.domain.layout import TOP
from copydesk.domain.order import Move
from copydesk.domain.plain_documents import document_of
from copydesk.domain.reversal import Reversal
from copydesk.domain.site_tree import SiteNode
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal, Notes
from copydesk.local.state import State
from copydesk.server.app import create_app
from copydesk.server.store import Store, Tx
from copydesk.session.errors import NotDoneError
from copydesk.session.session import Session
from copydesk.session.writes.log import ChangedSinceError, WriteError
from copydesk.session.writes.outbox import QUIET_SECONDS
from copydesk.session.writes.recovery import recover
from copydesk.tui.app import CopydeskApp
from tests.domain.orders import applied
from tests.drive import drive, eventually
from tests.tui.review_world import ReviewWorld
from tests.tui.site_world import SECTIONS, Published, publish
from tests.world import BASE_URL, World

Work = Callable[[Session, Api], Awaitable[None]]

PASSING = ("search", "token", "meta", "blob", "sqlite", "written", "audit")
"""How tables begin that are no content of the desk, follow from the rest of it, or only grow."""


def snapshot(world: World) -> dict[str, list[Any]]:
    """Return every table of a desk, but for times and the ids of revisions; orders as ranks."""

    def read(tx: Tx) -> dict[str, list[Any]]:
        tables = {}
        for table in tx.all("SELECT name FROM sqlite_master WHERE type = 'table'"):
            name = table["name"]
            if name.startswith(PASSING):
                continue
            rows = [dict(row) for row in tx.all(f"SELECT * FROM {name}")]
            if rows and "position" in rows[0]:
                rows.sort(key=lambda row: row["position"])
                for row in rows:
                    row["position"] = None
                tables[f"{name} in order"] = [row["id"] for row in rows]
            kept = [
                {k: v for k, v in row.items() if not k.endswith("_at") and "revision" not in k}
                for row in rows
            ]
            tables[name] = sorted(kept, key=str)
        return tables

    return world.store.read(read)


class Desk:
    """A desk, a session on it as the program opens one, and everything that can be taken back."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.api = world.api()
        self.review = ReviewWorld(world)
        self.space, self.request = self.review.space, self.review.request
        self.thread = world.comment(self.space, "One.", change_request=self.request)
        self.mine = world.reply(self.thread, "Mine.")
        self.people = [world.user(name) for name in ("jonas", "priya")]
        self.other = world.change_request(
            self.space, {"events": "New.\n"}, subject="Another", status="draft"
        )
        self.site: Published = publish(world)
        self.folder = folder
        self.session = self.start()
        self.state: dict[str, Any] = {
            "status": "draft", "subject": "Another", "resolved": False, "react": False,
            "text": "Mine.", "asked": False, "hidden": False, "default": "Guides",
            "path": "", "description": "",
        }  # fmt: skip
        self.order = [self.site.ids[title] for title in SECTIONS]

    def start(self) -> Session:
        """Return the session of a new start."""

        async def connect() -> Api:
            return self.api

        store = State(self.folder / "state.db", clock=lambda: self.world.clock.now.timestamp())
        self.journal = Journal(store, "desk")
        return Session(
            connect,
            clock=lambda: self.world.clock.now,
            draft_store=DeskDrafts(store, "desk"),
            journal=self.journal,
        )

    async def write(
        self, send: Callable[[], Awaitable[Any]], reversal: Any, *, draft: str = ""
    ) -> None:
        """Write something that can be taken back."""
        await self.session.writes.perform(
            "Write", "it", send, reversal=reversal, draft=draft, several=True
        )

    async def forth(self, way: Reversal) -> None:
        """Write what a reversal does again."""
        (step,) = way.forth
        await self.write(lambda: self.session.way.take(self.api, step), way)

    async def patch(self, field: str, value: Any, before: Any) -> None:
        """Change a field of the other request."""
        body = ChangeRequestUpdate.model_validate({field: value})
        way = inverses.request_changed(self.space, self.other, {field: before}, {field: value})
        await self.write(
            lambda: self.api(ops.update_change_request, self.space, self.other, body), way
        )

    async def status(self, random: Random) -> None:
        before = self.state["status"]
        after = random.choice([s for s in ("open", "draft", "archived") if s != before])
        await self.patch("status", after, before)
        self.state["status"] = after

    async def subject(self, random: Random) -> None:
        before, after = self.state["subject"], f"Subject {random.random()}"
        await self.patch("subject", after, before)
        self.state["subject"] = after

    async def description(self, random: Random) -> None:
        before, after = self.state["description"], f"What\n\nand why {random.random()}"
        old, new = (document_of(text).to_dict() for text in (before, after))
        await self.patch("description", new, old)
        self.state["description"] = after

    async def resolve(self, random: Random) -> None:
        self.state["resolved"] = to = not self.state["resolved"]
        ids = (self.space, self.request, self.thread)
        body = CommentUpdate(resolved=to)
        way = inverses.thread_resolved(*ids, resolved=to)
        await self.write(lambda: self.api(ops.update_change_request_comment, *ids, body), way)

    async def react(self, random: Random) -> None:
        self.state["react"] = to = not self.state["react"]
        ids = (self.space, self.request, self.thread, self.mine)
        emoji = "👍"
        body = (
            ReplyUpdate(added_reactions=[emoji]) if to else ReplyUpdate(removed_reactions=[emoji])
        )
        way = inverses.reacted(*ids, emoji=emoji, me=self.world.ana, added=to)
        await self.write(lambda: self.api(ops.update_change_request_comment_reply, *ids, body), way)

    async def edit(self, random: Random) -> None:
        before, after = self.state["text"], f"Mine {random.random()}."
        ids = (self.space, self.request, self.thread, self.mine)
        body = ReplyUpdate(body=MarkdownBody(markdown=after))
        way = inverses.message_edited(*ids, before=before, after=after)
        await self.write(lambda: self.api(ops.update_change_request_comment_reply, *ids, body), way)
        self.state["text"] = after

    async def comment(self, random: Random) -> None:
        ids = (self.space, self.request)
        text, key = "A **thought**.", f"{self.space}/{self.request}/request"
        self.session.drafts.save(key, text)
        body = CommentCreate(body=MarkdownBody(markdown=text))
        await self.write(
            lambda: self.api(ops.create_change_request_comment, *ids, body),
            lambda made: inverses.message_sent(*ids, made.id, text=text, draft=key),
            draft=key,
        )

    async def reply(self, random: Random) -> None:
        ids = (self.space, self.request, self.thread)
        body = ReplyCreate(body=MarkdownBody(markdown="Yes."))
        await self.write(
            lambda: self.api(ops.create_change_request_comment_reply, *ids, body),
            lambda made: inverses.message_sent(*ids, made.id, text="Yes."),
        )

    async def reviewers(self, random: Random) -> None:
        self.state["asked"] = to = not self.state["asked"]
        ids = (self.space, self.request)
        people = self.people

        async def send() -> None:
            if to:
                await self.api(ops.request_reviewers, *ids, ReviewersRequest(users=people))
            else:
                for user in people:
                    await self.api(ops.remove_requested_reviewer, *ids, user)

        asked, left = (people, ()) if to else ((), people)
        way = inverses.reviewers_asked(*ids, asked=asked, left=left)
        await self.write(send, way)

    def row(self, title: str) -> SiteNode:
        kind, level = ("site-space", self.site.ids["Guides"]) if "/" in title else ("section", TOP)
        return SiteNode(self.site.ids[title], kind, title, level)  # type: ignore[arg-type]

    async def change_row(self, node: SiteNode, field: str, after: Any, before: Any) -> None:
        ids = (self.world.home, self.site.site)
        way = site_inverses.site_row_changed(ids, node, {field: before}, {field: after})
        await self.forth(way)

    async def hide(self, random: Random) -> None:
        self.state["hidden"] = to = not self.state["hidden"]
        await self.change_row(self.row("Guides/French"), "hidden", to, not to)

    async def rename(self, random: Random) -> None:
        before, after = self.state["path"], f"path-{random.randrange(10**9)}"
        if before:
            await self.change_row(self.row("Legal"), "path", after, before)
            self.state["path"] = after
        else:
            listed = await self.api(ops.list_site_sections, self.world.home, self.site.site)
            self.state["path"] = next(s.path for s in listed.items if s.title == "Legal")

    async def default(self, random: Random) -> None:
        ids = (self.world.home, self.site.site)
        before = self.state["default"]
        after = random.choice([title for title in SECTIONS if title != before])
        way = site_inverses.default_changed(ids, self.row(after), self.row(before))
        await self.forth(way)
        self.state["default"] = after

    async def move(self, random: Random) -> None:
        ids = (self.world.home, self.site.site)
        at = random.randrange(1, len(self.order))
        row, back = self.order[at], Move(self.order[at], "after", self.order[at - 1])
        to = Move(row, "before", self.order[0])
        after = applied(self.order, [to])
        node = SiteNode(row, "section", "a section")
        way = site_inverses.row_moved(ids, node, to, back, self.order, after)
        await self.forth(way)
        self.order = after

    async def discard(self, random: Random) -> None:
        key = f"{self.space}/{self.request}/page-{random.random()}"
        drafts = self.session.drafts
        drafts.save(key, "Typed.")

        async def drop() -> None:
            drafts.drop(key)

        await self.write(drop, inverses.draft_dropped(key))

    @property
    def actions(self) -> list[Callable[[Random], Awaitable[None]]]:
        return [
            self.status, self.subject, self.description, self.resolve, self.react, self.edit,
            self.comment, self.reply, self.reviewers, self.hide, self.rename, self.default,
            self.move, self.discard,
        ]  # fmt: skip


@pytest.mark.long
async def test_after_a_hundred_writes_undo_of_all_leaves_the_desk_as_it_was(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    random = Random(4)
    await desk.rename(random)  # reads which path it has
    await desk.description(random)
    await desk.session.reversals.undo()
    desk.session.history.known.clear()
    desk.session.log.clear()
    desk.state["description"] = ""
    before = snapshot(world)
    for _ in range(100):
        await random.choice(desk.actions)(random)
    full = snapshot(world)
    assert full != before
    history = desk.session.history
    written = len(history.known)
    assert written > 90
    while desk.session.reversals.undoable():
        await desk.session.reversals.undo()
    assert snapshot(world) == before
    assert {past.standing for past in history.known.values()} == {"undone"}
    again = 0
    while pasts := desk.session.reversals.redoable():
        await desk.session.reversals.take_back(pasts, again=True)
        again += 1
    assert again == sum(bool(past.reversal.forth) for past in history.known.values())
    assert world.row("change_request", desk.other)["subject"] == desk.state["subject"]
    assert snapshot(world)["site_section in order"] == full["site_section in order"]
    # A later start knows the same, and takes it all back by its list.
    later = desk.start()
    later.begins = lambda: True
    later.drafts.save("structure site1", "- one\n- two\n\n{}")
    assert await recover(later) == "Restored 1 draft, 2 staged changes."
    done = [past for past in later.history.known.values() if past.standing == "done"]
    assert len(done) == again
    await later.reversals.take_back(sorted(done, key=lambda past: past.number, reverse=True))
    assert snapshot(world) == before


async def test_what_a_cut_off_undo_left_of_an_action_goes_back_with_one_key(
    world: World, tmp_path: Path
) -> None:
    space, api = world.space("Guide", {"a": "A.\n"}), world.api()
    ids = [world.change_request(space, {"a": f"{n}.\n"}, subject=f"S{n}") for n in range(3)]
    body = ChangeRequestUpdate(status="archived")

    async def connect() -> Api:
        return api

    def start() -> Session:
        store = State(tmp_path / "state.db", clock=lambda: world.clock.now.timestamp())
        clock = world.clock
        return Session(connect, clock=lambda: clock.now, journal=Journal(store, "desk"))

    def statuses() -> set[str]:
        return {str(world.row("change_request", each)["status"]) for each in ids}

    before = start()
    for each in ids:
        way = inverses.request_changed(space, each, {"status": "open"}, {"status": "archived"})
        send = partial(api, ops.update_change_request, space, each, body)
        await before.writes.perform("Archive", f"#{each}", send, reversal=way, group="Archive 1")
    await before.reversals.take_back(
        [before.history.known[line.entry.id] for line in before.log[-1:] if line.entry]
    )
    assert statuses() == {"open", "archived"}

    after = start()
    after.begins = lambda: True  # the run before ended without saying so
    async with drive(CopydeskApp(after, "spaces"), size=(100, 24)) as driver:
        assert "2 writes of a cut-off undo left: u undoes them." in driver.screen
        await driver.burst(":", *"undo", "enter")
        assert "done 2/3" in driver.screen
        await driver.press("escape", "u")
        assert "2 writes of it are left:" in driver.screen
        await driver.press("y")
        assert "Undone: Archive, 2 writes." in driver.screen
    assert statuses() == {"open"}


async def test_an_undo_that_another_window_sends_is_not_taken_for_cut_off(
    world: World, tmp_path: Path
) -> None:
    space, api = world.space("Guide", {"a": "A.\n"}), world.api()
    request = world.change_request(space, {"a": "B.\n"}, subject="S")
    body = ChangeRequestUpdate(status="archived")

    async def connect() -> Api:
        return api

    def start() -> Session:
        store = State(tmp_path / "state.db", clock=lambda: world.clock.now.timestamp())
        clock = world.clock
        return Session(connect, clock=lambda: clock.now, journal=Journal(store, "desk"))

    first = start()
    first.journal.opened()
    way = inverses.request_changed(space, request, {"status": "open"}, {"status": "archived"})
    send = partial(api, ops.update_change_request, space, request, body)
    await first.writes.perform("Archive", "#1", send, reversal=way)
    (line,) = first.log
    assert line.entry is not None
    undoing = first.journal.begin("Archive", "#1", Notes(kind="undo", of=line.entry.id))
    async with drive(CopydeskApp(start(), "undo"), size=(100, 24)) as driver:
        assert "now  sending" in driver.screen
        assert "in another run" in driver.screen
        await driver.press("u")
        assert "Another copydesk is sending this now. R reads how that ended." in driver.screen
        assert first.journal.entries()[-1].state == "sending", "reading settles it for nobody"
        first.journal.settle(undoing, "failed", sentence="Refused.")
        await driver.press("R", "u")
        assert "Undone: Archive #1" in driver.screen
    assert world.row("change_request", request)["status"] == "open"


async def test_what_somebody_else_changed_since_is_not_overruled_unasked(world: World) -> None:
    review = ReviewWorld(world)

    def row() -> str:
        return str(world.row("change_request", review.request)["status"])

    async with drive(review.app(), "]", "space", size=(140, 40)) as driver:
        seen = driver.app.session.seen
        assert len(list(seen.pages(review.request))) == 1
        await driver.press("u")
        assert not list(seen.pages(review.request))
        assert "Undone: Mark read" in driver.screen
        await driver.press("W")
        assert row() == "draft"
        assert "u undo" in driver.screen
        await driver.press("u")
        assert row() == "open"
        assert "Undone: Make a draft #1 Webhook" in driver.screen
        await driver.press("ctrl+r")
        assert row() == "draft"
        async with world.api(review.lee) as lee:
            body = ChangeRequestUpdate(status="archived")
            await lee(ops.update_change_request, review.space, review.request, body)
        await driver.press("u")
        assert "Its status is archived by now, not draft." in driver.screen
        assert "Undo would overwrite that." in driver.screen
        await driver.press("escape")
        assert row() == "archived"
        assert "Nothing was undone." in driver.screen
        await driver.press("u", "y")
        assert row() == "open"
        # The list has it too, and takes it back and does it again there.
        await driver.press(":", *"undo", "enter")
        assert "Make a draft" in driver.screen
        assert "undone" in driver.screen
        await driver.press("u")
        assert "Undone already. ctrl+r does it again." in driver.screen
        await driver.press("enter")
        assert row() == "draft"
        assert "u undoes it." in driver.screen
        # Somebody else took it back: there is nothing to fight and nothing to send.
        async with world.api(review.lee) as lee:
            body = ChangeRequestUpdate(status="open")
            await lee(ops.update_change_request, review.space, review.request, body)
        await driver.press("u")
        assert "is undone already, by someone else" in driver.screen
        assert (row(), driver.app.screen) == ("open", driver.place)


async def test_what_waits_can_be_recalled_and_its_text_stays(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    app.session.recall_seconds = 600
    async with drive(app) as driver:
        session = driver.app.session

        def reviews() -> int:
            found = world.store.read(lambda tx: tx.value("SELECT count(*) FROM review"))
            assert isinstance(found, int)
            return found

        async def approve(text: str) -> None:
            await driver.send("a")
            await eventually(lambda: driver.app.screen is not driver.place, driver.turn)
            for key in (*text, "ctrl+s"):
                await driver.send(key)
            await eventually(lambda: driver.app.screen is driver.place, driver.turn)

        await approve("")
        await eventually(lambda: bool(session.writes.waits), driver.turn)
        await driver.press("u")
        assert "Recalled: approve was not sent." in driver.screen
        assert "kept" not in driver.screen, "nothing was written"
        await approve("Fine.")
        await eventually(lambda: bool(session.writes.waits), driver.turn)
        assert ": sent in 600 s, u recalls it" in driver.screen
        assert not session.reversals.undoable()
        await approve("")
        await eventually(lambda: "waits to be sent already" in driver.screen, driver.turn)
        assert len(session.writes.waits) == 1
        assert "This waits to be sent already: u recalls it." in driver.screen
        await driver.press("u")
        assert "Recalled: approve was not sent. What you wrote is kept" in driver.screen
        assert reviews() == 0
        assert list(session.drafts.texts().values()) == ["Fine."]
        assert session.log[-1].state == "recalled"
        assert not session.journal.entries()
        await approve("")
        await eventually(lambda: bool(session.writes.waits), driver.turn)
        await driver.send("?")
        await driver.send("ctrl+q")  # quitting sends at once, also over a sheet
        await driver.idle()
        assert reviews() == 1
        assert not session.drafts.texts()


async def test_who_quits_between_two_writes_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = ReviewWorld(world).app()
    async with drive(app) as driver:
        follows = asyncio.create_task(asyncio.Event().wait())
        app.session.writes.hold_open(follows)
        await driver.send("q")
        assert app.is_running
        assert "Sending 1. Press it again at once to quit now." in driver.screen
        # Once another press would only ask again it is not said any more.
        monkeypatch.setattr("copydesk.tui.app.TWICE_SECONDS", 1e-6)
        await driver.send("q")
        await eventually(lambda: "Press it again" not in driver.screen, driver.turn)
        assert app.is_running
        follows.cancel()


class Cut(httpx.AsyncBaseTransport):
    """A way to a desk on which the process ends at a request: before it is sent, or answered."""

    def __init__(self, store: Store, at: int, *, after: bool) -> None:
        self._desk = httpx.ASGITransport(create_app(store))
        self._left = at
        self._after = after

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._left -= 1
        if self._left == 0 and not self._after:
            os._exit(KILLED)
        answer = await self._desk.handle_async_request(request)
        if self._left == 0:
            os._exit(KILLED)
        return answer


KILLED = 9


class Life:
    """A desk on disk, and what one start of the program after the other does with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "desk.db"
        world = World(self.file)
        review = ReviewWorld(world)
        self.ids = (review.space, review.request)
        self.ana = world.ana
        self.people = [world.user(name) for name in ("jonas", "priya")]
        self.token = world.token(world.ana)
        world.close()
        self.key = f"{review.space}/{review.request}/request"

    def session(self, transport: httpx.AsyncBaseTransport, later: float = 0.0) -> Session:
        async def connect() -> Api:
            return Api(BASE_URL, self.token, transport=transport)

        store = State(self.folder / "state.db", clock=lambda: time() + later)
        journal = Journal(store, "desk")

        def begins() -> bool:
            journal.opened()
            return journal.crashed()

        return Session(
            connect,
            begins=begins,
            draft_store=DeskDrafts(store, "desk"),
            journal=journal,
        )

    def live(
        self, work: Callable[[Session, Api], Awaitable[None]], at: int, *, after: bool
    ) -> None:
        """Run ``work`` in a process of its own, which ends at its n-th request."""
        child = os.fork()
        if child:
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
            return
        try:
            store = Store(self.file, durable=False)
            session = self.session(Cut(store, at, after=after))

            async def run() -> None:
                session.begins()
                await work(session, await session.ready())

            session.identify = nobody
            asyncio.run(run())
        finally:
            os._exit(1)

    def again(self, look: Callable[[Session, Api, Store, str], Awaitable[None]]) -> None:
        """Start again, and look at what is found."""
        store = Store(self.file, durable=False)
        # Later than what was under way could still arrive.
        session = self.session(httpx.ASGITransport(create_app(store)), 2 * QUIET_SECONDS)
        session.identify = nobody

        async def run() -> None:
            said = await recover(session)
            await look(session, await session.ready(), store, said)

        asyncio.run(run())
        store.close()

    async def comment(self, session: Session, api: Api) -> None:
        session.drafts.save(self.key, "Why not ten?")
        body = CommentCreate(body=MarkdownBody(markdown="Why not ten?"))
        await session.writes.perform(
            "Comment",
            "#1",
            lambda: api(ops.create_change_request_comment, *self.ids, body),
            reversal=lambda made: inverses.message_sent(*self.ids, made.id, text="Why not ten?"),
            trace=inverses.message_trace(*self.ids, me=self.ana),
            draft=self.key,
        )

    async def unarchive(self, session: Session, api: Api) -> None:
        body = ChangeRequestUpdate(status="archived")
        way = inverses.request_changed(*self.ids, {"status": "open"}, {"status": "archived"})
        await session.writes.perform(
            "Archive", "#1", lambda: api(ops.update_change_request, *self.ids, body), reversal=way
        )
        await session.reversals.undo()

    async def unask(self, session: Session, api: Api) -> None:
        body = ReviewersRequest(users=self.people)
        way = inverses.reviewers_asked(*self.ids, asked=self.people)
        await session.writes.perform(
            "Ask", "#1", lambda: api(ops.request_reviewers, *self.ids, body), reversal=way
        )
        await session.reversals.undo()


async def nobody(session: Session, api: Api) -> None:
    """Ask nobody who signed in: every request counts."""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that begins as this one is")
@pytest.mark.parametrize("after", [False, True])
def test_a_process_that_ends_in_a_write_or_an_undo_loses_and_repeats_nothing(
    tmp_path: Path, *, after: bool
) -> None:
    life = Life(tmp_path)

    life.live(life.comment, 1, after=after)

    async def commented(session: Session, api: Api, store: Store, said: str) -> None:
        texts = store.read(lambda tx: tx.all("SELECT body FROM comment"))
        kept = list(session.drafts.texts().values())
        assert (len(texts), kept) == (1, [])
        found = "No answer had come, but it had arrived"
        assert said == f"{found if after else 'Sent from the outbox'}: Comment #1."
        assert not session.journal.interrupted()
        assert not session.unsent

    life.again(commented)

    # The third request takes it back; the second has read whether it is as it was left.
    life.live(life.unarchive, 3, after=after)

    async def unarchived(session: Session, api: Api, store: Store, said: str) -> None:
        request = await api(ops.get_change_request, *life.ids)
        [past] = [p for p in session.history.known.values() if p.entry.what == "Archive"]
        found = (request.status, past.standing)
        assert found == (("open", "undone") if after else ("archived", "done"))
        assert not session.journal.interrupted()
        if not after:
            await session.reversals.take_back([past])
        assert (await api(ops.get_change_request, *life.ids)).status == "open"

    life.again(unarchived)

    # Cut off between two steps, or in the second: what reading does not tell is asked.
    life.live(life.unask, 4, after=after)

    async def unasked(session: Session, api: Api, store: Store, said: str) -> None:
        [past] = [p for p in session.history.known.values() if p.entry.what == "Ask"]
        assert past.standing == ("undone" if after else "undoing")
        if not after:
            assert "Cut off, and it may have arrived: Undo: Ask #1. @ and" in said
            with pytest.raises(ChangedSinceError, match="asked for a review"):
                await session.reversals.take_back([past])
            await session.reversals.take_back([past], anyway=True)
        assert not (await api(ops.list_requested_reviewers, *life.ids)).items
        assert past.standing == "undone"

    life.again(unasked)


async def test_what_waits_goes_on_when_its_place_is_left_and_never_twice() -> None:
    async def connect() -> Api:
        raise AssertionError("nothing here asks for the service")

    told: list[tuple[str, str]] = []
    sent: list[str] = []
    session = Session(connect, recall_seconds=600, report=lambda *said: told.append(said))

    def write(text: str) -> asyncio.Task[None]:
        session.drafts.save("key", text)

        async def send() -> None:
            sent.append(text)

        return asyncio.create_task(
            session.writes.perform("Comment", "#1", send, recall=True, draft="key")
        )

    first = write("One.")
    await asyncio.sleep(0)
    with pytest.raises(WriteError, match="This waits to be sent already: u recalls it"):
        await write("One.")
    second = write("Two.")  # typed on: that is another text, and the first goes at once
    await first
    assert (sent, session.drafts.load("key")) == (["One."], "Two.")
    second.cancel()
    await asyncio.wait([second])
    assert session.writes.writes_pending == 1
    session.writes.send_now()
    await asyncio.wait(session.writes.writing)
    assert sent == ["One.", "Two."]
    assert told == [("Done: comment #1", "good")]
    assert not session.drafts.texts()

    # The same text is not sent while it is on its way, neither anew nor by a retry of the log.
    session.recall_seconds, answer = 0.0, asyncio.Event()
    session.drafts.save("key", "Three.")

    async def fails() -> None:
        raise NotDoneError("Refused.")

    async def slow() -> None:
        await answer.wait()
        sent.append("Three.")

    with pytest.raises(WriteError, match="Refused"):
        await session.writes.perform("Comment", "#1", fails, draft="key")
    third = asyncio.create_task(session.writes.perform("Comment", "#1", slow, draft="key"))
    await asyncio.sleep(0)
    with pytest.raises(WriteError, match="being sent already"):
        await session.writes.perform("Comment", "#1", slow, draft="key")
    with pytest.raises(WriteError, match="being sent already"):
        await session.writes.retry(session.log[-2])
    answer.set()
    await third
    assert sent == ["One.", "Two.", "Three."]
    assert [line.state for line in session.log][-2:] == ["replaced", "done"]
