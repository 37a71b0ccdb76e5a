"""Reads of the revisions of a space: their list, and two of them compared (extension E10).

No service lists revisions: each names the one that it was made from, and so they are read one after
the other, the newest first. What they changed is read beside that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.base import Next, Page
from copydesk.domain.blame import Blame
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_text import PageText, page_text
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.text import clean, shown_title
from copydesk.session.errors import LACKS, NotDoneError
from copydesk.session.names import person_name
from copydesk.session.page_changes import (
    REUSABLE,
    UNSHOWN_PART,
    ReviewChange,
    changed_pages,
    changed_parts,
    changed_things,
    page_notes,
    settings_notes,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, Changes
    from copydesk.contract.models.content import ContentPage, ReusableContent, Revision

NO_OLDER = f"{LACKS}older versions."
"""Stands where a revision cannot be read."""

AT_ONCE = 10
"""Revisions read for one page of the list."""

NAMED = 20
"""Changes of a revision that its row is made from."""

BLAMED = 50
"""Revisions of a space that are read to tell which brought the blocks of a page, until more are
asked for."""

BLAME_REQUESTS = 2 * BLAMED
"""Requests that as many take, without the texts of the page."""

MOST = 1000
"""Changes of a revision that are looked through for one page."""


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision of a space; texts are clean.

    ``parent`` is the revision that it was made from, None of the first. ``number`` and ``subject``
    are of the change request that it merged, ``request`` its id. ``changed`` are the names of
    the pages and files it changes that were read, and ``more`` counts the rest; None is not known.
    ``imported_first`` is true of the first revision of an import: its texts may be older.
    """

    id: str
    parent: str | None
    at: datetime | None
    kind: str
    who: str
    number: int | None = None
    request: str = ""
    subject: str = ""
    message: str = ""
    changed: tuple[str, ...] | None = None
    more: int = 0
    imported_first: bool = False


async def read_revisions(
    api: Api, space_id: str, token: str | None, limit: int, page_id: str | None = None
) -> Page[RevisionRow]:
    """Return revisions from the one that ``token`` names, or the newest. Raises ``ApiError``.

    With ``page_id`` those that change the page, or so much that it is not told whether they do; the
    answer may then be empty and go on. The first revision of an import has all pages at once, and
    is no change of any of them.
    """
    most = NAMED if page_id is None else MOST
    found, following = await _read_on(api, space_id, token, limit, most)
    rows = [
        _with_changes(row, changes)
        for row, changes in found
        if page_id is None or (not row.imported_first and _may_change(changes, page_id))
    ]
    return Page[RevisionRow](items=rows, next=None if following is None else Next(page=following))


async def _read_on(
    api: Api, space_id: str, token: str | None, limit: int, most: int
) -> tuple[list[tuple[RevisionRow, Changes | None]], str | None]:
    """Read `AT_ONCE` revisions at most, and name the one to go on with.

    Each has ``most`` of its changes with it, None where they cannot be read.
    """
    revision = token or (await api(ops.get_space, space_id)).revision
    found: list[RevisionRow] = []
    following: str | None = revision
    told: list[asyncio.Task[Changes | None]] = []
    try:
        while following is not None and len(found) < min(limit, AT_ONCE):
            told.append(asyncio.create_task(_changes(api, space_id, following, most)))
            try:
                whole = await api(ops.get_revision, space_id, following, computed=False)
            except (NotFound, Forbidden) as error:
                if not found and token is None:
                    raise NotDoneError(NO_OLDER) from error
                following = None
            else:
                found.append(_row(whole))
                following = found[-1].parent
        changes = await asyncio.gather(*told[: len(found)])
        return list(zip(found, changes, strict=True)), following
    finally:
        for each in told:
            each.cancel()
        await asyncio.gather(*told, return_exceptions=True)


def _may_change(changes: Changes | None, page_id: str) -> bool:
    """Whether a revision may change a page; True where its list of changes is not complete."""
    if changes is None or changes.more:
        return True
    return any(each.page is not None and each.page.id == page_id for each in changes.changes)


def _row(revision: Revision) -> RevisionRow:
    merged = revision.merged_from
    who = revision.created_by or (merged and (merged.merged_by or merged.created_by))
    return RevisionRow(
        revision.id,
        next(iter(revision.parents), None),
        revision.created_at,
        clean(revision.type),
        person_name(who) if who else "",
        merged.number if merged else None,
        merged.id if merged else "",
        clean(merged.subject) if merged else "",
        clean((revision.git and revision.git.message) or "").strip(),
        imported_first=not revision.parents and revision.git is not None,
    )


