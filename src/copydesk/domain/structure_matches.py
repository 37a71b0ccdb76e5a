"""Entries that add something which the site has by now: a file may be applied twice.

What was added has an id that the file does not know. A space stands in a section, or on a site
without sections, at most once; a section that was added is known by its title and its space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from copydesk.domain.layout import TOP, Layout
from copydesk.domain.structure_file import FLAGS, TEXTS, Entry, StructureFile

KEPT = ("title", "path")
"""What the service chose where the entry does not say it."""


def matched(
    file: StructureFile, base: Layout, spaces: Mapping[int, str], titles: Mapping[str, str]
) -> StructureFile:
    """Return a file whose entries to add have the ids of what is there already.

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

    def file(self) -> StructureFile:
        """Return the file with what was found."""
        found = [self._level(entry, TOP) for entry in self._file.entries]
        return replace(self._file, entries=tuple(found))

    def _level(self, entry: Entry, level: str) -> Entry:
        """Return an entry, and those below it, with the ids of what is in a level."""
        if not entry.id and (row := self._row(entry, level)):
            self._taken.add(row)
            entry = self._filled(entry, row)
            if entry.kind == "section":
                entry = replace(entry, spaces=self._with_along(entry, row))
        if entry.id and entry.spaces:
            below = tuple(self._level(each, entry.id) for each in entry.spaces)
            entry = replace(entry, spaces=below)
        return entry

    def _row(self, entry: Entry, level: str) -> str:
        """Return the id of what an entry would add once more; "" when the site does not have it."""
        space, items = self._spaces.get(entry.number, ""), self._base.items
        if entry.kind == "section":
            title = entry.values.get("title") or self._titles.get(space)
            rows = [
                row
                for row in self._base.sections()
                if items[row].values.get("title") == title and self._showing(row, space)
            ]
        else:
            shown = self._showing(level, space)
            rows = [shown] if shown else []
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
            return entry.spaces
        self._taken.add(shown)
        values = dict(self._base.items[shown].values)
        if any(each.values.get("default") for each in entry.spaces):
            values.pop("default", None)
        for at, each in enumerate(entry.spaces):
            if not each.id and self._spaces.get(each.number) == space:
                named = self._filled(each, shown)
                if values.get("default"):
                    named = replace(named, values={**named.values, "default": True})
                return (*entry.spaces[:at], named, *entry.spaces[at + 1 :])
        self._count += 1
        names = (*TEXTS["site-space"], *FLAGS["site-space"])
        kept = {name: values[name] for name in names if values.get(name)}
        along = Entry("site-space", entry.line, self._count, shown, values=kept)
        return (along, *entry.spaces)
