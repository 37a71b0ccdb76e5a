"""One integration: where it is installed, the spaces and sites it works on, and its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from copydesk.domain.text import clean
from copydesk.present.facts import Fact
from copydesk.session.target import Target
from copydesk.tui.automation import integration_cells as present
from copydesk.tui.automation.integration_resources import INSTALLATIONS, PARTS
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace
from copydesk.tui.resource.resource import Resource, Shown

if TYPE_CHECKING:
    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.integration import IntegrationEventDetail

PAGE = 100
"""So many installations are read at once, to say which organizations they are in."""


@place(
    "integration",
    title="Integration",
    uses=(
        "list_integration_installations",
        "list_integration_space_installations",
        "list_integration_site_installations",
        "list_integration_events",
        "get_integration_event",
    ),
)
class IntegrationPlace(ResourcePlace[Any], scope="integration"):
    """Where one integration is installed, what it works on, and what it was told."""

    RESOURCE = INSTALLATIONS
    RAW = ("get_integration_event",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._traces: dict[str, IntegrationEventDetail] = {}
        """The events that were read with their traces, by their ids."""
        self._homes: dict[str, str] = {}
        """The organizations that installations are in, by the ids of the installations."""

    def resource_of(self, view: str) -> Resource[Any]:
        return PARTS.get(view, INSTALLATIONS)

    def within(self) -> Iterable[str]:
        yield clean(self.target.item or "no integration")

    def text_of(self, shown: Shown[Any], item: Any) -> str | Text | None:
        """Return what is shown of an item: organizations by their titles."""
        home = self._home(item) if shown.name in ("organization", "installation") else ""
        return self.session.title_of(home) if home else super().text_of(shown, item)

    def label(self, item: Any) -> str:
        """Return the name of an item: of an installation the organization that it is in."""
        if self.resource is INSTALLATIONS and (home := self._home(item)):
            return f"Installed in {self.session.title_of(home)}"
        return super().label(item)

    def _home(self, item: Any) -> str:
        """Return the organization that an item belongs to; empty where that is not known."""
        if self.resource is INSTALLATIONS:
            return present.installed_in(item)
        which = item.installation_id if self.resource is PARTS["events"] else item.installation
        return self._homes.get(which, "")

    def reload(self) -> None:
        """Read the view again, and where the integration is installed."""
        super().reload()
        self._find_homes()

    def ask_anew(self) -> None:
        """Read the view from its beginning, and where the integration is installed."""
        super().ask_anew()
        self._find_homes()

    def _find_homes(self) -> None:
        """Read which organizations the rows are about, where they name installations only."""
        if self.resource is not INSTALLATIONS:
            self.reads.load("homes", self._read_homes, self._learn,
                      what="Reading where it is installed", quiet=True)  # fmt: skip

    async def _read_homes(self, api: Api) -> Mapping[str, str]:
        from copydesk.contract import operations as ops

        name = self.target.item or ""
        page = await api.page(ops.list_integration_installations, name, limit=PAGE)
        return {one.id: present.installed_in(one) for one in page.items}

    def _learn(self, homes: Mapping[str, str]) -> None:
        self._homes.update(homes)
        self.rows.refresh_rows()
        self.show_item()

    # Events

    def show_item(self) -> None:
        """Show what is known of the item, and of an event what was written meanwhile."""
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
        from copydesk.contract import operations as ops

        return await api(ops.get_integration_event, self.target.item or "", event)

    def _traced(self, detail: IntegrationEventDetail) -> None:
        self._traces[detail.event.id] = detail
        self.show_item()

    def facts_of(self, item: Any) -> list[Fact]:
        """Return the details of an item; of an event also its trace, and what it carries."""
        facts = super().facts_of(item)
        if self.resource is PARTS["events"]:
            if (detail := self._traces.get(item.id)) is not None:
                facts += present.trace_facts(detail, self.session.now)
            facts += present.payload_facts(item.payload)
        return facts

    def open_item(self, item: Any) -> None:
        """Go to the pages of a space or the structure of a site; else to the details."""
        if self.resource is PARTS["spaces"] and (space := present.space_of(item)) is not None:
            target = Target(organization=self.organization, space=space.id)
            self.desk.go_soon("pages", target)
        elif self.resource is PARTS["sites"] and (site := present.site_of(item)) is not None:
            target = Target(organization=self.organization, site=site.id)
            self.desk.go_soon("site-structure", target)
        else:
            super().open_item(item)
