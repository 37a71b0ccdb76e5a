"""Whether the service answers, and how soon it is asked again by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from copydesk.session.reachability import (
    BUSY,
    FAST_FOR,
    FAST_SECONDS,
    LIMIT,
    LONGEST_IDLE,
    LONGEST_WAIT,
    POLL_SECONDS,
    RESTING_SECONDS,
    RESTS_AFTER,
    Contact,
    interval,
)

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def contact(jitter: float = 0.0) -> Contact:
    return Contact(lambda: jitter)


def test_each_failure_doubles_the_wait_up_to_the_longest() -> None:
    found, now, waits = contact(), NOW, []
    for _ in range(8):
        found.lost(now, "No route")
        assert found.retry_at is not None
        waits.append((found.retry_at - now).total_seconds())
        now = found.retry_at
    assert waits == [1, 2, 4, 8, 16, 32, LONGEST_WAIT, LONGEST_WAIT]
    assert (found.offline, found.failures, found.held(NOW)) == ("No route", 8, True)
    found.answered()
    assert (found.offline, found.failures, found.retry_at, found.answers) == ("", 0, None, 1)
    assert not found.held(NOW)


def test_reads_that_fail_together_count_once_and_waits_differ_by_chance() -> None:
    found = contact(1.0)
    found.lost(NOW, "a")
    found.lost(after(0.5), "b")
    assert (found.failures, found.offline) == (1, "a")
    assert found.retry_at == after(1.1)


def test_a_limit_holds_until_its_time_or_ever_longer() -> None:
    found = contact()
    found.lost(NOW, "No route")
    found.limit(NOW, after(100))
    assert (found.offline, found.limited, found.retry_at) == ("", LIMIT, after(100))
    assert found.held(after(99))
    assert not found.held(after(100))
    found.limit(NOW, after(50), BUSY)
    assert (found.limited, found.retry_at) == (BUSY, after(100))
    untold = contact()
    untold.limit(NOW, None)
    assert (untold.retry_at, untold.failures) == (after(15), 1)
    untold.limit(after(5), None)
    assert untold.failures == 1
    untold.limit(after(15), after(10))
    assert untold.retry_at == after(45)
    untold.limit(after(45), None)
    untold.limit(after(105), None)
    assert (untold.retry_at, untold.failures) == (after(105 + LONGEST_WAIT), 4)
    untold.answered()
    assert untold.limited == ""


def test_data_are_due_after_the_interval() -> None:
    found = contact()
    assert found.due(NOW, None)
    assert not found.due(after(POLL_SECONDS - 1), NOW)
    assert found.due(after(POLL_SECONDS), NOW)
    assert found.due(NOW, after(60)), "a clock that was set back stops nothing"
    found.hold(after(40))
    assert not found.due(after(39), NOW)
    assert found.due(after(40), NOW)
    found.refused = True
    assert not found.due(after(400), NOW)


def test_without_focus_nothing_is_polled_but_what_waits_is_tried_again() -> None:
    found = contact()
    found.focused(NOW, focus=False)
    assert not found.due(after(1), None)
    assert not found.due(after(900), NOW)
    found.lost(after(900), "No route.")
    assert found.due(after(910), NOW)
    found.answered()
    found.focused(after(900), focus=True)
    assert not found.away
    assert found.pressed_at == after(900)
    assert found.due(after(901), None)


@pytest.mark.parametrize(
    ("pressed", "changed", "share", "failures", "seconds"),
    [
        (None, None, 1.0, 0, POLL_SECONDS), (0, None, 1.0, 0, POLL_SECONDS),
        (100, None, 1.0, 0, 50), (9000, None, 1.0, 0, LONGEST_IDLE),
        (100, 5, 1.0, 0, FAST_SECONDS), (100, FAST_FOR, 1.0, 0, 50), (100, 5, 0.5, 0, 50),
        (100, -5, 1.0, 0, 50), (None, 5, 1.0, 1, 15), (None, None, 1.0, 3, 60),
        (None, None, 1.0, 9, 240), (None, None, 0.1, 0, 360), (None, None, 0.1, 2, 720),
    ],
)  # fmt: skip
def test_how_often_is_read_by_itself(
    pressed: float | None, changed: float | None, share: float, failures: int, seconds: float
) -> None:
    found = contact()
    found.pressed_at = None if pressed is None else after(-pressed)
    found.changed_at = None if changed is None else after(-changed)
    assert found.pause(NOW, share=share, failures=failures) == seconds


@pytest.mark.parametrize(
    ("share", "seconds"),
    [(1, 15), (0.51, 15), (0.5, 30), (0.25, 30), (0.24, 60), (0.125, 240), (0.0, 37_500)],
)
def test_the_less_is_left_the_less_is_asked(share: float, seconds: float) -> None:
    assert interval(share) == seconds


def test_the_seconds_until_the_next_read_are_whole_and_one_at_least() -> None:
    found = contact()
    assert found.wait(NOW) == 1
    assert found.wait(after(4.5), NOW) == 11
    assert found.wait(after(400), NOW) == 1
    assert found.wait(NOW, NOW, share=0.1, failures=2) == 720
    found.pressed_at = after(-100)
    assert found.wait(NOW, NOW) == 50
    found.hold(after(7.2))
    assert found.wait(NOW, NOW) == 8


def test_a_clock_set_back_does_not_stop_it() -> None:
    contact = Contact()
    assert contact.due(NOW, NOW + timedelta(hours=1))
    assert not contact.due(NOW, NOW)


def test_reads_that_fail_together_count_once() -> None:
    contact = Contact(jitter=lambda: 1.0)
    contact.lost(NOW, "No answer.")
    contact.lost(NOW, "No answer.")
    assert contact.failures == 1
    assert contact.retry_at == NOW + timedelta(seconds=1.1)
    contact.answered()
    assert contact.offline == ""
    assert contact.retry_at is None


@pytest.mark.parametrize(
    ("idle", "looked", "rests"),
    [
        (RESTS_AFTER + 1, 0.0, True), (RESTS_AFTER, 0.0, False),
        (RESTS_AFTER + 1, RESTING_SECONDS, False), (RESTS_AFTER + 1, RESTING_SECONDS - 1, True),
        (RESTS_AFTER + 1, -1.0, False), (RESTS_AFTER + 1, None, False),
    ],
)  # fmt: skip
def test_polling_rests_where_nobody_is_at_the_keys(
    idle: float, looked: float | None, *, rests: bool
) -> None:
    found, at = contact(), after(RESTS_AFTER * 10)
    looked_at = None if looked is None else at - timedelta(seconds=looked)
    assert not found.rests(at, looked_at), "no key was pressed yet"
    found.focused(at - timedelta(seconds=idle), focus=True)
    assert found.rests(at, looked_at) is rests
    found.lost(at, "No route")
    assert not found.rests(at, looked_at)
