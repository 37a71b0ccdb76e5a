"""Operations on the spaces that a site shows."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation
from copydesk.contract.successors import SORT


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/site-spaces")
def list_site_spaces(
    organization_id: str,
    site_id: str,
    *,
    share_key: str | None = None,
    default: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[models.site_space.SiteSpace]:
    """List the spaces that a site shows, or with ``default`` only default or only other ones."""


@operation("POST", "/orgs/{organization_id}/sites/{site_id}/site-spaces", status=201)
def add_site_space(
    organization_id: str, site_id: str, body: models.site_space.SiteSpaceCreate
) -> models.site_space.SiteSpace:
    """Show a space on a site."""


@operation("PATCH", "/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}")
def update_site_space(
    organization_id: str, site_id: str, site_space_id: str, body: models.site_space.SiteSpaceUpdate
) -> models.site_space.SiteSpace:
    """Change how a site shows a space, or which."""


@operation("DELETE", "/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}")
def delete_site_space(organization_id: str, site_id: str, site_space_id: str) -> None:
    """Stop showing a space on a site."""


@operation(
    "POST",
    "/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}/move",
    successor=SORT,
)
def move_site_space(
    organization_id: str, site_id: str, site_space_id: str, body: models.site_space.SiteSpaceMove
) -> models.site_space.SiteSpace:
    """Move a site space before or after another one."""
