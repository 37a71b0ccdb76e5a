"""The tree of collections and spaces as a value."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from copydesk.contract.models.collection import Collection
from copydesk.contract.models.space import Space
from copydesk.domain.space_tree import (
    LOOSE,
    SpaceNode,
    build_tree,
    collection_node,
    from_row,
    space_node,
    to_row,
    trash_title,
    walk,
)


def folder(name: str, parent: str | None = None) -> SpaceNode:
    return SpaceNode("collection", name, name.upper(), parent)


def space(name: str, parent: str | None = None, open_: int = 0, **more: Any) -> SpaceNode:
    node = SpaceNode("space", name, name, parent, open=open_, spaces=1)
    return replace(node, **more)


def ids(nodes: tuple[SpaceNode, ...]) -> list[str]:
    return [node.id for node in walk(nodes)]


def test_collections_hold_their_spaces_and_sum_them_up() -> None:
    tree = build_tree(
        [
            folder("a"),
            folder("b", "a"),
            space("one", "a", 2, comments=3, updated="2026-01-01T00:00:00+00:00"),
            space("two", "b", 5, draft=1, updated="2026-02-01T00:00:00+00:00"),
            space("three"),
        ]
    )
    assert ids(tree) == ["a", "b", "two", "one", LOOSE, "three"]
    top = tree[0]
    assert (top.open, top.draft, top.comments, top.spaces) == (7, 1, 3, 2)
    assert top.updated.startswith("2026-02")
    assert tree[1].title == "(no collection)"


def test_without_collections_there_is_no_group() -> None:
    assert ids(build_tree([space("one"), space("two", open_=1)])) == ["two", "one"]
    assert build_tree([]) == ()


@pytest.mark.parametrize(
    ("sort", "backwards", "expected"),
    [
        ("open", False, ["b", "c", "a"]),
        ("open", True, ["a", "b", "c"]),
        ("title", False, ["a", "b", "c"]),
        ("title", True, ["c", "b", "a"]),
        ("comments", False, ["a", "c", "b"]),
        ("updated", False, ["c", "a", "b"]),
        ("published", False, ["c", "a", "b"]),
        ("published", True, ["b", "a", "c"]),
    ],
)
def test_orders(sort: str, backwards: bool, expected: list[str]) -> None:
    nodes = [
        space("c", open_=2, comments=1, updated="2026-03"),
        space("a", open_=0, comments=4, updated="2026-02"),
        space("b", open_=2, comments=0, updated="2026-01"),
    ]
    assert ids(build_tree(nodes, sort, backwards=backwards)) == expected


def test_nothing_is_lost_to_parents_that_are_missing_circular_or_no_collection() -> None:
    tree = build_tree(
        [
            folder("x", "y"),
            folder("y", "x"),
            folder("self", "self"),
            space("in x", "x"),
            space("orphan", "gone"),
            space("odd", "orphan"),
        ]
    )
    assert sorted(ids(tree)) == sorted(["x", "y", "self", "in x", LOOSE, "orphan", "odd"])
    assert next(node for node in tree if node.id == "x").children[0].id == "in x"


def test_a_deep_tree_needs_no_deep_stack() -> None:
    nodes = [folder("0"), *(folder(str(n), str(n - 1)) for n in range(1, 2000))]
    assert len(walk(build_tree([*nodes, space("leaf", "1999", 1)]))) == 2001


def test_models_become_clean_nodes() -> None:
    model = Space.model_validate(
        {
            "id": "s1",
            "title": "Guide\x1b[31m\u202e",
            "createdAt": datetime(2026, 1, 1, tzinfo=UTC),
            "updatedAt": datetime(2026, 1, 2, tzinfo=UTC),
            "changeRequestsOpen": 4,
            "mergeRules": {
                "type": "rules",
                "rules": [{"rule": "require_specific_reviewers", "users": ["u1"]}],
            },
            "permissions": {"view": True, "merge": True},
            "gitSync": {"repoName": "acme/docs"},
        }
    )
    node = space_node(model)
    assert node.title == "Guide"
    assert node.open == 4
    assert node.rules == (("require_specific_reviewers", ("u1",)),)
    assert node.permissions == ("view", "merge")
    assert node.git == "acme/docs"
    assert collection_node(Collection(id="c1", title="")).title == "Untitled"


def test_rows_come_back_as_they_were_and_damaged_ones_not_at_all() -> None:
    node = space("one", "a", 3, rules=(("r", ("u",)),), permissions=("view",), rules_type="rules")
    assert from_row(to_row(node)) == node
    assert from_row(to_row(folder("a"))) == folder("a")
    for bad in (
        {},
        {"kind": "space"},
        {"kind": "planet", "id": "x", "title": "x"},
        {"kind": "space", "id": "x", "title": "x", "open": []},
        {"kind": "space", "id": "x", "title": "x", "rules": [1]},
        {"kind": "space", "id": "x", "title": "x", "permissions": 3},
    ):
        assert from_row(bad) is None


def test_what_a_service_says_of_a_space_and_of_a_collection() -> None:
    when = datetime(2026, 3, 2, 12, tzinfo=UTC)
    urls = {"app": "https://desk.test/s"}
    made = space_node(
        Space.model_validate(
            {
                "id": "s", "title": " A ", "visibility": "private", "createdAt": when,
                "updatedAt": when, "urls": urls, "permissions": {"view": True, "edit": False},
                "changeRequestsOpen": 3, "changeRequestsDraft": 2, "comments": 1,
            }
        )
    )  # fmt: skip
    assert (made.updated, made.title, made.spaces) == (when.isoformat(), "A", 1)
    assert (made.open, made.draft, made.comments) == (3, 2, 1)
    assert made.permissions == ("view",)
    assert made.raw == {"title": " A "}
    known = {
        "id": "c", "title": "", "urls": urls, "createdAt": when, "updatedAt": when,
        "description": "All", "permissions": {"view": True, "create": True, "admin": False},
    }  # fmt: skip
    found = collection_node(Collection.model_validate(known))
    assert (found.permissions, found.title, found.description) == (
        ("view", "create"), "Untitled", "All",
    )  # fmt: skip
    del known["permissions"]
    assert collection_node(Collection.model_validate(known)).permissions is None


def test_a_group_that_is_among_the_nodes_is_the_group() -> None:
    group = SpaceNode("loose", LOOSE, "(others)", open=9)
    tree = build_tree([folder("a"), group, space("one")])
    assert [(node.id, node.kind) for node in tree] == [("a", "collection"), (LOOSE, "loose")]
    assert tree[1].title == "(others)"
    assert ids(tree[1].children) == ["one"]


def test_every_field_of_a_space_comes_from_what_the_service_says() -> None:
    when = datetime(2026, 3, 2, 12, tzinfo=UTC)
    said = {
        "id": "s", "title": "Guide", "emoji": "1f4d8", "parent": "c", "visibility": "public",
        "language": "fr", "editMode": "locked", "createdAt": when, "updatedAt": when,
        "urls": {"app": "https://a.test/s", "published": "https://docs.a.test/"},
        "mergeRules": {"type": "rules", "rules": [{"rule": "one\x1b[1m"}]},
        "gitSync": {"url": "https://git.test/x", "updatedAt": when},
    }  # fmt: skip
    made = space_node(Space.model_validate(said))
    assert made == SpaceNode(
        "space", "s", "Guide", "c", updated=when.isoformat(), emoji="1f4d8", spaces=1,
        visibility="public", language="fr", edit_mode="locked", rules_type="rules",
        rules=(("one", ()),), app_url="https://a.test/s", published_url="https://docs.a.test/",
        git="https://git.test/x", git_updated=when.isoformat(),
    )  # fmt: skip
    assert made.raw == {}
    del said["mergeRules"], said["gitSync"]
    bare = space_node(Space.model_validate({**said, "title": "", "emoji": "\x1b"}))
    assert (bare.rules_type, bare.rules, bare.git, bare.git_updated) == ("inherit", (), "", "")
    assert (bare.title, bare.raw) == ("Untitled", {"title": "", "emoji": "\x1b"})


def test_every_field_of_a_collection_comes_from_what_the_service_says() -> None:
    said = {"id": "c", "title": " A", "parent": "d", "description": "All\x1b",
            "urls": {"app": "https://a.test/c"}}  # fmt: skip
    made = collection_node(Collection.model_validate(said))
    assert made == SpaceNode(
        "collection", "c", "A", "d", description="All", app_url="https://a.test/c"
    )
    assert made.raw == {"title": " A", "description": "All\x1b"}


def test_every_field_of_a_row_is_kept() -> None:
    node = SpaceNode(
        "space", "s", "Guide", "c", 1, 2, 3, "2026-03-02", "1f4d8", 4, "All", "public", "fr",
        "locked", "rules", (("a", ("b",)),), (), "https://a", "https://b", "git", "2026",
    )  # fmt: skip
    assert from_row(to_row(node)) == node
    kept = to_row(replace(node, title="A\x1b[1m", rules=(("x\x1b", ("y\x1b",)),)))
    cleaned = from_row({**kept, "permissions": ["z\x1b"]})
    assert cleaned is not None
    assert (cleaned.title, cleaned.rules) == ("A", (("x", ("y",)),))
    assert cleaned.permissions == ("z",)
    assert from_row({**kept, "open": "x\x1b"}) is not None
    assert from_row({**kept, "id": ""}) is None


def test_with_a_part_of_the_nodes_sums_are_kept_as_they_were() -> None:
    nodes = [replace(folder("a"), open=9, spaces=7), space("one", "a", 2), folder("b")]
    tree = build_tree(nodes, partial=True)
    assert [(node.id, node.open, node.spaces) for node in tree] == [("a", 9, 7), ("b", 0, 0)]
    whole = build_tree(nodes)
    assert [(node.id, node.open, node.spaces) for node in whole] == [("a", 2, 1), ("b", 0, 0)]
    group = SpaceNode("loose", LOOSE, "(others)", open=9)
    loose = [space("two", None, 1)]
    assert build_tree([*nodes, group, *loose], partial=True)[-1].open == 9
    assert build_tree([*nodes, *loose], partial=True)[-1].open == 1


def test_spaces_stand_behind_collections_as_they_were_arranged() -> None:
    nodes = [folder("a"), space("one", "a"), folder("b", "a"), space("two", "a")]
    assert ids(build_tree(nodes, "published")) == ["a", "b", "one", "two"]
    assert ids(build_tree(nodes, "published", backwards=True)) == ["a", "two", "one", "b"]


def test_equals_are_ordered_by_title() -> None:
    nodes = [space("b", open_=1), space("É", open_=1), space("c", open_=3), space("a", open_=1)]
    assert ids(build_tree(nodes)) == ["c", "a", "b", "É"]
    assert ids(build_tree(nodes, "title")) == ["a", "b", "c", "É"]


def test_the_trash_says_what_is_known_of_it() -> None:
    assert trash_title(3) == "Trash (3 known, kept 7 days)"
