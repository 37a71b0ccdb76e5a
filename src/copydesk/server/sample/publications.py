"""The sample's sites, and how one is written."""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.server import site_seed
from copydesk.server.sample.story import Publication, Section, Shown
from copydesk.server.store import Tx

_PARTNERS = "visitor.claims.partner == true"
_STAFF = "visitor.claims.staff == true"
_BETA = "visitor.claims.unsigned.beta == true"


def _claim(description: str) -> dict[str, str]:
    return {"type": "boolean", "description": description}


PUBLICATIONS: tuple[Publication, ...] = (
    Publication(
        firm="quayside",
        title="Quayside Docs",
        at=610,
        settings={
            "type": "ultimate",
            "hostname": "docs.quayside.example",
            "published": True,
            "icon": "anchor",
            "adaptive_schema": {
                "type": "object",
                "properties": {
                    "partner": _claim("Signed in as a partner"),
                    "staff": _claim("Works at Quayside"),
                    "unsigned": {
                        "type": "object",
                        "properties": {"beta": _claim("Has switched on beta features")},
                        "additionalProperties": False,
                    },
                },
                "additionalProperties": False,
            },
        },
        sections=(
            Section(
                title="Guides",
                path="guides",
                icon="compass",
                group="Learn",
                description="From the first test payment to a live integration.",
                shows=(
                    Shown(space="platform-guide", title="Current", path="current"),
                    Shown(space="platform-guide-v1", title="Version 1", path="v1"),
                    Shown(space="platform-guide-de", title="Deutsch", path="de", hidden=True),
                ),
            ),
            Section(
                title="Billing and payouts",
                path="billing",
                icon="receipt",
                group="Learn",
                description="Fees, invoices, and when the money arrives.",
                shows=(Shown(space="billing"),),
            ),
            Section(
                title="Troubleshooting",
                path="troubleshooting",
                icon="life-ring",
                group="Learn",
                description="What an error means and what to do about it.",
                shows=(Shown(space="troubleshooting"),),
            ),
            Section(
                title="API reference",
                path="api",
                icon="code",
                group="Build",
                description="Every resource, field and error of the API.",
                shows=(
                    Shown(space="api-reference", title="2026-02", path="2026-02"),
                    Shown(
                        space="platform-guide-v1",
                        title="Version 1",
                        path="v1",
                        condition=_PARTNERS,
                        hidden=True,
                    ),
                ),
            ),
            Section(
                title="Web SDK",
                path="web",
                icon="browser",
                group="Build",
                shows=(Shown(space="web-sdk"),),
            ),
            Section(
                title="Mobile SDKs",
                path="mobile",
                icon="mobile",
                group="Build",
                condition=_BETA,
                shows=(Shown(space="mobile-sdk"),),
            ),
            Section(
                title="Changelog",
                path="changelog",
                icon="clock",
                shows=(Shown(space="changelog"),),
            ),
            Section(
                title="Handbook",
                path="handbook",
                icon="book",
                condition=_STAFF,
                description="How we write. Only people who work here see it.",
                shows=(Shown(space="handbook"),),
            ),
        ),
        links=(("Auditors, spring review", True), ("Launch press kit", False)),
    ),
    Publication(
        firm="quayside",
        title="Partner portal",
        at=210,
        settings={
            "type": "premium",
            "hostname": "partners.quayside.example",
            "visibility": "share-link",
            "published": True,
            "icon": "handshake",
            "agents_context": "excluded",
        },
        shows=(
            Shown(space="billing", title="Fees for partners", path="fees"),
            Shown(space="mobile-sdk", title="Terminal apps", path="apps", hidden=True),
        ),
        links=(
            ("Northgate Bank", True),
            ("Ferry operators pilot", True),
            ("Old evaluation link", False),
        ),
    ),
    Publication(
        firm="pebblebox",
        title="Pebblebox",
        at=480,
        settings={"hostname": "pebblebox.example", "published": True, "icon": "box"},
        shows=(
            Shown(space="manual", title="Pebblebox 2", path="2"),
            Shown(space="manual-v1", title="Pebblebox 1", path="1"),
            Shown(space="contributing", path="contributing"),
        ),
    ),
)
"""Three sites: one with sections and variants, one for partners, one of the small project."""


def write_site(
    tx: Tx, organization: str, publication: Publication, spaces: Mapping[str, str]
) -> None:
    """Write a site; ``spaces`` are the ids of spaces by their keys."""
    site = site_seed.add_site(tx, organization, publication.title, **publication.settings)
    groups: dict[str, str] = {}
    for section in publication.sections:
        if section.group is not None and section.group not in groups:
            groups[section.group] = site_seed.add_section_group(tx, site, section.group)
        made = site_seed.add_section(
            tx,
            site,
            section.title,
            path=section.path,
            group=None if section.group is None else groups[section.group],
            description=section.description,
            condition=section.condition,
            icon=section.icon,
        )
        for shown in section.shows:
            _show(tx, site, shown, spaces, made)
    for shown in publication.shows:
        _show(tx, site, shown, spaces, None)
    for name, active in publication.links:
        site_seed.add_share_link(tx, site, name, active=active)


def _show(tx: Tx, site: str, shown: Shown, spaces: Mapping[str, str], section: str | None) -> None:
    site_seed.add_site_space(
        tx,
        site,
        spaces[shown.space],
        section=section,
        title=shown.title,
        path=shown.path,
        condition=shown.condition,
        hidden=shown.hidden,
    )
