import random
from bisect import bisect_left
from collections import deque
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.order import Move, kept, moved, plan
from tests.domain.orders import applied

IDS = list("abcdefg")
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
        assert moves is not None
        assert applied(before, moves) == after
        # A single move takes one item out of place: those never moved stay in order.
        assert len(moves) == size - longest_run(order)


@pytest.mark.parametrize("before", ["aGbc", "GabHc", "abGHcd", "aGbcHde"])
def test_around_groups_every_order_takes_the_fewest_moves(before: str) -> None:
    groups = [item for item in before if item.isupper()]
    far = {tuple(before): 0}
    queue = deque(far)
    while queue:  # all that single moves next to anything but a group lead to
        order = queue.popleft()
        free = [item for item in order if item not in groups]
        for item, anchor in permutations(free, 2):
            for side in ("before", "after"):
                after = tuple(applied(order, [Move(item, side, anchor)]))
                if after not in far:
                    far[after] = far[order] + 1
                    queue.append(after)
    planned = detours = 0
    for after in permutations(before):
        if [item for item in after if item in groups] != groups:
            continue
        moves = plan(before, after, fixed=groups)
        if moves is None:
            # Nobody stays or leaves there: it takes a detour, or no request leads there at all.
            assert far.get(after, 2) > 1
            detours += after in far
            continue
        planned += 1
        assert applied(before, moves) == list(after)
        assert len(moves) == far[after]
        assert not {each for move in moves for each in (move.id, move.anchor)} & {*groups}
    assert planned + detours == len(far)
    assert detours * 20 < planned


def test_a_thousand_take_as_many_as_are_not_in_the_longest_run() -> None:
    chance = random.Random(5)
    before = [str(number) for number in range(1000)]
    after = chance.sample(before, 1000)
    ends: list[int] = []
    for item in after:
        at = bisect_left(ends, int(item))
        ends[at : at + 1] = [int(item)]
    moves = plan(before, after, touched=set(chance.sample(before, 300)))
    assert moves is not None
    assert applied(before, moves) == after
    assert len(moves) == 1000 - len(ends)


def test_of_two_plans_the_one_that_moves_what_was_touched() -> None:
    assert plan("ab", "ba", touched="a") == [Move("a", "after", "b")]
    assert plan("ab", "ba", touched="b") == [Move("b", "before", "a")]


def test_who_leaves_is_stood_next_to_only_where_nobody_else_is() -> None:
    assert plan("aGrHb", "GaHb", fixed="GH", leaving="r") == [Move("a", "before", "r")]
    assert plan("aGrcHb", "GacHb", fixed="GH", leaving="r") == [Move("a", "before", "c")]
    assert plan("aGH", "GaH", fixed="GH") is None
    # b leaves for the end later, and is there until then.
    moves = plan(["a", "G", "b", "c"], ["b", "G", "a", "c"], fixed="G")
    assert moves == [Move("b", "before", "a"), Move("a", "before", "c")]


def test_a_plan_reads_as_a_person_would_say_it() -> None:
    before = ["guides", "products", "changelog", "api", "legal"]
    after = ["guides", "api", "products", "changelog", "legal"]
    assert plan(before, after) == [Move("api", "after", "guides")]
    assert plan(["b", "c", "a"], ["a", "b", "c"]) == [Move("a", "before", "b")]


@pytest.mark.parametrize(
    ("before", "after"), [(["a"], ["b"]), (["a", "a", "b"], ["b", "a", "a"]), (["a"], [])]
)
def test_only_the_same_items_can_be_planned(before: list[str], after: list[str]) -> None:
    for fixed in ((), ("z",), ("a",)):
        with pytest.raises(ValueError, match="same items"):
            plan(before, after, fixed=fixed)


def test_what_is_fixed_stays_in_its_order() -> None:
    for before, after in ((["a", "x", "b"], ["b", "x", "a"]), (["a", "b", "b"], ["a", "b"])):
        with pytest.raises(ValueError, match="same items"):
            plan(before, after, fixed=("a", "b"))


def test_kept_leaves_out_what_only_one_side_has() -> None:
    assert kept(["a", "x", "b", "c"], ["c", "a", "b", "y"]) == {"a", "b"}
    assert kept([], ["a"]) == frozenset()


@given(PICKS, st.integers(-8, 8))
def test_moving_keeps_the_items_and_both_orders(picked: set[str], delta: int) -> None:
    order = moved(IDS, picked, delta)
    assert sorted(order) == IDS
    assert [item for item in order if item in picked] == [item for item in IDS if item in picked]
    assert [i for i in order if i not in picked] == [i for i in IDS if i not in picked]


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
