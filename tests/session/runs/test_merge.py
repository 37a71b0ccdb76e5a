"""Merge runs step by step, with all that can come in between: all in ``merge_runs.json``."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Unreachable
from copydesk.contract import operations as ops
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.hunks import Choice
from copydesk.domain.merge_run import MergeRun, RunItem
from copydesk.domain.settlement import Settling
from copydesk.local.journal import Journal
from copydesk.local.runs import Runs
from copydesk.local.state import State
from copydesk.session.change_rows import ChangeRow, row_of
from copydesk.session.reads.merge_run import read_found
from copydesk.session.runs.merge import FOUND_BY, MergeRunner
from copydesk.session.session import Session
from copydesk.session.settlement import CUT_OFF, Settlement
from tests.drive import eventually
from tests.golden_json import compare
from tests.session.reads import told
from tests.session.reads.told import plain
from tests.tui.arranging_world import Way
from tests.tui.strange import strange
from tests.world import BASE_URL, World

PAGES = {name: f"# {name.capitalize()}\n\nOld.\n\nEnd.\n" for name in ("auth", "limits", "retries")}

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)


class FullDisk(Runs):
    """Runs on a disk that may be full."""

    full = False

    def save(self, run: MergeRun) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        super().save(run)


class Desk:
    """Four open requests, of which the last conflicts with the first, and a program's run."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.lee = world.user("lee", display_name="Lee\x07 Park")
        rules = [
            {"rule": "require_up_to_date_change_request"},
            {"rule": "require_change_request_description"},
        ]
        self.guide = world.space("Guide", PAGES, merge_rules={"type": "rules", "rules": rules[:1]})
        self.strict = world.space("Strict", PAGES, merge_rules={"type": "rules", "rules": rules})
        self.ids = [
            self._request("auth", "New", "Fix auth\x07 code samples"),
            self._request("limits", "New", "Rate limits"),
            self._request("retries", "New", "Webhook retries"),
            self._request("auth", "Newer", "Rename “team”"),
        ]
        self.way = Way(world)
        self.said: list[str] = []
        self.seen: list[Any] = []
        self.before: MergeRun | None = None
        self.disk = FullDisk(State(folder / "state.db"), "desk")
        self.runner = self.begin(self.disk)

    def _request(self, page: str, word: str, subject: str, space: str = "") -> str:
        text = f"# {page.capitalize()}\n\n{word}.\n\nEnd.\n"
        return self.world.change_request(
            space or self.guide, {page: text}, subject=subject, by=self.lee
        )

    def begin(self, runs: Runs | None = None) -> MergeRunner:
        """Start a program, which may be another one on the same disk."""

        def seconds() -> float:
            return NOW.timestamp()

        way, token = self.way, self.world.token(self.world.ana)
        api = Api(BASE_URL, token, transport=way, clock=seconds)

        async def connect() -> Api:
            return api

        store = State(self.folder / "state.db", clock=seconds)
        session = Session(
            connect,
            runs=runs or Runs(store, "desk"),
            journal=Journal(store, "desk"),
            clock=lambda: NOW,
        )
        self.session = session
        return MergeRunner(session, lambda said, tone: self.said.append(f"{tone}: {said}"))

    async def rows(self, *ids: str) -> list[ChangeRow]:
        """Return the rows of requests as they are now."""
        async with self.world.api() as api:
            found = []
            for each in ids or self.ids:
                space = str(self.world.row("change_request", each)["space_id"])
                found.append(row_of(await api(ops.get_change_request, space, each)))
            return found

    async def plan(self, *ids: str) -> str:
        """Plan a run and wait until all of it was read."""
        said = await self.runner.plan(await self.rows(*ids), lambda space: f"Title of {space}\x07")
        await self.settle()
        return said

    async def settle(self) -> None:
        """Wait until nothing is under way."""
        while busy := self.runner.busy:
            await asyncio.gather(*busy, return_exceptions=True)

    async def tell(self, what: str, doing: Any = None) -> None:
        """Do something, wait for it, and note what is to be seen then that is new."""
        if doing is not None:
            await doing
        await self.settle()
        runner, run = self.runner, self.runner.run
        was = {item.key: plain(item) for item in self.before.items} if self.before else {}
        told: dict[str, Any] = {
            "after": what,
            "note": runner.note,
            "why not": runner.why_not_ready(),
        }
        if run is not None:
            told["run"] = {
                each.name: plain(getattr(run, each.name))
                for each in fields(run) if each.name not in ("id", "items", "stops")
            }  # fmt: skip
            told["items"] = []
            for item in run.items:
                old = was.get(item.key, {})
                new = {k: v for k, v in plain(item).items() if old.get(k) != v}
                told["items"].append(new | {"state": item.state})
        told |= {"said": self.said, "trouble": runner.trouble, "unread": plain(runner.unread)}
        told["clashes"] = sorted(runner.clashes)
        told["elsewhere"] = runner.elsewhere
        self.seen.append({k: v for k, v in told.items() if v not in ("", [], {}, False, None)})
        self.before, self.said = run, []


