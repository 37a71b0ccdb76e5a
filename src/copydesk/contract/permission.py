"""Operations on who may do what in a space, a collection or a site."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import Order, PermissionSort, Role, RoleFilter
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_SITE = "/orgs/{organization_id}/sites/{site_id}/permissions"


@operation("POST", "/collections/{collection_id}/permissions", status=204, extension="E13")
def invite_to_collection(collection_id: str, body: models.permission.PermissionInvite) -> None:
    """Give people and teams a level in a collection."""


@operation("GET", "/collections/{collection_id}/permissions/aggregate", extension="E13")
def list_collection_permissions(
    collection_id: str, *, role: Role | None = None, **paging: Unpack[Paging]
) -> Page[models.permission.UserPermission]:
    """List the people who have a level in a collection, wherever it comes from."""


@operation("GET", "/collections/{collection_id}/permissions/teams", extension="E13")
def list_collection_team_permissions(
    collection_id: str, **paging: Unpack[Paging]
) -> Page[models.permission.TeamPermission]:
    """List the teams that were given a level in a collection."""


@operation(
    "PATCH", "/collections/{collection_id}/permissions/teams/{team_id}", status=204, extension="E13"
)
def update_collection_team_permission(
    collection_id: str, team_id: str, body: models.permission.PermissionUpdate
) -> None:
    """Change the level that a team was given in a collection."""


@operation("DELETE", "/collections/{collection_id}/permissions/teams/{team_id}", extension="E13")
def remove_team_from_collection(collection_id: str, team_id: str) -> None:
    """Take away what a team was given in a collection."""


@operation("GET", "/collections/{collection_id}/permissions/users", extension="E13")
def list_collection_user_permissions(
    collection_id: str, **paging: Unpack[Paging]
) -> Page[models.permission.UserPermission]:
    """List the people who were given a level in a collection themselves."""


@operation(
    "PATCH", "/collections/{collection_id}/permissions/users/{user_id}", status=204, extension="E13"
)
def update_collection_user_permission(
    collection_id: str, user_id: str, body: models.permission.PermissionUpdate
) -> None:
    """Change the level that a person was given in a collection."""


@operation("DELETE", "/collections/{collection_id}/permissions/users/{user_id}", extension="E13")
def remove_user_from_collection(collection_id: str, user_id: str) -> None:
    """Take away what a person was given in a collection themselves."""


@operation("POST", "/spaces/{space_id}/permissions", status=204, extension="E13")
def invite_to_space(space_id: str, body: models.permission.PermissionInvite) -> None:
    """Give people and teams a level in a space."""


@operation("GET", "/spaces/{space_id}/permissions/aggregate", extension="E13")
def list_space_permissions(
    space_id: str, *, role: Role | None = None, **paging: Unpack[Paging]
) -> Page[models.permission.UserPermission]:
    """List the people who have a level in a space, wherever it comes from."""


@operation("GET", "/spaces/{space_id}/permissions/teams", extension="E13")
def list_space_team_permissions(
    space_id: str, **paging: Unpack[Paging]
) -> Page[models.permission.TeamPermission]:
    """List the teams that were given a level in a space."""


@operation("PATCH", "/spaces/{space_id}/permissions/teams/{team_id}", status=204, extension="E13")
def update_space_team_permission(
    space_id: str, team_id: str, body: models.permission.PermissionUpdate
) -> None:
    """Change the level that a team was given in a space."""


@operation("DELETE", "/spaces/{space_id}/permissions/teams/{team_id}", extension="E13")
def remove_team_from_space(space_id: str, team_id: str) -> None:
    """Take away what a team was given in a space."""


@operation("GET", "/spaces/{space_id}/permissions/users", extension="E13")
def list_space_user_permissions(
    space_id: str, **paging: Unpack[Paging]
) -> Page[models.permission.UserPermission]:
    """List the people who were given a level in a space themselves."""


@operation("PATCH", "/spaces/{space_id}/permissions/users/{user_id}", status=204, extension="E13")
def update_space_user_permission(
    space_id: str, user_id: str, body: models.permission.PermissionUpdate
) -> None:
    """Change the level that a person was given in a space."""


@operation("DELETE", "/spaces/{space_id}/permissions/users/{user_id}", extension="E13")
def remove_user_from_space(space_id: str, user_id: str) -> None:
    """Take away what a person was given in a space themselves."""


@operation("POST", _SITE, status=204, extension="E13")
def invite_to_site(
    organization_id: str, site_id: str, body: models.permission.PermissionInvite
) -> None:
    """Give people and teams a level in a site."""


@operation("GET", _SITE + "/aggregate", extension="E13")
def list_site_permissions(
    organization_id: str,
    site_id: str,
    *,
    order: Order = "desc",
    role: RoleFilter | None = None,
    search: str | None = None,
    sort: PermissionSort = "joinedAt",
    team: str | None = None,
    **paging: Unpack[Paging],
) -> Page[models.permission.SiteUserPermission]:
    """List the people of the organization with their level in a site and where it comes from.

    ``search`` looks in names and e-mail addresses, ``team`` keeps its members; by ``lastSeenAt``
    only active members are listed.
    """


@operation("GET", _SITE + "/teams", extension="E13")
def list_site_team_permissions(
    organization_id: str, site_id: str, **paging: Unpack[Paging]
) -> Page[models.permission.TeamPermission]:
    """List the teams that were given a level in a site."""


@operation("PATCH", _SITE + "/teams/{team_id}", status=204, extension="E13")
def update_site_team_permission(
    organization_id: str, site_id: str, team_id: str, body: models.permission.SitePermissionUpdate
) -> None:
    """Change the level that a team was given in a site."""


@operation("DELETE", _SITE + "/teams/{team_id}", extension="E13")
def remove_team_from_site(organization_id: str, site_id: str, team_id: str) -> None:
    """Take away what a team was given in a site."""


@operation("GET", _SITE + "/users", extension="E13")
def list_site_user_permissions(
    organization_id: str, site_id: str, **paging: Unpack[Paging]
) -> Page[models.permission.UserPermission]:
    """List the people who were given a level in a site themselves."""


@operation("PATCH", _SITE + "/users/{user_id}", status=204, extension="E13")
def update_site_user_permission(
    organization_id: str, site_id: str, user_id: str, body: models.permission.SitePermissionUpdate
) -> None:
    """Change the level that a person was given in a site."""


@operation("DELETE", _SITE + "/users/{user_id}", extension="E13")
def remove_user_from_site(organization_id: str, site_id: str, user_id: str) -> None:
    """Take away what a person was given in a site themselves."""
