"""The thread for whose sake a page is read, above its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.present.threads import Group, Thread
from copydesk.session.reads.inbox import read_comment, read_thread
from copydesk.tui.threads.pane import ThreadView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.tui.framework.place import Place


class ThreadAbove:
    """Shows the thread that a place's target names, while the page it is about is in front."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.pane = ThreadView(title="Thread", empty="Reading…", id="page-thread")
        self.pane.display = False

    def read(self) -> None:
        """Read the thread and its replies again; where the target names none, nothing."""
        target = self._place.target
        space, request, wanted = target.space, target.change_request or "", target.thread
        if space is None or wanted is None:
            return

        async def read(api: Api) -> tuple[Comment, list[CommentReply]] | None:
            comment = await read_comment(api, space, request, wanted)
            if comment is None:
                return None
            return comment, await read_thread(api, space, request, wanted)

        def came(found: tuple[Comment, list[CommentReply]] | None) -> None:
            if found is None:
                self._failed("This thread is gone.")
                return
            comment, replies = found
            self.pane.show([Group("", [Thread(comment, 0, replies)])])

        self._place.load("thread", read, came, what="Reading the thread", failed=self._failed)

    def _failed(self, said: str) -> None:
        self.pane.empty = said
        self.pane.show([])

    def show_at(self, page: str) -> None:
        """Show the thread above its own page, and above no other."""
        target = self._place.target
        self.pane.display = target.thread is not None and page == target.page

    @property
    def shown(self) -> bool:
        """Whether the page in front is the one that the thread is about."""
        return self.pane.display
