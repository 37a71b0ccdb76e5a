"""The thirteen weeks of a cluster: whether it grows, and its small chart.

The pulse counts issues per week, oldest first (platform-api.md, Issues cluster).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite

WEEKS = 4
"""How many weeks are held against as many before them."""

FEWEST = 5
"""Issues below which a percentage would say more than is known."""

_BARS = "▁▂▃▄▅▆▇█"
_SIGNS = ":|#"

MOST = 1e12
"""The highest count that is told apart: sums and ratios of weeks stay finite."""


@dataclass(frozen=True, slots=True)
class Trend:
    """How a cluster moves: ``text`` for people, ``rank`` to sort by, growing ones highest."""

    text: str
    rank: float


def trend(pulse: Sequence[float], issues: int) -> Trend:
    """Return the last four weeks against the four before: "+122%", "-71%", "0%" or "new".

    It is "new" when the earlier weeks had none, and empty when the cluster holds under five issues.
    """
    weeks = [_count(value) for value in pulse]
    late, early = sum(weeks[-WEEKS:]), sum(weeks[-2 * WEEKS : -WEEKS])
    if issues < FEWEST:
        return Trend("", -inf)
    if not early:
        return Trend("new", inf) if late else Trend("0%", 0.0)
    change = min((late - early) / early, MOST)  # a sliver of a count divides to infinity
    percent = floor(change * 100 + 0.5)
    return Trend(f"{percent:+,}%" if percent else "0%", change)


def spark(pulse: Sequence[float], *, top: float | None = None, ascii: bool = False) -> str:  # noqa: A002 - the name of the glyph set
    """Return the pulse as one cell per week.

    ``top`` is the value of a full cell: the row's own top when None, one value for all rows to
    compare them. Zero is the lowest bar and anything above it at least one step higher, so that a
    gap shows. ``ascii`` uses ``. : | #``.
    """
    weeks = [_count(value) for value in pulse]
    height = max(weeks, default=0.0) if top is None else _count(top)
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


def _count(value: float) -> float:
    """Read a week leniently: what is no count is none, and no count is astronomic."""
    return min(float(value), MOST) if value > 0 and isfinite(value) else 0.0
