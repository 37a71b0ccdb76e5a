"""The places of one site as tabs of one another.

Each is a place of its own; going to a tab puts its place where the one in front stood, so that Esc
leaves the site and not five screens of it. Each place of a site has its `SiteTabs`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.request_context import reads_cached
from copydesk.domain.site_inverses import site_published
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, shown_title
from copydesk.session.errors import failure_types, with_key
from copydesk.session.operations import ops
from copydesk.session.reads.sites import ANY, Rights, read_only_site, read_rights
from copydesk.session.target import Target
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.undo import PastWrite
from copydesk.tui.dialogs.dialog import Confirm, TypeToConfirm, offer_checkout
from copydesk.tui.framework import navigation
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.inside_textual import give_way
from copydesk.tui.framework.keyboard import run_command
from copydesk.tui.framework.place import Place, View
from copydesk.tui.sites import settings_cells as present
from copydesk.tui.sites.settings_cells import address_of, title_of
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.share_link import ShareLink
    from copydesk.contract.models.site import Site

T = TypeVar("T")

SHARE_LINKS = "share-links"
SITES = "sites"

TABS: tuple[tuple[str, str, str], ...] = (
    ("site-structure", "Structure", "Structure"),
    (SHARE_LINKS, "Share links", "Links"),
    ("site-readers", "What readers get", "Readers"),
    ("site-schema", "Visitor attributes", "Attributes"),
    ("site-settings", "Settings", "Settings"),
    ("redirects", "Redirects", "Redirects"),
    ("site-sign-in", "Sign-in", "Sign-in"),
    ("traffic", "Traffic", "Traffic"),
)
"""The places of a site, in the order of their tabs: name, title, title where there is no room."""

COUNTED = 250
"""Up to how many share links are counted where the service does not say how many there are."""

WHICH = "Which site? :site chooses one."
"""What a place of a site says that was told none, where the organization has not just one."""


def made_and_undone(known: Iterable[PastWrite], site: str | None) -> bool:
    """Whether a site was made from this machine, and that was taken back."""
    return any(
        past.standing == "undone"
        and any(
            step.operation == "delete_site" and step.arguments.get("site_id") == site
            for step in past.reversal.back
        )
        for past in known
    )


class SitePlace(Protocol):
    """A place of a site, as its tabs know it."""

    rows: VirtualList[Any]
    read: object
    """What was read of the site; None until then."""


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
        self._asked = False
        """Whether it was asked which site is meant."""

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the organization and the site."""
        return self.place.target.organization or "", self.place.target.site or ""

    def trail(self) -> Iterable[str]:
        """Yield the site, and the title of the tab."""
        yield self.title
        yield next(title for name, title, _ in TABS if name == self.place.PLACE)

    def unread(self, text: str) -> None:
        """Say in the list of the place why it could not be read, unless it was before."""
        place = cast("SitePlace", self.place)
        if place.read is None:
            place.rows.say_instead(with_key(text))

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
        entry = sure(navigation.find(SITES))
        if any(type(screen) is entry.place for screen in desk.screen_stack):
            await desk.go(SITES)
        else:
            sites = entry.place(Target(organization=place.target.organization))
            await give_way(place, sites)
        place.tell(said.message, said.tone_name)

    # Reading

    def read(
        self, what: str, read: Callable[[Api, Site], Awaitable[T]], came: Callable[[T], None]
    ) -> None:
        """Read what the place shows of the site; ask which one, where that is not known."""

        async def of_site(api: Api) -> T | None:
            site = await self.find_site(api)
            return None if site is None else await read(api, site)

        def arrived(found: T | None) -> None:
            if found is None:
                cast("SitePlace", self.place).rows.say_instead(WHICH)
            else:
                came(found)

        self.place.reads.load("site", of_site, arrived, what=what, failed=self.unread)

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
        if found is None:
            self.ask_which()
        if found is not None:
            site, self.publication.published = place.target.site or found.id, found.published
            self.title = shown_title(found.title)
            place.target = place.target.but(organization=organization, site=site)
        return found

    def ask_which(self) -> None:
        """Ask which site is meant, once."""
        if not self._asked:
            self._asked = True
            self.place.call_later(self._ask)

    async def _ask(self) -> None:
        commands = self.publication
        if self.place.desk.here is self.place:
            await run_command(commands, commands.LINE_COMMANDS["site"], "")


E9 = "E9"

KEYED = "Copied the address. It opens nothing without the key of a share link."
"""What is said of the address of a site that is read with share links only."""

NOT_HERE = "This service publishes sites in the web application only."
"""What is said where it lacks the operations."""

LINKS_READ = 250
"""Up to how many share links are looked through for how many of them are switched on."""


