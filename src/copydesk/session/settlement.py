"""Settling a change request with main: what both changed, what is chosen, how it is sent.

The choices are on the disk with their revisions before they are shown. The run is worked out anew
before each of its writes, from the pages as they are: whatever cut it off, it goes on from there.
First the pages that conflict are made those of main, then the request is updated, which meets no
conflict any more, then the pages are made what was chosen. Where the request has all of main
already, only the last is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from copydesk.client.errors import NotFound
from copydesk.domain.hunks import Choice, Hunk
from copydesk.domain.hunks import named as named_hunks
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_edits import MOST
from copydesk.domain.page_source import OTHERS, others_of, with_setting
from copydesk.domain.page_tree import PageNode, compare_trees, flatten
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step
from copydesk.domain.settlement import (
    FILE,
    Now,
    PageSide,
    PageSides,
    SettledPage,
    Settling,
    Wanted,
    clearing,
    lost_with,
    settled_page,
    with_rivals,
    writing,
)
from copydesk.domain.slug import free_slug
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, plural, shown_title
from copydesk.session.change_rows import base_of
from copydesk.session.errors import NotDoneError, failure_types
from copydesk.session.operations import ops
from copydesk.session.page_changes import FILE as FILES
from copydesk.session.page_changes import changed_things, content_of
from copydesk.session.page_edits import source_of
from copydesk.session.reads.base_revision import RevisionOutline, read_revision
from copydesk.session.writes.log import RecalledError, WriteError
from copydesk.session.writes.merges import ConflictedError, FileSide, update

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.content import File
    from copydesk.contract.models.space import Space
    from copydesk.session.session import Session

AT_ONCE = 4
"""Requests under way at the same time."""

NO_REVISIONS = "This service shows no revisions: settle it in the app (o)."

NOT_ALLOWED = "You may review here, not edit: its author can settle it."

SIDES = {"before": "before", "request": "this change request", "main": "main"}
"""The sides, as words."""

CUT_OFF = "settling it was cut off: U in its review goes on"

USES = (
    "get_change_request", "get_space", "get_revision", "get_revision_page",
)  # fmt: skip
"""What reading both sides sends."""

SENDS = (
    "get_change_request", "get_change_request_revision", "get_change_request_page", "get_space",
    "update_change_request_content", "pull_change_request_updates",
    "pull_change_request_updates_with_files",
)  # fmt: skip
"""What settling sends."""


@dataclass(frozen=True, slots=True)
class SettledFile:
    """A file that both sides changed, which is taken from one of them.

    ``title`` is its name, clean. ``said`` are words for what each side has, by the side, and
    ``ids`` its ids on the sides that have it. Its one hunk has their contents, as digests.
    """

    id: str
    title: str
    said: Mapping[str, str]
    ids: Mapping[str, str]
    hunks: tuple[Hunk, ...]
    merged = 0
    """How many changes were merged by themselves: a file is one."""

    @property
    def conflicts(self) -> list[Hunk]:
        """Its hunk: a person chooses."""
        return list(self.hunks)

    def open(self, choices: Mapping[str, Choice]) -> list[Hunk]:
        """Return its hunk while nothing is chosen."""
        return [hunk for hunk in self.hunks if hunk.key not in choices]

    def side(self, choices: Mapping[str, Choice]) -> FileSide:
        """Return from where it is taken."""
        return "primary" if choices[self.hunks[0].key].side == "main" else "change"

    @property
    def elsewhere(self) -> str:
        """Where it is settled on a service that takes no choice of files, as sentences."""
        sides = ", ".join(f"{SIDES[side]} {said}" for side, said in self.said.items())
        return f"Both changed {self.title}. Settle it in the app (o): {sides}."


class EditedError(NotDoneError):
    """Somebody else edited a page or a file after its sides were read: none of it is sent."""


class Settlement:
    """One change request that is settled: its pages, and the choices that are kept of them.

    ``tell`` is called whenever the run has come further. Nothing of it draws.
    """

    kept: Settling | None = None
    now: ChangeRequest | None = None
    elsewhere = 0
    """How many pages both sides changed that an update merges by itself."""
    refused = ""
    """Why nothing can be settled here, as a sentence."""
    new = 0
    """How many hunks are open that were not there when choices were made."""
    under_way = False
    """Whether it is being sent, or waits for that while it can be recalled."""
    restored = False
    """Whether undo gives the request its own text back: where it has that, there is nothing."""
    _recall = False
    """Whether the next write can be recalled before it is sent."""
    _trees: tuple[RevisionOutline | None, RevisionOutline, RevisionOutline] | None = None

    def __init__(self, session: Session, space: str, request: str) -> None:
        self.session, self.space, self.request = session, space, request
        self.pages: list[SettledPage] = []
        self.files: list[SettledFile] = []
        """The files that both sides changed, and that are settled here."""
        self.others: list[SettledFile] = []
        """Those that this service settles in the app alone."""
        self._extra: list[Wanted] = []
        """New pages below pages that main deleted. They are written again."""
        self._lost: list[Wanted] = []
        """The others below those: main deleted them too."""
        self._sides: dict[str, PageSide] = {}
        self._sent: Sequence[JSON] = []

    # Choices

    @property
    def choices(self) -> Mapping[str, Choice]:
        """The choices made, by the keys of their hunks."""
        return {} if self.kept is None else self.kept.choices

    @property
    def parts(self) -> list[SettledPage | SettledFile]:
        """The pages, then the files that are settled here."""
        return [*self.pages, *self.files]

    @property
    def open(self) -> list[tuple[SettledPage | SettledFile, Hunk]]:
        """The hunks without a choice, with their pages or files."""
        return [(part, hunk) for part in self.parts for hunk in part.open(self.choices)]

    @property
    def stopped(self) -> bool:
        """Whether a run stopped on its way, or was cut off."""
        return self.kept is not None and self.kept.state == "sending" and not self.under_way

    async def choose(self, choices: Mapping[str, Choice | None]) -> None:
        """Choose of hunks, by their keys; it is on the disk when this returns. One step of `undo`.

        Raises ``OSError`` when the disk refuses; then nothing changed.
        """
        assert self.kept is not None
        await self._keep(self.kept.choose(choices))

    async def undo(self) -> bool:
        """Take back the newest step; False where there is none."""
        assert self.kept is not None
        if not self.kept.steps:
            return False
        await self._keep(self.kept.undo())
        return True

    async def _keep(self, kept: Settling) -> None:
        await asyncio.to_thread(self.session.settlings.save, kept)
        self.kept = kept

    # Reading

    async def read(self) -> None:
        """Read both sides and the choices. Raises ``ApiError`` and `NotDoneError`."""
        api = await self.session.ready()
        now = await api(ops.get_change_request, self.space, self.request)
        self.request = now.id
        name = f"{self.space} {now.id}"
        going = self.session.settling.get(name)
        if going is not None and going is not asyncio.current_task():
            await asyncio.wait({going})  # its screen was left, and it goes on
            now = await api(ops.get_change_request, self.space, self.request)
        kept = await asyncio.to_thread(self.session.settlings.load, name)
        space = await api(ops.get_space, self.space)
        main = space.revision
        self.refused = _refused(api, space)
        base = base_of(now)
        if kept is None or kept.state == "sent":
            made = self.session.clock().timestamp()
            kept = Settling(name, made, self.space, self.request, base, main, now.revision)
        elif kept.how == "update" and kept.state == "open":
            kept = replace(kept, base=base, main=main, head=now.revision)
        elif kept.how == "update" and base != kept.main:
            kept = replace(kept, main=main)
        self.now = now
        await self._read_sides(api, kept)
        self.new = sum(len(part.open(kept.choices)) for part in self.parts) if kept.choices else 0
        self.kept = kept

    async def look(self, kept: Settling) -> None:
        """Read the sides that are given, of a change request that is not there yet."""
        api = await self.session.ready()
        self.now = await api(ops.get_change_request, self.space, self.request)
        self.refused = _refused(api, await api(ops.get_space, self.space))
        await self._read_sides(api, kept)
        self.kept = kept

    @property
    def idle(self) -> bool:
        """Whether main is already as all of it is wanted."""
        assert self._trees is not None
        wanted = with_rivals(self.pages, self.choices, self._sides)
        mains = {page.id: page.sides.main for page in self.pages if page.sides.main}
        sources = {page: side.source for page, side in mains.items()}
        others = {page: side.others for page, side in mains.items()}
        now = Now(_parents(self._trees[1]), sources, others)
        return wanted is not None and not writing(wanted, now, lambda page: "")

    @property
    def staying(self) -> list[str]:
        """The names of main's files that the request would not have: no write takes a file out."""
        assert self._trees is not None
        before, main, head = (
            {file.id: file for file in tree.files} if tree else {} for tree in self._trees
        )
        return [clean(main[key].name) for key in before if key in main and key not in head]

    def page_name(self, page: str) -> str:
        """Return what a page is called, by its id; clean text."""
        for tree in reversed(self._trees or ()):
            if tree is not None and page in (nodes := _nodes(tree)):
                return shown_title(nodes[page].title)
        return clean(page)

    async def _read_sides(self, api: Api, kept: Settling) -> None:
        trees = [
            await read_revision(api, self.space, revision)
            for revision in (kept.base, kept.main, kept.head)
        ]
        before, main, head = trees
        if main is None or head is None:
            raise NotDoneError(NO_REVISIONS)
        self._trees = before, main, head
        candidates = self._candidates(kept)
        revisions = (kept.base, kept.main, kept.head)
        turn = asyncio.Semaphore(AT_ONCE)
        shifted: set[str] = set()
        if kept.how == "write" and before is not None:  # an update keeps the order by itself
            mine = compare_trees(before.pages, head.pages)
            shifted = {change.id for change in mine if {"moved", "added"} & {*change.kinds}}

        async def side(at: int, page: str) -> PageSide | None:
            tree = trees[at]
            node = None if tree is None else _nodes(tree).get(page)
            if node is None:
                return None
            async with turn:
                found = await api(
                    ops.get_revision_page, self.space, revisions[at], page, format="markdown"
                )
            others = others_of(found.to_dict())
            return PageSide(source_of(found), node.parent, node.position, others)

        async def page(id: str) -> SettledPage:
            was, one, other = await asyncio.gather(*(side(at, id) for at in range(3)))
            rival = self._rival(id)
            free = self._free_slugs(id) if rival else ("", "")
            both = PageSides(
                id, was, one, other,
                held=self._held(id), shifted=id in shifted, rival=rival, free=free,
                hidden=kept.how == "update" and id in kept.named,
            )  # fmt: skip
            return await asyncio.to_thread(settled_page, both)

        found = await asyncio.gather(*map(page, candidates))
        self.pages = [
            page
            for page in found
            if kept.how == "write" or page.near or page.id in kept.named or page.sides.rival
        ]
        self.elsewhere = sum(page.merged for page in found if page not in self.pages)
        self._sides = {}
        for page_ in self.pages:
            if rival := page_.sides.rival:
                there = await side(1, rival)
                if there is not None:
                    self._sides[rival] = there
        parents = _parents(head)
        lost = lost_with(self.pages, parents) - {page.id for page in self.pages}
        old = {} if before is None else _nodes(before)
        self._lost, self._extra = [], []
        for node in head.pages:
            if node.id in lost and (there := await side(2, node.id)) is not None:
                wanted = Wanted(node.id, there.source, there.parent, there.position)
                (self._lost if node.id in old else self._extra).append(wanted)
        found_files = _files_of_both(before, main, head)
        taken = ops.pull_change_request_updates_with_files
        here = kept.how == "update" and bool(found_files) and await api.routes.offers(taken)
        self.files, self.others = (found_files, []) if here else ([], found_files)

    def _heads(self, there: Collection[str]) -> list[Wanted]:
        """Return the pages as the request had them, where these pages are in it now."""
        return [*(self._head(page, there) for page in self.pages), *self._extra]

    def _head(self, page: SettledPage, there: Collection[str]) -> Wanted:
        assert self.kept is not None
        back = self.kept.how == "write"  # what takes back a merge begins as main is
        side = page.sides.main if back else page.sides.request
        if side is None:
            return Wanted(page.id, None)
        source = side.source
        if page.sides.rival in there:  # main's page has the address, and stays
            source = with_setting(source, "slug", page.sides.free[0])
        wanted = Wanted(page.id, source, side.parent, side.position)
        if not (page.reverted or back):
            return wanted
        others = {name: side.others.get(name, "") for name in OTHERS}
        origin: Literal["main", "request"] = "main" if back else "request"
        return replace(wanted, others=others, origin=origin, whole=page.sides.hidden, placed=back)

    def _candidates(self, kept: Settling) -> list[str]:
        """Return the pages that may conflict, in reading order."""
        assert self._trees is not None
        before, main, head = self._trees
        if before is None:
            mine = {change.id for change in compare_trees(main.pages, head.pages)}
            mine &= {node.id for node in main.pages} & {node.id for node in head.pages}
            found = mine
        else:
            mine = {change.id for change in compare_trees(before.pages, head.pages)}
            theirs = {change.id for change in compare_trees(before.pages, main.pages)}
            found = mine if kept.how == "write" else mine & theirs
            found |= {node.id for node in before.pages if self._held(node.id)}
            found |= {page for page in mine if self._rival(page)}
        found |= set(kept.named)
        trees = [tree.pages for tree in (head, main, before) if tree is not None]
        order = dict.fromkeys(node.id for pages in trees for node in pages)
        return [page for page in order if page in found]

    def _held(self, page: str) -> bool:
        """Whether a side that kept a page has pages below it that the other has not deleted."""
        assert self._trees is not None
        before, main, head = self._trees
        if before is None or page not in _nodes(before):
            return False
        old = _parents(before)
        for kept, gone in ((main, head), (head, main)):
            if page in _nodes(kept) and page not in _nodes(gone):
                return any(
                    node.parent == page and old.get(node.id, "") != page for node in kept.pages
                )
        return False

    def _rival(self, page: str) -> str:
        """Return the page of main that has the address of a page; "" for none."""
        assert self._trees is not None
        before, main, head = self._trees
        mine = _nodes(head).get(page)
        if mine is None or before is None:
            return ""
        theirs, was = _nodes(head), _nodes(before)
        rivals = (
            rival.id
            for rival in main.pages
            if _address(rival) == _address(mine)
            and rival.id != page
            # Where the request gives that page another one, main's change is one-sided.
            and _address(theirs.get(rival.id, rival)) == _address(rival)
            # They may stand so already.
            and any(_address(was.get(each.id)) != _address(each) for each in (mine, rival))
        )
        return next(rivals, "")

    def _free_slugs(self, page: str) -> tuple[str, str]:
        """Return two slugs that no page has where a page of the request is."""
        assert self._trees is not None
        _, main, head = self._trees
        mine = _nodes(head)[page]
        pages = (node for tree in (main, head) for node in tree.pages)
        taken = {node.slug for node in pages if node.parent == mine.parent}
        one = free_slug(mine.slug, taken)
        return one, free_slug(mine.slug, {*taken, one})

    # Sending

    async def send(self, *, tell: Callable[[], None] = lambda: None, recall: bool = False) -> None:
        """Send the choices, or go on with it. Raises `WriteError`, ``ApiError``, `NotDoneError`.

        What it comes to is on the disk before each write. With ``recall`` the first of them waits,
        and can be recalled while it does; then nothing was sent (`RecalledError`). Nor was it where
        somebody edited what is settled before the first (`EditedError`): it is read again then.
        """
        kept, begun = sure(self.kept), None
        wanted = with_rivals(self.pages, kept.choices, self._sides)
        if wanted is None or self.open:
            count = len(self.open)
            raise NotDoneError(f"{plural(count, 'hunk')} {'is' if count == 1 else 'are'} open")
        if self.others and kept.how == "update":
            raise NotDoneError(self.others[0].elsewhere.removesuffix("."))
        if mixed := self.mixed:
            raise NotDoneError(mixed)
        if kept.id in self.session.settling:
            raise NotDoneError("It is being sent already")
        self.session.settling[kept.id] = sure(asyncio.current_task())
        try:
            if not await asyncio.to_thread(self.session.settlings.claim, kept.id):
                raise NotDoneError("Another copydesk is sending this")
            self.under_way, self._recall = True, recall
            known = kept.known if kept.state == "sending" else kept.head
            if self.now is not None and kept.state != "sending":
                known = self.now.revision
            sending = replace(kept, state="sending", known=known, label=self.label, restored=())
            begun = replace(sending, wanted=(*wanted, *self._extra))
            await self._keep(begun)
            self._sent = []
            while await self._step():
                tell()
        except RecalledError:
            await self._keep(kept)
            raise
        except EditedError as error:
            if self.kept is not begun or kept.state == "sending":
                raise  # some of it is sent
            await self._keep(kept)
            raise EditedError(f"{error}: R reads it; your choices stay") from error
        finally:
            self.under_way = False
            del self.session.settling[kept.id]
            await asyncio.to_thread(self.session.settlings.release, kept.id)

    @property
    def mixed(self) -> str:
        """What cannot be settled here, for no write makes it, as words; "" for nothing."""
        for page in self.pages:
            names = page.mixed(self.choices)
            if names and (page.reverted or (self.kept is not None and self.kept.how == "write")):
                title = shown_title(page.sides.title)
                said = f"No call writes {names} of {title} together"
                return f"{said}: take one side, or use the app (o)"
        return ""

    def _origin(self, wanted: Wanted) -> tuple[str, str]:
        """Return the revision that a page has its settings from, and its text there."""
        assert self.kept is not None
        page = next(each for each in self.pages if each.id == wanted.id)
        side: PageSide = getattr(page.sides, wanted.origin)
        kept = self.kept
        revisions = {"request": kept.head, "main": kept.main, "before": kept.base}
        return revisions[wanted.origin], side.source

    async def _step(self) -> bool:
        """Send the next write; False where nothing is left to be sent."""
        kept = sure(self.kept)
        api = await self.session.ready()
        request, now, files = await self._read_now(api, kept)
        self._look_at_others(kept, request, now, files)
        base = base_of(request)
        if kept.how == "update" and base != kept.main:
            if (await api(ops.get_space, self.space)).revision != kept.main:
                raise NotDoneError("main moved on: R reads it; your choices stay")
            changes = self._clearing(kept, now)
            if changes and changes != self._sent:
                await self._write(kept, changes, "Begin to settle conflicts of")
            else:
                await self._update(kept)
            return True
        changes = writing(_left(kept.wanted, kept), now, self._revision_with, self._origin)
        if not changes or changes == self._sent:
            await self._keep(replace(kept, state="sent", known=request.revision))
            self.session.snoozed.look(request.id, self.session.now, request.revision)
            return False
        await self._write(kept, changes, "Settle", last=len(changes) <= MOST)
        return True

    def _clearing(self, kept: Settling, now: Now) -> list[dict[str, JSON]]:
        assert self._trees is not None
        slugs = {page.id: page.sides.free[0] for page in self.pages}
        parents = _parents(self._trees[1])
        return clearing(self.pages, now, kept.main, parents, slugs, kept.restored)

    async def _read_now(
        self, api: Api, kept: Settling
    ) -> tuple[ChangeRequest, Now, Mapping[str, str]]:
        """Return the request, its pages, and what tells its files from others, by their ids."""
        request = await api(ops.get_change_request, self.space, self.request)
        read = ops.get_change_request_revision
        # What a file is told by is among the metadata.
        whole = bool(self.files)
        tree = await api(read, self.space, self.request, metadata=whole, computed=False)
        there = {node.id: node.parent for node in flatten(tree.pages)}
        turn = asyncio.Semaphore(AT_ONCE)

        async def text(page: str) -> tuple[str, dict[str, str]]:
            async with turn:
                found = await api(
                    ops.get_change_request_page, self.space, self.request, page, format="markdown"
                )
            return source_of(found), others_of(found.to_dict())

        pages = [page.id for page in (*kept.wanted, *self._lost) if page.id in there]
        read_ = dict(zip(pages, await asyncio.gather(*map(text, pages)), strict=True))
        sources = {page: source for page, (source, _) in read_.items()}
        files = {file.id: repr(content_of(file)) for file in tree.files}
        others = {page: each for page, (_, each) in read_.items()}
        return request, Now(there, sources, others), files

    def _look_at_others(
        self, kept: Settling, request: ChangeRequest, now: Now, files: Mapping[str, str]
    ) -> None:
        """Raise `EditedError` where somebody else edited a page or a file of it since."""
        if request.status not in ("open", "draft"):
            raise NotDoneError(f"The change request is {clean(request.status)}")
        if edited := self._edited(kept, request, now):
            raise EditedError(f"{shown_title(edited[0].sides.title)} was edited meanwhile")
        if request.revision == kept.known or base_of(request) == kept.main:
            return  # the files are as they were chosen by now
        for file in self.files:
            if files.get(file.ids.get("request", ""), "") != file.hunks[0].request:
                raise EditedError(f"{file.title} was edited meanwhile")

    def _edited(self, kept: Settling, request: ChangeRequest, now: Now) -> list[SettledPage]:
        """Return the pages that have neither what they had nor what this run writes."""
        if request.revision == kept.known:
            return []
        wanted = {page.id: page.source for page in kept.wanted}
        ours = {page.id: page.source for page in self._heads(())}
        found = []
        for page in self.pages:
            said = {wanted.get(page.id), ours.get(page.id)}
            said |= {side.source for side in (page.sides.main, page.sides.before) if side}
            source = now.sources.get(page.id)
            if source is not None and source not in said and not self._cleared(page, source):
                found.append(page)
        return found

    def _cleared(self, page: SettledPage, source: str) -> bool:
        """Whether a text is that of a page which only gave up its address."""
        side = page.sides.request
        if side is None or not page.sides.rival:
            return False
        return any(with_setting(side.source, "slug", slug) == source for slug in page.sides.free)

    def _revision_with(self, page: str) -> str:
        """Return a revision that has a page, the request's own first."""
        assert self._trees is not None
        assert self.kept is not None
        _, main, head = self._trees
        if page in _nodes(head):
            return self.kept.head
        return self.kept.main if page in _nodes(main) else self.kept.base

    async def _write(
        self, kept: Settling, changes: Sequence[dict[str, JSON]], what: str, *, last: bool = False
    ) -> None:
        part = list(changes[:MOST])
        ids = {"space_id": self.space, "change_request_id": self.request}

        async def send() -> str:
            from copydesk.contract.models.content_update import ContentUpdate, ContentWrite

            body = ContentWrite.model_validate({"changes": part})
            api = await self.session.ready()
            write = ops.update_change_request_content
            answer = await api(write, self.space, self.request, body)
            request = answer.change_request if isinstance(answer, ContentUpdate) else answer
            return request.revision

        async def look() -> str | None:
            api = await self.session.ready()
            request = await api(ops.get_change_request, self.space, self.request)
            return None if request.revision == kept.known else request.revision

        def back(after: str) -> Reversal | None:
            found = self._reversal(ids, after) if last and kept.how != "write" else None
            self.restored = found is not None
            return found

        revision = await self.session.writes.perform(
            what, self.label, send, look=look, now=True, reversal=back, recall=self._once()
        )
        self._sent = changes
        whole = {str(each["page"]) for each in part if each["operation"] == "revert_page"}
        restored = tuple(sorted({*kept.restored, *whole}))
        await self._keep(replace(kept, known=revision, restored=restored))

    async def _update(self, kept: Settling) -> None:
        taken = {file.id: file.side(kept.choices) for file in self.files}

        async def send() -> ChangeRequest:
            return await update(await self.session.ready(), self.space, self.request, taken)

        async def look() -> ChangeRequest | None:
            api = await self.session.ready()
            request = await api(ops.get_change_request, self.space, self.request)
            return None if request.outdated else request

        try:
            now = await self.session.writes.perform(
                "Update from main", self.label, send, look=look, now=True, recall=self._once()
            )
        except WriteError as error:
            clash = error.__cause__
            if isinstance(clash, ConflictedError):
                named = {each.page.id for each in clash.conflicts if each.page is not None}
                more = tuple(sorted({*kept.named, *named}))
                await self._keep(replace(kept, named=more))
                if set(more) != set(kept.named):  # what was not known to conflict is asked now
                    self._sent = []
                    await self.read()
            raise
        await self._keep(replace(kept, known=now.revision, restored=()))

    def _once(self) -> bool:
        """Whether a write can be recalled: only the first can."""
        first, self._recall = self._recall, False
        return first

    @property
    def label(self) -> str:
        """What the log calls the change request."""
        if self.now is None:
            return self.request
        return f"#{self.now.number} {clean(self.now.subject)}".strip()

    def _reversal(self, ids: Mapping[str, str], after: str) -> Reversal | None:
        """Return the way back of the last write: the request's own pages, as they were."""
        assert self._trees is not None
        assert self.kept is not None
        wanted = self.kept.wanted
        parents = dict(_parents(self._trees[1])) | _parents(self._trees[2])
        for page in wanted:
            parents.pop(page.id, None)
            if page.source is not None:
                parents[page.id] = page.parent
        sources = {page.id: page.source for page in wanted if page.source is not None}
        there = Now(parents, sources, {page.id: page.others for page in wanted})
        back = writing(self._heads(parents), there, self._revision_with, self._origin)
        if not back or len(back) > MOST:
            return None
        write = Step("update_change_request_content", ids, {"changes": back})
        return Reversal(
            (write,),
            (),
            Expectation(
                Step("get_change_request", ids), {"revision": after}, said="it was edited since"
            ),
            note="Its text is as it was; the update stays.",
        )

    async def put_back(self) -> list[str]:
        """Make the pages of the request what they were before; the choices stay.

        Return the titles of those that somebody else edited meanwhile, clean: they are left as
        they are. Raises as `send` does.
        """
        assert self.kept is not None
        await self._keep(replace(self.kept, restored=()))
        kept = self.kept
        api = await self.session.ready()
        self._sent = []
        edited: dict[str, str] = {}
        while True:
            request, now, _ = await self._read_now(api, kept)
            edited |= {
                page.id: shown_title(page.sides.title) for page in self._edited(kept, request, now)
            }
            heads = [page for page in self._heads(now.parents) if page.id not in edited]
            if base_of(request) == kept.base:
                heads += self._lost
            changes = writing(_left(heads, kept), now, self._revision_with, self._origin)
            if not changes or changes == self._sent:
                break
            await self._write(kept, changes, "Put back pages of")
            assert self.kept is not None
            kept = self.kept
        await self._keep(replace(kept, state="open", wanted=(), known="", restored=()))
        return list(edited.values())


