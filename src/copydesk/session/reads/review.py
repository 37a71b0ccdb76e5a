"""Reads of a review: the request, the two trees, texts, threads, the newest revisions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_text import PageText, page_text
from copydesk.domain.page_tree import ChangeKind, PageNode, compare_trees, flatten
from copydesk.domain.text import clean, exposed, shown_title
from copydesk.session.change_rows import row_of
from copydesk.session.page_changes import (
    REUSABLE,
    ReviewChange,
    changed_pages,
    changed_things,
    losses,
    not_looked_at,
    page_notes,
    read_changes,
    settings_notes,
)
from copydesk.session.reads.base_revision import read_revision, written_since
from copydesk.session.reads.history import part_text

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.content import ContentPage, File, ReusableContent, Revision
    from copydesk.contract.models.space import Space


MERGED = (
    "Merged. This service keeps no older versions: this is the page as this change request left "
    "it, and no lines are marked."
)
"""Shown above a page of a merged request, whose former text cannot be read."""

MERGED_GONE = "Merged. This service keeps no older versions: the text of this page is gone."

UNCHANGED = "The text itself is the same: 0 words changed."

EMPTIED = "All of the text is removed: the page is empty now."

SINCE = "main has changed this page since, which is not shown here. U brings it in."
"""Shown above a page that both sides changed."""

SINCE_GONE = "main has changed this page since: this is its text in main now."
"""Shown above a removed page whose former text cannot be read."""

NOT_TOLD = (
    "main has changed this page since, and the service does not tell what it said before: this is "
    "the page as this change request has it, and no lines are marked. U brings main in, then "
    "they are."
)
"""Shown above a page that both sides changed, whose former text cannot be read."""

PAGE = 500
"""Comments read with one request."""


@dataclass(frozen=True, slots=True)
class OpenedRequest:
    """A change request, its space, and its changes. ``pages`` are all of its pages.

    ``losses`` are the pages that readers would lose although their texts move elsewhere, and
    ``unlooked`` says that the check for them is incomplete. ``base`` is the common revision of both
    sides, None where that is the current main (of one that is not merged), or the service has no
    older ones. ``main_changed``
    are main's later changes of pages, by id.
    """

    request: ChangeRequest
    space: Space
    pages: Sequence[PageNode]
    changes: Sequence[ReviewChange]
    losses: Sequence[str] = ()
    unlooked: str = ""
    base: str | None = None
    main_changed: Mapping[str, Sequence[ChangeKind]] = field(default_factory=dict)

    def lost(self, change: ReviewChange) -> bool:
        """Whether a page's text at the beginning of the request is unknown."""
        return self.base is None and change.id in self.main_changed

    @property
    def merged(self) -> bool:
        """Whether it is in primary content."""
        return self.request.status == "merged"

    @property
    def untold(self) -> bool:
        """Whether no former text can be read: it is merged, and there are no older revisions."""
        return self.merged and self.base is None

    @property
    def version(self) -> tuple[str, str]:
        """The revisions that the texts of its pages depend on."""
        return self.request.revision, self.space.revision