def publication_of(place: Place) -> PublicationCommands:
    """Return what publishes the site that is at hand in a place."""
    return place.commands_of(PublicationCommands)


def no_site_at_hand(here: Place) -> str | None:
    """Say so when it is not known which site is meant."""
    return None if here.site_at_hand() else "Put the cursor on a site first."


def no_publishing(here: Place) -> str | None:
    """Say so when the service was found to lack publishing."""
    api = here.session.api
    return None if api is None or api.has(E9) else NOT_HERE


def may_not_publish(here: Place) -> str | None:
    """Say so when the reader's role does not allow it."""
    return publication_of(here).may.publish or None


def _label(here: Place) -> str:
    if no_publishing(here) is not None:
        return ""
    return {True: "unpublish", False: "publish", None: "publish…"}[publication_of(here).at_hand()]


async def read_links(api: Api, organization: str, site: str) -> list[ShareLink] | None:
    """Return the share links of a site; None where they are not told, or too many."""
    try:
        page = await api.page(ops.list_share_links, organization, site, limit=LINKS_READ)
    except (Forbidden, NotFound):
        return None
    return None if page.next is not None else list(page.items)


class PublicationCommands(Commands, scope="site_publishing"):
    """Publishing the site at hand and taking it down; what the reader may do with sites."""

    place: Place

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.rights: Rights | None = None
        """What the reader may do; None while that was not read."""
        self._rights_kept = False
        """Whether that came from the cache."""
        self.published: bool | None = None
        """Whether the site that the place shows was published when it was read last."""
        self.at_hand: Callable[[], bool | None] = lambda: self.published
        """Whether the site at hand is published; None while that is not known."""

    @property
    def may(self) -> Rights:
        """What the reader may do; everything while that is not known, as the service decides."""
        return self.rights or ANY

    @command("site", uses="list_sites")
    async def choose_site(self, rest: str = "") -> None:
        """Choose the site whose tabs are shown."""
        from copydesk.tui.dialogs.choice import ask_for_site

        place, organization = self.place, self.place.organization
        if not isinstance(place.place_tabs, SiteTabs) or organization is None:
            place.say(":site works on the screens of one site.", "warn")
            return
        chosen = await ask_for_site(place, organization)
        if chosen is not None and chosen.id != place.target.site:
            target = place.target.but(organization=organization, site=chosen.id, item=None)
            await give_way(place, type(place)(target))

    async def know_rights(self, api: Api, organization: str) -> Rights:
        """Return what the reader may do, read at the first call. Raises ``ApiError``."""
        if self.rights is None or (self._rights_kept and not reads_cached()):
            me, site = self.place.session.me, self.place.target.site
            self.rights = await read_rights(api, organization, me.id if me else None, site)
            self._rights_kept = reads_cached()
        return self.rights

    @action(
        "W",
        "publish",
        unless=(no_site_at_hand, no_publishing, may_not_publish),
        danger=2,
        takes="none",
        show=7,
        group="Change",
        now=_label,
        uses=("publish_site", "unpublish_site", "get_site", "get_member", "list_share_links"),
    )
    async def publish(self) -> None:
        """Publish the site, or take a published one down; says who is concerned, and where."""
        await self._publish(None)

    @command("publish", uses=("publish_site",), takes="none")
    async def publish_word(self, rest: str) -> None:
        """Publish the site, as W does."""
        await self._publish_by_word(True)

    @command("unpublish", uses=("unpublish_site",), takes="none")
    async def unpublish_word(self, rest: str) -> None:
        """Take the site down, as W does with a published one."""
        await self._publish_by_word(False)

    async def _publish_by_word(self, want: bool) -> None:
        why = (
            no_site_at_hand(self.place) or no_publishing(self.place) or may_not_publish(self.place)
        )
        if why is not None:
            self.place.say(why, "warn")
        else:
            await self._publish(want)

    async def _publish(self, want: bool | None) -> None:
        """Ask, then publish the site at hand or take it down; without ``want`` the other way."""
        organization = self.place.organization
        site_id = self.place.site_at_hand()
        if organization is None or site_id is None:
            return
        api, reads = await self.place.session.ready(), self.place.reads
        ids = organization, site_id

        async def read() -> tuple[str, Site | None]:
            why = (await self.know_rights(api, organization)).publish
            return why, None if why else await api(ops.get_site, *ids)

        why, site = await reads.now("plan", read, "Reading the site") or ("", None)
        if why:
            self.place.tell(why, "warn")
        if site is None:
            return
        self.published = site.published
        if want is None:
            want = not site.published
        changed = False
        while True:
            if site.published == want:
                is_so = "published" if want else "not published"
                self.place.tell(f"{clean(site.title) or 'It'} is {is_so} already.", "warn")
                self.place.read_again()
                return
            asking = partial(self._sheet, api, ids, site, want, changed=changed)
            sheet = await reads.now("plan", asking, "Reading who is concerned")
            if sheet is None or not await self.place.desk.push_screen_wait(sheet):
                return
            before, again = site, partial(api, ops.get_site, *ids)
            site = await reads.now("plan", again, "Reading the site again")
            if site is None:
                return
            # What was agreed to is what the sheet said: who reads it, and where.
            if _told(before) == _told(site):
                break
            changed = True
        await self._send_publishing(ids, site, want)

    async def _sheet(
        self, api: Api, ids: tuple[str, str], site: Site, want: bool, *, changed: bool
    ) -> Confirm:
        links = None
        if want and site.visibility == "share-link":
            links = await read_links(api, *ids)
        facts = present.publish_facts(site, links) if want else present.unpublish_facts(site)
        verb = "publish" if want else "unpublish"
        return Confirm(
            f"{verb.capitalize()} {present.title_of(site)}",
            facts,
            verb=verb,
            warning="Someone changed it meanwhile: this is how it is now." if changed else "",
        )

    async def _send_publishing(self, ids: tuple[str, str], site: Site, want: bool) -> None:
        title, where = title_of(site), clean(address_of(site))
        operation = ops.publish_site if want else ops.unpublish_site

        async def look(api: Api) -> Site | None:
            found = await api(ops.get_site, *ids)
            return found if found.published == want else None

        try:
            await self.place.writer.perform(
                "Publish" if want else "Unpublish",
                title,
                lambda api: api(operation, *ids),
                reversal=site_published(ids, published=want),
                recall=True,
                look=look,
            )
        except WriteError as error:
            if await offer_checkout(self.place, f"{title} is not published", error):
                return
            if not isinstance(error.__cause__, OperationMissing):
                raise
            self.place.tell(NOT_HERE, "warn")
            self.place.refresh_frame()
            return
        self.published = want
        if want:
            self.place.tell(f"“{title}” is published{f' at {where}' if where else ''}.", "good")
        else:
            self.place.tell(f"“{title}” is not published any more.", "good")
        if self.place.is_attached:
            self.place.read_again()


