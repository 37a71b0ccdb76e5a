"""Places of pages: whatever is moved, made and deleted, the steps that are sent make it so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_places import levels_of, place_of, placed, placings, staged_levels, walk
from copydesk.domain.page_tree import PageNode

Levels = dict[str | None, list[str]]


def tree_of(above: list[int]) -> list[PageNode]:
    """Return pages, each below an earlier one or at the top, as a tree is read."""
    levels: Levels = {None: []}
    for at, under in enumerate(above):
        parent = None if under < 0 or at == 0 else f"p{under % at}"
        levels.setdefault(parent, []).append(f"p{at}")
        levels.setdefault(f"p{at}", [])
    places = {page: at for rows in levels.values() for at, page in enumerate(rows)}
    return [PageNode(page, page, parent=top, position=places[page]) for page, top in walk(levels)]


def plain(levels: Levels) -> Levels:
    """Return levels without those that are empty or that the top does not lead to."""
    led = {None, *(page for page, _ in walk(levels))}
    return {level: [*rows] for level, rows in levels.items() if rows and level in led}


def test_pages_are_walked_from_the_top() -> None:
    levels: Levels = {None: ["a", "d"], "a": ["b", "c"], "b": ["e"]}
    assert list(walk(levels)) == [("a", None), ("b", "a"), ("e", "b"), ("c", "a"), ("d", None)]


ABOVE = st.lists(st.integers(-1, 9), min_size=1, max_size=9)
STEP = st.tuples(st.integers(0, 8), st.integers(-1, 8), st.integers(0, 9), st.booleans())


@given(ABOVE, st.lists(STEP, max_size=6))
def test_the_steps_give_every_page_its_place(
    above: list[int], steps: list[tuple[int, int, int, bool]]
) -> None:
    tree = tree_of(above)
    pages = [node.id for node in tree]
    edits: dict[str, PageEdit] = {}
    for nth, (which, under, at, new) in enumerate(steps):
        into = None if under < 0 else pages[under % len(pages)]
        if new:
            edits[f"new:{nth}"] = PageEdit("insert", "r", into=into, at=at)
            continue
        page = pages[which % len(pages)]
        tried = {**edits, page: PageEdit("update", "r", into=into, at=at, moved=True)}
        wanted = staged_levels(levels_of(tree), tried)
        if {each for each, _ in walk(wanted)} >= set(pages):  # nothing went below itself
            edits = tried
    levels = levels_of(tree)
    wanted = staged_levels(levels, edits)
    found = placed(levels, placings(levels, wanted, edits))
    assert plain(found) == plain(wanted)
    # The way back: new pages are taken out, and those that moved go to where they were.
    back = placings(wanted, levels, [page for page in edits if not page.startswith("new:")])
    again = placed(wanted, back)
    kept = {
        level: [page for page in rows if not page.startswith("new:")]
        for level, rows in again.items()
    }
    assert plain(kept) == plain(levels)


def test_a_place_is_said_by_the_page_before_and_the_page_above() -> None:
    levels = {None: ["a", "b"], "b": ["c"]}
    names = {"a": "Start", "b": "FAQ"}
    assert place_of("a", None, levels, names) == "first at the top"
    assert place_of("b", None, levels, names) == "after Start, at the top"
    assert place_of("c", "b", levels, names) == "first in FAQ"
    assert place_of("gone", "b", levels, names) == place_of("c", "gone", levels, names) == ""


def test_pages_that_change_places_with_those_above_them_go_from_the_top_down() -> None:
    tree = [PageNode("a", "A"), PageNode("b", "B", parent="a"), PageNode("c", "C", position=1)]
    edits = {
        "a": PageEdit("update", "r", into="b", at=0, moved=True),
        "b": PageEdit("update", "r", into=None, at=1, moved=True),
        "c": PageEdit("delete", "r"),
    }
    wanted = staged_levels(levels_of(tree), edits)
    assert wanted[None] == ["b"]
    steps = placings(levels_of(tree), wanted, [p for p, e in edits.items() if e.moved])
    assert [(page, into) for page, into, _ in steps] == [("b", None), ("a", "b")]
