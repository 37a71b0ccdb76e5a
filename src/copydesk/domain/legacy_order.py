"""Orders of a site that an earlier version staged, as staged changes of this one.

That version kept the order of each level before and after, and nothing else: one line of JSON,
``{"base": {level: [ids]}, "now": {level: [ids]}}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from copydesk.domain.layout import GROUP, TOP, Item, Kind, Layout, text_of


def modern(text: str, layout: Layout) -> str | None:
    """Return such text in today's format, or None for text that is something else.

    ``layout`` is the published one: what is still there has its settings from it.
    """
    try:
        value = json.loads(text.rpartition("\n")[2])
        base, now = _levels(value["base"]), _levels(value["now"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if TOP not in base or base.keys() != now.keys():
        return None
    if any(sorted(base[level]) != sorted(now[level]) for level in base):
        return None
    items = {
        row: layout.items.get(row) or Item(row, _kind(row, level, base))
        for level, rows in base.items()
        for row in rows
    }
    return text_of(Layout(items, base), Layout(items, now), (), 0)


def _levels(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, Mapping):
        raise ValueError("these are not levels")
    read: dict[str, tuple[str, ...]] = {}
    for level, rows in value.items():
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise ValueError("this is not a level")
        read[level] = tuple(rows)
    return read


def _kind(row: str, level: str, levels: Mapping[str, object]) -> Kind:
    """Return what a thing was that is not there any more."""
    if row.startswith(GROUP):
        return "group"
    return "section" if row in levels or level.startswith(GROUP) else "site-space"
