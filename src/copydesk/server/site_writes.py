"""Putting sites and what belongs to them on a desk from code, rules and counts kept right.

The sample, the import, the tests and the handlers all write through these functions. Each writes
at the transaction's moment; ``desk_writes.at`` gives a transaction with another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copydesk.contract.enumerations import AgentsContext, SiteType, SiteVisibility
from copydesk.server.site_entries import end_of
from copydesk.server.site_structure import (
    adopt_root,
    default_site_space,
    sections_of,
    set_default_site_space,
    site_spaces_of,
)
from copydesk.server.store import Tx, to_json


def add_site(
    tx: Tx,
    organization_id: str,
    title: str,
    *,
    type: SiteType = "basic",  # noqa: A002 - the field's name
    visibility: SiteVisibility = "public",
    hostname: str | None = None,
    basename: str | None = None,
    proxy: str | None = None,
    icon: Any = None,
    published: bool = False,
    agents_context: AgentsContext = "included",
    adaptive_schema: Mapping[str, Any] | None = None,
) -> str:
    """Add a site that shows nothing yet and return its id.

    ``adaptive_schema`` is the JSON Schema of its visitor attributes; with one, adaptive content
    is on.
    """
    return tx.add(
        "site",
        organization_id=organization_id,
        type=type,
        title=title,
        icon=None if icon is None else to_json(icon),
        hostname=hostname,
        basename=basename,
        proxy=proxy,
        visibility=visibility,
        published=published,
        adaptive_content=adaptive_schema is not None,
        adaptive_schema=None if adaptive_schema is None else to_json(adaptive_schema),
        adaptive_schema_updated_at=None if adaptive_schema is None else tx.now,
        agents_context=agents_context,
        created_at=tx.now,
    )


def add_events(
    tx: Tx,
    site_id: str,
    space_id: str,
    page_id: str,
    day: str,
    *,
    events: int,
    visitors: int,
    type: str = "page_view",  # noqa: A002 - the field's name
) -> None:
    """Note what readers did with a page on a day, such as "2026-03-02", each in one session."""
    tx.insert(
        "site_event",
        site_id=site_id,
        day=day,
        type=type,
        space_id=space_id,
        page_id=page_id,
        events=events,
        sessions=visitors,
        visitors=visitors,
    )


def add_section_group(tx: Tx, site_id: str, title: str) -> str:
    """Add a group that sections of a site can be in and return its id."""
    position = end_of(tx, site_id)
    return tx.add("section_group", site_id=site_id, position=position, title=title)


def add_link(
    tx: Tx, site_id: str, title: str, url: str, *, group: str | None = None, draft: bool = False
) -> str:
    """Add a link to elsewhere after all else and return its id.

    In a group it is added after all else in the group.
    """
    return tx.add(
        "site_link",
        site_id=site_id,
        position=end_of(tx, site_id),
        group_id=group,
        title=title,
        url=url,
        draft=draft,
    )


def add_section(
    tx: Tx,
    site_id: str,
    title: str,
    *,
    path: str | None = None,
    group: str | None = None,
    description: str | None = None,
    condition: str | None = None,
    icon: str | None = None,
) -> str:
    """Add a section after the others and return its id.

    The path is made from the title unless given. The first section of a site is its default and
    takes over what the site shows at its root.
    Sections of one group are added one after the other, so that they stand together.
    """
    siblings = sections_of(site_id)
    section_id = tx.add(
        "site_section",
        site_id=site_id,
        position=end_of(tx, site_id),
        group_id=group,
        title=title,
        description=description,
        path=siblings.free_path(tx, title) if path is None else path,
        condition=condition,
        icon=icon,
    )
    if tx.value("SELECT default_section_id FROM site WHERE id = ?", site_id) is None:
        tx.update("site", site_id, default_section_id=section_id)
        adopt_root(tx, site_id, section_id)
    return section_id


def add_site_space(
    tx: Tx,
    site_id: str,
    space_id: str,
    *,
    section: str | None = None,
    title: str | None = None,
    path: str | None = None,
    condition: str | None = None,
    hidden: bool = False,
) -> str:
    """Show a space on a site, after its siblings, and return the site space's id.

    Without ``section`` it goes into the default section, or to the root of a site that has none.
    The first among its siblings is their default. Without a ``title`` it has that of its
    space, also later.
    """
    if section is None:
        section = tx.value("SELECT default_section_id FROM site WHERE id = ?", site_id)
    siblings = site_spaces_of(site_id, section)
    if path is None:
        named = title or tx.value("SELECT title FROM space WHERE id = ?", space_id)
        path = siblings.free_path(tx, named)
    site_space_id = tx.add(
        "site_space",
        site_id=site_id,
        section_id=section,
        space_id=space_id,
        position=siblings.end(tx),
        path=path,
        title=title or "",
        condition=condition,
        hidden=hidden,
    )
    if default_site_space(tx, site_id, section) is None:
        set_default_site_space(tx, site_id, section, site_space_id)
    return site_space_id


def add_share_link(tx: Tx, site_id: str, name: str, *, active: bool = True) -> str:
    """Add a secret address of a site and return its id."""
    link_id = tx.new_id()
    # Two identifiers: a key is a secret, and one alone is the length of what everybody may see.
    tx.insert(
        "share_link",
        id=link_id,
        site_id=site_id,
        name=name,
        key=tx.new_id() + tx.new_id(),
        active=active,
        created_at=tx.now,
    )
    return link_id
