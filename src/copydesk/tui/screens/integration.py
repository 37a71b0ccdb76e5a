"""One integration: where it is installed, the spaces and sites it works on, and its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from copydesk.domain.text import clean
from copydesk.tui.integration_resources import INSTALLATIONS, PARTS
from copydesk.tui.places import Target, place
from copydesk.tui.present import integration as present
from copydesk.tui.resource_place import REST_SECONDS, ResourcePlace
from copydesk.tui.resources import Resource, Shown
from copydesk.tui.widgets.facts import Fact

if TYPE_CHECKING:
    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.integration import IntegrationEventDetail


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

    def resource_of(self, view: str) -> Resource[Any]:
        """Return what a view lists."""
        return PARTS.get(view, INSTALLATIONS)

    def within(self) -> Iterable[str]:
        """The integration."""
        yield clean(self.target.item or "no integration")

    def text_of(self, shown: Shown[Any], item: Any) -> str | Text | None:
        """Return what is shown of an item: the organization at hand by its title."""
        known = self.session.organization_titles
        if shown.name == "organization" and (home := present.installed_in(item)) in known:
            return self.session.title_of(home)
        return super().text_of(shown, item)

    # Events

    def show_item(self) -> None:
        """Show what is known of the item, and of an event what was written meanwhile."""
        super().show_item()
        item = self.item
        if item is None or self.resource is not PARTS["events"] or item.id in self._traces:
            return
        self.load(
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
