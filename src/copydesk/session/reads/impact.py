"""Reads of the effect of a change request on the links around it.

Backlinks are read from primary content, which is the state before the change: for every page that
the request edits, moves, renames or removes, and for every file that it touches. Links may break on
new or edited pages of the request, and on every page that links to a moved, renamed or removed one;
there the links of the request are compared with those of primary content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeVar

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.domain.impact import Breakage, Impact, Pointer, newly
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shown_title
from copydesk.session.errors import sentence
from copydesk.session.page_changes import FILE, ReviewChange
from copydesk.session.page_rows import reference

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.link import Backlink, Link

T = TypeVar("T")


AT_ONCE = 4
"""Requests under way at the same time."""

LINKS = 500
"""Links or backlinks read with one request."""

BREAKING = frozenset({"moved", "renamed", "deleted", "moved out"})
"""The kinds of change that may break links to a page."""

DOUBTFUL = frozenset({"added", "edited", "moved", "file moved"})
"""The kinds of change that may break a page's own links."""

Progress = Callable[[int, int], None]
"""Takes the number of finished reads, and of all known ones."""


@dataclass
class _ImpactRead:
    """One read of an impact, and its progress."""

    api: Api
    space: str
    request: str
    progress: Progress
    turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    ended: int = 0
    known: int = 0
    unread: int = 0
    looked: set[str] = field(default_factory=set)

    async def each(
        self, read: Callable[[str], Awaitable[Sequence[T]]], ids: Iterable[str]
    ) -> list[tuple[str, Sequence[T]]]:
        """Read each id, a few at a time; a forbidden one gives an empty result."""
        wanted = list(dict.fromkeys(ids))
        self.known += len(wanted)

        async def one(thing: str) -> tuple[str, Sequence[T]]:
            async with self.turn:
                try:
                    found = await read(thing)
                except OperationMissing:
                    raise
                except (Forbidden, NotFound):
                    self.unread += 1
                    found = ()
                self.ended += 1
                self.progress(self.ended, self.known)
                return thing, found

        return list(await asyncio.gather(*(one(thing) for thing in wanted)))

    async def backlinks(self, page: str) -> list[Backlink]:
        """Return the links to a page of primary content."""
        return await self.api.every(ops.list_space_page_backlinks, self.space, page, limit=LINKS)

    async def users(self, file: str) -> list[Backlink]:
        """Return the links to a file in the request, or to a removed file in primary content.

        Its users there are those that will miss it.
        """
        try:
            return await self.api.every(
                ops.list_change_request_file_backlinks, self.space, self.request, file, limit=LINKS
            )
        except OperationMissing:
            raise
        except NotFound:
            return await self.api.every(
                ops.list_space_file_backlinks, self.space, file, limit=LINKS
            )

    async def broken(self, page: str) -> list[str]:
        """Return the targets of links of a page that break with the request."""
        found = await self._newly_broken(page)
        self.looked.add(page)
        return found

    async def _newly_broken(self, page: str) -> list[str]:
        pages = self.api.pages(
            ops.list_change_request_page_links, self.space, self.request, page, limit=LINKS
        )
        after = [_leads(link) async for link in pages if link.status == "broken"]
        if not after:
            return []
        try:
            old = self.api.pages(
                ops.list_space_page_links, self.space, page, limit=LINKS, status="broken"
            )
            before = [_leads(link) async for link in old]
        except OperationMissing:
            raise
        except NotFound:  # a page that the request adds
            before = []
        return newly(after, before)


async def read_impact(
    api: Api,
    space_id: str,
    request_id: str,
    changes: Sequence[ReviewChange],
    progress: Progress = lambda ended, known: None,
) -> Impact:
    """Read the links to the changes of a request, and the links that it breaks.

    ``changes`` are its changed pages and files. Missing or forbidden ones count as unread; any
    other error ends the read. From a service without links the impact says so. Raises
    ``ApiError``.
    """
    try:
        return await _read(_ImpactRead(api, space_id, request_id, progress), changes)
    except OperationMissing as error:
        return Impact([], [], lacks=sentence(error))


async def _read(reading: _ImpactRead, changes: Sequence[ReviewChange]) -> Impact:
    pages = {change.id: change for change in changes if not change.thing}
    files = [change.id.removeprefix(FILE) for change in changes if change.file and change.before]
    before = [page for page, change in pages.items() if change.before is not None]
    linked, used = await asyncio.gather(
        reading.each(reading.backlinks, before), reading.each(reading.users, files)
    )
    pointers = [
        _pointer(backlink, page, "page", reading.space)
        for page, found in linked
        for backlink in found
    ]
    pointers += [
        _pointer(backlink, FILE + file, "file", reading.space)
        for file, found in used
        for backlink in found
    ]
    known = [pointer for pointer in pointers if pointer is not None]
    titles = {pointer.page: pointer.title for pointer in known if pointer.here}
    titles |= {page: shown_title(change.node.title) for page, change in pages.items()}
    doubtful = [page for page, change in pages.items() if DOUBTFUL & set(change.kinds)]
    doubtful += [
        pointer.page
        for pointer in known
        if pointer.here and _may_break(pages.get(pointer.changed), pointer)
    ]
    gone = {page for page, change in pages.items() if change.after is None}
    broken = await reading.each(reading.broken, [page for page in doubtful if page not in gone])
    return Impact(
        [pointer for pointer in known if not (pointer.here and pointer.page in gone)],
        [Breakage(page, titles[page], leads) for page, found in broken for leads in found],
        reading.unread,
        frozenset(reading.looked),
    )


def _may_break(change: ReviewChange | None, pointer: Pointer) -> bool:
    return pointer.kind == "file" or (change is not None and bool(BREAKING & set(change.kinds)))


def _pointer(
    backlink: Backlink, changed: str, kind: Literal["page", "file"], space_id: str
) -> Pointer | None:
    page = backlink.page
    if page is None:
        return None
    space = backlink.space.id if backlink.space is not None else space_id
    return Pointer(
        changed=changed,
        kind=kind,
        page=page.id,
        title=shown_title(page.title),
        space=space,
        space_title=clean(backlink.space.title) if backlink.space is not None else "",
        here=space == space_id,
    )


def _leads(link: Link) -> str:
    return "nowhere" if link.target is None else reference(link.target)
