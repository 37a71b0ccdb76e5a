"""Operations on the structure of a site as one: its order, groups of sections, links."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_GROUPS = "/orgs/{organization_id}/sites/{site_id}/section-groups"
_LINKS = "/orgs/{organization_id}/sites/{site_id}/external-links"


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/structure", extension="E11")
def get_site_structure(
    organization_id: str, site_id: str, *, share_key: str | None = None
) -> models.site_structure.SiteStructure:
    """Get what a site shows, in one answer: sections, groups and links, or its site spaces."""


@operation("PATCH", "/orgs/{organization_id}/sites/{site_id}/structure/sort", extension="E11")
def sort_site_structure(
    organization_id: str, site_id: str, body: models.site_structure.StructureSort
) -> models.site_structure.StructureItem | None:
    """Move an entry of a structure before or after another one, into whose group it goes."""


@operation("GET", _GROUPS, extension="E11")
def list_site_section_groups(
    organization_id: str, site_id: str, **paging: Unpack[Paging]
) -> Page[models.site_structure.SiteSectionGroup]:
    """List the groups of a site, each before those in it."""


@operation("POST", _GROUPS, status=201, extension="E11")
def add_site_section_group(
    organization_id: str, site_id: str, body: models.site_structure.SectionGroupCreate
) -> models.site_structure.SiteSectionGroup:
    """Add a group, with sections that it takes in."""


@operation("PATCH", _GROUPS + "/{site_section_group_id}", extension="E11")
def update_site_section_group(
    organization_id: str,
    site_id: str,
    site_section_group_id: str,
    body: models.site_structure.SectionGroupUpdate,
) -> models.site_structure.SiteSectionGroup | None:
    """Change a group, or put it into another."""


@operation("DELETE", _GROUPS + "/{site_section_group_id}", extension="E11")
def delete_site_section_group(
    organization_id: str, site_id: str, site_section_group_id: str
) -> None:
    """Remove a group from a site."""


@operation("POST", _LINKS, status=201, extension="E11")
def add_site_external_link(
    organization_id: str, site_id: str, body: models.site_structure.ExternalLinkCreate
) -> models.site_structure.SiteExternalLink:
    """Add a link to elsewhere to the navigation of a site."""


@operation("PATCH", _LINKS + "/{site_external_link_id}", extension="E11")
def update_site_external_link(
    organization_id: str,
    site_id: str,
    site_external_link_id: str,
    body: models.site_structure.ExternalLinkUpdate,
) -> models.site_structure.SiteExternalLink | None:
    """Change a link to elsewhere, or put it into a group."""


@operation("DELETE", _LINKS + "/{site_external_link_id}", extension="E11")
def delete_site_external_link(
    organization_id: str, site_id: str, site_external_link_id: str
) -> None:
    """Remove a link to elsewhere from a site."""


@operation(
    "POST",
    "/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}/duplicate",
    status=201,
    extension="E11",
)
def duplicate_site_space(
    organization_id: str,
    site_id: str,
    site_space_id: str,
    body: models.site_structure.SiteSpaceDuplicate,
) -> models.site_space.SiteSpace:
    """Copy the space that a site space shows, and show the copy right after it."""
