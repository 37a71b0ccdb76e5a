"""The line of ``/``: filters a list or searches a text while it is typed."""

from __future__ import annotations

import os
from typing import cast

from rich.highlighter import Highlighter
from rich.text import Text

from copydesk.domain.filter import Query, typed_from
from copydesk.tui.framework.line_field import Prompt
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Place

MOST_HINTS = 12
"""How many ways to go on are shown at once."""


class FilterHighlighter(Highlighter):
    """Underlines what a filter does not understand."""

    def __init__(self, pane: Pane) -> None:
        self._pane = pane

    def highlight(self, text: Text) -> None:
        """Underline the parts that are wrong."""
        fields = self._pane.fields
        if fields is None:
            return
        for problem in Query.parse(text.plain, fields).problems:
            if not problem.unfinished:
                text.stylize("underline", problem.start, problem.stop)


class SearchPrompt(Prompt):
    """Filters as you type. Enter keeps the filter, Esc ends it, Tab completes what it knows."""

    ENTER, ESCAPE, UP = "keep it", "end it", ""

    def __init__(self, pane: Pane) -> None:
        super().__init__("/", pane.found, "filter; Enter keeps it, Esc ends it")
        self._pane = pane
        self._missed = False
        """Whether the text that is searched has no match."""
        self._offered: list[str] = []
        """What Tab steps through, once a word cannot be completed further."""
        self._shown = ""
        """The line as Tab left it; a line that was typed begins anew."""
        self.input.highlighter = FilterHighlighter(pane)
        self.TAB = "" if pane.fields is None else "complete"

    def on_mount(self) -> None:
        """Say what the filter knows before anything is typed."""
        self._hint(self.input.value)

    def _following(self, text: str) -> list[str]:
        return [] if self._pane.fields is None else self._pane.fields.following(text)

    def _hint(self, text: str) -> None:
        found = self._following(text)
        more = f"  and {len(found) - MOST_HINTS} more" if len(found) > MOST_HINTS else ""
        cast("Place", self.screen).show_keys("  ".join(found[:MOST_HINTS]) + more)

    def changed(self, text: str) -> None:
        """Filter; a word that is not understood filters nothing, and the reason is shown."""
        place = cast("Place", self.screen)
        try:
            self._missed = not self._pane.find(text) and bool(text)
        except ValueError as error:
            place.show_keys("")
            place.say(str(error), "warn")
            self._pane.find(self._understood(text))
        else:
            place.clear_message()
            fields = self._pane.fields
            note = None if fields is None else Query.parse(text, fields).note
            if note is None and self._missed:
                place.show_keys("No match.")
            elif note is None:
                self._hint(text)
            else:
                place.show_keys(note)

    def submitted(self, text: str) -> None:
        """Keep the filter, unless a part of it filters nothing: marks would reach every row."""
        fields = self._pane.fields
        if fields is not None:
            query = Query.parse(text, fields)
            for problem in query.problems:
                # An open quotation is not right yet, but it filters.
                if any(term.start <= problem.start < term.stop for term in query.terms):
                    continue
                mends = "Tab mends it" if problem.nearest is not None else "Mend it"
                said = f"{problem.sentence} {mends}; Esc ends the filter."
                cast("Place", self.screen).say(said, "warn")
                return
        place = cast("Place", self.screen)
        super().submitted(text)
        if self._missed and not self._pane.find_next(1):
            place.say("No match.", "warn")

    def _understood(self, text: str) -> str:
        """Return a filter without its faulty terms."""
        fields = self._pane.fields
        terms = () if fields is None else Query.parse(text, fields).terms
        return " ".join(text[term.start : term.stop] for term in terms)

    def complete(self) -> None:
        """Complete the last word by the common part, else step through its completions.

        A key that is wrong becomes the nearest one that there is.
        """
        fields, text = self._pane.fields, self.input.value
        if fields is None:
            return
        if self._offered and text == self._shown:
            self._offered.append(self._offered.pop(0))
            self._put(text[: typed_from(text)] + self._offered[0])
            return
        self._offered = []
        for problem in Query.parse(text, fields).problems:
            if problem.nearest is not None:
                self._put(text[: problem.start] + problem.nearest + text[problem.stop :])
                return
        start, choices = typed_from(text), self._following(text)
        common = os.path.commonprefix(choices)
        if not choices:
            return
        if len(common) > len(text) - start:
            self._put(text[:start] + common)
        else:
            self._offered = choices
            self._put(text[:start] + choices[0])

    def _put(self, text: str) -> None:
        self._shown = text
        self.input.value = text
        self.input.cursor_position = len(text)

    def close(self) -> None:
        """Take the hints away too."""
        cast("Place", self.screen).show_keys("")
        super().close()

    def cancelled(self) -> None:
        self._pane.find_clear()
        self.close()
