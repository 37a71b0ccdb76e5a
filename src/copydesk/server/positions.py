"""The numbers that keep siblings in order: what moves gets one between those of its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.server.store import Row, Tx


def position_at(tx: Tx, siblings: Sequence[tuple[str, Row]], index: int) -> float:
    """Return a number that puts something at ``index`` of rows in their order, each of a table.

    When no number is left between two of them, they are all numbered anew.
    """
    number = _between([float(row["position"]) for _, row in siblings], index)
    if number is None:
        for place, (table, row) in enumerate(siblings, start=1):
            tx.update(table, row["id"], position=float(place))
        number = index + 0.5
    return number


def _between(positions: Sequence[float], index: int) -> float | None:
    if not positions:
        return 1.0
    if index == 0:
        return positions[0] - 1.0
    if index == len(positions):
        return positions[-1] + 1.0
    low, high = positions[index - 1], positions[index]
    middle = (low + high) / 2
    return middle if low < middle < high else None
