"""The structure of a site as one: order, groups of sections, links to elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Unpack

from pydantic import BaseModel

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.position import StructurePointer
from copydesk.contract.models.site_space import SiteSpace
from copydesk.contract.models.site_structure import (
    ExternalLinkCreate,
    ExternalLinkUpdate,
    SectionGroupCreate,
    SectionGroupUpdate,
    SiteExternalLink,
    SiteSectionGroup,
    SiteSpaceDuplicate,
    SiteStructure,
    StructureItem,
    StructureSort,
)
from copydesk.server.errors import Refusal, blocked, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.site import SiteView, find_section, fresh, site_to_read, site_view
from copydesk.server.queries.site_structure import SiteTree, find_group, find_link, link_model
from copydesk.server.queries.space_copy import copy_space
from copydesk.server.site_entries import Entries, end_of, remove_group
from copydesk.server.site_structure import site_spaces_of
from copydesk.server.site_writes import add_site_space
from copydesk.server.store import Row, Value, to_json


@implements(ops.get_site_structure)
def get_site_structure(
    call: Call, organization_id: str, site_id: str, *, share_key: str | None = None
) -> SiteStructure:
    """Get the structure. Readers from outside the organization get its published part."""
    return SiteTree(site_to_read(call, organization_id, site_id, share_key)).model()


@implements(ops.sort_site_structure, takes="createContent")
def sort_site_structure(
    call: Call, organization_id: str, site_id: str, body: StructureSort
) -> StructureItem | None:
    """Move an entry next to another one. A site space stays in its section."""
    view = site_view(call, organization_id, site_id, "createContent")
    anchor, after = body.position.anchor, body.position.is_after
    if anchor.id == body.item.id:
        raise invalid("body.position: nothing can be next to itself")
    if body.item.type == "site-space":
        return _sort_site_space(view, body.item.id, anchor, after=after)
    _find(view, body.item)
    if anchor.type == "site-space":
        raise invalid("body.position: only another site space goes next to a site space")
    _find(view, anchor)
    Entries(call.tx, site_id).place(body.item.id, anchor.id, after=after)
    return _item(fresh(view), body.item)


def _sort_site_space(
    view: SiteView, key: str, anchor: StructurePointer, *, after: bool
) -> SiteSpace:
    row = view.find_site_space(key)
    if anchor.type != "site-space":
        raise invalid("body.position: a site space goes next to another one of its section")
    view.move_beside(row, view.find_site_space(anchor.id), after=after)
    return fresh(view).site_space_by_id(key)


def _find(view: SiteView, pointer: StructurePointer) -> Row:
    """Return the row of a section, a group or a link, or raise a 404."""
    find = {
        "site-section": find_section,
        "site-section-group": find_group,
        "site-external-link": find_link,
    }[pointer.type]
    return find(view.call, view.site, pointer.id)


def _item(view: SiteView, pointer: StructurePointer) -> StructureItem:
    row = _find(view, pointer)
    if pointer.type == "site-section":
        return view.section(row)
    return link_model(row) if pointer.type == "site-external-link" else SiteTree(view).group(row)


def _check_named(
    view: SiteView, field: str, find: Callable[[Call, Row, str], Row], key: str
) -> None:
    """Raise a 400 that names the field of the body where ``find`` finds nothing on the site."""
    try:
        find(view.call, view.site, key)
    except Refusal as refusal:
        raise invalid(f"{field}: {refusal.message}") from None


# Groups


@implements(ops.list_site_section_groups)
def list_site_section_groups(
    call: Call, organization_id: str, site_id: str, **paging: Unpack[Paging]
) -> Page[SiteSectionGroup]:
    """List all groups of a site in its order, each with its members."""
    tree = SiteTree(site_view(call, organization_id, site_id))
    return paginate(
        call.tx,
        tree.group,
        source="section_group",
        which=Conditions("site_id = ?", site_id),
        keys=("position", "id"),
        descending=False,
        paging=paging,
    )


@implements(ops.add_site_section_group, takes="createContent")
def add_site_section_group(
    call: Call, organization_id: str, site_id: str, body: SectionGroupCreate
) -> SiteSectionGroup:
    """Add a group after all that stands beside it; its sections come to it in their order there."""
    view = site_view(call, organization_id, site_id, "createContent")
    _check_parent(view, body.parent)
    for each in body.sections or ():
        _check_named(view, "body.sections", find_section, each)
    key = _add(call, "section_group", site_id, body, ("title", "icon", "draft"))
    Entries(call.tx, site_id).append(body.parent, key)
    if body.sections:
        Entries(call.tx, site_id).append(key, *dict.fromkeys(body.sections))
    call.location = call.url("orgs", organization_id, "sites", site_id, "section-groups", key)
    return SiteTree(fresh(view)).group(find_group(call, view.site, key))


@implements(ops.update_site_section_group, takes="createContent")
def update_site_section_group(
    call: Call, organization_id: str, site_id: str, site_section_group_id: str,
    body: SectionGroupUpdate,
) -> SiteSectionGroup | None:  # fmt: skip
    """Change a group. In another group, or at the top, it goes last. An empty icon removes it."""
    view = site_view(call, organization_id, site_id, "createContent")
    row = find_group(call, view.site, site_section_group_id)
    names = ("title", "localized_title", "icon", "draft")
    call.tx.update("section_group", row["id"], **_columns(body, names))
    if "parent_section_group_id" in body.model_fields_set:
        parent = body.parent_section_group_id
        _move_into(view, row["id"], row["parent_id"], parent, "body.parentSectionGroupId")
    return SiteTree(fresh(view)).group(find_group(call, view.site, row["id"]))


@implements(ops.delete_site_section_group, takes="createContent")
def delete_site_section_group(
    call: Call, organization_id: str, site_id: str, site_section_group_id: str
) -> None:
    """Remove a group; its members take its place."""
    site_view(call, organization_id, site_id, "createContent")
    row = call.tx.get("section_group", id=site_section_group_id, site_id=site_id)
    if row is None:
        call.was_missing()
    else:
        remove_group(call.tx, row["id"], row["parent_id"])


# Links


_LINK = (
    "title", "localized_title", "description", "localized_description", "icon", "url", "draft",
    "condition",
)  # fmt: skip


@implements(ops.add_site_external_link, takes="createContent")
def add_site_external_link(
    call: Call, organization_id: str, site_id: str, body: ExternalLinkCreate
) -> SiteExternalLink:
    """Add a link after all that stands beside it."""
    view = site_view(call, organization_id, site_id, "createContent")
    _check_parent(view, body.parent)
    key = _add(call, "site_link", site_id, body, _LINK)
    Entries(call.tx, site_id).append(body.parent, key)
    call.location = call.url("orgs", organization_id, "sites", site_id, "external-links", key)
    return link_model(find_link(call, view.site, key))


@implements(ops.update_site_external_link, takes="createContent")
def update_site_external_link(
    call: Call, organization_id: str, site_id: str, site_external_link_id: str,
    body: ExternalLinkUpdate,
) -> SiteExternalLink | None:  # fmt: skip
    """Change a link. In another group, or at the top, it goes last. An empty text removes it."""
    view = site_view(call, organization_id, site_id, "createContent")
    row = find_link(call, view.site, site_external_link_id)
    call.tx.update("site_link", row["id"], **_columns(body, _LINK))
    if "parent" in body.model_fields_set:
        _move_into(view, row["id"], row["group_id"], body.parent, "body.parent")
    return link_model(find_link(call, view.site, row["id"]))


@implements(ops.delete_site_external_link, takes="createContent")
def delete_site_external_link(
    call: Call, organization_id: str, site_id: str, site_external_link_id: str
) -> None:
    site_view(call, organization_id, site_id, "createContent")
    gone = call.tx.run(
        "DELETE FROM site_link WHERE id = ? AND site_id = ?", site_external_link_id, site_id
    )
    if not gone:
        call.was_missing()


def _check_parent(view: SiteView, parent: str | None) -> None:
    """Raise a 400 for a group that is not there to add something to.

    Raises a 412 for a site that shows spaces without sections: it has nothing to group.
    """
    if view.site["default_section_id"] is None:
        raise blocked("The site has no sections: groups and links go between those. Add one first.")
    if parent is not None:
        _check_named(view, "body.parent", find_group, parent)


def _columns(body: BaseModel, names: Collection[str]) -> dict[str, Value]:
    """Return the columns for the fields that a body sets; an empty text becomes NULL."""
    found: dict[str, Value] = {}
    for name in names:
        if name in body.model_fields_set:
            value = getattr(body, name)
            found[name] = to_json(value) if isinstance(value, dict) else value or None
    if "draft" in found:
        found["draft"] = bool(found["draft"])
    return found


def _add(call: Call, table: str, site_id: str, body: BaseModel, names: Collection[str]) -> str:
    position = end_of(call.tx, site_id)
    return call.tx.add(table, site_id=site_id, position=position, **_columns(body, names))


def _move_into(view: SiteView, key: str, was: str | None, parent: str | None, field: str) -> None:
    if parent is not None:
        _check_named(view, field, find_group, parent)
    if parent != was:
        Entries(view.call.tx, view.site["id"]).append(parent, key)


# A copy of a site space


@implements(ops.duplicate_site_space, takes="createContent")
def duplicate_site_space(
    call: Call, organization_id: str, site_id: str, site_space_id: str, body: SiteSpaceDuplicate
) -> SiteSpace:
    """Copy a space as ``duplicate_space`` does, and show the copy right after the original.

    The condition comes with it; the path is one of its own.
    """
    view = site_view(call, organization_id, site_id, "createContent")
    row = view.find_site_space(site_space_id)
    call.access.space(row["id"])
    space_id = copy_space(call, row["id"])
    section = row["shown_section"]
    key = add_site_space(
        call.tx, site_id, space_id, section=section, condition=row["shown_condition"],
        hidden=bool(row["shown_hidden"]),
    )  # fmt: skip
    position = site_spaces_of(site_id, section).beside(call.tx, row["shown_id"], key, after=True)
    call.tx.update("site_space", key, position=position, draft=body.draft)
    call.location = call.url("orgs", organization_id, "sites", site_id, "site-spaces", key)
    return fresh(view).site_space_by_id(key)
