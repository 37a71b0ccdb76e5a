"""Writes from the first try to the undo, with all that can come in between: ``writes.json``."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Coroutine
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.comment import CommentUpdate, MarkdownBody
from copydesk.domain import inverses
from copydesk.domain.reversal import Reversal, Step
from copydesk.domain.snooze import snooze_of
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Entry, Journal
from copydesk.local.state import State
from copydesk.session.draft_keys import review_key
from copydesk.session.errors import NotDoneError
from copydesk.session.marks import snooze_reversal
from copydesk.session.session import Session
from copydesk.session.writes import comments
from copydesk.session.writes.log import STOPPED, ChangedSinceError, QueuedError, WriteError
from copydesk.session.writes.outbox import (
    DROPPED,
    GONE,
    NOT_YET,
    OTHERS,
    OTHERS_WRITE,
    QUIET_SECONDS,
    READ_ONLY,
    REPLACED,
)
from copydesk.session.writes.recovery import recover, settle_one
from copydesk.session.writes.sender import UNREAD, made_by
from tests.drive import eventually
from tests.golden_json import compare
from tests.tui.arranging_world import Way
from tests.world import BASE_URL, World


class FullDisk(Journal):
    """A journal on a disk that may be full."""

    full = ""

    def begin(self, *given: Any, **more: Any) -> Any:
        if self.full == "begin":
            raise OSError(28, "No space left on device")
        return super().begin(*given, **more)

    def settle(self, *given: Any, **more: Any) -> Any:
        if self.full == "end":
            raise OSError(28, "No space left on device")
        return super().settle(*given, **more)


class Desk:
    """A space with two change requests, and a program that writes to it."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.space = world.space("Guide", {"a": "# A\n"})
        self.first, self.second = (
            world.change_request(self.space, {"a": f"# {name}\n"}, subject=name)
            for name in ("One", "Two")
        )
        self.way = Way(world)
        self.folder = folder
        self.said: list[str] = []
        self.seen: list[dict[str, Any]] = []
        self._before: list[str] = []
        self._going: list[asyncio.Task[Any]] = []
        self.begin()

    def begin(self) -> None:
        """Start the program, again."""
        world = self.world

        # The program goes by the clock of the desk, which stands still but for writes.
        def seconds() -> float:
            return world.clock.now.timestamp()

        api = Api(BASE_URL, world.token(world.ana), transport=self.way, clock=seconds)

        async def connect() -> Api:
            return api

        self.store = State(self.folder / "state.db", clock=seconds)
        self.journal = FullDisk(self.store, "desk")

        def begins() -> bool:
            self.journal.opened()
            return self.journal.crashed()

        self.session = Session(
            connect,
            journal=self.journal,
            draft_store=DeskDrafts(self.store, "desk"),
            clock=lambda: world.clock.now,
            report=lambda said, tone: self.said.append(f"{tone}: {said}"),
            begins=begins,
        )

    async def ends(
        self, moment: str, doing: Coroutine[Any, Any, Any], meanwhile: tuple[str, str] | None = None
    ) -> None:
        """Let the program end before or after the next write arrives, and start another.

        ``meanwhile`` is a draft, by its key, that is saved before the end.
        """
        self.trouble(moment)
        self._going.append(asyncio.create_task(doing))
        await self.way.held_up.wait()
        self.way.held_up.clear()
        if meanwhile is not None:
            self.session.drafts.save(*meanwhile)
        self.session.drafts.flush()
        self.store.close()
        self.begin()
        self._before = []

    def trouble(self, *kinds: str | int | None) -> None:
        """Have the next writes meet trouble, each its own."""
        self.way.reads = ""
        first = len(self.way.writes) + 1
        self.way.trouble = {first + at: kind for at, kind in enumerate(kinds) if kind is not None}

    async def subject(self, request: str, subject: str, **more: Any) -> Any:
        """Give a change request another subject."""
        async with self.world.api() as api:
            was = await api(ops.get_change_request, self.space, request)
        way = inverses.request_changed(
            self.space, request, {"subject": was.subject}, {"subject": subject}
        )

        async def send() -> Any:
            api = await self.session.ready()
            body = ChangeRequestUpdate(subject=subject)
            return await api(ops.update_change_request, self.space, request, body)

        return await self.session.writes.perform(
            "Rename", f"#{was.number}", send, reversal=way, **more
        )

    async def comment(self, part: str, text: str, **more: Any) -> Any:
        """Send a comment from its draft."""
        key = review_key(self.space, self.first, part)
        self.session.drafts.save(key, text)
        draft = comments.pending(self.space, self.first, part, text)
        assert draft is not None

        async def send() -> Any:
            return await comments.send_draft(await self.session.ready(), draft)

        return await self.session.writes.perform(
            "Comment", "#1", send, reversal=comments.way_back(draft), draft=key,
            trace=comments.trace(self.session.me, draft), **more,
        )  # fmt: skip

    def discard(self) -> None:
        """Put all drafts aside."""
        for key, _, _ in self.session.drafts.dated():
            self.session.drafts.discard(key)

    async def tell(self, what: str, doing: Any = None) -> None:
        """Do something, wait for it, and note what is new in all that is to be seen then."""
        told: dict[str, Any] = {"after": what}
        try:
            found = None if doing is None else await doing
            told["returns"] = found if isinstance(found, str) else None
        except ChangedSinceError as error:
            told["raises"] = f"{type(error).__name__}: {error}"
            told["obstacles"] = [
                [each.why, each.gone, each.done, each.past.entry.what] for each in error.obstacles
            ]
        except WriteError as error:
            told["raises"] = f"{type(error).__name__}{' unknown' * error.unknown}: {error}"
        while writing := self.session.writes.writing:
            await asyncio.gather(*writing, return_exceptions=True)
        session, undo = self.session, self.session.reversals
        lines = [
            f"{n.number} {n.what} {n.target}: {n.state} {n.kind} {n.group}. {n.message}"
            for n in session.log
        ]
        told["log"] = [line for line in lines if line not in self._before]
        told["messages"] = [line.message for line in session.messages]
        noted = [f"{e.what} {e.state} {e.held} {e.sentence}" for e in self.journal.entries()]
        told["journal"] = noted[-2:]
        can, last, unsettled = undo.undoable(), undo.final(), undo.unsettled()
        told["u"] = can and f"{can.number}, with {len(undo.together(can))}"
        told["u not"] = last and last.number
        told["unsettled"] = unsettled and unsettled.entry.what
        told["ctrl+r"] = [past.entry.what + past.entry.target for past in undo.redoable()]
        told["unmade"] = [past.entry.what for past in undo.unmade()]
        told["outbox"] = [f"{e.what} {e.state}" for e in session.outbox.items.values()]
        told["drafts"] = {
            re.sub(rf"^(also )?.*{self.space}/{self.first}/", r"\1", key): text
            for key, text, _ in session.drafts.dated()
        }
        told["why unsent"] = list(session.unsent.values())
        told["offline"] = session.offline
        told["subjects"] = [
            self.world.row("change_request", each)["subject"] for each in (self.first, self.second)
        ]
        told["said"], self.said = self.said, []
        self.seen.append({k: v for k, v in told.items() if v not in (None, "", [], {})})
        self._before = lines


