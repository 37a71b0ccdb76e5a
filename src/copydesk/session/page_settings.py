"""What a change does to the settings of a page: its place, its looks, who finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.contract.models.content import ContentPage, PageCover, PageLayout
    from copydesk.contract.models.parts import ContentReference

_LIMIT = 200
"""Characters of a setting that are told."""


def settings_notes(before: ContentPage | None, after: ContentPage | None) -> list[str]:
    """Return one sentence for each setting that differs.

    Of a new page it is what keeps readers from finding it. Title and slug are told with the page's
    place (`copydesk.present.page_changes.page_notes`).
    """
    if after is None:
        return []
    notes: list[str] = []
    if bool(after.hidden) != bool(before is not None and before.hidden):
        notes.append(
            "hidden: readers do not find it in the table of contents"
            if after.hidden
            else "no longer hidden: readers find it in the table of contents"
        )
    searched = not (after.no_index or after.no_robots_index)
    if searched == bool(before is not None and (before.no_index or before.no_robots_index)):
        notes.append("search engines may list it" if searched else "kept from search engines")
    if before is None:
        return notes
    if before.path != after.path and before.slug == after.slug and before.path and after.path:
        notes.append(f"address: was “{_said(before.path)}”, now “{_said(after.path)}”")
    for name, was, now in (
        ("description", before.description, after.description),
        ("icon", before.icon, after.icon),
        ("emoji", before.emoji, after.emoji),
        ("cover", _cover(before.cover), _cover(after.cover)),
        ("leads to", _leads(before.target), _leads(after.target)),
    ):
        if (was or "") != (now or ""):
            notes.append(_difference(name, was or "", now or ""))
    notes += _layout(before.layout, after.layout)
    if (before.variables or {}) != (after.variables or {}):
        names = sorted(
            name
            for name in {*(before.variables or {}), *(after.variables or {})}
            if (before.variables or {}).get(name) != (after.variables or {}).get(name)
        )
        notes.append(f"variables: {', '.join(map(_said, names))} changed")
    return notes


def _difference(name: str, was: str, now: str) -> str:
    if not was:
        return f"{name}: now “{_said(now)}”"
    if not now:
        return f"{name}: was “{_said(was)}”, now none"
    return f"{name}: was “{_said(was)}”, now “{_said(now)}”"


def _said(text: str) -> str:
    return clean(text, limit=_LIMIT)


def _cover(cover: PageCover | None) -> str:
    if cover is None or (cover.ref is None and cover.ref_dark is None):
        return ""
    parts = [_leads(cover.ref)]
    if cover.ref_dark is not None:
        parts.append(f"dark {_leads(cover.ref_dark)}")
    if cover.y_pos:
        parts.append(f"at {cover.y_pos:g}")
    if cover.height:
        parts.append(f"{cover.height:g} high")
    return ", ".join(part for part in parts if part)


def _leads(reference: ContentReference | None) -> str:
    if reference is None:
        return ""
    about = reference.url or reference.file or reference.page or reference.space or reference.spec
    return about if reference.url and about else " ".join(filter(None, (reference.kind, about)))


def _layout(before: PageLayout | None, after: PageLayout | None) -> list[str]:
    old = {} if before is None else before.model_dump(exclude_none=True)
    new = {} if after is None else after.model_dump(exclude_none=True)
    return [
        f"layout: {name.replace('_', ' ')} was {_state(old.get(name))}, now {_state(new.get(name))}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


def _state(value: object) -> str:
    if value is None:
        return "as usual"
    if isinstance(value, bool):
        return "shown" if value else "not shown"
    return _said(str(value))
