"""A scroll bar that is drawn again only when it would look different."""

from __future__ import annotations

from typing import ClassVar

from textual.scrollbar import ScrollBar, ScrollBarRender

STEPS = 8
"""Steps of the thumb within one cell, as Textual draws them."""


class WholeCells(ScrollBarRender):
    """A bar whose thumb ends where a cell does: no block signs, for terminals that lack them."""

    VERTICAL_BARS: ClassVar[list[str]] = [ScrollBarRender.BLANK_GLYPH] * STEPS
    HORIZONTAL_BARS: ClassVar[list[str]] = [ScrollBarRender.BLANK_GLYPH] * STEPS


def draw_bars(style: str) -> None:
    """Draw every scroll bar with signs of a style, as `copydesk.session.glyphs.use` takes it."""
    ScrollBar.renderer = WholeCells if style == "ascii" else ScrollBarRender


class SteadyScrollBar(ScrollBar):
    """Textual's scroll bar; in a list of 100,000 rows one row down does not move its thumb."""

    def validate_position(self, position: float) -> float:
        """Round to the middle of the step at which the thumb is drawn."""
        position = super().validate_position(position)
        cells = self.size.height if self.vertical else self.size.width
        unseen = self.window_virtual_size - self.window_size
        if not cells or unseen <= 0 or position in {0, unseen}:
            return position
        thumb = max(1.0, self.window_size * cells / self.window_virtual_size)
        steps = (cells - thumb) * STEPS
        if not 0 < steps < unseen:
            return position
        return (int(position / unseen * steps) + 0.5) * unseen / steps
