"""The moves that put the entries of a site where they are wanted, groups and links among them.

A move puts one entry next to another one, into whose group it goes (``structure/sort``). Only a
group or a link goes into an empty group by itself. So the levels are put in order from the top
down, which never puts a group into itself; but where nothing of a group stays and only sections
come, the first of these comes while something is there still.

A service lets only so many groups be within each other, and does not say how many. So no request
makes them deeper than they are before all requests or after them: what would get too deep inside a
group that moves leaves that group first, if need be to the top for the time being.
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

Back = tuple[Literal["before", "after", "into", "along"], str]
"""What puts an entry back: beside another one, into a level, or (``along``) the group itself, which
is made again with it."""


class EmptyGroupError(ValueError):
    """A section would have to go into a group in which nothing is: ``level``."""

    def __init__(self, level: str) -> None:
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

    ``back`` is the way back, None where there is none: an empty group takes no section. One that is
    removed later is made again, with the last section that left it.
    """

    id: str
    level: str
    side: EntrySide
    anchor: str
    before: Place
    after: Place
    back: Back | None


class Entries:
    """The entries of a site between moves."""

    def __init__(
        self,
        levels: Mapping[str, Sequence[str]],
        light: Collection[str],
        leaving: Collection[str],
        deepest: int,
    ) -> None:
        """Begin with some levels; ``light`` are groups and links, ``leaving`` go away later.

        At most ``deepest`` groups are to be within each other. Of what goes away, groups are made
        again on the way back.
        """
        self.levels = {level: list(rows) for level, rows in levels.items()}
        self.home = {row: level for level, rows in self.levels.items() for row in rows}
        self._light = light
        self._leaving = leaving
        self._gone = {row for row in leaving if row not in self.levels}
        """What nothing goes back beside: it is not there any more, or not yet."""
        self.along: dict[str, str] = {}
        """The sections that come back with the group in which they were the last ones."""
        self._deepest = deepest

    def home_for(self, level: str, *, group: bool) -> str:
        """Return where something new that is wanted in a level is made: there, or at the top."""
        return TOP if group and len(self._above(level)) >= self._deepest else level

    def too_deep(self, group: str, level: str) -> list[str]:
        """Return the groups from one in a group down to one that is too deep once it is in a level.

        Empty where none is too deep.
        """
        depths = {group: len(self._above(level)) + 1}
        waiting = [group]
        for each in waiting:  # grows while it is gone through
            if depths[each] > self._deepest:
                return self._above(each, group)[::-1]
            inside = [row for row in self.levels[each] if row in self.levels]
            depths |= dict.fromkeys(inside, depths[each] + 1)
            waiting += inside
        return []

    def _above(self, level: str, until: str = TOP) -> list[str]:
        """Return a level and its ancestors below ``until``."""
        found = []
        while level != until:
            found.append(level)
            level = self.home[level]
        return found

    def add(self, row: str, level: str, *, group: bool) -> None:
        """Put something new to the end of a level."""
        self.levels[level].append(row)
        self.home[row] = level
        if group:
            self.levels[row] = []

    def move(self, row: str, level: str, side: EntrySide, anchor: str) -> EntryMove:
        """Make a move, and return it."""
        before, back = self._place(row), self._leave(row)
        self.levels[self.home[row]].remove(row)
        rows = self.levels[level]
        rows.insert(0 if side == "into" else rows.index(anchor) + (side == "after"), row)
        self.home[row] = level
        return EntryMove(row, level, side, anchor, before, self._place(row), back)

    def take_in(self, group: str, sections: Iterable[str]) -> dict[str, Back | None]:
        """Put sections into a new group, as it is made; return the way back of each."""
        backs = {}
        for row in sections:
            backs[row] = self._leave(row)
            self.levels[self.home[row]].remove(row)
            self.levels[group].append(row)
            self.home[row] = group
        return backs

    def remove(self, group: str) -> tuple[Place, Back]:
        """Remove an empty group; return where it stood, and what puts it back once it is made."""
        level, place = self.home[group], self._place(group)
        back = self._beside(group) or ("into", level)
        self.levels[level].remove(group)
        del self.levels[group], self.home[group]
        return place, back

    def _leave(self, row: str) -> Back | None:
        """Return what puts an entry that is about to leave back to where it stands now."""
        if row in self.along:
            return "along", self.along[row]
        level = self.home[row]
        if (back := self._beside(row)) is not None:
            return back
        rows = self.levels[level]
        if level not in self._leaving:
            return ("into", level) if len(rows) == 1 and row in self._light else None
        if row in self._light:
            return "into", level
        if len(rows) > LONG_ORDER:
            return None  # not all of them were looked at
        self.along[row] = level
        self._gone.add(row)  # by then it is in its group, wherever it stands from now on
        return "along", level

    def _beside(self, row: str) -> Back | None:
        """Return what puts an entry back beside what is there then."""
        rows = self.levels[self.home[row]]
        at = rows.index(row)
        stays = [each for each in rows[max(0, at - LONG_ORDER) : at] if each not in self._gone]
        if stays:
            return "after", stays[-1]
        stays = [each for each in rows[at + 1 : at + LONG_ORDER] if each not in self._gone]
        return ("before", stays[0]) if stays else None

    def _place(self, row: str) -> Place:
        level = self.home[row]
        rows = self.levels[level]
        if len(rows) <= LONG_ORDER:
            return Place(level, tuple(rows))
        at = rows.index(row)
        passed = {*self._leaving, *self.along}
        above = next((rows[i] for i in range(at - 1, -1, -1) if rows[i] not in passed), None)
        below = next((each for each in islice(rows, at + 1, None) if each not in passed), None)
        return Place(level, tuple(filter(None, (above, row, below))), long=True)


