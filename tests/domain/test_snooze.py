"""Putting a change request aside, a little longer each time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from copydesk.domain.snooze import LENGTHS, Snooze, next_snooze, snooze_of

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def test_it_sleeps_until_it_is_edited_or_its_time_has_come() -> None:
    assert Snooze(NOW).asleep(NOW, NOW + 1000 * DAY)
    assert not Snooze(NOW).asleep(NOW + DAY, NOW)
    timed = Snooze(NOW, NOW + DAY)
    assert timed.asleep(NOW, NOW + DAY - timedelta(seconds=1))
    assert not timed.asleep(NOW, NOW + DAY)
    assert not timed.asleep(NOW - DAY, NOW)


def test_asking_again_takes_the_next_length_and_wakes_it_after_the_last() -> None:
    asked: Snooze | None = None
    for step, (_, length) in enumerate(LENGTHS):
        asked = next_snooze(asked, NOW, NOW)
        assert asked == Snooze(NOW, None if length is None else NOW + length, step)
    assert next_snooze(asked, NOW, NOW) is None


def test_what_woke_up_begins_with_the_first_length() -> None:
    late = NOW + 9 * DAY
    assert next_snooze(snooze_of(2, NOW, NOW), NOW, late) == snooze_of(0, NOW, late)
