"""A field of a form that takes one of a few values, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from copydesk.tui.framework.actions import Acts, action
from copydesk.tui.framework.workers import begin

if TYPE_CHECKING:
    from copydesk.session.options import Option
    from copydesk.tui.dialogs.form import Form

QUIET = ("", "null")
"""The ids that are no value: what was not said, and null. They are drawn apart from values."""


class FormChoice(Acts, Widget, scope="form_choice", can_focus=True):
    """One of the options, shown between arrows: ``< admin >``.

    ``value`` is the id of the option; left, right and Space go through them, a letter jumps to the
    next that begins with it, ctrl+o opens the list. With ``value`` "" where there is no such
    option, nothing is chosen yet.
    """

    TYPES_TEXT = True
    DEFAULT_CSS = "FormChoice { height: 1; width: 1fr; padding: 0 1; }"

    value: reactive[str] = reactive("", layout=False)

    class Changed(Message):
        """Another option was chosen."""

        def __init__(self, field: FormChoice) -> None:
            super().__init__()
            self.field = field

    def __init__(self, options: Sequence[Option], value: str) -> None:
        super().__init__()
        self.options = options
        ids = [option.id for option in options]
        self.set_reactive(FormChoice.value, value if value in ids else "")

    @property
    def said(self) -> str:
        """The id of what is chosen."""
        return self.value

    def put(self, text: str) -> None:
        """Choose an option by its id."""
        if any(option.id == text for option in self.options):
            self.value = text

    def watch_value(self, old: str, new: str) -> None:
        """Tell the form."""
        if old != new:
            self.post_message(self.Changed(self))

    def render(self) -> Content:
        """The option between arrows, its place among them, and its note."""
        at = self._at()
        if at is None:
            line = Text("choose with left and right", style="muted")
        else:
            option = self.options[at]
            line = Text(option.title, style="emphasis" if option.id in QUIET else "strong")
            if option.note:
                line.append(f"   {option.note}", style="muted")
        arrow = "accent" if self.has_focus else "muted"
        line = Text.assemble(("< ", arrow), line, (" >", arrow))
        if self.has_focus and at is not None:
            line.append(f"   {at + 1} of {len(self.options)}", style="muted")
        return Content.from_rich_text(line, console=self.app.console)

    def _at(self) -> int | None:
        ids = [option.id for option in self.options]
        return ids.index(self.value) if self.value in ids else None

    def _step(self, by: int) -> None:
        at = self._at()
        if at is None:
            at = -1 if by > 0 else 0
        self.value = self.options[(at + by) % len(self.options)].id

    async def _on_key(self, event: events.Key) -> None:
        """Jump to the next option that begins with a letter; the other keys are declared below."""
        letter = event.character
        if letter is None or not letter.isalnum():
            return
        event.stop()
        event.prevent_default()
        start = (self._at() or 0) + 1 if self._at() is not None else 0
        after = [*self.options[start:], *self.options[:start]]
        for option in after:
            if option.title.casefold().startswith(letter.casefold()):
                self.value = option.id
                return

    async def _on_click(self, event: events.Click) -> None:
        """Open the list."""
        event.stop()
        self.focus()
        begin(self.screen, cast("Form", self.screen).choose_for, self)

    @action("right", "next value", show=False, also=("space",))
    def next_value(self) -> None:
        """Take the next value; after the last comes the first."""
        self._step(1)

    @action("left", "previous value", show=False)
    def previous_value(self) -> None:
        """Take the previous value."""
        self._step(-1)

    @action("ctrl+o", "choose", show=False)
    async def choose(self) -> None:
        """Choose the value from a list."""
        await cast("Form", self.screen).choose_for(self)

    @action("escape", "cancel", show=False)
    def cancel_form(self) -> None:
        """Leave the form; what was typed is kept."""
        cast("Form", self.screen).leave()

    @action("tab", "next field", show=False, also=("down",))
    def next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()

    @action("enter", "next field", show=False)
    def enter(self) -> None:
        """Go to the next field; in the last one say which key sends them."""
        cast("Form", self.screen).enter(self)

    @action("shift+tab", "previous field", show=False, also=("up",))
    def previous_field(self) -> None:
        """Go to the previous field."""
        self.screen.focus_previous()
