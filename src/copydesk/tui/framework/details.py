"""Going to the details beside a list, and back."""

from __future__ import annotations

from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.frame import Status
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.parts import Part


class DetailsCommands(Commands, scope="beside"):
    """Commands of a place with a list in its main part and details in the part at its side."""

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details of the row; Esc or Tab comes back."""
        self.place.remove_class("-no-side")
        self.place.desk.step_pane(1)

    def step_within(self) -> bool:
        """Step back from the details to the list."""
        place = self.place
        pane = place.pane
        if pane is None or pane.found or place.query_one(Status).slow:
            return False
        part = next((node for node in pane.ancestors if isinstance(node, Part)), None)
        if part is None or part.role != "side":
            return False
        place.query_one(".part.-main").query(Pane).first().focus()
        return True
