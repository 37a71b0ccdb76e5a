"""The settings of one site as one list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.address import web_address
from copydesk.domain.text import clean
from copydesk.present.json_views import Raw
from copydesk.session.errors import with_key
from copydesk.session.target import Target
from copydesk.tui.framework.details import HasDetails
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part
from copydesk.tui.sites import settings_cells as present
from copydesk.tui.sites.deletion import DeletionCommands
from copydesk.tui.sites.settings import SettingsCommands, fixed_setting
from copydesk.tui.sites.settings_cells import Setting
from copydesk.tui.sites.tabs import WHICH, SiteTabs
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.settings_list import SettingsList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site


@place("site-settings", title="Site settings")
class SiteSettingsPlace(SiteTabs, HasDetails, scope="site_settings"):
    """Who reads a site, where, and what it shows of itself; Enter changes a setting."""

    RAW = ("get_site",)
    COMMAND_CLASSES = (DeletionCommands, SettingsCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.site: Site | None = None

    def site_deleted(self) -> None:
        """Go to the other sites."""
        self.leave_site()

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The settings, and what there is to know about the one under the cursor."""
        self.rows = SettingsList(_label)
        self.facts = Facts(title="Setting", empty="No setting is selected.", id="setting-facts")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def trail(self) -> Iterable[str]:
        """The organization, the site, and that these are its settings."""
        yield self.session.organization_title or "no organization"
        yield present.title_of(self.site) if self.site is not None else self.site_title
        yield "Settings"
        if self.refused:
            yield "read-only"

    @property
    def refused(self) -> str:
        """Why the reader may not change this site; empty when they may."""
        return self.rights.change if self.rights is not None else ""

    def status_left(self) -> str:
        """Say what is to know of the whole: that it is read-only, or not published."""
        if self.refused:
            return self.refused
        if self.site is not None and not self.site.published:
            return "not published: nobody reads it yet"
        return super().status_left()

    def raw(self) -> Raw | None:
        """Return where the JSON of the site comes from."""
        site = self.site
        if site is None:
            return None
        ids = (self.target.organization or "", site.id)
        return Raw(f"site {present.title_of(site)}", "get_site", ids)

    def url(self) -> str | None:
        """Return where readers find the site; where it is set up, for what is changed there."""
        site = self.site
        if site is None:
            return None
        app = web_address(site.urls.app) or None
        if fixed_setting(self) is not None and app:
            return app
        return (present.address_of(site) or app) if site.published else app

    def keyed(self) -> bool:
        """Whether the site is read with share links only, and its address is at hand."""
        site = self.site
        if site is None or site.visibility != "share-link":
            return False
        return self.url() != web_address(site.urls.app)

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        site, setting = self.site, self.rows.selected
        if site is None:
            return []
        copies = {"address": present.address_of(site)}
        if setting is not None:
            copies[setting.label.lower()] = str(setting.shown)
        copies |= {"title": present.title_of(site), "id": clean(site.id)}
        return [(name, text) for name, text in copies.items() if text]

    # Reading

    def reload(self) -> None:
        """Read the site, and what the reader may do with it."""
        self.rights = None
        self.load(
            "site", self._read, self._arrived, what="Reading the settings", failed=self._unread
        )

    def poll(self) -> None:
        """Read again quietly."""
        if self.site is not None:
            self.load("site", self._read, self._arrived, what="Reading again")
        else:
            super().poll()

    async def _read(self, api: Api) -> Site | None:
        site = await self.find_site(api)
        if site is not None and self.target.organization is not None:
            await self.know_rights(api, self.target.organization)
        return site

    def _unread(self, text: str) -> None:
        if self.site is None:
            self.rows.say_instead(with_key(text))

    def _arrived(self, site: Site | None) -> None:
        if site is None:
            self.rows.say_instead(WHICH)
            return
        self.show_site(site)
        if self.resuming:
            self.resume_draft(self.resuming)

    def show_site(self, site: Site) -> None:
        """Show the settings as they are now; the cursor stays on its row."""
        self.site, self.published = site, site.published
        self.rows.show(present.settings_of(site))
        self._look()
        self.refresh_frame()

    # What is on screen

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known of the setting."""
        self._look()
        self.frame_soon()

    def _look(self) -> None:
        setting, site = self.rows.selected, self.site
        if setting is None or site is None:
            self.facts.show([], title="Setting")
        else:
            facts = present.setting_facts(setting, site, self.session.now)
            self.facts.show(facts, title=setting.label)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Change the setting."""
        self.do_soon("change")

    def resume_draft(self, part: str) -> None:
        """Open the field of a setting again, with what was typed in it."""
        self.resuming = part if self.site is None else ""
        if self.site is not None and self.rows.select(part):
            self.do_soon("change")


def _label(setting: Setting) -> Text | str:
    return Text(setting.label, style="muted") if setting.kind == "fixed" else setting.label
