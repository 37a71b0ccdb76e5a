"""Requests that wait for their rules, on a real desk: merged once, and only as they were seen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Unreachable
from copydesk.contract import operations as ops
from copydesk.contract.models.comment import MarkdownBody
from copydesk.contract.models.review import ReviewCreate
from copydesk.domain.merge_run import MergeRun
from copydesk.domain.reversal import Step
from copydesk.local.journal import Journal
from copydesk.local.runs import WaitingRuns
from copydesk.local.state import State
from copydesk.server import threads
from copydesk.server.store import Tx
from copydesk.session.errors import NotDoneError
from copydesk.session.reachability import WAITING_SECONDS
from copydesk.session.runs.waiting import (
    BUSY,
    CHANGED,
    WaitingMerges,
    reversal_of,
    when_ready,
)
from copydesk.session.session import Session
from copydesk.session.writes.outbox import UNCONFIRMED
from tests.drive import eventually
from tests.tui.arranging_world import Way
from tests.world import BASE_URL, World

RULES = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}


class Watched(Way):
    """A way on which something else happens once a path was read."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.then: Callable[[str], None] = lambda path: None
        self.first: Callable[[], None] = lambda: None
        """Happens just before a write arrives."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            self.first()
        response = await super().handle_async_request(request)
        if request.method == "GET":
            self.then(request.url.path)
        return response


class Waits:
    """A space that wants a review, and a program that lets requests of it wait."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.lee = world.user("lee", display_name="Lee Park")
        self.space = world.space("Guide", {"auth": "# Auth\n"}, merge_rules=RULES)
        self.way = Watched(world)
        self.said: list[str] = []
        self.merges = self.begin()

    def begin(self, person: str = "") -> WaitingMerges:
        """Start a program for a person; the next is another one on the same disk."""
        world = self.world

        def seconds() -> float:
            return world.clock.now.timestamp()

        api = Api(BASE_URL, world.token(person or world.ana), transport=self.way, clock=seconds)

        async def connect() -> Api:
            return api

        store = State(self.folder / "state.db", clock=seconds)
        session = Session(
            connect,
            waiting_runs=WaitingRuns(store, "desk"),
            journal=Journal(store, "desk"),
            clock=lambda: world.clock.now,
            report=lambda said, tone: self.said.append(said),
        )
        self.session = session
        return session.waiting_merges

    def request(self, page: str) -> str:
        """Open a request that adds a page."""
        return self.world.change_request(
            self.space, {page: f"# {page}\n"}, subject=page, by=self.lee
        )

    async def wait(self, request: str) -> MergeRun:
        """Let a request wait, as it is seen now."""
        async with self.world.api() as api:
            seen = await api(ops.get_change_request, self.space, request)
        run = await self.merges.plan(seen, "Guide")
        await self.merges.put(run.id, self.merges.as_json(run))
        return run

    async def approve(self, request: str, words: str = "") -> None:
        """Approve a request as its reader."""
        async with self.world.api() as api:
            body = ReviewCreate(status="approved")
            if words:
                body.comment = MarkdownBody(markdown=words)
            await api(ops.create_change_request_review, self.space, request, body)

    def status(self, request: str) -> str:
        return str(self.world.row("change_request", request)["status"])


@pytest.fixture
def waits(world: World, tmp_path: Path) -> Waits:
    return Waits(world, tmp_path)


async def test_in_any_order_none_is_merged_that_was_not_seen(waits: Waits) -> None:
    chance = Random(10)
    requests = {f"page-{n}": waits.request(f"page-{n}") for n in range(12)}
    runs = {name: await waits.wait(each) for name, each in requests.items()}
    news: dict[str, list[str]] = {name: [] for name in requests}
    for _ in range(4):
        for name, request in requests.items():
            if waits.status(request) == "merged":
                continue
            does = chance.choice(["nothing", "nothing", "edit", "say", "approve"])
            if does == "edit":
                text = {name: f"# Unseen {chance.random()}\n"}
                waits.world.edit_change_request(request, text, by=waits.lee)
            elif does == "say":
                waits.world.comment(waits.space, by=waits.lee, change_request=request)
            elif does == "approve":
                await waits.approve(request)
            if does in ("edit", "say"):
                news[name].append(does)
        waits.world.clock.now += timedelta(seconds=WAITING_SECONDS)
        await waits.merges.look()
    merged = [name for name, each in requests.items() if waits.status(each) == "merged"]
    assert merged
    for name, request in requests.items():
        run = waits.merges.run(runs[name].id)
        if waits.status(request) == "merged":
            assert not news[name]
            assert run is None
            continue
        assert run is not None
        assert (run.stopped is not None) == bool(news[name])


