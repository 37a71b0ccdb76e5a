"""The threads that wait on the reader, read again as things change around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewersRequest
from copydesk.server import threads
from copydesk.session.inbox_rows import InboxRow
from copydesk.session.names import Members
from copydesk.session.reads import inbox
from copydesk.session.reads.inbox import (
    KnownThreads,
    read_comment,
    read_inbox,
    read_page_title,
    read_thread,
)
from copydesk.session.writes.comments import change_message
from tests.session.reads import told
from tests.tui.arranging_world import Way, refusal
from tests.tui.strange import strange
from tests.world import BASE_URL, World


@pytest.mark.parametrize("counted", [True, False])
async def test_a_thread_waits_once_its_reader_is_asked_for_a_review(
    world: World, counted: bool
) -> None:
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"a": "One.\n"})
    request = world.change_request(space, {"a": "Two.\n"}, by=lee)
    thread = world.comment(space, "Is it two?", by=lee, change_request=request)
    known, people = KnownThreads(), Members()
    async with world.api() as api:
        me = await api(ops.get_current_user)

        async def waiting(*, polled: bool = False) -> list[tuple[str, str]]:
            found: list[tuple[str, str]] = []
            unread = await read_inbox(
                api, world.home, me, people, lambda row, _: found.append((row.id, row.why)),
                lambda ended, count: None, known, polled=polled,
            )  # fmt: skip
            assert unread == 0
            return found

        assert await waiting() == []
        if counted:
            async with world.api(lee) as theirs:
                body = ReviewersRequest(users=[me.id])
                await theirs(ops.request_reviewers, space, request, body)
        else:  # as by a service to which that is no change of the change request
            world.write(lambda tx: threads.request_review(tx, request, me.id, lee))
        assert await waiting(polled=True) == [(thread, "asked")]
        mine = world.change_request(space, {"a": "Three.\n"})
        other = world.comment(space, "Or three?", by=lee, change_request=mine)
        named = world.comment(space, "@Ana Silva, look", by=lee, change_request=request)
        world.reply(named, "At the end of it.", by=lee)
        found = sorted(await waiting(polled=True))
        assert found == sorted([(thread, "asked"), (other, "yours"), (named, "named")])


class Inbox:
    """Two spaces with threads that wait on Ana, and what was read of them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lee = world.user("lee", display_name="Lee\x07 Park")
        self.space, self.other = world.space("Guide", {"a": "One.\n"}), world.space("Blog")
        self.request = world.change_request(self.space, {"a": "Two.\n"}, subject="Two")
        self.known = KnownThreads()
        self.rows: list[InboxRow] = []
        self.progress: list[tuple[int, int]] = []

    async def read(self, api: Api, *, polled: bool = False) -> int:
        """Read, and return how many owners could not be."""
        self.rows.clear()
        self.progress.clear()
        me = await self.world.api()(ops.get_current_user)
        return await read_inbox(
            api, self.world.home, me, Members(), lambda row, _: self.rows.append(row),
            lambda ended, count: self.progress.append((ended, count)), self.known, polled=polled,
        )  # fmt: skip


async def test_a_poll_reads_what_changed_and_some_more_and_carries_the_rest_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Inbox(world)
    monkeypatch.setattr(inbox, "POLLED", 1)
    page = world.page_id(desk.space, "a", change_request=desk.request)
    on = {"change_request": desk.request, "page": page}
    asked = world.comment(desk.space, "Why\ntwo?", by=desk.lee, **on)
    at = world.clock.now
    named = world.comment(desk.other, "@Ana Silva, look", by=desk.lee)
    done = world.comment(desk.other, "@Ana Silva, done", by=desk.lee)
    service = told.Desk(world)
    async with service.api() as api:
        await change_message(api, (desk.other, ""), done, None, {"resolved": True})
        service.asked()
        assert await desk.read(api) == 0
        assert desk.progress == [(0, 2), (1, 2), (2, 2)]
        both = sorted(desk.rows, key=lambda row: row.id)
        assert [row.id for row in both] == sorted([asked, named])
        row = next(row for row in both if row.id == asked)
        assert (row.space_title, row.request, row.number, row.subject) == (
            "Guide", desk.request, 1, "Two",
        )  # fmt: skip
        assert (row.page, row.text, row.last, row.why, row.replies) == (
            page, "Why two?", "Lee Park", "yours", 0,
        )  # fmt: skip
        assert (row.author, row.at) == ("Ana Silva", at)
        assert desk.known.requests.keys() == {desk.request}
        service.asked()
        assert await desk.read(api, polled=True) == 0
        assert sorted(desk.rows, key=lambda row: row.id) == both
        comments = [each for each in service.asked() if "/comments" in each]
        assert len(comments) == 1, "one owner in turn; the rest is carried over"
        world.write(lambda tx: tx.update("comment", asked, body="Why three?"))
        desk.known.forget(row)
        assert await desk.read(api, polled=True) == 0
        now = [replace(each, text="Why three?") if each == row else each for each in both]
        assert sorted(desk.rows, key=lambda row: row.id) == now
        assert any(desk.request in each and "/comments" in each for each in service.asked())
        await change_message(api, (desk.other, ""), named, None, {"resolved": True})
        await desk.read(api, polled=True)
        assert [row.id for row in desk.rows] == [asked]
        assert (desk.other, "") not in desk.known.places, "it is forgotten"


