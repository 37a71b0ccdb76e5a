"""What copydesk does otherwise than Textual, by names that Textual keeps to itself and may change.

Such names are used here alone, each with what it stands on: a method that begins with one
underscore overrides Textual's, and a function takes its name as Textual's own code does. For all
else the public way is taken. A new minor version of Textual is let in once the tests of this
module pass (`pyproject.toml`, `tests/tui/framework/test_inside_textual.py`).
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual import constants, events
from textual._compositor import ChopsUpdate as ChopsUpdate
from textual._compositor import Compositor
from textual._compositor import CompositorUpdate as CompositorUpdate
from textual._compositor import LayoutUpdate as LayoutUpdate
from textual._context import active_app
from textual.app import App
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Offset, Region, Size
from textual.screen import UPDATE_PERIOD, Screen
from textual.timer import EventTargetGone, Timer
from textual.widget import Widget
from textual.worker import WorkerFailed, active_worker

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual._xterm_parser import XTermParser
    from textual.driver import Driver
    from textual.drivers._writer_thread import WriterThread
    from textual.drivers.linux_driver import LinuxDriver
    from textual.message import Message
    from textual.scrollbar import ScrollBar
    from textual.strip import Strip

R = TypeVar("R")


class SteadyApp(App[None]):
    """A program that draws only what differs, and that one stopped worker does not end."""

    _begun = False
    """Whether it has its theme: to work out the colours of another takes time of the start."""
    _ends_badly = False
    """Whether an error has ended it."""
    _cursor_at = Offset()
    """Where the terminal's cursor was put with the last frame."""

    @property
    @abstractmethod
    def holds_frames(self) -> bool:
        """Whether nothing is to be drawn yet."""

    @abstractmethod
    def to_write(
        self, screen: object, frame: CompositorUpdate, *, writes: bool, moves: bool
    ) -> CompositorUpdate | None:
        """Return what of a frame is given to the terminal; None if neither that nor its cursor.

        Textual ``writes`` nothing in some states; ``moves``: the cursor is elsewhere than before.
        """

    @property
    @abstractmethod
    def explains(self) -> bool:
        """Whether an unexpected error is told in a sentence, and not as a traceback."""

    @abstractmethod
    def take(self, error: BaseException) -> None:
        """Save the typed text, and explain the error that ends the program."""

    @abstractmethod
    def note(self, error: BaseException) -> None:
        """Put an error into the log that ends nothing."""

    @property
    def terminal(self) -> Driver | None:
        """What talks to the terminal; None before it does."""
        return self._driver  # set by `App` as it starts to process messages

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop that it runs in; None before and after that."""
        return self._loop  # set and taken away by `App.run`

    def end_as_failed(self) -> None:
        """Have the process end with a status that tells of a failure."""
        self._return_code = 1  # `App.exit` sets it only while messages are processed

    def begin_with(self, theme: str) -> None:
        """Have a theme before there are styles: a change of it has all of them parsed again."""
        self._begun = True
        # The status line says it all, and no key has a tooltip: no screen needs a widget for those.
        # Public only as arguments of `App.run_test`; read by `Screen` as it composes.
        self._disable_notifications = self._disable_tooltips = True
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.add_class(f"-theme-{theme}")
        self.set_class(dark, "-dark-mode")
        self.set_class(not dark, "-light-mode")
        self._refresh_truecolor_filter(self.ansi_theme)  # as `App` does where the theme changes
        self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """Return the colours of the theme; none of Textual's own, before it begins with its own."""
        return super().get_css_variables() if self._begun else {}

    def failed(self, error: Exception) -> None:
        """End because of an error that nobody expected."""
        self._handle_exception(error)

    # Stands on: whatever goes wrong in a message pump or a worker comes to the app's.
    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._ends_badly:
            self.note(cause)  # only the first one is told: the others come of it
            return
        self.take(cause)
        self._ends_badly = True
        super()._handle_exception(error)

    # Stands on: what `_handle_exception` calls writes the traceback, and begins the end.
    def _fatal_error(self) -> None:
        """Say where the log is, instead of a wall of text."""
        if not self.explains:
            super()._fatal_error()
        else:
            self.bell()
            self.panic()

    # Stands on: every frame, and every part of one, passes it as an update of the compositor,
    # with the cursor behind it; it writes nothing in a batch (`_batch_count`) or once it is ended.
    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Draw a frame, or a part of one, with its texts made harmless."""
        if self.holds_frames:
            return
        if renderable is not None and not self.is_headless:
            writes, where = not self._batch_count and self.is_running, self._cursor_at
            if writes:  # else there may be no screen any more
                where = self.screen.outer_size.clamp_offset(self.cursor_position)
            frame = cast("CompositorUpdate", renderable)
            update = self.to_write(screen, frame, writes=writes, moves=where != self._cursor_at)
            if update is None:
                return
            self._cursor_at = where
            renderable = cast("RenderableType", update)
        super()._display(screen, renderable)

    # Stands on: a message pump handles each message in it, and ends without a word where it is
    # cancelled.
    async def _dispatch_message(self, message: Message) -> None:
        """Go on where only an awaited task was cancelled: else the program ends without a word.

        A worker that is stopped stops what it waits for, as that a screen is taken away; the
        program may wait for the same.
        """
        try:
            await super()._dispatch_message(message)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self.note(error)

    # Stands on: `App` has what `call_next` was given (`_next_callbacks`) done in it, in the task
    # of whoever waits for a screen that is put up.
    async def _flush_next_callbacks(self) -> None:
        """Run the callbacks of the next frame; a worker's dialog opens in a task of its own.

        Textual has that worker do it. Where the worker's place is being removed, the worker would
        wait for the removal, which cancels the worker, which cancels the removal half-way.
        """
        if active_worker.get(None) is None:
            await super()._flush_next_callbacks()
        elif self._next_callbacks:  # a turn of the loop for nothing would let a key pass the sheet
            await asyncio.shield(super()._flush_next_callbacks())


class LaidOutOnce(Widget):
    """A widget whose size is given by its surroundings, and changes nothing there.

    Textual lays out the whole screen once more after each layout in which a widget became larger or
    smaller: what it holds may have become too large for it, and need a scroll bar.
    """

    # Stands on: each layout tells each widget its size by it; with ``layout`` a change of it asks
    # for another one.
    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        return super()._size_updated(size, virtual_size, container_size, layout=False)


class FrameClock(Timer):
    """Has a frame drawn as soon as one is asked for, and the next one half a period later.

    Textual's own timer ticks at multiples of its period, and leaves one out after a pause: a key
    that came just after a frame was drawn two periods later. Here what a key changes waits for no
    frame but that of a key before it: often the one before it was of details, drawn as keys paused.
    """

    key_at = -math.inf
    """When a key was last pressed."""
    rest: asyncio.Future[None] | None = None
    """Ends the pause after a frame that no key asked for; None while there is no pause."""

    @classmethod
    def begin(cls, screen: Screen[Any], draw: Callable[[], None]) -> FrameClock:
        """Make the clock of a screen: paused, and stopped with the screen."""
        clock = cls(screen, UPDATE_PERIOD / 2, name="frames", callback=draw, pause=True)
        clock._start()
        screen._timers.add(clock)
        return clock

    # Stands on: the task of a timer runs it; `_active` is set while the timer is not paused.
    async def _run(self) -> None:
        asked_for: asyncio.Event = self._active
        app = active_app.get()
        with suppress(EventTargetGone):
            while await asked_for.wait():
                if isinstance(app, SteadyApp) and app._ends_badly:
                    return  # parts of the screen are gone
                for_key = time.monotonic() - self.key_at < self._interval
                await self._tick(next_timer=time.monotonic(), count=0)
                if for_key:
                    await asyncio.sleep(self._interval)
                else:
                    await self.pause_for_keys()

    async def pause_for_keys(self) -> None:
        """Wait half a period, or until a key is pressed."""
        loop = asyncio.get_running_loop()
        self.rest = loop.create_future()
        end = loop.call_later(self._interval, self.go_on)
        try:
            await self.rest
        finally:
            end.cancel()
            self.rest = None

    def go_on(self) -> None:
        """Wait no longer."""
        if self.rest is not None and not self.rest.done():
            self.rest.set_result(None)

    def hurry(self) -> None:
        """Have what a key changes drawn at once, unless another frame is about to be drawn."""
        self.key_at = time.monotonic()
        asked_for: asyncio.Event = self._active
        if not asked_for.is_set():
            self.go_on()


def hurry(screen: Screen[Any]) -> None:
    """Have what a key that was pressed changes on a screen drawn as soon as it is known."""
    if isinstance(clock := screen._update_timer, FrameClock):
        clock.hurry()


def sized_now(event: events.Event, size: Size) -> events.Event:
    """Return an event of a screen with the size that the terminal has by now, if it tells one.

    A screen tells itself the size that it was laid out for. Where a former one comes late, and
    anything else is told between the two, it would change from one to the other without end.
    """
    return events.Resize(size, size, size) if isinstance(event, events.Resize) else event


class SteadyScreen(Screen[R]):
    """The base of places and dialogs: it is put up and left at any moment, also as keys come."""

    _prepares = False
    _was_shown = False

    # Stands on: called once, when the app knows the screen, and before it is styled; a screen draws
    # with the compositor that it has by then.
    def _post_register(self, app: App[object]) -> None:
        super()._post_register(app)
        self._compositor = PartCompositor()
        # What follows from the size is known before anything is styled, and not only afterwards.
        width, height = app.size
        for cells, points in (
            (width, self.HORIZONTAL_BREAKPOINTS),
            (height, self.VERTICAL_BREAKPOINTS),
        ):
            if points:
                self.add_class(*self._get_breakpoint_classes(cells, points), update=False)

    # Stands on: called with each size that the terminal tells, and again as the screen is shown.
    def _screen_resized(self, size: Size) -> None:
        """Arrange nothing anew for the size it has: Textual tells of each size twice."""
        if size != self.outer_size:
            super()._screen_resized(size)

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call something after the next frame; not if the screen was left by then."""

        def unless_left() -> Any:
            return callback(*args, **kwargs) if self.is_attached else None

        return super().call_after_refresh(unless_left)

    # Stands on: what the screen resumes for a frame, and pauses once it is drawn.
    @cached_property
    def _update_timer(self) -> Timer:
        return FrameClock.begin(self, self._on_timer_update)

    def prepare_drawing(self) -> None:
        """Have `before_drawing` called before the next frame: once, however often it is asked."""
        if not self._prepares and self.is_attached:
            self._prepares = True
            self._update_timer.resume()

    def before_drawing(self) -> None:
        """Do what only has to be done for the frame that is drawn next."""

    # Stands on: the clock of a screen (`_update_timer`) calls it for a frame. A screen that has
    # just been drawn stops that clock, here and in `_refresh_layout`.
    def _on_timer_update(self) -> None:
        if self._prepares:
            self._prepares = False
            self.before_drawing()
        super()._on_timer_update()
        if self._prepares:
            self._update_timer.resume()

    # Stands on: see `_on_timer_update`.
    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        super()._refresh_layout(size, scroll)
        if self._prepares:
            self._update_timer.resume()

    async def on_event(self, event: events.Event) -> None:
        """Begin nothing in a screen that was left before it was drawn: it has no widgets."""
        if isinstance(event, events.ScreenResume) and not self._was_shown:
            self._was_shown = True
            event.refresh_styles = False  # its parts have got their styles when they were made
        left = self._pruning or not self.children  # set by `App` as it takes a screen away
        if not (left and isinstance(event, events.Mount)):
            await super().on_event(sized_now(event, self.app.size))

    # Stands on: called once, after the last message of a screen; widgets keep what they drew in
    # `_styles_cache`, and `_get_virtual_dom` has the scroll bars that `walk_children` leaves out.
    async def _message_loop_exit(self) -> None:
        # Textual remembers a thousand pairs of colours by the widget's own cache too: with what
        # that holds, every line that was drawn of the last thousand widgets would stay.
        for widget in self.walk_children(Widget, with_self=True):
            for part in (widget, *widget._get_virtual_dom()):
                part._styles_cache.clear()
        await super()._message_loop_exit()

    # Stands on: the app gives a screen keys, pastes and what the mouse does through it.
    def _forward_event(self, event: events.Event) -> None:
        """Let a click on a part that is gone already, and still to be seen, hit nothing."""
        if isinstance(event, events.MouseDown):
            try:
                widget, _ = self.get_widget_at(event.x, event.y)
            except NoWidget:
                widget = self
            if widget is not self and not widget.is_attached:
                return
        super()._forward_event(event)


