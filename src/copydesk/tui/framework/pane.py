"""The base of everything that fills a pane and is drawn line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from rich.segment import Segment
from rich.style import Style
from rich.text import Span, Text
from textual import events
from textual.geometry import Offset, Region, Size, Spacing
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from copydesk.domain.keymap import THEIRS, with_keys
from copydesk.present.facts import HINT
from copydesk.tui.framework.actions import Acts, actions_of, away
from copydesk.tui.framework.desk_app import desk_of, keyboard_of
from copydesk.tui.framework.inside_textual import LaidOutOnce, begin_bar, clear_lines, put_title

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.widget import Widget

    from copydesk.domain.filter import Fields
    from copydesk.tui.framework.base_app import BaseApp
    from copydesk.tui.framework.desk_app import DeskApp

HEIGHTS = [(0, "-tiny"), (12, "-short"), (20, "-tall")]
"""The shapes of a screen by the lines of the terminal."""

BARE_LINES = 9
"""Below this many lines nothing has a frame, so that rows are still to be seen."""

_NO_PADDING = Spacing()

KEPT_BLANKS = 8
"""Looks of an empty line that are kept."""

KEPT_FRAMED = 128
"""Lines kept with their frame for the next drawing; bounds the memory of a long scroll."""


Found = Literal["", "beyond", "around"]
"""Where the next match is: nowhere else, beyond the last one, or around the end of the text."""


def went_on(by: int) -> str:
    """Return what is said when a search went around the end (1) or the beginning (-1)."""
    return f"The search went on from the {'top' if by > 0 else 'end'}."


def is_bare(size: Size) -> bool:
    """Whether a terminal of that size has no lines to spare for frames."""
    return size.height < BARE_LINES


class Pane(Acts, ScrollView, can_focus=True, can_focus_children=False):
    """A focusable, scrolling area that draws only its visible lines.

    The movement keys of a place call `move`, `move_page`, `move_first`, `move_last`; searching
    calls `find`. A pane that cannot do one of them answers False, and the reader is told so.
    """

    ALLOW_MAXIMIZE = False
    leads = ""
    """The group of actions that come first in the footer while this pane has the focus."""

    title: reactive[str] = reactive("", layout=False, repaint=False)
    """What the border says; plain text, never markup."""

    def on_mount(self) -> None:
        """Show the title it began with, and tell its place that it is there."""
        self._panes: dict[Pane, None] = getattr(self.screen, "mounted_panes", {})
        self._panes[self] = None
        self.retitle()

    def on_unmount(self) -> None:
        """Tell its place that it is gone."""
        self._panes.pop(self, None)

    def watch_title(self) -> None:
        """Show the title on the border."""
        self.retitle()

    def waits_changed(self) -> None:
        """Show again which objects here have waiting writes."""

    def retitle(self) -> None:
        """Build the border's title again."""
        title = self.title_line()
        if title != self.border_said:
            self.border_said = title
            put_title(self, title)
            gutter = self.gutter
            self.refresh(Region(-gutter.left, -gutter.top, self.outer_size.width, 1))

    def title_line(self) -> str:
        """Return the whole title; panes that know more than a title add it here."""
        return self.title

    def __init__(
        self, *, title: str = "", empty: str = "", id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(Pane.title, title)
        self.empty = empty
        self._framed = FramedLines(self)
        self._blanks: dict[tuple[int, Style], Strip] = {}

    border_said = ""
    """The title that the border says."""

    fields: Fields[Any] | None = None
    """What its filter knows by name; None where it takes only words."""

    @property
    def place_reads(self) -> Any:
        """The `Reads` of its place; None in a dialog, and once it was taken off its screen."""
        return getattr(self.screen, "reads", None) if self.is_attached else None

    def nothing_said(self, text: str) -> str:
        """Return what stands where there is nothing to show: ``text``, or that all is empty."""
        aside = any(each.has_class("-side") for each in self.ancestors)
        nowhere = "" if aside else getattr(self.screen, "nowhere", "")
        misread = "" if self.place_reads is None else self.place_reads.misread_note
        return offered(self, nowhere or misread or text)

    def start_at(self, id: str) -> None:
        """Put the cursor on what has an id, as soon as that is there."""

    @property
    def not_yet(self) -> bool:
        """Whether what the cursor moves over is still being read: keys that move it wait."""
        return False

    @property
    def on_nothing(self) -> bool:
        """Whether its cursor is on nothing, because there is nothing that it moves over."""
        return False

    def move(self, lines: int) -> bool:
        """Move the cursor (or scroll) by that many lines."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)
        return True

    def move_page(self, pages: float) -> bool:
        """Move by that share of the visible height."""
        height = max(1, self.page_lines)
        lines = max(1, int(height * abs(pages)))
        return self.move(lines if pages > 0 else -lines)

    def move_first(self) -> bool:
        """Go to the first line."""
        self.scroll_to(y=0, animate=False)
        return True

    def move_last(self) -> bool:
        """Go to the last line."""
        self.scroll_to(y=self.max_scroll_y, animate=False)
        return True

    @property
    def page_lines(self) -> int:
        """How many lines of content are visible."""
        return self.scrollable_content_region.height

    def find(self, text: str) -> bool:
        """Start a search (or a filter) for ``text``; False when a search finds nothing."""
        return False

    def find_next(self, direction: int) -> Found:
        """Go to the next (1) or previous (-1) match, and return where that is."""
        return ""

    def find_clear(self) -> bool:
        """End a search or a filter; False when there is none to end."""
        return False

    @property
    def found(self) -> str:
        """The text searched for; empty when there is no search."""
        return ""

    def refresh_rows(self) -> None:
        """Draw everything again and drop the cached lines."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Follow a change of theme or focus."""
        super().notify_style_update()
        self.refresh_rows()

    # Drawing

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar at the right, made when it is first asked for."""
        return begin_bar(
            self,
            lambda: SteadyScrollBar(
                vertical=True, name="vertical", thickness=self.scrollbar_size_vertical
            ),
        )

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the visible lines; one that was framed before, at any height, is used again."""
        if not self.is_attached or self.styles.padding != _NO_PADDING:
            return super().render_lines(crop)
        return self._framed.draw(crop, super().render_lines)

    @property
    def line_width(self) -> int:
        """How many cells a line of content takes; measured once for all lines of a drawing."""
        return self._framed.width or self.scrollable_content_region.width

    @property
    def first_line(self) -> int:
        """Which line of content is at the top; looked up once for all lines of a drawing."""
        return self._framed.first if self._framed.width else self.scroll_offset.y

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw other lines; the bar beside them draws itself when its thumb moves."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if round(old_value) != round(new_value):
            self.refresh(self.scrollable_content_region.reset_offset)

    def put_cursor(self, y: int) -> None:
        """Place the real terminal cursor at a line of content, for screen readers and tmux."""
        if self.has_focus:
            self.app.cursor_position = self.content_region.offset + Offset(0, y)

    def on_resize(self, event: events.Resize) -> None:
        """Draw for the new width."""
        self.refresh_rows()

    def resize_lines(self, lines: int) -> None:
        """Set how long the content is, which sizes the scroll bar.

        Where there is no bar, before as after, there is nothing to lay out, nor where one stays.
        """
        size, lengths = Size(0, lines), (lines, self.virtual_size.height)
        if max(lengths) <= self.page_lines:
            self.set_reactive(Pane.virtual_size, size)
        elif min(lengths) > self.page_lines and _bar_stays(self):
            self.set_reactive(Pane.virtual_size, size)
            _follow_length(self)
        elif self.virtual_size != size:
            self.virtual_size = size

    def blank(self, width: int, style: Style) -> Strip:
        """Return an empty line: the same strip for the same look, so that it is framed once."""
        key = width, style
        strip = self._blanks.get(key)
        if strip is None:
            if len(self._blanks) >= KEPT_BLANKS:
                self._blanks.clear()
            strip = self._blanks[key] = Strip([Segment(" " * width, style)], width)
        return strip


class FramedLines:
    """The lines of a pane with their frame, each known by its content.

    Textual keeps lines by where they are on the screen, so that a scroll by one frames, styles and
    encodes all of them anew. Known by their content, a scroll frames one.
    """

    def __init__(self, pane: Pane) -> None:
        self._pane = pane
        self._looks: object = None
        """What the frame of a line was made of; another look forgets all of them."""
        self._kept: dict[object, tuple[object, Strip]] = {}
        """A line's content and the line with its frame, by what tells its content."""
        self.width = self.first = 0
        """The cells of a line, and the line of content at the top, while lines are drawn."""

    def __len__(self) -> int:
        return len(self._kept)

    def draw(self, crop: Region, frame: Callable[[Region], list[Strip]]) -> list[Strip]:
        """Return the lines of a part of the pane; ``frame`` draws those that are not kept."""
        pane, kept = self._pane, self._kept
        looks = (
            pane.outer_size, pane.content_size, crop.column_span, pane.gutter, pane.styles.border,
            pane.background_colors, pane.opacity, pane.styles.tint, pane.app.theme,
        )  # fmt: skip
        if looks != self._looks:
            kept.clear()
            self._looks = looks
        while len(kept) > KEPT_FRAMED:
            del kept[next(iter(kept))]
        top = pane.gutter.top
        end = top + pane.content_size.height
        title = pane.border_said
        self.width, self.first = pane.scrollable_content_region.width, pane.scroll_offset.y
        keys: list[object] = []
        missing: dict[object, tuple[int, object]] = {}
        for at, y in enumerate(crop.line_range):
            # A line of content is known by its strip, which is kept beside it: an id is one only
            # while the thing lives. A line of the frame is known by what is written on it.
            content: object = pane.render_line(y - top) if top <= y < end else title
            key: object = id(content) if content is not title else (y, title)
            keys.append(key)
            if key not in kept:
                missing.setdefault(key, (at, content))
        clear_lines(pane, crop)
        new = list(missing.items())
        for run in _runs([at for _, (at, _) in new]):
            part = Region(crop.x, crop.y + new[run.start][1][0], crop.width, len(run))
            for nth, line in zip(run, frame(part), strict=True):
                key, (_, content) = new[nth]
                kept[key] = content, line
        self.width = 0
        return [kept[key][1] for key in keys]


def line_of(segments: list[Segment], width: int, style: Style) -> Strip:
    """Return segments as one line of so many cells: cut, or filled up in a style.

    Those of one style are joined. Each strip on the way to this one would cost as much as it.
    """
    fitted = Segment.adjust_line_length(segments, width, style)
    return Strip(Segment.simplify(fitted), width)


def _bar_stays(pane: Pane) -> bool:
    """Whether a pane with more lines than it shows has a bar, whatever else changes."""
    return pane.show_vertical_scrollbar and not pane.styles.auto_dimensions


def _follow_length(pane: Pane) -> None:
    """Have the thumb of a bar, and the first line that is shown, follow how long a pane is."""
    pane.vertical_scrollbar.window_virtual_size = pane.virtual_size.height
    pane.scroll_y = min(pane.scroll_y, pane.max_scroll_y)


def _runs(lines: Sequence[int]) -> Iterator[range]:
    """Cut ascending line numbers into stretches without a gap, as ranges of their places."""
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or lines[at] != lines[at - 1] + 1:
            yield range(start, at)
            start = at


class PaneActs(Acts):
    """Actions of a pane in an object of their own, which the pane has among its ``first``."""

    def __init__(self, pane: Pane) -> None:
        self._on = pane

    @property
    def screen(self) -> Any:
        """The screen of the pane: the keyboard asks every owner of actions for it."""
        return self._on.screen

    @property
    def app(self) -> BaseApp:
        """The program."""
        return cast("BaseApp", self._on.app)

    @property
    def is_attached(self) -> bool:
        """Whether the pane is there."""
        return self._on.is_attached


STEPS = 8
"""Steps of the thumb within one cell, as Textual draws them."""


class WholeCells(ScrollBarRender):
    """A bar whose thumb ends where a cell does: no block signs, for terminals that lack them."""

    VERTICAL_BARS: ClassVar[list[str]] = [ScrollBarRender.BLANK_GLYPH] * STEPS
    HORIZONTAL_BARS: ClassVar[list[str]] = [ScrollBarRender.BLANK_GLYPH] * STEPS


def draw_bars(style: str) -> None:
    """Draw every scroll bar with signs of a style, as `copydesk.session.glyphs.use` takes it."""
    ScrollBar.renderer = WholeCells if style == "ascii" else ScrollBarRender


class SteadyScrollBar(LaidOutOnce, ScrollBar):
    """Textual's scroll bar; in a list of 100,000 rows one row down does not move its thumb."""

    def render(self) -> RenderableType:
        """Draw the thumb where its pane is scrolled to now, with the sizes that it has now.

        Textual moves it with a scroll while the bar is shown only, and not when a size changes: a
        pane that scrolled before the layout that gives it its bar had the thumb at the top.
        """
        if isinstance(self.parent, Pane):
            at = self.validate_position(self.parent.scroll_y)
            self.set_reactive(SteadyScrollBar.position, at)
        return super().render()

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


_KEY = r"(?:[A-Za-z<>]|ctrl\+[a-z])"


_TOLD = (
    rf"(?:^|(?<=[.;:,!?]) | {{3}}|\()(?:Esc, then )?(?P<key>{_KEY})"
    rf"(?:(?: and {_KEY})+ [a-z]+|(?:, then {_KEY}| in [A-Z]\w+)? [a-z]+s)\b[^.;)]*[.;)]?"
)
"""A sentence, or a part of one, that begins with a key: ``ctrl+n makes one.`` Only a session that
just reads compiles it: no other start waits for that."""


def _reads_only(owner: Widget) -> DeskApp | None:
    """Return the program where its session only reads."""
    app = desk_of(owner)
    session = getattr(app, "session", None)
    return app if session is not None and session.read_only else None


def offered(owner: Widget, text: str) -> str:
    """Return a text of our own as it is to be shown: with the keys of this user, and without what
    names keys that are away.
    """
    app, keyboard = _reads_only(owner), keyboard_of(owner)
    if app is not None and text:
        text = _without_those_away(app, owner, text)
    return text if keyboard is None else keyboard.said(text, owner)


def _without_those_away(app: DeskApp, owner: Widget, text: str) -> str:
    chain = app.keyboard.chain(owner.screen)
    actions = actions_of(chain)
    there = {
        None,
        *(key for _, each in actions if not away(app.session, each) for key in each.keys),
    }
    left = re.sub(f"{THEIRS}|{_TOLD}", lambda told: told[0] if told["key"] in there else "", text)
    if left == text:
        return text
    left = left.rstrip(" ,;:")
    return f"{left}." if left and left[-1].isalnum() and text.endswith(".") else left


def offered_text(owner: Widget, text: Text) -> Text:
    """Do the same with the hints (`hint`) in a text, and leave all else of it as it is."""
    keyboard = keyboard_of(owner)
    if _reads_only(owner) is None and (keyboard is None or not keyboard.keymap):
        return text
    left = _told_anew(text, filter(_is_hint, text.spans), partial(offered, owner))
    if left is not text:
        left.rstrip()
    return left


def keyed(owner: Widget, text: Text) -> Text:
    """Return a text of a dialog with this user's keys: in hints, and where it shows a key alone."""
    keyboard = keyboard_of(owner)
    if keyboard is None or not (renamed := keyboard.renamed(owner)):
        return text

    def tell(said: str) -> str:
        key = said.strip()
        return said.replace(key, renamed[key]) if key in renamed else with_keys(said, renamed)

    def is_key(span: Span) -> bool:
        said = text.plain[span.start : span.end]
        alone = span.style == "accent" and said.strip() in renamed
        return alone or (span.style in ("accent", "muted") and "+" in said)

    return _told_anew(text, (each for each in text.spans if _is_hint(each) or is_key(each)), tell)


def _is_hint(span: Span) -> bool:
    return isinstance(span.style, Style) and bool(span.style.meta.get(HINT))


def _told_anew(text: Text, parts: Iterable[Span], tell: Callable[[str], str]) -> Text:
    """Return a text with some parts told by ``tell``, in the styles that each has as a whole."""
    marked = sorted((part.start, part.end) for part in parts)
    if not marked:
        return text
    left, at = Text(style=text.style), 0
    for start, end in marked:
        if start < at:
            continue  # within the one before
        said = text[start:end]
        told = tell(said.plain)
        left.append_text(text[at:start])
        if told != said.plain:
            whole = (span.style for span in said.spans if span.end - span.start == len(said))
            said = Text(told, said.style, spans=[Span(0, len(told), style) for style in whole])
        left.append_text(said)
        at = end
    return left.append_text(text[at:])
