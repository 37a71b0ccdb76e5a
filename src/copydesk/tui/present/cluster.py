"""Clusters of issues as cells and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.domain.filter import fold
from copydesk.domain.text import clean, plural
from copydesk.domain.trend import Trend, spark, trend
from copydesk.tui.glyphs import UNICODE, glyphs
from copydesk.tui.widgets.facts import Fact

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.cluster import IssuesCluster

WEEKS = 13
"""Weeks of a pulse (platform-api.md, Issues cluster)."""

SORTS: Mapping[str, str] = {
    "server": "as the view",
    "trend": "trend",
    "newest": "newest",
    "name": "name",
}
"""Orders that are made here, from all clusters."""


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """One cluster; texts are clean."""

    id: str
    label: str
    summary: str
    pulse: tuple[float, ...]
    issues: int
    conversations: int
    sources: tuple[tuple[str, float], ...]
    created: datetime | None
    updated: datetime | None
    address: str

    @property
    def trend(self) -> Trend:
        """Whether it grows."""
        return trend(self.pulse, self.issues)


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One change request of a cluster."""

    id: str
    space: str
    number: int
    subject: str
    status: str


def cluster_row(cluster: IssuesCluster) -> ClusterRow:
    """Return the row of a cluster. A short pulse is filled up with empty weeks before it."""
    pulse = tuple(cluster.weekly_pulse)[-WEEKS:]
    label = clean(cluster.label).strip() or "Untitled"
    return ClusterRow(
        cluster.id,
        label,
        clean(cluster.summary or "", lines=True, limit=4_000).strip(),
        (0,) * (WEEKS - len(pulse)) + pulse,
        cluster.stats.issues,
        cluster.stats.conversations,
        tuple(
            (clean(name).strip() or "unknown", count)
            for name, count in sorted(cluster.sources.items(), key=lambda pair: -pair[1])
        ),
        cluster.created_at,
        cluster.updated_at,
        web_address(cluster.urls.app),
    )


def in_order(rows: Sequence[ClusterRow], sort: str, *, backwards: bool) -> list[ClusterRow]:
    """Return clusters in one of `SORTS`; ``server`` is the order in which they came."""
    keys: dict[str, Callable[[ClusterRow], tuple[float | str, ...]]] = {
        "trend": lambda row: (-row.trend.rank, -row.issues),
        "newest": lambda row: (-(row.created.timestamp() if row.created else 0.0),),
        "name": lambda row: (fold(row.label),),
    }
    found = sorted(rows, key=keys[sort]) if sort in keys else list(rows)
    return found[::-1] if backwards else found


def matching(text: str) -> Callable[[ClusterRow], bool]:
    """Return whether a cluster has all the words of a text in its name or summary."""
    words = fold(text).split()

    def match(row: ClusterRow) -> bool:
        said = fold(f"{row.label} {row.summary}")
        return all(word in said for word in words)

    return match


def request_row(request: ChangeRequest) -> RequestRow:
    """Return the row of a change request."""
    subject = clean(request.subject).strip() or "No subject"
    return RequestRow(
        request.id, request.space, request.number, subject, clean(str(request.status))
    )


def chart(row: ClusterRow, top: float | None = None) -> Text | str:
    """Return the pulse as a small chart; weeks without an issue are dim."""
    ascii_form = glyphs().spark != UNICODE.spark
    drawn = spark(row.pulse, top=top, ascii=ascii_form)
    text = Text()
    for week, cell in zip(row.pulse, drawn, strict=True):
        text.append(cell, style="accent" if week > 0 else "muted")
    return text


def number_width(rows: Sequence[ClusterRow]) -> int:
    """Return how many digits the largest week of some clusters needs."""
    return max((len(_count(week)) for row in rows for week in row.pulse), default=1)


def weeks(row: ClusterRow, width: int) -> Text:
    """Return the pulse as numbers, right-aligned in ``width`` digits each."""
    text = Text()
    for at, week in enumerate(row.pulse):
        if at:
            text.append(" ")
        text.append(_count(week).rjust(width), style="" if week > 0 else "muted")
    return text


def _count(week: float) -> str:
    return f"{week:.0f}" if week < 1e6 else "1e6+"


def trend_cell(row: ClusterRow) -> Text | str:
    """Return the trend; growing ones stand out, also without colour by their sign."""
    found = row.trend
    if found.text == "new" or found.text.startswith("+"):
        return Text(found.text, style="warn")
    return Text(found.text, style="good" if found.text.startswith("-") else "muted")


def requests_cell(open_requests: str | None) -> Text | str:
    """Return how many open change requests there are; a dot while that is not known."""
    if open_requests is None:
        return Text(glyphs().dot, style="muted")
    return Text("0", style="muted") if open_requests == "0" else Text(open_requests, "strong")


def updated(row: ClusterRow, now: datetime) -> str:
    """Return how long ago it last changed."""
    return age(row.updated, now)


def cluster_facts(
    row: ClusterRow, now: datetime, requests: Sequence[RequestRow] | None, hidden: str | None = None
) -> list[Fact]:
    """Return what to know about a cluster. ``hidden`` replaces the summary where it is masked."""
    summary = row.summary if hidden is None else hidden
    found = [Fact("", summary or Text("No summary.", style="muted"))]
    sources = ", ".join(f"{name} {count:g}" for name, count in row.sources)
    found.append(Fact("sources", sources or Text("not known", style="muted")))
    found.append(Fact("requests", _requests(requests)))
    found.append(Fact("weeks", weeks(row, 1).append(f"   {_peak(row)}", style="muted")))
    times = ", ".join(
        f"{word} {since if since == 'now' else since + ' ago'}"
        for word, moment in (("first", row.created), ("last", row.updated))
        if (since := age(moment, now))
    )
    counts = f"{plural(row.issues, 'issue')} from {plural(row.conversations, 'conversation')}"
    found.append(Fact("holds", counts + (f" ({times})" if times else "")))
    if row.address:
        found.append(Fact("app", Text(row.address, style="link")))
    return found


def _requests(requests: Sequence[RequestRow] | None) -> Text:
    if requests is None:
        return Text("reading…", style="muted")
    if not requests:
        return Text("none yet   ctrl+n begins one", style="muted")
    text = Text()
    for at, request in enumerate(requests):
        if at:
            text.append("\n")
        text.append(f"#{request.number} ", style="strong").append(request.subject)
        text.append(f"  {request.status}", style="good" if request.status == "merged" else "muted")
    return text


def _peak(row: ClusterRow) -> str:
    top = max(row.pulse, default=0)
    if top <= 0:
        return "nothing in 13 weeks"
    ago = len(row.pulse) - 1 - max(at for at, week in enumerate(row.pulse) if week == top)
    return "peak this week" if ago == 0 else f"peak {plural(ago, 'week')} ago"
