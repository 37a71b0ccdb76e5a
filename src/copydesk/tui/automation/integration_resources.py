"""What is listed of integrations: the catalogue, and of one its installations and its events."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from rich.text import Text

from copydesk.contract.enumerations import (
    EventStatus,
    InstallationStatus,
    IntegrationCategory,
    IntegrationTarget,
)
from copydesk.contract.enumerations import IntegrationVisibility as Visibility
from copydesk.domain.address import parse_app_url, shown_at, web_address
from copydesk.domain.moments import age, moment
from copydesk.domain.secret_values import names_secret, tells_secret
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import Fact, hint
from copydesk.tui.framework.place import View
from copydesk.tui.resource.resource import Condition, Facet, ListQuery, Resource, pages_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.integration import (
        Configuration,
        EventPayload,
        Installation,
        Integration,
        IntegrationEvent,
        IntegrationEventDetail,
        OrganizationInstallation,
        SiteInstallation,
        SpaceInstallation,
    )
    from copydesk.contract.models.site import Site
    from copydesk.contract.models.space import Space
    from copydesk.session.target import Target


Said = tuple[str, str | Text]

LONGEST = 2_000
"""Characters of a long text among the details; the JSON has all of it."""

HIDDEN = "hidden (g j has it)"

VALUES = 200
"""Values of a configuration or an event among the details; the JSON has all of them."""

DEPTH = 8
"""Levels of nested values among the details; deeper ones are in the JSON."""

_LEVELS = {"error": "bad", "warn": "warn", "debug": "muted"}


def integration_title(integration: Integration) -> str:
    """Return the title of an integration."""
    return integration.title.strip() or integration.name


def owner_title(integration: Integration) -> str:
    """Return the owner of an integration."""
    return "" if integration.owner is None else integration.owner.title or integration.owner.id


def visibility_text(integration: Integration) -> Text:
    """Return the visibility of an integration with its tone."""
    said = clean(integration.visibility)
    return Text(said, style="" if said == "public" else "muted")


def integration_details(integration: Integration) -> Iterator[Said]:
    """Yield the details of an integration beyond the columns."""
    if integration.description:
        yield "", clean(integration.description, lines=True, limit=LONGEST)
    granted = integration.permissions
    if granted is not None:
        yield "you may", "publish, change and delete it" if granted.admin else "install it"
    yield from _several("may", integration.scopes)
    yield from _several("for", integration.categories)
    for block in integration.blocks or ():
        unfurls = ", ".join(block.url_unfurl or ())
        lines = [f"{block.title or block.id} ({block.id})", block.description or ""]
        lines.append(f"made of links to {unfurls}" if unfurls else "")
        yield "block", clean("\n".join(filter(None, lines)), lines=True)
    for source in integration.content_sources or ():
        lines = [f"{source.title or source.id} ({source.id})", source.description or ""]
        yield "source", clean("\n".join(filter(None, lines)), lines=True)
    asked = integration.configurations
    if asked is not None:
        for level, part in (("account", asked.account), ("space", asked.space),
                            ("site", asked.site)):  # fmt: skip
            yield from (("asks for", line) for line in _asked(level, part))
    if policy := integration.content_security_policy:
        yield "policy", clean(policy if isinstance(policy, str) else _directives(policy))
    for link in integration.external_links:
        yield "link", clean(f"{link.label or ''} {link.url or ''}").strip()
    if address := web_address(integration.urls.app):
        yield "app", Text(address, style="link")
    if integration.summary:
        yield "", ""
        yield "", clean(integration.summary, lines=True, limit=LONGEST)


def _several(label: str, texts: Iterable[str]) -> Iterator[Said]:
    if said := clean(", ".join(texts)):
        yield label, said


def _directives(policy: Mapping[str, Any]) -> str:
    """Return a policy that a service gives by its directives as one line, as a header has it."""
    return "; ".join(
        " ".join([name, *map(str, value if isinstance(value, list) else [value])]).strip()
        for name, value in policy.items()
    )


def _asked(level: str, part: Configuration | None) -> Iterator[str]:
    """Yield the fields of the configuration at a level, a line for each."""
    if part is None:
        return
    for name, each in part.properties.items():
        facts = [each.type or "", "required" if name in part.required else ""]
        if each.enum:
            facts.append(f"one of {', '.join(each.enum)}")
        if each.default is not None:
            facts.append(f"else {each.default}")
        said = f"{name} of each {level}" if level != "account" else name
        yield clean(f"{said} ({', '.join(filter(None, facts))}): {each.title or ''}").rstrip(": ")


def configured(configuration: Mapping[str, Any]) -> Iterator[Said]:
    """Yield the configuration of an installation, with possible secrets hidden.

    Parts are told one value a line; what is hidden by its name is so with all that is in it.
    """
    told = itertools.chain.from_iterable(
        _values(clean(name), value, names_secret(name)) for name, value in configuration.items()
    )
    yield from itertools.islice(told, VALUES)
    if next(told, None) is not None:
        yield "", hint("There is more: g j has it.")


def _values(name: str, value: Any, secret: bool, depth: int = 0) -> Iterator[Said]:
    """Yield the parts of a value; ``secret`` says whether its name already hides them."""
    if isinstance(value, dict) and value and depth < DEPTH:
        # As in {"name": "Authorization", "value": …}: what is named inside names the others.
        named = (value.get(each) for each in ("name", "key", "header"))
        told = any(isinstance(each, str) and names_secret(each) for each in named)
        for inner, part in value.items():
            hides = secret or told or names_secret(inner)
            yield from _values(f"{name}.{clean(inner)}", part, hides, depth + 1)
    elif isinstance(value, list) and value and depth < DEPTH:
        if any(isinstance(each, dict | list) or _tells(each) for each in value):
            for at, part in enumerate(value):
                yield from _values(f"{name}[{at}]", part, secret, depth + 1)
        else:
            yield name, _shown(value, secret)
    else:
        yield name, _shown(value, secret or depth == DEPTH or _tells(value))


def _shown(value: Any, secret: bool) -> str | Text:
    """Return a value, or that it is hidden; whether something is so is no secret."""
    if secret and value not in ("", None, True, False) and value != [] and value != {}:
        return hint(HIDDEN)
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shorten(clean(said), 200)


def _tells(value: Any) -> bool:
    return isinstance(value, str) and tells_secret(value)


# Where it is installed


def installed_in(installation: Installation) -> str:
    """Return the organization that an installation is in."""
    target = installation.target
    return (target and target.organization) or ""


ON_PLACES = {"on_spaces": "space", "on_sites": "site"}
"""The names of the columns that say where an installation works, and of what kind of place."""


def works_on(held: Installation, integration: Integration | None, place: str) -> str:
    """Return which spaces or which sites of its organization an installation works on.

    What an integration is not made for counts as chosen where it is said at all, so that it takes
    the integration to tell; None where that is not known.
    """
    if integration is None or integration.target not in ("all", place):
        return "" if integration is None else "none"
    said = held.space_selection if place == "space" else held.site_selection
    return {"all": "all", "selected": "some", None: "none"}.get(said, said or "none")


def holds_secret(configuration: Mapping[str, Any]) -> bool:
    """Whether something of a configuration is hidden, or there is more of it than is looked at."""
    told = list(configured(configuration))
    return any(not name or str(said) == HIDDEN for name, said in told)


def space_of(item: SpaceInstallation) -> Space | None:
    """Return the space of an installation, where the service gave it whole."""
    return None if isinstance(item.space, str) else item.space


def site_of(item: SiteInstallation) -> Site | None:
    """Return the site of an installation, where the service gave it whole."""
    return None if isinstance(item.site, str) else item.site


def installation_details(
    item: Installation | SpaceInstallation | SiteInstallation,
) -> Iterator[Said]:
    """Yield the details of an installation, also on one space or site, beyond the columns."""
    yield from configured(item.configuration)
    if address := web_address(item.urls.public_endpoint):
        yield "answers at", Text(address, style="link")


# Events


def event_status(event: IntegrationEvent) -> Text:
    """Return how the handling of an event ended."""
    said = clean(event.status or "")
    return Text(said or "not told", style={"failed": "bad", "success": "good"}.get(said, "muted"))


def event_type(event: IntegrationEvent) -> str:
    """Return the type of an event, in words."""
    kind = event.payload.type if event.payload is not None else None
    return (kind or "event").replace("_", " ")


def payload_facts(payload: EventPayload | None) -> Iterator[Fact]:
    """Yield the payload of an event, with possible secrets hidden."""
    if payload is None:
        return
    told = ("type", "eventId", "installationId")
    found = {name: value for name, value in payload.to_dict().items() if name not in told}
    if found:
        yield Fact("", "")
        yield Fact("", Text("What it carries", style="strong"))
    yield from (Fact(label, said) for label, said in configured(found))


def trace_facts(detail: IntegrationEventDetail) -> Iterator[Fact]:
    """Yield the log of an integration while it handled an event: its length, and every line."""
    logs = detail.trace.logs if detail.trace is not None else []
    yield Fact("", "")
    if not logs:
        yield Fact("", Text("Its script wrote no log entries.", style="muted"))
        return
    levels = Counter(log.level for log in logs)
    order = ("error", "warn", "info", "debug")
    known = sorted(levels, key=lambda level: order.index(level) if level in order else len(order))
    said = listed([f"{levels[level]} {clean(level)}" for level in known])
    yield Fact("trace", f"{plural(len(logs), 'line')}: {said}")
    for log in logs:
        at = "" if log.timestamp is None else f"{log.timestamp.astimezone():%H:%M:%S} "
        line = Text(at, style="muted")
        line.append(clean(log.message, lines=True), style=_LEVELS.get(log.level, ""))
        yield Fact(clean(log.level), line)


YES_NO = ("true", "false")


def _flag(text: str) -> bool:
    return text == "true"


TABS = (
    View("integrations", "Integrations"),
    View("installations", "Installed"),
)
"""The places of all integrations, and of the organization's own, as tabs."""

