"""What to do where a merge run has stopped: skip it and go on, try it again, or end the run."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from copydesk.domain.merge_run import MergeRun, RunItem
from copydesk.domain.text import plural
from copydesk.tui.dialogs.dialog import ScrollingSheet, fact_lines
from copydesk.tui.framework.actions import action


def is_live(sheet: StoppedSheet) -> str | None:
    """Say so when it is merged: then there is nothing to try again."""
    return "It is merged." if sheet.item.state == "done" else None


class StoppedSheet(ScrollingSheet[str], scope="stopped_sheet"):
    """Level 2: why it stopped and what follows. The result is "skip", "again", "end", or None."""

    DANGER = 2

    def __init__(self, run: MergeRun, item: RunItem) -> None:
        super().__init__(f"Stopped at {run.far}")
        self.item = item
        self._left = run.count("waiting")
        self._passed = item.at_news
        """Whether going on with it takes what it stopped at as seen."""

    def body(self) -> ComposeResult:
        """What it stopped at, what would follow, and the keys."""
        left = plural(self._left, "change request")
        follows = f"{left} wait{'s' if self._left == 1 else ''} behind it."
        facts: list[str | Text] = [
            Text(self.item.name, style="strong"),
            Text(self.item.said, style="bad"),
            "",
            f"{follows} Each goes live at once and cannot be undone here.",
        ]
        if self._passed:
            facts[2:2] = ["esc, then enter reads it; r takes it as read and merges it."]
        with VerticalScroll(classes="facts", can_focus=False):
            yield Static(self.paint(fact_lines(facts)))
        yield Label(self.paint(self._keys()), classes="keys", id="stopped-keys")

    def _keys(self, said: str = "") -> Text:
        live = self.item.state == "done"
        text = Text(f"{said}  " if said else "", style="warn")
        text.append("x", style="accent").append(" go on   " if live else " skip, go on   ")
        if not live:
            verb = " merge it all the same   " if self._passed else " try again   "
            text.append("r", style="accent").append(verb)
        text.append("X", style="accent").append(" end   ")
        return text.append("esc", style="accent").append(" leave it")

    @action("x", "skip it and go on", danger=2)
    def skip(self) -> None:
        """Pass over it and go on with the next."""
        self.dismiss("skip")

    @action("r", "try it again", unless=is_live, danger=2)
    def again(self) -> None:
        """Read it again, and merge it if nothing else is in the way; news it stopped at is read."""
        self.dismiss("again")

    @action("X", "end the run", danger=2)
    def end(self) -> None:
        """End the run here; what waits is left as it is."""
        self.dismiss("end")

    @action("enter", "confirms nothing", show=False)
    def enter(self) -> None:
        """Say that Enter confirms nothing here."""
        keys = self.query_one("#stopped-keys", Label)
        keys.update(self.paint(self._keys("Enter confirms nothing.")))

    @action("q", "leave it", show=False)
    def leave(self) -> None:
        """Leave it as it stands."""
        self.dismiss(None)
