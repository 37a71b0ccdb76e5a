"""Operations on the redirects of a site."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import RedirectOrder
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_REDIRECTS = "/orgs/{organization_id}/sites/{site_id}/redirects"


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/redirect", extension="E12")
def get_site_redirect(
    organization_id: str,
    site_id: str,
    *,
    source: models.redirect.SourcePath,
    share_key: str | None = None,
) -> models.redirect.FoundRedirect:
    """Get the redirect that holds for a path, and where it leads."""


@operation("GET", _REDIRECTS, extension="E12")
def list_site_redirects(
    organization_id: str,
    site_id: str,
    *,
    search: str | None = None,
    draft: bool = False,
    order_by: RedirectOrder = "createdAt",
    **paging: Unpack[Paging],
) -> Page[models.redirect.SiteRedirect]:
    """List the redirects of a site that hold, or with ``draft`` its drafts.

    ``search`` is a part of the source, or of the address of the destination.
    """


@operation("POST", _REDIRECTS, status=201, extension="E12")
def create_site_redirect(
    organization_id: str, site_id: str, body: models.redirect.SiteRedirectCreate
) -> models.redirect.SiteRedirect:
    """Add a redirect to a site."""


@operation("PUT", _REDIRECTS, extension="E12")
def apply_site_redirects(
    organization_id: str, site_id: str, body: models.redirect.SiteRedirectsPut
) -> models.redirect.RedirectResults:
    """Make, change, remove and publish redirects by their paths, each for itself."""


@operation("PATCH", _REDIRECTS + "/{site_redirect_id}", extension="E12")
def update_site_redirect(
    organization_id: str,
    site_id: str,
    site_redirect_id: str,
    body: models.redirect.SiteRedirectUpdate,
) -> models.redirect.SiteRedirect:
    """Change a redirect, or let a draft hold."""


@operation("DELETE", _REDIRECTS + "/{site_redirect_id}", extension="E12")
def delete_site_redirect(organization_id: str, site_id: str, site_redirect_id: str) -> None:
    """Remove a redirect from a site."""
