"""Panes whose lines are spans of text and tone: pages, diffs, threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from copydesk.present.markdown import Look
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.pane import Pane, PaneActs

if TYPE_CHECKING:
    from copydesk.present.markdown import Span
    from copydesk.present.tables import Columns

KEPT_STRIPS = 128
"""Drawn lines kept for the next frame; bounds the memory of a long scroll."""


def no_column_before(here: TableKeys) -> str | None:
    """Say so when no table in view has columns that are left out before those shown."""
    before = any(each.before for each in here.pane.tables_in_view())
    return None if before else "No table here begins further left."


def no_column_after(here: TableKeys) -> str | None:
    """Say so when no table in view has columns that are left out after those shown."""
    after = any(each.after for each in here.pane.tables_in_view())
    return None if after else "No table here goes on at the right."


def nothing_turns(here: TableKeys) -> str | None:
    """Say so when there is neither a table nor front matter in view."""
    return None if here.pane.turns else "No table and no front matter is in view."


class TableKeys(PaneActs, scope="tables"):
    """How the tables of a pane are shown, and its front matter; a pane has it as its ``first``."""

    def __init__(self, pane: SpanPane) -> None:
        super().__init__(pane)
        self.pane = pane

    @action("z l", "columns right", unless=no_column_after, show=False, group="Look")
    def columns_right(self) -> None:
        """Show the next column of tables that are wider than the screen; the first one stays."""
        look = self.pane.look
        self.pane.show_as(look._replace(column=(look.column or 0) + 1))

    @action("z h", "columns left", unless=no_column_before, show=False, group="Look")
    def columns_left(self) -> None:
        """Scroll a wide table one column to the left."""
        look = self.pane.look
        # Where tables end before that column, it is the last one that they can begin with.
        passed = max(each.before for each in self.pane.tables_in_view())
        self.pane.show_as(look._replace(column=min(look.column or 0, passed) - 1))

    @action("z t", "turn tables", unless=nothing_turns, show=False, group="Look")
    def turn(self) -> None:
        """Show rows of tables as names with values, or as columns; front matter as its source."""
        look = self.pane.look
        self.pane.show_as(look._replace(turned=not look.turned))


class SpanPane(Pane):
    """Draws a line of spans once, however often and wherever it is shown."""

    look = Look(0)
    """How its tables are shown."""

    def tables_in_view(self) -> Sequence[Columns]:
        """Return the shown columns of the tables that are at least partly on screen."""
        return ()

    @property
    def turns(self) -> bool:
        """Whether anything in view has another form."""
        return bool(self.tables_in_view())

    def show_as(self, look: Look) -> None:
        """Show tables in another way, staying at the same passage."""
        self.look = look

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
        """Drop the styles made from the theme."""
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
        if name.startswith("#"):  # of a picture, which has hundreds
            return self.app.console.get_style(name)
        style = self._styles.get(name)
        if style is None:
            style = self.app.console.get_style(name) if name else Style.null()
            self._styles[name] = style
        return style

    def strip_of(self, spans: Sequence[Span], base: Style, width: int) -> Strip:
        """Return a line of ``width`` cells with search matches highlighted."""
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
