"""Invitations to an organization, and links by which people come in."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import Role
from copydesk.contract.models.base import Body, Count, KeepsNull, Open, Shape
from copydesk.contract.models.collection import Collection
from copydesk.contract.models.space import Space

Email: TypeAlias = Annotated[str, StringConstraints(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
"""The shape of an e-mail address: something on both sides of an @, and no blanks."""


class EmailInvite(Body):
    """Somebody who is invited with a role of their own; None makes them a guest."""

    nullable: ClassVar[tuple[str, ...]] = ("role",)

    email: Email
    role: Role | None


class InviteCreate(Body):
    """People who are invited by e-mail; ``role`` is of those without one of their own."""

    nullable: ClassVar[tuple[str, ...]] = ("role",)

    emails: list[Email | EmailInvite]
    role: Role | None = None
    sso: bool | None = Field(default=None, description="Whether they sign in by single sign-on.")


class InviteResult(Shape):
    """Who was invited, by user ids; ``failed_sso_emails`` may not sign in by single sign-on."""

    users: list[str] = []
    invited: Count = 0
    failed_sso_emails: list[str] | None = Field(default=None, alias="failedSSOEmails")


class InviteLink(KeepsNull):
    """A link by which people come into an organization, or into one of its spaces or collections.

    In the organization they get the ``role``, elsewhere the ``level``; None is a guest's. One that
    is ``redundant`` gives no more than another one does.
    """

    nullable: ClassVar[tuple[str, ...]] = ("role", "level")

    object: Open[Literal["invite"]] = "invite"
    id: str
    role: Open[Role] | None = None
    level: Open[Role] | None = None
    redundant: bool = False
    space: Space | None = None
    collection: Collection | None = None


class InviteLinkCreate(Body):
    """A new link: a ``role`` in the organization, or a ``level`` in a space or a collection."""

    nullable: ClassVar[tuple[str, ...]] = ("role", "level")

    role: Role | None = None
    level: Role | None = None
    space: str | None = None
    collection: str | None = None


class InviteLinkUpdate(Body):
    """What a link gives from now on: ``role`` or ``level``, whichever it has."""

    nullable: ClassVar[tuple[str, ...]] = ("role", "level")

    role: Role | None = None
    level: Role | None = None
