"""Another order, staged here and not yet sent (interaction.md 3.6).

`Staged` is a value: every step gives a new one, so undo, redo and dropping are only other values.
What is sent is worked out from the published order and the staged one, level by level, with the
fewest requests. A group cannot be moved, and what is moved next to one of its sections would join
it, so nothing is planned next to a group.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Self

from copydesk.domain.order import Move, applied, kept, moved, plan
from copydesk.domain.site_tree import TOP, Levels


class MoveError(ValueError):
    """A move that cannot be staged; the message is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a plan: a move, and the level it is in."""

    level: str
    move: Move


@dataclass(frozen=True, slots=True)
class Rebased:
    """Staged moves on top of an order that others changed: what fits, and what does not."""

    staged: Staged
    changed: bool
    dropped: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Staged:
    """An order that was published (``base``) and the one that is wanted (``now``).

    ``fixed`` are the ids that stay where they are: groups.
    """

    base: Levels
    now: Levels
    fixed: frozenset[str] = frozenset()
    past: tuple[Levels, ...] = ()
    future: tuple[Levels, ...] = ()
    touched: frozenset[str] = frozenset()
    """What was moved by hand: of two plans of one length, the one that moves these is better."""

    @classmethod
    def on(cls, levels: Levels, fixed: Collection[str] = ()) -> Self:
        """Return nothing staged, on a published order."""
        return cls(levels, levels, frozenset(fixed))

    @property
    def dirty(self) -> bool:
        """Whether the wanted order differs from the published one."""
        return self.now != self.base

    def move(self, level: str, picked: Collection[str], delta: int) -> Staged:
        """Return the order with the picked ids ``delta`` places further down (up when negative).

        Places next to groups that no request could reach are skipped. Raises `MoveError` at the
        end of the level, for a group, and where only such places are left.
        """
        if self.fixed.intersection(picked):
            raise MoveError("The API has no operation that moves a group. Move what is around it.")
        order = self.now[level]
        if len(order) < 2:
            raise MoveError("Nothing to order: it stands alone.")
        step = 1 if delta > 0 else -1
        before: Sequence[str] = order
        wanted = abs(delta)
        for far in range(1, len(order) + 1):
            after = moved(order, picked, step * far)
            if after == list(before):
                break
            before = after
            if far >= wanted and self._reachable(level, after):
                return self._with(level, after, picked)
        if list(before) == list(order):
            which = "last of its level" if step > 0 else "first already"
            raise MoveError(f"It is the {which}.")
        raise MoveError("Further on there are only places in a group, which it would join.")

    def place(self, level: str, item: str, position: int) -> Staged:
        """Return the order with one item at a position of its level, from 1. Raises `MoveError`."""
        order = self.now[level]
        if not 1 <= position <= len(order):
            raise MoveError(f"Positions here are 1 to {len(order)}.")
        if item in self.fixed:
            raise MoveError("The API has no operation that moves a group. Move what is around it.")
        after = [row for row in order if row != item]
        after.insert(position - 1, item)
        if not self._reachable(level, after):
            raise MoveError("No request can put it there: next to a group it would join it.")
        return self._with(level, after, (item,))

    def _reachable(self, level: str, after: Sequence[str]) -> bool:
        return plan_around(self.base[level], after, self.fixed) is not None

    def _with(self, level: str, order: Sequence[str], picked: Collection[str]) -> Staged:
        now = {**self.now, level: tuple(order)}
        if now == dict(self.now):
            return self
        touched = self.touched | frozenset(picked)
        return replace(self, now=now, past=(*self.past, self.now), future=(), touched=touched)

    def undo(self) -> Staged:
        """Return the order before the last step; the same when there is none."""
        if not self.past:
            return self
        return replace(
            self, now=self.past[-1], past=self.past[:-1], future=(*self.future, self.now)
        )

    def redo(self) -> Staged:
        """Return the order after the step that was undone last; the same when there is none."""
        if not self.future:
            return self
        return replace(
            self, now=self.future[-1], past=(*self.past, self.now), future=self.future[:-1]
        )

    def drop(self) -> Staged:
        """Return the published order; `undo` brings the dropped one back."""
        return (
            self
            if not self.dirty
            else replace(self, now=self.base, past=(*self.past, self.now), future=())
        )

    def plan(self) -> list[Step]:
        """Return the fewest requests that make the wanted order, the top first."""
        return [
            Step(level, move)
            for level in sorted(self.now, key=lambda level: level != TOP)
            if self.now[level] != self.base[level]
            for move in plan_around(self.base[level], self.now[level], self.fixed, self.touched)
            or ()
        ]

    def backs(self) -> list[Step | None]:
        """Return, for each request of the plan, the one that takes it back.

        They are sent in reverse order. None where nothing but a group was beside it: then no
        request can take it back.
        """
        orders = {level: list(ids) for level, ids in self.base.items()}
        found: list[Step | None] = []
        for step in self.plan():
            order = orders[step.level]
            at = order.index(step.move.id)
            if at and order[at - 1] not in self.fixed:
                found.append(Step(step.level, Move(step.move.id, "after", order[at - 1])))
            elif at + 1 < len(order) and order[at + 1] not in self.fixed:
                found.append(Step(step.level, Move(step.move.id, "before", order[at + 1])))
            else:
                found.append(None)
            orders[step.level] = applied(order, [step.move])
        return found

    def rebase(self, levels: Levels, fixed: Collection[str] = ()) -> Rebased:
        """Return the staged moves on top of another published order.

        Each goes next to the nearest neighbour of the staged order that the others left alone. One
        that has none any more, or that no request could make now, is dropped and named.
        """
        fixed = frozenset(fixed)
        if levels == self.base and fixed == self.fixed:
            return Rebased(self, changed=False)
        work: dict[str, tuple[str, ...]] = dict(levels)
        dropped: list[Step] = []
        for level, steps in groupby(self.plan(), key=lambda step: step.level):
            published = levels.get(level, ())
            firm = set(kept(self.base[level], published)) - fixed
            planned = list(steps)
            firm -= {step.move.id for step in planned}
            for step in planned:
                move = self._beside(step, firm) if step.move.id in published else None
                after = tuple(applied(work[level], [move])) if move is not None else ()
                if move is None or plan_around(published, after, fixed) is None:
                    dropped.append(step)
                else:
                    work[level] = after
                    firm.add(move.id)
        past = (levels,) if work != dict(levels) else ()
        staged = Staged(levels, work, fixed, past, touched=self.touched)
        return Rebased(staged, changed=True, dropped=tuple(dropped))

    def _beside(self, step: Step, firm: Collection[str]) -> Move | None:
        """Return a move next to the nearest firm neighbour that no group stands before."""
        order = self.now[step.level]
        at = order.index(step.move.id)
        above, below = at - 1, at + 1
        while above >= 0 or below < len(order):
            if above >= 0:
                if order[above] in firm:
                    return Move(step.move.id, "after", order[above])
                above = -1 if order[above] in self.fixed else above - 1
            if below < len(order):
                if order[below] in firm:
                    return Move(step.move.id, "before", order[below])
                below = len(order) if order[below] in self.fixed else below + 1
        return None

    def to_text(self, said: Sequence[str] = ()) -> str:
        """Return both orders as text, so that staged moves outlive the program.

        ``said`` are lines for people, which come first.
        """
        kept = json.dumps({"base": dict(self.base), "now": dict(self.now)})
        return "\n".join([*said, "", kept] if said else [kept])

    @classmethod
    def from_text(cls, text: str, fixed: Collection[str] = ()) -> Self | None:
        """Return what `to_text` wrote, or None for text that is something else."""
        try:
            value = json.loads(text.rpartition("\n")[2])
        except ValueError:
            return None
        base, now = _levels(value, "base"), _levels(value, "now")
        if base is None or now is None or base.keys() != now.keys():
            return None
        if any(sorted(base[level]) != sorted(now[level]) for level in base):
            return None
        return cls(base, now, frozenset(fixed), past=(base,))


def _levels(value: Any, name: str) -> Levels | None:
    levels = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(levels, Mapping):
        return None
    read: dict[str, tuple[str, ...]] = {}
    for level, ids in levels.items():
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            return None
        read[level] = tuple(ids)
    return read


def plan_around(
    before: Sequence[str],
    after: Sequence[str],
    fixed: Collection[str] = (),
    touched: Collection[str] = (),
) -> list[Move] | None:
    """Return the fewest moves from one order to the other that pass by what is fixed."""
    return plan(before, after, fixed=fixed, touched=touched)
