"""Reading clusters, their issues, conversations and change requests; beginning a change request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from copydesk.tui.present.cluster import ClusterRow, RequestRow, cluster_row, request_row
from copydesk.tui.present.conversation import IssueRow, Talk, issue_row, talk_of
from copydesk.tui.sources import Fetch, ListSource, PagedSource

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ClusterOrder
    from copydesk.contract.models.change_request import ChangeRequest

T = TypeVar("T")

PAGE = 250
"""Rows asked for at once where all are wanted."""

AT_ONCE = 4
"""Requests in flight at once for the counts of the rows on screen."""

SHOWN_REQUESTS = 8
"""Change requests of one cluster that are listed, of each status."""

Window = Callable[[int, int], None]
"""Told which rows are on screen."""


class WatchedPages(PagedSource[T], Generic[T]):
    """Pages that also tell which of their rows are on screen."""

    def __init__(self, fetch: Fetch[T], watch: Window, *, key: Callable[[T], str]) -> None:
        super().__init__(fetch, key=key)
        self._watch = watch

    def want(self, first: int, last: int) -> None:
        """Load them, and pass it on."""
        super().want(first, last)
        self._watch(first, last)


class WatchedRows(ListSource[T], Generic[T]):
    """Rows in memory that tell which of them are on screen."""

    def __init__(self, rows: Iterable[T], watch: Window, *, key: Callable[[T], str]) -> None:
        super().__init__(rows, key=key)
        self._watch = watch

    def want(self, first: int, last: int) -> None:
        """Pass it on."""
        self._watch(first, last)


async def read_page(
    api: Api, organization: str, order: ClusterOrder, token: str | None, limit: int
) -> tuple[list[ClusterRow], str | None, int | None]:
    """Return one page of clusters in an order of the service. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    page = await api.page(
        ops.list_issues_clusters, organization, page=token, limit=limit, order_by=order
    )
    following = page.next.page if page.next is not None else None
    return [cluster_row(cluster) for cluster in page.items], following, page.count


async def read_all(api: Api, organization: str, order: ClusterOrder) -> list[ClusterRow]:
    """Return every cluster. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    return [
        cluster_row(cluster)
        async for cluster in api.pages(
            ops.list_issues_clusters, organization, limit=PAGE, order_by=order
        )
    ]


async def read_issues(
    api: Api, organization: str, cluster: str, token: str | None, limit: int
) -> tuple[list[IssueRow], str | None, int | None]:
    """Return one page of the issues of a cluster. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    page = await api.page(
        ops.list_conversation_issues, organization, page=token, limit=limit, cluster=cluster
    )
    following = page.next.page if page.next is not None else None
    return [issue_row(item) for item in page.items], following, page.count


async def read_talk(api: Api, organization: str, conversation: str) -> Talk | None:
    """Return a conversation, or None when it is gone. Raises ``ApiError``."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        detail = await api(ops.get_conversation, organization, conversation)
    except NotFound:
        return None
    return await asyncio.to_thread(talk_of, detail)


async def count_requests(
    api: Api, organization: str, clusters: Sequence[str], counted: Callable[[str, str], None]
) -> None:
    """Count the open change requests of clusters, telling each as it is known.

    A service that does not say a total gets "9+". Raises ``ApiError``.
    """
    from copydesk.client.errors import Forbidden, NotFound
    from copydesk.contract import operations as ops

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
        count = page.count if page.count is not None else len(page.items)
        counted(cluster, f"{count}+" if page.count is None and page.next else str(count))

    await asyncio.gather(*map(one, clusters))


async def read_requests(api: Api, organization: str, cluster: str) -> list[RequestRow]:
    """Return the change requests of a cluster, the open ones first. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    pages = await asyncio.gather(
        *(
            api.page(
                ops.list_organization_change_requests,
                organization,
                limit=SHOWN_REQUESTS,
                status=status,
                conversations_issues_cluster=cluster,
            )
            for status in ("open", "draft", "merged")
        )
    )
    return [request_row(request) for page in pages for request in page.items]


async def begin_request(
    api: Api, space: str, cluster: str, subject: str, description: str
) -> ChangeRequest:
    """Begin a change request that answers a cluster. Raises ``ApiError``."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.change_request import ChangeRequestCreate
    from copydesk.tui.change_request_writing import document_of

    body = ChangeRequestCreate(subject=subject, conversations_issues_cluster=cluster)
    if description:
        body.description = document_of(description)
    return await api(ops.create_change_request, space, body)
