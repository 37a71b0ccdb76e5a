from datetime import UTC, datetime, timedelta
from math import comb, inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.trend import MOST, TAIL, Stretch, effects, rate, ratio, spark, trend, week_of

OAUTH = [0, 0, 1, 1, 0, 1, 2, 3, 3, 5, 6, 4, 5]
PULSES = st.lists(st.one_of(st.integers(-5, 100), st.floats()), min_size=13, max_size=13)


@pytest.mark.parametrize(
    ("pulse", "issues", "said"),
    [
        (OAUTH, 31, "+122%"),
        ([2] * 13, 27, "0%"),
        ([0] * 9 + [1, 2, 7, 9], 19, "new"),
        ([5, 6, 6, 5, 4, 4, 3, 4, 3, 1, 1, 1, 1], 14, "-71%"),
        (OAUTH, 4, ""),
        (OAUTH, 5, "+122%"),
        ([9, 9] + [0] * 11, 18, "0%"),
        ([0] * 5 + [1] * 4 + [500] * 4, 2004, "+49,900%"),
        ([], 9, "0%"),
    ],
)
def test_trend_is_four_weeks_against_four(pulse: list[int], issues: int, said: str) -> None:
    found = trend(pulse, issues)
    assert found.text == said
    assert (found.percent is None) == (said in ("", "new"))


def test_growing_clusters_rank_first() -> None:
    ranks = [
        trend([0] * 9 + [1] * 4, 9).rank,
        trend(OAUTH, 31).rank,
        trend([2] * 13, 9).rank,
        trend(OAUTH[::-1], 31).rank,
        trend(OAUTH, 4).rank,
    ]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] == inf


def test_the_spark_is_scaled_to_its_own_top() -> None:
    assert spark(OAUTH) == "▁▁▂▂▁▂▃▅▅▇█▆▇"
    assert spark(OAUTH, ascii=True) == "..::.:|||##|#"
    assert spark(OAUTH, top=60) == "▁▁▂▂▁▂▂▂▂▂▂▂▂"
    assert spark([0] * 13) == "▁" * 13
    assert spark([]) == ""


@given(PULSES, st.integers(0, 50), st.one_of(st.none(), st.floats()), st.booleans())
def test_any_pulse_has_one_cell_per_week(
    pulse: list[float], issues: int, top: float | None, plain: bool
) -> None:
    cells = spark(pulse, top=top, ascii=plain)
    assert len(cells) == 13
    assert set(cells) <= set(".:|#" if plain else "▁▂▃▄▅▆▇█")
    assert trend(pulse, issues).rank == trend(pulse, issues).rank


def test_what_is_no_count_is_none() -> None:
    assert spark([nan, inf, -3, 2]) == "▁▁▁█"


def test_a_merge_is_judged_by_the_weeks_on_both_sides_of_its_own() -> None:
    [one] = effects([1, 9, 9, 9, 9, 50, 3, 3, 3, 3, 3, 3, 3], [5])
    assert (one.before, one.after, one.until) == (Stretch(4, 36), Stretch(7, 21), None)
    assert one.before.rate == 9
    assert one.change == pytest.approx(-2 / 3)
    # Another merge ends what came before and after; its own week counts for neither.
    first, second = effects([4] * 5 + [90] + [2] * 3 + [90] + [1] * 3, [9, 5, 5, 13, -1])
    assert (first.before, first.after, first.until) == (Stretch(4, 16), Stretch(3, 6), 9)
    assert (second.before, second.after, second.until) == (Stretch(3, 6), Stretch(3, 3), None)
    # One week since says whether it helped, where chance does not explain it.
    (steep,), (slight,) = effects([13] * 12 + [4], [11]), effects([2] * 12 + [1], [11])
    assert (steep.helped, slight.helped) == (True, False)


