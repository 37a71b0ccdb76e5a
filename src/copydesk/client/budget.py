"""The request budget of a service, read from the headers of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from copydesk.domain.service_clock import service_time


@dataclass(frozen=True, slots=True)
class Budget:
    """The rate limit as last told (docs/api-notes.md, Sending again). None means unknown.

    ``limit`` and ``remaining`` count requests; ``reset`` is the end of the period by this machine's
    clock, in UTC.
    """

    limit: int | None = None
    remaining: int | None = None
    reset: datetime | None = None

    @property
    def share(self) -> float | None:
        """The remaining share of the budget, 0.0 to 1.0, or None when unknown."""
        if self.limit is None or self.remaining is None or self.limit <= 0:
            return None
        return min(1.0, max(0.0, self.remaining / self.limit))

    def by(self, now: datetime) -> Budget:
        """Return the budget at a time: without numbers once its period is over."""
        if self.reset is None or now < self.reset or self.remaining is None:
            return self
        return Budget(self.limit)

    def told(self, headers: Mapping[str, str], now: float) -> Budget:
        """Return the budget after an answer; unreadable headers change nothing.

        ``now`` are this machine's seconds since the epoch.
        """
        limit = _number(headers.get("x-ratelimit-limit"))
        remaining = _number(headers.get("x-ratelimit-remaining"))
        reset = _number(headers.get("x-ratelimit-reset"))
        if limit is remaining is reset is None:
            return self
        return Budget(
            self.limit if limit is None else limit,
            self.remaining if remaining is None else remaining,
            self.reset if reset is None else _here(_moment(reset), headers, now),
        )


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
            return _here(_dated(after), headers, now)
        except (ValueError, OverflowError):
            pass
    reset = _number(headers.get("x-ratelimit-reset")) if limited else None
    return None if reset is None else _here(_moment(reset), headers, now)


def _here(moment: datetime, headers: Mapping[str, str], now: float) -> datetime:
    """Return a time of the service by this machine's clock."""
    try:
        ahead = _dated(headers.get("date", "")) - _moment(now)
        return service_time(moment, -ahead)
    except (ValueError, OverflowError):
        return moment


def _dated(text: str) -> datetime:
    """Return the moment of an HTTP date. Raises ``ValueError`` and ``OverflowError``."""
    moment = parsedate_to_datetime(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(value: str | None) -> int | None:
    # Ten digits hold every count and every second of this century; more is nonsense.
    if value is None or not (value := value.strip()).isascii() or not value.isdigit():
        return None
    return int(value) if len(value) <= 10 else None


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
