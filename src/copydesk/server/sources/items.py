"""Lines of tables of contents, whatever file they were read from."""

from __future__ import annotations

from dataclasses import replace

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.model import Problem
from copydesk.server.sources.paths import folder_of, last_part

MOST_DEEP = 40
"""How many levels of such a table are read."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of such a table.

    ``target`` is a page (a path below the space's folder, or for Docusaurus a name), ``href`` an
    address, ``tree`` a folder that is listed whole, ``more`` a file with the items in its place,
    ``made`` is the folder in addresses of a page of no file; one with none of them is a group. One
    that is ``loose`` is left out without a word where its page or its folder is missing.
    """

    title: str | None = None
    target: str | None = None
    href: str | None = None
    tree: str | None = None
    more: str | None = None
    made: str | None = None
    loose: bool = False
    children: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Navigation:
    """The table of the space at ``folder``; ``items`` is None where the tree follows its folders.

    ``named`` says that pages are called by names that leave out the ending and an order, and that
    folders have an order of their own, as in Docusaurus. ``nextra`` says that folders have their
    order in files, ``hugo`` that it is Hugo's, which is used where no other table is.
    ``problems`` are its lines that could not be used, ``inherits`` is the table that has what it
    does not say.
    """

    path: str
    folder: str
    items: tuple[Item, ...] | None = None
    title: str | None = None
    named: bool = False
    hugo: bool = False
    nextra: bool = False
    problems: tuple[Problem, ...] = ()
    inherits: str | None = None


def inherited(table: Navigation, other: Navigation) -> Navigation:
    """Return a table with what it does not say, from another one, which may have more pages."""
    title = table.title
    if title is None and other.title is not None:
        title = f"{other.title} ({last_part(folder_of(table.path))})"
    items = table.items
    if items is None and other.items is not None:
        items = _loose(other.items)
    return replace(table, items=items, title=title)


def _loose(items: tuple[Item, ...]) -> tuple[Item, ...]:
    return tuple(replace(each, loose=True, children=_loose(each.children)) for each in items)