async def read_request(api: Api, space_id: str, request_id: str) -> OpenedRequest:
    """Read a change request (by id or number) with its trees. Raises ``ApiError``."""
    request, space, before, after, hint = await asyncio.gather(
        api(ops.get_change_request, space_id, request_id),
        api(ops.get_space, space_id),
        api(ops.list_space_pages, space_id),
        api(ops.list_change_request_pages, space_id, request_id),
        read_changes(api, space_id, request_id),
    )
    old_files: list[File] | None = None
    new_files: list[File] | None = None
    pages = flatten(after.pages)
    if request.status == "merged":
        base = await read_revision(api, space_id, row_of(request).base)
        if base is not None:
            if hint is None:
                new_files = await _files_of_request(api, space_id, request_id)
            made = changed_pages(base.pages, pages, hint)
            made += changed_things(base.files, new_files, hint)
            return OpenedRequest(
                request, space, pages, made, unlooked=not_looked_at(hint), base=base.id
            )
        # Primary content has changed since: a comparison with its current state would show later
        # changes of others reversed. Only the service knows the changes of this request.
        told = [] if hint is None else changed_pages([], pages, hint, told_only=True)
        told += changed_things(None, None, hint)
        return OpenedRequest(request, space, pages, told, unlooked=not_looked_at(hint))
    if hint is None:
        old_files, new_files = await asyncio.gather(
            api.every(ops.list_space_files, space_id, limit=PAGE),
            _files_of_request(api, space_id, request_id),
        )
    main, lost, unlooked = flatten(before.pages), losses(hint), not_looked_at(hint)
    row = row_of(request)
    base = await read_revision(api, space_id, row.base) if row.outdated else None
    if base is not None:
        changes = changed_pages(base.pages, pages, hint)
        changes += changed_things(base.files, new_files, hint)
        moved = {change.id: change.kinds for change in compare_trees(base.pages, main)}
        return OpenedRequest(request, space, pages, changes, lost, unlooked, base.id, moved)
    changes = changed_pages(main, pages, hint)
    now = {node.id: node for node in main}
    since: dict[str, tuple[ChangeKind, ...]] = {
        change.id: ("edited",) if change.id in now else ("deleted",)
        for change in changes
        if request.outdated
        and "added" not in change.kinds
        and written_since(row, now.get(change.id))
    }
    changes += changed_things(old_files, new_files, hint)
    return OpenedRequest(request, space, pages, changes, lost, unlooked, main_changed=since)


async def _files_of_request(api: Api, space_id: str, request_id: str) -> list[File]:
    return await api.every(ops.list_change_request_files, space_id, request_id, limit=PAGE)


async def read_page(api: Api, opened: OpenedRequest, change: ReviewChange) -> PageText:
    """Read both texts of a changed page and compare them, in a thread. Raises ``ApiError``.

    Where the former texts of a merged request cannot be read, the resulting one is shown whole.
    """
    if change.thing == REUSABLE:
        return await _read_part(api, opened, change)
    if change.thing:
        return page_text("", "", page_notes(change))
    if opened.untold:
        return await _read_merged(api, opened, change)
    was, now = await asyncio.gather(
        _page_before(api, opened, change), _page_after(api, opened, change)
    )
    done = opened.main_changed.get(change.id, ())
    gone = "deleted" in done or (change.before is not None and was is None)
    # Where both states are there, they say it themselves.
    told = change if was is None or now is None else replace(change, notes=())
    notes = [*page_notes(told, gone_in_main=gone), *settings_notes(was, now)]
    before, after = _text_of(was), _text_of(now)
    if opened.lost(change) and change.after is not None:
        return await asyncio.to_thread(page_text, after, after, [*page_notes(change), NOT_TOLD])
    if change.moved is not None:
        after = change.moved.text or ""
    alike = before == after and change.node.type == "document" and bool(before)
    if alike:
        notes.append(UNCHANGED)
    elif was is not None and now is not None and before.strip() and not after.strip():
        notes.append(EMPTIED)
    if done and not gone and opened.request.status in ("open", "draft"):
        notes.append(SINCE_GONE if opened.lost(change) else SINCE)
    return await asyncio.to_thread(page_text, before, after, notes, alike=alike)


async def _read_part(api: Api, opened: OpenedRequest, change: ReviewChange) -> PageText:
    """Compare the texts of a reusable content, where the service tells them."""
    space, key = opened.space.id, change.id.removeprefix(f"{REUSABLE}:")

    async def before() -> ReusableContent | None:
        if change.before is None:
            return None
        if opened.base is None:
            return await api(ops.get_space_reusable_content, space, key)
        return await api(ops.get_revision_reusable_content, space, opened.base, key)

    async def after() -> ReusableContent | None:
        if change.after is None:
            return None
        request = opened.request.id
        return await api(ops.get_change_request_reusable_content, space, request, key)

    notes = page_notes(change)
    if opened.untold:
        return page_text("", "", notes)
    try:
        was, now = await asyncio.gather(before(), after())
    except NotFound:
        return page_text("", "", notes)
    return await part_text(was, now, notes)