async def _changes(api: Api, space_id: str, revision: str, limit: int) -> Changes | None:
    try:
        return await api(ops.get_revision_changes, space_id, revision, limit=limit)
    except (NotFound, Forbidden):
        return None


def _with_changes(row: RevisionRow, changes: Changes | None) -> RevisionRow:
    if changes is None:
        return row
    pages = changed_pages([], [], changes, told_only=True)
    changed = [*pages, *changed_things(None, None, changes)]
    names = tuple(shown_title(each.node.title) for each in changed)
    return replace(row, changed=names, more=changes.more or 0)


@dataclass(frozen=True, slots=True)
class BlameRow:
    """A block of a page and the revision that brought it.

    ``text`` is its first line, ``source`` all of it; ``place`` counts the blocks of the page, and
    ``line`` its lines, both from 0.
    ``revision`` is None of a block that the oldest revision of those there are, or were read, has
    already: ``oldest`` is that one. ``former`` is the place of what it took the place of, in the
    page as it was before ``revision``; None where the page had no text.
    """

    place: int
    text: str
    source: str
    revision: RevisionRow | None
    oldest: RevisionRow | None = None
    former: int | None = None
    line: int = 0


MINE = RevisionRow("mine", None, None, "edits", "mine, not sent")
"""Stands for what is staged on this machine."""


def request_row(request: ChangeRequest) -> RevisionRow:
    """Return the revision that a change request would be, for what it brings."""
    return RevisionRow(
        request.revision, None, request.updated_at, "edits",
        person_name(request.created_by) if request.created_by else "", request.number,
        request.id, clean(request.subject),
    )  # fmt: skip


class BlameReading:
    """Finds out which revision brought each block of a page, from the newest revision on.

    The page is as in main now, or as in a ``revision``. Texts that are ``newer`` than main come
    first, the newest before all, each with what brought it.
    """

    def __init__(
        self,
        space_id: str,
        page_id: str,
        revision: str | None = None,
        newer: Sequence[tuple[str, RevisionRow]] = (),
    ) -> None:
        self._of = space_id, page_id
        self._revision, self._newer = revision, newer
        self._blame: Blame[RevisionRow] | None = None
        self._token = revision
        self._oldest: RevisionRow | None = None
        self._ended = False
        self.read = 0
        """How many revisions were read."""

    @property
    def goes_on(self) -> bool:
        """Whether older revisions may tell more."""
        return self._blame is not None and self._blame.is_open() and not self._ended

    async def read_on(self, api: Api, most: int = BLAMED) -> None:
        """Read until every block is known, or so many revisions are read. Raises ``ApiError``."""
        if self._blame is None:
            texts = [text for text, _ in self._newer]
            texts.append(await _newest(api, *self._of, self._revision, new=bool(self._newer)))
            blame: Blame[RevisionRow] = await asyncio.to_thread(Blame, texts[0])
            for (_, by), older in zip(self._newer, texts[1:], strict=True):
                await asyncio.to_thread(blame.before, older, by)
            self._blame = blame
        while self.goes_on and self.read < most:
            found, token = await _read_on(api, self._of[0], self._token, AT_ONCE, MOST)
            # The oldest stands for all before it, and is known to be the first only if it says so.
            brings = [
                (row, changes)
                for row, changes in found
                if not row.imported_first and _may_change(changes, self._of[1])
            ]
            read = await asyncio.gather(*(_text_before(api, *self._of, row) for row, _ in brings))
            before = {row.id: text for (row, _), text in zip(brings, read, strict=True)}
            for row, changes in found:
                self._oldest, self.read = row, self.read + 1
                if row.id not in before:
                    continue
                if (text := before[row.id]) is None:
                    self._ended = True
                else:
                    brought = _with_changes(row, changes)
                    await asyncio.to_thread(self._blame.before, text, brought)
                if self._ended or not self._blame.is_open():
                    break
            self._token, self._ended = token, self._ended or token is None

    def rows(self) -> list[BlameRow]:
        """Return the blocks with what is known of them."""
        blame = self._blame
        if blame is None:
            return []
        return [
            BlameRow(
                at, clean(blame.line(at)), blame.source(at), row, self._oldest, blame.former[at],
                blame.first_line(at),
            )
            for at, row in enumerate(blame.brought)
        ]  # fmt: skip


async def read_blame(
    api: Api,
    space_id: str,
    page_id: str,
    revision: str | None = None,
    newer: Sequence[tuple[str, RevisionRow]] = (),
) -> list[BlameRow]:
    """Find out which revision brought each block of a page, as `BlameReading` does.

    `BLAMED` revisions are read at most. Raises ``ApiError``.
    """
    reading = BlameReading(space_id, page_id, revision, newer)
    await reading.read_on(api)
    return reading.rows()


