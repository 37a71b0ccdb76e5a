"""What is listed of integrations: the catalogue, and of one its installations and its events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

from copydesk.contract.enumerations import EventStatus, IntegrationCategory, IntegrationTarget
from copydesk.contract.enumerations import IntegrationVisibility as Visibility
from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.tui.automation import integration_cells as present
from copydesk.tui.framework.place import View
from copydesk.tui.resource.resource import Asked, Condition, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.integration import (
        Installation,
        Integration,
        IntegrationEvent,
        SiteInstallation,
        SpaceInstallation,
    )
    from copydesk.contract.models.site import Site
    from copydesk.contract.models.space import Space
    from copydesk.session.target import Target

YES_NO = ("true", "false")


def _flag(text: str) -> bool:
    return text == "true"


async def _integrations(api: Api, target: Target, asked: Asked) -> Page[Integration]:
    from copydesk.contract import operations as ops

    return await api.page(ops.list_integrations, **asked.paging, **asked.conditions)


INTEGRATIONS: Resource[Integration] = Resource(
    noun="integration",
    title="Integrations",
    pages=_integrations,
    key=lambda one: one.name,
    label=present.title,
    shown=(
        Shown("title", "TITLE", lambda one, now: present.title(one), flex=1, minimum=18,
              detail=False, sort=present.title),
        Shown("name", "NAME", lambda one, now: one.name, 22, drop=2, sort=lambda one: one.name),
        Shown("version", "VERSION", lambda one, now: str(one.version), 7, align="right", drop=3,
              sort=lambda one: one.version),
        Shown("target", "WORKS ON", lambda one, now: one.target, 12, drop=1,
              values=get_args(IntegrationTarget)),
        Shown("visibility", "VISIBILITY", lambda one, now: present.visibility(one), 10,
              values=get_args(Visibility)),
        Shown("owner", "OWNER", lambda one, now: present.owner(one), 18,
              sort=present.owner),
        Shown("verified", "VERIFIED", lambda one, now: "yes" if one.verified else "no",
              values=("yes", "no")),
        Shown("category", "CATEGORIES", lambda one, now: ", ".join(one.categories),
              detail=False),
        Shown("scope", "SCOPES", lambda one, now: ", ".join(one.scopes), detail=False),
    ),
    empty="There are no integrations. ctrl+n publishes one.",
    of="none",
    get="get_integration",
    arguments=lambda target, one: (one.name,),
    url=lambda one: web_address(one.urls.app) or None,
    conditions=(
        Condition("search", "those whose name or title holds this"),
        Condition("category", "those under this heading", get_args(IntegrationCategory)),
        Condition("block_domain", "those with a block for links to this domain"),
        Condition("blocks", "those with blocks, or without", YES_NO, _flag),
        Condition("content_sources", "those that make pages, or do not", YES_NO, _flag),
        Condition("owner", "those of an organization, by its id or subdomain"),
        Condition("scope", "those that may do this, such as space:content:read"),
        Condition("target", "those that work on this", get_args(IntegrationTarget)),
    ),
    more=lambda one, now: tuple(present.about(one)),
)  # fmt: skip
"""Every integration that the reader finds."""

VIEWS = (
    View("installations", "Installations", short="Installed"),
    View("spaces", "Spaces"),
    View("sites", "Sites"),
    View("events", "Events"),
)
"""What is listed of one integration."""

_EXTERNAL = Condition("external_id", "those that the integration knows by this id of its own")


async def _installations(api: Api, target: Target, asked: Asked) -> Page[Installation]:
    from copydesk.contract import operations as ops

    return await api.page(
        ops.list_integration_installations, target.item or "", **asked.paging, **asked.conditions
    )


INSTALLATIONS: Resource[Installation] = Resource(
    noun="installation",
    title="Installations",
    pages=_installations,
    key=lambda one: one.id,
    label=lambda one: one.id,
    shown=(
        Shown("organization", "ORGANIZATION", lambda one, now: present.installed_in(one), flex=1,
              minimum=14, sort=present.installed_in),
        Shown("status", "STATUS", lambda one, now: one.status, 8),
        Shown("spaces", "SPACES", lambda one, now: str(one.spaces), 6, align="right",
              sort=lambda one: one.spaces),
        Shown("on_spaces", "ON SPACES", lambda one, now: present.selection(one.space_selection),
              9, drop=3),
        Shown("on_sites", "ON SITES", lambda one, now: present.selection(one.site_selection),
              9, drop=2),
        Shown("external", "EXTERNAL IDS", lambda one, now: ", ".join(one.external_ids) or None,
              18, drop=1),
        Shown("made", "MADE", lambda one, now: age(one.created_at, now), 8,
              sort=lambda one: one.created_at),
        Shown("changed", "CHANGED", lambda one, now: age(one.updated_at, now), drop=4,
              sort=lambda one: one.updated_at),
    ),
    empty="It is installed nowhere that you see. Esc, then a installs it.",
    of="item",
    url=lambda one: web_address(one.urls.app) or None,
    views=VIEWS,
    conditions=(_EXTERNAL,),
    copies=lambda one: [("organization", present.installed_in(one))],
    more=lambda one, now: tuple(present.installation_facts(one)),
)  # fmt: skip
"""The organizations that have an integration."""


P = TypeVar("P", "SpaceInstallation", "SiteInstallation")

Listing: TypeAlias = "Callable[[Api, Target, Asked], Awaitable[Page[P]]]"


def _works_on(
    noun: str, title: str, pages: Listing[P], place_of: Callable[[P], Space | Site | str]
) -> Resource[P]:
    """Return what is listed of the places that an integration works on.

    ``place_of`` returns the space or site, or its id where the service gave no more.
    """

    def label(one: P) -> str:
        there = place_of(one)
        return there if isinstance(there, str) else there.title or there.id

    def key(one: P) -> str:
        there = place_of(one)
        return there if isinstance(there, str) else there.id

    def url(one: P) -> str | None:
        there = place_of(one)
        if isinstance(there, str):
            return None
        return web_address(there.urls.app or there.urls.published) or None

    return Resource(
        noun=noun,
        title=title,
        pages=pages,
        key=key,
        label=label,
        shown=(
            Shown("title", noun.upper(), lambda one, now: label(one), flex=1, minimum=20,
                  detail=False, sort=label),
            Shown("installation", "INSTALLED IN", lambda one, now: one.installation),
            Shown("status", "STATUS", lambda one, now: one.status, 8),
            Shown("external", "EXTERNAL IDS", lambda one, now: ", ".join(one.external_ids) or None,
                  30, drop=1),
        ),
        empty=f"It works on no {noun} that you see.",
        of="item",
        url=url,
        views=VIEWS,
        conditions=(_EXTERNAL,),
        copies=lambda one: [("installation", one.installation)],
        more=lambda one, now: tuple(present.part_facts(one)),
    )  # fmt: skip


async def _spaces(api: Api, target: Target, asked: Asked) -> Page[SpaceInstallation]:
    from copydesk.contract import operations as ops

    return await api.page(
        ops.list_integration_space_installations,
        target.item or "",
        extended=True,
        **asked.paging,
        **asked.conditions,
    )


SPACES: Resource[SpaceInstallation] = _works_on("space", "Spaces", _spaces, lambda one: one.space)
"""The spaces that an integration works on."""


async def _sites(api: Api, target: Target, asked: Asked) -> Page[SiteInstallation]:
    from copydesk.contract import operations as ops

    return await api.page(
        ops.list_integration_site_installations,
        target.item or "",
        extended=True,
        **asked.paging,
        **asked.conditions,
    )


SITES: Resource[SiteInstallation] = _works_on("site", "Sites", _sites, lambda one: one.site)
"""The sites that an integration works on."""


async def _events(api: Api, target: Target, asked: Asked) -> Page[IntegrationEvent]:
    from copydesk.contract import operations as ops

    return await api.page(ops.list_integration_events, target.item or "", **asked.paging)


EVENTS: Resource[IntegrationEvent] = Resource(
    noun="event",
    title="Events",
    pages=_events,
    key=lambda one: one.id,
    label=present.event_type,
    shown=(
        Shown("type", "EVENT", lambda one, now: present.event_type(one), flex=1, minimum=18,
              detail=False),
        Shown("status", "STATUS", lambda one, now: present.event_status(one), 9,
              values=get_args(EventStatus)),
        Shown("installation", "INSTALLED IN", lambda one, now: one.installation_id, 22, drop=1),
        Shown("when", "WHEN", lambda one, now: present.happened(one, now), 14,
              sort=lambda one: one.created_at),
    ),
    empty="It was told nothing yet.",
    of="item",
    get="get_integration_event",
    arguments=lambda target, one: (target.item or "", one.id),
    views=VIEWS,
    copies=lambda one: [("installation", one.installation_id)],
)  # fmt: skip
"""What an integration was told."""

PARTS: dict[str, Resource[Any]] = {
    "installations": INSTALLATIONS,
    "spaces": SPACES,
    "sites": SITES,
    "events": EVENTS,
}
"""What each view of one integration lists."""
