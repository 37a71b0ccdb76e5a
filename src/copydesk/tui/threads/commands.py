"""What one does with threads wherever they are shown: write, answer, resolve.

A place with threads derives from this, or with `message_commands` from what is done with a single
message too, and says which thread is under the cursor.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.inverses import thread_resolved
from copydesk.domain.preconditions import still_discussed, still_open, still_says
from copydesk.domain.text import clean
from copydesk.present.threads import Thread, Threads, answer_name
from copydesk.session.draft_keys import review_key
from copydesk.session.glyphs import glyphs
from copydesk.session.people import first_words, name_of
from copydesk.session.reads.inbox import read_comment
from copydesk.session.session import WriteError
from copydesk.session.writes.comments import PendingDraft, send_draft, trace, way_back
from copydesk.session.writes.messages import change_message
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import Place
from copydesk.tui.framework.workers import begin
from copydesk.tui.threads.guards import may_not_comment, may_not_reply, no_thread

if TYPE_CHECKING:
    from copydesk.client.api import Api


@dataclass(frozen=True, slots=True)
class Subject:
    """What the first comment of a thread is about, and ``part``, which names its draft.

    ``instead`` is a sentence that says what ctrl+r makes it about; empty where it stays as it is.
    """

    title: str
    part: str
    page: str | None = None
    node: str | None = None
    quote: str = ""
    instead: str = ""


class ThreadActions(Place, scope="thread_actions"):
    """The actions on threads. What a place has to say is what raises here."""

    NO_THREAD: ClassVar[str] = "There is no thread here."
    """Said where there is no thread under the cursor."""

    @property
    def no_thread_here(self) -> str:
        """Why there is none, with the keys that lead to one from here."""
        return self.NO_THREAD

    threads: Threads
    _drafts_due = False
    """Whether texts came out of the outbox, or went there, since drafts were shown."""

    def waits_changed(self) -> None:
        """Show what left the outbox as the draft that it is again, and what waits there as none."""
        self._drafts_due = True
        self.call_later(self._show_drafts)

    def on_screen_resume(self) -> None:
        """Show what was due while something was written over it: that is no draft to go on with."""
        self.call_later(self._show_drafts)

    def _show_drafts(self) -> None:
        if self._drafts_due and self.app.screen is self:
            self._drafts_due = False
            begin(self, self.drafts_changed, name="drafts")

    # What a place says

    @property
    def thread_ids(self) -> tuple[str, str]:
        """The space and the change request of the threads; on a space itself the second is ""."""
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """Whether the change request of the threads is known to be merged or archived."""
        return False

    @property
    def threads_known(self) -> bool:
        """Whether the threads have been read, so that where none is there is none."""
        raise NotImplementedError

    def commenting_refused(self) -> str | None:
        """Return why I may not comment here, or None."""
        raise NotImplementedError

    def current_thread(self) -> Thread | None:
        """Return the thread under the cursor."""
        raise NotImplementedError

    def current_message(self) -> Comment | CommentReply | None:
        """Return the comment or reply under the cursor."""
        raise NotImplementedError

    def describe(self, message: Comment | CommentReply) -> str:
        """Return what a message is called in the log."""
        raise NotImplementedError

    def thread_name(self, thread: Thread) -> str:
        """Return how the screen names a thread."""
        return thread.label

    def show_threads(self, *, same: bool = False) -> None:
        """Show the threads; ``same`` when none came or went, only one changed."""
        raise NotImplementedError

    async def drafts_changed(self) -> None:
        """Show the texts that wait to be sent as they are now."""
        raise NotImplementedError

    def forget_draft(self, key: str) -> None:
        """Show a draft no more, because its text has arrived."""

    def show_sent(self, message: Comment | CommentReply) -> None:
        """Go to a message of mine that has just been sent."""

    # Writing

    def draft_key(self, method: str, item: str = "") -> str:
        """Return where a draft about these threads is kept; it names the place among them."""
        return review_key(*self.thread_ids, f"{method} {item}".rstrip())

    async def write(
        self, title: str, key: str, *, text: str = "", quote: str = "", fact: str = ""
    ) -> str | None:
        """Let the user write; None when the text was left, and is a draft now.

        The ``fact`` is said above the field, and the ``quote`` begins there.
        """
        return await self._let_write(
            WriteSheet(
                title,
                key,
                text=text,
                quote=quote,
                facts=(
                    *([fact] if fact else []),
                    *(f"{glyphs().quote} {line}" for line in quote.splitlines()[:3]),
                ),
            ),
            key,
        )

    async def _let_write(self, sheet: WriteSheet, key: str) -> str | None:
        said = cast("str | None", await self.desk.push_screen_wait(sheet))
        if said is None and not sheet.moving:
            await self.drafts_changed()
            if key in self.session.drafts.kept():
                self.tell("Kept as a draft. The same key in the same place opens it again.")
        return said

    def _show_arrived(self) -> None:
        """Show the threads again, unless the place is gone by the time that a write arrives."""
        if self.is_attached:
            self.show_threads()

    async def start_thread(
        self,
        about: Subject,
        other: Callable[[Subject], Awaitable[Subject | None]] | None = None,
    ) -> None:
        """Let the user write the first comment of a thread, and send it.

        The field opens at once, whatever is typed is for it. Where its subject may be another,
        ``other`` finds that on ctrl+r; None stays with the one there is.
        """
        while True:
            key = self.draft_key(about.part)
            quote = tuple(f"{glyphs().quote} {line}" for line in about.quote.splitlines()[:3])
            sheet = WriteSheet(
                about.title, key, quote=about.quote, facts=quote, instead=about.instead
            )
            said = await self._let_write(sheet, key)
            if said is not None or other is None or not sheet.moving:
                break
            self.desk.keyboard.ahead.again("comment")
            if (chosen := await other(about)) is not None:
                self._move_draft(key, self.draft_key(chosen.part))
                about = chosen
        if said is None:
            return
        draft = PendingDraft(
            *self.thread_ids, about.part, "comment", said, page=about.page, node=about.node
        )
        self.show_sent(await self.deliver(draft))

    def _move_draft(self, key: str, other: str) -> None:
        """Keep a text under another key; where another text is already, each stays its own."""
        drafts, text = self.session.drafts, self.session.drafts.look(key)
        if not text or self.session.is_on_its_way(key, text):
            return
        there = drafts.look(other)
        if there is not None and self.session.is_on_its_way(other, there):
            self.session.make_room(other)
            there = None
        if not there:
            drafts.save(other, text)
            drafts.drop(key)

    async def deliver(
        self, draft: PendingDraft, *, recall: bool = True, group: str = ""
    ) -> Comment | CommentReply:
        """Send a comment or a reply and show it; recalled or refused it stays a draft.

        Raises `WriteError` when it is not known to have been sent.
        """
        thread = self.threads.get(draft.thread)
        name = self.called(clean(draft.text, limit=40))
        if thread is not None:
            name = answer_name(self.called, draft.text, first_words(thread.comment, 16))
        try:
            return await self.perform(
                "Comment" if draft.thread is None else "Reply",
                name,
                lambda api: send_draft(api, draft),
                reversal=way_back(draft),
                trace=trace(self.session, draft),
                expects=still_discussed(
                    draft.space,
                    draft.request,
                    draft.thread,
                    over=thread is not None and thread.comment.status == "resolved",
                    closed=self.closed,
                    words=None if thread is None else thread.comment.body.markdown,
                ),
                recall=recall,
                group=group,
                then=lambda sent: self.message_arrived(draft, sent),
                draft=draft.key,
            )
        except WriteError:
            if self.is_attached:
                await self.drafts_changed()
            raise

    def called(self, words: str) -> str:
        """Return what a message is called in the log that begins with these words."""
        raise NotImplementedError

    def message_arrived(self, draft: PendingDraft, sent: Comment | CommentReply) -> None:
        """Show what has arrived where it belongs."""
        self.forget_draft(draft.key)
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
        "r",
        "reply",
        unless=(no_thread, may_not_comment, may_not_reply),
        danger=1,
        uses=("create_change_request_comment_reply", "create_space_comment_reply"),
        show=13,
        group="Threads",
        types=True,
    )
    async def reply(self) -> None:
        """Reply in the thread under the cursor."""
        thread = self.current_thread()
        assert thread is not None
        part = f"reply {thread.id}"
        last = thread.replies[-1] if thread.replies else thread.comment
        said = await self.write(
            f"Reply to {name_of(last.posted_by)} in {self.thread_name(thread)}",
            self.draft_key(part),
            quote=clean(last.body.markdown or "", lines=True, limit=2_000),
        )
        if said is None:
            return
        draft = PendingDraft(*self.thread_ids, part, "reply", said, thread=thread.id)
        self.show_sent(await self.deliver(draft))

    @action(
        "x",
        "resolve",
        unless=(no_thread, may_not_comment),
        show=12,
        uses=(
            "update_change_request_comment",
            "get_change_request_comment",
            "update_space_comment",
            "get_space_comment",
        ),
        group="Threads",
    )
    async def resolve(self) -> None:
        """Resolve the thread under the cursor, or open it again; it stays where it is."""
        thread, ids = self.current_thread(), self.thread_ids
        assert thread is not None
        resolving = thread.comment.status != "resolved"
        name = self.thread_name(thread)

        async def look(api: Api) -> Comment | None:
            now = await read_comment(api, *ids, thread.id)
            return now if now is not None and (now.status == "resolved") == resolving else None

        await self.perform(
            "Resolve" if resolving else "Reopen",
            self.describe(thread.comment),
            lambda api: change_message(api, ids, thread.id, None, {"resolved": resolving}),
            reversal=thread_resolved(*ids, thread.id, resolved=resolving),
            expects=still_open(
                still_says(
                    *ids,
                    thread.id,
                    words=thread.comment.body.markdown,
                    replies=thread.comment.replies,
                ),
                *ids,
                closed=self.closed,
            ),
            done=f"Resolved {name}." if resolving else f"Opened {name} again.",
            look=look,
            then=lambda now: self.replace_message(thread, now),
        )

    def replace_message(self, thread: Thread, now: Comment | CommentReply) -> None:
        """Show a message as it is now."""
        if isinstance(now, Comment):
            self.threads.put(now)
        elif thread.replies is not None:
            thread.replies = [now if reply.id == now.id else reply for reply in thread.replies]
        if self.is_attached:
            self.show_threads(same=isinstance(now, Comment))
