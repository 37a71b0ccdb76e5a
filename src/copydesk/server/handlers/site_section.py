"""Sections of a site: their order, their paths and their defaults."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.site_section import (
    SiteSection,
    SiteSectionCreate,
    SiteSectionMove,
    SiteSectionUpdate,
)
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.site import (
    SiteView,
    check_default,
    check_path,
    find_section,
    fresh,
    site_to_read,
    site_view,
    space_to_show,
)
from copydesk.server.site_entries import Entries
from copydesk.server.site_structure import (
    remove_section,
    sections_of,
    set_default_site_space,
    site_spaces_of,
)
from copydesk.server.site_writes import add_section, add_site_space
from copydesk.server.store import Value


@implements(ops.list_site_sections)
def list_site_sections(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    share_key: str | None = None,
    **paging: Unpack[Paging],
) -> Page[SiteSection]:
    """List the sections of a site in their order, each with what it shows.

    Readers who are not of the organization get the published ones.
    """
    view = site_to_read(call, organization_id, site_id, share_key)
    which = Conditions("site_id = ?", site_id)
    if view.reading:
        which.also(
            "id IN (SELECT section_id FROM site_space JOIN space ON space.id = space_id "
            "WHERE deleted_at IS NULL AND NOT site_space.draft)"
        )
    return paginate(
        call.tx,
        view.section,
        source="site_section",
        which=which,
        keys=("position", "id"),
        descending=False,
        paging=paging,
        prepare=view.prepare_sections,
    )


@implements(ops.add_site_section, takes="createContent")
def add_site_section(
    call: Call, organization_id: str, site_id: str, body: SiteSectionCreate
) -> SiteSection:
    """Add a section after the others, with a space as its first variant.

    The first section of a site takes over what the site shows at its root; a space that is among
    that is not added once more.
    """
    view = site_view(call, organization_id, site_id, "createContent")
    space = space_to_show(call, view.site, body.space_id)
    title = body.title or space["title"] or "Untitled section"
    section_id = add_section(call.tx, site_id, title, icon=body.icon or None)
    inherited = site_spaces_of(site_id, section_id).rows(call.tx)
    if all(row["space_id"] != space["id"] for row in inherited):
        add_site_space(call.tx, site_id, space["id"], section=section_id)
    call.location = call.url("orgs", organization_id, "sites", site_id, "sections", section_id)
    return _answer(view, section_id)


@implements(ops.update_site_section, takes="createContent")
def update_site_section(
    call: Call, organization_id: str, site_id: str, site_section_id: str, body: SiteSectionUpdate
) -> SiteSection:
    """Change a section. An empty icon or description removes it."""
    view = site_view(call, organization_id, site_id, "createContent")
    section = find_section(call, view.site, site_section_id)
    changes: dict[str, Value] = {}
    if body.title is not None:
        changes["title"] = body.title
    if body.path is not None:
        check_path(call, sections_of(site_id), body.path, section["id"])
        changes["path"] = body.path
    if "condition" in body.model_fields_set:
        changes["condition"] = body.condition
    for name in body.model_fields_set & {"icon", "description"}:
        changes[name] = getattr(body, name) or None
    call.tx.update("site_section", section["id"], **changes)
    if body.default_site_space is not None:
        row = view.find_site_space(body.default_site_space)
        if row["shown_section"] != section["id"]:
            raise invalid("body.defaultSiteSpace: this site space is in another section")
        check_default(row)
        set_default_site_space(call.tx, site_id, section["id"], row["shown_id"])
    return _answer(view, section["id"])


@implements(ops.delete_site_section, takes="createContent")
def delete_site_section(
    call: Call, organization_id: str, site_id: str, site_section_id: str
) -> None:
    """Remove a section with what it shows; the content stays."""
    site_view(call, organization_id, site_id, "createContent")
    row = call.tx.get("site_section", id=site_section_id, site_id=site_id)
    if row is None:
        call.was_missing()
    else:
        remove_section(call.tx, row)


@implements(ops.move_site_section, takes="createContent")
def move_site_section(
    call: Call, organization_id: str, site_id: str, site_section_id: str, body: SiteSectionMove
) -> SiteSection:
    """Move a section next to another one, whose group it joins."""
    view = site_view(call, organization_id, site_id, "createContent")
    section = find_section(call, view.site, site_section_id)
    beside = find_section(call, view.site, body.position.anchor.site_section)
    if beside["id"] == section["id"]:
        raise invalid("body.position: a section cannot be next to itself")
    Entries(call.tx, site_id).place(section["id"], beside["id"], after=body.position.is_after)
    return _answer(view, section["id"])


def _answer(view: SiteView, section_id: str) -> SiteSection:
    now = fresh(view)
    return now.section(find_section(view.call, now.site, section_id))
