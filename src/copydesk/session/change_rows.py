"""Change requests as rows of a list, the details of one, and whether it can be merged.

Whether an outdated request conflicts shows only when it is merged or updated, unless primary
content has changed none of its pages. So it is called ready only where nothing can change that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotCached, NotFound
from copydesk.domain.address import web_address
from copydesk.domain.inverses import still_named
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_rules import objection
from copydesk.domain.moments import instant
from copydesk.domain.own_command import Thing
from copydesk.domain.plain_documents import document_text
from copydesk.domain.request_context import reads_cached
from copydesk.domain.text import NO_SUBJECT, clean, few, plural, shorten, shown_subject
from copydesk.session.errors import sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.marks import NONE
from copydesk.session.names import person_name

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.domain.inbox import Why
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.domain.reversal import Expectation
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.reads.change_requests import Scope, Spaces
    from copydesk.session.session import Session
    from copydesk.session.target import Target

RULES, PAGES, THREADS, ASKED = "rules", "pages", "threads", "asked"
"""The parts of the details of a change request: its rules and reviews, its changed pages, its
threads; and, for all requests at once, the review requests to the reader."""

PARTS = frozenset({RULES, PAGES, THREADS})
"""The parts that are read row by row."""

DESCRIPTION = 6_000
"""Characters of a description that the details show."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A row of the list of change requests; its texts are clean."""

    id: str
    number: int
    subject: str
    status: str
    space: str
    author: str
    author_id: str
    created: datetime
    updated: datetime
    threads: int
    outdated: bool
    cluster: str
    url: str
    revision: str = ""
    base: str = ""
    """The last revision of primary content that it contains."""
    description: str = ""
    """Its description as text; "" where there is none, or where `whole` is false."""
    whole: bool = False
    """Whether the description and the base are known: not of a row that was kept on disk."""
    finding: str = ""
    """The ids of the site and of the finding that it was begun for; "" where it names none."""

    @property
    def label(self) -> str:
        """Its number, as sentences name it."""
        return f"#{self.number}"

    @property
    def judged_by(self) -> Expectation:
        """The expectation that must still hold when a decision about it is carried out later."""
        return still_named(self.space, self.id, subject=self.said, revision=self.revision)

    @property
    def said(self) -> str:
        """Its subject, or "" where it has none."""
        return "" if self.subject == NO_SUBJECT else self.subject

    @property
    def named(self) -> str:
        """Its number and subject, for the log."""
        return f"{self.label} {self.subject}".rstrip()


def request_thing(row: ChangeRow, space: str) -> Thing:
    """Return a change request as one's own commands know it; ``space`` is a title."""
    return Thing(
        "change request",
        {
            "id": row.id,
            "number": str(row.number),
            "title": row.said,
            "url": row.url,
            "space": space,
            "author": row.author,
            "status": row.status,
        },
    )


Titles = Callable[[str], str]
"""Takes the id of a space and returns its title, "" while it is unknown."""


def row_of(request: ChangeRequest) -> ChangeRow:
    """Return a change request as a row: a list has whole ones."""
    described = clean(document_text(request.description), lines=True, limit=DESCRIPTION)
    return ChangeRow(
        id=request.id,
        number=request.number,
        subject=shown_subject(request.subject),
        status=clean(request.status),
        space=request.space,
        author=person_name(request.created_by),
        author_id=request.created_by.id if request.created_by else "",
        created=request.created_at,
        updated=request.updated_at,
        threads=request.comments,
        outdated=request.outdated,
        cluster=request.conversations_issues_cluster or "",
        url=web_address(request.urls.app),
        revision=request.revision,
        base=base_of(request),
        description=described.strip(),
        whole=True,
        finding=_finding_of(request),
    )


def base_of(request: ChangeRequest) -> str:
    """Return the revision of main that a change request was begun with, or updated from last."""
    return request.revision_merged_ancestor or request.revision_initial


