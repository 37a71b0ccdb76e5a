"""Reading what is arranged: at first, again by hand, and again quietly.

`ReadsArranged` is the base of the places that read one thing and arrange it: `R` is what they
read. Each says how (`read_all`) and what is to be done with what arrived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from copydesk.session.errors import with_key
from copydesk.session.target import Target
from copydesk.tui.arrange.place import ArrangingPlace
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.layout import Layout


class ArrangedRead(Protocol):
    """What was read of something to be arranged."""

    @property
    def layout(self) -> Layout:
        """Its rows as they are published."""

    @property
    def refused(self) -> str:
        """Why the reader may not change it; empty when they may."""


R = TypeVar("R", bound=ArrangedRead)


class ReadsArranged(ArrangingPlace, Generic[R]):
    """A place that reads what is arranged in it."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.read: R | None = None

    async def read_all(self, api: Api) -> R | None:
        """Read what is arranged; None when nobody knows which. May raise."""
        raise NotImplementedError

    async def read_first(self, api: Api) -> tuple[R, ArrangeRun | None] | None:
        """Read it with the run that an earlier start left; that is asked about once only."""
        found = await self.read_all(api)
        if found is None:
            return None
        return found, None if self.known else await self.unfinished()

    def poll(self) -> None:
        """Read again quietly. What others changed waits for R: nothing moves by itself."""
        if self.known:
            self.load("poll", self.read_all, self._polled, what="Reading again")
        else:
            super().poll()

    def _polled(self, found: R | None) -> None:
        if found is None or self.read is None:
            return
        if self.look_again(found.layout):
            self.read, self.refused = found, found.refused
        self.show_arrangement()

    def not_arrived(self, text: str) -> None:
        """Say why it could not be read, where nothing else is to be seen."""
        if self.read is None:
            self.rows.say_instead(with_key(text))

    def resume_draft(self, part: str) -> None:
        """Open the form of a row again, with what was typed in it."""
        self.resuming = part if not self.known else ""
        if self.known and self.rows.reveal(part):
            self.do_soon("edit")

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        """Say how many rows are picked."""
        self.refresh_frame()
