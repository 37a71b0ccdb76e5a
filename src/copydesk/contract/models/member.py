"""People of an organization."""

from typing import ClassVar, Literal

from pydantic import AliasChoices, Field

from copydesk.contract.enumerations import Role, TeamRole
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    KeepsNull,
    Open,
    Resource,
    Shape,
    Timestamp,
)
from copydesk.contract.models.space import Space
from copydesk.contract.models.team import Team
from copydesk.contract.models.user import User


class Member(Resource, KeepsNull):
    """A person in an organization; ``role`` is None for a guest. ``id`` is the user's id."""

    nullable: ClassVar[tuple[str, ...]] = ("role",)

    object: Open[Literal["member"]] = "member"
    id: str
    role: Always[Open[Role]] = None
    user: User
    disabled: bool = False
    joined_at: Always[Timestamp] = None
    last_seen_at: Timestamp | None = None
    sso: bool = False
    spaces: Count = 0
    teams: Count = 0
    sites: Count = 0


class MemberUpdate(Body):
    """The new role of a member; None makes them a guest."""

    nullable: ClassVar[tuple[str, ...]] = ("role",)

    role: Role | None = Field(
        default=None, description="What they may do here; a guest reaches only what is given."
    )


class MemberSpace(Shape):
    """A space that a member can reach, and the role they have in it."""

    permission: Always[Open[Role]] = None
    space: Space


class TeamMembership(Shape):
    """What a person is in a team."""

    role: Open[TeamRole] = "member"


class MemberTeam(Shape):
    """A team that a member is in, and what they are there."""

    team: Team
    member: TeamMembership = Field(default_factory=TeamMembership)


class TeamMemberPermissions(Shape):
    """What the caller may do with a member of a team."""

    view: bool = False


class TeamMember(Shape):
    """A member of a team, as a member of the organization and of the team."""

    organization: Member
    team: TeamMembership = Field(default_factory=TeamMembership)
    permissions: Always[TeamMemberPermissions] = None


class VisitorClaims(Shape):
    """The answer to a ping: a JWT to attach to the user, where there is one."""

    docs_visitor_claims: str | None = Field(
        default=None,
        # Public services use the second name (docs/api-notes.md, Fields).
        validation_alias=AliasChoices("docsVisitorClaims", "gitbookVisitorClaims"),
        serialization_alias="docsVisitorClaims",
    )
