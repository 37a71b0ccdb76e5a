"""What is staged: a published layout, the wanted one, and the changes between the two.

The part of a `copydesk.domain.arrangement.Arrangement` that is read, put in another order and taken
back. Each step gives a new value, or a sentence that says why no request could make it.

`without_sent` returns the changes that are still staged once requests of them were sent. A change
that was sent is staged no more: it was done, and others may have changed it since. So before what
is staged is put on the layout that is published by now (`copydesk.domain.rebase`), everything that
a successful request has set, moved, made or removed is taken as published, on both sides of what is
staged. What was not sent, or was taken back, stays staged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from copydesk.domain.layout import (
    TOP,
    Item,
    Layout,
    changed_fields,
    default_at,
    layouts_in,
    put_as,
    set_values,
    text_of,
)
from copydesk.domain.order import Move, kept, moved, plan, possible
from copydesk.domain.reversal import Call


@dataclass(frozen=True, slots=True)
class State:
    """The staged change of one thing: whether it moves, the settings that change, new, removed."""

    moved: bool = False
    changed: tuple[str, ...] = ()
    new: bool = False
    removed: bool = False

    def __bool__(self) -> bool:
        return self.moved or bool(self.changed) or self.new or self.removed


_NOTHING = State()


@dataclass(frozen=True)
class Arranged:
    """A layout that was published (``base``) and the one that is wanted (``now``).

    ``ids`` name the site or organization of the layout: the organization, then the site where it is
    of one.
    """

    base: Layout
    now: Layout
    ids: tuple[str, ...] = ()
    past: tuple[Layout, ...] = ()
    future: tuple[Layout, ...] = ()
    touched: frozenset[str] = frozenset()
    """Things moved by hand: of two plans of one length, the one that moves these is better."""
    count: int = 0
    """How many provisional ids were given."""
    _plans: dict[str, tuple[object, list[Move] | None]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """The moves in each level as found last, and for what: a key press must not plan 2,000 levels
    anew."""

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
        """Return the staged layout before the last step; the same when there was none."""
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
        """Return a layout with nothing staged; `undo` brings the changes back."""
        if not self.dirty:
            return self
        return replace(self, now=self.base, past=(*self.past, self.now), future=())

    # What is staged

    def state(self, row: str) -> State:
        """Return the staged changes of one row."""
        return self.states.get(row, _NOTHING)

    @cached_property
    def states(self) -> Mapping[str, State]:
        """Every row with something staged."""
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
        """The ids of new and changed things, in the order of the wanted layout."""
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
        """Return the fewest moves in a level after its new rows were added to its end.

        None where no requests make that order.
        """
        was, now = self.base.levels.get(level, ()), self.now.levels.get(level, ())
        if was is now:
            return []
        before, fixed, leaving = self._around(level, now)
        given = (before, fixed, leaving, now, self.touched.intersection(now))
        found = self._plans.get(level)
        if found is None or found[0] != given:
            moves = plan(before, now, fixed=fixed, touched=self.touched, leaving=leaving)
            found = self._plans[level] = (given, moves)
        return found[1]

    def reaches(self, level: str, order: Sequence[str]) -> bool:
        """Whether requests can give a level another order."""
        before, fixed, leaving = self._around(level, order)
        return possible(before, order, fixed=fixed, leaving=leaving)

    def _around(
        self, level: str, order: Sequence[str]
    ) -> tuple[Sequence[str], frozenset[str], Sequence[str]]:
        """Return a level before its moves, the rows that stay, and those that leave it after
        them."""
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
        was = self.base.levels.get(level, ())
        wanted, there = set(order), set(was)
        stays = [row for row in was if row in wanted or row not in self.base.groups]
        return [*stays, *(row for row in order if row not in there)]

    @cached_property
    def removed(self) -> Mapping[str, Item]:
        """Things that are going to be removed, by id."""
        if self.now.items is self.base.items:
            return {}
        gone = self.base.items.keys() - self.now.items.keys()
        return {row: item for row, item in self.base.items.items() if row in gone} if gone else {}

    @cached_property
    def shown(self) -> Layout:
        """The wanted layout to draw: rows that will be removed are still at their places."""
        if not self.removed:
            return self.now
        levels = dict(self.now.levels)
        for level, order in self.base.levels.items():
            if level in self.removed:
                levels[level] = tuple(row for row in order if row in self.removed)
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


class StagingError(ValueError):
    """What cannot be staged; the message is a sentence that says why, and what to do instead."""


@dataclass(frozen=True)
class Ordered(Arranged):
    """A published layout and the wanted one, whose levels can be put in another order."""

    def why_not(self, after: Layout, picked: Collection[str]) -> str | None:
        """Say why no request can make the staged layout, or None."""
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
            return "Nothing to order: it is the only one here."
        if list(last) == list(order):
            return f"The row is the {'last of its level' if delta > 0 else 'first already'}."
        return "No further: no call puts it beside a group."

    def place(self, picked: Collection[str], target: str, *, after: bool = True) -> Self:
        """Return it with the picked things as one block below ``target``, or above it.

        Where ``target`` is picked too, the others gather around it. Raises `StagingError`.
        """
        if target not in self.now:
            raise StagingError("Staged for removal.")
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

        Where no request makes that, each stretch between two groups is sorted by itself. What is
        in something that is going to be removed stays as it is.
        """
        if level not in self.now.levels:
            return self
        order, items = self.now.levels[level], self.now.items
        stay = self.now.groups

        def by_key(rows: Iterable[str]) -> list[str]:
            return sorted(rows, key=lambda row: key(items[row]), reverse=reverse)

        free = iter(by_key(row for row in order if row not in stay))
        rows = [row if row in stay else next(free) for row in order]
        after = self.now.ordered({level: tuple(rows)})
        if self.why_not(after, order) is not None:
            rows, stretch = [], list[str]()
            for row in order:
                if row in stay:
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
            raise StagingError("The row is in there already.")
        levels = self._without(rows)
        order = list(levels[level])
        at = order.index(after) + 1 if after in order else len(order)
        levels[level] = (*order[:at], *rows, *order[at:])
        return self._to(Layout(self.now.items, levels), rows, moved=True)

    def out(self, picked: Collection[str]) -> Self:
        """Return it with the picked things right below their parent. Raises `StagingError`."""
        rows = self._movable(picked)
        container = self.now.level_of(rows[-1])
        if container == TOP:
            raise StagingError("The row is at the top already.")
        rows = [row for row in rows if self.now.level_of(row) == container]
        return self.shift(rows, self.now.level_of(container), after=container)

    # Inside

    def _to(self, after: Layout, picked: Iterable[str], *, moved: bool = False) -> Self:
        if after.same(self.now):
            return self
        rows = tuple(picked)
        why = self.why_not(after, rows)
        if why is not None:
            raise StagingError(why)
        return self._step(after, rows if moved else ())

    def _step(self, after: Layout, touched: Collection[str]) -> Self:
        """Return it with one more step, which requests can make."""
        touching = self.touched.union(touched)
        return replace(self, now=after, past=(*self.past, self.now), future=(), touched=touching)

    def there(self, row: str) -> Item:
        """Return what a row stands for, once all is sent. Raises `StagingError` where it is not."""
        item = self.now.items.get(row)
        if item is None:
            gone = row in self.base
            raise StagingError(
                "The row is going to be removed; u brings it back." if gone else "The row is gone."
            )
        return item

    def _rows(self, picked: Collection[str]) -> list[str]:
        """Return the picked rows in the order of their level, without those inside other picked
        rows."""
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
        if not self.now.groups.isdisjoint(rows):
            raise StagingError("This service does not move groups. Move what is around it.")
        return rows

    def _not_into_itself(self, rows: Iterable[str], level: str) -> None:
        if any(level == row or self.now.inside(level, row) for row in rows):
            raise StagingError("Nothing can be put into itself.")

    def _without(self, rows: Collection[str]) -> dict[str, tuple[str, ...]]:
        levels = dict(self.now.levels)
        for level in {self.now.level_of(row) for row in rows}:
            levels[level] = tuple(row for row in levels[level] if row not in rows)
        return levels


