"""The marked change requests: which they are, and doing the same to all of them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, cast

from copydesk.domain.text import plural
from copydesk.session.change_rows import ChangeRow
from copydesk.session.writes.bulk import Bulk, BulkItem, BulkRun
from copydesk.tui.changes.guards import first_reason
from copydesk.tui.changes.rows import ChangesRows
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.tui.changes.screen import ChangesPlace
    from copydesk.tui.framework.place import Place


class ChangesBulk(ChangesRows):
    """Marks hold in every view; what is done to the marked ones is shown before and after."""

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        """Show what actions are for now."""
        self.frame_soon()

    def put(self, row: ChangeRow) -> None:
        """Show a row as it is now; a marked one that is gone is unmarked, and that is said."""
        super().put(row)
        if row.id not in self.rows.marks:
            return
        if row.status == "gone":
            self.rows.set_marks(self.rows.marks - {row.id})
            self.say(f"{row.label} was marked and is gone: it is not marked any more.", "warn")
        else:
            self.rows.set_marks(self.rows.marks, {row.id: row})

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
                (first_reason(cast("ChangesPlace", self), row, bulk.unless) or "").removeprefix(
                    f"{row.label} "
                ),
                where=self.space_title(row.space) if several else "",
            )
            for row in rows.values()
        ]
        run = BulkRun(
            bulk.verb,
            items,
            lambda item: bulk.send(rows[item.id], group),
            lambda: self._ended(bulk, run),
        )
        sheet = BulkSheet(run, warning=bulk.warning)
        await self.desk.push_screen_wait(sheet)
        if run.running:
            waiting = run.count("waiting") + run.count("sending")
            self.tell(f"{bulk.verb}: {plural(waiting, 'request')} to go; @ shows each.")

    def _ended(self, bulk: Bulk, run: BulkRun) -> None:
        """Say what came of it, and unmark what was done."""
        bulk.ended(run.count("failed") > 0)
        done = {item.id for item in run.items if item.state in ("done", "queued")}
        if self.is_attached:
            self.rows.set_marks(self.rows.marks - done)
            self.after_write()
        front: Place = self.desk.here or self
        front.say(run.result, "bad" if run.count("failed") else "good")
