"""Links out of content, and what leads to a page or file."""

from __future__ import annotations

from collections.abc import Callable

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Page
from copydesk.contract.models.link import Backlink, Link, Links, LinkStats, VersionContext
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.paging import slice_page
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.file import find_file
from copydesk.server.queries.link import FoundLink, LinkReader, stats
from copydesk.server.queries.organization import organization_by_id
from copydesk.server.queries.page import find_page, page_model
from copydesk.server.queries.space import space_model
from copydesk.server.store import Row


@implements(ops.list_space_links)
def list_space_links(
    call: Call,
    space_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    status: LinkStatus | None = None,
) -> Links:
    """Answer with where the pages of a space lead."""
    reader = _reader(call, call.access.space(space_id))
    links = reader.model(reader.all())
    return _links(links, stats(links), page, limit, status)


@implements(ops.list_space_page_links)
def list_space_page_links(
    call: Call,
    space_id: str,
    page_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    status: LinkStatus | None = None,
) -> Links:
    """Answer with where a page of a space leads."""
    links = _page_links(_reader(call, call.access.space(space_id)), page_id)
    if links is None:
        raise not_found("page", page_id)
    return _links(links, stats(links), page, limit, status)


@implements(ops.list_change_request_page_links)
def list_change_request_page_links(
    call: Call,
    space_id: str,
    change_request_id: str,
    page_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
) -> Links:
    """Answer with where a page of a change request leads, and what it newly breaks."""
    space, row = find_change_request(call, space_id, change_request_id)
    links = _page_links(LinkReader(call, space_id, row["revision_id"]), page_id)
    if links is None:
        raise not_found("page", page_id)
    before = _page_links(_reader(call, space), page_id) or []
    return _links(links, stats(links, before), page, limit, None)


@implements(ops.list_space_page_backlinks)
def list_space_page_backlinks(
    call: Call,
    space_id: str,
    page_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
) -> Page[Backlink]:
    """Answer with the pages that lead to a page."""
    space = call.access.space(space_id)
    find_page(call, space["revision_id"], page_id)
    return _backlinks(
        call, space, space["revision_id"], lambda link: link.target == page_id, page, limit
    )


@implements(ops.list_space_file_backlinks)
def list_space_file_backlinks(
    call: Call,
    space_id: str,
    file_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
) -> Page[Backlink]:
    """Answer with the pages that lead to a file or show it."""
    space = call.access.space(space_id)
    find_file(call, space["revision_id"], file_id)
    return _backlinks(
        call, space, space["revision_id"], lambda link: link.target == file_id, page, limit
    )


@implements(ops.list_change_request_file_backlinks)
def list_change_request_file_backlinks(
    call: Call,
    space_id: str,
    change_request_id: str,
    file_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
) -> Page[Backlink]:
    """Answer with the pages of a change request that lead to a file or show it."""
    space, row = find_change_request(call, space_id, change_request_id)
    find_file(call, row["revision_id"], file_id)
    return _backlinks(
        call, space, row["revision_id"], lambda link: link.target == file_id, page, limit
    )


def _reader(call: Call, space: Row) -> LinkReader:
    return LinkReader(call, space["id"], space["revision_id"])


def _page_links(reader: LinkReader, page_id: str) -> list[Link] | None:
    """Return the links of one page, None when the revision has no such page."""
    for page in reader.pages:
        if page.data.id == page_id:
            return reader.model(reader.of(page))
    return None


def _links(
    links: list[Link],
    numbers: LinkStats,
    page: str | None,
    limit: int | None,
    status: LinkStatus | None,
) -> Links:
    """Return one page of links; the numbers are those of all of them, whatever the filter."""
    keyed = [
        (str(number), link)
        for number, link in enumerate(links)
        if status is None or link.status == status
    ]
    chosen = slice_page(keyed, lambda pair: pair[0], page=page, limit=limit)
    return Links(
        items=[link for _, link in chosen.items],
        next=chosen.next,
        count=chosen.count,
        stats=numbers,
    )


def _backlinks(
    call: Call,
    space: Row,
    revision_id: str,
    leads_here: Callable[[FoundLink], bool],
    page: str | None,
    limit: int | None,
) -> Page[Backlink]:
    reader = LinkReader(call, space["id"], revision_id)
    sources = [found for found in reader.pages if any(map(leads_here, reader.of(found)))]
    chosen = slice_page(sources, lambda found: found.data.id, page=page, limit=limit)
    return Page[Backlink](
        items=[
            Backlink(
                kind="page",
                organization=organization_by_id(call, space["organization_id"]),
                space=space_model(call, space),
                version_context=VersionContext(revision=revision_id),
                page=page_model(found.data, path=found.path),
            )
            for found in chosen.items
        ],
        next=chosen.next,
        count=chosen.count,
    )
