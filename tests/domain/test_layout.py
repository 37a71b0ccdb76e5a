"""How changes of rows read."""

from __future__ import annotations

import json

import pytest

from copydesk.domain.layout import (
    SECTIONS,
    TOP,
    Item,
    Kind,
    Layout,
    change_line,
    default_at,
    differences,
    layouts_in,
    said,
    text_of,
)
from copydesk.domain.reversal import JSON, SAID_CELLS


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        ("title", "A", "B", "title A → B"),
        ("title", "A", "", "no title any more"),
        ("title", None, "B", "title B"),
        ("description", "A", "B", "description B"),
        ("description", "A", None, "no description any more"),
        ("path", "a", "/b", "path /a → /b"),
        ("path", None, "b", "path /b"),
        ("hidden", False, True, "hidden"),
        ("hidden", True, False, "shown again"),
        ("draft", False, True, "a draft, which readers do not get"),
        ("draft", True, False, "shown to readers"),
        ("default", False, True, "readers land on it first"),
        ("default", True, False, "no longer the default"),
    ],
)
def test_another_value_of_a_setting_is_a_line(
    name: str, before: JSON, after: JSON, line: str
) -> None:
    assert change_line(name, before, after) == line


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"), (False, "none"), (None, "none"), ("", "none"), (" \x07", "none"), (7, "7"),
        (1.5, "1.5"), (0, "0"), (" two\nlines ", "two lines"), (["a"], "other ones"),
        ({}, "other ones"), ("x" * (SAID_CELLS + 1), "x" * (SAID_CELLS - 1) + "…"),
    ],
)  # fmt: skip
def test_a_value_is_said_in_a_few_words(value: JSON, words: str) -> None:
    assert said(value) == words


def test_sections_are_found_in_groups_and_a_group_may_have_nothing_in_it() -> None:
    kinds: dict[str, Kind] = {
        "a": "section",
        "G": "group",
        "b": "section",
        "H": "group",
        "c": "section",
    }
    items = {row: Item(row, kind) for row, kind in kinds.items()} | {"s": Item("s", "site-space")}
    layout = Layout(items, {TOP: ("a", "G", "c"), "G": ("H", "b"), "b": ("s",)})
    assert layout.sections() == ["a", "b", "c"]
    assert list(layout.walk()) == ["a", "G", "H", "b", "s", "c"]
    assert list(layout.walk("G")) == ["H", "b", "s"]
    assert (list(layout.walk("a")), Layout({}, {}).sections(), list(Layout({}, {}).walk())) == (
        [], [], [],
    )  # fmt: skip
    assert [row for row in items if layout.inside(row, "G")] == ["b", "H", "s"]
    first = default_at(default_at(layout, "c"), "b")
    assert first.defaults == {SECTIONS: "b"}
    assert default_at(first, "s").defaults == {SECTIONS: "b", "b": "s"}


@pytest.mark.parametrize(
    "levels",
    [
        {"a": ["b"]}, {TOP: ["a"]}, {TOP: ["a", "b", "b"]}, {TOP: ["a", "c"]}, {"a": ["a", "b"]},
        {TOP: ["a", "b"], "c": []}, {TOP: [], "a": ["b"], "b": ["a"]}, {},
    ],
)  # fmt: skip
def test_what_does_not_put_each_thing_into_one_level_is_no_layout(
    levels: dict[str, list[str]],
) -> None:
    items = {row: Item(row, "collection") for row in "ab"}
    base = Layout(items, {TOP: ("a",), "a": ("b",)})
    kept = text_of(base, Layout(items, {TOP: ("a", "b"), "a": ()}), (), 0)
    nothing = text_of(Layout({}, {TOP: ()}), Layout({}, {TOP: ()}), (), 0)
    assert layouts_in(kept) is not None
    assert layouts_in(nothing) is not None
    assert layouts_in(nothing.replace('{"": []}', "{}")) is None
    told = json.loads(kept)
    told["base"]["levels"] = levels
    assert layouts_in(json.dumps(told)) is None


def test_a_difference_holds_what_was_there_before_and_what_is_there_now() -> None:
    before = Layout(
        {row: Item(row, "section", {"title": row.upper()}) for row in "abc"},
        {TOP: tuple("abc"), **dict.fromkeys("abc", ())},
    )
    after = before.with_items([Item("a", "section", {"title": "New"})]).ordered({TOP: tuple("bca")})
    assert [(each.id, each.before, each.after) for each in differences(before, after)] == [
        ("a", "A", "New"), ("a", "first", "after C"),
    ]  # fmt: skip
