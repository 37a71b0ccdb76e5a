"""Share links of a site: secret addresses, switched on and off one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from copydesk.client.errors import Forbidden
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import moment, told_ago
from copydesk.domain.site_inverses import link_changed, link_made
from copydesk.domain.sure import sure
from copydesk.domain.text import plural, shorten
from copydesk.present.facts import Fact, hint
from copydesk.session.draft_keys import share_link_key
from copydesk.session.errors import sentence
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.sites import list_links
from copydesk.session.site_rows import (
    ShareLinkRow,
    SiteRow,
    link_of,
    no_address,
    no_effect,
    site_row,
)
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import TypeToConfirm, typable
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import NoRowYet, NotYet, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.sites.tabs import PublicationCommands, SiteTabs
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

NAME_LIMIT = 50
"""Characters of a name."""

CHOSEN_LINK = "link to read with"
"""Under this and the id of a site, `Session.left` has the link that readers' view is asked for."""


@dataclass(frozen=True)
class LinksRead:
    """The links of a site, and why the reader may not change or not even see them (empty: may)."""

    site: SiteRow
    links: tuple[ShareLinkRow, ...]
    refused: str = ""
    unseen: bool = False


def short_effect(site: SiteRow) -> str:
    """Return the same in a few words, for a title; empty when links work."""
    if site.visibility != "share-link":
        return f"no effect: the site is {site.visibility}"
    return "" if site.published else "no effect: not published"


def link_state(link: ShareLinkRow) -> Text | str:
    """Return whether a link is on, in a word."""
    return Text("on", style="good") if link.active else Text("switched off", style="warn")


def address_cell(link: ShareLinkRow) -> Text:
    """Return what the list shows of an address: that there is one, never what it is."""
    return Text("hidden" if link.address else "none now", style="muted")


def link_facts(
    link: ShareLinkRow, site: SiteRow | None, now: datetime, *, revealed: bool
) -> list[Fact]:
    """Return what to know about a link; its address only when it was asked for."""
    found = [Fact("state", link_state(link))]
    why = no_effect(site) if site is not None else ""
    if why:
        found.append(Fact("", Text(why, style="warn")))
    elif link.active:
        found.append(Fact("opens", "the site, for whoever has its address"))
    else:
        found.append(Fact("opens", hint("nothing while it is off; x switches it on", "")))
    if link.created is not None:
        found.append(Fact("made", f"{moment(link.created, now)} ({told_ago(link.created, now)})"))
    if not link.address:
        said = "none now" if why else no_address(link, site)
        found.append(Fact("address", hint(said)))
    elif revealed:
        found.append(Fact("address", Text(link.address, style="link")))
        found.append(Fact("", Text("Enter hides it again.", style="muted")))
    else:
        said = "hidden: it is a secret. Enter shows it here, y copies it."
        found.append(Fact("address", hint(said)))
    return found


def check_name(text: str) -> str | None:
    """Say what is wrong with the name of a link."""
    if not text:
        return "a link needs a name"
    if len(text) > NAME_LIMIT:
        return f"{len(text)} characters; at most {NAME_LIMIT}"
    return None


def loss(link: ShareLinkRow, site: SiteRow | None) -> Sequence[Text | str]:
    """Return what deleting a link comes to."""
    works = link.active and site is not None and not no_effect(site)
    return [
        "Whoever has its address gets nothing any more"
        + ("." if works else ", also when links would work again."),
        Text("This cannot be undone: a new link has another address.", style="warn"),
        hint("x switches it off only, and can be undone.", ""),
    ]


async def make_link(api: Api, ids: tuple[str, str], name: str) -> ShareLinkRow:
    """Make a share link, which is on at once. Raises ``ApiError``."""
    from copydesk.contract.models.share_link import ShareLinkCreate

    return link_of(await api(ops.create_share_link, *ids, ShareLinkCreate(name=name)))


async def find_made(
    api: Api, ids: tuple[str, str], name: str, known: Collection[str]
) -> ShareLinkRow | None:
    """Return the link of that name that was not known before, for one that may have been made."""
    links = await list_links(api, *ids)
    return next((link for link in links if link.id not in known and link.name == name), None)


def not_allowed(here: ShareLinksPlace) -> str | None:
    """Say why the reader may not change the links of this site."""
    if here.read is None:
        return NotYet("The links have not been read yet.")
    return here.read.refused or None


def no_link(here: ShareLinksPlace) -> str | None:
    """Say so when the cursor is on no link."""
    why = "Put the cursor on a link first."
    if here.link is not None:
        return None
    return why if here.read is not None else NoRowYet(why)


def unaddressed(here: ShareLinksPlace) -> str | None:
    """Say why the link has no address to be copied or opened."""
    link = here.link
    if link is None or link.address:
        return None
    return no_address(link, here.read.site if here.read is not None else None)


def switch_label(here: ShareLinksPlace) -> str:
    """Return the label of the key that switches the link."""
    return "switch off" if here.link is None or here.link.active else "switch on"


