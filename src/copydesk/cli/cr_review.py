"""``copydesk cr approve``, ``ask`` and ``review``: verdicts, and a whole review from a file."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.cr import Found, run_on, was_edited
from copydesk.cli.cr_threads import deliver, text_of
from copydesk.cli.errors import (
    CONFLICT,
    DIFFERS,
    DONE,
    LACKING,
    NOT_ALLOWED,
    UsageError,
    ask_first,
    need_answer,
    say,
)
from copydesk.cli.given_file import is_piped, mistaken, read_text
from copydesk.cli.lookup import Wanted
from copydesk.cli.output import put, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.client.errors import OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural, same_name, shorten
from copydesk.session.change_rows import row_of
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import read_me
from copydesk.session.writes.comments import PendingDraft
from copydesk.session.writes.requests import (
    FINAL,
    NO_REVIEWS,
    VERBS,
    right_missing,
    verdict,
    why_no_verdict,
)
from copydesk.session.writes.requests import OWN as OWN_REQUEST

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ReviewStatus
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.review import Review
    from copydesk.contract.models.space import Space
    from copydesk.contract.models.user import User
    from copydesk.domain.page_text import PageText
    from copydesk.domain.page_tree import PageNode
    from copydesk.domain.review_file import Entry, ReviewFile


def _judge(
    status: ReviewStatus,
    *,
    wanted: Wanted,
    text: str | None = None,
    yes: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Give a verdict on a change request, once somebody has said so. Raises ``UsageError``."""
    said = "" if text is None else text_of(text)
    need_answer(said=yes)
    connection = service.connection(writes=True)

    async def judge(api: Api, found: Found) -> int:
        whole, me = await asyncio.gather(api(ops.get_space, found[1].id), read_me(api))
        await _refuse(api, found, whole)
        _tell_edited(connection, found[0])
        if not yes:
            _tell(found, me)
            await _ask(api, found, f"{VERBS[status]}: #{found[0].number}?")
        async with CommandWrites(connection, api) as writes:
            write = verdict(row_of(found[0]), status, said, me)
            given = await writes.send(write)
        if as_json:
            put_json(given.to_dict())
        else:
            put(write.done)
        return DONE

    return run_on(connection, wanted, judge)


approve, ask_for_changes = partial(_judge, "approved"), partial(_judge, "changes-requested")


async def _refuse(api: Api, found: Found, space: Space) -> list[Review]:
    """Return the reviews so far. Raises ``UsageError`` where a verdict would be refused."""
    given, _ = found
    if why := why_no_verdict(given, space):
        status = NOT_ALLOWED if given.status in ("open", "draft") else CONFLICT
        raise UsageError(f"nothing was sent: {why}", status)
    try:
        return await api.every(ops.list_change_request_reviews, given.space, given.id)
    except OperationMissing:
        raise UsageError(f"nothing was sent: {NO_REVIEWS}", LACKING) from None


def _tell_edited(connection: Connection, given: ChangeRequest) -> None:
    if was_edited(connection, given):
        say(f"! #{given.number} changed since you read it.")


def _tell(found: Found, me: User | None) -> None:
    given, there = found
    say(f"#{given.number} {clean(given.subject)} in {there.title}")
    if me is not None and given.created_by is not None and given.created_by.id == me.id:
        say(OWN_REQUEST)
    say(FINAL)


async def _ask(api: Api, found: Found, question: str) -> None:
    """Raise ``UsageError`` for a no, and where the request was edited while that was thought of."""
    given, _ = found
    ask_first(question)
    now = await api(ops.get_change_request, given.space, given.id)
    if (now.revision, now.status) != (given.revision, given.status):
        raise UsageError(
            f"nothing was sent: #{given.number} was edited meanwhile. Look again.", CONFLICT
        )


# From a file


@dataclass(frozen=True, slots=True)
class _Comment:
    """A comment of a review file with its subject; ``there``: the service has it already."""

    draft: PendingDraft
    where: str
    thread: Comment | None = None
    there: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {_start(self.draft.text)}"


def _start(text: str) -> str:
    """Return the beginning of a text, on one line."""
    return shorten(" ".join(clean(text).split()))


