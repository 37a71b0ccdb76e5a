"""Reads of clusters, their issues, conversations and change requests; new change requests."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.plain_documents import document_of
from copydesk.domain.text import clean, listed
from copydesk.domain.trend import sane
from copydesk.session.change_rows import readiness
from copydesk.session.cluster_rows import (
    ClusterMerge,
    ClusterRow,
    IssueRow,
    RequestRow,
    cluster_row,
    found_cluster_row,
    issue_row,
    merge_of,
    request_row,
    shown,
    suggestion_row,
    words_of,
)
from copydesk.session.errors import sentence
from copydesk.session.operations import ops
from copydesk.session.page_changes import losses, not_looked_at, read_changes

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ChangeRequestStatus, ClusterOrder
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.conversation import Conversation
    from copydesk.contract.models.space import Space

T = TypeVar("T")

PAGE = 250
"""Rows read with one request where all are needed."""

AT_ONCE = 4
"""Requests in flight at once for the counts of the rows on screen."""

SHOWN_REQUESTS = 8
"""Change requests listed for one cluster, of each status."""

MERGED_PAGES = 2
"""Pages of an organization's change requests of one status that are searched for clusters."""

LOOKED_AT = 50
"""Conversations searched for ones that are being analysed."""


async def read_page(
    api: Api,
    organization: str,
    order: ClusterOrder,
    token: str | None,
    limit: int,
    *,
    backwards: bool = False,
) -> tuple[list[ClusterRow], str | None, int | None]:
    """Return one page of clusters in an order of the service, or its opposite.

    Raises ``ApiError``.
    """
    page = await api.page(
        ops.list_issues_clusters,
        organization,
        page=token,
        limit=limit,
        order="asc" if backwards else "desc",
        order_by=order,
    )
    following = page.next.page if page.next is not None else None
    return [cluster_row(cluster) for cluster in page.items], following, page.count


async def read_all(
    api: Api, organization: str, order: ClusterOrder, conditions: Mapping[str, Any] | None = None
) -> list[ClusterRow]:
    """Return every cluster, or those with a conversation that meets conditions.

    Raises ``ApiError``.
    """
    if conditions:
        return [
            found_cluster_row(found)
            async for found in api.pages(
                ops.search_issues_clusters, organization, order_by=order, **conditions
            )
        ]
    return [
        cluster_row(cluster)
        async for cluster in api.pages(ops.list_issues_clusters, organization, order_by=order)
    ]


async def read_label(api: Api, organization: str, cluster: str) -> str:
    """Return the masked label of a cluster, or the sentence for a missing one.

    Where a single cluster cannot be read, it is found in the list. Raises ``ApiError``.
    """
    label = ""
    try:
        try:
            label = (await api(ops.get_issues_cluster, organization, cluster)).label
        except OperationMissing:
            async for each in api.pages(ops.list_issues_clusters, organization):
                if each.id == cluster:
                    label = each.label
                    break
    except OperationMissing as error:
        return sentence(error)
    except (Forbidden, NotFound):
        return "one that is gone, or that you may not see"
    return shown(clean(label).strip(), masked=True) or "one without a name"


async def read_issues(
    api: Api, organization: str, token: str | None, limit: int, **limits: str | None
) -> tuple[list[IssueRow], str | None, int | None]:
    """Return one page of issues, limited by ``cluster`` or ``conversation``.

    Raises ``ApiError``.
    """
    page = await api.page(
        ops.list_conversation_issues, organization, page=token, limit=limit, **limits
    )
    following = page.next.page if page.next is not None else None
    return [issue_row(item) for item in page.items], following, page.count


async def find_said(
    api: Api, organization: str, cluster: str, conditions: Mapping[str, Any]
) -> dict[str, str]:
    """Return the conversations of a cluster that meet conditions, with the words found in each.

    Raises ``ApiError``.
    """
    hits: dict[str, str] = {}
    async for found in api.pages(
        ops.search_conversations, organization, cluster=cluster, **conditions
    ):
        hit = words_of(found.hit)
        hits[found.conversation.id] = hit[1] if hit is not None else ""
    return hits


async def read_every_issue(
    api: Api, organization: str, begin: datetime | None = None, **limits: Any
) -> list[IssueRow]:
    """Return all issues, the latest first, or those since a time; limited as `read_issues`.

    Raises ``ApiError``.
    """
    rows: list[IssueRow] = []
    async for item in api.pages(ops.list_conversation_issues, organization, **limits):
        row = issue_row(item)
        if begin is not None and row.created is not None and row.created < begin:
            break
        rows.append(row)
    return rows


