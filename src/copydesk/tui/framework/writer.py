"""How a place writes: in the background of the reader, logged, and never lost by leaving it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Expectation, Reversal, Trace
    from copydesk.tui.framework.place import Place

T = TypeVar("T")


class Writer:
    """The writes of a place."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def perform(
        self,
        what: str,
        target: str,
        send: Callable[[Api], Awaitable[T]],
        *,
        reversal: Reversal | Callable[[T], Reversal | None] | None = None,
        recall: bool = False,
        group: str = "",
        trace: Trace | None = None,
        done: str = "",
        look: Callable[[Api], Awaitable[T | None]] | None = None,
        then: Callable[[T], None] | None = None,
        draft: str = "",
        expects: Expectation | None = None,
        now: bool = False,
        several: bool = False,
        aged: bool = False,
    ) -> T:
        """Write something: logged under ``@``, never lost by leaving the place.

        ``reversal`` takes it back when the user presses ``u``, also in a later run. Says ``done``
        (or that it is) then. The others are those of `Writes.perform`; where a write from the same
        draft may have arrived, the user is asked first. Raises `WriteError` when it is not known to
        have happened; an action may let that pass: it is told.
        """
        from textual.worker import NoActiveWorker, get_current_worker

        self._place.desk.keyboard.ahead.sends()
        await self._ask_again(draft)
        try:
            owner: object = get_current_worker()
        except NoActiveWorker:
            owner = None
        api = await self._place.session.ready()
        tried = False

        def arrived(result: T) -> None:
            if then is not None:
                then(result)
            if tried and self._place.is_attached:
                self._place.arrived_later()

        sending = self._place.session.writes.perform(
            what,
            target,
            lambda: send(api),
            reversal=reversal,
            recall=recall,
            group=group,
            trace=trace,
            owner=owner,
            look=None if look is None else (lambda: look(api)),
            then=arrived,
            draft=draft,
            expects=expects,
            now=now,
            several=several,
            aged=aged,
        )
        try:
            result = await sending
        finally:
            tried = True
        self._place.tell(done or f"Done: {what.lower()} {target}", "good")
        return result

    async def _ask_again(self, draft: str) -> None:
        """Ask first where this text may have arrived already. Raises `WriteError` on a no."""
        from copydesk.session.writes.log import WriteError

        before = self._place.session.writes.unknown_of(draft)
        if before is not None and not await self._place.desk.confirm_again(before):
            raise WriteError("Not sent: what you wrote is kept (:drafts).")
