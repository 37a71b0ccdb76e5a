"""Suggestions in the threads of a change request: whether they fit, and applying them.

Applying is one content write, joined with what I staged of the same pages; then the threads are
resolved, and the description names who suggested. What is being applied is kept on this machine
before anything is sent, so that whoever comes next finishes it, however the process ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.comment import Comment
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age
from copydesk.domain.page_edits import MOST, PageEdit, Standing, compared, edit_of
from copydesk.domain.page_source import markdown_of, with_markdown
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.plain_documents import document_of, document_text
from copydesk.domain.staged_files import names_in
from copydesk.domain.suggestion import (
    EDITED,
    IN_CELL,
    PAGE_GONE,
    SEVERAL,
    ApplyRun,
    Fit,
    SourceLines,
    Suggestion,
    Taken,
    apply,
    credit,
    judge,
    suggestions_in,
)
from copydesk.domain.text import clean
from copydesk.local.state import token
from copydesk.session.change_rows import row_of
from copydesk.session.errors import failure_types, sentence
from copydesk.session.identity import confirm
from copydesk.session.names import first_words, person_name
from copydesk.session.operations import ops
from copydesk.session.page_edits import EditCheck, StagedPages, send_edits, source_of
from copydesk.session.reads.inbox import read_comment
from copydesk.session.writes.comments import resolving
from copydesk.session.writes.log import QueuedError, WriteError
from copydesk.session.writes.requests import changing

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.session.session import Session
    from copydesk.session.writes.sender import Write

T = TypeVar("T")

AT_ONCE = 4
"""Pages that are read at once."""

STAGED_GONE = "You staged that its page is deleted."
STAGED_CLASH = "What you staged of its page is to be settled first: ctrl+s asks."
STAGED_FILES = "What you staged of its page has files that are not sent: ctrl+s sends them first."
TOO_MANY = f"One call takes {MOST} pages: the others take another."


@dataclass(frozen=True, slots=True)
class OpenSuggestion:
    """A suggestion in an open thread. Its ``revision`` is the one that it was written on."""

    thread: str
    page: str
    node: str | None
    revision: str
    author: str
    suggestion: Suggestion
    words: str = ""
    replies: int = 0
    several: bool = False
    cell: bool = False
    """Whether it is on a cell of a table: no line says which."""


def suggested_in(comment: Comment) -> OpenSuggestion | None:
    """Return the suggestion of a comment that is open; None where it has none."""
    target, said = comment.target, comment.body.markdown or ""
    if target.page is None or target.review is not None or comment.status == "resolved":
        return None
    found = suggestions_in(said)
    if not found:
        return None
    return OpenSuggestion(
        comment.id,
        target.page.id,
        None if target.node is None else target.node.id,
        target.revision or "",
        person_name(comment.posted_by),
        found[0],
        said,
        comment.replies,
        len(found) > 1,
        target.table_cell is not None,
    )


@dataclass(frozen=True, slots=True)
class SuggestionTexts:
    """What suggestions are judged by: a change request at its newest ``revision``.

    ``sources`` are its pages as texts; ``then`` are pages as they were at older revisions, None
    where that cannot be read. ``who`` made the revision, ``when``, where the service tells.
    """

    revision: str
    tree: Sequence[PageNode]
    sources: Mapping[str, str]
    then: Mapping[tuple[str, str], SourceLines | None]
    who: str = ""
    when: datetime | None = None


async def read_texts(
    api: Api,
    space: str,
    request: str,
    found: Iterable[OpenSuggestion],
    known: SuggestionTexts | None = None,
) -> SuggestionTexts:
    """Read the texts that suggestions are about, without the ``known`` ones.

    Raises ``ApiError``.
    """
    wanted = list(found)
    now = await api(ops.get_change_request_revision, space, request, metadata=False, computed=False)
    tree = flatten(now.pages)
    there = {node.id for node in tree}
    same = known is not None and known.revision == now.id
    sources = dict(known.sources) if known is not None and same else {}
    then: dict[tuple[str, str], SourceLines | None] = {}
    if known is not None:
        then = {key: text for key, text in known.then.items() if text is not None}
    gate = asyncio.Semaphore(AT_ONCE)

    async def read_now(page: str) -> None:
        async with gate:
            read = await api.find(
                ops.get_change_request_page, space, request, page, format="markdown"
            )
        if read is not None:
            sources[page] = source_of(read)

    async def read_then(revision: str, page: str) -> None:
        async with gate:
            try:
                read = await api(ops.get_revision_page, space, revision, page, format="markdown")
            except (NotFound, Forbidden):
                then[revision, page] = None
                return
        then[revision, page] = await asyncio.to_thread(SourceLines, read.markdown or "")

    pages = {each.page for each in wanted if each.page in there} - sources.keys()
    older = {(each.revision, each.page) for each in wanted if each.revision not in ("", now.id)}
    await asyncio.gather(
        *map(read_now, sorted(pages)),
        *(read_then(*each) for each in sorted(older - then.keys())),
    )
    who = "" if now.created_by is None else person_name(now.created_by)
    return SuggestionTexts(now.id, tree, sources, then, who, now.created_at)


class _Pages:
    """Pages as suggestions are applied to them: with what I staged."""

    def __init__(self, texts: SuggestionTexts, edits: Mapping[str, PageEdit]) -> None:
        self._texts, self._edits = texts, edits
        self._titles = {node.id: node.title for node in texts.tree}
        self._found: dict[str, PageEdit | str] = {}
        self._lines: dict[str, SourceLines] = {}

    def edit(self, page: str) -> PageEdit | str:
        """Return a page with its staged edit on the service's text, or why it has no edit."""
        if page not in self._found:
            self._found[page] = self._edit(page)
        return self._found[page]

    def _edit(self, page: str) -> PageEdit | str:
        source, staged = self._texts.sources.get(page), self._edits.get(page)
        revision = self._texts.revision
        if source is None:
            return PAGE_GONE
        if staged is None:
            return PageEdit("update", revision, source, source, title=self._titles.get(page, ""))
        if staged.kind != "update":
            return STAGED_GONE
        if names_in(staged.text):
            return STAGED_FILES
        standing = compared(staged, source, revision)
        return STAGED_CLASH if standing.open else standing.edit

    def judged(self, each: OpenSuggestion) -> Fit:
        """Return whether a suggestion fits its page, and where."""
        if each.several:
            return Fit(why=SEVERAL)
        if each.cell:
            return Fit(why=IN_CELL)
        edit = self.edit(each.page)
        now = None if isinstance(edit, str) else self._of(edit.text)
        then = self._texts.then.get((each.revision, each.page))
        if each.revision in ("", self._texts.revision) and each.page in self._texts.sources:
            then = self._of(self._texts.sources[each.page])
        fit = judge(each.suggestion, each.node, then, now)
        return replace(fit, why=edit) if isinstance(edit, str) else fit

    def _of(self, text: str) -> SourceLines:
        if text not in self._lines:
            self._lines[text] = SourceLines(markdown_of(text))
        return self._lines[text]


