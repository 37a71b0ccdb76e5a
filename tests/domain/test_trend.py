from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.trend import spark, trend

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
        ([9, 9] + [0] * 11, 18, "0%"),
        ([0] * 5 + [1] * 4 + [500] * 4, 2004, "+49,900%"),
        ([], 9, "0%"),
    ],
)
def test_trend_is_four_weeks_against_four(pulse: list[int], issues: int, said: str) -> None:
    assert trend(pulse, issues).text == said


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
