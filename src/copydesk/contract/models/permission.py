"""Who may do what in a space, a collection or a site."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from copydesk.contract.enumerations import Role
from copydesk.contract.models.base import Always, Body, KeepsNull, Open, Shape, Timestamp
from copydesk.contract.models.team import Team
from copydesk.contract.models.user import User


class UserPermission(KeepsNull):
    """The level that a person has in a space, a collection or a site; none is a guest's."""

    nullable: ClassVar[tuple[str, ...]] = ("permission",)

    permission: Always[Open[Role]] = None
    user: User


class TeamPermission(KeepsNull):
    """The level that a team was given in a space, a collection or a site."""

    nullable: ClassVar[tuple[str, ...]] = ("permission",)

    permission: Always[Open[Role]] = None
    team: Team


class PermissionOrigin(Shape):
    """Where a level in a site comes from: a space, the organization, or the site itself.

    Of the site, ``reason`` says whether it was given to the person, to a ``team`` or to everyone.
    """

    type: Open[Literal["space", "organization", "site"]]
    space: str | None = None
    organization: str | None = None
    site: str | None = None
    reason: Open[Literal["member", "team", "default"]] | None = None
    team: str | None = None


class SiteUserPermission(UserPermission):
    """The level that a person has in a site, and where it comes from; none is a guest's."""

    origin: Always[PermissionOrigin] = None
    disabled: bool = False
    last_seen_at: Timestamp | None = None


class PermissionInvite(Body):
    """People and teams of the organization who get a level; people by id or e-mail address."""

    role: Role | None = Field(default=None, description="What they may do; read if not said.")
    teams: Annotated[list[str], Field(min_length=1)] | None = None
    users: Annotated[list[str], Field(min_length=1)] | None = None


class PermissionUpdate(Body):
    """The level that a person or a team gets; None takes away what they were given."""

    nullable: ClassVar[tuple[str, ...]] = ("role",)

    role: Role | None = None


class SitePermissionUpdate(PermissionUpdate):
    """The level that a person or a team gets in a site."""

    nullable: ClassVar[tuple[str, ...]] = ()