async def is_cut_off(session: Session, space: str, request: str) -> bool:
    """Whether a request has pages of main where its own wait to be written: a run stopped there.

    It must be neither updated nor merged so. Raises ``OSError``.
    """
    session.asks()  # keys wait: an action goes on with the answer
    kept = await asyncio.to_thread(session.settlings.load, f"{space} {request}")
    return kept is not None and kept.state == "sending"


async def find_cut_off(session: Session) -> str:
    """Return what leads back to the requests whose settling stopped on its way; "" for none."""

    def find() -> list[Settling]:
        left = []
        for kept in session.settlings.all():
            if kept.state == "sending" and session.settlings.claim(kept.id):
                session.settlings.release(kept.id)
                left.append(kept)
        return left

    try:
        left = await asyncio.to_thread(find)
    except OSError as error:
        return f"Whether settling was cut off cannot be read: {error}"
    told = [kept.label or "a change request" for kept in left if not await _is_over(session, kept)]
    return f"Settling {listed(told)} stopped on its way: U in its review goes on." if told else ""


async def _is_over(session: Session, kept: Settling) -> bool:
    """Whether a request was merged, archived or deleted meanwhile: nothing leads back to it."""
    try:
        api = await session.ready()
        now = await api(ops.get_change_request, kept.space, kept.request)
    except NotFound:
        return True
    except failure_types():
        return False
    return now.status not in ("open", "draft")


