"""People of an organization."""

from __future__ import annotations

import json
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import MemberSort, Order, RoleFilter
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.member import (
    Member,
    MemberSpace,
    MemberTeam,
    MemberUpdate,
    TeamMembership,
    VisitorClaims,
)
from copydesk.server.desk_writes import add_member
from copydesk.server.errors import Refusal, blocked
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.member import MEMBERS, access_of, also_found, find_member, member_model
from copydesk.server.queries.organization import admits
from copydesk.server.queries.saml_provider import active_provider
from copydesk.server.queries.space import prepare_spaces, space_model
from copydesk.server.queries.team import team_model
from copydesk.server.store import Row


@implements(ops.list_members, takes="listMembers")
def list_members(
    call: Call,
    organization_id: str,
    *,
    order: Order = "desc",
    role: RoleFilter | None = None,
    search: str | None = None,
    sort: MemberSort = "joinedAt",
    **paging: Unpack[Paging],
) -> Page[Member]:
    call.access.organization(organization_id, "listMembers")
    which = Conditions("organization_id = ?", organization_id)
    if role == "guest":
        which.also("role IS NULL")
    else:
        which.also("role = ?", role)
    also_found(which, search, active=sort == "lastSeenAt")
    return paginate(
        call.tx,
        lambda row: member_model(call, row),
        source=MEMBERS,
        which=which,
        keys=("last_seen_at" if sort == "lastSeenAt" else "joined_at", "user_id"),
        descending=order == "desc",
        paging=paging,
    )


@implements(ops.get_member, takes="listMembers")
def get_member(call: Call, organization_id: str, user_id: str) -> Member:
    return member_model(call, _visible_member(call, organization_id, user_id))


@implements(ops.update_member, takes="admin")
def update_member(call: Call, organization_id: str, user_id: str, body: MemberUpdate) -> Member:
    """Change a member's role; the last administrator stays one."""
    call.access.organization(organization_id, "admin")
    member = find_member(call, organization_id, user_id)
    if "role" in body.model_fields_set and body.role != member["role"]:
        _keep_an_administrator(call, member)
        call.tx.run(
            "UPDATE member SET role = ? WHERE organization_id = ? AND user_id = ?",
            body.role,
            organization_id,
            user_id,
        )
        # What was remembered of the caller's rights may be theirs of a moment ago.
        del call.access
    return member_model(call, find_member(call, organization_id, user_id))


@implements(ops.remove_member, takes="admin")
def remove_member(call: Call, organization_id: str, user_id: str) -> None:
    """Remove a member with their teams, their grants, and the reviews asked of them.

    Takes the permission admin, except to leave oneself. The last administrator cannot go.
    """
    if user_id == call.user_id:
        call.access.organization(organization_id)
    else:
        call.access.organization(organization_id, "admin")
    member = call.tx.get("member", organization_id=organization_id, user_id=user_id)
    if member is None:
        return call.was_missing()
    _keep_an_administrator(call, member)
    for statement in (
        "DELETE FROM team_member WHERE user_id = ?2 AND team_id IN "
        "(SELECT id FROM team WHERE organization_id = ?1)",
        "DELETE FROM access_grant WHERE subject_id = ?2 AND container_id IN "
        "(SELECT id FROM space WHERE organization_id = ?1 UNION ALL "
        "SELECT id FROM collection WHERE organization_id = ?1 UNION ALL "
        "SELECT id FROM site WHERE organization_id = ?1)",
        "DELETE FROM requested_reviewer WHERE user_id = ?2 AND change_request_id IN "
        "(SELECT id FROM change_request WHERE organization_id = ?1)",
        "DELETE FROM member WHERE organization_id = ?1 AND user_id = ?2",
    ):
        call.tx.run(statement, organization_id, user_id)
    return None


