"""What can be done with an organization from each place that is about one or about its people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Label, Static

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, shorten
from copydesk.present.facts import hint
from copydesk.session.draft_keys import form_key
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.dialogs.dialog import ScrollingSheet, fact_lines, scrolled
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.desk_app import begin, desk_of
from copydesk.tui.framework.place import Place
from copydesk.tui.resource.place import NAME_CELLS
from copydesk.tui.resource.rights import NO_HOME

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class AtHand:
    """The organization of a place or of a row; ``admin`` is None while the rights are unknown."""

    id: str
    title: str
    admin: bool | None = None


class HasOrganization(Protocol):
    """A place about one organization at a time."""

    @property
    def at_hand(self) -> AtHand | None:
        """The organization of the place or of its row."""


def no_organization(here: HasOrganization) -> str | None:
    """Say so where there is no organization."""
    return None if here.at_hand is not None else NO_HOME


def not_admin(here: HasOrganization) -> str | None:
    """Say so when the reader is known not to administer the organization."""
    meant = here.at_hand
    if meant is None or meant.admin is not False:
        return None
    return f"That takes the role admin in {shorten(meant.title, NAME_CELLS)}."


class OrganizationCommands(Commands, scope="organization_actions"):
    """Pinging an organization, and ending invite links."""

    place: Place

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.here = cast("HasOrganization", place)

    def resume_draft(self, part: str) -> bool:
        if part != "end_invite":
            return False
        begin(self.place, self._end_invite, "")
        return True

    async def _ping(self) -> None:
        meant = sure(self.here.at_hand)
        answer = await self.place.writer.perform(
            "Ping",
            shorten(meant.title, NAME_CELLS),
            lambda api: api(ops.ping_organization, meant.id),
        )
        if token := answer.docs_visitor_claims:
            await self.app.push_screen_wait(ClaimsSheet(token))
        else:
            self.place.tell("Pinged. No token came back: there are no visitor attributes for you.")

    @command("ping", uses="ping_organization")
    async def ping_by_word(self, rest: str) -> None:
        """Tell the organization that you are here, and get a token if it has one for you.

        The token is a credential: it is shown when you ask for it only, and kept nowhere.
        """
        if (why := no_organization(self.here)) is not None:
            self.place.say(why, "warn")
        else:
            await self._ping()

    @command("end-invite", "LINK", uses="delete_invite_link")
    async def end_invite_by_word(self, rest: str) -> None:
        """Delete an invite link, given by its address or its id; alone it asks which one."""
        why = no_organization(self.here) or not_admin(self.here)
        if why is not None:
            self.place.say(why, "warn")
        else:
            await self._end_invite(rest.strip())

    async def _end_invite(self, given: str) -> None:
        meant = sure(self.here.at_hand)
        key = form_key(self.place.PLACE, Target(organization=meant.id), "end_invite")
        title = shorten(meant.title, NAME_CELLS)

        async def send(values: Mapping[str, str]) -> None:
            invite = invite_in(values["invite"]) or ""
            found = await self.place.writer.perform(
                "Delete invite link",
                f"of {title}",
                lambda api: api.answer(ops.delete_invite_link, meant.id, invite),
                draft=key,
            )
            if found.status == 204:  # docs/api-notes.md, Success codes
                self.place.tell("There was no such invite link: nothing changed.", "warn")

        form = Form(
            f"End an invite link of {title}",
            [
                Field(
                    "invite",
                    "Link",
                    given,
                    lambda text: None if not text or invite_in(text) else NO_INVITE,
                    help="The address that people were sent, or the id at its end.",
                    required=True,
                )
            ],
            draft_key=key,
            facts=[
                hint(
                    "It takes the link that people were sent; g w lists them all, if the service "
                    "does.",
                    "",
                ),
                "Who has joined by it stays, and no one joins by it any more. This cannot be "
                "undone.",
            ],
            send=send,
            verb="delete",
            new=True,
        )
        await self.app.push_screen_wait(form)


NO_INVITE = "this is neither a link nor the id of one"


class ClaimsSheet(ScrollingSheet[None], scope="claims"):
    """A token with the claims of the reader: hidden until asked for, gone with the sheet."""

    ASKS = False

    def __init__(self, token: str) -> None:
        super().__init__("Your visitor attributes")
        self._token = token
        self._shown = False

    def body(self) -> ComposeResult:
        yield scrolled(Static(self._facts(), id="claims"))
        yield Label(self._keys(), classes="keys", id="claims-keys")

    def _facts(self) -> Content:
        return self.paint(fact_lines(claims_facts(self._token, shown=self._shown)))

    def _keys(self, said: str = "") -> Content:
        keys = Text.assemble(
            (f"{said}  " if said else "", "good"), ("Y", "accent"), " copy   ", ("V", "accent"),
            " hide   " if self._shown else " show   ", ("esc", "accent"), " close",
        )  # fmt: skip
        return self.paint(keys)

    @action("V", "show", show=False)
    def unmask(self) -> None:
        """Show the token, or hide it again."""
        self._shown = not self._shown
        self.query_one("#claims", Static).update(self._facts())
        self.query_one("#claims-keys", Label).update(self._keys())

    @action("Y", "copy", show=False)
    def copy_token(self) -> None:
        """Copy the token. It is not shown for that."""
        desk_of(self).copy(self._token, "the token")
        self.query_one("#claims-keys", Label).update(self._keys("Copied."))


def claims_facts(token: str, *, shown: bool) -> list[Text]:
    """Return the answer of a ping; the token only where it is shown."""
    facts = [
        Text("The organization returned a token with your visitor attributes."),
        Text("Whoever has it reads what you may read: give it to no one.", style="warn"),
    ]
    said = clean(token) if shown else f"{glyphs().dot * 12}  {len(token):,} characters, hidden"
    return [*facts, Text(""), Text(said, style="code" if shown else "muted")]


ID_PATTERN = re.compile(r"[\w-]{1,255}", re.ASCII)


def invite_in(text: str) -> str | None:
    """Return the id of the invite link that a text names: the id, or the link itself."""
    if ID_PATTERN.fullmatch(text):
        return text
    address = web_address(text)
    last = re.split(r"[?#]", address)[0].rstrip("/").rpartition("/")[2]
    # A link without a path ends in its host.
    return last if ID_PATTERN.fullmatch(last) and address.count("/") > 2 else None