INTEGRATIONS: Resource[Integration] = Resource(
    noun="integration",
    title="Integrations",
    tabs=TABS,
    pages=pages_of("list_integrations"),
    key=lambda one: one.name,
    label=integration_title,
    shown=(
        Facet("title", "TITLE", lambda one, now: integration_title(one), flex=1, minimum=18,
              detail=False, sort=integration_title),
        Facet("name", "NAME", lambda one, now: one.name, 22, drop=2, sort=lambda one: one.name),
        Facet("version", "VERSION", lambda one, now: str(one.version), 7, align="right", drop=3,
              sort=lambda one: one.version),
        Facet("target", "WORKS ON", lambda one, now: one.target, 12, drop=1,
              values=get_args(IntegrationTarget)),
        Facet("visibility", "VISIBILITY", lambda one, now: visibility_text(one), 10,
              values=get_args(Visibility)),
        Facet("owner", "OWNER", lambda one, now: owner_title(one), 18,
              sort=owner_title),
        Facet("verified", "VERIFIED", lambda one, now: "yes" if one.verified else "no",
              values=("yes", "no")),
        Facet("category", "CATEGORIES", lambda one, now: ", ".join(one.categories),
              detail=False),
        Facet("scope", "SCOPES", lambda one, now: ", ".join(one.scopes), detail=False),
    ),
    empty="There are no integrations. W publishes one.",
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
    more=lambda one, now: tuple(integration_details(one)),
    contents=lambda: (SPACES, SITES),
)  # fmt: skip
"""Every integration that the reader finds."""

