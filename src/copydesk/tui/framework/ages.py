"""The age of the rows in the header, in long and short forms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.session.ages import DAY, HOUR, MINUTE, moment
from copydesk.session.reachability import LATE_SECONDS, Contact, interval, seconds

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place


NAMED_WIDTH = 120
"""From how many cells on the header says what its age is that of."""

Said = tuple[str, Sequence[str]]
"""A tone of the line, and the ways to say it, the longest first."""


def age_line(place: Place, width: int) -> Said:
    """Return how old what a place shows is; live only while it is younger than its interval."""
    session = place.session
    now, kept = session.clock(), place.reads.kept_at
    read_at = kept or place.reads.read_at or session.read_at
    since = f", data from {moment(read_at, now)}" if read_at else ""
    if session.contact.refused:
        how = " (ctrl+g)" if width >= 80 else ""
        return "bad", (f"token refused{since}{how}", f"token refused{how}", "token refused")
    if session.offline:
        said = f"offline{since}, retry in {session.contact.wait(now)} s"
        hint = [f"{said} (R now)"] if width >= 80 else []
        return "bad", (*hint, said, f"offline{since}", "offline")
    if session.contact.limited:
        if place.reads.read_at is None and kept is None:
            since = ""  # of what is shown here nothing is read
        why = session.contact.limited
        said = f"{why}{since}, again {_again(session.contact, now)}"
        hint = [f"{said} (R now)"] if width >= 80 else []
        return "bad", (*hint, said, f"{why}{since}", why)
    if kept is not None:
        old = f"kept {_ago(seconds(kept, now))}"
        if place.reads.reading:
            return "warn", (f"{old}, reading", old, "kept")
        return "warn", (*_tries(f"{old}, not read", place, now, width), old, "kept")
    if place.reads.unread and place.reads.read_at is None and not place.reads.loads:
        unread = "cached, not read" if place.cached else "not read"
        if not place.reads.failing:  # it was refused: read again, it comes to the same
            return "bad", (unread, "not read")
        return "bad", (*_tries(unread, place, now, width), "not read")
    if read_at is None:
        return "warn", ("cached, connecting" if place.cached else "connecting", "connecting")
    if place.AGED and place.reads.read_at is None and place.reads.loads:
        # What the service said of other things makes this no younger.
        return "warn", (f"reading the {place.AGED}", "reading")
    if place.reads.read_at is None and place.reads.sound_at is None and place.reads.slow:
        return "warn", ("reading",)  # what was read of other things is no news of this
    if place.reads.failing:
        # Something of it is not as the service has it now, whatever else was answered.
        sound = place.reads.read_at or place.reads.sound_at
        if sound is None:
            return ("bad", ("not read",)) if place.reads.unread else ("warn", ("partly read",))
        since = f"read {_ago(seconds(sound, now))}"
        return "warn", (f"{since}, not all since", since)
    age = max(0.0, seconds(read_at, now))
    live = age <= interval(slow=session.slow) + LATE_SECONDS
    brief = ("live " if live else "read ") + short_age(age) + ("" if live else " ago")
    long = brief
    if place.AGED and width >= NAMED_WIDTH:
        since = short_age(age)
        long = f"{place.AGED} read {since}{'' if since == 'now' else ' ago'}"
    return ("good" if live else ""), (long, brief)


def _tries(said: str, place: Place, now: datetime, width: int) -> Sequence[str]:
    """Return the age texts of a place, the longest (with the time of the next read) first."""
    session = place.session
    wait = session.contact.wait(
        now, place.reads.asked_at, slow=session.slow, failures=place.reads.useless
    )
    again = f"{said}, again in {wait} s"
    return (*([f"{again} (R now)"] if width >= 80 else ()), again, said)


def _again(contact: Contact, now: datetime) -> str:
    """Return when a service is asked again that says so itself: it may be days from now."""
    wait, at = contact.wait(now), contact.retry_at
    if at is None or wait < 2 * MINUTE:
        return f"in {wait} s"
    return f"at {moment(at, now)}" if wait < DAY else f"on {moment(at, now)}"


def short_age(age: float) -> str:
    """Return seconds as the header says them: ``now``, ``20s``, ``5 min``, ``3 h``."""
    whole = int(age)
    if whole < MINUTE:
        return f"{whole // 5 * 5}s" if whole >= 5 else "now"
    return f"{whole // MINUTE} min" if whole < HOUR else f"{whole // HOUR} h"


def _ago(age: float) -> str:
    if age < MINUTE:
        return "a moment ago"
    return f"{int(age // DAY)} days ago" if age >= 2 * DAY else f"{short_age(age)} ago"
