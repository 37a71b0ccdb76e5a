"""Putting what is staged in another order, and into something else.

The part of an `Arrangement` that changes levels and no settings. Each
step gives a new value, or a sentence that says why no request could make it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from copydesk.domain.layout import TOP, Item, Layout
from copydesk.domain.order import moved
from copydesk.domain.staged_layout import Arranged


class StagingError(ValueError):
    """What cannot be staged; the message is a sentence that says why, and what to do instead."""


@dataclass(frozen=True)
class Ordered(Arranged):
    """A published layout and the wanted one, whose levels can be put in another order."""

    def why_not(self, after: Layout, picked: Collection[str]) -> str | None:
        """Say why no request makes a layout of what is staged, or None."""
        return None

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

    def there(self, row: str) -> Item:
        """Return what a row stands for, once all is sent. Raises `StagingError` where it is not."""
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
            self.there(row)
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
