"""The line of ``/``: filters a list or searches a text while it is typed."""

from __future__ import annotations

import os
from typing import cast

from copydesk.tui.place import Place
from copydesk.tui.widgets.pane import Pane
from copydesk.tui.widgets.prompt import Prompt


class SearchPrompt(Prompt):
    """Filters as you type. Enter keeps the filter, Esc ends it, Tab completes what it knows."""

    ENTER, ESCAPE, UP = "keep it", "end it", ""

    def __init__(self, pane: Pane) -> None:
        super().__init__("/", pane.found, "filter; Enter keeps it, Esc ends it")
        self._pane = pane
        self.TAB = "" if pane.fields is None else "complete"

    def on_mount(self) -> None:
        """Say what the filter knows before anything is typed."""
        self._hint(self.input.value)

    def _following(self, text: str) -> list[str]:
        return [] if self._pane.fields is None else self._pane.fields.following(text)

    def _hint(self, text: str) -> None:
        cast(Place, self.screen).show_keys("  ".join(self._following(text)))

    def changed(self, text: str) -> None:
        """Filter; one that is not understood hides nothing and says why."""
        place = cast(Place, self.screen)
        try:
            self._pane.find(text)
        except ValueError as error:
            self._pane.find_clear()
            place.show_keys("")
            place.say(str(error), "warn")
        else:
            place.clear_message()
            self._hint(text)

    def complete(self) -> None:
        """Complete the last word as far as it is unambiguous."""
        text = self.input.value
        if choices := self._following(text):
            self.input.value = text[: text.rfind(" ") + 1] + os.path.commonprefix(choices)
            self.input.cursor_position = len(self.input.value)

    def close(self) -> None:
        """Take the hints away too."""
        cast(Place, self.screen).show_keys("")
        super().close()

    def cancelled(self) -> None:
        """End the filter."""
        self._pane.find_clear()
        self.close()
