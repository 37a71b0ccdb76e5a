"""When the service is asked again that could not be reached."""

from __future__ import annotations

from datetime import timedelta

from copydesk.session.reachability import Contact
from tests.tui.desk_place import NOON


def test_a_clock_set_back_does_not_stop_it() -> None:
    contact = Contact()
    assert contact.due(NOON, NOON + timedelta(hours=1))
    assert not contact.due(NOON, NOON)


def test_reads_that_fail_together_count_once() -> None:
    contact = Contact(jitter=lambda: 1.0)
    contact.lost(NOON, "No answer.")
    contact.lost(NOON, "No answer.")
    assert contact.failures == 1
    assert contact.retry_at == NOON + timedelta(seconds=1.1)
    contact.answered()
    assert contact.offline == ""
    assert contact.retry_at is None