class PartCompositor(Compositor):
    """Draws for a part of a frame only the widgets that it shows, and of each its lines there.

    Textual draws all that lie within the smallest rectangle around what changed, and most of those
    that do not: for one line of the details and the footer all of each widget of the screen.
    """

    _parts: Collection[Region] = ()

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return what changed, or None."""
        self._parts = self._dirty_regions.copy()  # emptied by the call
        try:
            return super().render_partial_update()
        finally:
            self._parts = ()

    # Stands on: each widget of a frame comes from it, those in front first, with where it lies,
    # what of that is seen, and the lines of what is seen.
    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterator[tuple[Region, Region, list[Strip]]]:
        if not self._parts:
            yield from super()._get_renders(crop)
            return
        parts = list(self._parts)
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if shown := [part for part in parts if seen.overlaps(part)]:
                lines = seen.intersection(Region.from_union(shown))
                lines = Region(seen.x, lines.y, seen.width, lines.height)
                yield region, lines, widget.render_lines(lines.translate(-region.offset))
                # Of what lies behind a part that it covers nothing is seen.
                parts = [part for part in parts if not seen.contains_region(part)]
                if not parts:
                    return


def forward(event: events.Event, widget: Widget) -> None:
    """Give an event to a widget, as when it comes from the terminal."""
    widget._forward_event(event)


async def give_way(screen: Screen[Any], other: Screen[Any]) -> None:
    """Put another screen where the one in front stands."""
    if not screen._result_callbacks:
        # Textual takes away what waits for a screen's result; the first screen has no such.
        screen._push_result_callback(screen, None)
    # Shielded: who asks may be a worker of the screen that goes, which is stopped as it is taken
    # away. That would stop what takes it away, which the program awaits as well.
    await asyncio.shield(screen.app.switch_screen(other))


def whole_frame(screen: Screen[Any]) -> LayoutUpdate:
    """Return the whole frame of a screen; its pending repaints stay pending."""
    compositor = screen._compositor
    waiting = compositor._dirty_regions.copy()
    update = compositor.render_full_update()
    compositor._dirty_regions |= waiting
    return update


def put_title(widget: Widget, title: str) -> None:
    """Set the border's title: `border_title` would have all of the widget drawn again."""
    widget._border_title = Content(title).expand_tabs(4).split()[0] if title else None


