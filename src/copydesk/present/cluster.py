"""Clusters of issues as cells and sentences, and the effect of their merges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from rich.text import Text

from copydesk.domain.age import age
from copydesk.domain.filter import fold
from copydesk.domain.text import listed, plural
from copydesk.domain.trend import FEW, Effect, Stretch, effects, spark, week_of
from copydesk.present.facts import Fact, hint, readiness_text
from copydesk.session.cluster_rows import WEEKS, ClusterRow, Merge, RequestRow
from copydesk.session.glyphs import UNICODE, glyphs

SORTS: Mapping[str, str] = {
    "server": "as the view",
    "trend": "trend",
    "newest": "newest",
    "name": "name",
}
"""The orders that are computed here, from all clusters."""


def in_order(rows: Sequence[ClusterRow], sort: str, *, backwards: bool) -> list[ClusterRow]:
    """Return clusters in one of `SORTS`; ``server`` is the order of the service."""
    keys: dict[str, Callable[[ClusterRow], tuple[float | str, ...]]] = {
        "trend": lambda row: (-row.trend.rank, -row.issues),
        "newest": lambda row: (-(row.created.timestamp() if row.created else 0.0),),
        "name": lambda row: (fold(row.label),),
    }
    found = sorted(rows, key=keys[sort]) if sort in keys else list(rows)
    return found[::-1] if backwards else found


def chart(row: ClusterRow, top: float | None = None, marks: Collection[int] = ()) -> Text | str:
    """Return the pulse as a small chart; weeks without an issue are dim.

    In the weeks ``marks`` a merge happened: a sign replaces the bar, because the weeks on both
    sides of it are compared.
    """
    signs = glyphs()
    drawn = spark(row.pulse, top=top, ascii=signs.spark != UNICODE.spark)
    text = Text()
    for at, (week, cell) in enumerate(zip(row.pulse, drawn, strict=True)):
        if at in marks:
            text.append(signs.merged, style="strong")
        else:
            text.append(cell, style="accent" if week > 0 else "muted")
    return text


def digits_of(week: float) -> int:
    """Return the number of digits of a week's issues."""
    return len(_count(week))


def weeks(row: ClusterRow, width: int, marks: Collection[int] = (), last: int = WEEKS) -> Text:
    """Return the ``last`` weeks as numbers, right-aligned in ``width`` digits each, 0 for all.

    The sign of a merge follows the number of its week.
    """
    text = Text()
    for at, week in enumerate(row.pulse):
        if at < len(row.pulse) - last:
            continue
        count = _count(week).rjust(width) if width else f"{number(week):,}"
        text.append(count, style="" if week > 0 else "muted")
        if at in marks:
            text.append(glyphs().merged, style="strong")
        elif at + 1 < len(row.pulse):
            text.append(" ")
    return text


def _count(week: float) -> str:
    """Return a count in three cells at most."""
    if week < 999.5:
        return f"{week:.0f}"
    if week < 99_500:
        return f"{week / 1e3:.0f}k"
    return f".{min(9, week / 1e5):.0f}M" if week < 950_000 else f"{min(99, week / 1e6):.0f}M"


def number(count: float) -> int | float:
    """Return a count: whole ones without a decimal point."""
    return int(count) if count == int(count) else count


def trend_cell(row: ClusterRow) -> Text | str:
    """Return the trend; growing ones stand out, also without colour."""
    found = row.trend
    if found.text == "new" or found.text.startswith("+"):
        return Text(found.text, style="warn")
    return Text(found.text, style="good" if found.text.startswith("-") else "muted")


def requests_cell(open_requests: str | None, drafts: int = 0, merged: int = 0) -> Text:
    """Return the numbers of open change requests, drafts and merged ones.

    ``2 1d 3m``; zeros are left out. A dot stands for an unknown number.
    """
    if open_requests is None:
        return Text(glyphs().dot, style="muted")
    parts = [] if open_requests == "0" else [Text(open_requests, style="strong")]
    for count, letter in ((drafts, "d"), (merged, "m")):
        if count:
            parts.append(Text(f"{count}{letter}", style="muted"))
    return Text(" ").join(parts) if parts else Text("0", style="muted")


