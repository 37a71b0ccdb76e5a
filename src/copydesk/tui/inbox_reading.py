"""Reading every open thread of an organization that waits on the reader.

Threads are of change requests that are open or drafts, and of spaces themselves. Nothing tells
them all at once, so each place with open threads is asked for its own, a few at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from copydesk.client.errors import ExtensionMissing, Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.contract.enumerations import ChangeRequestStatus
from copydesk.domain.mention import Named, names, names_somebody
from copydesk.domain.text import clean
from copydesk.domain.turn import Word, last_word
from copydesk.domain.waiting import Why, why_waits
from copydesk.tui.change_request_reading import Scope, read_asked
from copydesk.tui.present.comment import first_words, name_of
from copydesk.tui.present.inbox import InboxRow
from copydesk.tui.space_reading import read_desk

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.user import User
    from copydesk.tui.people import People

USES = (
    "list_organization_spaces",
    "list_organization_collections",
    "list_organization_change_requests",
    "list_change_request_comments",
    "list_change_request_comment_replies",
    "list_space_comments",
    "list_space_comment_replies",
    "list_members",
)
"""The operations that `read_inbox` uses."""

AT_ONCE = 4
"""Requests under way at the same time (interaction.md 3.4, Loading plan)."""

PAGE = 250
"""Threads or change requests asked for at once."""

STATUSES: tuple[ChangeRequestStatus, ...] = ("open", "draft")
"""The statuses of change requests on which threads still wait for somebody."""

TEXT = 300
"""Characters of a comment that its row keeps."""

Found = Callable[[InboxRow, "Comment"], None]
"""Takes a thread that waits, as soon as that is known."""

Progress = Callable[[int, int], None]
"""Takes how many spaces have been read, of how many."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A place that has open threads: a space itself, or a change request in it."""

    space: str
    title: str
    request: ChangeRequest | None = None


@dataclass
class _Reading:
    """One reading: who asks, and how far it is."""

    api: Api
    organization: str
    me: User
    people: People
    found: Found
    progress: Progress
    asked: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)
    left: dict[str, int] = field(default_factory=dict)
    spaces: int = 0
    ended: int = 0
    unread: int = 0

    async def work(self, jobs: asyncio.Queue[_Job]) -> None:
        """Read one place after the other, until none is left."""
        while not jobs.empty():
            job = jobs.get_nowait()
            try:
                await self.read(job)
            except (Forbidden, NotFound):
                self.unread += 1
            self.left[job.space] -= 1
            if not self.left[job.space]:
                self.ended += 1
                self.progress(self.ended, self.spaces)

    async def read(self, job: _Job) -> None:
        """Read the open threads of one place. Raises ``ApiError``."""
        if job.request is None:
            pages = self.api.pages(
                ops.list_space_comments, job.space, status="open", format="markdown", limit=PAGE
            )
        else:
            pages = self.api.pages(
                ops.list_change_request_comments,
                job.space,
                job.request.id,
                status="open",
                format="markdown",
                limit=PAGE,
            )
        async for comment in pages:
            if comment.id in self.seen or comment.status == "resolved":
                continue
            self.seen.add(comment.id)
            if comment.target.review is None:
                await self.judge(job, comment)

    async def judge(self, job: _Job, comment: Comment) -> None:
        """Hand a thread on if it waits on the reader."""
        starter = comment.posted_by.id if comment.posted_by else ""
        start = Word(starter, comment.posted_at)
        last = last_word(start, (Word(each.user.id, each.updated_at) for each in comment.repliers))
        if last.by == self.me.id:
            return
        author, asked = "", False
        if job.request is not None:
            author = job.request.created_by.id if job.request.created_by else ""
            asked = job.request.id in self.asked
        why = why_waits(
            self.me.id,
            starter=starter,
            author=author,
            last=last,
            named=await self.named(job, comment),
            asked=asked,
        )
        if why is not None:
            self.found(self.row(job, comment, last, why), comment)

    async def named(self, job: _Job, comment: Comment) -> bool:
        """Whether the reader was named in a thread since they spoke last."""
        said: list[Comment | CommentReply] = [comment]
        if comment.replies:
            said += await read_thread(
                self.api, job.space, job.request.id if job.request else "", comment.id
            )
        mine = [n for n, each in enumerate(said) if self._is_mine(each)]
        since = said[mine[-1] + 1 :] if mine else said
        texts = [each.body.markdown or "" for each in since if not self._is_mine(each)]
        texts = [text for text in texts if names_somebody(text)]
        if not texts:
            return False
        person = Named(self.me.id, clean(self.me.display_name), self.me.email or "")
        if not any(names(text, person) for text in texts):
            return False
        others = await self.people.read(self.api, self.organization)
        return any(names(text, person, others) for text in texts)

    def _is_mine(self, message: Comment | CommentReply) -> bool:
        return message.posted_by is not None and message.posted_by.id == self.me.id

    def row(self, job: _Job, comment: Comment, last: Word, why: Why) -> InboxRow:
        """Return the row of a thread that waits."""
        speakers = {each.user.id: each.user for each in comment.repliers}
        if comment.posted_by is not None:
            speakers.setdefault(comment.posted_by.id, comment.posted_by)
        request = job.request
        return InboxRow(
            id=comment.id,
            space=job.space,
            space_title=job.title,
            request=request.id if request else "",
            number=request.number if request else 0,
            subject=clean(request.subject, limit=200) if request else "",
            page=comment.target.page.id if comment.target.page else "",
            text=first_words(comment, TEXT),
            last=name_of(speakers.get(last.by)),
            at=last.at or comment.posted_at,
            why=why,
            replies=comment.replies,
        )


