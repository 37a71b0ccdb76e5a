"""Reads of all open threads of an organization that wait on the reader.

Threads belong to open or draft change requests, and to spaces. No request lists them all, so each
owner of open threads is read on its own, a few at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.enumerations import ChangeRequestStatus
from copydesk.domain.inbox import Why, Word, last_word, why_waits
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.mention import names, names_somebody
from copydesk.domain.text import clean, shown_title
from copydesk.session.change_rows import row_of
from copydesk.session.inbox_rows import InboxRow
from copydesk.session.names import first_words, named, person_name
from copydesk.session.reads.change_requests import Scope, read_asked
from copydesk.session.reads.spaces import read_desk

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.user import User
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.names import Members

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
"""Requests under way at the same time."""

POLLED = 8
"""Owners of threads that a poll reads again without any sign of news.

No count shows a reply: the owners are read in rotation, the longest unread first."""

STATUSES: tuple[ChangeRequestStatus, ...] = ("open", "draft")
"""The statuses of change requests on which threads still wait for somebody."""

TEXT = 300
"""Characters of a comment in its row."""

Found = Callable[[InboxRow, "Comment"], None]
"""Takes a waiting thread as soon as it is known."""

Progress = Callable[[int, int], None]
"""Takes the number of spaces read, and of all."""


@dataclass(frozen=True, slots=True)
class _Job:
    """An owner of open threads: a space, or a change request in it."""

    space: str
    title: str
    comments: int
    request: ChangeRequest | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The space, and the change request or ""."""
        return self.space, self.request.id if self.request else ""


@dataclass
class KnownThreads:
    """The results of earlier reads, so that a poll reads no more than it has to."""

    places: dict[tuple[str, str], tuple[object, list[tuple[InboxRow, Comment]]]] = field(
        default_factory=dict
    )
    """By space and change request: its mark of changes, and its waiting threads; the oldest
    first."""
    judged: dict[str, tuple[Comment, object, InboxRow | None]] = field(default_factory=dict)
    """By thread: its comment, the mark of its owner and whether it is followed, and its row if it
    waits."""
    requests: dict[str, ChangeRow] = field(default_factory=dict)
    """The change requests with open threads, by id."""

    def forget(self, row: InboxRow) -> None:
        """Read the owner of a thread again with the next poll: it was written to."""
        self.places.pop((row.space, row.request), None)


@dataclass
class _InboxRead:
    """One read of the inbox: its reader and its progress."""

    api: Api
    organization: str
    me: User
    people: Members
    found: Found
    progress: Progress
    known: KnownThreads
    followed: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)
    left: dict[str, int] = field(default_factory=dict)
    spaces: int = 0
    ended: int = 0
    unread: int = 0

    async def work(self, jobs: asyncio.Queue[_Job]) -> None:
        """Read one owner after the other, until none is left."""
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

    def mark(self, job: _Job) -> object:
        """Return the mark of an owner, which differs once the lists show a change."""
        asked = job.request is not None and job.request.id in self.asked
        return job.comments, job.request.updated_at if job.request else None, asked

    async def read(self, job: _Job) -> None:
        """Read the open threads of one owner. Raises ``ApiError``."""
        waits: list[tuple[InboxRow, Comment]] = []
        if job.request is not None:
            self.known.requests[job.request.id] = row_of(job.request)
        if job.request is None:
            pages = self.api.pages(
                ops.list_space_comments, job.space, status="open", format="markdown"
            )
        else:
            pages = self.api.pages(
                ops.list_change_request_comments,
                job.space,
                job.request.id,
                status="open",
                format="markdown",
            )
        async for comment in pages:
            if comment.id in self.seen or comment.status == "resolved":
                continue
            self.seen.add(comment.id)
            if comment.target.review is not None:
                continue
            was, mark, row = self.known.judged.get(comment.id, (None, None, None))
            now = self.mark(job), comment.id in self.followed
            if was != comment or mark != now:
                row = await self.judge(job, comment)
                self.known.judged[comment.id] = comment, now, row
            if row is not None:
                waits.append((row, comment))
                self.found(row, comment)
        self.known.places.pop(job.key, None)
        self.known.places[job.key] = self.mark(job), waits

    async def judge(self, job: _Job, comment: Comment) -> InboxRow | None:
        """Return the row of a thread if it waits on the reader."""
        starter = comment.posted_by.id if comment.posted_by else ""
        replies = (Word(each.user.id, each.updated_at) for each in comment.repliers)
        last = last_word(Word(starter), replies)
        if last.by == self.me.id:
            return None
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
            followed=comment.id in self.followed,
        )
        return None if why is None else self.row(job, comment, last, why)

    async def named(self, job: _Job, comment: Comment) -> bool:
        """Whether the reader was mentioned in a thread since their last message."""
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
        person = named(self.me)
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
            last=person_name(speakers.get(last.by)),
            at=last.at or comment.posted_at,
            why=why,
            replies=comment.replies,
            author=person_name(request.created_by) if request and request.created_by else "",
        )


