"""``_meta.js`` and its like: the titles and the order that Nextra and Rspress give a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.items import Navigation
from copydesk.server.sources.mapping import decoded
from copydesk.server.sources.paths import folder_of, inside, last_part
from copydesk.server.sources.programs import exported, read_value

METAS = tuple(f"_meta.{ending}" for ending in ("json", "js", "jsx", "ts", "tsx"))

GLOBALS = tuple(name.replace(".", ".global.", 1) for name in METAS)
"""One of all folders, which is not read."""

_CONTENT = re.compile(r"(?:^|(?<=/))(?:content|pages|app)(?=/|$)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page or folder is among those of its folder, and what it is called there."""

    at: float
    title: str | None = None
    hidden: bool = False


def nextra_spaces(files: Iterable[str]) -> list[Navigation]:
    """Return the folders whose pages such files put in order: the outermost of each site."""
    found: dict[str, Navigation] = {}
    for path in sorted((path for path in files if last_part(path) in (*METAS, *GLOBALS)), key=len):
        folder = folder_of(path)
        top = _CONTENT.search(folder)
        root = folder[: top.end()] if top else folder
        if not any(inside(root, each) or root == each for each in found):
            found[root] = Navigation(path, root, nextra=True)
    if len(found) == 1:
        return list(found.values())
    return [
        replace(each, title=last_part(re.sub(r"/src$", "", folder_of(root))) or None)
        for root, each in found.items()
    ]


def read_places(name: str, data: bytes) -> tuple[dict[str, Place], int]:
    """Return the places that one of ``METAS`` gives, and how many links and headings it has.

    Raises ``BadYamlError`` with the reason why it cannot be used.
    """
    text = decoded(data)
    value = read_value(text, exported(name, text))
    entries: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        entries = [(str(key), said) for key, said in value.items()]
    elif isinstance(value, list):  # as Rspress has it
        for each in value:
            said = each if isinstance(each, dict) else {"name": each}
            entries.append((re.sub(r"\.mdx?$", "", str(said.get("name", ""))), said))
    places: dict[str, Place] = {}
    others = 0
    for at, (key, said) in enumerate(entries):
        told = said if isinstance(said, dict) else {"title": said}
        title = told.get("title", told.get("label"))
        if "href" in told or told.get("type") in ("separator", "section-header", "divider"):
            others += 1
        elif key != "*":
            named = title if isinstance(title, str) and title else None
            places[key] = Place(at, named, told.get("display") == "hidden")
    return places, others
