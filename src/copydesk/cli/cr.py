"""``copydesk cr show``, ``merge`` and ``comment``: one change request."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.errors import CONFLICT, DONE, FAILED, NOT_ALLOWED, UsageError, agreed, say
from copydesk.cli.lookup import FoundSpace, find_request
from copydesk.cli.output import put, put_facts, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.domain.age import age
from copydesk.domain.inverses import message_trace
from copydesk.domain.text import clean, shorten
from copydesk.present.change_details import page_line, page_summary, review_summary, rule_line
from copydesk.present.change_filter import open_threads
from copydesk.present.facts import readiness_text
from copydesk.session.readiness import readiness_of
from copydesk.session.reads.spaces import read_me
from copydesk.session.writes.recovery import find_trace
from copydesk.session.writes.undo import History

if TYPE_CHECKING:
    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, MergeResult
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.session.reads.merge import SpokenFor

T = TypeVar("T")

STANDARD_INPUT = "-"

WORDS = 40
"""Characters of a comment that the log shows."""

LONGEST_TEXT = 1_000_000
"""Characters of a comment that are read; a service takes far less."""

Found = tuple["ChangeRequest", FoundSpace]


def run_on(
    connection: Connection,
    request: str,
    space: str | None,
    organization: str | None,
    work: Callable[[Api, Found], Awaitable[T]],
) -> T:
    """Connect, find the change request that is meant, and do something with it."""

    async def run() -> T:
        async with await connection.connect() as api:
            return await work(api, await find_request(api, request, space, organization))

    return asyncio.run(run())


def show_request(
    *,
    request: str,
    space: str | None = None,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print what a change request is about, whether it can be merged, and what it changes."""
    from copydesk.session.change_rows import ALL_PARTS, row_of
    from copydesk.session.reads.change_requests import Scope, read_parts

    async def show(api: Api, found: Found) -> int:
        given, there = found
        row, me = row_of(given), await read_me(api)
        details = await read_parts(
            api, Scope(there.organization, there.id), row, ALL_PARTS, me="" if me is None else me.id
        )
        if as_json:
            put_json(
                {
                    **given.to_dict(),
                    "rules": [_plain(each) for each in details.rules or ()],
                    "pages": [_plain(each) for each in details.pages or ()],
                    "morePages": details.more_pages,
                    "reviews": [
                        {"by": each.name, "approved": each.approved, "outdated": each.outdated}
                        for each in details.verdicts or ()
                    ],
                    "waitsOn": list(details.asked or ()),
                }
            )
            return DONE
        now = api.now
        ready = readiness_of(row, details, keys=False)
        threads = open_threads(row, details)
        put(f"{row.label} {row.subject}")
        facts: list[tuple[str, Text | str]] = [
            ("space", f"{there.title} ({there.organization_title})"),
            ("author", f"{row.author}, opened {_ago(row.created, now)}"),
            ("changed", _ago(row.updated, now)),
            ("merge", readiness_text(ready)),
            ("reviews", review_summary(details)),
            ("changes", page_summary(details)),
            ("threads", "not known" if threads is None else f"{threads or 'none'} open"),
        ]
        facts += [("cluster", details.cluster)] if details.cluster else []
        facts += [("address", row.url)] if row.url else []
        put_facts(facts)
        for title, lines in (
            ("Rules", [rule_line(each).plain for each in details.rules or ()]),
            ("Changes", [page_line(each).plain for each in details.pages or ()]),
            ("Description", details.description.split("\n") if details.description else []),
        ):
            if lines:
                put("\n".join(["", title, *lines]))
        if details.more_pages:
            put(f"and {details.more_pages} more")
        return DONE

    return run_on(service.connection(), request, space, organization, show)