@dataclass(frozen=True)
class Begun:
    """The entries once all that is new is made.

    ``homes`` are the levels where new groups and links are made; ``taken`` are the sections that
    came into a new group with that, each with its way back.
    """

    entries: Entries
    homes: Mapping[str, str]
    taken: Mapping[str, Mapping[str, Back | None]]


def begun(base: Layout, now: Layout, sections: Iterable[str]) -> Begun:
    """Return the entries as they are before any move; ``sections`` are new ones, as they are added.

    Groups and links are added after these, as the tree reads; a group takes in its sections. One
    that would be too deep where it is wanted is made at the top.
    """
    levels = {
        level: [row for row in rows if base.items[row].kind in ENTRIES]
        for level, rows in base.levels.items()
        if level == TOP or base.items[level].kind == "group"
    }
    light = {
        row for layout in (base, now) for row, item in layout.items.items() if item.kind in LIGHT
    }
    deepest = max(depth_of(base), depth_of(now))
    entries = Entries(levels, light, base.items.keys() - now.items.keys(), deepest)
    for row in sections:
        entries.add(row, TOP, group=False)
    homes, taken = {}, {}
    for row in new_entries(base, now):
        group = now.items[row].kind == "group"
        level = homes[row] = entries.home_for(now.level_of(row), group=group)
        entries.add(row, level, group=group)
        if group:
            inside = [each for each in now.levels[row] if now.items[each].kind == "section"]
            taken[row] = entries.take_in(row, inside)
    return Begun(entries, homes, taken)


def depth_of(layout: Layout) -> int:
    """Return how many groups are within each other."""
    depths = {TOP: 0}
    for level in _levels(layout):
        if level != TOP:
            depths[level] = depths[layout.level_of(level)] + 1
    return max(depths.values())


def new_entries(base: Layout, now: Layout) -> list[str]:
    """Return the new groups and links, as the tree reads."""
    if now.items.keys() <= base.items.keys():
        return []
    return [row for row in now.walk() if row not in base and now.items[row].kind in LIGHT]


def entry_moves(entries: Entries, now: Layout, touched: Collection[str] = ()) -> list[EntryMove]:
    """Return the moves from where entries are to where a layout has them.

    Raises `EmptyGroupError` where a section would have to go into an empty group.
    """
    return _Moves(entries, now, touched).all()


