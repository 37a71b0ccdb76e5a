"""What is still staged once requests of it were sent.

What was sent is nobody's change any more: it was done, and what others made of it since is how it
is. So before what is staged is put on top of what is published by now (`copydesk.domain.rebase`),
everything that a request which stands has set, moved, made or removed is taken as published, on
both sides of what is staged. What was not sent, or was taken back, stays staged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from copydesk.domain.call import Call
from copydesk.domain.layout import TOP, Item, Layout, default_at, set_values
from copydesk.domain.order import kept

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
        """Put a thing where it is published, beside what is there too; add it where it is not."""
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
        rows, order = self.levels[target], theirs.levels[target]
        above = order[: order.index(row)]
        after = next((each for each in reversed(above) if each in rows), None)
        rows.insert(0 if after is None else rows.index(after) + 1, row)
        self._homes[row] = target

    def drop(self, row: str) -> None:
        """Take out what is in nobody's way: a container only when nothing is left in it."""
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
        """Return it."""
        return Layout(self.items, {level: tuple(rows) for level, rows in self.levels.items()})


def _put_elsewhere(
    now: Layout, theirs: Layout, placed: Collection[str], moving: Collection[str]
) -> set[str]:
    """Return what of ``placed`` others have put elsewhere since; what is ``moving`` still is not.

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
    """Return what is staged (``now``, on ``base``) without what was ``sent``, as two such layouts.

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
