"""What this program did: every write of this run, its long messages, and the requests it sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from copydesk.client.calls import KEPT_MINUTES
from copydesk.domain.text import clean, plural
from copydesk.present.facts import hint
from copydesk.present.markdown import Line, wrap_exact
from copydesk.present.sent_requests import WHY, WHY_TOLD, SentRow, budget_line, sent_rows
from copydesk.session.errors import UNKNOWN
from copydesk.session.session import Session
from copydesk.session.writes.log import LogEntry, WriteError
from copydesk.tui.dialogs.dialog import ScrollingSheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import desk_of
from copydesk.tui.framework.pane import offered
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.tui.framework.desk_app import DeskApp

TONES = {
    "done": "good", "failed": "bad", "unknown": "warn", "sending": "warn", "undone": "muted",
    "replaced": "muted", "said": "muted", "waiting": "warn", "recalled": "muted",
    "queued": "warn", "dropped": "muted", "running": "warn", "not done": "bad",
}  # fmt: skip


def not_failed(sheet: Activity) -> str | None:
    """Say so when the selected write neither failed nor is unknown."""
    line = sheet.selected
    failed = line is not None and line.state in ("failed", "unknown", "queued")
    return None if failed else "Only a write that failed, waits or is unknown can be sent again."


def not_running(sheet: Activity) -> str | None:
    """Say so when the selected line is of no program that runs."""
    line = sheet.selected
    return None if line is not None and line.stop is not None else "Only a command that runs ends."


async def confirm_again(app: DeskApp, line: LogEntry) -> bool:
    """Ask whether to send a write of this run that may have arrived."""
    from copydesk.tui.system.outbox import confirm_resend

    return await confirm_resend(
        app,
        line.what,
        line.target,
        f"{UNKNOWN}: an earlier try at {line.at.astimezone():%H:%M} had no answer.",
        hint("Look first whether it is there: R reads the screen again.", ""),
    )


def nothing_said(sheet: Activity) -> str | None:
    """Say so when there is no text to go to."""
    return None if sheet.query_one(MessageList).display else "This entry has no more text."


class MessageList(WrappedList, scope="said"):
    """One text as it was said, folded at blanks; a long one is moved through line by line."""

    said = ""

    @property
    def rows(self) -> int:
        return 1 if self.said else 0

    def draw(self, row: int, width: int) -> list[Line]:
        text = clean(self.said, lines=True)
        return [
            [(" ", ""), *line]
            for part in text.split("\n")
            for line in wrap_exact([(part, "")], max(8, width - 2))
        ]

    def tint(self, row: int) -> str:
        """There is nothing to choose from: no cursor is lit."""
        return ""

    def stops(self, row: int) -> bool:
        """There is nothing to choose from."""
        return False


class Activity(ScrollingSheet[None], scope="activity"):
    """Lists the writes and the long messages, newest first; ``r`` sends a failed write again.

    ``X`` stops a command that runs. What was said of the line under the cursor is below, in full.
    """

    def __init__(self, session: Session) -> None:
        super().__init__("Log   r retry   X stop   tab to the text   esc back")
        self._session = session
        self._source: ListSource[LogEntry] = ListSource(self._lines(), key=lambda line: line.id)
        self._stop = session.watch(self._changed)

    def _lines(self) -> list[LogEntry]:
        """Return the writes, newest first."""
        session = self._session
        both = [*session.messages, *session.log]
        return sorted(both, key=lambda line: (line.at, line.number), reverse=True)

    @property
    def selected(self) -> LogEntry | None:
        """The write under the cursor."""
        return self.query_one(VirtualList).selected

    def body(self) -> ComposeResult:
        self.add_class("help")
        self._box.entitle(offered(self, self.heading))
        yield VirtualList(
            self._source,
            self._columns(),
            empty="Nothing was written in this run.",
        )
        yield MessageList(id="activity-said")

    def on_mount(self) -> None:
        """Show what has changed since the log was asked for."""
        self._changed()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        self._tell()

    def _tell(self) -> None:
        line = self.selected
        text = self.query_one(MessageList)
        said = "" if line is None else offered(text, line.message)
        text.display = bool(said)
        if text.said != said:
            text.said = said
            text.changed(top=True)
        if not said and text.has_focus:
            self.query_one(VirtualList).focus()

    def _columns(self) -> list[Column[LogEntry]]:
        """Return the columns; what went wrong has room only where something did."""
        said: list[Column[LogEntry]] = [
            Column("said", "", lambda line: clean(line.message), flex=2, drop=1)
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
            *(said if any(line.message for line in self._lines()) else []),
            Column("request", "CALL ID", lambda line: clean(line.request_id), width=12, drop=2),
        ]

    def _changed(self) -> None:
        if not self.query(VirtualList) or not self.query(MessageList):
            return  # a write may end before the log is composed, and while it closes
        rows = self.query_one(VirtualList)
        rows.columns = tuple(self._columns())
        rows.refresh_rows()
        self._source.set(self._lines())
        self._tell()

    def on_unmount(self) -> None:
        self._stop()

    @action("r", "retry", unless=not_failed)
    async def retry(self) -> None:
        """Send the failed write again. Of one that may have arrived, read or ask first."""
        line, app = self.selected, desk_of(self)
        if line is None:
            return
        if line.entry is not None and self._session.outbox.keeps(line):
            from copydesk.tui.system.outbox import send_waiting

            await send_waiting(app, line.entry.id)
            return
        try:
            if line.state == "unknown" and line.look is not None:
                # What was found to have happened is not sent again.
                await self._find_out(line)
            elif line.state == "unknown" and not await confirm_again(app, line):
                return
            await self._session.writes.retry(line)
        except WriteError:
            self.app.bell()

    @action("X", "stop", unless=not_running)
    def stop(self) -> None:
        """Stop a command of one's own that is running, with all that it started."""
        line = self.selected
        if line is not None and line.stop is not None:
            line.stop()

    async def _find_out(self, line: LogEntry) -> None:
        """Read whether it happened. Raises `WriteError` when that is still not known."""
        try:
            await self._session.writes.find_out(line)
        except WriteError as error:
            if error.unknown:
                raise

    @action("tab", "list or text", word="next_pane", unless=nothing_said, show=False)
    def other_pane(self) -> None:
        """Go to the text below, or back to the list."""
        text = self.query_one(MessageList)
        (self.query_one(VirtualList) if text.has_focus else text).focus()

    @action("q", "back", word="leave", show=False)
    def back(self) -> None:
        """Close the log."""
        self.dismiss(None)


