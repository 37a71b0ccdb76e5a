"""What a change request does to the links around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.impact import Impact
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural, shown_subject
from copydesk.present import impact as present
from copydesk.present.impact import BROKEN, POINTS, ImpactRow
from copydesk.present.page_changes import page_signs
from copydesk.session.glyphs import glyphs
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import NO_REQUEST, place
from copydesk.tui.framework.place import Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.reads.review import OpenedRequest

NOTHING = {
    "all": "No page links to what this change request changes, and it breaks no link.",
    BROKEN: "This change request breaks no link.",
    POINTS: "No page links to what this change request changes.",
}
"""What each view says when it is empty."""


@dataclass(frozen=True, slots=True)
class _Read:
    opened: OpenedRequest
    impact: Impact


@place("impact", title="Affected pages")
class ImpactPlace(Place, scope="impact"):
    """The links that break with a change request, and the pages that link to what it changes."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._read: _Read | None = None
        self._found: list[ImpactRow] = []

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[ImpactRow] = VirtualList(
            ListSource(key=lambda row: row.id),
            [
                Column("page", "ON PAGE", lambda row: row.title, flex=3, minimum=18),
                Column("space", "SPACE", lambda row: row.space_title, 16, drop=2),
                Column("leads", "LINKS TO", present.leads_to, flex=3, minimum=18),
                Column("what", "WHAT HAPPENS", present.what_happens, 28, drop=1),
            ],
            title="Affected pages",
            empty=NOTHING["all"],
            reading="Reading links…",
            id="impact",
        )
        yield Part("main", self.rows)

    def opened(self) -> None:
        """Name the views."""
        self._show_views()

    def trail(self) -> Iterable[str]:
        if self._read is None:
            yield f"change request{glyphs().more}"
        else:
            request = self._read.opened.request
            yield clean(self._read.opened.space.title)
            yield f"#{request.number} {shown_subject(request.subject)}"
        yield "Affected pages"

    def views_note(self) -> str:
        """What was found, in a sentence."""
        return "" if self._read is None else present.impact_line(self._read.impact)

    def status_left(self) -> str:
        """Say what the rows are, and what they do not tell: no service looks for the heading."""
        return "enter reads the page of a link; whether a #heading exists is not checked"

    def signs(self) -> Sequence[tuple[str, str]]:
        return [*super().signs(), (glyphs().failed, "links nowhere any more"), *page_signs()[2:]]

    def reload(self) -> None:
        """Read the request and every link around it again; leaving the place stops that."""
        space, request = self.target.space, self.target.change_request
        if space is None or request is None:
            self.rows.empty = NO_REQUEST
            self.rows.refresh_rows()
            return
        self.rows.empty = self.rows.reading
        self.rows.refresh_rows()
        self.reads.load(
            "impact",
            lambda api: self._look(api, space, request),
            self._arrived,
            what="Reading links",
            failed=self._could_not,
        )

    def poll(self) -> None:
        """Read nothing: links are many, and R reads them when asked."""

    async def _look(self, api: Api, space: str, request: str) -> _Read:
        from copydesk.session.reads.impact import read_impact
        from copydesk.session.reads.review import read_request

        opened = await read_request(api, space, request)
        impact = await read_impact(
            api, space, opened.request.id, opened.changes, progress=self._progress
        )
        return _Read(opened, impact)

    def _progress(self, ended: int, known: int) -> None:
        self.rows.note = f"read {ended} of {plural(known, 'page')}"
        self.rows.retitle()

    def _could_not(self, sentence: str) -> None:
        self.rows.empty = sentence
        self.rows.refresh_rows()

    def _arrived(self, read: _Read) -> None:
        self._read = read
        self._found = present.impact_rows(read.impact, read.opened.changes, read.opened.space.id)
        unread = read.impact.unread
        self.rows.note = f"{plural(unread, 'page')} could not be read" if unread else ""
        self._show_views()
        self.view_changed()

    def _show_views(self) -> None:
        counts: dict[str, int | None] = {"all": None, BROKEN: None, POINTS: None}
        if self._read is not None:
            broken = sum(row.kind == BROKEN for row in self._found)
            counts = {"all": len(self._found), BROKEN: broken, POINTS: len(self._found) - broken}
        self.set_views(
            [
                View("all", "All", counts["all"]),
                View(BROKEN, "Broken", counts[BROKEN]),
                View(POINTS, "Pointing here", counts[POINTS]),
            ]
        )

    def view_changed(self) -> None:
        """Show the links of the view."""
        if self._read is not None:
            self.rows.empty = self._read.impact.lacks or NOTHING[self.view]
        self.rows.source.listed.set([row for row in self._found if self.view in ("all", row.kind)])
        self.rows.refresh_rows()
        self.refresh_frame()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.rows.selected
        if row is None:
            return
        target = Target(
            organization=self.target.organization,
            space=row.space,
            change_request=self.target.change_request if row.here else None,
            page=row.page,
        )
        self.desk.go_soon("pages", target)
