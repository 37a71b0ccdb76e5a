"""The steps of a merge run: a request is read, updated from main, or merged.

A step changes no run: it returns the change, for the run may be paused or reordered meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from copydesk.domain.merge_run import UNREAD, MergeRun, RunItem
from copydesk.domain.text import clean
from copydesk.session.errors import failure_types
from copydesk.session.writes.log import WriteError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import Conflict
    from copydesk.domain.merge_run import Reason
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
        self._read: dict[str, tuple[float, int]] = {}
        """When each had last changed as it was read, and its open threads then, by key."""

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
        from copydesk.session.settling import CUT_OFF, is_cut_off

        try:
            if await is_cut_off(self._session, item.space, item.request):
                return self._failed("conflict", CUT_OFF)
            found = await read_found(api, item)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            return self._failed(*why_not_read(error))
        self._session.fresh()
        self._read[item.key] = found.updated, found.open_threads
        return lambda run: run.judge(found, self._now())

    async def _update(self, api: Api, item: RunItem) -> Change:
        from copydesk.session.reads import conflicts

        return await self._write(
            "Update",
            item,
            lambda: conflicts.update(api, item.space, item.request),
            lambda now: lambda run: run.updated(now.revision),
        )

    async def _merge(self, api: Api, item: RunItem) -> Change:
        from copydesk.contract import operations as ops
        from copydesk.session.reads import conflicts
        from copydesk.session.reads.merge_run import why_not_read

        # Reading what it depends on took several requests, and a merge names no revision: so that
        # nothing but this one answer lies between, anything new is looked at from the start.
        try:
            now = await api(ops.get_change_request, item.space, item.request)
        except failure_types() as error:
            self._session.learn(error, quiet=False)
            failed = self._failed(*why_not_read(error))
            return lambda run: failed(run.not_sent())
        seen = now.updated_at.timestamp(), now.comments
        if now.revision != item.revision or seen != self._read.get(item.key, seen):
            return MergeRun.not_sent
        return await self._write(
            "Merge",
            item,
            lambda: conflicts.merge(api, item.space, item.request),
            partial(self._merged, item),
            look=lambda: conflicts.merged(api, item.space, item.request),
        )

    def _merged(self, item: RunItem, answer: Any) -> Change:
        from copydesk.session.reads.merge_run import conflicting

        result, now = answer
        revision = clean((result and result.revision) or now.revision_merged or "")
        if result is not None and result.result == "conflicts":
            self.clashes[item.key] = result.conflicts or ()
            clash = "Merged all the same, and it is live: both sides changed "
            clash += f"{conflicting(result.conflicts or ())}. It needs hands."
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
            from copydesk.session.reads.conflicts import ConflictedError
            from copydesk.session.reads.merge_run import why_not_written

            cause = error.__cause__
            if isinstance(cause, ConflictedError):
                self.clashes[item.key] = cause.conflicts
                self._session.hold_stuck(cause.moment)
            return self._failed(*why_not_written(what, cause or error))
        return then(answer)