def judged(
    texts: SuggestionTexts,
    found: Iterable[OpenSuggestion],
    edits: Mapping[str, PageEdit],
    now: datetime,
) -> dict[str, Fit]:
    """Return whether suggestions fit, by thread. Takes a while: not on the event loop.

    ``edits`` are what I staged, ``now`` is the service's time.
    """
    pages = _Pages(texts, edits)
    fits: dict[str, Fit] = {}
    for each in found:
        fit = pages.judged(each)
        if fit.why == EDITED and texts.who and texts.when is not None:
            last = f"last by {texts.who}, {age(texts.when, now)}"
            fit = replace(fit, why=f"{EDITED.removesuffix('.')} ({last}).")
        fits[each.thread] = fit
    return fits


# Applying


@dataclass(frozen=True, slots=True)
class ApplyPlan:
    """What applying suggestions sends, and ``left``: why others are not applied, by thread."""

    run: ApplyRun
    check: EditCheck
    left: Mapping[str, str]


def plan_applying(
    ids: tuple[str, str],
    target: str,
    chosen: Sequence[OpenSuggestion],
    texts: SuggestionTexts,
    edits: Mapping[str, PageEdit],
    now: datetime,
) -> ApplyPlan:
    """Return how suggestions are applied that fit by now. Takes a while, as `judged` does.

    ``target`` names the change request in the log; ``edits`` are what I staged of it.
    """
    pages = _Pages(texts, edits)
    fits = judged(texts, chosen, edits, now)
    left = {thread: fit.why for thread, fit in fits.items() if fit.why}
    by_page: dict[str, dict[str, tuple[Fit, Suggestion]]] = {}
    by_thread = {each.thread: each for each in chosen}
    for each in [each for each in chosen if each.thread not in left]:
        if each.page not in by_page and len(by_page) == MOST:
            left[each.thread] = TOO_MANY
        else:
            by_page.setdefault(each.page, {})[each.thread] = fits[each.thread], each.suggestion
    joined: dict[str, PageEdit] = {}
    taken: list[Taken] = []
    for page, found in by_page.items():
        edit = pages.edit(page)
        assert isinstance(edit, PageEdit)  # what fits is on a page that is there
        markdown, clashing = apply(markdown_of(edit.text), found)
        for thread, other in clashing.items():
            left[thread] = f"The suggestion overlaps {by_thread[other].author}'s, applied now."
        joined[page] = replace(edit, text=with_markdown(edit.text, markdown))
        for thread in found.keys() - clashing.keys():
            each, fit = by_thread[thread], fits[thread]
            taken.append(
                Taken(
                    thread, page, each.author, clean(edit.named), fit.start, fit.stop,
                    each.words, each.replies,
                )
            )  # fmt: skip
    order = list(by_thread)
    run = ApplyRun(
        token(),
        *ids,
        target,
        now.timestamp(),
        {page: edit.to_text() for page, edit in joined.items()},
        tuple(sorted(taken, key=lambda each: order.index(each.thread))),
    )
    standings = {page: Standing("same", edit) for page, edit in joined.items()}
    return ApplyPlan(run, EditCheck(texts.revision, texts.tree, standings, texts.who), left)


