"""Clusters of issues as cells and sentences, and the effect of their merges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import inf

from rich.text import Text

from copydesk.domain.filter import fold
from copydesk.domain.moments import age, told_ago
from copydesk.domain.text import listed, plural
from copydesk.domain.trend import FEW, Effect, Rate, Ratio, Stretch, effects, spark, week_of
from copydesk.present.change_request import readiness_text
from copydesk.present.conversation import shown_address
from copydesk.present.facts import Fact, hint
from copydesk.session.cluster_rows import WEEKS, ClusterMerge, ClusterRow, RequestRow, shown
from copydesk.session.glyphs import UNICODE, glyphs

SORTS: Mapping[str, str] = {
    "trend": "trend: what grows most",
    "newest": "newest",
    "name": "name",
}
"""The orders that are computed here, from all clusters."""

VIEWS: Mapping[str, str] = {
    "all": "All",
    "new": "New",
    "grows": "Growing",
    "helped": "Helped",
    "untaken": "Not taken",
    "closed": "Closed",
}
"""The views of the clusters by their names: all, with those that are closed in one of their own."""

VIEWS_MEAN: Mapping[str, str] = {
    "new": "the first issue came in the last 7 days",
    "grows": "more this week than usual, beyond chance",
    "helped": "fewer since a change request for it was merged, beyond chance",
    "untaken": "no one has an open change request or a draft for it",
    "closed": "closed by hand: takes no new issues",
}
"""What is in a view."""

ALL_CLOSED = f"All of them are closed: {list(VIEWS).index('closed') + 1} shows these."
"""What to say where no cluster is open."""


def none_yet(under_way: str = "", message: str = "") -> str:
    """Return what belongs where clusters would be, and how to begin.

    ``under_way`` says how far the search for them is, ``message`` why there is none.
    """
    if under_way:
        return f"No clusters yet: {under_way}. They appear here by themselves."
    said = (
        "No clusters yet. What people struggle with shows here, by week, once conversations are "
        "sent in: by an integration, or with “copydesk conversations send tickets.csv”."
    )
    return f"{said} {message}" if message else f"{said} c in :issues makes one by hand."


def none_in(meant: str, noun: str = "cluster") -> str:
    """Return what to say where a view is empty, of which it is said what it means."""
    return f"No {noun} in this view: {meant}. 1 shows all."


def is_new(row: ClusterRow) -> bool:
    """Whether the first issue of a cluster came in the latest week."""
    return row.rate.move == "new" and row.issues <= row.pulse[-1]


def has_helped(row: ClusterRow, merges: Iterable[ClusterMerge], now: datetime) -> bool:
    """Whether there were fewer issues since one of the merges, beyond chance."""
    weeks = merge_weeks(merges, now, len(row.pulse))
    return any(effect.helped for effect in effects(row.pulse, weeks))


def in_view(
    row: ClusterRow, view: str, merges: Iterable[ClusterMerge], now: datetime, *, taken: bool | None
) -> bool:
    """Whether a cluster is in one of `VIEWS`; ``taken`` is None where that is not known."""
    if (view == "closed") != (row.closed is not None):
        return False
    match view:
        case "new":
            return is_new(row)
        case "grows":
            return row.rate.move == "grows"
        case "helped":
            return has_helped(row, merges, now)
        case "untaken":
            return taken is False
    return True


def in_order(rows: Sequence[ClusterRow], sort: str, *, backwards: bool) -> list[ClusterRow]:
    """Return clusters in one of `SORTS`, or the most ``found`` first; else as they came."""
    keys: dict[str, Callable[[ClusterRow], tuple[float | str, ...]]] = {
        "trend": lambda row: (-row.rate.rank, -row.issues),
        "newest": lambda row: (-(row.seen.timestamp() if row.seen else 0.0),),
        "name": lambda row: (fold(row.label),),
        "found": lambda row: (-(row.found or 0), -row.issues),
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


def trend_cell(row: ClusterRow) -> Text:
    """Return what this week is against the usual."""
    return rate_cell(row.rate)


def rate_cell(rate: Rate) -> Text:
    """Return this week against the usual in six cells: "x2.8" where that is beyond chance."""
    match rate.move:
        case "falls" if not rate.week:
            return Text("none", "good")
        case "grows" | "falls" if rate.ratio is not None:
            return Text(
                f"x{_factor(rate.ratio.factor)}", "warn" if rate.move == "grows" else "good"
            )
        case "new":
            return Text("new", "warn")
        case "steady":
            return Text("usual", "muted")
    return Text("few", "muted")


def rate_told(_row: object, said: str) -> str:
    """Return what a cell of a rate says in words."""
    told = {
        "none": "none this week",
        "new": "new this week",
        "usual": "as many as usual",
        "few": "",
    }
    return f"{said[1:]} times as many as usual" if said[:1] == "x" else told.get(said, said)


def rate_said(rate: Rate) -> str:
    """Return this week against the usual as a sentence, with how sure that is."""
    week, usual = _short(rate.week), _short(rate.usual)
    if rate.move == "new":
        return f"{week}, none before"
    said = f"{week}, usually {usual}"
    if rate.ratio is None or rate.move == "few":
        return f"{said}: too few to tell" if rate.weeks else "nothing yet"
    way = "" if rate.move in ("grows", "falls") else ": as usual"
    return f"{said}{way} ({ratio_said(rate.ratio)})"


def ratio_said(found: Ratio) -> str:
    """Return a ratio with its interval: "x2.8, 1.4 to 5.6"."""
    if found.factor == inf:
        return f"at least x{_factor(found.low)}"
    return f"x{_factor(found.factor)}, {_factor(found.low)} to {_factor(found.high)}"


def _factor(value: float) -> str:
    """Return a factor in four cells at most: two digits below ten."""
    if value >= 9.95:
        return f"{value:.0f}" if value < 999.5 else f"{min(9, value / 1e3):.0f}k+"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def _short(count: float) -> str:
    """Return a count or a rate in few digits: one place below ten, none above."""
    return f"{count:,.0f}" if count >= 10 else f"{count:.1f}".removesuffix(".0")


def week_heading(now: datetime) -> str:
    """Return the first and the last day of the weeks of a chart: as wide as 13 weeks."""
    return _days(now, WEEKS)


def requests_cell(open_requests: str | None, drafts: int = 0, merged: int = 0) -> Text:
    """Return the numbers of open change requests, drafts and merged ones.

    ``2o 1d 3m``; zeros are left out. A dot stands for an unknown number.
    """
    if open_requests is None:
        return Text(glyphs().dot, style="muted")
    known = open_requests != "0" and open_requests != "-"
    parts = [Text(f"{open_requests}o", style="strong")] if known else []
    for count, letter in ((drafts, "d"), (merged, "m")):
        if count:
            parts.append(Text(f"{count}{letter}", style="muted"))
    return Text(" ").join(parts) if parts else Text(open_requests[:1], style="muted")


_STATES = {"o": "open", "d": "draft", "m": "merged"}


def requests_told(_row: object, said: str) -> str:
    """Return what a cell of change requests says in words."""
    told = [f"{each[:-1]} {_STATES[each[-1]]}" for each in said.split() if each[-1] in _STATES]
    return f"change requests: {listed(told)}" if told else ""


def cluster_facts(
    row: ClusterRow,
    now: datetime,
    requests: Sequence[RequestRow] | str | None = None,
    merges: Collection[ClusterMerge] = (),
    more: str = "",
    *,
    masked: bool = True,
    lists_requests: bool = True,
) -> list[Fact]:
    """Return the facts of a cluster; personal data in what people wrote is ``masked`` on demand.

    ``requests`` are None while they are read, and a sentence where they cannot be; ``more`` names
    those left out. Where no one reads them, ``lists_requests`` is false.
    """
    hide = partial(shown, masked=masked)
    found = [Fact("this week", rate_said(row.rate))]
    if row.found is not None:
        told = "".join(row.hit or ())
        count = f"{row.found} of {plural(row.conversations, 'conversation')}"
        found.insert(0, Fact("found", f"{count}: {hide(told)}" if told else count))
    if lines := helped(row.pulse, merges, now):
        found.append(Fact(f"{glyphs().merged} merged", Text("\n").join(lines)))
    if lists_requests:
        answers = _requests(requests, now, hide)
        if more:
            answers.append("\n").append_text(hint(f"{more}: gc lists them"))
        found.append(Fact("requests", answers))
    sources = ", ".join(f"{hide(name)} {number(count)}" for name, count in row.sources)
    found.append(Fact("sources", sources or Text("not known", style="muted")))
    marks = merge_weeks(merges, now, len(row.pulse))
    found.append(Fact("weeks", weeks(row, 0, marks).append(f"   {_peak(row, now)}", style="muted")))
    found.append(Fact("", hide(row.summary) or Text("No summary.", style="muted")))
    times = ", ".join(
        f"{word} {when}"
        for word, moment in (("first seen", row.seen), ("changed", row.updated))
        if (when := told_ago(moment, now))
    )
    counts = f"{plural(row.issues, 'issue')} from {plural(row.conversations, 'conversation')}"
    found.append(Fact("holds", counts + (f" ({times})" if times else "")))
    if row.closed is not None:
        found.append(Fact("closed", told_ago(row.closed, now)))
    found += [
        Fact("history" if nth == 0 else "", f"{word} {hide(label)} {told_ago(at, now)}".strip())
        for nth, (word, label, at) in enumerate(
            (KINDS.get(kind, kind), label, at) for kind, label, at in row.history
        )
    ]
    if row.tasks:
        found.append(Fact("tasks", ", ".join(f"{number(n)} {name}" for name, n in row.tasks)))
    if row.address:
        address = shown_address(row.address, masked=masked)
        found.append(Fact("app", Text(address, style="link")))
    return found


KINDS: Mapping[str, str] = {"joined": "joined with", "split": "split off"}
"""What became of a cluster, in words before the name of the other."""


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
                readiness_text(
                    replace(ready, why="") if ready.tone == "good" else ready, keys=False
                )
            )
        if request.status == "merged" and (since := age(request.changed, now)):
            text.append(" just now" if since == "now" else f" {since} ago", style="muted")
    return text


def _peak(row: ClusterRow, now: datetime) -> str:
    top = max(row.pulse, default=0)
    if top <= 0:
        return "nothing in 13 weeks"
    ago = len(row.pulse) - 1 - max(at for at, week in enumerate(row.pulse) if week == top)
    return "peak this week" if ago == 0 else f"peak {_days(now - timedelta(weeks=ago), 1)}"


def _days(until: datetime, weeks: int) -> str:
    """Return the first and the last day of weeks, which end at a time: "27 Oct-3 Nov"."""
    first, last = (until - timedelta(weeks=weeks)).astimezone(), until.astimezone()
    return f"{first.day} {first:%b}-{last.day} {last:%b}"


EFFECTS_SHOWN = 3
"""The number of merges whose effect is described, the newest first."""


def merge_weeks(
    merges: Iterable[ClusterMerge], now: datetime, weeks: int
) -> dict[int, list[ClusterMerge]]:
    """Return merges by week of the pulse, 0 the oldest, without earlier ones."""
    found: dict[int, list[ClusterMerge]] = {}
    for merge in sorted(merges, key=lambda each: (each.at, each.id)):
        week = week_of(merge.at, now, weeks)
        if week is not None:
            found.setdefault(week, []).append(merge)
    return found


def helped(pulse: Sequence[float], merges: Iterable[ClusterMerge], now: datetime) -> list[Text]:
    """Return a line per merge, the newest first: issues per week before and after it.

    `copydesk.domain.trend.effects` chooses the weeks.
    """
    weeks = merge_weeks(merges, now, len(pulse))
    return [
        _line(effect, _names(weeks, effect.week), _names(weeks, effect.until), len(pulse))
        for effect in reversed(effects(pulse, weeks))
    ][:EFFECTS_SHOWN]


def _names(weeks: dict[int, list[ClusterMerge]], week: int | None) -> str:
    merges = weeks.get(week, ()) if week is not None else ()
    return listed(list(dict.fromkeys(merge.label for merge in merges)))


def _line(effect: Effect, names: str, until: str, weeks: int) -> Text:
    verb = "were" if "," in names or " and " in names else "was"
    ago = weeks - 1 - effect.week
    when = "this week" if ago == 0 else f"{plural(ago, 'week')} ago"
    ends = f"until {until}" if until else "since"
    before, after = effect.before, effect.after
    if not after.weeks:
        said = f"{names} {verb} merged {when}: no whole week {ends} to compare"
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
        if effect.ratio is not None:
            text.append(_percents(effect.ratio), style="muted")
    return text


def _percents(found: Ratio) -> str:
    """Return between which percentages a change probably is."""
    low, high = (round((each - 1) * 100) for each in (found.low, found.high))
    unsure = "" if found.high < 1 or found.low > 1 else ", may be chance"
    return f" ({low:+,}% to {high:+,}%{unsure})"


def _rate(stretch: Stretch) -> str:
    return f"{_number(stretch)} a week"


def _number(stretch: Stretch) -> str:
    """Return issues a week."""
    return _short(stretch.rate)
