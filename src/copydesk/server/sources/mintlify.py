"""``docs.json`` and ``mint.json``: the navigation of Mintlify, which nests lists of many names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from copydesk.server.sources.items import MOST_DEEP, Item, Navigation
from copydesk.server.sources.mapping import BadYamlError, read_json
from copydesk.server.sources.paths import folder_of, join

MINTLIFY = ("docs.json", "mint.json")

_PARTS = ("language", "version", "product", "dropdown", "tab", "anchor", "item", "group")
"""What holds the name of a part of the navigation."""

_LISTS = (*(f"{name}s" for name in _PARTS), "menu", "pages")
"""What holds the parts below one, or its pages."""

_ENDPOINT = re.compile(r"(?:[\w./:-]+ )?[A-Z]+ /")
_MADE = "api-reference"
"""Where pages are that are made of the description of an API, where nothing else is said."""


def read_mintlify(path: str, text: str) -> list[Navigation]:
    """Return the navigation, or nothing of a file of another program."""
    if '"navigation"' not in text:
        return []
    values = read_json(text)
    if not ("$schema" in values or "colors" in values) or "navigation" not in values:
        return []
    title = values.get("name")
    items = tuple(_items(values["navigation"], folder_of(path), 0))
    return [Navigation(path, folder_of(path), items, title if isinstance(title, str) else None)]


def read_more(path: str, text: str) -> tuple[Item, ...]:
    """Return the items of a file that a navigation names in the place of some of its own."""
    return tuple(_items(read_json(text), folder_of(path), 0))


def _items(value: Any, folder: str, depth: int, made: str = _MADE) -> Iterator[Item]:
    """Yield the items of a part; ``made`` is where its pages of an API are."""
    if depth > MOST_DEEP:
        raise BadYamlError("is nested too deeply")
    if isinstance(value, str):
        if _ENDPOINT.match(value):
            yield Item(made=made)
        else:
            yield Item(target=value.lstrip("/"))
    elif isinstance(value, list):
        for each in value:
            yield from _items(each, folder, depth + 1, made)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield Item(more=join(folder, value["$ref"]) or value["$ref"])
        yield from _part(value, folder, depth, made)


def _part(value: Mapping[str, Any], folder: str, depth: int, made: str) -> Iterator[Item]:
    api = value.get("openapi", value.get("asyncapi"))
    if isinstance(api, dict) and isinstance(api.get("directory"), str):
        made = api["directory"].strip("/")
    title = next((value[name] for name in _PARTS if isinstance(value.get(name), str)), None)
    href, root = value.get("href"), value.get("root")
    below: list[Item] = []
    for name in value:
        if name in _LISTS:
            found = tuple(_items(value[name], folder, depth + 1, made))
            whole = name in ("languages", "versions") and len(found) == 1
            below += found[0].children if whole and found[0].target is None else found
    if title is None:
        yield from below
    elif isinstance(root, str):
        yield Item(title, target=root.lstrip("/"), children=tuple(below))
    elif below:
        yield Item(title, children=tuple(below))
    elif isinstance(href, str):
        yield Item(title, href=href)
    elif api is not None:
        yield Item(made=made)
