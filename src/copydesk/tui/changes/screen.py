"""Change requests of a space or of a whole organization."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.address import markdown_link
from copydesk.domain.filter import Query, fold, quoted
from copydesk.domain.saved_view import SavedView
from copydesk.domain.text import listed, plural
from copydesk.present import change_details
from copydesk.present import change_request as present
from copydesk.present.json_views import Raw, request_raw
from copydesk.session.change_rows import ChangeRow
from copydesk.session.glyphs import glyphs
from copydesk.session.target import Target
from copydesk.session.views import LISTINGS, SERVED, STATUSES
from copydesk.session.writes.bulk import Bulk, BulkItem, BulkRun
from copydesk.tui.changes.details import READ_FOR
from copydesk.tui.changes.edits import EditCommands
from copydesk.tui.changes.guards import first_reason
from copydesk.tui.changes.list import ChangesList
from copydesk.tui.changes.people import PeopleCommands
from copydesk.tui.changes.rows import ChangesRows
from copydesk.tui.changes.runs import MergeCommands
from copydesk.tui.changes.snooze import SnoozeCommands
from copydesk.tui.changes.views import ViewCommands
from copydesk.tui.framework.keyboard import run
from copydesk.tui.framework.navigation import Jump, place
from copydesk.tui.framework.place import Part
from copydesk.tui.framework.styles import style_path
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

NAMED = 1_000
"""Rows among whose authors a short name must tell people apart."""


@dataclass(frozen=True, slots=True)
class Left:
    """How a list was left: what it showed, and the rows that were marked in it."""

    view: str
    sort: str
    backwards: bool
    found: str
    own: Sequence[SavedView]
    marked: Mapping[str, ChangeRow]


LISTED = (
    "list_organization_change_requests", "list_organization_spaces", "get_change_request_changes",
    "get_revision", "list_change_request_comments", "list_change_request_reviews",
    "list_requested_reviewers",
)  # fmt: skip
"""The operations that every list of change requests is read with."""


@place(
    "changes",
    key="c",
    title="Change requests",
    jumps=(Jump("n", "needs-me", "Needs me", "needs-me", LISTED),),
    uses=(*LISTED, "list_space_change_requests", "get_issues_cluster"),
)
class ChangesPlace(ChangesRows):
    """A list of change requests, and what there is to know about the one under the cursor."""

    RAW = ("get_change_request",)

    COMMAND_CLASSES = (MergeCommands, EditCommands, SnoozeCommands, ViewCommands, PeopleCommands)

    CSS_PATH = style_path("changes")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._people: frozenset[str] = frozenset()
        """The authors of the rows that have been read."""
        self._named: tuple[object, int] = None, 0
        """Of which rows they are the authors."""

    # What a place says of itself

    @cached_property
    def all_columns(self) -> Sequence[Column[ChangeRow]]:
        """Every column; a view may show only some of them."""
        return [
            Column("number", "#", lambda row: str(row.number), 4),
            Column(
                "subject", "SUBJECT",
                lambda row: present.subject(row, self.listing, asleep=self.snoozed(row)),
                flex=1, minimum=24,
            ),
            Column(
                "space", "SPACE", lambda row: self.space_title(row.space) or present.UNKNOWN, 9,
                drop=5, most=14,
            ),
            Column(
                "by", "BY", lambda row: Text(row.author, "who"), present.NAME_CELLS, drop=4,
                fitted=lambda row, cells: Text(
                    present.short_name(row.author, cells, self._people), "who"
                ),
            ),
            Column(
                "pages", "PG", lambda row: change_details.pages(self.known(row)), 3,
                align="right", drop=3,
            ),
            Column(
                "threads", "THR", lambda row: present.threads(row, self.known(row)), 3,
                align="right", drop=1,
            ),
            Column(
                "rules", "RULES", lambda row: change_details.rules(self.known(row)), 5,
                align="right", drop=2,
            ),
            Column(
                "age", "UPDATED",
                lambda row: present.since(
                    row, self.session.now, self.sort, self.last_known(row)
                ),
                7, align="right",
            ),
        ]  # fmt: skip

    def show_columns(self) -> None:
        """Show the columns of the view, the times by what the list is ordered by."""
        chosen = self.listing.columns
        columns: list[Column[ChangeRow]] = []
        for column in self.all_columns:
            if column.key == "space" and self.target.space is not None:
                continue
            if chosen and column.key not in chosen and column.key != "subject":
                continue
            if column.key == "age":
                title = present.TIMES.get(self.sort, column.title)
                column = replace(column, title=title)
            elif column.key == "by":
                most = min(12, present.name_cells(self._people))
                column = replace(column, most=most)
            columns.append(column)
        self.rows.columns = tuple(columns)
        self.rows.refresh_rows()

    def panes(self) -> ComposeResult:
        """The list, and the details of its row; as they were when one left them in this run."""
        left = self._left
        if left is not None:
            self.own = list(left.own)
            self.view = self.target.view or left.view
            self.sort, self.backwards = left.sort, left.backwards
        rows = self.rows = ChangesList(
            self.last_run() or self.paged(),
            self.all_columns,
            title=self.listing.title,
            empty=self.listing.empty,
            reading="Reading change requests…",
            sign=self._sign,
            dim=self._is_dim,
            id="changes",
        )
        rows.judge = self.judge_for
        rows.last_lines = self.last_lines
        rows.nothing = self.nearest
        rows.progress = self.checking_progress
        rows.fields = self.fields
        self.facts = Facts(title="Details", id="change-details")
        self.name_order()
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def _sign(self, row: ChangeRow) -> str:
        """Return what stands before a row: it changed since it was looked at, or main did."""
        looked = self.session.sleepers.looks.get(row.id)
        if looked is not None and row.updated > looked:
            return glyphs().changed
        return glyphs().outdated if row.outdated else ""

    def _is_dim(self, row: ChangeRow) -> bool:
        triage = self.rows.triage
        return (
            row.status not in self.listing.statuses
            or not triage.belongs(row.id)
            or self.snoozed(row)
        )

    def trail(self) -> Iterable[str]:
        """The organization, the space if it is only one, and the view."""
        yield self.session.organization_title or "no organization"
        if self.target.space is not None:
            yield self.space_title(self.target.space) or "a space"
        yield "Change requests" + (" of a cluster" if self.target.cluster else "")

    def raw(self) -> Raw | None:
        """Return where the JSON of the change request comes from."""
        row = self.rows.selected
        return None if row is None else request_raw(row.space, row.id, row.label)

    def url(self) -> str | None:
        """Return the address of the change request in the platform's application."""
        row = self.rows.selected
        return row.url or None if row is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        rows = self.rows.chosen()
        offered = {
            "address": [row.url for row in rows if row.url],
            "markdown link": [
                markdown_link(f"{row.label} {row.subject}", row.url) for row in rows if row.url
            ],
            "number": [row.label for row in rows],
            "subject": [row.subject for row in rows],
            "id": [row.id for row in rows],
        }
        return [(name, "\n".join(lines)) for name, lines in offered.items() if lines]

    def status_left(self) -> str:
        """Say what is marked, what waits, or what the signs mean."""
        marks = self.rows.marks_line
        said = f"{marks}   " if marks else ""
        if self.rows.source.waiting:
            return f"{said}Rows came, left or moved (press . to fold them in)"
        new = f"{glyphs().changed} new or changed   " if self.rows.source.base.fresh else ""
        if READ_FOR.keys() & self.rows.columns_shown or new:
            # Shorter, to fit a small screen with what its cells may show besides.
            legend = f"{new}{glyphs().outdated} out of date   THR open threads, ! you"
            return f"{said}{legend}   {present.UNKNOWN} not read yet   - no rules"
        return f"{said}{glyphs().outdated} out of date with main   THR open threads"

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs of rows and cells, and what they mean."""
        return [
            *super().signs(),
            (glyphs().outdated, "out of date: main has moved on, U updates"),
            ("THR", "open threads; ! when one waits on you"),
            ("2/3", "merge rules that are met, of how many; ? if only the service can tell"),
            (present.UNKNOWN, "not read yet"),
            ("-", "no merge rules hold there"),
        ]

    # Opening and views

    def opened(self) -> None:
        """Show the views; the ones that need to know who reads come once that is known."""
        self.show_views()
        self.read_sleepers()
        self.read_views()
        left = self._left
        another = left is None or left.view != self.view
        # Marks hold in every view; what was typed to filter one by is for that one.
        self.rows.find("" if left is None or another else left.found)
        if left is not None and left.marked:
            self.rows.set_marks(left.marked, left.marked)
        if another and self.listing.sort != SERVED:
            self.sort, self.backwards = self.listing.sort, self.listing.backwards
        if (self.sort, self.backwards) != (SERVED, False):
            self.show_order()

    def turned(self, results: Sequence[Any]) -> None:
        """Read one's own views again too: forgetting one can be taken back."""
        self.read_views()
        self.after_write()
        super().turned(results)

    def resume_draft(self, part: str) -> None:
        """Open the field that a text was typed in."""
        for each in self.commands:
            if part == "view" and isinstance(each, ViewCommands):
                self.call_later(run, each, each.ACTIONS["save_view"])
            elif part != "view" and isinstance(each, EditCommands):
                each.resume(part)

    @property
    def _where(self) -> object:
        """Which list this is, whatever its view."""
        organization = self.target.organization or self.session.organization
        return self.PLACE, self.target.but(view=None, organization=organization)

    @property
    def _left(self) -> Left | None:
        left = self.session.left.get(self._where)
        return left if isinstance(left, Left) else None

    def on_unmount(self) -> None:
        """Keep for this run what it showed and what was marked: both were work."""
        self.session.left[self._where] = Left(
            self.view,
            self.sort,
            self.backwards,
            self.rows.found,
            self.own,
            {row.id: row for row in self.rows.marked_rows()},
        )

    def on_screen_resume(self) -> None:
        """Note that what was open until now was looked at until now."""
        super().on_screen_resume()
        row = self.rows.selected
        if row is not None and row.id in self.session.sleepers.looks:
            self.session.sleepers.look(row.id, self.session.now)

    def look(self) -> None:
        """Give names the room that they need to tell people apart, as rows arrive."""
        base = self.rows.source.base
        if self._named == (base, base.loaded):
            super().look()  # nothing that grows with the list at each key
            return
        self._named = base, base.loaded
        people = frozenset(row.author for row in islice(base.shown(), NAMED))
        if people != self._people:
            self._people = people
            self.show_columns()
        super().look()

    # What is done to the marked ones

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        """Show what actions are for now."""
        self.frame_soon()

    async def do_to_marked(self, bulk: Bulk) -> None:
        """Show what would be done to the marked rows, and do it after a ``y``."""
        from copydesk.tui.dialogs.bulk import BulkSheet

        rows = {row.id: row for row in self.rows.marked_rows()}
        hidden = self.rows.hidden_marks
        several = len({row.space for row in rows.values()}) > 1
        group = f"{bulk.verb} {secrets.token_hex(4)}"
        items = [
            BulkItem(
                row.id,
                row.label,
                row.subject,
                row.id in hidden,
                (first_reason(self, row, bulk.unless) or "").removeprefix(f"{row.label} "),
                where=self.space_title(row.space) if several else "",
            )
            for row in rows.values()
        ]
        doing = BulkRun(
            bulk.verb,
            items,
            lambda item: bulk.send(rows[item.id], group),
            lambda: self._ended(bulk, doing),
        )
        sheet = BulkSheet(doing, warning=bulk.warning)
        await self.desk.push_screen_wait(sheet)
        if doing.running:
            waiting = doing.count("waiting") + doing.count("sending")
            self.tell(f"{bulk.verb}: {plural(waiting, 'request')} to go; @ shows each.")

    def _ended(self, bulk: Bulk, run: BulkRun) -> None:
        """Say what came of it, and unmark what was done."""
        bulk.ended(run.count("failed") > 0)
        done = {item.id for item in run.items if item.state in ("done", "queued")}
        if self.is_attached:
            self.rows.set_marks(self.rows.marks - done)
            self.after_write()
        (self.desk.here or self).say(run.result, "bad" if run.count("failed") else "good")

    # Opening one, and the filter

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the review of a change request."""
        row = self.rows.selected
        if row is not None:
            self.desk.go_soon("review", self.aim(row, "overview"))

    # What the filter offers

    def offers(self, key: str) -> Iterable[str]:
        """Return who and where there is among the rows that have been read."""
        if key in ("author", "by"):
            return sorted(self._people)
        if key == "space":
            return sorted({info.title for info in self.spaces.known.values()})
        if key == "asked":
            found = (self.last_known(row) for row in self.rows.source.base.shown())
            return sorted({name for each in found if each for name in each.asked or ()})
        return ()

    def nearest(self) -> str:
        """Return what was perhaps meant by a filter that nothing matches."""
        from rapidfuzz import fuzz, process

        query = Query.parse(self.rows.found, self.fields)
        for term in query.terms:
            if term.key in ("is", "status") and not term.negated:
                held = [each for each in STATUSES if term.value in each]
                if held and not any(each in self.listing.statuses for each in held):
                    names = [each.title for each in LISTINGS if each.statuses == (held[0],)]
                    where = f" f goes to {names[-1]}." if names else ""
                    return f"This view holds only what is {listed(self.listing.statuses)}.{where}"
            if "," in term.value or (term.key is None and term.value == "or"):
                return "All parts must hold: there is no “or”, and each key takes one value."
            if term.key not in ("author", "by", "space"):
                continue
            known = {fold(each): each for each in self.offers(term.key)}
            near = process.extractOne(term.value, list(known), scorer=fuzz.WRatio, score_cutoff=50)
            if near is not None:
                return f"Nearest: {term.key}:{quoted(known[near[0]])}."
        return ""
