"""From the list of spaces, sorted as one likes, to the tree in which they are rearranged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.client.errors import ApiError
from copydesk.domain.space_tree import LOOSE, TRASH
from copydesk.session.target import Target
from copydesk.tui.framework.actions import Commands, action

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.space_tree import SpaceNode
    from copydesk.session.reads.tree import Trashed
    from copydesk.tui.spaces.list import SpacesPlace


def no_row(here: SpacesPlace) -> str | None:
    """Say so when the cursor is on nothing that could be arranged."""
    node = here.rows.selected_item
    if node is None or node.id == LOOSE:
        return "Put the cursor on a space or a collection first."
    return None


class ArrangeCommands(Commands, scope="spaces"):
    """The ways from the list of spaces to rearranging them."""

    place: SpacesPlace

    def __init__(self, here: SpacesPlace) -> None:
        super().__init__(here)
        self._looked: tuple[str, int] | None = None
        """When it was last looked for deleted spaces: where, and after how many writes."""

    @action("J", "arrange", unless=no_row, show=False, group="Arrange", also=("alt+down",),
            stages=True)  # fmt: skip
    async def arrange_down(self) -> None:
        """Go to the tree that is rearranged, and move the row down in it. Nothing is sent."""
        await self._arrange("order_down")

    @action("K", "move up", unless=no_row, show=False, group="Arrange", also=("alt+up",),
            stages=True)  # fmt: skip
    async def arrange_up(self) -> None:
        """Go to the tree that is rearranged, and move the row up in it. Nothing is sent."""
        await self._arrange("order_up")

    @action("e", "edit", unless=no_row, show=7, group="Arrange", stages=True)
    async def arrange_edit(self) -> None:
        """Change title, emoji or description of the row, in the tree that is rearranged."""
        await self._arrange("edit")

    @action("D", "delete", unless=no_row, show=False, group="Arrange", stages=True)
    async def arrange_delete(self) -> None:
        """Delete the row, in the tree that is rearranged: it is staged there. Or see the trash."""
        node = self.place.rows.selected_item
        await self._arrange("" if node is not None and node.id == TRASH else "delete_or_restore")

    @action("ctrl+n", "new", show=6, group="Arrange", stages=True)
    async def arrange_new(self) -> None:
        """Add a collection or a space, in the tree that is rearranged."""
        await self._arrange("add")

    async def _arrange(self, name: str) -> None:
        from copydesk.tui.spaces.tree import WANTED, Wanted

        node = self.place.rows.selected_item
        row = "" if node is None or node.id == LOOSE else node.id
        self.place.session.left[WANTED] = Wanted(row, name)
        target = Target(organization=self.place.organization)
        await self.place.desk.go("organization-structure", target)

    # The trash

    def look_for_deleted(self, before: Sequence[SpaceNode], after: Sequence[SpaceNode]) -> None:
        """Count the deleted spaces: those that were listed ``before``, and older ones.

        No list of the service tells of them.
        """
        organization = self.place.target.organization or ""
        listed = {node.id for node in after}
        gone = any(node.kind == "space" and node.id not in listed for node in before)
        state = (organization, len(self.place.session.log))
        if not gone and self._looked == state:
            return  # a poll: nothing was seen going
        self._looked = state

        async def read(api: Api) -> tuple[Trashed, ...]:
            from copydesk.session.reads.tree import read_trash, remember_gone

            snapshot = self.place.session.snapshot
            await asyncio.to_thread(remember_gone, snapshot, organization, before, after)
            try:
                return await read_trash(self.place.session, api, organization, listed, sites=False)
            except ApiError:  # a row less is not worth a word
                return ()

        def then(found: tuple[Trashed, ...]) -> None:
            if self.place.rows.trashed != len(found):
                self.place.rows.trashed = len(found)
                self.place.rows.show_nodes(self.place.rows.nodes, partial=self.place.rows.partial)

        self.place.reads.load("trash", read, then, what="Looking for deleted spaces", kept="never")

    def go_to_trash(self) -> None:
        """Go to where deleted spaces are restored."""
        self.app.call_later(self._arrange, "")
