"""The requests of a plan for a site, put in order: each after what it waits for.

Where they wait for each other in a ring, one of them is sent in two parts, or with a path for the
time being.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Literal
from zlib import crc32

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.order import Move
from copydesk.domain.reversal import JSON

if TYPE_CHECKING:
    from copydesk.domain.site_arrangement import SiteArrangement
    from copydesk.domain.site_moves import EntryMove

PATH, REST = "path", "rest"
"""The parts of a request that others wait for, and that wait for others."""


@dataclass
class Op:
    """One request to be, not yet put in order."""

    key: str
    kind: Literal["add", "set", "default", "move", "remove", "redirect"]
    row: str
    phase: int
    index: float
    values: dict[str, JSON] = field(default_factory=dict)
    level: str = ""
    move: Move | None = None
    entry: EntryMove | None = None
    """The move of a section, a group or a link, where the service moves those alike."""
    needs: list[tuple[str, str, str]] = field(default_factory=list)
    """What it waits for: its own part that does, the key of the other, and its part."""
    wishes: list[str] = field(default_factory=list)
    """The keys of requests that come before it where possible."""


def in_order(ops: dict[str, Op], staged: SiteArrangement) -> Iterable[Op]:
    """Yield the requests to send, each as early as its kind, after those that it waits for."""
    waiting: dict[str, set[str]] = {}
    blocks: dict[str, set[str]] = {}

    def note(op: Op) -> None:
        others = (*(key for _, key, _ in op.needs), *op.wishes)
        waiting[op.key] = {key for key in others if key in left}
        for key in waiting[op.key]:
            blocks.setdefault(key, set()).add(op.key)
        if not waiting[op.key]:
            heapq.heappush(ready, (op.phase, op.index, op.key))

    left = dict(ops)
    ready: list[tuple[int, float, str]] = []
    for op in ops.values():
        note(op)
    while left:
        if not ready:
            left.update((op.key, op) for op in _opened(left, staged))
            ready, blocks = [], {}
            for op in left.values():
                note(op)
            continue
        _, _, key = heapq.heappop(ready)
        yield left.pop(key)
        for other_key in sorted(blocks.pop(key, ())):
            waiting[other_key].discard(key)
            if not waiting[other_key]:
                op = left[other_key]
                heapq.heappush(ready, (op.phase, op.index, op.key))


def _opened(left: dict[str, Op], staged: SiteArrangement) -> list[Op]:
    """Return the requests of a ring with one that opens it.

    It waits no longer for what it only should, or is sent in two parts, or with another path.
    """
    needing = _ringed(left)
    if not needing:
        op = min(
            (op for op in left.values() if op.wishes), key=lambda each: (each.phase, each.index)
        )
        op.wishes = []
        return [op]
    trail: list[tuple[Op, str, str]] = []  # each with its waiting part, and the part waited for
    at: dict[str, int] = {}
    op = min(needing.values(), key=lambda each: (each.phase, each.index))
    while op.key not in at:
        at[op.key] = len(trail)
        part, key, other = next(need for need in op.needs if need[1] in needing)
        trail.append((op, part, other))
        op = left[key]
    ring = trail[at[op.key] :]
    for place, (each, waits, _) in enumerate(ring):
        wanted = ring[place - 1][2]  # the part of it that the one before waits for
        if each.kind == "set" and waits != wanted and "path" in each.values:
            return split(each, left, {"path": each.values.pop("path")}, "path")
    each = next(each for each, _, _ in ring if each.kind == "set" and "path" in each.values)
    return split(each, left, {"path": _spare(each, staged)}, "free")


def _ringed(left: dict[str, Op]) -> dict[str, Op]:
    """Return the requests in a circle of needs, and those that wait for one of these."""
    needing = dict(left)
    needs = {key: {other for _, other, _ in op.needs if other in left} for key, op in left.items()}
    waiters: dict[str, list[str]] = {}
    for key, others in needs.items():
        for other in others:
            waiters.setdefault(other, []).append(key)
    free = [key for key, others in needs.items() if not others]
    for key in free:  # grows while it is gone through
        del needing[key]
        for waiter in waiters.get(key, ()):
            needs[waiter].discard(key)
            if not needs[waiter]:
                free.append(waiter)
    return needing


def split(op: Op, left: dict[str, Op], values: dict[str, JSON], name: str) -> list[Op]:
    """Return a request of its own for a path, which what waits for the path waits for.

    The other part of ``path`` waits no longer for what only the path had to; a path to be ``free``
    waits only until the row it belongs to is added.
    """
    new = Op(f"{name}:{op.row}", "set", op.row, op.phase, op.index, values, op.level)
    if name == "path":
        new.needs = [need for need in op.needs if need[0] == PATH]
        op.needs = [need for need in op.needs if need[0] != PATH]
        new.needs.append((PATH, op.key, REST))
    else:
        new.needs = [need for need in op.needs if need[1].startswith("add:")]
        op.needs.append((PATH, new.key, PATH))
    for each in left.values():
        if each is not op:
            each.needs = [
                (part, new.key if key == op.key and other == PATH else key, other)
                for part, key, other in each.needs
            ]
            if name == "path" and op.key in each.wishes:
                each.wishes.append(new.key)
    return [op, new]


def _spare(op: Op, staged: SiteArrangement) -> str:
    """Return a path for the time being, that nothing has and that the service gives to nothing."""
    path = str(staged.now.items[op.row].values.get("path") or "moved")[:80]
    return f"{path}-{crc32(f'{op.row} {path}'.encode()):08x}"
