"""A list of a whole organization whose rows lead to conversations: what such places share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult

from copydesk.domain.text import plural
from copydesk.present.json_views import Raw, conversation_raw, issue_raw
from copydesk.session.target import Target
from copydesk.tui.conversations.pane import TalkView
from copydesk.tui.conversations.reader import TalkPlace
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import View
from copydesk.tui.framework.styles import style_path
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.scanned_list import Kept, LookedList, LookedPages

if TYPE_CHECKING:
    from copydesk.client.api import Api

ALL = "all"
"""The view of everything."""

NO_ORGANIZATION = "No organization is open: “g o” lists those that you are in."
"""Stands where rows would."""


def at_talk(here: TalkListing) -> str | None:
    """Say so when there is nothing further to the right."""
    if here.pane is here.talk:
        return "This is the last column. o opens the source."
    return None if here.rows.selected is not None else "There is nothing here to open."


def at_list(here: TalkListing) -> str | None:
    """Say so when there is nothing further to the left."""
    return None if here.pane is here.talk else "This is the first column."


class TalkListing(TalkPlace, scope="talk_listing"):
    """A list (`rows`) read page by page, with the conversation of the row under the cursor."""

    RAW = ("get_conversation_issue", "get_conversation")

    CSS_PATH = style_path("talk_listing")

    rows: LookedList[Any]

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.view = target.view or ALL
        self._counts: dict[str, int] = {}
        """How many rows a view had when all of it, or its count, was read."""
        self._listed = self.view
        """The view that the rows are of."""
        self._limited = False
        """Whether the rows are only those that meet conditions."""

    def compose(self) -> ComposeResult:
        """Lay it out with the line of views, so that nothing moves when counts come."""
        self.views = self.named_views()
        yield from super().compose()

    # What a place gives

    def pages(self) -> LookedPages[Any]:
        """Return the rows of the view."""
        raise NotImplementedError

    def empty(self) -> str:
        """Return what to say where the view has no rows."""
        raise NotImplementedError

    def names_of_views(self) -> Sequence[View]:
        """Return the views, without counts."""
        raise NotImplementedError

    def copies_of(self, row: Any) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers of a row besides its source."""
        raise NotImplementedError

    noun = ""
    """What a row is."""

    # What a place says of itself

    @property
    def talk_list(self) -> VirtualList[Any]:
        return self.rows

    def talk_pane(self) -> TalkView:
        """Return the pane for the conversation."""
        return TalkView(title="Conversation", empty="", id="talk")

    def trail(self) -> Iterable[str]:
        yield self.session.organization_title or "no organization"
        yield self.title or ""

    def raw(self) -> Raw | None:
        """Return where the JSON of the row comes from; beside the list, of the conversation."""
        row, organization = self.rows.selected, self.organization
        if row is None or organization is None:
            return None
        conversation, issue = self.talk_asked(row)
        if issue is not None and self.pane is not self.talk:
            return issue_raw(organization, issue.id, masked=self.masked)
        return conversation_raw(organization, conversation, masked=self.masked)

    def url(self) -> str | None:
        row = self.rows.selected
        return (row.address or None) if row is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        source = "" if self.withheld() else row.address
        found = [*self.talk_copies(), ("source", source), *self.copies_of(row)]
        return [(name, text) for name, text in found if text]

    def status_left(self) -> str:
        """How many there are, and that something is masked."""
        masking = (
            "e-mails and phone numbers are masked: V shows them"
            if self.masked
            else "e-mails and phone numbers are in clear: V masks them"
        )
        if self.pane is self.talk:
            return masking
        count = self.rows.source.base.count
        said = "" if count is None else f"{plural(count, self.noun)}   "
        return super().status_left() or f"{said}{masking}"

    def views_note(self) -> str:
        """Say for as long as it is so that personal data can be read."""
        return "" if self.masked else "IN CLEAR: V masks"

    # Reading

    def opened(self) -> None:
        self.show_views()

    def reload(self) -> None:
        self._read_rows()

    def poll(self) -> None:
        """Read the list again quietly, and count what the view has by now."""
        self._read_rows()

    def _read_rows(self) -> None:
        self.reads.load(
            "rows", self._refresh, lambda _: self.show_views(), what=f"Reading {self.noun}s",
            failed=lambda _: self.show_views(),
        )  # fmt: skip

    async def _refresh(self, api: Api) -> None:
        base = self.rows.source.base
        if isinstance(base, LookedPages):
            await base.refresh()

    def kept(self) -> Kept[Any] | None:
        """Return what was kept of the view when it was left last, which is never a part of it."""
        if self.limits.conditions:
            return None
        left = self.session.left.get((self.PLACE, self.organization, self.view))
        return cast("Kept[Any] | None", left)

    def _keep_rows(self) -> None:
        base = self.rows.source.base
        if self._limited or not isinstance(base, LookedPages):
            return
        kept = base.to_keep()
        if kept is not None:
            self.session.left[self.PLACE, self.organization, self._listed] = kept

    def on_unmount(self) -> None:
        """Keep the rows: the service may not answer when somebody comes back."""
        self._keep_rows()

    def view_changed(self) -> None:
        self._keep_rows()
        self._list_rows()

    def ask_anew(self) -> None:
        """Read the rows that the service limits the view to."""
        self._keep_rows()
        self._counts.clear()
        self._list_rows()

    def _list_rows(self) -> None:
        self._listed, self._limited = self.view, bool(self.limits.conditions)
        self.rows.empty = self.limits.none_so() if self._limited else self.empty()
        self.rows.source = self.pages()
        self.rows.move_first()
        self.show_views()

    def show_views(self) -> None:
        """Show the views, with the counts that are known."""
        count = self.rows.source.base.count
        if count is not None:
            self._counts[self.view] = count
        views = self.named_views()
        if views != self.views:
            self.set_views(views, self.view)
        self._say_what_to_open()

    def named_views(self) -> Sequence[View]:
        """Return the views, with the counts that are known."""
        return [
            View(each.id, each.title, self._counts.get(each.id)) for each in self.names_of_views()
        ]

    def _say_what_to_open(self) -> None:
        source = self.rows.source
        if self.rows.selected is not None:
            said = "No conversation is open: Enter opens one."
        elif source.error:
            said = f"No {self.noun} could be read."
        else:
            said = "" if source.busy else "There is no conversation to open."
        if said != self.talk.empty:
            self.talk.empty = said
            self.talk.refresh()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Follow the cursor, and count what has been read."""
        self.show_views()
        row = self.rows.selected
        if self.pane is self.talk and row is not None and self.is_asked(row):
            return  # it is being read; a refresh of the list changes nothing about that
        self.look_at_talk()

    def is_asked(self, row: Any) -> bool:
        """Whether the conversation of a row is the one that is shown or being read."""
        return self._asked == self.talk_asked(row)

    # Masking

    def show_again(self) -> None:
        """Draw everything again, and filter again: what is masked has changed."""
        self.show_views()
        if self.rows.found:
            self.rows.find(self.rows.found)
        super().show_again()

    # From the list to the conversation and back

    def _step(self, by: int) -> None:
        before, goes_on = self.rows.cursor, self.rows.goes_on
        super()._step(by)
        if by > 0 and goes_on and self.rows.cursor == before:
            self.say("Looking for more…")

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Read the conversation."""
        self._open_talk()

    def _open_talk(self) -> None:
        row = self.rows.selected
        if row is not None:
            self.read_talk(row)
            self.show_pane(self.talk)

    @action("l", "open", unless=at_talk, show=False, group="Move", also=("right",))
    def go_right(self) -> None:
        """Go on to the right: the conversation of the row."""
        self._open_talk()

    @action("h", "back", unless=at_list, show=False, group="Move", also=("left",))
    def go_left(self) -> None:
        """Go back to the list. Its cursor stays."""
        self.show_pane(self.rows)

    def _leave_talk(self) -> bool:
        if self.pane is not self.talk or self.talk.found:
            return False
        self.show_pane(self.rows)
        return True

    def step_within(self, *, closes: bool) -> bool:
        """Step back from a conversation to the list."""
        return self._leave_talk()
