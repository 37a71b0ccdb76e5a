"""The views of the triage list: the ones that everybody has, and a person's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from copydesk.domain.saved_view import SavedView
from copydesk.session.draft_keys import view_name_key
from copydesk.session.errors import NotDoneError
from copydesk.session.listings import LISTINGS, OWN, SERVED, Listing, view_reversal
from copydesk.session.options import Option
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import ChoiceInput, Chooser
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.pane import offered

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.changes.screen import ChangesPlace

NAME_LENGTH = 40
"""The longest name of a view: it stands in one line with others."""


def not_ones_own(field: Any) -> str | None:
    """Say so when the view under the cursor is there for everybody."""
    sheet = cast("ViewChoice", field.screen)
    own = sheet.options.selected_id in sheet.own
    return None if own else "This view is there for everyone: only your own can be forgotten."


class ViewInput(ChoiceInput, scope="view_input"):
    """The field that narrows the list of views; letters narrow it, so forgetting has ctrl."""

    @action("ctrl+x", "forget it", unless=not_ones_own, show=False, also=("delete",))
    def forget(self) -> None:
        """Forget the view under the cursor, if it is one of your own. ``u`` brings it back."""
        cast("ViewChoice", self.screen).forget()


class ViewChoice(Chooser[str]):
    """Choose a view: the result is its id, or None. ``forgotten`` is the one to be forgotten."""

    FIELD = ViewInput

    def __init__(
        self, options: Sequence[Option], own: frozenset[str], *, current: str | None
    ) -> None:
        forgets = "   ctrl+x forgets one of yours" if own else ""
        super().__init__(f"View{forgets}", options, current=current)
        self.own = own
        """The ids of a person's own views."""
        self.forgotten: str | None = None

    def on_mount(self) -> None:
        """Name the key above it as the settings have it."""
        self._box.entitle(offered(self, self.heading))

    def forget(self) -> None:
        """Close with the view under the cursor as the one to be forgotten."""
        self.forgotten = self.options.selected_id
        self.dismiss(None)


class ViewCommands(Commands, scope="changes"):
    """Chooses a view, and keeps and forgets a person's own."""

    place: ChangesPlace

    @action("f", "views", word="views", show=9, group="Views")
    async def choose_a_view(self) -> None:
        """Choose a view by name, also one of your own; ctrl+x there forgets one of your own."""
        options = [
            Option(each.id, each.title, self._note(each)) for each in self.place.view_listings()
        ]
        own = frozenset(OWN + view.name for view in self.place.own)
        sheet = ViewChoice(options, own, current=self.place.view)
        chosen = await self.place.desk.push_screen_wait(sheet)
        if sheet.forgotten is not None:
            await self._forget(sheet.forgotten.removeprefix(OWN))
        elif chosen is not None:
            self.place.choose_view(chosen)

    def _note(self, listing: Listing) -> str:
        count = self.place.counts.get(listing.id)
        said = [] if count is None else [str(count)]
        if listing.own:
            said.insert(0, listing.filter or "yours")
        return "  ".join(said)

    @action("F", "save view", danger=1, show=False, group="Views", types=True)
    async def save_view(self) -> None:
        """Save the current view, filter and order as a view of your own.

        It is kept in your settings under the name that you type; a name that is there is replaced.
        ctrl+x in the list of ``f`` forgets one.
        """
        listing, typed = self.place.listing, self.place.rows.found
        query = " ".join(filter(None, (listing.who_filter, listing.filter, typed)))
        made: list[SavedView] = []

        async def send(name: str) -> None:
            view = SavedView(
                name,
                listing.statuses,
                query,
                "" if self.place.sort == SERVED else self.place.sort,
                self.place.backwards,
                listing.columns,
            )
            await self._keep_view(view)
            made.append(view)

        again = f" (“{listing.title}” again replaces it)" if listing.own else ""
        sheet = Ask(
            f"Save view: {query or listing.title}",
            f"Its name?{again}",
            draft_key=view_name_key(),
            check=name_wrong,
            send=send,
        )
        if await self.place.desk.push_screen_wait(sheet) and made:
            if typed:
                self.place.rows.find_clear()
            self.place.choose_view(OWN + made[0].name)
            self.place.show_views()
            self.place.tell(f"Saved the view “{made[0].name}”: f finds it.", "good")

    def resume_draft(self, part: str) -> bool:
        """Ask for the name of a view again."""
        if part == "view":
            self.place.do_soon("save_view")
        return part == "view"

    async def _keep_view(self, view: SavedView) -> None:
        before = next((each for each in self.place.own if each.name == view.name), None)

        async def send(api: Api) -> None:
            try:
                await asyncio.to_thread(self.place.session.views.save, view)
            except (OSError, ValueError) as error:
                raise NotDoneError(f"The view was not saved: {error}") from None

        back = view_reversal(view.name, before, view)
        await self.place.writer.perform("Save view", f"“{view.name}”", send, reversal=back)
        self.place.own = [each for each in self.place.own if each.name != view.name] + [view]

    @command("drop-view", "NAME", complete=lambda here: [view.name for view in here.own])
    async def drop_view(self, rest: str) -> None:
        """Forget a view of your own; u brings it back."""
        await self._forget(rest)

    async def _forget(self, name: str) -> None:
        before = next((view for view in self.place.own if view.name == name), None)
        if before is None:
            self.place.say(f"No view of yours has the name {name!r}.", "warn")
            return

        async def send(api: Api) -> None:
            try:
                await asyncio.to_thread(self.place.session.views.remove, name)
            except (OSError, ValueError) as error:
                raise NotDoneError(f"The view is still there: {error}") from None

        back = view_reversal(name, before, None)
        done = f"Forgot the view “{name}”: u brings it back."
        await self.place.writer.perform("Forget view", f"“{name}”", send, reversal=back, done=done)
        self.place.own_are([view for view in self.place.own if view.name != name])


def name_wrong(name: str) -> str | None:
    """Return what is wrong with the name of a view, or None."""
    if not name.strip():
        return "A name is needed."
    if len(name) > NAME_LENGTH:
        return f"{len(name)} characters: at most {NAME_LENGTH} fit."
    with suppress(StopIteration):
        taken = next(each for each in LISTINGS if each.title.casefold() == name.casefold())
        return f"“{taken.title}” is there for everyone: choose another name."
    return None
