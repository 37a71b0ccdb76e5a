"""The threads that wait on the reader, read again as things change around them."""

from __future__ import annotations

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewersRequest
from copydesk.server import threads
from copydesk.session.identity import Members
from copydesk.session.reads.inbox import Known, read_inbox
from tests.world import World


@pytest.mark.parametrize("counted", [True, False])
async def test_a_thread_waits_once_its_reader_is_asked_for_a_review(
    world: World, counted: bool
) -> None:
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"a": "One.\n"})
    request = world.change_request(space, {"a": "Two.\n"}, by=lee)
    thread = world.comment(space, "Is it two?", by=lee, change_request=request)
    known, people = Known(), Members()
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
