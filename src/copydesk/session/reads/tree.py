"""Reads of the tree of collections and spaces to arrange it, and of the trash.

The API lists no deleted spaces. A space in the trash still answers to those who may restore it, so
known ids are looked up: spaces that this machine deleted, that a site still shows, and that were
listed here before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import Layout
from copydesk.domain.request_context import whole_answers
from copydesk.domain.space_tree import TRASH_DAYS, RuleList, SpaceNode, rule_list
from copydesk.domain.text import shown_title
from copydesk.domain.tree_arrangement import layout_of
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import read_desk

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.session import Session

AT_ONCE = 6
"""Requests in flight at once."""

LOOKED_UP = 60
"""The number of spaces looked up in the trash, the last deleted first."""

SITES = 20
"""The number of sites whose spaces are read."""


@dataclass(frozen=True)
class TreeRead:
    """An organization, its tree, and why the reader may not change it ("" when they may).

    ``listed`` says that the service lists spaces; ``hidden`` counts spaces in collections that the
    reader cannot see. ``rules`` are the merge rules of the organization.
    """

    organization: str
    title: str
    nodes: Mapping[str, SpaceNode]
    layout: Layout
    listed: bool
    hidden: int
    rules: tuple[str, RuleList]
    refused: str = ""
    creates: bool = True
    """Whether the reader may create something at the top."""


@dataclass(frozen=True, slots=True)
class TrashedSpace:
    """A space in the trash; texts are clean. ``shown_by`` are titles of sites that show it.

    ``parent`` is the id of the collection it returns to; "" for the top.
    """

    id: str
    title: str
    deleted: datetime
    shown_by: tuple[str, ...] = ()
    parent: str = ""

    def days_left(self, now: datetime) -> int:
        """Return the days left to restore it, the current one included."""
        left = self.deleted + timedelta(days=TRASH_DAYS) - now
        return max(0, -(-left // timedelta(days=1)))


async def read_tree(api: Api, organization: str) -> TreeRead:
    """Return the tree of an organization.

    Raises ``ApiError``, also where a part of it is not understood: without that part it would be
    another tree with other rules, and the requests that change it follow from it.
    """
    with whole_answers():
        desk = await read_desk(api, organization)
    layout, hidden = layout_of(desk.nodes)
    granted = desk.organization.permissions
    creates = granted is None or granted.create_content
    known = [node.permissions for node in desk.nodes]
    administers = any(each is None or "admin" in each for each in known)
    refused = ""
    if not creates and not administers:
        refused = "You may only look: this takes the role admin in a space or a collection."
    return TreeRead(
        organization,
        shown_title(desk.organization.title),
        {node.id: node for node in desk.nodes},
        layout,
        desk.complete,
        hidden,
        rule_list(desk.organization.merge_rules),
        refused,
        creates,
    )


# The trash


def gone_key(organization: str) -> str:
    """Return the snapshot key of spaces that are listed no more."""
    return f"gone {organization}"


def remember_gone(
    snapshot: Snapshots, organization: str, before: Iterable[SpaceNode], after: Iterable[SpaceNode]
) -> None:
    """Save the ids of spaces that are listed no more: they may be in the trash."""
    there = {node.id for node in after}
    gone = [node.id for node in before if node.kind == "space" and node.id not in there]
    if gone:
        kept = [each for each in read_gone(snapshot, organization) if each not in gone]
        _keep_gone(snapshot, organization, [*gone, *kept])


def _keep_gone(snapshot: Snapshots, organization: str, ids: Sequence[str]) -> None:
    snapshot.write(gone_key(organization), [{"id": each} for each in ids[:LOOKED_UP]])


def read_gone(snapshot: Snapshots, organization: str) -> list[str]:
    """Return the saved ids of spaces that are listed no more, the newest first."""
    rows = snapshot.read(gone_key(organization))
    return [row["id"] for row in rows if isinstance(row.get("id"), str)]


def deleted_here(session: Session) -> list[str]:
    """Return the ids of spaces that this machine deleted, or may have, newest first.

    Deletions too old to be restored are left out.
    """
    since = (session.clock() - timedelta(days=TRASH_DAYS + 1)).timestamp()
    found: dict[str, None] = {}
    for entry in reversed(session.journal.entries(since=since)):
        steps: Sequence[Any] = (entry.reversal or {}).get("back") or ()
        for step in [*steps, *((entry.reversal or {}).get("forth") or ())]:
            match step:
                case {
                    "operation": "restore_space" | "delete_space",
                    "arguments": {"space_id": str(row)},
                }:
                    found.setdefault(row)
    return list(found)


async def read_trash(
    session: Session,
    api: Api,
    organization: str,
    listed: Collection[str],
    *,
    sites: bool = True,
) -> tuple[TrashedSpace, ...]:
    """Return the known spaces of an organization in the trash, newest first.

    ``listed`` are the ids of existing spaces. Without ``sites`` no site is read: then no request is
    made unless an id is saved. Forbidden spaces are left out. Raises ``ApiError``.
    """
    shown = await _shown_by_sites(api, organization) if sites else {}
    known = await asyncio.to_thread(deleted_here, session)
    gone = await asyncio.to_thread(read_gone, session.snapshot, organization)
    ids = [each for each in dict.fromkeys([*known, *shown, *gone]) if each not in listed]
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(row: str) -> TrashedSpace | None:
        async with gate:
            try:
                space = await api(ops.get_space, row)
            except (Forbidden, NotFound):
                return None
        if space.deleted_at is None or (space.organization or organization) != organization:
            return None
        title = shown_title(space.title)
        sites = tuple(shown.get(row, ()))
        return TrashedSpace(row, title, space.deleted_at, sites, space.parent or "")

    found = [each for each in await asyncio.gather(*map(one, ids[:LOOKED_UP])) if each]
    found.sort(key=lambda each: (each.deleted, each.id), reverse=True)
    there = [each.id for each in found]
    if there != gone:  # deleted spaces are not looked up again
        await asyncio.to_thread(_keep_gone, session.snapshot, organization, there)
    return tuple(found)


async def _shown_by_sites(api: Api, organization: str) -> dict[str, list[str]]:
    """Return the titles of the sites that show a space in the trash, by its id."""
    found: dict[str, list[str]] = {}
    gate = asyncio.Semaphore(AT_ONCE)

    async def of_site(site: str, title: str) -> None:
        with suppress(Forbidden, NotFound):
            async with gate:
                async for shown in api.pages(ops.list_site_spaces, organization, site):
                    if shown.space.deleted_at is not None:
                        found.setdefault(shown.space.id, []).append(title)

    try:
        page = await api.page(ops.list_sites, organization, limit=SITES)
    except (Forbidden, NotFound):
        return {}
    await asyncio.gather(*(of_site(site.id, shown_title(site.title)) for site in page.items))
    return found


async def sites_showing(api: Api, organization: str, space: str) -> list[str]:
    """Return the titles of the sites that show a space. Raises ``ApiError``."""
    try:
        page = await api.page(ops.list_sites, organization, space=space, limit=SITES)
    except (Forbidden, NotFound):
        return []
    return [shown_title(site.title) for site in page.items]
