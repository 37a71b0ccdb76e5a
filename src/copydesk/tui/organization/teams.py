"""The teams of an organization: made, renamed, deleted; Enter shows who is in one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.age import ago
from copydesk.domain.organization_inverses import team_made, team_renamed
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.operations import ops
from copydesk.session.reads.organization import PAGE, people_offered
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import NAME_CELLS, ResourcePlace, may_not_add, nothing_selected
from copydesk.tui.resource.resource import Asked, Condition, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.team import Team, TeamCreate, TeamUpdate
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
        said, lost = "Nobody is in it.", "It is given nothing any more"
    more = f", in {plural(team.spaces, 'space')}" if team.spaces else ""
    return [
        said,
        f"{lost}{more}.",
        Text("There is no way back: a new team has nobody in it, and no space.", style="warn"),
    ]


async def _teams(api: Api, target: Target, asked: Asked) -> Page[Team]:
    organization = target.organization or ""
    return await api.page(ops.list_teams, organization, **asked.paging, **asked.conditions)


TEAMS: Resource[Team] = Resource(
    noun="team",
    title="Teams",
    pages=_teams,
    key=lambda team: team.id,
    label=team_title,
    shown=(
        Shown("title", "NAME", lambda team, now: team_title(team), flex=1, minimum=20,
              detail=False, sort=team_title),
        Shown("members", "MEMBERS", lambda team, now: str(team.members), 7, align="right",
              sort=lambda team: team.members),
        Shown("spaces", "SPACES", lambda team, now: str(team.spaces), 6, align="right", drop=1,
              sort=lambda team: team.spaces),
        Shown("made", "MADE", lambda team, now: ago(team.created_at, now), 10,
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
)  # fmt: skip
"""Teams, as an organization lists them."""


async def teams_called(api: Api, organization: str, title: str) -> list[Team]:
    """Return the teams of exactly that name."""
    pages = api.pages(ops.list_teams, organization, limit=PAGE, title=title)
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


@place("teams", key="T", title="Teams", uses=("list_teams", "get_organization"))
class TeamsPlace(ResourcePlace["Team"], scope="teams"):
    """The teams of an organization."""

    RESOURCE = TEAMS

    def open_item(self, item: Team) -> None:
        target = Target(organization=self.organization, item=item.id)
        self.desk.go_soon("team-members", target)

    # Changing

    @action("ctrl+n", "new team", unless=may_not_add, danger=1, show=28, group="Change",
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

        item, home = self.item, self.organization or ""
        assert item is not None
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
        item, home = self.item, self.organization or ""
        assert item is not None
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
