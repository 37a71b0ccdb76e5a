"""Putting staged changes on top of a layout that others changed meanwhile: a three-way merge.

What both wanted alike is nobody's difference. Where both set the same to different values ours is
on top, and it is a `Clash`. What no longer fits is `Lost`, and said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import (
    GROUP,
    SECTIONS,
    TOP,
    Difference,
    Item,
    Layout,
    change_line,
    changed_fields,
    default_at,
    differences,
    place_line,
    put_as,
    set_values,
)
from copydesk.domain.order import kept
from copydesk.domain.reversal import JSON


@dataclass(frozen=True, slots=True)
class Lost:
    """Something staged that went away, and why; both clean, without a full stop."""

    line: str
    why: str


@dataclass(frozen=True, slots=True)
class Clash:
    """What both changed to different values. ``field`` may be "place" or "removed" too."""

    id: str
    title: str
    field: str
    base: JSON
    theirs: JSON
    ours: JSON


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge gives."""

    layout: Layout
    theirs: tuple[Difference, ...]
    lost: tuple[Lost, ...]
    clashes: tuple[Clash, ...]


def renamed(layout: Layout, names: Mapping[str, str]) -> Layout:
    """Return a layout with other ids of some things."""
    if not any(row in layout for row in names):
        return layout
    items = {
        names.get(row, row): replace(item, id=names[row]) if row in names else item
        for row, item in layout.items.items()
    }
    return Layout(
        items,
        {
            names.get(level, level): tuple(names.get(row, row) for row in rows)
            for level, rows in layout.levels.items()
        },
    )


def merge(
    base: Layout,
    now: Layout,
    theirs: Layout,
    touched: Collection[str] = (),
    give_way: Collection[tuple[str, str]] = (),
) -> Merged:
    """Return the staged changes (``now``, on ``base``) on top of ``theirs``."""
    return _Merge(base, now, theirs, touched, give_way).done()


