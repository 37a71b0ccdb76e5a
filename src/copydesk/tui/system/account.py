"""Who one is: the token in use and how another takes its place, the profiles there are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.domain.text import clean
from copydesk.session.errors import NotDoneError
from copydesk.session.profiles import Offer
from copydesk.session.token import VARIABLE, TokenKeeper

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.session import Session
    from copydesk.tui.framework.desk_app import DeskApp


KEPT = {
    VARIABLE: f"It came from {VARIABLE}. Another is used until copydesk is closed.",
    "command": "A command prints it. What is typed here is used until copydesk is closed.",
    "keyring": "Another is kept in the keyring of this system.",
    "file": "Another is kept in a file that only you can read.",
    "none": "Another is used until copydesk is closed.",
}
"""What becomes of a token that is typed, by where the last one came from."""


def offer_named(known: Sequence[Offer], name: str) -> Offer:
    """Return the one of that name. Raises `NotDoneError` for none, with the nearest."""
    found = next((each for each in known if name and each.name == name), None)
    if found is None:
        from difflib import get_close_matches

        names = [each.name for each in known if each.name]
        near = get_close_matches(name, names, 1)
        hint = f"Nearest: :profile {near[0]}." if near else "copydesk login NAME makes one."
        raise NotDoneError(f"There is no profile {clean(name, limit=60)}. {hint}")
    return found


async def choose_offer(app: DeskApp, known: Sequence[Offer]) -> Offer | None:
    """Let the user choose; None when nothing was chosen."""
    from copydesk.session.options import Option
    from copydesk.tui.dialogs.choice import Choice

    def note(each: Offer) -> str:
        said = [clean(each.host)] if each.name else []
        said += ["read-only"] * each.read_only + ["open now"] * each.current
        return ", ".join(said)

    options = [Option(each.id, each.title, note(each)) for each in known]
    current = next((each.id for each in known if each.current), None)
    chosen = await app.push_screen_wait(Choice("Go on with", options, current=current, wide=True))
    return next((each for each in known if each.id == chosen), None)


async def change_token(session: Session, keeper: TokenKeeper, typed: str) -> str:
    """Use another token from now on, once the service has accepted it; return what to say.

    Nothing typed: it is read again from where it is kept. One of somebody else is not taken, for
    what is kept on this machine is not theirs. Raises what the client raises, and `NotDoneError`.
    """
    token = typed or await asyncio.to_thread(keeper.read)
    api = session.api or session.made
    asked = api or await session.connect()
    try:
        who = await _whose(session, keeper, asked, token)
        said = await asyncio.to_thread(keeper.keep, token) if typed else ""
    finally:
        if api is None:  # the session makes its own, with what is kept by then
            await asked.aclose()
    if api is not None:
        api.use_token(token)
    session.contact.answered()
    session.touched()
    return f"The token is accepted{who}. {said}".strip()


async def _whose(session: Session, keeper: TokenKeeper, api: Api, token: str) -> str:
    """Return whose a token is, as the end of a sentence. Raises `NotDoneError` for another's."""
    from copydesk.client.errors import ExtensionMissing
    from copydesk.contract import operations as ops

    try:
        trial = await asyncio.to_thread(api.trying, token)
    except ValueError as error:
        raise NotDoneError(str(error)) from error
    async with trial:
        try:
            me = await trial(ops.get_current_user)
        except ExtensionMissing:
            await trial(ops.list_organizations, limit=1)
            return ""
    name = clean(me.display_name)
    owner = (session.me.id, session.me.display_name) if session.me else keeper.owner
    if owner is not None and owner[0] != me.id:
        raise NotDoneError(
            f"This is the token of {name}, and what is kept here is that of {clean(owner[1])}. "
            "copydesk login NAME makes a profile of its own for it."
        )
    return f" ({name})"
