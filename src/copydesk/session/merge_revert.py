"""Reverting a merge: a change request that makes its pages what they were before.

It is settled as other requests are: what the merge made is where it begins, what was before the
merge is its side, and what main has by now is the other.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import moment
from copydesk.domain.plain_documents import document_of
from copydesk.domain.settlement import Settling
from copydesk.domain.sure import sure
from copydesk.domain.text import few, plural
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops
from copydesk.session.page_edits import empty_requests
from copydesk.session.settlement import Settlement
from copydesk.session.writes.requests import subject_made

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest, ChangeRequestCreate
    from copydesk.contract.models.user import User
    from copydesk.session.session import Session

USES = (
    "get_change_request", "get_space", "get_revision", "get_revision_page",
    "list_space_change_requests",
)  # fmt: skip
"""The operations that read before a merge is taken back."""

SENDS = (
    "create_change_request", "update_change_request_content", "get_change_request_revision",
    "get_change_request_page",
)  # fmt: skip
"""What reverting a merge sends."""

NAMED = 3
"""How many files that stay are named."""


@dataclass(frozen=True, slots=True)
class MergeRevert:
    """A merge that is to be taken back, and what that changes.

    ``begun`` is the change request that takes it back, where an earlier one was cut off before it
    had any pages; ``other`` is another one that does so, which is not merged.
    """

    merged: ChangeRequest
    work: Settlement
    begun: ChangeRequest | None = None
    other: ChangeRequest | None = None

    @property
    def subject(self) -> str:
        """The subject of the change request that takes it back."""
        return subject_made(f"Revert #{self.merged.number} {self.merged.subject}")

    @property
    def stays(self) -> str:
        """What the merge added and nothing takes out, as a sentence; "" for nothing."""
        return _staying(self.work)

    def lines(self) -> list[str]:
        """Return what happens, in sentences."""
        pages = self.work.pages
        gone = sum(page.sides.request is None for page in pages)
        back = sum(page.sides.before is None for page in pages)
        counts = [
            (len(pages) - gone - back, "edited back"), (gone, "deleted"), (back, "put back"),
        ]  # fmt: skip
        said = ", ".join(f"{count} {what}" for count, what in counts if count)
        lines = [f"{plural(len(pages), 'page')}: {said}."]
        if self.stays:
            lines.append(self.stays)
        open_pages = dict.fromkeys(page.title for page, _ in self.work.open)
        lines += [f"{title} was edited since: you settle it next." for title in open_pages]
        if self.begun is not None:
            lines.append(f"#{self.begun.number} was begun for it and has no pages yet: it goes on.")
        elif self.other is not None:
            lines.append(f"#{self.other.number} reverts it already: this begins another one.")
        return lines

    def body(self, why: str, now: datetime) -> ChangeRequestCreate:
        """Return the change request that takes it back, with the reason."""
        from copydesk.contract.models.change_request import ChangeRequestCreate

        at = f", merged {moment(self.merged.merged_at, now)}" if self.merged.merged_at else ""
        said = f"Reverts #{self.merged.number}{at}. Why: {why}"
        if self.stays:
            said = f"{said}\n\n{self.stays}"
        return ChangeRequestCreate(subject=self.subject, description=document_of(said))


def _staying(work: Settlement) -> str:
    """Return which files stay, as a sentence: no write of content takes a file out."""
    names = work.staying
    if not names:
        return ""
    stay = "stays" if len(names) == 1 else "stay"
    return f"{plural(len(names), 'file')} {stay}: {few(names, NAMED)}."


async def read_merge_revert(
    session: Session, space: str, request: str, me: User | None
) -> MergeRevert:
    """Read what reverting a merge changes. Raises ``ApiError``, and `NotDoneError`."""
    api = await session.ready()
    merged = await api(ops.get_change_request, space, request)
    label = f"#{merged.number}"
    if merged.status != "merged":
        raise NotDoneError(f"{label} is not merged")
    no_revisions = NotDoneError("This service shows no revisions: undo it in the app.")
    if not merged.revision_merged:
        raise no_revisions
    try:
        made = await api(
            ops.get_revision, space, merged.revision_merged, metadata=False, computed=False
        )
    except (OperationMissing, NotFound, Forbidden):
        raise no_revisions from None
    if not made.parents:
        raise no_revisions
    main = (await api(ops.get_space, space)).revision
    work = Settlement(session, space, merged.id)
    parent = made.parents[0]
    await work.look(Settling("", 0, space, merged.id, made.id, main, parent, how="write"))
    if work.refused:
        raise NotDoneError(work.refused.removesuffix("."))
    if work.idle:
        but = f", but {stays.removesuffix('.')}" if (stays := _staying(work)) else ""
        raise NotDoneError(f"main is already as before {label}{but}")
    found = MergeRevert(merged, work)
    empty = await empty_requests(api, space, me)
    begun = next((each for each in empty if each.subject == found.subject), None)
    if begun is not None:
        return replace(found, begun=begun)
    statuses: tuple[Literal["draft", "open"], ...] = ("draft", "open")
    for status in statuses:
        page = await api(ops.list_space_change_requests, space, limit=100, status=status)
        for each in page.items:
            if each.subject == found.subject:
                return replace(found, other=each)
    return found


async def waits_to_be_settled(session: Session, request: ChangeRequest) -> bool:
    """Whether a request was begun here to take back a merge, and has no pages until it is settled.

    Raises ``OSError``.
    """
    if request.revision != request.revision_initial:
        return False
    kept = await asyncio.to_thread(session.settlings.load, f"{request.space} {request.id}")
    return kept is not None and kept.how == "write" and kept.state == "open"


async def begin_merge_revert(
    session: Session, taking: MergeRevert, made: ChangeRequest
) -> Settlement:
    """Return the conflicts of the change request that takes a merge back.

    What was begun with it is on the disk then. Raises ``ApiError``, ``OSError``.
    """
    kept = sure(taking.work.kept)
    work = Settlement(session, kept.space, made.id)
    name = f"{kept.space} {made.id}"
    known = await asyncio.to_thread(session.settlings.load, name)
    if known is not None and (known.base, known.head) == (kept.base, kept.head):
        await work.read()
        return work
    begun = Settling(
        name, session.clock().timestamp(), kept.space, made.id,
        kept.base, made.revision_initial or made.revision, kept.head, how="write",
    )  # fmt: skip
    await asyncio.to_thread(session.settlings.save, begun)
    await work.read()
    return work
