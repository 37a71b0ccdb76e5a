"""What one does with threads and messages wherever they are shown.

A place with threads is a `HasThreads`: it says which thread is under the cursor. Its
`COMMAND_CLASSES` name what can be done there: write, answer and resolve (`ThreadCommands`), and
react to a single message, edit it and delete it (`MessageCommands`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from rich.cells import cell_len
from rich.text import Text

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.completion import signs
from copydesk.domain.inverses import message_edited, reacted, still_says
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, typed
from copydesk.present.passages import Passage, thread_text
from copydesk.present.threads import (
    EMOJI,
    THUMBS_UP,
    Thread,
    Threads,
    answer_name,
    emoji_text,
    mine,
    who_reacted,
)
from copydesk.session.cached_reads import live_or_cached
from copydesk.session.draft_keys import review_key
from copydesk.session.glyphs import emoji_names, glyphs
from copydesk.session.marks import FOLLOWED, YES, marks_reversal
from copydesk.session.names import first_words, person_name
from copydesk.session.options import Option
from copydesk.session.reads.inbox import read_thread
from copydesk.session.writes.comments import (
    CHANGES,
    DELETES,
    PendingDraft,
    change_message,
    delete_message,
    draft_words,
    resolving,
    sending,
)
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.outbox import GOES_ON
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.framework.actions import Commands, NoRowYet, action
from copydesk.tui.framework.desk_app import begin

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import CommentPermissions
    from copydesk.session.session import Session
    from copydesk.tui.framework.place import Place


def may_not_comment(here: HasThreads) -> str | None:
    """Say so when I may not comment here."""
    return here.commenting_refused()


def no_thread(here: HasThreads) -> str | None:
    """Say so when there is no thread under the cursor."""
    return None if here.current_thread() is not None else _no_thread(here)


def no_message(here: HasThreads) -> str | None:
    """Say so when there is no message under the cursor."""
    return None if here.current_message() is not None else _no_thread(here)


def _no_thread(here: HasThreads) -> str:
    return here.no_thread_here if here.threads_known else NoRowYet(here.no_thread_here)


def may_not_reply(here: HasThreads) -> str | None:
    """Say so when the thread takes no reply of mine."""
    thread = here.current_thread()
    permissions = thread.comment.permissions if thread else None
    if permissions is not None and permissions.reply is False:
        return "You may not reply in this thread."
    return None


def not_mine(here: HasThreads) -> str | None:
    """Say so when the message is not mine to edit."""
    return _only_others(here, lambda granted: granted.edit, "may edit this")


def not_to_delete(here: HasThreads) -> str | None:
    """Say so when the message is not mine to delete."""
    return _only_others(here, lambda granted: granted.delete, "or an administrator may delete this")


def _only_others(
    here: HasThreads, may: Callable[[CommentPermissions], bool], do: str
) -> str | None:
    message = here.current_message()
    if message is None:
        return _no_thread(here)
    if message.permissions is None or may(message.permissions):
        return None
    return f"Only {person_name(message.posted_by)} {do}."


def nobody(here: HasThreads) -> str | None:
    """Say so when the service does not tell who I am: then my reactions are not known."""
    return None if here.session.me is not None else "The service does not say who you are."


def follow_label(here: HasThreads) -> str:
    """Return what L does with the thread."""
    thread = here.current_thread()
    follows = thread is not None and FOLLOWED in here.session.marks.of(thread.id)
    return "follow no more" if follows else "follow"


FOUND = 40
"""How many emoji the chooser finds by a name."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What the first comment of a thread is about, and ``part``, which names its draft.

    ``instead`` is a sentence that says what ctrl+r makes it about; empty where it stays as it is.
    ``given`` is what the field begins with.
    """

    title: str
    part: str
    page: str | None = None
    node: str | None = None
    quote: str = ""
    instead: str = ""
    given: str = ""


class HasThreads(Protocol):
    """What a place with threads says of them, and is told."""

    @property
    def threads(self) -> Threads:
        """The threads that are known."""

    @property
    def session(self) -> Session:
        """What the whole run shares."""

    @property
    def thread_ids(self) -> tuple[str, str]:
        """The space and the change request of the threads; on a space itself the second is ""."""

    @property
    def closed(self) -> bool:
        """Whether the change request of the threads is known to be merged or archived."""

    @property
    def threads_known(self) -> bool:
        """Whether the threads have been read."""

    @property
    def no_thread_here(self) -> str:
        """Why there is none under the cursor, with the keys that lead to one from here."""

    def commenting_refused(self) -> str | None:
        """Return why I may not comment here, or None."""

    def current_thread(self) -> Thread | None:
        """Return the thread under the cursor."""

    def current_message(self) -> Comment | CommentReply | None:
        """Return the comment or reply under the cursor."""

    def called(self, words: str) -> str:
        """Return what a message is called in the log that begins with these words."""

    def thread_name(self, thread: Thread) -> str:
        """Return how the screen names a thread."""

    def show_threads(self, *, same: bool = False) -> None:
        """Show the threads; ``same`` when none came or went, only one changed."""

    async def drafts_changed(self) -> None:
        """Show the texts that wait to be sent as they are now."""

    def forget_draft(self, key: str) -> None:
        """Show a draft no more, because its text has arrived."""

    def show_sent(self, message: Comment | CommentReply) -> None:
        """Go to a message of mine that has just been sent."""

    def message_arrived(self, thread: str, *, read: bool) -> None:
        """Show a message of mine that is in a thread now, or begins it.

        ``read`` says that the thread was read since it was sent: others may have answered it.
        """

    def message_removed(self, thread: Thread, message: Comment | CommentReply) -> None:
        """Show a message no more, because it was deleted."""


class ThreadCommands(Commands, scope="thread_actions"):
    """The actions on threads, and sending comments and replies."""

    place: Place

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.here = cast("HasThreads", place)
        self.where: Callable[[Thread], str] = lambda thread: ""
        """Returns what a thread is on, for who reads a copy of it."""
        self.fields: Callable[[], Mapping[str, str]] = dict
        """Returns the fields of a saved reply that are known of the thread under the cursor."""
        self._drafts_due = False
        """Whether texts came out of the outbox, or went there, since drafts were shown."""

    def passages(self) -> Sequence[Passage]:
        """Return the thread under the cursor, whose replies are read where they were not."""
        thread = self.here.current_thread()
        if thread is None:
            return ()
        ids = self.here.thread_ids

        async def text() -> str:
            whole = thread
            if thread.replies is None and thread.comment.replies:

                async def read(api: Api) -> list[CommentReply]:
                    return await read_thread(api, *ids, thread.id)

                found = await live_or_cached(self.place.session, read)
                whole = Thread(thread.comment, thread.number, found.result)
            return thread_text(whole, self.where(thread))

        return [Passage("thread", first_words(thread.comment, 60), text)]

    def reply_values(self) -> Mapping[str, str]:
        return self.fields()

    def waits_changed(self) -> None:
        """Show what left the outbox as the draft that it is again, and what waits there as none."""
        self._drafts_due = True
        self.show_drafts_soon()

    def show_drafts_soon(self) -> None:
        """Show the due drafts, but not under text being written now."""
        self.place.call_later(self._show_drafts)

    def _show_drafts(self) -> None:
        if self._drafts_due and self.app.screen is self.place:
            self._drafts_due = False
            begin(self.place, self.here.drafts_changed, name="drafts")

    # Writing

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
                facts=(*([fact] if fact else []), *quoted(quote)),
            ),
            key,
        )

    async def _let_write(self, sheet: WriteSheet, key: str) -> str | None:
        said = cast("str | None", await self.app.push_screen_wait(sheet))
        if said is None and not sheet.moving:
            await self.here.drafts_changed()
            if key in self.place.session.drafts.texts():
                self.place.tell("Kept as a draft. The same key in the same place opens it again.")
        return said

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
            key = draft_key(self.here, about.part)
            sheet = WriteSheet(
                about.title, key, text=about.given, quote=about.quote,
                facts=quoted(about.quote), instead=about.instead,
            )  # fmt: skip
            said = await self._let_write(sheet, key)
            if said is not None or other is None or not sheet.moving:
                break
            self.place.desk.keyboard.ahead.again("comment")
            if (chosen := await other(about)) is not None:
                self._move_draft(key, draft_key(self.here, chosen.part))
                about = chosen
        if said is None:
            return
        draft = PendingDraft(
            *self.here.thread_ids, about.part, "comment", said, page=about.page, node=about.node
        )
        self.here.show_sent(await self.deliver(draft))

    def _move_draft(self, key: str, other: str) -> None:
        """Keep a text under another key; where another text is already, each stays its own."""
        drafts, text = self.place.session.drafts, self.place.session.drafts.own_text(key)
        if not text or self.place.session.writes.is_on_its_way(key, text):
            return
        there = drafts.own_text(other)
        if there is not None and self.place.session.writes.is_on_its_way(other, there):
            self.place.session.writes.make_room(other)
            there = None
        if not there:
            drafts.save(other, text)
            drafts.drop(key)
            self.here.forget_draft(key)

    async def deliver(
        self, draft: PendingDraft, *, recall: bool = True, group: str = ""
    ) -> Comment | CommentReply:
        """Send a comment or a reply and show it; recalled or refused it stays a draft.

        Raises `WriteError` when it is not known to have been sent.
        """
        thread = self.here.threads.get(draft.thread)
        name = self.here.called(clean(draft_words(draft), limit=40))
        if thread is not None:
            name = answer_name(self.here.called, draft.text, first_words(thread.comment, 16))
        try:
            return await self.place.writer.send(
                sending(
                    draft,
                    name,
                    self.place.session.me,
                    thread=None if thread is None else thread.comment,
                    closed=self.here.closed,
                ),
                recall=recall,
                group=group,
                then=lambda sent: self._arrived(draft, sent),
                draft=draft.key,
            )
        except WriteError:
            if self.is_attached:
                await self.here.drafts_changed()
            raise

    def _arrived(self, draft: PendingDraft, sent: Comment | CommentReply) -> None:
        """Show what has arrived where it belongs."""
        self.here.forget_draft(draft.key)
        thread, read = self.here.threads.get(draft.thread), False
        if isinstance(sent, Comment):
            self.here.threads.put(sent)
        elif thread is not None and not (read := _has(thread, sent)):
            count = thread.comment.replies
            if thread.replies is not None:
                thread.replies.append(sent)
            elif not count:
                thread.replies = [sent]
            thread.comment = thread.comment.model_copy(update={"replies": count + 1})
        if self.is_attached:
            self.here.message_arrived(draft.thread or sent.id, read=read)

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
        thread, ids = sure(self.here.current_thread()), self.here.thread_ids
        part = f"reply {thread.id}"
        last = thread.replies[-1] if thread.replies else thread.comment
        said = await self.write(
            f"Reply to {person_name(last.posted_by)} in {self.here.thread_name(thread)}",
            draft_key(self.here, part),
            quote=clean(last.body.markdown or "", lines=True, limit=2_000),
        )
        if said is None:
            return
        draft = PendingDraft(*ids, part, "reply", said, thread=thread.id)
        self.here.show_sent(await self.deliver(draft))

    @action("L", "follow", unless=no_thread, show=False, group="Threads", now=follow_label)
    async def follow(self) -> None:
        """Follow the thread: it waits in the inbox whenever someone else wrote. Again: no more.

        That is saved on this machine only; ``u`` undoes it.
        """
        thread, marks = sure(self.here.current_thread()), self.here.session.marks
        before = {FOLLOWED: marks.of(thread.id).get(FOLLOWED, "")}
        after = {FOLLOWED: "" if before[FOLLOWED] else YES}
        await self.place.writer.perform(
            "Follow" if after[FOLLOWED] else "Follow no more",
            self.here.thread_name(thread),
            lambda api: marks.put(thread.id, after),
            reversal=marks_reversal(thread.id, before, after),
            done="You follow it: what others write there comes to the inbox (g i)."
            if after[FOLLOWED]
            else "You follow it no more.",
        )
        self.here.show_threads(same=True)

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
        thread, ids = sure(self.here.current_thread()), self.here.thread_ids
        resolving_it = thread.comment.status != "resolved"
        name = self.here.thread_name(thread)

        await self.place.writer.send(
            resolving(
                ids,
                thread.comment,
                describe(self.here, thread.comment),
                resolved=resolving_it,
                closed=self.here.closed,
                done=f"Resolved {name}." if resolving_it else f"Opened {name} again.",
            ),
            then=lambda now: self.replace_message(thread, now),
        )

    def replace_message(self, thread: Thread, now: Comment | CommentReply) -> None:
        """Show a message as it is now."""
        if isinstance(now, Comment):
            self.here.threads.put(now)
        elif thread.replies is not None:
            thread.replies = [now if reply.id == now.id else reply for reply in thread.replies]
        if self.is_attached:
            self.here.show_threads(same=isinstance(now, Comment))


class MessageCommands(Commands, scope="message_actions"):
    """The actions on the message under the cursor."""

    place: Place

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.here = cast("HasThreads", place)

    @property
    def _writing(self) -> ThreadCommands:
        return self.place.commands_of(ThreadCommands)

    @action("+", "thumbs up", unless=(no_message, may_not_comment, nobody), show=4, uses=CHANGES,
            group="Threads")  # fmt: skip
    async def thumbs_up(self) -> None:
        """Put a thumbs up on the message under the cursor, or take it away."""
        await self._react(THUMBS_UP)

    @action("E", "react…", unless=(no_message, may_not_comment, nobody), show=3, uses=CHANGES,
            group="Threads", types=True)  # fmt: skip
    async def react(self) -> None:
        """Choose a reaction by name; chosen again it is taken away. Shows who reacted.

        The usual ones are listed; typing finds every other emoji too.
        """
        message, thread = self.here.current_message(), sure(self.here.current_thread())
        assert message is not None
        here = dict(who_reacted(message.reactions))
        known = {emoji_text(sign): name for name, sign in EMOJI.items()}
        options = [
            Option(sign, _option(emoji_text(sign), name), here.get(emoji_text(sign), ""))
            for name, sign in EMOJI.items()
        ]
        options += [
            Option(reaction.emoji, emoji_text(reaction.emoji), here[emoji_text(reaction.emoji)])
            for reaction in message.reactions
            if emoji_text(reaction.emoji) not in known and reaction.emoji
        ]
        self.place.session.asks()
        names = await asyncio.to_thread(emoji_names)  # the first time it reads a large table
        listed = {option.id for option in options}

        def others(typed: str) -> list[Option]:
            wanted = "_".join(typed.casefold().strip(":").split())
            found = signs(wanted, names, most=FOUND)
            return [
                Option(sign, _option(sign if len(sign) == 1 else "", name.replace("_", " ")))
                for name, sign in found
                if not {sign, sign.rstrip("\ufe0f")} & listed
            ]

        title = "React: a name finds any emoji"
        chosen = await self.app.push_screen_wait(Choice(title, options, more=others))
        if chosen is not None:
            await self._react(chosen, message, thread)

    async def _react(
        self,
        emoji: str,
        message: Comment | CommentReply | None = None,
        thread: Thread | None = None,
    ) -> None:
        message = message or self.here.current_message()
        thread = thread or self.here.current_thread()
        me = self.place.session.me
        assert message is not None
        assert thread is not None
        assert me is not None
        # The same sign may be spelled otherwise there (code points, a variation selector).
        same = (r.emoji for r in message.reactions if emoji_text(r.emoji) == emoji_text(emoji))
        emoji = next(same, emoji)
        adding = not mine(message, emoji, me.id)
        field = "added_reactions" if adding else "removed_reactions"
        ids = self.here.thread_ids
        now = await self.place.writer.perform(
            "React" if adding else "Undo reaction",
            describe(self.here, message),
            lambda api: change_message(api, ids, *_ids_of(thread, message), {field: [emoji]}),
            reversal=reacted(*ids, *_ids_of(thread, message), emoji=emoji, me=me.id, added=adding),
            expects=still_says(*ids, *_ids_of(thread, message), words=message.body.markdown)
            if adding
            else None,
            done=f"{emoji_text(emoji)} {'put' if adding else 'taken away'}",
        )
        self._writing.replace_message(thread, now)

    @action("e", "edit mine", unless=(no_message, not_mine), danger=1, show=3, uses=CHANGES,
            word="edit", group="Threads", types=True)  # fmt: skip
    async def edit_message(self) -> None:
        """Edit my comment or reply under the cursor."""
        message, thread = self.here.current_message(), sure(self.here.current_thread())
        assert message is not None
        key, ids = draft_key(self.here, f"edit {message.id}"), self.here.thread_ids
        # What an edit on its way makes of it is what is changed here, also back to what it was.
        before = self.place.session.writes.unsent_text(key) or message.body.markdown or ""
        with self.place.session.outbox.resumed(key) as waits:
            text = waits.text if waits else before
            said = await self._writing.write("Edit", key, text=text, fact=GOES_ON if waits else "")
            if said is None or said == typed(text, lines=True).strip():
                return
            await self.place.session.outbox.drop_replaced(waits)
        if said == typed(before, lines=True).strip():
            self.place.session.drafts.drop(key)
            self.place.say("Same text: nothing to send.")
            return

        def arrived(now: Comment | CommentReply) -> None:
            self.here.forget_draft(key)
            self._writing.replace_message(thread, now)

        await self.place.writer.perform(
            "Edit",
            describe(self.here, message),
            lambda api: change_message(
                api, ids, *_ids_of(thread, message), {"body": {"markdown": said}}
            ),
            reversal=message_edited(*ids, *_ids_of(thread, message), before=before, after=said),
            recall=True,
            done="Edited.",
            then=arrived,
            draft=key,
        )

    @action("D", "delete", unless=(no_message, not_to_delete), danger=2, show=2, uses=DELETES,
            word="delete", group="Threads")  # fmt: skip
    async def delete_message(self) -> None:
        """Delete the comment (with its replies) or the reply under the cursor, after asking."""
        message, thread = self.here.current_message(), sure(self.here.current_thread())
        assert message is not None
        ids = self.here.thread_ids
        reply = isinstance(message, CommentReply)
        me = self.place.session.me
        own = me is not None and message.posted_by is not None and message.posted_by.id == me.id
        facts = [first_words(message, 200)]
        if not reply and thread.comment.replies:
            facts += ["", f"{plural(thread.comment.replies, 'reply')} in it will go too."]
        sheet = Confirm(
            f"Delete {'this reply' if reply else f'thread {self.here.thread_name(thread)}'}",
            facts,
            verb="delete",
            warning="This cannot be undone. People were notified when it was sent."
            + (" Its text is kept as a draft." if own else ""),
        )
        if not await self.app.push_screen_wait(sheet):
            return

        if own:
            try:
                await asyncio.to_thread(self._keep_text, thread, message)
            except OSError as error:
                said = f"Not deleted: its text cannot be saved here ({error.strerror or error})."
                self.place.tell(said, "bad")
                return
        await self.place.writer.perform(
            "Delete",
            describe(self.here, message),
            lambda api: delete_message(api, ids, *_ids_of(thread, message)),
            done="Deleted. Its text is in your drafts (g d)." if own else "Deleted.",
        )
        if isinstance(message, Comment):
            self.here.threads.remove(thread.id)
        else:
            thread.replies = [each for each in thread.replies or () if each.id != message.id]
            left = {"replies": max(0, thread.comment.replies - 1)}
            thread.comment = thread.comment.model_copy(update=left)
        self.here.message_removed(thread, message)
        await self.here.drafts_changed()

    def _keep_text(self, thread: Thread, message: Comment | CommentReply) -> None:
        """Keep the text of a message that is to be deleted, beside what is typed there."""
        if isinstance(message, CommentReply):
            part = f"reply {thread.id}"
        elif thread.page is None:
            part = "request" if self.here.thread_ids[1] else "space"
        else:
            part = f"{thread.page}/{thread.node or 'page'}"
        key, text = draft_key(self.here, part), message.body.markdown or ""
        if text:
            self.place.session.drafts.restore(key, text)


def _has(thread: Thread, sent: CommentReply) -> bool:
    """Whether a thread was read since a reply was sent, and has it."""
    if thread.replies is not None:
        return any(reply.id == sent.id for reply in thread.replies)
    me = sent.posted_by.id if sent.posted_by is not None else None
    spoken = (each.updated_at for each in thread.comment.repliers if each.user.id == me)
    return any(at is not None and at >= sent.posted_at for at in spoken)


def describe(here: HasThreads, message: Comment | CommentReply) -> str:
    """Return what a message is called in the log."""
    return here.called(first_words(message, 40))


def quoted(text: str) -> tuple[Text, ...]:
    """Return the first lines of a text as facts of a dialog, in which no word is a key of ours."""
    return tuple(Text(f"{glyphs().quote} {line}") for line in text.splitlines()[:3])


def draft_key(here: HasThreads, part: str) -> str:
    """Return where a draft about the threads of a place is kept; it names the place among them."""
    return review_key(*here.thread_ids, part)


def _ids_of(thread: Thread, message: Comment | CommentReply) -> tuple[str, str | None]:
    """Return the id of the thread, and that of the message when it is a reply."""
    return thread.id, message.id if isinstance(message, CommentReply) else None


def _option(sign: str, name: str) -> str:
    """Return a line of the chooser, the names below each other whatever the signs' widths."""
    return f"{sign}{' ' * max(1, 3 - cell_len(sign))}{name}"