async def read_now(api: Api, opened: OpenedRequest, change: ReviewChange) -> str:
    """Read the current text of a changed page, as it is compared; "" when it is deleted.

    Raises ``ApiError``.
    """
    try:
        page = await _page_after(api, opened, change)
    except NotFound:
        return ""
    return await asyncio.to_thread(exposed, _text_of(page))


async def _read_merged(api: Api, opened: OpenedRequest, change: ReviewChange) -> PageText:
    notes = page_notes(change)
    try:
        page = await _page_after(api, opened, change)
    except NotFound:
        page = None
    if page is None:
        notes.append(MERGED_GONE)
    elif "added" in change.kinds:
        # There was no text before: all of it is new.
        return await asyncio.to_thread(page_text, "", _text_of(page), notes)
    elif change.node.type in ("document", ""):
        notes.append(MERGED)
    return await asyncio.to_thread(page_text, _text_of(page), _text_of(page), notes)


def _text_of(page: ContentPage | None) -> str:
    return "" if page is None else page.markdown or ""


async def _page_before(api: Api, opened: OpenedRequest, change: ReviewChange) -> ContentPage | None:
    if change.before is None:
        return None
    space = opened.space.id
    if opened.base is not None:
        return await api.find(
            ops.get_revision_page, space, opened.base, change.id, format="markdown"
        )
    return await api.find(ops.get_space_page, space, change.id, format="markdown")


async def _page_after(api: Api, opened: OpenedRequest, change: ReviewChange) -> ContentPage | None:
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
    return await api.every(
        ops.list_change_request_comments,
        space_id,
        request_id,
        order="asc",
        status="all",
        format="markdown",
        limit=PAGE,
    )


async def read_replies(
    api: Api, space_id: str, request_id: str, threads: Sequence[str]
) -> dict[str, list[CommentReply]]:
    """Read the replies of some threads. Raises ``ApiError``."""

    async def of(thread: str) -> tuple[str, list[CommentReply]]:
        return thread, await api.every(
            ops.list_change_request_comment_replies,
            space_id,
            request_id,
            thread,
            format="markdown",
            limit=PAGE,
        )

    return dict(await asyncio.gather(*(of(thread) for thread in threads)))


USES = ("get_space_revision", "get_change_request_revision")
"""The operations that `read_sides` uses."""


@dataclass(frozen=True, slots=True)
class RevisionSide:
    """The newest revision of primary content, or of a change request.

    ``kind`` is its type, ``message`` its commit message, ``written`` the titles of pages that were
    edited since the change request was started.
    """

    revision: str
    at: datetime | None
    kind: str = ""
    message: str = ""
    written: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RevisionSides:
    """The newest revisions of both sides; ``main`` is None where the request is up to date."""

    request: RevisionSide
    main: RevisionSide | None = None


async def read_sides(api: Api, opened: OpenedRequest) -> RevisionSides:
    """Read the newest revision of a request, and main's if it is behind. Raises ``ApiError``."""
    space, request = opened.space.id, opened.request
    newest = api(ops.get_change_request_revision, space, request.id, metadata=False, computed=False)
    if not request.outdated:
        return RevisionSides(_side(await newest))
    mine, main = await asyncio.gather(newest, api(ops.get_space_revision, space, computed=False))
    return RevisionSides(_side(mine), _side(main, since=request.created_at))


def _side(revision: Revision, since: datetime | None = None) -> RevisionSide:
    written = [
        shown_title(node.title)
        for node in flatten(revision.pages)
        if since is not None and node.version[1] and _after(node.version[1], since)
    ]
    message = clean(revision.git.message or "") if revision.git else ""
    return RevisionSide(
        clean(revision.id), revision.created_at, clean(revision.type), message, tuple(written)
    )


def _after(written: str, since: datetime) -> bool:
    try:
        return datetime.fromisoformat(written) > since
    except (TypeError, ValueError):  # no time, or one without a zone
        return False
