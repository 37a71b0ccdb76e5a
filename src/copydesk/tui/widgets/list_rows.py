"""Drawing rows: only the visible ones, each once per state and width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from copydesk.domain.filter import Query
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.sources import FilteredSource
from copydesk.tui.widgets.columns import Column, fit, lay_out, needs

T = TypeVar("T")

GUTTER = 4
"""Cells before the first column: cursor, sign (new, out of date), mark or what waits, blank."""

AGAIN = " R tries again."
"""Ends a sentence that says already which key reads again."""

KEPT_STRIPS = 1024
"""Drawn lines kept for the next frame; bounds the memory of a long scroll."""


class DrawnRows(Pane, Generic[T]):
    """The looks of a `VirtualList`: everything about cells, nothing about keys."""

    columns: tuple[Column[T], ...]
    empty: str
    """What is said where there is no row."""
    reading: str
    """What is said while the first rows are read."""
    _source: FilteredSource[T]
    _sign: Callable[[T], str] | None
    _dim: Callable[[T], bool] | None
    _header: int

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.sort: tuple[str, bool] | None = None
        """(column key, descending) for the mark in the header."""
        self.marks: set[str] = set()
        self.about: Callable[[T], str] | None = None
        """What the outbox knows a row by, where that is not its id."""
        self._cursor = 0
        self._strips: dict[tuple[str, bool, bool, bool, bool], Strip] = {}
        self._head: tuple[object, Strip] | None = None
        """The line of titles as it was drawn last, and for what."""
        self._wrapped: tuple[object, list[str]] = None, []
        """The lines of the sentence that was wrapped last, and for what."""
        self._layout: list[tuple[Column[T], int]] = []
        self._layout_width = -1
        self._grown: dict[str, int] = {}
        """The cells that numbers took, by the key of their column."""
        self._styles: dict[str, Style] = {}

    def say_instead(self, text: str) -> None:
        """Show a sentence while there are no rows."""
        self.empty = text
        self.refresh()

    def refresh_rows(self) -> None:
        """Forget drawn lines: the width, the theme or the columns changed."""
        self._strips.clear()
        self._styles.clear()
        self._head = None
        self._layout_width = -1
        self.resize_lines(self.drawn_lines)
        self.refresh()
        if self.is_attached:
            self._want()

    def _want(self) -> None:
        """Tell the source what is on screen."""
        first = self.scroll_offset.y
        self._source.want(first, first + max(1, self.page_lines - self._header))

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            style = self.get_component_rich_style(f"pane--{name}") if name else self.rich_style
            self._styles[name] = style
        return style

    def _columns_for(self, width: int) -> list[tuple[Column[T], int]]:
        if width != self._layout_width:
            self._strips.clear()
            columns = [
                replace(column, width=max(column.width, self._grown.get(column.key, 0)))
                for column in self.columns
            ]
            self._layout = lay_out(columns, width - GUTTER - 1)
            self._layout_width = width
        return self._layout

    @property
    def columns_shown(self) -> frozenset[str]:
        """The keys of the columns that there is room for."""
        laid_out = self._columns_for(self.scrollable_content_region.width)
        return frozenset(column.key for column, _ in laid_out)

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width = self.scrollable_content_region.width
        if y < self._header:
            return self._header_strip(width)
        index = self.scroll_offset.y + y - self._header
        source = self._source
        row = source.row(index) if index < source.length else None
        if row is None:
            return self._other_strip(index, width)
        return self._row_strip(row, index == self._cursor, width)

    def _row_strip(self, row: T, selected: bool, width: int) -> Strip:
        row_id = self._source.key(row)
        columns = self._columns_for(width)
        session = getattr(self.app, "session", None)
        about = row_id if self.about is None else self.about(row)
        waits = session is not None and about in session.outbox.marks
        key = (row_id, selected, selected and self.has_focus, row_id in self.marks, waits)
        strip = self._strips.get(key)
        if strip is not None:
            return strip
        style = self._style("")
        if selected:
            style = self._style("cursor" if self.has_focus else "cursor-away")
        elif self._dim is not None and self._dim(row):
            style = self._style("muted")
        signs = glyphs()
        sign = self._sign(row) if self._sign is not None else ""
        if not sign:
            sign = signs.changed if row_id in self._source.fresh else " "
        marked = row_id in self.marks
        segments = [
            Segment(signs.cursor if selected else " ", style),
            Segment(sign[:1], style + self._accent("accent")),
            # Both where both are: what waits keeps a blank before the first column if it can.
            Segment(signs.marked, style + self._accent("mark"))
            if marked
            else Segment(signs.waits if waits else " ", style + self._accent("accent")),
            Segment(signs.waits if waits and marked else " ", style + self._accent("accent")),
        ]
        for at, (column, cells) in enumerate(columns):
            if at:
                segments.append(Segment(" ", style))
            content = column.cell(row, cells)
            if more := needs(column, content, cells):
                self._grow(column.key, more)
                return self._row_strip(row, selected, width)
            segments.extend(fit(content, cells, column.align, style, self.app.console))
        strip = Strip(segments).adjust_cell_length(width, style).simplify()
        if len(self._strips) >= KEPT_STRIPS:
            self._strips.clear()
        self._strips[key] = strip
        return strip

    def _grow(self, column: str, cells: int) -> None:
        """Give a column so many cells from now on; what was drawn before is drawn again."""
        self._grown[column] = cells
        self._layout_width, self._head = -1, None
        self.call_later(self.refresh)

    def _accent(self, name: str) -> Style:
        """Return only the foreground of a component style, to lay over a row's background."""
        kept = self._styles.get("on " + name)
        if kept is None:
            style = self._style(name)
            kept = Style(color=style.color, bold=style.bold)
            self._styles["on " + name] = kept
        return kept

    def _header_strip(self, width: int) -> Strip:
        key = (width, self.sort, glyphs())
        if self._head is not None and self._head[0] == key:
            return self._head[1]
        style = self._style("header")
        segments = [Segment(" " * GUTTER, style)]
        for at, (column, cells) in enumerate(self._columns_for(width)):
            if at:
                segments.append(Segment(" ", style))
            title = column.title
            if self.sort is not None and self.sort[0] == column.key:
                title += glyphs().down if self.sort[1] else glyphs().up
            segments.extend(fit(title, cells, column.align, style, self.app.console))
        strip = Strip(segments).adjust_cell_length(width, style)
        self._head = key, strip
        return strip

    @property
    def sought_as_text(self) -> str:
        """A sentence on words of the filter that look like a key and are no key here; or ""."""
        if self.fields is None:
            return ""
        return Query.parse(self._source.text, self.fields).note or ""

    def _nothing_line(self, width: int) -> list[str]:
        """Return the sentence shown in place of rows, in lines of at most ``width`` cells."""
        if self._source.busy:
            text = self.reading
        elif self._source.filtering:
            text = f"{self._source.says}. Esc clears the filter. {self.sought_as_text}".rstrip()
        else:
            text = self.nothing_said(self.empty)
        return self._wrap(text, width)

    def _error_lines(self, width: int) -> list[str]:
        """Return why the rows from here on could not be read, in lines that fit."""
        why, key = self._source.error, "Enter"
        if why.endswith(AGAIN):
            why, key = why.removesuffix(AGAIN), "R or Enter"
        return self._wrap(f"! {why} {key} tries again.", width)

    def _wrap(self, text: str, width: int) -> list[str]:
        """Return a sentence in lines that fit; every line that is drawn asks for the same one."""
        key = (text, width)
        if self._wrapped[0] != key:
            lines = Text(text).wrap(self.app.console, width)
            self._wrapped = key, [line.plain.rstrip() for line in lines]
        return self._wrapped[1]

    @property
    def drawn_lines(self) -> int:
        """How many lines there are to scroll over: rows, and an error that takes several."""
        source = self._source
        lines = source.length
        if source.error:
            width = self.scrollable_content_region.width
            lines = max(lines, source.loaded + len(self._error_lines(max(8, width - GUTTER - 1))))
        elif tail := self.tail:
            lines += len(tail) + 1
        return lines + self._header

    @property
    def tail(self) -> Sequence[str]:
        """What is said after the last row, a blank line between."""
        return ()

    def _other_strip(self, index: int, width: int) -> Strip:
        """Draw a line that is no row: not loaded yet, an error, the end, or nothing."""
        source = self._source
        failed = self._error_lines(max(8, width - GUTTER - 1)) if source.error else []
        in_error = range(source.loaded, source.loaded + len(failed))
        selected = index == self._cursor and index < source.length
        style = self._style("muted")
        # An error is one row, also where it takes several lines.
        if selected or (index in in_error and self._cursor in in_error):
            style = self._style("cursor" if self.has_focus else "cursor-away")
        text = ""
        if index in in_error:
            text = failed[index - source.loaded]
        elif index < source.length:
            first = index == source.loaded == 0 and source.busy
            text = self.reading if first else glyphs().more
        elif source.length == 0:
            said = [*self._nothing_line(max(8, width - GUTTER)), "", *self.tail]
            text = said[index] if index < len(said) else ""
        elif not source.error and (tail := self.tail):
            after = index - source.length - 1
            text = tail[after] if 0 <= after < len(tail) else ""
        if not text and not selected:
            return self.blank(width, style)
        lead = glyphs().cursor if selected else " "
        segments = [Segment(lead.ljust(GUTTER), style)]
        segments.extend(fit(text, max(0, width - GUTTER), "left", style, self.app.console))
        return Strip(segments).adjust_cell_length(width, style)
