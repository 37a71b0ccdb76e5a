"""``copydesk cr list``: change requests of a status, or of one of the views of the screens."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.errors import DONE, UsageError, kept_state, say
from copydesk.cli.lookup import PAGE, find_organizations, find_space
from copydesk.cli.output import Column, put_json, put_table
from copydesk.domain.age import age
from copydesk.domain.filter import Query
from copydesk.domain.service_clock import service_time
from copydesk.domain.text import clean, plural, shorten
from copydesk.local.paths import find_paths
from copydesk.local.saved_views import SavedViews
from copydesk.local.snooze import DeskSnoozes
from copydesk.present.change_filter import fields, needs, open_threads
from copydesk.present.change_request import SORT_NEEDS, SORTS, UNKNOWN, sorted_rows
from copydesk.session.change_rows import ASKED, PARTS, TALK, ChangeRow, Details, row_of
from copydesk.session.reads.change_requests import Scope, Spaces, read_asked, read_parts, read_talk
from copydesk.session.views import FIRST, LISTINGS, TALKS_READ, Listing, listing_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.domain.snooze import Snooze

AT_ONCE = 4
"""Change requests that are looked into at the same time."""

_LONGEST = 60


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

    ``where`` is a filter as after ``/`` on the screens. Raises ``UsageError`` for what is not
    known.
    """
    listing = _listing(view, status)
    connection = service.connection()

    async def run() -> int:
        async with await connection.connect() as api:
            triage = await _triage(api, connection, space, organization, sleeps=view is not None)
            await triage.read(api, listing, where or "")
            if not as_json:
                await triage.count_threads(api)
            triage.tell()
            if as_json:
                put_json([triage.requests[row.id].to_dict() for row in triage.rows])
            else:
                _print(triage, listing, space)
            return DONE

    return asyncio.run(run())


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
            if each.sort not in SORTS:
                raise UsageError(f"view {each.title}: there is no order {each.sort!r}")
            return each
    known = ", ".join(each.title for each in (*LISTINGS, *own))
    raise UsageError(f"there is no view {shorten(clean(view), _LONGEST)}. There are: {known}.")


async def _triage(
    api: Api, connection: Connection, space: str | None, organization: str | None, *, sleeps: bool
) -> Triage:
    from copydesk.session.reads.spaces import read_me

    me = await read_me(api)
    held = DeskSnoozes(kept_state(), connection.key).read() if sleeps else {}
    if space is not None:
        found = await find_space(api, space, organization)
        scopes = [Scope(found.organization, found.id)]
    else:
        scopes = [Scope(place.id) for place in await find_organizations(api, organization)]
    return Triage(scopes, None if me is None else me.id, held)


