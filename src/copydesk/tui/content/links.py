"""The links of a space, broken ones first, with their pages; and the pages that lead to one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.contract.models.base import Page
from copydesk.contract.models.link import Links
from copydesk.domain.text import clean, plural
from copydesk.present.json_views import Raw
from copydesk.session.operations import ops
from copydesk.session.page_rows import page_rows
from copydesk.session.reads.pages import walk
from copydesk.session.target import Target
from copydesk.tui.content.link_cells import ALL, BACKLINKS, BROKEN, LINKS, Standing, named
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import ResourcePlace

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage
    from copydesk.contract.models.link import Backlink, LinkStats
    from copydesk.session.page_rows import PageRow
    from copydesk.tui.resource.resource import Asked, Resource


@place(
    "links",
    key="l",
    title="Links of a space",
    uses=("list_space_links", "list_space_pages", "get_space"),
)
class LinksPlace(ResourcePlace[Standing], scope="links"):
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
        self.set_views([replace(view, count=counts[view.id]) for view in self.resource.views])

    def nothing(self) -> str:
        if self.view in ("", BROKEN) and not self.limits.chosen:
            return "No link is broken. ] goes on to those that lead into the application."
        return super().nothing()

    def status_left(self) -> str:
        """Say what is counted: a link is listed on each page that it stands on."""
        if self._stats is None or not self._stats.total:
            return super().status_left()
        said = f"{plural(self._stats.total, 'link')}, {self._stats.broken.total} broken"
        return f"{said}; each is listed on every page that it stands on"

    async def page(
        self, api: Api, resource: Resource[Standing], target: Target, asked: Asked
    ) -> Page[Standing]:
        found, space = await resource.pages(api, target, asked), target.space or ""
        if found.items and not self._pages:
            self._pages = await self._read_pages(api, space)
        items = [named(row, space, self._pages) for row in found.items]
        return Page[Standing].model_construct(items=items, next=found.next, count=None)

    async def _read_pages(self, api: Api, space: str) -> dict[str, tuple[int, PageRow]]:
        tree = await api(ops.list_space_pages, space, metadata=False, computed=False)
        rows = await asyncio.to_thread(page_rows, tree.pages)
        return {row.id: (at, row) for at, row in enumerate(walk(rows))}

    def raw(self) -> Raw | None:
        """Return the link as its list gave it: the API reads none alone."""
        item = self.item
        return None if item is None else Raw(f"link {self.label(item)}", value=item.link)

    def open_item(self, item: Standing) -> None:
        if not item.page:
            self.say("The service does not say on which page this link stands.", "warn")
            return
        target = Target(self.organization, item.space, page=item.page)
        self.desk.go_soon("pages", target)


@place(
    "backlinks", title="What leads to a page", uses=("list_space_page_backlinks", "get_space_page")
)
class BacklinksPlace(ResourcePlace["Backlink"], scope="backlinks"):
    """What leads to one page; ``target.item`` is its id."""

    RESOURCE = BACKLINKS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._page_title = ""

    def within(self) -> Iterable[str]:
        yield self._page_title or "page"

    def missing(self) -> str | None:
        if self.target.space is None or self.target.item is None:
            return "No page is chosen. Esc goes back: b on a page there shows what leads to it."
        return None

    def reload(self) -> None:
        super().reload()
        if self.missing() is not None:
            return
        ids = self.target.space or "", self.target.item or ""

        async def read(api: Api) -> ContentPage:
            return await api(ops.get_space_page, *ids, metadata=False, computed=False)

        def came(page: ContentPage) -> None:
            self._page_title = clean(page.title).strip() or "Untitled"
            self.refresh_frame()

        self.reads.load("page", read, came, what="Reading the page")

    def open_item(self, item: Backlink) -> None:
        if item.page is None or item.space is None:
            self.say("That is no page that could be read here.", "warn")
            return
        target = Target(self.organization, item.space.id, page=item.page.id)
        self.desk.go_soon("pages", target)
