"""Spaces as a site shows them."""

from __future__ import annotations

import json
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.site_space import (
    SiteSpace,
    SiteSpaceCreate,
    SiteSpaceMove,
    SiteSpaceUpdate,
)
from copydesk.server.errors import blocked, conflict, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import paginate
from copydesk.server.queries.publication import SHOWN, SHOWN_KEYS
from copydesk.server.queries.site import (
    check_path,
    find_section,
    fresh,
    refuse_twice,
    site_to_read,
    site_view,
    space_to_show,
)
from copydesk.server.site_structure import remove_site_space, site_spaces_of
from copydesk.server.site_writes import add_site_space as put_site_space
from copydesk.server.store import Value


@implements(ops.list_site_spaces)
def list_site_spaces(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    share_key: str | None = None,
    default: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[SiteSpace]:
    """List what a site shows, section by section in order; a trashed space has its deletedAt.

    Readers who are not of the organization get the published ones.
    """
    view = site_to_read(call, organization_id, site_id, share_key)
    given = view.seen
    firsts = json.dumps(list(view.defaults.values()))
    given.also("(shown_id IN (SELECT value FROM json_each(?))) = ?", firsts, default)
    return paginate(
        call.tx,
        view.site_space,
        source=SHOWN,
        which=given,
        keys=SHOWN_KEYS,
        descending=False,
        paging=paging,
        prepare=view.prepare,
    )


@implements(ops.add_site_space, takes="createContent")
def add_site_space(
    call: Call, organization_id: str, site_id: str, body: SiteSpaceCreate
) -> SiteSpace:
    """Show a space after its siblings. A space stands there once: again is a 409."""
    view = site_view(call, organization_id, site_id, "createContent")
    section_id = view.site["default_section_id"]
    if body.section_id is not None:
        section_id = find_section(call, view.site, body.section_id)["id"]
    space = space_to_show(call, view.site, body.space_id)
    refuse_twice(call, site_spaces_of(site_id, section_id), space)
    key = put_site_space(call.tx, site_id, space["id"], section=section_id)
    call.location = call.url("orgs", organization_id, "sites", site_id, "site-spaces", key)
    return fresh(view).site_space_by_id(key)


@implements(ops.update_site_space, takes="createContent")
def update_site_space(
    call: Call, organization_id: str, site_id: str, site_space_id: str, body: SiteSpaceUpdate
) -> SiteSpace:
    view = site_view(call, organization_id, site_id, "createContent")
    row = view.find_site_space(site_space_id)
    siblings = site_spaces_of(site_id, row["shown_section"])
    changes: dict[str, Value] = {}
    if body.path is not None:
        check_path(call, siblings, body.path, row["shown_id"])
        changes["path"] = body.path
    if "condition" in body.model_fields_set:
        changes["condition"] = body.condition
    if body.hidden is not None:
        if body.hidden and row["shown_default"]:
            raise conflict(
                "Readers land on this site space: make another one the default before you hide it."
            )
        changes["hidden"] = body.hidden
    if body.space_id is not None and body.space_id != row["id"]:
        space = space_to_show(call, view.site, body.space_id)
        refuse_twice(call, siblings, space)
        # A title of its own belonged to the space that was shown until now.
        changes |= {"space_id": space["id"], "title": ""}
    call.tx.update("site_space", row["shown_id"], **changes)
    return fresh(view).site_space_by_id(row["shown_id"])


@implements(ops.delete_site_space, takes="createContent")
def delete_site_space(call: Call, organization_id: str, site_id: str, site_space_id: str) -> None:
    """Stop showing a space; its content stays. The only one of a section goes with the section."""
    view = site_view(call, organization_id, site_id, "createContent")
    row = view.lookup(site_space_id)
    if row is None:
        call.was_missing()
        return
    siblings = site_spaces_of(site_id, row["shown_section"]).rows(call.tx)
    if row["shown_section"] is not None and len(siblings) == 1:
        raise blocked("A section shows at least one space; delete the section instead.")
    remove_site_space(call.tx, next(one for one in siblings if one["id"] == site_space_id))


@implements(ops.move_site_space, takes="createContent")
def move_site_space(
    call: Call, organization_id: str, site_id: str, site_space_id: str, body: SiteSpaceMove
) -> SiteSpace:
    """Move a site space next to another one of the same section."""
    view = site_view(call, organization_id, site_id, "createContent")
    row = view.find_site_space(site_space_id)
    beside = view.find_site_space(body.position.anchor.site_space)
    if beside["shown_id"] == row["shown_id"]:
        raise invalid("body.position: a site space cannot be next to itself")
    view.move_beside(row, beside, after=body.position.is_after)
    return fresh(view).site_space_by_id(row["shown_id"])
