"""What was sent to the service in the last minutes, and what it still allows, as rows and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.domain.cause import Asker
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.ages import moment

if TYPE_CHECKING:
    from copydesk.client.budget import Budget
    from copydesk.client.wire import Sent

NAME_CELLS = 60
"""The longest name of a request that is shown."""


@dataclass(frozen=True, slots=True)
class SentRow:
    """The requests of one name that were sent for one screen for the same reason."""

    asker: Asker
    name: str
    count: int
    last: float
    """When the last of them ended, in seconds since the epoch."""
    seconds: float
    """How long they took on the average."""
    answers: tuple[str, ...]
    """The statuses, the most frequent first; "none" where no answer came."""

    @property
    def id(self) -> str:
        """What tells it from the other rows."""
        return f"{self.asker.screen} {self.asker.why} {self.name}"

    @property
    def good(self) -> bool:
        """Whether each was answered, and none refused."""
        return all(status.startswith("2") for status in self.answers)


def sent_rows(sent: Iterable[Sent], since: float) -> list[SentRow]:
    """Return what was sent since a time (seconds since the epoch), the latest first."""
    groups: dict[tuple[Asker, str], list[Sent]] = {}
    for each in sent:
        if each.at >= since:
            key = each.asker, _name(each)
            groups[key] = [*groups.pop(key, ()), each]  # what is sent last comes last
    return [
        SentRow(
            asker,
            name,
            len(each),
            each[-1].at,
            sum(one.seconds for one in each) / len(each),
            _answers(each),
        )
        for (asker, name), each in reversed(groups.items())
    ]


def _name(sent: Sent) -> str:
    # The name of a request that no operation declares is its path, which holds what was typed.
    name = f"{sent.method} (raw)" if " " in sent.name else sent.name
    return shorten(clean(name), NAME_CELLS)


def _answers(sent: Iterable[Sent]) -> tuple[str, ...]:
    counted = Counter("none" if each.status is None else str(each.status) for each in sent)
    return tuple(status for status, _ in counted.most_common())


def budget_line(budget: Budget, now: datetime) -> str:
    """Return how many requests may still be sent, and when there are more again."""
    left = f"{budget.remaining:,} of {plural(budget.limit, 'request')} left"
    if budget.reset is not None:
        left += f" until {moment(budget.reset, now)}"
    return left if budget.told else f"{left}, counted here: the service does not say"
