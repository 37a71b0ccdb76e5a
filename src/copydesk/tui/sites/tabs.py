"""The places of one site as tabs of one another.

Each is a place of its own; going to a tab puts its place where the one in front stood, so that Esc
leaves the site and not five screens of it. Each place of a site has its `SiteTabs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from copydesk.domain.text import clean
from copydesk.session.errors import failure_types
from copydesk.session.operations import ops
from copydesk.session.reads.sites import read_only_site
from copydesk.session.target import Target
from copydesk.session.writes.undo import Past
from copydesk.tui.framework import navigation
from copydesk.tui.framework.inside_textual import give_way
from copydesk.tui.framework.place import Place, View
from copydesk.tui.sites.commands import PublicationCommands

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
    ("redirects", "Redirects", "Redirects"),
    ("site-sign-in", "Sign-in", "Sign-in"),
    ("traffic", "Traffic", "Traffic"),
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


class SiteTabs:
    """The tabs of one site, on one of its places; each hands on what it knows of the site."""

    def __init__(self, place: Place) -> None:
        self.place = place
        place.place_tabs = self
        self.publication = place.commands_of(PublicationCommands)
        self.links: int | None = None
        """How many share links the site has; None while that is not known."""
        self.title = "site"
        """The title of the site, once it is known."""

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the organization and the site."""
        return self.place.target.organization or "", self.place.target.site or ""

    def trail(self, title: str) -> Iterable[str]:
        """Yield the organization, the site, and the title of the place."""
        yield self.place.session.title_of(self.place.organization) or "no organization"
        yield self.title
        yield title

    def open(self) -> None:
        """Show the tabs; count the share links, unless another tab has handed that on."""
        self.show()
        if self.links is None and self.place.PLACE != SHARE_LINKS:
            self.place.reads.load("share links", self._count_links, self.count, what="Counting")

    def show(self) -> None:
        """Show the tabs; the current one is that of the place."""
        self.place.set_views(
            [
                View(name, title, self.links if name == SHARE_LINKS else None, short)
                for name, title, short in TABS
            ],
            self.place.PLACE,
        )

    def count(self, links: int | None) -> None:
        """Take note of how many share links there are."""
        if links != self.links:
            self.links = links
            self.show()

    async def _count_links(self, api: Api) -> int | None:
        organization, site = self.place.target.organization, self.place.target.site
        if organization is None or site is None:
            return None
        try:
            page = await api.page(ops.list_share_links, organization, site, limit=COUNTED)
        except failure_types():
            # Whoever may not list them, or where none can be had, sees no count.
            return None
        if page.count is not None:
            return page.count
        return len(page.items) if page.next is None else None

    # Going

    def turn(self) -> None:
        """Go to the place of the tab that was chosen."""
        navigation.turn_tab(self.place, self._hand_on)

    def _hand_on(self, other: Place) -> None:
        tabs = getattr(other, "tabs", None)
        if isinstance(tabs, SiteTabs):
            tabs.links, tabs.title = self.links, self.title
            tabs.publication.rights = self.publication.rights

    def leave_if_gone(self) -> bool:
        """Leave a site that is gone, as its making was taken back; False where it is there."""
        gone = made_and_undone(self.place.session.history.known.values(), self.place.target.site)
        if gone:
            self.leave()
        return gone

    def leave(self) -> None:
        """Go to the list of sites, as this one is gone, and repeat the message there."""
        # Later: who comes here has not said yet what happened.
        self.place.desk.call_later(self._to_list)

    async def _to_list(self) -> None:
        place, desk = self.place, self.place.desk
        if desk.screen is not place:
            return
        said = place.status
        entry = navigation.find(SITES)
        assert entry is not None
        if any(type(screen) is entry.place for screen in desk.screen_stack):
            await desk.go(SITES)
        else:
            sites = entry.place(Target(organization=place.target.organization))
            await give_way(place, sites)
        place.tell(said.message, said.tone_name)

    # Reading

    async def find_site(self, api: Api) -> Site | None:
        """Return the site of the target; told none, the only one of the organization.

        None when there are more, or none. The target names it from then on. Raises ``ApiError``.
        """
        place = self.place
        organization = place.organization
        if organization is None:
            return None
        if place.target.site is None:
            found = await read_only_site(api, organization)
        else:
            found = await api(ops.get_site, organization, place.target.site)
        if found is not None:
            site, self.publication.published = place.target.site or found.id, found.published
            self.title = clean(found.title).strip() or "Untitled"
            place.target = place.target.but(organization=organization, site=site)
        return found
