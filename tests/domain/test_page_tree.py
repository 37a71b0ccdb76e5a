import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.contract.models.content import ContentPage, GitObject
from copydesk.domain.page_tree import (
    ChangeKind,
    PageChange,
    PageNode,
    compare_trees,
    flatten,
    on_both_sides,
    version_changed,
)


def page(name: str, *pages: ContentPage, title: str = "", oid: str = "1") -> ContentPage:
    title = title or name.title()
    return ContentPage(
        id=name, title=title, slug=name, path=f"x/{name}", pages=list(pages), git=GitObject(oid=oid)
    )


def changes(
    before: list[ContentPage], after: list[ContentPage]
) -> list[tuple[str, tuple[ChangeKind, ...]]]:
    return [(c.id, c.kinds) for c in compare_trees(flatten(before), flatten(after))]


TREE = [page("a", page("b", page("c")), page("d")), page("e"), page("f")]


def test_flattening_keeps_reading_order_and_says_where_a_page_stands() -> None:
    nodes = flatten(TREE)
    assert [(n.id, n.parent, n.position, n.place) for n in nodes] == [
        ("a", None, 0, "A"),
        ("b", "a", 0, "A / B"),
        ("c", "b", 0, "A / B / C"),
        ("d", "a", 1, "A / D"),
        ("e", None, 1, "E"),
        ("f", None, 2, "F"),
    ]
    assert nodes[2].path == "x/c"
    assert flatten([ContentPage(id="p", path="guides/limits")])[0].slug == "limits"
    assert [n.id for n in flatten([page("a", page("a")), page("b"), page("a")])] == ["a", "b"]


def test_a_tree_does_not_differ_from_itself() -> None:
    assert changes(TREE, TREE) == []
    assert changes([], []) == []


def test_each_kind_of_change_and_several_at_once() -> None:
    after = [
        page("new"),
        page("a", page("d", page("b", title="Bee", oid="2"))),
        page("e"),
        page("f", oid="9"),
    ]
    assert changes(TREE, after) == [
        ("new", ("added",)),
        ("b", ("moved", "renamed", "edited")),
        ("c", ("deleted",)),
        ("f", ("edited",)),
    ]


def test_only_the_page_that_moved_among_its_siblings_is_moved() -> None:
    before = [page(name) for name in "abcdef"]
    assert changes(before, [page(name) for name in "eabcdf"]) == [("e", ("moved",))]
    assert changes(before, [page(name) for name in "bcdef"]) == [("a", ("deleted",))]
    assert changes(before, [page(name) for name in "aXbcdef"]) == [("X", ("added",))]


def test_pages_below_a_moved_or_renamed_page_are_not_changed() -> None:
    after = [page("a", page("d")), page("e"), page("f", page("b", page("c")))]
    assert changes(TREE, after) == [("b", ("moved",))]


def test_a_deleted_page_stands_where_it_stood() -> None:
    before = [page("z"), page("a", page("b"), page("c")), page("d")]
    after = [page("a", page("c", oid="2")), page("d", oid="2")]
    found = changes(before, after)
    assert [name for name, _ in found] == ["z", "b", "c", "d"]
    gone, *_ = compare_trees(flatten(before), flatten(after))
    assert (gone.page.path, gone.after, gone.page.title) == ("x/z", None, "Z")


def test_texts_decide_where_they_are_given() -> None:
    texts = {"a": ("one", "two"), "b": ("same", "same")}
    before, after = [page("a"), page("b", oid="1")], [page("a"), page("b", oid="2")]

    def by_text(old: PageNode, new: PageNode) -> bool:
        return texts[old.id][0] != texts[new.id][1]

    found = compare_trees(flatten(before), flatten(after), changed=by_text)
    assert [(c.id, c.kinds) for c in found] == [("a", ("edited",))]


def test_versions_are_compared_like_with_like() -> None:
    node = flatten([page("a")])[0]
    assert version_changed(node, replace(node, version=("2", None)))
    assert not version_changed(node, replace(node, version=(None, "today")))
    dated = flatten([ContentPage(id="a", updated_at=datetime(2025, 1, 1, tzinfo=UTC))])[0]
    assert version_changed(dated, replace(dated, version=(None, "2026-01-01T00:00:00+00:00")))


@st.composite
def trees(draw: st.DrawFn) -> list[ContentPage]:
    chance = random.Random(draw(st.integers(0, 10_000)))
    roots: list[ContentPage] = []
    everywhere = [roots]
    for name in chance.sample("abcdefghij", chance.randint(0, 10)):
        made = page(name, oid=chance.choice("12"))
        siblings = chance.choice(everywhere)
        siblings.insert(chance.randint(0, len(siblings)), made)
        everywhere.append(made.pages)
    return roots


