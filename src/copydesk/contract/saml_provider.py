"""Operations on single sign-on."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/saml", secret=True)
def list_saml_providers(
    organization_id: str, **paging: Unpack[Paging]
) -> Page[models.saml_provider.SAMLProvider]:
    """List the SAML providers of an organization."""


@operation("POST", "/orgs/{organization_id}/saml", status=201)
def create_saml_provider(
    organization_id: str, body: models.saml_provider.SAMLProviderCreate
) -> models.saml_provider.SAMLProvider:
    """Add a SAML provider."""


@operation("GET", "/orgs/{organization_id}/saml/{saml_provider_id}", secret=True)
def get_saml_provider(
    organization_id: str, saml_provider_id: str
) -> models.saml_provider.SAMLProvider:
    """Get a SAML provider."""


@operation("PATCH", "/orgs/{organization_id}/saml/{saml_provider_id}")
def update_saml_provider(
    organization_id: str, saml_provider_id: str, body: models.saml_provider.SAMLProviderUpdate
) -> models.saml_provider.SAMLProvider:
    """Change a SAML provider."""


@operation("DELETE", "/orgs/{organization_id}/saml/{saml_provider_id}")
def delete_saml_provider(organization_id: str, saml_provider_id: str) -> None:
    """Delete a SAML provider."""


@operation("GET", "/orgs/{organization_id}/sso")
def list_sso_logins(organization_id: str) -> models.saml_provider.SSOLogins:
    """List the ways to sign in to an organization."""
