"""Findings as a table for spreadsheets and as values for scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.domain.trend import sane, trend
from copydesk.present.cluster import number
from copydesk.present.cluster_tables import week_starts
from copydesk.present.finding import kind_text, told
from copydesk.present.spreadsheet import Cell, day, table
from copydesk.session.cluster_rows import WEEKS

if TYPE_CHECKING:
    from copydesk.contract.models.finding import SiteFinding


@dataclass(frozen=True, slots=True)
class FindingEntry:
    """A finding with the title of its site, and what is counted of it.

    ``views`` are those of its pages in four weeks, None where they are not known, and ``pulse`` how
    often it was asked about in each of 13 weeks, empty where that is not known.
    """

    model: SiteFinding
    site: str
    views: int | None = None
    pulse: Sequence[float] = ()


def findings_table(rows: Sequence[FindingEntry], now: datetime, hide: Callable[[str], str]) -> str:
    """Return findings as CSV, one line each; ``hide`` masks what is masked on screen."""
    headings = [
        *("finding", "kind", "severity", "status", "asked", "change requests"),
        *("trend in percent", *week_starts(now), "questions", "pages", "views in 4 weeks"),
        *("description", "first", "last changed", "site", "id"),
    ]

    def cells(row: FindingEntry) -> Sequence[Cell]:
        each = row.model
        return [
            hide(clean(each.title)), kind_text(each), clean(each.severity), clean(each.status),
            each.records, each.change_requests, *weeks_cells(row.pulse), each.questions, each.pages,
            "" if row.views is None else row.views, hide(told(each.description)),
            day(each.created_at), day(each.updated_at), row.site, clean(each.id),
        ]  # fmt: skip

    return table(headings, map(cells, rows))


def weeks_cells(pulse: Sequence[float]) -> list[Cell]:
    """Return the trend in percent, and the counts of 13 weeks; empty cells where not known."""
    if not pulse:
        return [""] * (WEEKS + 1)
    weeks = ([0.0] * WEEKS + [sane(week) for week in pulse])[-WEEKS:]
    found = trend(weeks, int(sum(weeks)))
    return [found.text if found.percent is None else found.percent, *map(number, weeks)]


def finding_value(row: FindingEntry, hide: Callable[[str], str]) -> dict[str, Any]:
    """Return a finding for scripts: as the service has it, its description as masked Markdown."""
    return {
        **_hidden(row.model.to_dict(), hide),
        "description": hide(told(row.model.description)) or None,
        "siteTitle": row.site,
        "views": row.views,
        "weeklyPulse": list(row.pulse) or None,
    }


_TEXTS = ("title", "url", "source", "path")
"""What strangers may have written in a finding, besides its description."""


def _hidden(value: Any, hide: Callable[[str], str]) -> Any:
    """Return a value with what strangers wrote in it masked."""
    if isinstance(value, dict):
        return {
            name: hide(each) if name in _TEXTS and isinstance(each, str) else _hidden(each, hide)
            for name, each in value.items()
        }
    return value