class _Moves:
    """Makes the moves of entries to where a layout has them."""

    def __init__(self, entries: Entries, now: Layout, touched: Collection[str]) -> None:
        self._entries, self._now, self._touched = entries, now, touched
        self._light = frozenset(row for row, item in now.items.items() if item.kind in LIGHT)
        wanted = {
            level: [row for row in now.levels[level] if now.items[row].kind in ENTRIES]
            for level in _levels(now)
        }
        self._changed = {
            level: rows for level, rows in wanted.items() if entries.levels[level] != rows
        }
        self._begun = set[str]()
        self._moves: list[EntryMove] = []

    def all(self) -> list[EntryMove]:
        """Return the moves. Raises `EmptyGroupError`."""
        self._moves += _first(self._entries, self._changed, self._light)
        for level in self._changed:
            self._arrange(level)
        return _stranded(self._moves)

    def _arrange(self, level: str) -> None:
        """Put a level in order, which stands where it is wanted."""
        rows = self._changed[level]
        if level in self._begun or not rows:
            return
        self._begun.add(level)
        here = set(rows)
        for row in rows:
            if row in self._entries.levels and self._entries.home[row] != level:
                self._make_room(row, level)
        stay = kept(
            [row for row in self._entries.levels[level] if row in here], rows, self._touched
        )
        if not stay:
            self._moves.append(_begin(self._entries, level, rows, self._light))
            stay = frozenset((self._moves[-1].id,))
        last = ""
        for row in rows:
            if row not in stay and last:
                self._moves.append(self._entries.move(row, level, "after", last))
            elif row not in stay:
                first = next(each for each in rows if each in stay)
                self._moves.append(self._entries.move(row, level, "before", first))
            last = row

    def _make_room(self, group: str, level: str) -> None:
        """Take out of a group what would be too deep once that is in a level.

        There is something that leaves it anyway, for the end is not that deep. It goes to where it
        is wanted, if that stands where it is wanted already, else to the top for the time being.
        """
        while deep := self._entries.too_deep(group, level):
            row = next(each for each in deep if self._entries.home[each] != self._wanted(each))
            to = self._wanted(row)
            if to is None or not self._stands(to):
                self._moves.append(
                    self._entries.move(row, TOP, "after", self._entries.levels[TOP][-1])
                )
            elif to in self._begun:
                self._make_room(row, to)
                self._moves.append(self._enter(row, to))
            else:
                self._arrange(to)

    def _enter(self, row: str, level: str) -> EntryMove:
        """Put a group into a level that is about to be put in order."""
        rows, there = self._changed[level], self._entries.levels[level]
        above = (each for each in rows[rows.index(row) :: -1] if self._entries.home[each] == level)
        if (last := next(above, None)) is not None:
            return self._entries.move(row, level, "after", last)
        return self._entries.move(row, level, *(("before", there[0]) if there else ("into", "")))

    def _wanted(self, row: str) -> str | None:
        """Return the level where an entry is wanted, None for one that is removed."""
        return self._now.level_of(row) if row in self._now else None

    def _stands(self, level: str) -> bool:
        """Whether a level and all its ancestors are where they are wanted."""
        while level != TOP:
            if self._entries.home[level] != self._wanted(level):
                return False
            level = self._entries.home[level]
        return True


def _stranded(moves: Sequence[EntryMove]) -> list[EntryMove]:
    """Return moves without the ways back that lead beside what has left for good by then.

    What went to the top for the time being goes back all the way, or stays where it is wanted.
    """
    left: dict[str, str] = {}
    stays = {move.id for move in moves if move.back is None}
    found = []
    for move in reversed(moves):
        level = move.before.level
        if move.id in stays or (move.back is not None and left.get(move.back[1]) == level):
            left[move.id] = level
            move = replace(move, back=None)
        found.append(move)
    again = stays != {move.id for move in found if move.back is None}
    return _stranded(found[::-1]) if again else found[::-1]


def _levels(now: Layout) -> Iterable[str]:
    """Yield the levels with entries, the outer before the inner."""
    yield TOP
    waiting = [row for row in now.levels[TOP] if now.items[row].kind == "group"]
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
