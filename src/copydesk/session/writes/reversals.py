"""Undo and redo: checked first, then a write like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from copydesk.local.journal import Entry, Kind, Notes
from copydesk.session.errors import failure_types, sentence
from copydesk.session.writes.log import ChangedSinceError, UnansweredError, WriteError, Written
from copydesk.session.writes.undo import Obstacle, Past

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import JSON, Reversal, Step
    from copydesk.session.session import Session


def _follows(later: Past, past: Past) -> bool:
    """Whether one write of an action came on top of another to the same thing.

    When it was taken back it was found as it was left, and nobody else was at the thing since.
    """
    after, before, group = later.reversal.still, past.reversal.still, later.entry.group
    same = after is not None and before is not None and after.read == before.read
    return same and bool(group) and group == past.entry.group


def _alike(past: Past, obstacles: Sequence[Obstacle], *, again: bool) -> Obstacle | None:
    """Return the obstacle of another write with the same undo steps.

    Moves of collections restore one order together: a change by somebody else affects all of them.
    """
    back = past.reversal.back
    same = (each for each in obstacles if not again and each.past.reversal.back == back)
    return next(same, None)


def _goes_on(past: Past, *, again: bool) -> bool:
    """Whether an undo goes on with one that was cut off, or only looks what that brought back."""
    return not again and (past.half is not None or past.reversal.came_along)


def is_of_outbox(past: Past) -> bool:
    """Whether a write only added to the outbox or dropped from it."""
    return any(step.local in ("queue_again", "drop_queued") for step in past.reversal.back)


def _waits_again(past: Past) -> bool:
    """Whether redo puts it into the outbox again."""
    return any(step.local == "queue_again" for step in past.reversal.forth)


class Reversals:
    """The undo and redo of a session's writes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.half_undone: Past | None = None
        """A write of the group whose undo the last run did not finish."""

    def undoable(self) -> Written | None:
        """Return the newest write that can be undone, or None.

        A waiting write is dropped from the outbox, always before an older one is undone.
        """
        return next((line for line in reversed(self._session.log) if self._is_undoable(line)), None)

    def _is_undoable(self, line: Written) -> bool:
        return self._has_way_back(line) or self.is_waiting(line)

    def is_waiting(self, line: Written) -> bool:
        """Whether a write waits in the outbox and is not being sent."""
        entry = line.entry
        kept = entry is not None and entry.id in self._session.outbox.items
        return kept and line.state in ("queued", "unknown")

    def _has_way_back(self, line: Written) -> bool:
        past = self._past(line)
        return past is not None and past.standing == "done"

    def _past(self, line: Written) -> Past | None:
        return None if line.entry is None else self._session.history.known.get(line.entry.id)

    def together(self, line: Written) -> list[Past]:
        """Return the arrived writes that are undone with a line, newest first."""
        alike = (
            each for each in reversed(self._session.log) if line.group and each.group == line.group
        )
        done = next((each for each in (line, *alike) if self._has_way_back(each)), None)
        past = None if done is None else self._past(done)
        return [] if past is None else self._session.history.with_group(past)

    def waiting_with(self, line: Written) -> list[Entry]:
        """Return the waiting writes that undo drops with a line, newest first."""
        if line.group:
            return self.waiting_of(line.group)
        entry = self._session.outbox.items.get(line.entry.id) if line.entry is not None else None
        return [entry] if entry is not None and self.is_waiting(line) else []

    def waiting_of(self, group: str) -> list[Entry]:
        """Return the waiting writes of a group, newest first."""
        waiting = list(self._session.outbox.items.values())[::-1]
        return [entry for entry in waiting if group and entry.group == group]

    async def taken_with(self, line: Written) -> list[Past]:
        """Return all writes that are undone with a line, waiting ones first."""
        sent = self.together(line)
        return [*await self.ways_out(self.waiting_with(line)), *sent]

    async def ways_out(self, waiting: Sequence[Entry]) -> list[Past]:
        """Return the waiting writes as undoable ones, newest first."""
        # Redo takes them in the order of their entries.
        ways = [await asyncio.to_thread(self._way_out, entry) for entry in reversed(waiting)]
        return ways[::-1]

    def _way_out(self, entry: Entry) -> Past:

        way = way_out(entry.id, sure=entry.state == "queued", text=bool(entry.draft and entry.text))
        notes = Notes(reversal=way.to_dict(), group=entry.group)
        begun = self._session.journal.begin(entry.what, entry.target, notes)
        found = self._session.history.take(self._session.journal.settle(begun, "done"))
        assert found is not None  # it has a reversal
        return found

    def unsettled(self) -> Past | None:
        """Return the newest write without an answer, or whose undo had none; None if all are
        settled.

        A newer write that can be undone comes first.
        """
        for line in reversed(self._session.log):
            if line.entry is not None and line.state == "unknown":
                past = self._session.history.known.get(line.of or line.entry.id)
                if past is not None:
                    return past
            if self._is_undoable(line):
                break
        return None

    def left_over(self) -> list[Past]:
        """Return the rest of a group whose undo the last run did not finish.

        Newest first; nothing after a newer undoable write, and nothing in a read-only session.
        """
        if self._session.read_only or self.half_undone is None or self.undoable() is not None:
            return []
        return self._session.history.rest(self.half_undone)

    def redoable(self) -> list[Past]:
        """Return the next writes to redo, in order."""
        return self._session.history.redoable(self._session.journal.run)

    def unmade(self) -> list[Past]:
        """Return the creations that undo deleted: redo does not create them again."""
        return self._session.history.unmade(self._session.journal.run)

    def final(self) -> Written | None:
        """Return the newest write if it cannot be undone, so that ``u`` means an older one."""
        sent = (n for n in reversed(self._session.log) if n.state == "done" or self.is_waiting(n))
        last = next((n for n in sent if not n.kind), None)
        return None if last is None or self._is_undoable(last) else last

    async def undo(self) -> Written | None:
        """Undo the newest write that can be, with its group.

        Raises `ChangedSinceError` when its object changed since, and `WriteError` when the service
        refuses. A deleted object can never be restored: the next call reaches the write before.
        """
        line = self.undoable()
        if line is not None:
            await self.take_back(await self.taken_with(line))
        return line

    async def take_back(
        self,
        pasts: Sequence[Past],
        *,
        again: bool = False,
        anyway: bool = False,
        told: Callable[[int], None] = lambda done: None,
    ) -> list[Any]:
        """Undo writes one after the other, or redo them (``again``); return the results of the
        steps.

        Each is checked first, unless ``anyway``. Changed objects are passed over and reported at
        the end by `ChangedSinceError`, deleted ones by `WriteError`. A failure ends it. An undo by
        somebody else is only noted: ``past.by_others``; so is one ``anyway`` that changes nothing:
        ``past.idle``. ``told`` is called before each write with the number done.
        """
        api = await self._session.ready()
        results: list[Any] = []
        obstacles: list[Obstacle] = []
        gone: list[Past] = []
        taken: list[Past] = []
        for at, past in enumerate(pasts):
            told(at)
            obstacle, past.idle = None, False
            if not again and await self._had_come_back(past):
                continue
            if not anyway and (stuck := _alike(past, obstacles, again=again)) is not None:
                obstacle = replace(stuck, past=past)
            elif not (anyway or _goes_on(past, again=again)) and (
                again or not any(_follows(each, past) for each in taken)
            ):
                obstacle = await self._obstacle(api, past, again=again)
            past.by_others = obstacle is not None and obstacle.done
            if past.by_others:
                await asyncio.to_thread(self._is_done, past, again=again)
                continue
            if obstacle is not None and not obstacle.gone:
                obstacles.append(obstacle)
                continue
            try:
                if obstacle is None:
                    before = await self._state(api, past) if anyway else None
                    results += await self._turn(api, past, again=again)
                    taken.append(past)
                    past.idle = before is not None and before == await self._state(api, past)
                    if again and _waits_again(past):
                        # From here on it is undone as a waiting or an arrived write.
                        await asyncio.to_thread(self._is_gone, past)
                    continue
            except WriteError as error:
                from copydesk.client.errors import NotFound

                if not isinstance(error.__cause__, NotFound):
                    raise
            gone.append(past)
            await asyncio.to_thread(self._is_gone, past)
        if obstacles:
            raise ChangedSinceError(obstacles, again=again)
        if gone:
            names = ", ".join(f"{past.entry.what} {past.entry.target}" for past in gone)
            said = "done again" if again else "undone"
            raise WriteError(f"{names} cannot be {said}: it is gone.")
        return results

    async def _had_come_back(self, past: Past) -> bool:
        """Whether an undo that makes a thing again is done: elsewhere, or without an answer.

        Nothing is made twice: raises `WriteError` when reading does not tell.
        """
        if past.reversal.anew is None:
            return False
        from copydesk.session.writes.recovery import CUT_OFF, settle_one

        self._session.history.learn(await asyncio.to_thread(self._session.journal.entries))
        if past.standing != "undoing":
            return past.standing == "undone"

        try:
            said = await settle_one(self._session, past)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            raise WriteError(sentence(error), unknown=True) from error
        if not said:
            raise WriteError(CUT_OFF, unknown=True)
        return past.standing in ("undone", "gone")

    async def _obstacle(self, api: Api, past: Past, *, again: bool) -> Obstacle | None:
        """Return the obstacle. Raises `WriteError` when it cannot be read."""
        try:
            return await self._session.way.obstacle(api, past, again=again)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            said = f"Nothing was taken back, because it could not be read: {sentence(error)}"
            raise WriteError(said) from error

    async def _state(self, api: Api, past: Past) -> JSON:
        """Return what a write has to do with, as it is now; None where that cannot be told."""
        expected = past.reversal.still or past.reversal.before
        if expected is None:
            return None
        try:
            return await self._session.way.answer(api, expected.read)
        except failure_types():
            return None  # what was sent is told all the same

    async def _turn(self, api: Api, past: Past, *, again: bool) -> list[Any]:
        """Take the steps of one reversal, as a write with its own line and journal entry."""
        way = self._session.way
        kind: Kind = "redo" if again else "undo"
        name = "Redo" if again else "Undo"
        line = self._session.writes.new_line(
            f"{name}: {past.entry.what}", past.entry.target, kind=kind, of=past.id
        )
        done: list[Any] = []
        # Steps that an undo had taken before it was cut off are not taken twice.
        cut = past.cut or (None if again else past.half)
        first = cut.progress if cut is not None and cut.kind == kind else 0

        def steps() -> tuple[Step, ...]:
            return past.reversal.forth if again else past.reversal.back

        async def note(**changes: Any) -> None:
            if line.entry is not None:
                settle = self._session.journal.settle
                line.entry = await asyncio.to_thread(settle, line.entry, "sending", **changes)

        async def send() -> list[Any]:
            for number in range(first + len(done), len(steps())):
                anew = None if again or number else past.reversal.anew
                if anew is not None:
                    await note(known=await way.alike(api, past.reversal))
                result = await way.take(api, steps()[number])
                done.append(result)
                if anew is not None:
                    await note(progress=1, made=result.id)
                    self._session.history.names.change(anew.id, result.id)
                elif number + 1 < len(steps()):
                    await note(progress=number + 1)
            return done

        async def look() -> list[Any] | None:
            stands = await way.became(api, past.reversal)
            if stands is None:
                raise UnansweredError("neither as it was nor as it should be")
            return [] if stands == again else None

        line.send = send
        expected = past.reversal.still or past.reversal.before
        if expected is not None and past.reversal.anew is None:
            line.look = look
        self._session.log.append(line)
        past.standing = "redoing" if again else "undoing"
        try:
            result: list[Any] = await self._session.writes.send(line, send)
        except WriteError:
            if line.entry is None:  # it was not even noted
                past.standing = "undone" if again else "done"
            raise
        self._mark(past, "done" if again else "undone")
        self._session.touched()
        return result

    def _is_done(self, past: Past, *, again: bool) -> None:
        """Note that somebody else undid (or redid) a write."""
        kind: Kind = "redo" if again else "undo"
        name = "Redo" if again else "Undo"
        notes = Notes(kind=kind, of=past.id)
        entry = self._session.journal.begin(f"{name}: {past.entry.what}", past.entry.target, notes)
        self._session.history.take(self._session.journal.settle(entry, "done"))
        self._mark(past, "done" if again else "undone")

    def _mark(self, past: Past, state: str) -> None:
        """Show the new state of a write in the log, if it is of this run."""
        line = self._session.writes.line_of(past.id)
        if line is not None:
            line.state = state

    def _is_gone(self, past: Past) -> None:
        """Note that there is nothing left to undo."""
        entry = self._session.journal.begin(
            f"Gone: {past.entry.what}", past.entry.target, Notes(kind="gone", of=past.id)
        )
        self._session.history.take(self._session.journal.settle(entry, "done"))
        self._mark(past, "undone")


SENT_SINCE = "it was sent, or dropped, since"


def way_back_in(id: str) -> Reversal:
    """Return the reversal that puts a dropped write back."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    ids = {"id": id}
    read = Step("local.queued", ids)
    return Reversal(
        (Step("local.queue_again", ids),),
        (Step("local.drop_queued", ids),),
        Expectation(read, gone=True, said="it waits again"),
        Expectation(read, {"waits": True}, said=SENT_SINCE),
    )


def way_out(id: str, *, sure: bool, text: bool) -> Reversal:
    """Return the reversal that drops a waiting write.

    ``sure`` says that it did not arrive, ``text`` that it was typed, so that it becomes a draft
    again.
    """
    from copydesk.domain.reversal import Reversal

    back = way_back_in(id)
    note = "It was not sent" if sure else "It waits no more, and may have arrived all the same"
    return Reversal(
        back.forth,
        back.back,
        back.before,
        back.still,
        note=f"{note}; its text is a draft again." if text else f"{note}.",
    )
