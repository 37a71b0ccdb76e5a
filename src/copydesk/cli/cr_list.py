"""``copydesk cr list``: change requests of a status, or of one of the views of the screens."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.errors import DONE, UsageError, kept_state, say
from copydesk.cli.lookup import find_organizations, find_space
from copydesk.cli.output import Column, put_json, put_table
from copydesk.domain.filter import Query
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age, service_time
from copydesk.domain.text import clean, plural, shorten
from copydesk.local.marks import DeskMarks, DeskSnoozes
from copydesk.local.paths import find_paths
from copydesk.local.saved_views import SavedViews
from copydesk.present.change_request import (
    ORDERS,
    UNREAD,
    fields,
    needs,
    open_threads,
    sorted_rows,
)
from copydesk.session.change_rows import ASKED, PARTS, THREADS, ChangeRow, KnownRequests, row_of
from copydesk.session.listings import FIRST, LISTINGS, THREADS_READ, Listing, listing_of
from copydesk.session.operations import ops
from copydesk.session.reads.change_requests import Scope
from copydesk.session.reads.spaces import read_me

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.domain.snooze import Snooze


def list_requests(
    *,
    space: str | None = None,
    status: str | None = None,
    view: str | None = None,
    where: str | None = None,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the change requests of a status or a view, of a space or of everything, newest first.

    ``where`` is a filter as after ``/`` on the screens. Raises ``UsageError`` for an unknown word.
    """
    listing = _listing(view, status)
    connection = service.connection()

    async def run(api: Api) -> int:
        triage = await _triage(api, connection, space, organization, sleeps=view is not None)
        await triage.read(api, listing, where or "")
        if not as_json:
            await triage.count_threads(api)
        triage.tell()
        if as_json:
            put_json([triage.requests[row.id].to_dict() for row in triage.rows])
        else:
            _print(triage, listing, space, filtered=bool(where and where.strip()))
        return DONE

    return connection.run(run)


def _listing(view: str | None, status: str | None) -> Listing:
    """Return the view that is meant. Raises ``UsageError`` where there is none of that name."""
    if view is None:
        listing = next(each for each in LISTINGS if each.id == FIRST)
        return replace(listing, statuses=(status,), empty="") if status else listing
    try:
        own = [listing_of(each) for each in SavedViews(find_paths().settings).read()]
    except (OSError, ValueError) as error:
        raise UsageError(str(error)) from error
    name = view.strip().casefold()
    for each in (*own, *LISTINGS):
        if name in (each.title.casefold(), each.id.casefold()):
            if each.sort not in ORDERS:
                raise UsageError(f"view {each.title}: there is no order {each.sort!r}")
            return each
    known = ", ".join(each.title for each in (*LISTINGS, *own))
    raise UsageError(f"there is no view {shorten(clean(view))}. There are: {known}.")


async def _triage(
    api: Api, connection: Connection, space: str | None, organization: str | None, *, sleeps: bool
) -> Triage:
    me = await read_me(api)
    state = kept_state()
    held = DeskSnoozes(state, connection.key).read() if sleeps else {}
    marks = DeskMarks(state, connection.key).read()
    titles: dict[str, str] = {}
    if space is not None:
        found = await find_space(api, space, organization)
        scopes = [Scope(found.organization, found.id)]
    else:
        titles = {place.id: place.title for place in await find_organizations(api, organization)}
        scopes = [Scope(place) for place in titles]
    return Triage(scopes, "" if me is None else me.id, held, marks, titles)


