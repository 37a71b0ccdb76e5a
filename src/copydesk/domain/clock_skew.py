"""How far the clock of a service and that of this machine are apart, and what time it is there."""

from __future__ import annotations

from datetime import datetime, timedelta

SAME = timedelta(minutes=1)
"""Clocks this close are taken to be the same: an answer on its way is no difference."""

TOLD = timedelta(minutes=5)
"""Clocks further apart than this are worth a word."""

BELIEVED = timedelta(days=365 * 200)
"""No clock is further off than this: such a date is nonsense, and nothing is counted by it."""


def service_time(here: datetime, skew: timedelta, *, same: timedelta = SAME) -> datetime:
    """Return the time by the service's clock, which is ``skew`` ahead of ``here``.

    A difference of ``same`` or less is none.
    """
    if not same < abs(skew) < BELIEVED:
        return here
    return here + skew


def apart(skew: timedelta) -> str:
    """Return a sentence that the clocks are far apart, and its effect; empty when they are not."""
    if not TOLD < abs(skew) < BELIEVED:
        return ""
    way = "ahead of" if skew > timedelta() else "behind"
    return f"The service's clock is {_long(abs(skew))} {way} this machine's. Ages go by its own."


def _long(span: timedelta) -> str:
    minutes = round(span / timedelta(minutes=1))
    if minutes < 120:
        return f"{minutes} min"
    hours = round(minutes / 60)
    return f"{hours} h" if hours < 48 else f"{round(hours / 24):,} days"
