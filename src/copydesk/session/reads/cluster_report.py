"""What a report on clusters is made from: the clusters, their requests, and what people said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.address import web_address
from copydesk.domain.conversation import readable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.secret_values import holds_private_key, tells_secret
from copydesk.domain.text import clean
from copydesk.session.cluster_rows import WEEKS, ClusterRow, Merge, issue_row
from copydesk.session.operations import ops
from copydesk.session.reads.clusters import AT_ONCE, find_requests, read_all, read_merges

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
class Told:
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
    merges: Mapping[str, Sequence[Merge]]
    top: Sequence[Told]

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
    """Read a report on an organization, called ``title``. Raises ``ApiError``."""
    rows = await read_all(api, organization, "issues")
    merges = await read_merges(api, organization, now - timedelta(weeks=WEEKS), MERGED_PAGES)
    told = [row for row in rows if lately(row, weeks) > 0]
    told.sort(key=lambda row: (-lately(row, weeks), -row.issues, row.label, row.id))
    gate = asyncio.Semaphore(AT_ONCE)

    async def tell(row: ClusterRow) -> Told:
        async with gate:
            found = await find_requests(api, organization, row.id)
            requests = [_request(request) for request in found.requests]
            quotes = await _quotes(api, organization, row.id, now - timedelta(weeks=weeks))
            return Told(row, requests, found.more, quotes)

    top = await asyncio.gather(*map(tell, told[:TOP]))
    return ReportRead(clean(title).strip(), now, weeks, rows, merges, top)


def _request(request: ChangeRequest) -> Request:
    subject = clean(request.subject).strip() or "No subject"
    status = clean(str(request.status))
    return Request(request.number, subject, status, web_address(request.urls.app))


async def _quotes(api: Api, organization: str, cluster: str, since: datetime) -> Sequence[Quote]:
    """Return what users said last, each thing once and none with a password or a key in it.

    Raises ``ApiError``.
    """
    try:
        page = await api.page(
            ops.list_conversation_issues, organization, cluster=cluster, limit=SOUGHT
        )
    except (Forbidden, NotFound):
        return ()
    found: dict[str, Quote] = {}
    for item in page.items:
        row = issue_row(item)
        if len(found) == QUOTES or (row.created is not None and row.created < since):
            break
        try:
            read = await api(ops.get_conversation, organization, row.conversation)
        except (Forbidden, NotFound):
            continue  # it is gone, or somebody else's
        said = next((part.body for part in read.parts if part.role == "user"), "")
        words = " ".join(readable(said[:LONGEST]).split())
        if words and not tells_secret(words) and not holds_private_key(words):
            quote = Quote(words, row.source, row.created, row.address)
            found.setdefault(words.casefold(), quote)
    return tuple(found.values())
