"""The sheet of a bulk action: all that it is done to, then ``y``, then what came of each."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Label, Static

from copydesk.present.facts import hint
from copydesk.session.glyphs import glyphs
from copydesk.session.session import Session
from copydesk.session.writes.bulk import BulkItem, BulkRun
from copydesk.tui.dialogs.dialog import ScrollingSheet, scrolled
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import desk_of

SUBJECT_CELLS = 24
"""So much of a subject is shown at least: what came of it stands beside it."""

WHERE_CELLS = 16
"""So much is shown at most of where a thing is."""

SHEET_CELLS = 100
"""How wide such a sheet gets (``.wide`` in the style sheet)."""

TICK_SECONDS = 0.5
"""How often the seconds that are left are counted."""

NOT_BEGUN = "Nothing has been sent: there is nothing to recall."

FRAME_CELLS = 10
"""What the frame of a sheet, its padding and a scroll bar take of the width of the terminal."""


def _fitted(text: str, cells: int) -> str:
    """Return a text in exactly so many cells."""
    if cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return set_cell_size(text, cells - 1) + glyphs().more


def _outcome(item: BulkItem) -> tuple[str, str]:
    """Return what stands behind a thing, and its tone."""
    signs = glyphs()
    match item.state:
        case "skipped":
            return f"   skipped: {item.why}", "muted"
        case "sending":
            return f"   {signs.more}", "accent"
        case "done":
            return f"   {signs.passed} done", "good"
        case "failed":
            return f"   {signs.failed} failed: {item.message}", "bad"
    return "", ""


def has_begun(sheet: BulkSheet) -> str | None:
    """Say so when the question has been answered, or when there is nothing to do."""
    if sheet.run.begun:
        return "Sending has begun."
    return None if sheet.run.count("waiting") else "None of them allows it."


def nothing_failed(sheet: BulkSheet) -> str | None:
    """Say so when there is nothing to send again."""
    if sheet.run.running:
        return "Sending still goes on."
    if sheet.run.retryable:
        return None
    if sheet.run.count("failed"):
        return "They may have arrived: @ shows them, and r there checks."
    return "Nothing has failed."


def nothing_back(sheet: BulkSheet) -> str | None:
    """Say so when nothing can be recalled or undone: it goes on, or it is asked about first."""
    if sheet.session is not None and sheet.session.writes.waits:
        return None
    if sheet.run.begun and not sheet.run.running:
        return None if sheet.run.count("done") else "Nothing was done."
    return "Being sent: it can no longer be recalled." if sheet.run.begun else NOT_BEGUN


class BulkSheet(ScrollingSheet[None], scope="bulk"):
    """Level 2. Leaving it while it goes on stops nothing: every write is under ``@``.

    With a ``session`` it is the end of another sheet, which asked already: it begins at once (level
    1), all can be recalled while the first waits, and it closes once all has arrived.
    """

    DANGER = 2

    def __init__(self, run: BulkRun, *, warning: str = "", session: Session | None = None) -> None:
        super().__init__(run.plan)
        self.run = run
        self.session = session
        if session is not None:
            self.DANGER = 1
        self.recalled = False
        self._over = False
        self._warning = warning
        self._labels = max((len(item.label) for item in run.items), default=0)
        self._longest = max((cell_len(item.subject) for item in run.items), default=0)
        where = max((cell_len(item.where) for item in run.items), default=0)
        self._where = min(where, WHERE_CELLS)
        self._subjects = self._longest
        self._unwatch: Callable[[], None] = lambda: None
        self._unwatch_session: Callable[[], None] = lambda: None

    def body(self) -> ComposeResult:
        self.add_class("wide")
        yield scrolled(Static(self._list(), id="bulk-items"))
        if self._warning:
            yield Static(self.paint(hint(self._warning, "warn")), classes="warning")
        yield Label(self._keys(), classes="keys", id="bulk-keys")

    def on_mount(self) -> None:
        self._unwatch = self.run.watch(self._show)
        if self.session is not None:
            self.run.start()
            self._unwatch_session = self.session.watch(self._show)
            if self.session.recall_seconds:
                self.set_interval(TICK_SECONDS, self._show)

    def on_unmount(self) -> None:
        """Stop following it; it goes on by itself."""
        self._unwatch()
        self._unwatch_session()

    def cancel(self) -> None:
        self._unwatch()
        self._unwatch = lambda: None
        super().cancel()

    def _fit(self) -> None:
        """Give subjects the room that labels and what came of each leave on this terminal."""
        beside = max((cell_len(_outcome(item)[0]) for item in self.run.items), default=0)
        where = self._where + 1 if self._where else 0
        width = min(self.app.size.width, SHEET_CELLS) - FRAME_CELLS
        room = width - self._labels - 1 - where - beside
        self._subjects = min(self._longest, max(SUBJECT_CELLS, room))

    def _list(self) -> Content:
        self._fit()
        text = Text()
        hidden = [item for item in self.run.items if item.hidden]
        shown = [item for item in self.run.items if not item.hidden]
        for title, items in ((f"Not shown in the list ({len(hidden)})", hidden), ("", shown)):
            if not items:
                continue
            if text:
                text.append("\n")
            if title:
                text.append(f"{title}\n", style="warn")
            elif hidden:
                text.append(f"Shown ({len(shown)})\n", style="muted")
            text.append_text(Text("\n").join(map(self._line, items)))
        return self.paint(text)

    def _line(self, item: BulkItem) -> Text:
        off = item.state == "skipped"
        line = Text()
        line.append(f"{item.label:<{self._labels}} ", style="muted")
        line.append(_fitted(item.subject, self._subjects), style="muted" if off else "")
        if self._where:
            line.append(f" {_fitted(item.where, self._where)}", style="muted")
        said, tone = _outcome(item)
        if self.session is not None and item.state == "waiting":
            said, tone = "   waits", "muted"
        return line.append_text(hint(said, tone))

    def _keys(self) -> Content:
        run, keys = self.run, Text()
        if self.session is not None and self.session.writes.waits:
            seconds = self.session.writes.waits[-1].seconds
            keys.append_text(
                Text.assemble(
                    (f"sent in {seconds} s{glyphs().more}   ", "warn"),
                    ("u", "accent"),
                    " recalls all of it   ",
                    ("esc", "accent"),
                    " leaves it going on",
                )
            )
        elif not run.begun:
            if run.count("waiting"):
                keys.append_text(Text.assemble(("y", "accent"), f" {run.verb.lower()}   "))
            keys.append_text(Text.assemble(("esc", "accent"), " not now"))
        elif run.running:
            done = len(run.items) - run.count("waiting") - run.count("sending")
            keys.append(f"{done} of {len(run.items)}   ")
            keys.append("esc", "accent").append_text(hint(" leaves it going on, @ shows it", ""))
        else:
            keys.append(f"{run.result}   ", style="bad" if run.count("failed") else "good")
            if run.retryable:
                keys.append_text(Text.assemble(("r", "accent"), " the failed ones again   "))
            keys.append_text(Text.assemble(("esc", "accent"), " close"))
        return self.paint(keys)

    def _show(self) -> None:
        if self._over or not self.is_attached:
            return
        self.query_one("#bulk-items", Static).update(self._list())
        self.query_one("#bulk-keys", Label).update(self._keys())
        run = self.run
        if self.session is None or run.running or not run.begun:
            return
        if self.recalled or not (run.count("failed") or run.count("waiting")):
            # Both the run and the session call this: what is below is not to be left too.
            self._over = True
            self.dismiss(None)

    @action("y", "do it", word="confirm", unless=has_begun, danger=2)
    def begin(self) -> None:
        """Do it to each, one by one."""
        self.run.start()
        self._show()

    @action("r", "the failed ones again", word="retry", unless=nothing_failed)
    def again(self) -> None:
        """Send again to the failed ones only."""
        self.run.retry()
        self._show()

    @action("u", "recall or undo", word="undo", unless=nothing_back)
    def recall(self) -> None:
        """Send nothing of it, and all of it stays as it was written; once it is over, undo it."""
        if self.session is not None and self.session.writes.waits:
            self.recalled = True
            self.session.writes.recall()
        elif not self.run.running:
            desk = desk_of(self)
            self.dismiss(None)
            desk.soon(desk.undo)
