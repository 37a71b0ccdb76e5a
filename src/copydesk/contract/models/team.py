"""Teams of an organization."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import TeamRole
from copydesk.contract.models.base import Always, Body, Count, Open, Resource, Shape, Timestamp

TeamTitle: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=64)]
"""1 to 64 characters."""


class TeamPermissions(Shape):
    """What the caller may do with a team."""

    admin: bool = False
    view: bool = False


class Team(Resource):
    """A group of members; counts its members and spaces."""

    object: Open[Literal["team"]] = "team"
    id: str
    title: str = ""
    members: Count = 0
    spaces: Count = 0
    created_at: Always[Timestamp] = None
    permissions: Always[TeamPermissions] = None


class TeamCreate(Body):
    """A new team; ``members`` are user ids."""

    title: TeamTitle = Field(description="The name of the team, wherever it is offered.")
    members: list[str] | None = Field(
        default=None, description="Who is in it from the start, as members of the team."
    )


class TeamUpdate(Body):
    """The new title of a team."""

    title: TeamTitle | None = Field(
        default=None, description="The name of the team; who is in it and its spaces stay."
    )


class TeamMembershipWrite(Body):
    """The role that somebody gets in a team."""

    role: TeamRole | None = Field(
        default=None, description="Owners manage who is in the team; members are only in it."
    )


class TeamMembersUpdate(Body):
    """People to add to and remove from a team, by user id or e-mail, and roles by user id.

    Someone in both lists is removed.
    """

    add: list[str] | None = Field(
        default=None, description="People of the organization, by their ids or e-mail addresses."
    )
    remove: list[str] | None = Field(
        default=None,
        description="Who is taken out; someone who is added and removed at once is removed.",
    )
    memberships: dict[str, TeamMembershipWrite] | None = Field(
        default=None, description="Roles in the team, by the ids of people."
    )


class TeamMemberUpdate(Body):
    """The role that a person gets in a team; a member when not said."""

    role: TeamRole | None = Field(
        default=None, description="Owners manage who is in the team; members are only in it."
    )
