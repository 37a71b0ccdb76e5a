"""What screens may ask of the program that they are in, and work that goes on beside the keys.

The program itself (`copydesk.tui.app`) stands on all of them; this is what they know of it.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from copydesk.session.target import Visits
from copydesk.tui.framework.base_app import BaseApp

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen
    from textual.worker import Worker

    from copydesk.present.raw_json import Raw
    from copydesk.session.options import Option
    from copydesk.session.runs.merge import MergeRunner
    from copydesk.session.target import Target
    from copydesk.session.writes.log import LogEntry
    from copydesk.tui.framework.keyboard import Keyboard
    from copydesk.tui.framework.line_field import Prompt


def desk_of(node: DOMNode) -> DeskApp:
    """Return the program that a screen or a widget is in."""
    return cast("DeskApp", node.app)


def keyboard_of(node: DOMNode) -> Keyboard | None:
    """Return the keyboard of the program that a widget is in; None in one of another kind."""
    return getattr(node.app, "keyboard", None)


class DeskApp(BaseApp):
    """The program, as its screens know it."""

    keyboard: Keyboard
    visits: Visits
    """The screens that were visited."""
    pictures: str
    """Whether pictures are drawn, and how large ones are (`local.settings`)."""

    # Going places

    @abstractmethod
    async def step_back(self, *, quits: bool) -> None:
        """Step back once; from the first screen, where that ``quits``, out of the program."""

    @abstractmethod
    async def step_visit(self, *, forward: bool) -> None:
        """Go to the screen before this one, or to the one that was stepped back from."""

    @abstractmethod
    def step_pane(self, by: int) -> None:
        """Focus the next pane."""

    # Lines and dialogs

    @abstractmethod
    async def open_prompt(self, place: Screen[Any], prompt: Prompt) -> None:
        """Open a line that has the focus before the next key is read."""

    @abstractmethod
    async def open_search(self) -> None:
        """Open the line of ``/`` for the pane in focus."""

    @abstractmethod
    async def open_command_line(self, text: str = "") -> None:
        """Open the line of ``:``, with some text in it already."""

    @abstractmethod
    async def open_palette(self) -> None:
        """Open the palette, and do the chosen action."""

    @abstractmethod
    def open_help(self) -> None:
        """Show every key of the place in front."""

    @abstractmethod
    def open_activity(self) -> None:
        """Show the writes of this run."""

    @abstractmethod
    def open_requests(self) -> None:
        """Show the requests of the last minutes."""

    @abstractmethod
    async def open_json(self, target: Target, raw: Raw) -> None:
        """Show something as the service has it."""

    @abstractmethod
    async def choose(self, title: str, options: Sequence[Option]) -> str | None:
        """Ask for one of some options; return its id."""

    @abstractmethod
    async def confirm_again(self, line: LogEntry) -> bool:
        """Ask whether to send a write of this run that may have arrived."""

    @abstractmethod
    def open_token(self) -> None:
        """Ask for another token, over whatever is in front."""

    @abstractmethod
    async def show_me(self) -> None:
        """Show who is signed in, and at which service. Raises what the client raises."""

    @property
    @abstractmethod
    def profile_names(self) -> Sequence[str]:
        """The names that ``:profile`` takes, for its completion."""

    @abstractmethod
    async def change_profile(self, name: str, *, manual: bool = False) -> None:
        """Leave for a profile, or the manual. Raises `NotDoneError`: then all stays as it is."""

    # Writes and runs

    @abstractmethod
    async def undo(self) -> None:
        """Recall a write that is not sent yet, else undo the last write that can be undone."""

    @abstractmethod
    async def redo(self) -> None:
        """Redo the write undone last."""

    @property
    @abstractmethod
    def merging(self) -> MergeRunner:
        """What goes through the merge run."""

    @property
    @abstractmethod
    def merge_note(self) -> tuple[str, str]:
        """What the header says of the merge run, and its tone; empty when there is none."""

    @abstractmethod
    def recover_soon(self) -> None:
        """Settle in the background what earlier runs left open."""

    # The terminal, and the end

    @abstractmethod
    def copy(self, text: str, shown: str = "") -> None:
        """Copy text; ``shown`` names it where it is not to be said itself."""

    @abstractmethod
    def redraw(self) -> None:
        """Draw everything again, after something else wrote on the terminal."""

    @abstractmethod
    def hint(self, width: int) -> str:
        """Return the hint for a line of ``width`` cells; empty once something was written."""

    @abstractmethod
    def leave(self, *, bound_for: str | None = None) -> None:
        """Quit, unless writes are under way: then say so, and quit at the second time."""

    @abstractmethod
    def interrupt(self) -> None:
        """Quit at the second ctrl+c."""


def begin(
    node: DOMNode,
    work: Callable[..., Coroutine[Any, Any, object]],
    *args: object,
    name: str | None = "",
    group: str = "default",
    exclusive: bool = False,
    exit_on_error: bool = True,
) -> Worker[Any]:
    """Call ``work`` with ``args`` in a worker of a node, when its turn comes, and return that.

    It is not called before: where the node is left in the same moment the worker is stopped first,
    and a coroutine that was made already would never be awaited.
    """
    # Textual's types know no function whose result is of no interest.
    calls: Callable[[], Any] = partial(work, *args)
    return node.run_worker(
        calls, name=name, group=group, exclusive=exclusive, exit_on_error=exit_on_error,
        description=name or group,  # else Textual tells ``work`` with its arguments
    )  # fmt: skip


HEARD_SECONDS = 1.0
"""How long the next key waits for what an earlier one has posted; longer than that it is stuck."""


def heard(node: DOMNode) -> asyncio.Future[None]:
    """Return an awaitable that is done once the ancestors of a node handled its earlier messages.

    The next key waits for it: it is for what comes of that, and not for what is left by it.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    way = list(node.ancestors_with_self)
    way = way[: way.index(node.screen) + 1] if node.is_attached else []

    def end() -> None:
        late.cancel()
        if not done.done():
            done.set_result(None)

    def pass_on(at: int) -> None:
        # In each queue on the way it comes after the message.
        if at == len(way) or not way[at].call_later(pass_on, at + 1):
            end()

    late = loop.call_later(HEARD_SECONDS, end)
    pass_on(0)
    return done


