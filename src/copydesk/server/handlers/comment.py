"""Threads on spaces and on change requests: the same work on two kinds of place."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import CommentStatusFilter, ContentFormat, Order
from copydesk.contract.models.base import Page
from copydesk.contract.models.comment import (
    Comment,
    CommentCreate,
    CommentReply,
    CommentUpdate,
    ReplyCreate,
    ReplyUpdate,
    SpaceReplyUpdate,
)
from copydesk.contract.models.member import Member
from copydesk.server import threads
from copydesk.server.errors import Refusal, forbidden, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import paginate
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.comment import (
    Place,
    check_page,
    comment_model,
    comment_or_none,
    find_comment,
    find_place,
    find_reply,
    list_comments,
    list_replies,
    reply_model,
    reply_or_none,
    written_markdown,
)
from copydesk.server.queries.member import MEMBERS, member_model
from copydesk.server.store import Row


@implements(ops.list_space_comments)
def list_space_comments(
    call: Call,
    space_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    order: Order = "desc",
    status: CommentStatusFilter = "all",
    format: ContentFormat | None = None,
    target_page: str | None = None,
    authors: list[str] | None = None,
) -> Page[Comment]:
    """List the comments on the space itself; those on its change requests are in their lists."""
    place = find_place(call, space_id)
    return list_comments(call, place, page, limit, order, status, format, target_page, authors)


@implements(ops.list_change_request_comments)
def list_change_request_comments(
    call: Call,
    space_id: str,
    change_request_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    order: Order = "desc",
    status: CommentStatusFilter = "all",
    format: ContentFormat | None = None,
    target_page: str | None = None,
    authors: list[str] | None = None,
) -> Page[Comment]:
    """List the comments on a change request."""
    place = find_place(call, space_id, change_request_id)
    return list_comments(call, place, page, limit, order, status, format, target_page, authors)


@implements(ops.create_space_comment)
def create_space_comment(call: Call, space_id: str, body: CommentCreate) -> Comment:
    """Start a thread on a space."""
    return _create(call, find_place(call, space_id, permission="comment"), body)


@implements(ops.create_change_request_comment)
def create_change_request_comment(
    call: Call, space_id: str, change_request_id: str, body: CommentCreate
) -> Comment:
    """Start a thread on a change request."""
    return _create(call, find_place(call, space_id, change_request_id, "comment"), body)


@implements(ops.get_space_comment)
def get_space_comment(
    call: Call, space_id: str, comment_id: str, *, format: ContentFormat | None = None
) -> Comment:
    """Return a comment on a space."""
    place = find_place(call, space_id)
    return comment_model(call, place, find_comment(call, place, comment_id), format)


@implements(ops.get_change_request_comment)
def get_change_request_comment(
    call: Call,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    *,
    format: ContentFormat | None = None,
) -> Comment:
    """Return a comment on a change request."""
    place = find_place(call, space_id, change_request_id)
    return comment_model(call, place, find_comment(call, place, comment_id), format)


@implements(ops.update_space_comment)
def update_space_comment(
    call: Call, space_id: str, comment_id: str, body: CommentUpdate
) -> Comment:
    """Edit, resolve, reopen or react to a comment on a space."""
    return _update(call, find_place(call, space_id, permission="comment"), comment_id, body)


@implements(ops.update_change_request_comment)
def update_change_request_comment(
    call: Call, space_id: str, change_request_id: str, comment_id: str, body: CommentUpdate
) -> Comment:
    """Edit, resolve, reopen or react to a comment on a change request."""
    place = find_place(call, space_id, change_request_id, "comment")
    return _update(call, place, comment_id, body)


@implements(ops.delete_space_comment)
def delete_space_comment(call: Call, space_id: str, comment_id: str) -> None:
    """Delete a comment on a space with its replies; a missing one is fine (204)."""
    _delete(call, find_place(call, space_id), comment_id)


@implements(ops.delete_change_request_comment)
def delete_change_request_comment(
    call: Call, space_id: str, change_request_id: str, comment_id: str
) -> None:
    """Delete a comment on a change request with its replies; a missing one is fine (204)."""
    _delete(call, find_place(call, space_id, change_request_id), comment_id)


@implements(ops.list_space_comment_replies)
def list_space_comment_replies(
    call: Call,
    space_id: str,
    comment_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    format: ContentFormat | None = None,
) -> Page[CommentReply]:
    """List the replies to a comment on a space, as the conversation went."""
    return list_replies(call, find_place(call, space_id), comment_id, page, limit, format)


@implements(ops.list_change_request_comment_replies)
def list_change_request_comment_replies(
    call: Call,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    format: ContentFormat | None = None,
) -> Page[CommentReply]:
    """List the replies to a comment on a change request, as the conversation went."""
    place = find_place(call, space_id, change_request_id)
    return list_replies(call, place, comment_id, page, limit, format)


@implements(ops.create_space_comment_reply)
def create_space_comment_reply(
    call: Call, space_id: str, comment_id: str, body: ReplyCreate
) -> CommentReply:
    """Reply to a comment on a space."""
    return _reply(call, find_place(call, space_id, permission="comment"), comment_id, body)


@implements(ops.create_change_request_comment_reply)
def create_change_request_comment_reply(
    call: Call, space_id: str, change_request_id: str, comment_id: str, body: ReplyCreate
) -> CommentReply:
    """Reply to a comment on a change request."""
    place = find_place(call, space_id, change_request_id, "comment")
    return _reply(call, place, comment_id, body)


@implements(ops.get_space_comment_reply)
def get_space_comment_reply(
    call: Call,
    space_id: str,
    comment_id: str,
    comment_reply_id: str,
    *,
    format: ContentFormat | None = None,
) -> CommentReply:
    """Return a reply to a comment on a space."""
    place = find_place(call, space_id)
    comment = find_comment(call, place, comment_id)
    return reply_model(call, place, find_reply(call, comment, comment_reply_id), format)


@implements(ops.get_change_request_comment_reply)
def get_change_request_comment_reply(
    call: Call,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    comment_reply_id: str,
    *,
    format: ContentFormat | None = None,
) -> CommentReply:
    """Return a reply to a comment on a change request."""
    place = find_place(call, space_id, change_request_id)
    comment = find_comment(call, place, comment_id)
    return reply_model(call, place, find_reply(call, comment, comment_reply_id), format)


@implements(ops.update_space_comment_reply)
def update_space_comment_reply(
    call: Call,
    space_id: str,
    comment_id: str,
    comment_reply_id: str,
    body: SpaceReplyUpdate,
) -> CommentReply:
    """Edit or react to a reply to a comment on a space."""
    place = find_place(call, space_id, permission="comment")
    return _update_reply(call, place, comment_id, comment_reply_id, body, None)


@implements(ops.update_change_request_comment_reply)
def update_change_request_comment_reply(
    call: Call,
    space_id: str,
    change_request_id: str,
    comment_id: str,
    comment_reply_id: str,
    body: ReplyUpdate,
) -> CommentReply:
    """Edit or react to a reply to a comment on a change request, or resolve its thread."""
    place = find_place(call, space_id, change_request_id, "comment")
    return _update_reply(call, place, comment_id, comment_reply_id, body, body.resolved)


@implements(ops.delete_space_comment_reply)
def delete_space_comment_reply(
    call: Call, space_id: str, comment_id: str, comment_reply_id: str
) -> None:
    """Delete a reply to a comment on a space; a missing one is fine (204)."""
    _delete_reply(call, find_place(call, space_id), comment_id, comment_reply_id)


@implements(ops.delete_change_request_comment_reply)
def delete_change_request_comment_reply(
    call: Call, space_id: str, change_request_id: str, comment_id: str, comment_reply_id: str
) -> None:
    """Delete a reply to a comment on a change request; a missing one is fine (204)."""
    place = find_place(call, space_id, change_request_id)
    _delete_reply(call, place, comment_id, comment_reply_id)


@implements(ops.list_change_request_commenters)
def list_change_request_commenters(
    call: Call,
    space_id: str,
    change_request_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
) -> Page[Member]:
    """List the members who commented on a change request or replied there."""
    space, row = find_change_request(call, space_id, change_request_id)
    return paginate(
        call.tx,
        lambda member: member_model(call, member),
        source=MEMBERS,
        where=[
            "organization_id = ?",
            "user_id IN (SELECT posted_by FROM comment WHERE change_request_id = ? UNION "
            "SELECT reply.posted_by FROM reply JOIN comment ON comment.id = comment_id "
            "WHERE change_request_id = ?)",
        ],
        values=[space["organization_id"], row["id"], row["id"]],
        keys=("joined_at", "user_id"),
        descending=False,
        page=page,
        limit=limit,
    )


def _create(call: Call, place: Place, body: CommentCreate) -> Comment:
    if body.page is not None:
        check_page(call, place, body.page)
    else:
        for name, part in (("node", body.node), ("tableCell", body.table_cell)):
            if part:
                raise invalid(f"body.{name}: it is part of a page; name that in body.page")
    key = threads.add_comment(
        call.tx,
        place.space["id"],
        call.user_id,
        written_markdown(body.body),
        change_request=place.change_request["id"] if place.change_request else None,
        page=body.page,
        node=body.node,
        table_cell=body.table_cell.model_dump() if body.table_cell else None,
    )
    return comment_model(call, place, find_comment(call, place, key))


def _update(call: Call, place: Place, comment_id: str, body: CommentUpdate) -> Comment:
    row = find_comment(call, place, comment_id)
    if body.body is not None:
        _only_author(call, row, "comment")
        threads.edit_comment(call.tx, row["id"], written_markdown(body.body))
    _react(call, row, body)
    _set_resolved(call, row, body.resolved)
    return comment_model(call, place, find_comment(call, place, comment_id))


def _delete(call: Call, place: Place, comment_id: str) -> None:
    row = comment_or_none(call, place, comment_id)
    if row is None:
        call.was_missing()
        return
    _only_author_or_admin(call, place, row)
    threads.delete_comment(call.tx, row["id"])


def _reply(call: Call, place: Place, comment_id: str, body: ReplyCreate) -> CommentReply:
    comment = find_comment(call, place, comment_id)
    text = written_markdown(body.body)
    key = threads.add_reply(call.tx, comment["id"], call.user_id, text)
    return reply_model(call, place, find_reply(call, comment, key))


def _update_reply(
    call: Call,
    place: Place,
    comment_id: str,
    reply_id: str,
    body: SpaceReplyUpdate,
    resolved: bool | None,
) -> CommentReply:
    comment = find_comment(call, place, comment_id)
    row = find_reply(call, comment, reply_id)
    if body.body is not None:
        _only_author(call, row, "reply")
        threads.edit_reply(call.tx, row["id"], written_markdown(body.body))
    _react(call, row, body)
    _set_resolved(call, comment, resolved)
    return reply_model(call, place, find_reply(call, comment, reply_id))


def _delete_reply(call: Call, place: Place, comment_id: str, reply_id: str) -> None:
    comment = comment_or_none(call, place, comment_id)
    row = comment and reply_or_none(call, comment, reply_id)
    if row is None:
        call.was_missing()
        return
    _only_author_or_admin(call, place, row)
    threads.delete_reply(call.tx, row["id"])


def _react(call: Call, row: Row, body: CommentUpdate | SpaceReplyUpdate) -> None:
    """Add and remove the caller's own reactions; one that is in both lists is removed."""
    for emoji in body.added_reactions or ():
        if not emoji.strip():
            raise invalid("body.addedReactions: a reaction is an emoji, this one is empty")
        threads.react(call.tx, row["id"], call.user_id, emoji)
    for emoji in body.removed_reactions or ():
        threads.unreact(call.tx, row["id"], call.user_id, emoji)


def _set_resolved(call: Call, comment: Row, resolved: bool | None) -> None:
    if resolved is True:
        threads.resolve(call.tx, comment["id"], call.user_id)
    elif resolved is False:
        threads.reopen(call.tx, comment["id"])


def _only_author(call: Call, row: Row, kind: str) -> None:
    if row["posted_by"] != call.user_id:
        raise Refusal(403, f"Only its author can edit a {kind}.")


def _only_author_or_admin(call: Call, place: Place, row: Row) -> None:
    if row["posted_by"] != call.user_id and not place.is_admin:
        raise forbidden("admin", f"the space {place.space['title']!r} to delete what others wrote")
