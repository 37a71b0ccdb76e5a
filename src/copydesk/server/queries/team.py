"""Teams of an organization."""

from __future__ import annotations

from typing import Literal

from copydesk.contract.models.team import Team, TeamPermissions
from copydesk.server.errors import forbidden, not_found
from copydesk.server.implementation import Call
from copydesk.server.store import Row


def find_team(
    call: Call,
    organization_id: str,
    team_id: str,
    need: Literal["view", "members", "admin"] = "view",
) -> Row:
    """Return a team of an organization whose teams the caller may list.

    To change who is in it (``members``) takes an owner of the team or an administrator of the
    organization, to change the team itself (``admin``) the latter.
    Raises a 404 when there is no such team, a 403 when the caller lacks the permission.
    """
    organization = call.access.organization(organization_id)
    row = call.tx.get("team", id=team_id, organization_id=organization_id)
    if row is None or not may_view_team(call, row):
        if row is None and call.access.may_in(organization_id, "listTeams"):
            raise not_found("team", team_id)
        raise forbidden("listTeams", f"the organization {organization['title']!r}")
    may = may_administer_team(call, row) or (need == "members" and _role(call, row) == "owner")
    if need != "view" and not may:
        raise forbidden("admin", f"the team {row['title']!r}")
    return row


def team_model(call: Call, row: Row) -> Team:
    """Return the team of a row of ``team``, with its counts and what the caller may do with it."""
    return Team(
        id=row["id"],
        title=row["title"],
        members=call.tx.value("SELECT count(*) FROM team_member WHERE team_id = ?", row["id"]),
        spaces=_count_spaces(call, row),
        created_at=row["created_at"],
        permissions=TeamPermissions(
            admin=may_administer_team(call, row), view=may_view_team(call, row)
        ),
    )


def may_view_team(call: Call, row: Row) -> bool:
    """Say whether the caller may see a team: who lists teams, and its members."""
    return call.access.may_in(row["organization_id"], "listTeams") or _role(call, row) is not None


def may_administer_team(call: Call, row: Row) -> bool:
    """Say whether the caller may rename and delete a team: the organization's administrators."""
    return call.access.may_in(row["organization_id"], "ownTeam")


def _role(call: Call, row: Row) -> str | None:
    role: str | None = call.tx.value(
        "SELECT role FROM team_member WHERE team_id = ? AND user_id = ?", row["id"], call.user_id
    )
    return role


def _count_spaces(call: Call, row: Row) -> int:
    """Return how many spaces were given to a team, directly or with a collection above them."""
    count: int = call.tx.value(
        "WITH RECURSIVE reach(id) AS ("
        "SELECT container_id FROM access_grant WHERE subject_id = ?1 UNION "
        "SELECT collection.id FROM collection JOIN reach ON collection.parent_id = reach.id "
        "WHERE collection.organization_id = ?2) "
        "SELECT count(*) FROM space WHERE organization_id = ?2 AND deleted_at IS NULL "
        "AND (id IN reach OR parent_id IN reach)",
        row["id"],
        row["organization_id"],
    )
    return count
