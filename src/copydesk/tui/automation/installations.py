"""What an organization has installed: a tab of the integrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.session.target import Target
from copydesk.tui.automation.installation_commands import InstallationCommands, Installed
from copydesk.tui.automation.integration_resources import INSTALLED, TABS
from copydesk.tui.framework import place_tabs
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import ResourcePlace

if TYPE_CHECKING:
    from copydesk.contract.models.integration import OrganizationInstallation


@place("installations", title="Installed", uses="list_organization_installations")
class InstalledPlace(ResourcePlace["OrganizationInstallation"], scope="installed"):
    """The integrations that the organization has installed."""

    COMMAND_CLASSES = (InstallationCommands,)
    RESOURCE = INSTALLED

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.commands_of(InstallationCommands).find = self._installed

    def opened(self) -> None:
        super().opened()
        self.set_views(TABS, self.PLACE)

    def on_screen_suspend(self) -> None:
        self.row_reader.cover()

    def on_screen_resume(self) -> None:
        """Show what the place of one integration installed or took out."""
        self.row_reader.uncover()

    def view_changed(self) -> None:
        place_tabs.turn(self)

    def _installed(self) -> Installed | None:
        """The installation under the cursor."""
        item, home = self.item, self.organization
        if item is None or home is None:
            return None
        return Installed(
            item.integration.name,
            item.installation.id,
            home,
            item.installation,
            item.integration,
        )

    def nothing(self) -> str:
        return self.limits.none_so() if self.limits.chosen else self.resource.empty

    def open_item(self, item: OrganizationInstallation) -> None:
        """Go to the spaces, sites and events of the integration."""
        target = Target(organization=self.organization, item=item.integration.name)
        self.desk.go_soon("integration", target)
