"""The order of the entries of a site: sections, groups of them, and links to elsewhere.

All have one order in their site, by their positions. A group stands right before what is in it, so
that whoever lists sections alone, or what is in one group, finds them in the order of the site.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.site_tree import DEEPEST
from copydesk.server.errors import invalid
from copydesk.server.store import Tx

EntryKind: TypeAlias = Literal["site-section", "site-section-group", "site-external-link"]

_TABLES: Mapping[EntryKind, tuple[str, str]] = {
    "site-section": ("site_section", "group_id"),
    "site-section-group": ("section_group", "parent_id"),
    "site-external-link": ("site_link", "group_id"),
}
"""The table of each kind, and the column that names the group that it is in."""

_GAP = 1e-6
"""Positions closer than this are numbered anew."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a site; ``parent`` is the group that it is in."""

    kind: EntryKind
    id: str
    parent: str | None
    position: float


def end_of(tx: Tx, site_id: str) -> float:
    """Return a position after all entries of a site."""
    last = tx.value("SELECT max(position) FROM site_entry WHERE site_id = ?", site_id)
    return 1.0 if last is None else float(last) + 1.0


class Entries:
    """The entries of a site in their order, to put them into another."""

    def __init__(self, tx: Tx, site_id: str) -> None:
        self._tx = tx
        rows = tx.all(
            "SELECT kind, id, parent_id, position FROM site_entry WHERE site_id = ? "
            "ORDER BY position, id",
            site_id,
        )
        self.all = {
            row["id"]: Entry(row["kind"], row["id"], row["parent_id"], row["position"])
            for row in rows
        }

    def place(self, key: str, beside: str, *, after: bool) -> None:
        """Put an entry next to another one, into whose group it goes.

        Raises a 400 where a group would be in itself, or too deep.
        """
        block = self._block(key)
        self._check(key, self.all[beside].parent)
        rest = self._without(block)
        at = rest.index(beside)
        if after:
            at += self._staying(beside, block)
        self._put([key], block, rest, at, self.all[beside].parent)

    def append(self, parent: str | None, *keys: str) -> None:
        """Put entries, none in another, to the end of a group, or of the site, in that order.

        Raises as `place` does.
        """
        for key in keys:
            self._check(key, parent)
        block = [each for key in keys for each in self._block(key)]
        rest = self._without(block)
        at = len(rest)
        if parent is not None:
            at = rest.index(parent) + self._staying(parent, block)
        self._put(keys, block, rest, at, parent)

    def _staying(self, key: str, moved: Collection[str]) -> int:
        """Return how many of an entry and its descendants are not moved."""
        return len(frozenset(self._block(key)).difference(moved))

    def _block(self, key: str) -> list[str]:
        """Return an entry and all that is in it, in their order."""
        if self.all[key].kind != "site-section-group":
            return [key]
        inside = {key}
        found = []
        for each in self.all.values():  # what something is in comes before it
            if each.id == key or each.parent in inside:
                inside.add(each.id)
                found.append(each.id)
        return found

    def _without(self, block: Collection[str]) -> list[str]:
        moved = frozenset(block)
        return [each for each in self.all if each not in moved]

    def _check(self, key: str, parent: str | None) -> None:
        if self.all[key].kind != "site-section-group":
            return
        above: list[str] = []
        while parent is not None:
            if parent == key:
                raise invalid("body: a group cannot be in itself")
            above.append(parent)
            parent = self.all[parent].parent
        groups = [each for each in self._block(key) if self.all[each].kind == "site-section-group"]
        if len(above) + self._height(key, groups) > DEEPEST:
            raise invalid(f"body: at most {DEEPEST} groups are within each other")

    def _height(self, key: str, groups: list[str]) -> int:
        depth = {key: 1}
        for each in groups[1:]:
            depth[each] = depth[self.all[each].parent or ""] + 1
        return max(depth.values())

    def _put(
        self, keys: Iterable[str], block: list[str], rest: list[str], at: int, parent: str | None
    ) -> None:
        for key in keys:
            table, column = _TABLES[self.all[key].kind]
            self._tx.update(table, key, **{column: parent})
        below = self.all[rest[at - 1]].position if at else None
        above = self.all[rest[at]].position if at < len(rest) else None
        if below is None:
            below = (above or 0.0) - len(block) - 1
        step = 1.0 if above is None else (above - below) / (len(block) + 1)
        if step < _GAP:
            order = [*rest[:at], *block, *rest[at:]]
            self._number({each: float(number) for number, each in enumerate(order, start=1)})
        else:
            self._number({each: below + step * n for n, each in enumerate(block, start=1)})

    def _number(self, positions: Mapping[str, float]) -> None:
        for key, position in positions.items():
            self._tx.update(_TABLES[self.all[key].kind][0], key, position=position)


def remove_group(tx: Tx, group_id: str, parent: str | None) -> None:
    """Remove a group; its members take its place."""
    for table, column in _TABLES.values():
        tx.run(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608 - names are ours
            parent,
            group_id,
        )
    tx.run("DELETE FROM section_group WHERE id = ?", group_id)
