"""News: what others did that concerns the reader, once, also after a restart."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from copydesk.client.api import Api
from copydesk.client.errors import OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.models.comment import MarkdownBody, ReplyCreate
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.domain.merge_run import UNREAD, MergeRun, RunItem, RunState
from copydesk.local.runs import WaitingRuns
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.present.news import NOTICE, news_line, notice_codes, notice_text
from copydesk.server import threads
from copydesk.session.news import KEPT, KnownNews, News, NewsItem
from copydesk.session.reachability import POLL_SECONDS
from copydesk.session.reads.news import SUBJECT, read_news
from copydesk.session.session import Session
from tests.hostile import FORBIDDEN, POISON
from tests.session.reads.told import Lacking
from tests.tui.strange import strange
from tests.world import START, World


class Newsroom:
    """A desk on which Lee does what concerns Ana, and what her session makes of it."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.lee = world.user("lee", display_name="Lee Park")
        self.space = world.space("Guide", {"a": "One.\n"})
        self.mine = world.change_request(self.space, {"a": "Two.\n"}, subject="Mine")
        self.other = world.change_request(
            self.space, {"a": "Three.\n"}, subject="Lee's", by=self.lee
        )
        self.store = State(folder / "state.db")
        self.session = self.start()

    def start(self, api: Api | None = None) -> Session:
        """Return the session of another run on the same machine, with a client of the desk."""
        world = self.world

        async def connect() -> Api:
            return api or world.api()

        return Session(
            connect,
            snapshot=Snapshots(self.folder),
            clock=lambda: world.clock.now,
            waiting_runs=WaitingRuns(self.store, "desk"),
        )

    async def begin(self) -> None:
        """Connect, and read for the first time."""
        await self.session.ready()
        assert (self.session.unseen_news, self.session.news.look()[0]) == ((), 0)
        await self.session.news.read()
        await self.later()

    async def later(self, seconds: float = POLL_SECONDS) -> list[str]:
        """Let time pass and return what is new, the latest first."""
        news, before = self.session.news, {item.id for item in self.session.news.items}
        self.world.clock.now += timedelta(seconds=seconds)
        await news.read()
        return [news_line(item) for item in news.items if item.id not in before]

    async def review(self, request: str, status: str, by: str | None = None) -> None:
        async with self.world.api(by or self.lee) as api:
            body = ReviewCreate.model_validate({"status": status})
            await api(ops.create_change_request_review, self.space, request, body)

    async def reply(self, request: str, comment: str, text: str) -> None:
        async with self.world.api(self.lee) as api:
            body = ReplyCreate(body=MarkdownBody(markdown=text))
            await api(ops.create_change_request_comment_reply, self.space, request, comment, body)

    async def ask(self) -> None:
        async with self.world.api(self.lee) as api:
            body = ReviewersRequest(users=[self.world.ana])
            await api(ops.request_reviewers, self.space, self.other, body)


@pytest.fixture
async def room(world: World, tmp_path: Path) -> Newsroom:
    room = Newsroom(world, tmp_path / "snapshots")
    world.comment(room.space, "@Ana before", by=room.lee, change_request=room.other)
    await room.begin()
    return room


async def test_what_concerns_the_reader_is_told_once(room: Newsroom) -> None:
    world, news = room.world, room.session.news
    assert news.items == [], "what was there before is not a news"
    await room.review(room.mine, "approved")
    assert await room.later() == ["Lee Park approved #1"]
    await room.review(room.mine, "changes-requested")
    await room.review(room.other, "approved", world.ana)
    assert await room.later() == ["Lee Park asks for changes in #1"]
    await room.ask()
    assert await room.later() == ["Lee Park asks you to review #2"]
    world.user("costa", display_name="Ana Costa")
    world.comment(room.space, "@Ana Silva, look", by=room.lee, change_request=room.other)
    world.comment(room.space, "@Ana Costa, look", by=room.lee, change_request=room.mine)
    world.comment(room.space, "@Ana Silva, I", change_request=room.mine)
    assert await room.later() == ["Lee Park names you on #2"]
    assert await room.later() == []
    assert news.unseen == 4
    assert news.look() == (4, None)
    assert room.session.unseen_news == []
    assert (await room.later(), news.unseen) == ([], 0)


