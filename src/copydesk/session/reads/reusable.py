"""Reads of reusable contents: those of a space or a change request, and the pages that use them."""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import flatten
from copydesk.domain.text import clean, shown_title

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage, ReusableContent

MOST = 500
"""Pages that are looked through for what they use: each takes a request."""

AT_ONCE = 4
"""Requests under way at the same time."""

_INCLUDE = re.compile(r"\{%\s*include\s+\"([^\"\n]{1,500})\"")
_FOLDER = ".gitbook/includes/"

Progress = Callable[[int, int], None]
"""Takes the number of finished reads, and of all of them."""


@dataclass(frozen=True, slots=True)
class Use:
    """A page that shows a reusable content; texts are clean."""

    id: str
    title: str
    path: str


@dataclass(frozen=True, slots=True)
class Uses:
    """The pages that use reusable contents, by id. ``unread`` could not be looked through."""

    pages: Mapping[str, Sequence[Use]]
    unread: int = 0


async def read_parts(api: Api, space: str, request: str | None) -> Sequence[ReusableContent]:
    """Return the reusable contents of a space, or of a change request. Raises ``ApiError``."""
    if request is None:
        revision = await api(ops.get_space_revision, space, computed=False)
    else:
        revision = await api(ops.get_change_request_revision, space, request, computed=False)
    return revision.reusable_contents


async def read_part(api: Api, space: str, request: str | None, key: str) -> ReusableContent:
    """Return one reusable content, with its text where the service tells it."""
    if request is None:
        return await api(ops.get_space_reusable_content, space, key)
    return await api(ops.get_change_request_reusable_content, space, request, key)


async def read_uses(
    api: Api,
    space: str,
    request: str | None,
    parts: Sequence[ReusableContent],
    progress: Progress,
) -> Uses:
    """Look through the texts of pages for what they include. Raises ``ApiError``.

    No service lists it. A page is read by itself, so that only the first ``MOST`` are.
    """
    if request is None:
        tree = await api(ops.list_space_pages, space, computed=False)
    else:
        tree = await api(ops.list_change_request_pages, space, request, computed=False)
    pages = [page for page in flatten(tree.pages) if page.type == "document"]
    unread, ended = max(0, len(pages) - MOST), 0
    turn = asyncio.Semaphore(AT_ONCE)
    found: dict[str, list[Use]] = {}

    async def look(page_id: str) -> ContentPage | None:
        nonlocal ended
        async with turn:
            try:
                if request is None:
                    read = await api(ops.get_space_page, space, page_id, format="markdown")
                else:
                    of = space, request, page_id
                    read = await api(ops.get_change_request_page, *of, format="markdown")
            except (NotFound, Forbidden):
                read = None
        ended += 1
        progress(ended, min(len(pages), MOST))
        return read

    chosen = pages[:MOST]
    for node, page in zip(
        chosen, await asyncio.gather(*(look(node.id) for node in chosen)), strict=True
    ):
        if page is None:
            unread += 1
            continue
        use = Use(node.id, shown_title(node.title), clean(node.path))
        for part in parts:
            if _shows(page, part):
                found.setdefault(part.id, []).append(use)
    return Uses(found, unread)


def _shows(page: ContentPage, part: ReusableContent) -> bool:
    folder = posixpath.dirname((page.git and page.git.path) or "")
    path = (part.git and part.git.path) or ""
    name = path.rpartition(_FOLDER)[2]
    for target in _INCLUDE.findall(page.markdown or ""):
        if path and posixpath.normpath(posixpath.join(folder, target)) == path:
            return True
        if name and _FOLDER in target and target.rpartition(_FOLDER)[2] == name:
            return True
        if part.id in target.split("/"):
            return True
    return False
