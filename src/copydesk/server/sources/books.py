"""``_toc.yml``, ``myst.yml`` and ``_quarto.yml``: the tables of Jupyter Book, MyST and Quarto."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from copydesk.server.sources.items import MOST_DEEP, Item, Navigation
from copydesk.server.sources.mapping import BadYamlError, read_mapping
from copydesk.server.sources.paths import folder_of, is_address, is_markdown

QUARTO = "_quarto.yml"
BOOKS = ("_toc.yml", "myst.yml", QUARTO)

_HOME = "index.qmd"
_TITLES = ("title", "caption", "text", "section", "part")
_TARGETS = ("file", "root", "href")
_LISTS = ("parts", "chapters", "sections", "children", "contents", "appendices")
_PATTERNS = ("glob", "pattern", "auto")


def read_book(path: str, text: str) -> list[Navigation]:
    """Return the table of a book or a site, or nothing of a file that has none."""
    values = read_mapping(text, lenient=True)
    project, book, site = (_table(values.get(name)) for name in ("project", "book", "website"))
    title = next((each["title"] for each in (book, site, project) if "title" in each), None)
    if path.endswith(QUARTO):
        sidebar = site.get("sidebar")
        several = isinstance(sidebar, list) and len(sidebar) != 1
        parts = [sidebar if several or not isinstance(sidebar, list) else sidebar[0], book]
    else:
        parts = [project.get("toc", values)]
    items = tuple(item for part in parts for item in _items(part, 0))
    if path.endswith(QUARTO) and items and not {_HOME, "index.md"} & set(_targets(items)):
        items = (Item(target=_HOME, loose=True), *items)  # which the bar at the top leads to
    title = title if isinstance(title, str) else None
    return [Navigation(path, folder_of(path), items, title)] if items else []


def _targets(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        yield item.target or ""
        yield from _targets(item.children)


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object, depth: int) -> Iterator[Item]:
    """Yield the items of a part: a page by its path, a table, or a list of these."""
    if depth > MOST_DEEP:
        raise BadYamlError("is nested too deeply")
    if isinstance(value, str):
        yield from _page(None, value)
    elif isinstance(value, list):
        for each in value:
            yield from _items(each, depth + 1)
    elif isinstance(value, dict):
        below = tuple(item for name in _LISTS for item in _items(value.get(name), depth + 1))
        names = (value[name] for name in _TITLES if isinstance(value.get(name), str))
        title = next(names, None) if depth else None  # that of a book is not of its first page
        targets = (value[name] for name in (*_TARGETS, "url") if isinstance(value.get(name), str))
        target = next(targets, None)
        if target is None and title is not None and is_markdown(title):  # a part of Quarto
            title, target = None, title
        for pattern in (value.get(name) for name in _PATTERNS):
            yield from _page(None, pattern) if isinstance(pattern, str) else ()
        if not depth:  # the first page of a Jupyter Book stands beside the others
            yield from _page(title, target) if target else ()
            yield from below
        elif target is not None:
            yield from _page(title, target, below)
        elif below:
            yield Item(title, children=below)


def _page(title: str | None, target: str, below: tuple[Item, ...] = ()) -> Iterator[Item]:
    if is_address(target):
        yield Item(title, href=target, children=below)
    elif "*" in target:
        yield Item(tree=target.partition("*")[0].rpartition("/")[0], loose=True)
    elif target.strip("- "):  # a line is drawn between pages by dashes
        yield Item(title, target=target.lstrip("/"), children=below)
