"""The outbox: what waits goes exactly once."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread, current_thread
from types import SimpleNamespace
from typing import cast

import pytest

from copydesk.contract.models.user import User
from copydesk.domain.request_context import CAUSE
from copydesk.local.journal import Entry
from copydesk.server import threads
from copydesk.session.declarations import DANGERS
from copydesk.session.draft_keys import outbox_key
from copydesk.session.writes.log import QueuedError, WriteError
from copydesk.session.writes.outbox import (
    BEGUN,
    QUIET_SECONDS,
    Outbox,
    by_slug,
    danger,
    ids_of,
    marks_of,
    threads_wait,
    waiting_about,
    waiting_threads,
)
from copydesk.session.writes.recovery import recover
from copydesk.session.writes.undo import ReversalRunner
from tests.tui.cutting import Desk, Program, judge, lives, may_wait, run

LIVES = 3
"""How many lives of each kind are lived here."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("desk"))


@pytest.mark.long
def test_each_write_that_may_wait_arrives_exactly_once_wherever_it_is_cut(
    desk: Desk, tmp_path: Path
) -> None:
    assert may_wait() == desk.kinds.keys()
    lived = [
        life
        for kind in sorted(desk.kinds)
        for life in Random(kind).sample(list(lives(kind, 4, (2, 3))), LIVES)
    ]
    judged = {life: judge(desk, life, run(desk, life, tmp_path)) for life in lived}
    wrong = {life: why for life, why in judged.items() if why}
    assert not wrong, wrong


async def test_what_waits_goes_with_its_writer_whose_own_writes_hold_nothing_back(
    desk: Desk, tmp_path: Path
) -> None:
    resolved, reply = "update_change_request_comment", "create_change_request_comment_reply"
    program = Program(desk, desk.kinds[resolved], tmp_path)
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.kind = desk.kinds[reply]
    with pytest.raises(QueuedError):
        await program.write()
    program.kind = desk.kinds["create_space_comment"]
    program.network.cut(1, "late", only_writes=True)
    with pytest.raises(WriteError, match="may have been sent"):
        await program.write()

    # Another token: nothing goes, not even by hand, and what may have arrived stays so.
    session = program.session = program.start()
    program.network.late.clear()
    await session.ready()
    mine, session.me = session.me, User(id=desk.other, display_name="Mia", email="m@example.org")
    said = await session.outbox.send()
    assert said == "Waits in the outbox (g x): 3."
    assert session.outbox.asks == 3
    for each in list(session.outbox.items):
        said = await session.outbox.send(each, anyway=True, sure=True)
        assert "written by someone else" in said
    assert [(each.state, each.held) for each in session.journal.entries()] == [
        ("queued", ""), ("queued", ""), ("unknown", ""),
    ]  # fmt: skip
    session.outbox.wake()
    assert not session.writes.writing

    # Its writer is back. That the thread was resolved since was their own doing.
    session.me = mine
    waits = [each for each in session.outbox.items.values() if each.state == "queued"]
    assert [each.held for each in waits] == ["other", "other"]
    assert all(map(session.outbox._goes, waits))
    program.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    session.outbox.wake()
    await asyncio.wait(session.writes.writing)
    assert len(program.network.arrived) == 3
    assert not session.outbox.count
    assert {each.state for each in session.journal.entries()} == {"done"}

    # What somebody else did meanwhile is not sent, and not said to have been.
    program.kind = desk.kinds["update_change_request"]
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.network.mend()
    await session.way.take(await session.ready(), program.kind.step)
    said = await session.outbox.send()
    assert said.startswith("Was there already: nothing was sent: Write it")
    assert len(program.network.arrived) == 4
    program.store.close()


async def test_the_same_verdict_twice_is_sent_twice_when_the_first_had_arrived(
    desk: Desk, tmp_path: Path
) -> None:
    program = Program(desk, desk.kinds["create_change_request_review"], tmp_path)
    await program.write()
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.network.mend()
    [waiting] = program.session.outbox.items
    with program.session.outbox.editing(waiting):
        program.session.outbox.wake()
        assert not program.session.writes.writing
        await program.session.outbox.send()
    assert len(program.network.arrived) == 1
    await program.session.outbox.send()
    assert len(program.network.arrived) == 2
    program.store.close()


