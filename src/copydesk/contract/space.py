"""Operations on spaces."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/spaces/{space_id}")
def get_space(space_id: str, *, share_key: str | None = None) -> models.space.Space:
    """Get a space; ``share_key`` resolves the published addresses of share-link sites."""


@operation("PATCH", "/spaces/{space_id}")
def update_space(space_id: str, body: models.space.SpaceUpdate) -> models.space.Space:
    """Change a space."""


@operation("DELETE", "/spaces/{space_id}")
def delete_space(space_id: str) -> None:
    """Delete a space; it can be restored for seven days."""


@operation("POST", "/spaces/{space_id}/duplicate", status=201)
def duplicate_space(space_id: str) -> models.space.Space:
    """Copy a space with all its pages within its organization."""


@operation("POST", "/spaces/{space_id}/restore")
def restore_space(space_id: str) -> models.space.Space:
    """Restore a space that was deleted within the last seven days."""


@operation("POST", "/spaces/{space_id}/move")
def move_space(space_id: str, body: models.space.SpaceMove) -> models.space.Space:
    """Move a space into a collection, or among its siblings."""


@operation("POST", "/spaces/{space_id}/transfer", ended=True)
def transfer_space(space_id: str, body: models.space.SpaceTransfer) -> models.space.Space:
    """Hand a space over to another organization."""


@operation("GET", "/orgs/{organization_id}/spaces", extension="E2")
def list_organization_spaces(
    organization_id: str, **paging: Unpack[Paging]
) -> Page[models.space.Space]:
    """List the spaces of an organization."""


@operation("POST", "/orgs/{organization_id}/spaces", status=201, extension="E3")
def create_space(organization_id: str, body: models.space.SpaceCreate) -> models.space.Space:
    """Create a space."""
