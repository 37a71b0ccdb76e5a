"""Putting things in another order: staged moves, and the fewest requests that make them.

The API moves one item at a time, before or after a sibling (platform-api.md, moves of sections and
site spaces), so a new order is sent as moves of the items that are not already in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Side = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Move:
    """Put item ``id`` directly before or after its sibling ``anchor``."""

    id: str
    side: Side
    anchor: str


def moved(ids: Sequence[str], picked: Collection[str], delta: int) -> list[str]:
    """Return the order after moving the picked items ``delta`` places down (up when negative).

    Items picked side by side move as one block. An item stops at the end of the list, and behind a
    picked one that stopped.
    """
    order = list(ids)
    chosen = set(picked)
    step = 1 if delta > 0 else -1
    places = range(len(order) - 2, -1, -1) if step > 0 else range(1, len(order))
    for _ in range(abs(delta)):
        still = True
        for place in places:
            other = place + step
            if order[place] in chosen and order[other] not in chosen:
                order[place], order[other] = order[other], order[place]
                still = False
        if still:
            break
    return order


def place(
    ids: Sequence[str], picked: Collection[str], target: str, *, after: bool = True
) -> list[str]:
    """Return the order with the picked items as one block below ``target``, or above it.

    They keep their own order. Where ``target`` is picked itself, the others gather around it.
    Raises ``ValueError`` when ``target`` is not in the list.
    """
    if target not in ids:
        raise ValueError(f"{target} is not among the items to place at")
    chosen = set(picked)
    block = [item for item in ids if item in chosen]
    start: list[str] = []
    end: list[str] = []
    side = start
    for item in ids:
        if item == target and (not after or target in chosen):
            side = end
        if item not in chosen:
            side.append(item)
        if item == target:
            side = end
    return [*start, *block, *end]


def kept(before: Sequence[str], after: Sequence[str]) -> frozenset[str]:
    """Return the largest set of shared items that stand in the same order in both lists.

    The others are what moved. Items in one list only are left out.
    """
    rank = {item: place for place, item in enumerate(after)}
    items = [item for item in before if item in rank]
    ends: list[int] = []  # the lowest rank that an increasing run of each length can end in
    tails: list[int] = []  # where in items that run ends
    previous: list[int] = []
    for place_, item in enumerate(items):
        length = bisect_left(ends, rank[item])
        previous.append(tails[length - 1] if length else -1)
        if length == len(ends):
            ends.append(rank[item])
            tails.append(place_)
        else:
            ends[length], tails[length] = rank[item], place_
    run: list[str] = []
    at = tails[-1] if tails else -1
    while at >= 0:
        run.append(items[at])
        at = previous[at]
    return frozenset(run)


def plan(before: Sequence[str], after: Sequence[str]) -> list[Move]:
    """Return the fewest single moves that turn one order into the other, to be sent in this order.

    Raises ``ValueError`` when the two do not hold the same items, each once.
    """
    if len(set(before)) != len(before) or sorted(before) != sorted(after):
        raise ValueError("an order can only be planned between the same items, each once")
    stay = kept(before, after)
    first = next((item for item in after if item in stay), None)
    moves: list[Move] = []
    for place_, item in enumerate(after):
        if item in stay:
            continue
        if place_:
            moves.append(Move(item, "after", after[place_ - 1]))
        elif first is not None:
            moves.append(Move(item, "before", first))
    return moves


def applied(ids: Sequence[str], moves: Iterable[Move]) -> list[str]:
    """Return the order after the moves.

    Raises ``ValueError`` for a move of, or next to, something that is not in the list.
    """
    order = list(ids)
    for move in moves:
        order.remove(move.id)
        order.insert(order.index(move.anchor) + (move.side == "after"), move.id)
    return order
