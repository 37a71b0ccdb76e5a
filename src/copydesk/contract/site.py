"""Operations on sites and their adaptive content."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/sites")
def list_sites(
    organization_id: str,
    *,
    space: str | None = None,
    title: str | None = None,
    published: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[models.site.Site]:
    """List sites; ``space`` asks for those that show it, ``title`` for a part of the name."""


@operation("POST", "/orgs/{organization_id}/sites", status=201)
def create_site(organization_id: str, body: models.site.SiteCreate) -> models.site.Site:
    """Create a site; it is not published yet."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}")
def get_site(organization_id: str, site_id: str) -> models.site.Site:
    """Get a site."""


@operation("PATCH", "/orgs/{organization_id}/sites/{site_id}")
def update_site(
    organization_id: str, site_id: str, body: models.site.SiteUpdate
) -> models.site.Site:
    """Change a site."""


@operation("DELETE", "/orgs/{organization_id}/sites/{site_id}", status=204)
def delete_site(organization_id: str, site_id: str) -> None:
    """Delete a site."""


@operation("POST", "/orgs/{organization_id}/sites/{site_id}/publish", extension="E9")
def publish_site(organization_id: str, site_id: str) -> models.site.Site:
    """Publish a site to the audience of its visibility."""


@operation("POST", "/orgs/{organization_id}/sites/{site_id}/unpublish", extension="E9")
def unpublish_site(organization_id: str, site_id: str) -> models.site.Site:
    """Take a site out of reach of its readers."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/adaptive-schema")
def get_adaptive_schema(organization_id: str, site_id: str) -> models.site.AdaptiveSchema:
    """Get the visitor attributes that a site knows."""


@operation("PUT", "/orgs/{organization_id}/sites/{site_id}/adaptive-schema")
def update_adaptive_schema(
    organization_id: str, site_id: str, body: models.site.AdaptiveSchemaUpdate
) -> models.site.AdaptiveSchema:
    """Replace the visitor attributes that a site knows."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/adaptive-schema/template-conditions")
def list_adaptive_template_conditions(
    organization_id: str, site_id: str
) -> models.site.TemplateConditions:
    """List ready-made conditions over the visitor attributes of a site."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/published", secret=True)
def get_published_site(
    organization_id: str, site_id: str, *, share_key: str | None = None
) -> models.site.PublishedSite:
    """Get a site as its readers get it."""
