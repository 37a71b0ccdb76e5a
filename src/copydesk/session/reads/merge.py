"""Reads for a merge: the merge rules, reviews, requested reviewers.

Reviews and requested reviewers are extensions (E4, E5): without them the rules that need them are
unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_rules import (
    MergeFacts,
    RuleResult,
    blocking,
    effective,
    evaluate,
    objectors,
    verdicts_of,
)
from copydesk.domain.text import clean
from copydesk.session.change_rows import ChangeRow, row_of
from copydesk.session.names import asked_name, person_name
from copydesk.session.page_changes import read_changes
from copydesk.session.reads.base_revision import read_both_sides

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest, Changes
    from copydesk.contract.models.merge_rules import MergeRules
    from copydesk.contract.models.review import RequestedReviewer, Review
    from copydesk.contract.models.space import Space
    from copydesk.contract.models.user import User


@dataclass(frozen=True, slots=True)
class RulesRead:
    """The results of a space's rules for a change request.

    ``reviews`` (newest first) and ``requested`` are None where the service lacks them. ``against``
    are the names of people who asked for changes without a later approval. ``both_sides`` are the
    titles of pages that both sides changed; None when unknown.
    """

    results: Sequence[RuleResult]
    reviews: Sequence[Review] | None
    requested: Sequence[RequestedReviewer] | None
    against: Sequence[str] = ()
    both_sides: Sequence[str] | None = None

    @property
    def passed(self) -> int:
        """The number of rules that pass."""
        return sum(result.outcome == "pass" for result in self.results)

    @property
    def stale_approvals(self) -> list[User]:
        """People who approved before the latest change, without a later review."""
        newest: dict[str, Review] = {}
        for review in self.reviews or ():
            newest.setdefault(review.reviewer.id, review)
        said = newest.values()
        return [each.reviewer for each in said if each.status == "approved" and each.outdated]


@dataclass(frozen=True, slots=True)
class SpokenFor:
    """Everything for and against a merge. ``changes`` is None where nothing lists them (E6).

    ``open_threads`` leaves out comments of verdicts.
    """

    request: ChangeRequest
    space: Space
    rules: RulesRead
    changes: Changes | None
    open_threads: int


async def read_all(api: Api, space_id: str, request_id: str) -> SpokenFor:
    """Read everything for and against a merge. Raises ``ApiError``."""
    request, space = await asyncio.gather(
        api(ops.get_change_request, space_id, request_id), api(ops.get_space, space_id)
    )
    rules, changes = await asyncio.gather(
        read_rules(api, request, space), read_changes(api, space_id, request.id)
    )
    threads = request.comments
    if threads and any(review.comment is not None for review in rules.reviews or ()):
        threads = await _open_threads(api, space_id, request.id)
    return SpokenFor(request, space, rules, changes, threads)


async def _open_threads(api: Api, space_id: str, request_id: str) -> int:
    return sum(
        [
            comment.target.review is None
            async for comment in api.pages(
                ops.list_change_request_comments, space_id, request_id, status="open", limit=500
            )
        ]
    )


async def read_rules(
    api: Api, request: ChangeRequest, space: Space, *, compare: bool = True
) -> RulesRead:
    """Read and evaluate the rules; ``compare`` with the changes of primary content too.

    Raises ``ApiError``.
    """
    row = row_of(request)
    rules, both = await asyncio.gather(
        judge(api, row, space, partial(organization_rules, api, space)),
        read_both_sides(api, row, space.revision) if compare else _not_compared(),
    )
    return replace(rules, both_sides=both)


class RuledSpace(NamedTuple):
    """What of a space its rules are judged by: a list of hundreds keeps no more of each."""

    organization: str
    merge_rules: MergeRules
    revision: str


async def judge(
    api: Api,
    row: ChangeRow,
    space: Space | RuledSpace,
    organization: Callable[[], Awaitable[MergeRules | None]],
) -> RulesRead:
    """Read the reviews of a change request, and evaluate the rules of its space for it.

    ``organization`` reads the rules that the space may inherit. Raises ``ApiError``.
    """
    reviews, requested, inherited = await asyncio.gather(
        _reviews(api, row), _requested(api, row), organization()
    )
    rules = effective(space.merge_rules, inherited)
    author = row.author_id or None
    names = {user.id: person_name(user) for user in _people(reviews, requested)}
    if author is not None:
        names.setdefault(author, row.author)
    unnamed = {user for rule in rules for user in rule.users or ()} - names.keys()
    found = [_named(api, space.organization, user_id) for user_id in sorted(unnamed)]
    names.update(await asyncio.gather(*found))
    facts = MergeFacts(
        subject=row.said,
        described=bool(row.description),
        outdated=row.outdated,
        verdicts=None if reviews is None else verdicts_of(reviews),
        requested=None
        if requested is None
        else [each.user.id for each in requested if each.user is not None],
        teams=[asked_name(each) for each in requested or () if each.user is None],
        names=names,
        author=author,
    )
    against = [names[who] for who in objectors(facts.verdicts or (), author)]
    return RulesRead(evaluate(rules, facts), reviews, requested, against)


async def _not_compared() -> None:
    return None


def why_not_mergeable(request: ChangeRequest, space: Space, rules: RulesRead) -> str | None:
    """Return the known reason why a merge would be refused, or None."""
    if request.status != "open":
        return f"Only an open change request can be merged; this one is {clean(request.status)}."
    if space.permissions is not None and not space.permissions.merge:
        return f"You may not merge in {clean(space.title)}."
    return blocking(rules.results)


async def _reviews(api: Api, request: ChangeRow) -> list[Review] | None:
    try:
        found = await api.every(ops.list_change_request_reviews, request.space, request.id)
    except OperationMissing:
        return None
    return found


async def _requested(api: Api, request: ChangeRow) -> list[RequestedReviewer] | None:
    try:
        return await api.every(ops.list_requested_reviewers, request.space, request.id)
    except OperationMissing:
        return None


async def organization_rules(api: Api, space: Space | RuledSpace) -> MergeRules | None:
    """Read the rules that a space inherits; None where it does not, or they are not to be seen."""
    if space.merge_rules.type != "inherit" or not space.organization:
        return None
    try:
        return (await api(ops.get_organization, space.organization)).merge_rules
    except (Forbidden, NotFound):
        return None


async def _named(api: Api, organization: str, user_id: str) -> tuple[str, str]:
    try:
        return user_id, person_name((await api(ops.get_member, organization, user_id)).user)
    except (Forbidden, NotFound):
        return user_id, clean(user_id)


def _people(
    reviews: Sequence[Review] | None, requested: Sequence[RequestedReviewer] | None
) -> list[User]:
    people = [review.reviewer for review in reviews or ()]
    return people + [asked.user for asked in requested or () if asked.user is not None]
