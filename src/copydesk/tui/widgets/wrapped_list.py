"""A list whose rows are of differing heights: lines of a diff, messages of a thread.

Nothing is measured ahead: the screen is filled from the top row downward, as a text editor does, so
a key press costs what the screen shows, however many rows there are and however they wrap. The
scroll bar counts rows.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip

from copydesk.domain.filter import fold, places
from copydesk.present.markdown import Line, Look, wrap_exact
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.pane import Found, Pane, PaneActs, line_of

if TYPE_CHECKING:
    from copydesk.present.markdown import Span
    from copydesk.present.tables import TableColumns

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

    @action("z t", "turn tables", word="turn_tables",
            unless=nothing_turns, show=False, group="Look")  # fmt: skip
    def turn(self) -> None:
        """Show rows of tables as names with values, or as columns; front matter as its source."""
        look = self.pane.look
        self.pane.show_as(look._replace(turned=not look.turned))


class SpanPane(Pane):
    """Draws a line of spans once, however often and wherever it is shown."""

    KEEPS = 48
    look = Look(0)
    """How its tables are shown."""

    def tables_in_view(self) -> Sequence[TableColumns]:
        """Return the shown columns of the tables that are at least partly on screen."""
        return ()

    @property
    def turns(self) -> bool:
        """Whether anything in view has another form."""
        return bool(self.tables_in_view())

    def show_as(self, look: Look) -> None:
        """Show tables in another way, staying at the same passage."""
        self.look = look

    def __init__(self, *, title: str = "", empty: str = "", id: str | None = None) -> None:
        super().__init__(title=title, empty=empty, id=id)
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
            if self._found and self._found in fold("".join(text for text, _ in spans)):
                segments = self._lit(spans, base)
            else:
                segments = [
                    Segment(text, base + self.tone(tone) if tone else base) for text, tone in spans
                ]
            strip = line_of(segments, width, base)
            if len(self._drawn_spans) >= KEPT_STRIPS:
                del self._drawn_spans[next(iter(self._drawn_spans))]
            self._drawn_spans[key] = strip
        return strip

    def _lit(self, spans: Sequence[Span], base: Style) -> list[Segment]:
        text = Text.assemble(*((part, tone) if tone else part for part, tone in spans))
        for start, stop in places(text.plain, re.compile(re.escape(self._found))):
            text.stylize("match", start, stop)
        return [
            Segment(part, base + style if style else base)
            for part, style, _ in text.render(self.app.console)
            if part and part != "\n"
        ]


KEPT_ROWS = 512
"""Rows whose lines are kept for the next frame."""

MARGIN = 2
"""Lines kept in view above and below the cursor, where there is room."""


def around(start: int, direction: int, count: int) -> Iterator[int]:
    """Yield the numbers of so many rows from one on, down (1) or up (-1), around the end."""
    return ((start + step * direction) % count for step in range(count))


class WrappedList(SpanPane):
    """Rows that wrap, with a cursor. Subclasses say how many rows there are and how one is drawn.

    Posts `Moved` when the cursor comes to another row, and `Seen` when other rows are in view.
    """

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, rows: WrappedList) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> WrappedList:
            return self.rows

    class Seen(Moved):
        """Other rows are in view."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"pane--cursor", "pane--cursor-away"}

    def __init__(
        self, *, title: str = "", empty: str = "Nothing here.", id: str | None = None
    ) -> None:
        super().__init__(title=title, empty=empty, id=id)
        self._at = 0
        self._top = 0
        self._skip = 0
        self._kept: dict[int, list[Line]] = {}
        self._kept_width = 0
        self._screen_rows: list[tuple[int, int]] | None = None
        self._screen_size = (0, 0)
        self._seen: tuple[int, int] | None = None

    # What subclasses say

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def draw(self, row: int, width: int) -> list[Line]:
        """Return the lines of a row, at least one."""

    def row_text(self, row: int) -> str:
        """Return what a search looks at."""
        return "".join(text for line in self._lines(row) for text, _ in line)

    def stops(self, row: int) -> bool:
        """Whether the cursor stops at a row."""
        return True

    def tint(self, row: int) -> str:
        """Return the component class whose background a row has; empty for none."""
        return ""

    # Position

    @property
    def not_yet(self) -> bool:
        """Whether there is no row while its place is being read."""
        return not self.rows and self.place_reads is not None and self.place_reads.reading

    @property
    def cursor(self) -> int:
        """The row of the cursor."""
        return self._at

    @property
    def in_view(self) -> range:
        """The rows that are at least partly on screen."""
        screen = self._screen()
        return range(screen[0][0], screen[-1][0] + 1) if screen else range(0)

    def go_to(self, row: int, *, center: bool = False) -> None:
        """Put the cursor on a row (or the nearest one that it stops at) and show it.

        ``center`` shows what follows too, when the row is below the upper two thirds.
        """
        row = self._nearest(max(0, min(row, self.rows - 1)))
        moved = row != self._at
        self._at = row
        upper = self._screen()[: self._height * 2 // 3]
        if center and self.size and not any(row == shown for shown, _ in upper):
            self._top, self._skip = self._above(row, self._height // 3), 0
        self._settle()
        if moved:
            self.post_message(self.Moved(self))

    def go_to_top(self) -> None:
        """Scroll to the first row if that leaves the row under the cursor in view."""
        here = self._top, self._skip
        self._top = self._skip = 0
        if self.size and not any(row == self._at for row, _ in self._screen()):
            self._top, self._skip = here
        self._settle()

    def changed(self, *, top: bool = False) -> None:
        """Draw again after rows changed: from the top, or keeping cursor and scroll position."""
        self._kept.clear()
        if top:
            self._at = self._top = self._skip = 0
        self._at = self._nearest(max(0, min(self._at, self.rows - 1)))
        self._settle()

    def _nearest(self, row: int) -> int:
        for step in range(self.rows):
            for other in (row + step, row - step):
                if 0 <= other < self.rows and self.stops(other):
                    return other
        return max(0, row)

    @property
    def _height(self) -> int:
        return max(1, self.page_lines)

    @property
    def _width(self) -> int:
        return max(8, self.scrollable_content_region.width)

    def _lines(self, row: int) -> list[Line]:
        width = self._width
        if width != self._kept_width:  # also when the scroll bar comes or goes
            self._kept_width = width
            self._kept.clear()
        lines = self._kept.get(row)
        if lines is None:
            lines = self.draw(row, width)
            if len(self._kept) >= KEPT_ROWS:
                self._kept.clear()
            self._kept[row] = lines
        return lines

    def _above(self, row: int, lines: int) -> int:
        """Return the row so that at most ``lines`` lines are from its start to ``row``."""
        while row > 0 and (height := len(self._lines(row - 1))) <= lines:
            lines -= height
            row -= 1
        return row

    def _last_top(self) -> int:
        """Return the top row with which the last row ends the screen."""
        if not self.rows:
            return 0
        last = self.rows - 1
        room = self._height - len(self._lines(last))
        return self._above(last, room) if room >= 0 else last

    def _settle(self) -> None:
        """Bring the cursor into view and everything else in line with that."""
        if not self.size:
            return  # no row is out of sight before there is room
        height, at = self._height, self._at
        if self.rows:
            tall = len(self._lines(at)) > height
            if at != self._top or not tall:
                self._skip = 0
            margin = min(MARGIN, max(0, (height - len(self._lines(at))) // 2))
            if at <= self._top:
                if not (tall and at == self._top):
                    self._top = self._above(at, margin)
            else:
                room = height - len(self._lines(at))
                if at + 1 < self.rows:
                    room -= margin
                lowest = self._above(at, max(0, room))
                highest = self._above(at, margin)
                self._top = max(self._top, lowest)
                self._top = min(self._top, highest)
            if self._skip == 0:
                self._top = min(self._top, self._last_top())
        else:
            self._top = self._skip = 0
        self._screen_rows = None
        self.resize_lines(self._last_top() + height)
        if round(self.scroll_offset.y) != self._top:
            self.scroll_to(y=self._top, animate=False, force=True)
        self.refresh()
        self._show_cursor()
        self._tell_seen()

    def _tell_seen(self) -> None:
        view = self.in_view
        if (view.start, view.stop) != self._seen:
            self._seen = (view.start, view.stop)
            self.post_message(self.Seen(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel and the scroll bar."""
        super().watch_scroll_y(old_value, new_value)
        top = round(new_value)
        if top != self._top and self.is_attached:
            self._top, self._skip = max(0, min(top, self.rows - 1)), 0
            self._screen_rows = None
            self.refresh()
            self._show_cursor()
            self._tell_seen()

    def _screen(self) -> list[tuple[int, int]]:
        """Return (row, line of it) for each line on screen."""
        size = (self._width, self._height)
        if self._screen_rows is None or size != self._screen_size:
            self._screen_size = size
            found: list[tuple[int, int]] = []
            row, skip, height = self._top, self._skip, self._height
            while row < self.rows and len(found) < height:
                count = len(self._lines(row))
                found.extend((row, line) for line in range(skip, count))
                row, skip = row + 1, 0
            self._screen_rows = found[:height]
        return self._screen_rows

    def _show_cursor(self) -> None:
        for y, (row, _) in enumerate(self._screen()):
            if row == self._at:
                self.put_cursor(y)
                return

    # Moving

    def move(self, lines: int) -> bool:
        """Move by so many rows; within a row that is higher than the screen, by lines."""
        if not self.rows:
            return True
        step = 1 if lines > 0 else -1
        left = abs(lines)
        row = self._at
        if left == 1 and self._scroll_within(step):
            return True
        while left:
            other = row + step
            while 0 <= other < self.rows and not self.stops(other):
                other += step
            if not 0 <= other < self.rows:
                break
            row, left = other, left - 1
        if row == self._at and step < 0 and self._top > 0:
            # Rows at the top where the cursor does not stop come into view all the same.
            self.scroll_to(y=self._top - 1, animate=False)
            return True
        self.go_to(row)
        return True

    def _scroll_within(self, step: int) -> bool:
        count = len(self._lines(self._at))
        if self._at != self._top or count <= self._height:
            return False
        skip = self._skip + step
        if not 0 <= skip <= count - self._height:
            return False
        self._skip = skip
        self._screen_rows = None
        self.refresh()
        return True

    def move_page(self, pages: float) -> bool:
        if not self.rows:
            return True
        budget = max(1, int(self._height * abs(pages)))
        step = 1 if pages > 0 else -1
        row = self._at
        while 0 <= row + step < self.rows and budget > 0:
            row += step
            budget -= len(self._lines(row))
        self.go_to(row)
        return True

    def move_first(self) -> bool:
        self.go_to(0)
        if self._top:
            self.scroll_to(y=0, animate=False)
        return True

    def move_last(self) -> bool:
        self.go_to(self.rows - 1)
        return True

    def on_click(self, event: events.Click) -> None:
        screen = self._screen()
        y = event.y - self.gutter.top
        if 0 <= y < len(screen) and self.stops(screen[y][0]):
            event.stop()
            self.go_to(screen[y][0])

    # Searching

    def find(self, text: str) -> bool:
        """Search: light every match and go to the first one from here."""
        self._found = fold(text)
        found = not self._found or self._jump(1, around(self._at, 1, self.rows))
        self.refresh()
        return found

    def find_next(self, direction: int) -> Found:
        """Go to the next (1) or previous (-1) row that matches, around the end."""
        before, others = self._at, around(self._at + direction, direction, self.rows)
        if not self._found or not self._jump(direction, others):
            return ""
        return "beyond" if (self._at - before) * direction > 0 else "around"

    def find_clear(self) -> bool:
        was, self._found = self._found, ""
        self.refresh()
        return bool(was)

    def _jump(self, direction: int, rows: Iterable[int]) -> bool:
        for row in rows:
            if self.stops(row) and self._found in fold(self.row_text(row)):
                self.go_to(row, center=True)
                return True
        return False

    # Drawing

    def on_focus(self) -> None:
        self._show_cursor()
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def refresh_rows(self) -> None:
        """Forget drawn lines: the width or the theme changed."""
        self.forget_styles()
        self._kept.clear()
        self._screen_rows = None
        if self.is_attached:
            self._settle()

    def _ground(self, row: int) -> Style:
        """Return the style that all of a row has."""
        name = self.tint(row)
        if row == self._at and self.rows and self.stops(row):
            name = "pane--cursor" if self.has_focus else "pane--cursor-away"
        key = f"on {name}"
        style = self._styles.get(key)
        if style is None:
            style = self.base
            if name:
                own = self.get_component_rich_style(name)
                style += Style(bgcolor=own.bgcolor)
            self._styles[key] = style
        return style

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width = self._width
        screen = self._screen()
        if y >= len(screen):
            base = self._ground(-1)
            shown = self._said(y, width) if not self.rows else []
        else:
            row, line = screen[y]
            base = self._ground(row)
            shown = self._lines(row)[line]
            if row == self._at and line == (self._skip if row == self._top else 0):
                shown = self._pointed(shown)
        return self.strip_of(shown, base, width)

    def _pointed(self, shown: Line) -> Line:
        """Put the sign of the cursor into the blank that begins a line."""
        (lead, tone), *rest = shown
        if not lead.startswith(" ") or not self.stops(self._at):
            return shown
        return [(glyphs().cursor, "accent"), (lead[1:], tone), *rest]

    def _said(self, y: int, width: int) -> Line:
        """Return a line of the message shown where there are no rows."""
        lines = wrap_exact([(self.nothing_said(self.empty), "muted")], max(8, width - 2))
        return [(" ", ""), *lines[y]] if y < len(lines) else []