async def read_every_conversation(
    api: Api, organization: str, begin: datetime | None = None, source: str | None = None
) -> list[Conversation]:
    """Return all conversations, the latest first, or those since a time; of one source if named.

    Raises ``ApiError``.
    """
    rows: list[Conversation] = []
    async for each in api.pages(ops.list_conversations, organization, source=source):
        if begin is not None and each.created_at is not None and each.created_at < begin:
            break
        rows.append(each)
    return rows


async def read_names(api: Api, organization: str) -> dict[str, str]:
    """Return what clusters are called, by id. Raises ``ApiError``."""
    return {row.id: row.label for row in await read_all(api, organization, "issues")}


async def read_suggestions(
    api: Api, organization: str, cluster: str, token: str | None, limit: int
) -> tuple[list[IssueRow], str | None, int | None]:
    """Return one page of the issues that look like those of a cluster. Raises ``ApiError``."""
    page = await api.page(
        ops.list_cluster_suggestions, organization, cluster, page=token, limit=limit
    )
    following = page.next.page if page.next is not None else None
    return [suggestion_row(each) for each in page.items], following, page.count


@dataclass(frozen=True, slots=True)
class Analysis:
    """How far the search for issues and clusters is; ``message`` is the sentence of the service.

    So many of those that are ``waiting`` are ``looked`` at by now; ``done`` are the others.
    """

    state: str
    waiting: int
    done: int
    message: str = ""
    looked: int = 0

    @property
    def said(self) -> str:
        """How far it is, in a few words; nothing where it is not under way."""
        if self.state == "unavailable" or not self.waiting:
            return ""
        if self.state == "waiting":
            return f"{self.waiting:,} to analyse, once no more come"
        return f"analysing {self.done + self.looked:,} of {self.done + self.waiting:,}"


async def read_analysis(api: Api, organization: str) -> Analysis:
    """Return how far the search for clusters is. Raises ``ApiError``."""
    found = await api(ops.get_conversations_analysis, organization)
    return Analysis(
        str(found.state),
        int(sane(found.waiting)),
        int(sane(found.clustered + found.unclustered)),
        clean(found.message or "").strip(),
        int(sane(found.looked)),
    )


