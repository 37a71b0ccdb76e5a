"""What is wrong with something that was written in an editor, and back into the editor."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from copydesk.tui.dialogs.dialog import Fact, ScrollingSheet, fact_lines
from copydesk.tui.framework.actions import action


class ProblemsSheet(ScrollingSheet[bool], scope="problems_sheet"):
    """What is wrong, each with where it is. The result is True to edit again, else None."""

    def __init__(self, title: str, facts: Sequence[Fact]) -> None:
        super().__init__(title)
        self._facts = facts

    def body(self) -> ComposeResult:
        with VerticalScroll(classes="facts", can_focus=False):
            yield Static(self.paint(fact_lines(self._facts)))
        kept = Text("Nothing was sent; what you wrote is kept.", style="muted")
        yield Static(self.paint(kept), classes="warning")
        keys = Text.assemble(("e", "accent"), " edit again   ", ("esc", "accent"), " later")
        yield Label(self.paint(keys), classes="keys")

    @action("e", "edit again")
    def again(self) -> None:
        """Open the editor again, with the text as it is."""
        self.dismiss(True)
