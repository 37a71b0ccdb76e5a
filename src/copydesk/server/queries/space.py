"""Spaces: reading them, and removing them for good.

Texts and files are stored once however many name them, so that removing a space leaves those that
others have too and takes the rest: what was deleted is not kept. ``blob_name`` says which spaces
name what, so that this takes as long as the space is large.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from copydesk.contract.models.base import ResourceUrls
from copydesk.contract.models.space import Space
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.space_tree import TRASH_DAYS
from copydesk.server.access import SPACE_PERMISSIONS, permissions
from copydesk.server.desk_writes import last_position
from copydesk.server.errors import blocked, invalid
from copydesk.server.implementation import Call
from copydesk.server.queries.publication import publication_of, remember_publications
from copydesk.server.site_structure import drop_space
from copydesk.server.store import Row, Tx, columns, from_json, timestamp

HERE = "desk"
"""The id that stands for an installation: the desk itself reads and writes repositories."""


def space_model(call: Call, row: Row) -> Space:
    """Return the space of a row of ``space``, with what the caller may do in it.

    One in the trash has no address, and nothing is done in it but that its administrators restore
    it.
    """
    deleted = row["deleted_at"] is not None
    may = permissions(SPACE_PERMISSIONS, call.access.level(row))
    return Space.model_validate(
        {
            **columns(row, "id", "title", "emoji", "created_at", "updated_at", "deleted_at"),
            **columns(row, "edit_mode", "language", "default_level", "comments", "change_requests"),
            **columns(row, "change_requests_open", "change_requests_draft"),
            "visibility": _visibility(call, row),
            "merge_rules": json.loads(row["merge_rules"]),
            "urls": ResourceUrls(
                location=call.url("spaces", row["id"]),
                app=space_screen(call, row),
                published=publication_of(call, row["id"]).address,
            ),
            "organization": row["organization_id"],
            "parent": row["parent_id"],
            "git_sync": git_state(row),
            "visitor_auth": from_json(row["visitor_auth"]),
            "revision": row["revision_id"],
            "permissions": dict.fromkeys(may, False) | {"admin": may["admin"]} if deleted else may,
        }
    )


def git_state(row: Row) -> dict[str, Any] | None:
    """Return the state of the git synchronization of a space, None for a space without one."""
    if row["git_sync"] is None:
        return None
    state: dict[str, Any] = json.loads(row["git_sync"])
    told = {
        "installationId": HERE,
        "installationProvider": "github",
        "installationStatus": "active" if "url" in state else "pending",
    }
    return told | state


def published_space_model(call: Call, row: Row, share_key: str | None = None) -> Space:
    """Return a space as those get it who only read it on a published site.

    What it says is published; how people work on it is not: nothing is counted, no rule is told,
    and there is no permission.
    """
    location = call.url("spaces", row["id"])
    if share_key is not None:
        location += f"?shareKey={quote(share_key, safe='')}"
    return Space.model_validate(
        {
            **columns(row, "id", "title", "emoji", "created_at", "updated_at", "language"),
            "visibility": _visibility(call, row),
            "urls": ResourceUrls(
                location=location,
                app=space_screen(call, row),
                published=publication_of(call, row["id"]).address,
            ),
            "organization": row["organization_id"],
            "revision": row["revision_id"],
            "default_level": None,
            "permissions": permissions(SPACE_PERMISSIONS, None),
        }
    )


def space_screen(call: Call, row: Row) -> str:
    """Return the address of a space's screen; its content has addresses below it."""
    return call.app_url("o", row["organization_id"], "s", row["id"])


def prepare_spaces(call: Call, rows: Sequence[Row]) -> None:
    """Find out at once what published sites make of the spaces of a page of a list."""
    remember_publications(call, (row["id"] for row in rows))


def _visibility(call: Call, row: Row) -> str:
    """Return who can read a space: whoever its sites let in, or else who may see it here."""
    published = publication_of(call, row["id"]).visibility
    if published is not None:
        return published
    own: str = row["visibility"]
    if own == "private":
        return own
    # At the top it is private for as long as it is there: back in a collection it is as before.
    return "private" if row["parent_id"] is None else "in-collection"


def check_people(call: Call, organization_id: str, merge_rules: object) -> None:
    """Raise a 400 when merge rules name somebody who is no member of the organization.

    Takes the rules as JSON. A rule that nobody could meet would block every merge for good.
    """
    rules = merge_rules.get("rules") if isinstance(merge_rules, dict) else None
    for rule in rules or ():
        for user_id in rule.get("users") or ():
            if not _is_member(call.tx, organization_id, user_id):
                raise invalid(
                    f"body.mergeRules: {rule['rule']} names {user_id[:100]!r}, who is not a member "
                    "of the organization"
                )


