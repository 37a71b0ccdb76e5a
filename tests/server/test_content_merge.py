"""Three-way merge: laws that always hold, and each thing that can clash."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.text_merge import Clash, merge_text
from copydesk.server.content import Draft, FileData, PageData
from copydesk.server.content_merge import Merged, merge

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "end"]), max_size=6).map("".join)


class Texts:
    """The texts of a test, by hash."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def read(self, digest: str | None) -> str:
        return "" if digest is None else self.known[digest]

    def write(self, text: str) -> str:
        digest = sha256(text.encode()).hexdigest()
        self.known[digest] = text
        return digest


TEXTS = Texts()


def page(key: str, text: str = "", **settings: Any) -> PageData:
    return replace(
        PageData(id=key, title=key.upper(), slug=key, text=TEXTS.write(text)), **settings
    )


def draft(tree: dict[str, str | None], **texts: str) -> Draft:
    """Return a draft of pages in the order given, each below the one named."""
    made = Draft()
    made.children[None] = []
    for key, parent in tree.items():
        made.add(page(key, texts.get(key, "")), parent)
    return made


def joined(base: Draft, ours: Draft, theirs: Draft) -> Merged:
    return merge(base, ours, theirs, read_text=TEXTS.read, write_text=TEXTS.write)


def shape(made: Draft) -> dict[str | None, list[str]]:
    return {parent: ids for parent, ids in made.children.items() if ids}


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    made = Draft()
    made.children[None] = []
    for key in draw(st.permutations("pqrs"))[: draw(st.integers(0, 4))]:
        parent = draw(st.sampled_from([None, *made.pages]))
        made.add(page(key, draw(LINES), title=draw(st.sampled_from("XY"))), parent)
    for path in draw(st.sets(st.sampled_from(["f", "g"]))):
        blob = TEXTS.write(draw(st.sampled_from("12")))
        made.files[path] = FileData(id=path, name=path, path=path, blob=blob, size=1)
    return made


@given(drafts(), drafts())
def test_a_side_that_did_nothing_takes_the_other(base: Draft, changed: Draft) -> None:
    for merged in (joined(base, changed, base), joined(base, base, changed)):
        assert merged.conflicts == ()
        assert merged.draft.pages == changed.pages
        assert merged.draft.files == changed.files
        assert shape(merged.draft) == shape(changed)


@given(drafts(), drafts())
def test_both_sides_doing_the_same_is_no_conflict(base: Draft, changed: Draft) -> None:
    merged = joined(base, changed, changed)
    assert merged.conflicts == ()
    assert (merged.draft.pages, shape(merged.draft)) == (changed.pages, shape(changed))


@given(drafts(), drafts(), drafts())
def test_whatever_is_merged_is_a_tree(base: Draft, ours: Draft, theirs: Draft) -> None:
    merged = joined(base, ours, theirs)
    placed = [key for ids in merged.draft.children.values() for key in ids]
    assert sorted(placed) == sorted(merged.draft.pages)
    reached: list[str] = []
    waiting: list[str | None] = [None]
    while waiting:
        below = merged.draft.children.get(waiting.pop(), [])
        reached += below
        waiting += below
    assert sorted(reached) == sorted(placed)


@given(drafts(), drafts(), drafts())
def test_the_same_clashes_whichever_side_is_ours(base: Draft, ours: Draft, theirs: Draft) -> None:
    def clashes(merged: Merged) -> set[tuple[str, str | None]]:
        return {(c.kind, c.page.id if c.page else c.path) for c in merged.conflicts}

    one, other = joined(base, ours, theirs), joined(base, theirs, ours)
    assert bool(one.conflicts) == bool(other.conflicts)
    texts = {"text", "settings", "deleted", "file"}
    assert {c for c in clashes(one) if c[0] in texts} == {
        c for c in clashes(other) if c[0] in texts
    }


@given(LINES, LINES)
def test_texts_changed_on_one_side_are_taken_whole(base: str, changed: str) -> None:
    assert merge_text(base, base, changed) == (changed, ())
    assert merge_text(base, changed, base) == (changed, ())
    assert merge_text(base, changed, changed) == (changed, ())


def test_no_two_pages_come_to_one_address() -> None:
    def with_slugs(made: Draft, **slugs: str) -> Draft:
        for key, slug in slugs.items():
            made.edit(key, slug=slug)
        return made

    base = draft({"p": None, "q": None, "r": "p"})
    added, also = (
        with_slugs(draft({"p": None, "q": None, "r": "p", key: None}), **{key: "new"})
        for key in "xy"
    )
    renamed = with_slugs(draft({"p": None, "q": None, "r": "p"}), q="new")
    moved = with_slugs(draft({"p": None, "q": None, "r": None}), r="new")
    for ours, theirs, pair in (
        (added, also, "xy"),
        (added, renamed, "qx"),
        (renamed, moved, "qr"),
        (moved, also, "ry"),
    ):
        for merged in (joined(base, ours, theirs), joined(base, theirs, ours)):
            (conflict,) = merged.conflicts
            assert conflict.kind == "address"
            assert conflict.page is not None
            assert conflict.other is not None
            assert conflict.page.id + conflict.other.id == pair
    # What has one address on a side already, or leaves it, is no clash.
    twins = with_slugs(draft({"p": None, "q": None, "r": "p"}), q="p")
    assert joined(twins, twins, with_slugs(draft({"p": None, "q": None}), q="p")).conflicts == ()
    below = with_slugs(draft({"p": None, "q": None, "r": "p", "x": "q"}), x="r")
    assert joined(base, base, below).conflicts == ()