async def apply_plan(staged: StagedPages, plan: ApplyPlan, *, now: bool = False) -> str:
    """Apply suggestions; return what could not be done of the rest, "" for nothing.

    ``now``: as for `send_edits`. Raises `WriteError`, and ``OSError`` where it cannot be noted on
    the disk: then nothing was sent.
    """
    session, run = staged.session, plan.run
    await asyncio.to_thread(_keep, session, run)
    finishing: list[asyncio.Task[str]] = []

    def arrived() -> None:
        # Also where it arrives later, from the outbox, and where its screen is gone.
        task = asyncio.create_task(_finish(session, run, now=now))
        session.writes.hold_open(task)
        finishing.append(task)

    try:
        await send_edits(
            staged, plan.check, target=run.target, now=now, group=run.id,
            arrived=arrived,
        )  # fmt: skip
    except QueuedError:
        raise
    except WriteError as error:
        if not error.unknown:
            await asyncio.to_thread(_over, session, run)
        raise
    return await asyncio.shield(finishing[0])


def _keep(session: Session, run: ApplyRun) -> None:
    """Keep a run, as one that this process is at. Raises ``OSError``."""
    session.applications.save(replace(run, by="" if session.me is None else session.me.id))
    session.applications.claim(run.id)


def _over(session: Session, run: ApplyRun) -> None:
    """Forget a run; where the disk refuses, the next look at the change request does."""
    with suppress(OSError):
        session.applications.drop(run.id)
    session.applications.release(run.id)


async def finish_applying(session: Session, space: str, request: str) -> str:
    """Finish an interrupted application of suggestions to a change request.

    Returns what there is to say of it. Raises ``ApiError`` and ``OSError``.
    """
    said: list[str] = []
    for run in await asyncio.to_thread(session.applications.all):
        here = (run.space, run.request) == (space, request) and not _waits(session, run)
        # Its threads are resolved in the name of who applied it, by one window.
        mine = here and await _is_mine(session, run)
        if mine and await asyncio.to_thread(session.applications.claim, run.id):
            said.append(await _go_on(session, run))
    return " ".join(filter(None, said))


async def _go_on(session: Session, run: ApplyRun) -> str:
    """Finish a run, or forget one that had not arrived; return what there is to say of it."""
    if not await _arrived(await session.ready(), run):
        await asyncio.to_thread(_over, session, run)
        return ""
    more = await _finish(session, run)
    return f"Applied before copydesk ended: {' '.join(credit_of(run))} {more}".strip()


