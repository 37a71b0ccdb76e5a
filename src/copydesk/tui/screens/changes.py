"""Place 2: change requests of a space or of a whole organization (interaction.md 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.filter import Query
from copydesk.tui.app import style_path
from copydesk.tui.glyphs import glyphs
from copydesk.tui.place import Part
from copydesk.tui.places import Jump, place
from copydesk.tui.present import change_details
from copydesk.tui.present import change_request as present
from copydesk.tui.present.change_request import ChangeRow
from copydesk.tui.screens.changes_rows import ChangesRows
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.virtual_list import Column, VirtualList


@place(
    "changes",
    key="c",
    title="Change requests",
    jumps=(Jump("n", "needs-me", "Needs me", "needs-me"),),
)
class ChangesPlace(ChangesRows):
    """A list of change requests, and what there is to know about the one under the cursor."""

    CSS_PATH = style_path("changes")

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
            Column("by", "BY", lambda row: Text(present.short_name(row.author), "who"), 10, drop=2),
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
            link = f"[{row.label} {row.subject}]({row.url})"
            choices[:0] = [("address", row.url), ("markdown link", link)]
        return choices

    def status_left(self) -> str:
        """Say what waits, or what the signs mean."""
        if self.rows.source.waiting:
            return "Rows came, left or moved (press . to fold them in)"
        return f"{glyphs().outdated} out of date with primary content   THR open threads"

    # Opening and views

    def opened(self) -> None:
        """Show the views; the ones that need to know who reads come once that is known."""
        self.show_views()

    # Opening one, and the filter

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the review of a change request."""
        row = self.rows.selected
        if row is not None:
            self.app.call_later(self.desk.go, "review", self.aim(row))

    def _filter(self, text: str) -> Callable[[ChangeRow], bool]:
        query = Query.parse(text, present.fields(self.space_title))
        if query.problems and query.empty:
            raise ValueError(query.problems[0].sentence)
        return query.matches
