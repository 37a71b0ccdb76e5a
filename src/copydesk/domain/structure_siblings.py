"""Entries that cannot stand side by side as a file has them: groups, paths, defaults."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.domain.layout import TOP, Layout
from copydesk.domain.structure_file import NAMES, Entry, StructureFile, quoted
from copydesk.domain.yaml_lines import Problem


def beside_problems(file: StructureFile, base: Layout, gone: set[str]) -> list[Problem]:
    """Return what is wrong, where the file has it; ``gone`` is what the file removes."""
    looking = _Looking(file, base)
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
        last = TOP
        for entry in self._file.entries:
            known = entry.kind == "section" and entry.id in self._base.items
            level = self._base.level_of(entry.id) if known else TOP
            if level != TOP and level != last and level in seen:
                other = seen[level]
                self._say(
                    entry.line,
                    f"{entry.name} is in one group with {other.name} (line {other.line}): sections "
                    "of a group stand together, and no operation moves one out",
                )
            seen[level] = entry
            last = level

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
        for beside in self._beside():
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
            elif not marked and (
                (first and beside is self._file.entries) or self._had_default(beside, gone)
            ):
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
        """Whether one of those that stood there was the default, be it gone by then."""
        if any(self._is(entry, "default") for entry in beside):
            return True
        here = {self._base.scope_of(entry.id) for entry in beside if entry.id in self._base.items}
        return any(self._base.defaults.get(scope) in gone for scope in here)

    def _beside(self) -> list[Sequence[Entry]]:
        """Return the entries by what they stand side by side in."""
        levels = [self._file.entries, *(entry.spaces for entry in self._file.entries)]
        return [level for level in levels if level]

    def _is(self, entry: Entry, name: str) -> bool:
        item = self._base.items.get(entry.id)
        return item is not None and bool(item.values.get(name))

    def _both_are(self, entry: Entry, other: Entry, name: str) -> bool:
        """Whether two entries have what the site says of them: then it is no doing of the file."""
        items = [self._base.items.get(each.id) for each in (entry, other)]
        return all(
            item is not None and item.values.get(name) == each.values.get(name)
            for item, each in zip(items, (entry, other), strict=True)
        )

    def _say(self, line: int, sentence: str) -> None:
        self.problems.append(Problem(line, sentence))