def _finding_of(request: ChangeRequest) -> str:
    topic = request.site_topic
    return "" if topic is None or topic.finding is None else f"{topic.site} {topic.finding}"


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page or file that a change request touches, and what happens to it.

    ``kinds`` are as in ``ChangeKind``; ``was`` is its former title or path, ``above`` the path of
    its parent, ``out`` its new place if it left the space, ``file`` the move of its file.
    """

    title: str
    kinds: tuple[str, ...]
    was: str = ""
    above: str = ""
    out: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class LastReview:
    """The newest review of one person."""

    name: str
    approved: bool
    outdated: bool
    at: datetime | None
    mine: bool = False
    """Whether it is the reader's own."""


@dataclass(frozen=True, slots=True)
class ThreadWords:
    """An open thread as the details show it: its first comment, and who wrote in it last.

    ``mine`` tells whether it waits on the reader; ``last`` is "" where no one replied.
    """

    who: str
    at: datetime
    text: str
    replies: int = 0
    last: str = ""
    last_at: datetime | None = None
    mine: bool = False


@dataclass(frozen=True, slots=True)
class OpenThreads:
    """The open threads: since when one waits on the reader, and on the author; None for neither."""

    mine: datetime | None = None
    author: datetime | None = None
    words: Sequence[tuple[datetime, str]] = ()
    """When others wrote the last message of a thread, and who; newest first."""
    whys: Sequence[Why] = ()
    """Why each of the threads that wait on the reader does so."""
    open: int | None = None
    """The number of open threads without comments of verdicts, where it was counted."""
    threads: Sequence[ThreadWords] = ()
    """Those that the details show: what waits on the reader comes first, then what is newest."""


TEXT, SIDES = "text", "sides"
"""The parts that are read only for the row under the cursor: the description and the cluster; the
pages that main has changed too."""

ALL_PARTS = PARTS | {TEXT, SIDES}


@dataclass(frozen=True)
class RequestDetails:
    """Details of a change request beyond its row; None where the service cannot say.

    ``parts`` are the ones that have been read (`copydesk.present.change_request`).
    ``approximate`` is true when pages come from comparing with primary content as it is now, which
    for an outdated request shows more than it changes. ``asked`` are people who have not answered.
    """

    description: str = ""
    pages: Sequence[PageLine] | None = None
    more_pages: int = 0
    approximate: bool = False
    rules: Sequence[RuleResult] | None = None
    verdicts: Sequence[LastReview] | None = None
    asked: Sequence[str] | None = None
    against: Sequence[str] = ()
    """Who asked for changes after it was approved, by name."""
    both_sides: Sequence[str] | None = None
    """The titles of changed pages that main has changed too."""
    cluster: str = ""
    finding: str = ""
    """The title of the finding that it was begun for."""
    missing: str = ""
    """The sentence for details that cannot be read."""
    moment: tuple[str, str, str] | None = None
    """The change request, its revision and its space's revision at the time of the read."""
    stuck: bool = False
    """Whether an update conflicted at these revisions."""
    parts: frozenset[str] = ALL_PARTS
    waiting: OpenThreads | None = None
    asked_since: datetime | None = None
    """When the oldest unanswered review request was made."""
    read_at: datetime | None = None
    losing: Sequence[str] = ()
    """The pages that readers would lose although their texts move elsewhere, and where to."""
    unlooked: str = ""
    """The sentence for an incomplete check for such pages, "" for a complete one."""
    impact: str = ""
    """The effect on the links around it, "" while unread."""

    @property
    def empty(self) -> bool:
        """Whether it is known to change neither a page nor a file."""
        return self.pages is not None and not (self.pages or self.more_pages or self.unlooked)

    @property
    def passed(self) -> int:
        """How many rules pass."""
        return sum(rule.outcome == "pass" for rule in self.rules or ())


KEPT = 100
"""Rows saved of a view: more than a screen shows."""


