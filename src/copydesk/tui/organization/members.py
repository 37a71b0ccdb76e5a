"""The people of an organization: their roles, who is taken in, and who is removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from copydesk.domain.organization_inverses import role_changed, sso_member_added
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.options import Option
from copydesk.session.people import member_name
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.organization import member_cells as present
from copydesk.tui.organization.commands import (
    NAME_CELLS,
    AtHand,
    OrganizationCommands,
    no_organization,
    not_admin,
)
from copydesk.tui.organization.member_resources import MEMBERS
from copydesk.tui.organization.requests import (
    add_by_sso,
    change_role,
    find_by_sso,
    find_member,
    remove_member,
)
from copydesk.tui.resource.place import ResourcePlace, nothing_selected

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.member import Member, MemberUpdate
    from copydesk.domain.reversal import Reversal

OFFERED = 1_000
"""How many people of an organization are offered."""


def not_removable(here: MembersPlace) -> str | None:
    """Say why the member may not be removed: who administers nothing may only leave."""
    item, me = here.item, here.session.me
    if item is not None and me is not None and item.id == me.id:
        return None
    return not_admin(here)


@place("members", key="w", title="Members", uses=("list_members", "get_organization"))
class MembersPlace(ResourcePlace["Member"], scope="members"):
    """The people of an organization."""

    RESOURCE = MEMBERS
    COMMAND_CLASSES = (OrganizationCommands, *ResourcePlace.COMMAND_CLASSES)

    @property
    def at_hand(self) -> AtHand | None:
        """The organization whose members these are."""
        home = self.organization
        if home is None:
            return None
        granted = None if self.rights.home is None else self.rights.home.permissions
        admin = None if granted is None else granted.admin
        return AtHand(home, self.session.title_of(home) or "the organization", admin)

    def nothing(self) -> str:
        if self.orders.order == "seen" and not self.limits.conditions:
            return "None was there yet: by last seen only active members are listed."
        return super().nothing()

    def open_item(self, item: Member) -> None:
        """Go to the spaces and the teams of the member."""
        target = Target(organization=self.organization, item=item.id)
        self.desk.go_soon("member", target)

    def named(self, item: Member) -> str:
        """Return the name of a member, short enough for a title."""
        return shorten(self.label(item), NAME_CELLS)

    def _is_me(self, item: Member) -> bool:
        me = self.session.me
        return me is not None and me.id == item.id

    # Changing

    @action("e", "role", unless=(nothing_selected, not_admin), danger=1, show=28, group="Change",
            uses="update_member", types=True)  # fmt: skip
    async def change_role(self) -> None:
        """Give the member another role in the organization, or none: a guest. u takes it back."""
        from copydesk.contract.models.member import MemberUpdate

        item, home = self.item, self.organization
        assert item is not None
        assert home is not None
        name, key = self.named(item), self.draft_key("change_role", item.id)

        async def send(body: MemberUpdate) -> None:
            await self.writer.perform(
                "Change role",
                f"{name}: {body.role or present.GUEST}",
                lambda api: change_role(api, home, item.id, body),
                reversal=role_changed(home, item.id, item.role, body.role),
                draft=key,
            )

        facts = [f"They reach {plural(item.spaces, 'space')} and are in {_teams(item)}."]
        if self._is_me(item):
            facts.append("That is you: without the role admin you cannot change it back.")
        form = body_form(
            MemberUpdate,
            title=f"Role of {name}",
            draft_key=key,
            send=send,
            current={"role": item.role},
            facts=facts,
        )
        if await self.desk.push_screen_wait(form):
            self.read_written(item.id)

    @action("ctrl+n", "add by SSO", unless=(no_organization, not_admin), danger=1, show=22,
            group="Change",
            uses=("add_sso_member", "get_member", "list_members", "list_organizations"), types=True,
            )  # fmt: skip
    async def add(self) -> None:
        """Take in somebody who signs in by single sign-on, or let a member sign in so."""
        home, key = self.organization, self.draft_key("add")
        assert home is not None

        async def send(values: Mapping[str, str]) -> None:
            user = values["user"]
            before: list[Member | None] = []

            async def add(api: Api) -> Member:
                before[:] = [await find_member(api, home, user)]
                return await add_by_sso(api, home, user)

            def back(member: Member) -> Reversal | None:
                # Who was a member before stays one: nothing of the service ends single sign-on.
                new = before == [None]
                return sso_member_added(home, member.id, member.role) if new else None

            member = await self.writer.perform(
                "Add by single sign-on",
                shorten(clean(user), NAME_CELLS),
                add,
                reversal=back,
                look=lambda api: find_by_sso(api, home, user),
                draft=key,
            )
            self.wanted = member.id

        field = Field(
            "user",
            "Person",
            "",
            _wrong_id,
            offers=lambda: self._people(home),
            help="The id of an account. Offered are members who sign in otherwise, and people of "
            "your other organizations.",
            required=True,
            named=True,
        )
        facts = [
            "Who is new gets the role and the team of the single sign-on, else the default role, "
            "and needs an e-mail address in a domain that the organization admits.",
            "Who is a member already signs in that way from now on: there is no way back.",
        ]
        form = Form(
            "Add by single sign-on",
            [field],
            draft_key=key,
            facts=facts,
            send=send,
            verb="add them",
            new=True,
        )
        if await self.desk.push_screen_wait(form):
            self.read_written(self.wanted)

    async def _people(self, home: str) -> list[Option]:
        """Return whom the reader can see that do not sign in by single sign-on here."""
        from copydesk.client.errors import Forbidden
        from copydesk.contract import operations as ops
        from copydesk.session.reads.spaces import read_organizations

        api = await self.session.ready()
        found: dict[str, Option] = {}
        here: set[str] = set()
        organizations = await read_organizations(api)
        organizations.sort(key=lambda each: each.id != home)
        for each in organizations:
            whose = "member" if each.id == home else f"of {shorten(clean(each.title), 30)}"
            read = 0
            try:
                async for member in api.pages(ops.list_members, each.id, limit=250):
                    if each.id == home:
                        here.add(member.id)
                    if not member.sso and (each.id == home or member.id not in here):
                        note = f"{clean(member.user.email or '')}  {whose}"
                        found.setdefault(
                            member.id, Option(member.id, clean(member_name(member)), note)
                        )
                    if (read := read + 1) >= OFFERED:
                        break
            except Forbidden:
                continue
        return list(found.values())

    @action("D", "remove", unless=(nothing_selected, not_removable), danger=3, show=18,
            group="Change", uses="remove_member")  # fmt: skip
    async def take_out(self) -> None:
        """Remove the member from the organization, or leave it yourself. It asks for the name."""
        item, home = self.item, self.organization
        assert item is not None
        assert home is not None
        name, mine = self.named(item), self._is_me(item)
        title = self.session.title_of(home) or "the organization"
        who, whom = ("You lose", "you") if mine else (f"{name} loses", "them")
        facts = [
            f"{who} {plural(item.spaces, 'space')}, {_teams(item)}, and the reviews asked of "
            f"{whom}. What was written stays.",
            "There is no way back: who comes in again has neither spaces nor teams.",
        ]
        sheet = TypeToConfirm(
            f"Leave {title}" if mine else f"Remove {name}",
            facts,
            expect=self.label(item),
            verb="leave" if mine else "remove",
        )
        if not await self.desk.push_screen_wait(sheet):
            return
        await self.writer.perform(
            "Leave" if mine else "Remove member",
            title if mine else name,
            lambda api: remove_member(api, home, item.id),
        )
        if mine:
            if self.session.organization == home:
                self.session.organization, self.session.organization_title = None, ""
            await self.desk.go("organizations", Target())
        else:
            self.read_written()


def _teams(item: Member) -> str:
    return plural(item.teams, "team") if item.teams else "no team"


def _wrong_id(text: str) -> str | None:
    if not text or not set(text) & set("/@ "):
        return None
    return "that is no id: ctrl+o offers people"
