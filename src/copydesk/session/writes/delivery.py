"""Sending what waits: one request, noted before and after, once it is known that it should go."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from copydesk.domain.text import clean
from copydesk.session.errors import WAITS, NotDoneError, failure_types, is_unknown, sentence
from copydesk.session.writes.outbox_checks import AwayError, Checking, Verdict, passes, raise_away
from copydesk.session.writes.outbox_rules import (
    NOT_ARRIVED,
    NOT_YET,
    OTHERS_WRITE,
    THERE_ALREADY,
    UNKNOWN,
    UNREADABLE,
)

if TYPE_CHECKING:
    from copydesk.client.request import Outgoing
    from copydesk.local.journal import Entry
    from copydesk.session.writes.log import Written


class Sending(Checking):
    """Goes through what waits, one write after the other."""

    async def one(self, entry: Entry, hand: bool, *, anyway: bool, sure: bool) -> None:
        """Find out about one write, and send it if it should go.

        Raises `AwayError` when nobody is there.
        """
        name = clean(f"{entry.what} {entry.target}", limit=60)
        if self._is_typed_again(entry) or (entry.id in self._box.edited and not hand):
            return
        if self._waits_for_others(entry):
            self.tally.said = "It waits for a comment that it goes with: that one first."
            return
        if self._box.is_others(entry):
            self.tally.said = OTHERS_WRITE
            if entry.id not in self._box.told_of_others:
                self._box.told_of_others.add(entry.id)
                self.tally.held.append(name)
            return
        if entry.state == "unknown":
            found = await self._find_out(entry, name, hand=hand, sure=sure)
            if found is None:
                return
            entry = found
        if entry.held and not hand:
            return
        try:
            verdict = await self._recheck(entry, anyway=anyway)
        except failure_types() as error:
            raise_away(error)
            if passes(error):
                self.tally.said = sentence(error, "s")
                return
            verdict = Verdict(held="changed", why=f"Held: {sentence(error, 's')}")
        except (ValueError, TypeError):
            verdict = Verdict(held="changed", why=UNREADABLE)
        if verdict.arrived:
            await self._arrive(entry, verdict.result, name, said=THERE_ALREADY)
        elif verdict.held:
            await self._hold(entry, verdict.held, verdict.why, name)
        else:
            await self._send(entry, name)

    async def _send(self, entry: Entry, name: str) -> None:
        """Send one request, noted before and after. Raises `AwayError`, and ``OSError``."""
        session = self._session
        before = entry.since
        entry = await asyncio.to_thread(
            session.journal.settle,
            entry,
            "sending",
            run=session.journal.run,
            held="",
            sentence="",
            since=session.service_time() if before is None else before,
        )
        line = session.line_for(entry)
        self._box.show(entry, "sending", "")
        try:
            result = await self._resend(entry, line)
        except failure_types() as error:
            await self._failed(entry, error, name, before)
        except asyncio.CancelledError:
            # The program ends, or nearly: whether it arrived is to be found out.
            self._box.take(
                self._box.settle(entry, "unknown", sentence="It was stopped: it may be there.")
            )
            raise
        else:
            await self._arrive(entry, result, name, said="")

    async def _resend(self, entry: Entry, line: Written) -> Any:
        """Send the request that was noted, and return its result.

        What was not edited, and was written in this run, is sent by what sent it first: who waits
        for its result knows that alone. It must come to the same request.
        """
        assert entry.request is not None
        if line.send is None or line.request != entry.request:
            return await self._api.again(entry.request)
        from copydesk.client.write_hooks import noting

        async def same(outgoing: Outgoing) -> None:
            if outgoing.to_dict() != entry.request:
                raise NotDoneError("It would send something else by now. Drop it and do it anew.")

        with noting(same):
            return await line.send()

    async def _failed(
        self,
        entry: Entry,
        error: Exception,
        name: str,
        before: float | None,
    ) -> None:
        """Note how sending failed; ``before`` is since when it may have been there even so.

        Raises `AwayError` when there is nobody to go on with."""
        from copydesk.client.errors import (
            Conflict,
            RateLimited,
            ServerFault,
            Unauthorized,
            Unreachable,
        )

        operation = getattr(error, "operation", "")
        asked = (entry.request or {}).get("name")
        unknown = is_unknown(error) or (bool(operation) and operation != asked)
        request_id = str(getattr(error, "request_id", "") or "")
        away = isinstance(error, RateLimited | Unauthorized | Unreachable)
        if not unknown and away:
            entry = replace(entry, since=before)
            await self._box.queue(entry, f"{WAITS}: {sentence(error, 's')}")
            raise AwayError(error)
        happened: bool | None = None
        result: Any = None
        if unknown or isinstance(error, Conflict):
            if unknown:
                entry = await asyncio.to_thread(
                    self._box.settle, entry, "unknown", sentence=UNKNOWN, request_id=request_id
                )
                self._box.show(entry, "unknown", sentence(error, "s"))
            try:
                happened, result = await self._happened(entry)
            except failure_types() as other:
                raise_away(other)
        if happened:
            await self._arrive(entry, result, name)
            return
        if not unknown or (happened is False and isinstance(error, ServerFault)):
            said = f"Not sent: {sentence(error, 's')}"
            entry = entry if unknown else replace(entry, since=before)
            await self._hold(entry, "refused", said, name)
        elif happened is False and not self._box.may_come(entry):
            await self._box.queue(entry, NOT_ARRIVED)
        elif happened is False:
            entry = await asyncio.to_thread(self._box.settle, entry, "unknown", sentence=NOT_YET)
            self._box.show(entry, "unknown", NOT_YET)
        elif happened is None:
            self._box.untold.add(entry.id)
            self.tally.held.append(name)
        if away:
            raise AwayError(error)

    async def _hold(self, entry: Entry, held: str, why: str, name: str) -> None:
        """Note that a write does not go by itself, and why."""
        await self._box.queue(entry, why, held)
        self.tally.held.append(name)
