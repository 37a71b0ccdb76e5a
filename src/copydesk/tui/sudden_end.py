"""How the program ends when nobody asked it to: a signal, a terminal that went away, a mistake.

Whatever it is, what was typed is kept first, then the terminal is given back, then a person is told
(docs/terminal.md).
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.app import ScreenError

from copydesk.tui.framework.desk_app import DeskApp

if TYPE_CHECKING:
    from textual.screen import Screen


GRACE_SECONDS = 2.0
"""How long writes that are under way may still take when the program is told to end."""

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
        """Save the typed text. Raises ``OSError``."""


class SuddenEnd:
    """The end of the program: typed text is saved, whatever ends it."""

    def __init__(
        self,
        app: DeskApp,
        explain: Callable[[BaseException, str], str] | None,
        note_error: Callable[[BaseException], str] | None,
    ) -> None:
        self._app = app
        self.explain = explain
        """Logs an unexpected error and returns what a person is told.

        It is given a sentence on what became of what was typed.
        """
        self.note_error = note_error
        """Logs an error that ended nothing, and returns what a person is told."""
        self._told = False
        self.ended_by: signal.Signals | None = None
        """The signal that ended it."""
        self.explained = ""
        """The sentence on the error that ended it, to be said once the terminal is given back."""
        self.kept_typed = ""
        """Where the typed text was saved at the end, as a sentence."""
        self.unkept_typed = False
        """Whether some of it was not on the disk then, and might still be sent."""
        self._over: threading.Event | None = None

    # What was typed

    def keep_typed(self) -> str:
        """Keep everything that is typed on the screens now, and say in a sentence what came of it.

        Empty when nothing is typed. Waits for the disk, for `FLUSH_SECONDS` at most. Never raises:
        whatever ends the program, the next field is kept all the same.
        """
        refused = self.keep_soon()
        drafts = self._app.session.drafts
        drafts.flush()
        if drafts.unsaved:
            refused = refused or drafts.trouble
        if refused:
            return f"Not all you typed could be saved on disk ({refused})."
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
        self._app.keyboard.ahead.keep_typed()
        return refused

    def _open_screens(self) -> Sequence[Screen[Any]]:
        try:
            return tuple(self._app.screen_stack)
        except (LookupError, ScreenError):
            return ()

    # Told to end

    def end(self, number: int) -> None:
        """End because of a signal: save typed text, let writes under way arrive, and leave."""
        if self.ended_by is not None:
            return
        self.ended_by = signal.Signals(number)
        if self._over is not None:
            patience = threading.Thread(target=self._end_hard, args=(self._over,), daemon=True)
            patience.start()
        self.kept_typed = self.keep_typed()
        self.unkept_typed = bool(self._app.session.drafts.unsaved)
        asyncio.get_running_loop().create_task(self._end(), name="end")

    async def _end(self) -> None:
        session = self._app.session
        session.writes.send_now()
        if writing := session.writes.writing:
            await asyncio.wait(writing, timeout=GRACE_SECONDS)
        assert self.ended_by is not None
        self._app.exit(return_code=128 + self.ended_by)

    def _end_hard(self, over: threading.Event) -> None:
        """End the process if it does not do so by itself: something waits for what never comes."""
        if not over.wait(PATIENCE_SECONDS):
            self.end_now()

    def end_now(self) -> None:
        """End the process at once, with the terminal given back. For when all else failed."""
        give_back = getattr(self._app.terminal, "give_back", None)
        if give_back is not None:
            give_back()
        os._exit(128 + (self.ended_by or signal.SIGTERM))

    def hung_up(self) -> None:
        """End because the terminal is gone."""
        self.end(getattr(signal, "SIGHUP", signal.SIGTERM))

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
            if (driver := self._app.terminal) is not None:
                driver.close()  # what an end that went wrong has left unwritten

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if self.ended_by is not None:
            self.end_now()
        loop = self._app.loop
        if loop is None or not self._app.terminal:
            raise SystemExit(128 + number)  # nothing is on the screen yet, or nothing is any more
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self.end, number)

    # Mistakes

    def take(self, error: BaseException) -> None:
        """Save the typed text, and explain the error that ends the program."""
        self.kept_typed = self.keep_typed()
        if self.explain is not None:
            self.explained = self.explain(error, self.kept_typed)

    def note(self, error: BaseException) -> None:
        """Log an error that ended nothing."""
        if self.note_error is not None:
            self.note_error(error)

    def listen_to_errors(self) -> None:
        """Log what goes wrong in tasks and threads that nobody waits for, and say so.

        It is said once: what fails each minute would hide all else that is said.
        """
        if self.note_error is None:
            return
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._background_error)
        threading.excepthook = partial(self._thread_error, loop)

    def _background_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._tell(self._logged(error))

    def _thread_error(
        self, loop: asyncio.AbstractEventLoop, given: threading.ExceptHookArgs
    ) -> None:
        if given.exc_value is not None:
            said = self._logged(given.exc_value)  # at once: the loop may never turn again
            with suppress(RuntimeError):  # nobody is there any more
                loop.call_soon_threadsafe(self._tell, said)

    def _logged(self, error: BaseException) -> str:
        assert self.note_error is not None
        return self.note_error(error)

    def _tell(self, said: str) -> None:
        if not self._told:
            self._told = True
            self._app.session.note(said)
            self._app.session.report(said, "bad")
