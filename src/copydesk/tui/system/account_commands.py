"""Going on as somebody else: another token, another profile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.cells import cell_len

from copydesk.session.errors import NotDoneError
from copydesk.tui.framework.place import Place
from copydesk.tui.framework.workers import begin

if TYPE_CHECKING:
    from copydesk.session.profiles import Offer, Offers, Welcome
    from copydesk.tui.framework.desk_app import DeskApp


CLOSING_SECONDS = 1.0
"""How long the end of the program may take for letting go of a service."""


class Account:
    """Whom the program goes on as: its token can be replaced, and its profile left for another."""

    def __init__(self, app: DeskApp) -> None:
        self._desk = app
        self.offers: Offers | None = None
        """What ``:profile`` leads to; None where there is nothing."""
        self.bound_for: str | None = None
        """The id of the offer that it was left for; None where it was simply left."""
        self.back: str | None = None
        """What ``q`` leaves the first screen for, as `bound_for`; None ends the program."""
        self.welcome: Welcome | None = None
        """What is told in the first runs; None where there is nothing."""
        self.lasting: Sequence[str] = ()
        """What is said until Esc hides it, in several lengths: that settings are not used."""
        self._typing_token = False
        self._hints: Sequence[str] = ()

    async def close(self) -> None:
        """Close the connection; its cached data stay."""
        api = self._desk.session.api
        if api is not None and (api.caches or self.bound_for is not None):
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await api.aclose()

    # The first run

    async def find_hints(self) -> None:
        """Find out whether something is to be told in this run."""
        if self.welcome is not None:
            self._hints = await asyncio.to_thread(self.welcome.hints)
            self._desk.session.touched()

    def hint(self, width: int) -> str:
        """Return the hint for a line of ``width`` cells; that of first runs until one writes."""
        hints = self.lasting or (() if self._desk.session.log else self._hints)
        return next((each for each in hints if cell_len(each) <= width), "")

    def hide_hint(self) -> bool:
        """Tell it no more; False where nothing is told."""
        if self.lasting:
            self.lasting = ()
            self._desk.session.touched()
            return True
        if not self._hints or self.welcome is None:
            return False
        self._hints = ()
        begin(self._desk, asyncio.to_thread, self.welcome.hide, name="hide the hint")
        self._desk.session.touched()
        return True

    # Who it is

    async def show_me(self) -> None:
        """Show who is signed in, and at which service. Raises what the client raises."""
        from copydesk.tui.dialogs.dialog import Notice
        from copydesk.tui.system.account import who_i_am

        session = self._desk.session
        facts = await who_i_am(session, await session.ready())
        await self._desk.push_screen_wait(Notice("Who is signed in", facts))

    # Another token

    def open_token(self) -> None:
        """Ask for another token, over whatever is in front; nothing under it is touched."""
        if not self._typing_token:
            self._typing_token = True
            begin(self._desk, self._change_token, name="token")

    async def _change_token(self) -> None:
        from copydesk.tui.system.account import TokenSheet

        app, session = self._desk, self._desk.session
        assert session.token is not None
        try:
            said = await app.push_screen_wait(TokenSheet(session, session.token))
        finally:
            self._typing_token = False
        place = app.here
        if said is None or place is None:
            return
        place.say(said, "good")
        if isinstance(place, Place) and place.reads.may_poll:
            # What could not be read is read now; nothing that was to be sent is sent again.
            place.read_again(by_hand=place.reads.unread or place.reads.read_at is None)

    def read_for_another(self) -> None:
        """Read anew what every place shows: it was kept for somebody else."""
        app = self._desk
        app.session.left.clear()
        for screen in app.screen_stack:
            if isinstance(screen, Place):
                screen.reads.doubt()
        if app.here is not None:
            app.here.read_again()

    # Another profile

    @property
    def profile_names(self) -> Sequence[str]:
        """The names that ``:profile`` takes, for its completion; none where they are not read."""
        try:
            known = self.offers.known() if self.offers is not None else ()
        except NotDoneError:
            return ()
        return [each.name for each in known if each.name]

    async def change_profile(self, name: str, *, manual: bool = False) -> None:
        """Leave for the profile of that name, or for one that is chosen where none is given.

        Or for the ``manual``.

        Raises `NotDoneError`: then all stays as it is.
        """
        from copydesk.tui.system.account import choose_offer, offer_named

        if self.offers is None:
            raise NotDoneError(f"There {'is no manual' if manual else 'are no profiles'} here.")
        if manual:
            await self._leave_for(self.offers, self.offers.manual)
            return
        known = await asyncio.to_thread(self.offers.known)
        offer = offer_named(known, name) if name else await choose_offer(self._desk, known)
        if offer is not None:
            await self._leave_for(self.offers, offer)

    async def _leave_for(self, offers: Offers, offer: Offer) -> None:
        if offer.current:
            raise NotDoneError(f"{offer.title} is open already.")
        await asyncio.to_thread(offers.prepare, offer)
        self._desk.leave(bound_for=offer.id)
