"""Putting things in another order: staged moves, and the fewest requests that make them.

The API moves one item at a time, before or after a sibling, so a new order is sent as moves of the
items that are not already in order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from copydesk.domain.late_dataclass import dataclass

Side = Literal["before", "after"]

_NOT_THE_SAME = (
    "an order can only be planned between the same items, each once, the fixed ones kept"
)


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


def kept(
    before: Sequence[str], after: Sequence[str], touched: Collection[str] = ()
) -> frozenset[str]:
    """Return the largest set of shared items that stand in the same order in both lists.

    The others are what moved; of several such sets it is one with few of the ``touched`` items.
    Items in one list only are left out. Every block of items that stand side by side in both
    extends the best run of blocks that ends before it in both; a Fenwick tree over the places in
    ``after`` finds that one, so thousands take milliseconds.
    """
    # What begins or ends both alike is in every largest set.
    start, stop = _alike(before, after)
    alike = {*before[:start], *before[len(before) - stop :]}
    before, after = before[start : len(before) - stop], after[start : len(after) - stop]
    rank = {item: at for at, item in enumerate(after, start=1)}
    blocks: list[list[str]] = []
    last = -1
    for item in before:
        at = rank.get(item)
        if at is None:
            continue
        if at == last + 1 and blocks:
            blocks[-1].append(item)
        else:
            blocks.append([item])
        last = at
    # A run is one number: its length, how few of it are touched, and the block that it ends in.
    base = len(blocks) + 1
    unit = base * (len(before) + 1)
    tree = [0] * (len(after) + 1)
    previous: list[int] = []
    best = 0
    for at, block in enumerate(blocks, start=1):
        longest = 0
        slot = rank[block[0]] - 1
        while slot:
            if tree[slot] > longest:
                longest = tree[slot]
            slot &= slot - 1
        previous.append(longest % base)
        weight = len(block) * unit - base * sum(item in touched for item in block)
        run = longest - longest % base + weight + at
        best = max(best, run)
        slot = rank[block[-1]]
        while slot < len(tree):
            if tree[slot] < run:
                tree[slot] = run
            slot += slot & -slot
    at = best % base
    while at:
        alike.update(blocks[at - 1])
        at = previous[at - 1]
    return frozenset(alike)


def _alike(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many items both begin with alike, and how many of the others both end with."""
    start, stop = 0, 0
    short = min(len(before), len(after))
    while start < short and before[start] == after[start]:
        start += 1
    while stop < short - start and before[-1 - stop] == after[-1 - stop]:
        stop += 1
    return start, stop


def plan(
    before: Sequence[str],
    after: Sequence[str],
    *,
    fixed: Collection[str] = (),
    touched: Collection[str] = (),
    leaving: Collection[str] = (),
) -> list[Move] | None:
    """Return the fewest single moves from one order to the other, to be sent in this order.

    Nothing ``fixed`` is moved or named as a neighbour. Of several such plans it is one that moves
    more of ``touched``. Items of ``before`` that are ``leaving`` stand there until all has moved,
    and are named as neighbours only where nobody else is left. None when a stretch between two
    fixed ones has nobody to stand next to. Raises ``ValueError`` when the two do not hold the same
    items, each once, with the fixed ones in the same order.
    """
    if before == after:
        return []
    if not fixed and not leaving:
        return _between(before, after, touched)
    stays = [item for item in before if item in fixed]
    common = set(before).difference(leaving)
    if (
        len(common) != len(after)
        or common != set(after)
        or len(set(before)) != len(before)
        or stays != [item for item in after if item in fixed]
    ):
        raise ValueError(_NOT_THE_SAME)
    heads: list[tuple[Sequence[str], str]] = []
    moves: list[Move] = []
    for was, items in zip(_stretches(before, fixed), _stretches(after, fixed), strict=True):
        stay = kept(was, items, touched)
        first = next((item for item in items if item in stay), None)
        if first is None and items:
            first, stay = items[0], frozenset(items[:1])
            heads.append((was, first))
        for at, item in enumerate(items):
            if item in stay:
                continue
            if at:
                moves.append(Move(item, "after", items[at - 1]))
            elif first is not None:
                moves.append(Move(item, "before", first))
    begun = _begun(heads, leaving)
    return None if begun is None else [*begun, *moves]


def possible(
    before: Sequence[str],
    after: Sequence[str],
    *,
    fixed: Collection[str] = (),
    leaving: Collection[str] = (),
) -> bool:
    """Whether `plan` finds moves from one order to the other."""
    if not fixed:
        return True
    heads: list[tuple[Sequence[str], str]] = []
    for was, items in zip(_stretches(before, fixed), _stretches(after, fixed), strict=True):
        if items and set(was).isdisjoint(items):
            heads.append((was, items[0]))
    return _begun(heads, leaving) is not None


def _between(before: Sequence[str], after: Sequence[str], touched: Collection[str]) -> list[Move]:
    """Return what `plan` does where everything stays and may move; only what differs is looked at.

    Raises ``ValueError``.
    """
    start, stop = _alike(before, after)
    was, items = before[start : len(before) - stop], after[start : len(after) - stop]
    if len(was) != len(items) or len(set(was)) != len(was) or set(was) != set(items):
        raise ValueError(_NOT_THE_SAME)
    stay = kept(was, items, touched)
    moves: list[Move] = []
    for at, item in enumerate(items, start=start):
        if item in stay:
            continue
        if at:
            moves.append(Move(item, "after", after[at - 1]))
        else:
            first = next(each for each in items if each in stay)
            moves.append(Move(item, "before", first))
    return moves


def _begun(
    heads: Sequence[tuple[Sequence[str], str]], leaving: Collection[str]
) -> list[Move] | None:
    """Return the moves that come first, to where nobody stays: next to who leaves later.

    None where nobody is left to stand next to.
    """
    moves: list[Move] = []
    gone: set[str] = set()
    # Where few are, they are soon gone.
    for was, item in sorted(heads, key=lambda head: len(head[0])):
        beside = next((each for each in was if each in leaving), None)
        beside = beside or next((each for each in was if each not in gone), None)
        if beside is None:
            return None
        moves.append(Move(item, "before", beside))
        gone.add(item)
    return moves


def _stretches(order: Sequence[str], fixed: Collection[str]) -> list[Sequence[str]]:
    """Return the ids before, between and after the fixed ones."""
    if not fixed:
        return [order]
    stretches: list[list[str]] = [[]]
    for item in order:
        if item in fixed:
            stretches.append([])
        else:
            stretches[-1].append(item)
    return list(stretches)
