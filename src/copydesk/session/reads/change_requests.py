"""Reads of change requests, also from a service without the extensions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.domain.inbox import Why, Word, last_word, waits_on, why_waits
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.plain_documents import document_text
from copydesk.domain.text import clean, shown_title
from copydesk.session.change_rows import (
    PAGES,
    RULES,
    SIDES,
    TEXT,
    THREADS,
    ChangeRow,
    LastReview,
    OpenThreads,
    PageLine,
    RequestDetails,
    ThreadWords,
    row_of,
)
from copydesk.session.glyphs import glyphs
from copydesk.session.listings import COUNTED_ROWS, FIRST, LISTINGS, MOST_THREADS, THREADS_READ
from copydesk.session.names import asked_name, person_name
from copydesk.session.page_changes import (
    ReviewChange,
    changed_pages,
    changed_things,
    losses,
    not_looked_at,
    read_changes,
    whereto,
)
from copydesk.session.reads.base_revision import read_both_sides
from copydesk.session.reads.clusters import read_label
from copydesk.session.reads.merge import RuledSpace, RulesRead, judge, organization_rules

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.comment import Comment
    from copydesk.contract.models.merge_rules import MergeRules
    from copydesk.contract.models.space import Space
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.listings import Listing


FILES_UNKNOWN = "whether it changes a file was not looked at"
"""The sentence for equal page trees, where nothing else lists the changes."""

MOST_PAGES = 200
"""Changed pages in the details: more than anybody reads beside a list."""

AT_ONCE = 500
"""Change requests read with one request where the whole list is needed."""

WORDS = 5
"""The number of last messages kept of a change request."""

THREADS_KEPT = 20
"""The number of open threads kept of a change request: more than a screen shows."""

COMMENT = 400
"""Characters of a comment that the details show."""

Answer = tuple[Sequence[ChangeRow], str | None, int | None]
"""Rows, the token of the next page, and the total where it is known."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The owner of a list of change requests: an organization, a space of it, a cluster."""

    organization: str
    space: str | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """A space of the list. ``rights`` are the caller's; None if unread."""

    title: str
    rights: frozenset[str] | None = None


@dataclass
class Spaces:
    """The spaces of the rows, each read once."""

    known: dict[str, SpaceInfo] = field(default_factory=dict)
    ruled: dict[str, RuledSpace] = field(default_factory=dict)
    """By what their rules are judged."""
    _listed: set[str] = field(default_factory=set)
    """The organizations whose spaces were all read."""
    _rules: dict[str, MergeRules] = field(default_factory=dict)
    """The rules of spaces by their JSON: most spaces have the same."""
    _inherited: dict[str, MergeRules | None] = field(default_factory=dict)
    """The rules of organizations that spaces inherit."""
    _gate: asyncio.Lock = field(default_factory=asyncio.Lock)

    def forget(self) -> None:
        """Have spaces and rules read again when they are needed; titles and rights stay."""
        self.ruled.clear()
        self._inherited.clear()

    async def space(self, api: Api, space_id: str) -> RuledSpace:
        """Return a space, read once for however many ask at the same time. Raises ``ApiError``."""
        async with self._gate:
            found = self.ruled.get(space_id)
            if found is None:
                found = self.put(await api(ops.get_space, space_id))
            return found

    async def rules(self, api: Api, space: RuledSpace) -> MergeRules | None:
        """Return the rules that a space inherits, read once. Raises ``ApiError``."""
        if space.merge_rules.type != "inherit":
            return None
        async with self._gate:
            if space.organization not in self._inherited:
                self._inherited[space.organization] = await organization_rules(api, space)
            return self._inherited[space.organization]

    async def learn(self, api: Api, organization: str, ids: Iterable[str]) -> None:
        """Read the unread ones of these spaces. Raises ``ApiError``."""
        wanted = {space_id for space_id in ids if space_id} - self.known.keys()
        async with self._gate:  # who wants one of them meanwhile finds it afterwards
            if len(wanted) > 1:
                await self.list(api, organization)
                wanted -= self.known.keys()
            await asyncio.gather(*(self._one(api, space_id) for space_id in wanted))

    async def list(self, api: Api, organization: str) -> None:
        """Read all spaces of an organization, once. Raises ``ApiError``.

        Without that list (E2) each space is read on its own.
        """
        if organization in self._listed:
            return
        try:
            async for space in api.pages(ops.list_organization_spaces, organization):
                self.put(space)
        except OperationMissing:
            pass
        self._listed.add(organization)

    def put(self, space: Space) -> RuledSpace:
        """Store the data of a space that the list needs; return what its rules are judged by."""
        granted = space.permissions
        rules = self._rules.setdefault(space.merge_rules.model_dump_json(), space.merge_rules)
        found = self.ruled[space.id] = RuledSpace(space.organization, rules, space.revision)
        self.known[space.id] = SpaceInfo(
            shown_title(space.title),
            None
            if granted is None
            else frozenset(name for name, given in granted if given is True),
        )
        return found

    async def _one(self, api: Api, space_id: str) -> None:
        try:
            self.put(await api(ops.get_space, space_id))
        except (Forbidden, NotFound):
            self.known[space_id] = SpaceInfo("(no access)", frozenset())

    def title(self, space_id: str) -> str:
        """Return the title of a space, "" while unknown."""
        info = self.known.get(space_id)
        return info.title if info is not None else ""

    def may(self, space_id: str, right: str) -> bool | None:
        """Return whether the caller has a right in a space; None while unknown."""
        info = self.known.get(space_id)
        return None if info is None else info.rights is None or right in info.rights


