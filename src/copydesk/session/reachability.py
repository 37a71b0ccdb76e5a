"""Whether the service answers, and how soon to ask it again by itself.

Pure bookkeeping over moments that the session gives: no timer, no request. A refresh by hand asks
nobody here, so that it always goes through.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import random

POLL_SECONDS = 15.0
"""How often the place in front is read again."""

AWAY_SECONDS = 600.0
"""How long the terminal may be without focus before nothing is read any more."""

LOW_SHARE = 0.3
"""Below this share of the request budget everything is read less often."""

STRETCH = 4.0
"""How much less often that is."""

LONGEST_WAIT = 60.0
"""The longest wait for a service that cannot be reached."""

MOST_DOUBLED = 4
"""How many times the wait is doubled at most for answers that are of no use."""

JITTER = 0.1
"""By which share a wait is lengthened at most, so that many desks do not come back at once."""

LIMIT, BUSY = "limit", "busy"
"""Why nothing is to be asked for now: no more requests are allowed, or it is told so besides."""

LATE_SECONDS = 5.0
"""How long the answer to a poll may take before what is shown no longer counts as live."""


class Contact:
    """What is known of the service's willingness to answer. ``jitter`` gives 0.0 to 1.0."""

    def __init__(self, jitter: Callable[[], float] = random) -> None:
        self._jitter = jitter
        self.offline = ""
        """Why the service cannot be reached; empty when it can."""
        self.told = False
        """Whether that was said in full while what is kept shows, since it last answered."""
        self.limited = ""
        """Why it said last that nothing is to be asked for now, as a word; empty when it may be."""
        self.failures = 0
        """How many times in a row it was not reached, or allowed no more."""
        self.retry_at: datetime | None = None
        """Not to be asked by itself before this moment; None when any moment will do."""
        self.refused = False
        """Whether the token was refused: then nothing is asked by itself any more."""
        self.answers = 0
        """How many answers have come: what was said of the way to the service is older or not."""
        self.left_at: datetime | None = None
        """Since when the terminal has no focus; None while it has."""

    def answered(self) -> None:
        """Note an answer: everything is as usual again."""
        self.answers += 1
        self.offline, self.failures, self.retry_at, self.refused = "", 0, None, False
        self.told, self.limited = False, ""

    def lost(self, now: datetime, why: str) -> None:
        """Note that the service was not reached: wait 1, 2, 4 … `LONGEST_WAIT` seconds.

        Several reads of one attempt fail together; they count once.
        """
        if self.offline and self.retry_at is not None and now < self.retry_at:
            return
        self.offline, self.limited = why, ""
        wait = min(LONGEST_WAIT, 2.0 ** min(self.failures, 10))
        self.failures += 1
        self.retry_at = now + timedelta(seconds=wait * (1 + JITTER * self._jitter()))

    def hold(self, until: datetime) -> None:
        """Ask nothing by itself before that moment."""
        self.retry_at = until if self.retry_at is None else max(self.retry_at, until)

    def held(self, now: datetime) -> bool:
        """Whether it was not reached, or wants nothing to be asked before a moment to come."""
        waits = self.retry_at is not None and now < self.retry_at
        return bool(self.offline) or (bool(self.limited) and waits)

    def limit(self, now: datetime, until: datetime | None, why: str = LIMIT) -> None:
        """Note that no more requests are allowed: ask nothing by itself before ``until``.

        Where the service does not say when, or says now, wait 15, 30 … `LONGEST_WAIT` seconds.
        Several reads of one attempt count once, as with `lost`.
        """
        if not self.limited:  # it has answered: what was waited for before is over
            self.offline, self.told, self.retry_at = "", False, None
            self.failures = 0
        self.limited = why
        if until is not None and until > now:
            self.hold(until)
        elif self.retry_at is None or now >= self.retry_at:
            wait = min(LONGEST_WAIT, POLL_SECONDS * 2.0 ** min(self.failures, 10))
            self.retry_at = now + timedelta(seconds=wait * (1 + JITTER * self._jitter()))
            self.failures += 1

    def focused(self, now: datetime | None) -> None:
        """Note that the terminal has the focus (None), or lost it at that moment."""
        self.left_at = now

    def due(
        self, now: datetime, read_at: datetime | None, *, slow: bool, failures: int = 0
    ) -> bool:
        """Whether something read at ``read_at`` (None: never) should be read again by itself.

        ``failures`` is how many times in a row its answers were of no use: then ever less often.
        """
        if self.refused or (self.left_at is not None and seconds(self.left_at, now) > AWAY_SECONDS):
            return False
        if self.retry_at is not None:
            return now >= self.retry_at
        # A clock that was set back must not stop everything until it has caught up.
        wait = pause(slow=slow, failures=failures)
        return read_at is None or not 0 <= seconds(read_at, now) < wait

    def wait(
        self,
        now: datetime,
        read_at: datetime | None = None,
        *,
        slow: bool = False,
        failures: int = 0,
    ) -> int:
        """Return in how many whole seconds the service is asked again, at least 1; see `due`."""
        again = self.retry_at
        if again is None and read_at is not None:
            again = read_at + timedelta(seconds=pause(slow=slow, failures=failures))
        return 1 if again is None else max(1, -int(-seconds(now, again) // 1))


def seconds(since: datetime, now: datetime) -> float:
    """Return the seconds from one moment to another."""
    return (now - since).total_seconds()


def pause(*, slow: bool, failures: int) -> float:
    """Return the seconds until the next read after ``failures`` failed ones."""
    return interval(slow=slow) * 2.0 ** min(max(failures - 1, 0), MOST_DOUBLED)


def interval(*, slow: bool) -> float:
    """Return the seconds between two polls."""
    return POLL_SECONDS * (STRETCH if slow else 1.0)
