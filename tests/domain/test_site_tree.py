"""A site's structure as the service lists it, as rows in an order of each level."""

from __future__ import annotations

from typing import Any

from copydesk.contract.models.site import PublishedSite
from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_space import SiteSpace
from copydesk.contract.models.site_structure import SiteStructure
from copydesk.domain.layout import GROUP, TOP
from copydesk.domain.site_readers import reading_of
from copydesk.domain.site_tree import SiteNode, Structure, structure_in, structure_of, with_titles

DAY = "2026-01-01T00:00:00Z"


def space(row: str, **more: Any) -> dict[str, Any]:
    inner = {"id": f"of-{row}", "title": f"Space {row}", "createdAt": DAY, "updatedAt": DAY}
    return {
        "id": row,
        "title": row.upper(),
        "path": row,
        "space": inner | more.pop("of", {}),
        **more,
    }


def section(row: str, *spaces: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": row, "title": row.upper(), "path": row, "siteSpaces": list(spaces), **more}


def sections(*given: dict[str, Any]) -> list[SiteSection]:
    return [SiteSection.model_validate(each) for each in given]


def test_every_field_of_a_section_and_of_what_it_shows() -> None:
    shown = space(
        "s", title="", condition="v\x1b", default=True, hidden=True,
        of={"title": " In\x1b[1m ", "deletedAt": DAY, "visibility": "public"},
        urls={"published": "https://docs.a.test/s"},
    )  # fmt: skip
    made = section(
        "a", shown, title=" A ", description="All", condition="c", icon="i", default=True,
        sectionGroup="g", urls={"published": "https://docs.a.test/a"},
    )  # fmt: skip
    found = structure_of(sections(made))
    assert list(found.nodes) == ["group:g", "a", "s"]
    assert found.nodes["group:g"] == SiteNode("group:g", "group", "Group 1")
    assert found.nodes["a"] == SiteNode(
        "a", "section", "A", "group:g", "a", "All", "c", True, address="https://docs.a.test/a",
        group="group:g", icon="i",
    )  # fmt: skip
    assert found.nodes["a"].raw == {
        "title": " A ", "path": "a", "description": "All", "condition": "c", "icon": "i",
    }  # fmt: skip
    assert found.nodes["s"] == SiteNode(
        "s", "site-space", "In", "a", "s", condition="v", default=True, hidden=True, trashed=True,
        space="of-s", audience="public", address="https://docs.a.test/s",
    )  # fmt: skip
    assert found.nodes["s"].raw == {"title": " In\x1b[1m ", "path": "s", "condition": "v\x1b"}


def test_what_says_nothing_is_unset() -> None:
    found = structure_of(sections(section("a", space("s", title="", of={"title": ""}), title="")))
    bare = SiteNode("a", "section", "Untitled", path="a")
    assert found.nodes["a"] == bare
    assert found.nodes["s"] == SiteNode(
        "s", "site-space", "Untitled", "a", "s", space="of-s", audience="private"
    )


def test_levels_are_the_top_each_group_and_each_section() -> None:
    found = structure_of(
        sections(
            section("a", space("a1"), space("a2")),
            section("x", space("x1"), sectionGroup="g"),
            section("y", sectionGroup="h"),
            section("z", space("a1"), sectionGroup="g"),
            section("a", space("a3")),
            section("", space("b1")),
        )
    )
    assert found.levels == {
        "": ("a", "group:g", "group:h", "b1"),
        "a": ("a1", "a2", "a3"),
        "group:g": ("x", "z"),
        "x": ("x1",),
        "group:h": ("y",),
        "y": (),
        "z": (),
    }
    assert [found.nodes[row].title for row in ("group:g", "group:h")] == ["Group 1", "Group 2"]
    assert found.sectioned


def test_without_sections_a_site_shows_spaces_at_its_top() -> None:
    shown = [SiteSpace.model_validate(space(row)) for row in "ab"]
    found = structure_of([], shown)
    assert found.levels == {TOP: ("a", "b")}
    assert not found.sectioned
    assert structure_of(sections(section("x")), shown).levels == {TOP: ("x",), "x": ()}


def test_a_tree_is_built_in_its_order() -> None:
    found = structure_of(
        sections(section("a", space("a1"), space("a2")), section("b", space("b1")))
    )
    tree = found.tree()
    assert [(node.id, [each.id for each in node.children]) for node in tree] == [
        ("a", ["a1", "a2"]),
        ("b", ["b1"]),
    ]


def published(kind: str, *structure: Any) -> PublishedSite:
    site = {"id": "site", "title": "Docs", "createdAt": DAY}
    return PublishedSite.model_validate(
        {"site": site, "structure": {"type": kind, "structure": list(structure)}}
    )


def test_what_readers_get_in_either_layout() -> None:
    found = reading_of(published("sections", section("a", space("a1"))))
    assert (found.unknown, found.structure.levels) == ("", {TOP: ("a",), "a": ("a1",)})
    found = reading_of(published("siteSpaces", space("a1")))
    assert (found.unknown, found.structure.levels) == ("", {TOP: ("a1",)})


def test_a_layout_that_is_not_known_is_told_as_far_as_it_can_be() -> None:
    found = reading_of(
        published(
            "tiles\x1b[1m",
            {"id": "a", "title": " A\x1b ", "path": "p", "urls": {"published": "https://a.test/"}},
            {"id": "b", "urls": {"published": 5}},
            {"title": "x" * 300, "path": "y" * 300, "urls": 3},
            "odd",
        )
    )
    assert found.unknown == "tiles"
    nodes = list(found.structure.nodes.values())
    assert nodes == [
        SiteNode("0:a", "section", "A", path="p", address="https://a.test/"),
        SiteNode("1:b", "section", "b"),
        SiteNode("2:", "section", "x" * 200, path="y" * 200),
        SiteNode("3:", "section", "Untitled"),
    ]
    assert found.structure.levels == {TOP: ("0:a", "1:b", "2:", "3:")}
    assert reading_of(published(" ")).unknown == "(no name)"
    assert reading_of(published("z" * 90)).unknown == "z" * 60


def test_a_structure_in_one_has_groups_in_each_other_and_each_entry_once() -> None:
    link = {"object": "site-external-link", "id": "l", "title": "\x1b[31mOut"}
    link["url"], of = "javascript:x", {"object": "site-section"}
    inner = {"object": "site-section-group", "id": "g", "title": "Again", "children": [link]}
    more = [
        section("x", space("x1"), **of),
        inner,
        {"object": "later", "id": "q"},
        {**link, "id": ""},
    ]
    group = {"object": "site-section-group", "id": "g", "title": "Build", "children": more}
    whole = {"type": "sections", "structure": [group, link, {**section("y", **of), "draft": True}]}
    found = structure_in(SiteStructure.model_validate(whole))
    assert found.sorts
    assert found.levels == {"": ("g", "l", "y"), "g": ("x",), "x": ("x1",), "y": ()}
    assert (found.nodes["l"].title, found.nodes["l"].address) == ("Out", "")
    deep = {**group, "children": []}
    for depth in range(60):
        deep = {**group, "id": f"g{depth}", "children": [deep]}
    found = structure_in(SiteStructure.model_validate({"type": "sections", "structure": [deep]}))
    assert len(found.nodes) == 61
    assert found.tree()[0].children[0].id == "g58"
    flat = {"type": "siteSpaces", "structure": [{**space("a"), "object": "site-space"}]}
    assert structure_in(SiteStructure.model_validate(flat)).levels == {"": ("a",)}


def test_groups_of_which_only_sections_tell_get_titles() -> None:
    nodes = [SiteNode(row, "group", "") for row in (f"{GROUP}g", f"{GROUP}h", "made")]
    structure = Structure({node.id: node for node in nodes}, {})
    named = with_titles(structure, {"g": "Products", "made": "Other"}, "Untitled")
    assert [node.title for node in named.nodes.values()] == ["Products", "Untitled", ""]
