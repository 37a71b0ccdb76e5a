"""What one does with threads: write, answer, react, resolve, edit, delete, walk through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import (
    Comment,
    CommentCreate,
    CommentReply,
    CommentUpdate,
    MarkdownBody,
    ReplyCreate,
    ReplyUpdate,
)
from copydesk.domain.text import clean, plural
from copydesk.tui.actions import action
from copydesk.tui.glyphs import glyphs
from copydesk.tui.present.comment import (
    EMOJI,
    THUMBS_UP,
    Thread,
    emoji_text,
    first_words,
    mine,
    name_of,
    who_reacted,
)
from copydesk.tui.screens.review_base import ReviewBase
from copydesk.tui.widgets.choice import Choice, Option
from copydesk.tui.widgets.composer import WriteSheet
from copydesk.tui.widgets.sheet import Confirm

if TYPE_CHECKING:
    from copydesk.client.api import Api

NO_THREAD = "No thread here. } goes to the next open one; c starts one on this line."


def not_read(here: ReviewBase) -> str | None:
    """Say so while the change request has not been read."""
    return None if here.opened_request is not None else "The change request is not read yet."


def may_not_comment(here: ReviewBase) -> str | None:
    """Say so when I may not comment in the space."""
    opened = here.opened_request
    if opened is None:
        return not_read(here)
    permissions = opened.space.permissions
    if permissions is not None and not permissions.comment:
        return f"You may not comment in {clean(opened.space.title)}."
    return None


def no_line(here: ReviewBase) -> str | None:
    """Say so when the cursor is on nothing that can be commented on."""
    if here.view != "changes" or here.diff.page is None:
        return "c comments on a line of the changes (2 goes there). C comments on the request."
    if here.diff.line is None:
        return "Put the cursor on a line with text first, or press C for the page."
    if not here.diff.page.line_text(here.diff.line).strip():
        return "This line is blank. Choose a line with text, or press C for the page."
    return None


def no_thread(here: ReviewBase) -> str | None:
    """Say so when there is no thread under the cursor."""
    return None if here.current_thread() is not None else NO_THREAD


def no_message(here: ReviewBase) -> str | None:
    """Say so when there is no message under the cursor."""
    return None if here.current_message() is not None else NO_THREAD


def may_not_reply(here: ReviewBase) -> str | None:
    """Say so when the thread takes no reply of mine."""
    thread = here.current_thread()
    permissions = thread.comment.permissions if thread else None
    if permissions is not None and not permissions.reply:
        return "You may not reply in this thread."
    return None


def not_mine(here: ReviewBase) -> str | None:
    """Say so when the message is not mine to edit."""
    message = here.current_message()
    if message is None:
        return NO_THREAD
    permissions = message.permissions
    if permissions is not None and not permissions.edit:
        return f"Only {name_of(message.posted_by)} may edit this."
    return None


def not_to_delete(here: ReviewBase) -> str | None:
    """Say so when the message is not mine to delete."""
    message = here.current_message()
    if message is None:
        return NO_THREAD
    permissions = message.permissions
    if permissions is not None and not permissions.delete:
        return f"Only {name_of(message.posted_by)} or an administrator may delete this."
    return None


def nobody(here: ReviewBase) -> str | None:
    """Say so when the service does not tell who I am: then my reactions are not known."""
    return None if here.session.me is not None else "The service does not say who you are."


def none_open(here: ReviewBase) -> str | None:
    """Say so when no thread is open."""
    if not here.threads_read:
        return "The threads are not read yet."
    return None if here.threads.open_count else "No thread is open."


class ReviewThreads(ReviewBase, scope="review_threads"):
    """The actions on threads and messages."""

    # Walking

    @action("}", "next open thread", unless=none_open, show=9, group="Threads")
    def next_thread(self) -> None:
        """Go to the next open thread, over the borders of pages; wraps once and says so."""
        self._step_thread(1)

    @action("{", "previous open thread", unless=none_open, show=False, group="Threads")
    def previous_thread(self) -> None:
        """Go to the previous open thread, over the borders of pages."""
        self._step_thread(-1)

    def _step_thread(self, by: int) -> None:
        order = self.threads.walk([change.id for change in self.changes], self.line_of)
        here = self.current_thread()
        at = next((n for n, thread in enumerate(order) if thread is here), None)
        following = self._near(order, by) if at is None else at + by
        wrapped = not 0 <= following < len(order)
        following %= len(order)
        self.go_to_thread(order[following])
        said = f"Open thread {following + 1} of {len(order)}"
        if wrapped:
            self.say(f"{said}: from the {'start' if by > 0 else 'end'} again.", "warn")
        else:
            self.say(f"{said}.")

    def _near(self, order: list[Thread], by: int) -> int:
        """Return the place of the open thread after (or before) the cursor of the diff."""
        pages = [change.id for change in self.changes]
        line = self.diff.line if self.diff.line is not None else 0
        here = (self.page_at if self.view != "overview" else -1, line)
        places = []
        for thread in order:
            page = pages.index(thread.page) if thread.page in pages else len(pages)
            at = self.line_of(thread)
            if thread.page is None:
                page = -1
            places.append((page, -1 if thread.node is None else 1 << 60 if at is None else at))
        if by > 0:
            return next((n for n, place in enumerate(places) if place > here), len(order))
        return next((n for n in reversed(range(len(places))) if places[n] < here), -1)

    # Writing

    @property
    def _ids(self) -> tuple[str, str]:
        opened = self.opened_request
        assert opened is not None
        return opened.space.id, opened.request.id

    def draft_key(self, what: str) -> str:
        """Return where a draft of this request is kept; ``what`` names the place in it."""
        space, request = self._ids
        return f"{space}/{request}/{what}"

    async def write(self, title: str, key: str, *, text: str = "", quote: str = "") -> str | None:
        """Let the user write; None when the text was left, and is a draft now."""
        sheet = WriteSheet(
            title, key, text=text, quote=quote,
            facts=tuple(f"{glyphs().quote} {line}" for line in quote.splitlines()[:3]),
        )
        said = cast("str | None", await self.desk.push_screen_wait(sheet))
        if said is None and self.session.drafts.load(key) is not None:
            self.tell("Kept as a draft. The same key in the same place opens it again.")
        return said

    async def _start_thread(
        self, title: str, key: str, *, page: str | None, node: str | None, quote: str = ""
    ) -> None:
        space, request = self._ids
        said = await self.write(title, key, quote=quote)
        if said is None:
            return
        body = CommentCreate(body=MarkdownBody(markdown=said))
        if page is not None:
            body = CommentCreate(body=body.body, page=page)
        if page is not None and node is not None:
            body = CommentCreate(body=body.body, page=page, node=node)
        made: list[str] = []

        async def send(api: Api) -> Comment:
            comment = await api(ops.create_change_request_comment, space, request, body)
            made[:] = [comment.id]
            return comment

        async def take_back(api: Api) -> None:
            await api(ops.delete_change_request_comment, space, request, made[0])
            self.session.drafts.save(key, said)

        comment = await self.perform(
            "Comment", f"{self.numbered} “{clean(said, limit=40)}”", send, undo=take_back
        )
        self.session.drafts.drop(key)
        self.threads.put(comment)
        self.show_threads()
        self.beside.select_thread(comment.id)

    @action(
        "c", "comment", unless=(may_not_comment, no_line), danger=1,
        uses=("create_change_request_comment", "delete_change_request_comment"), show=14,
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
            self.draft_key(f"{change.id}/{node}"), page=change.id, node=node, quote=quote,
        )

    @action(
        "C", "comment on page or request", unless=may_not_comment, danger=1,
        uses="create_change_request_comment", show=5, group="Threads",
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
                self.draft_key(f"{change.id}/page"), page=change.id, node=None,
            )
        elif where == "request":
            await self._start_thread(
                f"Comment on {self.numbered}", self.draft_key("request"), page=None, node=None
            )

    @action(
        "r", "reply", unless=(no_thread, may_not_comment, may_not_reply), danger=1,
        uses=(
            "create_change_request_comment_reply", "delete_change_request_comment_reply"
        ),
        show=13, group="Threads",
    )
    async def reply(self) -> None:
        """Reply in the thread under the cursor."""
        thread = self.current_thread()
        assert thread is not None
        space, request = self._ids
        key = self.draft_key(f"reply {thread.id}")
        last = thread.replies[-1] if thread.replies else thread.comment
        said = await self.write(
            f"Reply to {name_of(last.posted_by)} in {thread.label}", key,
            quote=clean(last.body.markdown or "", lines=True, limit=2_000),
        )
        if said is None:
            return
        made: list[str] = []

        async def send(api: Api) -> CommentReply:
            reply = await api(
                ops.create_change_request_comment_reply,
                space, request, thread.id, ReplyCreate(body=MarkdownBody(markdown=said)),
            )
            made[:] = [reply.id]
            return reply

        async def take_back(api: Api) -> None:
            await api(
                ops.delete_change_request_comment_reply, space, request, thread.id, made[0]
            )
            self.session.drafts.save(key, said)

        reply = await self.perform(
            "Reply", self.describe(thread.comment), send, undo=take_back
        )
        self.session.drafts.drop(key)
        if thread.replies is not None:
            thread.replies.append(reply)
        elif not thread.comment.replies:
            thread.replies = [reply]
        thread.comment = thread.comment.model_copy(
            update={"replies": thread.comment.replies + 1}
        )
        self.show_threads()
        for view in (self.beside, self.all_threads):
            if view.display:
                view.select(reply.id)

    # Resolving

    @action(
        "x", "resolve or reopen", unless=(no_thread, may_not_comment), show=12,
        uses="update_change_request_comment", group="Threads",
    )
    async def resolve(self) -> None:
        """Resolve the thread under the cursor, or open it again; it stays where it is."""
        thread = self.current_thread()
        assert thread is not None
        space, request = self._ids
        resolving = thread.open

        def turn(resolved: bool) -> Any:
            async def send(api: Api) -> Comment:
                return await api(
                    ops.update_change_request_comment,
                    space, request, thread.id, CommentUpdate(resolved=resolved),
                )

            return send

        what = "Resolve" if resolving else "Reopen"
        done = f"{what.removesuffix('e')}ed {thread.label}"
        comment = await self.perform(
            what, self.describe(thread.comment), turn(resolving), undo=turn(not resolving),
            done=done if resolving else f"Opened {thread.label} again",
        )
        self.threads.put(comment)
        self.show_threads()

    # Reactions

    @action(
        "+", "thumbs up", unless=(no_message, may_not_comment, nobody), show=4,
        uses=("update_change_request_comment", "update_change_request_comment_reply"),
        group="Threads",
    )
    async def thumbs_up(self) -> None:
        """Put a thumbs up on the message under the cursor, or take it away."""
        await self._react(THUMBS_UP)

    @action(
        "E", "react…", unless=(no_message, may_not_comment, nobody), show=3,
        uses=("update_change_request_comment", "update_change_request_comment_reply"),
        group="Threads",
    )
    async def react(self) -> None:
        """Choose a reaction by name; chosen again it is taken away. Shows who reacted."""
        message, thread = self.current_message(), self.current_thread()
        assert message is not None
        assert thread is not None
        here = dict(who_reacted(message.reactions))
        known = {emoji_text(sign): name for name, sign in EMOJI.items()}
        options = [
            Option(sign, f"{emoji_text(sign)}  {name}", here.get(emoji_text(sign), ""))
            for name, sign in EMOJI.items()
        ]
        options += [
            Option(reaction.emoji, emoji_text(reaction.emoji), here[emoji_text(reaction.emoji)])
            for reaction in message.reactions
            if emoji_text(reaction.emoji) not in known and reaction.emoji
        ]
        chosen = await self.desk.push_screen_wait(Choice("React", options))
        if chosen is not None:
            await self._react(chosen, message, thread)

    async def _react(
        self,
        emoji: str,
        message: Comment | CommentReply | None = None,
        thread: Thread | None = None,
    ) -> None:
        message = message or self.current_message()
        thread = thread or self.current_thread()
        me = self.session.me
        assert message is not None
        assert thread is not None
        assert me is not None
        space, request = self._ids
        adding = not mine(message, emoji, me.id)
        reply_id = message.id if isinstance(message, CommentReply) else None

        def turn(add: bool) -> Any:
            change = {"added_reactions" if add else "removed_reactions": [emoji]}

            async def send(api: Api) -> Comment | CommentReply:
                if reply_id is not None:
                    return await api(
                        ops.update_change_request_comment_reply,
                        space, request, thread.id, reply_id, ReplyUpdate.model_validate(change),
                    )
                return await api(
                    ops.update_change_request_comment,
                    space, request, thread.id, CommentUpdate.model_validate(change),
                )

            return send

        now = await self.perform(
            "React" if adding else "Take reaction back", self.describe(message), turn(adding),
            undo=turn(not adding),
            done=f"{emoji_text(emoji)} {'put' if adding else 'taken away'}",
        )
        self._replace(thread, now)

    def _replace(self, thread: Thread, now: Comment | CommentReply) -> None:
        """Show a message as it is now."""
        if isinstance(now, Comment):
            self.threads.put(now)
        elif thread.replies is not None:
            thread.replies = [now if reply.id == now.id else reply for reply in thread.replies]
        self.show_threads()

    # Editing and deleting

    @action(
        "e", "edit mine", unless=(no_message, not_mine), danger=1, show=3,
        uses=("update_change_request_comment", "update_change_request_comment_reply"),
        group="Threads",
    )
    async def edit_message(self) -> None:
        """Edit my comment or reply under the cursor."""
        message, thread = self.current_message(), self.current_thread()
        assert message is not None
        assert thread is not None
        space, request = self._ids
        before = message.body.markdown or ""
        key = self.draft_key(f"edit {message.id}")
        said = await self.write("Edit", key, text=before)
        if said is None or said == before:
            return
        reply_id = message.id if isinstance(message, CommentReply) else None

        def turn(text: str) -> Any:
            body = MarkdownBody(markdown=text)

            async def send(api: Api) -> Comment | CommentReply:
                if reply_id is not None:
                    return await api(
                        ops.update_change_request_comment_reply,
                        space, request, thread.id, reply_id, ReplyUpdate(body=body),
                    )
                return await api(
                    ops.update_change_request_comment,
                    space, request, thread.id, CommentUpdate(body=body),
                )

            return send

        now = await self.perform(
            "Edit", self.describe(message), turn(said), undo=turn(before), done="Edited."
        )
        self.session.drafts.drop(key)
        self._replace(thread, now)

    @action(
        "D", "delete", unless=(no_message, not_to_delete), danger=2, show=2,
        uses=("delete_change_request_comment", "delete_change_request_comment_reply"),
        group="Threads",
    )
    async def delete_message(self) -> None:
        """Delete the comment (with its replies) or the reply under the cursor, after asking."""
        message, thread = self.current_message(), self.current_thread()
        assert message is not None
        assert thread is not None
        space, request = self._ids
        reply = isinstance(message, CommentReply)
        facts = [first_words(message, 200)]
        if not reply and thread.comment.replies:
            facts += ["", f"{plural(thread.comment.replies, 'reply')} in it will go too."]
        sheet = Confirm(
            f"Delete {'this reply' if reply else f'thread {thread.label}'}", facts,
            verb="delete", warning="This cannot be undone. People were notified when it was sent.",
        )
        if not await self.desk.push_screen_wait(sheet):
            return

        async def send(api: Api) -> None:
            if reply:
                await api(
                    ops.delete_change_request_comment_reply,
                    space, request, thread.id, message.id,
                )
            else:
                await api(ops.delete_change_request_comment, space, request, thread.id)

        await self.perform("Delete", self.describe(message), send, done="Deleted.")
        if reply:
            thread.replies = [each for each in thread.replies or () if each.id != message.id]
            thread.comment = thread.comment.model_copy(
                update={"replies": max(0, thread.comment.replies - 1)}
            )
        else:
            self.threads.remove(thread.id)
        self.show_threads()
