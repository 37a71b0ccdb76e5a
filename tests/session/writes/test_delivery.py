"""What becomes of a write that waits, by what reading tells before it is sent, and after."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from copydesk.client.errors import RateLimited, Unreachable
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.content_update import ContentWrite
from copydesk.domain.inverses import (
    request_changed,
    still_says,
    thread_resolved,
    verdict_trace,
)
from copydesk.domain.reversal import Expectation, Reversal, Step
from copydesk.local.journal import Entry, Journal
from copydesk.local.journal import State as EntryState
from copydesk.local.state import State
from copydesk.session.draft_keys import outbox_key, review_key
from copydesk.session.errors import WAITS, NotDoneError
from copydesk.session.writes.comments import change_message
from copydesk.session.writes.log import QueuedError, WriteError
from copydesk.session.writes.outbox import (
    BEGUN,
    NOT_ARRIVED,
    OTHER_TEXT,
    QUIET_SECONDS,
    UNCONFIRMED,
    UNKNOWN,
    UNREADABLE,
    UNTOLD,
)
from copydesk.session.writes.undo import ReversalRunner
from tests.drive import eventually
from tests.session.writes.test_sender import Desk
from tests.world import World

COMMENT = "Comment #1"


async def renaming(world: World, folder: Path, **more: Any) -> tuple[Desk, Entry]:
    """Return a desk with a rename that waits."""
    desk = Desk(world, folder)
    await desk.session.ready()
    await away(desk, desk.subject(desk.first, "Uno", **more))
    [entry] = desk.session.outbox.items.values()
    return desk, entry


async def away(desk: Desk, writing: Any) -> None:
    """Write while nobody is there, and be there again."""
    desk.trouble(*["down"] * 9)  # some the client sends again by itself
    with pytest.raises(QueuedError):
        await writing
    desk.trouble()


async def note(desk: Desk, entry: Entry, **changes: Any) -> None:
    """Change what is noted of what waits."""
    desk.session.outbox.take(desk.journal.settle(entry, entry.state, **changes))


def elsewhere(desk: Desk) -> Journal:
    """Return the journal of another copydesk on the same machine."""
    return Journal(State(desk.folder / "state.db"), "desk")


def subject(desk: Desk) -> str:
    return str(desk.world.row("change_request", desk.first)["subject"])


@pytest.mark.parametrize(
    ("changes", "held", "said"),
    [
        ({"reversal": None}, "untold", UNTOLD),
        ({"reversal": None, "expects": {"odd": 1}}, "changed", UNREADABLE),
    ],
)
async def test_what_nothing_is_known_of_is_not_sent_unasked(
    world: World, tmp_path: Path, changes: Mapping[str, Any], held: str, said: str
) -> None:
    desk, entry = await renaming(world, tmp_path)
    await note(desk, entry, **changes)
    assert await desk.session.outbox.send() == "Waits in the outbox (g x): Rename #1."
    [now] = desk.session.outbox.items.values()
    assert (now.state, now.held, now.sentence) == ("queued", held, said)
    assert desk.session.outbox.asks == 1
    assert desk.session.log[-1].message == said
    assert await desk.session.outbox.send() == "", "it waits for a person"
    sent = await desk.session.outbox.send(entry.id, anyway=True)
    assert sent == (
        "Sent from the outbox: Rename #1."
        if held == "untold"
        else "Waits in the outbox (g x): Rename #1."
    )


async def test_a_way_back_that_says_nothing_of_before_does_not_tell_what_is_wanted(
    world: World, tmp_path: Path
) -> None:
    step = Step("update_change_request", {"space_id": "s", "change_request_id": "r"}, {})
    desk, entry = await renaming(world, tmp_path)
    await note(desk, entry, reversal=Reversal((step,)).to_dict())
    await desk.session.outbox.send()
    assert desk.session.outbox.items[entry.id].sentence == UNTOLD


@pytest.mark.parametrize(
    ("reads", "said", "held"),
    [
        (500, "The service failed: The door is shut. s tries again.", ""),
        ("down", "Offline: desk cannot be reached: No route. s tries again.", ""),
        (403, "", "Waiting: Not allowed: The door is shut"),
    ],
)
async def test_what_cannot_be_read_before_it_is_sent_waits(
    world: World, tmp_path: Path, reads: str | int, said: str, held: str
) -> None:
    desk, _ = await renaming(world, tmp_path)
    desk.session.contact.answered()
    desk.way.reads = reads
    assert await desk.session.outbox.send() == (said or "Waits in the outbox (g x): Rename #1.")
    assert bool(desk.session.offline) is (reads == "down")
    [now] = desk.session.outbox.items.values()
    assert (now.held, now.sentence) == (
        ("changed", held)
        if held
        else ("", f"{WAITS}: the service cannot be reached. Nothing was sent.")
    )
    assert desk.way.writes == ["PATCH"], "only the first try"
    desk.way.reads = ""
    await desk.session.outbox.send(now.id if held else "")
    assert subject(desk) == "Uno"


async def test_what_is_there_already_has_no_answer_to_go_on_with(
    world: World, tmp_path: Path
) -> None:
    took: list[Any] = []
    desk, _ = await renaming(world, tmp_path, then=took.append)
    async with world.api() as api:
        body = ChangeRequestUpdate(subject="Uno")
        await api(ops.update_change_request, desk.space, desk.first, body)
    said = "Was there already: nothing was sent: Rename #1."
    assert await desk.session.outbox.send() == said
    assert took == []
    assert desk.session.log[-1].state == "done"
    assert desk.way.writes == ["PATCH"], "only the first try"


async def test_an_edited_write_has_no_answer_for_who_began_it(world: World, tmp_path: Path) -> None:
    took: list[Any] = []
    desk, entry = await renaming(world, tmp_path, then=took.append)
    edited = {**(entry.request or {}), "body": '{"subject": "Due"}'}
    await desk.session.outbox.change(entry, request=edited)
    await desk.session.outbox.send()
    assert (subject(desk), took) == ("Due", [])


async def test_what_may_have_arrived_is_asked_about_where_it_cannot_be_found_out(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    outbox = desk.session.outbox
    desk.trouble("blind")
    with pytest.raises(WriteError) as failed:
        await desk.comment("request", "On its way.")
    assert failed.value.unknown
    [entry] = outbox.items.values()
    desk.way.reads = 500
    desk.world.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    assert await outbox.send() == "The service failed: The door is shut. s tries again."
    assert outbox.undecided == set()
    for _ in (1, 2):  # a person wants to know, and no reading tells
        assert await outbox.send(entry.id) == ""
        [now] = outbox.items.values()
        assert (now.state, now.sentence, outbox.asks) == ("unknown", UNKNOWN, 1)
        assert desk.session.log[-1].message == UNKNOWN
        assert desk.session.log[-1].state == "unknown"
    desk.way.reads = ""
    assert await outbox.send() == "", "a person decides"
    said = "No answer had come, but it had arrived: Comment #1."
    assert await outbox.send(entry.id) == said
    assert (outbox.asks, outbox.items, len(desk.way.writes)) == (0, {}, 1)


@pytest.mark.parametrize("theirs", [False, True])
async def test_another_start_sends_what_cannot_have_arrived_for_the_revision_is_as_it_was(
    world: World, tmp_path: Path, theirs: bool
) -> None:
    desk = Desk(world, tmp_path)
    ids = {"space_id": desk.space, "change_request_id": desk.first}
    page = world.page_id(desk.space, "a")
    edit = {"operation": "update_page", "page": page, "document": {"markdown": "# Ah\n"}}
    async with world.api() as api:
        before = (await api(ops.get_change_request, desk.space, desk.first)).revision

    async def send() -> Any:
        body = ContentWrite.model_validate({"changes": [edit]})
        api = await desk.session.ready()
        return await api(
            ops.update_change_request_content, desk.space, desk.first, body, compat=False
        )

    expects = Expectation(Step("get_change_request", ids), {"revision": before})
    await desk.session.ready()
    desk.trouble("sunk")
    with pytest.raises(WriteError):
        await desk.session.writes.perform(
            "Edit pages of", "#1", send, reversal=lambda sent: None, expects=expects
        )
    desk.store.close()
    desk.begin()
    desk.trouble()
    if theirs:
        world.edit_change_request(desk.first, {"a": "# Theirs\n"})
    world.clock.now += timedelta(seconds=QUIET_SECONDS)
    said = await desk.session.outbox.send()
    assert (said, desk.session.outbox.asks) == (
        ("", 1) if theirs else ("Sent from the outbox: Edit pages of #1.", 0)
    )


@pytest.mark.parametrize(
    ("theirs", "state", "said"),
    [("", "queued", NOT_ARRIVED), ("Theirs", "unknown", UNKNOWN)],
)
async def test_a_change_that_is_lost_on_its_way_from_the_outbox_is_found_out_at_once(
    world: World, tmp_path: Path, theirs: str, state: str, said: str
) -> None:
    desk, entry = await renaming(world, tmp_path)
    desk.trouble("sunk")
    desk.way.hold = asyncio.Event()
    sending = asyncio.create_task(desk.session.outbox.send())
    await eventually(lambda: len(desk.way.writes) == 2, lambda: asyncio.sleep(0))
    if theirs:
        async with world.api() as api:
            body = ChangeRequestUpdate(subject=theirs)
            await api(ops.update_change_request, desk.space, desk.first, body)
    desk.way.hold.set()
    told = await sending
    assert (COMMENT.replace("Comment", "Rename") in told) is bool(theirs)
    assert told.startswith("Waits in the outbox" if theirs else "Offline")
    now = desk.session.outbox.items[entry.id]
    assert (now.state, now.sentence) == (state, said)
    assert desk.session.outbox.asks == bool(theirs)
    assert desk.session.offline
    await desk.session.outbox.send()
    assert subject(desk) == (theirs or "Uno")


async def test_a_program_that_ends_while_it_sends_notes_that_it_may_be_there(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await renaming(world, tmp_path)
    desk.trouble("before")
    sending = asyncio.create_task(desk.session.outbox.send())
    await desk.way.held_up.wait()
    assert desk.journal.entries()[-1].state == "sending"
    for task in desk.session.writes.writing:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    now = desk.journal.entries()[-1]
    assert (now.id, now.state) == (entry.id, "unknown")
    assert now.sentence == "Stopped: it may be there."
    assert desk.session.outbox.items == {entry.id: now}
    assert elsewhere(desk).claim(), "another copydesk may go on"


async def test_what_would_send_something_else_than_was_noted_is_not_sent(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    subjects = iter(("Uno", "Due"))
    way = request_changed(desk.space, desk.first, {"subject": "One"}, {"subject": "Uno"})

    async def send() -> Any:
        body = ChangeRequestUpdate(subject=next(subjects))
        return await api(ops.update_change_request, desk.space, desk.first, body)

    await away(desk, desk.session.writes.perform("Rename", "#1", send, reversal=way))
    assert await desk.session.outbox.send() == "Waits in the outbox (g x): Rename #1."
    [now] = desk.session.outbox.items.values()
    assert (now.held, subject(desk)) == ("refused", "One")
    assert now.sentence == ("Not sent: The thing has changed: discard this write, and do it again.")


async def test_a_verdict_waits_for_the_comments_that_go_with_it(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    me = desk.session.me
    assert me is not None
    ids = (desk.space, desk.first)
    body = ops.create_change_request_review.body
    assert body is not None
    asked = body.adapter.validate_python({"status": "changes-requested"})
    trace = verdict_trace(*ids, "", me=me.id, status="changes-requested")

    async def verdict(group: str) -> None:
        await desk.session.writes.perform(
            "Review", "#1", lambda: api(ops.create_change_request_review, *ids, asked),
            trace=trace, group=group,
        )  # fmt: skip

    await away(desk, desk.comment("request", "Why?", group="one"))
    await away(desk, verdict("other"))
    await away(desk, verdict("one"))
    comment, alone, together = desk.session.outbox.items.values()
    send = desk.session.outbox.send
    assert await send(together.id, anyway=True) == (
        "A comment that it goes with waits: that one first."
    )
    assert desk.way.writes == ["POST"] * 3
    assert await send(alone.id, anyway=True) == "Sent from the outbox: Review #1."
    assert await send(comment.id) == "Sent from the outbox: Comment #1."
    assert await send(together.id, anyway=True) == "Sent from the outbox: Review #1."


async def test_ones_own_answers_hold_back_nothing_that_was_judged_before_them(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    thread = world.comment(desk.space, "Why?", change_request=desk.first)
    ids = (desk.space, desk.first)
    for text in ("Because.", "And so."):
        await away(desk, desk.comment(f"reply {thread}", text))
    await away(
        desk,
        desk.session.writes.perform(
            "Resolve", "#1",
            lambda: change_message(api, ids, thread, None, {"resolved": True}),
            reversal=thread_resolved(*ids, thread, resolved=True),
            expects=still_says(*ids, thread, words="Why?\n", replies=0),
        ),
    )  # fmt: skip
    assert await desk.session.outbox.send() == "Sent from the outbox: 3."
    assert world.row("comment", thread)["status"] == "resolved"


async def test_a_decision_by_words_that_nobody_knows_any_more_is_a_persons(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    thread = world.comment(desk.space, "Why?", change_request=desk.first)
    ids = (desk.space, desk.first)
    way = thread_resolved(*ids, thread, resolved=True)
    resolve = desk.session.writes.perform(
        "Resolve", "#1",
        lambda: change_message(api, ids, thread, None, {"resolved": True}), reversal=way,
    )  # fmt: skip
    await away(desk, resolve)
    await desk.session.outbox.send()
    [now] = desk.session.outbox.items.values()
    assert (now.held, now.sentence) == ("untold", UNTOLD)


# The outbox around it


async def test_nothing_is_sent_where_the_disk_or_the_service_refuses_to_begin(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, entry = await renaming(world, tmp_path)
    session = desk.session
    for error, said in (
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("It is gone"), "It is gone"),
    ):
        with monkeypatch.context() as broken:
            broken.setattr(desk.journal, "waiting", raising(error))
            assert await session.outbox.send() == (
                f"Nothing is sent that cannot be noted on disk first: {said}."
            )
            assert not session.outbox.busy
    with monkeypatch.context() as broken:
        broken.setattr(session, "ready", anon(raising(Unreachable("No route."))))
        assert await session.outbox.send() == "Offline: No route. s tries again."
        assert session.offline
    back = session.clock() + timedelta(seconds=30)
    with monkeypatch.context() as broken:
        slow = RateLimited("Slow.", retry_at=back)
        broken.setattr(ReversalRunner, "became", anon(raising(slow)))
        assert (await session.outbox.send()).startswith("API limit reached")
        assert session.outbox.not_before == back
    with monkeypatch.context() as broken:
        broken.setattr(session, "confirmed", False)
        broken.setattr("copydesk.session.writes.outbox.confirm", anon(lambda *_: None))
        assert await session.outbox.send() == UNCONFIRMED
        session.outbox.wake()
        assert not session.writes.writing
    assert [*session.outbox.items] == [entry.id]
    assert desk.way.writes == ["PATCH"]
    session.confirmed = False
    assert await session.outbox.send() == "Sent from the outbox: Rename #1.", "who it is was asked"


async def test_the_draft_of_what_waits_is_not_there_twice_at_the_next_start(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    await away(desk, desk.comment("request", "Later."))
    drafts, key = desk.session.drafts, review_key(desk.space, desk.first, "request")
    for text, left in (("Later.", None), ("Other words.", "Other words.")):
        drafts.save(key, text)
        await desk.session.outbox.tidy()
        assert drafts.own_text(key) == left


def raising(error: Exception) -> Any:
    def refuse(*_: Any) -> Any:
        raise error

    return refuse


def anon(work: Any) -> Any:
    async def going(*given: Any) -> Any:
        return work(*given)

    return going


async def test_what_waits_is_woken_once_and_not_before_the_service_wants_it(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await renaming(world, tmp_path)
    session, outbox = desk.session, desk.session.outbox
    outbox.not_before = session.clock() + timedelta(seconds=30)
    outbox.wake()
    assert not session.writes.writing
    world.clock.now += timedelta(seconds=30)
    with outbox.editing(entry.id):
        outbox.wake()
        assert not session.writes.writing
    outbox.wake()
    outbox.wake()
    [task] = session.writes.writing
    await task
    assert subject(desk) == "Uno"
    assert len(desk.way.writes) == 2
    outbox.wake()
    assert not session.writes.writing, "nothing waits"
    assert outbox.not_before is None


async def test_what_may_have_arrived_is_looked_for_unasked_once_it_cannot_come_any_more(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    outbox = desk.session.outbox
    desk.trouble("sunk")
    with pytest.raises(QueuedError):
        await desk.comment("request", "On its way.")
    outbox.wake()
    assert not desk.session.writes.writing, "it may still come"
    [waits] = outbox.items
    assert await outbox.send(waits) == (
        "No answer came. It is not there yet, and may still arrive."
    )
    world.clock.now += timedelta(seconds=QUIET_SECONDS - 1)
    outbox.wake()
    assert not desk.session.writes.writing
    world.clock.now += timedelta(seconds=1)
    outbox.undecided.add(next(iter(outbox.items)))
    outbox.wake()
    assert not desk.session.writes.writing, "a person was asked"
    outbox.undecided.clear()
    outbox.wake()
    await asyncio.gather(*desk.session.writes.writing)
    assert outbox.items == {}


async def test_that_a_write_waits_for_its_edit_is_told_where_that_is_not_open(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await renaming(world, tmp_path)
    outbox = desk.session.outbox
    with outbox.editing(entry.id):
        assert await outbox.send() == "", "who edits it sees that"
    desk.session.drafts.save(outbox_key(entry.id), "Due")
    assert await outbox.send() == BEGUN
    assert desk.way.writes == ["PATCH"], "only the first try"


async def test_what_somebody_changed_after_ones_own_write_holds_back_the_next(
    world: World, tmp_path: Path
) -> None:
    desk, first = await renaming(world, tmp_path)
    await away(desk, desk.subject(desk.first, "Due"))
    assert await desk.session.outbox.send(first.id) == "Sent from the outbox: Rename #1."
    async with world.api() as api:
        body = ChangeRequestUpdate(subject="Theirs")
        await api(ops.update_change_request, desk.space, desk.first, body)
    assert await desk.session.outbox.send() == "Waits in the outbox (g x): Rename #1."
    assert subject(desk) == "Theirs"
    [now] = desk.session.outbox.items.values()
    assert now.held == "changed"


async def test_only_the_outbox_sends_what_waits_though_another_copydesk_may_have_taken_it(
    world: World, tmp_path: Path
) -> None:
    desk, _ = await renaming(world, tmp_path)
    outbox, [line] = desk.session.outbox, desk.session.log
    assert outbox.keeps(line)
    line.state = "sending"
    assert outbox.keeps(line)
    line.state = "queued"
    outbox.items.clear()
    assert outbox.keeps(line)
    line.state = "done"
    assert not outbox.keeps(line)


async def test_what_goes_from_the_outbox_is_undone_as_its_answer_says(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    ids = {"space_id": desk.space, "change_request_id": desk.first}

    async def send() -> Any:
        api = await desk.session.ready()
        body = ChangeRequestUpdate(subject="Uno")
        return await api(ops.update_change_request, desk.space, desk.first, body)

    def back(now: Any) -> Reversal:
        return request_changed(desk.space, desk.first, {"subject": "One"}, {"subject": now.subject})

    expects = Expectation(Step("get_change_request", ids), {"subject": "One"})
    await away(
        desk, desk.session.writes.perform("Rename", "#1", send, reversal=back, expects=expects)
    )
    assert await desk.session.outbox.send() == "Sent from the outbox: Rename #1."
    assert subject(desk) == "Uno"
    await desk.session.reversals.undo()
    assert subject(desk) == "One"


async def test_what_arrives_late_is_found_with_its_way_back(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble("sunk")
    with pytest.raises(QueuedError):
        await desk.comment("request", "On its way.")
    world.clock.now += timedelta(seconds=QUIET_SECONDS)
    desk.trouble(*["down"] * 9)
    assert (await desk.session.outbox.send()).startswith("Offline")
    desk.trouble()
    late = world.comment(desk.space, "On its way.", change_request=desk.first)
    said = "Was there already: nothing was sent: Comment #1."
    assert await desk.session.outbox.send() == said
    await desk.session.reversals.undo()
    with pytest.raises(AssertionError, match=f"no comment {late}"):
        world.row("comment", late)


async def test_a_comment_that_was_refused_is_not_taken_for_the_same_one_that_came_since(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    await away(desk, desk.comment("request", "Once more."))
    desk.trouble(403)
    outbox = desk.session.outbox
    await outbox.send()
    [entry] = outbox.items.values()
    assert entry.held == "refused"
    world.comment(desk.space, "Once more.", change_request=desk.first)
    assert await outbox.send(entry.id) == f"Sent from the outbox: {COMMENT}."


async def test_what_was_held_for_its_writer_is_theirs_again(world: World, tmp_path: Path) -> None:
    desk, entry = await renaming(world, tmp_path)
    await note(desk, entry, held="other", sentence="Waiting: written by someone else.")
    [now] = await desk.session.outbox.look()
    assert (now.held, now.sentence) == ("", f"{WAITS}.")


async def test_where_the_disk_refuses_the_outcome_this_run_knows_it(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await renaming(world, tmp_path)
    session = desk.session
    for error, why in ((None, "No space left on device"), (OSError("It is gone"), "It is gone")):
        session.outbox.items[entry.id] = entry
        with pytest.MonkeyPatch.context() as disk:
            if error is None:
                desk.journal.full = "end"
            else:
                disk.setattr(desk.journal, "settle", lambda *_, error=error, **__: raising(error)())
            done = session.outbox.settle(entry, "done", sentence="Sent.")
        assert (done.state, done.sentence, done.ended) == ("done", "Sent.", desk.journal.now())
        said = f"Rename #1: its outcome could not be saved: {why}."
        assert session.messages[-1].message == said
        assert session.outbox.items == {}
        desk.journal.full = ""
    assert desk.journal.entries() == [done], "before it is on the disk"
    desk.journal.begin("Other", "it")
    assert [each.state for each in elsewhere(desk).entries()] == ["done", "unknown"]


async def test_a_text_that_arrived_by_another_try_waits_no_more(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    outbox = desk.session.outbox
    desk.trouble("blind")
    with pytest.raises(WriteError):
        await desk.comment("request", "Words.")
    [entry] = outbox.items.values()
    desk.way.reads = ""
    desk.trouble()
    await desk.comment("request", "Words.")
    first, second = desk.session.log
    assert (first.state, second.state, outbox.items) == ("replaced", "done", {})
    noted = desk.journal.entries()[0]
    assert (noted.id, noted.state) == (entry.id, "dropped")
    assert noted.sentence == "Its text was sent later, and arrived."
    assert first.entry == noted


async def test_what_no_answer_came_of_is_asked_about_once_another_text_was_sent_from_there(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble("blind")
    with pytest.raises(WriteError):
        await desk.comment("request", "Words.")
    desk.way.reads = ""
    desk.trouble()
    await desk.comment("request", "Other words.")
    [entry] = desk.session.outbox.items.values()
    assert (entry.state, entry.held, entry.sentence) == ("unknown", "changed", OTHER_TEXT)
    assert desk.session.log[0].message == OTHER_TEXT


async def test_what_was_edited_elsewhere_is_not_overwritten(world: World, tmp_path: Path) -> None:
    desk, entry = await renaming(world, tmp_path)
    theirs = {**(entry.request or {}), "body": '{"subject": "Theirs"}'}
    await note(desk, entry, request=theirs)
    with pytest.raises(NotDoneError, match=r"^Edited elsewhere meanwhile\. What you wrote"):
        await desk.session.outbox.change(entry, request=entry.request)
    [now] = desk.session.outbox.items.values()
    assert now.request == theirs
    assert elsewhere(desk).claim(), "it is given back"


@pytest.mark.parametrize("offline", [False, True])
async def test_what_is_put_back_goes_at_once_where_the_service_answers(
    world: World, tmp_path: Path, *, offline: bool
) -> None:
    desk, entry = await renaming(world, tmp_path)
    outbox = desk.session.outbox
    await outbox.drop(entry.id)
    if not offline:
        desk.session.contact.answered()
    assert bool(desk.session.offline) is offline
    await outbox.queue_again(entry.id)
    assert bool(desk.session.writes.writing) is not offline
    await asyncio.gather(*desk.session.writes.writing)
    assert (outbox.items == {}) is not offline


@pytest.mark.parametrize(
    ("state", "note"),
    [
        ("queued", "Not sent."),
        ("unknown", "Waits no more, and may have arrived all the same."),
    ],
)
async def test_undo_of_what_waits_says_whether_it_may_have_arrived(
    world: World, tmp_path: Path, state: EntryState, note: str
) -> None:
    desk, entry = await renaming(world, tmp_path)
    entry = desk.journal.settle(entry, state)
    [way] = await desk.session.reversals.ways_out([entry])
    assert way.reversal.note == note


async def test_who_leaves_while_the_outbox_is_claimed_gives_it_back(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, entry = await renaming(world, tmp_path)
    real, going = desk.journal.claim, asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow() -> bool:
        loop.call_soon_threadsafe(going.set)
        return real()

    monkeypatch.setattr(desk.journal, "claim", slow)
    dropping = asyncio.create_task(desk.session.outbox.drop(entry.id))
    await going.wait()
    dropping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dropping
    await eventually(lambda: not desk.session.outbox.busy, lambda: asyncio.sleep(0))
    other = elsewhere(desk)
    await eventually(other.claim, lambda: asyncio.sleep(0))
    assert [*desk.session.outbox.items] == [entry.id]
