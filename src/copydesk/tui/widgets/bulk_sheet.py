"""The sheet of a bulk action: all that it is done to, then ``y``, then what came of each."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from copydesk.tui.actions import action
from copydesk.tui.bulk import BulkItem, BulkRun
from copydesk.tui.glyphs import glyphs
from copydesk.tui.widgets.sheet import ScrollingSheet

SUBJECT_CELLS = 36
"""How much of a subject is shown: what came of it stands beside it."""


def _fitted(text: str, cells: int) -> str:
    """Return a text in exactly so many cells."""
    if cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return set_cell_size(text, cells - 1) + glyphs().more


def has_begun(sheet: BulkSheet) -> str | None:
    """Say so when the question has been answered, or when there is nothing to do."""
    if sheet.run.begun:
        return "It has begun."
    return None if sheet.run.count("waiting") else "None of them allows it."


def nothing_failed(sheet: BulkSheet) -> str | None:
    """Say so when there is nothing to send again."""
    if sheet.run.running:
        return "It is still going on."
    return None if sheet.run.count("failed") else "Nothing has failed."


class BulkSheet(ScrollingSheet[None], scope="bulk"):
    """Level 2. Leaving it while it goes on stops nothing: every write is under ``@``."""

    DANGER = 2

    def __init__(self, run: BulkRun, *, warning: str = "") -> None:
        super().__init__(run.plan)
        self.run = run
        self._warning = warning
        self._labels = max((len(item.label) for item in run.items), default=0)
        longest = max((cell_len(item.subject) for item in run.items), default=0)
        self._subjects = min(longest, SUBJECT_CELLS)
        self._unwatch: Callable[[], None] = lambda: None

    def body(self) -> ComposeResult:
        """The list, the warning and the keys."""
        self.add_class("wide")
        with VerticalScroll(classes="facts", can_focus=False):
            yield Static(self._list(), id="bulk-items")
        if self._warning:
            yield Static(self.paint(Text(self._warning, style="warn")), classes="warning")
        yield Label(self._keys(), classes="keys", id="bulk-keys")

    def on_mount(self) -> None:
        """Follow the run."""
        self._unwatch = self.run.watch(self._show)

    def on_unmount(self) -> None:
        """Stop following it; it goes on by itself."""
        self._unwatch()

    def cancel(self) -> None:
        """Leave the sheet; what has begun goes on."""
        self._unwatch()
        self._unwatch = lambda: None
        super().cancel()

    def _list(self) -> Content:
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
        signs = glyphs()
        off = item.state == "skipped"
        line = Text()
        line.append(f"{item.label:<{self._labels}} ", style="muted")
        line.append(_fitted(item.subject, self._subjects), style="muted" if off else "")
        if item.state == "skipped":
            line.append(f"   skipped: {item.why}", style="muted")
        elif item.state == "sending":
            line.append(f"   {signs.more}", style="accent")
        elif item.state == "done":
            line.append(f"   {signs.passed} done", style="good")
        elif item.state == "failed":
            line.append(f"   {signs.failed} failed: {item.said}", style="bad")
        return line

    def _keys(self, said: str = "") -> Content:
        run = self.run
        keys = Text(f"{said}  " if said else "", style="warn")
        if not run.begun:
            if run.count("waiting"):
                keys.append_text(Text.assemble(("y", "accent"), f" {run.verb.lower()}   "))
            keys.append_text(Text.assemble(("esc", "accent"), " not now"))
        elif run.running:
            done = len(run.items) - run.count("waiting") - run.count("sending")
            keys.append(f"{done} of {len(run.items)}   ")
            keys.append_text(Text.assemble(("esc", "accent"), " leaves it going on, @ shows it"))
        else:
            keys.append(f"{run.result}   ", style="bad" if run.count("failed") else "good")
            if run.count("failed"):
                keys.append_text(Text.assemble(("r", "accent"), " the failed ones again   "))
            keys.append_text(Text.assemble(("esc", "accent"), " close"))
        return self.paint(keys)

    def _show(self, said: str = "") -> None:
        if self.is_attached:
            self.query_one("#bulk-items", Static).update(self._list())
            self.query_one("#bulk-keys", Label).update(self._keys(said))

    @action("y", "do it", unless=has_begun, danger=2)
    def begin(self) -> None:
        """Do it to each, one by one."""
        self.run.start()
        self._show()

    @action("r", "the failed ones again", unless=nothing_failed)
    def again(self) -> None:
        """Send again to those that failed, and to no other."""
        self.run.retry()
        self._show()

    @action("enter", "confirms nothing", show=False)
    def enter(self) -> None:
        """Say that Enter confirms nothing here."""
        self._show("Enter confirms nothing.")