@dataclass
class _Merge:
    base: Layout
    now: Layout
    theirs: Layout
    touched: Collection[str]
    give_way: Collection[tuple[str, str]]
    lost: list[Lost] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    agreed: set[str] = field(default_factory=set)
    """What moved alike on both sides."""

    def done(self) -> Merged:
        removed = self._removed()
        items = {row: item for row, item in self.theirs.items.items() if row not in removed}
        levels = {
            level: [row for row in rows if row not in removed]
            for level, rows in self.theirs.levels.items()
            if level not in removed
        }
        self._settings(items)
        self._levels(items, levels)
        for level in [level for level, rows in levels.items() if not rows and level in items]:
            if level.startswith(GROUP):  # it is only what its sections say
                del items[level], levels[level]
                levels[TOP].remove(level)
        layout = self._defaults(
            Layout(items, {level: tuple(rows) for level, rows in levels.items()})
        )
        theirs = tuple(
            each for each in differences(self.base, self.theirs) if not self._wanted(each)
        )
        return Merged(layout, theirs, tuple(self.lost), tuple(self.clashes))

    def _clash(self, row: str, name: str, base: JSON, theirs: JSON, ours: JSON) -> bool:
        """Note a clash; whether ours is on top."""
        if (row, name) in self.give_way:
            return False
        item = self.theirs.items.get(row) or self.now.items[row]  # as theirs are named
        self.clashes.append(Clash(row, item.title, name, base, theirs, ours))
        return True

    def _wanted(self, theirs: Difference) -> bool:
        """Whether others made the very changes that we wanted."""
        ours = self.now.items.get(theirs.id)
        match theirs.what:
            case "added":
                return ours is not None
            case "removed":
                return ours is None
            case "moved":
                return theirs.id in self.agreed
            case "changed":
                was = self.base.items[theirs.id].values.get(theirs.field)
                wanted = ours.values.get(theirs.field) if ours is not None else None
                return ours is not None and wanted == theirs.after and wanted != was

    def _removed(self) -> set[str]:
        """Return the rows that we remove."""
        base, now, theirs = self.base, self.now, self.theirs
        gone = {row for row in base.items if row not in now and row in theirs}
        kept_back: set[str] = set()
        for row in [row for row in base.walk() if row in gone and base.level_of(row) not in gone]:
            inside = [row, *theirs.walk(row)]
            news = [
                f"{theirs.items[each].title} is in it"
                for each in inside[1:]
                if each not in base and each not in now
            ]
            for each in inside:
                if each in base and (was := base.items[each]) != (is_ := theirs.items[each]):
                    news += [
                        change_line(name, was.values.get(name), is_.values.get(name))
                        for name in changed_fields(was, is_)
                        if name != "default"
                    ]
            if news and not self._clash(row, "removed", "", ", ".join(news), "removed"):
                kept_back.update((row, *base.walk(row)))
        gone -= kept_back
        return gone | {each for row in gone for each in theirs.walk(row) if each not in now}

    def _settings(self, items: dict[str, Item]) -> None:
        """Put our settings on top of theirs; our new rows are among the items afterwards."""
        for row, ours in self.now.items.items():
            was, is_ = self.base.items.get(row), self.theirs.items.get(row)
            if was is ours or (was == ours):
                continue
            if is_ is None:
                if was is None:
                    values = {k: v for k, v in ours.values.items() if k != "default"}
                    items[row] = replace(ours, values=values)
                else:
                    for name in changed_fields(was, ours):
                        if name == "default":
                            continue  # what is gone is told where defaults are put together
                        line = change_line(name, was.values.get(name), ours.values.get(name))
                        self.lost.append(Lost(f"{ours.title}: {line}", "it is gone"))
                continue
            values = dict(is_.values)
            names = changed_fields(was, ours) if was is not None else list(ours.values)
            for name in names:
                if name == "default":
                    continue
                before = was.values.get(name) if was is not None else is_.values.get(name)
                there, wanted = is_.values.get(name), ours.values.get(name)
                if there not in (before, wanted) and not self._clash(
                    row, name, before, there, wanted
                ):
                    continue
                values[name] = wanted
            items[row] = replace(is_, values=set_values(values))

    def _levels(self, items: dict[str, Item], levels: dict[str, list[str]]) -> None:
        for level in self.now.levels:
            if level in items and level not in levels:
                levels[level] = []  # of a container that is new
        came: dict[str, set[str]] = {}
        for row in [*self.now.walk()]:
            if row not in items:
                continue
            wanted = self.now.level_of(row)
            was = self.base.level_of(row) if row in self.base else None
            there = self.theirs.level_of(row) if row in self.theirs else None
            if wanted in (was, there):
                continue
            if was is not None and there != was:
                places = place_line(self.base, row), place_line(self.theirs, row)
                if not self._clash(row, "place", *places, place_line(self.now, row)):
                    continue
            if wanted not in levels or self._inside(levels, wanted, row):
                self.lost.append(
                    Lost(f"{items[row].title}: {place_line(self.now, row)}", "no place")
                )
                if there is None:
                    del items[row]
                    levels.pop(row, None)
                continue
            if there in levels:
                levels[there].remove(row)
            levels[wanted].append(row)
            came.setdefault(wanted, set()).add(row)
        self._homes_again(items, levels)
        for level in [level for level in self.now.levels if level in levels]:
            self._order(level, levels, came.get(level, set()))

    def _homes_again(self, items: dict[str, Item], levels: dict[str, list[str]]) -> None:
        """Keep what we wanted to remove where somebody put something into it that is there."""
        theirs = self.theirs
        placed = {row for rows in levels.values() for row in rows}
        for row in [row for row in theirs.walk() if row in items and row not in placed]:
            home = theirs.level_of(row)
            above = []
            while home not in levels:
                above.append(home)
                home = theirs.level_of(home)
            for each in reversed(above):
                items[each] = theirs.items[each]
                levels[each] = []
                home = theirs.level_of(each)
                put_as(theirs.levels[home], levels[home], each)
                title = items[each].title
                self.lost.append(Lost(f"delete {title}", "something was put into it meanwhile"))
                for fresh in theirs.walk(each):
                    level = theirs.level_of(fresh)
                    if fresh in self.base or fresh in items or level not in levels:
                        continue
                    items[fresh] = theirs.items[fresh]
                    levels[level].append(fresh)
                    if fresh in theirs.levels:
                        levels[fresh] = []
            home = theirs.level_of(row)
            put_as(theirs.levels[home], levels[home], row)

    def _inside(self, levels: Mapping[str, Sequence[str]], level: str, row: str) -> bool:
        """Whether a level is in a thing, or is its own."""
        found = [row]
        while found:
            each = found.pop()
            if each == level:
                return True
            found.extend(levels.get(each, ()))
        return False

    def _order(self, level: str, levels: dict[str, list[str]], came: Collection[str]) -> None:
        """Put what we moved beside the nearest neighbours that the others left alone."""
        now, was = self.now.levels[level], self.base.levels.get(level, ())
        is_ = self.theirs.levels.get(level, ())
        if now is was or now == was:
            return
        work = levels[level]
        stays = kept(was, now, self.touched)
        alone = kept(was, is_)
        here = set(work)
        ours = [row for row in now if row in here and (row in came or row not in stays)]
        there, wanted = set(is_), set(now)
        alike = [row for row in now if row in there] == [row for row in is_ if row in wanted]
        if ours and alike and not came:
            self.agreed.update(row for row in now if row not in alone)
            return
        for row in list(ours):
            if row in came or row not in was or row in alone:
                continue
            places = [place_line(each, row) for each in (self.base, self.theirs, self.now)]
            if places[1] == places[2]:
                self.agreed.add(row)
                ours.remove(row)
            elif not self._clash(row, "place", *places):
                ours.remove(row)
        groups = self.now.groups.intersection(now)
        firm = {*alone, *self.agreed}.intersection(now, work).difference(ours, groups)
        # New rows are put beside rows that stay; where none does, the order is ours alone.
        for row in ours:
            beside = _beside(now, now.index(row), firm, groups)
            if beside is None:
                if row in came:
                    firm.add(row)
                else:
                    title = self.now.items[row].title
                    self.lost.append(
                        Lost(f"{title}: {place_line(self.now, row)}", "nothing beside it stayed")
                    )
                continue
            work.remove(row)
            anchor, after = beside
            work.insert(work.index(anchor) + after, row)
            firm.add(row)

    def _defaults(self, layout: Layout) -> Layout:
        """Return it with exactly one default wherever there is one."""
        base, now, theirs = (each.defaults for each in (self.base, self.now, self.theirs))
        for scope, ours in now.items():
            was, is_ = base.get(scope), theirs.get(scope)
            if is_ is not None and is_ in layout and was is None:
                continue  # the first of its kind is the default by itself: theirs came first
            if ours in (was, is_) or ours not in layout:
                if ours != was and ours not in layout:
                    title = self.now.items[ours].title
                    self.lost.append(Lost(f"{title}: the default", "it is gone"))
                continue
            if layout.items[ours].values.get("hidden"):
                line = f"{layout.items[ours].title}: the default"
                self.lost.append(Lost(line, "it is hidden by now"))
                continue
            if is_ not in (was, None) and is_ in layout:
                titles = [
                    each.items[row].title if row in each else ""
                    for each, row in (
                        (self.base, was or ""), (self.theirs, is_ or ""), (self.now, ours)
                    )
                ]  # fmt: skip
                if not self._clash(ours, "default", *titles):
                    continue
            layout = default_at(layout, ours)
        for row, item in layout.items.items():
            if (
                item.kind in ("section", "site-space")
                and layout.scope_of(row) not in layout.defaults
            ):
                layout = default_at(layout, self._heir(layout, row), show=True)
        return layout

    def _heir(self, layout: Layout, row: str) -> str:
        """Return what becomes the default where there is none: ours, and none that is hidden."""
        scope = layout.scope_of(row)
        rows = layout.sections() if scope == SECTIONS else layout.levels[scope]
        wanted = self.now.defaults.get(scope)
        order: list[str] = [*([wanted] if wanted is not None and wanted in rows else []), *rows]
        told = (each for each in order if not layout.items[each].values.get("hidden"))
        if (heir := next(told, None)) is not None:
            return heir
        line = f"{layout.items[order[0]].title}: hidden"
        self.lost.append(Lost(line, "nothing else is left there to land on, so it is shown"))
        return order[0]


def _beside(
    order: Sequence[str], at: int, firm: Collection[str], fixed: Collection[str]
) -> tuple[str, bool] | None:
    """Return the nearest firm neighbour before which no group stands, and whether it is above."""
    above, below = at - 1, at + 1
    while above >= 0 or below < len(order):
        if above >= 0:
            if order[above] in firm:
                return order[above], True
            above = -1 if order[above] in fixed else above - 1
        if below < len(order):
            if order[below] in firm:
                return order[below], False
            below = len(order) if order[below] in fixed else below + 1
    return None