async def test_who_is_asked_for_a_review_is_told_though_that_is_no_edit_of_the_request(
    room: Newsroom,
) -> None:
    def old(answer: Any) -> None:
        for each in answer["items"]:
            each |= {"updatedAt": START.isoformat(), "subject": "x" * (SUBJECT + 1)}

    room.session = room.start(strange(room.world, "/change-requests", old))
    await room.begin()
    await room.ask()
    assert await room.later(3600) == ["Lee Park asks you to review #2"]
    assert room.session.news.items[0].subject == "x" * SUBJECT
    assert await room.later() == []


async def test_what_is_said_in_threads_that_exist_is_found_in_turn(room: Newsroom) -> None:
    mine = room.world.comment(room.space, "Why?", change_request=room.mine)
    await room.later()
    await room.reply(room.mine, mine, "Because.")
    found = [*await room.later(), *await room.later()]
    assert found == ["Lee Park answered you on #1"]
    assert room.session.news.items[0].thread == mine
    await room.reply(room.mine, mine, "Is it so, @ana?")
    found = [*await room.later(), *await room.later()]
    assert found == ["Lee Park names you on #1"]
    assert room.session.news.items[0].thread == mine


async def test_nothing_is_news_twice_after_a_restart(room: Newsroom) -> None:
    await room.review(room.mine, "approved")
    await room.later()
    room.session.news.look()
    await room.session.news.keep()
    await room.ask()
    await room.later()
    looked = room.session.news.looked_at
    room.session = room.start()
    await room.review(room.mine, "changes-requested")
    await room.session.ready()
    await room.later()
    news = room.session.news
    assert [news_line(item) for item in news.items] == [
        "Lee Park asks for changes in #1",
        "Lee Park asks you to review #2",
        "Lee Park approved #1",
    ]
    assert (news.unseen, news.looked_at) == (2, looked)
    # What is kept is nobody's promise: unreadable rows are left out.
    kept = Snapshots(room.folder)
    name = f"news {room.world.home} {room.world.ana}"
    rows = [{**row, "kind": "x"} if row.get("kind") == "asked" else row for row in kept.read(name)]
    kept.write(name, [*rows, {"id": 3}])
    room.session = room.start()
    await room.session.ready()
    await room.later()
    assert [item.kind for item in room.session.news.items] == ["changes", "approved"]


async def test_what_waited_and_was_merged_is_news_of_its_change_request(
    room: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, dict[str, str]]] = []
    monkeypatch.setattr(room.session, "happened", lambda *event: told.append(event))
    at = room.world.clock.now.timestamp() + 60
    item = RunItem(room.space, room.mine, "#1", "Mine", "Guide", state="done", ended=at)
    me = room.session.me
    assert me is not None
    run = MergeRun("m", items=(item,), state="finished", ended=at, waits=True, by=me.id)
    room.session.waiting_runs.save(run)
    await room.later()
    [news] = [each for each in room.session.news.items if each.who == "copydesk"]
    assert (news.kind, news.space, news.request, news.number, news.subject) == (
        "merged", room.space, room.mine, 1, "Mine",
    )  # fmt: skip
    fields = {"number": "1", "title": "Mine", "author": "copydesk", "status": "merged"}
    assert told == [("on_news", {"id": room.mine, **fields})]
    await room.later()
    assert room.session.news.items == [news], "it is told once"


async def test_a_service_that_is_away_is_no_news(room: Newsroom) -> None:
    session = room.session
    session.organization = "none"
    room.world.clock.now += timedelta(seconds=POLL_SECONDS)
    await session.news.read()
    assert session.news.items == []


def test_a_notice_ends_where_it_ends() -> None:
    item = NewsItem("1", "named", POISON, START, "s", "r", 7, "; \x1b\\\x07" * 9 + POISON)
    said = notice_text([item, item, item])
    assert cell_len(said) <= NOTICE
    assert said.endswith(", and 2 more")
    codes = notice_codes(said)
    first, second = codes.split("\x1b\\")[:2]
    assert codes.count("\x1b") == 4
    assert first.startswith("\x1b]9;")
    assert second.startswith("\x1b]777;notify;copydesk;")
    assert (first.count(";"), second.count(";")) == (1, 3)
    assert not FORBIDDEN.search(first[4:] + second[5:])
    wrapped = notice_codes("Hi", tmux=True)
    assert wrapped.startswith("\x1bPtmux;\x1b\x1b]9;Hi\x1b\x1b\\\x1b\\\x1bPtmux;")


