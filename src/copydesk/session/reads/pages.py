"""Reads of the pages of a space or a change request, and the trail of followed links."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from copydesk.client.errors import ApiError, Invalid, NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import shown_title
from copydesk.session.operations import ops
from copydesk.session.page_rows import LinkRow, PageRow, link_rows, page_rows

if TYPE_CHECKING:
    from copydesk.client.api import Api

LINKS = 500
"""Links read of one page."""


@dataclass(frozen=True, slots=True)
class Version:
    """The version of the pages: of a space, or of a change request in it."""

    space: str
    change_request: str | None = None


@dataclass(frozen=True)
class SpacePages:
    """The first read of the screen: the title of the space and its pages."""

    title: str
    pages: tuple[PageRow, ...]
    revision: str
    """The revision of the space or of the change request."""


@dataclass(frozen=True)
class PageWithLinks:
    """The text of a page and its links; ``links`` is None when unknown."""

    markdown: str
    links: Sequence[LinkRow] | None


@dataclass
class PageTrail:
    """The trail of pages along followed links, and the reader's position on it."""

    pages: list[str] = field(default_factory=list)
    at: int = 0

    @property
    def here(self) -> str | None:
        """The page of the reader on the trail; None when no link was followed."""
        return self.pages[self.at] if self.pages else None

    @property
    def before(self) -> str:
        """The page before this one; before the first comes the last again."""
        return self.pages[self.at - 1]

    def follow(self, start: str, there: str, *, further: bool) -> None:
        """Follow a link from a page: ``further`` on the trail, or on a new one."""
        way = self.pages[: self.at + 1] if further else [start]
        self.pages, self.at = [*way, there], len(way)

    def step_back(self) -> None:
        """Go to the page before this one."""
        self.at = (self.at or len(self.pages)) - 1


async def read_tree(api: Api, version: Version) -> SpacePages:
    """Return the page tree of a version. Raises ``ApiError``."""
    space_id, request = version.space, version.change_request
    pages = (
        api(ops.list_space_pages, space_id)
        if request is None
        else api(ops.list_change_request_pages, space_id, request)
    )
    space, tree, revision = await asyncio.gather(
        api(ops.get_space, space_id), pages, read_revision(api, version)
    )
    return SpacePages(
        shown_title(space.title),
        await asyncio.to_thread(page_rows, tree.pages),
        revision,
    )


async def find_path(api: Api, version: Version, path: str) -> str | None:
    """Return the id of the page that the service has at a path, as at a former one; None without.

    Raises ``ApiError``.
    """
    asked = path.strip("/")
    try:
        if version.change_request is None:
            return (await api(ops.get_space_page_by_path, version.space, asked, metadata=False)).id
        request = version.change_request
        page = await api(
            ops.get_change_request_page_by_path, version.space, request, asked, metadata=False
        )
    except (Invalid, NotFound):
        return None
    return page.id


async def read_revision(api: Api, version: Version) -> str:
    """Return the revision of a version: another one means an edit. Raises ``ApiError``."""
    if version.change_request is None:
        return (await api(ops.get_space, version.space)).revision
    request = await api(ops.get_change_request, version.space, version.change_request)
    return request.revision


async def read_page(
    api: Api, version: Version, page: str, titles: Mapping[str, str]
) -> PageWithLinks:
    """Return the text of a page with its links. Raises ``ApiError`` without the text.

    ``titles`` names the pages of the space by id, for links between them.
    """
    space, request = version.space, version.change_request

    async def links() -> Sequence[LinkRow] | None:
        try:
            if request is None:
                found = await api(ops.list_space_page_links, space, page, limit=LINKS)
            else:
                found = await api(
                    ops.list_change_request_page_links, space, request, page, limit=LINKS
                )
        except ApiError:
            # The text is what matters; that the links are unknown is shown beside it.
            return None
        return link_rows(found.items, space, titles)

    text = (
        api(ops.get_space_page, space, page, format="markdown")
        if request is None
        else api(ops.get_change_request_page, space, request, page, format="markdown")
    )
    read, listed = await asyncio.gather(text, links())
    return PageWithLinks(read.markdown or "", listed)


def walk(rows: Sequence[PageRow]) -> Iterable[PageRow]:
    """Yield all pages of a tree in reading order."""
    waiting = list(rows)[::-1]
    while waiting:
        row = waiting.pop()
        yield row
        waiting.extend(reversed(row.children))
