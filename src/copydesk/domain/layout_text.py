"""Layouts as text on this machine: a published one, and the changes staged on it.

Of the staged one only what differs is written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias, get_args

from copydesk.domain.layout import TOP, Item, Kind, Layout, set_values

_KINDS = frozenset(get_args(Kind))

Kept: TypeAlias = tuple[Layout, Layout, frozenset[str], int]


def text_of(base: Layout, now: Layout, touched: Collection[str], count: int) -> str:
    """Return two layouts as one line of text."""
    value = {
        "now": {
            "items": [
                _item_json(item)
                for row, item in now.items.items()
                if base.items.get(row) is not item and base.items.get(row) != item
            ],
            "gone": [row for row in base.items if row not in now.items],
            "levels": {
                level: rows
                for level, rows in now.levels.items()
                if base.levels.get(level) is not rows and base.levels.get(level) != rows
            },
        },
        "touched": sorted(touched),
        "count": count,
    }
    return f'{{"base": {_text(base)}, {json.dumps(value)[1:]}'


def layouts_in(text: str) -> Kept | None:
    """Return what `text_of` wrote, or None for text that is something else."""
    try:
        value = json.loads(text)
        base = _layout(_items(value["base"]["items"]), value["base"]["levels"])
        staged = value["now"]
        gone = set(staged["gone"])
        left = {row: item for row, item in base.items.items() if row not in gone}
        now = _layout(
            left | _items(staged["items"]),
            {
                **{level: rows for level, rows in base.levels.items() if level not in gone},
                **staged["levels"],
            },
        )
        touched, count = value["touched"], value["count"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not isinstance(count, int) or not isinstance(touched, list):
        return None
    return base, now, frozenset(row for row in touched if isinstance(row, str)), count


def _text(layout: Layout) -> str:
    """Return a published layout as JSON; it is written again with every step that is kept."""
    found: str | None = layout.__dict__.get("_text")
    if found is None:
        items = [_item_json(item) for item in layout.items.values()]
        found = json.dumps({"items": items, "levels": dict(layout.levels)})
        layout.__dict__["_text"] = found
    return found


def _item_json(item: Item) -> list[Any]:
    return [item.id, item.kind, dict(item.values)]


def _items(items: list[Any]) -> dict[str, Item]:
    """Return items from JSON. Raises ``ValueError`` where they are none."""
    read: dict[str, Item] = {}
    for row, kind, values in items:
        if not isinstance(row, str) or kind not in _KINDS:
            raise ValueError("this is no item")
        read[row] = Item(row, kind, set_values(dict(values)))
    return read


def _layout(read: dict[str, Item], levels: Mapping[str, Any]) -> Layout:
    """Return a layout of items in levels from JSON. Raises ``ValueError`` where it is none."""
    orders = {level: tuple(rows) for level, rows in levels.items()}
    layout = Layout(read, orders)
    placed = [row for rows in orders.values() for row in rows]
    if (
        TOP not in orders
        or len(placed) != len(read)
        or set(placed) != set(read)
        or not set(orders) - {TOP} <= set(read)
        or sum(1 for _ in layout.walk()) != len(read)  # nothing is in itself
    ):
        raise ValueError("each item is in one level")
    return layout
