"""A program that says what each pressed key is called, as ``[keys]`` of the settings takes it."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from copydesk.domain.keymap import no_key
from copydesk.tui.framework.actions import declared_name
from copydesk.tui.framework.inside_textual import read_as_ours

ENDS = ("ctrl+c", "escape escape")
"""What ends it: a key, or two in a row."""


class KeyNames(App[None]):
    """Name each key, as it is reported to the screens, until ctrl+c or esc twice.

    ``names`` are those that were pressed before.
    """

    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__(ansi_color=True)
        read_as_ours()
        self.names: list[str] = []

    def compose(self) -> ComposeResult:
        """What to do, and below it the names, the newest first."""
        yield Static("Press a key, to see its name for [keys]. ctrl+c or esc twice ends.\n",
                     markup=False)  # fmt: skip
        yield Static(id="names")

    async def on_event(self, event: events.Event) -> None:
        """Take every key, also those that a program of Textual has a meaning for."""
        if not isinstance(event, events.Key):
            await super().on_event(event)
            return
        name = declared_name(event.key)
        if name in ENDS or " ".join([*self.names[-1:], name]) in ENDS:
            self.exit()
            return
        self.names.append(name)
        lines = (no_key((each,)) or each for each in reversed(self.names))
        self.query_one("#names", Static).update(Content("\n".join(lines)))
