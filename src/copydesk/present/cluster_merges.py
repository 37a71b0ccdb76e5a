"""The merges for a cluster: their weeks on its pulse, and whether they helped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich.text import Text

from copydesk.domain.text import listed, plural
from copydesk.domain.trend import FEW, Effect, Stretch, effects, week_of
from copydesk.session.cluster_rows import Merge

EFFECTS_SHOWN = 3
"""Merges of one cluster whose effect is told, the newest first."""


def merge_weeks(merges: Iterable[Merge], now: datetime, weeks: int) -> dict[int, list[Merge]]:
    """Return merges by week of the pulse, 0 the oldest. Those before it are left out."""
    found: dict[int, list[Merge]] = {}
    for merge in sorted(merges, key=lambda each: (each.at, each.id)):
        week = week_of(merge.at, now, weeks)
        if week is not None:
            found.setdefault(week, []).append(merge)
    return found


def helped(pulse: Sequence[float], merges: Iterable[Merge], now: datetime) -> list[Text]:
    """Return a line for each merge, the newest first: issues a week before and after it.

    `copydesk.domain.trend.effects` says which weeks count.
    """
    weeks = merge_weeks(merges, now, len(pulse))
    return [
        _line(effect, _names(weeks, effect.week), _names(weeks, effect.until), len(pulse))
        for effect in reversed(effects(pulse, weeks))
    ][:EFFECTS_SHOWN]


def _names(weeks: dict[int, list[Merge]], week: int | None) -> str:
    merges = weeks.get(week, ()) if week is not None else ()
    return listed(list(dict.fromkeys(merge.label for merge in merges)))


def _line(effect: Effect, names: str, until: str, weeks: int) -> Text:
    verb = "were" if "," in names or " and " in names else "was"
    ago = weeks - 1 - effect.week
    when = "this week" if ago == 0 else f"{plural(ago, 'week')} ago"
    ends = f"until {until}" if until else "since"
    before, after = effect.before, effect.after
    if after.weeks < FEW:
        said = f"{names} {verb} merged {when}: too few weeks {ends} to compare"
        return Text(f"{said} with {_rate(before)} before" if before.weeks else said)
    held = f"{ends} ({plural(after.weeks, 'week')})"
    if before.weeks < FEW:
        return Text(
            f"{names} {verb} merged {when}: {_rate(after)} {held}, too few weeks before to compare"
        )
    text = Text(f"{_rate(before)} before {names} {verb} merged, {_number(after)} {held}")
    change = effect.change
    if change is not None:
        percent = round(change * 100)
        tone = "good" if percent < 0 else "warn" if percent else "muted"
        text.append(": ").append(f"{percent:+,}%" if percent else "no change", style=tone)
    return text


def _rate(stretch: Stretch) -> str:
    return f"{_number(stretch)} a week"


def _number(stretch: Stretch) -> str:
    """Return issues a week in few digits: one place below ten, none above."""
    rate = stretch.rate
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}".removesuffix(".0")