async def test_the_words_of_the_approval_that_it_waits_for_do_not_stop_it(waits: Waits) -> None:
    request = waits.request("page")
    await waits.wait(request)
    await waits.approve(request, "Reads well.")
    await waits.merges.look()
    assert waits.status(request) == "merged"


async def test_two_programs_merge_it_once_and_a_lost_answer_is_not_sent_again(
    waits: Waits,
) -> None:
    first, lost = waits.request("first"), waits.request("lost")
    run = await waits.wait(first)
    other = waits.begin()
    await waits.approve(first)
    waits.way.hold = asyncio.Event()
    looking = asyncio.create_task(waits.merges.look())
    await eventually(lambda: bool(waits.way.writes), lambda: asyncio.sleep(0))
    with pytest.raises(NotDoneError, match=BUSY):
        await other.look()
    kept = WaitingRuns(State(waits.folder / "state.db"), "desk").load(run.id)
    assert kept is not None
    assert kept.items[0].sent == "merge", "who is killed now is known to have sent it"
    waits.way.hold.set()
    await looking
    await other.look()
    assert (waits.status(first), waits.way.writes) == ("merged", ["POST"])
    assert waits.said == ["#1 first is merged. Its rules hold."]
    assert [run.items[0].label for run in await other.former()] == ["#1"]

    run = await waits.wait(lost)
    await waits.approve(lost)
    # It is updated first, for main has the other by now.
    waits.way.trouble[3] = "blind"
    await waits.merges.look()
    stopped = waits.merges.run(run.id)
    assert stopped is not None
    assert stopped.stopped is not None
    assert stopped.stopped.reason == "unknown"
    waits.way.reads = ""
    await waits.merges.look()
    assert len(waits.way.writes) == 3, "it waits for a person"
    await waits.merges.again(run.id)
    await waits.merges.look()
    assert len(waits.way.writes) == 3, "it was found by reading"
    assert (waits.status(lost), waits.merges.runs) == ("merged", ())


async def test_an_edit_that_comes_while_it_is_read_is_not_merged(waits: Waits) -> None:
    request = waits.request("late")
    run = await waits.wait(request)
    await waits.approve(request)

    def edit(path: str) -> None:
        if path.endswith("/reviews"):
            waits.way.then = lambda path: None
            waits.world.edit_change_request(request, {"late": "# Unseen\n"}, by=waits.lee)

    waits.way.then = edit
    await waits.merges.look()
    assert waits.way.writes == []
    stopped = waits.merges.run(run.id)
    assert [*waits.merges.standing.values()] == [False]
    assert stopped is not None
    assert stopped.items[0].reason == "edit"


async def test_a_verdict_that_comes_after_it_was_read_is_read_before_it_is_merged(
    waits: Waits,
) -> None:
    request = waits.request("doubted")
    run = await waits.wait(request)
    await waits.approve(request)
    asked: set[str] = set()

    def write(tx: Tx) -> None:
        threads.add_review(tx, request, waits.lee, "changes-requested")
        tx.update("change_request", request, updated_at=tx.now)

    def object_to(path: str) -> None:
        """Object once all was read that the merge depends on, but for the last look."""
        asked.add(path.rpartition("/")[2])
        if asked >= {"reviews", "requested-reviewers"}:
            waits.way.then = lambda path: None
            waits.world.clock.now += timedelta(minutes=1)
            waits.world.write(write)

    waits.way.then = object_to
    await waits.merges.look()
    assert waits.way.writes == []
    stopped = waits.merges.run(run.id)
    assert stopped is not None
    assert stopped.items[0].reason == "comment"