async def update_whole(session: Session, api: Api, space: str, request: str) -> ChangeRequest:
    """Pull main into a request whose pages are its own.

    Raises as ``conflicts.update`` does, and `NotDoneError` where settling it was cut off.
    """
    if await is_cut_off(session, space, request):
        raise NotDoneError(CUT_OFF)
    before = await api(ops.get_change_request, space, request)
    now = await update(api, space, request)
    await session.snoozed.wrote(request, before.revision, now.revision)
    return now


async def keep_joined(session: Session, clash: ConflictedError, base: str, head: str) -> None:
    """Keep the data needed to settle a request that the service updated in spite of conflicts.

    ``base`` and ``head`` are what it began with, and its revision, before that. Raises ``OSError``.
    """
    now = clash.request
    if now.outdated:
        return
    named = {each.page.id for each in clash.conflicts if each.page is not None}
    made = session.clock().timestamp()
    kept = Settling(
        f"{now.space} {now.id}", made, now.space, now.id, base, base_of(now), head,
        how="joined", named=tuple(sorted(named)),
    )  # fmt: skip
    await asyncio.to_thread(session.settlings.save, kept)


def _refused(api: Api, space: Space) -> str:
    if not api.has(ops.update_change_request_content):
        return "This service cannot write content: settle it in the app (o)."
    return "" if space.permissions is None or space.permissions.edit else NOT_ALLOWED


