"""Another arrangement of things, staged here and not yet sent (interaction.md 3.6).

`Arrangement` is a value: every step gives a new one, so undo, redo and dropping are only other
values. What is sent is worked out from the published layout and the staged one, with the fewest
requests; subclasses know the requests, and what none can do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

from copydesk.domain import rebasing, sending
from copydesk.domain.arranged import Arranged, State
from copydesk.domain.call import NEW, Call
from copydesk.domain.layout import (
    CONTAINERS,
    TOP,
    Difference,
    Item,
    Kind,
    Layout,
    Levels,
    Values,
    default_at,
    differences,
    heir_of,
    set_values,
)
from copydesk.domain.order import moved
from copydesk.domain.rebasing import Clash, Lost

__all__ = (
    "NEW",
    "TOP",
    "Arrangement",
    "Clash",
    "Difference",
    "Item",
    "Kind",
    "Layout",
    "Levels",
    "Lost",
    "Rebased",
    "StagingError",
    "State",
    "Values",
    "differences",
)

A = TypeVar("A", bound="Arrangement")


class StagingError(ValueError):
    """What cannot be staged; the message is a sentence that says why, and what to do instead."""


@dataclass(frozen=True)
class Rebased(Generic[A]):
    """What is staged, on top of a layout that others changed.

    ``theirs`` is what they did and we did not want too; ``lost`` what no longer fits and went away;
    in the ``clashes`` both set the same to different values, and ours is on top.
    """

    arrangement: A
    theirs: tuple[Difference, ...] = ()
    lost: tuple[Lost, ...] = ()
    clashes: tuple[Clash, ...] = ()
    before: A | None = None
    """What was staged before, where anything is different."""

    @property
    def changed(self) -> bool:
        """Whether others did anything that a person should see."""
        return bool(self.theirs or self.lost or self.clashes)

    def taking_theirs(self) -> A:
        """Return what is staged without ours where both changed the same."""
        if self.before is None or not self.clashes:
            return self.arrangement
        way = frozenset((clash.id, clash.field) for clash in self.clashes)
        return self.before.rebase(self.arrangement.base, give_way=way).arrangement


@dataclass(frozen=True)
class Arrangement(Arranged):
    """A layout that was published (``base``) and the one that is wanted (``now``)."""

    # What subclasses say

    def why_not(self, after: Layout, picked: Collection[str]) -> str | None:
        """Say why no request makes a layout of what is staged, or None."""
        return None

    def check(self, item: Item, values: Values) -> None:
        """Raise `StagingError` where values are none that a thing can have."""

    def calls(self) -> list[Call]:
        """Return the fewest requests that make the wanted layout, in the order they are sent."""
        raise NotImplementedError

    def added(self, after: Layout, row: str) -> Layout:
        """Return a layout with what the service makes along with a new thing."""
        return after

    def settled(self, after: Layout, theirs: Layout) -> tuple[Layout, tuple[Lost, ...]]:
        """Return a rebased layout without what no longer fits by the rules of the service."""
        return after, ()

    # Order

    def move(self, picked: Collection[str], delta: int) -> Self:
        """Return it with the picked things ``delta`` places further down (up when negative).

        Places that no request reaches are skipped. Raises `StagingError` at the end of the level,
        and where only such places are left; of several levels all move, or none.
        """
        rows = self._movable(picked)
        orders: dict[str, tuple[str, ...]] = {}
        stuck = "There is nothing to move."
        levels = dict.fromkeys(self.now.level_of(row) for row in rows)
        for level in levels:
            order = self.now.levels[level]
            inside = [row for row in rows if self.now.level_of(row) == level]
            last: Sequence[str] = list(order)
            far = abs(delta)
            while (after := moved(order, inside, far if delta > 0 else -far)) != last:
                last = after
                tried = self.now.ordered({**orders, level: tuple(after)})
                if self.why_not(tried, inside) is None:
                    orders[level] = tuple(after)
                    break
                far += 1
            else:
                stuck = self._stuck(order, last, delta)
                if len(levels) > 1:
                    title = self.now.items[inside[0]].title
                    raise StagingError(f"Nothing moves, as {title} cannot: {stuck}")
        if not orders:
            raise StagingError(stuck)
        return self._step(self.now.ordered(orders), rows)

    def _stuck(self, order: Sequence[str], last: Sequence[str], delta: int) -> str:
        if len(order) < 2:
            return "Nothing to order: it stands alone."
        if list(last) == list(order):
            return f"It is the {'last of its level' if delta > 0 else 'first already'}."
        return "Further on there are only places that no request reaches: beside a group."

    def place(self, picked: Collection[str], target: str, *, after: bool = True) -> Self:
        """Return it with the picked things as one block below ``target``, or above it.

        Where ``target`` is picked too, the others gather around it. Raises `StagingError`.
        """
        if target not in self.now:
            raise StagingError("What is going to be removed is no place to put something.")
        rows = self._movable(picked)
        level = self.now.level_of(target)
        self._not_into_itself(rows, level)
        order, chosen = self.now.levels[level], set(rows)
        at = order.index(target)
        start = [row for row in order[:at] if row not in chosen]
        end = [row for row in order[at + 1 :] if row not in chosen]
        if target not in chosen:
            start, end = ([*start, target], end) if after else (start, [target, *end])
        levels = self._without([row for row in rows if row not in order])
        levels[level] = (*start, *rows, *end)
        if len(rows) == len(chosen.intersection(order)):
            return self._to(self.now.ordered({level: levels[level]}), rows, moved=True)
        return self._to(Layout(self.now.items, levels), rows, moved=True)

    def put(self, row: str, position: int) -> Self:
        """Return it with one thing at a position of its level, from 1. Raises `StagingError`."""
        self._movable((row,))
        level = self.now.level_of(row)
        order = [each for each in self.now.levels[level] if each != row]
        if not 1 <= position <= len(order) + 1:
            raise StagingError(f"Positions here are 1 to {len(order) + 1}.")
        order.insert(position - 1, row)
        return self._to(self.now.ordered({level: tuple(order)}), (row,), moved=True)

    def sort(self, level: str, key: Callable[[Item], Any], *, reverse: bool = False) -> Self:
        """Return it with a level in another order; groups stay at their places.

        Where no request makes that, each stretch between two groups is sorted by itself.
        """
        order, items = self.now.levels.get(level, ()), self.now.items

        def by_key(rows: Iterable[str]) -> list[str]:
            return sorted(rows, key=lambda row: key(items[row]), reverse=reverse)

        free = iter(by_key(row for row in order if items[row].kind != "group"))
        rows = [row if items[row].kind == "group" else next(free) for row in order]
        after = self.now.ordered({level: tuple(rows)})
        if self.why_not(after, order) is not None:
            rows, stretch = [], list[str]()
            for row in order:
                if items[row].kind == "group":
                    rows, stretch = [*rows, *by_key(stretch), row], []
                else:
                    stretch.append(row)
            after = self.now.ordered({level: (*rows, *by_key(stretch))})
        return self._to(after, ())

    def shift(self, picked: Collection[str], level: str, *, after: str | None = None) -> Self:
        """Return it with the picked things in another container: at its end, or below ``after``.

        Raises `StagingError` where the API has no such move.
        """
        rows = self._movable(picked)
        if level not in self.now.levels:
            raise StagingError("Nothing can be put in there.")
        self._not_into_itself(rows, level)
        if all(self.now.level_of(row) == level for row in rows) and after is None:
            raise StagingError("It is in there already.")
        levels = self._without(rows)
        order = list(levels[level])
        at = order.index(after) + 1 if after in order else len(order)
        levels[level] = (*order[:at], *rows, *order[at:])
        return self._to(Layout(self.now.items, levels), rows, moved=True)

    def out(self, picked: Collection[str]) -> Self:
        """Return it with the picked things right below what they are in. Raises `StagingError`."""
        rows = self._movable(picked)
        container = self.now.level_of(rows[-1])
        if container == TOP:
            raise StagingError("It is at the top already.")
        rows = [row for row in rows if self.now.level_of(row) == container]
        return self.shift(rows, self.now.level_of(container), after=container)

    # Settings

    def change(self, row: str, values: Values) -> Self:
        """Return it with other settings of one thing. Raises `StagingError`."""
        return self.change_all({row: values})

    def change_all(self, changes: Mapping[str, Values]) -> Self:
        """Return it with other settings of several things, as one step. Raises `StagingError`.

        What is unset is set by "", None or False. Together they may do what one by one they could
        not, such as swapping two paths.
        """
        items: dict[str, Item] = {}
        for row, values in changes.items():
            item = self._there(row)
            if item.kind == "group":
                raise StagingError("The API has no operation on a group; it cannot be changed.")
            wanted = {name: values[name] for name in values if name != "default"}
            changed = {
                name: value
                for name, value in wanted.items()
                if (value or None) != (item.values.get(name) or None)
            }
            if changed:
                self.check(item, changed)
                items[row] = replace(item, values=set_values({**item.values, **changed}))
        after = self.now.with_items(items.values()) if items else self.now
        for row, values in changes.items():
            if values.get("default"):
                after = default_at(after, row)
        return self._to(after, changes)

    def make_default(self, row: str) -> Self:
        """Return it with readers landing on a thing first. Raises `StagingError`."""
        if self._there(row).kind not in ("section", "site-space"):
            raise StagingError("Only sections and what they show can be a default.")
        return self._to(default_at(self.now, row), (row,))

    # More and fewer

    def add(
        self, level: str, kind: Kind, values: Values, *, after: str | None = None
    ) -> tuple[Self, str]:
        """Return it with one more thing, and its provisional id. Raises `StagingError`.

        It goes below ``after``, or to the end of the level.
        """
        if level not in self.now.levels:
            raise StagingError("Nothing can be added in there.")
        row = f"{NEW}{self.count + 1}"
        item = Item(row, kind, set_values({**values, "default": None}))
        self.check(item, item.values)
        order = self.now.levels[level]
        at = order.index(after) + 1 if after in order else len(order)
        levels = {**self.now.levels, level: (*order[:at], row, *order[at:])}
        if kind in CONTAINERS:
            levels[row] = ()
        layout = self.added(Layout({**self.now.items, row: item}, levels), row)
        if values.get("default"):
            layout = default_at(layout, row)
        count = self.count + len(layout.items) - len(self.now.items)
        return replace(self._to(layout, (row,)), count=count), row

    def remove(self, rows: Collection[str]) -> Self:
        """Return it without some things and what is in them. Raises `StagingError`.

        One that is only staged is simply forgotten.
        """
        picked = self._rows(rows)
        if any(self.now.items[row].kind == "group" for row in picked):
            raise StagingError("The API has no operation on a group; remove its sections.")
        gone = {row for each in picked for row in (each, *self.now.walk(each))}
        items = {row: item for row, item in self.now.items.items() if row not in gone}
        levels = {
            level: tuple(row for row in order if row not in gone)
            if not gone.isdisjoint(order)
            else order
            for level, order in self.now.levels.items()
            if level not in gone
        }
        for level in [level for level in levels if not levels[level] and level in items]:
            if items[level].kind == "group":  # a group is only what its sections say
                del items[level], levels[level]
                levels[TOP] = tuple(row for row in levels[TOP] if row != level)
        after = Layout(items, levels)
        for scope, row in self.now.defaults.items():
            if row in gone and (scope not in gone) and (heir := heir_of(self.now, after, row)):
                after = default_at(after, heir, show=True)
        return self._to(after, picked)

    def bound(self, made: Mapping[str, str]) -> Self:
        """Return it with the ids that the service gave in place of provisional ones."""
        if not made:
            return self

        def bind(layout: Layout) -> Layout:
            return rebasing.renamed(layout, made)

        return replace(
            self,
            now=bind(self.now),
            past=tuple(map(bind, self.past)),
            future=tuple(map(bind, self.future)),
            touched=frozenset(made.get(row, row) for row in self.touched),
        )

    def after_sending(
        self,
        layout: Layout,
        sent: Collection[Call],
        left: Collection[Call],
        made: Mapping[str, str],
    ) -> Self:
        """Return what is staged still once some of its requests were ``sent``, to be rebased.

        ``layout`` is how it is by now, ``left`` are the requests that were not sent or were taken
        back, ``made`` the ids that the service gave.
        """
        bound = self.bound(made)
        base, now = sending.without_sent(bound.base, bound.now, layout, sent, left, made)
        return replace(bound, base=base, now=now, past=(base,), future=(), _plans={})

    # Others

    def rebase(
        self, layout: Layout, *, give_way: frozenset[tuple[str, str]] = frozenset()
    ) -> Rebased[Self]:
        """Return what is staged on top of another published layout.

        ``give_way`` names what is taken from the others where both changed it, by id and field.
        """
        if layout.same(self.base):
            return Rebased(self)
        merged = rebasing.merge(self.base, self.now, layout, self.touched, give_way)
        after, lost = self.settled(merged.layout, layout)
        fresh = replace(
            self, base=layout, now=after, past=(), future=(), _plans={},
        )  # fmt: skip
        fresh, stuck = fresh.reachable()
        if fresh.dirty:
            fresh = replace(fresh, past=(layout,))
        return Rebased(fresh, merged.theirs, (*merged.lost, *lost, *stuck), merged.clashes, self)

    def reachable(self) -> tuple[Self, tuple[Lost, ...]]:
        """Return it without the orders of levels that no requests make now, and those."""
        lost: list[Lost] = []
        orders: dict[str, tuple[str, ...]] = {}
        for level, order in self.now.levels.items():
            changed = order is not self.base.levels.get(level, order)
            if changed and not self.reaches(level, order):
                orders[level] = tuple(
                    row for row in self.before_moves(level, order) if row in self.now
                )
                title = self.now.items[level].title if level in self.now else "the top"
                lost.append(Lost(f"the order of {title}", "it leads into a group now"))
        return (replace(self, now=self.now.ordered(orders)) if orders else self), tuple(lost)

    # Inside

    def _to(self, after: Layout, picked: Iterable[str], *, moved: bool = False) -> Self:
        if after is self.now or after.same(self.now):
            return self
        rows = tuple(picked)
        why = self.why_not(after, rows)
        if why is not None:
            raise StagingError(why)
        return self._step(after, rows if moved else ())

    def _step(self, after: Layout, touched: Collection[str]) -> Self:
        """Return it with one more step, which requests can make."""
        if after.same(self.now):
            return self
        touching = self.touched.union(touched)
        return replace(self, now=after, past=(*self.past, self.now), future=(), touched=touching)

    def _there(self, row: str) -> Item:
        item = self.now.items.get(row)
        if item is None:
            gone = row in self.base
            raise StagingError(
                "It is going to be removed; u brings it back." if gone else "It is not there."
            )
        return item

    def _rows(self, picked: Collection[str]) -> list[str]:
        """Return what is picked in the order of its level, without what is in others of it."""
        for row in picked:
            self._there(row)
        chosen = set(picked)
        levels = {self.now.level_of(row) for row in chosen}
        if len(levels) == 1:
            return [row for row in self.now.levels[levels.pop()] if row in chosen]
        found: list[str] = []
        covered: set[str] = set()
        for row in self.now.walk():  # what something is in comes before it
            level = self.now.level_of(row)
            if level in chosen or level in covered:
                covered.add(row)
            elif row in chosen:
                found.append(row)
        return found

    def _movable(self, picked: Collection[str]) -> list[str]:
        rows = self._rows(picked)
        if any(self.now.items[row].kind == "group" for row in rows):
            raise StagingError(
                "The API has no operation that moves a group. Move what is around it."
            )
        return rows

    def _not_into_itself(self, rows: Iterable[str], level: str) -> None:
        if any(level == row or self.now.inside(level, row) for row in rows):
            raise StagingError("Nothing can be put into itself.")

    def _without(self, rows: Collection[str]) -> dict[str, tuple[str, ...]]:
        levels = dict(self.now.levels)
        for level in {self.now.level_of(row) for row in rows}:
            levels[level] = tuple(row for row in levels[level] if row not in rows)
        return levels
