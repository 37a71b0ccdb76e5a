"""Which changes of two sides may not go together."""

from __future__ import annotations

from copydesk.domain.common_pages import on_both_sides
from copydesk.domain.page_tree import PageNode, compare_trees


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
