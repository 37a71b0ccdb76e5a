"""The thirteen weeks of a cluster: whether it grows, whether a merge helped, its small chart.

The pulse counts issues per week, oldest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import floor, inf

from copydesk.domain.late_dataclass import dataclass

WEEKS = 4
"""How many weeks are held against as many before them."""

FEWEST = 5
"""Issues below which a percentage would say more than is known."""

FEW = 2
"""Weeks below which one side of a merge is too short to be held against the other."""

_BARS = "▁▂▃▄▅▆▇█"
_SIGNS = ":|#"

MOST = 1e12
"""The highest count that is told apart: sums and ratios of weeks stay finite."""


@dataclass(frozen=True, slots=True)
class Trend:
    """How a cluster moves: ``text`` for people, ``rank`` to sort by, growing ones highest.

    ``percent`` is None where there is none to tell.
    """

    text: str
    rank: float
    percent: int | None = None


def trend(pulse: Sequence[float], issues: int) -> Trend:
    """Return the last four weeks against the four before: "+122%", "-71%", "0%" or "new".

    It is "new" when the earlier weeks had none, and empty when the cluster holds under five issues.
    """
    weeks = [sane(value) for value in pulse]
    late, early = sum(weeks[-WEEKS:]), sum(weeks[-2 * WEEKS : -WEEKS])
    if issues < FEWEST:
        return Trend("", -inf)
    if not early:
        return Trend("new", inf) if late else Trend("0%", 0.0, 0)
    change = min((late - early) / early, MOST)  # a sliver of a count divides to infinity
    percent = floor(change * 100 + 0.5)
    return Trend(f"{percent:+,}%" if percent else "0%", change, percent)


def spark(pulse: Sequence[float], *, top: float | None = None, ascii: bool = False) -> str:  # noqa: A002 - the name of the glyph set
    """Return the pulse as one cell per week.

    ``top`` is the value of a full cell: the row's own top when None, one value for all rows to
    compare them. Zero is the lowest bar and anything above it at least one step higher, so that a
    gap shows. ``ascii`` uses ``. : | #``.
    """
    weeks = [sane(value) for value in pulse]
    height = max(weeks, default=0.0) if top is None else sane(top)
    cells: list[str] = []
    for week in weeks:
        if not week or not height:
            cells.append("." if ascii else _BARS[0])
            continue
        share = min(week / height, 1.0)
        if ascii:
            cells.append(_SIGNS[floor(share * 2 + 0.5)])
        else:
            cells.append(_BARS[max(1, floor(share * 7 + 0.5))])
    return "".join(cells)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Weeks in a row, and the issues in them."""

    weeks: int
    issues: float

    @property
    def rate(self) -> float:
        """Issues a week."""
        return self.issues / self.weeks if self.weeks else 0.0


@dataclass(frozen=True, slots=True)
class Effect:
    """What came before a merge and after it. ``week`` counts from 0, the oldest of the pulse.

    ``until`` is the week of the merge that ends what came after; None when nothing does.
    """

    week: int
    before: Stretch
    after: Stretch
    until: int | None = None

    @property
    def change(self) -> float | None:
        """By what share the rate changed; None when too little is known to say."""
        sides = (self.before, self.after)
        if any(side.weeks < FEW for side in sides) or not self.before.issues:
            return None
        if sum(side.issues for side in sides) < FEWEST:
            return None
        return min(self.after.rate / self.before.rate, MOST) - 1


def week_of(moment: datetime, now: datetime, weeks: int) -> int | None:
    """Return in which of the past ``weeks`` a moment was, 0 the oldest; None for an earlier one.

    The latest week is the seven days before ``now``, as the embedded desk counts them. A date later
    than now counts to the latest week.
    """
    at = weeks - 1 - max(0, (now - moment) // timedelta(weeks=1))
    return at if at >= 0 else None


def effects(pulse: Sequence[float], merges: Iterable[int]) -> list[Effect]:
    """Return what came before and after each week in which something was merged, oldest first.

    The week of a merge counts for neither side: nobody knows which of its issues came before. What
    came before are at most the `WEEKS` weeks up to it, what came after are all weeks since. Both
    end at another merge, whose week counts for neither again. A side with fewer than `FEW` weeks
    is told but not compared. The latest week counts as a whole one.
    """
    weeks = [sane(value) for value in pulse]
    found: list[Effect] = []
    marks = sorted({week for week in merges if 0 <= week < len(weeks)})
    for at, week in enumerate(marks):
        first = max(week - WEEKS, marks[at - 1] + 1 if at else 0, 0)
        until = marks[at + 1] if at + 1 < len(marks) else None
        before, after = weeks[first:week], weeks[week + 1 : until]
        found.append(
            Effect(week, Stretch(len(before), sum(before)), Stretch(len(after), sum(after)), until)
        )
    return found


def sane(value: float) -> float:
    """Return a finite, non-negative count that can be drawn; 0 for anything else."""
    return float(min(value, MOST)) if 0 < value < inf else 0.0
