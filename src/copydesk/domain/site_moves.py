"""The moves that put the entries of a site where they are wanted, groups and links among them.

A move puts one entry next to another one, into whose group it goes (``structure/sort``). Only a
group or a link goes into an empty group by itself. So the levels are put in order from the top
down, which never puts a group into itself; but where nothing of a group stays and only sections
come, the first of these comes while something is there still.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.order import kept
from copydesk.domain.reversal import LONG_ORDER

ENTRIES = frozenset({"group", "section", "link"})
"""The kinds of what stands at the top of a site, and in its groups."""

LIGHT = frozenset({"group", "link"})
"""The kinds of what goes into an empty group by itself."""

EntrySide = Literal["before", "after", "into"]


class EmptyGroupError(ValueError):
    """A section would have to go into a group in which nothing is: ``level``."""

    def __init__(self, level: str) -> None:
        super().__init__(f"nothing is in {level}")
        self.level = level


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: its level, and those there, or in a long one itself and neighbours."""

    level: str
    order: tuple[str, ...]
    long: bool = False


@dataclass(frozen=True, slots=True)
class EntryMove:
    """Puts an entry beside ``anchor``, or ``into`` a level in which nothing is.

    ``back`` is the way back, None where there is none: an empty group takes no section, and one
    that is removed takes nothing.
    """

    id: str
    level: str
    side: EntrySide
    anchor: str
    before: Place
    after: Place
    back: tuple[EntrySide, str] | None


class Entries:
    """The entries of a site between moves."""

    def __init__(
        self, levels: Mapping[str, Sequence[str]], light: Collection[str], leaving: Collection[str]
    ) -> None:
        """Begin with some levels; ``light`` are groups and links, ``leaving`` go away later."""
        self.levels = {level: list(rows) for level, rows in levels.items()}
        self.home = {row: level for level, rows in self.levels.items() for row in rows}
        self._light = light
        self._leaving = leaving

    def add(self, row: str, level: str, *, group: bool) -> None:
        """Put something new to the end of a level."""
        self.levels[level].append(row)
        self.home[row] = level
        if group:
            self.levels[row] = []

    def move(self, row: str, level: str, side: EntrySide, anchor: str) -> EntryMove:
        """Make a move, and return it."""
        before, back = self._place(row), self.back(row)
        self.levels[self.home[row]].remove(row)
        rows = self.levels[level]
        rows.insert(0 if side == "into" else rows.index(anchor) + (side == "after"), row)
        self.home[row] = level
        return EntryMove(row, level, side, anchor, before, self._place(row), back)

    def take_in(
        self, group: str, sections: Iterable[str]
    ) -> dict[str, tuple[EntrySide, str] | None]:
        """Put sections into a new group, as it is made; return the way back of each."""
        backs = {}
        for row in sections:
            backs[row] = self.back(row)
            self.levels[self.home[row]].remove(row)
            self.levels[group].append(row)
            self.home[row] = group
        return backs

    def back(self, row: str) -> tuple[EntrySide, str] | None:
        """Return what puts an entry back to where it stands now, once it is elsewhere."""
        level = self.home[row]
        if level in self._leaving:
            return None
        rows = self.levels[level]
        at = rows.index(row)
        stays = [each for each in rows[max(0, at - LONG_ORDER) : at] if each not in self._leaving]
        if stays:
            return "after", stays[-1]
        stays = [each for each in rows[at + 1 : at + LONG_ORDER] if each not in self._leaving]
        if stays:
            return "before", stays[0]
        return ("into", level) if len(rows) == 1 and row in self._light else None

    def _place(self, row: str) -> Place:
        level = self.home[row]
        rows = self.levels[level]
        if len(rows) <= LONG_ORDER:
            return Place(level, tuple(rows))
        at = rows.index(row)
        above = next((rows[i] for i in range(at - 1, -1, -1) if rows[i] not in self._leaving), "")
        below = next((each for each in islice(rows, at + 1, None) if each not in self._leaving), "")
        return Place(level, tuple(filter(None, (above, row, below))), long=True)


@dataclass(frozen=True)
class Begun:
    """The entries once all that is new is made; ``taken`` are the sections that came into a new
    group with that, each with its way back.
    """

    entries: Entries
    taken: Mapping[str, Mapping[str, tuple[EntrySide, str] | None]]


