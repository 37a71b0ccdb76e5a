"""What is known of change requests beyond their rows, and the pane that shows it.

Of the row under the cursor all is read when the cursor rests; of the rows on screen the parts that
their cells show, four at a time, once it stays. What was read is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from copydesk.present.change_details import facts
from copydesk.session.change_rows import (
    ALL_PARTS,
    PAGES,
    PARTS,
    RULES,
    TALK,
    ChangeRow,
    Details,
    Talk,
)
from copydesk.session.offline import reads_kept

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.changes.screen import ChangesPlace

REST_SECONDS = 0.12
"""How long the cursor rests on a row before its details are read."""

STAY_SECONDS = 0.4
"""How long it stays before the rows around it are read too."""

READ_FOR = {"pages": PAGES, "rules": RULES, "threads": TALK}
"""The columns whose cells come from what is read, and from which part."""

AT_ONCE = 4
"""How many rows are read at the same time."""

KEPT_DETAILS = 3_000
"""Rows of which is kept what was read."""

KEPT_IMPACTS = 100
"""Requests of which is kept what they do to links."""

FRESH_SECONDS = 60
"""How old what was read of a row may get before it is read again by itself."""


class KnownDetails:
    """What is known beyond the rows of a list, and the reading of it."""

    def __init__(self, place: ChangesPlace) -> None:
        self.place = place
        self._details: dict[str, tuple[datetime, Details]] = {}
        self._asked: frozenset[str] | None = None
        """The ids of those that the reader was asked to review; None when not known."""
        self._asked_old = False
        """Whether that is to be read again; until it was, it stays."""
        self._impacts: dict[str, tuple[datetime, str]] = {}

    # What is known

    def forget(self, row: ChangeRow | None = None) -> None:
        """Read what is known of a row, or of all, again; until then it stays.

        A review changes no row, so that what is known does not show its age.
        """
        if row is None:
            self._asked_old = True
            for row_id, (updated, found) in self._details.items():
                self._details[row_id] = updated, replace(found, read_at=None)
        elif (kept := self._details.get(row.id)) is not None:
            self._details[row.id] = kept[0], replace(kept[1], read_at=None)

    async def know_asked(self, api: Api) -> bool:
        """Read which the reader was asked to review, where that is due; False where it is not."""
        me = self.place.session.me
        if me is None or not (self._asked is None or self._asked_old):
            return False
        from copydesk.session.reads.change_requests import read_asked

        self._asked = await read_asked(api, await self.place.scope(api), me.id)
        # What is kept of it is not what was asked for.
        self._asked_old = reads_kept()
        return True

    def now_asked(self, asked: frozenset[str]) -> bool:
        """Take in which the reader is asked to review now; return whether these are others."""
        others, self._asked = asked != self._asked, asked
        return others

    def forget_asked(self) -> None:
        """Read again what the reader was asked to review; until then it stays."""
        self._asked_old = True

    def known(self, row: ChangeRow) -> Details | None:
        """Return what has been read of a row since it changed."""
        kept = self._details.get(row.id)
        return kept[1] if kept is not None and kept[0] == row.updated else None

    def last_known(self, row: ChangeRow) -> Details | None:
        """Return what was read of a row last, also before it changed."""
        kept = self._details.get(row.id)
        return None if kept is None else kept[1]

    def due(self, row: ChangeRow, parts: Collection[str]) -> frozenset[str]:
        """Return which parts of a row are to be read: never read, or read before it changed."""
        found, wanted = self.known(row), frozenset(parts) & ALL_PARTS
        if found is None:
            return wanted
        if found.read_at is None:  # all that was read of it is old
            return wanted | (found.parts & PARTS)
        return frozenset() if found.missing else wanted - found.parts

    def keep(self, row: ChangeRow, found: Details) -> None:
        """Keep what was read of a row, beside parts of it that were read before."""
        before = self.known(row)
        found = replace(found, read_at=self.place.session.clock())
        if before is not None and not found.missing and not before.missing:
            found = _together(before, found)
        self._details.pop(row.id, None)
        while len(self._details) >= KEPT_DETAILS:
            del self._details[next(iter(self._details))]
        self._details[row.id] = row.updated, found

    def asked_me(self, row: ChangeRow) -> bool | None:
        """Return whether the reader was asked to review it; None when not known."""
        if self.place.session.me is None:
            return False
        return None if self._asked is None else row.id in self._asked

    def stuck(self, row: ChangeRow) -> bool:
        """Whether an update of it conflicted, and neither side has moved since."""
        known = self.known(row)
        return known is not None and known.moment in self.place.session.stuck

    # The pane

    def look(self) -> None:
        """Show the row under the cursor in the details; what is not known is read."""
        row = self.place.rows.selected
        self.place.reads.cancel("details")
        if row is not None and self._wants(row):
            self.read(row)
        self._read_around()
        self.place.frame_soon()

    def _wants(self, row: ChangeRow) -> bool:
        known = self.known(row)
        if known is None or known.missing or self.place.reads.left_behind("details", row.id):
            return True
        return bool(self.due(row, ALL_PARTS))

    def show_facts(self) -> None:
        """Show what is known of the row under the cursor."""
        row = self.place.rows.selected
        if row is None:
            self.place.facts.show([], title="Details")
            return
        known = self.shown(row)
        looked = self.place.session.sleepers.looks.get(row.id)
        now, asked = self.place.session.now, self.asked_me(row)
        found = facts(
            row,
            self.place.space_title(row.space),
            now,
            known,
            looked,
            asked=asked,
            keys=not self.place.session.read_only,
        )
        self.place.facts.show(found, title=f"{row.label} {row.subject}", about=row.id)

    def shown(self, row: ChangeRow) -> Details | None:
        """Return what the pane shows of a row."""
        known = self.known(row)
        if known is not None and known.stuck != self.stuck(row):
            known = replace(known, stuck=self.stuck(row))
        return None if known is None else replace(known, impact=self.impact_of(row))

    def impact_of(self, row: ChangeRow) -> str:
        """Return what it does to links in words, "" while that is not read."""
        at, said = self._impacts.get(row.id, (None, ""))
        return said if at == row.updated else ""

    def look_at_links(self) -> None:
        """Read what the row under the cursor does to links: a request for each changed page."""
        row = self.place.rows.selected
        if row is not None and row.status != "merged" and not self.impact_of(row):
            self._read_impact(row)

    def _read_impact(self, row: ChangeRow) -> None:
        async def read(api: Api) -> str:
            from copydesk.present.impact import impact_line
            from copydesk.session.reads.impact import read_impact
            from copydesk.session.reads.review import read_request

            opened = await read_request(api, row.space, row.id)
            return impact_line(await read_impact(api, row.space, row.id, opened.changes))

        def arrived(said: str) -> None:
            if len(self._impacts) >= KEPT_IMPACTS:
                self._impacts.clear()
            self._impacts[row.id] = row.updated, said

        self.place.reads.load("impact", read, arrived, what="Reading who links to it")

    def read(self, row: ChangeRow, parts: Collection[str] = ALL_PARTS) -> None:
        """Read about a row; what is known of it stays until the answer comes."""

        async def read(api: Api) -> Details:
            from copydesk.client.errors import Forbidden, NotFound
            from copydesk.session.errors import sentence

            try:
                return await self._read(api, row, parts)
            except (Forbidden, NotFound) as error:
                return Details(missing=sentence(error), talk=Talk())

        def arrived(details: Details) -> None:
            before = self.known(row)
            self.keep(row, details)
            # Else it is read again for what came of it, and that for ever.
            if not _tell_the_same(before, self.known(row)):
                self.place.triage.learned([row])

        def failed(text: str) -> None:
            if self.known(row) is None:
                self.keep(row, Details(missing=text))
                self.show_facts()

        self.place.reads.load(
            "details", read, arrived, what=f"Reading {row.label}", of=row.id, failed=failed,
            after=REST_SECONDS,
        )  # fmt: skip

    # Reading parts of many

    async def _read(self, api: Api, row: ChangeRow, parts: Collection[str]) -> Details:
        from copydesk.session.reads.change_requests import read_parts

        me = self.place.session.me
        scope = await self.place.scope(api)
        # The row under the cursor is read whole: then its space as it is now.
        space = None if parts == ALL_PARTS else self.place.spaces.models.get(row.space)
        return await read_parts(api, scope, row, parts, me=me.id if me else "", space=space)

    async def read_rows(self, api: Api, rows: Iterable[ChangeRow], parts: Collection[str]) -> None:
        """Read what is due of some rows, all at the same time: give it no more than a few.

        What cannot be read, because it is gone or not allowed, is kept as such. Raises the other
        kinds of ``ApiError``.
        """
        from copydesk.client.errors import Forbidden, NotFound, NotKept
        from copydesk.session.errors import sentence

        async def one(row: ChangeRow) -> None:
            try:
                self.keep(row, await self._read(api, row, self.due(row, parts)))
            except NotKept:
                pass  # of the others more may be kept
            except (Forbidden, NotFound) as error:
                self.keep(row, Details(missing=sentence(error), talk=Talk()))

        await asyncio.gather(*(one(row) for row in rows))

    def _read_around(self) -> None:
        """Fill the cells of the rows on screen, once the cursor stays: the nearest first.

        Only where their columns are shown, and while the service has requests to spare.
        """
        self.place.reads.cancel("around")
        if self._parts_shown and self.may_spend:
            self.place.reads.load(
                "around", self._read_visible, self._read_them, what="Reading the rules",
                after=STAY_SECONDS, kept="away",
            )  # fmt: skip

    @property
    def _parts_shown(self) -> frozenset[str]:
        shown = self.place.rows.columns_shown
        return frozenset(part for column, part in READ_FOR.items() if column in shown)

    @property
    def may_spend(self) -> bool:
        """Whether the service has requests to spare for what nobody asked for."""
        left, limit = self.place.session.budget or (1, 1)
        return left * 2 > limit

    def _read_them(self, some: bool) -> None:
        if some:
            self.place.triage.count_views()

    async def _read_visible(self, api: Api) -> bool:
        parts = self._parts_shown
        wanted = [row for row in self.place.rows.rows_around(self.place.rows.page_lines) if
                  self.due(row, parts if row.threads else parts - {TALK})]  # fmt: skip
        for at in range(0, len(wanted), AT_ONCE):
            rows = wanted[at : at + AT_ONCE]
            before = {row.id: self.known(row) for row in rows}
            await self.read_rows(api, rows, parts)
            # Where nothing is news, nothing is looked at again: that would lead here, for ever.
            if news := [r for r in rows if not _tell_the_same(before[r.id], self.known(r))]:
                self.place.triage.learned(news)
        return bool(wanted)

    def poll(self) -> None:
        """Read again what a poll is for: what others say of the row under the cursor, each time.

        Of the other rows on screen a few are read again whose turn it is. One that the list tells
        is another now (a verdict and a request for one change it) is read at once, wherever it is.
        """
        limit = self.place.session.clock() - timedelta(seconds=FRESH_SECONDS)
        old = [
            (found.read_at, row)
            for row in self.place.rows.rows_around(self.place.rows.page_lines)
            if (found := self.known(row)) is not None
            and found.read_at is not None
            and found.read_at < limit
        ]
        for _, oldest in sorted(old, key=lambda each: each[0])[:AT_ONCE]:
            self.forget(oldest)
        row = self.place.rows.selected
        if row is not None:
            told = {RULES, TALK} if row.threads else {RULES}
            self.read(row, ALL_PARTS if self.due(row, ALL_PARTS) else told)
        self._read_around()


def _tell_the_same(one: Details | None, other: Details | None) -> bool:
    """Whether two readings of a row say the same, whenever they were made."""
    if one is None or other is None or (one.read_at is None) != (other.read_at is None):
        return one is other
    return replace(one, read_at=other.read_at) == other


def _together(before: Details, found: Details) -> Details:
    """Return what was read, with the parts that only an earlier reading has."""
    old = before.parts - found.parts
    changes: dict[str, object] = {"parts": before.parts | found.parts}
    if RULES in old:
        changes |= {"rules": before.rules, "verdicts": before.verdicts, "asked": before.asked,
                    "asked_since": before.asked_since, "against": before.against,
                    "both_sides": before.both_sides}  # fmt: skip
    if PAGES in old:
        changes |= {"pages": before.pages, "more_pages": before.more_pages,
                    "approximate": before.approximate, "losing": before.losing,
                    "unlooked": before.unlooked}  # fmt: skip
    if TALK in old:
        changes["talk"] = before.talk
    if old - PARTS:
        changes |= {"description": before.description, "cluster": before.cluster}
    if found.moment is None:
        changes["moment"] = before.moment
    return replace(found, **changes)  # type: ignore[arg-type]  # the fields of one reading
