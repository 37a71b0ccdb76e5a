"""Panes whose lines are spans of text and tone: pages, diffs, threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from copydesk.tui.framework.pane import Pane

if TYPE_CHECKING:
    from copydesk.present.markdown import Span

KEPT_STRIPS = 128
"""Drawn lines kept for the next frame; bounds the memory of a long scroll."""


class SpanPane(Pane):
    """Draws a line of spans once, however often and wherever it is shown."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._found = ""
        self._styles: dict[str, Style] = {}
        self._drawn_spans: dict[object, Strip] = {}

    @property
    def found(self) -> str:
        """What is searched for, in lower case; empty when nothing is."""
        return self._found

    def forget_styles(self) -> None:
        """Forget what was made of the theme's styles."""
        self._styles.clear()
        self._drawn_spans.clear()

    @property
    def base(self) -> Style:
        """The style of the pane itself."""
        style = self._styles.get("on ")
        if style is None:
            style = self._styles["on "] = self.rich_style
        return style

    def tone(self, name: str) -> Style:
        """Return the style of a tone, to lay over a line's own."""
        style = self._styles.get(name)
        if style is None:
            style = self.app.console.get_style(name) if name else Style.null()
            self._styles[name] = style
        return style

    def strip_of(self, spans: Sequence[Span], base: Style, width: int) -> Strip:
        """Return a line as wide as asked for, what is searched for lit in it."""
        key = (*spans, base, width, self._found)
        strip = self._drawn_spans.get(key)
        if strip is None:
            if self._found and self._found in "".join(text for text, _ in spans).casefold():
                segments = self._lit(spans, base)
            else:
                segments = [
                    Segment(text, base + self.tone(tone) if tone else base) for text, tone in spans
                ]
            strip = Strip(segments).adjust_cell_length(width, base)
            if len(self._drawn_spans) >= KEPT_STRIPS:
                del self._drawn_spans[next(iter(self._drawn_spans))]
            self._drawn_spans[key] = strip
        return strip

    def _lit(self, spans: Sequence[Span], base: Style) -> list[Segment]:
        text = Text.assemble(*((part, tone) if tone else part for part, tone in spans))
        start, plain = 0, text.plain.casefold()
        while (start := plain.find(self._found, start)) >= 0:
            text.stylize("match", start, start + len(self._found))
            start += len(self._found)
        return [
            Segment(part, base + style if style else base)
            for part, style, _ in text.render(self.app.console)
            if part and part != "\n"
        ]
