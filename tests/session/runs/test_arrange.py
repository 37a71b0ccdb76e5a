"""Sending the requests of a plan one by one: stopped, gone on with, rolled back, found again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.site_section import SiteSectionUpdate
from copydesk.contract.models.site_space import SiteSpaceCreate
from copydesk.domain.arrange_run import ArrangeRun, Requests, RunCall
from copydesk.domain.own_command import Hook
from copydesk.domain.reversal import Expectation, Step
from copydesk.domain.site_inverses import site_row_changed
from copydesk.domain.site_tree import SiteNode
from copydesk.local.runs import Arrangements
from copydesk.local.state import State
from copydesk.session.runs.arrange import GONE, LOST_WAY, OTHERS_DID
from copydesk.session.runs.interrupted_requests import CUT_OFF
from copydesk.session.session import Session
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.recovery import ARRIVED, NOT_ARRIVED, recover
from tests.drive import eventually
from tests.tui.arranging_world import AFTER, BEFORE, PLACE, REMOVED, Desk, states
from tests.tui.killing_arrangements import group, ungrouped
from tests.world import World


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


async def test_sent_taken_back_as_one_and_kept_until_it_is_taken_in(desk: Desk) -> None:
    assert desk.shown == BEFORE
    steps: list[str] = []
    desk.way.trouble = {4: 403}
    await desk.arranger.go(desk.plan.run(removing=True))
    # The second half is sent by another process.
    desk.begin()
    assert await recover(desk.session, await desk.arranger.groups()) == ""
    run = await desk.arranger.go(await desk.find(), lambda run: steps.append(run.far))
    assert desk.shown == REMOVED
    assert (run.state, run.outcome.sent, run.outcome.left) == ("finished", 6, 0)
    assert steps == [f"{at} of 6" for at in (3, 4, 5, 6)]
    assert run.outcome.sentence == "6 calls sent. u undoes all but 1."
    # What was made is told until what is staged goes on from it: also to the next process.
    made = run.made["new:1"]
    last = desk.session
    desk.begin()
    assert (await desk.find()).made == {"new:1": made}
    await desk.arranger.forget_ended(run)
    assert await desk.arranger.find(PLACE, desk.plan.site) is None
    # One undo takes back all of it but what was removed for good.
    await last.reversals.undo()
    assert desk.shown == BEFORE.replace("API[English French]", "API[English]")
    assert last.reversals.undoable() is None


async def test_refusals_stop_it_and_it_goes_on_goes_back_or_is_kept(desk: Desk) -> None:
    plan, way = desk.plan, desk.way
    # Somebody removes what the first move is to stand behind: the service says so.
    way.trouble = {2: 403}
    run = await desk.arranger.go(plan.run())
    assert (run.state, states(run)) == ("stopped", "done failed waiting waiting waiting")
    assert run.why == "Not allowed: The door is shut"
    assert (run.outcome.sentence, run.standing()) == (
        "1 of 5 sent, 4 kept staged.", "Rearranging Acme docs stopped at 1 of 5",
    )  # fmt: skip
    # Nothing else begins meanwhile; what is offered reads the same in another process.
    with pytest.raises(WriteError, match="stopped at 1 of 5: that is settled first"):
        await desk.arranger.go(plan.run())
    way.trouble = {3: "down", 4: 401}
    run = await desk.arranger.go(run)
    assert run.why.startswith("Offline: not sent.")
    assert "r sends it." in run.why
    run = await desk.arranger.go(run)
    assert run.why.startswith("Token refused.")
    async with desk.world.api() as api:
        await api(ops.delete_site_section, desk.world.home, plan.site, plan.ids["Guides"])
    run = await desk.arranger.go(run)
    assert run.failure is not None
    assert run.failure.entry == desk.session.journal.entries()[-1].id
    assert run.why == GONE
    run = await desk.arranger.keep(run)
    assert run.state == "finished"
    await desk.arranger.forget_ended(run)
    assert await desk.arranger.find(PLACE, plan.site) is None


async def test_lost_answers_are_read_and_nothing_is_made_twice(desk: Desk) -> None:
    way = desk.way
    # The answer to what makes something is lost: it is found among the others. What the next
    # changed tells by itself.
    way.trouble = {1: "lost", 2: "lost", 3: "blind"}
    run = await desk.arranger.go(desk.plan.run(removing=True))
    assert states(run) == "done done unknown waiting waiting waiting"
    assert all("it had arrived" in each.said for each in run.calls[:2])
    assert "No answer: it may have been sent" in run.why
    # It is read before it is sent again; as long as that fails, nothing is.
    again = await desk.arranger.go(run)
    assert again.why.startswith("Offline:")
    assert len(way.writes) == 3
    kept = await desk.arranger.keep(again)
    assert kept.state == "stopped"
    assert kept.outcome.sentence.startswith("Whether “Status: State” arrived is not known: look")
    way.reads = ""
    way.trouble = {6: "lost"}
    run = await desk.arranger.go(kept)
    assert run.state == "finished"
    # The client itself sends a removal again, which does no harm.
    assert way.writes == ["POST", "PATCH", "PATCH", "POST", "POST", "DELETE", "DELETE"]
    assert desk.shown == REMOVED


async def test_rolled_back_past_failures_and_what_others_changed(desk: Desk) -> None:
    plan, way = desk.plan, desk.way
    way.trouble = {5: 403, 7: "down"}
    run = await desk.arranger.go(plan.run())
    assert [each.call.key for each in run.returning()] == [
        "move:s",
        "change:s",
        "change:new:1",
        "add:new:1",
    ]
    run = await desk.arranger.roll_back(run)
    assert (run.state, run.back, run.far) == ("stopped", True, "1 of 4")
    assert "“Status: State”: Offline: not sent." in run.why
    assert run.standing() == "Undoing the rearranging of Acme docs stopped at 1 of 4"
    # The next process finds it there. Meanwhile somebody took one back and changed another.
    desk.begin()
    async with desk.world.api() as api:
        body = SiteSectionUpdate(title="Stately")
        await api(ops.update_site_section, desk.world.home, plan.site, plan.ids["Status"], body)
    run = await desk.arranger.roll_back(await desk.find())
    assert states(run) == "taken-back taken-back done taken-back waiting"
    assert run.state == "stopped"
    assert run.why == "Not undone: “Status: State”: Its title changed since."
    run = await desk.arranger.keep(run)
    assert run.outcome.sentence == ("3 calls undone; that stays staged. Still sent: Status: State.")
    assert run.made == {}
    assert desk.shown == BEFORE.replace("Status", "Stately")


async def test_removed_groups_come_back_under_other_ids_as_often_as_they_are_removed(
    desk: Desk,
) -> None:
    plan, session = desk.plan, desk.session
    where = (desk.world.home, plan.site)
    groups = await group(plan)

    async def rows() -> list[dict[str, Any]]:
        async with desk.world.api() as api:
            return (await api(ops.get_site_structure, *where)).rows()

    def drawn(found: list[dict[str, Any]]) -> list[tuple[object, ...]]:
        titles = {each["id"]: each["title"] for each in found}
        names = ("title", "icon", "localizedTitle")
        return [(*map(each.get, names), titles.get(each.get("sectionGroup"))) for each in found]

    first, api = await rows(), await session.ready()
    node = SiteNode(groups[1], "group", "Inner")
    way = site_row_changed(where, node, {"title": "Inner"}, {"title": "Within"})
    await session.writes.perform(
        "Rename", "Inner", lambda: session.way.take(api, way.forth[0]), reversal=way
    )
    before = await rows()
    calls = await ungrouped(plan, groups)
    run = ArrangeRun.of(PLACE, plan.site, "Acme docs", calls, organization=where[0])
    assert (await desk.arranger.go(run)).outcome.lasting == ()
    removed = await rows()
    assert "More" not in str(removed)
    for _ in "twice":
        await session.reversals.undo()
        assert drawn(await rows()) == drawn(before)
        assert {each["id"] for each in await rows()}.isdisjoint(groups)
        await session.reversals.take_back(session.reversals.redoable(), again=True)
        assert await rows() == removed
    await session.reversals.undo()
    # What was written before is taken back as well, of the group that is there now.
    line = await session.reversals.undo()
    assert line is not None
    assert (line.what, drawn(await rows())) == ("Rename", drawn(first))


async def test_two_programs_a_full_disk_and_a_site_that_is_gone(desk: Desk) -> None:
    plan = desk.plan
    desk.way.trouble = {3: 403}
    first = desk.arranger
    run = await first.go(plan.run())
    # Another program is at it; then it has gone on, and what is known here is old.
    desk.begin()
    assert desk.session.arrangements.claim(run.id)
    assert await first.find(PLACE, plan.site) is None
    with pytest.raises(WriteError, match=r"^Another copydesk is rearranging Acme docs"):
        await first.go(run)
    desk.session.arrangements.release(run.id)
    desk.way.trouble = {4: 403}
    assert (await desk.arranger.go(await desk.find())).state == "stopped"
    with pytest.raises(WriteError, match=r"^Another copydesk went on with it since"):
        await first.go(run)
    # A disk that is full: nothing is sent that could not be found again.
    full = Full(State())
    other = Session(desk.session.ready, arrangements=full).arranging
    refused = await other.go(plan.run())
    assert "No space left on device" in refused.why
    assert (refused.sent, len(desk.way.writes)) == (0, 4)
    full.left, desk.way.trouble = 1, {5: 403}
    refused = await other.go(refused)
    assert "No space left on device" in refused.why
    assert (refused.sent, len(desk.way.writes)) == (0, 5)
    full.unreadable = True
    stuck = await other.go(refused)
    assert (stuck.state, stuck.why) == (
        "stopped",
        "Progress cannot be saved on this machine, so nothing more is sent: Input/output error.",
    )
    # At the next start it is said where it stopped, and not twice.
    desk.begin()
    groups = await desk.arranger.groups()
    assert await recover(desk.session, groups) == ""
    left, said = await desk.arranger.find_interrupted()
    assert ([run.far for run in left], said) == (["2 of 5"], "")
    async with desk.world.api() as api:
        await api(ops.delete_site, desk.world.home, plan.site)
    left, said = await desk.arranger.find_interrupted()
    assert left == []
    assert said == "Acme docs is gone: what was left of it (3 calls) is discarded."
    assert await desk.arranger.find_interrupted() == ([], "")


class Full(Arrangements):
    """A disk that has room for so many runs that are ``left`` to be kept."""

    left = 0
    unreadable = False

    def load(self, run_id: str) -> ArrangeRun | None:
        if self.unreadable:
            raise OSError(5, "Input/output error")
        return super().load(run_id)

    def save(self, run: ArrangeRun) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(28, "No space left on device")
        super().save(run)


def ends(desk: Desk) -> list[tuple[str, str, str]]:
    """Return the writes that are noted, with how they ended and what says so."""
    entries = desk.session.journal.entries()
    return [(entry.what, entry.state, entry.sentence) for entry in entries]


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize("nth", [1, 2, 4, 6])
async def test_what_was_under_way_when_a_program_ended_is_read_and_not_sent_twice(
    desk: Desk, nth: int, *, arrived: bool
) -> None:
    way = desk.way
    way.trouble = {nth: "after" if arrived else "before"}
    await desk.dies(desk.arranger.go(desk.plan.run(removing=True)))
    assert await recover(desk.session, await desk.arranger.groups()) == ""
    [left], said = await desk.arranger.find_interrupted()
    assert (left.state, said) == ("stopped", "")
    run = await desk.find()
    done = nth - 1 + arrived
    assert states(run).split() == ["done"] * done + ["waiting"] * (6 - done)
    # What no reading settles by the way back alone is told by what is there now.
    told = ARRIVED if arrived else "" if nth in (1, 6) else NOT_ARRIVED
    noted = [each[1:] for each in ends(desk)]
    assert noted == [("done", "")] * (nth - 1) + [("done" if arrived else "failed", told)]
    assert [each.said for each in run.calls[nth - 1 : nth]] == [ARRIVED if arrived else ""]
    run = await desk.arranger.go(run)
    assert (run.state, run.outcome.sent) == ("finished", 6)
    assert desk.shown == REMOVED
    assert len(way.writes) == 6 + (not arrived)
    if nth == 6:
        return  # what was removed for good is not taken back, nor what came before it
    await desk.session.reversals.undo()
    assert desk.shown == BEFORE.replace("API[English French]", "API[English]")


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize("nth", [1, 2, 4, 5])
async def test_what_was_being_taken_back_when_a_program_ended_is_read_and_taken_back_once(
    desk: Desk, nth: int, *, arrived: bool
) -> None:
    way = desk.way
    run = await desk.arranger.go(desk.plan.run())
    way.trouble = {5 + nth: "after" if arrived else "before"}
    await desk.dies(desk.arranger.roll_back(run))
    assert await recover(desk.session, await desk.arranger.groups()) == ""
    [left], said = await desk.arranger.find_interrupted()
    assert (left.state, left.back, said) == ("stopped", True, "")
    run = await desk.find()
    taken = nth - 1 + arrived
    assert states(run).split() == ["done"] * (5 - taken) + ["taken-back"] * taken
    told = ARRIVED if arrived else NOT_ARRIVED
    assert ends(desk)[-1][1:] == ("done" if arrived else "failed", told)
    run = await desk.arranger.roll_back(run)
    assert states(run).split() == ["taken-back"] * 5
    assert desk.shown == BEFORE
    assert len(way.writes) == 10 + (not arrived)


async def test_a_request_that_others_made_like_is_not_known_to_have_arrived(desk: Desk) -> None:
    way = desk.way
    way.trouble = {1: "before"}
    await desk.dies(desk.arranger.go(desk.plan.run()))
    # Somebody shows the same space in the same section meanwhile: as good as sent.
    async with desk.world.api() as api:
        body = SiteSpaceCreate(space_id=desk.plan.french, section_id=desk.plan.ids["Guides"])
        await api(ops.add_site_space, desk.world.home, desk.plan.site, body)
    [left], _ = await desk.arranger.find_interrupted()
    assert states(left) == "done waiting waiting waiting waiting"
    run = await desk.arranger.go(left)
    assert (run.state, desk.shown) == ("finished", AFTER)


async def test_what_cannot_be_read_when_a_program_comes_back_is_read_later(desk: Desk) -> None:
    desk.way.trouble = {4: "before"}
    await desk.dies(desk.arranger.go(desk.plan.run()))
    await desk.session.ready()
    desk.way.reads = "down"
    [left], said = await desk.arranger.find_interrupted()
    assert (states(left), said) == ("done done done sending waiting", "")
    run = await desk.arranger.go(left)
    assert run.state == "stopped"
    assert run.why.startswith("Offline")
    desk.way.reads = ""
    assert states(await desk.arranger.go(run)) == "done done done done done"


async def test_what_the_log_tells_of_a_call_that_was_cut_off_is_not_read(desk: Desk) -> None:
    sent = await desk.arranger.go(desk.plan.run())
    cut = {"state": "sending", "entry": ""}
    for nth, noted, stands in ((0, sent.group, "done"), (1, sent.group, "done"),
                               (1, "never noted", "waiting")):  # fmt: skip
        calls = sent.calls.with_changes(sent.calls[nth].call.key, cut)
        made = sent.made if nth else {}
        desk.session.arrangements.drop(sent.id)
        desk.session.arrangements.save(
            replace(sent, state="running", calls=calls, made=made, group=noted)
        )
        desk.begin()
        await recover(desk.session, await desk.arranger.groups())
        await desk.session.ready()
        desk.way.reads = "down"
        found = await desk.find()
        desk.way.reads = ""
        assert (found.calls[nth].state, found.calls[nth].said) == (stands, "")
        if stands == "done":
            assert (found.calls[nth].entry, found.made) == (sent.calls[nth].entry, sent.made)


async def test_a_call_that_was_lost_on_its_way_is_offered_again(desk: Desk) -> None:
    desk.way.trouble = {1: "sunk"}
    run = await desk.arranger.go(desk.plan.run())
    assert states(run) == "failed waiting waiting waiting waiting"
    assert run.why.endswith("had not happened when it was read again. r sends it again.")
    assert (await desk.arranger.go(run)).state == "finished"


async def test_nothing_is_made_while_it_cannot_be_read_what_is_there(desk: Desk) -> None:
    await desk.session.ready()
    desk.way.reads = "down"
    run = await desk.arranger.go(desk.plan.run())
    assert (run.state, states(run)) == ("stopped", "failed waiting waiting waiting waiting")
    assert run.why.startswith("Offline")
    assert desk.session.offline
    assert desk.way.writes == []


async def test_a_call_of_another_version_is_not_sent_again_where_it_cannot_be_read(
    desk: Desk,
) -> None:
    desk.way.trouble = {4: "before"}
    await desk.dies(desk.arranger.go(desk.plan.run()))
    await desk.session.ready()
    run = await desk.find()
    odd = Expectation(Step("read_it_all"), {})

    def by_another_version(item: RunCall) -> RunCall:
        way = item.call.reversal
        assert way is not None
        return replace(item, call=replace(item.call, reversal=replace(way, still=odd, before=odd)))

    later = replace(run, calls=run.calls.mapped(by_another_version))
    desk.session.arrangements.drop(run.id)
    desk.session.arrangements.save(later)
    writes = len(desk.way.writes)
    run = await desk.arranger.go(await desk.find())
    why = "This copydesk cannot send it as it was planned: there is no operation 'read_it_all'."
    assert (run.state, run.why, states(run)) == ("stopped", why, "done done done waiting waiting")
    calls = run.calls.with_changes(run.calls[3].call.key, {"state": "unknown"})
    lost = replace(run, group="?", calls=calls)
    desk.session.arrangements.drop(run.id)
    desk.session.arrangements.save(lost)
    run = await desk.arranger.go(await desk.find())
    why = "This copydesk cannot read what became of it: there is no operation 'read_it_all'."
    assert (run.state, run.why, len(desk.way.writes)) == ("stopped", why, writes)


@pytest.mark.parametrize(("trouble", "state"), [(403, "failed"), ("blind", "unknown")])
async def test_a_request_that_was_sent_again_is_not_sent_once_more_from_the_log(
    desk: Desk, trouble: str | int, state: str
) -> None:
    desk.way.trouble = {2: trouble, 4: 403}
    run = await desk.arranger.go(desk.plan.run())
    [first, line] = desk.session.log
    assert (line.state, first.state) == (state, "done")
    desk.way.reads = ""
    run = await desk.arranger.go(run)
    log = [(each.what, each.target, each.state) for each in desk.session.log]
    again = ("Change", "French", "done" if state == "unknown" else "replaced")
    assert log[:2] == [("Show a space", "French", "done"), again]
    assert log[-1] == ("Change" if state == "failed" else "Move", "Status", "failed")
    refused = desk.session.log[-1]
    run = await desk.arranger.go(run)
    assert run.state == "finished"
    assert (refused.state, refused.message) == (
        "replaced", "Sent again later, and arrived.",
    )  # fmt: skip
    assert [each.state for each in desk.session.log].count("replaced") == 1 + (state == "failed")


async def test_hooks_are_told_of_a_run_that_was_sent_whole_and_of_no_other(desk: Desk) -> None:
    tell = "import json, sys; told = json.load(sys.stdin); print(told['title'], told['number'])"
    desk.session.hooks = [Hook("after_apply", (sys.executable, "-c", tell))]
    desk.way.trouble = {2: 403}
    run = await desk.arranger.go(desk.plan.run())
    assert desk.session.hooked == set()
    run = await desk.arranger.go(run)
    await asyncio.gather(*desk.session.hooked)
    [line] = desk.session.messages
    assert (line.what, line.state, line.message) == ("Hook", "done", "Acme docs 5")
    await desk.arranger.roll_back(run)
    assert desk.session.hooked == set()


async def test_a_call_that_no_reading_tells_of_keeps_its_write_and_is_not_sent_unasked(
    desk: Desk,
) -> None:
    desk.way.trouble = {3: "before"}
    await desk.dies(desk.arranger.go(desk.plan.run()))
    async with desk.world.api() as api:
        body = SiteSectionUpdate(title="Stately")
        status = desk.plan.ids["Status"]
        await api(ops.update_site_section, desk.world.home, desk.plan.site, status, body)
    run = await desk.find()
    assert states(run) == "done done unknown waiting waiting"
    assert (run.why, run.calls[2].entry) == (CUT_OFF, desk.session.journal.entries()[-1].id)


async def test_a_run_stops_after_the_request_under_way(desk: Desk) -> None:
    seen: list[str] = []

    def stop(run: ArrangeRun) -> None:
        seen.append(states(run))
        desk.arranger.stop(run)

    async def again() -> None:
        with pytest.raises(WriteError, match=r"^This is under way already"):
            await desk.arranger.go(desk.plan.run())

    run, _ = await asyncio.gather(desk.arranger.go(desk.plan.run(), stop), again())
    assert (run.state, states(run)) == ("stopped", "done waiting waiting waiting waiting")
    assert seen[0] == "sending waiting waiting waiting waiting"
    assert not desk.arranger.active
    assert not desk.arranger.busy
    run = await desk.arranger.go(run)
    assert run.state == "finished"
    run = await desk.arranger.find(PLACE, desk.plan.site) or run
    assert run.state == "finished"


@pytest.mark.long
def test_a_process_that_is_killed_leaves_each_change_once_or_none() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.tui.killing_arrangements", "--few"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = [line.partition(": ")[2] for line in ended.stdout.splitlines()]
    assert told == ["0 all taken back"] * 3 + ["0 each once"] * 3 + ["0 all taken back"] * 2


@pytest.mark.parametrize("gone", [False, True])
async def test_what_cannot_be_undone_or_was_undone_is_passed_over_on_the_way_back(
    desk: Desk, *, gone: bool
) -> None:
    plan = desk.plan.run()
    run = await desk.arranger.go(replace(plan, calls=Requests(plan.calls[:4])))
    assert run.state == "finished"
    run = replace(run, state="stopped")
    keys = [each.call.key for each in run.calls]
    lost = replace(run, calls=run.calls.with_changes(keys[1], {"entry": "gone"}))
    third = desk.session.history.known[run.find(keys[2]).entry]
    if gone:
        third.standing = "gone"
    else:
        await desk.session.reversals.take_back([third])
    writes = len(desk.way.writes)
    back = await desk.arranger.roll_back(lost)
    assert [each.state for each in back.calls] == ["taken-back", "done", "taken-back", "taken-back"]
    assert back.find(keys[1]).said == LOST_WAY
    assert back.find(keys[2]).said == ""
    assert len(desk.way.writes) == writes + 2, "what was undone is not undone again"


@pytest.mark.parametrize("undone", [False, True])
async def test_a_run_knows_under_which_ids_came_back_what_it_had_removed(
    desk: Desk, *, undone: bool
) -> None:
    plan, session = desk.plan, desk.session
    groups = await group(plan)
    calls = await ungrouped(plan, groups)
    run = ArrangeRun.of(PLACE, plan.site, "Acme docs", calls, organization=desk.world.home)
    run = await desk.arranger.go(run)
    if undone:
        await session.reversals.undo()
    back = await desk.arranger.roll_back(replace(run, state="stopped"))
    assert {each.state for each in back.calls} == {"taken-back"}
    assert {each.said for each in back.calls} == {""}
    async with desk.world.api() as api:
        found = api.pages(ops.list_site_section_groups, desk.world.home, plan.site)
        there = {each.id async for each in found}
    assert {*back.made} == {*groups}
    assert {*back.made.values()} == there
    assert there.isdisjoint(groups)


async def test_a_refusal_on_the_way_back_keeps_no_other_request_from_being_undone(
    desk: Desk,
) -> None:
    run = replace(await desk.arranger.go(desk.plan.run()), state="stopped")
    async with desk.world.api() as api:
        body = SiteSectionUpdate(title="Status")
        status = desk.plan.ids["Status"]
        await api(ops.update_site_section, desk.world.home, desk.plan.site, status, body)
    desk.way.trouble = {len(desk.way.writes) + 3: 403}
    back = await desk.arranger.roll_back(run)
    assert {each.call.key: (each.state, each.said) for each in back.calls} == {
        "move:l": ("taken-back", ""),
        "move:s": ("taken-back", ""),
        "change:s": ("taken-back", OTHERS_DID),
        "change:new:1": ("done", "Not allowed: The door is shut"),
        "add:new:1": ("taken-back", ""),
    }


async def test_what_somebody_changed_since_or_took_away_is_told_of_each_request_for_it(
    desk: Desk,
) -> None:
    plan, where = desk.plan, (desk.world.home, desk.plan.site)
    title = plan.calls()[2]
    twice = [title, replace(title, key="change:again")]
    run = ArrangeRun.of(PLACE, plan.site, "Acme docs", twice, organization=where[0])
    run = replace(await desk.arranger.go(run), state="stopped")
    async with desk.world.api() as api:
        body = SiteSectionUpdate(title="Stately")
        await api(ops.update_site_section, *where, plan.ids["Status"], body)
    back = await desk.arranger.roll_back(run)
    assert [(each.state, each.said) for each in back.calls] == [
        ("done", "Its title changed since.")
    ] * 2
    async with desk.world.api() as api:
        await api(ops.delete_site, *where)
    back = await desk.arranger.roll_back(run)
    assert [(each.state, each.said) for each in back.calls] == [
        ("taken-back", "Change Status cannot be undone: it is gone.")
    ] * 2


async def test_a_way_back_is_stopped_or_cannot_be_saved_between_two_requests(desk: Desk) -> None:
    run = replace(await desk.arranger.go(desk.plan.run()), state="stopped")

    def stop(now: ArrangeRun) -> None:
        if now.count("taking-back"):
            desk.arranger.stop(now)

    back = await desk.arranger.roll_back(run, stop)
    assert (back.state, back.count("taken-back"), back.count("done")) == ("stopped", 1, 4)
    real, tries = desk.arranger._store.save, list[ArrangeRun]()

    def full_once(run: ArrangeRun) -> None:
        tries.append(run)
        if len(tries) == 1:
            full_disk()
        real(run)

    for refusing in (full_disk, full_once):
        with pytest.MonkeyPatch.context() as disk:
            disk.setattr(desk.arranger._store, "save", refusing)
            full = await desk.arranger.roll_back(back)
        assert full.state == "stopped"
        assert full.said == (
            "Progress cannot be saved on this machine, so nothing more is sent: "
            "No space left on device."
        )
        assert full.count("taken-back") == 1
    assert len(tries) == 2


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


def iter_then_full(runs: list[ArrangeRun]) -> Iterator[ArrangeRun]:
    yield from runs
    full_disk()


async def test_what_is_left_of_a_run_whose_site_is_gone_is_forgotten(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.way.trouble = {3: 403}
    run = await desk.arranger.go(desk.plan.run(removing=True))
    assert run.state == "stopped"
    left, said = await desk.arranger.find_interrupted()
    assert ([each.id for each in left], said) == ([run.id], "")
    assert await desk.arranger.groups() == {run.group}
    unread = "Whether a rearrangement was left cannot be read: [Errno 28] No space left on device"
    with monkeypatch.context() as disk:
        disk.setattr(desk.arranger._store, "all", full_disk)
        assert await desk.arranger.find_interrupted() == ([], unread)
        assert await desk.arranger.groups() == set()
    async with desk.world.api() as api:
        await api(ops.delete_site, desk.world.home, desk.plan.site)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(desk.arranger._store, "claim", lambda run_id: False)
        assert await desk.arranger.find_interrupted() == ([], "")
        assert desk.arranger.elsewhere == {run.id}
    gone = "Acme docs is gone: what was left of it (4 calls) is discarded."
    with monkeypatch.context() as disk:
        disk.setattr(desk.arranger._store, "drop", full_disk)
        assert await desk.arranger.find_interrupted() == ([], unread)
    with monkeypatch.context() as disk:
        disk.setattr(desk.arranger._store, "all", lambda: iter_then_full([run]))
        assert await desk.arranger.find_interrupted() == ([], f"{gone} {unread}")
    assert await desk.arranger.find_interrupted() == ([], "")
    assert desk.arranger.elsewhere == set()


async def test_a_run_under_way_is_found_by_nobody_and_does_not_begin_twice(desk: Desk) -> None:
    desk.way.hold = asyncio.Event()
    run = desk.plan.run()
    going = asyncio.create_task(desk.arranger.go(run))
    await eventually(lambda: bool(desk.way.writes), lambda: asyncio.sleep(0))
    [task] = desk.arranger.busy
    assert await desk.arranger.find(PLACE, desk.plan.site) is None
    await desk.arranger.forget_ended(run)
    with pytest.raises(WriteError, match=r"^This is under way already"):
        await desk.arranger.go(run)
    desk.way.hold.set()
    assert (await going).state == "finished"
    assert task.done()
    assert not desk.arranger.active
    found = await desk.arranger.find(PLACE, desk.plan.site)
    assert found is not None
    assert found.state == "finished"
    with pytest.MonkeyPatch.context() as disk:
        disk.setattr(desk.arranger._store, "claim", full_disk)
        with pytest.raises(WriteError, match=r"^Progress cannot be saved on this machine"):
            await desk.arranger.keep(found)
