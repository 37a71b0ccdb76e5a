"""The teams of an organization: made, renamed, deleted; Enter shows who is in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.organization_inverses import team_made, team_renamed
from copydesk.domain.text import clean, shorten
from copydesk.session.reads.organization import people_offered
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.organization import team_cells as present
from copydesk.tui.organization.team_requests import delete, find_made, make, rename, teams_called
from copydesk.tui.organization.team_resources import TEAMS
from copydesk.tui.resource.place import ResourcePlace, may_not_add, nothing_selected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from copydesk.contract.models.team import Team, TeamCreate, TeamUpdate
    from copydesk.session.options import Option


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

    def named(self, item: Team) -> str:
        """Return the name of a team, short enough for a title."""
        return shorten(self.label(item), present.NAME_CELLS)

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
                shorten(clean(body.title), present.NAME_CELLS),
                lambda api: make(api, home, body),
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
                lambda api: rename(api, ids, body),
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
            present.loss(item),
            expect=self.label(item),
            verb="delete",
        )
        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete team", self.named(item), lambda api: delete(api, (home, item.id))
            )
            self.read_written()
