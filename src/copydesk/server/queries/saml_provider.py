"""SAML providers of an organization."""

from __future__ import annotations

from copydesk.contract.models.base import Urls
from copydesk.contract.models.saml_provider import SAMLProvider, SAMLService
from copydesk.server.errors import invalid, not_found
from copydesk.server.implementation import Call
from copydesk.server.queries.team import team_model
from copydesk.server.store import Row

CONFIGURED = "(coalesce(sso_url, '') <> '' AND entity_id IS NOT NULL AND certificate IS NOT NULL)"
"""Whether a provider is fully configured, as a condition on its row (docs/api-notes.md, Values)."""


def find_saml_provider(call: Call, organization_id: str, provider_id: str) -> Row:
    """Return a provider of an organization that the caller administers.

    Raises a 404 when there is no such organization or provider, a 403 without the permission admin:
    how an organization signs in is nobody else's concern.
    """
    call.access.organization(organization_id, "admin")
    row = call.tx.one(
        f"SELECT *, {CONFIGURED} AS configured FROM saml_provider "  # noqa: S608 - ours
        "WHERE id = ? AND organization_id = ?",
        provider_id,
        organization_id,
    )
    if row is None:
        raise not_found("SAML provider", provider_id)
    return row


def active_providers(call: Call, organization_id: str) -> list[Row]:
    """Return the providers that an organization's people can sign in by, oldest first."""
    return call.tx.all(
        f"SELECT * FROM saml_provider WHERE organization_id = ? AND {CONFIGURED} "  # noqa: S608
        "ORDER BY created_at, id",
        organization_id,
    )


def active_provider(call: Call, organization_id: str) -> Row | None:
    """Return the oldest active provider of an organization, which says what newcomers get."""
    return next(iter(active_providers(call, organization_id)), None)


def saml_provider_model(call: Call, row: Row) -> SAMLProvider:
    """Return the provider of a row of ``saml_provider`` that also says if it is ``configured``."""
    location = call.url("orgs", row["organization_id"], "saml", row["id"])
    team = call.tx.get("team", id=row["default_team"])
    return SAMLProvider(
        id=row["id"],
        label=row["label"],
        sso_url=row["sso_url"],
        entity_id=row["entity_id"],
        certificate=row["certificate"],
        default_team=None if team is None else team_model(call, team),
        default_role=row["default_role"],
        created_at=row["created_at"],
        status="active" if row["configured"] else "pending",
        service=SAMLService(
            acs_url=f"{call.base_url}/saml/{row['id']}/acs",
            start_url=start_url(call, row),
            entity_id=location,
        ),
        urls=Urls(location=location),
    )


def start_url(call: Call, row: Row) -> str:
    """Return where signing in by a provider begins.

    The address is what a service would give; a desk itself is entered with a token only.
    """
    return f"{call.base_url}/saml/{row['id']}/start"


def check_team(call: Call, organization_id: str, team_id: str | None) -> None:
    """Raise a 400 when a default team is not a team of the organization."""
    if (
        team_id is not None
        and call.tx.get("team", id=team_id, organization_id=organization_id) is None
    ):
        raise invalid(f"body.defaultTeam: the organization has no team {team_id[:100]!r}")