INTEGRATION_VIEWS = (
    View("installations", "Installations", short="Installed"),
    View("spaces", "Spaces"),
    View("sites", "Sites"),
    View("events", "Events"),
)
"""The views of one integration."""

_EXTERNAL = Condition("external_id", "those that the integration knows by this id of its own")


INSTALLATIONS: Resource[Installation] = Resource(
    noun="installation",
    title="Installations",
    pages=pages_of("list_integration_installations", "item"),
    key=lambda one: one.id,
    label=lambda one: one.id,
    shown=(
        Facet("organization", "ORGANIZATION", lambda one, now: installed_in(one), flex=1,
              minimum=14, sort=installed_in),
        Facet("status", "STATUS", lambda one, now: one.status, 8),
        Facet("spaces", "SPACES", lambda one, now: str(one.spaces), 6, align="right",
              sort=lambda one: one.spaces),
        # Its place knows the integration, and with it where this one works.
        Facet("on_spaces", "ON SPACES", lambda one, now: None, 9, drop=3),
        Facet("on_sites", "ON SITES", lambda one, now: None, 9, drop=2),
        Facet("external", "EXTERNAL IDS", lambda one, now: ", ".join(one.external_ids) or None,
              18, drop=1),
        Facet("made", "MADE", lambda one, now: age(one.created_at, now), 8,
              sort=lambda one: one.created_at),
        Facet("changed", "CHANGED", lambda one, now: age(one.updated_at, now), drop=4,
              sort=lambda one: one.updated_at),
    ),
    empty="Installed nowhere that you see. Esc, then ctrl+n installs it.",
    of="item",
    adding="install_integration",
    url=lambda one: web_address(one.urls.app) or None,
    views=INTEGRATION_VIEWS,
    conditions=(_EXTERNAL,),
    copies=lambda one: [("organization", installed_in(one))],
    more=lambda one, now: tuple(installation_details(one)),
)  # fmt: skip
"""The organizations that have an integration."""


