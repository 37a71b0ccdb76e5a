"""Who worked on a change request: its revisions by their authors, its comments by theirs."""

from __future__ import annotations

import json
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.store import Row, Tx


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one person did to a change request: how often, and when last."""

    user: str
    kind: Literal["edit", "comment"]
    count: int
    latest: str


def contributions(tx: Tx, change_request: Row) -> list[Contribution]:
    """Return who edited a change request and who commented on it, the latest first.

    Who is known to have written it without a revision of their own counts once.
    """
    edits: dict[str, list[str]] = {}
    revision, initial = change_request["revision_id"], change_request["revision_initial"]
    while revision is not None and revision != initial:
        row = tx.row("revision", revision)
        if row["author_id"] is not None and row["type"] != "update":
            edits.setdefault(row["author_id"], []).append(row["created_at"])
        revision = next(iter(json.loads(row["parents"])), None)
    for row in tx.all(
        "SELECT user_id FROM contributor WHERE change_request_id = ?", change_request["id"]
    ):
        edits.setdefault(row["user_id"], [change_request["created_at"]])
    found = [Contribution(user, "edit", len(at), max(at)) for user, at in edits.items()]
    found += [
        Contribution(row["posted_by"], "comment", row["times"], row["latest"])
        for row in tx.all(
            "WITH said AS (SELECT posted_by, posted_at FROM comment WHERE change_request_id = ?1 "
            "UNION ALL SELECT reply.posted_by, reply.posted_at FROM reply "
            "JOIN comment ON comment.id = comment_id WHERE change_request_id = ?1) "
            "SELECT posted_by, count(*) AS times, max(posted_at) AS latest FROM said "
            "GROUP BY posted_by",
            change_request["id"],
        )
    ]
    return sorted(found, key=lambda each: (each.latest, each.user, each.kind), reverse=True)
