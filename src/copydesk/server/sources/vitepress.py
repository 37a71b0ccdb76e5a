"""``.vitepress/config.ts``: the sidebar of VitePress, where it is plain values; VuePress's too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from copydesk.server.sources.items import MOST_DEEP, Item, Navigation
from copydesk.server.sources.mapping import BadYamlError
from copydesk.server.sources.paths import is_address, join
from copydesk.server.sources.programs import title_of_site, values_named

_CONFIG = re.compile(r"(?P<site>(?:.*/)?)\.(?:vite|vue)press/config(?:/index)?\.[cm]?[jt]s")
_README = re.compile(r"(?<![^/])README$")


def vitepress_folder(path: str) -> str | None:
    """Return the folder of the site that a file configures, or None for another file."""
    found = _CONFIG.fullmatch(path)
    return None if found is None else found["site"].rstrip("/")


def read_vitepress(path: str, text: str) -> list[Navigation]:
    """Return the navigation of the pages. Raises ``BadYamlError`` where a program makes it."""
    source = next(values_named(text, "srcDir"), None)
    folder = join(vitepress_folder(path) or "", source if isinstance(source, str) else "")
    if folder is None:
        raise BadYamlError("has a “srcDir” outside the repository")
    # Each language may have one of its own.
    sidebars = list(values_named(text, "sidebar"))
    items = None
    if sidebars:
        names: dict[str, str] = {}
        with suppress(BadYamlError):
            for value in values_named(text, "nav"):
                names |= {link: name for link, name in _links(value, 0) if link not in names}
        items = tuple(each for value in sidebars for each in _sidebar(value, names))
        if all(each.target != "index" for each in _walk(items)):
            items = (Item(target="index", loose=True), *items)
    return [Navigation(path, folder, items, title_of_site(text))]


def _links(value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Yield where the links at the top of a site lead, and what they are called."""
    for each in value if isinstance(value, list) and depth < MOST_DEEP else ():
        match each:
            case {"text": str(name), "link": str(link)}:
                yield link, name
            case {"items": below}:
                yield from _links(below, depth + 1)


def _sidebar(value: Any, names: Mapping[str, str]) -> Iterator[Item]:
    """Yield the items of a sidebar; of one for each part of the site, each part is a group."""
    if not isinstance(value, dict) or "items" in value:
        yield from _items(value, "/", "", 0)
        return
    parts = {f"/{str(part).lstrip('/')}": bar for part, bar in value.items()}
    bars = {part: tuple(_items(bar, part, "", 0)) for part, bar in parts.items()}
    listed = {part: {each.target for each in _walk(items)} for part, items in bars.items()}

    def is_home(item: Item, part: str) -> bool:
        """Whether no other part, which a page's address begins with, lists the page too."""
        if item.target is None:
            return True
        near = [each for each in bars if f"/{item.target}".startswith(each)]
        home = max(near, key=len, default=part)
        return home == part or item.target not in listed[home]

    def kept(items: Iterable[Item], part: str) -> Iterator[Item]:
        for each in items:
            below = tuple(kept(each.children, part))
            if not is_home(each, part):
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
    """Yield the items of a list.

    In VitePress links count from ``base`` where that is given, in VuePress those that begin with no
    slash from their ``part``.
    """
    if isinstance(value, dict):
        value, base = value.get("items"), _text(value.get("base")) or base
    if depth > MOST_DEEP:
        raise BadYamlError("is nested too deeply")
    if not isinstance(value, list):
        raise BadYamlError("has a “sidebar” that is not a list of pages")
    for each in value:
        match each:
            case str(link) | [str(link)]:
                yield Item(target=_target(part, link))
            case [str(link), str(title)]:
                yield Item(title, target=_target(part, link))
            case dict():
                yield _item(each, part, base, depth)
            case _:
                raise BadYamlError("has a “sidebar” with something that is not a page")


def _item(value: Mapping[str, Any], part: str, base: str, depth: int) -> Item:
    title, link = value.get("text", value.get("title")), value.get("link", value.get("path"))
    base = _text(value.get("base")) or base
    if prefix := _text(value.get("prefix")):
        part = _beside(part, prefix)
    below = value.get("items", value.get("children")) or []
    found = Item(_text(title) or None, children=tuple(_items(below, part, base, depth + 1)))
    if not isinstance(link, str):
        return found
    if is_address(link):
        return replace(found, href=link)
    return replace(found, target=_target(base or part, link.lstrip("/") if base else link))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _beside(part: str, link: str) -> str:
    """Return where a link leads that counts from a part of the site, or from the site's top."""
    return link if link.startswith("/") else f"{part.rstrip('/')}/{link.removeprefix('./')}"


def _target(part: str, link: str) -> str:
    """Return the page that a link leads to, as a path below the pages' folder without an ending."""
    path = re.split(r"[#?]", _beside(part, link), maxsplit=1)[0].lstrip("/")
    path = _README.sub("index", re.sub(r"\.(?:html|md)$", "", path))
    return f"{path}index" if path.endswith("/") or not path else path
