"""What the sample's organizations are connected to, and how that is written.

Integrations come from Quayside itself, from Pebblebox and from a third organization that makes
nothing else, so that there is something that is somebody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from copydesk.domain.documents import markdown_to_document
from copydesk.server.desk_seed import add_organization
from copydesk.server.installations import install, integration_row, publish
from copydesk.server.organization_seed import (
    add_invite_link,
    add_saml_provider,
    put_agent_instructions,
)
from copydesk.server.store import Tx

_VENDOR = "lantern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A publication. ``fields`` are columns of ``integration``; a first version has them all."""

    at: float
    name: str
    by: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """An installation: on all spaces and sites, or on some by their keys and titles."""

    at: float
    name: str
    firm: str
    configuration: Mapping[str, Any] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    spaces: Mapping[str, tuple[str, ...]] | None = None
    sites: Mapping[str, tuple[str, ...]] | None = None


def _asked(title: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "title": title, "description": description, **more}


_REGION = _asked("Region", "Where measurements are kept", default="eu", enum=["eu", "us"])
_CHANNEL = _asked("Channel", "Where messages go")

STEPS: tuple[Version | Setup, ...] = (
    Version(
        at=640,
        name="lantern-metrics",
        by=_VENDOR,
        fields={
            "title": "Lantern Metrics",
            "description": "See which pages readers open, and where they leave.",
            "summary": "# Lantern Metrics\n\nCounts page views without cookies. "
            "Give every site the identifier of its own measurement.",
            "visibility": "public",
            "verified": True,
            "target": "site",
            "scopes": ["site:script:inject"],
            "categories": ["analytics"],
            "configurations": {
                "account": {"properties": {"region": _REGION}, "required": ["region"]},
                "site": {
                    "properties": {
                        "sampling": _asked("Sampling", "Percent of visits", default="100")
                    },
                    "required": [],
                },
            },
            "external_links": [
                {"url": "https://lantern.example/metrics", "label": "About Lantern Metrics"}
            ],
            "script": "addEventListener('fetch', count);",
            "content_security_policy": "connect-src https://collect.lantern.example",
        },
    ),
    Setup(at=520, name="lantern-metrics", firm="quayside", ids=("lm-20417",)),
    Setup(
        at=330,
        name="lantern-metrics",
        firm="pebblebox",
        configuration={"region": "us"},
        sites={"Pebblebox": ("pebblebox.example",)},
    ),
    Version(
        at=610,
        name="lantern-chat",
        by=_VENDOR,
        fields={
            "title": "Lantern Chat",
            "description": "Tell a channel what readers say and what was merged.",
            "visibility": "public",
            "verified": True,
            "target": "organization",
            "scopes": ["space:content:read", "conversations:ingest"],
            "categories": ["collaboration"],
            "configurations": {
                "account": {"properties": {"channel": _CHANNEL}, "required": ["channel"]}
            },
            "external_links": [
                {"url": "https://lantern.example/chat", "label": "About Lantern Chat"},
                {"url": "https://lantern.example/chat/privacy", "label": "Privacy"},
            ],
            "script": "addEventListener('space_content_updated', announce);",
        },
    ),
    Setup(
        at=410,
        name="lantern-chat",
        firm="quayside",
        configuration={"channel": "#docs"},
        ids=("C-DOCS",),
    ),
    # Asks for a key that nobody has given it yet: where it is installed, its setup fails.
    Version(
        at=9,
        name="lantern-chat",
        by=_VENDOR,
        fields={
            "description": "Tell a channel what readers say and what was merged, signed.",
            "configurations": {
                "account": {
                    "properties": {
                        "channel": _CHANNEL,
                        "signing_key": _asked("Signing key", "Proves who sent a message"),
                    },
                    "required": ["channel", "signing_key"],
                }
            },
        },
    ),
    Version(
        at=580,
        name="tideline-git",
        by=_VENDOR,
        fields={
            "title": "Tideline Git",
            "description": "Keep a space and a branch of a repository the same.",
            "visibility": "public",
            "target": "space",
            "scopes": ["space:content:read", "space:content:write", "space:git:sync"],
            "categories": ["gitsync"],
            "configurations": {
                "space": {
                    "properties": {"branch": _asked("Branch", "What is kept", default="main")},
                    "required": ["branch"],
                }
            },
            "script": "addEventListener('space_gitsync_started', keep);",
        },
    ),
    Setup(
        at=270,
        name="tideline-git",
        firm="quayside",
        spaces={
            "changelog": ("quayside/changelog",),
            "web-sdk": ("quayside/web-sdk", "quayside/web-sdk-docs"),
        },
    ),
    Version(
        at=300,
        name="pebble-diagrams",
        by="pebblebox",
        fields={
            "title": "Pebble Diagrams",
            "description": "Draw diagrams from a few lines of text.",
            "visibility": "public",
            "target": "space",
            "scopes": ["space:content:read"],
            "categories": ["content"],
            "blocks": [
                {
                    "id": "diagram",
                    "title": "Diagram",
                    "description": "Boxes and arrows from text",
                    "icon": "diagram",
                    "urlUnfurl": ["https://draw.pebblebox.example/**"],
                    "markdown": {"codeblock": "pebble", "body": "source"},
                }
            ],
            "script": "export const diagram = { render: draw };",
        },
    ),
    Setup(at=298, name="pebble-diagrams", firm="pebblebox"),
    Setup(at=160, name="pebble-diagrams", firm="quayside", spaces={"handbook": (), "runbooks": ()}),
    Version(
        at=240,
        name="quayside-status",
        by="quayside",
        fields={
            "title": "Quayside Status",
            "description": "Our incidents as pages, and a badge that says if payments work.",
            "summary": "Made by the API team. Ask in the channel before you change it.",
            "visibility": "private",
            "scopes": ["space:content:read", "space:content:write"],
            "categories": ["content", "other"],
            "blocks": [
                {
                    "id": "status-badge",
                    "title": "Status badge",
                    "description": "Whether a part of the platform works",
                    "urlUnfurl": [
                        "https://status.quayside.example/*",
                        "https://*.status.quayside.example/*",
                    ],
                }
            ],
            "content_sources": [
                {
                    "id": "incidents",
                    "title": "Incidents",
                    "description": "One page for each incident of the last year",
                    "configuration": {"componentId": "choose-incidents"},
                }
            ],
            "configurations": {
                "account": {
                    "properties": {
                        "environment": _asked(
                            "Environment", "What is watched", default="live", enum=["live", "test"]
                        )
                    },
                    "required": ["environment"],
                }
            },
            "script": "export default { incidents, badge };",
            "secrets": ["STATUS_TOKEN"],
            "content_security_policy": "img-src https://status.quayside.example",
        },
    ),
    Setup(at=238, name="quayside-status", firm="quayside"),
    Version(
        at=31,
        name="quayside-status",
        by="quayside",
        fields={
            "description": "Our incidents as pages, and a badge for each part of the platform.",
            "tunnel_url": "https://status-dev.quayside.example/tunnel",
        },
    ),
    Version(
        at=75,
        name="quayside-partner-login",
        by="quayside",
        fields={
            "title": "Partner login",
            "description": "Lets partners read the portal with their dashboard account.",
            "visibility": "unlisted",
            "target": "site",
            "scopes": ["site:visitor:auth"],
            "categories": ["visitor-auth"],
            "configurations": {
                "account": {
                    "properties": {
                        "issuer": _asked("Issuer", "Who vouches", default="dashboard"),
                        "client_id": _asked("Client", "What the issuer calls this desk"),
                    },
                    "required": ["issuer", "client_id"],
                }
            },
            "script": "export const login = redirect;",
            "secrets": ["CLIENT_SECRET", "SIGNING_KEY"],
        },
    ),
    # The client was forgotten, so the setup failed.
    Setup(at=74, name="quayside-partner-login", firm="quayside", sites={"Partner portal": ()}),
)
"""What happened to six integrations, one after the other and not sorted by time."""

