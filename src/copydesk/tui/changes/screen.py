"""Change requests of a space or of a whole organization."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from copydesk.domain.address import markdown_link
from copydesk.domain.filter import Query
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.saved_view import SavedView
from copydesk.domain.text import plural
from copydesk.present import change_request as present
from copydesk.present.raw_json import Raw, request_raw
from copydesk.session.change_rows import ChangeRow, known_requests, row_of
from copydesk.session.glyphs import glyphs
from copydesk.session.listings import FIRST, LISTINGS, OWN, SERVED, STATUSES, Listing, listing_of
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.session.writes.bulk import Bulk, BulkItem, BulkRun
from copydesk.tui.changes.reader import (
    DETAIL_COLUMNS,
    DetailsReader,
    RowReader,
    change_columns,
    detail_panes,
)
from copydesk.tui.changes.triage import ChangesList, Triage
from copydesk.tui.dialogs.bulk import BulkSheet
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.place import VAST, Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.session.reads.change_requests import Scope
    from copydesk.tui.framework.pane import Pane

NAMED = 1_000
"""Rows among whose authors a short name must tell people apart."""


@dataclass(frozen=True, slots=True)
class LeftList:
    """How a list was left: what it showed, and the rows that were marked in it."""

    view: str
    sort: str
    backwards: bool
    found: str
    own: Sequence[SavedView]
    marked: Mapping[str, ChangeRow]


class ChangesPlace(Place):
    """A list of change requests, and the details of the one under the cursor."""

    COLUMNS = ("number", "subject", "space", "by", "pages", "threads", "rules", "age")
    RAW = ("get_change_request",)
    HORIZONTAL_BREAKPOINTS = VAST
    keeps_columns = False
    """Whether the columns are those of the view, so that the settings choose none."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.known = known_requests(self.session)
        self.details = DetailsReader(self)
        self.triage = Triage(self)
        self.row_reader = RowReader(self)
        self.sort = SERVED
        self.backwards = False
        self.left: set[str] = set()
        """Ids of rows that no longer belong to the view, shown until it is read anew."""
        self.counts: dict[str, int | None] = {}
        """How many rows each view holds; None where that is not known."""
        self.own: list[SavedView] = []
        """The reader's own views."""
        if not self.view:
            self.view = FIRST
        self._written = 0
        self.people: frozenset[str] = frozenset()
        """The authors of the rows that have been read."""
        self._named: tuple[object, int] = None, 0
        """Of which rows they are the authors."""

    # What a place says of itself

    @cached_property
    def all_columns(self) -> Sequence[Column[ChangeRow]]:
        """Every column; a view may show only some of them."""
        return change_columns(self)

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
                most = min(12, present.name_cells(self.people))
                column = replace(column, most=most)
            columns.append(column)
        self.keeps_columns = bool(chosen)
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
            self.row_reader.last_run() or self.row_reader.paged(),
            self.all_columns,
            title=self.listing.title,
            empty=self.listing.empty,
            reading="Reading change requests…",
            sign=self._sign,
            dim=self._is_dim,
            id="changes",
        )
        rows.judge = self.triage
        rows.fields = self.triage.fields
        if self.cached:
            rows.find("")
        self.facts, self.threads = detail_panes(self.details)
        self.views = self.named_views()
        self.name_order()
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.threads)

    def _sign(self, row: ChangeRow) -> str:
        """Return what stands before a row: it changed since it was looked at, or main did."""
        looked = self.session.snoozed.looks.get(row.id)
        if looked is not None and row.updated > looked:
            return glyphs().changed
        return glyphs().outdated if row.outdated else ""

    def _is_dim(self, row: ChangeRow) -> bool:
        return (
            row.status not in self.listing.statuses
            or not self.rows.triage.belongs(row.id)
            or self.known.snoozed(row)
        )

    def trail(self) -> Iterable[str]:
        """The space if it is only one, and the view."""
        if self.target.space is not None:
            yield self.known.space_title(self.target.space) or "a space"
        yield "Change requests" + (" of a cluster" if self.target.cluster else "")

    def raw(self) -> Raw | None:
        """Return where the JSON of the change request comes from."""
        row = self.rows.selected
        return None if row is None else request_raw(row.space, row.id, row.label)

    def space_at_hand(self) -> str | None:
        """Return the space of the list, or of the change request under the cursor."""
        row = self.rows.selected
        return self.target.space or (row.space if row is not None else None)

    def url(self) -> str | None:
        row = self.rows.selected
        return row.url or None if row is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
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
        """Name the marked rows, the waiting changes, or the meaning of the signs."""
        marks = self.rows.marks_line
        said = f"{marks}   " if marks else ""
        if self.rows.source.waiting:
            return f"{said}Rows came, left or moved (press . to show them)"
        new = f"{glyphs().changed} new or changed   " if self.rows.source.base.fresh else ""
        if DETAIL_COLUMNS.keys() & self.rows.columns_shown or new:
            # Shorter, to fit a small screen with what its cells may show besides.
            legend = f"{new}{glyphs().outdated} out of date   THR open threads, ! you"
            return f"{said}{legend}   {present.UNREAD} not read yet   - no rules"
        return f"{said}{glyphs().outdated} out of date with main   THR open threads"

    def signs(self) -> Sequence[tuple[str, str]]:
        return [
            *super().signs(),
            (glyphs().outdated, "out of date: main has moved on, U updates"),
            ("THR", "open threads; ! when one waits on you"),
            ("2/3", "merge rules that are met, of how many; ? if only the service can tell"),
            (present.WAITS, "waits for its rules, and is merged when they hold: M shows it"),
            (present.STOPPED, "waited for its rules and was stopped: M says why"),
            (present.UNREAD, "not read yet"),
            ("-", "no merge rules hold there"),
        ]

    # Opening and views

    def opened(self) -> None:
        """Show the views; the ones that need to know who reads come once that is known."""
        self.show_views()
        self.triage.read_sleepers()
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
            self.row_reader.show_order()

    @property
    def _where(self) -> object:
        """Which list this is, whatever its view."""
        organization = self.organization
        return self.PLACE, self.target.but(view=None, organization=organization)

    @property
    def _left(self) -> LeftList | None:
        left = self.session.left.get(self._where)
        return left if isinstance(left, LeftList) else None

    def on_unmount(self) -> None:
        """Keep the view and the marks for this run."""
        self.row_reader.keep_shown(ends=True)
        self.session.left[self._where] = LeftList(
            self.view,
            self.sort,
            self.backwards,
            self.rows.found,
            self.own,
            {row.id: row for row in self.rows.marked_rows()},
        )

    def on_screen_resume(self) -> None:
        """Note until when the open row was seen; read the rows again."""
        super().on_screen_resume()
        if len(self.session.log) != self._written:
            self.reload()
        row = self.rows.selected
        if row is not None and row.id in self.session.snoozed.looks:
            self.session.snoozed.look(row.id, self.session.now)

    def look(self) -> None:
        """Show the details of the row under the cursor, and read the parts that are missing.

        Names get the room that they need to tell people apart, as rows arrive.
        """
        base = self.rows.source.base
        if self._named == (base, base.loaded):
            self.details.look()  # nothing that grows with the list at each key
            return
        self._named = base, base.loaded
        people = frozenset(row.author for row in islice(base.shown(), NAMED))
        if people != self.people:
            self.people = people
            self.show_columns()
        self.details.look()

    # What is done to the marked ones

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        self.frame_soon()

    async def do_to_marked(self, bulk: Bulk) -> None:
        """Show what would be done to the marked rows, and do it after a ``y``."""
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
                self._reason(row, bulk).removeprefix(f"{row.label} "),
                where=self.known.space_title(row.space) if several else "",
            )
            for row in rows.values()
        ]
        doing = BulkRun(
            bulk.verb,
            items,
            lambda item: bulk.send(rows[item.id], group),
            lambda: self._ended(bulk, doing),
            noun="change request",
        )
        sheet = BulkSheet(doing, warning=bulk.warning)
        await self.desk.push_screen_wait(sheet)
        if doing.running:
            waiting = doing.count("waiting") + doing.count("sending")
            self.tell(f"{bulk.verb}: {plural(waiting, 'change request')} to go; @ shows each.")

    def _reason(self, row: ChangeRow, bulk: Bulk) -> str:
        """Return why a bulk action leaves a marked row out; "" where it does not."""
        return next((why for guard in bulk.unless if (why := guard(self, row)) is not None), "")

    def _ended(self, bulk: Bulk, run: BulkRun) -> None:
        """Tell the result, and unmark the rows that are done."""
        bulk.ended(run.count("failed") > 0)
        done = {item.id for item in run.items if item.state in ("done", "queued")}
        if self.is_attached:
            self.rows.set_marks(self.rows.marks - done)
            self.after_write()
        (self.desk.here or self).say(run.result, "bad" if run.count("failed") else "good")

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        self.look()

    def update_frame(self) -> None:
        """Bring the details up to date with the frame: once keys pause, not at each."""
        super().update_frame()
        if self.is_attached:
            self.details.show_facts()

    def follow_cursor(self, rows: Pane) -> None:
        self.details.read_missing()

    # Opening one

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.rows.selected
        if row is not None:
            self.desk.go_soon("review", self.aim(row, "overview"))

    def aim(self, row: ChangeRow, view: str | None = None) -> Target:
        """Return the target that names a change request to other places."""
        return Target(
            organization=self.organization,
            space=row.space,
            change_request=row.id,
            view=view,
        )

    # Views and order

    def view_listings(self) -> Sequence[Listing]:
        """Return the views that there are for this reader."""
        known = self.session.me is not None or self.session.api is None
        given = [each for each in LISTINGS if known or not each.personal]
        return [*given, *(listing_of(view) for view in self.own)]

    @property
    def listing(self) -> Listing:
        """The view that is shown."""
        listings = {each.id: each for each in (*LISTINGS, *map(listing_of, self.own))}
        return listings.get(self.view, listings[FIRST])

    @property
    def first_view(self) -> str:
        return FIRST

    def show_views(self) -> None:
        """Name the views, each with its count where that is known."""
        self.set_views(self.named_views())

    def named_views(self) -> Sequence[View]:
        """Return the views with their counts: those of the last run until all was read."""
        kept = self.row_reader.kept.counts if self.reads.read_at is None else {}
        counts = {
            **kept,
            **{view: count for view, count in self.counts.items() if count is not None},
        }
        return [
            View(each.id, each.title, counts.get(each.id), each.short)
            for each in self.view_listings()
        ]

    def read_views(self) -> None:
        """Read the person's own views, and tell the mistakes in them."""

        async def read(api: Api) -> tuple[list[SavedView], str]:
            try:
                return list(await asyncio.to_thread(self.session.views.read)), ""
            except (OSError, ValueError) as error:
                return [], str(error)

        def arrived(found: tuple[list[SavedView], str]) -> None:
            own, wrong = found
            others = own != self.own
            if others:
                self.own_are(own)
            asked = self.target.view
            said = [wrong, *(why for view in self.own if (why := self.view_wrong(view)))]
            for sentence in filter(None, said if others or wrong else ()):
                self.say(sentence, "warn")
            self.show_views()
            if asked is not None and asked != self.view and asked.startswith(OWN):
                self.choose_view(asked)

        self.reads.load("views", read, arrived, what="Reading your views", local=True)

    def view_wrong(self, view: SavedView) -> str:
        """Return the fault of a saved view as a sentence; "" for none."""
        where = f"line {view.line} of the settings" if view.line else "your views"
        lead = f"View “{view.name}” ({where}): "
        query = Query.parse(view.filter, self.triage.fields)
        if query.problems:
            return lead + query.problems[0].sentence
        if view.sort and view.sort not in present.ORDERS:
            return f"{lead}there is no order {view.sort!r}; known are {', '.join(present.ORDERS)}."
        unknown = [each for each in view.statuses if each not in STATUSES]
        if unknown or not view.statuses:
            return f"{lead}status is one of {', '.join(STATUSES)}."
        columns = [column.key for column in self.all_columns]
        strange = [each for each in view.columns if each not in columns]
        if strange:
            return f"{lead}there is no column {strange[0]!r}; known are {', '.join(columns)}."
        return ""

    def own_are(self, own: list[SavedView]) -> None:
        """Show other views of one's own; where the one that is shown went, the first."""
        self.own = own
        if self.view.startswith(OWN) and self.view not in [OWN + view.name for view in own]:
            self.choose_view(FIRST)
        self.show_views()

    def view_changed(self) -> None:
        """Show another view, from its top, with the filter that is on."""
        self.rows.empty = self.listing.empty
        self.show_columns()
        if self.listing.own:
            self.sort, self.backwards = self.listing.sort, self.listing.backwards
        if self.sort not in present.ORDERS:
            self.sort, self.backwards = SERVED, False
        self.reads.cancel("check")
        self.row_reader.restart()
        self.rows.move_first()
        self.triage.check()
        self.look()

    def sort_by(self, sort: str, *, backwards: bool) -> None:
        """Show the list in another order."""
        self.sort, self.backwards = sort, backwards
        self.row_reader.show_order()

    # What is known

    def name_order(self) -> None:
        """Say above the list which view and which order it shows."""
        order = present.ORDERS[self.sort]
        self.rows.sort = (self.sort, order.falling != self.backwards)
        self.rows.note = f"sort: {order.title}" + (", reversed" if self.backwards else "")
        self.rows.title = self.listing.title
        self.show_columns()

    @property
    def scope(self) -> Scope:
        """The scope of the list, once the session knows the organization of the reader."""
        from copydesk.session.reads.change_requests import Scope

        organization = self.organization or ""
        return Scope(organization, self.target.space, self.target.cluster)

    # Reading and writing

    def reload(self) -> None:
        self._written = len(self.session.log)
        self.row_reader.reload()

    def poll(self) -> None:
        """Read quietly what others did."""
        self.row_reader.poll()

    def put(self, row: ChangeRow) -> None:
        """Show a row as it is now, where it is; one that left the view stays until it is folded.

        A marked one that is gone is unmarked, and that is said.
        """
        base = self.rows.source.base
        if isinstance(base, PagedSource | ListSource):
            base.update(row)
        if row.status in self.listing.statuses:
            self.left.discard(row.id)
        else:
            self.left.add(row.id)
        self.look()
        if row.id not in self.rows.marks:
            return
        if row.status == "gone":
            self.rows.set_marks(self.rows.marks - {row.id})
            self.say(f"{row.label} was marked and is gone: it is not marked any more.", "warn")
        else:
            self.rows.set_marks(self.rows.marks, {row.id: row})

    def after_write(self) -> None:
        """Bring the counts up to date after something was written here."""
        self._written = len(self.session.log)
        self.row_reader.count()

    async def reread(self, api: Api, row: ChangeRow) -> ChangeRow:
        """Read one row again and show it. Raises ``ApiError``."""
        request = await api(ops.get_change_request, row.space, row.id)
        self.adopt(request)
        return row_of(request)

    def adopt(self, request: ChangeRequest) -> None:
        """Show a request as it is now, where it is."""
        if self.is_attached:
            self.put(row_of(request))

    def turned(self, results: Sequence[Any]) -> None:
        """Show what a write gave that was taken back or done again, where it is."""
        from copydesk.contract.models.change_request import ChangeRequest

        for result in results:
            if isinstance(result, ChangeRequest):
                self.adopt(result)
        # One's own views too: forgetting one can be taken back.
        self.read_views()
        self.triage.show_marks()
        self.after_write()
        super().turned(results)
