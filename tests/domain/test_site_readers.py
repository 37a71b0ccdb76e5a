"""What readers get of a site, beside what its admins see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from copydesk.domain.site_readers import ReaderNode, readers_tree, standings
from copydesk.domain.site_tree import SiteNode, Structure


def told(tree: Iterable[ReaderNode]) -> list[tuple[object, ...]]:
    return [(row.id, row.standing, row.alone, told(row.children)) for row in tree]


def section(row: str, **values: Any) -> SiteNode:
    return SiteNode(row, "section", row, **values)


def shown(row: str, level: str, **values: Any) -> SiteNode:
    return SiteNode(row, "site-space", row, level, **values)


def structure(*nodes: SiteNode, **levels: str) -> Structure:
    order = {name.removeprefix("top"): tuple(rows.split()) for name, rows in levels.items()}
    return Structure({node.id: node for node in nodes}, order)


def test_each_row_stands_where_admins_have_it() -> None:
    published = structure(
        section("a"), section("c", condition="visitor.claims.a"),
        shown("a1", "a"), shown("a2", "a", hidden=True), shown("c1", "c"),
        top="a c", a="a1 a2", c="c1",
    )  # fmt: skip
    seen = structure(
        section("a"), section("b"), section("c"), section("d"),
        shown("a1", "a"), shown("a3", "a", trashed=True), shown("a2", "a"), shown("d1", "d"),
        top="a b c d", a="a1 a3 a2", c="", d="d1",
    )  # fmt: skip
    tree = readers_tree(published, seen)
    assert told(tree) == [
        ("a", "shown", False, [
            ("a1", "shown", False, []), ("a3", "trashed", False, []), ("a2", "hidden", False, []),
        ]),
        ("b", "empty", False, []),
        ("c", "conditional", False, [("c1", "unseen", True, [])]),
        ("d", "empty", False, [("d1", "left-out", True, [])]),
    ]  # fmt: skip
    assert told(readers_tree(published, seen, adaptive=False))[2][1] == "shown"
    assert standings(tree) == {
        "shown": 2, "trashed": 1, "hidden": 1, "empty": 2, "conditional": 1, "unseen": 1,
        "left-out": 1,
    }  # fmt: skip


def test_where_nobody_knows_what_admins_see_all_is_as_readers_get_it() -> None:
    alone = structure(section("a"), shown("a1", "a"), top="a", a="a1")
    assert told(readers_tree(alone, None)) == [("a", "shown", True, [("a1", "shown", True, [])])]


def test_what_only_admins_see_stands_behind_its_neighbour_and_groups_are_not_counted() -> None:
    published = structure(
        section("b"), SiteNode("g", "group", "g"), section("d", group="g"), top="b g", g="d",
    )  # fmt: skip
    seen = structure(
        section("a"), section("b"), section("c"), SiteNode("h", "group", "h"), top="a b c h", h="",
    )  # fmt: skip
    tree = readers_tree(published, seen)
    assert [(row.id, row.standing, row.reached) for row in tree] == [
        ("a", "empty", False), ("b", "shown", True), ("c", "empty", False), ("h", "empty", False),
        ("g", "unseen", True),
    ]  # fmt: skip
    assert standings(tree) == {"empty": 2, "shown": 1, "unseen": 1}


def test_a_section_of_which_readers_get_nothing_is_empty() -> None:
    seen = structure(section("a"), shown("a1", "a", trashed=True), top="a", a="a1")
    assert told(readers_tree(structure(top=""), seen)) == [
        ("a", "empty", True, [("a1", "trashed", True, [])])
    ]
    trashed = structure(section("a", trashed=True), top="a")
    assert told(readers_tree(structure(top=""), trashed)) == [("a", "trashed", True, [])]