async def test_runs_say_at_each_step_what_they_did(
    world: World, tmp_path: Path, update_golden: bool
) -> None:
    desk = Desk(world, tmp_path)
    await _planned_and_stopped(desk)
    await _broken_off(desk)
    await _two_programs(desk)
    asked = sorted(each for each in desk.way.queries if "/spaces/" in each)
    kept = {"steps": desk.seen, "asked": asked, "sent": desk.way.sent}
    compare("merge_runs", kept, update=update_golden, folder="session/runs")


async def _planned_and_stopped(desk: Desk) -> None:
    """A plan is changed, goes, stops at a conflict, at a comment and at a rule, and ends."""
    runner, world = desk.runner, desk.world
    await desk.tell("nothing")
    await runner.start()
    await runner.take_out("none")
    assert await runner.find_interrupted() == ""
    assert runner.forecast() == {}
    thread = world.comment(desk.guide, "What of it?", change_request=desk.ids[1], by=desk.lee)
    await desk.tell("planned", desk.plan())
    key = [item.key for item in runner.run.items] if runner.run else []
    ahead = runner.forecast()
    assert runner.forecast() is ahead
    desk.seen.append({name: plain(each) for name, each in ahead.items()})
    desk.seen.append({name: plain(each) for name, each in runner.standings.items()})
    desk.seen.append({name: each.in_the_way for name, each in runner.standings.items()})
    await desk.tell("moved", runner.move(key[2], -1))
    await desk.tell("taken out", runner.take_out(key[1]))
    await desk.tell("taken in", runner.take_out(key[1]))
    await desk.tell("stops", runner.stop_at(["conflict", "comment", "rule"]))
    await desk.tell("started", runner.start())
    desk.seen.append(await runner.plan(await desk.rows()))
    await desk.tell("again", runner.again())
    strict = desk._request("limits", "Strict", "No words", desk.strict)
    world.reply(thread, "Wait.", by=desk.lee)
    await desk.tell("skipped", runner.skip())
    await desk.tell("ended", runner.end())
    desk.seen.append([run.far for run in await runner.former()])
    await desk.tell("planned anew", desk.plan(desk.ids[0], desk.ids[1], strict))
    desk.seen.append({name: plain(each) for name, each in runner.standings.items()})
    await desk.tell("forgotten", runner.forget())
    await desk.tell("planned once more", desk.plan(strict, desk.ids[1]))
    world.comment(desk.guide, "Hold on\x07. Please.", change_request=desk.ids[1], by=desk.lee)
    await desk.tell("stopped at a rule", runner.start())
    await desk.tell("stopped at a comment", runner.skip())
    await desk.tell("gone on", runner.skip())


