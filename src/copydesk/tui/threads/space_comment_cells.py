"""Threads on a space as a list: its columns, views and orders."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.present.threads import emoji_text
from copydesk.session.people import first_words, name_of
from copydesk.tui.framework.place import View
from copydesk.tui.resource.resource import Asked, Condition, Order, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import CommentStatusFilter
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.comment import Comment
    from copydesk.session.target import Target

TEXT = 300
"""Characters of a comment that its row shows at most."""

STATUSES: Mapping[str, CommentStatusFilter] = {"open": "open", "resolved": "resolved", "all": "all"}
"""What the service is asked for, by the view."""


async def _pages(api: Api, target: Target, asked: Asked) -> Page[Comment]:
    from copydesk.contract import operations as ops

    return await api.page(
        ops.list_space_comments,
        target.space or "",
        status=STATUSES.get(asked.view, "open"),
        format="markdown",
        **asked.paging,
        **asked.order,
        **asked.conditions,
    )


def _by(comment: Comment, now: datetime) -> Text:
    return Text(name_of(comment.posted_by), style="who")


def _reactions(comment: Comment, now: datetime) -> str | None:
    counted = ((emoji_text(each.emoji), each.count) for each in comment.reactions)
    return "  ".join(f"{sign} {count}" for sign, count in counted if count) or None


def _latest(comment: Comment, now: datetime) -> str | None:
    at = [each.updated_at for each in comment.repliers if each.updated_at is not None]
    return age(max(at), now) if at else None


def _replies(comment: Comment, now: datetime) -> str | None:
    return str(comment.replies) if comment.replies else None


SPACE_COMMENTS: Resource[Comment] = Resource(
    noun="comment",
    title="Comments",
    pages=_pages,
    key=lambda comment: comment.id,
    label=lambda comment: first_words(comment, 60),
    shown=(
        Shown("text", "THREAD", lambda comment, now: first_words(comment, TEXT), flex=3,
              minimum=20),
        Shown("by", "BY", _by, 12, drop=2),
        Shown("page", "ON", lambda comment, now: None, 16, drop=3),
        Shown("replies", "REPLIES", _replies, 7, align="right", drop=1),
        Shown("reactions", "REACTIONS", _reactions, 10, drop=5),
        Shown("posted", "POSTED", lambda comment, now: age(comment.posted_at, now), 8),
        Shown("answered", "ANSWERED", _latest, 8, drop=4),
        Shown("status", "STATUS", lambda comment, now: comment.status, values=("open", "resolved")),
    ),
    empty="Nobody has commented on this space. c starts a thread.",
    of="space",
    get="get_space_comment",
    arguments=lambda target, comment: (target.space or "", comment.id),
    url=lambda comment: web_address(comment.urls.app) or None,
    views=(View("open", "Open"), View("resolved", "Resolved"), View("all", "All")),
    orders=(
        Order("newest", "newest first", {"order": "desc"}, {"order": "asc"}),
        Order("oldest", "oldest first", {"order": "asc"}, {"order": "desc"}),
    ),
    conditions=(
        Condition("target_page", "threads on the page with this id (f chooses it)"),
        Condition("authors", "threads that people with these ids began, with commas between them",
                  read=lambda text: [each for each in text.split(",") if each]),
    ),
    dim=lambda comment: comment.status == "resolved",
)  # fmt: skip
"""Threads on the primary content of a space, or on the space as a whole."""
