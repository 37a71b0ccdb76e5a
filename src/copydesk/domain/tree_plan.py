"""The requests that turn one tree of collections and spaces into another.

What is new comes first, for other things may go into it; then settings, one request for each thing;
then moves, from the top down; then what is deleted, collections last and from the bottom up, as the
service deletes only empty ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from copydesk.domain.layout import TOP, Item, Layout, change_line, changed_fields, said
from copydesk.domain.merge_rules import label
from copydesk.domain.reversal import JSON, Call, Expectation, Step
from copydesk.domain.space_tree import TITLE_LENGTH
from copydesk.domain.text import listed as in_words
from copydesk.domain.text import plural
from copydesk.domain.tree_inverses import (
    collection_made,
    settings_changed,
    space_deleted,
    space_made,
)
from copydesk.domain.tree_move_calls import MoveCalls, Tree, where
from copydesk.domain.tree_moves import TreeMove, tree_moves

INHERIT: Mapping[str, JSON] = {"type": "inherit"}
"""Merge rules of a space that has those of its organization."""

DUPLICATE = "duplicateOf"
"""The setting of a staged space that names the space it is a copy of."""

COPY = " (copy)"

_CREATED_WITH = ("title", "emoji", "language", "editMode")
"""What a new space is created with; the rest are settings, sent afterwards."""

RESTORABLE = "restorable for 7 days"


def copied(values: Mapping[str, JSON], row: str) -> dict[str, JSON]:
    """Return the settings that the copy of a space ``row`` with ``values`` has."""
    title = str(values.get("title") or "")[: TITLE_LENGTH - len(COPY)] + COPY
    return {**values, "title": title, DUPLICATE: row}


def copy_of(item: Item) -> str:
    """Return the id of the space that something new is a copy of; empty where it is none."""
    return str(item.values.get(DUPLICATE) or "")


def as_born(item: Item, base: Layout) -> dict[str, JSON]:
    """Return the settings that something new has once it is made, before it is changed."""
    if item.kind == "collection":
        return {"title": item.values.get("title")}
    original = copy_of(item)
    if original in base:
        return copied(base.items[original].values, original)
    given = {name: value for name, value in item.values.items() if name in _CREATED_WITH}
    return {"mergeRules": dict(INHERIT), **given}


def setting_line(name: str, before: JSON, after: JSON) -> str:
    """Return another value of a setting as a line says it."""
    if name == "editMode":
        return "locked" if after == "locked" else "unlocked"
    if name == "mergeRules":
        return f"merge rules: {rules_line(after)}"
    return change_line(name, before, after)


def rules_line(rules: JSON) -> str:
    """Return merge rules in words, people counted."""
    match rules:
        case {"type": "rules", "rules": list(given)} if given:
            return in_words([_rule(each) for each in given])
        case {"type": "inherit"} | None:
            return "those of the organization"
    return "none"


def _rule(rule: Mapping[str, JSON]) -> str:
    people = rule.get("users")
    named = f" ({plural(len(people), 'person', 'people')})" if people else ""
    return f"{label(str(rule.get('rule')))}{named}"


def _fresh(base: Layout, now: Layout) -> list[Item]:
    """Return the new rows, as the tree reads."""
    if now.items.keys() <= base.items.keys():
        return []
    return [now.items[row] for row in now.walk() if row not in base]


def before_moves(base: Layout, now: Layout) -> tuple[dict[str, list[str]], list[str]]:
    """Return the layout once the new things were made, and the spaces that were created.

    A new thing goes last in its parent; a copy comes directly after its original.
    """
    levels = {level: list(rows) for level, rows in base.levels.items()}
    fresh = _fresh(base, now)
    for item in fresh:
        if item.kind == "collection":
            levels[item.id] = []
            level = levels[now.level_of(item.id)]
            at = sum(
                (base if row in base else now).items[row].kind == "collection" for row in level
            )
            level.insert(at, item.id)
    created = []
    for item in fresh:
        if item.kind != "space":
            continue
        if (original := copy_of(item)) in base:
            beside = levels[base.level_of(original)]
            beside.insert(beside.index(original) + 1, item.id)
        else:
            levels[now.level_of(item.id)].append(item.id)
            created.append(item.id)
    return levels, created


def planned_moves(
    base: Layout, now: Layout, touched: Iterable[str] = ()
) -> tuple[list[TreeMove], dict[str, list[str]]]:
    """Return the moves of a plan, and how everything stands before them.

    Raises `NoAnchorError` where collections cannot be ordered.
    """
    levels, created = before_moves(base, now)
    spaces = {
        item.id for layout in (base, now) for item in layout.items.values() if item.kind == "space"
    }
    moves = tree_moves(levels, now.levels, spaces, made=created, touched=frozenset(touched))
    return moves, levels


def tree_calls(tree: Tree, base: Layout, now: Layout, touched: Iterable[str] = ()) -> list[Call]:
    """Return the fewest requests from one tree to another. Raises `NoAnchorError`."""
    moves, levels = planned_moves(base, now, touched)
    return [
        *_adds(tree, base, now),
        *_changes(base, now),
        *MoveCalls(tree, base, now, levels).calls(moves),
        *_removals(base, now),
    ]


# What is new


def _adds(tree: Tree, base: Layout, now: Layout) -> list[Call]:
    fresh = _fresh(base, now)
    calls = [_new_collection(tree, item, now) for item in fresh if item.kind == "collection"]
    spaces = [item for item in fresh if item.kind == "space"]
    calls += [
        _copy(tree, item, base) if copy_of(item) in base else _new_space(tree, item, now)
        for item in spaces
    ]
    return calls


def _new_collection(tree: Tree, item: Item, now: Layout) -> Call:
    level = now.level_of(item.id)
    title = item.values.get("title")
    body: dict[str, JSON] = {"title": title}
    if level != TOP:
        body["parent"] = level
    return Call(
        f"add:{item.id}",
        "New collection",
        item.title,
        f"New collection {item.title} {_at(level, now)}",
        Step("create_collection", {"organization_id": tree.organization}, body),
        collection_made(tree.organization, item.id, title=str(title)),
        makes=item.id,
    )


def _at(level: str, now: Layout) -> str:
    return "at the top" if level == TOP else f"in {where(level, now)}"


def _new_space(tree: Tree, item: Item, now: Layout) -> Call:
    level = now.level_of(item.id)
    body = {name: item.values[name] for name in _CREATED_WITH if item.values.get(name)}
    if level != TOP:
        body["parent"] = level
    named = f"{said(body['emoji'])} {item.title}" if body.get("emoji") else item.title
    return Call(
        f"add:{item.id}",
        "New space",
        item.title,
        f"New space {', '.join([f'{named} {_at(level, now)}', *_further(body)])}",
        Step("create_space", {"organization_id": tree.organization}, body),
        space_made(tree.organization, item.id, listed=tree.listed),
        makes=item.id,
    )


def _further(body: Mapping[str, JSON]) -> list[str]:
    """Return what a new space is made with besides its name."""
    language = [f"language {said(body['language'])}"] if body.get("language") else []
    return [*language, "locked"] if body.get("editMode") == "locked" else language


def _copy(tree: Tree, item: Item, base: Layout) -> Call:
    original = copy_of(item)
    title = base.items[original].title
    return Call(
        f"add:{item.id}",
        "Duplicate",
        title,
        f"A copy of {title}, with its pages and files",
        Step("duplicate_space", {"space_id": original}),
        space_made(tree.organization, item.id, listed=tree.listed),
        makes=item.id,
        note="change requests, comments and people's roles stay with the original",
    )


# Settings


def _changes(base: Layout, now: Layout) -> list[Call]:
    calls: list[Call] = []
    if now.items is base.items:
        return calls
    changed = {row for row, item in now.items.items() if base.items.get(row) is not item}
    for row in now.walk():
        if row not in changed:
            continue
        item = now.items[row]
        old = base.items[row] if row in base else replace(item, values=as_born(item, base))
        names = [name for name in changed_fields(old, item) if name != DUPLICATE]
        if names and item.kind in ("collection", "space"):
            calls.append(_change(old, item, names, known=row in base))
    return calls


def _change(old: Item, item: Item, names: list[str], *, known: bool) -> Call:
    kind: Literal["collection", "space"] = "space" if item.kind == "space" else "collection"
    before = {name: _sent(name, old.values.get(name)) for name in names}
    after = {name: _sent(name, item.values.get(name)) for name in names}
    lines = [setting_line(name, old.values.get(name), item.values.get(name)) for name in names]
    title = old.title if known else item.title
    return Call(
        f"change:{item.id}",
        _verb(after),
        title,
        f"{title}: {', '.join(lines)}",
        Step(f"update_{kind}", {f"{kind}_id": item.id}, after),
        settings_changed(kind, item.id, before, after),
    )


def _sent(name: str, value: JSON) -> JSON:
    if value in (None, ""):
        return dict(INHERIT) if name == "mergeRules" else ""
    return value


def _verb(after: Mapping[str, JSON]) -> str:
    match sorted(after):
        case ["editMode"]:
            return "Lock" if after["editMode"] == "locked" else "Unlock"
        case ["mergeRules"]:
            return "Merge rules"
        case names if "title" in names:
            return "Rename"
    return "Edit"


# What goes


def _home_after(row: str, base: Layout, now: Layout) -> str:
    """Return where a deleted space comes back to; empty where that is what it was in."""
    level = base.level_of(row)
    if level == TOP or level in now:
        return ""
    while level != TOP and level not in now:
        level = base.level_of(level)
    return _at(level, now)


def _restorable(row: str, base: Layout, now: Layout) -> str:
    home = _home_after(row, base, now)
    return f"{RESTORABLE}, {home} then, without the roles of what it was in" if home else RESTORABLE


def _removals(base: Layout, now: Layout) -> list[Call]:
    gone = [base.items[row] for row in base.walk() if row not in now]
    calls = [
        Call(
            f"remove:{item.id}",
            "Delete",
            item.title,
            f"Delete the space {item.title}",
            Step("delete_space", {"space_id": item.id}),
            space_deleted(item.id, home=_home_after(item.id, base, now)),
            note=_restorable(item.id, base, now),
        )
        for item in gone
        if item.kind == "space"
    ]
    # The walk goes from the top down, so what is inside comes later.
    for item in reversed(gone):
        if item.kind == "collection":
            ids = {"collection_id": item.id}
            calls.append(
                Call(
                    f"remove:{item.id}",
                    "Delete",
                    item.title,
                    f"Delete the collection {item.title}, empty by then",
                    Step("delete_collection", ids),
                    arrived=Expectation(Step("get_collection", ids), gone=True),
                )
            )
    return calls
