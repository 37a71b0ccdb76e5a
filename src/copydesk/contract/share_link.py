"""Operations on the share links of a site."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/share-links", secret=True)
def list_share_links(
    organization_id: str, site_id: str, **paging: Unpack[Paging]
) -> Page[models.share_link.ShareLink]:
    """List the share links of a site."""


@operation("POST", "/orgs/{organization_id}/sites/{site_id}/share-links", status=201)
def create_share_link(
    organization_id: str, site_id: str, body: models.share_link.ShareLinkCreate
) -> models.share_link.ShareLink:
    """Create a share link."""


@operation("PATCH", "/orgs/{organization_id}/sites/{site_id}/share-links/{share_link_id}")
def update_share_link(
    organization_id: str, site_id: str, share_link_id: str, body: models.share_link.ShareLinkUpdate
) -> models.share_link.ShareLink:
    """Rename a share link, or switch it on or off."""


@operation("DELETE", "/orgs/{organization_id}/sites/{site_id}/share-links/{share_link_id}")
def delete_share_link(organization_id: str, site_id: str, share_link_id: str) -> None:
    """Delete a share link."""
