"""The activity log: every write of this run, what became of it, and another try."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.text import clean
from copydesk.tui.actions import action
from copydesk.tui.session import Session, WriteError, Written
from copydesk.tui.sources import ListSource
from copydesk.tui.widgets.sheet import ScrollingSheet
from copydesk.tui.widgets.virtual_list import Column, VirtualList

TONES = {"done": "good", "failed": "bad", "sending": "warn", "undone": "muted"}


def not_failed(sheet: Activity) -> str | None:
    """Say so when the selected write did not fail."""
    line = sheet.selected
    failed = line is not None and line.state == "failed"
    return None if failed else "Only a failed write can be sent again."


class Activity(ScrollingSheet[None], scope="activity"):
    """Lists the writes, newest first; ``r`` sends a failed one again."""

    def __init__(self, session: Session) -> None:
        super().__init__("Activity   r retry   esc back")
        self._session = session
        self._source: ListSource[Written] = ListSource(
            reversed(session.log), key=lambda line: line.id
        )
        self._stop = session.watch(self._changed)

    @property
    def selected(self) -> Written | None:
        """The write under the cursor."""
        return self.query_one(VirtualList).selected

    def body(self) -> ComposeResult:
        """The list."""
        self.add_class("help")
        yield VirtualList(
            self._source,
            self._columns(),
            empty="Nothing was written in this run.",
        )

    def _columns(self) -> list[Column[Written]]:
        """Return the columns; what went wrong has room only where something did."""
        said: list[Column[Written]] = [
            Column("said", "", lambda line: clean(line.said), flex=2, drop=1)
        ]
        return [
            Column("at", "TIME", lambda line: f"{line.at.astimezone():%H:%M:%S}", width=8),
            Column("what", "WHAT", lambda line: line.what, width=18),
            Column("target", "TARGET", lambda line: clean(line.target), flex=1, minimum=28),
            Column(
                "state",
                "STATE",
                lambda line: Text(line.state, style=TONES.get(line.state, "")),
                width=8,
            ),
            *(said if any(line.said for line in self._session.log) else []),
            Column("request", "REQUEST", lambda line: clean(line.request_id), width=12, drop=2),
        ]

    def _changed(self) -> None:
        if self.is_attached:
            rows = self.query_one(VirtualList)
            rows.columns = tuple(self._columns())
            rows.refresh_rows()
            self._source.set(reversed(self._session.log))

    def on_unmount(self) -> None:
        """Stop listening."""
        self._stop()

    @action("r", "retry", unless=not_failed)
    async def retry(self) -> None:
        """Send the failed write again."""
        line = self.selected
        if line is None:
            return
        try:
            await self._session.retry(line)
        except WriteError:
            self.app.bell()

    @action("q", "back", show=False)
    def back(self) -> None:
        """Close the log."""
        self.dismiss(None)
