"""The people of an organization: their roles, who is taken in, and who is removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from rich.text import Text

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract.enumerations import Role, RoleFilter, TeamRole
from copydesk.domain.address import shown_at, web_address
from copydesk.domain.moments import ago
from copydesk.domain.organization_inverses import role_changed, sso_member_added
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.errors import NotDoneError
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_organizations
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.organization.commands import (
    AtHand,
    OrganizationCommands,
    no_organization,
    not_admin,
)
from copydesk.tui.resource.place import NAME_CELLS, ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import (
    Condition,
    Facet,
    ListQuery,
    Resource,
    ServiceOrder,
    pages_of,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.member import Member, MemberSpace, MemberTeam, MemberUpdate
    from copydesk.domain.reversal import Reversal


GUEST = "guest"
"""The role of members without one, and the filter of the service for them."""


def member_role(member: Member) -> str:
    """Return the role in the organization."""
    return member.role or GUEST


def account_state(member: Member) -> str | None:
    """Say so where the account is switched off."""
    return "switched off" if member.disabled else None


def sign_on(member: Member) -> str:
    """Say how somebody signs in."""
    return "single sign-on" if member.sso else "on their own"


def last_seen(member: Member, now: datetime) -> str | Text:
    """Return when somebody was there last."""
    return ago(member.last_seen_at, now) or Text("never", style="muted")


def member_details(member: Member) -> Sequence[tuple[str, str | Text]]:
    """Return the details of a member beyond the columns."""
    url = web_address(member.user.urls.app)
    return [("app", Text(url, style="link"))] if url else []


def space_name(reached: MemberSpace) -> str:
    """Return the title of a space that a member reaches."""
    return reached.space.title.strip() or "Untitled"


def space_address(reached: MemberSpace) -> str | None:
    """Return the address of a space: in the application, else where it is read."""
    urls = reached.space.urls
    return shown_at(urls.app, urls.published) or None


def team_part(joined: MemberTeam) -> str | Text:
    """Return the role of a member in a team; owners stand out."""
    part = clean(joined.member.role)
    return Text(part, style="strong") if part == "owner" else part


ROLES = get_args(RoleFilter)
"""The roles that the service filters members by."""


async def _members(api: Api, target: Target, asked: ListQuery) -> Page[Member]:
    role: dict[str, Any] = {"role": asked.view} if asked.view in ROLES else {}
    return await api.page(
        ops.list_members,
        target.organization or "",
        **asked.paging,
        **role,
        **asked.order,
        **asked.conditions,
    )


def _by(name: str, title: str, sort: str) -> ServiceOrder:
    return ServiceOrder(
        name, title, {"sort": sort, "order": "desc"}, {"sort": sort, "order": "asc"}
    )


MEMBERS: Resource[Member] = Resource(
    noun="member",
    title="Members",
    pages=_members,
    key=lambda member: member.id,
    label=lambda member: person_name(member.user),
    shown=(
        Facet("name", "NAME", lambda member, now: person_name(member.user), flex=1, minimum=20,
              detail=False, sort=lambda member: person_name(member.user)),
        Facet("role", "ROLE", lambda member, now: member_role(member), 8, values=ROLES),
        Facet("seen", "SEEN", last_seen, 10),
        Facet("joined", "JOINED", lambda member, now: ago(member.joined_at, now), 10,
              drop=4),
        Facet("email", "E-MAIL", lambda member, now: member.user.email, 26, drop=3,
              sort=lambda member: member.user.email),
        Facet("teams", "TEAMS", lambda member, now: str(member.teams), 5, align="right", drop=2,
              sort=lambda member: member.teams),
        Facet("spaces", "SPACES", lambda member, now: str(member.spaces), 6, align="right", drop=1,
              sort=lambda member: member.spaces),
        Facet("sign_on", "SIGNS IN", lambda member, now: sign_on(member)),
        Facet("account", "ACCOUNT", lambda member, now: account_state(member)),
    ),
    empty="No one is a member yet.",
    get="get_member",
    arguments=lambda target, member: (target.organization or "", member.id),
    url=lambda member: web_address(member.user.urls.app) or None,
    views=(
        View("all", "All"),
        *(View(role, "Guests" if role == GUEST else role.capitalize()) for role in ROLES),
        View("invites", "Invitations"),
    ),
    orders=(
        _by("joined", "last joined", "joinedAt"),
        _by("seen", "last seen (active members only)", "lastSeenAt"),
    ),
    conditions=(Condition("search", "those whose name or e-mail address holds this"),),
    copies=lambda member: [("e-mail address", member.user.email)],
    more=lambda member, now: member_details(member),
    dim=lambda member: member.disabled,
    adding="admin",
    contents=lambda: (MEMBER_TEAMS, MEMBER_SPACES),
)  # fmt: skip
"""The people of an organization."""

MEMBER_SPACES: Resource[MemberSpace] = Resource(
    noun="space",
    title="Spaces",
    pages=pages_of("list_member_spaces", "organization", "item"),
    key=lambda reached: reached.space.id,
    label=space_name,
    shown=(
        Facet("title", "SPACE", lambda reached, now: space_name(reached), flex=1,
              minimum=20, detail=False, sort=space_name),
        Facet("role", "ROLE", lambda reached, now: reached.permission or GUEST, 8,
              values=get_args(Role)),
        Facet("audience", "READ BY", lambda reached, now: reached.space.visibility, 13, drop=2),
        Facet("made", "MADE", lambda reached, now: ago(reached.space.created_at, now), 10,
              drop=1),
    ),
    empty="There is no space that both of you reach.",
    of="item",
    get="get_space",
    arguments=lambda target, reached: (reached.space.id,),
    url=space_address,
    orders=(ServiceOrder("made", "last made", {"order": "desc"}, {"order": "asc"}),),
)  # fmt: skip
"""The spaces that a member reaches."""


def _team_name(joined: MemberTeam) -> str:
    return joined.team.title.strip() or "Untitled"


MEMBER_TEAMS: Resource[MemberTeam] = Resource(
    noun="team",
    title="Teams",
    pages=pages_of("list_member_teams", "organization", "item"),
    key=lambda joined: joined.team.id,
    label=_team_name,
    shown=(
        Facet("title", "TEAM", lambda joined, now: _team_name(joined), flex=1, minimum=20,
              detail=False, sort=_team_name),
        Facet("part", "ROLE", lambda joined, now: team_part(joined), 8,
              values=get_args(TeamRole)),
        Facet("made", "MADE", lambda joined, now: ago(joined.team.created_at, now), 10,
              drop=2, sort=lambda joined: joined.team.created_at),
        Facet("members", "MEMBERS", lambda joined, now: str(joined.team.members), 7,
              align="right", sort=lambda joined: joined.team.members),
        Facet("spaces", "SPACES", lambda joined, now: str(joined.team.spaces), 6, align="right",
              drop=1, sort=lambda joined: joined.team.spaces),
    ),
    empty="In no team.",
    of="item",
    get="get_team",
    arguments=lambda target, joined: (target.organization or "", joined.team.id),
    conditions=(Condition("title", "teams whose name holds this"),),
)  # fmt: skip
"""The teams that a member is in."""


OFFERED = 1_000
"""The number of people of an organization that are offered."""


def not_removable(here: MembersPlace) -> str | None:
    """Say why the member may not be removed: who administers nothing may only leave."""
    item, me = here.item, here.session.me
    if item is not None and me is not None and item.id == me.id:
        return None
    return not_admin(here)


@place(
    "members",
    key="w",
    title="Members",
    uses=("list_members", "get_organization", "list_member_teams", "list_member_spaces"),
)
class MembersPlace(ResourcePlace["Member"], scope="members"):
    """The people of an organization."""

    RESOURCE = MEMBERS
    COMMAND_CLASSES = (OrganizationCommands,)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._role = self.view or "all"

    @property
    def at_hand(self) -> AtHand | None:
        home = self.organization
        if home is None:
            return None
        granted = None if self.rights.home is None else self.rights.home.permissions
        admin = None if granted is None else granted.admin
        return AtHand(home, self.session.title_of(home) or "the organization", admin)

    def nothing(self) -> str:
        if self.orders.order == "seen" and not self.limits.conditions:
            return "No active members: “last seen” lists only those."
        return super().nothing()

    def view_changed(self) -> None:
        """Go to the invitations, which are a list of their own, or list those of a role."""
        if self.view == "invites":
            self.view = self._role
            self.refresh_frame()
            self.desk.go_soon("invites", Target(organization=self.organization))
        else:
            self._role = self.view
            super().view_changed()

    def open_item(self, item: Member) -> None:
        """Go to the spaces and the teams of the member."""
        target = Target(organization=self.organization, item=item.id)
        self.desk.go_soon("member", target)

    def _is_me(self, item: Member) -> bool:
        me = self.session.me
        return me is not None and me.id == item.id

    # Changing

    @action("e", "role", unless=(nothing_selected, not_admin), danger=1, show=28, group="Change",
            word="role", uses="update_member", types=True)  # fmt: skip
    async def change_role(self) -> None:
        """Give the member another role in the organization, or none: a guest. u undoes it."""
        from copydesk.contract.models.member import MemberUpdate

        item, home = sure(self.item), sure(self.organization)
        name, key = self.named(item), self.draft_key("change_role", item.id)

        async def send(body: MemberUpdate) -> None:
            await self.writer.perform(
                "Change role",
                f"{name}: {body.role or GUEST}",
                lambda api: api(ops.update_member, home, item.id, body),
                reversal=role_changed(home, item.id, item.role, body.role),
                draft=key,
            )

        facts = [f"They reach {plural(item.spaces, 'space')} and are in {_in_teams(item)}."]
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
            word="new", group="Change",
            uses=("add_sso_member", "get_member", "list_members", "list_organizations"), types=True,
            )  # fmt: skip
    async def add(self) -> None:
        """Take in someone who signs in by single sign-on, or let a member sign in so."""
        home, key = sure(self.organization), self.draft_key("add")

        async def send(values: Mapping[str, str]) -> None:
            user = values["user"]
            before: list[Member | None] = []

            async def add(api: Api) -> Member:
                before[:] = [await api.find(ops.get_member, home, user)]
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
            self.row_reader.wanted = member.id

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
            "Who is a member already signs in that way from now on: this cannot be undone.",
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
            self.read_written(self.row_reader.wanted)

    async def _people(self, home: str) -> list[Option]:
        """Return visible people without single sign-on here."""
        api = await self.session.ready()
        found: dict[str, Option] = {}
        here: set[str] = set()
        organizations = await read_organizations(api)
        organizations.sort(key=lambda each: each.id != home)
        for each in organizations:
            whose = "member" if each.id == home else f"of {shorten(clean(each.title), 30)}"
            read = 0
            try:
                async for member in api.pages(ops.list_members, each.id):
                    if each.id == home:
                        here.add(member.id)
                    if not member.sso and (each.id == home or member.id not in here):
                        note = f"{clean(member.user.email or '')}  {whose}"
                        found.setdefault(
                            member.id, Option(member.id, person_name(member.user), note)
                        )
                    if (read := read + 1) >= OFFERED:
                        break
            except Forbidden:
                continue
        return list(found.values())

    @action("D", "remove", unless=(nothing_selected, not_removable), danger=3, show=18,
            word="remove", group="Change", uses="remove_member")  # fmt: skip
    async def take_out(self) -> None:
        """Remove the member from the organization, or leave it yourself. It asks for the name."""
        item, home = sure(self.item), sure(self.organization)
        name, mine = self.named(item), self._is_me(item)
        title = self.session.title_of(home) or "the organization"
        who, whom = ("You lose", "you") if mine else (f"{name} loses", "them")
        facts = [
            f"{who} {plural(item.spaces, 'space')}, {_in_teams(item)}, and the reviews asked of "
            f"{whom}. What was written stays.",
            "This cannot be undone: who comes in again has neither spaces nor teams.",
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
            lambda api: api(ops.remove_member, home, item.id),
        )
        if mine:
            if self.session.organization == home:
                self.session.organization, self.session.organization_title = None, ""
            await self.desk.go("organizations", Target())
        else:
            self.read_written()


def _in_teams(item: Member) -> str:
    return plural(item.teams, "team") if item.teams else "no team"


def _wrong_id(text: str) -> str | None:
    if not text or not set(text) & set("/@ "):
        return None
    return "not an id: ctrl+o offers people"


@place(
    "member",
    title="Member",
    uses=("list_member_spaces", "list_member_teams", "get_member"),
)
class MemberPlace(ResourcePlace[Any], scope="member"):
    """The spaces and teams of one member."""

    NO_ITEM = "No member is chosen. Open one from a list: g w goes there."
    KINDS: ClassVar = {"spaces": MEMBER_SPACES, "teams": MEMBER_TEAMS}

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._called = ""

    def within(self) -> Iterable[str]:
        yield "Members"
        yield self._called or clean(self.target.item or "no one")

    def opened(self) -> None:
        """Read the name of the member."""
        super().opened()
        if self.target.item is not None:
            self.reads.load("name", self._read_member, self._named, what="Reading the member")

    async def _read_member(self, api: Api) -> Member:
        return await api(ops.get_member, self.organization or "", self.target.item or "")

    def _named(self, member: Member) -> None:
        self._called = person_name(member.user)
        self.refresh_frame()

    def open_item(self, item: Any) -> None:
        """Go to the pages of the space, or to the members of the team."""
        if self.resource is MEMBER_SPACES:
            name, target = "pages", Target(organization=self.organization, space=item.space.id)
        else:
            name = "team-members"
            target = Target(organization=self.organization, item=item.team.id)
        self.desk.go_soon(name, target)


async def add_by_sso(api: Api, organization: str, user: str) -> Member:
    """Make somebody a member who signs in by single sign-on.

    Raises `NotDoneError` when the service knows nobody by that id whom it may take in.
    """
    try:
        return await api(ops.add_sso_member, organization, user)
    except NotFound as error:
        raise NotDoneError(error.message) from error


async def find_by_sso(api: Api, organization: str, user: str) -> Member | None:
    """Return a member if they sign in by single sign-on, else None."""
    found = await api.find(ops.get_member, organization, user)
    return found if found is not None and found.sso else None
