"""A field of several lines, which the composer and long fields of forms are."""

from __future__ import annotations

from typing import Any

from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from copydesk.domain.text import typed
from copydesk.tui.framework.actions import Acts


class TextField(Acts, TextArea):
    """Several lines of text whose owner declares keys for it; letters stay letters.

    However a text comes into it, only what may be drawn does (`copydesk.domain.text.typed`).
    """

    TYPES_TEXT = True

    def __init__(self, text: str = "", **kwargs: Any) -> None:
        super().__init__(typed(text, lines=True), **kwargs)

    def on_unmount(self) -> None:
        """Be forgotten by the app: Textual lets go of who watches its theme when that changes."""
        watching = getattr(self.app, "__watchers", {}).get("theme", [])
        watching[:] = [each for each in watching if each[0] is not self]

    def load_text(self, text: str) -> None:
        """Put a text in the place of all that is there."""
        super().load_text(typed(text, lines=True))

    def edit(self, edit: Edit) -> EditResult:
        """Take a change: what is typed, pasted, put in."""
        edit.text = typed(edit.text, lines=True)
        return super().edit(edit)
