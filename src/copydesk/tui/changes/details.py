"""What is known of change requests beyond their rows, and the pane that shows it.

Of the row under the cursor all is read when the cursor rests; of the rows on screen the parts that
their cells show, four at a time, once it stays. What was read is kept.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from copydesk.present.change_details import facts
from copydesk.session.change_rows import (
    ALL_PARTS,
    PAGES,
    RULES,
    THREADS,
    ChangeRow,
    Details,
)
from copydesk.session.known_requests import AT_ONCE

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.changes.screen import ChangesPlace

REST_SECONDS = 0.12
"""How long the cursor rests on a row before its details are read."""

STAY_SECONDS = 0.4
"""How long it stays before the rows around it are read too."""

READ_FOR = {"pages": PAGES, "rules": RULES, "threads": THREADS}
"""The columns whose cells come from what is read, and from which part."""

KEPT_IMPACTS = 100
"""Requests of which is kept what they do to links."""

FRESH_SECONDS = 60
"""How old what was read of a row may get before it is read again by itself."""


class DetailsReader:
    """Reads about the row under the cursor and those on screen, and fills the pane."""

    def __init__(self, place: ChangesPlace) -> None:
        self.place = place
        self.known = place.known
        self._impacts: dict[str, tuple[datetime, str]] = {}

    def stuck(self, row: ChangeRow) -> bool:
        """Whether an update of it conflicted, and neither side has moved since."""
        known = self.known.details(row)
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
        known = self.known.details(row)
        if known is None or known.missing or self.place.reads.left_behind("details", row.id):
            return True
        return bool(self.known.due(row, ALL_PARTS))

    def show_facts(self) -> None:
        """Show what is known of the row under the cursor."""
        row = self.place.rows.selected
        if row is None:
            self.place.facts.show([], title="Details")
            return
        known = self.shown(row)
        looked = self.place.session.snoozed.looks.get(row.id)
        now, asked = self.place.session.now, self.known.asked_me(row)
        found = facts(
            row,
            self.place.known.space_title(row.space),
            now,
            known,
            looked,
            asked=asked,
            keys=not self.place.session.read_only,
        )
        self.place.facts.show(found, title=f"{row.label} {row.subject}", about=row.id)

    def shown(self, row: ChangeRow) -> Details | None:
        """Return what the pane shows of a row."""
        known = self.known.details(row)
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
            return await self.known.read(api, self.place.scope, row, parts)

        def arrived(details: Details) -> None:
            before = self.known.details(row)
            self.known.keep(row, details)
            # Else it is read again for what came of it, and that for ever.
            if not _tell_the_same(before, self.known.details(row)):
                self.place.triage.learned([row])

        def failed(text: str) -> None:
            if self.known.details(row) is None:
                self.known.keep(row, Details(missing=text))
                self.show_facts()

        self.place.reads.load(
            "details", read, arrived, what=f"Reading {row.label}", of=row.id, failed=failed,
            after=REST_SECONDS,
        )  # fmt: skip

    # Reading parts of many

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
                  self.known.due(row, parts if row.threads else parts - {THREADS})]  # fmt: skip
        for at in range(0, len(wanted), AT_ONCE):
            rows = wanted[at : at + AT_ONCE]
            before = {row.id: self.known.details(row) for row in rows}
            await self.known.read_rows(api, self.place.scope, rows, parts)
            # Where nothing is news, nothing is looked at again: that would lead here, for ever.
            if news := [r for r in rows if not _tell_the_same(before[r.id], self.known.details(r))]:
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
            if (found := self.known.details(row)) is not None
            and found.read_at is not None
            and found.read_at < limit
        ]
        for _, oldest in sorted(old, key=lambda each: each[0])[:AT_ONCE]:
            self.known.forget(oldest)
        row = self.place.rows.selected
        if row is not None:
            told = {RULES, THREADS} if row.threads else {RULES}
            self.read(row, ALL_PARTS if self.known.due(row, ALL_PARTS) else told)
        self._read_around()


def _tell_the_same(one: Details | None, other: Details | None) -> bool:
    """Whether two readings of a row say the same, whenever they were made."""
    if one is None or other is None or (one.read_at is None) != (other.read_at is None):
        return one is other
    return replace(one, read_at=other.read_at) == other