class SiteDeletionCommands(Commands, scope="site_deleting"):
    """Deleting a site, where one is at hand."""

    place: Place

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.deleted: Callable[[], None] = self._read_again
        """What shows that the site at hand is gone."""

    def _read_again(self) -> None:
        if self.place.is_attached:
            self.place.read_again()

    @action(
        "D",
        "delete",
        unless=(no_site_at_hand, lambda here: publication_of(here).may.delete or None),
        danger=3,
        show=6,
        group="Change",
        uses=("delete_site", "get_site", "list_share_links", "list_site_sections"),
    )
    async def delete(self) -> None:
        """Delete the site once its title was typed: links and structure go, the content stays."""
        organization = self.place.organization
        site_id = self.place.site_at_hand()
        if organization is None or site_id is None:
            return
        ids = organization, site_id
        api = await self.place.session.ready()

        async def read() -> tuple[str, tuple[Site, list[ShareLink] | None, int | None] | None]:
            why = (await publication_of(self.place).know_rights(api, organization)).delete
            if why:
                return why, None
            site = api(ops.get_site, *ids)
            links, sections = read_links(api, *ids), self._sections(api, ids)
            return "", await asyncio.gather(site, links, sections)

        why, found = await self.place.reads.now("plan", read, "Reading the site") or ("", None)
        if why:
            self.place.tell(why, "warn")
        if found is None:
            return
        site, links, sections = found
        title = present.title_of(site)
        agreed = await self.place.desk.push_screen_wait(
            TypeToConfirm(
                f"Delete {title}",
                present.delete_facts(site, links, sections),
                expect=title,
                verb="delete",
                what="the title",
            )
        )
        if not agreed:
            return

        await self.place.writer.perform(
            "Delete site",
            title,
            lambda api: api.done(ops.delete_site, *ids),
            look=lambda api: api.gone(ops.get_site, *ids),
            done=f"“{title}” is deleted. Its content is kept.",
        )
        self.deleted()

    async def _sections(self, api: Api, ids: tuple[str, str]) -> int | None:
        """Return how many sections a site has; None where the service does not tell."""
        try:
            page = await api.page(ops.list_site_sections, *ids, limit=250)
        except (Forbidden, NotFound):
            return None
        return page.count if page.count is not None else len(page.items)


def _told(site: Site) -> tuple[object, ...]:
    return site.published, site.visibility, site.urls.published, site.basename, site.site_spaces
