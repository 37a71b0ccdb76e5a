"""Pages of a change request in another order: which edits that makes, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copydesk.domain.address import PATH_RULE
from copydesk.domain.layout import TOP
from copydesk.domain.page_arrangement import PageArrangement, layout_of
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_source import page_source
from copydesk.domain.page_tree import PageNode
from copydesk.domain.staged_layout import StagingError

TREE = [
    PageNode("a", "Auth", "auth", position=0),
    PageNode("b", "Limits", "limits", parent="a", position=0),
    PageNode("c", "Retries", "retries", parent="a", position=1),
    PageNode("d", "Events", "events", position=1),
    PageNode("g", "More", "more", type="group", position=2),
    PageNode("l", "Forum", "", type="link", parent="g", position=0),
    PageNode("e", "Auth", "auth", parent="g", position=1),
]
TEXTS = {
    node.id: page_source({"title": node.title, "slug": node.slug}, f"{node.title}.\n")
    for node in TREE
}


def begun() -> PageArrangement:
    return PageArrangement.on(layout_of(TREE), "s", "r")


def again(edits: dict[str, PageEdit | None]) -> PageArrangement:
    """Return what staged edits make of the pages, as another start reads them."""
    left = {page: edit for page, edit in edits.items() if edit is not None}
    return PageArrangement.of(layout_of(TREE), TREE, left, "s", "r")


def test_moves_are_edits_of_places_and_are_read_back_as_the_same_order() -> None:
    plan = begun().shift(["d"], "a").move(["c"], -1)
    edits = plan.edits({}, {}, "r1")
    assert edits["d"] == PageEdit("update", "r1", title="Events", into="a", at=2, moved=True)
    assert edits["c"] == PageEdit("update", "r1", title="Retries", into="a", at=0, moved=True)
    assert [page for page, edit in edits.items() if edit] == ["c", "d"]
    assert again(edits).now.same(plan.now)
    assert not again({}).dirty
    assert [call.line for call in plan.calls()] == [call.line for call in again(edits).calls()]
    back = plan.move(["c"], 1).shift(["d"], TOP, after="a")
    assert not any(back.edits(dict(back_of(edits)), {}, "r1").values())


def back_of(edits: dict[str, PageEdit | None]) -> dict[str, PageEdit]:
    return {page: edit for page, edit in edits.items() if edit is not None}


def test_settings_go_into_the_text_of_the_page_and_out_again() -> None:
    plan = begun().change("b", {"title": "Rates", "slug": "rates"}).change("b", {"icon": "bolt"})
    edits = plan.edits({}, TEXTS, "r1")
    said = page_source({"title": "Rates", "slug": "rates", "icon": "bolt"}, "Limits.\n")
    assert back_of(edits) == {"b": PageEdit("update", "r1", TEXTS["b"], said, title="Limits")}
    assert again(edits).now.same(plan.now)
    assert [each.kind for each in plan.now.items.values()] == ["page"] * len(TREE)
    without = plan.change("b", {"title": "Limits", "slug": "limits", "icon": ""})
    assert not any(without.edits(back_of(edits), TEXTS, "r1").values())


def test_an_edited_text_keeps_its_words_beside_other_settings() -> None:
    mine = page_source({"title": "Limits", "slug": "limits"}, "My words.\n")
    staged = {"b": PageEdit("update", "r1", TEXTS["b"], mine, title="Limits")}
    plan = PageArrangement.of(layout_of(TREE), TREE, staged, "s", "r").change("b", {"title": "X"})
    edit = plan.shift(["b"], TOP, after="d").edits(staged, {}, "r2")["b"]
    assert edit is not None
    assert edit.text == page_source({"title": "X", "slug": "limits"}, "My words.\n")
    assert (edit.base_revision, edit.moved, edit.into, edit.at) == ("r1", True, None, 2)


def test_a_page_that_was_only_moved_takes_its_text_along_with_other_settings() -> None:
    moved = back_of(begun().shift(["d"], "a").edits({}, {}, "r1"))
    assert moved == {"d": PageEdit("update", "r1", title="Events", into="a", at=2, moved=True)}
    plan = PageArrangement.of(layout_of(TREE), TREE, moved, "s", "r").change("d", {"title": "X"})
    said = page_source({"title": "X", "slug": "events"}, "Events.\n")
    edit = replace(moved["d"], base_text=TEXTS["d"], text=said)
    assert back_of(plan.edits(moved, TEXTS, "r2")) == {"d": edit}
    assert back_of(plan.edits(moved, {}, "r2")) == moved


def test_settings_of_a_text_that_cannot_be_read_wait_until_it_can() -> None:
    broken = "---\ntitle: [\n---\n\nMy words.\n"
    staged = {"b": PageEdit("update", "r1", TEXTS["b"], broken, title="Limits")}
    plan = PageArrangement.of(layout_of(TREE), TREE, staged, "s", "r").change("b", {"title": "X"})
    assert back_of(plan.edits(staged, {}, "r2")) == staged


def test_new_pages_stand_among_the_others_and_go_with_what_is_dropped() -> None:
    new = PageEdit("insert", "r1", text="---\ntitle: New\nslug: new\n---\n", into="a", at=1)
    gone = PageEdit("delete", "r1", title="Events")
    plan = PageArrangement.of(layout_of(TREE), TREE, {"new:1": new, "d": gone}, "s", "r")
    assert plan.now.levels["a"] == ("b", "new:1", "c")
    assert dict(plan.now.items["new:1"].values) == {
        "title": "New", "slug": "new", "type": "document",
    }  # fmt: skip
    moved = plan.shift(["new:1"], TOP, after="a").edits({"new:1": new}, {}, "r1")["new:1"]
    assert moved is not None
    assert (moved.into, moved.at, moved.text) == (None, 1, new.text)
    assert begun().edits({"new:1": new}, {}, "r1")["new:1"] is None


@pytest.mark.parametrize(
    ("row", "values", "why"),
    [
        ("a", {"title": " "}, "A title cannot be empty."),
        ("a", {"slug": "a b"}, f"An address takes {PATH_RULE}, 100 characters at most."),
        ("a", {"slug": "x" * 101}, f"An address takes {PATH_RULE}, 100 characters at most."),
    ],
)
def test_settings_that_no_page_has_are_refused(row: str, values: dict[str, str], why: str) -> None:
    with pytest.raises(StagingError) as error:
        begun().change(row, values)
    assert str(error.value) == why
    assert begun().change("a", {"slug": "x" * 100}).dirty


@pytest.mark.parametrize(
    ("rows", "level", "why"),
    [
        (["g"], "a", "A group of pages stays at the top."),
        (["b"], "l", "Forum is a link: it has no pages below it."),
        (["e"], TOP, "Auth has the same address there, /auth."),
        (["d", "e"], TOP, "Auth has the same address there, /auth."),
        (["a"], "g", "Auth has the same address there, /auth."),
    ],
)
def test_places_that_no_page_can_have_are_refused(rows: list[str], level: str, why: str) -> None:
    with pytest.raises(StagingError) as error:
        begun().shift(rows, level)
    assert str(error.value) == why


def test_pages_without_an_address_stand_beside_each_other() -> None:
    tree = [*TREE, PageNode("m", "Chat", "", type="link", parent="a", position=2)]
    plan = PageArrangement.on(layout_of(tree), "s", "r").shift(["l"], "a")
    assert [plan.now.items[row].title for row in plan.now.levels["a"]][-2:] == ["Chat", "Forum"]


def test_what_the_tree_does_not_tell_is_known_on_both_sides() -> None:
    plan = begun().change("b", {"title": "Rates"}).knowing("b", {"icon": "bolt", "title": "Old"})
    assert plan.now.items["b"].values["icon"] == plan.base.items["b"].values["icon"] == "bolt"
    assert (plan.now.items["b"].values["title"], plan.base.items["b"].values["title"]) == (
        "Rates", "Limits",
    )  # fmt: skip
    assert plan.knowing("gone", {"icon": "x"}).now.same(plan.now)
    assert plan.undo().now.same(plan.base)
