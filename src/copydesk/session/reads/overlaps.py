"""Reading which other open change requests touch the same pages as one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.client.errors import ExtensionMissing, Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.domain.page_tree import compare_trees, flatten
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, Changes


AT_ONCE = 4
"""Requests under way at the same time."""

MOST = 40
"""So many other change requests are looked at, the ones that changed last first."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Another open change request, and the titles of what both touch."""

    number: int
    subject: str
    titles: Sequence[str]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """All that touch the same, of ``looked`` that were looked at; ``more`` were not."""

    found: Sequence[Overlap]
    looked: int
    more: int


def touched_by(changes: Changes) -> dict[str, str]:
    """Return the pages and files that the service names, by id, with what they are called."""
    touched: dict[str, str] = {}
    for change in changes.changes:
        if change.page is not None:
            touched[change.page.id] = clean(change.page.title) or "Untitled"
        elif change.file is not None:
            touched[change.file.id] = clean(change.file.path or change.file.name)
    return touched


async def read_overlaps(api: Api, space: str, request: str, changes: Changes | None) -> Overlaps:
    """Read who else touches the same as a request. Raises ``ApiError``.

    ``changes`` is what the service says that it does; None where it does not say (E6). Drafts are
    left out: they are not about to be merged.
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
    """Return what a request touches, by id; nothing of one that is gone by now."""
    try:
        return touched_by(await api(ops.get_change_request_changes, space, request, limit=1000))
    except ExtensionMissing:
        pass  # the trees say it, with what others did to the same pages since
    except (Forbidden, NotFound):
        return {}
    try:
        before, after = await asyncio.gather(
            api(ops.list_space_pages, space), api(ops.list_change_request_pages, space, request)
        )
    except (Forbidden, NotFound):
        return {}
    changes = compare_trees(flatten(before.pages), flatten(after.pages))
    return {change.id: clean(change.page.title) or "Untitled" for change in changes}