async def _ask(
    api: Api, scope: Scope, status: str, who: str, me: str, **paging: Any
) -> Page[ChangeRequest]:
    query: dict[str, Any] = {"status": cast("Any", status), **paging}
    if who:
        query[who] = me
    if scope.cluster is not None:
        query["conversations_issues_cluster"] = scope.cluster
    if scope.space is not None:
        return await api.page(ops.list_space_change_requests, scope.space, **query)
    return await api.page(ops.list_organization_change_requests, scope.organization, **query)


async def read_page(
    api: Api,
    scope: Scope,
    listing: Listing,
    me: str,
    *,
    token: str | None,
    limit: int,
) -> Answer:
    """Return a page of a view. Its token says which of the view's statuses it belongs to.

    Raises ``ApiError``.
    """
    at, _, rest = (token or "0:").partition(":")
    index = int(at)
    page = await _ask(
        api, scope, listing.statuses[index], listing.who, me, page=rest or None, limit=limit
    )
    rows = [row_of(request) for request in page.items]
    following = None
    if page.next is not None:
        following = f"{index}:{page.next.page}"
    elif index + 1 < len(listing.statuses):
        following = f"{index + 1}:"
    total = page.count
    if len(listing.statuses) > 1:
        total = await read_count(api, scope, listing, me) if token is None else None
    return rows, following, total


async def read_all(
    api: Api,
    scope: Scope,
    listing: Listing,
    me: str,
    progress: Callable[[int], None],
) -> list[ChangeRow]:
    """Return every row of a view, in the order of the service. Raises ``ApiError``."""
    from copydesk.client.api import PageGuard

    rows: list[ChangeRow] = []
    token: str | None = None
    guard = PageGuard()
    while True:
        found, token, _ = await read_page(api, scope, listing, me, token=token, limit=AT_ONCE)
        guard.check(found, token)
        rows.extend(found)
        progress(len(rows))
        if token is None:
            return rows


async def read_count(api: Api, scope: Scope, listing: Listing, me: str) -> int | None:
    """Return the number of rows of a view, None where the service does not count. Raises
    ``ApiError``.
    """
    total = 0
    for status in listing.statuses:
        count = await _count(api, scope, status, listing.who, me)
        if count is None:
            return None
        total += count
    return total


async def _count(api: Api, scope: Scope, *asked: str) -> int | None:
    return (await _ask(api, scope, *asked, limit=1)).count


async def count_asked(api: Api, scope: Scope, me: str) -> int | None:
    """Return how many reviews the reader is asked for; None where the service does not count.

    Raises ``ApiError``.
    """
    return await _count(api, scope, "open", "requested_reviewer", me)


async def read_asked(api: Api, scope: Scope, me: str) -> frozenset[str]:
    """Return the ids of the open change requests whose review the reader was asked for.

    Raises ``ApiError``.
    """
    from copydesk.client.api import PageGuard

    found: set[str] = set()
    token: str | None = None
    guard = PageGuard()
    while True:
        page = await _ask(api, scope, "open", "requested_reviewer", me, page=token, limit=AT_ONCE)
        found.update(request.id for request in page.items)
        if page.next is None:
            return frozenset(found)
        token = page.next.page
        guard.check(page.items, token)


