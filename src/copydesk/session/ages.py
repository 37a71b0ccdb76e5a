"""Dates and times in the words of the screen."""

from __future__ import annotations

from datetime import datetime

from copydesk.session.reachability import seconds

MINUTE, HOUR, DAY = 60, 3600, 86400


def moment(at: datetime, now: datetime) -> str:
    """Return a moment as people say it: ``08:58``, and ``2 Mar`` of another day."""
    here, today = at.astimezone(), now.astimezone()
    if here.date() == today.date() or 0 <= seconds(at, now) < DAY:
        return f"{here:%H:%M}"
    return f"{here.day} {here:%b}" + (f" {here.year}" if here.year != today.year else "")