async def _newest(api: Api, space: str, page: str, revision: str | None, *, new: bool) -> str:
    """Return the text of a page in main, or in a revision; one that may be ``new`` may have none.

    Raises ``ApiError``.
    """
    try:
        if revision is None:
            read = await api(ops.get_space_page, space, page, format="markdown", metadata=False)
        else:
            read = await api(ops.get_revision_page, space, revision, page, format="markdown")
    except NotFound:
        if not new:
            raise
        return ""
    return read.markdown or ""


async def _text_before(api: Api, space_id: str, page_id: str, row: RevisionRow) -> str | None:
    """Return the text of a page in the revision that one was made from; empty where it is new.

    None where that revision cannot be read: the page may have been there. Raises ``ApiError``.
    """
    if row.parent is None:
        return ""
    try:
        of = space_id, row.parent, page_id
        return (await api(ops.get_revision_page, *of, format="markdown")).markdown or ""
    except Forbidden:
        return None
    except NotFound:
        pass
    try:
        await api(ops.get_revision, space_id, row.parent, computed=False)
    except (NotFound, Forbidden):
        return None
    return ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two revisions of a space: what differs, and all pages of the later one.

    ``before`` is None where the later one is compared with nothing: it was the first.
    """

    space: str
    title: str
    before: RevisionRow | None
    after: RevisionRow
    pages: Sequence[PageNode]
    changes: Sequence[ReviewChange]


async def read_comparison(api: Api, space_id: str, before: str | None, after: str) -> Comparison:
    """Compare two revisions. Raises ``ApiError``, and ``NotDoneError`` where one is not there."""

    async def earlier() -> Revision | None:
        return None if before is None else await api(ops.get_revision, space_id, before)

    try:
        space, now, was = await asyncio.gather(
            api(ops.get_space, space_id), api(ops.get_revision, space_id, after), earlier()
        )
    except NotFound as error:
        raise NotDoneError(NO_OLDER) from error
    pages = flatten(now.pages)
    changes = changed_pages(flatten(was.pages) if was else [], pages, None)
    changes += changed_things(was.files if was else [], now.files, None)
    changes += changed_parts(was.reusable_contents if was else [], now.reusable_contents)
    title = shown_title(space.title)
    return Comparison(space_id, title, _row(was) if was else None, _row(now), pages, changes)


async def read_compared(api: Api, compared: Comparison, change: ReviewChange) -> PageText:
    """Read both texts of what differs and compare them, in a thread. Raises ``ApiError``."""
    if change.thing == REUSABLE:
        return await _part_text(api, compared, change)
    if change.thing:
        return page_text("", "", page_notes(change))

    async def read(revision: RevisionRow | None, page: PageNode | None) -> ContentPage | None:
        if revision is None or page is None:
            return None
        of = compared.space, revision.id, page.id
        return await api(ops.get_revision_page, *of, format="markdown")

    was, now = await asyncio.gather(
        read(compared.before, change.before), read(compared.after, change.after)
    )
    notes = [*page_notes(change), *settings_notes(was, now)]
    old, new = ((each.markdown if each else None) or "" for each in (was, now))
    return await asyncio.to_thread(page_text, old, new, notes, alike=old == new != "")


async def _part_text(api: Api, compared: Comparison, change: ReviewChange) -> PageText:
    async def read(revision: RevisionRow | None, there: PageNode | None) -> ReusableContent | None:
        if revision is None or there is None:
            return None
        key = change.id.removeprefix(f"{REUSABLE}:")
        return await api(ops.get_revision_reusable_content, compared.space, revision.id, key)

    was, now = await asyncio.gather(
        read(compared.before, change.before), read(compared.after, change.after)
    )
    return await part_text(was, now, page_notes(change))


TEXT_UNTOLD = "The service does not tell its text; the pages that use it show it."


async def part_text(
    was: ReusableContent | None, now: ReusableContent | None, notes: list[str]
) -> PageText:
    """Compare the texts of a reusable content, in a thread; one that is not told is no text."""
    notes = [note for note in notes if note != UNSHOWN_PART]
    if any(each is not None and each.markdown is None for each in (was, now)):
        return page_text("", "", [*notes, TEXT_UNTOLD])
    old, new = ((each.markdown if each else None) or "" for each in (was, now))
    return await asyncio.to_thread(page_text, old, new, notes)
