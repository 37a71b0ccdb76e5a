"""The places of one site as tabs of one another.

Each is a place of its own; going to a tab puts its place where the one in front stood, so that Esc
leaves the site and not five screens of it. A place of a site has `SiteTabs` before its other bases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from copydesk.domain.text import clean
from copydesk.session.target import Target
from copydesk.session.writes.undo import Past
from copydesk.tui.framework import navigation
from copydesk.tui.framework.frame import Status
from copydesk.tui.framework.place import Place, View
from copydesk.tui.sites.commands import SitePublishing

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

SHARE_LINKS = "share-links"
SITES = "sites"

TABS: tuple[tuple[str, str, str], ...] = (
    ("site-structure", "Structure", "Structure"),
    (SHARE_LINKS, "Share links", "Links"),
    ("site-readers", "Readers", "Readers"),
    ("site-schema", "Schema", "Schema"),
    ("site-settings", "Settings", "Settings"),
)
"""The places of a site, in the order of their tabs: name, title, title where there is no room."""

COUNTED = 250
"""Up to how many share links are counted where the service does not say how many there are."""

WHICH = "Which site? gt lists them, Enter opens one."
"""What a place of a site says that was told none, where the organization has not just one."""


def made_and_undone(known: Iterable[Past], site: str | None) -> bool:
    """Whether a site was made from this machine, and that was taken back."""
    return any(
        past.standing == "undone"
        and any(
            step.operation == "delete_site" and step.arguments.get("site_id") == site
            for step in past.reversal.back
        )
        for past in known
    )


class SiteTabs(SitePublishing):
    """A place of one site, with a tab to each of the others."""

    OF_SITE: ClassVar[bool] = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.link_count: int | None = None
        """How many share links the site has; None while that is not known."""
        self.site_title = "site"
        """What the site is called, as far as that is known."""

    def opened(self) -> None:
        """Show the tabs; count the share links, unless that was handed on by another tab."""
        super().opened()
        self.show_tabs()
        if self.link_count is None and self.PLACE != SHARE_LINKS:
            self.reads.load("share links", self._count_links, self.count_links, what="Counting")

    def turned(self, results: Sequence[Any]) -> None:
        """Show what taking back a write gave; a site that is gone with it is left."""
        if made_and_undone(self.session.history.known.values(), self.target.site):
            self.leave_site()
        else:
            super().turned(results)

    def leave_site(self) -> None:
        """Go to the list of sites, as this one is gone; what is said here is said there."""
        # Later: who comes here has not said yet what happened.
        self.desk.call_later(self._to_list)

    async def _to_list(self) -> None:
        if self.desk.screen is not self:
            return
        said = self.query_one(Status)
        entry = navigation.find(SITES)
        assert entry is not None
        if any(type(screen) is entry.place for screen in self.desk.screen_stack):
            await self.desk.go(SITES)
        else:
            await self._put_here(entry.place(Target(organization=self.target.organization)))
        self.tell(said.message, said.tone_name)

    def show_tabs(self) -> None:
        """Show the tabs, this one as the current one."""
        self.set_views(
            [
                View(name, title, self.link_count if name == SHARE_LINKS else None, short)
                for name, title, short in TABS
            ],
            self.PLACE,
        )

    def count_links(self, count: int | None) -> None:
        """Take note of how many share links there are."""
        if count != self.link_count:
            self.link_count = count
            self.show_tabs()

    @property
    def first_view(self) -> str:
        """The place itself: who asks for it by its name stays there."""
        return self.PLACE

    def view_changed(self) -> None:
        """Go to the place of the tab that was chosen."""
        name, self.view = self.view, self.PLACE
        self.refresh_frame()
        if name != self.PLACE:
            self.desk.call_later(self._turn_to, name)

    async def _turn_to(self, name: str) -> None:
        """Put the place of another tab where this one stands, or go back to it if it is open."""
        entry, target = navigation.find(name), self.target.but(view=None)
        if entry is None:
            self.say(f"There is no screen called {name!r}.", "warn")
            return
        for screen in self.desk.screen_stack:
            if type(screen) is entry.place and screen.target.but(view=None) == target:
                await self.desk.go(name, target)
                return
        if self.desk.screen is not self:
            return
        other = entry.place(target)
        if isinstance(other, SiteTabs):
            other.link_count, other.rights = self.link_count, self.rights
            other.site_title = self.site_title
        if (visit := self.visit()) is not None:
            self.desk.visits.leave(visit)
        await self._put_here(other)

    async def _put_here(self, other: Place) -> None:
        """Put another place where this one stands."""
        if not self._result_callbacks:
            # Textual takes away what waits for a screen's result; the first screen has no such.
            self._push_result_callback(self, None)
        await self.desk.switch_screen(other)

    async def find_site(self, api: Api) -> Site | None:
        """Return the site of the target; told none, the only one of the organization.

        None when there are more, or none. The target names it from then on. Raises ``ApiError``.
        """
        from copydesk.contract import operations as ops
        from copydesk.session.reads.sites import read_only_site

        organization = self.target.organization or self.session.organization
        if organization is None:
            return None
        if self.target.site is None:
            found = await read_only_site(api, organization)
        else:
            found = await api(ops.get_site, organization, self.target.site)
        if found is not None:
            site, self.published = self.target.site or found.id, found.published
            self.site_title = clean(found.title).strip() or "Untitled"
            self.target = self.target.but(organization=organization, site=site)
        return found

    async def _count_links(self, api: Api) -> int | None:
        from copydesk.contract import operations as ops
        from copydesk.session.errors import failure_types

        organization, site = self.target.organization, self.target.site
        if organization is None or site is None:
            return None
        try:
            page = await api.page(ops.list_share_links, organization, site, limit=COUNTED)
        except (
            failure_types()
        ):  # whoever may not list them, or where none can be had, sees no count
            return None
        if page.count is not None:
            return page.count
        return len(page.items) if page.next is None else None
