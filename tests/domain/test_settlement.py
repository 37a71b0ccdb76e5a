"""Pages that both sides changed: choices make the page, writes make the request that."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import pytest

from copydesk.domain.hunks import Choice, Side
from copydesk.domain.page_source import page_source
from copydesk.domain.page_tree import PageNode, compare_trees
from copydesk.domain.reversal import JSON
from copydesk.domain.settlement import (
    Now,
    PageSide,
    PageSides,
    SettledPage,
    Settling,
    Wanted,
    clearing,
    lost_with,
    page_text,
    settled_page,
    with_rivals,
    writing,
)


def side(text: str, parent: str | None = None, at: int = 0, **settings: JSON) -> PageSide:
    return PageSide(page_source({"title": "A", "slug": "a", **settings}, text), parent, at)


def choices(page: SettledPage, side: Side) -> dict[str, Choice]:
    return {hunk.key: Choice(side) for hunk in page.conflicts}


def test_settings_and_text_are_told_one_by_one() -> None:
    before = side("One.\n", icon="x", description="d")
    main = side("Two.\n", icon="y", description="main")
    request = side("One.\n", icon="z", description="d", hidden=True)
    page = settled_page(PageSides("p", before, main, request))
    assert [hunk.field for hunk in page.conflicts] == ["icon"]
    assert page.merged == 3
    assert page.wanted({}) is None
    wanted = page.wanted(choices(page, "request"))
    said: dict[str, JSON] = {"icon": "z", "description": "main", "hidden": True}
    assert wanted == Wanted("p", side("Two.\n", **said).source)
    wanted = page.wanted(choices(page, "before"))
    assert wanted == Wanted("p", side("Two.\n", **{**said, "icon": "x"}).source)


@pytest.mark.parametrize("gone", ["main", "request"])
def test_a_page_that_one_side_deleted_is_asked_if_the_other_edited_it(gone: str) -> None:
    before, edited = side("One.\n"), side("Two.\n")
    sides = {"main": edited, "request": edited, gone: None}
    page = settled_page(PageSides("p", before, sides["main"], sides["request"]))
    [hunk] = page.conflicts
    assert hunk.field == "page"
    other: Side = "request" if gone == "main" else "main"
    assert page.wanted(choices(page, other)) == Wanted("p", edited.source)
    assert page.wanted(choices(page, "main" if gone == "main" else "request")) == Wanted("p", None)
    assert page.wanted(choices(page, "before")) == Wanted("p", before.source)
    sides = {"main": before, "request": before, gone: None}
    page = settled_page(PageSides("p", before, sides["main"], sides["request"]))
    assert page.wanted({}) == Wanted("p", None)
    held = settled_page(PageSides("p", before, sides["main"], sides["request"], held=True))
    assert [hunk.field for hunk in held.conflicts] == ["page"]


def test_a_setting_that_one_side_took_out_is_that_of_the_side_without_it() -> None:
    before = replace(side("One.\n"), others={"cover": "1"})
    main, request = replace(before, others={"cover": "2"}), replace(before, others={})
    page = settled_page(PageSides("p", before, main, request))
    assert [hunk.field for hunk in page.conflicts] == ["cover"]
    covers: dict[Literal["main", "request", "before"], str]
    covers = {"main": "2", "request": "", "before": "1"}
    for origin, cover in covers.items():
        wanted = page.wanted(choices(page, origin))
        assert wanted == Wanted("p", before.source, others={"cover": cover}, origin=origin)


def test_a_page_that_both_sides_made_has_what_is_chosen_of_it() -> None:
    page = settled_page(PageSides("p", None, side("Main.\n"), side("Mine.\n", icon="x")))
    wanted = page.wanted(choices(page, "request"))
    assert wanted == Wanted("p", side("Mine.\n", icon="x").source)
    wanted = page.wanted(choices(page, "main"))
    assert wanted is not None
    assert wanted.source is not None
    assert wanted.source.endswith("Main.\n")


def test_settings_that_cannot_be_read_are_settled_as_text() -> None:
    text = "---\ntitle: [{}\n---\n\n{}\n"
    before, main, request = (
        PageSide(text.format(*each)) for each in (("", "One."), ("a", "One."), ("", "Two."))
    )
    page = settled_page(PageSides("p", before, main, request))
    assert page.conflicts == []
    assert page.wanted({}) == Wanted("p", text.format("a", "Two."))
    assert page_text(PageSides("p", before, None, request), [], {}) is None
    assert page_text(PageSides("p", before, main, None), [], {}) is None


def test_places_are_chosen_and_one_sided_moves_are_not() -> None:
    before = side("One.\n")
    page = settled_page(PageSides("p", before, side("One.\n", "m", 1), side("One.\n", "r", 2)))
    assert page.wanted(choices(page, "main")) == Wanted("p", before.source, "m", 1)
    assert page.wanted(choices(page, "request")) == Wanted("p", before.source, "r", 2)
    page = settled_page(PageSides("p", before, before, side("One.\n", "r", 2)))
    assert page.wanted({}) == Wanted("p", before.source, "r", 2)
    page = settled_page(PageSides("p", before, side("One.\n", "m", 1), before))
    assert page.wanted({}) == Wanted("p", before.source, "m", 1)


def test_one_address_for_two_pages_is_given_to_one_of_them() -> None:
    mine = side("Mine.\n")
    sides = PageSides("p", None, None, mine, rival="q", free=("a-2", "a-3"))
    page = settled_page(sides)
    [hunk] = page.conflicts
    assert hunk.field == "address"
    theirs = {"q": side("Theirs.\n")}
    wanted = with_rivals([page], choices(page, "main"), theirs)
    assert wanted == [Wanted("p", side("Mine.\n", slug="a-2").source)]
    wanted = with_rivals([page], choices(page, "request"), theirs)
    assert wanted == [Wanted("q", side("Theirs.\n", slug="a-3").source), Wanted("p", mine.source)]
    assert with_rivals([page], {}, theirs) is None


def apply(
    changes: list[dict[str, JSON]],
    now: Now,
    revisions: Mapping[str, Mapping[str, PageSide]],
) -> Now:
    """Make changes as a service does; a text is written as a whole."""
    parents, sources = dict(now.parents), dict(now.sources)
    for change in changes:
        page = change["page"]
        if change["operation"] == "delete_page":
            gone = {page}
            while more := {each for each, above in parents.items() if above in gone} - gone:
                gone |= more
            for each in gone:
                parents.pop(each)
                sources.pop(each, None)
        elif change["operation"] == "revert_page":
            was = revisions[change["revision"]][page]
            sources[page] = was.source
            if page not in parents:
                parents[page] = was.parent if was.parent in parents else None
        else:
            assert change["operation"] == "update_page"
            if "into" in change:
                assert change["into"] is None or change["into"] in parents
                parents[page] = change["into"]
            if "document" in change or "slug" in change:
                sources[page] = f"written {page}"
    return Now(parents, sources)


def test_deleted_pages_make_room_and_come_back() -> None:
    old, new = side("Old.\n"), side("New.\n")
    below, kept = side("Below.\n", "p"), side("Kept.\n", "p")
    head = {"p": new, "n": below, "k": kept}
    main = {"k": side("Kept.\n")}
    page = settled_page(PageSides("p", old, None, new, held=True))
    now = Now({"p": None, "n": "p", "k": "p"}, {page: each.source for page, each in head.items()})
    assert lost_with([page], now.parents) == {"n", "k"}
    changes = clearing([page], now, "main", {"k": None}, {})
    cleared = apply(changes, now, {})
    assert cleared.parents == {"k": None}
    assert not clearing([page], cleared, "main", {"k": None}, {})
    wanted = with_rivals([page], choices(page, "request"), {})
    assert wanted is not None
    wanted.append(Wanted("n", below.source, "p"))
    back = writing(wanted, cleared, lambda page: "head")
    there = apply(back, cleared, {"head": head, "main": main})
    assert there.parents == {"p": None, "n": "p", "k": None}
    assert there.sources["p"] == new.source
    assert not writing(wanted, there, lambda page: "head")
    gone = with_rivals([page], choices(page, "main"), {})
    assert gone is not None
    there = apply(
        writing([*gone, wanted[-1]], cleared, lambda page: "head"), cleared, {"head": head}
    )
    assert there.parents == {"n": None, "k": None}


def test_pages_are_made_those_of_main_by_as_little_as_needed() -> None:
    before, main, request = side("One.\n"), side("Two.\n", "m"), side("Three.\n", "r")
    page = settled_page(PageSides("p", before, main, request))
    now = Now({"m": None, "r": None, "p": "r"}, {"p": request.source})
    changes = clearing([page], now, "main", {"m": None, "p": "m"}, {})
    assert changes == [
        {"operation": "update_page", "page": "p", "document": {"markdown": "Two.\n"}},
        {"operation": "update_page", "page": "p", "into": "m"},
    ]
    now = Now({"r": None, "p": "r"}, {"p": main.source})  # where main has it is not there yet
    changes = clearing([page], now, "main", {"m": None, "p": "m"}, {})
    assert changes == [{"operation": "update_page", "page": "p", "into": None}]
    changes = clearing([page], Now({"p": None}, {"p": main.source}), "main", {"p": "m"}, {})
    assert changes == []
    old = replace(before, parent="o")  # neither is where it was before
    page = settled_page(PageSides("p", old, main, request))
    assert clearing([page], now, "main", {"m": None, "p": "m"}, {}) == changes_of_place("p", None)
    there = Now({"r": None, "o": None, "p": "r"}, {"p": main.source})
    assert clearing([page], there, "main", {"p": "m"}, {}) == changes_of_place("p", "o")
    made = settled_page(PageSides("p", None, main, request))
    assert clearing([made], now, "main", {"m": None, "p": "m"}, {}) == changes_of_place("p", None)
    restored = settled_page(PageSides("p", before, main, None))
    changes = clearing([restored], Now({}, {}), "main", {"p": None}, {})
    assert changes == [{"operation": "revert_page", "page": "p", "revision": "main"}]


def changes_of_place(page: str, into: str | None) -> list[dict[str, JSON]]:
    return [{"operation": "update_page", "page": page, "into": into}]


def test_a_page_whose_other_settings_conflict_is_taken_whole_from_main_once() -> None:
    before, main = side("One.\n"), side("Two.\n")
    covers: dict[str, str]
    for covers in ({}, {"cover": "2"}):
        here, mine = replace(main, others=covers), replace(before, others={"cover": "3"})
        was = replace(before, others={"cover": "1"})
        page = settled_page(PageSides("p", was, here, mine))
        others = {"p": covers} if covers else {}
        alike = Now({"p": None}, {"p": main.source}, others)
        assert clearing([page], alike, "main", {"p": None}, {}) == []
        for now in (
            replace(alike, others={"p": {"cover": "3"}}),
            replace(alike, sources={"p": before.source}),
        ):
            changes = clearing([page], now, "main", {"p": None}, {})
            assert changes == [{"operation": "revert_page", "page": "p", "revision": "main"}]
            assert clearing([page], now, "main", {"p": None}, {}, ["p"]) == []
    hidden = settled_page(PageSides("p", before, main, main, hidden=True))
    now = Now({"p": None}, {"p": main.source})
    changes = clearing([hidden], now, "main", {"p": None}, {})
    assert changes == [{"operation": "revert_page", "page": "p", "revision": "main"}]


def test_a_page_whose_address_main_gave_to_another_gets_a_free_one() -> None:
    mine, before, main = side("Mine.\n"), side("One.\n"), side("Two.\n")
    rival = settled_page(PageSides("p", None, None, mine, rival="q", free=("a-2", "a-3")))
    gone, more = (settled_page(PageSides(page, before, None, main)) for page in "nm")
    edited = settled_page(PageSides("e", before, main, before))
    sources = {"p": mine.source, "n": main.source, "e": before.source}
    now = Now(dict.fromkeys("pnme"), sources)
    pages, parents = [rival, gone, more, edited], {"q": None, "e": None}
    assert clearing(pages, now, "main", parents, {"p": "a-2"}) == [
        {"operation": "update_page", "page": "e", "document": {"markdown": "Two.\n"}},
        {"operation": "update_page", "page": "p", "slug": "a-2"},
        {"operation": "delete_page", "page": "n"},
        {"operation": "delete_page", "page": "m"},
    ]
    assert clearing([rival], now, "main", parents, {"p": "a"}) == []
    assert clearing([rival], Now({}, {}), "main", parents, {"p": "a-2"}) == []


@pytest.mark.parametrize(("above", "into"), [("m", "m"), ("x", None), ("p", None), (None, None)])
def test_what_main_keeps_of_a_deleted_page_goes_where_main_has_it_first(
    above: str | None, into: str | None
) -> None:
    page = settled_page(PageSides("p", side("Old.\n"), None, side("New.\n")))
    now = Now({"p": None, "m": None, "k": "p"}, {})
    changes = clearing([page], now, "main", {"m": None, "k": above}, {})
    assert changes == [*changes_of_place("k", into), {"operation": "delete_page", "page": "p"}]


def test_pages_come_back_from_main_those_above_first() -> None:
    before, below = side("One.\n"), side("Two.\n", "p")
    sides = [PageSides("c", below, below, None), PageSides("p", before, before, None)]
    now = Now({"m": None}, {})
    pages = [settled_page(each) for each in sides]
    changes = clearing(pages, now, "main", {"m": None, "p": None, "c": "p"}, {})
    assert [(each["operation"], each["page"]) for each in changes] == [
        ("revert_page", "p"), ("revert_page", "c"),
    ]  # fmt: skip
    alone = settled_page(PageSides("c", side("Two.\n", "m"), side("Two.\n", "m"), None))
    changes = clearing([alone], now, "main", {"m": None, "c": "m"}, {})
    assert [each["operation"] for each in changes] == ["revert_page"], "it comes back in its place"


def test_choices_are_steps() -> None:
    kept = Settling("s r", 0, "s", "r", "b", "m", "h")
    one = kept.choose({"x": Choice("main"), "y": Choice("both")})
    two = one.choose({"x": Choice("request"), "y": None})
    assert two.choices == {"x": Choice("request")}
    assert two.choose({"x": Choice("request")}) is two
    assert two.undo() == one
    assert two.undo().undo() == kept
    assert kept.undo() is kept


def children_of(parents: Mapping[str, str | None]) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for page, parent in parents.items():
        found.setdefault(parent, []).append(page)
    return found


def moved_as_a_service_does(
    changes: list[dict[str, JSON]], tree: Mapping[str, str | None], old: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return the parents of pages in reading order, after changes of their places."""
    below = children_of(tree)

    def leave(page: str) -> None:
        next(pages for pages in below.values() if page in pages).remove(page)

    for change in changes:
        page = change["page"]
        if change["operation"] == "delete_page":
            leave(page)
            doomed = [page]
            while doomed:
                doomed += below.pop(doomed.pop(), [])
        elif change["operation"] == "revert_page":
            known = {each for pages in below.values() for each in pages}
            assert page not in known
            into = old[page] if old[page] in known else None
            below.setdefault(into, []).insert(children_of(old)[old[page]].index(page), page)
        elif "into" in change:
            leave(page)
            below.setdefault(change["into"], []).insert(change["at"], page)
    found: dict[str, str | None] = {}

    def walk(parent: str | None) -> None:
        for page in below.get(parent, ()):
            found[page] = parent
            walk(page)

    walk(None)
    return found


