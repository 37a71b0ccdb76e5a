"""The details beside the list of change requests: read when the cursor rests, then kept."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.tui.places import Target
from copydesk.tui.present.change_details import Details, facts
from copydesk.tui.present.change_request import ChangeRow
from copydesk.tui.screens.changes_writing import ChangesWriting
from copydesk.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api

REST_SECONDS = 0.12
"""How long the cursor rests on a row before its details are read."""

STAY_SECONDS = 0.6
"""How long it stays before the rows around it are read too."""

READ_FOR = frozenset({"pages", "rules"})
"""The columns whose cells come from the details."""

KEPT_DETAILS = 300
"""Details kept of rows that were looked at."""


class ChangesDetails(ChangesWriting):
    """What is known beyond the rows."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._details: dict[tuple[str, object], Details] = {}

    def space_title(self, space_id: str) -> str:
        """Return what a space is called, "" while that is not known."""
        raise NotImplementedError

    def forget_details(self, row: ChangeRow | None = None) -> None:
        """Read the details of a row, or of all, again when they are looked at.

        A review changes no row, so that what is known does not show its age.
        """
        if row is None:
            self._details.clear()
        else:
            self._details.pop((row.id, row.updated), None)

    def known(self, row: ChangeRow) -> Details | None:
        """Return the details of a row if they have been read since it changed."""
        return self._details.get((row.id, row.updated))

    def stuck(self, row: ChangeRow) -> bool:
        """Whether an update of it conflicted, and neither side has moved since."""
        known = self.known(row)
        return known is not None and known.moment in self.session.stuck

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Read about the row under the cursor when it rests there."""
        self.look()

    def look(self) -> None:
        """Show the row under the cursor in the details; what is not known is read."""
        row = self.rows.selected
        self.cancel_load("details")
        known = None if row is None else self.known(row)
        if row is not None and (known is None or known.missing):
            self.read_details(row)
        self._read_around()
        self.frame_soon()

    def refresh_frame(self) -> None:
        """Bring the details up to date with the frame: once keys pause, not at each."""
        super().refresh_frame()
        if self.is_attached:
            self._show_facts()

    def _show_facts(self) -> None:
        row = self.rows.selected
        if row is None:
            self.facts.show([], title="Details")
            return
        known = self.known(row)
        if known is not None and known.stuck != self.stuck(row):
            known = replace(known, stuck=self.stuck(row))
        found = facts(row, self.space_title(row.space), self.session.clock(), known)
        self.facts.show(found, title=f"{row.label} {row.subject}")

    def read_details(self, row: ChangeRow) -> None:
        """Read about a row; what is known of it stays until the answer comes."""

        async def read(api: Api) -> Details:
            from copydesk.tui import change_request_reading as reading

            return await reading.read_details(api, await self.scope(api), row)

        def arrived(details: Details) -> None:
            if self.known(row) != details:
                self._keep(row, details)
                self.rows.refresh_rows()

        def failed(text: str) -> None:
            if self.known(row) is None:
                self._keep(row, Details(missing=text))
                self._show_facts()

        self.load(
            "details", read, arrived, what=f"Reading {row.label}", failed=failed, after=REST_SECONDS
        )

    def _keep(self, row: ChangeRow, details: Details) -> None:
        while len(self._details) >= KEPT_DETAILS:
            del self._details[next(iter(self._details))]
        self._details[row.id, row.updated] = details

    def _read_around(self) -> None:
        """Fill the cells of the rows on screen, once the cursor stays: the nearest first.

        Only where their columns are shown, and while the service has requests to spare.
        """
        self.cancel_load("around")
        left, limit = self.session.budget or (1, 1)
        if READ_FOR & self.rows.columns_shown and left * 2 > limit:
            self.load("around", self._read_visible, lambda _: None, what="Reading the rules",
                      after=STAY_SECONDS)  # fmt: skip

    async def _read_visible(self, api: Api) -> None:
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.tui.change_request_reading import read_details

        scope, top = await self.scope(api), self.rows.scroll_offset.y
        cursor, read = self.rows.cursor, 0
        at = sorted(range(top, top + self.rows.page_lines), key=lambda index: abs(index - cursor))
        for row in filter(None, map(self.rows.source.row, at)):
            if self.known(row) is not None:
                continue
            # One after the other: what a person asks for meanwhile comes between.
            with suppress(Forbidden, NotFound):
                self._keep(row, await read_details(api, scope, row))
            read += 1
            if read % 4 == 0:
                self.rows.refresh_rows()
        if read:
            self.rows.refresh_rows()
