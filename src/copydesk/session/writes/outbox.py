"""The outbox: writes that surely did not arrive, or of which that is not known, and their way out.

They are entries of the journal, each with the one request that it takes, so that they outlive the
run. Before one goes it is looked whether it has arrived already, and whether the thing is still as
it was when it was written; what does not go by itself is *held* until a person decides. One process
at a time sends, and it reads the journal anew before it does: so each arrives once, or is asked
about.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from copydesk.domain.cause import CAUSE
from copydesk.session.errors import WAITS, NotDoneError, failure_types, sentence
from copydesk.session.identity import confirm
from copydesk.session.offline import leave_kept
from copydesk.session.writes.outbox_entries import Waiting
from copydesk.session.writes.outbox_rules import GONE, OTHERS, READ_ONLY, UNCONFIRMED

if TYPE_CHECKING:
    from copydesk.local.journal import Entry

DROPPED = "Dropped: it was not sent."


class Outbox(Waiting):
    """What waits to be sent for one session. Nothing here runs before somebody asks or `wake`s."""

    # By hand

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Have the outbox to oneself, as it is on the disk now.

        Raises `NotDoneError` while another copydesk is sending, and ``OSError``.
        """
        async with self._lock:
            journal = self.session.journal
            if not await self._claim():
                raise NotDoneError(OTHERS)
            try:
                await self.look()
                yield
            finally:
                journal.release()

    async def _claim(self) -> bool:
        """Claim the outbox; whoever is stopped meanwhile does not keep it."""
        journal = self.session.journal
        claiming = asyncio.ensure_future(asyncio.to_thread(journal.claim))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            claiming.add_done_callback(lambda _: journal.release())
            raise

    @contextmanager
    def editing(self, id: str) -> Iterator[None]:
        """Keep a write from going while other words are put into it."""
        self.edited.add(id)
        try:
            yield
        finally:
            self.edited.discard(id)

    async def drop(self, id: str, *, said: str = DROPPED) -> None:
        """Take a write out; its text is a draft again, unless a newer one is there.

        Raises `NotDoneError` when it waits no more, and ``OSError``.
        """
        async with self._alone():
            entry = self.items.get(id)
            if entry is None:
                raise NotDoneError(GONE)
            if entry.draft and entry.text:
                await asyncio.to_thread(self._give_back, entry)
            dropped = await asyncio.to_thread(
                self.session.journal.settle,
                entry,
                "dropped",
                sentence=said,
                held="lost"
                if entry.state == "unknown"
                else ""
                if entry.held == "other"
                else entry.held,
            )
            self.take(dropped)
        self.show(dropped, "dropped", dropped.sentence)

    def _give_back(self, entry: Entry) -> None:
        """Let a text be a draft again, unless something else is typed there."""
        drafts = self.session.drafts
        if drafts.look(entry.draft) is None:
            drafts.save(entry.draft, entry.text)

    async def queue_again(self, id: str) -> None:
        """Put a write back that was taken out. Raises `NotDoneError`, and ``OSError``."""
        async with self._alone():
            entries = await asyncio.to_thread(self.session.journal.entries)
            entry = next((each for each in entries if each.id == id), None)
            if entry is None or entry.state != "dropped" or entry.request is None:
                raise NotDoneError("It is not among what was dropped any more.")
            if entry.held == "lost":  # it may have arrived: that is to be found out still
                await asyncio.to_thread(self.move_draft, entry.draft, entry.text)
                back = self.settle(entry, "unknown", sentence="", held="")
                self.show(back, "unknown", "")
            else:
                await self.queue(entry, f"{WAITS}.", entry.held)
        if not self.session.offline:
            self.wake()

    async def change(self, was: Entry, **changes: Any) -> None:
        """Put other words into a write that waits, and is as it ``was``.

        Raises `NotDoneError`, and ``OSError``.
        """
        async with self._alone():
            entry = self.items.get(was.id)
            if entry is None or entry.state != "queued":
                raise NotDoneError(GONE)
            if entry.request != was.request:
                raise NotDoneError("It was edited elsewhere meanwhile. What you wrote is a draft.")
            said = f"{WAITS}: it was edited."
            changed = await asyncio.to_thread(
                self.session.journal.settle,
                entry,
                "queued",
                **{"held": "", "sentence": said, **changes},
            )
            self.take(changed)
        self.show(changed, "queued", said)

    # Sending

    def wake(self) -> None:
        """Send what goes by itself, now that somebody answers; quick when there is nothing."""
        session = self.session
        if not self.items or self.busy or session.read_only or not session.confirmed:
            return
        if self.not_before is not None and session.clock() < self.not_before:
            return
        if not any(map(self._goes, self.items.values())):
            return
        if self._task is None or self._task.done():
            self._task = self._start("", anyway=False, sure=False, tell=True)

    def _goes(self, entry: Entry) -> bool:
        """Whether there is something to try without being asked."""
        if self.is_others(entry) or entry.id in self.edited:
            return False
        if entry.state == "queued":
            return entry.held in ("", "other")
        return entry.id not in self.untold and not self.may_come(entry)

    async def send(
        self, only: str = "", *, anyway: bool = False, sure: bool = False, tell: bool = True
    ) -> str:
        """Send what waits, in order; return what came of it, as a sentence.

        ``only`` names one; ``anyway`` sends it also where the thing was changed since; ``sure``
        where it may have arrived and reading does not tell. Leaving the place that asked for it
        stops nothing. Without ``tell`` nothing is reported besides.
        """
        return await asyncio.shield(self._start(only, anyway=anyway, sure=sure, tell=tell))

    def _start(self, only: str, *, anyway: bool, sure: bool, tell: bool) -> asyncio.Task[str]:
        going = self._go(only, anyway=anyway, sure=sure, tell=tell)
        task = asyncio.create_task(going, name="outbox")
        # Who quits waits for it, as for other writes.
        self.session.hold_open(task)
        return task

    async def _go(self, only: str, *, anyway: bool, sure: bool, tell: bool) -> str:
        session = self.session
        if session.read_only:
            return READ_ONLY
        # Mostly there is nothing to send, and nothing of this is needed.
        from copydesk.session.writes.delivery import Sending
        from copydesk.session.writes.outbox_checks import AwayError, Tally

        leave_kept()
        # Whatever woke it: what goes was asked for by the action that wrote it, long ago.
        CAUSE.set(())
        tally = Tally()
        async with self._lock:
            session.touched()
            try:
                api = await session.ready()
                if not session.confirmed:
                    # What waits is somebody's: whose token this is must be known by now.
                    await confirm(session, api)
                if not session.confirmed:
                    return UNCONFIRMED
                if not await self._claim():
                    return OTHERS
                try:
                    waiting = await self.look()
                    sending = Sending(self, api, tally)
                    if only and only not in self.items:
                        tally.said = GONE
                        await self._learn(only)
                    for entry in waiting:
                        if not only or entry.id == only:
                            hand = bool(only)
                            await sending.one(entry, hand, anyway=anyway, sure=sure)
                finally:
                    session.journal.release()
            except AwayError as error:
                self.not_before = getattr(error.error, "retry_at", None)
                session.learn(error.error, quiet=False)
                tally.said = sentence(error.error, "s")
            except failure_types() as error:
                session.learn(error, quiet=False)
                tally.said = _unkept(error) if isinstance(error, OSError) else sentence(error, "s")
        session.touched()
        said = tally.sentence()
        if said and tell:
            session.report(said, "warn" if tally.held else "good")
        return said or tally.said

    async def _learn(self, id: str) -> None:
        """Show how a write stands that waits no more, as another copydesk noted it."""
        entries = await asyncio.to_thread(self.session.journal.entries)
        entry = next((each for each in entries if each.id == id), None)
        if entry is not None:
            self.show(entry, entry.state, entry.sentence)


def _unkept(error: OSError) -> str:
    return f"Nothing is sent that cannot be noted on disk first: {error.strerror or error}."