async def _broken_off(desk: Desk) -> None:
    """Answers are lost, refused and late, and the disk is full."""
    world, runner = desk.world, desk.runner
    for trouble in ("down", "lost", "blind", 403, 409, 422, 404):
        page = world.change_request(
            desk.guide, {f"page-{trouble}": "# P\n"}, subject=f"Met {trouble}", by=desk.lee
        )
        await desk.plan(page)
        desk.way.trouble = {len(desk.way.writes) + 1: trouble}
        await desk.tell(f"met {trouble}", runner.start())
        desk.way.reads, desk.way.trouble = "", {}
        if trouble in ("down", "blind"):
            await desk.tell(f"after {trouble}", runner.again())
        await runner.end()
        desk.said = []
    behind = world.change_request(desk.guide, {"x": "# X\n"}, subject="Behind", by=desk.lee)
    world.commit(desk.guide, {"limits": "# Limits\n\nOthers.\n\nEnd.\n"})
    await desk.plan(behind)
    desk.way.trouble = {len(desk.way.writes) + 1: "lost"}
    await desk.tell("an update without an answer", runner.start())
    await desk.tell("after the update", runner.again())
    gone = world.change_request(desk.guide, {"y": "# Y\n"}, subject="Gone", by=desk.lee)
    late = world.change_request(desk.guide, {"z": "# Z\n"}, subject="Late", by=desk.lee)
    rows = await desk.rows(gone, late)
    desk.way.reads = "down"
    await desk.tell("planned without a way", runner.plan(rows))
    desk.way.reads = ""
    runner.read()
    await desk.tell("read again")
    async with world.api() as api:
        await api(ops.update_change_request, desk.guide, gone, _archived())
    world.edit_change_request(late, {"z": "# Z\n\nMore.\n"}, by=desk.lee)
    await desk.tell("one archived", runner.start())
    await desk.tell("one edited", runner.skip())
    desk.disk.full = True
    await desk.tell("on a full disk", runner.again())
    desk.disk.full = False
    await desk.tell("with room again", runner.again())
    await desk.tell("over", runner.end())


def _archived() -> Any:
    from copydesk.contract.models.change_request import ChangeRequestUpdate

    return ChangeRequestUpdate(status="archived")


async def _two_programs(desk: Desk) -> None:
    """A run pauses, and another program goes on with it."""
    world, runner = desk.world, desk.runner
    pages = [
        world.change_request(desk.guide, {name: "# P\n"}, subject=name, by=desk.lee)
        for name in ("one", "two", "three")
    ]
    await desk.plan(*pages)
    desk.way.hold = asyncio.Event()
    await runner.start()
    count = len(desk.way.writes)
    await eventually(lambda: len(desk.way.writes) > count, lambda: asyncio.sleep(0))
    assert runner.active
    other = desk.begin()
    assert await other.find_interrupted() == ""
    assert other.elsewhere
    await other.go_on()
    await runner.pause()
    desk.seen.append(["pausing", runner.note, runner.run.pausing if runner.run else None])
    desk.way.hold.set()
    await desk.tell("paused")
    await other.look_elsewhere()
    first, desk.runner = desk.runner, other
    await desk.tell("taken over", other.go_on())
    desk.runner = first
    await desk.tell("too late", first.go_on())
    await first.look_elsewhere()
    third = desk.begin()
    assert await third.find_interrupted() == ""
    assert third.run is None


