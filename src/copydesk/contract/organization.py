"""Operations on organizations."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs")
def list_organizations(**paging: Unpack[Paging]) -> Page[models.organization.Organization]:
    """List the organizations that the caller is in."""


@operation("GET", "/orgs/{organization_id}")
def get_organization(organization_id: str) -> models.organization.Organization:
    """Get an organization."""


@operation("PATCH", "/orgs/{organization_id}")
def update_organization(
    organization_id: str, body: models.organization.OrganizationUpdate
) -> models.organization.Organization:
    """Change an organization."""


@operation("POST", "/orgs/{organization_id}/join", status=204)
def join_organization(organization_id: str) -> None:
    """Join an organization that admits the domain of the caller's verified e-mail address."""
