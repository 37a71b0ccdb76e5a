"""What one does with threads: walk through them, write, answer, resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import (
    Comment,
    CommentReply,
    CommentUpdate,
    ReplyUpdate,
)
from copydesk.domain.inverses import thread_resolved
from copydesk.domain.text import clean
from copydesk.tui.actions import action
from copydesk.tui.draft_keys import review_key
from copydesk.tui.glyphs import glyphs
from copydesk.tui.pending import PendingDraft, send_draft, trace, way_back
from copydesk.tui.present.comment import Thread, first_words, name_of
from copydesk.tui.screens.review_guards import (
    may_not_comment,
    may_not_reply,
    no_line,
    no_thread,
    none_open,
)
from copydesk.tui.screens.review_news import ReviewNews
from copydesk.tui.session import WriteError
from copydesk.tui.widgets.choice import Choice, Option
from copydesk.tui.widgets.composer import WriteSheet

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from copydesk.client.api import Api


class ReviewThreads(ReviewNews, scope="review_threads"):
    """The actions on threads."""

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

    @property
    def _ids(self) -> tuple[str, str]:
        opened = self.opened_request
        assert opened is not None
        return opened.space.id, opened.request.id

    def draft_key(self, what: str) -> str:
        """Return where a draft of this request is kept; ``what`` names the place in it."""
        space, request = self._ids
        return review_key(space, request, what)

    async def write(self, title: str, key: str, *, text: str = "", quote: str = "") -> str | None:
        """Let the user write; None when the text was left, and is a draft now."""
        sheet = WriteSheet(
            title,
            key,
            text=text,
            quote=quote,
            facts=tuple(f"{glyphs().quote} {line}" for line in quote.splitlines()[:3]),
        )
        said = cast("str | None", await self.desk.push_screen_wait(sheet))
        if said is None:
            await self._drafts_changed()
            if key in self.session.drafts.kept():
                self.tell("Kept as a draft. The same key in the same place opens it again.")
        return said

    async def _drafts_changed(self) -> None:
        opened = self.opened_request
        if opened is not None:
            await self.read_drafts(opened)
            self.show_threads()

    def _forget(self, key: str) -> None:
        """Show a draft no more, because its text has arrived."""
        space, request = self._ids
        self.drafts.pop(key.removeprefix(f"{space}/{request}/"), None)

    def _show_arrived(self) -> None:
        """Show the threads again, unless the place is gone by the time that a write arrives."""
        if self.is_attached:
            self.show_threads()

    async def _start_thread(
        self, title: str, key: str, *, page: str | None, node: str | None, quote: str = ""
    ) -> None:
        space, request = self._ids
        said = await self.write(title, key, quote=quote)
        if said is None:
            return
        part = key.removeprefix(review_key(space, request, ""))
        draft = PendingDraft(space, request, part, "comment", said, page=page, node=node)
        comment = await self.deliver(draft)
        self.beside.select_thread(comment.id)

    async def deliver(
        self, draft: PendingDraft, *, recall: bool = True, group: str = ""
    ) -> Comment | CommentReply:
        """Send a comment or a reply and show it; recalled or refused it stays a draft.

        Raises `WriteError` when it is not known to have been sent.
        """
        thread = self.threads.get(draft.thread)
        words = clean(draft.text, limit=40)
        if thread is not None:
            words = first_words(thread.comment, 40)
        try:
            return await self.perform(
                "Comment" if draft.thread is None else "Reply",
                f"{self.numbered} “{words}”",
                lambda api: send_draft(api, draft),
                reversal=way_back(draft),
                trace=trace(self.session, draft),
                recall=recall,
                group=group,
                then=lambda sent: self._arrived(draft, sent),
                draft=draft.key,
            )
        except WriteError:
            if self.is_attached:
                await self._drafts_changed()
            raise

    def _arrived(self, draft: PendingDraft, sent: Comment | CommentReply) -> None:
        """Show what has arrived where it belongs."""
        self._forget(draft.key)
        thread = self.threads.get(draft.thread)
        if isinstance(sent, Comment):
            self.threads.put(sent)
        elif thread is not None:
            count = thread.comment.replies
            if thread.replies is not None:
                thread.replies.append(sent)
            elif not count:
                thread.replies = [sent]
            thread.comment = thread.comment.model_copy(update={"replies": count + 1})
        self._show_arrived()

    @action(
        "c",
        "comment",
        unless=(may_not_comment, no_line),
        danger=1,
        uses=("create_change_request_comment", "delete_change_request_comment"),
        show=14,
        group="Threads",
    )
    async def comment_line(self) -> None:
        """Comment on the line under the cursor."""
        page, line, change = self.diff.page, self.diff.line, self.change
        assert page is not None
        assert line is not None
        assert change is not None
        node = page.anchor(line)
        quote = page.line_text(line).strip()
        await self._start_thread(
            f"Comment on a line of {clean(change.node.title)}",
            self.draft_key(f"{change.id}/{node}"),
            page=change.id,
            node=node,
            quote=quote,
        )

    @action(
        "C",
        "comment on whole",
        unless=may_not_comment,
        danger=1,
        uses="create_change_request_comment",
        show=5,
        group="Threads",
    )
    async def comment_whole(self) -> None:
        """Comment on the page in front, or on the change request as a whole: it asks which."""
        change = self.change
        where: str | None = "request"
        if change is not None and not change.file and self.view == "changes":
            where = await self.desk.push_screen_wait(
                Choice(
                    "Comment on",
                    [
                        Option("page", f"the page {clean(change.node.title)}"),
                        Option("request", f"the change request {self.numbered}"),
                    ],
                )
            )
        if where == "page" and change is not None:
            await self._start_thread(
                f"Comment on the page {clean(change.node.title)}",
                self.draft_key(f"{change.id}/page"),
                page=change.id,
                node=None,
            )
        elif where == "request":
            await self._start_thread(
                f"Comment on {self.numbered}", self.draft_key("request"), page=None, node=None
            )

    @action(
        "r",
        "reply",
        unless=(no_thread, may_not_comment, may_not_reply),
        danger=1,
        uses=("create_change_request_comment_reply", "delete_change_request_comment_reply"),
        show=13,
        group="Threads",
    )
    async def reply(self) -> None:
        """Reply in the thread under the cursor."""
        thread = self.current_thread()
        assert thread is not None
        space, request = self._ids
        key = self.draft_key(f"reply {thread.id}")
        last = thread.replies[-1] if thread.replies else thread.comment
        said = await self.write(
            f"Reply to {name_of(last.posted_by)} in {thread.label}",
            key,
            quote=clean(last.body.markdown or "", lines=True, limit=2_000),
        )
        if said is None:
            return
        part = f"reply {thread.id}"
        draft = PendingDraft(space, request, part, "reply", said, thread=thread.id)
        reply = await self.deliver(draft)
        for view in (self.beside, self.all_threads):
            if view.display:
                view.select(reply.id)

    @action(
        "x",
        "resolve",
        unless=(no_thread, may_not_comment),
        show=12,
        uses=("update_change_request_comment", "get_change_request_comment"),
        group="Threads",
    )
    async def resolve(self) -> None:
        """Resolve the thread under the cursor, or open it again; it stays where it is."""
        thread = self.current_thread()
        assert thread is not None
        resolving = thread.comment.status != "resolved"
        what = "Resolve" if resolving else "Reopen"
        said = f"Resolved {thread.label}." if resolving else f"Opened {thread.label} again."
        space, request = self._ids

        async def look(api: Api) -> Comment | None:
            now = await api(ops.get_change_request_comment, space, request, thread.id)
            return now if (now.status == "resolved") == resolving else None

        await self.perform(
            what,
            self.describe(thread.comment),
            self._changing(thread, thread.comment, resolved=resolving),
            reversal=thread_resolved(space, request, thread.id, resolved=resolving),
            done=said,
            look=look,
            then=lambda now: self._replace(thread, now),
        )

    def _changing(
        self, thread: Thread, message: Comment | CommentReply, **fields: object
    ) -> Callable[[Api], Awaitable[Comment | CommentReply]]:
        """Return what changes a comment or a reply; ``fields`` are those of its body."""
        space, request = self._ids

        async def send(api: Api) -> Comment | CommentReply:
            if isinstance(message, CommentReply):
                return await api(
                    ops.update_change_request_comment_reply,
                    space,
                    request,
                    thread.id,
                    message.id,
                    ReplyUpdate.model_validate(fields),
                )
            return await api(
                ops.update_change_request_comment,
                space,
                request,
                thread.id,
                CommentUpdate.model_validate(fields),
            )

        return send

    def _replace(self, thread: Thread, now: Comment | CommentReply) -> None:
        """Show a message as it is now."""
        if isinstance(now, Comment):
            self.threads.put(now)
        elif thread.replies is not None:
            thread.replies = [now if reply.id == now.id else reply for reply in thread.replies]
        if self.is_attached:
            self.show_threads(same=isinstance(now, Comment))
