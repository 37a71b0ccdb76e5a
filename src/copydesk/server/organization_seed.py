"""Putting what belongs to an organization as a whole on a desk from code, besides its people."""

from __future__ import annotations

from typing import Any

from copydesk.contract.models.document import Document
from copydesk.server.store import Tx


def add_saml_provider(tx: Tx, organization_id: str, **columns: Any) -> str:
    """Add a SAML provider and return its id. ``columns`` are those of its table, a label at least.

    No ``default_role`` makes newcomers guests.
    """
    provider_id = tx.new_id()
    tx.insert(
        "saml_provider",
        id=provider_id,
        organization_id=organization_id,
        created_at=tx.now,
        **columns,
    )
    return provider_id


def put_agent_instructions(tx: Tx, organization_id: str, document: Document, author: str) -> None:
    """Replace what an organization's documentation agent is told."""
    tx.run(
        "INSERT OR REPLACE INTO agent_instructions VALUES (?, ?, ?, ?)",
        organization_id,
        document.to_json().decode(),
        tx.now,
        author,
    )


def add_invite_link(tx: Tx, organization_id: str, **columns: str | None) -> str:
    """Add an invite link and return its id. ``columns`` are those of its table.

    No ``role`` makes guests of those who come by it.
    """
    link_id = tx.new_id()
    tx.insert(
        "invite_link", organization_id=organization_id, id=link_id, created_at=tx.now, **columns
    )
    return link_id