async def test_threads_that_may_not_be_read_are_counted_and_the_rest_is_found(
    world: World,
) -> None:
    desk = Inbox(world)
    asked = world.comment(desk.space, "Why two?", by=desk.lee, change_request=desk.request)
    world.comment(desk.other, "@Ana Silva, look", by=desk.lee)

    class Refusing(Way):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith(f"/spaces/{desk.other}/comments"):
                return refusal(403)
            return await super().handle_async_request(request)

    async with Api(BASE_URL, world.token(world.ana), transport=Refusing(world)) as api:
        assert await desk.read(api) == 1
    assert [row.id for row in desk.rows] == [asked]
    assert desk.progress[-1] == (2, 2)


async def test_a_thread_of_no_writer_or_of_the_reader_does_not_wait_for_its_mention(
    world: World,
) -> None:
    desk = Inbox(world)
    of_lee = world.change_request(desk.space, {"a": "Three.\n"}, by=desk.lee, subject="x" * 201)
    seen = world.comment(desk.space, "@Ana Silva, see", by=desk.lee, change_request=of_lee)
    world.reply(seen, "I did.", by=world.ana)
    world.reply(seen, "Thanks.", by=desk.lee)
    mine = world.comment(desk.space, "See?", change_request=of_lee)
    world.reply(mine, "Yes.", by=desk.lee)
    last = world.comment(desk.space, "@Ana Silva, see", by=desk.lee, change_request=of_lee)
    world.reply(last, "Yes.", by=world.ana)
    other = world.comment(desk.space, "@Mia, see", by=desk.lee, change_request=of_lee)
    gone = world.comment(desk.space, "What now?", by=desk.lee, change_request=desk.request)

    over = world.comment(desk.space, "And this?", by=desk.lee, change_request=desk.request)

    def unknown(answer: Any) -> None:
        for each in answer["items"]:
            if each["id"] == gone:
                del each["postedBy"]
            if each["id"] == over:  # though it was asked for open ones
                each["status"] = "resolved"

    api = strange(world, f"/{desk.request}/comments", unknown)
    async with api:
        await desk.read(api)
    why = {row.id: (row.why, row.last) for row in desk.rows}
    assert why == {mine: ("answered", "Lee Park"), gone: ("yours", "someone")}
    assert {row.subject for row in desk.rows if row.request == of_lee} == {"x" * 200}
    assert other not in why
    assert not {seen, last} & why.keys(), "named before they spoke"


async def test_replies_on_a_space_are_none_where_the_service_does_not_list_them(
    world: World,
) -> None:
    desk = Inbox(world)
    thread = world.comment(desk.other, "Look", by=desk.lee)
    world.reply(thread, "Where?", by=world.ana)
    async with world.api() as api:
        [reply] = await read_thread(api, desk.other, "", thread)
        assert (reply.body.markdown or "").strip() == "Where?"

    class Lacking:
        async def every(self, *_: object, **__: object) -> None:
            raise OperationMissing("It has none.", status=404)

    assert await read_thread(cast("Api", Lacking()), desk.other, "", thread) == []
    with pytest.raises(OperationMissing):
        await read_thread(cast("Api", Lacking()), desk.other, "r", thread)


async def test_a_page_is_called_by_its_title_where_it_is_there(world: World) -> None:
    desk = Inbox(world)
    page = world.page_id(desk.space, "a")
    world.edit_change_request(
        desk.request, edit=lambda editor: editor.rename(editor.find("a"), "Ah\x07 ", "a")
    )
    async with world.api() as api:
        assert await read_page_title(api, desk.space, "", page) == "A"
        assert await read_page_title(api, desk.space, desk.request, page) == "Ah"
        assert await read_page_title(api, desk.space, desk.request, "gone") == ""
        assert await read_comment(api, desk.space, "", "gone") is None
    there = world.comment(desk.space, "Look", change_request=desk.request)
    on_space = world.comment(desk.space, "Look")
    service = told.Desk(world)
    async with service.api() as api:
        for request, thread in ((desk.request, there), ("", on_space)):
            found = await read_comment(api, desk.space, request, thread)
            assert found is not None
            assert found.id == thread
            [asked] = service.asked()
            assert asked.endswith(f"/comments/{thread} format=markdown")
