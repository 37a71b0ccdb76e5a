"""The details of change requests, read in parts and cached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotCached, NotFound
from copydesk.domain.late_dataclass import dataclass
from copydesk.session.cached_reads import reads_cached
from copydesk.session.change_rows import (
    ALL_PARTS,
    PAGES,
    PARTS,
    RULES,
    SIDES,
    TEXT,
    THREADS,
    Details,
    OpenThreads,
)
from copydesk.session.errors import sentence
from copydesk.session.marks import NONE

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.reads.change_requests import Scope, Spaces

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
"""The fields of `Details` that come with each part."""


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
    _details: dict[str, tuple[datetime, Details]] = field(default_factory=dict)
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

    def details(self, row: ChangeRow) -> Details | None:
        """Return the details of a row that were read since it changed."""
        kept = self._details.get(row.id)
        return kept[1] if kept is not None and kept[0] == row.updated else None

    def last_details(self, row: ChangeRow) -> Details | None:
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

    def keep(self, row: ChangeRow, found: Details) -> None:
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

    async def read(self, api: Api, scope: Scope, row: ChangeRow, parts: Collection[str]) -> Details:
        """Read parts of a row; a deleted or forbidden one gives the sentence for it.

        Raises the other kinds of ``ApiError``.
        """
        from copydesk.session.reads.change_requests import read_parts

        try:
            return await read_parts(api, scope, row, parts, me=self.me(), spaces=self.spaces)
        except (Forbidden, NotFound) as error:
            return Details(missing=sentence(error), waiting=OpenThreads())

    async def read_rows(
        self, api: Api, scope: Scope, rows: Iterable[ChangeRow], parts: Collection[str]
    ) -> None:
        """Read and cache the due parts of rows, `AT_ONCE` rows in parallel.

        Raises ``ApiError``.
        """

        async def one(row: ChangeRow) -> None:
            with suppress(NotCached):  # others may be cached
                self.keep(row, await self.read(api, scope, row, self.due(row, parts)))

        await asyncio.gather(*(one(row) for row in rows))


def _together(before: Details, found: Details) -> Details:
    """Return new details, with the parts that only the earlier ones have."""
    kept = [name for part in before.parts - found.parts for name in FIELDS_OF[part]]
    if found.moment is None:
        kept.append("moment")
    values: dict[str, Any] = {name: getattr(before, name) for name in kept}
    return replace(found, parts=before.parts | found.parts, **values)