class RequestLog(ScrollingSheet[None], scope="requests"):
    """Lists the requests sent, by screen and reason, the latest first."""

    ASKS = False

    def __init__(self, session: Session) -> None:
        super().__init__(f"Calls of the last {KEPT_MINUTES} minutes   q back")
        self._session = session
        self._source: ListSource[SentRow] = ListSource(self._rows(), key=lambda row: row.id)
        self._stop = session.watch(self._changed)

    def _rows(self) -> list[SentRow]:
        api = self._session.api
        since = self._session.clock().timestamp() - 60 * KEPT_MINUTES
        return [] if api is None else sent_rows(api.tally, since)

    def body(self) -> ComposeResult:
        self.add_class("help")
        self._box.entitle(offered(self, self.heading))
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
            Column("name", "CALL", lambda row: row.name, flex=1, minimum=30),
            Column("count", "N", lambda row: f"{row.count:,}", width=4, align="right"),
            Column("last", "LAST", at, width=8, drop=1),
            Column("took", "TOOK", lambda row: f"{row.seconds / row.count * 1000:,.0f} ms", width=8,
                   align="right", drop=1),
            Column("answers", "ANSWERS", answers, width=12),
        ]  # fmt: skip

    def _budget(self) -> Text:
        budget, rows = self._session.budget, self._rows()
        bad = sum(row.bad for row in rows)
        sent = plural(sum(row.count for row in rows), "call")
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

    @action("q", "back", word="leave", show=False)
    def back(self) -> None:
        """Close the list."""
        self.dismiss(None)
