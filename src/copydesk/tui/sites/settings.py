"""The settings of a site as one list, and how each is changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.address import PATH_RULE, is_path_part, web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.site_inverses import setting_as_read, setting_changed
from copydesk.domain.sure import sure
from copydesk.domain.text import clean
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import site_setting_key
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.sites import read_structure
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.sites import settings_cells as present
from copydesk.tui.sites.settings_cells import SiteSetting
from copydesk.tui.sites.tabs import (
    KEYED,
    PublicationCommands,
    SiteDeletionCommands,
    SiteTabs,
    no_publishing,
    read_links,
)
from copydesk.tui.widgets.facts import Facts, SettingsList
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.share_link import ShareLink
    from copydesk.contract.models.site import Site, SiteUpdate

Meaning = Callable[["Site"], "Sequence[Fact]"]
"""Says what a change means for a site; nothing where it needs no agreement."""

LEFT = "Nothing was sent."


def not_changeable(here: SiteSettingsPlace) -> str | None:
    """Say why the reader may not change this site."""
    if here.site is None:
        return "The settings have not been read yet."
    return here.refused or None


def no_setting(here: SiteSettingsPlace) -> str | None:
    """Say so when the cursor is on no setting."""
    return None if here.rows.selected is not None else "No setting selected."


def fixed_setting(here: SiteSettingsPlace) -> str | None:
    """Say where a setting is changed that is not changed here."""
    setting, site = here.rows.selected, here.site
    if setting is None or site is None or setting.kind != "fixed":
        return None
    if setting.name == "features":
        return "Features follow from the plan and the other settings."
    return f"{setting.label} is not changed through the API. {present.web_words(site)}"


Asked = Callable[["SiteSettingsPlace", "Site", Any], Awaitable[Meaning]]
"""Reads what there is to know of a change to a value, and returns what says what that means."""


async def _means_nothing(here: SiteSettingsPlace, site: Site, wanted: Any) -> Meaning:
    return lambda site: ()


def _says(facts: Callable[[Site, str], Sequence[Fact]]) -> Asked:
    async def asked(here: SiteSettingsPlace, site: Site, wanted: Any) -> Meaning:
        return lambda site: facts(site, wanted or "")

    return asked


async def _who_reads(here: SiteSettingsPlace, site: Site, wanted: str) -> Meaning:
    """Read the share links where they are what opens the site."""
    links: list[ShareLink] | None = None
    if "share-link" in (wanted, site.visibility):
        links = await read_links(await here.session.ready(), *here.tabs.ids)
    return lambda site: present.visibility_facts(site, wanted, links)


async def _who_sees_what(
    here: SiteSettingsPlace, site: Site, wanted: Mapping[str, bool]
) -> Meaning:
    """Read what has a condition: adaptive content decides about all of that."""
    conditional = await _conditional(await here.session.ready(), here.tabs.ids)
    return lambda site: present.adaptive_facts(site, conditional, on=wanted["enabled"])


@dataclass(frozen=True, slots=True)
class SettingChange:
    """How a setting is changed, where that is not as others are.

    ``asked`` reads and says what another value means for a site, which has to be agreed to;
    ``recall``: that may be taken back at once. ``rule`` is what is wrong with a text that the
    contract allows, ``pattern`` what to write where a text has another form; ``optional``: an empty
    text removes it. ``switched`` is what a request sets a switch to, ``sent`` the value that a
    setting has, as a request has it.
    """

    asked: Asked = _means_nothing
    recall: bool = False
    rule: Callable[[str], str | None] = lambda text: None
    pattern: str = ""
    optional: bool = False
    switched: Callable[[bool], object] = lambda on: on
    sent: Callable[[Site], object] | None = None

    def wanted(self, text: str) -> str | None:
        """Return the value that a text in a field stands for."""
        return None if self.optional and not text else text


SETTING_CHANGES: Mapping[str, SettingChange] = {
    "visibility": SettingChange(asked=_who_reads, recall=True),
    "basename": SettingChange(
        asked=_says(present.basename_facts),
        rule=lambda text: None if is_path_part(text) else PATH_RULE.capitalize(),
    ),
    "proxy": SettingChange(
        asked=_says(present.proxy_facts),
        pattern="Write a host plus path, such as www.acme.com/docs",
        optional=True,
        sent=lambda site: present.proxy_of(site) or None,
    ),
    "adaptiveContent": SettingChange(
        asked=_who_sees_what,
        recall=True,
        switched=lambda on: {"enabled": on},
        sent=lambda site: {"enabled": present.adaptive_of(site)},
    ),
}
"""The settings that are changed in a way of their own, by name."""


def change_of(name: str) -> SettingChange:
    """Return how a setting is changed."""
    return SETTING_CHANGES.get(name, SettingChange())


def check(name: str) -> Callable[[str], str | None]:
    """Return a check of a setting by the limits that the contract declares for it."""
    change = change_of(name)

    def check(text: str) -> str | None:
        from pydantic import ValidationError

        try:
            body_of(name, change.wanted(text))
        except ValidationError as error:
            found = error.errors()[0]
            if found["type"] == "string_pattern_mismatch" and (
                said := change.pattern or change.rule(text)
            ):
                return said
            return str(found["msg"]).replace("String should have", "The text has to have")
        return change.rule(text)

    return check


def body_of(name: str, value: object) -> SiteUpdate:
    """Return the body that sets one setting. Raises what pydantic does for a bad value."""
    from copydesk.contract.models.site import SiteUpdate

    return SiteUpdate.model_validate({name: value})


class SettingsCommands(Commands, scope="site_settings"):
    """Changing the settings of a site."""

    place: SiteSettingsPlace

    @action("e", "change", unless=(not_changeable, no_setting, fixed_setting), danger=1, show=30,
            group="Change", uses=("update_site", "get_site", "list_share_links"))  # fmt: skip
    async def change(self) -> None:
        """Change the setting under the cursor, as Enter does; u undoes it."""
        setting, site = self.place.rows.selected, self.place.site
        if setting is None or site is None:
            return
        match setting.kind:
            case "publish":
                if (why := no_publishing(self.place)) is not None:
                    self.place.say(why, "warn")
                else:
                    await self.place.tabs.publication.publish()
            case "text":
                await self._type(setting, site)
            case "switch":
                await self._set(setting, change_of(setting.name).switched(setting.value != "on"))
            case "choice":
                await self._choose(setting, site)

    # Typed ones

    async def _type(self, setting: SiteSetting, site: Site) -> None:
        name = setting.name
        field = Field(name, setting.label, setting.value, check(name))
        key = site_setting_key(self.place.target.site or "", name)

        async def send(values: Mapping[str, str]) -> None:
            if not await self._set(setting, change_of(name).wanted(values[name]), draft=key):
                raise NotDoneError(LEFT)

        form = Form(
            f"{setting.label} of {present.title_of(site)}",
            [field],
            draft_key=key,
            facts=[" ".join(present.HELP[name])],
            send=send,
        )
        await self.place.desk.push_screen_wait(form)

    # Chosen ones

    async def _choose(self, setting: SiteSetting, site: Site) -> None:
        title = f"{setting.label} of {present.title_of(site)}"
        chosen = await self.place.desk.push_screen_wait(
            Choice(
                title,
                [Option(each, each, meaning) for each, meaning in setting.choices],
                current=setting.value,
            )
        )
        if not chosen:
            return
        if chosen == setting.value:
            self.place.say(f"{setting.label}: {chosen} already.")
            return
        await self._set(setting, chosen)

    # Sending

    async def _set(self, setting: SiteSetting, wanted: object, *, draft: str = "") -> bool:
        """Agree on a change, send it, and show it; False when it was not sent."""
        name, ids, change = setting.name, self.place.tabs.ids, change_of(setting.name)
        facts = await change.asked(self.place, sure(self.place.site), wanted)
        site = await self._agree(setting, wanted, facts)
        if site is None:
            return False
        body = body_of(name, wanted)
        before = _sent_as(site, name)

        async def send(api: Api) -> Site:
            return await api(ops.update_site, *ids, body)

        async def look(api: Api) -> Site | None:
            found = await api(ops.get_site, *ids)
            return found if present.value_of(found, name) == setting_as_read(name, wanted) else None

        changed = await self.place.writer.perform(
            f"Set {setting.label.lower()}",
            f"of {present.title_of(site)}",
            send,
            reversal=setting_changed(ids, name, before, wanted) if _can_be(name, before) else None,
            recall=change.recall,
            look=look,
            draft=draft,
            done=f"{setting.label} is {_said(name, wanted)} now.",
        )
        if self.place.is_attached:
            self.place.show_site(changed)
        return True

    async def _agree(self, setting: SiteSetting, wanted: object, facts: Meaning) -> Site | None:
        """Return the site as it is right before the change, once that was agreed to.

        None when it was not. Raises `NotDoneError` when somebody else has made the change already.
        """
        name, site = setting.name, sure(self.place.site)
        api = await self.place.session.ready()
        changed = False
        while True:
            said = [*facts(site)]
            if changed and not said:
                said = [f"now   {present.shown_of(site, name)}", f"then  {_said(name, wanted)}"]
            if said:
                sheet = Confirm(
                    f"{setting.label} of {present.title_of(site)}",
                    said,
                    verb=f"{_doing(wanted)} {setting.label.lower()}",
                    warning=self._by_others(site, setting) if changed else "",
                )
                if not await self.place.desk.push_screen_wait(sheet):
                    return None
            before, site = site, await api(ops.get_site, *self.place.tabs.ids)
            if present.value_of(site, name) == setting_as_read(name, wanted):
                self.place.show_site(site)
                raise NotDoneError("Someone else has set it to that already.")
            if present.value_of(before, name) == present.value_of(site, name):
                return site
            changed = True

    def _by_others(self, site: Site, setting: SiteSetting) -> str:
        return f"Someone changed it meanwhile: it is {present.shown_of(site, setting.name)} by now."


@place("site-settings", title="Site settings")
class SiteSettingsPlace(Place, scope="site_settings"):
    """Who reads a site, where, and what it shows of itself; Enter changes a setting."""

    OF_SITE = True
    RAW = ("get_site",)
    COMMAND_CLASSES = (SiteDeletionCommands, SettingsCommands, DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.commands_of(SiteDeletionCommands).deleted = self.tabs.leave
        self.site: Site | None = None

    # What a place says of itself

    def panes(self) -> ComposeResult:
        self.rows: SettingsList[present.SiteSetting] = SettingsList(_label)
        self.facts = Facts(title="Setting", empty="No setting is selected.", id="setting-facts")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail()
        if self.refused:
            yield "read-only"

    @property
    def refused(self) -> str:
        """Why the reader may not change this site; empty when they may."""
        return self.tabs.publication.may.change

    def status_left(self) -> str:
        if self.refused:
            return self.refused
        if self.site is not None and not self.site.published:
            return "not published: no one reads it yet"
        return super().status_left()

    def raw(self) -> Raw | None:
        site = self.site
        if site is None:
            return None
        return Raw(f"site {present.title_of(site)}", "get_site", self.tabs.ids)

    def url(self) -> str | None:
        """Return the readers' address of the site; of a setting made in the app, the one there."""
        site = self.site
        if site is None:
            return None
        app = web_address(site.urls.app) or None
        if fixed_setting(self) is not None and app:
            return app
        return (present.address_of(site) or app) if site.published else app

    def copy_note(self) -> str:
        site = self.site
        if site is None or site.visibility != "share-link":
            return ""
        return KEYED if self.url() != web_address(site.urls.app) else ""

    def copies(self) -> Sequence[tuple[str, str]]:
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
        self.tabs.publication.rights = None
        self.tabs.read("Reading the settings", self._read, self._arrived)

    def poll(self) -> None:
        if self.site is not None:
            self.tabs.read("Reading again", self._read, self._arrived)
        else:
            super().poll()

    @property
    def read(self) -> Site | None:
        """What was read of the site, as its tabs know it."""
        return self.site

    async def _read(self, api: Api, site: Site) -> Site:
        await self.tabs.publication.know_rights(api, self.tabs.ids[0])
        return site

    def _arrived(self, site: Site) -> None:
        self.show_site(site)
        if self.resuming:
            self.resume_draft(self.resuming)

    def show_site(self, site: Site) -> None:
        """Show the settings as they are now; the cursor stays on its row."""
        self.site, self.tabs.title = site, present.title_of(site)
        self.tabs.publication.published = site.published
        self.rows.show(present.settings_of(site))
        self.show_details()
        self.refresh_frame()

    # What is on screen

    def show_details(self) -> None:
        setting, site = self.rows.selected, self.site
        if setting is None or site is None:
            self.facts.show([], title="Setting")
        else:
            facts = present.setting_facts(setting, site, self.session.now)
            self.facts.show(facts, title=setting.label)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.do_soon("change")

    def resume_draft(self, part: str) -> None:
        self.resuming = part if self.site is None else ""
        if self.site is not None and self.rows.select(part):
            self.do_soon("change")