_SCOPE = "defaultSiteSpace"
"""In the body of a request on a section: what readers land on in it."""


@dataclass
class _Asked:
    """What some requests ask for, by the ids that things have by now."""

    fields: dict[str, set[str]] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    removed: list[str] = field(default_factory=list)
    defaults: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, calls: Iterable[Call], made: Mapping[str, str]) -> _Asked:
        found = cls()
        for call in calls:
            verb, _, rest = call.key.partition(":")
            row = made.get(rest.removesuffix("/2"), rest.removesuffix("/2"))
            body = call.step.body if isinstance(call.step.body, Mapping) else {}
            match verb:
                case "move":
                    found.moved.add(row)
                case "remove":
                    found.removed.append(row)
                case "default":
                    found.defaults.add(row)
                case _:
                    found.fields.setdefault(row, set()).update(body)
                    found.moved.update(body.get("sections") or ())
                    if _SCOPE in body:
                        found.defaults.add(row)
        return found


class _Tree:
    """A layout that is being changed."""

    def __init__(self, layout: Layout, theirs: Layout) -> None:
        self._theirs = theirs
        self.items = dict(layout.items)
        self.levels = {level: list(rows) for level, rows in layout.levels.items()}
        self._homes = {row: level for level, rows in self.levels.items() for row in rows}

    def place(self, row: str) -> None:
        """Put a row where the published structure has it; add it if it is missing."""
        theirs = self._theirs
        target = theirs.level_of(row)
        if target != TOP and target not in self.levels:
            self.place(target)
        if self._inside(target, row):
            return
        if row not in self.items:
            self.items[row] = theirs.items[row]
            if row in theirs.levels:
                self.levels[row] = []
        self._out(row)
        put_as(theirs.levels[target], self.levels[target], row)
        self._homes[row] = target

    def drop(self, row: str) -> None:
        """Remove a row; a container only when it is empty."""
        if row in self.items and not self.levels.get(row):
            self._out(row)
            del self.items[row]
            self.levels.pop(row, None)

    def add(self, row: str, item: Item, level: str) -> None:
        """Add something that is gone by now, so that it is known to have been there."""
        if level in self.levels:
            self.items[row] = item
            self.levels[level].append(row)
            self._homes[row] = level

    def put(self, row: str, values: Mapping[str, object]) -> None:
        """Give a thing other settings."""
        item = self.items[row]
        self.items[row] = replace(item, values=set_values({**item.values, **values}))

    def _out(self, row: str) -> None:
        home = self._homes.pop(row, None)
        if home is not None:
            self.levels[home].remove(row)

    def _inside(self, level: str, row: str) -> bool:
        while level != TOP:
            if level == row:
                return True
            level = self._homes.get(level, TOP)
        return False

    def layout(self) -> Layout:
        """Return the order as it is now."""
        return Layout(self.items, {level: tuple(rows) for level, rows in self.levels.items()})


