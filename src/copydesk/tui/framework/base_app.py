"""The program and the place in front, as what stands below them knows them: the keys, above all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from copydesk.tui.framework.drawn import finished, is_nothing
from copydesk.tui.framework.inside_textual import SteadyApp

if TYPE_CHECKING:
    from textual.screen import Screen

    from copydesk.session.session import Session
    from copydesk.session.target import Target
    from copydesk.tui.framework.drawn import Drawn
    from copydesk.tui.framework.inside_textual import CompositorUpdate


class Here(Protocol):
    """The place in front, or the one under a dialog: what it shows, and its status line."""

    PLACE: ClassVar[str]
    target: Target
    resuming: str
    """The part of a draft that it opens once it has read what that is about; "" for none."""

    @property
    def screen(self) -> Screen[Any]:
        """The place as Textual knows it."""

    @property
    def is_attached(self) -> bool:
        """Whether the place is there."""

    @property
    def session(self) -> Session:
        """What the whole run shares."""

    @property
    def unread_yet(self) -> bool:
        """Whether something of it is being read: what lacks now may be there soon."""

    @property
    def said(self) -> str:
        """The sentence in the status line; empty for none."""

    @property
    def shows_error(self) -> bool:
        """Whether the status line shows an error that there was no time to read."""

    def say(self, text: str, tone: str = "") -> None:
        """Show a sentence in the status line: ``good``, ``warn``, ``bad`` or plain."""

    def tell(self, text: str, tone: str = "") -> None:
        """Say something from a worker, on the place that is in front when it says it."""

    def unsay(self, text: str) -> None:
        """Forget a message that is no longer so, if it is still the last."""

    def frame_soon(self) -> None:
        """Bring the frame up to date once keys pause."""

    def refresh_frame(self) -> None:
        """Have the frame brought up to date."""

    def read_again(self, *, by_hand: bool = True) -> None:
        """Read what it shows."""

    def resume_draft(self, part: str) -> None:
        """Open the field that a draft was typed in."""

    def others_typed(self) -> None:
        """Show what another window has kept, where drafts are listed."""


class BaseApp(SteadyApp):
    """The program, as its keys know it."""

    session: Session
    """What the whole run shares."""
    drawn: Drawn
    """What the terminal shows."""

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
        """Save the text typed on the screens; return the error as a sentence, "" for none."""

    def to_write(
        self, screen: object, frame: CompositorUpdate, *, writes: bool, moves: bool
    ) -> CompositorUpdate | None:
        """Return what the terminal does not show yet, with its texts made harmless."""
        if writes:
            frame = self.drawn.difference(screen, frame)
            if is_nothing(frame) and not moves:
                return None
        else:
            self.drawn.forget()
        return finished(frame, self.console)