async def _conditional(api: Api, ids: tuple[str, str]) -> list[str] | None:
    """Return the titles of rows with a condition; None where the service does not tell."""
    try:
        structure = await read_structure(api, *ids)
    except (Forbidden, NotFound):
        return None
    return [node.title for node in structure.nodes.values() if node.condition]


def _sent_as(site: Site, name: str) -> object:
    """Return the value of a setting as a request would set it; None when it has none."""
    sent = change_of(name).sent
    return sent(site) if sent is not None else present.value_of(site, name)


def _can_be(name: str, value: object) -> bool:
    """Whether a request can set a setting to a value."""
    from pydantic import ValidationError

    if value is None:
        return change_of(name).optional
    try:
        body_of(name, value)
    except ValidationError:
        return False
    return True


def _doing(wanted: object) -> str:
    match wanted:
        case bool(on) | {"enabled": on}:
            return "switch on" if on else "switch off"
    return "set"


def _said(name: str, wanted: object) -> str:
    match wanted:
        case bool(on) | {"enabled": on}:
            return "on" if on else "off"
        case None:
            return "none"
        case str() if name == "title":
            return f"“{clean(wanted)}”"
    return clean(str(wanted))


def _label(setting: SiteSetting) -> Text | str:
    return Text(setting.label, style="muted") if setting.kind == "fixed" else setting.label
