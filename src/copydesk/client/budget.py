"""The request budget of a service: from the headers of its answers, else counted here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from copydesk.domain.cause import Asker
from copydesk.domain.clock_skew import service_time
from copydesk.domain.late_dataclass import dataclass

USUAL_LIMIT = 3600
"""The requests in `USUAL_SECONDS` that are taken for allowed where the service names no limit."""

USUAL_SECONDS = 3600.0

_TOLD = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


@dataclass(frozen=True, slots=True)
class Budget:
    """How many requests may be sent (docs/api-notes.md, Sending again).

    ``remaining`` of ``limit`` requests are left until ``reset``, the end of the period by this
    machine's clock, in UTC (None: unknown). ``told`` says whether the service says so; otherwise
    what is sent here is counted against the usual limit.
    """

    limit: int = USUAL_LIMIT
    remaining: int = USUAL_LIMIT
    reset: datetime | None = None
    told: bool = False

    @property
    def share(self) -> float:
        """The remaining share of the budget, 0.0 to 1.0."""
        return min(1.0, max(0.0, self.remaining / self.limit)) if self.limit > 0 else 0.0

    def by(self, now: datetime) -> Budget:
        """Return the budget at a time: all of it once its period is over."""
        if self.reset is None or now < self.reset:
            return self
        return self.renewed()

    def renewed(self) -> Budget:
        """Return the budget as a period begins with it."""
        return Budget(self.limit, self.limit, None, self.told)

    def after(self, status: int, headers: Mapping[str, str], now: float) -> Budget:
        """Return the budget after an answer; unreadable headers change nothing.

        ``now`` are this machine's seconds since the epoch.
        """
        given = tuple(map(headers.get, _TOLD))
        if status < 400 and "date" not in headers and (told := _by_itself(*given)) is not None:
            return told
        limit, remaining, reset = map(_number, given)
        before = self.by(_moment(now))
        if limit is remaining is reset is None:
            found = before if self.told else before._counted(now)
        else:
            most = before.limit if limit is None else limit
            left = min(before.remaining, most) if remaining is None else remaining
            if remaining is None and not self.told:
                left = most
            end = before.reset if reset is None else _here(_moment(reset), headers, now)
            found = Budget(max(most, left), left, end, told=True)
        if status == 429:
            again = retry_time(headers, now)
            return replace(found, remaining=0, reset=found.reset if again is None else again)
        if status < 400 and not before.remaining and remaining is None:
            return before.renewed()  # there is some again, and it does not say how much
        return found

    def _counted(self, now: float) -> Budget:
        end = _moment(now + USUAL_SECONDS) if self.reset is None else self.reset
        return replace(
            self, remaining=max(1, self.remaining - 1), reset=end
        )  # 0 is what a 429 says


@lru_cache(maxsize=16)  # a service without a limit says the same with every answer
def _by_itself(limit: str | None, remaining: str | None, reset: str | None) -> Budget | None:
    """Return the budget that the headers of an answer give, None where they do not say it all."""
    most, left, end = _number(limit), _number(remaining), _number(reset)
    if most is None or left is None or end is None:
        return None
    return Budget(max(most, left), left, _moment(end), told=True)


def retry_time(headers: Mapping[str, str], now: float, *, limited: bool = True) -> datetime | None:
    """Return the time of the next try (UTC), or None when unknown.

    ``Retry-After`` (seconds, or an HTTP date) takes precedence over ``X-RateLimit-Reset``
    (docs/api-notes.md, Sending again), which counts only for a refusal by the rate limit
    (``limited``).
    """
    after = headers.get("retry-after", "").strip()
    if (seconds := _number(after)) is not None:
        return _moment(now + seconds)
    if after:
        try:
            return _here(dated(after), headers, now)
        except (ValueError, OverflowError):
            pass
    reset = _number(headers.get("x-ratelimit-reset")) if limited else None
    return None if reset is None else _here(_moment(reset), headers, now)


def _here(moment: datetime, headers: Mapping[str, str], now: float) -> datetime:
    """Return a time of the service by this machine's clock."""
    if not (date := headers.get("date")):
        return moment
    try:
        ahead = dated(date) - _moment(now)
        return service_time(moment, -ahead)
    except (ValueError, OverflowError):
        return moment


def dated(text: str) -> datetime:
    """Return the moment of an HTTP date. Raises ``ValueError`` and ``OverflowError``."""
    # Imported here: a desk in this process dates nothing, and this loads the parser of e-mail.
    from email.utils import parsedate_to_datetime

    moment = parsedate_to_datetime(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(value: str | None) -> int | None:
    # Ten digits hold every count and every second of this century; more is nonsense.
    if value is None or not (value := value.strip()).isascii() or not value.isdigit():
        return None
    return int(value) if len(value) <= 10 else None


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


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
