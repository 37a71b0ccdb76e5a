"""Staging in general: moved, changed, taken back, put on what others did, kept as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from copydesk.domain.arrangement import Arrangement, Clash, StagingError, State
from copydesk.domain.layout import GROUP, Item, Kind, Layout, differences
from copydesk.domain.rebase import Lost

KINDS: Mapping[str, Kind] = {"G": "group", "H": "group", "K": "collection", "L": "collection"}


def layout(levels: Mapping[str, str], **values: Mapping[str, Any]) -> Layout:
    """Return a layout of things with ids of one letter; capitals hold others.

    Groups are those that only their sections tell of.
    """
    rows = [row for inside in levels.values() for row in inside]
    items = {
        named(row): Item(
            named(row),
            KINDS.get(row, "space"),
            {"title": f"The {row}", "path": row, **values.get(row, {})},
        )
        for row in rows
    }
    return Layout(
        items, {named(level): tuple(map(named, inside)) for level, inside in levels.items()}
    )


def named(row: str) -> str:
    return f"{GROUP}{row}" if KINDS.get(row) == "group" else row


def staged(levels: Mapping[str, str]) -> Arrangement:
    return Arrangement.on(layout(levels), "org")


def order(arrangement: Arrangement, level: str = "") -> str:
    return "".join(arrangement.now.levels[named(level)]).replace(GROUP, "")


def test_moves_are_staged_taken_back_and_staged_again() -> None:
    begun = staged({"": "abcd"})
    down = begun.move("a", 1)
    assert order(down) == "bacd"
    assert down.dirty
    assert order(down.undo()) == "abcd"
    assert not down.undo().dirty
    assert down.undo().redo().now is down.now
    assert order(down.drop()) == "abcd"
    assert down.drop().undo().now is down.now
    dropped = down.move("d", -1).undo().drop()
    assert dropped.redo() is dropped
    instead = down.undo().move("d", -1)
    assert instead.redo() is instead
    assert begun.undo() is begun
    assert begun.redo() is begun
    assert begun.drop() is begun
    assert order(begun.move("ac", 1)) == "badc"
    assert order(begun.move("a", 9)) == "bcda"
    assert order(begun.put("d", 1)) == "dabc"
    assert order(begun.place("da", "b")) == "badc"
    assert order(begun.place("da", "c", after=False)) == "badc"
    assert order(begun.place("ad", "d")) == "bcad"
    assert order(begun.sort("", lambda item: item.title, reverse=True)) == "dcba"
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: begun.move("a", -1), "first already"),
        (lambda: begun.move("d", 1), "last of its level"),
        (lambda: staged({"": "a"}).move("a", 1), "the only one here"),
        (lambda: begun.put("a", 5), "1 to 4"),
        (lambda: begun.shift("a", ""), "in there already"),
        (lambda: begun.out("a"), "at the top already"),
        (lambda: begun.remove("a").change("a", {"title": "x"}), "going to be removed"),
    ]
    for step, why in refused:
        with pytest.raises(StagingError, match=why):
            step()


def test_what_was_moved_by_hand_is_what_moves_also_where_sorting_gave_that_order() -> None:
    sorted_first = staged({"": "ba"}).sort("", lambda item: item.title).undo()
    assert [*sorted_first.move("a", -1).states] == ["a"]
    assert [*sorted_first.move("b", 1).states] == ["b"]


def test_groups_stay_and_what_is_between_them_is_sorted() -> None:
    begun = staged({"": "cGbHa", "G": "zy", "H": "w"})
    with pytest.raises(StagingError, match="does not move"):
        begun.move([named("G")], 1)
    with pytest.raises(StagingError, match="does not change"):
        begun.change(named("G"), {"title": "x"})
    assert order(begun.sort("", lambda item: item.title)) == "aGbHc"
    assert order(begun.sort(named("G"), lambda item: item.title), "G") == "yz"
    emptied = begun.remove("zy")
    assert order(emptied) == "cbHa"
    assert "".join(emptied.shown.levels[""]).replace(GROUP, "") == "cGbHa"
    assert "".join(emptied.shown.levels[named("G")]) == "zy"


def test_things_go_into_others_and_out_again() -> None:
    begun = staged({"": "aKLd", "K": "bc", "L": ""})
    into = begun.shift("da", "K")
    assert (order(into), order(into, "K")) == ("KL", "bcad")
    assert order(into.shift("K", "L"), "L") == "K"
    assert order(begun.out("b")) == "aKbLd"
    assert order(begun.place("da", "b"), "K") == "badc"
    assert order(begun.shift("d", "K", after="b"), "K") == "bdc"
    assert into.state("a") == State(moved=True)
    with pytest.raises(StagingError, match="into itself"):
        into.shift("K", "L").shift("L", "K")


def test_what_is_staged_of_each_thing() -> None:
    begun = staged({"": "aKd", "K": "bc"})
    changed = begun.change("a", {"title": "Other", "icon": ""}).move("d", -1)
    assert changed.state("a") == State(changed=("title",))
    assert changed.state("d").moved
    assert not changed.state("b")
    assert not changed.change("a", {"title": "The a"}).move("d", 1).dirty
    added, row = changed.add("K", "space", {"title": "More", "hidden": False}, after="b")
    assert row == "new:1"
    assert added.now.levels["K"] == ("b", row, "c")
    assert added.now.items[row].values == {"title": "More"}
    assert added.state(row) == State(new=True)
    assert added.remove([row]).now.same(changed.now)
    second, other = added.add("", "collection", {"title": "Box"})
    bound = second.shift([row], other).bound({row: "id1", other: "id2"})
    assert bound.now.levels["id2"] == ("id1",)
    removed = begun.remove("K")
    assert {row: state.removed for row, state in removed.states.items()} == {
        "K": True,
        "b": True,
        "c": True,
    }
    assert "".join(removed.shown.levels[""]) == "aKd"
    lines = [each.line for each in differences(begun.now, second.undo().remove("b").now)]
    assert lines == [
        "More: new in The K",
        "The b: gone in The K",
        "Other: title The a → Other",
        "The K: after The d",
    ]


def test_on_top_of_what_others_did() -> None:
    begun = staged({"": "abcd"})
    ours = begun.move("d", -1).move("a", 1)
    same = ours.rebase(layout({"": "abcd"}))
    assert not same.changed
    assert same.arrangement is ours
    other = ours.rebase(layout({"": "baxcd"}))
    assert [each.line for each in other.theirs] == ["The x: new"]
    assert order(other.arrangement) == "badxc"
    carried = begun.move("d", -1).rebase(layout({"": "cabd"}))
    assert order(carried.arrangement) == "cabd"
    gone = ours.rebase(layout({"": "abc"}))
    assert order(gone.arrangement) == "bac"
    assert order(gone.arrangement.undo()) == "abc"


def test_where_both_changed_the_same_ours_is_on_top_until_theirs_is_taken() -> None:
    begun = staged({"": "abcd", "K": ""} | {"": "abcdK"})
    ours = begun.change("a", {"title": "Ours", "path": "same"}).move("b", 2).remove("d")
    ours = ours.change("c", {"icon": "x"})
    theirs = layout(
        {"": "bacdK", "K": ""}, a={"title": "Theirs", "path": "same"}, d={"title": "Dee"}
    )
    rebased = ours.rebase(theirs)
    assert [(each.id, each.field) for each in rebased.clashes] == [
        ("d", "removed"),
        ("a", "title"),
    ]
    assert Clash("a", "Theirs", "title", "The a", "Theirs", "Ours") in rebased.clashes
    assert not [each for each in rebased.theirs if each.field == "path"]  # we wanted that too
    assert rebased.arrangement.now.items["a"].title == "Ours"
    assert "d" not in rebased.arrangement.now
    taken = rebased.taking_theirs()
    assert taken.now.items["a"].title == "Theirs"
    assert "d" in taken.now
    assert taken.now.items["c"].values["icon"] == "x"
    gone = ours.rebase(layout({"": "bcdK", "K": ""}))
    assert Lost("Ours: title The a → Ours", "it is gone") in gone.lost


def test_what_both_moved_to_one_place_is_no_question_wherever_it_stands_there() -> None:
    ours = staged({"": "abK", "K": "cd"}).place("a", "c", after=False)
    rebased = ours.rebase(layout({"": "bK", "K": "cda"}))
    assert rebased.clashes == ()
    assert order(rebased.arrangement, "K") == "acd"


def test_it_is_kept_as_text() -> None:
    ours = staged({"": "aKd", "K": "bc"}).move("d", -1).change("b", {"title": "ü\x1b[31m"})
    ours = ours.add("K", "space", {"title": "More"})[0].remove("a")
    text = ours.to_text(["- The d first"])
    assert text.startswith("- The d first\n\n")
    again = Arrangement.from_text(text, "org")
    assert again is not None
    assert again.now.same(ours.now)
    assert again.base.same(ours.base)
    assert (again.count, again.touched, again.ids) == (1, frozenset("d"), ("org",))
    assert not again.undo().dirty
    item = '["a", "space", {}]'
    for broken in (
        "",
        "[]",
        "{}",
        '{"base": {"": ["a"]}, "now": {"": ["a"]}}',
        text.replace('["a", "K", "d"]', '["a", "K"]'),
        text.replace('"collection"', '"planet"'),
        text.replace('"count": 1', '"count": "x"'),
        f'{{"base": {{"items": [{item}], "levels": {{"": [], "a": ["a"]}}}}, "now": {{"items": [],'
        ' "gone": [], "levels": {}}, "touched": [], "count": 0}',
    ):
        assert Arrangement.from_text(broken) is None, broken
