"""Another arrangement of things, staged here and not yet sent.

`Arrangement` is a value: every step gives a new one, so undo, redo and dropping are only other
values. The requests are worked out from the published layout and the staged one, with the fewest
requests; subclasses know the requests, and what none can do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, Self, TypeVar

from copydesk.domain import rebase
from copydesk.domain.layout import (
    CONTAINERS,
    TOP,
    Difference,
    Item,
    Kind,
    Layout,
    Values,
    default_at,
    heir_of,
    set_values,
)
from copydesk.domain.rebase import Clash, Lost
from copydesk.domain.reversal import NEW, Call
from copydesk.domain.staged_layout import Ordered, StagingError, State, without_sent

__all__ = ["Arrangement", "Clash", "Rebased", "StagingError", "State"]

A = TypeVar("A", bound="Arrangement")


@dataclass(frozen=True)
class Rebased(Generic[A]):
    """The staged changes, on top of a layout that others changed.

    ``theirs`` are changes by others that we did not make too; ``lost`` what no longer fits and went
    away; in the ``clashes`` both set the same to different values, and ours is on top.
    """

    arrangement: A
    theirs: tuple[Difference, ...] = ()
    lost: tuple[Lost, ...] = ()
    clashes: tuple[Clash, ...] = ()
    before: A | None = None
    """The arrangement before, where anything is different."""

    @property
    def changed(self) -> bool:
        """Whether others did anything that a person should see."""
        return bool(self.theirs or self.lost or self.clashes)

    def taking_theirs(self) -> A:
        """Return the staged changes without ours where both changed the same."""
        if self.before is None:
            return self.arrangement
        way = frozenset((clash.id, clash.field) for clash in self.clashes)
        return self.before.rebase(self.arrangement.base, give_way=way).arrangement


@dataclass(frozen=True)
class Arrangement(Ordered):
    """A layout that was published (``base``) and the one that is wanted (``now``)."""

    # What subclasses say

    UNPUBLISHED: ClassVar[frozenset[str]] = frozenset()
    """The settings that are staged and sent, but that no published layout has."""

    def check(self, item: Item, values: Values) -> None:
        """Raise `StagingError` for values that a thing cannot have."""

    def calls(self) -> list[Call]:
        """Return the fewest requests that make the wanted layout, in the order they are sent."""
        raise NotImplementedError

    def added(self, after: Layout, row: str) -> Layout:
        """Return a layout with the things that the service makes along with a new one."""
        return after

    def settled(self, after: Layout, theirs: Layout) -> tuple[Layout, tuple[Lost, ...]]:
        """Return a rebased layout without what no longer fits by the rules of the service."""
        return after, ()

    # Settings

    def change(self, row: str, values: Values) -> Self:
        """Return it with other settings of one thing. Raises `StagingError`."""
        return self.change_all({row: values})

    def change_all(self, changes: Mapping[str, Values]) -> Self:
        """Return it with other settings of several things, as one step. Raises `StagingError`.

        "", None or False unset a value. Together they may do what one by one they could not, such
        as swapping two paths.
        """
        items: dict[str, Item] = {}
        for row, values in changes.items():
            item = self.there(row)
            if row in self.now.groups:
                raise StagingError("This service does not change groups.")
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
        if self.there(row).kind not in ("section", "site-space"):
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
        """Return it without some rows and all rows in them. Raises `StagingError`.

        One that is only staged is simply forgotten.
        """
        picked = self._rows(rows)
        if not self.now.groups.isdisjoint(picked):
            raise StagingError("This service does not remove groups; remove its sections.")
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
            if level in self.now.groups:  # it is only what its sections say
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
            return rebase.renamed(layout, made)

        return replace(
            self,
            base=bind(self.base),
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
        """Return the changes still staged after some requests were ``sent``, to be rebased.

        ``layout`` is how it is by now, ``left`` are the requests that were not sent or were taken
        back, ``made`` the ids that the service gave.
        """
        bound = self.bound(made)
        base, now = without_sent(bound.base, bound.now, layout, sent, left, made)
        return replace(bound, base=base, now=now, past=(base,), future=())

    # Others

    def rebase(
        self, layout: Layout, *, give_way: frozenset[tuple[str, str]] = frozenset()
    ) -> Rebased[Self]:
        """Return the staged changes on top of another published layout.

        ``give_way`` names, by id and field, the values that are taken from the others where both
        changed them.
        """
        if layout.same(self.base):
            return Rebased(self)
        merged = rebase.merge(self.base, self.now, layout, self.touched, give_way)
        after, lost = self.settled(merged.layout, layout)
        fresh = replace(self, base=layout, now=after, past=(), future=())
        fresh, stuck = fresh.reachable()
        if fresh.dirty:
            fresh = replace(fresh, past=(layout,))
        return Rebased(fresh, merged.theirs, (*merged.lost, *lost, *stuck), merged.clashes, self)

    def reachable(self) -> tuple[Self, tuple[Lost, ...]]:
        """Return it without the order of the top where no calls make that now, and that order.

        Only there are rows that no call moves.
        """
        order = self.now.levels.get(TOP, ())
        if self.reaches(TOP, order):
            return self, ()
        rows = tuple(row for row in self.before_moves(TOP, order) if row in self.now)
        lost = Lost("the order of the top", "it leads into a group now")
        return replace(self, now=self.now.ordered({TOP: rows})), (lost,)
