"""The least virtual list on Textual's line API: the yardstick of every key press."""

from __future__ import annotations

import sys

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

LIT, PLAIN = Style(reverse=True), Style()


class BareList(ScrollView, can_focus=True):
    BINDINGS = [Binding("j", "move(1)", show=False), Binding("k", "move(-1)", show=False)]

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows, self.cursor = rows, 0
        self.virtual_size = Size(80, rows)

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(self.rows - 1, self.cursor + by))
        top, height = self.scroll_offset.y, self.size.height
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        mark = ">" if row == self.cursor else " "
        text = f"{mark} #{row:<8} Change request number {row}".ljust(self.size.width)
        return Strip([Segment(text, LIT if row == self.cursor else PLAIN)])


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield BareList(int(sys.argv[1]))


Bare().run()
