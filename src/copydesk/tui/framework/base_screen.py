"""A screen that is put up and taken away at any moment, also while keys and clicks come for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events
from textual.errors import NoWidget
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from copydesk.tui.framework.drawn import PartCompositor

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget

R = TypeVar("R")


def forward(event: events.Event, widget: Widget) -> None:
    """Give an event to a widget, as when it comes from the terminal."""
    widget._forward_event(event)


async def give_way(screen: Screen[Any], other: Screen[Any]) -> None:
    """Put another screen where the one in front stands."""
    if not screen._result_callbacks:
        # Textual takes away what waits for a screen's result; the first screen has no such.
        screen._push_result_callback(screen, None)
    await screen.app.switch_screen(other)


class SteadyScreen(Screen[R]):
    """The base of places and sheets."""

    _prepares = False
    _was_shown = False

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

    def _screen_resized(self, size: Size) -> None:
        """Arrange nothing anew for the size it has: Textual tells of each size twice."""
        if size != self._size:
            super()._screen_resized(size)

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call something once what is asked for was drawn; nothing where it was left by then."""

        def unless_left() -> Any:
            return callback(*args, **kwargs) if self.is_attached else None

        return super().call_after_refresh(unless_left)

    def prepare_drawing(self) -> None:
        """Have `before_drawing` called before the next frame: once, however often it is asked."""
        if not self._prepares and self.is_attached:
            self._prepares = True
            self._update_timer.resume()

    def before_drawing(self) -> None:
        """Do what only has to be done for the frame that is drawn next."""

    def _on_timer_update(self) -> None:
        if self._prepares:
            self._prepares = False
            self.before_drawing()
        super()._on_timer_update()
        self._still_prepare()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        super()._refresh_layout(size, scroll)
        self._still_prepare()

    def _still_prepare(self) -> None:
        # A screen that has just been drawn stops its clock.
        if self._prepares:
            self._update_timer.resume()

    async def on_event(self, event: events.Event) -> None:
        """Begin nothing in what was left before it was drawn: it has no parts."""
        if isinstance(event, events.ScreenResume) and not self._was_shown:
            self._was_shown = True
            event.refresh_styles = False  # its parts have got their styles when they were made
        left = self._pruning or not self.children
        if not (left and isinstance(event, events.Mount)):
            await super().on_event(event)

    async def _message_loop_exit(self) -> None:
        # Textual remembers a thousand pairs of colours by the widget's own cache too: with what
        # that holds, every line that was drawn of the last thousand widgets would stay.
        for widget in self.walk_children(Widget, with_self=True):
            for part in (widget, *widget._get_virtual_dom()):  # its scrollbars
                part._styles_cache.clear()
        await super()._message_loop_exit()

    def _forward_event(self, event: events.Event) -> None:
        """Let a click on a part that is gone already, and still to be seen, hit nothing."""
        if not (isinstance(event, events.MouseDown) and self._hits_nothing(event)):
            super()._forward_event(event)

    def _hits_nothing(self, event: events.MouseDown) -> bool:
        try:
            widget, _ = self.get_widget_at(event.x, event.y)
        except NoWidget:
            return False
        return widget is not self and not widget.is_attached