def some_tree(pages: list[str], chance: random.Random) -> dict[str, str | None]:
    """Return the parents of some of these pages, in reading order."""
    below: dict[str | None, list[str]] = {None: []}
    for page in chance.sample(pages, chance.randint(1, len(pages))):
        into = chance.choice([None, None, *[each for each in below if each is not None]])
        below[page] = []
        below[into].insert(chance.randint(0, len(below[into])), page)
    return moved_as_a_service_does([], {p: a for a, ps in below.items() for p in ps}, {})


def nodes_of(tree: Mapping[str, str | None]) -> list[PageNode]:
    below = children_of(tree)
    at = {page: place for pages in below.values() for place, page in enumerate(pages)}
    return [PageNode(page, page, parent=parent, position=at[page]) for page, parent in tree.items()]


@pytest.mark.long
@pytest.mark.parametrize("cut", [50, 3])
def test_any_tree_is_made_any_other_with_each_page_in_its_place(cut: int) -> None:
    chance = random.Random(7)
    for size in range(1, 400):
        pages = [f"p{number}" for number in range(size % 12 + 2)]
        old, new = some_tree(pages, chance), some_tree(pages, chance)
        wanted = []
        for change in compare_trees(nodes_of(new), nodes_of(old)):
            sides = [
                None if node is None else side("", node.parent, node.position)
                for node in (change.before, change.after)
            ]
            page = settled_page(PageSides(change.id, sides[0], sides[0], sides[1], shifted=True))
            found = page.wanted({})
            assert found is not None
            wanted.append(found)
        now = new
        for _ in range(100):
            sources = {page: side("").source for page in now}
            changes = writing(wanted, Now(now, sources), lambda page: "old")
            if not changes:
                break
            now = moved_as_a_service_does(changes[:cut], now, old)
        assert list(now.items()) == list(old.items()), (size, old, new)


def test_a_page_is_called_as_the_request_has_it_and_says_what_a_write_cannot_make() -> None:
    named = [PageSide(page_source({"title": title}, ""), None, 0) for title in ("B", "M", "R\x07")]
    before, main, request = named
    assert settled_page(PageSides("p", before, main, request)).title == "R"
    assert settled_page(PageSides("p", before, main, None)).title == "M"
    assert settled_page(PageSides("p", before, None, None)).title == "B"
    assert settled_page(PageSides("p", None, None, None)).title == "Untitled"
    others = [{"layout": f"{at}", "cover": f"{at % 2}"} for at in range(3)]
    was, one, other = (replace(request, others=each) for each in others)
    page = settled_page(PageSides("p", was, one, other))
    assert page.mixed({}) == ""
    assert page.reverted
    assert page.near
    whole = {hunk.key: Choice("main") for hunk in page.conflicts}
    assert page.mixed(whole) == ""
