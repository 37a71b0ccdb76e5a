"""The way back of writes on the tree of collections and spaces.

Every function returns a `Reversal`. Fields are wire names and values. No request is sent here.
Levels are ids of collections; the top is "".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, changed, ordered, swapped

Kind = Literal["collection", "space"]

LIST_LIMIT = 1000
"""A level is compared in its order where one page holds the whole list."""

NEAR = 20
"""So many spaces on either side are kept to find the place of one again."""

WORK = ("changeRequestsOpen", "changeRequestsDraft", "comments")
"""How much others do in a space, by wire name: there is none of it in one that was just made."""

WORKED_IN = "it is gone by now, or someone works in it: it has change requests or comments"

TRASH_NOTE = "In the trash, for 7 days."


def settings_changed(
    kind: Kind, row: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of other settings of a collection or a space."""
    return changed(f"update_{kind}", f"get_{kind}", {f"{kind}_id": row}, before, after)


def collection_made(organization: str, row: str, *, title: str) -> Reversal:
    """Return the way back of a new collection: it is deleted, while nothing is in it."""
    read = Step(
        "list_organization_collections", {"organization_id": organization, "limit": LIST_LIMIT}
    )
    there: dict[str, JSON] = {f"items[id={row}].id": [row], f"items[id={row}].title": [title]}
    return Reversal(
        (Step("delete_collection", {"collection_id": row}),),
        (),
        Expectation(read, there, said="it is gone or has another title by now"),
        Expectation(read, {f"items[id={row}].id": []}),
    )


def space_made(organization: str, row: str, *, listed: bool = True) -> Reversal:
    """Return the way back of a new space, or of a copy: it goes to the trash.

    Where the service lists spaces (``listed``) it is looked for there, which also finds one whose
    making had no answer.
    """
    ids = {"space_id": row}
    if listed:
        read = Step(
            "list_organization_spaces", {"organization_id": organization, "limit": LIST_LIMIT}
        )
        fields: dict[str, JSON] = {f"items[id={row}].id": [row]}
        fields |= {f"items[id={row}].{name}": [0] for name in WORK}
        there = Expectation(read, fields, said=WORKED_IN)
        before = Expectation(read, {f"items[id={row}].id": []})
        return Reversal((Step("delete_space", ids),), (), there, before, TRASH_NOTE)
    fields = {"deletedAt~set": False, **dict.fromkeys(WORK, 0)}
    there = Expectation(Step("get_space", ids), fields, said=WORKED_IN)
    return Reversal((Step("delete_space", ids),), (), there, None, TRASH_NOTE)


def space_deleted(row: str, *, deleted: bool = True, home: str = "") -> Reversal:
    """Return the way back of putting a space in the trash, or (``deleted`` False) of restoring it.

    One in the trash is still read, by those who may restore it. ``home`` says where it comes back
    to when what it was in is deleted for good along with it.
    """
    ids = {"space_id": row}
    read = Step("get_space", ids)

    def turn(to: bool) -> tuple[Step, ...]:
        return (Step("delete_space" if to else "restore_space", ids),)

    def there(is_so: bool) -> Expectation:
        said = f"it was {'restored' if is_so else 'deleted'} since"
        return Expectation(read, {"deletedAt~set": is_so}, said=said)

    note = f"What it was in is gone: it is {home} now." if home else ""
    note = note if deleted else TRASH_NOTE
    return swapped(turn, there, not deleted, deleted, note)


def move_body(level: str, side: str = "", anchor: str = "") -> dict[str, JSON]:
    """Return the body of a request that moves something; without an anchor it goes last."""
    body: dict[str, JSON] = {"parent": level or None}
    if anchor:
        body["position"] = {side: {"type": "space", "space": anchor}}
    return body


