"""The waiting writes: their journal entries, notes and states.

`Waiting` is the part of the outbox that keeps its books, apart from it for length.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from copydesk.session.errors import WAITS
from copydesk.session.writes.outbox_marks import NOTHING, Marks, marks_of
from copydesk.session.writes.outbox_rules import OTHER_TEXT, OTHERS_WRITE, QUIET_SECONDS, creates

if TYPE_CHECKING:
    from datetime import datetime

    from copydesk.local.journal import Entry, State
    from copydesk.session.session import Session
    from copydesk.session.writes.log import Written


class Waiting:
    """Knows what waits for one session, and notes how it ends."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.items: dict[str, Entry] = {}
        """What waits, oldest first, by its id."""
        self._marks: Marks | None = NOTHING
        self.untold: set[str] = set()
        """What reading tells nothing of: a person decides."""
        self.told_of_others: set[str] = set()
        """What was told to be of somebody else."""
        self.edited: set[str] = set()
        """What other words are put into just now."""
        self.not_before: datetime | None = None
        """When the service wants the next one, as it said itself."""
        self._met: dict[str, float] = {}
        """When was first seen what is of a later time than it is."""
        self.arrived: set[str] = set()
        """What arrived although the disk did not take that in: never to be sent again."""
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[str] | None = None

    @property
    def count(self) -> int:
        """How many writes wait, or are not known to have arrived."""
        return len(self.items)

    @property
    def marks(self) -> Marks:
        """Waiting writes by the id of their object; a new mapping whenever that changes."""
        if self._marks is None:
            self._marks = marks_of(self.items.values())
        return self._marks

    @property
    def asks(self) -> int:
        """How many of them wait for a person to decide."""
        return sum(bool(each.held) or each.id in self.untold for each in self.items.values())

    @property
    def busy(self) -> bool:
        """Whether it is being gone through now."""
        return self._lock.locked()

    # What is in it

    def take(self, entry: Entry) -> None:
        """Take in how a write stands now."""
        self._marks = None
        if entry.waits and entry.id not in self.arrived:
            new = entry.id not in self.items
            self.items[entry.id] = self._seen(entry)
            if new:  # what is put back goes where it was
                self.items = dict(sorted(self.items.items(), key=lambda each: each[1].at))
        else:
            self.items.pop(entry.id, None)

    async def look(self) -> list[Entry]:
        """Read what waits, also what other runs left there. Raises ``OSError``."""
        found = await asyncio.to_thread(self.session.journal.waiting)
        self.items = {each.id: self._seen(each) for each in found if each.id not in self.arrived}
        self._marks = None
        self.session.touched()
        return list(self.items.values())

    def _seen(self, entry: Entry) -> Entry:
        """Return a write as it is for who is here: what somebody else wrote is held from them.

        That is never noted: it goes as soon as its writer is back.
        """
        if self.is_others(entry):
            return replace(entry, held="other", sentence=OTHERS_WRITE)
        if entry.held == "other":
            return replace(entry, held="", sentence=f"{WAITS}.")
        return entry

    def is_others(self, entry: Entry) -> bool:
        """Whether somebody else wrote it than who is here."""
        me = self.session.me
        return bool(entry.by) and me is not None and me.id != entry.by

    async def tidy(self) -> None:
        """Read what waits, and put those drafts aside that are in it: a run may have ended between.

        Raises ``OSError``.
        """
        for entry in await self.look():
            if entry.state == "queued":
                await asyncio.to_thread(self.move_draft, entry.draft, entry.text)

    def move_draft(self, draft: str, text: str | None) -> None:
        """Drop a draft whose text is in the outbox now; a newer text stays."""
        session = self.session
        if draft and text and session.drafts.look(draft) == text:
            session.drafts.drop(draft)
        session.unsent.pop(draft, None)

    def keeps(self, line: Written) -> bool:
        """Whether a line is sent from here alone: it waits, or another copydesk may be at it."""
        entry = line.entry
        if entry is None or entry.request is None:
            return False
        return entry.id in self.items or line.state in ("queued", "unknown")

    def ask_about(self, line: Written) -> None:
        """Let a person decide on a write without an answer: another text was sent from there."""
        if line.entry is not None and line.entry.id in self.items:
            line.said = OTHER_TEXT
            line.entry = self.settle(line.entry, "unknown", sentence=OTHER_TEXT, held="changed")

    def replaced(self, line: Written) -> None:
        """Take a write out whose text has arrived by another."""
        if line.entry is not None and line.entry.id in self.items:
            line.entry = self.settle(line.entry, "dropped", sentence=line.said)

    def may_come(self, entry: Entry) -> bool:
        """Whether something that is not there might still be made by a request under way."""
        since = next(each for each in (entry.ended, entry.tried, entry.at) if each is not None)
        gone_by = self.session.journal.now() - since
        if gone_by < 0:  # the clock was set back
            here = self._met.setdefault(entry.id, monotonic())
            gone_by = monotonic() - here
        return creates(entry.request) and gone_by < QUIET_SECONDS

    # How it ended

    async def queue(self, entry: Entry, said: str, held: str = "") -> Entry:
        """Note that a write waits: it is known not to have arrived."""
        queued = await asyncio.to_thread(self.settle, entry, "queued", sentence=said, held=held)
        self.untold.discard(entry.id)
        await asyncio.to_thread(self.move_draft, entry.draft, entry.text)
        self.show(queued, "queued", said)
        return queued

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write ended; what the disk refuses to keep is known for this run at least."""
        try:
            settled = self.session.journal.settle(entry, state, **changes)
        except OSError as error:
            said = error.strerror or str(error)
            self.session.note(f"{entry.what} {entry.target}: its end is not on disk: {said}.")
            settled = replace(entry, state=state, ended=self.session.journal.now(), **changes)
            self.session.journal.owe(settled)
        self.take(settled)
        return settled

    def show(self, entry: Entry, state: str, said: str) -> None:
        """Show in the log how a write stands, if it has a line there."""
        line = self.session.line_of(entry.id)
        if line is not None:
            line.entry, line.state, line.said, line.what = entry, state, said, entry.what
            line.request_id = entry.request_id
        self.session.touched()