async def test_nothing_is_merged_where_the_last_look_fails(waits: Waits) -> None:
    request = waits.request("unseen")
    run = await waits.wait(request)
    await waits.approve(request)
    asked: set[str] = set()

    def go_away(path: str) -> None:
        asked.add(path.rpartition("/")[2])
        if asked >= {"reviews", "requested-reviewers"}:
            waits.way.reads = "down"

    waits.way.then = go_away
    await waits.merges.look()
    assert waits.way.writes == []
    assert waits.session.offline
    left = waits.merges.run(run.id)
    assert left is not None
    assert (left.state, left.items[0].sent) == ("paused", "")
    waits.way.reads, waits.way.then = "", lambda path: None
    await waits.merges.look()
    assert waits.status(request) == "merged"


@pytest.mark.parametrize("trouble", [None, "lost"])
async def test_an_edit_between_the_last_look_and_the_merge_is_told(
    waits: Waits, trouble: str | None
) -> None:
    request = waits.request("raced")
    await waits.wait(request)
    await waits.approve(request)

    def edit() -> None:
        waits.world.edit_change_request(request, {"raced": "# Unseen\n"}, by=waits.lee)

    waits.way.first = edit
    if trouble is not None:
        waits.way.trouble[1] = trouble
    await waits.merges.look()
    assert waits.status(request) == "merged"
    assert "more was merged than was read" in waits.said[-1]
    [former] = await waits.merges.former()
    assert ":revert reverts the merge" in former.items[0].said


async def test_nobody_merges_by_themselves_what_another_account_lets_wait(waits: Waits) -> None:
    request = waits.request("mine")
    run = await waits.wait(request)
    await waits.approve(request)
    # The same profile, with the token of somebody else who may merge.
    kim = waits.world.user("kim", role="admin")
    other = waits.begin(kim)
    await other.look()
    assert (waits.way.writes, other.waiting) == ([], [])
    assert other.run(run.id) == waits.merges.run(run.id)
    assert other.note() == "1 of another account"
    with pytest.raises(NotDoneError, match=r"^Another account"):
        await other.again(run.id)
    await waits.merges.look()
    assert waits.status(request) == "merged"


async def test_what_no_one_known_lets_wait_is_merged_with_any_token(waits: Waits) -> None:
    request = waits.request("anyone")
    await waits.session.ready()
    waits.session.me = None
    run = await waits.wait(request)
    await waits.approve(request)
    other = waits.begin(waits.world.user("kim", role="admin"))
    await other.look()
    assert (run.by, waits.status(request)) == ("", "merged")


async def test_nothing_is_merged_before_the_service_has_said_whose_token_it_is(
    waits: Waits,
) -> None:
    request = waits.request("unconfirmed")
    await waits.wait(request)
    await waits.approve(request)
    waits.session.confirmed = False
    waits.way.reads = "down"
    await waits.merges.look()
    assert waits.merges.trouble == UNCONFIRMED
    waits.way.reads = ""
    await waits.merges.look()
    assert (waits.merges.trouble, waits.status(request)) == ("", "merged")


async def test_letting_a_request_wait_is_undone_and_redone(waits: Waits) -> None:
    request = waits.request("undone")
    async with waits.world.api() as api:
        seen = await api(ops.get_change_request, waits.space, request)
    run = await waits.merges.plan(seen, "Guide")
    kept = waits.merges.as_json(run)
    await waits.session.writes.perform(
        "Merge when ready", "#1", lambda: waits.merges.put(run.id, kept),
        reversal=reversal_of(run.id, None, kept),
    )  # fmt: skip
    undo = waits.session.reversals
    for _ in "twice":
        assert waits.merges.standing == {(waits.space, request): True}
        await undo.undo()
        assert waits.merges.standing == {}
        await undo.take_back(undo.redoable(), again=True)


async def test_a_killed_program_leaves_it_for_the_next_which_reads_first(waits: Waits) -> None:
    request = waits.request("killed")
    run = await waits.wait(request)
    await waits.approve(request)
    # As it was on the disk when the process ended, before its merge went out.
    going = run.go_on().advance(1.0)
    going = going.change(going.items[0].key, state="merging", sent="merge")
    await waits.merges.put(run.id, waits.merges.as_json(going))
    other = waits.begin()
    await other.look()
    assert waits.way.writes == []
    assert "no answer came" in waits.said[-1]
    await other.again(run.id)
    await other.look()
    assert waits.status(request) == "merged"


