"""Threads on spaces and on change requests: the same work on two kinds of place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.comment import WantedComments
from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.base import MOST_IN_ONE, Page, Paging
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
from copydesk.server.implementation import Call, implements_on_branch, implements_on_space
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.comment import (
    Place,
    check_page,
    comment_model,
    comment_or_none,
    find_comment,
    find_place,
    reply_model,
    written_markdown,
)
from copydesk.server.queries.member import MEMBERS, member_model
from copydesk.server.queries.user import remember_users, user_by_id
from copydesk.server.store import Row

_to_comment = partial(find_place, permission="comment")


@implements_on_space(ops.list_space_comments, find_place)
@implements_on_branch(ops.list_change_request_comments, find_place)
def list_comments(call: Call, place: Place, **wanted: Unpack[WantedComments]) -> Page[Comment]:
    status, page, authors = wanted["status"], wanted["target_page"], wanted["authors"]
    given = place.conditions()
    given.also("status = ?", None if status == "all" else status)
    given.also("page_id = ?", page)
    given.also(
        "posted_by IN (SELECT value FROM json_each(?))", json.dumps(authors) if authors else None
    )
    count: int | None = None
    if status == "open" and page is None and not authors:
        count = (place.change_request or place.space)["comments"]  # kept as they come and go
    return paginate(
        call.tx,
        lambda row: comment_model(call, place, row, wanted["format"]),
        source="comment",
        which=given,
        keys=("posted_at", "id"),
        descending=wanted["order"] == "desc",
        paging=wanted,
        count=count,
        prepare=lambda rows: _remember_people(call, rows, "posted_by", "resolved_by"),
        indexed=True,
    )


@implements_on_space(ops.create_space_comment, _to_comment, takes="comment")
@implements_on_branch(ops.create_change_request_comment, _to_comment, takes="comment")
def create_comment(call: Call, place: Place, body: CommentCreate) -> Comment:
    if body.page is not None:
        check_page(call, place, body.page)
    else:
        for name, part in (("node", body.node), ("tableCell", body.table_cell)):
            if part:
                raise invalid(f"body.{name}: this is part of a page: name the page in body.page")
    user_by_id(call, call.user_id)  # after the write it would have to be looked at anew
    key = threads.add_comment(
        call.tx,
        place.space["id"],
        call.user_id,
        written_markdown(body.body),
        change_request=place.change_request["id"] if place.change_request else None,
        page=body.page,
        node=body.node,
        table_cell=body.table_cell.model_dump() if body.table_cell else None,
        revision=(place.change_request or place.space)["revision_id"],
    )
    return comment_model(call, place, find_comment(call, place, key), new=True)


@implements_on_space(ops.get_space_comment, find_place)
@implements_on_branch(ops.get_change_request_comment, find_place)
def get_comment(
    call: Call, place: Place, comment_id: str, *, format: ContentFormat | None = None
) -> Comment:
    return comment_model(call, place, find_comment(call, place, comment_id), format)


@implements_on_space(ops.update_space_comment, _to_comment, takes="comment")
@implements_on_branch(ops.update_change_request_comment, _to_comment, takes="comment")
def update_comment(call: Call, place: Place, comment_id: str, body: CommentUpdate) -> Comment:
    row = find_comment(call, place, comment_id)
    if body.body is not None:
        _only_author(call, row, "comment")
        threads.edit_comment(call.tx, row["id"], written_markdown(body.body))
    _react(call, row, body)
    _set_resolved(call, row, body.resolved)
    return comment_model(call, place, find_comment(call, place, comment_id))


@implements_on_space(ops.delete_space_comment, find_place, takes="admin")
@implements_on_branch(ops.delete_change_request_comment, find_place, takes="admin")
def delete_comment(call: Call, place: Place, comment_id: str) -> None:
    row = comment_or_none(call, place, comment_id)
    if row is None:
        call.was_missing()
        return
    _only_author_or_admin(call, place, row)
    threads.delete_comment(call.tx, row["id"])


@implements_on_space(ops.list_space_comment_replies, find_place)
@implements_on_branch(ops.list_change_request_comment_replies, find_place)
def list_replies(
    call: Call,
    place: Place,
    comment_id: str,
    *,
    format: ContentFormat | None = None,
    **paging: Unpack[Paging],
) -> Page[CommentReply]:
    comment = find_comment(call, place, comment_id)
    return paginate(
        call.tx,
        lambda row: reply_model(call, place, row, format),
        source="reply",
        which=Conditions("comment_id = ?", comment["id"]),
        keys=("posted_at", "id"),
        descending=False,
        paging=paging,
        count=comment["replies"],
        prepare=lambda rows: _remember_people(call, rows, "posted_by"),
    )


@implements_on_space(ops.create_space_comment_reply, _to_comment, takes="comment")
@implements_on_branch(ops.create_change_request_comment_reply, _to_comment, takes="comment")
def create_reply(call: Call, place: Place, comment_id: str, body: ReplyCreate) -> CommentReply:
    comment = find_comment(call, place, comment_id)
    text = written_markdown(body.body)
    key = threads.add_reply(call.tx, comment["id"], call.user_id, text)
    return reply_model(call, place, call.tx.row("reply", key), new=True)


@implements_on_space(ops.get_space_comment_reply, find_place)
@implements_on_branch(ops.get_change_request_comment_reply, find_place)
def get_reply(
    call: Call,
    place: Place,
    comment_id: str,
    comment_reply_id: str,
    *,
    format: ContentFormat | None = None,
) -> CommentReply:
    comment = find_comment(call, place, comment_id)
    row = call.find("reply", "reply", comment_reply_id, comment_id=comment["id"])
    return reply_model(call, place, row, format)


@implements_on_branch(ops.update_change_request_comment_reply, _to_comment, takes="comment")
@implements_on_space(ops.update_space_comment_reply, _to_comment, takes="comment")
def update_reply(
    call: Call, place: Place, comment_id: str, comment_reply_id: str, body: SpaceReplyUpdate
) -> CommentReply:
    """Edit or react to a reply; on a change request also resolve its thread."""
    comment = find_comment(call, place, comment_id)
    row = call.find("reply", "reply", comment_reply_id, comment_id=comment["id"])
    if body.body is not None:
        _only_author(call, row, "reply")
        threads.edit_reply(call.tx, row["id"], written_markdown(body.body))
    _react(call, row, body)
    if isinstance(body, ReplyUpdate):
        _set_resolved(call, comment, body.resolved)
    return reply_model(call, place, call.tx.row("reply", row["id"]))


@implements_on_space(ops.delete_space_comment_reply, find_place, takes="admin")
@implements_on_branch(ops.delete_change_request_comment_reply, find_place, takes="admin")
def delete_reply(call: Call, place: Place, comment_id: str, comment_reply_id: str) -> None:
    comment = comment_or_none(call, place, comment_id)
    row = comment and call.tx.get("reply", id=comment_reply_id, comment_id=comment["id"])
    if row is None:
        call.was_missing()
        return
    _only_author_or_admin(call, place, row)
    threads.delete_reply(call.tx, row["id"])


@implements_on_branch(ops.list_change_request_commenters, find_place)
@implements_on_space(ops.list_space_commenters, find_place)
def list_commenters(call: Call, place: Place, **paging: Unpack[Paging]) -> Page[Member]:
    """List the members who commented there or replied."""
    here = place.conditions()
    # Found once: a page and its count would each look through the whole discussion.
    people = call.tx.all(
        here.after(
            "WITH talk AS (SELECT id, posted_by FROM comment WHERE 1",
            ") SELECT posted_by FROM talk UNION "
            "SELECT reply.posted_by FROM reply JOIN talk ON talk.id = comment_id",
        ),
        *here.values,
    )
    return paginate(
        call.tx,
        lambda member: member_model(call, member),
        source=MEMBERS,
        which=Conditions(
            "organization_id = ? AND user_id IN (SELECT value FROM json_each(?))",
            place.space["organization_id"],
            json.dumps([each["posted_by"] for each in people]),
        ),
        keys=("joined_at", "user_id"),
        descending=False,
        paging=paging,
    )


def _remember_people(call: Call, rows: Sequence[Row], *columns: str) -> None:
    """Read at once the people whom the rows of a page name."""
    named = (row[column] for row in rows for column in columns)
    remember_users(call, (key for key in named if key is not None))


def _react(call: Call, row: Row, body: CommentUpdate | SpaceReplyUpdate) -> None:
    """Add and remove the caller's own reactions; one that is in both lists is removed."""
    before = threads.count_emoji(call.tx, row["id"])
    for emoji in body.added_reactions or ():
        if not emoji.strip():
            raise invalid("body.addedReactions: a reaction is an emoji, this one is empty")
        threads.react(call.tx, row["id"], call.user_id, emoji)
    for emoji in body.removed_reactions or ():
        threads.unreact(call.tx, row["id"], call.user_id, emoji)
    if threads.count_emoji(call.tx, row["id"]) > max(before, MOST_IN_ONE):
        raise invalid(
            f"body.addedReactions: with these there would be more than {MOST_IN_ONE} different "
            "emoji; take one that is there"
        )


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
