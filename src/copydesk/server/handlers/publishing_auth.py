"""How the readers of a site sign in: settings, and the key that their tokens are signed with.

A desk publishes nothing that a reader could sign in to; it keeps what a program that does needs.
Reading the key takes what making it does: it proves who a reader is.
"""

from __future__ import annotations

import secrets

from copydesk.contract import operations as ops
from copydesk.contract.models.publishing_auth import SitePublishingAuth, SitePublishingAuthUpdate
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.site import site_view
from copydesk.server.store import Row

_KEY_BYTES = 32

_SIGNS_IN = (
    "SELECT integration_id FROM installation i JOIN integration ON integration.id = integration_id "
    "WHERE i.organization_id = ?1 AND target IN ('all', 'site') "
    "AND EXISTS (SELECT 1 FROM json_each(categories) WHERE value = 'visitor-auth') "
    "AND (site_selection = 'all' OR EXISTS "
    "(SELECT 1 FROM site_installation WHERE installation_id = i.id AND site_id = ?2)) "
    "ORDER BY i.created_at, i.id LIMIT 1"
)
"""The integration of this kind that has been installed on a site for longest."""


@implements(ops.get_site_publishing_auth, writes=True, takes="admin")
def get_site_publishing_auth(call: Call, organization_id: str, site_id: str) -> SitePublishingAuth:
    """Get how readers sign in. Takes admin, for it has the key; the first time makes that."""
    site = site_view(call, organization_id, site_id, "admin").site
    return _model(call, site, _row(call, site))


@implements(ops.update_site_publishing_auth, takes="admin")
def update_site_publishing_auth(
    call: Call, organization_id: str, site_id: str, body: SitePublishingAuthUpdate
) -> SitePublishingAuth:
    """Change how readers sign in.

    Raises a 400 for an integration where none that signs readers in is installed on the site.
    """
    site = site_view(call, organization_id, site_id, "admin").site
    row = _row(call, site)
    if body.backend == "integration" and _integration(call, site) is None:
        raise invalid("body.backend: no integration that signs readers in is installed on the site")
    after = dict(row) | {name: getattr(body, name) for name in body.model_fields_set}
    call.tx.run(
        "UPDATE publishing_auth SET backend = ?, fallback_url = ?, logout_url = ? "
        "WHERE site_id = ?",
        *(after["backend"], after["fallback_url"], after["logout_url"], site_id),
    )
    return _model(call, site, _row(call, site))


@implements(ops.regenerate_site_publishing_auth, takes="admin")
def regenerate_site_publishing_auth(
    call: Call, organization_id: str, site_id: str
) -> SitePublishingAuth:
    site = site_view(call, organization_id, site_id, "admin").site
    _row(call, site)
    call.tx.run("UPDATE publishing_auth SET private_key = ? WHERE site_id = ?", _new_key(), site_id)
    return _model(call, site, _row(call, site))


def _row(call: Call, site: Row) -> Row:
    """Return the settings of a site, which are made when they are first asked for."""
    statement = "SELECT * FROM publishing_auth WHERE site_id = ?"
    row = call.tx.one(statement, site["id"])
    if row is None:
        call.tx.insert("publishing_auth", site_id=site["id"], private_key=_new_key())
        row = call.tx.one(statement, site["id"])
    assert row is not None, "it was just made"
    return row


def _new_key() -> str:
    return secrets.token_hex(_KEY_BYTES)


def _integration(call: Call, site: Row) -> str | None:
    found: str | None = call.tx.value(_SIGNS_IN, site["organization_id"], site["id"])
    return found


def _model(call: Call, site: Row, row: Row) -> SitePublishingAuth:
    return SitePublishingAuth(
        backend=row["backend"],
        private_key=row["private_key"],
        fallback_url=row["fallback_url"],
        logout_url=row["logout_url"],
        integration=_integration(call, site) if row["backend"] == "integration" else None,
    )