def snapshot_name(target: Target, organization: str, view: str) -> str:
    """Return the name of the snapshot of a view."""
    return " ".join(["changes", organization, target.space or "-", target.cluster or "-", view])


@dataclass(frozen=True)
class KeptView:
    """A view as it was shown: its first rows, and what stood around them.

    ``titles`` are those of the spaces; ``total`` is how many rows the view was chosen from;
    ``counts`` are the numbers of all views, ``last_lines`` what was said after the last row.
    ``cells`` are, by row and column, the text and the style of what had to be read of each row.
    """

    rows: Sequence[ChangeRow] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    total: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    last_lines: Sequence[str] = ()
    cells: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)


def keep(snapshot: Snapshots, name: str, view: KeptView) -> None:
    """Save the first `KEPT` rows of a view with what stood around them."""
    kept: list[dict[str, Any]] = [
        {"total": view.total, "counts": dict(view.counts), "last_lines": list(view.last_lines)}
    ]
    moments = [name for name, kind in FIELDS.items() if kind is datetime]
    for row in view.rows[:KEPT]:
        value = asdict(replace(row, description="", whole=False))
        value |= {name: getattr(row, name).isoformat() for name in moments}
        cells = {column: list(cell) for column, cell in view.cells.get(row.id, {}).items()}
        kept.append(value | {"title": view.titles.get(row.space, ""), "cells": cells})
    snapshot.write(name, kept)


def recall(snapshot: Snapshots, name: str) -> KeptView:
    """Return the saved view without its unreadable parts."""
    rows: list[ChangeRow] = []
    titles: dict[str, str] = {}
    cells: dict[str, Mapping[str, tuple[str, str]]] = {}
    values = snapshot.read(name)
    about: Mapping[str, Any] = values[0] if values else {}
    if "total" not in about:
        return KeptView()  # not what was shown of the view
    for value in values:
        row = _row(value)
        if row is not None:
            rows.append(row)
            titles[row.space] = clean(str(value.get("title", "")))
            cells[row.id] = _cells(value.get("cells"))
    total, counts, lines = (about.get(each) for each in ("total", "counts", "last_lines"))
    return KeptView(
        rows,
        titles,
        total if isinstance(total, int) else None,
        {clean(str(name)): count for name, count in counts.items() if isinstance(count, int)}
        if isinstance(counts, Mapping)
        else {},
        [clean(str(line)) for line in lines] if isinstance(lines, list) else (),
        cells,
    )


def _cells(value: object) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for column, cell in value.items() if isinstance(value, Mapping) else ():
        match cell:
            case [str(text), str(style)] if style in CELL_STYLES:
                found[str(column)] = clean(text), style
    return found


CELL_STYLES = ("", "muted", "warn", "good", "accent")
"""The styles that a kept cell may have."""


def _row(value: Mapping[str, Any]) -> ChangeRow | None:
    given: dict[str, Any] = {}
    for name, kind in FIELDS.items():
        held: Any = value.get(name)
        if kind is datetime:
            held = instant(held) if isinstance(held, str) else None
        elif isinstance(held, str):
            held = clean(held)
        if type(held) is not kind:
            return None
        given[name] = held
    return ChangeRow(**given)


KINDS: Mapping[str, type] = {"str": str, "int": int, "bool": bool, "datetime": datetime}

FIELDS: Mapping[str, type] = {name: KINDS[kind] for name, kind in ChangeRow.__annotations__.items()}
"""The types of a row's fields: only such can be kept for the next start."""

AT_ONCE = 4
"""How many rows are read at the same time."""

FEW_ASKED = 100
"""So many reviews that the reader is asked for are read each time that others may be."""

MANY_ASKED_SECONDS = 600
"""The age at which more than that are read again although they are as many as before."""

KEPT_DETAILS = 3_000
"""How many rows have their details kept; the oldest go."""

