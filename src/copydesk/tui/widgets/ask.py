"""A sheet that asks for one line: a title, a path, a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Label

from copydesk.tui.actions import action
from copydesk.tui.widgets.prompt import Field
from copydesk.tui.widgets.sheet import Sheet

KEYS = Text.assemble(("enter", "accent"), " take   ", ("esc", "accent"), " cancel")


class AskInput(Field, scope="ask_input"):
    """The field of an `Ask`."""

    @action("escape", "cancel", show=False)
    def cancel_ask(self) -> None:
        """Leave it as it was."""
        cast("Ask", self.screen).dismiss(None)


class Ask(Sheet[str]):
    """Ask for a line of text. The result is the line, or None.

    ``check`` takes the text and returns None, or what is wrong with it as a sentence. Enter takes
    the text: use it only for what can be undone, or ask again with `Confirm` afterwards.
    """

    def __init__(
        self,
        title: str,
        label: str,
        *,
        value: str = "",
        check: Callable[[str], str | None] = lambda text: None,
    ) -> None:
        super().__init__(title)
        self._label = label
        self._value = value
        self._check = check

    def body(self) -> ComposeResult:
        """The question, the field and the keys."""
        yield Label(self._label, markup=False)
        yield AskInput(self._value, compact=True)
        yield Label(self.paint(KEYS), classes="keys", id="ask-keys")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong while it is typed."""
        event.stop()
        wrong = self._check(event.value.strip())
        said = KEYS if wrong is None else Text(wrong, style="warn")
        self.query_one("#ask-keys", Label).update(self.paint(said))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it if nothing is wrong."""
        event.stop()
        text = event.value.strip()
        if self._check(text) is None:
            self.dismiss(text)
