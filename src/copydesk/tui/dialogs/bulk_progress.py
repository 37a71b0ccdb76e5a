"""The sheet under which several things are sent as one: it shows what came of each.

It is the end of another sheet, which asked already. While the first can be recalled all can.
"""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.content import Content

from copydesk.session.glyphs import glyphs
from copydesk.session.session import Session
from copydesk.session.writes.bulk import BulkItem, BulkRun
from copydesk.tui.dialogs.bulk import BulkSheet
from copydesk.tui.framework.actions import action

TICK_SECONDS = 0.5
"""How often the seconds that are left are counted."""


def nothing_waits(sheet: SendingSheet) -> str | None:
    """Say so when it is too late to recall."""
    return None if sheet.session.waits else "It is being sent: it can no longer be recalled."


class SendingSheet(BulkSheet, scope="sending"):
    """Sends at once, closes by itself once all has arrived, and stays where something did not."""

    DANGER = 1

    def __init__(self, run: BulkRun, session: Session) -> None:
        super().__init__(run)
        self.session = session
        self.recalled = False
        self._over = False
        self._unwatch_session: Callable[[], None] = lambda: None

    def on_mount(self) -> None:
        self.run.start()
        self._unwatch_session = self.session.watch(self._show)
        if self.session.recall_seconds:
            self.set_interval(TICK_SECONDS, self._show)

    def on_unmount(self) -> None:
        """Stop looking at what waits."""
        self._unwatch_session()

    def _show(self, said: str = "") -> None:
        if self._over:
            return
        super()._show(said)
        run = self.run
        if not self.is_attached or run.running or not run.begun:
            return
        if self.recalled or not (run.count("failed") or run.count("waiting")):
            # Both the run and the session call this: what is below is not to be left too.
            self._over = True
            self.dismiss(None)

    def _line(self, item: BulkItem) -> Text:
        line = super()._line(item)
        if item.state == "waiting":
            line.append("   waits", style="muted")
        return line

    def _keys(self, said: str = "") -> Content:
        if not self.session.waits:
            return super()._keys(said)
        seconds = self.session.waits[-1].seconds
        return self.paint(
            Text.assemble(
                (f"{said}  " if said else "", "warn"),
                (f"sent in {seconds} s{glyphs().more}   ", "warn"),
                ("u", "accent"),
                " recalls all of it   ",
                ("esc", "accent"),
                " leaves it going on",
            )
        )

    @action("u", "recall", unless=nothing_waits)
    def recall(self) -> None:
        """Send nothing of it; all of it stays as it was written."""
        self.recalled = True
        self.session.recall()
