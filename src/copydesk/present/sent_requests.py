"""What was sent to the service in the last minutes, and what it still allows, as rows and text."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import time_or_date
from copydesk.domain.request_context import Asker, Why
from copydesk.domain.text import clean, plural, shorten

if TYPE_CHECKING:
    from copydesk.client.calls import Budget, Count, RequestTally

ANY_NUMBER = 1_000_000
"""A limit this high that stays unused is no limit: the embedded desk sends such a one."""

NAME_CELLS = 60
"""The longest name of a request that is shown."""


@dataclass(frozen=True, slots=True)
class SentRow:
    """The requests of one name that were sent for one screen for the same reason."""

    asker: Asker
    name: str
    last: float
    """When the last of them ended, in seconds since the epoch."""
    seconds: float
    """How long they took together."""
    statuses: Counter[int | None]
    """How many got which status; None for no answer."""

    @property
    def id(self) -> str:
        """What tells it from the other rows."""
        return f"{self.asker.screen} {self.asker.why} {self.name}"

    @property
    def count(self) -> int:
        """How many there are."""
        return self.statuses.total()

    @property
    def bad(self) -> int:
        """How many of them were refused, or not answered."""
        return sum(n for status, n in self.statuses.items() if status is None or status >= 300)

    @property
    def answers(self) -> str:
        """How many answers had which status, errors first: ``3 429, 12 200``."""
        order = sorted(self.statuses.items(), key=lambda each: -(each[0] or 1000))
        if len(order) == 1 and not self.bad:
            return str(order[0][0])
        return ", ".join(f"{n:,} {'none' if status is None else status}" for status, n in order)


def sent_rows(tally: RequestTally, since: float) -> list[SentRow]:
    """Return the requests sent since a time (seconds since the epoch), the latest first."""
    rows: dict[tuple[Asker, str], SentRow] = {}
    for each in tally.since(since):
        key = each.asker, _name(each)
        row = rows.get(key) or SentRow(*key, 0.0, 0.0, Counter())
        rows[key] = SentRow(
            *key,
            max(row.last, each.last),
            row.seconds + each.seconds,
            row.statuses + each.statuses,
        )
    return sorted(rows.values(), key=lambda row: row.last, reverse=True)


def _name(sent: Count) -> str:
    # The name of a request that no operation declares is its path, which holds what was typed.
    name = f"{sent.method} (raw)" if " " in sent.name else sent.name.replace("_", " ")
    return shorten(clean(name), NAME_CELLS)


WHY = {
    Why.KEY: "asked",
    Why.OUTBOX: "outbox",
    Why.VISIBLE: "shown",
    Why.AHEAD: "ahead",
    Why.POLLING: "poll",
}
"""Why something was sent, in a word."""

WHY_TOLD = (
    "asked: by a key, or as a screen opened   shown: for rows on screen   "
    "ahead: may come next   poll: is something new?"
)
"""What the words say."""


def budget_line(budget: Budget, now: datetime) -> str:
    """Return how many requests may still be sent, and when there are more again."""
    if budget.told and budget.remaining >= budget.limit >= ANY_NUMBER:
        return "There is no limit."
    left = f"{budget.remaining:,} of {plural(budget.limit, 'call')} left"
    if budget.reset is not None:
        left += f" until {time_or_date(budget.reset, now)}"
    return left if budget.told else f"{left}, counted here: the service does not say"
