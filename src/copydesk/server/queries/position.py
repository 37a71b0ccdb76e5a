"""The order of spaces and collections among their siblings.

Both share one sequence of numbers below a collection or the root.
"""

from __future__ import annotations

from typing import Literal

from copydesk.contract.models.position import SpacePosition
from copydesk.server.desk_writes import last_position
from copydesk.server.errors import conflict, invalid
from copydesk.server.positions import position_at
from copydesk.server.store import Row, Tx

Table = Literal["space", "collection"]

_SIBLINGS = (
    "SELECT 'space' AS kind, id, position, deleted_at FROM space "
    "WHERE organization_id = ?1 AND parent_id IS ?2 UNION ALL "
    "SELECT 'collection', id, position, NULL FROM collection "
    "WHERE organization_id = ?1 AND parent_id IS ?2 ORDER BY position, id"
)


def place_after(tx: Tx, row: Row, moved_id: str) -> float:
    """Return a number for a sibling of a space or collection that puts it directly after."""
    siblings = _siblings(tx, row["organization_id"], row["parent_id"])
    others = [sibling for sibling in siblings if sibling["id"] != moved_id]
    index = [sibling["id"] for sibling in others].index(row["id"])
    return _number(tx, others, index + 1)


def move_to(
    tx: Tx, table: Table, row: Row, parent_id: str | None, position: SpacePosition | None
) -> float:
    """Return a number that puts a space or collection next to what ``position`` names, else last.

    Raises a 400 when that is not below the target, a 409 when it would stay where it is.
    """
    stays = row["parent_id"] == parent_id
    if position is None:
        if stays:
            raise conflict(f"The {table} is there already: nothing would change.")
        return last_position(tx, row["organization_id"], parent_id)
    siblings = _siblings(tx, row["organization_id"], parent_id)
    order = [sibling["id"] for sibling in siblings]
    others = [sibling for sibling in siblings if sibling["id"] != row["id"]]
    anchor, side = position.anchor, "after" if position.is_after else "before"
    beside = anchor.space if anchor.type == "space" else anchor.collection
    index = next(
        (
            i
            for i, sibling in enumerate(others)
            if sibling["id"] == beside
            and sibling["kind"] == anchor.type
            and sibling["deleted_at"] is None
        ),
        None,
    )
    if index is None:
        raise invalid(
            f"body.position.{side}.{anchor.type}: {beside[:100]!r} is not another {anchor.type}"
            " where this moves to"
        )
    target = index + position.is_after
    moved = [sibling["id"] for sibling in others]
    moved.insert(target, row["id"])
    if stays and moved == order:
        raise conflict(f"The {table} is there already: nothing would change.")
    return _number(tx, others, target)


def _number(tx: Tx, siblings: list[Row], index: int) -> float:
    return position_at(tx, [(row["kind"], row) for row in siblings], index)


def _siblings(tx: Tx, organization_id: str, parent_id: str | None) -> list[Row]:
    return tx.all(_SIBLINGS, organization_id, parent_id)
