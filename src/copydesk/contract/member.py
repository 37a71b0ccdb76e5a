"""Operations on the people of an organization."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import MemberSort, Order, RoleFilter
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/members")
def list_members(
    organization_id: str,
    *,
    order: Order = "desc",
    role: RoleFilter | None = None,
    search: str | None = None,
    sort: MemberSort = "joinedAt",
    **paging: Unpack[Paging],
) -> Page[models.member.Member]:
    """List the members of an organization.

    ``search`` looks in display names and e-mail addresses; by ``lastSeenAt`` only active members
    are listed.
    """


@operation("GET", "/orgs/{organization_id}/members/{user_id}")
def get_member(organization_id: str, user_id: str) -> models.member.Member:
    """Get a member of an organization."""


@operation("PATCH", "/orgs/{organization_id}/members/{user_id}")
def update_member(
    organization_id: str, user_id: str, body: models.member.MemberUpdate
) -> models.member.Member:
    """Change the role of a member."""


@operation("DELETE", "/orgs/{organization_id}/members/{user_id}")
def remove_member(organization_id: str, user_id: str) -> None:
    """Remove a member from an organization."""


@operation("POST", "/orgs/{organization_id}/ping")
def ping_organization(organization_id: str) -> models.member.VisitorClaims:
    """Tell an organization that the caller is here, and get a JWT for them if there is one."""


@operation("POST", "/orgs/{organization_id}/members/{user_id}/sso")
def add_sso_member(organization_id: str, user_id: str) -> models.member.Member:
    """Add someone as a member who signs in by single sign-on."""


@operation("GET", "/orgs/{organization_id}/members/{user_id}/spaces")
def list_member_spaces(
    organization_id: str, user_id: str, *, order: Order = "desc", **paging: Unpack[Paging]
) -> Page[models.member.MemberSpace]:
    """List the spaces that a member can reach, with their role in each."""


@operation("GET", "/orgs/{organization_id}/members/{user_id}/teams")
def list_member_teams(
    organization_id: str, user_id: str, *, title: str | None = None, **paging: Unpack[Paging]
) -> Page[models.member.MemberTeam]:
    """List the teams that a member is in, those whose name contains ``title``."""