async def test_news_that_were_kept_are_read_as_far_as_they_can_be(room: Newsroom) -> None:
    kept, name = Snapshots(room.folder), f"news {room.world.home} {room.world.ana}"
    item = {
        "id": "1", "kind": "approved", "who": "Lee\x07", "at": START.isoformat(), "space": "s",
        "request": "r", "number": 7, "subject": "S", "thread": "",
    }  # fmt: skip
    odd = [{**item, each: None} for each in ("at", "number", "who", "kind")]
    odd += [{**item, "number": True}, {**item, "at": "soon"}]
    head = {"began": START.isoformat(), "asked": "odd", "marks": ["odd"], "unseen": "2"}
    kept.write(name, [head, item, *odd])

    async def start() -> News:
        room.session = room.start()
        await room.session.ready()
        await room.later()
        return room.session.news

    news = await start()
    assert [news_line(each) for each in news.items] == ["Lee approved #7"]
    assert (news.unseen, news.looked_at) == (0, None)
    kept.write(name, [{**head, "unseen": 9, "looked_at": START.isoformat()}, item])
    news = await start()
    assert (news.unseen, news.looked_at) == (1, START)
    # Of so many kept ones older ones may be forgotten: what is older than these is no news.
    world, much = room.world, [{**item, "id": str(at)} for at in range(KEPT)]
    world.write(lambda tx: threads.add_review(tx, room.mine, room.lee, "approved"))
    late = (world.clock.now + timedelta(hours=1)).isoformat()
    kept.write(name, [{**head, "unseen": 0}, *({**each, "at": late} for each in much)])
    assert {each.id for each in (await start()).items} == {each["id"] for each in much}


async def test_what_came_for_another_reader_meanwhile_is_not_shown(room: Newsroom) -> None:
    session = room.session
    await room.review(room.mine, "approved")
    room.world.clock.now += timedelta(seconds=POLL_SECONDS)
    reading = asyncio.create_task(session.news.read())
    await asyncio.sleep(0)
    session.organization = "other"
    await reading
    assert session.news.items == []
    await Session(session.connect).news.keep()  # nothing was read: nothing is kept


async def test_what_was_merged_though_nobody_had_read_its_last_edit_is_told_as_such(
    room: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = room.world.clock.now.timestamp() + 60
    me = room.session.me
    assert me is not None
    ended: tuple[tuple[str, RunState, str], ...]
    ended = ("m", "finished", f"Merged. {UNREAD}"), ("n", "stopped", "A rule.")
    for key, state, said in ended:
        item = RunItem(room.space, room.mine, "#1", "Mine", "G", state="done", ended=at, said=said)
        run = MergeRun(key, items=(item,), state=state, ended=at, waits=True, by=me.id)
        room.session.waiting_runs.save(run)
    await room.later()
    kinds = sorted(each.kind for each in room.session.news.items if each.who == "copydesk")
    assert kinds == ["stopped", "unread"]
    monkeypatch.setattr(room.session.waiting_merges, "ended", broken)
    await room.review(room.mine, "approved")
    assert await room.later() == ["Lee Park approved #1"], "the disk keeps no news back"


async def broken() -> None:
    raise OSError(5, "Input/output error")


async def test_mine_are_among_many_and_a_service_may_lack_reviews_or_refuse_threads(
    room: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = room.world
    monkeypatch.setattr("copydesk.session.reads.news.PAGE", 1)
    thread = world.comment(room.space, "Why?", change_request=room.mine)
    world.change_request(room.space, {"a": "Four.\n"}, by=room.lee)
    me = room.session.me
    assert me is not None
    known = KnownNews(began=world.clock.now)
    async with world.api() as api:

        async def read(api: Api) -> list[str]:
            found = await read_news(api, world.home, me, room.session.members, known)
            return [f"{each.kind} {each.thread}" for each in found]

        assert await read(api) == []
        assert room.mine in known.marks
        await room.review(room.mine, "approved")
        await room.reply(room.mine, thread, "Because.")
        lists = (ops.list_change_request_reviews, ops.list_change_request_comments)
        marks = dict(known.marks)
        assert await read(Lacking(api, *lists, error=OperationMissing).api) == []
        known.marks = dict(marks)
        bare = Lacking(api, lists[0], error=OperationMissing).api
        assert await read(bare) == [f"answered {thread}"]
        known.marks = dict(marks)
        assert await read(Lacking(api, lists[1]).api) == ["approved "]
