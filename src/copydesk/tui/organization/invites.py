"""Invitations to an organization: links by which people come in, and people by e-mail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.access import LEVELS, invited, link_changed, link_made, rank
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, plural, shorten, shown_title
from copydesk.present.facts import hint
from copydesk.present.space_options import space_options
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_desk
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.organization.access import LEVEL_WORDS
from copydesk.tui.organization.members import GUEST
from copydesk.tui.resource.place import NAME_CELLS, ResourcePlace, may_not_add, nothing_selected
from copydesk.tui.resource.resource import Facet, Resource, pages_of

if TYPE_CHECKING:
    from copydesk.contract.models.invite import InviteLink, InviteResult

TABS = (View("members", "Members"), View("invites", "Invitations"))
"""The people of an organization, and how people come in."""


def gives(link: InviteLink) -> str:
    """Return the role or the level that a link gives."""
    return clean((link.role if leads_to(link) == "" else link.level) or GUEST)


def leads_to(link: InviteLink) -> str:
    """Return the title of the space or collection that a link leads to; "" for all."""
    if link.space is not None:
        return shown_title(link.space.title)
    if link.collection is not None:
        return shown_title(link.collection.title)
    return ""


def link_name(link: InviteLink) -> str:
    """Return what tells a link from others."""
    return f"{gives(link)} in {leads_to(link) or 'the organization'}"


def use_words(link: InviteLink) -> str | Text:
    """Say so where a link gives no more than another one does."""
    return Text("another gives as much", style="muted") if link.redundant else ""


INVITES: Resource[InviteLink] = Resource(
    noun="invite link",
    title="Invite links",
    tabs=TABS,
    pages=pages_of("list_invite_links", "organization"),
    key=lambda link: link.id,
    label=link_name,
    shown=(
        Facet("to", "LINKS TO", lambda link, now: leads_to(link) or "the organization", flex=1,
              minimum=20, sort=leads_to),
        Facet("role", "GIVES", lambda link, now: gives(link), 8, values=(*LEVELS, GUEST),
              sort=lambda link: -rank(gives(link))),
        Facet("use", "", lambda link, now: use_words(link), 21, drop=2, detail=False),
    ),
    empty="There are no invite links. ctrl+n makes one, or invites people by e-mail.",
    get="get_invite_link",
    arguments=lambda target, link: (target.organization or "", link.id),
    adding="admin",
    readers_empty="Administrators of the organization see its invite links.",
)  # fmt: skip
"""The invite links of an organization."""


ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


def addresses(text: str) -> list[str]:
    """Return the addresses in a field, each once."""
    return list(dict.fromkeys(each for each in re.split(r"[\s,;]+", text) if each))


def wrong_addresses(text: str) -> str | None:
    """Say which text is not an address."""
    wrong = [each for each in addresses(text) if not ADDRESS.fullmatch(each)]
    return f"{shorten(clean(wrong[0]), NAME_CELLS)} is not an e-mail address" if wrong else None


def _roles() -> list[Option]:
    roles = [Option(each, each, LEVEL_WORDS[each]) for each in reversed(LEVELS)]
    return [*roles, Option(GUEST, GUEST, "reaches only what is given")]


@place("invites", title="Invitations", uses=("list_invite_links", "get_organization"))
class InvitesPlace(ResourcePlace["InviteLink"], scope="invites"):
    """The links by which people come into the organization; people are invited by e-mail."""

    RESOURCE = INVITES

    @action("ctrl+n", "invite", unless=may_not_add, danger=1, show=28, group="Change", types=True,
            word="invite", uses=("invite_members", "create_invite_link", "list_organization_spaces",
                  "list_organization_collections", "get_organization"))  # fmt: skip
    async def make(self) -> None:
        """Invite people by e-mail, or make a link to the organization or to a part of it."""
        kinds = [
            Option("emails", "People, by e-mail"),
            Option("role", "A link to the organization"),
            Option("level", "A link to a space or a collection"),
        ]
        chosen = await self.app.push_screen_wait(Choice("Invite how?", kinds))
        if chosen == "emails":
            await self.invite_people()
        elif chosen == "role":
            await self._make_link({}, "the organization")
        elif chosen is not None:
            await self._make_link_to_part()

    async def invite_people(self) -> None:
        """Invite people to the organization by their e-mail addresses."""
        from copydesk.contract.models.invite import InviteCreate

        home, key = self.organization or "", self.draft_key("invite_people")

        async def send(texts: Mapping[str, str]) -> None:
            emails = addresses(texts["emails"])
            role = None if texts["role"] == GUEST else texts["role"]
            sso = {"sso": True} if texts["sso"] == "yes" else {}
            body = InviteCreate.model_validate({"emails": emails, "role": role, **sso})
            result: InviteResult = await self.writer.perform(
                "Invite",
                plural(len(emails), "person", "people"),
                lambda api: api(ops.invite_members, home, body),
                reversal=lambda made: invited(home, made.users) if made.users else None,
                draft=key,
            )
            failed = [shorten(clean(each), NAME_CELLS) for each in result.failed_sso_emails or ()]
            if failed:
                said = f"Not invited, for their domain is not admitted: {listed(failed[:3])}."
                self.tell(said, "warn")
            elif result.invited < len(emails):
                new = plural(result.invited, "person", "people")
                self.tell(f"{new} invited; the others are members already.")

        form = Form(
            "Invite people",
            [
                Field("emails", "E-mail", "", wrong_addresses, lines=3, required=True,
                      help="Addresses, one per line or separated by commas."),
                Field("role", "Role", "read", options=_roles(),
                      help="What they may do in the organization."),
                Field("sso", "Sign in by single sign-on", "no",
                      options=[Option("no", "no"), Option("yes", "yes")],
                      help="Takes an address in a domain that the organization admits."),
            ],
            draft_key=key,
            facts=[hint("They are members from then on: g w shows them.", "")],
            send=send,
            verb="invite them",
            new=True,
        )  # fmt: skip
        await self.desk.push_screen_wait(form)

    async def _make_link_to_part(self) -> None:
        api = await self.session.ready()
        home = self.organization or ""
        desk = await self.reads.now(
            "parts", lambda: read_desk(api, home), "Reading spaces and collections"
        )
        if desk is None:
            return
        found = space_options(desk.nodes, None, keep=lambda space: True)
        folders = [
            Option(node.id, shown_title(node.title), "collection")
            for node in desk.nodes
            if node.kind == "collection"
        ]
        chosen = await self.app.push_screen_wait(
            Choice("Invite to which space or collection?", [*found, *folders])
        )
        if chosen is not None:
            titles = {each.id: each.title.strip() for each in (*found, *folders)}
            kind = "collection" if chosen in {each.id for each in folders} else "space"
            await self._make_link({kind: chosen}, titles[chosen])

    async def _make_link(self, to: dict[str, str], title: str) -> None:
        from copydesk.contract.models.invite import InviteLinkCreate

        home, name = self.organization or "", "level" if to else "role"
        chosen = await self._choose(f"A link to {shorten(title, NAME_CELLS)} gives", "read")
        if chosen is None:
            return
        level = None if chosen == GUEST else chosen
        body = InviteLinkCreate.model_validate({name: level, **to})
        made: InviteLink = await self.writer.perform(
            "Make invite link",
            f"{chosen} in {shorten(title, NAME_CELLS)}",
            lambda api: api(ops.create_invite_link, home, body),
            reversal=lambda link: link_made(home, link.id, {name: level}),
        )
        self.read_written(made.id)

    async def _choose(self, title: str, current: str) -> str | None:
        return await self.app.push_screen_wait(Choice(title, _roles(), current=current))

    @action("e", "gives", word="role", unless=(nothing_selected, may_not_add), danger=1, show=26,
            group="Change", uses="update_invite_link")  # fmt: skip
    async def change(self) -> None:
        """Change what the link gives to those who come by it from now on. u undoes it."""
        from copydesk.contract.models.invite import InviteLinkUpdate

        item, home = sure(self.item), self.organization or ""
        before = gives(item)
        chosen = await self._choose(f"The link to {leads_to(item) or 'all'} gives", before)
        if chosen is None or chosen == before:
            return
        name = "level" if leads_to(item) else "role"
        was, now = (None if each == GUEST else each for each in (before, chosen))
        body = InviteLinkUpdate.model_validate({name: now})
        await self.writer.perform(
            "Change invite link",
            f"{shorten(leads_to(item) or 'the organization', NAME_CELLS)}: {chosen}",
            lambda api: api(ops.update_invite_link, home, item.id, body),
            reversal=link_changed(home, item.id, name, was, now),
        )
        self.read_written(item.id)

    @action("D", "delete", unless=(nothing_selected, may_not_add), danger=2, show=18,
            group="Change", uses="delete_invite_link")  # fmt: skip
    async def delete(self) -> None:
        """Delete the link, so that no one joins by it any more."""
        item, home = sure(self.item), self.organization or ""
        sheet = Confirm(
            f"Delete the link: {shorten(link_name(item), NAME_CELLS)}",
            ["Who has joined by it stays, and no one joins by it any more."],
            verb="delete",
            warning="This cannot be undone: a new link has another address.",
        )
        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete invite link",
                shorten(link_name(item), NAME_CELLS),
                lambda api: api(ops.delete_invite_link, home, item.id),
            )
            self.read_written()
