from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.line_matches import equal_runs, gaps

ITEMS = st.text("abcdefgh ", max_size=60)


@given(ITEMS, ITEMS)
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
