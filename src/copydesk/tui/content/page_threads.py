"""The thread for whose sake a page is read, above its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.present.threads import Group, Thread
from copydesk.session.reads.inbox import read_comment, read_thread
from copydesk.session.target import Target
from copydesk.tui.framework.place import Place
from copydesk.tui.threads.pane import ThreadView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply


class ThreadAbove(Place):
    """Shows the thread that its target names, as long as the page it is about is in front."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.thread = ThreadView(title="Thread", empty="Reading…", id="page-thread")
        self.thread.display = False

    def read_thread(self) -> None:
        """Read the thread and its replies again; where the target names none, nothing."""
        space, request = self.target.space, self.target.change_request or ""
        wanted = self.target.thread
        if space is None or wanted is None:
            return

        async def read(api: Api) -> tuple[Comment, list[CommentReply]] | None:
            comment = await read_comment(api, space, request, wanted)
            if comment is None:
                return None
            return comment, await read_thread(api, space, request, wanted)

        def came(found: tuple[Comment, list[CommentReply]] | None) -> None:
            if found is None:
                self.thread.empty = "This thread is gone."
                self.thread.show([])
                return
            comment, replies = found
            self.thread.show([Group("", [Thread(comment, 0, replies)])])

        self.load("thread", read, came, what="Reading the thread", failed=self._thread_failed)

    def _thread_failed(self, said: str) -> None:
        self.thread.empty = said
        self.thread.show([])

    def show_thread(self, page: str) -> None:
        """Show the thread above its own page, and above no other."""
        self.thread.display = self.target.thread is not None and page == self.target.page

    @property
    def for_thread(self) -> bool:
        """Whether the page in front is the one that the thread is about."""
        return self.thread.display
