"""Integrations, where they are installed, and their events, as facts.

What an installation is configured with may be a key or a password: where its name says so, or that
of anything it is in, it is not shown.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import moment
from copydesk.domain.secret_values import names_secret, tells_secret
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import Fact

if TYPE_CHECKING:
    from copydesk.contract.models.integration import (
        Configuration,
        EventPayload,
        Installation,
        Integration,
        IntegrationEvent,
        IntegrationEventDetail,
        SiteInstallation,
        SpaceInstallation,
    )
    from copydesk.contract.models.site import Site
    from copydesk.contract.models.space import Space

Said = tuple[str, str | Text]

LONGEST = 2_000
"""Characters of a long text among the details; the JSON has all of it."""

HIDDEN = "hidden (g j has it)"

VALUES = 200
"""So many values of a configuration or an event are told; the JSON has all of them."""

DEPTH = 8
"""So deep in parts of parts values are told; what is deeper is in the JSON."""

_LEVELS = {"error": "bad", "warn": "warn", "debug": "muted"}


def title(integration: Integration) -> str:
    """Return what an integration is called."""
    return integration.title.strip() or integration.name


def owner(integration: Integration) -> str:
    """Return who owns an integration."""
    return "" if integration.owner is None else integration.owner.title or integration.owner.id


def visibility(integration: Integration) -> Text:
    """Return who finds an integration."""
    said = clean(integration.visibility)
    return Text(said, style="" if said == "public" else "muted")


def about(integration: Integration) -> Iterator[Said]:
    """Yield what there is to know about an integration beside what its list shows."""
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
    if integration.content_security_policy:
        yield "policy", clean(integration.content_security_policy)
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


def _asked(level: str, part: Configuration | None) -> Iterator[str]:
    """Yield what an installation is asked for at a level, a line for each thing."""
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
    """Yield what an installation is configured with, what looks like a secret hidden.

    Parts are told one value a line; what is hidden by its name is so with all that is in it.
    """
    told = itertools.chain.from_iterable(
        _values(clean(name), value, names_secret(name)) for name, value in configuration.items()
    )
    yield from itertools.islice(told, VALUES)
    if next(told, None) is not None:
        yield "", Text("There is more: g j has it.", style="muted")


def _values(name: str, value: Any, secret: bool, depth: int = 0) -> Iterator[Said]:
    """Yield what is in a value, whose name says already whether that is a secret."""
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
        return Text(HIDDEN, style="muted")
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shorten(clean(said), 200)


def _tells(value: Any) -> bool:
    return isinstance(value, str) and tells_secret(value)


# Where it is installed


def installed_in(installation: Installation) -> str:
    """Return the organization that an installation is in."""
    target = installation.target
    return (target and target.organization) or ""


def selection(said: str | None) -> str:
    """Return which spaces or sites an installation works on."""
    return {"all": "all", "selected": "some", None: "none"}.get(said, said or "none")


def installation_facts(installation: Installation) -> Iterator[Said]:
    """Yield what there is to know about an installation beside what its list shows."""
    yield from configured(installation.configuration)
    if address := web_address(installation.urls.public_endpoint):
        yield "answers at", Text(address, style="link")


def space_of(item: SpaceInstallation) -> Space | None:
    """Return the space of an installation, where the service gave it whole."""
    return None if isinstance(item.space, str) else item.space


def site_of(item: SiteInstallation) -> Site | None:
    """Return the site of an installation, where the service gave it whole."""
    return None if isinstance(item.site, str) else item.site


def part_facts(item: SpaceInstallation | SiteInstallation) -> Iterator[Said]:
    """Yield what there is to know about an integration on one space or site."""
    yield from configured(item.configuration)
    if address := web_address(item.urls.public_endpoint):
        yield "answers at", Text(address, style="link")


# Events


def event_status(event: IntegrationEvent) -> Text:
    """Return how the handling of an event ended."""
    said = clean(event.status or "")
    return Text(said or "not told", style={"failed": "bad", "success": "good"}.get(said, "muted"))


def event_type(event: IntegrationEvent) -> str:
    """Return what happened, in words."""
    kind = event.payload.type if event.payload is not None else None
    return (kind or "event").replace("_", " ")


def payload_facts(payload: EventPayload | None) -> Iterator[Fact]:
    """Yield what an event carries, what looks like a secret hidden."""
    if payload is None:
        return
    told = ("type", "eventId", "installationId")
    found = {name: value for name, value in payload.to_dict().items() if name not in told}
    if found:
        yield Fact("", "")
        yield Fact("", Text("What it carries", style="strong"))
    yield from (Fact(label, said) for label, said in configured(found))


def trace_facts(detail: IntegrationEventDetail, now: datetime) -> Iterator[Fact]:
    """Yield what an integration wrote while it handled an event: how much, and every line."""
    logs = detail.trace.logs if detail.trace is not None else []
    yield Fact("", "")
    if not logs:
        yield Fact("", Text("Nothing was written while it was handled.", style="muted"))
        return
    levels = Counter(log.level for log in logs)
    order = ("error", "warn", "info", "debug")
    known = sorted(levels, key=lambda level: order.index(level) if level in order else len(order))
    said = listed([f"{levels[level]} {clean(level)}" for level in known])
    yield Fact("trace", f"{plural(len(logs), 'line')}: {said}")
    for log in logs:
        at = "" if log.timestamp is None else f"{log.timestamp.astimezone(now.tzinfo):%H:%M:%S} "
        line = Text(at, style="muted")
        line.append(clean(log.message, lines=True), style=_LEVELS.get(log.level, ""))
        yield Fact(clean(log.level), line)


def happened(event: IntegrationEvent, now: datetime) -> str:
    """Return when an event was."""
    return moment(event.created_at, now)