async def read_inbox(
    api: Api, organization: str, me: User, people: People, found: Found, progress: Progress
) -> int:
    """Read all threads that wait on ``me``; return how many places could not be read.

    Each is handed to ``found`` when it is known, and none twice. Raises ``ApiError``.
    """
    reading = _Reading(api, organization, me, people, found, progress)
    desk = await read_desk(api, organization)
    requests = [
        request for status in STATUSES for request in await _requests(api, organization, status)
    ]
    reading.asked = await read_asked(api, Scope(organization), me.id)
    titles = {node.id: clean(node.title) or "Untitled" for node in desk.nodes}
    jobs: asyncio.Queue[_Job] = asyncio.Queue()
    waiting = [
        _Job(node.id, titles[node.id])
        for node in desk.nodes
        if node.kind == "space" and node.comments
    ]
    waiting += [
        _Job(request.space, titles.get(request.space, ""), request)
        for request in requests
        if request.comments
    ]
    for job in waiting:
        reading.left[job.space] = reading.left.get(job.space, 0) + 1
        jobs.put_nowait(job)
    reading.spaces = len({node.id for node in desk.nodes if node.kind == "space"} | {*reading.left})
    reading.ended = reading.spaces - len(reading.left)  # in the others nobody waits for anything
    progress(reading.ended, reading.spaces)
    workers = [asyncio.create_task(reading.work(jobs)) for _ in range(AT_ONCE)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
    return reading.unread


async def _requests(
    api: Api, organization: str, status: ChangeRequestStatus
) -> list[ChangeRequest]:
    return [
        request
        async for request in api.pages(
            ops.list_organization_change_requests, organization, status=status, limit=PAGE
        )
    ]


async def read_thread(api: Api, space: str, request: str, comment: str) -> list[CommentReply]:
    """Return the replies in a thread, of a space itself where ``request`` is "".

    Where the service does not list those (E7) there are none. Raises ``ApiError``.
    """
    if request:
        pages = api.pages(
            ops.list_change_request_comment_replies,
            space,
            request,
            comment,
            format="markdown",
            limit=PAGE,
        )
        return [reply async for reply in pages]
    try:
        pages = api.pages(
            ops.list_space_comment_replies, space, comment, format="markdown", limit=PAGE
        )
        return [reply async for reply in pages]
    except ExtensionMissing:
        return []


async def read_comment(api: Api, space: str, request: str, comment: str) -> Comment | None:
    """Return a thread as it is now, None when it is gone. Raises ``ApiError``."""
    try:
        if request:
            return await api(
                ops.get_change_request_comment, space, request, comment, format="markdown"
            )
        return await api(ops.get_space_comment, space, comment, format="markdown")
    except NotFound:
        return None
