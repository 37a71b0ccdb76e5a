"""Searching spaces, sites and organizations."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/spaces/{space_id}/search")
def search_space(
    space_id: str, *, query: models.search.SearchText, **paging: Unpack[Paging]
) -> Page[models.search.SpaceSearchItem]:
    """Search the pages of a space."""


@operation("GET", "/orgs/{organization_id}/search")
def search_organization(
    organization_id: str, *, query: models.search.SearchText, **paging: Unpack[Paging]
) -> Page[models.search.OrganizationSearchItem]:
    """Search the pages of every space of an organization."""


@operation("POST", "/orgs/{organization_id}/sites/{site_id}/search", extension="E20", reads=True)
def search_site_content(
    organization_id: str, site_id: str, body: models.search.SiteSearch, **paging: Unpack[Paging]
) -> Page[models.search.OrganizationSearchItem]:
    """Search what a site shows: all of it, some of its spaces, or the default ones."""