FIELDS_OF = {
    RULES: ("rules", "verdicts", "asked", "asked_since", "against"),
    PAGES: ("pages", "more_pages", "approximate", "losing", "unlooked"),
    THREADS: ("waiting",),
    TEXT: ("description", "cluster", "finding"),
    SIDES: ("both_sides",),
}
"""The fields of `RequestDetails` that come with each part."""


@dataclass
class KnownRequests:
    """The details of change requests, for filters; each is cached until its request changes.

    ``me`` is the id of the reader, "" while unknown. ``now`` is the service's time and ``clock``
    that of this machine.
    """

    me: Callable[[], str]
    now: Callable[[], datetime]
    clock: Callable[[], datetime]
    snoozed: Callable[[ChangeRow], bool] = lambda row: False
    """Whether a row is snoozed."""
    marks: Callable[[ChangeRow], Mapping[str, str]] = lambda row: NONE
    """The reader's own marks of a row (`copydesk.session.marks`)."""
    titles: dict[str, str] = field(default_factory=dict)
    """The titles of spaces as they were in the last run, by their ids."""
    _details: dict[str, tuple[datetime, RequestDetails]] = field(default_factory=dict)
    _asked: dict[Scope, frozenset[str]] = field(default_factory=dict)
    """The ids of requests whose review the reader was asked for."""
    _asked_at: dict[Scope, datetime] = field(default_factory=dict)
    """When they were read, by the clock of this machine."""
    _asked_old: bool = False
    """Whether they are outdated; they stay until they are read again."""

    @cached_property
    def spaces(self) -> Spaces:
        """The spaces of the rows."""
        from copydesk.session.reads.change_requests import Spaces

        return Spaces()

    def space_title(self, space: str) -> str:
        """Return the title of a space, "" while that is not known."""
        known = self.__dict__.get("spaces")  # nothing is imported for the first paint
        return (known.title(space) if known else "") or self.titles.get(space, "")

    def may(self, row: ChangeRow, right: str) -> bool | None:
        """Return whether the reader has a right in its space; None when not known."""
        return self.spaces.may(row.space, right)

    def mine(self, row: ChangeRow) -> bool:
        """Return whether the reader is its author."""
        return bool(me := self.me()) and row.author_id == me

    # The reviews that the reader was asked for

    def asked_me(self, row: ChangeRow) -> bool | None:
        """Return whether the reader was asked to review it; None when not known."""
        if not self.me():
            return False
        return any(row.id in ids for ids in self._asked.values()) if self._asked else None

    async def know_asked(self, api: Api, scope: Scope) -> bool:
        """Read which reviews the reader was asked for, where that is due; False where it is not."""
        me = self.me()
        if not me or (scope in self._asked and not self._asked_old):
            return False
        await self._read_asked(api, scope, me)
        return True

    async def _read_asked(self, api: Api, scope: Scope, me: str) -> None:
        from copydesk.session.reads.change_requests import read_asked

        at = self.clock()
        self._asked[scope], self._asked_at[scope] = await read_asked(api, scope, me), at
        # A cached answer is read again.
        self._asked_old = reads_cached()

    async def ask_again(self, api: Api, scope: Scope) -> bool:
        """Read which reviews the reader is asked for now; return whether others than before.

        Where they are very many, only how many there are is read, but once in a while.
        Raises ``ApiError``.
        """
        from copydesk.session.reads.change_requests import count_asked

        me, before = self.me(), self._asked.get(scope)
        if not me:
            return False
        if before is not None and len(before) > FEW_ASKED and not self._asked_old:
            young = self.clock() - self._asked_at[scope] < timedelta(seconds=MANY_ASKED_SECONDS)
            if young and await count_asked(api, scope, me) == len(before):
                return False
        await self._read_asked(api, scope, me)
        return self._asked[scope] != before

    def forget_asked(self) -> None:
        """Mark the requested reviews as outdated; they stay until they are read again."""
        self._asked_old = True

    # Details

    def details(self, row: ChangeRow) -> RequestDetails | None:
        """Return the details of a row that were read since it changed."""
        kept = self._details.get(row.id)
        return kept[1] if kept is not None and kept[0] == row.updated else None

    def last_details(self, row: ChangeRow) -> RequestDetails | None:
        """Return the last details of a row, even outdated ones."""
        kept = self._details.get(row.id)
        return None if kept is None else kept[1]

    def due(self, row: ChangeRow, parts: Collection[str]) -> frozenset[str]:
        """Return the parts of a row that are unread or outdated."""
        found, wanted = self.details(row), frozenset(parts) & ALL_PARTS
        if found is None:
            return wanted
        if found.read_at is None:  # all of its details are outdated
            return wanted | (found.parts & PARTS)
        return frozenset() if found.missing else wanted - found.parts

    def keep(self, row: ChangeRow, found: RequestDetails) -> None:
        """Cache details of a row, beside parts that were read before."""
        before = self.details(row)
        found = replace(found, read_at=self.clock())
        if before is not None and not found.missing and not before.missing:
            found = _together(before, found)
        self._details.pop(row.id, None)
        while len(self._details) >= KEPT_DETAILS:
            del self._details[next(iter(self._details))]
        self._details[row.id] = row.updated, found

    def forget(self, row: ChangeRow | None = None) -> None:
        """Mark the details of a row, or of all, as outdated; they stay until they are read again.

        A review changes no row, so that nothing else would show the age of the details.
        """
        if row is None:
            self._asked_old = True
            for row_id, (updated, found) in self._details.items():
                self._details[row_id] = updated, replace(found, read_at=None)
        elif (kept := self._details.get(row.id)) is not None:
            self._details[row.id] = kept[0], replace(kept[1], read_at=None)

    # Reading

    async def read(
        self, api: Api, scope: Scope, row: ChangeRow, parts: Collection[str]
    ) -> RequestDetails:
        """Read parts of a row; a deleted or forbidden one gives the sentence for it.

        Raises the other kinds of ``ApiError``.
        """
        from copydesk.session.reads.change_requests import read_parts

        try:
            return await read_parts(api, scope, row, parts, me=self.me(), spaces=self.spaces)
        except (Forbidden, NotFound) as error:
            return RequestDetails(missing=sentence(error), waiting=OpenThreads())

    async def read_rows(
        self, api: Api, scope: Scope, rows: Iterable[ChangeRow], parts: Collection[str]
    ) -> None:
        """Read and cache the due parts of rows, all at once.

        Raises ``ApiError``.
        """

        async def one(row: ChangeRow) -> None:
            with suppress(NotCached):  # others may be cached
                self.keep(row, await self.read(api, scope, row, self.due(row, parts)))

        await asyncio.gather(*(one(row) for row in rows))


