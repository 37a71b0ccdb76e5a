"""The settings of an organization."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from rich.text import Text
from textual.app import ComposeResult

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract.enumerations import Role
from copydesk.contract.models.organization import OrganizationUpdate
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.organization_inverses import organization_changed
from copydesk.domain.request_context import whole_answers
from copydesk.domain.space_tree import rule_list
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, shorten
from copydesk.present.facts import Fact
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import form_key
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_fields import bare, wire_name, words_of
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.body_values import NULLS
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.framework.actions import NotYet, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.merge.rules_dialog import RulesSheet, names_of
from copydesk.tui.organization.commands import AtHand, OrganizationCommands, not_admin
from copydesk.tui.resource.place import NAME_CELLS
from copydesk.tui.resource.rights import NO_HOME
from copydesk.tui.spaces.cells import rule_words
from copydesk.tui.widgets.facts import Facts, SettingsList
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization
    from copydesk.domain.mention import Named
    from copydesk.domain.reversal import Reversal


LABELS: Mapping[str, str] = {
    "emailDomains": "E-mail domains",
    "hostname": "Subdomain",
    "sso": "Single sign-on",
    "ai": "AI features",
    "mergeRules": "Merge rules",
    "mergeRules.type": "Merge rules",
}
"""Labels of settings whose names on the wire say too little."""

NOT_TOLD = "not told"
"""Stands for the value of a setting that the service does not return."""


@dataclass(frozen=True, slots=True)
class OrganizationSetting:
    """A setting: its name on the wire, its label, its value and its purpose.

    ``on`` says whether a switch is on, None for a setting that is not a switch. ``removable`` says
    that it can be taken away.
    """

    id: str
    label: str
    shown: str | Text
    help: str
    on: bool | None = None
    switch: bool = False
    removable: bool = False


def current_of(organization: Organization) -> dict[str, Any]:
    """Return the JSON of an organization under the names of its settings."""
    # What people see first is nothing where it is left out; it is never null.
    held = {"defaultContent": None, **organization.to_dict()}
    if logo := organization.urls.logo:
        held["logo"] = logo
    return held


def settings_of(
    organization: Organization, *, site: str = "", names: Mapping[str, str] | None = None
) -> list[OrganizationSetting]:
    """Return the settings of an organization.

    ``site`` is the title of the site that people see first, ``names`` those of people.
    """
    held = current_of(organization)
    found = []
    for name, field in OrganizationUpdate.model_fields.items():
        wire = wire_name(OrganizationUpdate, name)
        switch = bare(field.annotation)[0] is bool
        value = held.get(wire)
        said = _said(organization, wire, held, site, names)
        removable = name in OrganizationUpdate.nullable
        found.append(
            OrganizationSetting(
                wire,
                LABELS.get(wire) or words_of(wire),
                said or Text(NOT_TOLD, style="muted"),
                field.description or "",
                value if switch and isinstance(value, bool) else None,
                switch,
                removable and not (wire in held and value is None),
            )
        )
    return found


def _said(
    organization: Organization,
    wire: str,
    held: Mapping[str, Any],
    site: str,
    names: Mapping[str, str] | None,
) -> str | Text:
    """Return the value of a setting; empty where the service does not return it."""
    if wire == "mergeRules":
        kind, rules = rule_list(organization.merge_rules)
        return rule_words(rules, names) if kind == "rules" and rules else _none()
    if wire not in held:
        return ""
    value = held[wire]
    match wire, value:
        case "defaultRole", None:
            return _none(NULLS[_ROLES])
        case _, None | [] | "":
            return _none()
        case _, bool():
            return "on" if value else _none("off")
        case "defaultContent", {"site": str(id)}:
            return f"the site {clean(site or id)}"
        case _, list():
            return clean(", ".join(str(each) for each in value))
    return clean(str(value))


_ROLES = get_args(Role)


def _none(said: str = "none") -> Text:
    return Text(said, style="muted")


def first_site(organization: Organization) -> str:
    """Return the id of the site that people see first; empty where it is none."""
    content = organization.default_content
    return "" if content is None or isinstance(content, str) else content.site or ""


def no_way_back(names: Sequence[str], organization: Organization) -> str:
    """Say which of some settings cannot be taken back once they are changed; empty if all can."""
    held = current_of(organization)
    gone = [(LABELS.get(name) or words_of(name)).lower() for name in names if name not in held]
    if not gone:
        return ""
    if len(names) == 1:
        return "The service does not tell what it is now: a change cannot be undone."
    return f"The service does not tell {listed(gone)}: changes of that cannot be undone."


def setting_facts(setting: OrganizationSetting, organization: Organization) -> Sequence[Fact]:
    """Return the details of a setting."""
    found = [Fact("now", setting.shown), Fact("", setting.help)]
    if setting.switch:
        found.append(Fact("x", "switches it on or off"))
    elif setting.removable:
        found.append(Fact("x", "takes it away"))
    if said := no_way_back([setting.id], organization):
        found.append(Fact("", Text(said, style="warn")))
    return found


def not_read(here: OrganizationPlace) -> str | None:
    """Say so when the settings have not been read."""
    return None if here.read is not None else NotYet("The settings have not been read yet.")


def no_setting(here: OrganizationPlace) -> str | None:
    """Say so when the cursor is on no setting."""
    return None if here.rows.selected is not None else "Put the cursor on a setting first."


def not_switched(here: OrganizationPlace) -> str | None:
    """Say so when the setting is neither a switch nor can be taken away."""
    setting = here.rows.selected
    if setting is None or setting.switch or setting.removable:
        return None
    return f"{setting.label} is not on or off: Enter changes it."


def switch_label(here: OrganizationPlace) -> str:
    """Return what x does with the setting."""
    setting = here.rows.selected
    if setting is None or setting.switch:
        return "switch off" if setting is not None and setting.on else "switch on"
    return "remove"


@place("organization", key="O", title="Organization settings",
       uses=("get_organization", "get_site"))  # fmt: skip
class OrganizationPlace(Place, scope="organization"):
    """The settings of an organization."""

    RAW = ("get_organization",)
    COMMAND_CLASSES = (OrganizationCommands, DetailsCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.read: Organization | None = None
        self._site = ""
        """The title of the site that people see first."""

    @property
    def at_hand(self) -> AtHand | None:
        home, read = self.organization, self.read
        if home is None:
            return None
        if read is None:
            return AtHand(home, self.session.title_of(home) or "the organization")
        granted = read.permissions
        return AtHand(home, clean(read.title), None if granted is None else granted.admin)

    # What a place says of itself

    def panes(self) -> ComposeResult:
        self.rows: SettingsList[OrganizationSetting] = SettingsList()
        self.facts = Facts(title="Setting", empty="No setting is selected.", id="setting-facts")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def breadcrumb(self) -> Iterable[str]:
        meant = self.at_hand
        yield meant.title if meant is not None else "no organization"
        yield "Settings"
        if meant is not None and meant.admin is False:
            yield "read-only"

    def status_left(self) -> str:
        """Say why nothing may be changed, if so."""
        return not_admin(self) or super().status_left()

    def url(self) -> str | None:
        return web_address(self.read.urls.app) or None if self.read is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        read, setting = self.read, self.rows.selected
        if read is None:
            return []
        found = {"address": self.url() or ""}
        if setting is not None:
            found[setting.label.lower()] = str(setting.shown)
        found |= {"title": clean(read.title), "id": clean(read.id)}
        return [(name, text) for name, text in found.items() if text]

    def raw(self) -> Raw | None:
        meant = self.at_hand
        if meant is None:
            return None
        return Raw(f"organization {meant.title}", "get_organization", (meant.id,))

    # Reading

    def reload(self) -> None:
        self.reads.load(
            "settings", self._read, self._arrived, what="Reading the settings", failed=self._unread
        )

    def poll(self) -> None:
        self.reads.load("settings", self._read, self._arrived, what="Reading again")

    async def _read(self, api: Api) -> tuple[Organization, str] | None:
        if self.organization is None:
            return None
        found = await api(ops.get_organization, self.organization)
        title = ""
        if site := first_site(found):
            try:
                title = (await api(ops.get_site, found.id, site)).title
            except (Forbidden, NotFound):
                title = ""
        _, rules = rule_list(found.merge_rules)
        if any(users for _, users in rules):
            await self.session.members.read(api, found.id)  # ids say nothing
        return found, title

    def _unread(self, text: str) -> None:
        if self.read is None:
            self.rows.say_instead(with_key(text))

    def _arrived(self, found: tuple[Organization, str] | None) -> None:
        if found is None:
            self.rows.say_instead(NO_HOME)
            return
        self.read, self._site = found
        # What is shown stays that of this organization, whichever is chosen later.
        self.target = self.target.but(organization=self.read.id)
        self.session.organization_titles[self.read.id] = clean(self.read.title)
        self.session.fresh()
        if self.read.id == self.session.organization:
            self.session.organization_title = clean(self.read.title)
        names = names_of(self.session.members.known(self.read.id))
        self.rows.show(settings_of(self.read, site=self._site, names=names))
        self.show_details()
        self.refresh_frame()
        if self.resuming:
            self.resume_draft(self.resuming)

    def show_details(self) -> None:
        setting = self.rows.selected
        if setting is None or self.read is None:
            self.facts.show([], title="Setting")
        else:
            self.facts.show(setting_facts(setting, self.read), title=setting.label)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.do_soon("change")

    def resume_draft(self, part: str) -> None:
        self.resuming = part if self.read is None else ""
        if self.read is None:
            return
        method, _, setting = part.partition(" ")
        if method in self.ACTIONS and (not setting or self.rows.select(setting)):
            self.do_soon(method)

    # Changing

    @action("e", "change", unless=(not_read, no_setting, not_admin), danger=1, show=30,
            group="Change", types=True,
            uses=("update_organization", "list_sites", "list_members"))  # fmt: skip
    async def change(self) -> None:
        """Change the setting under the cursor. u undoes it."""
        setting = sure(self.rows.selected)
        if setting.id == "mergeRules":
            await self._change_rules()
        else:
            await self._fill_in(f"Change {setting.label.lower()}", "change", setting.id)

    @action("ctrl+e", "change all", unless=(not_read, not_admin), danger=1, show=28, group="Change",
            word="change_all", uses=("update_organization", "list_sites"), types=True)  # fmt: skip
    async def edit(self) -> None:
        """Change several settings at once, in one form. u undoes it."""
        await self._fill_in("Organization settings", "edit")

    async def _fill_in(self, title: str, method: str, setting: str = "") -> None:
        assert self.read is not None
        key = form_key(self.PLACE, Target(organization=self.organization), method, setting)
        names = [setting] if setting else [row.id for row in self.rows.settings]
        said = no_way_back(names, self.read)
        form = body_form(
            OrganizationUpdate,
            title=title,
            draft_key=key,
            send=lambda body: self._send(body, key),
            current=current_of(self.read),
            only=(setting,) if setting else (),
            labels=LABELS,
            offers={"defaultContent": self._sites},
            facts=[said] if said else (),
        )
        if await self.desk.push_screen_wait(form):
            self.read_again()

    async def _sites(self) -> list[Option]:
        api = await self.session.ready()
        return [
            Option(json.dumps({"type": "site", "site": site.id}, indent=2), clean(site.title))
            async for site in api.pages(ops.list_sites, self.organization or "")
        ]

    async def _change_rules(self) -> None:
        home = sure(self.organization)

        async def people() -> Sequence[Named]:
            return await self.session.members.read(await self.session.ready(), home)

        with whole_answers():  # a rule that cannot be read would be taken away
            read = await (await self.session.ready())(ops.get_organization, home)
        before = read.merge_rules.to_dict()
        sheet = RulesSheet(
            "Merge rules of the organization",
            {"type": "none"} if before["type"] == "inherit" else before,
            inherited=None,
            people=people,
            names=names_of(self.session.members.known(home)),
            verb="save",
        )
        chosen = await self.desk.push_screen_wait(sheet)
        if chosen is None or chosen == before:
            return
        await self._send(OrganizationUpdate.model_validate({"mergeRules": chosen}))
        self.read_again()

    @action("x", "switch", unless=(not_read, no_setting, not_switched, not_admin), show=26,
            danger=2, group="Change", uses="update_organization", now=switch_label)  # fmt: skip
    async def switch(self) -> None:
        """Switch the setting on or off, or remove what it holds. u undoes it."""
        setting, read = sure(self.rows.selected), sure(self.read)
        value = (not setting.on) if setting.switch else None
        if setting.id not in current_of(read):
            verb = "switch on" if value else "remove"
            said = no_way_back([setting.id], read)
            sheet = Confirm(setting.label, [setting.help], verb=verb, warning=said)
            if not await self.desk.push_screen_wait(sheet):
                return
        await self._send(OrganizationUpdate.model_validate({setting.id: value}))
        self.read_again()

    async def _send(self, body: OrganizationUpdate, draft: str = "") -> None:
        """Send other settings; where the former ones are unknown there is no way back."""
        read = sure(self.read)
        before: dict[str, Any] = current_of(read)
        changed = list(json.loads(body.to_json()))
        labels = {row.id: row.label for row in self.rows.settings}

        def back(after: Organization) -> Reversal | None:
            now = current_of(after)
            if not all(name in before and name in now for name in changed if name != "logo"):
                return None
            if "logo" in changed and "logo" not in before:
                return None
            former = {name: before[name] for name in changed}
            if former.get("mergeRules", {}).get("type") == "inherit":
                former["mergeRules"] = {"type": "none"}  # it inherits from nobody
            return organization_changed(after.id, former, {name: now.get(name) for name in changed})

        said = ", ".join(labels.get(name, name).lower() for name in changed)
        await self.writer.perform(
            "Change",
            f"{shorten(said, NAME_CELLS)} of the organization",
            lambda api: api(ops.update_organization, read.id, body),
            reversal=back,
            then=self._changed,
            draft=draft,
        )

    def _changed(self, organization: Organization) -> None:
        """Show the new settings and the new name at once."""
        if self.is_attached:
            self._arrived((organization, self._site))