async def count_requests(
    api: Api, organization: str, clusters: Sequence[str], counted: Callable[[str, str], None]
) -> None:
    """Count the open change requests of clusters; ``counted`` is told each number.

    Without a total from the service it is "9+". Raises ``ApiError``.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(cluster: str) -> None:
        async with gate:
            try:
                page = await api.page(
                    ops.list_organization_change_requests,
                    organization,
                    limit=9,
                    conversations_issues_cluster=cluster,
                )
            except (Forbidden, NotFound):
                counted(cluster, "-")
                return
        counted(cluster, _counted(page))

    await asyncio.gather(*map(one, clusters))


@dataclass(frozen=True, slots=True)
class LatestRequests:
    """The latest change requests of a cluster, the open ones first.

    ``opened`` is the number of open ones as text; ``more`` the sentence on those not listed.
    """

    requests: Sequence[ChangeRequest]
    opened: str
    more: str


async def find_requests(
    api: Api, organization: str, cluster: str, limit: int | None = None
) -> LatestRequests:
    """Return the change requests of a cluster, and the number of others. Raises ``ApiError``.

    At most ``limit`` of each status are listed.
    """
    statuses: Sequence[ChangeRequestStatus] = ("open", "draft", "merged")
    pages = await asyncio.gather(
        *(
            api.page(
                ops.list_organization_change_requests,
                organization,
                limit=limit or SHOWN_REQUESTS,
                status=status,
                conversations_issues_cluster=cluster,
            )
            for status in statuses
        )
    )
    more = [
        f"{'' if page.count is None else f'{page.count - len(page.items)} '}more {status}"
        for status, page in zip(statuses, pages, strict=True)
        if page.next is not None
    ]
    return LatestRequests(
        [request for page in pages for request in page.items],
        _counted(pages[0]),
        listed(more),
    )


def _counted(page: Page[ChangeRequest]) -> str:
    """Return the number of rows as text; "9+" without a total from the service."""
    if page.count is not None:
        return str(page.count)
    return f"{len(page.items)}+" if page.next is not None else str(len(page.items))


async def read_readiness(
    api: Api,
    requests: Sequence[ChangeRequest],
    stuck: Collection[tuple[str, str, str]],
) -> list[RequestRow]:
    """Return change requests with the readiness of the open ones.

    ``stuck`` are (id, its revision, its space's revision) of those whose update conflicted. Where
    the space or a rule may not be read, the readiness says that the rules are unknown. Raises other
    kinds of ``ApiError``.
    """
    from copydesk.session.reads.merge import read_rules

    gate = asyncio.Semaphore(AT_ONCE)
    spaces: dict[str, Space] = {}

    async def read_space(space_id: str) -> None:
        async with gate:
            try:
                spaces[space_id] = await api(ops.get_space, space_id)
            except (Forbidden, NotFound):
                return

    async def one(request: ChangeRequest) -> RequestRow:
        space, rules, changes = spaces.get(request.space), None, None
        if request.status != "open":
            return request_row(request)
        async with gate:
            try:
                if space is not None:
                    rules, changes = await asyncio.gather(
                        read_rules(api, request, space),
                        read_changes(api, request.space, request.id),
                    )
            except (Forbidden, NotFound):
                pass
        moment = (request.id, request.revision, space.revision) if space is not None else None
        ready = readiness(
            request.status,
            None if rules is None else rules.results,
            outdated=request.outdated,
            stuck=moment is not None and moment in stuck,
            against=() if rules is None else rules.against,
            losing=losses(changes),
            unlooked=not_looked_at(changes),
            both_sides=None if rules is None else rules.both_sides,
            empty=changes is not None and not changes.changes and not changes.more,
        )
        return request_row(request, ready)

    open_in = {request.space for request in requests if request.status == "open"}
    await asyncio.gather(*map(read_space, open_in))
    return list(await asyncio.gather(*map(one, requests)))


async def read_merges(
    api: Api, organization: str, since: datetime, pages: int = MERGED_PAGES
) -> dict[str, list[ClusterMerge]]:
    """Return the merges for clusters since a time, by cluster. Raises ``ApiError``.

    One list serves all clusters. It is read from the last updated request back to ``since``, at
    most ``pages``; the cluster under the cursor is read separately.
    """
    found: dict[str, list[ClusterMerge]] = {}
    async for page in _last_updated(api, organization, "merged", pages):
        for request in page.items:
            merge, cluster = merge_of(request), request.conversations_issues_cluster
            if merge is not None and cluster is not None:
                found.setdefault(cluster, []).append(merge)
        if any(request.updated_at < since for request in page.items[-1:]):
            break
    return found


async def count_drafts(api: Api, organization: str) -> Mapping[str, int]:
    """Return the number of drafts per cluster, among the last updated.

    As with `read_merges`, one list serves all clusters, and at most `MERGED_PAGES` are read.
    """
    return Counter(
        [
            request.conversations_issues_cluster
            async for page in _last_updated(api, organization, "draft", MERGED_PAGES)
            for request in page.items
            if request.conversations_issues_cluster is not None
        ]
    )


async def find_taken(api: Api, organization: str, pages: int = MERGED_PAGES) -> set[str] | None:
    """Return the clusters that have an open change request; None where ``pages`` do not hold all.

    Raises ``ApiError``.
    """
    opened: set[str] = set()
    async for page in _last_updated(api, organization, "open", pages):
        opened.update(filter(None, (each.conversations_issues_cluster for each in page.items)))
        if page.next is None:
            return opened
    return None


async def _last_updated(
    api: Api, organization: str, status: Literal["draft", "merged", "open"], pages: int
) -> AsyncIterator[Page[ChangeRequest]]:
    """Yield the change requests of a status page by page, the last updated first."""
    token: str | None = None
    for _ in range(pages):
        page = await api.page(
            ops.list_organization_change_requests,
            organization,
            page=token,
            limit=PAGE,
            status=status,
        )
        yield page
        if page.next is None:
            return
        token = page.next.page


async def count_analysed(api: Api, organization: str) -> tuple[int, int]:
    """Return the number of the latest conversations that are being analysed, and of all read.

    The API has no such count; a conversation has the time of its analysis. Raises ``ApiError``.
    """
    page = await api.page(ops.list_conversations, organization, limit=LOOKED_AT)
    return sum(each.processed_at is None for each in page.items), len(page.items)


async def read_linkable(api: Api, organization: str) -> list[ChangeRequest]:
    """Return the open change requests and the drafts, the last updated. Raises ``ApiError``."""
    statuses: Sequence[ChangeRequestStatus] = ("open", "draft")
    pages = await asyncio.gather(
        *(
            api.page(ops.list_organization_change_requests, organization, limit=PAGE, status=status)
            for status in statuses
        )
    )
    return [request for page in pages for request in page.items]


async def begin_request(
    api: Api, space: str, cluster: str, subject: str, description: str
) -> ChangeRequest:
    """Begin a change request that answers a cluster, or none (""). Raises ``ApiError``."""
    from copydesk.contract.models.change_request import ChangeRequestCreate

    body = ChangeRequestCreate(subject=subject)
    if cluster:
        body.conversations_issues_cluster = cluster
    if description:
        body.description = document_of(description)
    return await api(ops.create_change_request, space, body)