def known_requests(session: Session) -> KnownRequests:
    """Return what is known of change requests in a place: nothing yet."""
    return KnownRequests(
        me=lambda: "" if session.me is None else session.me.id,
        now=lambda: session.now,
        clock=lambda: session.clock(),
        snoozed=lambda row: session.snoozed.asleep(row.id, row.updated, session.clock()),
        marks=lambda row: session.marks.of(row.id),
    )


def _together(before: RequestDetails, found: RequestDetails) -> RequestDetails:
    """Return new details, with the parts that only the earlier ones have."""
    kept = [name for part in before.parts - found.parts for name in FIELDS_OF[part]]
    if found.moment is None:
        kept.append("moment")
    values: dict[str, Any] = {name: getattr(before, name) for name in kept}
    return replace(found, parts=before.parts | found.parts, **values)


READY = "READY TO MERGE"
"""Everything known speaks for it."""

NAMED = 2
"""The number of pages changed on both sides that are named."""

TITLE_CELLS = 40
"""Cells of a title."""

PERHAPS = "READY?"
"""Nothing known speaks against it, but something is unknown."""

LOSES = "LOSES PAGES"
"""A merge would remove pages for readers that the author only moved."""

EMPTY = "CHANGES NOTHING"
"""A service refuses a merge without changes."""

