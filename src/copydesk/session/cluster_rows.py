"""Clusters, issues and merges for them as rows of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask
from copydesk.domain.source_name import source_label
from copydesk.domain.text import clean, shown_subject, shown_title
from copydesk.domain.trend import Rate, Trend, rate, sane, trend
from copydesk.session.change_rows import Readiness, readiness

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.cluster import ClusterHit, ClusterSuggestion, IssuesCluster
    from copydesk.contract.models.conversation import ConversationIssueItem, SearchHit
    from copydesk.contract.models.finding import SiteFinding


Words: TypeAlias = tuple[str, str, str]
"""Words that were looked for, between what is before and after them; clean."""

HIT_LIMIT = 500
"""Characters of each that are read."""


def words_of(hit: SearchHit | None) -> Words | None:
    """Return the words that were found."""
    if hit is None:
        return None
    before, words, after = (
        " ".join(clean(each, limit=HIT_LIMIT).split(" "))
        for each in (hit.before, hit.words, hit.after)
    )
    return before, words, after


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
    tasks: tuple[tuple[str, float], ...] = ()
    """How many tasks there are, by what they are counted as."""
    closed: datetime | None = None
    """When a person closed it."""
    suggestions: int = 0
    """Issues in no cluster that look like its own."""
    history: tuple[tuple[str, str, datetime | None], ...] = ()
    """What was joined with it or split from it, with the other's name, the latest first."""
    first: datetime | None = None
    """When its first issue was told, where the service tells that."""
    called: tuple[str, ...] = ()
    """What the service calls its sources."""
    found: int | None = None
    """Of how many conversations something is so that was asked for; None where nothing was."""
    found_issue: str = ""
    """The latest issue that one of these tells, by its id."""
    hit: Words | None = None

    @property
    def seen(self) -> datetime | None:
        """When it was first seen: its first issue, or else when it was made."""
        return self.first or self.created

    @property
    def rate(self) -> Rate:
        """This week against the usual."""
        return rate(self.pulse)

    @property
    def trend(self) -> Trend:
        """The last four weeks against the four before, in percent: for tables."""
        return trend(self.pulse, self.issues)


def cluster_row(cluster: IssuesCluster) -> ClusterRow:
    """Return the row of a cluster. A short pulse is padded with empty weeks at its start."""
    pulse = tuple(map(sane, cluster.weekly_pulse))[-WEEKS:]
    sources: dict[str, float] = {}
    for source, count in cluster.sources.items():
        name = clean(source_label(source)).strip() or "unknown"
        sources[name] = sources.get(name, 0) + sane(count)
    label = shown_title(cluster.label)
    return ClusterRow(
        cluster.id,
        label,
        clean(cluster.summary or "", lines=True, limit=4_000).strip(),
        (0,) * (WEEKS - len(pulse)) + pulse,
        int(sane(cluster.stats.issues)),
        int(sane(cluster.stats.conversations)),
        tuple(sorted(sources.items(), key=lambda pair: -pair[1])),
        cluster.created_at,
        cluster.updated_at,
        web_address(cluster.urls.app),
        tuple((clean(name).strip(), sane(count)) for name, count in cluster.stats.tasks.items()),
        cluster.closed_at,
        int(sane(cluster.stats.suggestions or 0)),
        tuple((clean(each.kind), shown_title(each.label), each.at) for each in cluster.history),
        cluster.first_seen_at,
        tuple(cluster.sources),
    )


def found_cluster_row(found: ClusterHit) -> ClusterRow:
    """Return the row of a cluster in which conversations were found."""
    return replace(
        cluster_row(found.cluster),
        found=found.conversations,
        found_issue=found.issue or "",
        hit=words_of(found.hit),
    )


def finding_row(finding: SiteFinding, pulse: Sequence[float]) -> ClusterRow:
    """Return a finding of a site as the row of a cluster: it stands where there are no clusters.

    ``pulse`` is how often its questions were asked in each week: they are what it is told by.
    """
    from copydesk.domain.documents import document_to_markdown

    weeks = tuple(map(sane, pulse))[-WEEKS:]
    said = "" if finding.description is None else document_to_markdown(finding.description)
    return ClusterRow(
        finding.id,
        shown_title(finding.title),
        clean(said, lines=True, limit=4_000).strip(),
        (0,) * (WEEKS - len(weeks)) + weeks,
        int(sum(weeks)),
        finding.records,
        (),
        finding.created_at,
        finding.updated_at,
        web_address(finding.urls.app),
        closed=finding.updated_at if finding.status in ("done", "canceled") else None,
    )


@dataclass(frozen=True, slots=True)
class ClusterMerge:
    """A change request that was merged for a cluster.

    The API gives only the time of the last change, not of the merge. A merge is the last change,
    unless the subject or the description is edited afterwards: ``at`` is the latest time the merge
    can have happened.
    """

    id: str
    label: str
    at: datetime


def merge_of(request: ChangeRequest) -> ClusterMerge | None:
    """Return the merge of a change request; None when it is not merged."""
    if request.status != "merged":
        return None
    return ClusterMerge(request.id, f"#{request.number}", request.updated_at)


@dataclass(frozen=True, slots=True)
class IssueRow:
    """An issue with its conversation; texts are clean and not masked."""

    id: str
    title: str
    summary: str
    conversation: str
    source: str
    created: datetime | None
    address: str
    cluster: str = ""
    likeness: float = 0.0
    """How much it looks like the issues of a cluster that it is suggested for, up to 1."""


def issue_row(item: ConversationIssueItem) -> IssueRow:
    """Return the row of an issue."""
    issue, found_in = item.issue, item.conversation
    return IssueRow(
        issue.id,
        shown_title(issue.title),
        clean(issue.summary or "", lines=True, limit=4_000).strip(),
        issue.conversation or (found_in.id if found_in is not None else ""),
        clean(source_label(found_in.source or "")) if found_in is not None else "",
        issue.created_at,
        web_address(found_in.urls.source if found_in is not None else None),
        issue.cluster or "",
    )


def suggestion_row(found: ClusterSuggestion) -> IssueRow:
    """Return the row of an issue that is suggested for a cluster."""
    from copydesk.contract.models.conversation import ConversationIssueItem

    item = ConversationIssueItem(issue=found.issue, conversation=found.conversation)
    return replace(issue_row(item), likeness=min(1.0, sane(found.similarity)))


def shown(text: str, *, masked: bool) -> str:
    """Return text, masked on demand."""
    return mask(text) if masked else text


WEEKS = 13
"""Weeks of a pulse."""


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One change request of a cluster; ``ready`` is None while that of an open one is not read."""

    id: str
    space: str
    number: int
    subject: str
    status: str
    changed: datetime
    ready: Readiness | None = None


def request_row(request: ChangeRequest, ready: Readiness | None = None) -> RequestRow:
    """Return the row of a change request; ``ready`` is needed for open ones only."""
    if request.status != "open":
        ready = readiness(request.status, None, outdated=False)
    return RequestRow(
        request.id,
        request.space,
        request.number,
        shown_subject(request.subject),
        clean(str(request.status)),
        request.updated_at,
        ready,
    )
