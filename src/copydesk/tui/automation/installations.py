"""What an organization has installed, a tab of the integrations; changing it and taking it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from copydesk.domain.automation_inverses import ANEW, installation_changed, installation_removed
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.automation.integration_resources import (
    INSTALLED,
    installed_in,
    integration_title,
)
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.form import Form
from copydesk.tui.framework.actions import Commands, action, while_free
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Place
from copydesk.tui.resource.place import ResourcePlace, nothing_selected

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.integration import (
        Installation,
        Integration,
        OrganizationInstallation,
    )
    from copydesk.contract.operation import Operation
    from copydesk.domain.reversal import Reversal
    from copydesk.tui.automation.installation_settings import InstallationForm


@dataclass(frozen=True)
class InstalledRow:
    """What is under the cursor: an installation, or an integration on one space or site.

    ``integration`` and ``installation`` are None, and ``organization`` is "", where that was not
    read. ``place`` is "space", "site" or "", ``place_id`` and ``place_title`` say which one, and
    ``allowed`` whether the reader may take it out of there, where that is known.
    """

    name: str
    id: str
    organization: str
    installation: Installation | None = None
    integration: Integration | None = None
    place: str = ""
    place_id: str = ""
    place_title: str = ""
    allowed: bool | None = None

    @property
    def title(self) -> str:
        """What the integration is called; clean and short."""
        title = integration_title(self.integration) if self.integration else self.name
        return shorten(clean(title), 40) or self.name

    @property
    def on_all(self) -> bool | None:
        """Whether it works on all spaces, or sites, of the organization; None is not known."""
        held = self.installation
        if held is None:
            return None
        said = held.space_selection if self.place == "space" else held.site_selection
        return said == "all"

    @property
    def comes_back(self) -> bool:
        """Whether the organization can install it again."""
        one = self.integration
        return one is None or one.visibility != "private" or (
            one.owner is not None and one.owner.id == self.organization
        )  # fmt: skip


def installed_at(here: ResourcePlace[Any]) -> InstalledRow | None:
    """Return what is installed under the cursor."""
    return here.commands_of(InstallationCommands).find()


def nothing_installed(here: ResourcePlace[Any]) -> str | None:
    """Say so when the cursor is on nothing that is installed."""
    if (why := nothing_selected(here)) is not None:
        return why
    return None if installed_at(here) is not None else "An event stays as it is."


def only_one_place(here: ResourcePlace[Any]) -> str | None:
    """Say so when the cursor is on a space or a site, which has no settings here."""
    one = installed_at(here)
    if one is None or not one.place:
        return None
    return f"Configured for all {one.place}s at once: the first tab changes that."


def not_allowed(here: ResourcePlace[Any]) -> str | None:
    """Say why the reader may not change what is under the cursor."""
    one = installed_at(here)
    if one is None or one.allowed:
        return None
    if one.allowed is False:
        return f"That takes the permission installIntegration on this {one.place}."
    if one.organization != here.organization or one.place == "space":
        return None  # the service decides
    return here.rights.lacks("install_integration")


class InstallationCommands(Commands, scope="installation"):
    """Changing what is installed, and taking it out."""

    place: ResourcePlace[Any]

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.find: Callable[[], InstalledRow | None] = lambda: None
        """Returns what is installed under the cursor; its place sets it."""

    @action(
        "e",
        "edit",
        unless=(nothing_installed, only_one_place, not_allowed),
        danger=1,
        show=26,
        group="Change",
        now=while_free("edit", nothing_installed, only_one_place),
        uses=("update_integration_installation", "get_integration"),
        types=True,
    )
    async def edit(self) -> None:
        """Change where an installation works, its external ids and its settings."""
        from copydesk.tui.automation.installation_settings import InstallationForm

        here, one = self.place, sure(self.find())
        installation = sure(one.installation)
        if await self._missing(ops.update_integration_installation):
            return
        if (integration := await self._integration(one)) is None:
            return
        form = InstallationForm(installation, integration)
        key = here.draft_key("edit", one.id)

        async def send(texts: Mapping[str, str]) -> None:
            await self._change(one, installation, form, texts, key)

        sheet = Form(
            f"{shorten(clean(integration_title(integration)), 40)} in {self._home_of(one)}",
            form.fields(),
            draft_key=key,
            send=send,
            facts=form.facts(),
        )
        if await here.desk.push_screen_wait(sheet):
            here.read_written(one.id)

    def _home_of(self, one: InstalledRow) -> str:
        """Return what the organization of an installation is called."""
        title = self.place.session.title_of(one.organization)
        return shorten(title or "its organization", 40)

    async def _missing(self, operation: Operation[..., Any]) -> bool:
        """Say so where the service cannot do it, before anything is typed or agreed to."""
        api = await self.place.session.ready()
        missing = await api.routes.lacks(operation)
        if missing:
            self.place.tell(self.place.session.without([operation.name]) or "", "warn")
        return missing

    async def _integration(self, one: InstalledRow) -> Integration | None:
        """Return what is installed; None where it cannot be read, which is said."""

        async def read() -> Integration:
            return await (await self.place.session.ready())(ops.get_integration, one.name)

        return one.integration or await self.place.reads.now(
            "plan", read, "Reading the integration"
        )

    async def _held(self, one: InstalledRow) -> Installation | None:
        return await find_installed(await self.place.session.ready(), one)

    async def _change(
        self,
        one: InstalledRow,
        installation: Installation,
        form: InstallationForm,
        texts: Mapping[str, str],
        draft: str,
    ) -> None:
        from copydesk.tui.automation.installation_settings import update_of

        plain, configured = form.plain(texts), form.configured(texts)

        async def send(api: Api) -> Installation:
            held: Mapping[str, Any] = {}
            if configured:
                # What others set meanwhile stays: a configuration is sent whole.
                found = await find_installed(api, one)
                held = (found or installation).configuration
            body = update_of(plain, configured, held)
            return await api(ops.update_integration_installation, one.name, one.id, body)

        def back(after: Installation) -> Reversal | None:
            names = [*plain, *(["configuration"] if configured else [])]
            if (configured and not form.keeps) or not one.organization:
                return None
            was, now = installation.to_dict(), after.to_dict()
            return installation_changed(
                one.organization,
                one.name,
                one.id,
                {name: was.get(name) for name in names},
                {name: now.get(name) for name in names},
            )

        await self.place.writer.perform(
            "Change installation", one.title, send, reversal=back, draft=draft
        )

    @action(
        "D",
        "uninstall",
        unless=(nothing_installed, not_allowed),
        danger=2,
        show=18,
        group="Change",
        now=while_free("uninstall", nothing_installed),
        uses=(
            "uninstall_integration",
            "uninstall_integration_from_space",
            "uninstall_integration_from_site",
        ),
    )
    async def uninstall(self) -> None:
        """Take it out of the organization; in Spaces and Sites out of the one under the cursor."""
        one = sure(self.find())
        if await self._missing(_uninstalling(one.place)):
            return
        if (integration := await self._integration(one)) is None:
            return
        one = replace(one, integration=integration)
        if one.place:
            held = one.installation or await self.place.reads.now(
                "plan", lambda: self._held(one), "Reading where it is installed"
            )
            home = one.organization if held is None else installed_in(held)
            await self._take_out(replace(one, installation=held, organization=home))
            return
        home, held = self._home_of(one), one.installation
        many = held.spaces if held is not None else 0
        lost = f", and no longer works on {plural(many, 'space')}" if many else ""
        facts: list[Fact] = [f"Taken out of {home}{lost}."]
        again = one.comes_back and bool(one.organization)
        gone = "What it was configured with is gone."
        facts.append(hint(f"u installs it {ANEW}.", "") if again else gone)
        sheet = Confirm(
            f"Uninstall {one.title}",
            facts,
            verb="uninstall",
            warning="" if again else "This cannot be undone: it is private to its owner.",
        )
        if await self.place.desk.push_screen_wait(sheet):
            await self.place.writer.perform(
                "Uninstall",
                one.title,
                lambda api: api(ops.uninstall_integration, one.name, one.id),
                reversal=installation_removed(one.organization, one.name) if again else None,
            )
            self.place.read_written()

    async def _take_out(self, one: InstalledRow) -> None:
        title, kind = shorten(one.place_title, 40), one.place
        facts: list[Fact] = [f"The integration no longer works on the {kind} {title}."]
        field = f"{kind}_selection"
        back = None
        if one.on_all and one.organization:
            said = f"On all {kind}s now: the integration stays on others, and new ones go without."
            facts.append(hint(f"{said} u lets it work on all {kind}s again.", ""))
            back = installation_changed(
                one.organization, one.name, one.id, {field: "all"}, {field: "selected"}
            )
        sheet = Confirm(
            f"Take {one.title} out of {title}",
            facts,
            verb="take it out",
            warning="" if back else f"This cannot be undone here: the app puts it on a {kind}.",
        )

        async def send(api: Api) -> None:
            await api(_uninstalling(kind), one.name, one.id, one.place_id)

        if await self.place.desk.push_screen_wait(sheet):
            await self.place.writer.perform(
                "Take out",
                f"{one.title} of {title}",
                send,
                reversal=back,
            )
            self.place.read_written()


def _uninstalling(place: str) -> Operation[..., None]:
    """Return the operation that takes an integration out of a space, of a site, or of all."""
    if place == "space":
        return ops.uninstall_integration_from_space
    return ops.uninstall_integration_from_site if place else ops.uninstall_integration


async def find_installed(api: Api, one: InstalledRow) -> Installation | None:
    """Return an installation as it is by now; None where it is not there."""
    async for each in api.pages(ops.list_integration_installations, one.name):
        if each.id == one.id:
            return each
    return None


@place(
    "installations",
    title="Installed",
    uses=(
        "list_organization_installations",
        "list_integration_space_installations",
        "list_integration_site_installations",
    ),
)
class InstalledPlace(ResourcePlace["OrganizationInstallation"], scope="installed"):
    """The integrations that the organization has installed."""

    COMMAND_CLASSES = (InstallationCommands,)
    RESOURCE = INSTALLED

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.commands_of(InstallationCommands).find = self._installed

    def on_screen_suspend(self) -> None:
        self.row_reader.cover()

    def on_screen_resume(self) -> None:
        """Show what the place of one integration installed or took out."""
        self.row_reader.uncover()

    def _installed(self) -> InstalledRow | None:
        """The installation under the cursor."""
        item, home = self.item, self.organization
        if item is None or home is None:
            return None
        return InstalledRow(
            item.integration.name,
            item.installation.id,
            home,
            item.installation,
            item.integration,
        )

    def open_item(self, item: OrganizationInstallation) -> None:
        """Go to the spaces, sites and events of the integration."""
        target = Target(organization=self.organization, item=item.integration.name)
        self.desk.go_soon("integration", target)
