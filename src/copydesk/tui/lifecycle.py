"""How the program ends when nobody asked it to: a signal, a terminal that went away, a mistake.

Whatever it is, what was typed is kept first, then the terminal is given back, then a person is told
(docs/terminal.md). A base of `CopydeskApp`, apart from it for length.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from textual.app import ScreenError
from textual.worker import WorkerFailed, active_worker

from copydesk.session.drafts import KEPT_AGAIN, refusal
from copydesk.tui.framework.desk_app import DeskApp

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual._compositor import CompositorUpdate
    from textual.driver import Driver
    from textual.message import Message
    from textual.screen import Screen


GRACE_SECONDS = 2.0
"""How long writes that are under way may still take when the program is told to end."""

MOST_TICKS = 30
"""How many seconds pass at most between two tries to keep what the disk refused."""

PATIENCE_SECONDS = 6.0
"""How long the program may take to end before it is ended."""

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""What asks the program to end."""


@runtime_checkable
class KeepsTyped(Protocol):
    """A part of the screen that is typed into."""

    def keep_typed(self) -> None:
        """Have what was typed kept. Raises ``OSError``."""


class EndingApp(DeskApp):
    """A program that can be ended at any moment."""

    utf8: bool = True
    """Whether the terminal shows more than ASCII."""
    explain: Callable[[BaseException, str], str] | None = None
    """Logs an unexpected error and returns what a person is told; given what became of the text."""
    note_error: Callable[[BaseException], None] | None = None
    """Logs an error that ended nothing."""
    ended_by: signal.Signals | None = None
    """The signal that ended it."""
    _over: threading.Event | None = None
    _trouble = ""
    _untold = False
    _trying: asyncio.Task[None] | None = None
    _following: asyncio.Task[None] | None = None
    _ticks = _ticks_left = 0
    explained = ""
    """The sentence on the error that ended it, to be said once the terminal is given back."""
    kept_typed = ""
    """What became of what was typed when it ended, as a sentence."""
    unkept_typed = False
    """Whether some of it was not on the disk then, and might still be sent."""

    def get_driver_class(self) -> type[Driver]:
        """Return what talks to the terminal."""
        if sys.platform == "win32" or "TEXTUAL_DRIVER" in os.environ:
            return super().get_driver_class()
        from copydesk.tui.terminal_driver import TerminalDriver

        return TerminalDriver

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Draw a frame, or a part of one, of which the texts were looked through."""
        from copydesk.tui.framework.terminal_text import only_text

        if renderable is not None and not self.is_headless:
            only_text(cast("CompositorUpdate", renderable))
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
            if self.note_error is not None:
                self.note_error(error)

    async def _flush_next_callbacks(self) -> None:
        """Do what is to be done next; for a worker that asks for a sheet, in a task of its own.

        Textual has that worker do it. It may be the worker of a place that is being taken away:
        then it waits for that, is stopped by that, and stops it half-way.
        """
        if active_worker.get(None) is None:
            await super()._flush_next_callbacks()
        elif self._next_callbacks:  # a turn of the loop for nothing would let a key pass the sheet
            await asyncio.shield(super()._flush_next_callbacks())

    # What was typed

    def tend_drafts(self) -> None:
        """Say when the disk begins to refuse what is typed, and try again for as long as it does.

        Called every second; what is refused is tried after 1, 2, 4 … `MOST_TICKS` of them. An
        error that has just been said, as what of this was not kept, is read first.
        """
        app = self
        drafts = app.session.drafts
        if drafts.trouble != self._trouble:
            self._trouble, self._ticks, self._ticks_left = drafts.trouble, 1, 0
            self._untold = True
        if self._untold and not (self._trouble and app.here is not None and app.here.shows_error):
            self._untold = False
            if self._trouble:
                app.session.report(refusal(self._trouble), "bad")
            else:
                app.session.report(KEPT_AGAIN, "good")
        if drafts.begins_anew:
            drafts.begins_anew = False
            app.recover_soon()
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._follow(), name="follow")
        if not drafts.trouble or (self._trying is not None and not self._trying.done()):
            return
        self._ticks_left -= 1
        if self._ticks_left < 0:
            self._ticks_left, self._ticks = self._ticks - 1, min(MOST_TICKS, 2 * self._ticks)
            self._trying = asyncio.create_task(asyncio.to_thread(drafts.again), name="drafts")

    async def _follow(self) -> None:
        """Show what other windows have kept or sent meanwhile, and what became of the file."""
        app = self
        drafts = app.session.drafts
        with suppress(OSError):  # which is said as soon as something is to be kept
            if await asyncio.to_thread(drafts.follow) and app.here is not None:
                app.here.others_typed()
        if said := drafts.damage_report():
            said = f"{said} Look whether a draft is missing (g d)."
            app.session.note(said)
            app.session.report(said, "bad")

    def keep_typed(self) -> str:
        """Keep everything that is typed on the screens now, and say in a sentence what came of it.

        Empty when nothing is typed. Waits for the disk, for `FLUSH_SECONDS` at most. Never raises:
        whatever ends the program, the next field is kept all the same.
        """
        refused = self.keep_soon()
        drafts = self.session.drafts
        drafts.flush()
        if drafts.unsaved:
            refused = refused or drafts.trouble
        if refused:
            return f"Not all you typed could be kept on disk ({refused})."
        return "What you typed is kept." if drafts.typed else ""

    def keep_soon(self) -> str:
        """Have everything kept that is typed on the screens; return what went wrong, if anything.

        Never raises.
        """
        refused = ""
        for screen in self._open_screens():
            for node in screen.walk_children(with_self=True):
                if isinstance(node, KeepsTyped):
                    try:
                        node.keep_typed()
                    except OSError as error:
                        refused = error.strerror or str(error)
                    except Exception as error:  # noqa: BLE001 - it may be what went wrong
                        refused = type(error).__name__
        self.keyboard.ahead.keep_typed()
        return refused

    def _open_screens(self) -> Sequence[Screen[Any]]:
        try:
            return tuple(self.screen_stack)
        except (LookupError, ScreenError):
            return ()

    # Told to end

    def end(self, number: int) -> None:
        """End because of a signal: keep what was typed, let what is under way arrive, and leave."""
        if self.ended_by is not None:
            return
        self.ended_by = signal.Signals(number)
        if self._over is not None:
            patience = threading.Thread(target=self._end_hard, args=(self._over,), daemon=True)
            patience.start()
        self.kept_typed = self.keep_typed()
        self.unkept_typed = bool(self.session.drafts.unsaved)
        asyncio.get_running_loop().create_task(self._end(), name="end")

    async def _end(self) -> None:
        session = self.session
        session.writes.send_now()
        if writing := session.writes.writing:
            await asyncio.wait(writing, timeout=GRACE_SECONDS)
        assert self.ended_by is not None
        self.exit(return_code=128 + self.ended_by)

    def _end_hard(self, over: threading.Event) -> None:
        """End the process if it does not do so by itself: something waits for what never comes."""
        if not over.wait(PATIENCE_SECONDS):
            self.end_now()

    def end_now(self) -> None:
        """End the process at once, with the terminal given back. For when all else failed."""
        give_back = getattr(self._driver, "give_back", None)
        if give_back is not None:
            give_back()
        os._exit(128 + (self.ended_by or signal.SIGTERM))

    def hung_up(self) -> None:
        """End because the terminal is gone."""
        self.end(getattr(signal, "SIGHUP", signal.SIGTERM))

    def run_to_the_end(self) -> None:
        """Show the screens until they are left, and survive also what goes wrong while they are."""
        with self.listening():
            try:
                self.run()
            except Exception as error:
                if self.explain is None:
                    raise
                self._return_code = 1
                if not self.explained:
                    self.kept_typed = self.keep_typed()
                    self.explained = self.explain(error, self.kept_typed)
            finally:
                self.session.drafts.flush()  # what the screens kept at last

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Answer the signals that ask to end, while the program runs in this, the main thread."""
        self._over = over = threading.Event()
        before: dict[int, Any] = {}
        for number in SIGNALS:
            # Who starts it with nohup wants it to go on.
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, self._signalled)
        try:
            yield
        finally:
            over.set()
            for number, handler in before.items():
                signal.signal(number, handler)
            if (driver := self._driver) is not None:
                driver.close()  # what an end that went wrong has left unwritten

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if self.ended_by is not None:
            self.end_now()
        loop = self._loop
        if loop is None or not self._driver:
            raise SystemExit(128 + number)  # nothing is on the screen yet, or nothing is any more
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self.end, number)

    # Mistakes

    def failed(self, error: Exception) -> None:
        """End because of an error that nobody expected."""
        self._handle_exception(error)

    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exception is not None:
            # Only the first one is told: the others come of it.
            if self.note_error is not None:
                self.note_error(cause)
            return
        self.kept_typed = self.keep_typed()
        if self.explain is not None:
            self.explained = self.explain(cause, self.kept_typed)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Say where the log is, instead of a wall of text."""
        if self.explain is None:
            super()._fatal_error()
        else:
            self.bell()
            self.panic()

    def panic(self, *renderables: RenderableType) -> None:
        """Leave with what is given, unless it is explained in a sentence: that comes last."""
        super().panic(*(() if self.explained else renderables))

    def listen_to_errors(self) -> None:
        """Log what goes wrong where nobody waits for it: tasks and threads of their own."""
        if self.note_error is None:
            return
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._background_error)
        threading.excepthook = self._thread_error

    def _background_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException) and self.note_error is not None:
            self.note_error(error)

    def _thread_error(self, given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None and self.note_error is not None:
            self.note_error(given.exc_value)
