"""Members of an organization, and what they can reach in it."""

from __future__ import annotations

import json

from copydesk.contract.models.member import Member
from copydesk.server.access import Access
from copydesk.server.errors import invalid, or_not_found
from copydesk.server.implementation import Call
from copydesk.server.pagination import Conditions
from copydesk.server.queries.user import user_model
from copydesk.server.store import Row, Tx

MEMBERS = "member JOIN user ON user.id = member.user_id"
"""What lists of members are read from: the columns of both tables."""


def also_found(which: Conditions, search: str | None, *, active: bool) -> None:
    """Demand a text in the name or e-mail address of ``MEMBERS``, and that they still come."""
    if search:
        named = "instr(casefold(display_name), ?) OR instr(casefold(email), ?)"
        which.also(named, *[search.casefold()] * 2)
    if active:
        which.also("last_seen_at IS NOT NULL AND NOT disabled")


def find_member(call: Call, organization_id: str, user_id: str) -> Row:
    """Return a member's row of ``MEMBERS``; raises a 404 when there is no such member."""
    return or_not_found(
        call.tx.get(MEMBERS, organization_id=organization_id, user_id=user_id), "member", user_id
    )


def resolve_user(call: Call, organization_id: str, id_or_email: str, where: str) -> str:
    """Return the id of the member that a body names by user id or e-mail address, at ``where``.

    Raises a 400 when the organization has no such member.
    """
    found = member_id(call, organization_id, id_or_email)
    if found is None:
        raise invalid(f"body.{where}: the organization has no member {id_or_email[:100]!r}")
    return found


def member_id(call: Call, organization_id: str, id_or_email: str) -> str | None:
    """Return the id of a member, named by user id or e-mail address; None when there is none."""
    found: str | None = call.tx.value(
        "SELECT user_id FROM member WHERE organization_id = ?1 "
        "AND user_id IN (SELECT id FROM user WHERE id = ?2 OR email = ?2)",
        organization_id,
        id_or_email,
    )
    return found


def member_model(call: Call, row: Row) -> Member:
    """Return the member of a row of ``MEMBERS``, with how many spaces, teams and sites."""
    return Member(
        id=row["user_id"],
        role=row["role"],
        user=user_model(call, row),
        disabled=bool(row["disabled"]),
        joined_at=row["joined_at"],
        last_seen_at=row["last_seen_at"],
        sso=bool(row["sso"]),
        spaces=_count_spaces(call, row["organization_id"], row["user_id"]),
        teams=call.tx.value(
            "SELECT count(*) FROM team_member JOIN team ON team.id = team_id "
            "WHERE user_id = ? AND organization_id = ?",
            row["user_id"],
            row["organization_id"],
        ),
        sites=0 if row["disabled"] else _count_sites(call.tx, row["organization_id"]),
    )


def _count_sites(tx: Tx, organization_id: str) -> int:
    """Return how many sites an organization has: whoever is in it may view them."""
    count = "SELECT count(*) FROM site WHERE organization_id = ?"
    return int(tx.kept((count, organization_id), lambda: tx.value(count, organization_id)))


def access_of(call: Call, user_id: str) -> Access:
    """Return what somebody may do, who need not be the caller."""
    return call.access if user_id == call.user_id else Access(call.tx, user_id)


def _count_spaces(call: Call, organization_id: str, user_id: str) -> int:
    """Return how many spaces a member can view.

    Members of one role to whom nothing was granted reach the same spaces, so those are counted once
    for a request.
    """
    access = access_of(call, user_id)
    if access.grants:
        return _spaces_of(access, organization_id)
    enabled = organization_id in access.memberships
    role = access.role(organization_id) or ("guest" if enabled else "disabled")
    key = ("spaces of a role", f"{organization_id}/{role}")
    if key not in call.remembered:
        call.remembered[key] = _spaces_of(access, organization_id)
    count: int = call.remembered[key]
    return count


def _spaces_of(access: Access, organization_id: str) -> int:
    """Return how many spaces somebody can view.

    Spaces of one collection with one default level are alike unless something was granted on them
    directly, so each such group is judged once.
    """
    groups = access.tx.all(
        "SELECT id, organization_id, parent_id, default_level, count(*) AS spaces FROM space "
        "WHERE organization_id = ? AND deleted_at IS NULL GROUP BY parent_id, default_level, "
        "CASE WHEN id IN (SELECT value FROM json_each(?)) THEN id END",
        organization_id,
        json.dumps(list(access.grants)),
    )
    return sum(group["spaces"] for group in groups if access.level(group) is not None)
