"""Organizations: everything else belongs to one."""

from __future__ import annotations

import json

from copydesk.contract.models.base import ResourceUrls
from copydesk.contract.models.organization import Organization, Trial
from copydesk.server.access import ORGANIZATION_PERMISSIONS, permissions
from copydesk.server.implementation import Call
from copydesk.server.store import Row, columns

NO_TRIAL = Trial(status="notapplicable", count=0)
"""The trial of an organization of this desk, which has no plans to try."""


def admits(row: Row, email: str) -> bool:
    """Say whether an e-mail address is in a domain that an organization admits."""
    return email.rpartition("@")[2].lower() in json.loads(row["email_domains"])


def organization_model(call: Call, row: Row) -> Organization:
    """Return the organization of a row of ``organization``, with what the caller may do in it."""
    logo: str | None = row["logo"]
    return Organization.model_validate(
        {
            **columns(row, "id", "title", "created_at", "hostname", "type", "use_case"),
            **columns(row, "community_type", "default_role", "plan"),
            "email_domains": json.loads(row["email_domains"]),
            "default_content": row["default_content"] and json.loads(row["default_content"]),
            "sso": bool(row["sso"]),
            "ai": bool(row["ai"]),
            "invite_links": bool(row["invite_links"]),
            "merge_rules": json.loads(row["merge_rules"]),
            "urls": ResourceUrls(
                location=call.url("orgs", row["id"]),
                app=call.app_url("o", row["id"]),
                # A logo may also be one of the service's own names, which has no address.
                logo=logo if logo and ":" in logo else None,
            ),
            "trial": NO_TRIAL,
            # Whoever is in an organization may view it, a guest too, who has no role at all.
            "permissions": permissions(ORGANIZATION_PERMISSIONS, call.access.role(row["id"]))
            | dict.fromkeys(("view", "access"), row["id"] in call.access.memberships),
        }
    )


def organization_by_id(call: Call, organization_id: str) -> Organization:
    """Return an organization whose id comes from the desk itself."""
    return organization_model(call, call.tx.row("organization", organization_id))
