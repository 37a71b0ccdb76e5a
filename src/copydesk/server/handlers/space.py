"""Spaces of an organization."""

from __future__ import annotations

import json
from typing import Any, Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.space import Space, SpaceCreate, SpaceMove, SpaceTransfer, SpaceUpdate
from copydesk.server.desk_writes import add_space
from copydesk.server.errors import conflict, forbidden, invalid, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.collection import check_recipient, check_target
from copydesk.server.queries.position import move_to
from copydesk.server.queries.publication import opens_space, publication_of, remember_publications
from copydesk.server.queries.space import (
    check_people,
    hand_over,
    may_restore,
    prepare_spaces,
    published_space_model,
    purge_trash,
    space_model,
)
from copydesk.server.queries.space_copy import copy_space, run_by_maker
from copydesk.server.store import to_json


@implements(ops.list_organization_spaces)
def list_organization_spaces(
    call: Call, organization_id: str, **paging: Unpack[Paging]
) -> Page[Space]:
    """Answer with the spaces that the caller can view; siblings are in their order."""
    call.access.organization(organization_id)
    return paginate(
        call.tx,
        lambda row: space_model(call, row),
        source="space",
        which=Conditions(
            "organization_id = ? AND deleted_at IS NULL "
            "AND id NOT IN (SELECT value FROM json_each(?))",
            organization_id,
            json.dumps(call.access.hidden_spaces(organization_id)),
        ),
        keys=("position", "id"),
        descending=False,
        paging=paging,
        prepare=lambda rows: prepare_spaces(call, rows),
    )


@implements(ops.create_space, takes="createContent")
def create_space(call: Call, organization_id: str, body: SpaceCreate) -> Space:
    """Create an empty space, last in its parent. Takes createContent, or create in the parent.

    Whoever creates one administers it.
    """
    if body.empty is False:
        raise invalid("body.empty: this desk makes spaces without pages only")
    purge_trash(call.tx)
    call.access.organization(organization_id)
    check_target(call, organization_id, body.parent)
    space_id = add_space(
        call.tx,
        organization_id,
        body.title or "Untitled",
        parent=body.parent,
        author=call.user_id,
        emoji=body.emoji or "",
        language=body.language,
        edit_mode=body.edit_mode or "live",
        visibility="private" if body.parent is None else "in-collection",
    )
    run_by_maker(call, space_id, organization_id)
    return space_model(call, call.changed("space", space_id))


@implements(ops.get_space)
def get_space(call: Call, space_id: str, *, share_key: str | None = None) -> Space:
    """Answer with a space and where readers find it; a share key opens its own site's address.

    To whoever can only read it on a published site, it answers with what readers get. In the trash
    it is there for those who may restore it. Raises a 404 for a key that opens none of its sites.
    """
    row = call.tx.get("space", id=space_id)
    remember_publications(call, (space_id,), share_key)
    if (
        row is None
        or call.access.level(row) is not None
        or not publication_of(call, space_id).readable
    ):
        restoring = row is not None and may_restore(call, row)
        row = call.access.space(space_id, deleted=restoring)
    if share_key is not None and not opens_space(call, space_id, share_key):
        raise not_found("active share link with the key", share_key)
    if call.access.level(row) is None:
        return published_space_model(call, row, share_key)
    return space_model(call, row)


@implements(ops.update_space, takes="admin")
def update_space(call: Call, space_id: str, body: SpaceUpdate) -> Space:
    row = call.access.space(space_id, "admin")
    changes: dict[str, Any] = {name: getattr(body, name) for name in body.model_fields_set}
    if "emoji" in changes:
        changes["emoji"] = body.emoji or ""
    if body.merge_rules is not None:
        rules = body.merge_rules.model_dump(mode="json", by_alias=True, exclude_none=True)
        check_people(call, row["organization_id"], rules)
        changes["merge_rules"] = to_json(rules)
    if changes:
        call.tx.update("space", space_id, **changes, updated_at=call.tx.now)
    return space_model(call, call.changed("space", space_id))


@implements(ops.delete_space, takes="admin")
def delete_space(call: Call, space_id: str) -> None:
    """Put a space in the trash.

    Raises a 403 also for who only reads it on a published site: it is not missing for them.
    """
    purge_trash(call.tx)
    row = call.tx.get("space", id=space_id)
    if row is None or row["deleted_at"] is not None:
        return call.was_missing()
    if call.access.level(row) is None:
        if publication_of(call, space_id).readable:
            raise forbidden("admin", f"the space {row['title']!r}")
        return call.was_missing()
    call.access.space(space_id, "admin")
    call.tx.update("space", space_id, deleted_at=call.tx.now, updated_at=call.tx.now)
    return None


@implements(ops.restore_space, takes="admin")
def restore_space(call: Call, space_id: str) -> Space:
    """Take a space out of the trash, within the days that it is kept.

    Raises a 409 for a space that is not deleted.
    """
    purge_trash(call.tx)
    row = call.access.space(space_id, "admin", deleted=True)
    if row["deleted_at"] is None:
        raise conflict("The space is not deleted: nothing would change.")
    call.tx.update("space", space_id, deleted_at=None, updated_at=call.tx.now)
    return space_model(call, call.changed("space", space_id))


@implements(ops.duplicate_space, takes="view")
def duplicate_space(call: Call, space_id: str) -> Space:
    """Copy a space's pages, files and settings into a new one right after it.

    Takes what creating a space there takes. Pages get identities of their own; change requests,
    comments and what was granted to people stay with the original.
    """
    return space_model(call, call.changed("space", copy_space(call, space_id)))


@implements(ops.move_space, takes="admin")
def move_space(call: Call, space_id: str, body: SpaceMove) -> Space:
    """Move a space. Takes admin on it, and the right to create where it goes.

    Without ``parent`` it stays in its own, without ``position`` it goes last. Raises a 400 for a
    position that is not there, a 404 for an unknown parent, a 409 when nothing moves.
    """
    row = call.access.space(space_id, "admin")
    parent_id = body.parent if "parent" in body.model_fields_set else row["parent_id"]
    if parent_id != row["parent_id"]:
        check_target(call, row["organization_id"], parent_id)
    position = move_to(call.tx, "space", row, parent_id, body.position)
    call.tx.update(
        "space", space_id, parent_id=parent_id, position=position, updated_at=call.tx.now
    )
    return space_model(call, call.changed("space", space_id))


@implements(ops.transfer_space, takes="admin")
def transfer_space(call: Call, space_id: str, body: SpaceTransfer) -> Space:
    """Hand a space over to another organization, last at its root.

    Takes admin on it and createContent there. Raises a 409 when it is there already, a 412 when a
    site shows it, a translation reads or writes it, or a merge rule names somebody who is not
    there.
    """
    row = call.access.space(space_id, "admin")
    check_recipient(call, row, body.organization)
    hand_over(call.tx, row, body.organization, None)
    if row["visibility"] == "in-collection":
        call.tx.update("space", space_id, visibility="private")
    return space_model(call, call.changed("space", space_id))
