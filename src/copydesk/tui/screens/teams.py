"""The teams of an organization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.age import age
from copydesk.tui.places import Target, place
from copydesk.tui.resource_place import ResourcePlace
from copydesk.tui.resources import Asked, Condition, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.team import Team


async def _pages(api: Api, target: Target, asked: Asked) -> Page[Team]:
    from copydesk.contract import operations as ops

    organization = target.organization or ""
    return await api.page(ops.list_teams, organization, **asked.paging, **asked.conditions)


TEAMS: Resource[Team] = Resource(
    noun="team",
    title="Teams",
    pages=_pages,
    key=lambda team: team.id,
    label=lambda team: team.title,
    shown=(
        Shown("title", "NAME", lambda team, now: team.title, flex=1, minimum=20,
              detail=False, sort=lambda team: team.title),
        Shown("members", "MEMBERS", lambda team, now: str(team.members), 7, align="right",
              sort=lambda team: team.members),
        Shown("spaces", "SPACES", lambda team, now: str(team.spaces), 6, align="right", drop=1,
              sort=lambda team: team.spaces),
        Shown("made", "MADE", lambda team, now: age(team.created_at, now), 8, drop=2,
              sort=lambda team: team.created_at),
    ),
    empty="There are no teams yet. ctrl+n makes one.",
    get="get_team",
    arguments=lambda target, team: (target.organization or "", team.id),
    conditions=(
        Condition("title", "teams whose name holds this"),
        Condition("owner", "teams that a member with this id manages"),
    ),
)  # fmt: skip
"""Teams, as an organization lists them."""


@place("teams", key="T", title="Teams", uses="list_teams")
class TeamsPlace(ResourcePlace["Team"], scope="teams"):
    """The teams of an organization."""

    RESOURCE = TEAMS
