"""The runner of merge runs: plans, sends request by request, and saves the progress.

It belongs to the whole program, not to a screen: a run goes on when its screen is left. Every step
is saved before its request is sent and after the answer, so that an interrupted run, even a killed
one, goes on later without repeating anything.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from copydesk.domain.merge_run import UNREAD, Forecast, Found, MergeRun, Reason, RunItem, forecast
from copydesk.domain.text import clean
from copydesk.session.errors import failure_types, sentence
from copydesk.session.marks import CHANGED
from copydesk.session.writes.log import WriteError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import Conflict
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.reads.merge_run import PlannedState
    from copydesk.session.session import Session

Change = Callable[[MergeRun], MergeRun]
"""What a step comes to."""

FOUND_BY = (
    "get_change_request", "get_space", "list_change_request_comments",
    "list_change_request_reviews", "list_requested_reviewers",
)  # fmt: skip
"""The operations that a request is read with before anything is sent for it."""


class MergeSteps:
    """Takes the steps of merge runs. ``clashes`` are the conflicts met so far, by key."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.clashes: dict[str, Sequence[Conflict]] = {}
        self._found: dict[str, Found] = {}
        """Each as it was read last, which is before anything is sent for it, by key."""

    async def take(self, api: Api, item: RunItem) -> Change:
        """Take the step that a request of a run is at. The run was saved before."""
        if item.state == "checking":
            return await self._check(api, item)
        if item.state == "updating":
            return await self._update(api, item)
        return await self._merge(api, item)

    def _failed(self, reason: Reason, said: str) -> Change:
        return lambda run: run.fail(reason, clean(said), self._now())

    def _now(self) -> float:
        return self._session.clock().timestamp()

    async def _check(self, api: Api, item: RunItem) -> Change:
        from copydesk.session.reads.merge_run import read_found, why_not_read
        from copydesk.session.settlement import CUT_OFF, is_cut_off

        try:
            if await is_cut_off(self._session, item.space, item.request):
                return self._failed("conflict", CUT_OFF)
            found = await read_found(api, item)
        except failure_types() as error:
            self._session.learn(error)
            return self._failed(*why_not_read(error))
        self._session.fresh()
        self._found[item.key] = found
        return lambda run: run.judge(found, self._now())

    async def _update(self, api: Api, item: RunItem) -> Change:
        from copydesk.session.settlement import update_whole

        return await self._write(
            "Update",
            item,
            lambda: update_whole(self._session, api, item.space, item.request),
            lambda now: lambda run: run.updated(now.revision),
        )

    async def _merge(self, api: Api, item: RunItem) -> Change:
        from copydesk.contract import operations as ops
        from copydesk.session.reads.merge_run import why_not_read
        from copydesk.session.writes import merges

        # Reading what it depends on took several requests, and a merge names no revision: so that
        # nothing but this one answer lies between, anything new is looked at from the start.
        try:
            now = await api(ops.get_change_request, item.space, item.request)
        except failure_types() as error:
            self._session.learn(error)
            failed = self._failed(*why_not_read(error))
            return lambda run: failed(run.not_sent())
        seen, found = (now.updated_at.timestamp(), now.comments), self._found[item.key]
        if now.revision != item.revision or seen != (found.updated, found.open_threads):
            return MergeRun.not_sent
        return await self._write(
            "Merge",
            item,
            lambda: merges.merge(api, item.space, item.request),
            partial(self._merged, item),
            look=lambda: merges.merged(api, item.space, item.request),
        )

    def _merged(self, item: RunItem, answer: Any) -> Change:
        from copydesk.session.own_commands import tell_merged
        from copydesk.session.reads.merge_run import conflicting

        result, now = answer
        tell_merged(self._session, now, item.space_title)
        revision = clean((result and result.revision) or now.revision_merged or "")
        if result is not None and result.result == "conflicts":
            self.clashes[item.key] = result.conflicts or ()
            clash = "Merged all the same, and it is live: both sides changed "
            clash += f"{conflicting(result.conflicts or ())}. Resolve them there."
            if now.revision != item.revision:
                clash += f" {UNREAD}"
            return lambda run: run.merged_with_conflicts(revision, clash, self._now())
        said = "" if result is not None else "No answer came, but it had arrived."
        if now.revision != item.revision:
            said = f"{said} {UNREAD}".strip()
        return lambda run: run.merged(revision, self._now(), said)

    async def _write(
        self,
        what: str,
        item: RunItem,
        send: Any,
        then: Callable[[Any], Change],
        look: Any = None,
    ) -> Change:
        """Send one write of a run; ``then`` takes its answer."""
        try:
            answer = await self._session.writes.perform(what, item.name, send, look=look, now=True)
        except WriteError as error:
            from copydesk.session.reads.merge_run import why_not_written
            from copydesk.session.settlement import keep_joined
            from copydesk.session.writes.merges import ConflictedError

            cause = error.__cause__
            if isinstance(cause, ConflictedError):
                self.clashes[item.key] = cause.conflicts
                self._session.hold_stuck(cause.moment)
                if what == "Update":
                    # Settling begins with what it was before. A full disk stops the run by itself.
                    with suppress(OSError):
                        base = self._found[item.key].base
                        await keep_joined(self._session, cause, base, item.revision)
            return self._failed(*why_not_written(what, cause or error))
        return then(answer)


