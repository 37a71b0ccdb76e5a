"""Collections: folders of spaces and of other collections."""

from __future__ import annotations

from copydesk.contract.models.base import ResourceUrls
from copydesk.contract.models.collection import Collection
from copydesk.server.access import COLLECTION_PERMISSIONS, permissions
from copydesk.server.errors import conflict, not_found
from copydesk.server.implementation import Call
from copydesk.server.store import Row, Tx, columns


def collection_model(call: Call, row: Row) -> Collection:
    """Return the collection of a row of ``collection``, with what the caller may do with it."""
    return Collection.model_validate(
        {
            **columns(row, "id", "title", "description", "default_level"),
            "organization": row["organization_id"],
            "parent": row["parent_id"],
            "urls": ResourceUrls(
                location=call.url("collections", row["id"]),
                app=call.app_url("o", row["organization_id"], "c", row["id"]),
            ),
            "permissions": permissions(COLLECTION_PERMISSIONS, call.access.level(row)),
        }
    )


def hidden_collections(call: Call, organization_id: str) -> list[str]:
    """Return the ids of the organization's collections that the caller may not see."""
    if call.access.role(organization_id) == "admin":
        return []
    rows = call.tx.all("SELECT * FROM collection WHERE organization_id = ?", organization_id)
    return [row["id"] for row in rows if call.access.level(row) is None]


def check_target(call: Call, organization_id: str, parent_id: str | None) -> None:
    """Check that the caller may put something into a collection, or at the root of an organization.

    Raises a 404 when the organization has no such collection, a 403 when the caller may not create
    there.
    """
    if parent_id is None:
        call.access.organization(organization_id, "createContent")
        return
    parent = call.access.collection(parent_id)
    if parent["organization_id"] != organization_id:
        raise not_found("collection", parent_id)
    call.access.collection(parent_id, "create")


def check_recipient(call: Call, row: Row, organization_id: str) -> None:
    """Check that the caller may hand something over to another organization.

    Raises a 409 when it is that organization's already, a 404 or 403 when the caller may not create
    there.
    """
    if row["organization_id"] == organization_id:
        raise conflict(
            f"{row['title']!r} belongs to this organization already: nothing would change."
        )
    call.access.organization(organization_id, "createContent")


def below(tx: Tx, collection_id: str) -> list[str]:
    """Return the ids of a collection and of every collection inside it."""
    rows = tx.all(
        "WITH RECURSIVE inside(id) AS (SELECT ?1 UNION SELECT collection.id FROM collection "
        "JOIN inside ON collection.parent_id = inside.id) SELECT id FROM inside",
        collection_id,
    )
    return [row["id"] for row in rows]
