import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from copydesk.domain.sequence_matches import (
    PAIRING_BUDGET,
    PAIRING_WINDOW,
    equal_runs,
    gaps,
    partners,
    window_for,
)

ITEMS = st.text("abcdefgh ", max_size=60)


@settings(deadline=None)
@given(ITEMS, ITEMS)
@example("y" + "ab" * 3_000 + "cd", "ba" * 3_500 + "dc" * 20)
def test_runs_are_equal_ordered_and_leave_gaps_that_cover_the_rest(old: str, new: str) -> None:
    for held in (False, True):
        runs = equal_runs(old, new, held=held)
        covered_old: list[int] = []
        covered_new: list[int] = []
        for before, after, size in runs:
            assert size
            assert old[before : before + size] == new[after : after + size]
            covered_old += range(before, before + size)
            covered_new += range(after, after + size)
        assert covered_old == sorted(set(covered_old))
        assert covered_new == sorted(set(covered_new))
        left = gaps(runs, len(old), len(new))
        assert sum(g.a2 - g.a1 for g in left) == len(old) - len(covered_old)
        assert sum(g.b2 - g.b1 for g in left) == len(new) - len(covered_new)


def test_what_is_there_once_holds_the_rest_in_place() -> None:
    assert equal_runs("xaby", "zabw") == equal_runs("xaby", "zabw", held=True) == [(1, 1, 2)]
    assert equal_runs("x--y", "z-w-", held=True) == []
    assert sum(run.size for run in equal_runs("x--y", "z-w-")) == 2


def test_long_sequences_without_any_hold_are_matched_in_slices() -> None:
    old, new = "ab" * 6_000, "ba" * 7_000 + "c"
    assert sum(run.size for run in equal_runs(old, new)) > 9_000
    assert sum(run.size for run in equal_runs("x" + old, "y" + old)) == len(old)


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("", "", []), ("a", "", []), ("abc", "abc", [(0, 0, 3)]), ("abc", "axc", [(0, 0, 1),
        (2, 2, 1)]),
        ("abcd", "xbcy", [(1, 1, 2)]), ("aab", "ab", [(0, 0, 1), (2, 1, 1)]),
        ("ab", "ba", [(0, 1, 1)]),
        ("abc", "abcd", [(0, 0, 3)]), ("abc", "xabc", [(0, 1, 3)]), ("axbxc", "aybyc", [(0, 0, 1),
        (2, 2, 1), (4, 4, 1)]),
    ],
)  # fmt: skip
def test_runs_of_what_is_equal(old: str, new: str, runs: list[tuple[int, int, int]]) -> None:
    assert equal_runs(old, new) == runs


def test_partners_share_the_most_together_and_do_not_cross() -> None:
    share = {(0, 0): 0.5, (0, 1): 0.9, (1, 1): 0.5, (1, 0): 0.9, (2, 2): 0.1}

    def of(one: int, other: int) -> float:
        return share.get((one, other), 0.0)

    assert partners([0, 1], [0, 1], of, 9) == [(0, 0), (1, 1)]
    assert partners([0, 2], [1, 2], of, 9) == [(0, 1), (2, 2)]
    assert partners([0], [0, 1], of, 9) == [(0, 1)]
    assert partners([0, 1], [1], of, 9) == [(0, 1)]
    assert partners([2], [0, 1], of, 9) == []
    assert partners([], [0], of, 9) == partners([0], [], of, 9) == []
    assert partners([0, 1], [0, 1], of, 1) == []


def test_long_sequences_are_paired_window_by_window() -> None:
    def alike(one: int, other: int) -> float:
        return 1.0 if one == other else 0.0

    rows = list(range(10))
    assert partners(rows, rows, alike, 2) == [(row, row) for row in rows]
    assert partners(rows, rows[1:], alike, 4) == [(row, row) for row in rows if row % 3 or row == 9]


def test_the_more_want_a_partner_the_fewer_are_looked_at() -> None:
    assert window_for(0) == window_for(1) == PAIRING_WINDOW
    assert window_for(PAIRING_BUDGET // PAIRING_WINDOW) == PAIRING_WINDOW
    assert window_for(PAIRING_BUDGET // 10) == 10
    assert window_for(2 * PAIRING_BUDGET) == 0
