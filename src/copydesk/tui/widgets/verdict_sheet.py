"""The sheet of a verdict: like any other writing, but a verdict needs no words."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label, Static

from copydesk.tui.actions import action
from copydesk.tui.widgets.composer import Composer, WriteSheet
from copydesk.tui.widgets.sheet import Fact, fact_lines


class VerdictComposer(Composer, scope="verdict_composer"):
    """A field that may be sent empty."""

    @action("ctrl+s", "send", danger=1, override=True)
    def send(self) -> None:
        """Send the verdict, with what was written or without a word."""
        self.keep()
        self.post_message(self.Sent(self, self.text.strip()))


class VerdictSheet(WriteSheet, scope="verdict_sheet"):
    """Level 1: ctrl+s gives the verdict. The result is what was written (maybe ""), or None."""

    def __init__(self, title: str, draft_key: str, *, facts: tuple[Fact, ...] = ()) -> None:
        super().__init__(title, draft_key, facts=facts)
        self.composer = VerdictComposer(draft_key)

    def body(self) -> ComposeResult:
        """What it is about, the field, and the keys."""
        self.add_class("write")
        yield Static(self.paint(fact_lines(self._facts)), classes="facts")
        yield self.composer
        self._preview.display = False
        yield self._preview
        keys = Text.assemble(
            ("ctrl+s", "accent"),
            " gives it, with a comment or without   ",
            ("esc", "accent"),
            " cancel",
        )
        yield Label(self.paint(keys), classes="keys")
