"""Reading the tree of collections and spaces to arrange it, and the trash.

The API lists no deleted spaces. One that is in the trash still answers to those who may restore it,
so the ids are looked up that this machine has seen go: of what it deleted itself, of what a site
still shows, and of what was listed when it was last here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from copydesk.domain.layout import Layout
from copydesk.domain.space_tree import TRASH_DAYS, RuleList, SpaceNode, rule_list
from copydesk.domain.text import clean
from copydesk.domain.tree_arrangement import layout_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.session import Session

AT_ONCE = 6
"""Requests in flight at once."""

PAGE = 250

LOOKED_UP = 60
"""So many spaces are looked up in the trash: those that were seen going last."""

SITES = 20
"""So many sites are asked which spaces they show."""


@dataclass(frozen=True)
class TreeRead:
    """An organization, its tree, and why the reader may not change it (empty when they may).

    ``listed`` says that the service lists spaces; ``hidden`` counts those in collections that the
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
    """Whether the reader may put something at the top."""


@dataclass(frozen=True, slots=True)
class Trashed:
    """A space in the trash; texts are clean. ``shown_by`` are titles of sites that show it.

    ``parent`` is the id of the collection that it comes back to; empty for the top.
    """

    id: str
    title: str
    deleted: datetime
    shown_by: tuple[str, ...] = ()
    parent: str = ""

    def days_left(self, now: datetime) -> int:
        """Return for how many days it can still be restored, those begun counted."""
        left = self.deleted + timedelta(days=TRASH_DAYS) - now
        return max(0, -(-left // timedelta(days=1)))


async def read_tree(api: Api, organization: str) -> TreeRead:
    """Return the tree of an organization. Raises ``ApiError``."""
    from copydesk.session.reads.spaces import read_desk

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
        clean(desk.organization.title).strip() or "Untitled",
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
    """Return the key under which the spaces are kept that are listed no more."""
    return f"gone {organization}"


def remember_gone(
    snapshot: Snapshots, organization: str, before: Iterable[SpaceNode], after: Iterable[SpaceNode]
) -> None:
    """Keep the ids of spaces that were listed and are no more: they may be in the trash."""
    there = {node.id for node in after}
    gone = [node.id for node in before if node.kind == "space" and node.id not in there]
    if gone:
        kept = [each for each in read_gone(snapshot, organization) if each not in gone]
        _keep_gone(snapshot, organization, [*gone, *kept])


def _keep_gone(snapshot: Snapshots, organization: str, ids: Sequence[str]) -> None:
    """Keep ids to be looked up again. A full disk is no reason to bother anybody."""
    with suppress(OSError):
        snapshot.write(gone_key(organization), [{"id": each} for each in ids[:LOOKED_UP]])


def read_gone(snapshot: Snapshots, organization: str) -> list[str]:
    """Return the ids of spaces that were listed here once, the last one seen first."""
    rows = snapshot.read(gone_key(organization))
    return [row["id"] for row in rows if isinstance(row.get("id"), str)]


def deleted_here(session: Session) -> list[str]:
    """Return the ids of spaces that this machine deleted, or may have, newest first.

    What was written so long ago that it cannot be restored is left out.
    """
    since = (session.clock() - timedelta(days=TRASH_DAYS + 1)).timestamp()
    found: dict[str, None] = {}
    for entry in reversed(session.journal.entries()):
        if entry.at < since:
            continue
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
) -> tuple[Trashed, ...]:
    """Return the spaces of an organization that are known to be in the trash, newest first.

    ``listed`` are the ids of those that are not. Without ``sites`` none of these is asked what it
    shows: then there is nothing to ask at all as long as none was seen going. What the reader may
    not see is left out. Raises ``ApiError``.
    """
    shown = await _shown_by_sites(api, organization) if sites else {}
    known = await asyncio.to_thread(deleted_here, session)
    gone = await asyncio.to_thread(read_gone, session.snapshot, organization)
    ids = [each for each in dict.fromkeys([*known, *shown, *gone]) if each not in listed]
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(row: str) -> Trashed | None:
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.contract import operations as ops

        async with gate:
            try:
                space = await api(ops.get_space, row)
            except (Forbidden, NotFound):
                return None
        if space.deleted_at is None or (space.organization or organization) != organization:
            return None
        title = clean(space.title).strip() or "Untitled"
        sites = tuple(shown.get(row, ()))
        return Trashed(row, title, space.deleted_at, sites, space.parent or "")

    found = [each for each in await asyncio.gather(*map(one, ids[:LOOKED_UP])) if each]
    found.sort(key=lambda each: (each.deleted, each.id), reverse=True)
    there = [each.id for each in found]
    if there != gone:  # what is there no more is not looked up again
        await asyncio.to_thread(_keep_gone, session.snapshot, organization, there)
    return tuple(found)


async def _shown_by_sites(api: Api, organization: str) -> dict[str, list[str]]:
    """Return the titles of the sites that show a space in the trash, by its id."""
    from copydesk.client.errors import Forbidden, NotFound
    from copydesk.contract import operations as ops

    found: dict[str, list[str]] = {}
    gate = asyncio.Semaphore(AT_ONCE)

    async def of_site(site: str, title: str) -> None:
        with suppress(Forbidden, NotFound):
            async with gate:
                async for shown in api.pages(ops.list_site_spaces, organization, site, limit=PAGE):
                    if shown.space.deleted_at is not None:
                        found.setdefault(shown.space.id, []).append(title)

    try:
        page = await api.page(ops.list_sites, organization, limit=SITES)
    except (Forbidden, NotFound):
        return {}
    await asyncio.gather(
        *(of_site(site.id, clean(site.title).strip() or "Untitled") for site in page.items)
    )
    return found


async def sites_showing(api: Api, organization: str, space: str) -> list[str]:
    """Return the titles of the sites that show a space. Raises ``ApiError``."""
    from copydesk.client.errors import Forbidden, NotFound
    from copydesk.contract import operations as ops

    try:
        page = await api.page(ops.list_sites, organization, space=space, limit=SITES)
    except (Forbidden, NotFound):
        return []
    return [clean(site.title).strip() or "Untitled" for site in page.items]
