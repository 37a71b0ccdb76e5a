"""What is staged: a published layout, the wanted one, and what is between the two.

The part of an `copydesk.domain.arrangement.Arrangement` that is read and taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from copydesk.domain.layout import Item, Layout, changed_fields
from copydesk.domain.layout_text import layouts_in, text_of
from copydesk.domain.order import Move, plan, possible


@dataclass(frozen=True, slots=True)
class State:
    """What is staged of one thing: whether it moves, the settings that change, new, removed."""

    moved: bool = False
    changed: tuple[str, ...] = ()
    new: bool = False
    removed: bool = False

    def __bool__(self) -> bool:
        """Whether anything is staged of it."""
        return self.moved or bool(self.changed) or self.new or self.removed


_NOTHING = State()


@dataclass(frozen=True)
class Arranged:
    """A layout that was published (``base``) and the one that is wanted (``now``).

    ``ids`` name what it is the layout of: the organization, then the site where it is of one.
    """

    base: Layout
    now: Layout
    ids: tuple[str, ...] = ()
    past: tuple[Layout, ...] = ()
    future: tuple[Layout, ...] = ()
    touched: frozenset[str] = frozenset()
    """What was moved by hand: of two plans of one length, the one that moves these is better."""
    count: int = 0
    """How many provisional ids were given."""
    _plans: dict[str, tuple[object, object, list[Move] | None]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The moves in each level as found last: a key press must not plan 2,000 levels anew."""

    @classmethod
    def on(cls, layout: Layout, *ids: str) -> Self:
        """Return nothing staged, on a published layout."""
        return cls(layout, layout, ids)

    @cached_property
    def dirty(self) -> bool:
        """Whether the wanted layout differs from the published one."""
        return not self.now.same(self.base)

    # Steps

    def undo(self) -> Self:
        """Return what was staged before the last step; the same when there was none."""
        if not self.past:
            return self
        return replace(
            self, now=self.past[-1], past=self.past[:-1], future=(*self.future, self.now)
        )

    def redo(self) -> Self:
        """Return it with the step that was undone last; the same when there is none."""
        if not self.future:
            return self
        return replace(
            self, now=self.future[-1], past=(*self.past, self.now), future=self.future[:-1]
        )

    def drop(self) -> Self:
        """Return nothing staged; `undo` brings back what was."""
        if not self.dirty:
            return self
        return replace(self, now=self.base, past=(*self.past, self.now), future=())

    # What is staged

    def state(self, row: str) -> State:
        """Return what is staged of one thing."""
        return self.states.get(row, _NOTHING)

    @cached_property
    def states(self) -> Mapping[str, State]:
        """What is staged, of everything of which something is."""
        now, base = self.now, self.base
        moving = {
            row
            for level, rows in now.levels.items()
            if rows is not base.levels.get(level)
            for row in self.moving(level)
        }
        found = {row: State(moved=True) for row in moving}
        for row in self.differing:
            item, was = now.items[row], base.items.get(row)
            if was is None:
                found[row] = State(new=True)
            elif fields := changed_fields(was, item):
                found[row] = State(row in moving, tuple(fields))
        found.update((row, State(removed=True)) for row in self.removed)
        return found

    @cached_property
    def differing(self) -> list[str]:
        """The ids of what is new, or has other settings, in the order of the wanted layout."""
        base = self.base.items
        if self.now.items is base:
            return []
        return [row for row, item in self.now.items.items() if base.get(row) is not item]

    def moving(self, level: str) -> frozenset[str]:
        """Return what moves in a level, or into it."""
        moves = self.moves(level)
        there = self.base.levels.get(level, ())
        came = set(self.now.levels.get(level, ())).difference(there).intersection(self.base.items)
        return frozenset(came.union(move.id for move in moves or ()))

    def moves(self, level: str) -> list[Move] | None:
        """Return the fewest moves in a level, of what is in it once all is added to its end.

        None where no requests make that order.
        """
        was, now = self.base.levels.get(level, ()), self.now.levels.get(level, ())
        if was is now:
            return []
        found = self._plans.get(level)
        if found is None or found[0] is not was or found[1] is not now:
            found = self._plans[level] = (was, now, self.moves_to(level, now))
        return found[2]

    def moves_to(self, level: str, order: Sequence[str]) -> list[Move] | None:
        """Return the fewest moves that give a level another order; None where there are none."""
        before, fixed, leaving = self._around(level, order)
        return plan(before, order, fixed=fixed, touched=self.touched, leaving=leaving)

    def reaches(self, level: str, order: Sequence[str]) -> bool:
        """Whether requests can give a level another order."""
        before, fixed, leaving = self._around(level, order)
        return possible(before, order, fixed=fixed, leaving=leaving)

    def _around(
        self, level: str, order: Sequence[str]
    ) -> tuple[Sequence[str], frozenset[str], Sequence[str]]:
        """Return a level before its moves, what stays in it, and what leaves it after them."""
        groups = self.base.groups
        fixed = groups.intersection(order) if groups else groups
        if self.now.items is self.base.items:  # nothing is added to it or taken from it
            was = self.base.levels.get(level, ())
            if len(was) == len(order) and set(was).issuperset(order):
                return was, fixed, ()
        before = self.before_moves(level, order)
        wanted = set(order)
        return before, fixed, [row for row in before if row not in wanted]

    def before_moves(self, level: str, order: Sequence[str]) -> list[str]:
        """Return a level as it is when its moves are sent: with all that is added at its end.

        What is removed later is there still, but for the groups that go with their last section.
        """
        was, items = self.base.levels.get(level, ()), self.base.items
        wanted, there = set(order), set(was)
        stays = [row for row in was if row in wanted or items[row].kind != "group"]
        return [*stays, *(row for row in order if row not in there)]

    @cached_property
    def removed(self) -> Mapping[str, Item]:
        """What is going to be removed, by id."""
        if self.now.items is self.base.items:
            return {}
        gone = self.base.items.keys() - self.now.items.keys()
        return {row: item for row, item in self.base.items.items() if row in gone} if gone else {}

    @cached_property
    def shown(self) -> Layout:
        """The wanted layout with what is going to be removed still at its place, to be drawn."""
        if not self.removed:
            return self.now
        levels = dict(self.now.levels)
        for level, order in self.base.levels.items():
            if level in self.removed:
                levels[level] = order
            elif ghosts := [row for row in order if row in self.removed]:
                rows = list(levels.get(level, ()))
                for row in ghosts:
                    above = order[: order.index(row)]
                    after = next((each for each in reversed(above) if each in rows), None)
                    rows.insert(0 if after is None else rows.index(after) + 1, row)
                levels[level] = tuple(rows)
        return Layout({**self.removed, **self.now.items}, levels)

    # On this machine

    def to_text(self, said: Sequence[str] = ()) -> str:
        """Return it as text, so that it outlives the program; ``said`` are lines for people."""
        kept = text_of(self.base, self.now, self.touched, self.count)
        return "\n".join([*said, "", kept] if said else [kept])

    @classmethod
    def from_text(cls, text: str, *ids: str) -> Self | None:
        """Return what `to_text` wrote, or None for text that is something else."""
        found = layouts_in(text.rpartition("\n")[2])
        if found is None:
            return None
        base, now, touched, count = found
        return cls(base, now, ids, past=(base,), touched=touched, count=count)
