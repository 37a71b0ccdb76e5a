"""Searching spaces and organizations."""

from __future__ import annotations

import json

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page
from copydesk.contract.models.search import OrganizationSearchItem, SpaceSearchItem
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import paginate
from copydesk.server.queries.search import search_item
from copydesk.server.search_index import BELOW_TITLES, Query, count_pages, found_pages, parse_query
from copydesk.server.store import Row

_PAGES = 20
"""How many pages of each space an organization's search shows; the space's own shows them all."""


@implements(ops.search_space)
def search_space(
    call: Call, space_id: str, *, query: str, page: str | None = None, limit: int | None = None
) -> Page[SpaceSearchItem]:
    """Answer with the pages of a space that hold every word of the query, the best first."""
    call.access.space(space_id)
    wanted = parse_query(query)
    if not wanted:
        return Page[SpaceSearchItem](items=[], count=0)
    found, values = found_pages(wanted, space_id=space_id)
    return paginate(
        call.tx,
        lambda row: search_item(call, row["id"], wanted),
        source=f"({found})",
        values=values,
        keys=("score", "id"),
        descending=False,
        page=page,
        limit=limit,
        count=count_pages(call.tx, wanted, space_id=space_id),
    )


@implements(ops.search_organization)
def search_organization(
    call: Call,
    organization_id: str,
    *,
    query: str,
    page: str | None = None,
    limit: int | None = None,
) -> Page[OrganizationSearchItem]:
    """Answer with the spaces that the caller can view and that have pages with every word.

    The space with the best page comes first; a translation comes after what it translates, unless
    only its own title has the words.
    """
    call.access.organization(organization_id)
    wanted = parse_query(query)
    if not wanted:
        return Page[OrganizationSearchItem](items=[], count=0)
    found, values = found_pages(wanted)
    return paginate(
        call.tx,
        lambda row: _space(call, row, wanted),
        source=(
            "(WITH found AS MATERIALIZED (SELECT space.id, space.title, min(hit.score) AS score "  # noqa: S608 - ours
            f"FROM ({found}) hit JOIN search_page ON search_page.id = hit.id "
            "JOIN space ON space.id = search_page.space_id "
            "WHERE space.organization_id = ? AND space.deleted_at IS NULL "
            "AND space.id NOT IN (SELECT value FROM json_each(?)) GROUP BY space.id) "
            "SELECT found.id, found.title, EXISTS "
            "(SELECT 1 FROM translation WHERE result_space_id = found.id) AS translated, "
            "max(found.score, coalesce((SELECT max(origin.score) FROM translation "
            "JOIN found origin ON origin.id = translation.source_space_id "
            "WHERE translation.result_space_id = found.id "
            "AND (origin.score < ?) = (found.score < ?)), found.score)) AS score FROM found)"
        ),
        values=(
            *values,
            organization_id,
            json.dumps(call.access.hidden_spaces(organization_id)),
            *(BELOW_TITLES, BELOW_TITLES),
        ),
        keys=("score", "translated", "id"),
        descending=False,
        page=page,
        limit=limit,
    )


def _space(call: Call, row: Row, wanted: Query) -> OrganizationSearchItem:
    found, values = found_pages(wanted, space_id=row["id"])
    pages = call.tx.all(f"{found} ORDER BY score, id LIMIT ?", *values, _PAGES)
    return OrganizationSearchItem(
        id=row["id"],
        title=row["title"],
        pages=[search_item(call, page["id"], wanted) for page in pages],
    )
