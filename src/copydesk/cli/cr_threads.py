"""``copydesk cr threads``, ``comment``, ``reply`` and ``resolve``: threads of a change request."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.errors import DONE, FAILED, NOT_ALLOWED, UsageError
from copydesk.cli.given_file import is_piped, read_bytes
from copydesk.cli.lookup import Wanted
from copydesk.cli.output import put, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.domain.moments import told_ago
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.names import person_name
from copydesk.session.reads.spaces import read_me
from copydesk.session.writes.comments import PendingDraft, resolving, sending, way_back
from copydesk.session.writes.recovery import find_trace
from copydesk.session.writes.requests import right_missing
from copydesk.session.writes.undo import History

if TYPE_CHECKING:
    from datetime import datetime

    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.user import User
    from copydesk.domain.suggestion import Fit

WORDS = 40
"""Characters of a comment that the log shows."""

LONGEST_TEXT = 1_000_000
"""Characters of a comment that are read; a service takes far less."""

SHORTEST_ID = 4
"""So many characters of an id may stand for it, where no other begins so."""

UNDER_WAY = (
    "another copydesk is sending the same words there now. Nothing was sent: look whether they "
    "arrive before sending them again."
)


def show_threads(
    *,
    wanted: Wanted,
    every: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the open threads of a change request, or ``every`` one, with their replies."""
    from copydesk.present.threads import Thread, gone_text
    from copydesk.session.operations import ops
    from copydesk.session.reads.review import read_replies, read_threads
    from copydesk.session.suggestions import judged, read_texts, suggested_in

    async def show(api: Api, found: Found) -> int:
        from copydesk.domain.page_tree import flatten

        given, there = found
        threads = [Thread(each, 0) for each in await read_threads(api, there.id, given.id)]
        shown = [thread for thread in threads if every or thread.open]
        answered = [thread.id for thread in shown if thread.comment.replies]
        replies = await read_replies(api, there.id, given.id, answered)
        if as_json:
            put_json(
                [
                    {
                        **thread.comment.to_dict(),
                        "answers": [each.to_dict() for each in replies.get(thread.id, ())],
                    }
                    for thread in shown
                ]
            )
            return DONE
        fits: dict[str, Fit] = {}
        suggested = {
            thread.id: each
            for thread in shown
            if (each := suggested_in(thread.comment)) is not None
        }
        if suggested:
            texts = await read_texts(api, there.id, given.id, suggested.values())
            fits = await asyncio.to_thread(judged, texts, list(suggested.values()), {}, api.now)
        titles: dict[str, str] = {}
        if any(thread.page for thread in shown):
            tree = await api(ops.list_change_request_pages, there.id, given.id)
            titles = {node.id: node.place for node in flatten(tree.pages)}
        for thread in shown:
            where = "on the change request"
            if thread.page is not None:
                where = f"on {clean(titles.get(thread.page, 'a page that is gone'))}"
            state = "with a review" if thread.verdict else "open" if thread.open else "resolved"
            quote = gone_text(thread)
            put(f"{thread.id}  {state}, {where}{f': {quote}' if quote else ''}", "strong")
            _put_message(thread.comment, api.now, fits.get(thread.id))
            for message in replies.get(thread.id, ()):
                _put_message(message, api.now)
            put("")
        left = len(threads) - len(shown)
        rest = f", and {left} that are not; --all prints them" if left else ""
        put(f"{plural(len(shown), 'thread')}{'' if every else ' open'}{rest}.")
        return DONE

    return run_on(service.connection(), wanted, show)


def _put_message(message: Comment | CommentReply, now: datetime, fit: Fit | None = None) -> None:
    """Print a message; ``fit`` says where its suggestion goes, if it has one."""
    from copydesk.domain.suggestion import parts_of
    from copydesk.present.suggestions import place, standing, suggestion_lines

    put(f"  {person_name(message.posted_by)}, {told_ago(message.posted_at, now)}")
    said = (message.body.markdown or "").strip()
    for part in [said] if fit is None else parts_of(said):
        lines = part.splitlines() if isinstance(part, str) else suggestion_lines(part, fit)
        if not isinstance(part, str) and fit is not None:
            lines = [f"{place(fit)}, {standing(fit)[0]}", *lines]
        for line in lines:
            put(f"    {line}".rstrip())


