"""SAML providers: single sign-on of an organization."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import Role, SAMLStatus
from copydesk.contract.models.base import (
    Always,
    Body,
    KeepsNull,
    Open,
    Resource,
    Shape,
    Timestamp,
    Urls,
    WebAddress,
)
from copydesk.contract.models.team import Team

ProviderLabel: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=30)]
"""1 to 30 characters."""


class SAMLService(Shape):
    """What the provider needs to know about the service."""

    acs_url: Always[str] = Field(default=None, alias="acsURL")
    start_url: Always[str] = Field(default=None, alias="startURL")
    entity_id: Always[str] = Field(default=None, alias="entityID")


class SAMLProvider(Resource, KeepsNull):
    """A SAML provider; newcomers get ``default_role`` (None: guest) and join the team."""

    nullable: ClassVar[tuple[str, ...]] = ("default_role",)

    object: Open[Literal["saml-provider"]] = "saml-provider"
    id: str
    label: str = ""
    sso_url: str | None = Field(default=None, alias="ssoURL")
    entity_id: str | None = Field(default=None, alias="entityID")
    certificate: str | None = None
    default_team: Team | None = None
    default_role: Always[Open[Role]] = None
    created_at: Always[Timestamp] = None
    status: Open[SAMLStatus] = "pending"
    service: Always[SAMLService] = None
    urls: Urls = Field(default_factory=Urls)


class _SAMLFields(Body):
    nullable: ClassVar[tuple[str, ...]] = ("default_role",)

    entity_id: Annotated[str, StringConstraints(max_length=1024)] | None = Field(
        default=None,
        alias="entityID",
        description="What the provider calls itself: its issuer, as its metadata says.",
    )
    certificate: Annotated[str, StringConstraints(max_length=10000)] | None = Field(
        default=None,
        description="The public certificate that the provider signs with, as PEM text. "
        "Never its private key.",
    )
    sso_url: WebAddress | None = Field(
        default=None, alias="ssoURL", description="The single sign-on address of the provider."
    )
    default_team: str | None = Field(
        default=None,
        description="The team that newcomers join. It can be exchanged, not taken away.",
    )
    default_role: Role | None = Field(
        default=None, description="What newcomers may do; without a role they are guests."
    )


class SAMLProviderCreate(_SAMLFields):
    """A new SAML provider; ``default_team`` is a team id."""

    label: ProviderLabel = Field(description="What people read where they choose how to sign in.")


class SAMLProviderUpdate(_SAMLFields):
    """Changes of a SAML provider."""

    label: ProviderLabel | None = Field(
        default=None, description="What people read where they choose how to sign in."
    )


class SSOLogin(Shape):
    """A way to sign in."""

    id: str
    label: str = ""
    start_url: Always[str] = Field(default=None, alias="startURL")


class SSOLogins(Shape):
    """The ways to sign in to an organization."""

    items: list[SSOLogin] = []
