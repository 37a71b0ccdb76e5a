"""``astro.config.mjs``: the sidebar and the languages of Starlight, where they are plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from copydesk.server.sources.items import MOST_DEEP, Item, Navigation
from copydesk.server.sources.mapping import BadYamlError
from copydesk.server.sources.paths import folder_of, is_address, join
from copydesk.server.sources.programs import read_value, title_of_site, values_named

ASTRO = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "js", "mts"))
DOCS = "src/content/docs"

_LOCALES = re.compile(r"\blocales\s*[:=]\s*(?=\{)")


def read_starlight(path: str, text: str) -> list[Navigation]:
    """Return the navigation of each language; nothing where Astro makes another site.

    Raises ``BadYamlError`` where the sidebar is a program.
    """
    if "starlight" not in text:
        return []
    top, title = join(folder_of(path), DOCS) or DOCS, title_of_site(text)
    sidebar = next(values_named(text, "sidebar"), None)
    try:
        languages = read_value(text, _LOCALES)
    except BadYamlError:
        languages = None
    names = list(languages) if isinstance(languages, dict) and languages else ["root"]
    made: list[Navigation] = []
    for name in map(str, names):
        root = name == "root"
        items = None
        if sidebar is not None:  # which seldom has the first page
            items = (Item(target="index", loose=True), *_items(sidebar, 0, loose=not root))
        called = title if root or title is None else f"{title} ({name})"
        made.append(Navigation(path, top if root else join(top, name) or top, items, called))
    return made


def _items(value: Any, depth: int, *, loose: bool) -> Iterator[Item]:
    if depth > MOST_DEEP or not isinstance(value, list):
        raise BadYamlError("has a “sidebar” that is not a list of pages")
    for each in value:
        if isinstance(each, str):
            yield Item(target=each.strip("/") or "index", loose=loose)
        elif isinstance(each, dict):
            title = each["label"] if isinstance(each.get("label"), str) else None
            tree, link = each.get("autogenerate"), each.get("slug", each.get("link"))
            if isinstance(link, str) and is_address(link):
                yield Item(title, href=link)
            elif isinstance(link, str):
                yield Item(title, target=link.strip("/") or "index", loose=loose)
            elif isinstance(tree, dict):
                below = Item(tree=str(tree.get("directory", "")), loose=loose)
                yield Item(title, children=(below,)) if title else below
            else:
                children = tuple(_items(each.get("items", []), depth + 1, loose=loose))
                yield Item(title, children=children)