def reply_to(
    *,
    wanted: Wanted,
    thread: str,
    text: str,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Answer in a thread, which is named by its id. Raises ``UsageError``."""
    said = text_of(text)
    connection = service.connection(writes=True)

    async def reply(api: Api, found: Found) -> int:
        given, there = found
        about = await _find_thread(api, found, thread)
        if about.permissions is not None and about.permissions.reply is False:
            raise UsageError("nothing was sent: You may not reply in this thread.", NOT_ALLOWED)
        draft = PendingDraft(
            there.id, given.id, f"reply {about.id}", "reply", said, thread=about.id
        )
        async with CommandWrites(connection, api) as writes:
            arrived, sent = await deliver(api, writes, found, draft, await read_me(api), about)
        if as_json:
            put_json(sent.to_dict())
        elif arrived:
            put(f"It is on #{given.number} already: not sent again.")
        else:
            put(f"Replied on #{given.number} in {there.title}. :undo on the screens deletes it.")
        return DONE

    return run_on(connection, wanted, reply)


def resolve(
    *,
    wanted: Wanted,
    threads: list[str],
    reopen: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Resolve threads, which are named by their ids, or ``reopen`` them. Raises ``UsageError``."""
    from uuid import uuid4

    from copydesk.session.operations import ops

    connection = service.connection(writes=True)

    async def run(api: Api, found: Found) -> int:
        given, there = found
        whole = await api(ops.get_space, there.id)
        if why := right_missing(whole, lambda granted: granted.comment, "comment"):
            raise UsageError(f"nothing was sent: {why}", NOT_ALLOWED)
        meant = [await _find_thread(api, found, name) for name in dict.fromkeys(threads)]
        done: list[Comment | CommentReply] = []
        as_wanted = "open" if reopen else "resolved"
        group = uuid4().hex if len(meant) > 1 else ""
        async with CommandWrites(connection, api) as writes:
            for each in meant:
                name = f"#{given.number} “{_first_words(each.body.markdown or '')}”"
                if each.status == as_wanted:
                    done.append(each)
                    if not as_json:
                        put(f"{each.id} is {as_wanted} already.")
                    continue
                write = resolving((there.id, given.id), each, name, resolved=not reopen)
                done.append(await writes.send(write, group=group))
                if not as_json:
                    put(f"{each.id} is {as_wanted} now.")
        if as_json:
            put_json([each.to_dict() for each in done])
        return DONE

    return run_on(connection, wanted, run)


async def _find_thread(api: Api, found: Found, wanted: str) -> Comment:
    """Return the thread that is meant, as `find_thread` does."""
    from copydesk.session.reads.review import read_threads

    given, there = found
    return find_thread(await read_threads(api, there.id, given.id), f"#{given.number}", wanted)


def find_thread(threads: Sequence[Comment], label: str, wanted: str) -> Comment:
    """Return the thread that is meant: by its id, or the beginning of it.

    ``label`` names the change request. Raises ``UsageError``.
    """
    name = wanted.strip()
    said = shorten(clean(name))
    meant = [each for each in threads if each.id == name]
    if not meant and len(name) >= SHORTEST_ID:
        meant = [each for each in threads if each.id.startswith(name)]
    if len(meant) > 1:
        raise UsageError(f"more than one thread of {label} begins with {said}: say more")
    if not meant:
        raise UsageError(
            f"{label} has no thread {said}. copydesk cr threads {label.removeprefix('#')} --all "
            "prints their ids",
            FAILED,
        )
    return meant[0]


def comment_on(
    *,
    wanted: Wanted,
    text: str,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Comment on a change request as a whole; ``-`` reads the text from standard input.

    A text that an earlier call sent without hearing whether it arrived is looked for first, and
    not sent again where it is there. Raises ``UsageError``.
    """
    said = text_of(text)
    connection = service.connection(writes=True)

    async def comment(api: Api, found: Found) -> int:
        given, there = found
        draft = PendingDraft(there.id, given.id, "request", "comment", said)
        async with CommandWrites(connection, api) as writes:
            arrived, sent = await deliver(api, writes, found, draft, await read_me(api))
        if as_json:
            put_json(sent.to_dict())
        elif arrived:
            put(f"It is on #{given.number} already: not sent again.")
        else:
            put(f"Commented on #{given.number} in {there.title}. :undo on the screens deletes it.")
        return DONE

    return run_on(connection, wanted, comment)


async def deliver(
    api: Api,
    writes: CommandWrites,
    found: Found,
    draft: PendingDraft,
    me: User | None,
    thread: Comment | None = None,
    *,
    group: str = "",
) -> tuple[bool, Comment | CommentReply]:
    """Send a comment or a reply (in a ``thread``); True when an earlier call had sent it.

    Raises ``UsageError`` while another copydesk sends the same.
    """
    given, _ = found
    write = sending(draft, f"#{given.number} “{_first_words(draft.text)}”", me, thread=thread)
    trace = None if write.trace is None else replace(write.trace, says=draft.text)
    write = replace(write, trace=trace)
    journal, history, began = writes.journal, History(), time.time()
    entries = journal.entries()
    history.learn(entries)

    async def look(since: float) -> Comment | CommentReply | None:
        assert trace is not None
        there: Comment | CommentReply | None = await find_trace(
            api, trace, draft.text, api.at(since).timestamp(), known=history.made
        )
        return there

    if trace is not None:
        write = replace(write, look=lambda api: look(began))
        written = trace.to_dict()
        for entry in entries:
            elsewhere = entry.is_sent_elsewhere(journal.run)
            if entry.trace != written or not (elsewhere or entry.state == "unknown"):
                continue
            there = await look(entry.at)
            if elsewhere and there is None:
                raise UsageError(UNDER_WAY, FAILED)
            if there is None:
                journal.settle(entry, "failed", sentence="It had not arrived.")
                continue
            if not elsewhere:  # else it is the other's to note
                journal.settle(entry, "done", reversal=way_back(draft)(there).to_dict())
            return True, there
    return False, await writes.send(write, group=group)


def _first_words(text: str) -> str:
    return shorten(clean(text), WORDS)


def text_of(given: str, what: str = "comment") -> str:
    """Return the text of ``what`` is written. Raises ``UsageError`` for one without words."""
    text = given
    if is_piped(given):
        try:
            text = read_bytes(given, 4 * LONGEST_TEXT + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError("standard input is not UTF-8 text. Nothing was sent.") from error
    text = text.strip()
    if not text:
        raise UsageError(f"the {what} has no words. Nothing was sent.")
    if len(text) > LONGEST_TEXT:
        raise UsageError(
            f"the {what} is longer than {LONGEST_TEXT:,} characters. Nothing was sent."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the {what} is not UTF-8 text. Nothing was sent.") from error
    return text
