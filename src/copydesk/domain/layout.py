"""How things are arranged: what they are, and the order in what they are in.

A `Layout` is a value. It holds settings by their wire names, as the service gave them: what is
shown of them has to pass `Item.title` or `said` first.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.order import kept
from copydesk.domain.reversal import JSON, SAID_CELLS
from copydesk.domain.text import clean, shorten, shown_title

Kind: TypeAlias = Literal["group", "section", "link", "site-space", "collection", "space", "page"]

Values: TypeAlias = Mapping[str, JSON]
"""Settings by wire name. Absent, "", None and False are all "unset", and left out."""

Levels: TypeAlias = Mapping[str, tuple[str, ...]]
"""Ids in their order, by the id of their parent; the top is `TOP`."""

TOP = ""

GROUP = "group:"
"""What the ids of groups begin with that only the sections in them tell of: those have no name, and
no operation changes them."""

SECTIONS = "sections"
"""What a default section is the default of; the default of site spaces is that of their level."""

CONTAINERS: frozenset[Kind] = frozenset({"group", "section", "collection", "page"})
"""The kinds that have a level of their own, be it empty."""

WORDS: Mapping[str, str] = {
    "editMode": "editing",
    "mergeRules": "merge rules",
    "localizedTitle": "titles in other languages",
    "place": "place",
    "url": "address",
}
"""How settings are called where the wire name does not read well."""


def set_values(values: Values) -> dict[str, JSON]:
    """Return the settings that are set."""
    return {name: value for name, value in values.items() if value}


def said(value: JSON) -> str:
    """Return a value as a line shows it: clean, short, on one line."""
    match value:
        case True:
            return "yes"
        case None | False | "":
            return "none"
        case str() | int() | float():
            return shorten(clean(str(value)).strip(), SAID_CELLS) or "none"
    return "other ones"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a layout, with the settings of it that are set."""

    id: str
    kind: Kind
    values: Values = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its title, clean."""
        return shown_title(str(self.values.get("title") or ""))


_OF_LEVELS = ("_levels_of", "defaults", "groups")
"""What is found in a layout that holds as long as nothing changes its level or its settings."""

_OF_ITEMS = ("_levels_of", "groups")
"""The same whatever the settings are."""


@dataclass(frozen=True)
class Layout:
    """Things by id, and their order by parent; each is in exactly one level."""

    items: Mapping[str, Item]
    levels: Levels

    @cached_property
    def _levels_of(self) -> Mapping[str, str]:
        return {row: level for level, rows in self.levels.items() for row in rows}

    @cached_property
    def defaults(self) -> Mapping[str, str]:
        """The id of the default of each level of site spaces, and of all sections (`SECTIONS`)."""
        return {
            self.scope_of(item.id): item.id
            for item in self.items.values()
            if item.values.get("default")
        }

    @cached_property
    def groups(self) -> frozenset[str]:
        """The ids of the groups that stay as they are: only the sections in them tell of them."""
        return frozenset(row for row in self.items if row.startswith(GROUP))

    @cached_property
    def paths(self) -> Mapping[tuple[str, JSON], tuple[str, ...]]:
        """The ids of things with a path, by the scope where it is unique, and the path."""
        found: dict[tuple[str, JSON], tuple[str, ...]] = {}
        for row, item in self.items.items():
            if path := item.values.get("path"):
                key = self.scope_of(row), path
                found[key] = (*found.get(key, ()), row)
        return found

    @cached_property
    def text(self) -> str:
        """It as JSON; what is published is written again with every step that is kept."""
        items = [_item_json(item) for item in self.items.values()]
        return json.dumps({"items": items, "levels": dict(self.levels)})

    def __contains__(self, row: object) -> bool:
        return row in self.items

    def level_of(self, row: str) -> str:
        """Return the level that a thing is in. Raises ``KeyError`` where it is in none."""
        return self._levels_of[row]

    def scope_of(self, row: str) -> str:
        """Return what it would be the default of, and where its path has to be the only one."""
        return SECTIONS if self.items[row].kind == "section" else self.level_of(row)

    def walk(self, level: str = TOP) -> Iterator[str]:
        """Yield the rows of a level, each followed by its own rows, as a tree reads."""
        for row in self.levels.get(level, ()):
            yield row
            if row in self.levels:
                yield from self.walk(row)

    def sections(self) -> list[str]:
        """Return the ids of the sections in their order, groups opened up."""
        found: list[str] = []
        waiting = [*reversed(self.levels.get(TOP, ()))]
        while waiting:
            row = waiting.pop()
            if self.items[row].kind == "group":
                waiting += reversed(self.levels.get(row, ()))
            elif self.items[row].kind == "section":
                found.append(row)
        return found

    def inside(self, row: str, other: str) -> bool:
        """Whether ``row`` is somewhere in ``other``."""
        while row in self._levels_of:
            row = self._levels_of[row]
            if row == other:
                return True
        return False

    def ordered(self, orders: Levels) -> Layout:
        """Return it with other orders of some levels, of the same things."""
        return self._knowing(Layout(self.items, {**self.levels, **orders}), _OF_LEVELS)

    def with_items(self, items: Iterable[Item]) -> Layout:
        """Return it with other settings of some things."""
        new = Layout({**self.items, **{item.id: item for item in items}}, self.levels)
        return self._knowing(new, _OF_ITEMS)

    def _knowing(self, new: Layout, names: Iterable[str]) -> Layout:
        """Return a layout with those of this one's cached values that are the same in it."""
        new.__dict__.update({name: self.__dict__[name] for name in names if name in self.__dict__})
        return new

    def same(self, other: Layout) -> bool:
        """Whether two are equal; quick where they share their parts."""
        return (self.items is other.items or self.items == other.items) and (
            self.levels is other.levels or self.levels == other.levels
        )


