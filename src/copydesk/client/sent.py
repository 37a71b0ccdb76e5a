"""What was sent to a service: each request for a recorder, and all of the last minutes counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import NamedTuple

from copydesk.domain.cause import Asker
from copydesk.domain.late_dataclass import dataclass

KEPT_MINUTES = 10
"""For how many whole minutes, and the one that has begun, requests are counted."""


class Sent(NamedTuple):
    """A sent request, for a recorder; each try counts.

    ``name`` is the operation's name, or method and path of a raw request. ``status`` is None
    without an answer. ``seconds`` is its duration, ``at`` when it had ended, in seconds since the
    epoch.
    """

    name: str
    method: str
    target: str
    status: int | None
    request_id: str
    seconds: float
    at: float
    asker: Asker


Recorder = Callable[[Sent], None]
"""Called after each request; must be quick and must not raise."""


@dataclass(slots=True)
class Count:
    """The requests of one minute that have a name, a screen and a reason in common."""

    asker: Asker
    name: str
    method: str
    last: float = 0.0
    """When the last of them had ended, in seconds since the epoch."""
    seconds: float = 0.0
    """How long all of them took together."""
    statuses: Counter[int | None] = field(default_factory=Counter)
    """How many got which status; None for no answer."""


class Tally:
    """Counts requests by minute and kind; its size grows with the kinds, not with the requests."""

    def __init__(self) -> None:
        self._minutes: dict[int, dict[tuple[Asker, str, str], Count]] = {}

    def add(self, sent: Sent) -> None:
        """Count a request, and drop the minutes that are too old."""
        minute = int(sent.at // 60)
        if minute not in self._minutes:
            self._minutes[minute] = {}
            for old in [each for each in self._minutes if each < minute - KEPT_MINUTES]:
                del self._minutes[old]
        key = sent.asker, sent.name, sent.method
        count = self._minutes[minute].get(key)
        if count is None:
            count = self._minutes[minute][key] = Count(*key)
        count.last = max(count.last, sent.at)
        count.seconds += sent.seconds
        count.statuses[sent.status] += 1

    def since(self, moment: float) -> Iterator[Count]:
        """Yield the counts whose last request ended after a time (seconds since the epoch)."""
        for counts in self._minutes.values():
            yield from (count for count in counts.values() if count.last >= moment)