@given(trees(), trees())
def test_every_page_is_told_once_and_the_way_back_is_the_mirror(
    before: list[ContentPage], after: list[ContentPage]
) -> None:
    old, new = flatten(before), flatten(after)
    forth = {c.id: c for c in compare_trees(old, new)}
    back = {c.id: c for c in compare_trees(new, old)}
    assert len(forth) == len(compare_trees(old, new))
    assert {c.id for c in forth.values() if "added" in c.kinds} == {n.id for n in new} - {
        n.id for n in old
    }
    for name, change in forth.items():
        if "added" in change.kinds:
            assert back[name].kinds == ("deleted",)
        elif "edited" in change.kinds:
            assert "edited" in back[name].kinds


def test_every_field_of_a_page_is_laid_out() -> None:
    day = datetime(2025, 1, 1, tzinfo=UTC)
    inner = ContentPage(id="c", title="C", path="x/c", type="group", updated_at=day)
    (outer, found) = flatten([ContentPage(id="p", title="P", slug="s", path="x", pages=[inner])])
    assert outer == PageNode("p", "P", "s", "x", "document", None, 0, (), (None, None))
    assert found == PageNode("c", "C", "c", "x/c", "group", "p", 0, ("P",), (None, day.isoformat()))


def test_several_deleted_pages_stand_behind_the_one_before_them() -> None:
    before = [page(name) for name in "abcde"]
    assert [name for name, _ in changes(before, [page("b"), page("e")])] == ["a", "c", "d"]


def test_a_page_is_renamed_by_its_title_or_its_slug_and_not_by_its_path() -> None:
    node = flatten([page("a")])
    cases: tuple[tuple[dict[str, Any], tuple[ChangeKind, ...] | None], ...] = (
        ({"title": "B"}, ("renamed",)), ({"slug": "b"}, ("renamed",)), ({"path": "y/a"}, None),
    )  # fmt: skip
    for changed, kinds in cases:
        found = compare_trees(node, [replace(node[0], **changed)])
        assert [each.kinds for each in found] == ([kinds] if kinds else [])


def test_a_change_is_of_the_page_as_it_is_now_or_was_last() -> None:
    before, after = flatten([page("a"), page("b")])
    assert PageChange("a", ("renamed",), before, after).page is after
    assert PageChange("a", ("deleted",), before, None).page is before
    with pytest.raises(ValueError, match="a change is of a page that was, or is"):
        _ = PageChange("a", ("deleted",), None, None).page


def tree(*pages: str) -> tuple[PageNode, ...]:
    """Return a tree: ``id``, ``id:text`` or ``parent/id``, in reading order."""
    nodes: list[PageNode] = []
    for each in pages:
        name, _, text = each.partition(":")
        parent, _, page = name.rpartition("/")
        siblings = sum(node.parent == (parent or None) for node in nodes)
        path = f"{parent}/{page.rstrip('0123456789')}" if parent else page.rstrip("0123456789")
        nodes.append(
            PageNode(
                page, page.upper(), path.rpartition("/")[2], path, parent=parent or None,
                position=siblings, version=(text or "1", None),
            )
        )  # fmt: skip
    return tuple(nodes)


def both(base: tuple[PageNode, ...], mine: tuple[PageNode, ...], main: tuple[PageNode, ...]) -> str:
    found = on_both_sides(compare_trees(base, mine), compare_trees(base, main))
    return " ".join(change.id for change in found)


BASE = tree("a", "b", "c", "a/d")


def test_what_only_one_side_changed_goes_together() -> None:
    assert both(BASE, tree("a:2", "b", "c", "a/d"), tree("a", "b:2", "c", "a/d")) == ""
    assert both(BASE, tree("a", "b", "c", "a/d", "b/e"), tree("a:2", "b:2", "c", "a/d")) == ""
    assert both(BASE, BASE, tree("a:2")) == ""


def test_a_page_that_both_sides_change_is_named() -> None:
    assert both(BASE, tree("a:2", "b", "c", "a/d"), tree("a:3", "b", "c", "a/d")) == "a"
    assert both(BASE, tree("a", "c", "a/d"), tree("a", "b:2", "c", "a/d")) == "b"
    assert both(BASE, tree("a", "b:2", "c", "a/d"), tree("a", "c", "a/d")) == "b"


def test_a_page_whose_new_place_main_took_or_removed_is_named() -> None:
    below = tree("a", "b", "c", "a/d", "b/e")
    assert both(BASE, below, tree("a", "c", "a/d")) == "e"
    assert both(BASE, tree("a", "c", "a/d"), below) == "b"
    assert both(BASE, tree("a", "b", "c", "a/d", "e1"), tree("a", "b", "c", "a/d", "e2")) == "e1"
    circle = both(tree("a", "b"), tree("b", "b/a"), tree("a", "a/b"))
    assert circle == "a"
