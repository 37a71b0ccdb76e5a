"""What one does with a single message wherever it is shown: react to it, edit it, delete it."""

from __future__ import annotations

import asyncio

from rich.cells import cell_len

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.completion import signs
from copydesk.domain.inverses import message_edited, reacted
from copydesk.domain.preconditions import still_says
from copydesk.domain.text import plural, typed
from copydesk.present.threads import EMOJI, THUMBS_UP, Thread, emoji_text, mine, who_reacted
from copydesk.session.emoji import emoji_names
from copydesk.session.options import Option
from copydesk.session.people import first_words
from copydesk.session.writes.messages import CHANGES, DELETES, change_message, delete_message
from copydesk.session.writes.resumed_edits import GOES_ON, going_on, replace, unsent
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.framework.actions import action
from copydesk.tui.threads.commands import ThreadActions
from copydesk.tui.threads.guards import (
    may_not_comment,
    no_message,
    nobody,
    not_mine,
    not_to_delete,
)

FOUND = 40
"""How many emoji the chooser finds by a name."""


class MessageActions(ThreadActions, scope="message_actions"):
    """The actions on the message under the cursor."""

    @action(
        "+",
        "thumbs up",
        unless=(no_message, may_not_comment, nobody),
        show=4,
        uses=CHANGES,
        group="Threads",
    )
    async def thumbs_up(self) -> None:
        """Put a thumbs up on the message under the cursor, or take it away."""
        await self._react(THUMBS_UP)

    @action(
        "E",
        "react…",
        unless=(no_message, may_not_comment, nobody),
        show=3,
        uses=CHANGES,
        group="Threads",
    )
    async def react(self) -> None:
        """Choose a reaction by name; chosen again it is taken away. Shows who reacted.

        The usual ones are listed; typing finds every other emoji too.
        """
        message, thread = self.current_message(), self.current_thread()
        assert message is not None
        assert thread is not None
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
        self.session.asks()
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
        chosen = await self.desk.push_screen_wait(Choice(title, options, more=others))
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
        # The same sign may be spelled otherwise there (code points, a variation selector).
        same = (r.emoji for r in message.reactions if emoji_text(r.emoji) == emoji_text(emoji))
        emoji = next(same, emoji)
        adding = not mine(message, emoji, me.id)
        field = "added_reactions" if adding else "removed_reactions"
        ids = self.thread_ids
        now = await self.perform(
            "React" if adding else "Take reaction back",
            self.describe(message),
            lambda api: change_message(api, ids, *_ids_of(thread, message), {field: [emoji]}),
            reversal=reacted(*ids, *_ids_of(thread, message), emoji=emoji, me=me.id, added=adding),
            expects=still_says(*ids, *_ids_of(thread, message), words=message.body.markdown)
            if adding
            else None,
            done=f"{emoji_text(emoji)} {'put' if adding else 'taken away'}",
        )
        self.replace_message(thread, now)

    @action(
        "e",
        "edit mine",
        unless=(no_message, not_mine),
        danger=1,
        show=3,
        uses=CHANGES,
        group="Threads",
        types=True,
    )
    async def edit_message(self) -> None:
        """Edit my comment or reply under the cursor."""
        message, thread = self.current_message(), self.current_thread()
        assert message is not None
        assert thread is not None
        key, ids = self.draft_key(f"edit {message.id}"), self.thread_ids
        # What an edit on its way makes of it is what is changed here, also back to what it was.
        before = unsent(self.session, key) or message.body.markdown or ""
        with going_on(self.session, key) as waits:
            text = waits.text if waits else before
            said = await self.write("Edit", key, text=text, fact=GOES_ON if waits else "")
            if said is None or said == typed(text, lines=True).strip():
                return
            await replace(self.session, waits)
        if said == typed(before, lines=True).strip():
            self.session.drafts.drop(key)
            self.say("Nothing is changed any more.")
            return

        def arrived(now: Comment | CommentReply) -> None:
            self.forget_draft(key)
            self.replace_message(thread, now)

        await self.perform(
            "Edit",
            self.describe(message),
            lambda api: change_message(
                api, ids, *_ids_of(thread, message), {"body": {"markdown": said}}
            ),
            reversal=message_edited(*ids, *_ids_of(thread, message), before=before, after=said),
            recall=True,
            done="Edited.",
            then=arrived,
            draft=key,
        )

    @action(
        "D",
        "delete",
        unless=(no_message, not_to_delete),
        danger=2,
        show=2,
        uses=DELETES,
        group="Threads",
    )
    async def delete_message(self) -> None:
        """Delete the comment (with its replies) or the reply under the cursor, after asking."""
        message, thread = self.current_message(), self.current_thread()
        assert message is not None
        assert thread is not None
        ids = self.thread_ids
        reply = isinstance(message, CommentReply)
        me = self.session.me
        own = me is not None and message.posted_by is not None and message.posted_by.id == me.id
        facts = [first_words(message, 200)]
        if not reply and thread.comment.replies:
            facts += ["", f"{plural(thread.comment.replies, 'reply')} in it will go too."]
        sheet = Confirm(
            f"Delete {'this reply' if reply else f'thread {self.thread_name(thread)}'}",
            facts,
            verb="delete",
            warning="This cannot be undone. People were notified when it was sent."
            + (" Its text is kept as a draft." if own else ""),
        )
        if not await self.desk.push_screen_wait(sheet):
            return

        if own:
            await asyncio.to_thread(self._keep_text, thread, message)
        await self.perform(
            "Delete",
            self.describe(message),
            lambda api: delete_message(api, ids, *_ids_of(thread, message)),
            done="Deleted. Its text is in your drafts (g d)." if own else "Deleted.",
        )
        self.message_removed(thread, message)
        await self.drafts_changed()

    def message_removed(self, thread: Thread, message: Comment | CommentReply) -> None:
        """Show a message no more, because it was deleted."""
        if isinstance(message, Comment):
            self.threads.remove(thread.id)
            return
        thread.replies = [each for each in thread.replies or () if each.id != message.id]
        thread.comment = thread.comment.model_copy(
            update={"replies": max(0, thread.comment.replies - 1)}
        )

    def _keep_text(self, thread: Thread, message: Comment | CommentReply) -> None:
        """Keep the text of a message that is to be deleted, unless another is typed there."""
        if isinstance(message, CommentReply):
            part = f"reply {thread.id}"
        elif thread.page is None:
            part = "request" if self.thread_ids[1] else "space"
        else:
            part = f"{thread.page}/{thread.node or 'page'}"
        key, text = self.draft_key(part), message.body.markdown or ""
        if text and self.session.drafts.look(key) is None:
            self.session.drafts.save(key, text)


def _ids_of(thread: Thread, message: Comment | CommentReply) -> tuple[str, str | None]:
    """Return the id of the thread, and that of the message when it is a reply."""
    return thread.id, message.id if isinstance(message, CommentReply) else None


def _option(sign: str, name: str) -> str:
    """Return a line of the chooser, the names below each other whatever the signs' widths."""
    return f"{sign}{' ' * max(1, 3 - cell_len(sign))}{name}"