def cluster_facts(
    row: ClusterRow,
    now: datetime,
    requests: Sequence[RequestRow] | str | None,
    merges: Collection[Merge] = (),
    shown: Callable[[str], str] = str,
    more: str = "",
) -> list[Fact]:
    """Return the facts of a cluster.

    ``requests`` are None while they are read, and a sentence where they cannot be; ``more`` names
    those left out. ``shown`` masks what people wrote.
    """
    found = [Fact("", shown(row.summary) or Text("No summary.", style="muted"))]
    if lines := helped(row.pulse, merges, now):
        found.append(Fact(f"{glyphs().merged} merged", Text("\n").join(lines)))
    said = _requests(requests, now, shown)
    if more:
        said.append(f"\n{more}: gc lists them", style="muted")
    found.append(Fact("requests", said))
    sources = ", ".join(f"{shown(name)} {number(count)}" for name, count in row.sources)
    found.append(Fact("sources", sources or Text("not known", style="muted")))
    marks = merge_weeks(merges, now, len(row.pulse))
    found.append(Fact("weeks", weeks(row, 0, marks).append(f"   {_peak(row)}", style="muted")))
    times = ", ".join(
        f"{word} {'just now' if since == 'now' else since + ' ago'}"
        for word, moment in (("first seen", row.created), ("changed", row.updated))
        if (since := age(moment, now))
    )
    counts = f"{plural(row.issues, 'issue')} from {plural(row.conversations, 'conversation')}"
    found.append(Fact("holds", counts + (f" ({times})" if times else "")))
    if row.tasks:
        found.append(Fact("tasks", ", ".join(f"{number(n)} {name}" for name, n in row.tasks)))
    if row.address:
        found.append(Fact("app", Text(row.address, style="link")))
    return found


def _requests(
    requests: Sequence[RequestRow] | str | None, now: datetime, shown: Callable[[str], str]
) -> Text:
    if requests is None:
        return Text("reading…", style="muted")
    if isinstance(requests, str):
        return Text(requests, style="warn")
    if not requests:
        return hint("none yet   ctrl+n begins one")
    text = Text()
    for at, request in enumerate(requests):
        if at:
            text.append("\n")
        text.append(f"#{request.number} ", style="strong").append(shown(request.subject))
        text.append("   ")
        ready = request.ready
        if ready is None:
            text.append("open   reading its rules…", style="muted")
        else:
            # Rules that pass need no words here.
            text.append_text(
                readiness_text(replace(ready, why="") if ready.tone == "good" else ready)
            )
        if request.status == "merged" and (since := age(request.changed, now)):
            text.append(" just now" if since == "now" else f" {since} ago", style="muted")
    return text


def _peak(row: ClusterRow) -> str:
    top = max(row.pulse, default=0)
    if top <= 0:
        return "nothing in 13 weeks"
    ago = len(row.pulse) - 1 - max(at for at, week in enumerate(row.pulse) if week == top)
    return "peak this week" if ago == 0 else f"peak {plural(ago, 'week')} ago"


EFFECTS_SHOWN = 3
"""The number of merges whose effect is described, the newest first."""


def merge_weeks(merges: Iterable[Merge], now: datetime, weeks: int) -> dict[int, list[Merge]]:
    """Return merges by week of the pulse, 0 the oldest, without earlier ones."""
    found: dict[int, list[Merge]] = {}
    for merge in sorted(merges, key=lambda each: (each.at, each.id)):
        week = week_of(merge.at, now, weeks)
        if week is not None:
            found.setdefault(week, []).append(merge)
    return found


def helped(pulse: Sequence[float], merges: Iterable[Merge], now: datetime) -> list[Text]:
    """Return a line per merge, the newest first: issues per week before and after it.

    `copydesk.domain.trend.effects` chooses the weeks.
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
