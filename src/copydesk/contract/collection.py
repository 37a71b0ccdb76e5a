"""Operations on collections."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/collections/{collection_id}")
def get_collection(collection_id: str) -> models.collection.Collection:
    """Get a collection."""


@operation("PATCH", "/collections/{collection_id}")
def update_collection(
    collection_id: str, body: models.collection.CollectionUpdate
) -> models.collection.Collection:
    """Change a collection."""


@operation("DELETE", "/collections/{collection_id}")
def delete_collection(collection_id: str) -> None:
    """Delete a collection."""


@operation("GET", "/collections/{collection_id}/spaces")
def list_collection_spaces(
    collection_id: str, **paging: Unpack[Paging]
) -> Page[models.space.Space]:
    """List the spaces of a collection."""


@operation("POST", "/collections/{collection_id}/move")
def move_collection(
    collection_id: str, body: models.collection.CollectionMove
) -> models.collection.Collection:
    """Move a collection into another one, or among its siblings."""


@operation("POST", "/collections/{collection_id}/transfer")
def transfer_collection(
    collection_id: str, body: models.collection.CollectionTransfer
) -> models.collection.Collection:
    """Hand a collection over to another organization."""


@operation("GET", "/orgs/{organization_id}/collections")
def list_organization_collections(
    organization_id: str, *, nested: bool = True, **paging: Unpack[Paging]
) -> Page[models.collection.Collection]:
    """List the collections of an organization; without ``nested`` only those at its root."""


@operation("POST", "/orgs/{organization_id}/collections", status=201)
def create_collection(
    organization_id: str, body: models.collection.CollectionCreate
) -> models.collection.Collection:
    """Create a collection."""