def test_its_way_back_lets_it_wait_again_or_no_more() -> None:
    run = {"id": "m"}
    begun, ended = reversal_of("m", None, run), reversal_of("m", run, None)
    wait, stop = (Step("local.wait_to_merge", {"merge": "m", "run": each}) for each in (run, None))
    assert (begun.back, begun.forth) == ((stop,), (wait,))
    assert (ended.back, ended.forth) == ((wait,), (stop,))
    look = Step("local.waits_to_merge", {"merge": "m"})
    again, over = "it waits again", "it waits no more: it was merged or taken out"
    for reversal, waits in ((begun, True), (ended, False)):
        assert reversal.still is not None
        assert reversal.before is not None
        assert (reversal.still.read, reversal.still.fields) == (look, {"waits": waits})
        assert (reversal.before.read, reversal.before.fields) == (look, {"waits": not waits})
        said = reversal.still.said, reversal.before.said
        assert said == ((over, again) if waits else (again, over))
    assert begun.note == "Waits no more."
    assert ended.note == "Waits for its rules again."


async def test_only_what_was_seen_and_waits_for_a_rule_begins_to_wait(waits: Waits) -> None:
    request, gone = waits.request("seen"), waits.request("gone")
    async with waits.world.api() as api:
        seen = await api(ops.get_change_request, waits.space, request)
    waits.world.comment(waits.space, by=waits.lee, change_request=request)
    with pytest.raises(NotDoneError, match=CHANGED):
        await waits.merges.plan(seen, "Guide")
    waits.world.edit_change_request(request, {"seen": "# Unseen\n"}, by=waits.lee)
    with pytest.raises(NotDoneError, match=CHANGED):
        await waits.merges.plan(seen, "Guide")
    waits.world.write(lambda tx: tx.update("change_request", gone, status="archived"))
    with pytest.raises(NotDoneError, match="archived"):
        await waits.wait(gone)
    await waits.approve(request)
    with pytest.raises(NotDoneError, match="y merges it"):
        await waits.wait(request)
    other = waits.request("other")
    run = await waits.wait(other)
    assert waits.merges.standing == {(waits.space, other): True}
    kept = waits.merges.as_json(run)
    assert json.loads(json.dumps(kept)) == kept
    again = await waits.wait(other)
    assert waits.merges.note() == "1 merges when ready"
    third = await waits.wait(waits.request("third"))
    assert waits.merges.note() == "2 merge when ready"
    await waits.merges.put(third.id, None)
    assert [each.id for each in waits.merges.runs] == [again.id], "a request waits once"
    api = await waits.session.ready()
    for one, stands in ((run, False), (again, True)):
        reversal = reversal_of(one.id, None, waits.merges.as_json(one))
        assert await waits.session.way.became(api, reversal) is stands
    assert await waits.merges.told(run.id) == {"waits": False}
    await waits.merges.put(again.id, None)
    assert waits.merges.runs == ()


async def test_why_they_cannot_be_looked_at_is_kept_until_they_are(
    waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = waits.request("one")
    await waits.wait(request)
    await waits.approve(request)
    merges, before = waits.merges, waits.merges.changes
    for error, said in (
        (OSError(5, "Input/output error"), "What waits to be merged cannot be saved on this "
         "machine: [Errno 5] Input/output error"),
        (Unreachable("No route."), "Offline: No route. R tries again."),
    ):  # fmt: skip
        with monkeypatch.context() as broken:

            async def ready(error: Exception = error) -> Api:
                raise error

            broken.setattr(waits.session, "ready", ready)
            await merges.look()
            await merges.look()
        assert merges.trouble == said
        assert waits.way.writes == []
    assert merges.changes == before + 2, "it is told once"
    assert waits.session.offline
    await merges.look()
    assert (merges.trouble, waits.status(request)) == ("", "merged")
    assert waits.said == ["#1 one is merged. Its rules hold."]


@pytest.mark.parametrize(
    ("rules", "said"), [(1, "merges when its rule holds; "), (3, "merges when its 3 rules hold; ")]
)
def test_what_waiting_means_is_said_with_its_rules(rules: int, said: str) -> None:
    assert when_ready(rules).startswith(said)
