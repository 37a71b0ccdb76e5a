"""The structure that a file asks for, staged on the present structure of the site.

Everything is held against the site as it was read just now, not as it was when the file was made:
the file says the wanted end, also after changes by others.

A file may be applied twice: what it adds may be on the site by now, with an id that the file does
not know. A space stands in a section, or on a site without sections, at most once; a section that
was added is known by its title and its space.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from copydesk.domain.arrangement import StagingError
from copydesk.domain.condition import why_no_condition
from copydesk.domain.layout import GROUP, TOP, Item, Layout, put_as
from copydesk.domain.reversal import JSON, NEW
from copydesk.domain.site_arrangement import EMPTIED, NO_GROUPS, SiteArrangement
from copydesk.domain.site_moves import LIGHT
from copydesk.domain.site_tree import REQUIRED
from copydesk.domain.structure_file import (
    FLAGS,
    INSIDE,
    KINDS,
    NAMES,
    TEXTS,
    TOLD,
    Entry,
    Kind,
    StructureFile,
    is_sectioned,
    quoted,
)
from copydesk.domain.text import few, same_name
from copydesk.domain.yaml_lines import FileError, Problem, writable

NAMED = 6
"""So many candidates a sentence names."""


def wanted(
    file: StructureFile,
    arrangement: SiteArrangement,
    spaces: Sequence[tuple[str, str]] = (),
    *,
    remove: bool = False,
    recreate: bool = False,
) -> SiteArrangement:
    """Return the arrangement of a site that a file says, on one that has nothing staged.

    ``spaces`` are the id and the title of each space that can be shown. What the file lacks is
    removed if told so (``remove``), and what was removed since the file was made is added again
    (``recreate``). Raises `FileError` with everything that is in the way.
    """
    return _Staging(file, arrangement, spaces, remove=remove, recreate=recreate).staged()


def needs_spaces(file: StructureFile, base: Layout) -> bool:
    """Whether `wanted` has to know which spaces there are: something is to be shown anew."""
    return any(
        not entry.id or entry.id not in base.items
        for entry in file.every()
        if entry.kind not in LIGHT
    )


class _Staging:
    """Stages one file."""

    def __init__(
        self,
        file: StructureFile,
        arrangement: SiteArrangement,
        spaces: Sequence[tuple[str, str]],
        *,
        remove: bool,
        recreate: bool,
    ) -> None:
        self._file = file
        self._start = arrangement
        self._base = arrangement.base
        self._titles = dict(spaces)
        self._remove = remove
        self._recreate = recreate
        self._whole = file.whole and arrangement.sorts
        """Whether groups and links become what the file says; otherwise they stay."""
        self._claimed = {entry.id for entry in file.every()}
        self._alike: dict[tuple[JSON, ...], list[str]] = {}
        """The things of the site by kind, title and path, as the tree reads."""
        for row in self._base.walk():
            item = self._base.items[row]
            title = writable(str(item.values.get("title") or ""))
            key = item.kind, title, item.values.get("path")
            self._alike.setdefault(key, []).append(row)
        self._moved: set[str] = set()
        """Site spaces that the file has in another section: they are added there."""
        self._problems: list[Problem] = []
        self._rows: dict[int, str] = {}
        """The id of each entry, by its number: provisional for added things."""

    def staged(self) -> SiteArrangement:
        """Return the staged arrangement. Raises `FileError`."""
        sectioned = is_sectioned(self._base)
        if self._base.items and sectioned != self._file.sectioned:
            has, says = ("sections", "spaces") if sectioned else ("no sections", "sections")
            said = f"the site has {has}, and the file lists {says}: export the structure again"
            raise FileError([Problem(self._file.line, said)])
        entries = tuple(self._renewed(entry, TOP) for entry in self._file.entries)
        if self._file.whole and not self._whole:
            entries = tuple(self._opened_up(entries, ""))
        self._file = replace(self._file, entries=entries, whole=self._whole)
        spaces = {entry.number: self._space(entry) for entry in self._file.spaces_to_add()}
        self._file = matched(self._file, self._base, spaces, self._titles)
        for entry in self._file.entries:
            self._look(entry)
        gone = self._missing()
        # What is in a section that goes, goes with it.
        gone += [row for row in sorted(self._moved) if self._level(row) not in gone]
        self._look_at_emptied(set(gone))
        self._problems += beside_problems(self._file, self._base, set(gone))
        self._stop()
        arrangement = self._start
        try:
            # First what is new: a section may show nothing else in the end.
            arrangement = self._added(arrangement, spaces)
            self._stop()
            if gone:
                arrangement = arrangement.remove(gone)
            if changes := self._changes(arrangement):
                arrangement = arrangement.change_all(changes)
            return (self._placed if self._whole else self._ordered)(arrangement)
        except StagingError as error:
            raise FileError([Problem(self._file.line, _sentence(error))]) from error

    # What is in the file, held against what is there

    def _renewed(self, entry: Entry, above: str) -> Entry:
        """Return an entry, and those in it, as one to add where the site has it elsewhere or not.

        No operation moves a site space to another section: it is added there and taken out here,
        with all that the file says of it.
        """
        if entry.id and entry.id not in self._base.items:
            entry = replace(entry, id=self._made_anew(entry, above) or entry.id)
        item = self._base.items.get(entry.id)
        below = tuple(self._renewed(each, entry.id) for each in entry.inside)
        entry = replace(entry, inside=below)
        if not entry.id or (item is not None and item.kind != entry.kind):
            return entry
        if item is None and self._recreate and entry.kind in LIGHT:
            return replace(entry, id="")
        if item is None and self._recreate:
            shown = next((each.space for each in below if each.space), "")
            space = entry.told if entry.kind == "site-space" else shown
            return replace(entry, id="", space=space or entry.space)
        if item is None or entry.kind != "site-space" or self._base.level_of(entry.id) == above:
            return entry
        self._moved.add(entry.id)
        space = str(item.values.get("space", ""))
        self._titles.setdefault(space, item.title)
        return replace(entry, id="", space=space)

    def _made_anew(self, entry: Entry, above: str) -> str:
        """Return the id of the thing that an entry became in an earlier run; or ""."""
        title = entry.told if entry.kind == "site-space" else entry.values.get("title", "")
        rows = self._alike.get((entry.kind, title, entry.values.get("path")), ())
        for row in rows:
            beside = entry.kind != "site-space" or self._base.level_of(row) == above
            if beside and row not in self._claimed:
                self._claimed.add(row)
                return row
        return ""

    def _opened_up(self, entries: Sequence[Entry], group: str | None) -> Iterator[Entry]:
        """Yield the sections of entries in a group, for a service without groups and links.

        It tells of a group only by the sections in it. One that has those of the file stays as it
        is; every other one, and every link, would be lost. ``group`` is None in one of these.
        """
        for entry in entries:
            if entry.kind not in LIGHT:
                there = self._base.level_of(entry.id) if entry.id in self._base.items else TOP
                gone = entry.id and entry.id not in self._base.items
                if not gone and group is not None and there.removeprefix(GROUP) != group:
                    self._say(entry.line, f"{entry.name} {self._regrouped(there, group)}")
                yield entry
                continue
            known = f"{GROUP}{entry.id}" in self._base.groups
            if not known:
                lost = f"the {NAMES[entry.kind]} {entry.name} would be lost"
                self._say(entry.line, f"{lost}: {_in_a_sentence(NO_GROUPS)}")
            yield from self._opened_up(entry.inside, entry.id if known else None)

    def _regrouped(self, there: str, group: str) -> str:
        now = f"is in the group {there.removeprefix(GROUP)}" if there != TOP else "is in no group"
        to = f"in {group}" if group else "outside"
        return f"{now}, and not {to}: this service puts no section into a group, or takes one out"

    def _look(self, entry: Entry) -> None:
        """Check an entry's id, kind and place against the site."""
        for below in entry.inside:
            self._look(below)
        if not entry.id:
            self._look_at_new(entry)
            return
        self._rows[entry.number] = entry.id
        item = self._base.items.get(entry.id)
        line = entry.line_of("id")
        if item is None or item.id in self._base.groups:
            self._say(
                line,
                f"the site has no {NAMES[entry.kind]} {entry.id} ({entry.name}), it was removed "
                "since the file was made: --recreate adds it again; or take the entry out",
            )
            return
        if item.kind != entry.kind:
            other = "a space that it shows" if item.kind == "site-space" else f"a {item.kind}"
            self._say(line, f"{entry.id} is {other}, not a {NAMES[entry.kind]}")
            return
        self._look_at_told(entry)
        self._look_at_required(entry, [name for name in REQUIRED if item.values.get(name)])
        for name, value in self._differing(self._start, entry.id, entry).items():
            if value or name not in REQUIRED:
                self._check(entry, name, value)

    def _look_at_new(self, entry: Entry) -> None:
        """Look whether something can be added as it is.

        The service takes a condition that cannot be read, and shows nobody anything then.
        """
        condition = entry.values.get("condition")
        if isinstance(condition, str) and (why := why_no_condition(condition)):
            self._say(entry.line_of("condition"), f"condition: {why}")
        elif entry.kind in LIGHT:
            self._look_at_required(entry, REQUIRED)
            for name, value in entry.values.items():
                self._check(entry, name, value)

    def _look_at_required(self, entry: Entry, names: Sequence[str]) -> None:
        """Look whether an entry has what it has to have."""
        for name in names:
            if name in TEXTS[entry.kind] and name not in entry.values:
                self._say(entry.line_of(name), f"a {NAMES[entry.kind]} has a {name}: write one")

    def _look_at_told(self, entry: Entry) -> None:
        """Look whether what the file only tells is as it is."""
        if not entry.told:
            return
        item, name = self._base.items[entry.id], TOLD[entry.kind]
        if entry.kind == "section":
            there = self._base.level_of(entry.id).removeprefix(GROUP)
            why = "no operation puts a section into a group, or takes one out"
            if self._start.sorts:
                why = "a file that lists “structure:” puts sections into groups"
        else:
            there, why = str(item.values.get("title") or ""), "it has the name of its space"
        if entry.told != writable(there):
            now = f"it is {quoted(there)}" if there else "it has none"
            self._say(
                entry.line_of(name),
                f"the {name} of a {NAMES[entry.kind]} cannot be changed here, for {why}: "
                f"{now}; write that, or leave the line out",
            )

    def _check(self, entry: Entry, name: str, value: JSON) -> None:
        """Look whether a value is one that a thing can have."""
        item = self._base.items.get(entry.id) or Item(NEW, entry.kind)
        try:
            self._start.check(item, {name: value})
        except StagingError as error:
            self._say(entry.line_of(name), f"{name}: {_sentence(error)}")

    def _missing(self) -> list[str]:
        """Return the things that the file lacks, without the contents of such sections."""
        kept = {entry.id for entry in self._file.every()} | {TOP}
        looked_for = {row for row, item in self._base.items.items() if item.kind not in LIGHT}
        if self._whole:
            looked_for = {*self._base.items}
        looked_for -= kept | self._moved
        missing = [
            row for row in self._base.walk() if row in looked_for and self._level(row) in kept
        ]
        if self._remove:
            return missing
        lines = {entry.id: entry.line for entry in self._file.every()}
        for row in missing:
            item, level = self._base.items[row], self._base.level_of(row)
            order: Sequence[str] = self._base.levels[level]
            if item.kind == "section" and not self._whole:
                level, order = TOP, self._base.sections()
            before = [other for other in order[: order.index(row)] if other in lines]
            after = f" after line {lines[before[-1]]}" if before else ""
            inside = f" in {quoted(self._base.items[level].title)}" if level else ""
            self._say(
                lines[before[-1]] if before else lines.get(level, self._file.line),
                f"the {NAMES[_kind(item.kind)]} {quoted(item.title)} ({row}){inside} is missing"
                f"{after}: put it back, or remove it from the site with --remove",
            )
        return missing

    def _look_at_emptied(self, gone: set[str]) -> None:
        """Look whether a section that stays keeps a space, or shows another."""
        for entry in self._file.beside():
            shown = self._base.levels.get(entry.id, ())
            if shown and not entry.inside and gone.issuperset(shown):
                self._say(entry.line, EMPTIED.removesuffix("."))

    def _level(self, row: str) -> str:
        """Return the section that a site space is in; "" where it, or the row, is in none."""
        level = self._base.level_of(row)
        item = self._base.items.get(level)
        return level if item is not None and item.kind == "section" else TOP

    def _space(self, entry: Entry) -> str:
        """Return the id of the space that an entry is to show."""
        found = (
            [entry.space]
            if entry.space in self._titles
            else [key for key, title in self._titles.items() if same_name(title, entry.space)]
        )
        if len(found) == 1:
            return found[0]
        line = entry.line_of("space")
        if not entry.space:
            self._say(line, f"this {NAMES[entry.kind]} shows no space: write one as its “space:”")
        elif found:
            named = few(found, NAMED)
            self._say(line, f"{len(found)} spaces have the name {quoted(entry.space)}: {named}. "
                      "Use an id")  # fmt: skip
        else:
            self._say(line, f"there is no space {quoted(entry.space)} in this organization")
        return ""

    # Staging

    def _added(self, arrangement: SiteArrangement, spaces: Mapping[int, str]) -> SiteArrangement:
        """Return it with the things that the file adds, at the end of their level.

        What stands among sections is added at the top: in a group it is put later.
        """
        for entry in self._file.beside():
            if not entry.id:
                arrangement = self._add(arrangement, TOP, entry, spaces[entry.number])
            for below in entry.inside:
                if below.id or entry.number not in self._rows:
                    continue
                level = self._rows[entry.number]
                made = "" if entry.id else self._showing(arrangement, level, spaces[below.number])
                if made and made not in self._rows.values():
                    self._rows[below.number] = made  # the section is made with it
                else:
                    arrangement = self._add(arrangement, level, below, spaces[below.number])
        for entry in self._file.every():
            if entry.kind in LIGHT and not entry.id:
                arrangement = self._add(arrangement, TOP, entry)
        return arrangement

    def _showing(self, arrangement: SiteArrangement, level: str, space: str) -> str:
        """Return the id of the site space that shows a space in a level; "" where nothing does."""
        now = arrangement.now
        rows = (row for row in now.levels[level] if now.items[row].values.get("space") == space)
        return next(rows, "")

    def _add(
        self, arrangement: SiteArrangement, level: str, entry: Entry, space: str = ""
    ) -> SiteArrangement:
        values: dict[str, JSON] = dict(entry.values)
        if entry.kind not in LIGHT:
            called = self._titles[space]
            values = {"space": space, "title": entry.values.get("title") or called}
            if entry.kind == "section":
                values["spaceTitle"] = called
        try:
            arrangement, self._rows[entry.number] = arrangement.add(level, entry.kind, values)
        except StagingError as error:
            self._say(entry.line, _sentence(error))
        return arrangement

    def _changes(self, arrangement: SiteArrangement) -> dict[str, dict[str, JSON]]:
        """Return the settings that the file has otherwise, by id."""
        changes: dict[str, dict[str, JSON]] = {}
        for entry in self._file.every():
            row = self._rows[entry.number]
            differing = self._differing(arrangement, row, entry)
            if entry.values.get("default") and not arrangement.now.items[row].values.get("default"):
                differing["default"] = True
            if differing:
                changes[row] = differing
        return changes

    def _differing(self, arrangement: SiteArrangement, row: str, entry: Entry) -> dict[str, JSON]:
        """Return the settings but the default in which an entry is not as the thing is."""
        values = arrangement.now.items[row].values
        found: dict[str, JSON] = {}
        for name in (*TEXTS[entry.kind], *FLAGS[entry.kind]):
            said = entry.values.get(name)
            if name == "default" or (not said and not entry.id and name in REQUIRED):
                continue  # what a new one is called, and its path, are the service's to choose
            now = values.get(name)
            if (writable(now) if isinstance(now, str) else now or None) != (said or None):
                found[name] = said or (False if name in FLAGS[entry.kind] else "")
        return found

    def _placed(self, arrangement: SiteArrangement) -> SiteArrangement:
        """Return it with everything where the file has it, groups and links as well."""
        now = arrangement.now
        levels = {TOP: tuple(self._rows[entry.number] for entry in self._file.entries)}
        for entry in self._file.every():
            if entry.kind in INSIDE:
                row = self._rows[entry.number]
                named = [self._rows[below.number] for below in entry.inside]
                # What the service makes along with a new section comes first in it.
                along = () if entry.kind == "group" else set(now.levels[row]).difference(named)
                levels[row] = (*(each for each in now.levels[row] if each in along), *named)
        after = Layout(now.items, levels)
        if after.same(now):
            return arrangement
        if why := arrangement.why_not_deep(after):
            raise StagingError(why)
        staged = replace(arrangement, now=after, past=(*arrangement.past, now))
        return staged.refilled()

    def _ordered(self, arrangement: SiteArrangement) -> SiteArrangement:
        """Return it in the order of the file."""
        orders: dict[str, list[str]] = {TOP: []}
        for entry in self._file.beside():
            row = self._rows[entry.number]
            level = arrangement.now.level_of(row)
            inner = row
            while inner not in orders.setdefault(level, []):
                orders[level].append(inner)
                if level == TOP:
                    break
                inner, level = level, arrangement.now.level_of(level)
            if entry.kind == "section":
                orders[row] = [self._rows[below.number] for below in entry.inside]
        levels = arrangement.now.levels
        changed: dict[str, tuple[str, ...]] = {}
        for level, rows in orders.items():
            # What the service makes along with a new section comes first in it.
            named = set(rows)
            along = [row for row in levels[level] if row not in named]
            light = [row for row in along if arrangement.now.items[row].kind in LIGHT]
            placed = [*(row for row in along if row not in light), *rows]
            for row in light:  # what the file does not name stays below what it is below
                put_as(levels[level], placed, row)
            if tuple(placed) != levels[level]:
                changed[level] = tuple(placed)
        if not changed:
            return arrangement
        entries = {self._rows[entry.number]: entry for entry in self._file.every()}
        for level, order in changed.items():
            if why := arrangement.why_not(arrangement.now.ordered({level: order}), order):
                pairs = zip(order, (*levels[level], *order), strict=False)
                lines = (entries[row].line for row, now in pairs if row != now and row in entries)
                line = next(lines, self._file.line)
                self._say(line, f"this order cannot be made: {_in_a_sentence(why)}")
        self._stop()
        after = arrangement.now.ordered(changed)
        return replace(arrangement, now=after, past=(*arrangement.past, arrangement.now))

    def _say(self, line: int, sentence: str) -> None:
        problem = Problem(line, sentence)
        if problem not in self._problems:
            self._problems.append(problem)

    def _stop(self) -> None:
        if self._problems:
            raise FileError(self._problems)


