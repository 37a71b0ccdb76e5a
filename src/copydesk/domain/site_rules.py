"""What can be set of the parts of a site, and what the service makes along with a new section.

These are functions of a layout only: both staging and sending ask them. `settle` is what a rebased
structure has to give up for the rules that the service keeps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from copydesk.domain.call import NEW
from copydesk.domain.layout import (
    TOP,
    Item,
    Layout,
    Values,
    change_line,
    default_at,
    place_line,
    put_as,
    set_values,
)
from copydesk.domain.rebase import Lost

FIELDS: Mapping[str, tuple[str, ...]] = {
    "group": ("title", "icon", "draft"),
    "section": ("title", "path", "icon", "description", "condition"),
    "link": ("title", "url", "icon", "description", "condition", "draft"),
    "site-space": ("path", "condition", "hidden"),
}
"""What can be changed of each kind, by wire name; the default apart."""

REDIRECT = "redirect"
"""The former address, with ``/*``, that a redirect leads from once the path is another one."""

REQUIRED = ("title", "path", "url")
"""What cannot be unset."""

PATH = re.compile(r"\w[\w.~-]*")
"""What the path of a section or a site space is: one part of an address."""


DEEPEST = 10
"""So many groups may be within each other, on the embedded desk; of others nobody knows."""

TOO_DEEP = f"At most {DEEPEST} groups are within each other."

NO_ADDRESS = "A link leads to an address that begins with https:// or http://."


def adopting(base: Layout, now: Layout) -> str | None:
    """Return the new section that takes over what a site without any shows: the first added."""
    if any(item.kind == "section" for item in base.items.values()):
        return None
    sections = now.sections()
    root = set(base.levels[TOP])
    with_root = (row for row in sections if root.intersection(now.levels[row]))
    return next(with_root, None) or next(iter(sections), None)


def made_along(layout: Layout, section: str) -> str | None:
    """Return the site space that a new section is made with; None where it takes it over."""
    space = layout.items[section].values.get("space")
    for row in layout.levels.get(section, ()):
        if row.startswith(NEW) and layout.items[row].values.get("space") == space:
            return row
    return None


def why_not_valid(kind: str, values: Values) -> str | None:
    """Return what the contract does not allow in values, as a sentence, or None."""
    if not values:
        return None
    from pydantic import ValidationError

    from copydesk.contract.models.base import Body
    from copydesk.contract.models.site_section import SiteSectionUpdate
    from copydesk.contract.models.site_space import SiteSpaceUpdate
    from copydesk.contract.models.site_structure import ExternalLinkUpdate, SectionGroupUpdate

    models: dict[str, type[Body]] = {
        "group": SectionGroupUpdate,
        "section": SiteSectionUpdate,
        "link": ExternalLinkUpdate,
        "site-space": SiteSpaceUpdate,
    }
    try:
        models[kind].model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "value"
        if name == "url":
            return NO_ADDRESS
        said = str(first["msg"]).replace("String should have", "has to have")
        return f"The {name} {said}."
    return None


def settle(after: Layout, theirs: Layout) -> tuple[Layout, tuple[Lost, ...]]:
    """Return a layout that requests can make of ``theirs``, and the changes given up for it."""
    lost: list[Lost] = []
    items = dict(after.items)
    levels = {level: list(rows) for level, rows in after.levels.items()}
    _keep_in_place(after, theirs, levels, lost)
    _fill_again(items, levels, theirs, lost)
    _show_once(items, levels)
    after = Layout(items, {level: tuple(rows) for level, rows in levels.items()})
    while (free := _free_paths(after, theirs, lost)) is not after:
        after = free  # a path that was given back may be one that something else of ours takes
    return _show_defaults(after, lost), tuple(lost)


def _keep_in_place(
    after: Layout, theirs: Layout, levels: dict[str, list[str]], lost: list[Lost]
) -> None:
    """Leave everything where the service has it, unless a first section takes it over."""
    sections = [row for row in after.sections() if row not in theirs]
    sectioned = bool(theirs.sections())
    first = sections[0] if sections and not sectioned else None
    for row in theirs.items:
        if row not in after or after.items[row].kind != "site-space":
            continue
        there, wanted = theirs.level_of(row), after.level_of(row)
        to = first if first is not None and there == TOP else there
        if wanted != to and to in levels:
            levels[wanted].remove(row)
            put_as(theirs.levels[there], levels[to], row)
            if wanted.startswith(NEW):
                lost.append(Lost(f"{after.items[row].title}: {place_line(after, row)}", "it moved"))


def _fill_again(
    items: dict[str, Item], levels: dict[str, list[str]], theirs: Layout, lost: list[Lost]
) -> None:
    """Keep the last thing of a section, and drop spaces that a site with sections cannot show."""
    for level, rows in theirs.levels.items():
        if level in items and items[level].kind == "section" and rows and not levels[level]:
            back = rows[0]
            items[back] = theirs.items[back]
            levels[level].append(back)
            lost.append(Lost(f"{items[back].title}: removed", "nothing else is in there by now"))
    if any(item.kind == "section" for item in items.values()):
        for row in [row for row in levels[TOP] if items[row].kind == "site-space"]:
            levels[TOP].remove(row)
            title = items.pop(row).title
            lost.append(Lost(f"{title}: new", "the site has sections by now"))


def _show_once(items: dict[str, Item], levels: dict[str, list[str]]) -> None:
    """Leave out what others show there by now; a new section comes with its space once."""
    for level, rows in levels.items():
        shown = {items[row].values.get("space"): row for row in rows if not row.startswith(NEW)}
        for row in [row for row in rows if row.startswith(NEW)]:
            if items[row].kind == "site-space" and items[row].values.get("space") in shown:
                rows.remove(row)
                del items[row]
        section = items.get(level)
        if section is None or section.kind != "section" or not level.startswith(NEW):
            continue
        space = section.values.get("space")
        if all(items[row].values.get("space") != space for row in rows):
            number = max(int(row.removeprefix(NEW)) for row in items if row.startswith(NEW)) + 1
            title = section.values.get("spaceTitle") or section.values.get("title")
            values = set_values({"title": title, "space": space})
            items[f"{NEW}{number}"] = Item(f"{NEW}{number}", "site-space", values)
            rows.append(f"{NEW}{number}")


def _free_paths(after: Layout, theirs: Layout, lost: list[Lost]) -> Layout:
    """Give up paths of ours that others gave to something else."""
    taken: dict[tuple[str, object], str] = {}
    changed: list[Item] = []
    ours: list[Item] = []
    for row, item in after.items.items():
        path = item.values.get("path")
        if not path or item.kind == "group":
            continue
        was = theirs.items.get(row)
        if was is None or was.values.get("path") != path:
            ours.append(item)
        else:
            taken[after.scope_of(row), path] = row
    for item in ours:
        path = item.values["path"]
        holder = taken.setdefault((after.scope_of(item.id), path), item.id)
        if holder == item.id:
            continue
        was = theirs.items.get(item.id)
        back = was.values.get("path") if was is not None else None
        changed.append(replace(item, values=set_values({**item.values, "path": back})))
        line = f"{item.title}: {change_line('path', back, path)}"
        lost.append(Lost(line, f"{after.items[holder].title} has that path by now"))
    return after.with_items(changed) if changed else after


def _show_defaults(after: Layout, lost: list[Lost]) -> Layout:
    """Show what readers land on, and have one of all that is side by side."""
    landing: dict[str, list[str]] = {}
    for row, item in after.items.items():
        if item.values.get("default"):
            landing.setdefault(after.scope_of(row), []).append(row)
    for rows in landing.values():
        if len(rows) > 1:  # two levels became one
            after = default_at(after, min(rows, key=lambda row: row.startswith(NEW)))
    for row, item in after.items.items():
        if item.kind in ("section", "site-space") and after.scope_of(row) not in after.defaults:
            beside = after.levels[after.level_of(row)] if item.kind == "site-space" else (row,)
            told = (each for each in beside if not after.items[each].values.get("hidden"))
            after = default_at(after, next(told, row), show=True)
    for row in after.defaults.values():
        if after.items[row].values.get("hidden"):
            lost.append(Lost(f"{after.items[row].title}: hidden", "it is the default by now"))
            after = default_at(after, row, show=True)
    return after
