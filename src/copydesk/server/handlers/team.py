"""Teams and who is in them."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.member import TeamMember, TeamMemberPermissions, TeamMembership
from copydesk.contract.models.team import (
    Team,
    TeamCreate,
    TeamMembersUpdate,
    TeamMemberUpdate,
    TeamUpdate,
)
from copydesk.server.desk_writes import add_team
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.member import find_member, member_model, resolve_user
from copydesk.server.queries.team import find_team, team_model

_TEAM_MEMBERS = (
    "(SELECT member.user_id, joined_at, team_member.role AS team_role FROM member "
    "JOIN team_member ON team_member.user_id = member.user_id "
    "WHERE organization_id = ? AND team_id = ?)"
)


@implements(ops.list_teams, takes="listTeams")
def list_teams(
    call: Call,
    organization_id: str,
    *,
    owner: str | None = None,
    title: str | None = None,
    **paging: Unpack[Paging],
) -> Page[Team]:
    call.access.organization(organization_id, "listTeams")
    given = Conditions("organization_id = ?", organization_id)
    given.also("instr(casefold(title), ?) > 0", title and title.casefold())
    given.also(
        "id IN (SELECT team_id FROM team_member WHERE user_id = ? AND role = 'owner') OR "
        "EXISTS (SELECT 1 FROM member WHERE member.organization_id = team.organization_id "
        "AND member.user_id = ? AND member.role = 'admin')",
        owner,
        owner,
    )
    return paginate(
        call.tx, lambda row: team_model(call, row), source="team", which=given, paging=paging
    )


@implements(ops.create_team, takes="ownTeam")
def create_team(call: Call, organization_id: str, body: TeamCreate) -> Team:
    """Create a team of members of the organization."""
    call.access.organization(organization_id, "ownTeam")
    members = [
        resolve_user(call, organization_id, member, "members") for member in body.members or ()
    ]
    team_id = add_team(call.tx, organization_id, body.title, members)
    call.location = call.url("orgs", organization_id, "teams", team_id)
    return team_model(call, find_team(call, organization_id, team_id))


@implements(ops.get_team, takes="listTeams")
def get_team(call: Call, organization_id: str, team_id: str) -> Team:
    return team_model(call, find_team(call, organization_id, team_id))


@implements(ops.update_team, takes="admin")
def update_team(call: Call, organization_id: str, team_id: str, body: TeamUpdate) -> Team:
    """Rename a team. Takes an administrator of the organization; its owners manage who is in it."""
    find_team(call, organization_id, team_id, "admin")
    if body.title is not None:
        call.tx.update("team", team_id, title=body.title)
    return team_model(call, find_team(call, organization_id, team_id))


@implements(ops.delete_team, takes="admin")
def delete_team(call: Call, organization_id: str, team_id: str) -> None:
    """Delete a team with its permissions; rights as for renaming."""
    call.access.organization(organization_id, "listTeams")
    if call.tx.get("team", id=team_id, organization_id=organization_id) is None:
        return call.was_missing()
    find_team(call, organization_id, team_id, "admin")
    call.tx.run("DELETE FROM access_grant WHERE subject_id = ?", team_id)
    call.tx.run("DELETE FROM team WHERE id = ?", team_id)
    return None


@implements(ops.list_team_members, takes="listTeams")
def list_team_members(
    call: Call, organization_id: str, team_id: str, **paging: Unpack[Paging]
) -> Page[TeamMember]:
    find_team(call, organization_id, team_id)
    return paginate(
        call.tx,
        lambda row: TeamMember(
            organization=member_model(call, find_member(call, organization_id, row["user_id"])),
            team=TeamMembership(role=row["team_role"]),
            permissions=TeamMemberPermissions(view=True),
        ),
        source=_TEAM_MEMBERS,
        values=(organization_id, team_id),
        keys=("joined_at", "user_id"),
        paging=paging,
    )


@implements(ops.update_team_members, takes="admin")
def update_team_members(
    call: Call, organization_id: str, team_id: str, body: TeamMembersUpdate
) -> None:
    """Add, remove and set roles at once; who is both added and removed is removed."""
    find_team(call, organization_id, team_id, "members")
    for person in body.add or ():
        _put(call, team_id, resolve_user(call, organization_id, person, "add"), None)
    for person, membership in (body.memberships or {}).items():
        user_id = resolve_user(call, organization_id, person, "memberships")
        _put(call, team_id, user_id, membership.role)
    for person in body.remove or ():
        call.tx.run(
            "DELETE FROM team_member WHERE team_id = ?1 AND user_id IN "
            "(SELECT id FROM user WHERE id = ?2 OR email = ?2)",
            team_id,
            person,
        )


@implements(ops.put_team_member, takes="admin")
def put_team_member(
    call: Call, organization_id: str, team_id: str, user_id: str, body: TeamMemberUpdate
) -> None:
    find_team(call, organization_id, team_id, "members")
    find_member(call, organization_id, user_id)
    _put(call, team_id, user_id, body.role)


@implements(ops.remove_team_member, takes="admin")
def remove_team_member(call: Call, organization_id: str, team_id: str, user_id: str) -> None:
    """Remove somebody from a team: its managers anyone, everyone themselves."""
    own = user_id == call.user_id
    find_team(call, organization_id, team_id, "view" if own else "members")
    removed = call.tx.run(
        "DELETE FROM team_member WHERE team_id = ? AND user_id = ?", team_id, user_id
    )
    if not removed:
        call.was_missing()


def _put(call: Call, team_id: str, user_id: str, role: str | None) -> None:
    """Add somebody to a team with a role, a member's when none is given; else change their role."""
    call.tx.run(
        "INSERT INTO team_member (team_id, user_id, role) VALUES (?1, ?2, coalesce(?3, 'member')) "
        "ON CONFLICT DO UPDATE SET role = coalesce(?3, role)",
        team_id,
        user_id,
        role,
    )