async def test_writes_say_at_each_step_what_they_did(
    world: World, tmp_path: Path, update_golden: bool
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    await _sent_and_taken_back(desk)
    await _without_an_answer(desk)
    await _waiting(desk)
    await _on_a_full_disk(desk)
    await _in_the_outbox(desk)
    await _ended(desk)
    asked = sorted(each for each in desk.way.queries if desk.space in each)
    compare(
        "writes",
        {"steps": desk.seen, "asked": asked},
        update=update_golden,
        folder="session/writes",
    )


async def _sent_and_taken_back(desk: Desk) -> None:
    undo = desk.session.reversals
    await desk.tell("nothing to undo", undo.undo())
    await desk.tell("renamed", desk.subject(desk.first, "Uno"))
    await desk.tell("renamed together", desk.subject(desk.first, "Eins", group="both"))
    await desk.tell("the other too", desk.subject(desk.second, "Zwei", group="both"))
    await desk.tell("both undone", undo.undo())
    await desk.tell("both redone", undo.take_back(undo.redoable(), again=True))
    async with desk.world.api() as api:
        body = ChangeRequestUpdate(subject="Theirs")
        await api(ops.update_change_request, desk.space, desk.first, body)
    await desk.tell("one was changed since", undo.undo())
    line = undo.undoable()
    assert line is not None
    await desk.tell("undone anyway", undo.take_back(undo.together(line), anyway=True))
    await desk.tell("commented", desk.comment("request", "Hello."))
    await desk.tell("comment undone", undo.undo())
    await desk.tell("commented again", desk.comment("request", "Hello again."))
    async with desk.world.api() as api:
        (made,) = (await api.page(ops.list_change_request_comments, desk.space, desk.first)).items
        body_of = CommentUpdate(body=MarkdownBody(markdown="Edited."))
        await api(ops.update_change_request_comment, desk.space, desk.first, made.id, body_of)
    await desk.tell("it was edited since", undo.undo())
    async with desk.world.api() as api:
        await api(ops.delete_change_request_comment, desk.space, desk.first, made.id)
    await desk.tell("it is gone", undo.undo())
    await desk.tell("none of it", desk.subject(desk.second, "Deux", now=True))


async def _without_an_answer(desk: Desk) -> None:
    undo, writes = desk.session.reversals, desk.session.writes
    for kind in (403, 500, "lost", "blind"):
        desk.trouble(kind)
        await desk.tell(f"a rename met {kind}", desk.subject(desk.first, f"Met {kind}"))
        desk.way.reads = ""
        line = desk.session.log[-1]
        if line.state == "unknown":
            await desk.tell("found out", writes.find_out(line))
        await desk.tell("again", writes.retry(line))
        desk.trouble(kind)
        await desk.tell(f"its undo met {kind}", undo.undo())
        desk.way.reads = ""
        line = desk.session.log[-1]
        if line.state == "unknown":
            await desk.tell("found out", writes.find_out(line))
    for kind in (422, "lost", "blind"):
        desk.trouble(kind)
        await desk.tell(f"a comment met {kind}", desk.comment("request", f"Met {kind}."))
        desk.way.reads = ""
        line = desk.session.log[-1]
        if line.state == "unknown":
            await desk.tell("found out", writes.find_out(line))

    async def look() -> str | None:
        return found

    for found in (None, "There."):
        desk.trouble("lost")
        await desk.tell(f"looked for: {found}", desk.subject(desk.second, "L", look=look))
    took: list[Any] = []
    desk.trouble(500)
    await desk.tell("failed", desk.subject(desk.second, "T", then=lambda made: took.append(made)))
    await desk.tell("retried", writes.retry(desk.session.log[-1]))
    assert [each.subject for each in took] == ["T"]


async def _waiting(desk: Desk) -> None:
    session = desk.session
    desk.trouble("down", "down", "down")
    desk.way.reads = "down"
    await desk.tell("offline", desk.subject(desk.first, "Later"))
    await desk.tell("offline, a comment", desk.comment("request", "Later."))
    assert session.reversals.waiting_of("") == [], "no group is none"
    await desk.tell("dropped", session.reversals.undo())
    redo = session.reversals.redoable()
    await desk.tell("waits again", session.reversals.take_back(redo, again=True))
    await desk.tell("offline, but now", desk.subject(desk.second, "Now", now=True))
    await desk.tell("offline, several", desk.subject(desk.second, "Many", several=True))
    await desk.tell("no one there", session.outbox.send())
    await desk.tell("not to be read", session.reversals.undo())
    desk.trouble()
    await desk.tell("there again", session.outbox.send())
    await desk.tell("undone", session.reversals.undo())
    session.recall_seconds = 600.0
    recalled = asyncio.create_task(desk.subject(desk.second, "Recalled", recall=True, owner=desk))
    kept = asyncio.create_task(desk.comment("request", "Recalled too.", recall=True))
    while len(session.writes.waits) < 2:
        await asyncio.wait([recalled, kept], timeout=0)
    key = review_key(desk.space, desk.first, "request")
    assert session.writes.is_on_its_way(key, "Recalled too.")
    assert session.writes.unsent_text(key) == "Recalled too."
    assert not session.writes.is_on_its_way(key, "Other words.")
    assert not session.writes.is_on_its_way(
        review_key(desk.space, desk.second, "request"), "Recalled too."
    )
    assert session.writes.writes_pending == 2
    assert session.writes.waits_for(desk)
    assert not session.writes.waits_for(desk.world)
    assert session.writes.recall() is session.log[-1]
    session.writes.send_now()
    await desk.tell("the other sent", recalled)
    await desk.tell("recalled", kept)
    left = asyncio.create_task(desk.subject(desk.second, "Left", recall=True))
    while not session.writes.waits:
        await asyncio.wait([left], timeout=0)
    left.cancel()
    await asyncio.wait([left])
    session.writes.send_now()
    await desk.tell("its screen was left")


async def _on_a_full_disk(desk: Desk) -> None:
    desk.journal.full = "begin"
    await desk.tell("not noted", desk.subject(desk.first, "Unnoted"))
    desk.journal.full = "end"
    await desk.tell("its end not noted", desk.subject(desk.first, "Unended"))
    desk.trouble("down")
    await desk.tell("it cannot wait", desk.comment("request", "Unkept."))
    desk.journal.full = ""


async def _in_the_outbox(desk: Desk) -> None:
    """Drop, put back and edit what waits: queued, held, and what may have arrived."""
    outbox, writes = desk.session.outbox, desk.session.writes
    desk.discard()
    key = review_key(desk.space, desk.first, "request")
    await desk.tell("nothing waits", _refused(outbox.drop("none")))
    await desk.tell("nothing was dropped", _refused(outbox.queue_again("none")))
    for kind in ("down", "blind"):
        desk.trouble(kind)
        desk.way.reads = "down" if kind == "down" else ""
        await desk.tell(f"a comment met {kind}", desk.comment("request", f"It met {kind}."))
        [entry] = outbox.items.values()
        line = writes.unknown_of(key)
        assert (line is not None) is (entry.state == "unknown")
        assert writes.unknown_of("") is writes.unknown_of("other") is None
        with outbox.editing(entry.id):
            await desk.tell("held while it is edited", outbox.send())
        edited = _refused(outbox.change(entry, text="Other words."))
        await desk.tell("edited", edited)
        await desk.tell("edited from what it was", _refused(outbox.change(entry, text="No.")))
        await desk.tell("dropped", _refused(outbox.drop(entry.id)))
        await desk.tell("put back", _refused(outbox.queue_again(entry.id)))
        await desk.tell("put back twice", _refused(outbox.queue_again(entry.id)))
        desk.session.drafts.save(key, "Newer words.")
        await desk.tell("dropped for newer words", _refused(outbox.drop(entry.id)))
        await desk.tell("put back beside these", _refused(outbox.queue_again(entry.id)))
        desk.trouble()
        desk.world.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
        await desk.tell("not among them", outbox.send("none"))
        await desk.tell("sent", outbox.send())
        desk.discard()
    desk.trouble("down")
    desk.way.reads = "down"
    await desk.tell("a rename waits", desk.subject(desk.first, "Waits"))
    desk.trouble(403)
    await desk.tell("refused", outbox.send())
    for entry in list(outbox.items.values()):
        await desk.tell("refused, dropped", _refused(outbox.drop(entry.id)))
        await desk.tell("refused, put back", _refused(outbox.queue_again(entry.id)))
        desk.trouble("lost")
        await desk.tell("sent by hand, its answer lost", outbox.send(entry.id, anyway=True))
    for met in (500, "down", 409, 429):
        desk.trouble("down")
        desk.way.reads = "down"
        await desk.tell("a comment waits", desk.comment("request", f"Then {met}."))
        desk.trouble(met)
        await desk.tell(f"sent, it met {met}", outbox.send())
        desk.trouble()
        desk.world.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
        await desk.tell("sent again", outbox.send())
        for each in list(outbox.items):
            await desk.tell("sent by hand", outbox.send(each, anyway=True, sure=True))
        desk.session.contact.answered()

    async def renamed_and_read() -> Any:
        api = await desk.session.ready()
        body = ChangeRequestUpdate(subject="Read after")
        await api(ops.update_change_request, desk.space, desk.second, body)
        desk.way.reads = "down"
        return await api(ops.get_change_request, desk.space, desk.second)

    renamed = desk.session.writes.perform("Rename", "#2", renamed_and_read)
    await desk.tell("arrived, and what it is now did not come", renamed)
    desk.way.reads = ""
    desk.world.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    await desk.tell("read again", desk.session.outbox.send())
    for each in list(outbox.items):
        await desk.tell("dropped, for no reading tells", _refused(outbox.drop(each)))


async def _ended(desk: Desk) -> None:
    """End the program in the middle of each kind of write; the next finds out what became of it."""
    desk.discard()
    for moment in ("before", "after"):
        for how in ({}, {"now": True}, {"several": True}, {"group": "g", "now": True}):
            name = f"{moment} {' '.join(how)}".strip()
            await desk.ends(moment, desk.subject(desk.first, f"Ended {name}", **how))
            await desk.tell(f"a rename ended {name}", recover(desk.session))
            await desk.tell("u", desk.session.reversals.undo())
        for how in ({}, {"now": True}, {"several": True}):
            name = f"{moment} {' '.join(how)}".strip()
            await desk.ends(moment, desk.comment("request", f"Ended {name}.", **how))
            await desk.tell(f"a comment ended {name}", recover(desk.session))
            desk.world.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
            await desk.tell("sent", desk.session.outbox.send())
            desk.discard()
        await desk.tell("renamed", desk.subject(desk.second, f"Undone {moment}", now=True))
        await desk.ends(moment, desk.session.reversals.undo())
        await desk.tell(f"its undo ended {moment}", recover(desk.session))
        await desk.tell("commented", desk.comment("request", f"Undone {moment}.", now=True))
        await desk.ends(moment, desk.session.reversals.undo())
        await desk.tell(f"its undo ended {moment}", recover(desk.session))
        desk.discard()
    # What belongs to a run is left to it, and what nobody can read now is settled later.
    await desk.ends("after", desk.subject(desk.first, "Of a run", group="apart", now=True))
    await desk.tell("of a run", recover(desk.session, {"apart"}))
    [past] = [each for each in desk.session.history.known.values() if each.standing == "open"]
    await desk.tell("settled by itself", settle_one(desk.session, past))
    await desk.ends("after", desk.subject(desk.first, "Unread", now=True))
    await desk.session.ready()
    desk.way.reads = "down"
    await desk.tell("unread", recover(desk.session))
    desk.way.reads = ""
    desk.journal.full = "end"
    await desk.tell("not to be noted", _refused(recover(desk.session)))
    desk.journal.full = ""
    await desk.tell("read", recover(desk.session))


@pytest.mark.parametrize("how", [{"now": True}, {"several": True}])
@pytest.mark.parametrize(
    ("moment", "said"), [("before", "had not arrived"), ("after", "had arrived")]
)
async def test_a_comment_is_found_by_its_own_text_whatever_was_typed_since(
    world: World, tmp_path: Path, how: dict[str, Any], moment: str, said: str
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    key = review_key(desk.space, desk.first, "request")
    sent = desk.comment("request", "Sent.", **how)
    await desk.ends(moment, sent, meanwhile=(key, "Begun since."))
    assert said in await recover(desk.session)
    assert desk.session.drafts.load(key) == "Begun since."


async def test_the_next_program_says_why_a_draft_was_refused(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble(403)
    with pytest.raises(WriteError, match="The door is shut"):
        await desk.comment("request", "Words.")
    desk.session.drafts.flush()
    desk.store.close()
    desk.begin()
    await recover(desk.session)
    [(key, why)] = desk.session.unsent.items()
    assert key == review_key(desk.space, desk.first, "request")
    assert why.startswith("Not allowed: The door is shut.")


async def test_what_was_written_on_cached_answers_waits_until_it_is_read_what_it_is_about(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    with pytest.raises(QueuedError, match="what it is about is read again first"):
        await desk.comment("request", "Words.", aged=True)
    [entry] = desk.session.outbox.items.values()
    assert (entry.state, entry.since, desk.way.writes) == ("queued", None, [])
    await asyncio.gather(*desk.session.writes.writing)
    assert desk.way.writes == ["POST"]


async def test_what_waits_after_its_screen_was_left_is_told(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble("down")
    desk.way.hold = asyncio.Event()
    going = asyncio.create_task(desk.comment("request", "Words."))
    await eventually(lambda: bool(desk.way.writes), lambda: asyncio.sleep(0))
    going.cancel()
    desk.way.hold.set()
    await asyncio.gather(going, *desk.session.writes.writing, return_exceptions=True)
    [said] = desk.said
    assert said.startswith("warn: Waits in the outbox")


async def test_what_is_typed_for_a_write_that_nothing_looks_for_is_in_no_note(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    desk.session.drafts.save("installation", '{"key": "secret"}')
    await desk.session.writes.perform(
        "Change", "Search", lambda: api(ops.get_space, desk.space), draft="installation"
    )
    noted = str(desk.journal.entries())
    assert "Change" in noted
    assert "secret" not in noted

    async def refused() -> None:
        raise Forbidden("The door is shut", status=403, request_id="r-1")

    with pytest.raises(WriteError):
        await desk.session.writes.perform("Change", "Search", refused)
    assert [each.request_id for each in desk.journal.entries()] == ["", "r-1"]


async def waiting(world: World, folder: Path) -> tuple[Desk, Entry]:
    """Return a desk with a comment that waits."""
    desk = Desk(world, folder)
    await desk.session.ready()
    desk.trouble("down")
    desk.way.reads = "down"
    with pytest.raises(QueuedError):
        await desk.comment("request", "Later.")
    desk.trouble()
    desk.way.reads = ""
    [entry] = desk.session.outbox.items.values()
    return desk, entry


async def test_what_waits_is_gone_on_with_in_its_field_and_replaced_once(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await waiting(world, tmp_path)
    outbox = desk.session.outbox
    with outbox.resumed(entry.draft) as waits:
        assert waits is entry
        assert await outbox.send() == "", "not while somebody edits it"
        assert outbox.items == {entry.id: entry}
    with outbox.resumed("other") as waits:
        assert waits is None
    await outbox.drop_replaced(None)
    await outbox.drop_replaced(entry)
    assert outbox.items == {}
    noted = desk.journal.entries()[-1]
    assert (noted.id, noted.state, noted.sentence) == (entry.id, "dropped", REPLACED)
    assert desk.session.log[-1].state == "dropped"
    await outbox.drop_replaced(entry)
    assert desk.session.drafts.load(entry.draft) == "Later.", "its text is a draft again"


async def test_nothing_is_sent_or_dropped_while_another_copydesk_is_at_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, entry = await waiting(world, tmp_path)
    outbox = desk.session.outbox
    with monkeypatch.context() as other:
        other.setattr(desk.journal, "claim", lambda: False)
        assert await outbox.send() == OTHERS
        with pytest.raises(NotDoneError, match=re.escape(OTHERS)):
            await outbox.drop_replaced(entry)
    desk.session.read_only = True
    assert await outbox.send() == READ_ONLY
    outbox.wake()
    assert outbox.items == {entry.id: entry}
    desk.session.read_only = False
    assert await outbox.send() == f"Sent from the outbox: Comment {entry.target}."
    assert outbox.items == {}


async def test_what_somebody_else_wrote_waits_for_them(world: World, tmp_path: Path) -> None:
    desk, entry = await waiting(world, tmp_path)
    outbox, me = desk.session.outbox, desk.session.me
    assert me is not None
    desk.session.me = me.model_copy(update={"id": "somebody else"})
    [theirs] = await outbox.look()
    assert outbox.is_others(entry)
    [seen] = outbox.items.values()
    assert (theirs.id, seen.held, seen.sentence) == (entry.id, "other", OTHERS_WRITE)
    assert outbox.asks == 1
    assert await outbox.send() == f"Waits in the outbox (g x): Comment {entry.target}."
    assert await outbox.send() == OTHERS_WRITE, "reported once"
    desk.session.me = me
    await outbox.look()
    [seen] = outbox.items.values()
    assert (seen.held, outbox.asks) == ("", 0)
    desk.session.me = me.model_copy(update={"id": "somebody else"})
    await outbox.look()
    await outbox.drop(entry.id)
    dropped = desk.journal.entries()[-1]
    assert (dropped.id, dropped.state, dropped.held) == (entry.id, "dropped", "")


async def test_the_row_of_what_waits_is_marked_until_it_is_sent(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await waiting(world, tmp_path)
    assert desk.session.outbox.marks == {desk.first: [entry]}
    await desk.session.outbox.send()
    assert desk.session.outbox.marks == {}


async def test_what_another_copydesk_discarded_is_shown_as_discarded_when_it_is_to_be_sent(
    world: World, tmp_path: Path
) -> None:
    desk, entry = await waiting(world, tmp_path)
    here = desk.session
    desk.begin()
    await desk.session.outbox.drop(entry.id)
    assert await here.outbox.send(entry.id) == GONE
    assert (here.log[-1].state, here.log[-1].message) == ("dropped", DROPPED)


@pytest.mark.parametrize(
    ("trouble", "unknown", "said"),
    [("blind", True, "Offline: "), (403, False, "Not sent: Not allowed: ")],
)
async def test_a_waiting_write_that_fails_when_it_is_retried_says_whether_it_may_have_arrived(
    world: World, tmp_path: Path, trouble: str | int, unknown: bool, said: str
) -> None:
    desk, _ = await waiting(world, tmp_path)
    [line] = desk.session.log
    desk.trouble(trouble)
    with pytest.raises(WriteError) as failed:
        await desk.session.writes.retry(line)
    assert failed.value.unknown is unknown
    assert line.message.startswith(said)


async def test_a_comment_that_may_still_arrive_is_not_sent_again_before_it_cannot(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    outbox = desk.session.outbox
    desk.trouble("sunk", "sunk")
    with pytest.raises(QueuedError, match=re.escape(NOT_YET)):
        await desk.comment("request", "On its way.")
    for sent in (1, 2):  # the first time, and as it leaves the outbox
        assert desk.session.log[-1].message == NOT_YET
        assert await outbox.send() == "No answer came. It is not there yet, and may still arrive."
        assert len(desk.way.writes) == sent
        world.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
        await outbox.send()
    assert len(desk.way.writes) == 3
    assert outbox.items == {}


@pytest.mark.parametrize("status", [302, 407, 511])
async def test_a_write_that_a_proxy_or_a_network_answers_waits(
    world: World, tmp_path: Path, status: int
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble(status)
    with pytest.raises(QueuedError):
        await desk.comment("request", "Words.")
    assert desk.session.offline
    assert await desk.session.outbox.send() == "Sent from the outbox: Comment #1."


async def test_a_write_that_waits_takes_the_place_of_the_same_one_that_was_refused(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble(403, "down")
    with pytest.raises(WriteError, match=r"^Not allowed: The door is shut"):
        await desk.comment("request", "Twice.")
    with pytest.raises(QueuedError):
        await desk.comment("request", "Twice.")
    refused, waits = desk.session.log
    assert (refused.state, refused.message) == ("replaced", "A later write waits in its place.")
    assert waits.state == "queued"
    assert await desk.session.outbox.send() == "Sent from the outbox: Comment #1."


async def test_earlier_edits_of_ones_own_hold_nothing_back_that_waited_with_them(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    request = world.change_request(desk.space, {"a": "# Three\n"}, subject="Three", status="draft")
    api = await desk.session.ready()

    async def edit(before: dict[str, str], after: dict[str, str]) -> None:
        body = ChangeRequestUpdate.model_validate(after)
        way = inverses.request_changed(desk.space, request, before, after)
        world.clock.now += timedelta(seconds=1)
        with pytest.raises(QueuedError):
            await desk.session.writes.perform(
                "Edit", "#3", lambda: api(ops.update_change_request, desk.space, request, body),
                reversal=way, expects=way.before,
            )  # fmt: skip

    desk.trouble("down", "down", "down")
    await edit({"subject": "Three"}, {"subject": "Drei"})
    await edit({"status": "draft"}, {"status": "open"})
    # As it was seen: the two before it have not arrived.
    await edit({"subject": "Three", "status": "draft"}, {"subject": "Tres", "status": "archived"})
    assert await desk.session.outbox.send() == "Sent from the outbox: 3."
    row = world.row("change_request", request)
    assert (row["subject"], row["status"]) == ("Tres", "archived")
    # What had arrived before it was typed was not what it replaces: others made it so again.
    desk.trouble("down")
    await edit({"subject": "Vier"}, {"subject": "Four"})
    desk.session.outbox.wake()
    await asyncio.gather(*desk.session.writes.writing)
    assert desk.said[-1] == "warn: Waits in the outbox (g x): Edit #3."
    [held] = desk.session.outbox.items.values()
    assert "changed since" in held.sentence


async def test_what_changes_only_this_machine_is_not_done_where_it_cannot_be_noted(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    snooze = snooze_of(1, world.clock.now, world.clock.now)
    desk.journal.full = "begin"
    with pytest.raises(WriteError, match="could not be noted on disk"):
        await desk.session.writes.perform(
            "Snooze", "#1", lambda: desk.session.snoozed.put(desk.first, snooze),
            reversal=snooze_reversal(desk.first, None, snooze),
        )  # fmt: skip
    assert desk.session.snoozed.held == {}


@pytest.mark.parametrize(
    ("makes", "answer", "made"),
    [
        (True, SimpleNamespace(id="c1"), {"made": "c1"}),
        (True, SimpleNamespace(content=b'{"id": "c1"}'), {"made": "c1"}),
        (False, SimpleNamespace(id="c1"), {}),
        (True, SimpleNamespace(id=3), {}),
        (True, SimpleNamespace(content=b"{"), {}),
        (True, SimpleNamespace(content=b"[]"), {}),
        (True, SimpleNamespace(content=b"{}"), {}),
        (True, None, {}),
    ],
)
def test_what_a_write_made_is_known_where_the_answer_tells(
    makes: bool, answer: object, made: dict[str, str]
) -> None:
    assert made_by(makes, answer) == made


async def test_what_can_be_recalled_is_sent_at_once_where_another_text_is_begun(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    writes, desk.session.recall_seconds = desk.session.writes, 600.0
    assert writes.recall() is None
    going = asyncio.create_task(desk.comment("request", "Words.", recall=True))
    await eventually(lambda: bool(writes.waits), lambda: asyncio.sleep(0))
    key = review_key(desk.space, desk.first, "request")
    with pytest.raises(WriteError, match=r"^This waits to be sent already: u recalls it\.$"):
        await desk.comment("request", "Words.")
    assert (writes.make_room(""), writes.make_room("other")) == (0, 0)
    [line] = desk.session.log
    assert line.state == "waiting"
    assert 595 <= writes.waits[0].seconds <= 600
    assert writes.make_room(key) == 1
    assert writes.recall() is None, "it is on its way"
    desk.way.hold = asyncio.Event()
    await eventually(lambda: bool(desk.way.writes), lambda: asyncio.sleep(0))
    assert writes.unsent_text(key) == "Words."
    with pytest.raises(WriteError, match=r"^This is being sent already: @ shows what comes of it"):
        await desk.comment("request", "Words.")
    desk.way.hold.set()
    await going
    assert writes.unsent_text(key) == ""
    await writes.retry(line)
    assert desk.way.writes == ["POST"], "what arrived is not sent again"


async def test_a_write_that_is_not_recalled_goes_by_itself(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.session.recall_seconds = 0.001
    going = asyncio.create_task(desk.subject(desk.first, "Uno", recall=True))
    await eventually(lambda: bool(desk.session.writes.waits), lambda: asyncio.sleep(0))
    assert desk.session.writes.waits[0].seconds == 1
    await going
    assert world.row("change_request", desk.first)["subject"] == "Uno"


async def test_a_way_back_to_what_the_contract_refuses_is_none(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    ids = {"space_id": desk.space, "change_request_id": desk.first}
    odd = Reversal((Step("update_change_request", ids, {"status": "odd"}),))

    def send() -> Any:
        return api(ops.get_change_request, desk.space, desk.first)

    for way in (odd, lambda found: odd, lambda found: None):
        await desk.session.writes.perform("Change", "#1", send, reversal=way)
    assert [each.reversal for each in desk.journal.entries()] == [None, None, None]
    assert desk.session.reversals.undoable() is None
    final = desk.session.reversals.final()
    assert final is desk.session.log[-1]


async def test_what_arrived_and_could_not_be_read_after_that_does_not_wait_to_be_sent_again(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)

    async def send() -> Any:
        api = await desk.session.ready()
        body = ChangeRequestUpdate(subject="Uno")
        await api(ops.update_change_request, desk.space, desk.first, body)
        desk.way.reads = "down"
        return await api(ops.get_change_request, desk.space, desk.first)

    with pytest.raises(WriteError, match=f"^{UNREAD}: Offline: desk cannot be reached") as failed:
        await desk.session.writes.perform("Rename", "#1", send)
    assert failed.value.unknown
    assert desk.session.log[-1].state == "unknown"


async def test_what_a_failed_service_did_not_do_is_told_with_its_failure(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()

    async def look() -> None:
        return None

    desk.trouble(500)
    with pytest.raises(WriteError) as failed:
        await desk.subject(desk.first, "Uno", look=look)
    assert str(failed.value) == (
        "The service failed: The door is shut. It had not happened when it was read again. "
        "@ lists it, to be sent again."
    )


async def test_a_write_that_cannot_wait_and_may_have_arrived_is_known_by_its_draft(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    writes, key = desk.session.writes, review_key(desk.space, desk.first, "request")
    desk.trouble("blind")
    with pytest.raises(WriteError, match=r"^No answer: it may have been sent"):
        await desk.comment("request", "Words.", now=True)
    assert desk.session.outbox.items == {}
    [line] = desk.session.log
    assert writes.unknown_of(key) is line
    assert writes.unknown_of("other") is None
    desk.trouble()
    await writes.find_out(line)
    assert line.state == "done"
    assert writes.unknown_of(key) is None


async def test_a_write_of_an_earlier_run_that_may_have_arrived_is_known_by_its_draft(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    await desk.ends("after", desk.comment("request", "Words."))
    writes, key = desk.session.writes, review_key(desk.space, desk.first, "request")
    await desk.session.outbox.look()
    assert writes.unknown_of("other") is None
    line = writes.unknown_of(key)
    assert line is not None
    assert (line.state, line.what, line.text) == ("unknown", "Comment", "Words.")
    assert writes.unknown_of(key) is line, "it is in the log once"
    assert desk.session.log == [line]


async def test_what_takes_two_calls_unsaid_does_not_wait_and_is_told_to_who_reads_the_log(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()
    told: list[str] = []

    def heard(record: logging.LogRecord) -> bool:
        told.append(record.getMessage())
        return False

    monkeypatch.setattr(logging.getLogger("copydesk.writes"), "filters", [heard])

    async def send() -> None:
        for subject in ("Uno", "Due", "Tre"):
            body = ChangeRequestUpdate(subject=subject)
            await api(ops.update_change_request, desk.space, desk.first, body)

    desk.trouble(None, None, *["down"] * 9)
    with pytest.raises(WriteError, match=r"^Offline: not sent") as failed:
        await desk.session.writes.perform("Rename", "#1", send)
    assert not isinstance(failed.value, QueuedError)
    assert told == ["Rename sends more than one call, and does not say so"]
    assert [each.request for each in desk.journal.entries()] == [None]
    desk.trouble()
    await desk.session.writes.perform("Rename", "#1", send, several=True)
    assert len(told) == 1


async def test_what_was_judged_by_cached_answers_and_cannot_wait_is_not_sent(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    api = await desk.session.ready()

    def merge() -> Any:
        return api(ops.merge_change_request, desk.space, desk.first)

    said = "Not sent: what it depends on has to be read again first (R)."
    with pytest.raises(WriteError, match=re.escape(said)):
        await desk.session.writes.perform("Merge", "#1", merge, aged=True)
    assert desk.way.writes == []
    assert desk.session.log[-1].state == "failed"


async def test_a_text_that_was_refused_is_kept_whatever_was_typed_since(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    drafts, key = desk.session.drafts, review_key(desk.space, desk.first, "request")
    kept = " What you wrote is kept (:drafts)."
    other = " Something else is typed there since. @ lists it, to be sent again."
    unkept = f"{other} What you wrote is not on disk yet (:drafts)."
    for typed, full, said in (("", False, kept), ("Other.", False, other), ("More.", True, unkept)):
        desk.trouble(403)
        desk.way.hold, writes = asyncio.Event(), len(desk.way.writes)
        going = asyncio.create_task(desk.comment("request", "Words."))
        await eventually(lambda: len(desk.way.writes) > writes, lambda: asyncio.sleep(0))  # noqa: B023
        with pytest.MonkeyPatch.context() as disk:
            if full:
                disk.setattr(desk.session.draft_store, "save", _full)
            drafts.save(key, typed)
            drafts.flush()
        desk.way.hold.set()
        with pytest.raises(WriteError) as failed:
            await going
        assert str(failed.value).startswith("Not allowed: The door is shut")
        assert str(failed.value).endswith(said)
        assert desk.session.unsent == {key: str(failed.value)}
        assert drafts.own_text(key) == (typed or "Words.")


async def test_a_write_whose_screen_was_left_says_what_failed(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.session.recall_seconds = 600
    desk.trouble(403)
    going = asyncio.create_task(desk.comment("request", "Words.", recall=True))
    await eventually(lambda: bool(desk.session.writes.waits), lambda: asyncio.sleep(0))
    going.cancel()
    await asyncio.wait([going])
    desk.session.writes.send_now()
    await asyncio.wait(desk.session.writes.writing)
    await asyncio.sleep(0)
    assert desk.said[-1].startswith("bad: Comment #1: Not allowed: The door is shut")


def _full(key: str, text: str) -> None:
    raise OSError(28, "No space left on device")


async def test_what_is_sent_again_may_have_arrived_since_its_first_try(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble(403)
    with pytest.raises(WriteError):
        await desk.comment("request", "Words.")
    [line] = desk.session.log
    [first] = desk.journal.entries()
    world.clock.now += timedelta(hours=1)
    await desk.session.writes.retry(line)
    [again] = desk.journal.entries()
    assert (again.state, again.since) == ("done", first.since)
    assert again.tried is not None
    assert again.tried >= first.at + 3600


async def test_who_is_stopped_while_it_sends_may_have_sent(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.session.ready()
    desk.trouble("before")
    going = asyncio.create_task(desk.subject(desk.first, "Uno"))
    await desk.way.held_up.wait()
    [task] = desk.session.writes.writing
    task.cancel()
    await asyncio.wait([going, task])
    [line] = desk.session.log
    assert (line.state, line.message) == ("unknown", STOPPED)
    [entry] = desk.journal.entries()
    assert (entry.state, entry.sentence) == ("unknown", STOPPED)
    assert desk.session.outbox.items == {entry.id: entry}


async def _refused(doing: Coroutine[Any, Any, Any]) -> str:
    try:
        return str(await doing)
    except (OSError, NotDoneError) as error:
        return f"{type(error).__name__}: {error}"
