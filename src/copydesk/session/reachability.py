"""Whether the service answers, and how soon to ask it again by itself: all that decides on polling.

Pure bookkeeping over moments that the session gives: no timer, no request. A refresh by hand asks
nobody here, so that it always goes through.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import random

from copydesk.domain.late_dataclass import dataclass

POLL_SECONDS = 15.0
"""The interval between two reads of the current screen while somebody is at the keys."""

WAITING_SECONDS = 60.0
"""How often each change request is read that waits for its rules."""

FAST_SECONDS = 5.0
"""The interval for `FAST_FOR` seconds after something has changed: more may follow."""

FAST_FOR = 30.0

IDLE_SHARE = 0.5
"""The interval while nobody is at the keys, as a share of the time since then."""

LONGEST_IDLE = 300.0
"""The longest interval while nobody is at the keys."""

RESTS_AFTER = 15.0
"""After how long without a key the program looks less often whether anything is due."""

RESTING_SECONDS = 5.0
"""How often it does then."""

SPARE_SHARE = 0.5
"""Above this share of the request budget there are requests for what nobody asked for."""

LOW_SHARE = 0.25
"""Below this share of the request budget everything is read less often."""

SPARING = 2.0
"""By how much polling slows down where there are no requests to spare."""

STRETCH = 4.0
"""By how much it does below `LOW_SHARE`: four times that at half of that share, and so on."""

LONGEST_WAIT = 60.0
"""The longest wait for a service that cannot be reached."""

MOST_DOUBLED = 4
"""How often the wait is doubled at most after unusable answers."""

JITTER = 0.1
"""The largest random extension of a wait, so that many desks do not come back at once."""

LIMIT, BUSY = "limit", "busy"
"""Why no request may be sent now: the limit is reached, or the service asked for a pause."""

LATE_SECONDS = 5.0
"""The longest time for the answer to a poll before the rows no longer count as live."""


@dataclass(eq=False)
class Contact:
    """Whether the service answers. ``jitter`` gives 0.0 to 1.0."""

    jitter: Callable[[], float] = random
    offline: str = ""
    """Why the service cannot be reached; empty when it can."""
    told: bool = False
    """Whether the reader was told in full, above cached rows, since the last answer."""
    limited: str = ""
    """Why no request may be sent now (`LIMIT` or `BUSY`); empty when requests may be sent."""
    failures: int = 0
    """The number of failures in a row."""
    retry_at: datetime | None = None
    """The earliest time of the next automatic request; None for any time."""
    refused: bool = False
    """Whether the token was refused: then polling stops."""
    answers: int = 0
    """The number of answers, by which older reports on the connection are recognized."""
    away: bool = False
    """Whether the terminal has lost the focus: nobody looks, so nothing is polled."""
    pressed_at: datetime | None = None
    """When the last key was pressed; None before the first one."""
    changed_at: datetime | None = None
    """When something was last written here, or read that others had changed."""

    def answered(self) -> None:
        """Note an answer, which ends all failures."""
        self.answers += 1
        self.offline, self.failures, self.retry_at, self.refused = "", 0, None, False
        self.told, self.limited = False, ""

    def lost(self, now: datetime, why: str) -> None:
        """Note that the service was not reached: wait 1, 2, 4 … `LONGEST_WAIT` seconds.

        Reads of one attempt fail together; they count once.
        """
        if self.offline and self.retry_at is not None and now < self.retry_at:
            return
        self.offline, self.limited = why, ""
        wait = min(LONGEST_WAIT, 2.0 ** min(self.failures, 10))
        self.failures += 1
        self.retry_at = now + timedelta(seconds=wait * (1 + JITTER * self.jitter()))

    def hold(self, until: datetime) -> None:
        """Send no automatic request before that time."""
        self.retry_at = until if self.retry_at is None else max(self.retry_at, until)

    def held(self, now: datetime) -> bool:
        """Whether it was not reached, or asked for a pause that is not over."""
        waits = self.retry_at is not None and now < self.retry_at
        return bool(self.offline) or (bool(self.limited) and waits)

    def limit(self, now: datetime, until: datetime | None, why: str = LIMIT) -> None:
        """Note that no more requests are allowed before ``until``.

        Where the service gives no time, wait 15, 30 … `LONGEST_WAIT` seconds. Reads of one attempt
        count once, as with `lost`.
        """
        if not self.limited:  # an answer came, so earlier waits are over
            self.offline, self.told, self.retry_at = "", False, None
            self.failures = 0
        self.limited = why
        if until is not None and until > now:
            self.hold(until)
        elif self.retry_at is None or now >= self.retry_at:
            wait = min(LONGEST_WAIT, POLL_SECONDS * 2.0 ** min(self.failures, 10))
            self.retry_at = now + timedelta(seconds=wait * (1 + JITTER * self.jitter()))
            self.failures += 1

    def focused(self, now: datetime, *, focus: bool) -> None:
        """Note that the terminal got the focus, or lost it."""
        self.away = not focus
        if focus:
            self.pressed_at = now

    def rests(self, now: datetime, looked_at: datetime | None) -> bool:
        """Whether polling waits because nobody is at the keys.

        ``looked_at`` is when that was looked at last; None: never.
        """
        if self.offline or self.limited or self.pressed_at is None:
            return False
        return seconds(self.pressed_at, now) > RESTS_AFTER and _within(
            looked_at, now, RESTING_SECONDS
        )

    def due(
        self, now: datetime, read_at: datetime | None, *, share: float = 1.0, failures: int = 0
    ) -> bool:
        """Whether data read at ``read_at`` (None: never) are due for an automatic read.

        ``share`` is the part of the request budget that is left, ``failures`` the number of
        unusable answers in a row: each lengthens the interval.
        """
        if self.refused:
            return False
        if self.retry_at is not None:
            return now >= self.retry_at  # also without focus: the outbox is sent then
        if self.away:
            return False
        # A clock that was set back must not stop everything until it has caught up.
        wait = self.pause(now, share=share, failures=failures)
        return read_at is None or not 0 <= seconds(read_at, now) < wait

    def wait(
        self,
        now: datetime,
        read_at: datetime | None = None,
        *,
        share: float = 1.0,
        failures: int = 0,
    ) -> int:
        """Return the whole seconds until the next automatic read, at least 1; see `due`."""
        again = self.retry_at
        if again is None and read_at is not None:
            again = read_at + timedelta(seconds=self.pause(now, share=share, failures=failures))
        return 1 if again is None else max(1, -int(-seconds(now, again) // 1))

    def pause(self, now: datetime, *, share: float, failures: int) -> float:
        """Return the seconds from one automatic read to the next."""
        if failures:
            return interval(share) * 2.0 ** min(failures - 1, MOST_DOUBLED)
        if share > SPARE_SHARE and _within(self.changed_at, now, FAST_FOR):
            return FAST_SECONDS
        idle = 0.0 if self.pressed_at is None else seconds(self.pressed_at, now)
        return max(interval(share), min(LONGEST_IDLE, idle * IDLE_SHARE))


def _within(since: datetime | None, now: datetime, most: float) -> bool:
    return since is not None and 0 <= seconds(since, now) < most


def seconds(since: datetime, now: datetime) -> float:
    """Return the seconds from one moment to another."""
    return (now - since).total_seconds()


def interval(share: float) -> float:
    """Return the seconds between two polls while somebody is at the keys.

    ``share`` is the part of the request budget that is left.
    """
    if share >= LOW_SHARE:
        return POLL_SECONDS * (1.0 if share > SPARE_SHARE else SPARING)
    return POLL_SECONDS * STRETCH * round((LOW_SHARE / max(share, 0.01)) ** 2)
