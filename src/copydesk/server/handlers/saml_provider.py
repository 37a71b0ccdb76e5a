"""Single sign-on: who vouches for the people of an organization."""

from __future__ import annotations

from typing import Any, Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.saml_provider import (
    SAMLProvider,
    SAMLProviderCreate,
    SAMLProviderUpdate,
    SSOLogin,
    SSOLogins,
)
from copydesk.server.desk_writes import add_saml_provider
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.saml_provider import (
    CONFIGURED,
    active_providers,
    check_team,
    find_saml_provider,
    saml_provider_model,
    start_url,
)


@implements(ops.list_saml_providers, takes="admin")
def list_saml_providers(
    call: Call, organization_id: str, **paging: Unpack[Paging]
) -> Page[SAMLProvider]:
    call.access.organization(organization_id, "admin")
    return paginate(
        call.tx,
        lambda row: saml_provider_model(call, row),
        source=f"(SELECT *, {CONFIGURED} AS configured FROM saml_provider)",  # noqa: S608 - ours
        which=Conditions("organization_id = ?", organization_id),
        paging=paging,
    )


@implements(ops.create_saml_provider, takes="admin")
def create_saml_provider(
    call: Call, organization_id: str, body: SAMLProviderCreate
) -> SAMLProvider:
    """Add a provider; it is pending until address, entity id and certificate are known."""
    call.access.organization(organization_id, "admin")
    check_team(call, organization_id, body.default_team)
    provider_id = add_saml_provider(call.tx, organization_id, **_columns(body))
    return get_saml_provider(call, organization_id, provider_id)


@implements(ops.get_saml_provider, takes="admin")
def get_saml_provider(call: Call, organization_id: str, saml_provider_id: str) -> SAMLProvider:
    return saml_provider_model(call, find_saml_provider(call, organization_id, saml_provider_id))


@implements(ops.update_saml_provider, takes="admin")
def update_saml_provider(
    call: Call, organization_id: str, saml_provider_id: str, body: SAMLProviderUpdate
) -> SAMLProvider:
    """Change what the body sets; an empty entity id or certificate is taken away."""
    find_saml_provider(call, organization_id, saml_provider_id)
    check_team(call, organization_id, body.default_team)
    call.tx.update("saml_provider", saml_provider_id, **_columns(body))
    return get_saml_provider(call, organization_id, saml_provider_id)


@implements(ops.delete_saml_provider, takes="admin")
def delete_saml_provider(call: Call, organization_id: str, saml_provider_id: str) -> None:
    """Delete a provider. Takes the permission admin; members who came by it stay."""
    call.access.organization(organization_id, "admin")
    if not call.tx.run(
        "DELETE FROM saml_provider WHERE id = ? AND organization_id = ?",
        saml_provider_id,
        organization_id,
    ):
        call.was_missing()


@implements(ops.list_sso_logins)
def list_sso_logins(call: Call, organization_id: str) -> SSOLogins:
    """Answer with the ways to sign in that work: the active providers, oldest first."""
    call.access.organization(organization_id)
    return SSOLogins(
        items=[
            SSOLogin(id=row["id"], label=row["label"], start_url=start_url(call, row))
            for row in active_providers(call, organization_id)
        ]
    )


def _columns(body: SAMLProviderCreate | SAMLProviderUpdate) -> dict[str, Any]:
    return {
        name: None if name in ("entity_id", "certificate") and not value.strip() else value
        for name, value in ((name, getattr(body, name)) for name in body.model_fields_set)
    }