def space_moved(
    organization: str,
    row: str,
    body: Mapping[str, JSON],
    before: tuple[str, Sequence[str]],
    after: tuple[str, Sequence[str]],
    *,
    without: Collection[str] = (),
    listed: bool = True,
    again: tuple[Step, ...] = (),
) -> Reversal:
    """Return the way back of the move of a space that ``body`` asks for.

    ``before`` and ``after`` are its levels, each with the order of the spaces there while it was
    (is) in it. ``without`` are spaces that the same plan deletes later. Unless the order is
    ``listed`` only the level of the space can be read. ``again`` are steps that follow on the way
    back.
    """
    ids = {"space_id": row}
    (home, was), (level, now) = before, after

    def there(where: str, order: Sequence[str]) -> Expectation | None:
        said = "it was moved, or the order was changed since"
        if listed:
            read, path = _spaces_read(organization, where)
            return ordered(read, path, order, row, without, said=said)
        if home == level:
            return None  # a read that says nothing of the order would only mislead
        return Expectation(Step("get_space", ids), {"parent": where}, said="it was moved since")

    return Reversal(
        (put_again(organization, row, home, was), *again),
        (Step("move_space", ids, dict(body)),),
        there(level, now),
        there(home, was),
    )


def put_again(organization: str, row: str, level: str, order: Sequence[str]) -> Step:
    """Return the step that puts a space where it was in a level, beside who is still there."""
    at = list(order).index(row)
    near = list(order[max(0, at - NEAR) : at + NEAR + 1])
    arguments = {"organization_id": organization, "space_id": row, "parent": level, "order": near}
    return Step("local.put_space", arguments)


def _spaces_read(organization: str, level: str) -> tuple[Step, str]:
    """Return what lists the spaces of a level, and the path of their ids in the answer."""
    if level:
        step = Step("list_collection_spaces", {"collection_id": level, "limit": LIST_LIMIT})
        return step, "items[].id"
    step = Step("list_organization_spaces", {"organization_id": organization, "limit": LIST_LIMIT})
    return step, "items[parent=].id"


def collection_entered(
    organization: str,
    row: str,
    body: Mapping[str, JSON],
    level: str,
    before: tuple[str, Sequence[str]],
    *,
    anchored: bool = True,
) -> Reversal:
    """Return the way back of moving a collection into ``level``.

    ``before`` is where it was, with the order of the collections there, which takes a space in that
    level to be made again (``anchored``).
    """
    ids = {"collection_id": row}
    home, was = before
    read = Step("get_collection", ids)
    back = [Step("move_collection", ids, move_body(home))]
    note = ""
    if was[-1] != row:
        back += order_again(organization, home, was) if anchored else ()
        note = "" if anchored else "Now the last collection there."

    def there(where: str) -> Expectation:
        return Expectation(read, {"parent": where}, said="it was moved since")

    forth = (Step("move_collection", ids, dict(body)),)
    return Reversal(tuple(back), forth, there(level), there(home), note)


def line_up(row: str, level: str, anchor: str) -> Step:
    """Return the step that puts a collection directly before a space of its level.

    It may stand there already, which the service refuses (409) and which is as good: no answer says
    beforehand.
    """
    return Step("local.line_up", {"collection_id": row, "parent": level, "anchor": anchor})


def order_again(organization: str, level: str, order: Sequence[str]) -> tuple[Step, ...]:
    """Return the step that brings the collections of a level into an order, if they are in none."""
    arguments = {"organization_id": organization, "parent": level, "order": list(order)}
    return (Step("local.order_collections", arguments),)


def collections_lined_up(
    organization: str,
    step: Step,
    level: str,
    before: Sequence[str],
    after: Sequence[str] | None,
    *,
    without: Collection[str] = (),
) -> Reversal:
    """Return the way back of putting a collection in line (`line_up`).

    ``before`` is the order of the collections of the level before any of them was moved. ``after``
    is their order once the last one stands in line; None for the others, about whose order nothing
    is sure until then. ``without`` are those that leave the level later.
    """
    still = None
    if after is not None:
        read = Step(
            "list_organization_collections", {"organization_id": organization, "limit": LIST_LIMIT}
        )
        still = Expectation(
            read,
            {f"items[parent={level}].id": list(after)},
            said="the order was changed since",
            without=tuple(without),
        )
    return Reversal(order_again(organization, level, before), (step,), still)
