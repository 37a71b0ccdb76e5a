"""Discussion of content: comments, replies, reactions, reviews.

These functions write and keep the counts right; who may say what is the handlers' business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copydesk.server.store import Row, Tx, to_json


def add_comment(
    tx: Tx,
    space_id: str,
    author: str,
    markdown: str,
    *,
    change_request: str | None = None,
    page: str | None = None,
    node: str | None = None,
    table_cell: Mapping[str, Any] | None = None,
    review: str | None = None,
    revision: str | None = None,
) -> str:
    """Add an open comment to a change request or, without one, to the space; return its id.

    It is about the revision that is current there now: ``revision``, where the caller has just read
    it.
    """
    if revision is None:
        table, key = (
            ("space", space_id) if change_request is None else ("change_request", change_request)
        )
        revision = tx.row(table, key)["revision_id"]
    comment_id = tx.add(
        "comment",
        space_id=space_id,
        change_request_id=change_request,
        revision_id=revision,
        page_id=page,
        node_id=node,
        table_cell=None if table_cell is None else to_json(table_cell),
        review_id=review,
        body=markdown,
        posted_by=author,
        posted_at=tx.now,
    )
    _count(tx, space_id, change_request, 1)
    return comment_id


def add_reply(tx: Tx, comment_id: str, author: str, markdown: str) -> str:
    """Add a reply to a comment and return its id."""
    reply_id = tx.add(
        "reply", comment_id=comment_id, body=markdown, posted_by=author, posted_at=tx.now
    )
    tx.run("UPDATE comment SET replies = replies + 1 WHERE id = ?", comment_id)
    return reply_id


def edit_comment(tx: Tx, comment_id: str, markdown: str) -> None:
    """Replace what a comment says, also in the review that it was said with."""
    tx.update("comment", comment_id, body=markdown, edited_at=tx.now)
    _say_in_review(tx, tx.row("comment", comment_id), markdown)


def edit_reply(tx: Tx, reply_id: str, markdown: str) -> None:
    """Replace what a reply says."""
    tx.update("reply", reply_id, body=markdown, edited_at=tx.now)


def resolve(tx: Tx, comment_id: str, user_id: str) -> None:
    """Resolve a comment; one that is resolved stays as it was resolved."""
    comment = tx.row("comment", comment_id)
    if comment["status"] != "resolved":
        tx.update("comment", comment_id, status="resolved", resolved_at=tx.now, resolved_by=user_id)
        _count(tx, comment["space_id"], comment["change_request_id"], -1)


def reopen(tx: Tx, comment_id: str) -> None:
    """Open a resolved comment again."""
    comment = tx.row("comment", comment_id)
    if comment["status"] == "resolved":
        tx.update("comment", comment_id, status="open", resolved_at=None, resolved_by=None)
        _count(tx, comment["space_id"], comment["change_request_id"], 1)


def react(tx: Tx, target_id: str, user_id: str, emoji: str) -> None:
    """Add a user's reaction to a comment or a reply; the same one again changes nothing."""
    tx.run(
        "INSERT OR IGNORE INTO reaction (target_id, emoji, user_id, reacted_at) "
        "VALUES (?, ?, ?, ?)",
        target_id,
        emoji,
        user_id,
        tx.now,
    )


def count_emoji(tx: Tx, target_id: str) -> int:
    """Return how many different emoji are among the reactions to a comment or a reply."""
    found: int = tx.value(
        "SELECT count(DISTINCT emoji) FROM reaction WHERE target_id = ?", target_id
    )
    return found


def unreact(tx: Tx, target_id: str, user_id: str, emoji: str) -> None:
    """Take a user's reaction back."""
    tx.run(
        "DELETE FROM reaction WHERE target_id = ? AND user_id = ? AND emoji = ?",
        target_id,
        user_id,
        emoji,
    )


def delete_comment(tx: Tx, comment_id: str) -> None:
    """Delete a comment with its replies and all their reactions; its review then has no words."""
    comment = tx.row("comment", comment_id)
    _say_in_review(tx, comment, None)
    tx.run(
        "DELETE FROM reaction WHERE target_id = ?1 "
        "OR target_id IN (SELECT id FROM reply WHERE comment_id = ?1)",
        comment_id,
    )
    tx.run("DELETE FROM comment WHERE id = ?", comment_id)  # its replies follow by foreign key
    if comment["status"] == "open":
        _count(tx, comment["space_id"], comment["change_request_id"], -1)


def delete_reply(tx: Tx, reply_id: str) -> None:
    """Delete a reply with its reactions."""
    tx.run(
        "UPDATE comment SET replies = replies - 1 "
        "WHERE id = (SELECT comment_id FROM reply WHERE id = ?)",
        reply_id,
    )
    tx.run("DELETE FROM reaction WHERE target_id = ?", reply_id)
    tx.run("DELETE FROM reply WHERE id = ?", reply_id)


def add_review(
    tx: Tx, change_request_id: str, reviewer: str, status: str, comment: str | None = None
) -> str:
    """Add a review (approved, changes-requested) of the current revision and return its id."""
    return tx.add(
        "review",
        change_request_id=change_request_id,
        revision_id=tx.value(
            "SELECT revision_id FROM change_request WHERE id = ?", change_request_id
        ),
        reviewer=reviewer,
        status=status,
        comment=comment,
        created_at=tx.now,
    )


def request_review(tx: Tx, change_request_id: str, user_id: str, requested_by: str) -> None:
    """Ask a user for a review; someone asked already stays asked as they were."""
    tx.run(
        "INSERT OR IGNORE INTO requested_reviewer "
        "(change_request_id, user_id, requested_by, created_at) VALUES (?, ?, ?, ?)",
        change_request_id,
        user_id,
        requested_by,
        tx.now,
    )


def _say_in_review(tx: Tx, comment: Row, markdown: str | None) -> None:
    if comment["review_id"] is not None:
        tx.update("review", comment["review_id"], comment=markdown)


def _count(tx: Tx, space_id: str, change_request_id: str | None, change: int) -> None:
    """Keep the number of open comments of what the comment is on."""
    if change_request_id is None:
        tx.run("UPDATE space SET comments = comments + ? WHERE id = ?", change, space_id)
    else:
        tx.run(
            "UPDATE change_request SET comments = comments + ? WHERE id = ?",
            change,
            change_request_id,
        )
