"""Clusters keep what they are when issues are grouped anew; what people did stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from copydesk.server.clustering.identity import Old, settle


def old(issues: str, *, held: bool = False) -> Old:
    return Old(frozenset(issues), held)


def groups(*texts: str) -> list[frozenset[str]]:
    return [frozenset(text) for text in texts]


def test_a_cluster_goes_on_with_what_is_added_and_without_what_left() -> None:
    found = settle({"A": old("abcd"), "B": old("xyz")}, groups("abcef", "xyz"), {})
    assert found.kept == {"A": set("abcef"), "B": set("xyz")}
    assert (found.new, found.joined, found.split) == ({}, {}, {})


def test_joins_and_splits_are_told() -> None:
    joined = settle({"A": old("abc"), "B": old("de")}, groups("abcde"), {})
    assert (joined.kept, joined.joined) == ({"A": set("abcde")}, {"B": "A"})
    split = settle({"A": old("abcdef")}, groups("abcd", "efx"), {})
    assert (split.kept, split.new, split.split) == ({"A": set("abcd")}, {1: set("efx")}, {1: "A"})
    scattered = settle(
        {"A": old("ab"), "B": old("cde"), "C": old("fgh")}, groups("acde", "bfgh"), {}
    )
    assert scattered.kept == {"B": set("acde"), "C": set("bfgh")}
    assert scattered.joined in ({"A": "B"}, {"A": "C"})
    gone = settle({"A": old("abc")}, groups("xyz"), {})
    assert (gone.joined, gone.new) == ({"A": None}, {0: set("xyz")})


def test_what_somebody_holds_on_to_does_not_end() -> None:
    found = settle({"A": old("abcdef"), "B": old("xy", held=True)}, groups("abcdefxyz"), {})
    # The one that is held is what the group is, though most of it is the other.
    assert found.kept == {"B": set("abcdefxyz")}
    both = settle({"A": old("abc", held=True), "B": old("xy", held=True)}, groups("abcxyz"), {})
    assert both.kept == {"A": set("abcz"), "B": set("xy")}
    alone = settle({"A": old("", held=True), "B": old("a", held=True)}, [], {})
    assert alone.kept == {"A": set(), "B": set("a")}


def test_what_was_put_somewhere_stays_and_says_what_a_group_is() -> None:
    found = settle(
        {"A": old("abcd"), "H": old("h", held=True)}, groups("abcdh"), {"h": "H", "n": None}
    )
    assert found.kept["H"] >= {"h"}
    moved = settle({"A": old("abch"), "H": old("x", held=True)}, groups("abch", "x"), {"h": "H"})
    assert moved.kept["H"] >= {"h"}
    assert all("h" not in issues for key, issues in moved.kept.items() if key != "H")


ISSUES = st.integers(0, 30).map(str)


@st.composite
def regrouped(
    draw: st.DrawFn,
) -> tuple[dict[str, Old], list[frozenset[str]], dict[str, str | None]]:
    where = draw(st.dictionaries(ISSUES, st.sampled_from("ABCD")))
    now = draw(st.dictionaries(ISSUES, st.integers(0, 4)))
    pinned = {
        key: where.get(key) for key in draw(st.sets(ISSUES)) if key in where or key not in now
    }
    held = draw(st.sets(st.sampled_from("ABCD")))
    before = {
        name: Old(
            frozenset(key for key, there in where.items() if there == name),
            name in held or name in pinned.values(),
        )
        for name in "ABCD"
    }
    found = [frozenset(key for key, group in now.items() if group == at) for at in range(5)]
    return before, found, pinned


@given(regrouped())
def test_every_issue_is_in_one_place_and_nothing_that_is_held_is_lost(
    case: tuple[dict[str, Old], list[frozenset[str]], dict[str, str | None]],
) -> None:
    before, found, pinned = case
    settled = settle(before, found, pinned)
    everywhere = [*settled.kept.values(), *settled.new.values()]
    assert sum(map(len, everywhere)) == len(set().union(*everywhere))
    assert settled.kept.keys().isdisjoint(settled.joined)
    assert settled.kept.keys() | settled.joined.keys() == before.keys()
    assert all(not before[key].held for key in settled.joined)
    for key, there in pinned.items():
        assert [name for name, issues in settled.kept.items() if key in issues] == (
            [there] if there is not None else []
        )
        assert all(key not in issues for issues in settled.new.values())
    for group in found:
        for key in group - pinned.keys():
            assert any(key in issues for issues in everywhere)
    for target in settled.joined.values():
        assert target is None or target in settled.kept or target in settled.new
    assert all(settled.new.values())
    assert all(source in settled.kept for source in settled.split.values())
