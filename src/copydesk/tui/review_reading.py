"""Reading what a review shows: the request, the two trees, texts, threads."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.client.errors import ExtensionMissing, NotFound
from copydesk.contract import operations as ops
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.text import exposed
from copydesk.tui.present.changed import Changed, changed_files, changed_pages, losses, page_notes
from copydesk.tui.present.diff import PageText, page_text
from copydesk.tui.present.page_settings import settings_notes

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, Changes
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.content import ContentPage, File
    from copydesk.contract.models.space import Space


MERGED = (
    "Merged. This is the page as this request left it. What it said before cannot be read any "
    "more, so no lines are marked."
)
"""Stands above a page of a merged request."""

MERGED_GONE = "Merged. The text that this page had cannot be read any more."

UNCHANGED = "The text itself is the same: 0 words changed."

EMPTIED = "All of the text is removed: the page is empty now."

SINCE = (
    "main has written this page since: lines shown as removed may be newer text of main. "
    "U brings it in first."
)
"""Stands above a page that both sides wrote: what it was when the request began is not told."""

PAGE = 500
"""Comments read with one request."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A change request, its space, and what it changes. ``pages`` are all of its pages.

    ``losses`` are the pages that readers would lose although their texts go on elsewhere.
    """

    request: ChangeRequest
    space: Space
    pages: Sequence[PageNode]
    changes: Sequence[Changed]
    losses: Sequence[str] = ()

    @property
    def merged(self) -> bool:
        """Whether it is in primary content: then no service tells what a page said before it."""
        return self.request.status == "merged"

    @property
    def version(self) -> tuple[str, str]:
        """What the texts of its pages depend on."""
        return self.request.revision, self.space.revision


async def read_request(api: Api, space_id: str, request_id: str) -> Opened:
    """Read a change request (by id or number) with its trees. Raises ``ApiError``."""
    request, space, before, after, hint = await asyncio.gather(
        api(ops.get_change_request, space_id, request_id),
        api(ops.get_space, space_id),
        api(ops.list_space_pages, space_id),
        api(ops.list_change_request_pages, space_id, request_id),
        _told(api, space_id, request_id),
    )
    old_files: list[File] | None = None
    new_files: list[File] | None = None
    pages = flatten(after.pages)
    if request.status == "merged":
        # Primary content has moved on since: compared with it as it is now, what others did later
        # would come out reversed. Only the service can say what this request did.
        told = [] if hint is None else changed_pages([], pages, hint, told_only=True)
        return Opened(request, space, pages, [*told, *changed_files(None, None, hint)])
    if hint is None:
        old_files, new_files = await asyncio.gather(
            _files_of_space(api, space_id), _files_of_request(api, space_id, request_id)
        )
    changes = changed_pages(flatten(before.pages), pages, hint)
    changes += changed_files(old_files, new_files, hint)
    return Opened(request, space, pages, changes, losses(hint))


async def _told(api: Api, space_id: str, request_id: str) -> Changes | None:
    try:
        return await api(ops.get_change_request_changes, space_id, request_id, limit=1000)
    except ExtensionMissing:
        return None


async def _files_of_space(api: Api, space_id: str) -> list[File]:
    return [file async for file in api.pages(ops.list_space_files, space_id, limit=PAGE)]


async def _files_of_request(api: Api, space_id: str, request_id: str) -> list[File]:
    return [
        file
        async for file in api.pages(ops.list_change_request_files, space_id, request_id, limit=PAGE)
    ]


async def read_page(api: Api, opened: Opened, change: Changed) -> PageText:
    """Read both texts of a changed page and compare them, in a thread. Raises ``ApiError``.

    Of a merged request only the text that it left can be read: it is shown whole.
    """
    if change.file:
        return page_text("", "", page_notes(change))
    if opened.merged:
        return await _read_merged(api, opened, change)
    was, now = await asyncio.gather(
        _page_before(api, opened, change), _page_after(api, opened, change)
    )
    gone = change.before is not None and was is None
    notes = [*page_notes(change, gone_in_main=gone), *settings_notes(was, now)]
    before, after = _text_of(was), _text_of(now)
    if change.moved is not None:
        after = change.moved.text or ""
    if before == after and change.node.type == "document" and before:
        notes.append(UNCHANGED)
    elif was is not None and now is not None and before.strip() and not after.strip():
        notes.append(EMPTIED)
    if before != after and _written_since(opened, change):
        notes.append(SINCE)
    return await asyncio.to_thread(page_text, before, after, notes)


def _written_since(opened: Opened, change: Changed) -> bool:
    """Whether main wrote a page after the request began and the request does not have that yet."""
    # Times are whole seconds: what was written in the second in which it began may be later.
    written = None if change.before is None else change.before.version[1]
    return bool(
        opened.request.outdated
        and opened.request.status in ("open", "draft")
        and written is not None
        and datetime.fromisoformat(written) >= opened.request.created_at
    )


async def read_now(api: Api, opened: Opened, change: Changed) -> str:
    """Read the text of a changed page as it is now, as it is compared; "" when it is gone.

    Raises ``ApiError``.
    """
    try:
        page = await _page_after(api, opened, change)
    except NotFound:
        return ""
    return await asyncio.to_thread(exposed, _text_of(page))


async def _read_merged(api: Api, opened: Opened, change: Changed) -> PageText:
    notes = page_notes(change)
    try:
        page = await _page_after(api, opened, change)
    except NotFound:
        page = None
    if page is None:
        notes.append(MERGED_GONE)
    elif "added" in change.kinds:
        # It said nothing before: all of it is new.
        return await asyncio.to_thread(page_text, "", _text_of(page), notes)
    elif change.node.type in ("document", ""):
        notes.append(MERGED)
    return await asyncio.to_thread(page_text, _text_of(page), _text_of(page), notes)


def _text_of(page: ContentPage | None) -> str:
    return "" if page is None else page.markdown or ""


async def _page_before(api: Api, opened: Opened, change: Changed) -> ContentPage | None:
    if change.before is None:
        return None
    try:
        return await api(ops.get_space_page, opened.space.id, change.id, format="markdown")
    except NotFound:
        return None


async def _page_after(api: Api, opened: Opened, change: Changed) -> ContentPage | None:
    if change.after is None:
        return None
    return await api(
        ops.get_change_request_page,
        opened.space.id,
        opened.request.id,
        change.id,
        format="markdown",
    )


async def read_threads(api: Api, space_id: str, request_id: str) -> list[Comment]:
    """Read all comments of a change request. Raises ``ApiError``."""
    return [
        comment
        async for comment in api.pages(
            ops.list_change_request_comments,
            space_id,
            request_id,
            order="asc",
            status="all",
            format="markdown",
            limit=PAGE,
        )
    ]


async def read_replies(
    api: Api, space_id: str, request_id: str, threads: Sequence[str]
) -> dict[str, list[CommentReply]]:
    """Read the replies of some threads. Raises ``ApiError``."""

    async def of(thread: str) -> tuple[str, list[CommentReply]]:
        return thread, [
            reply
            async for reply in api.pages(
                ops.list_change_request_comment_replies,
                space_id,
                request_id,
                thread,
                format="markdown",
                limit=PAGE,
            )
        ]

    return dict(await asyncio.gather(*(of(thread) for thread in threads)))
