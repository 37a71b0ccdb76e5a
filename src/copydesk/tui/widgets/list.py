"""A list that draws only the rows on screen, however long it is."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast
from weakref import WeakSet

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip

from copydesk.domain.filter import Query, having_words
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.list_columns import ListColumns, unknown_columns
from copydesk.domain.text import clean
from copydesk.session.errors import LACKS, SELDOM, STILL_READING
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import Acts, NoRowYet, action
from copydesk.tui.framework.desk_app import heard
from copydesk.tui.framework.frame import Part
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.pane import Found, Pane, line_of
from copydesk.tui.framework.place import place_of
from copydesk.tui.framework.source import Change, FilteredSource, Source

T = TypeVar("T")

GUTTER = 4
"""Cells before the first column: cursor, sign (new, out of date), mark or what waits, blank."""

AGAIN = " R tries again."
"""Ends a sentence that says already which key reads again."""

KEPT_STRIPS = 128
"""Drawn lines kept for the next frame; bounds the memory of a long scroll."""

PARTS = ("header", "cursor", "cursor-away", "muted", "mark", "accent")
"""What of a list has a style of its own, as ``.pane--cursor``."""

__all__ = ["Column", "VirtualList"]


def nothing_to_open(rows: VirtualList[Any]) -> str | None:
    if rows.selected is not None or rows.source.error:
        return None
    if rows.source.busy or (rows.place_reads is not None and rows.place_reads.reading):
        return NoRowYet(STILL_READING)
    return "There is nothing here to open."


def no_row(rows: VirtualList[Any], why: str) -> str | None:
    """Return why an action on the row under the cursor is off: ``why``, or None where one is.

    It is a `NoRowYet` while the rows are being read, or could not be.
    """
    if rows.selected is not None:
        return None
    reads, source = rows.place_reads, rows.source
    unread = source.error or source.busy or (reads is not None and (reads.unread or reads.reading))
    return NoRowYet(why) if unread else why


class VirtualList(Pane, Generic[T], scope="list"):
    """Rows of a `Source`, with columns, a cursor kept by id, and marks.

    Messages: `Highlighted` when the cursor comes to another row, `Opened` on Enter or a double
    click, `MarksChanged`.
    """

    class RowMessage(Message):
        """A message about one row; ``id`` and ``row`` are None where none is loaded."""

        def __init__(self, rows: VirtualList[Any], id: str | None, row: Any) -> None:
            super().__init__()
            # Rows may arrive in a task that the place began; Textual would take the place for the
            # sender then, and not deliver the message to it.
            self.set_sender(rows)
            self.list = rows
            self.id = id
            self.row = row

        @property
        def control(self) -> VirtualList[Any]:
            """The list, so that ``@on`` can select by its id."""
            return self.list

    class Highlighted(RowMessage, bubble=False):
        """The cursor is on another row, or the row under it reads differently.

        Given to the screen itself: by way of all between, each key would wake up each of them.
        """

    class Opened(RowMessage):
        """The row was opened."""

    class MarksChanged(RowMessage):
        """Other rows are marked now."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"pane--{name}" for name in PARTS}

    def __init__(
        self,
        source: Source[T],
        columns: Sequence[Column[T]],
        *,
        title: str = "",
        empty: str = "Nothing here.",
        reading: str = "Reading…",
        sign: Callable[[T], str] | None = None,
        dim: Callable[[T], bool] | None = None,
        header: bool = True,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(title=title, empty=empty, id=id, classes=classes)
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
        self._longest: dict[str, int] = {}
        """The cells of the longest content of columns, since one was cut."""
        self._styles: dict[str, Style] = {}
        self.columns = tuple(columns)
        self.reading = reading
        self.note = ""
        """More for the title: the sort, the filter."""
        self._sign = sign
        self.dim = dim
        """Tells which rows are drawn more quietly than others."""
        self._header = 1 if header else 0
        self._cursor_id: str | None = None
        self._marked: dict[str, T] = {}
        """The rows that are marked, as they were when they were marked."""
        self._to_end = False
        self._start: str | None = None
        """What the cursor goes to once it is read, unless it is moved before."""
        self.filter_of: Callable[[str], Callable[[T], bool]] = self.plain_filter
        """Returns the filter of ``/`` for a text. It may raise ValueError with a sentence."""
        self._stop: Callable[[], None] = lambda: None
        self._adopt(source)

    # The source

    def _adopt(self, source: Source[T]) -> None:
        self._stop()
        self._longest.clear()
        self._source = source if isinstance(source, FilteredSource) else FilteredSource(source)
        self._stop = self._source.subscribe(self._source_changed)

    @property
    def source(self) -> FilteredSource[T]:
        """The filtered rows; ``source.base`` is the unfiltered source."""
        return self._source

    @source.setter
    def source(self, source: Source[T]) -> None:
        self._source.close()
        self._adopt(source)
        self._source_changed("reset")

    @property
    def length(self) -> int:
        """How many lines the rows take."""
        return self._source.length

    def on_mount(self) -> None:
        self._source_changed("reset")

    def waits_changed(self) -> None:
        """Mark the rows about which something waits by now: those on screen are drawn again."""
        self.refresh()

    def on_unmount(self) -> None:
        self._stop()

    def _source_changed(self, change: Change) -> None:
        if not self.is_attached:
            return
        if change in ("reset", "rows"):
            self._strips.clear()
        if change != "state":
            self._keep_cursor()
        elif self.drawn_lines != self.virtual_size.height:
            self.resize_lines(self.drawn_lines)
        self.retitle()
        self.refresh()
        self._want()

    def _keep_cursor(self) -> None:
        """Find the row of the cursor again and keep it on the same line of the screen."""
        source = self._source
        self.resize_lines(self.drawn_lines)
        before_id, before = self._cursor_id, self._cursor
        last = max(0, source.length - 1)
        if self._to_end:
            index: int | None = last
            self._to_end = not source.complete
        elif before_id is not None:
            index = source.index_of(before_id)
        else:
            index = None
        if self._start is not None and (start := source.index_of(self._start)) is not None:
            index, self._start = start, None
            self.call_after_refresh(self._show_cursor_row)
        if index is None:
            index = min(before, last)
        if index != before:
            line = before - self.scroll_offset.y
            self._cursor = index
            self.scroll_to(y=index - line, animate=False, force=True)
        row = source.row(index)
        self._cursor_id = None if row is None else source.key(row)
        self._show_cursor()
        self._tell(row)

    def _tell(self, row: T | None) -> None:
        """Say where the cursor is now: to whoever listens at once, and to its place."""
        if not self.is_attached:
            return
        self.screen.post_message(self.Highlighted(self, self._cursor_id, row))
        if (reads := self.place_reads) is not None:
            reads.moved(self)

    def title_line(self) -> str:
        """Return the title with the filter, the sort, and how much has been read."""
        source = self._source
        parts = [self.title]
        if source.filtering:
            parts.append(f"filter: {source.text}")
            parts.append(source.says)
        if self.note:
            parts.append(self.note)
        if source.count is not None and source.base.loaded < source.count and not source.filtering:
            parts.append(f"{source.base.loaded:,} of {source.count:,} read")
        if self.marks:
            parts.append(self.count_marks())
        return "   ".join(part for part in parts if part)

    # The cursor

    @property
    def selected(self) -> T | None:
        """The row under the cursor, or None when none is loaded there."""
        return self._source.row(self._cursor)

    @property
    def selected_id(self) -> str | None:
        """The id of the row under the cursor."""
        return self._cursor_id

    @property
    def on_nothing(self) -> bool:
        """Whether no row is under the cursor."""
        return self.selected is None

    @property
    def not_yet(self) -> bool:
        """Whether its first rows are still being read."""
        unread = not (self.source.loaded or self.source.error)
        return unread and isinstance(no_row(self, ""), NoRowYet)

    @property
    def cursor(self) -> int:
        """The position of the cursor."""
        return self._cursor

    def select(self, row_id: str) -> bool:
        """Put the cursor on a row; False when it is not loaded."""
        index = self._source.index_of(row_id)
        if index is None:
            return False
        self._go(index)
        return True

    def start_at(self, id: str) -> None:
        """Put the cursor on a row as soon as it is read, unless it is moved before."""
        if not self.select(id):
            self._start = id

    @property
    def _rows_in_view(self) -> int:
        return max(1, self.page_lines - self._header)

    def _show_cursor_row(self) -> None:
        height = self._rows_in_view
        if not self.scroll_offset.y <= self._cursor < self.scroll_offset.y + height:
            self.scroll_to(y=max(0, self._cursor - height // 2), animate=False)

    def _go(self, index: int) -> None:
        source = self._source
        self._start = None
        index = max(0, min(index, source.length - 1))
        before = self._cursor
        row = source.row(index)
        row_id = None if row is None else source.key(row)
        self._to_end = False
        if index == before and row_id == self._cursor_id:
            return
        self._cursor, self._cursor_id = index, row_id
        height = self._rows_in_view
        top = self.scroll_offset.y
        if index < top:
            self.scroll_to(y=index, animate=False)
        elif index >= top + height:
            self.scroll_to(y=index - height + 1, animate=False)
        else:
            self.refresh_line(before + self._header)
            self.refresh_line(index + self._header)
        self._show_cursor()
        if not source.complete or source.busy:
            self._want()
        self._tell(row)

    def on_resize(self, event: events.Resize) -> None:
        """Keep the row of the cursor in sight where lines are lost."""
        height = self._rows_in_view
        top, cursor = self.scroll_offset.y, self._cursor
        if not top <= cursor < top + height:
            self.scroll_to(y=max(0, cursor - height + 1), animate=False)

    def _show_cursor(self) -> None:
        self.put_cursor(self._cursor - self.scroll_offset.y + self._header)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Load what comes into view."""
        super().watch_scroll_y(old_value, new_value)
        if self.is_attached and round(old_value) != round(new_value):
            self._want()
            self._show_cursor()

    def move(self, lines: int) -> bool:
        self._go(self._cursor + lines)
        return True

    def move_page(self, pages: float) -> bool:
        """Move the cursor by a share of the visible rows."""
        rows = max(1, int(self._rows_in_view * abs(pages)))
        return self.move(rows if pages > 0 else -rows)

    def move_first(self) -> bool:
        self._go(0)
        return True

    def move_last(self) -> bool:
        """Go to the last row: read from the end, or all up to it, which `stop_reading` stops."""
        base = self._source.base
        if isinstance(base, PagedSource) and not (base.complete or base.ends_at_once):
            self._go(self._source.length - 1)
            self._to_end = True
            base.want_all()
        else:
            self._go(self._source.length - 1)
        return True

    def stop_reading(self) -> bool:
        """Stop a way to the end that still reads; False when there is none."""
        if not self._to_end:
            return False
        self._to_end = False
        self._source.cancel()
        self._go(self._source.base.loaded - 1)
        return True

    # Filter

    def plain_filter(self, text: str) -> Callable[[T], bool]:
        """Match rows that show all the words of ``text`` in any column."""
        has, columns = having_words(text), self.columns
        return lambda row: has(" ".join(str(column.render(row)) for column in columns))

    def find(self, text: str) -> bool:
        """Filter as you type. Raises ValueError with the sentence of a filter that is wrong."""
        self._source.where(self.filter_of(text) if text.strip() else None, text)
        return True

    def find_clear(self) -> bool:
        if not self._source.filtering:
            return False
        self._source.where(None)
        return True

    def find_next(self, direction: int) -> Found:
        return "beyond" if self._source.filtering and self.move(direction) else ""

    @property
    def found(self) -> str:
        """The filter's text."""
        return self._source.text if self._source.filtering else ""

    # Marks

    MARKED: ClassVar[str] = "marked"
    """What a row is called that is marked."""

    def marked(self) -> list[str]:
        """Return the marked ids in the order of the list; those that are not shown come last."""
        shown, place = self._source.index_of, self._source.base.index_of
        found = [(shown(each) is None, place(each) or 0, each) for each in self.marks]
        return [each for _, _, each in sorted(found)]

    @property
    def hidden_marks(self) -> set[str]:
        """The ids that are marked and not shown."""
        return {row_id for row_id in self.marks if self._source.index_of(row_id) is None}

    def marked_rows(self) -> list[T]:
        """Return the marked rows in the order of `marked`, also those that left the list since."""
        rows = ((each, self._read_row(each)) for each in self.marked())
        return [self._marked[each] if row is None else row for each, row in rows]

    def chosen(self) -> list[T]:
        """Return the rows that an action is for: those marked, else the one under the cursor."""
        if self.marks:
            return self.marked_rows()
        return [] if self.selected is None else [self.selected]

    def _read_row(self, row_id: str) -> T | None:
        at = self._source.base.index_of(row_id)
        return None if at is None else self._source.base.row(at)

    def count_marks(self) -> str:
        """Return how many rows are marked: ``2 marked``."""
        return f"{len(self.marks)} {self.MARKED}"

    @property
    def marks_line(self) -> str:
        """What the status line says of marks: ``2 marked (1 hidden by filter)``; empty for none."""
        if not self.marks:
            return ""
        hidden = f" ({count} hidden by filter)" if (count := len(self.hidden_marks)) else ""
        return f"{self.count_marks()}{hidden}"

    def set_marks(self, marks: Iterable[str], rows: Mapping[str, T] = MappingProxyType({})) -> None:
        """Mark exactly these; ``rows`` holds the ones that the list has not loaded.

        An id without a row is not marked: nothing could be done to it.
        """
        wanted = set(marks)
        found = {each: row for each, row in self._marked.items() if each in wanted}
        for each in wanted - found.keys() | rows.keys() & wanted:
            row = self._read_row(each) or rows.get(each)
            if row is not None:
                found[each] = row
        self._marked, self.marks = found, set(found)
        self.retitle()
        self.refresh()
        self.post_message(self.MarksChanged(self, self._cursor_id, self.selected))

    # Actions and the mouse

    @action("enter", "open", word="open", unless=nothing_to_open, show=30, inline=True, group="Go")
    def open_row(self) -> asyncio.Future[None] | None:
        """Open the row under the cursor; on the line of an error, try again."""
        row = self.selected
        if row is None and self._source.error:
            self._source.retry()
        elif row is not None:
            self.post_message(self.Opened(self, self._cursor_id, row))
            return heard(self)  # the next key is for what the row opens
        return None

    def on_click(self, event: events.Click) -> None:
        index = event.y - self.gutter.top + self.scroll_offset.y - self._header
        if event.y - self.gutter.top < self._header or not 0 <= index < self.length:
            return
        event.stop()
        self._go(index)
        if event.chain == 2:
            self.open_row()

    def on_focus(self) -> None:
        self._show_cursor()
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # Drawing: only the visible rows, each once per state and width

    def say_instead(self, text: str) -> None:
        """Show a sentence while there are no rows."""
        if text != self.empty:
            self.empty = text
            self.refresh()

    def refresh_rows(self) -> None:
        """Forget drawn lines: the width, the theme or the columns changed."""
        self._strips.clear()
        self._styles.clear()
        self._longest.clear()
        self._head = None
        self._layout_width = -1
        self.resize_lines(self.drawn_lines)
        self.refresh()
        if self.is_attached:
            self._want()

    def redraw(self, rows: Iterable[T]) -> None:
        """Draw rows whose data changed; a line that looks the same is not written again."""
        before: dict[str, list[Strip]] = {self._source.key(row): [] for row in rows}
        for drawn in [each for each in self._strips if each[0] in before]:
            before[drawn[0]].append(self._strips.pop(drawn))
        for row_id, strips in before.items():
            index = self._source.index_of(row_id)
            line = -1 if index is None else index + self._header - self.scroll_offset.y
            if self._header <= line < self.size.height and self.render_line(line) not in strips:
                self.refresh_line(line + self.scroll_offset.y)

    def _want(self) -> None:
        """Tell the source which rows are on screen."""
        first = self.scroll_offset.y
        self._source.want(first, first + self._rows_in_view)

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            style = self.get_component_rich_style(f"pane--{name}") if name else self.rich_style
            self._styles[name] = style
        return style

    def _columns_for(self, width: int) -> list[tuple[Column[T], int]]:
        if width != self._layout_width:
            self._strips.clear()
            self._layout = laid_out(self, width)
            self._layout_width = width
        return self._layout

    @property
    def columns_shown(self) -> frozenset[str]:
        """The keys of the columns that there is room for; of those before once it was left."""
        width = self.scrollable_content_region.width if self.is_attached else self._layout_width
        return frozenset(column.key for column, _ in self._columns_for(width))

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width = self.line_width
        if y < self._header:
            return self._header_strip(width)
        index = self.first_line + y - self._header
        source = self._source
        row = source.row(index) if index < source.length else None
        if row is None:
            return self._other_strip(index, width)
        return self._row_strip(row, index == self._cursor, width)

    def _row_strip(self, row: T, selected: bool, width: int) -> Strip:
        row_id = self._source.key(row)
        columns = self._columns_for(width)
        waits = waits_for(self, row)
        key = (row_id, selected, selected and self.has_focus, row_id in self.marks, waits)
        strip = self._strips.get(key)
        if strip is not None:
            return strip
        style = self._style("")
        if selected:
            style = self._style("cursor" if self.has_focus else "cursor-away")
        elif self.dim is not None and self.dim(row):
            style = self._style("muted")
        signs = glyphs()
        sign = sign_of(self, row) or " "
        marked = row_id in self.marks
        segments = [
            Segment(signs.cursor if selected else " ", style),
            Segment(sign[:1], over(style, self._accent("accent"))),
            # Both where both are: what waits keeps a blank before the first column if it can.
            Segment(signs.marked, over(style, self._accent("mark")))
            if marked
            else Segment(signs.waits if waits else " ", over(style, self._accent("accent"))),
            Segment(signs.waits if waits and marked else " ", over(style, self._accent("accent"))),
        ]
        for at, (column, cells) in enumerate(columns):
            if at:
                segments.append(Segment(" " * gap(columns[at - 1][0], column), style))
            content = column.cell(row, cells)
            if widens(self, column, row, content, cells):
                return self._row_strip(row, selected, width)
            segments.extend(fit(content, cells, column.align, style, self.app.console))
        strip = line_of(segments, width, style)
        if len(self._strips) >= KEPT_STRIPS:
            del self._strips[next(iter(self._strips))]
        self._strips[key] = strip
        return strip

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
        for at, (column, cells) in enumerate(columns := self._columns_for(width)):
            if at:
                segments.append(Segment(" " * gap(columns[at - 1][0], column), style))
            title = column.title
            if self.sort is not None and self.sort[0] == column.key:
                title += glyphs().down if self.sort[1] else glyphs().up
            segments.extend(fit(title, cells, column.align, style, self.app.console))
        strip = line_of(segments, width, style)
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
        if why.startswith((LACKS, SELDOM)):
            return self._wrap(why, width)
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
            said = [*self._nothing_line(max(8, width - GUTTER - 1)), "", *self.tail]
            text = said[index] if index < len(said) else ""
        elif not source.error and (tail := self.tail):
            after = index - source.length - 1
            text = tail[after] if 0 <= after < len(tail) else ""
        if not text and not selected:
            return self.blank(width, style)
        lead = glyphs().cursor if selected else " "
        segments = [Segment(lead.ljust(GUTTER), style)]
        segments.extend(fit(text, max(0, width - GUTTER), "left", style, self.app.console))
        return line_of(segments, width, style)


def sign_of(rows: VirtualList[T], row: T) -> str:
    """Return the sign before a row; "" for none."""
    sign = rows._sign(row) if rows._sign is not None else ""
    fresh = rows.source.key(row) in rows.source.fresh
    return sign or (glyphs().changed if fresh else "")


def waits_for(rows: VirtualList[T], row: T) -> bool:
    """Whether something about a row waits to be sent."""
    session = getattr(rows.app, "session", None)
    about = rows.source.key(row) if rows.about is None else rows.about(row)
    return session is not None and about in session.outbox.marks


def said_instead(rows: VirtualList[Any]) -> str:
    """Return what stands where the cursor is on no row: why there is none."""
    source, wide = rows.source, max(8, rows.line_width)
    if source.error:
        return " ".join(rows._error_lines(wide))
    return rows.reading if source.length else " ".join(rows._nothing_line(wide))


def rows_around(rows: VirtualList[T]) -> list[T]:
    """Return the rows on screen, those nearest to the cursor first."""
    top = rows.scroll_offset.y
    at = sorted(range(top, top + rows.page_lines), key=lambda index: abs(index - rows.cursor))
    return [row for row in map(rows.source.row, at) if row is not None]


def nothing_to_mark(rows: Any) -> str | None:
    """Say so when the cursor is on no row."""
    return no_row(rows, "There is nothing here to mark.")


def nothing_marked(rows: Any) -> str | None:
    """Say so when no row is marked."""
    return None if rows.marks else "Nothing is marked."


def unless_marked(*guards: Callable[[Any], str | None]) -> tuple[Callable[[Any], str | None], ...]:
    """Return guards of the row under the cursor that say nothing while rows are marked."""

    def unmarked(guard: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
        def guarded(here: Any) -> str | None:
            return None if here.rows.marks else guard(here)

        guarded.__doc__ = guard.__doc__
        return guarded

    return tuple(map(unmarked, guards))


class Marking(Acts, scope="marks"):
    """Mix it in before a list: ``class Requests(Marking, VirtualList[Row])``."""

    _range_from: str | None = None
    """The id of the row that a range begins at: rows may move before it ends."""

    def on_mount(self) -> None:
        """Tell the place where its marks are: actions for one row ask there."""
        place_of(self._rows).marking = self._rows

    @property
    def _rows(self) -> VirtualList[Any]:
        return cast("VirtualList[Any]", self)

    @action("space", "mark", unless=nothing_to_mark, show=6, group="Mark", stages=True,
            takes="none")  # fmt: skip
    def mark(self) -> None:
        """Mark or unmark the row, and go on to the next."""
        rows = self._rows
        if rows.selected_id is not None:
            rows.set_marks(rows.marks ^ {rows.selected_id})
            rows.move(1)

    @action(
        "v", "mark range", unless=nothing_to_mark, show=False, group="Mark", stages=True,
        takes="none",
    )  # fmt: skip
    def mark_range(self) -> None:
        """Mark the row and begin a range here; the second time, mark all from there to here."""
        rows = self._rows
        start = None if self._range_from is None else rows.source.index_of(self._range_from)
        if start is None:
            self._range_from = rows.selected_id
            rows.set_marks(rows.marks | {rows.selected_id or ""})
            place_of(rows).say("The range begins here. Move, then v marks up to there.")
            return
        low, high = sorted((start, rows.cursor))
        self._range_from = None
        found = (rows.source.row(index) for index in range(low, high + 1))
        rows.set_marks(rows.marks | {rows.source.key(row) for row in found if row is not None})

    @action(
        "*", "mark all shown", unless=nothing_to_mark, show=False, group="Mark", stages=True,
        takes="none",
    )  # fmt: skip
    def mark_all(self) -> None:
        """Mark every row that is shown and has been read."""
        rows = self._rows
        rows.set_marks(rows.marks | {rows.source.key(row) for row in rows.source.shown()})

    @action(
        "ctrl+\\", "clear marks", unless=nothing_marked, show=False, group="Mark", stages=True,
        takes="none",
    )  # fmt: skip
    def clear_marks(self) -> None:
        """Unmark everything."""
        self._range_from = None
        self._rows.set_marks(())


@dataclass(frozen=True)
class Column(Generic[T]):
    """A column: ``render`` gives its text; ``width`` cells, or a share ``flex`` of the rest.

    When the list is too narrow, columns with the highest ``drop`` go first; 0 stays. ``minimum`` is
    the least width of a flexible column before others are dropped for it. A column with ``most``
    grows to that many cells where flexible ones keep their minimum and none is dropped for it;
    ``fitted`` gives its text for a width, where cutting the end would lose what matters. ``spoken``
    gives what is told of a row where its cell is no words, from the row and the text of the cell.
    """

    key: str
    title: str
    render: Callable[[T], str | Text]
    width: int = 0
    flex: int = 0
    align: Literal["left", "right"] = "left"
    drop: int = 0
    minimum: int = 12
    most: int = 0
    fitted: Callable[[T, int], str | Text] | None = None
    spoken: Callable[[T, str], str] | None = None

    def cell(self, row: T, cells: int) -> str | Text:
        """Return what it shows of a row in so many cells."""
        return self.render(row) if self.fitted is None else self.fitted(row, cells)


def unspoken(_row: object, _said: str) -> str:
    """Return what is told of a cell that only draws: nothing."""
    return ""


GROWS_TO = 12
"""Cells that a column grows to at most for a number."""

_NUMBER = re.compile(r"[^\W\d_]")


def needs(column: Column[T], content: str | Text, cells: int) -> int:
    """Return how many cells a number needs that would be cut; 0 for one that fits, and for words.

    A number that is cut reads as another number.
    """
    text = content if isinstance(content, str) else content.plain
    if column.flex or len(text) <= cells or len(text) > GROWS_TO:
        return 0
    number = any(map(str.isdigit, text)) and not _NUMBER.search(text)
    if not number and not (column.align == "right" and text.lstrip("+-~ ")[:1].isdigit()):
        return 0
    length = cell_len(text)
    return length if length > cells else 0


def cells_of(column: Column[T], row: T, content: str | Text) -> int:
    """Return how many cells all of a content takes; ``content`` is what is drawn of it."""
    if column.fitted is not None and column.flex:
        content = column.render(row)
    return len(content) if isinstance(content, str) and content.isascii() else cell_length(content)


def cell_length(content: str | Text) -> int:
    return cell_len(content) if isinstance(content, str) else content.cell_len


def laid_out(rows: VirtualList[T], width: int) -> list[tuple[Column[T], int]]:
    """Return the columns of a list that there is room for, with their widths."""
    columns = [
        replace(column, width=max(column.width, rows._grown.get(column.key, 0)))
        for column in own_columns(rows)
    ]
    part = part_of(rows)
    return lay_out(columns, width - GUTTER - 1, rows._longest, 0 if part is None else part.taken)


def widens(
    rows: VirtualList[T], column: Column[T], row: T, content: str | Text, cells: int
) -> bool:
    """Whether columns are widened for a content that would be cut: then rows are drawn again.

    What is longest in each column is looked for only now, and only among the rows on screen.
    """
    if more := needs(column, content, cells):
        rows._grown[column.key] = more
        if rows._longest:
            rows._longest[column.key] = max(more, rows._longest.get(column.key, 0))
    elif cells_of(column, row, content) <= max(cells, rows._longest.get(column.key, 0)):
        return False
    else:
        top, shown = rows.scroll_offset.y, rows._layout
        on_screen = map(rows.source.row, range(top, top + rows.page_lines))
        for each in (row, *(found for found in on_screen if found is not None)):
            for one, wide in shown:
                length = cells_of(one, each, one.cell(each, wide))
                rows._longest[one.key] = max(length, rows._longest.get(one.key, 0))
        want_room(rows)
        if laid_out(rows, rows._layout_width) == rows._layout:
            return False
    rows._layout_width, rows._head = -1, None
    rows.call_later(rows.refresh)
    return True


def part_of(rows: VirtualList[Any]) -> Part | None:
    """Return the part of a place that a list is in; None for one in a dialog."""
    return next((each for each in rows.ancestors if isinstance(each, Part)), None)


def want_room(rows: VirtualList[Any]) -> None:
    """Ask for as many cells as the rows on screen need to be whole."""
    if (part := part_of(rows)) is not None:
        cells = [
            max(rows._longest.get(column.key, cells), cell_len(column.title) + 1)
            for column, cells in rows._layout
        ]
        shown = [column for column, _ in rows._layout]
        taken = GUTTER + sum(cells) + gaps(shown) + 1
        part.want(taken + rows.outer_size.width - rows.line_width)


def by_content(column: Column[T], items: Iterable[T], most: int) -> Column[T]:
    """Return a column as wide as its longest cell: at least ``column.width``, at most ``most``."""
    cells = (column.render(item) for item in items)
    longest = max(map(cell_length, cells), default=0)
    return replace(column, width=max(column.width, min(longest, most)))


_TOLD: WeakSet[Screen[Any]] = WeakSet()
"""The screens that have said which columns there are not."""


def wanted_columns(rows: VirtualList[Any]) -> ListColumns | None:
    """Return the columns that the settings want of a list; None of what is no list of a screen.

    A screen whose ``keeps_columns`` is true shows those of a view.
    """
    screen, session = rows.screen, getattr(rows.app, "session", None)
    if session is None or getattr(screen, "keeps_columns", False):
        return None
    wanted = session.lists.get(getattr(screen, "PLACE", ""))
    main = next(iter(screen.query(".-main VirtualList")), None) if wanted else None
    return wanted if main is rows else None


def own_columns(rows: VirtualList[T]) -> Sequence[Column[T]]:
    """Return the columns of a list: those that the settings want, where they want some of them."""
    wanted = wanted_columns(rows)
    if wanted and rows.screen not in _TOLD:
        _TOLD.add(rows.screen)
        rows.call_after_refresh(tell_unknown_columns, rows)
    by_key = {column.key: column for column in rows.columns}
    chosen = [by_key[key] for key in (wanted.columns if wanted else ()) if key in by_key]
    return chosen or rows.columns


def tell_unknown_columns(rows: VirtualList[Any]) -> None:
    """Say on the screen which columns the settings want that its list does not have."""
    wanted = wanted_columns(rows) if rows.is_attached else None
    # Others that it has with other rows are no mistake.
    known = dict.fromkeys([*(each.key for each in rows.columns), *place_of(rows).COLUMNS])
    said = unknown_columns(wanted, known) if wanted else ()
    if said:
        place_of(rows).say(" ".join(said), "warn")


ROOMY = 64
"""The cells of a flexible column that are enough: beyond them others grow to twice their most."""


def lay_out(
    columns: Sequence[Column[T]],
    width: int,
    longest: Mapping[str, int] = MappingProxyType({}),
    taken: int = 0,
) -> list[tuple[Column[T], int]]:
    """Return the columns that fit ``width`` cells with their widths, and the blanks between them.

    Where the ``longest`` content of a column would be cut, it has cells that others do not use.
    What was ``taken`` from other panes is for what was cut, and not for more columns.
    """
    shown, dropped = list(columns), list[Column[T]]()
    while _cells(shown) > width - taken and any(column.drop for column in shown):
        dropped.append(max(shown, key=lambda column: column.drop))
        shown.remove(dropped[-1])
    for column in reversed(dropped):  # a narrow one may have room again, since a wide one went
        wider = [each for each in columns if each in shown or each is column]
        if _cells(wider) <= width - taken:
            shown = wider
    flexible = [column for column in shown if column.flex]
    fixed = sum(column.width for column in shown if not column.flex) + gaps(shown)
    least = sum(map(_least, flexible))
    spare = max(0, width - fixed - least)
    grown: dict[str, int] = {}
    for column in shown:
        grown[column.key] = min(spare, max(0, column.most - column.width))
        spare -= grown[column.key]
    beyond = max(0, spare + least - ROOMY * len(flexible))
    for column in shown:
        more = min(beyond, column.most)
        grown[column.key] += more
        beyond -= more
    left = max(0, width - fixed - sum(grown.values()))
    widths = {column.key: column.width + grown[column.key] for column in shown}
    widths |= _shares(flexible, left)
    if longest:
        _use_blanks(shown, widths, longest)
    return [(column, widths[column.key]) for column in shown]


def gap(before: Column[Any], after: Column[Any]) -> int:
    """Return the blanks between two columns: two where numbers and words would meet, else one."""
    return 2 if before.align == "right" and after.align == "left" else 1


def gaps(columns: Sequence[Column[Any]]) -> int:
    """Return all blanks between columns."""
    return sum(gap(before, after) for before, after in pairwise(columns))


def _cells(columns: Sequence[Column[Any]]) -> int:
    """Return the cells that columns take at least, with the blanks between them."""
    return sum(_least(each) if each.flex else each.width for each in columns) + gaps(columns)


def _least(column: Column[T]) -> int:
    return max(column.minimum, column.width)


def _shares(flexible: Sequence[Column[T]], cells: int) -> dict[str, int]:
    """Share cells among flexible columns: each has its minimum where there is room for all."""
    parts = sum(column.flex for column in flexible)
    if sum(map(_least, flexible)) <= cells:
        for column in flexible:
            if cells * column.flex // parts < (least := _least(column)):
                others = [each for each in flexible if each is not column]
                return {column.key: least, **_shares(others, cells - least)}
    widths = {}
    for column in flexible:
        widths[column.key] = cells * column.flex // parts
        cells, parts = cells - widths[column.key], parts - column.flex
    return widths


def _use_blanks(
    columns: Sequence[Column[T]], widths: dict[str, int], longest: Mapping[str, int]
) -> None:
    """Give cells that are blank in all rows to columns that are cut, those that lack least first.

    What has more blanks gives more of them; the titles of the columns stay whole.
    """
    blanks: dict[str, int] = {}
    lacking: dict[str, int] = {}
    for column in columns:
        key = column.key
        content = longest.get(key, widths[key])
        blanks[key] = max(0, widths[key] - max(content, cell_len(column.title) + 1))
        lacking[key] = max(0, content - widths[key])
    given = left = min(sum(blanks.values()), sum(lacking.values()))
    for nth, key in enumerate(sorted(lacking, key=lambda key: lacking[key])):
        more = min(lacking[key], -(-left // (len(lacking) - nth)))
        widths[key], left = widths[key] + more, left - more
    room = sum(blanks.values())
    for key, blank in blanks.items():
        less = given * blank // max(1, room)
        widths[key], given, room = widths[key] - less, given - less, room - blank


_BRIGHT = Style(dim=False)


def over(style: Style, own: Style) -> Style:
    """Return a style laid over that of its row.

    In a row that is drawn reversed colours would be blocks, each behind its own word: there the
    row has one colour, and weight and lines alone tell things apart.
    """
    return style + (own.without_color + _BRIGHT if style.reverse else own)


def fit(
    content: str | Text, width: int, align: str, style: Style, console: Console
) -> list[Segment]:
    """Return segments exactly ``width`` cells wide, cut with an ellipsis when too long.

    What strangers wrote is made safe here at the latest, for every list.
    """
    if width <= 0:
        return []
    if isinstance(content, str):
        content = clean(content)
        length = len(content) if content.isascii() else cell_len(content)
        if length > width:
            more = glyphs().more
            cut = content[: width - 1] if content.isascii() else set_cell_size(content, width - 1)
            return [Segment(cut + more, style)]
        space = " " * (width - length)
        return [Segment(space + content if align == "right" else content + space, style)]
    if (safe := clean(content.plain)) != content.plain:
        content = Text(safe, content.style)
    length = content.cell_len
    if length > width:
        content = content.copy()
        content.truncate(width - 1)
        content.append(glyphs().more)
        length = content.cell_len
    whole = style
    if content.style:  # Rich leaves it out where a text has no spans
        whole = over(style, console.get_style(content.style))
    segments = [
        Segment(cell, over(whole, own) if own else whole)
        for cell, own, _ in content.render(console)
        if cell
    ]
    if length < width:
        at = 0 if align == "right" else len(segments)
        segments.insert(at, Segment(" " * (width - length), style))
    return segments
