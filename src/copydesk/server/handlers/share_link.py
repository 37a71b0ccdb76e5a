"""Share links: secret addresses of a site. Whoever may edit the site may see and make them."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.share_link import ShareLink, ShareLinkCreate, ShareLinkUpdate
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.site import find_share_link, share_link_model
from copydesk.server.site_writes import add_share_link
from copydesk.server.store import Value


@implements(ops.list_share_links, takes="createContent")
def list_share_links(
    call: Call, organization_id: str, site_id: str, **paging: Unpack[Paging]
) -> Page[ShareLink]:
    site = call.access.site(organization_id, site_id, "createContent")
    return paginate(
        call.tx,
        lambda row: share_link_model(call, site, row),
        source="share_link",
        which=Conditions("site_id = ?", site_id),
        paging=paging,
    )


@implements(ops.create_share_link, takes="createContent")
def create_share_link(
    call: Call, organization_id: str, site_id: str, body: ShareLinkCreate
) -> ShareLink:
    """Create a share link; it is active at once."""
    site = call.access.site(organization_id, site_id, "createContent")
    link_id = add_share_link(call.tx, site_id, body.name)
    call.location = call.url("orgs", organization_id, "sites", site_id, "share-links", link_id)
    return share_link_model(call, site, find_share_link(call, site, link_id))


@implements(ops.update_share_link, takes="createContent")
def update_share_link(
    call: Call, organization_id: str, site_id: str, share_link_id: str, body: ShareLinkUpdate
) -> ShareLink:
    site = call.access.site(organization_id, site_id, "createContent")
    link = find_share_link(call, site, share_link_id)
    changes: dict[str, Value] = {}
    if body.name is not None:
        changes["name"] = body.name
    if body.active is not None:
        changes["active"] = body.active
    call.tx.update("share_link", link["id"], **changes)
    return share_link_model(call, site, find_share_link(call, site, link["id"]))


@implements(ops.delete_share_link, takes="createContent")
def delete_share_link(call: Call, organization_id: str, site_id: str, share_link_id: str) -> None:
    call.access.site(organization_id, site_id, "createContent")
    if not call.tx.run(
        "DELETE FROM share_link WHERE id = ? AND site_id = ?", share_link_id, site_id
    ):
        call.was_missing()
