"""``.vitepress/config.ts``: the sidebar of VitePress, where it is plain values; VuePress's too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from copydesk.server.sources.items import MOST_DEEP, Item, Navigation
from copydesk.server.sources.mapping import BadYamlError
from copydesk.server.sources.paths import is_address, join
from copydesk.server.sources.programs import read_value

_CONFIG = re.compile(r"(?P<site>(?:.*/)?)\.(?:vite|vue)press/config(?:/index)?\.[cm]?[jt]s")
_SIDEBAR = re.compile(r"\bsidebar\s*:\s*(?=[\[{])")
_TITLE = re.compile(r"""\btitle\s*:\s*["']([^"'\n]+)["']""")
_PAGES = re.compile(r"""\bsrcDir\s*:\s*["']([^"'\n]+)["']""")
_LINK = re.compile(r"""\btext\s*:\s*["']([^"'\n]+)["']\s*,\s*link\s*:\s*["'](/[^"'\n]*)["']""")


def vitepress_folder(path: str) -> str | None:
    """Return the folder of the site that a file configures, or None for another file."""
    found = _CONFIG.fullmatch(path)
    return None if found is None else found["site"].rstrip("/")


def read_vitepress(path: str, text: str) -> list[Navigation]:
    """Return the navigation of the pages. Raises ``BadYamlError`` where a program makes it."""
    found, pages = _TITLE.search(text), _PAGES.search(text)
    site = vitepress_folder(path) or ""
    folder = join(site, pages[1] if pages else "")
    if folder is None:
        raise BadYamlError("has a “srcDir” outside the repository")
    items = None
    if re.search(r"\bsidebar\s*:", text):
        names = {link: name for name, link in reversed(_LINK.findall(text))}
        bars = tuple(_bars(read_value(text, _SIDEBAR), names))
        # The first page is seldom in a sidebar.
        first = not any(each.target == "index" for each in _walk(bars))
        items = (Item(target="index", loose=True), *bars) if first else bars
    return [Navigation(path, folder, items, found and found[1])]


def _bars(value: Any, names: Mapping[str, str]) -> Iterator[Item]:
    """Yield the items of a sidebar, or of one for each part of the site, called as links to it."""
    if not isinstance(value, dict) or "items" in value:
        yield from _items(value, "/", "", 0)
        return
    bars = {str(part): tuple(_items(bar, str(part), "", 0)) for part, bar in value.items()}
    listed = {part: {each.target for each in _walk(items)} for part, items in bars.items()}

    def elsewhere(item: Item, part: str) -> bool:
        """Whether a page is in the sidebar of another part, its own."""
        near = [each for each in bars if f"/{item.target}".startswith(each)]
        home = max(near, key=len, default=part)
        return home != part and item.target in listed[home]

    def kept(items: Iterable[Item], part: str) -> Iterator[Item]:
        for each in items:
            below = tuple(kept(each.children, part))
            if elsewhere(each, part):
                yield from below
            elif below or not each.children:
                yield replace(each, children=below)

    for part, items in bars.items():
        name = part.strip("/")
        if not name or len(bars) == 1:
            yield from kept(items, part)
        else:
            title = names.get(part) or name.rpartition("/")[2].replace("-", " ").capitalize()
            yield Item(title, children=tuple(kept(items, part)))


def _walk(items: Iterable[Item]) -> Iterator[Item]:
    for each in items:
        yield each
        yield from _walk(each.children)


def _items(value: Any, part: str, base: str, depth: int) -> Iterator[Item]:
    """Yield the items of a list. Links count from ``base``; VuePress's names from their part."""
    if isinstance(value, dict):
        value, base = value.get("items"), str(value.get("base", base))
    if depth > MOST_DEEP or not isinstance(value, list):
        raise BadYamlError("has a “sidebar” that is not a list of pages")
    for each in value:
        match each:
            case str(link) | [str(link)]:
                yield Item(target=_target(link if link.startswith("/") else part + link))
            case [str(link), str(title)]:
                yield Item(title, target=_target(link if link.startswith("/") else part + link))
            case dict():
                yield _item(each, part, base, depth)
            case _:
                raise BadYamlError("has a “sidebar” with something that is not a page")


def _item(value: Mapping[str, Any], part: str, base: str, depth: int) -> Item:
    title, link = value.get("text", value.get("title")), value.get("link", value.get("path"))
    base = str(value.get("base", base))
    below = value.get("items", value.get("children", []))
    found = Item(
        title if isinstance(title, str) else None,
        children=tuple(_items(below, part, base, depth + 1)),
    )
    if not isinstance(link, str):
        return found
    if is_address(link):
        return replace(found, href=link)
    return replace(found, target=_target(f"{base.rstrip('/')}/{link.lstrip('/')}"))


def _target(link: str) -> str:
    """Return the page that a link leads to, as a path below the pages' folder without an ending."""
    path = re.split(r"[#?]", link, maxsplit=1)[0].removesuffix(".html").lstrip("/")
    return f"{path}index" if path.endswith("/") or not path else path