_CERTIFICATE = (
    "-----BEGIN CERTIFICATE-----\n"
    "c2FtcGxlIG9ubHk6IHRoaXMgaXMgbm90IGEgcmVhbCBjZXJ0aWZpY2F0ZQ==\n"
    "-----END CERTIFICATE-----\n"
)

_AGENT = """\
## How to answer

Write as the Handbook does: short sentences, *you* rather than *the merchant*.

1. Say what happened before you say what to do.
2. Name the error code, and link to its page in Troubleshooting.
3. Give an example only if the API reference has it.

{% hint style="warning" %}
Never promise a date for a payout. Link to the calendar in Billing and payouts.
{% endhint %}

| When somebody asks about | Send them to |
| --- | --- |
| a declined card | Troubleshooting |
| fees | Billing and payouts |
| version 1 of the API | the migration page, first |
"""


def write_connections(
    ago: Callable[[float], Tx],
    firms: Mapping[str, str],
    people: Mapping[str, str],
    spaces: Mapping[str, str],
) -> None:
    """Write all of it. ``ago`` gives the transaction at some days before now.

    Firms, people (teams too) and spaces are ids by their keys in the story.
    """
    home = firms["quayside"]
    known = {
        **firms,
        _VENDOR: add_organization(ago(900), "Lantern Works", hostname="lantern-works"),
    }
    for step in sorted(STEPS, key=lambda step: -step.at):
        tx = ago(step.at)
        if isinstance(step, Version):
            publish(tx, step.name, {"owner": known[step.by], **step.fields})
        else:
            _install(tx, step, known[step.firm], spaces)
    add_saml_provider(
        ago(640),
        home,
        label="Quayside staff",
        sso_url="https://id.quayside.example/saml/sign-in",
        entity_id="https://id.quayside.example/saml",
        certificate=_CERTIFICATE,
        default_role="read",
        default_team=people["Documentation"],
    )
    add_saml_provider(ago(12), home, label="Contractors", default_role=None)
    put_agent_instructions(ago(34), home, markdown_to_document(_AGENT), people["mara"])
    add_invite_link(ago(64), home)
    add_invite_link(ago(40), firms["pebblebox"])


def _install(tx: Tx, setup: Setup, organization: str, spaces: Mapping[str, str]) -> None:
    chosen = setup.spaces
    install(
        tx,
        integration_row(tx, setup.name),
        organization,
        setup.configuration,
        external_ids=setup.ids,
        spaces=None if chosen is None else {spaces[key]: ids for key, ids in chosen.items()},
        sites=None
        if setup.sites is None
        else {_site(tx, organization, title): ids for title, ids in setup.sites.items()},
    )


def _site(tx: Tx, organization: str, title: str) -> str:
    found: str = tx.value(
        "SELECT id FROM site WHERE organization_id = ? AND title = ?", organization, title
    )
    return found
