"""``copydesk cr apply``: suggestions in the threads of a change request, applied."""

from __future__ import annotations

import asyncio

from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.cr_threads import find_thread
from copydesk.cli.errors import (
    CONFLICT,
    DIFFERS,
    DONE,
    FAILED,
    NOT_ALLOWED,
    UsageError,
    ask_first,
    need_answer,
    say,
)
from copydesk.cli.lookup import Wanted
from copydesk.cli.output import put, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.client.api import Api
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.comment import Comment
from copydesk.contract.models.space import Space
from copydesk.domain.suggestion import Fit, outcome
from copydesk.domain.text import clean, listed, plural
from copydesk.present.suggestions import suggestion_lines
from copydesk.session.operations import ops
from copydesk.session.page_edits import StagedPages
from copydesk.session.reads.review import read_threads
from copydesk.session.suggestions import (
    ApplyPlan,
    OpenSuggestion,
    apply_plan,
    finish_applying,
    judged,
    plan_applying,
    read_texts,
    suggested_in,
)


def apply_suggestions(
    *,
    wanted: Wanted,
    threads: list[str],
    plan: bool = False,
    yes: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Apply the suggestions of some threads, or all that fit; ``plan`` prints them (7 if any).

    Returns 4 where one that was named is not applied. Raises ``UsageError``.
    """
    need_answer(said=plan or yes, plans=True)
    connection = service.connection(writes=not plan)
    tell = say if as_json else put

    async def run(api: Api, found: Found) -> int:
        given, there = found
        ids, label = (there.id, given.id), f"#{given.number}"
        _refuse(given, await api(ops.get_space, there.id))
        async with CommandWrites(connection, api) as writes:
            if not plan and (said := await finish_applying(writes.session, *ids)):
                tell(said)
            comments = await read_threads(api, *ids)
            chosen = _chosen(comments, threads, label)
            texts = await read_texts(api, *ids, chosen)
            staged = StagedPages(writes.session, *ids)
            await staged.read()
            edits, target = dict(staged.edits), f"{label} {clean(given.subject)}".rstrip()
            fits = await asyncio.to_thread(judged, texts, chosen, edits, api.now)
            planned = await asyncio.to_thread(
                plan_applying, ids, target, chosen, texts, edits, api.now
            )
            for each in chosen:
                tell("\n".join(_lines(each, fits[each.thread], planned)))
            count = len(planned.run.taken)
            also = [clean(edits[page].named) for page in planned.run.edits if page in edits]
            if also:
                tell(f"With it goes what is staged of {listed(also)}.")
            failed = CONFLICT if threads and planned.left else DONE
            left = ""
            if count and plan:
                return DIFFERS
            if count:
                ask_first(f"Apply {plural(count, 'suggestion')} to {label}?", said=yes)
                left = await writes.told(apply_plan(staged, planned, now=True))
            if as_json:
                put_json(
                    {
                        "applied": [each.thread for each in planned.run.taken],
                        "left": dict(planned.left),
                    }
                )
            else:
                put(outcome(count, list(planned.left.values())) if chosen else "Nothing to apply.")
            if left:
                say(left)
            return failed

    return run_on(connection, wanted, run)


def _refuse(given: ChangeRequest, space: Space) -> None:
    """Raise ``UsageError`` where applying would be refused."""
    if given.status not in ("open", "draft"):
        said = f"nothing was sent: #{given.number} is {clean(given.status)}."
        raise UsageError(said, CONFLICT)
    if space.permissions is not None and not space.permissions.edit:
        raise UsageError("nothing was sent: You may not edit here; its author can.", NOT_ALLOWED)


def _chosen(comments: list[Comment], threads: list[str], label: str) -> list[OpenSuggestion]:
    """Return the suggestions that are meant. Raises ``UsageError`` for a thread without one."""
    if not threads:
        return [each for each in map(suggested_in, comments) if each is not None]
    chosen: dict[str, OpenSuggestion] = {}
    for name in threads:
        comment = find_thread(comments, label, name)
        each = suggested_in(comment)
        if each is None:
            why = "is resolved" if comment.status == "resolved" else "suggests nothing"
            raise UsageError(f"nothing was sent: {comment.id} {why}.", FAILED)
        chosen[comment.id] = each
    return list(chosen.values())


def _lines(each: OpenSuggestion, fit: Fit, planned: ApplyPlan) -> list[str]:
    """Return a suggestion as it is printed, with why it is not applied."""
    why = planned.left.get(each.thread, "")
    where = f", {fit.where}" if fit.old else ""
    state = f"does not fit: {why}" if why else "fits"
    return [
        f"{each.thread}  {each.author}{where}: {state}",
        *(f"    {line}" for line in suggestion_lines(each.suggestion, fit)),
    ]
