"""Reads of what others did that concerns the reader.

Two lists tell what to look at: a verdict changes when its request was updated, a comment how many
are open. What is said in threads that exist shows nowhere, so that they are read in turn, and so
are mentions on a space itself, which only the inbox reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.domain.mention import names, names_somebody
from copydesk.domain.text import clean
from copydesk.session.names import named, person_name
from copydesk.session.news import Kind, KnownNews, NewsItem
from copydesk.session.reads.inbox import read_thread

if TYPE_CHECKING:
    from datetime import datetime

    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.user import User
    from copydesk.session.names import Members

PAGE = 100
"""Change requests of each list that are looked at, the newest first."""

LOOKED_AT = 6
"""Change requests that are read at once because a list tells that something was done to them."""

IN_TURN = 1
"""Others with threads that are read each time, the longest unread first."""

COMMENTS = 50
"""The newest comments of a change request that are looked at."""

SUBJECT = 200
"""Characters of a subject that are kept."""


async def read_news(
    api: Api, organization: str, me: User, people: Members, known: KnownNews
) -> list[NewsItem]:
    """Return the news, and note the read revisions in ``known``. Raises ``ApiError``.

    The first time nothing is: only what comes later.
    """
    reading = _NewsRead(api, organization, me, people, known)
    return await reading.read()


class _NewsRead:
    """One read of the news."""

    def __init__(
        self, api: Api, organization: str, me: User, people: Members, known: KnownNews
    ) -> None:
        self._api, self._organization, self._me = api, organization, me
        self._people, self._known = people, known
        self._found: list[NewsItem] = []

    async def read(self) -> list[NewsItem]:
        api, known, me = self._api, self._known, self._me

        async def listed(**of: Any) -> Page[ChangeRequest]:
            operation = ops.list_organization_change_requests
            return await api.page(operation, self._organization, status="open", limit=PAGE, **of)

        rows = await listed()
        requests = {request.id: request for request in rows.items}
        if rows.next is not None:  # there are more: mine are among all of them
            mine = await listed(creator=me.id)
            requests.update({request.id: request for request in mine.items})
        asked = await listed(requested_reviewer=me.id)
        marks = {key: _mark(request) for key, request in requests.items()}
        if known.asked is None:
            known.marks = marks
            known.asked = frozenset(request.id for request in asked.items)
            return []
        for request in asked.items:
            if request.id not in known.asked:
                self._add(f"asked {_mark(request)}", "asked", person_name(request.created_by),
                          request.updated_at, request)  # fmt: skip
        known.asked = frozenset(request.id for request in asked.items)
        told = [key for key, mark in marks.items() if known.marks.get(key) != mark]
        for key in told[:LOOKED_AT]:
            await self._look(requests[key])
            known.marks[key] = marks[key]
        for key in self._in_turn([key for key in requests if key not in told], requests):
            await self._read_threads(requests[key])
        known.marks = {key: mark for key, mark in known.marks.items() if key in marks}
        return self._found

    def _in_turn(self, keys: Sequence[str], requests: dict[str, ChangeRequest]) -> list[str]:
        """Return whose threads are read although no list tells of them, the longest unread."""
        turns = self._known.turns
        waiting = {key: None for key in keys if requests[key].comments}
        order = [*(key for key in waiting if key not in turns), *(k for k in turns if k in waiting)]
        chosen = order[:IN_TURN]
        self._known.turns = dict.fromkeys([*order[len(chosen) :], *chosen])
        return chosen

    async def _look(self, request: ChangeRequest) -> None:
        if request.created_by is not None and request.created_by.id == self._me.id:
            try:
                reviews = self._api.pages(
                    ops.list_change_request_reviews, request.space, request.id
                )
                async for review in reviews:
                    kind: Kind = "approved" if review.status == "approved" else "changes"
                    if review.reviewer.id != self._me.id:
                        at = review.created_at or request.updated_at
                        self._add(review.id, kind, person_name(review.reviewer), at, request)
            except OperationMissing:
                pass
        await self._read_threads(request)

    async def _read_threads(self, request: ChangeRequest) -> None:
        """Read the newest comments of a request, and the replies in their threads."""
        if not request.comments:
            return
        try:
            comments = await self._api.page(
                ops.list_change_request_comments, request.space, request.id,
                status="open", format="markdown", limit=COMMENTS,
            )  # fmt: skip
            for comment in comments.items:
                await self._judge(request, comment, comment)
                if any(
                    each.user.id != self._me.id and self._known.is_news("", each.updated_at)
                    for each in comment.repliers
                ):
                    replies = await read_thread(self._api, request.space, request.id, comment.id)
                    for reply in replies:
                        await self._judge(request, comment, reply)
        except (Forbidden, NotFound):
            pass  # it went meanwhile

    async def _judge(
        self, request: ChangeRequest, thread: Comment, message: Comment | CommentReply
    ) -> None:
        by = message.posted_by
        if by is None or by.id == self._me.id:
            return
        if not self._known.is_news(message.id, message.posted_at):
            return
        began = thread.posted_by is not None and thread.posted_by.id == self._me.id
        if await self._names_me(message.body.markdown or ""):
            self._add(message.id, "named", person_name(by), message.posted_at, request, thread.id)
        elif began and message is not thread:
            self._add(
                message.id, "answered", person_name(by), message.posted_at, request, thread.id
            )

    async def _names_me(self, text: str) -> bool:
        me = named(self._me)
        if not names_somebody(text) or not names(text, me):
            return False
        return names(text, me, await self._people.read(self._api, self._organization))

    def _add(
        self,
        id: str,
        kind: Kind,
        who: str,
        at: datetime,
        request: ChangeRequest,
        thread: str = "",
    ) -> None:
        if kind == "asked" or self._known.is_news(id, at):
            subject = clean(request.subject, limit=SUBJECT)
            self._found.append(
                NewsItem(
                    id, kind, who, at, request.space, request.id, request.number, subject, thread
                )
            )


def _mark(request: ChangeRequest) -> str:
    """Return what differs once something was done to a request."""
    return f"{request.id} {request.updated_at.isoformat()} {request.comments}"