OBJECTED = "READY !"
"""Every rule passes, but somebody asked for changes after the approval."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """A word with its tone, a short reason, and which key mends it: "U updates"."""

    word: str
    tone: str
    why: str = ""
    do: str = ""


def _short(title: str) -> str:
    return shorten(clean(title), TITLE_CELLS, glyphs().more)


def behind_main(both_sides: Sequence[str] | None) -> str:
    """Return the consequence of being out of date; ``both_sides`` as in `RulesRead`."""
    sign = glyphs().outdated
    if both_sides is not None and not both_sides:
        return f"{sign} out of date, but main changed none of its pages"
    where = ""
    if both_sides:
        where = f" in {few(both_sides, NAMED, _short)}"
    return f"{sign} out of date, may conflict{where}"


def readiness(
    status: str,
    results: Sequence[RuleResult] | None,
    *,
    outdated: bool,
    stuck: bool = False,
    against: Sequence[str] = (),
    losing: Sequence[str] = (),
    unlooked: str = "",
    both_sides: Sequence[str] | None = None,
    empty: bool = False,
) -> Readiness:
    """Return how ready a change request is. The ``results`` of its rules are None when unknown.

    ``stuck`` says that an update conflicted and neither side has changed since. ``against`` are
    people who asked for changes after the approval, ``losing`` describes pages that readers would
    lose, ``unlooked`` says that the check for such pages is incomplete. ``both_sides`` are titles
    of pages that main has changed too, None when unknown. ``empty`` says that it changes neither a
    page nor a file.
    """
    if status != "open":
        do = {"draft": "W makes it open"}.get(status, "")
        return Readiness(clean(status), "good" if status == "merged" else "muted", do=do)
    failing = [each.sentence for each in results or () if each.outcome == "fail"]
    unsure = [each.sentence for each in results or () if each.outcome == "unknown"]
    said = objection(against, results) if against else ""
    objected = [f"! {each}" for each in [*losing, *([said] if said else [])]]
    behind = behind_main(both_sides) if outdated else ""
    apart = both_sides is not None and not both_sides
    do = "U updates" if behind and not apart else ""
    if stuck:
        behind = f"{glyphs().outdated} out of date"
        why = "; ".join(["an update met the same lines changed on both sides", *failing, *objected])
        return Readiness("CONFLICTS", "bad", f"{why}   {behind}")
    if empty:
        return Readiness(EMPTY, "warn", "; ".join(["there is nothing to merge", *failing]))
    if failing:
        passed = len(results or ()) - len(failing) - len(unsure)
        why = "; ".join([*failing, *objected]) + (f"   {behind}" if behind else "")
        return Readiness(f"{passed} of {plural(len(results or ()), 'rule')} met", "warn", why, do)
    if losing:
        why = "; ".join([*objected, *unsure]) + (f"   {behind}" if behind else "")
        return Readiness(LOSES, "warn", why.removeprefix("! "), do)
    if results is None:
        unsure = ["its rules are not known"]
    unsure += [unlooked] if unlooked else []
    if unsure or do:
        why = "; ".join(filter(None, [*objected, *unsure, behind]))
        return Readiness(PERHAPS, "warn" if said else "accent", why, do)
    after = f"   {behind}" if behind else ""
    if said:
        return Readiness(OBJECTED, "warn", said + after)
    met = f"{plural(len(results), 'rule')} met" if results else "no rules here"
    return Readiness(READY, "good", met + after)


def readiness_of(row: ChangeRow, details: RequestDetails) -> Readiness:
    """Return how ready a row is, from its details."""
    return readiness(
        row.status,
        details.rules,
        outdated=row.outdated,
        stuck=details.stuck,
        against=details.against,
        losing=details.losing,
        unlooked=details.unlooked,
        both_sides=details.both_sides,
        empty=details.empty,
    )
