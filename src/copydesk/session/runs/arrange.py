"""The runner of rearrangements: request by request, forward or back.

It belongs to the whole program, not to a screen: a run goes on when its dialog is left. The run is
saved before and after each request, so that an interrupted run, even a killed one, is found again;
the outcome of the request under way is read, not guessed, and a request that may have arrived is
never sent again unasked. No screen is needed: the command line uses it too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.client.errors import NotFound, OperationMissing, Refused
from copydesk.domain.arrange_run import UNDER_WAY, ArrangeRun, RunCall, identity
from copydesk.domain.reversal import bind
from copydesk.domain.text import clean, plural
from copydesk.session.errors import (
    IN_THE_LOG,
    NotDoneError,
    failure_types,
    sentence,
    write_sentence,
)
from copydesk.session.runs.interrupted_requests import (
    AS_PLANNED,
    ids_before,
    is_gone,
    made_by,
    settle,
    stands,
    step_taken,
)
from copydesk.session.writes.log import ChangedSinceError, LogEntry, UnansweredError, WriteError
from copydesk.session.writes.undo import StepError, plan_name

if TYPE_CHECKING:
    from copydesk.domain.reversal import Call, Reversal
    from copydesk.session.runs.interrupted_requests import MadeIds
    from copydesk.session.session import Session


Work = Callable[["ArrangeRun"], Awaitable[ArrangeRun]]


Changed = Callable[[ArrangeRun], None]
"""Called after every step of a run."""


GONE = (
    "Not done: someone deleted what this changes, or moved it away. "
    "p keeps the rest staged, without it."
)

LOST_WAY = "How to undo it is no longer known on this machine."

OTHERS_DID = "Someone else had undone it."


def untold(run: ArrangeRun) -> None:
    """Do nothing."""


def not_saved(error: OSError) -> str:
    """Return the sentence for a run that stops because its progress cannot be saved."""
    return (
        "Progress cannot be saved on this machine, so nothing more is sent: "
        f"{clean(error.strerror or str(error))}."
    )


class Arranger:
    """The runner of this program's rearrangements: one at a time per site or organization."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.arrangements
        self._stopping: set[str] = set()
        self._changed: dict[str, Changed] = {}
        self._kept: dict[str, int] = {}
        """The version of each run that was saved last from here."""
        self._tasks: dict[str, asyncio.Task[ArrangeRun]] = {}
        self._looking: dict[str, asyncio.Lock] = {}
        """Held while a run is read or worked on: a claim is for the whole program."""
        self.elsewhere: set[str] = set()
        """The ids of runs that another copydesk works on."""

    async def _load(self, run_id: str) -> ArrangeRun | None:
        run = await asyncio.to_thread(self._store.load, run_id)
        if run is not None:
            self._kept[run_id] = run.version
        return run

    async def _keep(self, run: ArrangeRun) -> ArrangeRun:
        """Save a run, and report it. Raises ``OSError``."""
        run = replace(run, version=self._kept.get(run.id, 0) + 1)
        await asyncio.to_thread(self._store.save, run)
        self._kept[run.id] = run.version
        self._changed.get(run.id, untold)(run)
        return run

    # Forth

    async def _forth(self, run: ArrangeRun) -> ArrangeRun:
        asked = {each.call.key for each in run.calls if each.state == "unknown"}
        run = await self._settled(run)
        open_still = {each.call.key for each in run.calls if each.state in ("unknown", *UNDER_WAY)}
        if run.said or open_still - asked:
            return run.stop(run.said)
        # Its writes are found again by their target, even those without a reversal.
        run = run.go(plan_name(run.target), self._session.clock().timestamp())
        while (item := run.following) is not None:
            if run.id in self._stopping:
                return run.stop()
            try:
                run = await self._send(run, item)
            except OSError as error:
                return run.stop(not_saved(error))
            except StepError as error:  # another version of the program planned it
                return run.stop(f"{AS_PLANNED}: {error}.")
            if run.state != "running":
                return run
        return run.finish()

    async def _send(self, run: ArrangeRun, item: RunCall) -> ArrangeRun:
        """Send one request and return the run. Raises ``OSError`` when it cannot be saved."""
        session, call = self._session, run.bound(item)
        key = call.key
        try:
            api = await session.ready()
            known = await ids_before(session, api, call)
        except failure_types() as error:
            session.learn(error)
            return run.failed(key, clean(sentence(error, "r")))
        run = await self._keep(run.sending(key, known))
        began = session.clock()

        async def look() -> MadeIds | None:
            stood, made = await stands(session, api, call, known)
            if stood is None:
                raise UnansweredError
            return made if stood else None

        readable = known is not None or (call.reversal or call.arrived) is not None
        try:
            result = await session.writes.perform(
                call.what,
                call.target,
                lambda: step_taken(session, api, call),
                reversal=self._way_back(run, item),
                group=run.group,
                now=True,  # the run is saved and resumed on its own
                look=look if readable else None,
            )
        except WriteError as error:
            entry = _noted(self._line(run))
            return run.failed(key, clean(_why(call, error)), unknown=error.unknown, entry=entry)
        line = self._line(run)
        self._replaces(line)
        took = max(0.0, (session.clock() - began).total_seconds())
        made = made_by(item.call, result)
        return run.arrived(key, entry=_noted(line), made=made, seconds=took, said=line.message)

    def _way_back(
        self, run: ArrangeRun, item: RunCall
    ) -> Reversal | Callable[[object], Reversal | None] | None:
        """Return the reversal of a request; a created object is named by its answer."""
        call = item.call
        if not call.makes:
            return run.bound(item).reversal

        def named(result: object) -> Reversal | None:
            made = made_by(call, result)
            return bind(call, {**run.made, **made}).reversal if call.makes in made else None

        return named

    def _line(self, run: ArrangeRun) -> LogEntry:
        """Return the log line of the last request."""
        lines = (each for each in reversed(self._session.log) if each.group == run.group)
        return next(each for each in lines if not each.kind)

    def _replaces(self, line: LogEntry) -> None:
        """Keep earlier tries of a request that arrived from being retried from the log."""
        arrived = (line.group, line.what, line.target)
        for other in self._session.log:
            same = (other.group, other.what, other.target) == arrived
            if same and other.state in ("failed", "unknown"):
                other.state, other.message = "replaced", "Sent again later, and arrived."

    # Back

    async def _back(self, run: ArrangeRun) -> ArrangeRun:
        run = await self._settled(run)
        if run.said or run.current is not None:
            return run.stop(run.said)
        await self._learn(run)
        run = run.turn_back()
        for item in run.returning():
            if run.id in self._stopping:
                return run.stop()
            try:
                run = await self._take_back(run, item)
            except OSError as error:
                return run.not_taken(item.call.key, "").stop(not_saved(error))
            if run.state != "rolling-back":
                return run
        return run.stop() if run.returning() or run.count("unknown") else run.finish()

    async def _take_back(self, run: ArrangeRun, item: RunCall) -> ArrangeRun:
        key = item.call.key
        past = self._session.history.known.get(item.entry)
        if past is None:
            return run.not_taken(key, LOST_WAY)
        if past.standing in ("undone", "gone"):
            return run.taken(key, anew=self._session.history.made_again(past))
        if said := run.passed_over_with(item):
            return run.not_taken(key, said)
        run = await self._keep(run.taking(key))
        try:
            await self._session.reversals.take_back([past])
        except ChangedSinceError as error:
            return run.not_taken(key, clean(str(error)))
        except WriteError as error:
            if past.standing == "gone":
                return run.taken(key, clean(str(error)))
            run = run.not_taken(key, clean(_why(item.call, error)))
            # A refusal does not keep the others from being undone.
            return run if _refused(error) else run.stop()
        anew = self._session.history.made_again(past)
        return run.taken(key, OTHERS_DID if past.by_others else "", anew)

    async def _learn(self, run: ArrangeRun) -> None:
        """Read the journal entries of the writes of a run of an earlier process."""
        known = self._session.history.known
        if any(each.entry and each.entry not in known for each in run.calls):
            entries = await asyncio.to_thread(self._session.journal.entries)
            self._session.history.learn(entries)

    async def _leave(self, run: ArrangeRun) -> ArrangeRun:
        run = await self._settled(run)
        unread = run.said or run.current is not None
        return run.stop(run.said) if unread else run.finish()

    # After a cut

    async def _settled(self, run: ArrangeRun) -> ArrangeRun:
        """Return the run after reading the outcome of the request that was under way.

        Where that cannot be read, ``said`` has the reason. Raises ``OSError`` when the disk
        refuses.
        """
        run = replace(run, said="")
        if not any(each.state in ("unknown", *UNDER_WAY) for each in run.calls):
            return run
        try:
            settled = await settle(self._session, await self._session.ready(), run)
        except failure_types() as error:
            self._session.learn(error)
            return run.stop(clean(sentence(error, "r")))
        except StepError as error:  # another version of the program planned it
            return run.stop(f"This copydesk cannot read what became of it: {error}.")
        return settled if settled == run else await self._keep(settled)

    # What there is

    @property
    def busy(self) -> list[asyncio.Task[ArrangeRun]]:
        """The tasks of running runs."""
        return [task for task in self._tasks.values() if not task.done()]

    @property
    def active(self) -> bool:
        """Whether a run is in progress in this program."""
        return bool(self.busy)

    async def find(self, place: str, target: str) -> ArrangeRun | None:
        """Return the unfinished run of a target, or None.

        The outcome of an interrupted run is read where reading tells it. A finished run stays until
        `forget_ended`: ``made`` has the ids that the service gave. None also where another copydesk
        (``elsewhere``) or this one is at it. Raises ``OSError`` when the disk refuses.
        """
        run_id = identity(place, target)
        if self._is_busy(run_id):
            return None
        async with self._alone(run_id):
            if not await asyncio.to_thread(self._store.claim, run_id):
                self.elsewhere.add(run_id)
                return None
            self.elsewhere.discard(run_id)
            try:
                run = await self._load(run_id)
                if run is None or run.state == "finished":
                    return run
                return await self._settled(run.cut_off())
            finally:
                self._store.release(run_id)

    def is_elsewhere(self, place: str, target: str) -> bool:
        """Whether another copydesk was at the run of a target when that was last looked for."""
        return identity(place, target) in self.elsewhere

    def _alone(self, run_id: str) -> asyncio.Lock:
        return self._looking.setdefault(run_id, asyncio.Lock())

    async def find_interrupted(self) -> tuple[list[ArrangeRun], str]:
        """Return the interrupted runs, and a sentence to report.

        A run whose object was deleted is forgotten, and reported.
        """
        left: list[ArrangeRun] = []
        said: list[str] = []
        try:
            for kept in await asyncio.to_thread(self._store.all):
                run = await self.find(kept.place, kept.target) if kept.begun else None
                if run is not None and run.begun:
                    if await self._gone(run):
                        await self._forget(run)
                        said.append(_gone_with(run))
                    else:
                        left.append(run)
        except OSError as error:
            said.append(f"Whether a rearrangement was left cannot be read: {error}")
        return left, " ".join(said)

    async def _gone(self, run: ArrangeRun) -> bool:
        try:
            return await is_gone(self._session, await self._session.ready(), run)
        except failure_types():
            return False

    async def groups(self) -> set[str]:
        """Return the groups of the interrupted runs: their writes are settled here."""
        try:
            return {run.group for run in await asyncio.to_thread(self._store.all) if run.begun}
        except OSError:
            return set()

    async def forget_ended(self, run: ArrangeRun) -> None:
        """Forget a run once its outcome is in the staged layout.

        An unfinished run stays. Raises ``OSError`` when the disk refuses.
        """
        if not self._is_busy(run.id):
            async with self._alone(run.id):
                await asyncio.to_thread(self._store.drop_ended, run.id)

    async def _forget(self, run: ArrangeRun) -> None:
        """Forget an unfinished run, unless somebody went on with it since."""
        async with self._alone(run.id):
            if await asyncio.to_thread(self._store.claim, run.id):
                try:
                    kept = await asyncio.to_thread(self._store.load, run.id)
                    if kept is not None and kept.version == self._kept.get(run.id):
                        await asyncio.to_thread(self._store.drop, run.id)
                finally:
                    self._store.release(run.id)

    def _is_busy(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        return task is not None and not task.done()

    # Going

    async def go(self, run: ArrangeRun, changed: Changed = untold) -> ArrangeRun:
        """Send the waiting requests, the failed one first; return the run as it ends or stops.

        Unknown outcomes are read first. Raises `WriteError` when it cannot begin: another run of
        the target is not over.
        """
        return await self._work(run, changed, self._forth)

    async def roll_back(self, run: ArrangeRun, changed: Changed = untold) -> ArrangeRun:
        """Undo the sent requests, the newest first; return the run as it ends or stops.

        What others changed since is passed over, and reported. Raises `WriteError` as `go` does.
        """
        return await self._work(run, changed, self._back)

    async def keep(self, run: ArrangeRun) -> ArrangeRun:
        """Keep the sent requests, and the rest staged; return the run, which is over.

        It is not over where the outcome of a request cannot be read: the person is asked again
        then.
        """
        return await self._work(run, untold, self._leave)

    def stop(self, run: ArrangeRun) -> None:
        """Stop after the request under way."""
        self._stopping.add(run.id)

    async def _work(self, run: ArrangeRun, changed: Changed, work: Work) -> ArrangeRun:
        if self._is_busy(run.id):
            raise WriteError("This is under way already.")
        self._changed[run.id] = changed
        self._stopping.discard(run.id)
        task = asyncio.create_task(self._claimed(run, work))
        self._tasks[run.id] = task
        return await asyncio.shield(task)

    async def _claimed(self, run: ArrangeRun, work: Work) -> ArrangeRun:
        async with self._alone(run.id):
            return await self._at_it(run, work)

    async def _at_it(self, run: ArrangeRun, work: Work) -> ArrangeRun:
        try:
            if not await asyncio.to_thread(self._store.claim, run.id):
                self.elsewhere.add(run.id)
                raise WriteError(f"Another copydesk is rearranging {run.title} now.")
        except OSError as error:
            raise WriteError(not_saved(error)) from error
        try:
            await self._agree(run)
            done = await work(run)
            if work == self._forth and done.state == "finished":
                fields = {"title": run.title, "number": str(len(run.calls)), "id": run.target}
                self._session.happened("after_apply", fields)
            try:
                return await self._keep(done)
            except OSError as error:
                return done.stop(not_saved(error)) if done.state != "finished" else done
        except OSError as error:
            return replace(run, state="stopped", said=not_saved(error))
        finally:
            self._store.release(run.id)
            self._changed.pop(run.id, None)
            self._session.touched()

    async def _agree(self, run: ArrangeRun) -> None:
        """Raise `WriteError` when the run on the disk is another version."""
        kept = await asyncio.to_thread(self._store.load, run.id)
        if run.state == "asking":
            if kept is not None and kept.begun:
                raise WriteError(f"{kept.standing()}: that is settled first.")
            self._kept[run.id] = 0
        elif self._kept.get(run.id) != (0 if kept is None else kept.version):
            raise WriteError("Another copydesk went on with it since: see how it is now.")


def _gone_with(run: ArrangeRun) -> str:
    rest = plural(len(run.calls) - run.sent, "call")
    return f"{run.title} is gone: what was left of it ({rest}) is discarded."


def _noted(line: LogEntry) -> str:
    """Return the id of the journal entry of a request; "" where the disk did not take it."""
    return "" if line.entry is None else line.entry.id


def _why(call: Call, error: WriteError) -> str:
    """Return the service's message on a failed request."""
    cause = error.__cause__
    if cause is None or isinstance(cause, NotDoneError):
        return str(error).replace(IN_THE_LOG, "r sends it again.")
    if isinstance(cause, NotFound) and not isinstance(cause, OperationMissing):
        return GONE
    return write_sentence(cause, what=call.what, again="r")


def _refused(error: WriteError) -> bool:
    """Whether the service answered and refused only this request."""
    return not error.unknown and isinstance(error.__cause__, Refused | NotDoneError)
