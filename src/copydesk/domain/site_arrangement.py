"""The structure of a site, staged: its sections, what they show, their settings and their order.

What the API cannot do is refused when it is staged: none moves a site space to another section or
puts a section into an empty group, and where the service does not move all entries alike
(``sorts``), none moves a group or puts a section into one or out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from copydesk.domain.address import PATH_PART
from copydesk.domain.arrangement import Arrangement, Rebased, StagingError
from copydesk.domain.condition import why_no_condition
from copydesk.domain.layout import (
    GROUP,
    TOP,
    Item,
    Layout,
    Values,
    default_at,
    place_line,
    set_values,
)
from copydesk.domain.rebase import Lost, renamed
from copydesk.domain.reversal import NEW, Call
from copydesk.domain.site_moves import (
    ENTRIES,
    LIGHT,
    Begun,
    EmptyGroupError,
    begun,
    depth_of,
    entry_moves,
)
from copydesk.domain.site_plan import calls_of
from copydesk.domain.site_tree import (
    DEEPEST,
    FIELDS,
    REDIRECT,
    REQUIRED,
    TOO_DEEP,
    adopting,
    made_along,
    settle,
    why_not_valid,
)
from copydesk.domain.slug import is_slug
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from typing import Self

    from copydesk.domain.site_tree import Structure


def layout_of(structure: Structure) -> Layout:
    """Return how a site is arranged, as it was read."""
    items: dict[str, Item] = {}
    for row, node in structure.nodes.items():
        values = {
            "title": node.title,
            "path": node.path,
            "description": node.description,
            "condition": node.condition,
            "icon": node.icon,
            "url": node.url,
            "draft": node.draft,
            **node.raw,
            "hidden": node.hidden,
            "default": node.default,
            "space": node.space,
            "trashed": node.trashed,
        }
        items[row] = Item(row, node.kind, set_values(values))
    return Layout(items, structure.levels)


@dataclass(frozen=True)
class SiteArrangement(Arrangement):
    """The staged changes of a site's structure; ``ids`` are the organization and the site.

    ``sorts`` says that the service moves any entry and has groups and links (extension E11).
    """

    UNPUBLISHED = frozenset({REDIRECT})

    sorts: bool = False

    def calls(self) -> list[Call]:
        """Return the fewest requests, in the order they are sent.

        Additions come first, removals last; between them the requests that others wait for: a path
        that is taken over is freed first, what becomes a default is shown first.
        """
        if not self.dirty:
            return []
        return calls_of(self)

    @classmethod
    def from_text(cls, text: str, *ids: str) -> Self | None:
        """Return what `to_text` wrote, or None for text that is something else."""
        found = super().from_text(text, *ids)
        if found is not None and any(
            row.startswith(NEW) and item.kind not in LIGHT and not item.values.get("space")
            for row, item in found.now.items.items()
        ):
            return None  # nothing is added without a space
        return found

    def begin(self) -> Begun:
        """The entries once all that is new is made, before any move."""
        takes = self.takes_over
        news = [row for row in self.now.sections() if row.startswith(NEW) and row != takes]
        return begun(self.base, self.now, [*filter(None, (takes,)), *self.adding(news)])

    # What is made along

    @property
    def takes_over(self) -> str | None:
        """The new section that takes over what the site shows without sections, or None."""
        return adopting(self.base, self.now)

    def added(self, after: Layout, row: str) -> Layout:
        """Return it with the site spaces of a new section: its own, and the present ones."""
        item = after.items[row]
        if item.kind in LIGHT:
            return after
        if item.kind != "section":
            return _with_default(after, row)
        if not item.values.get("space"):
            raise StagingError("A section is added with a space: say which.")
        levels = dict(after.levels)
        if adopting(self.base, after) == row:
            root = [each for each in levels[TOP] if after.items[each].kind == "site-space"]
            if any(each not in after for each in self.base.levels[TOP]):
                raise StagingError(
                    "The first section takes over what the site shows. "
                    "Send first what is staged to be removed."
                )
            levels[TOP] = tuple(each for each in levels[TOP] if each not in root)
            levels[row] = tuple(root)
        space = item.values["space"]
        items = dict(after.items)
        if all(after.items[each].values.get("space") != space for each in levels[row]):
            child = f"{NEW}{self.count + 2}"
            title = item.values.get("spaceTitle") or item.values.get("title")
            items[child] = Item(child, "site-space", set_values({"title": title, "space": space}))
            levels[row] = (*levels[row], child)
        layout = Layout(items, levels)
        if levels[row]:
            layout = _with_default(layout, levels[row][0])
        return _with_default(layout, row)

    def remove(self, rows: Collection[str]) -> Self:
        """Return it without some things; what a staged section took over is given back.

        What is in a group takes its place, where it is not removed too.
        """
        groups = [row for row in rows if row in self.now and self.now.items[row].kind == "group"]
        if self.sorts and groups:
            without = replace(self, now=_opened_up(self.now, groups))
            rest = [row for row in rows if row not in groups]
            after = without.remove(rest).now if rest else without.now
            return self._to(after, ())
        takes = self.takes_over
        if takes is None or takes not in rows or not self.base.levels[TOP]:
            return super().remove(rows)
        now = self.now
        given = [row for row in now.levels[takes] if row in self.base]
        to = next((row for row in now.sections() if row not in rows), TOP)
        shown = {now.items[row].values.get("space") for row in given}
        twice = {
            row
            for row in now.levels[to]
            if row.startswith(NEW) and now.items[row].values.get("space") in shown
            and now.items[row].kind == "site-space"
        }  # fmt: skip
        left = tuple(row for row in now.levels[to] if row not in twice)
        levels = {
            **now.levels,
            takes: tuple(row for row in now.levels[takes] if row not in given),
            to: (*given, *left),
        }
        items = {row: item for row, item in now.items.items() if row not in twice}
        before = replace(self, now=Layout(items, levels))
        picked = [row for row in rows if row not in twice]
        without = super(SiteArrangement, before).remove(picked)
        lands = [row for row in given if now.items[row].values.get("default")]
        stays = [row for row in given if row in without.now]
        first = next(
            (row for row in (self.base.defaults.get(TOP), *lands, *stays) if row in stays), ""
        )
        after = default_at(without.now, first, show=True) if first else without.now
        return replace(without, now=after, past=(*self.past, now))

    def before_moves(self, level: str, order: Sequence[str]) -> list[str]:
        """Return a level as it is when its moves are sent; of a new section what it begins with."""
        takes = self.takes_over
        first: list[str] = []
        if level == TOP and takes is not None:
            first = [takes]
        elif not level.startswith(NEW):
            rows = super().before_moves(level, order)
            at = next((at for at, row in enumerate(rows) if row.startswith(NEW)), len(rows))
            return [*rows[:at], *self.adding(rows[at:])]
        elif level == takes:
            first = list(self.base.levels[TOP])
        if level != TOP and (child := made_along(self.now, level)):
            first.append(child)
        return [*first, *self.adding(row for row in order if row not in first)]

    def adding(self, rows: Iterable[str]) -> list[str]:
        """Return new things in the order they are added, which is that of their level.

        But what is given a path comes before what the service might give that path to.
        """
        order, items = list(rows), self.now.items
        given = [row for row in order if items[row].values.get("path")]
        others = [row for row in order if not items[row].values.get("path")]
        if given and others and any(
            is_slug(str(items[row].values["path"]), items[other].title)
            for row in given for other in others
        ):  # fmt: skip
            return [*given, *others]
        return order

    # What cannot be

    def check(self, item: Item, values: Values) -> None:
        """Raise `StagingError` for values that a section or a site space cannot have."""
        known = FIELDS[item.kind]
        new = item.id.startswith(NEW)
        for name, value in values.items():
            if name in known or name == REDIRECT or (new and name in ("space", "spaceTitle")):
                continue
            if new and name == "title" and value == item.values.get("title"):
                continue  # what a new site space is called here is the title of its space
            if name == "title":
                raise StagingError("Its title is that of its space; rename the space.")
            if name == "hidden":
                raise StagingError("A section cannot be hidden, only what it shows.")
            raise StagingError(f"There is no {clean(name)} of this to change.")
        for name in REQUIRED:
            if name in values and not values[name] and name in known:
                raise StagingError(f"The {name} cannot be empty.")
        checked = {name: values[name] for name in values if name in known and values[name]}
        path = checked.get("path")
        if isinstance(path, str) and not PATH_PART.fullmatch(path):
            raise StagingError(
                "A path is letters, digits, '-', '_', '.' and '~', a letter or a digit first, "
                "without a slash."
            )
        if why := why_not_valid(item.kind, checked):
            raise StagingError(why)
        condition = checked.get("condition")
        if isinstance(condition, str) and (why := why_no_condition(condition)):
            # The service takes any text, and what is broken shows its section to nobody.
            raise StagingError(f"{why[0].upper()}{why[1:]}.")

    def why_not(self, after: Layout, picked: Collection[str]) -> str | None:
        """Say why no request can make the staged layout, or None."""
        if after.items is self.now.items:
            moved = [row for row in picked if row in after]
            shifted = any(after.level_of(row) != self.now.level_of(row) for row in moved)
            if shifted and (why := self._why_not_shifted(after, moved)):
                return why
        else:
            for row in picked:
                if why := self._why_not_set(after, row):
                    return why
            if why := self._why_not_emptied(after):
                return why
            if after.levels is not self.now.levels and (why := self._why_not_entered(after)):
                return why
        if not self.base.groups:
            return None  # nothing is in the way
        for level, order in after.levels.items():
            if order is not self.now.levels.get(level) and not self._reaches(after, level, order):
                return "No call can put it there: next to a group it would join it."
        return None

    def _reaches(self, after: Layout, level: str, order: Sequence[str]) -> bool:
        if after.items is self.now.items:
            return self.reaches(level, order)
        return replace(self, now=after).reaches(level, order)

    def _why_not_shifted(self, after: Layout, rows: Collection[str]) -> str | None:
        for row in rows:
            item, level = after.items[row], after.level_of(row)
            if level == self.now.level_of(row):
                continue
            if item.kind in ENTRIES:
                if level != TOP and after.items[level].kind != "group":
                    return "Sections, groups and links stay at the top level or in a group."
                if not self.sorts:
                    return "This service does not put a section into a group, or take it out."
                continue
            if not row.startswith(NEW):
                return (
                    "The API has no operation that moves this to another section. "
                    "Add its space there and remove it here."
                )
            if level == TOP or after.items[level].kind != "section":
                return "A space can only be in a section."
            if why := self._why_not_set(after, row):
                return why
        return self._why_not_emptied(after) or self._why_not_entered(after)

    def why_not_deep(self, after: Layout) -> str | None:
        """Say so where more groups would be within each other than are taken, or are by now."""
        return TOO_DEEP if depth_of(after) > max(DEEPEST, depth_of(self.base)) else None

    def _why_not_entered(self, after: Layout) -> str | None:
        """Say so where groups would be too deep, or a section would go into an empty group."""
        if not self.sorts:
            return None
        if why := self.why_not_deep(after):
            return why
        try:
            entry_moves(replace(self, now=after).begin().entries, after)
        except EmptyGroupError as empty:
            return EMPTY_GROUP.format(after.items[empty.level].title)
        return None

    def _why_not_set(self, after: Layout, row: str) -> str | None:
        """Say why a thing cannot be as it is, beside the others."""
        item = after.items.get(row)
        if item is None:
            return None
        level = after.level_of(row)
        if row not in self.now and (why := self._why_not_added(after, item, level)):
            return why
        if item.values.get("default"):
            if item.values.get("hidden"):
                was = self.now.items.get(row)
                if was is not None and was.values.get("default"):
                    return "Readers land on it first. Make another one the default, then hide it."
                return "Hidden: readers cannot land there. Show it first."
            if item.values.get("trashed"):
                return "Its space is in the trash; readers cannot land there."
        path = item.values.get("path")
        if path and not self._has_path(row, level, path):
            for each in after.paths[after.scope_of(row), path]:
                if each != row:
                    return (
                        f"{after.items[each].title} has the path /{clean(str(path))} already. "
                        "Change that path first (e)."
                    )
            if row.startswith(NEW) and (first := self._given(after, item, level, str(path))):
                return (
                    f"{first} would be given the path /{clean(str(path))} when it is added. "
                    "Give it another one first."
                )
        space = item.values.get("space")
        if item.kind == "site-space" and row.startswith(NEW):
            for each in after.levels[level]:
                if each != row and after.items[each].values.get("space") == space:
                    return f"{after.items[each].title} is shown there already."
            there = TOP if level == adopting(self.base, after) else level
            for each in self.base.levels.get(there, ()):
                if each not in after and self.base.items[each].values.get("space") == space:
                    return "Shown there, to be removed. Undo that instead (u)."
        return None

    def _given(self, after: Layout, item: Item, level: str, path: str) -> str | None:
        """Return the title of the entry that is added before and might be given this path."""
        if item.kind == "section":
            first = adopting(self.base, after)
        else:
            first = made_along(after, level) if level.startswith(NEW) else None
        if first is None or first == item.id or after.items[first].values.get("path"):
            return None
        title = after.items[first].title
        return title if is_slug(path, title) else None

    def _has_path(self, row: str, level: str, path: object) -> bool:
        """Whether a thing has had a path where it is: then whoever takes it is looked at."""
        was = self.now.items.get(row)
        return (
            was is not None and was.values.get("path") == path and self.now.level_of(row) == level
        )

    def _why_not_added(self, after: Layout, item: Item, level: str) -> str | None:
        if item.kind in ENTRIES and level != TOP and after.items[level].kind != "group":
            return "Sections, groups and links stay at the top level or in a group."
        if item.kind in LIGHT:
            if not self.sorts:
                return NO_GROUPS
            return (
                None
                if after.sections()
                else "Groups and links go between sections: add a section first."
            )
        if item.kind == "section":
            return None if level == TOP or self.sorts else "New sections go to the top level."
        if level == TOP:
            if any(each.kind == "section" for each in self.base.items.values()) or after.sections():
                return "This site has sections: add the space to one of them."
            return None
        inside = after.items[level].kind == "section"
        return None if inside else "A space is added to a section."

    def _why_not_emptied(self, after: Layout) -> str | None:
        for level, rows in after.levels.items():
            item = after.items.get(level)
            if item is None or item.kind != "section":
                continue
            if not rows and self.now.levels.get(level):
                return EMPTIED
            if level.startswith(NEW) and made_along(after, level) is None:
                space = item.values.get("space")
                if all(after.items[row].values.get("space") != space for row in rows):
                    return "The section is added with this space. Remove the section instead."
        return None

    # Others

    def rebase(
        self, layout: Layout, *, give_way: frozenset[tuple[str, str]] = frozenset()
    ) -> Rebased[Self]:
        """Return the staged changes on another layout; a space that is shown by now is shown."""
        staged = self
        if self.sorts and (told := self.base.groups):
            staged = self._with_names(told, layout)
        there = {
            (level, layout.items[row].values.get("space")): row
            for level, rows in layout.levels.items()
            for row in rows
            if row not in staged.now and layout.items[row].kind == "site-space"
        }
        made = {}
        for level, rows in staged.now.levels.items():
            for row in rows:
                if row.startswith(NEW):
                    item = staged.now.items[row]
                    if (
                        item.kind == "site-space"
                        and (found := there.get((level, item.values.get("space")))) is not None
                    ):
                        made[row] = found
        ours = staged.bound(made)
        items = []
        for row, item in ours.now.items.items():
            if row in layout and row not in ours.base and item.kind in FIELDS:  # it was made since
                own = {name: item.values.get(name) for name in (*FIELDS[item.kind], "default")}
                own = {name: value for name, value in own.items() if value}
                items.append(replace(item, values={**layout.items[row].values, **own}))
        if items:
            ours = replace(ours, now=ours.now.with_items(items))
        return super(SiteArrangement, ours).rebase(layout, give_way=give_way)

    def _with_names(self, told: Collection[str], layout: Layout) -> Self:
        """Return changes that were staged when groups had no names yet, with those they have."""
        names = {row: row.removeprefix(GROUP) for row in told}
        known = [layout.items[row] for row in names.values() if row in layout]
        base, now = (renamed(each, names) for each in (self.base, self.now))
        return replace(
            self,
            base=base.with_items(each for each in known if each.id in base),
            now=now.with_items(each for each in known if each.id in now),
        )

    def reachable(self) -> tuple[Self, tuple[Lost, ...]]:
        """Return it without what no requests make now: also what goes into an empty group."""
        fresh, lost = super().reachable()
        while fresh.sorts:
            try:
                entry_moves(fresh.begin().entries, fresh.now)
                break
            except EmptyGroupError as empty:
                fresh, more = fresh._out_of(empty.level)
                lost = (*lost, *more)
        return fresh, lost

    def refilled(self) -> Self:
        """Return it with groups made anew where no request puts the sections in that are wanted.

        A section goes into no group in which nothing is, but a new group is made with its sections.
        """
        fresh = self
        while True:
            try:
                entry_moves(fresh.begin().entries, fresh.now)
            except EmptyGroupError as empty:
                row = f"{NEW}{fresh.count + 1}"
                now = renamed(fresh.now, {empty.level: row})
                fresh = replace(fresh, now=now, count=fresh.count + 1)
            else:
                return fresh

    def _out_of(self, group: str) -> tuple[Self, list[Lost]]:
        """Return it with the sections of a group where they are published, or at the end."""
        levels = {**self.now.levels, group: ()}
        lost = []
        for row in self.now.levels[group]:
            home = self.base.level_of(row) if row in self.base else TOP
            home = home if home in levels and home != group else TOP
            levels[home] = (*levels[home], row)
            lost.append(Lost(place_of(self.now, row), "nothing else is in there by now"))
        return replace(self, now=Layout(self.now.items, levels)), lost

    def settled(self, after: Layout, theirs: Layout) -> tuple[Layout, tuple[Lost, ...]]:
        """Return it without what the rules of a site do not allow any more."""
        return settle(after, theirs, self.base)


NO_GROUPS = "This service has no section groups, and no links among the sections."

EMPTIED = "A section shows at least one space. Remove the section instead."

EMPTY_GROUP = (
    "No call puts a section into an empty group, as {} would be. "
    "Make a new group with it, or put a link in there first."
)


def place_of(layout: Layout, row: str) -> str:
    """Return a thing and where it stands, in a line."""
    return f"{layout.items[row].title}: {place_line(layout, row)}"


def _opened_up(layout: Layout, groups: Collection[str]) -> Layout:
    """Return a layout without some groups; their members stand in their places."""
    gone = frozenset(groups)

    def opened(rows: Sequence[str]) -> Iterator[str]:
        waiting = [*reversed(rows)]
        while waiting:
            row = waiting.pop()
            if row in gone:
                waiting += reversed(layout.levels[row])
            else:
                yield row

    levels = {
        level: rows if gone.isdisjoint(rows) else tuple(opened(rows))
        for level, rows in layout.levels.items()
        if level not in gone
    }
    items = {row: item for row, item in layout.items.items() if row not in gone}
    return Layout(items, levels)


def _with_default(layout: Layout, row: str) -> Layout:
    """Return it with a new thing as the default where there is none beside it."""
    if layout.scope_of(row) in layout.defaults:
        return layout
    item = layout.items[row]
    return layout.with_items([replace(item, values={**item.values, "default": True})])
