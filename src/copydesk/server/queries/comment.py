"""Threads: what a comment is on, finding comments and replies, and showing them."""

from __future__ import annotations

import json
from typing import Any, Literal

from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.comment import (
    Comment,
    CommentReply,
    MarkdownBody,
    Reaction,
    Reactor,
    Replier,
    WrittenBody,
)
from copydesk.domain.documents import document_to_markdown, markdown_to_document
from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content
from copydesk.server.change_requests import base_of
from copydesk.server.errors import invalid, or_not_found
from copydesk.server.implementation import Call
from copydesk.server.pagination import Conditions
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.user import user_by_id
from copydesk.server.queries.written import fitting
from copydesk.server.store import Row, columns


@dataclass(frozen=True, slots=True)
class Place:
    """What comments are on: a space, or a change request of it.

    ``may_comment`` and ``is_admin`` say what the caller may do there.
    """

    space: Row
    change_request: Row | None
    may_comment: bool
    is_admin: bool

    def conditions(self) -> Conditions:
        """Return the conditions that pick the comments here."""
        if self.change_request is None:
            return Conditions("space_id = ? AND change_request_id IS NULL", self.space["id"])
        return Conditions("change_request_id = ?", self.change_request["id"])

    def url(self, call: Call, *segments: str) -> str:
        """Return the URL of something here."""
        above = ["spaces", self.space["id"]]
        if self.change_request is not None:
            above += ["change-requests", self.change_request["id"]]
        return call.url(*above, "comments", *segments)


def find_place(
    call: Call,
    space_id: str,
    change_request: str | None = None,
    permission: Literal["view", "comment"] = "view",
) -> Place:
    """Return a space, or a change request of it by id or number, as something to comment on.

    Raises a 404 when the caller may not see it, a 403 when they lack the permission.
    """
    row = None
    if change_request is None:
        space = call.access.space(space_id, permission)
    else:
        space, row = find_change_request(call, space_id, change_request, permission)
    return Place(space, row, call.access.may(space, "comment"), call.access.may(space, "admin"))


def find_comment(call: Call, place: Place, comment_id: str) -> Row:
    """Return a comment of a place; raises a 404 when it has none with this id."""
    return or_not_found(comment_or_none(call, place, comment_id), "comment", comment_id)


def comment_or_none(call: Call, place: Place, comment_id: str) -> Row | None:
    """Return a comment of a place if it is there: deleting one that is not is no error."""
    which = place.conditions()
    which.also("id = ?", comment_id)
    return call.tx.one(which.after("SELECT * FROM comment WHERE 1"), *which.values)


def check_page(call: Call, place: Place, page_id: str) -> None:
    """Raise a 400 unless a page is in the content commented on.

    In a change request that is also a page which it deletes.
    """
    change_request = place.change_request
    revisions = (
        [place.space["revision_id"]]
        if change_request is None
        else [change_request["revision_id"], base_of(change_request)]
    )
    for revision in revisions:
        if any(node.page == page_id for node in content.load(call.tx, revision).nodes()):
            return
    raise invalid(f"body.page: there is no page {page_id[:100]!r} here")


def written_markdown(body: WrittenBody) -> str:
    """Return what a request says as Markdown; raises a 400 when it says nothing, or too much."""
    text = body.markdown if isinstance(body, MarkdownBody) else document_to_markdown(body.document)
    if not text.strip():
        raise invalid("body.body: there is no text in it")
    return fitting(text, "body.body")


def comment_model(
    call: Call, place: Place, row: Row, format: ContentFormat | None = None, *, new: bool = False
) -> Comment:
    """Return a comment as the API shows it; its text is Markdown unless a document is asked for.

    To a ``new`` one nobody can have reacted.
    """
    return Comment.model_validate(
        {
            **columns(row, "id", "posted_at", "edited_at", "replies", "status", "resolved_at"),
            "posted_by": user_by_id(call, row["posted_by"]),
            "reactions": [] if new else _reactions(call, row["id"]),
            "repliers": _repliers(call, row["id"]) if row["replies"] else [],
            "body": _body(row["body"], format),
            "target": _target(row),
            "urls": {"location": place.url(call, row["id"])},
            "permissions": _permissions(call, place, row),
            "resolved_by": row["resolved_by"] and user_by_id(call, row["resolved_by"]),
        }
    )


def reply_model(
    call: Call, place: Place, row: Row, format: ContentFormat | None = None, *, new: bool = False
) -> CommentReply:
    """Return a reply as the API shows it, as ``comment_model`` does a comment."""
    return CommentReply.model_validate(
        {
            **columns(row, "id", "posted_at", "edited_at"),
            "posted_by": user_by_id(call, row["posted_by"]),
            "reactions": [] if new else _reactions(call, row["id"]),
            "body": _body(row["body"], format),
            "urls": {"location": place.url(call, row["comment_id"], "replies", row["id"])},
            "permissions": _permissions(call, place, row),
        }
    )


# Parts as their fields: the model that has them makes them all at once, in half the time.


def _body(markdown: str, format: ContentFormat | None) -> dict[str, Any]:
    if format == "document":
        return {"document": markdown_to_document(markdown)}
    return {"markdown": markdown}


def _target(row: Row) -> dict[str, Any]:
    cell = row["table_cell"]
    return {
        "node": {"id": row["node_id"]} if row["node_id"] else None,
        "table_cell": json.loads(cell) if cell else None,
        "change_request": row["change_request_id"],
        "review": row["review_id"],
        "page": {"id": row["page_id"]} if row["page_id"] else None,
        "space": row["space_id"],
        "revision": row["revision_id"],
    }


def _permissions(call: Call, place: Place, row: Row) -> dict[str, Any]:
    own = row["posted_by"] == call.user_id
    return {
        "view": True,
        "edit": own and place.may_comment,
        "reply": place.may_comment,
        "delete": own or place.is_admin,
    }


def _reactions(call: Call, target_id: str) -> list[Reaction]:
    """Return the reactions to a comment or a reply, the emoji that came first leading."""
    found: dict[str, list[Reactor]] = {}
    for row in call.tx.all(
        "SELECT emoji, user_id, reacted_at FROM reaction WHERE target_id = ? "
        "ORDER BY reacted_at, emoji, user_id",
        target_id,
    ):
        reactor = Reactor.model_validate(
            {"user": user_by_id(call, row["user_id"]), "reacted_at": row["reacted_at"]}
        )
        found.setdefault(row["emoji"], []).append(reactor)
    return [Reaction(emoji=emoji, count=len(who), users=who) for emoji, who in found.items()]


def _repliers(call: Call, comment_id: str) -> list[Replier]:
    """Return who replied to a comment, in the order in which they joined in."""
    rows = call.tx.all(
        "SELECT posted_by, count(*) AS count, max(posted_at) AS updated_at FROM reply "
        "WHERE comment_id = ? GROUP BY posted_by ORDER BY min(posted_at), posted_by",
        comment_id,
    )
    return [
        Replier.model_validate(
            {
                "user": user_by_id(call, row["posted_by"]),
                "count": row["count"],
                "updated_at": row["updated_at"],
            }
        )
        for row in rows
    ]