@dataclass
class Triage:
    """Change requests, and what is known of them: what a filter asks for is read, and no more."""

    scopes: Sequence[Scope]
    me: str | None
    held: dict[str, Snooze]
    rows: list[ChangeRow] = field(default_factory=list)
    requests: dict[str, ChangeRequest] = field(default_factory=dict)
    unsure: int = 0
    uncounted: int = 0
    """How many have threads that were not counted, because they are too many to read."""
    asleep: int = 0
    _began: datetime = field(default_factory=lambda: datetime.now(UTC))
    _skew: timedelta = timedelta()
    _spaces: list[Spaces] = field(default_factory=list)
    _details: dict[str, Details] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    # What the filter asks (`copydesk.present.change_filter.Knows`)

    def space_title(self, space_id: str) -> str:
        """Return what a space is called."""
        return next((said for each in self._spaces if (said := each.title(space_id))), "")

    def last_known(self, row: ChangeRow) -> Details | None:
        """Return what was read of a row."""
        return self._details.get(row.id)

    def threads(self, row: ChangeRow) -> str:
        """Return how many of its threads are open."""
        count = open_threads(row, self.last_known(row))
        return UNKNOWN if count is None else str(count)

    def asked_me(self, row: ChangeRow) -> bool | None:
        """Return whether the reader was asked to review it."""
        return row.id in self._asked

    def may(self, row: ChangeRow, right: str) -> bool | None:
        """Return whether the reader has a right in its space."""
        told = (each.may(row.space, right) for each in self._spaces)
        return next((may for may in told if may is not None), None)

    def snoozed(self, row: ChangeRow) -> bool:
        """Return whether it sleeps."""
        found = self.held.get(row.id)
        return found is not None and found.asleep(row.updated, self._began)

    def mine(self, row: ChangeRow) -> bool:
        """Return whether the reader is its author."""
        return self.me is not None and row.author_id == self.me

    def now(self) -> datetime:
        """Return the time at which the command began, by the service's clock."""
        return service_time(self._began, self._skew)

    def offers(self, key: str) -> Iterable[str]:
        """Return nothing: nobody is typing."""
        return ()

    # Reading

    async def read(self, api: Api, listing: Listing, where: str) -> None:
        """Read what a view and a filter hold. Raises ``UsageError`` for a filter that is wrong."""
        self._skew = api.skew  # of what was asked before
        of = fields(self)
        queries = [Query.parse(listing.filter, of), Query.parse(where, of)]
        for text, query in zip((f"view {listing.title}", "--filter"), queries, strict=True):
            if query.problems:
                raise UsageError(f"{text}: {query.problems[0].sentence}")
        if self.me is None and (listing.personal or listing.who):
            raise UsageError("the service does not say who you are, so that no view is yours")
        wanted = frozenset().union(*map(needs, queries))
        sorting = SORT_NEEDS.get(listing.sort, frozenset())
        awake = "snoozed" not in f"{where} {listing.filter}"
        for scope in self.scopes:
            spaces = Spaces()
            self._spaces.append(spaces)
            rows = [row_of(each) async for each in self._listed(api, scope, listing)]
            await spaces.learn(api, scope.organization, {row.space for row in rows})
            if ASKED in wanted and self.me is not None:
                self._asked |= await read_asked(api, scope, self.me)
            if awake:
                self.asleep += sum(map(self.snoozed, rows))
                rows = [row for row in rows if not self.snoozed(row)]
            undecided = [row for row in rows if self._judge(row, queries) is None]
            await self._look_into(api, scope, spaces, undecided, wanted & PARTS)
            outcomes = [(row, self._judge(row, queries)) for row in rows]
            found = [row for row, outcome in outcomes if outcome]
            self.unsure += sum(outcome is None for _, outcome in outcomes)
            await self._look_into(api, scope, spaces, found, sorting)
            self.rows += found
        self.rows = sorted_rows(
            self.rows,
            listing.sort,
            self.space_title,
            backwards=listing.backwards,
            known=self.last_known,
        )

    async def count_threads(self, api: Api) -> None:
        """Count the open threads of the first rows that may have some, as the review does."""
        asked = [row for row in self.rows if open_threads(row, self.last_known(row)) is None]
        from copydesk.client.errors import Forbidden, NotFound

        gate = asyncio.Semaphore(AT_ONCE)

        async def one(row: ChangeRow) -> None:
            async with gate:
                with suppress(Forbidden, NotFound):
                    talk = await read_talk(api, row, self.me or "")
                    before = self.last_known(row) or Details(parts=frozenset())
                    parts = before.parts | {TALK}
                    self._details[row.id] = replace(before, talk=talk, parts=parts)

        await asyncio.gather(*map(one, asked[:TALKS_READ]))
        self.uncounted = len(asked[TALKS_READ:])

    def _judge(self, row: ChangeRow, queries: Iterable[Query[ChangeRow]]) -> bool | None:
        outcomes = [query.judge(row) for query in queries]
        return False if False in outcomes else None if None in outcomes else True

    async def _listed(self, api: Api, scope: Scope, listing: Listing) -> Any:
        from copydesk.contract import operations as ops

        for status in listing.statuses:
            query: dict[str, Any] = {"status": status, "limit": PAGE}
            if listing.who:
                query[listing.who] = self.me
            found = (
                api.pages(ops.list_organization_change_requests, scope.organization, **query)
                if scope.space is None
                else api.pages(ops.list_space_change_requests, scope.space, **query)
            )
            async for request in found:
                self.requests[request.id] = request
                yield request

    async def _look_into(
        self,
        api: Api,
        scope: Scope,
        spaces: Spaces,
        rows: Iterable[ChangeRow],
        parts: Collection[str],
    ) -> None:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(row: ChangeRow) -> None:
            known = self._details.get(row.id)
            if not parts or (known is not None and known.parts >= set(parts)):
                return
            more = set(parts) | (known.parts if known is not None else set())
            async with gate:
                self._details[row.id] = await read_parts(
                    api, scope, row, more, me=self.me or "", space=spaces.models.get(row.space)
                )

        await asyncio.gather(*map(one, rows))

    def tell(self) -> None:
        """Say what is not shown, and why."""
        if self.asleep:
            say(f"{plural(self.asleep, 'change request')} snoozed: not shown.")
        if self.uncounted:
            many = plural(self.uncounted, "change request")
            say(f"Threads of {many} not counted: cr show NUMBER counts those of one.")
        if self.unsure:
            many = plural(self.unsure, "change request")
            say(f"The service does not tell whether {many} belong here: not shown.")


def _print(triage: Triage, listing: Listing, space: str | None) -> None:
    if not triage.rows:
        said = "" if triage.unsure or triage.asleep else listing.empty.partition(" ctrl+n")[0]
        say(said or "There are none.")
        return
    now = triage.now()
    columns = [
        Column[ChangeRow]("NUMBER", lambda row: row.label, right=True),
        Column[ChangeRow]("SUBJECT", lambda row: row.subject, gives=True),
    ]
    if space is None:
        columns.append(Column("SPACE", lambda row: triage.space_title(row.space), gives=True))
    if len(listing.statuses) > 1:
        columns.append(Column("STATUS", lambda row: row.status))
    columns += [
        Column("BY", lambda row: row.author, gives=True),
        Column("UPDATED", lambda row: age(row.updated, now), right=True),
        Column("THREADS", triage.threads, right=True),
    ]
    put_table(columns, triage.rows)
