"""How far a service's clock and this machine's are apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from statistics import median

ANSWERS = 9
"""So many of the last answers are looked at; a slow one among them does not count then."""


class Clocks:
    """The difference as the ``Date`` of answers tells it."""

    def __init__(self) -> None:
        self._ahead: deque[float] = deque(maxlen=ANSWERS)
        self._skew = timedelta()  # asked for with every age that is shown, so not worked out there

    @property
    def skew(self) -> timedelta:
        """How far the service is ahead; negative where it is behind, zero while nothing is known.

        ``Date`` counts whole seconds: half a second more or less.
        """
        return self._skew

    def told(self, headers: Mapping[str, str], asked: float, answered: float) -> None:
        """Take in an answer; ``asked`` and ``answered`` are this clock's seconds since the epoch.

        What a cache on the way answers is older than it says, and is passed over.
        """
        date = headers.get("date")
        if not date or "age" in headers:
            return
        try:
            moment = parsedate_to_datetime(date)
        except (ValueError, OverflowError):
            return
        known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        self._ahead.append(known.timestamp() + 0.5 - (asked + answered) / 2)
        self._skew = timedelta(seconds=median(self._ahead))
