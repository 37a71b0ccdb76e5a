"""Operations on the sections of a site."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation
from copydesk.contract.successors import SORT


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/sections")
def list_site_sections(
    organization_id: str, site_id: str, *, share_key: str | None = None, **paging: Unpack[Paging]
) -> Page[models.site_section.SiteSection]:
    """List the sections of a site in their order."""


@operation("POST", "/orgs/{organization_id}/sites/{site_id}/sections", status=201)
def add_site_section(
    organization_id: str, site_id: str, body: models.site_section.SiteSectionCreate
) -> models.site_section.SiteSection:
    """Add a section with a space as its first variant.

    The first section of a site takes in what the site showed at its root, before that space.
    """


@operation("PATCH", "/orgs/{organization_id}/sites/{site_id}/sections/{site_section_id}")
def update_site_section(
    organization_id: str,
    site_id: str,
    site_section_id: str,
    body: models.site_section.SiteSectionUpdate,
) -> models.site_section.SiteSection:
    """Change a section."""


@operation("DELETE", "/orgs/{organization_id}/sites/{site_id}/sections/{site_section_id}")
def delete_site_section(organization_id: str, site_id: str, site_section_id: str) -> None:
    """Remove a section from a site."""


@operation(
    "POST",
    "/orgs/{organization_id}/sites/{site_id}/sections/{site_section_id}/move",
    successor=SORT,
)
def move_site_section(
    organization_id: str,
    site_id: str,
    site_section_id: str,
    body: models.site_section.SiteSectionMove,
) -> models.site_section.SiteSection:
    """Move a section before or after another one."""
