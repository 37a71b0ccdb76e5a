"""Staged edits: both sides are in what is sent, or nothing is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.domain.page_edits import (
    MOST,
    PageEdit,
    compared,
    content_changes,
    edit_of,
    requests_of,
    sent_reversal,
    settings_lines,
    settled,
    slug_taken,
    unsettled_line,
)
from copydesk.domain.page_source import page_source
from copydesk.domain.page_tree import PageNode
from copydesk.domain.reversal import JSON

BASE = [f"line {number}\n" for number in range(12)]
"""Lines that are all others, so that each edit is at one place only."""

AT = st.lists(st.integers(0, 11), max_size=4, unique=True)


def edited(lines: list[str], at: list[int], said: str) -> str:
    return "".join(f"{said} {n}\n" if n in at else line for n, line in enumerate(lines))


@settings(max_examples=200)
@given(AT, AT, st.sampled_from(["\n", "\r\n"]))
def test_apart_both_sides_are_sent_and_on_the_same_lines_nothing_is(
    mine: list[int], theirs: list[int], end: str
) -> None:
    base = [line.replace("\n", end) for line in BASE]
    front = page_source({"title": "A"}, end)
    edit = PageEdit("update", "r1", front + "".join(base), front + edited(base, mine, "mine"))
    found = compared(edit, front + edited(base, theirs, "theirs"), "r2")
    beside = {a for a in mine for b in theirs if abs(a - b) <= 1}
    if found.open:
        assert beside
        assert found.how == "clash"
        assert found.edit == edit  # what I wrote stays as it is
        return
    assert not set(mine) & set(theirs)
    text = found.edit.text
    assert all(f"mine {at}\n" in text for at in mine)
    assert all(f"theirs {at}\n" in text for at in theirs)
    kept = set(range(12)) - {*mine, *theirs}
    assert all(base[at] in text for at in kept)
    assert found.edit.base_revision == "r2"
    assert (found.how == "same") == (not theirs)


def test_both_titles_stand_between_markers_where_both_are_asked_for() -> None:
    base, mine, theirs = (
        page_source({"title": title, "slug": "events"}, "Text.\n")
        for title in ("Events", "Mine", "Theirs: all")
    )
    edit = PageEdit("update", "r1", base, mine)
    both = settled(edit, theirs, "r2", "both")
    marked = (
        "<<<<<<< mine\ntitle: Mine\n=======\ntitle: 'Theirs: all'\n>>>>>>> theirs\nslug: events\n"
    )
    assert both.text == f"---\n{marked}---\nText.\n"
    assert unsettled_line(both) == 2
    assert unsettled_line(settled(edit, theirs, "r2", "mine")) == 0
    assert settled(edit, theirs, "r2", "mine").text == mine
    assert settled(edit, theirs, "r2", "theirs").text == theirs


def test_what_is_there_or_gone_is_told() -> None:
    edit = PageEdit("update", "r1", "a\n", "b\n")
    assert compared(edit, "b\n", "r2").how == "there"
    assert compared(edit, None, "r2").how == "gone"
    delete = PageEdit("delete", "r1", "a\n")
    assert compared(delete, None, "r2").how == "there"
    assert compared(delete, "a\n", "r2").how == "same"
    assert compared(delete, "b\n", "r2").how == "edited"


TREE = [
    PageNode("a", "A"),
    PageNode("b", "B", position=1),
    PageNode("c", "C", parent="b"),
    PageNode("d", "D", parent="c"),
]


def test_one_write_has_all_and_its_way_back_puts_all_back() -> None:
    old = page_source({"title": "A"}, "One.\n")
    edits = {
        "b": PageEdit("delete", "r1", title="B"),
        "a": PageEdit(
            "update", "r1", old, page_source({"title": "A", "icon": "x"}, "Two.\n"),
            into="c", at=0, moved=True,
        ),
        "new:1": PageEdit("insert", "r1", text="# New\n", into="a", at=2),
    }  # fmt: skip
    assert content_changes(edits, TREE) == [
        {
            "operation": "insert_page",
            "ref": "new:1",
            "into": "a",
            "at": 2,
            "document": {"markdown": "# New\n"},
        },
        {
            "operation": "update_page",
            "page": "a",
            "document": {"markdown": "Two.\n"},
            "icon": "x",
            "into": "c",
            "at": 0,
        },
        {"operation": "delete_page", "page": "b"},
    ]
    ids = {"space_id": "s", "change_request_id": "c"}
    back = sent_reversal(ids, edits, TREE, before="r1", after="r2", made=["n"], batch="k")
    write, again = back.back
    assert write.body == {
        "changes": [
            {"operation": "revert_page", "page": "b", "revision": "r1"},
            {"operation": "revert_page", "page": "c", "revision": "r1"},
            {"operation": "revert_page", "page": "d", "revision": "r1"},
            {"operation": "update_page", "page": "a", "into": None, "at": 0},
            {"operation": "revert_page", "page": "a", "revision": "r1"},
            {"operation": "delete_page", "page": "n"},
        ]
    }
    assert again.local == "stage_again"
    assert back.still is not None
    assert back.still.fields == {"revision": "r2"}


def test_what_stands_below_a_new_page_goes_with_a_later_request() -> None:
    new: dict[str, JSON] = {"ref": "new:1", "into": None}
    below: dict[str, JSON] = {"ref": "new:2", "into": "new:1"}
    other: dict[str, JSON] = {"page": "a", "into": "b"}
    assert requests_of([new, other, below, other]) == [[new, other], [below, other]]
    assert requests_of([]) == []
    many: list[dict[str, JSON]] = [{"page": str(nth)} for nth in range(MOST + 1)]
    assert list(map(len, requests_of(many))) == [MOST, 1]


def test_pages_below_others_are_deleted_first() -> None:
    edits = {page: PageEdit("delete", "r1") for page in ("b", "d", "c")}
    assert [change["page"] for change in content_changes(edits, TREE)] == ["d", "c", "b"]


def test_an_edit_is_kept_as_a_text() -> None:
    edit = PageEdit("insert", "r1", text="a\r\n\ud83d", into="p", at=3, title="T")
    assert edit_of(edit.to_text()) == edit
    for wrong in ("{}", "[]", '{"kind": "other", "base_revision": "r"}', '{"kind": "update"}', "x"):
        with pytest.raises(ValueError, match=r"not an edit|Expecting"):
            edit_of(wrong)


def test_a_slug_is_taken_by_the_pages_beside_it_as_they_are_staged() -> None:
    tree = [
        PageNode("a", "Retries", "retries"),
        PageNode("b", "Limits", "limits"),
        PageNode("c", "Below", "retries-2", parent="a"),
    ]

    def update(old: str, new: str) -> PageEdit:
        was, now = (page_source({"title": "T", "slug": slug}, "") for slug in (old, new))
        return PageEdit("update", "r", was, now)

    mine = update("limits", "retries")
    said = "/retries is taken by Retries. Free: /retries-2"
    assert slug_taken("b", mine, tree, {}) == said
    assert slug_taken("b", mine, tree, {"a": update("retries", "again")}) == ""
    assert slug_taken("b", mine, tree, {"a": replace(mine, moved=True, into="b")}) == ""
    assert slug_taken("b", replace(mine, moved=True, into="a"), tree, {}) == ""
    assert slug_taken("a", update("retries", "retries"), tree, {}) == "", "it has it already"
    new = PageEdit("insert", "r", text=page_source({"title": "N", "slug": "retries-2"}, ""))
    assert slug_taken("new:1", new, tree, {}) == ""
    assert "Free: /retries-3" in slug_taken("b", mine, tree, {"new:1": new})
    assert slug_taken("new:2", new, tree, {"new:1": new}).startswith("/retries-2 is taken by N.")


def test_what_an_edit_changes_of_the_settings_is_told_line_by_line() -> None:
    was = page_source({"title": "A", "slug": "a", "icon": "x"}, "Text.\n")
    now = page_source({"title": "B\x07", "slug": "a"}, "More.\n")
    edit = PageEdit("update", "r", was, now, moved=True)
    assert settings_lines(edit, "under “X”") == ["title: B", "icon: none", "moved: under “X”"]
    assert settings_lines(replace(edit, text=was)) == ["moved"]
    assert settings_lines(replace(edit, base_text="", moved=False)) == []
    [refused] = settings_lines(replace(edit, text="---\ntitle: [\n---\n"))
    assert refused.startswith("Not sent: ")
    names = "".join(f"name{number}: x\n" for number in range(9))
    [refused] = settings_lines(replace(edit, text=f"---\ntitle: A\n{names}---\n"))
    assert len(refused) == len("Not sent: ") + 200
    long = page_source({"title": "B" * 201, "slug": "a", "icon": "x"}, "")
    assert settings_lines(replace(edit, text=long, moved=False)) == [f"title: {'B' * 200}"]
    assert (edit.titled, replace(edit, text="---\ntitle: [\n---\n").titled) == ("B\x07", "")
    assert PageEdit("insert", "r", text="Words.\n").titled == ""


def test_an_edit_that_only_moves_is_the_same_whatever_its_text_is_by_now() -> None:
    source = page_source({"title": "A"}, "Text.\n")
    edit = PageEdit("update", "r", source, source, into="x", at=1, moved=True)
    there = compared(edit, page_source({"title": "A"}, "Theirs.\n"), "s")
    assert there.how == "same"
    assert not there.edit.of_text
    assert (there.edit.base_revision, there.edit.moved, there.edit.into) == ("s", True, "x")
    [change] = content_changes({"p": edit}, [])
    assert "document" not in change
