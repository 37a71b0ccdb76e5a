"""From the list of spaces to the place where they are rearranged, with what was begun there.

A mixin of the list of spaces, apart from it for length: it is sorted as one likes, so rows are not
moved in it.
"""

from __future__ import annotations

from copydesk.domain.space_tree import LOOSE
from copydesk.tui.actions import action
from copydesk.tui.details_pane import HasDetails
from copydesk.tui.places import Target
from copydesk.tui.widgets.space_tree import SpaceTree


def no_row(here: SpacesArranging) -> str | None:
    """Say so when the cursor is on nothing that could be arranged."""
    node = here.rows.selected_item
    if node is None or node.id == LOOSE:
        return "Put the cursor on a space or a collection first."
    return None


class SpacesArranging(HasDetails, scope="spaces_arranging"):
    """The list of spaces, as far as it leads to rearranging them."""

    rows: SpaceTree

    @action("J", "arrange", unless=no_row, show=False, group="Arrange", also=("alt+down",))
    async def arrange_down(self) -> None:
        """Go to the tree that is rearranged, and move the row down in it. Nothing is sent."""
        await self._arrange("order_down")

    @action("K", "move up", unless=no_row, show=False, group="Arrange", also=("alt+up",))
    async def arrange_up(self) -> None:
        """Go to the tree that is rearranged, and move the row up in it. Nothing is sent."""
        await self._arrange("order_up")

    @action("e", "edit", unless=no_row, show=7, group="Arrange")
    async def arrange_edit(self) -> None:
        """Change title, emoji or description of the row, in the tree that is rearranged."""
        await self._arrange("edit")

    @action("D", "delete", unless=no_row, show=False, group="Arrange")
    async def arrange_delete(self) -> None:
        """Delete the row, in the tree that is rearranged: it is staged there."""
        await self._arrange("delete_or_restore")

    @action("ctrl+n", "new", show=6, group="Arrange")
    async def arrange_new(self) -> None:
        """Add a collection or a space, in the tree that is rearranged."""
        await self._arrange("add")

    async def _arrange(self, name: str) -> None:
        from copydesk.tui.screens.organization_structure import WANTED, Wanted

        node = self.rows.selected_item
        row = "" if node is None or node.id == LOOSE else node.id
        self.session.left[WANTED] = Wanted(row, name)
        target = Target(organization=self.target.organization or self.session.organization)
        await self.desk.go("organization-structure", target)
