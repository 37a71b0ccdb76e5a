"""Clusters, issues and conversations as tables for spreadsheets and as values for scripts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import inf
from typing import TYPE_CHECKING, Any

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.source_name import source_label
from copydesk.domain.text import clean
from copydesk.domain.trend import Rate
from copydesk.present.cluster import number
from copydesk.present.conversation import NAME_LIMIT, shown_address
from copydesk.present.spreadsheet import Cell, day, table
from copydesk.session.cluster_rows import WEEKS, ClusterMerge, ClusterRow, IssueRow, shown

if TYPE_CHECKING:
    from copydesk.contract.models.conversation import Conversation

UNTITLED = 512
"""Characters of a subject: what may be handed in."""


def clusters_table(
    rows: Sequence[ClusterRow],
    now: datetime,
    merges: Mapping[str, Collection[ClusterMerge]],
    hide: Callable[[str], str],
) -> str:
    """Return clusters as CSV: one line each, under the first days of their 13 weeks.

    A week begins seven days after the one before, the latest seven days before ``now``. The trend
    is in percent, or "new"; it is empty where there are too few issues to tell. Of the latest week
    it says how many times the usual it is, and between what that probably is. ``hide`` masks what
    is masked on screen.
    """
    headings = [
        *("label", "issues", "conversations", "trend in percent", "sources"),
        *week_starts(now),
        *("usual a week", "times the usual", "at least", "at most"),
        *("merged", "first", "last updated", "id"),
    ]

    def cells(row: ClusterRow) -> Sequence[Cell]:
        sources = "; ".join(f"{hide(name)} {number(count)}" for name, count in row.sources)
        merged = (f"{each.label} {each.at:%Y-%m-%d}" for each in merges.get(row.id, ()))
        trend = row.trend.text if row.trend.percent is None else row.trend.percent
        return [
            hide(row.label), row.issues, row.conversations, trend, sources,
            *map(number, row.pulse), *_rate(row.rate),
            "; ".join(merged), day(row.seen), day(row.updated), row.id,
        ]  # fmt: skip

    return table(headings, map(cells, rows))


def _rate(rate: Rate) -> Sequence[Cell]:
    """Return the usual number a week, and how many times that this week is, with its bounds."""
    found = rate.ratio
    if not rate.weeks or found is None:
        return ["", "", "", ""]
    bounds = (found.factor, found.low, found.high)
    return [round(rate.usual, 2), *("" if each == inf else round(each, 2) for each in bounds)]


def week_starts(now: datetime) -> list[str]:
    """Return the headings of 13 weeks, the latest of which began seven days ago."""
    starts = (now - timedelta(weeks=WEEKS - week) for week in range(WEEKS))
    return [f"week from {start:%Y-%m-%d}" for start in starts]


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """A conversation for a table, with what was found in it; texts are clean and not masked."""

    id: str
    subject: str
    source: str
    created: datetime | None
    analysed: datetime | None
    address: str
    clusters: tuple[str, ...]
    """The ids of the clusters of its issues; "" for one that is in none."""


def clusters_of(issues: Iterable[IssueRow]) -> dict[str, list[str]]:
    """Return the clusters of issues, by conversation; "" for an issue that is in none."""
    found: dict[str, list[str]] = {}
    for row in issues:
        found.setdefault(row.conversation, []).append(row.cluster)
    return found


def conversation_entry(
    conversation: Conversation, found: Mapping[str, Sequence[str]]
) -> ConversationEntry:
    """Return a conversation; ``found`` are the clusters of issues, by conversation."""
    return ConversationEntry(
        conversation.id,
        clean(conversation.subject or "", limit=UNTITLED).strip(),
        clean(source_label(conversation.source or ""), limit=NAME_LIMIT).strip(),
        conversation.created_at,
        conversation.processed_at,
        web_address(conversation.urls.source),
        tuple(found.get(conversation.id, ())),
    )


def issue_value(row: IssueRow, labels: Mapping[str, str], *, masked: bool) -> dict[str, Any]:
    """Return an issue for scripts; ``labels`` are what clusters are called, by id.

    ``cluster`` is None where it is in none, and ``clusterLabel`` where that is not known.
    """
    label = labels.get(row.cluster)
    return {
        "id": clean(row.id),
        "title": shown(row.title, masked=masked),
        "summary": shown(row.summary, masked=masked),
        "cluster": clean(row.cluster) or None,
        "clusterLabel": None if label is None else shown(label, masked=masked),
        "conversation": _id(row.conversation, masked=masked),
        "source": shown(row.source, masked=masked),
        "createdAt": _moment(row.created),
        "link": shown_address(row.address, masked=masked) or None,
    }


def conversation_value(
    entry: ConversationEntry, labels: Mapping[str, str], *, masked: bool
) -> dict[str, Any]:
    """Return a conversation for scripts, with the clusters of its issues."""
    clusters = [each for each in dict.fromkeys(entry.clusters) if each]
    return {
        "id": _id(entry.id, masked=masked),
        "subject": shown(entry.subject, masked=masked),
        "source": shown(entry.source, masked=masked),
        "createdAt": _moment(entry.created),
        "analysedAt": _moment(entry.analysed),
        "issues": len(entry.clusters),
        "clusters": [
            {"id": clean(each), "label": shown(labels.get(each, ""), masked=masked)}
            for each in clusters
        ],
        "link": shown_address(entry.address, masked=masked) or None,
    }


def issues_table(rows: Iterable[IssueRow], labels: Mapping[str, str], *, masked: bool) -> str:
    """Return issues as CSV: the fields of `issue_value`, one line each."""
    return _table(ISSUE_HEADINGS, (issue_value(row, labels, masked=masked) for row in rows))


def conversations_table(
    rows: Iterable[ConversationEntry], labels: Mapping[str, str], *, masked: bool
) -> str:
    """Return conversations as CSV: the fields of `conversation_value`, one line each.

    Clusters are listed by name, those without one by id.
    """
    values = (conversation_value(row, labels, masked=masked) for row in rows)
    return _table(CONVERSATION_HEADINGS, values)


ISSUE_HEADINGS: Mapping[str, str] = {
    "title": "title", "summary": "summary", "clusterLabel": "cluster", "source": "source",
    "createdAt": "created", "link": "link", "conversation": "conversation id",
    "cluster": "cluster id", "id": "id",
}  # fmt: skip
"""The columns of issues: fields of `issue_value`, and their headings."""

CONVERSATION_HEADINGS: Mapping[str, str] = {
    "subject": "subject", "source": "source", "createdAt": "created", "analysedAt": "analysed",
    "issues": "issues", "clusters": "clusters", "link": "link", "id": "id",
}  # fmt: skip
"""The columns of conversations: fields of `conversation_value`, and their headings."""


def _table(headings: Mapping[str, str], values: Iterable[Mapping[str, Any]]) -> str:
    rows = ([_cell(value[name]) for name in headings] for value in values)
    return table([*headings.values()], rows)


def _cell(value: Any) -> Cell:
    if isinstance(value, list):
        return "; ".join(each["label"] or each["id"] for each in value)
    return value if isinstance(value, int) else value or ""


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


def _id(key: str, *, masked: bool) -> str:
    """Return the id of a conversation: its sender's own, which may be an address."""
    return shown(clean(key), masked=masked)
