"""Reading conversations from a list: what every place with such a list shares.

A place has a list whose rows lead to a conversation, and a pane for it. E-mail addresses and phone
numbers are masked in both until they are shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events

from copydesk.domain.filter import fold
from copydesk.domain.text import clean
from copydesk.present import conversation as talks
from copydesk.present.conversation import Block, Conversation, shown_address
from copydesk.session.cluster_rows import IssueRow, shown
from copydesk.session.target import Target
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.place import Place
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.resource.resource import Condition

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from copydesk.client.api import Api
    from copydesk.tui.conversations.pane import TalkView
    from copydesk.tui.widgets.list import VirtualList

REST_SECONDS = 0.15
"""How long the cursor rests on a row before what is below it is read."""

KEPT_TALKS = 40
"""Conversations kept in memory, so that going back to one is instant."""

SOUGHT_CHARACTERS = 100_000
"""Characters of a conversation that ``/`` looks at: what keeps no key waiting."""

KEPT_CHARACTERS = 20_000_000
"""Characters of them that are kept at most, but for the one that is read and the next."""


async def read_talk(api: Api, organization: str, conversation: str) -> Conversation | None:
    """Return a conversation, or None when it is gone. Raises ``ApiError``."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        return talks.conversation_of(await api(ops.get_conversation, organization, conversation))
    except NotFound:
        return None


def no_talk(here: TalkPlace) -> str | None:
    """Say so where no list of conversations is worked in."""
    if here.pane not in (here.talk_list, here.talk) or not here.talk_list.length:
        return "There is no conversation here."
    return None