def _put_elsewhere(
    now: Layout, theirs: Layout, placed: Collection[str], moving: Collection[str]
) -> set[str]:
    """Return the rows of ``placed`` that others moved since, without those still ``moving``.

    In a level it is what stands in another order among those that are where they should be.
    """
    there = [row for row in placed if row not in moving and row in now]
    found = {row for row in there if now.level_of(row) != theirs.level_of(row)}
    for level in dict.fromkeys(now.level_of(row) for row in there if row not in found):
        rows = [row for row in now.levels[level] if row not in moving]
        alone = kept(rows, theirs.levels[level], placed)
        found.update(row for row in there if row in rows and row not in alone)
    return found


def without_sent(
    base: Layout,
    now: Layout,
    theirs: Layout,
    sent: Collection[Call],
    left: Collection[Call],
    made: Mapping[str, str],
) -> tuple[Layout, Layout]:
    """Return the staged changes (``now``, on ``base``) without those ``sent``, as two layouts.

    ``theirs`` is how it is by now, ``left`` are the requests that were not sent or were taken back,
    ``made`` the ids that the service gave. Both layouts have these ids already.
    """
    if not left:
        return theirs, theirs
    done, open_still = _Asked.of(sent, made), _Asked.of(left, made)
    before, after = _Tree(base, theirs), _Tree(now, theirs)
    for row in done.removed:
        for tree in (before, after):
            if row in theirs:
                tree.place(row)
            else:
                tree.drop(row)
        scope = base.scope_of(row) if row in base else ""
        if row in base.defaults.values() and scope not in open_still.defaults:
            done.defaults.add(scope)  # the service has named another
    given = set(made.values())
    fresh = [row for row in now.walk() if row not in base and (row in theirs or row in given)]
    for row in fresh:
        if row not in theirs:  # somebody removed it since
            before.add(row, now.items[row], now.level_of(row))
            continue
        before.place(row)
        item = theirs.items[row]
        values = {name: value for name, value in item.values.items() if name != "default"}
        before.items[row] = after.items[row] = replace(item, values=values)
        mine = {"default", *open_still.fields.get(row, ())}
        after.put(row, {name: now.items[row].values.get(name) for name in mine})
    known = {row for row in theirs.items if row in before.items and row in after.items}
    for row, names in done.fields.items():
        if row not in known or row in fresh:
            continue
        there = {name: theirs.items[row].values.get(name) for name in names}
        before.put(row, there)
        mine = open_still.fields.get(row, set())
        after.put(row, {name: value for name, value in there.items() if name not in mine})
    placed = [row for row in theirs.walk() if row in known and (row in done.moved or row in fresh)]
    elsewhere = _put_elsewhere(now, theirs, placed, open_still.moved)
    for row in placed:
        before.place(row)
        if row in elsewhere:
            after.place(row)
    for row in known:  # what a new section took over came along with it
        home = theirs.level_of(row)
        if home in given and row in base and row in now and now.level_of(row) == home:
            before.place(row)
    one, other = before.layout(), after.layout()
    for scope in done.defaults:
        default = theirs.defaults.get(scope)
        if default is not None and default in one:
            one = default_at(one, default)
        if default is not None and default in other:
            other = default_at(other, default)
    for row in fresh:  # the first of its kind is the default by itself
        if row in theirs and theirs.items[row].values.get("default") and row in one:
            one = default_at(one, row)
            if theirs.scope_of(row) not in open_still.defaults and row in other:
                other = default_at(other, row)
    return one, other
