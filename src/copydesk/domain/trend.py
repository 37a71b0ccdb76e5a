"""The thirteen weeks of a cluster: whether it grows, whether a merge helped, its small chart.

The pulse counts issues per week, oldest first. A rate is held against another with an interval
that has the true ratio in it 9 times of 10: few issues say little, and that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from math import exp, floor, inf, lgamma, log, log1p, sqrt
from typing import Literal

from copydesk.domain.late_dataclass import dataclass

WEEKS = 4
"""How many weeks are held against as many before them."""

FEWEST = 5
"""Issues below which a percentage would say more than is known."""

FEW = 2
"""Weeks before a merge below which they are too few to hold the weeks since against them."""

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


TAIL = 0.05
"""The share of cases in which the true ratio is below an interval, and in which it is above."""

_NORMAL = 1.6448536269514722
"""The number of standard deviations beyond which `TAIL` of a normal distribution is."""

_EXACT = 500
"""Issues up to which the interval is exact; of more, the normal approximation differs by a hair."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times one rate is another, and between what the truth probably is.

    ``factor`` and ``high`` are infinite where there was nothing to compare with.
    """

    factor: float
    low: float
    high: float


def ratio(count: float, of: float, before: float, before_of: float) -> Ratio | None:
    """Return how many times ``count`` in ``of`` weeks is the rate of ``before`` in ``before_of``.

    Both are finite, and taken for counts of chance events (Poisson). Given their sum, the first
    is binomial: its exact interval (Clopper and Pearson) is that of the ratio. None where neither
    has any.
    """
    now, then = round(count), round(before)
    if not now + then or of <= 0 or before_of <= 0:
        return None
    low, high = _odds(now, then)
    scale = before_of / of
    return Ratio(now / then * scale if then else inf, low * scale, high * scale)


@lru_cache(maxsize=20_000)
def _odds(now: int, then: int) -> tuple[float, float]:
    """Return the interval of the ratio of two counts over equally long times."""
    if now + then > _EXACT:
        # The logarithm of the ratio is nearly normal; a half in place of 0 keeps it finite.
        middle = log(max(now, 0.5) / max(then, 0.5))
        spread = _NORMAL * sqrt(1 / max(now, 0.5) + 1 / max(then, 0.5))
        low, high = exp(middle - spread), exp(middle + spread)
        return (low if now else 0.0), (high if then else inf)
    low = _quantile(TAIL, now, then + 1) if now else 0.0
    high = _quantile(1 - TAIL, now + 1, then) if then else 1.0
    return low / (1 - low), high / (1 - high) if then else inf


def _quantile(share: float, a: int, b: int) -> float:
    """Return below what a beta distribution has ``share`` of itself: Newton's steps, kept inside.

    Where a step leaves the interval that is left, its half is taken.
    """
    low, high, x = 0.0, 1.0, a / (a + b)
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)
    for _ in range(60):
        off = _beta(x, a, b) - share
        low, high = (x, high) if off < 0 else (low, x)
        slope = exp(scale + (a - 1) * log(x) + (b - 1) * log1p(-x))
        step = x - off / slope if slope else 0.0
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) < 1e-9 * x:
            return following
        x = following
    return x


def _beta(x: float, a: int, b: int) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 200):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _off_zero(1 + part * d)
            c = _off_zero(1 + part / c)
            total *= c * d
        if abs(c * d - 1) < 1e-10:
            break
    return front * total


def _off_zero(value: float) -> float:
    return value if abs(value) > 1e-30 else 1e-30


Move = Literal["new", "grows", "falls", "steady", "few"]
"""What a rate does: "new" has no week before this one, "few" are too few issues to tell."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The issues of this week against the usual number in a week.

    The usual is that of the weeks since the first with an issue, 12 at most; ``weeks`` is how many
    these are.
    """

    week: float
    usual: float
    weeks: int
    ratio: Ratio | None

    @property
    def move(self) -> Move:
        """What it does, as far as that is beyond chance."""
        found = self.ratio
        if not self.weeks:
            return "new" if self.week else "few"
        if found is None or self.week + self.usual * self.weeks < FEWEST:
            return "few"
        if found.low > 1:
            return "grows"
        return "falls" if found.high < 1 else "steady"

    @property
    def rank(self) -> float:
        """What to sort by: what grows for sure is highest, then what is new, steady, few, falls.

        Among those that grow it is the least that the growth may be: 2 against 1 is below 40
        against 20.
        """
        if self.move == "grows" and self.ratio is not None:
            return 2 + self.ratio.low
        if self.move == "falls" and self.ratio is not None:
            return self.ratio.high - 1
        return {"new": 2.0, "steady": 1.0}.get(self.move, 0.5)


def rate(pulse: Sequence[float]) -> Rate:
    """Return the latest week against the usual."""
    weeks = [sane(value) for value in pulse]
    week, before = (weeks[-1], weeks[:-1]) if weeks else (0.0, [])
    first = next((at for at, each in enumerate(before) if each), len(before))
    before = before[first:]
    usual = sum(before) / len(before) if before else 0.0
    return Rate(week, usual, len(before), ratio(week, 1, sum(before), len(before) or 1))


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
    def ratio(self) -> Ratio | None:
        """How many times the rate after is the one before; None when too little is known."""
        if self.change is None:
            return None
        after, before = self.after, self.before
        return ratio(after.issues, after.weeks, before.issues, before.weeks)

    @property
    def helped(self) -> bool:
        """Whether there were fewer issues after it than chance explains."""
        found = self.ratio
        return found is not None and found.high < 1

    @property
    def change(self) -> float | None:
        """By what share the rate changed; None when too little is known to say."""
        if self.before.weeks < FEW or not self.after.weeks or not self.before.issues:
            return None
        if self.before.issues + self.after.issues < FEWEST:
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
    end at another merge, whose week counts for neither again. Fewer than `FEW` weeks before are
    told but not compared; one week after is, as its interval says how little it may mean. The
    latest week counts as a whole one.
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