def test_orders_of_very_many_pages_are_merged() -> None:
    pages = [f"p{number}" for number in range(2000)]
    base = draft(dict.fromkeys(pages))
    ours = draft(dict.fromkeys([*pages, *(f"x{number}" for number in range(500))]))
    theirs = draft(dict.fromkeys([*(f"y{number}" for number in range(500)), *reversed(pages)]))
    merged = joined(base, ours, theirs)
    order = merged.draft.children[None]
    assert order[:500] == [f"y{number}" for number in range(500)]
    assert [key for key in order if key[0] == "p"] == pages[::-1]


def test_changes_apart_in_one_text_both_hold() -> None:
    merged, clashes = merge_text("1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n6")
    assert (merged, clashes) == ("one\n2\n3\n4\nfive\n6", ())


def test_a_clash_says_its_lines_and_where_they_are_on_each_side() -> None:
    base = "keep\nx\nend\n"
    ours = "new\nkeep\nours\r\nend\n"
    theirs = "keep\ntheirs\nmore\nend\n"
    _, clashes = merge_text(base, ours, theirs)
    assert clashes == (Clash(("x\n",), ("ours\r\n",), ("theirs\n", "more\n"), 3, 2),)


def test_a_line_ends_at_line_feeds_only() -> None:
    odd = "a\x0bb\x0cc\u2028d\x85e\rf\n"
    assert merge_text("x\n" + odd, "y\n" + odd, "x\n" + odd + "z") == ("y\n" + odd + "z", ())


@pytest.mark.parametrize("field", ["title", "slug", "description", "hidden"])
def test_settings_merge_and_clash_by_field(field: str) -> None:
    base, ours, theirs = (draft({"p": None}, p="text") for _ in range(3))
    ours.edit("p", **{field: "ours"}, emoji="x")
    theirs.edit("p", icon="y", text=TEXTS.write("other"))
    merged = joined(base, ours, theirs)
    assert merged.conflicts == ()
    both = merged.draft.pages["p"]
    assert (getattr(both, field), both.emoji, both.icon) == ("ours", "x", "y")
    assert TEXTS.read(both.text) == "other"
    theirs.edit("p", **{field: "theirs"})
    merged = joined(base, ours, theirs)
    assert [(c.kind, c.field) for c in merged.conflicts] == [("settings", field)]


def test_moves_edits_and_additions_go_together() -> None:
    base = draft({"a": None, "b": None, "c": None}, a="one\n")
    ours = draft({"b": None, "a": "b", "c": None}, a="one\n")
    theirs = draft({"a": None, "b": None, "new": "b", "c": None}, a="two\n")
    merged = joined(base, ours, theirs)
    assert merged.conflicts == ()
    assert shape(merged.draft)[None] == ["b", "c"]
    assert sorted(shape(merged.draft)["b"]) == ["a", "new"]
    assert TEXTS.read(merged.draft.pages["a"].text) == "two\n"


def test_an_order_changed_on_one_side_is_kept() -> None:
    base = draft(dict.fromkeys("abc"))
    merged = joined(base, draft(dict.fromkeys("abxc")), draft(dict.fromkeys("cab")))
    assert merged.conflicts == ()
    assert shape(merged.draft)[None] == ["c", "a", "b", "x"]


def test_pages_put_below_each_other_clash() -> None:
    base = draft({"a": None, "b": None})
    merged = joined(base, draft({"a": None, "b": "a"}), draft({"b": None, "a": "b"}))
    assert {c.kind for c in merged.conflicts} == {"position"}


def test_a_page_put_below_one_that_went_clashes() -> None:
    base = draft({"a": None, "b": None})
    merged = joined(base, draft({"b": None}), draft({"a": None, "b": "a"}))
    assert [(c.kind, c.page.id) for c in merged.conflicts if c.page] == [("deleted", "a")]


def file(path: str, text: str, kind: str = "file") -> FileData:
    return FileData(
        id=path, name=path, path=path, blob=TEXTS.write(text), size=len(text), kind=kind
    )


def test_files_clash_when_both_change_them_and_tables_of_contents_follow() -> None:
    base, ours, theirs = (draft({}) for _ in range(3))
    for made, text in ((base, "1\n"), (ours, "2\n"), (theirs, "3\n")):
        made.files["a.png"] = file("a.png", text)
        made.files["SUMMARY.md"] = file("SUMMARY.md", text, "summary")
        made.files["notes.md"] = file("notes.md", f"{text}same\nsame\n", "source")
    ours.files["notes.md"] = file("notes.md", "1\nsame\nsame\nmore\n", "source")
    theirs.files["notes.md"] = file("notes.md", "0\nsame\nsame\n", "source")
    merged = joined(base, ours, theirs)
    assert [(c.kind, c.path) for c in merged.conflicts] == [("file", "a.png")]
    assert TEXTS.read(merged.draft.files["notes.md"].blob) == "0\nsame\nsame\nmore\n"
    assert TEXTS.read(merged.draft.files["SUMMARY.md"].blob) == "2\n"
