"""``copydesk cr show``, ``merge`` and ``revert``: one change request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.errors import (
    CONFLICT,
    DONE,
    NOT_ALLOWED,
    UsageError,
    ask_first,
    kept_state,
    need_answer,
    say,
)
from copydesk.cli.lookup import FoundSpace, Wanted, find_request
from copydesk.cli.output import put, put_facts, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.domain.moments import told_ago
from copydesk.domain.text import clean
from copydesk.local.marks import DeskSnoozes
from copydesk.present.change_request import (
    open_threads,
    page_line,
    page_summary,
    readiness_text,
    review_summary,
    rule_line,
)
from copydesk.session.change_rows import readiness_of
from copydesk.session.reads.spaces import read_me

if TYPE_CHECKING:
    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, MergeResult
    from copydesk.session.reads.merge import SpokenFor

T = TypeVar("T")

Found = tuple["ChangeRequest", FoundSpace]


def run_on(connection: Connection, wanted: Wanted, work: Callable[[Api, Found], Awaitable[T]]) -> T:
    """Connect, find the change request that is meant, and do something with it."""

    async def run(api: Api) -> T:
        return await work(api, await find_request(api, wanted))

    return connection.run(run)


def was_edited(connection: Connection, now: ChangeRequest) -> bool:
    """Whether a change request is not as it was when its pages were read here last, if ever."""
    return bool(DeskSnoozes(kept_state(), connection.key).edited({now.id: now.revision}))


def show_request(
    *,
    wanted: Wanted,
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
        ready = readiness_of(row, details)
        threads = open_threads(row, details)
        put(f"{row.label} {row.subject}")
        facts: list[tuple[str, Text | str]] = [
            ("space", f"{there.title} ({there.organization_title})"),
            ("author", f"{row.author}, opened {told_ago(row.created, now)}"),
            ("changed", told_ago(row.updated, now)),
            ("merge", readiness_text(ready, keys=False)),
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

    return run_on(service.connection(), wanted, show)


def merge_request(
    *,
    wanted: Wanted,
    yes: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Merge a change request, once somebody has said so.

    What is known to be in the way is told, and nothing is sent then. Raises ``UsageError``.
    """
    need_answer(said=yes, done="merged")
    from copydesk.present.merge import fact_lines, warnings
    from copydesk.session.own_commands import tell_merged
    from copydesk.session.reads import merge as merge_facts
    from copydesk.session.settlement import is_cut_off
    from copydesk.session.writes import merges

    connection = service.connection(writes=True)
    tell = say if as_json else put

    async def merge(api: Api, found: Found) -> int:
        given, there = found
        read = await merge_facts.read_all(api, there.id, given.id)
        for line in fact_lines(read, api.now):
            tell(str(line))
        edited = was_edited(connection, read.request)
        for line in warnings(read, None, clashed=False, edited=edited):
            tell(str(line).replace("; U updates first", ""))
        _refuse(read)
        label = f"#{given.number}"
        if not yes:
            ask_first(f"Merge {label} into {there.title}? It is live at once.", done="merged")
            now = await merge_facts.read_all(api, there.id, given.id)
            if now.request.revision != read.request.revision:
                raise UsageError(
                    f"nothing was merged: {label} was edited meanwhile. Look again.", CONFLICT
                )
            _refuse(now)
        async with CommandWrites(connection, api) as writes:
            if await is_cut_off(writes.session, there.id, given.id):
                said = (
                    f"nothing was merged: settling {label} was cut off. U in its review resumes it."
                )
                raise UsageError(said, CONFLICT)
            try:
                result, now_is = await writes.perform(
                    "Merge",
                    f"{label} {clean(given.subject)}".rstrip(),
                    lambda: merges.merge(api, there.id, given.id, read.space.revision),
                    look=lambda: merges.merged(api, there.id, given.id),
                )
            except merges.ConflictedError as clash:
                return _clashed(label, clash, as_json=as_json)
            _merged(label, there, result, now_is, as_json=as_json)
            tell_merged(writes.session, now_is, there.title)
        return DONE

    return run_on(connection, wanted, merge)


def _refuse(read: SpokenFor) -> None:
    """Raise ``UsageError`` where a merge would be refused, with the exit status of that."""
    from copydesk.session.reads.merge import why_not_mergeable

    why = why_not_mergeable(read.request, read.space, read.rules)
    if why is None:
        return
    may = read.space.permissions is None or read.space.permissions.merge
    # As the service answers it: 403 for a right that is missing, 412 for all else.
    status = CONFLICT if may or read.request.status != "open" else NOT_ALLOWED
    if read.request.status == "draft":
        why += f" copydesk cr edit {read.request.number} --status open opens it."
    raise UsageError(f"nothing was merged: {why}", status)


def _clashed(label: str, clash: Any, *, as_json: bool) -> int:
    from copydesk.present.review import HOW_TO_SETTLE, conflict_lines

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


def _plain(value: Any) -> dict[str, Any]:
    """Return the fields of a value as JSON has them."""
    from dataclasses import asdict

    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(value).items()}


def revert_request(
    *,
    wanted: Wanted,
    why: str,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Begin a change request that takes back the merge of one; 4 where edits since are to settle.

    Raises ``UsageError``.
    """
    from copydesk.session.merge_revert import begin_merge_revert, read_merge_revert
    from copydesk.session.writes.requests import begin_request

    if not why.strip():
        raise UsageError("--why is empty: say why")
    connection = service.connection(writes=True)

    async def take_back(api: Api, found: Found) -> int:
        given, there = found
        async with CommandWrites(connection, api) as writes:
            me = await read_me(api)
            taking = await read_merge_revert(writes.session, there.id, given.id, me)
            made = taking.begun
            if made is None:
                body = taking.body(why.strip(), writes.session.clock())
                made = await begin_request(writes.send, there.id, body, me)
            work = await begin_merge_revert(writes.session, taking, made)
            count = len(work.open)
            if not count:
                await writes.told(work.send())
        if as_json:
            put_json({"changeRequest": made.to_dict(), "open": count})
        else:
            put(f"Began #{made.number}: {clean(made.subject)}")
            for line in taking.lines():
                put(line)
            if count:
                put(f"#{made.number} changes nothing until U in its review settles them.")
        return CONFLICT if count else DONE

    return run_on(connection, wanted, take_back)
