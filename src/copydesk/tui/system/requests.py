"""What was sent to the service in the last minutes: for which screen, why, and what is left."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from copydesk.client.sent import KEPT_MINUTES
from copydesk.domain.text import plural
from copydesk.present.requests import WHY, WHY_TOLD, SentRow, budget_line, sent_rows
from copydesk.session.session import Session
from copydesk.tui.dialogs.dialog import ScrollingSheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList


class Requests(ScrollingSheet[None], scope="requests"):
    """Lists what was sent, by screen and reason, the latest first."""

    ASKS = False

    def __init__(self, session: Session) -> None:
        super().__init__(f"Requests of the last {KEPT_MINUTES} minutes   q back")
        self._session = session
        self._source: ListSource[SentRow] = ListSource(self._rows(), key=lambda row: row.id)
        self._stop = session.watch(self._changed)

    def _rows(self) -> list[SentRow]:
        api = self._session.api
        since = self._session.clock().timestamp() - 60 * KEPT_MINUTES
        return [] if api is None else sent_rows(api.tally, since)

    def body(self) -> ComposeResult:
        self.add_class("help")
        yield Static(self.paint(self._budget()), id="requests-budget")
        yield VirtualList(self._source, self._columns(), empty="Nothing was sent.")
        yield Static(self.paint(Text(WHY_TOLD, "muted")))

    def _columns(self) -> list[Column[SentRow]]:
        def at(row: SentRow) -> str:
            return f"{datetime.fromtimestamp(row.last, UTC).astimezone():%H:%M:%S}"

        def answers(row: SentRow) -> Text:
            return Text(row.answers, style="warn" if row.bad else "")

        return [
            Column("screen", "SCREEN", lambda row: row.asker.screen or "copydesk", width=13),
            Column("why", "WHY", lambda row: WHY[row.asker.why], width=6),
            Column("name", "REQUEST", lambda row: row.name, flex=1, minimum=30),
            Column("count", "N", lambda row: f"{row.count:,}", width=4, align="right"),
            Column("last", "LAST", at, width=8, drop=1),
            Column("took", "TOOK", lambda row: f"{row.seconds / row.count * 1000:,.0f} ms", width=8,
                   align="right", drop=1),
            Column("answers", "ANSWERS", answers, width=12),
        ]  # fmt: skip

    def _budget(self) -> Text:
        budget, rows = self._session.budget, self._rows()
        bad = sum(row.bad for row in rows)
        sent = plural(sum(row.count for row in rows), "request")
        said = f"{sent} sent{f', {bad:,} without success' if bad else ''}. "
        if budget is None:
            return Text(said)
        left = budget_line(budget, self._session.clock())
        return Text.assemble(said, (left, "warn" if self._session.slow else ""))

    def _changed(self) -> None:
        if self.is_attached and self.query(VirtualList):
            self._source.set(self._rows())
            self.query_one("#requests-budget", Static).update(self.paint(self._budget()))

    def on_unmount(self) -> None:
        self._stop()

    @action("q", "back", show=False)
    def back(self) -> None:
        """Close the list."""
        self.dismiss(None)