def clear_lines(widget: Widget, lines: Region) -> None:
    """Have lines made anew: `Widget.render_lines` returns what it kept of those not marked so."""
    widget._styles_cache.set_dirty(lines)


def begin_bar(widget: Widget, make: Callable[[], ScrollBar]) -> ScrollBar:
    """Return the scroll bar at the right, made where there is none; as `Widget` makes its own."""
    if widget._vertical_scrollbar is None:
        widget._vertical_scrollbar = bar = make()
        bar.display = False
        widget.app._start_widget(widget, bar)
    return widget._vertical_scrollbar


def write_through(driver: LinuxDriver, outlet: object) -> None:
    """Have a driver write to another file than the errors of the shell."""
    driver._file = cast("Any", outlet)  # read as the thread that writes is made


def writer_of(driver: LinuxDriver) -> WriterThread | None:
    """Return the thread that writes for a driver, if it lives: else `write` fails, or waits."""
    writer = driver._writer_thread
    return writer if writer is not None and writer.is_alive() else None


def may_restart(driver: LinuxDriver) -> bool:
    """Whether a driver takes the terminal again by itself, which no editor has in the meantime."""
    return driver._auto_restart  # `Driver.no_automatic_restart` sets it


def limit_size(driver: LinuxDriver, most: Size) -> None:
    """Have a driver tell of no larger terminal than that, whenever its size changes."""
    measure = driver._get_terminal_size

    def measured() -> tuple[int, int]:
        columns, rows = measure()
        return min(columns, most.width), min(rows, most.height)

    cast("Any", driver)._get_terminal_size = measured


