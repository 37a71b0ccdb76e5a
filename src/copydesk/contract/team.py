"""Operations on teams and their members."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/teams")
def list_teams(
    organization_id: str,
    *,
    owner: str | None = None,
    title: str | None = None,
    **paging: Unpack[Paging],
) -> Page[models.team.Team]:
    """List teams: those that ``owner`` can manage, those whose name contains ``title``."""


@operation("PUT", "/orgs/{organization_id}/teams", status=201)
def create_team(organization_id: str, body: models.team.TeamCreate) -> models.team.Team:
    """Create a team."""


@operation("GET", "/orgs/{organization_id}/teams/{team_id}")
def get_team(organization_id: str, team_id: str) -> models.team.Team:
    """Get a team."""


@operation("PATCH", "/orgs/{organization_id}/teams/{team_id}")
def update_team(
    organization_id: str, team_id: str, body: models.team.TeamUpdate
) -> models.team.Team:
    """Rename a team."""


@operation("DELETE", "/orgs/{organization_id}/teams/{team_id}")
def delete_team(organization_id: str, team_id: str) -> None:
    """Delete a team."""


@operation("GET", "/orgs/{organization_id}/teams/{team_id}/members")
def list_team_members(
    organization_id: str, team_id: str, **paging: Unpack[Paging]
) -> Page[models.member.TeamMember]:
    """List the members of a team."""


@operation("PUT", "/orgs/{organization_id}/teams/{team_id}/members", status=204)
def update_team_members(
    organization_id: str, team_id: str, body: models.team.TeamMembersUpdate
) -> None:
    """Add people to a team, remove people from it, and set their roles, at once."""


@operation("PUT", "/orgs/{organization_id}/teams/{team_id}/members/{user_id}", status=204)
def put_team_member(
    organization_id: str, team_id: str, user_id: str, body: models.team.TeamMemberUpdate
) -> None:
    """Add a person to a team, or change their role in it."""


@operation("DELETE", "/orgs/{organization_id}/teams/{team_id}/members/{user_id}")
def remove_team_member(organization_id: str, team_id: str, user_id: str) -> None:
    """Remove a person from a team."""
