"""A line to type into: the field of dialogs, and the prompt at the bottom of a place."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Label

from copydesk.domain.text import typed
from copydesk.tui.framework.actions import Acts, action


class LineField(Acts, Input):
    """A line of text whose owner declares keys for it; letters stay letters.

    However a text comes into it, only what may be drawn does (`copydesk.domain.text.typed`).
    """

    TYPES_TEXT = True

    def validate_value(self, value: str) -> str:
        """Take of a text what may be drawn."""
        return typed(value)

    def on_paste(self, event: events.Paste) -> None:
        """Take a pasted text of several lines as one line: the field would take the first alone."""
        if len(lines := event.text.splitlines()) > 1:
            event.text = " ".join(said for line in lines if (said := line.strip()))

    def replace(self, text: str, start: int, end: int) -> None:
        """Put a text where another stands; the cursor is behind what of it may be drawn."""
        before = self.value[: max(0, min(start, end))]
        both = typed(before + text)  # what joins signs is judged by the sign before it
        kept = both[len(before) :] if both.startswith(before) else typed(text)
        super().replace(kept, start, end)


class PromptInput(LineField, scope="prompt"):
    """The field of a `Prompt`."""

    @action("enter", "take", word="enter", show=40, now=lambda field: field.prompt.ENTER)
    def take(self) -> None:
        """Do what the line says."""
        self.prompt.submitted(self.value)

    @action("escape", "close", word="back", show=39, now=lambda field: field.prompt.ESCAPE)
    def close(self) -> None:
        """Close the line without effect."""
        self.prompt.cancelled()

    @action("tab", "complete", show=38, now=lambda field: field.prompt.TAB)
    def complete(self) -> None:
        """Complete the word."""
        self.prompt.complete()

    @action("up", "earlier", word="up", show=37, now=lambda field: field.prompt.UP)
    def earlier(self) -> None:
        """Bring back an earlier entry."""
        self.prompt.recall(-1)

    @action("down", "later", word="down", show=False)
    def later(self) -> None:
        """Go to a later entry."""
        self.prompt.recall(1)

    @property
    def prompt(self) -> Prompt:
        """The line that it is the field of."""
        parent = self.parent
        assert isinstance(parent, Prompt)
        return parent


class Prompt(Horizontal):
    """A line with a sign in front. Subclasses say what happens while and after typing.

    `ENTER`, `ESCAPE`, `TAB` and `UP` are what the footer says that these keys do; "" says nothing.
    """

    ENTER, ESCAPE, TAB, UP = "go", "close", "complete", "earlier"

    def __init__(self, sign: str, value: str = "", placeholder: str = "") -> None:
        super().__init__(classes="prompt")
        self.sign = sign
        self.input = PromptInput(value, placeholder=placeholder, compact=True)
        self._return_to: Any = None

    def compose(self) -> ComposeResult:
        """The sign and the field."""
        yield Label(self.sign, markup=False)
        yield self.input

    def on_mount(self) -> None:
        """Remember where the focus was."""
        self._return_to = self.screen.focused

    def close(self) -> None:
        """Remove the line and give the focus back."""
        if self._return_to is not None and self._return_to.is_attached:
            # At once: the key that comes next is not for this line any more.
            self.screen.set_focus(self._return_to)
        self.remove()

    def changed(self, text: str) -> None:
        """Hear every change."""

    def submitted(self, text: str) -> None:
        """Hear Enter; closes the line."""
        self.close()

    def cancelled(self) -> None:
        """Hear Esc; closes the line."""
        self.close()

    def complete(self) -> None:
        """Hear Tab."""

    def recall(self, by: int) -> None:
        """Hear up (-1) and down (1)."""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass changes on."""
        event.stop()
        self.changed(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Pass Enter on."""
        event.stop()
        self.submitted(event.value)
