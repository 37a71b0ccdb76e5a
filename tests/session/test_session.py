"""What all screens share: whom it is about, what is known of the service, messages and steps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx import ASGITransport

from copydesk.client.api import Api
from copydesk.client.errors import (
    Forbidden,
    Garbled,
    NotCached,
    OperationMissing,
    RateLimited,
    ServerFault,
    Unauthorized,
    Unreachable,
)
from copydesk.contract import operations as ops
from copydesk.domain.moments import apart
from copydesk.domain.request_context import cached_reading
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal
from copydesk.local.marks import DeskHidden
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.session.identity import identify, probe
from copydesk.session.reachability import BUSY, LIMIT, Contact
from copydesk.session.session import KEPT_MESSAGES, Session
from copydesk.session.writes.log import LogEntry
from tests.tui.strange import strange
from tests.world import BASE_URL, World

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def nowhere() -> Api:
    raise AssertionError("nothing is asked here")


def session(**more: Any) -> Session:
    return Session(nowhere, clock=lambda: NOW, **more)


def connected(world: World, **more: Any) -> Session:
    async def connect() -> Api:
        return world.api()

    return Session(connect, clock=lambda: world.clock.now, **more)


async def test_an_organization_is_called_as_it_is_known(world: World, tmp_path: Path) -> None:
    other = world.organization("Beta\x07", world.ana)
    ours = connected(world, snapshot=Snapshots(tmp_path))
    assert (ours.title_of(None), ours.title_of("o\x07")) == ("", "o")
    await ours.ready()
    assert ours.organization == world.home
    assert ours.title_of(None) == ours.title_of(world.home) == "Acme"
    assert ours.title_of(other) == "Beta"
    assert ours.title_of("elsewhere") == "elsewhere"
    # The next run begins there, before it asks anybody.
    again = session(snapshot=Snapshots(tmp_path))
    assert (again.organization, again.title_of(None)) == (world.home, "Acme")
    assert again.api is None
    assert session(organization="o", snapshot=Snapshots(tmp_path)).organization == "o"


@pytest.mark.parametrize(
    ("error", "quiet", "told"),
    [
        (Unauthorized("no"), True, ("", "", True, None)),
        (RateLimited("slow", retry_at=NOW + timedelta(seconds=9)), True, ("", LIMIT, False, 9)),
        (RateLimited("slow"), True, ("", LIMIT, False, 15)),
        (ServerFault("x", retry_at=NOW + timedelta(seconds=7)), True, ("", BUSY, False, 7)),
        (Forbidden("x", retry_at=NOW + timedelta(seconds=7)), False, ("", BUSY, False, 7)),
        (Forbidden("x", retry_at=NOW), True, ("", "", False, None)),
        (Forbidden("x"), True, ("", "", False, None)),
        (Garbled("x"), True, ("", "", False, None)),
        (ServerFault("broken"), False, ("", "", False, None)),
    ],
)
def test_a_failure_decides_when_the_service_is_asked_again(
    error: Exception, told: tuple[str, str, bool, int | None], *, quiet: bool
) -> None:
    ours, seen = session(contact=Contact(lambda: 0.0)), []
    ours.watch(lambda: seen.append(ours.offline))
    ours.learn(error, quiet=quiet)
    until = ours.contact.retry_at
    waits = None if until is None else round((until - NOW).total_seconds())
    assert (ours.offline, ours.contact.limited, ours.contact.refused, waits) == told
    assert bool(seen) is (told != ("", "", False, None))
    assert ours.confirmed is not told[2]


@pytest.mark.parametrize(("error", "quiet"), [(Unreachable("x"), False), (ServerFault("x"), True)])
def test_a_service_that_does_not_answer_is_offline(error: Exception, *, quiet: bool) -> None:
    ours, seen = session(), []
    ours.watch(lambda: seen.append(ours.offline))
    ours.learn(error, quiet=quiet)
    assert ours.offline
    assert seen == [ours.offline]
    assert ours.held
    assert not ours.read_due(NOW, 0)


async def test_an_answer_ends_the_silence_and_is_told_to_who_watches(world: World) -> None:
    ours, seen = connected(world), []
    await ours.ready()
    ours.unreachable("No route.")
    stop = ours.watch(lambda: seen.append((ours.offline, ours.read_at)))
    ours.fresh(tell=False)
    assert (seen, ours.offline, ours.read_at) == ([], "", world.clock.now)
    ours.fresh()
    assert seen == [("", world.clock.now)]
    stop()
    stop()
    ours.fresh()
    assert len(seen) == 1


async def test_clocks_that_differ_are_told_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    ours = connected(world, report=lambda text, tone: said.append(f"{tone}: {text}"))
    monkeypatch.setattr(Api, "skew", timedelta(hours=2))
    await ours.ready()
    ours.fresh()
    ours.fresh()
    assert said == [f"warn: {apart(timedelta(hours=2))}"]


def test_what_is_kept_is_shown_unless_a_write_of_mine_came_since() -> None:
    ours = session()
    early, late = NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)
    assert ours.may_recall(early)
    for state in ("failed", "recalled", "queued", "dropped"):
        ours.log.append(LogEntry(1, NOW, "Rename", "#1", state))
    assert ours.may_recall(early)
    ours.log.append(LogEntry(2, NOW, "Rename", "#1", "done"))
    assert not ours.may_recall(early)
    assert not ours.may_recall(NOW)
    assert ours.may_recall(late)
    ours.unreachable("No route.")
    assert ours.may_recall(early)
    ours.contact.answered()
    ours.contact.limit(NOW, None)
    assert ours.may_recall(early)
    ours.contact.refused = True
    assert not ours.may_recall(late)


def test_messages_are_kept_once_each_and_the_newest_of_them() -> None:
    ours = session()
    ours.log.append(LogEntry(1, NOW, "Rename", "#1", "done", "Renamed."))
    ours.note("Renamed.")
    assert ours.messages == []
    for at in range(KEPT_MESSAGES + 2):
        ours.note(f"Word {at}")
        ours.note(f"Word {at}")
    assert [each.message for each in ours.messages] == [
        f"Word {at}" for at in range(2, KEPT_MESSAGES + 2)
    ]
    first = ours.messages[0]
    assert (first.number, first.at, first.what, first.target, first.state) == (
        -2, NOW, "Message", "", "said",
    )  # fmt: skip
    assert len({each.number for each in (*ours.messages, *ours.log)}) == KEPT_MESSAGES + 1


async def test_steps_on_this_machine_do_what_they_name_and_tell_whether_it_is_so(
    tmp_path: Path,
) -> None:
    store = State(tmp_path / "state.db")
    ours = session(
        draft_store=DeskDrafts(store, "d"), hidden=DeskHidden(store, "d"),
        journal=Journal(store, "d"),
    )  # fmt: skip
    steps = ours.local_steps
    await steps["hide_findings"](keys=["a", "b"], hidden=True)
    assert await steps["hidden_findings"](keys=["a"]) == {"hidden": True}
    assert await steps["hidden_findings"](keys=["a", "c"]) == {"hidden": False}
    await steps["hide_findings"](keys=["a"], hidden=False)
    assert await steps["hidden_findings"](keys=["a"]) == {"hidden": False}
    assert await steps["hidden_findings"](keys=["b"]) == {"hidden": True}
    ours.drafts.save("S/C/request", "Words.")
    ours.drafts.flush()
    assert await steps["draft"](key="S/C/request") == {"kept": True}
    await steps["drop_draft"](key="S/C/request")
    assert await steps["draft"](key="S/C/request") is None
    await steps["restore_draft"](key="S/C/request")
    assert ours.drafts.own_text("S/C/request") == "Words."
    assert await steps["queued"](id="none") is None


async def test_what_the_service_has_and_leaves_is_known_once_connected(world: World) -> None:
    ours = connected(world)
    assert (ours.budget, ours.share, ours.slow, ours.may_spend) == (None, 1.0, False, True)
    assert ours.has(ops.get_space)
    assert (ours.without(["get_space"]), ours.lacks_any) == (None, False)
    assert ours.now == world.clock.now
    assert (ours.rearranges, dict(ours.merges_when_ready)) == (False, {})
    api = await ours.ready()
    assert await ours.ready() is ours.api is api
    assert ours.me is not None
    assert ours.me.id == world.ana
    assert ours.budget == api.budget
    assert ours.arranging is ours.arranging
    assert ours.news is ours.news
    assert ours.waiting_merges is ours.waiting_merges
    assert not ours.rearranges
    ours.hold_stuck(None)
    ours.hold_stuck(("c", "1", "2"))
    assert ours.stuck == {("c", "1", "2")}
    async with strange(world, "?", lambda answer: answer, lacks="/links") as bare:
        ours._api = bare
        with pytest.raises(OperationMissing):
            await bare.page(ops.list_space_page_links, "s", "p")
        assert str(ours.without(["list_space_page_links"])).startswith("This service has no ")
        assert ours.without(["list_space_page_links", "get_space"]) is None


@pytest.mark.parametrize(
    ("share", "slow", "may_spend"),
    [(1.0, False, True), (0.51, False, True), (0.5, False, False), (0.25, False, False),
     (0.24, True, False)],
)  # fmt: skip
async def test_a_low_budget_is_spared(
    world: World, monkeypatch: pytest.MonkeyPatch, share: float, *, slow: bool, may_spend: bool
) -> None:
    ours = connected(world)
    monkeypatch.setattr(Session, "share", share)
    assert (ours.slow, ours.may_spend) == (slow, may_spend)


async def test_a_client_that_cannot_say_who_one_is_is_closed_and_the_next_one_asked(
    world: World,
) -> None:
    made: list[Api] = []
    closed: list[Api] = []

    class Closing(Api):
        async def aclose(self) -> None:
            closed.append(self)
            await super().aclose()

    async def connect() -> Api:
        made.append(Closing(BASE_URL, world.token(world.ana), transport=ASGITransport(world.app)))
        return made[-1]

    async def refused(session: Session, api: Api) -> None:
        assert session.made is api
        raise Unauthorized("Who?", status=401)

    ours = Session(connect, identify=refused)
    with pytest.raises(Unauthorized):
        await ours.ready()
    assert (ours.api, ours.made, closed) == (None, None, made)
    ours.identify = identify
    assert await ours.ready() is made[1]
    assert (ours.api, ours.made, closed) == (made[1], made[1], made[:1])


async def test_after_a_refused_token_nothing_that_was_kept_is_shown(world: World) -> None:
    ours = connected(world)
    await ours.ready()
    ours.contact.refused = True
    assert await ours.ready() is ours.api
    before = ours.contact.answers
    with cached_reading():
        with pytest.raises(NotCached, match=r"^What was saved for a token is not shown once"):
            await ours.ready()
        ours.fresh()
    assert (ours.read_at, ours.contact.answers) == (None, before), "no answer of the service came"
    waits = [ours.unanswered]
    ours.fresh()
    waits.append(ours.unanswered)
    ours.unreachable("No route.")
    assert [*waits, ours.unanswered] == [True, False, True]


async def test_a_service_that_was_away_is_asked_once_whether_it_is_back(world: World) -> None:
    ours = connected(world)
    ours.unreachable("No route.")
    ours.probe()
    task = ours.confirming
    assert task is not None
    ours.probe()
    assert ours.confirming is task
    await task
    assert not ours.offline
    ours.probe()
    assert ours.confirming is not task
    await ours.confirming


async def test_a_service_that_is_away_still_is_known_to_be() -> None:
    async def connect() -> Api:
        raise ServerFault("It broke.", status=500)

    ours = Session(connect)
    await probe(ours)
    assert ours.contact.failures == 1
    assert ours.offline