class Pause:
    """Calls something once it was not asked for during some seconds; asking again is free."""

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        self._seconds, self._then = seconds, then
        # One of the event loop: Textual looks at what its own timers call, for 0.5 ms each time.
        self._timer: asyncio.TimerHandle | None = None
        self._at = 0.0
        """When it is to be called, on the clock of the event loop."""

    @property
    def asked(self) -> bool:
        """Whether it is about to be called."""
        return self._timer is not None

    def ask(self) -> None:
        """Have it called; a timer that runs already stays and looks again when it rings."""
        loop = asyncio.get_running_loop()
        self._at = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(self._at, self._ring)

    def stop(self) -> None:
        """Have it not called any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        if self._at > loop.time():
            self._timer = loop.call_at(self._at, self._ring)
        else:
            self._timer = None
            self._then()


class Ticks:
    """Calls something again and again, less often while it rests: waking up is what costs then.

    By the event loop, as `Pause` does.
    """

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        self._seconds, self._then = seconds, then
        self.rests = False
        """Whether it is called less often."""
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Call it from now on."""
        self._in(self._seconds)

    def rest(self, seconds: float) -> None:
        """Call it in so many seconds, and not before, unless it is told to go on."""
        if not self.rests:
            self.rests = True
            self._in(seconds)

    def go_on(self) -> None:
        """Call it as often as before: not at once, what it is told for comes first."""
        if self.rests:
            self.rests = False
            self._in(self._seconds)

    def stop(self) -> None:
        """Call it no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self.rests = False
        self._in(self._seconds)  # before: it may be told to rest
        self._then()

    def _in(self, seconds: float) -> None:
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._ring)