@pytest.mark.parametrize(
    ("pulse", "week"),
    [
        ([9] * 13, 1), ([9] * 13, 12), ([0] * 6 + [9] * 7, 6), ([0, 1] + [0] * 11, 6),
        ([0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0], 6),
    ],
)  # fmt: skip
def test_too_little_is_not_compared(pulse: list[int], week: int) -> None:
    assert [(each.change, each.ratio) for each in effects(pulse, [week])] == [(None, None)]


@given(PULSES, st.lists(st.integers(-2, 15)))
def test_every_merge_of_the_thirteen_weeks_has_an_effect(
    pulse: list[float], weeks: list[int]
) -> None:
    found = effects(pulse, weeks)
    assert [each.week for each in found] == sorted({week for week in weeks if 0 <= week < 13})
    for each in found:
        assert each.change is None or -1 <= each.change <= MOST


def test_weeks_are_the_seven_days_before_now() -> None:
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    days = [(-1, 12), (0, 12), (6.9, 12), (7, 11), (90.9, 0), (91, None)]
    assert [(age, week_of(now - timedelta(days=age), now, 13)) for age, _ in days] == days


@given(st.integers(0, 80), st.integers(0, 240))
def test_the_interval_of_a_ratio_leaves_as_much_out_on_either_side(now: int, then: int) -> None:
    found = ratio(now, 1, then, 12)
    if not now + then:
        assert found is None
        return
    assert found is not None
    both = now + then

    def at_least(number: int, share: float) -> float:
        return sum(
            comb(both, n) * share**n * (1 - share) ** (both - n) for n in range(number, both + 1)
        )

    low, high = found.low / 12, found.high / 12
    assert found.low <= found.factor <= found.high
    if now:
        assert at_least(now, low / (1 + low)) == pytest.approx(TAIL, abs=1e-6)
    else:
        assert low == 0
    if then:
        assert at_least(now + 1, high / (1 + high)) == pytest.approx(1 - TAIL, abs=1e-6)
    else:
        assert high == inf


def test_intervals_of_many_issues_are_those_of_few() -> None:
    exact, near = ratio(100, 1, 400, 1), ratio(100, 1, 401, 1)
    assert exact is not None
    assert near is not None
    assert near.low == pytest.approx(exact.low, rel=0.02)
    assert near.high == pytest.approx(exact.high, rel=0.02)
    none, all_of = ratio(0, 1, 600, 1), ratio(600, 1, 0, 1)
    assert none is not None
    assert all_of is not None
    assert (none.factor, none.low, all_of.factor, all_of.high) == (0, 0, inf, inf)
    assert none.high < 0.01
    assert all_of.low > 100


@pytest.mark.parametrize(
    ("pulse", "move"),
    [
        ([3, 4, 3, 2, 4, 3, 3, 4, 3, 3, 3, 3, 9], "grows"),
        ([0] * 9 + [2, 3, 5, 9], "grows"),
        ([3] * 12 + [3], "steady"),
        ([3] * 12 + [0], "steady"),
        ([5] * 12 + [0], "falls"),
        ([0] * 11 + [1, 3], "few"),
        ([0] * 12 + [4], "new"),
        ([0] * 13, "few"),
        ([], "few"),
        ([1e300] * 13, "steady"),
    ],
)
def test_a_week_is_held_against_the_usual_beyond_chance(pulse: list[float], move: str) -> None:
    assert rate(pulse).move == move


def test_what_grows_for_sure_is_ranked_above_what_grew_by_more() -> None:
    sure, twice, new = [20] * 12 + [40], [1] * 12 + [4], [0] * 12 + [4]
    steady, few, falls = [3] * 13, [0] * 11 + [1, 3], [9] * 12 + [0]
    ranks = [rate(each).rank for each in (sure, twice, new, few, falls)]
    assert ranks == sorted(ranks, reverse=True)
    assert rate(sure).rank > rate(new).rank > rate(steady).rank > rate(few).rank


@given(PULSES)
def test_any_pulse_has_a_rate(pulse: list[float]) -> None:
    found = rate(pulse)
    assert found.rank == found.rank
    if found.ratio is not None:
        assert 0 <= found.ratio.low <= found.ratio.high
