"""What is listed of teams: those of an organization, and the people in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from copydesk.contract.enumerations import RoleFilter, TeamRole
from copydesk.domain.address import web_address
from copydesk.session.reads.organization import people_offered
from copydesk.tui.organization import member_cells as member_present
from copydesk.tui.organization import team_cells as present
from copydesk.tui.resource.resource import Asked, Condition, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.member import TeamMember
    from copydesk.contract.models.team import Team
    from copydesk.session.target import Target


async def _teams(api: Api, target: Target, asked: Asked) -> Page[Team]:
    from copydesk.contract import operations as ops

    organization = target.organization or ""
    return await api.page(ops.list_teams, organization, **asked.paging, **asked.conditions)


TEAMS: Resource[Team] = Resource(
    noun="team",
    title="Teams",
    pages=_teams,
    key=lambda team: team.id,
    label=present.title,
    shown=(
        Shown("title", "NAME", lambda team, now: present.title(team), flex=1, minimum=20,
              detail=False, sort=present.title),
        Shown("members", "MEMBERS", lambda team, now: str(team.members), 7, align="right",
              sort=lambda team: team.members),
        Shown("spaces", "SPACES", lambda team, now: str(team.spaces), 6, align="right", drop=1,
              sort=lambda team: team.spaces),
        Shown("made", "MADE", lambda team, now: member_present.ago(team.created_at, now), 10,
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
    more=lambda team, now: list(present.about(team)),
    adding="own_team",
    readers_empty="There are no teams in this organization.",
)  # fmt: skip
"""Teams, as an organization lists them."""


async def _people(api: Api, target: Target, asked: Asked) -> Page[TeamMember]:
    from copydesk.contract import operations as ops

    ids = target.organization or "", target.item or ""
    return await api.page(ops.list_team_members, *ids, **asked.paging)


PEOPLE: Resource[TeamMember] = Resource(
    noun="member",
    title="Team members",
    pages=_people,
    key=lambda person: person.organization.id,
    label=present.person_name,
    shown=(
        Shown("name", "NAME", lambda person, now: present.person_name(person), flex=1, minimum=20,
              detail=False, sort=present.person_name),
        Shown("in_team", "IN TEAM", lambda person, now: present.role(person), 7,
              values=get_args(TeamRole), sort=lambda person: person.team.role != "owner"),
        Shown("role", "ROLE", lambda person, now: member_present.role(person.organization), 8,
              drop=1, values=get_args(RoleFilter)),
        Shown("email", "E-MAIL", lambda person, now: person.organization.user.email, 26, drop=3,
              sort=lambda person: person.organization.user.email),
        Shown("seen", "SEEN", lambda person, now: member_present.seen(person.organization, now),
              10, drop=2, sort=lambda person: person.organization.last_seen_at),
        Shown("joined", "JOINED",
              lambda person, now: member_present.ago(person.organization.joined_at, now)),
        Shown("account", "ACCOUNT", lambda person, now: member_present.state(person.organization)),
    ),
    empty="Nobody is in this team. ctrl+n adds people.",
    of="item",
    url=lambda person: web_address(person.organization.user.urls.app) or None,
    copies=lambda person: [("e-mail address", person.organization.user.email)],
    more=lambda person, now: list(present.person_about(person)),
    dim=lambda person: person.organization.disabled,
)  # fmt: skip
"""Who is in a team."""
