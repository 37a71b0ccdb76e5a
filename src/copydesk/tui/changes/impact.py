"""What a change request does to the links around it, in the details beside the list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.session.change_rows import ChangeRow, Details
from copydesk.session.target import Target
from copydesk.tui.changes.marks import ChangesBulk

if TYPE_CHECKING:
    from datetime import datetime

    from copydesk.client.api import Api

KEPT_IMPACTS = 100
"""Requests of which is kept what they do to links."""


class ChangesImpact(ChangesBulk):
    """Reads it when the reader goes to the details: it takes a request for each changed page."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._impacts: dict[str, tuple[datetime, str]] = {}

    def details(self) -> None:
        """Go to the details, and read what they do not show unasked."""
        super().details()
        row = self.rows.selected
        if row is not None and row.status != "merged" and not self.impact_of(row):
            self._read_impact(row)

    def impact_of(self, row: ChangeRow) -> str:
        """Return what it does to links in words, "" while that is not read."""
        at, said = self._impacts.get(row.id, (None, ""))
        return said if at == row.updated else ""

    def shown_details(self, row: ChangeRow) -> Details | None:
        """Return what the pane shows of a row."""
        known = super().shown_details(row)
        return None if known is None else replace(known, impact=self.impact_of(row))

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

        self.load("impact", read, arrived, what="Reading who links to it")