INSTALLED: Resource[OrganizationInstallation] = Resource(
    noun="installation",
    title="Installed",
    tabs=TABS,
    pages=pages_of("list_organization_installations", "organization"),
    key=lambda one: one.installation.id,
    label=lambda one: integration_title(one.integration),
    shown=(
        Facet("title", "INTEGRATION", lambda one, now: integration_title(one.integration), flex=1,
              minimum=20, detail=False, sort=lambda one: integration_title(one.integration)),
        Facet("name", "NAME", lambda one, now: one.integration.name, 18, drop=3),
        Facet("status", "STATUS", lambda one, now: one.installation.status, 8,
              values=get_args(InstallationStatus)),
        Facet("spaces", "SPACES", lambda one, now: str(one.installation.spaces), 6, align="right",
              sort=lambda one: one.installation.spaces),
        Facet("on_spaces", "ON SPACES",
              lambda one, now: works_on(one.installation, one.integration, "space"), 9),
        Facet("on_sites", "ON SITES",
              lambda one, now: works_on(one.installation, one.integration, "site"), 8),
        Facet("external", "EXTERNAL IDS",
              lambda one, now: ", ".join(one.installation.external_ids) or None, 18, drop=2),
        Facet("made", "MADE", lambda one, now: age(one.installation.created_at, now), 8, drop=1,
              sort=lambda one: one.installation.created_at),
        Facet("changed", "CHANGED", lambda one, now: age(one.installation.updated_at, now),
              sort=lambda one: one.installation.updated_at),
    ),
    empty="Nothing is installed. [ lists the integrations; ctrl+n installs one.",
    adding="install_integration",
    url=lambda one: web_address(one.installation.urls.app) or None,
    conditions=(Condition("search", "those whose name or title holds this"),),
    copies=lambda one: [("integration", one.integration.name)],
    more=lambda one, now: (
        *installation_details(one.installation),
        *_several("may", one.integration.scopes),
    ),
    contents=lambda: IN_INSTALLATION,
    inside=lambda one: f"{one.integration.name} {one.installation.id}",
)  # fmt: skip
"""What an organization has installed."""


P = TypeVar("P", "SpaceInstallation", "SiteInstallation")


def _works_on(noun: str, title: str, place_of: Callable[[P], Space | Site | str]) -> Resource[P]:
    """Return the resource of the spaces or sites that an integration works on.

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
        return shown_at(there.urls.app, there.urls.published) or None

    def home(one: P) -> str | None:
        there = place_of(one)
        address = None if isinstance(there, str) else parse_app_url(there.urls.app or "")
        return None if address is None else address.organization

    return Resource(
        noun=noun,
        title=title,
        pages=pages_of(f"list_integration_{noun}_installations", "item", extended=True),
        key=key,
        label=label,
        home=home,
        shown=(
            Facet("title", noun.upper(), lambda one, now: label(one), flex=1, minimum=20,
                  detail=False, sort=label),
            Facet("installation", "INSTALLED IN", lambda one, now: one.installation),
            Facet("status", "STATUS", lambda one, now: one.status, 8),
            Facet("external", "EXTERNAL IDS", lambda one, now: ", ".join(one.external_ids) or None,
                  30, drop=1),
        ),
        empty=f"Works on no {noun} that you see.",
        of="item",
        url=url,
        conditions=(_EXTERNAL,),
        copies=lambda one: [("installation", one.installation)],
        more=lambda one, now: tuple(installation_details(one)),
        beside=2,
    )  # fmt: skip


SPACES: Resource[SpaceInstallation] = _works_on("space", "Spaces", lambda one: one.space)
"""The spaces that an integration works on."""


SITES: Resource[SiteInstallation] = _works_on("site", "Sites", lambda one: one.site)
"""The sites that an integration works on."""


def _of_installation(kind: Resource[Any]) -> Resource[Any]:
    """Return the spaces or sites of one installation: the item is an integration and that."""

    async def pages(api: Api, target: Target, asked: ListQuery) -> Page[Any]:
        name, _, which = (target.item or "").partition(" ")
        found = await kind.pages(api, target.but(item=name), asked)
        there = [each for each in found.items if each.installation == which]
        return found.model_copy(update={"items": there, "count": None})

    return replace(kind, pages=pages)


IN_INSTALLATION: tuple[Resource[Any], ...] = (_of_installation(SPACES), _of_installation(SITES))
"""What an organization's installation works on."""


EVENTS: Resource[IntegrationEvent] = Resource(
    noun="event",
    title="Events",
    pages=pages_of("list_integration_events", "item"),
    key=lambda one: one.id,
    label=event_type,
    shown=(
        Facet("type", "EVENT", lambda one, now: event_type(one), flex=1, minimum=18,
              detail=False),
        Facet("status", "STATUS", lambda one, now: event_status(one), 9,
              values=get_args(EventStatus)),
        Facet("installation", "INSTALLED IN", lambda one, now: one.installation_id, 22, drop=1),
        Facet("when", "WHEN", lambda one, now: moment(one.created_at, now), 14,
              sort=lambda one: one.created_at),
    ),
    empty="No events yet.",
    of="item",
    get="get_integration_event",
    arguments=lambda target, one: (target.item or "", one.id),
    copies=lambda one: [("installation", one.installation_id)],
)  # fmt: skip
"""The events of an integration."""

PARTS: dict[str, Resource[Any]] = {
    "installations": INSTALLATIONS,
    "spaces": SPACES,
    "sites": SITES,
    "events": EVENTS,
}
"""The resources of the views of one integration."""
