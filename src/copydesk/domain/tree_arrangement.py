"""The tree of collections and spaces of an organization, rearranged here and not yet sent.

In every level collections come before spaces: how the two stand among each other is in no answer of
the API, so there is nothing to stage about it. What requests make an arrangement is in
`copydesk.domain.tree_plan`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.layout import TOP, Item, Kind, Layout, Values, put_as, set_values
from copydesk.domain.order import moved
from copydesk.domain.rebase import Lost
from copydesk.domain.reversal import NEW, Call
from copydesk.domain.text import listed as in_words
from copydesk.domain.text import plural
from copydesk.domain.tree_move_calls import Tree, where
from copydesk.domain.tree_moves import NoAnchorError, TreeMove
from copydesk.domain.tree_plan import DUPLICATE, INHERIT, copied, planned_moves, tree_calls

if TYPE_CHECKING:
    from copydesk.domain.reversal import JSON
    from copydesk.domain.space_tree import SpaceNode

NO_SPACE = (
    "The API orders collections only beside a space, and {where} has none. "
    "Move a space there first, or put the collection last."
)


@dataclass(frozen=True)
class TreeArrangement(Arrangement):
    """A tree of collections and spaces, as it is and as it is wanted; ``ids`` is the organization.

    ``listed`` says that the service lists spaces (extension E2), so that the order of those at the
    top is known.
    """

    listed: bool = True

    @property
    def organization(self) -> str:
        """The id of the organization."""
        return self.ids[0]

    def calls(self) -> list[Call]:
        """Return the fewest requests, in the order in which they are sent."""
        if not self.dirty:
            return []
        tree = Tree(self.organization, self.listed)
        return tree_calls(tree, self.base, self.now, self.touched)

    @cached_property
    def _goes(self) -> Mapping[str, frozenset[str]]:
        """What requests move, by the level that it is in then; none where none make the order."""
        moves: list[TreeMove] = []
        with suppress(NoAnchorError):
            moves, _ = planned_moves(self.base, self.now, self.touched)
        found: dict[str, set[str]] = {}
        for move in moves:
            found.setdefault(move.level, set()).add(move.id)
        return {level: frozenset(rows) for level, rows in found.items()}

    def moving(self, level: str) -> frozenset[str]:
        """Return what requests move in a level, or into it.

        What comes from elsewhere goes to its place at once, and the order of collections moves
        more than was moved by hand: so it is what the plan says.
        """
        return self._goes.get(level, frozenset())

    def why_not(self, after: Layout, picked: Collection[str]) -> str | None:
        """Say why no request makes that tree, or None."""
        if after.levels is self.now.levels:
            return None
        if not self.listed and _spaces(after, TOP) != _spaces(self.now, TOP):
            there = {*_spaces(self.base, TOP)}
            was, now = (
                [row for row in _spaces(layout, TOP) if row in there and row in after]
                for layout in (self.base, after)
            )
            if [row for row in was if row in now] != now:
                return "This service lists no spaces: their order at the top is not known."
        try:
            planned_moves(self.base, after, self.touched)
        except NoAnchorError as stuck:
            return NO_SPACE.format(where=where(stuck.level, after))
        return None

    def check(self, item: Item, values: Values) -> None:
        """Raise `StagingError` for values beyond the limits that the contract declares."""
        from pydantic import ValidationError

        from copydesk.contract.models.collection import CollectionUpdate
        from copydesk.contract.models.space import SpaceUpdate

        if "title" in values and not str(values["title"] or "").strip():
            raise StagingError("A title cannot be empty.")
        model = CollectionUpdate if item.kind == "collection" else SpaceUpdate
        given = {name: value for name, value in values.items() if name != DUPLICATE and value}
        try:
            model.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            name = first["loc"][0] if first["loc"] else "It"
            said = str(first["msg"]).replace("String should have", "has to have")
            raise StagingError(f"{str(name).capitalize()}: {said}.") from error

    # Order

    def move(self, picked: Collection[str], delta: int) -> Self:
        """Return it with the picked things further down among those of their kind (or up).

        Raises `StagingError` at the end, and where no request makes that.
        """
        rows = self._movable(picked)
        orders: dict[str, tuple[str, ...]] = {}
        for level in dict.fromkeys(self.now.level_of(row) for row in rows):
            inside = [row for row in rows if self.now.level_of(row) == level]
            order: list[str] = []
            for kind in ("collection", "space"):
                alike = [row for row in self.now.levels[level] if self.now.items[row].kind == kind]
                mine = [row for row in inside if self.now.items[row].kind == kind]
                order += moved(alike, mine, delta)
            if tuple(order) != self.now.levels[level]:
                orders[level] = tuple(order)
        if not orders:
            raise StagingError(self._at_the_end(rows, delta))
        return self._to(self.now.ordered(orders), rows, moved=True)

    def _at_the_end(self, rows: list[str], delta: int) -> str:
        if not rows:
            return "There is nothing to move."
        kind, level = self.now.items[rows[-1]].kind, self.now.level_of(rows[-1])
        alike = [row for row in self.now.levels[level] if self.now.items[row].kind == kind]
        here = "at the top" if level == TOP else f"in {self.now.items[level].title}"
        if len(alike) < 2:
            return f"The row is the only {kind} {here}."
        end = "last" if delta > 0 else "first"
        said = f"The row is the {end} {kind} {here}."
        if kind == "collection" and delta > 0 and len(alike) < len(self.now.levels[level]):
            said += " The API does not say in what order collections and spaces are."
        return said

    # More and fewer

    def add(
        self, level: str, kind: Kind, values: Values, *, after: str | None = None
    ) -> tuple[Self, str]:
        """Return it with one more collection or space, and its provisional id.

        Raises `StagingError`.
        """
        if kind == "space":
            values = {"editMode": "live", "mergeRules": dict(INHERIT), **values}
        return super().add(level, kind, values, after=after)

    def duplicate(self, row: str) -> tuple[Self, str]:
        """Return it with a copy of a space right below it, and its provisional id.

        Raises `StagingError` for things that cannot be copied.
        """
        item = self.there(row)
        if item.kind != "space":
            raise StagingError("The API copies spaces only, not collections.")
        if row.startswith(NEW):
            raise StagingError("Only staged yet: send it first, then copy it.")
        values = copied(self.base.items[row].values, row)
        return self.add(self.now.level_of(row), "space", values, after=row)

    def remove(self, rows: Collection[str]) -> Self:
        """Return it without some spaces and empty collections. Raises `StagingError`."""
        for row in rows:
            if self.there(row).kind != "collection":
                continue
            inside = [each for each in self.now.levels[row] if each not in rows]
            if inside:
                counts = [
                    plural(count, kind)
                    for kind in ("collection", "space")
                    if (count := sum(self.now.items[each].kind == kind for each in inside))
                ]
                title = self.now.items[row].title
                raise StagingError(
                    f"{title} holds {in_words(counts)}: move or delete what is in it first."
                )
        return super().remove(rows)

    def bound(self, made: Mapping[str, str]) -> Self:
        """Return the arrangement with the ids of the service; a copy is an ordinary space now."""
        bound = super().bound(made)
        items = [
            replace(item, values={name: v for name, v in item.values.items() if name != DUPLICATE})
            for row in made.values()
            if (item := bound.now.items.get(row)) is not None and DUPLICATE in item.values
        ]
        return replace(bound, now=bound.now.with_items(items)) if items else bound

    # Others

    def settled(self, after: Layout, theirs: Layout) -> tuple[Layout, tuple[Lost, ...]]:
        """Return a rebased tree that deletes no collection into which others put something."""
        lost: list[Lost] = []
        items, levels = dict(after.items), {**after.levels}
        for row in theirs.walk():
            item = theirs.items[row]
            if row in items or item.kind != "collection":
                continue
            news = [each for each in theirs.walk(row) if each not in self.base]
            if not news:
                continue
            lost.append(Lost(f"delete {item.title}", "something was put into it meanwhile"))
            back = [row, *(each for each in theirs.walk(row) if _leads(theirs, each, news))]
            for each in back:
                if each in items:
                    continue
                level = theirs.level_of(each)
                items[each] = theirs.items[each]
                rows = list(levels[level])
                put_as(theirs.levels[level], rows, each)
                levels[level] = tuple(rows)
                if theirs.items[each].kind == "collection":
                    levels.setdefault(each, ())
        return tidy(Layout(items, levels)), tuple(lost)

    def reachable(self) -> tuple[Self, tuple[Lost, ...]]:
        """Return it without the orders of collections that no requests make now, and those."""
        now, lost = self.now, []
        while True:
            try:
                planned_moves(self.base, now, self.touched)
            except NoAnchorError as stuck:
                level = stuck.level
            else:
                break
            was = self.base.levels.get(level, ())
            rows = now.levels[level]
            folders = [row for row in rows if now.items[row].kind == "collection"]
            order = [row for row in was if row in folders]
            # What is new is made before anything arrives, and each goes last then.
            order += [row for row in folders if row not in self.base]
            order += [row for row in rows if row not in order]
            if tuple(order) == rows:
                break  # never so; but a place that cannot be opened would be worse
            now = tidy(now.ordered({level: tuple(order)}))
            place = where(level, now)
            lost.append(
                Lost(f"the order of the collections in {place}", "there is no space in it by now")
            )
        return (self if now is self.now else replace(self, now=now)), tuple(lost)

    def _to(self, after: Layout, picked: Iterable[str], *, moved: bool = False) -> Self:
        if after.levels is not self.now.levels:
            after = tidy(after)
        return super()._to(after, picked, moved=moved)


def tidy(layout: Layout) -> Layout:
    """Return a layout with the collections of every level before its spaces."""
    orders: dict[str, tuple[str, ...]] = {}
    for level, rows in layout.levels.items():
        spaces = 0
        for row in rows:
            if layout.items[row].kind == "space":
                spaces += 1
            elif spaces:
                orders[level] = tuple(
                    sorted(rows, key=lambda each: layout.items[each].kind == "space")
                )
                break
    return layout.ordered(orders) if orders else layout


def _spaces(layout: Layout, level: str) -> list[str]:
    return [row for row in layout.levels.get(level, ()) if layout.items[row].kind == "space"]


def _leads(layout: Layout, row: str, news: Collection[str]) -> bool:
    return row in news or any(layout.inside(each, row) for each in news)


def layout_of(nodes: Iterable[SpaceNode]) -> tuple[Layout, int]:
    """Return the layout of the collections and spaces of an organization, in published order.

    What is in a collection that the reader cannot see is left out, for nothing can be put next to
    it; the number is how many of those there are.
    """
    flat = {node.id: node for node in nodes if node.kind != "loose" and node.id}
    below: dict[str, list[str]] = {TOP: []}
    below |= {node.id: [] for node in flat.values() if node.kind == "collection"}
    for node in flat.values():
        if (node.parent or TOP) in below:
            below[node.parent or TOP].append(node.id)
    items: dict[str, Item] = {}
    levels: dict[str, tuple[str, ...]] = {}
    waiting = [TOP]  # without recursion: the depth is the service's to choose
    while waiting:
        level = waiting.pop()
        rows = sorted(below[level], key=lambda row: flat[row].kind == "space")
        levels[level] = tuple(rows)
        items |= {row: Item(row, _item_kind(flat[row]), values_of(flat[row])) for row in rows}
        waiting += [row for row in rows if flat[row].kind == "collection"]
    return Layout(items, levels), len(flat) - len(items)


def _item_kind(node: SpaceNode) -> Kind:
    return "collection" if node.kind == "collection" else "space"


def values_of(node: SpaceNode) -> Values:
    """Return the settings of a collection or a space by their wire names, as the service has them.

    They are sent again on the way back, so texts are not clean: who draws them cleans them.
    """
    if node.kind == "collection":
        return set_values({"title": node.title, "description": node.description, **node.raw})
    return set_values(
        {
            "title": node.title,
            "emoji": node.emoji,
            "language": node.language,
            "editMode": node.edit_mode,
            "mergeRules": _rules(node),
            **node.raw,
        }
    )


def _rules(node: SpaceNode) -> Mapping[str, JSON]:
    if node.rules_type != "rules":
        return {"type": node.rules_type or "inherit"}
    rules: list[JSON] = [
        {"rule": rule, "users": list(users)} if users else {"rule": rule}
        for rule, users in node.rules
    ]
    return {"type": "rules", "rules": rules}
