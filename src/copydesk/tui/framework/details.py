"""Going to the details beside a list, and back. A mixin of the places that have both."""

from __future__ import annotations

from copydesk.tui.framework.actions import action
from copydesk.tui.framework.frame import Status
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place


class HasDetails(Place, scope="beside"):
    """A place with a list in its main part and details in the part at its side."""

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details of the row; Esc or Tab comes back."""
        self.remove_class("-no-side")
        self.desk.step_pane(1)

    async def step_back(self) -> None:
        """Step back: from the details to the list, then as everywhere."""
        if not self._back_to_list():
            await super().step_back()

    async def close_place(self) -> None:
        """Step back as Esc does; from the list leave the place."""
        if not self._back_to_list():
            await super().close_place()

    def _back_to_list(self) -> bool:
        pane = self.pane
        if pane is None or pane.found or self.query_one(Status).slow:
            return False
        part = next((node for node in pane.ancestors if isinstance(node, Part)), None)
        if part is None or part.role != "side":
            return False
        self.query_one(".part.-main").query(Pane).first().focus()
        return True
