"""What a report on clusters is made from: the clusters, their requests, and what people said."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.address import web_address
from copydesk.domain.conversation import readable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.own_words import own_words
from copydesk.domain.secret_values import holds_private_key, tells_secret
from copydesk.domain.text import clean, plural, shown_subject
from copydesk.session.cluster_rows import (
    WEEKS,
    ClusterMerge,
    ClusterRow,
    IssueRow,
    finding_row,
    issue_row,
    merge_of,
)
from copydesk.session.operations import ops
from copydesk.session.reads import findings
from copydesk.session.reads.clusters import (
    AT_ONCE,
    find_requests,
    read_all,
    read_every_issue,
    read_merges,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest

TOP = 10
"""Clusters that are told about one by one."""

QUOTES = 2
"""Conversations that are quoted for each of them."""

SOUGHT = 20
"""The latest issues of a cluster among which those to quote are looked for."""

LONGEST = 4_000
"""Characters of a message that are read for a quote."""

FINDINGS = 200
"""Findings of a site whose weeks are read: a request each."""

MERGED_PAGES = 100
"""Pages of merged change requests that are looked through."""


@dataclass(frozen=True, slots=True)
class Request:
    """A change request for a cluster; texts are clean."""

    number: int
    subject: str
    status: str
    address: str


@dataclass(frozen=True, slots=True)
class Quote:
    """The first thing that a user said in a conversation: clean, and not masked."""

    words: str
    source: str
    at: datetime | None
    address: str


@dataclass(frozen=True, slots=True)
class ReportedCluster:
    """A cluster with its change requests, and what users said; ``more`` names requests left out."""

    row: ClusterRow
    requests: Sequence[Request]
    more: str
    quotes: Sequence[Quote]


@dataclass(frozen=True, slots=True)
class ReportRead:
    """All that a report is made from: of the weeks before ``now``, ``weeks`` of them are new.

    ``top`` are the clusters with the most issues in those. ``merges`` are those of 13 weeks, by
    cluster.
    """

    organization: str
    now: datetime
    weeks: int
    clusters: Sequence[ClusterRow]
    merges: Mapping[str, Sequence[ClusterMerge]]
    top: Sequence[ReportedCluster]
    noun: str = "cluster"
    """What is told of; "finding" where the service has these in place of clusters."""
    unit: str = "issue"
    """What its weeks count."""
    source: str = "conversation"
    """What tells of it."""
    note: str = ""
    """What the service lacks for the report."""

    @property
    def since(self) -> datetime:
        """When the time begins that the report is about."""
        return self.now - timedelta(weeks=self.weeks)


def lately(row: ClusterRow, weeks: int) -> float:
    """Return the issues of a cluster in the latest weeks."""
    return sum(row.pulse[-weeks:])


async def read_report(
    api: Api, organization: str, title: str, weeks: int, now: datetime
) -> ReportRead:
    """Read a report on an organization, called ``title``. Raises ``ApiError``.

    Where the service has no clusters it is on the findings of the sites.
    """
    try:
        rows = await read_all(api, organization, "issues")
    except OperationMissing:
        return await _of_findings(api, organization, title, weeks, now)
    rows = await _until(api, organization, rows, now)
    merges = await read_merges(api, organization, now - timedelta(weeks=WEEKS), MERGED_PAGES)
    told = _most(rows, weeks)
    gate = asyncio.Semaphore(AT_ONCE)

    async def tell(row: ClusterRow) -> ReportedCluster:
        async with gate:
            found = await find_requests(api, organization, row.id)
            requests = [_request(request) for request in found.requests]
            quotes = await _quotes(api, organization, row.id, now - timedelta(weeks=weeks), now)
            return ReportedCluster(row, requests, found.more, quotes)

    top = await asyncio.gather(*map(tell, told))
    return ReportRead(clean(title).strip(), now, weeks, rows, merges, top)


async def _until(
    api: Api, organization: str, rows: list[ClusterRow], now: datetime
) -> list[ClusterRow]:
    """Return clusters without the issues that are dated later than now.

    The service counts these to its latest week. Raises ``ApiError``.
    """
    try:
        found = await read_every_issue(api, organization, now)
    except (Forbidden, NotFound):
        return rows
    later = Counter(each.cluster for each in found if each.created and each.created > now)
    return [
        replace(
            row,
            pulse=(*row.pulse[:-1], max(0, row.pulse[-1] - later[row.id])),
            issues=max(0, row.issues - later[row.id]),
        )
        if later[row.id]
        else row
        for row in rows
    ]


def _most(rows: Sequence[ClusterRow], weeks: int) -> list[ClusterRow]:
    """Return what came up most in the latest weeks, `TOP` at most."""
    told = [row for row in rows if lately(row, weeks) > 0]
    told.sort(key=lambda row: (-lately(row, weeks), -row.issues, row.label, row.id))
    return told[:TOP]


async def _of_findings(
    api: Api, organization: str, title: str, weeks: int, now: datetime
) -> ReportRead:
    """Read a report on the findings of the sites of an organization. Raises ``ApiError``."""
    rows: list[ClusterRow] = []
    site_of: dict[str, str] = {}
    requests: dict[str, Sequence[ChangeRequest]] = {}
    ids_of: dict[str, findings.Ids] = {}
    gate, unread, at = asyncio.Semaphore(AT_ONCE), 0, 0

    async def pulse(ids: findings.Ids, finding: str) -> Sequence[float]:
        async with gate:
            return await findings.read_pulse(api, ids, finding)

    async for site in api.pages(ops.list_sites, organization):
        ids, at = (organization, site.id), at + 1
        try:
            found = await findings.read_listed(api, ids, order_by="sources")
        except (Forbidden, NotFound):
            found = []
        asked = [each for each in found if each.questions][:FINDINGS]
        unread += len(found) - len(asked)
        weekly = await asyncio.gather(*(pulse(ids, each.id) for each in asked))
        requests |= await findings.read_requests(api, ids, asked)
        rows += [finding_row(each, weeks) for each, weeks in zip(asked, weekly, strict=True)]
        ids_of |= {each.id: ids for each in asked}
        site_of |= {each.id: clean(site.title).strip() for each in asked}
        if at == findings.SITES:
            break
    if at > 1:  # two sites may have findings of one name
        rows = [replace(row, label=f"{row.label} ({site_of[row.id]})") for row in rows]
    since = now - timedelta(weeks=WEEKS)
    merges = {
        each: [m for one in found_for if (m := merge_of(one)) is not None and m.at >= since]
        for each, found_for in requests.items()
    }

    async def tell(row: ClusterRow) -> ReportedCluster:
        async with gate:
            quotes = await _from_records(api, ids_of[row.id], row.id)
            return ReportedCluster(row, [*map(_request, requests[row.id])], "", quotes)

    top = await asyncio.gather(*(tell(row) for row in _most(rows, weeks)))
    lacks = [
        "The service has no clusters: this is told of the findings of its sites, by the questions "
        "that were asked about them. Sources of findings are not known."
    ]
    if unread:
        lacks.append(f"{plural(unread, 'more finding')} without weeks of questions left out.")
    return ReportRead(
        clean(title).strip(), now, weeks, rows, {each: m for each, m in merges.items() if m}, top,
        "finding", "question", "record", " ".join(lacks),
    )  # fmt: skip


async def _from_records(api: Api, ids: findings.Ids, finding: str) -> Sequence[Quote]:
    """Return what the latest records of a finding say. Raises ``ApiError``."""
    page = await api.page(ops.list_site_finding_records, *ids, finding, limit=SOUGHT)
    quotes: dict[str, Quote] = {}
    for each in page.items:
        said, address = each.description or each.title, web_address(each.urls.source)
        _add_quote(quotes, said, clean(each.connection), each.created_at, address)
    return tuple(quotes.values())[:QUOTES]


def _add_quote(
    found: dict[str, Quote], said: str, source: str, at: datetime | None, address: str
) -> None:
    """Add what somebody said, once, unless there is a password or a key in it."""
    words = " ".join(own_words(readable(said[:LONGEST])).split())
    if words and not tells_secret(words) and not holds_private_key(words):
        found.setdefault(words.casefold(), Quote(words, source, at, address))


def _request(request: ChangeRequest) -> Request:
    subject = shown_subject(request.subject)
    status = clean(str(request.status))
    return Request(request.number, subject, status, web_address(request.urls.app))


async def _quotes(
    api: Api, organization: str, cluster: str, since: datetime, until: datetime
) -> Sequence[Quote]:
    """Return what users said last, each thing once and none with a password or a key in it.

    Raises ``ApiError``.
    """
    found: dict[str, Quote] = {}
    for row in await _latest(api, organization, cluster, until):
        if len(found) == QUOTES or (row.created is not None and row.created < since):
            break
        try:
            read = await api(ops.get_conversation, organization, row.conversation)
        except (Forbidden, NotFound):
            continue  # it is gone, or somebody else's
        said = (part.body for part in read.parts if part.role == "user")
        told = next((body for body in said if own_words(readable(body[:LONGEST]))), "")
        _add_quote(found, told, row.source, row.created, row.address)
    return tuple(found.values())


async def _latest(api: Api, organization: str, cluster: str, until: datetime) -> list[IssueRow]:
    """Return the latest issues of a cluster, without those that are dated later than ``until``."""
    rows: list[IssueRow] = []
    try:
        async for item in api.pages(
            ops.list_conversation_issues, organization, cluster=cluster, limit=SOUGHT
        ):
            row = issue_row(item)
            if row.created is None or row.created <= until:
                rows.append(row)
            if len(rows) == SOUGHT:
                break
    except (Forbidden, NotFound):
        return []
    return rows
