"""Searching spaces and organizations."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import StringConstraints

from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.search import OrganizationSearchItem, SpaceSearchItem
from copydesk.contract.operation import operation

SearchText: TypeAlias = Annotated[str, StringConstraints(max_length=512)]
"""What to look for, at most 512 characters."""


@operation("GET", "/spaces/{space_id}/search")
def search_space(
    space_id: str, *, query: SearchText, page: str | None = None, limit: Limit | None = None
) -> Page[SpaceSearchItem]:
    """Search the pages of a space."""
    ...


@operation("GET", "/orgs/{organization_id}/search")
def search_organization(
    organization_id: str, *, query: SearchText, page: str | None = None, limit: Limit | None = None
) -> Page[OrganizationSearchItem]:
    """Search the pages of every space of an organization."""
    ...