async def read_parts(
    api: Api,
    scope: Scope,
    row: ChangeRow,
    parts: Collection[str],
    *,
    me: str = "",
    spaces: Spaces | None = None,
) -> RequestDetails:
    """Return parts of the details of a row. Raises ``ApiError``.

    ``spaces`` has what rows share, so that it is read once; None reads it for this row alone.
    """
    shared = spaces or Spaces()
    judged, compared = RULES in parts, SIDES in parts and row.outdated
    if not row.whole and (judged or compared or TEXT in parts):
        row = row_of(await api(ops.get_change_request, row.space, row.id))
    space = await shared.space(api, row.space) if judged or compared else None
    rules, sides, pages, talk, cluster, finding = await asyncio.gather(
        judge(api, row, space, partial(shared.rules, api, space))
        if judged and space
        else _nothing(),
        read_both_sides(api, row, space.revision) if compared and space else _nothing(),
        _pages(api, row) if PAGES in parts else _nothing(),
        read_waiting(api, row, me) if THREADS in parts else _nothing(),
        _cluster(api, scope, row) if TEXT in parts else _nothing(),
        _finding(api, scope, row) if TEXT in parts else _nothing(),
    )
    listed, more, approximate, losing, unlooked = pages or (None, 0, False, (), "")
    return RequestDetails(
        description=row.description,
        pages=listed,
        more_pages=more,
        approximate=approximate,
        losing=losing,
        unlooked=unlooked,
        rules=None if rules is None else rules.results,
        verdicts=None if rules is None else _verdicts(rules, me),
        asked=None if rules is None else _waits_on(rules),
        against=() if rules is None else rules.against,
        both_sides=sides,
        asked_since=None if rules is None else _asked_since(rules),
        cluster=cluster or "",
        finding=finding or "",
        moment=(row.id, row.revision, space.revision) if space else None,
        parts=frozenset(parts),
        waiting=talk,
    )


async def _nothing() -> None:
    return None


async def read_waiting(api: Api, row: ChangeRow, me: str) -> OpenThreads:
    """Return since when threads of a change request wait on the reader, and on the author.

    Raises ``ApiError``.
    """
    whys: list[Why] = []
    mine: list[datetime] = []
    author: list[datetime] = []
    words: list[tuple[datetime, str]] = []
    threads: list[tuple[bool, datetime, ThreadWords]] = []
    count = 0
    if not row.threads:
        return OpenThreads()
    async for comment in api.pages(
        ops.list_change_request_comments, row.space, row.id, status="open", format="markdown",
    ):  # fmt: skip
        if comment.target.review is not None:
            continue  # a comment of a verdict waits for nobody
        count += 1
        start = Word(comment.posted_by.id if comment.posted_by else "", comment.posted_at)
        last = last_word(start, (Word(each.user.id, each.updated_at) for each in comment.repliers))
        at = last.at or comment.posted_at
        people = [comment.posted_by, *(each.user for each in comment.repliers)]
        name = person_name(next((p for p in people if p and p.id == last.by), None))
        if last.by != me:
            words.append((at, name))
        why = why_waits(me, starter=start.by, author=row.author_id, last=last)
        if why is not None:
            mine.append(at)
            whys.append(why)
        if waits_on(row.author_id, starter=start.by, author=row.author_id, last=last):
            author.append(at)
        said = ThreadWords(
            person_name(comment.posted_by),
            comment.posted_at,
            _text_of(comment),
            comment.replies,
            name if comment.replies else "",
            at if comment.replies else None,
            why is not None,
        )
        threads.append((said.mine, at, said))
    words.sort(reverse=True)
    threads.sort(key=lambda each: each[:2], reverse=True)
    return OpenThreads(
        min(mine, default=None),
        min(author, default=None),
        tuple(words[:WORDS]),
        tuple(whys),
        count,
        tuple(said for _, _, said in threads[:THREADS_KEPT]),
    )


def _text_of(comment: Comment) -> str:
    text = comment.body.markdown or document_text(comment.body.document)
    text = clean(text, lines=True, limit=2 * COMMENT).strip()
    return text if len(text) <= COMMENT else f"{text[:COMMENT].rstrip()}{glyphs().more}"


def _verdicts(read: RulesRead, me: str) -> list[LastReview] | None:
    if read.reviews is None:
        return None
    newest: dict[str, LastReview] = {}
    for review in read.reviews:  # the newest verdict of each person comes first
        newest.setdefault(
            review.reviewer.id,
            LastReview(
                person_name(review.reviewer),
                review.status == "approved",
                review.outdated,
                review.created_at,
                review.reviewer.id == me,
            ),
        )
    return list(newest.values())


