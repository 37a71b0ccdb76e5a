"""From the list of change requests to the merge run: the marked rows, in the order of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.text import listed, plural
from copydesk.session.change_rows import ChangeRow
from copydesk.tui.changes.commands import read_conflicting, update_row
from copydesk.tui.changes.guards import (
    is_archived,
    is_draft,
    is_merged,
    may_not_merge,
    nothing_selected,
)
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.tui.changes.screen import ChangesPlace

NAMED = 4
"""So many of the rows that are left out are named."""


def merge_label(here: ChangesPlace) -> str:
    """Return what m does now."""
    return f"merge {len(here.rows.marks)}" if here.rows.marks else "merge"


ONE = (nothing_selected, is_merged, is_archived, is_draft, may_not_merge)
"""What keeps the request under the cursor from being merged."""


class MergeCommands(Commands, scope="changes"):
    """Merging one, or the marked ones one after the other: that is planned in the merge run."""

    place: ChangesPlace

    @action(
        "m", "merge",
        unless=unless_marked(*ONE),
        danger=2, show=20, group="Write", now=merge_label,
        uses=("merge_change_request", "get_change_request"), takes="marked",
    )  # fmt: skip
    async def merge(self) -> None:
        """Merge it behind a sheet that shows its rules; marked ones are planned as a merge run."""
        if self.place.rows.marks:
            await self._plan()
        else:
            await self._merge_one()

    @action("M", "merge run", show=9, group="Go", override=True, takes="marked")
    async def open_merge_run(self) -> None:
        """Go to the merge run; marked rows join its plan first, in the order of the list."""
        if self.place.rows.marks:
            await self._plan()
        else:
            await self.place.common.open_merge_run()

    async def _merge_one(self) -> None:
        """Merge the one under the cursor, behind a sheet that shows its rules and the result."""
        from copydesk.tui.merge.dialog import MergeSheet

        row = self.place.rows.selected
        if row is None:
            return
        result: str | None = await self.place.desk.push_screen_wait(MergeSheet(row.space, row.id))
        if result == "update":
            await update_row(self.place, row)
            return
        await self.place.reread(await self.place.session.ready(), row)
        self.place.after_write()
        read_conflicting(self.place, row, result)

    async def _plan(self) -> None:
        rows, left_out = self._marked_rows()
        if not rows:
            self.place.say(f"None of them can be merged: {left_out}", "warn")
            return
        self.place.session.asks()
        if why := await self.place.desk.merging.plan(rows, self.place.known.space_title):
            self.place.say(why, "warn")
            return
        shown = self.place.rows.source.index_of
        hidden = sum(shown(row.id) is None for row in rows)
        self.place.rows.set_marks(())
        await self.place.desk.go("merge-run")
        there = self.place.desk.here
        if there is not None and (left_out or hidden):
            said = plural(len(rows), "request") + " queued"
            said += f", {hidden} of them hidden by the filter." if hidden else "."
            there.say(f"{said} Left out: {left_out}" if left_out else said, "warn")

    def _marked_rows(self) -> tuple[list[ChangeRow], str]:
        """Return the marked rows that can be queued, and what to say of the others."""
        rows, others = [], []
        for row in self.place.rows.marked_rows():
            if row.status == "open":
                rows.append(row)
            else:
                others.append(f"{row.label} is {row.status}")
        if len(others) > NAMED:
            others[NAMED:] = [f"{len(others) - NAMED} more are not open"]
        return rows, f"{listed(others)}." if others else ""