def _kind(kind: str) -> Kind:
    return next(each for each in KINDS if each == kind)


def _in_a_sentence(said: str) -> str:
    return f"{said[:1].lower()}{said[1:].removesuffix('.')}"


def _sentence(error: StagingError) -> str:
    said = str(error).strip()
    return said.removesuffix(".")


KEPT = ("title", "path")
"""What the service chose where the entry does not say it."""


def matched(
    file: StructureFile, base: Layout, spaces: Mapping[int, str], titles: Mapping[str, str]
) -> StructureFile:
    """Return a file whose entries to add have the ids of rows that are there already.

    ``spaces`` are the ids of the spaces to show by the numbers of the entries, ``titles`` what the
    spaces are called.
    """
    return _Matching(file, base, spaces, titles).file()


class _Matching:
    """Matches the entries of one file."""

    def __init__(
        self,
        file: StructureFile,
        base: Layout,
        spaces: Mapping[int, str],
        titles: Mapping[str, str],
    ) -> None:
        self._file = file
        self._base = base
        self._spaces = spaces
        self._titles = titles
        self._taken = {entry.id for entry in file.every() if entry.id}
        self._count = sum(1 for _ in file.every())
        self._light: dict[tuple[str, JSON], list[str]] = {}
        """The groups and the links of the site by their titles, as the tree reads."""
        for row in base.walk():
            if base.items[row].kind in LIGHT:
                key = base.items[row].kind, base.items[row].values.get("title")
                self._light.setdefault(key, []).append(row)

    def file(self) -> StructureFile:
        """Return the file with the ids that were found."""
        found = [self._level(entry, TOP) for entry in self._file.entries]
        return replace(self._file, entries=tuple(found))

    def _level(self, entry: Entry, level: str) -> Entry:
        """Return an entry, and those below it, with the ids of the things in a level."""
        if not entry.id and (row := self._row(entry, level)):
            self._taken.add(row)
            entry = self._filled(entry, row)
            if entry.kind == "section":
                entry = replace(entry, inside=self._with_along(entry, row))
        if entry.inside and (entry.id or entry.kind == "group"):
            below = tuple(self._level(each, entry.id) for each in entry.inside)
            entry = replace(entry, inside=below)
        return entry

    def _row(self, entry: Entry, level: str) -> str:
        """Return the id of the thing that an entry would add again; "" when the site lacks it."""
        space, items = self._spaces.get(entry.number, ""), self._base.items
        if entry.kind in LIGHT:
            rows = self._light.get((entry.kind, entry.values.get("title")), [])
            return next((row for row in rows if row not in self._taken), "")
        if entry.kind == "section":
            title = entry.values.get("title") or self._titles.get(space)
            rows = [
                row
                for row in self._base.sections()
                if items[row].values.get("title") == title and self._showing(row, space)
            ]
        else:
            rows = [self._showing(level, space)]
        return next((row for row in rows if row not in self._taken), "") if space else ""

    def _showing(self, level: str, space: str) -> str:
        """Return the id of the site space in a level that shows a space, or ""."""
        rows = self._base.levels.get(level, ())
        items = self._base.items
        return next((row for row in rows if items[row].values.get("space") == space), "")

    def _filled(self, entry: Entry, row: str) -> Entry:
        values = self._base.items[row].values
        kept = {
            name: str(values[name])
            for name in KEPT
            if name in TEXTS[entry.kind] and values.get(name) and name not in entry.values
        }
        return replace(entry, id=row, values={**entry.values, **kept})

    def _with_along(self, entry: Entry, row: str) -> tuple[Entry, ...]:
        """Return the entries in a section with the space that it was added with.

        Its entry stands for that one too, unless there is one that says more of it.
        """
        space = self._spaces[entry.number]
        shown = self._showing(row, space)
        if not shown or shown in self._taken:
            return entry.inside
        self._taken.add(shown)
        values = dict(self._base.items[shown].values)
        if any(each.values.get("default") for each in entry.inside):
            values.pop("default", None)
        for at, each in enumerate(entry.inside):
            if not each.id and self._spaces.get(each.number) == space:
                named = self._filled(each, shown)
                if values.get("default"):
                    named = replace(named, values={**named.values, "default": True})
                return (*entry.inside[:at], named, *entry.inside[at + 1 :])
        self._count += 1
        names = (*TEXTS["site-space"], *FLAGS["site-space"])
        kept = {name: values[name] for name in names if values.get(name)}
        along = Entry("site-space", entry.line, self._count, shown, values=kept)
        return (along, *entry.inside)


