"""The links of a space, broken ones first, with their pages; and the pages that lead to one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, cast

from rich.text import Text

from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Page
from copydesk.contract.models.link import Backlink, Link, Links
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural, shown_title
from copydesk.present.raw_json import Raw
from copydesk.session.operations import ops
from copydesk.session.page_rows import PageRow, page_rows, reference
from copydesk.session.reads.pages import walk
from copydesk.session.target import Target
from copydesk.tui.content.commands import NO_PAGE, page_in_front
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Place, View
from copydesk.tui.resource.page_lines import LINES, lines_from
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Facet, ListQuery, Resource, pages_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import ContentReference
    from copydesk.contract.models.content import ContentPage
    from copydesk.contract.models.link import LinkStats

BROKEN = "broken"
"""The view that the list opens with."""

ALL = "all"
"""The view of every link, whatever its status."""

STATUSES: Mapping[str, str] = {"broken": "broken", "in-app": "in-app", "ok": "working"}
"""What the service calls the statuses of links, and what they are called here."""


@dataclass(frozen=True)
class PlacedLink:
    """A link where it stands: on one page, leading to one target.

    The API lists a link once for each target, with the pages that it is on. ``title`` and what
    follows are known once the pages of the space are read; ``at`` is where the page is among them.
    """

    link: Link
    page: str = ""
    space: str = ""
    title: str = ""
    path: str = ""
    url: str = ""
    target: str = ""
    at: int | None = None

    @property
    def id(self) -> str:
        """What tells it from the others of its list."""
        target = self.link.target
        leads = "" if target is None else target.to_json().decode()
        return f"{self.space}/{self.page} {self.link.status} {leads}"

    @property
    def address(self) -> str:
        """The address that it leads to; empty where it leads to something of the service."""
        target = self.link.target
        return web_address(target.url) if target is not None else ""


def standings(links: Iterable[Link], space: str) -> list[PlacedLink]:
    """Return links of a space as they stand on its pages; one of no page that is named once."""
    found: dict[str, PlacedLink] = {}
    for link in links:
        target = link.target
        leads = reference(target) if target is not None else ""
        stands: list[ContentReference | None] = [e for e in link.location_references if e.page]
        for each in stands or [None]:
            row = PlacedLink(
                link,
                page=(each.page or "") if each is not None else "",
                space=((each.space or "") if each is not None else "") or space,
                title=clean(each.called("page")).strip() if each is not None else "",
                target=leads,
            )
            found.setdefault(row.id, row)
    return list(found.values())


def named(row: PlacedLink, space: str, pages: Mapping[str, tuple[int, PageRow]]) -> PlacedLink:
    """Return a link with the names of the pages that it stands on and leads to."""
    titles = {key: page.where for key, (_, page) in pages.items()}
    target = row.link.target
    here = target is not None and target.space in (None, space)
    if target is not None:
        row = replace(row, target=reference(target, titles if here else None))
    known = pages.get(row.page) if row.space == space else None
    if known is None:
        return row
    at, page = known
    return replace(row, title=page.where, path=page.path, url=page.url, at=at)


async def _links(api: Api, target: Target, asked: ListQuery) -> Page[PlacedLink]:
    space = target.space or ""
    view = asked.view or BROKEN
    status = cast("LinkStatus", view) if view in STATUSES else None
    found = await api.page(ops.list_space_links, space, status=status, **asked.paging)
    return Page[PlacedLink](items=standings(found.items, space), next=found.next)


def _status(row: PlacedLink, now: datetime) -> Text:
    said = clean(STATUSES.get(row.link.status, row.link.status))
    return Text(said, style="bad" if row.link.status == "broken" else "muted")


def _kind(row: PlacedLink) -> str | None:
    target = row.link.target
    return target.kind if target is not None else None


def _graveness(row: PlacedLink) -> int | None:
    status = row.link.status
    return list(STATUSES).index(status) if status in STATUSES else None


def _leads(row: PlacedLink, now: datetime) -> Text | str:
    return Text(clean(row.target), style="bad") if row.link.status == "broken" else row.target


def _on(row: PlacedLink) -> str:
    return row.title or (f"page {clean(row.page)}" if row.page else "no page that is named")


def _more(row: PlacedLink, now: datetime) -> Sequence[tuple[str, str]]:
    pages = len(row.link.location_references)
    also = [("is on", plural(pages, "page"))] if pages > 1 else []
    return [*also, ("address", row.address)] if row.address else also


LINKS: Resource[PlacedLink] = Resource(
    noun="link",
    title="Links",
    pages=_links,
    key=lambda row: row.id,
    label=lambda row: row.target,
    shown=(
        Facet("page", "ON PAGE", lambda row, now: _on(row), flex=2, minimum=18,
              middle=lambda row: True, sort=lambda row: row.at),
        Facet("leads", "LINKS TO", _leads, flex=3, minimum=18, middle=lambda row: True,
              sort=lambda row: row.target),
        Facet("kind", "KIND", lambda row, now: _kind(row), 8, drop=2, sort=_kind),
        Facet("status", "STATUS", _status, 8, drop=1, values=tuple(STATUSES.values()),
              sort=_graveness),
        Facet("path", "PATH", lambda row, now: row.path or None),
    ),
    empty="The pages of this space have no links.",
    of="space",
    url=lambda row: row.url or None,
    views=(View(BROKEN, "Broken"), View("in-app", "In-app"), View("ok", "Working"),
           View(ALL, "All")),
    copies=lambda row: [("where it leads", row.address or row.target), ("page", row.page)],
    more=_more,
    contents=lambda: (LINES,),
    inside=lambda row: lines_from(row.space, row.page, (row.address or row.target).split("/")[-1]),
)  # fmt: skip
"""The links of a space, page by page."""


def backlink_title(link: Backlink) -> str:
    """Return what points here; not cleaned."""
    if link.page is not None:
        return link.page.title or link.page.path or "Untitled"
    return link.file.name if link.file is not None else link.kind


def backlink_key(link: Backlink) -> str:
    """Return what tells it from the others of its list."""
    thing = link.page or link.file
    return f"{link.space.id if link.space else ''}/{link.kind}/{thing.id if thing else ''}"


def backlink_space(link: Backlink) -> str:
    """Return the name of the space that it is in; not cleaned."""
    return link.space.title if link.space is not None else ""


def _backlink_url(link: Backlink) -> str | None:
    return web_address(link.page.urls.app) or None if link.page is not None else None


def _backlink_lines(link: Backlink) -> str:
    space, page = link.space, link.page
    return lines_from(space.id, page.id) if space is not None and page is not None else ""


BACKLINKS: Resource[Backlink] = Resource(
    noun="page",
    title="What links here",
    pages=pages_of("list_space_page_backlinks", "space", "item"),
    key=backlink_key,
    label=backlink_title,
    shown=(
        Facet("title", "PAGE", lambda link, now: backlink_title(link), flex=2, minimum=20,
              sort=backlink_title),
        Facet("path", "PATH", lambda link, now: link.page.path if link.page else None, flex=2,
              minimum=12, drop=2, sort=lambda link: link.page.path if link.page else None),
        Facet("space", "SPACE", lambda link, now: backlink_space(link) or None, 20, drop=1,
              sort=backlink_space),
        Facet("kind", "KIND", lambda link, now: link.kind),
        Facet("about", "ABOUT", lambda link, now: link.page.description if link.page else None),
    ),
    empty="No page links here.",
    of="item",
    url=_backlink_url,
    copies=lambda link: [("path", link.page.path if link.page else None)],
    contents=lambda: (LINES,),
    inside=_backlink_lines,
)  # fmt: skip
"""The pages that lead to a page of a space."""


@place(
    "links",
    key="l",
    title="Links of a space",
    uses=("list_space_links", "list_space_pages", "get_space", "get_space_page"),
)
class LinksPlace(ResourcePlace[PlacedLink], scope="links"):
    """The links report of a space, and the details of the link under the cursor."""

    RESOURCE = LINKS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._space_title = ""
        self._pages: dict[str, tuple[int, PageRow]] = {}
        self._stats: LinkStats | None = None

    def within(self) -> Iterable[str]:
        if self._space_title:
            yield self._space_title

    def reload(self) -> None:
        self._pages = {}
        super().reload()
        space = self.target.space
        if space is not None:
            self.reads.load(
                "counts", lambda api: self._count(api, space), self._counted, what="Counting links"
            )

    async def _count(self, api: Api, space: str) -> tuple[str, LinkStats, int | None]:
        about, every, within = await asyncio.gather(
            api(ops.get_space, space),
            api(ops.list_space_links, space, limit=1),
            api(ops.list_space_links, space, limit=1, status="in-app"),
        )
        assert isinstance(every, Links)
        return clean(about.title), every.stats, within.count

    def _counted(self, found: tuple[str, LinkStats, int | None]) -> None:
        self._space_title, stats, within = found
        self._stats = stats
        broken = stats.broken.total
        working = None if within is None else max(0, stats.total - broken - within)
        counts = {BROKEN: broken, "in-app": within, "ok": working, ALL: stats.total}
        self.set_views([view._replace(number=counts[view.id]) for view in self.resource.views])

    def nothing(self) -> str:
        if self.view in ("", BROKEN) and not self.limits.chosen:
            return "No link is broken. ] goes on to those that lead into the application."
        return super().nothing()

    def status_left(self) -> str:
        """Return the count of links; one is listed for each page it stands on."""
        if self._stats is None or not self._stats.total:
            return super().status_left()
        said = f"{plural(self._stats.total, 'link')}, {self._stats.broken.total} broken"
        return f"{said}; each is listed on every page that it is on"

    async def page(
        self, api: Api, resource: Resource[PlacedLink], target: Target, asked: ListQuery
    ) -> Page[PlacedLink]:
        found, space = await resource.pages(api, target, asked), target.space or ""
        if found.items and not self._pages:
            self._pages = await self._read_pages(api, space)
        items = [named(row, space, self._pages) for row in found.items]
        return Page[PlacedLink].model_construct(items=items, next=found.next, count=None)

    async def _read_pages(self, api: Api, space: str) -> dict[str, tuple[int, PageRow]]:
        tree = await api(ops.list_space_pages, space, metadata=False, computed=False)
        rows = await asyncio.to_thread(page_rows, tree.pages)
        return {row.id: (at, row) for at, row in enumerate(walk(rows))}

    def raw(self) -> Raw | None:
        """Return the link as its list gave it: the API reads none alone."""
        item = self.item
        return None if item is None else Raw(f"link {self.label(item)}", value=item.link)

    def open_item(self, item: PlacedLink) -> None:
        if not item.page:
            self.say("The service does not say on which page this link is.", "warn")
            return
        target = Target(self.organization, item.space, page=item.page)
        self.desk.go_soon("pages", target)


def linked_page(here: Place) -> Target:
    """Return the page in front, as what others link to."""
    target = page_in_front(here)
    return target.but(item=target.page, page=None)


@place(
    "backlinks", title="What links to a page", at=linked_page,
    uses=("list_space_page_backlinks", "get_space_page"),
)  # fmt: skip
class BacklinksPlace(ResourcePlace["Backlink"], scope="backlinks"):
    """The pages that link to a page: i in its links goes there. ``target.item`` is its id."""

    RESOURCE = BACKLINKS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._page_title = ""

    def within(self) -> Iterable[str]:
        yield self._page_title or "page"

    def missing(self) -> str | None:
        if self.target.space is None or self.target.item is None:
            return NO_PAGE
        return None

    def reload(self) -> None:
        super().reload()
        if self.missing() is not None:
            return
        ids = self.target.space or "", self.target.item or ""

        async def read(api: Api) -> ContentPage:
            return await api(ops.get_space_page, *ids, metadata=False, computed=False)

        def came(page: ContentPage) -> None:
            self._page_title = shown_title(page.title)
            self.refresh_frame()

        self.reads.load("page", read, came, what="Reading the page")

    def open_item(self, item: Backlink) -> None:
        if item.page is None or item.space is None:
            self.say("No access to that page.", "warn")
            return
        target = Target(self.organization, item.space.id, page=item.page.id)
        self.desk.go_soon("pages", target)
