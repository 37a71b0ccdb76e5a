"""Reads from what is kept on this machine: when it stands in for the service, and what is told."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import NotCached, NotFound, Unreachable
from copydesk.contract import operations as ops
from copydesk.domain.cached_answers import NOTHING
from copydesk.domain.request_context import leave_cache, reads_cached
from copydesk.local.answer_cache import Answers
from copydesk.local.snapshot import Snapshots
from copydesk.session.cached_reads import (
    OWN_DESK,
    CachedRead,
    about_cache,
    clear_cache,
    live_or_cached,
    read_cached,
)
from copydesk.session.errors import NotDoneError
from copydesk.session.reachability import BUSY, LIMIT
from copydesk.session.session import Session
from copydesk.session.space_snapshot import KEY
from tests.world import BASE_URL, World


class Program:
    """A program whose service may be away, with what it keeps of the answers."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.space = world.space("Handbook")
        self.away = ""
        self.asked = 0
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.snapshots = Snapshots(folder / "snapshots")
        self.api = Api(
            BASE_URL, world.token(world.ana), transport=httpx.MockTransport(self._answer),
            store=Answers(folder / "answers.db", clock=self._seconds), clock=self._seconds,
        )  # fmt: skip

        async def connect() -> Api:
            return self.api

        async def nobody(session: Session, api: Api) -> None:
            """Ask nothing when connecting."""

        self.session = Session(
            connect, snapshot=self.snapshots, clock=lambda: world.clock.now, identify=nobody
        )

    def _seconds(self) -> float:
        return self.world.clock.now.timestamp()

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.away == "limit":
            return httpx.Response(429, headers={"retry-after": "900"})
        if self.away == "gone":
            return httpx.Response(404, json={"error": {"code": 404, "message": "Gone"}})
        if self.away:
            raise httpx.ConnectError(self.away)
        return await self._desk.handle_async_request(request)

    async def title(self, api: Api) -> str:
        return (await api(ops.get_space, self.space)).title

    async def live_or_cached(self) -> CachedRead[str]:
        return await live_or_cached(self.session, self.title)


@pytest.fixture
def program(world: World, tmp_path: Path) -> Program:
    return Program(world, tmp_path)


async def test_the_service_is_asked_and_what_is_kept_stands_in_while_it_is_away(
    program: Program,
) -> None:
    clock = program.world.clock
    program.away = "No route"
    with pytest.raises(Unreachable):
        await program.live_or_cached()
    program.session.contact.answered()
    program.away = ""
    assert await program.live_or_cached() == CachedRead("Handbook", None)
    read_at = clock.now
    program.world.commit(program.space, {"new": "New.\n"})
    clock.now += timedelta(hours=2)
    program.away = "No route"
    found = await program.live_or_cached()
    assert found == CachedRead("Handbook", read_at, "Offline")
    note = found.note(clock.now)
    assert note.startswith("Offline: this is what the service said ")
    assert CachedRead("x", None).note(clock.now) == ""
    # A service that is known to be away is not waited for again; what is not kept is asked for.
    assert program.session.held
    asked = program.asked
    assert await program.live_or_cached() == found
    assert program.asked == asked
    with pytest.raises(Unreachable):
        await live_or_cached(program.session, lambda api: api(ops.get_organization, "gone"))
    assert program.asked > asked
    program.session.contact.refused = True
    with pytest.raises(Unreachable):
        await program.live_or_cached()


@pytest.mark.parametrize(
    ("why", "said"), [(LIMIT, "API limit reached"), (BUSY, "The service is busy")]
)
async def test_why_the_service_is_not_asked_is_told(program: Program, why: str, said: str) -> None:
    await program.live_or_cached()
    now = program.world.clock.now
    program.session.contact.limit(now, now + timedelta(seconds=60), why)
    assert (await program.live_or_cached()).why == said


async def test_a_limit_that_is_met_has_what_is_kept_shown(program: Program) -> None:
    await program.live_or_cached()
    program.away = "limit"
    assert (await program.live_or_cached()).why == "API limit reached"


async def test_no_refusal_of_the_service_is_passed_over(program: Program) -> None:
    await program.live_or_cached()
    program.away = "gone"
    with pytest.raises(NotFound):
        await program.live_or_cached()


async def test_what_needs_no_answer_is_as_good_as_read_now(program: Program) -> None:
    async def none() -> str:
        assert reads_cached()
        leave_cache()
        assert not reads_cached()
        return "none"

    assert not reads_cached()
    assert await read_cached(none) == CachedRead("none", None)
    assert not reads_cached()
    program.session.contact.lost(program.world.clock.now, "No route")
    found = await live_or_cached(program.session, lambda api: none())
    assert found == CachedRead("none", None, "Offline")


async def test_one_missing_answer_leaves_nothing(program: Program) -> None:
    await program.title(program.api)

    async def both() -> list[str]:
        return [await program.title(program.api), await home()]

    async def home() -> str:
        return (await program.api(ops.get_organization, program.world.home)).title

    async def either() -> str:
        try:
            return await home()
        except NotCached:
            return "unknown"

    found = await read_cached(lambda: program.title(program.api))
    assert found == CachedRead("Handbook", program.world.clock.now)
    assert await read_cached(both) is None
    # Who goes on without it has not all there is.
    assert await read_cached(either) is None


async def test_what_is_kept_is_told_and_dropped(program: Program) -> None:
    session, clock = program.session, program.world.clock
    await program.title(await session.ready())
    told = await about_cache(session)
    assert re.match(r"Saved: \d answers? \(\d", told)
    assert "the oldest read just now. “:cache clear” clears all of it." in told
    clock.now += timedelta(hours=3)
    assert "the oldest read 3 h ago." in await about_cache(session)
    session.snapshot.write(KEY, [{"a": 1}])
    said = await clear_cache(session)
    assert re.match(r"Cleared \d answers? \(\d", said)
    assert session.snapshot.read(KEY) == []
    assert await about_cache(session) == NOTHING
    assert await clear_cache(session) == NOTHING
    assert await read_cached(lambda: program.title(program.api)) is None


async def test_a_disk_that_refuses_keeps_the_cache(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    await program.title(await program.session.ready())

    def refuse() -> None:
        raise OSError("Read-only file system")

    monkeypatch.setattr(program.session.snapshot, "forget", refuse)
    with pytest.raises(NotDoneError, match=r"^Not cleared: Read-only file system\.$"):
        await clear_cache(program.session)


async def test_the_own_desk_keeps_nothing(world: World) -> None:
    async def connect() -> Api:
        return world.api()

    session = Session(connect, clock=lambda: world.clock.now)
    assert await about_cache(session) == OWN_DESK
    assert await clear_cache(session) == OWN_DESK
    space = world.space("Handbook")
    session.contact.lost(world.clock.now, "No route")
    found = await live_or_cached(session, lambda api: api(ops.get_space, space))
    assert (found.result.title, found.at) == ("Handbook", None)
    assert session.held