@pytest.mark.parametrize("words_arrived", [False, True])
async def test_a_verdict_with_words_is_not_taken_for_one_without(
    desk: Desk, tmp_path: Path, words_arrived: bool
) -> None:
    program = Program(desk, desk.kinds["create_change_request_review"], tmp_path)
    # Where the one without words alone is there, it is asked.
    step = replace(program.kind.step, body={"status": "approved"})
    await ReversalRunner(lambda name: None).take(await program.session.ready(), step)
    program.network.cut(1, "unanswered" if words_arrived else "lost", only_writes=True)
    with pytest.raises(WriteError, match="may have been sent"):
        await program.write()
    program.network.mend()
    program.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    said = await program.session.outbox.send()
    assert ("it had arrived" in said) is words_arrived
    assert program.session.outbox.asks == (not words_arrived)
    assert len(program.network.arrived) == 1 + words_arrived
    program.store.close()


async def test_a_thread_that_was_answered_since_is_not_resolved(desk: Desk, tmp_path: Path) -> None:
    # Whoever resolves has judged by words, and by who had the last one.
    program = Program(desk, desk.kinds["update_change_request_comment"], tmp_path)
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.network.mend()
    thread = program.kind.step.arguments["comment_id"]
    program.store.write(lambda tx: threads.add_reply(tx, thread, desk.other, "Not so."))
    await program.session.outbox.send()
    assert not program.network.arrived
    [held] = program.session.outbox.items.values()
    assert "It was answered, or its words were changed, since." in held.sentence
    program.store.close()


async def test_what_was_cut_off_as_it_left_the_outbox_arrives_once_wherever_the_clock_is_set(
    desk: Desk, tmp_path: Path
) -> None:
    program = Program(desk, desk.kinds["create_change_request_comment"], tmp_path)
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.clock.now += timedelta(hours=5)
    program.network.cut(1, "late", only_writes=True)
    await program.session.outbox.send()
    assert program.network.late
    for moved in (2.0, -30.0):
        program.network.mend()
        program.clock.now += timedelta(seconds=moved)
        program.session = program.start()
        await recover(program.session)
        assert not program.network.arrived
    await program.network.catch_up()
    program.clock.now += timedelta(seconds=3 * QUIET_SECONDS)
    await program.session.outbox.send()
    assert len(program.network.arrived) == 1
    assert not program.session.outbox.count
    program.store.close()


async def lose_the_second(desk: Desk, folder: Path) -> Program:
    """Send a comment, and the same words again, which are lost; nobody knows whether they are."""
    program = Program(desk, desk.kinds["create_change_request_comment"], folder)
    await program.write()
    program.network.cut(1, "lost", only_writes=True)
    with pytest.raises(WriteError, match="may have been sent"):
        await program.write()
    program.network.mend()
    program.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    return program


async def test_another_text_of_the_same_field_replaces_nothing_that_may_be_lost(
    desk: Desk, tmp_path: Path
) -> None:
    program = await lose_the_second(desk, tmp_path)
    session = program.session
    session.drafts.save(program.kind.draft, "Something else.")
    step = replace(program.kind.step, body={"body": {"markdown": "Something else."}})
    api = await session.ready()
    await session.writes.perform(
        "Write", "it", lambda: ReversalRunner(lambda name: None).take(api, step),
        trace=program.kind.trace, draft=program.kind.draft,
    )  # fmt: skip
    await session.outbox.send()
    program.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    await session.outbox.send()
    # A person is asked.
    assert [each.held for each in session.outbox.items.values()] == ["changed"]
    assert len(program.network.arrived) == 2
    program.store.close()