def hand_over(tx: Tx, space: Row, organization_id: str, parent_id: str | None) -> None:
    """Give a space to another organization, last in one of its collections or at its root.

    What only makes sense in the old one goes: grants and requested reviews of people who are not in
    the new one, the issue clusters that change requests answer, and the integrations installed on
    it. Raises a 412 when the space cannot move.
    """
    site: str | None = tx.value(
        "SELECT site.title FROM site_space JOIN site ON site.id = site_id "
        "WHERE space_id = ? LIMIT 1",
        space["id"],
    )
    if site is not None:
        raise blocked(
            f"The space {space['title']!r} is shown by the site {site!r}; "
            "remove it from the site first."
        )
    # A translation would go on carrying texts from one organization into the other.
    language: str | None = tx.value(
        "SELECT language FROM translation WHERE source_space_id = ?1 OR result_space_id = ?1 "
        "LIMIT 1",
        space["id"],
    )
    if language is not None:
        raise blocked(
            f"The space {space['title']!r} belongs to a translation into {language!r}; "
            "delete the translation first."
        )
    for rule in json.loads(space["merge_rules"]).get("rules") or ():
        if any(not _is_member(tx, organization_id, user) for user in rule.get("users") or ()):
            raise blocked(
                f"A merge rule of the space {space['title']!r} names someone who is not in "
                "the other organization; change the rule first."
            )
    tx.update(
        "space",
        space["id"],
        organization_id=organization_id,
        parent_id=parent_id,
        position=last_position(tx, organization_id, parent_id),
        updated_at=tx.now,
    )
    forget_strangers(tx, space["id"], organization_id)
    tx.run("DELETE FROM space_installation WHERE space_id = ?", space["id"])
    tx.run(
        "UPDATE change_request SET organization_id = ?, cluster_id = NULL WHERE space_id = ?",
        organization_id,
        space["id"],
    )
    tx.run(
        "DELETE FROM requested_reviewer WHERE change_request_id IN "
        "(SELECT id FROM change_request WHERE space_id = ?) "
        "AND user_id NOT IN (SELECT user_id FROM member WHERE organization_id = ?)",
        space["id"],
        organization_id,
    )


def forget_strangers(tx: Tx, container_id: str, organization_id: str) -> None:
    """Withdraw the permissions on a space or collection of people outside an organization.

    Links of other organizations that lead there end, too.
    """
    tx.run(
        "DELETE FROM invite_link WHERE (space_id = ?1 OR collection_id = ?1) "
        "AND organization_id <> ?2",
        container_id,
        organization_id,
    )
    tx.run(
        "DELETE FROM access_grant WHERE container_id = ?1 AND subject_id NOT IN "
        "(SELECT user_id FROM member WHERE organization_id = ?2 UNION ALL "
        "SELECT id FROM team WHERE organization_id = ?2)",
        container_id,
        organization_id,
    )


def may_restore(call: Call, row: Row) -> bool:
    """Say whether a space is in the trash, its time there is not over, and the caller may say so.

    That takes the permission admin, as restoring does.
    """
    deleted_at: str | None = row["deleted_at"]
    return deleted_at is not None and (
        deleted_at > trash_limit(call.tx) and call.access.may(row, "admin")
    )


def purge_trash(tx: Tx) -> int:
    """Remove spaces for good after their time in the trash; return how many those were."""
    doomed = tx.all("SELECT id FROM space WHERE deleted_at <= ?", trash_limit(tx))
    for row in doomed:
        remove_space(tx, row["id"])
    return len(doomed)


def trash_limit(tx: Tx) -> str:
    """Return the time before which deleted spaces are gone for good."""
    return timestamp(tx.moment - timedelta(days=TRASH_DAYS))


def remove_space(tx: Tx, space_id: str) -> None:
    """Remove a space and everything that belongs to it, from the sites that show it too."""
    stored = content_of(tx, space_id)
    drop_space(tx, space_id)
    tx.run(
        "DELETE FROM reaction WHERE target_id IN (SELECT id FROM comment WHERE space_id = ?1 "
        "UNION ALL SELECT reply.id FROM reply JOIN comment ON comment.id = reply.comment_id "
        "WHERE comment.space_id = ?1)",
        space_id,
    )
    tx.run("DELETE FROM access_grant WHERE container_id = ?", space_id)
    tx.run("DELETE FROM space WHERE id = ?", space_id)
    sweep(tx, stored)


def _is_member(tx: Tx, organization_id: str, user_id: str) -> bool:
    return tx.get("member", organization_id=organization_id, user_id=user_id) is not None


@dataclass(frozen=True, slots=True)
class Content:
    """What a space stores: ids of its pages, and hashes of its trees and of all bytes it names."""

    pages: tuple[str, ...]
    trees: tuple[str, ...]
    blobs: tuple[str, ...]


def content_of(tx: Tx, space_id: str) -> Content:
    """Return what a space stores, before it is removed."""

    def found(statement: str) -> tuple[str, ...]:
        return tuple(row["key"] for row in tx.all(statement, space_id))

    return Content(
        found("SELECT id AS key FROM page WHERE space_id = ?"),
        found("SELECT DISTINCT tree_hash AS key FROM revision WHERE space_id = ?"),
        found("SELECT hash AS key FROM blob_name WHERE space_id = ?"),
    )


def sweep(tx: Tx, content: Content) -> None:
    """Remove the contents of a removed space that nothing else names."""
    tx.run(
        "DELETE FROM page_version WHERE page_id IN (SELECT value FROM json_each(?))",
        json.dumps(content.pages),
    )
    for statement, hashes in (
        ("tree WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM revision WHERE tree_hash = ?1)",
         content.trees),
        ("blob WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM blob_name WHERE hash = ?1)",
         content.blobs),
    ):  # fmt: skip
        tx.run_many(f"DELETE FROM {statement}", ((key,) for key in hashes))  # noqa: S608 - ours
