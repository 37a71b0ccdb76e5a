"""Operations on threads: comments and replies of spaces and of change requests."""

from __future__ import annotations

from typing import Annotated, Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import CommentStatusFilter, ContentFormat, Order
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import Default, operation

_THREAD = "/spaces/{space_id}/change-requests/{change_request_id}/comments/{comment_id}"


class WantedComments(Paging, total=False):
    """Which comments are listed, in which order and format, and which page of them."""

    order: Annotated[Order, Default("desc")]
    status: Annotated[CommentStatusFilter, Default("all")]
    format: ContentFormat | None
    target_page: str | None
    authors: list[str] | None


@operation("GET", "/spaces/{space_id}/comments")
def list_space_comments(
    space_id: str, **wanted: Unpack[WantedComments]
) -> Page[models.comment.Comment]:
    """List the comments on a space, on one page of it, or by some people."""


@operation("POST", "/spaces/{space_id}/comments")
def create_space_comment(
    space_id: str, body: models.comment.CommentCreate
) -> models.comment.Comment:
    """Start a thread on a space."""


@operation("GET", "/spaces/{space_id}/comments/{comment_id}")
def get_space_comment(
    space_id: str, comment_id: str, *, format: ContentFormat | None = None
) -> models.comment.Comment:
    """Get a comment on a space."""


@operation("PUT", "/spaces/{space_id}/comments/{comment_id}")
def update_space_comment(
    space_id: str, comment_id: str, body: models.comment.CommentUpdate
) -> models.comment.Comment:
    """Edit, resolve, reopen or react to a comment on a space."""


@operation("DELETE", "/spaces/{space_id}/comments/{comment_id}")
def delete_space_comment(space_id: str, comment_id: str) -> None:
    """Delete a comment on a space, with its replies."""


@operation("GET", "/spaces/{space_id}/comments/{comment_id}/replies", extension="E7")
def list_space_comment_replies(
    space_id: str, comment_id: str, *, format: ContentFormat | None = None, **paging: Unpack[Paging]
) -> Page[models.comment.CommentReply]:
    """List the replies to a comment on a space."""


@operation("POST", "/spaces/{space_id}/comments/{comment_id}/replies")
def create_space_comment_reply(
    space_id: str, comment_id: str, body: models.comment.ReplyCreate
) -> models.comment.CommentReply:
    """Reply to a comment on a space."""


@operation("GET", "/spaces/{space_id}/comments/{comment_id}/replies/{comment_reply_id}")
def get_space_comment_reply(
    space_id: str, comment_id: str, comment_reply_id: str, *, format: ContentFormat | None = None
) -> models.comment.CommentReply:
    """Get a reply to a comment on a space."""


@operation("PUT", "/spaces/{space_id}/comments/{comment_id}/replies/{comment_reply_id}")
def update_space_comment_reply(
    space_id: str, comment_id: str, comment_reply_id: str, body: models.comment.SpaceReplyUpdate
) -> models.comment.CommentReply:
    """Edit or react to a reply to a comment on a space."""


@operation(
    "DELETE", "/spaces/{space_id}/comments/{comment_id}/replies/{comment_reply_id}", extension="E7"
)
def delete_space_comment_reply(space_id: str, comment_id: str, comment_reply_id: str) -> None:
    """Delete a reply to a comment on a space."""


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/comments")
def list_change_request_comments(
    space_id: str, change_request_id: str, **wanted: Unpack[WantedComments]
) -> Page[models.comment.Comment]:
    """List the comments on a change request, on one page of it, or by some people."""


@operation("POST", "/spaces/{space_id}/change-requests/{change_request_id}/comments")
def create_change_request_comment(
    space_id: str, change_request_id: str, body: models.comment.CommentCreate
) -> models.comment.Comment:
    """Start a thread on a change request."""


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/comments/{comment_id}")
def get_change_request_comment(
    space_id: str, change_request_id: str, comment_id: str, *, format: ContentFormat | None = None
) -> models.comment.Comment:
    """Get a comment on a change request."""


@operation("PUT", "/spaces/{space_id}/change-requests/{change_request_id}/comments/{comment_id}")
def update_change_request_comment(
    space_id: str, change_request_id: str, comment_id: str, body: models.comment.CommentUpdate
) -> models.comment.Comment:
    """Edit, resolve, reopen or react to a comment on a change request."""


@operation("DELETE", "/spaces/{space_id}/change-requests/{change_request_id}/comments/{comment_id}")
def delete_change_request_comment(space_id: str, change_request_id: str, comment_id: str) -> None:
    """Delete a comment on a change request, with its replies."""


@operation("GET", _THREAD + "/replies")
def list_change_request_comment_replies(
    space_id: str,
    change_request_id: str,
    comment_id: str,
    *,
    format: ContentFormat | None = None,
    **paging: Unpack[Paging],
) -> Page[models.comment.CommentReply]:
    """List the replies to a comment on a change request."""


@operation("POST", _THREAD + "/replies")
def create_change_request_comment_reply(
    space_id: str, change_request_id: str, comment_id: str, body: models.comment.ReplyCreate
) -> models.comment.CommentReply:
    """Reply to a comment on a change request."""


@operation("GET", _THREAD + "/replies/{comment_reply_id}")
def get_change_request_comment_reply(
    space_id: str,
    change_request_id: str,
    comment_id: str,
    comment_reply_id: str,
    *,
    format: ContentFormat | None = None,
) -> models.comment.CommentReply:
    """Get a reply to a comment on a change request."""


@operation("PUT", _THREAD + "/replies/{comment_reply_id}")
def update_change_request_comment_reply(
    space_id: str,
    change_request_id: str,
    comment_id: str,
    comment_reply_id: str,
    body: models.comment.ReplyUpdate,
) -> models.comment.CommentReply:
    """Edit or react to a reply to a comment on a change request."""


@operation("DELETE", _THREAD + "/replies/{comment_reply_id}")
def delete_change_request_comment_reply(
    space_id: str, change_request_id: str, comment_id: str, comment_reply_id: str
) -> None:
    """Delete a reply to a comment on a change request."""


@operation("GET", "/spaces/{space_id}/commenters", extension="E7")
def list_space_commenters(space_id: str, **paging: Unpack[Paging]) -> Page[models.member.Member]:
    """List the people who commented on a space."""


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/commenters")
def list_change_request_commenters(
    space_id: str, change_request_id: str, **paging: Unpack[Paging]
) -> Page[models.member.Member]:
    """List the people who commented on a change request."""
