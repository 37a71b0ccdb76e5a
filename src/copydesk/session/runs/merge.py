"""Going through a merge run: plan it, send it request by request, and keep where it is.

The runner belongs to the whole program, not to a screen: whoever leaves the place of the run leaves
it running. Every step is on the disk before its request is sent and after it was answered, so that
a run that is cut off, also by a kill, goes on later without repeating anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from copydesk.domain.merge_run import MergeRun, RunItem
from copydesk.domain.text import clean
from copydesk.session.errors import failure_types
from copydesk.session.runs.merge_plan import MergePlanner

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.session import Session


class MergeRunner(MergePlanner):
    """The merge run of this program: at most one that has not ended."""

    def __init__(self, session: Session, tell: Callable[[str, str], None]) -> None:
        super().__init__(session, tell)
        self._going: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        """Held from the claim of a run until it goes: no two tasks ever go through one."""

    # What there is

    async def take_stock(self) -> str:
        """Find the run that has not ended on this machine; return what to say of it, or nothing."""
        try:
            runs = await asyncio.to_thread(self._store.all)
            left = next((run for run in runs if run.state != "finished"), None)
            if left is None or self.run is not None:
                return ""
            self.run = self._kept = left
            if left.state == "running":
                if not await asyncio.to_thread(self._store.claim, left.id):
                    self.elsewhere = True
                    return ""
                await asyncio.to_thread(self._store.release, left.id)
                self.run = left.cut_off()
        except OSError as error:
            return f"It cannot be read whether a merge run was left: {error}"
        self._touched()
        return "" if left.state == "planned" else f"A merge run stopped at {left.far}: M goes on."

    async def look_elsewhere(self) -> None:
        """Read how far another copydesk is with the run; take it over once that one is gone."""
        if not self.elsewhere or self.run is None:
            return
        kept = await asyncio.to_thread(self._store.load, self.run.id)
        free = await asyncio.to_thread(self._store.claim, self.run.id)
        if free:
            await asyncio.to_thread(self._store.release, self.run.id)
            self.elsewhere = False
        if kept is not None:
            self._kept, self.run = kept, kept.cut_off() if free else kept
        self._touched()

    async def former(self) -> list[MergeRun]:
        """Return the runs that have ended, the newest first."""
        runs = await asyncio.to_thread(self._store.all)
        return [run for run in runs if run.state == "finished"]

    @property
    def active(self) -> bool:
        """Whether a run is in progress in this program."""
        return self._going is not None and not self._going.done()

    @property
    def busy(self) -> list[asyncio.Task[None]]:
        """The work under way."""
        going = [self._going] if self._going is not None and not self._going.done() else []
        return [*going, *self._reading]

    # Going

    async def start(self) -> None:
        """Begin the plan."""
        if self.why_not_ready() is None:
            await self._go(lambda run: run.start(self._now()))

    async def go_on(self) -> None:
        """Go on after a pause, or where an earlier run of the program was cut off."""
        await self._go(lambda run: run.go_on())

    async def skip(self) -> None:
        """Pass over the request that it stopped at and go on."""
        await self._go(lambda run: run.skip(self._now()))

    async def again(self) -> None:
        """Try the request again that it stopped at."""
        await self._go(lambda run: run.again())

    async def pause(self) -> None:
        """Pause after the current request; the second call takes the pause back."""
        await self._change(lambda run: run.pause())

    async def end(self) -> None:
        """End the run where it stands."""
        await self._change(lambda run: run.end(self._now()))
        self._touched()  # it is on the disk by now, where who lists the ended ones reads
        self._tell_end()

    async def _go(self, change: Callable[[MergeRun], MergeRun]) -> None:
        async with self._starting:
            await self._begin(change)

    async def _begin(self, change: Callable[[MergeRun], MergeRun]) -> None:
        if self.run is None or self.active:
            return
        run_id = self.run.id
        if not await asyncio.to_thread(self._store.claim, run_id):
            self.elsewhere = True
            self._tell("Another copydesk is going through this run.", "warn")
            return
        kept = await asyncio.to_thread(self._store.load, run_id)
        if kept is not None and kept != self._kept:
            # Another copydesk was at it since: what was asked for here was of another state.
            await asyncio.to_thread(self._store.release, run_id)
            self._kept, self.run, self.elsewhere = kept, kept.cut_off(), False
            self._touched()
            self._tell("Another copydesk went on with this run: look how it stands now.", "warn")
            return
        before = self.run
        self.trouble = ""
        if not await self._change(change):
            self.run = before
            await asyncio.to_thread(self._store.release, run_id)
            return
        self._going = asyncio.create_task(self._going_on(run_id), name="merge run")

    async def _going_on(self, run_id: str) -> None:
        try:
            api = await self._ready()
            if api is None:
                self.run = self.run.cut_off() if self.run else None
                return
            while await self._step(api):
                pass
        finally:
            if self.run is not None and self.run.state == "running":
                self.run = self.run.cut_off()
            self._store.release(run_id)
            self._touched()
        self._tell_end()

    async def _step(self, api: Api) -> bool:
        """Do the next thing, and keep what came of it. False when there is nothing to go on with.

        What is about to be sent was kept by the step before.
        """
        assert self.run is not None
        following = self.run.advance(self._now())
        if following is not self.run:
            self.run = following
            if not await self._keep():
                return False
        item = self.run.current
        if self.run.state != "running" or item is None:
            return False
        if item.state == "checking":
            await self._check(api, item)
        elif item.state == "updating":
            await self._update(api, item)
        else:
            await self._merge(api, item)
        self._touched()
        return await self._keep()

    async def _check(self, api: Api, item: RunItem) -> None:
        from copydesk.session.reads.merge_run import read_found, why_not_read

        assert self.run is not None
        try:
            found = await read_found(api, item)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            reason, said = why_not_read(error)
            self.run = self.run.fail(reason, clean(said), self._now())
            return
        self._session.fresh()
        self.run = self.run.judge(found, self._now())

    async def _update(self, api: Api, item: RunItem) -> None:
        from copydesk.session.reads import conflicts

        now = await self._write(
            "Update", item, lambda: conflicts.update(api, item.space, item.request)
        )
        if now is not None and self.run is not None:
            self.run = self.run.updated(now.revision)

    async def _merge(self, api: Api, item: RunItem) -> None:
        from copydesk.session.reads import conflicts
        from copydesk.session.reads.merge_run import conflicting

        answer = await self._write(
            "Merge",
            item,
            lambda: conflicts.merge(api, item.space, item.request),
            look=lambda: conflicts.merged(api, item.space, item.request),
        )
        if answer is None or self.run is None:
            return
        result, now = answer
        revision = clean((result and result.revision) or now.revision_merged or "")
        if result is not None and result.result == "conflicts":
            self.clashes[item.key] = result.conflicts or ()
            said = "Merged all the same, and it is live: both sides changed "
            said += f"{conflicting(result.conflicts or ())}. It needs hands."
            self.run = self.run.merged_with_conflicts(revision, said, self._now())
            return
        said = "" if result is not None else "No answer came, but it had arrived."
        self.run = self.run.merged(revision, self._now(), said)

    async def _write(self, what: str, item: RunItem, send: Any, look: Any = None) -> Any:
        """Send one write of the run; None once it is noted that it did not go well."""
        from copydesk.session.session import WriteError

        try:
            return await self._session.perform(what, item.name, send, look=look, now=True)
        except WriteError as error:
            from copydesk.session.reads.conflicts import ConflictedError
            from copydesk.session.reads.merge_run import why_not_written

            cause = error.__cause__
            if isinstance(cause, ConflictedError):
                self.clashes[item.key] = cause.conflicts
                self._session.hold_stuck(cause.moment)
            assert self.run is not None
            reason, said = why_not_written(what, cause or error)
            self.run = self.run.fail(reason, clean(said), self._now())
            return None

    def _tell_end(self) -> None:
        run = self.run
        if run is None or self.trouble:
            return
        stopped = run.stopped
        if stopped is not None:
            said = f"Merge run stopped at {run.far}, {stopped.label}: {stopped.said} M goes on."
            self._tell(said, "bad")
        elif run.state == "paused":
            self._tell(f"Merge run paused at {run.far}. M goes on.", "warn")
        elif run.state == "finished":
            counts = [(run.count("done"), "merged"), (run.count("skipped"), "skipped")]
            counts += [(run.count("stopped"), "stopped"), (run.count("waiting"), "not begun")]
            said = ", ".join(f"{count} {what}" for count, what in counts if count)
            self._tell(f"Merge run ended: {said or 'nothing was in it'}.", "good")
