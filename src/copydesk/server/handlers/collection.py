"""Collections of an organization.

Only an empty collection is deleted: what happens to the spaces of another is not documented, and
losing them with their folder would be the worst of the answers.
"""

from __future__ import annotations

import json
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.collection import (
    Collection,
    CollectionCreate,
    CollectionMove,
    CollectionTransfer,
    CollectionUpdate,
)
from copydesk.contract.models.space import Space
from copydesk.server.desk_writes import add_collection, grant, last_position
from copydesk.server.errors import blocked, forbidden, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.collection import (
    below,
    check_recipient,
    check_target,
    collection_model,
    hidden_collections,
)
from copydesk.server.queries.position import move_to
from copydesk.server.queries.space import forget_strangers, hand_over, prepare_spaces, space_model
from copydesk.server.store import Row


@implements(ops.list_organization_collections)
def list_organization_collections(
    call: Call, organization_id: str, *, nested: bool = True, **paging: Unpack[Paging]
) -> Page[Collection]:
    """Answer with the collections that the caller can view; siblings are in their order."""
    call.access.organization(organization_id)
    hidden = json.dumps(hidden_collections(call, organization_id))
    which = Conditions("organization_id = ?", organization_id)
    which.also("id NOT IN (SELECT value FROM json_each(?))", hidden)
    if not nested:
        which.also("parent_id IS NULL")
    return paginate(
        call.tx,
        lambda row: collection_model(call, row),
        source="collection",
        which=which,
        keys=("position", "id"),
        descending=False,
        paging=paging,
    )


@implements(ops.create_collection, takes="createContent")
def create_collection(call: Call, organization_id: str, body: CollectionCreate) -> Collection:
    """Create a collection, last in its parent. Takes createContent, or create in the parent.

    Whoever creates one administers it.
    """
    call.access.organization(organization_id)
    check_target(call, organization_id, body.parent)
    collection_id = add_collection(
        call.tx, organization_id, body.title or "Untitled", parent=body.parent
    )
    if call.access.role(organization_id) != "admin":
        grant(call.tx, collection_id, call.user_id, "admin")
    return collection_model(call, call.changed("collection", collection_id))


@implements(ops.get_collection, short=True)
def get_collection(call: Call, collection_id: str) -> Collection:
    return collection_model(call, call.access.collection(collection_id))


@implements(ops.update_collection, takes="admin")
def update_collection(call: Call, collection_id: str, body: CollectionUpdate) -> Collection:
    call.access.collection(collection_id, "admin")
    changes = {name: getattr(body, name) for name in body.model_fields_set}
    call.tx.update("collection", collection_id, **changes)
    return collection_model(call, call.changed("collection", collection_id))


@implements(ops.delete_collection, takes="admin")
def delete_collection(call: Call, collection_id: str) -> None:
    """Delete an empty collection.

    Deleted spaces that were in it stay restorable, in the collection above. Raises a 412 when there
    is anything else in it.
    """
    row = call.tx.get("collection", id=collection_id)
    if row is None or call.access.level(row) is None:
        return call.was_missing()
    call.access.collection(collection_id, "admin")
    _refuse_full(call, row)
    parent: str | None = row["parent_id"]
    for space in call.tx.all("SELECT id FROM space WHERE parent_id = ?", collection_id):
        position = last_position(call.tx, row["organization_id"], parent)
        call.tx.update("space", space["id"], parent_id=parent, position=position)
        if parent is None:
            call.tx.run(
                "UPDATE space SET visibility = 'private' "
                "WHERE id = ? AND visibility = 'in-collection'",
                space["id"],
            )
    call.tx.run("DELETE FROM access_grant WHERE container_id = ?", collection_id)
    call.tx.run("DELETE FROM collection WHERE id = ?", collection_id)
    return None


@implements(ops.list_collection_spaces)
def list_collection_spaces(call: Call, collection_id: str, **paging: Unpack[Paging]) -> Page[Space]:
    """Answer with the spaces directly in a collection that the caller can view, in their order."""
    collection = call.access.collection(collection_id)
    hidden = call.access.hidden_spaces(collection["organization_id"])
    return paginate(
        call.tx,
        lambda row: space_model(call, row),
        source="space",
        which=Conditions(
            "organization_id = ? AND parent_id = ? AND deleted_at IS NULL "
            "AND id NOT IN (SELECT value FROM json_each(?))",
            collection["organization_id"],
            collection_id,
            json.dumps(hidden),
        ),
        keys=("position", "id"),
        descending=False,
        paging=paging,
        prepare=lambda rows: prepare_spaces(call, rows),
    )


@implements(ops.move_collection, takes="admin")
def move_collection(call: Call, collection_id: str, body: CollectionMove) -> Collection:
    """Move a collection. Takes admin on it, and the right to create where it goes.

    Without ``parent`` it stays in its own, without ``position`` it goes last. Raises a 400 for a
    position that is not there or a place inside itself, a 404 for an unknown parent, a 409 when
    nothing moves.
    """
    row = call.access.collection(collection_id, "admin")
    parent_id = body.parent if "parent" in body.model_fields_set else row["parent_id"]
    if parent_id != row["parent_id"]:
        check_target(call, row["organization_id"], parent_id)
    if parent_id in below(call.tx, collection_id):
        raise invalid("body.parent: a collection cannot go into itself or into one inside it")
    position = move_to(call.tx, "collection", row, parent_id, body.position)
    call.tx.update("collection", collection_id, parent_id=parent_id, position=position)
    return collection_model(call, call.changed("collection", collection_id))


@implements(ops.transfer_collection, takes="admin")
def transfer_collection(call: Call, collection_id: str, body: CollectionTransfer) -> Collection:
    """Hand a collection with everything in it over to another organization, last at its root.

    Takes admin on it and on every space in it, and createContent there. Raises a 409 when it is
    there already and a 412 when a space in it cannot move.
    """
    row = call.access.collection(collection_id, "admin")
    check_recipient(call, row, body.organization)
    inside = below(call.tx, collection_id)
    for key in inside:
        for space in call.tx.all("SELECT * FROM space WHERE parent_id = ? ORDER BY position", key):
            if call.access.level(space) != "admin":
                raise forbidden("admin", "every space in the collection")
            hand_over(call.tx, space, body.organization, key)
    for key in inside:
        call.tx.update("collection", key, organization_id=body.organization)
        forget_strangers(call.tx, key, body.organization)
    call.tx.update(
        "collection",
        collection_id,
        parent_id=None,
        position=last_position(call.tx, body.organization, None),
    )
    return collection_model(call, call.changed("collection", collection_id))


def _refuse_full(call: Call, row: Row) -> None:
    spaces = call.tx.value(
        "SELECT count(*) FROM space WHERE parent_id = ? AND deleted_at IS NULL", row["id"]
    )
    collections = call.tx.value("SELECT count(*) FROM collection WHERE parent_id = ?", row["id"])
    if spaces or collections:
        parts = [
            f"{count} {noun}{'' if count == 1 else 's'}"
            for count, noun in ((spaces, "space"), (collections, "collection"))
            if count
        ]
        raise blocked(
            f"The collection {row['title']!r} holds {' and '.join(parts)}. "
            "Move or delete what is in it first."
        )
