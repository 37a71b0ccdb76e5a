from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.moments import (
    BELIEVED,
    SAME,
    TOLD,
    age,
    age_or_ahead,
    ago,
    apart,
    instant,
    moment,
    service_time,
    time_or_date,
    told_ago,
)

NOW = datetime(2025, 3, 12, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=59), "now"),
        (timedelta(seconds=60), "1 min"),
        (timedelta(minutes=4, seconds=59), "4 min"),
        (timedelta(minutes=60), "1 h"),
        (timedelta(hours=24), "1 d"),
        (timedelta(days=59), "8 w"),
        (timedelta(days=60), "2 mo"),
        (timedelta(days=365), "1 y"),
        (timedelta(hours=2), "2 h"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(days=13), "13 d"),
        (timedelta(days=14), "2 w"),
        (timedelta(days=90), "3 mo"),
        (timedelta(days=364), "12 mo"),
        (timedelta(days=800), "2 y"),
        (timedelta(hours=-3), "now"),
    ],
)
def test_ages_are_short_and_never_in_the_future(ago: timedelta, said: str) -> None:
    assert age(NOW - ago, NOW) == said


@given(st.timedeltas(timedelta(0), timedelta(days=20_000)))
def test_an_age_is_at_most_six_cells(ago: timedelta) -> None:
    assert 0 < len(age(NOW - ago, NOW)) <= 6


def test_zones_do_not_matter_and_none_is_nothing() -> None:
    there = datetime(2025, 3, 12, 10, 0, tzinfo=timezone(timedelta(hours=2)))
    assert age(there, NOW) == "1 h"
    assert age(datetime(2025, 3, 12, 8, 30), NOW) == "1 h"  # noqa: DTZ001 - a time without a zone
    assert age(None, NOW) == moment(None, NOW) == ""


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (datetime(2025, 3, 12, 9, 8, tzinfo=UTC), "09:08"),
        (datetime(2025, 3, 11, 23, 59, tzinfo=UTC), "yday 23:59"),
        (datetime(2025, 3, 10, 16, 20, tzinfo=UTC), "Mon 16:20"),
        (datetime(2025, 3, 2, 9, 8, tzinfo=UTC), "2 Mar 09:08"),
        (datetime(2024, 12, 30, 9, 8, tzinfo=UTC), "30 Dec 2024"),
        (datetime(2025, 3, 13, 9, 8, tzinfo=UTC), "13 Mar 09:08"),
    ],
)
def test_moments_are_as_short_as_they_stay_clear(then: datetime, said: str) -> None:
    assert moment(then, NOW) == said


@pytest.mark.parametrize(
    ("name", "then", "said"),
    [
        ("HST10", "2025-03-12T09:00", "23:00"),  # both on 11 March there
        ("NPT-5:45", "2025-03-11T18:20", "00:05"),
        ("EST5EDT,M3.2.0,M11.1.0", "2025-03-09T06:59", "Sun 01:59"),
        ("EST5EDT,M3.2.0,M11.1.0", "2025-03-09T07:00", "Sun 03:00"),  # clocks were put forward
    ],
)
def test_a_moment_is_told_in_the_zone_of_the_reader(
    zone: Callable[[str], None], name: str, then: str, said: str
) -> None:
    zone(name)
    assert moment(datetime.fromisoformat(f"{then}+00:00"), NOW) == said


def test_times_are_read_leniently() -> None:
    assert instant("2025-03-12T09:30:00.000Z") == NOW
    assert instant("2025-03-12T09:30:00") == NOW
    assert instant("soon") is instant("") is instant(None) is None


def test_how_long_ago_is_said_where_it_is_not_now() -> None:
    assert ago(NOW - timedelta(days=9), NOW) == "9 d ago"
    assert ago(NOW, NOW) == "now"
    assert ago(None, NOW) == ""
    assert [told_ago(then, NOW) for then in (NOW, None)] == ["just now", ""]


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (timedelta(days=1), "now"),
        (timedelta(days=1, seconds=1), "in 1 d"),
        (timedelta(days=1461), "in 4 y"),
        (timedelta(hours=-2), "2 h"),
    ],
)
def test_a_date_ahead_is_told_where_clocks_do_not_explain_it(ahead: timedelta, said: str) -> None:
    assert age_or_ahead(NOW + ahead, NOW) == said
    assert age_or_ahead(None, NOW) == ""


@pytest.mark.parametrize(
    ("days", "said"),
    [(0, "09:30"), (1, "yday 09:30"), (2, "Mon 09:30"), (6, "Thu 09:30"), (7, "5 Mar 09:30")],
)
def test_a_weekday_is_named_for_less_than_a_week(days: int, said: str) -> None:
    assert moment(NOW - timedelta(days=days), NOW) == said


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("2025-03-12T00:05", "00:05"),
        ("2025-03-11T09:31", "09:31"),
        ("2025-03-11T09:30", "11 Mar"),
        ("2025-03-12T18:00", "18:00"),
        ("2025-03-13T08:00", "13 Mar"),
        ("2024-12-31T09:30", "31 Dec 2024"),
    ],
)
def test_of_the_last_day_the_time_is_told_and_of_others_the_date(then: str, said: str) -> None:
    here = datetime.fromisoformat("2025-03-12T09:30").astimezone()
    local = datetime.fromisoformat(then).astimezone()

    assert time_or_date(local, here) == said
    assert time_or_date(local.astimezone(UTC), here.astimezone(UTC)) == said


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
