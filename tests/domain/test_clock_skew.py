"""The service's clock, which may be another than this machine's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from copydesk.domain.clock_skew import BELIEVED, SAME, TOLD, apart, service_time

HERE = datetime(2026, 3, 2, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize("skew", [SAME + SECOND, -SAME - SECOND, BELIEVED - SECOND])
def test_a_difference_moves_the_time(skew: timedelta) -> None:
    assert service_time(HERE, skew) == HERE + skew


@pytest.mark.parametrize("skew", [timedelta(), SAME, -SAME, BELIEVED, -BELIEVED])
def test_a_small_or_an_absurd_difference_is_none(skew: timedelta) -> None:
    assert service_time(HERE, skew) == HERE


def test_how_small_a_difference_counts_can_be_said() -> None:
    assert service_time(HERE, SECOND, same=timedelta()) == HERE + SECOND


@pytest.mark.parametrize("skew", [timedelta(), TOLD, -TOLD, BELIEVED, -BELIEVED])
def test_clocks_that_agree_or_are_absurd_need_no_word(skew: timedelta) -> None:
    assert apart(skew) == ""


@pytest.mark.parametrize(
    ("skew", "said"),
    [
        (TOLD + SECOND, "5 min ahead of"),
        (-TOLD - SECOND, "5 min behind"),
        (timedelta(minutes=119), "119 min ahead of"),
        (timedelta(minutes=120), "2 h ahead of"),
        (timedelta(minutes=-151), "3 h behind"),
        (timedelta(hours=47), "47 h ahead of"),
        (timedelta(hours=48), "2 days ahead of"),
        (timedelta(days=-1234), "1,234 days behind"),
    ],
)
def test_clocks_far_apart_are_told(skew: timedelta, said: str) -> None:
    sentence = f"The service's clock is {said} this machine's. Ages go by its own."
    assert apart(skew) == sentence
