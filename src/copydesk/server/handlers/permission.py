"""Who may do what in a space, a collection or a site, and changing it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import Order, PermissionSort, Role, RoleFilter
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.permission import (
    PermissionInvite,
    PermissionUpdate,
    SiteUserPermission,
    TeamPermission,
    UserPermission,
)
from copydesk.server.desk_writes import grant
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements_on_branch, implements_on_space
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.member import MEMBERS, also_found
from copydesk.server.queries.permission import (
    Holder,
    collection_holder,
    find_subject_team,
    find_user,
    site_holder,
    site_origin,
    space_holder,
)
from copydesk.server.queries.team import team_model
from copydesk.server.queries.user import user_model


@implements_on_branch(ops.invite_to_site, site_holder, takes="admin")
@implements_on_space(ops.invite_to_collection, collection_holder, takes="admin")
@implements_on_space(ops.invite_to_space, space_holder, takes="admin")
def invite(call: Call, holder: Holder, body: PermissionInvite) -> None:
    """Give people and teams of the organization a level, in place of the one they were given."""
    holder.check_admin()
    if body.users is None and body.teams is None:
        raise invalid("body: say users or teams")
    subjects = [
        *(find_user(call, holder.organization, user) for user in body.users or ()),
        *(find_subject_team(call, holder.organization, team) for team in body.teams or ()),
    ]
    for subject in subjects:
        grant(call.tx, holder.id, subject, body.role or "read")


# What everyone has


@implements_on_space(ops.list_collection_permissions, collection_holder)
@implements_on_space(ops.list_space_permissions, space_holder)
def list_permissions(
    call: Call, holder: Holder, *, role: Role | None = None, **paging: Unpack[Paging]
) -> Page[UserPermission]:
    holder.check_lists(call, "listMembers")
    having = holder.standings(call)
    return paginate(
        call.tx,
        lambda row: UserPermission(
            permission=having[row["user_id"]].level, user=user_model(call, row)
        ),
        source=MEMBERS,
        which=_among(
            holder,
            (
                user
                for user, each in having.items()
                if each.level is not None and role in (None, each.level)
            ),
        ),
        keys=("display_name", "user_id"),
        descending=False,
        paging=paging,
    )


@implements_on_branch(ops.list_site_permissions, site_holder, takes="listMembers")
def list_site_permissions(
    call: Call,
    holder: Holder,
    *,
    order: Order = "desc",
    role: RoleFilter | None = None,
    search: str | None = None,
    sort: PermissionSort = "joinedAt",
    team: str | None = None,
    **paging: Unpack[Paging],
) -> Page[SiteUserPermission]:
    holder.check_lists(call, "listMembers")
    having = holder.standings(call)
    wanted = None if role == "guest" else role
    which = _among(
        holder, (user for user, each in having.items() if role is None or each.level == wanted)
    )
    also_found(which, search, active=sort == "lastSeenAt")
    if team is not None:
        which.also(
            "user_id IN (SELECT user_id FROM team_member WHERE team_id = ?)",
            find_subject_team(call, holder.organization, team),
        )
    return paginate(
        call.tx,
        lambda row: SiteUserPermission(
            permission=having[row["user_id"]].level,
            user=user_model(call, row),
            origin=site_origin(holder, having[row["user_id"]]),
            disabled=bool(row["disabled"]),
            last_seen_at=row["last_seen_at"],
        ),
        source=MEMBERS,
        which=which,
        keys=(_SORTS[sort], "user_id"),
        descending=order == "desc",
        paging=paging,
    )


_SORTS = {"joinedAt": "joined_at", "lastSeenAt": "last_seen_at", "name": "display_name"}


def _among(holder: Holder, users: Iterable[str]) -> Conditions:
    """Return the conditions on ``MEMBERS`` for some users of an organization."""
    which = Conditions("organization_id = ?", holder.organization)
    which.also("user_id IN (SELECT value FROM json_each(?))", json.dumps(list(users)))
    return which


# What people were given themselves


@implements_on_branch(ops.list_site_user_permissions, site_holder, takes="listMembers")
@implements_on_space(ops.list_collection_user_permissions, collection_holder)
@implements_on_space(ops.list_space_user_permissions, space_holder)
def list_user_permissions(
    call: Call, holder: Holder, **paging: Unpack[Paging]
) -> Page[UserPermission]:
    holder.check_lists(call, "listMembers")
    return paginate(
        call.tx,
        lambda row: UserPermission(permission=row["level"], user=user_model(call, row)),
        source="access_grant JOIN member ON user_id = subject_id JOIN user ON user.id = user_id",
        which=Conditions(
            "container_id = ? AND organization_id = ?", holder.id, holder.organization
        ),
        keys=("display_name", "user_id"),
        descending=False,
        paging=paging,
    )


@implements_on_branch(ops.update_site_user_permission, site_holder, takes="admin")
@implements_on_space(ops.update_collection_user_permission, collection_holder, takes="admin")
@implements_on_space(ops.update_space_user_permission, space_holder, takes="admin")
def update_user_permission(
    call: Call, holder: Holder, user_id: str, body: PermissionUpdate
) -> None:
    """Give a member another level, or with null take theirs away."""
    holder.check_admin()
    _give(call, holder, find_user(call, holder.organization, user_id), body)


@implements_on_branch(ops.remove_user_from_site, site_holder, takes="admin")
@implements_on_space(ops.remove_user_from_collection, collection_holder, takes="admin")
@implements_on_space(ops.remove_user_from_space, space_holder, takes="admin")
def remove_user(call: Call, holder: Holder, user_id: str) -> None:
    """Take away what somebody was given there themselves; what they have otherwise stays."""
    _take(call, holder, user_id)


# What teams were given


@implements_on_branch(ops.list_site_team_permissions, site_holder, takes="listTeams")
@implements_on_space(ops.list_collection_team_permissions, collection_holder)
@implements_on_space(ops.list_space_team_permissions, space_holder)
def list_team_permissions(
    call: Call, holder: Holder, **paging: Unpack[Paging]
) -> Page[TeamPermission]:
    holder.check_lists(call, "listTeams")
    return paginate(
        call.tx,
        lambda row: TeamPermission(permission=row["level"], team=team_model(call, row)),
        source="access_grant JOIN team ON team.id = subject_id",
        which=Conditions("container_id = ?", holder.id),
        keys=("title", "id"),
        descending=False,
        paging=paging,
    )


@implements_on_branch(ops.update_site_team_permission, site_holder, takes="admin")
@implements_on_space(ops.update_collection_team_permission, collection_holder, takes="admin")
@implements_on_space(ops.update_space_team_permission, space_holder, takes="admin")
def update_team_permission(
    call: Call, holder: Holder, team_id: str, body: PermissionUpdate
) -> None:
    """Give a team another level, or with null take its own away."""
    holder.check_admin()
    _give(call, holder, find_subject_team(call, holder.organization, team_id), body)


@implements_on_branch(ops.remove_team_from_site, site_holder, takes="admin")
@implements_on_space(ops.remove_team_from_collection, collection_holder, takes="admin")
@implements_on_space(ops.remove_team_from_space, space_holder, takes="admin")
def remove_team(call: Call, holder: Holder, team_id: str) -> None:
    _take(call, holder, team_id)


def _give(call: Call, holder: Holder, subject: str, body: PermissionUpdate) -> None:
    if body.role is not None:
        grant(call.tx, holder.id, subject, body.role)
    elif "role" in body.model_fields_set:
        _delete(call, holder, subject)


def _take(call: Call, holder: Holder, subject: str) -> None:
    holder.check_admin()
    if not _delete(call, holder, subject):
        call.was_missing()


def _delete(call: Call, holder: Holder, subject: str) -> int:
    return call.tx.run(
        "DELETE FROM access_grant WHERE container_id = ? AND subject_id = ?", holder.id, subject
    )