class Pastes:
    """The input of a terminal, without escapes in pasted text.

    Textual takes an escape for the beginning of a sequence there too, and what follows it for keys
    that were pressed before the paste: a text would come in another order, and press keys.
    """

    BEGIN, END = "\x1b[200~", "\x1b[201~"

    def __init__(self) -> None:
        self._pasting = False
        self._held = ""
        """What of a paste may be the beginning of its end."""
        self._last = ""
        """What was read last outside of one, which may be the beginning of a paste."""

    def take(self, data: str) -> str:
        """Return text as it may be taken apart; the end of a paste may come with the next."""
        parts: list[str] = []
        while data:
            if self._pasting:
                pasted, end, data = (self._held + data).partition(self.END)
                self._held = ""
                if end:
                    self._pasting = False
                else:
                    self._held = next((e for e in _beginnings(self.END) if pasted.endswith(e)), "")
                    pasted = pasted.removesuffix(self._held) if self._held else pasted
                parts.append(_without_escapes(pasted) + end)
            else:
                both = self._last + data
                begins = both.find(self.BEGIN)
                if begins < 0:
                    self._last = both[-len(self.BEGIN) + 1 :]
                    parts.append(data)
                    break
                behind = both[begins + len(self.BEGIN) :]
                parts.append(data[: len(data) - len(behind)])
                self._pasting, self._last, data = True, "", behind
        return "".join(parts)


