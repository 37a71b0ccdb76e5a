"""The pages that lead to a page: of its own space, and of others that name it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from copydesk.domain.text import clean
from copydesk.session.target import Target
from copydesk.tui.content.link_cells import BACKLINKS
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import ResourcePlace

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage
    from copydesk.contract.models.link import Backlink


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
        """Return why there is nothing to list here, or None."""
        if self.target.space is None or self.target.item is None:
            return "No page is chosen. Esc goes back: b on a page there shows what leads to it."
        return None

    def reload(self) -> None:
        """Read the list, and what the page is called."""
        super().reload()
        if self.missing() is not None:
            return
        ids = self.target.space or "", self.target.item or ""

        async def read(api: Api) -> ContentPage:
            from copydesk.contract import operations as ops

            return await api(ops.get_space_page, *ids, metadata=False, computed=False)

        def came(page: ContentPage) -> None:
            self._page_title = clean(page.title).strip() or "Untitled"
            self.refresh_frame()

        self.load("page", read, came, what="Reading the page")

    def open_item(self, item: Backlink) -> None:
        """Read the page that leads here."""
        if item.page is None or item.space is None:
            self.say("That is no page that could be read here.", "warn")
            return
        target = Target(self.organization, item.space.id, page=item.page.id)
        self.desk.go_soon("pages", target)