def default_at(layout: Layout, row: str, *, show: bool = False) -> Layout:
    """Return a layout in which readers land on a thing first, and on no other beside it."""
    scope = layout.scope_of(row)
    beside = layout.sections() if scope == SECTIONS else layout.levels[scope]
    changed = [
        replace(item, values={k: v for k, v in item.values.items() if k != "default"})
        for item in map(layout.items.__getitem__, beside)
        if item.values.get("default") and item.id != row and layout.scope_of(item.id) == scope
    ]
    item = layout.items[row]
    values = {name: value for name, value in item.values.items() if not show or name != "hidden"}
    changed.append(replace(item, values={**values, "default": True}))
    return layout.with_items(changed)


def put_as(order: Sequence[str], rows: list[str], row: str) -> None:
    """Put a row among others below the nearest one that is above it in an order; else first."""
    above = reversed(order[: order.index(row)])
    at = next((rows.index(each) + 1 for each in above if each in rows), 0)
    rows.insert(at, row)


def heir_of(before: Layout, after: Layout, gone: str) -> str | None:
    """Return what becomes the default after one that is removed: the next one, not a hidden one."""
    scope = before.scope_of(gone)
    rows = before.sections() if scope == SECTIONS else list(before.levels[scope])
    at = rows.index(gone)
    following = [row for row in rows[at + 1 :] + rows[:at] if row in after]
    told = [row for row in following if not after.items[row].values.get("hidden")]
    return next(iter([*told, *following]), None)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not in one layout as in another; ``line`` says it in one clean line."""

    id: str
    what: Literal["moved", "changed", "added", "removed"]
    title: str
    field: str = ""
    before: JSON = None
    after: JSON = None
    line: str = ""


def differences(before: Layout, after: Layout) -> tuple[Difference, ...]:
    """Return the differences, as a person would tell them: new, gone, changed, moved."""
    found: list[Difference] = []
    for row in after.walk():
        if row not in before and row in after.items:
            title = after.items[row].title
            found.append(Difference(row, "added", title, line=f"{title}: new{_in(after, row)}"))
    gone = [row for row in before.walk() if row not in after]
    for row in gone:
        if before.level_of(row) not in gone:  # a row that went with its level is not told again
            title = before.items[row].title
            found.append(Difference(row, "removed", title, line=f"{title}: gone{_in(before, row)}"))
    for row, item in before.items.items():
        other = after.items.get(row)
        if other is None or other is item or row in before.groups:
            continue  # such a group has no settings; its title here only numbers it
        for name in changed_fields(item, other):
            was, now = item.values.get(name), other.values.get(name)
            line = f"{other.title}: {change_line(name, was, now)}"
            found.append(Difference(row, "changed", other.title, name, was, now, line))
    for level, rows in after.levels.items():
        was_rows = before.levels.get(level, ())
        if was_rows is rows or was_rows == rows:
            continue
        stays = kept(was_rows, rows)
        for row in rows:
            if row in before and row not in stays:
                title = after.items[row].title
                was, now = place_line(before, row), place_line(after, row)
                line = f"{title}: {now}"
                found.append(Difference(row, "moved", title, "place", was, now, line))
    return tuple(found)


def changed_fields(before: Item, after: Item) -> list[str]:
    """Return the names of the settings that differ."""
    names = dict.fromkeys([*before.values, *after.values])
    return [name for name in names if before.values.get(name) != after.values.get(name)]


def change_line(name: str, before: JSON, after: JSON) -> str:
    """Return another value of a setting as a line says it: ``path /api → /reference``."""
    word = WORDS.get(name, name)
    if name == "hidden":
        return "hidden" if after else "shown again"
    if name == "draft":
        return "a draft, which readers do not get" if after else "shown to readers"
    if name == "default":
        return "readers land on it first" if after else "no longer the default"
    if name == "path":
        was, now = (f"/{said(value).lstrip('/')}" if value else "" for value in (before, after))
        return f"{word} {was} → {now}" if was else f"{word} {now}"
    if not after:
        return f"no {word} any more"
    if not before or name in ("description", "condition", "mergeRules"):
        return f"{word} {said(after)}"
    return f"{word} {said(before)} → {said(after)}"


def place_line(layout: Layout, row: str) -> str:
    """Return where a thing stands: ``after Guides``, ``first in Products``."""
    level = layout.level_of(row)
    rows = layout.levels[level]
    at = rows.index(row)
    where = f"after {layout.items[rows[at - 1]].title}" if at else "first"
    return f"{where}{_in(layout, row)}"


def _in(layout: Layout, row: str) -> str:
    level = layout.level_of(row)
    return f" in {layout.items[level].title}" if level in layout.items else ""


_KINDS = frozenset(get_args(Kind))

Kept: TypeAlias = tuple[Layout, Layout, frozenset[str], int]


def text_of(base: Layout, now: Layout, touched: Collection[str], count: int) -> str:
    """Return two layouts as one line of text."""
    value = {
        "now": {
            "items": [
                _item_json(item) for row, item in now.items.items() if base.items.get(row) != item
            ],
            "gone": [row for row in base.items if row not in now.items],
            "levels": {
                level: rows for level, rows in now.levels.items() if base.levels.get(level) != rows
            },
        },
        "touched": sorted(touched),
        "count": count,
    }
    return f'{{"base": {base.text}, {json.dumps(value)[1:]}'


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


def _item_json(item: Item) -> list[Any]:
    return [item.id, item.kind, dict(item.values)]


def _items(items: list[Any]) -> dict[str, Item]:
    """Return items from JSON. Raises ``ValueError`` if one of them is no item."""
    read: dict[str, Item] = {}
    for row, kind, values in items:
        if not isinstance(row, str) or kind not in _KINDS:
            raise ValueError("this is not an item")
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
