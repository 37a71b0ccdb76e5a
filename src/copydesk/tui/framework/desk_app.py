"""What screens may ask of the program that they are in.

The program itself (`copydesk.tui.app`) stands on all of them; this is what they know of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from copydesk.session.target import Visits
from copydesk.tui.framework.base_app import BaseApp

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

    from copydesk.present.json_views import Raw
    from copydesk.session.options import Option
    from copydesk.session.runs.merge import MergeRunner
    from copydesk.session.target import Target
    from copydesk.session.writes.log import Written
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
    async def confirm_again(self, line: Written) -> bool:
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