def review(
    *,
    wanted: Wanted,
    file: Path,
    plan: bool = False,
    yes: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Send the comments and the verdict of a file, or with ``plan`` print them (7 if any is new).

    Everything in it is held against the change request first. What is there already, by an earlier
    run, is not sent again; a verdict goes last. Raises ``UsageError``.
    """
    meant = _read(file)
    need_answer(said=plan or yes, plans=True, free=not is_piped(file))
    connection = service.connection(writes=not plan)

    async def run(api: Api, found: Found) -> int:
        given, there = found
        whole, me = await asyncio.gather(api(ops.get_space, there.id), read_me(api))
        if meant.entries and (
            why := right_missing(whole, lambda granted: granted.comment, "comment")
        ):
            raise UsageError(f"nothing was sent: {why}", NOT_ALLOWED)
        before = await _refuse(api, found, whole) if meant.verdict else []
        comments = await _located(api, found, file, meant.entries, me)
        judged = bool(meant.verdict) and _given(before, meant, me)
        to_send = [each for each in comments if not each.there]
        judges = bool(meant.verdict) and not judged
        tell = say if as_json else put
        for each in comments:
            tell(f"{'there already' if each.there else 'comment'} {each}")
        if meant.verdict:
            said = f": {_start(meant.text)}" if meant.text else ""
            tell(f"{'there already' if judged else 'review'} {VERBS[meant.verdict]}{said}")
        if not to_send and not judges:
            tell(f"All of it is on #{given.number} already: nothing was sent.")
            if as_json:
                put_json({"comments": [], "review": None})
            return DONE
        if plan:
            return DIFFERS
        if judges:
            _tell_edited(connection, given)
        if not yes:
            if judges:
                _tell(found, me)
            parts = [plural(len(to_send), "comment")] if to_send else []
            await _ask(
                api, found, f"Send {' and '.join([*parts, *(['the review'] if judges else [])])}?"
            )
        sent: list[Comment | CommentReply] = []
        group, given_now = uuid4().hex, None
        async with CommandWrites(connection, api) as writes:
            for each in to_send:
                _, made = await deliver(
                    api, writes, found, each.draft, me, each.thread, group=group
                )
                sent.append(made)
            if meant.verdict and judges:
                given_now = await writes.send(
                    verdict(row_of(given), meant.verdict, meant.text, me), group=group
                )
        if as_json:
            put_json(
                {
                    "comments": [each.to_dict() for each in sent],
                    "review": None if given_now is None else given_now.to_dict(),
                }
            )
        else:
            with_it = "" if given_now is None else ", and the review, which cannot be undone"
            put(f"Sent to #{given.number}: {plural(len(sent), 'comment')}{with_it}.")
        return DONE

    return run_on(connection, wanted, run)


def _read(path: Path) -> ReviewFile:
    from copydesk.domain.review_file import read_review
    from copydesk.domain.yaml_lines import FileError

    try:
        return read_review(read_text(path))
    except FileError as error:
        raise mistaken(path, error) from error


def _given(before: Sequence[Review], wanted: ReviewFile, me: User | None) -> bool:
    """Whether my newest verdict, on the request as it is now, is the one of a file."""
    mine = next((each for each in before if me is not None and each.reviewer.id == me.id), None)
    if mine is None or mine.outdated or mine.status != wanted.verdict:
        return False
    return (mine.comment.markdown or "" if mine.comment else "").strip() == wanted.text


async def _located(
    api: Api, found: Found, file: Path, entries: Sequence[Entry], me: User | None
) -> list[_Comment]:
    """Return the comments of a file with what each is about.

    Raises ``UsageError`` with all that is not there, and ``ApiError``.
    """
    from copydesk.domain.page_tree import flatten
    from copydesk.domain.yaml_lines import FileError, Problem
    from copydesk.session.reads.review import read_replies, read_threads

    given, there = found
    threads = {each.id: each for each in await read_threads(api, there.id, given.id)}
    replies = await read_replies(
        api, there.id, given.id, sorted({each.thread for each in entries if each.thread in threads})
    )
    pages: Sequence[PageNode] = ()
    if any(each.page for each in entries):
        pages = flatten((await api(ops.list_change_request_pages, there.id, given.id)).pages)
    texts: dict[str, PageText] = {}
    problems: list[Problem] = []
    mine = me.id if me is not None else ""
    there_now: list[tuple[_Where, Comment | CommentReply]] = [
        *((_on(each), each) for each in threads.values()),
        *(((on, None, None), each) for on, answers in replies.items() for each in answers),
    ]
    known = Counter(
        (where, (each.body.markdown or "").strip())
        for where, each in there_now
        if mine and each.posted_by is not None and each.posted_by.id == mine
    )
    made: list[_Comment] = []
    for entry in entries:
        try:
            draft, where = await _draft(api, found, entry, pages, texts, threads)
        except ValueError as error:
            problems.append(Problem(entry.at, str(error)))
            continue
        on = (draft.thread, draft.page, draft.node)
        known[on, draft.text] -= 1
        arrived = known[on, draft.text] >= 0
        made.append(_Comment(draft, where, threads.get(entry.thread), arrived))
    if problems:
        raise mistaken(file, FileError(problems))
    return made


_Where = tuple[str | None, str | None, str | None]
"""The thread of a reply, and the page and the node of a comment."""


def _on(comment: Comment) -> _Where:
    page, node = comment.target.page, comment.target.node
    return None, None if page is None else page.id, None if node is None else node.id


async def _draft(
    api: Api,
    found: Found,
    entry: Entry,
    pages: Sequence[PageNode],
    texts: dict[str, PageText],
    threads: dict[str, Comment],
) -> tuple[PendingDraft, str]:
    """Return what an entry sends, and where. Raises ``ValueError`` where that is not there."""
    given, there = found
    number = f"#{given.number}"
    if entry.thread:
        if entry.thread not in threads:
            raise ValueError(f"{number} has no thread {shorten(clean(entry.thread))}")
        part = f"reply {entry.thread}"
        draft = PendingDraft(there.id, given.id, part, "reply", entry.text, thread=entry.thread)
        return draft, f"in thread {entry.thread}"
    if not entry.page:
        return PendingDraft(there.id, given.id, "request", "comment", entry.text), f"on {number}"
    page = _page(entry.page, pages, number)
    title = clean(page.title) or page.id
    if not (entry.line or entry.quote):
        part = f"{page.id}/page"
        draft = PendingDraft(there.id, given.id, part, "comment", entry.text, page=page.id)
        return draft, f"on {title}"
    if page.id not in texts:
        from copydesk.domain.page_text import page_text

        read = await api(
            ops.get_change_request_page, there.id, given.id, page.id, format="markdown"
        )
        whole = read.markdown or ""
        texts[page.id] = await asyncio.to_thread(page_text, whole, whole)
    row = _row(entry, texts[page.id], title)
    if entry.suggestion is not None:
        return _suggestion(found, entry, page, texts[page.id], row)
    node = texts[page.id].anchor_after(row)
    if node is None:
        raise ValueError(f"line {entry.line} of {title} has no words to comment on")
    draft = PendingDraft(
        there.id, given.id, f"{page.id}/{node}", "comment", entry.text, page=page.id, node=node
    )
    return draft, f"on {title}, “{shorten(clean(node.split(':', 3)[3]))}”"


def _suggestion(
    found: Found, entry: Entry, page: PageNode, text: PageText, row: int
) -> tuple[PendingDraft, str]:
    """Return the comment that suggests other lines, and where. Raises ``ValueError``."""
    from copydesk.domain.suggestion import IDLE, Fit, SourceLines, suggest

    given, there = found
    title = clean(page.title) or page.id
    first, last = text.lines_of(row)
    if entry.line:
        first, last = entry.line - 1, (entry.last or entry.line) - 1
    old = SourceLines(text.source).lines[first : last + 1]
    if len(old) <= last - first:
        raise ValueError(f"{title} has no line {last + 1}")
    new = entry.suggestion or ()
    made = suggest(text.source, first, last, new)
    if made is None:
        raise ValueError(f"line {first + 1} of {title} has no words to find it by")
    if tuple(old) == new:
        raise ValueError(f"line {first + 1} of {title}: {IDLE[:1].lower()}{IDLE[1:-1]}")
    node, said = made
    words = "\n\n".join(filter(None, (entry.text, said)))
    part = f"{page.id}/{node}"
    draft = PendingDraft(there.id, given.id, part, "comment", words, page=page.id, node=node)
    return draft, f"suggests on {title}, {Fit(first, last + 1).where}"


def _row(entry: Entry, text: PageText, title: str) -> int:
    if entry.line:
        row = text.row_of_source(entry.line)
        if row is None:
            raise ValueError(f"{title} has no line {entry.line}")
        return row
    rows = text.rows_with(entry.quote)
    said = shorten(clean(entry.quote))
    if not rows:
        raise ValueError(f"no line of {title} says “{said}”")
    if len(rows) > 1:
        raise ValueError(f"{len(rows)} lines of {title} say “{said}”: quote more, or use line")
    return rows[0]


def _page(wanted: str, pages: Sequence[PageNode], number: str) -> PageNode:
    """Return the page that is meant: by its id, its address or its title."""
    address = wanted.strip("/").removesuffix(".md")
    for meant in (
        [page for page in pages if page.id == wanted],
        [page for page in pages if page.path == address],
        [page for page in pages if same_name(page.title, wanted)],
    ):
        if len(meant) == 1:
            return meant[0]
        if meant:
            said = shorten(clean(wanted))
            raise ValueError(f"{len(meant)} pages have the name {said}: name one by its address")
    raise ValueError(f"{number} has no page {shorten(clean(wanted))}")