def _beginnings(mark: str) -> Iterable[str]:
    """Return what a mark may begin with, the longest first."""
    return (mark[:length] for length in range(len(mark) - 1, 0, -1))


def _without_escapes(text: str) -> str:
    """Return text with the control characters that pairs of an escape and a sign stand for."""
    return re.sub("\x1b([@-_])?", lambda pair: chr(ord(pair[1]) + 64) if pair[1] else "", text)


SAME_KEYS = {
    "\x1b[7^": "\x1b[1;5H",
    "\x1b[8^": "\x1b[1;5F",
    **{f"\x1b[{n}~": f"\x1b[{57376 + f}u" for f, n in enumerate((25, 26, 28, 29, *range(31, 35)))},
}
"""What some terminals send for a key that Textual takes for another one.

That is ctrl with Home and End, and F13 to F20, in rxvt.
"""

WITH_ALT = re.compile("\x1b\x1b[O\\[](?:([A-D])|(\\d+)~)")
"""What rxvt and Terminal of macOS send for alt with an arrow, Home, a page.

Elsewhere it is Escape and then that key, in one read: typed ahead, or over a slow line.
"""

F3 = re.compile("\x1b\\[1;(\\d+)R")
"""F3 with a modifier, as NumLock is one in Kitty; or where the cursor is, which nobody asks."""

SEQUENCE = re.compile("\x1b\\[[0-?]*[ -/]*[@-LN-Z\\\\-~]")
"""A whole sequence; not the beginnings of a click (``M``) and of keys of the Linux console."""


def as_alt(found: re.Match[str]) -> str:
    """Return what xterm sends for such a key."""
    return f"\x1b[1;3{found[1]}" if found[1] else f"\x1b[{found[2]};3~"


def terminal_parser() -> XTermParser:
    """Return the parser of a terminal's input."""
    from textual import _xterm_parser
    from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
    from textual.keys import Keys

    pastes = Pastes()
    term, program = (os.environ.get(name, "") for name in ("TERM", "TERM_PROGRAM"))
    doubles_escape = term.startswith("rxvt") or program == "Apple_Terminal"
    # The Enter beside the numbers in Alacritty; ctrl+j elsewhere.
    same_keys = {**SAME_KEYS, "\n": "\r"} if term.startswith("alacritty") else SAME_KEYS
    named = frozenset(FUNCTIONAL_KEYS.values())
    # Keys that only change others: a shift for the second key of a chord is not that key.
    changing = MODIFIER_FUNCTIONAL_KEYS | {"caps_lock", "num_lock", "scroll_lock"}
    no_keys = _xterm_parser._re_mouse_event, _xterm_parser._re_terminal_mode_response

    class Parser(_xterm_parser.XTermParser):
        def feed(self, data: str) -> Iterable[Message]:
            # Nothing is fed only at the end.
            taken = pastes.take(data)
            if "\x1b" in taken:
                taken = F3.sub("\x1b[13;\\1~", taken)
                taken = WITH_ALT.sub(as_alt, taken) if doubles_escape else taken
            return super().feed(taken) if taken or not data else ()

        # Stands on: it is given each character outside of sequences, and a sequence again with each
        # character more until there is a key for it. The one named "ignore" is told to nobody.
        def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
            try:
                same = same_keys.get(sequence, sequence)
                found = list(super()._sequence_to_key_events(same, alt))
            except ValueError:  # a number that it does not know, as of a key that was let go
                return [events.Key(Keys.Ignore, sequence)]
            names = {each.key.rpartition("+")[2] for each in found}
            whole = SEQUENCE.fullmatch(sequence)
            # Nobody pressed the letters of which an unknown sequence is made, nor that whose code
            # is the number in it.
            unknown = whole and sequence[-1] != "u" and not names & named
            unknown = unknown and not any(each.match(sequence) for each in no_keys)
            if unknown or names & changing:
                return [events.Key(Keys.Ignore, sequence)]
            return found

    return Parser(constants.DEBUG)


def read_as_ours() -> None:
    """Have Textual's own driver read keys as ours does."""
    from textual.drivers import linux_driver

    # Looked up as the thread that reads begins.
    vars(linux_driver)["XTermParser"] = lambda debug: terminal_parser()
