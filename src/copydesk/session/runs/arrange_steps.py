"""The requests of a run that rearranges something, one after the other: forth, back, after a cut.

The run is on the disk before each request and after it. What had become of one that was under way
is read, not guessed. Who may go through a run, and when, is up to `copydesk.session.runs.arrange`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING

from copydesk.domain.arrange_run import UNDER_WAY, ArrangeRun, RunCall
from copydesk.domain.text import clean
from copydesk.session.errors import NotDoneError, failure_types, sentence, write_sentence
from copydesk.session.writes.log import ChangedSinceError, UnansweredError, WriteError, Written

if TYPE_CHECKING:
    from copydesk.domain.call import Call
    from copydesk.domain.reversal import Reversal
    from copydesk.session.runs.interrupted_requests import Made
    from copydesk.session.session import Session

Changed = Callable[[ArrangeRun], None]
"""Is told of every step of a run."""

UNTOLD = "No answer came, and reading does not tell whether it arrived. Look; r sends it again."
GONE = (
    "Gone. What this is about was removed by someone, or moved. "
    "k keeps the rest staged, without it."
)
LOST_WAY = "Its way back is not known on this machine any more."
OTHERS_DID = "Somebody else had taken it back."


def untold(run: ArrangeRun) -> None:
    """Tell nobody."""


def unkept(error: OSError) -> str:
    """Say that nothing more is sent, as it cannot be kept on this machine how far it is."""
    return (
        "It cannot be kept on this machine how far it is, so nothing more is sent: "
        f"{clean(error.strerror or str(error))}."
    )


class RunSteps:
    """Sends the requests of a run or takes them back, and stores its progress."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.arrangements
        self._stopping: set[str] = set()
        self._changed: dict[str, Changed] = {}
        self._kept: dict[str, int] = {}
        """As which version each run was kept last from here."""
        self._refused: dict[str, list[Written]] = {}
        """The lines of the log of what had failed of a run when it went on."""

    async def _load(self, run_id: str) -> ArrangeRun | None:
        run = await asyncio.to_thread(self._store.load, run_id)
        if run is not None:
            self._kept[run_id] = run.version
        return run

    async def _keep(self, run: ArrangeRun) -> ArrangeRun:
        """Put a run on the disk as it is, and tell. Raises ``OSError``."""
        run = replace(run, version=self._kept.get(run.id, 0) + 1)
        await asyncio.to_thread(self._store.save, run)
        self._kept[run.id] = run.version
        self._tell(run)
        return run

    def _tell(self, run: ArrangeRun) -> None:
        self._changed.get(run.id, untold)(run)

    # Forth

    async def _forth(self, run: ArrangeRun) -> ArrangeRun:
        asked = {each.call.key for each in run.calls if each.state == "unknown"}
        run = await self._settled(run)
        open_still = {each.call.key for each in run.calls if each.state in ("unknown", *UNDER_WAY)}
        if run.said or open_still - asked:
            return run if run.state == "stopped" else run.stop(run.said)
        # The writes of it are found again by what they are about, also those without a way back.
        group = f"{run.target} {token_hex(6)}"
        run = run.go(group, self._session.clock().timestamp())
        lines = [line for line in self._session.log if line.group == run.group]
        self._refused[run.id] = [line for line in lines if line.state in ("failed", "unknown")]
        while (item := run.following) is not None:
            if run.id in self._stopping:
                return run.stop()
            try:
                run = await self._send(run, item)
            except OSError as error:
                return run.stop(unkept(error))
            if run.state != "running":
                return run
        return run.finish()

    async def _send(self, run: ArrangeRun, item: RunCall) -> ArrangeRun:
        """Send one request and return what came of it. Raises ``OSError`` when it is not kept."""
        from copydesk.session.runs.interrupted_requests import (
            ids_before,
            made_by,
            stands,
            step_taken,
        )

        session, call = self._session, run.bound(item)
        key = call.key
        try:
            api = await session.ready()
            known = await ids_before(session, api, call)
        except failure_types() as error:
            session.learn(error, quiet=False)
            return run.failed(key, clean(sentence(error, "r")))
        run = await self._keep(run.sending(key, known))
        began = session.clock()

        async def look() -> Made | None:
            stood, made = await stands(session, api, call, known)
            if stood is None:
                raise UnansweredError(UNTOLD)
            return made if stood else None

        readable = known is not None or (call.reversal or call.arrived) is not None
        try:
            result = await session.perform(
                call.what,
                call.target,
                lambda: step_taken(session, api, call),
                reversal=self._way_back(run, item),
                group=run.group,
                now=True,  # the run keeps itself, and goes on by itself
                look=look if readable else None,
            )
        except WriteError as error:
            line = self._line(run)
            entry = line.entry.id if line is not None and line.entry is not None else ""
            return run.failed(key, clean(_why(call, error)), unknown=error.unknown, entry=entry)
        line = self._line(run)
        entry = line.entry.id if line is not None and line.entry is not None else ""
        self._replaced(run, line)
        took = max(0.0, (session.clock() - began).total_seconds())
        said = "" if line is None else line.said
        made = made_by(item.call, result)
        return run.arrived(key, entry=entry, made=made, seconds=took, said=said)

    def _way_back(
        self, run: ArrangeRun, item: RunCall
    ) -> Reversal | Callable[[object], Reversal | None] | None:
        """Return how a request is taken back; what it makes is only named by its answer."""
        call = item.call
        if not call.makes:
            return run.bound(item).reversal

        def named(result: object) -> Reversal | None:
            from copydesk.domain.call import bind
            from copydesk.session.runs.interrupted_requests import made_by

            made = made_by(call, result)
            return bind(call, {**run.made, **made}).reversal if call.makes in made else None

        return named

    def _line(self, run: ArrangeRun) -> Written | None:
        """Return the line of the log of the request that was sent last."""
        lines = (each for each in reversed(self._session.log) if each.group == run.group)
        return next((each for each in lines if not each.kind), None)

    def _replaced(self, run: ArrangeRun, line: Written | None) -> None:
        """Keep a request that has arrived from being retried from the log."""
        for other in self._refused.get(run.id, ()):
            if line is None or other is line:
                continue
            same = (other.what, other.target) == (line.what, line.target)
            if same and other.state in ("failed", "unknown"):
                other.state, other.said = "replaced", "It was sent again later, and arrived."

    # Back

    async def _back(self, run: ArrangeRun) -> ArrangeRun:
        run = await self._settled(run)
        if run.said or run.current is not None:
            return run if run.state == "stopped" else run.stop(run.said)
        await self._learn(run)
        run = run.turn_back()
        for item in run.returning():
            if run.id in self._stopping:
                return run.stop()
            try:
                run = await self._take_back(run, item)
            except OSError as error:
                return run.not_taken(item.call.key, "").stop(unkept(error))
            if run.state != "rolling-back":
                return run
        return run.stop() if run.returning() or run.count("unknown") else run.finish()

    async def _take_back(self, run: ArrangeRun, item: RunCall) -> ArrangeRun:
        key = item.call.key
        past = self._session.history.known.get(item.entry)
        if past is None:
            return run.not_taken(key, LOST_WAY)
        if past.standing in ("undone", "gone"):
            return run.taken(key)
        if said := run.passed_over_with(item):
            return run.not_taken(key, said)
        run = await self._keep(run.taking(key))
        try:
            await self._session.take_back([past])
        except ChangedSinceError as error:
            return run.not_taken(key, clean(str(error)))
        except WriteError as error:
            if past.standing == "gone":
                return run.taken(key, clean(str(error)))
            run = run.not_taken(key, clean(_why(item.call, error)))
            # What the service refuses does not keep the others from going back.
            return run if _refused(error) else run.stop()
        return run.taken(key, OTHERS_DID if past.by_others else "")

    async def _learn(self, run: ArrangeRun) -> None:
        """Take in what the journal knows of the writes of a run of an earlier process."""
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

        Where that cannot be read, its ``said`` tells why. Raises ``OSError`` when the disk refuses.
        """
        from copydesk.session.runs.interrupted_requests import settle
        from copydesk.session.writes.undo import StepError

        run = replace(run, said="")
        if not any(each.state in ("unknown", *UNDER_WAY) for each in run.calls):
            return run
        try:
            settled = await settle(self._session, await self._session.ready(), run)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            return run.stop(clean(sentence(error, "r")))
        except StepError as error:  # another version of the program planned it
            return run.stop(f"This copydesk cannot read what became of it: {error}.")
        return settled if settled == run else await self._keep(settled)


def _why(call: Call, error: WriteError) -> str:
    """Return the words of the service on a request that did not go well."""
    cause = error.__cause__
    if cause is None or isinstance(cause, NotDoneError):
        return str(error).replace(" @, then r sends it again.", " r sends it again.")
    from copydesk.client.errors import ExtensionMissing, NotFound

    if isinstance(cause, NotFound) and not isinstance(cause, ExtensionMissing):
        return GONE
    return write_sentence(cause, what=call.what, again="r")


def _refused(error: WriteError) -> bool:
    """Whether the service has answered, and refused just that; it is asked as before then."""
    from copydesk.client.errors import Blocked, Conflict, Forbidden, Invalid

    cause = error.__cause__
    refusals = Invalid | Forbidden | Conflict | Blocked | NotDoneError
    return not error.unknown and isinstance(cause, refusals)
