"""The client against a real server that fails in every way that `tests.faults` knows."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
import stamina

from copydesk.client.api import EMPTY_PAGES, Api
from copydesk.client.carrier import Timeouts
from copydesk.client.errors import (
    ApiError,
    Blocked,
    Conflict,
    Forbidden,
    Garbled,
    Intercepted,
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    Unauthorized,
    Unreachable,
)
from copydesk.client.wire import ATTEMPTS
from copydesk.contract import operations as ops
from copydesk.contract.models.comment import CommentCreate, MarkdownBody
from tests import faults
from tests.faulty import (
    Asked,
    Fault,
    FaultyServer,
    always,
    by_chance,
    healthy,
    script,
    serving,
    writes_only,
)
from tests.world import World

REFUSALS: dict[type[ApiError], tuple[Fault, ...]] = {
    RateLimited: (
        faults.LIMITED,
        faults.LIMITED_BRIEFLY,
        faults.LIMITED_LONG,
        faults.LIMITED_ODDLY,
    ),
    Unauthorized: (faults.UNAUTHORIZED,),
    Forbidden: (faults.FORBIDDEN,),
    NotFound: (faults.GONE,),
    Conflict: (faults.CONFLICT,),
    Blocked: (faults.BLOCKED,),
    Intercepted: (faults.MOVED, faults.PROXY_LOGIN, faults.NETWORK_LOGIN),
    Refused: (faults.TEAPOT,),
}
"""What says that nothing was done."""

BROKEN: dict[type[ApiError], tuple[Fault, ...]] = {
    Unreachable: (
        faults.RESET_UNREAD,
        faults.RESET_UNANSWERED,
        faults.CLOSED_UNREAD,
        faults.CLOSED_UNANSWERED,
        faults.RESET_MID_HEADERS,
        faults.RESET_MID_BODY,
        faults.CLOSED_MID_HEADERS,
        faults.CLOSED_MID_BODY,
        faults.LENGTH_TOO_LONG,
        faults.LENGTH_NONSENSE,
        faults.BROKEN_HEADER,
        faults.MANY_HEADERS,
        faults.NO_HTTP,
        faults.CHUNK_NONSENSE,
        faults.CHUNKS_CUT,
        *faults.HANGS,
    ),
    ServerFault: (
        faults.SERVER_ERROR,
        faults.SERVER_ERROR_AFTER,
        faults.BAD_GATEWAY,
        faults.BAD_GATEWAY_AFTER,
        faults.UNAVAILABLE,
        faults.UNAVAILABLE_A_WHILE,
        faults.GATEWAY_TIMEOUT,
        faults.STRANGE_STATUS,
    ),
    Garbled: (
        faults.TRUNCATED_JSON,
        faults.EMPTY_BODY,
        faults.HTML,
        faults.OTHER_JSON,
        faults.NULL,
        faults.LIST,
        faults.DEEP_JSON,
        faults.HUGE_NUMBER,
        faults.BROKEN_UTF8,
        faults.UTF16,
        faults.WRONG_ENCODING,
        faults.LENGTH_TOO_SHORT,
        faults.HUGE_BODY,
        faults.WRONG_TYPES,
    ),
}
"""What leaves open whether something was done."""

ANSWERED = (*faults.GOOD, *faults.ENDLESS, faults.STRANGE_ENCODING)
"""What is read all the same."""

SILENT = (*faults.HANGS, faults.LENGTH_TOO_LONG)
"""What ends when the client has waited long enough."""

BRIEF = Timeouts(connect=1, read=0.1, whole=0.2)


@pytest.fixture(autouse=True)
def _no_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=99, cap=True):
        yield


@asynccontextmanager
async def served(world: World) -> AsyncIterator[tuple[FaultyServer, Api]]:
    token = world.token(world.ana)
    async with serving(world.app) as server, Api(server.url, token) as api:
        yield server, api


def remark(text: str) -> CommentCreate:
    return CommentCreate(body=MarkdownBody(markdown=text))


async def outcome(asking: object) -> ApiError | None:
    try:
        await asyncio.wait_for(asking, 20)  # type: ignore[arg-type]
    except ApiError as error:
        return error
    return None


@pytest.mark.long
async def test_every_fault_is_an_error_of_its_kind_that_knows_what_may_have_been_done(
    world: World,
) -> None:
    space = world.space()
    expected: dict[Fault, type[ApiError] | None] = dict.fromkeys(ANSWERED)
    for table in (REFUSALS, BROKEN):
        expected.update((fault, kind) for kind, each in table.items() for fault in each)
    assert {fault.name for fault in faults.ALL} - {fault.name for fault in expected} == {
        faults.MANGLED.name  # may be read or not, as chance has it
    }
    async with served(world) as (server, api):
        for fault, kind in expected.items():
            server.plan = always(fault)
            asking = api.within(BRIEF) if fault in SILENT else api
            # The write goes first: what a short length leaves over breaks the request behind it.
            for reads in (False, True):
                before = len(server.asked)
                error = await outcome(
                    asking(ops.get_space, space)
                    if reads
                    else asking(ops.create_space_comment, space, remark("A thought"))
                )
                told = f"{fault.name}: {error!r}"
                assert type(error) is (kind or type(None)), told
                asked = server.asked[before:]
                assert len(asked) <= (ATTEMPTS if reads else 1), told
                if error is None:
                    continue
                assert error.message, told
                assert error.message.isprintable(), told
                assert "bytearray" not in error.message, told  # nothing of the answer
                assert error.sent is (kind in BROKEN), told
                assert error.sent or not any(each.status for each in asked), told
            # What went wrong once is over with the next request.
            server.plan = healthy
            assert (await api(ops.get_space, space)).id == space, fault.name


async def test_nobody_there_means_that_nothing_was_done(world: World) -> None:
    space = world.space()
    async with served(world) as (server, api):
        for _ in range(2):
            await api(ops.get_space, space)
            await server.down()
            write = await outcome(api(ops.create_space_comment, space, remark("Unheard")))
            assert isinstance(write, Unreachable)
            # The connection that was open broke; a new one was refused.
            assert write.sent is False or not server.arrived
            refused = await outcome(api(ops.create_space_comment, space, remark("Refused")))
            assert isinstance(refused, Unreachable)
            assert not refused.sent
            await server.up()
        assert (await api(ops.get_space, space)).comments == 0


async def test_lists_without_end_are_left(world: World) -> None:
    world.space()
    async with served(world) as (server, api):
        for fault in faults.ENDLESS:
            server.plan, before = always(fault), len(server.asked)
            with pytest.raises(Garbled, match="no end"):
                async for _ in api.pages(ops.list_organization_spaces, world.home):
                    pass
            assert len(server.asked) - before <= EMPTY_PAGES, fault.name


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
async def test_in_a_storm_what_is_acknowledged_is_there_once_and_nothing_twice(
    world: World, seed: int
) -> None:
    space = world.space()
    chance = random.Random(seed)
    quick = tuple(fault for fault in faults.QUICK if fault not in SILENT)
    heard: dict[str, bool | None] = {}

    async with served(world) as (server, api):
        server.plan = by_chance(seed, 0.5, quick)

        async def say(text: str) -> None:
            heard[text] = None  # until it is known, it may have arrived
            try:
                await api(ops.create_space_comment, space, remark(text))
            except ApiError as error:
                heard[text] = None if error.sent else False
            else:
                heard[text] = True

        async def talk(name: int) -> None:
            for turn in range(12):
                task = asyncio.ensure_future(say(f"{name}.{turn}"))
                if chance.random() < 0.2:
                    await asyncio.sleep(0)
                    task.cancel()
                await asyncio.wait([task])
                await outcome(api(ops.list_space_comments, space))

        await asyncio.wait_for(asyncio.gather(*map(talk, range(6))), 60)
        server.plan = healthy
        there = [comment async for comment in api.pages(ops.list_space_comments, space)]
        texts = [comment.body.markdown for comment in there]
    assert len(texts) == len(set(texts))
    for text, arrived in heard.items():
        assert arrived is None or arrived is (text in texts), text
    assert {True, False, None} <= set(heard.values())


async def test_a_request_that_changes_the_same_thing_again_goes_on_until_it_is_heard(
    world: World,
) -> None:
    space = world.space()
    comment = world.comment(space)

    def deletes(asked: Asked) -> bool:
        return asked.method == "DELETE"

    async with served(world) as (server, api):
        server.plan = writes_only(script(faults.RESET_UNREAD, faults.RESET_UNANSWERED))
        # It is gone after the second time, whose answer is lost; the third says so.
        error = await outcome(api(ops.delete_space_comment, space, comment))
        assert len([each for each in server.asked if deletes(each)]) == 3
        assert error is None or (isinstance(error, NotFound) and error.sent)
        # What is begun when the client is closed leaves no connection behind.
        writing = asyncio.create_task(api(ops.create_space_comment, space, remark("Late")))
        await asyncio.sleep(0)
        await api.aclose()
        await writing
        assert await server.left(20)
        late = await outcome(api(ops.get_space, space))
        assert isinstance(late, Unreachable)
        assert (late.sent, "was closed" in str(late)) == (False, True)
