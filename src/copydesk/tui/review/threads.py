"""What one does with the threads of a review: walk through them, and start one on a line."""

from __future__ import annotations

from dataclasses import replace

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.text import clean
from copydesk.present.json_views import Raw, message_raw, request_raw
from copydesk.present.threads import Thread
from copydesk.session.people import first_words
from copydesk.session.target import Target
from copydesk.tui.framework.actions import action, command
from copydesk.tui.review.drafts import DraftCommands
from copydesk.tui.review.guards import may_not_comment, no_line, none_open
from copydesk.tui.review.news import ReviewNews
from copydesk.tui.threads.commands import Subject
from copydesk.tui.threads.message_commands import MessageActions


class ReviewThreads(ReviewNews, MessageActions, scope="review_threads"):
    """The actions on threads."""

    RAW = (
        "get_change_request",
        "get_change_request_comment",
        "get_change_request_comment_reply",
    )

    @property
    def no_thread_here(self) -> str:
        """Why there is none, with the keys that work in this tab."""
        goes = "} goes to the next open one; " if self.threads.open_count else ""
        starts = "c starts one on this line" if no_line(self) is None else "C starts one"
        return f"No thread here. {goes}{starts}."

    @action("}", "next open thread", unless=none_open, show=9, group="Threads")
    def next_thread(self) -> None:
        """Go to the next open thread, over the borders of pages; wraps once and says so."""
        self._step_thread(1)

    @action("{", "previous open thread", unless=none_open, show=False, group="Threads")
    def previous_thread(self) -> None:
        """Go to the previous open thread, over the borders of pages."""
        self._step_thread(-1)

    def _step_thread(self, by: int) -> None:
        order = self._walk_order()
        here = self.current_thread()
        at = next((n for n, thread in enumerate(order) if thread is here), None)
        following = self._near(order, by) if at is None else at + by
        wrapped = not 0 <= following < len(order)
        following %= len(order)
        thread = order[following]
        page = thread.page
        unread = page is not None and page not in self.texts
        if page is not None and unread and any(change.id == page for change in self.changes):
            # Which thread is the first on it is known once its text is.
            self.open_view("changes")
            self.show_page(page, lambda: self._arrive(page, by, wrapped))
        else:
            self._go(order, following, by, wrapped)

    def _arrive(self, page: str, by: int, wrapped: bool) -> None:
        """Go to the first open thread of a page that has just been read, or to the last."""
        order = self._walk_order()
        there = [at for at, thread in enumerate(order) if thread.page == page]
        if there:
            self._go(order, there[0] if by > 0 else there[-1], by, wrapped)

    def _go(self, order: list[Thread], at: int, by: int, wrapped: bool) -> None:
        self.go_to_thread(order[at])
        said = f"Open thread {at + 1} of {len(order)}"
        if wrapped:
            self.say(f"{said}: from the {'start' if by > 0 else 'end'} again.", "warn")
        else:
            self.say(f"{said}.")

    def _walk_order(self) -> list[Thread]:
        return self.threads.walk([change.id for change in self.changes], self.line_of)

    def _near(self, order: list[Thread], by: int) -> int:
        """Return the place of the open thread after (or before) the cursor of the diff."""
        pages = [change.id for change in self.changes]
        line = self.diff.line if self.diff.line is not None else 0
        here = (self.page_at if self.view != "overview" else -1, line)
        places = []
        for thread in order:
            page = pages.index(thread.page) if thread.page in pages else len(pages)
            if thread.page is None:
                page = -1
            places.append((page, thread.height(self.line_of)))
        if by > 0:
            return next((n for n, place in enumerate(places) if place > here), len(order))
        return next((n for n in reversed(range(len(places))) if places[n] < here), -1)

    def _threads_came(self, comments: list[Comment]) -> None:
        super()._threads_came(comments)
        self.commands_of(DraftCommands).go_on()

    def page_came(self) -> None:
        """Go on with a reply whose thread is on the page that came."""
        super().page_came()
        self.commands_of(DraftCommands).go_on()

    @property
    def thread_ids(self) -> tuple[str, str]:
        """The space and the change request."""
        opened = self.opened_request
        assert opened is not None
        return opened.space.id, opened.request.id

    @property
    def closed(self) -> bool:
        """Whether the request is merged or archived."""
        opened = self.opened_request
        return opened is not None and opened.request.status in ("merged", "archived")

    @property
    def threads_known(self) -> bool:
        """Whether the threads of the request have been read."""
        return self.threads_read

    def raw(self) -> Raw | None:
        """Return where the JSON of the message comes from, else that of the request."""
        opened, thread = self.opened_request, self.current_thread()
        if opened is None:
            return None
        if thread is not None:
            return message_raw(self.thread_ids, thread.id, self.current_message())
        return request_raw(*self.thread_ids, f"#{opened.request.number}")

    @command("commenters", uses="list_change_request_commenters")
    async def commenters(self, rest: str) -> None:
        """List who commented on this change request."""
        if self.opened_request is None:
            self.say("The change request is not read yet.", "warn")
            return
        space, request = self.thread_ids
        target = Target(self.target.organization, space, change_request=request)
        await self.desk.go("commenters", target)

    def commenting_refused(self) -> str | None:
        """Return why I may not comment in this space, or None."""
        return may_not_comment(self)

    def called(self, words: str) -> str:
        """Return what a message is called in the log that begins with these words."""
        return f"{self.numbered} “{words}”"

    def describe(self, message: Comment | CommentReply) -> str:
        """Return what a message is called in the log."""
        return self.called(first_words(message, 40))

    async def drafts_changed(self) -> None:
        """Show what waits to be sent as it is now."""
        opened = self.opened_request
        if opened is not None:
            await self.read_drafts(opened)
            self.show_threads()

    def forget_draft(self, key: str) -> None:
        """Show a draft no more, because its text has arrived."""
        self.drafts.pop(key.removeprefix(self.draft_key("")), None)

    def show_sent(self, message: Comment | CommentReply) -> None:
        """Go to a message of mine in the lists that are shown."""
        if isinstance(message, Comment):
            self.beside.select_thread(message.id)
            return
        for view in (self.beside, self.all_threads):
            if view.display:
                view.select(message.id)

    @action(
        "c",
        "comment",
        unless=(may_not_comment, no_line),
        danger=1,
        uses="create_change_request_comment",
        show=14,
        group="Threads",
        types=True,
    )
    async def comment_line(self) -> None:
        """Comment on the line under the cursor; from a blank one, on the nearest with words."""
        page, line, change = self.diff.page, self.diff.text_line, self.change
        assert page is not None
        assert line is not None
        assert change is not None
        self.diff.go_to_line(line)
        node = page.anchor(line)
        quote = page.line_text(line).strip()
        title = f"Comment on a line of {clean(change.node.title)}"
        await self.start_thread(Subject(title, f"{change.id}/{node}", change.id, node, quote))

    @action(
        "C",
        "comment on whole",
        unless=may_not_comment,
        danger=1,
        uses="create_change_request_comment",
        show=5,
        group="Threads",
        types=True,
    )
    async def comment_whole(self) -> None:
        """Comment on the page in front; ctrl+r makes it the change request as a whole, and back.

        Before the request has been read, and beside its pages, it is the request as a whole.
        """
        change = self.change
        whole = Subject(f"Comment on {self.numbered}", "request")
        if change is None or change.file or self.view != "changes":
            await self.start_thread(whole)
            return
        name = f"the page {clean(change.node.title)}"
        page = Subject(
            f"Comment on {name}",
            f"{change.id}/page",
            change.id,
            instead=f"ctrl+r makes it a comment on the change request {self.numbered}.",
        )
        whole = replace(whole, instead=f"ctrl+r makes it a comment on {name}.")

        async def other(about: Subject) -> Subject:
            return page if about is whole else whole

        await self.start_thread(whole if self.desk.keyboard.ahead.waited else page, other)
