"""What is listed of people: the members of an organization, and of one their spaces and teams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from copydesk.contract.enumerations import Role, RoleFilter, TeamRole
from copydesk.domain.address import web_address
from copydesk.session.people import member_name
from copydesk.tui.framework.place import View
from copydesk.tui.organization import member_cells as present
from copydesk.tui.resource.resource import Asked, Condition, Order, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.member import Member, MemberSpace, MemberTeam
    from copydesk.session.target import Target

ROLES = get_args(RoleFilter)
"""What members can be, as the service lists them by it."""


async def _members(api: Api, target: Target, asked: Asked) -> Page[Member]:
    from copydesk.contract import operations as ops

    role: dict[str, Any] = {"role": asked.view} if asked.view in ROLES else {}
    return await api.page(
        ops.list_members,
        target.organization or "",
        **asked.paging,
        **role,
        **asked.order,
        **asked.conditions,
    )


def _by(name: str, title: str, sort: str) -> Order:
    return Order(name, title, {"sort": sort, "order": "desc"}, {"sort": sort, "order": "asc"})


MEMBERS: Resource[Member] = Resource(
    noun="member",
    title="Members",
    pages=_members,
    key=lambda member: member.id,
    label=member_name,
    shown=(
        Shown("name", "NAME", lambda member, now: member_name(member), flex=1, minimum=20,
              detail=False, sort=member_name),
        Shown("role", "ROLE", lambda member, now: present.role(member), 8, values=ROLES),
        Shown("seen", "SEEN", present.seen, 10),
        Shown("joined", "JOINED", lambda member, now: present.ago(member.joined_at, now), 10,
              drop=4),
        Shown("email", "E-MAIL", lambda member, now: member.user.email, 26, drop=3,
              sort=lambda member: member.user.email),
        Shown("teams", "TEAMS", lambda member, now: str(member.teams), 5, align="right", drop=2,
              sort=lambda member: member.teams),
        Shown("spaces", "SPACES", lambda member, now: str(member.spaces), 6, align="right", drop=1,
              sort=lambda member: member.spaces),
        Shown("sign_on", "SIGNS IN", lambda member, now: present.sign_on(member)),
        Shown("account", "ACCOUNT", lambda member, now: present.state(member)),
    ),
    empty="Nobody is a member yet.",
    get="get_member",
    arguments=lambda target, member: (target.organization or "", member.id),
    url=lambda member: web_address(member.user.urls.app) or None,
    views=(
        View("all", "All"),
        *(View(role, "Guests" if role == present.GUEST else role.capitalize()) for role in ROLES),
    ),
    orders=(
        _by("joined", "last joined", "joinedAt"),
        _by("seen", "last seen (active members only)", "lastSeenAt"),
    ),
    conditions=(Condition("search", "those whose name or e-mail address holds this"),),
    copies=lambda member: [("e-mail address", member.user.email)],
    more=lambda member, now: present.about(member),
    dim=lambda member: member.disabled,
    adding="admin",
)  # fmt: skip
"""The people of an organization."""

PARTS = (View("spaces", "Spaces"), View("teams", "Teams"))
"""What is listed of one member."""


async def _spaces(api: Api, target: Target, asked: Asked) -> Page[MemberSpace]:
    from copydesk.contract import operations as ops

    return await api.page(
        ops.list_member_spaces,
        target.organization or "",
        target.item or "",
        **asked.paging,
        **asked.order,
    )


SPACES: Resource[MemberSpace] = Resource(
    noun="space",
    title="Spaces",
    pages=_spaces,
    key=lambda reached: reached.space.id,
    label=present.space_name,
    shown=(
        Shown("title", "SPACE", lambda reached, now: present.space_name(reached), flex=1,
              minimum=20, detail=False, sort=present.space_name),
        Shown("role", "ROLE", lambda reached, now: present.space_role(reached), 8,
              values=get_args(Role)),
        Shown("audience", "READ BY", lambda reached, now: reached.space.visibility, 13, drop=2),
        Shown("made", "MADE", lambda reached, now: present.ago(reached.space.created_at, now), 10,
              drop=1),
    ),
    empty="There is no space that both of you reach.",
    of="item",
    get="get_space",
    arguments=lambda target, reached: (reached.space.id,),
    url=present.space_address,
    views=PARTS,
    orders=(Order("made", "last made", {"order": "desc"}, {"order": "asc"}),),
)  # fmt: skip
"""The spaces that a member reaches."""


async def _teams(api: Api, target: Target, asked: Asked) -> Page[MemberTeam]:
    from copydesk.contract import operations as ops

    return await api.page(
        ops.list_member_teams,
        target.organization or "",
        target.item or "",
        **asked.paging,
        **asked.conditions,
    )


def _team_name(joined: MemberTeam) -> str:
    return joined.team.title.strip() or "Untitled"


TEAMS: Resource[MemberTeam] = Resource(
    noun="team",
    title="Teams",
    pages=_teams,
    key=lambda joined: joined.team.id,
    label=_team_name,
    shown=(
        Shown("title", "TEAM", lambda joined, now: _team_name(joined), flex=1, minimum=20,
              detail=False, sort=_team_name),
        Shown("part", "IS ITS", lambda joined, now: present.team_part(joined), 8,
              values=get_args(TeamRole)),
        Shown("made", "MADE", lambda joined, now: present.ago(joined.team.created_at, now), 10,
              drop=2, sort=lambda joined: joined.team.created_at),
        Shown("members", "MEMBERS", lambda joined, now: str(joined.team.members), 7,
              align="right", sort=lambda joined: joined.team.members),
        Shown("spaces", "SPACES", lambda joined, now: str(joined.team.spaces), 6, align="right",
              drop=1, sort=lambda joined: joined.team.spaces),
    ),
    empty="In no team.",
    of="item",
    get="get_team",
    arguments=lambda target, joined: (target.organization or "", joined.team.id),
    views=PARTS,
    conditions=(Condition("title", "teams whose name holds this"),),
)  # fmt: skip
"""The teams that a member is in."""

KINDS: dict[str, Resource[Any]] = {"spaces": SPACES, "teams": TEAMS}
"""What each view of one member lists."""
