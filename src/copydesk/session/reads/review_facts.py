"""Reading what the tabs of a review tell beyond its pages: when each side moved, and to what."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.contract import operations as ops
from copydesk.domain.page_tree import flatten
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import Revision
    from copydesk.session.reads.review import Opened

USES = ("get_space_revision", "get_change_request_revision")
"""The operations that `read_sides` uses."""


@dataclass(frozen=True, slots=True)
class Side:
    """The newest revision of primary content, or of a change request.

    ``kind`` says how it came to be, ``message`` what its commit says, ``written`` the titles of its
    pages that were written since the change request was started.
    """

    revision: str
    at: datetime | None
    kind: str = ""
    message: str = ""
    written: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Sides:
    """Where both sides stand; ``main`` is None where the request has all of primary content."""

    request: Side
    main: Side | None = None


async def read_sides(api: Api, opened: Opened) -> Sides:
    """Read the newest revision of a request, and what it is behind. Raises ``ApiError``."""
    space, request = opened.space.id, opened.request
    newest = api(ops.get_change_request_revision, space, request.id, metadata=False, computed=False)
    if not request.outdated:
        return Sides(_side(await newest))
    mine, main = await asyncio.gather(newest, api(ops.get_space_revision, space, computed=False))
    return Sides(_side(mine), _side(main, since=request.created_at))


def _side(revision: Revision, since: datetime | None = None) -> Side:
    written = [
        clean(node.title) or "Untitled"
        for node in flatten(revision.pages)
        if since is not None and node.version[1] and _after(node.version[1], since)
    ]
    message = clean(revision.git.message or "") if revision.git else ""
    return Side(
        clean(revision.id), revision.created_at, clean(revision.type), message, tuple(written)
    )


def _after(written: str, since: datetime) -> bool:
    try:
        return datetime.fromisoformat(written) > since
    except (TypeError, ValueError):  # no time, or one without a zone
        return False
