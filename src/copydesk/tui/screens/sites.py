"""The published sites of an organization (interaction.md 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.text import plural
from copydesk.tui.actions import action
from copydesk.tui.place import Part, Place, View
from copydesk.tui.places import Target, place
from copydesk.tui.present import site as present
from copydesk.tui.present.site import SiteRow
from copydesk.tui.sources import PagedSource
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.virtual_list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api

VIEWS = (
    View("all", "All"),
    View("published", "Published"),
    View("unpublished", "Not published"),
)
"""Each asks the service for its own list."""


def no_site(here: SitesPlace) -> str | None:
    """Say so when the cursor is on no site."""
    return None if here.rows.selected is not None else "Put the cursor on a site first."


@place("sites", key="t", title="Sites")
class SitesPlace(Place, scope="sites"):
    """A list of sites; Enter opens the structure of one."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._written = 0

    def panes(self) -> ComposeResult:
        """The sites, and what there is to know about the one under the cursor."""
        self.rows: VirtualList[SiteRow] = VirtualList(
            PagedSource(self._page, key=lambda row: row.id),
            [
                Column("title", "SITE", lambda row: row.title, flex=2, minimum=18),
                Column("published", "STATE", present.published, 9),
                Column("visibility", "AUDIENCE", lambda row: row.visibility, 12, drop=2),
                Column("spaces", "SPACES", lambda row: str(row.spaces), 6, align="right", drop=1),
                Column("address", "ADDRESS", present.host, flex=2, minimum=16, drop=3),
            ],
            title="Sites",
            empty="No sites here yet. They are made in the web application.",
            reading="Reading sites…",
            id="sites",
        )
        self.facts = Facts(title="Site", empty="No site is selected.", id="site-details")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def trail(self) -> Iterable[str]:
        """The organization, then Sites."""
        yield self.session.organization_title or "no organization"
        yield "Sites"

    def url(self) -> str | None:
        """Return where readers find the site."""
        row = self.rows.selected
        return row.address if row is not None and row.published and row.address else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        row = self.rows.selected
        if row is None:
            return []
        choices = [("address", row.address), ("title", row.title), ("id", row.id)]
        return [(name, text) for name, text in choices if text]

    def opened(self) -> None:
        """Show the views."""
        self.set_views(VIEWS)

    def view_changed(self) -> None:
        """Ask for the sites of the view."""
        self._source.reset()

    @property
    def _source(self) -> PagedSource[SiteRow]:
        source = self.rows.source.base
        assert isinstance(source, PagedSource)
        return source

    def reload(self) -> None:
        """Read again what has been read."""
        self._written = len(self.session.log)

        async def refresh(api: Api) -> None:
            await self._source.refresh()

        self.load("sites", refresh, lambda _: None, what="Reading sites")

    def on_screen_resume(self) -> None:
        """Follow writes made elsewhere, as in the structure of a site."""
        super().on_screen_resume()
        if len(self.session.log) != self._written and self.asked_at is not None:
            self.read_again()

    async def _page(
        self, token: str | None, limit: int
    ) -> tuple[list[SiteRow], str | None, int | None]:
        from copydesk.contract import operations as ops

        api = await self.session.ready()
        organization = self.target.organization or self.session.organization
        if organization is None:
            return [], None, 0
        wanted = {"published": True, "unpublished": False}.get(self.view)
        page = await api.page(
            ops.list_sites, organization, page=token, limit=limit, published=wanted
        )
        self.session.fresh()
        rows = [present.site_row(site) for site in page.items]
        return rows, page.next.page if page.next else None, page.count

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what the list knows of the site."""
        row = self.rows.selected
        if row is None:
            self.facts.show([], title="Site")
        else:
            self.facts.show(present.site_facts(row, self.session.clock()), title=row.title)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the structure of the site."""
        if event.id is not None:
            self.desk.call_later(self.desk.go, "site-structure", self._site(event.id))

    def _site(self, site: str) -> Target:
        organization = self.target.organization or self.session.organization
        return Target(organization=organization, site=site)

    @action(
        "l",
        "structure",
        unless=no_site,
        uses=("list_sites", "get_site"),
        show=False,
        group="Go",
        also=("right",),
    )
    async def open_structure(self) -> None:
        """Go to the structure of the site, as Enter does."""
        if self.rows.selected_id is not None:
            await self.desk.go("site-structure", self._site(self.rows.selected_id))

    def status_left(self) -> str:
        """How many sites there are."""
        count = self.rows.source.count
        return super().status_left() or ("" if count is None else plural(count, "site"))
