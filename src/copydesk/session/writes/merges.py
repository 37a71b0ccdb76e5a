"""Merges and updates with conflicts, and overlapping requests.

A service answers a conflicting request with success and a list of conflicts; for the reader it
failed, so here it is an error, and is logged as one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from copydesk.client.errors import ApiError, Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import compare_trees, flatten
from copydesk.domain.text import clean, plural, shown_title
from copydesk.session.errors import NotDoneError
from copydesk.session.page_changes import touched_by

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import (
        ChangeRequest,
        Changes,
        Conflict,
        MergeResult,
    )


FileSide: TypeAlias = Literal["change", "primary"]
"""Whether a file is that of the change request or that of main."""

UPDATE_USES = ("pull_change_request_updates", "get_change_request", "get_space")
"""The operations that `update` uses."""


class ConflictedError(NotDoneError):
    """Both sides changed the same things. ``request`` is the change request as it is now.

    ``moment`` are the revisions of the conflict: the change request, its revision, its space's
    revision (None when unread). While neither changes, another try conflicts again.
    """

    def __init__(
        self,
        said: str,
        conflicts: Sequence[Conflict],
        request: ChangeRequest,
        moment: tuple[str, str, str] | None = None,
    ) -> None:
        super().__init__(said)
        self.conflicts = conflicts
        self.request = request
        self.moment = moment


def how_many(conflicts: Sequence[Conflict]) -> str:
    """Return "1 page conflicts"; some services do not say which."""
    pages = {each.page.id for each in conflicts if each.page is not None}
    files = {each.file.path or each.file.id for each in conflicts if each.file is not None}
    counts = [(len(pages), "page"), (len(files), "file")]
    said = " and ".join(plural(count, noun) for count, noun in counts if count)
    if not said:
        return "it conflicts with main"
    return f"{said} {'conflicts' if len(pages) + len(files) == 1 else 'conflict'}"


async def _read_after(api: Api, space: str, request: str) -> ChangeRequest:
    """Read a change request after a write to it. If that fails, the write has happened all the
    same, which the ``ApiError`` then says.
    """
    try:
        return await api(ops.get_change_request, space, request)
    except ApiError as error:
        error.sent = True
        raise


async def merge(
    api: Api, space: str, request: str, main: str | None = None
) -> tuple[MergeResult | None, ChangeRequest]:
    """Merge a change request. Raises `ConflictedError` when it is not merged, and ``ApiError``.

    ``main`` is the revision of the space that was read before, for the moment of a conflict.
    """
    result = await api(ops.merge_change_request, space, request)
    # The answer alone does not tell whether a conflicting merge happened.
    now = await _read_after(api, space, request)
    if now.status != "merged" and result.result != "merge":
        found = result.conflicts or ()
        moment = None if main is None else (now.id, now.revision, main)
        raise ConflictedError(f"not merged: {how_many(found)}", found, now, moment)
    return result, now


async def merged(
    api: Api, space: str, request: str
) -> tuple[MergeResult | None, ChangeRequest] | None:
    """Read whether a merge without an answer happened: None if not, else the return value of
    `merge` without a result. Raises ``ApiError``.
    """
    now = await api(ops.get_change_request, space, request)
    return (None, now) if now.status == "merged" else None


async def update(
    api: Api, space: str, request: str, files: Mapping[str, FileSide] | None = None
) -> ChangeRequest:
    """Pull primary content into a change request. Raises `ConflictedError` and ``ApiError``.

    ``files`` says by id which side's file is taken where both changed it.
    """
    # Read before: a later change of primary content is not part of the conflict.
    main = await api(ops.get_space, space)
    if files:
        from copydesk.contract.models.change_request import FilesTaken

        taken = FilesTaken(files=dict(files))
        result = await api(ops.pull_change_request_updates_with_files, space, request, taken)
    else:
        result = await api(ops.pull_change_request_updates, space, request)
    now = await _read_after(api, space, request)
    if result.result == "conflicts":
        found = result.conflicts or ()
        what = "not updated" if now.outdated else "updated, but not clean"
        moment = (now.id, now.revision, main.revision)
        raise ConflictedError(f"{what}: {how_many(found)}", found, now, moment)
    return now


async def not_updated(api: Api, space: str, request: str) -> None:
    """Make sure that an update that got no answer did not arrive. Raises ``ApiError``.

    Raises `NotDoneError` if it did: some services update in spite of conflicts, and only the answer
    said so.
    """
    if not (await api(ops.get_change_request, space, request)).outdated:
        raise NotDoneError("It is updated, and whether that is clean was in the answer.")


AT_ONCE = 4
"""Requests under way at the same time."""

MOST = 40
"""The number of other change requests that are compared, the last changed first."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Another open change request, and the titles of the pages that both touch."""

    number: int
    subject: str
    titles: Sequence[str]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The overlapping requests, among ``looked`` compared ones; ``more`` were not compared."""

    found: Sequence[Overlap]
    looked: int
    more: int


async def read_overlaps(api: Api, space: str, request: str, changes: Changes | None) -> Overlaps:
    """Read the overlapping requests of a request. Raises ``ApiError``.

    ``changes`` are its changes; None where the service does not list them (E6). Drafts are left
    out: they are not about to be merged.
    """
    touched = await _touched(api, space, request) if changes is None else touched_by(changes)
    page = await api(ops.list_space_change_requests, space, limit=1000, status="open")
    others = sorted(
        (each for each in page.items if each.id != request),
        key=lambda each: each.updated_at,
        reverse=True,
    )
    looked, turn = others[:MOST], asyncio.Semaphore(AT_ONCE)

    async def one(other: ChangeRequest) -> Overlap | None:
        async with turn:
            theirs = await _touched(api, space, other.id)
        same = [title for key, title in touched.items() if key in theirs]
        return Overlap(other.number, clean(other.subject), same) if same else None

    found = await asyncio.gather(*map(one, looked))
    more = len(others) - len(looked) + max(0, (page.count or 0) - len(page.items))
    return Overlaps([each for each in found if each is not None], len(looked), more)


async def _touched(api: Api, space: str, request: str) -> dict[str, str]:
    """Return the pages and files of a request, by id; none of a deleted request."""
    try:
        return touched_by(await api(ops.get_change_request_changes, space, request, limit=1000))
    except OperationMissing:
        pass  # the trees show it, with other changes of the same pages
    except (Forbidden, NotFound):
        return {}
    try:
        before, after = await asyncio.gather(
            api(ops.list_space_pages, space), api(ops.list_change_request_pages, space, request)
        )
    except (Forbidden, NotFound):
        return {}
    changes = compare_trees(flatten(before.pages), flatten(after.pages))
    return {change.id: shown_title(change.page.title) for change in changes}
