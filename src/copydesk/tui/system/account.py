"""Who one is: the token in use and how another takes its place, the profiles there are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Label, Static

from copydesk.client.errors import OperationMissing, Unauthorized
from copydesk.domain.text import capital, clean
from copydesk.present.facts import hint
from copydesk.session.errors import NotDoneError, failure_types, sentence
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.profiles import TOKEN_FROM, VARIABLE, ServiceOffer, TokenKeeper
from copydesk.session.reachability import BUSY
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Fact, Sheet, fact_lines, scrolled
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.line_field import LineField

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.session import Session
    from copydesk.tui.framework.desk_app import DeskApp


LONGEST_VERSION = 60

KEPT = {
    VARIABLE: f"The token came from {VARIABLE}. Another is used until copydesk is closed.",
    "command": "A command prints it. What is typed here is used until copydesk is closed.",
    "keyring": "Another is kept in the keyring of this system.",
    "file": "Another is kept in a file that only you can read.",
    "none": "Another is used until copydesk is closed.",
}
"""What becomes of a token that is typed, by where the last one came from."""


def offer_named(known: Sequence[ServiceOffer], name: str) -> ServiceOffer:
    """Return the one of that name. Raises `NotDoneError` for none, with the nearest."""
    found = next((each for each in known if name and each.name == name), None)
    if found is None:
        from difflib import get_close_matches

        names = [each.name for each in known if each.name]
        near = get_close_matches(name, names, 1)
        hint = f"Nearest: :profile {near[0]}." if near else "copydesk login NAME makes one."
        raise NotDoneError(f"There is no profile {clean(name, limit=60)}. {hint}")
    return found


async def who_i_am(session: Session, api: Api) -> list[Text]:
    """Return who is signed in, where, and what the service says of itself; never the token.

    Raises ``ApiError`` where the service does not say who it is for another reason than that it
    never does.
    """
    from copydesk.client.errors import ApiError
    from copydesk.session.reads.spaces import read_me

    me = await read_me(api)
    try:
        about = await api(ops.get_api_information)
        version = " ".join(filter(None, (about.version, about.build and f"({about.build})")))
    except ApiError:
        version = ""  # it may lack that, or answer there with something else
    keeper = session.token
    if keeper is None:
        held = "none: the desk is on this machine"
    else:
        held = TOKEN_FROM.get(keeper.origin, "typed in this run, and kept nowhere")
    facts = [
        ("signed in", "" if me is None else person_name(me)),
        ("email", (me and me.email) or ""),
        ("user id", "" if me is None else me.id),
        ("organization", session.organization_title),
        ("profile", session.profile),
        ("service", session.host or "your own desk"),
        ("token", held),
        ("version", clean(version, limit=LONGEST_VERSION) or "the service does not say"),
    ]
    if me is None:
        facts[0] = ("signed in", "the service does not say who")
    width = max(len(name) for name, _ in facts) + 2
    return [
        Text.assemble((name.ljust(width), "muted"), clean(said)) for name, said in facts if said
    ]


async def choose_offer(app: DeskApp, known: Sequence[ServiceOffer]) -> ServiceOffer | None:
    """Let the user choose; None when nothing was chosen."""

    def note(each: ServiceOffer) -> str:
        said = [clean(each.host)] if each.name else []
        said += ["read-only"] * each.read_only + ["open now"] * each.current
        return ", ".join(said)

    options = [Option(each.id, each.title, note(each)) for each in known]
    current = next((each.id for each in known if each.current), None)
    chosen = await app.push_screen_wait(Choice("Go on with", options, current=current))
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
    try:
        trial = await asyncio.to_thread(api.trying, token)
    except ValueError as error:
        raise NotDoneError(str(error)) from error
    async with trial:
        try:
            me = await trial(ops.get_current_user)
        except OperationMissing:
            await trial(ops.list_organizations, limit=1)
            return ""
    name = person_name(me)
    owner = (session.me.id, person_name(session.me)) if session.me else keeper.owner
    if owner is not None and owner[0] != me.id:
        raise NotDoneError(
            f"This is the token of {name}, and what is saved here is that of {clean(owner[1])}. "
            "copydesk login NAME makes a profile of its own for it."
        )
    return f" ({name})"


KEYS = Text.assemble(
    ("enter", "accent"), " or ", ("ctrl+s", "accent"), " check and use   ", ("esc", "accent"),
    " leave",
)  # fmt: skip


class TokenInput(LineField, scope="token_input"):
    """The field of a `TokenSheet`: its text is hidden, and in no draft."""

    @action("enter", "use it", show=False, also=("ctrl+s",))
    def send(self) -> None:
        """Ask the service, and use the token if it is accepted."""
        cast("TokenSheet", self.screen).take(self.value.strip())

    @action("escape", "leave", word="back", show=False)
    def leave(self) -> None:
        """Leave it as it is: nothing is kept."""
        self.screen.dismiss(None)


class TokenSheet(Sheet[str]):
    """Ask for another token. The result is what to say once it is in use, or None.

    It stays while the service refuses what is typed, and says why.
    """

    def __init__(self, session: Session, keeper: TokenKeeper) -> None:
        super().__init__("Another token")
        self._session = session
        self._keeper = keeper
        self.under_way = False
        self._shown = Text()

    def body(self) -> ComposeResult:
        yield scrolled(Static(self.paint(self._known()), id="token-known"))
        yield Label("Token (it is not shown)", classes="ask", markup=False)
        yield TokenInput(password=True, compact=True)
        yield Label(self.paint(KEYS), classes="keys", id="token-keys")

    def on_mount(self) -> None:
        self._forget = self._session.watch(self._follow)

    def on_unmount(self) -> None:
        self._forget()

    def _follow(self) -> None:
        shown, known = self._shown, self._known()
        if known != shown:
            self.query_one("#token-known", Static).update(self.paint(known))

    def _known(self) -> Text:
        """Return the facts of the token, and what a new one replaces."""
        host, contact = clean(self._session.host) or "the service", self._session.contact
        if contact.refused:
            stands = f"{host} refused the token."
        elif contact.offline:
            stands = f"{host} cannot be reached now, so it says nothing of the token."
        elif contact.limited == BUSY:
            stands = f"{host} wants to be asked later, so it says nothing of the token."
        elif contact.limited:
            stands = f"{host} takes no more calls now, so it says nothing of the token."
        elif not contact.answers:
            stands = f"{host} has not answered yet, so nothing is known of the token."
        else:
            stands = f"{host} accepts the token so far."
        facts: list[Fact] = [stands, KEPT[self._keeper.origin]]
        if self._again:
            facts.append(hint("With nothing typed, enter reads it again where it is kept.", ""))
        self._shown = fact_lines(facts)
        return self._shown

    @property
    def _again(self) -> bool:
        """Whether another may have been put by now where the token is kept."""
        return self._keeper.origin not in (VARIABLE, "none")

    def _say(self, text: Text | None = None) -> None:
        said = KEYS if text is None else Text("\n").join((text, KEYS))
        self.query_one("#token-keys", Label).update(self.paint(said))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Clear the message about the token once another one is typed."""
        event.stop()
        if not self.under_way:
            self._say()

    def take(self, typed: str) -> None:
        """Check the typed token with the service, or the kept one where none is typed."""
        if self.under_way:
            return
        if not typed and not self._again:
            self._say(Text("Type the token first.", style="warn"))
            return
        self.under_way = True
        self._say(Text("Asking the service…", style="warn"))
        begin(self, self._change, typed, name="token")

    async def _change(self, typed: str) -> None:
        try:
            said = await change_token(self._session, self._keeper, typed)
        except failure_types() as error:
            self.under_way = False
            self._say(Text(refusal(error), style="bad"))
        else:
            self.dismiss(said)


def refusal(error: Exception) -> str:
    """Return what to say of a token that is not used."""
    if isinstance(error, Unauthorized):
        said = f"The service refuses this token. {error.message}".strip()
    else:
        said = sentence(error, "Enter")
    return clean(capital(said))
