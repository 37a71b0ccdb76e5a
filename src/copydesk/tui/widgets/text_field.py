"""A field of several lines, which the composer and long fields of forms are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.content import Content
from textual.widgets import Static, TextArea
from textual.widgets.text_area import Edit, EditResult

from copydesk.domain.completion import Offer
from copydesk.domain.text import shorten, typed
from copydesk.session.glyphs import glyphs
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
        """Apply an edit: typed, pasted or inserted text."""
        edit.text = typed(edit.text, lines=True)
        return super().edit(edit)


KEYS = frozenset({"tab", "enter", "up", "down", "escape"})
"""The keys that are the line's while it offers something."""

GAP = "  "

LEAST_NOTE = 8
"""Cells that a note takes at least."""


class Completion(Static):
    """Offers words in one line; the chosen one is lit. Hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__("", classes="completion")
        self.display = False
        self.offers: Sequence[Offer] = ()
        self.at = 0

    def offer(self, offers: Sequence[Offer]) -> None:
        """Offer these, the first of them lit; nothing hides the line."""
        if not offers and not self.offers:
            return
        self.offers, self.at = offers, 0
        self._draw()

    def say(self, text: str, tone: str = "warn") -> None:
        """Show a sentence instead, until something is offered or typed."""
        self.offers = ()
        self._show(Text(text, style=tone))

    def step(self, by: int) -> None:
        """Light another offer; after the last comes the first."""
        self.at = (self.at + by) % len(self.offers)
        self._draw()

    @property
    def chosen(self) -> Offer | None:
        """The offer that is lit."""
        return self.offers[self.at] if self.offers else None

    def on_resize(self, event: events.Resize) -> None:
        if self.offers:
            self._draw()

    def _draw(self) -> None:
        room = max(20, self.size.width or 60) - cell_len(f"tab takes{GAP}{glyphs().more}")
        line = Text.assemble(("tab", "accent"), " takes")
        first = self._first(room)
        for at, offer in enumerate(self.offers[first:], first):
            room -= cell_len(offer.shown) + len(GAP) + 2
            if room < 0 and at > self.at:
                line.append(f" {glyphs().more}", style="muted")
                break
            line.append(GAP)
            lit = at == self.at
            tone = "accent" if lit else "" if offer.text else "muted"
            line.append(f"[{offer.shown}]" if lit else offer.shown, tone)
        if self.offers and (note := self.offers[self.at].note) and room > LEAST_NOTE:
            line.append(f"{GAP}{shorten(note, room, glyphs().more)}", style="muted")
        self._show(line if self.offers else Text(""))

    def _first(self, room: int) -> int:
        """Return the first offer that is drawn, so that the lit one is too."""
        first, taken = 0, 0
        for at in range(self.at + 1):
            taken += cell_len(self.offers[at].shown) + len(GAP) + 2 if self.offers else 0
            while taken > room and first < at:
                taken -= cell_len(self.offers[first].shown) + len(GAP) + 2
                first += 1
        return first

    def _show(self, line: Text) -> None:
        self.display = bool(line)
        self.update(Content.from_rich_text(line, console=self.app.console))
