"""Who one is: the token in use and how another takes its place, the profiles there are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from copydesk.domain.text import clean
from copydesk.tui.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.app import CopydeskApp
    from copydesk.tui.session import Session

VARIABLE = "COPYDESK_TOKEN"
"""What the origin of a token is called that is in the environment."""


class TokenKeeper(Protocol):
    """How the token of a service is come by. Its calls block, and raise `NotDoneError`."""

    @property
    def origin(self) -> str:
        """Where it comes from: `VARIABLE`, "keyring", "file", "command" or "none"."""

    @property
    def owner(self) -> tuple[str, str] | None:
        """The id and the name of whose things are kept on this machine, where that is known."""

    def note(self, user: str, name: str) -> str:
        """Note by its id and its name whose token it is, now that the service has said so.

        Things of somebody else that are kept on this machine stay theirs: a sentence says it.
        Raises ``OSError`` too.
        """

    def read(self) -> str:
        """Return the token as it is kept by now."""

    def keep(self, token: str) -> str:
        """Keep another where that one came from, if that can be; say where, in a sentence."""


KEPT = {
    VARIABLE: f"It came from {VARIABLE}. Another is used until copydesk is closed.",
    "command": "A command prints it. What is typed here is used until copydesk is closed.",
    "keyring": "Another is kept in the keyring of this system.",
    "file": "Another is kept in a file that only you can read.",
    "none": "Another is used until copydesk is closed.",
}
"""What becomes of a token that is typed, by where the last one came from."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A service, or the desk on this machine, that one can go on with.

    ``id`` tells it from all others, ``name`` is what is typed for it ("" for a service that was
    named without a profile), ``host`` is where it is.
    """

    id: str
    name: str
    host: str
    read_only: bool = False
    current: bool = False

    @property
    def title(self) -> str:
        """What it is called; clean text."""
        return clean(self.name or self.host)


class Offers(Protocol):
    """What one can go on with. Its calls block; they raise `NotDoneError`."""

    def known(self) -> Sequence[Offer]:
        """Return what there is."""

    def prepare(self, offer: Offer) -> None:
        """Make sure that it can be opened next, as far as that is seen from here."""


class Welcome(Protocol):
    """What is told in the first runs. Its calls block."""

    def hints(self) -> Sequence[str]:
        """Return a sentence in several lengths, the longest first; none once it is of no use."""

    def hide(self) -> None:
        """Tell it no more."""


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


async def choose_offer(app: CopydeskApp, known: Sequence[Offer]) -> Offer | None:
    """Let the user choose; None when nothing was chosen."""
    from copydesk.tui.widgets.choice import Choice, Option

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