@implements(ops.ping_organization, takes="view")
def ping_organization(call: Call, organization_id: str) -> VisitorClaims:
    """Note that the caller was here. The desk has no claims to attach to them."""
    call.access.organization(organization_id)
    call.tx.run(
        "UPDATE member SET last_seen_at = ? WHERE organization_id = ? AND user_id = ?",
        call.tx.now,
        organization_id,
        call.user_id,
    )
    return VisitorClaims()


@implements(ops.add_sso_member, takes="admin")
def add_sso_member(call: Call, organization_id: str, user_id: str) -> Member:
    """Make a person of the desk a member who signs in by single sign-on.

    A newcomer's e-mail address must be in a domain that the organization admits, as for joining:
    else an administrator could take in, and so read about, whoever is on the desk. They get the
    role and join the team that the oldest active SAML provider says, or else get the
    organization's default role.
    """
    organization = call.access.organization(organization_id, "admin")
    changed = call.tx.run(
        "UPDATE member SET sso = 1 WHERE organization_id = ? AND user_id = ?",
        organization_id,
        user_id,
    )
    if not changed:
        email: str | None = call.tx.value("SELECT email FROM user WHERE id = ?", user_id)
        if email is None or not admits(organization, email):
            raise Refusal(
                404,
                f"There is no user {user_id[:100]!r} with an e-mail address in a domain that the "
                "organization admits.",
            )
        provider = active_provider(call, organization_id)
        role = (provider or organization)["default_role"]
        add_member(call.tx, organization_id, user_id, role, sso=True)
        if provider is not None and provider["default_team"] is not None:
            call.tx.insert("team_member", team_id=provider["default_team"], user_id=user_id)
    return member_model(call, find_member(call, organization_id, user_id))


@implements(ops.list_member_spaces, takes="listMembers")
def list_member_spaces(
    call: Call,
    organization_id: str,
    user_id: str,
    *,
    order: Order = "desc",
    **paging: Unpack[Paging],
) -> Page[MemberSpace]:
    """Answer with the spaces that both the member and the caller can view, by time of creation."""
    _visible_member(call, organization_id, user_id)
    theirs = access_of(call, user_id)
    spaces = call.tx.all("SELECT * FROM space WHERE organization_id = ?", organization_id)
    shared = [
        space["id"]
        for space in spaces
        if theirs.level(space) is not None and call.access.level(space) is not None
    ]
    return paginate(
        call.tx,
        lambda row: MemberSpace(permission=theirs.level(row), space=space_model(call, row)),
        source="space",
        which=Conditions(
            "deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))", json.dumps(shared)
        ),
        descending=order == "desc",
        paging=paging,
        prepare=lambda rows: prepare_spaces(call, rows),
    )


@implements(ops.list_member_teams, takes="listMembers")
def list_member_teams(
    call: Call,
    organization_id: str,
    user_id: str,
    *,
    title: str | None = None,
    **paging: Unpack[Paging],
) -> Page[MemberTeam]:
    _visible_member(call, organization_id, user_id)
    return paginate(
        call.tx,
        lambda row: MemberTeam(team=team_model(call, row), member=TeamMembership(role=row["role"])),
        source="team JOIN team_member ON team_member.team_id = team.id",
        which=Conditions(
            "organization_id = ? AND user_id = ? AND instr(casefold(title), ?) > 0",
            organization_id,
            user_id,
            (title or "").casefold(),
        ),
        paging=paging,
    )


def _visible_member(call: Call, organization_id: str, user_id: str) -> Row:
    """Return a member: the caller's own membership, or any when they may list members."""
    own = user_id == call.user_id
    call.access.organization(organization_id, "view" if own else "listMembers")
    return find_member(call, organization_id, user_id)


def _keep_an_administrator(call: Call, member: Row) -> None:
    """Raise a 412 when an organization would be left without an administrator."""
    others = call.tx.value(
        "SELECT count(*) FROM member WHERE organization_id = ? AND role = 'admin' "
        "AND NOT disabled AND user_id <> ?",
        member["organization_id"],
        member["user_id"],
    )
    if member["role"] == "admin" and not others:
        raise blocked("This is the organization's only administrator. Make someone else one first.")