@dataclass
class Triage:
    """The change requests of a view and a filter; no more is read than these ask for."""

    scopes: Sequence[Scope]
    me: str
    held: dict[str, Snooze]
    marks: dict[str, dict[str, str]]
    titles: dict[str, str]
    """The titles of the organizations that are listed, by their ids; empty for one space."""
    organizations: dict[str, str] = field(default_factory=dict)
    """The title of the organization of each row, by the id of the row."""
    rows: list[ChangeRow] = field(default_factory=list)
    requests: dict[str, ChangeRequest] = field(default_factory=dict)
    unsure: int = 0
    uncounted: int = 0
    """How many have threads that were not counted, because they are too many to read."""
    asleep: int = 0
    _began: datetime = field(default_factory=lambda: datetime.now(UTC))
    _skew: timedelta = timedelta()

    def __post_init__(self) -> None:
        self.known = KnownRequests(
            me=lambda: self.me,
            now=lambda: service_time(self._began, self._skew),
            clock=lambda: self._began,
            snoozed=self._snoozed,
            marks=lambda row: self.marks.get(row.id, {}),
        )

    def threads(self, row: ChangeRow) -> str:
        """Return how many of its threads are open."""
        count = open_threads(row, self.known.details(row))
        return UNREAD if count is None else str(count)

    def _snoozed(self, row: ChangeRow) -> bool:
        found = self.held.get(row.id)
        return found is not None and found.asleep(row.updated, self._began)

    async def read(self, api: Api, listing: Listing, where: str) -> None:
        """Read what a view and a filter hold. Raises ``UsageError`` for a filter that is wrong."""
        self._skew = api.skew  # of what was asked before
        of = fields(self.known)
        queries = [Query.parse(listing.filter, of), Query.parse(where, of)]
        for text, query in zip((f"view {listing.title}", "--filter"), queries, strict=True):
            if query.problems:
                raise UsageError(f"{text}: {query.problems[0].sentence}")
        if not self.me and (listing.personal or listing.who):
            raise UsageError("the service does not say who you are, so that no view is yours")
        wanted = frozenset().union(*map(needs, queries))
        sorting = ORDERS[listing.sort].needs
        awake = "snoozed" not in f"{where} {listing.filter}"
        listed = await asyncio.gather(*(self._listed(api, each, listing) for each in self.scopes))
        for scope, rows in zip(self.scopes, listed, strict=True):
            spaces = {row.space for row in rows}
            await self.known.spaces.learn(api, scope.organization, spaces)
            if ASKED in wanted:
                await self.known.know_asked(api, scope)
            if awake:
                self.asleep += sum(map(self._snoozed, rows))
                rows = [row for row in rows if not self._snoozed(row)]
            undecided = [row for row in rows if self._judge(row, queries) is None]
            await self._look_into(api, scope, undecided, wanted & PARTS)
            outcomes = [(row, self._judge(row, queries)) for row in rows]
            found = [row for row, outcome in outcomes if outcome]
            self.unsure += sum(outcome is None for _, outcome in outcomes)
            await self._look_into(api, scope, found, sorting)
            self.rows += found
            title = self.titles.get(scope.organization, "")
            self.organizations |= dict.fromkeys((row.id for row in found), title)
        self.rows = sorted_rows(
            self.rows,
            listing.sort,
            self.known.space_title,
            backwards=listing.backwards,
            known=self.known.details,
        )

    async def count_threads(self, api: Api) -> None:
        """Count the open threads of the first rows that may have some, as the review does."""
        asked = [row for row in self.rows if open_threads(row, self.known.details(row)) is None]
        if asked:
            await self._look_into(api, self.scopes[0], asked[:THREADS_READ], {THREADS})
        self.uncounted = len(asked[THREADS_READ:])

    def _judge(self, row: ChangeRow, queries: Iterable[Query[ChangeRow]]) -> bool | None:
        outcomes = [query.judge(row) for query in queries]
        return False if False in outcomes else None if None in outcomes else True

    async def _listed(self, api: Api, scope: Scope, listing: Listing) -> list[ChangeRow]:
        rows: list[ChangeRow] = []
        for status in listing.statuses:
            query: dict[str, Any] = {"status": status}
            if listing.who:
                query[listing.who] = self.me
            found = (
                api.pages(ops.list_organization_change_requests, scope.organization, **query)
                if scope.space is None
                else api.pages(ops.list_space_change_requests, scope.space, **query)
            )
            async for request in found:
                self.requests[request.id] = request
                rows.append(row_of(request))
        return rows

    async def _look_into(
        self, api: Api, scope: Scope, rows: Sequence[ChangeRow], parts: Collection[str]
    ) -> None:
        due = [row for row in rows if self.known.due(row, parts)]
        await self.known.read_rows(api, scope, due, parts)

    def tell(self) -> None:
        """Print how many rows are not shown, and why."""
        if self.asleep:
            say(f"{plural(self.asleep, 'change request')} snoozed: not shown.")
        if self.uncounted:
            many = plural(self.uncounted, "change request")
            say(f"Threads of {many} not counted: cr show NUMBER counts those of one.")
        if self.unsure:
            many = plural(self.unsure, "change request")
            say(f"The service does not tell whether {many} belong here: not shown.")


def _print(triage: Triage, listing: Listing, space: str | None, *, filtered: bool) -> None:
    if not triage.rows and filtered:
        say("None matches the filter.")
        return
    if not triage.rows:
        said = "" if triage.unsure or triage.asleep else listing.empty.partition(" ctrl+n")[0]
        say(said or "There are none.")
        if listing.id == FIRST and said:
            say("copydesk cr list --status draft lists drafts.")
        return
    now = triage.known.now()
    columns = [
        Column[ChangeRow]("NUMBER", lambda row: row.label, right=True),
        Column[ChangeRow]("SUBJECT", lambda row: row.subject, gives=True),
    ]
    if space is None:
        columns.append(Column("SPACE", lambda row: triage.known.space_title(row.space), gives=True))
    if len(set(triage.organizations.values())) > 1:  # the screens list those of one
        columns.append(Column("ORGANIZATION", lambda row: triage.organizations[row.id], gives=True))
    if len(listing.statuses) > 1:
        columns.append(Column("STATUS", lambda row: row.status))
    columns += [
        Column("BY", lambda row: row.author, gives=True),
        Column("UPDATED", lambda row: age(row.updated, now), right=True),
        Column("THREADS", triage.threads, right=True),
    ]
    put_table(columns, triage.rows)