def _left(wanted: Sequence[Wanted], kept: Settling) -> list[Wanted]:
    """Return the pages, without ``whole`` for those that were restored whole before."""
    return [replace(page, whole=page.whole and page.id not in kept.restored) for page in wanted]


def _nodes(tree: RevisionOutline) -> Mapping[str, PageNode]:
    return {node.id: node for node in tree.pages}


def _parents(tree: RevisionOutline) -> dict[str, str | None]:
    return {node.id: node.parent for node in tree.pages}


def _address(node: PageNode | None) -> tuple[str | None, str] | None:
    return None if node is None else (node.parent, node.slug)


def _files_of_both(
    before: RevisionOutline | None, main: RevisionOutline, head: RevisionOutline
) -> list[SettledFile]:
    """Return the files that both sides changed, each in its way.

    Two that were added at one path are one there.
    """
    if before is None:
        return []
    pairs = ((before, main), (before, head), (main, head))
    changed = [{each.id for each in changed_things(a.files, b.files, None)} for a, b in pairs]
    trees = [{f"{FILES}{file.id}": file for file in tree.files} for tree in (before, main, head)]
    both = {key: [tree.get(key) for tree in trees] for key in set.intersection(*changed)}
    new = [
        {_path(file): file for key, file in tree.items() if key not in trees[0]}
        for tree in trees[1:]
    ]
    for path in new[0].keys() & new[1].keys() - {""}:
        one, other = new[0][path], new[1][path]
        if one.id != other.id and content_of(one) != content_of(other):
            both[f"{FILES}{other.id}"] = [None, one, other]
    found = [_settled_file(key.removeprefix(FILES), sides) for key, sides in both.items()]
    return sorted(found, key=lambda file: (file.title, file.id))


def _path(file: File) -> str:
    return (file.git.path if file.git is not None else "") or ""


def _settled_file(key: str, sides: Sequence[File | None]) -> SettledFile:
    before, main, request = sides
    named = {"before": before, "request": request, "main": main}
    title = clean(next(file.name for file in (request, main, before) if file is not None))
    was, theirs, mine = ("" if file is None else repr(content_of(file)) for file in sides)
    return SettledFile(
        key,
        title or clean(key),
        {side: _sized(file) for side, file in named.items()},
        {side: file.id for side, file in named.items() if file is not None},
        named_hunks([Hunk(was, theirs, mine, field=FILE)], key),
    )


def _sized(file: File | None) -> str:
    if file is None:
        return "not there"
    said = "of unknown size" if file.size is None else plural(file.size, "byte")
    if (size := file.dimensions) is None:
        return said
    return f"{said}, {size.width:,.0f} x {size.height:,.0f}"
