"""A list of a whole organization whose rows lead to conversations: conversations, issues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from copydesk.domain.text import plural
from copydesk.present.json_views import Raw, conversation_raw, issue_raw
from copydesk.tui.conversations.reader import ConversationReader, HasConversations
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.place import View
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.widgets.scanned_list import CachedRows, ScannedList, ScannedPages

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.place import Place

ALL = "all"
"""The view of everything."""

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
        ...

    def empty(self) -> str:
        """Return what to say where the view has no rows."""
        ...

    def names_of_views(self) -> Sequence[View]:
        """Return the views, without counts."""
        ...


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

    # Reading

    def read(self) -> None:
        """Read the list again, and count what the view has by now."""
        self.place.reads.load(
            "rows", self._refresh, lambda _: self.show_views(), what=f"Reading {self._here.noun}s",
            failed=lambda _: self.show_views(),
        )  # fmt: skip

    async def _refresh(self, api: Api) -> None:
        base = self._here.rows.source.base
        if isinstance(base, ScannedPages):
            await base.refresh()

    def cached(self) -> CachedRows[Any] | None:
        """Return the cached rows of the view; none where conditions leave rows out."""
        if self._limits.conditions:
            return None
        key = (self.place.PLACE, self._reader.organization, self.place.view)
        return cast("CachedRows[Any] | None", self.place.session.left.get(key))

    def cache(self) -> None:
        """Cache the rows: the service may not answer when somebody comes back."""
        base = self._here.rows.source.base
        if self._limited or not isinstance(base, ScannedPages):
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
            said = "" if rows.source.busy else "There is no conversation to open."
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

    @action("l", "open", unless=at_conversation, show=False, group="Move", also=("right",))
    def go_right(self) -> None:
        """Go on to the right: the conversation of the row."""
        self.open()

    @action("h", "back", unless=at_list, show=False, group="Move", also=("left",))
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