async def test_what_a_service_merges_in_spite_of_conflicts_is_live_and_to_be_resolved(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(world, tmp_path)

    def joined(answer: Any) -> None:
        answer["result"] = "conflicts"

    async def connect() -> Api:
        return strange(world, "/merge", joined, method="POST")

    session = Session(connect, runs=desk.disk, clock=lambda: NOW)
    happened: list[Any] = []
    monkeypatch.setattr(session, "happened", lambda *told: happened.append(told))
    desk.runner = MergeRunner(session, lambda said, tone: desk.said.append(said))
    assert await desk.plan(desk.ids[0]) == ""
    await desk.runner.start()
    await desk.settle()
    run = desk.runner.run
    assert run is not None
    [item] = run.items
    [(event, fields)] = happened
    assert (event, fields["space"]) == ("after_merge", f"Title of {desk.guide}")
    now = await world.api()(ops.get_change_request, desk.guide, desk.ids[0])
    assert (now.status, item.merged) == ("merged", now.revision_merged)
    assert (run.state, run.stopped, item.state) == ("stopped", item, "done")
    assert (item.reason, item.ended) == ("conflict", NOW.timestamp())
    assert item.said == (
        "Merged all the same, and it is live: both sides changed the same; the service does not "
        "say which. Resolve them there."
    )
    assert [*desk.runner.clashes] == [item.key]
    untold = now.model_copy(update={"revision_merged": None})
    again = replace(run, state="running", items=(replace(item, state="merging"),))
    [other] = desk.runner._steps._merged(item, (None, untold))(again).items
    assert (other.state, other.merged) == ("done", "")


async def test_a_run_that_cannot_reach_the_service_pauses(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.plan(desk.ids[0])

    async def away() -> Api:
        raise Unreachable("No route.")

    session = Session(away, runs=desk.disk, clock=lambda: NOW)
    desk.runner = MergeRunner(session, lambda said, tone: desk.said.append(said))
    assert await desk.runner.find_interrupted() == ""
    await desk.runner.start()
    await desk.settle()
    assert desk.runner.run is not None
    assert (desk.runner.run.state, desk.runner.run.far) == ("paused", "0 of 1")
    assert desk.said == ["Offline: No route. R tries again."]


async def test_a_run_whose_program_ended_is_found_by_the_next(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.plan(desk.ids[0])
    assert desk.runner.run is not None
    desk.disk.save(desk.runner.run.start(NOW.timestamp()))
    other = desk.begin()
    assert await other.find_interrupted() == "A merge run stopped at 0 of 1: M goes on."
    assert other.run is not None
    assert other.run.state == "paused"
    assert desk.disk.claim(other.run.id), "nobody is at it until it goes on"


async def test_a_run_goes_on_once_the_conflict_that_it_stopped_at_is_settled(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    runner, last = desk.runner, desk.ids[3]
    await runner.look_whether_settled()
    assert not desk.said
    await desk.plan(desk.ids[0], last)
    await runner.start()
    await desk.settle()
    await runner.look_whether_settled()
    assert runner.run is not None
    assert runner.run.stopped is not None
    assert runner.run.stopped.to_settle
    [[clash]] = runner.clashes.values()
    assert clash.page is not None
    assert clash.page.title == "Auth"
    work = Settlement(desk.session, desk.guide, last)
    await work.read()
    await work.choose({hunk.key: Choice("request") for _, hunk in work.open})
    await work.send()
    await runner.look_whether_settled()
    assert runner.run.stopped.settled
    assert desk.said[-1] == "good: #4 is settled. M goes on."
    await runner.again()
    await desk.settle()
    assert world.row("change_request", last)["status"] == "merged"


async def test_a_request_is_read_before_it_is_merged_by_no_other_calls_than_are_told(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    world.commit(desk.guide, {"limits": "# Limits\n\nOthers.\n"})
    service = told.Desk(world)
    async with service.api() as api:
        found = await read_found(api, RunItem(desk.guide, desk.ids[0], "#1", "Fix"))
    assert found.outdated
    ids = {"space_id": desk.guide, "change_request_id": desk.ids[0]}
    paths = (CATALOGUE[name].path.removeprefix("/v1") for name in FOUND_BY)
    known = {f"GET {path.format(**ids)}" for path in paths}
    assert {" ".join(each.split()[:2]) for each in service.asked()} <= known


async def planned(desk: Desk) -> tuple[MergeRunner, MergeRun]:
    """Plan one request, and return the run."""
    await desk.plan(desk.ids[0])
    assert desk.runner.run is not None
    return desk.runner, desk.runner.run


async def test_a_plan_that_is_read_still_or_could_not_be_read_does_not_begin(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    runner = desk.runner
    rows = await desk.rows(desk.ids[0], desk.ids[1])
    await runner.plan(rows)
    assert runner.why_not_ready() == "Still reading: 0 of 2. ctrl+s starts after that."
    assert runner.note == ("run of 2 planned", "")
    runner.read()  # instead of the reading under way
    await desk.settle()
    assert runner.why_not_ready() is None
    assert len(runner.standings) == 2
    before = runner.changes
    desk.way.reads = 404
    run = runner.run
    assert run is not None
    runner.run = replace(run, items=tuple(replace(each, revision="") for each in run.items))
    runner.read()
    await desk.settle()
    assert runner.why_not_ready() == (
        "#1 could not be read: R tries again, x takes it out. Not found: deleted or moved. "
        "The door is shut"
    )
    assert runner.changes > before
    await runner.forget()
    await runner.forget()
    assert runner.why_not_ready() == "There is no plan to start."
    assert desk.disk.all() == []
    assert not await runner._change(lambda run: run)
    assert not await runner._keep()
    assert runner.run is None


async def test_a_request_whose_settling_was_cut_off_is_not_merged(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    runner, _ = await planned(desk)
    kept = Settling(
        f"{desk.guide} {desk.ids[0]}", 1.0, desk.guide, desk.ids[0], "b", "h", "m",
        state="sending",
    )  # fmt: skip
    desk.session.settlings.save(kept)
    await runner.start()
    await desk.settle()
    assert runner.run is not None
    assert runner.run.stopped is not None
    assert (runner.run.stopped.reason, runner.run.stopped.said) == ("conflict", CUT_OFF)
    assert desk.way.writes == []


async def test_what_is_said_meanwhile_is_looked_at_before_anything_is_merged(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    runner, run = await planned(desk)
    steps, api = runner._steps, await desk.session.ready()
    [item] = run.start(1.0).advance(2.0).items
    judged = (await steps.take(api, item))(run.start(1.0).advance(2.0))
    [merging] = judged.items
    assert merging.state == "merging"
    world.comment(desk.guide, "Wait.", change_request=desk.ids[0], by=desk.lee)
    [again] = (await steps.take(api, merging))(judged).items
    assert again.state == "checking"
    assert desk.way.writes == []
    desk.way.reads = 404
    failed = (await steps.take(api, merging))(judged)
    assert failed.stopped is not None
    assert (failed.stopped.reason, failed.stopped.said) == (
        "gone", "Not found: deleted, or you may no longer see it.",
    )  # fmt: skip
    desk.way.reads = "down"
    lost = (await steps.take(api, merging))(judged)
    assert lost.stopped is not None
    assert lost.stopped.said.startswith("Could not be read: nothing was sent. Offline: ")
    assert desk.session.offline


async def test_what_cannot_be_read_or_saved_on_this_machine_is_told(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(world, tmp_path)
    other = desk.begin()
    monkeypatch.setattr(other._store, "all", refusing)
    assert await other.find_interrupted() == (
        "Whether a merge run was left cannot be read: [Errno 5] Input/output error"
    )
    runner, run = await planned(desk)
    desk.disk.full = True
    await runner.start()
    assert runner.run == run, "it did not begin"
    assert not runner.active
    assert runner.trouble.startswith("The run cannot be saved, so it waits: ")
    assert desk.said[-1] == f"bad: {runner.trouble}"
    assert desk.disk.claim(run.id), "it is given back"


def refusing() -> Any:
    raise OSError(5, "Input/output error")


async def test_what_another_program_does_with_a_run_is_looked_at(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    runner, run = await planned(desk)
    await runner.look_elsewhere()
    assert runner.run == run
    other = desk.begin()
    assert await other.find_interrupted() == ""
    assert other.run == run, "a plan is nobody's yet"
    assert desk.disk.claim(run.id)
    other.elsewhere = True
    going = run.start(NOW.timestamp()).advance(NOW.timestamp())
    desk.disk.save(going)
    await other.look_elsewhere()
    assert (other.elsewhere, other.run) == (True, going)
    assert other.note == ("run 1/1", "good")
    desk.disk.release(run.id)
    await other.look_elsewhere()
    assert (other.elsewhere, other.run) == (False, going.cut_off())
    assert other.note == ("run 1/1 paused", "warn")
    other.elsewhere = True
    desk.disk.drop(run.id)
    await other.look_elsewhere()
    assert (other.elsewhere, other.run) == (False, going.cut_off()), "what is known stays"


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (("done", "done", "skipped"), "good: Merge run ended: 2 merged, 1 skipped."),
        (("done", "waiting"), "good: Merge run ended: 1 merged, 1 not begun."),
        ((), "good: Merge run ended: nothing was in it."),
    ],
)
def test_how_a_run_ended_is_told_by_its_counts(
    world: World, tmp_path: Path, states: tuple[Any, ...], said: str
) -> None:
    desk = Desk(world, tmp_path)
    items = tuple(RunItem("s", str(at), "#1", "A", state=state) for at, state in enumerate(states))
    desk.runner.run = MergeRun("r", items, "finished")
    desk.runner._tell_end()
    desk.runner.trouble = "It cannot be saved."
    desk.runner._tell_end()
    assert desk.said == [said]
    assert desk.runner.note == ("", "")


async def test_the_next_plan_after_a_run_that_ended_begins_anew(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    runner, first = await planned(desk)
    await desk.plan(desk.ids[1])
    assert runner.run is not None
    assert (runner.run.id, len(runner.run.items)) == (first.id, 2), "one more in the plan"
    await runner.start()
    await desk.settle()
    assert runner.run.state == "finished"
    said = desk.said[-1]
    assert said == "good: Merge run ended: 2 merged."
    await desk.plan(desk.ids[2])
    assert runner.run.id != first.id
    assert [item.request for item in runner.run.items] == [desk.ids[2]]
    assert len(runner.standings) == 1
    assert [run.id for run in await runner.former()] == [first.id]
