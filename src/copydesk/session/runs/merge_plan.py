"""The plan of a merge run: change requests, their order, and the forecast for each."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.domain.merge_forecast import Forecast, forecast
from copydesk.domain.merge_run import MergeRun, Reason, RunItem
from copydesk.domain.text import clean
from copydesk.session.errors import failure_types, sentence

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import Conflict
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.reads.merge_run import Standing
    from copydesk.session.session import Session

AT_ONCE = 4
"""Requests of a plan that are read at the same time."""


class MergePlanner:
    """What a merge run is before it begins, and the keeping of it at any time.

    ``tell`` says something to the reader wherever they are, with a tone. Methods that write wait
    for the disk; where it refuses, ``trouble`` says so and nothing is sent.
    """

    def __init__(self, session: Session, tell: Callable[[str, str], None]) -> None:
        self._session = session
        self._store = session.runs
        self._tell = tell
        self.run: MergeRun | None = None
        """The run that is planned, goes on or stands; else the last one of this program."""
        self.elsewhere = False
        """Whether another copydesk is going through that run."""
        self.standings: dict[str, Standing] = {}
        """How the requests of the plan were found, by key."""
        self.unread: dict[str, str] = {}
        """Why a request of the plan could not be read, by key."""
        self.clashes: dict[str, Sequence[Conflict]] = {}
        """The conflicts that were met in this program, by key."""
        self.trouble = ""
        self.changes = 0
        """Counts what changed of all this, for who shows it."""
        self._kept: MergeRun | None = None
        """The run as it is on the disk, as far as is known here."""
        self._foreseen: tuple[int, dict[str, Forecast]] = (-1, {})
        self._reading: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()

    @property
    def note(self) -> tuple[str, str]:
        """What the header says of the run, and its tone; empty when there is nothing to say."""
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
        """Put requests in the plan, in this order; return why that cannot be, or nothing.

        What is said and written on them from now on stops the run.
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
        """Read again how the requests stand that wait, each at its first time as it is queued."""
        for task in self._reading:
            task.cancel()
        if self.run is not None and self.run.state != "finished":
            self._read_these([item for item in self.run.items if item.state == "waiting"])

    def _read_these(self, items: Sequence[RunItem]) -> None:
        task = asyncio.create_task(self._read_all(items), name="read merge run")
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
        # What was only looked at is not kept: another copydesk may go through the run by now.
        if self.run != before:
            await self._keep()

    async def _read_one(self, api: Api, item: RunItem) -> None:
        from copydesk.session.reads.merge_run import read_standing

        try:
            standing = await read_standing(api, item)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
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
        """Move a request that waits up or down."""
        await self._change(lambda run: run.move(key, by))

    async def take_out(self, key: str) -> None:
        """Take a request that waits out of the run, or back in at its end."""
        await self._change(lambda run: run.take_out(key))
        item = None if self.run is None else self.run.item(key)
        if item is not None and item.state == "waiting" and not item.revision:
            self._read_these([item])

    async def stop_at(self, stops: Iterable[Reason]) -> None:
        """Say what the run is to stop at."""
        await self._change(lambda run: replace(run, stops=frozenset(stops)))

    async def forget(self) -> None:
        """Drop a plan that was not begun; its end needs no report."""
        run, self.run = self.run, None
        self._touched()
        if run is not None:
            await asyncio.to_thread(self._store.drop, run.id)

    async def _change(self, change: Callable[[MergeRun], MergeRun]) -> bool:
        """Change the run and keep it; False when the disk refused."""
        if self.run is None:
            return False
        self.run = change(self.run)
        self._touched()
        return await self._keep()

    # Keeping

    async def _keep(self) -> bool:
        """Put the run on the disk as it is. False, and the run pauses, when the disk refuses."""
        async with self._lock:
            run = self.run
            if run is None:
                return False
            try:
                await asyncio.to_thread(self._store.save, run)
                self._kept = run
            except OSError as error:
                self.trouble = f"The run cannot be kept on this machine, so it waits: {error}"
                self._tell(self.trouble, "bad")
                return False
        return True

    async def _ready(self) -> Api | None:
        try:
            return await self._session.ready()
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            self._tell(sentence(error), "bad")
            return None

    def _touched(self) -> None:
        self.changes += 1
        self._session.touched()

    def _now(self) -> float:
        return self._session.clock().timestamp()