async def read_inbox(
    api: Api,
    organization: str,
    me: User,
    people: Members,
    found: Found,
    progress: Progress,
    known: KnownThreads,
    *,
    followed: frozenset[str] = frozenset(),
    polled: bool = False,
) -> int:
    """Read all threads that wait on ``me``; return the number of owners that could not be read.

    ``followed`` are the ids of those that wait whenever somebody else had the last word.

    ``found`` is given each thread once, when it is known. A poll (``polled``) reads the threads of
    changed owners and of `POLLED` others; the rest comes from ``known``. Raises ``ApiError``.
    """
    reading = _InboxRead(api, organization, me, people, found, progress, known, followed)
    desk = await read_desk(api, organization)
    requests = [
        request for status in STATUSES for request in await _requests(api, organization, status)
    ]
    reading.asked = await read_asked(api, Scope(organization), me.id)
    titles = {node.id: shown_title(node.title) for node in desk.nodes}
    jobs: asyncio.Queue[_Job] = asyncio.Queue()
    waiting = [
        _Job(node.id, titles[node.id], node.comments)
        for node in desk.nodes
        if node.kind == "space" and node.comments
    ]
    waiting += [
        _Job(request.space, titles.get(request.space, ""), request.comments, request)
        for request in requests
        if request.comments
    ]
    there = {job.key for job in waiting}
    for key in known.places.keys() - there:
        del known.places[key]
    if polled:
        waiting = _due(reading, waiting)
    for job in waiting:
        reading.left[job.space] = reading.left.get(job.space, 0) + 1
        jobs.put_nowait(job)
    reading.spaces = len({node.id for node in desk.nodes if node.kind == "space"} | {*reading.left})
    reading.ended = reading.spaces - len(reading.left)  # nobody waits in the others
    progress(reading.ended, reading.spaces)
    workers = [asyncio.create_task(reading.work(jobs)) for _ in range(AT_ONCE)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
    return reading.unread


def _due(reading: _InboxRead, jobs: list[_Job]) -> list[_Job]:
    """Return the owners that a poll reads, and carry over the threads of the others."""
    known = reading.known.places
    same = {job.key: job for job in jobs if known.get(job.key, ("",))[0] == reading.mark(job)}
    kept = [key for key in known if key in same][POLLED:]
    for key in kept:
        for row, comment in known[key][1]:
            reading.seen.add(comment.id)
            reading.found(row, comment)
    return [job for job in jobs if job.key not in kept]


async def _requests(
    api: Api, organization: str, status: ChangeRequestStatus
) -> list[ChangeRequest]:
    return await api.every(ops.list_organization_change_requests, organization, status=status)


async def read_thread(api: Api, space: str, request: str, comment: str) -> list[CommentReply]:
    """Return the replies in a thread; on a space itself ``request`` is "".

    None where the service does not list them (E7). Raises ``ApiError``.
    """
    if request:
        return await api.every(
            ops.list_change_request_comment_replies,
            space,
            request,
            comment,
            format="markdown",
        )
    try:
        return await api.every(ops.list_space_comment_replies, space, comment, format="markdown")
    except OperationMissing:
        return []


async def read_comment(api: Api, space: str, request: str, comment: str) -> Comment | None:
    """Return a thread as it is now, None when it is gone. Raises ``ApiError``."""
    if request:
        return await api.find(
            ops.get_change_request_comment, space, request, comment, format="markdown"
        )
    return await api.find(ops.get_space_comment, space, comment, format="markdown")


async def read_page_title(api: Api, space: str, request: str, page: str) -> str:
    """Return the title of a page, of a change request or (``request`` is "") of main.

    "" where there is no such page any more. Raises ``ApiError``.
    """
    try:
        found = (
            await api(ops.get_change_request_page, space, request, page)
            if request
            else await api(ops.get_space_page, space, page)
        )
    except NotFound:
        return ""
    return clean(found.title).strip()
