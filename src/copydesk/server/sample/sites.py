"""Writing the sample's sites."""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.server import site_writes
from copydesk.server.sample.story import Site, SiteSpace
from copydesk.server.store import Tx


def write_site(tx: Tx, organization: str, told: Site, spaces: Mapping[str, str]) -> None:
    """Write a site; ``spaces`` are the ids of spaces by their keys."""
    site = site_writes.add_site(tx, organization, told.title, **told.settings)
    groups: dict[str, str] = {}
    for section in told.sections:
        if section.group is not None and section.group not in groups:
            groups[section.group] = site_writes.add_section_group(tx, site, section.group)
        made = site_writes.add_section(
            tx,
            site,
            section.title,
            path=section.path,
            group=None if section.group is None else groups[section.group],
            description=section.description,
            condition=section.condition,
            icon=section.icon,
        )
        for shown in section.spaces:
            _show(tx, site, shown, spaces, made)
    for shown in told.spaces:
        _show(tx, site, shown, spaces, None)
    for link in told.links:
        site_writes.add_share_link(tx, site, link.name, active=link.active)


def _show(
    tx: Tx, site: str, shown: SiteSpace, spaces: Mapping[str, str], section: str | None
) -> None:
    site_writes.add_site_space(
        tx,
        site,
        spaces[shown.space],
        section=section,
        title=shown.title,
        path=shown.path,
        condition=shown.condition,
        hidden=shown.hidden,
    )