class TalkPlace(Place, scope="talks"):
    """A place with a list (`talk_list`) whose rows lead to a conversation, read in `talk`."""

    CONDITIONS: ClassVar[Sequence[Condition]] = ()
    """The conditions by which the service limits the list."""
    COMMAND_CLASSES: ClassVar[Sequence[type[Commands]]] = (LimitCommands,)

    talk: TalkView

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.limits = self.commands_of(LimitCommands)
        self.masked = True
        """Whether e-mail addresses and phone numbers are masked."""
        self._talks: dict[str, Conversation] = {}
        self._said: dict[str, tuple[Conversation, bool, str]] = {}
        """What was said in conversations, folded, and whether it was masked then."""
        self._asked: tuple[str, IssueRow | None] | None = None
        self._shown: tuple[Conversation | None, list[Block], str] = (None, [], "")
        """What the pane shows: a conversation or what is said in its place, and its name."""
        self._direction = 1
        """Where the last step from conversation to conversation went."""

    # What a place says

    @property
    def organization(self) -> str | None:
        """The id of the organization that this is about."""
        return self.target.organization or self.session.organization

    def conditions_known(self) -> Sequence[Condition]:
        """Return the conditions of the list that is in front."""
        return self.CONDITIONS

    @property
    def talk_list(self) -> VirtualList[Any]:
        """The list whose rows lead to conversations."""
        raise NotImplementedError

    def talk_asked(self, row: Any) -> tuple[str, IssueRow | None]:
        """Return the id of the conversation of a row (empty: none), and its issue if it is one."""
        raise NotImplementedError

    def show_again(self) -> None:
        """Draw everything again: what is masked has changed."""
        self.draw_rows_again(self.talk_list)
        self._draw_talk()
        self.refresh_frame()

    def draw_rows_again(self, rows: VirtualList[Any]) -> None:
        """Draw a list again, and look again which rows match: that is what they show."""
        rows.refresh_rows()
        if rows.found:
            rows.find(rows.found)

    # Masking

    def shown(self, text: str) -> str:
        """Return text as it may be seen now."""
        return shown(text, masked=self.masked)

    def withheld(self) -> str | None:
        """Say so where an address holds an e-mail address: masked it would lead nowhere."""
        url = self.url()
        if self.masked and url and shown_address(url, masked=True) != url:
            return "Its address holds an e-mail address: V shows it, then it can be copied."
        return None

    @action(
        "V", "mask/show", show=9, group="Look",
        now=lambda here: "show masked" if here.masked else "mask",
    )  # fmt: skip
    def unmask(self) -> None:
        """Show e-mail addresses and phone numbers while this screen is open, or mask them again."""
        self.masked = not self.masked
        self.show_again()
        self.say("Masked again." if self.masked else "E-mails and phone numbers show. V masks.")

    # What was said

    @property
    def now(self) -> datetime:
        """The time of the service, by which ages are told."""
        return self.session.now

    def said_in(self, conversation: str) -> str:
        """Return what was said in a conversation that has been read, folded for a filter.

        It is as it may be seen now. Of one that was not read it is nothing.
        """
        talk = self._talks.get(conversation)
        if talk is None:
            self._said.pop(conversation, None)
            return ""
        found = self._said.get(conversation)
        if found is None or found[0] is not talk or found[1] != self.masked:
            text = "\n".join(body for _, body in talk.parts)[:SOUGHT_CHARACTERS]
            said = fold(self.shown(clean(text, lines=True)))
            found = self._said[conversation] = talk, self.masked, said
        return found[2]

    # From conversation to conversation

    @action(
        "J", "next", unless=no_talk, show=8, group="Read",
        now=lambda here: "" if no_talk(here) else "next",
    )  # fmt: skip
    def next_talk(self) -> None:
        """Read the conversation of the next row, without going back to the list."""
        self._step(1)

    @action("K", "previous", unless=no_talk, show=False, group="Read")
    def previous_talk(self) -> None:
        """Read the conversation of the row before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        rows = self.talk_list
        before = rows.cursor
        rows.move(by)
        if rows.cursor == before:
            if by > 0 and rows.source.error:
                self.say("The rest could not be read. R tries again.", "warn")
            else:
                self.say("This is the last one." if by > 0 else "This is the first one.")
            return
        self._direction = by
        self.look_at_talk()
        self.frame_soon()

    # Reading

    def look_at_talk(self) -> None:
        """Follow the cursor in the list, where there is room for the conversation."""
        row = self.talk_list.selected
        if row is None:
            self._asked = None
            self.reads.cancel("talk")
            self._put(None, [], "")
        elif self.talk.region.width or self.pane is self.talk:
            self.read_talk(row, after=REST_SECONDS)

    def on_resize(self, event: events.Resize) -> None:
        """Read what there is room for now."""
        self.call_after_refresh(self.look_again)

    def look_again(self) -> None:
        """Read what is below the cursor, unless that is done."""
        if self.framed and self._asked is None:
            self.look_at_talk()

    def read_talk(self, row: Any, *, after: float = 0.0) -> None:
        """Show the conversation of a row, reading it if need be."""
        conversation, issue = self._asked = self.talk_asked(row)
        if conversation in self._talks and not self.reads.left_behind("talk", conversation):
            self.reads.cancel("talk")
            self.show_talk()
            self._read_ahead()
            return
        self.reads.cancel("next talk")
        if not conversation:
            self.reads.cancel("talk")
            self._say(issue, "No conversation is known for it.")
            return
        self._read(conversation, issue, after, lambda said: self._say(issue, said))

    def read_talk_again(self) -> None:
        """Read what is shown again; it stays while nothing else has come."""
        if self._asked is None:
            self._talks.clear()
            return
        conversation, issue = self._asked
        self._talks = {key: talk for key, talk in self._talks.items() if key == conversation}
        if conversation in self._talks:
            self._read(conversation, issue, 0.0, lambda said: None)
        elif (row := self.talk_list.selected) is not None:
            self.read_talk(row)

    def _read(
        self, conversation: str, issue: IssueRow | None, after: float, failed: Callable[[str], None]
    ) -> None:
        organization = self.organization or ""

        def arrived(talk: Conversation | None) -> None:
            if talk is None:
                self._talks.pop(conversation, None)
                kept = " What the issue says is kept above." if issue is not None else ""
                self._say(issue, f"The conversation is gone at its source.{kept}")
                return
            self._keep(talk)
            self.show_talk()
            self._read_ahead()

        def say_reading() -> None:
            # What is left behind does not stand beside a row that it does not belong to.
            if self._shown[2] != conversation:
                self._say(issue, "Reading the conversation…")

        async def read(api: Api) -> Conversation | None:
            say_reading()
            try:
                return await read_talk(api, organization, conversation)
            except asyncio.CancelledError:
                wanted = self._asked is not None and self._asked[0] == conversation
                if self.is_attached and wanted and self._shown[2] != conversation:
                    self._say(issue, "Not read. R reads it.")
                raise

        if not after:
            say_reading()
        self.reads.load(
            "talk", read, arrived, what="Reading the conversation", of=conversation, after=after,
            failed=failed,
        )  # fmt: skip

    def _read_ahead(self) -> None:
        """Read the conversation that ``J`` (or ``K``, if that was last) goes to, and no other.

        Only while one is read: who walks through the list may never open the next. Nothing is said
        of it; if it fails, it is read when it is gone to.
        """
        self.reads.cancel("next talk")
        rows, organization = self.talk_list, self.organization or ""
        row = rows.source.row(rows.cursor + self._direction)
        if row is None or self.pane is not self.talk:
            return
        conversation, _ = self.talk_asked(row)
        if not conversation or conversation in self._talks:
            return

        def arrived(talk: Conversation | None) -> None:
            if talk is not None:
                self._keep(talk)

        self.reads.load(
            "next talk", lambda api: read_talk(api, organization, conversation), arrived,
            what="Reading the next conversation", quiet=True, kept="never",
        )  # fmt: skip

    def _keep(self, talk: Conversation) -> None:
        """Keep a conversation, as many of the latest as there is room for, and the one shown."""
        self._talks.pop(talk.id, None)
        self._talks[talk.id] = talk
        self.said_in(talk.id)  # not at the first key of a filter, for all of them at once
        shown = self._asked[0] if self._asked is not None else ""
        size = sum(kept.size for kept in self._talks.values())
        for key in [key for key in self._talks if key not in (shown, talk.id)]:
            if len(self._talks) <= KEPT_TALKS and size <= KEPT_CHARACTERS:
                break
            size -= self._talks.pop(key).size
            self._said.pop(key, None)

    def _say(self, issue: IssueRow | None, said: str) -> None:
        self._put(None, talks.issue_blocks(issue, said), said)

    def show_talk(self) -> None:
        """Show the conversation that is asked for, if it has been read."""
        if self._asked is None:
            return
        conversation, issue = self._asked
        talk = self._talks.get(conversation)
        if talk is not None:
            blocks = talks.conversation_blocks(talk, self.session.now, issue)
            self._put(talk, blocks, conversation)

    def _put(self, talk: Conversation | None, blocks: list[Block], key: str) -> None:
        self._shown = talk, blocks, key
        self._draw_talk()

    def _draw_talk(self) -> None:
        """Show what was shown last, whatever it is, as it may be seen now."""
        talk, blocks, key = self._shown
        title = "Conversation"
        if talk is not None:
            title = talks.conversation_title(talk, self.session.now, masked=self.masked)
        if blocks and not self.masked:
            title = f"In clear   {title}"
        self.talk.show(blocks, title=title, masked=self.masked, key=key)

    def talk_copies(self) -> list[tuple[str, str]]:
        """Return what ``Y`` offers of the conversation that is read."""
        shown = self._asked is not None and self.talk.key == self._asked[0]
        text = self.talk.message if self.pane is self.talk and shown else None
        return [("message", text)] if text else []
