"""The program and the place in front, as what stands below them knows them: the keys, above all."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from textual.app import App
from textual.worker import WorkerFailed, active_worker

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual._compositor import CompositorUpdate
    from textual.driver import Driver
    from textual.message import Message
    from textual.screen import Screen

    from copydesk.session.session import Session
    from copydesk.session.target import Target
    from copydesk.tui.framework.drawn import Drawn


class Here(Protocol):
    """The place in front, or the one under a dialog: what it shows, and its status line."""

    PLACE: ClassVar[str]
    target: Target
    resuming: str
    """The part of a draft that it opens once it has read what that is about; "" for none."""

    @property
    def screen(self) -> Screen[Any]:
        """The place as Textual knows it."""
        ...

    @property
    def is_attached(self) -> bool:
        """Whether the place is there."""
        ...

    @property
    def session(self) -> Session:
        """What the whole run shares."""
        ...

    @property
    def unread_yet(self) -> bool:
        """Whether something of it is being read: what lacks now may be there soon."""
        ...

    @property
    def said(self) -> str:
        """The sentence in the status line; empty for none."""
        ...

    @property
    def shows_error(self) -> bool:
        """Whether the status line shows an error that there was no time to read."""
        ...

    def say(self, text: str, tone: str = "") -> None:
        """Show a sentence in the status line: ``good``, ``warn``, ``bad`` or plain."""
        ...

    def tell(self, text: str, tone: str = "") -> None:
        """Say something from a worker, on the place that is in front when it says it."""
        ...

    def unsay(self, text: str) -> None:
        """Forget a message that is no longer so, if it is still the last."""
        ...

    def frame_soon(self) -> None:
        """Bring the frame up to date once keys pause."""
        ...

    def refresh_frame(self) -> None:
        """Have the frame brought up to date."""
        ...

    def read_again(self, *, by_hand: bool = True) -> None:
        """Read what it shows."""
        ...

    def resume_draft(self, part: str) -> None:
        """Open the field that a draft was typed in."""
        ...

    def others_typed(self) -> None:
        """Show what another window has kept, where drafts are listed."""
        ...


class BaseApp(App[None]):
    """The program, as its keys know it, and as Textual runs it."""

    session: Session
    """What the whole run shares."""
    drawn: Drawn
    """What the terminal shows."""
    _begun = False
    """Whether it has its theme: to work out the colours of another takes time of the start."""

    @property
    @abstractmethod
    def here(self) -> Here | None:
        """The place in front, or the one under a dialog."""

    @abstractmethod
    async def go(
        self, name: str, target: Target | None = None, *, back: bool = False, cursor: str = ""
    ) -> None:
        """Go to a place: back to it when it is open already, else on top of this one."""

    @abstractmethod
    def go_soon(self, name: str, target: Target | None = None) -> None:
        """Go to a place from the handler of a message; keys that follow are for that place."""

    @abstractmethod
    def soon(self, work: Callable[..., Awaitable[object]], *args: object) -> None:
        """Do what leads elsewhere after what goes on now, and before the keys that follow."""

    @abstractmethod
    def stay(self) -> None:
        """Stay where a start begins: a key came before the screen of the last run was drawn."""

    @abstractmethod
    def keep_soon(self) -> str:
        """Have kept what is typed on the screens; return what went wrong, if anything."""

    # Drawing, and the end

    @property
    @abstractmethod
    def holds_frames(self) -> bool:
        """Whether nothing is to be drawn yet."""

    @property
    @abstractmethod
    def explains(self) -> bool:
        """Whether an unexpected error is told in a sentence, and not as a traceback."""

    @abstractmethod
    def take(self, error: BaseException) -> None:
        """Keep what was typed, and explain the error that ends the program."""

    @abstractmethod
    def note(self, error: BaseException) -> None:
        """Put an error into the log that ends nothing."""

    # What Textual would do otherwise, or does not offer: what it keeps to itself, and is used of a
    # program, is used here alone (tests/tui/test_private_names.py)

    @property
    def terminal(self) -> Driver | None:
        """What talks to the terminal; None before it does, and after it did."""
        return self._driver

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop that it runs in; None before that."""
        return self._loop

    def end_as_failed(self) -> None:
        """Have the process end with a status that tells of a failure."""
        self._return_code = 1

    def begin_with(self, theme: str) -> None:
        """Have a theme before there are styles: a change of it has all of them parsed again."""
        self._begun = True
        # The status line says it all, and no key has a tooltip: no screen needs a widget for those.
        self._disable_notifications = self._disable_tooltips = True
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.add_class(f"-theme-{theme}")
        self.set_class(dark, "-dark-mode")
        self.set_class(not dark, "-light-mode")
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """Return the colours of the theme; none of Textual's own, before it begins with its own."""
        return super().get_css_variables() if self._begun else {}

    def failed(self, error: Exception) -> None:
        """End because of an error that nobody expected."""
        self._handle_exception(error)

    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exception is not None:
            self.note(cause)  # only the first one is told: the others come of it
            return
        self.take(cause)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Say where the log is, instead of a wall of text."""
        if not self.explains:
            super()._fatal_error()
        else:
            self.bell()
            self.panic()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Draw a frame, or a part of one, with its texts made harmless."""
        if self.holds_frames:
            return
        from copydesk.tui.framework.drawn import is_nothing
        from copydesk.tui.framework.terminal_text import only_text

        if renderable is not None and not self.is_headless:
            update = cast("CompositorUpdate", renderable)
            if self._batch_count or not self._running:
                self.drawn.forget()  # it will not be written
            else:
                update = self.drawn.difference(screen, update)
                where = self.screen.outer_size.clamp_offset(self.cursor_position)
                if is_nothing(update) and where == self._previous_cursor_position:
                    return
            only_text(update)
            renderable = cast("RenderableType", update)
        super()._display(screen, renderable)

    async def _dispatch_message(self, message: Message) -> None:
        """Go on where only what was waited for was stopped: else the program ends without a word.

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

    async def _flush_next_callbacks(self) -> None:
        """Do what is to be done next; for a worker that asks for a sheet, in a task of its own.

        Textual has that worker do it. It may be the worker of a place that is being taken away:
        then it waits for that, is stopped by that, and stops it half-way.
        """
        if active_worker.get(None) is None:
            await super()._flush_next_callbacks()
        elif self._next_callbacks:  # a turn of the loop for nothing would let a key pass the sheet
            await asyncio.shield(super()._flush_next_callbacks())
