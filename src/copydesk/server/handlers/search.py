"""Searching spaces and organizations."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page
from copydesk.contract.models.search import OrganizationSearchItem, SpaceSearchItem
from copydesk.server.implementation import Call, implements
from copydesk.server.paging import slice_page
from copydesk.server.queries.search import search_pages, words_of


@implements(ops.search_space)
def search_space(
    call: Call, space_id: str, *, query: str, page: str | None = None, limit: int | None = None
) -> Page[SpaceSearchItem]:
    """Answer with the pages of a space that hold every word of the query."""
    space = call.access.space(space_id)
    found = search_pages(call, space, words_of(query))
    return slice_page(found, lambda item: item.id, page=page, limit=limit)


@implements(ops.search_organization)
def search_organization(
    call: Call,
    organization_id: str,
    *,
    query: str,
    page: str | None = None,
    limit: int | None = None,
) -> Page[OrganizationSearchItem]:
    """Answer with the spaces that the caller can view and that have pages with every word."""
    call.access.organization(organization_id)
    spaces = call.tx.all(
        "SELECT * FROM space WHERE organization_id = ? AND deleted_at IS NULL "
        "ORDER BY position, id",
        organization_id,
    )
    words = words_of(query)
    found: list[OrganizationSearchItem] = []
    for space in spaces:
        pages = [] if call.access.level(space) is None else search_pages(call, space, words)
        if pages:
            found.append(OrganizationSearchItem(id=space["id"], title=space["title"], pages=pages))
    return slice_page(found, lambda item: item.id, page=page, limit=limit)