@place("share-links", title="Share links")
class ShareLinksPlace(Place, scope="share_links"):
    """Links to a site for people without an account. Whoever has the address reads the site."""

    OF_SITE = True
    COMMAND_CLASSES = (DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.read: LinksRead | None = None
        self._revealed = ""
        """The id of the link whose address is on screen."""
        self._written = 0
        """How many writes there were when the links were read."""
        self._wanted = ""
        """The link to go to once the links have been read again."""

    @property
    def shows_secret(self) -> bool:
        return bool(self._revealed)

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[ShareLinkRow] = VirtualList(
            ListSource(key=lambda link: link.id),
            [
                Column("name", "NAME", lambda link: link.title, flex=1, minimum=20),
                Column("state", "STATE", link_state, 12),
                Column("created", "MADE", self._created, 10, drop=2),
                Column("address", "ADDRESS", address_cell, 8, drop=1),
            ],
            title="Share links",
            empty="Reading the links…",
            id="share-links",
        )
        self.facts = Facts(title="Link", empty="No link is selected.", id="share-link")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def _created(self, link: ShareLinkRow) -> str:
        return told_ago(link.created, self.session.now)

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail()
        if self.read is not None and self.read.refused:
            yield "read-only"

    def status_left(self) -> str:
        if self.read is None:
            return ""
        if self.read.refused:
            return self.read.refused
        said = super().status_left() or no_effect(self.read.site)
        on = sum(link.active for link in self.read.links)
        return said or f"{plural(len(self.read.links), 'link')}, {on} on; addresses are hidden"

    @property
    def link(self) -> ShareLinkRow | None:
        """The link under the cursor."""
        return self.rows.selected

    # Reading

    def reload(self) -> None:
        self.tabs.read("Reading links", self._read, self._arrived)

    def poll(self) -> None:
        self.tabs.read("Reading again", self._read, self._arrived)

    async def _read(self, api: Api, site: Site) -> LinksRead:
        refused = (await self.tabs.publication.know_rights(api, self.tabs.ids[0])).change
        row = site_row(site)
        try:
            return LinksRead(row, await list_links(api, *self.tabs.ids), refused)
        except Forbidden as error:
            return LinksRead(row, (), refused or sentence(error), unseen=True)

    def _arrived(self, found: LinksRead) -> None:
        self.read, self.tabs.publication.published = found, found.site.published
        if found.unseen:
            self.rows.empty = "You may not see the share links of this site."
        elif found.refused:
            self.rows.empty = "This site has no share links."
        else:
            self.rows.empty = "This site has no share links. ctrl+n makes one."
        source = self.rows.source.listed
        if self._wanted or len(self.session.log) != self._written:
            # What was written here is shown at once; what others did waits to be folded in.
            source.set(found.links)
        else:
            source.merge(found.links)
        self._written = len(self.session.log)
        self.rows.note = short_effect(found.site)
        self.rows.retitle()
        if self._wanted and self.rows.select(self._wanted):
            self._wanted = ""
        self.tabs.count(None if found.unseen else len(found.links))
        self.show_details()
        self.refresh_frame()
        if self.resuming:
            self.resume_draft(self.resuming)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        if self._revealed and event.id != self._revealed:  # at once: it must not stay to be read
            self._revealed = ""
            self.show_details()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        link = self.link
        if link is None:
            return
        if not link.address:
            self.say(unaddressed(self) or "", "warn")
            return
        self._revealed = "" if self._revealed == link.id else link.id
        self.show_details()

    def on_screen_suspend(self) -> None:
        """Hide an address that was shown: another screen is in front."""
        self._revealed = ""
        self.show_details()

    def show_details(self) -> None:
        link = self.link
        if link is None:
            self.facts.show([], title="Link")
            return
        site = self.read.site if self.read is not None else None
        shown = link_facts(link, site, self.session.now, revealed=self._revealed == link.id)
        self.facts.show(shown, title=link.title, about=link.id)

    def resume_draft(self, part: str) -> None:
        self.resuming = part if self.read is None else ""
        if self.read is None:
            return
        if part == "new":
            self.do_soon("make")
        elif self.rows.select(part):
            self.do_soon("rename")
        else:
            self.say("The link is gone. What you typed is kept (:drafts).", "warn")

    # Writing

    @action("ctrl+n", "new link", word="new", unless=not_allowed, danger=1, show=28, group="Change",
            uses="create_share_link", types=True)  # fmt: skip
    async def make(self) -> None:
        """Make a share link. It is on at once, and y copies its address."""
        assert self.read is not None
        ids, key = self.tabs.ids, share_link_key(self.tabs.ids[1], "new")
        known = {link.id for link in self.read.links}
        facts = [
            "Whoever has the address of the link reads the site, without an account.",
            "Name it after whom it is for: each link can be switched off.",
        ]
        if why := no_effect(self.read.site):
            facts.append(why)

        async def send(values: Mapping[str, str]) -> None:
            name = values["name"]
            made = await self.writer.perform(
                "Make share link",
                shorten(name, 40),
                lambda api: make_link(api, ids, name),
                reversal=lambda link: link_made(ids, link.id, name),
                look=lambda api: find_made(api, ids, name, known),
                draft=key,
            )
            self._wanted = made.id

        form = Form(
            "New share link",
            [Field("name", "Name", "", check_name)],
            draft_key=key,
            facts=facts,
            send=send,
            verb="make it",
        )
        if await self.desk.push_screen_wait(form):
            self.read_again()

    @action("e", "rename", unless=(not_allowed, no_link), danger=1, show=26, group="Change",
            uses="update_share_link", types=True)  # fmt: skip
    async def rename(self) -> None:
        """Give the link another name. Its address stays."""
        link, ids = sure(self.link), self.tabs.ids
        key = share_link_key(ids[1], link.id)

        async def send(values: Mapping[str, str]) -> None:
            await self._change(link, "Rename", {"name": link.name}, {"name": values["name"]}, key)

        form = Form(
            f"Rename {shorten(link.title, 40)}",
            [Field("name", "Name", link.name, check_name)],
            draft_key=key,
            facts=["Its address stays as it is."],
            send=send,
        )
        if await self.desk.push_screen_wait(form):
            self.read_again()

    @action("x", "on/off", unless=(not_allowed, no_link), show=24, group="Change",
            uses="update_share_link", now=switch_label)  # fmt: skip
    async def switch(self) -> None:
        """Switch the link off, so that its address opens nothing, or on again. u undoes it."""
        link = sure(self.link)
        active = not link.active
        what = "Switch on" if active else "Switch off"
        await self._change(link, what, {"active": link.active}, {"active": active})
        self.read_again()

    async def _change(
        self,
        link: ShareLinkRow,
        what: str,
        before: Mapping[str, str | bool],
        after: Mapping[str, str | bool],
        draft: str = "",
    ) -> None:
        from copydesk.contract.models.share_link import ShareLinkUpdate

        ids, body = self.tabs.ids, ShareLinkUpdate.model_validate(dict(after))
        await self.writer.perform(
            f"{what} share link",
            shorten(link.title, 40),
            lambda api: api(ops.update_share_link, *ids, link.id, body),
            reversal=link_changed(ids, link.id, before, after),
            draft=draft,
        )

    @action("D", "delete", unless=(not_allowed, no_link), danger=3, show=18, group="Change",
            uses="delete_share_link")  # fmt: skip
    async def delete(self) -> None:
        """Delete the link for good; it asks for the name. x only switches it off."""
        link, ids = sure(self.link), self.tabs.ids
        site = self.read.site if self.read is not None else None
        sheet = TypeToConfirm(
            f"Delete {shorten(link.title, 40)}",
            loss(link, site),
            expect=link.name,
            verb="delete",
            what="the name" if typable(link.name) else "the word",
        )
        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete share link",
                shorten(link.title, 40),
                lambda api: api(ops.delete_share_link, *ids, link.id),
            )
            self.read_again()

    # The address

    @action("l", "as readers", word="right", unless=no_link, show=16, group="Go", also=("right",))
    def read_with(self) -> None:
        """Show the site as it is read with this link."""
        if self.link is not None:
            self.session.left[CHOSEN_LINK, self.tabs.ids[1]] = self.link.id
            self.choose_view("site-readers")

    @action("y", "copy address", unless=(no_link, unaddressed), show=22, group="Share",
            override=True)  # fmt: skip
    def copy_url(self) -> None:
        """Copy the address of the link. It is not shown."""
        link = self.link
        if link is not None:
            self.desk.copy(link.address, f"the address of {link.title}")

    @action("o", "browser", word="browser",
            unless=(no_link, unaddressed), show=3, group="Share", override=True)  # fmt: skip
    def browse(self) -> None:
        """Open the address of the link in the browser."""
        link = self.link
        if link is not None:
            self.desk.open_url(link.address)
            self.say(f"Opened the site with “{link.title}”.")

    @action("Y", "copy…", unless=no_link, show=False, group="Share", override=True)
    async def copy_menu(self) -> None:
        """Choose what to copy: the address, which is not shown, the name or the id."""
        link = sure(self.link)
        options = [Option("name", "name", link.title), Option("id", "id", link.id)]
        if link.address:
            options.insert(0, Option("address", "address", "hidden"))
        chosen = await self.desk.push_screen_wait(Choice("Copy", options))
        if chosen == "address":
            self.desk.copy(link.address, f"the address of {link.title}")
        elif chosen is not None:
            self.desk.copy(link.title if chosen == "name" else link.id)

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return the things that can be copied, with a text to show; never the address."""
        link = self.link
        return [] if link is None else [("name", link.title), ("id", link.id)]
