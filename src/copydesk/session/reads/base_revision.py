"""Reads of the base revision of a change request, and of main's changes to its pages since.

Older revisions are an extension (E10). Without it, the time of main's last edit tells whether a
page changed; its former text is unknown then.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, cast
from weakref import WeakKeyDictionary

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.models.content import RevisionTree
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import PageChange, PageNode, compare_trees, flatten, on_both_sides
from copydesk.domain.text import shown_title
from copydesk.session.page_changes import changed_pages, changed_things, read_changes

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import Changes
    from copydesk.contract.models.content import File
    from copydesk.session.change_rows import ChangeRow

T = TypeVar("T")

REVISION = ops.get_revision.read_as(RevisionTree)
"""A whole revision, read without the parts that are not compared."""

KEPT = 200
"""Cached comparisons, one per change request, valid while neither side changes."""

KEPT_TREES = 6
"""Cached whole revisions, which may be large."""

KEPT_SINCE = 24
"""Cached lists of what primary content changed since a revision, which requests share."""


class _Fixed:
    """Immutable answers, by their origin; the least used first. Of a kind ``most`` are kept."""

    def __init__(self) -> None:
        self._kept: dict[int, OrderedDict[tuple[str, ...], object]] = {}

    async def get(
        self, key: tuple[str, ...], make: Callable[[], Awaitable[T]], *, most: int = KEPT
    ) -> T:
        kept = self._kept.setdefault(most, OrderedDict())
        if key not in kept:
            answer = await make()
            if answer is None:
                return answer  # a missing answer may appear later, with other rights
            kept[key] = answer
        kept.move_to_end(key)
        while len(kept) > most:
            kept.popitem(last=False)
        return cast("T", kept[key])


_FIXED: WeakKeyDictionary[Api, _Fixed] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class RevisionOutline:
    """What a revision is compared by: its pages in reading order, and its files.

    A page of it takes a sixth of the memory of its model.
    """

    id: str
    pages: Sequence[PageNode]
    files: Sequence[File]


async def read_revision(api: Api, space_id: str, revision: str) -> RevisionOutline | None:
    """Return a revision; None where the service does not have it. Raises ``ApiError``."""
    if not revision:
        return None

    async def read() -> RevisionOutline:
        found = await api(REVISION, space_id, revision)
        return RevisionOutline(found.id, flatten(found.pages), found.files)

    try:
        return await _fixed(api).get((space_id, revision), read, most=KEPT_TREES)
    except (OperationMissing, NotFound, Forbidden):
        return None


async def read_both_sides(api: Api, request: ChangeRow, main: str) -> Sequence[str] | None:
    """Return the titles of pages that both a change request and primary content changed.

    None where that is unknown, or main has not changed. ``main`` is the space's revision. Raises
    ``ApiError``.
    """
    if not request.outdated or request.status not in ("open", "draft"):
        return None

    async def compared() -> Sequence[str] | None:
        return await _compared(api, request, main)

    async def written() -> Sequence[str] | None:
        return await _written_since(api, request, main)

    key = (request.id, request.revision, request.base, main)
    both = await _fixed(api).get(key, compared)
    if both is not None:
        return both
    # The rights to read revisions may change later.
    final = not api.has(ops.get_revision)
    return await (_fixed(api).get(("written", *key), written) if final else written())


async def _compared(api: Api, request: ChangeRow, main: str) -> Sequence[str] | None:
    """Compare the three revisions; None where the service lacks one."""
    space = request.space

    async def changed() -> _Since | None:
        return await _changed_since(api, space, request.base, main)

    since = await _fixed(api).get((space, request.base, main), changed, most=KEPT_SINCE)
    if since is None:
        return None
    told = await read_changes(api, space, request.id)
    if told is not None and told.more:
        return None
    mine = await _touched(api, request, told)
    titles = [change.page.title for change in on_both_sides(mine, since.pages)]
    files = [each.node for each in changed_things(None, None, told) if each.id in since.files]
    titles += [each.title for each in files]
    return [shown_title(title) for title in titles]


@dataclass(frozen=True, slots=True)
class _Since:
    """What primary content changed: its pages, and the ids of its files."""

    pages: Sequence[PageChange]
    files: frozenset[str]


async def _changed_since(api: Api, space: str, base: str, main: str) -> _Since | None:
    """Compare two revisions of a space; None where the service lacks one."""
    # One after the other: of a large space each is megabytes, and the second is known for all rows.
    before = await read_revision(api, space, base)
    now = await read_revision(api, space, main)
    if before is None or now is None:
        return None
    return _Since(
        compare_trees(before.pages, now.pages),
        frozenset(each.id for each in changed_things(before.files, now.files, None)),
    )


async def _touched(api: Api, request: ChangeRow, told: Changes | None) -> list[PageChange]:
    if told is None:
        base = await read_revision(api, request.space, request.base)
        tree = await api(ops.list_change_request_pages, request.space, request.id)
        return compare_trees(base.pages if base else (), flatten(tree.pages))
    return [
        PageChange(each.id, each.kinds, each.before, each.after)
        for each in changed_pages([], [], told)
    ]


async def _written_since(api: Api, request: ChangeRow, main: str) -> Sequence[str] | None:
    """Return the changed pages that main edited or removed since the request was opened.

    None where the service does not list all changes.
    """

    async def read() -> Mapping[str, PageNode]:
        pages = (await api(ops.list_space_pages, request.space)).pages
        return {node.id: node for node in flatten(pages)}

    changes = await read_changes(api, request.space, request.id)
    if changes is None or changes.more:
        return None
    now = await _fixed(api).get(("pages", request.space, main), read, most=KEPT_TREES)
    found: dict[str, str] = {}
    for change in changes.changes:
        page = None if change.type == "page_created" else change.page
        if page is not None and written_since(request, now.get(page.id)):
            found[page.id] = shown_title(page.title)
    return list(found.values())


def written_since(request: ChangeRow, now: PageNode | None) -> bool:
    """Whether a page of main was removed or edited since a change request was opened."""
    written = None if now is None else now.version[1]
    # Times are whole seconds: an edit in the same second may be later.
    return now is None or (
        written is not None and datetime.fromisoformat(written) >= request.created
    )


def _fixed(api: Api) -> _Fixed:
    return _FIXED.setdefault(api, _Fixed())