async def test_one_copydesk_sends_at_a_time_and_no_draft_of_an_earlier_run_twice(
    desk: Desk, tmp_path: Path
) -> None:
    program = await lose_the_second(desk, tmp_path)
    session, line = program.session, program.session.log[-1]
    other = program.start()
    assert other.journal.claim()
    with pytest.raises(WriteError, match="Another copydesk is sending"):
        await session.writes.retry(line)
    other.journal.release()
    # An earlier run's text is not sent a second time from its draft, without a word.
    await other.outbox.look()
    program.session = other
    with pytest.raises(WriteError, match="earlier try"):
        await program.write()
    assert len(program.network.arrived) == 1
    program.store.close()


async def test_writes_of_one_action_go_and_come_again_together(desk: Desk, tmp_path: Path) -> None:
    program = Program(desk, desk.kinds["update_change_request"], tmp_path)
    session = program.session
    api = await session.ready()

    async def change(name: str) -> None:
        kind = desk.kinds[name]
        send = partial(ReversalRunner(lambda name: None).take, api, kind.step)
        await session.writes.perform(
            name, "it", send, reversal=kind.reversal, expects=kind.expects, group="one"
        )

    await change("update_change_request")
    program.network.down = True
    with pytest.raises(QueuedError):
        await change("update_change_request_comment")
    program.network.mend()
    await session.reversals.undo()
    assert session.reversals.undoable() is None
    assert not session.outbox.count
    assert len(program.network.arrived) == 2
    await session.reversals.take_back(session.reversals.redoable(), again=True)
    assert len(session.outbox.items) == 1
    await session.outbox.send()
    assert [past.standing for past in session.history.known.values()] == ["done", "gone", "done"]
    assert len(program.network.arrived) == 4
    program.store.close()


def entry(name: str, target: str, row: str = "i", at: float = 1.0, what: str = "Change") -> Entry:
    return Entry(row, "r", at, what, "it", "queued", request={"name": name, "target": target})


def test_what_waits_of_an_organization_itself_is_marked_in_its_row() -> None:
    def row(name: str, target: str) -> list[str]:
        return list(marks_of([entry(name, target)]))

    assert row("update_organization", "/v1/orgs/o") == ["o"]
    assert row("update_site", "/v1/orgs/o/sites/s") == ["s"]
    assert row("update_change_request", "/v1/spaces/p/change-requests/c") == ["c"]
    assert row("update_change_request", "/v1/spaces/p/change-requests/c%20d?x=1") == ["c d"]
    assert row("update_change_request", "/v1/spaces/p") == row("odd", "/v1/spaces/p") == []
    assert row("put_openapi_spec", "/v1/orgs/o/openapi/pets") == ["o/pets"]
    assert ids_of(Entry("i", "r", 1.0, "Change", "it", "queued")) == {}
    assert by_slug("o", "pets") == "o/pets"


def test_what_waits_on_some_objects_is_a_sentence() -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    change = "/v1/spaces/p/change-requests/"
    waiting = [
        entry("update_change_request", f"{change}c", "1", noon.timestamp() - 90, "Rename\x07"),
        entry("update_change_request", f"{change}c", "2", noon.timestamp() - 60, "Archive"),
        entry("update_change_request", f"{change}d", "3", noon.timestamp() - 3600, "Rename"),
    ]
    outbox = SimpleNamespace(marks=marks_of(waiting))
    app = SimpleNamespace(session=SimpleNamespace(outbox=outbox, clock=lambda: noon))
    at = datetime.fromtimestamp(noon.timestamp() - 90, UTC).astimezone()
    assert waiting_about(app, "c", None) == (
        f"waits in the outbox: rename and archive, since {at:%H:%M}"
    )
    hour = datetime.fromtimestamp(noon.timestamp() - 3600, UTC).astimezone()
    assert waiting_about(app, "d", "c", "d").endswith(f"since {hour:%H:%M}")
    assert waiting_about(app, "x", None) == ""
    assert waiting_about(object(), "c") == ""
    outbox.marks = marks_of([])
    assert waiting_about(app, "c") == ""


