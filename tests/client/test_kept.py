"""What a client keeps of what it reads, what it notes before it writes, and whose token it has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import stamina

from copydesk.client.api import ROUTES, Api, noting
from copydesk.client.cached_answers import Keeping
from copydesk.client.calls import Outgoing, outgoing, outgoing_of
from copydesk.client.carrier import Timeouts
from copydesk.client.errors import (
    Forbidden,
    Garbled,
    Invalid,
    NotCached,
    NotFound,
    ReadOnly,
    Unauthorized,
    Unreachable,
)
from copydesk.contract import operations as ops
from copydesk.contract.models.comment import CommentCreate, MarkdownBody
from copydesk.contract.models.space import SpaceUpdate
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.cached_answers import Kept
from copydesk.domain.request_context import cached_reading
from copydesk.local.answer_cache import Answers
from tests import faults
from tests.faulty import FaultyServer, always, script, serving, writes_only
from tests.world import World

PATIENT = Timeouts(connect=5, read=5)


@asynccontextmanager
async def served(
    world: World, path: Path | None = None, **settings: Any
) -> AsyncIterator[tuple[FaultyServer, Api]]:
    store = None if path is None else Answers(path)
    async with serving(world.app) as server:
        token = world.token(world.ana)
        with stamina.set_testing(True, attempts=4):
            async with Api(server.url, token, timeouts=PATIENT, store=store, **settings) as api:
                yield server, api


async def test_what_was_read_is_there_again_and_only_where_it_is_asked_for(
    world: World, tmp_path: Path
) -> None:
    space, path = world.space("Handbook"), tmp_path / "answers.db"
    async with served(world, path) as (server, api):
        assert api.caches
        with cached_reading() as found, pytest.raises(NotCached):
            await api(ops.get_space, space)
        assert found.oldest is None
        assert server.asked == []
        await api(ops.get_space, space)
        titles = [each.title async for each in api.pages(ops.list_organization_spaces, world.home)]
        with cached_reading() as found:  # not on the disk yet
            assert (await api(ops.get_space, space)).title == "Handbook"
        port = server.port

    # Another run, and nobody there: the same is read, and nothing is asked for.
    async with served(world, path) as (server, api):
        await server.down()
        with pytest.raises(Unreachable):
            await api(ops.get_space, space)
        with cached_reading() as found:
            kept, again = await asyncio.gather(
                api(ops.get_space, space),
                api.page(ops.list_organization_spaces, world.home, limit=250),
            )
            with pytest.raises(NotCached):
                await api(ops.get_space, "another")
            with pytest.raises(RuntimeError, match="writes"):
                await api(ops.update_space, space, SpaceUpdate())
            with pytest.raises(NotCached):  # of which nobody knows what it holds
                await api.raw("GET", f"/v1/spaces/{space}")
            late = asyncio.create_task(asyncio.sleep(0, found))
            leaked = asyncio.create_task(_after(late, api, space))
        assert (kept.title, [each.title for each in again.items]) == ("Handbook", titles)
        assert found.oldest is not None
        assert server.asked == []
        # What goes on after the block is not fed from the disk behind anybody's back.
        with pytest.raises(Unreachable):
            await leaked

        # What is not understood takes the place of nothing.
        await server.up()
        assert server.port != port
        server.plan = always(faults.HTML)
        with pytest.raises(Garbled):
            await api(ops.get_space, space)
        # Nor does a page that says no in the service's place take anything away.
        server.plan = always(faults.refusal(403, body=b"<html>Wi-Fi</html>"))
        with pytest.raises(Forbidden):
            await api(ops.get_space, space)
        server.plan = always(faults.SERVER_ERROR)
        with cached_reading():
            assert (await api(ops.get_space, space)).title == "Handbook"
        server.plan = always(faults.refusal(403))
        with pytest.raises(Forbidden):
            await api(ops.get_space, space)
        with cached_reading(), pytest.raises(NotCached):
            await api(ops.get_space, space)
        await api.forget_cached()
        with cached_reading(), pytest.raises(NotCached):
            await api(ops.get_space, space)

    async with served(world) as (_, api):
        assert not api.caches
        with cached_reading(), pytest.raises(NotCached):
            await api(ops.get_space, space)


async def test_a_slow_answer_takes_the_place_of_no_newer_one(tmp_path: Path) -> None:
    moment = [20.0]
    keeping = Keeping(Answers(tmp_path / "a.db", clock=lambda: moment[0]), lambda: moment[0])
    for asked, content in ((10.0, b"new"), (5.0, b"old")):
        keeping.keep("/v1/user", content, asked)
        assert await keeping.read("/v1/user") == Kept(b"new", 10.0)
    await keeping.held()
    keeping.keep("/v1/user", b"old", 5.0)
    await keeping.held()
    assert await keeping.read("/v1/user") == Kept(b"new", 10.0)
    # Unless that is of the future: the clock was set back.
    moment[0] = 8.0
    keeping.keep("/v1/user", b"now")
    await keeping.held()
    assert await keeping.read("/v1/user") == Kept(b"now", 8.0)
    await keeping.aclose()


async def _after(before: asyncio.Task[Any], api: Api, space: str) -> Any:
    await before
    return await api(ops.get_space, space)


async def test_what_is_kept_and_not_understood_is_as_good_as_nothing(
    world: World, tmp_path: Path
) -> None:
    space, path = world.space(), tmp_path / "answers.db"
    async with served(world, path) as (_, api):
        await api(ops.get_space, space)
    file = Answers(path)
    target = outgoing(ops.get_space, space).target
    found = file.read(target)
    assert found is not None
    file.keep({target: type(found)(b'{"object": 5}', found.at)})
    file.close()
    async with served(world, path) as (_, api):
        with cached_reading(), pytest.raises(NotCached):
            await api(ops.get_space, space)


async def test_what_may_hold_a_credential_is_not_kept(world: World, tmp_path: Path) -> None:
    secret = {each.name for each in CATALOGUE.values() if each.secret and each.method == "GET"}
    assert secret == {
        "get_change_request_pdf",
        "get_integration_event",
        "get_invite_link",
        "get_organization_audit_event",
        "get_published_site",
        "get_saml_provider",
        "get_site_publishing_auth",
        "get_space_pdf",
        "list_integration_events",
        "list_integration_installations",
        "list_integration_site_installations",
        "list_integration_space_installations",
        "list_invite_links",
        "list_organization_installations",
        "list_saml_providers",
        "list_share_links",
    }
    request = world.change_request(world.space())
    space = world.row("change_request", request)["space_id"]
    path = tmp_path / "answers.db"
    async with served(world, path) as (_, api):
        await api(ops.get_change_request_pdf, space, request)
        await api(ops.list_saml_providers, world.home)
        await api.raw("GET", "/v1/user")
        with cached_reading(), pytest.raises(NotCached):
            await api(ops.list_saml_providers, world.home)
    # What the service has, and no answer of it.
    assert Answers(path).held().count == 1
    assert Answers(path).read(ROUTES) is not None


async def test_a_write_is_noted_before_it_goes_and_can_be_sent_again(world: World) -> None:
    space = world.space()
    remark = CommentCreate(body=MarkdownBody(markdown="A thought \u202e with é"))
    noted: list[Outgoing] = []
    async with served(world) as (server, api):

        async def note(request: Outgoing) -> None:
            assert not server.arrived
            noted.append(request)

        async def refuse(request: Outgoing) -> None:
            raise OSError("the disk is full")

        with noting(refuse), pytest.raises(OSError, match="full"):
            await api(ops.create_space_comment, space, remark)
        assert server.asked == []
        server.plan = writes_only(script(faults.RESET_UNREAD))
        with noting(note):
            await api(ops.get_space, space)
            with pytest.raises(Unreachable) as lost:
                await api(ops.create_space_comment, space, remark)
            assert lost.value.sent
            await asyncio.gather(api(ops.get_space, space))
        assert [request.name for request in noted] == ["create_space_comment"]
        kept = noted[0].to_dict()
        assert outgoing_of(kept) == noted[0]
        # Repeated by the client: noted once.
        noted.clear()
        server.plan = writes_only(script(faults.UNAVAILABLE, faults.LIMITED_BRIEFLY))
        with noting(note):
            await api(ops.delete_space, world.space("Another"))
        assert [request.name for request in noted] == ["delete_space"]
    async with served(world) as (server, api):
        answer = await api.again(kept)
        assert b"A thought" in answer.content
        assert len(server.arrived) == 1
        page = await api.page(ops.list_space_comments, space)
        assert len(page.items) == 1

        wrong: tuple[dict[str, Any], ...] = (
            {},
            {**kept, "method": "BREW"},
            {**kept, "target": "https://elsewhere.example/"},
            {**kept, "target": "/v1/../files"},
            {**kept, "target": 5},
            {**kept, "body": 5},
            {**kept, "body": "\ud800"},
            {**kept, "creates": None},
        )
        for value in wrong:
            with pytest.raises(ValueError, match=r"call|path|surrogates"):
                await api.again(value)
        assert len(server.arrived) == 1


async def test_a_session_that_only_reads_sends_no_write(world: World) -> None:
    space = world.space()
    async with served(world, read_only=True) as (server, api):
        await api(ops.get_space, space)
        for write in (
            api(ops.update_space, space, SpaceUpdate()),
            api.raw("DELETE", f"/v1/spaces/{space}"),
            api.again(outgoing(ops.delete_space, space).to_dict()),
        ):
            with pytest.raises(ReadOnly, match="nothing was sent") as refused:
                await write
            assert not refused.value.sent
        assert [asked.method for asked in server.asked] == ["GET"]
        with pytest.raises(NotFound):
            await api(ops.get_space, "none")


async def test_another_token_is_sent_from_the_next_request_on(world: World) -> None:
    world.space()
    async with serving(world.app) as server, Api(server.url, "a-wrong-token") as api:
        with pytest.raises(Unauthorized):
            await api(ops.get_current_user)
        api.use_token(world.token(world.ana))
        assert (await api(ops.get_current_user)).id == world.ana
        told = b'{"error":{"message":"a-wrong-token?"}}'
        server.plan = always(faults.refusal(403, body=told, X_Request_Id="Bearer a-wrong-token"))
        with pytest.raises(Forbidden, match=r"…\?") as refused:
            await api(ops.get_current_user)
        assert refused.value.request_id == "Bearer …"
        # Of an id that a service made up: no address can be so long.
        with pytest.raises(Invalid, match="too long") as long:
            await api(ops.get_space, "x" * 70_000)
        assert not long.value.sent
        with pytest.raises(ValueError, match="token"):
            api.use_token("two words")
    within = world.api(world.user("ben"))
    within.use_token(world.token(world.ana))
    assert (await within(ops.get_current_user)).id == world.ana


async def test_the_services_clock_is_known(world: World) -> None:
    space = world.space()
    assert world.api().skew == timedelta(0)
    async with served(world) as (server, api):
        assert api.skew == timedelta(0)
        await api(ops.get_space, space)
        assert abs(api.skew) < timedelta(seconds=2)
        server.plan = always(faults.skew(timedelta(hours=-5)))
        for _ in range(2):
            await api(ops.get_space, space)
        # Nonsense, and one answer that is off, do not move it.
        server.plan = script(faults.CLOCK_NONSENSE, faults.CLOCK_AHEAD)
        for _ in range(2):
            await api(ops.get_space, space)
        server.plan = always(faults.skew(timedelta(hours=-5)))
        for _ in range(2):
            await api(ops.get_space, space)
        assert abs(api.skew + timedelta(hours=5)) < timedelta(seconds=2)