AT_ONCE = 4
"""Requests of a plan that are read at the same time."""


class MergeRunner:
    """The merge run of this program: at most one that has not ended.

    ``tell`` reports to the reader on any screen, with a tone. Methods that write wait for the disk;
    where it refuses, ``trouble`` says so and nothing is sent.
    """

    run: MergeRun | None = None
    """The planned, running or stopped run; else the last one of this program."""
    elsewhere = False
    """Whether another copydesk works on that run."""
    trouble = ""
    changes = 0
    """Counts the changes, for the screen."""
    _kept: MergeRun | None = None
    """The run as last seen on the disk."""
    _going: asyncio.Task[None] | None = None

    def __init__(self, session: Session, tell: Callable[[str, str], None]) -> None:
        self._session = session
        self._store = session.runs
        self._tell = tell
        self.standings: dict[str, PlannedState] = {}
        """The states of the requests of the plan, by key."""
        self.unread: dict[str, str] = {}
        """Why a request of the plan could not be read, by key."""
        self._steps = MergeSteps(session)
        self.clashes = self._steps.clashes
        """The conflicts met in this program, by key."""
        self._foreseen: tuple[int, dict[str, Forecast]] = (-1, {})
        self._reading: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()
        self._starting = asyncio.Lock()
        """Held from the claim of a run until its task exists: no two tasks work on one run."""

    @property
    def note(self) -> tuple[str, str]:
        """The text of the header on the run, and its tone; empty without a run."""
        run = self.run
        if run is None or run.state == "finished":
            return "", ""
        if run.state == "planned":
            return f"run of {len(run.listed)} planned", ""
        how = "" if run.state == "running" else f" {run.state}"
        tone = {"running": "good", "paused": "warn", "stopped": "bad"}[run.state]
        return f"run {run.at}/{len(run.listed)}{how}", tone

    def forecast(self) -> dict[str, Forecast]:
        """Return the forecast for each request that was read, given the others in the plan."""
        if self.run is None:
            return {}
        if self._foreseen[0] != self.changes:
            touched = {key: each.touched for key, each in self.standings.items()}
            self._foreseen = self.changes, forecast(self.run.items, touched)
        return self._foreseen[1]

    async def plan(
        self, rows: Iterable[ChangeRow], title: Callable[[str], str] = lambda space: ""
    ) -> str:
        """Add requests to the plan, in this order; return the reason where that fails, or "".

        Comments and edits on them from now on stop the run.
        """
        if self.run is not None and self.run.begun:
            return f"A merge run is at {self.run.far}: M shows it. End it before you plan another."
        if self.run is None or self.run.state == "finished":
            self.standings.clear()
            self.unread.clear()
            self.clashes.clear()
            self.trouble = ""
            self.elsewhere = False
            self.run = MergeRun(secrets.token_hex(6), made=self._now())
        items = [
            RunItem(
                row.space,
                row.id,
                row.label,
                row.subject,
                clean(title(row.space)),
                row.url,
                seen=row.updated.timestamp(),
                seen_revision=row.revision,
            )
            for row in rows
        ]
        self.run = self.run.add(items)
        await self._keep()
        self.read()
        return ""

    def read(self) -> None:
        """Read the states of the waiting requests again."""
        for task in self._reading:
            task.cancel()
        if self.run is not None and self.run.state != "finished":
            self._read_these([item for item in self.run.items if item.state == "waiting"])

    def _read_these(self, items: Sequence[RunItem]) -> None:
        task = asyncio.create_task(self._read_all(items))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _read_all(self, items: Sequence[RunItem]) -> None:
        api = await self._ready()
        if api is None:
            return
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(item: RunItem) -> None:
            async with slots:
                await self._read_one(api, item)

        before = self.run
        await asyncio.gather(*(one(item) for item in items))
        # A read alone is not saved: another copydesk may work on the run by now.
        if self.run != before:
            await self._keep()

    async def _read_one(self, api: Api, item: RunItem) -> None:
        from copydesk.session.reads.merge_run import read_standing

        try:
            standing = await read_standing(api, item)
            if await self._session.snoozed.edited({item.request: standing.found.revision}):
                standing = replace(standing, warnings=(CHANGED, *standing.warnings))
        except failure_types() as error:
            self._session.learn(error)
            self.unread[item.key] = clean(sentence(error))
        else:
            self.unread.pop(item.key, None)
            self.standings[item.key] = standing
            if self.run is not None:
                self.run = self.run.queue(item.key, standing.found)
            self._session.fresh()
        self._touched()

    def why_not_ready(self) -> str | None:
        """Return why the plan cannot be started, or None."""
        run = self.run
        if run is None or run.state != "planned" or not run.listed:
            return "There is no plan to start."
        for item in run.listed:
            if not item.revision:
                why = self.unread.get(item.key)
                if why is None:
                    read = sum(bool(each.revision) for each in run.listed)
                    return f"Still reading: {read} of {len(run.listed)}. ctrl+s starts after that."
                return f"{item.label} could not be read: R tries again, x takes it out. {why}"
        return None

    async def move(self, key: str, by: int) -> None:
        """Move a waiting request up or down."""
        await self._change(lambda run: run.move(key, by))

    async def take_out(self, key: str) -> None:
        """Take a waiting request out of the run, or add it at the end again."""
        await self._change(lambda run: run.take_out(key))
        item = None if self.run is None else self.run.item(key)
        if item is not None and item.state == "waiting" and not item.revision:
            self._read_these([item])

    async def stop_at(self, stops: Iterable[Reason]) -> None:
        """Set the reasons to stop at."""
        await self._change(lambda run: replace(run, stops=frozenset(stops)))

    async def forget(self) -> None:
        """Drop a plan that was not begun."""
        run, self.run = self.run, None
        self._touched()
        if run is not None:
            await asyncio.to_thread(self._store.drop, run.id)

    async def _change(self, change: Callable[[MergeRun], MergeRun]) -> bool:
        """Change the run and save it; False when the disk refused."""
        if self.run is None:
            return False
        self.run = change(self.run)
        self._touched()
        return await self._keep()

    # Keeping

    async def _keep(self) -> bool:
        """Save the run. False, and the run pauses, when the disk refuses.

        Stopping the caller lets the save go on, so that the run on disk is always known.
        """
        return await asyncio.shield(self._save())

    async def _save(self) -> bool:
        async with self._lock:
            run = self.run
            if run is None:
                return False
            try:
                await asyncio.to_thread(self._store.save, run)
                self._kept = run
            except OSError as error:
                self.trouble = f"The run cannot be saved, so it waits: {error}"
                self._tell(self.trouble, "bad")
                return False
        return True

    async def _ready(self) -> Api | None:
        try:
            return await self._session.ready()
        except failure_types() as error:
            self._session.learn(error)
            self._tell(sentence(error), "bad")
            return None

    def _touched(self) -> None:
        self.changes += 1
        self._session.touched()

    def _now(self) -> float:
        return self._session.clock().timestamp()

    # What there is

    async def find_interrupted(self) -> str:
        """Find the unfinished run of this machine; return the sentence to report, or ""."""
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
            return f"Whether a merge run was left cannot be read: {error}"
        self._touched()
        return "" if left.state == "planned" else f"A merge run stopped at {left.far}: M goes on."

    async def look_elsewhere(self) -> None:
        """Read the progress of another copydesk on the run; take it over once that one ended."""
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

    async def look_whether_settled(self) -> None:
        """Look whether the conflict that the run stopped at was settled since.

        That is not saved: it is looked at again, and another copydesk may work on the run by now.
        Raises ``OSError``.
        """
        item = None if self.run is None else self.run.stopped
        if item is None or not item.to_settle or self.active or self.elsewhere:
            return
        name = f"{item.space} {item.request}"
        kept = await asyncio.to_thread(self._session.settlings.load, name)
        if kept is None or kept.state != "sent" or self.run is None or self.run.stopped != item:
            return
        # One that was settled before the run stopped at it says nothing of this conflict.
        if kept.head == item.revision or kept.made >= (item.ended or 0):
            self.run = self.run.settled(kept.head, kept.known)
            self._touched()
            self._tell(f"{item.label} is settled. M goes on.", "good")

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
        """The tasks under way."""
        going = [self._going] if self._going is not None and not self._going.done() else []
        return [*going, *self._reading]

    # Going

    async def start(self) -> None:
        """Begin the plan."""
        if self.why_not_ready() is None:
            await self._go(lambda run: run.start(self._now()))

    async def go_on(self) -> None:
        """Go on after a pause or an interruption."""
        await self._go(lambda run: run.go_on())

    async def skip(self) -> None:
        """Skip the request that it stopped at and go on."""
        await self._go(lambda run: run.skip(self._now()))

    async def again(self) -> None:
        """Retry the request that it stopped at."""
        await self._go(lambda run: run.again())

    async def pause(self) -> None:
        """Pause after the current request; the second call takes the pause back."""
        await self._change(lambda run: run.pause())

    async def end(self) -> None:
        """End the run where it stands."""
        await self._change(lambda run: run.end(self._now()))
        self._touched()  # it is on the disk by now, where the list of ended runs reads
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
        async with self._lock:
            kept = await asyncio.to_thread(self._store.load, run_id)
            theirs = None if kept == self._kept else kept
        if theirs is not None:
            # Another copydesk changed it since: the command was meant for another state.
            await asyncio.to_thread(self._store.release, run_id)
            self._kept, self.run, self.elsewhere = theirs, theirs.cut_off(), False
            self._touched()
            self._tell("Another copydesk went on with this run: see how it is now.", "warn")
            return
        before = self.run
        self.trouble = ""
        if not await self._change(change):
            self.run = before
            await asyncio.to_thread(self._store.release, run_id)
            return
        self._going = asyncio.create_task(self._going_on(run_id))

    async def _going_on(self, run_id: str) -> None:
        try:
            api = await self._ready()
            if api is None:
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
        """Do the next step, and save the result. False when the run cannot go on.

        The step before has saved the request that is about to be sent.
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
        change = await self._steps.take(api, item)
        self.run = change(self.run)
        self._touched()
        return await self._keep()

    def _tell_end(self) -> None:
        run = self.run
        if run is None or self.trouble:
            return
        stopped = run.stopped
        if stopped is not None:
            leads = "M, then enter settles it." if stopped.to_settle else "M goes on."
            said = f"Merge run stopped at {run.far}, {stopped.label}: {stopped.said} {leads}"
            self._tell(said, "bad")
        elif run.state == "paused":
            self._tell(f"Merge run paused at {run.far}. M goes on.", "warn")
        elif run.state == "finished":
            counts = [(run.count("done"), "merged"), (run.count("skipped"), "skipped")]
            counts += [(run.count("stopped"), "stopped"), (run.count("waiting"), "not begun")]
            said = ", ".join(f"{count} {what}" for count, what in counts if count)
            self._tell(f"Merge run ended: {said or 'nothing was in it'}.", "good")
