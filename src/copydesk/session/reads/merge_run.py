"""Reads for a merge run: the changes of each request, and its current state."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.client.errors import Blocked, NotFound, OperationMissing, Refused
from copydesk.contract import operations as ops
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_rules import objection
from copydesk.domain.merge_run import OBJECTION, Comments, Found, Reason, RunItem, Touched
from copydesk.domain.page_tree import compare_trees, flatten
from copydesk.domain.text import clean, few, listed, plural, shown_title
from copydesk.session.change_rows import base_of
from copydesk.session.errors import NotDoneError, is_unknown, sentence
from copydesk.session.names import person_name
from copydesk.session.page_changes import losses, touched_by
from copydesk.session.reads import merge as merge_facts
from copydesk.session.reads.merge import RulesRead, why_not_mergeable
from copydesk.session.writes.merges import ConflictedError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, Changes
    from copydesk.contract.models.change_request import Conflict as Conflicting
    from copydesk.contract.models.comment import Comment, CommentReply


UP_TO_DATE = "require_up_to_date_change_request"
"""The rule that an update fulfils."""

NAMED = 3
"""The number of conflicting pages in a sentence."""

TITLE = 120
"""Characters kept of the title of a page."""


@dataclass(frozen=True, slots=True)
class PlannedState:
    """The state of a request of a plan: its changes and its obstacles.

    ``touched`` has titles by id. ``about`` says that page trees were compared because nothing lists
    the changes (E6): then pages that others edited meanwhile may count too. ``more`` counts changes
    that were left out. ``both_sides`` are pages that both sides changed, which may conflict.
    """

    found: Found
    touched: Touched
    about: bool = False
    more: int = 0
    both_sides: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def in_the_way(self) -> str:
        """Why it would not be merged now; "" without a known obstacle."""
        if self.found.status == "merged":
            return "The change request is merged already."
        return self.found.off or self.found.failing


@dataclass(frozen=True, slots=True)
class _Discussion:
    """The discussion of a request: the open threads, and the last speaker since.

    ``of_reviews`` are the reviews whose words comments are, by the comments' ids.
    """

    comments: Comments
    of_reviews: Mapping[str, str]
    last_by: str
    open_threads: int


async def read_standing(api: Api, item: RunItem) -> PlannedState:
    """Read the state and the changes of a request of a plan. Raises ``ApiError``."""
    (found, rules, said), (touched, told) = await asyncio.gather(
        _found(api, item), _touched(api, item)
    )
    both = None if rules is None else rules.both_sides
    more = 0 if told is None else told.more or 0
    warnings = [f"readers lose a page: {each}" for each in losses(told)]
    if said.open_threads:
        verb = "is" if said.open_threads == 1 else "are"
        warnings.append(f"{plural(said.open_threads, 'thread')} {verb} open")
    if rules is not None and (against := objection(rules.against, rules.results)):
        warnings.append(against)
    if rules is not None and rules.stale_approvals:
        names = listed([person_name(user) for user in rules.stale_approvals])
        warnings.append(f"approved before the latest change: by {names}")
    if rules is not None and any(result.outcome == "unknown" for result in rules.results):
        warnings.append("only the service knows whether all its rules are met")
    if more:
        warnings.append(f"{plural(more, 'more change')} than could be looked at")
    both_sides = tuple(_title(title) for title in both or ())
    return PlannedState(found, touched, told is None, more, both_sides, tuple(warnings))


async def read_found(api: Api, item: RunItem) -> Found:
    """Read the state of a request just before something is sent. Raises ``ApiError``."""
    return (await _found(api, item, compare=False))[0]


async def _found(
    api: Api, item: RunItem, *, compare: bool = True
) -> tuple[Found, RulesRead | None, _Discussion]:
    request, space, said = await asyncio.gather(
        api(ops.get_change_request, item.space, item.request),
        api(ops.get_space, item.space),
        _said(api, item),
    )
    if request.status == "merged":
        merged = clean(request.revision_merged or "")
        return Found("merged", request.revision, merged=merged), None, said
    rules, pulled_into = await asyncio.gather(
        merge_facts.read_rules(api, request, space, compare=compare),
        _pulled_into(api, item, request),
    )
    objections = [
        (f"{OBJECTION}{review.id}", 0)
        for review in rules.reviews or ()
        if review.status == "changes-requested"
    ]
    # The words of an approval are what it waits for, until somebody answers them.
    approvals = {each.id for each in rules.reviews or () if each.status == "approved"}
    comments = [
        (thread, count)
        for thread, count in said.comments
        if count or said.of_reviews.get(thread) not in approvals
    ]
    found = Found(
        status=clean(request.status),
        revision=request.revision,
        updated=request.updated_at.timestamp(),
        outdated=request.outdated,
        comments=(*comments, *objections),
        said_by=said.last_by,
        failing=_failing(request, rules),
        off=why_not_mergeable(request, space, RulesRead((), None, None)) or "",
        pulled_into=pulled_into,
        base=clean(base_of(request)),
        rules=(rules.passed, len(rules.results)),
        open_threads=request.comments,
    )
    return found, rules, said


def _failing(request: ChangeRequest, rules: RulesRead) -> str:
    return " ".join(
        f"It {clean(result.sentence)}."
        for result in rules.results
        if result.outcome == "fail" and not (request.outdated and result.rule == UP_TO_DATE)
    )


async def _said(api: Api, item: RunItem) -> _Discussion:
    found = await api.every(
        ops.list_change_request_comments, item.space, item.request, format="markdown", limit=500
    )
    known = dict(item.comments)
    fresh = [comment for comment in found if comment.replies > known.get(comment.id, -1)]
    newest = max(fresh, key=_spoken, default=None)
    return _Discussion(
        tuple(sorted((comment.id, comment.replies) for comment in found)),
        {comment.id: comment.target.review for comment in found if comment.target.review},
        "" if newest is None else await _speaker(api, item, newest, replied=newest.id in known),
        sum(comment.status == "open" and comment.target.review is None for comment in found),
    )


def _spoken(comment: Comment) -> datetime:
    """Return the time of the last message of a thread."""
    replied = [each.updated_at for each in comment.repliers if each.updated_at is not None]
    return max([comment.posted_at, *replied])


SAID = 120
"""Characters of a comment in a sentence: enough to know whether to read it."""


async def _speaker(api: Api, item: RunItem, comment: Comment, *, replied: bool) -> str:
    """Return the author and text of the last message; ``replied`` when it is a reply."""
    said: Comment | CommentReply = comment
    if replied:
        replies = await api.every(
                ops.list_change_request_comment_replies, item.space, item.request, comment.id,
                format="markdown", limit=500,
            )  # fmt: skip
        if not replies:
            return ""
        said = max(reversed(replies), key=lambda reply: reply.posted_at)  # of a moment, the last
    words = clean(said.body.markdown or "", limit=SAID).strip().rstrip(".")
    name = person_name(said.posted_by)
    return f"{name}: “{words}”" if words else name


async def _pulled_into(api: Api, item: RunItem, request: ChangeRequest) -> str | None:
    """Return the revision into which the newest one pulled primary content: "" if it did not.

    Read only where an update may have arrived, to tell it from an edit: an update has two parents.
    None where the service does not name them.
    """
    if item.sent != "update" or request.revision == item.revision:
        return None
    revision = await api(
        ops.get_change_request_revision, item.space, item.request, metadata=False, computed=False
    )
    if not revision.parents:
        return None
    joined = revision.type == "update" or len(revision.parents) > 1
    ours = joined and revision.id == request.revision and item.revision in revision.parents
    return item.revision if ours else ""


async def _touched(api: Api, item: RunItem) -> tuple[Touched, Changes | None]:
    """Return the titles of a request's changes by id, and the service's list if it has one."""
    try:
        told = await api(ops.get_change_request_changes, item.space, item.request, limit=1000)
    except OperationMissing:
        before, after = await asyncio.gather(
            api(ops.list_space_pages, item.space),
            api(ops.list_change_request_pages, item.space, item.request),
        )
        changes = compare_trees(flatten(before.pages), flatten(after.pages))
        return {change.id: _title(change.page.title) for change in changes}, None
    return {key: _title(title) for key, title in touched_by(told).items()}, told


def _title(title: str) -> str:
    return shown_title(title, limit=TITLE)


def why_not_read(error: BaseException) -> tuple[Reason, str]:
    """Return why a request could not be read, for the report. Nothing was sent."""
    if isinstance(error, NotFound):
        return "gone", "Not found: deleted, or you may no longer see it."
    return "failed", f"Could not be read: nothing was sent. {sentence(error, 'r')}"


def why_not_written(what: str, error: BaseException) -> tuple[Reason, str]:
    """Return why a merge or an update failed or is unknown, for the report."""
    merged, so_far = ("merged", "Not merged") if what == "Merge" else ("updated", "Not updated")
    match error:
        case ConflictedError():
            now = "" if error.request.outdated or what == "Merge" else " They are in it now."
            return "conflict", f"{so_far}: both sides changed {conflicting(error.conflicts)}.{now}"
        case Blocked():
            return "rule", f"{so_far}: the service refused it by a rule. {error.message}"
        case NotFound():
            return "gone", "Not found: deleted, or you may no longer see it."
        case Refused():
            return "refused", f"{so_far}. {sentence(error, 'r')}"
    if is_unknown(error):
        return "unknown", f"No answer came: it is not known whether it was {merged}. r reads first."
    if isinstance(error, NotDoneError):
        return "failed", f"No clear answer came; read again, it was not {merged}."
    return "failed", f"{so_far}. {sentence(error, 'r')}"


def conflicting(conflicts: Sequence[Conflicting]) -> str:
    """Return the conflicting pages and files that the service names."""
    names: dict[str, str] = {}
    for each in conflicts:
        if each.page is not None:
            names[each.page.id] = _title(each.page.title or each.page.path or each.page.id)
        elif each.file is not None:
            names[each.file.id] = _title(each.file.path or each.file.name or each.file.id)
    if not names:
        return "the same; the service does not say which"
    return few(list(names.values()), NAMED)
