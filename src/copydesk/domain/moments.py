"""Moments: read as the API writes them, told as ages and dates, and by whose clock they go."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip


def age(then: datetime | None, now: datetime) -> str:
    """Return the time since ``then``: "now", "4 min", "2 h", "9 d", "3 w", "3 mo", "2 y".

    Each unit is cut, not rounded, as people count their age. A moment in the future is "now":
    clocks differ. Nothing known is "". A time without a zone is UTC.
    """
    if then is None:
        return ""
    seconds = (_zoned(now) - _zoned(then)).total_seconds()
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h"
    days = int(seconds // DAY)
    if days < 14:
        return f"{days} d"
    if days < 60:
        return f"{days // 7} w"
    if days < 365:
        return f"{days // 30} mo"
    return f"{days // 365} y"


def ago(then: datetime | None, now: datetime) -> str:
    """Return an `age` with "ago" behind it: "9 d ago", "now"; nothing known is ""."""
    since = age(then, now)
    return since if since in ("", "now") else f"{since} ago"


def told_ago(then: datetime | None, now: datetime) -> str:
    """Return an `ago` as a sentence has it, with "just now"."""
    return "just now" if (said := ago(then, now)) == "now" else said


_UNITS = {"min": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}

_AGO = re.compile(rf"\b(\d+) ({'|'.join(_UNITS)}) ago\b")


def spelled(said: str) -> str:
    """Return a text with each time `ago` in it in words: "9 days ago" for "9 d ago"."""
    from copydesk.domain.text import plural  # it loads Rich, and few texts are told in words

    return _AGO.sub(lambda found: f"{plural(int(found[1]), _UNITS[found[2]])} ago", said)


def is_age(said: str) -> bool:
    """Whether a text is an `age`, and one of some time."""
    return bool(_AGO.fullmatch(f"{said} ago"))


def age_or_ahead(then: datetime | None, now: datetime) -> str:
    """Return an `age`; "in 4 y" for dates in the future, by more than clocks differ (a day)."""
    if then is not None and (_zoned(then) - _zoned(now)).total_seconds() > DAY:
        return f"in {age(now, then)}"
    return age(then, now)


def moment(then: datetime | None, now: datetime) -> str:
    """Return when something happened, by this machine's clock: as short as it stays clear.

    "09:08" today, "yday 08:40", "Tue 16:20" within a week, "2 Mar 09:08" within the year, else
    "2 Mar 2024". Nothing known is "".
    """
    if then is None:
        return ""
    here, today = _zoned(then).astimezone(), _zoned(now).astimezone()
    clock = f"{here:%H:%M}"
    days = (today.date() - here.date()).days
    date = f"{here.day} {_MONTHS[here.month - 1]}"
    if days == 0:
        return clock
    if days == 1:
        return f"yday {clock}"
    if 1 < days < 7:
        return f"{_WEEKDAYS[here.weekday()]} {clock}"
    if here.year == today.year:
        return f"{date} {clock}"
    return f"{date} {here.year}"


def time_or_date(then: datetime, now: datetime) -> str:
    """Return the time by this machine's clock, "08:58"; "2 Mar" if that is not today's.

    Of the last 24 hours the time is enough, since none of theirs comes twice.
    """
    here, today = then.astimezone(), now.astimezone()
    if here.date() == today.date() or 0 <= (now - then).total_seconds() < DAY:
        return f"{here:%H:%M}"
    return f"{here.day} {_MONTHS[here.month - 1]}" + (
        f" {here.year}" if here.year != today.year else ""
    )


def instant(text: str | None) -> datetime | None:
    """Read an ISO 8601 time as the API writes it.

    None for None and for a text that is no time: a row with a bad time is still a row.
    """
    if not text:
        return None
    try:
        return _zoned(datetime.fromisoformat(text))
    except ValueError:
        return None


def _zoned(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


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
