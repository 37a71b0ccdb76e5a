"""What others changed while something was staged here, beside what is staged.

It asks before anything is sent. Nothing of theirs is overwritten unseen: where both sides changed
the same thing it shows what it was, what they made of it, and what would be made of it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from copydesk.tui.arrange.cells import others_lines
from copydesk.tui.dialogs.dialog import ScrollingSheet
from copydesk.tui.framework.actions import action

if TYPE_CHECKING:
    from copydesk.domain.arrangement import Rebased

Answer = Literal["ours", "theirs"]

WIDE = 104
"""From how many cells of the terminal on both lists stand beside each other."""

EDGES = 6
"""Cells that the frame of a sheet and what is around its text take."""


def no_clash(sheet: OthersSheet) -> str | None:
    """Say so when nothing was changed by both sides."""
    return None if sheet.rebased.clashes else "Nothing was changed by both sides."


def nothing_left(sheet: OthersSheet) -> str | None:
    """Say so when of what was staged nothing is left to be sent."""
    return None if sheet.ours else "Nothing is left to be sent."


class OthersSheet(ScrollingSheet[Answer], scope="others_sheet"):
    """Theirs beside ours. The result is "ours" (go on), "theirs" where both changed, or None."""

    DANGER = 2

    def __init__(
        self,
        title: str,
        rebased: Rebased[Any],
        ours: Sequence[str],
        facts: Sequence[str] = (),
        verb: str = "go on with ours",
    ) -> None:
        super().__init__(title)
        self._verb = verb
        self.rebased = rebased
        self.ours = ours
        """What is staged on top of theirs, a line for each request."""
        self._facts = facts

    def body(self) -> ComposeResult:
        """Both lists, what clashes, what no longer fits, and the keys."""
        with VerticalScroll(classes="facts", can_focus=False):
            yield Static(id="others-lines")
        yield Label(self._keys(), classes="keys", id="others-keys")

    def on_mount(self) -> None:
        """Show them."""
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Put both sides beside or below each other, as the room now is."""
        self._show()

    def _show(self) -> None:
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "wide")
        room = min(self.app.size.width, 100 if wide else 72) - EDGES
        lines = others_lines(self.rebased, self.ours, room, self.app.console, beside=wide)
        text = Text("\n").join([*lines, *map(Text, self._facts)])
        self.query_one("#others-lines", Static).update(self.paint(text))

    def _keys(self, said: str = "") -> Content:
        keys = Text(f"{said}  " if said else "", style="warn")
        if self.ours:
            keys.append("y", style="accent").append(f" {self._verb}   ")
        if self.rebased.clashes:
            keys.append("t", style="accent").append(" take theirs there   ")
        keys.append("esc", style="accent").append(" look first")
        return self.paint(keys)

    @action("y", "go on with ours", unless=nothing_left, danger=2)
    def go_on(self) -> None:
        """Go on with what is staged here on top of theirs: the plan is shown next."""
        self.dismiss("ours")

    @action("t", "take theirs", unless=no_clash, danger=2)
    def take_theirs(self) -> None:
        """Give up ours where they changed the same thing, and go on with the rest."""
        self.dismiss("theirs")

    @action("enter", "confirms nothing", show=False)
    def enter(self) -> None:
        """Say that Enter confirms nothing here."""
        self.query_one("#others-keys", Label).update(self._keys("Enter confirms nothing."))
