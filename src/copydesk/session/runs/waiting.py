"""Requests that are merged once their rules hold, while copydesk or ``copydesk watch`` runs.

Each is a merge run of one request, bound to the revision that was seen: an edit, a comment, a
verdict against it or a conflict stops it. All of them are looked at under one lock of the machine
and as they are on the disk, so that two programs merge none of them twice.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from copydesk.domain.merge_run import MERGED_ELSEWHERE, UNREAD, MergeRun, RunItem
from copydesk.domain.text import clean, listed
from copydesk.session.errors import NotDoneError, failure_types, sentence
from copydesk.session.identity import confirm
from copydesk.session.runs.merge import MergeSteps
from copydesk.session.writes.outbox import UNCONFIRMED

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.domain.reversal import Reversal
    from copydesk.session.session import Session

LOCK = "all"
"""The name of the claim that is held while they are looked at or changed."""

BUSY = "Another copydesk is looking at what waits to be merged: try again shortly."

OTHERS = "Another account lets it wait: it is merged with that one's token; x takes it out."

CHANGED = "Changed since you looked: this is how it is now."


class WaitingMerges:
    """The waiting requests of a desk, as this machine keeps them."""

    runs: tuple[MergeRun, ...] = ()
    """Those that wait or were stopped, the oldest first."""
    trouble = ""
    """Why they could not be looked at the last time."""
    changes = 0
    """Counts the changes, for the screen."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.waiting_runs
        self._steps = MergeSteps(session)
        self._lock = asyncio.Lock()
        self.standing: Mapping[tuple[str, str], bool] = {}
        """The requests of these, by space and id; whether each still waits, and was not stopped."""

    @property
    def waiting(self) -> list[MergeRun]:
        """Those that wait for their rules, and that this account may merge."""
        return [run for run in self.runs if run.state != "stopped" and not self.is_others(run)]

    def is_others(self, run: MergeRun) -> bool:
        """Whether another account lets it wait: it is merged with its token alone."""
        me = self._session.me
        return bool(run.by) and me is not None and me.id != run.by

    def run(self, id: str) -> MergeRun | None:
        """Return one by its id."""
        return next((run for run in self.runs if run.id == id), None)

    def of(self, space: str, request: str) -> MergeRun | None:
        """Return the one of a request."""
        keys = space, request
        return next(
            (run for run in self.runs for each in run.items if (each.space, each.request) == keys),
            None,
        )

    # What is kept

    async def read(self) -> None:
        """Read what this machine keeps. Raises ``OSError``."""
        await self._take(await asyncio.to_thread(self._store.all))

    async def former(self) -> list[MergeRun]:
        """Return those that were merged, the newest first. Raises ``OSError``."""
        runs = await asyncio.to_thread(self._store.all)
        return [run for run in runs if run.state == "finished"]

    async def ended(self) -> list[MergeRun]:
        """Return those of this account that were merged for it, or stopped. Raises ``OSError``."""
        return [
            run
            for run in await asyncio.to_thread(self._store.all)
            if run.state in ("finished", "stopped")
            and run.items[0].said != MERGED_ELSEWHERE
            and not self.is_others(run)
        ]

    async def _take(self, runs: list[MergeRun]) -> None:
        left = tuple(run for run in reversed(runs) if run.state != "finished")
        if left != self.runs:
            self.runs = left
            self.standing = {
                (item.space, item.request): run.state != "stopped"
                for run in left
                for item in run.items
            }
            self._touched()

    def _touched(self) -> None:
        self.changes += 1
        self._session.touched()

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Keep everybody else from changing them; they are as on the disk then.

        Raises `NotDoneError` while another program does so, and ``OSError``.
        """
        async with self._lock:
            if not await asyncio.to_thread(self._store.claim, LOCK):
                raise NotDoneError(BUSY)
            try:
                await self.read()
                yield
            finally:
                self._store.release(LOCK)

    async def _save(self, run: MergeRun) -> None:
        await asyncio.to_thread(self._store.save, run)
        others = [each for each in self.runs if each.id != run.id]
        await self._take([run, *reversed(others)])

    # Beginning and ending to wait

    async def plan(self, request: ChangeRequest, space_title: str) -> MergeRun:
        """Return the run of a request as it was seen. Raises ``ApiError``, and `NotDoneError` where
        it changed since, or waits for no rule.
        """
        from copydesk.session.reads.merge_run import read_found

        row = RunItem(
            request.space,
            request.id,
            f"#{request.number}",
            clean(request.subject),
            clean(space_title),
            clean(request.urls.app or ""),
            revision=request.revision,
        )
        found = await read_found(await self._session.ready(), row)
        seen = request.updated_at.timestamp(), request.comments
        if (found.updated, found.open_threads) != seen:
            raise NotDoneError(CHANGED)
        now = self._session.clock().timestamp()
        me = self._session.me
        run = MergeRun(secrets.token_hex(6), made=now, waits=True, by="" if me is None else me.id)
        run = run.add([row])
        run = run.change(row.key, comments=found.comments).start(now).advance(now)
        run = run.judge(found, now)
        if run.stopped is not None:
            raise NotDoneError(run.stopped.said)
        if run.state != "paused":
            raise NotDoneError("No rule is in its way: y merges it.")
        return run

    async def put(self, id: str, run: dict[str, Any] | None) -> None:
        """Let a request wait, as JSON, or no more (None): one way or the other of its reversal.

        Raises ``OSError`` and `NotDoneError`.
        """
        async with self._alone():
            if run is None:
                await asyncio.to_thread(self._store.drop, id)
                await self.read()
                return
            added = self._store.adapter().validate_python(run)
            for item in added.items:
                former = self.of(item.space, item.request)
                if former is not None and former.id != id:
                    await asyncio.to_thread(self._store.drop, former.id)
            await self._save(added)
            await self.read()

    async def told(self, id: str) -> dict[str, bool]:
        """Return whether a request still waits, or was stopped."""
        await self.read()
        return {"waits": self.run(id) is not None}

    def as_json(self, run: MergeRun) -> dict[str, Any]:
        """Return a run as `put` takes it."""
        kept = self._store.adapter().dump_python(run, mode="json", exclude_defaults=True)
        assert isinstance(kept, dict)
        return kept

    async def again(self, id: str) -> None:
        """Let one wait again that was stopped: what stopped it is taken as seen.

        Raises ``OSError`` and `NotDoneError`.
        """
        async with self._alone():
            run = self.run(id)
            if run is not None and self.is_others(run):
                raise NotDoneError(OTHERS)
            if run is not None and run.stopped is not None:
                await self._save(run.again())

    # Looking at them

    async def look(self, tell: Callable[[MergeRun], None] = lambda run: None) -> None:
        """Read each, and merge those whose rules hold; ``tell`` is given each as it is then.

        Raises `NotDoneError` while another program does so. Where the disk refuses, nothing is
        sent, and ``trouble`` says so.
        """
        try:
            await self.read()
            if not self.waiting:
                return
            async with self._alone():
                api = await self._session.ready()
                if not self._session.confirmed:  # whose token it is must be known
                    await confirm(self._session, api)
                if not self._session.confirmed:
                    self._trouble(UNCONFIRMED)
                    return
                for run in self.waiting:
                    tell(await self._look_at(api, run))
            self._trouble("")
        except NotDoneError:
            raise
        except OSError as error:
            self._trouble(f"What waits to be merged cannot be saved on this machine: {error}")
        except failure_types() as error:
            self._session.learn(error)
            self._trouble(clean(sentence(error)))

    def _trouble(self, said: str) -> None:
        if said != self.trouble:
            self.trouble = said
            self._touched()

    async def _look_at(self, api: Api, kept: MergeRun) -> MergeRun:
        now = self._session.clock().timestamp()
        run = kept.go_on().advance(now)
        while run.state == "running" and (item := run.current) is not None:
            if item.state != "checking":
                await self._save(run)  # before it is sent
            change = await self._steps.take(api, item)
            run = change(run).advance(now)
        if run != kept:
            await self._save(run)
        self._report(run)
        return run

    def _report(self, run: MergeRun) -> None:
        item = run.items[0]
        if run.state == "finished":
            said = item.said or "Its rules hold."
            tone = "warn" if UNREAD in item.said else "good"
            self._session.report(f"{item.name} is merged. {said}", tone)
        elif run.state == "stopped":
            self._session.report(f"{item.label} is not merged: {item.said} M shows it.", "bad")

    def note(self) -> str:
        """Return how many wait and how many were stopped, in words; "" for none."""
        waiting = len(self.waiting)
        merge = "merges when ready" if waiting == 1 else "merge when ready"
        others = sum(map(self.is_others, self.runs))
        stopped = len(self.runs) - waiting - others
        parts = [(waiting, merge), (stopped, "not merged"), (others, "of another account")]
        return listed(f"{count} {said}" for count, said in parts if count)


def reversal_of(id: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> Reversal:
    """Return the reversal of letting a request wait (``before`` is None), or wait no more."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    def step(run: dict[str, Any] | None) -> Step:
        return Step("local.wait_to_merge", {"merge": id, "run": run})

    def expect(run: dict[str, Any] | None) -> Expectation:
        said = "it waits again" if run is None else "it waits no more: it was merged or taken out"
        return Expectation(
            Step("local.waits_to_merge", {"merge": id}), {"waits": run is not None}, said=said
        )

    note = "Waits no more." if before is None else "Waits for its rules again."
    return Reversal((step(before),), (step(after),), expect(after), expect(before), note=note)


def when_ready(rules: int) -> str:
    """Say what waiting means, before and after it was asked for."""
    hold = "rule holds" if rules == 1 else f"{rules} rules hold"
    return f"merges when its {hold}; an edit, comment, other review or conflict stops it"