def _waits_on(read: RulesRead) -> list[str] | None:
    if read.requested is None:
        return None
    answered = {review.reviewer.id for review in read.reviews or ()}
    return [
        person_name(each.user) if each.user is not None else asked_name(each)
        for each in read.requested
        if each.user is None or each.user.id not in answered
    ]


def _asked_since(read: RulesRead) -> datetime | None:
    answered = {review.reviewer.id for review in read.reviews or ()}
    times = [
        each.created_at
        for each in read.requested or ()
        if each.user is None or each.user.id not in answered
    ]
    return min((at for at in times if at is not None), default=None)


async def _pages(
    api: Api, request: ChangeRow
) -> tuple[Sequence[PageLine] | None, int, bool, Sequence[str], str]:
    """Return the changed pages, the number of others, whether they are approximate, and lost pages.

    The last value is the sentence for an incomplete check. Where the service does not list changes
    (E6), the two page trees are compared.
    """
    found = await read_changes(api, request.space, request.id)
    if found is not None:
        changes = changed_pages([], [], found, told_only=True)
        lines = page_lines([*changes, *changed_things(None, None, found)])
        more = max(0, len(lines) - MOST_PAGES) + (found.more or 0)
        return lines[:MOST_PAGES], more, False, losses(found), not_looked_at(found)
    if request.status == "merged":
        return None, 0, False, (), ""
    before, after = await asyncio.gather(
        api(ops.list_space_pages, request.space),
        api(ops.list_change_request_pages, request.space, request.id),
    )
    lines = page_lines(changed_pages(flatten(before.pages), flatten(after.pages), None))
    unlooked = "" if lines else FILES_UNKNOWN
    return lines[:MOST_PAGES], max(0, len(lines) - MOST_PAGES), request.outdated, (), unlooked


def page_lines(changes: Iterable[ReviewChange]) -> list[PageLine]:
    """Return changes as lines, one per page or file."""
    return [
        PageLine(
            " ".join(dict.fromkeys(filter(None, (clean(change.thing), _named(change.node))))),
            change.kinds,
            _was(change),
            clean(change.node.path.rpartition("/")[0]),
            "" if change.moved is None else whereto(change.moved),
            "" if change.files is None else clean(change.files[1]),
        )
        for change in changes
    ]


def _named(node: PageNode) -> str:
    return clean(node.title).strip() or clean(node.path) or "Untitled"


def _was(change: ReviewChange) -> str:
    """Return the former path of a page or file, or its former title; "" where unknown."""
    before, after = change.before, change.after
    if before is None or after is None:
        return ""
    if "moved" in change.kinds:
        was, now = (before.title, after.title) if change.thing else (before.path, after.path)
        return clean(was) if was != now else ""
    if "renamed" not in change.kinds:
        return ""
    return f"“{clean(before.title)}”" if before.title != after.title else clean(before.path)


async def _cluster(api: Api, scope: Scope, row: ChangeRow) -> str:
    """Return the label of the cluster that a request answers, "" for none."""
    return await read_label(api, scope.organization, row.cluster) if row.cluster else ""


async def _finding(api: Api, scope: Scope, row: ChangeRow) -> str:
    """Return the title of the finding that a request was begun for, "" for none."""
    from copydesk.session.reads.findings import read_title

    if not row.finding:
        return ""
    site, finding = row.finding.split(" ")
    return await read_title(api, (scope.organization, site), finding)


WAITING_AT_ONCE = 4
"""The number of parallel reads."""


async def count_needing(
    api: Api, organization: str, me: str, asleep: Callable[[ChangeRow], bool]
) -> int | None:
    """Return the number of open change requests that wait on a person and are not snoozed.

    None where there are too many to read. Raises ``ApiError``.
    """
    scope = Scope(organization)
    listing = next(each for each in LISTINGS if each.id == FIRST)
    rows, token, total = await read_page(api, scope, listing, me, token=None, limit=COUNTED_ROWS)
    if token is not None or (total is not None and total > COUNTED_ROWS):
        return None
    asked = await read_asked(api, scope, me)
    awake = [row for row in rows if not asleep(row)]
    others = [row for row in awake if row.id not in asked and row.threads]
    if len(others) > THREADS_READ or any(row.threads > MOST_THREADS for row in others):
        return None
    gate = asyncio.Semaphore(WAITING_AT_ONCE)

    async def waits(row: ChangeRow) -> bool:
        async with gate:
            return (await read_waiting(api, row, me)).mine is not None

    return sum(row.id in asked for row in awake) + sum(await asyncio.gather(*map(waits, others)))
