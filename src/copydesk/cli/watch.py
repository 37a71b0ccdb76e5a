"""``copydesk watch``: merges what waits for its rules, while no copydesk is open that does so."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import CONFLICT, DIFFERS, DONE, FAILED, INTERRUPTED, say
from copydesk.cli.interrupts import stopping
from copydesk.cli.output import plain_json, put
from copydesk.cli.writes import CommandWrites
from copydesk.domain.merge_run import MergeRun
from copydesk.session.errors import NotDoneError
from copydesk.session.reachability import WAITING_SECONDS
from copydesk.session.runs.waiting import WaitingMerges


def watch_merges(*, once: bool = False, as_json: bool = False, service: Service = OWN) -> int:
    """Look each minute at what waits for its rules, until nothing does; ``once``: one time.

    Returns 4 where one was stopped, 7 where some still wait after one look, 1 where it could not be
    looked at once, and 130 after ctrl+c.
    """
    connection = service.connection(writes=True)

    async def run() -> int:
        async with await connection.connect() as api, CommandWrites(connection, api) as writes:
            watching = Watching(writes.session.waiting_merges, as_json=as_json)
            with stopping(watching.stop.set):
                return await watching.go(once=once)

    return asyncio.run(run())


class Watching:
    """One run of the command: what it has printed, and whether it was asked to stop."""

    def __init__(self, merges: WaitingMerges, *, as_json: bool) -> None:
        self._merges, self._json = merges, as_json
        self._told: dict[str, MergeRun] = {}
        self._said = ""
        self.stop = asyncio.Event()

    async def go(self, *, once: bool) -> int:
        """Look until nothing waits, or once, and return the exit status."""
        while True:
            trouble = await self._look()
            stopped = any(run.state == "stopped" for run in self._told.values())
            if not trouble and not self._merges.waiting:
                if not self._told:
                    say("No change request waits for its rules: M in a merge dialog lets one wait.")
                return CONFLICT if stopped else DONE
            if once:
                return FAILED if trouble else CONFLICT if stopped else DIFFERS
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), WAITING_SECONDS)
            if self.stop.is_set():
                return INTERRUPTED

    async def _look(self) -> str:
        """Look once; return what kept it from looking."""
        try:
            await self._merges.look(self._tell)
            trouble = self._merges.trouble
        except NotDoneError as error:
            trouble = str(error)
        try:
            await self._tell_others()
        except OSError as error:
            trouble = trouble or f"What is saved on this machine cannot be read: {error}"
        if trouble and trouble != self._said:
            say(trouble)
        self._said = trouble
        return trouble

    async def _tell_others(self) -> None:
        """Print what became of a request by the work of another program."""
        former = {run.id: run for run in await self._merges.former()}
        for known in list(self._told):
            run = self._merges.run(known) or former.get(known)
            if run is None:  # it was taken out
                del self._told[known]
            else:
                self._tell(run)

    def _tell(self, run: MergeRun) -> None:
        """Print how a request stands, unless that was printed already."""
        before = self._told.get(run.id)
        self._told[run.id] = run
        if before is not None and (before.state, before.items) == (run.state, run.items):
            return
        item = run.items[0]
        state = {"finished": "merged", "stopped": "stopped"}.get(run.state, "waits")
        if self._json:
            told = {
                "space": item.space,
                "request": item.request,
                "number": item.label,
                "state": state,
                "why": item.said,
                "revision": item.merged or item.revision,
            }
            put(plain_json(told), now=True, unread=True)
        else:
            said = f": {item.said}" if item.said else "."
            put(f"{item.name}: {state}{said}", now=True, unread=True)
