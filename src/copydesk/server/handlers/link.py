"""Links out of content, and what leads to a page or file."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.link import Backlink, FileTarget, Link, Links, VersionContext
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.errors import or_not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import slice_page
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.file import file_model, find_file, revision_files
from copydesk.server.queries.link import LinkReader, stats
from copydesk.server.queries.organization import organization_by_id
from copydesk.server.queries.page import PlacedPage, find_page, page_model
from copydesk.server.queries.space import prepare_spaces, space_model, space_screen
from copydesk.server.search_index import Query, found_pages
from copydesk.server.store import Row


@implements(ops.list_space_links)
def list_space_links(
    call: Call, space_id: str, *, status: LinkStatus | None = None, **paging: Unpack[Paging]
) -> Links:
    space = call.access.space(space_id)
    reader = _reader(call, space)
    links = reader.model(reader.all())
    return _links(call, space, space["revision_id"], links, status=status, paging=paging)


@implements(ops.list_space_page_links)
def list_space_page_links(
    call: Call,
    space_id: str,
    page_id: str,
    *,
    status: LinkStatus | None = None,
    **paging: Unpack[Paging],
) -> Links:
    space = call.access.space(space_id)
    links = or_not_found(_page_links(_reader(call, space), page_id), "page", page_id)
    return _links(call, space, space["revision_id"], links, status=status, paging=paging)


@implements(ops.list_change_request_page_links)
def list_change_request_page_links(
    call: Call, space_id: str, change_request_id: str, page_id: str, **paging: Unpack[Paging]
) -> Links:
    """Answer with where a page of a change request leads, and what it newly breaks."""
    space, row = find_change_request(call, space_id, change_request_id)
    links = or_not_found(
        _page_links(LinkReader(call, space_id, row["revision_id"]), page_id), "page", page_id
    )
    before = _page_links(_reader(call, space), page_id) or []
    return _links(call, space, row["revision_id"], links, before, paging=paging)


@implements(ops.list_space_page_backlinks)
def list_space_page_backlinks(
    call: Call, space_id: str, page_id: str, **paging: Unpack[Paging]
) -> Page[Backlink]:
    """Answer with the pages that lead to a page: of its space, then of others that name it."""
    space = call.access.space(space_id)
    find_page(call, space["revision_id"], page_id)
    return _backlinks(call, _sources_anywhere(call, space, page_id, "page"), paging=paging)


@implements(ops.list_space_file_backlinks)
def list_space_file_backlinks(
    call: Call, space_id: str, file_id: str, **paging: Unpack[Paging]
) -> Page[Backlink]:
    space = call.access.space(space_id)
    find_file(call, space["revision_id"], file_id)
    return _backlinks(call, _sources_anywhere(call, space, file_id, "files"), paging=paging)


@implements(ops.list_change_request_file_backlinks)
def list_change_request_file_backlinks(
    call: Call, space_id: str, change_request_id: str, file_id: str, **paging: Unpack[Paging]
) -> Page[Backlink]:
    space, row = find_change_request(call, space_id, change_request_id)
    find_file(call, row["revision_id"], file_id)
    return _backlinks(call, _sources(call, space, row["revision_id"], file_id), paging=paging)


def _reader(call: Call, space: Row) -> LinkReader:
    return LinkReader(call, space["id"], space["revision_id"])


def _page_links(reader: LinkReader, page_id: str) -> list[Link] | None:
    for page in reader.pages:
        if page.data.id == page_id:
            return reader.model(reader.of(page))
    return None


def _whole(call: Call, space: Row, revision_id: str, link: Link) -> Link:
    """Return a link with the whole file that it leads to, where it is of the same revision."""
    target = link.target
    files = revision_files(call, revision_id)
    file = next((file for file in files if target and file.id == target.file), None)
    if file is None:
        return link
    found = FileTarget(
        file=file_model(call, space["id"], revision_id, file),
        space=space_model(call, space),
        organization=organization_by_id(call, space["organization_id"]),
    )
    return link.model_copy(update={"target_reference": found})


def _links(
    call: Call,
    space: Row,
    revision_id: str,
    links: list[Link],
    before: list[Link] | None = None,
    *,
    status: LinkStatus | None = None,
    paging: Paging,
) -> Links:
    """Return one page of links; the numbers are of all of them, also of those filtered out."""
    keyed = [
        (str(number), link)
        for number, link in enumerate(links)
        if status is None or link.status == status
    ]
    chosen = slice_page(keyed, lambda pair: pair[0], paging=paging)
    return Links(
        items=[_whole(call, space, revision_id, link) for _, link in chosen.items],
        next=chosen.next,
        count=chosen.count,
        stats=stats(links, before),
    )


@dataclass(frozen=True)
class _Source:
    """A page that leads to the target, with its space and revision."""

    space: Row
    revision_id: str
    page: PlacedPage


def _sources(call: Call, space: Row, revision_id: str, target: str) -> list[_Source]:
    """Return the pages of a revision that lead to one of its pages or files."""
    reader = LinkReader(call, space["id"], revision_id)
    return [
        _Source(space, revision_id, page)
        for page in reader.pages
        if any(link.target == target for link in reader.of(page))
    ]


def _sources_anywhere(call: Call, space: Row, target: str, kind: str) -> list[_Source]:
    """Return the pages that lead to a page or file: of its space, then of others.

    Those name it by its address on this desk, in which ``kind`` stands before its id. Only spaces
    that the caller can view are looked at, and of those only pages that hold the id.
    """
    address = call.url("spaces", space["id"], "content", kind, target)
    found = _sources(call, space, space["revision_id"], target)
    others: dict[str, list[str]] = {}
    hits, values = found_pages(Query(words=(target,)))
    for row in call.tx.all(
        "SELECT page.space_id, page.page_id FROM search_page page "  # noqa: S608 - ours
        f"JOIN ({hits}) hit ON hit.id = page.id ORDER BY page.space_id, page.id",
        *values,
    ):
        others.setdefault(row["space_id"], []).append(row["page_id"])
    for space_id, pages in others.items():
        other = call.tx.one("SELECT * FROM space WHERE id = ? AND deleted_at IS NULL", space_id)
        if other is None or space_id == space["id"] or call.access.level(other) is None:
            continue
        reader = LinkReader(call, space_id, other["revision_id"])
        found += [
            _Source(other, other["revision_id"], page)
            for page in reader.pages
            if page.data.id in pages
            and any(link.target.partition("#")[0] == address for link in reader.of(page))
        ]
    return found


def _backlinks(call: Call, sources: list[_Source], paging: Paging) -> Page[Backlink]:
    chosen = slice_page(
        sources, lambda found: f"{found.space['id']}/{found.page.data.id}", paging=paging
    )
    prepare_spaces(call, [found.space for found in chosen.items])
    return Page[Backlink](
        items=[
            Backlink(
                kind="page",
                organization=organization_by_id(call, found.space["organization_id"]),
                space=space_model(call, found.space),
                version_context=VersionContext(revision=found.revision_id),
                page=page_model(
                    found.page.data, path=found.page.path, screen=space_screen(call, found.space)
                ),
            )
            for found in chosen.items
        ],
        next=chosen.next,
        count=chosen.count,
    )
