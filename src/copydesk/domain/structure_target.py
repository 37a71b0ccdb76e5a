"""What a file says that a site shall be, staged on what the site is now.

Everything is held against the site as it was read just now, not as it was when the file was made:
what the file says is the wanted end, whatever others did since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.condition import why_no_condition
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.reversal import JSON
from copydesk.domain.site_rules import REQUIRED
from copydesk.domain.site_tree import GROUP
from copydesk.domain.structure_file import (
    FLAGS,
    NAMES,
    TEXTS,
    TOLD,
    Entry,
    Kind,
    StructureFile,
    is_sectioned,
    quoted,
)
from copydesk.domain.structure_matches import matched
from copydesk.domain.structure_siblings import beside_problems
from copydesk.domain.yaml_lines import FileError, Problem, writable

A = TypeVar("A", bound=Arrangement)

NAMED = 6
"""So many candidates a sentence names."""


def wanted(
    file: StructureFile,
    arrangement: A,
    spaces: Sequence[tuple[str, str]] = (),
    *,
    remove: bool = False,
    recreate: bool = False,
) -> A:
    """Return the arrangement of a site that a file says, on one that has nothing staged.

    ``spaces`` are the id and the title of each space that can be shown. What the file lacks is
    removed if told so (``remove``), and what was removed since the file was made is added again
    (``recreate``). Raises `FileError` with everything that is in the way.
    """
    return _Staging(file, arrangement, spaces, remove=remove, recreate=recreate).staged()


def needs_spaces(file: StructureFile, base: Layout) -> bool:
    """Whether `wanted` has to know which spaces there are: something is to be shown anew."""
    return any(not entry.id or entry.id not in base.items for entry in file.every())


class _Staging(Generic[A]):
    """Stages one file."""

    def __init__(
        self,
        file: StructureFile,
        arrangement: A,
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
        self._moved: set[str] = set()
        """Site spaces that the file has in another section: they are added there."""
        self._problems: list[Problem] = []
        self._rows: dict[int, str] = {}
        """The id of each entry, by its number: provisional for what is added."""

    def staged(self) -> A:
        """Return what is wanted. Raises `FileError`."""
        sectioned = is_sectioned(self._base)
        if self._base.items and sectioned != self._file.sectioned:
            has, says = ("sections", "spaces") if sectioned else ("no sections", "sections")
            said = f"the site has {has}, and the file lists {says}: export the structure again"
            raise FileError([Problem(self._file.line, said)])
        entries = tuple(self._renewed(entry, TOP) for entry in self._file.entries)
        self._file = replace(self._file, entries=entries)
        spaces = {entry.number: self._space(entry) for entry in self._file.spaces_to_add()}
        self._file = matched(self._file, self._base, spaces, self._titles)
        for entry in self._file.entries:
            self._look(entry)
        gone = self._missing()
        # What is in a section that goes, goes with it.
        gone += [row for row in sorted(self._moved) if self._level(row) not in gone]
        self._problems += beside_problems(self._file, self._base, set(gone))
        self._stop()
        arrangement = self._start
        try:
            if gone:
                arrangement = arrangement.remove(gone)
            arrangement = self._added(arrangement, spaces)
            self._stop()
            if changes := self._changes(arrangement):
                arrangement = arrangement.change_all(changes)
            return self._ordered(arrangement)
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
        below = tuple(self._renewed(each, entry.id) for each in entry.spaces)
        entry = replace(entry, spaces=below)
        if not entry.id or (item is not None and item.kind != entry.kind):
            return entry
        if item is None and self._recreate:
            shown = next((each.space for each in below if each.space), "")
            space = entry.told if entry.kind == "site-space" else shown
            return replace(entry, id="", space=space or entry.space)
        if item is None or entry.kind == "section" or self._base.level_of(entry.id) == above:
            return entry
        self._moved.add(entry.id)
        space = str(item.values.get("space", ""))
        self._titles.setdefault(space, item.title)
        return replace(entry, id="", space=space)

    def _made_anew(self, entry: Entry, above: str) -> str:
        """Return the id of what was made of an entry when the file was applied before; or ""."""
        claimed = {each.id for each in self._file.every()}
        rows = self._base.sections() if entry.kind == "section" else self._base.levels.get(above)
        title = entry.values.get("title") if entry.kind == "section" else entry.told
        for row in rows or ():
            item = self._base.items[row]
            same = item.title == title and item.values.get("path") == entry.values.get("path")
            if same and item.kind == entry.kind and row not in claimed:
                return row
        return ""

    def _look(self, entry: Entry) -> None:
        """Look whether an entry is what it says, where it says."""
        for below in entry.spaces:
            self._look(below)
        if not entry.id:
            self._look_at_condition(entry)
            return
        self._rows[entry.number] = entry.id
        item = self._base.items.get(entry.id)
        line = entry.line_of("id")
        if item is None or item.kind == "group":
            self._say(
                line,
                f"the site has no {NAMES[entry.kind]} {entry.id} ({entry.name}), it was removed "
                "since the file was made: --recreate adds it again; or take the entry out",
            )
            return
        if item.kind != entry.kind:
            other = "a section" if item.kind == "section" else "a space that it shows"
            self._say(line, f"{entry.id} is {other}, not a {NAMES[entry.kind]}")
            return
        self._look_at_told(entry)
        for name in REQUIRED:
            if name in TEXTS[entry.kind] and item.values.get(name) and name not in entry.values:
                self._say(entry.line_of(name), f"a {NAMES[entry.kind]} has a {name}: write one")
        for name, value in self._differing(self._start, entry.id, entry).items():
            if value or name not in REQUIRED:
                self._check(entry, name, value)

    def _look_at_condition(self, entry: Entry) -> None:
        """Look whether a condition can be read: the service takes what shows nobody anything."""
        condition = entry.values.get("condition")
        if isinstance(condition, str) and (why := why_no_condition(condition)):
            self._say(entry.line_of("condition"), f"condition: {why}")

    def _look_at_told(self, entry: Entry) -> None:
        """Look whether what the file only tells is as it is."""
        if not entry.told:
            return
        item, name = self._base.items[entry.id], TOLD[entry.kind]
        if entry.kind == "section":
            there = self._base.level_of(entry.id).removeprefix(GROUP)
            why = "no operation puts a section into a group, or takes one out"
        else:
            there, why = str(item.values.get("title") or ""), "it is called as its space is"
        if entry.told != writable(there):
            now = f"it is {quoted(there)}" if there else "it has none"
            self._say(
                entry.line_of(name),
                f"the {name} of a {NAMES[entry.kind]} cannot be changed here, for {why}: "
                f"{now}; write that, or leave the line out",
            )

    def _check(self, entry: Entry, name: str, value: JSON) -> None:
        """Look whether a value is one that a thing can have."""
        item = self._base.items[entry.id]
        try:
            self._start.check(item, {name: value})
        except StagingError as error:
            self._say(entry.line_of(name), f"{name}: {_sentence(error)}")

    def _missing(self) -> list[str]:
        """Return what the site has and the file lacks, without what is in such sections."""
        kept = {entry.id for entry in self._file.every()} | {TOP}
        missing = [
            row
            for row in self._base.walk()
            if row not in kept | self._moved
            and self._base.items[row].kind != "group"
            and self._level(row) in kept
        ]
        if self._remove:
            return missing
        lines = {entry.id: entry.line for entry in self._file.every()}
        for row in missing:
            item, level = self._base.items[row], self._level(row)
            order = self._base.levels[level] if level else self._base.levels[TOP]
            if item.kind == "section":
                order = tuple(self._base.sections())
            before = [other for other in order[: order.index(row)] if other in lines]
            after = f" after line {lines[before[-1]]}" if before else ""
            inside = f" in {quoted(self._base.items[level].title)}" if level else ""
            self._say(
                lines[before[-1]] if before else lines.get(level, self._file.line),
                f"the {NAMES[_kind(item.kind)]} {quoted(item.title)} ({row}){inside} is missing"
                f"{after}: put it back, or remove it from the site with --remove",
            )
        return missing

    def _level(self, row: str) -> str:
        """Return the section that a site space is in; "" where it, or the row, is in none."""
        level = self._base.level_of(row)
        return level if level in self._base.items and not level.startswith(GROUP) else TOP

    def _space(self, entry: Entry) -> str:
        """Return the id of the space that an entry is to show."""
        name = entry.space.casefold()
        found = (
            [entry.space]
            if entry.space in self._titles
            else [key for key, title in self._titles.items() if title.casefold() == name]
        )
        if len(found) == 1:
            return found[0]
        line = entry.line_of("space")
        if found:
            named = ", ".join(found[:NAMED])
            self._say(line, f"{len(found)} spaces are called {quoted(entry.space)}: {named}. "
                      "Name the one that is meant by its id")  # fmt: skip
        else:
            self._say(line, f"there is no space {quoted(entry.space)} in this organization")
        return ""

    # Staging

    def _added(self, arrangement: A, spaces: Mapping[int, str]) -> A:
        """Return it with what the file adds, at the end of its level."""
        for entry in self._file.entries:
            if not entry.id:
                arrangement = self._add(arrangement, TOP, entry, spaces[entry.number])
            for below in entry.spaces:
                if below.id or entry.number not in self._rows:
                    continue
                level = self._rows[entry.number]
                made = "" if entry.id else self._showing(arrangement, level, spaces[below.number])
                if made and made not in self._rows.values():
                    self._rows[below.number] = made  # the section is made with it
                else:
                    arrangement = self._add(arrangement, level, below, spaces[below.number])
        return arrangement

    def _showing(self, arrangement: A, level: str, space: str) -> str:
        """Return the id of what shows a space in a level; "" where nothing does."""
        now = arrangement.now
        rows = (row for row in now.levels[level] if now.items[row].values.get("space") == space)
        return next(rows, "")

    def _add(self, arrangement: A, level: str, entry: Entry, space: str) -> A:
        called = self._titles[space]
        values: dict[str, JSON] = {"space": space, "title": entry.values.get("title") or called}
        if entry.kind == "section":
            values["spaceTitle"] = called
        try:
            arrangement, self._rows[entry.number] = arrangement.add(level, entry.kind, values)
        except StagingError as error:
            self._say(entry.line, _sentence(error))
        return arrangement

    def _changes(self, arrangement: Arrangement) -> dict[str, dict[str, JSON]]:
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

    def _differing(self, arrangement: Arrangement, row: str, entry: Entry) -> dict[str, JSON]:
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

    def _ordered(self, arrangement: A) -> A:
        """Return it in the order of the file."""
        orders: dict[str, list[str]] = {TOP: []}
        for entry in self._file.entries:
            row = self._rows[entry.number]
            level = arrangement.now.level_of(row)
            orders.setdefault(level, []).append(row)
            if level != TOP and level not in orders[TOP]:
                orders[TOP].append(level)
            if entry.kind == "section":
                orders[row] = [self._rows[below.number] for below in entry.spaces]
        levels = arrangement.now.levels
        changed: dict[str, tuple[str, ...]] = {}
        for level, rows in orders.items():
            # What the service makes along with a new section comes first in it.
            named = set(rows)
            along = [row for row in levels.get(level, ()) if row not in named]
            if (order := (*along, *rows)) != levels.get(level, ()):
                changed[level] = order
        if not changed:
            return arrangement
        entries = {self._rows[entry.number]: entry for entry in self._file.every()}
        for level, order in changed.items():
            if why := arrangement.why_not(arrangement.now.ordered({level: order}), order):
                pairs = zip(order, (*levels.get(level, ()), *order), strict=False)
                first = next((row for row, now in pairs if row != now and row in entries), "")
                line = entries[first].line if first else self._file.line
                self._say(
                    line, f"this order cannot be made: {why[:1].lower()}{why[1:].rstrip('.')}"
                )
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
    return "section" if kind == "section" else "site-space"


def _sentence(error: StagingError) -> str:
    said = str(error).strip()
    return said.removesuffix(".")
