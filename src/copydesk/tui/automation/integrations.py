"""The catalogue of integrations, and publishing, changing, installing and deleting them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from copydesk.domain.automation_inverses import installation_made, integration_changed
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, shorten
from copydesk.present.facts import Fact, hint
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.automation.installations import InstallationCommands, InstalledRow
from copydesk.tui.automation.integration_resources import (
    INSTALLATIONS,
    INTEGRATIONS,
    ON_PLACES,
    PARTS,
    installed_in,
    owner_title,
    payload_facts,
    site_of,
    space_of,
    trace_facts,
    works_on,
)
from copydesk.tui.automation.publication import (
    IntegrationPublication,
    PublishCommands,
)
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import Confirm, TypeToConfirm
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Facet
from copydesk.tui.resource.rights import NO_HOME

if TYPE_CHECKING:
    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.integration import (
        Installation,
        Integration,
        IntegrationDevMode,
        IntegrationEventDetail,
        IntegrationPublish,
    )
    from copydesk.contract.models.organization import Organization


EDITED = (
    "title",
    "description",
    "summary",
    "visibility",
    "target",
    "categories",
    "scopes",
    "externalLinks",
    "contentSecurityPolicy",
    "blocks",
    "contentSources",
    "configurations",
)
"""The fields of the form of an integration: the published ones that the service returns."""

LISTS = ("categories", "scopes", "externalLinks", "blocks", "contentSources")
"""The lists among `EDITED`."""


def not_mine(here: IntegrationsPlace) -> str | None:
    """Say why the integration under the cursor may not be changed."""
    item = here.item
    if item is None or item.permissions is None or item.permissions.admin:
        return None
    owner = clean(owner_title(item)) or "another organization"
    return f"The integration belongs to {owner}: that takes the permission admin there."


def installed_here(here: IntegrationsPlace) -> str | None:
    """Say so when the integration under the cursor is known to be installed already."""
    item = here.item
    if item is None or not here.here.get(item.name):
        return None
    title = here.session.title_of(here.organization) or "the organization"
    return f"Installed in {shorten(title, 40)} already: Enter shows where."


def no_home(here: IntegrationsPlace) -> str | None:
    """Say so when there is no organization to install anything in."""
    return None if here.organization else NO_HOME


@place(
    "integrations",
    key="I",
    title="Integrations",
    uses=(
        "list_integrations",
        "list_integration_space_installations",
        "list_integration_site_installations",
    ),
)
class IntegrationsPlace(ResourcePlace["Integration"], scope="integrations"):
    """Every integration that can be found: one's own, and those of others."""

    IN_ORGANIZATION = False
    COMMAND_CLASSES = (PublishCommands,)
    RESOURCE = INTEGRATIONS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.here: dict[str, bool] = {}
        """Whether an integration is installed in the organization, by name; read ones only."""

    def on_screen_suspend(self) -> None:
        self.row_reader.cover()

    def on_screen_resume(self) -> None:
        """Show what another place installed or took out."""
        self.row_reader.uncover()

    def reload(self) -> None:
        """Read the list again, and then the installations of the row under the cursor."""
        self.here.clear()
        super().reload()

    def poll(self) -> None:
        """Read the list again, and after a write also where it is installed."""
        if self.row_reader.behind:
            self.here.clear()
        super().poll()

    def show_item(self) -> None:
        """Show the details of the item, and find out whether it is installed."""
        super().show_item()
        item, home = self.item, self.organization
        if item is None or home is None or item.name in self.here:
            return
        self.reads.load(
            "here",
            lambda api: self._look_here(api, item.name, home),
            lambda _: self._looked(),
            what="Reading where it is installed",
            of=item.name,
            failed=lambda _: None,  # some lists may not be read: nothing is said then
            after=REST_SECONDS,
        )

    async def _look_here(self, api: Api, name: str, home: str) -> None:
        self.here[name] = await find_installation(api, name, home) is not None

    def _looked(self) -> None:
        super().show_item()
        self.refresh_frame()

    def facts_of(self, item: Integration) -> list[Fact]:
        facts = super().facts_of(item)
        if item.name in self.here:
            home = shorten(self.session.title_of(self.organization) or "the organization", 40)
            said = f"in {home}" if self.here[item.name] else f"not in {home}"
            facts.insert(1, Fact("installed", said))
        return facts

    def open_item(self, item: Integration) -> None:
        """Go to its installations and their events."""
        target = Target(organization=self.organization, item=item.name)
        self.desk.go_soon("integration", target)

    # Changing

    @action("e", "edit", unless=(nothing_selected, not_mine), danger=1, show=26, group="Change",
            uses=("publish_integration", "get_integration"), types=True)  # fmt: skip
    async def edit(self) -> None:
        """Publish a new version with other texts and settings; script and pictures stay."""
        from copydesk.contract.models.integration import IntegrationPublish

        item = sure(self.item)
        key, name = self.draft_key("edit", item.name), item.name
        before = {**self._empty(), **item.to_dict()}
        # A policy that is an object stays: a request takes only a line.
        line = isinstance(before["contentSecurityPolicy"], str)

        async def send(body: IntegrationPublish) -> None:
            after = body.model_dump(mode="json", exclude_unset=True)
            version = IntegrationPublication(name, body)
            await self.writer.perform(
                "Edit integration",
                self.named(item),
                version.send,
                reversal=integration_changed(name, {each: before[each] for each in after}, after),
                look=version.look,
                draft=key,
            )

        form = body_form(
            IntegrationPublish,
            title=f"Edit {self.named(item)}",
            draft_key=key,
            send=send,
            current=before,
            only=[each for each in EDITED if line or each != "contentSecurityPolicy"],
            labels={"target": "Works on"},
            lines={"summary": 5},
            facts=[
                f"Saving publishes version {item.version + 1}: where it is installed it is set "
                "up again. Script, icon and pictures stay."
            ],
            verb="publish it",
        )
        if await self.desk.push_screen_wait(form):
            self.read_written(name)

    def _empty(self) -> dict[str, Any]:
        """Return empty values for the fields that an integration leaves out."""
        empty: dict[str, Any] = dict.fromkeys(EDITED[:3], "")
        empty |= {name: [] for name in LISTS}
        return {**empty, "contentSecurityPolicy": "", "configurations": {}}

    # Where it is, and where its events go

    @action("ctrl+n", "install", unless=(nothing_selected, no_home, installed_here), danger=2,
            show=28, group="Change", uses=("install_integration", "list_integration_installations",
                                           "get_organization"))  # fmt: skip
    async def install(self) -> None:
        """Install the integration in the organization, after asking."""
        from copydesk.contract.models.integration import InstallationCreate

        item, home = sure(self.item), sure(self.organization)
        api = await self.session.ready()
        read = await self.reads.now(
            "plan", lambda: self._home(api, item.name, home), "Reading where it is installed"
        )
        if read is None:
            return
        organization, there = read
        title = shorten(clean(organization.title), 40)
        granted = organization.permissions
        if there:
            self.here[item.name] = True
            self._looked()
            self.say(installed_here(self) or "", "warn")
            return
        if granted is not None and not granted.install_integration:
            self.say(f"That takes the permission installIntegration in “{title}”.", "warn")
            return
        scopes = listed(item.scopes)
        facts: list[str | Text] = [f"The integration goes into {title}."]
        facts.append(clean(f"There it may: {scopes}.") if scopes else "No permission is asked for.")
        asked = item.configurations.account if item.configurations is not None else None
        if asked is not None and asked.required:
            facts.append(clean(f"To be configured in the app: {listed(asked.required)}."))
        if not item.verified:
            facts.append("The platform has not verified it.")
        removable = not await api.routes.lacks(ops.uninstall_integration)
        if removable:
            facts.append(hint("u takes it out again.", ""))
        sheet = Confirm(
            f"Install {self.named(item)}",
            facts,
            verb="install",
            warning="" if removable else "This cannot be undone here: take it out in the app.",
        )
        if await self.desk.push_screen_wait(sheet):
            body = InstallationCreate(organization=home)
            await self.writer.perform(
                "Install integration",
                self.named(item),
                lambda api: api(ops.install_integration, item.name, body),
                reversal=installation_made(home, item.name) if removable else None,
                look=lambda api: find_installation(api, item.name, home),
                done=f"Installed in “{title}”. Enter shows where it works.",
            )
            self.read_written(item.name)

    async def _home(self, api: Api, name: str, home: str) -> tuple[Organization, bool]:
        organization = await api(ops.get_organization, home)
        return organization, await find_installation(api, name, home) is not None

    @action("T", "dev mode", unless=(nothing_selected, not_mine), danger=1, show=14,
            group="Change", uses="set_integration_dev_mode", types=True)  # fmt: skip
    async def develop(self) -> None:
        """Send the events of the integration to an address of yours while you write it."""
        from copydesk.contract.models.integration import IntegrationDevMode

        item = sure(self.item)
        form = body_form(
            IntegrationDevMode,
            title=f"Develop {self.named(item)}",
            draft_key=self.draft_key("develop", item.name),
            send=lambda body: self._tunnel(item, body),
            labels={"tunnelUrl": "Address", "all": "Of all organizations"},
            facts=self._tunnel_facts(item),
            verb="send them there",
        )
        await self.desk.push_screen_wait(form)

    @command("dev", "URL [all]", uses="set_integration_dev_mode")
    async def develop_at(self, rest: str) -> None:
        """Send the events of the integration to URL, after asking; all: every organization's."""
        from pydantic import ValidationError

        from copydesk.contract.models.integration import IntegrationDevMode

        item = self.item
        if (why := nothing_selected(self) or not_mine(self)) is not None:
            self.say(why, "warn")
            return
        assert item is not None
        if not rest:
            await self.develop()
            return
        url, *more = rest.split()
        if more not in ([], ["all"], ["own"]):
            self.say("Say :dev URL, or :dev URL all for the events of every organization.", "warn")
            return
        try:
            body = IntegrationDevMode(tunnel_url=url, all=more == ["all"])
        except ValidationError:
            self.say("An address is asked for, such as https://example.com/tunnel.", "warn")
            return
        whose = "every organization's events" if body.all else "its owner's events only"
        facts = [f"{shorten(clean(url), 60)} gets {whose}.", *self._tunnel_facts(item)]
        sheet = Confirm(f"Develop {self.named(item)}", facts, verb="send them there")
        if await self.desk.push_screen_wait(sheet):
            await self._tunnel(item, body)

    def _tunnel_facts(self, item: Integration) -> list[str]:
        return [
            f"What {self.named(item)} is told goes to that address from now on, with all that is "
            "in it, until another one is named.",
            "The service tells no one where events go, and has no call that ends it: this cannot "
            "be undone.",
        ]

    async def _tunnel(self, item: Integration, body: IntegrationDevMode) -> None:
        await self.writer.perform(
            "Develop integration",
            self.named(item),
            lambda api: api(ops.set_integration_dev_mode, item.name, body),
            draft=self.draft_key("develop", item.name),
        )

    @action("D", "delete", unless=(nothing_selected, not_mine), danger=3, show=18,
            group="Change", uses="delete_integration")  # fmt: skip
    async def delete(self) -> None:
        """Delete the integration wherever it is installed. It asks for its name."""
        item = sure(self.item)
        sheet = TypeToConfirm(
            f"Delete {self.named(item)}",
            [
                "The integration is taken out wherever it is installed, and its events are gone.",
                "This cannot be undone: published again, it is installed nowhere.",
            ],
            expect=item.name,
            verb="delete",
        )

        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete integration",
                self.named(item),
                lambda api: api.done(ops.delete_integration, item.name),
                look=lambda api: api.gone(ops.get_integration, item.name),
            )
            self.read_written()


