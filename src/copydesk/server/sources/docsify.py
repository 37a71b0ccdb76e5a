"""``_sidebar.md``: the table of contents of Docsify, a list as in a summary."""

from __future__ import annotations

import re
from dataclasses import replace

from copydesk.server.sources.items import Item, Navigation
from copydesk.server.sources.paths import folder_of, is_markdown
from copydesk.server.sources.summary import Entry, parse_summary

DOCSIFY = "_sidebar.md"
_HOME = "README.md"
_SHORT = re.compile(r"(?<=\]\()(?P<path>[^\s():?#]*)(?P<rest>(?:[?#][^\s()]*)?)(?=[\s)])")
"""The target of a link, which may leave out the ending, or the name of a folder's first page."""


def read_docsify(path: str, text: str) -> list[Navigation]:
    """Return the sidebar as a table of contents, with the page that Docsify opens first."""
    # Its paths count from its folder, also those with a slash before them.
    summary = parse_summary(_SHORT.sub(_whole, text), DOCSIFY, unusable=lambda _: None)
    items = [_item(entry) for entry in summary.entries]
    if not items:
        return []
    if _HOME not in {entry.path for _, entry in summary.walk()}:
        items.insert(0, Item(target=_HOME, loose=True))
    problems = tuple(replace(each, path=path) for each in summary.problems)
    return [Navigation(path, folder_of(path), tuple(items), problems=problems)]


def _whole(link: re.Match[str]) -> str:
    path = link["path"]
    if path.endswith("/") or not path:
        path += _HOME
    elif not is_markdown(path):
        path += ".md"
    return path + ("" if link["rest"].startswith("?") else link["rest"])


def _item(entry: Entry) -> Item:
    below = tuple(_item(each) for each in entry.children)
    return Item(entry.title, target=entry.path, href=entry.href, children=below)
