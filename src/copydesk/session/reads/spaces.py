"""Reads of organizations and spaces, also from a service without the extensions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import ApiError, Forbidden, NotFound, OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.space_tree import SpaceNode, collection_node, space_node
from copydesk.domain.text import clean, shown_title
from copydesk.session.names import person_name
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.collection import Collection
    from copydesk.contract.models.organization import Organization
    from copydesk.contract.models.user import User
    from copydesk.session.change_rows import ChangeRow


PAGE = 250
"""Rows asked for at once: few requests for a large desk, and still quick to validate."""

AT_ONCE = 6
"""Requests in flight at once where spaces are collected one by one."""

Progress = Callable[[int], None]
"""Takes the number of spaces read so far."""


@dataclass(frozen=True)
class Desk:
    """An organization with everything in its tree, in published order."""

    organization: Organization
    nodes: tuple[SpaceNode, ...]
    complete: bool = True
    """False when the service does not list all spaces, so that some may be missing."""


async def read_me(api: Api) -> User | None:
    """Return the caller, or None where the service does not tell (extension E1)."""
    try:
        return await api(ops.get_current_user)
    except OperationMissing:
        return None


async def read_organizations(api: Api) -> list[Organization]:
    """Return the organizations that the caller is in."""
    return await api.every(ops.list_organizations)


async def read_only_space(api: Api, organization: str) -> str | None:
    """Return the id of the only space of an organization.

    None for several, or none, and where the service lists none.
    """
    try:
        page = await api.page(ops.list_organization_spaces, organization, limit=2)
    except OperationMissing:
        return None
    return page.items[0].id if len(page.items) == 1 and page.next is None else None


async def read_first_desk(
    api: Api, organization_id: str | None, *, insist: bool, progress: Progress
) -> tuple[Desk | None, int]:
    """Return an organization, or else the one with most rights, and the number of organizations.

    The number is 0 where nobody asked. The organization is None for a caller without any. With
    ``insist`` a closed or deleted organization raises ``Forbidden`` or ``NotFound``.
    """
    if organization_id is not None:
        try:
            return await read_desk(api, organization_id, progress=progress), 0
        except (Forbidden, NotFound):
            if insist:
                raise
    organizations = await read_organizations(api)
    if not organizations:
        return None, 0
    # Equal rows stay in the service's order.
    first = max(
        organizations, key=lambda one: one.permissions is not None and one.permissions.admin
    )
    return await read_desk(api, first.id, progress=progress), len(organizations)


async def read_desk(
    api: Api, organization_id: str, *, progress: Progress = lambda read: None
) -> Desk:
    """Return an organization and its tree. Raises ``ApiError``."""

    async def collections() -> list[Collection]:
        return await api.every(ops.list_organization_collections, organization_id)

    async def spaces() -> list[SpaceNode] | None:
        nodes: list[SpaceNode] = []
        try:
            async for space in api.pages(ops.list_organization_spaces, organization_id):
                nodes.append(space_node(space))
                if len(nodes) % PAGE == 0:
                    progress(len(nodes))
        except OperationMissing:
            return None
        return nodes

    organization, folders, found = await asyncio.gather(
        api(ops.get_organization, organization_id), collections(), spaces()
    )
    complete = found is not None
    if found is None:
        found = await _collect_spaces(api, organization_id, folders, progress)
    return Desk(organization, (*map(collection_node, folders), *found), complete)


async def _collect_spaces(
    api: Api, organization_id: str, folders: Iterable[Collection], progress: Progress
) -> list[SpaceNode]:
    """Return the spaces that other lists mention (docs/api-notes.md, Extensions)."""
    nodes: dict[str, SpaceNode] = {}
    gate = asyncio.Semaphore(AT_ONCE)
    mentioned: dict[str, None] = {}

    async def of_collection(collection: Collection) -> None:
        async with gate:
            async for space in api.pages(ops.list_collection_spaces, collection.id):
                nodes[space.id] = space_node(space)
        progress(len(nodes))

    async def of_sites() -> None:
        async for site in api.pages(ops.list_sites, organization_id):
            async with gate:
                async for shown in api.pages(ops.list_site_spaces, organization_id, site.id):
                    nodes.setdefault(shown.space.id, space_node(shown.space))

    async def of_requests() -> None:
        async for request in api.pages(ops.list_organization_change_requests, organization_id):
            mentioned[request.space] = None

    async def one(space_id: str) -> None:
        async with gate:
            try:
                space = await api(ops.get_space, space_id)
            except (Forbidden, NotFound):
                return
        if space.deleted_at is None:
            nodes[space_id] = space_node(space)
        progress(len(nodes))

    await asyncio.gather(*map(of_collection, folders), of_sites(), of_requests())
    await asyncio.gather(*(one(space_id) for space_id in mentioned if space_id not in nodes))
    return list(nodes.values())


async def read_counts(api: Api, organization_id: str) -> dict[str, int]:
    """Return the numbers of the tabs that the service counts.

    The keys are names of screens. Forbidden and missing lists are left out.
    """

    async def count(name: str, page: Awaitable[Page[Any]]) -> tuple[str, int | None]:
        try:
            return name, (await page).count
        except ApiError:
            return name, None

    asked = [
        count("sites", api.page(ops.list_sites, organization_id, limit=1)),
        count("clusters", api.page(ops.list_issues_clusters, organization_id, limit=1)),
    ]
    return {name: found for name, found in await asyncio.gather(*asked) if found is not None}


LISTED = 50
"""The number of open change requests read of a space: more than a screen shows."""


async def read_details(
    api: Api,
    node: SpaceNode,
    organization_id: str,
    me: str | None,
    people: Iterable[str],
    *,
    listed: bool = False,
) -> SpaceDetails:
    """Return the details of a space beyond its row. Raises ``ApiError``.

    ``people`` are the ids whose names are wanted; with ``listed`` its open change requests are read
    too. Forbidden parts are left out.
    """

    async def sites() -> list[tuple[str, str]]:
        try:
            page = await api.page(ops.list_sites, organization_id, space=node.id, limit=5)
        except (Forbidden, NotFound):
            return []
        return [
            (
                shown_title(site.title),
                clean(site.hostname or site.urls.published or "published")
                if site.published
                else "",
            )
            for site in page.items
        ]

    async def needs_me() -> int | None:
        if me is None or not node.open:
            return None
        page = await api.page(
            ops.list_space_change_requests, node.id, requested_reviewer=me, limit=1
        )
        return page.count if page.count is not None else len(page.items)

    async def requests() -> list[ChangeRow] | None:
        from copydesk.session.change_rows import row_of

        if not listed:
            return None
        if not node.open:
            return []
        try:
            page = await api.page(ops.list_space_change_requests, node.id, limit=LISTED)
        except (Forbidden, NotFound):
            return None
        return [row_of(request) for request in page.items]

    async def person(user_id: str) -> tuple[str, str]:
        try:
            user = (await api(ops.get_member, organization_id, user_id)).user
        except (Forbidden, NotFound):
            try:  # who left the organization is still somebody
                user = await api(ops.get_user, user_id)
            except (Forbidden, NotFound, OperationMissing):
                return user_id, user_id
        return user_id, person_name(user)

    shown, waiting, opened, names = await asyncio.gather(
        sites(), needs_me(), requests(), asyncio.gather(*(person(user_id) for user_id in people))
    )
    return SpaceDetails(
        needs_me=waiting, sites=shown, names=dict(names), requests=opened, listed=listed
    )


@dataclass(frozen=True)
class SpaceDetails:
    """The details of the space under the cursor; None is unknown.

    ``needs_me`` counts the open requests that ask the reader for a review; ``sites`` names the
    sites that show it; ``names`` maps ids of people to names.
    """

    needs_me: int | None = None
    sites: Sequence[tuple[str, str]] | None = None
    names: Mapping[str, str] | None = None
    requests: Sequence[ChangeRow] | None = None
    """Its open change requests; None where the service does not list them for the reader."""
    listed: bool = False
    """Whether these were asked for."""
