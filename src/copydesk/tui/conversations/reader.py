"""Lists whose rows lead to conversations, which are read in a pane beside the list.

E-mail addresses and phone numbers are masked in both until they are shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from copydesk.domain.filter import fold
from copydesk.domain.own_command import Thing
from copydesk.domain.text import clean, plural
from copydesk.present import conversation as present
from copydesk.present.conversation import LabelledText, RawConversation, shown_address
from copydesk.present.raw_json import Raw, conversation_raw, issue_raw
from copydesk.present.spreadsheet import for_spreadsheets
from copydesk.session.cluster_rows import IssueRow, shown
from copydesk.session.operations import ops
from copydesk.tui.conversations.pane import ConversationView
from copydesk.tui.dialogs.to_file import table_named, write_asked
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.place import View
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.scanned_list import CachedRows, ScannedList, ScannedPages

if TYPE_CHECKING:
    from datetime import datetime

    from copydesk.client.api import Api
    from copydesk.tui.framework.pane import Pane
    from copydesk.tui.framework.place import Place


REST_SECONDS = 0.15
"""How long the cursor rests on a row before its details are read."""

MOST_CACHED = 40
"""Conversations kept in memory, so that going back to one is instant."""

FILTERED_CHARACTERS = 100_000
"""Characters of a conversation that ``/`` looks at: what keeps no key waiting."""

CACHED_CHARACTERS = 20_000_000
"""Characters of them that are kept at most, but for the one that is read and the next."""

MASKED = "e-mails and phone numbers are masked: V shows them"
IN_CLEAR = "e-mails and phone numbers are in clear: V masks them"

T = TypeVar("T")


async def read_conversation(
    api: Api, organization: str, conversation: str
) -> RawConversation | None:
    """Return a conversation, or None when it is gone. Raises ``ApiError``."""
    found = await api.find(ops.get_conversation, organization, conversation)
    return None if found is None else present.conversation_of(found)


class HasConversations(Protocol):
    """What a place with a list that leads to conversations says of it, and is told."""

    reader: ConversationReader

    @property
    def pane(self) -> Pane | None:
        """The pane in focus."""

    def conversation_of(self, row: Any) -> tuple[str, IssueRow | None]:
        """Return the id of the conversation of a row (empty: none), and its issue if it is one."""

    def show_again(self) -> None:
        """Draw everything again: masking was switched."""


def no_conversation(here: HasConversations) -> str | None:
    """Say so where no list of conversations is worked in."""
    reader = here.reader
    if here.pane not in (reader.rows, reader.view) or not reader.rows.length:
        return "No conversation selected."
    return None


def draw_again(rows: VirtualList[Any]) -> None:
    """Draw a list again, and look again which rows match: that is what they show."""
    rows.refresh_rows()
    if rows.found:
        rows.find(rows.found)


class ConversationReader(Commands, scope="conversation_reader"):
    """Shows the conversation of the row under the cursor of `rows` in `view`."""

    place: Place

    rows: VirtualList[Any]
    """The list whose rows lead to conversations."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._here = cast("HasConversations", place)
        self.masked = True
        """Whether e-mail addresses and phone numbers are masked."""
        self._cached: dict[str, RawConversation] = {}
        self._folded: dict[str, tuple[RawConversation, bool, str]] = {}
        """The texts of conversations, folded, and whether they were masked then."""
        self.asked: tuple[str, IssueRow | None] | None = None
        """The conversation that is shown or being read, and the issue that leads to it."""
        self._shown: tuple[RawConversation | None, list[LabelledText], str] = (None, [], "")
        """A conversation or the message in its place, as blocks, with its id."""
        self._direction = 1
        """Where the last step from conversation to conversation went."""

    def take(self, rows: VirtualList[T], empty: str = "") -> ConversationView:
        """Take the list whose rows lead to conversations; return the pane for these."""
        self.rows = rows
        self.view = ConversationView(empty)
        return self.view

    @property
    def organization(self) -> str | None:
        """The id of the organization that this is about."""
        return self.place.organization

    @property
    def now(self) -> datetime:
        """The time of the service, by which ages are told."""
        return self.place.session.now

    # Masking

    def shown(self, text: str) -> str:
        """Return text as it may be seen now."""
        return shown(text, masked=self.masked)

    @property
    def masking(self) -> str:
        """Whether personal data is masked, as the status line says it."""
        return MASKED if self.masked else IN_CLEAR

    @property
    def shows_secret(self) -> bool:
        return not self.masked

    def views_note(self) -> str:
        """Say that personal data can be read, for as long as that is so."""
        return "" if self.masked else "IN CLEAR: V masks"

    def withheld(self, url: str | None) -> str | None:
        """Say so where an address holds an e-mail address: masked it would lead nowhere."""
        if self.masked and url and shown_address(url, masked=True) != url:
            return "Its address holds an e-mail address: V shows it, then it can be copied."
        return None

    def thing(self, kind: str, id: str, title: str, url: str, **fields: str) -> Thing:
        """Return a row as one's own commands know it: texts as they may be seen now."""
        told = {"title": self.shown(title), "url": "" if self.withheld(url) else url}
        return Thing(kind, {"id": id, **told, **fields})

    def issue_thing(self, row: IssueRow) -> Thing:
        """Return an issue as one's own commands know it."""
        return self.thing("issue", row.id, row.title, row.address)

    @action(
        "V", "mask/show", show=9, group="Look",
        now=lambda here: "show masked" if here.reader.masked else "mask",
    )  # fmt: skip
    def unmask(self) -> None:
        """Show e-mail addresses and phone numbers while this screen is open, or mask them again."""
        self.masked = not self.masked
        self._here.show_again()
        draw_again(self.rows)
        self._draw()
        self.place.refresh_frame()
        said = "Masked again." if self.masked else "E-mails and phone numbers show. V masks."
        self.place.say(said)

    def text_of(self, conversation: str) -> str:
        """Return the text of a conversation that has been read, folded for a filter.

        It is as it may be seen now. Of one that was not read it is empty.
        """
        read = self._cached.get(conversation)
        if read is None:
            self._folded.pop(conversation, None)
            return ""
        found = self._folded.get(conversation)
        if found is None or found[0] is not read or found[1] != self.masked:
            text = "\n".join(body for _, body in read.parts)[:FILTERED_CHARACTERS]
            folded = fold(self.shown(clean(text, lines=True)))
            found = self._folded[conversation] = read, self.masked, folded
        return found[2]

    def attributes(self) -> Sequence[str]:
        """Return the attributes of the conversations that were read, as a search takes them.

        None of which anything is masked, or that cannot be shown as it is.
        """
        found = {
            f"{name}={value}"
            for read in self._cached.values()
            for name, value in read.attributes
            if name and value
        }
        return sorted(each for each in found if self.shown(clean(each)) == each)

    # From conversation to conversation

    @action(
        "J", "next", word="next", unless=no_conversation, show=8, group="Read",
        now=lambda here: "" if no_conversation(here) else "next",
    )  # fmt: skip
    def next_conversation(self) -> None:
        """Read the conversation of the next row, without going back to the list."""
        self._step(1)

    @action("K", "previous", word="previous", unless=no_conversation, show=False, group="Read")
    def previous_conversation(self) -> None:
        """Read the conversation of the row before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        rows, place = self.rows, self.place
        before, goes_on = rows.cursor, getattr(rows, "goes_on", False)
        rows.move(by)
        if rows.cursor != before:
            self._direction = by
            self.follow()
            place.frame_soon()
        elif by > 0 and goes_on:
            place.say("Looking for more…")
        elif by > 0 and rows.source.error:
            place.say("The rest could not be read. R tries again.", "warn")
        else:
            place.say("This is the last one." if by > 0 else "This is the first one.")

    # Reading

    def follow(self) -> None:
        """Follow the cursor in the list, where there is room for the conversation."""
        row = self.rows.selected
        if row is None:
            self.asked = None
            self.place.reads.cancel("conversation")
            self._put(None, [], "")
        elif self.view.region.width or self.place.pane is self.view:
            self.read(row, after=REST_SECONDS)

    def follow_if_unread(self) -> None:
        """Follow the cursor where no conversation was asked for, as there may be room by now."""
        if self.place.framed and self.asked is None:
            self.follow()

    def is_asked(self, row: Any) -> bool:
        """Whether the conversation of a row is the one that is shown or being read."""
        return self.asked == self._here.conversation_of(row)

    def read(self, row: Any, *, after: float = 0.0) -> None:
        """Show the conversation of a row, reading it if need be."""
        conversation, issue = self.asked = self._here.conversation_of(row)
        reads = self.place.reads
        if conversation in self._cached and not reads.left_behind("conversation", conversation):
            reads.cancel("conversation")
            self.show()
            self._read_ahead()
            return
        reads.cancel("next conversation")
        if not conversation:
            reads.cancel("conversation")
            self._say(issue, "No conversation is known for it.")
            return
        self._read(conversation, issue, after, lambda said: self._say(issue, said))

    def read_again(self) -> None:
        """Read the shown conversation again; it stays until the answer comes."""
        if self.asked is None:
            self._cached.clear()
            return
        conversation, issue = self.asked
        self._cached = {key: each for key, each in self._cached.items() if key == conversation}
        if conversation in self._cached:
            self._read(conversation, issue, 0.0, lambda said: None)
        elif (row := self.rows.selected) is not None:
            self.read(row)

    def _read(
        self, conversation: str, issue: IssueRow | None, after: float, failed: Callable[[str], None]
    ) -> None:
        organization = self.organization or ""

        def arrived(read: RawConversation | None) -> None:
            if read is None:
                self._cached.pop(conversation, None)
                kept = " What the issue says is kept above." if issue is not None else ""
                self._say(issue, f"The conversation is gone at its source.{kept}")
                return
            self._cache(read)
            self.show()
            self._read_ahead()

        def say_reading() -> None:
            # What is left behind does not stand beside a row that it does not belong to.
            if self._shown[2] != conversation:
                self._say(issue, "Reading the conversation…")

        async def read(api: Api) -> RawConversation | None:
            say_reading()
            try:
                return await read_conversation(api, organization, conversation)
            except asyncio.CancelledError:
                wanted = self.asked is not None and self.asked[0] == conversation
                if self.is_attached and wanted and self._shown[2] != conversation:
                    self._say(issue, "Not read. R reads it.")
                raise

        if not after:
            say_reading()
        self.place.reads.load(
            "conversation", read, arrived, what="Reading the conversation", of=conversation,
            after=after, failed=failed,
        )  # fmt: skip

    def _read_ahead(self) -> None:
        """Read the conversation that ``J`` (or ``K``, if that was last) goes to, and no other.

        Only while one is read: who walks through the list may never open the next. A failure is not
        told; it is read again when it is gone to.
        """
        self.place.reads.cancel("next conversation")
        rows, organization = self.rows, self.organization or ""
        row = rows.source.row(rows.cursor + self._direction)
        if row is None or self.place.pane is not self.view:
            return
        conversation, _ = self._here.conversation_of(row)
        if not conversation or conversation in self._cached:
            return

        def arrived(read: RawConversation | None) -> None:
            if read is not None:
                self._cache(read)

        self.place.reads.load(
            "next conversation", lambda api: read_conversation(api, organization, conversation),
            arrived, what="Reading the next conversation", quiet=True, kept="never",
        )  # fmt: skip

    def _cache(self, read: RawConversation) -> None:
        """Keep a conversation, as many of the latest as there is room for, and the one shown."""
        self._cached.pop(read.id, None)
        self._cached[read.id] = read
        self.text_of(read.id)  # not at the first key of a filter, for all of them at once
        shown = self.asked[0] if self.asked is not None else ""
        size = sum(each.size for each in self._cached.values())
        for key in [key for key in self._cached if key not in (shown, read.id)]:
            if len(self._cached) <= MOST_CACHED and size <= CACHED_CHARACTERS:
                break
            size -= self._cached.pop(key).size
            self._folded.pop(key, None)

    # What the pane shows

    def _say(self, issue: IssueRow | None, said: str) -> None:
        self._put(None, present.issue_blocks(issue, said), said)

    def show(self) -> None:
        """Show the conversation that is asked for, if it has been read."""
        if self.asked is None:
            return
        conversation, issue = self.asked
        read = self._cached.get(conversation)
        if read is not None:
            self._put(read, present.conversation_blocks(read, self.now, issue), conversation)

    def _put(self, read: RawConversation | None, blocks: list[LabelledText], key: str) -> None:
        self._shown = read, blocks, key
        self._draw()

    def _draw(self) -> None:
        """Draw the last shown content again, with the masking of now."""
        read, blocks, key = self._shown
        title = "Conversation"
        if read is not None:
            title = present.conversation_title(read, self.now, masked=self.masked)
        if blocks and not self.masked:
            title = f"In clear   {title}"
        self.view.show(blocks, title=title, masked=self.masked, key=key)

    def copies(self) -> list[tuple[str, str]]:
        """Return what ``Y`` offers of the conversation that is read."""
        shown = self.asked is not None and self.view.key == self.asked[0]
        text = self.view.message if self.place.pane is self.view and shown else None
        return [("message", text)] if text else []


ALL, ONE = "all", "one"
"""The views of everything, and of the one conversation that somebody was led to."""

NO_ORGANIZATION = "No organization is open: “g o” lists those that you are in."
"""Stands where rows would."""


class HasList(HasConversations, Protocol):
    """What a place says of its list."""

    listing: ConversationList
    noun: str
    """What a row is."""
    rows: ScannedList[Any]

    def pages(self) -> ScannedPages[Any]:
        """Return the rows of the view."""

    def empty(self) -> str:
        """Return what to say where the view has no rows."""

    def names_of_views(self) -> Sequence[View]:
        """Return the views, without counts."""

    async def table(self, api: Api, organization: str) -> tuple[str, int]:
        """Return all rows of the view as CSV, and how many these are. Raises ``ApiError``."""


def at_conversation(here: HasList) -> str | None:
    """Say so when there is nothing further to the right."""
    if here.pane is here.reader.view:
        return "This is the last column. o opens the source."
    return None if here.rows.selected is not None else "There is nothing here to open."


def at_list(here: HasList) -> str | None:
    """Say so when there is nothing further to the left."""
    return None if here.pane is here.reader.view else "This is the first column."


class ConversationList(Commands, scope="conversation_list"):
    """The rows of a place, read page by page, and the way from them to a conversation and back."""

    place: Place

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._here = cast("HasList", place)
        self._counts: dict[str, int] = {}
        """How many rows a view had when all of it, or its count, was read."""
        self._view = ""
        """The view that the rows are of."""
        self._limited = False
        """Whether the rows are only those that meet conditions."""
        self.written = False
        """Whether rows were changed here: once read again those that are not listed go away."""

    @property
    def _reader(self) -> ConversationReader:
        return self.place.commands_of(ConversationReader)

    @property
    def _limits(self) -> LimitCommands:
        return self.place.commands_of(LimitCommands)

    # What the place says of a row

    def raw(self) -> Raw | None:
        """Return where the JSON of the row comes from; beside the list, of the conversation."""
        row, reader = self._here.rows.selected, self._reader
        organization = reader.organization
        if row is None or organization is None:
            return None
        conversation, issue = self._here.conversation_of(row)
        if issue is not None and self.place.pane is not reader.view:
            return issue_raw(organization, issue.id, masked=reader.masked)
        return conversation_raw(organization, conversation, masked=reader.masked)

    def url(self) -> str | None:
        """Return the address of the conversation at its source."""
        row = self._here.rows.selected
        return (row.address or None) if row is not None else None

    def copies(self, *of_row: tuple[str, str]) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers: of the conversation, its source, and ``of_row``."""
        url = self.url()
        source = "" if self._reader.withheld(url) else url or ""
        found = [*self._reader.copies(), ("source", source), *of_row]
        return [(name, text) for name, text in found if text]

    def status(self, notice: str) -> str:
        """Return how many rows there are and whether personal data is masked.

        The ``notice`` of the place goes before that in the list.
        """
        masking = self._reader.masking
        if self.place.pane is self._reader.view:
            return masking
        count = self._here.rows.source.base.count
        said = "" if count is None else f"{plural(count, self._here.noun)}   "
        return notice or f"{said}{masking}"

    @command(
        "export", "csv [FILE]", complete=lambda here: ("csv",),
        uses=("list_issues_clusters", "list_conversation_issues", "list_conversations"),
    )  # fmt: skip
    async def export(self, rest: str) -> None:
        """Write all that the view lists to a file, for a spreadsheet: clusters, dates, links.

        Without a name it is issues-DATE.csv or conversations-DATE.csv in the folder that copydesk
        was started in. What is masked on screen is masked in the file.
        """
        name, organization = table_named(self.place, rest), self._reader.organization
        if name is None:
            return
        if organization is None:
            self.place.say(NO_ORGANIZATION, "warn")
            return

        async def read() -> tuple[bytes, str]:
            text, count = await self._here.table(await self.place.session.ready(), organization)
            return for_spreadsheets(text), plural(count, self._here.noun)

        usual, masked = f"{self._here.noun}s-{{}}.csv", self._reader.masked
        await write_asked(self.place, name, usual, read, masked=masked)

    # Reading

    def read(self) -> None:
        """Read the list again, and count what the view has by now."""
        self.place.reads.load(
            "rows", self._refresh, self._read, what=f"Reading {self._here.noun}s",
            failed=lambda _: self.show_views(),
        )  # fmt: skip

    def _read(self, _: None) -> None:
        base = self._here.rows.source.base
        if self.written and isinstance(base, ScannedPages):
            self.written = False
            base.fold()
            self._here.rows.set_marks(())
        self.show_views()

    async def _refresh(self, api: Api) -> None:
        base = self._here.rows.source.base
        if isinstance(base, ScannedPages):
            await base.refresh()

    def cached(self) -> CachedRows[Any] | None:
        """Return the cached rows of the view; none where conditions leave rows out."""
        if self._limits.conditions or self.place.view == ONE:
            return None
        key = (self.place.PLACE, self._reader.organization, self.place.view)
        return cast("CachedRows[Any] | None", self.place.session.left.get(key))

    def cache(self) -> None:
        """Cache the rows: the service may not answer when somebody comes back."""
        base = self._here.rows.source.base
        if self._limited or self._view == ONE or not isinstance(base, ScannedPages):
            return
        cached = base.to_cache()
        if cached is not None:
            key = (self.place.PLACE, self._reader.organization, self._view)
            self.place.session.left[key] = cached

    def read_anew(self, *, counts: bool = True) -> None:
        """Read the rows of the view from the beginning; the ``counts`` of views may stay."""
        self.cache()
        if not counts:
            self._counts.clear()
        here, limits = self._here, self._limits
        self._view, self._limited = self.place.view, bool(limits.conditions)
        here.rows.empty = limits.none_so() if self._limited else here.empty()
        here.rows.source = here.pages()
        here.rows.move_first()
        self.show_views()

    def show_views(self) -> None:
        """Show the views, with the counts that are known."""
        count = self._here.rows.source.base.count
        if count is not None:
            self._counts[self.place.view] = count
        views = self.views()
        if views != self.place.views:
            self.place.set_views(views, self.place.view)
        self._say_what_to_open()

    def first_views(self) -> Sequence[View]:
        """Take the view that the place opens with; return the views."""
        self._view = self.place.view
        return self.views()

    def views(self) -> Sequence[View]:
        """Return the views, with the counts that are known."""
        named = self._here.names_of_views()
        return [View(each.id, each.title, self._counts.get(each.id)) for each in named]

    def _say_what_to_open(self) -> None:
        rows, view = self._here.rows, self._reader.view
        if rows.selected is not None:
            said = "No conversation is open: Enter opens one."
        elif rows.source.error:
            said = f"No {self._here.noun} could be read."
        else:
            said = "" if rows.source.busy else "No conversation selected."
        if said != view.empty:
            view.empty = said
            view.refresh()

    def moved(self) -> None:
        """Follow the cursor, and count what has been read."""
        self.show_views()
        row, reader = self._here.rows.selected, self._reader
        if self.place.pane is reader.view and row is not None and reader.is_asked(row):
            return  # it is being read; a refresh of the list changes nothing about that
        reader.follow()

    # From the list to the conversation and back

    def open(self) -> None:
        """Read the conversation of the row."""
        row = self._here.rows.selected
        if row is not None:
            self._reader.read(row)
            self.place.show_pane(self._reader.view)

    @action("l", "open", word="right",
            unless=at_conversation, show=False, group="Move", also=("right",))  # fmt: skip
    def go_right(self) -> None:
        """Go on to the right: the conversation of the row."""
        self.open()

    @action("h", "back", word="left", unless=at_list, show=False, group="Move", also=("left",))
    def go_left(self) -> None:
        """Go back to the list. Its cursor stays."""
        self.place.show_pane(self._here.rows)

    def step_within(self) -> bool:
        """Step back from a conversation to the list, unless a search in it is to end first."""
        view = self._reader.view
        if self.place.pane is not view or view.found:
            return False
        self.place.show_pane(self._here.rows)
        return True
