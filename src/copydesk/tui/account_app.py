"""Going on as somebody else: another token, another profile. A base of `CopydeskApp`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from textual.app import App

from copydesk.tui.dispatch import tell_failures

if TYPE_CHECKING:
    from copydesk.tui.account import Account
    from copydesk.tui.app import CopydeskApp


class AccountApp(App[None]):
    """A program whose token can be replaced, and that can be left for another profile."""

    known_accounts: Callable[[], Sequence[Account]] = staticmethod(lambda: ())
    """Reads what ``:profile`` offers; raises ``OSError``, and `ValueError` for broken settings."""

    bound_for: str | None = None
    """The id of the account that it was left for; None where it was simply left."""

    _typing_token = False

    @property
    def _desk(self) -> CopydeskApp:
        return cast("CopydeskApp", self)

    # Another token

    def open_token(self) -> None:
        """Ask for another token, over whatever is in front; nothing under it is touched."""
        if not self._typing_token:
            self._typing_token = True
            self.run_worker(self._change_token(), name="token")

    def action_token(self) -> None:
        """Ask for another token: ctrl+g over a sheet, or in a field, comes here."""
        if self._desk.session.token is None:
            self.bell()
        else:
            self.open_token()

    async def _change_token(self) -> None:
        from copydesk.tui.token_sheet import TokenSheet

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
        if place.may_poll:
            # What could not be read is read now; nothing that was to be sent is sent again.
            place.read_again(by_hand=place.unread or place.read_at is None)

    # Another profile

    @property
    def accounts(self) -> Sequence[Account]:
        """What ``:profile`` offers, for its completion; nothing where that cannot be read."""
        try:
            return self.known_accounts()
        except (OSError, ValueError):
            return ()

    async def change_profile(self, name: str) -> None:
        """Leave for the profile of that name, or for one that is chosen where none is given."""
        place = self._desk.here
        if place is not None:
            await tell_failures(place, self._change_profile(name))

    async def _change_profile(self, name: str) -> None:
        from copydesk.tui.account import account_named, choose_account
        from copydesk.tui.errors import NotDoneError

        try:
            known = await asyncio.to_thread(self.known_accounts)
        except (OSError, ValueError) as error:
            raise NotDoneError(str(error)) from error
        if name:
            account = account_named(known, name)
        else:
            chosen = await choose_account(self._desk, known)
            if chosen is None:
                return
            account = chosen
        if account.current:
            raise NotDoneError(f"This is {account.title} already.")
        self._desk.leave(bound_for=account.id)
