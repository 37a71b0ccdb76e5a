"""Moments as programs and people write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.written_moment import is_open, order_of, read_moment

NINE = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
SECONDS = 1_780_390_800


@pytest.mark.parametrize(
    "written",
    [
        "2026-06-02T09:00:00Z", "2026-06-02 09:00", "2026-06-02 09:00:00 UTC", "2026/06/02 9:00",
        "2026-06-02T11:00:00.123456+02:00", "2026-06-02 05:00:00 -0400", "20260602T090000Z",
        "Tue, 02 Jun 2026 09:00:00 +0000", "Tue, 2 Jun 2026 05:00:00 EDT",
        "Tue Jun  2 09:00:00 2026", "Tue Jun 02 09:00:00 +0000 2026", "2-Jun-2026 09:00",
        "Tue Jun 02 2026 11:00:00 GMT+0200 (CEST)", "June 2, 2026 at 9:00 AM", "Jun 2nd, 2026 9:00",
        "02.06.2026 09:00", "2.6.26 9:00", "2. Juni 2026, 09:00 Uhr", "2 juin 2026 09h00",
        "2 de junio de 2026 9:00", "  6/2/2026   9:00:00 a.m. ", "06-02-2026 09.00",
        SECONDS, float(SECONDS), SECONDS * 1000, SECONDS * 1_000_000, str(SECONDS),
        f"{SECONDS}.0", str(SECONDS * 1000), "2026年6月2日 9:00", "２０２６年０６月０２日 09:00",
        "2026년 6월 2일 09:00", "2026-06-02 14:30 GMT+5:30", "2026-06-02 05:30 UTC-3:30",
        "2026-06-02 14:30 +530", "2026-06-02 06:00 UTC\u22123", "2026-06-02 18:00 JST",
        "2026-06-02 19:00 AEST", "2026-06-02 18:30 ACST", "2026-06-02 11:00 (CEST)",
        "Tue Jun  2 02:00:00 PDT 2026", "2. Juni 2026, 11.00 Uhr MESZ", "2 jun 2026 09:00 hrs",
        "2 juin 2026 9:00 a.m. UTC", "2 juin 2026 à 9 h 00",
        "2026年6月2日 9時00分", "2026年6月2日 上午9时",
        "9:00 AM, June 2, 2026", "11:00 CEST, Tue 2 Jun 2026", "June 2, 2026 at 9 AM",
        "2 juin 2026 9 h", "Tuesday, June 2, 2026 9:00 AM", "Tue, 2 Jun 2026 09:00",
        "mardi 2 juin 2026 à 09:00", "2026-06-02 09:00 Tue", "9:00 Tue, 2 Jun 2026",
        "2 Jun 2026 11:00 Tue. CEST", "02/Jun/26 9:00 AM",
        "2026年6月2日(火) 午前9:00", "2026년 6월 2일 오전 9시 00분",
    ],
)  # fmt: skip
def test_all_usual_forms_are_one_moment(written: object) -> None:
    found = read_moment(written)
    assert found is not None
    assert found.replace(microsecond=0) == NINE
    assert found.tzinfo is UTC


@pytest.mark.parametrize(
    "written",
    ["", " ", "soon", "10", "2026", "31/31/2026", "2026-13-01", "2026-06-31", "32 Jun 2026", None,
     "Foo 2, 2026", True, 0, -1, 12, float("nan"), float("inf"), 10**30, [], {}, "x" * 1000,
     "0001-01-01T00:00:00+14:00", "2026-06-02 99:00",
     "Marketing 12, 2026", "Maybe 5, 2026", "Decline 3 2026", "demarch 3 2026", "112 Mar 2026",
     "12 Mar 10:11", "2026-06-02 09:00 IST", "2026-06-02 09:00 ET", "09:00 IST, 2 Jun 2026",
     "2026-06-02 09:00 +24:00",
     "2026-06-02 09:00 Asia/Kolkata", "2026-06-02 09:00 GMT+5.5", "2026-06-02 09:00 +10:60"],
)  # fmt: skip
def test_what_is_no_moment_is_none(written: object) -> None:
    assert read_moment(written) is None


@pytest.mark.parametrize(
    ("written", "order", "left_open"),
    [
        ("02/03/2026", None, True), ("13/03/2026", "dmy", False), ("03/13/2026 9:00", "mdy", False),
        ("02.03.2026", "dmy", False), ("03/03/2026", None, False), ("2026-02-03", None, False),
        ("2/02/2026", None, False), ("2/03/2026", None, True),
    ],
)  # fmt: skip
def test_the_order_of_a_date_is_told_by_its_numbers(
    written: str, order: Any, left_open: bool
) -> None:
    assert (order_of(written), is_open(written)) == (order, left_open)
    found = read_moment(written, "dmy")
    assert found is not None
    assert found.day == (2 if written.startswith(("2/", "02/", "02.")) else found.day)


def test_a_year_of_two_digits_is_of_the_last_seventy_or_the_next() -> None:
    years = [read_moment(f"31/12/{year}") for year in ("68", "69", "99", "00")]
    assert [each.year for each in years if each] == [2068, 1969, 1999, 2000]
    assert not is_open("13/14/2026")


@pytest.mark.parametrize(
    ("names", "month"),
    [
        ("january januar jän enero gen janv", 1), ("märz mrz mars marzo março maart mrt mar", 3),
        ("may mai mayo maggio mag maio mei maj", 5), ("août ago aug augustus", 8),
        ("sept. sep set settembre septiembre", 9), ("oct okt ott out outubro", 10),
        ("dec dez déc dic desember diciembre", 12),
    ],
)  # fmt: skip
def test_months_are_known_by_their_names(names: str, month: int) -> None:
    found = [read_moment(f"2 {name} 2026") for name in names.split()]
    assert [each and each.month for each in found] == [month] * len(found)


def test_half_a_day_is_read_at_its_ends() -> None:
    mornings = "12:30 AM", "12:30 a. m.", "上午12:30", "오전 12시 30분", "午前12時30分07秒", "0:30"
    evenings = "12:30 pm", "12:30 p.m. UTC", "12:30p", "下午12:30", "오후 12시 30분", "12 h 30"
    for hour, written in ((0, mornings), (12, evenings)):
        found = [read_moment(f"6/2/2026 {each}") for each in written]
        assert [each and (each.hour, each.minute) for each in found] == [(hour, 30)] * len(found)


@given(st.text(max_size=70) | st.from_regex(r"[0-9/.: -]{1,30}(am|PM|Z|\+99:99)?", fullmatch=True))
def test_any_text_has_an_answer(written: str) -> None:
    found = read_moment(written)
    assert found is None or found.tzinfo is UTC
    assert order_of(written) in ("dmy", "mdy", None)