def beside_problems(file: StructureFile, base: Layout, gone: set[str]) -> list[Problem]:
    """Return the problems with their lines; ``gone`` is what the file removes."""
    looking = _Looking(file, base)
    if base.groups or not file.whole:
        looking.look_at_groups()
    looking.look_at_paths()
    looking.look_at_defaults(gone)
    return looking.problems


class _Looking:
    """Looks through one file."""

    def __init__(self, file: StructureFile, base: Layout) -> None:
        self._file = file
        self._base = base
        self.problems: list[Problem] = []

    def look_at_groups(self) -> None:
        """Look whether the sections of each group stand together."""
        seen: dict[str, Entry] = {}
        ended = set[str]()
        last: list[str] = []
        for entry in self._file.entries:
            known = entry.kind == "section" and entry.id in self._base.items
            level = self._base.level_of(entry.id) if known else TOP
            within, above = list[str](), level
            while above != TOP:
                within.append(above)
                above = self._base.level_of(above)
            ended.update(each for each in last if each not in within)
            last = within
            if level != TOP and level in seen and not ended.isdisjoint(within):
                other = seen[level]
                self._say(
                    entry.line,
                    f"{entry.name} is in one group with {other.name} (line {other.line}): sections "
                    "of a group are listed together, and no operation moves one out",
                )
            seen[level] = entry

    def look_at_paths(self) -> None:
        """Look whether two that stand side by side have one path."""
        for beside in self._beside():
            seen: dict[str, Entry] = {}
            for entry in beside:
                path = str(entry.values.get("path", ""))
                other = seen.setdefault(path, entry)
                if path and other is not entry and not self._both_are(entry, other, "path"):
                    self._say(
                        entry.line_of("path"),
                        f"the path {quoted(path)} is that of {other.name} "
                        f"(line {other.line_of('path')}) too",
                    )

    def look_at_defaults(self, gone: set[str]) -> None:
        """Look whether readers land on exactly one of those side by side, and can see it."""
        # Readers land on the first section, or the first space, of a site that shows none yet.
        first = not self._base.levels.get(TOP)
        for at, beside in enumerate(self._beside()):
            marked = [entry for entry in beside if entry.values.get("default")]
            there = {entry.id for entry in beside if self._is(entry, "default")}
            if {entry.id for entry in marked} == there and there:
                hidden = [entry for entry in marked if entry.values.get("hidden")]
                marked = [entry for entry in hidden if not self._is(entry, "hidden")]
            elif len(marked) > 1:
                self._say(
                    marked[1].line_of("default"),
                    f"two are the default: {marked[0].name} (line "
                    f"{marked[0].line_of('default')}) and {marked[1].name}",
                )
            elif not marked and ((first and not at) or self._had_default(beside, gone)):
                self._say(
                    beside[0].line,
                    f"none of these {NAMES[beside[0].kind]}s is the default: readers land on one; "
                    "write “default: true” there",
                )
            for entry in marked:
                if entry.values.get("hidden"):
                    said = f"{entry.name} is hidden, and readers land on the default: show it"
                    self._say(entry.line_of("hidden"), said)

    def _had_default(self, beside: Sequence[Entry], gone: set[str]) -> bool:
        """Whether one of the entries that stood there was the default, even if it is gone now."""
        if any(self._is(entry, "default") for entry in beside):
            return True
        here = {self._base.scope_of(entry.id) for entry in beside if entry.id in self._base.items}
        return any(self._base.defaults.get(scope) in gone for scope in here)

    def _beside(self) -> list[Sequence[Entry]]:
        """Return the entries by their level."""
        top = self._file.beside()
        return [level for level in (top, *(entry.inside for entry in top)) if level]

    def _is(self, entry: Entry, name: str) -> bool:
        item = self._base.items.get(entry.id)
        return item is not None and bool(item.values.get(name))

    def _both_are(self, entry: Entry, other: Entry, name: str) -> bool:
        """Whether two entries have what the site says of them: then it is no doing of the file."""
        return all(
            (item := self._base.items.get(each.id)) is not None
            and item.values.get(name) == each.values.get(name)
            for each in (entry, other)
        )

    def _say(self, line: int, sentence: str) -> None:
        self.problems.append(Problem(line, sentence))
