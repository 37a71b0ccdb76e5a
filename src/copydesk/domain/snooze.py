"""Putting a change request aside until it changes, or until a moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from copydesk.domain.late_dataclass import dataclass

LENGTHS: Sequence[tuple[str, timedelta | None]] = (
    ("until it is edited", None),
    ("for 1 day", timedelta(days=1)),
    ("for 3 days", timedelta(days=3)),
    ("for 1 week", timedelta(weeks=1)),
)
"""How long something sleeps, each time it is asked for once more."""


@dataclass(frozen=True, slots=True)
class Snooze:
    """It sleeps while it is as it was at ``updated``, and before ``until``; None is for ever.

    ``step`` is the place of the length in `LENGTHS`.
    """

    updated: datetime
    until: datetime | None = None
    step: int = 0

    def asleep(self, updated: datetime, now: datetime) -> bool:
        """Return whether a change request last changed at ``updated`` still sleeps."""
        return updated == self.updated and (self.until is None or now < self.until)


def next_snooze(before: Snooze | None, updated: datetime, now: datetime) -> Snooze | None:
    """Return what asking once more makes of it: the next length, and awake after the last."""
    step = before.step + 1 if before is not None and before.asleep(updated, now) else 0
    return snooze_of(step, updated, now) if step < len(LENGTHS) else None


def snooze_of(step: int, updated: datetime, now: datetime) -> Snooze:
    """Return a sleep of one of the `LENGTHS`, from now on."""
    length = LENGTHS[step][1]
    return Snooze(updated, None if length is None else now + length, step)