async def find_installation(api: Api, name: str, organization: str) -> Installation | None:
    """Return the installation of an integration in an organization, or None."""
    async for each in api.pages(ops.list_integration_installations, name):
        if each.target is not None and each.target.organization == organization:
            return each
    return None


PAGE = 100
"""Installations read at once for the titles of their organizations."""


@place(
    "integration",
    title="Integration",
    uses=(
        "list_integration_installations",
        "list_integration_space_installations",
        "list_integration_site_installations",
        "list_integration_events",
        "get_integration_event",
        "get_integration",
    ),
)
class IntegrationPlace(ResourcePlace[Any], scope="integration"):
    """The installations, spaces, sites and events of one integration."""

    NO_ITEM = "No integration is chosen. Open one from a list: g I goes there."
    COMMAND_CLASSES = (InstallationCommands,)
    KINDS = PARTS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._traces: dict[str, IntegrationEventDetail] = {}
        """The events that were read with their traces, by their ids."""
        self._homes: dict[str, Installation] = {}
        """The installations, by their ids, for rows that only name one."""
        self._integration: Integration | None = None
        """The integration; None until it was read."""
        self.commands_of(InstallationCommands).find = self._installed

    def within(self) -> Iterable[str]:
        yield clean(self.target.item or "no integration")

    def text_of(self, shown: Facet[Any], item: Any) -> str | Text | None:
        if self.resource is INSTALLATIONS and shown.name in ON_PLACES:
            return works_on(item, self._integration, ON_PLACES[shown.name])
        home = self._home(item) if shown.name in ("organization", "installation") else ""
        return self.session.title_of(home) if home else super().text_of(shown, item)

    def label(self, item: Any) -> str:
        """Return the name of an item: the organization of an installation."""
        if self.resource is INSTALLATIONS and (home := self._home(item)):
            return f"Installed in {self.session.title_of(home)}"
        return super().label(item)

    def _home(self, item: Any) -> str:
        """Return the organization of an item; empty while unknown."""
        if self.resource is INSTALLATIONS:
            return installed_in(item)
        which = item.installation_id if self.resource is PARTS["events"] else item.installation
        return installed_in(self._homes[which]) if which in self._homes else ""

    def reload(self) -> None:
        """Read the view and the integration again, and where that is installed."""
        super().reload()
        self._find_homes()
        name = self.target.item
        if name is not None:
            self.reads.load(
                "integration",
                lambda api: api(ops.get_integration, name),
                self._know,
                what="Reading the integration",
                quiet=True,
            )

    def _know(self, integration: Integration) -> None:
        self._integration = integration
        self.texts.forget()
        self.rows.refresh_rows()
        self.show_item()

    def ask_anew(self) -> None:
        """Read the view from its beginning, and where the integration is installed."""
        super().ask_anew()
        self._find_homes()

    def _find_homes(self) -> None:
        """Read the organizations of rows that name installations only."""
        if self.resource is not INSTALLATIONS:
            self.reads.load("homes", self._read_homes, self._learn,
                      what="Reading where it is installed", quiet=True)  # fmt: skip

    async def _read_homes(self, api: Api) -> Mapping[str, Installation]:
        name = self.target.item or ""
        page = await api.page(ops.list_integration_installations, name, limit=PAGE)
        return {one.id: one for one in page.items}

    def _learn(self, homes: Mapping[str, Installation]) -> None:
        self._homes.update(homes)
        self.rows.refresh_rows()
        self.show_item()

    # What is installed

    def _installed(self) -> InstalledRow | None:
        """The installation under the cursor, or the space or site that has one."""
        item, name = self.item, self.target.item
        if item is None or name is None or self.resource is PARTS["events"]:
            return None
        if self.resource is INSTALLATIONS:
            return InstalledRow(name, item.id, installed_in(item), item)
        space = space_of(item) if self.resource is PARTS["spaces"] else None
        granted = space.permissions if space is not None else None
        return InstalledRow(
            name,
            item.installation,
            self._home(item),
            self._homes.get(item.installation),
            place="space" if self.resource is PARTS["spaces"] else "site",
            place_id=self.resource.key(item),
            place_title=self.label(item),
            allowed=None if granted is None else granted.install_integration,
        )

    # Events

    def show_item(self) -> None:
        """Show the details of the item, and the trace of an event."""
        super().show_item()
        item = self.item
        if item is None or self.resource is not PARTS["events"] or item.id in self._traces:
            return
        self.reads.load(
            "details",
            lambda api: self._trace(api, item.id),
            self._traced,
            what="Reading what was written",
            of=item.id,
            after=REST_SECONDS,
        )

    async def _trace(self, api: Api, event: str) -> IntegrationEventDetail:
        return await api(ops.get_integration_event, self.target.item or "", event)

    def _traced(self, detail: IntegrationEventDetail) -> None:
        self._traces[detail.event.id] = detail
        self.show_item()

    def facts_of(self, item: Any) -> list[Fact]:
        facts = super().facts_of(item)
        if self.resource is PARTS["events"]:
            if (detail := self._traces.get(item.id)) is not None:
                facts += trace_facts(detail)
            facts += payload_facts(item.payload)
        return facts

    def open_item(self, item: Any) -> None:
        """Go to the pages of a space or the structure of a site; else to the details."""
        if self.resource is PARTS["spaces"] and (space := space_of(item)) is not None:
            target = Target(organization=self.organization, space=space.id)
            self.desk.go_soon("pages", target)
        elif self.resource is PARTS["sites"] and (site := site_of(item)) is not None:
            target = Target(organization=self.organization, site=site.id)
            self.desk.go_soon("site-structure", target)
        else:
            super().open_item(item)
