"""Teams of an organization."""

from typing import Annotated, Literal, TypeAlias

from pydantic import StringConstraints

from copydesk.contract.enumerations import TeamRole
from copydesk.contract.models.base import Body, Open, Resource, Shape
from copydesk.contract.models.parts import Timestamp

TeamTitle: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=64)]
"""1 to 64 characters."""


class TeamPermissions(Shape):
    """What the caller may do with a team."""

    admin: bool = False
    view: bool = False


class Team(Resource):
    """A group of members (platform-api.md, Shared shapes); counts its members and spaces."""

    object: Open[Literal["team"]] = "team"
    id: str
    title: str = ""
    members: int = 0
    spaces: int = 0
    created_at: Timestamp | None = None
    permissions: TeamPermissions | None = None


class TeamCreate(Body):
    """A new team; ``members`` are user ids."""

    title: TeamTitle
    members: list[str] | None = None


class TeamUpdate(Body):
    """The new title of a team."""

    title: TeamTitle | None = None


class TeamMembershipWrite(Body):
    """The role that somebody gets in a team."""

    role: TeamRole | None = None


class TeamMembersUpdate(Body):
    """People to add to and remove from a team, by user id or e-mail, and roles by user id.

    Someone in both lists is removed (platform-api.md, States and transitions).
    """

    add: list[str] | None = None
    remove: list[str] | None = None
    memberships: dict[str, TeamMembershipWrite] | None = None


class TeamMemberUpdate(Body):
    """The role that a person gets in a team; a member when not said."""

    role: TeamRole | None = None
