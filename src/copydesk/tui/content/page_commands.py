"""From a page to its surroundings: what leads to it, and the files that are beside it."""

from __future__ import annotations

from copydesk.tui.content.commands import ContentCommands, no_content
from copydesk.tui.framework.actions import action


def no_page_in_front(here: ContentCommands) -> str | None:
    """Say so when no page is in front."""
    content = here.content()
    return None if content is not None and content.page else "Go to a page first."


class PageWays(ContentCommands, scope="page_ways"):
    """A place that shows pages: from one of them to its surroundings."""

    @action("b", "leads here", unless=no_page_in_front, show=1, group="Look",
            uses="list_space_page_backlinks")  # fmt: skip
    async def show_backlinks(self) -> None:
        """List the pages that lead to this page, as the space has them now."""
        content = self.content()
        assert content is not None
        await self.desk.go("backlinks", self._whose(content).but(item=content.page))

    @action("g f", "files", unless=no_content, show=False, group="Go",
            uses=("list_space_files", "list_change_request_files"))  # fmt: skip
    async def show_files(self) -> None:
        """Go to the files: those of the space, or of the change request that is read."""
        content = self.content()
        assert content is not None
        target = self._whose(content).but(change_request=content.request)
        await self.desk.go("files", target)
