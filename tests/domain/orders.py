"""Carrying out the moves of an order, as a service does: what plans of moves are held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from copydesk.domain.order import Move


def applied(ids: Sequence[str], moves: Iterable[Move]) -> list[str]:
    """Return the order after the moves.

    Raises ``ValueError`` for a move of, or next to, something that is not in the list.
    """
    order = list(ids)
    for move in moves:
        order.remove(move.id)
        order.insert(order.index(move.anchor) + (move.side == "after"), move.id)
    return order
