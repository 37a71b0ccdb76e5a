"""Reading conversations from a list: what every place with such a list shares.

A place has a list whose rows lead to a conversation, and a pane for it. E-mail addresses and phone
numbers are masked in both until they are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from copydesk.tui.actions import action
from copydesk.tui.place import Place
from copydesk.tui.places import Target
from copydesk.tui.present import conversation as talks
from copydesk.tui.present.conversation import Block, IssueRow, Talk, shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.widgets.talk_view import TalkView
    from copydesk.tui.widgets.virtual_list import VirtualList

REST_SECONDS = 0.15
"""How long the cursor rests on a row before what is below it is read."""

KEPT_TALKS = 40
"""Conversations kept in memory, so that going back to one is instant."""

KEPT_CHARACTERS = 20_000_000
"""Characters of them that are kept at most, but for the last one."""


async def read_talk(api: Api, organization: str, conversation: str) -> Talk | None:
    """Return a conversation, or None when it is gone. Raises ``ApiError``."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        return talks.talk_of(await api(ops.get_conversation, organization, conversation))
    except NotFound:
        return None


def no_talk(here: TalkPlace) -> str | None:
    """Say so where no list of conversations is worked in."""
    if here.pane not in (here.talk_list, here.talk) or not here.talk_list.length:
        return "There is no conversation here."
    return None


class TalkPlace(Place, scope="talks"):
    """A place with a list (`talk_list`) whose rows lead to a conversation, read in `talk`."""

    talk: TalkView

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.masked = True
        """Whether e-mail addresses and phone numbers are masked."""
        self._talks: dict[str, Talk] = {}
        self._asked: tuple[str, IssueRow | None] | None = None

    # What a place says

    @property
    def organization(self) -> str | None:
        """Whose conversations these are."""
        return self.target.organization or self.session.organization

    @property
    def talk_list(self) -> VirtualList[Any]:
        """The list whose rows lead to conversations."""
        raise NotImplementedError

    def talk_asked(self, row: Any) -> tuple[str, IssueRow | None]:
        """Return the id of the conversation of a row (empty: none), and its issue if it is one."""
        raise NotImplementedError

    def show_again(self) -> None:
        """Draw everything again: what is masked has changed."""
        self.talk_list.refresh_rows()
        self.show_talk()
        self.refresh_frame()

    # Masking

    def shown(self, text: str) -> str:
        """Return text as it may be seen now."""
        return shown(text, masked=self.masked)

    @action(
        "V", "mask/show", show=9, group="Look",
        now=lambda here: "show masked" if here.masked else "mask",
    )  # fmt: skip
    def unmask(self) -> None:
        """Show e-mail addresses and phone numbers while this place is open, or mask them again."""
        self.masked = not self.masked
        self.show_again()
        self.say("Masked again." if self.masked else "E-mails and phone numbers show. V masks.")

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
            self.say("This is the last one." if by > 0 else "This is the first one.")
            return
        self.look_at_talk()
        self.frame_soon()

    # Reading

    def look_at_talk(self) -> None:
        """Follow the cursor in the list, where there is room for the conversation."""
        row = self.talk_list.selected
        if row is None:
            self._asked = None
            self.cancel_load("talk")
            self.talk.show([], title="Conversation")
        elif self.talk.region.width or self.pane is self.talk:
            self.read_talk(row, after=REST_SECONDS)

    def read_talk(self, row: Any, *, after: float = 0.0) -> None:
        """Show the conversation of a row, reading it if need be."""
        conversation, issue = self._asked = self.talk_asked(row)
        if conversation in self._talks:
            self.cancel_load("talk")
            self.show_talk()
            return
        if not conversation:
            self.cancel_load("talk")
            self._say(issue, "No conversation is known for it.")
            return
        organization = self.organization or ""

        def arrived(talk: Talk | None) -> None:
            if talk is None:
                kept = " What the issue says is kept above." if issue is not None else ""
                self._say(issue, f"The conversation is gone at its source.{kept}")
                return
            self._keep(conversation, talk)
            self.show_talk()

        self.load(
            "talk", lambda api: read_talk(api, organization, conversation), arrived,
            what="Reading the conversation", after=after,
            failed=lambda said: self._say(issue, said),
        )  # fmt: skip

    def _keep(self, conversation: str, talk: Talk) -> None:
        self._talks[conversation] = talk
        size = {key: sum(len(body) for _, body in kept.parts) for key, kept in self._talks.items()}
        while len(self._talks) > 1 and (
            len(self._talks) > KEPT_TALKS or sum(size.values()) > KEPT_CHARACTERS
        ):
            oldest = next(iter(self._talks))
            del self._talks[oldest], size[oldest]

    def _say(self, issue: IssueRow | None, said: str) -> None:
        self._put(talks.issue_blocks(issue, said), "Conversation", said)

    def _put(self, blocks: list[Block], title: str, key: str) -> None:
        self.talk.show(blocks, title=title, masked=self.masked, key=key)

    def show_talk(self) -> None:
        """Show the conversation that has been read."""
        if self._asked is None:
            return
        conversation, issue = self._asked
        talk = self._talks.get(conversation)
        if talk is not None:
            now = self.session.clock()
            title = talks.talk_title(talk, now, masked=self.masked)
            blocks = talks.talk_blocks(talk, now, issue)
            self._put(blocks, title if self.masked else f"In clear   {title}", conversation)

    def talk_copies(self) -> list[tuple[str, str]]:
        """Return what ``Y`` offers of the conversation that is read."""
        text = self.talk.message if self.pane is self.talk else None
        return [("message", text)] if text else []
