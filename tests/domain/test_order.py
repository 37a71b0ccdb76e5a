from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.order import Move, applied, kept, moved, place, plan

IDS = list("abcdefg")
ORDERS = st.lists(st.integers(0, 400).map(str), unique=True, max_size=60)
PICKS = st.sets(st.sampled_from(IDS))


def longest_run(order: tuple[int, ...]) -> int:
    best = [1] * len(order)
    for i in range(len(order)):
        best[i] += max((best[j] for j in range(i) if order[j] < order[i]), default=0)
    return max(best, default=0)


@pytest.mark.parametrize("size", range(8))
def test_every_order_takes_the_fewest_moves(size: int) -> None:
    before = IDS[:size]
    for order in permutations(range(size)):
        after = [before[place] for place in order]
        moves = plan(before, after)
        assert applied(before, moves) == after
        # A single move takes one item out of place: those never moved stay in order.
        assert len(moves) == size - longest_run(order)


@given(ORDERS.flatmap(lambda order: st.tuples(st.just(order), st.permutations(order))))
def test_a_plan_leads_where_it_says(orders: tuple[list[str], list[str]]) -> None:
    before, after = orders
    assert applied(before, plan(before, after)) == after
    assert applied(after, plan(after, before)) == before
    assert plan(before, before) == []


def test_a_plan_reads_as_a_person_would_say_it() -> None:
    before = ["guides", "products", "changelog", "api", "legal"]
    after = ["guides", "api", "products", "changelog", "legal"]
    assert plan(before, after) == [Move("api", "after", "guides")]
    assert plan(["b", "c", "a"], ["a", "b", "c"]) == [Move("a", "before", "b")]


@pytest.mark.parametrize(
    ("before", "after"), [(["a"], ["b"]), (["a", "a", "b"], ["b", "a", "a"]), (["a"], [])]
)
def test_only_the_same_items_can_be_planned(before: list[str], after: list[str]) -> None:
    with pytest.raises(ValueError, match="same items"):
        plan(before, after)


def test_kept_leaves_out_what_only_one_side_has() -> None:
    assert kept(["a", "x", "b", "c"], ["c", "a", "b", "y"]) == {"a", "b"}
    assert kept([], ["a"]) == frozenset()


@given(PICKS, st.integers(-8, 8))
def test_moving_keeps_the_items_and_both_orders(picked: set[str], delta: int) -> None:
    order = moved(IDS, picked, delta)
    assert sorted(order) == IDS
    assert [item for item in order if item in picked] == [item for item in IDS if item in picked]
    assert [i for i in order if i not in picked] == [i for i in IDS if i not in picked]


@given(PICKS, st.sampled_from(IDS), st.booleans())
def test_placing_makes_one_block_at_the_target(picked: set[str], target: str, after: bool) -> None:
    order = place(IDS, picked, target, after=after)
    block = [item for item in IDS if item in picked]
    assert sorted(order) == IDS
    assert [i for i in order if i not in picked] == [i for i in IDS if i not in picked]
    if block:
        start = order.index(block[0])
        assert order[start : start + len(block)] == block
    if block and target not in picked:
        at = order.index(target)
        beside = order[at + 1 : at + 1 + len(block)] if after else order[at - len(block) : at]
        assert beside == block


@pytest.mark.parametrize(
    ("picked", "delta", "order"),
    [
        ({"b"}, 1, "acbdefg"),
        ({"b"}, -1, "bacdefg"),
        ({"b", "c"}, 1, "adbcefg"),
        ({"b", "d"}, -1, "badcefg"),
        ({"a", "c"}, -1, "acbdefg"),
        ({"f", "g"}, 3, "abcdefg"),
        ({"c"}, -99, "cabdefg"),
        ({"c"}, 0, "abcdefg"),
    ],
)
def test_moving_by_places(picked: set[str], delta: int, order: str) -> None:
    assert "".join(moved(IDS, picked, delta)) == order


def test_placing() -> None:
    assert "".join(place(IDS, {"b", "e"}, "f")) == "acdfbeg"
    assert "".join(place(IDS, {"b", "e"}, "a", after=False)) == "beacdfg"
    assert "".join(place(IDS, {"b", "e"}, "e")) == "acdbefg"
    with pytest.raises(ValueError, match="z is not"):
        place(IDS, {"a"}, "z")