def test_a_comment_that_begins_a_thread_waits_where_it_will_be() -> None:
    def comment(name: str, target: str, row: str, body: str) -> Entry:
        request = {"name": name, "target": target, "body": body}
        return replace(entry(name, target, row), request=request)

    on = "/v1/spaces/p/change-requests/c/comments"
    waiting = [
        comment("create_change_request_comment", on, "1", '{"page": "g", "node": "n"}'),
        comment("create_change_request_comment", on, "2", '{"body": {}}'),
        comment("create_change_request_comment", on, "3", "no JSON"),
        comment("create_change_request_comment_reply", f"{on}/t/replies", "4", "{}"),
        comment("create_space_comment", "/v1/spaces/p/comments", "5", '{"page": "g"}'),
    ]
    outbox = cast("Outbox", SimpleNamespace(marks=marks_of(waiting)))
    assert waiting_threads(outbox, "p", "c") == [("g", "n"), (None, None)]
    assert waiting_threads(outbox, "p") == [("g", None)]
    assert waiting_threads(outbox, "p", "d") == []
    assert threads_wait(0) == ""
    assert threads_wait(1) == "1 comment waits to be sent: g x shows it."
    assert threads_wait(2) == "2 comments wait to be sent: g x shows them."


def test_the_danger_of_a_write_is_the_highest_of_what_led_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, dangerous in (("x.mild", 1), ("x.most", 3)):
        monkeypatch.setitem(DANGERS, name, dangerous)
    context = copy_context()
    for cause, found in (
        ((), 0), (("no_such",), 0), (("x.mild", "no_such"), 1), (("x.mild", "x.most"), 3),
    ):  # fmt: skip
        context.run(CAUSE.set, cause)
        assert context.run(danger) == found


async def test_whose_edit_is_a_draft_is_known_without_the_disk(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each answer all that waits is looked at, on the event loop."""
    program = Program(desk, desk.kinds["update_change_request"], tmp_path)
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.network.mend()
    session, [waiting] = program.session, program.session.outbox.items
    other = program.start()  # another window
    await asyncio.to_thread(other.drafts.save, outbox_key(waiting), "Edited.")
    assert await session.outbox.send() == BEGUN
    assert session.outbox.items[waiting].sentence == BEGUN
    assert not program.network.arrived

    read, on = session.drafts.keys, set[Thread]()

    def keys() -> set[str]:
        on.add(current_thread())
        return read()

    monkeypatch.setattr(session.drafts, "keys", keys)
    session.outbox.wake()
    session.outbox.take(session.outbox.items[waiting])
    assert not session.writes.writing
    # Sent by hand all the same, without an answer: it cannot be edited before it is found out.
    session.outbox.take(replace(session.outbox.items[waiting], state="unknown", sentence="Lost."))
    assert session.outbox.items[waiting].sentence == "Lost."
    assert session.outbox._goes(session.outbox.items[waiting])

    await asyncio.to_thread(other.drafts.discard, outbox_key(waiting))
    assert await session.outbox.send() != BEGUN
    assert current_thread() not in on
    assert len(program.network.arrived) == 1
    program.store.close()


async def test_what_had_not_arrived_is_not_sent_as_it_was_while_an_edit_of_it_is_a_draft(
    desk: Desk, tmp_path: Path
) -> None:
    program = Program(desk, desk.kinds["update_change_request"], tmp_path)
    program.network.down = True
    with pytest.raises(QueuedError):
        await program.write()
    program.network.mend()
    session, [waiting] = program.session, program.session.outbox.items
    entry = session.outbox.items[waiting]
    lost = await asyncio.to_thread(session.journal.settle, entry, "unknown", sentence="Lost.")
    session.outbox.take(lost)
    await asyncio.to_thread(session.drafts.save, outbox_key(waiting), "Edited.")
    program.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    assert await session.outbox.send() == BEGUN
    assert not program.network.arrived
    assert session.outbox.items[waiting].state == "queued"
    await session.outbox.send(waiting)  # by hand
    assert len(program.network.arrived) == 1
    program.store.close()
