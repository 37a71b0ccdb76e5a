"""Place 2: change requests of a space or of a whole organization (interaction.md 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.address import markdown_link
from copydesk.domain.filter import Query
from copydesk.tui.app import style_path
from copydesk.tui.glyphs import glyphs
from copydesk.tui.place import Part
from copydesk.tui.places import Jump, Target, place
from copydesk.tui.present import change_details
from copydesk.tui.present import change_request as present
from copydesk.tui.present.change_request import ChangeRow
from copydesk.tui.screens.changes_details import READ_FOR
from copydesk.tui.screens.changes_rows import ChangesRows
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.virtual_list import Column, VirtualList

NAMED = 1_000
"""Rows among whose authors a short name must tell people apart."""


@place(
    "changes",
    key="c",
    title="Change requests",
    jumps=(Jump("n", "needs-me", "Needs me", "needs-me"),),
)
class ChangesPlace(ChangesRows):
    """A list of change requests, and what there is to know about the one under the cursor."""

    CSS_PATH = style_path("changes")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._people: frozenset[str] = frozenset()
        """The authors of the rows that have been read."""

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The list, and the details of its row."""
        columns: list[Column[ChangeRow]] = [
            Column("number", "#", lambda row: str(row.number), 5),
            Column(
                "subject", "SUBJECT", lambda row: present.subject(row, self.listing), flex=1,
                minimum=28,
            ),
            Column(
                "space", "SPACE", lambda row: self.space_title(row.space) or present.UNKNOWN, 14,
                drop=3,
            ),
            Column(
                "by", "BY", lambda row: Text(row.author, "who"), present.NAME_CELLS, drop=2,
                fitted=lambda row, cells: Text(
                    present.short_name(row.author, cells, self._people), "who"
                ),
            ),
            Column(
                "pages", "PG", lambda row: change_details.pages(self.known(row)), 3,
                align="right", drop=5,
            ),
            Column("threads", "THR", present.threads, 3, align="right", drop=1),
            Column(
                "rules", "RULES", lambda row: change_details.rules(self.known(row)), 5,
                align="right", drop=4,
            ),
            Column(
                "age", "AGE", lambda row: present.since(row, self.session.clock()), 6,
                align="right",
            ),
        ]  # fmt: skip
        if self.target.space is not None:
            columns = [column for column in columns if column.key != "space"]
        self.rows = VirtualList(
            self.last_run() or self.paged(),
            columns,
            title=self.listing.title,
            empty=self.listing.empty,
            reading="Reading change requests…",
            sign=lambda row: glyphs().outdated if row.outdated else "",
            dim=lambda row: row.status not in self.listing.statuses,
            id="changes",
        )
        self.rows.filter_with(self._filter)
        self.rows.fields = present.fields(self.space_title)
        self.facts = Facts(title="Details", id="change-details")
        self.name_order()
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def trail(self) -> Iterable[str]:
        """The organization, the space if it is only one, and the view."""
        yield self.session.organization_title or "no organization"
        if self.target.space is not None:
            yield self.space_title(self.target.space) or "a space"
        yield "Change requests" + (" of a cluster" if self.target.cluster else "")

    def url(self) -> str | None:
        """Return the address of the change request in the platform's application."""
        row = self.rows.selected
        return row.url or None if row is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        row = self.rows.selected
        if row is None:
            return []
        choices = [("number", row.label), ("subject", row.subject), ("id", row.id)]
        if row.url:
            link = markdown_link(f"{row.label} {row.subject}", row.url)
            choices[:0] = [("address", row.url), ("markdown link", link)]
        return choices

    def status_left(self) -> str:
        """Say what waits, or what the signs mean."""
        if self.rows.source.waiting:
            return "Rows came, left or moved (press . to fold them in)"
        new = f"{glyphs().changed} new or changed   " if self.rows.source.base.fresh else ""
        if READ_FOR & self.rows.columns_shown or new:
            # Shorter, to fit a small screen with what its cells may show besides.
            legend = f"{new}{glyphs().outdated} out of date   THR open threads"
            return legend + f"   {present.UNKNOWN} not read yet   - no rules"
        return f"{glyphs().outdated} out of date with primary content   THR open threads"

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs of rows and cells, and what they mean."""
        return [
            *super().signs(),
            (glyphs().outdated, "out of date: primary content has moved on, U updates"),
            ("THR", "open threads"),
            ("2/3", "merge rules that are met, of how many; ? if only the service can tell"),
            (present.UNKNOWN, "not read yet"),
            ("-", "no merge rules hold there"),
        ]

    # Opening and views

    def opened(self) -> None:
        """Show the views; the ones that need to know who reads come once that is known."""
        self.show_views()

    def look(self) -> None:
        """Give names the room that they need to tell people apart, as rows arrive."""
        base = self.rows.source.base
        people = frozenset(row.author for row in islice(base.shown(), NAMED))
        if people != self._people:
            self._people = people
            self.rows.columns = tuple(
                replace(column, most=present.name_cells(people)) if column.key == "by" else column
                for column in self.rows.columns
            )
            self.rows.refresh_rows()
        super().look()

    # Opening one, and the filter

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the review of a change request."""
        row = self.rows.selected
        if row is not None:
            self.app.call_later(self.desk.go, "review", self.aim(row, "overview"))

    def _filter(self, text: str) -> Callable[[ChangeRow], bool]:
        query = Query.parse(text, present.fields(self.space_title))
        if query.wrong is not None:
            raise ValueError(query.wrong)
        return query.matches
