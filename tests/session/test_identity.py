"""Who I am and where: found at the start, chosen, and asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract.models.user import User
from copydesk.domain.mention import Named
from copydesk.local.answer_cache import Answers, answers_file
from copydesk.local.snapshot import Snapshots
from copydesk.session.identity import (
    REMEMBERED,
    be_at,
    choose,
    confirm,
    identify,
    identify_at,
    note_owner,
    probe,
    remembered,
    tell_owner,
)
from copydesk.session.names import named, person_name
from copydesk.session.session import Session
from copydesk.session.target import Target
from tests.tui.strange import strange
from tests.world import BASE_URL, World


class Way(httpx.AsyncBaseTransport):
    """The way to a desk, which may be cut and may not say who one is."""

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.down = self.nobody = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("No route.", request=request)
        if self.nobody and request.url.path.endswith("/user"):
            return httpx.Response(404, text="Not found")
        return await self._desk.handle_async_request(request)


def full_disk() -> None:
    raise OSError("the disk is broken")


def test_a_name_is_one_line_wherever_it_is_used() -> None:
    user = User.model_construct(id="u1", display_name="Ana \n\u00a0 Lima\x1b[0m", email="a@x.test")
    assert person_name(user) == "Ana Lima"
    assert named(user) == Named("u1", "Ana Lima", "a@x.test")
    assert named(user.model_copy(update={"display_name": " \x07"})).name == ""


def who(session: Session) -> User | None:
    return session.me


def where(session: Session) -> tuple[str | None, str]:
    return session.organization, session.organization_title


class Keeper:
    """Notes whose state is on this machine."""

    noted: list[tuple[str, str]] = []
    full = False

    def note(self, who: str, name: str) -> str:
        if self.full:
            raise OSError(28, "No space left on device")
        self.noted.append((who, name))
        return "Drafts of Lee stay theirs."


async def test_who_one_is_is_asked_behind_a_start_from_kept_answers(
    world: World, tmp_path: Path
) -> None:
    async def connect() -> Api:
        api = Api(BASE_URL, world.token(world.ana), transport=Way(world))
        api.cache_in(Answers(answers_file(tmp_path, "desk")))
        return api

    first = Session(connect)
    await (await first.ready()).aclose()
    assert (first.confirmed, first.confirming) == (True, None)
    session = Session(connect)
    async with await session.ready():
        assert (who(session), session.confirmed) == (first.me, False)
        assert session.confirming is not None
        await session.confirming
        assert session.confirmed


async def test_where_one_begins_and_goes(world: World, tmp_path: Path) -> None:
    snapshot = Snapshots(tmp_path, "desk")
    assert remembered(snapshot) == (None, "")
    other = world.organization("Other\x07", world.ana)
    hidden = world.organization("Hidden", world.user("lee"))
    space = world.space("Guide", organization=other)
    closed = world.space("Closed", organization=hidden)
    way = Way(world)
    async with Api(BASE_URL, world.token(world.ana), transport=way) as api:

        async def connect() -> Api:
            return api

        session = Session(connect, snapshot=snapshot)
        touched: list[str | None] = []
        session.watch(lambda: touched.append(session.organization))
        await identify(session, api)
        assert session.me is not None
        assert session.me.id == world.ana
        assert session.organization == world.home
        assert session.organization_titles == {world.home: "Acme", other: "Other"}
        assert remembered(snapshot) == (world.home, "Acme")
        assert touched == [world.home]
        for target, there in (
            (Target(organization=other), other), (Target(organization=world.home), world.home),
            (Target(space=space), other),
            (Target(organization=world.home, space=space), world.home),
            (Target(organization=hidden), world.home), (Target(space=closed), world.home),
            (Target(organization="gone", space=space), other), (Target(), other),
        ):  # fmt: skip
            await be_at(target, session, api)
            assert session.organization == there, target
            assert remembered(snapshot)[0] == there
        assert session.organization_title == "Other"
        await choose(session, "new", "")
        assert (session.organization, session.organization_title) == ("new", "")
        assert "new" not in session.organization_titles
        # It stays where the last run was, and goes where that is not any more.
        again = Session(connect, snapshot=snapshot)
        assert again.organization == "new"
        await identify_at(Target(), again, api)
        assert again.organization == world.home
        snapshot.write(REMEMBERED, [{"organization": other, "title": 3}])
        assert remembered(snapshot) == (other, "")
        third = Session(connect, snapshot=snapshot)
        await identify_at(Target(space=closed), third, api)
        assert (third.organization, third.organization_title) == (other, "Other")
        # Who one is was asked again: another person begins there, too.
        third.organization = None
        await identify(third, api)
        assert where(third) == (other, "Other")
        for row in ({"organization": 3}, {"organization": ""}, {"title": "T"}):
            snapshot.write(REMEMBERED, [row])
            assert remembered(snapshot) == (None, "")
        way.nobody = True
        await identify(third, api)
        assert third.me is None

    def many(answer: Any) -> None:
        answer["next"] = {"page": "2"}

    async with strange(world, "/orgs", many) as api:
        far = Session(connect, organization="far", organization_title="Far")
        await identify(far, api)
        assert where(far) == ("far", "Far"), "it may be on a later page"
    async with world.api(world.user("nobody", member=False)) as api:
        lost = Session(connect, organization=other, organization_title="Other")
        await identify(lost, api)
        assert (lost.organization, lost.organization_title) == (None, "")


async def test_who_one_is_is_asked_again_and_another_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    way = Way(world)
    said: list[str] = []
    api = Api(BASE_URL, world.token(world.ana), transport=way)

    async def connect() -> Api:
        return api

    keeper: Any = Keeper()
    session = Session(connect, report=lambda text, tone: said.append(f"{tone}: {text}"))
    assert await note_owner(session) == ""
    session.token = keeper
    await session.ready()
    assert said == ["warn: Drafts of Lee stay theirs."]
    assert keeper.noted == [(world.ana, "Ana Silva")]
    me, others = session.me, list[int]()
    session.others = lambda: others.append(1)
    session.confirmed = False
    await confirm(session, api)
    assert session.confirmed
    assert (session.me, others) == (me, [])
    assert session.read_at is not None
    session.confirmed = False
    way.down = True
    await probe(session)
    assert session.offline.startswith("Offline")
    way.down = False
    await probe(session)
    assert session.offline == ""
    assert me is not None
    session.me = me.model_copy(update={"id": "lee", "display_name": "Lee\x07"})
    said.clear()
    before = session.members
    session.snapshot.write(REMEMBERED, [{"organization": "lees", "title": "Lee's"}])
    await confirm(session, api)
    assert session.me == me
    assert remembered(session.snapshot) == (world.home, "Acme"), "not where Lee was"
    assert others == [1]
    assert session.members is not before
    assert session.organization == world.home
    assert said == [
        "warn: This token is Ana Silva's. What was saved here for Lee is cleared, and read again. "
        "Drafts of Lee stay theirs."
    ]
    session.me = me.model_copy(update={"id": "lee", "display_name": "Lee"})
    said.clear()
    api.cache_in(store := Answers(answers_file(tmp_path, "desk")))
    with monkeypatch.context() as refused:
        refused.setattr(session.snapshot, "forget", full_disk)
        await confirm(session, api)
    assert said == [
        "warn: This token is Ana Silva's. What was saved here for Lee is shown no more, but it "
        "could not be cleared: the disk is broken. Drafts of Lee stay theirs."
    ]
    assert not api.caches
    store.close()
    session.me = me.model_copy(update={"display_name": "", "email": None})
    assert await note_owner(session)
    assert keeper.noted[-1] == (world.ana, world.ana)
    keeper.full = True
    said.clear()
    await tell_owner(session)
    assert said == []
    way.nobody = True
    await confirm(session, api)
    assert who(session) is None
    assert session.confirmed
    await api.aclose()
