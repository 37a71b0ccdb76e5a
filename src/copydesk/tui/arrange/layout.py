"""What is arranged on screen: its rows, how they stand, and the requests that are worked out.

A base of the places in which something is arranged, apart from `ArrangingPlace` for length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from textual.timer import Timer

from copydesk.domain.arrangement import Arrangement
from copydesk.domain.layout import Layout
from copydesk.domain.text import plural
from copydesk.session.target import Target
from copydesk.tui.arrange.cells import NOTHING, Row, Rows, Shown, only_staged, shown_of
from copydesk.tui.arrange.draft import plan_of
from copydesk.tui.arrange.sender import SendsStaged
from copydesk.tui.arrange.tree import ArrangedTree
from copydesk.tui.framework.workers import begin

PLAN_SECONDS = 0.1
"""How long after the last step a long plan is worked out: no key waits for it."""

LONG = 400
"""From how many rows on a plan counts as long."""

Showing = Literal["now", "base", "changed"]

VIEWS: dict[Showing, str] = {
    "now": "staged order",
    "base": "current order",
    "changed": "only what changed",
}
"""What ``=`` steps through."""


class ShowsStaged(SendsStaged):
    """A place that shows what is staged in it."""

    rows: ArrangedTree

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.refused = ""
        """Why the reader may not change it; empty when they may, or nobody knows."""
        self.shown: Shown = NOTHING
        self.showing: Showing = "now"
        """What ``=`` shows."""
        self._planning: Timer | None = None
        self._rows_of = Rows()

    # What a place says

    def draw(self) -> None:
        """Show what goes with the rows: the plan, the details. The rows are there already."""

    @property
    def beyond(self) -> str:
        """Why the row under the cursor is not arranged at all; empty when it is."""
        return ""

    def further_rows(self) -> Sequence[Row]:
        """Return rows that stand below and are not arranged."""
        return ()

    def show_arrangement(self, cursor: str | None = None) -> None:
        """Show what is staged; the cursor stays on its row."""
        if not self.known:
            return
        self.shown = shown_of(self.arrangement, self.shown)
        if not self.arrangement.dirty:
            self.showing = "now"  # which is what is published as well
        layout = self.shown.layout
        if self.showing == "base":
            layout = self.arrangement.base
        elif self.showing == "changed":
            layout = only_staged(self.shown)
        rows = self.rows
        top, here = rows.scroll_offset.y, cursor or rows.selected_id
        rows.tree_source.set_roots((*self._rows_of.of(layout), *self.further_rows()))
        if here is not None:
            rows.select(here)
        # The list keeps a row on its line by scrolling; here the row moves and the list stays.
        at, height = rows.cursor, max(1, rows.page_lines - 1)
        rows.scroll_to(y=min(max(top, at - height + 1), at), animate=False, force=True)
        if any(row not in layout for row in rows.marks):
            rows.set_marks(row for row in rows.marks if row in layout)
        if self._planning is not None:
            self._planning.stop()
            self._planning = None
        if len(layout.items) < LONG:
            self.requests()
        elif self._planned is not self.arrangement:
            self._planning = self.set_timer(PLAN_SECONDS, self._work_out)
        self._drawn()

    @property
    def planning(self) -> bool:
        """Whether a long plan is being worked out, or is about to be."""
        return self._planning is not None

    def _work_out(self) -> None:
        begin(self, self._plan_apart, self.arrangement, group="plan", exclusive=True)

    async def _plan_apart(self, arrangement: Arrangement) -> None:
        """Work out a long plan apart from the keys, and show all that goes with it."""
        calls = await asyncio.to_thread(plan_of, arrangement)
        if arrangement is self.arrangement:
            self._planning = None
            self.planned(arrangement, calls)
            self._drawn()

    def _drawn(self) -> None:
        notes = [VIEWS[self.showing]] * bool(self.arrangement.dirty or self.showing != "now")
        notes += ["changed by others: R shows it"] * self.behind
        self.rows.note = "   ".join(notes)
        self.rows.retitle()
        self.draw()
        self.refresh_frame()

    def look_again(self, layout: Layout) -> bool:
        """Take in what a poll read, if no row moves by that and nothing is staged; say if so.

        Texts that changed show at once then; all else waits for R.
        """
        base = self.arrangement.base
        taken = layout.levels == base.levels and not self.arrangement.dirty
        if taken and not layout.same(base):
            self.take(layout)
        self.behind = not layout.same(self.arrangement.base)
        return taken

    def status_left(self) -> str:
        """What is staged, and that nothing was sent."""
        if self.refused:
            return self.refused
        if picked := self.rows.marks_line:
            return picked
        if self.calls:
            them = "it" if len(self.calls) == 1 else "them"
            count = plural(len(self.calls), "request")
            if self.asked:
                return f"{count} in the plan"
            return f"{count} staged, nothing sent: ctrl+s sends {them}"
        return super().status_left() or (VIEWS["base"] if self.known else "")

    @property
    def staged_note(self) -> str:
        """How much is staged, for the breadcrumb; empty when nothing is."""
        return f"{len(self.calls)} staged" if self.calls else ""
