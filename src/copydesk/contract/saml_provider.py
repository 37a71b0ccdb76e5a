"""Operations on single sign-on."""

from __future__ import annotations

from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.saml_provider import (
    SAMLProvider,
    SAMLProviderCreate,
    SAMLProviderUpdate,
    SSOLogins,
)
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/saml", secret=True)
def list_saml_providers(
    organization_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
) -> Page[SAMLProvider]:
    """List the SAML providers of an organization."""
    ...


@operation("POST", "/orgs/{organization_id}/saml", status=201)
def create_saml_provider(organization_id: str, body: SAMLProviderCreate) -> SAMLProvider:
    """Add a SAML provider."""
    ...


@operation("GET", "/orgs/{organization_id}/saml/{saml_provider_id}", secret=True)
def get_saml_provider(organization_id: str, saml_provider_id: str) -> SAMLProvider:
    """Get a SAML provider."""
    ...


@operation("PATCH", "/orgs/{organization_id}/saml/{saml_provider_id}")
def update_saml_provider(
    organization_id: str, saml_provider_id: str, body: SAMLProviderUpdate
) -> SAMLProvider:
    """Change a SAML provider."""
    ...


@operation("DELETE", "/orgs/{organization_id}/saml/{saml_provider_id}")
def delete_saml_provider(organization_id: str, saml_provider_id: str) -> None:
    """Delete a SAML provider."""
    ...


@operation("GET", "/orgs/{organization_id}/sso")
def list_sso_logins(organization_id: str) -> SSOLogins:
    """List the ways to sign in to an organization."""
    ...
