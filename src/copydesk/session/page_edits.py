"""The edits of pages of a change request: staged on this machine, compared with it, and sent.

Nothing here draws: screens and commands stage with `StagedPages`, look with `check_edits` at what
others did meanwhile, and send what that says is ready.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import ApiError, NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_edits import (
    NEW,
    PageEdit,
    Standing,
    compared,
    content_changes,
    edit_of,
    requests_of,
    sent_reversal,
    unsettled_line,
)
from copydesk.domain.page_source import page_source, read_page_source
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, expectation_of
from copydesk.domain.staged_files import sent_files, with_file_ids
from copydesk.domain.yaml_lines import FileError
from copydesk.local.page_edits import StagedElsewhereError
from copydesk.local.state import token
from copydesk.session.errors import NotDoneError
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.writes.log import UnansweredError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.content import ContentPage, Revision
    from copydesk.contract.models.user import User
    from copydesk.local.journal import Entry
    from copydesk.session.session import Session

ELSEWHERE = "Another window staged something else of this page meanwhile: R reads it."


NOTHING_MADE: Mapping[str, str] = {}


class StagedPages:
    """The staged edits of one change request; the disk is only touched in a thread.

    ``edits`` are as they were read or staged last, by page. Staging raises ``OSError`` when the
    disk refuses and `StagedElsewhereError` when another window was first; then nothing changed.
    ``trouble`` says why the kept edits could not be read.
    """

    steps = False
    """Whether a step can be taken back."""
    undone = False
    """Whether a step that was taken back can be staged again."""
    trouble = ""

    def __init__(self, session: Session, space: str, request: str) -> None:
        self.session, self.space, self.request = session, space, request
        self._disk = asyncio.Lock()
        """Staged edits are written to disk before the disk is read."""
        self.edits: dict[str, PageEdit] = {}

    @classmethod
    def of(cls, session: Session, space: str, request: str) -> StagedPages:
        """Return the staged pages of a change request, one object for all screens."""
        key = (cls, space, request)
        found = session.left.get(key)
        if not isinstance(found, cls):
            found = session.left[key] = cls(session, space, request)
        return found

    async def read(self) -> None:
        """Load the staged edits from disk."""
        async with self._disk:
            await self._read()

    async def _read(self) -> None:
        try:
            kept = await asyncio.to_thread(self.session.staged.of, self.space, self.request)
            step = await asyncio.to_thread(self.session.staged.step, self.space, self.request)
            undone = await asyncio.to_thread(self.session.staged.undone, self.space, self.request)
        except OSError as error:
            self._tell(f"{error.strerror or error}")
            return
        found: dict[str, PageEdit] = {}
        trouble = ""
        for page, text in kept.items():
            try:
                found[page] = edit_of(text)
            except ValueError:
                trouble = "what is staged of a page was kept by another version"
        self._tell(trouble)
        self.edits, self.steps, self.undone = found, bool(step), bool(undone)

    def _tell(self, trouble: str) -> None:
        """Say once why not all that is staged can be read: it would be missing in silence."""
        before, self.trouble = self.trouble, trouble
        if trouble and trouble != before:
            said = f"Not all that is staged here can be read: {trouble}. It is kept as it is."
            self.session.report(said, "bad")

    async def stage(self, edits: Mapping[str, PageEdit | None]) -> None:
        """Stage edits by page, or drop them (None); it is on the disk when this returns."""
        async with self._disk:
            await self._stage(edits)

    async def _stage(self, edits: Mapping[str, PageEdit | None]) -> None:
        both = {page: (_kept(self.edits.get(page)), _kept(edit)) for page, edit in edits.items()}
        changes = {
            page: (before, after) for page, (before, after) in both.items() if before != after
        }
        if not changes:
            return
        store, ids = self.session.staged, (self.space, self.request)
        await asyncio.to_thread(store.stage, *ids, changes)
        self.steps = True
        staged = {**self.edits, **edits}
        self.edits = {page: edit for page, edit in staged.items() if edit and not edit.idle}
        with suppress(OSError):
            self.undone = bool(await asyncio.to_thread(store.undone, *ids))

    async def take_back(self) -> list[str]:
        """Take back the newest step, and return its pages; none where nothing is staged."""
        async with self._disk:
            pages = await asyncio.to_thread(self.session.staged.undo, self.space, self.request)
            await self._read()
        return pages

    async def take_again(self) -> list[str]:
        """Redo the step undone last and return its pages; empty where there is none."""
        async with self._disk:
            pages = await asyncio.to_thread(self.session.staged.redo, self.space, self.request)
            await self._read()
        return pages

    async def move_to(self, request: str) -> None:
        """Stage all of it for another change request instead, as one step there.

        Raises as staging does; then nothing changed.
        """
        other = StagedPages.of(self.session, self.space, request)
        async with self._disk:
            kept = {page: edit.to_text() for page, edit in self.edits.items()}
            ids = self.space, self.request, request
            await asyncio.to_thread(self.session.staged.move, *ids, kept)
            await self._read()
        await other.read()

    def files(self) -> Path:
        """Return the folder of the files that staged pages name. Raises ``OSError``."""
        return self.session.staged.files_folder(self.space, self.request)

    def new_page(self) -> str:
        """Return an id for a new page."""
        return f"{NEW}{token(4)}"

    async def sent(
        self, edits: Mapping[str, PageEdit], batch: str, made: Mapping[str, str] = NOTHING_MADE
    ) -> None:
        """Take away edits that have arrived; what stands below new pages goes by their ids now."""
        kept = {page: edit.to_text() for page, edit in edits.items()}
        async with self._disk:
            below = {
                page: (edit.to_text(), replace(edit, into=made[edit.into]).to_text())
                for page, edit in self.edits.items()
                if edit.into is not None and edit.into in made
            }
            store, ids = self.session.staged, (self.space, self.request)
            await asyncio.to_thread(store.sent, *ids, kept, batch, below)
            await self._read()


def source_of(page: ContentPage) -> str:
    """Return a page that was read as Markdown as one text."""
    return page_source(page.to_dict(), page.markdown or "")


async def read_source(api: Api, space: str, request: str, page: str) -> tuple[str, str]:
    """Return a page of a change request as one text, and its revision. Raises ``ApiError``."""
    # The revision first: an edit between the two is found as one when it is compared.
    now = await api(ops.get_change_request, space, request)
    read = await api(ops.get_change_request_page, space, request, page, format="markdown")
    return now.revision, source_of(read)


async def read_main_source(api: Api, space: str, page: str) -> tuple[str, str]:
    """Return the revision of a space, and a page of it as one text. Raises ``ApiError``."""
    now = await api(ops.get_space, space)
    return now.revision, source_of(await api(ops.get_space_page, space, page, format="markdown"))


async def empty_requests(api: Api, space: str, me: User | None) -> list[ChangeRequest]:
    """Return my draft change requests that have no pages yet. Raises ``ApiError``.

    One that was made to be written to is such a one where the process ended before that.
    """
    if me is None:
        return []
    page = await api(
        ops.list_space_change_requests, space, limit=100, status="draft", creator=me.id
    )
    return [each for each in page.items if each.revision == each.revision_initial]


# Theirs against mine


def _kept(edit: PageEdit | None) -> str | None:
    """Return an edit as the disk has it; None for none, or one that changes nothing."""
    return None if edit is None or edit.idle else edit.to_text()


@dataclass(frozen=True, slots=True)
class EditCheck:
    """The staged edits, compared with the change request as it is at a ``revision``.

    ``tree`` are its pages. ``who`` made the revision.
    """

    revision: str
    tree: Sequence[PageNode]
    standings: Mapping[str, Standing]
    who: str = ""

    @property
    def open(self) -> dict[str, Standing]:
        """The edits that a person has to decide about first, by page."""
        return {page: each for page, each in self.standings.items() if each.open}

    @property
    def unsettled(self) -> dict[str, int]:
        """The lines where both sides still stand in an edit, by page."""
        found = {page: unsettled_line(edit) for page, edit in self.ready.items()}
        return {page: line for page, line in found.items() if line}

    @property
    def merged(self) -> dict[str, Standing]:
        """The edits that changes of others went into, by page."""
        return {page: each for page, each in self.standings.items() if each.how == "merged"}

    @property
    def rebased(self) -> dict[str, PageEdit | None]:
        """How each edit is to be staged now; None for what the service has already."""
        return {
            page: None if each.how == "there" else each.edit
            for page, each in self.standings.items()
            if not each.open
        }

    @property
    def ready(self) -> dict[str, PageEdit]:
        """What can be sent, by page."""
        return {page: edit for page, edit in self.rebased.items() if edit is not None}


async def check_edits(
    api: Api, space: str, request: str, edits: Mapping[str, PageEdit]
) -> EditCheck:
    """Read what others did since the edits were begun. Raises ``ApiError``."""
    now = await api(ops.get_change_request_revision, space, request, metadata=False, computed=False)
    tree = flatten(now.pages)
    known = {node.id for node in tree}

    async def theirs(page: str, edit: PageEdit) -> Standing:
        if edit.base_revision == now.id:
            return Standing("same", edit)
        if edit.kind == "insert":
            return await _new_page(api, (space, request), edits, page, tree, now.id)
        if page not in known:
            return compared(edit, None, now.id)
        if edit.moved and not edit.of_text:  # whatever its text is by now
            return Standing("same", replace(edit, base_revision=now.id, base_text="", text=""))
        try:
            read = await api(ops.get_change_request_page, space, request, page, format="markdown")
        except NotFound:
            return compared(edit, None, now.id)
        return await _compared(api, (space, request), edit, source_of(read), now.id)

    found = dict(
        zip(
            edits,
            await asyncio.gather(*(theirs(page, edit) for page, edit in edits.items())),
            strict=True,
        )
    )
    who = "" if now.created_by is None else person_name(now.created_by)
    return EditCheck(now.id, tree, found, who)


async def _compared(
    api: Api, ids: tuple[str, str], edit: PageEdit, theirs: str, revision: str
) -> Standing:
    """Compare an edit with its page by now, in a thread.

    A service may name a file in another way than it was written: that is no change by others.
    """
    found = await asyncio.to_thread(compared, edit, theirs, revision)
    if found.how in ("there", "same") or not (sent := sent_files(edit.text)):
        return found
    files = await api.every(ops.list_change_request_files, *ids)
    named = with_file_ids(theirs, {file.name: file.id for file in files if file.id in sent})
    return await asyncio.to_thread(compared, edit, named, revision)


async def _new_page(
    api: Api,
    ids: tuple[str, str],
    edits: Mapping[str, PageEdit],
    page: str,
    tree: Sequence[PageNode],
    revision: str,
) -> Standing:
    """Compare a new page with the request: whether it arrived, and whether its place is there."""
    edit = edits[page]
    if await made_page(api, ids, edit, tree):
        return Standing("there", edit)
    known = {*edits, *(node.id for node in tree), None}
    if edit.into not in known:
        return Standing("gone", edit)
    return Standing("same", replace(edit, base_revision=revision))


async def made_page(
    api: Api, ids: tuple[str, str], edit: PageEdit, tree: Iterable[PageNode]
) -> str | None:
    """Return the id of the page that an edit made, among pages; None where none is as it says."""
    title, wanted = edit.named, read_page_source(edit.text).markdown
    for node in tree:
        if node.parent == edit.into and node.title == title:
            read = await api(ops.get_change_request_page, *ids, node.id, format="markdown")
            if (read.markdown or "") == wanted:
                return node.id
    return None


# Sending


@dataclass(frozen=True, slots=True)
class SentEdits:
    """What a content write came to: the revision that it made, and the ids of new pages.

    ``made`` has them by the ids that they were staged with; a service may not tell.
    """

    revision: str
    made: Mapping[str, str] = field(default_factory=dict)


def requests_for(check: EditCheck) -> list[list[dict[str, JSON]]]:
    """Return what is ready as the changes of each request that it takes. Raises `FileError`."""
    return requests_of(content_changes(check.ready, check.tree))


async def send_all(staged: StagedPages, check: EditCheck, *, target: str) -> SentEdits:
    """Send what is ready with as many requests as it takes, at once; see `send_edits`."""
    group = token()
    sent = await send_edits(staged, check, target=target, now=True, group=group)
    made = dict(sent.made)
    left = {page for page in check.ready if page in staged.edits}
    while left:
        api = await staged.session.ready()
        mine = {page: staged.edits[page] for page in left}
        check = await check_edits(api, staged.space, staged.request, mine)
        sent = await send_edits(staged, check, target=target, now=True, group=group)
        made |= sent.made
        left = {page for page in left if page in staged.edits}
    return SentEdits(sent.revision, made)


async def send_edits(
    staged: StagedPages,
    check: EditCheck,
    *,
    target: str,
    now: bool = False,
    group: str = "",
    note: str = "",
    again: str = "look at it again first",
    arrived: Callable[[], None] = lambda: None,
) -> SentEdits:
    """Send what is ready as one content write, which one step takes back.

    Of more than one request takes it is the first part (`requests_for`); the rest stays staged.
    ``target`` names the change request in the log; ``now``: it cannot be recalled, and never waits
    in the outbox. ``note`` is said when it is taken back; ``again`` is what to do where others
    edited it meanwhile. ``arrived`` is called once it has arrived, also later.
    What has arrived is staged no more. A lost answer is looked up by reading the pages. Raises
    `WriteError`, and `FileError` for front matter that cannot be read.
    """
    session, space, request = staged.session, staged.space, staged.request
    ids = {"space_id": space, "change_request_id": request}
    batch = token()
    first, *more = requests_for(check) or [[]]
    later = {change.get("ref") or change["page"] for part in more for change in part}
    edits = {page: edit for page, edit in check.ready.items() if page not in later}
    new = [str(change["ref"]) for change in first if "ref" in change]
    kept = {page: staged.edits[page] for page in edits if page in staged.edits}

    async def send() -> SentEdits:
        from copydesk.contract.models.content_update import ContentWrite

        body = ContentWrite.model_validate({"changes": first})
        api = await session.ready()
        await _refuse_if_edited(api, staged, check.revision, again)
        answer = await api(ops.update_change_request_content, space, request, body, compat=False)
        sent = _sent(answer, new)
        await _gone(staged, kept, batch, sent.made)
        await session.snoozed.wrote(request, check.revision, sent.revision)
        return sent

    async def look() -> SentEdits | None:
        sent = await find_sent(await session.ready(), space, request, edits, check)
        if sent is not None:
            await _gone(staged, kept, batch, sent.made)
        return sent

    def back(sent: SentEdits) -> Reversal | None:
        if len(sent.made) != len(new):
            return None  # a service that does not say which pages it made
        return sent_reversal(
            ids, edits, check.tree, before=check.revision, after=sent.revision,
            made=[sent.made[page] for page in new],
            batch=batch if kept else "", note=note,
        )  # fmt: skip

    bases = {edit.base_revision for edit in edits.values()}
    return await session.writes.perform(
        "Edit pages of",
        target,
        send,
        reversal=back,
        recall=not now,
        now=now,
        group=group,
        look=look,
        then=lambda sent: arrived(),
        expects=Expectation(
            Step("get_change_request", ids),
            {"revision": bases.pop() if len(bases) == 1 else check.revision},
            said="it was edited since",
        ),
    )


async def _refuse_if_edited(api: Api, staged: StagedPages, revision: str, again: str) -> None:
    """Raise `NotDoneError` where the request has another revision than what is sent was made for.

    A page is sent whole: what others wrote while a person looked at the plan would be lost.
    """
    try:
        now = await api(ops.get_change_request, staged.space, staged.request)
    except ApiError:
        return  # what the write itself meets says why, or it waits in the outbox
    if now.revision == revision:
        return
    who = "Someone"
    with suppress(ApiError):
        made = await api(
            ops.get_change_request_revision, staged.space, staged.request,
            metadata=False, computed=False,
        )  # fmt: skip
        who = who if made.created_by is None else person_name(made.created_by)
    raise NotDoneError(f"{who} edited #{now.number} meanwhile, nothing is sent: {again}.")


async def _gone(
    staged: StagedPages, edits: Mapping[str, PageEdit], batch: str, made: Mapping[str, str]
) -> None:
    """Take away what arrived; where the disk refuses, the next look finds it there already."""
    try:
        await staged.sent(edits, batch, made)
    except (OSError, StagedElsewhereError):
        return


# What an earlier run sent


async def _of_earlier_run(
    session: Session, entry: Entry
) -> tuple[StagedPages, dict[str, PageEdit], bool] | None:
    """Return the staged edits that a write of the journal sent, and whether all are still staged.

    None for another kind of write. New and moved pages are not told apart.
    """
    from copydesk.session.writes.outbox import ids_of

    request, ids = entry.request or {}, ids_of(entry)
    if request.get("name") != "update_change_request_content" or len(ids) < 2:
        return None
    staged = StagedPages.of(session, ids["space"], ids["change_request"])
    await staged.read()
    sent = json.loads(request.get("body") or "{}").get("changes", [])
    found: dict[str, PageEdit] = {}
    for page, edit in staged.edits.items():
        with suppress(FileError):
            told = content_changes({page: edit}, ())
            if len(told) == 1 and told[0] in sent:
                found[page] = edit
    return staged, found, len(found) == len(sent)


async def edit_arrived(session: Session, api: Api, entry: Entry) -> bool | None:
    """Whether a write of pages of an earlier run arrived; None where reading does not tell.

    Each one makes a revision. Raises ``ApiError``.
    """
    earlier, expected = await _of_earlier_run(session, entry), expectation_of(entry.expects)
    before = None if expected is None else expected.fields.get("revision")
    if earlier is None or not isinstance(before, str):
        return None
    staged, edits, whole = earlier
    now = await api(ops.get_change_request, staged.space, staged.request)
    if now.revision == before:
        return False
    if not whole:
        return None
    check = unchecked(edits, before, ())
    try:
        return await find_sent(api, staged.space, staged.request, edits, check) is not None
    except UnansweredError:
        return None


async def drop_arrived(session: Session, entry: Entry) -> None:
    """Drop the staged edits that a write of an earlier run has sent.

    Those that were edited since stay, and so do new and moved pages: the next look at what is
    staged finds them there.
    """
    earlier = await _of_earlier_run(session, entry)
    if earlier is not None and earlier[1]:
        await _gone(earlier[0], earlier[1], token(), NOTHING_MADE)


def _sent(answer: Any, new: Sequence[str]) -> SentEdits:
    """Return what the answer says, also that of a service that gives the change request alone."""
    request = getattr(answer, "change_request", answer)
    made = [
        each.page if isinstance(each.page, str) else each.page.id
        for each in getattr(answer, "changes", ())
        if each.object == "created_page"
    ]
    # They are in the order of the changes; a service may not say which it made.
    return SentEdits(request.revision, dict(zip(new, made, strict=False)))


async def find_sent(
    api: Api, space: str, request: str, edits: Mapping[str, PageEdit], check: EditCheck
) -> SentEdits | None:
    """Read whether a content write arrived whose answer was lost; None where it did not.

    Raises ``ApiError``, and `UnansweredError` where reading does not tell.
    """
    now: Revision = await api(
        ops.get_change_request_revision, space, request, metadata=False, computed=False
    )
    if now.id == check.revision:
        return None
    tree = flatten(now.pages)
    before = {node.id: (node.parent, node.position) for node in check.tree}
    there = {node.id: node for node in tree}
    new = [node for node in tree if node.id not in before]
    arrived, made, untold = 0, dict[str, str](), False
    for page, edit in edits.items():
        if edit.kind == "delete":
            arrived += page not in there
        elif edit.kind == "insert":
            found = await made_page(api, (space, request), edit, new)
            if found is not None:
                made[page] = found
                arrived += 1
        elif page in there:
            node = there[page]
            if edit.moved and (node.parent, node.position) != (edit.into, edit.at or 0):
                # Elsewhere than before, it may have come there with others that are sent later.
                untold = untold or (node.parent, node.position) != before.get(page)
            elif edit.moved and not edit.of_text:
                arrived += 1
            else:
                ids = space, request
                read = await api(ops.get_change_request_page, *ids, page, format="markdown")
                here = replace(edit, moved=False)
                standing = (await _compared(api, ids, here, source_of(read), now.id)).how
                arrived += standing == "there"
                untold = untold or standing not in ("there", "same")
    if arrived == len(edits):
        return SentEdits(now.id, made)
    if arrived or untold:
        raise UnansweredError
    return None


def waits(session: Session, request: str) -> bool:
    """Whether a content write of a change request waits in the outbox."""
    return any(
        (entry.request or {}).get("name") == "update_change_request_content"
        and request in str(entry.request)
        for entry in session.outbox.items.values()
    )


def unchecked(edits: Mapping[str, PageEdit], revision: str, tree: Sequence[PageNode]) -> EditCheck:
    """Return the check of staged edits against a request that cannot be read now."""
    return EditCheck(revision, tree, {page: Standing("same", edit) for page, edit in edits.items()})