def begun(base: Layout, now: Layout, sections: Iterable[str]) -> Begun:
    """Return the entries as they are before any move; ``sections`` are new ones, as they are added.

    Groups and links are added after these, as the tree reads; a group takes in its sections.
    """
    levels = {
        level: [row for row in rows if base.items[row].kind in ENTRIES]
        for level, rows in base.levels.items()
        if level == TOP or base.items[level].kind == "group"
    }
    light = {
        row for layout in (base, now) for row, item in layout.items.items() if item.kind in LIGHT
    }
    entries = Entries(levels, light, base.items.keys() - now.items.keys())
    for row in sections:
        entries.add(row, TOP, group=False)
    taken = {}
    for row in new_entries(base, now):
        group = now.items[row].kind == "group"
        entries.add(row, now.level_of(row), group=group)
        if group:
            inside = [each for each in now.levels[row] if now.items[each].kind == "section"]
            taken[row] = entries.take_in(row, inside)
    return Begun(entries, taken)


def new_entries(base: Layout, now: Layout) -> list[str]:
    """Return the new groups and links, as the tree reads."""
    if now.items.keys() <= base.items.keys():
        return []
    return [row for row in now.walk() if row not in base and now.items[row].kind in LIGHT]


def entry_moves(entries: Entries, now: Layout, touched: Collection[str] = ()) -> list[EntryMove]:
    """Return the moves from where entries are to where a layout has them.

    Raises `EmptyGroupError` where a section would have to go into an empty group.
    """
    light = frozenset(row for row, item in now.items.items() if item.kind in LIGHT)
    wanted = {
        level: [row for row in now.levels[level] if now.items[row].kind in ENTRIES]
        for level in _levels(now)
    }
    changed = {level: rows for level, rows in wanted.items() if entries.levels[level] != rows}
    moves = _first(entries, changed, light)
    for level, rows in changed.items():
        if not rows:
            continue
        here = set(rows)
        stay = kept([row for row in entries.levels[level] if row in here], rows, touched)
        if not stay:
            moves.append(_begin(entries, level, rows, light))
            stay = frozenset((moves[-1].id,))
        last = ""
        for row in rows:
            if row not in stay and last:
                moves.append(entries.move(row, level, "after", last))
            elif row not in stay:
                first = next(each for each in rows if each in stay)
                moves.append(entries.move(row, level, "before", first))
            last = row
    return _stranded(moves)


def _stranded(moves: Sequence[EntryMove]) -> list[EntryMove]:
    """Return moves without the ways back that lead beside what has left for good by then."""
    left: dict[str, str] = {}
    found = []
    for move in reversed(moves):
        level = move.before.level
        if move.back is None or left.get(move.back[1]) == level:
            left[move.id] = level
            move = replace(move, back=None)
        found.append(move)
    return found[::-1]


def _levels(now: Layout) -> Iterable[str]:
    """Yield the levels with entries, the outer before the inner."""
    yield TOP
    waiting = [row for row in now.levels.get(TOP, ()) if now.items[row].kind == "group"]
    for row in waiting:  # grows while it is gone through
        yield row
        waiting += [each for each in now.levels[row] if now.items[each].kind == "group"]


def _first(
    entries: Entries, changed: Mapping[str, Sequence[str]], light: frozenset[str]
) -> list[EntryMove]:
    """Return the moves that come first: to where nothing stays and only sections come."""
    heads = [
        (level, rows[0])
        for level, rows in changed.items()
        if rows and light.isdisjoint(rows) and entries.levels[level]
        and set(rows).isdisjoint(entries.levels[level])
    ]  # fmt: skip
    # Where few are, they are soon gone.
    heads.sort(key=lambda head: len(entries.levels[head[0]]))
    return [_begin(entries, level, (row,), light) for level, row in heads]


def _begin(entries: Entries, level: str, rows: Sequence[str], light: frozenset[str]) -> EntryMove:
    """Put the first of some entries to where none of them is; the others go beside it."""
    if others := entries.levels[level]:
        return entries.move(rows[0], level, "before", others[0])
    row = next((each for each in rows if each in light), None)
    if row is None:
        raise EmptyGroupError(level)
    return entries.move(row, level, "into", "")
