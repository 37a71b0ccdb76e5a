"""Merging and updating where both sides may have changed the same things.

A service answers such a request with success and a list of conflicts; to the reader it failed, so
here it is an error, and is logged as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.contract import operations as ops
from copydesk.domain.text import plural
from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, Conflict, MergeResult

UPDATE_USES = ("pull_change_request_updates", "get_change_request", "get_space")
"""The operations that `update` uses."""


class ConflictedError(NotDoneError):
    """Both sides changed the same things. ``request`` is the change request as it is now.

    ``moment`` is what it conflicts at: the change request, its revision, that of its space (None
    when that was not read). As long as neither moves, another try comes to the same.
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
    """Read a change request after a write to it. When that fails the write is there all the same,
    which the ``ApiError`` then says.
    """
    from copydesk.client.errors import ApiError

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
    """Read whether a merge without an answer happened: None if not, else what `merge` returns, with
    no result. Raises ``ApiError``.
    """
    now = await api(ops.get_change_request, space, request)
    return (None, now) if now.status == "merged" else None


async def update(api: Api, space: str, request: str) -> ChangeRequest:
    """Pull primary content into a change request. Raises `ConflictedError` and ``ApiError``."""
    # Read before: if primary content moves meanwhile, the conflict is not held against what it
    # has become.
    main = await api(ops.get_space, space)
    result = await api(ops.pull_change_request_updates, space, request)
    now = await _read_after(api, space, request)
    if result.result == "conflicts":
        found = result.conflicts or ()
        what = "not updated" if now.outdated else "updated, but not clean"
        moment = (now.id, now.revision, main.revision)
        raise ConflictedError(f"{what}: {how_many(found)}", found, now, moment)
    return now
