"""The teams of an organization, and who is in one: made, renamed, filled, deleted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from rich.text import Text

from copydesk.contract.enumerations import RoleFilter, TeamRole
from copydesk.domain.address import web_address
from copydesk.domain.moments import ago
from copydesk.domain.organization_inverses import (
    people_added,
    people_removed,
    roles_changed,
    team_made,
    team_renamed,
)
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.reads.organization import people_offered
from copydesk.session.reads.spaces import read_me
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import Confirm, Fact, TypeToConfirm
from copydesk.tui.dialogs.form import FieldsWrongError
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.organization.members import (
    MEMBER_SPACES,
    MEMBER_TEAMS,
    account_state,
    last_seen,
    member_role,
)
from copydesk.tui.resource.place import NAME_CELLS, ResourcePlace, may_not_add, nothing_selected
from copydesk.tui.resource.resource import Condition, Facet, Resource, pages_of
from copydesk.tui.widgets.list import Marking, VirtualList, no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.member import TeamMember
    from copydesk.contract.models.team import (
        Team,
        TeamCreate,
        TeamMembersUpdate,
        TeamMemberUpdate,
        TeamUpdate,
    )
    from copydesk.domain.organization_inverses import TeamIds
    from copydesk.session.options import Option


def team_title(team: Team) -> str:
    """Return the title of a team; never empty."""
    return team.title.strip() or team.id


def team_details(team: Team) -> Iterator[tuple[str, str | Text]]:
    """Yield the details of a team beyond the columns."""
    if team.permissions is not None:
        yield "you may", "rename and delete it" if team.permissions.admin else "look at it"


def team_loss(team: Team) -> Sequence[str | Text]:
    """Return the consequences of deleting a team."""
    if team.members:
        said = f"{plural(team.members, 'member')} of it stay in the organization."
        lost = "They lose whatever only the team gives them"
    else:
        said, lost = "No one is in it.", "It is given nothing any more"
    more = f", in {plural(team.spaces, 'space')}" if team.spaces else ""
    return [
        said,
        f"{lost}{more}.",
        Text("This cannot be undone: a new team has no one in it, and no space.", style="warn"),
    ]


TEAMS: Resource[Team] = Resource(
    noun="team",
    title="Teams",
    pages=pages_of("list_teams", "organization"),
    key=lambda team: team.id,
    label=team_title,
    shown=(
        Facet("title", "NAME", lambda team, now: team_title(team), flex=1, minimum=20,
              detail=False, sort=team_title),
        Facet("members", "MEMBERS", lambda team, now: str(team.members), 7, align="right",
              sort=lambda team: team.members),
        Facet("spaces", "SPACES", lambda team, now: str(team.spaces), 6, align="right", drop=1,
              sort=lambda team: team.spaces),
        Facet("made", "MADE", lambda team, now: ago(team.created_at, now), 10,
              drop=2, sort=lambda team: team.created_at),
    ),
    empty="There are no teams yet. ctrl+n makes one.",
    get="get_team",
    arguments=lambda target, team: (target.organization or "", team.id),
    conditions=(
        Condition("title", "teams whose name holds this"),
        Condition("owner", "teams that a member can manage", offers=people_offered,
                  uses=("list_members",)),
    ),
    more=lambda team, now: list(team_details(team)),
    adding="own_team",
    readers_empty="There are no teams in this organization.",
    contents=lambda: (PEOPLE,),
)  # fmt: skip
"""Teams, as an organization lists them."""


async def teams_called(api: Api, organization: str, title: str) -> list[Team]:
    """Return the teams of exactly that name."""
    pages = api.pages(ops.list_teams, organization, title=title)
    return [team async for team in pages if team.title == title]


async def find_made(api: Api, organization: str, title: str, known: Collection[str]) -> Team | None:
    """Return the team of that name that was not there before, or None."""
    found = await teams_called(api, organization, title)
    return next((team for team in found if team.id not in known), None)


def may_not_change(here: TeamsPlace) -> str | None:
    """Say why the team under the cursor may not be changed."""
    item = here.item
    if item is None or item.permissions is None or item.permissions.admin:
        return None
    known = here.rights.home
    home = "the organization" if known is None else shorten(clean(known.title), 40)
    return f"That takes the role admin in {home}."


@place(
    "teams", key="T", title="Teams", uses=("list_teams", "get_organization", "list_team_members")
)
class TeamsPlace(ResourcePlace["Team"], scope="teams"):
    """The teams of an organization."""

    RESOURCE = TEAMS

    def open_item(self, item: Team) -> None:
        target = Target(organization=self.organization, item=item.id)
        self.desk.go_soon("team-members", target)

    # Changing

    @action("ctrl+n", "new team", word="new", unless=may_not_add, danger=1, show=28, group="Change",
            uses=("create_team", "list_teams", "list_members"), types=True)  # fmt: skip
    async def make(self) -> None:
        """Make a team, with people of the organization in it if you like."""
        from copydesk.contract.models.team import TeamCreate

        home, key = self.organization or "", self.draft_key("make")

        async def people() -> Sequence[Option]:
            return await people_offered(await self.session.ready(), home)

        async def send(body: TeamCreate) -> None:
            alike = await teams_called(await self.session.ready(), home, body.title)
            known = {team.id for team in alike}
            made = await self.writer.perform(
                "Make team",
                shorten(clean(body.title), NAME_CELLS),
                lambda api: api(ops.create_team, home, body),
                reversal=lambda team: team_made((home, team.id), team.title, team.members),
                look=lambda api: find_made(api, home, body.title, known),
                draft=key,
            )
            self.read_written(made.id)

        form = body_form(
            TeamCreate,
            title="New team",
            draft_key=key,
            send=send,
            labels={"title": "Name", "members": "People"},
            offers={"members": people},
            lines={"members": 4},
            facts=["A team is given spaces and collections as a person is: all in it have them."],
            verb="make it",
        )
        await self.desk.push_screen_wait(form)

    @action("e", "rename", unless=(nothing_selected, may_not_change), danger=1, show=26,
            group="Change", uses="update_team", types=True)  # fmt: skip
    async def rename(self) -> None:
        """Give the team another name."""
        from copydesk.contract.models.team import TeamUpdate

        item, home = sure(self.item), self.organization or ""
        ids, key = (home, item.id), self.draft_key("rename", item.id)

        async def send(body: TeamUpdate) -> None:
            await self.writer.perform(
                "Rename team",
                self.named(item),
                lambda api: api(ops.update_team, *ids, body),
                reversal=team_renamed(ids, item.title, body.title or ""),
                draft=key,
            )

        form = body_form(
            TeamUpdate,
            title=f"Rename {self.named(item)}",
            draft_key=key,
            send=send,
            current=item,
            labels={"title": "Name"},
        )
        if await self.desk.push_screen_wait(form):
            self.read_written(item.id)

    @action("D", "delete", unless=(nothing_selected, may_not_change), danger=3, show=18,
            group="Change", uses="delete_team")  # fmt: skip
    async def delete(self) -> None:
        """Delete the team for good. It asks for the name; the people stay in the organization."""
        item, home = sure(self.item), self.organization or ""
        sheet = TypeToConfirm(
            f"Delete {self.named(item)}",
            team_loss(item),
            expect=self.label(item),
            verb="delete",
        )
        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete team", self.named(item), lambda api: api(ops.delete_team, home, item.id)
            )
            self.read_written()


# Who is in a team


NAMES = 6
"""People named in a dialog; the others are counted."""


def role_in_team(person: TeamMember) -> Text | str:
    """Return the role in the team; owners stand out."""
    said = clean(person.team.role)
    return Text(said, style="strong") if said == "owner" else said


def person_details(person: TeamMember) -> Iterator[tuple[str, str | Text]]:
    """Yield the details of a person beyond the columns."""
    member = person.organization
    if url := web_address(member.user.urls.app):
        yield "app", Text(url, style="link")


def member_name(person: TeamMember) -> str:
    """Return the name of a person."""
    return person_name(person.organization.user)


def short_names(people: Sequence[TeamMember]) -> str:
    """Return the name of one person, or the number of several, for a title."""
    if len(people) == 1:
        return shorten(member_name(people[0]), NAME_CELLS)
    return plural(len(people), "person", "people")


def listed_names(people: Sequence[TeamMember]) -> str:
    """Return people by their names; of many the first ones, and how many more."""
    said = [shorten(member_name(each), NAME_CELLS) for each in people[:NAMES]]
    if (more := len(people) - NAMES) > 0:
        said.append(f"{more} more")
    return listed(said)


PEOPLE: Resource[TeamMember] = Resource(
    noun="member",
    title="Team members",
    pages=pages_of("list_team_members", "organization", "item"),
    key=lambda person: person.organization.id,
    label=member_name,
    shown=(
        Facet("name", "NAME", lambda person, now: member_name(person), flex=1, minimum=20,
              detail=False, sort=member_name),
        Facet("in_team", "IN TEAM", lambda person, now: role_in_team(person), 7,
              values=get_args(TeamRole), sort=lambda person: person.team.role != "owner"),
        Facet("role", "ROLE", lambda person, now: member_role(person.organization), 8,
              drop=1, values=get_args(RoleFilter)),
        Facet("email", "E-MAIL", lambda person, now: person.organization.user.email, 26, drop=3,
              sort=lambda person: person.organization.user.email),
        Facet("seen", "SEEN", lambda person, now: last_seen(person.organization, now),
              10, drop=2, sort=lambda person: person.organization.last_seen_at),
        Facet("joined", "JOINED",
              lambda person, now: ago(person.organization.joined_at, now)),
        Facet("account", "ACCOUNT", lambda person, now: account_state(person.organization)),
    ),
    empty="No one is in this team. ctrl+n adds people.",
    of="item",
    url=lambda person: web_address(person.organization.user.urls.app) or None,
    copies=lambda person: [("e-mail address", person.organization.user.email)],
    more=lambda person, now: list(person_details(person)),
    dim=lambda person: person.organization.disabled,
    contents=lambda: (MEMBER_TEAMS, MEMBER_SPACES),
)  # fmt: skip
"""Who is in a team."""


async def people_in(api: Api, ids: TeamIds) -> list[TeamMember]:
    """Return everybody in a team."""
    return await api.every(ops.list_team_members, *ids)


async def ids_of(api: Api, organization: str, named: Sequence[str]) -> list[str]:
    """Return by their ids, each once, people of an organization who were named somehow.

    The service takes e-mail addresses in any case of their letters, so what follows from adding
    somebody (who is there already, how it is taken back) goes by ids. Who is not found stays as
    they were named: the service says what is wrong with that.
    """
    found: dict[str, None] = {}
    for name in named:
        meant = [name]
        if "@" in name:
            members = api.pages(ops.list_members, organization, search=name)
            meant = [
                each.id
                async for each in members
                if (each.user.email or "").casefold() == name.casefold()
            ]
        found[meant[0] if meant else name] = None
    return list(found)


async def add(api: Api, ids: TeamIds, people: Sequence[str]) -> None:
    """Add people to a team, as members of it."""
    from copydesk.contract.models.team import TeamMembersUpdate

    await api(ops.update_team_members, *ids, TeamMembersUpdate(add=list(people)))


async def remove(api: Api, ids: TeamIds, people: Sequence[str]) -> None:
    """Take people out of a team; one alone may be oneself."""
    from copydesk.contract.models.team import TeamMembersUpdate

    if len(people) == 1:
        await api(ops.remove_team_member, *ids, people[0])
    else:
        await api(ops.update_team_members, *ids, TeamMembersUpdate(remove=list(people)))


async def give_roles(api: Api, ids: TeamIds, roles: Mapping[str, str]) -> None:
    """Give people in a team their roles there."""
    from copydesk.contract.models.team import TeamMembersUpdate, TeamMemberUpdate

    written = {person: {"role": role} for person, role in roles.items()}
    if len(written) == 1:
        ((person, body),) = written.items()
        await api(ops.put_team_member, *ids, person, TeamMemberUpdate.model_validate(body))
    else:
        many = TeamMembersUpdate.model_validate({"memberships": written})
        await api(ops.update_team_members, *ids, many)


def nobody(here: TeamMembersPlace) -> str | None:
    """Say so when nobody is marked or under the cursor."""
    return (
        None
        if here.chosen
        else no_row(here.rows, "Put the cursor on a person first, or mark some.")
    )


def may_not_manage(here: TeamMembersPlace) -> str | None:
    """Say why the reader may not manage the team; None while that is unknown."""
    if (why := here.missing()) is not None:
        return why
    if here.manages is not False:
        return None
    return "That takes an owner of the team or an administrator of the organization."


def may_not_remove(here: TeamMembersPlace) -> str | None:
    """Say why those chosen may not be removed: everybody may leave."""
    return None if here.leaving else may_not_manage(here)


def remove_label(here: TeamMembersPlace) -> str:
    """Return the label of removing."""
    return "leave" if here.leaving else "remove"


class TeamRows(Marking, VirtualList["TeamMember"]):
    """The people, of whom several may be marked."""


@place(
    "team-members",
    title="Team members",
    uses=("list_team_members", "get_team", "list_member_teams", "list_member_spaces"),
)
class TeamMembersPlace(ResourcePlace["TeamMember"], scope="team_members"):
    """Who is in a team, and who of them manages it."""

    NO_ITEM = "No team is chosen. Open one from a list: g T goes there."
    RESOURCE = PEOPLE
    ROWS = TeamRows

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.team: Team | None = None

    def within(self) -> Iterable[str]:
        yield "Teams"
        yield self.called

    @property
    def called(self) -> str:
        """The name of the team, or its id until that is read."""
        known = self.team.title if self.team is not None else ""
        return shorten(clean(known) or clean(self.target.item or "no team"), NAME_CELLS)

    @property
    def ids(self) -> TeamIds:
        return self.organization or "", self.target.item or ""

    @property
    def chosen(self) -> list[TeamMember]:
        """Those who are marked, else who is under the cursor."""
        return self.rows.chosen()

    @property
    def manages(self) -> bool | None:
        """Whether the reader manages the team; None while unknown."""
        team, me, base = self.team, self.session.me, self.rows.source.base
        if team is None or team.permissions is None or me is None:
            return None
        at = base.index_of(me.id)
        mine = None if at is None else base.row(at)
        if team.permissions.admin or (mine is not None and mine.team.role == "owner"):
            return True
        return False if mine is not None or base.complete else None

    @property
    def leaving(self) -> bool:
        """Whether nobody but the reader is chosen."""
        me, chosen = self.session.me, self.chosen
        return me is not None and [each.organization.id for each in chosen] == [me.id]

    # Reading

    def reload(self) -> None:
        """Read the members and the name of the team."""
        super().reload()
        if self.missing() is None:
            self.reads.load("team", self._read_team, self._learned, what="Reading the team")

    async def _read_team(self, api: Api) -> Team:
        if self.session.me is None:
            self.session.me = await read_me(api)
        return await api(ops.get_team, *self.ids)

    def _learned(self, team: Team) -> None:
        self.team = team
        self.refresh_frame()

    def open_item(self, item: TeamMember) -> None:
        """Go to what the person reaches, and to their other teams."""
        target = Target(organization=self.organization, item=item.organization.id)
        self.desk.go_soon("member", target)

    def resume(self, part: str) -> None:
        """Open a form again; that of several people is about those who are marked."""
        method, *people = part.split(" ")
        there = [each for each in people if self.rows.source.base.index_of(each) is not None]
        if len(people) > 1 and there == people:
            self.rows.set_marks(people)
            part = method
        super().resume(part)

    # Changing

    @action("ctrl+n", "add people", unless=may_not_manage, danger=1, show=28, group="Change",
            word="new", types=True, takes="none",
            uses=("update_team_members", "list_members", "list_team_members"))  # fmt: skip
    async def add_people(self) -> None:
        """Add people of the organization to the team: ctrl+o ticks them."""
        from copydesk.contract.models.team import TeamMembersUpdate

        ids, key, name = self.ids, self.draft_key("add_people"), self.called

        async def people() -> Sequence[Option]:
            api = await self.session.ready()
            inside = {each.organization.id for each in await people_in(api, ids)}
            return await people_offered(api, ids[0], inside)

        async def send(body: TeamMembersUpdate) -> None:
            if not body.add:
                raise FieldsWrongError({"add": "no one is named yet"})
            api = await self.session.ready()
            new = await ids_of(api, ids[0], body.add)
            inside = await people_in(api, ids)
            if there := [each for each in inside if each.organization.id in new]:
                said = "is in the team already" if len(there) == 1 else "are in the team already"
                raise FieldsWrongError({"add": f"{listed_names(there)} {said}"})
            await self.writer.perform(
                "Add to team",
                f"{name}: {plural(len(new), 'person', 'people')}",
                lambda api: add(api, ids, new),
                reversal=people_added(ids, new),
                draft=key,
            )
            self.read_written(new[0])

        form = body_form(
            TeamMembersUpdate,
            title=f"Add people to {name}",
            draft_key=key,
            send=send,
            only=("add",),
            labels={"add": "People"},
            offers={"add": people},
            lines={"add": 5},
            facts=[hint("They are members of the team at first: e makes owners of them.", "")],
            verb="add them",
        )
        await self.desk.push_screen_wait(form)

    @action("e", "role", unless=(nobody, may_not_manage), danger=1, show=26, group="Change",
            word="role", uses=("put_team_member", "update_team_members"), types=True,
            takes="marked")  # fmt: skip
    async def change_role(self) -> None:
        """Make owners or members of those marked, else of who is under the cursor."""
        from copydesk.contract.models.team import TeamMemberUpdate

        people, ids = self.chosen, self.ids
        before = {each.organization.id: each.team.role for each in people}
        who, key = (
            short_names(people),
            self.draft_key("change_role", " ".join(sorted(before))),
        )

        async def send(body: TeamMemberUpdate) -> None:
            role = body.role or "member"
            await self.writer.perform(
                "Change role in team",
                f"{who}: {role}",
                lambda api: give_roles(api, ids, dict.fromkeys(before, role)),
                reversal=roles_changed(ids, before, role),
                draft=key,
            )

        roles = set(before.values())
        form = body_form(
            TeamMemberUpdate,
            title=f"Role of {who} in {self.called}",
            draft_key=key,
            send=send,
            current={"role": roles.pop()} if len(roles) == 1 else {},
            labels={"role": "Is"},
            facts=[listed_names(people)] if len(people) > 1 else (),
        )
        if await self.desk.push_screen_wait(form):
            self.rows.set_marks(())
            self.read_written(next(iter(before)))

    @action("D", "remove", unless=(nobody, may_not_remove), danger=2, show=18, group="Change",
            word="remove", uses=("remove_team_member", "update_team_members"), now=remove_label,
            takes="marked")  # fmt: skip
    async def take_out(self) -> None:
        """Remove those marked from the team, else who is under the cursor; or leave it."""
        people, ids, name = self.chosen, self.ids, self.called
        leaving, final = self.leaving, self.leaving and self.manages is False
        roles = {each.organization.id: each.team.role for each in people}
        who = "yourself" if leaving else short_names(people)
        facts: list[Fact] = [f"{listed_names(people)}."] if len(people) > 1 else []
        if leaving:
            facts.append("You stay in the organization, without what only the team gives you.")
        else:
            said = "They stay in the organization, without what only the team gives them."
            facts.append(hint(f"{said} u adds them again.", ""))
        if hidden := self.rows.hidden_marks:
            facts.append(f"{len(hidden)} of them the filter does not show.")
        sheet = Confirm(
            f"Leave {name}" if leaving else f"Remove {who} from {name}",
            facts,
            verb="leave" if leaving else "remove",
            warning="You cannot undo this yourself: an owner has to add you." if final else "",
        )
        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Leave team" if leaving else "Remove from team",
                name if leaving else f"{name}: {who}",
                lambda api: remove(api, ids, list(roles)),
                reversal=None if final else people_removed(ids, roles),
            )
            self.rows.set_marks(())
            self.read_written()
