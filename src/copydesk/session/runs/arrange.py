"""Going through a run that rearranges something: request by request, forth or back.

What goes through it belongs to the whole program, not to a screen: whoever leaves the sheet leaves
it running. The run is on the disk before each request and after it, so that one which was cut off,
also by a kill, is found again; what had become of the request under way is read, not guessed, and
nothing is sent again that may have arrived, unless somebody asks for that. Nothing here needs the
screens: the command line goes through runs as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.domain.arrange_run import ArrangeRun, identity
from copydesk.domain.text import plural
from copydesk.session.errors import failure_types
from copydesk.session.runs.arrange_steps import Changed, RunSteps, unkept, untold
from copydesk.session.writes.log import WriteError

if TYPE_CHECKING:
    from copydesk.session.session import Session

Work = Callable[["ArrangeRun"], Awaitable[ArrangeRun]]


class Arranger(RunSteps):
    """Goes through the runs of this program: one at a time of each site or organization."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._tasks: dict[str, asyncio.Task[ArrangeRun]] = {}
        self._looking: dict[str, asyncio.Lock] = {}
        """Held while a run is looked at or gone through: a claim is one of the whole program."""
        self.elsewhere: set[str] = set()
        """The ids of runs that another copydesk is at."""

    # What there is

    @property
    def busy(self) -> list[asyncio.Task[ArrangeRun]]:
        """The runs that are gone through at this moment."""
        return [task for task in self._tasks.values() if not task.done()]

    @property
    def active(self) -> bool:
        """Whether a run is in progress in this program."""
        return bool(self.busy)

    async def find(self, place: str, target: str) -> ArrangeRun | None:
        """Return the unfinished run of a target, or None.

        One that was cut off is settled by reading, as far as that tells. A finished one is there
        until it is `taken_in`: ``made`` tells which ids the service gave. None also where another
        copydesk (``elsewhere``) or this one is at it. Raises ``OSError`` when the disk refuses.
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

    def _alone(self, run_id: str) -> asyncio.Lock:
        return self._looking.setdefault(run_id, asyncio.Lock())

    async def take_stock(self) -> tuple[list[ArrangeRun], str]:
        """Return the runs that were cut off, and what else a person should know of such at a start.

        What was rearranging a thing that is gone is forgotten, and that is said.
        """
        left: list[ArrangeRun] = []
        said: list[str] = []
        try:
            for kept in await asyncio.to_thread(self._store.all):
                run = await self.find(kept.place, kept.target) if kept.begun else None
                if run is None or not run.begun:
                    continue
                if await self._gone(run):
                    rest = plural(len(run.calls) - run.sent, "request")
                    said.append(f"{run.title} is gone: what was left of it ({rest}) is dropped.")
                    await self._forget(run)
                else:
                    left.append(run)
        except OSError as error:
            said.append(f"It cannot be read whether a rearrangement was left: {error}")
        return left, " ".join(said)

    async def _gone(self, run: ArrangeRun) -> bool:
        from copydesk.session.runs.interrupted_requests import is_gone

        try:
            return await is_gone(self._session, await self._session.ready(), run)
        except failure_types():
            return False

    async def groups(self) -> set[str]:
        """Return the groups of the runs that were cut off: their writes are settled here."""
        try:
            return {run.group for run in await asyncio.to_thread(self._store.all) if run.begun}
        except OSError:
            return set()

    async def taken_in(self, run: ArrangeRun) -> None:
        """Forget the run of a target once its outcome is in the staged layout.

        One that is not over stays. Raises ``OSError`` when the disk refuses.
        """
        if not self._is_busy(run.id):
            async with self._alone(run.id):
                await asyncio.to_thread(self._store.drop_ended, run.id)

    async def _forget(self, run: ArrangeRun) -> None:
        """Forget a run that is not over, unless somebody went on with it since."""
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
        """Send what waits, the one that failed first; return the run as it ends or stops.

        What is not known to have arrived is read first. Raises `WriteError` when it cannot begin:
        another run of the target is not over.
        """
        return await self._work(run, changed, self._forth)

    async def roll_back(self, run: ArrangeRun, changed: Changed = untold) -> ArrangeRun:
        """Take back what was sent, the newest first; return the run as it ends or stops.

        What others changed since is passed over, and said. Raises `WriteError` as `go` does.
        """
        return await self._work(run, changed, self._back)

    async def keep(self, run: ArrangeRun) -> ArrangeRun:
        """Leave what was sent as it is, and the rest staged; return the run, which is over.

        It is not over where it cannot be read what became of a request: it is asked again then.
        """
        return await self._work(run, untold, self._leave)

    def stop(self, run: ArrangeRun) -> None:
        """Stop after the request under way."""
        self._stopping.add(run.id)

    async def _work(self, run: ArrangeRun, changed: Changed, work: Work) -> ArrangeRun:
        if self._is_busy(run.id):
            raise WriteError("It is under way already.")
        self._changed[run.id] = changed
        self._stopping.discard(run.id)
        task = asyncio.create_task(self._claimed(run, work), name="rearranging")
        self._tasks[run.id] = task
        return await asyncio.shield(task)

    async def _claimed(self, run: ArrangeRun, work: Work) -> ArrangeRun:
        async with self._alone(run.id):
            return await self._at_it(run, work)

    async def _at_it(self, run: ArrangeRun, work: Work) -> ArrangeRun:
        try:
            if not await asyncio.to_thread(self._store.claim, run.id):
                self.elsewhere.add(run.id)
                raise WriteError(f"Another copydesk is rearranging {run.title} at the moment.")
        except OSError as error:
            raise WriteError(unkept(error)) from error
        try:
            await self._agree(run)
            done = await work(run)
            try:
                return await self._keep(done)
            except OSError as error:
                return done.stop(unkept(error)) if done.state != "finished" else done
        except OSError as error:
            return replace(run, state="stopped", said=unkept(error))
        finally:
            self._store.release(run.id)
            self._changed.pop(run.id, None)
            self._refused.pop(run.id, None)
            self._session.touched()

    async def _agree(self, run: ArrangeRun) -> None:
        """Raise `WriteError` when the run on the disk is not the one that is meant."""
        kept = await asyncio.to_thread(self._store.load, run.id)
        if run.state == "asking":
            if kept is not None and kept.begun:
                raise WriteError(f"{kept.standing()}: that is settled first.")
            self._kept[run.id] = 0
        elif self._kept.get(run.id) != (0 if kept is None else kept.version):
            raise WriteError("Another copydesk went on with it since: look how it stands now.")
