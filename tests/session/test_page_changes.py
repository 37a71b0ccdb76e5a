"""What a change request changes: as the service lists it, or as two trees tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from copydesk.contract.models.change_request import Changes, MovedOut
from copydesk.contract.models.content import ContentPage, File, ReusableContent
from copydesk.domain.page_tree import PageNode
from copydesk.session.page_changes import (
    MOST_NOTES,
    ReviewChange,
    changed_pages,
    changed_parts,
    changed_things,
    losses,
    not_looked_at,
    page_notes,
    settings_notes,
    touched_by,
    whereto,
)

A = PageNode("a", "A", "a", "a")
B = PageNode("b", "B", "b", "x/b", parent="x", position=1, trail=("X",))
NEW_B = PageNode("b", "Bee", "bee", "bee", position=2)


def hint(*changes: dict[str, Any], more: int | None = None) -> Changes:
    return Changes.model_validate({"changes": list(changes), "more": more})


def page(kind: str, row: str, **more: Any) -> dict[str, Any]:
    reference = {"kind": "page", "page": row}
    return {
        "type": f"page_{kind}",
        "page": {"id": row, "title": row.upper(), "path": f"o/p/{row}", "type": "document"},
        "reference": reference,
        **more,
    }


def kinds(changes: list[ReviewChange]) -> list[tuple[str, tuple[str, ...], bool | None]]:
    return [(each.id, each.kinds, each.text) for each in changes]


def test_two_trees_show_what_differs_and_a_list_decides_what_is_shown() -> None:
    assert kinds(changed_pages([A, B], [A, NEW_B], None)) == [("b", ("moved", "renamed"), None)]
    (differs,) = changed_pages([A, B], [A, NEW_B], None)
    assert (differs.before, differs.after) == (B, NEW_B)
    found = changed_pages([A, B], [A, NEW_B], hint(page("edited", "a", textChanged=True)))
    assert kinds(found) == [("a", ("edited",), True)]
    assert (found[0].before, found[0].after) == (A, A)
    partial = hint(page("edited", "a"), more=3)
    assert kinds(changed_pages([A, B], [A, NEW_B], partial)) == [("b", ("moved", "renamed"), None)]
    assert kinds(changed_pages([], [A], partial, told_only=True)) == [("a", ("edited",), None)]


def test_kinds_of_a_page_that_is_listed_several_times_are_together() -> None:
    places = {"before": {"title": "B", "path": "x/b"}, "after": {"title": "Bee", "path": "x/bee"}}
    found = changed_pages(
        [B], [NEW_B], hint(page("moved", "b"), page("edited", "b", textChanged=False, **places))
    )
    assert kinds(found) == [("b", ("moved", "renamed"), False)]
    both = hint(page("edited", "b", textChanged=True, **places))
    assert kinds(changed_pages([B], [NEW_B], both)) == [("b", ("renamed", "edited"), True)]
    told = hint(page("edited", "b", textChanged=False))
    assert kinds(changed_pages([B], [NEW_B], told)) == [("b", ("renamed",), False)]
    assert kinds(changed_pages([B], [B], told)) == [("b", ("edited",), False)]
    for half in ("before", "after"):  # of one state alone nothing follows: the trees tell
        told = hint(page("edited", "b", textChanged=False, **{half: places[half]}))
        assert kinds(changed_pages([B], [NEW_B], told)) == [("b", ("renamed",), False)]
        assert kinds(changed_pages([B], [B], told)) == [("b", ("edited",), False)]
    odd = hint(page("coloured", "a"), {"type": "file_edited"}, page("created", "c"))
    unknown, added = changed_pages([], [], odd)
    assert (unknown.id, unknown.kinds) == ("a", ("edited",))
    assert (added.kinds, added.before) == (("added",), None)
    assert added.after == PageNode("c", "C", "c", path="o/p/c")
    (gone,) = changed_pages([A], [], hint(page("deleted", "a")))
    assert (gone.kinds, gone.before, gone.after) == (("deleted",), A, None)
    assert gone.node is A


def test_a_page_of_neither_tree_is_as_the_list_has_it() -> None:
    before = {"title": "Old", "path": "w/x/old", "parent": "x", "position": 3, "file": "a.md"}
    after = {"title": "New", "path": "y/z/new", "file": "b.md"}
    (found,) = changed_pages([], [], hint(page("edited", "a", before=before, after=after)))
    assert found.before == PageNode("a", "Old", "old", "w/x/old", parent="x", position=3)
    assert found.after == PageNode("a", "New", "new", "y/z/new")
    assert found.kinds == ("renamed", "file moved", "edited")
    assert found.files == ("a.md", "b.md")


def file(row: str, **more: Any) -> File:
    return File.model_validate({"id": row, "name": f"{row}.png", "size": 5, **more})


def test_what_a_list_says_in_two_entries_of_one_file_is_told_together() -> None:
    def entry(kind: str, content_type: str = "", **more: Any) -> dict[str, Any]:
        about = {"id": "f", "path": "new.png", "contentType": content_type}
        return {"type": f"file_{kind}", "file": about, **more}

    size = {"size": {"before": 1, "after": 2}}
    name = {"name": {"before": "old.png", "after": "new.png"}}
    (found,) = changed_things(
        None,
        None,
        hint(entry("moved", attributes=name), entry("edited", "image/png", attributes=size)),
    )
    assert found.kinds == ("moved", "edited")
    assert found.before is not None
    assert found.after is not None
    assert (found.before.title, found.after.title) == ("old.png", "new.png")
    assert found.note == "image/png"
    assert found.notes == ("name: was “old.png”, now “new.png”", "size: was “1”, now “2”")
    (found,) = changed_things(
        None, None, hint(entry("edited", "a", attributes=size), entry("moved", "b"))
    )
    assert (found.note, len(found.notes)) == ("a", 1)
    (gone,) = changed_things(None, None, hint(entry("created"), entry("deleted")))
    assert (gone.before, gone.after) == (gone.node, None)
    (added,) = changed_things(None, None, hint(entry("created"), entry("edited")))
    assert (added.before, added.after) == (None, added.node)


def test_files_are_told_by_the_service_or_by_two_lists() -> None:
    before, after = [file("a"), file("b"), file("c")], [file("a"), file("b", size=6), file("d")]
    found = changed_things(before, after, None)
    assert [(each.id, each.kinds, each.note, each.node.title) for each in found] == [
        ("file:b", ("edited",), "6 bytes", "b.png"),
        ("file:d", ("added",), "5 bytes", "d.png"),
        ("file:c", ("deleted",), "5 bytes", "c.png"),
    ]
    assert all(each.file for each in found)
    assert (found[1].before, found[2].after) == (None, None)
    typed = changed_things([], [file("e", contentType="image/png", size=None, name="")], None)
    assert (typed[0].note, typed[0].node.title) == ("image/png", "e")
    assert changed_things(None, None, None) == []
    told = hint(
        {"type": "file_edited", "file": {"id": "f", "path": "i/f.png", "contentType": "image/png"},
         "before": {"path": "old/f.png"}},
        {"type": "file_created", "file": {"id": "g", "name": "g.png"}},
        {"type": "file_deleted", "file": {"id": "h"}},
        {"type": "file_painted", "file": {"id": "i"}},
        {"type": "file_edited", "file": {"id": "j", "name": "j.png"},
         "attributes": {"name": {"before": "old.png", "after": "j.png"}}},
        page("edited", "a"),
    )  # fmt: skip
    assert [
        (each.id, each.kinds, each.before and each.before.title, each.after and each.after.title,
         each.note, each.file)
        for each in changed_things(None, None, told)
    ] == [
        ("file:f", ("edited",), "old/f.png", "i/f.png", "image/png", True),
        ("file:g", ("added",), None, "g.png", "", True),
        ("file:h", ("deleted",), "h", None, "", True),
        ("file:i", ("edited",), "i", "i", "", True),
        ("file:j", ("edited",), "old.png", "j.png", "", True),
    ]  # fmt: skip


def moved(**more: Any) -> MovedOut:
    return MovedOut.model_validate({"path": "g/b.md", **more})


@pytest.mark.parametrize(
    ("place", "said", "loses"),
    [
        ({}, "moved to g/b.md, which is in no space here", True),
        ({"space": "s", "spaceTitle": "G"},
         "moved to g/b.md in G, which no table of contents lists", True),
        ({"space": "s"}, "taken out of the table of contents, and g/b.md is kept without a page",
         False),
        ({"space": "s", "broken": True},
         "taken out of the table of contents, which has broken lines, and g/b.md is kept without a "
         "page", True),
        ({"space": "s", "number": 3}, "moved to g/b.md in another space, where #3 adds it", True),
        ({"space": "s", "spaceTitle": "G", "number": 3, "merged": True},
         "moved to g/b.md in G, where #3 added it", False),
    ],
)  # fmt: skip
def test_where_a_page_went_and_whether_readers_lose_it(
    place: dict[str, Any], said: str, loses: bool
) -> None:
    assert whereto(moved(**place)) == said
    out = page("deleted", "a", movedOut={"path": "g/b.md", **place})
    assert losses(hint(page("deleted", "b"), out)) == ([f"A is {said}"] if loses else [])
    (found,) = changed_pages([A], [], hint(out))
    assert found.kinds == ("moved out",)
    assert page_notes(found) == [f"This page is {said}."]


def test_an_incomplete_list_says_how_much_was_looked_at() -> None:
    assert losses(None) == []
    assert not_looked_at(None) == not_looked_at(hint(page("edited", "a"))) == ""
    some = hint(page("edited", "a"), more=1999)
    assert not_looked_at(some) == "only the first 1 of 2,000 changes were looked at"


@pytest.mark.parametrize(
    ("change", "notes"),
    [
        (ReviewChange("a", ("added",), None, A), ["New page."]),
        (ReviewChange("a", ("deleted",), A, None), ["This page is deleted."]),
        (ReviewChange("a", ("added",), None, A, "file", note="5 bytes"),
         ["New file.", "5 bytes", "What is in a file is not shown here."]),
        (ReviewChange("b", ("moved", "renamed"), B, NEW_B),
         ["moved: was under “X”, now under the top", "renamed: was “B”, now “Bee”",
          "address: was “b”, now “bee”"]),
        (ReviewChange("b", ("moved",), B, PageNode("b", "B", "b", "x/b", trail=("X",))),
         ["moved: now at place 1 under “X”, was at 2"]),
        (ReviewChange("b", ("renamed",), B, PageNode("b", "B\x1b", "c")),
         ["renamed: was “B”, now “B”", "address: was “b”, now “c”"]),
        (ReviewChange("b", ("file moved",), B, B, files=("a.md", "b.md")),
         ["file moved: was a.md, now b.md"]),
        (ReviewChange("g", ("edited",), None, PageNode("g", "G", type="group")),
         ["This page is a group, which has no text."]),
        (ReviewChange("a", ("edited",), A, A), []),
    ],
)  # fmt: skip
def test_notes_above_a_page_tell_all_but_its_text(change: ReviewChange, notes: list[str]) -> None:
    assert page_notes(change) == notes
    gone = "Main no longer has this page: someone deleted it since."
    assert page_notes(change, gone_in_main=True) == [*notes, gone]


def content(**more: Any) -> ContentPage:
    return ContentPage.model_validate({"id": "a", "title": "A", "path": "x/a", "slug": "a", **more})


HIDDEN = "hidden: readers do not find it in the table of contents"


@pytest.mark.parametrize(
    ("before", "after", "notes"),
    [
        ({}, {}, []), ({}, {"hidden": True}, [HIDDEN]),
        ({"hidden": True}, {}, ["no longer hidden: readers find it in the table of contents"]),
        ({}, {"noIndex": True}, ["kept from search engines"]),
        ({"noRobotsIndex": True}, {}, ["search engines may list it"]),
        ({}, {"path": "y/a"}, ["address: was “x/a”, now “y/a”"]),
        ({}, {"path": "y/b", "slug": "b"}, []),
        ({}, {"description": "New"}, ["description: now “New”"]),
        ({"description": "Old"}, {}, ["description: was “Old”, now none"]),
        ({"icon": "a"}, {"icon": "b"}, ["icon: was “a”, now “b”"]),
        ({"emoji": "1f4d8"}, {"emoji": "1f4d9"}, ["emoji: was “1f4d8”, now “1f4d9”"]),
        ({}, {"variables": {"b": "1", "a": "2"}}, ["variables: a, b changed"]),
        ({"variables": {"a": "1", "b": "1"}}, {"variables": {"a": "1"}}, ["variables: b changed"]),
        ({}, {"target": {"kind": "url", "url": "https://a.test"}},
         ["leads to: now “https://a.test”"]),
        ({"target": {"kind": "page", "page": "p"}}, {"target": {"kind": "space", "space": "s"}},
         ["leads to: was “page p”, now “space s”"]),
        ({"tags": [{"tag": {"kind": "tag", "tag": each}} for each in ("old", "far")]},
         {"tags": [{"tag": {"kind": "tag", "tag": {"slug": "n", "label": "New\x07"}}},
                   {"tag": {"kind": "tag", "tag": "far"}}]},
         ["tags: was “old, far”, now “New, far”"]),
        ({"cover": {"ref": {"kind": "file", "file": "f"}, "refDark": {"kind": "file", "file": "d"},
                    "yPos": 0.5, "height": 200}},
         {"cover": {"refDark": {"kind": "url", "url": "https://a.test"}}},
         ["cover: was “file f, dark file d, at 0.5, 200 high”, now “dark https://a.test”"]),
        ({"cover": {"yPos": 1}}, {}, []),
        ({"layout": {"title": False}}, {"layout": {"width": "wide"}},
         ["layout: title was not shown, now as usual", "layout: width was as usual, now wide"]),
        ({}, {"description": "x" * 300}, [f"description: now “{'x' * 200}”"]),
    ],
)  # fmt: skip
def test_each_setting_that_differs_is_a_sentence(
    before: dict[str, Any], after: dict[str, Any], notes: list[str]
) -> None:
    assert settings_notes(content(**before), content(**after)) == notes


def test_of_a_new_page_only_what_hides_it_is_told() -> None:
    new = content(hidden=True, noIndex=True, description="New")
    assert settings_notes(None, new) == [HIDDEN, "kept from search engines"]
    assert settings_notes(None, content(description="New")) == []
    assert settings_notes(new, None) == []


def test_what_changes_besides_pages_and_files_is_told() -> None:
    told = hint(
        {"type": "reusable_content_edited", "reusableContent": {"id": "r", "title": "Intro"},
         "attributes": {"title": {"before": "Start", "after": "Intro"},
                        "document": {"before": "d1", "after": "d2"}}},
        {"type": "variables_edited", "variables": {
            "version": {"before": 1, "after": 2}, "beta": {"after": True}, "old": {"before": "x"}}},
        {"type": "tag_created", "tag": {"slug": "beta", "label": "Beta"}},
        {"type": "tag_deleted"},
        {"type": "tag_edited", "tag": {"slug": "gamma", "label": "Gamma"},
         "attributes": {"label": {"before": "G", "after": ["γ"]}}},
        {"type": "glossary_entry_edited", "entry": {"id": "g"}},
    )  # fmt: skip
    found = changed_things(None, None, told)
    assert [(each.thing, each.node.title, each.kinds) for each in found] == [
        ("reusable content", "Intro", ("edited",)),
        ("variable", "version", ("edited",)),
        ("variable", "beta", ("added",)),
        ("variable", "old", ("deleted",)),
        ("tag", "Beta", ("added",)),
        ("tag", "tag", ("deleted",)),
        ("tag", "Gamma", ("edited",)),
        ("glossary entry", "glossary entry", ("edited",)),
    ]
    assert [each.before and each.before.title for each in found[:2]] == ["Start", "version"]
    assert page_notes(found[0]) == [
        "title: was “Start”, now “Intro”",
        "its content changed",
        "What is in reusable content is not shown here.",
    ]
    assert page_notes(found[1]) == ["value: was “1”, now “2”"]
    assert page_notes(found[2]) == ["New variable.", "value: now “true”"]
    assert page_notes(found[3]) == ["This variable is deleted.", "value: was “x”, now none"]
    assert found[6].before is not None
    assert found[6].before.title == "G"
    assert page_notes(found[6]) == ['label: was “G”, now “["γ"]”']
    assert page_notes(found[7])[-1].startswith("The service does not say which one")
    assert len({each.id for each in found}) == len(found) == len(touched_by(told))
    assert touched_by(told)["variable:version"] == "variable version"


def test_what_differs_of_a_page_is_read_where_a_service_tells_it_by_attributes() -> None:
    told = hint(
        page("edited", "a", attributes={
            "title": {"before": "Old", "after": "A"},
            "slug": {"before": "old", "after": "a"},
            "layout": {"before": {"cover": True, "width": "wide"}, "after": {"width": "wide"}},
            "cover": {"after": {"kind": "file", "file": "f1"}}}),
        page("moved", "a", parent={"before": {"id": "x", "title": "X", "path": "x"}}),
        page("edited", "c", attributes={"title": {"before": "Cee", "after": "C"}}),
        page("edited", "d", attributes={"document": {"before": "1", "after": "2"}}),
        page("edited", "e", attributes={"slug": {"before": "ee", "after": "e"}}),
    )  # fmt: skip
    moved_one, renamed, edited, slugged = changed_pages([], [], told, told_only=True)
    assert moved_one.kinds == ("renamed", "edited", "moved")
    assert moved_one.text is False
    assert moved_one.before is not None
    assert (moved_one.before.title, moved_one.before.path) == ("Old", "x/old")
    assert (moved_one.before.parent, moved_one.before.trail) == ("x", ("X",))
    assert page_notes(moved_one) == [
        "moved: was under “X”, now under the top",
        "renamed: was “Old”, now “A”",
        "address: was “old”, now “a”",
        "layout cover: was “true”, now none",
        "cover: now “file f1”",
    ]
    links = {
        "cover": {"after": {"kind": "image", "url": "https://a.test/x.png"}},
        "icon": {"before": {"kind": "url", "url": "https://a.test/y"}},
        "body": {"after": {"kind": "openapi", "spec": "pets"}},
    }
    told = hint(page("edited", "f", attributes=links))
    (linked,) = changed_pages([], [], told, told_only=True)
    assert page_notes(linked) == [
        "cover: now “image https://a.test/x.png”",
        "icon: was “https://a.test/y”, now none",
        "body: now “openapi pets”",
    ]
    below = page("moved", "b", parent={"after": {"id": "y", "title": "Y", "path": "y"}})
    (found,) = changed_pages([B], [], hint(below), told_only=True)
    assert found.node == PageNode("b", "B", "b", "y/b", parent="y", trail=("Y",))
    (found,) = changed_pages([B], [NEW_B], hint(below))
    assert found.node is NEW_B
    below = page("moved", "b", parent={"after": {"id": "y", "title": "", "path": ""}})
    (found,) = changed_pages([B], [], hint(below), told_only=True)
    assert found.node.path == "o/p/b", "the path of its parent is not told"
    assert (renamed.kinds, renamed.text) == (("renamed",), False)
    assert (edited.kinds, edited.text) == (("edited",), True)
    assert slugged.before is not None
    assert (slugged.before.slug, slugged.before.path) == ("ee", "o/p/ee")


def test_entries_about_one_file_are_one() -> None:
    image = {"id": "f", "name": "a.png", "path": "new/a.png"}
    moved = {
        "type": "file_moved",
        "file": image,
        "before": {"title": "a.png", "path": "old/a.png"},
        "after": {"title": "a.png", "path": "new/a.png"},
    }
    edited = {"type": "file_edited", "file": image}
    for told in (hint(moved, edited), hint(edited, moved)):
        (found,) = changed_things(None, None, told)
        assert set(found.kinds) == {"moved", "edited"}
        assert found.before is not None
        assert (found.before.title, found.node.title) == ("old/a.png", "new/a.png")
    (gone,) = changed_things(None, None, hint(edited, {"type": "file_deleted", "file": image}))
    assert gone.after is None
    come, went = {"type": "file_created", "file": image}, {"type": "file_deleted", "file": image}
    for told in (hint(come, went), hint(went, come)):
        (found,) = changed_things(None, None, told)
        assert found.node.title == gone.node.title


@pytest.mark.parametrize("kind", ["", "_", "_edited", "\x07_created"])
def test_a_change_without_a_word_for_its_thing_is_no_page(kind: str) -> None:
    (found,) = changed_things(None, None, hint({"type": kind}))
    assert found.thing == "thing"


def test_reusable_contents_of_two_revisions_are_compared() -> None:
    one, two, other, new = (
        ReusableContent(id=row, title=title, document=text)
        for row, title, text in (("a", "A", "1"), ("a", "Z", "1"), ("b", "B", "1"), ("c", "C", "1"))
    )
    found = changed_parts([one, other], [two, new])
    assert [(each.id.split(":")[1], each.kinds) for each in found] == [
        ("a", ("edited",)), ("c", ("added",)), ("b", ("deleted",)),
    ]  # fmt: skip


def test_attributes_without_end_are_told_in_part() -> None:
    attributes = {f"a{n}": {"before": 0, "after": 1} for n in range(3 * MOST_NOTES)}
    thing = {"type": "tag_edited", "tag": {"slug": "new"}, "attributes": attributes}
    told = changed_things(None, None, hint(thing))
    (notes,) = (change.notes for change in told)
    assert len(notes) == MOST_NOTES + 1
    assert notes[-1] == "other attributes differ too"


def test_what_is_the_same_in_two_revisions_or_only_moved_is_told_so() -> None:
    same = ReusableContent(id="a", title="A")
    named = ReusableContent(id="b", title="B")
    renamed = named.model_copy(update={"title": "Bee"})
    [found] = changed_parts([same, named], [same, renamed])
    assert (found.kinds, found.node.title) == (("edited",), "Bee")
    assert found.before is not None
    assert found.before.title == "B"
    moved = ReviewChange("b", ("moved",), B, replace(B, parent="y", trail=("X",)))
    assert page_notes(moved) == ["moved: to another place under “X”"]
    top = ReviewChange("a", ("moved",), A, replace(A, position=3))
    assert page_notes(top) == ["moved: now at place 4 under the top, was at 1"]


def test_names_of_attributes_and_of_layouts_are_words() -> None:
    told = hint(page("edited", "a", attributes={"noIndexURL": {"before": 1, "after": 2}}))
    [found] = changed_pages([A], [A], told)
    assert found.notes == ("no index url: was “1”, now “2”",)
    wide = {"layout": {"coverSize": "hero"}}
    before, after = (
        ContentPage.model_validate({"id": "a", "path": "a", "slug": "a", **each})
        for each in ({"layout": {"coverSize": "full"}}, wide)
    )
    assert settings_notes(before, after) == ["layout: cover size was full, now hero"]