async def _is_mine(session: Session, run: ApplyRun) -> bool:
    """Whether the token is that of who began a run, as the service says. Raises ``ApiError``."""
    api = await session.ready()
    if run.by and not session.confirmed:
        await confirm(session, api)
    return not run.by or (session.confirmed and session.me is not None and session.me.id == run.by)


async def finish_all_applying(session: Session) -> str:
    """Finish the applications that an earlier start left; return what there is to say of them.

    What fails is finished when its request is opened. Raises ``OSError``.
    """
    if session.read_only:
        return ""
    runs = await asyncio.to_thread(session.applications.all)
    said: list[str] = []
    for run in {(each.space, each.request): each for each in runs}.values():
        with suppress(*failure_types()):
            if done := await finish_applying(session, run.space, run.request):
                said.append(f"{clean(run.target)}: {done}")
    return " ".join(said)


def credit_of(run: ApplyRun) -> list[str]:
    """Return who is named for what of a run."""
    return credit(each.said for each in run.taken)


def _waits(session: Session, run: ApplyRun) -> bool:
    """Whether the content write of a run is under way, or waits in the outbox."""
    if any(entry.group == run.id for entry in session.outbox.items.values()):
        return True
    return any(
        line.group == run.id and line.state in ("waiting", "sending", "queued")
        for line in session.log
    )


async def _arrived(api: Api, run: ApplyRun) -> bool:
    """Whether the pages have what a run makes of them."""
    for page, text in run.edits.items():
        read = await api.find(
            ops.get_change_request_page, run.space, run.request, page, format="markdown"
        )
        if read is None:
            return False
        standing = await asyncio.to_thread(compared, edit_of(text), source_of(read), "")
        if standing.how != "there":
            return False
    return True


async def _finish(session: Session, run: ApplyRun, *, now: bool = False) -> str:
    """Resolve the threads of a run that has arrived, and name the authors.

    Returns what could not be done. Where the service is away the run stays: the next look at the
    change request goes on.
    """
    left: list[str] = []
    try:
        api = await session.ready()
        for each in run.taken:
            thread = await read_comment(api, run.space, run.request, each.thread)
            if thread is None or thread.status == "resolved":
                continue
            if (thread.body.markdown, thread.replies) != (each.words, each.replies):
                left.append(f"The thread of {each.author} stays open: someone wrote in it since.")
                continue
            name = f"{run.target} “{clean(first_words(thread, 40))}”"
            write = resolving((run.space, run.request), thread, name, resolved=True)
            if why := await _told(session, api, write, run.id, now=now):
                left.append(f"The thread of {each.author} stays open: {why}")
        request = await api(ops.get_change_request, run.space, run.request)
        naming = _naming(request, run)
        if naming is not None and (why := await _told(session, api, naming, run.id, now=now)):
            left.append(f"The description does not name who suggested: {why}")
    except failure_types() as error:
        return f"The threads are resolved later: {sentence(error)}"
    await asyncio.to_thread(_over, session, run)
    return " ".join(left)


async def _told(
    session: Session,
    api: Api,
    write: Write[T],
    group: str,
    *,
    now: bool,
) -> str:
    """Send a write; return why it was refused, "" where it arrived or waits in the outbox."""
    look = write.look
    try:
        await session.writes.perform(
            write.what,
            write.target,
            lambda: write.send(api),
            reversal=write.reversal,
            look=None if look is None else (lambda: look(api)),
            expects=write.expects,
            group=group,
            now=now,
        )
    except QueuedError:
        return ""
    except WriteError as error:
        return str(error)
    return ""


def _naming(request: ChangeRequest, run: ApplyRun) -> Write[ChangeRequest] | None:
    """Return the write that names in the description who suggested; None where it does."""
    said = document_text(request.description)
    lines = [line for line in credit_of(run) if line not in said]
    if not lines:
        return None
    before = request.description or document_of("")
    added = document_of("\n\n".join(lines)).nodes
    after = before.model_copy(update={"nodes": [*before.nodes, *added]})
    body = ChangeRequestUpdate(description=after)
    back = ChangeRequestUpdate(description=before).model_dump(mode="json", exclude_unset=True)

    def is_so(now: ChangeRequest) -> bool:
        there = document_text(now.description)
        return all(line in there for line in lines)

    return changing(row_of(request), "Credit", body, back, is_so=is_so)
