"""Spaces: reading them, and taking them out for good."""

from __future__ import annotations

import json
from datetime import timedelta

from copydesk.contract.models.parts import Urls
from copydesk.contract.models.space import Space
from copydesk.server.access import SPACE_PERMISSIONS, permissions
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call
from copydesk.server.store import Row, Tx, timestamp

TRASH_DAYS = 7
"""How long a deleted space can be restored (platform-api.md, Limits)."""


def space_model(call: Call, row: Row) -> Space:
    """Return the space of a row of ``space``, with what the caller may do in it."""
    return Space.model_validate(
        {
            "id": row["id"],
            "title": row["title"],
            "emoji": row["emoji"],
            "visibility": row["visibility"],
            "created_at": row["created_at"],
            "updated_at": row["updated_at"],
            "deleted_at": row["deleted_at"],
            "edit_mode": row["edit_mode"],
            "merge_rules": json.loads(row["merge_rules"]),
            "urls": Urls(location=call.url("spaces", row["id"])),
            "organization": row["organization_id"],
            "parent": row["parent_id"],
            "language": row["language"],
            "git_sync": _json(row["git_sync"]),
            "visitor_auth": _json(row["visitor_auth"]),
            "revision": row["revision_id"],
            "default_level": row["default_level"],
            "comments": row["comments"],
            "change_requests": row["change_requests"],
            "change_requests_open": row["change_requests_open"],
            "change_requests_draft": row["change_requests_draft"],
            "permissions": permissions(SPACE_PERMISSIONS, call.access.level(row)),
        }
    )


def space_by_id(call: Call, space_id: str) -> Space:
    """Return a space whose id comes from the desk itself; nobody asks if the caller may see it."""
    row = call.tx.one("SELECT * FROM space WHERE id = ?", space_id)
    assert row is not None, f"space {space_id} is referenced but not there"
    return space_model(call, row)


def check_people(call: Call, organization_id: str, merge_rules: object) -> None:
    """Raise a 400 when merge rules name somebody who is no member of the organization.

    Takes the rules as JSON. A rule that nobody could meet would block every merge for good.
    """
    rules = merge_rules.get("rules") if isinstance(merge_rules, dict) else None
    for rule in rules or ():
        for user_id in rule.get("users") or ():
            if not call.tx.value(
                "SELECT count(*) FROM member WHERE organization_id = ? AND user_id = ?",
                organization_id,
                user_id,
            ):
                raise invalid(
                    f"body.mergeRules: {rule['rule']} names {user_id[:100]!r}, who is no member "
                    "of the organization"
                )


def purge_trash(tx: Tx) -> int:
    """Remove spaces for good whose time in the trash is over; return how many those were."""
    limit = timestamp(tx.moment - timedelta(days=TRASH_DAYS))
    doomed = tx.all("SELECT id FROM space WHERE deleted_at <= ?", limit)
    for row in doomed:
        remove_space(tx, row["id"])
    return len(doomed)


def remove_space(tx: Tx, space_id: str) -> None:
    """Remove a space and everything that belongs to it. No site may show it."""
    tx.run(
        "DELETE FROM reaction WHERE target_id IN (SELECT id FROM comment WHERE space_id = ?1 "
        "UNION ALL SELECT reply.id FROM reply JOIN comment ON comment.id = reply.comment_id "
        "WHERE comment.space_id = ?1)",
        space_id,
    )
    tx.run("DELETE FROM access_grant WHERE container_id = ?", space_id)
    tx.run("DELETE FROM space WHERE id = ?", space_id)


def _json(text: str | None) -> object:
    return None if text is None else json.loads(text)
