"""The line of ``/``: filters a list or searches a text while it is typed."""

from __future__ import annotations

from typing import cast

from copydesk.tui.place import Place
from copydesk.tui.widgets.pane import Pane
from copydesk.tui.widgets.prompt import Prompt


class SearchPrompt(Prompt):
    """Filters as you type. Enter keeps the filter, Esc ends it."""

    def __init__(self, pane: Pane) -> None:
        super().__init__("/", pane.found, "filter; Enter keeps it, Esc ends it")
        self._pane = pane

    def changed(self, text: str) -> None:
        """Filter; a filter that is not understood leaves the list as it is and says why."""
        place = cast(Place, self.screen)
        try:
            self._pane.find(text)
        except ValueError as error:
            place.say(str(error), "warn")
        else:
            place.clear_message()

    def cancelled(self) -> None:
        """End the filter."""
        self._pane.find_clear()
        self.close()