def merge_request(
    *,
    request: str,
    space: str | None = None,
    organization: str | None = None,
    yes: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Merge a change request, once somebody has said so.

    What is known to be in the way is told, and nothing is sent then. Raises ``UsageError``.
    """
    if not yes and not sys.stdin.isatty():
        raise UsageError("nothing was merged: it takes --yes where nobody can be asked")
    from copydesk.present.merge import fact_lines, warnings
    from copydesk.session.reads import conflicts
    from copydesk.session.reads import merge as merge_facts

    connection = service.connection(writes=True)
    tell = say if as_json else put

    async def merge(api: Api, found: Found) -> int:
        given, there = found
        read = await merge_facts.read_all(api, there.id, given.id)
        for line in fact_lines(read, api.now):
            tell(str(line))
        for line in warnings(read, None, clashed=False):
            tell(str(line).replace("; U updates first", ""))
        _refuse(read)
        label = f"#{given.number}"
        if not yes:
            _ask(f"Merge {label} into {there.title}? It is live at once.")
            now = await merge_facts.read_all(api, there.id, given.id)
            if now.request.revision != read.request.revision:
                raise UsageError(
                    f"nothing was merged: {label} was edited meanwhile. Look again.", CONFLICT
                )
            _refuse(now)
        async with CommandWrites(connection, api) as writes:
            try:
                result, now_is = await writes.perform(
                    "Merge",
                    f"{label} {clean(given.subject)}".rstrip(),
                    lambda: conflicts.merge(api, there.id, given.id, read.space.revision),
                    look=lambda: conflicts.merged(api, there.id, given.id),
                )
            except conflicts.ConflictedError as clash:
                return _clashed(label, clash, as_json=as_json)
        _merged(label, there, result, now_is, as_json=as_json)
        return DONE

    return run_on(connection, request, space, organization, merge)


def _refuse(read: SpokenFor) -> None:
    """Raise ``UsageError`` where a merge would be refused, with the exit status of that."""
    from copydesk.session.reads.merge import why_not_mergeable

    why = why_not_mergeable(read.request, read.space, read.rules)
    if why is None:
        return
    may = read.space.permissions is None or read.space.permissions.merge
    # As the service answers it: 403 for a right that is missing, 412 for all else.
    status = CONFLICT if may or read.request.status != "open" else NOT_ALLOWED
    raise UsageError(f"nothing was merged: {why}", status)


def _ask(question: str) -> None:
    if not agreed(question):
        raise UsageError("nothing was merged.", FAILED)


def _clashed(label: str, clash: Any, *, as_json: bool) -> int:
    from copydesk.present.conflict import HOW_TO_SETTLE
    from copydesk.present.review import conflict_lines

    say(f"copydesk: {label} {clash}")
    for line in conflict_lines(clash.conflicts):
        say(str(line))
    say(HOW_TO_SETTLE)
    if as_json:
        put_json(
            {
                "result": "conflicts",
                "conflicts": [each.to_dict() for each in clash.conflicts],
                "changeRequest": clash.request.to_dict(),
            }
        )
    return CONFLICT


def _merged(
    label: str,
    there: FoundSpace,
    result: MergeResult | None,
    now: ChangeRequest,
    *,
    as_json: bool,
) -> None:
    from copydesk.present.merge import result_lines

    if as_json:
        revision = (result and result.revision) or now.revision_merged
        put_json({"result": "merge", "revision": revision, "changeRequest": now.to_dict()})
        return
    put(f"{label} is merged into {there.title}.")
    for line in result_lines(result, now)[1:]:
        put(str(line))


def comment_on(
    *,
    request: str,
    text: str,
    space: str | None = None,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Comment on a change request as a whole; ``-`` reads the text from standard input.

    A text that an earlier call sent without hearing whether it arrived is looked for first, and
    not sent again where it is there. Raises ``UsageError``.
    """
    said = _text(text)
    connection = service.connection(writes=True)

    async def comment(api: Api, found: Found) -> int:
        given, there = found
        async with CommandWrites(connection, api) as writes:
            arrived, sent = await send_comment(api, writes, given, there, said)
        if as_json:
            put_json(sent.to_dict())
        elif arrived:
            put(f"It is there already on #{given.number}: not sent again.")
        else:
            put(f"Commented on #{given.number} in {there.title}. :undo on the screens deletes it.")
        return DONE

    return run_on(connection, request, space, organization, comment)


async def send_comment(
    api: Api, writes: CommandWrites, request: ChangeRequest, there: FoundSpace, text: str
) -> tuple[bool, Comment | CommentReply]:
    """Send a comment; True when an earlier call had sent it."""
    from dataclasses import replace

    from copydesk.session.writes.comments import PendingDraft, send_draft, way_back

    draft = PendingDraft(there.id, request.id, "request", "comment", text)
    back, me = way_back(draft), await read_me(api)
    trace = None
    if me is not None:
        trace = replace(message_trace(there.id, request.id, me=me.id), says=text)
    target = f"#{request.number} “{shorten(clean(text), WORDS)}”"
    journal, history, began = writes.journal, History(), time.time()
    entries = journal.entries()
    history.learn(entries)

    async def look(since: float) -> Comment | CommentReply | None:
        assert trace is not None
        found: Comment | CommentReply | None = await find_trace(
            api, trace, text, api.at(since).timestamp(), known=history.made
        )
        return found

    if trace is not None:
        written = trace.to_dict()
        for entry in entries:
            if (entry.state, entry.trace) != ("unknown", written):
                continue
            if (found := await look(entry.at)) is not None:
                journal.settle(entry, "done", reversal=back(found).to_dict())
                return True, found
            journal.settle(entry, "failed", sentence="It had not arrived.")
    sent: Comment | CommentReply = await writes.perform(
        "Comment",
        target,
        lambda: send_draft(api, draft),
        look=None if trace is None else lambda: look(began),
        reversal=back,
        trace=trace,
    )
    return False, sent


def _text(given: str) -> str:
    """Return the text of a comment. Raises ``UsageError`` for one without words."""
    text = given
    if given == STANDARD_INPUT:
        try:
            text = sys.stdin.buffer.read(4 * LONGEST_TEXT + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError("standard input is not UTF-8 text. Nothing was sent.") from error
    text = text.strip()
    if not text:
        raise UsageError("the comment has no words. Nothing was sent.")
    if len(text) > LONGEST_TEXT:
        raise UsageError(
            f"the comment is longer than {LONGEST_TEXT:,} characters. Nothing was sent."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("the comment is not UTF-8 text. Nothing was sent.") from error
    return text


def _plain(value: Any) -> dict[str, Any]:
    """Return the fields of a value as JSON has them."""
    from dataclasses import asdict

    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(value).items()}


def _ago(then: datetime, now: datetime) -> str:
    since = age(then, now)
    return "just now" if since == "now" else f"{since} ago"
