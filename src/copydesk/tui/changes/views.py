"""The views of the triage list: the ones that everybody has, and a person's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from copydesk.domain.filter import Query
from copydesk.domain.saved_view import SavedView
from copydesk.present.change_request import SORTS
from copydesk.session.change_rows import ChangeRow
from copydesk.session.draft_keys import VIEW_NAME_KEY
from copydesk.session.target import Target
from copydesk.session.views import (
    FIRST,
    LISTINGS,
    OWN,
    SERVED,
    STATUSES,
    Listing,
    listing_of,
    reversal_of,
)
from copydesk.tui.changes.triage import ChangesChecking
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.place import View
from copydesk.tui.widgets.columns import Column

if TYPE_CHECKING:
    from copydesk.client.api import Api

NAME_LENGTH = 40
"""The longest name of a view: it stands in one line with others."""


def no_own_views(here: ChangesViews) -> Sequence[str]:
    """Return the names of a person's own views, for completion."""
    return [view.name for view in here.own]


class ChangesViews(ChangesChecking, scope="changes_views"):
    """Which views there are, and which is shown."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.own: list[SavedView] = []
        if not self.view:
            self.view = FIRST

    def view_listings(self) -> Sequence[Listing]:
        """Return the views that there are for this reader."""
        known = self.session.me is not None or self.session.api is None
        given = [each for each in LISTINGS if known or not each.personal]
        return [*given, *(listing_of(view) for view in self.own)]

    @property
    def listing(self) -> Listing:
        """The view that is shown."""
        listings = {each.id: each for each in (*LISTINGS, *map(listing_of, self.own))}
        return listings.get(self.view, listings[FIRST])

    @property
    def first_view(self) -> str:
        """The view that the place opens with."""
        return FIRST

    def show_views(self) -> None:
        """Name the views, with how many rows each holds as far as that is known."""
        self.set_views(
            [
                View(each.id, each.title, self.counts.get(each.id), each.short)
                for each in self.view_listings()
            ]
        )

    # A person's own

    def read_views(self) -> None:
        """Read the person's own views, and say what is wrong with one."""

        async def read(api: Api) -> tuple[list[SavedView], str]:
            try:
                return list(await asyncio.to_thread(self.session.views.read)), ""
            except (OSError, ValueError) as error:
                return [], str(error)

        def arrived(found: tuple[list[SavedView], str]) -> None:
            own, wrong = found
            others = own != self.own
            if others:
                self._own_are(own)
            asked = self.target.view
            said = [wrong, *(why for view in self.own if (why := self.view_wrong(view)))]
            for sentence in filter(None, said if others or wrong else ()):
                self.say(sentence, "warn")
            self.show_views()
            if asked is not None and asked != self.view and asked.startswith(OWN):
                self.choose_view(asked)

        self.load("views", read, arrived, what="Reading your views", local=True)

    def view_wrong(self, view: SavedView) -> str:
        """Return what is wrong with a person's own view as a sentence; "" when nothing is."""
        where = f"line {view.line} of the settings" if view.line else "your views"
        lead = f"View “{view.name}” ({where}): "
        query = Query.parse(view.filter, self.fields)
        if query.problems:
            return lead + query.problems[0].sentence
        if view.sort and view.sort not in SORTS:
            return f"{lead}there is no order {view.sort!r}; known are {', '.join(SORTS)}."
        unknown = [each for each in view.statuses if each not in STATUSES]
        if unknown or not view.statuses:
            return f"{lead}status is one of {', '.join(STATUSES)}."
        columns = [column.key for column in self.all_columns]
        strange = [each for each in view.columns if each not in columns]
        if strange:
            return f"{lead}there is no column {strange[0]!r}; known are {', '.join(columns)}."
        return ""

    @action("f", "views", show=9, group="Views")
    async def choose_a_view(self) -> None:
        """Choose a view by name, also one of your own; ctrl+x there forgets one of your own."""
        from copydesk.session.options import Option
        from copydesk.tui.changes.view_dialog import ViewChoice

        options = [Option(each.id, each.title, self._note(each)) for each in self.view_listings()]
        own = frozenset(OWN + view.name for view in self.own)
        sheet = ViewChoice(options, own, current=self.view)
        chosen = await self.desk.push_screen_wait(sheet)
        if sheet.forgotten is not None:
            await self._forget(sheet.forgotten.removeprefix(OWN))
        elif chosen is not None:
            self.choose_view(chosen)

    def _note(self, listing: Listing) -> str:
        count = self.counts.get(listing.id)
        said = [] if count is None else [str(count)]
        if listing.own:
            said.insert(0, listing.filter or "yours")
        return "  ".join(said)

    @action("F", "save view", danger=1, show=False, group="Views", types=True)
    async def save_view(self) -> None:
        """Save what is shown as a view of your own: the view, the filter and the order.

        It is kept in your settings under the name that you type; a name that is there is replaced.
        ctrl+x in the list of ``f`` forgets one.
        """
        from copydesk.tui.dialogs.ask import Ask

        listing, typed = self.listing, self.rows.found
        query = " ".join(filter(None, (listing.who_filter, listing.filter, typed)))
        made: list[SavedView] = []

        async def send(name: str) -> None:
            view = SavedView(
                name,
                listing.statuses,
                query,
                "" if self.sort == SERVED else self.sort,
                self.backwards,
                listing.columns,
            )
            await self._keep_view(view)
            made.append(view)

        again = f" (“{listing.title}” again replaces it)" if listing.own else ""
        sheet = Ask(
            f"Save view: {query or listing.title}",
            f"Its name?{again}",
            draft_key=VIEW_NAME_KEY,
            check=name_wrong,
            send=send,
        )
        if await self.desk.push_screen_wait(sheet) and made:
            if typed:
                self.rows.find_clear()
            self.choose_view(OWN + made[0].name)
            self.show_views()
            self.tell(f"Saved the view “{made[0].name}”: f finds it.", "good")

    async def _keep_view(self, view: SavedView) -> None:
        from copydesk.session.session import WriteError

        before = next((each for each in self.own if each.name == view.name), None)

        async def send(api: Api) -> None:
            try:
                await asyncio.to_thread(self.session.views.save, view)
            except (OSError, ValueError) as error:
                raise WriteError(f"The view was not saved: {error}") from None

        back = reversal_of(view.name, before, view)
        await self.perform("Save view", f"“{view.name}”", send, reversal=back)
        self.own = [each for each in self.own if each.name != view.name] + [view]

    @command("drop-view", "NAME", complete=no_own_views)
    async def drop_view(self, rest: str) -> None:
        """Forget a view of your own; u brings it back."""
        await self._forget(rest)

    async def _forget(self, name: str) -> None:
        from copydesk.session.session import WriteError

        before = next((view for view in self.own if view.name == name), None)
        if before is None:
            self.say(f"There is no view of yours called {name!r}.", "warn")
            return

        async def send(api: Api) -> None:
            try:
                await asyncio.to_thread(self.session.views.remove, name)
            except (OSError, ValueError) as error:
                raise WriteError(f"The view is still there: {error}") from None

        back = reversal_of(name, before, None)
        done = f"Forgot the view “{name}”: u brings it back."
        await self.perform("Forget view", f"“{name}”", send, reversal=back, done=done)
        self._own_are([view for view in self.own if view.name != name])

    def _own_are(self, own: list[SavedView]) -> None:
        """Show other views of one's own; where the one that is shown went, the first."""
        self.own = own
        if self.view.startswith(OWN) and self.view not in [OWN + view.name for view in own]:
            self.choose_view(FIRST)
        self.show_views()

    @property
    def all_columns(self) -> Sequence[Column[ChangeRow]]:
        """Every column that the list can show."""
        raise NotImplementedError


def name_wrong(name: str) -> str | None:
    """Return what is wrong with the name of a view, or None."""
    if not name.strip():
        return "A name is needed."
    if len(name) > NAME_LENGTH:
        return f"{len(name)} characters: at most {NAME_LENGTH} fit."
    with suppress(StopIteration):
        taken = next(each for each in LISTINGS if each.title.casefold() == name.casefold())
        return f"“{taken.title}” is there for everybody: choose another name."
    return None
